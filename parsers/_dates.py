"""Dates of all reports: order of day and month, years of two digits."""

import datetime as dt
import re
from functools import lru_cache

# For a date that cannot be read.
ORDER_HINT = "if the site prints day before month, ingest again with --date-order dmy (or mdy)"
_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})$")


# Every interval of a day has its date.
@lru_cache(maxsize=1 << 8)
def read_date(printed: str, order: str) -> dt.date:
    """A date as mm/dd/yyyy or, with order "dmy", dd/mm/yyyy; years are 1970 to 2069, in two digits or four.

    Raises ValueError if the digits are not a date in that order.
    """
    match = _DATE.match(printed)
    if not match:
        raise ValueError(printed)
    first, second, year = (int(g) for g in match.groups())
    if len(match[3]) == 2:
        year += 1900 if year >= 70 else 2000
    if not 1970 <= year <= 2069:
        raise ValueError(printed)
    month, day = (first, second) if order == "mdy" else (second, first)
    return dt.date(year, month, day)
