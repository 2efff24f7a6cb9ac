"""Places: where on a page the value of a `Column` is printed.

Kinds of line are terminals of the report's grammar. Patterns are regular expressions with one group, which is the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..frozen import frozen


@frozen()
class Cell:
    """A labelled cell of a block."""

    group: str
    """The title over the cells, as TRANS-TIME."""
    label: str
    """The first word of the cell, such as AVG."""
    under: str = ""
    """A sub-column title within the group (TRANS-APPL%: CP)."""
    decimals: int | None = None
    """As `Column.decimals`, of this cell: other releases print the column in another group with others."""


@frozen()
class Under:
    """A cell under a title."""

    title: str
    """The first words of the title; stacked lines are joined by one blank."""
    group: str = ""
    """A dashed title that spans the column; needed if several columns have the same title."""
    pattern: str = ""
    """Selects part of the cell by its one group. Columns that share a cell must together read all of it."""
    line: str = ""
    """The kind of line of the cell; default: any kind of row of the table."""
    reach: Literal["own", "above", "below"] = "own"
    """Which line of that kind: the row's own, the nearest above, or any below."""
    fill: Literal["", "down"] = ""
    """`down`: a blank cell takes the value of the nearest row above in its panel."""
    rows: tuple[str, ...] = ()
    """Only rows of these kinds have the value."""
    until: tuple[str, ...] = ()
    """With `reach="above"` or `fill`: a line of these kinds closes the group; rows below it do not have the value."""
    width: int = 0
    """Width of the cell from the start of its title, if the title is narrower."""
    around: int = 0
    """Width of the cell, if its title is centred over it."""
    whole: bool = False
    """The title has no words more (another begins with these) and, without `group`, stands under no group (another has the same words)."""
    label: str = ""
    """Only lines with this label in front of their cells have the value (see `SideBySide`). It goes to the nearest row at or
    above."""
    nth: int = 0
    """Of several columns with this title and group: which, counted from 1 at the left. Only in a layout that lists all its titles
    (`Columns.titles`)."""


@frozen()
class Var:
    """A named value of an XML document (see files/xml_lines.py); it is one of the page, for all rows of it."""

    part: str
    """The title of its part; of a part without one, that of the segment."""
    name: str
    """The name, or the first cell of a row."""
    pattern: str = ""
    """Selects part of the value by its one group."""
    words: tuple[tuple[str, str], ...] = ()
    """Texts of the document, and what each is called in print. Another text is rejected."""
    cell: int = 0
    """Which cell behind the name it is, from 0."""
    of: int = 1
    """How many cells are behind the name. A row with more or fewer is rejected."""
    seen: bool = True
    """False: no document is published. The name is from public code that reads it."""


@frozen()
class Col:
    """A cell of a row of an XML document."""

    heading: str
    """The whole heading of its column."""
    pattern: str = ""
    """Selects part of the cell by its one group. Columns that share a cell must together read all of it."""
    words: tuple[tuple[str, str], ...] = ()
    """Texts of the document, and what each is called in print. Another text is rejected."""
    line: str = ""
    """The kind of line of the cell; default: any kind of row of the table."""
    optional: bool = False
    """Documents of older releases lack the heading. Without another heading, the rows below are rejected once."""
    seen: bool = True
    """False: no document is published. The place is from public code that reads it."""


@frozen()
class Smf:
    """A value of an SMF record (see records.py)."""

    formula: str
    """An SQL expression over names of the row. What divides by zero, or needs a field that is not there, has no value."""


@frozen()
class Field:
    """A free-form cell: a pattern on a line."""

    line: str
    """The kind of line: the nearest above the row, or the row's own."""
    pattern: str
    """Its one group is the value."""
    follows: bool = False
    """The line stands at or below the row's first line instead."""
    panel: bool = False
    """Look only at the part of the line over the row's own panel."""
    first: str = ""
    """With `panel`: only panels whose first title this is."""
    optional: tuple[str, ...] = ()
    """Rows below the first of these kinds may have no value. Rows below one of the others are rejected without it."""


@frozen()
class Labelled:
    """The value behind a label on a line of pairs (`Label . . . . : value`)."""

    label: str
    """In capitals, its words a blank apart. The printed label may be in any case."""
    unit: str = ""
    """What is printed right behind the number. A value without it is a reject: it may be cut."""
    pattern: str = ""
    """Of a text: the whole of it, as its one group. Another text is a reject."""


@frozen()
class LineParser:
    """A function that parses whole lines; called once per distinct text of these lines."""

    lines: tuple[str, ...]
    """The kinds of line that the function gets: of each the nearest above the row."""
    read: Callable[..., dict[str, Any]]
    """`read(texts, options)` gets a text or None per kind, and returns the values by name. It gives N/A and the like as
    printed. It may raise `errors.Unreadable` with the values that it could read."""
    more: tuple[str, int] = ("", 0)
    """A text that may end the line, and the column that it reaches. In a file whose lines were cut left of this column, the text may be lost
    behind a line that can have it: the function then gets the line with = behind it. Of other parsers, values are left out that a longer
    line would change."""
    follows: bool = False
    """All lines but page lines stand at or below the row's first line instead."""


@frozen()
class Parsed:
    """A value returned by a `LineParser`."""

    parser: LineParser
    name: str = ""
    """The value's name in the result. Default: the column's name."""


@frozen()
class Gathered:
    """The sorted distinct values of another column over all pages of the same interval, joined by commas."""

    sources: tuple[tuple[str, str], ...]
    """(table, column): the first of these with any value is used."""
    option: str
    """The ingest option that is used where none has a value."""
    leave_out: tuple[str, ...] = ()
    """Values that are totals, not members."""


@frozen()
class Spread:
    """The row's cells that no column of the declaration claims become rows of their own."""

    group: str
    """The column for the title that spans the cell's column; empty for none."""
    title: str
    """The column for the title of the cell's column."""
    value: str
    """The column for the cell's value."""
    after: str = ""
    """The title of the last column that is not spread. Where a heading lacks it, nothing is spread."""
    blanks: bool = False
    """A blank cell is a row too, with the value NULL."""
    filled: int | None = None
    """A row fills all these columns, or only the first ones, this many: another is not read. None: it may fill any."""
    groups: tuple[str, ...] = ()
    """All titles that span columns: below another nothing is read. Without an empty one, nor is a column below none that has no % itself."""


@frozen()
class Constant:
    """The same value on each row."""

    value: Any
    lines: tuple[str, ...] = ()
    """Only rows that begin on a line of these kinds have it."""
    where: Field | None = None
    """Only rows for which this is printed have it."""


@frozen()
class Counter:
    """A part of a row of `CounterBlocks`, `Entries` or a `Listing`, where a row is one number or text on the page.

    title: of the row's block. label: of the row. path: the labels that it is indented below, and its own. occurrence: 1, or
    more where a block has the same path again. reason: why the row's first cell has no value (N/A, N/C, N/P). value: the
    text of the row, where it has no columns of numbers. unit: % where it is printed behind the number. key: what an entry
    is of. total: whether the entry adds up others."""

    part: Literal["title", "label", "path", "occurrence", "reason", "value", "unit", "key", "total"]
    read: Callable[[str], Any] | None = None
    """Converts the text; called once per distinct text."""
    of: tuple[str, ...] = ()
    """The titles of columns that this is about. title: only blocks with such a column have it. reason: the column whose
    reason is the row's. value: columns of texts. key: the title of the key, or its word in the ORDER."""


@frozen()
class Occurrence:
    """1; 2, 3, … for a row directly below one of the same section and panel that is equal in the columns `of`. Part of a key whose printed
    values are rounded. It depends on equal neighbours only: a lost row does not renumber those that differ from it."""

    of: tuple[str, ...]
    """Columns declared before this one. A row without a number in one of them begins a new row; texts may be NULL."""


Place = Cell | Under | Var | Col | Smf | Field | Labelled | Parsed | Gathered | Constant | Counter | Occurrence


_NOT_SEEN = " (name from public code, no page seen)"


def describe_place(place: Place) -> str:
    """A place in words, for the column reference.

    >>> describe_place(Cell("APPL %", "CP"))
    'APPL %: CP'
    """
    match place:
        case Cell(group, label, under):
            return f"{group}: {label}" + (f" under {under}" if under else "")
        case Under(title, group, label=label, nth=nth):
            said = (f"{label} " if label else "") + (f"under {group} {title}" if group else f"under {title}")
            return said + (f", {nth} from the left" if nth else "")
        case Var(part, name):
            return f"XML {part}: {name}{'' if place.seen else _NOT_SEEN}"
        case Col(heading):
            return f"XML column {heading}{'' if place.seen else _NOT_SEEN}"
        case Smf(formula):
            return f"SMF {formula}"
        case Field(line, pattern, _):
            return f"{line} /{pattern}/"
        case Labelled(label):
            return f"labelled {label}"
        case Parsed(parser, _):
            return "from " + ", ".join(parser.lines)
        case Gathered(sources):
            return "gathered from " + ", else ".join(f"{t}.{c}" for t, c in sources)
        case Counter(part):
            return f"{part} of the counter block" if part == "title" else f"{part} of the counter"
        case Occurrence(of):
            return f"counted over equal {', '.join(of)}"
        case Constant(value, lines, where):
            said = [f"at {', '.join(lines)}"] * bool(lines) + [f"where {describe_place(w)}" for w in (where,) if w]
            return f"{value} {' '.join(said)}" if said else f"always {value}"


def may_be_in_xml(place: Place) -> bool:
    """Whether a row of an XML document may have its value from this place."""
    match place:
        case Var() | Col() | Gathered() | Occurrence():
            return True
        case Parsed(parser):
            return any(line.startswith("XML_") for line in parser.lines)
        case Constant(lines=lines, where=where):
            return where is None and (not lines or any(line.startswith("XML_") for line in lines))
    return False
