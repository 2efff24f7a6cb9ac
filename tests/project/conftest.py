"""The folder that `make demo` makes, once for all that only read it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

import pytest
from ironlake.pipeline.cli.demo import demo
from sample_pages import ROOT


class Demo(NamedTuple):
    """A folder as the project is after `make demo`, and what that printed."""

    folder: Path
    printed: str


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    (folder / "sample_reports").symlink_to(ROOT / "sample_reports")
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as printed:
        demo(folder / "demo")
        printed.flush()
        return Demo(folder, printed.buffer.getvalue().decode())
