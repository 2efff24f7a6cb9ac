"""Content of RMF Coupling Facility Activity for one coupling facility.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Coupling Facility Activity report". Times are microseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .common import Intervals, Numbers, Row, ratio

# For each system: type, links and subchannels.
LINK_KIND, LINKS, SUBCHANNELS = "CS5", 2, 14
DUMP_BYTES = 64 * 1024**2
SYNCHRONOUS = ("sync_requests", "sync_service_us", "sync_service_stddev_us")


def added(rows: Sequence[Row]) -> Row:
    """Requests of several systems, or to several structures, together: times weighted by count, deviations pooled (second moments added).

    >>> both = added([dict(zip(SYNCHRONOUS, one, strict=True)) for one in ((1, 10.0, 0), (3, 30.0, 0))])
    >>> both["sync_requests"], float(both["sync_service_us"]), round(float(both["sync_service_stddev_us"]), 3)
    (4, 25.0, 8.66)
    """
    names = dict.fromkeys(name for row in rows for name in row if name != "system")
    found: Row = {name: sum(row[name] for row in rows) for name in names}
    times = [[row[name] for name in SYNCHRONOUS] for row in rows]
    count = found["sync_requests"]
    average = ratio(sum(n * mean for n, mean, _ in times), count)
    moments = ratio(sum(n * (deviation**2 + mean**2) for n, mean, deviation in times), count)
    deviation = np.sqrt(np.maximum(moments - average**2, 0))
    return found | dict(zip(SYNCHRONOUS, (count, average, deviation), strict=True))


@dataclass(frozen=True)
class Structure:
    """A structure: kind LIST, LOCK or CACHE, size in bytes, requests of each system, all synchronous, entries and elements in total and current,
    data access of a cache by label, and what it has in storage class memory. `utilization_pct` is its share of the processor time used."""

    name: str
    kind: str
    size_bytes: int
    systems: Sequence[Row]
    utilization_pct: Numbers = 0
    total: Row = field(default_factory=dict)
    current: Row = field(default_factory=dict)
    access: Row = field(default_factory=dict)
    memory: Row | None = None

    @cached_property
    def everywhere(self) -> Row:
        """The row TOTAL."""
        return added(self.systems)


@dataclass(frozen=True)
class CouplingFacility:
    """The Coupling Facility Activity report of one facility: usage summary, structures, subchannels."""

    name: str
    sysplex: str
    release: str
    intervals: Intervals
    structures: tuple[Structure, ...]
    # Those with links to it.
    systems: tuple[str, ...] = ()
    submodel: str = "A01"
    level: int = 25
    processors: int = 2
    processors_effective: Numbers = 2.0
    utilization_pct: Numbers = 0
    storage_bytes: int = 32 * 1024**3

    @cached_property
    def requests(self) -> Numbers:
        """All requests to all structures."""
        return sum(one.everywhere["sync_requests"] for one in self.structures)

    @property
    def structure_bytes(self) -> int:
        """Storage that structures are allocated."""
        return sum(one.size_bytes for one in self.structures)
