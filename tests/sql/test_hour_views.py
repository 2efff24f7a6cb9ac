"""The views by clock hour, on which the page of a lake rests: sums, what is unknown, and what is left out."""

import datetime as dt

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks
from rmf_rows import processor, service_class
from views_lake import START, Row, expect, heading, one_row, place

QUARTER = dt.timedelta(minutes=15)


def at(quarter: int, seconds: float = 900) -> Row:
    """Times of a quarter of an hour after START, 10:00."""
    start = START + quarter * QUARTER
    return {"interval_start": start, "interval_end": start + dt.timedelta(seconds=seconds), "interval_s": seconds}


def plain(quarter: int, **other: object) -> Row:
    """The heading of a page without a service policy."""
    row = heading(START + quarter * QUARTER, 900)
    return row | other


def _hours(*rows: Row, **tables: list[Row]) -> Asks[list[Row]]:
    lake = yield dict(rmf_workload_activity=list(rows), **tables)
    return lake.rows("SELECT * FROM class_hour ORDER BY class_name, hour_start")


def test_class_hour_adds_time_and_transactions():
    rows = yield from _hours(
        *(service_class("CICS", cp, **at(n), line=10 + n) for n, cp in enumerate((40.0, 60.0, 50.0, 50.0)))
    )
    (row,) = rows
    expect(row, hour_start=START, covered_s=3600.0, cp_time_s=pytest.approx(1800.0), transactions_ended=2400)
    assert row["has_cpu"]
    assert row["refs"] == [{"source_id": "s1", "page": 1, "line": 10}]


def test_class_hour_with_a_missing_interval_is_not_a_smaller_hour():
    (row,) = yield from _hours(service_class("CICS", 40.0, **at(0)), service_class("CICS", 40.0, **at(2), line=12))
    assert (row["covered_s"], row["cp_time_s"]) == (1800.0, pytest.approx(720.0))


def test_class_hour_counts_a_class_that_is_not_printed_as_idle_where_the_interval_is_whole():
    rows = yield from _hours(
        service_class("CICS", 40.0, **at(0)),
        service_class("BATCH", 20.0, **at(0), line=12),
        service_class("CICS", 40.0, **at(1), line=14),
    )
    assert [(r["class_name"], r["covered_s"], r["cp_time_s"]) for r in rows] == [
        ("BATCH", 1800.0, 180.0),
        ("CICS", 1800.0, 720.0),
    ]


def test_class_hour_does_not_know_a_class_that_may_be_among_what_could_not_be_read():
    reject = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "one.txt", "page": 2, "line": 14}
    rows = yield from _hours(
        service_class("CICS", 40.0, **at(0)),
        service_class("BATCH", 20.0, **at(0), line=12),
        service_class("CICS", 40.0, **at(1), line=16, page=2),
        parse_reject=[reject],
    )
    assert [(r["class_name"], r["cp_time_s"], r["transactions_ended"]) for r in rows] == [
        ("BATCH", None, None),
        ("CICS", 720.0, 1200),
    ]


def test_class_hour_is_unknown_where_one_value_is():
    (row,) = yield from _hours(service_class("CICS", 40.0, **at(0)), service_class("CICS", None, **at(1), line=12))
    assert (row["cp_time_s"], row["transactions_ended"], row["covered_s"]) == (None, 1200, 1800.0)


def test_class_hour_leaves_out_overlapping_and_duration_reports():
    (row,) = yield from _hours(
        service_class("CICS", 40.0, **at(0, 1800)),
        service_class("CICS", 40.0, **at(1), line=12),
        service_class("CICS", 90.0, **at(0, 3600), line=14, report_kind="duration"),
    )
    assert (row["covered_s"], row["cp_time_s"]) == (1800.0, pytest.approx(720.0))


def _goal(quarter: int, index: float | None, **other: object) -> Row:
    row = heading(START + quarter * QUARTER, 900, line=20 + quarter, class_kind="service_class_period", period=1)
    row |= {"workload": "ONLINE", "service_class": "CICSHI", "system": "*ALL", "is_total": True}
    row |= {"goal_type": "velocity"}
    return row | {"goal_pct": 50.0, "performance_index": index} | other


def _activity(quarter: int) -> Row:
    row = service_class("CICSHI", 40.0, **at(quarter), line=10 + quarter, scope="SYSA,SYSB", workload="ONLINE")
    return row | {"class_kind": "service_class_period", "period": 1, "importance": 1, "transactions_ended": 100}


def test_goal_hour_counts_and_has_the_worst():
    lake = yield {
        "rmf_workload_activity": [_activity(n) for n in range(4)],
        "rmf_workload_goal": [_goal(n, index) for n, index in enumerate((0.8, 1.2, 3.1, None))],
    }
    row = one_row(lake, "SELECT * FROM goal_hour")
    expect(row, intervals=4, known=3, missed=2, worst_index=3.1, worst_start=START + 2 * QUARTER, importance=1)
    expect(row, workload="ONLINE", refs=[{"source_id": "s1", "page": 1, "line": 22}], transactions_ended=400)


def test_goal_hour_takes_the_worst_system_where_no_total_is_printed():
    systems = [_goal(0, 0.7, system="SYSA", is_total=False), _goal(0, 1.4, system="SYSB", is_total=False, line=30)]
    goals = systems, [*systems, _goal(0, 0.9, line=31)]
    lake, total = yield [{"rmf_workload_activity": [_activity(0)], "rmf_workload_goal": of} for of in goals]
    assert one_row(lake, "SELECT missed, worst_index FROM goal_hour") == {"missed": 1, "worst_index": 1.4}
    # Those of the class, which counts all systems once: not of a system, and not twice.
    assert one_row(lake, "SELECT transactions_ended FROM goal_hour") == {"transactions_ended": 100}
    assert one_row(total, "SELECT missed, worst_index FROM goal_hour") == {"missed": 0, "worst_index": 0.9}


def test_the_goal_of_an_hour_is_of_what_has_its_index():
    """SYSA has a goal of a response time, SYSB one of a velocity: the worst index is SYSA's in the first quarter, SYSB's in the second."""
    goals = [
        _goal(n, index, system=system, is_total=False, goal_type=kind, line=20 + 2 * n + (system == "SYSB"))
        for n, worst in enumerate(("SYSA", "SYSB"))
        for system, kind in (("SYSA", "average"), ("SYSB", "velocity"))
        for index in [1.4 if system == worst else 0.7]
    ]
    cases = [goals[:2], goals]
    lakes = yield [{"rmf_workload_activity": [_activity(0), _activity(1)], "rmf_workload_goal": of} for of in cases]
    asked = "SELECT goal_type, missed FROM goal_hour"
    assert [lake.sql(asked).fetchall() for lake in lakes] == [[("average", 1)], [("velocity", 2)]]


def _delays(quarter: int, *delays: tuple[str, float], line: int = 50, **other: object) -> list[Row]:
    row = {k: v for k, v in _goal(quarter, None).items() if k not in ("goal_type", "goal_pct", "performance_index")}
    return [
        row | {"delay_group": "EXEC DELAYS %", "reason": reason, "pct": pct, "line": line + n} | other
        for n, (reason, pct) in enumerate(delays)
    ]


def test_delays_of_a_missed_goal_are_those_of_the_worst_interval():
    """Indexes of 1.2 and 3.1, and one that is met and delayed most; in the hour before 3.1 again, printed above."""
    delays = _delays(0, ("TOT", 60.0), ("I/O", 60.0))
    delays += _delays(1, ("TOT", 40.0), ("CPU", 30.0), ("CAP", 8.0), ("SWIN", 2.0), ("STOR", 0.0), line=60)
    lake = yield {
        "rmf_workload_activity": [_activity(n) for n in (-1, 0, 1, 2)],
        "rmf_workload_goal": [_goal(n, index) for n, index in ((-1, 3.1), (0, 1.2), (1, 3.1), (2, 0.9))],
        "rmf_workload_delay": [
            *delays,
            *_delays(2, ("TOT", 90.0), ("CPU", 90.0), line=70),
            *_delays(-1, ("I/O", 5.0), line=4),
        ],
    }
    before, row = lake.rows("SELECT * FROM missed_goal_delay ORDER BY hour_start")
    assert (before["delay_1_reason"], before["delay_1_pct"]) == ("I/O", 5)
    assert (row["hour_start"], row["interval_start"], row["performance_index"]) == (START, START + QUARTER, 3.1)
    assert (row["system"], row["delays_pct"], row["importance"], row["workload"]) == (None, 40, 1, "ONLINE")
    found = [(row[f"delay_{n}_reason"], row[f"delay_{n}_pct"]) for n in (1, 2, 3)]
    assert found == [("CPU", 30), ("CAP", 8), ("SWIN", 2)]
    assert {ref["line"] for ref in row["refs"]} == {21, 60, 61, 62, 63, 64}


def test_delays_of_the_worst_system_where_no_total_is_printed():
    """Of 1.2 and 1.4. Beside a total of 1.4 they are its own."""
    of_b = {"system": "SYSB", "is_total": False}
    systems = [_goal(0, 1.2, system="SYSA", is_total=False), _goal(0, 1.4, line=30, **of_b)]
    delays = _delays(0, ("CPU", 10.0), system="SYSA", is_total=False) + _delays(0, ("CAP", 20.0), line=60, **of_b)
    pages = {"rmf_workload_activity": [_activity(0)], "rmf_workload_goal": systems, "rmf_workload_delay": delays}
    of_total = {"rmf_workload_goal": [*systems, _goal(0, 1.4, line=31)]}
    of_total |= {"rmf_workload_delay": delays + _delays(0, ("I/O", 15.0), line=70)}
    rows = [one_row(lake, "SELECT * FROM missed_goal_delay") for lake in (yield [pages, pages | of_total])]
    found = [(row["system"], row["delay_1_reason"], row["delay_1_pct"]) for row in rows]
    assert found == [("SYSB", "CAP", 20), (None, "I/O", 15)]


def test_delays_that_two_pages_print_differently_are_unknown():
    delays = _delays(0, ("CPU", 10.0)) + _delays(0, ("CPU", 11.0), line=60, source_id="s2")
    pages = {"rmf_workload_activity": [_activity(0)], "rmf_workload_goal": [_goal(0, 1.4)]}
    row = one_row((yield dict(**pages, rmf_workload_delay=delays)), "SELECT * FROM missed_goal_delay")
    assert (row["performance_index"], row["delay_1_reason"], row["delay_1_pct"]) == (1.4, None, None)


def test_processor_hour_weighs_by_time_and_leaves_out_what_overlaps():
    rows = [
        processor(0, 50.0, **at(0)),
        processor(0, 100.0, **at(1), line=40),
        processor(0, 90.0, **at(0, 3600), line=50, report_kind="duration"),
    ]
    lakes = yield [{"rmf_cpu_activity": of} for of in (rows, [*rows, processor(0, None, **at(2), line=60)])]
    asked = "SELECT covered_s, engines_online, engines_busy, busy_pct FROM processor_hour"
    found = [(*one_row(lake, asked).values(),) for lake in lakes]
    assert found == [(1800.0, 1.0, 0.75, 75.0), (2700.0, 1.0, None, None)]


def test_cf_hour_is_a_mean_by_time_and_names_the_busiest():
    rows = [
        plain(n, cf_name="CF01", utilization_pct=u, processors_effective=2.0, line=10 + n)
        for n, u in enumerate((10.0, 30.0))
    ]
    lost = plain(2, cf_name="CF01", utilization_pct=None, line=12)
    known, unknown = yield [{"rmf_cf_usage": of} for of in (rows, [*rows, lost])]
    row = one_row(known, "SELECT * FROM cf_hour")
    assert (row["covered_s"], row["utilization_pct"], row["utilization_max_pct"]) == (1800.0, 20.0, 30.0)
    assert row["refs"] == [{"source_id": "s1", "page": 1, "line": 11}]
    assert one_row(unknown, "SELECT utilization_pct FROM cf_hour") == {"utilization_pct": None}


def _structure(system: str, quarter: int, sync: int, us: float | None, **other: object) -> Row:
    row = plain(
        quarter,
        system=system,
        cf_name="CF01",
        structure_name="LOCK1",
        structure_type="LOCK",
        status="ACTIVE",
        is_total=False,
    )
    row |= {"requests": sync, "requests_per_s": sync / 900, "sync_requests": sync, "sync_service_us": us}
    row |= {"async_requests": 0}
    return row | {"changed_requests": 0, "line": 10 + quarter + (20 if system == "SYSB" else 0)} | other


def test_cf_structure_hour_weighs_service_times_by_requests():
    rows = [_structure("SYSA", 0, 100, 10.0), _structure("SYSB", 0, 300, 30.0)]
    lakes = yield [{"rmf_cf_structure_activity": of} for of in (rows, [*rows, _structure("SYSA", 1, 0, None)])]
    row, idle = (one_row(lake, "SELECT * FROM cf_structure_hour") for lake in lakes)
    expect(row, sync_service_us=25.0, requests=400, systems=2, covered_s=900.0, requests_per_s=pytest.approx(400 / 900))
    # Without requests there is no service time, and none is needed.
    assert idle["sync_service_us"] == 25.0


def test_cf_structure_hour_leaves_out_what_overlaps():
    """A half hour of 100 requests, and its second quarter again."""
    half = {"interval_end": START + 2 * QUARTER, "interval_s": 1800.0}
    rows = [_structure("SYSA", 0, 100, 10.0, **half), _structure("SYSA", 1, 50, 10.0)]
    row = one_row((yield {"rmf_cf_structure_activity": rows}), "SELECT covered_s, requests FROM cf_structure_hour")
    assert row == {"covered_s": 1800.0, "requests": 100}


def test_cf_structure_hour_takes_contention_of_the_lock_requests():
    lock = {"contention_requests": 1000, "contention_total": 6, "contention_false": 2}
    rows = [_structure("SYSA", 0, 100, 10.0, **lock), _structure("SYSB", 0, 300, 30.0, **lock)]
    row = one_row((yield {"rmf_cf_structure_activity": rows}), "SELECT * FROM cf_structure_hour")
    assert (row["contention_pct"], row["false_contention_pct"]) == (pytest.approx(0.6), pytest.approx(0.2))


def test_xcf_path_hour_adds_peers_once():
    path: Row = {"system": "SYSA", "direction": "outbound", "path_type": "S", "structure": "IXC1"}
    path |= {"transport_class": "DEFAULT"}
    counts = {"requests_out": 900, "available": 990, "busy": 10, "retries": 0}
    rows = [
        plain(0, peer_system=peer, line=line, **path, **counts)
        for peer, line in (("SYSB", 10), ("SYSC", 11), ("SYSC", 12))
    ]
    row = one_row((yield {"rmf_xcf_path": rows}), "SELECT * FROM xcf_path_hour")
    expect(row, signals=1800, signals_per_s=2.0, busy_pct=1.0, retries=0, buffers_unavailable=None)


def test_xcf_path_hour_leaves_out_what_overlaps():
    """A half hour of 900 signals, and its second quarter again."""
    path: Row = {"system": "SYSA", "direction": "outbound", "path_type": "S", "structure": "IXC1"}
    path |= {"peer_system": "SYSB"}
    half = {"interval_end": START + 2 * QUARTER, "interval_s": 1800.0}
    rows = [plain(0, line=10, **path, **half, requests_out=900), plain(1, line=11, **path, requests_out=450)]
    row = one_row((yield {"rmf_xcf_path": rows}), "SELECT covered_s, signals FROM xcf_path_hour")
    assert row == {"covered_s": 1800.0, "signals": 900}


def test_group_buffer_pool_hour_adds_members_before_it_divides():
    """57 of 429 reads of one member, and 43 of 571 of the other: 10%."""
    other = GBP6 | {"SYN.READ(XI)-DATA RETURNED": 43.0, "SYN.READ(NF)-DATA RETURNED": 0.0}
    other |= {"SYN.READ(NF)-NO DATA RETURN": 528.0}
    lake = yield {
        "db2_statistics_counter": [
            *counter_rows(GBP6),
            *counter_rows(other, member="DB2B", subsystem="DB2B", source_id="s2"),
        ]
    }
    row = one_row(lake, "SELECT * FROM group_buffer_pool_hour")
    expect(row, members=2, reads_total=1000, read_hit_pct=10.0, xi_reads_pct=9.6, xi_hit_pct=100.0, writes_total=860)
    expect(row, castout_pages=2, failed_no_storage=0)


def test_hours_of_pools_leave_out_what_overlaps():
    """Ten minutes, of which five are printed again."""
    rows = counter_rows(GBP6)
    rows += counter_rows({"GETPAGE REQUEST": 52_208.0}, block="READ OPERATIONS", object="BP4")
    again = {"begin_at": START + dt.timedelta(minutes=5), "interval_elapsed_s": 300.0}
    lake = yield {"db2_statistics_counter": [*rows, *(row | again | {"line": row["line"] + 500} for row in rows)]}
    assert one_row(lake, "SELECT covered_s, reads_total FROM group_buffer_pool_hour") == {
        "covered_s": 600.0,
        "reads_total": 429,
    }
    assert one_row(lake, "SELECT covered_s, getpages FROM buffer_pool_hour") == {"covered_s": 600.0, "getpages": 52_208}


def test_hours_of_pools_count_a_report_of_the_group_for_members_without_their_own():
    """Of DB2A both are there, of DB2B that of the group alone."""
    of_group = {"scope": "group_member", "subsystem": None, "source_id": "s2"}
    pool = {"block": "READ OPERATIONS", "object": "BP4"}
    lake = yield {
        "db2_statistics_counter": [
            *counter_rows(GBP6),
            *counter_rows(dict.fromkeys(GBP6, 99.0), **of_group),
            *counter_rows(GBP6, **(of_group | {"member": "DB2B"})),
            *counter_rows({"GETPAGE REQUEST": 52_208.0}, **pool),
            *counter_rows({"GETPAGE REQUEST": 7.0}, **pool, **of_group),
            *counter_rows({"GETPAGE REQUEST": 8.0}, **pool, **(of_group | {"member": "DB2B"})),
        ]
    }
    row = one_row(lake, "SELECT members, reads_total FROM group_buffer_pool_hour")
    assert row == {"members": 2, "reads_total": 858}
    assert one_row(lake, "SELECT members, getpages FROM buffer_pool_hour") == {"members": 2, "getpages": 52_216}


def test_a_member_of_the_same_name_at_another_location_takes_nothing_away():
    of_group = {"scope": "group_member", "location": "M", "source_id": "s2"}
    pool = {"block": "READ OPERATIONS", "object": "BP4"}
    lake = yield {
        "db2_statistics_counter": [
            *counter_rows(GBP6),
            *counter_rows(GBP6, **of_group),
            *counter_rows({"GETPAGE REQUEST": 7.0}, **pool),
            *counter_rows({"GETPAGE REQUEST": 8.0}, **pool, **of_group),
        ]
    }
    reads = "SELECT location, reads_total FROM group_buffer_pool_hour ORDER BY ALL"
    assert [tuple(row.values()) for row in lake.rows(reads)] == [("L", 429), ("M", 429)]
    pages = "SELECT location, getpages FROM buffer_pool_hour ORDER BY ALL"
    assert [tuple(row.values()) for row in lake.rows(pages)] == [("L", 7), ("M", 8)]
    accesses = "SELECT count(*) FROM gbp_rmf_reconciliation"
    assert list(one_row(lake, accesses).values()) == [2]


def test_group_buffer_pool_hour_does_not_know_a_sum_with_an_unknown_part():
    unknown = GBP6 | {"CHANGED PGS SYNC.WRTN": None}
    row = one_row((yield {"db2_statistics_counter": counter_rows(unknown)}), "SELECT * FROM group_buffer_pool_hour")
    assert (row["writes_total"], row["reads_total"]) == (None, 429)


def test_buffer_pool_hour():
    counters = {"GETPAGE REQUEST": 52_208.0, "SYNCHRONOUS READS": 871.0, "PAGES READ VIA SEQ.PREFETCH": 12_000.0}
    counters |= {"LIST PREFETCH READS": 0.0, "DYNAMIC PREFETCH READS": 0.0}
    fewer = {k: v for k, v in counters.items() if k != "LIST PREFETCH READS"} | {"DYNAMIC PREFETCH READS": 5.0}
    rows = [counter_rows(some, block="READ OPERATIONS", object="BP4") for some in (counters, fewer)]
    lakes = yield [{"db2_statistics_counter": of} for of in rows]
    row, unknown = (one_row(lake, "SELECT * FROM buffer_pool_hour") for lake in lakes)
    expect(row, getpages=52_208, sync_io=871, prefetch_pages=12_000, hit_pct=pytest.approx(75.35, abs=0.005))
    expect(row, getpages_per_s=pytest.approx(52_208 / 600))
    # Prefetch that ran and whose pages are not printed: the ratio is not known.
    assert (unknown["hit_pct"], unknown["prefetch_pages"]) == (None, None)


def test_db2entry_hour():
    entry: Row = {"applid": "CICSA", "collection": "interval", "is_total": False, "db2entry": "TRADENT"}
    entry |= {"interval_s": 1800.0}
    counts = {"calls": 900, "thread_creates": 22, "thread_reuses": 228_212, "thread_waits_or_overflows": 3}
    rows = [
        entry | counts | place(10 + n) | {"collected_at": START + dt.timedelta(minutes=30 * (n + 1))} for n in range(2)
    ]
    row = one_row((yield {"cics_db2entry_request": rows}), "SELECT * FROM db2entry_hour")
    assert (row["hour_start"], row["covered_s"], row["calls_per_s"]) == (START, 3600.0, 0.5)
    assert (row["thread_reuse_pct"], row["thread_waits_or_overflows"]) == (pytest.approx(99.990, abs=0.0005), 6)
