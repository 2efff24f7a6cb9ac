"""Build ReportLines: the kind and section of each line, and lines without a place."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..declaration.places import Field
from ..declaration.report import Report
from .cut_width import find_cut_lines
from .line_kinds import JUNK, Grammar
from .pages import Lines
from .rejects import Rejects
from .report_lines import ReportLines


def build(report: Report, grammar: Grammar, lines: Lines, chosen: np.ndarray, rejects: Rejects) -> ReportLines:
    """The ReportLines of the lines `chosen` (indexes into `lines`); lines without a place become rejects."""
    whole = len(chosen) == len(lines.text)
    text = lines.text if whole else lines.text.gather(chosen)
    pages = np.zeros(len(lines.text), dtype=bool)
    pages[lines.page_starts] = True
    page_index = (np.cumsum(pages) - 1)[chosen]
    page_begins = np.diff(page_index, prepend=-2) != 0
    page_index = np.cumsum(page_begins) - 1
    cut = np.flatnonzero(np.isin(chosen, lines.cut)) if len(lines.cut) else lines.cut
    report_lines = ReportLines(
        report, grammar, text, lines.segment[chosen], lines.number[chosen], lines.page[chosen], page_index, cut
    )
    _parse_units(report_lines, page_begins, rejects)
    report_lines.cut_width = np.zeros(len(text), dtype=np.int64)
    find_cut_lines(report_lines, rejects)
    return report_lines


def _parse_units(report_lines: ReportLines, page_begins: np.ndarray, rejects: Rejects) -> None:
    """Set kind, unit and owner of each line."""
    grammar = report_lines.grammar
    source_begins = np.diff(report_lines.segment, prepend=-1) != 0
    read = grammar.read(report_lines.text, page_begins, source_begins)
    kind, begins = read.kind, read.begins
    report_lines.kind = kind
    report_lines.torn = torn = _torn_pages(report_lines)
    begins[torn] = True
    starts = np.flatnonzero(begins)
    report_lines.page_index = report_lines.page_index + np.cumsum(torn)
    report_lines.damaged = np.zeros(len(kind), dtype=bool)
    report_lines.used = np.zeros(len(kind), dtype=bool)
    report_lines.lost_rows = np.zeros(len(kind), dtype=bool)
    report_lines.lost_page_lines = np.zeros(len(kind), dtype=bool)
    report_lines.lost_headings = np.zeros(len(kind), dtype=bool)
    for lost in read.lost:
        if lost.kind:
            report_lines.lost_rows[lost.at : lost.at + lost.lines] = True
            report_lines.lost_page_lines[lost.at] = lost.kind in grammar.page_lines
            report_lines.lost_headings[lost.at] = lost.kind in grammar.of_heading
    report_lines.unit = np.cumsum(begins) - 1
    report_lines.owner = _owners(report_lines, starts, np.array(read.lost_after, dtype=np.int64))
    rejects.add_unexpected(report_lines, read.lost)
    # Whose the rows below two headings are is unknown.
    twice = rejects.add_torn_pages(report_lines)
    body = np.flatnonzero(_is_body(report_lines))
    below = np.searchsorted(body, twice)
    report_lines.lost_headings[body[below[below < len(body)]]] = True


def _torn_pages(report_lines: ReportLines) -> np.ndarray:
    """Bool per line: a page begins here whose heading is lost, or its top. Lines of a heading come once on a page, above all others; so do
    the lines `once` and `in_turn` of a report below them, none stands where `not_below` forbids it, and a page prints one name in a group of
    `one_name`. Pages of logs have no heading: of these `once` alone is asked."""
    report, grammar = report_lines.report, report_lines.grammar
    torn = np.zeros(len(report_lines.kind), dtype=bool)
    if not report.interval:
        for kind in report.once:
            torn[_again(report_lines, (kind,), report_lines.page_index)] = True
        return torn
    is_body = _is_body(report_lines)
    last_of_body = np.maximum.accumulate(np.where(is_body, np.arange(len(is_body)), -1))
    of_heading = tuple(kind for kind in grammar.of_heading if not kind.endswith("RULE"))
    heading = np.flatnonzero(report_lines.of_kind(of_heading))
    page = report_lines.page_index
    heading = heading[(last_of_body[heading] >= 0) & (page[last_of_body[heading]] == page[heading])]
    torn[heading[np.diff(last_of_body[heading], prepend=-1) != 0]] = True
    for kind in sorted(kind for kind in of_heading if not kind.startswith("XML_")):
        lines = report_lines.lines_of((kind,))
        torn[lines[np.diff((page + np.cumsum(torn))[lines], prepend=-1) == 0]] = True
    for kinds in (*((kind,) for kind in report.once), report.in_turn):
        torn[_again(report_lines, kinds, page + np.cumsum(torn))] = True
    for kind, other in report.not_below:
        lines, others = (_lines_with(report_lines, one) for one in (kind, other))
        above = np.append(others, -1)[np.searchsorted(others, lines) - 1]
        torn[lines[(above >= 0) & ((page + np.cumsum(torn))[above] == (page + np.cumsum(torn))[lines])]] = True
    for fields in report.one_name:
        torn[_other_names(report_lines, fields, page + np.cumsum(torn))] = True
    return torn


def _is_body(report_lines: ReportLines) -> np.ndarray:
    """Bool per line: it is below the heading of its page. A rule may part the lines of a heading."""
    above = {*report_lines.grammar.page_lines, "RULE"} & {*report_lines.grammar.names}
    return (report_lines.kind != JUNK) & ~report_lines.of_kind(tuple(above))


def _lines_with(report_lines: ReportLines, kind: str | Field) -> np.ndarray:
    """The lines of a kind, or those of them with a pattern."""
    lines = report_lines.lines_of((kind.line if isinstance(kind, Field) else kind,))
    is_one = report_lines.text.gather(lines).str.contains(kind.pattern) if isinstance(kind, Field) else None
    return lines if is_one is None else lines[is_one.to_numpy()]


def _again(report_lines: ReportLines, kinds: tuple[str, ...], page: np.ndarray) -> np.ndarray:
    """The first lines of runs of one of the kinds that are repeated on a page with a heading (of a log: on any), or out of turn. page: per
    line."""
    kinds = report_lines.known_kinds(kinds)
    of_heading = report_lines.known_kinds(report_lines.report.interval)
    heading = np.flatnonzero(report_lines.of_kind(of_heading) if of_heading else report_lines.kind >= 0)
    if not kinds or not len(heading):
        return heading[:0]
    of_kinds = [report_lines.lines_of((kind,)) for kind in kinds]
    runs = [lines[report_lines.one_below_another(lines)] for lines in of_kinds]
    where = np.concatenate(runs)
    order = np.argsort(where)
    where, turn = where[order], np.repeat(np.arange(len(kinds)), [len(run) for run in runs])[order]
    again = (np.diff(page[where], prepend=-1) == 0) & (np.diff(turn, prepend=len(kinds)) <= 0)
    return where[again & np.isin(page[where], page[heading])]


def _other_names(report_lines: ReportLines, fields: tuple[Field, ...], page: np.ndarray) -> np.ndarray:
    """The lines that print another name than the line of these fields above them on the page. page: per line."""
    of_field = [
        pl.DataFrame(
            {"line": (lines := report_lines.lines_of((f.line,))), "text": report_lines.text.gather(lines)}
        ).select("line", name=pl.col("text").str.extract(f.pattern, 1))
        for f in fields
    ]
    names = pl.concat(of_field).drop_nulls().sort("line", maintain_order=True)
    line = names["line"].to_numpy()
    differs = (names["name"] != names["name"].shift()).fill_null(False).to_numpy()
    return line[differs & (np.diff(page[line], prepend=-1) == 0)]


def _owners(report_lines: ReportLines, starts: np.ndarray, lost_after: np.ndarray) -> np.ndarray:
    """The section of each line, as the unit that began it; -1 if unknown.

    A unit that begins with page lines continues the previous section if the page names the same interval, no page number is
    missing, and nothing was lost in between.
    """
    units = len(starts)
    if not units:
        return np.zeros(0, dtype=np.int64)
    claimed = np.flatnonzero(report_lines.kind != JUNK)
    first = np.full(units, JUNK, dtype=np.int64)
    unit_of_claimed = report_lines.unit[claimed]
    first_claimed = np.flatnonzero(np.diff(unit_of_claimed, prepend=-1))
    first[unit_of_claimed[first_claimed]] = report_lines.kind[claimed[first_claimed]]
    section_kinds = [
        report_lines.grammar.kind[k] for k in report_lines.grammar.sections if k not in report_lines.grammar.page_lines
    ]
    is_section = np.isin(first, section_kinds)

    page = report_lines.page_index[starts]
    ids = [report_lines.page_text(kind) for kind in report_lines.report.interval]
    same = report_lines.follows[page]
    for of_page in ids:
        now, before = of_page[page], of_page[np.maximum(page - 1, 0)]
        same &= (now == before) & (now >= 0)
    for kind in report_lines.report.carried:
        of_page = report_lines.page_text(kind)
        named = np.maximum.accumulate(np.where(of_page >= 0, np.arange(len(of_page)), 0))
        before = of_page[named[np.maximum(page - 1, 0)]]
        same &= (of_page[page] < 0) | (of_page[page] == before)
    segment = report_lines.segment[starts]
    new_page = np.diff(page, prepend=-1) != 0
    stops = new_page & ~(same & (np.diff(segment, prepend=-1) == 0))
    stops |= new_page & _closed(report_lines, starts, is_section)
    after_lost = np.zeros(units, dtype=bool)
    following = np.searchsorted(starts, lost_after, side="right")
    after_lost[following[following < units]] = True
    event = np.where(is_section | stops | after_lost, np.arange(units), 0)
    last = np.maximum.accumulate(event)
    owner = np.where(is_section[last], last, -1)
    return owner[report_lines.unit]


def _closed(report_lines: ReportLines, starts: np.ndarray, is_section: np.ndarray) -> np.ndarray:
    """Bool per unit: the section above it has ended."""
    last = (
        report_lines.lines_of(report_lines.report.closing)
        if report_lines.report.closing
        else np.zeros(0, dtype=np.int64)
    )
    if not len(last):
        return np.zeros(len(starts), dtype=bool)
    section = starts[np.maximum.accumulate(np.where(is_section, np.arange(len(starts)), 0))]
    section = np.concatenate([[0], section[:-1]])
    return np.searchsorted(last, starts) > np.searchsorted(last, section)
