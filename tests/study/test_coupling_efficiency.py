"""What coupling costs a request: processor time per request uncoupled over coupled. Worked by hand."""

from typing import Any

import pytest
from ironlake.pipeline.sql.statistics import study_statistics
from one_lake import Rows, examples
from rmf_rows import processor
from study_lakes import QUARTERS, studied, two_systems
from views_lake import Row, heading, one_row, span, worked_page

approx = pytest.approx

WINDOWS = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}}
configurations:
  alone: {steps: [{window: 2021-04-13T10:00/10:01}, {window: 2021-04-13T11:00/11:03}]}
  both: {steps: [{window: 2021-04-13T12:00/12:01}]}
coupling: {uncoupled: alone, coupled: both}
"""
ONE_EACH = WINDOWS.replace(", {window: 2021-04-13T11:00/11:03}", "")
LINES = {0: 20, 60: 10, 120: 30}


def requests(minute: int, seconds: float, per_s: float) -> Row:
    page = worked_page(**heading(scope="SYSA", line=LINES[minute]), transactions_ended=round(per_s * seconds))
    return page | span(minute, seconds)


def engines(minute: int, seconds: float, number: int, busy: float, kind: str = "CP") -> list[Row]:
    first = 100 * LINES[minute] + (50 if kind == "IIP" else 0)
    return [
        processor(n, busy, 100.0, kind, **span(minute, seconds), line=first + n, processor_id=f"{kind}{n}")
        for n in range(number)
    ]


def runs(pages: list[Row], processors: list[Row], text: str = WINDOWS) -> Rows:
    return studied(text, rmf_workload_activity=pages, rmf_cpu_activity=processors)


def one_each(uncoupled: float, coupled: float) -> Rows:
    """One engine a side, busy so much of a minute for 10 requests per second."""
    pages = [requests(minute, 60, 10.0) for minute in (0, 120)]
    return runs(pages, engines(0, 60, 1, uncoupled) + engines(120, 60, 1, coupled), ONE_EACH)


PAGES = [requests(0, 60, 100.0), requests(60, 180, 20.0), requests(120, 60, 40.0)]
PROCESSORS = [*engines(0, 60, 2, 100.0), *engines(60, 180, 6, 50.0), *engines(120, 60, 4, 75.0)]
WITH_ZIIP = [*engines(0, 60, 2, 50.0), *engines(120, 60, 2, 50.0), *engines(120, 60, 1, 50.0, "IIP")]
OF_ALONE = "itr_uncoupled, engines_online_uncoupled, busy_ms_per_request_uncoupled, cpu_busy_uncoupled_pct"
OF_TWO = "coupling_efficiency_pct, capacity_delta_pct, cpu_increase_pct, busy_ratio"
OF_BOTH = "itr_coupled, engines_online_coupled, busy_ms_per_request_coupled, cpu_busy_coupled_pct"
NONE = [None] * 4
CP = "FROM coupling_efficiency WHERE busy_basis = 'cp'"


def near(*values: float) -> list[Any]:
    return [approx(value) for value in values]


test_efficiency = examples(
    # Alone: 2 engines busy for a minute and 6 half busy for three are 120 + 540 = 660 of 120 + 1,080 = 1,200 engine-seconds, 55% of 5 engines;
    # 6,000 + 3,600 requests in 240 s: 68.75 ms each, ITR 40/0.55. Both: 4 engines 75% busy for 40/s: 75 ms each, ITR 53.33. Efficiency
    # 68.75/75 = 91.67%. Refs: uncoupled first, by run: requests, then processors.
    ("runs by their time", runs(PAGES, PROCESSORS), f"uncoupled, coupled, [{OF_ALONE}], [{OF_BOTH}], [{OF_TWO}], [r.line for r in refs] {CP}",
     [("alone", "both", near(40 / 0.55, 5, 68.75, 55), near(40 / 0.75, 4, 75, 75), near(100 * 11 / 12, 100 / 12, 100 / 11, 75 / 55),
       [20, 2000, 2001, 10, *range(1000, 1006), 30, *range(3000, 3004)])]),
    # The mean of the other run is none of both.
    ("a run without its processors", runs(PAGES, [r for r in PROCESSORS if r["interval_s"] == 60]),
     f"[{OF_ALONE}], [{OF_TWO}], is_comparable, busy_ms_per_request_coupled, itr_coupled {CP}", [(NONE, NONE, None, approx(75), approx(40 / 0.75))]),
    # Its engines are busy, and nobody knows for whom: none ended, or the page has another class alone.
    *((f"requests not known, {n}", runs([PAGES[0], page, PAGES[2]], PROCESSORS),
       f"busy_ms_per_request_uncoupled, coupling_efficiency_pct, cpu_busy_uncoupled_pct {CP}", [(None, None, approx(55))])
      for n, page in enumerate((requests(60, 180, 0.0), PAGES[1] | {"report_class": "OTHER"}))),
    # An ITR over no busy time is none: neither 0% nor 100% of anything.
    *((f"idle, {alone} and {both}", one_each(alone, both), f"[{OF_TWO}], is_comparable, itr_uncoupled IS NULL, itr_coupled IS NULL {CP}",
       [(NONE, None, alone == 0, both == 0)]) for alone, both in ((0.0, 50.0), (50.0, 0.0))),
    # A factor of more than one and a half is not comparable, whichever is busier.
    *((f"busy {alone} and {both}", one_each(alone, both), f"busy_ratio, is_comparable {CP}", [(approx(ratio), is_comparable)])
      for alone, both, ratio, is_comparable in ((50.0, 75.0, 1.5, True), (75.0, 50.0, 1.5, True), (50.0, 80.0, 1.6, False), (80.0, 50.0, 1.6,
       False))),
    # 50 and 40 requests/s. Alone 1 CP busy, 20 ms; both 1 CP busy, 25 ms, and with half a zIIP 37.5 ms: 80% and 53.3%.
    ("zIIPs in one of two bases", runs([requests(0, 60, 50.0), requests(120, 60, 40.0)], WITH_ZIIP, ONE_EACH),
     "busy_basis, busy_ms_per_request_coupled, engines_online_coupled, coupling_efficiency_pct FROM coupling_efficiency ORDER BY busy_basis",
     [("cp", *near(25, 2, 80)), ("cp_and_ziip", *near(37.5, 3, 100 * 20 / 37.5))]),
)  # fmt: skip


def test_a_system_that_misses_an_interval_counts_by_its_own_time():
    """All four quarters: 2 engines for 900/s are 2.2222 ms; the class, 0.6 + 1.8 engines, 2.6667 ms. SYSB without its last: 0.7 x 3,600 +
    1.3 x 2,700 = 6,030 engine-seconds for 300 x 3,600 + 600 x 2,700 = 2,700,000 requests are 2.2333 ms: 99.50%; the class 2,160 + 4,860 =
    7,020, 2.6 ms. 8 engines online, 2 busy: 25%. Without the first of SYSA: 0.7 x 2,700 + 1.3 x 3,600 = 6,570 for 2,970,000: 2.2121 ms, the
    class 1,620 + 6,480 = 8,100. SYSA for 300 s of a quarter: 0.7 x 3,000 + 4,680 = 6,780 for 3,060,000: 2.2157 ms, the class 1,800 + 6,480 =
    8,280. The statistics, of intervals, have the same."""
    cases = [
        (QUARTERS, QUARTERS[:3], 6030 / 2700, 7020 / 2700),
        (QUARTERS[1:], QUARTERS, 6570 / 2970, 8100 / 2970),
        ([QUARTERS[0], (23, 300), *QUARTERS[2:]], QUARTERS, 6780 / 3060, 8280 / 3060),
    ]
    for of_a, of_b, ms, class_ms in cases:
        lake = yield two_systems(of_a, of_b)
        row = one_row(lake, "FROM coupling_efficiency WHERE busy_basis = 'cp'")
        assert row["busy_ms_per_request_uncoupled"] == approx(2000 / 900)
        assert row["busy_ms_per_request_coupled"] == approx(ms)
        assert row["coupling_efficiency_pct"] == approx(100 * 2000 / 900 / ms)
        assert (row["engines_online_uncoupled"], row["engines_online_coupled"]) == approx((8, 8))
        assert (row["cpu_busy_coupled_pct"], row["itr_coupled"]) == approx((25, 8000 / ms))
        both = one_row(lake, "FROM itr WHERE configuration = 'both' AND busy_basis = 'cp'")
        assert (both["busy_ms_per_request"], both["etr_per_s"], both["itr_per_s"]) == approx((ms, 900, 8000 / ms))
        costs = "FROM {} WHERE configuration = 'both' AND subsystem = 'CICS'"
        for view in ("cost_per_request", "configuration_cost"):
            assert one_row(lake, costs.format(view))["cpu_ms_per_request"] == approx(class_ms)
        of_class = "configuration = 'both' AND class_kind = 'report_class' AND NOT is_total"
        assert one_row(lake, f"FROM configuration_class WHERE {of_class}")["cpu_ms_per_request"] == approx(class_ms)
        values = {
            (r["measure"], r["subject"]): (r["value"], r["verdict"])
            for r in study_statistics(lake)["study_difference"].to_pylist()
        }
        assert values["busy_ms_per_request", "cp"][0] == approx(ms)
        assert values["cpu_ms_per_request", "CICS"][0] == approx(class_ms)
        assert values["itr_per_s", "cp"] == (approx(8000 / ms), "no interval")


def test_a_system_without_requests_works_for_those_of_the_others():
    """SYSB serves SYSA's 300/s: 2 engines are 6.6667 ms. Where either lost a quarter, 0.7 engines of SYSA and 1.3 of SYSB, each by its own time,
    are still 2 for 300/s: nothing is cheaper for what was not printed."""
    for of_a, of_b in ((QUARTERS, QUARTERS[:3]), (QUARTERS[1:], QUARTERS)):
        lake = yield two_systems(of_a, of_b, b_counts=False)
        row = one_row(lake, "FROM coupling_efficiency WHERE busy_basis = 'cp'")
        assert (row["busy_ms_per_request_coupled"], row["coupling_efficiency_pct"]) == approx((2000 / 300, 100))
        values = {
            (r["measure"], r["subject"]): r["value"] for r in study_statistics(lake)["study_difference"].to_pylist()
        }
        assert (values["busy_ms_per_request", "cp"], values["itr_per_s", "cp"]) == approx((2000 / 300, 1200))


def test_a_class_costs_its_seconds_over_its_own_transactions():
    """SYSB lost a quarter of 600/s: 0.6 x 3,600 + 1.8 x 2,700 engine-seconds for 2,700,000 transactions are 2.6 ms, where rates would say 2.4
    engines for 900/s, 2.667 ms. Where SYSB has a class of its own that counts none of the study's requests, 4,860 s are for its 1,620,000: 3 ms."""
    for b_counts, expected in ((True, {"CICS2A20": 2.6}), (False, {"CICS2A20": 2.0, "SERVERS": 3.0})):
        lake = yield two_systems(QUARTERS, QUARTERS[:3], b_counts=b_counts)
        rows = lake.rows(
            "FROM configuration_class WHERE configuration = 'both' AND class_kind = 'report_class' AND NOT is_total"
        )
        assert {row["class_name"]: row["cp_ms_per_transaction"] for row in rows} == approx(expected)


def test_a_page_of_fewer_systems_is_of_the_same_systems():
    """A page of both systems for three quarters, and of SYSA alone for the last, while SYSB was down: 6,030 engine-seconds for 2,700,000 requests, of
    8 engines and then 4, which are 7 in the mean; not 12 engines of 1,200/s."""
    rows = two_systems(QUARTERS, QUARTERS[:3])
    pages = [
        page | {"scope": "SYSA,SYSB", "transactions_ended": 810_000}
        if any(
            one["scope"] == "SYSB" and one["interval_start"] == page["interval_start"]
            for one in rows["rmf_workload_activity"]
        )
        else page
        for page in rows["rmf_workload_activity"]
        if page["scope"] == "SYSA"
    ]
    lake = yield rows | {"rmf_workload_activity": pages}
    both = one_row(lake, "FROM itr WHERE configuration = 'both' AND busy_basis = 'cp'")
    assert (both["busy_ms_per_request"], both["etr_per_s"]) == approx((6030 / 2700, 750))
    assert (both["engines_online"], both["engines_busy"], both["itr_per_s"]) == approx((7, 1.675, 7 * 2700 / 6.03))
    gaps = lake.rows("SELECT systems, missing_s FROM run_gap")
    assert gaps == [{"systems": "SYSB", "missing_s": 900}]
