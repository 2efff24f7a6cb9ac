"""Content of the CICS statistics (DFHSTUP) of a region's Db2 connection.

Source of the names: IBM CICS Transaction Server, "DB2 statistics" of the performance guide.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cics_region import Region
from .common import Numbers


@dataclass(frozen=True)
class Threads:
    """Requests and threads of a DB2ENTRY or of the pool since the last reset; limits and peaks of threads, protected
    threads and tasks."""

    calls: Numbers = 0
    signons: Numbers = 0
    partial_signons: Numbers = 0
    commits: Numbers = 0
    aborts: Numbers = 0
    single_phases: Numbers = 0
    creates: Numbers = 0
    reuses: Numbers = 0
    terminates: Numbers = 0
    waits: Numbers = 0
    limit: int = 0
    current: Numbers = 0
    peak: Numbers = 0
    protected_limit: int = 0
    protected_current: Numbers = 0
    protected_peak: Numbers = 0
    tasks_current: Numbers = 0
    tasks_peak: Numbers = 0
    tasks_total: Numbers = 0


@dataclass(frozen=True)
class Db2Entry:
    """A DB2ENTRY: its plan and authorization, and its threads."""

    name: str
    threads: Threads
    plan: str = "N/A"
    auth_id: str = "N/A"


@dataclass(frozen=True)
class CicsDb2:
    """The Db2 sections of a region's statistics, below those of the region itself: a collection at each of the times `collected` (datetime64, whole seconds),
    its counters reset at `last_reset`."""

    applid: str
    collected: NDArray[np.datetime64]
    last_reset: NDArray[np.datetime64]
    entries: tuple[Db2Entry, ...]
    pool: Threads = Threads()
    jobname: str = ""
    tcbs: Numbers = 0
    tcbs_peak: Numbers = 0
    region: Region | None = None
