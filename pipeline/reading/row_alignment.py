"""Rows of a heading whose numbers end below each other: a row that is shifted has them elsewhere, and each may be its neighbour's."""

from __future__ import annotations

import numpy as np

from .rejects import Rejects
from .report_lines import ReportLines

# A number that ends one column beside the others is still its own column's.
_NEAR = 1
_DIGIT = np.isin(np.arange(256), [ord(c) for c in "0123456789"])


def out_of_line(block: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Bool per row: a number of it ends where no other row of its heading has one, and all others have one where it has none: it is shifted,
    perhaps by a whole column. A cell without digits (N/A) is none. block: (rows, width) bytes; run: per row its heading. A row alone is never
    out of line, and of two that differ both are.

    >>> rows = np.array([list(b"MIN   1  54 "), list(b"MAX  10  85 "), list(b"AVG 2.4  56 ")], dtype=np.uint8)
    >>> out_of_line(rows, np.zeros(3)).tolist()
    [False, False, False]
    >>> rows[0] = list(b"MIN     1  3")
    >>> out_of_line(rows, np.zeros(3)).tolist()
    [True, False, False]
    """
    digits = np.pad(_DIGIT[block], ((0, 0), (0, 1)))
    # The fraction of a number belongs to it.
    ends = digits[:, :-1] & ~digits[:, 1:] & (np.pad(block[:, 1:], ((0, 0), (0, 1))) != ord("."))
    out = np.zeros(len(block), dtype=bool)
    for one in np.unique(run):
        rows = np.flatnonzero(run == one)
        near = _widened(ends[rows])
        others = near.sum(axis=0) - near
        alone = ends[rows] & (others == 0)
        lacking = (ends[rows].sum(axis=0) - ends[rows] > 0) & (others == len(rows) - 1) & (near == 0)
        out[rows] = alone.any(axis=1) & lacking.any(axis=1) & (len(rows) > 1)
    return out


def _widened(ends: np.ndarray) -> np.ndarray:
    near = ends.copy()
    for by in range(1, _NEAR + 1):
        near[:, by:] |= ends[:, :-by]
        near[:, :-by] |= ends[:, by:]
    return near.astype(np.int64)


def reject_out_of_line(report_lines: ReportLines, lines: np.ndarray, rejects: Rejects) -> None:
    """One reject per line, of which nothing is read."""
    what = f"{report_lines.report.name}: the numbers do not stand below those of the lines beside; none is read"
    hint = "blanks may be missing or added; compare with the printed page"
    rejects.add(report_lines, lines, what, "numbers in columns", hint, unread=lines)
