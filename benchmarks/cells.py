"""How the Postprocessor prints a number: adaptive precision, suffixes in the gap, suppressed leading time units."""


def fit(value: float, width: int, decimals: int) -> str:
    """As many decimals as the field has room for, at most `decimals`.

    >>> fit(474.23, 5, 1), fit(6809.3, 4, 1), fit(708670.71, 8, 3)
    ('474.2', '6809', '708670.7')
    """
    text = f"{value:.{decimals}f}"
    while len(text) > width and decimals:
        decimals -= 1
        text = f"{value:.{decimals}f}"
    return text


def suffixed(value: float, digits: int) -> str:
    """A whole number of at most `digits` digits and the column of the gap behind it, where K or M may stand.

    >>> suffixed(769142, 6), suffixed(2237310, 6), suffixed(38812, 4)
    ('769142 ', '2237K', '39K')
    """
    for suffix, unit in ((" ", 1), ("K", 1000), ("M", 1_000_000)):
        text = str(int(value / unit + 0.5))
        if len(text) <= digits:
            return text + suffix
    raise ValueError(f"{value} does not fit {digits} digits")


def transaction_time(seconds: float, decimals: int) -> str:
    """A time without its leading zero units; below a second the bare fraction.

    >>> transaction_time(0.143, 3), transaction_time(246.826, 3), transaction_time(0.679822, 6)
    ('143', '4.06.826', '679822')
    """
    whole, fraction = divmod(round(seconds * 10**decimals), 10**decimals)
    if whole == 0:
        return str(fraction)
    minutes, second = divmod(whole, 60)
    if minutes == 0:
        return f"{second}.{fraction:0{decimals}d}"
    hours, minute = divmod(minutes, 60)
    if hours == 0:
        return f"{minute}.{second:02d}.{fraction:0{decimals}d}"
    return f"{hours}.{minute:02d}.{second:02d}.{fraction:0{decimals}d}"


def full_time(seconds: float, decimals: int, hour_digits: int = 3) -> str:
    """A time with all its units: HHH.MM.SS.fraction, or HH with two hour digits.

    >>> full_time(15.590291, 6), full_time(0.09, 3, 2)
    ('000.00.15.590291', '00.00.00.090')
    """
    whole, fraction = divmod(round(seconds * 10**decimals), 10**decimals)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:0{hour_digits}d}.{minute:02d}.{second:02d}.{fraction:0{decimals}d}"


def share(part: float, whole: float, width: int = 4) -> str:
    """A percentage of one decimal, 100 where that does not fit."""
    return fit(100 * part / whole if whole else 0.0, width, 1)
