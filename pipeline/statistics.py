"""How sure a figure is: 95% intervals for a ratio of sums, a difference and a fitted line, from a few units of replication.

A figure such as cost per request is a sum over a sum (processor time, requests), so its error is that of a ratio estimator:
s² = n/(n-1) Σ(y - Rx)² / (Σx)², which for equal x is the usual s²/n. Neighbouring intervals resemble each other: of n units count
n (1-r)/(1+r), r being the autocorrelation of neighbours, corrected for its bias in short series and not below 0. Fewer than three
units give no interval. What the printed digits hide is not in an interval.

Source: Cochran, Sampling Techniques, chapter 6; Marriott and Pope, Bias in the estimation of autocorrelations; Welch's t test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

FEWEST_UNITS = 3
CONFIDENCE = 0.95
Verdict = Literal["differs", "within noise", "no interval"]


@dataclass(frozen=True)
class Estimate:
    """A figure from `units` units of which `effective_units` count; `stddev` is the spread between units. Without an interval
    `error` (the standard error), `lower` and `upper` are None."""

    value: float
    units: int
    effective_units: float
    stddev: float | None
    error: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class Difference:
    """The difference of two figures, with Welch's degrees of freedom and the chance of one as large out of noise alone."""

    value: float
    lower: float | None
    upper: float | None
    degrees_of_freedom: float | None
    p_value: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Line:
    """A straight line y = intercept + slope x, each with its interval; where all y are equal, there is no `r_squared`."""

    units: int
    effective_units: float
    slope: float
    slope_lower: float
    slope_upper: float
    intercept: float
    intercept_lower: float
    intercept_upper: float
    r_squared: float | None


def ratio_of_sums(above: Sequence[float], below: Sequence[float], follows: Sequence[bool] = ()) -> Estimate | None:
    """The ratio Σ above / Σ below over units; `follows` says which units come directly after the one before. None where
    nothing is below.

    >>> found = ratio_of_sums([20, 44, 66], [10, 20, 30])
    >>> round(found.value, 4), round(found.lower, 3), round(found.upper, 3)
    (2.1667, 1.986, 2.347)
    """
    units, total = len(above), sum(below)
    if not units or total <= 0:
        return None
    value = sum(above) / total
    ratios = [a / b for a, b in zip(above, below, strict=True) if b > 0]
    mean = sum(ratios) / len(ratios)
    stddev = math.sqrt(sum((r - mean) ** 2 for r in ratios) / (len(ratios) - 1)) if len(ratios) > 1 else None
    if units < FEWEST_UNITS:
        return Estimate(value, units, units, stddev, None, None, None)
    residuals = [a - value * b for a, b in zip(above, below, strict=True)]
    effective = effective_units(residuals, follows)
    error = math.sqrt(units**2 / (units - 1) / effective * sum(r * r for r in residuals)) / total
    half = _quantile(effective - 1) * error
    return Estimate(value, units, effective, stddev, error, value - half, value + half)


def effective_units(residuals: Sequence[float], follows: Sequence[bool]) -> float:
    """How many independent units so many units are worth, at least two.

    >>> effective_units([1, -1, 1, -1], [False, True, True, True])
    4.0
    >>> round(effective_units([3, 2, 1, -1, -2, -3], [False, True, True, True, True, True]), 2)
    2.0
    """
    units = len(residuals)
    pairs = [residuals[i] * residuals[i - 1] for i, is_next in enumerate(follows) if i and is_next]
    variance = sum(r * r for r in residuals) / units
    if not pairs or variance == 0:
        return float(units)
    r = sum(pairs) / len(pairs) / variance
    r = min(max(r + (1 + 3 * r) / units, 0.0), 1.0)
    return max(units * (1 - r) / (1 + r), 2.0)


def difference(first: Estimate, second: Estimate) -> Difference:
    """How much `second` is above `first`: Welch's t, on the units that count."""
    value = second.value - first.value
    if first.error is None or second.error is None:
        return Difference(value, None, None, None, None, "no interval")
    variances = first.error**2, second.error**2
    if sum(variances) == 0:
        return Difference(value, value, value, None, None, "within noise" if value == 0 else "differs")
    parts = (v**2 / (e.effective_units - 1) for v, e in zip(variances, (first, second), strict=True))
    degrees = sum(variances) ** 2 / sum(parts)
    error = math.sqrt(sum(variances))
    half = _quantile(degrees) * error
    verdict: Verdict = "differs" if abs(value) > half else "within noise"
    return Difference(value, value - half, value + half, degrees, _p_value(value / error, degrees), verdict)


def fitted_line(x: Sequence[float], y: Sequence[float], follows: Sequence[bool] = ()) -> Line | None:
    """The least-squares line through units. None for fewer than three, or where all x are equal.

    Written out: of scipy.stats, that has it as linregress, the import takes longer than everything else here."""
    units = len(x)
    if units < FEWEST_UNITS or min(x) == max(x):
        return None
    # Of equal values the quotient may differ in its last digit.
    x_mean, y_mean = math.fsum(x) / units, min(max(math.fsum(y) / units, min(y)), max(y))
    x_squares, y_squares = math.fsum((a - x_mean) ** 2 for a in x), math.fsum((b - y_mean) ** 2 for b in y)
    slope = math.fsum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)) / x_squares
    intercept = y_mean - slope * x_mean
    residuals = [b - intercept - slope * a for a, b in zip(x, y, strict=True)]
    effective = effective_units(residuals, follows)
    slope_error = math.sqrt(math.fsum(r * r for r in residuals) / (units - 2) / x_squares)
    # Two of the units that count go into slope and intercept; one at least is left to judge by.
    slope_half = _quantile(max(effective - 2, 1)) * math.sqrt(units / effective) * slope_error
    intercept_half = slope_half * math.sqrt(x_squares / units + x_mean**2)
    return Line(
        units,
        effective,
        slope,
        slope - slope_half,
        slope + slope_half,
        intercept,
        intercept - intercept_half,
        intercept + intercept_half,
        min(slope**2 * x_squares / y_squares, 1.0) if y_squares else None,
    )


def _quantile(degrees: float) -> float:
    """What Student's t stays within, to both sides, in 95 of 100 cases."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def _p_value(t: float, degrees: float) -> float:
    from scipy.special import stdtr

    return 2 * float(stdtr(degrees, -abs(t)))
