"""Records: tables that are filled from SMF records (files/smf_json.py) as well as from pages.

A `RecordForm` says what a record holds: its sections and the kinds of its fields. A `RecordRows` says which sections make a row of a table,
and what they are joined with. The values of a row are the formulas of its columns (places.Smf) over the names of the row: those that
`rows` gives, else the fields of the record that occur once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..frozen import frozen

Kind = Literal["number", "real", "hex", "flags", "duration", "moment", "text", "yes"]
"""What a field is: a whole number; one with seven significant digits; hexadecimal digits; flags, read as a text of 0 and 1 with bit 0 in
front; a length of time, read as seconds; a date and time; a text, without blanks around it. yes: a name of `rows` that is true or false."""


class Fields(dict[str, Any]):
    """Values by the name of their field; None for a field that is not there, is empty, or cannot be read."""

    def __missing__(self, name: str) -> None:
        return None


class Record(NamedTuple):
    """A record with all of its parts. one: the fields that occur once; many: the sections that may occur more often, by name."""

    one: Fields
    many: Mapping[str, Sequence[Fields]]


@frozen()
class RecordForm:
    """What a record holds."""

    record: str
    """Type and subtype, as 70.1."""
    single: tuple[str, ...]
    """Sections that occur once: their fields are those of the record."""
    several: tuple[str, ...]
    """Sections that may occur more often."""
    fields: Mapping[str, Kind]
    """The kind of each field, and of names that `RecordRows.rows` gives where it is no number. Another field is not read, and named among what is
    not read."""
    vectors: tuple[str, ...] = ()
    """Sections that are lists of numbers, each a `Fields` with its numbers as vector. 0xFFFFFFFF is infinite."""

    @property
    def prefix(self) -> str:
        """What the names of the product section begin with."""
        return f"smf{self.record.partition('.')[0]}"

    @property
    def product(self) -> str:
        """The product section, which every record has; empty for forms without one."""
        return next((name for name in self.single if name == f"{self.prefix}pro"), "")


@frozen()
class RecordRows:
    """The rows of one table from one form of record."""

    form: RecordForm
    table: str
    rows: Callable[[Record], Iterable[Mapping[str, Any]]]
    """The rows of a record: the names of each, for the formulas of the columns."""
    once: bool = False
    """Several records say the same: rows of equal values are one."""


def kinds(prefix: str = "", **names: str) -> dict[str, Kind]:
    """Names of fields by their kind, each without what all begin with.

    >>> kinds("smf70", number="cid typ", duration="wat")
    {'smf70cid': 'number', 'smf70typ': 'number', 'smf70wat': 'duration'}
    """
    return {prefix + name: kind for kind, some in names.items() for name in some.split()}  # type: ignore[misc]


def total(sections: Iterable[Mapping[str, Any]], name: str) -> float | None:
    """The sum of a field; None without sections, or if one has no value."""
    values = [section[name] for section in sections]
    return sum(values) if values and None not in values else None


def is_on(flags: str | None, *bits: int) -> bool | None:
    """Whether any of these bits is on; bit 0 is the leftmost. None where it is not known.

    >>> is_on("01000000", 1), is_on("01000000", 0), is_on(None, 0), is_on("01000000", 8)
    (True, False, None, None)
    """
    if flags is None or max(bits) >= len(flags):
        return None
    return any(flags[bit] == "1" for bit in bits)
