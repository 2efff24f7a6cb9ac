"""How sure figures are: intervals against those of scipy, worked by hand, and in simulated series; the tables over studies."""

from __future__ import annotations

import datetime as dt
import doctest
from pathlib import Path
from typing import Any, cast

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from ironlake.pipeline import open_lake, statistics
from ironlake.pipeline.declaration import Table
from ironlake.pipeline.lake import Lake
from ironlake.pipeline.lake_tables import plain_schema
from ironlake.pipeline.query import Session
from ironlake.pipeline.statistics import Estimate, difference, effective_units, fitted_line, ratio_of_sums
from ironlake.pipeline.study import parse_studies
from ironlake.pipeline.study_statistics import _fit, _Series, _Unit, study_statistics
from ironlake.pipeline.study_tables import study_rows
from lake_rows import add, entry
from scipy import stats
from views_lake import START, MemoryLake, Row, heading, worked_page

# --- Functions -------------------------------------------------------------------------------------------------------


def estimate(values: list[float], weights: list[float] | None = None) -> Estimate:
    weights = weights or [1.0] * len(values)
    found = ratio_of_sums([v * w for v, w in zip(values, weights, strict=True)], weights)
    assert found
    return found


def test_of_equal_units_the_interval_is_that_of_students_t():
    values = [0.71, 0.74, 0.69, 0.78, 0.73]
    found = estimate(values)
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.value, found.stddev) == (pytest.approx(np.mean(values)), pytest.approx(np.std(values, ddof=1)))
    assert (found.lower, found.upper) == (pytest.approx(low), pytest.approx(high))
    assert found.effective_units == 5


def test_unlike_units_weigh_by_their_requests():
    """130 over 60 is 2.1667; residuals -5/3, 2/3, 1: s² = 3/2 x 38/9 / 3600, and t with 2 degrees is 4.303."""
    found = ratio_of_sums([20, 44, 66], [10, 20, 30])
    assert found
    assert found.error == pytest.approx((1.5 * 38 / 9) ** 0.5 / 60)
    assert found.upper == pytest.approx(130 / 60 + 4.30265 * (1.5 * 38 / 9) ** 0.5 / 60, rel=1e-5)


def test_the_examples_in_the_code_hold():
    found = doctest.testmod(statistics)
    assert (found.failed, found.attempted > 3) == (0, True)


@pytest.mark.parametrize("units", [1, 2])
def test_fewer_than_three_units_give_no_interval(units: int):
    found = estimate([1.0, 2.0][:units])
    assert (found.error, found.lower, found.upper) == (None, None, None)
    assert (found.stddev is None) == (units == 1)
    assert difference(estimate([1.0, 1.1, 0.9]), found).verdict == "no interval"
    assert fitted_line([1, 2][:units], [1, 2][:units]) is None


def test_nothing_below_gives_nothing():
    assert ratio_of_sums([1, 2, 3], [0, 0, 0]) is None
    assert ratio_of_sums([], []) is None


def test_a_difference_is_welchs():
    one, other = [0.71, 0.74, 0.69, 0.78, 0.73], [0.61, 0.75, 0.58, 0.64]
    found = difference(estimate(one), estimate(other))
    theirs: Any = stats.ttest_ind(other, one, equal_var=False)
    low, high = theirs.confidence_interval(0.95)
    assert (found.lower, found.upper) == (pytest.approx(low), pytest.approx(high))
    assert (found.degrees_of_freedom, found.p_value) == (pytest.approx(theirs.df), pytest.approx(theirs.pvalue))
    assert (found.verdict, low < 0 < high) == ("within noise", True)
    assert difference(estimate(one), estimate([v - 0.1 for v in one])).verdict == "differs"


def test_units_that_are_all_alike():
    alike = estimate([2.0, 2.0, 2.0])
    assert (alike.lower, alike.upper) == (2, 2)
    assert difference(alike, alike).verdict == "within noise"
    assert difference(alike, estimate([3.0, 3.0, 3.0])).verdict == "differs"


def test_a_line_worked_by_hand():
    """x 1 2 3 4, y 12 13 16 17: slope 1.8, intercept 10; residuals 0.2 -0.6 0.6 -0.2, s² = 0.8/2, of the slope 0.4/5."""
    line = fitted_line([1, 2, 3, 4], [12, 13, 16, 17])
    assert line
    assert (line.slope, line.intercept) == (pytest.approx(1.8), pytest.approx(10))
    assert line.slope_upper - line.slope == pytest.approx(4.30265 * 0.08**0.5, rel=1e-5)
    assert line.intercept_upper - line.intercept == pytest.approx(
        4.30265 * (0.4 * (1 / 4 + 2.5**2 / 5)) ** 0.5, rel=1e-5
    )
    assert fitted_line([2, 2, 2], [1, 2, 3]) is None


@pytest.mark.parametrize("units", [3, 4, 12, 60])
def test_a_line_is_that_of_scipy(units: int):
    random = np.random.default_rng(units)
    x = random.uniform(100, 300, units)
    y = 4 + 0.3 * x + random.normal(0, 5, units)
    line, theirs = fitted_line(x.tolist(), y.tolist()), cast("Any", stats.linregress(x, y))
    assert line
    quantile = stats.t.ppf(0.975, max(units - 2, 1))
    assert line.slope == pytest.approx(theirs.slope, rel=1e-9)
    assert line.intercept == pytest.approx(theirs.intercept, rel=1e-9)
    assert line.slope_upper - line.slope == pytest.approx(quantile * theirs.stderr, rel=1e-9)
    assert line.intercept_upper - line.intercept == pytest.approx(quantile * theirs.intercept_stderr, rel=1e-9)
    assert line.r_squared == pytest.approx(theirs.rvalue**2, rel=1e-9)


@pytest.mark.parametrize("level", [0.0, 0.1, 20.0])
def test_a_line_through_equal_values_is_flat_and_explains_nothing(level: float):
    """No variance that could be explained: NULL, and no NaN anywhere."""
    line = fitted_line([100.0, 150.0, 301.0], [level] * 3)
    assert line
    assert (line.slope, line.slope_lower, line.slope_upper, line.r_squared) == (0, 0, 0, None)
    assert (line.intercept, line.intercept_lower, line.intercept_upper) == pytest.approx((level, level, level))


def series(random: np.random.Generator, units: int, memory: float) -> np.ndarray:
    """A stationary series whose neighbours resemble each other by `memory`."""
    out = np.empty(units)
    out[0] = random.normal()
    for n in range(1, units):
        out[n] = memory * out[n - 1] + (1 - memory**2) ** 0.5 * random.normal()
    return out


def coverage(units: int, memory: float, told: bool) -> float:
    """How often the interval holds the truth, 5.0, where the requests of the units differ by a half."""
    random = np.random.default_rng(20210413)
    held = 0
    for _ in range(1500):
        below = random.uniform(100, 150, units)
        above = below * (5 + 0.5 * series(random, units, memory))
        found = ratio_of_sums(list(above), list(below), [told and n > 0 for n in range(units)])
        assert found
        assert found.lower is not None
        assert found.upper is not None
        held += found.lower <= 5 <= found.upper
    return held / 1500


@pytest.mark.parametrize("units", [4, 12])
def test_intervals_of_units_apart_hold_the_truth_in_95_of_100_cases(units: int):
    assert coverage(units, 0.0, told=False) == pytest.approx(0.95, abs=0.02)


def test_intervals_on_end_are_worth_less_than_as_many_apart():
    """Of 20 neighbours that resemble each other by 0.5 a plain t holds the truth in three of four cases only."""
    assert coverage(20, 0.5, told=False) < 0.80
    assert coverage(20, 0.5, told=True) > 0.90
    assert coverage(20, 0.0, told=True) == pytest.approx(0.96, abs=0.02)


def test_two_runs_of_one_system_differ_in_5_of_100_cases():
    random = np.random.default_rng(7)
    told = [difference(*(estimate(list(random.normal(5, s, 5))) for s in (0.3, 0.6))).verdict for _ in range(1500)]
    assert told.count("differs") / 1500 == pytest.approx(0.05, abs=0.015)


def test_units_that_count():
    """r = 2/3 / 1 of pairs (1, 1) (1, -1) … worked: neighbours 1 1 -1 -1 1 1 give r = 0.2, with its bias (1 + 0.6)/6 more."""
    follows = [False, True, True, True, True, True]
    r = (1 - 1 + 1 - 1 + 1) / 5
    corrected = r + (1 + 3 * r) / 6
    assert effective_units([1, 1, -1, -1, 1, 1], follows) == pytest.approx(6 * (1 - corrected) / (1 + corrected))
    assert effective_units([1, 1, -1, -1, 1, 1], [False] * 6) == 6


# --- Over studies ----------------------------------------------------------------------------------------------------


def with_study(study: str, **rows: list[Row]) -> MemoryLake:
    of_study = study_rows(parse_studies(study, "study.yaml"), "study")
    return MemoryLake(**rows, **{name: table.to_pylist() for name, table in of_study.items()})


STUDY = """\
study: S
interval: all
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}, DB2: {report_class: DB2}}
configurations:
  old: {steps: [{window: 2021-04-13T10:00/10:06}]}
  new: {steps: [{window: 2021-04-13T11:00/11:06}]}
  once: {steps: [{window: 2021-04-13T12:00/12:02}]}
---
study: V
interval: all
subsystems: {DB2: {report_class: DB2}}
configurations:
  whole: {steps: [{window: 2021-04-13T11:00/11:06, volume: 72000}]}
  steps:
    steps:
    - {window: 2021-04-13T10:00/10:01, volume: 12000}
    - {window: 2021-04-13T10:01/10:02, volume: 6000}
    - {window: 2021-04-13T10:02/10:03, volume: 18000}
    - {window: 2021-04-13T10:03/10:04, volume: 9000}
"""
ENDED = (12000, 6000, 18000, 9000, 15000, 12000)
NOISE = (0.3, -0.2, 0.1, -0.3, 0.2, -0.1)


def minute(hour: int, number: int, cp_pct: float) -> list[Row]:
    """A minute of CICS, and of DB2 at 20%."""
    own = heading(START + dt.timedelta(hours=hour, minutes=number), line=100 * hour + 10 * number + 10)
    cics = worked_page(**own, transactions_ended=ENDED[number], actual_time_s=0.02 + 0.001 * number, appl_cp_pct=cp_pct)
    cics |= {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "iip_time_s": 0.0}
    return [cics, cics | {"report_class": "DB2", "transactions_ended": 0, "appl_cp_pct": 20.0, "line": own["line"] + 1}]


@pytest.fixture(scope="module")
def tables() -> MemoryLake:
    """CPU is 4% and 0.4 ms a request before, 3% and 0.3 ms after, with noise."""
    pages = [
        row
        for hour, (fixed, cost) in enumerate([(4.0, 0.4), (3.0, 0.3), (4.0, 0.4)])
        for n in range(6 if hour < 2 else 2)
        for row in minute(hour, n, fixed + cost / 10 * ENDED[n] / 60 + NOISE[n])
    ]
    processors = []
    for hour in (0, 1):
        for n in range(6):
            row = heading(START + dt.timedelta(hours=hour, minutes=n), line=500 + 10 * hour + n)
            row = {k: v for k, v in row.items() if k not in ("policy", "policy_activated_at", "scope")}
            row |= {"is_total": False, "thread": 0, "processor_type": "CP", "processor_id": "0", "online_pct": 100.0}
            processors += [
                row | {"system": s, "lpar_busy_pct": 20.0 + ENDED[n] / 1000 + hour} for s in ("SYSA", "SYSB")
            ]
    return with_study(STUDY, rmf_workload_activity=pages, rmf_cpu_activity=processors)


@pytest.fixture(scope="module")
def computed(tables: MemoryLake) -> dict[str, list[Row]]:
    return {name: table.to_pylist() for name, table in study_statistics(tables).items()}


def pick(rows: list[Row], **wanted: object) -> Row:
    wanted = {"study": "S", **wanted}
    (row,) = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    return row


def test_the_value_is_that_of_the_views(tables: MemoryLake, computed: dict[str, list[Row]]):
    for row in tables.rows("FROM cost_change WHERE study = 'S'"):
        found = pick(
            computed["study_difference"],
            configuration=row["configuration"],
            measure="cpu_ms_per_request",
            subject=row["subsystem"],
        )
        assert found["value"] == pytest.approx(row["cpu_ms_per_request"])
        assert found["baseline_value"] == pytest.approx(row["baseline_cpu_ms_per_request"])
    for row in tables.rows("SELECT configuration, response_ms FROM run_requests WHERE study = 'S'"):
        found = pick(computed["study_confidence"], configuration=row["configuration"], measure="response_ms")
        assert found["value"] == pytest.approx(row["response_ms"])
    for row in tables.rows(
        "SELECT configuration, itr_per_s FROM itr WHERE busy_basis = 'cp' AND configuration IN ('old', 'new')"
    ):
        found = pick(
            computed["study_confidence"], configuration=row["configuration"], measure="itr_per_s", subject="cp"
        )
        assert found["value"] == pytest.approx(row["itr_per_s"])


def test_the_unit_is_the_interval_where_a_class_counts_requests(computed: dict[str, list[Row]]):
    row = pick(computed["study_confidence"], configuration="old", measure="cpu_ms_per_request", subject="DB2")
    assert (row["unit_kind"], row["units"], row["verdict"]) == ("interval", 6, "interval")
    costs = [200 * 60 / ended for ended in ENDED]
    assert row["value"] == pytest.approx(6 * 200 * 60 / sum(ENDED))
    assert row["stddev"] == pytest.approx(np.std(costs, ddof=1))
    assert row["lower"] < row["value"] < row["upper"]
    assert (row["requests_per_s_least"], row["requests_per_s_most"]) == (100, 300)
    assert 2 <= row["effective_units"] <= 6


def test_all_subsystems_together_have_a_row(computed: dict[str, list[Row]]):
    costs = {
        r["subject"]: r["value"]
        for r in computed["study_confidence"]
        if (r["study"], r["configuration"], r["measure"]) == ("S", "new", "cpu_ms_per_request")
    }
    assert costs.keys() == {"CICS", "DB2", "unallocated", None}
    assert costs[None] == pytest.approx(costs["CICS"] + costs["DB2"])


def test_two_intervals_give_no_interval_of_confidence(computed: dict[str, list[Row]]):
    row = pick(computed["study_confidence"], configuration="once", measure="cpu_ms_per_request", subject="CICS")
    assert (row["units"], row["lower"], row["upper"], row["verdict"]) == (2, None, None, "no interval")
    assert pick(computed["study_fit"], configuration="once", subject="CICS")["verdict"] == "no fit"
    assert pick(computed["study_difference"], configuration="once", measure="response_ms")["verdict"] == "no interval"


def test_what_is_not_known_is_said(computed: dict[str, list[Row]]):
    row = pick(computed["study_confidence"], configuration="once", measure="itr_per_s", subject="cp")
    assert (row["value"], row["verdict"]) == (None, "not known")


def test_the_line_finds_cost_and_fixed_part(computed: dict[str, list[Row]]):
    for configuration, fixed, cost in (("old", 4.0, 0.4), ("new", 3.0, 0.3)):
        row = pick(computed["study_fit"], configuration=configuration, subject="CICS")
        assert row["verdict"] == "fitted"
        assert row["cpu_ms_per_request_lower"] < cost < row["cpu_ms_per_request_upper"]
        assert row["fixed_cpu_pct_lower"] < fixed < row["fixed_cpu_pct_upper"]
        assert row["cpu_ms_per_request"] == pytest.approx(cost, abs=0.03)
    flat = pick(computed["study_fit"], configuration="old", subject="DB2")
    assert (flat["cpu_ms_per_request"], flat["fixed_cpu_pct"]) == (pytest.approx(0, abs=1e-9), pytest.approx(20))
    # DB2 takes 20% whatever the load: no line says what a request costs there.
    assert flat["verdict"] == "slope may be 0"


@pytest.mark.parametrize(
    ("rates", "cpu", "verdict"),
    [
        # Loads from 100 to 120: 1.2 times, and CPU that follows them.
        ([100, 105, 110, 115, 120], [10.0, 10.6, 11.0, 11.4, 12.0], "fitted"),
        # The same cost, the loads 1.19 times apart.
        ([100, 105, 110, 115, 119], [10.0, 10.6, 11.0, 11.4, 11.9], "loads too alike"),
        # Loads 3 times apart; slope 0.02 per 1/s, residuals of -1, 3, -3, 1: standard error (20 / 2 / 50000)^0.5 = 0.0141, times 4.30: 0.02 +- 0.06.
        ([100, 200, 300, 400], [11.0, 17.0, 13.0, 19.0], "slope may be 0"),
    ],
)
def test_a_line_is_fitted_where_loads_differ_and_its_slope_is_not_0(rates: list[int], cpu: list[float], verdict: str):
    series = _Series()
    for rate, pct in zip(rates, cpu, strict=True):
        series.add(_Unit("step", False, float(rate)), pct, float(rate), pct)
    row = _fit(series)
    assert row["verdict"] == verdict
    assert (row["cpu_ms_per_request_lower"] > 0) == (verdict != "slope may be 0")


def test_a_difference_is_told_from_noise(computed: dict[str, list[Row]]):
    rows = computed["study_difference"]
    assert {r["baseline"] for r in rows} == {"old", "whole"}
    cheaper = pick(rows, configuration="new", measure="cpu_ms_per_request", subject="CICS")
    assert (cheaper["verdict"], cheaper["difference"] < 0) == ("differs", True)
    assert cheaper["lower"] < cheaper["difference"] < cheaper["upper"] < 0
    same = pick(rows, configuration="new", measure="cpu_ms_per_request", subject="DB2")
    assert (same["verdict"], same["difference"]) == ("within noise", pytest.approx(0))


def test_response_times_at_unlike_loads_have_no_interval(computed: dict[str, list[Row]]):
    """Rates of 100 to 300 a second are no repetitions of one thing."""
    for table in ("study_confidence", "study_difference"):
        row = pick(computed[table], configuration="new", measure="response_ms")
        assert (row["verdict"], row["lower"], row["upper"]) == ("unlike loads", None, None)
        assert row["value"] is not None


def test_response_times_at_like_loads_have_an_interval():
    pages = [
        worked_page(**heading(START + dt.timedelta(minutes=n), line=10 + n), transactions_ended=6000 + n * 1000)
        | {"actual_time_s": 0.02 + 0.001 * (n % 2)}
        for n in range(6)
    ]
    text = STUDY.split("---")[0]
    found = study_statistics(with_study(text, rmf_workload_activity=pages))["study_confidence"].to_pylist()
    row = pick(found, configuration="old", measure="response_ms")
    assert (row["verdict"], row["requests_per_s_most"]) == ("interval", pytest.approx(11000 / 60))
    assert 19.5 < row["lower"] < row["value"] < row["upper"] < 21.5


def test_where_requests_are_counted_once_a_step_the_step_is_the_unit(computed: dict[str, list[Row]]):
    cost = {"study": "V", "measure": "cpu_ms_per_request", "subject": "DB2"}
    found = pick(computed["study_confidence"], configuration="steps", **cost)
    assert (found["unit_kind"], found["units"], found["effective_units"], found["verdict"]) == (
        "step",
        4,
        4,
        "interval",
    )
    found = pick(computed["study_confidence"], configuration="whole", **cost)
    assert (found["unit_kind"], found["units"], found["verdict"]) == ("step", 1, "no interval")


def test_systems_that_report_apart_make_one_unit_an_interval(tables: MemoryLake):
    def apart(rows: list[Row]) -> list[Row]:
        return [row | {"scope": system, "source_id": system} for row in rows for system in ("SYSA", "SYSB")]

    text = "\n".join(STUDY.splitlines()[:6])
    of_two = with_study(text, rmf_workload_activity=apart(tables.rows("FROM rmf_workload_activity")))
    row = pick(study_statistics(of_two)["study_confidence"].to_pylist(), measure="cpu_ms_per_request", subject="DB2")
    assert (row["units"], row["value"]) == (6, pytest.approx(6 * 200 * 60 / sum(ENDED)))


# --- In a lake -------------------------------------------------------------------------------------------------------


def test_the_tables_are_computed_only_when_a_query_names_them():
    asked: list[str] = []

    def dataset(table: Table) -> pa.Table:
        asked.append(table.name)
        return plain_schema(table).empty_table()

    session = Session(dataset, {})
    shown = {name for (name,) in session.relation("SELECT name FROM (SHOW TABLES)")[1].fetchall()}
    assert shown >= {"study_step", "study_confidence", "study_difference", "study_fit"}
    with pytest.raises(duckdb.InvalidInputException, match="study_fit is read only by its name"):
        session.relation("SELECT * FROM query_table('study' || '_fit')")[1].fetchall()
    assert "study_step" in asked
    assert not {"study_confidence", "study_difference", "study_fit"} & set(asked)
    assert session.relation("SELECT verdict FROM Study_Difference")[1].fetchall() == []
    assert asked[-1] == "study_difference"
    session.close()


def test_the_tables_of_a_lake_without_studies_are_empty(tmp_path: Path):
    with Lake(tmp_path) as lake:
        add(lake, entry("a"))
    with open_lake(tmp_path) as opened:
        assert opened.sql("SELECT verdict FROM study_difference").fetchall() == []
        assert opened.rows("study_fit") == 0
