"""Some days of a lake: the same tables and views, over what was printed of these days alone.

A page of the last month in a lake of years then reads only this month, and of its views only what is not kept (kept_days.py).
"""

from __future__ import annotations

import datetime as dt
from functools import partial

from ..declaration.bookkeeping import stored_tables
from ..lake.state import Part
from .kept_days import KeptDays
from .measured_times import times_of
from .narrowed import NarrowedLake
from .open_lake import OpenLake

_LITTLE = dt.timedelta(minutes=1)


class DaysLake(NarrowedLake):
    """What of an open lake was printed of the days from `first` to `last`, and of a day before them. Views whose days are kept have the rows of the
    days alone."""

    def __init__(self, lake: OpenLake, first: dt.date, last: dt.date):
        day = dt.timedelta(days=1)
        start, end = dt.datetime.combine(first - day, dt.time.min), dt.datetime.combine(last + day, dt.time.min)
        given = {}
        # Few rows are computed sooner than kept ones are read. Beside the days there must be none, of which views would have rows.
        if not (lake.is_in_memory and _has_all(lake, start + day, end)):
            kept = KeptDays(lake, first, last, lambda select: self._session.made_of(select))
            given = {view: partial(kept.rows, view) for view in kept.views}
        super().__init__(lake, start, end, given=given)


def _has_all(lake: OpenLake, start: dt.datetime, end: dt.datetime) -> bool:
    """Whether all that was printed is from `start` to `end`, as far as parts tell. An interval may end a little late: its midpoint counts."""
    timed = (lake.parts(table) for table in stored_tables().values() if times_of(table.schema))
    return all(_is_within(part, *rows.times(part), start, end) for rows in timed for part in rows.parts)


def _is_within(
    part: Part, first: dt.datetime | None, last: dt.datetime | None, start: dt.datetime, end: dt.datetime
) -> bool:
    if first is None or last is None or first < start:
        return False
    is_little = last <= end + _LITTLE and part.last_start is not None
    return last <= end or (is_little and dt.datetime.fromisoformat(str(part.last_start)) <= end - _LITTLE)
