"""When the rows of a table were measured, and which of them lie in a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

import pyarrow as pa

INTERVAL = ("interval_start", "interval_end")
# The columns that say when a row was measured: it lies in a time if the first is before its end and the last after its start.
_TIMES = (INTERVAL, ("begin_at", "end_at"), ("collected_at", "collected_at"))
_DAY = dt.timedelta(days=1)
# An interval belongs to a window by its midpoint, and others overlap it: they may lie outside by as much as RMF's longest interval.
MARGIN = dt.timedelta(minutes=100)
# A collection of CICS statistics tells its end alone. It counts what was since the last reset, of a day at most, and lies where its midpoint does.
_COUNTED = dt.timedelta(days=1)

# From a time to a time; None: without end on this side, and on the first side with the rows of which no time is known.
Window = tuple[dt.datetime | None, dt.datetime | None]


def times_of(schema: pa.Schema) -> tuple[str, str] | None:
    """The columns that say when a row of a table was measured."""
    return next((columns for columns in _TIMES if set(columns) <= set(schema.names)), None)


def inside(columns: tuple[str, str], windows: Iterable[Window]) -> str:
    """Whether a row, of which the columns say when it was measured, lies in one of the windows, in SQL. Of a row with one of both times this
    one counts."""
    return " OR ".join(f"({_inside(columns, *window)})" for window in windows) or "FALSE"


def _inside(columns: tuple[str, str], start: dt.datetime | None, end: dt.datetime | None) -> str:
    first, last = columns
    found = []
    # What is asked of one column leaves row groups alone, of which the statistics say its bounds.
    if end:
        found += [
            f"({first} IS NULL OR {first} < TIMESTAMP '{end}')",
            f"coalesce({first}, {last}) < TIMESTAMP '{end}'",
        ]
    if start:
        found += [
            f"({last} IS NULL OR {last} > TIMESTAMP '{start}')",
            f"coalesce({last}, {first}) > TIMESTAMP '{start}'",
        ]
    whole = " AND ".join(found) or "TRUE"
    return f"{whole} OR ({first} IS NULL AND {last} IS NULL)" if end and not start else whole


def counted_in(columns: tuple[str, str], windows: Iterable[Window]) -> list[Window]:
    """The windows in which a row that counts in one of these may end."""
    after = _COUNTED if columns[0] == columns[1] else dt.timedelta()
    return [(start, end and end + after) for start, end in windows]


def study_windows(steps: pa.Table) -> list[Window]:
    """The windows of study_step rows with their margins, those that touch made one.

    >>> day = dt.datetime(2021, 4, 13)
    >>> at = [(day + dt.timedelta(hours=h), day + dt.timedelta(hours=h + 1)) for h in (15, 9, 6)]
    >>> steps = pa.table({"window_start": [a for a, _ in at], "window_end": [b for _, b in at]})
    >>> [(str(a.time()), str(b.time())) for a, b in study_windows(steps)]
    [('04:20:00', '11:40:00'), ('13:20:00', '17:40:00')]
    """
    columns = (steps["window_start"].to_pylist(), steps["window_end"].to_pylist())
    return _merged((a - MARGIN, b + MARGIN) for a, b in zip(*columns, strict=True))


def days_around(windows: Iterable[tuple[dt.datetime, dt.datetime]]) -> list[Window]:
    """The days of windows with those beside them, on which rests what views that shard say of the windows."""
    return _merged((_midnight(start) - _DAY, _midnight(end) + 2 * _DAY) for start, end in windows)


def _midnight(time: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(time, dt.time.min)


def _merged(windows: Iterable[tuple[dt.datetime, dt.datetime]]) -> list[Window]:
    """Windows in order, those that touch made one."""
    found: list[tuple[dt.datetime, dt.datetime]] = []
    for start, end in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return [*found]


def touches(windows: Sequence[Window], first: dt.datetime | None, last: dt.datetime | None) -> bool:
    """Whether rows from a first to a last time may lie in a window; None where no time is known, or a row has none."""
    return any(
        (end is None or first is None or first < end) and (start is None or last is None or last > start)
        for start, end in windows
    )
