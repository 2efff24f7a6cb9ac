"""What data sharing costs a request of a study: waits for coupling facilities by structure. Worked by hand."""

import datetime as dt

import pytest
from one_lake import Asks
from rmf_rows import processor, synchronous_structure
from study_lakes import ONE_STEP, studied
from views_lake import START, Row, expect, heading, span, worked_page

QUARTER = ONE_STEP.replace("10:00/10:05", "10:00/10:15")


def waits(structures: list[Row], ended: int = 7200) -> Asks[list[Row]]:
    """Of 8 requests a second that take 107.19% of an engine, 133.9875 ms each, if nothing else is said."""
    page = worked_page(**heading(START, 900, scope="SYS1"), transactions_ended=ended)
    lake = yield studied(QUARTER, rmf_workload_activity=[page], rmf_cf_structure_activity=structures)
    return lake.rows("FROM cf_wait_per_request ORDER BY is_total, structure_name")


def test_waits_for_structures_add():
    """80/s of 10 us and 10/s of 200 us: 0.0008 and 0.002 engines, 100 and 250 us of 133,987.5 us."""
    structures = [
        synchronous_structure("DSNA_LOCK1", 80.0, 10.0, structure_type="LOCK"),
        synchronous_structure("DSNA_GBP1", 10.0, 200.0, line=51),
        synchronous_structure("DSNA_GBP1", 99.0, 200.0, line=52, system="SYS2"),
        synchronous_structure("DSNA_GBP1", 10.0, 200.0, line=53, cf_name="CF2", status="ACTIVE SECONDARY"),
    ]
    pool, lock, total = yield from waits(structures)
    assert (pool["structure_name"], lock["structure_name"], total["structure_name"]) == (
        "DSNA_GBP1",
        "DSNA_LOCK1",
        None,
    )
    assert [row["engines"] for row in (pool, lock, total)] == pytest.approx([0.002, 0.0008, 0.0028])
    assert [row["sync_us_per_request"] for row in (pool, lock, total)] == pytest.approx([250, 100, 350])
    assert [row["sync_per_request"] for row in (pool, lock, total)] == pytest.approx([1.25, 10, 11.25])
    assert total["of_cpu_pct"] == pytest.approx(100 * 350 / 133_987.5)
    assert (total["is_total"], total["systems"], total["selected_s"], total["covered_s"]) == (True, "SYS1", 900, 900)
    assert [ref["line"] for ref in total["refs"]] == [51, 50, 10]
    assert (lock["structure_type"], total["structure_type"], total["null_reason"]) == ("LOCK", None, None)


def test_an_unknown_wait_leaves_the_total_unknown():
    pool, lock, total = yield from waits(
        [synchronous_structure("DSNA_LOCK1", 80.0, None), synchronous_structure("DSNA_GBP1", 10.0, 200.0, line=51)]
    )
    assert (pool["sync_us_per_request"], lock["sync_us_per_request"], total["engines"]) == (
        pytest.approx(250),
        None,
        None,
    )
    assert lock["null_reason"] == total["null_reason"] == "rate or service time not printed"


def test_a_secondary_without_its_primary_leaves_the_total_unknown():
    """The primary has the requests that processors wait for, and its page is not in the lake."""
    lone = synchronous_structure("DSNA_GBP1", 10.0, 200.0, line=51, status="ACTIVE SECONDARY")
    pool, lock, total = yield from waits([synchronous_structure("DSNA_LOCK1", 80.0, 10.0), lone])
    assert (pool["engines"], lock["engines"], total["engines"]) == (None, pytest.approx(0.0008), None)
    assert total["null_reason"] == "primary copy of DSNA_GBP1 not in the lake"


def test_structures_of_systems_with_one_name_in_two_sysplexes_are_not_added():
    """CPU Activity names no sysplex: nobody knows which SYSA is studied."""
    text = "study: S\nconfigurations: {A: {steps: [{window: 2021-04-13T10:00/10:05, volume: 6000}]}}\n"
    page: Row = {"interval_start": START, "interval_end": START + dt.timedelta(minutes=1), "interval_s": 60.0}
    page |= {"system": "SYSA"}
    structures = [
        synchronous_structure("DSNA_GBP1", 10.0, 200.0, **page),
        synchronous_structure("DSNA_GBP1", 30.0, 200.0, line=51, **page),
    ]
    structures[1]["sysplex"] = "OTHER"
    lake = yield studied(text, rmf_cpu_activity=[processor(0, 50.0)], rmf_cf_structure_activity=structures)
    for view in ("cf_wait_per_request", "gbp_delay_per_transaction"):
        row = next(iter(lake.rows(f"FROM {view} ORDER BY is_total")))
        assert row["null_reason"] == "structures of several sysplexes", view


def test_without_requests_engines_are_known_and_shares_are_not():
    pool, _ = yield from waits([synchronous_structure("DSNA_GBP1", 10.0, 200.0)], ended=0)
    assert (pool["engines"], pool["sync_per_s"]) == pytest.approx((0.002, 10))
    assert (pool["sync_per_request"], pool["sync_us_per_request"], pool["of_cpu_pct"]) == (None, None, None)


THREE_RUNS = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}, DDF: {report_class: DDFWORK}}
normalization: {A: {lpar_overhead_pct: 10}}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:30}, {window: 2021-04-13T11:00/11:15}]}
  B: {steps: [{window: 2021-04-13T12:00/12:15}]}
"""


def report_class(name: str, minute: int, seconds: float, ended: int, cp: float, iip: float = 0.0) -> Row:
    page = worked_page(**heading(START, 900, scope="SYS1,SYS2", line=10 + minute), transactions_ended=ended)
    return page | {"report_class": name, "appl_cp_pct": cp, "appl_iip_pct": iip} | span(minute, seconds)


def test_waits_are_means_by_time_and_sums_over_systems():
    """SYS1: 30/s of 100 us for 20 minutes, 60/s of 200 us for ten: 40/s and 6,000 us/s. SYS2: 10/s of 50 us in 20 minutes of the 30. 80/s of 10 us
    to the lock structure. 8 requests/s of 133.9875 ms of CICS and 12.5 of DDF, without the normalisation of A; another class is not charged.
    The second run has no page of DDF: of what the waits are a part is not known. That of B uses no processor."""
    structures = [
        synchronous_structure("DSNA_GBP1", 30.0, 100.0, line=51) | span(0, 1200),
        synchronous_structure("DSNA_GBP1", 60.0, 200.0, line=50) | span(20, 600),
        synchronous_structure("DSNA_GBP1", 10.0, 50.0, line=49, system="SYS2") | span(0, 1200),
        synchronous_structure("DSNA_LOCK1", 80.0, 10.0, line=53, structure_type="LOCK") | span(0, 1200),
        synchronous_structure("DSNA_LOCK1", 80.0, 10.0, line=54, structure_type="LOCK") | span(20, 600),
        synchronous_structure("DSNA_GBP1", 5.0, 100.0, line=55) | span(60, 900),
        synchronous_structure("DSNA_GBP1", 7.0, 100.0, line=56) | span(120, 900),
    ]
    classes = [
        report_class("CICS2A20", 0, 1800, 14_400, 31.66, 75.53),
        report_class("DDFWORK", 0, 1800, 0, 10.0),
        report_class("OTHER", 0, 1800, 0, 20.0),
        report_class("CICS2A20", 60, 900, 3_600, 31.66, 75.53),
        report_class("CICS2A20", 120, 900, 900, 0.0),
        report_class("DDFWORK", 120, 900, 0, 0.0),
    ]
    lake = yield studied(THREE_RUNS, rmf_workload_activity=classes, rmf_cf_structure_activity=structures)
    rows = lake.rows("FROM cf_wait_per_request ORDER BY configuration, run, is_total, structure_name")
    keys = [(r["configuration"], r["run"], r["structure_name"], r["structure_type"], r["systems"]) for r in rows]
    assert keys == [
        ("A", "1", "DSNA_GBP1", "CACHE", "SYS1,SYS2"),
        ("A", "1", "DSNA_LOCK1", "LOCK", "SYS1"),
        ("A", "1", None, None, "SYS1,SYS2"),
        ("A", "2", "DSNA_GBP1", "CACHE", "SYS1"),
        ("A", "2", None, None, "SYS1"),
        ("B", "1", "DSNA_GBP1", "CACHE", "SYS1"),
        ("B", "1", None, None, "SYS1"),
    ]
    assert [(r["selected_s"], r["covered_s"]) for r in rows] == [(1800, 1200), (1800, 1800), (1800, 1200)] + 4 * [
        (900, 900)
    ]
    assert [r["sync_per_s"] for r in rows] == pytest.approx([50, 80, 130, 5, 5, 7, 7])
    assert [r["engines"] for r in rows] == pytest.approx([0.0065, 0.0008, 0.0073, 0.0005, 0.0005, 0.0007, 0.0007])
    assert [r["sync_us_per_request"] for r in rows] == pytest.approx([812.5, 100, 912.5, 125, 125, 700, 700])
    assert [r["of_cpu_pct"] for r in rows[:3]] == pytest.approx([100 * us / 146_487.5 for us in (812.5, 100, 912.5)])
    assert [r["of_cpu_pct"] for r in rows[3:]] == [None] * 4
    assert {r["null_reason"] for r in rows} == {None}
    # By structure, system and time, then those of the requests.
    assert [[ref["line"] for ref in r["refs"]] for r in rows[:3]] == [
        [51, 50, 49, 10],
        [53, 54, 10],
        [51, 50, 49, 53, 54, 10],
    ]


def test_a_rate_that_is_not_known_in_one_interval_is_not_that_of_the_others():
    """The rate of the pool is lost in the last ten of thirty minutes."""
    lost = {"requests_per_s": None, "requests": None, "sync_requests": None}
    structures = [
        synchronous_structure("DSNA_GBP1", 30.0, 100.0, line=50) | span(0, 1200),
        synchronous_structure("DSNA_GBP1", 60.0, 200.0, line=51) | span(20, 600) | lost,
        synchronous_structure("DSNA_LOCK1", 80.0, 10.0, line=53) | span(0, 1800),
    ]
    classes = [report_class("CICS2A20", 0, 1800, 14_400, 31.66)]
    lake = yield studied(THREE_RUNS, rmf_workload_activity=classes, rmf_cf_structure_activity=structures)
    rows = lake.rows("FROM cf_wait_per_request ORDER BY is_total, structure_name")
    assert [(r["sync_per_s"], r["engines"]) for r in rows] == [
        (None, None),
        (pytest.approx(80), pytest.approx(0.0008)),
        (None, None),
    ]
    assert [r["null_reason"] for r in rows] == [
        "rate or service time not printed",
        None,
        "rate or service time not printed",
    ]


def test_the_total_says_of_each_structure_why_it_is_unknown():
    """In the order of their reasons; its rows are in the order of their names, whatever their types."""
    lone = [
        synchronous_structure(name, 10.0, 200.0, line=line, structure_type=of_type, status="ACTIVE SECONDARY")
        for line, name, of_type in ((51, "DSNA_SCA", "LIST"), (52, "DSNA_LOCK1", "LOCK"))
    ]
    *_, total = yield from waits(lone)
    expect(total, null_reason="primary copy of DSNA_LOCK1 not in the lake; primary copy of DSNA_SCA not in the lake")
    assert [ref["line"] for ref in total["refs"]] == [52, 51, 10]
