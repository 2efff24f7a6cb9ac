"""The Overview report of a solved step: processors, and each service class on the system."""

from __future__ import annotations

import numpy as np

from .contents.common import Intervals, ratio
from .contents.overview import Overview, OverviewColumn
from .filling import Array, StepIntervals


def overview(part: StepIntervals, system: str) -> Overview:
    """A line for each interval. Columns: PROCS (NUMPROC) and CPUBSY of the general processors; then, numbered as the model has its service
    classes, APPL (APPLPER), TRANS and RTIME of each that has work on the system."""
    one = part.model.systems[system]
    starts = part.intervals.start
    columns = [
        OverviewColumn("PROCS", np.full(len(starts), float(one.cp)), 1),
        OverviewColumn("CPUBSY", 100 * np.minimum(part.per_s("busy", f"{system} CP") / max(1, one.cp), 1.0), 1),
    ]
    for number, service_class in enumerate(part.model.service_classes, 1):
        names = [name for name, report in part.model.classes.items() if report.service_class == service_class]
        if any(part.solved.base.get((what, name, system)) for name in names for what in ("cp_s", "iip_s", "ended")):
            columns += _of_class(part, number, names, system)
    end = starts[-1] + np.timedelta64(part.model.interval_s, "s")
    intervals = Intervals(starts, part.length_s, duration=True)
    return Overview(system, part.release, starts[0], end, intervals, tuple(columns))


def _of_class(part: StepIntervals, number: int, names: list[str], system: str) -> list[OverviewColumn]:
    def total(what: str) -> Array:
        return sum((part.per_s(what, name, system) for name in names), np.zeros(len(part.drawn)))

    ended = sum((part.count("ended", name, system) for name in names), np.zeros(len(part.drawn)))
    return [
        OverviewColumn(f"APPL{number}", 100 * total("cp_s"), 1, of_class=True),
        OverviewColumn(f"TRANS{number}", ended / part.length_s, 2, of_class=True),
        OverviewColumn(f"RTIME{number}", ratio(total("there"), total("ended")), 3, of_class=True),
    ]
