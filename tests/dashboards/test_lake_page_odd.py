"""The pages of odd lakes: names with markup, an empty lake, one interval and many. Expected values are counted from the rows of made_lake_page.py."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ironlake.dashboards.lake_page.contract import Chart, Column, Rows
from ironlake.dashboards.lake_page.page import document
from lake_page_browser import START_COLUMN, SYSTEM, WILD, several, shown_rows, small
from made_lake_page import HOUR, START

CHARTS = (
    Chart("lines", "start", "value", split="system", limit="limit"),
    Chart("lines", "start", "value", series="system"),
    Chart("bars", "value", "system"),
    Chart("bars", "value", "system", series="system", split="system", fold="sum"),
    Chart("heat", "start", "system", value="value", steps=((1, WILD), (2, "x"))),
    Chart("heat", "system", "system", value="value"),
    Chart("strip", "start", "system", value="value", steps=((1, WILD),), split="system"),
    Chart("none"),
)


def test_names_with_markup_stay_text(shown: Callable[..., Any]):
    columns = (SYSTEM, START_COLUMN, Column("value", WILD, WILD, 1), Column("limit", WILD, "", 1))
    rows = Rows(columns, ([WILD, WILD, "=1+1"], [0, HOUR, 0], [1.5, 2.5, 3.0], [4.0, 4.0, None]))
    page = shown(several([(rows, chart) for chart in CHARTS], systems=(WILD, "=1+1")))
    assert page.locator("img").count() == 0
    names = [f"one_{n}" for n in range(len(CHARTS))]
    for name in names:
        assert page.locator(f"h2#{name}").text_content() == f"What of {WILD}?"
        assert page.locator(f"#{name}-rows tbody").text_content().count(WILD) == 2
    page.locator("button.finding").click()
    assert [shown_rows(page, name) for name in names] == [2] * len(names)
    assert page.locator("#filter-system").input_value() == WILD
    with page.expect_download() as download:
        page.click("#clear")
        page.locator("#one_0-table").evaluate("t => { t.open = true; }")
        page.click("#one_0-rows .csv")
    assert "'=1+1" in Path(download.value.path()).read_text("utf-8-sig")


def test_what_may_be_crossed_is_drawn_as_a_reference_and_not_called_a_limit(shown: Callable[..., Any]):
    columns = (
        SYSTEM,
        START_COLUMN,
        Column("value", "Service time", "µs", 1),
        Column("expected", "Expected of the links", "µs", 1),
    )
    names = "ABCDEFGHI"
    rows = Rows(columns, ([name for name in names for _ in range(2)], [0, HOUR] * 9, [5.0, 9.0] * 9, [8.0] * 18))
    chart = Chart("lines", "start", "value", split="system")
    charts = [replace(chart, reference="expected"), replace(chart, limit="expected")]
    page = shown(several([(rows, chart) for chart in charts], systems=tuple(names)))
    for number, (kind, color) in enumerate((("reference", "Grey"), ("limit", "Red"))):
        picture = page.locator(f"#one_{number}-picture")
        assert picture.locator(f".{kind}-word").all_text_contents() == [f"{kind} 8.0"] * 9
        assert picture.locator(f"path.{kind}").count() == 9
        assert f"{color} dashes: expected of the links." in page.locator(f"#one_{number}-words").text_content()


@pytest.mark.parametrize("count", [1, 5000])
def test_one_interval_and_many(shown: Callable[..., Any], count: int):
    rows = Rows(
        (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1)),
        (["A"] * count, [n * 900 for n in range(count)], [float(n % 97) + 1 for n in range(count)]),
    )
    last = START.date() + dt.timedelta(seconds=(count - 1) * 900)
    one = replace(
        small(rows, Chart("lines", "start", "value", split="system"), systems=("A",)), last_day=last, happened=()
    )
    page = shown(one)
    assert page.locator("h1").text_content().endswith("nothing unusual found")
    assert shown_rows(page, "one") == count
    drawn = page.locator("#one-picture")
    if count == 1:
        assert drawn.text_content() == "One time only: 1.0 MSU: A."
        page.click("#one-more")
    assert drawn.locator("circle.dot").count() == (1 if count == 1 else 0)
    assert len(drawn.locator("path.line").get_attribute("d")) < 60_000
    # One system is nothing to choose from.
    assert page.locator("#filter-system").count() == 0


SAID = (
    ([1.5], [None], "One time only: General 1.5 engines: A."),
    ([1.5], [0.0], "One time only: General 1.5 engines, zIIP 0.0 engines: A."),
    ([-1.5], [-2.0], "One time only: General −1.5 engines, zIIP −2.0 engines: A."),
    ([0.0], [None], "All known values of this selection are 0."),
    ([0.0], [0.0], "All values of this selection are 0."),
    ([None], [None], "No value is known for this selection."),
)


def test_a_sentence_has_no_number_of_what_is_not_known(shown: Callable[..., Any]):
    columns = (SYSTEM, START_COLUMN, Column("general", "General", "engines", 1), Column("ziip", "zIIP", "engines", 1))
    chart = Chart("lines", "start", ("general", "ziip"), split="system")
    parts = [(Rows(columns, (["A"], [0], general, ziip)), chart) for general, ziip, _ in SAID]
    page = shown(several(parts))
    told = [page.locator(f"#one_{n}-picture").text_content() for n in range(len(SAID))]
    assert told == [said for *_, said in SAID]


def test_days_start_at_midnight_where_the_axis_does_not(shown: Callable[..., Any]):
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1))
    rows = Rows(columns, (["A"] * 3, [0, HOUR, 2 * HOUR], [1.0, 2.0, 4.0]))
    of = small(rows, Chart("lines", "start", "value", split="system"))
    page = shown(replace(of, axis_start=START + dt.timedelta(hours=5)), "#to=2026-10-23T07:00")
    assert page.get_by_role("slider", name="From").get_attribute("aria-valuetext") == "Fri 23 Oct 00:00"
    assert page.get_by_role("slider", name="To").get_attribute("aria-valuemax") == str(19 * HOUR)
    assert shown_rows(page, "one") == 2
    assert page.locator("#one-rows tbody td:nth-child(2)").all_text_contents() == [
        "Fri 23 Oct 06:00",
        "Fri 23 Oct 05:00",
    ]


def test_a_value_that_is_no_number_is_refused():
    rows = Rows((SYSTEM, Column("value", "Value", "", 1)), (["A", "B"], [1.0, float("inf")]))
    with pytest.raises(ValueError, match="column value: a value is not a number"):
        document(small(rows, Chart("bars", "value", "system"), systems=("A",)))
