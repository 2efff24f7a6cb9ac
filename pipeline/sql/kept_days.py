"""Kept days: what views answer of a day, kept in the lake (lake/kept_files.py), so that the page of a month computes the newest day alone.

What these views say of a day rests on what was printed of it and of the days beside it: four-hour averages look back, and what an interval
over midnight belongs to is printed on either side. The name of kept rows is a digest of all that they rest on: the parts with rows of these days,
the text of the views, and the versions that answered. What is replaced, removed or comes late has other parts: nobody looks for the old name again.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute

from ..lake.kept_files import KeptFiles, digest_of, part_identity
from ..lake.settings import ABOUT_PAGES
from ..lake.state import Part
from ..storage.storage import storage_at
from .kept_views import made_by
from .known_tables import tables
from .measured_times import times_of
from .narrowed import NarrowedLake
from .open_lake import OpenLake
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
_GRANTED = """
WITH partitions AS (
    SELECT CAST(interval_start AS DATE) AS day, system, partition, bool_or(processor_type IS NOT NULL) AS is_used
    FROM rmf_partition_data AS printed
    ANTI JOIN print_and_xml AS left_out ON left_out.report = 'rmf_partition_data' AND form_key(left_out) = form_key(printed)
    WHERE NOT is_total AND report_kind = 'interval' AND (processor_type = 'CP' OR (processor_type IS NULL AND status = 'D'))
    GROUP BY ALL
),
serials AS (
    SELECT CAST(interval_start AS DATE) AS day, system, string_agg(DISTINCT sequence_code, ',' ORDER BY sequence_code) AS codes
    FROM rmf_cpu_activity AS printed
    ANTI JOIN print_and_xml AS left_out ON left_out.report = 'rmf_cpu_activity' AND form_key(left_out) = form_key(printed)
    GROUP BY ALL
)
SELECT day, concat_ws(' ', system, partition) AS about, CAST(is_used AS VARCHAR) AS found FROM partitions
UNION ALL
SELECT day, system AS about, coalesce(codes, '') AS found
FROM (SELECT DISTINCT day, system FROM partitions) LEFT JOIN serials USING (day, system)
"""
_SELECTS = {name: (f'SELECT * FROM "{name}"', time) for name, time in _VIEWS.items()} | {"granted": (_GRANTED, "day")}
# What several of them are made of.
_ONCE = (
    "interval_scope",
    "workload_interval",
    "workload_printed_once",
    "cpu_by_class",
    "interval_msu",
    "print_and_xml",
)
# So many days are made at once: memory is bounded.
_MOST_DAYS = 15


class KeptDays:
    """What the views answer of the days from `first` to `last`: rows that are kept, the others made and kept."""

    def __init__(self, lake: OpenLake, first: dt.date, last: dt.date, made_of: Callable[[str], set[str]]):
        """`made_of`: all tables and views that a SELECT is made of."""
        self._lake, self._made_of = lake, made_of
        self._days = [first + n * _DAY for n in range((last - first).days + 1)]
        self._kept = KeptFiles(storage_at(lake.path))

    @property
    def views(self) -> Iterable[str]:
        return _VIEWS

    def rows(self, view: str) -> pa.Table:
        """All rows of a view that belong to the days."""
        return self._of_all_days[view] if view in _OF_ALL_DAYS and not self._is_alike else self._rows[view]

    @cached_property
    def _rows(self) -> dict[str, pa.Table]:
        read = {name for _, named in self._rests_on.values() for name in named}
        self._lake.require_whole([part for name in sorted(read) for part in self._lake.state.parts_of(name)])
        names = {(what, day): self._name(what, day) for what in _SELECTS for day in self._days_of(what)}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            kept = zip(names, pool.map(self._kept.read, names.values()), strict=True)
            found = {at: rows for at, rows in kept if rows is not None}
        missing = names.keys() - found.keys()
        for days in _runs({day for _, day in missing}):
            with self._around(days) as lake:
                for what in _SELECTS:
                    wanted = [day for day in days if (what, day) in missing]
                    for day, rows in _by_day(lake, what, wanted):
                        found[what, day] = rows
                        self._kept.write(names[what, day], rows)
        if missing:
            self._kept.remove_others(set(names.values()))
        return {what: pa.concat_tables(found[what, day] for day in self._days_of(what)) for what in _SELECTS}

    def _days_of(self, what: str) -> list[dt.date]:
        # What is taken for granted is also read off the days beside them.
        return self._days if what in _VIEWS else [self._days[0] - _DAY, *self._days, self._days[-1] + _DAY]

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
        with self._around(self._days) as lake:
            return {
                what: pa.concat_tables(rows for _, rows in _by_day(lake, what, self._days)) for what in _OF_ALL_DAYS
            }

    def _around(self, days: list[dt.date]) -> NarrowedLake:
        return NarrowedLake(self._lake, _window(days[0])[0], _window(days[-1])[1], once=_ONCE)

    def _name(self, what: str, day: dt.date) -> str:
        """The digest of all that the rows of a day rest on."""
        texts, read = self._rests_on[what]
        timed = [name for name in read if times_of(tables()[name].schema)]
        parts = [part for name in timed for part in self._touching(name, day)]
        sources = {source for part in parts for source in part.source_ids}
        for name in read.difference(timed):
            # Rows about pages count with the rows of the same source.
            of_table = self._lake.state.parts_of(name)
            parts += [p for p in of_table if name not in ABOUT_PAGES or not sources.isdisjoint(p.source_ids)]
        return f"{day}-{what}-{digest_of([*made_by(), str(day), *texts, sorted(map(part_identity, parts))])}"

    @cached_property
    def _rests_on(self) -> Mapping[str, tuple[list[str], set[str]]]:
        """The texts that each is made of, and the tables that they read."""
        found = {}
        for what, (select, _) in _SELECTS.items():
            named = self._made_of(select)
            texts = [select, *(views()[name].sql for name in sorted(named.intersection(views())))]
            found[what] = texts, named.difference(views())
        return found

    def _touching(self, table: str, day: dt.date) -> list[Part]:
        """The parts that may have rows of a day or of those beside it."""
        start, end = _window(day)
        return [
            part for part, first, last in self._times(table)
            if (first is None or first < end) and (last is None or last > start)
        ]  # fmt: skip

    def _times(self, table: str) -> list[tuple[Part, dt.datetime | None, dt.datetime | None]]:
        if table not in self._times_of:
            rows = self._lake.parts(tables()[table])
            self._times_of[table] = [(part, *rows.times(part)) for part in rows.parts]
        return self._times_of[table]

    @cached_property
    def _times_of(self) -> dict[str, list[tuple[Part, dt.datetime | None, dt.datetime | None]]]:
        return {}


def _window(day: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """A day with those beside it."""
    return dt.datetime.combine(day - _DAY, dt.time.min), dt.datetime.combine(day + 2 * _DAY, dt.time.min)


def _runs(days: Iterable[dt.date]) -> Iterator[list[dt.date]]:
    """Days that follow each other, some at a time."""
    run: list[dt.date] = []
    for day in sorted(days):
        if run and (day - run[-1] != _DAY or len(run) == _MOST_DAYS):
            yield run
            run = []
        run.append(day)
    if run:
        yield run


def _by_day(lake: NarrowedLake, what: str, days: list[dt.date]) -> Iterator[tuple[dt.date, pa.Table]]:
    if not days:
        return
    select, time = _SELECTS[what]
    bounds = {
        "from": dt.datetime.combine(days[0], dt.time.min),
        "to": dt.datetime.combine(days[-1] + _DAY, dt.time.min),
    }
    rows = lake.sql(
        f'SELECT CAST("{time}" AS DATE) AS "_day", * FROM ({select}) WHERE "{time}" >= $from AND "{time}" < $to', bounds
    ).arrow()
    of_day = rows["_day"]
    rows = rows.drop_columns(["_day"])
    for day in days:
        yield day, rows.filter(pc.equal(of_day, pa.scalar(day, pa.date32())))
