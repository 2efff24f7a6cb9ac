"""What the reports print of a solved model: contents, an array a number with one value an interval.

Intervals differ a little: how much load there is and how much a request takes vary by the model's `variation_pct`. The network is solved
at the model's numbers and one standard deviation beside them; between, every number is taken on the line.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .contents import (
    Category,
    Intervals,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
    add,
)
from .contents.common import ratio
from .contents.jmh import JmhResult
from .contents.monitoring import MonitoringFigures
from .contents.workload import BUCKET_BOUNDS
from .model import Configuration, Model
from .running import Outcome, Step

Array = NDArray[np.float64]

# Response times spread like a log-logistic distribution of shape 3: its distribution function needs no more than a division. Its mean
# is 1.2092 of its median, its standard deviation 0.8087 of its mean.
_MEAN_OF_MEDIAN, _DEVIATION_OF_MEAN = 1.2091995762, 0.8086919064
# Lengths of intervals, off the clock: standard deviation in seconds.
_OFF_CLOCK_S = 0.002


# Student's t of 99.9% (two-sided) with one degree less than JMH's iterations; iterations spread more than minutes.
_JMH_BENCHMARK, _JMH_ITERATIONS, _JMH_T, _JMH_SPREAD = "JdbcDriverBenchmark.message", 100, 3.3915, 8.0
_ACTIVITY = ("cp_s", "iip_s", "ended", "wait_s")


def normal(generator: np.random.Generator, count: int, kinds: int) -> Array:
    """Numbers that are normal enough (sums of twelve): a row for each of `count`. Integers are added, so every machine has the same."""
    drawn = generator.integers(0, 2**32, (count, kinds, 12), dtype=np.uint64)
    return drawn.sum(axis=2).astype(np.float64) / 2**32 - 6.0


class SolvedStep:
    """A step with its network solved at the model's numbers and beside them."""

    def __init__(self, model: Model, configuration: Configuration, number: int):
        self.model, self.configuration, self.number = model, configuration, number
        self.step = Step(model, configuration, number)
        self.base = self.step.outcome()
        sigma = model.variation
        self.slopes: list[Outcome] = []
        if sigma:
            for factors in ((1 + sigma, 1.0), (1.0, 1 + sigma)):
                beside = self.step.outcome(*factors)
                self.slopes.append({key: beside.get(key, value) - value for key, value in self.base.items()})

    def intervals(self, start: dt.datetime, count: int, generator: np.random.Generator) -> StepIntervals:
        """`count` intervals from `start` on."""
        return StepIntervals(self, start, normal(generator, count, 3))


@dataclass
class StepIntervals:
    """Some intervals of a step: what the step does in each."""

    solved: SolvedStep
    start: dt.datetime
    drawn: Array

    @property
    def model(self) -> Model:
        return self.solved.model

    @property
    def configuration(self) -> Configuration:
        return self.solved.configuration

    @cached_property
    def intervals(self) -> Intervals:
        length = self.model.interval_s
        starts = np.datetime64(self.start, "s") + np.arange(len(self.drawn)) * np.timedelta64(length, "s")
        off = np.floor(self.drawn[:, 2] * _OFF_CLOCK_S * 1000 + 0.5) / 1000
        return Intervals(starts.astype("datetime64[s]"), length + off)

    @cached_property
    def length_s(self) -> Array:
        return self.intervals.printed_s

    def per_s(self, *key: str) -> Array:
        """A number of the outcome, in each interval."""
        found = np.full(len(self.drawn), self.solved.base.get(key, 0.0))
        for column, slope in enumerate(self.solved.slopes):
            found = found + self.drawn[:, column] * slope.get(key, 0.0)
        return np.maximum(found, 0.0)

    def count(self, *key: str) -> Array:
        """How many there are in the interval of what the outcome has a second, whole."""
        return np.floor(self.per_s(*key) * self.length_s + 0.5)

    def seconds(self, *key: str) -> Array:
        """Seconds in the interval of what the outcome has a second."""
        return self.per_s(*key) * self.length_s

    # --- Workload activity ---

    def class_work(self, name: str, system: str) -> Work:
        """What a class does on one system."""
        norm = self.model.systems[system].norm_factor
        cp_s, iip_s, iipcp_s = (self.seconds(part, name, system) for part in ("cp_s", "iip_s", "iipcp_s"))
        ended = self.count("ended", name, system)
        actual = ratio(self.per_s("there", name, system), self.per_s("ended", name, system))
        # Where no transactions are counted, it is an address space that is there.
        there = self.per_s("there", name, system) if ended.any() else np.ones(len(ended))
        read_ms = 1000 * ratio(self.per_s("ssch_s", name, system), self.per_s("ssch", name, system))
        counted = bool(ended.any())
        cpu_s = cp_s + norm * iip_s
        return Work(
            avg=there,
            mpl=there,
            ended=ended,
            actual_s=actual,
            execution_s=actual,
            deviation_s=actual * _DEVIATION_OF_MEAN,
            ssch_per_s=self.per_s("ssch", name, system),
            connect_ms=0.3 * read_ms,
            disconnect_ms=0.5 * read_ms,
            qpend_ms=0.2 * read_ms,
            cpu=np.floor(cpu_s * self.model.systems[system].su_per_s + 0.5),
            cpu_s=cpu_s,
            iip_s=iip_s,
            iipcp_s=iipcp_s,
            transactions=Category(cp_s, iipcp_s, iip_s) if counted else Category(),
        )

    def homes(self, name: str) -> list[str]:
        """The systems that a class has address spaces on: where it does anything, else all that it may be on."""
        base, only = self.solved.base, self.model.classes[name].system
        busy = [s for s in self.configuration.systems if any(base.get((what, name, s)) for what in _ACTIVITY)]
        return busy or [s for s in self.configuration.systems if only in (None, s)]

    @cached_property
    def report_classes(self) -> dict[str, Work]:
        """What each class does on all systems; a class that has nothing to do is printed as well."""
        none = Work(ended=np.zeros(len(self.drawn)))
        works = {name: [self.class_work(name, system) for system in self.homes(name)] for name in self.model.classes}
        return {name: add(parts or [none]) for name, parts in works.items()}

    def on_system(self, service_class: str, system: str) -> OnSystem | None:
        """What the goal rows print of a service class on a system."""
        names = [
            n for n, c in self.model.classes.items() if c.service_class == service_class and system in self.homes(n)
        ]
        if not names:
            return None
        goal = self.model.service_classes[service_class].goal

        def total(what: str) -> Array:
            return sum((self.per_s(what, name, system) for name in names), np.zeros(len(self.drawn)))

        using_cp, using_iip, reading = total("cp_s"), total("iip_s"), total("ssch_s")
        late_cp, late_iip = total("cp_s delayed"), total("iip_s delayed")
        waiting = np.maximum(total("wait_s") - reading, 0.0)
        busy = using_cp + using_iip + reading + late_cp + late_iip + waiting
        # Work units to sample: at least an address space a class, which idles when there is nothing to do.
        units = np.maximum(busy, float(len(names)))
        ended = sum((self.count("ended", name, system) for name in names), np.zeros(len(self.drawn)))
        actual = ratio(total("there"), total("ended"))
        return OnSystem(
            system=system,
            ended=ended,
            actual_s=actual,
            buckets=_buckets(ended, actual, goal.seconds) if goal.kind in ("average", "percentile") else None,
            address_spaces=units,
            using_cpu=100 * using_cp / units,
            using_iip=100 * using_iip / units,
            using_io=100 * reading / units,
            delays={"CPU": 100 * late_cp / units, "IIP": 100 * late_iip / units},
            unknown=100 * waiting / units,
            idle=100 * (units - busy) / units,
        )

    def service_class(self, name: str) -> ServiceClass | None:
        """A service class is the sum of its report classes."""
        one = self.model.service_classes[name]
        parts = [work for n, work in self.report_classes.items() if self.model.classes[n].service_class == name]
        if not parts:
            return None
        systems = [found for system in self.configuration.systems if (found := self.on_system(name, system))]
        period = Period(1, one.importance, one.goal, add(parts), tuple(systems))
        return ServiceClass(name, one.workload, (period,))

    def workload_activity(self) -> WorkloadActivity:
        """The Workload Activity report of these intervals."""
        model = self.model
        used = [model.systems[name] for name in self.configuration.systems]
        policy = ServicePolicy(
            name="STANDARD",
            activated=np.datetime64(model.start.replace(hour=0, minute=0), "s") - np.timedelta64(7, "D"),
            systems=tuple(PolicySystem(system.name, system.su_per_s) for system in used),
            coefficients=(0.0, 1.0, 1.0, 0.0),
            norm_factor_iip=max(system.norm_factor for system in used),
        )
        classes = [found for name in model.service_classes if (found := self.service_class(name))]
        return WorkloadActivity(
            model.sysplex,
            model.release,
            self.intervals,
            policy,
            tuple(classes),
            tuple(ReportClass(name, work) for name, work in self.report_classes.items()),
        )

    # --- Others ---

    def monitoring(self) -> list[MonitoringFigures]:
        """CICS monitoring of the last interval, a workload a transaction."""
        found = []
        for place in self.solved.step.places:
            key = (place.workload.name, place.system)
            response, dispatched, served = (
                1000 * float(self.per_s(what, *key)[-1]) for what in ("response_s", "dispatched_s", "served_s")
            )
            tasks, span_s = int(self.count("rate", *key)[-1]), float(self.length_s[-1])
            suspended = max(0.0, response - dispatched)
            found.append(MonitoringFigures(place.name, tasks, response, dispatched, suspended, served, span_s))
        return found

    def jmh(self) -> list[JmhResult]:
        """A benchmark of each workload: its response time, over as many iterations as make JMH's usual sample."""
        found = []
        for place in self.solved.step.places:
            seen = self.per_s("response_s", place.workload.name, place.system) * 1000
            mean = float(seen[-1])
            deviation = mean * max(self.model.variation, 0.001) * _JMH_SPREAD
            error = _JMH_T * deviation / math.sqrt(_JMH_ITERATIONS)
            found.append(JmhResult(_JMH_BENCHMARK, self.configuration.parameters, _JMH_ITERATIONS, mean, error))
        return found


def _buckets(ended: Array, mean_s: Array, goal_s: float) -> NDArray[np.int64]:
    """Transactions by bucket of the response time distribution: bounds are multiples of the goal."""
    median = mean_s / _MEAN_OF_MEDIAN
    below = []
    for bound in BUCKET_BOUNDS:
        seconds = bound * goal_s
        cube, middle = seconds * seconds * seconds, median * median * median
        below.append(np.floor(ended * (cube / (cube + middle)) + 0.5))
    return np.diff(np.stack(below, axis=1), axis=1, prepend=0, append=ended[:, None]).astype(np.int64)


def steps(model: Model, configuration: Configuration) -> Iterator[SolvedStep]:
    """The steps of a configuration, each solved."""
    for number in range(configuration.steps):
        yield SolvedStep(model, configuration, number)
