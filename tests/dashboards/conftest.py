"""Made once: the small month as reports, as a lake, and as the facts of its page; and the page of a month made by hand."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from compared_runs import Comparison, measured_comparisons
from ironlake.dashboards.lake_page.contract import LakePage
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import document
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from ironlake.pipeline.synthesis.generate import Order, generate
from lake_page_browser import MADE
from made_once import made_once
from one_lake import pytest_pycollect_makeitem
from pages import DRAWN_ANEW, opened, show, tab
from sample_pages import SAMPLES

__all__ = ["pytest_pycollect_makeitem"]

MODEL = Path(__file__).with_name("small_month.yaml")


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        generate(MODEL, folder / "reports", Order())
        report = ingest([str(folder / "reports")], folder / "lake", Options(), jobs=1)
        assert report.exit_code(strict=True) == 0

    return made_once(tmp_path_factory, "month", make) / "reports"


@pytest.fixture(scope="session")
def lake(reports: Path) -> Iterator[OpenLake]:
    with open_lake(reports.parent / "lake") as opened:
        yield opened


@pytest.fixture(scope="session")
def page(lake: OpenLake) -> LakePage:
    return lake_page(lake, Wanted(30, None, "ironlake page"))


@pytest.fixture(scope="session")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lake_page") / "today.html"
    path.write_text(document(MADE), "utf-8")
    return path


@pytest.fixture(scope="session")
def compared() -> Iterator[list[Comparison]]:
    """What test files asked for with `comparison`, by number: measured once for all."""
    yield from measured_comparisons()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of the reports of the demo, given with their folder."""
    path = tmp_path_factory.mktemp("demo") / "lake"
    assert ingest([str(SAMPLES / "demo")], path, Options(), jobs=1).exit_code(strict=True) == 0
    return path


# What a reader sees of the page and may have changed.
_STATE = """document.querySelector("main").outerHTML + location.href
  + [...document.querySelectorAll("select, input")].map((e) => e.value)"""


@pytest.fixture(scope="session")
def _month_tab(browser: Any, month: Path) -> Iterator[tuple[Any, list[str], list[str]]]:
    yield (found := opened(browser, month))
    found[0].close()


@pytest.fixture
def month_page(_month_tab: tuple[Any, list[str], list[str]], month: Path) -> Iterator[Any]:
    """The page of the month as it is after opening: one tab for all tests, opened anew where one before left something changed."""
    page, requests, complaints = _month_tab
    page.set_viewport_size({"width": 1400, "height": 900})
    page.emulate_media(color_scheme="light", media="screen")
    page.evaluate("document.getElementById('clear').click()")
    page.evaluate(DRAWN_ANEW)
    if not page.evaluate(f"globalThis.first === {_STATE}"):
        show(page, month)
        page.evaluate(f"globalThis.first = {_STATE}")
    yield page
    assert (requests, complaints) == ([], [])


@pytest.fixture(scope="session")
def _tab(browser: Any) -> Iterator[tuple[Any, list[str], list[str]]]:
    yield (found := tab(browser))
    found[0].close()


@pytest.fixture
def shown(_tab: tuple[Any, list[str], list[str]], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Shows the page of other facts, at a fragment, in one tab for all tests."""
    page, requests, complaints = _tab

    def of(facts: LakePage, fragment: str = "") -> Any:
        (tmp_path / "page.html").write_text(document(facts), "utf-8")
        show(page, tmp_path / "page.html", fragment)
        return page

    yield of
    assert (requests, complaints) == ([], [])
