"""Content of RMF Coupling Facility Activity for one coupling facility.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "Coupling Facility Activity report". Times are microseconds.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .common import Intervals, Numbers, Row, ratio

# Of each system: type, links and subchannels.
LINK_KIND, LINKS, SUBCHANNELS = "CS5", 2, 14
DUMP_BYTES = 64 * 1024**2
REASONS = ("NO SCH", "PR WT", "PR CMP", "DUMP", "MONOP")


@dataclass(frozen=True)
class Timed:
    """A count, with average time and standard deviation in microseconds."""

    count: Numbers = 0
    average_us: Numbers = 0
    deviation_us: Numbers = 0


def add_timed(parts: list[Timed]) -> Timed:
    """Several counts together: times weighted by count, deviations pooled (second moments added).

    >>> both = add_timed([Timed(1, 10.0), Timed(3, 30.0)])
    >>> both.count, float(both.average_us), round(float(both.deviation_us), 3)
    (4, 25.0, 8.66)
    """
    count = sum(one.count for one in parts)
    average = ratio(sum(one.count * one.average_us for one in parts), count)
    moments = ratio(sum(one.count * (one.deviation_us**2 + one.average_us**2) for one in parts), count)
    return Timed(count, average, np.sqrt(np.maximum(moments - average**2, 0)))


@dataclass(frozen=True)
class FromSystem:
    """Requests of one system to a structure. `changed` requests are part of the asynchronous; `delayed` by reason
    (REASONS). A lock structure's `lock_requests` were `deferred`, of which `contentions`, of which `false_contentions`."""

    system: str
    synchronous: Timed = Timed()
    asynchronous: Timed = Timed()
    changed: Numbers = 0
    suppressed: Numbers = 0
    delayed: dict[str, Timed] = field(default_factory=dict)
    lock_requests: Numbers = 0
    deferred: Numbers = 0
    contentions: Numbers = 0
    false_contentions: Numbers = 0

    @property
    def requests(self) -> Numbers:
        """# REQ = SYNC + ASYNC."""
        return self.synchronous.count + self.asynchronous.count


@dataclass(frozen=True)
class Structure:
    """A structure: kind LIST, LOCK or CACHE, size in bytes, entries as total and current, what each system asked, of a
    cache its data access, and what it has in storage class memory. `utilization_pct` is its share of the processor time used."""

    name: str
    kind: str
    size_bytes: int
    systems: tuple[FromSystem, ...]
    utilization_pct: Numbers = 0
    status: str = "ACTIVE"
    entries: tuple[Numbers, Numbers] = (0, 0)
    elements: tuple[Numbers, Numbers] = (0, 0)
    lock_entries: tuple[Numbers, Numbers] = (0, 0)
    reads: Numbers = 0
    writes: Numbers = 0
    castouts: Numbers = 0
    cross_invalidations: Numbers = 0
    memory: Row | None = None

    @cached_property
    def everywhere(self) -> FromSystem:
        """The row TOTAL."""
        systems = self.systems
        return FromSystem(
            system="TOTAL",
            synchronous=add_timed([one.synchronous for one in systems]),
            asynchronous=add_timed([one.asynchronous for one in systems]),
            changed=sum(one.changed for one in systems),
            suppressed=sum(one.suppressed for one in systems),
            delayed={reason: add_timed([one.delayed.get(reason, Timed()) for one in systems]) for reason in REASONS},
            lock_requests=sum(one.lock_requests for one in systems),
            deferred=sum(one.deferred for one in systems),
            contentions=sum(one.contentions for one in systems),
            false_contentions=sum(one.false_contentions for one in systems),
        )


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
        return sum(one.everywhere.requests for one in self.structures)

    @property
    def structure_bytes(self) -> int:
        """Storage that structures are allocated."""
        return sum(one.size_bytes for one in self.structures)
