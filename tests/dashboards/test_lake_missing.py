"""What a lake's page says of what is missing, damaged, or printed with other values."""

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from ironlake.dashboards.lake_page.contract import Happened, Section
from ironlake.dashboards.lake_page.facts.coverage import coverage
from ironlake.dashboards.lake_page.facts.facilities import facilities
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts.msu import msu
from ironlake.dashboards.lake_page.facts.systems import systems
from ironlake.dashboards.lake_page.facts.workloads import workloads
from ironlake.dashboards.lake_page.facts_json import facts_json
from ironlake.dashboards.lake_page.found import Found
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import document
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import open_lake
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.conflicts import find_conflict
from ironlake.pipeline.status.coverage import Intervals, Place
from lake_facts import MONDAY, asked, one_row
from one_lake import Asks, AsksSeveral, each
from rmf_rows import HOUR, partition, processor
from sample_pages import ROOT
from views_lake import START, Row, heading


def calendar_of(starts: Sequence[dt.datetime], seconds: int, set_back: Sequence[dt.datetime] = ()) -> Calendar:
    """Intervals of CPU Activity of SYSA, and the hours that it prints again."""
    place = Place("rmf_cpu_activity", None, "SYSA", "interval")
    start, back = (
        np.array([(at - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1) for at in times], np.int64)
        for times in (starts, set_back)
    )
    again = frozenset((place, hour) for hour in back.tolist())
    return Calendar(Intervals([place], np.zeros(len(start), np.int64), start, start + seconds * 1_000_000, again))


def coverage_of(counts: Mapping[dt.date, int]) -> Asks[Section]:
    """What is said of CPU Activity with so many quarters of an hour on each day, from midnight on."""
    starts = [
        start for day, count in counts.items() for start in quarters(dt.datetime.combine(day, dt.time.min), count)
    ]
    (found,) = coverage((yield from asked(max(counts), min(counts), calendar_of(starts, 900)))).sections
    return found


def test_of_three_days_with_other_numbers_the_largest_is_usual() -> AsksSeveral[None]:
    """The last day may be a part; a quarter of the day before it is missing."""
    days = [dt.date(2026, 10, 4), dt.date(2026, 10, 5), dt.date(2026, 10, 6)]
    counts = [(96, 72, 48), (96, 48, 48), (96,)]
    found, half, one = yield from each(*(coverage_of(dict(zip(days, of, strict=False))) for of in counts))
    assert (found.rows.of("usual"), found.rows.of("missing_pct")) == ([96, 96, 96], [0, 25, 0])
    assert found.finding == "1 day of a report incomplete, of 3."
    assert half.rows.of("usual") == [48, 48, 48]
    assert [half.finding, one.finding] == ["No gaps in 3 days of reports.", "No gaps in 1 day of reports."]


def of_places(*places: tuple[str, str, str, dt.datetime, int, int]) -> Calendar:
    """A calendar: report, system and kind, the first start, the length in minutes, and how many on end."""
    starts = [[at + n * dt.timedelta(minutes=length) for n in range(count)] for *_, at, length, count in places]
    place = np.repeat(np.arange(len(places)), [len(of) for of in starts])
    start = np.array(
        [(at - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1) for of in starts for at in of], np.int64
    )
    length = np.repeat([60_000_000 * one[4] for one in places], [len(of) for of in starts])
    return Calendar(
        Intervals(
            [Place(report, None, system, kind) for report, system, kind, *_ in places], place, start, start + length
        )
    )


def test_a_report_that_ends_before_the_others_of_its_system_is_told() -> Asks[None]:
    """40 of the day's 96 quarters: 14 hours of 24 are missing, 58%."""
    calendar = of_places(
        ("rmf_cpu_activity", "SYSA", "interval", MONDAY, 15, 96),
        ("rmf_partition_data", "SYSA", "interval", MONDAY, 15, 40),
    )
    found = coverage((yield from asked(MONDAY.date(), MONDAY.date(), calendar)))
    (page,) = found.sections
    assert page.finding == "1 report of a system ended before its other reports. 1 day of a report incomplete, of 2."
    assert dict(zip(page.rows.of("label"), page.rows.of("missing_pct"), strict=True)) == {
        "SYSA CPU Activity": 0, "SYSA Partition Data": 58
    }  # fmt: skip
    (told,) = (one.happened for one in found.happened)
    assert told.sentence == "No Partition Data of SYSA since Mon 19 Oct, 10:00, while its other reports go on."


def test_the_peak_of_a_report_that_ends_before_the_others_is_the_highest_known() -> AsksSeveral[None]:
    """Ten hours of Partition Data, the last of 400 MSU: 300 / 4 + 100 x 3 / 4. With CPU Activity of 24 hours it is not sure, of ten it is."""
    hours = [partition(4 * (n - 10), 400.0 if n == 9 else 100.0, interval_s=3600.0) for n in range(10)]
    rows = [row | {"interval_end": row["interval_start"] + HOUR} for row in hours]
    day = START.date()
    at = [START.replace(hour=n) for n in range(24)]
    cpu = [processor(0, 50.0, interval_start=h, interval_end=h + HOUR, interval_s=3600.0) for h in at]
    cases = [asked(day, day, rmf_partition_data=rows, rmf_cpu_activity=cpu[:last]) for last in (24, 10)]
    pages = [msu(one).sections[0] for one in (yield from each(*cases))]
    findings = [page.finding for page in pages]
    # Three before the first four hours are full, and fourteen without Partition Data, which are in no row.
    assert ["14 hours of a reporting month unknown" in page.note for page in pages] == [True, False]
    assert findings == [f"{words}: LPARA, 175 MSU on Tue 13 Apr, 09:00." for words in ("Highest known", "Highest")]


def test_days_that_are_missing_outside_of_those_shown_are_not_called_no_gaps() -> Asks[None]:
    """Two reports of one day, and of one 582 days before: 581 days of each are missing in between."""
    day = dt.timedelta(days=1)
    reports = [(name, "SYSA", "interval") for name in ("rmf_cpu_activity", "rmf_partition_data")]
    calendar = of_places(*((*of, at, 15, 96) for of in reports for at in (MONDAY - 582 * day, MONDAY)))
    found = coverage((yield from asked(MONDAY.date(), MONDAY.date(), calendar)))
    assert calendar.gaps(10).days_missing == 1162
    assert found.sections[0].finding == (
        "No gaps in 2 days of reports. Outside of the days shown, 1,162 days of reports are missing; ironlake status names them."
    )


def test_durations_beside_intervals_are_no_report_of_their_own_and_alone_they_are_told() -> AsksSeveral[None]:
    """Intervals of three days, durations of the three after them: three of six days lack intervals. Of durations alone nothing is judged: beside
    intervals of Db2 a card says so, else the heading of the page."""
    cpu, day = ("rmf_cpu_activity", "SYSA"), dt.timedelta(days=1)
    durations = [(*cpu, "duration", MONDAY + n * day, 1440, 1) for n in (3, 4, 5)]
    mixed = of_places((*cpu, "interval", MONDAY, 15, 3 * 96), *durations)
    last = (MONDAY + 5 * day).date()
    first, db2 = (MONDAY + 3 * day).date(), ("db2_statistics", "DB2A", "report", MONDAY + 3 * day, 15, 3 * 96)
    both, alone, beside = yield from each(
        asked(last, MONDAY.date(), mixed),
        asked(last, first, of_places(*durations)),
        asked(last, first, of_places(*durations, db2)),
    )
    (page,) = coverage(both).sections
    assert page.finding == "3 days of a report incomplete, of 6."
    found = coverage(alone)
    assert found.sections[0].finding == "No gaps in 3 days of reports."
    assert found.happened == ()
    assert [one.happened.sentence for one in coverage(beside).happened] == [
        "RMF printed durations alone, no intervals: hours, peaks and goals of these days cannot be judged."
    ]


def facility_rows(name: str, starts: list[dt.datetime], seconds: float) -> list[Row]:
    values = {"cf_name": name, "utilization_pct": 10.0, "processors_effective": 2.0}
    return [heading(start, seconds) | values for start in starts]


def quarters(first: dt.datetime, count: int) -> list[dt.datetime]:
    return [first + n * dt.timedelta(minutes=15) for n in range(count)]


def facilities_of(down: list[dt.datetime], hours: int) -> Asks[tuple[str, list[Happened]]]:
    """What is said of CF01 and CF02, of so many hours from Monday midnight on; CF01 has no report of some quarters."""
    all_of = quarters(MONDAY, 4 * hours)
    # Ends are printed with thousandths of a second.
    rows = facility_rows("CF01", [start for start in all_of if start not in down], 899.998)
    rows += facility_rows("CF02", all_of, 900.001)
    found = facilities((yield from asked(all_of[-1].date(), MONDAY.date(), rmf_cf_usage=rows)))
    return found.sections[0].finding, [one.happened for one in found.happened]


def test_an_outage_is_from_the_last_report_to_the_next_or_to_the_end() -> AsksSeveral[None]:
    """From 10:00 on; from 10:30 to 11:00; and over midnight."""
    down = [quarters(MONDAY.replace(hour=10), 8), [], quarters(MONDAY.replace(hour=10, minute=30), 2)]
    (finding, (told,)), together, half, midnight = yield from each(
        *(facilities_of(of, 12) for of in down), facilities_of(quarters(MONDAY.replace(hour=22), 16), 28)
    )
    assert finding.startswith("CF01 has no report since Mon 19 Oct, 10:00, while others have.")
    assert told.sentence == (
        "Coupling facility CF01 of PLEX1 has printed nothing since Mon 19 Oct, 10:00, while the others did: it is down, planned or not, or its pages are missing."
    )
    assert told.new
    assert told.source == "one.txt, page 1, line 10"
    # No outage where all end together.
    assert together[1] == []
    finding, (told,) = half
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 10:30 to 11:00, while others have.")
    assert "printed nothing for 30 minutes from Mon 19 Oct, 10:30, while" in told.sentence
    finding, (told,) = midnight
    assert finding.startswith("CF01 has no report from Mon 19 Oct, 22:00 to Tue 20 Oct, 02:00, while others have.")
    assert "for 240 minutes from Mon 19 Oct, 22:00" in told.sentence


def test_a_class_that_a_damaged_interval_lost_is_not_nothing() -> Asks[None]:
    """60 and 40% of an engine in the first hour; of the second, of which a line is lost, only the 60% are printed."""
    rows = [
        heading(MONDAY.replace(hour=hour), 3600, scope="SYSA", page=hour, line=hour)
        | {"class_kind": "service_class", "service_class": name, "workload": f"OF{name}"}
        | {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        for hour, name, cp in ((10, "A", 60.0), (10, "B", 40.0), (11, "A", 60.0))
    ]
    lost: Row = {"report": "rmf_workload_activity", "what": "a line", "source_id": "s1", "source_file": "one.txt"}
    lost |= {"page": 11, "line": 11}
    asking = yield from asked(MONDAY.date(), MONDAY.date(), rmf_workload_activity=rows, parse_reject=[lost])
    (found,) = workloads(asking).sections
    assert found.finding == (
        "OFA used 60% of the general processor time of all workloads in the 1 hour of 2 in which all are known."
    )
    assert found.rows.of("workload") == ["OFA", "OFA", "OFB", "OFB"]
    assert found.rows.of("cp_engines") == [0.6, 0.6, 0.4, None]


def test_work_counts_once_beside_the_pages_of_one_system() -> Asks[None]:
    """B of SYSA alone, 100% of an engine, and W of SYSB alone, 90%, on the sysplex's page and on SYSA's: B used 100 of 190, 52.6%, not 200 of 290.
    Two goals."""
    pages = [
        heading(MONDAY.replace(hour=10), 3600, scope=scope, source_id=source, source_file=f"{source}.txt", line=line)
        | {
            "class_kind": "service_class_period", "period": 1, "service_class": name, "workload": f"OF{name}",
            "importance": 2,
        }
        | {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "transactions_ended": ended}
        for source, scope, line, name, cp, ended in (
            *(("s1", "SYSA,SYSB", 1, "B", 100.0, 360_000), ("s1", "SYSA,SYSB", 2, "W", 90.0, 3_240_000)),
            *(("s2", "SYSA", 1, "B", 100.0, 360_000), ("s2", "SYSA", 2, "W", 0.0, 0)),
        )
    ]  # fmt: skip
    printed = {*heading(), "class_kind", "period", "service_class", "workload"}
    goal = {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 50.0, "performance_index": 0.8}
    of_goals = [{name: row[name] for name in printed & {*row}} | goal for row in pages]
    asking = yield from asked(MONDAY.date(), MONDAY.date(), rmf_workload_activity=pages, rmf_workload_goal=of_goals)
    (found,) = workloads(asking).sections
    assert found.finding == "OFB used 53% of the general processor time of all workloads."
    assert found.rows.of("scope") == ["SYSA,SYSB"] * 2
    assert goals(asking).sections[0].finding == "All 2 goals met in every interval."


def of_damage(*rejects: Row, results: Sequence[Row] = ()) -> Asks[Found]:
    """What is said of Monday and Tuesday; pages 1 to 3 of the file are of SYSA on Sunday, Monday and Tuesday, page 5 of SYSB on Tuesday."""
    pages = ((1, -1, "SYSA"), (2, 0, "SYSA"), (3, 1, "SYSA"), (5, 1, "SYSB"))
    cpus = [
        processor(0, 50.0, system=system, page=page, line=10 * page, interval_s=3600.0)
        | {"interval_start": MONDAY + dt.timedelta(days=day), "interval_end": MONDAY + dt.timedelta(days=day, hours=1)}
        for page, day, system in pages
    ]
    days = [MONDAY, MONDAY + dt.timedelta(days=1)]
    rows = {"rmf_cpu_activity": cpus, "parse_reject": list(rejects), "quality_result": list(results)}
    return coverage((yield from asked(days[1].date(), days[0].date(), calendar_of(days, 3600), **rows)))


def reject(page: int, line: int = 5) -> Row:
    return (
        {"report": "rmf_cpu_activity", "what": "a line"}
        | {"source_id": "s1", "source_file": "one.txt"}
        | {"page": page, "line": line}
    )


def test_lines_that_could_not_be_read_are_told_of_their_days_and_systems() -> AsksSeveral[None]:
    """Page 4 has no rows: it lies between pages of Tuesday. Page 9 may be of any day."""
    found, of_another_day = yield from each(
        of_damage(reject(1), reject(2), reject(2, 6), reject(4), reject(9)), of_damage(reject(1))
    )
    ending = "3 lines or values could not be read, on 2 pages of SYSA on Mon 19 Oct and Tue 20 Oct."
    assert found.sections[0].note.endswith(ending)
    # Those of another day are no matter of these.
    assert "could not be read" not in of_another_day.sections[0].note


def test_impossible_values_are_told_of_their_days_and_systems() -> AsksSeveral[None]:
    bad = {"rule": "r", "table": "rmf_cpu_activity", "severity": "error", "rows": 1, "source_id": "s1", "line": 50}
    warned = bad | {"severity": "warn"}
    results = [bad | {"page": 1}], [bad | {"page": 5}, warned | {"page": 5}], [warned | {"page": 2}]
    of_another_day, found, suspect = yield from each(*(of_damage(results=of) for of in results))
    assert of_another_day.happened == ()
    (told,) = found.happened
    assert (
        told.happened.sentence
        == "1 page with impossible values, of SYSB on Tue 20 Oct: do not trust what rests on them."
    )
    assert (told.happened.select.from_s, told.happened.select.to_s) == (86_400, 2 * 86_400)
    assert told.happened.source == "one.txt, page 5, line 50"
    assert suspect.happened == ()
    assert suspect.sections[0].note.endswith("1 page with values that do not fit, of SYSA on Mon 19 Oct.")


def test_files_that_disagree_and_those_of_which_nothing_could_be_read_are_told(tmp_path: Path):
    """The first digit of how busy a processor was is another in the second file; a third has a title of the report, and nothing below it that
    could be read. All and the lake are given with their folder, which the page does not name."""
    text = (ROOT / "sample_reports/rmf_cpu_activity/cpu_two_threads.txt").read_text("utf-8")
    busy = re.search(r"^ +0 +CP +\d+\.\d\d +(\d)\d\.\d\d", text, re.MULTILINE)
    assert busy
    at = busy.start(1)
    title = next(line for line in text.splitlines() if "C P U" in line)
    other = f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
    lake = tmp_path / "our lake"
    for name, page in (("first.txt", text), ("second.txt", other), ("bad.txt", f"{title}\n lost\n")):
        (tmp_path / name).write_text(page, "utf-8")
        ingest([str(tmp_path / name)], lake, Options(), jobs=1)
    with open_lake(lake) as opened:
        page = lake_page(opened, Wanted())
        assert str(tmp_path) not in document(page)
        # One interval is a page.
        assert json.loads(facts_json(page))["first_day"] == "2024-05-14"
        note = next(one for one in page.sections if one.id == "coverage").note
        assert "Of 1 file of the lake no row could be read" in note
        (told,) = [one for one in page.happened if one.measure == "files that disagree"]
        assert told.sentence == (
            "1 interval with other values in second.txt than in first.txt (CPU Activity of MVSA on Tue 14 May): remove the wrong file."
        )
        assert told.action == "ironlake remove first.txt --dry-run --lake 'our lake'"
        assert told.section == "coverage"
        sources = opened.state.sources.values()
        (start,) = one_row(opened, "SELECT DISTINCT interval_start FROM rmf_cpu_activity")
        day = dt.datetime.combine(start, dt.time.min)
        assert find_conflict(sources, day, day + dt.timedelta(days=1)) is not None
        assert find_conflict(sources, day + dt.timedelta(days=1)) is None
        assert find_conflict(sources, end=day) is None


def test_an_hour_that_is_printed_twice_is_neither_doubled_nor_silent() -> Asks[None]:
    """Without an offset: 02:00 to 03:00 of 50% twice, before and after the clock was set back, the second time of 70%."""
    night = dt.datetime(2026, 10, 25)
    hours = ((1, 50.0), (2, 50.0), (2, 70.0), (3, 50.0))
    cpus = [
        processor(0, busy, interval_s=3600.0, page=page, line=10 * page)
        | {"interval_start": night.replace(hour=hour), "interval_end": night.replace(hour=hour + 1)}
        for page, (hour, busy) in enumerate(hours, 1)
    ]
    days, starts = (night.date(), night.date()), [night.replace(hour=n) for n in (1, 2, 3)]
    asking = yield from asked(*days, calendar_of(starts, 3600, [night.replace(hour=2)]), rmf_cpu_activity=cpus)
    (section,) = systems(asking).sections
    assert section.rows.of("cp_engines") == [0.5, None, 0.5]
    (told,) = coverage(asking).unknown
    assert told.startswith(
        "The hour from Sun 25 Oct, 02:00 of SYSA: it is printed twice, as where the clock is set back."
    )
    once = [cpus[0], cpus[1], cpus[3]]
    assert coverage((yield from asked(*days, calendar_of(starts, 3600), rmf_cpu_activity=once))).unknown == ()
