"""The workload model: a machine, what a request costs, and how many requests come. docs/model.md says it for people who write one.

Processor times are milliseconds of a general processor of speed 1. What a request costs is a sum: so many of each unit of work, and
what one unit takes in each class.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .contents.workload import Goal

# Of the work of a DDF enclave that does not run under an application's own authority 60% is eligible for zIIPs.
DDF_ELIGIBLE = 0.6


# What a study counts as requests if it is no class: what the workload simulator counts.
PAGE_ELEMENTS = "page_elements"


@dataclass(frozen=True)
class System:
    """An image (LPAR): its engines; `speed` of general processors and zIIPs against those that demands are given for; `overflow`:
    the share of eligible work that a general processor takes where it finds the zIIPs busy; `su_per_s` of one general processor; `captured`: the
    share of the time of general processors that is charged to classes."""

    name: str
    line: int
    cp: int
    ziip: int = 0
    speed: float = 1.0
    ziip_speed: float = 1.0
    overflow: float = 1.0
    su_per_s: float = 50_000.0
    captured: float = 1.0
    processor: str = "2964"
    model: str = "N30"
    machine: str | None = None
    defined_msu: int = 0

    @property
    def norm_factor(self) -> float:
        """How many times faster zIIPs are than general processors."""
        return self.ziip_speed / self.speed


@dataclass(frozen=True)
class Machine:
    """A machine whose partitions are systems: its general processors and zIIPs, its MSU, and the limit of the group that they are in."""

    name: str
    line: int
    cp: int
    ziip: int
    capacity_msu: int
    sequence_code: str
    group: str = ""
    group_limit_msu: int = 0

    @property
    def msu_per_cp(self) -> float:
        return self.capacity_msu / self.cp


@dataclass(frozen=True)
class Profile:
    """How the load goes over the hours of a day and the days of a week, Monday first, in percent of what configurations say."""

    hours_pct: tuple[float, ...] = (100.0,) * 24
    weekdays_pct: tuple[float, ...] = (100.0,) * 7

    def factors(self, starts: NDArray[np.datetime64]) -> NDArray[np.float64]:
        """The load of intervals by their start."""
        hours = starts.astype("datetime64[h]").astype(np.int64)
        # 1970 began on a Thursday.
        weekday = (hours // 24 + 3) % 7
        return np.array(self.hours_pct)[hours % 24] * np.array(self.weekdays_pct)[weekday] / 10_000

    @property
    def levels(self) -> tuple[float, ...]:
        """Loads at which the network is solved: between them every number is taken on the line."""
        factors = [h * d / 10_000 for h in self.hours_pct for d in self.weekdays_pct]
        least, most = min(factors), max(factors)
        return tuple(least + (most - least) * n / 8 for n in range(9)) if most > least else (least,)


@dataclass(frozen=True)
class InputOutput:
    """How systems reach their disks: FICON channel paths and their speed in Gbit/s, microseconds that an operation keeps a path's
    processor busy; I/O processors, and microseconds that starting a request keeps one busy; milliseconds that a read takes longer if it
    misses the cache of the storage control unit."""

    paths: int = 4
    gigabits: int = 16
    operation_us: float = 20.0
    processors: int = 2
    start_us: float = 5.0
    miss_ms: float = 6.0

    @property
    def mb_per_s(self) -> float:
        """What a path moves in one direction: 100 MB/s per Gbit/s, for its coding."""
        return 100.0 * self.gigabits


@dataclass(frozen=True)
class CouplingFacility:
    """A coupling facility: its processors, and the microseconds that a request spends on the way there and back."""

    name: str
    line: int
    processors: int
    link_us: float = 0.0
    model: str = "N30"
    level: int = 21


@dataclass(frozen=True)
class Link:
    """A connection to another system: capacity, and the time of a round trip without any data."""

    name: str
    line: int
    mb_per_s: float
    round_trip_ms: float = 0.0


@dataclass(frozen=True)
class BufferPool:
    """How a local buffer pool does: percent of getpages that find their page; what a read from disk takes."""

    name: str
    line: int
    hit_pct: float
    read_ms: float = 1.0


@dataclass(frozen=True)
class Structure:
    """A structure of the group: its coupling facility, and the microseconds that one request keeps a processor of it busy. Of a group
    buffer pool: the percent of reads that return the page, and of those that a cross-invalidation caused."""

    name: str
    line: int
    facility: str
    service_us: float
    hit_pct: float = 0.0
    invalidated_pct: float = 10.0


@dataclass(frozen=True)
class MessageQueue(Structure):
    """A list structure with messages: how large one is and how long it is kept on average; the storage of the structure, and the storage
    class memory (0 for none) that takes what does not fit."""

    kilobytes: float = 4.0
    kept_s: float = 1.0
    storage_mb: int = 64
    memory_mb: int = 0

    # Messages move out before the structure is full.
    FILLED = 0.9

    @property
    def room(self) -> float:
        """Messages that the structure holds."""
        return self.FILLED * self.storage_mb * 1024 / self.kilobytes

    @property
    def memory_room(self) -> float:
        """Messages that its storage class memory holds."""
        return self.memory_mb * 1024 / self.kilobytes


@dataclass(frozen=True)
class DataSharing:
    """A Db2 data sharing group: its lock structure and group buffer pools. Of lock requests so many percent meet contention, of which so
    many are false; one costs `contention_cp_ms` and takes `contention_wait_ms`."""

    group: str
    line: int
    lock: Structure
    pools: Mapping[str, Structure]
    contention_pct: float = 0.0
    false_pct: float = 0.0
    contention_wait_ms: float = 0.0
    contention_cp_ms: float = 0.0
    queues: Mapping[str, MessageQueue] = field(default_factory=dict)


@dataclass(frozen=True)
class ServiceClass:
    """A service class of one period and its goal."""

    name: str
    line: int
    workload: str
    goal: Goal
    importance: int = 3


@dataclass(frozen=True)
class ReportClass:
    """A report class, what processor time is charged to: the service class that it is part of, and the subsystem that a study charges. With
    `system` its work is done there, else where the request is. With `mxt` its address spaces are CICS regions, which use `itself_pct` of their
    processor time for no task; with `address_space` (MSTR, DBM1, IRLM, DDF) it is that one of a Db2 member."""

    name: str
    line: int
    service_class: str
    subsystem: str
    system: str | None = None
    mxt: int = 0
    itself_pct: float = 0.0
    address_space: str = ""


@dataclass(frozen=True)
class Use:
    """What a unit of work takes in one class: milliseconds of general processor alone, of these in Db2 on the request's thread, eligible for zIIPs, and of DDF enclaves; waiting
    without a processor; lock requests; getpages by buffer pool; reads, writes and
    others (castout) by group buffer pool; messages put on a queue and taken off it; round trips and kilobytes by
    link."""

    line: int
    cp_ms: float = 0.0
    db2_ms: float = 0.0
    ziip_ms: float = 0.0
    ddf_ms: float = 0.0
    wait_ms: float = 0.0
    locks: float = 0.0
    getpages: Mapping[str, float] = field(default_factory=dict)
    gbp_reads: Mapping[str, float] = field(default_factory=dict)
    gbp_writes: Mapping[str, float] = field(default_factory=dict)
    gbp_others: Mapping[str, float] = field(default_factory=dict)
    messages: Mapping[str, float] = field(default_factory=dict)
    round_trips: Mapping[str, float] = field(default_factory=dict)
    kilobytes: Mapping[str, float] = field(default_factory=dict)

    @property
    def only_cp_ms(self) -> float:
        """General processor alone, with DDF's part of it."""
        return self.cp_ms + (1 - DDF_ELIGIBLE) * self.ddf_ms

    @property
    def eligible_ms(self) -> float:
        """Eligible for zIIPs, with DDF's part of it."""
        return self.ziip_ms + DDF_ELIGIBLE * self.ddf_ms


@dataclass(frozen=True)
class Threads:
    """The DB2ENTRY of a workload: how many threads there may be, how many are kept for the next (PROTECTNUM), how often one is used again
    before it ends (REUSELIMIT, 0: no limit), how many a request uses one after the other, the calls on them, and the unit of work that
    making one is."""

    entry: str
    line: int
    work: str
    limit: int
    protectnum: int = 0
    reuselimit: int = 1000
    uses: float = 1.0
    calls: float = 0.0


@dataclass(frozen=True)
class Workload:
    """Requests of one kind: units of work in each, and the class that counts them as they end. With `system` they run there, else evenly on
    all systems of the configuration."""

    name: str
    line: int
    counted_by: str
    request: Mapping[str, float]
    system: str | None = None
    threads: Threads | None = None


@dataclass(frozen=True)
class Load:
    """How many requests of a workload come: clients that think between requests, or an arrival rate; one number for each step."""

    workload: str
    line: int
    clients: tuple[int, ...] = ()
    think_s: float = 0.0
    rate_per_s: tuple[float, ...] = ()

    @property
    def steps(self) -> int:
        return len(self.clients or self.rate_per_s)


@dataclass(frozen=True)
class ModelConfiguration:
    """What a study compares: systems, loads by step, and whether Db2 shares data. `parameters` are those that JMH prints. With `hours` a step
    lasts so long, and the load follows the model's profile. `release` is another than the model's; `without`: coupling facilities that are
    down, their structures are in the next that is not."""

    name: str
    line: int
    systems: tuple[str, ...]
    loads: tuple[Load, ...]
    data_sharing: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    hours: int = 0
    release: str = ""
    without: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        return max(load.steps for load in self.loads)


@dataclass(frozen=True)
class StudyOf:
    """A study of some configurations, written beside the reports; `interval`: which intervals of a step count."""

    name: str
    line: int
    configurations: tuple[str, ...]
    baseline: str
    requests: str
    uncoupled: str | None = None
    coupled: str | None = None
    interval: Literal["last", "all"] = "last"


Report = Literal[
    "workload_activity",
    "cpu_activity",
    "partition_data",
    "group_capacity",
    "overview",
    "cf_activity",
    "xcf_activity",
    "device_activity",
    "channel_path_activity",
    "io_queuing",
    "cache_subsystem",
    "cics_statistics",
    "db2_statistics",
    "db2_group_statistics",
    "simulator",
    "monitoring",
    "cics_monitoring",
    "cics_servers",
    "db2_accounting",
    "jmh",
]


@dataclass(frozen=True)
class Model:
    """A whole model; parts by name, in the order of the file."""

    name: str
    file: str
    start: dt.datetime
    sysplex: str
    release: str
    interval_s: int
    step_intervals: int
    variation: float
    systems: Mapping[str, System]
    machines: Mapping[str, Machine]
    profile: Profile
    facilities: Mapping[str, CouplingFacility]
    links: Mapping[str, Link]
    buffer_pools: Mapping[str, BufferPool]
    input_output: InputOutput
    data_sharing: DataSharing | None
    service_classes: Mapping[str, ServiceClass]
    classes: Mapping[str, ReportClass]
    work: Mapping[str, Mapping[str, Use]]
    workloads: Mapping[str, Workload]
    configurations: Mapping[str, ModelConfiguration]
    studies: tuple[StudyOf, ...]
    reports: tuple[Report, ...]
