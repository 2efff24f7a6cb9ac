"""The chart of any answer is chosen by its columns, and draws nothing that they do not say."""

import datetime as dt
from typing import Any

import pyarrow as pa
from ironlake.dashboards.charts.answer_chart import answer_chart
from ironlake.dashboards.charts.svg import picture

NOON = dt.datetime(2021, 4, 13, 12)
HOURS = [NOON + dt.timedelta(hours=n) for n in (0, 1, 2, 9)]


def chart(**columns: list[Any]) -> Any:
    table = pa.table(columns)
    found = answer_chart(table.schema, [*zip(*columns.values(), strict=True)])
    assert found is None or "<svg" in picture(found)
    return found


def test_a_time_makes_lines_that_end_where_intervals_are_missing():
    found = chart(start=HOURS, cpu=[1.0, 2.0, 3.0, 4.0], io=[1, None, 3, float("nan")])
    assert [(line.name, [v.value for v in line.values]) for line in found.lines] == [
        ("cpu", [1, 2, 3, 4]),
        ("io", [1, 3]),
    ]
    # From 14:00 to 21:00 nothing is known.
    assert [v.breaks for v in found.lines[0].values] == [False, False, True, False]
    by_name = chart(start=HOURS[:2] * 2, name=["A", "A", "B", "B"], cpu=[1, 2, 3, 4])
    assert [line.name for line in by_name.lines] == ["A", "B"]
    # Answers have a time that Python has not as a text.
    assert (
        answer_chart(pa.schema([("at", pa.date32()), ("cpu", pa.int64())]), [("294247-01-01", 1), ("-1-01-01", 2)])
        is None
    )
    twice = chart(start=[NOON, NOON, HOURS[1]], cpu=[1, 2, 3])
    assert not twice.lines[0].joined


def test_names_make_bars_and_without_either_there_is_no_chart():
    found = chart(name=["A", "B"], line=[7, 8], cpu=[1.5, None], io=[2, 3])
    assert [(row.name, [v.value for lane in row.lanes for v in lane.values]) for row in found.rows] == [
        ("A", [1.5, 2]),
        ("B", [3]),
    ]
    assert chart(cpu=[1, 2]) is None
    assert chart(name=["A", "B"]) is None
    assert chart(name=["A"], cpu=[1]) is None
    assert chart(name=["A", "B"], cpu=pa.nulls(2, pa.float64()).to_pylist()) is None
