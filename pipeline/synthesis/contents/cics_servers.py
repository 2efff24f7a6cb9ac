"""Content of the statistics of CICS servers: coupling facility data tables, named counters, shared temporary storage.

Source of the names: IBM CICS Transaction Server for z/OS, messages DFHCF0432I, DFHNC0431I, DFHNC0432I, and the servers' statistics.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .common import Numbers

ServerKind = Literal["data_table", "named_counter", "shared_ts"]


@dataclass(frozen=True)
class Used:
    """Entries or elements of a structure: all, in use now and at most. `reserve` is kept for requests that free others."""

    total: Numbers
    in_use: Numbers
    max_used: Numbers
    reserve: Numbers = 0

    @property
    def free(self) -> Numbers:
        return self.total - self.in_use

    @property
    def min_free(self) -> Numbers:
        return self.total - self.max_used


@dataclass(frozen=True)
class Lists:
    """List headers of a structure: all, those in use for control information and for data, and the most in use."""

    total: Numbers
    control: Numbers
    data: Numbers
    max_used: Numbers

    @property
    def in_use(self) -> Numbers:
        return self.control + self.data


@dataclass(frozen=True)
class Pool:
    """The list structure of a pool. Objects are tables or queues; a pool of named counters has neither objects nor lists nor elements."""

    size_kb: int
    max_size_kb: int
    entries: Used
    element_bytes: int = 256
    objects: Numbers = 0
    objects_highest: Numbers = 0
    lists: Lists = Lists(0, 0, 0, 0)
    elements: Used = Used(0, 0, 0)


@dataclass(frozen=True)
class Accesses:
    """Accesses to the structure since the last reset: to counters, to the index and to data, and the responses."""

    creates: Numbers = 0
    gets: Numbers = 0
    sets: Numbers = 0
    deletes: Numbers = 0
    inquires: Numbers = 0
    browses: Numbers = 0
    index_write_adjuncts: Numbers = 0
    index_inquires: Numbers = 0
    index_reads: Numbers = 0
    index_writes: Numbers = 0
    index_deletes: Numbers = 0
    data_creates: Numbers = 0
    data_writes: Numbers = 0
    data_reads: Numbers = 0
    data_rereads: Numbers = 0
    data_rewrites: Numbers = 0
    data_deletes: Numbers = 0
    asynchronous: Numbers = 0
    unavailable: Numbers = 0
    normal: Numbers = 0
    timed_out: Numbers = 0
    not_found: Numbers = 0
    version_failed: Numbers = 0
    list_failed: Numbers = 0
    list_full: Numbers = 0
    structure_full: Numbers = 0
    errors: Numbers = 0


@dataclass(frozen=True)
class TableRequests:
    """Requests to a data table since the last reset; without a `name` those of all tables of the server, with its units of work."""

    name: str = ""
    opens: Numbers = 0
    closes: Numbers = 0
    attribute_sets: Numbers = 0
    table_deletes: Numbers = 0
    statistics: Numbers = 0
    points: Numbers = 0
    highest: Numbers = 0
    reads: Numbers = 0
    read_deletes: Numbers = 0
    unlocks: Numbers = 0
    loads: Numbers = 0
    writes: Numbers = 0
    rewrites: Numbers = 0
    deletes: Numbers = 0
    generic_deletes: Numbers = 0
    prepares: Numbers = 0
    retains: Numbers = 0
    commits: Numbers = 0
    backouts: Numbers = 0
    unit_inquires: Numbers = 0
    restarts: Numbers = 0


@dataclass(frozen=True)
class CicsServer:
    """The messages of a server: when it printed them (datetime64, local time, whole seconds), its pool and the accesses to it; of data
    tables also the requests to each table, and to all as the last."""

    kind: ServerKind
    system: str
    job: str
    pool: str
    printed_at: NDArray[np.datetime64]
    structure: Pool
    accesses: Accesses
    requests: tuple[TableRequests, ...] = ()
