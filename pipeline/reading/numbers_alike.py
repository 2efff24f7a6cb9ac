"""Numbers of one column of a page print equally many decimals; only a longer number may print fewer, for want of room. One alone that prints
fewer than two numbers of no fewer digits in front of the point, or, of shares, than one and all others, has lost a digit; one alone that prints more has a point too many. One with a comma
and no decimals among others with some has a comma for its point. And they end below each other: one that ends a place in front of the others has
lost its last digit, if the others of its row are where they belong."""

from __future__ import annotations

import numpy as np

from .numbers import LARGE, blanks_behind

_POINT, _COMMA, _ZERO, _NINE = (np.uint8(ord(c)) for c in ".,09")
# No number is that long, and no line.
_MOST, _PLACES = 32, 1 << 12


def unlike(cells: np.ndarray, column: np.ndarray, is_share: np.ndarray) -> np.ndarray:
    """Indexes of the cells that alone contradict others of their column. A bare 0 contradicts none, and a number of four digits or more, or of
    three without a point, may lack the room (as in numbers.has_decimals).

    cells: (n, width) bytes of numbers, right-aligned, as 9.6 or 1,204; column: (n,) which column of which page each is of; is_share: (n,) bool.

    >>> some = np.array([f"{text:>6}".encode() for text in ("9.60", "5.75", "0.2", "701.7")]).view(np.uint8).reshape(4, 6)
    >>> unlike(some, np.zeros(4, dtype=np.int64), np.zeros(4, dtype=bool)).tolist()
    [2]
    >>> some = np.array([f"{text:>6}".encode() for text in ("38.8", "27.26", "0.47")]).view(np.uint8).reshape(3, 6)
    >>> unlike(some, np.zeros(3, dtype=np.int64), np.ones(3, dtype=bool)).tolist()
    [0]
    """
    digits, decimals = _lengths(cells)
    has_comma = (decimals == 0) & (cells == _COMMA).any(axis=1)
    in_thousands = np.flatnonzero(has_comma & np.isin(column, column[decimals > 0]))
    is_bare = (decimals == 0) & ((digits >= LARGE - 1) | ((digits == 1) & (cells[:, -1] == _ZERO)))
    printed = np.flatnonzero((digits < LARGE) & ~is_bare)
    key = (column[printed] * _MOST + digits[printed]) * _MOST + decimals[printed]
    forms, first, which, many = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    of, digits, decimals = forms // _MOST**2, forms // _MOST % _MOST, forms % _MOST
    wrong = np.zeros(len(forms), dtype=bool)
    in_column = _added_up(of, many)
    # All others of its column print so many decimals.
    are_rest = (in_column == _added_up(of * _MOST + decimals, many) + 1) & (in_column > 2) & is_share[printed[first]]
    # Forms of a column stand together, those of fewer digits first.
    for apart in range(1, len(forms)):
        short, long = np.arange(len(forms) - apart), np.arange(apart, len(forms))
        alike = of[short] == of[long]
        if not alike.any():
            break
        at = alike & (decimals[long] > decimals[short])
        wrong[short[at & (many[short] == 1) & ((many[long] > 1) | are_rest[long])]] = True
        wrong[long[at & (many[long] == 1) & (many[short] > 1)]] = True
    return np.append(printed[wrong[which]], in_thousands)


def ending_early(cells: np.ndarray, end: np.ndarray, column: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Indexes of the numbers that alone of their column end there, while two others or more end a place farther right. Whole numbers are compared
    with whole ones. If several of a line end early, the line is shifted, and none has lost a digit.

    cells: (n, width) bytes; end: (n,) the place where each ends; column, line: (n,) which column of which page, and which line it is of.

    >>> some = np.array([f"{text:>4}".encode() for text in ("24", "31", "2", "10", "7", "18")]).view(np.uint8).reshape(6, 4)
    >>> end, line = np.array([10, 10, 9, 20, 20, 20]), np.array([1, 2, 3, 1, 2, 3])
    >>> ending_early(some, end, np.repeat([0, 1], 3), line).tolist()
    [2]
    """
    key = (2 * column + (cells == _POINT).any(axis=1)) * _PLACES + end
    # Places of a column stand together, the leftmost first.
    place, which, many = np.unique(key, return_inverse=True, return_counts=True)
    is_early = (np.diff(place) == 1) & (many[:-1] == 1) & (many[1:] > 1)
    early = np.flatnonzero(np.append(is_early, False)[which])
    _, of_line, times = np.unique(line[early], return_inverse=True, return_counts=True)
    return early[times[of_line] == 1]


def _added_up(key: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Per entry the sum of `many` over those of its key."""
    _, which = np.unique(key, return_inverse=True)
    return np.bincount(which, many)[which] if len(key) else many


def _lengths(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per cell: how many digits are in front of its point, and how many behind."""
    is_digit = (cells >= _ZERO) & (cells <= _NINE)
    reverse = cells[:, ::-1] == _POINT
    has_point = reverse.any(axis=1)
    behind = np.where(has_point, reverse.argmax(axis=1) - blanks_behind(cells), 0)
    return is_digit.sum(axis=1) - behind, behind
