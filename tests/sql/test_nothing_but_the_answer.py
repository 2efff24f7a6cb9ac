"""What answers a question writes the answer alone, however long it takes: DuckDB has a progress bar for processes without a script.

It shows the bar after two seconds. Here after a thousandth of one, on every connection that is made."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PATIENCE_S
from ironlake.pipeline.lake.lake import Lake
from lake_rows import add, entry
from sample_pages import ROOT

SOON = """
import sys, duckdb
plain = duckdb.connect
def connect(*given, **named):
    connection = plain(*given, **named)
    connection.execute("SET progress_bar_time = 1")
    return connection
duckdb.connect = connect
question = "SELECT count(*) AS n FROM range(20000000) WHERE hash(range) % 2 = 3"
"""
FROM_PYTHON = """
from ironlake.pipeline import open_lake
from ironlake.pipeline.sql.connection import connect
with open_lake(sys.argv[1]) as lake:
    print(lake.sql(question).fetchall())
    with lake.database() as connection:
        print(connection.execute(question).fetchall())
print(connect().execute(question).fetchall())
"""
COMMAND = """
from ironlake.pipeline.cli.main import main
sys.argv = ["ironlake", "sql", question, "--format", "csv", "--lake", sys.argv[1]]
main()
"""
DUCKDB_ALONE = "print(connect().execute(question).fetchall())"


@pytest.mark.slow
def test_no_bar_is_in_an_answer(tmp_path: Path):
    with Lake(tmp_path / "lake") as lake:
        add(lake, entry("a"))

    def written(code: str) -> str:
        command = [sys.executable, "-c", SOON + code, str(tmp_path / "lake")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S)
        assert not done.stderr
        return done.stdout

    assert "100%" in written(DUCKDB_ALONE)
    assert written(FROM_PYTHON) == "[(0,)]\n" * 3
    assert written(COMMAND) == "n\n0\n"


def test_one_module_alone_connects():
    """A notebook is no script either: there is no bar where every connection is made here."""
    folders = ("api", "parsers", "pipeline", "dashboards")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    calls = re.compile(r"\bduckdb\s*\.\s*(connect|sql|query|execute|default_connection)\b|from duckdb import")
    assert len(files) > 100
    assert [file.name for file in files if calls.search(file.read_text("utf-8"))] == ["connection.py"]
