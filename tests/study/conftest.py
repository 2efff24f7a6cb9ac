"""The lake of the demonstration, for all that only read it or copy it."""

from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from one_lake import pytest_pycollect_makeitem
from sample_pages import SAMPLES

__all__ = ["pytest_pycollect_makeitem"]


@pytest.fixture(scope="session")
def demo_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("demo") / "lake"
    assert ingest([str(SAMPLES / "demo")], lake, Options()).exit_code(strict=True) == 0
    return lake
