"""CICS of a solved step: what regions say of themselves, what monitoring says of their tasks, and what Db2 accounting says of their threads.

Three reports and RMF describe the same work. The processor time of a region is that of its class in RMF. CICS uses `itself_pct` of this for no task;
monitoring has the rest. The time of Db2 on the tasks' threads is class 2 of accounting. What Db2 does in its own address
spaces is that of the regions in Db2 statistics, and that of their classes in RMF. Time that is charged to no class is in none of them.
"""

from __future__ import annotations

import numpy as np

from .contents.common import Line, Row, SystemReport, ratio
from .contents.db2 import AddressSpace, Db2Accounting
from .filling import Array, StepIntervals
from .model import ReportClass
from .running import WorkloadOnSystem

# Shares of a region's processor time: SRBs; the part of the tasks' time beside Db2 that runs on L8. What class 1 adds to class 2.
_SRB, _OPEN, _APPLICATION = 0.02, 0.3, 0.06
# Shares of the time of Db2's address spaces that TCBs and preemptible SRBs use.
_TCB, _PREEMPTIBLE = 0.25, 0.65
# Tasks of CICS itself in a second; waits of QR for each task.
_SYSTEM_TASKS, _QR_WAITS = 0.2, 6.0


def region_names(part: StepIntervals) -> list[tuple[WorkloadOnSystem, str]]:
    """The region of each workload that runs in CICS, on each system: named after its class, with a number if there are several."""
    places = [place for place in part.solved.step.places if _is_cics(part, place)]
    counted = [place.workload.counted_by for place in places]
    return [
        (place, name if counted.count(name) == 1 else f"{name[:5]}{number:03d}")
        for number, (place, name) in enumerate(zip(places, counted, strict=True), 1)
    ]


def _is_cics(part: StepIntervals, place: WorkloadOnSystem) -> bool:
    return bool(_class(part, place).mxt or place.workload.threads)


def _class(part: StepIntervals, place: WorkloadOnSystem) -> ReportClass:
    return part.model.classes[place.workload.counted_by]


def _key(place: WorkloadOnSystem) -> tuple[str, str]:
    return place.workload.name, place.system


def transaction_name(place: WorkloadOnSystem) -> str:
    """A workload's transaction: the first four letters or digits of its name."""
    return "".join(letter for letter in place.workload.name.upper() if letter.isalnum())[:4] or "TASK"


def _of_tasks(part: StepIntervals, place: WorkloadOnSystem) -> tuple[Array, Array, Array]:
    """Seconds of an interval that tasks use: in all, on QR, and on L8."""
    tasks = part.seconds("region_s", *_key(place)) * (1 - _class(part, place).itself_pct / 100)
    in_db2 = np.minimum(part.seconds("db2_s", *_key(place)), tasks)
    on_l8 = in_db2 + _OPEN * (tasks - in_db2)
    return tasks, tasks - on_l8, on_l8


def region(part: StepIntervals, place: WorkloadOnSystem) -> list[Line]:
    """What a region says of itself; nothing for a class without mxt."""
    one = _class(part, place)
    if not one.mxt:
        return []
    whole = part.seconds("region_s", *_key(place))
    srb_s = _SRB * whole
    tasks_s, qr_s, l8_s = _of_tasks(part, place)
    itself_s = np.maximum(whole - srb_s - tasks_s, 0.0)
    count = part.count("rate", *_key(place))
    there = part.per_s("there", place.workload.counted_by, place.system)
    active, peak = np.floor(there), np.minimum(np.ceil(there + 3 * np.sqrt(there)) + 1, float(one.mxt))
    manager = {
        "transactions_total": count + np.floor(part.length_s * _SYSTEM_TASKS),
        "mxt": one.mxt,
        "active_current": active,
        "times_at_mxt": (peak >= one.mxt).astype(float),
        "active_peak": peak,
        "active_total": count,
    }
    name = transaction_name(place)
    transaction = {"transaction": name, "program": f"{name}PGM", "transaction_class": f"{name}CLS", "priority": 1}
    of_class = {
        "transaction_class": f"{name}CLS",
        "definitions": 1,
        "active_limit": one.mxt,
        "attaches": count,
        "accepted_at_once": count,
        "active_peak": peak,
        "active_current": active,
    }
    dispatcher = {
        "dispatcher_start": "01/05/2026 06:00:00.0000",
        "address_space_cpu_s": whole - srb_s,
        "address_space_srb_s": srb_s,
        "tasks_current": active,
        "tasks_peak": peak,
        "icv_ms": 1000,
        "icvr_ms": 5000,
        "prtyage_ms": 1000,
        "mro_batching": 1,
        "excess_tcb_scans": 1,
        "excess_tcb_scans_without_detach": 1,
        "tcb_modes": 3,
        "tcb_pools": 1,
    }
    # A TCB that is dispatched waits for a processor as the task does.
    longer = np.maximum(
        ratio(part.per_s("dispatched_s", *_key(place)), part.per_s("served_s", *_key(place)), where_none=1.0), 1.0
    )
    none, single, threads = np.zeros(len(count)), np.ones(len(count)), np.maximum(np.ceil(there), 1.0)
    modes = [_mode("QR", single), _mode("L8", threads) | {"is_open": "YES", "tcb_pool": "OPEN"}, _mode("RO", single)]
    times = [
        _times("QR", qr_s + itself_s, longer, single * part.length_s, itself_s, _QR_WAITS * count),
        _times("L8", l8_s, longer, threads * part.length_s, none, 2 * count),
        _times("RO", none, longer, single * part.length_s, none, single),
    ]
    below = {"size": "512K", "cushion": "64K", "free": "320K", "getmains": 1000, "freemains": 1000}
    above = {"size": "40960K", "cushion": "128K", "free": "20000K", "getmains": 90_000, "freemains": 90_000}
    sizes = {
        "dsa_limit_bytes": "5120K",
        "dsa_total_bytes": "2048K",
        "dsa_peak_bytes": "2048K",
        "edsa_limit_bytes": "819200K",
        "edsa_total_bytes": "163840K",
        "edsa_peak_bytes": "163840K",
        "memlimit_bytes": "10G",
        "gdsa_total_bytes": "4M",
        "gdsa_peak_bytes": "4M",
    }
    words = {"storage_protection": "ACTIVE", "transaction_isolation": "INACTIVE", "reentrant_programs": "PROTECT"}
    storage = words | sizes | {"memlimit_set_by": "SMFPRM"}
    return [
        ("TRANSACTION MANAGER STATISTICS", [("MANAGER_NAME_ROW", manager)]),
        ("TRANSACTION STATISTICS", [("TRAN_ROW", transaction | {"dynamic": "NO", "attaches": count})]),
        ("TRANSACTION CLASS STATISTICS", [("CLASS_ROW", of_class)]),
        ("DISPATCHER STATISTICS", [("DISPATCHER_NAME_ROW", dispatcher)]),
        ("DISPATCHER - TCB MODES STATISTICS", [("MODE_ROW", mode) for mode in modes]),
        ("", [("TIME_ROW", mode) for mode in times]),
        ("STORAGE MANAGER STATISTICS", [("STORAGE_NAME_ROW", storage)]),
        ("", [{"name": area} | below for area in ("CDSA", "UDSA", "SDSA", "RDSA")]),
        ("", [{"name": area} | above for area in ("ECDSA", "EUDSA", "ESDSA", "ERDSA")]),
    ]


def _mode(name: str, tcbs: Array) -> Row:
    counts = ("tcbs_attached_current", "tcbs_attached_peak", "tcbs_in_use_current", "tcbs_in_use_peak")
    return {"tcb_mode": name, "is_open": "NO", "tcb_pool": "N/A"} | dict.fromkeys(counts, tcbs)


def _times(name: str, cpu_s: Array, longer: Array, of_tcbs_s: Array, itself_s: Array, waits: Array) -> Row:
    """The times of a mode's TCBs: each is dispatched or waits."""
    dispatch_s = np.minimum(cpu_s * longer, of_tcbs_s)
    return {
        "tcb_mode": name,
        "waits": waits,
        "wait_time_s": of_tcbs_s - dispatch_s,
        "dispatch_time_s": np.maximum(dispatch_s, cpu_s),
        "cpu_time_s": cpu_s,
        "dispatcher_cpu_time_s": itself_s,
    }


def cics_monitoring(part: StepIntervals) -> list[SystemReport]:
    """A Performance Summary of each region for each interval: means per task; response is dispatch and suspend."""
    found = []
    for place, name in region_names(part):
        key, count = _key(place), part.count("rate", *_key(place))
        response = part.per_s("response_s", *key)
        tasks_s, qr_s, l8_s = (ratio(seconds, count) for seconds in _of_tasks(part, place))
        dispatch = np.clip(
            tasks_s * ratio(part.per_s("dispatched_s", *key), part.per_s("served_s", *key), 1.0), tasks_s, response
        )
        waits = response - dispatch
        row = {
            "transaction": transaction_name(place),
            "tasks": count,
            "response_s": response,
            "dispatch_s": dispatch,
            "cpu_s": tasks_s,
            "qr_cpu_s": qr_s,
            "l8_cpu_s": l8_s,
            "suspend_s": waits,
            "dispatch_wait_s": 0.1 * waits,
            "first_dispatch_delay_s": 0.05 * waits,
        }
        found.append(part.report("cics_monitoring", name, [("SUMMARY_ROW", row)]))
    return found


def member_names(part: StepIntervals) -> dict[str, str]:
    """The Db2 member of each system."""
    group = part.model.data_sharing.group if part.model.data_sharing else ""
    return {system: f"{group[:7]}{number}" for number, system in enumerate(part.configuration.systems, 1) if group}


def db2_accounting(part: StepIntervals) -> list[Db2Accounting]:
    """The accounting report of each member: an entry for each region."""
    regions, group = region_names(part), part.model.data_sharing
    found = []
    for system, member in member_names(part).items():
        here = [(place, name) for place, name in regions if place.system == system and place.workload.threads]
        entries = tuple(_connection(part, place, name) for place, name in here)
        if entries and group:
            found.append(Db2Accounting(group.group, group.group, member, part.intervals, entries))
    return found


def _connection(part: StepIntervals, place: WorkloadOnSystem, region_name: str) -> Row:
    key, count = _key(place), part.count("rate", *_key(place))
    class2 = ratio(part.seconds("db2_s", *key), count)
    tasks_s, _, _ = _of_tasks(part, place)
    class1 = class2 + _APPLICATION * np.maximum(ratio(tasks_s, count) - class2, 0.0)
    response = part.per_s("response_s", *key)
    waits = np.maximum(0.6 * (response - part.per_s("dispatched_s", *key)), 0.0)
    threads = place.workload.threads
    return {
        "key": f"CONNTYPE: CICS  CONNECT: {region_name}  PLANNAME: {threads.entry if threads else region_name}",
        "occurrences": count,
        "commits": count,
        "class1_elapsed_s": class1 + waits + 0.1 * (response - class1 - waits),
        "class2_elapsed_s": class2 + waits,
        "class1_cp_s": class1,
        "class2_cp_s": class2,
        "class3_s": waits,
        "lock_wait_s": 0.1 * waits,
    }


def address_spaces(part: StepIntervals, system: str) -> tuple[AddressSpace, ...]:
    """The address spaces of a member: the classes that are one."""
    found = []
    for name, one in part.model.classes.items():
        if not one.address_space or one.system not in (None, system):
            continue
        norm = part.model.systems[system].norm_factor
        cp_s, ziip_s = part.seconds("cp_s", name, system), norm * part.seconds("iip_s", name, system)
        tcb, preemptible = _TCB * cp_s, _PREEMPTIBLE * cp_s
        found.append(AddressSpace(one.address_space, tcb, preemptible, cp_s - tcb - preemptible, ziip_s))
    return tuple(found)
