"""Views of Db2 accounting: what is worked by hand from the pages, what must stay NULL, and Db2 beside RMF in a study."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from db2_rows import SPACE, entry
from one_lake import Rows, examples
from study_lakes import ONE_STEP, minutes, studied
from views_lake import START, Row, approx, expect, lake_of, one_row, place, sample_rows

TABLE = "db2_accounting_counter"


def test_cost_and_waits_of_an_entry_off_the_page():
    """1,250 occurrences in 1,248 commits. Class 1: 9.655 ms on general processors and 3.09 ms on zIIPs, 12.745 ms × 1250/1248 per
    commit. Class 2: 61.733 ms elapsed less 8.1 + 2.98 ms of CPU and 17.383 ms of waits are 33.27 ms that are not accounted."""
    lake = yield sample_rows("accounting_times_of_all_parts", TABLE)
    row = one_row(lake, "SELECT * FROM db2_accounting_cost WHERE report_kind = 'report'")
    expect(row, occurrences=1250, commits=1248, order_keys="primauth,plan", class1_cp_s=0.009655, class1_ziip_s=0.00309)
    expect(row, class2_cp_s=0.0081, class2_ziip_s=0.00298, class1_cpu_ms_per_commit=approx(12.7654, abs=5e-5))
    expect(row, class1_ziip_ms_per_commit=approx(3.0950, abs=5e-5), class2_cpu_ms_per_commit=approx(11.0978, abs=5e-5))
    expect(row, class2_not_accounted_s=approx(0.03327), data_sharing_wait_ms_per_commit=approx(0.5008, abs=5e-5))
    expect(row, class3_ms_per_commit=approx(17.4109, abs=5e-5))
    # Waits: GLOBAL CONTENTION: 0.5 ms of 17.383 ms are 2.88%; 0.21 events of 2.381 ms.
    rows = {row["wait"]: row for row in lake.rows("SELECT * FROM db2_class3_wait WHERE report_kind = 'report'")}
    assert [name for name, row in rows.items() if row["is_data_sharing"]] == ["GLOBAL CONTENTION"]
    contention = rows["GLOBAL CONTENTION"]
    expect(contention, wait_share_pct=approx(2.8764, abs=5e-05), ms_per_event=approx(2.38095, abs=5e-05))
    expect(contention, ms_per_commit=approx(0.500801, abs=5e-06), events_per_commit=approx(0.210337, abs=5e-06))
    assert (rows["LOG WRITE I/O"]["wait_group"], rows["SYNCHRON. I/O"]["wait_group"]) == ("SYNCHRON. I/O", None)
    assert "TOTAL CLASS 3" not in rows


def test_cost_of_short_reports_and_by_connection_off_the_page():
    """PAYPLAN1: 8.155 ms of class 1 in 104 occurrences and 102 commits; PAYPLAN2 has class 2 printed as N/P."""
    lake = yield sample_rows("accounting_short_report", TABLE)
    rows = {row["plan"]: row for row in lake.rows("SELECT * FROM db2_accounting_cost")}
    # Totals of an authorization and of all are no entries.
    assert rows.keys() == {"PAYPLAN1", "PAYPLAN2", "STKPLAN1", "STKPLAN2"}
    one = rows["PAYPLAN1"]
    expect(one, occurrences=104, commits=102, rollbacks=2, class1_cpu_ms_per_commit=approx(8.155 * 104 / 102))
    # The print has the sum alone, and no waits.
    expect(one, class1_cp_s=None, class1_ziip_s=None, class3_s=None, data_sharing_wait_s=None)
    two = rows["PAYPLAN2"]
    assert (two["class1_cpu_ms_per_commit"], two["class2_cpu_s"], two["class2_cpu_ms_per_commit"]) == (2118, None, None)
    # By connection: 104 × 8.155 + 11 × 2118 + 40 × 1 + 6 × 2 ms in 102 + 11 + 40 + 5 commits; class 2 of one entry is not known, so not of all.
    row = one_row(lake, "SELECT * FROM db2_connection_cost")
    assert (row["entries"], row["occurrences"], row["commits"], row["conntype"]) == (4, 161, 158, None)
    assert row["class1_cpu_ms_per_commit"] == approx((848.12 + 23298 + 40 + 12) / 158)
    assert (row["class2_cpu_s"], row["class2_cpu_ms_per_commit"]) == (None, None)


def test_commits_of_which_digits_are_lost_give_no_cost():
    """#COMMITS is printed as 1.3K: 1,250 to 1,350."""
    row = one_row((yield sample_rows("accounting_long_report", TABLE)), "SELECT * FROM db2_accounting_cost")
    expect(row, thread_type="DBAT", occurrences=104, commits=None, class1_cpu_s=approx(0.008155))
    expect(row, class1_cpu_ms_per_commit=None, null_reason="commits not printed to 1%")
    # No line of data sharing is on the page: not the same as no wait.
    assert (row["class3_s"], row["data_sharing_wait_s"]) == (0.030117, None)


def test_cost_of_a_thread_off_the_page():
    """A trace prints one thread: 118 ms in 3 commits."""
    lake = yield sample_rows("accounting_trace", TABLE)
    row = one_row(lake, "SELECT * FROM db2_accounting_cost")
    expect(row, occurrences=1, commits=3, conntype="DRDA", class1_cp_ms_per_commit=approx(118 / 3))
    # No time on zIIPs is printed: the sum is not known.
    assert (row["class1_ziip_s"], row["class1_cpu_s"]) == (None, None)
    waits = {row["wait"]: row for row in lake.rows("SELECT * FROM db2_class3_wait WHERE is_data_sharing")}
    assert waits["P-LOCKS PAGESET/PARTITION"]["ms_per_event"] == approx(0.4)
    assert waits["L-LOCKS PARENT (DB,TS,TAB,PART)"]["ms_per_commit"] == approx(0.31 / 3)
    assert (waits["P-LOCKS PAGE"]["time_s"], waits["P-LOCKS PAGE"]["ms_per_event"]) == (0, None)
    assert {row["wait_group"] for row in waits.values()} == {"L-LOCKS", "P-LOCKS"}


def test_packages_off_the_page():
    rows = {
        row["package"]: row for row in lake_of("accounting_short_report", TABLE).rows("SELECT * FROM db2_package_cost")
    }
    update, dbrm = rows["STKUPD01"], rows["STKDBRM"]
    expect(update, executions=6, commits=5, package_type="PACKAGE", cpu_ms_per_commit=approx(6.104 * 6 / 5))
    expect(update, suspension_ms_per_commit=approx(28.904 * 6 / 5))
    assert (dbrm["executions"], dbrm["elapsed_s"], dbrm["cpu_s"], dbrm["cpu_ms_per_commit"]) == (2, 0.00125, None, None)
    long = one_row(
        lake_of("accounting_long_packages", TABLE), "SELECT * FROM db2_package_cost WHERE package = 'DSN@EP2L'"
    )
    expect(long, executions=478960, cp_s=0.003105, suspension_s=0.01701, elapsed_s=0.02173, ziip_s=None, cpu_s=None)
    expect(long, commits=None)


def _package(collection: str, cp: float | None, executions: float, occurrence: int) -> list[Row]:
    """The block of PGMONE in a collection, a third as much on zIIPs; SUSPENSION-CL8 twice as much as on both."""
    ziip, suspended = (None, None) if cp is None else (cp / 3, 8 * cp / 3)
    named = {"TYPE": {"value_text": "PACKAGE"}, "COLLECTION ID": {"value_text": collection}}
    named |= {"OCCURRENCES": {"value": executions}}
    times = {"CP CPU TIME": cp, "SE CPU TIME": ziip, "SUSPENSION-CL8": suspended}
    rows: list[Row] = [{"block": "PACKAGE IDENTIFICATION", "counter": name} | value for name, value in named.items()]
    rows += [{"block": "PACKAGE TIMES", "counter": name, "package_class_7": value} for name, value in times.items()]
    (key, *_) = entry(cp=None, ziip=None, occurrences=1, commits=1)
    key |= {"appl_class_1": None, "object": "PGMONE", "occurrence": occurrence}
    return [key | r | {"label_path": r["counter"]} | place(300 + 10 * occurrence + n) for n, r in enumerate(rows)]


def counters(*some: list[Row]) -> Rows:
    return {TABLE: [row for rows in some for row in rows]}


ENTRY: dict[str, Any] = {"cp": 0.003, "ziip": 0.001, "occurrences": 100, "commits": 50.0}
# 100 executions of 0.6 ms in COLLA and 100 of 0.9 ms in COLLB, in 100 commits: 1.5 ms, where COLLA alone is 0.6. 300 of 0.9: 0.6 + 2.7.
OF_ENTRY = entry(cp=0.002, ziip=0.0, occurrences=100, commits=100)
FIRST = _package("COLLA", 0.00045, 100, 1)
OF_TWO = [*OF_ENTRY, *FIRST, *_package("COLLB", 0.000675, 100, 2)]
OF_THREAD = [r | {"report_kind": "trace"} for r in OF_TWO if r["counter"] != "OCCURRENCES"]
PACKAGE = "executions, cpu_s, cpu_ms_per_commit FROM db2_package_cost"
# L-LOCKS 2 ms and P-LOCKS 1 ms stand for GLOBAL CONTENTION where that is not printed; 0.5 ms of messages are added.
LOCKS = [
    OF_ENTRY[0] | {"block": block, "counter": wait, "label_path": wait, "average_time_s": time_s, "appl_class_1": None,
     "db2_class_2": None} | place(line)
    for line, (block, wait, time_s) in enumerate((
        ("GLOBAL CONTENTION L-LOCKS", "L-LOCKS", 0.002), ("GLOBAL CONTENTION P-LOCKS", "P-LOCKS", 0.001),
        ("GLOBAL CONTENTION L-LOCKS", "PARENT (DB,TS,TAB,PART)", 0.002), ("CLASS 3 SUSPENSIONS", "NOTIFY MSGS", 0.0005)), 300)
]  # fmt: skip


test_costs = examples(
    ("package of two collections", counters(OF_TWO),
     f"collections, package_type, cp_ms_per_commit, cpu_share_pct, suspension_ms_per_commit, {PACKAGE}",
     [("COLLA,COLLB", "PACKAGE", approx(1.125), approx(150), approx(3), 200, approx(0.00075), approx(1.5))]),
    ("uneven collections", counters(OF_ENTRY, FIRST, _package("COLLB", 0.000675, 300, 2)), PACKAGE, [(400, approx(0.000825), approx(3.3))]),
    ("unknown collection", counters(OF_ENTRY, FIRST, _package("COLLB", None, 100, 2)), PACKAGE, [(200, None, None)]),
    ("one collection", counters(OF_ENTRY, FIRST), f"collections, {PACKAGE}", [("COLLA", 100, approx(0.0006), approx(0.6))]),
    # Of a thread: its sum.
    ("package of a thread", counters(OF_THREAD), PACKAGE, [(1, approx(0.0015), approx(0.015))]),
    # 100 × 4 ms and 300 × 2 ms of DRDA in 200 + 300 commits are 2 ms; CICS has 1 ms in 10 commits of 10 threads.
    ("connection types", counters(entry(cp=0.003, ziip=0.001, occurrences=100, commits=200, plan="P1"),
     entry(cp=0.002, ziip=0.0, occurrences=300, commits=300, plan="P2", line=300),
     entry(cp=0.001, ziip=0.0, occurrences=10, commits=10, plan="P3", conntype="CICS", line=400)),
     "conntype, class1_cpu_ms_per_commit, ziip_share_pct FROM db2_connection_cost ORDER BY conntype", [("CICS", approx(1), 0), ("DRDA", approx(2),
      approx(10))]),
    *((f"with {change}", counters(entry(**Row(ENTRY | change))), "class1_cpu_ms_per_commit, null_reason FROM db2_accounting_cost",
       [(cpu_ms and approx(cpu_ms), reason)])
      for change, cpu_ms, reason in (
          ({}, 8.0, None), ({"commits": 0.0}, None, "no commits"), ({"commits": None}, None, "commits not printed to 1%"),
          ({"ziip": None}, None, None), ({"cp": 0.0, "ziip": 0.0}, 0, None))),
    ("printed again", counters(entry(**ENTRY), entry(**ENTRY, source_id="s2"), entry(**Row(ENTRY | {"cp": 0.004}), source_id="s3")),
     "class1_cp_s, occurrences, len(refs), is_conflicting FROM db2_accounting_cost", [(0.003, 100, 12, True)]),
    ("waits of data sharing", counters(OF_ENTRY, LOCKS), "data_sharing_wait_s FROM db2_accounting_cost", [(approx(0.0035),)]),
    ("groups of waits", counters(OF_ENTRY, LOCKS), "wait, wait_group FROM db2_class3_wait WHERE is_data_sharing ORDER BY wait",
     [("L-LOCKS", "GLOBAL CONTENTION"), ("L-LOCKS PARENT (DB,TS,TAB,PART)", "L-LOCKS"), ("NOTIFY MSGS", None), ("P-LOCKS", "GLOBAL CONTENTION")]),
)  # fmt: skip


# Five minutes of the worked page, one of which the study selects: 1,000 to 5,000 transactions, 107.19% of an engine.
ALL_STEPS = ONE_STEP.replace("study: S\n", "study: S\ninterval: all\n")
DBM1 = SPACE | place(500) | {"cp_cpu_time_s": 15.0, "preemptable_iip_srb_time_s": 0.0}
# The page prints N/A for IRLM on zIIPs.
IRLM = SPACE | place(501) | {"counter": "IRLM", "label_path": "IRLM", "cp_cpu_time_s": 3.0, "preemptable_iip_srb_time_s": None}  # fmt: skip


def both(*more: Row, statistics: Sequence[Row] = (DBM1,), accounting: list[Row] | None = None, **given: object) -> Rows:
    values: dict[str, Any] = {"cp": 0.003, "ziip": 0.001, "occurrences": 15000.0, "commits": 30000.0} | given
    rows = entry(**values) if accounting is None else accounting
    pages = {"rmf_workload_activity": minutes(5), TABLE: [*rows, *more]}
    return studied(ALL_STEPS, **pages, db2_statistics_counter=[*statistics])


def within(begin: int, end: int) -> Row:
    return {"begin_at": START + dt.timedelta(minutes=begin), "end_at": START + dt.timedelta(minutes=end)}


# Minutes 0 to 2, 1 to 2 and 3 to 5: as long together as the five minutes from the first to the last, and one of them twice.
SPANS = ((0, 2), (1, 2), (3, 5))
OVERLAPPING = both(
    statistics=[DBM1 | within(*of) | {"interval_elapsed_s": 60.0 * (of[1] - of[0]), "line": 600 + n} for n, of in enumerate(SPANS)],
    accounting=[row for n, of in enumerate(SPANS) for row in entry(**ENTRY | {"occurrences": 3000, "commits": 3000}, line=300 + 20 * n,
     **within(*of))],
)  # fmt: skip
HALVES = [DBM1 | within(0, 2) | {"interval_elapsed_s": 120.0}, DBM1 | within(2, 5) | {"interval_elapsed_s": None, "line": 501}]  # fmt: skip
OF_B = entry(cp=0.003, ziip=0.001, occurrences=15000, commits=7500, member="DB1B", subsystem="DB1B", line=300)
# From minute 4 to minute 1: its length is not known, and no time is below 0.
SET_BACK = entry(cp=0.003, ziip=0.001, occurrences=3000, commits=3000, **within(4, 1))
MORE = both(statistics=[], cp=0.020, ziip=0.005, commits=15000.0)
SPACES = "address_spaces_cpu_ms_per_request, other_ms_per_request, explained_by FROM run_db2_cost"
CLASS_1 = "class1_cpu_ms_per_request, null_reason, address_spaces_cpu_ms_per_request FROM run_db2_cost"


def whose(member: str | None) -> Rows:
    """A page of a group that does not say whose counters it has, 15,000 × 4 ms and 15 s more: of the member that it names, or nobody's."""
    of_whom = {"scope": None, "member": member, "subsystem": None, "db2_group": "DBG"}
    accounting = entry(cp=0.003, ziip=0.001, occurrences=15000, commits=15000, line=300, **of_whom)
    return both(*accounting, statistics=[DBM1, DBM1 | place(510) | of_whom], commits=15000.0)


test_db2_beside_rmf = examples(
    # 15,000 × 25 ms are 25 ms per request, of 21.438 by RMF: 116.6%.
    ("more CPU than by RMF", MORE, f"class1_of_rmf_pct, {SPACES}", [(approx(116.615, abs=5e-3), None, None,
     "Db2 has work that the study charges to no class; no statistics of the address spaces")]),
    ("is found", MORE, "value, subject, configuration FROM finding WHERE rule = 'db2_above_rmf_pct'", [(approx(116.615, abs=5e-3), "A, run 1, DB1A",
     "A")]),
    ("less CPU is no finding", both(), "* FROM finding WHERE rule = 'db2_above_rmf_pct'", []),
    # 15 s of DBM1 and 3 s of IRLM in 15,000 requests are 1.2 ms.
    ("IRLM without zIIPs", both(statistics=[DBM1, IRLM]), "address_spaces_cpu_ms_per_request, explained_by FROM run_db2_cost",
     [(approx(1.2), "several commits per request")]),
    *((f"page of {member}", whose(member), f"members, {CLASS_1}", [(members, approx(4 * times), None, approx(times))])
      for member, members, times in ((None, "DB1A", 1), ("DB1B", "DB1A,DB1B", 2))),
    ("overlap beside a gap of its length", OVERLAPPING, f"contains(explained_by, 'statistics of the address spaces overlap'), {CLASS_1}",
     [(True, None, "accounting intervals overlap", None)]),
    ("statistics of unknown length", both(statistics=HALVES), "address_spaces_cpu_ms_per_request FROM run_db2_cost", [(None,)]),
    ("address spaces of one of two", both(*OF_B, commits=7500.0), f"members, class1_cpu_ms_per_request, {SPACES}",
     [("DB1A,DB1B", approx(8), None, None, "no statistics of the address spaces of DB1B")]),
    ("a clock that was set back", both(accounting=SET_BACK), f"commits_per_request, db2_covered_s, {CLASS_1}",
     [(None, None, None, "length of an accounting interval not known", approx(1))]),
)  # fmt: skip


def test_threads_of_a_trace_have_pools_of_their_own():
    """Two threads of the same keys end at other times: each has its pools, and none is another print of the other."""
    rows = sample_rows("accounting_times_of_all_parts", TABLE)[TABLE]
    later = [row | {"record_time": "10/14/25 13:05:00.00", "source_id": "later"} for row in rows]
    lake = yield {TABLE: [*rows, *later]}
    text = (
        "SELECT record_time, getpages, sync_io, is_conflicting FROM buffer_pool_accounting WHERE report_kind = 'trace'"
    )
    found = lake.sql(text).fetchall()
    assert len({row[0] for row in found}) == len(found) == 2
    assert [row[1:] for row in found] == [(1048, 40, False)] * 2
