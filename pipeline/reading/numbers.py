"""Convert printed cells to values, in bulk. Blank, zero and unreadable are distinct; null_reasons.py has the reasons for no value.

Cells come as a byte matrix, one row per cell, right-aligned in CELL_WIDTH columns. The compiled part reads them (rust/src/numbers.rs);
cast.py has it hold those of a page against each other, too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from . import compiled
from .line_kinds import faults_told

CELL_WIDTH = 24

_BLANK = np.uint8(ord(" "))
# Below it every whole number is an exact double.
_MOST_EXACT = 2**53


def any_byte(flags: np.ndarray) -> np.ndarray:
    """Bool per cell: whether one of its CELL_WIDTH flags, the last axis, is set. Eight at a time, for speed."""
    return np.bitwise_or.reduce(np.ascontiguousarray(flags).view(np.uint64), axis=-1) != 0


def filled(cells: np.ndarray) -> np.ndarray:
    """Bool per cell: it is not blank. cells: (…, CELL_WIDTH) bytes."""
    return any_byte(cells != _BLANK)


def texts(cells: np.ndarray) -> pl.Series:
    """The cells as strings, blanks around them removed."""
    count, width = cells.shape
    offsets = np.arange(count + 1, dtype=np.int64) * width
    array = pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(cells)))
    series = pl.from_arrow(array)
    assert isinstance(series, pl.Series)
    return series.str.strip_chars(" ")


class Numbers(NamedTuple):
    """Per cell its value (NaN for none), its code, whether a percent sign follows, the factor of the suffix, and what one unit of
    the last printed digit is worth: the factor divided by 10^decimals."""

    value: np.ndarray
    code: np.ndarray
    percent: np.ndarray
    factor: np.ndarray
    digit: np.ndarray

    @property
    def whole(self) -> np.ndarray:
        """Bool per number: whole, or with a suffix (1.3G is not a whole number of bytes), and not so large that a double may be another."""
        return ((self.value == np.rint(self.value)) | (self.factor > 1)) & (np.abs(self.value) < _MOST_EXACT)


def read(cells: np.ndarray, reader: str, suffixes: str = "KMG", in_text: bool = False, unit: float = 0.0) -> Numbers:
    """The numbers that (n, CELL_WIDTH) bytes print. reader: that of the type of their column; suffixes: the letters that may be one; in_text: of
    free text, where a number with a unit may have any size (0.012 MB); unit: of a bare integer below a title of times, in seconds; 0 if
    unknown: such cells are not read."""
    with faults_told():
        value, factor, digit, code, percent = compiled.read_cells(cells, reader, suffixes, in_text, unit)
    doubles = (np.frombuffer(of, np.float64) for of in (value, factor, digit))
    value, factor, digit = doubles
    code = np.frombuffer(bytearray(code), np.uint8)
    return Numbers(value, code, np.frombuffer(percent, np.bool_), factor, digit)


def have_decimals(cells: np.ndarray, wanted: int, full: int) -> np.ndarray:
    """Bool per cell without a suffix: it prints that many decimals, or a number that leaves no room for these (Column.digits: `full`)."""
    with faults_told():
        return np.frombuffer(compiled.have_decimals(cells, wanted, full), np.bool_)
