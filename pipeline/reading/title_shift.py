"""Shifted titles: check the titles of spread columns against the numbers below.

A retyped page may have lost blanks before its titles, which would give each number the name of its neighbour. A heading is moved only on
evidence: its first title is over another column's cells, and all possible moves give every number the same title. If two titles fit,
nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .cells import BLANK, IS_SUFFIX

# The shift of a heading that no move explains.
UNDECIDED = -1
# A number of that many digits may lack room for its decimals.
_LARGE = 4


class Titles(NamedTuple):
    """Titles after the title `after`: columns [start, end) of each, and of `after` itself."""

    line: int
    after: tuple[int, int]
    start: np.ndarray
    end: np.ndarray


class _Numbers(NamedTuple):
    """Numbers after the cell of `after`: row and columns [start, end) of each, and whether it ends in a suffix. `cell_end`: per row the end of
    the cell of `after`; past all titles if blank."""

    row: np.ndarray
    start: np.ndarray
    end: np.ndarray
    suffix: np.ndarray
    cell_end: np.ndarray


class _Fit(NamedTuple):
    """A heading moved by some columns. Per number its title (-1: none, or two); per row whether numbers and titles match one to one (`true`),
    and whether each number ends where numbers should (`tight`)."""

    title: np.ndarray
    true: np.ndarray
    tight: np.ndarray


def titles_behind(lines: Sequence[str], after: str) -> Titles | None:
    """The titles right of `after` on its heading line; None if no line has it, or nothing follows."""
    for number, line in enumerate(lines):
        anchor = re.search(rf"(?<!\S){re.escape(after)}(?!\S)", line)
        if anchor:
            spans = np.array([m.span() for m in re.finditer(r"\S+", line) if m.start() >= anchor.end()], dtype=np.int64)
            return Titles(number, anchor.span(), spans[:, 0], spans[:, 1]) if len(spans) else None
    return None


def moved(lines: Sequence[str], titles: Titles, by: int) -> tuple[str, ...]:
    """The heading with the titles after `after` moved right.

    >>> moved([" INT  READS"], titles_behind([" INT  READS"], "INT"), 3)
    (' INT     READS',)
    """
    out = list(lines)
    line, behind = out[titles.line], titles.after[1]
    out[titles.line] = line[:behind] + " " * by + line[behind:]
    return tuple(out)


def moves(titles: Titles, block: np.ndarray, run: np.ndarray, most: int) -> np.ndarray:
    """By how many columns, 0 to `most`, the titles above each row are too far left; UNDECIDED if that is ambiguous, so the row's
    numbers have no names.

    block: (rows, width) bytes of the rows; run: per row its heading, which is judged by its own rows only. A number belongs to the title
    above it and ends with the title or one column before (a suffix one after). If all numbers of a heading do, nothing is moved. Titles that
    a single blank parts are one that lost a letter.
    """
    numbers = _numbers(titles, block)
    count = len(block)
    if (titles.start[1:] - titles.end[:-1] == 1).any():
        return np.full(count, UNDECIDED)
    _, of_row = np.unique(run, return_inverse=True)
    by = np.zeros(count, dtype=np.int64)
    printed = _fit(titles, numbers, 0, count)
    doubted = ~_all_of_run(printed.tight, of_row)[of_row]
    if doubted.any():
        rows = np.flatnonzero(doubted)
        of_some = np.unique(of_row[rows], return_inverse=True)[1]
        by[rows] = _weighed(titles, _numbers(titles, block[rows]), of_some, most)
    title = printed.title
    for move in np.unique(by[by > 0]).tolist():
        title = np.where(by[numbers.row] == move, _fit(titles, numbers, move, count).title, title)
    by[_lost_a_cell(titles, numbers, title, block, of_row)] = UNDECIDED
    return by


def _lost_a_cell(
    titles: Titles, numbers: _Numbers, title: np.ndarray, block: np.ndarray, of_row: np.ndarray
) -> np.ndarray:
    """Rows that end in front of the last title, which others fill, and have a number with other decimals than all others below its title, at least
    two: a cell is lost, and those behind it are one title too far left. A number of four digits or more may lack room for decimals."""
    has_last = np.bincount(numbers.row, title == len(titles.start) - 1, len(block)) > 0
    is_short = ~has_last & ~_all_of_run(~has_last, of_row)[of_row]
    if not is_short.any():
        return np.flatnonzero(is_short)
    point = np.maximum.accumulate(np.where(block == ord("."), np.arange(block.shape[1]), -1), axis=1)
    point = np.where((at := point[numbers.row, numbers.end - 1]) >= numbers.start, at, numbers.end)
    decimals = np.maximum(numbers.end - point - 1, 0)
    some = np.flatnonzero((title >= 0) & ~numbers.suffix & (point - numbers.start < _LARGE))
    column = of_row[numbers.row[some]] * len(titles.start) + title[some]
    forms, form, many = np.unique(column * block.shape[1] + decimals[some], return_inverse=True, return_counts=True)
    of_column, forms_of = np.unique(forms // block.shape[1], return_counts=True)
    is_odd = (many[form] == 1) & (np.bincount(column)[column] > 2)
    is_odd &= forms_of[np.searchsorted(of_column, column)] == 2
    return np.unique(numbers.row[some][is_odd & is_short[numbers.row[some]]])


def _weighed(titles: Titles, numbers: _Numbers, of_row: np.ndarray, most: int) -> np.ndarray:
    """`moves` of rows with a number that does not end with its title."""
    count = len(of_row)
    fits = {by: _fit(titles, numbers, by, count) for by in range(-most, most + 1)}
    true = {by: _all_of_run(fit.true, of_row) for by, fit in fits.items()}
    runs = int(of_row.max()) + 1

    def differ(one: int, other: int) -> np.ndarray:
        """Bool per run: some number of it has another title."""
        out = np.zeros(runs, dtype=bool)
        out[of_row[numbers.row[fits[one].title != fits[other].title]]] = True
        return out

    rival = np.any([true[by] & differ(by, 0) for by in fits if by], axis=0)
    out = np.where(true[0] & ~rival, 0, UNDECIDED)
    # A title over the cell of `after`, which has its own title, proves that blanks were lost.
    over_cell = _all_of_run(titles.start[0] <= numbers.cell_end, of_row)
    for by in range(1, most + 1):
        alone = ~np.any([true[other] & differ(by, other) for other in fits], axis=0)
        out[(out == UNDECIDED) & _all_of_run(fits[by].tight, of_row) & alone & over_cell] = by
    by = out[of_row]
    # Where no move is true, not even one by a whole column, rows on which every number ends with a title are whole, and the
    # others are damaged.
    pitch = int(np.diff(titles.end).max(initial=0))
    farther = [by for by in range(-pitch, pitch + 1) if by not in fits]
    elsewhere = [_all_of_run(_fit(titles, numbers, by, count).true, of_row) for by in farther]
    some = np.bincount(numbers.row, minlength=count) > 0
    whole = ~np.any([*true.values(), *elsewhere], axis=0)[of_row] & fits[0].tight & some
    return np.where(whole, 0, by)


def _all_of_run(good: np.ndarray, of_row: np.ndarray) -> np.ndarray:
    """Bool per run: all its rows are good."""
    return np.bincount(of_row, weights=~good) == 0


def _numbers(titles: Titles, block: np.ndarray) -> _Numbers:
    filled = np.pad(block != BLANK, ((0, 0), (1, 1)))
    row, start = np.nonzero(~filled[:, :-1] & filled[:, 1:])
    _, end = np.nonzero(filled[:, :-1] & ~filled[:, 1:])
    first, last = titles.after
    cell_end = np.full(len(block), np.iinfo(np.int32).max, dtype=np.int64)
    of_after = (start < last) & (end > first)
    cell_end[row[of_after]] = end[of_after]
    behind = start >= last
    row, start, end = row[behind], start[behind], end[behind]
    return _Numbers(row, start, end, IS_SUFFIX[block[row, end - 1]], cell_end)


def _fit(titles: Titles, numbers: _Numbers, by: int, rows: int) -> _Fit:
    start, end = titles.start + by, titles.end + by
    beyond = numbers.end[:, None] - end
    ends = (beyond == 0) | (beyond == -1) | ((beyond == 1) & numbers.suffix[:, None])
    over = (numbers.start[:, None] < end) & (numbers.end[:, None] > start)
    tight = ends.any(axis=1)
    title = np.where(tight, ends.argmax(axis=1), np.where(over.sum(axis=1) == 1, over.argmax(axis=1), -1))
    # A title over the cell of `after` cannot belong to the next column.
    true = start[0] > numbers.cell_end
    true[numbers.row[title < 0]] = False
    again = (np.diff(numbers.row) == 0) & (np.diff(title) == 0)
    true[numbers.row[1:][again]] = False
    all_tight = true.copy()
    all_tight[numbers.row[~tight]] = False
    return _Fit(title, true, all_tight)
