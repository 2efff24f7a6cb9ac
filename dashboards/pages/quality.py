"""The page of `ironlake check`: broken rules, gaps and rejects of a lake, and an account of every line.

Great Expectations' own pages load scripts from the network; this page is one offline file. Long tables are cut, and say so; the
command prints everything.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ...pipeline.declaration.report import Table as ReportTable
from ...pipeline.declaration.report import reports
from ...pipeline.declaration.rules import Filled, OneOf
from ...pipeline.quality.reject_groups import causes
from ...pipeline.quality.row_checks import rules
from ...pipeline.quality.violations import Violations
from ...pipeline.sql.ask import ask
from ...pipeline.sql.known_tables import tables
from ...pipeline.sql.open_lake import OpenLake
from ...pipeline.words import counted
from ..document import Page, publish
from ..numbers import DASH, number
from ..page_file import Output
from ..parts import Body, Cell, Head, Table, left, left_heads, sources_table
from ..parts import Row as TableRow
from ..references import Reference, Sources, distinct_tails
from .source_tables import found_and_expected, severity_and_rule

Row = dict[str, Any]
# The number of values held to a rule, by table, rule and column.
Judged = Mapping[tuple[str, str, str], int]

_MOST_OF_A_RULE = 20
_MOST_ROWS = 500
_MOST_CAUSES = 100
_MOST_FILES = 200

_ACCOUNT = """
SELECT source_id, source_file, status, lines, claimed_lines, unread_lines, blank_lines, rejected_lines, unknown_lines, rejects,
    suspect_pages,
    lines IS DISTINCT FROM claimed_lines + coalesce(unread_lines, 0) + blank_lines + rejected_lines + unknown_lines AS is_open
FROM ingest_file
ORDER BY is_open DESC, status = 'ingested', rejected_lines DESC NULLS LAST, rejects DESC NULLS LAST, unknown_lines DESC NULLS LAST,
    source_file
"""
_OF_LINES = (
    "lines", "claimed_lines", "unread_lines", "blank_lines", "rejected_lines", "unknown_lines", "rejects", "suspect_pages",
)  # fmt: skip


@dataclass
class _Found:
    """A part of the results for the page: numbers, and the first rows of each rule."""

    # By table and severity: broken rows, and places.
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)
    # By severity: the rules in words, without the details of each place.
    words: dict[str, Counter[str]] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    first: list[Row] = field(default_factory=list)
    _many: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def __len__(self) -> int:
        return self.places.total()

    def add(self, frame: pl.DataFrame) -> None:
        """Count the next results, by groups: a broken lake has more results than rows."""
        what = pl.when(pl.col("what") != "").then("what").otherwise("rule").str.split(";").list.first()
        grouped = frame.group_by("table", "severity", what.alias("words"), maintain_order=True)
        for table, severity, words, places, rows in grouped.agg(pl.len(), pl.col("rows").sum()).iter_rows():
            self.rows[table, severity] += rows
            self.places[table, severity] += places
            self.words.setdefault(severity, Counter())[words] += places
        kind = ("severity", "rule", "column")
        for row in frame.filter(pl.int_range(pl.len()).over(*kind) < _MOST_OF_A_RULE).iter_rows(named=True):
            key = tuple(row[name] for name in kind)
            self._many[key] += 1
            if self._many[key] <= _MOST_OF_A_RULE:
                self.first.append(row)


def _found(results: Violations) -> tuple[_Found, _Found]:
    """The values that break a rule of their table, and the findings across pages."""
    known = [f"{table.name}.{rule.name}" for table in tables().values() for rule in rules(table)]
    of_suites, across = _Found(), _Found()
    of_suites.pages = results.pages(known)
    for batch in results.to_reader():
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        is_known = pl.col("rule").is_in(known)
        of_suites.add(frame.filter(is_known))
        across.add(frame.filter(~is_known))
    return of_suites, across


# The counts of each table with rows, by heading; findings across pages are counted by place.
Suite = dict[str, int]


@dataclass(frozen=True)
class Part:
    """A section of the page: a table, or the sentence `none` if it has no rows."""

    id: str
    title: str
    table: Table | None
    none: str


@dataclass(frozen=True)
class QualityContent:
    parts: Sequence[Part]
    sources: Table | None


def write_quality_page(lake: OpenLake, results: Violations, judged: Judged, out: Output) -> str:
    """Write the page of a check and return its headline. Raises IronlakeError if the file cannot be written."""
    page = render(lake, results, judged)
    publish(page, out)
    return page.headline


def render(lake: OpenLake, results: Violations, judged: Judged) -> Page:
    sources = Sources(lake)
    of_suites, across = _found(results)
    suites = _suites(lake, of_suites, across, judged)
    unread, account = causes(lake).to_pylist(), ask(lake, _ACCOUNT)
    shown: list[Reference] = []
    parts = [
        Part("suites", "Suites", _suites_table(suites), "No table has rows."),
        Part(
            "rows",
            "Values that break a rule",
            _rows_table("Values that break a rule", of_suites, sources, shown),
            "No value breaks a rule.",
        ),
        Part(
            "across",
            "Across pages and reports",
            _rows_table("Across pages and reports", across, sources, shown),
            "No gaps, overlaps, short intervals, missing systems or conflicting prints; comparable reports agree.",
        ),
        Part("rejects", _UNREAD, _causes_table(unread, sources, shown), "None."),
        Part("account", _EVERY_LINE, _account_table(account), "The lake is empty."),
    ]
    return Page(
        title="Ironlake: quality of the data",
        heading="Quality of the data",
        headline=_verdict(of_suites, across, suites, account),
        template="quality.html",
        content=QualityContent(parts, sources_table(shown, sources) if shown else None),
        pictures={},
        kind="check",
    )


def _suites(lake: OpenLake, found: _Found, across: _Found, judged: Judged) -> dict[str, Suite]:
    out = {}
    for table in (table for report in reports().values() for table in report.tables):
        if not (rows := lake.rows(table.name)):
            continue
        values = [many for (name, *_), many in judged.items() if name == table.name] + _settled(lake, table, judged)
        broken = [found.rows[table.name, severity] for severity in ("error", "warn")]
        places = [across.places[table.name, severity] for severity in ("error", "warn")]
        asked = sum(len(rule.columns) for rule in rules(table))
        out[table.name] = dict(zip(_SUITE, (rows, asked, len(values), sum(values), *broken, *places), strict=True))
    return out


def _settled(lake: OpenLake, table: ReportTable, judged: Judged) -> list[int]:
    """The number of values of each expectation that holds without reading rows: only allowed texts, none missing."""
    left = [r for r in rules(table) if isinstance(r, OneOf | Filled) and (table.name, r.name, r.column) not in judged]
    if not left:
        return []
    counts = ", ".join(f'count("{rule.column}") AS "{rule.name}"' for rule in left)
    (row,) = ask(lake, f"SELECT {counts} FROM {table.name}")
    return [many for many in row.values() if many]


_SEVERITIES = (("error", "with impossible values"), ("warn", "with inconsistent values"))


def _verdict(found: _Found, across: _Found, suites: Mapping[str, Suite], account: Sequence[Row]) -> str:
    """The state of the lake in a sentence or two. Wrong values count rows; cross-page findings count places."""
    if not account:
        return "The lake is empty: nothing to check."
    parts = []
    for severity, words in _SEVERITIES:
        kind = "warning" if severity == "warn" else "error"
        if pages := found.pages.get(severity):
            rows = sum(many for (_, of), many in found.rows.items() if of == severity)
            parts.append(f"{counted(rows, 'row')} on {counted(pages, 'page')} {words}")
        if places := across.words.get(severity):
            parts.append(f"{counted(places.total(), kind)} across pages and reports ({_most_frequent(places)})")
    if not parts:
        verdict = _all_hold(suites)
    else:
        has_error = "error" in found.words or "error" in across.words
        verdict = ("" if has_error else "No errors. ") + "; ".join(parts) + "."
    failed = sum(row["status"] == "failed" for row in account)
    rejected = sum(row["rejects"] or 0 for row in account)
    files = counted(len(account), "file")
    if failed:
        verdict += f" {failed:,} of {files} could not be ingested."
    if rejected:
        return f"{verdict} {counted(rejected, 'rejected line or cell', 'rejected lines or cells')} in {files}."
    return verdict if failed else f"{verdict} Every line of every report was read."


def _most_frequent(many: Counter[str]) -> str:
    """The broken rules, the most frequent first."""
    return "; ".join(f"{words}: {counted(count, 'time')}" for words, count in many.most_common(3)) + (
        "; and others" if len(many) > 3 else ""
    )


def _all_hold(suites: Mapping[str, Suite]) -> str:
    many, rows = (sum(s[name] for s in suites.values()) for name in ("Judged", "Rows"))
    return f"All checks passed: {counted(many, 'expectation')} judged on {counted(rows, 'row')} of {counted(len(suites), 'table')}."


# --- Tables ----------------------------------------------------------------------------------------------------------

_UNREAD = "Rejected and unread lines"
_EVERY_LINE = "Account of every line"
_PLACE = Head("Printed at", left=True)
_SUITE = (
    "Rows", "Expectations", "Judged", "Values judged", "Rows in error", "Rows with warnings", "Errors across pages", "Warnings across pages",
)  # fmt: skip


def _suites_table(suites: Mapping[str, Suite]) -> Table | None:
    if not suites:
        return None
    rows = [
        TableRow([Cell(name, scope="row"), *(Cell(f"{many:,}") for many in of.values())]) for name, of in suites.items()
    ]
    caption = (
        "One suite per table, derived from its declaration: ranges, names, required values, totals. An expectation is judged if it has "
        "a value. Errors are impossible values; warnings are inconsistent values seen in genuine reports. Cross-page findings, such as "
        "gaps, are counted by place and listed below."
    )
    heads = [Head("Table", left=True), *map(Head, _SUITE)]
    return Table("Suites", heads, [Body(rows)], caption)


def _rows_table(title: str, found: _Found, sources: Sources, shown: list[Reference]) -> Table | None:
    if not found:
        return None
    # Errors first.
    chosen = sorted(found.first, key=lambda r: r["severity"] or "")[:_MOST_ROWS]
    rows = []
    for row in chosen:
        reference = Reference.of([row], sources)
        shown.append(reference)
        numbers = [*found_and_expected(row), Cell(number(row["tolerance"])), Cell(f"{row['rows']:,}")]
        rows.append(TableRow([*severity_and_rule(row), *numbers], reference))
    hidden = len(found) - len(chosen)
    caption = "One row per page, rule and column: the first line, and the number of rows."
    if hidden:
        caption += f" {hidden:,} more are not shown (at most {_MOST_OF_A_RULE} per rule); ironlake check prints all."
    heads = [*left_heads("Severity", "Rule"), *map(Head, ("Found", "Expected", "Tolerance", "Rows")), _PLACE]
    return Table(title, heads, [Body(rows)], caption, "words")


def _causes_table(unread: Sequence[Row], sources: Sources, shown: list[Reference]) -> Table | None:
    if not unread:
        return None
    rows = []
    for row in unread[:_MOST_CAUSES]:
        reference = Reference.of([row], sources)
        shown.append(reference)
        line = (row["text"] or "").rstrip()
        expected = f"expected {row['expected']}" if row["expected"] else row["hint"] or ""
        cells = [
            Cell(row["cause"], [row["report"] or DASH], scope="row"),
            Cell(f"{line}\n{row['caret'] or ''}" if line else "", [expected], "l", tag="pre" if line else ""),
            *(Cell(f"{row[name]:,}") for name in ("times", "lines", "sources")),
        ]
        rows.append(TableRow(cells, reference))
    hidden = len(unread) - len(rows)
    caption = "By cause, with the first line of each. For unread reports and sections, Times counts pages." + (
        f" {hidden:,} more causes: ironlake rejects." if hidden else ""
    )
    heads = [*left_heads("Cause", "First line"), *map(Head, ("Times", "Lines", "Files")), _PLACE]
    return Table(_UNREAD, heads, [Body(rows)], caption, "words")


def _account_table(account: Sequence[Row]) -> Table | None:
    if not account:
        return None
    # Without folders, because users pass pages on.
    files = distinct_tails({row["source_id"]: row["source_file"] for row in account if row["source_file"]})
    total = {name: sum(row[name] or 0 for row in account) for name in _OF_LINES}
    whole = [Cell(f"All {counted(len(account), 'file')}", scope="row"), left(""), *_numbers(total)]
    rows = [TableRow(whole, style="total")]
    for row in account[:_MOST_FILES]:
        is_open = row["is_open"] and row["status"] != "failed"
        notes = ["internal error: lines missing from this account"] if is_open else []
        name = Cell(files.get(row["source_id"], DASH), scope="row")
        rows.append(TableRow([name, left(row["status"], *notes), *_numbers(row)]))
    hidden = len(account) - _MOST_FILES
    caption = "Lines = claimed + not read + blank + rejected + pages of other reports. A reject may be a cell of a claimed line; ironlake rejects lists all."
    caption += f" {hidden:,} more files with fewer rejects are in the table ingest_file." if hidden > 0 else ""
    numbers = ("Lines", "Claimed", "Not read", "Blank", "Rejected", "Other reports", "Rejects", "Suspect pages")
    heads = [*left_heads("File", "Status"), *map(Head, numbers)]
    return Table(_EVERY_LINE, heads, [Body(rows)], caption, "words")


def _numbers(row: Mapping[str, int | None]) -> list[Cell]:
    return [Cell(DASH if (many := row[name]) is None else f"{many:,}") for name in _OF_LINES]
