"""What killed commands leave is removed by the next command of the same kind; nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql.duckdb_file import write_catalog
from lake_rows import add, entry

KILLED = """
import os, signal, sys
from pathlib import Path
from ironlake.pipeline import open_lake
from ironlake.pipeline.sql import duckdb_file
lake = open_lake(sys.argv[1])
lake.sql("SELECT 1").fetchall()
if len(sys.argv) > 2:
    duckdb_file.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    duckdb_file.write_catalog(lake, Path(sys.argv[2]))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def lake_path(tmp_path: Path) -> Path:
    add(Lake(tmp_path / "lake"), entry("a"))
    return tmp_path / "lake"


@pytest.fixture
def spills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files, of this process and those that it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def killed(*arguments: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")


def test_the_spill_folder_of_a_killed_command_is_removed(lake_path, spills):
    killed(lake_path)
    (left,) = spills.iterdir()
    (left / "duckdb_temp_storage.tmp").write_text("rows")
    with open_lake(lake_path):
        (own,) = spills.iterdir()
        assert own != left
    assert list(spills.iterdir()) == []


def test_the_half_written_catalog_of_a_killed_command_is_removed(lake_path, spills, tmp_path):
    out = tmp_path / "out" / "lake.duckdb"
    out.parent.mkdir()
    killed(lake_path, out)
    (left,) = out.parent.iterdir()
    for suffix in (".wal", ".tmp"):
        left.with_name(left.name + suffix).write_text("")
    with open_lake(lake_path) as lake:
        write_catalog(lake, out)
    assert list(out.parent.iterdir()) == [out]


def test_nothing_else_is_removed(lake_path, spills, tmp_path):
    gone = dead_process()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("")
    living = [f"ironlake-spill-{os.getpid()}-abc", f"ironlake-spill-{os.getppid()}-abc", "ironlake-spill-1-abc"]
    strange = [
        f"ironlake-{gone}",
        f"x-ironlake-spill-{gone}-a",
        f"ironlake-spill-{gone}",
        "ironlake-spill-x-a",
        "ironlake-spill-99999999999999999999-a",
    ]
    for name in [*living, *strange]:
        (spills / name).mkdir()
    (spills / f"ironlake-spill-{gone}-link").symlink_to(kept)
    os.mkfifo(spills / f"ironlake-spill-{gone}-fifo")
    # A link within a folder of ours goes, what it leads to stays.
    (spills / f"ironlake-spill-{gone}-within").mkdir()
    (spills / f"ironlake-spill-{gone}-within" / "link").symlink_to(kept)
    with open_lake(lake_path):
        pass
    left = {path.name for path in spills.iterdir()}
    assert left == {*living, *strange, f"ironlake-spill-{gone}-link", f"ironlake-spill-{gone}-fifo"}
    assert (kept / "file").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_what_belongs_to_another_user_stays(lake_path, spills):
    folder = spills / f"ironlake-spill-{dead_process()}-abc"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with open_lake(lake_path):
        pass
    assert list(spills.iterdir()) == [folder]


def dead_process() -> int:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid
