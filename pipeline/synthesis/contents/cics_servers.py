"""Content of the statistics of CICS servers of shared temporary storage.

Source of the names: IBM CICS Transaction Server for z/OS, the servers' messages and statistics.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .common import Numbers


@dataclass(frozen=True)
class Used:
    """Entries or elements of a structure: all, in use now and at most."""

    total: Numbers
    in_use: Numbers
    max_used: Numbers

    @property
    def free(self) -> Numbers:
        return self.total - self.in_use


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
    """The list structure of a pool. Objects are queues."""

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
    """Accesses to the structure since the last reset: to the index and to data, and the responses."""

    index_write_adjuncts: Numbers = 0
    index_inquires: Numbers = 0
    index_reads: Numbers = 0
    index_writes: Numbers = 0
    index_deletes: Numbers = 0
    data_creates: Numbers = 0
    data_writes: Numbers = 0
    data_reads: Numbers = 0
    data_rereads: Numbers = 0
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
class CicsServer:
    """The messages of a server: when it printed them (datetime64, local time, whole seconds), its pool and the accesses to it."""

    system: str
    job: str
    pool: str
    printed_at: NDArray[np.datetime64]
    structure: Pool
    accesses: Accesses
