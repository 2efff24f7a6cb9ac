"""The cost of a request by CICS beside that of RMF: regions, intervals, runs and what is unknown of one of them. Worked by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

import pytest
from cics_rows import COLLECTED
from one_lake import Rows, examples
from study_lakes import RUNS, charged_classes, studied
from views_lake import START, Row, expect, one_row, place

approx = pytest.approx


def spans(begin: float, end: float) -> Row:
    at = [START + dt.timedelta(minutes=n) for n in (begin, end)]
    return {"begin_at": at[0], "end_at": at[1], "interval_s": 60.0 * (end - begin)}


def monitored(tasks: int, ms: float, line: int, begin: float, end: float, **other: object) -> Row:
    """Tasks of so many ms, printed to a tenth; half on the QR TCB, a quarter on L8 and T8. They take ten times as long: 4 dispatched, 6 suspended."""
    of_cpu = {"cpu": 1, "qr_cpu": 0.5, "l8_cpu": 0.25, "t8_cpu": 0.25, "response": 10, "dispatch": 4, "suspend": 6}
    times = {f"{name}_s": part * ms / 1000 for name, part in {**of_cpu, "first_dispatch_delay": 1}.items()}
    named = {"applid": "CICSA", "transaction": "ORDR", "tasks": tasks, "cpu_s_resolution": 0.0001}
    return spans(begin, end) | named | times | place(line) | other


def collected(cpu_s: float | None, srb_s: float, line: int, minute: float, seconds: float, **other: object) -> Row:
    times = {"collected_at": START + dt.timedelta(minutes=minute), "interval_s": seconds}
    return COLLECTED | times | {"address_space_cpu_s": cpu_s, "address_space_srb_s": srb_s} | place(line) | other


B: Row = {"applid": "CICSB"}
# 20 requests/s; CICS uses 10% of an engine, 5 ms of each.
ONE_RUN = (18_000, 10.0, 30.0, 7.0)
# CICSA: 6 + 3 + 21.6 s in 900 s, 34 ms/s in 12 tasks/s. CICSB: 3.6 s in 300 s, 12 ms/s in 3 tasks/s.
TASKS = [
    monitored(3_000, 2.0, 30, 0, 5),
    monitored(600, 5.0, 31, 0, 5, transaction="REPT"),
    monitored(7_200, 3.0, 32, 5, 15),
    monitored(900, 4.0, 33, 0, 5, **B),
]
# CICSA: 9.9 + 26.1 s in 900 s, 40 ms/s. CICSB: 4.5 s in 300 s, 15 ms/s.
REGIONS = [
    collected(9.0, 0.9, 40, 5, 300.0),
    collected(24.0, 2.1, 41, 15, 600.0),
    collected(4.2, 0.3, 42, 5, 300.0, **B),
]
COVERS = "monitoring covers 300 s, RMF 900 s"


def charged(
    tasks: Iterable[Row] = TASKS,
    regions: Iterable[Row] = REGIONS,
    run: tuple[int, float, float, float] = ONE_RUN,
    text: str = RUNS,
) -> Rows:
    rows = {"rmf_workload_activity": charged_classes(run), "cics_monitoring_summary": [*tasks]}
    return studied(text, **rows, cics_dispatcher=[*regions])


def where(rows: list[Row], line: int, **change: object) -> list[Row]:
    """The rows with another value in a line."""
    return [row | (change if row["line"] == line else {}) for row in rows]


def test_regions_are_rates_of_their_own_time_that_add():
    """46 ms of tasks and 55 ms of the address spaces per second by 20 requests; 15 tasks/s, each known to 0.05 ms."""
    row = one_row((yield charged()), "FROM run_cics_cost")
    assert (row["regions"], row["covered_s"], row["monitored_s"], row["statistics_s"]) == ("CICSA,CICSB", 900, 300, 300)
    assert (row["tasks_per_s"], row["tasks_per_request"]) == approx((15, 0.75))
    times = [row[f"{name}_cpu_ms_per_request"] for name in ("task", "qr", "l8", "t8", "region", "rmf_cics")]
    assert times == approx([2.3, 1.15, 0.575, 0.575, 2.75, 5])
    expect(row, task_cpu_precision_pct=approx(100 * 15 * 0.05 / 46), itself_ms_per_request=approx(0.45))
    expect(row, region_of_rmf_pct=approx(55), task_of_rmf_pct=approx(46))
    per_task = [row[f"{name}_ms"] for name in ("response", "dispatch", "suspend", "first_dispatch_delay")]
    assert per_task == approx([460 / 15, 184 / 15, 276 / 15, 46 / 15])
    assert row["explained_by"] == f"{COVERS}; statistics cover 300 s, RMF 900 s; requests without a monitored task"
    assert (row["null_reason"], row["is_conflicting"]) == (None, False)
    assert [ref["line"] for ref in row["refs"]] == [30, 31, 32, 33, 40, 41, 42]


def test_regions_that_may_be_of_another_sysplex_are_told():
    """Pages of PLEX2 are in the window, too; the study names PLEX1."""
    classes = charged_classes(ONE_RUN)
    lake = yield studied(
        RUNS.replace("10:00/10:15}", "10:00/10:15, sysplex: PLEX1}"),
        rmf_workload_activity=[*classes, *(r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in classes)],
        cics_monitoring_summary=TASKS,
        cics_dispatcher=REGIONS,
    )
    (row,) = lake.rows("FROM run_cics_cost")
    assert "pages of 2 sysplexes in the window: regions may be of another" in row["explained_by"]
    assert row["task_cpu_ms_per_request"] == approx(2.3)


def test_runs_and_configurations_are_apart():
    """The second has half of the requests, and no statistics; no processor is used in B, nor a request made."""
    lake = yield studied(
        f"{RUNS}---\n{RUNS.replace('study: S', 'study: T')}",
        rmf_workload_activity=charged_classes(ONE_RUN, (9_000, 2.0, 5.0, 1.0), (0, 0.0, 0.0, 0.0)),
        cics_monitoring_summary=[
            monitored(18_000, 3.0, 30, 0, 15),
            monitored(9_000, 2.0, 31, 60, 75),
            monitored(9_000, 2.0, 32, 120, 135),
        ],
        cics_dispatcher=[collected(60.0, 3.0, 40, 15, 900.0), collected(60.0, 3.0, 41, 135, 900.0)],
    )
    rows, others = (lake.rows(f"FROM run_cics_cost WHERE study = '{s}' ORDER BY configuration, run") for s in "ST")
    assert others == [row | {"study": "T"} for row in rows]
    assert [(r["configuration"], r["run"]) for r in rows] == [("A", "1"), ("A", "2"), ("B", "1")]
    known = [approx(3), approx(2), None]
    assert [r["task_cpu_ms_per_request"] for r in rows] == known
    assert [r["rmf_cics_cpu_ms_per_request"] for r in rows] == [approx(5), approx(2), None]
    assert [r["region_cpu_ms_per_request"] for r in rows] == [approx(3.5), None, None]
    # Without statistics the address spaces are those of RMF.
    assert [r["itself_ms_per_request"] for r in rows] == [approx(0.5), approx(0, abs=1e-9), None]
    assert [r["tasks_per_request"] for r in rows] == [1, 1, None]
    assert [r["task_of_rmf_pct"] for r in rows] == [approx(60), approx(100), None]
    assert [r["explained_by"] for r in rows[:2]] == [None, None]


OF_TASKS = {"tasks_per_s", "tasks_per_request", "response_ms", "dispatch_ms", "suspend_ms", "first_dispatch_delay_ms"}
OF_TCBS = {f"{name}_cpu_ms_per_request" for name in ("qr", "l8", "t8")}
OF_CPU = {"task_cpu_ms_per_request", "task_cpu_precision_pct", "itself_ms_per_request", "task_of_rmf_pct"}
LOSSES: Row = {"tasks": OF_TASKS | OF_TCBS | OF_CPU, "cpu_s": OF_CPU | OF_TCBS}
LOSSES |= {"cpu_s_resolution": {"task_cpu_precision_pct"}, "qr_cpu_s": {"qr_cpu_ms_per_request"}}
LOSSES |= {"l8_cpu_s": {"l8_cpu_ms_per_request"}, "t8_cpu_s": {"t8_cpu_ms_per_request"}, "response_s": {"response_ms"}}
LOSSES |= {"dispatch_s": {"dispatch_ms"}, "suspend_s": {"suspend_ms"}}
LOSSES |= {"first_dispatch_delay_s": {"first_dispatch_delay_ms"}}


@pytest.mark.parametrize(("line", "lost"), [(31 + n % 3, lost) for n, lost in enumerate(LOSSES)])
def test_what_is_not_known_of_a_part_is_not_known_of_all(line: int, lost: str):
    """Of a transaction, of an interval, of a region."""
    row = one_row((yield charged(where(TASKS, line, **{lost: None}))), "FROM run_cics_cost")
    assert {name for name, value in row.items() if value is None and name != "null_reason"} == LOSSES[lost]
    assert row["null_reason"] == {"tasks": "tasks not printed", "cpu_s": "processor time not printed"}.get(lost)


OF_ANY = ", ".join(sorted(OF_TASKS | OF_CPU | OF_TCBS))
TASK, REGION = "task_cpu_ms_per_request", "region_cpu_ms_per_request"
FROM = "FROM run_cics_cost"
SPANS, LENGTH = "monitoring spans overlap", "length of a monitoring span not known"
# 6 s of 3,000 tasks and 0 s of 600, each known to 0.05 ms: 3,600 × 0.05 ms are 3%.
SOME = [monitored(3_000, 2.0, 30, 0, 15), monitored(600, 0.0, 31, 0, 15, transaction="REPT")]


test_costs = examples(
    ("nothing used", charged(run=(18_000, 0.0, 5.0, 7.0)), f"rmf_cics_cpu_ms_per_request, region_of_rmf_pct, task_of_rmf_pct {FROM}", [(0, None,
     None)]),
    # Only the subsystem that is called CICS is compared, in whatever letters.
    ("Cics", charged(text=RUNS.replace("CICS: {", "Cics: {")), f"rmf_cics_cpu_ms_per_request, region_of_rmf_pct {FROM}", [(approx(5), approx(55))]),
    ("no subsystem CICS", charged(text=RUNS.replace("CICS: {", "ONLINE: {")),
     f"rmf_cics_cpu_ms_per_request, itself_ms_per_request, contains(explained_by, 'the study has no subsystem CICS') {FROM}", [(None, approx(0.45),
      True)]),
    # RMF has the address space, too.
    *((f"unknown address space {line}", charged(regions=where(REGIONS, line, address_space_cpu_s=None)),
       f"{REGION}, region_of_rmf_pct, itself_ms_per_request {FROM}", [(None, None, approx(2.7))]) for line in (40, 41, 42)),
    *((f"spans that overlap, {of}", charged([*TASKS, monitored(10, 1.0, 34, 2, 4, **of)]), f"{TASK}, tasks_per_s, null_reason, {REGION} {FROM}",
       [(None, None, SPANS, approx(2.75))]) for of in ({}, B)),
    *((f"statistics that overlap, {of}", charged(regions=[*REGIONS, collected(1.0, 0.0, 43, 4, 120.0, **of)]),
       f"{TASK}, {REGION}, contains(explained_by, '; statistics overlap') {FROM}", [(approx(2.3), None, True)]) for of in ({}, B)),
    # The clock was set back within it, by as much as it took.
    *((f"span without a length {line}", charged(where(TASKS, line, interval_s=0.0)), f"monitored_s, {TASK}, null_reason {FROM}", [(None, None,
     LENGTH)])
      for line in (30, 32, 33)),
    *((f"statistics in no time {line}", charged(regions=where(REGIONS, line, interval_s=0.0)), f"statistics_s, {REGION} {FROM}", [(None, None)])
      for line in (40, 42)),
    *((f"conflict of {row['line']}", charged([*TASKS, row | {"response_s": 9.0, "source_id": "s9"}]), f"is_conflicting {FROM}", [(True,)])
      for row in (TASKS[0], *TASKS[2:])),
    *((f"conflict of {row['line']}", charged(regions=[*REGIONS, row | {"address_space_srb_s": 0.0, "source_id": "s9"}]), f"is_conflicting {FROM}",
     [(True,)])
      for row in REGIONS),
    ("statistics alone", charged(tasks=[]), f"regions, region_of_rmf_pct, null_reason, is_conflicting, list_distinct([{OF_ANY}]) {FROM}",
     [("CICSA,CICSB", approx(55), "no monitoring", False, [])]),
    ("monitoring alone", charged(regions=[]), f"regions, task_of_rmf_pct, is_conflicting, itself_ms_per_request, region_of_rmf_pct {FROM}",
     [("CICSA,CICSB", approx(46), False, approx(2.7), None)]),
    ("tasks of no time", charged([monitored(18_000, 0.0, 30, 0, 15)], []), f"{TASK}, task_cpu_precision_pct {FROM}", [(0, None)]),
    # Known as well as the others.
    ("a transaction of no time", charged(SOME, []), f"task_cpu_precision_pct {FROM}", [(approx(3),)]),
    ("no tasks", charged([monitored(0, 0.0, 30, 0, 15)], []), f"tasks_per_s, response_ms, first_dispatch_delay_ms {FROM}", [(0, None, None)]),
    # More than five percent more or fewer tasks than requests; 0.05 ms of more than 5%.
    *((f"{tasks} tasks of {ms} ms", charged([monitored(tasks, ms, 30, 0, 15)], [collected(9.0, 0.0, 40, 15, 900.0)]), f"explained_by {FROM}",
     [(said,)])
      for tasks, ms, said in (
          (18_900, 3.0, None), (18_918, 3.0, "several tasks per request"), (17_100, 3.0, None), (17_082, 3.0, "requests without a monitored task"),
          (18_000, 1.0, None), (18_000, 0.9, "monitoring prints means in tenths of a millisecond"))),
    # Intervals belong to the window that their middle is in: 10:00 is within it, 10:15 is not.
    ("windows", charged([monitored(12_000, 3.0, 30, -5, 5), monitored(1, 3.0, 31, 10, 20)], [collected(30.0, 0.0, 40, 5, 600.0), collected(99.0,
     0.0, 41, 20, 600.0)]),
     f"monitored_s, statistics_s, {TASK}, {REGION} {FROM}", [(600, 600, approx(3), approx(2.5))]),
)  # fmt: skip
