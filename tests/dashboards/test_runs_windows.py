"""Which printed intervals the windows of runs stand for, and what is said of the others."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
from compared_runs import (
    MINUTE,
    NEXT_WEEK,
    RUNS,
    Comparison,
    class_row,
    class_rows,
    comparison,
    notes_of,
    rows_in,
    rows_of_class,
    total_cpu,
)
from ironlake.dashboards.pages.study import compare_studies
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import Place, like_before, studies_of_runs
from ironlake.pipeline.study.study_file import parse_studies
from ironlake.pipeline.study.windows import Window
from one_lake import share_lake
from views_lake import START, MemoryLake, Row


def _printed_twice() -> list[Row]:
    none = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
    rows = []
    for start, cps in ((START, (20.0, 40.0, 60.0)), (NEXT_WEEK, (20.0, 30.0, 30.0))):
        for line, (begin, minutes, cp) in enumerate(zip((0, 0, 15), (30, 15, 15), cps, strict=True), 1):
            at = start + begin * MINUTE
            end = {"interval_s": minutes * 60.0, "interval_end": at + minutes * MINUTE, "actual_time_s": 1.0}
            # The half hour prints more classes, which does not make it the better one.
            more = [{"service_class": "IDLE", "appl_cp_pct": 0.0, "line": line + 50}] if minutes == 30 else []
            rows += [class_row(at, line, cp, 1000, **none, **end) | other for other in ({}, *more)]
    return rows


HALF_HOUR = {"before": [Window(START, START + 30 * MINUTE)], "after": [Window(NEXT_WEEK, NEXT_WEEK + 30 * MINUTE)]}
TWICE = comparison(HALF_HOUR, rmf_workload_activity=_printed_twice())


def test_runs_and_studies_take_the_same_intervals_of_a_half_hour_that_is_printed_twice(
    tmp_path: Path, compared: list[Comparison]
):
    """One page of 30 minutes with 20% and 1,000 transactions, two of 15 with 40 and 60% and 1,000 each: the quarters count, and are
    0.5 × 1,800 s over 2,000 = 450 ms, never the 360 ms of the half hour. As a study says it that names the class."""
    text = "study: S\ninterval: all\nrequests: {service_class: CICS}\nsubsystems: {CICS: {service_class: CICS}}\nconfigurations:\n"
    text += (
        "  before: {steps: [{window: 2021-04-13T10:00/10:30}]}\n  after: {steps: [{window: 2021-04-20T10:00/10:30}]}\n"
    )
    studies = parse_studies(text, "s.yaml")
    with StudiedLake(MemoryLake(rmf_workload_activity=_printed_twice()), studies) as studied:
        said = compare_studies(studied, ["S"], tmp_path / "study.html").headline
    assert said.startswith("after needs 270 ms of CPU time per request, 40.0% less than before (450 ms)")
    headline = compared[TWICE].headline
    assert "50.00% → 30.00% of one engine (−40.0%)" in headline
    assert "CICS 450 → 270 ms (−40.0%)" in headline


@share_lake
def test_an_interval_belongs_where_its_midpoint_is():
    tables = {"rmf_workload_activity": class_rows()[:2]}
    found = {}
    for late_s in (0, 30, 31):
        runs = {"x": [Window(START + dt.timedelta(seconds=late_s), START + 2 * MINUTE)]}
        found[late_s] = len((yield from rows_in(tables, "run_selection", runs)))
    assert found == {0: 2, 30: 2, 31: 1}
    with pytest.raises(IronlakeError, match="has no data"):
        studies_of_runs((yield tables), {"x": [Window(START + dt.timedelta(seconds=91), START + 2 * MINUTE)]})


@share_lake
def test_duration_reports_serve_only_where_no_interval_report_does():
    duration = [r | {"report_kind": "duration", "line": r["line"] + 500, "appl_cp_pct": 99.0} for r in class_rows()]
    assert (yield from total_cpu({"rmf_workload_activity": class_rows() + duration})) == pytest.approx(70.0)
    mixed = {"rmf_workload_activity": class_rows()[2:] + duration[:2]}
    assert (yield from total_cpu(mixed)) == pytest.approx(119.0)
    found = {r["warning"]: (r["baseline_value"], r["value"]) for r in (yield from rows_in(mixed, "comparison_warning"))}
    assert found == {"report_kind": ("duration", "interval")}


@share_lake
def test_windows_of_a_run_are_added_by_time():
    """Two minutes at 40 and 60% CP on one day, and one at 30% a week later: 43.33%. IDLE used 10% in the first minute; of the other window, which does not
    print it, nobody knows, but that its classes used 30%: 46.67% in all."""
    rows = [*class_rows()[:3], class_row(START, 11, 10.0, service_class="IDLE")]
    weeks = {"mondays": [Window(START, START + 2 * MINUTE), Window(NEXT_WEEK, NEXT_WEEK + MINUTE)]}
    found = yield from rows_in(
        {"rmf_workload_activity": rows}, "configuration_class", weeks, "class_kind = 'service_class'"
    )
    by_name = {r["class_name"]: r["cp_pct"] for r in found}
    assert by_name.pop("IDLE") is None
    assert by_name == pytest.approx({"CICS": 130 / 3, None: 140 / 3})


_LATER = NEXT_WEEK + dt.timedelta(days=7)
ONE_EMPTY = comparison(
    {"one": RUNS["before"], "two": [*RUNS["after"], Window(_LATER, _LATER + MINUTE)]},
    rmf_workload_activity=class_rows(),
)


def test_a_window_without_data_is_left_out_and_named(compared: list[Comparison]):
    headline = compared[ONE_EMPTY].headline
    assert "50.00% → 30.00% of one engine (−40.0%)" in headline
    assert (
        f"1 of 2 windows of two has no data: {_LATER:%Y-%m-%d %H:%M} to {_LATER + MINUTE:%Y-%m-%d %H:%M}." in headline
    )


@share_lake
def test_a_place_selects_pages_of_its_systems():
    of_b = [r | {"line": r["line"] + 500, "appl_cp_pct": 5.0} for r in class_rows(scope="SYSB")]
    rows = [*class_rows(scope="SYSA"), *of_b]
    lake = yield {"rmf_workload_activity": rows}
    for system, cp in (("SYSA", 50.0), ("SYSB", 5.0)):
        studies = studies_of_runs(lake, RUNS, Place(systems=(system,)))
        tables = {name: of.to_pylist() for name, of in study_rows(studies, "not in the lake").items()}
        studied = yield {"rmf_workload_activity": rows} | tables
        (row,) = studied.rows("FROM configuration_class WHERE configuration = 'before' AND class_name = 'CICS'")
        assert row["cp_pct"] == pytest.approx(cp)
    with pytest.raises(IronlakeError, match="no workload activity of system SYSC"):
        studies_of_runs(lake, RUNS, Place(systems=("SYSC",)))
    with pytest.raises(IronlakeError, match="no workload activity of sysplex 'X"):
        studies_of_runs(lake, RUNS, Place("'X"))


@share_lake
def test_like_for_like_is_the_nearest_week_with_data():
    lake = yield {"rmf_workload_activity": class_rows()}
    assert like_before(lake, RUNS["after"]) == ("1 week before", RUNS["before"])
    # A minute of the two a week before, both two weeks before.
    thin = [
        class_row(NEXT_WEEK - dt.timedelta(days=7 * w) + m * MINUTE, 50 + 10 * w + m, 40.0)
        for w, m in ((0, 0), (0, 1), (1, 0), (2, 0), (2, 1))
    ]
    assert like_before((yield {"rmf_workload_activity": thin}), RUNS["after"])[0] == "2 weeks before"
    two_weeks = [Window(NEXT_WEEK + dt.timedelta(days=d), NEXT_WEEK + dt.timedelta(days=d) + MINUTE) for d in (-7, 0)]
    with pytest.raises(IronlakeError, match="no data of the same weekdays and hours in the 16 weeks before"):
        like_before(lake, two_weeks)
    with pytest.raises(IronlakeError, match="no data of the same weekdays"):
        like_before(lake, RUNS["before"])
    with pytest.raises(IronlakeError, match="has no data"):
        like_before(lake, [Window(START - MINUTE, START)])


def _again(shift_s: int, **other: Any) -> list[Row]:
    """The same minutes printed again, so much later."""
    shift = dt.timedelta(seconds=shift_s)
    return [
        r | {"line": r["line"] + 500} | {k: r[k] + shift for k in ("interval_start", "interval_end")} | other
        for r in class_rows()
    ]


@share_lake
@pytest.mark.parametrize("shift_s", [0, 20])
def test_prints_of_fewer_systems_are_left_out_and_said(shift_s: int):
    tables = {"rmf_workload_activity": _again(shift_s, scope="SYSA", appl_cp_pct=10.0) + class_rows()}
    assert (yield from total_cpu(tables)) == pytest.approx(70.0)
    assert (yield from notes_of(tables))["before", "left_out"]["found"] == 2


@share_lake
def test_prints_of_one_scope_that_overlap_in_a_chain_are_not_added_and_the_gap_is_said():
    """Minutes from :00 and again from :25: each print but the first holds time of one before it. 40 + 20% are those of the first."""
    tables = {"rmf_workload_activity": _again(25, appl_cp_pct=90.0) + class_rows()}
    assert (yield from total_cpu(tables)) == pytest.approx(60.0)
    notes = yield from notes_of(tables)
    assert (notes["before", "covered"]["found"], notes["before", "covered"]["expected"]) == (60, 120)
    assert notes["before", "left_out"]["found"] == 3


@share_lake
def test_systems_that_report_apart_are_added():
    """SYSA 40 and 60%, SYSB 30 and 30, each with 20% on zIIPs: 70 + 50% of one engine in the two minutes."""
    apart = [r | {"scope": "SYSA"} for r in class_rows()] + [
        r | {"scope": "SYSB", "appl_cp_pct": 30.0, "line": r["line"] + 5} for r in class_rows()
    ]
    tables = {"rmf_workload_activity": apart}
    assert (yield from total_cpu(tables)) == pytest.approx(120.0)
    assert (yield from notes_of(tables)) == {}


NOT_WHOLE = comparison(
    {**RUNS, "before": [Window(START, START + 4 * MINUTE)]},
    rmf_workload_activity=[
        *(r | ({"release": "z/OS V2R3"} if r["interval_start"] >= NEXT_WEEK else {}) for r in class_rows()),
        class_row(START, 77, 45.0, source_id="s9", source_file="again.txt"),
        rows_of_class("DB2")[0] | {"line": 15},
        *_again(20, scope="SYSA")[:2],
    ],
)


def test_what_is_not_whole_is_said(compared: list[Comparison]):
    """Four minutes asked for and two printed; a print left out, a class in one minute, one with conflicting prints, and other releases."""
    headline, page = compared[NOT_WHOLE].headline, compared[NOT_WHOLE].page
    assert headline.endswith(
        "Caution: reports for 50% of the time in before, overlapping intervals left out in before, conflicting prints in before, DB2 counted as 0 in 1 of 2 intervals of before, different releases, service classes in one only."
    )
    notes = page[page.index(">Incomplete<") : page.index("What is compared")]
    assert "before: the printed intervals cover 120 of 240 s (50.0%)" in notes
    assert "after: the printed intervals" not in notes
    assert "before: 2 printed interval(s) left out" in notes
    assert "counted as 0 in the others: service class DB2 (1 of 2 intervals)" in notes
    number = {
        file: number for number, file in re.findall(r'<th scope="row">\[(\d+)\]</th><td class="l">(\w+\.txt)', page)
    }
    places = f"between [{number['before.txt']}] page 1, line 10 and [{number['again.txt']}] page 1, line 77"
    assert f"service class CICS at 2021-04-13 10:00:00: appl_cp_pct differ {places}" in notes
    unlike = page[page.index(">Cautions<") : page.index(">Incomplete<")]
    assert "Different releases: z/OS V2R2 in “before”, z/OS V2R3 in “after”." in unlike
    assert "Service classes in one only: DB2 in “before”, none in “after”." in unlike


_NO_ZIIP: dict[str, Any] = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
LARGE = comparison(rmf_workload_activity=[
    *class_rows(),
    class_row(START, 11, 40.0, service_class="BIG", **_NO_ZIIP), class_row(START, 12, 0.5, service_class="SMALL", **_NO_ZIIP),
])  # fmt: skip
_MIDDLE = START + dt.timedelta(seconds=20)
CUTS, LONGER = (
    comparison({"before": [Window(_MIDDLE, end)], "after": RUNS["after"]}, rmf_workload_activity=class_rows())
    for end in (START + 2 * MINUTE, _MIDDLE + dt.timedelta(seconds=20))
)


def test_a_large_class_that_is_not_printed_everywhere_is_a_caution(compared: list[Comparison]):
    """BIG uses 40% in one of two minutes, of 50 and 90 in all; SMALL 0.5%, which is no word worth."""
    caution = "BIG counted as 0 in 1 of 2 intervals of before"
    assert f"Caution: {caution}, " in compared[LARGE].headline
    assert caution in compared[LARGE].table["cautions"].to_pylist()[0]
    assert "SMALL counted" not in compared[LARGE].headline


def test_a_window_that_cuts_intervals_is_said(compared: list[Comparison]):
    """Of the two minutes before, 20 s of the first lie before the window: 20 of 120 s."""
    assert "17% of the time outside of the windows in before" in compared[CUTS].headline
    said = "before: the windows cut printed intervals: 20 of 120 s are outside of the windows."
    assert said in compared[CUTS].page


def test_an_interval_longer_than_its_window_is_cut_and_no_report_for_300_percent(compared: list[Comparison]):
    """Minute by minute printed, the window is of 20 s around the middle of one: 40 of its 60 s are outside, 67%."""
    headline, page = compared[LONGER].headline, compared[LONGER].page
    assert "67% of the time outside of the windows in before" in headline
    assert "300%" not in headline
    first = page[page.index("What weakens this") : page.index("</ol>")]
    assert "Windows cut printed intervals; time outside of the windows: 67% in “before”." in first
    assert "Reports do not cover" not in first
