"""The workload model: a machine, what a request costs, and how many requests come. docs/model.md says it for people who write one. Fields
with a key are read from the model file (part_reader.py).

Processor times are milliseconds of a general processor of speed 1. What a request costs is a sum: a number of each unit of work, and
what one unit takes in each class.
"""

# Each key is a dataclass field.
# ruff: noqa: RUF009
from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..pipeline.yaml_reader import Value, choice, moment_of, number_of, text_of, texts_of
from .contents.workload import Goal
from .part_reader import (
    any_of,
    each_of,
    key,
    name_of,
    named,
    numbers_of,
    part,
    parts,
    percent_of,
    positive_of,
    whole_of,
    yes_of,
)

# 60% of the work of a DDF enclave is eligible for zIIPs, unless it runs under an application's own authority.
DDF_ELIGIBLE = 0.6


# What a study counts as requests if it is no class: what the workload simulator counts.
PAGE_ELEMENTS = "page_elements"
_RELEASE = choice("V1R13", "V2R2", "V2R3", "V2R5", "V3R1")
_NEVER = dt.datetime(2000, 1, 1)


def _moment(value: Value) -> dt.datetime:
    return moment_of(value, text_of(value))


@dataclass(frozen=True)
class System:
    """An image (LPAR): its engines; `speed` of general processors and zIIPs against those that demands are given for; `overflow`:
    the share of eligible work that a general processor takes where it finds the zIIPs busy; `su_per_s` of one general processor; `captured`: the
    share of the time of general processors that is charged to classes."""

    SHAPE: ClassVar[str] = "a system: {cp: 3, ziip: 2}"

    name: str
    line: int
    cp: int = key(whole_of(1, 190), 1, need="how many general processors the system has")
    ziip: int = key(whole_of(0, 190), 0)
    speed: float = key(positive_of, 1.0)
    ziip_speed: float = key(positive_of, 0.0)
    overflow: float = key(percent_of, 100.0, name="overflow_pct", per=100)
    su_per_s: float = key(positive_of, 50_000.0)
    captured: float = key(number_of(50, 100.000001), 100.0, name="captured_pct", per=100)
    processor: str = key(text_of, "2964")
    model: str = key(text_of, "N30")
    machine: str | None = named("machines", "machine", default=None)
    defined_msu: int = key(whole_of(0, 99_999), 0)

    @property
    def norm_factor(self) -> float:
        """How many times faster zIIPs are than general processors."""
        return self.ziip_speed / self.speed


@dataclass(frozen=True)
class Machine:
    """A machine whose partitions are systems: its general processors and zIIPs, its MSU, and the limit of the group that they are in."""

    SHAPE: ClassVar[str] = "a machine: {cp: 10, ziip: 4, capacity_msu: 1800}"

    name: str
    line: int
    cp: int = key(whole_of(1, 99), 1, need="how many general processors it has")
    ziip: int = key(whole_of(0, 99), 0)
    capacity_msu: int = key(whole_of(1, 99_999), 1, need="MSU of the machine")
    sequence_code: str = key(text_of, "")
    group: str = key(name_of, "")
    group_limit_msu: int = key(whole_of(0, 99_999), 0)

    @property
    def msu_per_cp(self) -> float:
        return self.capacity_msu / self.cp


@dataclass(frozen=True)
class Profile:
    """How the load goes over the hours of a day and the days of a week, Monday first, in percent of what configurations say."""

    SHAPE: ClassVar[str] = "a profile: {hours_pct: [24 numbers], weekdays_pct: [7 numbers]}"

    hours_pct: tuple[float, ...] = key(each_of(positive_of), (100.0,) * 24)
    weekdays_pct: tuple[float, ...] = key(each_of(positive_of), (100.0,) * 7)

    def factors(self, starts: NDArray[np.datetime64]) -> NDArray[np.float64]:
        """The load of intervals by their start."""
        hours = starts.astype("datetime64[h]").astype(np.int64)
        # 1970 began on a Thursday.
        weekday = (hours // 24 + 3) % 7
        return np.array(self.hours_pct)[hours % 24] * np.array(self.weekdays_pct)[weekday] / 10_000

    @property
    def levels(self) -> tuple[float, ...]:
        """Loads at which the network is solved: numbers between two points are on the line between them."""
        factors = [h * d / 10_000 for h in self.hours_pct for d in self.weekdays_pct]
        least, most = min(factors), max(factors)
        return tuple(least + (most - least) * n / 8 for n in range(9)) if most > least else (least,)


@dataclass(frozen=True)
class InputOutput:
    """How systems reach their disks: FICON channel paths and their speed in Gbit/s, microseconds that an operation keeps a path's
    processor busy; I/O processors, and microseconds that starting a request keeps one busy; milliseconds that a read takes longer if it
    misses the cache of the storage control unit."""

    SHAPE: ClassVar[str] = "channels to disks: {paths: 4, gigabits: 16}"

    paths: int = key(whole_of(1, 8), 4)
    gigabits: int = key(whole_of(1, 64), 16)
    operation_us: float = key(any_of, 20.0)
    processors: int = key(whole_of(1, 24), 2)
    start_us: float = key(any_of, 5.0)
    miss_ms: float = key(positive_of, 6.0)

    @property
    def mb_per_s(self) -> float:
        """What a path moves in one direction: 100 MB/s per Gbit/s, for its coding."""
        return 100.0 * self.gigabits


@dataclass(frozen=True)
class CouplingFacility:
    """A coupling facility: its processors, and the microseconds that a request spends on the way there and back."""

    SHAPE: ClassVar[str] = "a coupling facility: {processors: 2, link_us: 10}"

    name: str
    line: int
    processors: int = key(whole_of(1, 16), 1, need="how many processors the coupling facility has")
    link_us: float = key(any_of, 0.0)
    model: str = key(text_of, "N30")
    level: int = key(whole_of(1, 99), 21)


@dataclass(frozen=True)
class Link:
    """A connection to another system: capacity, and the time of a round trip without any data."""

    SHAPE: ClassVar[str] = "mb_per_s, round_trip_ms"

    name: str
    line: int
    mb_per_s: float = key(positive_of, 1.0, need="a number")
    round_trip_ms: float = key(any_of, 0.0)


@dataclass(frozen=True)
class BufferPool:
    """How a local buffer pool does: percent of getpages that find their page; what a read from disk takes."""

    SHAPE: ClassVar[str] = "hit_pct, read_ms"

    name: str
    line: int
    hit_pct: float = key(percent_of, 0.0, need="a number")
    read_ms: float = key(any_of, 1.0)


@dataclass(frozen=True)
class Structure:
    """A structure: its coupling facility, and the microseconds that one request keeps a processor of it busy."""

    SHAPE: ClassVar[str] = "a structure: {facility: CF01, service_us: 8}"

    name: str
    line: int
    facility: str = named("coupling_facilities", "coupling facility", need="its coupling facility")
    service_us: float = key(positive_of, 1.0, need="microseconds of a request there")


@dataclass(frozen=True)
class SharedStructure(Structure):
    """The lock structure of the group, or a group buffer pool: the percent of reads that return the page, and of those that a
    cross-invalidation caused."""

    hit_pct: float = key(percent_of, 0.0)
    invalidated_pct: float = key(percent_of, 10.0)


@dataclass(frozen=True)
class MessageQueue(Structure):
    """A list structure with messages: how large one is and how long it is kept on average; the storage of the structure, and the storage
    class memory (0 for none) that takes what does not fit."""

    SHAPE: ClassVar[str] = "a queue: {facility: CF01, service_us: 12}"
    # Messages move out before the structure is full.
    FILLED: ClassVar[float] = 0.9

    kilobytes: float = key(positive_of, 4.0)
    kept_s: float = key(any_of, 1.0)
    storage_mb: int = key(whole_of(1, 1_000_000), 64)
    memory_mb: int = key(whole_of(0, 100_000_000), 0)

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
    """A Db2 data sharing group: its lock structure and group buffer pools. Percentages say how many lock requests meet contention, and
    how much of the contention is false; one costs `contention_cp_ms` and takes `contention_wait_ms`."""

    SHAPE: ClassVar[str] = "a data sharing group: keys group, lock, group_buffer_pools"

    group: str = key(name_of, "", need="the name of the group")
    line: int = 0
    lock: SharedStructure = part(SharedStructure, need="its lock structure")
    pools: Mapping[str, SharedStructure] = parts(SharedStructure, name="group_buffer_pools", longest=None)
    contention_pct: float = key(percent_of, 0.0)
    false_pct: float = key(percent_of, 0.0)
    contention_wait_ms: float = key(any_of, 0.0)
    contention_cp_ms: float = key(any_of, 0.0)
    queues: Mapping[str, MessageQueue] = parts(MessageQueue, longest=16)


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

    SHAPE: ClassVar[str] = "a class: {service_class: ONLINE, subsystem: CICS}"

    name: str
    line: int
    service_class: str = named("service_classes", "service class", need="the service class that it is part of")
    subsystem: str = key(text_of, "")
    system: str | None = named("systems", "system", default=None)
    mxt: int = key(whole_of(1, 2000), 0)
    itself_pct: float = key(number_of(0, 90), 0.0, name="cics_itself_pct")
    address_space: str = key(choice("MSTR", "DBM1", "IRLM", "DDF"), "")


@dataclass(frozen=True)
class Use:
    """What a unit of work takes in one class: milliseconds of general processor alone, of these in Db2 on the request's thread, eligible for zIIPs, and of DDF enclaves; waiting
    without a processor; lock requests; getpages by buffer pool; reads, writes and
    others (castout) by group buffer pool; messages put on a queue and taken off it; round trips and kilobytes by
    link."""

    SHAPE: ClassVar[str] = "what a unit takes: {cp_ms: 1}"

    line: int
    cp_ms: float = key(any_of, 0.0)
    db2_ms: float = key(any_of, 0.0)
    ziip_ms: float = key(any_of, 0.0)
    ddf_ms: float = key(any_of, 0.0)
    wait_ms: float = key(any_of, 0.0)
    locks: float = key(any_of, 0.0)
    getpages: Mapping[str, float] = numbers_of("buffer_pools", "buffer pool")
    gbp_reads: Mapping[str, float] = numbers_of("data_sharing.group_buffer_pools", "group buffer pool")
    gbp_writes: Mapping[str, float] = numbers_of("data_sharing.group_buffer_pools", "group buffer pool")
    gbp_others: Mapping[str, float] = numbers_of("data_sharing.group_buffer_pools", "group buffer pool")
    messages: Mapping[str, float] = numbers_of("data_sharing.queues", "queue")
    round_trips: Mapping[str, float] = numbers_of("links", "link")
    kilobytes: Mapping[str, float] = numbers_of("links", "link")

    @property
    def only_cp_ms(self) -> float:
        """General processor alone, with DDF's part of it."""
        return self.cp_ms + (1 - DDF_ELIGIBLE) * self.ddf_ms

    @property
    def eligible_ms(self) -> float:
        """Eligible for zIIPs, with DDF's part of it."""
        return self.ziip_ms + DDF_ELIGIBLE * self.ddf_ms


_THREADS = "a DB2ENTRY, the unit of work that making a thread is, and how many there may be"


@dataclass(frozen=True)
class Threads:
    """The DB2ENTRY of a workload: how many threads there may be, how many are kept for the next (PROTECTNUM), how often one is used again
    before it ends (REUSELIMIT, 0: no limit), how many a request uses one after the other, the calls on them, and the unit of work that
    making one is."""

    SHAPE: ClassVar[str] = "threads: keys entry, work, threadlimit, protectnum, reuselimit"

    entry: str = key(name_of, "", need=_THREADS)
    line: int = 0
    work: str = named("work", "unit of work", need=_THREADS)
    limit: int = key(whole_of(1, 2000), 2000, name="threadlimit", need=_THREADS)
    protectnum: int = key(whole_of(0, 2000), 0)
    reuselimit: int = key(whole_of(0, 10_000), 1000)
    uses: float = key(positive_of, 1.0)
    calls: float = key(any_of, 0.0)


@dataclass(frozen=True)
class Workload:
    """Requests of one kind: units of work in each, and the class that counts them as they end. With `system` they run there, else evenly on
    all systems of the configuration."""

    SHAPE: ClassVar[str] = "a workload: keys counted_by, request"

    name: str
    line: int
    counted_by: str = named("classes", "class", need="the class that counts its requests")
    request: Mapping[str, float] = numbers_of("work", "unit of work", need="units of work in a request")
    system: str | None = named("systems", "system", default=None)
    threads: Threads | None = part("threads")


@dataclass(frozen=True)
class Load:
    """How many requests of a workload come: clients that think between requests, or an arrival rate; one number for each step."""

    SHAPE: ClassVar[str] = "a load: {clients: 10, think_s: 1} or {rate_per_s: 100}"

    workload: str
    line: int
    clients: tuple[int, ...] = key(each_of(whole_of(1, 20_000)), ())
    think_s: float = key(any_of, 0.0)
    rate_per_s: tuple[float, ...] = key(each_of(positive_of), ())

    @property
    def steps(self) -> int:
        return len(self.clients or self.rate_per_s)


@dataclass(frozen=True)
class ModelConfiguration:
    """What a study compares: systems, loads by step, and whether Db2 shares data. `parameters` are those that JMH prints. With `hours` a step
    lasts so long, and the load follows the model's profile. `release` is another than the model's; `without`: coupling facilities that are
    down, their structures are in the next that is not."""

    SHAPE: ClassVar[str] = "a configuration: {load: {WORKLOAD: {clients: 10, think_s: 1}}}"

    name: str
    line: int
    systems: tuple[str, ...] = key(texts_of, ())
    loads: tuple[Load, ...] = part("loads", (), need="the loads of workloads", name="load")
    data_sharing: bool = key(yes_of, False)
    parameters: Mapping[str, str] = part("parameters", {})
    hours: int = key(whole_of(1, 100_000), 0)
    release: str = key(_RELEASE, "")
    without: tuple[str, ...] = key(texts_of, ())

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


REPORTS = (
    *(
        "workload_activity",
        "cpu_activity",
        "partition_data",
        "group_capacity",
        "overview",
        "cf_activity",
        "xcf_activity",
    ),
    *("device_activity", "channel_path_activity", "io_queuing", "cache_subsystem", "cics_statistics", "db2_statistics"),
    *("db2_group_statistics", "simulator", "monitoring", "cics_monitoring", "cics_servers", "db2_accounting", "jmh"),
)


@dataclass(frozen=True)
class Model:
    """A whole model; parts by name, in the order of the file."""

    SHAPE: ClassVar[str] = "a model: keys model, systems, classes, work, workloads, configurations, …"

    file: str
    name: str = key(text_of, "", name="model", need="the name of the model")
    start: dt.datetime = key(_moment, _NEVER, need="when the first report begins, such as 2015-02-10T10:00")
    sysplex: str = key(name_of, "PLEX1")
    release: str = key(_RELEASE, "V2R3")
    interval_s: int = key(whole_of(10, 5999), 60)
    step_intervals: int = key(whole_of(1, 10_000), 5)
    variation: float = key(number_of(0, 20), 1.0, name="variation_pct", per=100)
    reports: tuple[str, ...] = key(each_of(choice(*REPORTS)), ("workload_activity", "cpu_activity"))
    systems: Mapping[str, System] = parts("system", need="systems and their processors: SYSA: {cp: 3, ziip: 2}")
    machines: Mapping[str, Machine] = parts("machine")
    profile: Profile = part("profile", Profile())
    facilities: Mapping[str, CouplingFacility] = parts(CouplingFacility, name="coupling_facilities")
    links: Mapping[str, Link] = parts(Link)
    buffer_pools: Mapping[str, BufferPool] = parts("pool")
    input_output: InputOutput = part(InputOutput, InputOutput())
    data_sharing: DataSharing | None = part("sharing")
    service_classes: Mapping[str, ServiceClass] = parts("service_class", need="service classes and their goals")
    classes: Mapping[str, ReportClass] = parts("report_class", need="report classes, what processor time is charged to")
    work: Mapping[str, Mapping[str, Use]] = parts(
        "unit", need="units of work and what one takes in each class", longest=None
    )
    workloads: Mapping[str, Workload] = parts(
        Workload, need="workloads and the units of work in a request", longest=None
    )
    configurations: Mapping[str, ModelConfiguration] = parts(
        "configuration", need="configurations and their loads", longest=None
    )
    studies: tuple[StudyOf, ...] = part("studies", ())
