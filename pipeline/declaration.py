"""The declaration language: a report is declared once; reading, schema, documentation, checks and axes are derived.

A `Report` names its banner and its tables. A `Table` says which kind of line begins a row, and a `Column` says what a
value is and where its cell stands. Line kinds are the terminals of the report's grammar; a value that is not on the
row's own lines is taken from the nearest line of the named kind above, within the same section of the same page (or of
the pages that it continues on).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal

import pyarrow as pa

from .rules import Rule, Severity

# Declarations are compared by identity: each is made once, and they are looked up often.

# --- Types: what a value is. `reader` names the converter in values.py. -------------------------------------------


@dataclass(frozen=True)
class Type:
    """A column type: its Arrow type, its unit as shown to people, the converter of printed cells, its valid range, and how grave
    a value `beyond` that is; above `most` it is an error."""

    name: str
    arrow: pa.DataType
    reader: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    beyond: Severity = "error"
    most: float | None = None


# Names and descriptions repeat on every row of a class: dictionaries keep batches small and Parquet quick to write.
REPEATED_TEXT = pa.dictionary(pa.int32(), pa.string())


def text() -> Type:
    return Type("text", REPEATED_TEXT, "text")


def count(unit: str = "") -> Type:
    """A whole number; K, M and G stand for thousands, millions and thousand millions."""
    return Type("count", pa.int64(), "count", unit, minimum=0)


def number(unit: str = "", minimum: float | None = 0) -> Type:
    return Type("number", pa.float64(), "number", unit, minimum=minimum)


def percent(maximum: float | None = 100) -> Type:
    return Type("percent", pa.float64(), "number", "%", minimum=0, maximum=maximum)


def time_percent() -> Type:
    """A share of a time, of which two clocks measured the parts: a little above 100 it may be printed so, far above it cannot be."""
    return Type("percent", pa.float64(), "number", "%", minimum=0, maximum=100, beyond="warn", most=110)


def engine_percent() -> Type:
    """Percent of one engine, as RMF prints APPL %: ten engines can reach 1000."""
    return Type("percent", pa.float64(), "number", "% of one engine", minimum=0)


def seconds() -> Type:
    return Type("number", pa.float64(), "number", "s", minimum=0)


def milliseconds() -> Type:
    return Type("number", pa.float64(), "number", "ms", minimum=0)


def per_second() -> Type:
    return Type("number", pa.float64(), "number", "1/s", minimum=0)


def clock() -> Type:
    """A time printed as HHH.MM.SS.fraction with leading zero units left out; in seconds. A bare integer counts units of
    the fraction that the column's heading names (TTT milliseconds, FFFFFF microseconds)."""
    return Type("clock", pa.float64(), "clock", "s", minimum=0)


def amount() -> Type:
    """A counter's value: a number as `number` reads it, or a length of time printed with colons (3:16.215480), in
    seconds."""
    return Type("number", pa.float64(), "amount")


def duration() -> Type:
    """A length of time printed as seconds with decimals, or with colons between hours, minutes and seconds."""
    return Type("number", pa.float64(), "amount", "s", minimum=0)


def storage() -> Type:
    """A storage size; K, M and G stand for powers of 1024."""
    return Type("storage", pa.int64(), "storage", "bytes", minimum=0)


def bound() -> Type:
    """The upper bound of a bucket, printed as <= or < and a clock; NULL for the bucket above the last bound."""
    return Type("bound", pa.float64(), "bound", "s", minimum=0)


def hours_minutes_seconds() -> Type:
    """A length of time printed as hh.mm.ss; in seconds."""
    return Type("hours_minutes_seconds", pa.float64(), "hours_minutes_seconds", "s", minimum=0)


def timestamp() -> Type:
    return Type("timestamp", pa.timestamp("us"), "timestamp", "local time")


def flag() -> Type:
    """True where the cell's text is one of the column's `allowed` texts, false where it is another."""
    return Type("flag", pa.bool_(), "flag")


def line_number() -> Type:
    return Type("count", pa.int64(), "count", minimum=1)


# --- Where a cell stands. -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A labelled cell of a block: under the group title `group`, on the row that begins with `label`. Where a group has
    sub-columns (TRANS-APPL%), `under` names the one."""

    group: str
    label: str
    under: str = ""


@dataclass(frozen=True)
class Under:
    """A cell under a heading. `title` is the first words of the heading, those of stacked lines joined by one blank;
    `group` is the dashed title that spans it, where several columns have the same title. `pattern` picks a part of the
    cell by its one group (columns that share a cell must together read it). `line` is the kind of line that the cell
    stands on; `reach` says which: the row's "own" line, the nearest "above" (for `rows` of these kinds alone, if any are
    named), or any "below"; "carried" is the row's own or, where that is blank, the one of the nearest row above in its panel. A cell may take `width` positions from where its title begins, where the title is narrower, or `around`
    stands on; `reach` says which: the row's "own" line, the nearest "above", or any "below". Where `rows` are named, only
    rows of these kinds have the value. `label`: the cell counts only on lines with this label (see `Heading.labelled`);
    it goes to the nearest row at or above. A cell may take `width` positions from where its title begins, where the title is narrower, or `around`
    positions where its title is centred over it."""

    title: str
    group: str = ""
    pattern: str = ""
    line: str = ""
    reach: Literal["own", "above", "below", "carried"] = "own"
    width: int = 0
    rows: tuple[str, ...] = ()
    around: int = 0
    label: str = ""


@dataclass(frozen=True)
class Field:
    """A free-form cell: the one group of `pattern` on a line of kind `line`. With `follows`, the line stands below the
    row's first line instead of above it; with `panel`, only the row's own panel of the line is looked at. With `optional`, a
    row may lack it only where the nearest line above of these kinds is of the first; other rows are left out without it."""

    line: str
    pattern: str
    follows: bool = False
    panel: bool = False
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labelled:
    """The value behind a label on lines of `Label . . . . : value` pairs, one or several a line. `label` is in capitals,
    its words a blank apart; the printed one may be in any case."""

    label: str


@dataclass(frozen=True, eq=False)
class Reading:
    """Values worked out from whole lines by `read`, once per distinct text of these lines, not once per row.

    `read(texts, options)` gets a text or None per kind in `lines` and returns the values by name; N/A and the like are
    given as printed. It may raise `errors.Unreadable` with the values it could read. With `follows`, all but
    page lines stand at and below the row's first line instead of above it."""

    lines: tuple[str, ...]
    read: Callable[..., dict[str, Any]]
    follows: bool = False


@dataclass(frozen=True)
class From:
    """The value called `name` (default: the column's own name) of a `Reading`."""

    reading: Reading
    name: str = ""


@dataclass(frozen=True)
class Gathered:
    """The sorted distinct values of a column, joined by commas, over all pages that name the same interval; the first of
    `sources` (table, column) with any value serves, else the ingest option called `option`. Values in `leave_out` are
    totals, not members."""

    sources: tuple[tuple[str, str], ...]
    option: str
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spread:
    """The row's cells that no column of the declaration claims become rows: the title that spans the column, its own
    title, the cell's value, in the columns called `group` (if there is one), `title` and `value`. `after` is the title of
    the last column that is not spread: where a heading lacks it, its columns are not known and none is spread. With
    `blanks`, a cell that is blank is a row too, its value NULL."""

    group: str
    title: str
    value: str
    after: str = ""
    blanks: bool = False


@dataclass(frozen=True)
class Constant:
    """The same value on each row that begins on a line of these kinds, and for which `where` is printed, if given."""

    value: Any
    lines: tuple[str, ...] = ()
    where: Field | None = None


@dataclass(frozen=True)
class Counter:
    """A part of a row of a counter block (Heading style "counters"): "title" of its block (with `of`, only where the block has a
    column under one of these titles), "label" of the row, "path" of
    the labels that it is indented below, "occurrence" (1, or more where a block has the same path again), the
    "reason" that the row's first cell states for having no value (that under one of the titles `of`, if the block has
    one), the "value" that is text (behind the colon of its label in a block that has no columns; under titles `of`; as a number only where it is one), or the "unit" (%) printed behind its number; of entries (style "entries") the "key" that the order
    calls by the word `of`, and "total" where the entry adds up others. With `read`, what that function makes of the text, once a distinct text."""

    part: Literal["title", "label", "path", "occurrence", "reason", "value", "unit", "key", "total"]
    read: Callable[[str], Any] | None = None
    of: tuple[str, ...] = ()


Place = Cell | Under | Field | Labelled | From | Gathered | Constant | Counter


@dataclass(frozen=True, eq=False)
class Column:
    """One column. `at` is a place or several alternatives (releases print the same value under different titles). `resolution`:
    a column beside it says what the last printed digit is worth, cell by cell. A row without a value that is `needed` is left out and
    told, but for those of an excerpt that begins below what names its rows."""

    name: str
    type: Type
    at: Place | tuple[Place, ...] | None = None
    doc: str = ""
    nullable: bool = True
    needed: bool = False
    minimum: float | None = None
    maximum: float | None = None
    allowed: tuple[str, ...] = ()
    resolution: bool = False

    @property
    def places(self) -> tuple[Place, ...]:
        if self.at is None:
            return ()
        return self.at if isinstance(self.at, tuple) else (self.at,)

    @property
    def range(self) -> tuple[float | None, float | None]:
        low = self.type.minimum if self.minimum is None else self.minimum
        high = self.type.maximum if self.maximum is None else self.maximum
        return low, high


@dataclass(frozen=True, eq=False)
class Table:
    """`rows` are the line kinds that begin a row; `grain` says in words what one row is; `key` names the columns whose
    values say which fact a row is, whatever file printed it. `rules`: what must agree among the values (see rules.py)."""

    name: str
    grain: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    spread: Spread | None = None
    doc: str = ""
    rules: tuple[Rule, ...] = ()

    @cached_property
    def all_columns(self) -> tuple[Column, ...]:
        """The declared columns, each resolution behind its column, and the provenance that every table carries."""
        out: list[Column] = []
        for column in self.columns:
            out.append(column)
            if column.resolution:
                doc = f"What one unit of the last printed digit of {column.name} is worth (1000 where a K is printed)."
                out.append(Column(f"{column.name}_resolution", number(column.type.unit), doc=doc))
        return (*out, *PROVENANCE)

    def column(self, name: str) -> Column:
        return next(c for c in self.all_columns if c.name == name)

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow schema; every field's metadata carries unit, description and the place on the page."""
        fields = []
        for c in self.all_columns:
            meta = {"unit": c.type.unit, "description": c.doc, "place": "; ".join(describe_place(p) for p in c.places)}
            meta = {k: v for k, v in meta.items() if v}
            fields.append(pa.field(c.name, c.type.arrow, nullable=c.nullable, metadata=meta))
        return pa.schema(fields, metadata={"table": self.name, "grain": self.grain, "key": ",".join(self.key)})


@dataclass(frozen=True, eq=False)
class Heading:
    """Which kinds of line are the heading of which kinds of row, and how its cells are found.

    A heading is the nearest run of `lines` above a row. style "block": `rows` hold labelled cells under group titles.
    style "columns": cells stand under the stacked titles. style "pairs": `rows` hold labels and values, and have no heading
    lines; the nearest line above that begins a row of the section says whose they are. style "counters": `lines` are a line of
    titles and a line of dashes that gives the exact extents of the columns; each block has its title over the labels of its
    rows and a title (any `Under`) over each of its numbers (with `digits`), and several blocks, with other titles, may stand side by side. A
    row of a table is a label and its numbers; labels are not declared, one that is indented belongs to the one above it, and
    a block goes on where its title comes again for the same interval. Where all its columns have one title, a label names a
    value in each (LC01-LC04). style "entries": an entry takes several lines, of which
    each has a line of titles, above one line of dashes (see entries.py); `order` picks the words for its keys off a page line,
    joined by -, and `title` stands for the title that the block lacks; places are `Under("#*")`, titles that begin with #, and
    `Under("*")`, all others, both with the rows as `line`. style "listing": texts and numbers stand under titles, as many lines an entry as
    there are lines of titles (see listings.py); places, `title` as for entries. Where there are several, the column whose
    title matches `opening` holds a time of day on the first line of an entry, and on it alone. An entry takes the keys that it
    does not print from the one above it whose lines are of the kinds `within`. `above` are kinds that belong to the run and name no column.
    `panels`: tables stand side by side; each panel is a row of its own. Where a rule among the lines has gaps, it says how
    far each reaches; else a panel begins where the first column's title comes again, and where titles named here follow
    each other. `together`: patterns of titles of several words that hold a name. `switch` is a title
    that stands inside a block's last column and begins another group there (-PAGE-IN RATES-). `open`: words of the
    heading that no column names are not reported (free text shares the line). `depth`: how many lines
    it has at least; with fewer it is damaged. `ignored`: patterns of titles over what is deliberately not read there (row labels, bar graphs).
    `digits`: titles may hold digits, which elsewhere are values beside them. `adrift`: where titles of spread columns
    cannot be right as printed, they may have lost up to so many blanks in front (see adrift.py). `any_case`: titles are declared in capitals
    and printed in any case.
    `labelled`: (title, group) of the first column of each of several tables side by side whose lines are told by a label in
    front of that cell. `aside`: patterns of texts that stand among or beside the cells and are no value of their column.
    """

    lines: tuple[str, ...]
    rows: tuple[str, ...]
    style: Literal["block", "columns", "pairs", "counters", "entries", "listing"] = "columns"
    above: tuple[str, ...] = ()
    panels: bool | tuple[tuple[str, ...], ...] = False
    together: tuple[str, ...] = ()
    switch: tuple[str, ...] = ()
    open: bool = False
    ignored: tuple[str, ...] = ()
    depth: int = 1
    digits: bool = False
    adrift: int = 0
    any_case: bool = False
    labelled: tuple[tuple[str, str], ...] = ()
    aside: tuple[str, ...] = ()
    order: Field | None = None
    title: str = ""
    opening: str = ""
    within: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """One print report. `doc` is what it is and where it is described.

    How its pages are known: `banner` is the letter-spaced title with all blanks removed. Reports without such a title name
    by `page_top` the line that begins their pages and by `title` a line among the first of these that only they have;
    logs, which have no pages, name no `page_top`, and by `title` a line that shows whose they are where the lines that begin
    their sections are lost. In these two, patterns hold for any case if they begin with (?i), and look at
    nothing around them. `any_title` picks, by its one group, the title off the first lines of a page that begins so and is
    of no known report: it is counted by that.

    `sections` are the line kinds that begin a section; what a section's lines say holds to its end, and beyond a page
    break where the section goes on. `page_lines` stand at the top of a page and hold for that page; the lines of
    `interval` among them name the interval: where these differ from the page before, no section goes on. Those of `carried`
    hold as well for pages that go on with a section and lack them; where they differ, no section goes on either. Nor does
    one of which a line of a kind in `closing` was printed. A line of a kind in `entries` ends what the page lines say that
    stand below the one before it on the page; so do titles of counters that come again without one. Lines of the kinds `once` come at most once below the page lines, and in that
    order: one that comes again, or after a later one, stands below page lines that are lost. `unread` names what is recognised
    and not read: the name of a section, and the kinds of its lines (see unread.py); `unread_parts` names
    what is not read on lines that are read otherwise, each with a pattern of its text. Where a page and the one before it have
    numbers, on lines of the kinds `numbered`, that leave out some, a page between is missing, and no section goes on.
    """

    name: str
    tables: tuple[Table, ...]
    sections: tuple[str, ...]
    page_lines: tuple[str, ...]
    interval: tuple[str, ...]
    headings: tuple[Heading, ...] = ()
    carried: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread_parts: Mapping[str, str] = field(default_factory=dict)
    numbered: tuple[str, ...] = ()
    banner: str = ""
    page_top: str = ""
    title: str = ""
    any_title: str = ""
    doc: str = field(default="", compare=False)

    def table(self, name: str) -> Table:
        return next(t for t in self.tables if t.name == name)


PROVENANCE = (
    Column("source_id", text(), doc="The source: a digest of its uncompressed bytes, reading options and reader."),
    Column("source_file", text(), doc="The file's name as it was given."),
    Column("page", line_number(), doc="Page of the file, counted from 1 (the printed number starts anew in a file)."),
    Column("line", line_number(), doc="Line of the file that the row begins on, counted from 1."),
)


def describe_place(place: Place) -> str:
    """A place in words, for the column reference.

    >>> describe_place(Cell("APPL %", "CP"))
    'APPL %: CP'
    """
    match place:
        case Cell(group, label, under):
            return f"{group}: {label}" + (f" under {under}" if under else "")
        case Under(title, group, label=label):
            return (f"{label} " if label else "") + (f"under {group} {title}" if group else f"under {title}")
        case Field(line, pattern, _):
            return f"{line} /{pattern}/"
        case Labelled(label):
            return f"labelled {label}"
        case From(reading, _):
            return "from " + ", ".join(reading.lines)
        case Gathered(sources):
            return "gathered from " + ", else ".join(f"{t}.{c}" for t, c in sources)
        case Counter(part):
            return f"{part} of the counter block" if part == "title" else f"{part} of the counter"
        case Constant(value, lines, where):
            said = [f"at {', '.join(lines)}"] * bool(lines) + [f"where {describe_place(w)}" for w in (where,) if w]
            return f"{value} {' '.join(said)}" if said else f"always {value}"


@cache
def reports() -> dict[str, Report]:
    """All reports, discovered by module name; there is no list to keep."""
    package = importlib.import_module("ironlake.parsers")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
    return {name: importlib.import_module(f"ironlake.parsers.{name}").REPORT for name in names}


@cache
def tables() -> dict[str, Table]:
    """Every table of every report, of studies and of the bookkeeping, by name."""
    from .bookkeeping import TABLES as BOOKKEEPING
    from .study_tables import COMPUTED
    from .study_tables import TABLES as STUDIES

    out = {t.name: t for report in reports().values() for t in report.tables}
    return out | {t.name: t for t in (*STUDIES, *COMPUTED, *BOOKKEEPING)}
