"""The facts of a lake's page: what was planted is found, and every headline is what SQL over the printed rows gives."""

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answering import Answering
from ironlake.dashboards.lake_page.contract import Happened, LakePage, Section
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.cost import cost
from ironlake.dashboards.lake_page.facts.coupling import facilities
from ironlake.dashboards.lake_page.facts.coverage import coverage
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts.processor_use import use_by_workload
from ironlake.dashboards.lake_page.facts_json import facts_json
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import render
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.session import OpenLake, open_lake
from ironlake.pipeline.status.calendar import Calendar, calendar_of
from ironlake.pipeline.status.conflicts import find_conflict
from ironlake.pipeline.status.coverage import Intervals, Place
from ironlake.pipeline.synthesis.generate import Order, generate
from rmf_rows import processor
from sample_pages import ROOT
from views_lake import Row, heading

MODEL = Path(__file__).with_name("small_month.yaml")
MONDAY = dt.datetime(2026, 10, 19)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("month") / "reports"
    generate(MODEL, folder, Order())
    return folder


@pytest.fixture(scope="module")
def lake(reports: Path) -> Iterator[OpenLake]:
    path = reports.parent / "lake"
    assert ingest([str(reports)], path, Options()).exit_code(strict=True) == 0
    with open_lake(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(lake: OpenLake) -> LakePage:
    return lake_page(lake, Wanted(30, None, "ironlake page"))


def section(page: LakePage, name: str) -> Section:
    return next(one for one in page.sections if one.id == name)


def happened(page: LakePage, of: str) -> list[Happened]:
    return [one for one in page.happened if one.section == of]


def one_row(lake: OpenLake, text: str) -> tuple[Any, ...]:
    (row,) = lake.sql(text).fetchall()
    return row


def numbers(text: str) -> list[float]:
    """The numbers of a sentence.

    >>> numbers("1,328 MSU of 12.5")
    [1328.0, 12.5]
    """
    return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


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
    for one in page.happened:
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


def test_sections_stand_in_the_order_of_the_questions(page: LakePage):
    order = [
        "msu",
        "peak",
        "goals",
        "cost",
        "systems",
        "workloads",
        "overflow",
        "response",
        "facilities",
        "structures",
        "contention",
    ]
    order += ["paths", "group_pools", "pools", "threads", "coverage"]
    assert [one.id for one in page.sections] == order


def test_rows_are_whole_and_their_columns_are_named_by_chart_and_filters(page: LakePage):
    for one in page.sections:
        names = {column.name for column in one.rows.columns}
        assert len({len(values) for values in one.rows.values}) == 1
        assert len(one.rows) > 0
        chart = one.chart
        used = [chart.x, chart.y, chart.split, chart.series, chart.limit, chart.value, chart.level]
        for name in used:
            assert set(filter(None, (name,) if isinstance(name, str) else name)) <= names, one.id
        assert set(one.filters.values()) <= names


# --- Headlines, by SQL over the printed rows --------------------------------------------------------------------------


def test_msu(page: LakePage, lake: OpenLake):
    """Intervals are of an hour: an hour's value is the mean of four, summed over the partitions."""
    value, at = one_row(
        lake,
        """
        SELECT sum(rolling) AS rolling, interval_start FROM (
            SELECT interval_start, row_number() OVER hours AS n,
                sum(msu_used * interval_s) OVER (hours ROWS 3 PRECEDING) / sum(interval_s) OVER (hours ROWS 3 PRECEDING) AS rolling
            FROM rmf_partition_data WHERE partition = mvs_partition AND processor_type = 'CP' AND NOT is_total
            WINDOW hours AS (PARTITION BY partition ORDER BY interval_start)
        ) WHERE n >= 4 GROUP BY interval_start ORDER BY rolling DESC LIMIT 1
        """,
    )
    assert at == MONDAY.replace(hour=12)
    finding = section(page, "msu").finding
    assert f"{value:,.0f} MSU of a limit of 880 on Mon 19 Oct, 12:00" in finding
    group = next(one for one in happened(page, "msu") if one.sentence.startswith("Group SHOPGRP"))
    assert f"{value:,.0f} MSU, {value / 880:.0%} of its limit of 880" in group.sentence
    assert group.new
    rows = section(page, "msu").rows
    at_s = (MONDAY.replace(hour=12) - dt.datetime(2026, 10, 4)).total_seconds()
    cells = zip(rows.of("level"), rows.of("hour_start"), rows.of("rolling_msu"), rows.of("cap_msu"), strict=True)
    assert [(msu, cap) for level, hour, msu, cap in cells if level == "capacity_group" and hour == at_s] == [
        (round(value), 880)
    ]


def test_the_first_hours_of_the_lake_have_no_four_hours(page: LakePage):
    rows = section(page, "msu").rows
    first = [msu for hour, msu in zip(rows.of("hour_start"), rows.of("rolling_msu"), strict=True) if hour < 3 * 3600]
    assert len(first) == 3 * 4
    assert set(first) == {None}


def test_what_made_the_peak(page: LakePage, lake: OpenLake):
    """Four intervals of an hour, those of 09:00 to 12:00."""
    rows = lake.sql(
        """
        SELECT service_class, sum(appl_cp_pct * interval_s) AS cp FROM rmf_workload_activity
        WHERE class_kind = 'service_class_period' AND interval_start BETWEEN TIMESTAMP '2026-10-19 09:00' AND TIMESTAMP '2026-10-19 12:30'
        GROUP BY service_class ORDER BY cp DESC
        """
    ).fetchall()
    shares = {name: 100 * cp / sum(c for _, c in rows) for name, cp in rows}
    first = max(shares, key=lambda name: shares[name])
    assert section(page, "peak").finding.startswith(f"SHOPPLEX, Mon 19 Oct, 12:00: {first} {shares[first]:.0f}%,")


def test_goals(page: LakePage, lake: OpenLake):
    raw = "FROM rmf_workload_goal WHERE class_kind = 'service_class_period' AND is_total"
    worst, name = one_row(
        lake, f"SELECT performance_index, service_class {raw} ORDER BY performance_index DESC LIMIT 1"
    )
    missed, goals = one_row(
        lake,
        f"SELECT count(DISTINCT service_class) FILTER (performance_index > 1), count(DISTINCT service_class) {raw}",
    )
    assert missed == 1
    assert section(page, "goals").finding.startswith(
        f"{missed} of {goals} goals missed at times; worst: {name}, {worst:.1f} on Mon"
    )
    yesterday = f"{raw} AND service_class = '{name}' AND interval_start >= TIMESTAMP '2026-10-19'"
    missed, known = one_row(
        lake, f"SELECT count(*) FILTER (performance_index > 1), count(performance_index) {yesterday}"
    )
    (told,) = happened(page, "goals")
    assert f"{name} on SHOPPLEX missed its goal in {missed} of {known} intervals, importance 1" in told.sentence


def test_cost_steps_on_its_day(page: LakePage, lake: OpenLake):
    days = lake.sql(
        """
        SELECT median(1000 * appl_cp_pct / 100 * interval_s / transactions_ended) AS ms
        FROM rmf_workload_activity WHERE class_kind LIKE 'service_class%' AND service_class = 'CICSHI'
            AND dayofweek(interval_start) BETWEEN 1 AND 5
        GROUP BY CAST(interval_start AS DATE) ORDER BY CAST(interval_start AS DATE)
        """
    ).fetchall()
    costs = [ms for (ms,) in days]
    before, after = sorted(costs[:6]), sorted(costs[6:])
    assert len(after) == 5
    sides = (before[2] * before[3]) ** 0.5, after[2]
    (told, *_) = happened(page, "cost")
    assert f"({sides[0]:,.3f} → {sides[1]:,.3f} ms)" in told.sentence
    assert f"{sides[1] / sides[0] - 1:+.0%} since Tue 13 Oct" in told.sentence
    # Report classes have the same work: their steps are told once.
    assert len(happened(page, "cost")) == 1
    rows = section(page, "cost").rows
    steps = [
        (day, label)
        for day, label, step in zip(rows.of("day"), rows.of("label"), rows.of("step_pct"), strict=True)
        if step
    ]
    assert steps == [(9 * 86_400, "CICSHI"), (9 * 86_400, "CICSORD (report class)")]


def test_busiest_system(page: LakePage, lake: OpenLake):
    system, busy, online, at = one_row(
        lake,
        """
        SELECT system, sum(lpar_busy_pct * online_pct) / sum(online_pct) AS busy, sum(online_pct) / 100, interval_start
        FROM rmf_cpu_activity WHERE processor_type = 'CP' AND NOT is_total
        GROUP BY system, interval_start ORDER BY busy DESC LIMIT 1
        """,
    )
    assert (
        section(page, "systems").finding
        == f"Busiest: {system}, {busy:.0f}% of {online:.1f} general processors on Mon 19 Oct, {at:%H:%M}."
    )


def test_workloads(page: LakePage, lake: OpenLake):
    (share,) = one_row(
        lake,
        """
        SELECT 100 * sum(appl_cp_pct * interval_s) FILTER (workload = 'CICS') / sum(appl_cp_pct * interval_s)
        FROM rmf_workload_activity WHERE class_kind = 'service_class_period'
        """,
    )
    assert section(page, "workloads").finding.startswith(f"CICS used {share:.0f}% of the general processor time")


def test_overflow(page: LakePage, lake: OpenLake):
    (worst,) = one_row(
        lake,
        """
        SELECT 100 * sum(appl_iipcp_pct) / sum(appl_iipcp_pct + appl_iip_pct) AS pct
        FROM rmf_workload_activity WHERE class_kind = 'service_class_period'
        GROUP BY CAST(interval_start AS DATE) ORDER BY pct DESC LIMIT 1
        """,
    )
    assert section(page, "overflow").finding.startswith(f"Most: {worst:.1f}% of the eligible time of SHPA,SHPB")
    (told,) = happened(page, "overflow")
    assert " of the zIIP-eligible time ran on general processors on Mon 19 Oct, " in told.sentence


def test_facilities(page: LakePage, lake: OpenLake):
    worst, name, at = one_row(
        lake,
        "SELECT utilization_pct, cf_name, interval_start FROM rmf_cf_usage ORDER BY utilization_pct DESC, interval_start LIMIT 1",
    )
    missing = one_row(
        lake,
        """
        SELECT min(interval_start), max(interval_end) FROM rmf_cf_usage
        WHERE interval_start NOT IN (SELECT interval_start FROM rmf_cf_usage WHERE cf_name = 'CF01')
        """,
    )
    assert missing[0] == MONDAY.replace(hour=10)
    assert (
        f"CF01 has no report from Mon 19 Oct, 10:00 to {missing[1] + dt.timedelta(seconds=1):%H:%M}"
        in section(page, "facilities").finding
    )
    assert f"Busiest: {name}, {worst:.1f}% on Mon {at.day} Oct, {at:%H:%M}." in section(page, "facilities").finding
    (told,) = happened(page, "facilities")
    assert "120 minutes" in told.sentence
    assert told.new


def test_structures_and_contention(page: LakePage, lake: OpenLake):
    most, name = one_row(
        lake,
        """
        SELECT sum(requests_per_s) AS rate, any_value(cf_name || ' ' || structure_name)
        FROM rmf_cf_structure_activity WHERE is_total IS NOT TRUE
        GROUP BY cf_name, structure_name, interval_start ORDER BY rate DESC LIMIT 1
        """,
    )
    assert section(page, "structures").finding.startswith(f"Most requests: {name}, {most:,.0f} per second")
    (worst,) = one_row(
        lake,
        """
        SELECT 100 * sum(contention_total) / sum(contention_requests) AS pct
        FROM rmf_cf_structure_activity WHERE is_total IS NOT TRUE AND contention_requests > 0
        GROUP BY structure_name, interval_start ORDER BY pct DESC LIMIT 1
        """,
    )
    assert f", {worst:.2f}% of its lock requests" in section(page, "contention").finding
    # 0.6% is below the limit of 2%.
    assert not happened(page, "contention")


def test_paths(page: LakePage, lake: OpenLake):
    (busy,) = one_row(lake, "SELECT coalesce(sum(busy), 0) + coalesce(sum(buffers_unavailable), 0) FROM rmf_xcf_path")
    assert busy == 0
    assert section(page, "paths").finding == "No signal found a path busy or without a buffer, on 4 paths."


def test_pools(page: LakePage, lake: OpenLake):
    counter = "sum(quantity) FILTER (counter = '{}')"
    (hit,) = one_row(
        lake,
        f"""
        SELECT 100 * (1 - {counter.format("SYNCHRONOUS READS")} / {counter.format("GETPAGE REQUEST")}) AS hit
        FROM db2_statistics_counter WHERE object = 'BP1' AND block NOT LIKE 'GROUP%' AND is_total IS NOT TRUE
        GROUP BY begin_at ORDER BY hit LIMIT 1
        """,
    )
    assert f"Least: DSNSHOP BP1, {hit:.1f}% of its getpages" in section(page, "pools").finding


def test_threads(page: LakePage, lake: OpenLake):
    (least,) = one_row(
        lake,
        """
        SELECT 100 * thread_reuses / (thread_reuses + thread_creates) AS pct FROM cics_db2entry_request
        WHERE is_total IS NOT TRUE AND collection = 'interval' ORDER BY pct LIMIT 1
        """,
    )
    assert f"{least:.2f}%" in section(page, "threads").finding
    assert section(page, "threads").finding.startswith("No request waited for a thread.")


def test_response(page: LakePage, lake: OpenLake):
    """The bucket that 90% of a day reach, of counts added over its hours."""
    (slowest,) = one_row(
        lake,
        """
        SELECT max(p90) FROM (
            SELECT day, min(upper_bound_s) FILTER (reached >= 0.9 * total) AS p90 FROM (
                SELECT day, upper_bound_s, sum(ended) OVER (PARTITION BY day ORDER BY upper_bound_s NULLS LAST) AS reached,
                    sum(ended) OVER (PARTITION BY day) AS total
                FROM (
                    SELECT CAST(interval_start AS DATE) AS day, upper_bound_s, sum(transactions) AS ended
                    FROM rmf_response_time_distribution WHERE service_class = 'CICSHI' GROUP BY ALL
                )
            ) GROUP BY day
        )
        """,
    )
    assert section(page, "response").finding.startswith(f"Slowest: 90% of CICSHI ended within {1000 * slowest:,.0f} ms")


def test_coverage(page: LakePage, lake: OpenLake):
    (days,) = one_row(
        lake,
        """
        SELECT count(*) FROM (
            SELECT DISTINCT system, CAST(interval_start AS DATE) FROM rmf_cpu_activity
        )
        """,
    )
    rows = section(page, "coverage").rows
    assert sum(report == "CPU Activity" for report in rows.of("report")) == days == 32
    # Of the systems CPU Activity, Partition Data and XCF Activity; of the sysplex, the regions and the member the others.
    assert section(page, "coverage").finding == f"No gaps in {len(rows)} days of reports."


# --- Other lakes ------------------------------------------------------------------------------------------------------


def test_a_day_of_the_past_has_only_what_was_printed_until_then(lake: OpenLake):
    page = lake_page(lake, Wanted(3, dt.date(2026, 10, 12)))
    assert (page.first_day, page.last_day) == (dt.date(2026, 10, 10), dt.date(2026, 10, 12))
    assert all(0 <= s < 3 * 86_400 for one in page.sections for c, values in zip(one.rows.columns, one.rows.values, strict=True) if c.kind == "time" for s in values)  # fmt: skip
    assert not happened(page, "cost")
    # The four hours before the first are of the day before, which the lake has.
    assert None not in section(page, "msu").rows.of("rolling_msu")


def test_of_one_day_nothing_is_new(lake: OpenLake):
    page = lake_page(lake, Wanted(1))
    assert page.first_day == page.last_day
    assert page.happened
    assert not any(one.new for one in page.happened)
    count = len(page.happened)
    assert render(page).heading == f"Mon 19 Oct 2026: {count} things to look at"
    assert any(one.new for one in lake_page(lake, Wanted(2)).happened)


def test_days_that_the_lake_has_not_are_no_empty_lake(lake: OpenLake):
    page = lake_page(lake, Wanted(30, dt.date(2025, 1, 1)))
    assert page.unknown == ("No report of the lake is of these days: it has 2026-10-04 to 2026-10-19.",)
    assert render(page).heading == "This lake has no printed intervals of these days"


def test_a_silent_system_is_told_first_of_what_is_missing(reports: Path, tmp_path: Path):
    """SHPB prints no CPU Activity after the outage."""
    kept = [str(p) for p in reports.glob("*cpu_activity.txt") if p.name != "facility_up_shpb_cpu_activity.txt"]
    ingest(kept, tmp_path / "lake", Options())
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    (told,) = happened(page, "coverage")
    assert (
        told.sentence == "No CPU Activity of SHPB since Mon 19 Oct, 11:59, while others have it."
        or "12:00" in told.sentence
    )
    assert told.select.system == "SHPB"
    assert told.new


def test_days_without_a_report_are_missing_and_not_zero(reports: Path, tmp_path: Path):
    """Without the files of release 8 there is nothing from 13 October to the outage."""
    kept = [str(p) for p in reports.glob("*shpa_cpu_activity.txt") if not p.name.startswith("release_8")]
    ingest(kept, tmp_path / "lake", Options())
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    rows = section(page, "coverage").rows
    assert [
        m for d, m in zip(rows.of("day"), rows.of("missing_pct"), strict=True) if 9 * 86_400 <= d < 15 * 86_400
    ] == [100.0] * 6
    hours = section(page, "systems").rows.of("hour_start")
    assert not [h for h in hours if 9 * 86_400 <= h < 15 * 86_400]


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


def test_one_interval_is_a_page(tmp_path: Path):
    ingest([str(next((ROOT / "sample_reports/rmf_cpu_activity").glob("*.txt")))], tmp_path / "lake", Options())
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    assert {one.id for one in page.sections} >= {"coverage"}
    facts_json(page)


def test_facts_as_json_are_those_of_the_page(page: LakePage):
    told = json.loads(facts_json(page))
    assert told["axis_start"] == "2026-10-04T00:00:00"
    assert [one["sentence"] for one in told["happened"]] == [one.sentence for one in page.happened]
    assert told["sections"][0]["rows"]["columns"][1]["name"] == "rolling_msu"
    assert told["sections"][0]["rows"]["values"][1] == section(page, "msu").rows.of("rolling_msu")


def test_json_has_no_word_for_what_is_not_a_number(page: LakePage):
    from dataclasses import replace

    from ironlake.dashboards.lake_page.contract import Column, Rows

    broken = replace(page.sections[0], rows=Rows((Column("x", "X"),), ([float("nan")],)))
    with pytest.raises(ValueError, match="JSON"):
        facts_json(replace(page, sections=(broken,)))


# --- Names and times ----------------------------------------------------------------------------------------------------


def test_names_with_markup_are_names(lake: OpenLake):
    name = "<b>&\"'"
    row = heading(dt.datetime(2026, 10, 19, 10), 900) | {
        "class_kind": "service_class_period",
        "period": 1,
        "service_class": name,
    }
    goal = row | {
        "system": "*ALL",
        "is_total": True,
        "goal_type": "velocity",
        "goal_pct": 50.0,
        "performance_index": 2.5,
    }
    answering = Answering(
        rmf_workload_activity=[row | {"transactions_ended": 5, "workload": "W", "importance": 1}],
        rmf_workload_goal=[goal],
    )
    asked = Asked(answering, dt.date(2026, 10, 19), dt.date(2026, 10, 19), calendar_of(lake.path, lake.state))
    found = goals(asked)
    (told,) = found.happened
    assert told.happened.sentence.startswith(f"{name} on PLEX1 missed its goal in 1 of 1 interval")
    assert told.happened.select.class_name == name
    assert found.sections[0].rows.of("service_class") == [name]
    assert found.sections[0].rows.of("hour_start") == [10 * 3600]


# --- What is missing ----------------------------------------------------------------------------------------------------


def coverage_of(lake: OpenLake, counts: Mapping[dt.date, int]) -> Section:
    """What is said of CPU Activity with so many quarters of an hour on each day, from midnight on."""
    starts = [(day - dt.date(1970, 1, 1)).days * 96 + n for day, count in counts.items() for n in range(count)]
    start = np.array(starts, np.int64) * 900_000_000
    place = Place("rmf_cpu_activity", None, "SYSA", "interval")
    calendar = Calendar(Intervals([place], np.zeros(len(start), np.int64), start, start + 900_000_000))
    (found,) = coverage(Asked(Answering(), min(counts), max(counts), calendar)).sections
    return found


def test_of_three_days_with_other_numbers_the_largest_is_usual(lake: OpenLake):
    """The last day may be a part; a quarter of the day before it is missing."""
    days = [dt.date(2026, 10, 4), dt.date(2026, 10, 5), dt.date(2026, 10, 6)]
    found = coverage_of(lake, dict(zip(days, (96, 72, 48), strict=True)))
    assert found.rows.of("usual") == [96, 96, 96]
    assert found.rows.of("missing_pct") == [0, 25, 0]
    assert found.finding == "1 day of a report incomplete, of 3."
    found = coverage_of(lake, dict(zip(days, (96, 48, 48), strict=True)))
    assert found.rows.of("usual") == [48, 48, 48]
    assert found.finding == "No gaps in 3 days of reports."
    assert coverage_of(lake, {days[0]: 96}).finding == "No gaps in 1 day of reports."


# --- Outages of coupling facilities -----------------------------------------------------------------------------------


def facility_rows(name: str, starts: list[dt.datetime], seconds: float) -> list[Row]:
    values = {"cf_name": name, "utilization_pct": 10.0, "processors_effective": 2.0}
    rows = [heading(start, seconds) | values for start in starts]
    return [{key: value for key, value in row.items() if not key.startswith("policy")} for row in rows]


def quarters(first: dt.datetime, last: dt.datetime) -> list[dt.datetime]:
    """The starts of the quarters of an hour from one time to another."""
    return [first + n * dt.timedelta(minutes=15) for n in range((last - first) // dt.timedelta(minutes=15))]


def facilities_of(lake: OpenLake, down: list[dt.datetime], end: dt.datetime) -> tuple[str, list[Happened]]:
    """What is said of CF01 and CF02, from Monday midnight to an end; CF01 has no report of some quarters."""
    all_of = quarters(MONDAY, end)
    # Ends are printed with thousandths of a second.
    rows = facility_rows("CF01", [start for start in all_of if start not in down], 899.998)
    rows += facility_rows("CF02", all_of, 900.001)
    days = MONDAY.date(), (end - dt.timedelta(seconds=1)).date()
    asked = Asked(Answering(rmf_cf_usage=rows), *days, calendar_of(lake.path, lake.state), {"s1": "one.txt"})
    found = facilities(asked)
    return found.sections[0].finding, [one.happened for one in found.happened]


def test_a_facility_that_is_still_down_is_told(lake: OpenLake):
    end = MONDAY.replace(hour=12)
    finding, (told,) = facilities_of(lake, quarters(MONDAY.replace(hour=10), end), end)
    assert finding.startswith("CF01 has no report since Mon 19 Oct, 10:00, while others have.")
    assert told.sentence == (
        "Coupling facility CF01 of PLEX1 has printed nothing since Mon 19 Oct, 10:00, while the others did: it is down, or its pages are missing."
    )
    assert told.new
    assert told.source == "one.txt, page 1, line 10"
    # No outage where all end together.
    assert facilities_of(lake, [], end)[1] == []


def test_an_outage_is_from_the_last_report_to_the_next(lake: OpenLake):
    finding, (told,) = facilities_of(
        lake, quarters(MONDAY.replace(hour=10, minute=30), MONDAY.replace(hour=11)), MONDAY.replace(hour=12)
    )
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 10:30 to 11:00, while others have.")
    assert "printed nothing for 30 minutes from Mon 19 Oct, 10:30, while" in told.sentence


def test_an_outage_over_midnight_ends_on_a_named_day(lake: OpenLake):
    tuesday = MONDAY + dt.timedelta(days=1)
    finding, (told,) = facilities_of(
        lake, quarters(MONDAY.replace(hour=22), tuesday.replace(hour=2)), tuesday.replace(hour=4)
    )
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 22:00 to Tue 20 Oct, 02:00, while others have.")
    assert "for 240 minutes from Mon 19 Oct, 22:00" in told.sentence


# --- Damaged intervals --------------------------------------------------------------------------------------------------


def test_a_class_that_a_damaged_interval_lost_is_not_nothing(lake: OpenLake):
    """60 and 40% of an engine in the first hour; of the second, of which a line is lost, only the 60% are printed."""
    rows = [
        heading(MONDAY.replace(hour=hour), 3600, scope="SYSA", page=hour, line=hour)
        | {"class_kind": "service_class", "service_class": name, "workload": f"OF{name}"}
        | {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        for hour, name, cp in ((10, "A", 60.0), (10, "B", 40.0), (11, "A", 60.0))
    ]
    lost = {
        "report": "rmf_workload_activity",
        "what": "a line",
        "source_id": "s1",
        "source_file": "one.txt",
        "page": 11,
        "line": 11,
    }
    answering = Answering(rmf_workload_activity=rows, parse_reject=[lost])
    asked = Asked(answering, MONDAY.date(), MONDAY.date(), calendar_of(lake.path, lake.state))
    (found,) = use_by_workload(asked).sections
    assert found.finding == (
        "OFA used 60% of the general processor time of all workloads in the 1 hour of 2 in which all are known."
    )
    assert found.rows.of("workload") == ["OFA", "OFA", "OFB", "OFB"]
    assert found.rows.of("cp_engines") == [0.6, 0.6, 0.4, None]


# --- Steps of the cost ------------------------------------------------------------------------------------------------


def cost_of(lake: OpenLake, costs: Mapping[str, list[float]]) -> tuple[Section, list[Happened]]:
    """What is said of classes with a cost in milliseconds on each day from Monday on: an hour of 360,000 transactions a day, on a machine of
    100 MSU a processor."""
    days = max(map(len, costs.values()))
    hours = [MONDAY.replace(hour=10) + dt.timedelta(days=n) for n in range(days)]
    # 360,000 transactions of 1 ms are 360 s: 10% of an hour.
    classes = [
        heading(hours[n], 3600, scope="SYSA")
        | {"class_kind": "service_class", "service_class": name, "workload": "W", "transactions_ended": 360_000}
        | {"appl_cp_pct": 10 * ms, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        for name, values in costs.items()
        for n, ms in enumerate(values)
    ]
    machine = {"cpc_type": "8561", "cpc_model": "710", "cpc_capacity": 1000.0, "interval_s": 3600.0}
    cpus = [
        processor(0, 50.0, interval_start=hour, interval_end=hour + dt.timedelta(hours=1), **machine) for hour in hours
    ]
    answering = Answering(rmf_workload_activity=classes, rmf_cpu_activity=cpus)
    asked = Asked(answering, MONDAY.date(), hours[-1].date(), calendar_of(lake.path, lake.state))
    found = cost(asked)
    return found.sections[0], [one.happened for one in found.happened]


def test_a_step_that_was_undone_has_an_end(lake: OpenLake):
    """Two weeks of 2 ms, two of 3 ms, one of 2.1 ms: as many weekends as are needed."""
    finding, told = cost_of(lake, {"ONE": [2.0] * 14 + [3.0] * 14 + [2.1] * 7})
    assert [one.sentence.partition(")")[0] for one in told] == [
        "ONE on PLEX1: general processor time per transaction +50% from Mon 2 Nov to Sun 15 Nov (2.000 → 3.000 ms",
        "ONE on PLEX1: general processor time per transaction −30% since Mon 16 Nov (3.000 → 2.100 ms",
    ]
    # 30 MSU hours instead of 20, then 21.
    assert [" +10 MSU hours a day" in told[0].sentence, " −9 MSU hours a day" in told[1].sentence] == [True, True]
    assert finding.finding == "1 class changed; most: ONE, +50% from Mon 2 Nov to Sun 15 Nov."


def test_a_step_costs_what_it_costs_until_the_next(lake: OpenLake):
    """2, 3 and 4 ms: 20, 30 and 40 MSU hours a day."""
    _, told = cost_of(lake, {"ONE": [2.0] * 14 + [3.0] * 7 + [4.0] * 14})
    assert sorted(
        re.findall(r"(from .*?|since .*?) \(.*?, (\S+ MSU hours)", " ".join(one.sentence for one in told))
    ) == [
        ("from Mon 2 Nov to Sun 8 Nov", "+10 MSU hours"),
        ("since Mon 9 Nov", "+10 MSU hours"),
    ]


def test_what_could_not_be_looked_at_is_no_usual_range(lake: OpenLake):
    """From Monday, nine days have seven weekdays; twelve have ten."""
    few, enough = [2.0] * 9, [2.0] * 12
    said, told = cost_of(lake, {"ONE": few, "TWO": few})
    assert told == []
    assert said.finding == (
        "Steps could not be looked for: 4 days on each side are needed, and no class has more than 7 days to compare."
    )
    assert said.note.endswith("Days of the weekend are left out where a class has fewer than three weekends.")
    assert cost_of(lake, {"ONE": [2.0]})[0].finding.endswith("no class has more than 1 day to compare.")
    said, _ = cost_of(lake, {"ONE": few, "TWO": enough})
    assert said.finding == "No step: 1 class within its usual range. 1 class with too few days to look for steps."
    # Three weekends, each with weekdays around them.
    said, _ = cost_of(lake, {"ONE": [2.0] * 22})
    assert said.finding == "No step: 1 class within its usual range."
    assert said.note.endswith("Days of the weekend are compared with each other.")
    said, _ = cost_of(lake, {"ONE": [2.0] * 22, "TWO": enough})
    assert said.finding == "No step: 2 classes within their usual range."
    assert said.note.endswith("fewer than three weekends, and else compared with each other.")


# --- Files that disagree ----------------------------------------------------------------------------------------------


def test_files_with_other_values_of_one_interval_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The first digit of how busy a processor was is another in the second file."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "sample_reports/rmf_cpu_activity/cpu_two_threads.txt").read_text("utf-8")
    busy = re.search(r"^ +0 +CP +\d+\.\d\d +(\d)\d\.\d\d", text, re.MULTILINE)
    assert busy
    at = busy.start(1)
    Path("first.txt").write_text(text, "utf-8")
    Path("second.txt").write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", "utf-8")
    lake = Path("our lake")
    for name in ("first.txt", "second.txt"):
        ingest([name], lake, Options())
    with open_lake(lake) as opened:
        (told,) = [one for one in lake_page(opened, Wanted()).happened if one.measure == "files that disagree"]
        assert told.sentence == (
            "1 interval with other values in second.txt than in first.txt: remove the wrong file"
            " (look with ironlake remove first.txt --dry-run --lake 'our lake')."
        )
        assert told.section == "coverage"
        sources = opened.state.sources.values()
        (start,) = one_row(opened, "SELECT DISTINCT interval_start FROM rmf_cpu_activity")
        day = dt.datetime.combine(start, dt.time.min)
        assert find_conflict(sources, day, day + dt.timedelta(days=1)) is not None
        assert find_conflict(sources, day + dt.timedelta(days=1)) is None
        assert find_conflict(sources, end=day) is None
