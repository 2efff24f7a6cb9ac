"""--memory bounds what DuckDB takes; what does not fit is spilled to a private folder that goes away."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import ironlake
import pytest
from command_line import PATIENCE_S, PROGRAM, Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.lake import Lake
from lake_rows import add, entry
from sample_pages import ROOT

STUDIES = ROOT / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"

# Numbers in an order that must be found: 24 bytes of keys each.
SORTED = "SELECT n FROM (SELECT hash(range) AS n, hash(range + 1) AS m, hash(range + 2) AS o FROM range({})) ORDER BY n, m, o"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    with Lake(tmp_path / "lake") as writer:
        add(writer, entry("a"))
    return tmp_path / "lake"


TOO_LITTLE = "1MB of memory is too little for a query; expected 100MB or more"


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("4", "'4' is not a size of memory; expected a number and MB, GB, MiB or GiB"),
        ("lots", "'lots' is not a size of memory"),
        ("-1GB", "'-1GB' is not a size"),
        ("80%", "'80%' is not a size"),
        ("1GB; SET x", "is not a size"),
        ("nanGB", "is not a size"),
        ("1MB", TOO_LITTLE),
        ("0GB", "0GB of memory is too little"),
    ],
)
def test_a_bound_that_is_none_is_said(run: Command, lake: Path, tmp_path: Path, size: str, said: str) -> None:
    page = ["--run", "a=2026-01-01T00:00/01:00", "--run", "b=2026-01-02T00:00/01:00", "--out", str(tmp_path / "page")]
    for command in (
        *(["sql", "SELECT 1"], ["check"], ["export", "--out", tmp_path / "out"], ["compare", *page], ["rejects"]),
        *(["catalog", "--out", tmp_path / "file"], ["study", "init"], ["study", "show"], ["study", "check", STUDIES]),
        ["study", "add", STUDIES],
    )[: None if said == TOO_LITTLE else 1]:
        code, out, err = run(*command, "--memory", size, "--lake", lake)
        assert (code, out, said in err) == (2, "", True), err
    assert [p.name for p in tmp_path.iterdir()] == ["lake"]


def test_every_session_of_a_lake_has_the_bound(lake: Path) -> None:
    asked = "SELECT current_setting('memory_limit')"
    with open_lake(lake, memory="1 GiB") as opened:
        assert opened.sql(asked).fetchall() == [("1.0 GiB",)]
        with opened.database() as connection:
            assert connection.execute(asked).fetchall() == [("1.0 GiB",)]
    with ironlake.open_lake(lake, memory="1 GiB") as opened:
        assert opened.sql(asked).fetchall() == [("1.0 GiB",)]


def test_without_a_bound_there_is_room_for_what_arrow_reads(lake: Path) -> None:
    """DuckDB's own limit is four fifths of what there is, ours three."""
    asked = "SELECT current_setting('memory_limit')"
    with open_lake(lake) as opened:
        answers = [opened.sql(asked).fetchall(), duckdb.connect().execute(asked).fetchall()]
    ours, theirs = (float(size.removesuffix(" GiB")) for ((size,),) in answers)
    assert ours / theirs == pytest.approx(0.75, abs=0.02)


def test_what_does_not_fit_is_spilled_and_removed(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spills = tmp_path / "temporary"
    spills.mkdir()
    monkeypatch.setenv("TMPDIR", str(spills))
    monkeypatch.setattr(tempfile, "tempdir", str(spills))
    with open_lake(lake, memory="100MB") as opened:
        answer = opened.sql(SORTED.format(5_000_000)).reader()
        first = answer.read_next_batch()
        (folder,) = spills.iterdir()
        assert sum(p.stat().st_size for p in folder.iterdir()) > 25_000_000
        assert folder.stat().st_mode & 0o077 == 0
        assert first.column("n")[0].as_py() < first.column("n")[1].as_py()
        del answer
    assert list(spills.iterdir()) == []


def test_an_answer_that_cannot_be_spilled_ends_in_words(lake: Path) -> None:
    with open_lake(lake, memory="100MB") as opened:
        with pytest.raises(IronlakeError, match=r"(?i)memory"):
            opened.sql("SELECT length(string_agg(repeat('x', 1000), '')) FROM range(1000000)").fetchall()
        assert opened.sql("SELECT 1").fetchall() == [(1,)]


@pytest.mark.slow
def test_a_bounded_command_takes_less_than_one_without(lake: Path, tmp_path: Path) -> None:
    """Of the whole process, its libraries included."""

    def peak(*options: str) -> int:
        code = "import os, resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        code += "print(r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        query = (
            "SELECT count(*) FROM (SELECT DISTINCT hash(range), hash(range + 1), hash(range + 2) FROM range(10000000))"
        )
        command = [sys.executable, "-c", code, *PROGRAM, "sql", query, "--lake", str(lake), *options]
        environment = os.environ | {"TMPDIR": str(tmp_path)}
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S, env=environment)
        assert done.stdout.split()[0] == "0", done.stderr
        return int(done.stdout.split()[1]) * 1024

    without, bounded = peak(), peak("--memory", "200MB")
    # Ten million times three numbers are 240 MB, and the libraries take a hundred.
    assert without > 450_000_000
    assert bounded < 400_000_000


def test_a_sum_of_exact_numbers_is_repeatable(lake: Path) -> None:
    """As docs/tools.md says: two threads add up decimals in an order that varies, whole multiples of a millionth in any."""
    with open_lake(lake) as opened:
        exact = "SELECT sum(CAST((range % 10) * 0.1e0 AS DECIMAL(30, 6))) AS sum FROM range(3000000)"
        # 300,000 times 0.0 to 0.9, which are 4.5 together.
        assert {str(opened.sql(exact).fetchall()[0][0]) for _ in range(5)} == {"1350000.000000"}
