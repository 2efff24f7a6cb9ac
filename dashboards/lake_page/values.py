"""How the values of a column are written: one number of decimals for all, times as in reports, a dash for what is not known."""

import datetime as dt
import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..numbers import DASH
from .contract import Column

_MOST_DECIMALS = 6


def known_decimals(column: Column, values: Sequence[float | None]) -> int:
    """The decimals of a number column. If it does not say: as many as its values have, but no more than its median needs for four
    digits.

    >>> known_decimals(Column("n", "N"), [1, 20, None]), known_decimals(Column("n", "N"), [0.5, 12.25, 80.0])
    (0, 2)
    >>> known_decimals(Column("n", "N"), [1 / 3, 2 / 3]), known_decimals(Column("n", "N"), [1000 / 3, 2000 / 3])
    (4, 1)
    """
    if column.decimals is not None:
        return column.decimals
    sizes = [abs(v) for v in values if v]
    if not sizes:
        return 0
    needed = 3 - math.floor(math.log10(median(sizes)))
    most = min(_MOST_DECIMALS, max(0, needed))
    return max((_decimals(v, most) for v in sizes), default=0)


def _decimals(value: float, most: int) -> int:
    return len(f"{value:.{most}f}".rstrip("0").partition(".")[2])


def write_column(
    column: Column, values: Sequence[Any], whole: Sequence[Any], axis_start: dt.datetime | None
) -> list[str]:
    """The texts of some values of a column, whose `whole` says how all are written."""
    if column.kind == "text":
        return [DASH if v is None else str(v) for v in values]
    if column.kind == "time":
        start = axis_start or dt.datetime(1970, 1, 1)
        is_daily = all(v is None or (start + dt.timedelta(seconds=v)).time() == dt.time() for v in whole)
        return [DASH if v is None else _moment(start + dt.timedelta(seconds=v), is_daily) for v in values]
    return [DASH if v is None else write_number(v, column.decimals or 0) for v in values]


def write_number(value: float, decimals: int) -> str:
    """A number with a true minus, and none for what rounds to zero.

    >>> write_number(-1234.5, 1), write_number(-0.01, 1)
    ('−1,234.5', '0.0')
    """
    text = f"{abs(value):,.{decimals}f}"
    return f"−{text}" if value < 0 and set(text) & set("123456789") else text


def _moment(moment: dt.datetime, is_daily: bool) -> str:
    day = f"{moment:%a} {moment.day} {moment:%b}"
    return day if is_daily else f"{day} {moment:%H:%M}"
