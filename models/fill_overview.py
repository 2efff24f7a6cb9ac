"""The Overview report of a solved step: processors, and each service class on the system; by day, as sites print it: intervals come some
hundred at a time, and a day is printed when it is over.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from .contents.common import Intervals, Row, SystemReport, ratio
from .filling import Array, StepIntervals


def overview(part: StepIntervals, system: str) -> SystemReport:
    """A line for each interval. Columns: PROCS (NUMPROC) and CPUBSY of the general processors; then, numbered as the model has its service
    classes, APPL (APPLPER), TRANS and RTIME of each that has work on the system."""
    one = part.model.systems[system]
    starts = part.intervals.start
    columns = [
        _column("PROCS", np.full(len(starts), float(one.cp)), 1),
        _column("CPUBSY", 100 * np.minimum(part.per_s("busy", f"{system} CP") / max(1, one.cp), 1.0), 1),
    ]
    for number, service_class in enumerate(part.model.service_classes, 1):
        names = [name for name, report in part.model.classes.items() if report.service_class == service_class]
        if any(part.solved.base.get((what, name, system)) for name in names for what in ("cp_s", "iip_s", "ended")):
            columns += _of_class(part, number, names, system)
    end = starts[-1] + np.timedelta64(part.model.interval_s, "s")
    intervals = Intervals(starts, part.length_s, duration=True)
    range_ = {"range_start": starts[0], "range_end": end}
    return SystemReport("rmf_overview", system, part.release, intervals, columns, range_)


def _column(name: str, values: Array, decimals: int, of_class: bool = False) -> Row:
    """A column: the name of its statement, at most 8 characters, and its values, one per line; `of_class`: a condition of a service class."""
    return {"overview_column": name, "value": values, "decimals": decimals, "of_class": of_class}


def _of_class(part: StepIntervals, number: int, names: list[str], system: str) -> list[Row]:
    def total(what: str) -> Array:
        return sum((part.per_s(what, name, system) for name in names), np.zeros(len(part.drawn)))

    ended = sum((part.count("ended", name, system) for name in names), np.zeros(len(part.drawn)))
    return [
        _column(f"APPL{number}", 100 * total("cp_s"), 1, of_class=True),
        _column(f"TRANS{number}", ended / part.length_s, 2, of_class=True),
        _column(f"RTIME{number}", ratio(total("there"), total("ended")), 3, of_class=True),
    ]


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
