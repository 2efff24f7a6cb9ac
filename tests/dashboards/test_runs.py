"""Runs compared: which printed intervals their windows stand for, rates and costs, several sysplexes and more than two runs, and what is not
known."""

import datetime as dt
import re
from dataclasses import replace
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
    one_minute,
    rows_in,
    rows_of_class,
    total_cpu,
    warnings_of,
)
from ironlake.dashboards.first_screen.screen import summary_table
from ironlake.dashboards.pages.study import name_absent
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import ComparedSystems, like_before, studies_of_runs
from ironlake.pipeline.study.study_file import Requests, Study
from ironlake.pipeline.study.windows import Window
from one_lake import each
from views_lake import START, Row, expect, heading


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


def test_of_a_half_hour_that_is_printed_twice_the_quarters_count(compared: list[Comparison]):
    """One page of 30 minutes with 20% and 1,000 transactions, two of 15 with 40 and 60% and 1,000 each: 0.5 × 1,800 s over 2,000 = 450 ms,
    never the 360 ms of the half hour."""
    assert "40.0% less CPU time than “before” (50 → 30% of one engine)" in compared[TWICE].headline
    (row,) = [r for r in summary_table(compared[TWICE].study).bodies[0].rows if "CICS" in r.cells[0].text]  # type: ignore[union-attr]
    assert [cell.text for cell in row.cells[1:4]] == ["450 ms", "270 ms", "−180 ms"]


def test_an_interval_belongs_where_its_midpoint_is():
    tables = {"rmf_workload_activity": class_rows()[:2]}
    runs = [{"x": [Window(START + dt.timedelta(seconds=late_s), START + 2 * MINUTE)]} for late_s in (0, 30, 31, 91)]
    assert [*map(len, (yield from each(*(rows_in(tables, "run_selection", late) for late in runs[:3]))))] == [2, 2, 1]
    with pytest.raises(IronlakeError, match="has no data"):
        studies_of_runs((yield tables), runs[3])


def test_duration_reports_serve_only_where_no_interval_report_does():
    duration = [r | {"report_kind": "duration", "line": r["line"] + 500, "appl_cp_pct": 99.0} for r in class_rows()]
    mixed = {"rmf_workload_activity": class_rows()[2:] + duration[:2]}
    cpu = each(total_cpu({"rmf_workload_activity": class_rows() + duration}), total_cpu(mixed))
    assert (yield from cpu) == pytest.approx([70, 119])
    assert (yield from warnings_of(mixed)) == {"report_kind": ("duration", "interval")}


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
    assert "(50 → 30% of one engine)" in compared[ONE_EMPTY].headline
    said = f"1 of 2 windows of “two” has no data, {_LATER:%Y-%m-%d %H:%M} to {_LATER + MINUTE:%Y-%m-%d %H:%M}."
    assert f"<li>{said} " in compared[ONE_EMPTY].page


def test_a_place_selects_pages_of_its_systems():
    of_b = [r | {"line": r["line"] + 500, "appl_cp_pct": 5.0} for r in class_rows(scope="SYSB")]
    rows = [*class_rows(scope="SYSA"), *of_b]
    lake = yield {"rmf_workload_activity": rows}
    for system, cp in (("SYSA", 50.0), ("SYSB", 5.0)):
        studies = studies_of_runs(lake, RUNS, ComparedSystems(systems=(system,)))
        tables = {name: of.to_pylist() for name, of in study_rows(studies, "not in the lake").items()}
        studied = yield {"rmf_workload_activity": rows} | tables
        (row,) = studied.rows("FROM configuration_class WHERE configuration = 'before' AND class_name = 'CICS'")
        assert row["cp_pct"] == pytest.approx(cp)
    with pytest.raises(IronlakeError, match="no workload activity of system SYSC"):
        studies_of_runs(lake, RUNS, ComparedSystems(systems=("SYSC",)))
    with pytest.raises(IronlakeError, match="no workload activity of sysplex 'X"):
        studies_of_runs(lake, RUNS, ComparedSystems("'X"))


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


@pytest.mark.parametrize("shift_s", [0, 20])
def test_prints_of_fewer_systems_are_not_added_and_are_no_wrong_prints(shift_s: int):
    """A page of both systems, and one of SYSA that says a part of the same again: nothing is to be removed."""
    tables = {"rmf_workload_activity": _again(shift_s, scope="SYSA", appl_cp_pct=10.0) + class_rows()}
    cpu, notes = yield from each(total_cpu(tables), notes_of(tables))
    assert (cpu, notes) == (pytest.approx(70), {})


def test_prints_of_one_scope_that_overlap_in_a_chain_are_not_added_and_the_gap_is_said():
    """Minutes from :00 and again from :25: each print but the first holds time of one before it. 40 + 20% are those of the first."""
    tables = {"rmf_workload_activity": _again(25, appl_cp_pct=90.0) + class_rows()}
    cpu, notes = yield from each(total_cpu(tables), notes_of(tables))
    assert cpu == pytest.approx(60)
    assert (notes["before", "covered"]["found"], notes["before", "covered"]["expected"]) == (60, 120)
    assert notes["before", "left_out"]["found"] == 3


def test_systems_that_report_apart_are_added():
    """SYSA 40 and 60%, SYSB 30 and 30, each with 20% on zIIPs: 70 + 50% of one engine in the two minutes."""
    apart = [r | {"scope": "SYSA"} for r in class_rows()] + [
        r | {"scope": "SYSB", "appl_cp_pct": 30.0, "line": r["line"] + 5} for r in class_rows()
    ]
    tables = {"rmf_workload_activity": apart}
    assert (yield from each(total_cpu(tables), notes_of(tables))) == [pytest.approx(120), {}]


NOT_WHOLE = comparison(
    {**RUNS, "before": [Window(START, START + 4 * MINUTE)]},
    rmf_workload_activity=[
        *(r | ({"release": "z/OS V2R3"} if r["interval_start"] >= NEXT_WEEK else {}) for r in class_rows()),
        class_row(START, 77, 45.0, source_id="s9", source_file="again.txt"),
        rows_of_class("DB2")[0] | {"line": 15},
        *_again(20)[1:2],
    ],
)


def test_what_is_not_whole_is_said(compared: list[Comparison]):
    """Four minutes asked for and two printed; a print left out, a class in one minute, one with conflicting prints, and other releases."""
    page = compared[NOT_WHOLE].page
    assert compared[NOT_WHOLE].table["cautions"].to_pylist() == [
        "reports for 50% of the time in before, overlapping intervals left out in before, conflicting prints in before, DB2 counted as 0 in 1 of 2 intervals of before, different releases, service classes in one only"
    ]
    notes = page[page.index(">Incomplete<") : page.index("What is compared")]
    assert "before: the printed intervals cover 120 of 240 s (50.0%)" in notes
    assert "after: the printed intervals" not in notes
    assert "before: 1 printed interval(s) left out" in notes
    assert "counted as 0 in the others: service class DB2 (1 of 2 intervals)" in notes
    number = {
        file: number for number, file in re.findall(r'<th scope="row">\[(\d+)\]</th><td class="l">(\w+\.txt)', page)
    }
    places = f"between [{number['before.txt']}] page 1, line 10 and [{number['again.txt']}] page 1, line 77"
    assert f"service class CICS at 2021-04-13 10:00:00: appl_cp_pct differ {places}" in notes
    unlike = page[page.index(">What weakens this<") : page.index(">Incomplete<")]
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
    assert f"{caution}." in compared[LARGE].page
    assert caution in compared[LARGE].table["cautions"].to_pylist()[0]
    assert "SMALL counted" not in compared[LARGE].page


def test_a_window_that_cuts_intervals_is_said(compared: list[Comparison]):
    """Of the two minutes before, 20 s of the first lie before the window: 20 of 120 s."""
    assert "17% of the time outside of the windows in before" in compared[CUTS].table["cautions"].to_pylist()[0]
    said = "before: the windows cut printed intervals: 20 of 120 s are outside of the windows."
    assert said in compared[CUTS].page


def test_an_interval_longer_than_its_window_is_cut_and_no_report_for_300_percent(compared: list[Comparison]):
    """Minute by minute printed, the window is of 20 s around the middle of one: 40 of its 60 s are outside, 67%."""
    page = compared[LONGER].page
    assert "67% of the time outside of the windows in before" in compared[LONGER].table["cautions"].to_pylist()[0]
    assert "300%" not in page
    first = page[page.index("What weakens this") : page.index("</ol>")]
    assert "Windows cut printed intervals; time outside of the windows: 67% in “before”." in first
    assert "Reports do not cover" not in first


def test_rates_are_weighted_by_time_and_costs_come_from_sums():
    """An interval of 60 s at 40% and one of 180 s at 60%: 55% of CP, not 50; 0.2 × 60 s + … of CPU over all that ended."""
    long = class_row(START + MINUTE, 20, 60.0, 3000, interval_s=180.0, interval_end=START + 4 * MINUTE)
    tables = {"rmf_workload_activity": [class_row(START, 10, 40.0), long]}
    (row,) = yield from rows_in(
        tables, "configuration_class", {"only": [Window(START, START + 4 * MINUTE)]}, "class_name = 'CICS'"
    )
    expect(row, cpu_pct=pytest.approx(75.0), non_ziip_eligible_pct=pytest.approx(50.0))
    expect(row, ziip_on_cp_pct=pytest.approx(5.0), ziip_pct=pytest.approx(20.0))
    expect(row, non_ziip_pct=pytest.approx(55.0 - 20.0 - 5.0), transactions_ended=4000)
    expect(row, cpu_ms_per_transaction=pytest.approx((0.6 * 60 + 0.8 * 180) / 4000 * 1000))
    expect(row, cp_ms_per_transaction=pytest.approx((0.4 * 60 + 0.6 * 180) / 4000 * 1000))


def test_time_on_zaaps_and_time_without_a_split_is_in_a_part_of_its_own():
    """CP 40 with IIPCP 5 and AAPCP 3, IIP 20, AAP 7: 32 + 5 + 20, and 10 more. A page without specialty engines: all of it."""
    split = class_row(START, 10, 40.0, appl_aapcp_pct=3.0, appl_aap_pct=7.0)
    none = {"appl_iip_pct": None, "appl_iipcp_pct": None, "appl_aapcp_pct": None}
    old = class_row(START, 11, 40.0, service_class="OLD", **none)
    tables = {"rmf_workload_activity": [split, old]}
    rows = yield from rows_in(
        tables, "configuration_class", one_minute(1), "NOT is_total AND class_kind = 'service_class'"
    )
    found = {r["class_name"]: (r["cpu_pct"], r["non_ziip_eligible_pct"], r["other_pct"]) for r in rows}
    assert found == {"CICS": pytest.approx((67, 32, 10)), "OLD": (40, None, 40)}


def test_a_factor_that_differs_and_intervals_in_both_are_told():
    """The policy pages of the second week say 1.5; a run that is compared with its own second minute shares it."""
    pages = [
        heading(r["interval_start"], line=90 + n) | {"norm_factor_iip": 1.0 if r["interval_start"] < NEXT_WEEK else 1.5}
        for n, r in enumerate(class_rows())
    ]
    tables = {"rmf_workload_activity": class_rows(), "rmf_service_policy": pages}
    again = {"before": RUNS["before"], "again": [Window(START + MINUTE, START + 2 * MINUTE)]}
    told, of_again = yield from each(warnings_of(tables), warnings_of(tables, again))
    assert (told["normalization"], of_again["shared_intervals"][1]) == (("1", "1.5"), "1")


UNREADABLE = comparison(rmf_workload_activity=[
    *(row | ({"appl_cp_pct": None} if row["line"] == 20 else {}) for row in class_rows()), *rows_of_class("DB2"),
])  # fmt: skip


def test_a_class_that_lacks_its_cpu_once_is_not_known_and_no_total_with_it(compared: list[Comparison]):
    """CICS is not known before: a total of the other class alone would be compared with both."""
    of = compared[UNREADABLE]
    assert of.headline.startswith("after and before cannot be compared: the CPU of CICS in before is unknown. ")
    said = (
        "before: CPU is missing or unreadable for service class CICS in 1 of 2 intervals: 2021-04-13 10:01:00. Totals"
    )
    assert said in of.page
    # On the first screen too.
    said = "<li>Unreadable processor time in “before” (CICS at 2021-04-13 10:01:00): see “Incomplete” below. "
    assert said in of.page


def test_a_class_that_a_damaged_interval_lacks_is_not_known():
    """DB2 in the first of two minutes alone: 60% and 0 are 30% of both; where a line of the second was rejected it is not known."""
    rows = [*class_rows(), *(row for row in rows_of_class("DB2") if row["interval_start"] == START)]
    rows = [row | {"page": row["line"] // 10} for row in rows]
    lost = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "before.txt", "page": 2, "line": 29}
    of = "NOT is_total AND configuration = 'before' AND class_kind = 'service_class'"
    pages = [{"rmf_workload_activity": rows, "parse_reject": rejects} for rejects in ([], [lost])]
    classes = yield from each(*(rows_in(tables, "configuration_class", of=of) for tables in pages))
    found = [{c["class_name"]: c["cpu_pct"] for c in some} for some in classes]
    notes = yield from each(*map(notes_of, pages))
    assert found[0] == {"CICS": pytest.approx(70), "DB2": pytest.approx(30)}
    assert found[1] == {"CICS": pytest.approx(70), "DB2": None}
    for count, note in enumerate(("not_printed", "unread")):
        assert (notes[count]["before", note]["class_name"], notes[count]["before", note]["found"]) == ("DB2", 1)
    # A time in a text is of the year that the case was moved to.
    assert notes[1]["before", "unread"]["detail"][4:] == "-04-13 10:01:00"
    assert notes[0]["before", "not_printed"]["detail"] is None


OF_REPORT_CLASSES = comparison(rmf_workload_activity=[
    row | other for other in ({}, {"class_kind": "report_class", "service_class": None, "report_class": "R1"}) for row in class_rows()
])  # fmt: skip


def test_report_classes_are_never_added_to_service_classes(compared: list[Comparison]):
    of = compared[OF_REPORT_CLASSES]
    assert "(50 → 30% of one engine)" in of.headline
    # Its values are those of the service class: a word says so.
    assert "The report classes repeat the service classes, value by value: R1 is CICS." in of.page
    assert 'aria-label="Table of report classes"' not in of.page
    names = ("cpu_by_service_class", "cost_by_service_class")
    assert list(of.pictures) == [f"study_1_{name}" for name in (*names, "class_cpu_over_time")]
    # Of the one class where the change comes from is told in words.
    assert "(after, class CICS): dearer or cheaper transactions −20 points of one engine." in of.page


def test_runs_without_a_kind_of_class_in_common_are_an_error(compared: list[Comparison]):
    study = compared[OF_REPORT_CLASSES].study
    printed = {("before", "service_class"), ("after", "report_class")}
    classes = [row for row in study.classes if (row["configuration"], row["class_kind"]) in printed]
    what = "no kind of class in common: before prints service classes, after prints report"
    with pytest.raises(IronlakeError, match=what):
        name_absent(
            replace(study, class_kind=None, classes=classes), Study("", "", 1, (), "", Requests("volume")), RUNS
        )


def test_policy_block_shows_that_classes_are_missing():
    """The policy prints 90 + 20% in each minute, the classes 60 and 80, then 50 and 50."""
    policy = [
        r | {"class_kind": "policy", "service_class": None, "workload": None, "appl_cp_pct": 90.0, "line": 5}
        for r in class_rows()
    ]
    notes = yield from notes_of({"rmf_workload_activity": class_rows() + policy})
    found = {run: (notes[run, "policy"]["found"], notes[run, "policy"]["expected"]) for run in RUNS}
    assert found == {"before": pytest.approx((70, 110)), "after": pytest.approx((50, 110))}


def _cics(before: tuple[float, float], after: tuple[float, float], ended: int = 1000) -> list[Row]:
    """Two regions of a workload that count no transactions, and a class that counts them and has no time; of each minute."""
    rows = []
    for start, line, of_regions in ((START, 10, before), (NEXT_WEEK, 30, after)):
        for at, (name, cp) in enumerate(zip(("REGION", "UPDATE"), of_regions, strict=True)):
            rows.append(
                class_row(
                    start, line + at, cp, 0, service_class=name, appl_iip_pct=0.0, appl_iipcp_pct=0.0, actual_time_s=0.0
                )
            )
        none = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        rows.append(class_row(start, line + 2, 0.0, ended, service_class="TRANS", **none))
    return rows


ELSEWHERE = comparison(one_minute(), rmf_workload_activity=_cics((20.0, 10.0), (20.0, 40.0)))


def test_a_class_whose_time_is_elsewhere_costs_no_zero(compared: list[Comparison]):
    """REGION and UPDATE burn 20 + 10% of a minute, 18 s, for 1,000 transactions of TRANS: 12 and 6 ms each, never 0."""
    headline, page = compared[ELSEWHERE].headline, compared[ELSEWHERE].page
    assert ", all of it in UPDATE. " in headline
    (row,) = [r for r in summary_table(compared[ELSEWHERE].study).bodies[0].rows if "UPDATE" in r.cells[0].text]  # type: ignore[union-attr]
    assert [cell.text for cell in row.cells[1:3]] == ["6 ms", "24 ms"]
    assert list(row.cells[0].notes) == ["region time per transaction of TRANS"]
    table = page[page.index('aria-label="Table of service classes"') :]
    assert "its time is in REGION, UPDATE" in table[table.index(">TRANS<") :]
    assert "12 per transaction of TRANS" in table
    assert "study_1_cost_by_service_class" not in compared[ELSEWHERE].pictures


def test_endings_that_do_not_count_the_work_give_no_cost():
    """A started task ends twice in the first minute: 2 endings of 0.1 s are no volume of 36 s; neither are 60 of them."""
    first = [row | {"workload": None} for row in class_rows() if row["interval_start"] in (START, NEXT_WEEK)]
    rows = [[row | {"transactions_ended": ended} for row in first] + rows_of_class("DB2") for ended in (2, 60)]
    of = "configuration = 'before' AND NOT is_total AND class_kind = 'service_class'"
    asked = (rows_in({"rmf_workload_activity": some}, "configuration_class", one_minute(), of) for some in rows)
    for classes in (yield from each(*asked)):
        told = {c["class_name"]: (c["counts_its_work"], c["cp_ms_per_transaction"]) for c in classes}
        assert told == {"CICS": (False, None), "DB2": (True, pytest.approx(24))}


def _plex2(rows: list[Row], **other: Any) -> list[Row]:
    return [r | {"sysplex": "PLEX2", "scope": "SYSC", "line": r["line"] + 500} | other for r in rows]


THREE = comparison(rmf_workload_activity=[
    *class_rows(),
    *_plex2([r for r in class_rows() if r["interval_start"] in (START, NEXT_WEEK)], appl_cp_pct=4.0, appl_iip_pct=0.0),
    *(r | {"sysplex": "PLEX3", "scope": "SYSD", "line": r["line"] + 900} for r in class_rows()[:2]),
])  # fmt: skip


def test_two_sysplexes_are_never_added(compared: list[Comparison]):
    """PLEX1 has 50 and 30% of CP in two minutes, PLEX2 4 and 4 in the first of each: 54 would be of no time that there is."""
    headline, page = compared[THREE].headline, compared[THREE].page
    assert headline.startswith("PLEX1: “after” needs 40.0% less general-processor time than “before” (50 → 30%")
    assert "No reports of PLEX3 in “after”." in page
    assert "54.00" not in page
    assert page.count(">All service classes<") == 3
    # The heading names the study it is taken from; each other study has its own sentence.
    said = "“after” needs 40.0% less general-processor time than “before” (50 → 30% of one engine)"
    assert f"<h1>PLEX1: {said}</h1>" in page
    assert f'<a href="#study_1">PLEX1</a>: {said}.' not in page
    same = "“after” needs the same CPU time as “before” within 1% (4 → 4% of one engine)"
    assert f'<a href="#study_2">PLEX2</a>: {same}.' in page
    alone = "“before” uses 50.0% of one engine in general-processor time; nothing to compare yet: add a run"
    assert f'<a href="#study_3">PLEX3</a>: {alone}.' in page
    drawn = compared[THREE].pictures
    assert [s["y"][:2] for s in drawn["study_1_class_cpu_over_time"]["series"]] == [[40, 60], [30, 30]]
    assert "study_2_class_cpu_over_time" not in drawn  # one interval is no line


def test_runs_of_two_sysplexes_are_compared_and_told_apart():
    """One sysplex in each window: they may be the same work before and after a move."""
    rows = class_rows()[:2] + _plex2(class_rows()[2:])
    assert (yield from warnings_of({"rmf_workload_activity": rows}))["sysplex"] == ("PLEX1", "PLEX2")


_WEEKS = [START + week * dt.timedelta(days=7) for week in range(8)]
EIGHT = comparison(
    {f"week {n}": [Window(start, start + MINUTE)] for n, start in enumerate(_WEEKS)},
    rmf_workload_activity=[class_row(start, 10 * n + 1, 40.0 - 3 * n) for n, start in enumerate(_WEEKS)],
)


def test_every_run_is_compared_with_the_first(compared: list[Comparison]):
    """Week n has 40 - 3n% of CP: the last is not the only one that is said, and the first table has a row for each, the least first."""
    page, count = compared[EIGHT].page, 8
    summary = page[page.index('<table class="summary">') : page.index("</table>")]
    assert re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td class="delta">(.*?)</td>', summary) == [
        *((f"week {n}", str(40 - 3 * n), f"−{7.5 * n:.1f}%") for n in range(count - 1, 0, -1)), ("week 0", "40", "baseline"),
    ]  # fmt: skip
    assert (re.search("<h1>.*</h1>", page) or [""])[0] == (
        "<h1>“week 7” needs the least general-processor time (19% of one engine, −52.5%), “week 0” the most "
        "(40% of one engine, the baseline)</h1>"
    )
