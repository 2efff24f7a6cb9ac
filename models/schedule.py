"""When the steps of a model run, and how their files are called."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from .model import Model


@dataclass(frozen=True)
class StepTime:
    """When a step of a configuration runs."""

    number: int
    start: dt.datetime
    end: dt.datetime
    intervals: int

    @property
    def seconds(self) -> int:
        return int((self.end - self.start).total_seconds())

    @property
    def simulator_name(self) -> str:
        """The end of the name of the step's log of the workload simulator."""
        return f"{self.number + 1}_simulator.txt"

    @property
    def monitoring_name(self) -> str:
        """The end of the name of the step's file of monitoring figures."""
        return f"{self.number + 1}_monitoring.csv"


def slug(name: str) -> str:
    """A name for files.

    >>> slug("T2 reuse"), slug("3.0.37 / 10K")
    ('t2_reuse', '3_0_37_10k')
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "configuration"


def step_times(model: Model, scale: int) -> dict[str, list[StepTime]]:
    """When the steps of each configuration run, one after the other."""
    at, found = model.start, {}
    for name, configuration in model.configurations.items():
        found[name] = []
        intervals = scale * (configuration.hours * 3600 // model.interval_s or model.step_intervals)
        for number in range(configuration.steps):
            end = at + dt.timedelta(seconds=model.interval_s * intervals)
            found[name].append(StepTime(number, at, end, intervals))
            at = end
    return found
