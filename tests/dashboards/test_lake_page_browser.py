"""The page of a lake in a browser: a month of 20 systems made by hand (made_lake_page.py). Expected values are counted from its rows here."""

import csv
import datetime as dt
import doctest
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from ironlake.dashboards.lake_page import values as written_values
from ironlake.dashboards.lake_page.contract import (
    Chart,
    Column,
    Happened,
    LakePage,
    Names,
    Rows,
    Section,
    Select,
)
from ironlake.dashboards.lake_page.page import document
from made_lake_page import DAY, DAYS, HOUR, START, made_page, sysplex
from pages import opened

MADE = made_page()
WIDTHS = (380, 800, 1400, 2560)
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lake_page") / "today.html"
    path.write_text(document(MADE), "utf-8")
    return path


@pytest.fixture
def page(browser: Any, month: Path):
    found, requests, complaints = opened(browser, month)
    yield found
    assert (requests, complaints) == ([], [])
    found.close()


def section(name: str, of: LakePage = MADE) -> Section:
    return next(s for s in of.sections if s.id == name)


def expected_rows(name: str, **chosen: Any) -> int:
    """How many rows of a section a selection leaves: equal names, and a start within from_s and to_s."""
    of = section(name)
    names = {str(what): column for what, column in of.filters.items()}
    kept = [True] * len(of.rows)
    for what, value in chosen.items():
        if what in ("from_s", "to_s"):
            starts = of.rows.of(names["time"])
            kept = [k and (t >= value if what == "from_s" else t < value) for k, t in zip(kept, starts, strict=True)]
        elif what == "sysplex" and what not in names:
            kept = [k and sysplex(s) == value for k, s in zip(kept, of.rows.of("system"), strict=True)]
        else:
            kept = [k and v == value for k, v in zip(kept, of.rows.of(names[what]), strict=True)]
    return sum(kept)


def shown_rows(page: Any, name: str) -> int:
    """How many rows the table of a section says it has."""
    text = page.locator(f"#{name}-rows .count").text_content()
    found = re.search(r"of ([\d,]+)$", text)
    return int(found[1].replace(",", "")) if found else 0


def drawn_names(page: Any, name: str) -> list[str]:
    """The names of the panels, rows or bars of a picture."""
    return page.locator(f"#{name}-picture").evaluate(
        "place => [...place.querySelectorAll('.panel b, tbody button.name, .row-name')].map(e => e.textContent)"
    )


def until(page: Any, question: str, answer: object) -> None:
    """Wait until an expression of the page has a value. The page's policy forbids playwright's own way of waiting."""
    for _ in range(100):
        if page.evaluate(question) == answer:
            return
        page.wait_for_timeout(50)
    assert page.evaluate(question) == answer


# --- What is there -------------------------------------------------------------------------------------------------------


def test_the_page_of_a_month_is_small(month: Path):
    assert month.stat().st_size < 1_000_000


def test_the_first_screen_says_what_happened(page: Any):
    assert page.locator("h1").text_content() == "Sat 21 Nov 2026: 4 things to look at, 3 new"
    found = page.locator("button.finding b").all_text_contents()
    assert found == [h.sentence for h in MADE.happened]
    assert page.locator("button.finding").first.bounding_box()["y"] < 300
    assert "wlm_1114.txt, page 12, line 640" in page.locator(".findings li").first.text_content()
    assert page.locator(".findings .chip").count() == 3


def test_no_window_is_too_narrow_and_nothing_is_reported(page: Any):
    for width in WIDTHS:
        for scheme in SCHEMES:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            until(page, f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}", True)
    wide = page.evaluate(
        "[...document.querySelectorAll('.picture svg')].filter(s => s.getBoundingClientRect().right > innerWidth).length"
    )
    assert wide == 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [380, 1400])
def test_axe_finds_no_violation(page: Any, width: int, scheme: str):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(100)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    # What it cannot decide, such as text over a hatching, is no violation.
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


def test_every_picture_has_a_name_a_description_and_a_table(page: Any):
    for s in MADE.sections:
        assert page.locator(f"section[aria-labelledby={s.id}] h2").text_content() == s.title
        assert page.locator(f"#{s.id}-finding").text_content() == s.finding
        assert page.locator(f"#{s.id}-table table thead th").count() == len(s.rows.columns)
        if s.chart.form != "none":
            assert drawn_names(page, s.id), s.id
            assert page.locator(f"#{s.id}-words").text_content(), s.id
    assert page.locator("#reuse-picture").count() == 0
    names = page.locator("section, [role=region], nav, main").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label') ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent ?? e.tagName)"
    )
    assert len(names) == len(set(names))


# --- Filters -------------------------------------------------------------------------------------------------------------


def test_a_system_filters_every_picture_and_table(page: Any):
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
    assert "system=PRDC" in page.url
    assert page.locator("#chosen").text_content() == "Selected: system PRDC"
    page.click("#clear")
    assert shown_rows(page, "goals") == len(section("goals").rows)
    assert len(drawn_names(page, "msu")) == 20
    assert "#" not in page.url


def test_class_workload_and_sysplex_filter_what_has_them(page: Any):
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


def test_rows_of_several_systems_are_shown_for_each(page: Any):
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


def test_rows_of_a_name_that_two_sysplexes_have_are_of_neither(browser: Any, tmp_path: Path):
    """SYS1 of PLEX1 and SYS1 of PLEX2 print classes with their sysplex, and CPU Activity without."""
    value, plex = Column("value", "Value", "MSU", 1), Column("sysplex", "Sysplex", kind="text")
    filters = {"system": "system", "sysplex": "sysplex", "time": "start"}
    named = Rows((SYSTEM, plex, START_COLUMN, value), (["SYS1", "SYS1"], ["PLEX1", "PLEX2"], [0, 0], [1.0, 2.0]))
    bare = Rows((SYSTEM, plex, START_COLUMN, value), (["SYS1", "SYS2"], [None, "PLEX1"], [0, 0], [3.0, 4.0]))
    chart = Chart("bars", "value", "system")
    sections = [Section(n, "What?", "It.", chart, rows, filters) for n, rows in (("classes", named), ("cpu", bare))]  # type: ignore[arg-type]
    page = replace(
        small(named, chart, systems=("SYS1", "SYS2"), sysplexes=("PLEX1", "PLEX2")), sections=tuple(sections)
    )
    path = tmp_path / "shared.html"
    path.write_text(document(page), "utf-8")
    shown, requests, complaints = opened(browser, path, "#sysplex=PLEX1&system=SYS1")
    assert (shown_rows(shown, "classes"), shown_rows(shown, "cpu")) == (1, 0)
    assert (
        shown.locator("#cpu-filter").text_content()
        == "Rows of SYS1 do not say which sysplex they are of, and are not shown."
    )
    shown.select_option("#filter-system", "")
    assert (shown_rows(shown, "classes"), shown_rows(shown, "cpu")) == (1, 1)
    shown.select_option("#filter-sysplex", "")
    assert shown.locator("#cpu-filter").text_content() == ""
    assert (requests, complaints) == ([], [])
    shown.close()


def test_the_time_brush_filters_everything_and_is_moved_by_keyboard(page: Any):
    page.click("text=Last 7 days")
    assert "from=2026-11-15T00:00" in page.url
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
    assert shown_rows(page, "msu") == expected_rows("msu", from_s=since, to_s=since + HOUR) == 20


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
    start, end = re.findall(r"from=([\dT:-]+)&to=([\dT:-]+)", page.url)[0]
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
    assert "#" not in page.url
    page.locator(".findings a").nth(1).click()
    assert page.evaluate("document.activeElement.id") == "goals"
    assert "system=PRDF" in page.url


def test_a_link_restores_what_was_selected(browser: Any, month: Path, page: Any):
    page.select_option("#filter-class", "CICSPROD")
    page.click("text=Last 7 days")
    whole = "main => main.innerText"
    said = page.locator("main").evaluate(whole)
    again, requests, complaints = opened(browser, month, "#" + page.url.partition("#")[2])
    assert again.locator("main").evaluate(whole) == said
    assert again.locator("#filter-class").input_value() == "CICSPROD"
    assert shown_rows(again, "goals") == expected_rows("goals", **{"class": "CICSPROD"}, from_s=23 * DAY)
    again.evaluate("location.hash = '#class=NOSUCH&from=never'")
    until(again, "document.getElementById('chosen').textContent", "Selected: class NOSUCH (not on this page)")
    assert shown_rows(again, "goals") == 0
    assert (requests, complaints) == ([], [])
    again.close()


# --- Pictures ------------------------------------------------------------------------------------------------------------


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
    assert "from=2026-11-21T00:00" in page.url


def test_a_value_that_is_not_known_breaks_the_line(page: Any):
    page.select_option("#filter-system", "PRDA")
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


def test_the_limit_and_the_change_point_are_drawn(page: Any):
    assert page.locator("#msu-picture .limit").count() == 1
    assert page.locator("#msu-picture .limit-word").text_content() == "limit 420"
    assert page.locator("#cost-picture .change").count() == 1
    assert "Sat 14 Nov, +22%: 4.61 → 5.62" in page.locator("#cost-picture .panel").first.text_content()


def test_the_band_of_what_is_usual(browser: Any, tmp_path: Path):
    days = 28
    usual = [20.0 if t % DAY == 12 * HOUR else 10.0 + t // HOUR % 3 for t in range(0, days * DAY, HOUR)]
    usual[26 * 24 + 12] = 50.0
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1))
    rows = Rows(columns, (["A"] * len(usual), list(range(0, days * DAY, HOUR)), usual))
    of = replace(
        small(rows, Chart("lines", "start", "value", split="system")),
        last_day=START.date() + dt.timedelta(days=days - 1),
    )
    path = tmp_path / "usual.html"
    path.write_text(document(of), "utf-8")
    page, requests, complaints = opened(browser, path, "#from=2026-11-18T00:00&to=2026-11-19T00:00")
    # One day: at noon 50, usual 20; else what it always is.
    line = [float(y) for y in re.findall(r",([\d.]+)", page.locator("#one-picture path.line").get_attribute("d"))]
    band = [float(y) for y in re.findall(r",([\d.]+)", page.locator("#one-picture path.usual").get_attribute("d"))]
    upper, lower = band[:24], band[24:][::-1]
    assert upper == lower
    assert [n for n in range(24) if line[n] != upper[n]] == [12]
    foot, top = (float(page.locator("#one-picture line.base").first.get_attribute("y1")), line[12])
    assert (foot - upper[12]) / (foot - top) == pytest.approx(20 / 50, abs=0.01)
    assert "Grey band" in page.locator("#one-words").text_content()
    assert (requests, complaints) == ([], [])
    page.close()


def test_what_is_steady_or_whole_is_told(browser: Any, tmp_path: Path):
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
    path = tmp_path / "steady.html"
    path.write_text(document(replace(steady, sections=(*steady.sections, whole))), "utf-8")
    page, requests, complaints = opened(browser, path)
    assert drawn_names(page, "one") == ["C"]
    assert page.locator("#one-words").text_content().endswith("Steady within 2%: 98.0%: A, B.")
    page.click("#one-more")
    assert drawn_names(page, "one") == ["A", "B", "C"]
    assert page.locator("#two-picture").text_content() == "All 3 rows are below 1% and without a hole."
    assert (requests, complaints) == ([], [])
    page.close()


def test_of_many_costs_those_that_step_are_drawn(browser: Any, tmp_path: Path):
    names = [f"C{n}" for n in range(8)]
    columns = (SYSTEM, START_COLUMN, Column("cost", "Cost", "ms", 2), Column("level", "Level", "ms", 2))
    lines = [(c, d * DAY, 4.0 + (c == "C5" and d >= 6)) for c in names for d in range(12)]
    rows = Rows(
        columns,
        ([c for c, _, _ in lines], [t for _, t, _ in lines], [v for _, _, v in lines], [v for _, _, v in lines]),
    )
    of = small(rows, Chart("lines", "start", "cost", split="system", level="level"))
    path = tmp_path / "levels.html"
    path.write_text(document(replace(of, last_day=START.date() + dt.timedelta(days=11))), "utf-8")
    page, requests, complaints = opened(browser, path)
    assert drawn_names(page, "one") == ["C5"]
    assert "Thu 29 Oct, +25%: 4.00 → 5.00" in page.locator("#one-picture").text_content()
    assert page.locator("#one-words").text_content().endswith("7 more have no change point.")
    page.click("#one-more")
    assert sorted(drawn_names(page, "one")) == names
    page.evaluate("location.hash = '#to=2026-10-27T00:00'")
    page.click("#one-more")
    until(page, "document.getElementById('one-picture').textContent", "No change point in any of 8.")
    assert (requests, complaints) == ([], [])
    page.close()


def test_a_sum_has_all_its_rows(page: Any):
    rows = section("workloads").rows
    sums: dict[int, float] = {}
    for name, start, value in zip(rows.of("workload"), rows.of("start"), rows.of("cp_msu"), strict=True):
        if name == "DDF":
            sums[start] = sums.get(start, 0) + round(value, 1)
    panel = page.locator("#workloads-picture .panel", has_text="DDF").first
    assert f"{max(sums.values()):,.1f} · " in panel.text_content()


def test_what_is_flat_is_a_sentence(page: Any):
    page.select_option("#filter-system", "PRDA")
    assert page.locator("#overflow-picture").text_content() == "None of the selected values is “high” (5% or more)."
    page.select_option("#filter-system", "PRDC")
    assert page.locator("#overflow-picture td.cell").count() == DAYS


def test_a_group_of_buttons_is_one_stop_and_arrows_move_in_it(page: Any):
    panels = page.locator("#msu-picture button.panel")
    assert [panels.nth(n).get_attribute("tabindex") for n in range(3)] == ["0", "-1", "-1"]
    panels.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "system=PRDB" in page.url
    # The redrawn picture has the focus at the same name.
    assert page.evaluate("document.activeElement.querySelector('b').textContent") == "PRDB"
    page.keyboard.press("Enter")
    assert "#" not in page.url


# --- Tables --------------------------------------------------------------------------------------------------------------


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


# --- Without script, on paper, and odd lakes ------------------------------------------------------------------------------


def test_without_script_text_and_tables_are_there(browser: Any, month: Path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(month.as_uri())
    for h in MADE.happened:
        assert page.get_by_text(h.sentence).first.is_visible()
    for s in MADE.sections:
        assert page.get_by_text(s.finding).first.is_visible()
        assert page.locator(f"#{s.id}-rows tbody tr").first.is_visible()
        assert page.locator(f"#{s.id}-rows tbody tr").count() == min(20, len(s.rows))
    assert not page.locator("#filter").is_visible()
    assert page.get_by_text(MADE.unknown[0]).is_visible()
    context.close()


def test_the_table_without_script_is_the_first_one_with_it(browser: Any, month: Path, page: Any):
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(month.as_uri())
    rows = "rows => rows.slice(0, 10).map(r => [...r.cells].map(c => c.textContent))"
    for s in MADE.sections:
        at = f"#{s.id}-rows tbody tr"
        assert bare.locator(at).evaluate_all(rows) == page.locator(at).evaluate_all(rows), s.id
    context.close()


def test_paper_has_all_pictures(page: Any):
    paper = page.pdf(prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") in range(3, 9)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('.picture svg')].every(s => s.viewBox.baseVal.width <= 1000)")
    assert not page.locator("#filter").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("#filter").is_visible()


WILD = '</script><img src=x onerror="alert(1)">&amp;'


def small(rows: Rows, chart: Chart, **names: tuple[str, ...]) -> LakePage:
    filters = {"system": "system", "time": "start"}
    only = Section("one", f"What of {WILD}?", f"It is {WILD}.", chart, rows, filters, note=WILD)  # type: ignore[arg-type]
    happened = Happened(f"{WILD} happened", WILD, Select(system=WILD), "one", f"{WILD}.txt, page 1, line 2")
    return LakePage(
        WILD, dt.datetime(2026, 11, 22, 6), f"ironlake page --lake {WILD}", "0.1.0", START.date(), START.date(), START,
        Names(**names), (happened,), (only,), (WILD,),
    )  # fmt: skip


SYSTEM, START_COLUMN = Column("system", WILD, kind="text"), Column("start", "Start", kind="time")


@pytest.mark.parametrize(
    "chart",
    [
        Chart("lines", "start", "value", split="system", limit="limit"),
        Chart("lines", "start", "value", series="system"),
        Chart("bars", "value", "system"),
        Chart("bars", "value", "system", series="system", split="system", fold="sum"),
        Chart("heat", "start", "system", value="value", steps=((1, WILD), (2, "x"))),
        Chart("heat", "system", "system", value="value"),
        Chart("strip", "start", "system", value="value", steps=((1, WILD),), split="system"),
        Chart("none"),
    ],
    ids=lambda c: f"{c.form}-{c.series or c.split or c.x or 'table'}",
)
def test_names_with_markup_stay_text(browser: Any, tmp_path: Path, chart: Chart):
    columns = (SYSTEM, START_COLUMN, Column("value", WILD, WILD, 1), Column("limit", WILD, "", 1))
    rows = Rows(columns, ([WILD, WILD, "=1+1"], [0, HOUR, 0], [1.5, 2.5, 3.0], [4.0, 4.0, None]))
    path = tmp_path / "wild.html"
    path.write_text(document(small(rows, chart, systems=(WILD, "=1+1"))), "utf-8")
    page, requests, complaints = opened(browser, path)
    assert page.locator("img").count() == 0
    assert page.locator("h2#one").text_content() == f"What of {WILD}?"
    assert page.locator("#one-rows tbody").text_content().count(WILD) == 2
    page.locator("button.finding").click()
    assert shown_rows(page, "one") == 2
    assert page.locator("#filter-system").input_value() == WILD
    with page.expect_download() as download:
        page.click("#clear")
        page.locator("#one-table").evaluate("t => { t.open = true; }")
        page.click("#one-rows .csv")
    assert "'=1+1" in Path(download.value.path()).read_text("utf-8-sig")
    assert (requests, complaints) == ([], [])
    page.close()


def test_an_empty_lake_says_so(browser: Any, tmp_path: Path):
    empty = LakePage(
        "none", dt.datetime(2026, 11, 22, 6), "ironlake page", "0.1.0", unknown=("Everything: the lake has no rows.",)
    )
    path = tmp_path / "empty.html"
    path.write_text(document(empty), "utf-8")
    page, requests, complaints = opened(browser, path)
    assert page.locator("h1").text_content() == "This lake has no printed intervals yet"
    assert page.get_by_text("Everything: the lake has no rows.").is_visible()
    assert Axe().run(page).response["violations"] == []
    assert (requests, complaints) == ([], [])
    page.close()


@pytest.mark.parametrize("count", [1, 5000])
def test_one_interval_and_many(browser: Any, tmp_path: Path, count: int):
    rows = Rows(
        (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1)),
        (["A"] * count, [n * 900 for n in range(count)], [float(n % 97) + 1 for n in range(count)]),
    )
    last = START.date() + dt.timedelta(seconds=(count - 1) * 900)
    one = replace(
        small(rows, Chart("lines", "start", "value", split="system"), systems=("A",)), last_day=last, happened=()
    )
    path = tmp_path / "one.html"
    path.write_text(document(one), "utf-8")
    page, requests, complaints = opened(browser, path)
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
    assert (requests, complaints) == ([], [])
    page.close()


def test_days_start_at_midnight_where_the_axis_does_not(browser: Any, tmp_path: Path):
    columns = (SYSTEM, START_COLUMN, Column("value", "Value", "MSU", 1))
    rows = Rows(columns, (["A"] * 3, [0, HOUR, 2 * HOUR], [1.0, 2.0, 4.0]))
    of = small(rows, Chart("lines", "start", "value", split="system"))
    path = tmp_path / "late.html"
    path.write_text(document(replace(of, axis_start=START + dt.timedelta(hours=5))), "utf-8")
    page, requests, complaints = opened(browser, path, "#to=2026-10-23T07:00")
    assert page.get_by_role("slider", name="From").get_attribute("aria-valuetext") == "Fri 23 Oct 00:00"
    assert page.get_by_role("slider", name="To").get_attribute("aria-valuemax") == str(19 * HOUR)
    assert shown_rows(page, "one") == 2
    assert page.locator("#one-rows tbody td:nth-child(2)").all_text_contents() == [
        "Fri 23 Oct 06:00",
        "Fri 23 Oct 05:00",
    ]
    assert (requests, complaints) == ([], [])
    page.close()


def test_the_examples_of_how_values_are_written():
    found = doctest.testmod(written_values)
    assert (found.failed, found.attempted >= 3) == (0, True)


def test_a_value_that_is_no_number_is_refused():
    rows = Rows((SYSTEM, Column("value", "Value", "", 1)), (["A", "B"], [1.0, float("inf")]))
    with pytest.raises(ValueError, match="column value: a value is not a number"):
        document(small(rows, Chart("bars", "value", "system"), systems=("A",)))
