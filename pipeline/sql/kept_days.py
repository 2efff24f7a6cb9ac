"""Kept days: what views answer of a day, kept in the lake (lake/kept_files.py), so that the page of a month computes the newest day alone, and a
question to a large lake reads the files of its days.

What these views say of a day rests on what was printed of it and of the days beside it: four-hour averages look back, and what an interval
over midnight belongs to is printed on either side. The name of kept rows is a digest of all that they rest on: the parts with rows of these days,
the text of the views, and the versions that answered. What is replaced, removed or comes late has other parts: nobody looks for the old name again.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from ..declaration.report import Table
from ..errors import IronlakeError
from ..lake.kept_files import KeptFiles, digest_of, part_identity
from ..lake.settings import ABOUT_PAGES
from ..lake.state import Part, State
from ..storage.storage import storage_at
from ..temporary_folders import spill_folder
from .answer import Result
from .kept_views import made_by
from .known_tables import table_of, tables
from .measured_times import INTERVAL, Window, times_of
from .narrowed import NarrowedLake
from .once_views import ASKED_OFTEN
from .part_rows import PartRows
from .session import Session
from .tables_inside import Tables
from .view_files import views

# Its functions are made as it is loaded: type checkers know none.
pc: Any = pyarrow.compute

_DAY = dt.timedelta(days=1)
# By what their headers say that they shard by, their rows belong to a day.
_SHARDING = (
    *("class_hour", "class_interval", "workload_interval", "goal_hour", "processor_hour", "response_percentile"),
    *("cf_hour", "cf_structure_hour", "xcf_path_hour", "group_buffer_pool_hour", "buffer_pool_hour", "db2entry_hour"),
    *("channel_path_hour", "volume_hour", "cache_hour", "io_queue_hour", "io_processor_hour"),
    *("partition_hour", "machine_hour", "dispatch_hour", "missed_goal_delay", "cf_link_hour", "cf_storage_hour"),
    "xcf_class_hour",
)
# These do not shard: they take for granted of all days what the days beside one may not show: whether a partition that is deactivated is used at all, on
# which machine a system is, and whether all pages say how far their clock is from UTC. Where the days do not say the same, they are made of all days at once.
_OF_ALL_DAYS = {"owner_hour_msu": "hour_start", "own_interval_msu": "midpoint"}
# The views, and the time by which their rows belong to a day.
_VIEWS = {name: str(views()[name].shards_by) for name in _SHARDING} | _OF_ALL_DAYS
_GRANTED = f"""
WITH partitions AS (
    SELECT CAST(interval_start AS DATE) AS day, system, partition, bool_or(processor_type IS NOT NULL) AS is_used
    FROM {table_of("partitions")} AS printed
    ANTI JOIN print_and_xml AS left_out ON left_out.report = '{table_of("partitions")}' AND form_key(left_out) = form_key(printed)
    WHERE NOT is_total AND report_kind = 'interval' AND (processor_type = 'CP' OR (processor_type IS NULL AND status = 'D'))
    GROUP BY ALL
),
serials AS (
    SELECT CAST(interval_start AS DATE) AS day, system, string_agg(DISTINCT sequence_code, ',' ORDER BY sequence_code) AS codes
    FROM {table_of("processors")} AS printed
    ANTI JOIN print_and_xml AS left_out ON left_out.report = '{table_of("processors")}' AND form_key(left_out) = form_key(printed)
    GROUP BY ALL
)
SELECT day, concat_ws(' ', system, partition) AS about, CAST(is_used AS VARCHAR) AS found FROM partitions
UNION ALL
SELECT day, system AS about, coalesce(codes, '') AS found
FROM (SELECT DISTINCT day, system FROM partitions) LEFT JOIN serials USING (day, system)
"""
_SELECTS = {name: (f'SELECT * FROM "{name}"', time) for name, time in _VIEWS.items()} | {"granted": (_GRANTED, "day")}
# Those of questions, each before what it is made of: by what their headers say that they shard by, their rows belong to a day. On cpu_by_class most others stand.
_TIMES = {name: str(views()[name].shards_by) for name in (*_SHARDING, "cpu_by_class")}
# What several of them are made of.
_ONCE = (
    "interval_scope",
    "workload_interval",
    "workload_printed_once",
    "cpu_by_class",
    "interval_msu",
    "print_and_xml",
)
# A run of days is made at once, and has about that many printed rows, of several views a fourth: memory is bounded.
_MOST_ROWS = 1_000_000
# With more days a question reads too many files.
_MOST_DAYS = 4_000
At = tuple[str, dt.date]


class Lake(Tables, Protocol):
    """An open lake."""

    path: Path
    state: State

    def parts(self, table: Table, /) -> PartRows: ...

    def require_whole(self, parts: list[Part], /) -> None: ...

    def is_table(self, view: str, /) -> bool: ...

    def made_of(self, select: str, but: Collection[str] = ..., /) -> set[str]: ...

    def session(self, given: Mapping[str, Callable[[], PartRows]], /) -> Session: ...

    def sql(self, text: str, /) -> Result: ...


class _Days:
    """Days of views of a lake: the names of their rows, and rows that are made. `made_of`: all tables and views that a SELECT is made of."""

    def __init__(self, lake: Lake, made_of: Callable[[str], set[str]]):
        self._lake, self._made_of = lake, made_of
        self._kept = KeptFiles(storage_at(lake.path))
        self._rests_on, self._on_days = cache(self._find_rests_on), cache(self._find_on_days)

    def _made(self, names: Mapping[At, str], runs: Iterable[list[dt.date]]) -> Iterator[tuple[At, pa.Table]]:
        """The rows of days in runs, made and kept under their names."""
        for days in runs:
            whats = dict.fromkeys(what for what, day in names if day in days)
            once = _ONCE if len(whats) > 1 else ASKED_OFTEN
            window = _around(days[0], days[-1])
            with NarrowedLake(self._lake, *window, once, self._given(whats, window)) as lake:
                for what in whats:
                    for day, rows in _by_day(lake, what, [day for day in days if (what, day) in names]):
                        self._kept.write(names[what, day], rows)
                        yield (what, day), rows

    def _given(self, whats: Iterable[str], window: Window) -> dict[str, Callable[[], pa.Table | PartRows]]:
        """Rows in a window of what views are made of, which are kept."""
        return {}

    def _runs(self, names: Collection[At]) -> Iterator[list[dt.date]]:
        """Days that follow each other, the newest first, as many at once as bounded memory holds."""
        whats, days = {what for what, _ in names}, {day for _, day in names}
        run, rows, most = list[dt.date](), 0, _MOST_ROWS // (4 if len(whats) > 1 else 1)
        of_day = self._rows_of_day({table for what in whats for table in self._rests_on(what)[1]})
        for day in sorted(days, reverse=True):
            if run and (run[-1] - day != _DAY or rows + of_day[day] > most):
                yield run[::-1]
                run, rows = [], 0
            run.append(day)
            rows += of_day[day]
        if run:
            yield run[::-1]

    def _rows_of_day(self, read: Iterable[str]) -> Counter[dt.date]:
        """About how many rows are printed of each day: those of a part lie evenly over its days."""
        found: Counter[dt.date] = Counter()
        for table in filter(_is_timed, read):
            rows = self._lake.parts(tables()[table])
            for part in rows.parts:
                first, last = rows.times(part)
                days = _between(first.date(), last.date()) if first and last else []
                found.update(dict.fromkeys(days, part.rows // max(1, len(days))))
        return found

    def _name(self, what: str, day: dt.date) -> str:
        """The digest of all that the rows of a day rest on."""
        texts, _ = self._rests_on(what)
        return f"{day}-{what}-{digest_of([*made_by(), str(day), *texts, sorted(map(part_identity, self._parts(what, day)))])}"

    def _parts(self, what: str, day: dt.date) -> list[Part]:
        read = self._rests_on(what)[1]
        timed = {name for name in read if _is_timed(name)}
        parts = [part for name in timed for at in (None, day) for part in self._on_days(name).get(at, ())]
        sources = {source for part in parts for source in part.source_ids}
        for name in read - timed:
            # Rows about pages count with the rows of the same source.
            of_table = self._lake.state.parts_of(name)
            parts += [p for p in of_table if name not in ABOUT_PAGES or not sources.isdisjoint(p.source_ids)]
        return parts

    def _find_rests_on(self, what: str) -> tuple[list[str], set[str]]:
        """The texts that it is made of, and the tables that they read."""
        select, _ = _select(what)
        named = self._made_of(select)
        return [select, *(views()[name].sql for name in sorted(named & views().keys()))], named - views().keys()

    def _find_on_days(self, table: str) -> Mapping[dt.date | None, list[Part]]:
        """The parts that may have rows of a day or of those beside it; None: of every day."""
        rows, found = self._lake.parts(tables()[table]), defaultdict[dt.date | None, list[Part]](list)
        for part in rows.parts:
            first, last = rows.times(part)
            for day in _between(first.date() - _DAY, last.date() + _DAY) if first and last else [None]:
                found[day].append(part)
        return dict(found)


class KeptDays(_Days):
    """What the views answer of the days from `first` to `last`: rows that are kept, the others made and kept."""

    def __init__(self, lake: Lake, first: dt.date, last: dt.date, made_of: Callable[[str], set[str]]):
        super().__init__(lake, made_of)
        self._days = _between(first, last)

    @property
    def views(self) -> Iterable[str]:
        return _VIEWS

    def rows(self, view: str) -> pa.Table:
        """All rows of a view that belong to the days."""
        return self._of_all_days[view] if view in _OF_ALL_DAYS and not self._is_alike else self._rows[view]

    @cached_property
    def _rows(self) -> dict[str, pa.Table]:
        read = {name for what in _SELECTS for name in self._rests_on(what)[1]}
        self._lake.require_whole([part for name in sorted(read) for part in self._lake.state.parts_of(name)])
        names = {(what, day): self._name(what, day) for what in _SELECTS for day in self._days_of(what)}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            kept = zip(names, pool.map(self._kept.read, names.values()), strict=True)
            found = {at: rows for at, rows in kept if rows is not None}
        if missing := {at: name for at, name in names.items() if at not in found}:
            found |= dict(self._made(missing, self._runs(missing)))
            self._kept.remove_others(set(names.values()))
        return {what: pa.concat_tables(found[what, day] for day in self._days_of(what)) for what in _SELECTS}

    def _days_of(self, what: str) -> list[dt.date]:
        # What is taken for granted is also read off the days beside them.
        return self._days if what in _VIEWS else _between(self._days[0] - _DAY, self._days[-1] + _DAY)

    @cached_property
    def _is_alike(self) -> bool:
        """Whether all days say the same of what is taken for granted of them."""
        clocks = self._rows["owner_hour_msu"].group_by(["msu_source", "sysplex", "scope"])
        granted = self._rows["granted"].group_by(["about"])
        counts = (
            clocks.aggregate([("is_utc", "count_distinct")])["is_utc_count_distinct"],
            granted.aggregate([("found", "count_distinct")])["found_count_distinct"],
        )
        return all((pc.max(count).as_py() or 0) <= 1 for count in counts)

    @cached_property
    def _of_all_days(self) -> dict[str, pa.Table]:
        with NarrowedLake(self._lake, *_around(self._days[0], self._days[-1]), _ONCE) as lake:
            return {
                what: pa.concat_tables(rows for _, rows in _by_day(lake, what, self._days)) for what in _OF_ALL_DAYS
            }


class NotKeptError(Exception):
    """A question needs days of a view that are not kept."""

    def __init__(self, view: str):
        self.view = view


@dataclass(frozen=True)
class _View:
    """The columns that are kept of a view."""

    name: str
    schema: pa.Schema


class AskedDays(_Days):
    """Days for the questions to a large lake, which read the files of those that are kept. A view is asked once before any is made; then each question makes
    one run of those that it misses, the newest, until all that it needs are there."""

    def __init__(self, lake: Lake):
        super().__init__(lake, lake.made_of)
        self.folder = spill_folder()
        self._files: dict[str, str] = {}
        self._rows: dict[str, PartRows] = {}
        self._sessions: dict[frozenset[str], Session] = {}
        self._may_make = False

    def relation(
        self, text: str, parameters: Mapping[str, object] | None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation] | None:
        """The answer to a question, as Session.relation gives it, from kept days; None where it needs others."""
        if self._made_of(text).isdisjoint(_TIMES):
            return None
        self._may_make, missed = True, set[str]()
        while True:
            kept: set[str] = set()
            try:
                for name in _TIMES:
                    if name not in missed and name in self._lake.made_of(text, kept) and self._is_kept(name, text):
                        kept.add(name)
                if not kept:
                    return None
                if (of := frozenset(kept)) not in self._sessions:
                    given = {name: partial(self._rows.__getitem__, name) for name in of}
                    self._sessions[of] = self._lake.session(given)
                return self._sessions[of].relation(text, parameters)
            except NotKeptError as error:
                # What it is made of may be kept.
                missed.add(error.view)
            except IronlakeError as error:
                # Of a damaged part the question may need nothing; else it is told again.
                if type(error) is not IronlakeError:
                    raise
                return None

    def _is_kept(self, view: str, text: str) -> bool:
        """Whether days of a view are kept."""
        if view in self._rows:
            return True
        asked = f"asked-{view}-{digest_of([*made_by(), *self._rests_on(view)[0]])}"
        if self._kept.content(asked) is None:
            # On this one most others stand.
            if view == "cpu_by_class" or re.search(rf"\b{view}\b", text, re.IGNORECASE):
                self._kept.keep(asked, b"")
            return False
        days = self._days_of(view)
        if not days or self._lake.is_table(view):
            return False
        names = {(view, day): self._name(view, day) for day in days}
        if not any(map(self._kept.has, names.values())) and self._may_make:
            self._make(names)
        content = next(
            (found for name in names.values() if self._kept.has(name) and (found := self._kept.file(name))), None
        )
        if content is None:
            return False
        parts = [_part(view, name, day) for (_, day), name in names.items()]
        self._rows[view] = PartRows(
            _View(view, pq.read_schema(pa.BufferReader(content))),
            tuple(parts),
            self._ready,
            lambda part: _around(_day(part), _day(part)),
            is_few=False,
            bounds={_TIMES[view]: ("first_time", "last_start")},
        )
        return True

    def _ready(self, days: Collection[Part]) -> list[str]:
        """The files of days. Raises NotKeptError if one is not there."""
        names = {(part.table, _day(part)): part.path for part in days}
        self._lake.require_whole([*{part.path: part for at in names for part in self._parts(*at)}.values()])
        while True:
            missing = {at: name for at, name in names.items() if not self._kept.has(name)}
            # What is damaged is there.
            if not (missing := missing or {at: name for at, name in names.items() if not self._file(name)}):
                return [self._files[name] for name in names.values()]
            self._make(missing)

    def _make(self, missing: Mapping[At, str]) -> None:
        """Make the newest run of the days. Raises NotKeptError if the question has made one already."""
        if not self._may_make:
            raise NotKeptError(next(iter(missing))[0])
        self._may_make = False
        run = next(self._runs(missing))
        made = {at: name for at, name in missing.items() if at[1] in run}
        for _ in self._made(made, [run]):
            pass
        self._kept.remove_others({*made.values()})

    def _given(self, whats: Iterable[str], window: Window) -> dict[str, Callable[[], pa.Table | PartRows]]:
        # To make it takes longest.
        name, below = "cpu_by_class", {name for what in whats for name in self._made_of(f'FROM "{what}"') - {what}}
        if name not in below or not self._is_kept(name, ""):
            return {}
        rows = self._rows[name].inside([window])
        return {name: lambda: rows} if all(self._kept.has(part.path) for part in rows.parts) else {}

    def _file(self, name: str) -> bool:
        """Whether a copy of what is kept is there: a command that runs at the same time may replace it."""
        if name not in self._files and (content := self._kept.file(name)) is not None:
            path = self.folder.path / name
            with suppress(OSError):
                path.write_bytes(content)
                self._files[name] = str(path)
        return name in self._files

    def _days_of(self, view: str) -> list[dt.date]:
        """The days of a view; none if they do not tell it whole: where rows that it is made of lack a time, or are of more than a day."""
        read = [name for name in sorted(self._rests_on(view)[1]) if _is_timed(name) and self._lake.state.parts_of(name)]
        days = {day for name in read for day in self._on_days(name)}
        known = [day for day in days if day]
        return sorted(known) if len(known) == len(days) < _MOST_DAYS and all(map(self._has_days, read)) else []

    def _has_days(self, table: str) -> bool:
        parts = self._lake.state.parts_of(table)
        name = f"days-{table}-{digest_of([*made_by(), *map(part_identity, parts)])}"
        if (content := self._kept.content(name)) is None:
            start, end = times_of(tables()[table].schema) or INTERVAL
            within = f"{start} IS NOT NULL AND {end} IS NOT NULL AND epoch({end}) - epoch({start}) <= 86400"
            [(whole,)] = self._lake.sql(f'SELECT count_if(NOT ({within})) = 0 FROM "{table}"').fetchall()
            content = memoryview(b"whole" if whole else b"")
            self._kept.keep(name, bytes(content))
            self._kept.remove_others({name})
        return bool(content)

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self.folder.remove()


def _part(view: str, name: str, day: dt.date) -> Part:
    start, end = (dt.datetime.combine(at, dt.time.min).isoformat() for at in (day, day + _DAY))
    return Part(view, name, rows=0, bytes=0, source_ids=(), first_time=start, last_start=end)


def _day(part: Part) -> dt.date:
    return dt.date.fromisoformat(part.path[:10])


def _around(first: dt.date, last: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """The days from `first` to `last` with those beside them."""
    return dt.datetime.combine(first - _DAY, dt.time.min), dt.datetime.combine(last + 2 * _DAY, dt.time.min)


def _select(what: str) -> tuple[str, str]:
    return _SELECTS[what] if what in _SELECTS else (f'SELECT * FROM "{what}"', _TIMES[what])


def _is_timed(table: str) -> bool:
    return times_of(tables()[table].schema) is not None


def _between(first: dt.date, last: dt.date) -> list[dt.date]:
    return [first + n * _DAY for n in range((last - first).days + 1)]


def _by_day(lake: NarrowedLake, what: str, days: list[dt.date]) -> Iterator[tuple[dt.date, pa.Table]]:
    if not days:
        return
    select, time = _select(what)
    bounds = {
        "from": dt.datetime.combine(days[0], dt.time.min),
        "to": dt.datetime.combine(days[-1] + _DAY, dt.time.min),
    }
    rows = lake.sql(
        f'SELECT CAST("{time}" AS DATE) AS "_day", * FROM ({select}) WHERE "{time}" >= $from AND "{time}" < $to', bounds
    ).arrow()
    # Of many chunks each day would be looked for in each.
    rows = rows.combine_chunks()
    of_day = rows["_day"]
    rows = rows.drop_columns(["_day"])
    for day in days:
        yield day, rows.filter(pc.equal(of_day, pa.scalar(day, pa.date32())))
