"""Views of CICS statistics and monitoring, and a request's cost from RMF, CICS and Db2: worked by hand."""

from __future__ import annotations

import datetime as dt

import pytest
from cics_rows import COLLECTED, END, SPAN
from rmf_rows import processor
from study_lakes import studied
from views_lake import START, Row, expect, heading, one_row, place, sample_rows, worked_page

STUDY = """
study: Orders
baseline: A
interval: all
subsystems: {CICS: {report_class: CICSORD}, Db2: {report_class: DB2}}
requests: {report_class: CICSORD}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05}]}}
"""


def test_times_of_tcbs_off_the_page():
    """QR: 298.77031 s of 900 on a processor; 347.31006 dispatched and 552.11842 waiting are 38.6145% busy."""
    row = one_row(
        (yield sample_rows("cics_region", "cics_tcb_time")), "SELECT * FROM cics_tcb_cpu WHERE tcb_mode = 'QR'"
    )
    expect(row, engines=pytest.approx(0.331967, abs=5e-7), busy_pct=pytest.approx(38.6145, abs=5e-5))
    expect(row, waiting_for_processor_s=pytest.approx(48.53975), cpu_of_dispatch_pct=pytest.approx(86.0241, abs=5e-5))


def test_a_region_off_the_page():
    """3021.10034 + 41.5 s in 27,590 tasks are 111.0041 ms; 88 of 120 tasks; areas went short 0 + 1 + 2 + 3 times."""
    tables = ("cics_transaction_manager", "cics_dispatcher", "cics_storage", "cics_dsa_count")
    row = one_row((yield sample_rows("cics_region", *tables)), "SELECT * FROM cics_region_load")
    expect(row, cpu_ms_per_transaction=pytest.approx(111.0040, abs=1e-4), engines=pytest.approx(3062.60034 / 900))
    expect(row, peak_of_mxt_pct=pytest.approx(73.3333, abs=5e-5), times_short_on_storage=6, user_transactions=27553)
    expect(row, is_conflicting=False)


def test_storage_of_which_an_area_is_not_known():
    count = COLLECTED | {"measure": "Times went short on storage"}
    rows = [count | {"dsa": "CDSA", "value": 2.0} | place(10), count | {"dsa": "UDSA", "value": None} | place(11)]
    lake = yield {"cics_dsa_count": rows, "cics_dispatcher": [COLLECTED | {"address_space_cpu_s": 1.0} | place(9)]}
    assert one_row(lake, "SELECT times_short_on_storage AS n FROM cics_region_load") == {"n": None}


def test_requested_collections_and_second_prints_do_not_count():
    mode = COLLECTED | {"is_total": False, "tcb_mode": "QR", "cpu_time_s": 60.0, "dispatch_time_s": 80.0}
    mode |= {"wait_time_s": 220.0}
    lake = yield {
        "cics_tcb_time": [
            mode | place(1),
            mode | place(1, "s2"),
            mode | {"collection": "requested"} | place(2),
            mode | {"is_total": True, "tcb_mode": None} | place(3),
            mode | {"tcb_mode": "L8", "cpu_time_s": None, "dispatch_time_s": 1.0, "wait_time_s": None} | place(4),
        ]
    }
    rows = {row["tcb_mode"]: row for row in lake.rows("SELECT * FROM cics_tcb_cpu")}
    assert rows.keys() == {"QR", "L8"}
    assert (rows["QR"]["engines"], rows["QR"]["busy_pct"]) == (0.2, pytest.approx(26.6667, abs=5e-5))
    assert (rows["QR"]["waiting_for_processor_s"], rows["QR"]["is_conflicting"]) == (20.0, False)
    assert (rows["L8"]["engines"], rows["L8"]["busy_pct"], rows["L8"]["waiting_for_processor_s"]) == (None, None, None)


def test_times_of_a_transaction_off_the_page():
    """18,433 tasks of 2.7 ms are 49.7691 s, known to half a tenth of a millisecond: 0.92165 s, 1.85%. Dispatch 4.2 of 12.1 ms."""
    lake = yield sample_rows("summary_default_columns", "cics_monitoring_summary")
    row = one_row(lake, "SELECT * FROM cics_transaction_time WHERE transaction = 'ORDR'")
    expect(row, tasks=18433, cpu_s=pytest.approx(49.7691), cpu_precision_s=pytest.approx(0.92165, abs=5e-06))
    expect(row, cpu_precision_pct=pytest.approx(1.85185, abs=5e-06), dispatch_pct=pytest.approx(34.7107, abs=5e-5))
    expect(row, waiting_for_processor_ms=pytest.approx(1.5), other_wait_ms=None)


def test_programs_of_a_transaction_are_weighted_by_their_tasks():
    """300 × 2 + 100 × 4 ms are 400 × 2.5 ms, 1 s. A list of the same span is the same tasks; totals are no transaction."""
    summary = SPAN | {"cpu_s_resolution": 0.0001, "response_s": 0.01}
    lake = yield {
        "cics_monitoring_summary": [
            summary | {"program": "A", "tasks": 300, "cpu_s": 0.002} | place(1),
            summary | {"program": "B", "tasks": 100, "cpu_s": 0.004} | place(2),
            summary | {"program": "B", "tasks": 100, "cpu_s": 0.004} | place(2, "s2"),
            summary | {"transaction": None, "is_total": True, "tasks": 400, "cpu_s": 0.0025} | place(3),
        ],
        "cics_monitoring_task": [SPAN | {"task": 7, "cpu_s": 9.0, "response_s": 9.0} | place(4)],
    }
    row = one_row(lake, "SELECT * FROM cics_transaction_time")
    assert (row["tasks"], row["cpu_ms"], row["cpu_s"]) == (400, pytest.approx(2.5), pytest.approx(1.0))
    assert (row["response_ms"], row["dispatch_ms"], row["is_conflicting"]) == (pytest.approx(10), None, False)


def test_summaries_of_one_span_are_the_same_tasks_again():
    """One summary by transaction has response times, one processor times; a third is by program: 400 tasks of 2.5 ms, 1 s, not 800."""
    lake = yield {
        "cics_monitoring_summary": [
            SPAN | {"tasks": 400, "response_s": 0.01} | place(1),
            SPAN | {"tasks": 400, "cpu_s": 0.0025, "cpu_s_resolution": 0.0001} | place(2),
            *(
                SPAN | {"program": program, "tasks": tasks, "qr_cpu_s": 0.001, "cpu_s": 0.0024} | place(n, "s2")
                for n, (program, tasks) in enumerate((("A", 300), ("B", 100)), 3)
            ),
        ]
    }
    row = one_row(lake, "SELECT * FROM cics_transaction_time")
    expect(row, tasks=400, response_ms=pytest.approx(10), cpu_ms=pytest.approx(2.5), cpu_s=pytest.approx(1.0))
    expect(row, cpu_precision_pct=pytest.approx(2.0), qr_cpu_ms=pytest.approx(1.0), is_conflicting=False)


def test_summaries_that_count_other_tasks_conflict():
    lake = yield {
        "cics_monitoring_summary": [
            SPAN | {"tasks": 400, "cpu_s": 0.0025} | place(1),
            SPAN | {"program": "A", "tasks": 300, "cpu_s": 0.0025} | place(2, "s2"),
        ]
    }
    row = one_row(lake, "SELECT * FROM cics_transaction_time")
    assert (row["tasks"], row["is_conflicting"]) == (400, True)


def test_tasks_of_a_list_are_added():
    tasks = [SPAN | {"task": n, "cpu_s": 0.001 * n, "response_s": 0.01} | place(n) for n in (1, 2, 3)]
    row = one_row((yield {"cics_monitoring_task": tasks}), "SELECT tasks, cpu_ms, cpu_s FROM cics_transaction_time")
    assert row == {"tasks": 3, "cpu_ms": pytest.approx(2), "cpu_s": pytest.approx(0.006)}


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
    return studied(
        STUDY,
        rmf_workload_activity=[
            _class(*of) for of in (("CICSORD", 7.0, 6000, 20), ("DB2", 0.8, 0, 21), ("OTHER", 0.2, 0, 22))
        ],
        rmf_cpu_activity=[processor(0, 8.6) | {k: page[k] for k in ("interval_start", "interval_end", "interval_s")}],
        cics_monitoring_summary=[
            SPAN | {"tasks": 6000, "cpu_s": 0.003, "cpu_s_resolution": 0.0001, "response_s": 0.01} | place(30)
        ],
        cics_dispatcher=[COLLECTED | {"address_space_cpu_s": 20.7, "address_space_srb_s": 0.3} | place(40)],
        db2_accounting_counter=[r | {"label_path": r["counter"]} | place(50 + n) for n, r in enumerate(accounting)],
        db2_statistics_counter=[space | place(60)],
    )


def test_the_parts_of_a_request_add_up_to_the_busy_time():
    lake = yield three_sources()
    rows = lake.rows("SELECT * FROM run_cost_source ORDER BY part_number")
    parts = [(r["part"], round(r["cpu_ms_per_request"], 6)) for r in rows]
    assert parts == [
        ("application", 1.2),
        ("SQL on the thread", 1.8),
        ("CICS itself", 0.5),
        ("Db2 address spaces", 0.4),
        ("other classes", 0.1),
        ("not captured", 0.3),
    ]
    assert sum(r["share_pct"] for r in rows) == pytest.approx(100)
    beside = [r["beside_ms_per_request"] for r in rows]
    assert beside == [None, None, pytest.approx(0.5), pytest.approx(0.4), None, None]
    row = one_row(lake, "SELECT * FROM run_cics_cost")
    assert (row["regions"], row["tasks_per_request"]) == ("CICSA", pytest.approx(1))
    assert (row["region_of_rmf_pct"], row["task_of_rmf_pct"]) == pytest.approx((100, 85.7143), abs=5e-5)
    assert (row["itself_ms_per_request"], row["null_reason"]) == (pytest.approx(0.5), None)


def test_parts_of_systems_that_cover_unlike_times_are_told_by_rates():
    """SYSB has two thirds of the time of SYSA: seconds over requests (cost_per_request) weigh it less than its rate does."""
    lake = three_sources()
    page = heading(START, 200, scope=None) | {"scope": "SYSB"}
    of_b = [row | page | {"source_id": "b"} for row in lake["rmf_workload_activity"]]
    lake["rmf_workload_activity"] = [*(row | {"scope": "SYSA"} for row in lake["rmf_workload_activity"]), *of_b]
    why = {row["explained_by"] for row in (yield lake).rows("FROM run_cost_source WHERE part = 'other classes'")}
    assert why == {"systems cover unlike times: rates, not seconds over requests as in cost_per_request"}


def test_the_enclaves_of_ddf_are_not_of_its_address_space():
    """DDF of 0.3 s, 0.05 ms a request, with 4.2 s of enclaves, 0.7 ms: 0.45 ms of address spaces, so 0.05 ms of other classes."""
    lake = three_sources()
    (dbm1,) = lake["db2_statistics_counter"]
    times = {"tcb_time_s": 0.2, "preemptable_srb_time_s": 3.0, "nonpreemptable_srb_time_s": 0.1, "cp_cpu_time_s": 3.3}
    ddf = dbm1 | dict.fromkeys(("counter", "label_path"), "DDF ADDRESS SPACE") | times | place(61)
    lake["db2_statistics_counter"].append(ddf | {"preemptable_iip_srb_time_s": 1.2})
    parts = [round(r["cpu_ms_per_request"], 6) for r in (yield lake).rows("FROM run_cost_source ORDER BY part_number")]
    assert parts == [1.2, 1.8, 0.5, 0.45, 0.05, 0.3]


def test_what_the_digits_of_monitoring_leave_open_is_told_with_the_part():
    """A mean printed as .0030 is 3 ms, 0.05 more or less: 10% of the 0.5 ms of CICS itself, 4% of the 1.2 ms of the application."""
    rows = {r["part"]: r for r in (yield three_sources()).rows("SELECT * FROM run_cost_source")}
    expect(rows["application"], open_ms_per_request=pytest.approx(0.05), explained_by=None)
    why = "the digits of monitoring leave 0.05 ms more or less open"
    expect(rows["CICS itself"], open_ms_per_request=pytest.approx(0.05), explained_by=why)
    expect(rows["Db2 address spaces"], open_ms_per_request=None)


def test_without_accounting_the_application_keeps_the_sql():
    lake = three_sources()
    lake["db2_accounting_counter"] = []
    rows = {r["part"]: r for r in (yield lake).rows("SELECT * FROM run_cost_source")}
    expect(rows["application"], cpu_ms_per_request=pytest.approx(3.0), told_by="CICS monitoring")
    assert rows["SQL on the thread"]["cpu_ms_per_request"] is None
    # Without accounting the address spaces of Db2 are told by RMF among the other classes.
    assert rows["other classes"]["cpu_ms_per_request"] == pytest.approx(0.5)


def test_without_monitoring_the_sql_is_taken_from_the_address_spaces_of_cics():
    """3.5 ms of RMF's CICS less 1.8 ms of class 2: 1.7 ms. The parts still add up to the 4.3 ms that the processors are busy."""
    lake = three_sources()
    lake["cics_monitoring_summary"] = []
    rows = {r["part"]: r for r in (yield lake).rows("SELECT * FROM run_cost_source")}
    assert rows["application"]["cpu_ms_per_request"] is None
    expect(rows["CICS itself"], cpu_ms_per_request=pytest.approx(1.7), beside_ms_per_request=pytest.approx(1.7))
    expect(rows["CICS itself"], told_by="RMF - Db2 accounting class 2")
    assert sum(r["share_pct"] for r in rows.values() if r["share_pct"]) == pytest.approx(100)


def test_sql_of_other_threads_is_not_taken_from_tasks():
    """6,000 threads of DDF with 0.1 ms of class 2 of 0.1 ms: SQL 1.9 ms; tasks of 3 ms still have 1.2 ms of their own."""
    lake = three_sources()
    of_cics = lake["db2_accounting_counter"]
    others = [row | {"conntype": "DRDA"} | place(70 + n) for n, row in enumerate(of_cics)]
    for row in others:
        if row["counter"] == "CP CPU TIME":
            row |= {"appl_class_1": 0.0001, "db2_class_2": 0.0001}
    lake["db2_accounting_counter"] = of_cics + others
    rows = {r["part"]: r for r in (yield lake).rows("SELECT * FROM run_cost_source")}
    assert rows["application"]["cpu_ms_per_request"] == pytest.approx(1.2)
    assert rows["SQL on the thread"]["cpu_ms_per_request"] == pytest.approx(1.9)
    assert rows["other classes"]["cpu_ms_per_request"] == pytest.approx(0.0, abs=1e-9)
    assert sum(r["share_pct"] for r in rows.values()) == pytest.approx(100)


def test_without_a_subsystem_cics_the_sql_is_taken_from_the_other_classes():
    """Threads of DDF: 4 ms of all classes less 0.4 ms of address spaces and 1.8 ms of class 2 are 1.8 ms."""
    lake = three_sources()
    lake["cics_monitoring_summary"] = []
    lake["cics_dispatcher"] = []
    for row in lake["study_class"]:
        row["subsystem"] = "DDF" if row["subsystem"] == "CICS" else row["subsystem"]
    rows = {r["part"]: r for r in (yield lake).rows("SELECT * FROM run_cost_source")}
    assert rows["CICS itself"]["cpu_ms_per_request"] is None
    assert rows["other classes"]["cpu_ms_per_request"] == pytest.approx(1.8)
    assert sum(r["share_pct"] for r in rows.values() if r["share_pct"]) == pytest.approx(100)


def test_without_requests_no_request_costs_anything():
    lake = three_sources()
    lake["rmf_workload_activity"][0]["transactions_ended"] = 0
    rows = (yield lake).rows("SELECT part, cpu_ms_per_request AS ms, share_pct FROM run_cost_source")
    assert {(row["ms"], row["share_pct"]) for row in rows} == {(None, None)}


def _within(begin: int, end: int) -> Row:
    times = {"begin_at": START + dt.timedelta(minutes=begin), "end_at": START + dt.timedelta(minutes=end)}
    return times | {"interval_s": 60.0 * (end - begin)} | place(30 + begin)


def test_a_gap_does_not_hide_that_monitoring_overlaps():
    """0 to 2 minutes, 1 to 3 minutes, and 4 to 5: five minutes in all, of which one is there twice and one not at all."""
    lake = three_sources()
    (row,) = lake["cics_monitoring_summary"]
    lake["cics_monitoring_summary"] = [row | _within(begin, end) for begin, end in ((0, 2), (1, 3), (4, 5))]
    row = one_row((yield lake), "SELECT * FROM run_cics_cost")
    assert (row["task_cpu_ms_per_request"], row["null_reason"]) == (None, "monitoring spans overlap")


def test_statistics_of_other_regions_are_not_compared_with_monitoring():
    """Statistics of a second region, which is not monitored: what is not for tasks of the first is not known."""
    rows = three_sources()
    (region,) = rows["cics_dispatcher"]
    rows["cics_dispatcher"].append(region | {"applid": "OTHER"} | place(41))
    lake = yield rows
    row = one_row(lake, "SELECT * FROM run_cics_cost")
    assert (row["task_cpu_ms_per_request"], row["region_cpu_ms_per_request"]) == pytest.approx((3.0, 7.0))
    assert row["itself_ms_per_request"] is None
    assert "monitoring and statistics are of other regions" in row["explained_by"]
    part = one_row(lake, "SELECT beside_ms_per_request AS ms FROM run_cost_source WHERE part_number = 3")
    assert part == {"ms": None}


def test_a_span_in_which_the_clock_was_set_back_has_no_rate():
    rows = three_sources()
    rows["cics_monitoring_summary"][0] |= _within(4, 1)
    row = one_row((yield rows), "SELECT * FROM run_cics_cost")
    expect(row, task_cpu_ms_per_request=None, monitored_s=None, null_reason="length of a monitoring span not known")
    expect(row, region_cpu_ms_per_request=pytest.approx(3.5))
