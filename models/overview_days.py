"""Overview reports by day, as sites print them: intervals come some hundred at a time, and a day is printed when it is over."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from .contents.common import Intervals, SystemReport


class OverviewDays:
    """Reports by system that grow until their day is over."""

    def __init__(self) -> None:
        self.growing: dict[str, SystemReport] = {}

    def add(self, report: SystemReport) -> list[SystemReport]:
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

    def rest(self) -> list[SystemReport]:
        return list(self.growing.values())


def _goes_on(one: SystemReport, other: SystemReport) -> bool:
    """The same day, and the same columns: another step may have other classes at work."""
    days = [report.head["range_start"].astype("datetime64[D]") for report in (one, other)]
    names = [[column["overview_column"] for column in report.lines] for report in (one, other)]
    return days[0] == days[1] and names[0] == names[1]


def _by_day(report: SystemReport) -> list[SystemReport]:
    """The report cut at midnight; a part ends where the next begins."""
    starts, lengths = report.intervals.start, report.intervals.printed_s
    days = starts.astype("datetime64[D]")
    cuts = [0, *(np.flatnonzero(days[1:] != days[:-1]) + 1), len(days)]
    ends = [*starts[cuts[1:-1]], report.head["range_end"]]
    return [
        replace(
            report,
            intervals=Intervals(starts[begin:end], lengths[begin:end], duration=True),
            lines=[one | {"value": one["value"][begin:end]} for one in report.lines],
            head={"range_start": starts[begin], "range_end": range_end},
        )
        for (begin, end), range_end in zip(pairwise(cuts), ends, strict=True)
    ]


def _joined(one: SystemReport, other: SystemReport) -> SystemReport:
    starts, lengths = (
        np.concatenate([getattr(report.intervals, what) for report in (one, other)]) for what in ("start", "printed_s")
    )
    pairs = zip(one.lines, other.lines, strict=True)
    lines = [mine | {"value": np.concatenate([mine["value"], more["value"]])} for mine, more in pairs]
    head = one.head | {"range_end": other.head["range_end"]}
    return replace(one, intervals=Intervals(starts, lengths, duration=True), lines=lines, head=head)
