"""What the pictures of a lake page show without a script, of rows whose numbers are worked by hand."""

import datetime as dt

import pytest
from ironlake.dashboards.charts.lake_pictures import picture_of
from ironlake.dashboards.lake_page.contract import Chart, Column, Form, Rows, Section

START = dt.datetime(2026, 11, 2)
DAY, HOUR = 86_400, 3_600
NAME, PART = (Column(name, name.capitalize(), kind="text") for name in ("name", "part"))
TIME = Column("start", "Start", kind="time")


def _section(chart: Chart, *columns: tuple[Column, list]) -> Section:
    heads, values = zip(*columns, strict=True)
    return Section("one", "How many?", "So many.", chart, Rows(heads, values))


def test_lines_are_the_highest_of_a_day_and_break_where_nothing_is_known():
    """Sixty days of hours: A has the number of its day at noon, else 0, and nothing on the fourth; a sum of two rows of B, one unknown, is not known."""
    times = [day * DAY + hour * HOUR for day in range(60) for hour in (11, 12, 13)]
    a = [None if t // DAY == 3 else float(t // DAY) if t % DAY == 12 * HOUR else 0.0 for t in times]
    columns = (
        (TIME, [*times, 0, 0, DAY, DAY]),
        (NAME, ["A"] * len(times) + ["B"] * 4),
        (Column("value", "Value", "ms"), [*a, 1.0, 2.0, None, 5.0]),
    )
    chart = picture_of(
        _section(Chart("lines", "start", "value", series="name", fold="sum"), *columns), START, (0, 60 * DAY)
    )
    assert chart
    first, second = chart.lines
    # Two days a point.
    assert [v.value for v in first.values][:3] == [1.0, 2.0, 5.0]
    assert [(v.at, v.value) for v in second.values] == [(DAY, 3.0)]
    assert second.symbol is not None
    assert (chart.axis, chart.across) == ("Value (ms)", "A point is the highest of 48 hours.")
    chart = picture_of(_section(Chart("lines", "start", "value", series="name"), *columns), START, (0, 30 * DAY))
    assert chart
    assert [(v.at / DAY, v.breaks) for v in chart.lines[0].values][1:4] == [(1.5, False), (2.5, True), (4.5, False)]
    # The highest row where rows fold to their highest; one that is not known is not 0.
    assert [v.value for v in chart.lines[1].values] == [2.0, 5.0]


def test_bars_are_stacked_and_small_parts_are_added_up():
    """Of eight parts 8, 7 … 1 the three smallest together are 6; X has 36 in all and a part that is not known, Y the
    one part P0 of 40."""
    parts = [f"P{n}" for n in range(8)]
    rows = (
        (NAME, ["X"] * 8 + ["Y", "X"]),
        (PART, [*parts, "P0", "P9"]),
        (Column("value", "Value"), [*(8.0 - n for n in range(8)), 40.0, None]),
    )
    chart = picture_of(_section(Chart("bars", "value", "name", series="part"), *rows), None, (0, DAY))
    assert chart
    assert [lane.words for lane in chart.lanes] == ["40", "a part is unknown"]
    assert [(row.name, [(v.series, v.value) for v in row.lanes[0].values]) for row in chart.rows] == [
        ("Y", [("P0", 40.0)]), ("X", [*((f"P{n}", 8.0 - n) for n in range(5)), ("others", 6.0)]),
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["heat", "strip"])
def test_cells_are_as_bad_as_their_worst_value(form: Form):
    """B is at 1 and 2, the limits, one hour each; A is below for two; nothing is known of the fourth hour."""
    rows = (
        (TIME, [0, HOUR, 0, HOUR, 3 * HOUR]),
        (NAME, ["A", "A", "B", "B", "B"]),
        (Column("value", "Value", "ms"), [0.5, 0.9, 1.0, 2.0, None]),
    )
    steps = ((1.0, "missed"), (2.0, "missed badly"))
    chart = picture_of(_section(Chart(form, "start", "name", value="value", steps=steps), *rows), START, (0, 6 * HOUR))
    assert chart
    told = {row.name: [(v.series, v.turn, v.at, v.minutes) for v in row.lanes[0].values] for row in chart.rows}
    assert told == {
        "B": [("missed: 1 ms or more", 1, 0, HOUR), ("missed badly: 2 ms or more", 2, HOUR, HOUR)], "A": [("below 1 ms", 0, 0, 2 * HOUR)],
    }  # fmt: skip


def test_nothing_is_drawn_where_nothing_is_known_or_the_form_has_no_time():
    unknown = (TIME, [0]), (NAME, ["A"]), (Column("value", "Value"), [None])
    for chart in (
        Chart("lines", "start", "value"),
        Chart("bars", "value", "name"),
        Chart("heat", "start", "name", value="value"),
    ):
        assert picture_of(_section(chart, *unknown), START, (0, DAY)) is None
    by_name = Chart("heat", "name", "name", value="value")
    assert picture_of(_section(by_name, *unknown[:2], (Column("value", "Value"), [1.0])), START, (0, DAY)) is None
    assert picture_of(_section(Chart("none"), *unknown), START, (0, DAY)) is None
