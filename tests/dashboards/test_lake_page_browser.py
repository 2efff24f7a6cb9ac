"""The page of a lake in a browser: filters, links and tables. Expected values are counted from the rows of made_lake_page.py."""

import csv
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ironlake.dashboards.lake_page.contract import Chart, Column, Rows, Section
from lake_page_browser import MADE, START_COLUMN, SYSTEM, drawn_names, expected_rows, section, shown_rows, small, until
from made_lake_page import DAY, DAYS, HOUR, START
from pages import opened


@pytest.fixture
def page(month_page: Any) -> Any:
    return month_page


def test_the_first_screen_says_what_happened_and_the_page_is_small(page: Any, month: Path):
    assert month.stat().st_size < 1_000_000
    assert page.locator("h1").text_content() == "Sat 21 Nov 2026: 4 things to look at, 3 new"
    found = page.locator("button.finding b").all_text_contents()
    assert found == [h.sentence for h in MADE.happened]
    assert page.locator("button.finding").first.bounding_box()["y"] < 300
    assert "wlm_1114.txt, page 12, line 640" in page.locator(".findings li").first.text_content()
    assert page.locator(".findings .chip").count() == 3


def test_system_class_workload_and_sysplex_filter_every_picture_and_table_that_has_them(page: Any):
    page.select_option("#filter-system", "PRDC")
    for s in MADE.sections:
        if s.id == "pools":
            assert shown_rows(page, s.id) == 1
        elif "system" in s.filters:
            assert shown_rows(page, s.id) == expected_rows(s.id, system="PRDC"), s.id
        else:
            assert shown_rows(page, s.id) == len(s.rows), s.id
            assert page.locator(f"#{s.id}-filter").text_content() == "Not filtered by system: these rows have none."
    for name in ("msu", "use", "peak", "overflow", "coverage"):
        assert drawn_names(page, name) == ["PRDC"]
    assert "system=PRDC" in page.evaluate("location.href")
    assert page.locator("#chosen").text_content() == "Selected: system PRDC"
    page.click("#clear")
    assert shown_rows(page, "goals") == len(section("goals").rows)
    assert len(drawn_names(page, "msu")) == 20
    assert "#" not in page.evaluate("location.href")
    page.select_option("#filter-class", "DDFHI")
    for name in ("goals", "cost", "peak"):
        assert shown_rows(page, name) == expected_rows(name, **{"class": "DDFHI"}) > 0
    assert drawn_names(page, "cost") == ["DDFHI"]
    page.select_option("#filter-class", "")
    page.select_option("#filter-workload", "CICS")
    for name in ("goals", "cost", "workloads"):
        assert shown_rows(page, name) == expected_rows(name, workload="CICS") > 0
    assert drawn_names(page, "goals") == ["CICSPROD", "CICSWEB"]
    page.select_option("#filter-workload", "")
    page.select_option("#filter-sysplex", "TESTPLEX")
    assert shown_rows(page, "msu") == expected_rows("msu", sysplex="TESTPLEX") == 8 * DAYS * 24
    # These rows have systems only: other sections say whose they are. PRDA's are not of this sysplex.
    assert shown_rows(page, "reuse") == expected_rows("reuse", sysplex="TESTPLEX") == 0
    assert page.locator("#reuse-rows .count").text_content() == "No rows in this selection"
    assert page.locator("#cost-picture").text_content() == "Nothing in this selection."
    # Rows of several systems are shown for each.
    page.click("#clear")
    page.select_option("#filter-system", "PRDB")
    assert shown_rows(page, "pools") == 1
    assert drawn_names(page, "pools") == ["GBP0"]
    assert page.locator("#pools-filter").text_content() == "Rows that count PRDB together with other systems are shown."
    assert page.locator("#msu-filter").text_content() == ""
    page.select_option("#filter-system", "PRDC")
    assert drawn_names(page, "pools") == ["GBP1"]
    page.select_option("#filter-system", "")
    # Their sysplex is not printed: other sections know those of the systems.
    page.select_option("#filter-sysplex", "SHOPPLEX")
    assert drawn_names(page, "pools") == ["GBP0", "GBP1"]


def test_rows_of_a_name_that_two_sysplexes_have_are_of_neither(shown: Callable[..., Any]):
    """SYS1 of PLEX1 and SYS1 of PLEX2 print classes with their sysplex, and CPU Activity without."""
    value, plex = Column("value", "Value", "MSU", 1), Column("sysplex", "Sysplex", kind="text")
    filters = {"system": "system", "sysplex": "sysplex", "time": "start"}
    named = Rows((SYSTEM, plex, START_COLUMN, value), (["SYS1", "SYS1"], ["PLEX1", "PLEX2"], [0, 0], [1.0, 2.0]))
    bare = Rows((SYSTEM, plex, START_COLUMN, value), (["SYS1", "SYS2"], [None, "PLEX1"], [0, 0], [3.0, 4.0]))
    chart = Chart("bars", "value", "system")
    sections = [Section(n, "What?", "It.", chart, rows, filters) for n, rows in (("classes", named), ("cpu", bare))]  # type: ignore[arg-type]
    facts = replace(
        small(named, chart, systems=("SYS1", "SYS2"), sysplexes=("PLEX1", "PLEX2")), sections=tuple(sections)
    )
    page = shown(facts, "#sysplex=PLEX1&system=SYS1")
    assert (shown_rows(page, "classes"), shown_rows(page, "cpu")) == (1, 0)
    assert (
        page.locator("#cpu-filter").text_content()
        == "Rows of SYS1 do not say which sysplex they are of, and are not shown."
    )
    page.select_option("#filter-system", "")
    assert (shown_rows(page, "classes"), shown_rows(page, "cpu")) == (1, 1)
    page.select_option("#filter-sysplex", "")
    assert page.locator("#cpu-filter").text_content() == ""


def test_the_time_brush_filters_everything_and_is_moved_by_keyboard(page: Any):
    page.click("text=Last 7 days")
    assert "from=2026-11-15T00:00" in page.evaluate("location.href")
    first = page.get_by_role("slider", name="From")
    assert first.get_attribute("aria-valuetext") == "Sun 15 Nov 00:00"
    first.focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash", "#from=2026-11-14T01:00")
    since = 22 * DAY + HOUR
    for s in MADE.sections:
        if "time" in s.filters:
            ending = f"of {expected_rows(s.id, from_s=since):,}"
            until(page, f"document.querySelector('#{s.id}-rows .count').textContent.endsWith('{ending}')", True)
    assert first.get_attribute("aria-valuetext") == "Sat 14 Nov 01:00"
    # The change point is before the selection: nothing is marked.
    assert page.locator("#cost-picture .change").count() == 0
    page.get_by_role("slider", name="To").press("Home")
    until(page, "location.hash", "#from=2026-11-14T01:00&to=2026-11-14T02:00")
    assert expected_rows("msu", from_s=since, to_s=since + HOUR) == 20
    until(page, "document.querySelector('#msu-rows .count').textContent.endsWith('of 20')", True)
    assert shown_rows(page, "msu") == 20


def test_dragging_over_a_picture_selects_its_time(page: Any):
    box = page.locator("#msu-picture svg").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, middle, steps=4)
    assert page.locator("#tip").is_visible()
    assert page.locator("#msu-picture .cross[visibility=visible]").count() == 20
    page.mouse.up()
    chosen = page.locator("#chosen").text_content()
    start, end = re.findall(r"from=([\dT:-]+)&to=([\dT:-]+)", page.evaluate("location.href"))[0]
    assert "system" not in chosen
    assert (
        dt.timedelta(days=6) < dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start) < dt.timedelta(days=9)
    )
    seconds = [round((dt.datetime.fromisoformat(t) - START).total_seconds()) for t in (start, end)]
    assert shown_rows(page, "goals") == expected_rows("goals", from_s=seconds[0], to_s=seconds[1])


def test_a_finding_selects_what_shows_it_and_lets_go_again(page: Any):
    finding = page.locator("button.finding").nth(1)
    finding.click()
    assert finding.get_attribute("aria-pressed") == "true"
    at, to = 29 * DAY + 14 * HOUR, 29 * DAY + 18 * HOUR
    assert shown_rows(page, "goals") == expected_rows("goals", system="PRDF", from_s=at, to_s=to) == 12 * 4
    assert sorted(drawn_names(page, "goals")) == ["CICSPROD", "CICSWEB", "DDFHI", "DDFLO"]
    # One row a cell: its index instead of a count.
    line = page.locator("#goals-picture tr", has=page.locator("button", has_text="DDFHI"))
    rows = section("goals").rows
    indexes = [
        value
        for s, c, t, value in zip(*map(rows.of, ("system", "class_name", "start", "performance_index")), strict=True)
        if (s, c) == ("PRDF", "DDFHI") and at <= t < to
    ]
    assert [c for c in line.locator("td").all_text_contents() if c != "·"] == [f"{v:.2f}" for v in indexes]
    page.go_back()
    assert finding.get_attribute("aria-pressed") == "false"
    assert shown_rows(page, "goals") == len(section("goals").rows)
    finding.click()
    finding.click()
    assert "#" not in page.evaluate("location.href")
    page.locator(".findings a").nth(1).click()
    assert page.evaluate("document.activeElement.id") == "goals"
    assert "system=PRDF" in page.evaluate("location.href")


def test_a_link_restores_what_was_selected(browser: Any, month: Path, page: Any):
    page.select_option("#filter-class", "CICSPROD")
    page.click("text=Last 7 days")
    whole = "main => main.innerText"
    said = page.locator("main").evaluate(whole)
    again, requests, complaints = opened(browser, month, "#" + page.evaluate("location.href").partition("#")[2])
    assert again.locator("main").evaluate(whole) == said
    assert again.locator("#filter-class").input_value() == "CICSPROD"
    assert shown_rows(again, "goals") == expected_rows("goals", **{"class": "CICSPROD"}, from_s=23 * DAY)
    again.evaluate("location.hash = '#class=NOSUCH&from=never'")
    until(again, "document.getElementById('chosen').textContent", "Selected: class NOSUCH (not on this page)")
    assert shown_rows(again, "goals") == 0
    assert (requests, complaints) == ([], [])
    again.close()


def test_a_table_sorts_finds_turns_pages_and_is_saved(page: Any):
    page.select_option("#filter-system", "PRDB")
    page.click("#msu-table > summary")
    of = section("msu").rows
    mine = [
        (t, v) for s, t, v in zip(of.of("system"), of.of("start"), of.of("rolling_msu"), strict=True) if s == "PRDB"
    ]
    best = sorted((round(v, 1) for _, v in mine if v is not None), reverse=True)
    cells = page.locator("#msu-rows tbody td:nth-child(4)")
    assert cells.all_text_contents() == [f"{v:.1f}" for v in best[:10]]
    assert page.locator("#msu-rows th").nth(3).get_attribute("aria-sort") == "descending"
    page.click("#msu-rows thead button:has-text('Rolling')")
    assert cells.all_text_contents() == [f"{v:.1f}" for v in best[::-1][:10]]
    page.get_by_role("button", name="Next rows of: Where is the bill made?").click()
    assert page.locator("#msu-rows .count").text_content() == "Rows 11 to 20 of 720"
    # What is not known comes last.
    page.fill("#msu-rows input", "sat 31 oct 12:00")
    assert shown_rows(page, "msu") == 1
    page.fill("#msu-rows input", "fri 30 oct 12:00")
    assert cells.all_text_contents() == ["–"]
    page.fill("#msu-rows input", "")
    with page.expect_download() as download:
        page.click("#msu-rows .csv")
    assert download.value.suggested_filename == "msu.csv"
    lines = list(csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
    assert lines[0] == ["sysplex", "system", "start", "rolling_msu", "limit_msu"]
    assert len(lines) == 1 + 720
    saved = {line[2]: line[3] for line in lines[1:]}
    assert saved["2026-10-30T12:00:00"] == ""
    assert float(saved["2026-10-23T05:00:00"]) == round(dict(mine)[5 * HOUR], 1)
