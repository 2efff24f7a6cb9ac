"""Rows of labelled values that begin at a title, and rows that several pages print together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ..declaration.layouts import Pairs
from ..declaration.report import Table
from .place_values import Rows
from .report_lines import ReportLines


def without_bare_titles(report_lines: ReportLines, table: Table, line: np.ndarray) -> np.ndarray:
    """The lines that begin rows: a title does only where labelled values follow it in its own section."""
    is_title = report_lines.of_kind(tuple(report_lines.grammar.titles), line)
    if not is_title.any():
        return line
    layouts = [h for h in report_lines.report.layouts if isinstance(h, Pairs) and set(h.rows) & set(table.rows)]
    values = report_lines.lines_of(tuple(dict.fromkeys(kind for heading in layouts for kind in heading.rows)))
    return line[~is_title | np.isin(report_lines.owner[line], report_lines.owner[values])]


def joined(report_lines: ReportLines, table: Table, rows: Rows, key: Callable[[str], pa.Array]) -> Rows:
    """The rows with those of one key as one, each of which a title or a line of another kind begins: pages that print different parts of a
    row. `key`: the values of a column of the key, per row."""
    if rows.at is None or len(rows.line) < 2:
        return rows
    columns = [key(name).to_pylist() for name in table.key]
    parts = zip(report_lines.segment[rows.line].tolist(), *columns, strict=True)
    text, kind = report_lines.text.gather(rows.line).to_list(), report_lines.kind[rows.line].tolist()
    is_title = report_lines.of_kind(tuple(report_lines.grammar.titles), rows.line)
    open_rows: dict[tuple, tuple[int, set[tuple]]] = {}
    row_of, firsts = np.zeros(len(rows.line), dtype=np.int64), []
    for k, of in enumerate(parts):
        begins = (kind[k], text[k].strip().upper() if is_title[k] else "")
        number, seen = open_rows.get(of, (-1, set()))
        if number < 0 or begins in seen or None in of:
            number, seen = len(firsts), set()
            firsts.append(k)
            open_rows[of] = number, seen
        seen.add(begins)
        row_of[k] = number
    if len(firsts) == len(rows.line):
        return rows
    at = np.where(rows.at >= 0, row_of[rows.at], -1)
    return replace(rows, line=rows.line[firsts], panel=rows.panel[firsts], at=at)
