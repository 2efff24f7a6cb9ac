"""Intervals of a solved step, numbers as arrays with one value an interval; fill_*.py make of them what the reports print.

Intervals differ a little: how much load there is and how much a request takes vary by the model's `variation_pct`. The network is solved
at the model's numbers and one standard deviation beside them; between, every number is taken on the line.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .contents.common import Intervals, SystemReport
from .model import Model, ModelConfiguration
from .running import Outcome, Step

Array = NDArray[np.float64]

# What is drawn for an interval: how much load there is, how much a request takes, how far off the clock it ends.
KINDS = 3
# Lengths of intervals, off the clock: standard deviation in seconds.
_OFF_CLOCK_S = 0.002


def normal(generator: np.random.Generator, count: int, kinds: int) -> Array:
    """Numbers that are normal enough (sums of twelve): a row for each of `count`. Integers are added, so every machine has the same."""
    drawn = generator.integers(0, 2**32, (count, kinds, 12), dtype=np.uint64)
    return drawn.sum(axis=2).astype(np.float64) / 2**32 - 6.0


class SolvedStep:
    """A step with its network solved at the model's numbers and beside them."""

    def __init__(self, model: Model, configuration: ModelConfiguration, number: int):
        self.model, self.configuration, self.number = model, configuration, number
        self.step = Step(model, configuration, number)
        self.base = self.step.outcome()
        sigma = model.variation
        # By load, for configurations whose load follows the profile.
        self.levels = [(f, self.step.outcome(f)) for f in model.profile.levels] if configuration.hours else []
        self.slopes: list[Outcome] = []
        if sigma:
            for factors in ((1 + sigma, 1.0), (1.0, 1 + sigma)):
                beside = self.step.outcome(*factors)
                self.slopes.append({key: beside.get(key, value) - value for key, value in self.base.items()})

    def intervals(self, start: dt.datetime, count: int, generator: np.random.Generator) -> StepIntervals:
        """`count` intervals from `start` on."""
        return StepIntervals(self, start, normal(generator, count, KINDS))


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
    def configuration(self) -> ModelConfiguration:
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
        found = self._at_load(key)
        for column, slope in enumerate(self.solved.slopes):
            if column or not self.solved.levels:
                found = found + self.drawn[:, column] * slope.get(key, 0.0)
        return np.maximum(found, 0.0)

    def _at_load(self, key: tuple[str, ...]) -> Array:
        if not (levels := self.solved.levels):
            return np.full(len(self.drawn), self.solved.base.get(key, 0.0))
        loads, outcomes = zip(*levels, strict=True)
        varied = self._profile_load * (1 + self.model.variation * self.drawn[:, 0])
        return np.interp(varied, loads, [outcome.get(key, 0.0) for outcome in outcomes])

    @cached_property
    def _profile_load(self) -> Array:
        return self.model.profile.factors(self.intervals.start)

    @property
    def release(self) -> str:
        return self.configuration.release or self.model.release

    def report(self, name: str, system: str, lines: Sequence[Any], **head: Any) -> SystemReport:
        """A report of a system."""
        return SystemReport(name, system, self.release, self.intervals, lines, head)

    def count(self, *key: str) -> Array:
        """How many there are in the interval of what the outcome has a second, whole."""
        return np.floor(self.per_s(*key) * self.length_s + 0.5)

    def seconds(self, *key: str) -> Array:
        """Seconds in the interval of what the outcome has a second."""
        return self.per_s(*key) * self.length_s
