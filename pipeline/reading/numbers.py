"""Convert printed cells to values, in bulk. Blank, zero and unreadable are distinct; null_reasons.py has the reasons for no value.

Cells come as a byte matrix, one row per cell, right-aligned in CELL_WIDTH columns. Every function returns float64 values (NaN if none)
and a uint8 code per cell: OK, BLANK, or the reason for no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from .null_reasons import BLANK, OK, UNREADABLE, reasons

CELL_WIDTH = 24

_BLANK, _POINT, _NINE = (np.uint8(ord(c)) for c in " .9")

_SHORT = CELL_WIDTH - 8
# Numbers of so many digits in front of the point may have lost decimals to the width of their column.
LARGE = 4
_MOST_WITH_SUFFIX = 3
# Below it every whole number is an exact double.
_MOST_EXACT = 2**53
_BLANK_WORD = np.frombuffer(b" " * 8, np.uint64)[0]

# Expressions over a column of texts: asked together they take half the time that they take one by one, which is most of it
# where there are few texts.
_TEXT = pl.col("text")

_THOUSANDS = {"K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "": 1.0}
_BINARY = {"K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "": 1.0}


def _any(flags: np.ndarray) -> np.ndarray:
    """Bool per row of a (n, CELL_WIDTH) bool matrix: whether any is set. Eight bytes at a time, for speed."""
    words = flags.view(np.uint64)
    return np.bitwise_or.reduce(words, axis=1) != 0


def filled(cells: np.ndarray) -> np.ndarray:
    """Bool per cell: it is not blank."""
    return _any(cells != _BLANK)


def _plain(cells: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Bool per cell: filled, with only digits and a point (a slash passes here and fails to cast)."""
    strange = (cells - _POINT) > _NINE - _POINT
    strange &= cells != _BLANK
    return some & ~_any(strange)


def texts(cells: np.ndarray) -> pl.Series:
    """The cells as strings, blanks around them removed."""
    count, width = cells.shape
    offsets = np.arange(count + 1, dtype=np.int64) * width
    array = pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(cells)))
    series = pl.from_arrow(array)
    assert isinstance(series, pl.Series)
    return series.str.strip_chars(" ")


class Numbers(NamedTuple):
    """Numbers read from cells: value, code, whether a percent sign follows, and the factor of the suffix."""

    value: np.ndarray
    code: np.ndarray
    percent: np.ndarray
    factor: np.ndarray

    @classmethod
    def none(cls, count: int) -> Numbers:
        value, code = _empty(count)
        return cls(value, code, np.zeros(count, dtype=bool), np.ones(count))

    @property
    def whole(self) -> np.ndarray:
        """Bool per number: whole, or with a suffix (1.3G is not a whole number of bytes), and not so large that a double may be another."""
        return ((self.value == np.rint(self.value)) | (self.factor > 1)) & (np.abs(self.value) < _MOST_EXACT)

    def take(self, at: np.ndarray) -> Numbers:
        return Numbers(*(of[at] for of in self))

    def put(self, at: np.ndarray, other: Numbers) -> None:
        for mine, theirs in zip(self, other, strict=True):
            mine[at] = theirs


def _empty(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(count, np.nan), np.full(count, BLANK, dtype=np.uint8)


def _asked(strings: pl.Series, what: Sequence[pl.Expr]) -> list[np.ndarray]:
    """The expressions over _TEXT evaluated for these strings."""
    return [s.to_numpy() for s in strings.to_frame("text").select(e.alias(str(k)) for k, e in enumerate(what))]


def distinct(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An index per cell into the distinct cells, and these. cells: (n, width) bytes."""
    count, width = cells.shape
    data = pa.py_buffer(np.ascontiguousarray(cells))
    encoded = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), count, [None, data]).dictionary_encode()
    words = np.frombuffer(encoded.dictionary.buffers()[1], np.uint8)[: len(encoded.dictionary) * width]
    return encoded.indices.to_numpy(zero_copy_only=False), words.reshape(-1, width)


def once_each(
    read: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]], cells: np.ndarray, unit: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`read(cells, unit)` once per distinct cell: all distributions have the same bucket bounds."""
    value, code = _empty(len(cells))
    for one in np.unique(unit):
        at = np.flatnonzero(unit == one)
        which, different = distinct(cells[at])
        values, codes = read(different, np.full(len(different), one))
        value[at], code[at] = values[which], codes[which]
    return value, code


def numbers(cells: np.ndarray, binary: bool, suffixes: str = "KMG", in_text: bool = True) -> Numbers:
    """Decimal numbers with commas between thousands, and with a suffix or a percent sign.

    cells: (n, CELL_WIDTH) bytes; binary: suffixes count by 1024; suffixes: the letters that may be one; in_text: of free text,
    where a number with a unit may have any size (0.012 MB). Reports repeat the same few numbers: each distinct cell of
    up to _SHORT characters is read once.
    """
    which, ends = distinct(cells[:, -_SHORT:])
    short = np.full((len(ends), CELL_WIDTH), _BLANK, dtype=np.uint8)
    short[:, -_SHORT:] = ends
    out = _numbers(short, binary, suffixes, in_text).take(which)
    long = np.flatnonzero(cells.view(np.uint64).reshape(len(cells), CELL_WIDTH // 8)[:, 0] != _BLANK_WORD)
    if len(long):
        out.put(long, _numbers(np.ascontiguousarray(cells[long]), binary, suffixes, in_text))
    return out


_PARTS = _TEXT.str.extract_groups(r"^(-?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?)([KMGBT]?)(%?)$").alias("parts")
_VALUE = pl.col("1").str.replace_all(",", "", literal=True).cast(pl.Float64, strict=False)
_FACTOR = {
    binary: pl.col("2").fill_null("").replace_strict(worth, default=np.nan)
    for binary, worth in ((True, _BINARY), (False, _THOUSANDS))
}
_IS_PERCENT = pl.col("3").fill_null("") == "%"
_DECIMALS = _TEXT.str.extract(r"\.([0-9]*)", 1).str.len_bytes().fill_null(0).alias("decimals")


def _numbers(cells: np.ndarray, binary: bool, suffixes: str, in_text: bool) -> Numbers:
    out = Numbers.none(len(cells))
    some = filled(cells)
    plain = np.flatnonzero(_plain(cells, some))
    if len(plain):
        strings = texts(cells[plain])
        read = strings.cast(pl.Float64, strict=False)
        out.value[plain] = read.to_numpy()
        # A point without decimals after it means that the line was cut; a 0 in front of digits, that a point is lost.
        out.code[plain] = np.where((read.is_null() | strings.str.contains(r"\.$|^0[0-9]")).to_numpy(), UNREADABLE, OK)
    rest = np.flatnonzero(some & (out.code == BLANK))
    if len(rest):
        strings = texts(cells[rest])
        out.code[rest] = reasons(strings)
        parts = strings.to_frame("text").select(_PARTS, _DECIMALS).unnest("parts")
        read = parts.select(_VALUE, _FACTOR[binary], _IS_PERCENT, "decimals")
        value, factor, is_percent, decimals = (s.to_numpy() for s in read)
        is_odd = is_percent & (factor > 1)
        good = (
            ~np.isnan(value) & ~np.isnan(factor) & ~is_odd & parts["2"].fill_null("").is_in(["", *suffixes]).to_numpy()
        )
        # A suffix saves digits: it stands behind no 0.1 and no 1.792.
        if not in_text:
            good &= (parts["2"].fill_null("") == "").to_numpy() | ((value >= 1) & (decimals < _MOST_WITH_SUFFIX))
        value = value[good] * factor[good]
        # 17.1G is a whole number, but 17.1 has no exact double.
        exact = 0 if binary else factor[good] / 10.0 ** decimals[good]
        out.value[rest[good]] = np.where((factor[good] > 1) & (exact >= 1), np.rint(value), value)
        out.code[rest[good]] = OK
        out.factor[rest] = factor
        out.percent[rest] = is_percent
    return out


def blanks_behind(cells: np.ndarray) -> np.ndarray:
    """Per cell that is not blank: how many blanks are right of it."""
    return (cells[:, ::-1] != _BLANK).argmax(axis=1)


def has_decimals(cells: np.ndarray, wanted: np.ndarray, full: np.ndarray) -> np.ndarray:
    """Bool per cell without a suffix: it prints so many decimals, or a number that leaves no room for these: one of `full` digits or more, and
    where these are 0, one of four digits and more in front of its point, or of three without a point; or a bare 0, or 100.0. Such a number has no comma.
    cells: (n, CELL_WIDTH) bytes; wanted, full: per cell."""
    reverse = cells[:, ::-1]
    is_point = reverse == _POINT
    decimals = np.where(is_point.any(axis=1), is_point.argmax(axis=1) - blanks_behind(cells), 0)
    out = decimals == wanted
    at = np.flatnonzero(~out)
    if len(at):
        digits = ((reverse[at] >= ord("0")) & (reverse[at] <= _NINE)).sum(axis=1) - decimals[at]
        bare = (~is_point[at].any(axis=1) & (digits >= LARGE - 1)) | texts(cells[at]).is_in(["0", "100.0"]).to_numpy()
        has_room = np.where(full[at] > 0, digits + decimals[at] < full[at], (digits < LARGE) & ~bare)
        out[at] = ~has_room & (is_point[at].any(axis=1) | ~(reverse[at] == ord(",")).any(axis=1) | (wanted[at] == 0))
    return out


def last_digit(cells: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """The value of one unit of the last printed digit: the suffix's factor divided by 10^decimals."""
    (decimals,) = _asked(texts(cells), [_DECIMALS])
    return factor / 10.0 ** decimals.astype(float)


_CLOCK = (
    _TEXT.str.contains(r"^(?:(?:\d{1,3}\.\d{2}\.\d{2}|\d{1,2}\.\d{2}|\d{1,2})\.)?(?:\d{3}|\d{6})$"),
    _TEXT.str.contains(r"^\d{1,6}$"),
    _TEXT.str.replace_all(".", "", literal=True).cast(pl.Int64, strict=False).fill_null(0),
    _TEXT.str.extract(r"\.(\d+)$", 1).str.len_bytes().fill_null(0),
)


def clocks(cells: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Seconds of times printed as HHH.MM.SS.fraction with leading zero units left out.

    unit: unit of a bare integer in seconds (0.001 or 0.000001, from the heading; 0 if unknown: such cells are not read).
    """
    values, codes = _empty(len(cells))
    some = np.flatnonzero(filled(cells))
    if len(some):
        strings = texts(cells[some])
        shaped, bare, digits, fraction_digits = _asked(strings, _CLOCK)
        code = np.where(shaped | bare, OK, reasons(strings)).astype(np.uint8)
        known = unit[some] > 0
        base = np.where(bare, np.rint(1 / np.where(known, unit[some], 1.0)), 10.0**fraction_digits)
        whole, fraction = digits // base, digits % base
        hours, minutes, seconds = whole // 10000, whole // 100 % 100, whole % 100
        # Divided last: whole seconds and a fraction that are added have digits that nobody printed (2.4971360000000002).
        total = np.where(bare, digits, (hours * 3600 + minutes * 60 + seconds) * base + fraction) / base
        code[(code == OK) & ((minutes > 59) | (seconds > 59)) & ~bare] = UNREADABLE
        code[bare & ~known] = UNREADABLE
        values[some] = np.where(code == OK, total, np.nan)
        codes[some] = code
    return values, codes


def bounds(cells: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Upper bounds of buckets: `<= clock` or `< clock`; `> clock` is the bucket above the last bound and has none."""
    above = (cells == ord(">")).any(axis=1)
    stripped = np.where((cells == ord("<")) | (cells == ord("=")) | (cells == ord(">")), np.uint8(32), cells)
    values, codes = clocks(stripped, unit)
    values[above & (codes == OK)] = np.nan
    return values, codes


def hours_minutes_seconds(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Seconds of durations printed as hh.mm.ss or hh:mm:ss."""
    values, codes = _empty(len(cells))
    some = np.flatnonzero(filled(cells))
    if len(some):
        strings = texts(cells[some])
        good = strings.str.contains(r"^\d{1,3}(?:(?:\.[0-5]\d){2}|(?::[0-5]\d){2})$").to_numpy()
        digits = strings.str.replace_all(r"[.:]", "").cast(pl.Int64, strict=False).fill_null(0).to_numpy()
        total = digits // 10000 * 3600 + digits // 100 % 100 * 60 + digits % 100
        values[some] = np.where(good, total, np.nan)
        codes[some] = np.where(good, OK, reasons(strings))
    return values, codes


_AMOUNT = r"^(?:(?:(\d{1,4})-)?(\d{1,5}):)?(\d{1,4}):([0-5]\d(?:\.\d+)?)$"


def amounts(cells: np.ndarray) -> Numbers:
    """Decimal numbers, and durations with colons (h:mm:ss.fraction, leading zero units left out, or with days in front as
    ddd-hh:mm:ss.fraction) in seconds."""
    out = numbers(cells, binary=False, in_text=False)
    some = np.flatnonzero((out.code == UNREADABLE) & (cells == ord(":")).any(axis=1))
    if len(some):
        parts = texts(cells[some]).str.extract_groups(_AMOUNT).struct
        days, hours, minutes, rest = (parts.field(n).cast(pl.Float64, strict=False) for n in ("1", "2", "3", "4"))
        total = (days.fill_null(0) * 86400 + hours.fill_null(0) * 3600 + minutes * 60 + rest).to_numpy()
        # As above: of the printed decimals.
        digit = 10.0 ** parts.field("4").str.extract(r"\.(\d+)$", 1).str.len_bytes().fill_null(0).to_numpy()
        total = np.rint(total * digit) / digit
        good = ~np.isnan(total) & ~(hours.is_not_null() & (minutes > 59)).fill_null(False).to_numpy()
        out.value[some[good]] = total[good]
        out.code[some[good]] = OK
        out.factor[some[good]] = 1.0
    return out
