"""What pages of studies need of a lake: what was printed on the days of their windows, and on the days beside them.

Views that shard (shards.py) say the same of these days as over the whole lake, so that a page of two hours costs about the same in a lake of years.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

import pyarrow as pa

from ..declaration.bookkeeping import CELL_NULL
from ..declaration.report import Table
from .known_tables import tables
from .measured_times import times_of
from .narrowed import part_times
from .prune import Window, merged, row_groups_near, row_groups_of

if TYPE_CHECKING:
    import pyarrow.dataset as pads

    from .open_lake import OpenLake

_DAY = dt.timedelta(days=1)


class _Tables(Protocol):
    @property
    def memory(self) -> str | None: ...

    def dataset(self, table: Table, /) -> pa.Table | pads.Dataset: ...


class NearWindows:
    """The tables of a lake near some windows; a table that is in memory stays whole."""

    def __init__(self, lake: _Tables, windows: Iterable[Window]):
        self._lake = lake
        self._days = merged((_midnight(start) - _DAY, _midnight(end) + 2 * _DAY) for start, end in windows)

    @property
    def memory(self) -> str | None:
        return self._lake.memory

    is_in_memory = False

    def dataset(self, table: Table) -> pa.Table | pads.Dataset:
        rows = self._lake.dataset(table)
        if isinstance(rows, pa.Table):
            return rows
        return row_groups_of(rows, self._sources) if table == CELL_NULL else row_groups_near(rows, self._days)

    @cached_property
    def _sources(self) -> set[str]:
        """Those that have rows of these days."""
        return {
            source
            for table in tables().values()
            if times_of(table.schema)
            for part, first, last in part_times(cast("OpenLake", self._lake), table)
            if any((first is None or first < end) and (last is None or last > start) for start, end in self._days)
            for source in part.source_ids
        }


def _midnight(time: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(time, dt.time.min)
