"""What a lake's page says of what is missing, damaged, or printed with other values."""

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from answering import Answering
from ironlake.dashboards.lake_page.contract import Happened, Section
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.coupling import facilities
from ironlake.dashboards.lake_page.facts.coverage import coverage
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.processor_use import use_by_system, use_by_workload
from ironlake.dashboards.lake_page.facts_json import facts_json
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import document
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import open_lake
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.conflicts import find_conflict
from ironlake.pipeline.status.coverage import Intervals, Place
from lake_facts import MONDAY, one_row
from rmf_rows import processor
from sample_pages import ROOT
from views_lake import Row, heading

# --- What is missing ----------------------------------------------------------------------------------------------------


def coverage_of(counts: Mapping[dt.date, int]) -> Section:
    """What is said of CPU Activity with so many quarters of an hour on each day, from midnight on."""
    starts = [(day - dt.date(1970, 1, 1)).days * 96 + n for day, count in counts.items() for n in range(count)]
    start = np.array(starts, np.int64) * 900_000_000
    place = Place("rmf_cpu_activity", None, "SYSA", "interval")
    calendar = Calendar(Intervals([place], np.zeros(len(start), np.int64), start, start + 900_000_000))
    (found,) = coverage(Asked(Answering(), min(counts), max(counts), calendar)).sections
    return found


def test_of_three_days_with_other_numbers_the_largest_is_usual():
    """The last day may be a part; a quarter of the day before it is missing."""
    days = [dt.date(2026, 10, 4), dt.date(2026, 10, 5), dt.date(2026, 10, 6)]
    found = coverage_of(dict(zip(days, (96, 72, 48), strict=True)))
    assert found.rows.of("usual") == [96, 96, 96]
    assert found.rows.of("missing_pct") == [0, 25, 0]
    assert found.finding == "1 day of a report incomplete, of 3."
    found = coverage_of(dict(zip(days, (96, 48, 48), strict=True)))
    assert found.rows.of("usual") == [48, 48, 48]
    assert found.finding == "No gaps in 3 days of reports."
    assert coverage_of({days[0]: 96}).finding == "No gaps in 1 day of reports."


# --- Outages of coupling facilities -----------------------------------------------------------------------------------


def facility_rows(name: str, starts: list[dt.datetime], seconds: float) -> list[Row]:
    values = {"cf_name": name, "utilization_pct": 10.0, "processors_effective": 2.0}
    rows = [heading(start, seconds) | values for start in starts]
    return [{key: value for key, value in row.items() if not key.startswith("policy")} for row in rows]


def quarters(first: dt.datetime, last: dt.datetime) -> list[dt.datetime]:
    """The starts of the quarters of an hour from one time to another."""
    return [first + n * dt.timedelta(minutes=15) for n in range((last - first) // dt.timedelta(minutes=15))]


def facilities_of(down: list[dt.datetime], end: dt.datetime) -> tuple[str, list[Happened]]:
    """What is said of CF01 and CF02, from Monday midnight to an end; CF01 has no report of some quarters."""
    all_of = quarters(MONDAY, end)
    # Ends are printed with thousandths of a second.
    rows = facility_rows("CF01", [start for start in all_of if start not in down], 899.998)
    rows += facility_rows("CF02", all_of, 900.001)
    days = MONDAY.date(), (end - dt.timedelta(seconds=1)).date()
    asked = Asked(Answering(rmf_cf_usage=rows), *days, Calendar(Intervals.none()), {"s1": "one.txt"})
    found = facilities(asked)
    return found.sections[0].finding, [one.happened for one in found.happened]


def test_a_facility_that_is_still_down_is_told():
    end = MONDAY.replace(hour=12)
    finding, (told,) = facilities_of(quarters(MONDAY.replace(hour=10), end), end)
    assert finding.startswith("CF01 has no report since Mon 19 Oct, 10:00, while others have.")
    assert told.sentence == (
        "Coupling facility CF01 of PLEX1 has printed nothing since Mon 19 Oct, 10:00, while the others did: it is down, or its pages are missing."
    )
    assert told.new
    assert told.source == "one.txt, page 1, line 10"
    # No outage where all end together.
    assert facilities_of([], end)[1] == []


def test_an_outage_is_from_the_last_report_to_the_next():
    finding, (told,) = facilities_of(
        quarters(MONDAY.replace(hour=10, minute=30), MONDAY.replace(hour=11)), MONDAY.replace(hour=12)
    )
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 10:30 to 11:00, while others have.")
    assert "printed nothing for 30 minutes from Mon 19 Oct, 10:30, while" in told.sentence


def test_an_outage_over_midnight_ends_on_a_named_day():
    tuesday = MONDAY + dt.timedelta(days=1)
    finding, (told,) = facilities_of(
        quarters(MONDAY.replace(hour=22), tuesday.replace(hour=2)), tuesday.replace(hour=4)
    )
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 22:00 to Tue 20 Oct, 02:00, while others have.")
    assert "for 240 minutes from Mon 19 Oct, 22:00" in told.sentence


# --- Damaged intervals --------------------------------------------------------------------------------------------------


def test_a_class_that_a_damaged_interval_lost_is_not_nothing():
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
    asked = Asked(answering, MONDAY.date(), MONDAY.date(), Calendar(Intervals.none()))
    (found,) = use_by_workload(asked).sections
    assert found.finding == (
        "OFA used 60% of the general processor time of all workloads in the 1 hour of 2 in which all are known."
    )
    assert found.rows.of("workload") == ["OFA", "OFA", "OFB", "OFB"]
    assert found.rows.of("cp_engines") == [0.6, 0.6, 0.4, None]


def of_damage(rejects: list[Row], results: list[Row] = ()) -> Found:  # type: ignore[assignment]
    """What is said of Monday and Tuesday; pages 1 to 3 of the file are of SYSA on Sunday, Monday and Tuesday, page 5 of SYSB on Tuesday."""
    pages = ((1, -1, "SYSA"), (2, 0, "SYSA"), (3, 1, "SYSA"), (5, 1, "SYSB"))
    cpus = [
        processor(0, 50.0, system=system, page=page, line=10 * page, interval_s=3600.0)
        | {"interval_start": MONDAY + dt.timedelta(days=day), "interval_end": MONDAY + dt.timedelta(days=day, hours=1)}
        for page, day, system in pages
    ]
    answering = Answering(rmf_cpu_activity=cpus, parse_reject=rejects, quality_result=list(results))
    days = [MONDAY.date(), MONDAY.date() + dt.timedelta(days=1)]
    start = np.array([(day - dt.date(1970, 1, 1)).days * 86_400_000_000 for day in days], np.int64)
    calendar = Calendar(
        Intervals(
            [Place("rmf_cpu_activity", None, "SYSA", "interval")], np.zeros(2, np.int64), start, start + 3_600_000_000
        )
    )
    return coverage(Asked(answering, days[0], days[1], calendar, {"s1": "one.txt"}))


def reject(page: int, line: int = 5) -> Row:
    return (
        {"report": "rmf_cpu_activity", "what": "a line"}
        | {"source_id": "s1", "source_file": "one.txt"}
        | {"page": page, "line": line}
    )


def test_lines_that_could_not_be_read_are_told_of_their_days_and_systems():
    """Page 4 has no rows: it lies between pages of Tuesday. Page 9 may be of any day."""
    note = of_damage([reject(1), reject(2), reject(2, 6), reject(4), reject(9)]).sections[0].note
    assert note.endswith("3 lines or values could not be read, on 2 pages of SYSA on Mon 19 Oct and Tue 20 Oct.")
    # Those of another day are no matter of these.
    assert "could not be read" not in of_damage([reject(1)]).sections[0].note


def test_impossible_values_are_told_of_their_days_and_systems():
    bad = {"rule": "r", "table": "rmf_cpu_activity", "severity": "error", "rows": 1, "source_id": "s1", "line": 50}
    assert of_damage([], [bad | {"page": 1}]).happened == ()
    (told,) = of_damage([], [bad | {"page": 5}, bad | {"page": 5, "severity": "warn"}]).happened
    assert (
        told.happened.sentence
        == "1 page with impossible values, of SYSB on Tue 20 Oct: do not trust what rests on them."
    )
    assert (told.happened.select.from_s, told.happened.select.to_s) == (86_400, 2 * 86_400)
    assert told.happened.source == "one.txt, page 5, line 50"
    suspect = of_damage([], [bad | {"page": 2, "severity": "warn"}])
    assert suspect.happened == ()
    assert suspect.sections[0].note.endswith("1 page with values that do not fit, of SYSA on Mon 19 Oct.")


def test_a_file_of_which_nothing_could_be_read_is_told_without_a_day(tmp_path: Path):
    """A title of the report, and nothing below it that could be read."""
    text = (ROOT / "sample_reports/rmf_cpu_activity/cpu_two_threads.txt").read_text("utf-8")
    title = next(line for line in text.splitlines() if "C P U" in line)
    (tmp_path / "good.txt").write_text(text, "utf-8")
    (tmp_path / "bad.txt").write_text(f"{title}\n lost\n", "utf-8")
    ingest([str(tmp_path / "good.txt"), str(tmp_path / "bad.txt")], tmp_path / "lake", Options(), jobs=1)
    with open_lake(tmp_path / "lake") as lake:
        page = lake_page(lake, Wanted())
    # One interval is a page.
    assert json.loads(facts_json(page))["first_day"] == "2024-05-14"
    note = next(one for one in page.sections if one.id == "coverage").note
    assert "Of 1 file of the lake no row could be read" in note


# --- Files that disagree ----------------------------------------------------------------------------------------------


def test_files_with_other_values_of_one_interval_are_told(tmp_path: Path):
    """The first digit of how busy a processor was is another in the second file. Both and the lake are given with their folder, which the
    page does not name."""
    text = (ROOT / "sample_reports/rmf_cpu_activity/cpu_two_threads.txt").read_text("utf-8")
    busy = re.search(r"^ +0 +CP +\d+\.\d\d +(\d)\d\.\d\d", text, re.MULTILINE)
    assert busy
    at = busy.start(1)
    first, second, lake = tmp_path / "first.txt", tmp_path / "second.txt", tmp_path / "our lake"
    first.write_text(text, "utf-8")
    second.write_text(f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}", "utf-8")
    for name in (first, second):
        ingest([str(name)], lake, Options(), jobs=1)
    with open_lake(lake) as opened:
        page = lake_page(opened, Wanted())
        assert str(tmp_path) not in document(page)
        (told,) = [one for one in page.happened if one.measure == "files that disagree"]
        assert told.sentence == (
            "1 interval with other values in second.txt than in first.txt (CPU Activity of MVSA on Tue 14 May): remove the wrong file"
            " (look with ironlake remove first.txt --dry-run --lake 'our lake')."
        )
        assert told.section == "coverage"
        sources = opened.state.sources.values()
        (start,) = one_row(opened, "SELECT DISTINCT interval_start FROM rmf_cpu_activity")
        day = dt.datetime.combine(start, dt.time.min)
        assert find_conflict(sources, day, day + dt.timedelta(days=1)) is not None
        assert find_conflict(sources, day + dt.timedelta(days=1)) is None
        assert find_conflict(sources, end=day) is None


# --- The clock is set back ----------------------------------------------------------------------------------------------


def test_an_hour_that_is_printed_twice_is_neither_doubled_nor_silent():
    """Without an offset: 02:00 to 03:00 of 50% twice, before and after the clock was set back, the second time of 70%."""
    night = dt.datetime(2026, 10, 25)
    hours = ((1, 50.0), (2, 50.0), (2, 70.0), (3, 50.0))
    cpus = [
        processor(0, busy, interval_s=3600.0, page=page, line=10 * page)
        | {"interval_start": night.replace(hour=hour), "interval_end": night.replace(hour=hour + 1)}
        for page, (hour, busy) in enumerate(hours, 1)
    ]
    asked = Asked(Answering(rmf_cpu_activity=cpus), night.date(), night.date(), Calendar(Intervals.none()))
    (section,) = use_by_system(asked).sections
    assert section.rows.of("cp_engines") == [0.5, None, 0.5]
    start = np.array(
        [int((night - dt.datetime(1970, 1, 1)).total_seconds()) * 1_000_000 + n * 3_600_000_000 for n in (1, 2, 3)]
    )
    place = Place("rmf_cpu_activity", None, "SYSA", "interval")
    calendar = Calendar(Intervals([place], np.zeros(3, np.int64), start, start + 3_600_000_000))
    (told,) = coverage(replace(asked, calendar=calendar)).unknown
    assert told.startswith(
        "The hour from Sun 25 Oct, 02:00 of SYSA: it is printed twice, as where the clock is set back."
    )
    once = replace(asked, lake=Answering(rmf_cpu_activity=[cpus[0], cpus[1], cpus[3]]), calendar=calendar)
    assert coverage(once).unknown == ()
