"""Commands over a small lake."""

import sys

import pytest
from ironlake.pipeline.cli import main as cli
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

    def run_command(*arguments: object) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["ironlake", *map(str, arguments)])
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run_command
