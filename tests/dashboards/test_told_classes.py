"""Some classes of runs alone (`compare --class`, `--workload`): what is told is theirs, and shares are of the whole."""

import re

import pytest
from compared_runs import Comparison, comparison, unsigned
from ironlake.dashboards.first_screen.finding import finding
from ironlake.dashboards.first_screen.screen import kicker, summary_table
from ironlake.dashboards.told_classes import ClassFilter
from ironlake.pipeline.errors import IronlakeError
from pages import pictures_of
from test_first_screen import AFTER, BEFORE, NEXT_WEEK, ONE, RUNS, START, hour

_ROWS = [*hour(START, *BEFORE), *hour(NEXT_WEEK, *AFTER)]
WITHOUT_BATCH = comparison(RUNS, rmf_workload_activity=[
    row | ({"appl_cp_pct": None} if (row["service_class"], row["interval_start"]) == ("BATCH", START) else {}) for row in _ROWS
])  # fmt: skip


def test_of_one_class_alone_the_heading_and_the_table_are_its_own(compared: list[Comparison]):
    """DDF: 60 of 200 is 30%, 34 of 176 is 19.3%: shares of the whole."""
    of = compared[ONE].of_classes(ClassFilter(classes=("DDF",)))
    study, page = of.study, of.page
    said = "In DDF, “after” needs 43.3% less general-processor time than “before” (60 → 34% of one engine)"
    assert finding(study) == said
    assert f"<h1>{said}</h1>" in page
    assert unsigned(kicker([study])).startswith("PLEX1 (SYSA, SYSB) · only DDF · before: ")
    table = summary_table(study)
    assert table
    rows = {row.cells[0].text: [c.text for c in row.cells[1:4]] for row in table.bodies[0].rows}
    assert rows["General-processor time"] == ["60", "34", "−26"]
    assert rows["Share of all general-processor time"] == ["30.0", "19.3", "−10.7"]
    assert "GP time per transaction, CICS" not in rows
    # Neither table nor pictures name another class.
    assert not re.search(r"\b(CICS|BATCH)\b", re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S))
    names = {
        row[0] for figure in pictures_of(page).values() for series in figure["series"] for row in series["words"] if row
    }
    assert names == {"DDF"}
    # The evidence is of the class: -26 in each quarter.
    assert 'aria-label="After − before by interval: −26, −26, −26, −26"' in page


def test_a_workload_stands_for_its_classes_and_adds_to_those_named(compared: list[Comparison]):
    """CICS and BATCH in one workload: 140% before, 142% after, the same within 2%: 1.4% more."""
    study = compared[ONE].of_classes(ClassFilter(workloads=("BATCH",), classes=("CICS",))).study
    assert finding(study) == (
        "In CICS, workload BATCH, “after” needs 1.4% more CPU time than “before” (140 → 142% of one engine), all of it in CICS"
    )
    assert {r["class_name"] for r in study.classes_of()} == {"CICS", "BATCH"}


def test_a_name_that_the_runs_do_not_print_is_refused_with_those_that_they_do(compared: list[Comparison]):
    with pytest.raises(IronlakeError, match="the runs print no class CISC") as error:
        compared[ONE].of_classes(ClassFilter(classes=("CISC",)))
    assert "BATCH, CICS, DDF" in str(error.value)
    with pytest.raises(IronlakeError, match="the runs print no workload NONE"):
        compared[ONE].of_classes(ClassFilter(workloads=("NONE",)))


TWO_KINDS = comparison(RUNS, rmf_workload_activity=[
    *_ROWS,
    *(
        row | {"class_kind": "report_class", "service_class": None, "report_class": name, "line": row["line"] + 50, "workload": None}
        for row in _ROWS
        for name in {"CICS": ("JOB", "CICS"), "BATCH": ("NIGHT",)}.get(row["service_class"], ())
    ),
])  # fmt: skip


def test_classes_of_two_kinds_are_refused_and_a_name_of_both_is_that_of_the_others(compared: list[Comparison]):
    """DDF's 60% and JOB's 100% may be the same work. CICS is of both kinds: with NIGHT, 100 + 40 → 102 + 40 of report classes."""
    both = re.escape("DDF (service class), JOB (report class) cannot be added")
    with pytest.raises(IronlakeError, match=both):
        compared[TWO_KINDS].of_classes(ClassFilter(classes=("DDF", "JOB")))
    with pytest.raises(IronlakeError, match=r"NIGHT \(report class\), workload DDF \(service class\) cannot be added"):
        compared[TWO_KINDS].of_classes(ClassFilter(classes=("NIGHT",), workloads=("DDF",)))
    study = compared[TWO_KINDS].of_classes(ClassFilter(classes=("CICS", "NIGHT"))).study
    assert {row["class_kind"] for row in study.classes} == {"report_class"}
    assert [study.totals()[name]["cp_pct"] for name in ("before", "after")] == [140, 142]


def test_an_unknown_class_makes_the_sum_unknown_and_others_do_not(compared: list[Comparison]):
    alone = compared[WITHOUT_BATCH].of_classes(ClassFilter(classes=("DDF",))).study
    assert alone.totals()["before"]["cp_pct"] == pytest.approx(60.0)
    # Its part of an unknown whole is unknown.
    assert alone.totals()["before"]["cp_share_pct"] is None
    both = compared[WITHOUT_BATCH].of_classes(ClassFilter(classes=("DDF", "BATCH"))).study
    assert both.totals()["before"]["cp_pct"] is None
