"""Storage sizes as the coupling facility's report prints them."""

import numpy as np

from ..contents.common import Numbers
from ..numbers import Chars
from ..pages import texts


def size(number: int) -> str:
    """Storage in units of 1024 with the letter in the gap: K below one M, G where five digits of M do not do.

    >>> size(47 * 1024**2), size(512 * 1024), size(20 * 1024**4), size(0)
    ('47M', '512K', '20480G', '0 ')
    """
    if not number:
        return "0 "
    power = 1 if number < 1024**2 else 2 if number < 100_000 * 1024**2 else 3
    return f"{number / 1024**power:.0f}{' KMG'[power]}"


def sizes(numbers: Numbers, width: int) -> Chars:
    """The same of a number for each interval, at the right of their field."""
    return texts((f"{size(int(one)):>{width}}" for one in np.atleast_1d(numbers)), width)
