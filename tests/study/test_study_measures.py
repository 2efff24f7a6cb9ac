"""Views that compare configurations: overhead by class, delay by group buffer pools, parts of a difference, response times,
JMH results, worked by hand."""

import json
import math

import pytest
import scipy
from one_lake import Rows, examples
from rmf_rows import report_class, synchronous_structure
from study_lakes import ONE_STEP, studied
from views_lake import START, MemoryLake, Row, expect, heading, span, worked_page

approx = pytest.approx
COUPLED = """\
study: S
requests: {report_class: RCICS}
subsystems: {DB2: {report_class: [DBM1, IRLM]}}
configurations:
  alone: {steps: [{window: 2021-04-13T10:00/10:01}]}
  coupled: {steps: [{window: 2021-04-13T10:01/10:02}]}
coupling: {uncoupled: alone, coupled: coupled}
"""


def two_minutes(**dbm1: object) -> list[Row]:
    """10 requests a second for 20, 12 and 8% of an engine, then 11.5 for 26.45, 13.8 and 9.2%; `dbm1`: of the second minute."""
    return [
        report_class("RCICS", 0, 20.0, 600), report_class("DBM1", 0, 12.0, 0), report_class("IRLM", 0, 8.0, 0),
        report_class("RCICS", 1, 26.45, 690), report_class("DBM1", 1, 13.8, 0) | dbm1, report_class("IRLM", 1, 9.2, 0),
    ]  # fmt: skip


def test_overhead_of_a_class_is_its_time_a_request():
    lake = yield studied(COUPLED, rmf_workload_activity=two_minutes())
    rows = {row["class_name"]: row for row in lake.rows("FROM coupling_overhead_by_class")}
    assert set(rows) == {"RCICS", "DBM1", "IRLM", None}
    cics = rows["RCICS"]
    expect(cics, uncoupled="alone", coupled="coupled", subsystem=None, cpu_uncoupled_ms_per_request=approx(20))
    expect(cics, cpu_coupled_ms_per_request=approx(23), cpu_increase_ms_per_request=approx(3))
    assert cics["cpu_increase_pct"] == cics["cpu_increase_per_transaction_pct"] == approx(15)
    expect(cics, cpu_coupled_ms_per_transaction=approx(23), cpu_uncoupled_share_pct=approx(50))
    expect(cics, cpu_share_change_pct=approx(100 * 26.45 / 49.45 - 50), overhead_share_pct=approx(100))
    assert [ref["line"] for ref in cics["refs"]] == [10, 11]
    # As much a request as before: no overhead, whatever its percentage of an engine does.
    expect(rows["DBM1"], cpu_increase_pct=approx(0, abs=1e-9), subsystem="DB2", cpu_coupled_ms_per_transaction=None)
    expect(rows[None], is_total=True, cpu_increase_pct=approx(100 * (43 / 40 - 1)))


# DBM1 moves to zIIPs: CP 12, then 4.6% and IIP 9.2%: at 10 and 11.5 requests a second 12 and 4 ms of what is paid for, 12 in all. RCICS
# has no zIIP time: 20 and 23 ms both ways. In all 40 and (26.45 + 4.6 + 9.2) / 11.5 = 35 ms.
MOVED = two_minutes(appl_cp_pct=4.6, appl_iip_pct=9.2, iip_time_s=5.52, cpu_time_s=8.28)
# A zIIP cell that is not known leaves general-processor time known; a factor of the study is of all times, paid for or not.
UNKNOWN = [row | ({"appl_iip_pct": None} if n == 4 else {}) for n, row in enumerate(MOVED)]
PAID = "cp_uncoupled_ms_per_request, cp_coupled_ms_per_request, cp_increase_ms_per_request, cp_increase_pct"
# Engines of 16.5 MIPS before, stated for 19.4: 20 ms are 17.0 ms.
MIPS = COUPLED + "normalization: {alone: {engine_mips: [16.5, 19.4]}, coupled: {lpar_overhead_pct: 10}}\n"
IDLE = [row | ({"transactions_ended": 0} if n == 3 else {}) for n, row in enumerate(two_minutes())]
# 600 requests for 12 s and 1200 for 18 s of processor time: 30 s for 1800. DBM1 is not known in one of the runs, IRLM is not printed there.
TWO_RUNS = COUPLED.replace("10:00/10:01}]", "10:00/10:01}, {window: 2021-04-13T10:05/10:06}]")
OF_RUNS = [report_class("RCICS", 5, 30.0, 1200), report_class("DBM1", 5, None), *two_minutes()]


def of(name: str | None) -> str:
    return f"FROM coupling_overhead_by_class WHERE class_name IS NOT DISTINCT FROM {(name and repr(name)) or 'NULL'}"


def coupled(pages: list[Row], text: str = COUPLED) -> Rows:
    return studied(text, rmf_workload_activity=pages)


test_overhead_by_class = examples(
    *((f"general-processor time of {name}", coupled(MOVED), f"{PAID} {of(name)}", [tuple(map(approx, values))])
      for name, values in (("DBM1", (12, 4, -8, -200 / 3)), ("RCICS", (20, 23, 3, 15)), (None, (40, 35, -5, -12.5)))),
    ("all time", coupled(MOVED), f"cpu_coupled_ms_per_request {of('DBM1')}", [(approx(12),)]),
    ("unknown zIIP time", coupled(UNKNOWN), f"cpu_increase_pct, cp_increase_pct {of('DBM1')}", [(None, approx(-200 / 3))]),
    ("factor of all times", coupled(MOVED, COUPLED + "normalization: {coupled: {lpar_overhead_pct: 10}}\n"),
     f"cp_coupled_ms_per_request {of('DBM1')}",
     [(approx(3.6),)]),
    ("normalized", coupled(two_minutes(), MIPS), f"cpu_uncoupled_ms_per_request, cpu_coupled_ms_per_request, cpu_increase_pct {of('RCICS')}",
     [(approx(20 * 16.5 / 19.4), approx(23 * 0.9), approx(100 * (20.7 / (20 * 16.5 / 19.4) - 1)))]),
    ("class of one configuration", coupled(two_minutes()[:5]),
     f"cpu_uncoupled_ms_per_request, cpu_coupled_ms_per_request, cpu_increase_pct {of('IRLM')}", [(approx(8), None, None)]),
    ("no requests", coupled(IDLE), f"cpu_coupled_ms_per_request, cpu_increase_pct, cpu_coupled_share_pct {of('DBM1')}",
     [(None, None, approx(100 * 13.8 / 49.45))]),
    *((f"runs of {name}", coupled(OF_RUNS, TWO_RUNS), f"cpu_uncoupled_ms_per_request {of(name)}", [(ms,)])
      for name, ms in (("RCICS", approx(1000 * 30 / 1800)), ("DBM1", None), ("IRLM", None))),
)  # fmt: skip


def pool(name: str, per_s: float, service_us: float | None, **other: object) -> Row:
    """A group buffer pool in 15 minutes, all of its requests synchronous."""
    return synchronous_structure(f"DB2T_{name}", per_s, service_us) | other


def in_summary(cf_name: str, role: str | None = None) -> Row:
    """The pool in a facility's usage summary."""
    row = heading(START, 900, line=50, cf_name=cf_name, structure_name="DB2T_GBP1", is_total=False, duplex_role=role)
    return row | {"list_directory_entries_current": 7}


def delays(*structures: Row, scope: str = "SYS1", ended: int = 11853, summary: tuple[Row, ...] = ()) -> Rows:
    """Of 13.17 transactions a second, if nothing else is said."""
    return studied(
        ONE_STEP.replace("10:00/10:05", "10:00/10:15"),
        rmf_workload_activity=[worked_page(**heading(START, 900, scope=scope), transactions_ended=ended)],
        rmf_cf_structure_activity=[*structures],
        rmf_cf_structure_summary=[*summary],
    )


def test_delay_is_accesses_a_transaction_times_service_time():
    published = [pool("GBP2", 14.81, 225.6), pool("GBP6", 4.67, 294.5, line=51), pool("GBP7", 5.75, 286.4, line=52)]
    others = [
        pool("GBP2", 13.77, 218.1, system="SYS2", line=53),
        pool("LOCK1", 99.0, 10.0, line=54),
        pool("GBP2", 14.81, 225.6, cf_name="CF2", status="ACTIVE SECONDARY", line=55),
        pool("GBP2", 28.58, 222.0, system=None, is_total=True, line=56),
    ]
    rows = (yield delays(*published, *others)).rows("FROM gbp_delay_per_transaction ORDER BY is_total, gbp")
    assert [row["gbp"] for row in rows] == ["GBP2", "GBP6", "GBP7", "LOCK1", None]
    # The lock structure: 99/s x 10 us / 13.17 per s = 75.17 us; the pools alone are the published 483.16.
    found = [row["delay_per_transaction_us"] for row in rows]
    assert found == approx([253.69, 104.43, 125.04, 75.17, 558.33], abs=5e-3)
    total = rows[4]
    expect(total, db2_group="DB2T", is_total=True, systems="SYS1", accesses_per_s=approx(124.23))
    expect(total, accesses_per_transaction=approx(124.23 / 13.17), selected_s=900, covered_s=900)
    expect(total, service_us=approx(558.33 / (124.23 / 13.17), abs=5e-3), delay_async_per_transaction_us=0)
    expect(total, has_lock_structure=True, null_reason=None)
    assert [ref["line"] for ref in total["refs"]] == [50, 51, 52, 54, 10]


# 10/s, three in four of them 20 us and one 100 us, for 5 transactions a second: 30 + 50 us.
MIXED = pool("GBP1", 10.0, 20.0, requests=9000, sync_requests=6750, async_requests=2250, async_service_us=100.0)
# In 15 minutes 4/s in one facility and 6/s in the other, of 10 us.
COPIES = [pool("GBP1", 4.0, 10.0), pool("GBP1", 6.0, 10.0, cf_name="CF2", line=51)]
OF_SYS2 = pool("GBP1", 10.0, 40.0, system="SYS2", line=52)
OUTSIDE = [pool("GBP1", 50.0, 20.0, line=51) | span(15, 900), pool("GBP1", 9.0, 20.0, line=52) | span(5, 300)]
POOL, TOTAL, BOTH = ("FROM gbp_delay_per_transaction WHERE " + where for where in ("NOT is_total", "is_total", "TRUE ORDER BY is_total"))  # fmt: skip
ROLE = "role of the copies of DB2T_GBP1 unknown"


test_delays_by_pools = examples(
    ("asynchronous accesses", delays(MIXED, ended=4500),
     f"delay_sync_per_transaction_us, delay_async_per_transaction_us, delay_per_transaction_us, service_us {POOL}", [tuple(map(approx, (30, 50, 80,
      40)))]),
    # Two systems; on one the structure moved to another facility in the interval: 4 + 6 and 10 accesses a second.
    ("systems and a structure that moved", delays(*COPIES, OF_SYS2, scope="SYS1,SYS2", ended=9000, summary=(in_summary("CF1"), in_summary("CF2"))),
     f"systems, covered_s, accesses_per_s, service_us, delay_per_transaction_us, has_lock_structure {BOTH}",
     [("SYS1,SYS2", 900, approx(20), approx(25), approx(50), False)] * 2),
    # They may be one pool that moved, 10/s, or a pair, of which the primary had 4 or 6/s: 6/s x 10 us / 10/s.
    ("copies of unknown roles", delays(*COPIES, ended=9000), f"delay_per_transaction_us, accesses_per_s, null_reason {BOTH}", [(None, None,
     ROLE)] * 2),
    ("copies of known roles", delays(*COPIES, ended=9000, summary=(in_summary("CF2", "PRIM"),)), f"delay_per_transaction_us, null_reason {POOL}",
     [(approx(6), None)]),
    # It need not be of Db2.
    ("lock structure without pools", delays(pool("LOCK1", 99.0, 10.0)), f"* {BOTH}", []),
    ("unknown time", delays(pool("GBP1", 5.0, None), ended=4500), f"delay_per_transaction_us, accesses_per_s, null_reason {BOTH}",
     [(None, 5, "rate or service time not printed")] * 2),
    ("no transactions", delays(pool("GBP1", 5.0, 20.0), ended=0), f"delay_per_transaction_us, accesses_per_s, null_reason {BOTH}",
     [(None, 5, "no transactions")] * 2),
    ("idle pool", delays(pool("GBP1", 0.0, 0.0)), f"delay_per_transaction_us, accesses_per_transaction, service_us {POOL}", [(0, 0, None)]),
    ("intervals outside of the run", delays(pool("GBP1", 5.0, 20.0), *OUTSIDE), f"accesses_per_s, covered_s {POOL}", [(approx(5), 900)]),
)  # fmt: skip


CHANGED = """\
study: S
requests: {report_class: RCICS}
configurations:
  before: {steps: [{window: 2021-04-13T10:00/10:01}]}
  after: {steps: [{window: 2021-04-13T10:01/10:02}]}
"""


def changed_pages(*more: Row) -> list[Row]:
    """10/s for 20% of an engine in 50 ms, then 12/s for 36% in 40 ms; an address space of 12%, then 18%; one that goes,
    one that comes."""
    return [
        report_class("RCICS", 0, 20.0, 600, actual_time_s=0.050),
        report_class("DBM1", 0, 12.0, 0),
        report_class("GONE", 0, 5.0, 60),
        report_class("RCICS", 1, 36.0, 720, actual_time_s=0.040),
        report_class("DBM1", 1, 18.0, 0),
        report_class("COME", 1, 7.5, 0),
        *more,
    ]


def changed(*more: Row, text: str = CHANGED, pages: list[Row] | None = None) -> Rows:
    return studied(text, rmf_workload_activity=pages or changed_pages(*more))


# DBM1 moves to zIIPs: CP 12, then 6% and IIP 12%. At 10 and 12 requests a second: growth 2 x 1.2 = 2.4, cost (0.5 - 1.2) x 12 = -8.4,
# together -6, where all CPU has +6 (1.2 to 1.5: 2.4 and 3.6). GONE had 5% of it, COME has 7.5. In all 37 and 36 + 6 + 7.5: 12.5 more, of which
# 3.6 by cost, 6.4 by growth, 2.5 by classes that come and go.
TO_ZIIPS = [
    row | ({"appl_cp_pct": 6.0, "appl_iip_pct": 12.0, "iip_time_s": 7.2} if n == 4 else {})
    for n, row in enumerate(changed_pages())
]
CP_PARTS = "baseline_cp_pct, cp_pct, cp_difference_pct, cp_rate_pct, cp_volume_pct, cp_unpartnered_pct"
PARTS = "difference_pct, rate_pct, volume_pct, unpartnered_pct"
STARTED_TASK = CHANGED.replace("RCICS", "NOTPRINTED")
# A region uses 100, then 110% of an engine while 2, then 6 of its tasks end in 3 s each: not three times the work at a third of the cost, but 10
# points more. RCICS: 50 x 0.05 s are 2.5 s of responses for 12 s of processor time, so no volume either.
REGION = [
    report_class("REGION", n, cpu, ended, actual_time_s=3.0) for n, (cpu, ended) in enumerate(((100.0, 2), (110.0, 6)))
]
IDLING = [*REGION, *(report_class("RCICS", n, 20.0, 50, actual_time_s=0.05) for n in (0, 1))]
NORMALIZED = CHANGED + "normalization: {before: {lpar_overhead_pct: 10}, after: {engine_mips: [10, 8]}}\n"
NO_TIME = [report_class("RCICS", n, 20.0, 600, actual_time_s=time_s) for n, time_s in enumerate((None, 0.1))]
ORDER = "FROM mix_change ORDER BY class_name NULLS LAST"
RESPONSE = "FROM response_change ORDER BY class_name NULLS LAST"


test_changes = examples(
    # A difference is cost, volume and classes without a partner.
    ("parts", changed(), f"class_name, baseline, configuration, volume_basis, {PARTS} {ORDER}",
     [(name, "before", "after", basis, *map(approx, parts)) for name, basis, parts in (
         ("COME", None, (7.5, 0.0, 0.0, 7.5)), ("DBM1", "requests", (6.0, (1.5 - 1.2) * 12, 2 * 1.2, 0.0)), ("GONE", None, (-5.0, 0.0, 0.0, -5.0)),
         ("RCICS", "transactions", (16.0, 12.0, 4.0, 0.0)), (None, None, (24.5, 15.6, 6.4, 2.5)))]),
    ("volumes", changed(),
     "is_total, baseline_per_s, volume_per_s, baseline_cpu_pct, cpu_pct FROM mix_change WHERE class_name = 'DBM1' OR is_total ORDER BY 1",
     [(False, approx(10), approx(12), approx(12), approx(18)), (True, None, None, 37, 61.5)]),
    ("general processors", changed(pages=TO_ZIIPS), f"class_name, {CP_PARTS} {ORDER}",
     [(name, *(part if part is None else approx(part) for part in parts)) for name, parts in (
         ("COME", (None, 7.5, 7.5, 0, 0, 7.5)), ("DBM1", (12, 6, -6, -8.4, 2.4, 0)), ("GONE", (5, None, -5, 0, 0, -5)), ("RCICS", (20, 36, 16, 12,
          4, 0)),
         (None, (37, 49.5, 12.5, 3.6, 6.4, 2.5)))]),
    ("all of DBM1", changed(pages=TO_ZIIPS), "difference_pct, rate_pct, volume_pct FROM mix_change WHERE class_name = 'DBM1'", [(approx(6),
     approx(3.6), approx(2.4))]),
    ("normalized", changed(text=NORMALIZED), "baseline_cpu_pct, cpu_pct FROM mix_change WHERE class_name = 'RCICS'", [(approx(18), approx(45))]),
    ("sum of normalized parts", changed(text=NORMALIZED),
     "count(*), max(abs(rate_pct + volume_pct + unpartnered_pct - difference_pct)) FROM mix_change",
     [(5, approx(0, abs=1e-9))]),
    # A class that is printed and not known is not without a partner.
    *((f"unknown {name}", changed(report_class("GONE", 1, 4.0, 60, **{name: None})),
       "difference_pct, rate_pct, volume_pct, cpu_pct, unpartnered_pct FROM mix_change WHERE class_name = 'GONE'", [(None, None, None, None, 0)])
      for name in ("appl_iip_pct", "appl_cp_pct")),
    ("beside an unknown class", changed(report_class("GONE", 1, 4.0, 60, appl_iip_pct=None)),
     f"difference_pct, rate_pct IS NULL, cpu_pct IS NULL {ORDER} OFFSET 3", [(approx(16), False, False), (None, True, True)]),
    # No requests are counted: endings of a started task are not its volume.
    ("started task", changed(text=STARTED_TASK, pages=IDLING), f"class_name, volume_basis, volume_per_s, {PARTS} {ORDER}",
     [(name, basis, None, *map(approx, (more, more, 0.0, 0.0))) for name, basis, more in (("RCICS", "fixed", 0.0), ("REGION", "fixed", 10.0), (None,
      None, 10.0))]),
    # Of a study that counts requests, these are the volume: 10 a second, then 12; 10% a request a second before, 9.17 after.
    ("region of requests", changed(*REGION), "volume_basis, volume_pct, rate_pct FROM mix_change WHERE class_name = 'REGION'",
     [("requests", approx(20), approx(-10))]),
    ("no cost of an ending", changed(*REGION), "DISTINCT cpu_ms_per_transaction FROM configuration_class WHERE class_name = 'REGION'", [(None,)]),
    # Response times are compared both ways.
    ("responses", changed(),
     "class_name, baseline_per_s, transactions_per_s, baseline_response_ms, response_ms, difference_ms, reduction_pct_of_baseline,"
     f" improvement_pct_of_new, [r.line for r in refs] {RESPONSE}", [(name, *map(approx, (10, 12, 50, 40, -10, 20, 25)), [10,
      11]) for name in ("RCICS", None)]),
    ("unknown response", changed(pages=NO_TIME), f"response_ms, difference_ms {RESPONSE}", [(approx(100), None)] * 2),
)  # fmt: skip


def result(line: int, score: float | None, error: float | None, count: int | None = 20, **other: object) -> Row:
    parameters = other.pop("parameters", {"driver": "t2", "size": "10"})
    row: Row = {"source_id": "s1", "source_file": "one.log", "page": 1, "line": line, "benchmark": "B.m"}
    row |= {"mode": "avgt"}
    row |= {"parameters": json.dumps(parameters), "count": count, "score": score, "error": error, "unit": "ms/op"}
    return row | other


def jmh(*results: Row) -> list[Row]:
    return MemoryLake(jmh_result=results).rows("FROM jmh_comparison ORDER BY differs_in, one, other")


def test_results_that_differ_in_one_parameter_are_compared():
    """0.8 +- 0.05 of 20 against 1.0 +- 0.04 of 10: half-widths, difference and degrees as scipy has them."""
    rows = jmh(
        result(4, 0.8, 0.05),
        result(5, 1.0, 0.04, 10, parameters={"driver": "t4", "size": "10"}),
        result(6, 2.0, 0.04, 10, parameters={"driver": "t4", "size": "25"}),
        result(7, 9.0, 0.04, 10, parameters={"driver": "t4", "size": "10"}, benchmark="B.other"),
        result(8, 9.0, 0.04, 10, parameters={"driver": "t4", "size": "10"}, unit="us/op"),
    )
    assert [(r["differs_in"], r["one"], r["other"], r["parameters"]) for r in rows] == [
        ("driver", "t2", "t4", '{"size":"10"}'),
        ("size", "10", "25", '{"driver":"t4"}'),
    ]
    row = rows[0]
    one, other = 0.05 / scipy.stats.t.ppf(0.9995, 19), 0.04 / scipy.stats.t.ppf(0.9995, 9)
    degrees = math.floor((one**2 + other**2) ** 2 / (one**4 / 19 + other**4 / 9))
    half = math.hypot(one, other) * scipy.stats.t.ppf(0.975, degrees)
    assert row["one_error_95"] == approx(one * scipy.stats.t.ppf(0.975, 19), rel=1e-6)
    assert row["other_error_95"] == approx(other * scipy.stats.t.ppf(0.975, 9), rel=1e-6)
    assert (row["difference_low"], row["difference_high"]) == approx((0.2 - half, 0.2 + half), rel=1e-6)
    assert row["is_different"] is True
    assert (row["other_of_one_pct"], row["one_of_other_pct"]) == (approx(25), approx(-20))
    assert [ref["line"] for ref in row["refs"]] == [4, 5]


@pytest.mark.parametrize(("error", "count"), [(1.0, 2), (1.0, 31), (1.0, 1000), (None, 20), (0.1, None), (0.1, 1)])
def test_an_error_of_99_9_percent_becomes_one_of_95(error: float | None, count: int | None):
    """Without one there is no interval."""
    other = result(5, 1.0, 1.0, count or 20, parameters={"driver": "t4", "size": "10"})
    is_known = error is not None and count is not None and count > 1
    (row,) = jmh(result(4, 1.0 if is_known else 0.8, error, count), other)
    if not is_known:
        expect(row, one_error_95=None, difference_low=None, is_different=None, difference=approx(0.2))
    elif count:
        ratio = scipy.stats.t.ppf(0.975, count - 1) / scipy.stats.t.ppf(0.9995, count - 1)
        expect(row, one_error_95=approx(ratio, rel=1e-5), is_different=False)


def test_a_benchmark_of_two_sources_is_compared_with_itself():
    later = result(4, 0.6, 0.0, source_id="s0", source_file="two.log")
    (row,) = jmh(result(4, 0.8, 0.0), later, later | {"parameters": "{}"})
    assert (row["differs_in"], row["one"], row["other"]) == ("source_file", "one.log", "two.log")
    assert (row["difference_high"], row["is_different"]) == (approx(-0.2), True)
