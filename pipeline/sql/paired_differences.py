"""How sure the mean of differences of like units is: the 95% interval where the differences may grow with the load.

A change of 10% is one of 25 points at noon and of 5 at night. Differences then spread by the load, which is no noise, and follow its rise and
fall. So of a long series the differences are taken against the load of each unit, by a least-squares line, and only what is left counts as
noise: the regression estimator of a mean (Cochran, Sampling Techniques, chapter 7). The load is the mean of both sides: against one of the
two, pure noise would have a slope (Oldham, A note on the analysis of repeated measurements of the same subjects, 1962). Noise of one side
alone would have one too, so both sides must rise and fall together, with a correlation of 0.8 or more. Where they do not, as zIIP time that one
side has and the other has not, the load is the other work of both sides, under the same condition. The mean of the differences itself stays
what it is.

Where what is left resembles its neighbours by more than 0.8 - 12/n, the rise and fall of noise cannot be told from that of the load, and
the spread of the differences themselves counts, as in a series of fewer than 20; the limit was found by simulation. Such an interval may hold
0 though every difference has the same sign: a sign test then says that they differ. Units on end count
for fewer, as in confidence.py; t has half a degree fewer than units count, so that few are rated as few. Measured coverage:
docs/measures.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .confidence import (
    FEWEST_ON_END,
    FEWEST_ON_END_OF_A_LINE,
    Estimate,
    effective_units,
    is_series,
    neighbours,
    of_digits,
    ratio_of_sums,
    stretches,
)
from .student_t import student_t

_LEAST_TOGETHER = 0.8
# Noise has one sign in all of that many units in at most 5 of 100 cases: apart 2 / 2^6, on end by simulation at an autocorrelation of 0.95.
FEWEST_OF_ONE_SIGN, FEWEST_OF_ONE_SIGN_ON_END = 6, 64


class MeanDifference(NamedTuple):
    """`by_load`: the interval allows for differences that grow with the load. `of_one_sign`: all differences are above 0, or all below, of so
    many units that noise alone is not (sign test)."""

    estimate: Estimate
    by_load: bool
    of_one_sign: bool = False


Sides = tuple[Sequence[float], Sequence[float]]


def mean_difference(
    differences: Sequence[float],
    loads: Sequence[float],
    seconds: Sequence[float],
    follows: Sequence[bool] = (),
    hidden: float = 0.0,
    work: Sides | None = None,
) -> MeanDifference | None:
    """The mean over time of differences, each of a unit with its load and length. `follows` and `hidden` as for ratio_of_sums, which is the
    interval of all that is no long series. `work`: other work of the units, before and after. None without units.

    >>> found = mean_difference([-10.0, -11.0, -9.0], [95.0, 96.5, 99.5], [900.0] * 3)
    >>> round(found.estimate.lower, 3), round(found.estimate.upper, 3), found.by_load
    (-12.484, -7.516, False)
    """
    plain = ratio_of_sums([d * s for d, s in zip(differences, seconds, strict=True)], seconds, follows, hidden)
    if plain is None:
        return None
    units, lengths = len(differences), stretches(len(differences), follows)
    are_enough = len(lengths) >= FEWEST_OF_ONE_SIGN or units - len(lengths) + 1 >= FEWEST_OF_ONE_SIGN_ON_END
    is_one = are_enough and abs(plain.value) > hidden and (min(differences) > 0 or max(differences) < 0)
    if not is_series(lengths, FEWEST_ON_END):
        return MeanDifference(plain, by_load=False, of_one_sign=is_one)
    total = sum(seconds)
    apart = [d - plain.value for d in differences]
    own: Sides = tuple([x + sign * d / 2 for x, d in zip(loads, differences, strict=True)] for sign in (-1, 1))  # type: ignore[assignment]
    loads_of = next((sides for sides in (own, work) if sides and _together(sides, seconds) >= _LEAST_TOGETHER), None)
    if loads_of and units >= FEWEST_ON_END_OF_A_LINE:
        left = _without_load(apart, [(a + b) / 2 for a, b in zip(*loads_of, strict=True)], seconds)
        of_left = [e * s for e, s in zip(left, seconds, strict=True)]
        if neighbours(of_left, follows) + 2 / units <= 0.8 - 12 / units:
            found = _interval(plain, of_left, total, follows, hidden, taken=2)
            return MeanDifference(found, by_load=True, of_one_sign=is_one)
    of_apart = [e * s for e, s in zip(apart, seconds, strict=True)]
    return MeanDifference(
        _interval(plain, of_apart, total, follows, hidden, taken=1), by_load=False, of_one_sign=is_one
    )


def _together(sides: Sides, seconds: Sequence[float]) -> float:
    """The correlation of both sides; 0 where one is the same throughout."""
    total = math.fsum(seconds)
    means = [math.fsum(v * s for v, s in zip(side, seconds, strict=True)) / total for side in sides]
    one, other = ([v - mean for v in side] for side, mean in zip(sides, means, strict=True))

    def product(a: Sequence[float], b: Sequence[float]) -> float:
        return math.fsum(x * y * s for x, y, s in zip(a, b, seconds, strict=True)) / total

    # What differs in its last bits alone is the same.
    if any(product(v, v) <= 1e-18 * mean * mean for v, mean in ((one, means[0]), (other, means[1]))):
        return 0.0
    return product(one, other) / math.sqrt(product(one, one) * product(other, other))


def _without_load(apart: Sequence[float], loads: Sequence[float], seconds: Sequence[float]) -> list[float]:
    """What differences are off their line over the load."""
    mean = math.fsum(x * s for x, s in zip(loads, seconds, strict=True)) / math.fsum(seconds)
    off = [x - mean for x in loads]
    squares = math.fsum(x * x * s for x, s in zip(off, seconds, strict=True))
    slope = math.fsum(x * d * s for x, d, s in zip(off, apart, seconds, strict=True)) / squares
    return [d - slope * x for d, x in zip(apart, off, strict=True)]


def _interval(
    plain: Estimate, residuals: Sequence[float], total: float, follows: Sequence[bool], hidden: float, *, taken: int
) -> Estimate:
    """The interval of a series around the mean of `plain`; `taken`: how many figures were taken from the units."""
    units = len(residuals)
    # The autocorrelation found is too low by what a line takes out of the residuals.
    effective = effective_units(residuals, follows, 2 / units if taken > 1 else 0.0)
    degrees = max(min(units - float(taken), effective - 0.5), 1.0)
    squares = math.fsum(r * r for r in residuals)
    error = math.sqrt(units**2 / (units - taken) / effective * squares) / total
    spread = math.sqrt(squares / (units - taken)) * units / total
    quantile = student_t(degrees)
    is_digits = of_digits(spread, quantile * error, hidden)
    if is_digits:
        error = hidden / quantile
    half = quantile * error
    return Estimate(
        plain.value, units, effective, plain.stddev, error, degrees, plain.value - half, plain.value + half, is_digits
    )
