"""Views of Db2 accounting: what is worked by hand from the pages, what must stay NULL, and Db2 beside RMF in a study."""

import datetime as dt

import pytest
from db2_rows import SPACE, entry
from study_lakes import ONE_STEP, minutes, studied
from views_lake import START, Row, expect, lake_of, one_row, place, sample_rows

TABLE = "db2_accounting_counter"


def test_cost_of_an_entry_off_the_page():
    """1,250 occurrences in 1,248 commits. Class 1: 9.655 ms on general processors and 3.09 ms on zIIPs, 12.745 ms × 1250/1248 per
    commit. Class 2: 61.733 ms elapsed less 8.1 + 2.98 ms of CPU and 17.383 ms of waits are 33.27 ms that are not accounted."""
    row = one_row(
        (yield sample_rows("accounting_times_of_all_parts", TABLE)),
        "SELECT * FROM db2_accounting_cost WHERE report_kind = 'report'",
    )
    expect(row, occurrences=1250, commits=1248, order_keys="primauth,plan", class1_cp_s=0.009655, class1_ziip_s=0.00309)
    expect(row, class2_cp_s=0.0081, class2_ziip_s=0.00298, class1_cpu_ms_per_commit=pytest.approx(12.7654, abs=5e-5))
    expect(row, class1_ziip_ms_per_commit=pytest.approx(3.0950, abs=5e-5))
    expect(row, class2_cpu_ms_per_commit=pytest.approx(11.0978, abs=5e-5))
    expect(row, class2_not_accounted_s=pytest.approx(0.03327))
    expect(row, data_sharing_wait_ms_per_commit=pytest.approx(0.5008, abs=5e-5))
    expect(row, class3_ms_per_commit=pytest.approx(17.4109, abs=5e-5))


def test_cost_of_short_reports_off_the_page():
    """PAYPLAN1: 8.155 ms of class 1 in 104 occurrences and 102 commits; PAYPLAN2 has class 2 printed as N/P."""
    lake = yield sample_rows("accounting_short_report", TABLE)
    rows = {row["plan"]: row for row in lake.rows("SELECT * FROM db2_accounting_cost")}
    # Totals of an authorization and of all are no entries.
    assert rows.keys() == {"PAYPLAN1", "PAYPLAN2", "STKPLAN1", "STKPLAN2"}
    one = rows["PAYPLAN1"]
    expect(one, occurrences=104, commits=102, rollbacks=2, class1_cpu_ms_per_commit=pytest.approx(8.155 * 104 / 102))
    # The print has the sum alone, and no waits.
    expect(one, class1_cp_s=None, class1_ziip_s=None, class3_s=None, data_sharing_wait_s=None)
    two = rows["PAYPLAN2"]
    assert (two["class1_cpu_ms_per_commit"], two["class2_cpu_s"], two["class2_cpu_ms_per_commit"]) == (2118, None, None)


def test_cost_by_connection_adds_entries_off_the_page():
    """104 × 8.155 + 11 × 2118 + 40 × 1 + 6 × 2 ms in 102 + 11 + 40 + 5 commits; class 2 of one entry is not known, so not of all."""
    row = one_row((yield sample_rows("accounting_short_report", TABLE)), "SELECT * FROM db2_connection_cost")
    assert (row["entries"], row["occurrences"], row["commits"], row["conntype"]) == (4, 161, 158, None)
    assert row["class1_cpu_ms_per_commit"] == pytest.approx((848.12 + 23298 + 40 + 12) / 158)
    assert (row["class2_cpu_s"], row["class2_cpu_ms_per_commit"]) == (None, None)


def test_commits_of_which_digits_are_lost_give_no_cost():
    """#COMMITS is printed as 1.3K: 1,250 to 1,350."""
    row = one_row((yield sample_rows("accounting_long_report", TABLE)), "SELECT * FROM db2_accounting_cost")
    expect(row, thread_type="DBAT", occurrences=104, commits=None, class1_cpu_s=pytest.approx(0.008155))
    expect(row, class1_cpu_ms_per_commit=None, null_reason="commits not printed to 1%")
    # No line of data sharing is on the page: not the same as no wait.
    assert (row["class3_s"], row["data_sharing_wait_s"]) == (0.030117, None)


def test_cost_of_a_thread_off_the_page():
    """A trace prints one thread: 118 ms in 3 commits."""
    lake = yield sample_rows("accounting_trace", TABLE)
    row = one_row(lake, "SELECT * FROM db2_accounting_cost")
    expect(row, occurrences=1, commits=3, conntype="DRDA", class1_cp_ms_per_commit=pytest.approx(118 / 3))
    # No time on zIIPs is printed: the sum is not known.
    assert (row["class1_ziip_s"], row["class1_cpu_s"]) == (None, None)
    waits = {row["wait"]: row for row in lake.rows("SELECT * FROM db2_class3_wait WHERE is_data_sharing")}
    assert waits["P-LOCKS PAGESET/PARTITION"]["ms_per_event"] == pytest.approx(0.4)
    assert waits["L-LOCKS PARENT (DB,TS,TAB,PART)"]["ms_per_commit"] == pytest.approx(0.31 / 3)
    assert (waits["P-LOCKS PAGE"]["time_s"], waits["P-LOCKS PAGE"]["ms_per_event"]) == (0, None)
    assert {row["wait_group"] for row in waits.values()} == {"L-LOCKS", "P-LOCKS"}


def test_waits_off_the_page():
    """GLOBAL CONTENTION: 0.5 ms of 17.383 ms are 2.88%; 0.21 events of 2.381 ms."""
    lake = yield sample_rows("accounting_times_of_all_parts", TABLE)
    rows = {row["wait"]: row for row in lake.rows("SELECT * FROM db2_class3_wait WHERE report_kind = 'report'")}
    assert [name for name, row in rows.items() if row["is_data_sharing"]] == ["GLOBAL CONTENTION"]
    contention = rows["GLOBAL CONTENTION"]
    expect(contention, wait_share_pct=pytest.approx(2.8764, abs=5e-05), ms_per_event=pytest.approx(2.38095, abs=5e-05))
    expect(contention, ms_per_commit=pytest.approx(0.500801, abs=5e-06))
    expect(contention, events_per_commit=pytest.approx(0.210337, abs=5e-06))
    assert (rows["LOG WRITE I/O"]["wait_group"], rows["SYNCHRON. I/O"]["wait_group"]) == ("SYNCHRON. I/O", None)
    assert "TOTAL CLASS 3" not in rows


def test_packages_off_the_page():
    rows = {
        row["package"]: row for row in lake_of("accounting_short_report", TABLE).rows("SELECT * FROM db2_package_cost")
    }
    update, dbrm = rows["STKUPD01"], rows["STKDBRM"]
    expect(update, executions=6, commits=5, package_type="PACKAGE", cpu_ms_per_commit=pytest.approx(6.104 * 6 / 5))
    expect(update, suspension_ms_per_commit=pytest.approx(28.904 * 6 / 5))
    assert (dbrm["executions"], dbrm["elapsed_s"], dbrm["cpu_s"], dbrm["cpu_ms_per_commit"]) == (2, 0.00125, None, None)
    long = one_row(
        lake_of("accounting_long_packages", TABLE), "SELECT * FROM db2_package_cost WHERE package = 'DSN@EP2L'"
    )
    expect(long, executions=478960, cp_s=0.003105, suspension_s=0.01701, elapsed_s=0.02173, ziip_s=None, cpu_s=None)
    expect(long, commits=None)


def _package(collection: str, cp: float | None, executions: float, occurrence: int, **other: object) -> list[Row]:
    """The block of PGMONE in a collection, a third as much on zIIPs; SUSPENSION-CL8 twice as much as on both."""
    ziip = None if cp is None else cp / 3
    named = {
        "TYPE": ("value_text", "PACKAGE"),
        "COLLECTION ID": ("value_text", collection),
        "OCCURRENCES": ("value", executions),
    }
    times = {"CP CPU TIME": cp, "SE CPU TIME": ziip, "SUSPENSION-CL8": None if cp is None else 8 * cp / 3}
    rows: list[Row] = [
        {"block": "PACKAGE IDENTIFICATION", "counter": name, column: value} for name, (column, value) in named.items()
    ]
    rows += [{"block": "PACKAGE TIMES", "counter": name, "package_class_7": value} for name, value in times.items()]
    (key, *_) = entry(cp=None, ziip=None, occurrences=1, commits=1)
    key |= {"appl_class_1": None, "object": "PGMONE", "occurrence": occurrence}
    return [
        key | r | {"label_path": r["counter"]} | place(300 + 10 * occurrence + n) | other for n, r in enumerate(rows)
    ]


def test_a_package_of_two_collections_costs_what_both_do():
    """100 executions of 0.6 ms in COLLA and 100 of 0.9 ms in COLLB, in 100 commits: 1.5 ms, where COLLA alone is 0.6. 300 of 0.9: 0.6 + 2.7."""
    of_entry = entry(cp=0.002, ziip=0.0, occurrences=100, commits=100)
    first = _package("COLLA", 0.00045, 100, 1)
    asked = "FROM db2_package_cost"
    even, uneven, lost, alone, of_trace = yield [
        {TABLE: of_entry + first + _package("COLLB", 0.000675, 100, 2)},
        {TABLE: of_entry + first + _package("COLLB", 0.000675, 300, 2)},
        {TABLE: of_entry + first + _package("COLLB", None, 100, 2)},
        {TABLE: of_entry + first},
        {
            TABLE: [
                r | {"report_kind": "trace"}
                for r in of_entry + first + _package("COLLB", 0.000675, 100, 2)
                if r["counter"] != "OCCURRENCES"
            ]
        },
    ]
    row = one_row(even, asked)
    expect(row, collections="COLLA,COLLB", executions=200, cpu_s=pytest.approx(0.00075), package_type="PACKAGE")
    expect(
        row,
        cpu_ms_per_commit=pytest.approx(1.5),
        cp_ms_per_commit=pytest.approx(1.125),
        cpu_share_pct=pytest.approx(150),
    )
    expect(row, suspension_ms_per_commit=pytest.approx(3))
    expect(one_row(uneven, asked), executions=400, cpu_ms_per_commit=pytest.approx(3.3), cpu_s=pytest.approx(0.000825))
    expect(one_row(lost, asked), executions=200, cpu_s=None, cpu_ms_per_commit=None)
    expect(one_row(alone, asked), collections="COLLA", executions=100, cpu_ms_per_commit=pytest.approx(0.6))
    # Of a thread: its sum.
    expect(one_row(of_trace, asked), executions=1, cpu_s=pytest.approx(0.0015), cpu_ms_per_commit=pytest.approx(0.015))


def test_entries_of_one_connection_type_add_and_others_stay_apart():
    """100 × 4 ms and 300 × 2 ms of DRDA in 200 + 300 commits are 2 ms; CICS has 1 ms in 10 commits of 10 threads."""
    rows = entry(cp=0.003, ziip=0.001, occurrences=100, commits=200, plan="P1")
    rows += entry(cp=0.002, ziip=0.0, occurrences=300, commits=300, plan="P2", line=300)
    rows += entry(cp=0.001, ziip=0.0, occurrences=10, commits=10, plan="P3", conntype="CICS", line=400)
    asked = "SELECT conntype, class1_cpu_ms_per_commit AS ms, ziip_share_pct AS ziip FROM db2_connection_cost ORDER BY conntype"
    assert (yield {TABLE: rows}).rows(asked) == [
        {"conntype": "CICS", "ms": pytest.approx(1), "ziip": 0},
        {"conntype": "DRDA", "ms": pytest.approx(2), "ziip": pytest.approx(10)},
    ]


@pytest.mark.parametrize(
    ("change", "cpu_ms", "reason"),
    [
        ({}, 8.0, None),
        ({"commits": 0.0}, None, "no commits"),
        ({"commits": None}, None, "commits not printed to 1%"),
        ({"ziip": None}, None, None),
        ({"cp": 0.0, "ziip": 0.0}, 0, None),
    ],
)
def test_what_is_not_known_gives_no_cost(change: Row, cpu_ms: float | None, reason: str | None):
    given = {"cp": 0.003, "ziip": 0.001, "occurrences": 100, "commits": 50.0} | change
    row = one_row((yield {TABLE: entry(**given)}), "SELECT * FROM db2_accounting_cost")
    assert (row["class1_cpu_ms_per_commit"], row["null_reason"]) == (cpu_ms and pytest.approx(cpu_ms), reason)


def test_an_entry_printed_twice_counts_once():
    rows = entry(cp=0.003, ziip=0.001, occurrences=100, commits=50)
    rows += entry(cp=0.003, ziip=0.001, occurrences=100, commits=50, source_id="s2")
    rows += entry(cp=0.004, ziip=0.001, occurrences=100, commits=50, source_id="s3")
    row = one_row((yield {TABLE: rows}), "SELECT *, len(refs) AS printed FROM db2_accounting_cost")
    assert (row["class1_cp_s"], row["occurrences"], row["printed"], row["is_conflicting"]) == (0.003, 100, 12, True)


def test_notify_messages_and_locks_are_waits_of_data_sharing():
    """L-LOCKS 2 ms and P-LOCKS 1 ms stand for GLOBAL CONTENTION where that is not printed; 0.5 ms of messages are added."""
    rows = entry(cp=0.003, ziip=0.001, occurrences=100, commits=100)
    waits = (("GLOBAL CONTENTION L-LOCKS", "L-LOCKS", 0.002), ("GLOBAL CONTENTION P-LOCKS", "P-LOCKS", 0.001))
    waits += (
        ("GLOBAL CONTENTION L-LOCKS", "PARENT (DB,TS,TAB,PART)", 0.002),
        ("CLASS 3 SUSPENSIONS", "NOTIFY MSGS", 0.0005),
    )
    for line, (block, wait, time_s) in enumerate(waits, 300):
        named: Row = {"block": block, "counter": wait, "label_path": wait, "average_time_s": time_s}
        named |= {"appl_class_1": None, "db2_class_2": None}
        rows.append(rows[0] | named | place(line))
    lake = yield {TABLE: rows}
    assert one_row(lake, "SELECT data_sharing_wait_s AS s FROM db2_accounting_cost") == {"s": pytest.approx(0.0035)}
    groups = {
        row["wait"]: row["wait_group"]
        for row in lake.rows("SELECT wait, wait_group FROM db2_class3_wait WHERE is_data_sharing")
    }
    assert groups == {
        "L-LOCKS": "GLOBAL CONTENTION",
        "P-LOCKS": "GLOBAL CONTENTION",
        "L-LOCKS PARENT (DB,TS,TAB,PART)": "L-LOCKS",
        "NOTIFY MSGS": None,
    }


# Five minutes of the worked page, one of which the study selects: 1,000 to 5,000 transactions, 107.19% of an engine.
ALL_STEPS = ONE_STEP.replace("study: S\n", "study: S\ninterval: all\n")


def _both(spaces: bool = True, **given: object) -> dict[str, list[Row]]:
    values: dict = {"cp": 0.003, "ziip": 0.001, "occurrences": 15000.0, "commits": 30000.0} | given
    counter = [SPACE | place(500) | {"cp_cpu_time_s": 15.0, "preemptable_iip_srb_time_s": 0.0}] if spaces else []
    return studied(
        ALL_STEPS,
        rmf_workload_activity=minutes(5),
        db2_accounting_counter=entry(**values),
        db2_statistics_counter=counter,
    )


def test_more_cpu_by_db2_than_by_rmf_is_found_and_explained():
    """15,000 × 25 ms are 25 ms per request, of 21.438 by RMF: 116.6%. No statistics are there."""
    lake = yield _both(spaces=False, cp=0.020, ziip=0.005, commits=15000.0)
    row = one_row(lake, "SELECT * FROM run_db2_cost")
    assert row["class1_of_rmf_pct"] == pytest.approx(116.615, abs=5e-3)
    assert row["explained_by"] == "Db2 has work that the study charges to no class; no statistics of the address spaces"
    assert (row["address_spaces_cpu_ms_per_request"], row["other_ms_per_request"]) == (None, None)
    found = one_row(lake, "SELECT value, subject, configuration FROM finding WHERE rule = 'db2_above_rmf_pct'")
    assert found == {"value": pytest.approx(116.615, abs=5e-3), "subject": "A, run 1, DB1A", "configuration": "A"}


def test_irlm_without_time_on_ziips_counts_among_the_address_spaces():
    """15 s of DBM1 and 3 s of IRLM in 15,000 requests are 1.2 ms. The page prints N/A for IRLM on zIIPs."""
    rows = _both()
    irlm = {"counter": "IRLM", "label_path": "IRLM", "cp_cpu_time_s": 3.0, "preemptable_iip_srb_time_s": None}
    rows["db2_statistics_counter"].append(SPACE | place(501) | irlm)
    row = one_row((yield rows), "SELECT * FROM run_db2_cost")
    expect(row, address_spaces_cpu_ms_per_request=pytest.approx(1.2), explained_by="several commits per request")


def test_less_cpu_by_db2_is_no_finding():
    assert (yield _both()).rows("SELECT * FROM finding WHERE rule = 'db2_above_rmf_pct'") == []


@pytest.mark.parametrize("whose", ["nobody", "DB1B"])
def test_a_page_without_a_scope_counts_if_it_names_a_member(whose: str):
    """A page of a group that does not say whose counters it has: nobody's. 15,000 × 4 ms and 15 s more are of DB1B, if it is named."""
    lake = _both(commits=15000.0)
    name = None if whose == "nobody" else whose
    of_whom = {"scope": None, "member": name, "subsystem": None, "db2_group": "DBG"}
    (dbm1,) = lake["db2_statistics_counter"]
    lake["db2_statistics_counter"].append(dbm1 | place(510) | of_whom)
    lake[TABLE] += entry(cp=0.003, ziip=0.001, occurrences=15000, commits=15000, line=300, **of_whom)
    row = one_row((yield lake), "SELECT * FROM run_db2_cost")
    members, times = ("DB1A", 1) if name is None else ("DB1A,DB1B", 2)
    found = (row["members"], row["class1_cpu_ms_per_request"], row["address_spaces_cpu_ms_per_request"])
    assert found == (members, pytest.approx(4 * times), pytest.approx(1 * times))


# Minutes 0 to 2, 1 to 2 and 3 to 5: as long together as the five minutes from the first to the last, and one of them twice.
_PARTS = [
    {"begin_at": START + dt.timedelta(minutes=begin), "end_at": START + dt.timedelta(minutes=end)}
    for begin, end in ((0, 2), (1, 2), (3, 5))
]


def test_an_overlap_is_seen_beside_a_gap_of_its_length():
    lake = _both()
    (ddf,) = lake["db2_statistics_counter"]
    lake["db2_statistics_counter"] = [
        ddf | times | {"interval_elapsed_s": (times["end_at"] - times["begin_at"]).total_seconds(), "line": 600 + n}
        for n, times in enumerate(_PARTS)
    ]
    lake[TABLE] = [
        row
        for n, times in enumerate(_PARTS)
        for row in entry(cp=0.003, ziip=0.001, occurrences=3000, commits=3000, line=300 + 20 * n, **times)
    ]
    row = one_row((yield lake), "SELECT * FROM run_db2_cost")
    assert (row["class1_cpu_ms_per_request"], row["null_reason"]) == (None, "accounting intervals overlap")
    assert row["address_spaces_cpu_ms_per_request"] is None
    assert "statistics of the address spaces overlap" in row["explained_by"]


def test_statistics_of_a_length_that_is_not_known_give_no_rate():
    lake = _both()
    (ddf,) = lake["db2_statistics_counter"]
    middle = START + dt.timedelta(minutes=2)
    lake["db2_statistics_counter"] = [
        ddf | {"end_at": middle, "interval_elapsed_s": 120.0},
        ddf | {"begin_at": middle, "interval_elapsed_s": None, "line": 501},
    ]
    assert one_row((yield lake), "SELECT * FROM run_db2_cost")["address_spaces_cpu_ms_per_request"] is None


def test_address_spaces_of_one_member_are_not_those_of_two():
    lake = _both(commits=7500.0)
    lake[TABLE] += entry(
        cp=0.003, ziip=0.001, occurrences=15000, commits=7500, member="DB1B", subsystem="DB1B", line=300
    )
    row = one_row((yield lake), "SELECT * FROM run_db2_cost")
    expect(row, members="DB1A,DB1B", class1_cpu_ms_per_request=pytest.approx(8), address_spaces_cpu_ms_per_request=None)
    expect(row, other_ms_per_request=None, explained_by="no statistics of the address spaces of DB1B")


def test_an_interval_in_which_the_clock_was_set_back_has_no_rate():
    """From minute 4 to minute 1: its length is not known, and no time is below 0."""
    lake = _both()
    minutes_4, minute_1 = START + dt.timedelta(minutes=4), START + dt.timedelta(minutes=1)
    lake[TABLE] = entry(cp=0.003, ziip=0.001, occurrences=3000, commits=3000, begin_at=minutes_4, end_at=minute_1)
    row = one_row((yield lake), "SELECT * FROM run_db2_cost")
    assert (row["class1_cpu_ms_per_request"], row["commits_per_request"], row["db2_covered_s"]) == (None, None, None)
    assert row["null_reason"] == "length of an accounting interval not known"


def test_threads_of_a_trace_have_pools_of_their_own():
    """Two threads of the same keys end at other times: each has its pools, and none is another print of the other."""
    rows = sample_rows("accounting_times_of_all_parts", TABLE)[TABLE]
    later = [row | {"record_time": "10/14/25 13:05:00.00", "source_id": "later"} for row in rows]
    lake = yield {TABLE: [*rows, *later]}
    found = lake.rows(
        "SELECT record_time, getpages, sync_io, is_conflicting FROM buffer_pool_accounting WHERE report_kind = 'trace'"
    )
    assert len({row["record_time"] for row in found}) == len(found) == 2
    assert [(row["getpages"], row["sync_io"], row["is_conflicting"]) for row in found] == [(1048, 40, False)] * 2
