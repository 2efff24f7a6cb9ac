"""Content of the reports of OMEGAMON for Db2 Performance Expert for a member of a data sharing group: statistics and accounting.

Source of the labels: IBM OMEGAMON for Db2 Performance Expert Report Reference, "Statistics report and trace blocks". Counts of locking, of
buffer pools and of group buffer pools are given by label; of labels that are not given there is none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .common import Intervals, Numbers, Row, ratio


@dataclass(frozen=True)
class Counter:
    """A line of a block. kind: count (printed with its rates), percent, or blank."""

    label: str
    quantity: Numbers
    kind: str = "count"


@dataclass(frozen=True)
class Block:
    """A titled block of counters; an empty label is a blank line."""

    title: str
    counters: tuple[Counter, ...]


# Labels of blocks, with | between.
_LOCKING = (
    "SUSPENSIONS (ALL)| SUSPENSIONS (LOCK ONLY)| SUSPENSIONS (IRLM LATCH)| SUSPENSIONS (OTHER)||TIMEOUTS|DEADLOCKS||"
    "LOCK REQUESTS|UNLOCK REQUESTS|QUERY REQUESTS|CHANGE REQUESTS"
)
_SHARING = (
    "GLOBAL CONTENTION RATE (%)|FALSE CONTENTION RATE (%)|P/L-LOCKS XES RATE (%)||LOCK REQUESTS (P-LOCKS)|UNLOCK REQUESTS (P-LOCKS)|"
    "CHANGE REQUESTS (P-LOCKS)||SYNCH.XES - LOCK REQUESTS|SYNCH.XES - CHANGE REQUESTS|SYNCH.XES - UNLOCK REQUESTS||"
    "SUSPENDS - IRLM GLOBAL CONT|SUSPENDS - XES GLOBAL CONT.|SUSPENDS - FALSE CONT. MBR"
)
_READ = (
    "BPOOL HIT RATIO (%)||GETPAGE REQUEST|GETPAGE REQUEST-SEQUENTIAL|GETPAGE REQUEST-RANDOM||SYNCHRONOUS READS|SYNC.READS-SEQUENTIAL|"
    "SYNC.READS-RANDOM||SEQUENTIAL PREFETCH REQUEST|SEQUENTIAL PREFETCH READS|PAGES READ VIA SEQ.PREFETCH||LIST PREFETCH REQUESTS|"
    "LIST PREFETCH READS|PAGES READ VIA LIST PREFTCH||DYNAMIC PREFETCH REQUESTED|DYNAMIC PREFETCH READS|PAGES READ VIA DYN.PREFETCH"
)
_WRITE = "BUFFER UPDATES|PAGES WRITTEN||SYNCHRONOUS WRITES|ASYNCHRONOUS WRITES"
_GROUP = (
    "GBP SYN.READ HIT RATIO (%)|GBP-DEPENDENT GETPAGES|SYN.READ(XI)-DATA RETURNED|SYN.READ(XI)-NO DATA RETURN|SYN.READ(NF)-DATA RETURNED|"
    "SYN.READ(NF)-NO DATA RETURN|UNREGISTER PAGE||CLEAN PAGES SYNC.WRITTEN|CLEAN PAGES ASYNC.WRTN||REG.PAGE LIST (RPL) REQUEST|"
    "NUMBER OF PAGES RETR.FROM GBP||PAGES CASTOUT|UNLOCK CASTOUT||READ CASTOUT CLASS|READ DIRECTORY INFO|READ STORAGE STATISTICS|"
    "REGISTER PAGE|DELETE NAME||CHANGED PGS SYNC.WRTN|CHANGED PGS ASYNC.WRTN|WRITE FAILED-NO STORAGE|CASTOUT ENGINE NOT AVAIL.|"
    "WRITE ENGINE NOT AVAILABLE"
)
# Counts that are added up: requests, those of them that go to XES, and suspensions there.
REQUESTS = ("LOCK REQUESTS", "UNLOCK REQUESTS", "CHANGE REQUESTS")
XES = ("SYNCH.XES - LOCK REQUESTS", "SYNCH.XES - CHANGE REQUESTS", "SYNCH.XES - UNLOCK REQUESTS")
SUSPENDS = ("SUSPENDS - IRLM GLOBAL CONT", "SUSPENDS - XES GLOBAL CONT.", "SUSPENDS - FALSE CONT. MBR")
# Synchronous reads of a group buffer pool after a cross-invalidation (XI) and of pages not found (NF).
RETURNED = ("SYN.READ(XI)-DATA RETURNED", "SYN.READ(NF)-DATA RETURNED")
GROUP_READS = (RETURNED[0], "SYN.READ(XI)-NO DATA RETURN", RETURNED[1], "SYN.READ(NF)-NO DATA RETURN")


def _block(title: str, labels: str, counts: Row, **percents: Numbers) -> Block:
    """A block; the first labels are those of `percents`."""
    shares, counters = list(percents.values()), list[Counter]()
    for number, label in enumerate(labels.split("|")):
        if number < len(shares):
            counters.append(Counter(label, shares[number], "percent"))
        else:
            counters.append(Counter(label, counts.get(label, 0), "count" if label else "blank"))
    return Block(title, tuple(counters))


def _sum(counts: Row, labels: Sequence[str]) -> Numbers:
    return sum(counts[label] for label in labels)


def _sharing(title: str, counts: Row) -> Block:
    xes, suspends, local = (_sum(counts, labels) for labels in (XES, SUSPENDS, REQUESTS))
    every, false = xes + suspends, counts[SUSPENDS[-1]]
    rate = 100 * np.minimum(ratio(xes, local), 1)
    shares = {"contention": 100 * ratio(suspends, every), "false": 100 * ratio(false, every), "xes": rate}
    return _block(title, _SHARING, counts, **shares)


def _group_pool(number: str, counts: Row) -> Block:
    hit = 100 * ratio(_sum(counts, RETURNED), _sum(counts, GROUP_READS))
    return _block(f"GROUP BP{number}", _GROUP, counts, hit=hit)


def _pool(number: str, counts: Row) -> tuple[Block, Block]:
    getpages, reads = counts["GETPAGE REQUEST"], counts["SYNCHRONOUS READS"]
    hit = 100 * np.maximum(ratio(getpages - reads, getpages), 0)
    read = _block(f"BP{number} READ OPERATIONS", _READ, counts, hit=hit)
    return read, _block(f"BP{number} WRITE OPERATIONS", _WRITE, counts)


@dataclass(frozen=True)
class AddressSpace:
    """Processor time of an address space of a member: MSTR, DBM1, IRLM or DDF; seconds of TCBs, preemptible and other SRBs, and on zIIPs."""

    name: str
    tcb_s: Numbers
    preemptible_s: Numbers
    other_srb_s: Numbers
    ziip_s: Numbers = 0.0


@dataclass(frozen=True)
class Db2Accounting:
    """The accounting report of a member, a connection after the other: means of an occurrence in seconds. Class 1 is application and Db2,
    class 2 Db2 alone, class 3 its waits."""

    location: str
    group: str
    member: str
    intervals: Intervals
    connections: Sequence[Row]
    version: str = "V12"
    product: str = "V5R4M0"


@dataclass(frozen=True)
class Db2Statistics:
    """The long statistics report of one member: an interval each, side by side the blocks two and two. Rates by thread and
    commit divide by `threads` and `commits`. Pools by number, as in BP0 or BP32K (0, 32K)."""

    location: str
    group: str
    member: str
    intervals: Intervals
    threads: Numbers
    commits: Numbers
    locking: Row | None = None
    buffer_pools: Mapping[str, Row] = field(default_factory=dict)
    group_buffer_pools: Mapping[str, Row] = field(default_factory=dict)
    address_spaces: tuple[AddressSpace, ...] = ()
    version: str = "V13"
    product: str = "V5R4M0"

    def blocks(self) -> tuple[Block, ...]:
        """All blocks in the order of the report."""
        locks = self.locking
        locking = (
            (_block("LOCKING ACTIVITY", _LOCKING, locks), _sharing("DATA SHARING LOCKING", locks)) if locks else ()
        )
        pools = (block for one in self.buffer_pools.items() for block in _pool(*one))
        return (*locking, *pools, *self._groups())

    def shared_blocks(self) -> tuple[Block, ...]:
        """Those of the short report of a group."""
        return (*((_sharing("DATA SHARING LOCKS", self.locking),) if self.locking else ()), *self._groups())

    def _groups(self) -> tuple[Block, ...]:
        return tuple(_group_pool(*one) for one in self.group_buffer_pools.items())


def group_of(members: Sequence[Db2Statistics]) -> Db2Statistics:
    """The sums of members that have the same group buffer pools."""
    locking = [one.locking for one in members if one.locking]
    return replace(
        members[0],
        member="",
        threads=sum((np.asarray(one.threads) for one in members), np.zeros(1)),
        commits=sum((np.asarray(one.commits) for one in members), np.zeros(1)),
        locking=_added(locking) if locking else None,
        group_buffer_pools={
            number: _added([one.group_buffer_pools[number] for one in members])
            for number in members[0].group_buffer_pools
        },
    )


def _added(parts: Sequence[Row]) -> Row:
    return {label: sum(np.asarray(one[label]) for one in parts) for label in parts[0]}
