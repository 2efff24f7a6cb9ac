"""The declaration language: a report is declared once; reading, schema, documentation, checks and axes are derived.

A `Report` names its banner, its tables and how they are printed (layouts.py). A `Table` says which kind of line begins a row,
and a `Column` says what a value is and where its cell stands (places.py). Line kinds are the terminals of the report's
grammar; a value that is not on the row's own lines is taken from the nearest line of the named kind above, within the same
section of the same page (or of the pages that it continues on).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import field
from functools import cache, cached_property

import pyarrow as pa

from ..errors import UsageError
from ..frozen import frozen
from ..plugins import line_with, own_errors, own_files
from .columns import shared
from .layouts import TableLayout
from .once import Once
from .places import Field, Place, Smf, Spread, describe_place, may_be_in_xml
from .records import RecordRows
from .rules import Rule, Severity

# Declarations are compared by identity: each is made once, and they are looked up often.

# Units of time; 1/s and MSU/h are none.
_TIMES = ("s", "ms", "us", "µs", "min", "h")

# --- Types: what a value is. --------------------------------------------------------------------------------------


@frozen()
class Type:
    """A column type."""

    name: str
    arrow: pa.DataType
    reader: str
    """The converter of printed cells, in values.py."""
    unit: str = ""
    """As shown to people."""
    minimum: float | None = None
    maximum: float | None = None
    beyond: Severity = "error"
    """Severity of a value outside the range."""
    most: float | None = None
    """A value above it is an error in any case."""

    @property
    def may_have_suffix(self) -> bool:
        """Whether a letter may stand for thousands and more: of counts, sizes and rates, not of shares and times."""
        return self.reader in ("count", "storage", "number", "amount") and not (
            self.unit.startswith("%") or self.unit in _TIMES
        )


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
    """A share of a time whose parts come from two clocks: slightly above 100 is a warning, far above an error."""
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
    """A time printed as HHH.MM.SS.fraction without leading zero units; in seconds. A bare integer counts units of
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


# --- Columns, tables, reports. ----------------------------------------------------------------------------------------


@frozen()
class Column:
    """One column of a table."""

    name: str
    type: Type
    at: Place | tuple[Place, ...] | None = None
    """The place of the value, or several alternatives: releases print the same value under different titles."""
    doc: str = ""
    nullable: bool = True
    """False: rows without a value are rejected."""
    needed: bool = False
    """The same, except for rows of an excerpt that begins below the lines that name its rows."""
    needed_on: tuple[str, ...] = ()
    """The same, for rows that begin on lines of these kinds."""
    filled: bool = False
    """Published pages print it on every row: a row without a value marks its page, which may have lost a cell."""
    minimum: float | None = None
    maximum: float | None = None
    allowed: tuple[str, ...] = ()
    """The texts that the column may have; of a flag, those that mean true."""
    resolution: bool = False
    """A second column holds the value of one unit of the last printed digit, cell by cell."""
    between: tuple[str, str] | None = None
    """The columns of the times that this length lies between."""
    not_after: str = ""
    """The column of a time that this one is not after."""
    decimals: int | None = None
    """How many decimals its cells print, as published pages do; large numbers may print fewer, and documents in XML other ones. Another number
    is not read: it may have lost digits. Needed in a layout with `whole_rows` that has no pattern for its cells. Without it, the numbers of a page are
    compared with each other (reading/rust/src/alike.rs)."""
    digits: int = 0
    """How many digits fill its cells: of `decimals` fewer are printed only by a number of that many digits. 0: see reading/rust/src/numbers.rs, has_decimals."""
    decimals_vary: bool = False
    """Pages print more and fewer decimals in one column, or it is a site's own: nothing is compared."""

    suffixed: bool = False
    """Its numbers may end with K, M or G though it has no `resolution`. (Sizes and amounts may in any case.)"""

    @property
    def description(self) -> str:
        """`doc`; of a column without it what is said of all columns of its name, as a sentence."""
        return self.doc or (shared()[self.name].sentence if self.name in shared() else "")

    @property
    def may_have_suffix(self) -> bool:
        """Whether published pages print its numbers with K, M or G."""
        is_size = self.type.reader in ("storage", "amount") or self.type.unit.startswith("bytes")
        return self.type.may_have_suffix and (is_size or self.resolution or self.suffixed)

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


@frozen()
class Table:
    """One table of a report."""

    name: str
    grain: str
    """What one row is, in words."""
    rows: tuple[str, ...]
    """Kinds of line that begin a row."""
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """Columns that identify a row, independent of the file."""
    spread: Spread | None = None
    """Cells without a declared column become rows."""
    hollow: tuple[str, ...] = ()
    """Columns. A line without a value of any of them begins no row: it is one of another table beside this one."""
    in_parts: bool = False
    """Several pages of one key may print the columns of a row. Titles among `rows` begin a row where labelled values follow them."""
    doc: str = ""
    order: tuple[str, str] | None = None
    """Columns whose rows stand in this order below the row that names a group: where a row of the first follows one of the
    second, the row that named another group is lost."""
    rules: tuple[Rule, ...] = ()
    """Consistency rules (see rules.py)."""
    blank_on: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Kinds of row, and the columns that published pages never print on them: a value there is one of the column beside."""
    filled_together: tuple[tuple[str, ...], ...] = ()
    """Columns of numbers, or of the text that names them: every row fills all of a group, as far as its heading has them, or none. Another row is not read."""
    named_by: tuple[str, ...] = ()
    """Every row with numbers has a text in one of these columns, as far as its heading has them. Another row is not read."""
    keys_once: bool = False
    """No page prints a key twice: a row that does stands below the heading of another, and is told."""
    covers: bool = True
    """Whether its rows tell which intervals the report was printed for. False: another table has them too, or they measure nothing."""

    once: Once | None = None
    """How prints of one key become one row of the view once_<name>. None: there is no such view."""
    role: str = ""
    """What modules that name no table know it by: processors, partitions, classes, simulator or jmh."""

    @cached_property
    def all_columns(self) -> tuple[Column, ...]:
        """The declared columns, each resolution behind its column, and the provenance that every table carries."""
        out: list[Column] = []
        for column in self.columns:
            out.append(column)
            if column.resolution:
                doc = f"The value of one unit of the last printed digit of {column.name} (1000 if a K is printed)."
                out.append(Column(f"{column.name}_resolution", number(column.type.unit), doc=doc))
        return (*out, *PROVENANCE)

    def column(self, name: str) -> Column:
        return next(c for c in self.all_columns if c.name == name)

    @cached_property
    def formulas(self) -> dict[str, str]:
        """By column that SMF records fill, how."""
        places = ((c.name, place) for c in self.columns for place in c.places)
        return {name: place.formula for name, place in places if isinstance(place, Smf)}

    @cached_property
    def only_in_print(self) -> frozenset[str]:
        """Columns that no row of XML has a value of, of a table that has such rows. Resolutions are among them: they are digits of a form."""
        if not any(c.name == "source_form" for c in self.columns):
            return frozenset()
        filled = {c.name for c in self.columns if any(may_be_in_xml(place) for place in c.places)}
        return frozenset(c.name for c in self.all_columns if c.name not in filled and c not in PROVENANCE)

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow schema; every field's metadata carries unit, description and the place on the page."""
        fields = []
        for c in self.all_columns:
            meta = {
                "unit": c.type.unit,
                "description": c.description,
                "place": "; ".join(describe_place(p) for p in c.places),
            }
            meta = {k: v for k, v in meta.items() if v}
            fields.append(pa.field(c.name, c.type.arrow, nullable=c.nullable, metadata=meta))
        return pa.schema(fields, metadata={"table": self.name, "grain": self.grain, "key": ",".join(self.key)})


@frozen()
class Report:
    """One print report: how its pages are known, its tables, and how what a page says reaches its rows.

    Which lines begin a section, and which stand at the top of a page (page lines), the grammar says (see grammars/common.lark).
    Patterns of `page_top` and `title` hold for any case if they begin with (?i), and look at nothing around them."""

    name: str
    tables: tuple[Table, ...]
    interval: tuple[str, ...]
    """Page lines that name the interval. Where they differ from those of the page before, no section goes on."""
    layouts: tuple[TableLayout, ...] = ()
    """The layouts of the tables: which lines hold cells, and how to find these."""
    records: tuple[RecordRows, ...] = ()
    """The rows of its tables that SMF records give. Pages of a record are of the first report that has its form."""
    suffixes: str = "KMG"
    """Letters that its numbers may end with, as published pages print them: thousands to millions of millions are K, M, G or B, and T."""
    carried: tuple[str, ...] = ()
    """Page lines that hold as well for pages that go on with a section and lack them. Where they differ, no section goes on."""
    systems: tuple[str, ...] = ("system", "applid", "member", "subsystem", "db2_group")
    """Columns that name whose the pages are, the first that a table has: scope, of pages of a list of systems; () of pages of a sysplex."""
    lasting: tuple[str, ...] = ()
    """Page lines of an entry that hold as well for the pages behind it, up to the next entry: as long as pages name the same interval and
    their numbers leave none out."""
    entries_named: Field | None = None
    """Picks off a page line what the entries of the page are named by. Without a line that begins an entry above it, a counter block of
    such a page has lost it."""
    closing: tuple[str, ...] = ()
    """Kinds of row that end a section: behind one, it does not go on over a page break."""
    once: tuple[str, ...] = ()
    """Kinds of line that come at most once on a page. A second one is of another page, whose heading is lost."""
    in_turn: tuple[str, ...] = ()
    """The same, of kinds that come in this order: one that comes after a later one is of another page as well."""
    not_below: tuple[tuple[str | Field, str | Field], ...] = ()
    """(kind of line, other kind), or those with a pattern: no page prints the first below the other. One that stands there is of another page,
    whose heading is lost."""
    one_name: tuple[tuple[Field, ...], ...] = ()
    """Groups of fields that print one and the same name on a page. A line with another name is of another page, whose heading is lost."""
    numbered: tuple[str, ...] = ()
    """Page lines that hold the page's number. Where numbers leave one out, a page is missing, and no section goes on."""
    absent_means_idle: bool = False
    """What did nothing in an interval is not printed. So a page that its numbers leave out is a reject: what it prints is unknown, not 0."""
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sections that are recognised but not read: name, and kinds of line (see unread.py)."""
    unread_parts: Mapping[str, str] = field(default_factory=dict)
    """Unread parts of lines that are read otherwise: name, and a pattern of the text."""
    banner: str = ""
    """The letter-spaced title of every page, with all blanks removed."""
    segments: str = ""
    """A pattern of the titles that its segments have in XML, beside the banner."""
    xml_grammar: str = ""
    """The grammar of its pages in XML, if that of print has not both. Tables and layouts name kinds of line of the two."""
    page_top: str = ""
    """Without a banner: a pattern of the line that begins a page. Logs have none."""
    title: str = ""
    """Without a banner: a pattern of a line that only this report has, among the first of its pages. Of a log, any line that shows
    whose it is where the lines that begin its sections are lost."""
    any_title: str = ""
    """Picks, by its one group, the title off the first lines of a page that begins like this report's and is of none that is
    known. The page is counted under that title."""
    summary: str = ""
    """The report in a few words, for the table of reports in README.md. It says what is from field knowledge alone."""
    doc: str = field(default="", compare=False)
    """What the report is, and where it is described."""

    def table(self, name: str) -> Table:
        return next(t for t in self.tables if t.name == name)


PROVENANCE = (
    Column("source_id", text(), doc="The source: a digest of its uncompressed bytes, reading options and reader."),
    Column("source_file", text(), doc="The file's name as it was given."),
    Column("page", line_number(), doc="Page of the file, counted from 1 (the printed number starts anew in a file)."),
    Column("line", line_number(), doc="Line of the file that the row begins on, counted from 1."),
)


@cache
def reports() -> dict[str, Report]:
    """All reports, discovered by module name; there is no list to keep. Raises UsageError for one of the user that is none, or that has a name
    which is taken."""
    package = importlib.import_module("ironlake.parsers")
    names = sorted({m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")})
    own = {path.stem: path for path in own_files("parsers", "[!_]*.py")}
    found = {name: importlib.import_module(f"ironlake.parsers.{name}").REPORT for name in names if name not in own}
    table_of = {table.name: report.name for report in found.values() for table in report.tables}
    for name, path in own.items():
        if name in found:
            raise UsageError(f"{path}: a report is called {name} already", "another name")
        with own_errors(path):
            report = found[name] = importlib.import_module(f"ironlake.parsers.{name}").REPORT
        for table in report.tables:
            if (other := table_of.setdefault(table.name, name)) != name:
                raise UsageError(
                    f"{line_with(path, table.name)}: {table.name} is a table of {other} already", "another name"
                )
    return {name: found[name] for name in names}
