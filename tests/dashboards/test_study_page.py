"""The page of a study: what it says, how sure, and what it draws."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from drawn import series, told
from ironlake.dashboards.certainty import verdict
from ironlake.dashboards.charts.arrange_charts import charts_by_group
from ironlake.dashboards.charts.comparison_page_charts import PICTURES
from ironlake.dashboards.columns import PART_OF_COST
from ironlake.dashboards.document import document
from ironlake.dashboards.first_screen.finding import finding
from ironlake.dashboards.first_screen.screen import summary_table
from ironlake.dashboards.headline_table import summary
from ironlake.dashboards.pages.findings_tables import findings_tables
from ironlake.dashboards.pages.study import headlines, render
from ironlake.dashboards.pages.study_tables import runs_table
from ironlake.dashboards.references import Reference, Sources
from ironlake.dashboards.study_rows import COSTS, ConfigurationMeasures, StudyMeasures, measure_studies
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.study_file import Study, parse_studies
from pages import pictures_of
from views_lake import START, MemoryLake, Row, expect, heading, worked_page

HOUR = dt.timedelta(hours=1)
WEEK = dt.timedelta(days=7)
Pages = dict[str, tuple[list[StudyMeasures], str]]
# Requests a second, and CP, IIP, IIPCP of CICS and of DB2 in each of three runs: T2 costs 8 + 2 ms a request, T4 6 + 6.
T2 = ((10, (8, 0, 0), (2, 0, 0)), (20, (16, 0, 0), (4, 0, 0)), (30, (24, 0, 0), (6, 0, 0)))
T4 = ((10, (6, 0, 0), (2, 4, 1)), (20, (12, 0, 0), (4, 8, 2)), (30, (18, 0, 0), (6, 12, 3)))


def _block(start: dt.datetime, line: int, name: str, rate: float, appl: tuple[float, float, float]) -> Row:
    cp, iip, iipcp = appl
    row = heading(start, 300) | {"class_kind": "report_class", "report_class": name, "line": line, "policy": "POLICY"}
    row |= {"appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": iipcp, "appl_aapcp_pct": 0.0}
    return row | {"transactions_ended": int(rate * 300), "actual_time_s": 0.025, "total_service": 1}


def _blocks(week: int, second: dt.timedelta, other: Any) -> list[Row]:
    """Three runs of T2 in a week, and of another configuration so much later."""
    rows = []
    for later, runs in ((0 * HOUR, T2), (second, other)):
        for number, (rate, cics, db2) in enumerate(runs):
            start, line = (
                START + week * WEEK + later + number * HOUR,
                1000 * week + 100 * (later > 0 * HOUR) + 10 * number,
            )
            rows += [_block(start, line + 1, "CICS", rate, cics), _block(start, line + 2, "DB2", 0, db2)]
    return rows


def _study(name: str, week: int, configuration: str, second: dt.timedelta) -> list[Study]:
    steps = [
        ", ".join(f"{{window: {START + week * WEEK + later + n * HOUR:%Y-%m-%dT%H:%M}/{n + 10}:05}}" for n in range(3))
        for later in (0 * HOUR, second)
    ]
    text = (
        f"study: {name}\nbaseline: T2\nrequests: {{report_class: CICS}}\n"
        "subsystems: {CICS: {report_class: CICS}, DB2: {report_class: DB2}}\n"
        f'configurations:\n  T2: {{steps: [{steps[0]}]}}\n  "{configuration}": {{steps: [{steps[1]}]}}\n'
    )
    return parse_studies(text, "study.yaml")


def _engines() -> tuple[list[Row], list[Row], list[Study]]:
    """A page whose own times say that a zIIP has a factor of 2.5, beside three CPs and two zIIPs; in week 6."""
    at = START + 6 * WEEK
    when = {"interval_start": at, "interval_end": at + dt.timedelta(minutes=1)}
    times = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_cp_pct": 50.0, "appl_iip_pct": 46.67, "srb_time_s": 0.0}
    page = worked_page(scope="SYSA", transactions_ended=6000, **times) | when | {"line": 6001}
    printed = heading() | when
    printed |= {"sysplex": None, "scope": None, "system": "SYSA", "is_total": False, "thread": 0}
    processors = [
        printed
        | {"processor_type": kind, "processor_id": str(n), "line": n, "online_pct": 100.0, "lpar_busy_pct": 50.0}
        for n, kind in enumerate(("CP", "CP", "CP", "IIP", "IIP"))
    ]
    text = "study: Engines\nrequests: {report_class: CICS2A20}\nsubsystems: {CICS: {report_class: CICS2A20}}\n"
    step = f"{{window: {at:%Y-%m-%dT%H:%M}/10:01}}"
    return [page], processors, parse_studies(f"{text}configurations: {{A: {{steps: [{step}]}}}}\n", "s.yaml")


@pytest.fixture(scope="module")
def pages() -> Iterator[dict[str, tuple[list[StudyMeasures], str]]]:
    """What is measured of each study, and its page: all are of one lake. Noise has other values; of
    Weekdays the second day is a Wednesday, and pages have no zIIP cells."""
    a_day_later = WEEK + dt.timedelta(days=1)
    noisy = ((10, (9, 0, 0), (2, 0, 0)), (20, (14, 0, 0), (5, 0, 0)), (30, (25, 0, 0), (7, 0, 0)))
    without = dict.fromkeys(("appl_iip_pct", "appl_iipcp_pct", "appl_aapcp_pct"))
    page, processors, engines = _engines()
    rows = [
        *_blocks(0, WEEK, T4),
        *_blocks(2, WEEK, noisy),
        *(row | without for row in _blocks(4, a_day_later, T4)),
        *page,
    ]
    studies = _study("Drivers", 0, "T4", WEEK) + _study("Noise", 2, "T4", WEEK)
    studies += _study("Weekdays", 4, "T4", a_day_later) + engines
    with StudiedLake(MemoryLake(rmf_workload_activity=rows, rmf_cpu_activity=processors), studies) as studied:
        sources = Sources(studied)
        measured = measure_studies(studied, [study.name for study in studies], sources)
        found = {study.name: [one for one in measured.studies if one.name == study.name] for study in studies}
        yield {name: (of, document(render(replace(measured, studies=of), sources))) for name, of in found.items()}


@pytest.fixture
def drivers(pages: Pages) -> tuple[list[StudyMeasures], str]:
    return pages["Drivers"]


def test_headline_and_tables_say_what_is_paid_for_first_and_how_sure(drivers: tuple[list[StudyMeasures], str]):
    """T2: CP 8 + 2. T4: CP 6 + 2 = 8, of it IIPCP 1, and IIP 4: a fifth less on general processors, a fifth more in all. At 10 requests/s they are
    8, of it 7 and 1, 4 and in all 12 ms."""
    study, page = drivers
    headline, certainty = (
        f"{finding(study[0])}.",
        "no 95% interval: same difference in all intervals, to the printed digits",
    )
    assert headline == (
        "“T4” needs 20.0% less general-processor time per request than “T2” (10 → 8 ms); with zIIP time it is +20.0%."
    )
    assert headlines(study).startswith(headline + " Strong evidence: ")
    assert f"<h1>{headline[:-1]}</h1>" in page
    assert summary(study).to_pylist() == [{
        "study": "Drivers", "compared": "T2 → T4", "measure": "CP ms per request", "before": 10.0, "after": 8.0,
        "change_pct": -20.0, "certainty": certainty, "cautions": "",
    }]  # fmt: skip
    table = summary_table(study[0])
    assert table
    shown = {row.cells[0].text: [cell.text for cell in row.cells[1:4]] for row in table.bodies[0].rows}
    assert shown == {
        "General-processor time per request": ["10 ms", "8 ms", "−2 ms"], "of it zIIP-eligible on CP": ["0 ms", "1 ms", "+1 ms"],
        "zIIP time per request": ["0 ms", "4 ms", "+4 ms"], "All CPU time per request": ["10 ms", "12 ms", "+2 ms"],
        "Response time": ["25 ms", "25 ms", "0 ms"], "Requests": ["18,000", "18,000", "0"], "Highest measured rate": ["30", "30", "0"],
    }  # fmt: skip


def test_pictures_stack_what_a_request_costs(drivers: tuple[list[StudyMeasures], str]):
    pictures = pictures_of(drivers[1])
    names = "cost cost_by_both cp_pct cpu_pct cp_ms_per_request response_ms cp_mix_change mix_change"
    assert list(pictures) == [f"study_1_{name}" for name in names.split()]
    # The cheaper by general processors first.
    assert pictures["study_1_cost"]["rows"] == ["T4", "T2"]
    assert told(pictures["study_1_cost"]) == {
        "Not zIIP-eligible": [7.0, 10.0],
        "zIIP-eligible on CP": [1.0, 0.0],
        "On zIIP": [4.0, 0.0],
    }
    assert pictures["study_1_cost_by_both"]["rows"] == ["CICS", "T2", "T4", "DB2", "T2", "T4"]
    assert told(pictures["study_1_cost_by_both"])["Not zIIP-eligible"] == [8.0, 6.0, 2.0, 1.0]
    marks = {s["name"]: (s["x"], s["y"]) for s in series(pictures["study_1_cpu_pct"])}
    assert marks == {"T2": ([10.0, 20.0, 30.0], [10.0, 20.0, 30.0]), "T4": ([10.0, 20.0, 30.0], [12.0, 24.0, 36.0])}
    # What is paid for: CP of 8% for 10 requests a second under T4.
    paid = {s["name"]: (s["x"], s["y"]) for s in series(pictures["study_1_cp_pct"])}
    assert paid == {"T2": ([10.0, 20.0, 30.0], [10.0, 20.0, 30.0]), "T4": ([10.0, 20.0, 30.0], [8.0, 16.0, 24.0])}
    assert pictures["study_1_cp_pct"]["axis"] == "General-processor time (% of one engine)"
    # The dotted line of T4: 12 ms a request and nothing fixed. Unsure is what half a printed digit hides: t of one degree, 12.706, times
    # (0.005²/3 (1/3 + 10²/200))^0.5 = 0.0335 at the ends.
    (line,) = (s for s in series(pictures["study_1_cpu_pct"]) if s["name"] == "T4")
    assert [y for _, y in line["fit"]] == pytest.approx([12.0, 36.0])
    (band,) = line["bands"]
    assert (band[20][0], *band[0]) == pytest.approx((30, 10, 12 - 0.0335, 12 + 0.0335), rel=1e-5)
    # On general processors it is 8 ms a request, as sure: CP of 8, 16 and 24% at 10, 20 and 30 requests a second.
    (line,) = (s for s in series(pictures["study_1_cp_pct"]) if s["name"] == "T4")
    assert [end for ends in line["fit"] for end in ends] == pytest.approx([10.0, 8.0, 30.0, 24.0])
    assert line["bands"][0][0][1:] == pytest.approx([8 - 0.0335, 8 + 0.0335], rel=1e-5)
    # No line is of milliseconds.
    assert not any(s["fit"] for s in pictures["study_1_cp_ms_per_request"]["series"])


def test_engines_are_counted_as_they_are_whatever_their_factor(pages: Pages):
    """Three CPs and two zIIPs of factor 2.5 (recovered from the page's own times): 500% of one engine at most, not 800%."""
    ((measured,), _) = pages["Engines"]
    (run,) = measured.baseline.runs
    expect(run, engines_online=pytest.approx(5, abs=0.01), engines_cp_online=pytest.approx(3, abs=0.01))


def test_a_difference_within_noise_is_called_that(pages: Pages):
    said = "No difference in CPU time per request between “T2” and “T4” beyond noise (10.00 and 10.33 ms)"
    assert finding(pages["Noise"][0][0]) == said


def test_a_difference_that_others_beside_it_make_doubtful_is_called_that():
    """Of three comparisons with chances of 0.03, 0.4 and 0.7 the first is no certain one: 3 x 0.03 = 0.09."""
    row = {"verdict": "within noise", "lower": 0.1, "upper": 2.0, "baseline_value": 10.0, "p_value": 0.03}
    assert verdict(row | {"p_value_adjusted": 0.09}) == "within noise after correction for several comparisons"
    assert verdict(row | {"lower": -0.1, "p_value": 0.4, "p_value_adjusted": 0.8}) == "within noise"


def test_findings_of_many_intervals_are_one_row_with_the_worst(drivers: tuple[list[StudyMeasures], str]):
    """DB2 of T4: IIPCP 1, 2, 3 of 5, 10, 15 eligible: 20% in each of three runs, limit 10%."""
    page = drivers[1]
    section = page[page.index('id="findings"') : page.index('id="method"')]
    assert section.count("<tr>") == 2
    row = section[section.index("report class DB2") :]
    assert [cell.split("<")[0] for cell in row.split("<td>")[1:3]] == ["&gt; 10 %", "3"]
    assert "<small>worst 20</small>" in row
    rest = page[page.index("unallocated") :]
    assert [cell.split("<")[0] for cell in rest[: rest.index("</tr>")].split("<td>")[1:]] == ["0", "0"]


def test_findings_of_studies_over_the_same_intervals_count_once_and_configurations_have_columns():
    """Two studies of one work find the same three values; a third one finds another."""
    base = {"rule": "crossover", "title": "Crossover", "comparison": ">", "limit_value": 10.0, "unit": "%"}
    base |= {"least_size": 0.5, "size_unit": "% of an engine"}
    base |= {"is_certain": True, "rule_source": "field practice", "reference": Reference()}

    def study(name: str, *found: tuple[str, str, float]) -> StudyMeasures:
        rows = [base | {"configuration": c, "subject": s, "value": v} for c, s, v in found]
        configurations = [_of_many(c, 1) for c in ("T2", "T4")]
        return StudyMeasures(name, configurations, [], False, [], rows, [], [], {p.name: [] for p in PICTURES})

    same = (("T2", "DB2", 12.0), ("T4", "DB2", 30.5), ("T4", "CICS", 20.0))
    tables = findings_tables(
        [study("by class", *same), study("by simulator", *same), study("other", ("T2", "DB2", 11.0))]
    )
    assert [t.label for t in tables] == ["Table of findings of by class, by simulator", "Table of findings of other"]
    assert [h.title for h in tables[0].heads][1:4] == ["Limit", "T2", "T4"]
    (row,) = tables[0].bodies[0].rows
    assert [(c.text, list(c.notes)) for c in row.cells[:4]] == [
        ("Crossover", ["CICS, DB2"]), ("> 10 %", ["and ≥ 0.5 % of an engine"]), ("1", ["worst 12.0"]), ("2", ["worst 30.5"]),
    ]  # fmt: skip
    assert findings_tables([study("none")]) == []


def test_unlike_weekdays_are_a_caution_and_parts_that_are_not_printed_are_no_zeros(pages: Pages):
    """T4 a day later, on pages without zIIP cells: a cost, and no split."""
    study, page = pages["Weekdays"]
    assert summary(study)["cautions"].to_pylist() == ["different weekdays"]
    assert "Different weekdays: Tuesday in “T2”, Wednesday in “T4”." in page
    assert [s["measure"] for s in series(pictures_of(page)["study_1_cost"])] == ["CPU per request (ms)"]


def test_of_5000_runs_a_page_shows_some_and_counts_the_rest():
    """4,000 of T2 and 1,000 of T4: marks of 400 and 334 (each tenth, each third), 200 rows of each."""
    study = StudyMeasures(
        "S", [_of_many("T2", 4000), _of_many("T4", 1000)], [], False, [], [], [], [], {p.name: [] for p in PICTURES}
    )
    figures: Any = {f.id: f for charts, _ in charts_by_group(study, "study_1").values() for f in charts}
    rate = figures["study_1_cpu_pct"]
    assert [len(line.values) for line in rate.lines] == [400, 334]
    assert rate.title == "How does CPU grow with the request rate?; 734 of 5,000 runs, spread evenly over the rates"
    runs = runs_table(study, Sources(MemoryLake()))
    assert runs.summary == ("5,000 runs, the first 200 of each configuration; all are in the view cost_per_request")
    assert not runs.is_open
    assert len(runs.table.bodies[0].rows) == 400


def _of_many(name: str, count: int) -> ConfigurationMeasures:
    run: Row = {"configuration": name, "window_start": START, "window_end": START, "intervals": 1, "covered_s": 60.0}
    run |= {"asked_s": 60.0, "cpu_ms_per_request": 10.0, "response_ms": 5.0, "cpu_busy_pct": 50.0}
    run |= {"engines_online": 2.0, "reference": Reference()}
    runs = [run | {"run": str(n), "requests_per_s": float(n + 1), "cpu_pct": float(n + 1)} for n in range(count)]
    cost: Row = dict.fromkeys((*COSTS, *PART_OF_COST))
    return ConfigurationMeasures(name, cost, {}, None, Reference(), runs)
