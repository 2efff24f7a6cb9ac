"""Whole numbers of lines that are read by a pattern, not below a heading."""

import re


def whole_number(printed: str) -> int | None:
    """The number, or None for any other text and for more digits than a table holds exactly.

    >>> whole_number("12"), whole_number("1,2"), whole_number("9" * 16)
    (12, None, None)
    """
    return int(printed) if re.fullmatch("[0-9]{1,15}", printed) else None
