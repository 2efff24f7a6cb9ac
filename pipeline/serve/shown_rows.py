"""Rows of an answer as cells of a page, with links to the printed lines that they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa

from ..errors import UsageError
from ..output.lines import MOST_ITEMS_SHOWN, is_number
from ..output.values import shown, values

_LONGEST_TEXT = 160
# The most Arrow data of some rows: ten times as much as values of Python.
_MOST_BYTES = 32 << 20
_MOST_PLACES = 20
_PLACE = ("source_id", "page", "line")


@dataclass(frozen=True)
class Shown:
    """A cell: its text, the link to its printed line if it has one, and whether it is a number."""

    text: str
    link: str = ""
    is_number: bool = False


@dataclass(frozen=True)
class ShownRow:
    """A row: the link to its line and the words for it (empty without one), and its cells."""

    link: str
    place: str
    cells: list[Shown]


def first_rows(answer: pa.RecordBatchReader, most: int) -> tuple[list[tuple[Any, ...]], bool]:
    """The first rows of an answer, and whether there are more. Raises UsageError for rows that are too large to show."""
    rows: list[tuple[Any, ...]] = []
    for batch in answer:
        part = batch.slice(0, most + 1 - len(rows))
        require_small(part, _MOST_BYTES)
        rows += zip(*values(part), strict=True)
        if len(rows) > most:
            break
    return rows[:most], len(rows) > most


def require_small(batch: pa.RecordBatch, most: int) -> None:
    """Raise UsageError for rows that Python could not hold beside those of others."""
    if batch.get_total_buffer_size() > most and batch.nbytes > most:
        raise UsageError(f"{batch.num_rows:,} rows take {batch.nbytes >> 20:,} MB", "shorter lists and texts")


def shown_rows(schema: pa.Schema, rows: Sequence[tuple[Any, ...]], of: str = "") -> list[ShownRow]:
    """Rows of a table or view `of`, or of a query."""
    numeric = [is_number(t) for t in schema.types]
    out = []
    for row in rows:
        places = _places(schema.names, row)
        link = _link(of, places) if places else ""
        cells = [
            Shown(_text(value), f"{link}&{urlencode({'column': name})}" if link and of_number and value is not None else "", of_number)
            for name, of_number, value in zip(schema.names, numeric, row, strict=True)
        ]  # fmt: skip
        more = f" + {len(places) - 1:,}" if len(places) > 1 else ""
        out.append(ShownRow(link, f"p {places[0][1]}, l {places[0][2]}{more}" if places else "", cells))
    return out


def _places(names: Sequence[str], row: tuple[Any, ...]) -> list[tuple[str, int, int]]:
    """Where a row is printed: its own place, or those of the rows that it is made of."""
    of = dict(zip(names, row, strict=True))
    given = [of.get(name) for name in _PLACE]
    found = [dict(zip(_PLACE, given, strict=True))] if None not in given else []
    for value in row:
        items = value if isinstance(value, list) else [value]
        found += [item for item in items if isinstance(item, dict) and {*_PLACE} <= item.keys()]
    places: list[Any] = [(each["source_id"], each["page"], each["line"]) for each in found]
    return [
        *dict.fromkeys(p for p in places if isinstance(p[0], str) and isinstance(p[1], int) and isinstance(p[2], int))
    ]


def _link(of: str, places: Sequence[tuple[str, int, int]]) -> str:
    (source, page, line), *others = places[: _MOST_PLACES + 1]
    also = [":".join(map(str, each)) for each in others]
    named = {"of": of} if of else {}
    return "printed?" + urlencode({"source": source, "page": page, "line": line, **named, "also": also}, doseq=True)


def _text(value: Any) -> str:
    text = shown(value, MOST_ITEMS_SHOWN)
    return (
        text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}… {len(text) - _LONGEST_TEXT:,} characters more"
    )
