"""A lake that has something for every declared picture: twice five minutes of T2, and of T4 a week later, of every kind of report.

Lengths and values differ, so that no mean is right by chance; beside them is printed what belongs to no picture: overlapping
intervals, another system, another sysplex, report classes, traces of what reports have.
"""

import datetime as dt
from pathlib import Path

from db2_rows import GBP6, counter_rows
from ironlake.dashboards.pages.study import compare_studies
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.study_file import parse_studies
from views_lake import START, MemoryLake, Row, heading, place

WEEK = dt.timedelta(days=7)
MINUTE = dt.timedelta(minutes=1)
STUDY = """
study: Drivers
baseline: T2
interval: all
requests: {report_class: CICS}
subsystems: {CICS: {report_class: CICS}, DB2: {report_class: DB2}}
configurations:
  T2: {steps: [{window: 2021-04-13T10:00/10:05, run: 100 clients}, {window: 2021-04-13T11:00/11:05, run: 200 clients}]}
  T4: {steps: [{window: 2021-04-20T10:00/10:05, run: 100 clients}, {window: 2021-04-20T11:00/11:05, run: 200 clients}]}
coupling: {uncoupled: T2, coupled: T4}
"""
# The lengths of the intervals of each run in seconds; of the long one structures and processors have values of their own.
LENGTHS = ((60, 60, 60, 60, 60), (60, 60, 180))
LONG = 180
# The performance index of CICS in each interval. The last but one is of a percentile goal, at least 4.
INDEX = {("T2", 0): (1, 1, 1, 1, 1), ("T2", 1): (1, 1, 1), ("T4", 0): (1, 1.2, 1.2, 1.2, 9), ("T4", 1): (1.2, 4, 1.2)}
# For each configuration and run: CP, IIP and IIPCP of CICS and of DB2 in percent of an engine, requests a second.
PRINTED = {
    ("T2", 0): ((8.0, 0.0, 0.0), (2.0, 0.0, 0.0), 10),
    ("T2", 1): ((16.0, 0.0, 0.0), (4.0, 0.0, 0.0), 20),
    ("T4", 0): ((6.0, 0.0, 0.0), (2.0, 4.0, 1.0), 10),
    ("T4", 1): ((12.0, 0.0, 0.0), (4.0, 8.0, 2.0), 20),
}


def _classes(start: dt.datetime, seconds: int, line: int, of_cics: tuple, of_db2: tuple, rate: int) -> list[Row]:
    page = heading(start, seconds, scope="SYSA", source_file="workload.txt")
    rows = []
    for at, (name, appl) in enumerate((("CICS", of_cics), ("DB2", of_db2))):
        cp, iip, iipcp = appl
        row = page | {"appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": iipcp, "appl_aapcp_pct": 0.0}
        row |= {"transactions_ended": rate * seconds if name == "CICS" else 0, "actual_time_s": 0.025}
        row |= {"total_service": 1}
        rows.append(row | {"class_kind": "report_class", "report_class": name, "line": line + at})
        kind = {"class_kind": "service_class", "workload": "ONLINE", "service_class": f"S{name}", "line": line + 2 + at}
        rows.append(row | kind)
    period = page | {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": "SCICS", "period": 1}
    rows.append(period | {"importance": 2, "transactions_ended": rate * seconds, "line": line + 4})
    return rows


def _goal(start: dt.datetime, seconds: int, line: int, index: float) -> Row:
    row = heading(start, seconds, scope="SYSA", source_file="workload.txt", line=line)
    row |= {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": "SCICS", "period": 1}
    row |= {"system": "*ALL", "is_total": True, "goal_s": 0.02, "performance_index": index}
    return row | (
        {"goal_type": "percentile", "goal_pct": 90.0, "actual_pct": 70.0}
        if index == 4
        else {"goal_type": "average", "actual_s": 0.02 * index}
    )


def _goals_beside(goal: Row) -> list[Row]:
    """What is printed beside the goal of all systems and is no interval of it: a system, a report class, another scope."""
    report_class: Row = {"class_kind": "report_class_period", "service_class": None, "workload": None}
    report_class |= {"report_class": "SCICS"}
    return [
        goal | {"system": "SYSA", "is_total": False, "performance_index": 6.0},
        goal | report_class | {"performance_index": 7.0},
        goal | {"scope": "SYSB", "performance_index": 8.0},
    ]


def _velocity(goal: Row) -> Row:
    """A period that is printed for one system alone."""
    row = goal | {"service_class": "SDB2", "system": "SYSA", "is_total": False, "goal_type": "velocity", "goal_s": None}
    return row | {
        "goal_pct": 40.0, "actual_s": None, "actual_pct": None, "velocity_pct": 80.0, "performance_index": 0.5,
    }  # fmt: skip


def _processor(start: dt.datetime, seconds: int, line: int, number: int, busy: float) -> Row:
    row = heading(start, seconds, scope="SYSA", source_id="s2", source_file="cpu.txt", line=line + number)
    row |= {"system": "SYSA", "is_total": False, "thread": 0, "processor_type": "CP", "processor_id": str(number)}
    return row | {"online_pct": 100.0, "lpar_busy_pct": busy}


def _structure(start: dt.datetime, seconds: int, line: int, name: str, **values: object) -> Row:
    row = heading(start, seconds, scope="SYSA", source_id="s3", source_file="cf.txt", line=line)
    row |= {"system": "SYSA", "cf_name": "CF1", "structure_name": name, "is_total": False, "status": "ACTIVE"}
    row |= {"changed_requests": 0, "sync_service_stddev_us": 1.0, "async_service_stddev_us": 1.0}
    return row | values


def _structures(start: dt.datetime, seconds: int, line: int) -> list[Row]:
    # 20 requests/s, 900 of 1,200 a minute synchronous in 10 us; of the others 60 were changed.
    lock: Row = {"structure_type": "LOCK", "requests": 1200, "requests_per_s": 20.0, "sync_requests": 900}
    lock |= {"sync_service_us": 10.0, "async_requests": 300, "async_service_us": 100.0, "changed_requests": 60}
    lock |= {"contention_requests": 1000, "contention_total": 20, "contention_false": 5}
    if seconds == LONG:
        lock |= {"requests": 7200, "requests_per_s": 40.0, "sync_requests": 3600, "sync_service_us": 30.0}
        lock |= {"async_requests": 3600, "async_service_us": 200.0, "changed_requests": 1800}
        lock |= {"contention_requests": 3000, "contention_total": 160, "contention_false": 65}
    # 3,000 requests a minute of 40 us for 10 requests/s of CICS: 5 a request.
    cache: Row = {"structure_type": "CACHE", "requests": 50 * seconds, "requests_per_s": 50.0}
    cache |= {"sync_requests": 50 * seconds, "sync_service_us": 40.0, "async_requests": 0, "async_service_us": 0.0}
    if start == START + WEEK:
        # Nothing is asked for, and so no time and nothing of the asynchronous requests is printed.
        cache |= {"requests": 0, "requests_per_s": 0.0, "sync_requests": 0, "sync_service_us": None}
        cache |= {"async_requests": None, "changed_requests": None}
    return [
        _structure(start, seconds, line, "DSNDB2B_LOCK1", **lock),
        _structure(start, seconds, line + 1, "DSNDB2B_GBP6", **cache),
    ]


def _structures_beside() -> list[Row]:
    """A list of which one interval does not say how many requests were changed, another one not how long they took; and what
    belongs to no picture: an interval within another, a system and a sysplex that the study does not have."""
    many = {"requests": 60000, "requests_per_s": 1000.0, "sync_requests": 30000, "sync_service_us": 5000.0}
    many |= {"async_requests": 30000, "async_service_us": 5000.0, "changed_requests": 30000}
    many |= {"contention_requests": 60000, "contention_total": 60000, "contention_false": 60000}
    of_lock = {"structure_type": "LOCK"} | many
    list_structure: Row = {"structure_type": "LIST", "requests": 1200, "requests_per_s": 20.0, "sync_requests": 900}
    list_structure |= {"sync_service_us": 10.0, "async_requests": 300, "async_service_us": 100.0}
    list_structure |= {"changed_requests": 60}
    missing = {2: {"changed_requests": None}, 3: {"sync_service_us": None}}
    return [
        _structure(START + dt.timedelta(seconds=10), 40, 9001, "DSNDB2B_LOCK1", **of_lock),
        _structure(START, 60, 9002, "DSNDB2B_LOCK1", **of_lock) | {"system": "SYSB"},
        _structure(START, 60, 9003, "DSNDB2B_LOCK1", **of_lock) | {"sysplex": "PLEX2"},
        *(
            _structure(START + n * MINUTE, 60, 9010 + n, "DSNDB2B_SCA", **list_structure | missing.get(n, {}))
            for n in range(5)
        ),
    ]


def _statistics() -> list[Row]:
    """Counters of Db2. The second interval of T2 is of half the length; there is a trace beside the report of T2, and nothing but a
    trace of the pool of T4."""
    later = START + 60 * MINUTE
    reported = (START, 300.0), (START + WEEK, 300.0), (later, 150.0)
    rows = []
    for start, seconds in reported:
        time = {"begin_at": start, "end_at": start + dt.timedelta(seconds=seconds), "interval_elapsed_s": seconds}
        rows += counter_rows(GBP6, **time)
    first = {"begin_at": START, "end_at": START + 5 * MINUTE, "interval_elapsed_s": 300.0}
    rows += counter_rows({name: 100 * value for name, value in GBP6.items()}, **first | {"report_kind": "trace"})
    pool: Row = {"block": "BP1 GENERAL", "object": "BP1"}
    for getpages, sync, prefetched, time in (
        (1000.0, 40.0, 110.0, first),
        (3000.0, 260.0, 590.0, first | {"begin_at": later, "end_at": later + 5 * MINUTE}),
        (9000.0, 9000.0, 0.0, first | {"report_kind": "trace"}),
        (
            1000.0,
            100.0,
            100.0,
            first | {"begin_at": START + WEEK, "end_at": START + WEEK + 5 * MINUTE, "report_kind": "trace"},
        ),
    ):
        counters = {"GETPAGE REQUEST": getpages, "SYNCHRONOUS READS": sync, "SEQUENTIAL PREFETCH READS": 0.0}
        counters |= {"LIST PREFETCH READS": 0.0, "DYNAMIC PREFETCH READS": 0.0, "PAGES READ VIA SEQ.PREFETCH": 0.0}
        counters |= {"PAGES READ VIA LIST PREFTCH": 0.0, "PAGES READ VIA DYN.PREFETCH": prefetched}
        rows += counter_rows(counters, **pool | time)
    return rows


def _threads() -> list[Row]:
    entry: Row = {"applid": "CICSA", "collection": "interval", "interval_s": 300.0, "is_total": False}
    entry |= {"db2entry": "ENTRY1"}
    return [
        entry | place() | dict(zip(("collected_at", "calls", "commits", "single_phase", "thread_creates", "thread_reuses"), given, strict=True))
        | {"aborts": 0}
        for given in (
            (START + 5 * MINUTE, 900, 10, 90, 1, 99),
            (START + 65 * MINUTE, 600, 200, 100, 20, 30),
        )
    ]  # fmt: skip


def tables() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for (configuration, run), (cics, db2, rate) in PRINTED.items():
        week = WEEK * (configuration == "T4")
        start = START + week + run * 60 * MINUTE
        for number, (seconds, index) in enumerate(zip(LENGTHS[run], INDEX[configuration, run], strict=True)):
            line = 1000 * (configuration == "T4") + 500 * run + 20 * number + 1
            found.setdefault("rmf_workload_activity", []).extend(_classes(start, seconds, line, cics, db2, rate))
            goal = _goal(start, seconds, line, index)
            goals = found.setdefault("rmf_workload_goal", [])
            goals += [goal, *_goals_beside(goal), *([_velocity(goal)] if configuration == "T4" else [])]
            # 0.3 engines, in the long interval 0.7; under T4 a quarter more.
            for processor, busy in enumerate((30.0, 40.0) if seconds == LONG else (10.0, 20.0)):
                busy *= 1.25 if configuration == "T4" else 1
                found.setdefault("rmf_cpu_activity", []).append(_processor(start, seconds, line, processor, busy))
            found.setdefault("rmf_cf_structure_activity", []).extend(_structures(start, seconds, line))
            start += dt.timedelta(seconds=seconds)
    found["rmf_cf_structure_activity"] += _structures_beside()
    # An interval that reaches into the last of a run, in which classes use more.
    late = START + dt.timedelta(seconds=260)
    found["rmf_workload_activity"] += _classes(late, 60, 9100, (80.0, 0.0, 0.0), (2.0, 0.0, 0.0), 10)
    # A duration report of the same time, in which all goals are missed by far: it is no interval of the study.
    found["rmf_workload_goal"].append(_goal(START, 240, 90, 450.0) | {"report_kind": "duration"})
    found |= storage_tables({(c, run): START + WEEK * (c == "T4") + run * 60 * MINUTE for c, run in PRINTED})
    found["db2_statistics_counter"] = _statistics()
    found["cics_db2entry_request"] = _threads()
    found["jmh_result"] = [
        {"benchmark": "Db2.message", "parameters": f'{{"size": "{size}", "driver": "{driver}"}}', "mode": "avgt", "count": 100}
        | {"score": score, "error": 0.1, "unit": "ms/op"}
        | place(line)
        for line, (size, driver, score) in enumerate(
            ((10, "t2", 0.8), (10, "t4", 1.2), (100, "t2", 1.0), (100, "t4", 1.5))
        )
    ]  # fmt: skip
    found["quality_result"] = [
        {"rule": "rmf_workload_activity.cp_holds_iipcp", "table": "rmf_workload_activity", "column": "appl_cp_pct"}
        | {"severity": "warn", "what": "<b>CP</b> holds IIPCP", "found": 1.0, "expected": 2.0, "rows": 1}
        | place(1)
    ]
    found["parse_reject"] = [
        {"report": "rmf_workload_activity", "text": "<script>x</script>", "what": "unexpected line"} | place(7)
    ]
    files = {"s1": "workload.txt", "s2": "cpu.txt", "s3": "cf.txt", "s4": "io.txt"}
    found["ingest_file"] = [{"source_id": source, "source_file": file} for source, file in files.items()]
    return found


def write_page(out: Path) -> str:
    """The page of the study over the lake; returns its headline."""
    studies = parse_studies(STUDY, "study.yaml")
    with StudiedLake(MemoryLake(**tables()), studies) as studied:
        return compare_studies(studied, ["Drivers"], out).headline


# --- Pages of storage and I/O -----------------------------------------------------------------------------------------


MINUTES = 300
# For each configuration, two runs: busy channel in percent; requests per second and their delay in the channel subsystem; requests per
# second of a volume and its queue, and what else its response time consists of; reads, read hits, writes and write hits; MSU and capping.
CHANNEL = {"T2": (20.0, 40.0), "T4": (10.0, 10.0)}
QUEUE = {"T2": ((100.0, 0.2), (300.0, 0.4)), "T4": ((200.0, 0.1), (200.0, 0.1))}
VOLUME = {"T2": ((100.0, 0.0, 0.2), (300.0, 0.4, 0.2)), "T4": ((200.0, 0.0, 0.1), (200.0, 0.0, 0.1))}
CACHE = {"T2": ((30_000, 27_000, 6_000, 6_000), (60_000, 57_000, 6_000, 5_700)), "T4": ((30_000, 30_000, 6_000, 6_000),) * 2}  # fmt: skip
GROUP = {"T2": ((100.0, 0.0), (200.0, 10.0)), "T4": ((130.0, 0.0), (130.0, 0.0))}


def storage_tables(starts: dict[tuple[str, int], dt.datetime]) -> dict[str, list[Row]]:
    """`starts`: the starts of each configuration and run."""
    found: dict[str, list[Row]] = {}

    def put(table: str, start: dt.datetime, line: int, **values: object) -> None:
        row = heading(start, MINUTES, scope="SYSA", source_id="s4", source_file="io.txt", line=line, system="SYSA")
        found.setdefault(table, []).append(row | values)

    for at, ((configuration, run), start) in enumerate(starts.items()):
        line = 100 * at
        busy = CHANNEL[configuration][run]
        # What repeats the time of the interval, and what is no FICON channel.
        for n, (path, kind, value, report_kind) in enumerate(
            (
                ("3A", "FC_S", busy, "interval"),
                ("3A", "FC_S", 99.0, "duration"),
                ("3B", "FC_S", 5.0, "interval"),
                ("8A", "CS5", 90.0, "interval"),
            )
        ):
            put(
                "rmf_channel_path", start, line + n, channel_subsystem="0", channel_path_id=path, channel_path_type=kind, busy_pct=value,
                report_kind=report_kind,
            )  # fmt: skip
        rate, delay = QUEUE[configuration][run]
        put(
            "rmf_io_queue",
            start,
            line + 10,
            alias_group="00000001",
            is_total=True,
            taken_per_s=rate,
            channel_subsystem_delay_ms=delay,
        )
        put(
            "rmf_io_queue",
            start,
            line + 11,
            lcu="0041",
            is_total=True,
            taken_per_s=rate,
            channel_subsystem_delay_ms=7.0,
        )
        put(
            "rmf_io_queue",
            start,
            line + 12,
            alias_group="00000002",
            is_total=True,
            taken_per_s=50.0,
            channel_subsystem_delay_ms=1.0,
        )
        rate, queued, disconnected = VOLUME[configuration][run]
        volume = {"volume": "DBL001", "device_number": "08A10", "is_total": False, "io_per_s": rate, "iosq_ms": queued}
        volume |= {"pend_ms": 0.1, "disconnect_ms": disconnected, "connect_ms": 0.3}
        volume |= {"response_ms": queued + disconnected + 0.4}
        put("rmf_device", start, line + 20, **volume)
        reads, read_hits, writes, write_hits = CACHE[configuration][run]
        unit = {"ssid": "8A01", "control_unit": "8A04", "cache_interval_s": MINUTES}
        counts = {"reads": reads, "reads_per_s": reads / MINUTES, "read_hits": read_hits}
        counts |= {"writes": writes, "writes_per_s": writes / MINUTES, "write_hits": write_hits}
        put("rmf_cache_subsystem", start, line + 30, **unit)
        put("rmf_cache_request", start, line + 31, is_total=True, **unit, **counts)
        used, capped = GROUP[configuration][run]
        member = {"capacity_group": "GRP1", "msu_entitled_min": 120.0, "weight": 10.0, "is_total": False}
        put(
            "rmf_group_capacity",
            start,
            line + 40,
            partition="LP1",
            member_system="SYSA",
            msu_used=used,
            capping_actual_pct=capped,
            **member,
        )
        put(
            "rmf_group_capacity",
            start,
            line + 41,
            partition="LP2",
            member_system="SYSB",
            msu_used=900.0,
            capping_actual_pct=90.0,
            **member,
        )
    return found
