"""Db2 of a solved step: its statistics, the coupling facilities that it shares data in, and CICS' threads to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .contents.common import Line, Row, SystemReport
from .contents.coupling_facility import SYNCHRONOUS, CouplingFacility, Structure
from .contents.db2 import GROUP_READS, REQUESTS, SUSPENDS, XES, Db2Statistics
from .fill_cics import address_spaces, region, region_names
from .filling import Array, StepIntervals
from .model import DataSharing, MessageQueue
from .running import WorkloadOnSystem

_MEGABYTE = 1024**2
_LOCK_BYTES, _POOL_BYTES = 32 * _MEGABYTE, 128 * _MEGABYTE
# Standard deviation of service times, relative to the mean.
_SPREAD = 0.4
# Shares of lock and change requests to a lock structure (the rest unlocks), and of castout in other group buffer pool requests.
_LOCKING, _CHANGING, _CASTOUT = 0.55, 0.05, 0.4
# Labels of group buffer pools.
_CHANGED, _CASTOUTS, _UNLOCKED = "CHANGED PGS SYNC.WRTN", "PAGES CASTOUT", "UNLOCK CASTOUT"


def _part_of(whole: Array, share: float) -> Array:
    """A share of a count, whole."""
    return np.floor(whole * share + 0.5)


# --- Coupling facilities ----------------------------------------------------------------------------------------------


def coupling_facilities(part: StepIntervals) -> list[CouplingFacility]:
    """The Coupling Facility Activity report of each facility that structures are in."""
    sharing = part.solved.step.sharing
    if not sharing:
        return []
    down = part.configuration.without
    return [_facility(part, sharing, name) for name in part.model.facilities if name not in down]


def _facility(part: StepIntervals, sharing: DataSharing, name: str) -> CouplingFacility:
    one = part.model.facilities[name]
    structures = [message_queue(part, queue) for queue in sharing.queues.values() if queue.facility == name]
    if sharing.lock.facility == name:
        structures.append(_lock_structure(part, sharing))
    structures += [_cache_structure(part, sharing, pool) for pool, s in sharing.pools.items() if s.facility == name]
    return CouplingFacility(
        name,
        part.model.sysplex,
        part.release,
        part.intervals,
        tuple(structures),
        tuple(part.configuration.systems),
        submodel=one.model,
        level=one.level,
        processors=one.processors,
        processors_effective=float(one.processors),
        utilization_pct=100 * part.per_s("cf_busy", name) / one.processors,
    )


def message_queue(part: StepIntervals, queue: MessageQueue) -> Structure:
    """A list structure with messages. Those kept at the same time are their rate times how long one is kept (Little's law); what does not
    fit is in storage class memory: then each message goes out to it and comes back."""
    systems = part.configuration.systems
    each = [part.count("messages", queue.name, system) for system in systems]
    messages = np.sum(each, axis=0)
    kept = np.minimum(messages / part.length_s * queue.kept_s, queue.room + queue.memory_room)
    out = np.floor(np.maximum(kept - queue.room, 0.0) + 0.5)
    memory = None
    # A list element holds 256 bytes.
    elements = np.ceil(queue.kilobytes * 4)
    if queue.memory_mb:
        moved = np.where(out > 0, messages, 0.0)
        used_pct = 100 * out / queue.memory_room
        most = np.floor(queue.memory_room + 0.5)
        # Fiftieth part: chosen.
        space = {
            "memory_max_bytes": queue.memory_mb * _MEGABYTE,
            "augmented_max_bytes": queue.memory_mb * _MEGABYTE // 50,
        }
        space |= dict.fromkeys(("memory_used_pct", "augmented_used_pct"), used_pct)
        entries = {"list_entries_max": most, "list_entries_current": out}
        entries |= {"list_elements_max": most * elements, "list_elements_current": out * elements}
        bytes_ = dict.fromkeys(("read_bytes", "write_bytes"), moved * queue.kilobytes * 1024)
        memory = space | entries | dict.fromkeys(("reads", "writes"), moved) | bytes_
    held, room = np.floor(kept - out + 0.5), np.floor(queue.room / queue.FILLED + 0.5)
    requests = np.asarray(2 * messages)
    return Structure(
        queue.name,
        "LIST",
        queue.storage_mb * _MEGABYTE,
        [_requests(part, queue.name, s, 2 * n) for s, n in zip(systems, each, strict=True)],
        _utilization_pct(part, queue.name, queue.facility, requests, queue.service_us),
        {"list_directory_entries_total": room, "data_elements_total": room * elements},
        {"list_directory_entries_current": held, "data_elements_current": held * elements},
        memory=memory,
    )


def _requests(part: StepIntervals, structure: str, system: str, requests: Array) -> Row:
    """Requests of a system to a structure, all synchronous."""
    service_us = part.per_s("cf_service_us", structure)
    return {"system": system} | dict(zip(SYNCHRONOUS, (requests, service_us, _SPREAD * service_us), strict=True))


def _utilization_pct(part: StepIntervals, structure: str, facility: str, requests: Array, service_us: float) -> Array:
    """The structure's share of the processor time that the facility used."""
    used = part.per_s("cf_busy", facility) * part.length_s * 1e6
    return 100 * np.minimum(requests * service_us / np.maximum(used, 1e-9), 1.0)


def _lock_structure(part: StepIntervals, sharing: DataSharing) -> Structure:
    systems, lock = [], sharing.lock
    for system in part.configuration.systems:
        requests = part.count("locks", system)
        contentions = _part_of(requests, sharing.contention_pct / 100)
        row = _requests(part, lock.name, system, requests) | {"contention_requests": requests}
        row |= dict.fromkeys(("contention_deferred", "contention_total"), contentions)
        systems.append(row | {"contention_false": _part_of(contentions, sharing.false_pct / 100)})
    everything = sum((one["contention_requests"] for one in systems), np.zeros(len(part.drawn)))
    used = _utilization_pct(part, lock.name, lock.facility, np.asarray(everything), lock.service_us)
    entries = {"lock_entries_total": 4_194_304}, {"lock_entries_current": 20_000}
    return Structure(lock.name, "LOCK", _LOCK_BYTES, systems, used, *entries)


def _cache_structure(part: StepIntervals, sharing: DataSharing, pool: str) -> Structure:
    structure, systems = sharing.pools[pool], part.configuration.systems
    members = [_group_pool(part, sharing, pool, system) for system in systems]
    requests = [_accesses(member) for member in members]
    everything = sum(requests, np.zeros(len(part.drawn)))
    return Structure(
        structure.name,
        "CACHE",
        _POOL_BYTES,
        [_requests(part, structure.name, s, n) for s, n in zip(systems, requests, strict=True)],
        _utilization_pct(part, structure.name, structure.facility, everything, structure.service_us),
        {"list_directory_entries_total": 100_000, "data_elements_total": 25_000},
        {"list_directory_entries_current": 40_000, "data_elements_current": 20_000},
        {
            "READS": sum(_reads(member) for member in members),
            "WRITES": sum(member[_CHANGED] for member in members),
            "CASTOUTS": sum(member[_CASTOUTS] for member in members),
            "XI'S": sum(member[GROUP_READS[0]] + member[GROUP_READS[1]] for member in members),
        },
    )


# --- Db2 statistics ---------------------------------------------------------------------------------------------------


def db2_statistics(part: StepIntervals) -> list[Db2Statistics]:
    """The statistics report of each member of the group, one per system."""
    sharing = part.model.data_sharing
    if not sharing:
        return []
    shares = part.configuration.data_sharing
    found = []
    for number, system in enumerate(part.configuration.systems, 1):
        places = [place for place in part.solved.step.places if place.system == system]
        commits = sum((part.count("rate", p.workload.name, p.system) for p in places), np.zeros(len(part.drawn)))
        pools = {name.removeprefix("BP"): _buffer_pool(part, name, system) for name in part.model.buffer_pools}
        shared = sharing.pools if shares else ()
        groups = {name.removeprefix("BP"): _group_pool(part, sharing, name, system) for name in shared}
        member = f"{sharing.group[:7]}{number}"
        locking = _locking(part, sharing, system) if shares else None
        found.append(
            Db2Statistics(
                sharing.group,
                sharing.group,
                member,
                part.intervals,
                commits,
                commits,
                locking,
                pools,
                groups,
                address_spaces=address_spaces(part, system),
            )
        )
    return found


def _buffer_pool(part: StepIntervals, name: str, system: str) -> Row:
    """Reads of a local buffer pool, all of them random."""
    getpages, reads = part.count("getpages", name, system), part.count("reads", name, system)
    found: Row = dict.fromkeys(("GETPAGE REQUEST", "GETPAGE REQUEST-RANDOM"), getpages)
    return found | dict.fromkeys(("SYNCHRONOUS READS", "SYNC.READS-RANDOM"), reads)


def _group_pool(part: StepIntervals, sharing: DataSharing, name: str, system: str) -> Row:
    """Requests of a member to a group buffer pool: reads by outcome, changed pages, castout and other requests."""
    structure = sharing.pools[name]
    reads, others = part.count("gbp_reads", name, system), part.count("gbp_others", name, system)
    returned, invalidated = _part_of(reads, structure.hit_pct / 100), _part_of(reads, structure.invalidated_pct / 100)
    # After a cross-invalidation the page is usually there: the member that changed it wrote it.
    xi_returned = np.minimum(returned, _part_of(invalidated, 0.9))
    xi_not_returned = np.minimum(invalidated - xi_returned, reads - returned)
    nf_returned = returned - xi_returned
    castout = _part_of(others, _CASTOUT)
    missed = reads - xi_returned - xi_not_returned - nf_returned
    found = dict(zip(GROUP_READS, (xi_returned, xi_not_returned, nf_returned, missed), strict=True))
    found |= {"GBP-DEPENDENT GETPAGES": part.count("getpages", name, system)}
    return found | {_CHANGED: part.count("gbp_writes", name, system), _CASTOUTS: castout, _UNLOCKED: others - castout}


def castout_pages(part: StepIntervals, name: str, system: str) -> Array:
    """Pages of a buffer pool that the member on a system casts out; none where data is not shared."""
    sharing = part.solved.step.sharing
    if not (sharing and name in sharing.pools):
        return np.zeros(len(part.drawn))
    return np.asarray(_group_pool(part, sharing, name, system)[_CASTOUTS])


def _reads(pool: Row) -> Array:
    return np.asarray(sum(pool[label] for label in GROUP_READS))


def _accesses(pool: Row) -> Array:
    """All requests to the structure, as RMF counts them."""
    return np.asarray(_reads(pool) + pool[_CHANGED] + pool[_CASTOUTS] + pool[_UNLOCKED])


def _locking(part: StepIntervals, sharing: DataSharing, system: str) -> Row:
    """Locks sent to XES are the requests to the lock structure; each contention suspends."""
    requests = part.count("locks", system)
    locks, changes = _part_of(requests, _LOCKING), _part_of(requests, _CHANGING)
    contentions = _part_of(requests, sharing.contention_pct / 100)
    false = _part_of(contentions, sharing.false_pct / 100)
    xes = _part_of(contentions - false, 0.2)
    unlocks = requests - locks - changes
    suspensions: Row = dict.fromkeys(("SUSPENSIONS (ALL)", " SUSPENSIONS (LOCK ONLY)"), contentions)
    asked = dict(zip(REQUESTS, (locks * 2, unlocks, changes), strict=True))
    in_xes = dict(zip(XES, (locks, changes, unlocks), strict=True))
    return suspensions | asked | in_xes | dict(zip(SUSPENDS, (contentions - false - xes, xes, false), strict=True))


# --- CICS -------------------------------------------------------------------------------------------------------------


def cics_statistics(part: StepIntervals) -> list[SystemReport]:
    """The statistics of each region: a workload with threads on a system is one. Collected as RMF's intervals end."""
    starts = part.intervals.start
    collected = starts + np.timedelta64(part.model.interval_s, "s")
    return [
        part.report("cics_statistics", name, [*region(part, place), *_db2(part, place)], collected=collected)
        for place, name in region_names(part)
    ]


def _db2(part: StepIntervals, place: WorkloadOnSystem) -> Iterator[Line]:
    """The connection, whose pool and command threads nothing uses, and the DB2ENTRY of the workload, if it has one."""
    connection = {"db2_connection_name": "DB2CONN", "db2_sysid": "DB2A", "db2_group_id": "", "db2_release": "12.1.0"}
    connection |= {"connect_time": "06:00:00.00000", "tcb_limit": 120, "pool_plan": "N/A", "command_thread_limit": 1}
    yield "CICS DB2 CONNECTION STATISTICS", [("CONNECTION_NAME_ROW", connection)]
    declared, key = place.workload.threads, (place.workload.name, place.system)
    if not declared:
        return
    entry = {"db2entry": declared.entry}
    settings = {"plan": declared.entry, "plan_exit": "N/A", "authid": "CICSUSER", "authtype": "USERID"}
    settings |= {"account_records": "UOW", "thread_wait": "POOL", "thread_priority": "HIGH"}
    yield "DB2ENTRY STATISTICS - RESOURCES", [("RESOURCE_ROW", entry | settings)]
    uses, tasks = part.count("thread_uses", *key), part.count("rate", *key)
    creates = np.minimum(part.count("thread_makes", *key), uses)
    requests = {
        "calls": _part_of(tasks, declared.calls),
        "single_phase": uses,
        "thread_creates": creates,
        "thread_reuses": uses - creates,
        "thread_terminates": creates,
        "thread_waits_or_overflows": part.count("thread_waits", *key),
    }
    yield "DB2ENTRY STATISTICS - REQUESTS", [("REQUEST_ROW", entry | requests)]
    in_use = part.per_s("threads_in_use", *key)
    # Three standard deviations of a Poisson distribution above the mean.
    peak = np.minimum(np.ceil(in_use + 3 * np.sqrt(in_use)), float(declared.limit))
    kept = np.minimum(peak, float(declared.protectnum))
    performance = {
        "thread_limit": declared.limit,
        "threads_current": np.floor(in_use),
        "threads_hwm": peak,
        "pthread_limit": declared.protectnum,
        "pthreads_current": np.minimum(np.floor(in_use), kept),
        "pthreads_hwm": kept,
        "tasks_current": np.floor(in_use),
        "tasks_hwm": peak,
        "tasks_total": tasks,
    }
    yield "DB2ENTRY STATISTICS - PERFORMANCE", [("PERFORMANCE_ROW", entry | performance)]
