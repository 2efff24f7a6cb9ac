"""What a series of days comes to, if it goes on as it did: trend, days of the week and month's end, with an interval.

A day is a level, a line over time, the usual difference of its weekday and of the last two days of a month, and noise of which a day keeps a share
of the day before: generalised least squares with AR(1) errors, and the best linear predictor (Goldberger, 1962). The share is not known: the
predictions of all shares from none to 19/20 are averaged by their restricted likelihood (Harville, 1974; Cheang and Reinsel, 2000), and how far they
are apart is part of the interval. One step of the level is fitted where it explains more than such noise seldom does (as change_points.py of the
lake's page); the level after the step goes on, and the line is that of both sides. Measured coverage: docs/planning.md.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .student_t import student_t

Array = NDArray[np.float64]

LEAST_DAYS = 60
# Of the days from the first to the last, so many must be known.
_LEAST_SHARE = 0.75
_SHARES = tuple(n / 20 for n in range(20))
_SHARES_OF_STEP = (0.0, 0.2, 0.4, 0.6, 0.8)
# Days on each side of a step; the rise of twice the logarithm of the likelihood at which there is one as likely as not.
_SIDE = 7
_LEAST_GAIN = 11.0
_MONTH_END = 2


@dataclass(frozen=True)
class Expected:
    """A day to come: the middle, and the bounds of the 80% and the 95% interval, in the unit of the series."""

    day: dt.date
    value: float
    low80: float
    high80: float
    low95: float
    high95: float


@dataclass(frozen=True)
class Forecast:
    """The days to come, the step that was found, or in `why_not` why there is no forecast."""

    days: tuple[Expected, ...] = ()
    step: dt.date | None = None
    why_not: str = ""


def forecast(known: Mapping[dt.date, float], horizon: int) -> Forecast:
    """The `horizon` days after the last known one, but no more than there are from the first known day to the last.

    >>> monday = dt.date(2026, 1, 5)
    >>> series = {monday + dt.timedelta(days=n): 100.0 + n % 7 + n / 10 for n in range(84)}
    >>> found = forecast(series, 7)
    >>> found.days[-1].day.isoformat(), round(found.days[-1].value, 3)
    ('2026-04-05', 115.0)
    >>> forecast(dict(list(series.items())[:50]), 7).why_not
    '50 days are known; 60 are needed'
    """
    dates = sorted(known)
    if len(dates) < LEAST_DAYS:
        return Forecast(why_not=f"{len(dates)} days are known; {LEAST_DAYS} are needed")
    span = (dates[-1] - dates[0]).days + 1
    if len(dates) < _LEAST_SHARE * span:
        return Forecast(why_not=f"{span - len(dates)} of {span} days are missing")
    values = np.array([known[day] for day in dates])
    later = (dates[-1] + dt.timedelta(days=n) for n in range(1, min(horizon, span) + 1))
    # Of a weekday, or of month's end, that no known day has nothing is known.
    later = [day for day in later if _kinds(day) <= set().union(*map(_kinds, dates))]
    at = np.array([(day - dates[0]).days for day in (*dates, *later)], float)
    every = _shape([*dates, *later], at, sorted({day.weekday() for day in dates})[:-1], any(map(_is_month_end, dates)))
    cut, chance = _step(every[: len(dates)], values, at[: len(dates)])
    stepped = np.hstack([every, (np.arange(len(every)) >= cut)[:, None].astype(float)])
    found = [_averaged(shape, values, at) for shape in (every, stepped)]
    middle, variance = _mixed(found, [1 - chance, chance])
    free = len(dates) - every.shape[1] - 1
    near, far = (student_t(free, confidence) * np.sqrt(variance) for confidence in (0.8, 0.95))
    columns = (middle, middle - near, middle + near, middle - far, middle + far)
    days = (Expected(day, *map(float, row)) for day, *row in zip(later, *columns, strict=True))
    return Forecast(tuple(days), dates[cut] if chance > 0.5 else None)


def meets(days: Sequence[Expected], limit: float) -> tuple[dt.date | None, ...]:
    """The first day on which the upper bound of the 80% interval, the middle, and the lower bound reach a limit; None: not in these days."""
    bounds = ("high80", "value", "low80")
    return tuple(next((one.day for one in days if getattr(one, bound) >= limit), None) for bound in bounds)


def _is_month_end(day: dt.date) -> bool:
    return (day + dt.timedelta(days=_MONTH_END)).month != day.month


def _kinds(day: dt.date) -> set[int]:
    """Its weekday, and 7 at the end of a month."""
    return {day.weekday(), 7} if _is_month_end(day) else {day.weekday()}


def _shape(dates: list[dt.date], at: Array, weekdays: list[int], has_month_end: bool) -> Array:
    """Level, line, weekdays and month's end of each day."""
    columns = [np.ones(len(dates)), at / 100]
    columns += [np.array([day.weekday() == n for day in dates], float) for n in weekdays]
    columns += [np.array([_is_month_end(day) for day in dates], float)] if has_month_end else []
    return np.column_stack(columns)


def _whitened(columns: Array, at: Array, share: float) -> Array:
    """Columns less what each day keeps of the known day before, in standard deviations of a day's noise."""
    kept = share ** np.diff(at)[:, None]
    return np.vstack([columns[:1], (columns[1:] - kept * columns[:-1]) / np.sqrt(1 - kept**2)])


def _logs(at: Array, share: float) -> float:
    """The logarithm of the determinant of the correlations."""
    return float(np.sum(np.log(1 - share ** (2 * np.diff(at)))))


def _step(shape: Array, values: Array, at: Array) -> tuple[int, float]:
    """The first day of the step that explains most, and the chance that there is one."""
    days = len(values)
    places = np.arange(_SIDE, days - _SIDE + 1)
    steps = (np.arange(days)[:, None] >= places).astype(float)
    without, best = -math.inf, np.full(len(places), -math.inf)
    for share in _SHARES_OF_STEP:
        basis = np.linalg.qr(_whitened(shape, at, share))[0]
        left, of_step = (
            columns - basis @ (basis.T @ columns)
            for columns in (_whitened(values[:, None], at, share), _whitened(steps, at, share))
        )
        squares = float((left**2).sum())
        size = (of_step**2).sum(axis=0)
        gain = np.divide((left.T @ of_step)[0] ** 2, size, out=np.zeros(len(places)), where=size > 1e-9)
        least = 1e-12 * (1 + float((values**2).sum()))
        without = max(without, -days * math.log(squares + least) - _logs(at, share))
        best = np.maximum(best, -days * np.log(np.maximum(squares - gain, 0) + least) - _logs(at, share))
    place = int(np.argmax(best))
    gain = min(max(best[place] - without - _LEAST_GAIN, -700), 700)
    return int(places[place]), 1 / (1 + math.exp(-gain / 2))


def _mixed(found: Sequence[tuple[Array, Array]], weights: Sequence[float]) -> tuple[Array, Array]:
    """Middle and variance of a mixture; how far the middles are apart is part of it."""
    middles, variances = (np.array(part) for part in zip(*found, strict=True))
    weight = np.array(weights) / sum(weights)
    middle = weight @ middles
    return middle, weight @ variances + weight @ (middles - middle) ** 2


def _averaged(every: Array, values: Array, at: Array) -> tuple[Array, Array]:
    """Middle and variance of each day to come, averaged over the shares. `every`, `at`: of known days, and behind them of those to come."""
    shape, ahead = every[: len(values)], every[len(values) :]
    at, steps = at[: len(values)], at[len(values) :] - at[len(values) - 1]
    free = len(values) - shape.shape[1]
    likelihoods, found = [], []
    for share in _SHARES:
        white = _whitened(shape, at, share)
        basis, triangle = np.linalg.qr(white)
        of_values = _whitened(values[:, None], at, share)[:, 0]
        weights = np.linalg.solve(triangle, basis.T @ of_values)
        squares = float(((of_values - white @ weights) ** 2).sum()) + 1e-12 * (1 + float((values**2).sum()))
        kept = share**steps
        beside = np.linalg.solve(triangle.T, (ahead - kept[:, None] * shape[-1]).T)
        middle = ahead @ weights + kept * (values[-1] - shape[-1] @ weights)
        found.append((middle, squares / free * (1 - kept**2 + (beside**2).sum(axis=0))))
        turned = float(np.log(np.abs(np.diag(triangle))).sum())
        likelihoods.append(-0.5 * free * math.log(squares) - turned - 0.5 * _logs(at, share))
    return _mixed(found, [math.exp(one - max(likelihoods)) for one in likelihoods])
