"""What the pictures of a lake page show of rows whose numbers are worked by hand, and of rows that are odd."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from ironlake.dashboards.charts.chart import Chart as Drawn
from ironlake.dashboards.charts.chart import Value
from ironlake.dashboards.charts.lake_pictures import Picture, picture_of, spark_of, thinned
from ironlake.dashboards.charts.svg import SPARK, svg
from ironlake.dashboards.lake_page.contract import (
    Chart,
    Column,
    Form,
    Happened,
    LakePage,
    Names,
    Rows,
    Section,
    Select,
    Series,
)
from ironlake.dashboards.lake_page.page import document

START = dt.datetime(2026, 11, 2)
DAY, HOUR = 86_400, 3_600
NAME, PART = (Column(name, name.capitalize(), kind="text") for name in ("name", "part"))
TIME = Column("start", "Start", kind="time")
VALUE = Column("value", "Value", "ms", 1)
OVER_TIME = Chart("lines", "start", "value", split="name")
WILD = '</script><img src=x onerror="alert(1)">&amp;'


def _section(chart: Chart, *columns: tuple[Column, Sequence[Any]]) -> Section:
    heads, values = zip(*columns, strict=True)
    rows = Rows(heads, tuple(map(list, values)))
    return Section(
        "one",
        "How many?",
        "So many.",
        chart,
        rows,
        {"system": "name", "time": "start"},
        group="Bill",
        short="One",
        view="v",
    )


def _drawn(chart: Chart, *columns: tuple[Column, Sequence[Any]], days: int = 1, named: Sequence[str] = ()) -> Picture:
    found = picture_of(_section(chart, *columns), START, days * DAY, named)
    assert found
    return found


def _hours(**values: Sequence[float | None]) -> list[tuple[Column, Sequence[Any]]]:
    """An hour a value, of each name."""
    every = [(name, n * HOUR, value) for name, of in values.items() for n, value in enumerate(of)]
    names, times, numbers = zip(*every, strict=True)
    return [(NAME, names), (TIME, times), (VALUE, numbers)]


def test_panels_are_the_highest_first_with_their_peak_and_limit_and_lines_end_where_nothing_is_known():
    """A: 1, unknown, 3 ms; B: 8, 9 ms of a limit of 10. The scale of both reaches 10."""
    columns = [
        *_hours(A=[1.0, None, 3.0], B=[8.0, 9.0]),
        (Column("limit", "Limit", "ms", 0), [None, None, None, 10.0, 10.0]),
    ]
    picture = _drawn(replace(OVER_TIME, limit="limit"), *columns)
    assert [(panel.chart.title, panel.words) for panel in picture.panels] == [
        ("B", "9.0 ms · Mon 2 Nov, 01:00"), ("A", "3.0 ms · Mon 2 Nov, 02:00"),
    ]  # fmt: skip
    assert {panel.chart.scale for panel in picture.panels} == {(0.0, 10.0)}
    line, limit, peak = picture.panels[0].chart.lines
    assert [(v.at, v.value) for v in limit.values] == [(0, 10.0)]
    assert [(v.at, v.value) for v in peak.values] == [(HOUR, 9.0)]
    assert [(v.at, v.value, v.breaks) for v in picture.panels[1].chart.lines[0].values] == [
        (0, 1.0, True),
        (2 * HOUR, 3.0, True),
    ]
    assert line.values[0].breaks is False
    assert "Red dashes: limit." in picture.words
    # What may be crossed is not called a limit.
    assert "Grey dashes: limit." in _drawn(replace(OVER_TIME, reference="limit"), *columns).words
    # Of hit ratios the lowest is the one to look at.
    lowest = _drawn(replace(OVER_TIME, is_lowest=True), *_hours(A=[1.0, None, 3.0], B=[8.0, 9.0]))
    assert [(panel.chart.title, panel.words[:6]) for panel in lowest.panels] == [("A", "1.0 ms"), ("B", "8.0 ms")]
    # What is saved has all values and the limit.
    assert picture.data
    assert [(line.name, len(line.values)) for line in picture.data.lines] == [("B", 2), ("B · Limit", 1), ("A", 2)]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"A": [98.0] * 24, "B": [98.0] * 24}, "Steady within 2%: 98.0 ms: A and B."),
        ({"A": [1.5]}, "One time only: 1.5 ms: A."),
        ({"A": [-1.5], "B": [None]}, "One time only: −1.5 ms: A."),
        ({"A": [0.0, None]}, "All known values are 0."),
        ({"A": [0.0, 0.0]}, "All values are 0."),
        ({"A": [None, None]}, "No value is known."),
    ],
)
def test_what_does_not_move_is_a_sentence_without_a_number_of_what_is_not_known(
    values: dict[str, list[float | None]], said: str
):
    picture = _drawn(OVER_TIME, *_hours(**values))
    assert (picture.sentence, picture.panels) == (said, ())


def test_of_many_the_panels_that_move_most_are_drawn_and_those_of_findings():
    """L0 to L19 move by 0 to 19 ms above 100 ms; L3 is what a finding is of."""
    values = {f"L{n}": [100.0, 100.0 + n, 100.0] for n in range(20)}
    picture = _drawn(OVER_TIME, *_hours(**values), named=["L3"])
    assert [panel.chart.title for panel in picture.panels] == [f"L{n}" for n in (*range(19, 8, -1), 3)]
    assert "Drawn are the 12 that move most of 17; not: L8, L7, L6, L5 and L4." in picture.words
    assert "Steady within 2%: 100.0 ms: L0; 101.0 ms: L1; 102.0 ms: L2." in picture.words

    # Eight lines in a panel.
    columns = _hours(**{f"L{n}": [n, 2.0 * n] for n in range(8)})
    of_one = _drawn(replace(OVER_TIME, split="part", series="name"), *columns, (PART, ["P"] * 16))
    assert [line.name for line in of_one.panels[0].chart.lines] == [*(f"L{n}" for n in range(2, 8)), ""]
    assert "Of up to 8 lines in a panel the 6 highest are drawn." in of_one.words


def test_no_peak_low_or_break_is_lost_where_points_share_a_place():
    values = [Value(float(n % 97), at=n * 900.0, breaks=n == 2500) for n in range(5000)]
    few = thinned(values, 5000 * 900)
    assert len(few) <= 200
    assert {max(v.value for v in few), min(v.value for v in few)} == {0.0, 96.0}
    assert sum(v.breaks for v in few) == 1
    assert thinned(values[:200], DAY) == values[:200]


def test_the_band_of_what_is_usual():
    """28 days from a Monday: 20 ms at noon, else 10 to 12; on the last Wednesday but one 50 at noon. Of 20 weekdays the middle 80% are 20 at noon."""
    usual = [20.0 if n % 24 == 12 else 10.0 + n % 3 for n in range(28 * 24)]
    usual[16 * 24 + 12] = 50.0
    picture = _drawn(OVER_TIME, *_hours(A=usual), days=28)
    (band,) = picture.panels[0].chart.lines[0].bands
    assert [most for at, _, most in band if at % DAY == 12 * HOUR] == [20.0] * 28
    assert "Shaded: what is usual" in picture.words


def test_of_many_costs_those_that_change_are_drawn_with_their_step():
    """C5 steps from 4 to 5 on the seventh day, C6 rises by 2% a day, from 4 to 4 x 1.02^11 = 4.97; the others stay."""
    lines = [
        (f"C{n}", d * DAY, cost, cost, 25.0 if (n, d) == (5, 6) else None, 2.0 if n == 6 else None)
        for n in range(8) for d in range(12) for cost in [4 * 1.02**d if n == 6 else 4.0 + (n == 5 and d >= 6)]
    ]  # fmt: skip
    columns = (NAME, TIME, VALUE, *(Column(name, name, "ms", 2) for name in ("level", "step", "drift")))
    chart = replace(OVER_TIME, level="level", change="step", drift="drift")
    picture = _drawn(chart, *zip(columns, zip(*lines, strict=True), strict=True), days=12)
    assert [(p.chart.title, p.words) for p in picture.panels] == [
        ("C5", "+25% on Sun 8 Nov"),
        ("C6", "+2% a day: 4.0 ms → 5.0 ms"),
    ]
    assert "No change in 6 more." in picture.words
    step, drift = (panel.chart for panel in picture.panels)
    assert (step.events, drift.events) == ([5.5 * DAY], [])
    # Days are dots, hollow at the weekend; a level is drawn in two parts, a drift in one.
    assert [len(line.values) for line in step.lines] == [10, 2, 12]
    assert [sum(v.breaks for v in chart.lines[-1].values) for chart in (step, drift)] == [1, 0]


@pytest.mark.parametrize("step", [HOUR, DAY])
def test_the_line_of_a_finding_fills_its_card_and_is_marked_at_its_point(step: int):
    """Five times, of which the third and fourth were told: 4 ms, three quarters of the way from the first to the last, is past the limit of 3 ms. What has
    no limit is marked in the middle."""
    rows = (NAME, ["A"] * 5), (TIME, [n * step for n in range(5)]), (VALUE, [1.0, 2.0, 1.0, 4.0, 1.0])
    told = Happened("", "", Select(from_s=2 * step, to_s=4 * step), "one", series=Series("A", limit=3))
    spark = spark_of(_section(OVER_TIME, *rows), told, START, 5 * step)
    plain = spark_of(_section(OVER_TIME, *rows), replace(told, series=Series("A")), START, 5 * step)
    assert spark
    assert plain
    assert [at / plain.span for at in plain.events] == [0.625]
    (line,) = spark.lines
    assert [value.at / spark.span for value in line.values] == [0, 0.25, 0.5, 0.75, 1]
    assert [at / spark.span for at in spark.events] == [0.75]
    assert spark.about == f"Value, Mon 2 Nov{' to Fri 6 Nov' if step == DAY else ''}; dashes: limit 3 ms"
    drawn = svg(spark, SPARK)
    assert re.findall(r'd="M([\d.]+),[^"]*?L([\d.]+),[\d.]+" fill="none"', drawn) == [("1", str(SPARK - 1))]
    assert f'd="M{1 + 0.75 * (SPARK - 2):g},' in drawn


def test_bars_are_the_largest_first_in_panels_of_one_scale():
    """X has parts of 3 and 9, of two rows the higher; Y one of 40; Z none that is known."""
    rows = (
        (NAME, ["X", "X", "X", "Y", "Z"]),
        (PART, ["P0", "P1", "P1", "P0", "P0"]),
        (VALUE, [3.0, 9.0, 2.0, 40.0, None]),
    )
    picture = _drawn(Chart("bars", "value", "part", split="name"), *rows)
    assert [(panel.chart.title, panel.chart.scale) for panel in picture.panels] == [
        ("Y", (0.0, 40.0)),
        ("X", (0.0, 40.0)),
    ]
    bars = [(row.name, row.lanes[0].words) for panel in picture.panels for row in panel.chart.rows]
    assert bars == [("P0", "40.0 ms"), ("P1", "9.0 ms"), ("P0", "3.0 ms")]
    assert _drawn(Chart("bars", "value", "name"), (NAME, ["A"]), (VALUE, [None])).sentence == "No value is known."


@pytest.mark.parametrize("form", ["heat", "strip"])
def test_cells_are_as_bad_as_their_worst_value(form: Form):
    """B is at 1 and 2, the limits, one hour each, and unknown in the fourth; A is below for two."""
    rows = [
        (NAME, ["A", "A", "B", "B", "B"]),
        (TIME, [0, HOUR, 0, HOUR, 3 * HOUR]),
        (VALUE, [0.5, 0.9, 1.0, 2.0, None]),
    ]
    chart = Chart(form, "start", "name", value="value", steps=((1.0, "missed"), (2.0, "missed badly")))
    picture = _drawn(chart, *rows)
    (panel,) = picture.panels
    assert (panel.chart.title, panel.words) == ("B", "2 of 3 hours · worst 2.0 ms, Mon 2 Nov, 01:00")
    assert [(v.series, v.turn, v.at, v.minutes) for v in panel.chart.values] == [
        ("missed: 1 ms or more", 1, 0, HOUR), ("missed badly: 2 ms or more", 2, HOUR, HOUR),
    ]  # fmt: skip
    assert "1 more has none that is “missed”. Some values of 1 of 2 are not known." in picture.words
    calm = _drawn(replace(chart, steps=((9.0, "missed"),)), *rows)
    assert calm.sentence == "None is “missed” (9 ms or more). Some values of 1 of 2 are not known."
    assert picture_of(_section(Chart("none"), *rows), START, DAY) is None


# --- Odd pages -------------------------------------------------------------------------------------------------------

CHARTS = (
    replace(OVER_TIME, limit="limit"), Chart("lines", "start", "value", series="name"), Chart("bars", "value", "name"),
    Chart("bars", "value", "name", split="name"),
    Chart("heat", "start", "name", value="value", steps=((1, WILD), (2, "x"))),
    Chart("strip", "start", "name", value="value", steps=((1, WILD),), split="name"), Chart("none"),
)  # fmt: skip


def _page(sections: Sequence[Section], names: Sequence[str], days: int = 1) -> LakePage:
    told = Happened(f"It is {WILD}; so.", WILD, Select(system=names[0]), "one_0", WILD, action=WILD)
    last = START.date() + dt.timedelta(days=days - 1)
    many = tuple(replace(one, id=f"one_{n}") for n, one in enumerate(sections))
    return LakePage(
        WILD, START, WILD, "0.1.0", START.date(), last, START, Names(systems=tuple(names)), (told,), many, (WILD,)
    )


def test_names_with_markup_stay_text():
    rows = [
        (NAME, [WILD, WILD, "=1+1"]),
        (TIME, [0, HOUR, 0]),
        (Column("value", WILD, WILD, 1), [1.5, 2.5, 3.0]),
        (Column("limit", WILD, "", 1), [4.0, 4.0, None]),
    ]
    text = document(
        _page(
            [replace(_section(chart, *rows), title=WILD, finding=WILD, note=WILD) for chart in CHARTS], [WILD, "=1+1"]
        )
    )
    assert "<img" not in text
    assert text.count(escape(WILD)[:20]) > 40


@pytest.mark.parametrize(("count", "most_kb"), [(1, 60), (5000, 120)])
def test_one_interval_and_many(count: int, most_kb: int):
    """Of quarters: one is a sentence; 5,000 are 52 days, of which each point is in the saved data."""
    rows = [
        (NAME, ["A"] * count),
        (TIME, [n * 900 for n in range(count)]),
        (VALUE, [float(n % 97) + 1 for n in range(count)]),
    ]
    days = -(-count * 900 // DAY)
    text = document(_page([_section(OVER_TIME, *rows)], ["A"], days))
    assert ("One time only: 1.0 ms: A." in text) == (count == 1)
    assert len(text) < most_kb * 1000
    picture = _drawn(OVER_TIME, *rows, days=days)
    assert sum(len(line.values) for line in (picture.data or Drawn("", "", "", "", "", (), "")).lines) == (
        0 if count == 1 else count
    )


def test_sixty_systems_of_long_names_are_less_than_two_megabytes():
    """A month of hours in 27 sections, with names of 44 characters: those that move most, and the highest hour of each."""
    names = [f"{'W' * 40}.{n:03}" for n in range(60)]
    every = [(name, n * HOUR, 50.0 + (n * (k + 7)) % (10 + k)) for k, name in enumerate(names) for n in range(720)]
    section = _section(OVER_TIME, *zip((NAME, TIME, VALUE), zip(*every, strict=True), strict=True))
    text = document(_page([section], names, 30))
    bare = document(_page([replace(section, chart=Chart("none"), rows=Rows(), filters={})], names, 30))
    assert len(bare) + 27 * (len(text) - len(bare)) < 2_000_000
    assert len(re.findall(r'<div class="panel"', text)) == 12
    assert text.count("<tr data-of=") == 60


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="column value: a value is not a number"):
        document(_page([_section(Chart("bars", "value", "name"), (NAME, ["A"]), (VALUE, [float("inf")]))], ["A"]))
