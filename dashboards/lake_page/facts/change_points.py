"""Steps in a series of days: a plain rule, the same for everyone.

The series is the logarithm of a daily value. Days of the weekend are first moved by how much they usually differ from the weekdays around
them, or left out where there are fewer than three weekends. The series is cut in two where that explains most, as long as a cut explains more than noise would (a penalty like that of the BIC),
each part again; a part has four days at least. A step that is soon undone needs two cuts at once, of which neither explains anything alone: so each
stretch of days is compared with the days around it, too, and is cut out if that explains more than a cut, and more than twice the penalty. A cut is a step if the medians of its two sides differ by more than 3% and by more than twice the
usual change from one day to the next, and if the volume of both sides is alike within 50%.
"""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST_DAYS = 4
# A step has two sides.
LEAST_OF_SERIES = 2 * LEAST_DAYS
LEAST_STEP = math.log(1.03)
# With fewer nobody knows what their days usually are: they are left out.
_LEAST_WEEKENDS = 3
# How much more than the noise of one day a cut must explain, by the logarithm of the number of days.
_PENALTY = 3.0
_MOST_VOLUME_CHANGE = 0.5


@dataclass(frozen=True)
class Day:
    """A day with a value above 0, such as a cost, and what it was measured on."""

    day: dt.date
    value: float
    volume: float


@dataclass(frozen=True)
class ChangePoint:
    """The first day of a step, and the medians of both sides."""

    day: dt.date
    before: float
    after: float

    @property
    def ratio(self) -> float:
        return self.after / self.before


def change_points(days: Sequence[Day]) -> list[ChangePoint]:
    """The steps of a series, in the order of its days.

    >>> start = dt.date(2026, 3, 2)
    >>> values = [2.0, 2.01, 1.99, 2.0, 2.02, 2.0, 2.0, 2.4, 2.41, 2.39, 2.4, 2.42]
    >>> days = [Day(start + dt.timedelta(days=n), v, 100.0) for n, v in enumerate(values)]
    >>> [(str(p.day), p.before, p.after) for p in change_points(days)]
    [('2026-03-09', 2.0, 2.4)]
    """
    known = compared(days)
    if len(known) < LEAST_OF_SERIES:
        return []
    logs = np.log([day.value for day in known])
    level = logs - _weekend_offset(known, logs)
    jumps = np.abs(np.diff(level))
    usual = float(np.median(jumps))
    # Of normal noise, the median change from day to day is 0.954 standard deviations.
    noise = usual / 0.954
    bounds = [0, *_cuts(level, 0, noise), len(level)]
    found = []
    for first, cut, last in zip(bounds, bounds[1:], bounds[2:], strict=False):
        before, after = (float(np.median(part)) for part in (level[first:cut], level[cut:last]))
        volumes = [float(np.median([d.volume for d in part])) for part in (known[first:cut], known[cut:last])]
        is_alike = abs(volumes[1] - volumes[0]) <= _MOST_VOLUME_CHANGE * volumes[0]
        if abs(after - before) > max(LEAST_STEP, 2 * usual) and is_alike and _is_there(level, cut, before, after):
            found.append(ChangePoint(known[cut].day, math.exp(before), math.exp(after)))
    return found


def compared(days: Sequence[Day]) -> list[Day]:
    """The days of a series that are looked at, in their order: not those of too few weekends."""
    known = sorted((day for day in days if day.value > 0), key=lambda day: day.day)
    if has_weekends(known):
        return known
    return [day for day in known if day.day.weekday() < 5]


def has_weekends(days: Sequence[Day]) -> bool:
    """Whether days of the weekend, in the order of time, are compared with each other."""
    return _weekends(days) >= _LEAST_WEEKENDS


def _is_there(level: Array, cut: int, before: float, after: float) -> bool:
    """Whether the days on both sides of a cut are of their sides: a step within the last three days of a part is cut before it."""
    middle = (before + after) / 2
    return bool((level[cut] > middle) == (after > before) and (level[cut - 1] > middle) == (before > after))


def _weekends(days: Sequence[Day]) -> int:
    """How many weekends have days before and after them."""
    weekend = [day.day.weekday() >= 5 for day in days]
    return sum(here and not before for before, here in pairwise(weekend)) - (weekend[-1:] == [True])


def _weekend_offset(days: Sequence[Day], logs: Array) -> Array:
    """How far days of the weekend lie from the weekdays around them, 0 for weekdays. The median over the weekends: a step on one of them does
    not move it."""
    weekend = np.array([day.day.weekday() >= 5 for day in days], bool)
    apart = []
    starts = np.flatnonzero(weekend[1:] & ~weekend[:-1]) + 1
    for start in starts:
        end = start
        while end < len(days) and weekend[end]:
            end += 1
        if end < len(days):
            apart.append(float(np.median(logs[start:end]) - (logs[start - 1] + logs[end]) / 2))
    return np.where(weekend, float(np.median(apart)) if apart else 0.0, 0.0)


def _cuts(level: Array, offset: int, noise: float) -> list[int]:
    """Where a series is cut, as places in the whole series."""
    if len(level) < LEAST_OF_SERIES:
        return []
    penalty = max(_PENALTY * math.log(len(level)) * noise, 1e-12)
    cut, stretch = _best_cut(level), _best_stretch(level)
    gain, cuts = max((cut[0] - penalty, cut[1]), (stretch[0] - 2 * penalty, stretch[1]))
    if gain <= 0:
        return []
    found = []
    for first, last in pairwise([0, *cuts, len(level)]):
        found += [*_cuts(level[first:last], offset + first, noise), offset + last]
    return found[:-1]


def _best_cut(level: Array) -> tuple[float, list[int]]:
    """How much closer days are to the medians of their sides, and the cut with which they are closest."""
    splits = range(LEAST_DAYS, len(level) - LEAST_DAYS + 1)
    spreads = [_spread(level[:split]) + _spread(level[split:]) for split in splits]
    best = int(np.argmin(spreads))
    return _spread(level) - spreads[best], [splits[best]]


def _best_stretch(level: Array) -> tuple[float, list[int]]:
    """How much closer the days of a stretch are to their own median than to that of all, and the stretch of which that is most. It is at most half
    of all, and days of a part are on both sides."""
    best: tuple[float, list[int]] = 0.0, []
    off = np.abs(level - np.median(level))
    inner = slice(LEAST_DAYS, len(level) - LEAST_DAYS)
    for days in range(LEAST_DAYS, min(len(level) // 2, len(level[inner])) + 1):
        parts, offs = (sliding_window_view(values[inner], days) for values in (level, off))
        closer = offs - np.abs(parts - np.median(parts, axis=1)[:, None])
        # It begins and ends with days of its own: three strange days and a usual one are no stretch.
        gains = np.where((closer[:, 0] > 0) & (closer[:, -1] > 0), closer.sum(axis=1), 0.0)
        at = int(np.argmax(gains))
        if gains[at] > best[0]:
            best = float(gains[at]), [LEAST_DAYS + at, LEAST_DAYS + at + days]
    return best


def _spread(part: Array) -> float:
    """How far the days lie from their median, in all: one strange day moves it little."""
    return float(np.abs(part - np.median(part)).sum())
