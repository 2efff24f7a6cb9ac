"""Some days of a lake: the same tables and views, over what was printed of these days alone.

A page of the last month in a lake of years then reads only this month, and of its views only what is not kept (kept_days.py).
"""

from __future__ import annotations

import datetime as dt
from functools import partial

from .kept_days import KeptDays
from .narrowed import NarrowedLake
from .open_lake import OpenLake


class DaysLake(NarrowedLake):
    """What of an open lake was printed of the days from `first` to `last`, and of a day before them. Views whose days are kept have the rows of the
    days alone."""

    def __init__(self, lake: OpenLake, first: dt.date, last: dt.date):
        day = dt.timedelta(days=1)
        start, end = dt.datetime.combine(first - day, dt.time.min), dt.datetime.combine(last + day, dt.time.min)
        given = {}
        # Few rows are computed sooner than kept ones are read.
        if not lake.is_in_memory:
            kept = KeptDays(lake, first, last, lambda select: self._session.made_of(select))
            given = {view: partial(kept.rows, view) for view in kept.views}
        super().__init__(lake, start, end, given=given)
