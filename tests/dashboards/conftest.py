"""Made once: the small month as reports, as a lake, and as the facts of its page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from compared_runs import Comparison, measured_comparisons
from ironlake.dashboards.lake_page.contract import LakePage
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.models.generate import Order, generate
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from made_once import made_once
from one_lake import pytest_pycollect_makeitem
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
def compared() -> Iterator[list[Comparison]]:
    """What test files asked for with `comparison`, by number: measured once for all."""
    yield from measured_comparisons()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of the reports of the demo, given with their folder."""
    path = tmp_path_factory.mktemp("demo") / "lake"
    assert ingest([str(SAMPLES / "demo")], path, Options(), jobs=1).exit_code(strict=True) == 0
    return path
