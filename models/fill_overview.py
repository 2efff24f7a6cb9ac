"""The Overview report of a solved step: processors, and each service class on the system."""

from __future__ import annotations

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
