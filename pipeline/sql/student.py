"""Student's t: its two-sided tail and quantile. Written out: the library that has them is larger than all of Ironlake's own need.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.5.2, 26.5.8 (the continued fraction) and 26.7.1.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_TURNS = 10_000
_LARGE = 200


def two_sided_p(t: float, degrees: float) -> float:
    """The chance of a value as far from 0 as `t`, to either side.

    >>> two_sided_p(0, 5), round(two_sided_p(1, 1), 12)
    (1.0, 0.5)
    """
    if math.isnan(t) or math.isnan(degrees) or degrees <= 0:
        return math.nan
    a, b, squared = degrees / 2, 0.5, t * t
    if squared == 0:
        return 1.0
    if math.isinf(squared):
        return 0.0
    # The incomplete beta function at `below`, from whichever end its fraction converges fast.
    below, above = degrees / (degrees + squared), squared / (degrees + squared)
    front = math.exp(_log_ratio(a) - math.log(math.pi) / 2 - a * math.log1p(squared / degrees) + b * math.log(above))
    if below < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, below) / a
    return 1 - front * _fraction(b, a, above) / b


def _log_ratio(a: float) -> float:
    """The logarithm of gamma(a + 1/2) / gamma(a). For large a not as a difference: of two large numbers it would lose digits."""
    if a < _LARGE:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return math.log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _MOST_TURNS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            c, d = _not_zero(1 + factor / c), 1 / _not_zero(1 + factor * d)
            found *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


@cache
def quantile(share: float, degrees: float) -> float:
    """What stays within, to both sides, in this share of cases.

    >>> round(quantile(0.95, 10), 9)
    2.228138852
    """
    # The tail falls ever more slowly, and the normal distribution's is smaller: Newton's steps only grow, towards the solution.
    t = NormalDist().inv_cdf((1 + share) / 2)
    logs = _log_ratio(degrees / 2) - math.log(degrees * math.pi) / 2
    for _ in range(_MOST_TURNS):
        density = math.exp(logs - (degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (two_sided_p(t, degrees) - (1 - share)) / (2 * density)
        t += step
        if step <= 1e-14 * t:
            break
    return t
