"""Student's t distribution: the chance of a value, and the value of the 95% interval.

The chance that t lies further from 0 is the regularised incomplete beta function I of x = v / (v + t²) for v/2 and 1/2, v being the degrees of
freedom. Source: NIST Digital Library of Mathematical Functions, 8.17.8 (series), 8.17.22 (continued fraction) and 5.11.13 (quotient of
gamma functions).
"""

from __future__ import annotations

import math
from functools import cache

CONFIDENCE = 0.95
# Of the series of a quotient of gamma functions, in powers of 1/a.
_SERIES = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)
_LARGE = 100
# Squares of t from here on are of the tail.
_FAR = 9.0


@cache
def student_t(degrees: float, confidence: float = CONFIDENCE) -> float:
    """What Student's t stays within, to both sides, in 95 of 100 cases, or in that share of them; `degrees` above 0.

    >>> round(student_t(4), 6), round(student_t(1), 4)
    (2.776445, 12.7062)
    """
    low, high = 0.0, 2.0
    while two_sided_p(high, degrees) > 1 - confidence:
        low, high = high, 2 * high
    # Half by half, until there is no number between.
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if two_sided_p(middle, degrees) > 1 - confidence else (low, middle)
    return high


def two_sided_p(t: float, degrees: float) -> float:
    """The chance that Student's t is as far from 0 as `t`, to either side.

    >>> round(two_sided_p(-2.776445105, 4), 9)
    0.05
    """
    square, a = min(t * t, 1e300), degrees / 2
    x, y = degrees / (degrees + square), square / (degrees + square)
    front = math.exp(-a * math.log1p(square / degrees)) * math.sqrt(y / math.pi) * _gamma_quotient(a)
    if square > _FAR:
        return front / a * _fraction(a, 0.5, x)
    # Near the middle what is left of the fraction has lost digits; the series has terms above 0 alone.
    return 1 - 2 * front * _series(0.5, a, y)


def _gamma_quotient(a: float) -> float:
    """Gamma of a + 1/2 over gamma of a; of the logarithms of large ones the digits that count cancel out."""
    if a < _LARGE:
        return math.gamma(a + 0.5) / math.gamma(a)
    return math.sqrt(a) * math.fsum(c / a**n for n, c in enumerate(_SERIES))


def _series(a: float, b: float, x: float) -> float:
    """The hypergeometric function F(a + b, 1; a + 1; x) of 8.17.8, for x below 1."""
    total = term = 1.0
    n = 0
    while term > 1e-17 * total:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
    return total


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of 8.17.22, by Lentz's method."""
    value = upper = change = 1.0
    lower = 0.0
    n = 1
    while n == 1 or abs(change - 1) > 2**-52:
        m = n // 2
        term = (-(a + m) * (a + b + m) if n % 2 else m * (b - m)) * x / ((a + n - 1) * (a + n))
        lower, upper = 1 / (1 + term * lower), 1 + term / upper
        change = lower * upper
        value *= change
        n += 1
    return 1 / value
