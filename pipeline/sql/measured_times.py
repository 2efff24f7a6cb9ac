"""When the rows of a table were measured, and which of them lie in a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

INTERVAL = ("interval_start", "interval_end")
# The columns that say when a row was measured: it lies in a time if the first is before its end and the last after its start.
_TIMES = (INTERVAL, ("begin_at", "end_at"), ("collected_at", "collected_at"))
_STAMP = pa.timestamp("us")


def inside(columns: tuple[str, str], start: dt.datetime | None, end: dt.datetime | None) -> pc.Expression:
    """Whether a row, of which the columns say when it was measured, lies in a time."""
    first, last = (pc.field(name) for name in columns)
    found = pc.scalar(True)
    if end:
        found &= _either(first, last, lambda time: time < pa.scalar(end, _STAMP))
    if start:
        found &= _either(last, first, lambda time: time > pa.scalar(start, _STAMP))
    elif end:
        found |= first.is_null() & last.is_null()
    return found


def _either(time: pc.Expression, other: pc.Expression, rule: Callable[[pc.Expression], pc.Expression]) -> pc.Expression:
    """Whether a rule holds for a time, or for the other one of the row where this is unknown."""
    return rule(time) | (time.is_null() & rule(other))


def times_of(schema: pa.Schema) -> tuple[str, str] | None:
    """The columns that say when a row of a table was measured."""
    return next((columns for columns in _TIMES if set(columns) <= set(schema.names)), None)
