"""Days of a lake: which report has how many intervals of which system, and what is missing between the first and the last."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .coverage import DAY_US, Intervals, Place, ScopeBeside, changes

_EPOCH = dt.date(1970, 1, 1)
# As in report_coverage: starts are printed to the second, and intervals are a little off the clock.
_LEAST_GAP_US, _LEAST_GAP_SHARE = 1_000_000, 100
# Before the first and after the last interval of a day: of the longest interval.
_LEAST_EDGE_PCT = 98
_MOST_DAYS_MISSED = 7


class Day(NamedTuple):
    """What a lake has of one place on one day; `length_s`: of all its intervals together."""

    day: dt.date
    place: Place
    intervals: int
    gaps: int
    gap_s: float
    length_s: float = 0.0


@dataclass(frozen=True)
class Gap:
    """A time without intervals of a place: whole days, or a part of one day."""

    report: str
    sysplex: str | None
    system: str | None
    start: dt.datetime
    end: dt.datetime

    @property
    def days(self) -> int:
        """How many whole days; 0 for a part of one."""
        return (self.end.date() - self.start.date()).days if self.start.time() == dt.time.min else 0


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
    def set_back(self) -> dict[dt.datetime, list[Place]]:
        """The hours that files print again, as where the clock was set back, and of what."""
        found: dict[dt.datetime, list[Place]] = {}
        for place, hour in sorted(self._of.set_back, key=lambda one: (one[1], one[0].system or "", one[0].report)):
            found.setdefault(_time_of(hour), []).append(place)
        return found

    def newest(self, days: int) -> list[Day]:
        """What there is on the newest days that have anything."""
        return self.between(self.days[: max(1, days)][-1], self.days[0]) if self.days else []

    def between(self, first: dt.date, last: dt.date) -> list[Day]:
        """What there is on the days from `first` to `last`, the newest first."""
        of = self._groups
        wanted = np.flatnonzero((of.day >= (first - _EPOCH).days) & (of.day <= (last - _EPOCH).days))
        columns = (of.day, of.place, of.count, of.gaps, of.gap_us, of.length_us)
        rows = zip(*(column[wanted].tolist() for column in columns), strict=True)
        found = [Day(date_of(d), self._of.places[p], n, g, gap / 1e6, us / 1e6) for d, p, n, g, gap, us in rows]
        return sorted(found, key=lambda row: -row.day.toordinal())

    def times(self, first: dt.date, last: dt.date) -> list[tuple[dt.datetime, dt.datetime]]:
        """The times of the intervals that begin on the days from `first` to `last`, each once and in order, without those of duration reports."""
        kinds = np.array([place.kind != "duration" for place in self._of.places], bool)
        wanted = (self._day >= (first - _EPOCH).days) & (self._day <= (last - _EPOCH).days)
        wanted &= kinds[self._of.place] if len(kinds) else False
        pairs = np.unique(np.stack([self._of.start[wanted], self._of.end[wanted]], axis=1), axis=0)
        return [(_time_of(start), _time_of(end)) for start, end in pairs.tolist()]

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
        is_one = ~changes(place) & (before // DAY_US == self._day)
        # A moment says nothing about the time before it.
        is_one &= (end > start) & (gap > np.maximum(_LEAST_GAP_US, (end - start) // _LEAST_GAP_SHARE))
        return np.where(is_one, gap, 0)

    @cached_property
    def _groups(self) -> _Groups:
        """The intervals of each place by day, in the order of the places."""
        place, day, start, end = self._of.place, self._day, self._of.start, self._of.end
        if not len(place):
            return _Groups(place, place, place, place, place, place, [place] * 3)
        begins = np.flatnonzero(changes(place, day))
        first, last, at, on = start[begins], np.maximum.reduceat(end, begins), place[begins], day[begins]
        lead, tail = self._edges_us(at, on, first, last, np.maximum.reduceat(end - start, begins))
        gap, early, late = self._gap_us, lead > 0, tail > 0
        edges = [(first - lead)[early], first[early], at[early]], [last[late], (last + tail)[late], at[late]]
        return _Groups(
            *(at, on, np.diff(np.append(begins, len(place)))),
            np.add.reduceat(gap > 0, begins, dtype=np.int64) + early + late,
            np.add.reduceat(gap, begins) + lead + tail,
            np.add.reduceat(end - start, begins),
            [np.concatenate(both) for both in zip(*edges, strict=True)],
        )

    def _edges_us(
        self, place: np.ndarray, day: np.ndarray, first: np.ndarray, last: np.ndarray, longest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What interval reports of RMF lack at the start and at the end of a day, though other systems of the sysplex have it of the report, or the
        system has it of another report, as in report_coverage; 0 where nothing is."""
        before, after = np.zeros_like(first), np.zeros_like(last)
        places = self._of.places
        peers = [at.kind == "interval" and at.system is not None and at.report.startswith("rmf_") for at in places]
        mine = np.flatnonzero(np.array(peers)[place])
        day, start, end = day[mine], first[mine], last[mine]
        report, system, sysplex = (_coded([at[k] for at in places])[place[mine]] for k in (0, 2, 1))
        # Pages without a sysplex are of the one that the day's other pages of the system name.
        of_system, is_named = _numbered(system, day), sysplex >= 0
        least, most = _least(of_system, sysplex, is_named), -_least(of_system, -sysplex, is_named)
        sysplex = np.where(is_named, sysplex, np.where(least == most, least, -1))
        for name in (report, system):
            of = _numbered(name, sysplex, day)
            before[mine] = np.maximum(before[mine], start - _least(of, start))
            after[mine] = np.maximum(after[mine], -_least(of, -end) - end)
        return (
            np.where((longest > 0) & (100 * before >= _LEAST_EDGE_PCT * longest), before, 0),
            np.where((longest > 0) & (100 * after >= _LEAST_EDGE_PCT * longest), after, 0),
        )

    def spans(self) -> dict[Place, tuple[dt.date, dt.date]]:
        """The first and last day of each report, sysplex and system (the kind is None)."""
        found: dict[Place, tuple[dt.date, dt.date]] = {}
        for at, days in self._days_by_place().items():
            found[at] = date_of(int(days[0])), date_of(int(days[-1]))
        return found

    def _days_by_place(self) -> dict[Place, np.ndarray]:
        """The days of each report, sysplex and system, of whatever kind."""
        found: dict[Place, np.ndarray] = {}
        of = self._groups
        for first, last in _runs(of.place) if len(of.place) else ():
            at = self._of.places[of.place[first]]._replace(kind=None)
            days = of.day[first:last]
            found[at] = np.union1d(found[at], days) if at in found else days
        return found

    def _missed_days(self) -> Iterator[tuple[int, int, Place]]:
        """Start and end of the days, a week at most, that systems lack before their first or after their last, though others of the sysplex have
        them of the report. One that lacks more came later, or went."""
        days_of = {at: days for at, days in self._days_by_place().items() if at.system and at.report.startswith("rmf_")}
        sysplexes: dict[str | None, set[str]] = {}
        for at in days_of:
            sysplexes.setdefault(at.system, set()).update([at.sysplex] if at.sysplex else [])
        spans: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        keys = {at: (at.report, (at.sysplex,) if at.sysplex else tuple(sorted(sysplexes[at.system]))) for at in days_of}
        for at, days in days_of.items():
            spans.setdefault(keys[at], []).extend((int(days[0]), int(days[-1])))
        for at, days in days_of.items():
            first, last, of = int(days[0]), int(days[-1]), spans[keys[at]]
            for begin, end in ((min(of), first), (last + 1, max(of) + 1)):
                if 0 < end - begin <= _MOST_DAYS_MISSED:
                    yield begin * DAY_US, end * DAY_US, at

    @cached_property
    def _gaps_of_days(self) -> list[tuple[int, int, Place]]:
        """Start and end of the days that are missing."""
        found = list(self._missed_days())
        for at, days in self._days_by_place().items():
            after = np.flatnonzero(np.diff(days) > 1)
            ends = days[after + 1].tolist()
            found += [((a + 1) * DAY_US, b * DAY_US, at) for a, b in zip(days[after].tolist(), ends, strict=True)]
        return found

    def days_missing_outside(self, first: dt.date, last: dt.date) -> int:
        """How many days of reports are missing before or after some days."""
        within = (first - _EPOCH).days * DAY_US, ((last - _EPOCH).days + 1) * DAY_US
        return sum(
            (end - start - max(0, min(end, within[1]) - max(start, within[0]))) // DAY_US
            for start, end, _ in self._gaps_of_days
        )

    def gaps(self, most: int) -> Gaps:
        """How many gaps there are, and the newest of them."""
        found = list(self._gaps_of_days)
        missing, of_days = sum((end - start) // DAY_US for start, end, _ in found), len(found)
        within, of = np.flatnonzero(self._gap_us), self._groups
        end, place = self._of.start[within], self._of.place[within]
        ours = end - self._gap_us[within], end, place
        starts, ends, place = (np.concatenate(both) for both in zip(ours, of.edges, strict=True))
        for number in np.argsort(-ends, kind="stable")[:most].tolist():
            found.append((int(starts[number]), int(ends[number]), self._of.places[place[number]]))
        shown = sorted(found, key=lambda gap: -gap[0])[:most]
        gaps = [Gap(at.report, at.sysplex, at.system, _time_of(a), _time_of(b)) for a, b, at in shown]
        return Gaps(gaps, of_days + len(ends), missing, len(ends))


@dataclass(frozen=True)
class _Groups:
    """Of each place and day: the number of its intervals, its gaps, their time, and that of its intervals. `edges`: start, end and place of what is missing before the
    first and after the last interval of a day."""

    place: np.ndarray
    day: np.ndarray
    count: np.ndarray
    gaps: np.ndarray
    gap_us: np.ndarray
    length_us: np.ndarray
    edges: list[np.ndarray]


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


def _runs(place: np.ndarray) -> list[tuple[int, int]]:
    """Where the intervals of each place begin and end."""
    first = np.flatnonzero(changes(place)).tolist()
    return list(zip(first, [*first, len(place)][1:], strict=True))


def _coded(words: list[str | None]) -> np.ndarray:
    """Words as numbers; -1 for None."""
    known = {word: number for number, word in enumerate(sorted({word for word in words if word is not None}))}
    return np.array([-1 if word is None else known[word] for word in words], np.int64)


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """The number of the group of each row: rows of one group are equal in all columns."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        known, number = np.unique(column, return_inverse=True)
        code = code * max(1, len(known)) + number
    return np.unique(code, return_inverse=True)[1]


def _least(group: np.ndarray, values: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """For each row the least value of its group, of the rows that count."""
    if not len(group):
        return values
    found = np.full(group.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(found, group if counts is None else group[counts], values if counts is None else values[counts])
    return found[group]
