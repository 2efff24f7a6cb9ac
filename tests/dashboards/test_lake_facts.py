"""The facts of a lake's page: what was planted is found, and other lakes have a page that says what it can."""

import datetime as dt
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import command_line
from ironlake.dashboards.lake_page.contract import Column, LakePage, Rows
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts_json import facts_json
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import render
from ironlake.models.generate import Order, generate
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from lake_facts import FIRST, asked, happened, hour, require_number, section
from one_lake import Asks
from sample_pages import sample


@pytest.mark.slow
def test_what_was_planted_is_on_the_first_screen(page: LakePage):
    first = page.happened[:8]
    assert any(
        one.section == "cost" and "CICSHI" in one.sentence and "since Tue 13 Oct" in one.sentence for one in first
    )
    assert any(one.section == "cost" and "release z/OS V2R5 → z/OS V3R1" in one.sentence for one in first)
    assert any(one.section == "msu" and "SHOPGRP" in one.sentence and "on Mon 19 Oct" in one.sentence for one in first)
    assert any(
        one.section == "facilities" and "CF01" in one.sentence and "Mon 19 Oct, 10:00" in one.sentence for one in first
    )
    assert any(one.section == "goals" and "CICSHI" in one.sentence and one.new is not None for one in first)


def test_each_finding_names_its_printed_line_and_sets_a_filter(page: LakePage, reports: Path):
    assert page.happened
    for one in (told for story in page.happened for told in (story, *story.beside)):
        require_number(page.sections, one)
        if one.section == "coverage":
            continue
        name, _, line = re.fullmatch(r"(\S+), page ([\d,]+), line ([\d,]+)", one.source).groups()  # type: ignore[union-attr]
        lines = (reports / name).read_text("ascii").splitlines()
        assert int(line.replace(",", "")) <= len(lines)
        assert one.select.from_s is not None
        assert one.section in {s.id for s in page.sections}
    step = happened(page, "cost")[0]
    name, line = re.fullmatch(r"(\S+), page [\d,]+, line ([\d,]+)", step.source).groups()  # type: ignore[union-attr]
    # A row begins on the first line of its values, below the line that names its class.
    at = int(line.replace(",", ""))
    assert any("CICSHI" in above for above in (reports / name).read_text("ascii").splitlines()[at - 4 : at])


def test_days_and_names_are_those_of_the_lake(page: LakePage):
    assert (page.first_day, page.last_day) == (dt.date(2026, 10, 4), dt.date(2026, 10, 19))
    assert page.axis_start == dt.datetime(2026, 10, 4)
    assert page.names.systems == ("SHPA", "SHPB")
    assert page.names.sysplexes == ("SHOPPLEX",)
    assert {"CICSHI", "DDFMED", "DB2HI", "CICSORD"} <= set(page.names.classes)


def test_sections_stand_in_the_order_of_the_questions_and_name_their_columns(page: LakePage):
    order = "msu peak cost overflow goals goal_delays response response_load littles_law systems workloads machines"
    order += " partitions dispatch facilities structures contention links link_service storage paths messages"
    order += " group_pools pools threads coverage"
    assert [one.id for one in page.sections] == order.split()
    for one in page.sections:
        names = {column.name for column in one.rows.columns}
        assert len({len(values) for values in one.rows.values}) == 1
        assert len(one.rows) > 0
        chart = one.chart
        used = [chart.x, chart.y, chart.split, chart.series, chart.limit, chart.value, chart.level]
        for name in used:
            assert set(filter(None, (name,) if isinstance(name, str) else name)) <= names, one.id
        assert set(one.filters.values()) <= names


def test_a_day_of_the_past_has_only_what_was_printed_until_then(lake: OpenLake):
    page = lake_page(lake, Wanted(3, dt.date(2026, 10, 12)))
    assert (page.first_day, page.last_day) == (dt.date(2026, 10, 10), dt.date(2026, 10, 12))
    assert all(0 <= s < 3 * 86_400 for one in page.sections for c, values in zip(one.rows.columns, one.rows.values, strict=True) if c.kind == "time" for s in values)  # fmt: skip
    assert not happened(page, "cost")
    # The four hours before the first are of the day before, which the lake has.
    assert None not in section(page, "msu").rows.of("rolling_msu")


@pytest.mark.slow
def test_of_one_day_nothing_is_new(lake: OpenLake):
    page = lake_page(lake, Wanted(1))
    assert page.first_day == page.last_day
    assert page.happened
    assert not any(one.new for one in page.happened)
    assert (shown := render(page)).heading == f"Mon 19 Oct 2026: {page.happened[0].headline}"
    assert shown.kicker == f"{len(page.happened)} things to look at"


def test_days_that_the_lake_has_not_are_no_empty_lake(lake: OpenLake):
    page = lake_page(lake, Wanted(30, dt.date(2025, 1, 1)))
    assert page.unknown == ("No report of the lake is of these days: it has 2026-10-04 to 2026-10-19.",)
    assert render(page).heading == "This lake has no printed intervals of these days"


@pytest.mark.slow
def test_a_silent_system_is_told_and_days_without_a_report_are_missing_and_not_zero(reports: Path, tmp_path: Path):
    """SHPB prints no CPU Activity after the outage; without the files of release 8 SHPA has nothing from 13 October to the outage."""
    lost = ("facility_up_shpb", "release_8_shpa")
    kept = [str(p) for p in reports.glob("*cpu_activity.txt") if not p.name.startswith(lost)]
    ingest(kept, tmp_path / "lake", Options(), jobs=1)
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    (told,) = (one for one in happened(page, "coverage") if one.select.system == "SHPB")
    assert told.sentence.startswith("No CPU Activity of SHPB since Mon 19 Oct, 1")
    assert told.sentence.endswith(", while others have it.")
    assert told.new
    rows, week = section(page, "coverage").rows, range(9 * 86_400, 15 * 86_400)
    missing = zip(rows.of("label"), rows.of("day"), rows.of("missing_pct"), strict=True)
    assert [pct for label, day, pct in missing if "SHPA" in label and day in week] == [100.0] * 6
    rows = section(page, "systems").rows
    hours = zip(rows.of("system"), rows.of("hour_start"), strict=True)
    assert not [hour for system, hour in hours if system == "SHPA" and hour in week]


def test_an_empty_lake_has_a_page_that_says_so(tmp_path: Path):
    Lake(tmp_path / "lake")
    (tmp_path / "nothing.txt").write_text("no report\n")
    ingest([str(tmp_path / "nothing.txt")], tmp_path / "lake", Options())
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    assert page.sections == ()
    assert page.happened == ()
    assert page.first_day is None
    assert page.unknown == ("The lake has no printed intervals.",)
    assert render(page).heading == "This lake has no printed intervals yet"
    assert json.loads(facts_json(page))["sections"] == []


def test_facts_as_json_are_those_of_the_page_and_numbers(page: LakePage):
    told = json.loads(facts_json(page))
    assert told["axis_start"] == "2026-10-04T00:00:00"
    assert [one["sentence"] for one in told["happened"]] == [one.sentence for one in page.happened]
    assert told["sections"][0]["rows"]["columns"][1]["name"] == "rolling_msu"
    assert told["sections"][0]["rows"]["values"][1] == section(page, "msu").rows.of("rolling_msu")
    broken = replace(page.sections[0], rows=Rows((Column("x", "X"),), ([float("nan")],)))
    with pytest.raises(ValueError, match="JSON"):
        facts_json(replace(page, sections=(broken,)))


@pytest.mark.slow
def test_the_commands_of_cards_answer(
    page: LakePage, lake: OpenLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The step of a cost is compared with the days before it; of rules there is what `finding` has of the day. Each story has one."""
    monkeypatch.chdir(lake.path.parent)
    commands = {one.section: shlex.split(one.action)[1:] for one in page.happened}
    assert list(commands) == ["goals", "cost", "overflow", "msu", "facilities"]
    for name, words in commands.items():
        code, out, err = command_line(monkeypatch, capsys)(
            *(word.replace("compare.", f"{tmp_path}/compare.") for word in words)
        )
        assert code == 0, err
        assert name == "cost" or "2026-10-19" in out
    assert commands["cost"][1:5] == [
        "--run",
        "before=2026-10-06T00:00/2026-10-13T00:00",
        "--run",
        "after=2026-10-13T00:00/2026-10-20T00:00",
    ]


def test_names_with_markup_are_names() -> Asks[None]:
    name = "<b>&\"'"
    row = hour(0, policy="P", scope="SYSA") | {"class_kind": "service_class_period", "period": 1, "service_class": name}
    goal = row | {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 50.0}
    goal |= {"performance_index": 2.5}
    activity = [row | {"transactions_ended": 5, "workload": "W", "importance": 1}]
    found = goals((yield from asked(FIRST, rmf_workload_activity=activity, rmf_workload_goal=[goal])))
    (told,) = found.happened
    assert told.happened.sentence.startswith(f"{name} on PLEX1 missed its goal in 1 of 1 interval")
    assert told.happened.select.class_name == name
    assert found.sections[0].rows.of("service_class") == [name]
    assert found.sections[0].rows.of("hour_start") == [10 * 3600]


QUIET = """
model: a system of little work
start: 2026-10-05T00:00
sysplex: PLEX
release: V2R5
interval_s: {interval_s}
step_intervals: {intervals}
reports: [workload_activity, cpu_activity]
systems:
  SYSA: {{cp: 6, ziip: 1, su_per_s: 61000, captured_pct: 93}}
service_classes:
  ONLINE: {{workload: CICS, importance: 1, response_ms: 19, within_pct: 90}}
classes:
  ORDERS: {{service_class: ONLINE, subsystem: CICS}}
work:
  order:
    ORDERS: {{cp_ms: 2.4, wait_ms: 6}}
workloads:
  Orders: {{counted_by: ORDERS, request: {{order: 1}}}}
configurations:
  all: {{load: {{Orders: {{rate_per_s: 100}}}}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("interval_s", "intervals", "day", "heading", "headline", "is_whole"),
    [
        (900, 1, None, "Mon 5 Oct 2026: too little to judge", "Mon 5 Oct 2026 only · Too little to judge: 1 interval, Mon 5 Oct, 00:00 to 00:15; the lake has no other day", True),
        (900, 7, None, "Mon 5 Oct 2026: too little to judge", "intervals of 105 minutes in all, Mon 5 Oct, 00:00 to 01:45; the lake has no other day", True),
        (900, 8, None, "Mon 5 Oct 2026: nothing unusual found", "Mon 5 Oct 2026 only", False),
        (3600, 25, None, "Tue 6 Oct 2026: too little to judge", "1 interval, Tue 6 Oct, 00:00 to 01:00; --day 2026-10-05 shows another day", False),
        (3600, 25, dt.date(2026, 10, 5), "Mon 5 Oct 2026: nothing unusual found", "Mon 5 Oct 2026 only", False),
    ],
)  # fmt: skip
def test_too_little_to_judge_is_not_nothing_unusual(
    tmp_path: Path, interval_s: int, intervals: int, day: dt.date | None, heading: str, headline: str, is_whole: bool
):
    """Under two hours, or of one interval; where other days are, how they are seen."""
    (tmp_path / "quiet.yaml").write_text(QUIET.format(interval_s=interval_s, intervals=intervals))
    generate(tmp_path / "quiet.yaml", tmp_path / "reports", Order())
    ingest([str(tmp_path / "reports")], tmp_path / "lake", Options(), jobs=1)
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted(30, day))
    shown = render(page)
    assert (page.happened, shown.heading) == ((), heading)
    assert shown.headline.endswith(headline)
    assert page.sections
    assert [" Too little to judge: " in f" {one.note}" for one in page.sections] == [is_whole] * len(page.sections)


def test_duration_reports_alone_are_too_little_to_judge(tmp_path: Path):
    ingest([str(sample("duration_report"))], tmp_path / "lake", Options(), jobs=1)
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    assert render(page).heading.endswith(": too little to judge")
    assert page.too_little == "Too little to judge: no interval; the lake has no other day"
