"""A file of which rows gave way to newer prints is met again: read with other options, after a removal, by a newer reader. What gave way does
not come back, unless the file is removed by name."""

import shutil
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from lake_rows import MDY, add, entry
from sample_pages import sample


def _night(folder: Path, name: str, *hours_and_ended: tuple[str, int]) -> Path:
    """A page of a service class for each hour, with so many ended transactions (four digits)."""
    text = sample("velocity_goal").read_text()
    pages = [text.replace("08.30.00", f"{hour}.30.00").replace("1844", str(ended)) for hour, ended in hours_and_ended]
    path = folder / name
    path.write_text("".join(pages))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hours, of which the first is corrected."""
    folder = tmp_path_factory.mktemp("nights")
    old = _night(folder, "old.txt", ("08", 1111), ("09", 2222))
    new = _night(folder, "new.txt", ("08", 1999))
    ingest([str(old)], folder / "lake", Options(), jobs=1)
    ingest([str(new)], folder / "lake", Options(), jobs=1, replace_prints=True)
    return folder


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "nights") / "lake"


def _ended(lake: Path) -> list[int]:
    with open_lake(lake) as opened:
        rows = opened.sql("SELECT transactions_ended FROM rmf_workload_activity ORDER BY ALL").fetchall()
    return [row[0] for row in rows]


def test_it_is_not_read_again(lake: Path, run: Command) -> None:
    for options in ([], ["--utc-offset", "60"], ["--date-order", "dmy"], ["--replace"]):
        code, out, _ = run("ingest", lake.parent / "old.txt", "--lake", lake, *options)
        assert code == 0
        assert "already ingested" in out
        assert "gave way to newer prints" in out
    assert _ended(lake) == [1999, 2222]


@pytest.mark.parametrize(
    ("removal", "left"),
    [
        (["--before", "2016-09-20T09:00"], [2222]),
        (["--report", "rmf_workload_activity"], []),
    ],
)
def test_nor_after_other_rows_were_removed(lake: Path, run: Command, removal: list[str], left: list[int]) -> None:
    assert run("remove", *removal, "--lake", lake)[0] == 0
    assert _ended(lake) == left
    assert run("ingest", lake.parent / "old.txt", "--lake", lake)[0] == 0
    assert _ended(lake) == left


def test_removed_by_name_it_is_read_whole_again(lake: Path, run: Command) -> None:
    assert run("remove", "old.txt", "--lake", lake)[0] == 0
    assert _ended(lake) == [1999]
    code, out, _ = run("ingest", lake.parent / "old.txt", "--lake", lake)
    assert (code, _ended(lake)) == (0, [1111, 1999, 2222])
    assert "1 interval in the lake with other values" in out


def test_a_newer_reader_leaves_it(lake: Path) -> None:
    """As another process commits it, which began before."""
    with Lake(lake) as opened:
        sha = next(e.sha256 for e in opened._ledger.state().sources.values() if e.source_file.endswith("old.txt"))
        assert opened.find(sha, "read by a newer reader") is not None
    other = entry("other")
    with Lake(lake) as opened:
        from dataclasses import replace

        again = replace(other, sha256=sha, options_key=MDY + "|newer")
        add(opened, again)
    assert _ended(lake) == [1999, 2222]


def test_a_file_that_is_there_itself_replaces_nothing_and_says_so(lake: Path, run: Command) -> None:
    code, out, _ = run("ingest", lake.parent / "new.txt", "--lake", lake, "--replace")
    said = "\n  note: --replace: the lake has the rows of this very file, and nothing was replaced; ironlake remove takes out"
    assert (code, "already ingested" in out, said in out) == (0, True, True), out
    assert said not in run("ingest", lake.parent / "new.txt", "--lake", lake)[1]
