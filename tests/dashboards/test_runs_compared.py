"""Runs compared: rates and costs, what is said of changes, and what is not known."""

from dataclasses import replace

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
)
from ironlake.dashboards.pages.study import name_absent
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.study.study_file import Requests, Study
from ironlake.pipeline.study.windows import Window
from one_lake import share_lake
from views_lake import START, Row, heading


@share_lake
def test_rates_are_weighted_by_time_and_costs_come_from_sums():
    """An interval of 60 s at 40% and one of 180 s at 60%: 55% of CP, not 50; 0.2 × 60 s + … of CPU over all that ended."""
    long = class_row(START + MINUTE, 20, 60.0, 3000, interval_s=180.0, interval_end=START + 4 * MINUTE)
    tables = {"rmf_workload_activity": [class_row(START, 10, 40.0), long]}
    (row,) = yield from rows_in(
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
    split = class_row(START, 10, 40.0, appl_aapcp_pct=3.0, appl_aap_pct=7.0)
    none = {"appl_iip_pct": None, "appl_iipcp_pct": None, "appl_aapcp_pct": None}
    old = class_row(START, 11, 40.0, service_class="OLD", **none)
    tables = {"rmf_workload_activity": [split, old]}
    rows = yield from rows_in(
        tables, "configuration_class", one_minute(1), "NOT is_total AND class_kind = 'service_class'"
    )
    found = {r["class_name"]: (r["cpu_pct"], r["non_ziip_eligible_pct"], r["other_pct"]) for r in rows}
    assert found == {"CICS": pytest.approx((67, 32, 10)), "OLD": (40, None, 40)}


@share_lake
def test_what_is_not_alike_is_told_of_runs():
    """Another release, other systems and a minute less: the headline of test_what_is_not_whole_is_said says it."""
    changed = {"release": "z/OS V2R3", "scope": "SYSA"}
    rows = [r | (changed if r["interval_start"] >= NEXT_WEEK else {}) for r in class_rows()[:3]]
    found = {
        r["warning"]: (r["baseline_value"], r["value"])
        for r in (yield from rows_in({"rmf_workload_activity": rows}, "comparison_warning"))
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
        for n, r in enumerate(class_rows())
    ]
    tables = {"rmf_workload_activity": class_rows(), "rmf_service_policy": pages}
    found = {
        r["warning"]: (r["baseline_value"], r["value"]) for r in (yield from rows_in(tables, "comparison_warning"))
    }
    assert found["normalization"] == ("1", "1.5")
    again = {"before": RUNS["before"], "again": [Window(START + MINUTE, START + 2 * MINUTE)]}
    found = {r["warning"]: r["value"] for r in (yield from rows_in(tables, "comparison_warning", again))}
    assert found["shared_intervals"] == "1"


UNREADABLE = comparison(rmf_workload_activity=[
    *(row | ({"appl_cp_pct": None} if row["line"] == 20 else {}) for row in class_rows()), *rows_of_class("DB2"),
])  # fmt: skip


def test_a_class_that_lacks_its_cpu_once_is_not_known_and_no_total_with_it(compared: list[Comparison]):
    """CICS is not known before: a total of the other class alone would be compared with both."""
    of = compared[UNREADABLE]
    assert of.headline == "after and before cannot be compared: the CPU of CICS in before is unknown."
    said = (
        "before: CPU is missing or unreadable for service class CICS in 1 of 2 intervals: 2021-04-13 10:01:00. Totals"
    )
    assert said in of.page
    # On the first screen too.
    said = "<li>Unreadable processor time in “before” (CICS at 2021-04-13 10:01:00): see “Incomplete” below. "
    assert said in of.page


@share_lake
def test_a_class_that_a_damaged_interval_lacks_is_not_known():
    """DB2 in the first of two minutes alone: 60% and 0 are 30% of both; where a line of the second was rejected it is not known."""
    rows = [*class_rows(), *(row for row in rows_of_class("DB2") if row["interval_start"] == START)]
    rows = [row | {"page": row["line"] // 10} for row in rows]
    lost = {"report": "rmf_workload_activity", "source_id": "s1", "source_file": "before.txt", "page": 2, "line": 29}
    found, notes = {}, {}
    for rejects in ([], [lost]):
        tables = {"rmf_workload_activity": rows, "parse_reject": rejects}
        classes = yield from rows_in(
            tables,
            "configuration_class",
            of="NOT is_total AND configuration = 'before' AND class_kind = 'service_class'",
        )
        found[len(rejects)] = {c["class_name"]: c["cpu_pct"] for c in classes}
        notes[len(rejects)] = yield from notes_of(tables)
    assert found[0] == {"CICS": pytest.approx(70), "DB2": pytest.approx(30)}
    assert found[1] == {"CICS": pytest.approx(70), "DB2": None}
    for count, note in enumerate(("not_printed", "unread")):
        assert (notes[count]["before", note]["class_name"], notes[count]["before", note]["found"]) == ("DB2", 1)
    assert notes[1]["before", "unread"]["detail"] == "2021-04-13 10:01:00"
    assert notes[0]["before", "not_printed"]["detail"] is None


OF_REPORT_CLASSES = comparison(rmf_workload_activity=[
    row | other for other in ({}, {"class_kind": "report_class", "service_class": None, "report_class": "R1"}) for row in class_rows()
])  # fmt: skip


def test_report_classes_are_never_added_to_service_classes(compared: list[Comparison]):
    of = compared[OF_REPORT_CLASSES]
    assert "50.00% → 30.00% of one engine" in of.headline
    names = ("cpu_by_service_class", "cost_by_service_class", "cpu_by_report_class", "cost_by_report_class")
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


@share_lake
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
    said = "Largest change: UPDATE, +30.00 of the +30.00 points of one engine; 6 → 24 ms (+300.0%) per transaction of TRANS."
    assert said in headline
    table = page[page.index('aria-label="Table of service classes"') :]
    assert "its time is in REGION, UPDATE" in table[table.index(">TRANS<") :]
    assert "12 per transaction of TRANS" in table
    assert "study_1_cost_by_service_class" not in compared[ELSEWHERE].pictures
    assert "No service class has both CPU and its own transactions in both windows." in headline


@share_lake
def test_endings_that_do_not_count_the_work_give_no_cost():
    """A started task ends twice in the first minute: 2 endings of 0.1 s are no volume of 36 s; neither are 60 of them."""
    for ended in (2, 60):
        rows = [
            r | {"transactions_ended": ended, "workload": None}
            for r in class_rows()
            if r["interval_start"] in (START, NEXT_WEEK)
        ]
        tables = {"rmf_workload_activity": rows + rows_of_class("DB2")}
        classes = yield from rows_in(
            tables, "configuration_class", one_minute(), "configuration = 'before' AND NOT is_total"
        )
        told = {
            c["class_name"]: (c["counts_its_work"], c["cp_ms_per_transaction"])
            for c in classes
            if c["class_kind"] == "service_class"
        }
        assert told == {"CICS": (False, None), "DB2": (True, pytest.approx(24))}
