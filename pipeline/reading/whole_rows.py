"""Rows with a number in every column: one that lost a cell or gained blanks may have each number below the title of its neighbour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from ..declaration.layouts import Columns
from ..frozen import frozen
from .cells import BLANK, CellSpan
from .headings import HeadingColumn
from .rejects import Rejects
from .report_lines import ReportLines

# A large number leaves no room for its decimals, or for its last digits.
_LARGE = r"\d{4,}|\d+(?:\.\d+)?[KMG]|\*+"
_NO_VALUE = r"N/A|-+|\*+"
# What would be read whatever the decimals of the column, or is blank. Others are rejected when they are read.
_READ = r"^(?:N/A|[\d.]+[KMG]?|)$"
Place = tuple[HeadingColumn, CellSpan | None]


@frozen()
class _Table:
    """One of the tables side by side. spans: of its columns of numbers; forms: the pattern of the cells of each; short: (pattern of a line, the
    first of the columns that it lacks); label: the index of its labels, -1 if it has none."""

    spans: list[int]
    forms: list[str]
    short: list[tuple[str, int]]
    label: int


def whole_rows(
    report_lines: ReportLines,
    lines: np.ndarray,
    cells: np.ndarray,
    suspect: np.ndarray,
    labels: Sequence[np.ndarray],
    columns: Sequence[Place],
    heading: Columns,
    rejects: Rejects,
) -> np.ndarray:
    """Bool per row: it is not shifted; rejects the others, and marks and rejects single cells in doubt (see `_in_doubt`)."""
    wrong, shifted = _in_doubt(cells, suspect, report_lines.text.gather(lines), labels, columns, heading)
    _reject(report_lines, lines, cells, wrong, shifted, [span for _, span in columns if span], rejects)
    suspect |= wrong
    return ~shifted


def _in_doubt(
    cells: np.ndarray,
    suspect: np.ndarray,
    text: pl.Series,
    labels: Sequence[np.ndarray],
    columns: Sequence[Place],
    heading: Columns,
) -> tuple[np.ndarray, np.ndarray]:
    """Which cells are blank or not printed as their column is, and which rows may be shifted: two cells or more are such, or one, and its
    neighbours may be in the wrong column too.

    cells: (n, spans, width) bytes; suspect: (n, spans) bool; text: the n lines; labels: per table with labels, those of the lines
    (-1: none); columns: all of the heading, with their spans. Returns (n, spans) and (n,) bool."""
    wrong, shifted = np.zeros_like(suspect), np.zeros(len(cells), dtype=bool)
    for table in _tables(columns, heading):
        texts = [_texts(cells[:, k]) for k in table.spans]
        filled = np.stack([(one != "").to_numpy() for one in texts], axis=1)
        odd = ~np.stack(list(map(_matches, texts, table.forms)), axis=1) | suspect[:, table.spans]
        for pattern, at in table.short:
            ends = np.flatnonzero(_matches(text, pattern))
            odd[ends, at:] = filled[ends, at:]
        # The table beside may have more lines.
        is_there = filled.any(axis=1) if heading.sides else np.ones(len(cells), dtype=bool)
        if table.label >= 0:
            is_there |= labels[table.label] >= 0
        odd[~is_there] = False
        many = odd.sum(axis=1)
        one = np.flatnonzero(many == 1)
        shifted |= many > 1
        shifted[one] |= _fit_neighbours([t.gather(one) for t in texts], table.forms, odd[one].argmax(axis=1))
        wrong[:, table.spans] = odd & np.stack([_matches(t, _READ) for t in texts], axis=1)
    return wrong & ~suspect, shifted


def _fit_neighbours(texts: Sequence[pl.Series], forms: Sequence[str], gap: np.ndarray) -> np.ndarray:
    """Bool per row with a gap in one column: the cells behind it may be those of the columns to their left, or, where the gap is at
    the end, the cell in front of it that of the column to its right."""
    blank = np.stack([(one == "").to_numpy() for one in texts], axis=1)
    last = len(forms) - 1 - (np.cumsum(blank[:, ::-1], axis=1) == np.arange(1, len(forms) + 1)).sum(axis=1)
    right = np.ones(len(gap), dtype=bool)
    left = np.zeros(len(gap), dtype=bool)
    for k, cells in enumerate(texts):
        if k:
            right &= (k <= gap) | (k > last) | _matches(cells, forms[k - 1])
        if k + 1 < len(forms):
            left |= (gap == k + 1) & _matches(cells, forms[k + 1])
    return np.where(gap < last, right, left)


def _texts(cells: np.ndarray) -> pl.Series:
    """(n, width) bytes as texts without blanks around."""
    whole = np.ascontiguousarray(cells).view(f"S{cells.shape[1]}").ravel()
    return pl.Series(np.char.decode(whole, "latin-1").tolist(), dtype=pl.String).str.strip_chars()


def _matches(texts: pl.Series, pattern: str) -> np.ndarray:
    return texts.str.contains(pattern).to_numpy()


def _form(span: CellSpan, cell: str) -> str:
    """A pattern of the cells of a span of numbers, or an empty one. `cell`: of those of every span."""
    column = span.targets[0].column if span.targets else None
    if column is not None and cell:
        return f"^(?:{cell})$"
    if column is None or column.decimals is None:
        return ""
    number = rf"\d*\.\d{{{column.decimals}}}" if column.decimals else r"\d+"
    # A share has no value where nothing is counted. A count or a rate always has one, and may be large.
    is_share = column.range[1] is not None
    return f"^(?:{number}|{_NO_VALUE if is_share else _LARGE})$"


def _tables(columns: Sequence[Place], heading: Columns) -> Iterator[_Table]:
    firsts = heading.sides.first if heading.sides else ()
    short, cell = (heading.whole_rows.short, heading.whole_rows.cell) if heading.whole_rows else ((), "")
    table = _Table([], [], [], -1)
    number = -1
    for column, span in columns:
        if span is None:
            continue
        number += 1
        if any(column.named(*title) for title in firsts):
            if table.spans:
                yield table
            table = _Table([], [], [], table.label + 1)
        if form := _form(span, cell):
            table.short.extend((line, len(table.spans)) for line, *title in short if column.named(*title))
            table.spans.append(number)
            table.forms.append(form)
    if table.spans:
        yield table


def _reject(
    report_lines: ReportLines,
    lines: np.ndarray,
    cells: np.ndarray,
    wrong: np.ndarray,
    shifted: np.ndarray,
    spans: Sequence[CellSpan],
    rejects: Rejects,
) -> None:
    """One reject per line that is shifted, of which nothing is read, and one per wrong cell of the others."""
    name = report_lines.report.name
    what = f"{name}: a cell is missing or misplaced, and others may be those of the columns beside; none is read"
    expected = "a number in each column, with as many decimals as the column has"
    hint = "blanks or a value may be lost or added; compare with the printed page"
    rejects.add(report_lines, lines[shifted], what, expected, hint, unread=lines[shifted])
    for row, k in np.argwhere(wrong & ~shifted[:, None]).tolist():
        span = spans[k]
        is_blank = (cells[row, k] == BLANK).all()
        what = f"{name}: {'no value' if is_blank else 'a value of another form'} under {span.title}"
        column = max(span.edge - 1, span.start)
        rejects.add(report_lines, lines[row : row + 1], what, expected, f"left NULL; {hint}", column=column)
