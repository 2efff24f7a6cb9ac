"""Overview reports by day, as sites print them: intervals come some hundred at a time, and a day is printed when it is over."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from .contents.common import Intervals
from .contents.overview import Overview


class OverviewDays:
    """Reports by system that grow until their day is over."""

    def __init__(self) -> None:
        self.growing: dict[str, Overview] = {}

    def add(self, report: Overview) -> list[Overview]:
        """The reports of days that are over now."""
        over = []
        for day in _by_day(report):
            grown = self.growing.get(day.system)
            if grown and _goes_on(grown, day):
                day = _joined(grown, day)
            elif grown:
                over.append(grown)
            self.growing[day.system] = day
        return over

    def rest(self) -> list[Overview]:
        return list(self.growing.values())


def _goes_on(one: Overview, other: Overview) -> bool:
    """The same day, and the same columns: another step may have other classes at work."""
    names = [[column.name for column in report.columns] for report in (one, other)]
    return one.start.astype("datetime64[D]") == other.start.astype("datetime64[D]") and names[0] == names[1]


def _by_day(report: Overview) -> list[Overview]:
    """The report cut at midnight; a part ends where the next begins."""
    starts, lengths = report.intervals.start, report.intervals.printed_s
    days = starts.astype("datetime64[D]")
    cuts = [0, *(np.flatnonzero(days[1:] != days[:-1]) + 1), len(days)]
    return [
        replace(
            report,
            start=starts[begin],
            end=starts[end] if end < len(days) else report.end,
            intervals=Intervals(starts[begin:end], lengths[begin:end], duration=True),
            columns=tuple(replace(one, values=np.asarray(one.values)[begin:end]) for one in report.columns),
        )
        for begin, end in pairwise(cuts)
    ]


def _joined(one: Overview, other: Overview) -> Overview:
    intervals = Intervals(
        np.concatenate([one.intervals.start, other.intervals.start]),
        np.concatenate([one.intervals.printed_s, other.intervals.printed_s]),
        duration=True,
    )
    columns = tuple(
        replace(mine, values=np.concatenate([np.asarray(mine.values), np.asarray(theirs.values)]))
        for mine, theirs in zip(one.columns, other.columns, strict=True)
    )
    return replace(one, end=other.end, intervals=intervals, columns=columns)
