"""What data sharing costs a request of a study: waits for coupling facilities by structure. Worked by hand."""

import datetime as dt

import pytest
from one_lake import Rows, examples
from rmf_rows import processor, synchronous_structure
from study_lakes import ONE_STEP, RUNS, studied
from views_lake import START, Row, heading, span, worked_page

approx = pytest.approx

QUARTER = ONE_STEP.replace("10:00/10:05", "10:00/10:15")


def waits(*structures: Row, ended: int = 7200) -> Rows:
    """Of 8 requests a second that take 107.19% of an engine, 133.9875 ms each, if nothing else is said."""
    page = worked_page(**heading(START, 900, scope="SYS1"), transactions_ended=ended)
    return studied(QUARTER, rmf_workload_activity=[page], rmf_cf_structure_activity=[*structures])


FROM = "FROM cf_wait_per_request ORDER BY is_total, structure_name"
NOT_PRINTED = "rate or service time not printed"
POOL = synchronous_structure("DSNA_GBP1", 10.0, 200.0, line=51)
LOCK = synchronous_structure("DSNA_LOCK1", 80.0, 10.0, structure_type="LOCK")
SECONDARY = {"status": "ACTIVE SECONDARY"}
MISSING = "primary copy of {} not in the lake"
OTHERS = [
    POOL | {"requests_per_s": 99.0, "line": 52, "system": "SYS2"},
    POOL | SECONDARY | {"line": 53, "cf_name": "CF2"},
]
LONE = [POOL | SECONDARY | {"structure_name": name, "structure_type": of, "line": line} for line, name, of in ((51, "DSNA_SCA", "LIST"), (52,
 "DSNA_LOCK1", "LOCK"))]  # fmt: skip


test_waits_for_structures = examples(
    # 80/s of 10 us and 10/s of 200 us: 0.0008 and 0.002 engines, 100 and 250 us of 133,987.5 us.
    ("waits add", waits(LOCK, POOL, *OTHERS), f"structure_name, structure_type, engines, sync_us_per_request, sync_per_request, null_reason {FROM}",
     [("DSNA_GBP1", "CACHE", approx(0.002), approx(250), approx(1.25), None), ("DSNA_LOCK1", "LOCK", approx(0.0008), approx(100), approx(10), None),
      (None, None, approx(0.0028), approx(350), approx(11.25), None)]),
    ("total", waits(LOCK, POOL, *OTHERS),
     "of_cpu_pct, systems, selected_s, covered_s, [r.line for r in refs] FROM cf_wait_per_request WHERE is_total",
     [(approx(100 * 350 / 133_987.5), "SYS1", 900, 900, [51, 50, 10])]),
    ("unknown wait", waits(LOCK | {"sync_service_us": None}, POOL), f"sync_us_per_request, engines, null_reason {FROM}",
     [(approx(250), approx(0.002), None), (None, None, NOT_PRINTED), (None, None, NOT_PRINTED)]),
    # The primary has the requests that processors wait for, and its page is not in the lake.
    ("secondary alone", waits(LOCK, POOL | SECONDARY), f"engines, null_reason {FROM}",
     [(None, MISSING.format("DSNA_GBP1")), (approx(0.0008), None), (None, MISSING.format("DSNA_GBP1"))]),
    ("no requests", waits(POOL, ended=0), f"engines, sync_per_s, sync_per_request, sync_us_per_request, of_cpu_pct {FROM} LIMIT 1",
     [(approx(0.002), approx(10), None, None, None)]),
    # The total says of each structure why, in the order of their reasons; its rows are in the order of their names, whatever their types.
    ("reasons", waits(*LONE), "null_reason, [r.line for r in refs] FROM cf_wait_per_request WHERE is_total",
     [("; ".join(map(MISSING.format, ("DSNA_LOCK1", "DSNA_SCA"))), [52, 51, 10])]),
)  # fmt: skip


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


THREE_RUNS = RUNS.replace("10:00/10:15", "10:00/10:30")


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
    keys = [(r["configuration"] + r["run"], r["structure_name"], r["structure_type"], r["systems"]) for r in rows]
    assert keys == [
        ("A1", "DSNA_GBP1", "CACHE", "SYS1,SYS2"), ("A1", "DSNA_LOCK1", "LOCK", "SYS1"), ("A1", None, None, "SYS1,SYS2"),
        ("A2", "DSNA_GBP1", "CACHE", "SYS1"), ("A2", None, None, "SYS1"), ("B1", "DSNA_GBP1", "CACHE", "SYS1"), ("B1", None, None, "SYS1"),
    ]  # fmt: skip
    assert [r["selected_s"] for r in rows] == [1800] * 3 + [900] * 4
    assert [r["covered_s"] for r in rows] == [1200, 1800, 1200] + [900] * 4
    assert [r["sync_per_s"] for r in rows] == approx([50, 80, 130, 5, 5, 7, 7])
    assert [r["engines"] for r in rows] == approx([0.0065, 0.0008, 0.0073, 0.0005, 0.0005, 0.0007, 0.0007])
    assert [r["sync_us_per_request"] for r in rows] == approx([812.5, 100, 912.5, 125, 125, 700, 700])
    assert [r["of_cpu_pct"] for r in rows[:3]] == approx([100 * us / 146_487.5 for us in (812.5, 100, 912.5)])
    assert [r["of_cpu_pct"] for r in rows[3:]] == [None] * 4
    assert {r["null_reason"] for r in rows} == {None}
    # By structure, system and time, then those of the requests.
    lines = [[ref["line"] for ref in r["refs"]] for r in rows[:3]]
    assert lines == [[51, 50, 49, 10], [53, 54, 10], [51, 50, 49, 53, 54, 10]]


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
    found = lake.sql(f"SELECT sync_per_s, engines, null_reason {FROM}").fetchall()
    assert found == [(None, None, NOT_PRINTED), (approx(80), approx(0.0008), None), (None, None, NOT_PRINTED)]
