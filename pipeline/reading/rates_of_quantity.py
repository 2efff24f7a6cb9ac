"""Rows of a quantity and its rates. One that lost a cell may have each number below the title of its neighbour: its numbers tell whether.

A rate is the quantity by a divisor of its column: seconds, threads, commits. The whole rows of an interval tell the divisors. What has rates is
counted, so its quantity is a whole number: shares and averages print N/A in place of rates. A row with a blank cell is
read if each quantity that would print it with its numbers moved would also print it as it is; so a row is not, where too little is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from . import null_reasons, numbers
from .cells import CellBlock

# The most precise rows of an interval, of which one or two may be wrong.
_ROWS = 5
# Divisors are known from rounded numbers, and the interval is printed to a hundredth of a second.
_NEAR = 1e-3
# A divisor that no row tells. Zero by it is zero.
_ANY = (np.finfo(np.float64).tiny, np.inf)
# Units of the last digit that a printed number may be away: reports round, or cut what is behind it.
_PRINTED = 1.0
# And that a number may be away that is printed like another.
_ALIKE = 0.5


class RatedRows(NamedTuple):
    """Rows of blocks with the same columns. `columns`: which of the declared titles each is, 0 the quantity; `filled`: (n, columns) bool;
    `is_share`: (n,) bool, the label has a percent sign."""

    block: CellBlock
    columns: tuple[int, ...]
    filled: np.ndarray
    is_share: np.ndarray


class _Numbers(NamedTuple):
    """Per cell, (n, columns): its number (NaN for none), the value of one unit of its last digit, and whether it states a reason for no value."""

    value: np.ndarray
    digit: np.ndarray
    is_stated: np.ndarray

    def within(self, units: float) -> tuple[np.ndarray, np.ndarray]:
        """The least and greatest numbers that are up to that many units of the last digit away, without bounds for a cell without a number."""
        low, high = self.value - units * self.digit, self.value + units * self.digit
        low = np.where(self.value >= 0, np.maximum(low, 0.0), low)
        return np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf, posinf=np.inf)

    @property
    def is_whole(self) -> np.ndarray:
        """(n, columns): not a number with a fraction, as far as it is printed."""
        return ~(np.abs(self.value - np.rint(self.value)) > self.digit / 2)

    def take(self, rows: np.ndarray, columns: np.ndarray) -> _Numbers:
        return _Numbers(*(of[np.ix_(rows, columns)] for of in self))


def may_be_shifted(rated: Sequence[RatedRows], intervals: Callable[[], np.ndarray]) -> list[np.ndarray]:
    """Bool per row, for each of `rated`: its numbers may be those of the columns beside. intervals: gives a number per line, of
    its interval; asked only where a row has a gap."""
    doubtful = [_with_gaps(rows) for rows in rated]
    if not any(rows.any() for rows in doubtful):
        return doubtful
    interval = intervals()
    divisors = _divisors(rated, doubtful, interval)
    out = []
    for rows, gaps in zip(rated, doubtful, strict=True):
        at = np.flatnonzero(gaps)
        shifted = np.zeros(len(gaps), dtype=bool)
        if len(at):
            of_row = divisors.of(interval[rows.block.line[at]], rows.columns)
            printed, is_share = _read(rows.block.cells[at]), rows.is_share[at]
            # A share has no rate.
            shifted[at] = is_share & ~np.isnan(printed.value[:, 1:]).all(axis=1)
            shifted[at] |= _shifted(printed, rows.filled[at], is_share, *of_row)
        out.append(shifted)
    return out


def _with_gaps(rows: RatedRows) -> np.ndarray:
    """Bool per row: a cell is blank. Not those of a quantity alone; but in front of one rate a zero or a number with a fraction
    may be that rate, if it is no share. Rows with a suspect cell are rejects anyway."""
    in_doubt = np.asarray(rows.filled[:, 1:].any(axis=1))
    if len(rows.columns) == 2:
        alone = np.flatnonzero(~in_doubt & ~rows.is_share)
        printed = _read(rows.block.cells[alone])
        in_doubt[alone] = (printed.value[:, 0] == 0) | ~printed.is_whole[:, 0]
    gaps = np.asarray(in_doubt & ~rows.filled.all(axis=1))
    return gaps if rows.block.suspect is None else np.asarray(gaps & ~rows.block.suspect.any(axis=1))


def _read(cells: np.ndarray) -> _Numbers:
    shape = cells.shape[:2]
    flat = np.ascontiguousarray(cells).reshape(-1, numbers.CELL_WIDTH)
    read = numbers.read(flat, "amount")
    good = read.code == null_reasons.OK
    digit = read.digit.reshape(shape)
    stated = ~good & (read.code != null_reasons.BLANK)
    return _Numbers(np.where(good, read.value, np.nan).reshape(shape), digit, stated.reshape(shape))


class _Divisors(NamedTuple):
    """The least and greatest divisor of a column, by interval and column; those that no row tells may be any."""

    known: dict[tuple[int, int], tuple[float, float]]

    def of(self, interval: np.ndarray, columns: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(n, columns) each."""
        distinct, which = np.unique(interval, return_inverse=True)
        bounds = [
            [(1.0, 1.0) if column == 0 else self.known.get((one, column), _ANY) for column in columns]
            for one in distinct.tolist()
        ]
        found = np.array(bounds)[which]
        return found[..., 0], found[..., 1]


def _divisors(rated: Sequence[RatedRows], doubtful: Sequence[np.ndarray], interval: np.ndarray) -> _Divisors:
    """Of the intervals with rows in doubt, from their whole rows."""
    wanted = np.unique(np.concatenate([interval[r.block.line[gaps]] for r, gaps in zip(rated, doubtful, strict=True)]))
    frames = []
    for rows in rated:
        whole = rows.filled.all(axis=1) & np.isin(interval[rows.block.line], wanted)
        if rows.block.suspect is not None:
            whole &= ~rows.block.suspect.any(axis=1)
        at = np.flatnonzero(whole)
        low, high = _read(rows.block.cells[at]).within(_PRINTED)
        for k, column in enumerate(rows.columns[1:], 1):
            frames.append(
                pl.DataFrame(
                    {
                        "interval": interval[rows.block.line[at]],
                        "column": np.full(len(at), column),
                        "q_low": low[:, 0],
                        "q_high": high[:, 0],
                        "low": low[:, k],
                        "high": high[:, k],
                    }
                )
            )
    bounds = pl.col("q_low") / pl.col("high"), pl.col("q_high") / pl.col("low")
    found = (
        pl.concat(frames)
        .filter(pl.col("low") > 0, pl.col("q_low") > 0, pl.col("high").is_finite(), pl.col("q_high").is_finite())
        .select("interval", "column", bounds[0].alias("low"), bounds[1].alias("high"))
        .sort(pl.col("high") / pl.col("low"), maintain_order=True)
        .group_by("interval", "column")
        .agg(pl.col("low", "high").head(_ROWS).median())
    )
    return _Divisors({(i, c): (low * (1 - _NEAR), high * (1 + _NEAR)) for i, c, low, high in found.iter_rows()})


def _shifted(
    cells: _Numbers, filled: np.ndarray, is_share: np.ndarray, least: np.ndarray, greatest: np.ndarray
) -> np.ndarray:
    """Bool per row with blank cells. least, greatest: the divisors of its columns."""
    out = np.zeros(len(filled), dtype=bool)
    patterns, which = np.unique(filled, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        at = np.flatnonzero(which.ravel() == number)
        printed = np.flatnonzero(pattern)
        mine, divisors = cells.take(at, printed), (least[at], greatest[at])
        # Of the first number: it is the quantity in all readings that have one.
        may_be_quantity = is_share[at] | mine.is_stated.any(axis=1) | mine.is_whole[:, 0]
        low, high = _quantities(mine, printed, *divisors)
        out[at] = (low > high) | (~may_be_quantity & (printed[0] == 0))
        for columns in _others(tuple(printed.tolist()), len(pattern)):
            low, high = _quantities(mine, np.array(columns), *divisors)
            fits = (low <= high) & (may_be_quantity | (columns[0] != 0))
            out[at] |= fits & _is_other(mine, printed, np.array(columns), (low, high), *divisors)
    return out


def _quantities(
    cells: _Numbers, columns: np.ndarray, least: np.ndarray, greatest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest quantity that would print these cells in these columns."""
    low, high = cells.within(_PRINTED)
    # Nothing counted is zero exactly.
    high = np.where((columns == 0) & (cells.value == 0), 0.0, high)
    with np.errstate(invalid="ignore"):
        low, high = low * least[:, columns], high * greatest[:, columns]
    # A rate whose divisor is not known bounds nothing.
    return np.nan_to_num(low, nan=-np.inf).max(axis=1), np.nan_to_num(high, nan=np.inf, posinf=np.inf).min(axis=1)


def _is_other(
    cells: _Numbers,
    printed: np.ndarray,
    columns: np.ndarray,
    quantity: tuple[np.ndarray, np.ndarray],
    least: np.ndarray,
    greatest: np.ndarray,
) -> np.ndarray:
    """Bool per row: if its cells are those of `columns`, with a quantity within these bounds, one of them is not what the column where it is
    printed has."""
    moved = printed != columns
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = quantity[0][:, None] / greatest[:, printed], quantity[1][:, None] / least[:, printed]
    low, high = np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf, posinf=np.inf)
    of_column = cells.within(_ALIKE)
    is_number = ~np.isnan(cells.value) & moved
    other = (is_number & ((low < of_column[0]) | (high > of_column[1]))).any(axis=1)
    # Where a reason is printed in place of some numbers, any column may have had one; and that of the quantity is the row's.
    other |= cells.is_stated.all(axis=1) | (is_number.any(axis=1) & cells.is_stated.any(axis=1))
    return other | (cells.is_stated[:, 0] & bool(printed[0] == 0 and moved[0]))


def _others(printed: tuple[int, ...], many: int) -> Iterator[tuple[int, ...]]:
    """The columns that the cells of `printed` may be of, in their order, if not these. Behind one gap all cells up to a lost one moved right; in
    front of a gap at the end all from a lost one on moved left."""
    gaps = [k for k in range(many) if k not in printed]
    for columns in combinations(range(many), len(printed)):
        if columns == printed:
            continue
        lost = next(k for k in range(many) if k not in columns)
        if len(gaps) > 1 or lost > gaps[0] or gaps[0] == many - 1:
            yield columns
