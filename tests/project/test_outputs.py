"""What commands write: they replace what they wrote themselves and nothing else without --force; errors name what the user named; long
commands say what they do."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from command_line import Command
from ironlake.dashboards.charts import image_files
from ironlake.dashboards.charts.chart import Chart
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import sample
from terminals import stream

RUNS = ["--run", "a=2016-09-20T08:30/08:45", "--run", "b=2016-09-20T08:30/08:45"]
COMPARE, CHECK = ["compare", *RUNS], ["check"]
CATALOG, EXPORT = ["catalog"], ["export", "--table", "rmf_workload_activity"]
# Names that Ironlake gives for a while, and that mean nothing to anybody.
HIDDEN = re.compile(r"/\.|(?:^|[\s'\"])\.\w|\.partial|_tmp/|spilled")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs") / "lake"
    ingest([str(sample("velocity_goal"))], path, Options(), jobs=1)
    return path


@pytest.fixture
def here(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("IRONLAKE_LAKE", str(lake))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def on_a_terminal(run: Command, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> str:
    """What a command that ends well shows of itself."""
    with stream(True) as (err, shown):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", err)
            code, _, _ = run(*command)
        err.close()
    assert code == 0, shown()
    return shown().decode()


# --- What is there already --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "kind"), [(COMPARE, "page"), (CHECK, "page"), (CATALOG, "catalog")], ids=str)
@pytest.mark.parametrize("content", [b"", b"<!DOCTYPE html><html><body>mine</body></html>", b"12345678DUCK" + bytes(9)])
def test_another_file_is_not_overwritten(here: Path, run: Command, command: list[str], kind: str, content: bytes):
    (here / "out").write_bytes(content)
    code, out, err = run(*command, "--out", "out")
    assert (code, out) == (2, "")
    assert err.startswith(
        f"ironlake: out is not a {kind} that Ironlake wrote; expected a new file, or a {kind} to replace\n"
    )
    assert err.endswith("--force to overwrite it\n")
    assert (here / "out").read_bytes() == content
    assert [p.name for p in here.iterdir()] == ["out"]


@pytest.mark.slow
def test_another_catalog_is_overwritten_by_force_and_its_own_without(
    here: Path, run: Command, monkeypatch: pytest.MonkeyPatch
):
    (here / "out").write_bytes(b"my notes\n")
    assert run(*CATALOG, "--out", "out", "--force")[0] == 0
    # Also while it is open.
    (here / "out").touch()
    with duckdb.connect(str(here / "out"), read_only=True) as opened:
        shown = on_a_terminal(run, monkeypatch, [*CATALOG, "--out", "out"])
        assert opened.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(1,)]
    assert "writing comments" in shown
    assert shown.rpartition("\r\x1b[K")[2] == ""
    written = (here / "out").read_bytes()
    assert run(*COMPARE, "--out", "out")[0] == 2
    assert (here / "out").read_bytes() == written
    # The page of a check may take the place of a comparison: both are ours.
    for command in (COMPARE, CHECK):
        assert run(*command, "--out", "page")[0] == 0
    assert b"<h1" in (here / "page").read_bytes()
    assert sorted(p.name for p in here.iterdir()) == ["out", "page"]


def test_a_database_of_the_user_is_not_overwritten(here: Path, run: Command):
    with duckdb.connect(str(here / "mine.duckdb")) as mine:
        mine.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        # Also while it is open.
        assert run(*CATALOG, "--out", "mine.duckdb")[0] == 2
    with duckdb.connect(str(here / "mine.duckdb")) as mine:
        assert mine.sql("FROM kept").fetchall() == [(42,)]


def test_an_export_keeps_files_of_others(here: Path, run: Command):
    assert run(*EXPORT, "--out", "out")[0] == 0
    (here / "out" / "notes.txt").write_text("mine")
    code, _, err = run(*EXPORT, "--out", "out")
    assert code == 2
    assert err.startswith("ironlake: out has files that no export wrote, such as notes.txt;")
    (here / "out" / "rmf_workload_activity.csv").write_text("mine too")
    assert run(*EXPORT, "--format", "csv", "--out", "out")[0] == 2
    assert run(*EXPORT, "--format", "csv", "--out", "out", "--force")[0] == 0
    assert sorted(p.name for p in (here / "out").iterdir()) == ["ironlake_export.json", "notes.txt", "rmf_workload_activity.csv"]  # fmt: skip
    assert (here / "out" / "notes.txt").read_text() == "mine"
    assert (here / "out" / "rmf_workload_activity.csv").read_text().startswith("sysplex,")
    assert list(json.loads((here / "out" / "ironlake_export.json").read_bytes())["rows"]) == [
        "rmf_workload_activity.csv"
    ]
    assert [p.name for p in here.iterdir()] == ["out"]


def test_an_export_never_replaces_folders_of_others(here: Path, run: Command):
    (here / "out" / "mine").mkdir(parents=True)
    (here / "out" / "mine" / "notes.txt").write_text("mine")
    code, _, err = run(*EXPORT, "--out", "out", "--force")
    assert (code, "out has folders that no export wrote, such as mine" in err) == (2, True)
    assert (here / "out" / "mine" / "notes.txt").read_text() == "mine"


def test_pictures_of_others_are_not_overwritten(tmp_path: Path):
    def chunk(name: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")

    picture = tmp_path / "cost.png"
    header = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(3) + b"\1" + bytes(3) + b"\1\x08\0\0\0\0")
    picture.write_bytes(header + chunk(b"IEND", b""))
    with pytest.raises(UsageError, match=r"cost\.png is not a picture that Ironlake wrote"):
        image_files.write_images({"cost": Chart("cost", "", "", "", "", (), "")}, tmp_path)
    assert not image_files._is_own(picture)
    picture.write_bytes(image_files._signed(picture.read_bytes()))
    assert image_files._is_own(picture)
    assert picture.read_bytes() == header + chunk(b"tEXt", b"Software\0Ironlake") + chunk(b"IEND", b"")


# --- Errors name what the user named ----------------------------------------------------------------------------------


@contextlib.contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """A limit on the size of files, as on a disk that is full."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python would leave its compiled modules cut, for every test that follows.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        sys.dont_write_bytecode = before


def written(out: str) -> list[tuple[list[str], str]]:
    """Commands that write, with the name that a message must have."""
    return [
        ([*COMPARE, "--out", out], out),
        ([*CHECK, "--out", out], out),
        ([*CATALOG, "--out", out], out),
        ([*EXPORT, "--out", out], out),
        ([*EXPORT, "--format", "csv", "--out", out], out),
        ([*EXPORT, "--format", "xlsx", "--out", out], out),
        (["generate", "link_to_liberty", "--out", out], out),
        (["anonymize", str(sample("velocity_goal")), "--out", out], out),
        (["study", "init", "--out", out], out),
        (["rejects", "--bug-report", out], out),
        (["ingest", str(sample("velocity_goal")), "--lake", out], out),
        (["ingest", str(sample("velocity_goal")), "--lake", "new", "--log", out], out),
    ]


# Those that make much before they write.
@pytest.mark.parametrize(
    "numbers", [pytest.param(range(3), id="pages and catalog", marks=pytest.mark.slow), range(3, 12)], ids=str
)
def test_a_full_disk(here: Path, run: Command, numbers: range):
    assert len(written("")) == 12
    for number in numbers:
        command, named = written(f"out{number}")[number]
        with full_disk(limit=0):
            code, out, err = run(*command)
        assert (code in (1, 2), "Traceback" in err) == (True, False), out
        message = [line for line in err.splitlines() if line.startswith("ironlake: ")][-1]
        # The log comes behind what the lake has.
        assert named in message or "--log" in command, message
        assert "File too large" in message or {"--log", "catalog"} & {*command}, message
        assert not HIDDEN.search(message), message
        assert not [p.name for p in here.iterdir() if p.name.startswith(".")]


def test_a_disk_that_is_full_in_the_middle(here: Path, run: Command):
    for command, _ in written("out")[2:6:3]:
        with full_disk(limit=3000):
            code, _, err = run(*command)
        assert (code, "File too large" in err, "out" in err, HIDDEN.search(err)) == (1, True, True, None), err
    assert list(here.iterdir()) == []


@pytest.mark.slow
def test_a_place_that_cannot_be(here: Path, run: Command):
    """Below a file; below a folder that cannot be made."""
    (here / "file").write_text("x")
    (here / "missing").symlink_to(here / "none" / "deeper" / ("x" * 300))
    for command, named in (*written("file/out")[::2], *written("missing/out")[1::2]):
        code, _, err = run(*command)
        message = next((line for line in err.splitlines() if line.startswith("ironlake: ")), err)
        assert code in (1, 2), command
        assert named in message or str(here / named) in message, message
        assert not HIDDEN.search(message), message
        assert len(message) < 800


# --- Progress and the good news ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "said"),
    [([*EXPORT, "--out", "x"], "writing rmf_workload_activity"), (["generate", "link_to_liberty", "--out", "g"], "printing ")],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_long_command_says_what_it_does_on_a_terminal(
    here: Path, run: Command, monkeypatch: pytest.MonkeyPatch, command: list[str], said: str
):
    shown = on_a_terminal(run, monkeypatch, command)
    assert said in shown
    # The line is left empty.
    assert shown.rpartition("\r\x1b[K")[2] == ""


def test_check_says_what_it_does_and_that_all_is_well(
    here: Path, run: Command, monkeypatch: pytest.MonkeyPatch, lake: Path
):
    *steps, last = on_a_terminal(run, monkeypatch, CHECK).split("\r\x1b[K")
    assert "checking values …" in steps
    assert re.fullmatch(rf"{lake}: all is well: \d+ parts are as written, and [\d,]+ rows break no rule\n", last)


def test_check_does_not_say_so_of_a_lake_with_a_warning(tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch):
    from ironlake.pipeline.quality import check_lake
    from ironlake.pipeline.quality.violations import Violations

    ingest([str(sample("velocity_goal"))], tmp_path / "lake", Options(), jobs=1)
    said = {"table": "a", "rule": "a.b", "column": "c", "severity": "warn", "what": "", "basis": "", "source_id": "s"}
    numbers = {"found": None, "expected": None, "tolerance": None, "page": 1, "line": 1}
    found = Violations()
    found.add_rows(pl.DataFrame([said | {"source_file": "f"} | numbers]))
    monkeypatch.setattr(check_lake, "check", lambda *_, **__: found)
    code, _, err = run("check", "--lake", tmp_path / "lake")
    assert (code, err) == (0, "")
