"""A lake that has something for every declared picture: five minutes of T2, and five of T4 a week later, of every kind of report."""

import datetime as dt
from pathlib import Path

from ironlake.dashboards.study_page import compare_studies
from ironlake.pipeline.study import parse_studies
from ironlake.pipeline.study_lake import StudiedLake
from test_database_views import GBP6, counter_rows
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
# Of each configuration and run: CP, IIP and IIPCP of CICS and of DB2 in percent of an engine, requests a second.
PRINTED = {
    ("T2", 0): ((8.0, 0.0, 0.0), (2.0, 0.0, 0.0), 10),
    ("T2", 1): ((16.0, 0.0, 0.0), (4.0, 0.0, 0.0), 20),
    ("T4", 0): ((6.0, 0.0, 0.0), (2.0, 4.0, 1.0), 10),
    ("T4", 1): ((12.0, 0.0, 0.0), (4.0, 8.0, 2.0), 20),
}


def _classes(start: dt.datetime, line: int, of_cics: tuple, of_db2: tuple, rate: int) -> list[Row]:
    page = heading(start, scope="SYSA", source_file="workload.txt")
    rows = []
    for at, (name, appl) in enumerate((("CICS", of_cics), ("DB2", of_db2))):
        cp, iip, iipcp = appl
        row = page | {"appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": iipcp, "appl_aapcp_pct": 0.0}
        row |= {"transactions_ended": rate * 60 if name == "CICS" else 0, "actual_time_s": 0.025, "total_service": 1}
        rows.append(row | {"class_kind": "report_class", "report_class": name, "line": line + at})
        kind = {"class_kind": "service_class", "workload": "ONLINE", "service_class": f"S{name}", "line": line + 2 + at}
        rows.append(row | kind)
    period = page | {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": "SCICS", "period": 1}
    rows.append(period | {"importance": 2, "transactions_ended": rate * 60, "line": line + 4})
    return rows


def _goal(start: dt.datetime, line: int, actual_s: float) -> Row:
    row = heading(start, scope="SYSA", source_file="workload.txt", line=line)
    row |= {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": "SCICS", "period": 1}
    row |= {"system": "*ALL", "is_total": True, "goal_type": "average", "goal_s": 0.02, "actual_s": actual_s}
    return row | {"performance_index": round(actual_s / 0.02, 2)}


def _processor(start: dt.datetime, line: int, number: int, busy: float) -> Row:
    row = heading(start, scope="SYSA", source_id="s2", source_file="cpu.txt", line=line + number)
    for name in ("policy", "policy_activated_at"):
        del row[name]
    row |= {"system": "SYSA", "is_total": False, "thread": 0, "processor_type": "CP", "processor_id": str(number)}
    return row | {"online_pct": 100.0, "lpar_busy_pct": busy}


def _structure(start: dt.datetime, line: int, name: str, **values: object) -> Row:
    row = heading(start, scope="SYSA", source_id="s3", source_file="cf.txt", line=line)
    for field in ("policy", "policy_activated_at"):
        del row[field]
    row |= {"system": "SYSA", "cf_name": "CF1", "structure_name": name, "is_total": False, "status": "ACTIVE"}
    row |= {"changed_requests": 0, "sync_service_stddev_us": 1.0, "async_service_stddev_us": 1.0}
    return row | values


def tables() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for (configuration, run), (cics, db2, rate) in PRINTED.items():
        week = WEEK * (configuration == "T4")
        for minute in range(5):
            start = START + week + run * 60 * MINUTE + minute * MINUTE
            line = 1000 * (configuration == "T4") + 500 * run + 20 * minute + 1
            found.setdefault("rmf_workload_activity", []).extend(_classes(start, line, cics, db2, rate))
            # T4 takes 10 ms more in every minute: 20, 30, …, 60 ms for a goal of 20.
            actual = 0.02 + 0.01 * minute * (configuration == "T4")
            found.setdefault("rmf_workload_goal", []).append(_goal(start, line, actual))
            for number, busy in enumerate((10.0, 20.0)):
                found.setdefault("rmf_cpu_activity", []).append(_processor(start, line, number, busy))
            # 20 requests/s, 900 of 1,200 a minute synchronous in 10 us; of the others 60 were changed.
            lock = {"structure_type": "LOCK", "requests": 1200, "requests_per_s": 20.0, "sync_requests": 900}
            lock |= {"sync_service_us": 10.0, "async_requests": 300, "async_service_us": 100.0, "changed_requests": 60}
            lock |= {"contention_requests": 1000, "contention_total": 20, "contention_false": 5}
            # T4: 3,000 requests a minute of 40 us for 10 requests/s of CICS: 5 a request.
            cache = {"structure_type": "CACHE", "requests": 3000, "requests_per_s": 50.0, "sync_requests": 3000}
            cache |= {"sync_service_us": 40.0, "async_requests": 0, "async_service_us": 0.0}
            structures = found.setdefault("rmf_cf_structure_activity", [])
            structures.append(_structure(start, line, "DSNDB2B_LOCK1", **lock))
            structures.append(_structure(start, line + 1, "DSNDB2B_GBP6", **cache))
    # A duration report of the same time, in which all goals are missed by far: it is no interval of the study.
    found["rmf_workload_goal"].append(
        _goal(START, 90, 9.0) | {"report_kind": "duration", "interval_end": START + 4 * MINUTE}
    )
    found["db2_statistics_counter"] = [
        row
        for later in (0 * WEEK, WEEK)
        for row in counter_rows(
            GBP6, begin_at=START + later, end_at=START + later + 5 * MINUTE, interval_elapsed_s=300.0
        )
    ]
    pool = {"GETPAGE REQUEST": 1000.0, "SYNCHRONOUS READS": 40.0, "SEQUENTIAL PREFETCH READS": 0.0}
    pool |= {"LIST PREFETCH READS": 0.0, "DYNAMIC PREFETCH READS": 0.0, "PAGES READ VIA SEQ.PREFETCH": 0.0}
    pool |= {"PAGES READ VIA LIST PREFTCH": 0.0, "PAGES READ VIA DYN.PREFETCH": 110.0}
    found["db2_statistics_counter"] += counter_rows(
        pool, block="BP1 GENERAL", object="BP1", begin_at=START, end_at=START + 5 * MINUTE, interval_elapsed_s=300.0
    )
    entry: Row = {
        "applid": "CICSA",
        "collection": "interval",
        "interval_s": 300.0,
        "is_total": False,
        "db2entry": "ENTRY1",
    }
    entry |= {"calls": 900, "commits": 10, "aborts": 0, "single_phase": 90, "thread_creates": 1, "thread_reuses": 99}
    found["cics_db2entry_request"] = [entry | {"collected_at": START + 5 * MINUTE} | place()]
    found["jmh_result"] = [
        {
            "benchmark": "Db2.message",
            "parameters": f'{{"size": "{size}", "driver": "{driver}"}}',
            "mode": "avgt",
            "count": 100,
        }
        | {"score": score, "error": 0.1, "unit": "ms/op"}
        | place(line)
        for line, (size, driver, score) in enumerate(
            ((10, "t2", 0.8), (10, "t4", 1.2), (100, "t2", 1.0), (100, "t4", 1.5))
        )
    ]
    found["quality_result"] = [
        {"rule": "rmf_workload_activity.cp_holds_iipcp", "table": "rmf_workload_activity", "column": "appl_cp_pct"}
        | {"severity": "warn", "what": "<b>CP</b> holds IIPCP", "found": 1.0, "expected": 2.0, "rows": 1}
        | place(1)
    ]
    found["parse_reject"] = [
        {"report": "rmf_workload_activity", "text": "<script>x</script>", "what": "unexpected line"} | place(7)
    ]
    files = {"s1": "workload.txt", "s2": "cpu.txt", "s3": "cf.txt"}
    found["ingest_file"] = [{"source_id": source, "source_file": file} for source, file in files.items()]
    return found


def write_page(out: Path) -> str:
    """The page of the study over the lake; returns its headline."""
    studies = parse_studies(STUDY, "study.yaml")
    with StudiedLake(MemoryLake(**tables()), studies) as studied:
        return compare_studies(studied, ["Drivers"], out)
