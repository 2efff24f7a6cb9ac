"""Content of the CICS statistics (DFHSTUP) of a region as a whole: transaction manager, dispatcher, transactions, classes, storage.

Source of the names: IBM CICS Transaction Server, "DFHSTUP name" of each statistic.
"""

from dataclasses import dataclass

import numpy as np

from .common import Numbers


@dataclass(frozen=True)
class TcbMode:
    """The TCBs of a mode, and their times since the last reset: waiting in z/OS, dispatched, on a processor, and of this in CICS' dispatcher."""

    name: str
    pool: str = "N/A"
    is_open: str = "NO"
    attached: Numbers = 1
    attached_peak: Numbers = 1
    in_use: Numbers = 1
    in_use_peak: Numbers = 1
    waits: Numbers = 0
    wait_s: Numbers = 0.0
    dispatch_s: Numbers = 0.0
    cpu_s: Numbers = 0.0
    dispatcher_cpu_s: Numbers = 0.0


@dataclass(frozen=True)
class Transaction:
    """A transaction: its tasks since the last reset."""

    name: str
    program: str
    transaction_class: str = ""
    attaches: Numbers = 0


@dataclass(frozen=True)
class TransactionClass:
    """A transaction class: its limits, and its tasks since the last reset."""

    name: str
    limit: int
    attaches: Numbers = 0
    active_peak: Numbers = 0
    active: Numbers = 0


@dataclass(frozen=True)
class StorageArea:
    """A dynamic storage area, in KiB."""

    name: str
    size: int
    cushion: int
    free: int
    getmains: Numbers = 0
    freemains: Numbers = 0


@dataclass(frozen=True)
class Region:
    """A region. `system_tasks`: tasks of CICS itself."""

    mxt: int
    active: Numbers = 0
    active_peak: Numbers = 0
    times_at_mxt: Numbers = 0
    system_tasks: Numbers = 0
    cpu_s: Numbers = 0.0
    srb_s: Numbers = 0.0
    modes: tuple[TcbMode, ...] = ()
    transactions: tuple[Transaction, ...] = ()
    classes: tuple[TransactionClass, ...] = ()
    below: tuple[StorageArea, ...] = ()
    above: tuple[StorageArea, ...] = ()

    @property
    def user_tasks(self) -> Numbers:
        return np.sum(np.broadcast_arrays(0, *(one.attaches for one in self.transactions)), axis=0)

    @property
    def tasks(self) -> Numbers:
        return self.user_tasks + self.system_tasks
