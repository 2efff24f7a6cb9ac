"""A lake in slices, for `ironlake check`: the rows of whole sources or, for a large source, of whole intervals. Totals and
their rows stay together, and memory is bounded.

The rows are indexed once; a slice reads only the row groups that hold its rows, so all slices together read every row
group about once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..declaration.report import Report, Table
from ..lake.parts import conform
from ..sql.open_lake import OpenLake
from ..sql.query_errors import explained_query
from ..storage.arrow_files import source_of
from ..storage.storage import storage_at

_TIMES = ("interval_start", "begin_at", "collected_at")


@dataclass(frozen=True, eq=False)
class Slice:
    """Rows of a report's tables: those of some sources, and of one source alone perhaps only some intervals. `tables` has, by
    name, the row groups that hold them."""

    of: _Report
    source_ids: tuple[str, ...]
    times: tuple[object, object] | None
    tables: dict[str, pl.DataFrame]

    def read(self) -> dict[str, pa.Table]:
        return {name: self.of.rows(name, groups, self._wanted(name)) for name, groups in self.tables.items()}

    def _wanted(self, table: str) -> pc.Expression:
        wanted = pc.field("source_id").cast(pa.string()).isin(self.source_ids)
        if self.times:
            time = pc.field(self.of.times[table])
            first, last = self.times
            wanted &= time.is_null() if first is None else (time >= pa.scalar(first)) & (time <= pa.scalar(last))
        return wanted


def slices_of(lake: OpenLake, report: Report, columns: dict[str, list[str]], most_rows: int) -> Iterator[Slice]:
    """Slices with at most `most_rows` rows of each table, more only where a single interval has more. Read are the columns
    given by table, and those of source and interval."""
    of = _Report(lake, [t for t in report.tables if lake.rows(t.name)], columns)
    if not of.tables:
        return
    can_be_cut = all(of.times.values())
    waiting: list[str] = []
    size = 0
    for source_id, rows in _most(of.index, "source_id").iter_rows():
        if waiting and size + rows > most_rows:
            yield of.slice(waiting)
            waiting, size = [], 0
        if rows > most_rows and can_be_cut:
            yield from _of_large(of, source_id, most_rows)
        else:
            waiting.append(source_id)
            size += rows
    if waiting:
        yield of.slice(waiting)
    of.let_go()


def _of_large(of: _Report, source_id: str, most_rows: int) -> Iterator[Slice]:
    sizes = _most(of.index.filter(pl.col("source_id") == source_id), "time").sort("time", nulls_last=False)
    first = last = None
    size = 0
    for time, rows in sizes.iter_rows():
        if time is None:
            yield of.slice([source_id], (None, None))
            continue
        if first is not None and size + rows > most_rows:
            yield of.slice([source_id], (first, last))
            first, size = None, 0
        first, last, size = time if first is None else first, time, size + rows
    if first is not None:
        yield of.slice([source_id], (first, last))


def _most(index: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rows of the table that has most, by source or time, in the order of the largest table."""
    of_table = index.group_by(by, "table", maintain_order=True).agg(pl.col("rows").sum())
    return of_table.group_by(by, maintain_order=True).agg(pl.col("rows").max())


class _Report:
    """The index of the rows of a report's tables, and the row groups read last: the next slice may begin in one."""

    def __init__(self, lake: OpenLake, tables: Iterable[Table], columns: dict[str, list[str]]):
        self._files = storage_at(lake.path)
        self.tables = {t.name: t for t in tables}
        self.times = {name: _time_of(table) for name, table in self.tables.items()}
        self._parts = {name: lake.state.parts_of(name) for name in self.tables}
        self._schemas = {
            name: pa.schema(
                [table.schema.field(c).with_nullable(True) for c in {**dict.fromkeys(columns[name]), **_place(table)}]
            )
            for name, table in self.tables.items()
        }
        self._at_hand: dict[str, dict[tuple[int, int], pa.Table]] = {}
        self._sources = pl.Enum(sorted({s for parts in self._parts.values() for p in parts for s in p.source_ids}))
        found = [self._indexed(name) for name in sorted(self.tables, key=lake.rows, reverse=True)]
        self.index = pl.concat(found) if found else pl.DataFrame()

    def _indexed(self, name: str) -> pl.DataFrame:
        """Of each row group how many rows a source and time has in it."""
        time = self.times[name]
        schema = pa.schema([self._schemas[name].field(c) for c in _place(self.tables[name])])
        found = []
        for part in range(len(self._parts[name])):
            for group, rows in self._groups(name, part, schema):
                frame = pl.from_arrow(rows)
                assert isinstance(frame, pl.DataFrame)
                times = pl.col(time) if time else pl.lit(None, pl.Datetime("us"))
                counted = frame.select(
                    pl.col("source_id").cast(self._sources), times.cast(pl.Datetime("us")).alias("time")
                )
                counted = counted.group_by("source_id", "time", maintain_order=True).agg(pl.len().alias("rows"))
                place = {"part": part, "group": group, "in_group": len(rows)}
                found.append(counted.with_columns(pl.lit(value).alias(key) for key, value in place.items()))
        return pl.concat(found).with_columns(pl.lit(name, pl.Enum(list(self.tables))).alias("table"))

    def _groups(
        self, name: str, part: int, schema: pa.Schema, wanted: Iterable[int] | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """Row groups of a part in a schema; columns that an older part lacks are NULL."""
        source = source_of(self._files, self._parts[name][part].path)
        with explained_query(), pq.ParquetFile(source, page_checksum_verification=True) as file:
            there = [c for c in schema.names if c in file.schema_arrow.names]
            for group in range(file.num_row_groups) if wanted is None else wanted:
                yield group, conform(file.read_row_group(group, columns=there), schema)

    def slice(self, source_ids: list[str], times: Any = None) -> Slice:
        wanted = pl.col("source_id").is_in(source_ids)
        if times:
            first, last = times
            wanted &= pl.col("time").is_null() if first is None else pl.col("time").is_between(first, last)
        places = self.index.filter(wanted).group_by("table", "part", "group", "in_group").agg(pl.col("rows").sum())
        tables = {name: places.filter(table=name).sort("part", "group") for name in self.tables}
        return Slice(self, tuple(source_ids), times, {name: groups for name, groups in tables.items() if len(groups)})

    def rows(self, name: str, groups: pl.DataFrame, wanted: pc.Expression) -> pa.Table:
        """The wanted rows of some row groups."""
        before, at_hand = self._at_hand.get(name, {}), {}
        for (part,), of_part in groups.group_by("part", maintain_order=True):
            new = [g for g in of_part["group"] if (part, g) not in before]
            at_hand |= {(part, g): rows for g, rows in self._groups(name, part, self._schemas[name], new)}
            at_hand |= {(part, g): before[part, g] for g in of_part["group"] if (part, g) in before}
        self._at_hand[name] = at_hand
        found = [
            at_hand[part, group] if in_group == rows else at_hand[part, group].filter(wanted)
            for part, group, in_group, rows in groups.select("part", "group", "in_group", "rows").iter_rows()
        ]
        return pa.concat_tables(found).unify_dictionaries()

    def let_go(self) -> None:
        """Forget the row groups read last."""
        self._at_hand = {}


def _place(table: Table) -> dict[str, None]:
    """The columns of source and interval."""
    return dict.fromkeys(filter(None, ("source_id", _time_of(table))))


def _time_of(table: Table) -> str:
    """The time column of the intervals; empty for logs."""
    names = {c.name for c in table.columns}
    return next((name for name in _TIMES if name in names), "")
