"""What tests of printers share: random numbers of every size, and whether a number that was read is the one printed."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading.engine import read_text
from numpy.typing import NDArray
from property_settings import examples

SETTINGS = examples(12)


class Numbers:
    """Random numbers for some intervals: of all sizes, often zero."""

    def __init__(self, seed: int, intervals: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.intervals = intervals

    def number(self, most: float, zero: float = 0.1) -> NDArray[np.float64]:
        """0 to `most`, small ones as likely as large ones."""
        values = most * 10.0 ** -self.rng.uniform(0, 6, self.intervals)
        return np.where(self.rng.random(self.intervals) < zero, 0, values)

    def count(self, most: float, zero: float = 0.1) -> NDArray[np.int64]:
        return self.number(most, zero).astype(np.int64)

    def starts(self, first: str = "2024-03-30T22:45:00", step_s: int = 900) -> NDArray[np.datetime64]:
        return np.datetime64(first) + np.arange(self.intervals) * np.timedelta64(step_s, "s")


def read(pages: bytes) -> dict[str, pl.DataFrame]:
    """The tables of printed pages; nothing on them is unread, and they break no rule."""
    tables = read_text(pages)
    rejects = tables.get("parse_reject", pl.DataFrame())
    assert not rejects.height, rejects.rows(named=True)[:3]
    broken = check_batch({name: frame.to_arrow() for name, frame in tables.items() if frame.height})
    assert broken is None, broken.to_pylist()[:3]
    return tables


def last_digit(value: float, width: int, decimals: int) -> float:
    """What the last printed digit of a number is worth in a field of adaptive precision, one decimal more or less where
    rounding decides."""
    for fewer in range(decimals, -1, -1):
        if len(f"{value:.{fewer}f}") <= width:
            return 10.0**-fewer
    raise AssertionError(f"{value} does not fit {width}")


def last_suffixed(value: float, digits: int, unit: int = 1000) -> float:
    """The same for a whole number that may be printed in thousands, millions, …"""
    power = 0
    while len(f"{value / unit**power:.0f}") > digits:
        power += 1
    return float(unit**power)


def assert_printed(found: Mapping[str, Any], expected: Mapping[str, tuple[Any, float]], where: Any) -> None:
    """Each found value is the expected one to half of its last printed digit."""
    for name, (value, digit) in expected.items():
        got = found[name]
        if value is None or digit == 0:
            assert got == value, (where, name, got, value)
            continue
        assert got is not None, (where, name, value)
        assert abs(got - value) <= digit * 0.5 * (1 + 1e-6) + 1e-9, (where, name, got, value)
