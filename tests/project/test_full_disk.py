"""A file that cannot be written is named by whatever command writes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import sample
from sizes import some

# A limit on the size of files fails writing in the same way as a disk that is full; the folder for temporary files is on another disk.
PROGRAM = """
import resource, sys, tempfile
from ironlake.pipeline.cli.main import program
tempfile.gettempdir()
# Python would leave its compiled modules cut, for every test that follows.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
program()
"""
RUNS = ["--run", "a=2016-09-20T08:30/08:45", "--run", "b=2016-09-20T08:30/08:45"]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "lake"
    ingest([str(sample("velocity_goal")), str(sample("junk_lines"))], path, Options(), jobs=1)
    return path


@pytest.mark.parametrize(
    ("arguments", "file"),
    some(
        [
            (["study", "init", "--out", "study.yaml"], "study.yaml"),
            (["rejects", "--bug-report", "report.md"], "report.md"),
            (["anonymize", str(sample("velocity_goal")), "--out", "shared"], "shared/report_001.txt"),
            (["generate", "jdbc_drivers", "--out", "reports"], "reports/"),
            (["compare", *RUNS, "--out", "page.html"], "page.html"),
            (["catalog", "--out", "lake.duckdb"], "lake.duckdb"),
            (["sql", "SELECT 1", "--format", "parquet"], "standard output"),
        ],
        3,
    ),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_written_is_named(lake, tmp_path, monkeypatch, arguments, file):
    monkeypatch.setenv("IRONLAKE_LAKE", str(lake))
    with (tmp_path / "out").open("wb") as out:
        answer = out if file == "standard output" else subprocess.PIPE
        command = [sys.executable, "-c", PROGRAM, *arguments]
        done = subprocess.run(command, cwd=tmp_path, stdout=answer, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1, done.stderr
    last = [line for line in done.stderr.splitlines() if line.startswith("ironlake: ")][-1]
    assert file in last
    assert "File too large" in last or "cannot write lake.duckdb" in last
    assert "Traceback" not in done.stderr
