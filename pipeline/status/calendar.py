"""Days of a lake: which report has how many intervals of which system, and what is missing between the first and the last."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .coverage import DAY_US, Intervals, Place, ScopeBeside

_EPOCH = dt.date(1970, 1, 1)
# As in report_coverage: starts are printed to the second, and intervals are a little off the clock.
_LEAST_GAP_US, _LEAST_GAP_SHARE = 1_000_000, 100


class Day(NamedTuple):
    """What a lake has of one place on one day."""

    day: dt.date
    place: Place
    intervals: int
    gaps: int
    gap_s: float


@dataclass(frozen=True)
class Gap:
    """A time without intervals between two of the same place: whole days, or a part of one day."""

    report: str
    sysplex: str | None
    system: str | None
    start: dt.datetime
    end: dt.datetime

    @property
    def days(self) -> int:
        """How many whole days; 0 for a part of one."""
        return (self.end.date() - self.start.date()).days


class Calendar:
    """The days on which a lake has intervals, and its gaps, both newest first."""

    def __init__(self, intervals: Intervals):
        self._of = intervals
        self._day = intervals.day
        self.days = [date_of(day) for day in np.unique(self._day)[::-1].tolist()]

    @property
    def reports(self) -> list[str]:
        return sorted({place.report for place in self._of.places})

    @property
    def scopes(self) -> list[ScopeBeside]:
        return self._of.scopes

    @property
    def set_back(self) -> list[dt.datetime]:
        """The hours that files print again, as where the clock was set back."""
        return [_time_of(hour) for hour in sorted(self._of.set_back)]

    def newest(self, days: int) -> list[Day]:
        """What there is on the newest days that have anything."""
        return self.between(self.days[: max(1, days)][-1], self.days[0]) if self.days else []

    def between(self, first: dt.date, last: dt.date) -> list[Day]:
        """What there is on the days from `first` to `last`, the newest first."""
        wanted = (self._day >= (first - _EPOCH).days) & (self._day <= (last - _EPOCH).days)
        if not wanted.any():
            return []
        place, day, gap = self._of.place[wanted], self._day[wanted], self._gap_us[wanted]
        begins = np.flatnonzero(_changed(place, day))
        counts, gaps = np.diff(np.append(begins, len(place))), np.add.reduceat(gap > 0, begins, dtype=np.int64)
        lengths = np.add.reduceat(gap, begins)
        rows = zip(
            day[begins].tolist(), place[begins].tolist(), counts.tolist(), gaps.tolist(), lengths.tolist(), strict=True
        )
        found = [Day(date_of(d), self._of.places[p], n, g, us / 1e6) for d, p, n, g, us in rows]
        return sorted(found, key=lambda row: -row.day.toordinal())

    def last_ends(self, last: dt.date) -> dict[Place, dt.datetime]:
        """The last end of the intervals of each place that begin on a day or before it."""
        found: dict[Place, dt.datetime] = {}
        wanted = self._day <= (last - _EPOCH).days
        place, end = self._of.place[wanted], self._of.end[wanted]
        for a, b in _runs(place) if len(place) else ():
            found[self._of.places[place[a]]] = _time_of(int(end[a:b].max()))
        return found

    @cached_property
    def _gap_us(self) -> np.ndarray:
        """Before each interval the time that is missing since those before it on the same day; 0 where nothing is."""
        place, start, end = self._of.place, self._of.start, self._of.end
        if not len(place):
            return start
        reached = np.empty_like(end)
        for first, last in _runs(place):
            reached[first:last] = np.maximum.accumulate(end[first:last])
        before = np.append(0, reached[:-1])
        gap = start - before
        is_one = ~_changed(place) & (before // DAY_US == self._day)
        # A moment says nothing about the time before it.
        is_one &= (end > start) & (gap > np.maximum(_LEAST_GAP_US, (end - start) // _LEAST_GAP_SHARE))
        return np.where(is_one, gap, 0)

    def spans(self) -> dict[Place, tuple[dt.date, dt.date]]:
        """The first and last day of each report, sysplex and system (the kind is None)."""
        found: dict[Place, tuple[dt.date, dt.date]] = {}
        for at, days in self._days_by_place().items():
            found[at] = date_of(int(days[0])), date_of(int(days[-1]))
        return found

    def _days_by_place(self) -> dict[Place, np.ndarray]:
        """The days of each report, sysplex and system, of whatever kind."""
        found: dict[Place, np.ndarray] = {}
        for first, last in _runs(self._of.place):
            at = self._of.places[self._of.place[first]]._replace(kind=None)
            days = np.unique(self._day[first:last])
            found[at] = np.union1d(found[at], days) if at in found else days
        return found

    def gaps(self, most: int) -> Gaps:
        """How many gaps there are, and the newest of them."""
        found: list[tuple[int, int, Place]] = []
        for at, days in self._days_by_place().items():
            after = np.flatnonzero(np.diff(days) > 1)
            ends = days[after + 1].tolist()
            found += [((a + 1) * DAY_US, b * DAY_US, at) for a, b in zip(days[after].tolist(), ends, strict=True)]
        missing, of_days = sum((end - start) // DAY_US for start, end, _ in found), len(found)
        within = np.flatnonzero(self._gap_us)
        newest = within[np.argsort(-self._of.start[within], kind="stable")[:most]]
        for number in newest.tolist():
            start, length = int(self._of.start[number]), int(self._gap_us[number])
            found.append((start - length, start, self._of.places[self._of.place[number]]))
        shown = sorted(found, key=lambda gap: -gap[0])[:most]
        gaps = [Gap(at.report, at.sysplex, at.system, _time_of(a), _time_of(b)) for a, b, at in shown]
        return Gaps(gaps, of_days + len(within), missing, len(within))


@dataclass(frozen=True)
class Gaps:
    """The newest gaps, and how many there are: all, the days that are missing, and those within a day."""

    newest: list[Gap]
    count: int
    days_missing: int
    within_days: int


def date_of(day: int) -> dt.date:
    return _EPOCH + dt.timedelta(days=day)


def _time_of(microseconds: int) -> dt.datetime:
    return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=microseconds)


def _changed(*columns: np.ndarray) -> np.ndarray:
    found = np.zeros(len(columns[0]), bool)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def _runs(place: np.ndarray) -> list[tuple[int, int]]:
    """Where the intervals of each place begin and end."""
    first = np.flatnonzero(_changed(place)).tolist()
    return list(zip(first, [*first, len(place)][1:], strict=True))
