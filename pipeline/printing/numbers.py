"""Numbers as reports print them, many at a time: an array of numbers in, an array of characters out.

Every function takes numbers of any shape and returns their ASCII codes with the field's width as one more dimension.
A half is rounded up. What does not fit its field prints as asterisks, NaN as N/A.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Chars = NDArray[np.uint8]
Whole = NDArray[np.int64]

_BLANK, _STAR, _POINT, _ZERO = (ord(c) for c in " *.0")
_FOUR_DIGITS = np.array([f"{n:04d}".encode() for n in range(10_000)]).view(np.uint32)
_POWERS = 10 ** np.arange(19, dtype=np.int64)


def show(chars: Chars) -> list[str]:
    """The lines of a two-dimensional array of characters, for doctests and error messages."""
    return [row.tobytes().decode("ascii") for row in chars]


def rounded(values: NDArray[np.float64]) -> Whole:
    """Whole numbers, a half rounded up; what is not a number becomes 0."""
    return np.floor(np.nan_to_num(values, nan=0.0, posinf=1e18) + 0.5).astype(np.int64)


def zeros(numbers: Whole, width: int) -> Chars:
    """Whole numbers with leading zeros; digits beyond the field are lost, so the caller sees to it that there are none.

    >>> show(zeros(np.array([7, 1234567]), 7))
    ['0000007', '1234567']
    """
    groups = -(-width // 4)
    cells = np.empty((*numbers.shape, groups), np.uint32)
    rest = numbers
    for group in range(groups - 1, 0, -1):
        rest, four = np.divmod(rest, 10_000)
        cells[..., group] = _FOUR_DIGITS[four]
    cells[..., 0] = _FOUR_DIGITS[rest % 10_000]
    return cells.view(np.uint8)[..., groups * 4 - width :]


def _blanked(chars: Chars, numbers: Whole, digits: int) -> Chars:
    """`chars` with blanks for leading zeros, at least `digits` characters kept."""
    width = chars.shape[-1]
    used = np.maximum(np.searchsorted(_POWERS[1:], numbers, side="right") + 1, digits)
    chars[np.arange(width) < width - used[..., None]] = _BLANK
    return chars


def _marked(chars: Chars, wrong: NDArray[np.bool_], mark: str) -> Chars:
    """`chars` with `mark`, at the right of its field, where `wrong`."""
    if wrong.any():
        chars[wrong] = np.frombuffer(mark.rjust(chars.shape[-1])[-chars.shape[-1] :].encode(), np.uint8)
    return chars


def whole(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers, right-justified.

    >>> show(whole(np.array([0, 12.5, 1000, float("nan")]), 3))
    ['  0', ' 13', '***', 'N/A']
    """
    numbers = rounded(values)
    chars = _marked(_blanked(zeros(numbers, width), numbers, 1), numbers >= 10**width, "*" * width)
    return _marked(chars, np.isnan(values), "N/A")


def signed(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers, which may be below 0.

    >>> show(signed(np.array([1000, -22.4, -1000]), 4))
    ['1000', ' -22', '****']
    """
    chars = whole(np.abs(values), width)
    signs = np.where(values < 0, (chars == _BLANK).sum(axis=-1) - 1, width)
    chars[np.arange(width) == signs[..., None]] = ord("-")
    return _marked(chars, signs < 0, "*" * width)


def left(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers, left-justified.

    >>> show(left(np.array([0, 1234]), 6))
    ['0     ', '1234  ']
    """
    chars = whole(values, width)
    leading = (chars == _BLANK).sum(axis=-1, keepdims=True)
    return np.take_along_axis(chars, (np.arange(width) + leading) % width, axis=-1)


def _fixed(values: NDArray[np.float64], width: int, decimals: int) -> tuple[Chars, NDArray[np.bool_]]:
    """Numbers with exactly these decimals, and which of them do not fit."""
    if not decimals:
        numbers = rounded(values)
        return _blanked(zeros(numbers, width), numbers, 1), numbers >= 10**width
    numbers = rounded(values * 10.0**decimals)
    digits = _blanked(zeros(numbers, width - 1), numbers, decimals + 1)
    chars = np.empty((*numbers.shape, width), np.uint8)
    point = width - 1 - decimals
    chars[..., :point], chars[..., point], chars[..., point + 1 :] = digits[..., :point], _POINT, digits[..., point:]
    return chars, numbers >= 10 ** (width - 1)


def fixed(values: NDArray[np.float64], width: int, decimals: int) -> Chars:
    """Numbers with as many decimals as the field has room for, at most `decimals`: adaptive precision.

    >>> show(fixed(np.array([0.06, 474.23, 6809.3, 20013.0]), 5, 1))
    ['  0.1', '474.2', ' 6809', '20013']
    """
    chars, wide = _fixed(values, width, decimals)
    for fewer in range(decimals - 1, -1, -1):
        if not wide.any():
            break
        again, still = _fixed(values[wide], width, fewer)
        chars[wide] = again
        wide[wide] = still
    return _marked(_marked(chars, wide, "*" * width), np.isnan(values), "N/A")


def pointed(values: NDArray[np.float64], width: int, decimals: int) -> Chars:
    """The same, without a zero before the point.

    >>> show(pointed(np.array([0.0, 0.2138, 1.213, 121.3]), 4, 3))
    ['.000', '.214', '1.21', ' 121']
    """
    chars = fixed(values, width, decimals)
    small = values < 1 - 0.5 * 10.0**-decimals
    if small.any():
        digits = fixed(values[small], width + 1, decimals)
        digits[..., width - 1 - decimals] = _BLANK
        chars[small] = digits[..., 1:]
    return chars


def measured(values: NDArray[np.float64], width: int, decimals: int) -> Chars:
    """The same, with dashes where nothing was measured.

    >>> show(measured(np.array([31.6, float("nan")]), 6, 2))
    [' 31.60', ' -----']
    """
    return _marked(fixed(values, width, decimals), np.isnan(values), "-----")


def rate(values: NDArray[np.float64], width: int) -> Chars:
    """Rates with two decimals below 100, else one, as the coupling facility's are.

    >>> show(rate(np.array([23.256, 701.73, 18332.4]), 6))
    [' 23.26', ' 701.7', ' 18332']
    """
    return np.where((values < 99.995)[..., None], fixed(values, width, 2), fixed(values, width, 1))


def suffixed(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers in a field whose last column is the gap for K, M, G or T: larger ones in thousands, millions, …

    >>> show(suffixed(np.array([769142, 2237310, 38812, 91e9]), 7)), show(suffixed(np.array([38812]), 4))
    (['769142 ', '  2237K', ' 38812 ', ' 91000M'], [' 39K'])
    """
    chars = np.full((*values.shape, width), _BLANK, np.uint8)
    left = np.ones(values.shape, bool)
    for power, suffix in enumerate(" KMGT"):
        chars[left, :-1] = whole(values[left] / 1000**power, width - 1)
        chars[left, -1] = ord(suffix)
        left[left] = rounded(values[left] / 1000**power) >= 10 ** (width - 1)
        if not left.any():
            break
    chars[np.isnan(values), -1] = _BLANK
    return chars


def shortened(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers; larger ones in thousands (K), millions, …, all of them at the right edge.

    >>> show(shortened(np.array([511302, 74112345, 0, float("nan")]), 6))
    ['511302', '74112K', '     0', '   N/A']
    """
    chars = whole(values, width)
    left = rounded(values) >= 10**width
    for power, suffix in enumerate("KMGT", 1):
        if not left.any():
            break
        chars[left, :-1] = whole(values[left] / 1000**power, width - 1)
        chars[left, -1] = ord(suffix)
        left[left] = rounded(values[left] / 1000**power) >= 10 ** (width - 1)
    return chars


def quantity(values: NDArray[np.float64], width: int) -> Chars:
    """Counts as Db2 reports print them: two decimals, larger ones in thousands (K), millions, … with one, all of them at
    the right edge.

    >>> show(quantity(np.array([1453, 107_400, 14_515_100, 651_400_000]), 8))
    [' 1453.00', '  107.4K', '14515.1K', '  651.4M']
    """
    chars, wide = _fixed(values, width, 2)
    for power, suffix in enumerate("KMGT", 1):
        if not wide.any():
            break
        again, still = _fixed(values[wide] / 1000**power, width - 1, 1)
        chars[wide, :-1], chars[wide, -1] = again, ord(suffix)
        wide[wide] = still
    return _marked(_marked(chars, wide, "*" * width), np.isnan(values), "N/A")


def clock(values: NDArray[np.float64], width: int, decimals: int) -> Chars:
    """Times in seconds with all their units: HHH.MM.SS.fraction; the hours take what the field has left.

    >>> show(clock(np.array([15.590291]), 16, 6)), show(clock(np.array([0.09]), 12, 3)), show(clock(np.array([899]), 8, 0))
    (['000.00.15.590291'], ['00.00.00.090'], ['00.14.59'])
    """
    seconds, fraction = np.divmod(rounded(values * 10.0**decimals), 10**decimals)
    minutes, second = np.divmod(seconds, 60)
    hours, minute = np.divmod(minutes, 60)
    behind = decimals + 1 if decimals else 0
    chars = np.full((*values.shape, width), _POINT, np.uint8)
    if decimals:
        chars[..., width - decimals :] = zeros(fraction, decimals)
    end = width - behind
    chars[..., end - 2 : end], chars[..., end - 5 : end - 3] = zeros(second, 2), zeros(minute, 2)
    chars[..., : end - 6] = zeros(hours, end - 6)
    return _marked(chars, hours >= 10 ** (end - 6), "*" * width)


def days(values: NDArray[np.float64], width: int) -> Chars:
    """Times in seconds as days-hh:mm:ss.fraction, right-justified; in 14 characters without days.

    >>> show(days(np.array([90061.5]), 19)), show(days(np.array([0.25]), 14))
    ([' 001-01:01:01.50000'], ['00:00:00.25000'])
    """
    chars = np.full((*values.shape, max(width, 18)), _BLANK, np.uint8)
    rest = np.rint(values * 100_000).astype(np.int64)
    end = chars.shape[-1]
    for digits, units, mark in ((5, 100_000, "."), (2, 60, ":"), (2, 60, ":"), (2, 24, "-"), (3, 1000, "")):
        rest, part = np.divmod(rest, units)
        chars[..., end - digits : end] = zeros(part, digits)
        if mark:
            chars[..., end - digits - 1] = ord(mark)
        end -= digits + 1
    return chars[..., -width:]


def short_clock(values: NDArray[np.float64], width: int, decimals: int) -> Chars:
    """Times without their leading zero units; below a second the bare fraction, right-justified.

    >>> show(short_clock(np.array([0.143, 246.826, 0, 3600.5]), 13, 3)), show(short_clock(np.array([0.679822]), 9, 6))
    (['          143', '     4.06.826', '            0', '  1.00.00.500'], ['   679822'])
    """
    chars = clock(values, max(width, decimals + 8), decimals)
    leading = np.logical_and.accumulate((chars == _ZERO) | (chars == _POINT), axis=-1)
    leading[..., -1] = False
    chars[leading] = _BLANK
    lost = (chars[..., : chars.shape[-1] - width] != _BLANK).any(axis=-1)
    return _marked(chars[..., chars.shape[-1] - width :], lost, "*" * width)


def thousands(values: NDArray[np.float64], width: int) -> Chars:
    """Whole numbers with commas between groups of three, which are dropped where they do not fit.

    >>> show(thousands(np.array([0, 624950, 1150910]), 7))
    ['      0', '624,950', '1150910']
    """
    numbers = rounded(values)
    plain = whole(values, width)
    places = [width - 1 - n - n // 3 for n in range(width) if width - 1 - n - n // 3 >= 0]
    chars = np.full((*values.shape, width), ord(","), np.uint8)
    chars[..., places[::-1]] = zeros(numbers, len(places))
    used = np.searchsorted(_POWERS[1:], numbers, side="right") + 1
    used += (used - 1) // 3
    chars[np.arange(width) < width - used[..., None]] = _BLANK
    return np.where((used > width)[..., None], plain, chars)


def bars(values: NDArray[np.float64], width: int) -> Chars:
    """Percentages as bars, a character each two percent, as published pages draw them.

    >>> show(bars(np.array([0, 1.2, 1.6, 5.8]), 6))
    ['>     ', '>     ', '>>    ', '>>>>  ']
    """
    ends = (values / 2 + 0.25).astype(np.int64) + 1
    return np.where(np.arange(width) < ends[..., None], ord(">"), _BLANK).astype(np.uint8)


Formatter = Callable[[NDArray[np.float64], int, int], Chars]

# Formatters of holes, by letter.
FORMATTERS: dict[str, Formatter] = {
    "d": lambda values, width, _: whole(values, width),
    "i": lambda values, width, _: signed(values, width),
    "l": lambda values, width, _: left(values, width),
    "f": fixed,
    "p": pointed,
    "m": measured,
    "k": lambda values, width, _: suffixed(values, width),
    "n": lambda values, width, _: shortened(values, width),
    "r": lambda values, width, _: rate(values, width),
    "q": lambda values, width, _: quantity(values, width),
    "t": short_clock,
    "c": clock,
    "y": lambda values, width, _: days(values, width),
    "z": lambda values, width, _: zeros(rounded(values), width),
    "h": lambda values, width, _: bars(values, width),
    "g": lambda values, width, _: thousands(values, width),
}
