"""Runs compared: which intervals a window stands for, what is said, what is escaped, and that the page opens offline."""

import datetime as dt
import os
import re
from pathlib import Path
from typing import Any

import pytest
from ironlake.dashboards.document import write
from ironlake.dashboards.pages.study import compare_runs, compare_studies
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import Place, like_before, studies_of_runs
from ironlake.pipeline.study.study_file import parse_studies
from ironlake.pipeline.study.windows import Window
from one_lake import Asks, share_lake
from pages import assert_fits, opened, pictures_of
from sizes import some
from views_lake import START, MemoryLake, Row, heading

NEXT_WEEK = START + dt.timedelta(days=7)
MINUTE = dt.timedelta(minutes=1)
RUNS = {"before": [Window(START, START + 2 * MINUTE)], "after": [Window(NEXT_WEEK, NEXT_WEEK + 2 * MINUTE)]}


def _row(start: dt.datetime, line: int, cp: float | None, ended: int | None = 1000, **other: Any) -> Row:
    source = {"source_id": "s2", "source_file": "after.txt"} if start >= NEXT_WEEK else {"source_file": "before.txt"}
    row = heading(start) | source | {"line": line, "class_kind": "service_class", "workload": "ONLINE"}
    row |= {"service_class": "CICS", "appl_cp_pct": cp, "appl_iip_pct": 20.0, "appl_iipcp_pct": 5.0}
    row |= {"appl_aapcp_pct": 0.0, "transactions_ended": ended, "actual_time_s": 0.1, "total_service": 1}
    return row | other


def _rows(**other: Any) -> list[Row]:
    """CICS: 40 and 60% CP before, 30 and 30% after, two minutes each; zIIP 20 and IIPCP 5 throughout."""
    return [
        _row(START, 10, 40.0, **other),
        _row(START + MINUTE, 20, 60.0, 3000, **other),
        _row(NEXT_WEEK, 30, 30.0, 2000, **other),
        _row(NEXT_WEEK + MINUTE, 40, 30.0, 2000, **other),
    ]


def _page(lake: MemoryLake, tmp_path: Path, runs: dict[str, Any] = RUNS) -> tuple[str, str]:
    headline = compare_runs(lake, runs, tmp_path / "page.html").headline
    return headline, (tmp_path / "page.html").read_text("utf-8")


@pytest.fixture(scope="module")
def plain_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plain")


@pytest.fixture(scope="module")
def plain(plain_folder: Path) -> tuple[str, str]:
    """Headline and page of the plain lake."""
    return _page(MemoryLake(rmf_workload_activity=_rows()), plain_folder)


def _title(page: str, picture: str) -> str:
    (found,) = re.findall(rf'<h4 id="{picture}-title">(.*?)</h4>', page)
    return found


def _rows_in(tables: dict[str, list[Row]], view: str, runs: dict[str, Any] = RUNS, of: str = "TRUE") -> Asks[list[Row]]:
    """What a view holds of the runs."""
    lake = yield tables
    studies = study_rows(studies_of_runs(lake, runs), "not in the lake")
    studied = yield tables | {name: rows.to_pylist() for name, rows in studies.items()}
    return studied.rows(f"SELECT * FROM {view} WHERE {of} ORDER BY ALL")


def _total(tables: dict[str, list[Row]], run: str = "before", runs: dict[str, Any] = RUNS) -> Asks[float | None]:
    """CPU of all service classes of a run."""
    (row,) = yield from _rows_in(
        tables, "configuration_class", runs, f"is_total AND class_kind = 'service_class' AND configuration = '{run}'"
    )
    return row["cpu_pct"]


def _notes(tables: dict[str, list[Row]], runs: dict[str, Any] = RUNS) -> Asks[dict[tuple[str, str], Row]]:
    return {
        (row["configuration"], row["note"]): row for row in (yield from _rows_in(tables, "configuration_note", runs))
    }


# --- Numbers -------------------------------------------------------------------------------------------------------


@share_lake
def test_rates_are_weighted_by_time_and_costs_come_from_sums():
    """An interval of 60 s at 40% and one of 180 s at 60%: 55% of CP, not 50; 0.2 × 60 s + … of CPU over all that ended."""
    long = _row(START + MINUTE, 20, 60.0, 3000, interval_s=180.0, interval_end=START + 4 * MINUTE)
    tables = {"rmf_workload_activity": [_row(START, 10, 40.0), long]}
    (row,) = yield from _rows_in(
        tables, "configuration_class", {"only": [Window(START, START + 4 * MINUTE)]}, "class_name = 'CICS'"
    )
    assert row["cpu_pct"] == pytest.approx(75.0)
    assert row["non_ziip_eligible_pct"] == pytest.approx(50.0)
    assert row["ziip_on_cp_pct"] == pytest.approx(5.0)
    assert row["ziip_pct"] == pytest.approx(20.0)
    assert row["non_ziip_pct"] == pytest.approx(55.0 - 20.0 - 5.0)
    assert row["transactions_ended"] == 4000
    assert row["cpu_ms_per_transaction"] == pytest.approx((0.6 * 60 + 0.8 * 180) / 4000 * 1000)
    assert row["cp_ms_per_transaction"] == pytest.approx((0.4 * 60 + 0.6 * 180) / 4000 * 1000)


@share_lake
def test_time_on_zaaps_and_time_without_a_split_is_in_a_part_of_its_own():
    """CP 40 with IIPCP 5 and AAPCP 3, IIP 20, AAP 7: 32 + 5 + 20, and 10 more. A page without specialty engines: all of it."""
    split = _row(START, 10, 40.0, appl_aapcp_pct=3.0, appl_aap_pct=7.0)
    none = {"appl_iip_pct": None, "appl_iipcp_pct": None, "appl_aapcp_pct": None}
    old = _row(START, 11, 40.0, service_class="OLD", **none)
    tables = {"rmf_workload_activity": [split, old]}
    rows = yield from _rows_in(
        tables, "configuration_class", _one_minute(1), "NOT is_total AND class_kind = 'service_class'"
    )
    found = {r["class_name"]: (r["cpu_pct"], r["non_ziip_eligible_pct"], r["other_pct"]) for r in rows}
    assert found == {"CICS": pytest.approx((67, 32, 10)), "OLD": (40, None, 40)}


def test_headline_says_what_changed(plain: tuple[str, str]):
    """CP 40 and 60% of two minutes, 60 s for 4,000 transactions, then 30%, 36 s for as many; zIIP time of 20% in both."""
    headline, page = plain
    assert headline == (
        "after uses less general-processor time than before: 50.00% → 30.00% of one engine (−40.0%). All CPU time: 70.00% → 50.00% "
        "(−28.6%). General-processor time per transaction: CICS 15 → 9 ms (−40.0%)."
    )
    assert headline in page


@share_lake
def test_what_is_not_alike_is_told_of_runs():
    """Another release, other systems and a minute less: the headline of test_what_is_not_whole_is_said says it."""
    changed = {"release": "z/OS V2R3", "scope": "SYSA"}
    rows = [r | (changed if r["interval_start"] >= NEXT_WEEK else {}) for r in _rows()[:3]]
    found = {
        r["warning"]: (r["baseline_value"], r["value"])
        for r in (yield from _rows_in({"rmf_workload_activity": rows}, "comparison_warning"))
    }
    assert found == {
        "release": ("z/OS V2R2", "z/OS V2R3"),
        "systems": ("SYSA,SYSB", "SYSA"),
        "covered": ("120 s", "60 s"),
    }


@share_lake
def test_a_factor_that_differs_and_intervals_in_both_are_told():
    """The policy pages of the second week say 1.5; a run that is compared with its own second minute shares it."""
    pages = [
        heading(r["interval_start"], line=90 + n) | {"norm_factor_iip": 1.0 if r["interval_start"] < NEXT_WEEK else 1.5}
        for n, r in enumerate(_rows())
    ]
    tables = {"rmf_workload_activity": _rows(), "rmf_service_policy": pages}
    found = {
        r["warning"]: (r["baseline_value"], r["value"]) for r in (yield from _rows_in(tables, "comparison_warning"))
    }
    assert found["normalization"] == ("1", "1.5")
    again = {"before": RUNS["before"], "again": [Window(START + MINUTE, START + 2 * MINUTE)]}
    found = {r["warning"]: r["value"] for r in (yield from _rows_in(tables, "comparison_warning", again))}
    assert found["shared_intervals"] == "1"


def test_a_class_that_lacks_its_cpu_once_is_not_known_and_no_total_with_it(tmp_path: Path):
    """CICS is not known before: a total of the other class alone would be compared with both."""
    rows = _rows()
    rows[1]["appl_cp_pct"] = None
    headline, page = _page(MemoryLake(rmf_workload_activity=[*rows, *_rows_of("DB2")]), tmp_path)
    assert headline == "after and before cannot be compared: the CPU of CICS in before is unknown."
    assert "before: CPU is missing or unreadable for service class CICS in 1 of 2 intervals" in page


@share_lake
def test_a_class_that_a_damaged_interval_lacks_is_not_known():
    """DB2 in the first of two minutes alone: 60% and 0 are 30% of both; where a line of the second was rejected it is not known."""
    rows = [*_rows(), *(row for row in _rows_of("DB2") if row["interval_start"] == START)]
    rows = [row | {"page": row["line"] // 10} for row in rows]
    lost = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "before.txt", "page": 2, "line": 29}
    found, notes = {}, {}
    for rejects in ([], [lost]):
        tables = {"rmf_workload_activity": rows, "parse_reject": rejects}
        classes = yield from _rows_in(
            tables,
            "configuration_class",
            of="NOT is_total AND configuration = 'before' AND class_kind = 'service_class'",
        )
        found[len(rejects)] = {c["class_name"]: c["cpu_pct"] for c in classes}
        notes[len(rejects)] = yield from _notes(tables)
    assert found[0] == {"CICS": pytest.approx(70), "DB2": pytest.approx(30)}
    assert found[1] == {"CICS": pytest.approx(70), "DB2": None}
    for count, note in enumerate(("not_printed", "unread")):
        assert (notes[count]["before", note]["class_name"], notes[count]["before", note]["found"]) == ("DB2", 1)


def _rows_of(name: str) -> list[Row]:
    return [row | {"service_class": name, "line": row["line"] + 1} for row in _rows()]


def test_report_classes_are_never_added_to_service_classes(tmp_path: Path):
    report = [r | {"class_kind": "report_class", "service_class": None, "report_class": "R1"} for r in _rows()]
    headline, page = _page(MemoryLake(rmf_workload_activity=_rows() + report), tmp_path)
    assert "50.00% → 30.00% of one engine" in headline
    assert list(pictures_of(page)) == [
        f"study_1_{name}"
        for name in (
            *("cpu_by_service_class", "cost_by_service_class", "cpu_by_report_class", "cost_by_report_class"),
            *("class_cpu_over_time", "mix_change"),
        )
    ]


def test_runs_without_a_kind_of_class_in_common_are_an_error(tmp_path: Path):
    other = {"class_kind": "report_class", "service_class": None, "report_class": "R1"}
    lake = MemoryLake(rmf_workload_activity=[*_rows()[:2], *(r | other for r in _rows()[2:])])
    with pytest.raises(
        IronlakeError, match="no kind of class in common: before prints service classes, after prints report"
    ):
        _page(lake, tmp_path)


@share_lake
def test_policy_block_shows_that_classes_are_missing():
    """The policy prints 90 + 20% in each minute, the classes 60 and 80, then 50 and 50."""
    policy = [
        r | {"class_kind": "policy", "service_class": None, "workload": None, "appl_cp_pct": 90.0, "line": 5}
        for r in _rows()
    ]
    notes = yield from _notes({"rmf_workload_activity": _rows() + policy})
    found = {run: (notes[run, "policy"]["found"], notes[run, "policy"]["expected"]) for run in RUNS}
    assert found == {"before": pytest.approx((70, 110)), "after": pytest.approx((50, 110))}


# --- Windows -------------------------------------------------------------------------------------------------------


def test_runs_and_studies_take_the_same_intervals_of_a_half_hour_that_is_printed_twice(tmp_path: Path):
    """One page of 30 minutes with 20% and 1,000 transactions, two of 15 with 40 and 60% and 1,000 each: the quarters count, and are
    0.5 × 1,800 s over 2,000 = 450 ms, never the 360 ms of the half hour. As a study says it that names the class."""
    none = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
    rows = []
    for start, cps in ((START, (20.0, 40.0, 60.0)), (NEXT_WEEK, (20.0, 30.0, 30.0))):
        for line, (begin, minutes, cp) in enumerate(zip((0, 0, 15), (30, 15, 15), cps, strict=True), 1):
            at = start + begin * MINUTE
            end = {"interval_s": minutes * 60.0, "interval_end": at + minutes * MINUTE, "actual_time_s": 1.0}
            # The half hour prints more classes, which does not make it the better one.
            more = [{"service_class": "IDLE", "appl_cp_pct": 0.0, "line": line + 50}] if minutes == 30 else []
            rows += [_row(at, line, cp, 1000, **none, **end) | other for other in ({}, *more)]
    lake = MemoryLake(rmf_workload_activity=rows)
    runs = {"before": [Window(START, START + 30 * MINUTE)], "after": [Window(NEXT_WEEK, NEXT_WEEK + 30 * MINUTE)]}
    text = "study: S\ninterval: all\nrequests: {service_class: CICS}\nsubsystems: {CICS: {service_class: CICS}}\nconfigurations:\n"
    text += (
        "  before: {steps: [{window: 2021-04-13T10:00/10:30}]}\n  after: {steps: [{window: 2021-04-20T10:00/10:30}]}\n"
    )
    studies = parse_studies(text, "s.yaml")
    with StudiedLake(lake, studies) as studied:
        said = compare_studies(studied, ["S"], tmp_path / "study.html").headline
    assert said.startswith("after needs 270 ms of CPU time per request, 40.0% less than before (450 ms)")
    headline, _ = _page(lake, tmp_path, runs)
    assert "50.00% → 30.00% of one engine (−40.0%)" in headline
    assert "CICS 450 → 270 ms (−40.0%)" in headline


@share_lake
def test_an_interval_belongs_where_its_midpoint_is():
    tables = {"rmf_workload_activity": _rows()[:2]}
    found = {}
    for late_s in (0, 30, 31):
        runs = {"x": [Window(START + dt.timedelta(seconds=late_s), START + 2 * MINUTE)]}
        found[late_s] = len((yield from _rows_in(tables, "run_selection", runs)))
    assert found == {0: 2, 30: 2, 31: 1}
    with pytest.raises(IronlakeError, match="has no data"):
        studies_of_runs((yield tables), {"x": [Window(START + dt.timedelta(seconds=91), START + 2 * MINUTE)]})


@share_lake
def test_duration_reports_serve_only_where_no_interval_report_does():
    duration = [r | {"report_kind": "duration", "line": r["line"] + 500, "appl_cp_pct": 99.0} for r in _rows()]
    assert (yield from _total({"rmf_workload_activity": _rows() + duration})) == pytest.approx(70.0)
    mixed = {"rmf_workload_activity": _rows()[2:] + duration[:2]}
    assert (yield from _total(mixed)) == pytest.approx(119.0)
    found = {
        r["warning"]: (r["baseline_value"], r["value"]) for r in (yield from _rows_in(mixed, "comparison_warning"))
    }
    assert found == {"report_kind": ("duration", "interval")}


@share_lake
def test_windows_of_a_run_are_added_by_time():
    """Two minutes at 40 and 60% CP on one day, and one at 30% a week later: 43.33%. IDLE used 10% in the first minute; of the other window, which does not
    print it, nobody knows, but that its classes used 30%: 46.67% in all."""
    rows = [*_rows()[:3], _row(START, 11, 10.0, service_class="IDLE")]
    weeks = {"mondays": [Window(START, START + 2 * MINUTE), Window(NEXT_WEEK, NEXT_WEEK + MINUTE)]}
    found = yield from _rows_in(
        {"rmf_workload_activity": rows}, "configuration_class", weeks, "class_kind = 'service_class'"
    )
    by_name = {r["class_name"]: r["cp_pct"] for r in found}
    assert by_name.pop("IDLE") is None
    assert by_name == pytest.approx({"CICS": 130 / 3, None: 140 / 3})


def test_a_window_without_data_is_left_out_and_named(tmp_path: Path):
    later = NEXT_WEEK + dt.timedelta(days=7)
    runs = {"one": RUNS["before"], "two": [*RUNS["after"], Window(later, later + MINUTE)]}
    headline, _ = _page(MemoryLake(rmf_workload_activity=_rows()), tmp_path, runs)
    assert "50.00% → 30.00% of one engine (−40.0%)" in headline
    assert f"1 of 2 windows of two has no data: {later:%Y-%m-%d %H:%M} to {later + MINUTE:%Y-%m-%d %H:%M}." in headline


@share_lake
def test_a_place_selects_pages_of_its_systems():
    of_b = [r | {"line": r["line"] + 500, "appl_cp_pct": 5.0} for r in _rows(scope="SYSB")]
    rows = [*_rows(scope="SYSA"), *of_b]
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
    lake = yield {"rmf_workload_activity": _rows()}
    assert like_before(lake, RUNS["after"]) == ("1 week before", RUNS["before"])
    # A minute of the two a week before, both two weeks before.
    thin = [
        _row(NEXT_WEEK - dt.timedelta(days=7 * w) + m * MINUTE, 50 + 10 * w + m, 40.0)
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
        for r in _rows()
    ]


@share_lake
@pytest.mark.parametrize("shift_s", [0, 20])
def test_prints_of_fewer_systems_are_left_out_and_said(shift_s: int):
    tables = {"rmf_workload_activity": _again(shift_s, scope="SYSA", appl_cp_pct=10.0) + _rows()}
    assert (yield from _total(tables)) == pytest.approx(70.0)
    assert (yield from _notes(tables))["before", "left_out"]["found"] == 2


@share_lake
def test_prints_of_one_scope_that_overlap_in_a_chain_are_not_added_and_the_gap_is_said():
    """Minutes from :00 and again from :25: each print but the first holds time of one before it. 40 + 20% are those of the first."""
    tables = {"rmf_workload_activity": _again(25, appl_cp_pct=90.0) + _rows()}
    assert (yield from _total(tables)) == pytest.approx(60.0)
    notes = yield from _notes(tables)
    assert (notes["before", "covered"]["found"], notes["before", "covered"]["expected"]) == (60, 120)
    assert notes["before", "left_out"]["found"] == 3


@share_lake
def test_systems_that_report_apart_are_added():
    """SYSA 40 and 60%, SYSB 30 and 30, each with 20% on zIIPs: 70 + 50% of one engine in the two minutes."""
    apart = [r | {"scope": "SYSA"} for r in _rows()] + [
        r | {"scope": "SYSB", "appl_cp_pct": 30.0, "line": r["line"] + 5} for r in _rows()
    ]
    tables = {"rmf_workload_activity": apart}
    assert (yield from _total(tables)) == pytest.approx(120.0)
    assert (yield from _notes(tables)) == {}


def test_what_is_not_whole_is_said(tmp_path: Path):
    """Four minutes asked for and two printed; a print left out, a class in one minute, one with conflicting prints, and other releases."""
    wide = {**RUNS, "before": [Window(START, START + 4 * MINUTE)]}
    conflicting = _row(START, 77, 45.0, source_id="s9", source_file="again.txt")
    once = _rows_of("DB2")[0] | {"line": 15}
    rows = [r | ({"release": "z/OS V2R3"} if r["interval_start"] >= NEXT_WEEK else {}) for r in _rows()]
    lake = MemoryLake(rmf_workload_activity=[*rows, conflicting, once, *_again(20, scope="SYSA")[:2]])
    headline, page = _page(lake, tmp_path, wide)
    assert headline.endswith(
        "Caution: reports for 50% of the time in before, overlapping intervals left out in before, conflicting prints in before, DB2 counted as 0 in 1 of 2 intervals of before, different releases, service classes in one only."
    )
    notes = page[page.index(">Incomplete<") : page.index("What is compared")]
    assert "before: the printed intervals cover 120 of 240 s (50.0%)" in notes
    assert "after: the printed intervals" not in notes
    assert "before: 2 printed interval(s) left out" in notes
    assert "counted as 0 in the others: service class DB2 (1 of 2 intervals)" in notes
    number = {
        file: number for number, file in re.findall(r'<th scope="row">\[(\d)\]</th><td class="l">(\w+\.txt)', page)
    }
    places = f"between [{number['before.txt']}] page 1, line 10 and [{number['again.txt']}] page 1, line 77"
    assert f"service class CICS at 2021-04-13 10:00:00: appl_cp_pct differ {places}" in notes
    unlike = page[page.index(">Cautions<") : page.index(">Incomplete<")]
    assert "Different releases: z/OS V2R2 in “before”, z/OS V2R3 in “after”." in unlike
    assert "Service classes in one only: DB2 in “before”, none in “after”." in unlike


def test_a_large_class_that_is_not_printed_everywhere_is_a_caution(tmp_path: Path):
    """BIG uses 40% in one of two minutes, of 50 and 90 in all; SMALL 0.5%, which is no word worth."""
    parts: dict[str, Any] = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
    rows = [
        *_rows(),
        _row(START, 11, 40.0, service_class="BIG", **parts),
        _row(START, 12, 0.5, service_class="SMALL", **parts),
    ]
    compared = compare_runs(MemoryLake(rmf_workload_activity=rows), RUNS, tmp_path / "page.html")
    caution = "BIG counted as 0 in 1 of 2 intervals of before"
    assert f"Caution: {caution}, " in compared.headline
    assert caution in compared.table["cautions"].to_pylist()[0]
    assert "SMALL counted" not in compared.headline


def test_a_window_that_cuts_intervals_is_said(tmp_path: Path):
    """Of the two minutes before, 20 s of the first lie before the window: 20 of 120 s."""
    runs = {"before": [Window(START + dt.timedelta(seconds=20), START + 2 * MINUTE)], "after": RUNS["after"]}
    headline, page = _page(MemoryLake(rmf_workload_activity=_rows()), tmp_path, runs)
    assert "17% of the time outside of the windows in before" in headline
    assert "before: the windows cut printed intervals: 20 of 120 s are outside of the windows." in page


def _plex2(rows: list[Row], **other: Any) -> list[Row]:
    return [r | {"sysplex": "PLEX2", "scope": "SYSC", "line": r["line"] + 500} | other for r in rows]


def test_two_sysplexes_are_never_added(tmp_path: Path):
    """PLEX1 has 50 and 30% of CP in two minutes, PLEX2 4 and 4 in the first of each: 54 would be of no time that there is."""
    two = _plex2([r for r in _rows() if r["interval_start"] in (START, NEXT_WEEK)], appl_cp_pct=4.0, appl_iip_pct=0.0)
    one_window = [r | {"sysplex": "PLEX3", "scope": "SYSD", "line": r["line"] + 900} for r in _rows()[:2]]
    lake = MemoryLake(rmf_workload_activity=_rows() + two + one_window)
    headline, page = _page(lake, tmp_path)
    assert headline.startswith(
        "PLEX1: after uses less general-processor time than before: 50.00% → 30.00% of one engine (−40.0%)."
    )
    assert "PLEX2: after uses the same CPU time as before within 1%: 4.00% → 4.00% of one engine (0.0%)." in headline
    assert headline.endswith(
        "PLEX3: before uses 50.00% of one engine in general-processor time over its service classes, and 70.00% with zIIP time. "
        "Not printed in after."
    )
    assert "54.00" not in page
    assert page.count(">All service classes<") == 3
    # The heading says which one speaks; each has its own sentence.
    said = "“after” needs 40.0% less general-processor time than “before” (50 → 30% of one engine)"
    assert f"<h1>PLEX1: {said}</h1>" in page
    assert f'<a href="#study_1">PLEX1</a>: {said}.' in page
    same = "“after” needs the same CPU time as “before” within 1% (4 → 4% of one engine)"
    assert f'<a href="#study_2">PLEX2</a>: {same}.' in page
    alone = "“before” uses 50.0% of one engine in general-processor time; nothing to compare yet: add a run"
    assert f'<a href="#study_3">PLEX3</a>: {alone}.' in page
    drawn = pictures_of(page)
    assert [t["y"][:2] for t in drawn["study_1_class_cpu_over_time"]["data"]] == [[40, 60], [30, 30]]
    assert "study_2_class_cpu_over_time" not in drawn  # one interval is no line


@share_lake
def test_runs_of_two_sysplexes_are_compared_and_told_apart():
    """One sysplex in each window: they may be the same work before and after a move."""
    rows = _rows()[:2] + _plex2(_rows()[2:])
    found = {
        r["warning"]: (r["baseline_value"], r["value"])
        for r in (yield from _rows_in({"rmf_workload_activity": rows}, "comparison_warning"))
    }
    assert found["sysplex"] == ("PLEX1", "PLEX2")


def test_every_run_is_compared_with_the_first(tmp_path: Path):
    """Week n has 40 - 3n% of CP: the last is not the only one that is said, and the first table has a row for each, the least first."""
    rows, runs, count = [], {}, 8
    for week in range(count):
        start = START + week * dt.timedelta(days=7)
        rows.append(_row(start, 10 * week + 1, 40.0 - 3 * week))
        runs[f"week {week}"] = [Window(start, start + MINUTE)]
    headline, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path, runs)
    for week in range(1, count):
        assert (
            f"week {week} uses less general-processor time than week 0: 40.00% → {40 - 3 * week}.00% of one engine"
            in headline
        )
    summary = page[page.index('<table class="summary">') : page.index("</table>")]
    assert re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td class="delta">(.*?)</td>', summary) == [
        *((f"week {n}", str(40 - 3 * n), f"−{7.5 * n:.1f}%") for n in range(count - 1, 0, -1)), ("week 0", "40", "baseline"),
    ]  # fmt: skip
    assert (re.search("<h1>.*</h1>", page) or [""])[0] == (
        "<h1>“week 7” needs the least general-processor time (19% of one engine, −52.5%), “week 0” the most "
        "(40% of one engine, the baseline)</h1>"
    )
    title = _title(page, "study_1_cpu_by_service_class")
    assert title == (
        f"General-processor time: CICS changes most, −{3 * (count - 1)}.00 points of one engine (−{7.5 * (count - 1):.1f}%) "
        f"from week 0 to week {count - 1}"
    )


# --- Whose transactions ----------------------------------------------------------------------------------------------------


def _cics(before: tuple[float, float], after: tuple[float, float], ended: int = 1000) -> list[Row]:
    """Two regions of a workload that count no transactions, and a class that counts them and has no time; of each minute."""
    rows = []
    for start, line, of_regions in ((START, 10, before), (NEXT_WEEK, 30, after)):
        for at, (name, cp) in enumerate(zip(("REGION", "UPDATE"), of_regions, strict=True)):
            rows.append(
                _row(
                    start, line + at, cp, 0, service_class=name, appl_iip_pct=0.0, appl_iipcp_pct=0.0, actual_time_s=0.0
                )
            )
        none = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        rows.append(_row(start, line + 2, 0.0, ended, service_class="TRANS", **none))
    return rows


def _one_minute(runs: int = 2) -> dict[str, Any]:
    return dict(
        [("before", [Window(START, START + MINUTE)]), ("after", [Window(NEXT_WEEK, NEXT_WEEK + MINUTE)])][:runs]
    )


def test_a_class_whose_time_is_elsewhere_costs_no_zero(tmp_path: Path):
    """REGION and UPDATE burn 20 + 10% of a minute, 18 s, for 1,000 transactions of TRANS: 12 and 6 ms each, never 0."""
    lake = MemoryLake(rmf_workload_activity=_cics((20.0, 10.0), (20.0, 40.0)))
    headline, page = _page(lake, tmp_path, _one_minute())
    assert (
        "Largest change: UPDATE, +30.00 of the +30.00 points of one engine; 6 → 24 ms (+300.0%) per transaction of TRANS."
        in headline
    )
    table = page[page.index('aria-label="Table of service classes"') :]
    assert "its time is in REGION, UPDATE" in table[table.index(">TRANS<") :]
    assert "12 per transaction of TRANS" in table
    assert "study_1_cost_by_service_class" not in pictures_of(page)
    assert "No service class has both CPU and its own transactions in both windows." in headline


@share_lake
def test_endings_that_do_not_count_the_work_give_no_cost():
    """A started task ends twice in the first minute: 2 endings of 0.1 s are no volume of 36 s; neither are 60 of them."""
    for ended in (2, 60):
        rows = [
            r | {"transactions_ended": ended, "workload": None}
            for r in _rows()
            if r["interval_start"] in (START, NEXT_WEEK)
        ]
        tables = {"rmf_workload_activity": rows + _rows_of("DB2")}
        classes = yield from _rows_in(
            tables, "configuration_class", _one_minute(), "configuration = 'before' AND NOT is_total"
        )
        told = {
            c["class_name"]: (c["counts_its_work"], c["cp_ms_per_transaction"])
            for c in classes
            if c["class_kind"] == "service_class"
        }
        assert told == {"CICS": (False, None), "DB2": (True, pytest.approx(24))}


# --- Errors --------------------------------------------------------------------------------------------------------


def test_window_without_data_lists_what_there_is(tmp_path: Path):
    lake = MemoryLake(rmf_workload_activity=_rows())
    with pytest.raises(IronlakeError) as caught:
        compare_runs(lake, {"x": [Window(dt.datetime(1999, 1, 1), dt.datetime(1999, 1, 2))]}, tmp_path / "page.html")
    assert "the window of x (1999-01-01 00:00:00 to 1999-01-02 00:00:00) has no data" in str(caught.value)
    assert "PLEX1: 2021-04-13T10:00:00 to 2021-04-13T10:02:00, 2 interval reports of about 60 s" in str(caught.value)
    assert not (tmp_path / "page.html").exists()


def test_empty_lake_and_no_run_and_reversed_window(tmp_path: Path):
    with pytest.raises(IronlakeError, match="no workload activity by class"):
        compare_runs(MemoryLake(), RUNS, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="no window"):
        compare_runs(MemoryLake(), {}, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="ends before it starts"):
        compare_runs(MemoryLake(), {"x": [Window(START, START)]}, tmp_path / "page.html")


def test_unwritable_file_is_an_error_without_traceback(tmp_path: Path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(IronlakeError, match="cannot be written"):
        compare_runs(MemoryLake(rmf_workload_activity=_rows()), RUNS, tmp_path / "taken" / "page.html")


def test_a_page_replaces_no_fifo(tmp_path: Path):
    fifo = tmp_path / "page.html"
    os.mkfifo(fifo)
    with pytest.raises(IronlakeError, match=r"page\.html is not a regular file"):
        write("page", fifo)
    assert [p.name for p in tmp_path.iterdir() if p.is_fifo()] == ["page.html"]


def test_a_half_written_page_follows_no_link_and_is_not_left(tmp_path: Path):
    other = tmp_path / "other.txt"
    other.write_text("kept")
    (tmp_path / "page.html.partial").symlink_to(other)
    write("page", tmp_path / "page.html")
    assert other.read_text() == "kept"
    assert (tmp_path / "page.html").read_text() == "page"
    assert sorted(os.listdir(tmp_path)) == ["other.txt", "page.html"]


# --- The file ------------------------------------------------------------------------------------------------------

EVIL = "<script>alert('x')</script>"


def test_names_from_reports_are_data(tmp_path: Path):
    runs = {EVIL: RUNS["before"], "a'b\"c": RUNS["after"]}
    rows = _rows(service_class=EVIL, workload=EVIL)
    for row in rows:
        row["source_file"] = EVIL
    _, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path, runs)
    assert "<script>alert" not in page
    assert page.count("<script") == 3
    figure = pictures_of(page)["study_1_cpu_by_service_class"]
    assert figure["layout"]["yaxis"]["ticktext"] == ["&lt;script&gt;alert('x')&lt;/script&gt;"]
    assert figure["data"][0]["customdata"][0][0] == EVIL


def test_the_file_forbids_all_network(plain: tuple[str, str]):
    _, page = plain
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.replace("&#39;", "'"))
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "script-src 'unsafe-inline'" not in policy[1]
    assert "http" not in policy[1]
    text = re.sub(r'<script type="text/plain".*?</script>', "", page, flags=re.S)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", text)


def test_every_row_leads_to_its_print(plain: tuple[str, str]):
    _, page = plain
    assert '<a href="#source-1">[1]</a> page 1, line 10' in page
    assert '<a href="#source-2">[2]</a> page 1, line 40' in page
    assert 'title="before.txt page 1 line 10 and 1 more"' in page
    source = re.search(r'<tr id="source-2">.*?</tr>', page)
    assert source
    assert "after.txt" in source[0]
    assert "30 to 40" in source[0]


def test_one_run_alone_makes_a_page(tmp_path: Path):
    """CP 50% with 5% of zIIP work, zIIP 75%; by the published formula 50 - 75 - 5 = -30."""
    headline, page = _page(
        MemoryLake(rmf_workload_activity=_rows(appl_iip_pct=75.0)), tmp_path, {"only": RUNS["before"]}
    )
    assert headline == (
        "only uses 50.00% of one engine in general-processor time over its service classes, and 125.00% with zIIP time."
    )
    assert "against only" not in page
    # Of one class.
    assert "All 1 service class, by general-processor time" in page
    section = page[page.index("The published non-zIIP formula") :]
    assert "CP of APPL % never contains zIIP time" in section
    assert "−30.00" in section


def test_many_classes_stay_small(tmp_path: Path):
    rows = [r for n in range(300) for r in _rows_of(f"C{n:03}")]
    _, page = _page(MemoryLake(rmf_workload_activity=rows), tmp_path)
    assert len(page.encode()) < 3_000_000
    assert page.count('<th scope="rowgroup"') == 301
    assert pictures_of(page)["study_1_cpu_by_service_class"]["layout"]["yaxis"]["ticktext"][-1] == "288 others"


# --- In a browser --------------------------------------------------------------------------------------------------


def test_page_opens_offline(browser: Any, tmp_path: Path):
    goal = heading() | {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": EVIL, "period": 1}
    goal |= {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 40.0, "velocity_pct": 20.0}
    goal |= {"performance_index": 2.0, "line": 12, "source_file": "before.txt"}
    lake = MemoryLake(rmf_workload_activity=_rows(service_class=EVIL), rmf_workload_goal=[goal])
    _, page_text = _page(lake, tmp_path)
    page, requests, complaints = opened(browser, tmp_path / "page.html")
    assert page.locator(".picture svg.main-svg").count() >= len(pictures_of(page_text))
    assert_fits(page)
    assert EVIL in page.locator("#study_1_cpu_by_service_class").inner_text()
    ink = "getComputedStyle(document.querySelector('#study_1_cpu_by_service_class .ytick text')).fill"
    first = page.evaluate(ink)
    page.click("#theme")
    # Plotly draws again when the theme has changed, not at once.
    page.wait_for_function(f"first => {ink} != first", arg=first)
    with page.expect_download() as download:
        page.click("#study_1_cpu_by_service_class-csv")
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "class,run,source,measure,value,unit"
    assert (
        f'{EVIL},before,"[1] before.txt page 1, line 10 + 1 more",Not zIIP-eligible (% of one engine),45,% of one engine'
        in lines
    )
    assert (requests, complaints) == ([], [])
    page.close()


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("fragment", some(["#%", "#%E0%A4%A", "#%ff", "#pictures", "#\"]'"], 4))
def test_an_address_of_no_place_stops_no_picture(browser: Any, plain_folder: Path, fragment: str):
    page, _, complaints = opened(browser, plain_folder / "page.html", fragment)
    assert page.locator(".picture .main-svg").count() > 0
    assert complaints == []
    page.close()
