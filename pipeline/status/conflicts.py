"""Intervals that two files of a lake have with other values, as the ledger knows them."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from ..lake.state import SourceEntry


@dataclass(frozen=True)
class Conflict:
    """How many `intervals` are in conflict, the newest pair of files, and how many more such pairs there are; the reports and the first and last
    day of these intervals, as far as they are known."""

    intervals: int
    older: str
    newer: str
    more: int
    newer_id: str = ""
    reports: tuple[str, ...] = ()
    days: tuple[dt.date, dt.date] | None = None
    # All begin within one hour, and are some of it.
    is_of_one_hour: bool = False

    @property
    def sentence(self) -> str:
        more = f" (and {self.more:,} more such pairs)" if self.more else ""
        return f"{self.intervals:,} interval{'s'[: self.intervals > 1]} with other values in {self.newer} than in {self.older}{more}"


def find_conflict(
    sources: Collection[SourceEntry], start: dt.datetime | None = None, end: dt.datetime | None = None
) -> Conflict | None:
    """As far as both files still have them. `start` and `end`: of the intervals that begin between them, or whose start is not printed."""
    there = {e.source_id: e for e in sources if e.rows and e.status == "ingested"}
    found: dict[tuple[str, str], int] = {}
    intervals: set[str] = set()
    for entry in there.values():
        for key, count in entry.other_values.items():
            other, _, interval = key.partition(" ")
            if other in there and _is_between(interval, start, end):
                pair = other, entry.source_id
                found[pair] = found.get(pair, 0) + count
                intervals.add(interval)
    if not found:
        return None
    names = Counter(e.source_file for e in there.values())
    older, newer = (
        e.source_file if names[e.source_file] == 1 else e.source_id
        for e in map(there.__getitem__, next(reversed(found)))
    )
    split = [interval.rpartition(" ") for interval in intervals]
    starts = [dt.datetime.fromisoformat(start) for _, _, start in split if start != "-"]
    days = sorted(start.date() for start in starts)
    return Conflict(
        *(len(intervals), older, newer, len(found) - 1, next(reversed(found))[1]),
        reports=tuple(sorted({report for report, _, _ in split})),
        days=(days[0], days[-1]) if days else None,
        is_of_one_hour=len({*starts}) > 2 and len({start.replace(minute=0, second=0) for start in starts}) == 1,
    )


def _is_between(interval: str, start: dt.datetime | None, end: dt.datetime | None) -> bool:
    """Of an interval as `interval_key` names it: its report and its start."""
    at = interval.rpartition(" ")[2]
    if at == "-":
        return True
    time = dt.datetime.fromisoformat(at)
    return (start is None or start <= time) and (end is None or time < end)
