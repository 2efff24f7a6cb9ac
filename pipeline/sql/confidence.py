"""How sure a figure is: 95% intervals for a ratio of sums, a difference and a fitted line, from a few units of replication.

A figure such as cost per request is a sum over a sum (processor time, requests), so its error is that of a ratio estimator:
s² = n/(n-1) Σ(y - Rx)² / (Σx)², which for equal x is the usual s²/n. Units on end (each begins where the one before ended) resemble each other:

- Stretches of units on end that are apart are independent: where there are three or more of like length, each is one unit.
- Of a long stretch of n units count n ((1-r)/(1+r))^k, k = 1 + 20/(n-9), r being the autocorrelation of neighbours and not below 0. For
  n without end that is the usual count; the exponent makes up for what a short series hides of r, and was found by simulation, since no
  formula with r alone holds below some hundred units.
- What is left has no interval.

Source: Cochran, Sampling Techniques, chapter 6; Zwiers and von Storch, Taking serial correlation into account in tests of the mean (1995),
critical values by n and r from simulation; Carter, Schnepel and Steigerwald, Asymptotic behavior of a t-test robust to cluster
heterogeneity (2017), the number that stretches of unlike length count for; Welch's t test; Holm, A simple sequentially rejective
multiple test procedure (1979); Widrow and Kollár, Quantization noise (2008). Measured coverage: docs/measures.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Literal

from .student_t import student_t, two_sided_p

FEWEST_UNITS = 3
# Of units on end: of fewer the interval holds the truth in less than 93 of 100 cases at an autocorrelation between 0.5 and 0.8.
FEWEST_ON_END = 14
FEWEST_ON_END_OF_A_LINE = 20
# Three stretches of which one has lost a unit count for a little less than three.
FEWEST_STRETCHES = 2.5
Verdict = Literal["differs", "within noise", "no interval"]


@dataclass(frozen=True)
class Estimate:
    """A figure from `units` units of which `effective_units` count; `stddev` is the spread between units. Without an interval
    `error` (the standard error, with its degrees of freedom), `lower` and `upper` are None. `is_of_digits`: the units are nearer to each
    other than their digits tell, and the interval is what these leave open."""

    value: float
    units: int
    effective_units: float
    stddev: float | None
    error: float | None
    degrees_of_freedom: float | None
    lower: float | None
    upper: float | None
    is_of_digits: bool = False


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
    """A straight line y = intercept + slope x, each with its interval, or without where too few units are on end; where all y
    are equal, there is no `r_squared`."""

    units: int
    effective_units: float
    slope: float
    slope_lower: float | None
    slope_upper: float | None
    intercept: float
    intercept_lower: float | None
    intercept_upper: float | None
    r_squared: float | None


def ratio_of_sums(
    above: Sequence[float], below: Sequence[float], follows: Sequence[bool] = (), hidden: float = 0.0
) -> Estimate | None:
    """The ratio Σ above / Σ below over units; `follows` says which units come directly after the one before, `hidden` what half a
    last printed digit is worth in the ratio. None where nothing is below.

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
    lengths = stretches(units, follows)
    residuals = [a - value * b for a, b in zip(above, below, strict=True)]
    if is_series(lengths, FEWEST_ON_END):
        effective, degrees = effective_units(residuals, follows), units - 1.0
        squares = units**2 / (units - 1) / effective * sum(r * r for r in residuals)
    elif counted := _independent(lengths):
        effective, degrees = counted, counted - 1
        squares = len(lengths) / (len(lengths) - 1) * sum(r * r for r in _sums(residuals, lengths))
    else:
        return Estimate(value, units, units, stddev, None, None, None, None)
    quantile = student_t(degrees)
    error = math.sqrt(squares) / total
    is_of_digits = of_digits(stddev or 0.0, quantile * error, hidden)
    if is_of_digits:
        error = hidden / quantile
    half = quantile * error
    return Estimate(value, units, effective, stddev, error, degrees, value - half, value + half, is_of_digits)


def of_digits(spread: float, half: float, hidden: float) -> bool:
    """Whether an interval is what the printed digits leave open. Units that spread by half a digit at least have the rounding in their
    spread (Widrow and Kollár, chapter 5)."""
    return spread < hidden and half < hidden


def stretches(units: int, follows: Sequence[bool]) -> list[int]:
    """How many units each stretch of units on end has.

    >>> stretches(5, [False, True, False, True, True])
    [2, 3]
    >>> stretches(3, [])
    [1, 1, 1]
    """
    number = accumulate((0 if f else 1 for f in follows[1:]), initial=0) if follows else range(units)
    return [len(list(group)) for _, group in groupby(number)]


def effective_units(residuals: Sequence[float], follows: Sequence[bool], more: float = 0.0) -> float:
    """How many independent units a series of FEWEST_ON_END units or more is worth; the autocorrelation is taken to be higher than the one
    found by `more`.

    >>> effective_units([1, -1] * 7, [False] + [True] * 13)
    14.0
    >>> round(effective_units([1, 1, -1, -1] * 12, [False] + [True] * 47), 1)
    45.0
    """
    return len(residuals) / _inflation(_memory(residuals, follows, len(residuals), more))


def is_series(lengths: Sequence[int], fewest: int) -> bool:
    """Whether units are to be taken as a series: stretches are long, or neither alike nor apart but of enough units on end."""
    units, on_end = sum(lengths), sum(lengths) - len(lengths) + 1
    return on_end >= fewest and (units >= fewest * len(lengths) or not _independent(lengths))


def _independent(lengths: Sequence[int]) -> float | None:
    """How many independent units stretches count for, if for enough: as many as there are, where they are of one length."""
    counted = sum(lengths) ** 2 / sum(n * n for n in lengths)
    return counted if len(lengths) >= FEWEST_UNITS and counted >= FEWEST_STRETCHES else None


def _sums(values: Sequence[float], lengths: Sequence[int]) -> list[float]:
    ends = list(accumulate(lengths))
    return [math.fsum(values[end - n : end]) for end, n in zip(ends, lengths, strict=True)]


def neighbours(residuals: Sequence[float], follows: Sequence[bool]) -> float:
    """The autocorrelation of neighbours as it is found, too low in a short series."""
    pairs = [residuals[i] * residuals[i - 1] for i, is_next in enumerate(follows) if i and is_next]
    variance = sum(r * r for r in residuals) / len(residuals)
    return sum(pairs) / len(pairs) / variance if pairs and variance else 0.0


def _memory(residuals: Sequence[float], follows: Sequence[bool], units: int, more: float) -> float:
    """The autocorrelation to reckon with, from the one found and `more`: (1+m)/(1-m) is ((1+r)/(1-r))^k, or atanh m = k atanh r."""
    # Where r is 1, or rounds to it, nothing would count at all.
    r = min(max(neighbours(residuals, follows) + more, 0.0), 0.999)
    return min(math.tanh((1 + 20 / (units - 9)) * math.atanh(r)), 1 - 1e-12)


def _inflation(memory: float) -> float:
    return (1 + memory) / (1 - memory)


def difference(first: Estimate, second: Estimate) -> Difference:
    """How much `second` is above `first`: Welch's t. Of two series the interval is rather too wide, for each allows for what is not known of
    its autocorrelation."""
    value = second.value - first.value
    if (
        first.error is None
        or second.error is None
        or first.degrees_of_freedom is None
        or second.degrees_of_freedom is None
    ):
        return Difference(value, None, None, None, None, "no interval")
    variances = first.error**2, second.error**2
    if sum(variances) == 0:
        return Difference(value, value, value, None, None, "within noise" if value == 0 else "differs")
    parts = variances[0] ** 2 / first.degrees_of_freedom, variances[1] ** 2 / second.degrees_of_freedom
    degrees = sum(variances) ** 2 / sum(parts)
    error = math.sqrt(sum(variances))
    half = student_t(degrees) * error
    verdict: Verdict = "differs" if abs(value) > half else "within noise"
    return Difference(value, value - half, value + half, degrees, two_sided_p(value / error, degrees), verdict)


def holm(p_values: Sequence[float]) -> list[float]:
    """Chances of several differences, so that of all that are below 0.05 after this even one is false in 5 of 100 cases at most.

    >>> holm([0.01, 0.04, 0.03, 0.005])
    [0.03, 0.06, 0.06, 0.02]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    raised = accumulate((min((len(p_values) - k) * p_values[at], 1.0) for k, at in enumerate(order)), max)
    of = dict(zip(order, raised, strict=True))
    return [of[at] for at in range(len(p_values))]


def fitted_line(
    x: Sequence[float], y: Sequence[float], follows: Sequence[bool] = (), hidden: float = 0.0
) -> Line | None:
    """The least-squares line through units, or through the means of their stretches where these are the units; `hidden` is half a last
    printed digit of y. None for fewer than three, or where all x are equal."""
    units = len(x)
    if units < FEWEST_UNITS or min(x) == max(x):
        return None
    lengths = stretches(units, follows)
    as_series, counted = is_series(lengths, FEWEST_ON_END_OF_A_LINE), _independent(lengths)
    if counted and not as_series and len(lengths) < units:
        x, y = ([s / n for s, n in zip(_sums(v, lengths), lengths, strict=True)] for v in (x, y))
        if min(x) == max(x):
            return None
    points = len(x)
    # Of equal values the quotient may differ in its last digit.
    x_mean, y_mean = math.fsum(x) / points, min(max(math.fsum(y) / points, min(y)), max(y))
    x_apart = [a - x_mean for a in x]
    x_squares, y_squares = math.fsum(a * a for a in x_apart), math.fsum((b - y_mean) ** 2 for b in y)
    slope = math.fsum(a * (b - y_mean) for a, b in zip(x_apart, y, strict=True)) / x_squares
    intercept = y_mean - slope * x_mean
    residuals = [b - intercept - slope * a for a, b in zip(x, y, strict=True)]
    r_squared = min(slope**2 * x_squares / y_squares, 1.0) if y_squares else None
    if not as_series and not counted:
        return Line(units, units, slope, None, None, intercept, None, None, r_squared)
    # The mean of rounding is 0 and its variance a third of the square of half a digit.
    variance = max(math.fsum(r * r for r in residuals) / (points - 2), hidden**2 / 3)
    of_mean = of_slope = 1.0
    degrees = (counted or units) - 2.0
    if as_series:
        degrees = units - 2.0
        # A line takes more out of the residuals than a mean does. The errors of a slope are residuals times loads, and resemble each
        # other by the product of what both do.
        memory = _memory(residuals, follows, units, 2 / units)
        of_loads = neighbours(x_apart, follows)
        of_loads = min(max(of_loads + (1 + 3 * of_loads) / units, 0.0), 1.0)
        of_mean, of_slope = _inflation(memory), _inflation(memory * of_loads)
    quantile = student_t(max(degrees, 1))
    slope_half = quantile * math.sqrt(variance / x_squares * of_slope)
    intercept_half = quantile * math.sqrt(variance * (of_mean / points + of_slope * x_mean**2 / x_squares))
    return Line(
        units,
        units / of_slope if as_series else counted or units,
        slope,
        slope - slope_half,
        slope + slope_half,
        intercept,
        intercept - intercept_half,
        intercept + intercept_half,
        r_squared,
    )
