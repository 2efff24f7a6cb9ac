"""Response times against load on the page of a lake: what is slower at high load, which intervals of the last day were, and Little's law."""

import datetime as dt

from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.littles_law import littles_law
from ironlake.dashboards.lake_page.facts.response_load import response_load
from lake_facts import FIRST, LAST, asked
from one_lake import Asks, share_lake
from views_lake import Row, heading


def distribution(day: int, minute: int, *counts: int) -> list[Row]:
    """Buckets to 0.5, 1 and 2 s and above, of a class period of all systems in a minute after 9."""
    start = dt.datetime.combine(FIRST, dt.time(9, minute)) + dt.timedelta(days=day)
    named = {"class_kind": "service_class_period", "workload": "W", "service_class": "ONLINE", "period": 2}
    rows, running = [], 0
    for number, (bound, count) in enumerate(zip((0.5, 1.0, 2.0, None), counts, strict=True)):
        running += count
        row = heading(start, 60, line=100 * day + 10 * minute + number) | named | {"system": None, "occurrence": 1}
        rows.append(row | {"upper_bound_s": bound, "transactions": count, "transactions_cumulative": running})
    return rows


def grown(*intervals: tuple[int, int, int, int, int, int]) -> Asks[Found]:
    """Intervals by day, minute and buckets."""
    rows = [row for each in intervals for row in distribution(*each)]
    return response_load((yield from asked(rmf_response_time_distribution=rows)))


QUICK = [(0, 1, 600, 0, 0, 0), (0, 2, 720, 0, 0, 0), (0, 3, 840, 0, 0, 0), (0, 4, 960, 0, 0, 0)]


@share_lake
def test_intervals_of_the_last_day_at_the_knee_are_told() -> Asks[None]:
    """10 to 16/s within 0.5 s; at 18 on the day before and on the last day, and at 20, one in six takes up to 1 s."""
    found = yield from grown(*QUICK, (0, 5, 900, 180, 0, 0), (1, 6, 900, 180, 0, 0), (1, 7, 1000, 200, 0, 0))
    (section,) = found.sections
    assert (
        section.finding
        == "Most: ONLINE period 2, 90% ended within 500 ms at low load and within 1,000 ms at high load, from 18.0/s on."
    )
    names = ("class_period", "load", "p90_ms", "growth", "knee_per_s", "least_per_s", "most_per_s", "intervals")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("ONLINE period 2", "Low load", 500, 2.0, 18.0, 10.0, 20.0, 7),
        ("ONLINE period 2", "High load", 1000, 2.0, 18.0, 10.0, 20.0, 7),
    ]
    (told,) = found.happened
    assert told.happened.sentence == (
        "ONLINE period 2: 90% ended within 1,000 ms at 20.0/s on Tue 3 Nov, 09:07, against 500 ms at low load; 2 intervals at 18.0/s or more,"
        " from where on it is slower."
    )
    assert (told.happened.section, told.happened.source) == ("response_load", "one.txt, page 1, line 170")


@share_lake
def test_what_takes_longer_than_the_largest_bound_is_said_so() -> Asks[None]:
    found = yield from grown(*QUICK, (1, 5, 800, 80, 0, 200), (1, 6, 900, 100, 0, 200))
    assert found.sections[0].finding == (
        "Most: ONLINE period 2, 90% ended within 500 ms at low load and later than the largest bound at high load, from 18.0/s on."
    )
    assert found.sections[0].rows.of("p90_ms") == [500, None]
    assert found.happened[0].happened.sentence.startswith(
        "ONLINE period 2: less than 90% ended within 2,000 ms at 20.0/s on Tue 3 Nov, 09:06, against 500 ms at low load; 2 intervals at 18.0/s"
    )


@share_lake
def test_without_a_knee_or_a_slow_last_day_nothing_is_told() -> Asks[None]:
    level = yield from grown(*QUICK, (1, 5, 1080, 0, 0, 0), (1, 6, 1200, 0, 0, 0))
    assert level.sections[0].finding == "At high load 90% of the transactions ended as soon as at low load."
    assert not level.happened
    assert not (
        yield from grown(*QUICK, (0, 5, 900, 180, 0, 0), (0, 6, 1000, 200, 0, 0), (1, 1, 600, 0, 0, 0))
    ).happened
    # Of the three busiest intervals, two are quick.
    quick = [(0, 4 + n, 960 + 40 * n, 0, 0, 0) for n in range(1, 5)]
    assert not (yield from grown(*QUICK, *quick, (1, 9, 1000, 200, 0, 0))).happened
    assert (yield from grown(*QUICK)) == Found()


def counted(name: str, average: float | None, rate: float, minute: int = 1, seconds: int = 60) -> Row:
    """A class whose transactions take half a second."""
    row = heading(dt.datetime.combine(LAST, dt.time(9, minute)), seconds, line=10 * minute) | {
        "class_kind": "service_class",
        "workload": "W",
    }
    return row | {"service_class": name, "transactions_avg": average, "transactions_per_s": rate, "actual_time_s": 0.5}


@share_lake
def test_classes_that_hold_littles_law_and_those_that_do_not() -> Asks[None]:
    """A minute at 4/s and three minutes at 8/s: (2 × 60 + 4 × 180) / 240 are 3.5 in the system."""
    rows = [
        counted("HOLDS", 2.0, 4.0),
        counted("HOLDS", 4.0, 8.0, 2, 180),
        counted("REGIONS", 1.0, 100.0),
        counted("UNKNOWN", None, 4.0),
    ]
    (section,) = littles_law((yield from asked(rmf_workload_activity=rows))).sections
    assert section.finding == (
        "Of 2 classes, 1 has the transactions in the system that their rate and response time give (Little's law); of the others, CPU per"
        " transaction rests on ENDED alone."
    )
    names = ("label", "counted", "in_system", "holds_pct", "verdict", "intervals")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("REGIONS", "AVG, as printed", 1.0, 0, "average is of regions", 1),
        ("REGIONS", "Rate × response time", 50.0, 0, "average is of regions", 1),
        ("HOLDS", "AVG, as printed", 3.5, 100, "holds", 2),
        ("HOLDS", "Rate × response time", 3.5, 100, "holds", 2),
    ]
    assert not section.note


@share_lake
def test_twelve_classes_are_shown_and_all_are_counted() -> Asks[None]:
    (section,) = littles_law(
        (yield from asked(rmf_workload_activity=[counted(f"C{n:02}", 2.0, 4.0) for n in range(13)]))
    ).sections
    assert (
        section.finding
        == "All 13 classes have the transactions in the system that their rate and response time give (Little's law)."
    )
    assert section.rows.of("label")[::2] == [f"C{n:02}" for n in range(12)]
    assert section.note == "The 12 of 13 classes that hold it least."
    assert littles_law((yield from asked())) == Found()
