"""Some days of a lake: the same tables and views, over what was printed of these days alone.

A page of the last month in a lake of years then reads only this month, and asks its views as often as it likes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Self

import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.report import Table
from .session import OpenLake, Result, Session

if TYPE_CHECKING:
    import pyarrow.dataset as pads

# The columns that say when a row was measured: it lies in the days if the first is before their end and the last after their start.
_TIMES = (("interval_start", "interval_end"), ("begin_at", "end_at"), ("collected_at", "collected_at"))


class DaysLake:
    """What of an open lake was printed of the days from `first` to `last`, and of a day before them: four-hour averages look back, and what is
    new is not so on the day before."""

    def __init__(self, lake: OpenLake, first: dt.date, last: dt.date, kept: Collection[str] = ()):
        """`kept`: views that many questions ask, made once."""
        self._lake = lake
        self._from = dt.datetime.combine(first - dt.timedelta(days=1), dt.time.min)
        self._to = dt.datetime.combine(last + dt.timedelta(days=1), dt.time.min)
        self._session = Session(self._dataset, memory=lake.memory, kept=kept)

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Answer one SELECT statement, as OpenLake.sql does."""
        connection, relation = self._session.relation(text, parameters)
        return Result(self, connection, relation, text)

    def _dataset(self, table: Table) -> pa.Table | pads.Dataset:
        rows = self._lake.dataset(table)
        names = set(rows.schema.names)
        for start, end in _TIMES:
            if {start, end} <= names:
                stamp = pa.timestamp("us")
                return rows.filter(
                    (pc.field(start) < pa.scalar(self._to, stamp)) & (pc.field(end) > pa.scalar(self._from, stamp))
                )
        return rows

    def close(self) -> None:
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
