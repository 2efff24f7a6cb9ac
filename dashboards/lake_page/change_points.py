"""Steps and drifts of a series of days: a plain rule, the same for everyone.

The series is the logarithm of a daily value. Days of the weekend are first moved by their usual difference from the
weekdays around them, or left out where there are fewer than three weekends. A strange day, unlike the days around it,
gets their median.

A day resembles the day before, and that alone makes days look like steps or like a line. So every shape, a level or a
line, each with cuts, is fitted together with noise: a day keeps a share of the noise of the day before (none to nine
tenths, whichever fits best). A shape must explain more than such noise seldom does: the limits were found by simulation
(docs/measures.md). A step that is soon undone needs two cuts at once; neither explains anything alone. The BIC decides
between cuts and a line: a cut has two parameters, a line one.

A cut is a step if the medians of its two sides differ by more than 3% and by more than twice the usual change from one
day to the next; a line is a drift if its two ends do. Where the volumes of both sides differ by more than 20%, or a
cost that is half fixed could explain the change by the volume, it is neither."""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST_DAYS = 4
# A step has two sides.
LEAST_OF_SERIES = 2 * LEAST_DAYS
LEAST_STEP = math.log(1.03)
# With fewer weekends their usual difference is unknown: their days are left out.
_LEAST_WEEKENDS = 3
# The least rise of twice the logarithm of the likelihood: noise whose days keep up to 0.8 reaches it in at most 5% of
# series.
# A cut needs the first number, plus the second divided by the number of days.
_CUT, _CUT_OF_FEW, _TWO_CUTS, _LINE = 11.0, 75.0, 21.0, 9.0
# The extra rise if a day might keep all of the day before beside the shape, and in proportion if it might keep a share.
_DOUBT = 10.0
_SHARES = tuple(n / 10 for n in range(10))
# The noise of a day that printed digits hide.
_LEAST_NOISE = 0.001
# A day is strange if it is more than this many standard deviations from the days around it.
_STRANGE = 5.0
# The median change from day to day as a share of the mean change, for normal noise; the mean depends less on chance.
_USUAL_OF_MEAN = 0.845
_MOST_VOLUME_CHANGE = math.log(1.2)
# The share of a cost that may be fixed: the cost falls by this share of the rise of the volume.
_FIXED = 0.5


@dataclass(frozen=True)
class Day:
    """A day with a value above 0, such as a cost, and what it was measured on."""

    day: dt.date
    value: float
    volume: float


@dataclass(frozen=True)
class ChangePoint:
    """The first day of a step, and the medians of both sides; for a series that drifts, the level at this day without
    and with the step."""

    day: dt.date
    before: float
    after: float

    @property
    def ratio(self) -> float:
        return self.after / self.before


@dataclass(frozen=True)
class Drift:
    """A value that rises or falls by the same share on each day, from the first day of a series to its last, `days`
    later; without the steps."""

    ratio_per_day: float
    days: int

    @property
    def ratio(self) -> float:
        """The last day over the first, by the drift alone."""
        return self.ratio_per_day**self.days


@dataclass(frozen=True)
class Course:
    """The steps and the drift of a series. `is_of_volume`: it also changes with its volume, which may explain it
    all."""

    steps: tuple[ChangePoint, ...] = ()
    drift: Drift | None = None
    is_of_volume: bool = False
    # The logarithm of the middle of the days, by the first day of each part; it rises by the slope from there.
    parts: tuple[tuple[dt.date, float], ...] = ()
    slope: float = 0.0

    def level(self, day: dt.date) -> float | None:
        """The value around which the days lie; None where too few were compared."""
        if not self.parts:
            return None
        start, level = next((part for part in reversed(self.parts) if part[0] <= day), self.parts[0])
        return math.exp(level + self.slope * (day - start).days)


class _Fit(NamedTuple):
    """Twice the logarithm of the likelihood of a shape, the same less its doubtful part, and the slope of its line per
    day."""

    likelihood: float
    sure: float
    slope: float


def course(days: Sequence[Day]) -> Course:
    """The steps of a series, and its drift.

    >>> start = dt.date(2026, 3, 2)
    >>> days = [Day(start + dt.timedelta(days=n), 2 * 1.005**n, 100.0) for n in range(30)]
    >>> found = course(days)
    >>> found.steps, found.drift and round(found.drift.ratio_per_day, 4)
    ((), 1.005)
    """
    known = compared(days)
    if len(known) < LEAST_OF_SERIES:
        return Course()
    values = np.log([day.value for day in known])
    volumes = np.log([max(day.volume, 1e-9) for day in known])
    level, volume = (logs - _weekend_offset(known, logs) for logs in (values, volumes))
    at = np.array([(day.day - known[0].day).days for day in known], float)
    usual_days = _without_strange_days(level)
    least = max(LEAST_STEP, 2 * _USUAL_OF_MEAN * float(np.mean(np.abs(np.diff(usual_days)))))
    cuts, slope = _shape(usual_days, at)
    slope = slope if abs(slope * at[-1]) > least else 0.0
    cuts = _told_apart(usual_days - slope * at, cuts, least)
    parts = [slice(first, last) for first, last in pairwise([0, *cuts, len(known)])]
    middles, means, sizes = (
        [float(middle(of[part])) for part in parts]
        for of, middle in ((level - slope * at, np.median), (usual_days - slope * at, np.mean), (volume, np.median))
    )
    found = [
        ChangePoint(known[cut].day, *(math.exp(side + slope * at[cut]) for side in sides))
        for cut, sides in zip(cuts, pairwise(middles), strict=True)
    ]
    told_days = [day.day for day in days if day.value > 0]
    drifts = [Drift(math.exp(slope), (max(told_days) - min(told_days)).days)] if slope else []
    changes = [
        *zip(found, np.diff(means), np.diff(sizes), strict=True),
        *((drift, slope * at[-1], np.polyfit(at, volume, 1)[0] * at[-1]) for drift in drifts),
    ]
    told = [change for change, by, of_volume in changes if not _is_of_volume(by, of_volume, least)]
    return Course(
        tuple(change for change in told if isinstance(change, ChangePoint)),
        next((change for change in told if isinstance(change, Drift)), None),
        len(told) < len(changes),
        tuple((known[n].day, middle + slope * at[n]) for n, middle in zip([0, *cuts], middles, strict=True)),
        slope,
    )


def compared(days: Sequence[Day]) -> list[Day]:
    """The days of a series that are compared, in their order: without weekends where there are too few."""
    known = sorted((day for day in days if day.value > 0), key=lambda day: day.day)
    if has_weekends(known):
        return known
    return [day for day in known if day.day.weekday() < 5]


def has_weekends(days: Sequence[Day]) -> bool:
    """Whether days of the weekend are compared. `days` are in the order of time."""
    return _weekends(days) >= _LEAST_WEEKENDS


def _is_of_volume(change: float, of_volume: float, least: float) -> bool:
    """Whether the volume changes so much that it is other work, or enough to explain most of the change of a cost that
    is half fixed; all in logarithms."""
    if abs(of_volume) > _MOST_VOLUME_CHANGE:
        return True
    by_volume = min(max(change, min(0.0, -_FIXED * of_volume)), max(0.0, -_FIXED * of_volume))
    return abs(change - by_volume) <= least


def _told_apart(level: Array, cuts: list[int], least: float) -> list[int]:
    """The cuts whose sides differ by more than `least`, whichever other cuts are left, and that lie between days of
    both sides."""
    while True:
        means = [float(np.mean(level[first:last])) for first, last in pairwise([0, *cuts, len(level)])]
        kept = [
            cut
            for cut, (before, after) in zip(cuts, pairwise(means), strict=True)
            if abs(after - before) > least and _is_there(level, cut, before, after)
        ]
        if kept == cuts:
            return cuts
        cuts = kept


def _is_there(level: Array, cut: int, before: float, after: float) -> bool:
    """Whether the days next to a cut belong to their sides: a step within the last three days of a part is cut too
    early."""
    middle = (before + after) / 2
    return bool((level[cut] > middle) == (after > before) and (level[cut - 1] > middle) == (before > after))


def _weekends(days: Sequence[Day]) -> int:
    """How many weekends have days before and after them."""
    weekend = [day.day.weekday() >= 5 for day in days]
    return sum(here and not before for before, here in pairwise(weekend)) - (weekend[-1:] == [True])


def _weekend_offset(days: Sequence[Day], logs: Array) -> Array:
    """The distance of days of the weekend from the weekdays around them, 0 for weekdays. The median over the weekends:
    a step on one of them does not move it."""
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


def _without_strange_days(level: Array) -> Array:
    """The series with the median of seven days in place of a day far from it, the strangest first. Three consecutive
    strange days are not strange."""
    # Without the usual rise from day to day: the first and the last days have neighbours on one side alone.
    rises = np.concatenate([(level[days:] - level[:-days]) / days for days in (1, 2, 3)])
    line = float(np.median(rises)) * np.arange(len(level))
    level, most = level - line, 0.0
    for _ in range(len(level)):
        around = np.median(sliding_window_view(np.pad(level, 3, mode="reflect"), 7), axis=1)
        off = np.abs(level - around)
        # The limit comes from the days as they were at first: after replacements more and more days would be strange.
        most = most or _STRANGE * (1.4826 * float(np.median(off)) + _LEAST_NOISE)
        strangest = int(np.argmax(off))
        if off[strangest] <= most:
            break
        level[strangest] = around[strangest]
    return level + line


def _shape(level: Array, at: Array) -> tuple[list[int], float]:
    """The cuts and the slope of the shape that explains the days best, `at` their numbers."""
    (cuts, flat), (beside, line) = _cut(level, None), _cut(level, at)
    more = len(beside) - len(cuts)
    if more >= 0:
        is_line = line.sure - flat.likelihood > _LINE + _least_of_a_cut(level) * more
    else:
        is_line = line.likelihood - flat.likelihood > (1 + 2 * more) * math.log(len(level))
    return (beside, line.slope) if is_line else (cuts, 0.0)


def _cut(level: Array, at: Array | None) -> tuple[list[int], _Fit]:
    """All cuts of a level, or of a line over `at`, that explain more than noise does."""
    cuts: list[int] = []
    least = _least_of_a_cut(level)
    while True:
        fit, (one, of_one), (two, of_two) = _search(level, at, cuts)
        if two >= _TWO_CUTS and (one < least or two >= one + least):
            cuts = sorted([*cuts, *of_two])
        elif one >= least:
            cuts = sorted([*cuts, *of_one])
        else:
            return cuts, fit


def _least_of_a_cut(level: Array) -> float:
    return _CUT + _CUT_OF_FEW / len(level)


def _search(level: Array, at: Array | None, cuts: list[int]) -> tuple[_Fit, *tuple[tuple[float, list[int]], ...]]:
    """The fit of a shape, and the sure gain by the best additional cut and by the best two, with their places."""
    days = len(level)
    places = np.flatnonzero(np.abs(np.arange(days)[:, None] - [0, days, *cuts]).min(axis=1) >= LEAST_DAYS)
    fits = []
    one, two = np.full(len(places), -math.inf), np.full((len(places),) * 2, -math.inf)
    for share, steps, products in _whitened_steps(days):
        doubt = _DOUBT * share
        line = [] if at is None else [_whitened(at[:, None], share)]
        basis, triangle = np.linalg.qr(np.hstack([steps[:, [0, *cuts]], *line]))
        of_level = _whitened(level[:, None], share)[:, 0]
        explained = basis.T @ of_level
        left = of_level - basis @ explained
        squares = left @ left
        likelihood = float(_likelihood(squares, days, share))
        fits.append(_Fit(likelihood, likelihood - doubt, float(explained[-1] / triangle[-1, -1]) if line else 0.0))
        # The part of each step outside the base, and its product with the residuals of the days.
        own = basis.T @ steps[:, places]
        beside = products[np.ix_(places, places)] - own.T @ own
        along = left @ steps[:, places]
        size = np.diag(beside)
        one = np.maximum(one, _likelihood(squares - along**2 / size, days, share) - doubt)
        apart = size[:, None] + size - 2 * beside
        gain = np.divide((along[:, None] - along) ** 2, apart, out=np.zeros_like(apart), where=apart > 1e-9)
        two = np.maximum(two, _likelihood(squares - gain, days, share) - doubt)
    two[places - places[:, None] < LEAST_DAYS] = -math.inf
    best = max(fits)
    found = best._replace(sure=max(fit.sure for fit in fits))
    if not two.size:
        return found, (-math.inf, []), (-math.inf, [])
    at_one, at_two = int(np.argmax(one)), np.unravel_index(np.argmax(two), two.shape)
    return (
        found,
        (float(one[at_one]) - found.likelihood, [int(places[at_one])]),
        (float(two[at_two]) - found.likelihood, [int(n) for n in places[list(at_two)]]),
    )


def _likelihood(squares: Any, days: int, share: float) -> Any:
    """Twice the logarithm of the likelihood for a sum of squared residuals, or for each of an array."""
    return math.log(1 - share**2) - days * np.log(np.maximum(squares, 0) / days + _LEAST_NOISE**2)


@lru_cache(maxsize=4)
def _whitened_steps(days: int) -> list[tuple[float, Array, Array]]:
    """For each share that a day keeps of the day before: a step on each day, whitened by the share, and the products of
    any two steps."""
    steps = np.tril(np.ones((days, days)))
    return [(share, made := _whitened(steps, share), made.T @ made) for share in _SHARES]


def _whitened(columns: Array, share: float) -> Array:
    """Columns of days less the share that each day keeps of the day before."""
    return np.vstack([math.sqrt(1 - share**2) * columns[:1], columns[1:] - share * columns[:-1]])
