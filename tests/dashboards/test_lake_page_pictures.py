"""The pictures of a lake's page in a browser. Expected values are counted from the rows of made_lake_page.py."""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ironlake.dashboards.lake_page.contract import Chart, Column, Rows, Section
from lake_page_browser import START_COLUMN, SYSTEM, drawn_names, section, small, until
from made_lake_page import DAY, DAYS, HOUR, START


@pytest.fixture
def page(month_page: Any) -> Any:
    return month_page


def test_a_cell_counts_the_days_on_which_a_goal_was_missed(page: Any):
    rows = section("goals").rows
    missed = {
        start // DAY
        for name, start, index in zip(
            rows.of("class_name"), rows.of("start"), rows.of("performance_index"), strict=True
        )
        if name == "DDFHI" and start % DAY // HOUR == 13 and index is not None and index >= 1
    }
    line = page.locator("#goals-picture tr", has=page.locator("button", has_text="DDFHI"))
    assert line.locator("td").nth(13).text_content() == str(len(missed))
    assert line.locator("td").nth(12).text_content() == ""
    assert line.locator("td").nth(13).get_attribute("class") == "cell warn"
    assert line.locator("td").nth(14).get_attribute("class") == "cell bad"
    assert drawn_names(page, "goals")[0] == "DDFHI"
    page.click("#goals-more")
    unknown = page.locator("#goals-picture tr", has=page.locator("button", has_text="OMVS"))
    assert unknown.locator("td").nth(4).text_content() == "?"
    page.click("#goals-picture .modes button:has-text('By day')")
    assert page.locator("#goals-picture thead th").count() == DAYS + 1
    page.click("#goals-picture thead button[aria-label='Sat 21 Nov']")
    assert "from=2026-11-21T00:00" in page.evaluate("location.href")


def test_a_value_that_is_not_known_breaks_the_line_and_what_is_flat_is_a_sentence(page: Any):
    page.select_option("#filter-system", "PRDC")
    assert page.locator("#overflow-picture td.cell").count() == DAYS
    page.select_option("#filter-system", "PRDA")
    assert page.locator("#overflow-picture").text_content() == "None of the selected values is “high” (5% or more)."
    path = page.locator("#msu-picture path.line").get_attribute("d")
    # Known before and after noon of the eighth day.
    assert path.count("M") == 2
    page.select_option("#filter-system", "DEVB")
    last = page.locator("#msu-picture path.line").get_attribute("d").rpartition("L")[2].partition(",")[0]
    page.select_option("#filter-system", "DEVA")
    assert float(last) < float(
        page.locator("#msu-picture path.line").get_attribute("d").rpartition("L")[2].partition(",")[0]
    )


def test_neither_peak_nor_low_is_lost_where_points_share_a_pixel(page: Any):
    page.set_viewport_size({"width": 380, "height": 900})
    until(page, "document.querySelector('#msu-picture svg').viewBox.baseVal.width < 200", True)
    panels = page.locator("#msu-picture .panel").evaluate_all(
        """all => all.map(p => [p.querySelector('b').textContent, p.querySelector('line.base').getAttribute('y1'),
            p.querySelector('circle.peak').getAttribute('cy'), p.querySelector('path.line').getAttribute('d')])"""
    )
    assert len(panels) == 20
    rows = section("msu").rows
    for name, foot, top, line in panels:
        mine = [
            v for s, v in zip(rows.of("system"), rows.of("rolling_msu"), strict=True) if s == name and v is not None
        ]
        drawn = [float(y) for y in re.findall(r",([\d.]+)", line)]
        foot, top = float(foot), float(top)
        assert min(drawn) == pytest.approx(top, abs=0.06)
        # The scale starts at 0.
        assert max(drawn) == pytest.approx(foot - (foot - top) * min(mine) / max(mine), abs=0.2)


def test_the_limit_and_the_change_point_are_drawn_and_a_sum_has_all_its_rows(page: Any):
    assert page.locator("#msu-picture .limit").count() == 1
    assert page.locator("#msu-picture .limit-word").text_content() == "limit 420"
    assert page.locator("#cost-picture .change").count() == 1
    assert "Sat 14 Nov, +22%: 4.61 → 5.62" in page.locator("#cost-picture .panel").first.text_content()
    rows = section("workloads").rows
    sums: dict[int, float] = {}
    for name, start, value in zip(rows.of("workload"), rows.of("start"), rows.of("cp_msu"), strict=True):
        if name == "DDF":
            sums[start] = sums.get(start, 0) + round(value, 1)
    panel = page.locator("#workloads-picture .panel", has_text="DDF").first
    assert f"{max(sums.values()):,.1f} · " in panel.text_content()


def test_the_band_of_what_is_usual(shown: Callable[..., Any]):
    days = 28
    usual = [20.0 if t % DAY == 12 * HOUR else 10.0 + t // HOUR % 3 for t in range(0, days * DAY, HOUR)]
    usual[26 * 24 + 12] = 50.0
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1))
    rows = Rows(columns, (["A"] * len(usual), list(range(0, days * DAY, HOUR)), usual))
    of = replace(
        small(rows, Chart("lines", "start", "value", split="system")),
        last_day=START.date() + dt.timedelta(days=days - 1),
    )
    page = shown(of, "#from=2026-11-18T00:00&to=2026-11-19T00:00")
    # One day: at noon 50, usual 20; else what it always is.
    line = [float(y) for y in re.findall(r",([\d.]+)", page.locator("#one-picture path.line").get_attribute("d"))]
    band = [float(y) for y in re.findall(r",([\d.]+)", page.locator("#one-picture path.usual").get_attribute("d"))]
    upper, lower = band[:24], band[24:][::-1]
    assert upper == lower
    assert [n for n in range(24) if line[n] != upper[n]] == [12]
    foot, top = (float(page.locator("#one-picture line.base").first.get_attribute("y1")), line[12])
    assert (foot - upper[12]) / (foot - top) == pytest.approx(20 / 50, abs=0.01)
    assert "Grey band" in page.locator("#one-words").text_content()


def test_what_is_steady_or_whole_is_told(shown: Callable[..., Any]):
    times = list(range(0, DAY, HOUR))
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "%", 1), Column("missing", "Missing", "%", 0))
    rows = Rows(
        columns,
        (["A"] * 24 + ["B"] * 24 + ["C"] * 24, times * 3, [98.0] * 48 + [float(n) for n in range(24)], [0.0] * 72),
    )
    steady = small(rows, Chart("lines", "start", "value", split="system"))
    whole = Section(
        "two",
        "What is missing?",
        "Nothing.",
        Chart("strip", "start", "system", value="missing", steps=((1, "some"),)),
        rows,
    )
    page = shown(replace(steady, sections=(*steady.sections, whole)))
    assert drawn_names(page, "one") == ["C"]
    assert page.locator("#one-words").text_content().endswith("Steady within 2%: 98.0%: A, B.")
    page.click("#one-more")
    assert drawn_names(page, "one") == ["A", "B", "C"]
    assert page.locator("#two-picture").text_content() == "All 3 rows are below 1% and without a hole."


def test_of_many_costs_those_that_change_are_drawn(shown: Callable[..., Any]):
    """C5 steps from 4 to 5 on the seventh day, C6 rises by 2% a day, from 4 to 4 x 1.02^11 = 4.97; all others stay."""
    days, columns = 12, (SYSTEM, START_COLUMN, *(Column(n, n, "ms", 2) for n in ("cost", "level", "step", "drift")))
    lines = [
        (f"C{n}", d * DAY, cost, cost, 25.0 if (n, d) == (5, 6) else None, 2.0 if n == 6 else None)
        for n in range(8)
        for d in range(days)
        for cost in [4 * 1.02**d if n == 6 else 4.0 + (n == 5 and d >= 6)]
    ]
    rows = Rows(columns, tuple(list(values) for values in zip(*lines, strict=True)))
    of = small(rows, Chart("lines", "start", "cost", split="system", level="level", change="step", drift="drift"))
    page = shown(replace(of, last_day=START.date() + dt.timedelta(days=days - 1)))
    assert drawn_names(page, "one") == ["C5", "C6"]
    step, drift = page.locator("#one-picture .panel").all()
    assert "Thu 29 Oct, +25%: 4.00 → 5.00" in step.text_content()
    assert "+2.0% a day: 4.00 → 4.97" in drift.text_content()
    assert (step.locator(".change").count(), drift.locator(".change").count()) == (1, 0)
    # A level is drawn in two parts, a drift in one.
    paths = [panel.locator("path.level").get_attribute("d").count("M") for panel in (step, drift)]
    assert paths == [2, 1]


def test_a_group_of_buttons_is_one_stop_and_arrows_move_in_it(page: Any):
    panels = page.locator("#msu-picture button.panel")
    assert [panels.nth(n).get_attribute("tabindex") for n in range(3)] == ["0", "-1", "-1"]
    panels.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "system=PRDB" in page.evaluate("location.href")
    # The redrawn picture has the focus at the same name.
    assert page.evaluate("document.activeElement.querySelector('b').textContent") == "PRDB"
    page.keyboard.press("Enter")
    assert "#" not in page.evaluate("location.href")


def test_the_numbers_of_an_axis_are_round_and_evenly_spaced(shown: Callable[..., Any]):
    """Up to 20.6%: in steps of 5 to 25, not of 6.25, which is no 6.3. Of a scale that does not start at 0, in steps of 0.2."""
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "1/s", 1), Column("level", "Level", "ms", 3))
    times = [n * HOUR for n in range(48)]
    rows = Rows(columns, (["A"] * 48, times, [20.6 if n == 5 else 4.0 for n in range(48)], [None] * 48))
    of = small(rows, Chart("lines", "start", "value", split="system"), systems=("A",))
    page = shown(replace(of, last_day=START.date() + dt.timedelta(days=1)))
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_timeout(200)
    assert page.locator("#one-picture svg text.tick").all_text_contents() == ["0", "5", "10", "15", "20", "25"]
    steps = page.evaluate("[[0, 25], [0, 1.2], [2.39, 3.163], [0, 6]].map(([a, b]) => lakePage.roundTicks(a, b))")
    assert [[round(v, 6) for v in one["values"]] for one in steps] == [
        [0, 5, 10, 15, 20, 25], [0, 0.25, 0.5, 0.75, 1], [2.4, 2.6, 2.8, 3.0], [0, 2, 4, 6],
    ]  # fmt: skip
    assert [one["decimals"] for one in steps] == [0, 2, 1, 0]
    assert page.evaluate("lakePage.withUnit('50', '1/s')") == "50/s"
