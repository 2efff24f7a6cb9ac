"""Start, end and length of an interval that contradict each other are errors, on every report that prints two of them or more."""

from __future__ import annotations

import pytest
from broken_pages import findings
from ironlake.pipeline.quality.row_checks import rules
from ironlake.pipeline.reading import engine
from ironlake.pipeline.sql.known_tables import tables
from sample_pages import sample

DURATION = "cpu_changed_within_duration"
LENGTH = "interval_s_agrees"


def errors(name: str, *changes: tuple[str, str]) -> set[tuple[str, float, float | None]]:
    """Rule, found and expected of the errors about lengths on a changed page."""
    page = sample(name).read_text()
    for printed, changed in changes:
        assert printed in page
        page = page.replace(printed, changed)
    found = findings(name, page)
    return {
        (f["rule"].split(".")[1], f["found"], f["expected"])
        for f in found
        if f["severity"] == "error" and f["column"] in ("interval_s", "interval_elapsed_s")
    }


END = "END   05/14/2024-11.00.00"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([], set()),
        # 10:00 to 09:00 is −3,600 s, beside a length of 3,600; from 2024-05-14 to 2025-05-14 are 365 days: 31,536,000 s and the hour.
        ([(END, END.replace("-11", "-09"))], {(LENGTH, 3600, -3600)}),
        ([(END, END.replace("2024", "2025"))], {(LENGTH, 3600, 31_539_600)}),
        ([("INTERVAL 001.00.00", "INTERVAL 000.15.00")], {(LENGTH, 900, 3600)}),
        # Starts and ends are printed in whole seconds.
        ([("INTERVAL 001.00.00", "INTERVAL 001.00.01")], set()),
        ([("INTERVAL 001.00.00", "INTERVAL 000.00.00"), (END, END.replace("-11", "-10"))], {("interval_s_range", 0, 0.001)}),
    ],
)  # fmt: skip
def test_a_length_that_is_not_end_less_start_is_an_error(
    changes: list[tuple[str, str]], told: set[tuple[str, float, float | None]]
) -> None:
    assert errors(DURATION, *changes) == told


@pytest.mark.parametrize("printed", ["999.99.99", "001.60.00", "001.00.99"])
def test_a_length_that_no_clock_shows_is_a_reject(printed: str) -> None:
    page = sample(DURATION).read_text()
    read = engine.read_text(page.replace("INTERVAL 001.00.00", f"INTERVAL {printed}").encode())
    assert read["rmf_cpu_activity"]["interval_s"].null_count() == read["rmf_cpu_activity"].height
    assert any(f"interval '{printed}' cannot be read" in text for text in read["parse_reject"]["what"])


@pytest.mark.parametrize("year", ["0016", "9999", "1969", "2070"])
def test_a_year_of_no_report_is_a_reject(year: str) -> None:
    page = sample(DURATION).read_text()
    read = engine.read_text(page.replace("START 05/14/2024", f"START 05/14/{year}").encode())
    assert read["rmf_cpu_activity"]["interval_start"].null_count() == read["rmf_cpu_activity"].height
    assert any(f"date 05/14/{year} 10.00.00 cannot be read" in text for text in read["parse_reject"]["what"])


def test_db2_times_agree_too() -> None:
    """From 2025-11-03 09:00:00.12 to 2024-11-03 09:15:00.37: 900.25 s less 365 days; the page prints 15:00.25 as elapsed."""
    assert errors("statistics_member_report") == set()
    ((rule, found, expected),) = errors("statistics_member_report", ("TO: 11/03/25", "TO: 11/03/24"))
    assert (rule, found, expected) == (
        "interval_elapsed_s_agrees",
        pytest.approx(900.250731),
        pytest.approx(900.25 - 365 * 86400),
    )


@pytest.mark.parametrize(
    ("activated", "is_late"),
    [("09/20/2016 00.00.00", False), ("09/21/2016 22.05.17", True), ("09/01/2017 22.05.17", True)],
)
def test_a_policy_that_is_activated_after_its_interval_is_marked(activated: str, is_late: bool) -> None:
    """The interval is of 2016-09-20: a policy of its midnight is right, one of the next day or year is not."""
    page = sample("velocity_goal").read_text()
    printed = "POLICY ACTIVATION DATE/TIME 09/01/2016 22.05.17"
    assert printed in page
    found = findings("velocity_goal", page.replace(printed, f"POLICY ACTIVATION DATE/TIME {activated}"))
    marks = {(f["rule"].split(".")[1], f["severity"]) for f in found if f["column"] == "policy_activated_at"}
    assert marks == ({("policy_activated_at_in_time", "warn")} if is_late else set())


def test_every_length_with_a_start_and_an_end_is_checked() -> None:
    """Every table that has the three columns has the rule."""
    lengths = {("interval_start", "interval_end"): "interval_s", ("begin_at", "end_at"): "interval_elapsed_s"}
    for table in tables().values():
        names = {column.name for column in table.columns}
        for ends, length in lengths.items():
            if {*ends, length} <= names and table.name != "rmf_overview_interval":
                assert f"{length}_agrees" in {rule.name for rule in rules(table)}, table.name
