"""Explain how pages were read, line by line, from what reading recorded (`engine.watch`); nothing is read again.

A page is explained within its batch: sections continue across pages, and a cut line is recognised by comparison with other lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.layouts import TableLayout
from ..declaration.places import Constant, Counter, Field, Gathered, LineParser, Parsed, Under, describe_place
from ..declaration.reading_options import Options
from ..declaration.report import Column, Report, Table, reports
from ..files.segment import Segment
from . import null_reasons, pages
from .assign_values import TableBuilder
from .cells import Target, heading_runs
from .engine import Watched, watch
from .explain_headings import ExplainedHeading, explain_heading
from .line_kinds import JUNK
from .records import names_in, table_of
from .rejects import Rejects
from .unread import sections


@dataclass(frozen=True)
class ExplainedCell:
    """A cell: its print columns (from 1, both included), text, target column, value and, if NULL, the reason. `row_line`: the line of its
    row (None: no row)."""

    first: int
    last: int
    text: str
    table: str
    column: str
    value: Any
    why_null: str
    row_line: int | None


@dataclass(frozen=True)
class ExplainedRow:
    """A row that begins on a line: its values, and the reason of each NULL."""

    table: str
    values: dict[str, Any]
    nulls: dict[str, str]


@dataclass(frozen=True)
class ExplainedReject:
    column: int
    lines: int
    what: str
    expected: str
    hint: str


@dataclass
class ExplainedLine:
    """A line: number in the file, kind (empty if none), purpose, kind and number of the first line of its section, line of the heading
    above its cells, and its cells and rows."""

    number: int
    kind: str
    text: str
    status: str
    section: str = ""
    section_line: int | None = None
    heading_line: int | None = None
    headings: list[ExplainedHeading] = field(default_factory=list)
    cells: list[ExplainedCell] = field(default_factory=list)
    rows: list[ExplainedRow] = field(default_factory=list)
    rejects: list[ExplainedReject] = field(default_factory=list)


@dataclass
class ExplainedPage:
    """A page: number, report (empty if unknown), and the evidence for the report."""

    page: int
    report: str
    why: str
    lines: list[ExplainedLine]


class _ByLine:
    """Arrays of lines, each with a payload; finds the payload and the array position of a line."""

    def __init__(self, groups: Sequence[tuple[np.ndarray, Any]]):
        self._about = [about for _, about in groups]
        sizes = [len(line) for line, _ in groups]
        line = np.concatenate([np.zeros(0, np.int64), *(line for line, _ in groups)])
        order = np.argsort(line, kind="stable")
        self._line = line[order]
        self._group = np.repeat(np.arange(len(groups)), sizes)[order]
        self._at = np.concatenate([np.zeros(0, np.int64), *(np.arange(size) for size in sizes)])[order]

    def of(self, line: int) -> Iterator[tuple[Any, int]]:
        first, last = np.searchsorted(self._line, (line, line + 1))
        for k in range(first, last):
            yield self._about[self._group[k]], int(self._at[k])


def explain(
    segment: Segment, options: Options, line: int | None = None, page: int | None = None
) -> Iterator[ExplainedPage]:
    """The pages of a segment; only the page with this line of the file, or with this number."""
    if page and page >= segment.first_page + _count_pages(segment):
        return
    watched = watch([segment], options)
    lines = watched.lines
    explained = [_Explained(watched.rejects, *one) for one in watched.reports]
    ends = np.append(lines.page_starts[1:], len(lines.text))
    for start, end in zip(lines.page_starts.tolist(), ends.tolist(), strict=True):
        if (page and lines.page[start] != page) or (line and line not in lines.number[start:end]):
            continue
        number = int(lines.report[start])
        if number == pages.UNKNOWN:
            yield _unknown_page(watched, start, end)
            continue
        if number == pages.RECORDS:
            yield _record(watched, start)
            continue
        of_report = next(e for e in explained if e.report is list(reports().values())[number])
        first, last = np.searchsorted(of_report.chosen, (start, end)).tolist()
        why = _why(watched, of_report.report, start, end)
        yield ExplainedPage(int(lines.page[start]), of_report.report.name, why, of_report.page(first, last))


def _count_pages(segment: Segment) -> int:
    split = segment.split or pages.split(segment.text, segment.control)
    return pages.count_pages(split.lines, split.page_starts)


def _unknown_page(watched: Watched, start: int, end: int) -> ExplainedPage:
    lines = watched.lines
    (title,) = pages.banner_of(lines.text, np.array([start]), np.array([end]))
    why = f"unknown report: no report has the title {title!r}, and no report's sections begin here"
    of_page = zip(lines.number[start:end].tolist(), lines.text[start:end].to_list(), strict=True)
    told = [ExplainedLine(number, "", text, "of an unknown report") for number, text in of_page]
    return ExplainedPage(int(lines.page[start]), "", why, told)


def _record(watched: Watched, start: int) -> ExplainedPage:
    """A record: the formula of each value, with what it is made of."""
    page, segment = int(watched.lines.page[start]), int(watched.lines.segment[start])
    read, at = next(
        (read, at)
        for read in watched.records
        for at in np.flatnonzero((read.lines.page == page) & (read.lines.segment == segment)).tolist()
    )
    name = read.form.record
    told = ExplainedLine(int(read.lines.number[at]), f"SMF {name}", read.lines.text[at], "")
    told.status = "rejected" if read.rejected[at] else ""
    for table, found in read.tables.items():
        formulas = table_of(table).formulas
        for k in np.flatnonzero(found.line == at).tolist():
            row, used = found.rows.slice(k, 1).to_pylist()[0], found.used.row(k, named=True)
            told.rows.append(ExplainedRow(table, {c: row[c] for c in formulas if row[c] is not None}, {}))
            for column, formula in formulas.items():
                names = {n: used[n] for n in names_in(formula)}
                text = f"{formula} [{', '.join(f'{n} {v}' for n, v in names.items())}]"
                missing = [n for n, v in names.items() if v is None]
                why = f"no value of {', '.join(missing)}" if missing else "the formula gives none"
                why = why if row[column] is None else ""
                told.cells.append(ExplainedCell(1, 1, text, table, column, row[column], why, told.number))
            told.rows[-1].nulls.update({c.column: c.why_null for c in told.cells[-len(formulas) :] if c.why_null})
    told.rejects = [
        ExplainedReject(1, 1, g.what[k], g.expected[k], g.hint[k])
        for g in watched.rejects.groups
        if g.report_lines is read.lines
        for k in np.flatnonzero(g.line == at).tolist()
    ]
    reports_of = ", ".join(
        dict.fromkeys(r.name for r in reports().values() if any(rows.form is read.form for rows in r.records))
    )
    return ExplainedPage(page, reports_of, f"SMF record {name} (JSON)", [told])


def _why(watched: Watched, report: Report, start: int, end: int) -> str:
    """The evidence for the report of a page."""
    lines = watched.lines
    if not watched.titled[start]:
        return "no title, but it has lines that begin this report's sections"
    top = lines.text[start : min(end, start + pages.TITLE_REACH)]
    for number, text in zip(lines.number[start:].tolist(), top.to_list(), strict=False):
        if report.banner and list(reports().values())[pages.banners().get(text.replace(" ", ""), -1)] is report:
            return f"its title {' '.join(text.split())} on line {number}"
    if report.page_top:
        at = top.str.contains(report.title).arg_true()
        return f"line {lines.number[start]} begins a page, and line {lines.number[start + at[0]]} is its title"
    return "its title"


class _Explained:
    """The lines of one report in a batch, by index into ReportLines; output uses line numbers of the file."""

    def __init__(
        self,
        rejects: Rejects,
        chosen: np.ndarray,
        builder: TableBuilder,
        tables: dict[str, pa.Table],
        not_read: np.ndarray,
    ):
        self.chosen, self.builder, self.tables, self.not_read = chosen, builder, tables, not_read
        self.report, self.report_lines = builder.report, builder.report_lines
        groups = [g for g in rejects.groups if g.report_lines is self.report_lines]
        self._rejects = _ByLine([(g.line, g) for g in groups])
        caster = builder.cut.caster
        self._sheets = _ByLine([(cell_block.line, cell_block) for cell_block in caster.taken])
        self._nulls = _ByLine([(line, (table, column, code)) for table, column, line, code in caster.nulls])
        self._rows = _ByLine([(builder.row_lines[name], name) for name in tables])
        values = [(kept.line, (target, kept)) for found in caster.values.values() for target, kept in found]
        self._values = _ByLine(values)
        self._spread = _ByLine([(spread.line, (name, spread)) for name, spread in caster.spread.items()])
        self._rejected = rejects.rejected_lines(self.report_lines)

    # --- Pages and lines ------------------------------------------------------------------------------------------

    def page(self, first: int, last: int) -> list[ExplainedLine]:
        report_lines = self.report_lines
        lines = []
        for line in range(first, last):
            kind = self._kind(line)
            told = ExplainedLine(int(report_lines.number[line]), kind, report_lines.text[line], self._status(line))
            begins = self._section(line)
            if begins is not None:
                told.section, told.section_line = self._kind(begins), int(report_lines.number[begins])
            told.heading_line = self._heading_of(line)
            told.headings = self._headings.get(line, [])
            told.cells = self._cells(line)
            told.rejects = [
                ExplainedReject(int(g.column[k]) + 1, int(g.lines[k]), g.what[k], g.expected[k], g.hint[k])
                for g, k in self._rejects.of(line)
            ]
            lines.append(told)
        cells: dict[tuple[str, str], list[tuple[int, ExplainedCell]]] = {}
        for told in lines:
            for cell in told.cells:
                cells.setdefault((cell.table, cell.column), []).append((told.number, cell))
        for line, told in zip(range(first, last), lines, strict=True):
            told.rows = [self._row(line, name, at, cells) for name, at in self._rows.of(line)]
        return lines

    def _kind(self, line: int) -> str:
        kind = int(self.report_lines.kind[line])
        return "" if kind == JUNK else self.report_lines.grammar.names[kind]

    def _status(self, line: int) -> str:
        kind = self._kind(line)
        if self._rejected[line]:
            return "rejected"
        if self.not_read[line]:
            section = sections(self.report).get(kind)
            return f"recognised, not read ({section})" if section else "recognised, not read"
        if not kind:
            return "no kind of line fits here"
        return "page line" if kind in self.report_lines.grammar.page_lines else ""

    def _section(self, line: int) -> int | None:
        """The first line of the section of a line; None for page lines, or if unknown."""
        report_lines = self.report_lines
        if self._kind(line) in report_lines.grammar.page_lines:
            return None
        unit = int(report_lines.owner[line]) if report_lines.owner[line] >= 0 else int(report_lines.unit[line])
        begins = int(np.searchsorted(report_lines.unit, unit))
        own = np.flatnonzero(report_lines.kind[begins : line + 1] != JUNK)
        return begins + int(own[0]) if len(own) else None

    def _heading_of(self, line: int) -> int | None:
        kind = self._kind(line)
        layout = next((h for h in self.report.layouts if kind in h.rows and h.lines), None)
        if layout is None:
            return None
        at = int(self.report_lines.nearest(layout.lines, np.array([line]))[0])
        return (
            int(self.report_lines.number[at])
            if at >= 0 and self.report_lines.unit[at] == self.report_lines.unit[line]
            else None
        )

    # --- Headings -------------------------------------------------------------------------------------------------

    @cached_property
    def _headings(self) -> dict[int, list[ExplainedHeading]]:
        """By last line of a heading: the parsed heading for each possible layout."""
        out: dict[int, list[ExplainedHeading]] = {}
        for layout in self.report.layouts:
            if layout.lines:
                for last, heading in self._runs(layout):
                    if heading not in out.setdefault(last, []):
                        out[last].append(heading)
        return out

    def _runs(self, layout: TableLayout) -> Iterator[tuple[int, ExplainedHeading]]:
        report_lines = self.report_lines
        starts = report_lines.runs(layout.run)
        if not len(starts):
            return
        first, which, printed = heading_runs(report_lines, layout, starts)
        members = report_lines.lines_of(layout.run)
        run = np.searchsorted(starts, members, side="right") - 1
        last = members[np.searchsorted(run, np.arange(len(starts)), side="right") - 1]
        shifts = {}
        for rows, move in report_lines.title_shifts:
            mine = rows[report_lines.of_kind(layout.rows, rows)]
            shifts |= dict.fromkeys(starts[np.searchsorted(starts, mine, side="right") - 1].tolist(), move)
        for k, begin in enumerate(first.tolist()):
            text = printed[which[k]]
            if text:
                lines = int(report_lines.number[begin]), int(report_lines.number[last[k]])
                yield int(last[k]), explain_heading(report_lines, layout, text, lines, shifts.get(begin, 0))

    # --- Cells ----------------------------------------------------------------------------------------------------

    def _cells(self, line: int) -> list[ExplainedCell]:
        read: dict[tuple[Column, int], list[tuple[Target, Any]]] = {}
        for (target, kept), k in self._values.of(line):
            read.setdefault((target.column, int(kept.panel[k])), []).append((target, _value(kept.data, k)))
        out = []
        kind = self._kind(line)
        for cell_block, row in self._sheets.of(line):
            for k, place in enumerate(cell_block.layout.spans):
                for target in place.targets:
                    if (target.line and target.line != kind) or (target.rows and kind not in target.rows):
                        continue
                    text = self._text(cell_block, row, k, target)
                    if place.spread:
                        value = self._spread_value(line, target, place)
                        if not text and value is None:
                            continue  # a blank cell of a column that is spread is no row
                    else:
                        given = read.get((target.column, place.panel), [])
                        value = next((v for t, v in given if v is not None), None)
                    suspect = cell_block.suspect is not None and bool(cell_block.suspect[row, k])
                    why = "" if value is not None else self._why_null(line, target, place, text, suspect)
                    name = target.column.name
                    first, last = (
                        place.start + 1,
                        min(place.end, max(self.report_lines.cells.shape[1], len(self.report_lines.text[line]))),
                    )
                    row_line = self._row_line(target, line)
                    out.append(ExplainedCell(first, last, text, target.table.name, name, value, why, row_line))
        return sorted(out, key=lambda c: (c.first, c.table, c.column))

    def _text(self, cell_block, row: int, k: int, target: Target) -> str:
        place = cell_block.layout.spans[k]
        if target.queue == "text":
            return self.report_lines.text[int(cell_block.line[row])][place.start : place.end].strip()
        return cell_block.cells[row, k].tobytes().decode("ascii", "replace").strip()

    def _spread_value(self, line: int, target: Target, place) -> float | None:
        for (name, spread), k in self._spread.of(line):
            if name == target.table.name and spread.start[k] == place.start:
                return _value(spread.data, k)
        return None

    def _why_null(self, line: int, target: Target, place, text: str, suspect: bool) -> str:
        last = place.end or self.report_lines.cells.shape[1]
        told = [g.what[k] for g, k in self._rejects.of(line) if place.start - 1 <= g.column[k] <= last]
        if told:
            return "; ".join(told)
        if suspect:
            return "left NULL: it may be cut, or belong to the next column"
        if not text:
            return "blank"
        codes = {
            null_reasons.REASONS[code[k]]
            for (table, column, code), k in self._nulls.of(line)
            if (table, column) == (target.table.name, target.column.name)
        }
        if codes:
            return f"printed reason: {', '.join(sorted(codes))}"
        if target.pattern:
            return f"/{target.pattern}/ does not match it"
        return "this text means NULL here; ironlake describe says when"

    def _row_line(self, target: Target, line: int) -> int | None:
        row = int(self.builder.row_above(target.table, np.array([line]))[0])
        if row < 0 and target.reach == "page":
            # Of all rows of the page, the first.
            rows, page = self.report_lines.lines_of(target.table.rows), self.report_lines.page_index
            row = next((int(k) for k in rows if page[k] == page[line]), -1)
        return int(self.report_lines.number[row]) if row >= 0 else None

    # --- Rows -----------------------------------------------------------------------------------------------------

    def _row(
        self, line: int, name: str, at: int, cells: dict[tuple[str, str], list[tuple[int, ExplainedCell]]]
    ) -> ExplainedRow:
        table = self.report.table(name)
        row = self.tables[name].slice(at, 1).to_pylist()[0]
        own = {c.name for c in table.columns}
        values = {k: v for k, v in row.items() if k in own and v is not None}
        nulls = {c.name: self._why_not(line, table, c, cells) for c in table.columns if row[c.name] is None}
        return ExplainedRow(name, values, nulls)

    def _why_not(
        self, line: int, table: Table, column: Column, cells: dict[tuple[str, str], list[tuple[int, ExplainedCell]]]
    ) -> str:
        """Why a column of the row that begins on a line is NULL."""
        stated = {
            null_reasons.REASONS[code[k]]
            for (of_table, of_column, code), k in self._nulls.of(line)
            if (of_table, of_column) == (table.name, column.name)
        }
        if stated:
            return f"printed reason: {', '.join(sorted(stated))}"
        number = int(self.report_lines.number[line])
        seen = [(at, c) for at, c in cells.get((table.name, column.name), ()) if c.row_line == number]
        if seen:
            at, cell = seen[0]
            return f"line {at}, columns {cell.first}-{cell.last}: {cell.why_null or f'{cell.text!r} is not used'}"
        if not column.places:
            return "not printed on any page"
        return "; ".join(dict.fromkeys(self._why_not_from(line, column, place) for place in column.places))

    def _why_not_from(self, line: int, column: Column, place) -> str:
        match place:
            case Field(follows=True) | Parsed(LineParser(follows=True)):
                return f"not found between here and the next row ({describe_place(place)})"
            case Field(kind) | Under(line=kind, reach="above") if kind:
                return self._not_on(line, (kind,), describe_place(place))
            case Parsed(reading):
                return self._not_on(line, reading.lines, place.name or column.name)
            case Gathered(_, option):
                return f"not printed on any page of the interval, and --{option} is not given"
            case Constant():
                return "applies to other kinds of row"
            case Counter():
                return "not printed for this row"
            case _:
                return f"no cell {describe_place(place)} in this section"

    def _not_on(self, line: int, kinds: tuple[str, ...], what: str) -> str:
        """Why a free-form value is NULL: its lines are missing, or do not contain it."""
        report_lines, at = self.report_lines, np.array([line])
        found = {kind: int(report_lines.above(at, kind)[0]) for kind in kinds}
        there = [f"{kind} (line {report_lines.number[k]})" for kind, k in found.items() if k >= 0]
        if there:
            return f"{' and '.join(there)} {'does' if len(there) == 1 else 'do'} not say it ({what})"
        return f"no {' or '.join(kinds)} above it"


def _value(data: np.ndarray | pl.Series, k: int) -> Any:
    value = data[k]
    if isinstance(data, pl.Series):
        return value
    return None if np.isnan(value) else float(value)
