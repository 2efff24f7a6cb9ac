"""A time of a lake: the same tables and views, over what was printed of it alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Self, cast

import pyarrow as pa

from ..declaration.report import Table
from ..lake.parts import PartStore
from ..lake.state import Part
from ..storage.storage import storage_at
from .answer import Result
from .measured_times import INTERVAL, inside, times_of
from .open_lake import OpenLake
from .session import Session

if TYPE_CHECKING:
    import pyarrow.dataset as pads


class NarrowedLake:
    """What of an open lake was printed between two times. Without `start` all that was printed before `end`, with the rows of which no time is
    known; without `end` all after `start`. `once`: views that many others name, made once. `given`: the rows of views."""

    def __init__(
        self,
        lake: OpenLake,
        start: dt.datetime | None,
        end: dt.datetime | None,
        once: Collection[str] = (),
        given: Mapping[str, Callable[[], pa.Table]] | None = None,
    ):
        self._lake, self._start, self._end = lake, start, end
        self._session = Session(self._dataset, memory=lake.memory, kept=once, given=given)

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Answer one SELECT statement, as OpenLake.sql does."""
        connection, relation = self._session.relation(text, parameters)
        return Result(self, connection, relation, text)

    def _dataset(self, table: Table) -> pa.Table | pads.Dataset:
        rows = self._lake.dataset(table)
        if not (columns := times_of(table.schema)):
            return rows
        near = inside(columns, self._start, self._end)
        if isinstance(rows, pa.Table):
            return rows.filter(near)
        import pyarrow.dataset as pads

        # As declared, texts stay the dictionaries that they are in the files: to write each out takes longer than all else.
        files = cast("pads.FileSystemDataset", rows)
        fragments = [*files.get_fragments(near)]
        return pads.FileSystemDataset(fragments, table.schema, files.format, files.filesystem).filter(near)

    def close(self) -> None:
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def part_times(lake: OpenLake, table: Table) -> list[tuple[Part, dt.datetime | None, dt.datetime | None]]:
    """The parts of a table with the first and last time of their rows; None where nobody knows it."""
    columns, parts = times_of(table.schema), lake.state.parts_of(table.name)
    if columns is None:
        return [(part, None, None) for part in parts]
    if columns == INTERVAL:
        return [(part, _time(part.first_time), _time(part.last_time)) for part in parts]
    store = PartStore(storage_at(lake.path))
    return [(part, *_bounds(store.footer(part), *columns)) for part in parts]


def _time(text: str | None) -> dt.datetime | None:
    return dt.datetime.fromisoformat(text) if text else None


def _bounds(footer: Any, start: str, end: str) -> tuple[dt.datetime | None, dt.datetime | None]:
    """What the statistics of a part say."""
    first, last = [], []
    for group in range(footer.num_row_groups):
        columns = {
            (column := footer.row_group(group).column(n)).path_in_schema: column for n in range(footer.num_columns)
        }
        for name, values, bound in ((start, first, "min"), (end, last, "max")):
            found = columns[name].statistics if name in columns else None
            if found is None or not found.has_min_max:
                # Of NULLs alone there are no statistics, as of what an older writer wrote.
                return None, None
            values.append(getattr(found, bound))
    return min(first, default=None), max(last, default=None)
