"""The views by clock hour, on which the page of a lake rests: sums, what is unknown, and what is left out."""

import datetime as dt

from db2_rows import GBP6, counter_rows, counters
from one_lake import Rows, examples
from rmf_rows import processor, service_class, structures
from views_lake import START, Row, approx, expect, heading, one_row, place

QUARTER = dt.timedelta(minutes=15)


def at(quarter: int, seconds: float = 900) -> Row:
    """Times of a quarter of an hour after START, 10:00."""
    start = START + quarter * QUARTER
    return {"interval_start": start, "interval_end": start + dt.timedelta(seconds=seconds), "interval_s": seconds}


def plain(quarter: int, **other: object) -> Row:
    """The heading of a page without a service policy."""
    return heading(START + quarter * QUARTER, 900) | other


def classes(*rows: tuple[str, float | None, int, Row], **tables: list[Row]) -> Rows:
    """Rows of classes by name, CP and quarter, a line each."""
    made = [service_class(name, cp, **at(n), line=10 + 2 * k) | other for k, (name, cp, n, other) in enumerate(rows)]
    return {"rmf_workload_activity": made, **tables}


REJECT = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "one.txt", "page": 2, "line": 14}
HALF = at(0, 1800)
HOURS = "covered_s, cp_time_s, transactions_ended FROM class_hour ORDER BY class_name"


test_hours_of_classes = examples(
    ("sums", classes(*(("CICS", cp, n, {}) for n, cp in enumerate((40.0, 60.0, 50.0, 50.0)))),
     f"hour_start, has_cpu, [r.line for r in refs], {HOURS}",
     [(START, True, [10], 3600.0, approx(1800.0), 2400)]),
    ("a missing interval is no smaller hour", classes(("CICS", 40.0, 0, {}), ("CICS", 40.0, 2, {})), HOURS, [(1800.0, approx(720.0), 1200)]),
    ("a class that is not printed is idle", classes(("CICS", 40.0, 0, {}), ("BATCH", 20.0, 0, {}), ("CICS", 40.0, 1, {})), HOURS,
     [(1800.0, 180.0, 600), (1800.0, 720.0, 1200)]),
    ("it may be among what could not be read",
     classes(("CICS", 40.0, 0, {}), ("BATCH", 20.0, 0, {}), ("CICS", 40.0, 1, {"page": 2}), parse_reject=[REJECT]), HOURS,
     [(1800.0, None, None), (1800.0, 720.0, 1200)]),
    ("unknown where one value is", classes(("CICS", 40.0, 0, {}), ("CICS", None, 1, {})), HOURS, [(1800.0, None, 1200)]),
    ("overlaps and durations", classes(("CICS", 40.0, 0, HALF), ("CICS", 40.0, 1, {}), ("CICS", 90.0, 0, at(0, 3600) | {"report_kind": "duration"})),
     HOURS, [(1800.0, approx(720.0), 600)]),
)  # fmt: skip


def _goal(quarter: int, index: float | None, **other: object) -> Row:
    row = heading(START + quarter * QUARTER, 900, line=20 + quarter, class_kind="service_class_period", period=1)
    row |= {"workload": "ONLINE", "service_class": "CICSHI", "system": "*ALL", "is_total": True}
    return row | {"goal_type": "velocity", "goal_pct": 50.0, "performance_index": index} | other


def _activity(quarter: int) -> Row:
    row = service_class("CICSHI", 40.0, **at(quarter), line=10 + quarter, scope="SYSA,SYSB", workload="ONLINE")
    return row | {"class_kind": "service_class_period", "period": 1, "importance": 1, "transactions_ended": 100}


def goals(*of: Row, quarters: tuple[int, ...] = (0,), delays: tuple[Row, ...] = ()) -> Rows:
    activity = [_activity(n) for n in quarters]
    return {"rmf_workload_activity": activity, "rmf_workload_goal": [*of], "rmf_workload_delay": [*delays]}


def _delays(quarter: int, *delays: tuple[str, float], line: int = 50, **other: object) -> list[Row]:
    row = {k: v for k, v in _goal(quarter, None).items() if k not in ("goal_type", "goal_pct", "performance_index")}
    return [
        row | {"delay_group": "EXEC DELAYS %", "reason": reason, "pct": pct, "line": line + n} | other
        for n, (reason, pct) in enumerate(delays)
    ]


OF_A, OF_B = {"system": "SYSA", "is_total": False}, {"system": "SYSB", "is_total": False}
# SYSA has a goal of a response time, SYSB one of a velocity: the worst index is SYSA's in the first quarter, SYSB's in the second.
KINDS = [
    _goal(n, 1.4 if system == worst else 0.7, goal_type=kind, line=20 + 2 * n + (system == "SYSB")) | {"system": system, "is_total": False}
    for n, worst in enumerate(("SYSA", "SYSB")) for system, kind in (("SYSA", "average"), ("SYSB", "velocity"))
]  # fmt: skip
SYSTEMS = [_goal(0, 1.2, **OF_A), _goal(0, 1.4, line=30, **OF_B)]
OF_SYSTEMS = [*_delays(0, ("CPU", 10.0), **OF_A), *_delays(0, ("CAP", 20.0), line=60, **OF_B)]
MISSED = "missed, worst_index, transactions_ended FROM goal_hour"
DELAY = "system, performance_index, delay_1_reason, delay_1_pct FROM missed_goal_delay"


test_hours_of_goals = examples(
    ("worst", goals(*(_goal(n, index) for n, index in enumerate((0.8, 1.2, 3.1, None))), quarters=(0, 1, 2, 3)),
     f"intervals, known, worst_start, importance, workload, [r.line for r in refs], {MISSED}",
     [(4, 3, START + 2 * QUARTER, 1, "ONLINE", [22], 2, 3.1, 400)]),
    # Transactions are those of the class, which counts all systems once.
    ("worst system", goals(*SYSTEMS), MISSED, [(1, 1.4, 100)]),
    ("total beside systems", goals(*SYSTEMS, _goal(0, 0.9, line=31)), MISSED, [(0, 0.9, 100)]),
    ("type of the worst", goals(*KINDS[:2], quarters=(0, 1)), "goal_type, missed FROM goal_hour", [("average", 1)]),
    ("type of the last worst", goals(*KINDS, quarters=(0, 1)), "goal_type, missed FROM goal_hour", [("velocity", 2)]),
    ("delays of the worst system", goals(*SYSTEMS, delays=(*OF_SYSTEMS,)), DELAY, [("SYSB", 1.4, "CAP", 20)]),
    ("delays of a total", goals(*SYSTEMS, _goal(0, 1.4, line=31), delays=(*OF_SYSTEMS, *_delays(0, ("I/O", 15.0), line=70))), DELAY,
     [(None, 1.4, "I/O", 15)]),
    ("delays printed differently", goals(_goal(0, 1.4), delays=(*_delays(0, ("CPU", 10.0)), *_delays(0, ("CPU", 11.0), line=60, source_id="s2"))),
     DELAY, [(None, 1.4, None, None)]),
)  # fmt: skip


def test_delays_of_a_missed_goal_are_those_of_the_worst_interval():
    """Indexes of 1.2 and 3.1, and one that is met and delayed most; in the hour before 3.1 again, printed above."""
    delays = _delays(0, ("TOT", 60.0), ("I/O", 60.0)) + _delays(2, ("TOT", 90.0), ("CPU", 90.0), line=70)
    delays += _delays(1, ("TOT", 40.0), ("CPU", 30.0), ("CAP", 8.0), ("SWIN", 2.0), ("STOR", 0.0), line=60)
    delays += _delays(-1, ("I/O", 5.0), line=4)
    of = [_goal(n, index) for n, index in ((-1, 3.1), (0, 1.2), (1, 3.1), (2, 0.9))]
    lake = yield goals(*of, quarters=(-1, 0, 1, 2), delays=(*delays,))
    before, row = lake.rows("SELECT * FROM missed_goal_delay ORDER BY hour_start")
    expect(before, delay_1_reason="I/O", delay_1_pct=5)
    expect(row, hour_start=START, interval_start=START + QUARTER, performance_index=3.1, system=None, delays_pct=40)
    expect(row, importance=1, workload="ONLINE")
    found = [(row[f"delay_{n}_reason"], row[f"delay_{n}_pct"]) for n in (1, 2, 3)]
    assert found == [("CPU", 30), ("CAP", 8), ("SWIN", 2)]
    assert {ref["line"] for ref in row["refs"]} == {21, 60, 61, 62, 63, 64}


BUSY = [
    processor(0, 50.0, **at(0)), processor(0, 100.0, **at(1), line=40), processor(0, 90.0, **at(0, 3600), line=50, report_kind="duration"),
]  # fmt: skip
ENGINES = "covered_s, engines_online, engines_busy, busy_pct FROM processor_hour"
FACILITY = [plain(n, cf_name="CF01", utilization_pct=u, processors_effective=2.0, line=10 + n) for n, u in enumerate((10.0, 30.0, None))]  # fmt: skip
OF_FACILITY = "covered_s, utilization_pct, [r.line for r in refs], utilization_max_pct FROM cf_hour"


def _structure(system: str, quarter: int, sync: int, us: float | None, **other: object) -> Row:
    row = plain(quarter, system=system, cf_name="CF01", structure_name="LOCK1", structure_type="LOCK", status="ACTIVE")
    row |= {"requests": sync, "requests_per_s": sync / 900, "sync_requests": sync, "sync_service_us": us}
    row |= {"async_requests": 0, "changed_requests": 0, "is_total": False}
    return row | {"line": 10 + quarter + (20 if system == "SYSB" else 0)} | other


LOCK = {"contention_requests": 1000, "contention_total": 6, "contention_false": 2}
TWO = [_structure("SYSA", 0, 100, 10.0, **LOCK), _structure("SYSB", 0, 300, 30.0, **LOCK)]
OF_STRUCTURE = "sync_service_us, requests, systems, covered_s, requests_per_s FROM cf_structure_hour"
PATH: Row = {"system": "SYSA", "direction": "outbound", "path_type": "S", "structure": "IXC1", "peer_system": "SYSB"}
COUNTS = {"requests_out": 900, "available": 990, "busy": 10, "retries": 0, "transport_class": "DEFAULT"}


test_hours_of_processors_facilities_and_paths = examples(
    ("processors by time", {"rmf_cpu_activity": BUSY}, ENGINES, [(1800.0, 1.0, 0.75, 75.0)]),
    ("a processor that is unknown once", {"rmf_cpu_activity": [*BUSY, processor(0, None, **at(2), line=60)]}, ENGINES, [(2700.0, 1.0, None, None)]),
    ("facilities by time", {"rmf_cf_usage": FACILITY[:2]}, OF_FACILITY, [(1800.0, 20.0, [11], 30.0)]),
    ("a facility that is unknown once", {"rmf_cf_usage": FACILITY}, "covered_s, utilization_pct FROM cf_hour", [(2700.0, None)]),
    # 100 of 10 us and 300 of 30 us; without requests there is no service time, and none is needed.
    ("structures by requests", structures(*TWO), OF_STRUCTURE, [(25.0, 400, 2, 900.0, approx(400 / 900))]),
    ("idle structure", structures(*TWO, _structure("SYSA", 1, 0, None)), "sync_service_us FROM cf_structure_hour", [(25.0,)]),
    # A half hour of 100 requests, and its second quarter again.
    ("structures that overlap", structures(_structure("SYSA", 0, 100, 10.0, **HALF), _structure("SYSA", 1, 50, 10.0)),
     "covered_s, requests FROM cf_structure_hour", [(1800.0, 100)]),
    ("contention of lock requests", structures(*TWO), "contention_pct, false_contention_pct FROM cf_structure_hour", [(approx(0.6), approx(0.2))]),
    ("peers once", {"rmf_xcf_path": [plain(0, **PATH | COUNTS | {"peer_system": p, "line": n}) for p, n in (("SYSB", 10), ("SYSC", 11), ("SYSC",
     12))]},
     "signals, signals_per_s, busy_pct, retries, buffers_unavailable FROM xcf_path_hour", [(1800, 2.0, 1.0, 0, None)]),
    # A half hour of 900 signals, and its second quarter again.
    ("paths that overlap", {"rmf_xcf_path": [plain(0, line=10, requests_out=900, **PATH | HALF), plain(1, line=11, requests_out=450, **PATH)]},
     "covered_s, signals FROM xcf_path_hour", [(1800.0, 900)]),
)  # fmt: skip


def bp4(getpages: float, **other: object) -> list[Row]:
    return counter_rows({"GETPAGE REQUEST": getpages}, block="READ OPERATIONS", object="BP4", **other)


OTHER = GBP6 | {"SYN.READ(XI)-DATA RETURNED": 43.0, "SYN.READ(NF)-DATA RETURNED": 0.0, "SYN.READ(NF)-NO DATA RETURN": 528.0}  # fmt: skip
# Ten minutes, of which five are printed again.
ONCE = counter_rows(GBP6) + bp4(52_208.0)
FIVE = {"begin_at": START + dt.timedelta(minutes=5), "interval_elapsed_s": 300.0}
OVERLAPPING = counters(ONCE, [row | FIVE | {"line": row["line"] + 500} for row in ONCE])
# Of DB2A both its own report and that of the group are there, of DB2B that of the group alone.
OF_GROUP = {"scope": "group_member", "subsystem": None, "source_id": "s2"}
OF_DB2B = OF_GROUP | {"member": "DB2B"}
MEMBERS = counters(
    ONCE, counter_rows(dict.fromkeys(GBP6, 99.0), **OF_GROUP), counter_rows(GBP6, **OF_DB2B), bp4(7.0, **OF_GROUP), bp4(8.0, **OF_DB2B)
)  # fmt: skip
# A member of the same name at another location takes nothing away.
AT_M = {"scope": "group_member", "location": "M", "source_id": "s2"}
LOCATIONS = counters(counter_rows(GBP6), counter_rows(GBP6, **AT_M), bp4(7.0), bp4(8.0, **AT_M))
READS: Row = {"GETPAGE REQUEST": 52_208.0, "SYNCHRONOUS READS": 871.0, "PAGES READ VIA SEQ.PREFETCH": 12_000.0}
READS |= {"LIST PREFETCH READS": 0.0, "DYNAMIC PREFETCH READS": 0.0}
FEWER = {k: v for k, v in READS.items() if k != "LIST PREFETCH READS"} | {"DYNAMIC PREFETCH READS": 5.0}
POOL = {"block": "READ OPERATIONS", "object": "BP4"}


test_hours_of_pools = examples(
    # 57 of 429 reads of one member, and 43 of 571 of the other: 10%.
    ("members before the ratio", counters(counter_rows(GBP6), counter_rows(OTHER, member="DB2B", subsystem="DB2B", source_id="s2")),
     "members, reads_total, read_hit_pct, xi_reads_pct, xi_hit_pct, writes_total, castout_pages, failed_no_storage FROM group_buffer_pool_hour",
     [(2, 1000, 10.0, 9.6, 100.0, 860, 2, 0)]),
    ("group pools that overlap", OVERLAPPING, "covered_s, reads_total FROM group_buffer_pool_hour", [(600.0, 429)]),
    ("pools that overlap", OVERLAPPING, "covered_s, getpages FROM buffer_pool_hour", [(600.0, 52_208)]),
    ("report of the group", MEMBERS, "members, reads_total FROM group_buffer_pool_hour", [(2, 858)]),
    ("pools in a report of the group", MEMBERS, "members, getpages FROM buffer_pool_hour", [(2, 52_216)]),
    ("locations", LOCATIONS, "location, reads_total FROM group_buffer_pool_hour ORDER BY ALL", [("L", 429), ("M", 429)]),
    ("pools of locations", LOCATIONS, "location, getpages FROM buffer_pool_hour ORDER BY ALL", [("L", 7), ("M", 8)]),
    ("accesses of locations", LOCATIONS, "count(*) FROM gbp_rmf_reconciliation", [(2,)]),
    ("unknown writes", counters(counter_rows(GBP6 | {"CHANGED PGS SYNC.WRTN": None})), "writes_total, reads_total FROM group_buffer_pool_hour",
     [(None, 429)]),
    ("reads", counters(counter_rows(READS, **POOL)), "getpages, sync_io, prefetch_pages, hit_pct, getpages_per_s FROM buffer_pool_hour",
     [(52_208, 871, 12_000, approx(75.35, abs=0.005), approx(52_208 / 600))]),
    # Prefetch that ran and whose pages are not printed.
    ("unknown prefetch", counters(counter_rows(FEWER, **POOL)), "hit_pct, prefetch_pages FROM buffer_pool_hour", [(None, None)]),
)  # fmt: skip


def test_db2entry_hour():
    entry: Row = {"applid": "CICSA", "collection": "interval", "is_total": False, "db2entry": "TRADENT"}
    entry |= {"interval_s": 1800.0, "calls": 900, "thread_creates": 22, "thread_reuses": 228_212}
    entry |= {"thread_waits_or_overflows": 3}
    rows = [entry | place(10 + n) | {"collected_at": START + dt.timedelta(minutes=30 * (n + 1))} for n in range(2)]
    row = one_row((yield {"cics_db2entry_request": rows}), "SELECT * FROM db2entry_hour")
    expect(row, hour_start=START, covered_s=3600.0, calls_per_s=0.5, thread_waits_or_overflows=6)
    assert row["thread_reuse_pct"] == approx(99.990, abs=0.0005)
