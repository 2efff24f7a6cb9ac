"""Tables of a lake with what was printed in some windows alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Protocol

import pyarrow as pa

from ..declaration.bookkeeping import CELL_NULL
from ..declaration.report import Table
from ..lake.kept_files import KeptFiles
from .known_tables import tables
from .measured_times import Window, days_around, times_of
from .part_rows import PartRows


class Tables(Protocol):
    """The tables of a lake, and what a session over them may take and read."""

    @property
    def memory(self) -> str | None: ...

    @property
    def is_in_memory(self) -> bool:
        """Whether each table has so few rows that all are read at once."""
        ...

    @property
    def kept_files(self) -> KeptFiles | None:
        """Where rows of views are kept, if they are."""
        ...

    def files(self) -> list[str]: ...

    def rows_of(self, table: Table, /) -> pa.Table | PartRows: ...

    def identity(self, name: str, /) -> object:
        """What is other for every other content of a table."""
        ...


def threads_for(lake: Tables) -> int | None:
    """How many threads a session over a lake needs: of few rows one, as a second only waits; None for as many as there are cores."""
    return 1 if lake.is_in_memory else None


class TablesInside:
    """The tables of a lake, with what was printed in some windows; of a table that tells of rows of others (cell_null) what has sources in common
    with those."""

    def __init__(self, rows_of: Callable[[Table], pa.Table | PartRows], windows: Sequence[Window]):
        self._rows_of, self._windows = rows_of, windows

    def rows_of(self, table: Table) -> pa.Table | PartRows:
        rows = self._rows_of(table)
        if isinstance(rows, pa.Table):
            return rows
        return rows.of_sources(self._sources) if table == CELL_NULL else rows.inside(self._windows)

    @cached_property
    def _sources(self) -> frozenset[str]:
        timed = [self.rows_of(table) for table in tables().values() if times_of(table.schema)]
        return frozenset(s for rows in timed if isinstance(rows, PartRows) for p in rows.parts for s in p.source_ids)


class NearWindows(TablesInside):
    """What pages of studies need of a lake: the days of their windows, and those beside them. Views that shard (shards.py) say the same of these days as
    over the whole lake, so that a page of two hours costs about the same in a lake of years."""

    def __init__(self, lake: Tables, windows: Iterable[tuple[dt.datetime, dt.datetime]]):
        super().__init__(lake.rows_of, days_around(windows))
        self.memory, self.files, self.is_in_memory, self.kept_files = lake.memory, lake.files, False, None
        self.identity = lake.identity
