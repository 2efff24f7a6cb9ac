"""The hour that the clock repeats, at the end of daylight saving: pages name local times, so two hours have one name. Where pages were read with
the offset of their clock (`ingest --utc-offset`), each hour is answered for by itself: the same view, over the rows of one offset alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.report import Table
from .connection import connect
from .measured_times import inside, times_of

if TYPE_CHECKING:
    import pyarrow.dataset as pads

    Rows = pa.Table | pads.Dataset

OFFSET = "utc_offset_minutes"
_DAY = dt.timedelta(days=1)
# Whose clock it is.
_CLOCK = ("scope", "system", "sysplex")
_REPEATED = f"""
SELECT date_trunc('hour', interval_start + (interval_end - interval_start) / 2) AS hour, coalesce({", ".join(_CLOCK)}, '') AS clock,
    max({OFFSET}), min({OFFSET})
FROM printed
WHERE {OFFSET} IS NOT NULL AND interval_start IS NOT NULL
GROUP BY ALL
HAVING min({OFFSET}) < max({OFFSET})
"""


@dataclass(frozen=True)
class Repeated:
    """Hours that the clocks of some systems have with two offsets, those of summer first. `tables`: those of which rows say so."""

    offsets: tuple[int, int]
    hours: frozenset[dt.datetime]
    clocks: frozenset[str]
    tables: frozenset[str]

    def rows_by_offset(self) -> Iterator[tuple[int | None, Callable[[Table, Rows], Rows]]]:
        """Each offset, and what gives the rows of a table around the hours that were read with it; None: of the other clocks."""
        for offset in (*self.offsets, None):
            yield offset, partial(self._around, offset)

    def _around(self, offset: int | None, table: Table, rows: Rows) -> Rows:
        # What counts of an hour rests on the days beside it, too.
        if not (columns := times_of(table.schema)):
            return rows
        wanted = reduce(or_, (inside(columns, hour - _DAY, hour + 2 * _DAY) for hour in sorted(self.hours)))
        if OFFSET in table.schema.names:
            wanted &= self._is_of(offset, table)
        return rows.filter(wanted) if isinstance(rows, pa.Table) else rows.to_table(filter=wanted)

    def _is_of(self, offset: int | None, table: Table) -> pc.Expression:
        """Whether a row counts with an offset. Rows of which no offset is known count with each, but for those of tables in which it tells hours
        apart."""
        read_with, unknown = pc.field(OFFSET), pc.field(OFFSET).is_null()
        if offset is None:
            others = unknown | ~read_with.isin([*self.offsets])
            clock = pc.coalesce(*map(pc.field, _CLOCK), pa.scalar(""))
            return others & ~clock.isin([*self.clocks]) if table.name in self.tables else others
        return read_with == offset if table.name in self.tables else unknown | (read_with == offset)


# An hour, whose clock it is, and its offsets.
TwoOffsets = tuple[dt.datetime, str, int, int]


def hours_of_two_offsets(rows: Rows) -> list[TwoOffsets]:
    """The hours that rows of a table have with two offsets."""
    with connect() as connection:
        connection.register("printed", rows)
        # Most lakes know of no offset.
        if connection.sql(f"SELECT count(DISTINCT {OFFSET}) < 2 FROM printed").fetchall()[0][0]:
            return []
        return connection.sql(_REPEATED).fetchall()


def repeated_hours(found: Mapping[str, Iterable[TwoOffsets]]) -> list[Repeated]:
    """The same of several tables, by name."""
    together: dict[tuple[int, int], tuple[set[dt.datetime], set[str], set[str]]] = {}
    for table, hours in found.items():
        for hour, clock, summer, winter in hours:
            of_two = together.setdefault((summer, winter), (set(), set(), set()))
            of_two[0].add(hour)
            of_two[1].add(clock)
            of_two[2].add(table)
    return [
        Repeated(offsets, frozenset(hours), frozenset(clocks), frozenset(names))
        for offsets, (hours, clocks, names) in sorted(together.items())
    ]
