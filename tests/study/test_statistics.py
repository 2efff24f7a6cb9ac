"""How sure figures are: intervals against those of scipy, worked by hand, and in simulated series; the tables over studies."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.report import Table
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.schema import plain_schema
from ironlake.pipeline.sql.session import Session
from ironlake.pipeline.sql.statistics import _fit, _Series, _Unit, study_statistics
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.study_file import parse_studies
from lake_rows import add, entry
from one_lake import Asks
from study_lakes import studied
from views_lake import START, MemoryLake, Row, expect, heading, worked_page

approx = pytest.approx


def with_study(study: str, **rows: list[Row]) -> MemoryLake:
    of_study = study_rows(parse_studies(study, "study.yaml"), "study")
    return MemoryLake(**rows, **{name: table.to_pylist() for name, table in of_study.items()})


STUDY = """\
study: S
interval: all
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}, DB2: {report_class: DB2}}
configurations:
  old: {steps: [{window: 2021-04-13T10:00/10:12}]}
  new: {steps: [{window: 2021-04-13T11:00/11:12}]}
  once: {steps: [{window: 2021-04-13T12:00/12:04}]}
---
study: V
interval: all
subsystems: {DB2: {report_class: DB2}}
configurations:
  whole: {steps: [{window: 2021-04-13T11:00/11:12, volume: 72000}]}
  steps:
    steps:
    - {window: 2021-04-13T10:00/10:01, volume: 12000}
    - {window: 2021-04-13T10:02/10:03, volume: 6000}
    - {window: 2021-04-13T10:04/10:05, volume: 18000}
    - {window: 2021-04-13T10:06/10:07, volume: 9000}
"""
ENDED = (12000, 6000, 18000, 9000, 15000, 12000)
NOISE = (0.3, -0.2, 0.1, -0.3, 0.2, -0.1)


def minute(hour: int, number: int, cp_pct: float) -> list[Row]:
    """A minute of CICS, and of DB2 at 20%; the next begins a minute later, so that none is on end."""
    own = heading(START + dt.timedelta(hours=hour, minutes=2 * number), line=100 * hour + 10 * number + 10)
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
            row = heading(START + dt.timedelta(hours=hour, minutes=2 * n), line=500 + 10 * hour + n, scope=None)
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
        wanted = {"configuration": row["configuration"], "measure": "cpu_ms_per_request", "subject": row["subsystem"]}
        found = pick(computed["study_difference"], **wanted)
        expect(found, value=approx(row["cpu_ms_per_request"]))
        expect(found, baseline_value=approx(row["baseline_cpu_ms_per_request"]))
    of_runs = {
        "SELECT configuration, 'response_ms', NULL, response_ms FROM run_requests WHERE study = 'S'",
        "SELECT configuration, 'itr_per_s', 'cp', itr_per_s FROM itr WHERE busy_basis = 'cp' AND configuration IN ('old', 'new')",
    }
    for text in of_runs:
        for configuration, measure, subject, value in tables.sql(text).fetchall():
            found = pick(computed["study_confidence"], configuration=configuration, measure=measure, subject=subject)
            assert found["value"] == approx(value)


# In ms: 200 x 60 of each minute over what ended.
COSTS = [12_000 / ended for ended in ENDED]
ONCE, CPU, RESPONSE = {"configuration": "once"}, {"measure": "cpu_ms_per_request"}, {"measure": "response_ms"}
OF_V = CPU | {"study": "V", "subject": "DB2"}
UNLIKE = {"verdict": "unlike loads", "lower": None, "upper": None}


@pytest.mark.parametrize(
    ("table", "wanted", "columns"),
    [
        # The unit is the interval where a class counts requests.
        ("confidence", CPU | {"configuration": "old", "subject": "DB2"}, {
            "unit_kind": "interval", "units": 6, "effective_units": 6, "verdict": "interval", "value": approx(6 * 12_000 / sum(ENDED)),
            "stddev": approx(np.std(COSTS, ddof=1)), "requests_per_s_least": 100, "requests_per_s_most": 300}),
        # Two intervals give no interval of confidence.
        ("confidence", ONCE | CPU | {"subject": "CICS"}, {"units": 2, "lower": None, "upper": None, "verdict": "no interval"}),
        ("fit", ONCE | CPU | {"subject": "CICS"}, {"verdict": "no fit"}), ("difference", ONCE | RESPONSE, {"verdict": "no interval"}),
        ("confidence", ONCE | {"measure": "itr_per_s", "subject": "cp"}, {"value": None, "verdict": "not known"}),
        # Rates of 100 to 300 a second are no repetitions of one thing.
        ("confidence", RESPONSE | {"configuration": "new"}, UNLIKE), ("difference", RESPONSE | {"configuration": "new"}, UNLIKE),
        # Where requests are counted once a step, the step is the unit.
        ("confidence", OF_V | {"configuration": "steps"}, {"unit_kind": "step", "units": 4, "effective_units": 4, "verdict": "interval"}),
        ("confidence", OF_V | {"configuration": "whole"}, {"unit_kind": "step", "units": 1, "verdict": "no interval"}),
    ],
)  # fmt: skip
def test_what_is_told(computed: dict[str, list[Row]], table: str, wanted: Row, columns: Row):
    row = pick(computed[f"study_{table}"], **wanted)
    expect(row, **columns)
    assert (row.get("value", 0) is None) == (row["verdict"] == "not known")
    if row["verdict"] == "interval":
        assert row["lower"] < row["value"] < row["upper"]


def test_the_line_finds_cost_and_fixed_part(computed: dict[str, list[Row]]):
    for configuration, fixed, cost in (("old", 4.0, 0.4), ("new", 3.0, 0.3)):
        row = pick(computed["study_fit"], measure="cpu_ms_per_request", configuration=configuration, subject="CICS")
        assert row["verdict"] == "fitted"
        assert row["ms_per_request_lower"] < cost < row["ms_per_request_upper"]
        assert row["fixed_pct_lower"] < fixed < row["fixed_pct_upper"]
        assert row["ms_per_request"] == approx(cost, abs=0.03)
    flat = pick(computed["study_fit"], measure="cpu_ms_per_request", configuration="old", subject="DB2")
    assert (flat["ms_per_request"], flat["fixed_pct"]) == (approx(0, abs=1e-9), approx(20))
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
        series.add(_Unit("step", False, float(rate)), pct, float(rate), None, pct)
    row = _fit(series)
    assert row["verdict"] == verdict
    assert (row["ms_per_request_lower"] > 0) == (verdict != "slope may be 0")


def test_a_difference_is_told_from_noise(computed: dict[str, list[Row]]):
    rows = computed["study_difference"]
    assert {r["baseline"] for r in rows} == {"old", "whole"}
    cheaper = pick(rows, configuration="new", measure="cpu_ms_per_request", subject="CICS")
    assert (cheaper["verdict"], cheaper["difference"] < 0) == ("differs", True)
    assert cheaper["lower"] < cheaper["difference"] < cheaper["upper"] < 0
    same = pick(rows, configuration="new", measure="cpu_ms_per_request", subject="DB2")
    assert (same["verdict"], same["difference"]) == ("within noise", approx(0))


def of_hours(names: str) -> str:
    """A study of CICS with a configuration an hour, of six minutes."""
    steps = "".join(
        f"  {of}: {{steps: [{{window: 2021-04-13T{10 + n}:00/{10 + n}:06}}]}}\n" for n, of in enumerate(names)
    )
    return f"{STUDY.split('subsystems')[0]}subsystems: {{CICS: {{report_class: CICS2A20}}}}\nconfigurations:\n{steps}"


def test_differences_of_several_configurations_are_judged_together():
    """Four configurations of three minutes apart each, of which b, c and d are compared with a: CPU of 10% give or take 0.2 for 100
    requests a second is 1 ms; the others have 0.4, 0.5 and 3% of an engine more. Welch's t of 0.4 / (0.04 x 2 / 3)^0.5 = 2.449 with 4 degrees is a
    chance of 0.0705; of 0.5, 3.062, 0.03759; of 3, 18.37, 0.00005. The least times three, the next times two,
     and the last not below it: d alone differs."""
    rows = []
    for number, more in enumerate((0.0, 0.4, 0.5, 3.0)):
        for n, noise in enumerate((-0.2, 0.0, 0.2)):
            own = heading(START + dt.timedelta(hours=number, minutes=2 * n), line=100 * number + n)
            page = worked_page(**own, transactions_ended=6000, appl_cp_pct=10 + more + noise)
            page |= {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "iip_time_s": 0.0}
            rows.append(page | {"actual_time_s": 0.056})
    found = study_statistics((yield studied(of_hours("abcd"), rmf_workload_activity=rows)))[
        "study_difference"
    ].to_pylist()
    judged = {name: pick(found, configuration=name, **CPU, subject="CICS") for name in "bcd"}
    assert [round(row["p_value"], 4) for row in judged.values()] == [0.0705, 0.0376, 0.0001]
    assert [round(row["p_value_adjusted"], 4) for row in judged.values()] == [0.0752, 0.0752, 0.0002]
    assert [row["verdict"] for row in judged.values()] == ["within noise", "within noise", "differs"]
    # The interval is of each difference alone.
    assert judged["c"]["lower"] > 0
    # Response times of 56 ms all along: an error of 0.5 / 4.303 each, and t with 4 degrees is 2.776.
    response = pick(found, configuration="b", measure="response_ms")
    assert (response["difference"], response["verdict"]) == (0, "within noise")
    assert response["upper"] == approx(0.5 / 4.30265 * 2**0.5 * 2.77645, rel=1e-4)


def test_a_cost_of_one_printed_digit_has_no_percentage():
    """CP of 0.05% for 100 requests a second is 0.005 ms, then 10%: 1 ms. With zIIP time 10.05% and 20%: +99%."""
    rows = []
    for number, cp in enumerate((0.05, 10.0)):
        for n in range(3):
            own = heading(START + dt.timedelta(hours=number, minutes=2 * n), line=100 * number + n)
            page = worked_page(**own, transactions_ended=6000, appl_cp_pct=cp)
            rows.append(page | {"appl_iip_pct": 10.0, "appl_iipcp_pct": 0.0})
    found = study_statistics((yield studied(of_hours("ab"), rmf_workload_activity=rows)))[
        "study_difference"
    ].to_pylist()
    cp, cpu = (pick(found, measure=f"{name}_ms_per_request", subject="CICS") for name in ("cp", "cpu"))
    assert (round(cp["difference"], 4), cp["difference_pct"]) == (0.995, None)
    assert round(cpu["difference_pct"], 1) == 99.0


def of_minutes(steps: list[tuple[str, list[int]]]) -> Asks[list[Row]]:
    """study_confidence of a study of one configuration with such windows, in each of which are such minutes past ten."""
    rows = []
    for _, minutes in steps:
        for n in minutes:
            page = worked_page(
                **heading(START + dt.timedelta(minutes=n), line=10 + n), transactions_ended=6000 + 10 * (n % 3)
            )
            rows.append(page | {"actual_time_s": 0.056})
    windows = ", ".join(f"{{window: {window}}}" for window, _ in steps)
    text = STUDY.split("configurations")[0].replace(", DB2: {report_class: DB2}", "")
    text += f"configurations:\n  one: {{steps: [{windows}]}}\n"
    return study_statistics((yield studied(text, rmf_workload_activity=rows)))["study_confidence"].to_pylist()


def test_of_intervals_on_end_14_are_needed():
    for units, verdict in ((13, "no interval"), (14, "interval")):
        found = yield from of_minutes([("2021-04-13T10:00/10:20", list(range(units)))])
        row = pick(found, configuration="one", measure="cpu_ms_per_request", subject="CICS")
        assert (row["units"], row["verdict"], row["lower"] is None) == (units, verdict, units == 13)


def test_steps_of_intervals_on_end_count_once_each():
    steps = [(f"2021-04-13T10:{n}0/10:{n}3", [10 * n, 10 * n + 1, 10 * n + 2]) for n in range(3)]
    row = pick((yield from of_minutes(steps)), configuration="one", measure="response_ms")
    assert (row["units"], row["effective_units"]) == (9, 3)
    # 56 ms nine times: no 56 to 56, but what would be printed so.
    expect(row, value=approx(56), lower=approx(55.5), upper=approx(56.5), verdict="printed digits")


def test_response_times_at_like_loads_have_an_interval():
    pages = [
        worked_page(**heading(START + dt.timedelta(minutes=2 * n), line=10 + n), transactions_ended=6000 + n * 1000)
        | {"actual_time_s": 0.02 + 0.001 * (n % 2)}
        for n in range(6)
    ]
    text = STUDY.split("---")[0]
    found = study_statistics((yield studied(text, rmf_workload_activity=pages)))["study_confidence"].to_pylist()
    row = pick(found, configuration="old", measure="response_ms")
    assert (row["verdict"], row["requests_per_s_most"]) == ("interval", approx(11000 / 60))
    assert 19.5 < row["lower"] < row["value"] < row["upper"] < 21.5


def lacking(name: str, *rejects: Row) -> Asks[dict[str, Row]]:
    """CPU per request of `old` by subsystem, CPU 10% for CICS and 20% for DB2, where the third of six minutes does not print a class; each
    minute is a page."""
    pages = [row | {"page": n + 1} for n in range(6) for row in minute(0, n, 10.0)]
    pages = [row for row in pages if (row["page"], row["report_class"]) != (3, name)]
    lake = yield studied(STUDY.split("---")[0], rmf_workload_activity=pages, parse_reject=list(rejects))
    rows = study_statistics(lake)["study_confidence"].to_pylist()
    # What the views say of the run, the units together say.
    for run in lake.rows("SELECT subsystem, cpu_ms_per_request FROM cost_per_request WHERE configuration = 'old'"):
        whole = pick(rows, configuration="old", measure="cpu_ms_per_request", subject=run["subsystem"])
        assert whole["value"] == (run["cpu_ms_per_request"] and approx(run["cpu_ms_per_request"]))
    return {
        str(row["subject"]): row
        for row in rows
        if (row["configuration"], row["measure"]) == ("old", "cpu_ms_per_request")
    }


NOT_READ = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "s1.txt", "page": 3, "line": 999}


def test_a_unit_that_does_not_print_a_class_used_nothing_there_if_it_is_whole():
    """72,000 ended in six minutes. DB2 uses 20% of an engine, 12 s, in five of them: 60 s / 72,000 = 0.8333 ms; CICS 36 s: 0.5 ms."""
    found = yield from lacking("DB2")
    expect(found["DB2"], value=approx(60_000 / 72_000), units=6, verdict="interval")
    costs = [0 if n == 2 else cost for n, cost in enumerate(COSTS)]
    assert found["DB2"]["stddev"] == approx(np.std(costs, ddof=1))
    assert (found["CICS"]["value"], found["None"]["value"]) == (approx(0.5), approx(96_000 / 72_000))
    assert found["unallocated"]["value"] == approx(0)


def test_a_unit_that_is_not_whole_leaves_what_it_does_not_print_unknown():
    """A line of the third page could not be read: it may have been DB2's. CICS is printed there. So is nothing of what no subsystem has,
    for it is what is left of all classes."""
    found = yield from lacking("DB2", NOT_READ)
    assert {name: found[name]["verdict"] for name in found} == {
        "DB2": "not known", "CICS": "interval", "None": "not known", "unallocated": "not known",
    }  # fmt: skip
    assert found["CICS"]["value"] == approx(0.5)


def test_a_unit_that_does_not_print_the_requests_had_none_if_it_is_whole():
    """The third minute, of 18,000, does not print CICS: 54,000 ended in five. DB2 uses 12 s in each of six: 72 s / 54,000."""
    found = yield from lacking("CICS2A20")
    assert (found["DB2"]["value"], found["DB2"]["units"]) == (approx(72_000 / 54_000), 6)
    assert {row["requests_per_s_least"] for row in found.values()} == {0}
    assert {row["verdict"] for row in (yield from lacking("CICS2A20", NOT_READ)).values()} == {"not known"}


def test_the_tables_are_computed_only_when_a_query_names_them():
    asked: list[str] = []

    def dataset(table: Table) -> pa.Table:
        asked.append(table.name)
        return plain_schema(table).empty_table()

    session = Session(dataset, {})
    shown = {name for (name,) in session.relation("SELECT name FROM (SHOW TABLES)")[1].fetchall()}
    assert shown >= {"study_step", "study_confidence", "study_difference", "study_fit"}
    assert asked == []
    assert session.relation("SELECT verdict FROM Study_Difference")[1].fetchall() == []
    assert session.relation("SELECT * FROM query_table('study' || '_fit'), (SHOW TABLES)")[1].fetchall() == []
    assert asked == ["study_difference", "study_fit"]
    session.close()


def test_the_tables_of_a_lake_without_studies_are_empty(tmp_path: Path):
    with Lake(tmp_path) as lake:
        add(lake, entry("a"))
    with open_lake(tmp_path) as opened:
        assert opened.sql("SELECT verdict FROM study_difference").fetchall() == []
        assert opened.rows("study_fit") == 0


def test_units_are_intervals_of_a_class_and_say_which_follow():
    """Minutes 0, 1 and 3 of SYSA and SYSB apart: three units, the second alone on end. Each system ends 3000 transactions a minute at 10%:
    100 a second at 20%."""
    rows = [
        worked_page(**heading(START + dt.timedelta(minutes=n), line=10 + n, scope=system, source_id=system))
        | {
            "transactions_ended": 3000, "appl_cp_pct": 10.0, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0,
            "iip_time_s": 0.0,
        }
        for n in (0, 1, 3)
        for system in ("SYSA", "SYSB")
    ]  # fmt: skip
    text = STUDY.split("configurations")[0].replace(", DB2: {report_class: DB2}", "")
    text += "configurations:\n  one: {steps: [{window: 2021-04-13T10:00/10:20}]}\n"
    lake = yield studied(text, rmf_workload_activity=rows)
    units = lake.rows("FROM study_unit_requests ORDER BY unit_start")
    assert [(u["unit_kind"], u["unit_start"].minute, u["follows"]) for u in units] == [
        ("interval", 0, False),
        ("interval", 1, True),
        ("interval", 3, False),
    ]
    assert [(u["requests"], u["requests_per_s"], u["covered_s"]) for u in units] == [(6000, 100, 60)] * 3
    costs = lake.rows("FROM study_unit_cost WHERE subsystem = 'CICS'")
    assert [row["cpu_pct"] for row in costs] == [approx(20)] * 3
