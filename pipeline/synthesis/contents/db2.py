"""Content of the statistics report of OMEGAMON for Db2 Performance Expert for a member of a data sharing group.

Source of the labels: IBM OMEGAMON for Db2 Performance Expert Report Reference, "Statistics report and trace blocks".
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from .common import Intervals, Numbers, ratio


@dataclass(frozen=True)
class Counter:
    """A line of a block. kind: count (printed with its rates), level (a peak or limit: rates are N/A) or percent."""

    label: str
    quantity: Numbers
    kind: str = "count"


@dataclass(frozen=True)
class Block:
    """A titled block of counters; an empty label is a blank line."""

    title: str
    counters: tuple[Counter, ...]


_BLANK = Counter("", 0, "blank")


def _nothing(*labels: str) -> tuple[Counter, ...]:
    """Counters of what models have none of; an empty label is a blank line."""
    return tuple(Counter(label, 0) if label else _BLANK for label in labels)


_PREFETCHES = _nothing(
    *("", "SEQUENTIAL PREFETCH REQUEST", "SEQUENTIAL PREFETCH READS", "PAGES READ VIA SEQ.PREFETCH"),
    *("", "LIST PREFETCH REQUESTS", "LIST PREFETCH READS", "PAGES READ VIA LIST PREFTCH"),
    *("", "DYNAMIC PREFETCH REQUESTED", "DYNAMIC PREFETCH READS", "PAGES READ VIA DYN.PREFETCH"),
)
_WRITES = _nothing("BUFFER UPDATES", "PAGES WRITTEN", "", "SYNCHRONOUS WRITES", "ASYNCHRONOUS WRITES")


@dataclass(frozen=True)
class BufferPool:
    """Local buffer pool activity, without prefetch and writes. `number` as in BP0 or BP32K (0, 32K)."""

    number: str
    getpages: Numbers = 0
    getpages_random: Numbers = 0
    sync_reads_random: Numbers = 0

    def blocks(self) -> tuple[Block, Block]:
        """READ OPERATIONS and WRITE OPERATIONS."""
        hits = ratio(self.getpages - self.sync_reads_random, self.getpages)
        read = (
            Counter("BPOOL HIT RATIO (%)", 100 * np.maximum(hits, 0), "percent"),
            _BLANK,
            Counter("GETPAGE REQUEST", self.getpages),
            Counter("GETPAGE REQUEST-SEQUENTIAL", self.getpages - self.getpages_random),
            Counter("GETPAGE REQUEST-RANDOM", self.getpages_random),
            _BLANK,
            Counter("SYNCHRONOUS READS", self.sync_reads_random),
            *_nothing("SYNC.READS-SEQUENTIAL"),
            Counter("SYNC.READS-RANDOM", self.sync_reads_random),
            *_PREFETCHES,
        )
        return Block(f"BP{self.number} READ OPERATIONS", read), Block(f"BP{self.number} WRITE OPERATIONS", _WRITES)


@dataclass(frozen=True)
class GroupBufferPool:
    """Group buffer pool activity of a member: synchronous reads after a cross-invalidation (xi) and of pages not found
    (nf), with and without data returned; changed pages written; castout."""

    number: str
    getpages: Numbers = 0
    xi_returned: Numbers = 0
    xi_not_returned: Numbers = 0
    nf_returned: Numbers = 0
    nf_not_returned: Numbers = 0
    changed_sync: Numbers = 0
    pages_castout: Numbers = 0
    unlock_castout: Numbers = 0

    def block(self) -> Block:
        """GROUP BPnn."""
        reads = self.xi_returned + self.xi_not_returned + self.nf_returned + self.nf_not_returned
        hit = 100 * ratio(self.xi_returned + self.nf_returned, reads)
        return Block(
            f"GROUP BP{self.number}",
            (
                Counter("GBP SYN.READ HIT RATIO (%)", hit, "percent"),
                Counter("GBP-DEPENDENT GETPAGES", self.getpages),
                Counter("SYN.READ(XI)-DATA RETURNED", self.xi_returned),
                Counter("SYN.READ(XI)-NO DATA RETURN", self.xi_not_returned),
                Counter("SYN.READ(NF)-DATA RETURNED", self.nf_returned),
                Counter("SYN.READ(NF)-NO DATA RETURN", self.nf_not_returned),
                *_nothing("UNREGISTER PAGE", "", "CLEAN PAGES SYNC.WRITTEN", "CLEAN PAGES ASYNC.WRTN"),
                *_nothing("", "REG.PAGE LIST (RPL) REQUEST", "NUMBER OF PAGES RETR.FROM GBP", ""),
                Counter("PAGES CASTOUT", self.pages_castout),
                Counter("UNLOCK CASTOUT", self.unlock_castout),
                *_nothing("", "READ CASTOUT CLASS", "READ DIRECTORY INFO", "READ STORAGE STATISTICS", "REGISTER PAGE"),
                *_nothing("DELETE NAME", ""),
                Counter("CHANGED PGS SYNC.WRTN", self.changed_sync),
                *_nothing("CHANGED PGS ASYNC.WRTN", "WRITE FAILED-NO STORAGE", "CASTOUT ENGINE NOT AVAIL."),
                *_nothing("WRITE ENGINE NOT AVAILABLE"),
            ),
        )


@dataclass(frozen=True)
class AddressSpace:
    """Processor time of an address space of a member: MSTR, DBM1, IRLM or DDF; seconds of TCBs, preemptible and other SRBs, and on zIIPs."""

    name: str
    tcb_s: Numbers
    preemptible_s: Numbers
    other_srb_s: Numbers
    ziip_s: Numbers = 0.0

    @property
    def cp_s(self) -> Numbers:
        return self.tcb_s + self.preemptible_s + self.other_srb_s


@dataclass(frozen=True)
class Accounting:
    """What accounting says of the threads of a connection: means of an occurrence in seconds. Class 1 is application and Db2, class 2
    Db2 alone, class 3 its waits."""

    connection: str
    conntype: str
    plan: str
    occurrences: Numbers
    commits: Numbers
    class1_elapsed_s: Numbers
    class2_elapsed_s: Numbers
    class1_cp_s: Numbers
    class2_cp_s: Numbers
    class3_s: Numbers
    lock_wait_s: Numbers = 0.0


@dataclass(frozen=True)
class Db2Accounting:
    """The accounting report of a member, a connection after the other."""

    location: str
    group: str
    member: str
    intervals: Intervals
    connections: tuple[Accounting, ...]
    version: str = "V12"
    product: str = "V5R4M0"


@dataclass(frozen=True)
class Locking:
    """Locking of a member, without latches and P-locks: suspensions, requests, and of data sharing what went to XES and was suspended there."""

    suspensions_lock: Numbers = 0
    lock_requests: Numbers = 0
    unlock_requests: Numbers = 0
    change_requests: Numbers = 0
    xes_lock_requests: Numbers = 0
    xes_change_requests: Numbers = 0
    xes_unlock_requests: Numbers = 0
    suspends_irlm: Numbers = 0
    suspends_xes: Numbers = 0
    suspends_false: Numbers = 0

    def blocks(self) -> tuple[Block, Block]:
        """LOCKING ACTIVITY and DATA SHARING LOCKING."""
        xes = self.xes_lock_requests + self.xes_change_requests + self.xes_unlock_requests
        suspends = self.suspends_irlm + self.suspends_xes + self.suspends_false
        local = self.lock_requests + self.unlock_requests + self.change_requests
        locking = (
            Counter("SUSPENSIONS (ALL)", self.suspensions_lock),
            Counter(" SUSPENSIONS (LOCK ONLY)", self.suspensions_lock),
            *_nothing(" SUSPENSIONS (IRLM LATCH)", " SUSPENSIONS (OTHER)", "", "TIMEOUTS", "DEADLOCKS", ""),
            Counter("LOCK REQUESTS", self.lock_requests),
            Counter("UNLOCK REQUESTS", self.unlock_requests),
            *_nothing("QUERY REQUESTS"),
            Counter("CHANGE REQUESTS", self.change_requests),
        )
        sharing = (
            Counter("GLOBAL CONTENTION RATE (%)", 100 * ratio(suspends, xes + suspends), "percent"),
            Counter("FALSE CONTENTION RATE (%)", 100 * ratio(self.suspends_false, xes + suspends), "percent"),
            Counter("P/L-LOCKS XES RATE (%)", 100 * np.minimum(ratio(xes, local), 1), "percent"),
            *_nothing("", "LOCK REQUESTS (P-LOCKS)", "UNLOCK REQUESTS (P-LOCKS)", "CHANGE REQUESTS (P-LOCKS)", ""),
            Counter("SYNCH.XES - LOCK REQUESTS", self.xes_lock_requests),
            Counter("SYNCH.XES - CHANGE REQUESTS", self.xes_change_requests),
            Counter("SYNCH.XES - UNLOCK REQUESTS", self.xes_unlock_requests),
            _BLANK,
            Counter("SUSPENDS - IRLM GLOBAL CONT", self.suspends_irlm),
            Counter("SUSPENDS - XES GLOBAL CONT.", self.suspends_xes),
            Counter("SUSPENDS - FALSE CONT. MBR", self.suspends_false),
        )
        return Block("LOCKING ACTIVITY", locking), Block("DATA SHARING LOCKING", sharing)


@dataclass(frozen=True)
class Db2Statistics:
    """The long statistics report of one member: an interval each, side by side the blocks two and two. Rates by thread and
    commit divide by `threads` and `commits`."""

    location: str
    group: str
    member: str
    intervals: Intervals
    threads: Numbers
    commits: Numbers
    locking: Locking | None = None
    buffer_pools: tuple[BufferPool, ...] = ()
    group_buffer_pools: tuple[GroupBufferPool, ...] = ()
    address_spaces: tuple[AddressSpace, ...] = ()
    version: str = "V13"
    product: str = "V5R4M0"

    def blocks(self) -> tuple[Block, ...]:
        """All blocks in the order of the report."""
        pools = (block for pool in self.buffer_pools for block in pool.blocks())
        groups = (pool.block() for pool in self.group_buffer_pools)
        return (*(self.locking.blocks() if self.locking else ()), *pools, *groups)

    def shared_blocks(self) -> tuple[Block, ...]:
        """Those of the short report of a group."""
        sharing = self.locking.blocks()[1].counters if self.locking else ()
        locks = (Block("DATA SHARING LOCKS", sharing),) if sharing else ()
        return (*locks, *(pool.block() for pool in self.group_buffer_pools))


_Counts = TypeVar("_Counts", Locking, GroupBufferPool)


def group_of(members: Sequence[Db2Statistics]) -> Db2Statistics:
    """The sums of members that have the same group buffer pools."""
    first = members[0]
    locking = [one.locking for one in members if one.locking]
    return replace(
        first,
        member="",
        threads=sum((np.asarray(one.threads) for one in members), np.zeros(1)),
        commits=sum((np.asarray(one.commits) for one in members), np.zeros(1)),
        locking=_sum(locking) if locking else None,
        group_buffer_pools=tuple(
            _sum(pools) for pools in zip(*(one.group_buffer_pools for one in members), strict=True)
        ),
    )


def _sum(parts: Sequence[_Counts]) -> _Counts:
    counts = [one.name for one in fields(parts[0]) if one.name != "number"]
    return replace(parts[0], **{name: sum(np.asarray(getattr(one, name)) for one in parts) for name in counts})
