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


@dataclass(frozen=True)
class BufferPool:
    """Local buffer pool activity. `number` as in BP0 or BP32K (0, 32K)."""

    number: str
    getpages: Numbers = 0
    getpages_random: Numbers = 0
    sync_reads_random: Numbers = 0
    sync_reads_sequential: Numbers = 0
    sequential_prefetches: Numbers = 0
    sequential_reads: Numbers = 0
    sequential_pages: Numbers = 0
    list_prefetches: Numbers = 0
    list_reads: Numbers = 0
    list_pages: Numbers = 0
    dynamic_prefetches: Numbers = 0
    dynamic_reads: Numbers = 0
    dynamic_pages: Numbers = 0
    updates: Numbers = 0
    pages_written: Numbers = 0
    sync_writes: Numbers = 0
    async_writes: Numbers = 0

    @property
    def synchronous_reads(self) -> Numbers:
        return self.sync_reads_random + self.sync_reads_sequential

    @property
    def hit_pct(self) -> Numbers:
        """BPOOL HIT RATIO: pages found in percent of getpages; negative ratios (excess prefetch) print as 0 here."""
        pages = self.synchronous_reads + self.sequential_pages + self.list_pages + self.dynamic_pages
        return 100 * np.maximum(ratio(self.getpages - pages, self.getpages), 0)

    def blocks(self) -> tuple[Block, Block]:
        """READ OPERATIONS and WRITE OPERATIONS."""
        read = (
            Counter("BPOOL HIT RATIO (%)", self.hit_pct, "percent"),
            _BLANK,
            Counter("GETPAGE REQUEST", self.getpages),
            Counter("GETPAGE REQUEST-SEQUENTIAL", self.getpages - self.getpages_random),
            Counter("GETPAGE REQUEST-RANDOM", self.getpages_random),
            _BLANK,
            Counter("SYNCHRONOUS READS", self.synchronous_reads),
            Counter("SYNC.READS-SEQUENTIAL", self.sync_reads_sequential),
            Counter("SYNC.READS-RANDOM", self.sync_reads_random),
            _BLANK,
            Counter("SEQUENTIAL PREFETCH REQUEST", self.sequential_prefetches),
            Counter("SEQUENTIAL PREFETCH READS", self.sequential_reads),
            Counter("PAGES READ VIA SEQ.PREFETCH", self.sequential_pages),
            _BLANK,
            Counter("LIST PREFETCH REQUESTS", self.list_prefetches),
            Counter("LIST PREFETCH READS", self.list_reads),
            Counter("PAGES READ VIA LIST PREFTCH", self.list_pages),
            _BLANK,
            Counter("DYNAMIC PREFETCH REQUESTED", self.dynamic_prefetches),
            Counter("DYNAMIC PREFETCH READS", self.dynamic_reads),
            Counter("PAGES READ VIA DYN.PREFETCH", self.dynamic_pages),
        )
        write = (
            Counter("BUFFER UPDATES", self.updates),
            Counter("PAGES WRITTEN", self.pages_written),
            _BLANK,
            Counter("SYNCHRONOUS WRITES", self.sync_writes),
            Counter("ASYNCHRONOUS WRITES", self.async_writes),
        )
        return Block(f"BP{self.number} READ OPERATIONS", read), Block(f"BP{self.number} WRITE OPERATIONS", write)


@dataclass(frozen=True)
class GroupBufferPool:
    """Group buffer pool activity of a member: synchronous reads after a cross-invalidation (xi) and of pages not found
    (nf), with and without data returned; pages written; castout; other requests by their kind."""

    number: str
    getpages: Numbers = 0
    xi_returned: Numbers = 0
    xi_not_returned: Numbers = 0
    nf_returned: Numbers = 0
    nf_not_returned: Numbers = 0
    register_page_list: Numbers = 0
    pages_from_prefetch: Numbers = 0
    unregister_page: Numbers = 0
    clean_sync: Numbers = 0
    clean_async: Numbers = 0
    changed_sync: Numbers = 0
    changed_async: Numbers = 0
    pages_castout: Numbers = 0
    unlock_castout: Numbers = 0
    read_castout_class: Numbers = 0
    read_directory_info: Numbers = 0
    read_storage_statistics: Numbers = 0
    register_page: Numbers = 0
    delete_name: Numbers = 0
    write_failed_no_storage: Numbers = 0
    castout_engine_not_available: Numbers = 0
    write_engine_not_available: Numbers = 0

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
                Counter("UNREGISTER PAGE", self.unregister_page),
                _BLANK,
                Counter("CLEAN PAGES SYNC.WRITTEN", self.clean_sync),
                Counter("CLEAN PAGES ASYNC.WRTN", self.clean_async),
                _BLANK,
                Counter("REG.PAGE LIST (RPL) REQUEST", self.register_page_list),
                Counter("NUMBER OF PAGES RETR.FROM GBP", self.pages_from_prefetch),
                _BLANK,
                Counter("PAGES CASTOUT", self.pages_castout),
                Counter("UNLOCK CASTOUT", self.unlock_castout),
                _BLANK,
                Counter("READ CASTOUT CLASS", self.read_castout_class),
                Counter("READ DIRECTORY INFO", self.read_directory_info),
                Counter("READ STORAGE STATISTICS", self.read_storage_statistics),
                Counter("REGISTER PAGE", self.register_page),
                Counter("DELETE NAME", self.delete_name),
                _BLANK,
                Counter("CHANGED PGS SYNC.WRTN", self.changed_sync),
                Counter("CHANGED PGS ASYNC.WRTN", self.changed_async),
                Counter("WRITE FAILED-NO STORAGE", self.write_failed_no_storage),
                Counter("CASTOUT ENGINE NOT AVAIL.", self.castout_engine_not_available),
                Counter("WRITE ENGINE NOT AVAILABLE", self.write_engine_not_available),
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
    class1_ziip_s: Numbers = 0.0
    class2_ziip_s: Numbers = 0.0


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
    """Locking of a member: suspensions, requests, and of data sharing what went to XES and was suspended there."""

    suspensions_lock: Numbers = 0
    suspensions_latch: Numbers = 0
    suspensions_other: Numbers = 0
    timeouts: Numbers = 0
    deadlocks: Numbers = 0
    lock_requests: Numbers = 0
    unlock_requests: Numbers = 0
    query_requests: Numbers = 0
    change_requests: Numbers = 0
    plock_lock_requests: Numbers = 0
    plock_unlock_requests: Numbers = 0
    plock_change_requests: Numbers = 0
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
        plocks = self.plock_lock_requests + self.plock_unlock_requests + self.plock_change_requests
        suspensions = self.suspensions_lock + self.suspensions_latch + self.suspensions_other
        locking = (
            Counter("SUSPENSIONS (ALL)", suspensions),
            Counter(" SUSPENSIONS (LOCK ONLY)", self.suspensions_lock),
            Counter(" SUSPENSIONS (IRLM LATCH)", self.suspensions_latch),
            Counter(" SUSPENSIONS (OTHER)", self.suspensions_other),
            _BLANK,
            Counter("TIMEOUTS", self.timeouts),
            Counter("DEADLOCKS", self.deadlocks),
            _BLANK,
            Counter("LOCK REQUESTS", self.lock_requests),
            Counter("UNLOCK REQUESTS", self.unlock_requests),
            Counter("QUERY REQUESTS", self.query_requests),
            Counter("CHANGE REQUESTS", self.change_requests),
        )
        sharing = (
            Counter("GLOBAL CONTENTION RATE (%)", 100 * ratio(suspends, xes + suspends), "percent"),
            Counter("FALSE CONTENTION RATE (%)", 100 * ratio(self.suspends_false, xes + suspends), "percent"),
            Counter("P/L-LOCKS XES RATE (%)", 100 * np.minimum(ratio(xes, local + plocks), 1), "percent"),
            _BLANK,
            Counter("LOCK REQUESTS (P-LOCKS)", self.plock_lock_requests),
            Counter("UNLOCK REQUESTS (P-LOCKS)", self.plock_unlock_requests),
            Counter("CHANGE REQUESTS (P-LOCKS)", self.plock_change_requests),
            _BLANK,
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
    others: tuple[Block, ...] = ()
    address_spaces: tuple[AddressSpace, ...] = ()
    version: str = "V13"
    product: str = "V5R4M0"

    def blocks(self) -> tuple[Block, ...]:
        """All blocks in the order of the report."""
        pools = (block for pool in self.buffer_pools for block in pool.blocks())
        groups = (pool.block() for pool in self.group_buffer_pools)
        return (*self.others, *(self.locking.blocks() if self.locking else ()), *pools, *groups)

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
