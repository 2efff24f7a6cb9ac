"""How numbers are written in the text and charts of a page."""

import math
from collections.abc import Callable, Iterable
from statistics import median

# Writes a value of a column, a missing one as a dash.
Write = Callable[[float | None], str]
# Shown for a missing value.
DASH = "–"
_MOST_DECIMALS = 6
# APPL % is printed in hundredths: a smaller base has one digit, and a percentage of it is rounding.
LEAST_BASE_PCT = 0.1


def number(value: float | None) -> str:
    return DASH if value is None else four_digits(value)


def signed(value: float, decimals: int = 2) -> str:
    """A difference with its sign (a true minus); none if it rounds to zero.

    >>> signed(-0.5), signed(0.001), signed(-15.95 + 2e-15, 1), signed(-15.95 - 2e-15, 1)
    ('−0.50', '0.00', '−15.9', '−15.9')
    """
    value = _steady(value)
    shown = f"{abs(value):,.{decimals}f}"
    sign = "" if float(shown.replace(",", "")) == 0 else "+" if value > 0 else "−"
    return sign + shown


def change_pct(old: float | None, new: float | None, least: float = 0.0) -> str:
    """The relative change in percent; empty if it is unknown, or of a base below `least`.

    >>> change_pct(200, 150), change_pct(0, 1), change_pct(0.005, 131, LEAST_BASE_PCT)
    ('−25.0%', '', '')
    """
    return f"{signed((new / old - 1) * 100, 1)}%" if old and old >= least and new is not None else ""


def four_digits(value: float) -> str:
    """A value with four digits; large values in full, never as a power of ten.

    >>> four_digits(0.72602), four_digits(999.97), four_digits(9999.7), four_digits(123456.7)
    ('0.726', '1,000', '10,000', '123,457')
    >>> four_digits(-3.333e-10), four_digits(0.00008637)
    ('0', '0.00008637')
    """
    value = _steady(value)
    if abs(value) >= 999.95:
        return f"{value:,.0f}"
    if abs(value) < 0.5e-6:
        return "0"
    text = f"{value:,.4g}"
    if "e" in text:
        text = f"{value:.{3 - math.floor(math.log10(abs(value)))}f}".rstrip("0")
    return text.replace("-", "−")


def column_decimals(values: Iterable[float | None], half_widths: Iterable[float | None] = ()) -> int:
    """The number of decimals for all values of a column: enough that the smallest half-width of their intervals has one
    digit, and the middle value three digits, two with half-widths; without zeros that all values end with.

    >>> column_decimals([21.77, 22.08, 4.67]), column_decimals([1.31, 1.74], [0.02]), column_decimals([120, 3600])
    (1, 2, 0)
    >>> column_decimals([0.5, 0.25, 0.125]), column_decimals([1e-12])
    (3, 0)
    """
    known = [v for v in values if v]
    halves = [h for h in half_widths if h]
    if not known:
        return 0
    by_size = (1 if halves else 2) - math.floor(math.log10(median(map(abs, known))))
    by_half = -math.floor(math.log10(min(halves))) if halves else 0
    return _without_zeros(known, min(_MOST_DECIMALS, max(0, by_size, by_half)))


def pair_decimals(old: float | None, new: float | None) -> int:
    """The number of decimals for two values and their change in percent: the difference has three digits, each value at
    most four.

    >>> pair_decimals(96.6, 111.0), pair_decimals(0.51, 0.25), pair_decimals(239.27, 211.94)
    (1, 2, 1)
    """
    known = [v for v in (old, new) if v]
    if not known:
        return 0
    by_size = math.floor(math.log10(max(map(abs, known))))
    change = abs((new or 0.0) - (old or 0.0))
    by_change = 2 - math.floor(math.log10(change)) if change else 0
    return _without_zeros(known, min(_MOST_DECIMALS, max(0, 2 - by_size, min(by_change, 3 - by_size))))


def _without_zeros(values: Iterable[float], decimals: int) -> int:
    """Fewer decimals, if all values would end with zeros."""
    shown = [f"{v:.{decimals}f}" for v in values]
    while decimals and all(text.endswith("0") for text in shown):
        decimals, shown = decimals - 1, [text[:-1] for text in shown]
    return decimals


def pair_writer(old: float | None, new: float | None) -> Write:
    return _writer(pair_decimals(old, new))


def column_writer(values: Iterable[float | None], half_widths: Iterable[float | None] = ()) -> Write:
    """The writer of the values of one column: all with the same decimals; a value that rounds to zero has no sign."""
    return _writer(column_decimals(values, half_widths))


def _writer(decimals: int) -> Write:
    def write(value: float | None) -> str:
        return DASH if value is None else signed(value, decimals).removeprefix("+")

    return write


def _steady(value: float) -> float:
    """The value without its last digits, which depend on the order in which threads add up: half a printed digit would
    sometimes round up, sometimes down."""
    return float(f"{value:.12g}")
