"""Shared by all contents: numbers by interval, and the intervals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# One value per interval, or one for all intervals.
Numbers = NDArray[Any] | float | int


# The buckets of the distribution of work units hold up to N + that many each; one more holds what is above the last.
BOUNDS = (0, 1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 80, 100, 120, 150)
# Values by declared column. A number that is not given is 0; None is blank.
Row = dict[str, Any]
# A kind of line, and the values of each of its panels.
Line = tuple[Any, ...]


@dataclass(frozen=True)
class Intervals:
    """The intervals that a report covers, in order: start (datetime64, local time, whole seconds) and true length of each,
    which is a little off the clock. A `duration` report prints START and END and whole minutes instead."""

    start: NDArray[np.datetime64]
    length_s: Numbers
    duration: bool = False

    def __len__(self) -> int:
        return len(self.start)

    @property
    def printed_s(self) -> NDArray[np.float64]:
        """Printed length of each interval: to the millisecond, on a duration report to the second."""
        length = np.broadcast_to(np.asarray(self.length_s, np.float64), len(self))
        return np.floor(length + 0.5) if self.duration else np.floor(length * 1000 + 0.5) / 1000


def ratio(part: Numbers, whole: Numbers, where_none: float = 0.0) -> NDArray[np.float64]:
    """part / whole, `where_none` where whole is 0.

    >>> ratio(np.array([1.0, 3.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, where_none), where=whole != 0)


@dataclass(frozen=True)
class SystemReport:
    """A report of a system or region, by its declared name: lines in the order of the page; those within a sequence stay together. Among
    them a text is a line too. `head`: what is printed beside the rows, by declared column."""

    name: str
    system: str
    release: str
    intervals: Intervals
    lines: Sequence[Any]
    head: Row = field(default_factory=dict)


def of_machine(report: SystemReport) -> list[Row]:
    """Rows of partitions with general processors, of Partition Data: those with a weight for MSU."""
    return [line[1] for line in report.lines if line[0] == "PARTITION_ROW" and line[1]["msu_used"] is not None]
