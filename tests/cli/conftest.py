"""Commands over a small lake."""

from typing import Any

import pytest
from command_line import command_line
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, GOAL, add, entry


@pytest.fixture(scope="session")
def lake_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "lake"
    writer = Lake(path)
    add(writer, entry("a"), entry("b", lines=4))
    add(writer, entry("c", lines=6), tables=(ACTIVITY, GOAL))
    return path


@pytest.fixture
def run(lake_path, monkeypatch, capsysbinary):
    """Run a command in this process over the small lake; gives exit code, output and errors."""
    monkeypatch.setenv("IRONLAKE_LAKE", str(lake_path))
    command: Any = command_line(monkeypatch, capsysbinary)

    def run_command(*arguments: object) -> tuple[int, bytes, str]:
        code, out, err = command(*arguments)
        return code, out, err.decode()

    return run_command
