"""Unread lines: recognised by a report's grammar, but without effect on any table.

A line is read if a value of it reached a table, or a reject or a row of cell_null explains why not; tables mark such lines while they
take values (`ReportLines.used`). Titles, rules, column titles, page lines, blank rows, and lines repeated because a section continues
on the next page have nothing to read. Every other line is unread. This is derived, not declared; `Report.unread` only gives the
sections names, with the kinds of their lines. Lines of a kind named there always count as unread.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from ..declaration.layouts import Entries
from ..declaration.places import Constant, Field, Parsed, Under
from ..declaration.report import Report
from .assign_values import TableBuilder
from .carried_names import CarriedNames
from .line_kinds import JUNK, grammars
from .rejects import LONGEST_TEXT
from .report_lines import ReportLines

# A label with nothing after it.
_BARE_LABEL = "[:=] *$"


@cache
def headings(report: Report) -> frozenset[str]:
    """Kinds of line that describe others: titles, rules, column titles, page lines, and lines with constant text."""
    words = {kind for grammar in grammars(report) for kind in grammar.titles | grammar.fixed} - values(report)
    of_page = {kind for grammar in grammars(report) for kind in grammar.page_lines} & values(report)
    return frozenset((words | of_page) - set(sections(report)))


@cache
def values(report: Report) -> frozenset[str]:
    """Kinds of line that tables take values from, by declaration."""
    found = {kind for heading in report.layouts for kind in heading.rows}
    found |= {heading.order.line for heading in report.layouts if isinstance(heading, Entries)}
    for table in report.tables:
        for column in table.columns:
            for place in column.places:
                match place:
                    case Field(line) | Constant(where=Field(line)):
                        found.add(line)
                    case Under(line=line) if line:
                        found.add(line)
                    case Parsed(parser):
                        found.update(parser.lines)
                    case _:
                        pass
    return frozenset(found)


@cache
def sections(report: Report) -> dict[str, str]:
    """Kind of line → the name of its section, for recognised but unread lines."""
    return {kind: name for name, kinds in report.unread.items() for kind in kinds}


@cache
def never_read(report: Report) -> tuple[str, ...]:
    """Names of sections that no declared column reads; the kind of line if a section has no name."""
    kinds = {kind for grammar in grammars(report) for kind in grammar.names}
    unnamed = kinds - headings(report) - values(report) - set(sections(report))
    return (*report.unread, *sorted(unnamed))


def unread_lines(builder: TableBuilder, rejected: np.ndarray) -> np.ndarray:
    """Bool per line, after all tables are built: recognised, but nothing of it is in a table or reported. `rejected`: bool per line, it has a
    reject."""
    report_lines = builder.report_lines
    unread = (
        (report_lines.kind != JUNK) & ~report_lines.used & ~report_lines.of_kind(tuple(headings(report_lines.report)))
    )
    if unread.any():
        unread &= ~builder.rejects.reported(report_lines) & ~builder.cut.blank_lines()
        unread &= ~_says_nothing_new(report_lines, np.flatnonzero(unread))
    return (unread | report_lines.of_kind(tuple(sections(report_lines.report)))) & ~rejected


def _says_nothing_new(report_lines: ReportLines, lines: np.ndarray) -> np.ndarray:
    """Bool per line, within `lines`: a label without a value, or a repetition of a line read in the same section on another page."""
    out = np.zeros(len(report_lines.kind), dtype=bool)
    if not len(lines):
        return out
    kinds = tuple(report_lines.grammar.names[k] for k in np.unique(report_lines.kind[lines]))
    run = CarriedNames(report_lines).run

    def of(line: np.ndarray) -> pl.DataFrame:
        return pl.DataFrame(
            {"line": line, "run": run[line], "kind": report_lines.kind[line], "text": report_lines.text.gather(line)}
        )

    read = report_lines.lines_of(kinds)
    mine, known = of(lines), of(read[report_lines.used[read]])
    again = mine.join(known, on=["run", "kind", "text"], how="semi")["line"]
    bare = mine.filter(pl.col("text").str.contains(_BARE_LABEL))["line"]
    out[again.to_numpy()] = out[bare.to_numpy()] = True
    return out


def unread_sections(report_lines: ReportLines, unread: np.ndarray) -> dict[str, list]:
    """Columns of unread_section, with `segment` in place of the source: one row per run of lines of one section, ignoring titles and
    rules."""
    names = [sections(report_lines.report).get(kind, kind) for kind in report_lines.grammar.names]
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    line = np.flatnonzero(unread)
    section = np.array([known[name] for name in names], dtype=np.int64)[report_lines.kind[line]]
    counted = (report_lines.kind != JUNK) & (unread | ~report_lines.of_kind(tuple(headings(report_lines.report))))
    begins = np.diff(np.cumsum(counted)[line], prepend=-1) != 1
    begins |= (np.diff(section, prepend=-1) != 0) | (np.diff(report_lines.unit[line], prepend=-1) != 0)
    first = line[begins]
    return {
        "report": [report_lines.report.name] * len(first),
        "segment": report_lines.segment[first].tolist(),
        "page": report_lines.page[first].tolist(),
        "line": report_lines.number[first].tolist(),
        "lines": np.diff(np.append(np.flatnonzero(begins), len(line))).tolist(),
        "section": [list(known)[k] for k in section[begins]],
        "text": report_lines.text.gather(first).str.strip_chars(" ").str.slice(0, LONGEST_TEXT).to_list(),
    }
