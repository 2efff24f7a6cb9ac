"""Numbers of one column of a page print equally many decimals; only a longer number may print fewer, for want of room. One alone that prints
fewer than numbers of no fewer digits in front of the point has lost a digit; one alone that prints more has a point too many."""

from __future__ import annotations

import numpy as np

from .numbers import LARGE

_POINT, _BLANK, _ZERO, _NINE = (np.uint8(ord(c)) for c in ". 09")
# No number is that long.
_MOST = 32


def unlike(cells: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Indexes of the cells that alone contradict others of their column. A bare 0 contradicts none, and a number of four digits or more, or of
    three without a point, may lack the room (as in numbers.has_decimals).

    cells: (n, width) bytes of numbers, right-aligned, as 9.6 or 1,204; column: (n,) which column of which page each is of.

    >>> some = np.array([f"{text:>6}".encode() for text in ("9.60", "5.75", "0.2", "701.7")])
    >>> unlike(some.view(np.uint8).reshape(4, 6), np.zeros(4, dtype=np.int64)).tolist()
    [2]
    """
    digits, decimals = _lengths(cells)
    is_bare = (decimals == 0) & ((digits >= LARGE - 1) | ((digits == 1) & (cells[:, -1] == _ZERO)))
    printed = np.flatnonzero((digits < LARGE) & ~is_bare)
    key = (column[printed] * _MOST + digits[printed]) * _MOST + decimals[printed]
    forms, which, many = np.unique(key, return_inverse=True, return_counts=True)
    of, digits, decimals = forms // _MOST**2, forms // _MOST % _MOST, forms % _MOST
    wrong = np.zeros(len(forms), dtype=bool)
    # Forms of a column stand together, those of fewer digits first.
    for apart in range(1, len(forms)):
        short, long = np.arange(len(forms) - apart), np.arange(apart, len(forms))
        alike = of[short] == of[long]
        if not alike.any():
            break
        at = alike & (decimals[long] > decimals[short])
        wrong[short[at & (many[short] == 1) & (many[long] > 1)]] = True
        wrong[long[at & (many[long] == 1) & (many[short] > 1)]] = True
    return printed[wrong[which]]


def _lengths(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per cell: how many digits are in front of its point, and how many behind."""
    is_digit = (cells >= _ZERO) & (cells <= _NINE)
    reverse = cells[:, ::-1] == _POINT
    has_point = reverse.any(axis=1)
    # Blanks may be right of the number.
    behind = np.where(has_point, reverse.argmax(axis=1) - (cells[:, ::-1] != _BLANK).argmax(axis=1), 0)
    return is_digit.sum(axis=1) - behind, behind
