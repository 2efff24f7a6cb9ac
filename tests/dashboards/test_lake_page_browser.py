"""The page of a lake in a browser. Expected values are counted from the rows of made_lake_page.py."""

import csv
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from ironlake.dashboards.lake_page.page import document
from made_lake_page import made_page
from pages import NOT_INSIDE, opened

MADE = made_page()
# The names of the panels of a section, or of the rows of its table, that are shown.
PANELS = "id => [...document.querySelectorAll(`#${id}-picture .panel:not([hidden]) b`)].map(e => e.textContent)"
ROWS = "id => [...document.querySelectorAll(`#${id}-table tbody tr:not([hidden])`)].map(e => e.cells[0].textContent)"
SMALL = """() => [...document.querySelectorAll("button, a[href], select, summary")].filter((e) => e.checkVisibility())
    .map((e) => [e.textContent.slice(0, 30), e.getBoundingClientRect()]).filter(([, b]) => b.width < 24 || b.height < 24).map(([text]) => text)"""


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lake_page") / "today.html"
    path.write_text(document(MADE), "utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(380, "dark"), (1280, "light")])
def test_the_page_of_a_month(browser: Any, month: Path, width: int, scheme: str):
    """Of 20 systems: what is said first, what a finding, a list and a link show, who can read it; no request, no complaint of a script."""
    assert month.stat().st_size < 650_000
    page, requests, complaints = opened(browser, month, "#class=DDFHI")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert page.locator("#chosen").text_content() == "Only class DDFHI"
    assert page.evaluate(PANELS, "goals") == ["DDFHI"]
    assert page.evaluate(ROWS, "cost") == ["SHOPPLEX"]
    page.click("#clear")
    page.wait_for_timeout(50)
    assert "#" not in page.url
    # The finding that costs most is the heading, and its card is in sight.
    assert page.locator("h1").text_content() == f"Sat 21 Nov 2026: {MADE.happened[0].sentence}"
    assert page.locator(".kicker").text_content() == "4 things to look at, 3 new"
    assert page.locator(".finding").first.bounding_box()["y"] < 400
    assert page.locator(".finding .severity").all_text_contents() == ["Serious", "Watch", "Watch", "Watch"]
    assert page.locator(".finding .chip").count() == 3
    page.locator(".finding a").nth(3).click()
    assert page.url.endswith("#system=PRDC")
    assert page.evaluate("document.activeElement.id") == "overflow"
    assert page.evaluate(PANELS, "overflow") == ["PRDC"]
    assert (
        page.locator("#cost-table").evaluate("t => t.closest('.question').querySelector('.unfiltered').textContent")
        == "Not filtered by system."
    )
    # Printed for several systems together, or not for this one.
    page.select_option("#filter-system", label="PRDB")
    assert page.locator("#pools-picture .panel:not([hidden])").count() == 1
    page.go_back()
    page.select_option("#filter-sysplex", label="TESTPLEX")
    page.select_option("#filter-system", "")
    # Systems without their sysplex are those of the sysplex that other sections know.
    assert page.evaluate(ROWS, "reuse") == []
    page.click("#clear")
    page.wait_for_timeout(50)
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    with page.expect_download() as download:
        page.click("#msu-picture-csv")
    lines = list(csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
    assert lines[0] == ["name", "time", "measure", "value", "unit"]
    rows = MADE.sections[0].rows
    of_prda = {
        value
        for name, value in zip(rows.of("system"), rows.of("rolling_msu"), strict=True)
        if name == "PRDA" and value is not None
    }
    saved = [line for line in lines if line[0] == "PRDA" and line[2].startswith("Rolling")]
    assert len(saved) == 719
    assert float(max(saved, key=lambda line: float(line[3]))[3]) == pytest.approx(max(of_prda), rel=1e-5)
    assert saved[0][1] == "2026-10-23 00:00"
    assert page.evaluate(f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}")
    assert page.evaluate(NOT_INSIDE) == []
    assert [(v["id"], v["nodes"][0]["html"]) for v in Axe().run(page).response["violations"]] == []
    assert page.evaluate(SMALL) == []
    assert (requests, complaints) == ([], [])
    page.close()


def test_without_script_and_on_paper_all_is_there(browser: Any, month: Path):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(month.as_uri())
    assert not page.locator("#filter").is_visible()
    for told in MADE.happened:
        assert page.get_by_text(told.sentence).first.is_visible()
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") in range(2, 7)
    # Each fold opens without a script.
    for fold in page.locator(".calm > summary").all():
        fold.click()
    for section in MADE.sections:
        assert page.locator(f"#{section.id}-finding").is_visible()
        assert page.locator(f"#{section.id}-table thead th").count() == len(section.rows.columns)
        if section.chart.form != "none":
            picture = page.locator(f"#{section.id}-picture svg.chart:visible").first
            assert picture.get_attribute("role") == "img"
    assert page.evaluate(NOT_INSIDE) == []
    page.emulate_media(media="print")
    shown = [page.locator(f"#{section.id}-finding").is_visible() for section in MADE.sections]
    drawn = [section.id for section in MADE.sections if page.locator(f"#{section.id}-picture").is_visible()]
    assert all(shown)
    assert drawn == ["goals", "cost", "overflow", "coverage"]
    context.close()
