"""Shards: views over years of a lake, made of some weeks at a time, so that memory is bounded and several cores have work.

The header of a view says by which of its columns it shards: what it says of a day rests on what was printed of that day and of those beside it, or
on overlapping intervals only.
A shard is a run of whole days. Its rows are made of what was printed of these days and around them, and of all rows so made those of its days are
kept. Rows without a time are of the first shard. A view that does not shard is made as ever, of views that do.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol, Self

import pyarrow as pa
import pyarrow.parquet as pq

from ..declaration.report import Table
from ..errors import UsageError
from ..temporary_folders import spill_folder
from .answer import Result, current_work, interruptible
from .known_tables import tables
from .measured_times import Window, times_of
from .memory import memory_bytes
from .once_views import ASKED_OFTEN
from .open_lake import OpenLake
from .part_rows import PartRows, columns_needed, scan
from .session import Session, empty_session
from .tables_inside import TablesInside
from .view_files import View, views

_DAY = dt.timedelta(days=1)
# What this process may take where nobody says, and what of it the libraries and the ledger take.
_MEMORY = 2 * 10**9
_LIBRARIES = 350 * 10**6
# For a printed row with all that is made of it, and of that in DuckDB: measured for cpu_by_class, the widest.
_BYTES_A_ROW = 2_800
_IN_DUCKDB = 0.6
# With less DuckDB does not end with the views of a day.
_LEAST_IN_DUCKDB = 100 * 10**6
_ROWS_A_BATCH = 65_536


@dataclass(frozen=True)
class Shard:
    """From a midnight to a midnight; None before the first, and after the last. `margin`: what around it is read for its rows."""

    start: dt.datetime | None
    end: dt.datetime | None
    margin: dt.timedelta

    @property
    def around(self) -> Window:
        """What is read for its rows."""
        return self.start and self.start - self.margin, self.end and self.end + self.margin

    def condition(self, column: str) -> str:
        """Which rows of a view belong to it, in SQL."""
        first = f"{column} >= TIMESTAMP '{self.start}'" if self.start else f"{column} IS NOT NULL"
        last = f"{column} < TIMESTAMP '{self.end}'" if self.end else "TRUE"
        return f"({first} AND {last})" + ("" if self.start else f" OR {column} IS NULL")


@dataclass(frozen=True)
class ShardRows:
    """The rows of a view that are of a shard: what is asked for, the tables behind it, and what DuckDB may take. Can be pickled."""

    select: str
    schema: pa.Schema
    behind: tuple[str, ...]
    shard: Shard
    memory: str

    def write(self, lake: OpenLake, place: Path | BinaryIO, threads: int) -> None:
        """Write them as Parquet; DuckDB takes that many threads."""
        try:
            self._write(lake, place, threads)
        finally:
            # Arrow would keep what the rows took, and the answer comes on top.
            pa.default_memory_pool().release_unused()

    def _write(self, lake: OpenLake, place: Path | BinaryIO, threads: int) -> None:
        session = Session(
            rows_of_shard(lake, self.shard), memory=self.memory, kept=ASKED_OFTEN, threads=threads, files=lake.files()
        )
        try:
            connection, relation = session.relation(self.select)

            def write() -> None:
                with pq.ParquetWriter(place, self.schema) as file:
                    for batch in relation.to_arrow_reader(_ROWS_A_BATCH):
                        file.write_batch(batch.cast(self.schema))

            interruptible(write, connection)
        finally:
            session.close()


class Elsewhere(Protocol):
    """Other processes that make rows of shards of a lake."""

    def made(self, lake: OpenLake, shards: Sequence[ShardRows]) -> Iterator[bytes]:
        """Each as a Parquet file, in order."""
        ...


class ShardedLake:
    """An open lake of which views are made by shards, `jobs` at once. The lake's `memory` bounds what this process takes, and so how many printed
    rows a shard has, unless `most_rows` says it. `elsewhere`: what makes them in place of threads of this process; then a question that would
    be answered whole is refused."""

    def __init__(self, lake: OpenLake, jobs: int = 1, most_rows: int | None = None, elsewhere: Elsewhere | None = None):
        self._lake, self._jobs, self._elsewhere = lake, jobs, elsewhere
        whole = memory_bytes(lake.memory) or _MEMORY
        memory = max(whole - _LIBRARIES, whole // 4)
        self._memory = f"{memory}B"
        self._memory_of_shard = f"{max(int(memory // jobs * _IN_DUCKDB), _LEAST_IN_DUCKDB)}B"
        self._threads = max(1, (os.cpu_count() or 1) // jobs)
        self._most_rows = most_rows or memory // jobs // _BYTES_A_ROW
        self._folder = spill_folder()
        self._questions: list[Session] = []
        self._closed = False

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Answer one SELECT statement, as OpenLake.sql does. What names views of studies is answered whole: these read only the hours near
        their windows. What kept days answer is made of no shards."""
        if kept := self._lake.of_kept_days(text, parameters):
            return Result(self, *kept, text)
        named = self._lake.made_of(text)
        if any(name in views() and views()[name].is_of_studies for name in named):
            return self._whole(
                text, parameters, "it names views of studies, which read only the hours near their windows"
            )
        if self._elsewhere and not any(name in views() and views()[name].shards_by for name in named):
            return self._whole(text, parameters, "it names no view that shards")
        needed = self._needed(text, parameters)
        made = {name: partial(self._rows, view, needed) for name, view in views().items() if view.shards_by}
        files = [*self._lake.files(), f"{self._folder.path}/"]
        session = _WithoutStudies(self._lake.rows_of, memory=self._memory, given=made, files=files)
        self._questions.append(session)
        try:
            return Result(self, *session.relation(text, parameters), text)
        except _OfStudiesError:
            # The name was put together in the text.
            return self._whole(text, parameters, "it names a view of studies")

    def _whole(self, text: str, parameters: Mapping[str, object] | None, why: str) -> Result:
        if self._elsewhere:
            # What is no question at all is told as that.
            with closing(empty_session()) as session:
                session.relation(text, parameters)
            hint = "without --engine spark it is answered; ironlake describe VIEW says how a view shards"
            raise UsageError(f"the question cannot be shared among machines: {why}", "a view that shards by time", hint)
        return self._lake.sql(text, parameters)

    def _needed(self, text: str, parameters: Mapping[str, object] | None) -> set[tuple[str, str]] | None:
        """The columns of views that a question needs, None for all."""

        def nothing(table: Table) -> PartRows:
            return replace(self._lake.parts(table), parts=(), is_few=False)

        def given(name: str) -> str:
            return scan(name, self._lake.schema(name), [session.stand_in])

        sharding = [name for name, view in views().items() if view.shards_by]
        session = Session(nothing, given={name: partial(given, name) for name in sharding})
        with closing(session):
            try:
                return columns_needed(session.plan(text, parameters))
            except UsageError:
                # It shows a plan itself, or is none that can be answered.
                return None

    def _rows(self, view: View, needed: set[tuple[str, str]] | None) -> str:
        """The rows of a view, in files, as a SELECT; columns that a question does not need are empty."""
        whole = self._lake.schema(view.name)
        names = whole.names if needed is None else [name for name in whole.names if (view.name, name) in needed]
        schema = whole.remove_metadata()
        folder = self._folder.path / f"{len(self._questions)}-{view.name}"
        folder.mkdir()
        behind = [tables()[name] for name in self._lake.made_of(view.sql) if name in tables()]
        memory = self._memory_of_shard
        shards = [
            _rows_of(view, names, schema, behind, shard, memory) for shard in self.shards(behind, _least_margin(view))
        ]
        places = [folder / f"{number}.parquet" for number in range(len(shards))]
        if self._elsewhere:
            for place, content in zip(places, self._elsewhere.made(self._lake, shards), strict=True):
                place.write_bytes(content)
        else:
            self._write(shards, places)
        return scan(view.name, whole, map(str, places))

    def shards(self, behind: Iterable[Table], least_margin: dt.timedelta = _DAY) -> list[Shard]:
        """Runs of days, none with more rows of the tables than fit; a day that has more is one. The margin is that of the longest interval at
        least."""
        timed = [(table.name, *columns) for table in behind if (columns := times_of(table.schema))]
        by_day: dict[dt.date, int] = {}
        longest = least_margin
        for name, start, end in timed:
            counts = f"""
                SELECT CAST(coalesce("{start}", "{end}") AS DATE) AS day, count(*), max("{end}" - "{start}") FROM "{name}"
                WHERE day IS NOT NULL GROUP BY day
            """
            for day, rows, length in self._lake.sql(counts).fetchall():
                by_day[day] = by_day.get(day, 0) + rows
                longest = max(longest, length or longest)
        cuts: list[dt.datetime] = []
        rows = 0
        for day, more in sorted(by_day.items()):
            if rows and rows + more > self._most_rows:
                cuts.append(dt.datetime.combine(day, dt.time.min))
                rows = 0
            rows += more
        return [Shard(start, end, longest) for start, end in zip([None, *cuts], [*cuts, None], strict=True)]

    def _write(self, shards: Sequence[ShardRows], places: Sequence[Path]) -> None:
        """Write the rows of shards in threads."""
        with ThreadPoolExecutor(self._jobs) as pool:
            made = [
                pool.submit(copy_context().run, rows.write, self._lake, place, self._threads)
                for rows, place in zip(shards, places, strict=True)
            ]
            try:
                for one in made:
                    one.result()
            except BaseException:
                for one in made:
                    one.cancel()
                current_work().interrupt()
                raise

    def close(self) -> None:
        """Let the files of the answers go."""
        if not self._closed:
            self._closed = True
            for session in self._questions:
                session.close()
            self._folder.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _least_margin(view: View) -> dt.timedelta:
    """A fifth of the rows of a run of days would be those of the days beside it."""
    return dt.timedelta() if view.needs_overlaps_only else _DAY


def rows_of_shard(lake: OpenLake, shard: Shard) -> Callable[[Table], pa.Table | PartRows]:
    """What gives the printed rows that a shard is made of. Views over them do not become tables: what is made of them is asked for once."""
    around = TablesInside(lake.rows_of, [shard.around])

    def rows_of(table: Table) -> pa.Table | PartRows:
        rows = around.rows_of(table)
        return replace(rows, is_few=False) if isinstance(rows, PartRows) else rows

    return rows_of


def _rows_of(
    view: View, needed: Collection[str], schema: pa.Schema, behind: list[Table], shard: Shard, memory: str
) -> ShardRows:
    columns = ", ".join(f'"{name}"' if name in needed else f'NULL AS "{name}"' for name in schema.names)
    select = f'SELECT {columns} FROM "{view.name}" WHERE {shard.condition(str(view.shards_by))}'
    return ShardRows(select, schema, tuple(table.name for table in behind), shard, memory)


class _OfStudiesError(Exception):
    """A question names a view of studies, which no text told before."""


class _WithoutStudies(Session):
    def _is_in_memory(self, table: str, near: bool) -> bool:
        # To know their rows is to make them.
        return table not in self._given and super()._is_in_memory(table, near)

    def _make(self, name: str, near: bool = False) -> None:
        if name in self._views and self._views[name].is_of_studies:
            raise _OfStudiesError
        super()._make(name, near)
