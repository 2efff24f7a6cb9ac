"""How numbers are written in the text and charts of a page."""

# Shown for a missing value.
DASH = "–"


def number(value: float | None) -> str:
    return DASH if value is None else four_digits(value)


def signed(value: float, decimals: int = 2) -> str:
    """A difference with its sign (a true minus); none if it rounds to zero.

    >>> signed(-0.5), signed(0.001)
    ('−0.50', '0.00')
    """
    shown = f"{abs(value):,.{decimals}f}"
    sign = "" if float(shown.replace(",", "")) == 0 else "+" if value > 0 else "−"
    return sign + shown


def four_digits(value: float) -> str:
    """A value with four digits; large values in full, never as a power of ten.

    >>> four_digits(0.72602), four_digits(999.97), four_digits(9999.7), four_digits(123456.7)
    ('0.726', '1,000', '10,000', '123,457')
    """
    return f"{value:,.0f}" if abs(value) >= 999.95 else f"{value:,.4g}"
