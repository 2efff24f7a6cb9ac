"""The file of a comparison: names are data, no network, every row leads to its print, and it opens offline."""

import re
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from compared_runs import RUNS, Comparison, class_rows, comparison
from ironlake.dashboards.document import document
from pages import assert_fits, opened, show, wait_until
from views_lake import heading

PLAIN = comparison(rmf_workload_activity=class_rows())


def test_headline_says_what_changed_and_every_row_leads_to_its_print(compared: list[Comparison]):
    """CP 40 and 60% of two minutes, 60 s for 4,000 transactions, then 30%, 36 s for as many; zIIP time of 20% in both."""
    headline, page = compared[PLAIN].headline, compared[PLAIN].page
    said = "“after” needs 40.0% less general-processor time than “before” (50 → 30% of one engine)"
    assert headline == f"{said}. Weak evidence: too few intervals for a 95% interval."
    assert f"<h1>{said}</h1>" in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.replace("&#39;", "'"))
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "script-src 'unsafe-inline'" not in policy[1]
    assert "http" not in policy[1]
    text = re.sub(r'<script type="text/plain".*?</script>', "", page, flags=re.S)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", text)
    (before,) = re.findall(r'<a href="#source-(\d+)">\[\1\]</a> page 1, line 10', page)[:1]
    (after,) = re.findall(r'<a href="#source-(\d+)">\[\1\]</a> page 1, line 40', page)[:1]
    assert before != after
    assert 'title="before.txt page 1 line 10 and 1 more"' in page
    source = re.search(rf'<tr id="source-{after}">.*?</tr>', page)
    assert source
    assert "after.txt" in source[0]
    assert "30 to 40" in source[0]


EVIL = "<script>alert('x')</script>"


def _evil() -> int:
    rows = [row | {"source_file": EVIL} for row in class_rows(service_class=EVIL, workload=EVIL)]
    goal = heading() | {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": EVIL, "period": 1}
    goal |= {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 40.0, "velocity_pct": 20.0}
    goal |= {"performance_index": 2.0, "line": 12, "source_file": "before.txt"}
    runs = {EVIL: RUNS["before"], "a'b\"c": RUNS["after"]}
    return comparison(runs, rmf_workload_activity=rows, rmf_workload_goal=[goal])


EVIL_NAMES = _evil()
ALONE = comparison({"only": RUNS["before"]}, rmf_workload_activity=class_rows(appl_iip_pct=75.0))


def test_names_from_reports_are_data(compared: list[Comparison]):
    page = compared[EVIL_NAMES].page
    assert "<script>alert" not in page
    # Charts and library, and those of page.html.
    assert page.count("<script") == 2 + 5
    figure = compared[EVIL_NAMES].pictures["study_1_cpu_by_service_class"]
    assert (figure["rows"], figure["series"][0]["words"][0][0]) == ([EVIL, "a'b\"c"], EVIL)


def test_one_run_alone_makes_a_page(compared: list[Comparison]):
    headline, page = compared[ALONE].headline, compared[ALONE].page
    assert headline.startswith(
        "“only” uses 50.0% of one engine in general-processor time; nothing to compare yet: add a run."
    )
    assert "against only" not in page
    # Of one class.
    assert "All 1 service class, by general-processor time" in page


def test_page_opens_offline(browser: Any, tmp_path: Path, compared: list[Comparison]):
    page, requests, complaints = opened(browser, compared[EVIL_NAMES].write(tmp_path))
    assert page.locator(".picture svg.wide").count() == len(compared[EVIL_NAMES].pictures)
    assert_fits(page)
    # Of one study, whose section is headed "Configurations".
    assert [v["id"] for v in Axe().run(page).response["violations"]] == []
    assert EVIL in page.locator("#study_1_cpu_by_service_class").text_content()
    ink = "getComputedStyle(document.querySelector('#study_1_cpu_by_service_class svg text')).fill"
    dark = page.evaluate(ink)
    page.click("#theme")
    assert page.evaluate(ink) != dark
    with page.expect_download() as download:
        page.click("#study_1_cpu_by_service_class-csv")
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "class,configuration,General-processor time,source,measure,value,unit"
    measure = "Not zIIP-eligible (% of one engine),45,% of one engine"
    assert any(
        line.startswith(f"{EVIL},{EVIL},50,") and f'page 1, line 10 + 1 more",{measure}' in line for line in lines
    )
    assert (requests, complaints) == ([], [])
    page.close()


ZOOMED = "document.querySelector('#study_1_cpu_by_service_class .main-svg .bars .point')"


def test_plotly_takes_a_chart_over_when_asked_and_gives_it_back(
    browser: Any, tmp_path: Path, compared: list[Comparison]
):
    """And an address of no place stops nothing: the fragment is none of the page, and then none at all."""
    path = compared[PLAIN].write(tmp_path)
    page, requests, complaints = opened(browser, path, "#%E0%A4%A")
    assert page.evaluate("globalThis.Plotly") is None
    zoom, drawn = (
        page.locator("#study_1_cpu_by_service_class-zoom"),
        page.locator("#study_1_cpu_by_service_class svg.wide"),
    )
    zoom.click()
    wait_until(page, f"{ZOOMED} !== null")
    assert (zoom.get_attribute("aria-pressed"), drawn.is_visible()) == ("true", False)
    ink = "getComputedStyle(document.querySelector('.ytick text')).fill === getComputedStyle(document.body).color"
    wait_until(page, ink)
    page.click("#theme")
    wait_until(page, ink)
    # On paper it is the picture again, and every other one takes the same library.
    page.emulate_media(media="print")
    assert drawn.is_visible()
    page.emulate_media(media="screen")
    for button in page.locator("button[id$=-zoom]").all():
        if button.is_visible() and button.get_attribute("aria-pressed") == "false":
            button.click()
    wait_until(page, "document.querySelectorAll('.zoomed .main-svg').length > 1")
    zoom.click()
    wait_until(page, f"{ZOOMED} === null")
    assert drawn.is_visible()
    show(page, path, "#\"]'")
    assert (requests, complaints) == ([], [])
    page.close()


def test_a_static_page_has_no_library_and_all_pictures_are_there_without_a_script(
    browser: Any, tmp_path: Path, compared: list[Comparison]
):
    whole, small = document(compared[PLAIN].rendered), document(compared[PLAIN].rendered, is_static=True)
    assert len(whole) < 2_200_000
    assert len(small) < 500_000
    assert 'id="library"' not in small
    (tmp_path / "page.html").write_text(small, "utf-8")
    page = browser.new_page(java_script_enabled=False, viewport={"width": 380, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    shown = page.locator("svg.chart:visible")
    assert shown.count() == len(compared[PLAIN].pictures)
    assert {svg.get_attribute("role") for svg in shown.all()} == {"img"}
    page.close()
    page, _, complaints = opened(browser, tmp_path / "page.html")
    assert page.locator("button[id$=-zoom]:visible").count() == 0
    assert complaints == []
    page.close()
