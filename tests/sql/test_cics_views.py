"""Views of CICS statistics and monitoring, and a request's cost from RMF, CICS and Db2: worked by hand."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas
import pytest
from cics_rows import COLLECTED, END, SPAN
from one_lake import Rows, examples
from rmf_rows import processor
from study_lakes import studied
from views_lake import (
    START,
    Row,
    approx,
    expect,
    heading,
    one_row,
    place,
    sample_rows,
    worked_page,
)

# Its functions are of many types.
pd: Any = pandas
STUDY = """
study: Orders
baseline: A
interval: all
subsystems: {CICS: {report_class: CICSORD}, Db2: {report_class: DB2}}
requests: {report_class: CICSORD}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05}]}}
"""


def test_regions_and_transactions_off_the_pages():
    """QR: 298.77031 s of 900 on a processor; 347.31006 dispatched and 552.11842 waiting are 38.6145% busy. 3021.10034 + 41.5 s in 27,590 tasks are
    111.0041 ms; 88 of 120 tasks; areas went short 0 + 1 + 2 + 3 times. 18,433 tasks of 2.7 ms are 49.7691 s, known to half a tenth of a
    millisecond: 0.92165 s, 1.85%. Dispatch 4.2 of 12.1 ms."""
    tables = ("cics_tcb_time", "cics_transaction_manager", "cics_dispatcher", "cics_storage", "cics_dsa_count")
    of = (("cics_region", *tables), ("summary_default_columns", "cics_monitoring_summary"))
    lake, monitored = yield [sample_rows(*names) for names in of]
    row = one_row(lake, "SELECT * FROM cics_tcb_cpu WHERE tcb_mode = 'QR'")
    expect(row, engines=approx(0.331967, abs=5e-7), busy_pct=approx(38.6145, abs=5e-5))
    expect(row, waiting_for_processor_s=approx(48.53975), cpu_of_dispatch_pct=approx(86.0241, abs=5e-5))
    row = one_row(lake, "SELECT * FROM cics_region_load")
    expect(row, cpu_ms_per_transaction=approx(111.0040, abs=1e-4), engines=approx(3062.60034 / 900))
    expect(row, peak_of_mxt_pct=approx(73.3333, abs=5e-5), times_short_on_storage=6, user_transactions=27553)
    expect(row, is_conflicting=False)
    row = one_row(monitored, "SELECT * FROM cics_transaction_time WHERE transaction = 'ORDR'")
    expect(row, tasks=18433, cpu_s=approx(49.7691), cpu_precision_s=approx(0.92165, abs=5e-06))
    expect(row, cpu_precision_pct=approx(1.85185, abs=5e-06), dispatch_pct=approx(34.7107, abs=5e-5))
    expect(row, waiting_for_processor_ms=approx(1.5), other_wait_ms=None)


SHORT = COLLECTED | {"measure": "Times went short on storage"}
MODE = COLLECTED | {"is_total": False, "tcb_mode": "QR", "cpu_time_s": 60.0, "dispatch_time_s": 80.0, "wait_time_s": 220.0}  # fmt: skip
L8 = {"tcb_mode": "L8", "cpu_time_s": None, "dispatch_time_s": 1.0, "wait_time_s": None}
OF_PROGRAM = SPAN | {"cpu_s_resolution": 0.0001, "response_s": 0.01}


def summaries(*rows: Row, **tables: list[Row]) -> Rows:
    return {"cics_monitoring_summary": [SPAN | place(n) | row for n, row in enumerate(rows, 1)], **tables}


TASKS = "tasks, cpu_ms, cpu_s, is_conflicting FROM cics_transaction_time"


test_regions_and_transactions = examples(
    ("an area that is not known", {"cics_dsa_count": [SHORT | {"dsa": n, "value": v} | place(10) for n, v in (("CDSA", 2.0), ("UDSA", None))],
     "cics_dispatcher": [COLLECTED | {"address_space_cpu_s": 1.0} | place(9)]}, "times_short_on_storage FROM cics_region_load", [(None,)]),
    ("requested collections and second prints", {"cics_tcb_time": [
        MODE | place(1), MODE | place(1, "s2"), MODE | {"collection": "requested"} | place(2),
        MODE | {"is_total": True, "tcb_mode": None} | place(3), MODE | L8 | place(4)]},
     "tcb_mode, engines, busy_pct, waiting_for_processor_s, is_conflicting FROM cics_tcb_cpu ORDER BY tcb_mode DESC",
     [("QR", 0.2, approx(26.6667, abs=5e-5), 20.0, False), ("L8", None, None, None, False)]),
    # 300 × 2 + 100 × 4 ms are 400 × 2.5 ms, 1 s. A list of the same span is the same tasks; totals are no transaction.
    ("programs by tasks", summaries(
        OF_PROGRAM | {"program": "A", "tasks": 300, "cpu_s": 0.002}, OF_PROGRAM | {"program": "B", "tasks": 100, "cpu_s": 0.004},
        OF_PROGRAM | {"program": "B", "tasks": 100, "cpu_s": 0.004} | place(2, "s2"),
        OF_PROGRAM | {"transaction": None, "is_total": True, "tasks": 400, "cpu_s": 0.0025},
        cics_monitoring_task=[SPAN | {"task": 7, "cpu_s": 9.0, "response_s": 9.0} | place(4)]),
     f"response_ms, dispatch_ms, {TASKS}", [(approx(10), None, 400, approx(2.5), approx(1.0), False)]),
    # One summary by transaction has response times, one processor times; a third is by program: 400 tasks of 2.5 ms, 1 s, not 800.
    ("summaries of one span", summaries(
        {"tasks": 400, "response_s": 0.01}, {"tasks": 400, "cpu_s": 0.0025, "cpu_s_resolution": 0.0001},
        *({"program": program, "tasks": tasks, "qr_cpu_s": 0.001, "cpu_s": 0.0024} | place(n, "s2")
          for n, (program, tasks) in enumerate((("A", 300), ("B", 100)), 3))),
     f"response_ms, cpu_precision_pct, qr_cpu_ms, {TASKS}", [(approx(10), approx(2.0), approx(1.0), 400, approx(2.5), approx(1.0), False)]),
    ("summaries of other tasks", summaries({"tasks": 400, "cpu_s": 0.0025}, {"program": "A", "tasks": 300, "cpu_s": 0.0025} | place(2, "s2")),
     "tasks, is_conflicting FROM cics_transaction_time", [(400, True)]),
    ("tasks of a list", {"cics_monitoring_task": [SPAN | {"task": n, "cpu_s": 0.001 * n, "response_s": 0.01} | place(n) for n in (1, 2, 3)]},
     TASKS, [(3, approx(2), approx(0.006), False)]),
)  # fmt: skip


def listed(*tasks: Row, **of_all: object) -> Rows:
    """Tasks of a list of one span, numbered from 1, that ended with its begin."""
    shared = SPAN | {"stopped_at_printed": "10:00:00.00"} | of_all
    return {"cics_monitoring_task": [shared | {"task": n} | place(n) | task for n, task in enumerate(tasks, 1)]}


# Suspend of 8 ms: first dispatch 1, Db2 4 with 2 of redispatch, file control 2.
SUSPENDED: Row = {
    "dispatch_s": 0.002,
    "cpu_s": 0.0015,
    "suspend_s": 0.008,
    "first_dispatch_delay_s": 0.001,
    "db2_wait_s": 0.004,
}
SUSPENDED |= {"file_wait_s": 0.002, "dispatch_wait_s": 0.002, "rmi_s": 0.005, "db2_requests": 3, "response_s": 0.01}
RANKS = "response_ms, response_p50_ms, response_p90_ms, response_p95_ms, response_p99_ms, response_max_ms FROM cics_transaction_response"
HOURS = "hour_start, tasks, tasks_begun_before FROM cics_transaction_response ORDER BY hour_start, tasks"
LATE: Row = {
    "begin_at": dt.datetime(2021, 4, 13, 23, 50),
    "end_at": dt.datetime(2021, 4, 14, 0, 20),
    "interval_s": 1800.0,
}


test_responses_of_transactions = examples(
    # 95 x 10 and 5 x 500 ms: mean (950 + 2500) / 100 = 34.5; the 95th in order is 10, the 99th 500. Two lists of 50, of which one has the five:
    # p90 of one is 500 and of the other 10, and their mean is of no task.
    ("ranks, not means", listed(*[{"response_s": 0.01}] * 95, *[{"response_s": 0.5}] * 5), RANKS,
     [tuple(approx(n) for n in (34.5, 10, 10, 10, 500, 500))]),
    ("too few for a percentile", listed(*[{"response_s": 0.01}] * 19), RANKS, [(approx(10), approx(10), approx(10), None, None, approx(10))]),
    ("a response that is not printed", listed({"response_s": 0.01}, {"response_s": None}), RANKS, [(None,) * 6]),
    ("waits that overlap", listed(SUSPENDED, SUSPENDED),
     "[other_wait_ms, dispatch_wait_ms, waiting_for_processor_ms, rmi_ms, db2_requests_per_task] FROM cics_transaction_response",
     [([approx(n) for n in (1, 2, 0.5, 5, 3)],)]),
    ("parts above the whole", listed(SUSPENDED | {"db2_wait_s": 0.009}), "suspend_ms, other_wait_ms FROM cics_transaction_response", [(approx(8), None)]),
    # After midnight it is the next day; an hour of response began at 23:15, before its hour.
    ("hours and the day", listed({"stopped_at_printed": "23:59:59.99", "response_s": 1.0},
                                 *({"stopped_at_printed": "00:15:00.00", "response_s": s} for s in (1.0, 3600.0)), **LATE), HOURS,
     [(dt.datetime(2021, 4, 13, 23), 1, 0), (dt.datetime(2021, 4, 14), 2, 1)]),
    # 30 hours have 23:59 once and 00:10 twice; without an end nothing is known; a time outside of the span is none of its tasks.
    ("no day", {"cics_monitoring_task": [LATE | {"applid": "CICSA", "transaction": "ORDR", "task": n, "response_s": 1.0} | row | place(n)
      for n, row in enumerate(({"stopped_at_printed": "00:10:00.00", "end_at": dt.datetime(2021, 4, 15, 5)}, {"stopped_at_printed": "23:59:00.00",
       "end_at": None}, {"stopped_at_printed": "12:00:00.00"}, {"stopped_at_printed": None}))]}, HOURS, [(None, 1, None), (None, 1, None), (None, 2, None)]),
    # The same task in a list of the next span, in a second print with another form, and with another time.
    ("a task printed again", {"cics_monitoring_task": [
        SPAN | {"task": 1, "stopped_at_printed": "10:04:00.00", "response_s": 0.01} | place(1),
        SPAN | {"task": 1, "stopped_at_printed": "10:04:00.00", "suspend_s": 0.006, "begin_at": START + dt.timedelta(minutes=4)} | place(1, "s2"),
        SPAN | {"task": 2, "stopped_at_printed": "10:04:00.00", "response_s": 0.01, "suspend_s": 0.006} | place(2),
        SPAN | {"task": 2, "stopped_at_printed": "10:04:00.00", "response_s": 0.02} | place(2, "s2")]},
     "tasks, response_ms, suspend_ms, is_conflicting, len(refs) FROM cics_transaction_response", [(2, approx(10), approx(6), True, 4)]),
    ("tasks without a number", {"cics_monitoring_task": [
        SPAN | {"stopped_at_printed": "10:04:00.00", "response_s": 0.01} | place(n, s) for n in (1, 2) for s in ("s1", "s2")]},
     "tasks FROM cics_transaction_response", [(2,)]),
)  # fmt: skip


@pytest.mark.slow
def test_percentiles_are_those_of_all_tasks():
    """4,000 tasks of two transactions in three hours, on lists of spans that overlap: recomputed with pandas."""
    random = np.random.default_rng(56)
    ends = np.sort(random.uniform(0, 3 * 3600, 4000)).round(2)
    tasks = pd.DataFrame({"task": np.arange(4000), "end": ends, "transaction": random.choice(["ORDR", "PAYX"], 4000)})
    tasks["response_s"] = random.lognormal(-4, 1.5, 4000).round(4)
    tasks["hour"] = (tasks["end"] // 3600).astype(int)
    rows = []
    for number, (begin, end) in enumerate(((0, 4000), (3000, 7300), (7300, 10800))):
        times = {"begin_at": START + dt.timedelta(seconds=begin), "end_at": START + dt.timedelta(seconds=end)}
        for line, task in enumerate(tasks[tasks["end"].between(begin, end)].to_dict("records"), 1):
            stop = (START + dt.timedelta(seconds=task["end"])).strftime("%H:%M:%S.%f")[:-4]
            kept = {name: task[name] for name in ("task", "transaction", "response_s")}
            rows.append(SPAN | times | kept | {"stopped_at_printed": stop} | place(line, f"list{number}"))
    assert len(rows) > len(tasks)
    (lake,) = yield [{"cics_monitoring_task": rows}]
    found = lake.sql("SELECT * FROM cics_transaction_response ORDER BY transaction, hour_start").fetchdf()
    of_group = tasks.groupby(["transaction", "hour"])["response_s"]
    assert found["tasks"].to_list() == of_group.size().to_list()
    assert found["response_ms"].to_list() == approx((1000 * of_group.mean()).to_list())
    for share in (50, 90, 95, 99):
        ranked = of_group.apply(lambda of_one, share=share: np.percentile(of_one, share, method="inverted_cdf"))
        assert found[f"response_p{share}_ms"].to_list() == approx((1000 * ranked).to_list())


def _class(name: str, cp: float, ended: int, line: int) -> Row:
    """CP of a class, percent of one engine for five minutes."""
    row = worked_page(**heading(START, 300, scope="SYSA", line=line, report_class=name, transactions_ended=ended))
    return row | {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "iip_time_s": None, "cpu_time_s": None}


def three_sources() -> dict[str, list[Row]]:
    """6,000 requests in 300 s, 20/s. RMF: CICS 7% of an engine, 3.5 ms; Db2 0.8%, 0.4 ms; another class 0.2%, 0.1 ms. Processors 8.6% busy,
    4.3 ms. CICS: 6,000 tasks of 3 ms; the address space 20.7 + 0.3 s, 3.5 ms. Db2: class 2 1.8 ms, address spaces 2.4 s, 0.4 ms."""
    times: Row = {"begin_at": START, "end_at": END, "member": "DB1A", "report_kind": "report", "scope": "member"}
    times |= {"occurrence": 1}
    entry = times | {"conntype": "CICS", "is_total": False}
    counted = entry | {"block": "HIGHLIGHTS", "value": 6000.0, "value_resolution": 1.0}
    time = entry | {"block": "AVERAGE"}
    accounting = [
        time | {"counter": "CP CPU TIME", "appl_class_1": 0.002, "db2_class_2": 0.0018},
        time | {"counter": "SE CPU TIME", "appl_class_1": 0.0, "db2_class_2": 0.0},
        *(counted | {"counter": name} for name in ("#OCCURRENCES", "#COMMITS")),
    ]
    space = times | {"block": "CPU TIMES", "counter": "DATABASE SERVICES", "label_path": "DATABASE SERVICES"}
    space |= {"is_total": False, "interval_elapsed_s": 300.0, "cp_cpu_time_s": 2.4, "preemptable_iip_srb_time_s": 0.0}
    space |= {"total_commits": 6000.0}
    page = heading(START, 300, scope=None)
    classes = (("CICSORD", 7.0, 6000, 20), ("DB2", 0.8, 0, 21), ("OTHER", 0.2, 0, 22))
    return studied(
        STUDY,
        rmf_workload_activity=[_class(*of) for of in classes],
        rmf_cpu_activity=[processor(0, 8.6) | {k: page[k] for k in ("interval_start", "interval_end", "interval_s")}],
        cics_monitoring_summary=[OF_PROGRAM | {"tasks": 6000, "cpu_s": 0.003} | place(30)],
        cics_dispatcher=[COLLECTED | {"address_space_cpu_s": 20.7, "address_space_srb_s": 0.3} | place(40)],
        db2_accounting_counter=[r | {"label_path": r["counter"]} | place(50 + n) for n, r in enumerate(accounting)],
        db2_statistics_counter=[space | place(60)],
    )


def changed(**tables: list[Row]) -> dict[str, list[Row]]:
    return three_sources() | tables


WHOLE = three_sources()
SUMMARY, DBM1, REGION = (WHOLE[f"{name}"][0] for name in ("cics_monitoring_summary", "db2_statistics_counter", "cics_dispatcher"))  # fmt: skip
# SYSB has two thirds of the time of SYSA: seconds over requests (cost_per_request) weigh it less than its rate does.
OF_A = [row | {"scope": "SYSA"} for row in WHOLE["rmf_workload_activity"]]
OF_B = [row | heading(START, 200, scope=None) | {"scope": "SYSB", "source_id": "b"} for row in OF_A]
UNLIKE = "systems cover unlike times: rates, not seconds over requests as in cost_per_request"
# DDF of 0.3 s, 0.05 ms a request, with 4.2 s of enclaves, 0.7 ms: 0.45 ms of address spaces, so 0.05 ms of other classes.
DDF = DBM1 | dict.fromkeys(("counter", "label_path"), "DDF ADDRESS SPACE") | {"tcb_time_s": 0.2, "preemptable_srb_time_s": 3.0}  # fmt: skip
DDF |= {"nonpreemptable_srb_time_s": 0.1, "cp_cpu_time_s": 3.3, "preemptable_iip_srb_time_s": 1.2} | place(61)
# 6,000 threads of DDF with 0.1 ms of class 2 of 0.1 ms: SQL 1.9 ms; tasks of 3 ms still have 1.2 ms of their own.
THREADS = [
    row | {"conntype": "DRDA"} | place(70 + n) | ({"appl_class_1": 0.0001, "db2_class_2": 0.0001} if row["counter"] == "CP CPU TIME" else {})
    for n, row in enumerate(WHOLE["db2_accounting_counter"])
]  # fmt: skip
NO_CICS = [row | {"subsystem": "DDF" if row["subsystem"] == "CICS" else row["subsystem"]} for row in WHOLE["study_class"]]  # fmt: skip
IDLE = [row | ({"transactions_ended": 0} if n == 0 else {}) for n, row in enumerate(WHOLE["rmf_workload_activity"])]


def within(begin: int, end: int) -> Row:
    times = {"begin_at": START + dt.timedelta(minutes=begin), "end_at": START + dt.timedelta(minutes=end)}
    return SUMMARY | times | {"interval_s": 60.0 * (end - begin)} | place(30 + begin)


PARTS = "list(cpu_ms_per_request ORDER BY part_number) FROM run_cost_source"
SHARES = f"sum(share_pct), {PARTS}"
COST = "task_cpu_ms_per_request, region_cpu_ms_per_request, monitored_s, null_reason FROM run_cics_cost"


def ms(*parts: float | None) -> object:
    return [part if part is None else approx(part, abs=1e-9) for part in parts]


test_the_parts_of_a_request = examples(
    ("parts", WHOLE, f"list(part ORDER BY part_number), list(beside_ms_per_request ORDER BY part_number), {SHARES}",
     [(["application", "SQL on the thread", "CICS itself", "Db2 address spaces", "other classes", "not captured"], ms(None, None, 0.5, 0.4, None,
      None),
       approx(100), ms(1.2, 1.8, 0.5, 0.4, 0.1, 0.3))]),
    ("regions of the parts", WHOLE,
     "regions, tasks_per_request, region_of_rmf_pct, task_of_rmf_pct, itself_ms_per_request, null_reason FROM run_cics_cost",
     [("CICSA", approx(1), approx(100), approx(85.7143, abs=5e-5), approx(0.5), None)]),
    # A mean printed as .0030 is 3 ms, 0.05 more or less: 10% of the 0.5 ms of CICS itself, 4% of the 1.2 ms of the application.
    ("what the digits leave open", WHOLE,
     "open_ms_per_request, explained_by FROM run_cost_source WHERE part_number IN (1, 3, 4) ORDER BY part_number",
     [(approx(0.05), None), (approx(0.05), "the digits of monitoring leave 0.05 ms more or less open"), (None, None)]),
    ("systems of unlike times", changed(rmf_workload_activity=[*OF_A, *OF_B]), "explained_by FROM run_cost_source WHERE part = 'other classes'",
     [(UNLIKE,)]),
    ("enclaves of DDF", changed(db2_statistics_counter=[DBM1, DDF]), PARTS, [(ms(1.2, 1.8, 0.5, 0.45, 0.05, 0.3),)]),
    # The application keeps the SQL, and the address spaces of Db2 are told by RMF among the other classes.
    ("no accounting", changed(db2_accounting_counter=[]), f"min(told_by ORDER BY part_number) FILTER (part = 'application'), {PARTS}",
     [("CICS monitoring", ms(3.0, None, 0.5, None, 0.5, 0.3))]),
    # 3.5 ms of RMF's CICS less 1.8 ms of class 2: 1.7 ms. The parts still add up to the 4.3 ms that the processors are busy.
    ("no monitoring", changed(cics_monitoring_summary=[]), SHARES, [(approx(100), ms(None, 1.8, 1.7, 0.4, 0.1, 0.3))]),
    ("told by", changed(cics_monitoring_summary=[]), "told_by, beside_ms_per_request FROM run_cost_source WHERE part = 'CICS itself'",
     [("RMF - Db2 accounting class 2", approx(1.7))]),
    ("SQL of other threads", changed(db2_accounting_counter=[*WHOLE["db2_accounting_counter"], *THREADS]), SHARES,
     [(approx(100), ms(1.2, 1.9, 0.5, 0.4, 0.0, 0.3))]),
    # Threads of DDF: 4 ms of all classes less 0.4 ms of address spaces and 1.8 ms of class 2 are 1.8 ms.
    ("no subsystem CICS", changed(cics_monitoring_summary=[], cics_dispatcher=[], study_class=NO_CICS), SHARES,
     [(approx(100), ms(None, 1.8, None, 0.4, 1.8, 0.3))]),
    ("no requests", changed(rmf_workload_activity=IDLE), "DISTINCT cpu_ms_per_request, share_pct FROM run_cost_source", [(None, None)]),
    # Five minutes in all, of which one is there twice and one not at all.
    ("a gap hides no overlap", changed(cics_monitoring_summary=[within(0, 2), within(1, 3), within(4, 5)]),
     "task_cpu_ms_per_request, null_reason FROM run_cics_cost", [(None, "monitoring spans overlap")]),
    ("a clock that was set back", changed(cics_monitoring_summary=[within(4, 1)]), COST,
     [(None, approx(3.5), None, "length of a monitoring span not known")]),
    # A second region, which is not monitored: what is not for tasks of the first is not known.
    ("statistics of other regions", changed(cics_dispatcher=[REGION, REGION | {"applid": "OTHER"} | place(41)]),
     "contains(explained_by, 'monitoring and statistics are of other regions'), itself_ms_per_request, task_cpu_ms_per_request,"
     " region_cpu_ms_per_request FROM run_cics_cost", [(True, None, approx(3.0), approx(7.0))]),
    ("CICS beside other regions", changed(cics_dispatcher=[REGION, REGION | {"applid": "OTHER"} | place(41)]),
     "beside_ms_per_request FROM run_cost_source WHERE part_number = 3", [(None,)]),
)  # fmt: skip


# --- Pages that are printed again, or lack what others have -----------------------------------------------------------


TIMED = COLLECTED | {"is_total": False, "tcb_mode": "QR", "cpu_time_s": 60.0, "dispatch_time_s": 80.0}
TIMED |= {"wait_time_s": 220.0}


# The second has a smaller peak and a larger queue time: neither value is mixed into the first.
FIRST = COLLECTED | {"transactions_total": 100, "active_peak": 9, "mxt": 10, "mxt_queue_time_s": 1.0}
SECOND = FIRST | {"active_peak": 8, "mxt_queue_time_s": 2.0}
OF: dict[str, Row] = {"cics_transaction_manager": {"transactions_total": 100, "active_total": 90, "times_at_mxt": 0}}
OF |= {"cics_dispatcher": {"address_space_cpu_s": 20.0, "address_space_srb_s": 1.0}}
OF |= {"cics_storage": {"edsa_peak_bytes": 50, "edsa_limit_bytes": 200}}
SHORT_OF = COLLECTED | {"measure": "Times went short on storage", "dsa": "CDSA"}
NOTHING = {"interval_s": 0.0, "cpu_time_s": 0.0, "dispatch_time_s": 0.0, "wait_time_s": 0.0}
ONE = SPAN | {"program": "A", "tasks": 400, "response_s": 0.01, "cpu_s": 0.0025}
SECONDS: dict[str, float] = {"response_s": 0.020, "dispatch_s": 0.008, "cpu_s": 0.005, "suspend_s": 0.012}
SECONDS |= {"dispatch_wait_s": 0.002, "first_dispatch_delay_s": 0.001, "qr_cpu_s": 0.0031, "l8_cpu_s": 0.0011}
SECONDS |= {"t8_cpu_s": 0.0008, "cpu_on_cp_s": 0.0041, "ziip_on_cp_s": 0.0007}
ZERO = {"tasks": 10, "response_s": 0.0, "dispatch_s": 0.0, "suspend_s": 0.0}


def twice(table: str, name: str, more: float) -> Rows:
    """A region whose row of a table is printed again with so much more."""
    rows = {key: [COLLECTED | values | place(number)] for number, (key, values) in enumerate(OF.items())}
    return rows | {table: [*rows[table], COLLECTED | OF[table] | {name: OF[table][name] + more} | place(1, "s2")]}


def programs(other: Row) -> Rows:
    """Two programs printed twice, the one with another value: the transaction is told for it."""
    of_b = ONE | {"program": "B"}
    return {
        "cics_monitoring_summary": [
            ONE | place(1),
            ONE | other | place(1, "s2"),
            of_b | place(2),
            of_b | place(2, "s2"),
        ]
    }


test_prints = examples(
    ("the first counts whole", {"cics_transaction_manager": [FIRST | place(1), SECOND | place(1, "s2")]},
     "active_peak, mxt_queue_time_s, peak_of_mxt_pct, is_conflicting FROM cics_region_load", [(9, 1.0, 90.0, True)]),
    *((f"{name} again, {more} more", twice(table, name, more), "is_conflicting, edsa_peak_pct FROM cics_region_load", [(bool(more), 25.0)])
      for table, name, more in (
          ("cics_transaction_manager", "active_total", 0), ("cics_transaction_manager", "active_total", 1), ("cics_transaction_manager",
           "times_at_mxt", 1),
          ("cics_dispatcher", "address_space_cpu_s", 1), ("cics_dispatcher", "address_space_srb_s", 1), ("cics_storage", "edsa_peak_bytes", 1))),
    # An area of the first went short twice by one page and three times by another: the larger counts; that of another region or collection is not its.
    *((f"storage of {other}", {
        "cics_dsa_count": [SHORT_OF | {"value": 2.0} | place(10), SHORT_OF | {"value": 3.0} | place(10, "s2"), SHORT_OF | other | {"value": 7.0} | place(11)],
        "cics_dispatcher": [COLLECTED | {"address_space_cpu_s": 1.0} | place(9)]}, "times_short_on_storage FROM cics_region_load", [(3,)])
      for other in ({"applid": "CICSB"}, {"collection": "end_of_day"}, {"collected_at": END + dt.timedelta(minutes=5)})),
    *((f"mode with another {name}", {"cics_tcb_time": [TIMED | place(1), TIMED | {name: value} | place(1, "s2")]},
       "is_conflicting, engines, busy_pct, len(refs) FROM cics_tcb_cpu", [(True, 0.2, approx(26.6667, abs=5e-5), 2)])
      for name, value in (("wait_time_s", 221.0), ("cpu_time_s", 59.0), ("waits", 5))),
    ("no time", {"cics_tcb_time": [TIMED | NOTHING | place(1)]}, "engines, busy_pct, cpu_of_dispatch_pct FROM cics_tcb_cpu", [(None, None, None)]),
    *((f"transaction with another {other}", programs(other), "is_conflicting, tasks, cpu_ms FROM cics_transaction_time", [(True, 800, approx(2.5))])
      for other in ({"tasks": 401}, {"response_s": 0.02}, {"cpu_s": 0.003})),
    ("milliseconds", {"cics_monitoring_summary": [SPAN | {"tasks": 10} | SECONDS | place(1)]},
     f"[{', '.join(name.removesuffix('_s') + '_ms' for name in SECONDS)}] FROM cics_transaction_time",
      [([approx(1000 * s) for s in SECONDS.values()],)]),
    ("parts of a response", {"cics_monitoring_summary": [SPAN | {"tasks": 10} | SECONDS | place(1)]},
     "[waiting_for_processor_ms, other_wait_ms, dispatch_pct, suspend_pct, cpu_s] FROM cics_transaction_time", [([approx(n) for n in (3, 9, 40, 60,
      0.05)],)]),
    ("a response time of zero", {"cics_monitoring_summary": [SPAN | ZERO | place(1)]},
     "response_ms, dispatch_pct, suspend_pct FROM cics_transaction_time",
     [(0.0, None, None)]),
)  # fmt: skip


# --- CICS servers -----------------------------------------------------------------------------------------------------


POOL: Row = {"system": "SYSA", "server": "data_table", "structure_name": "DFHCFLS_A", "collected_at": START}
POOL |= {"printed_at": "10.00.00"}


def test_pools_and_requests_off_the_page():
    """21,052 and 25,263 of 84,210 entries, 140 of 1,024 lists, 28,800 of 96,000 elements; 32 of 64 MiB."""
    page = yield sample_rows("servers_of_three_kinds", "cics_server_pool", "cics_server_access")
    row = one_row(page, "SELECT * FROM cics_server_pool_use WHERE server = 'data_table'")
    expect(row, entries_in_use_pct=approx(24.9994, abs=5e-5))
    expect(row, lists_max_used_pct=approx(13.6719, abs=5e-5), elements_max_used_pct=30, size_pct=50)
    expect(row, objects_current=3, fullest_pct=approx(30))
    counter = one_row(page, "SELECT * FROM cics_server_pool_use WHERE server = 'named_counter'")
    assert (counter["lists_in_use_pct"], counter["elements_in_use_pct"], counter["fullest_pct"]) == (None, None, 1.5)
    # Data tables: 45,346 to the index and 243,817 to data.
    rows = {row["server"]: row for row in page.rows("SELECT * FROM cics_server_request")}
    expect(rows["data_table"], index_requests=45346, data_requests=243817, requests=289163, counter_requests=None)
    expect(rows["named_counter"], requests=124626, version_failed_pct=approx(0.42046, abs=5e-6))
    assert rows["shared_ts"]["asynchronous_pct"] == approx(100 * 900 / 159000)


INDEX = tuple(f"index_{what}" for what in ("write_adjuncts", "inquires", "reads", "writes", "deletes"))
DATA = tuple(f"data_{what}" for what in ("creates", "writes", "reads", "rereads", "rewrites", "deletes"))
COUNTERS = ("creates", "gets", "sets", "deletes", "inquires", "browses")
LISTS = {f"{what}_{of}": n for what in ("lists", "entries", "elements") for of, n in (("total", 10), ("max_used", 3))}
EMPTY = POOL | {"entries_total": 0, "entries_in_use": 0, "size_bytes": 4096}
REQUESTS = "requests, asynchronous_pct, is_conflicting FROM cics_server_request"


test_servers = examples(
    ("an empty structure printed twice", {"cics_server_pool": [EMPTY | place(1), EMPTY | place(1, "s2") | {"size_bytes": 8192}]},
     "size_bytes, is_conflicting, len(refs), entries_in_use_pct, fullest_pct FROM cics_server_pool_use", [(4096, True, 2, None, None)]),
    # What is not known may be the fullest.
    *((f"unknown {lost}", {"cics_server_pool": [POOL | place(1) | LISTS | {lost: None}]}, "fullest_pct FROM cics_server_pool_use", [(None,)])
      for lost in ("lists_max_used", "entries_max_used", "elements_max_used")),
    # Requests of which some are unknown are no sum.
    *((f"unknown {lost}", {"cics_server_access": [
        POOL | place(1) | dict.fromkeys(names, 100) | {"server": server, "asynchronous": 5, lost: None}]}, REQUESTS, [(None, None, False)])
      for server, lost, names in (
          ("data_table", "data_rewrites", (*INDEX, *DATA)), ("shared_ts", "index_reads", (*INDEX, *DATA)), ("named_counter", "gets", COUNTERS))),
    ("no numbers", {"cics_server_access": [POOL | place(1)]}, REQUESTS, [(None, None, False)]),
)  # fmt: skip
