"""What killed commands leave is removed by the next command of the same kind; nothing else is."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import ironlake
import pyarrow as pa
import pytest
from command_line import PATIENCE_S, PROGRAM, Command
from interrupt_at import InterruptAt
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.output.workbook import write_workbook
from ironlake.pipeline.sql import duckdb_file
from ironlake.pipeline.sql.duckdb_file import write_catalog
from ironlake.pipeline.temporary_folders import LockedFolder, remove_held, spill_folder, temporary_folder
from lake_rows import add, answer_of, entry, fill
from sample_pages import ROOT

KILLED = """
import os, signal, sys
from pathlib import Path
from ironlake.pipeline import open_lake
from ironlake.pipeline.sql import duckdb_file
lake = open_lake(sys.argv[1])
lake.sql("SELECT 1").fetchall()
if len(sys.argv) > 2:
    # One view does for all: what counts is that the file is half there.
    lake.views_in_order = lambda: ["finding_rule"]
    duckdb_file._comment = lambda connection: None
    # On a busy machine, where views take long to make, their tables are kept: in folders that are named.
    real = os.replace
    os.replace = lambda *paths, **folders: real(*paths, **folders) if folders else os.kill(os.getpid(), signal.SIGKILL)
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


def test_the_half_written_catalog_of_a_killed_command_is_removed(lake_path, spills, tmp_path, monkeypatch):
    out = tmp_path / "out" / "lake.duckdb"
    out.parent.mkdir()
    killed(lake_path, out)
    (left,) = out.parent.iterdir()
    assert (left / out.name).exists()
    # Whatever the next one is called.
    with open_lake(lake_path) as lake:
        monkeypatch.setattr(lake, "views_in_order", lambda: ["finding_rule"])
        monkeypatch.setattr(duckdb_file, "_comment", lambda connection: None)
        write_catalog(lake, out.with_name("other.duckdb"))
    assert list(out.parent.iterdir()) == [out.with_name("other.duckdb")]


LEFT_WORKING = """
import threading, time
from ironlake.pipeline import errors
from ironlake.pipeline.cli.quick import end
from ironlake.pipeline.temporary_folders import spill_folder
folders = [spill_folder(), spill_folder()]
for number, folder in enumerate(folders):
    threading.Thread(target=time.sleep, args=(3600,), daemon=bool(number), name=number and errors.LEFT_WORKING).start()
assert all(folder.path.exists() for folder in folders)
end(130)
"""


def test_a_process_removes_its_folders_though_threads_work_in_them(spills):
    done = subprocess.run([sys.executable, "-c", LEFT_WORKING], check=False, capture_output=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (130, b"")
    assert list(spills.iterdir()) == []


KILLED_WHILE_IT_UNPACKS = """
import os, signal, sys
from pathlib import Path
from ironlake.pipeline.temporary_folders import temporary_folder
with temporary_folder() as folder:
    (folder / "report.txt").write_text("confidential")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_command_unpacked_is_removed_by_the_next(spills):
    done = subprocess.run([sys.executable, "-c", KILLED_WHILE_IT_UNPACKS], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = spills.iterdir()
    with temporary_folder() as folder:
        assert not left.exists()
        assert list(spills.iterdir()) == [folder]
    assert list(spills.iterdir()) == []


def test_a_folder_that_nobody_looked_after_goes_with_its_process_and_not_with_a_fork_of_it(spills):
    forks = """
import os, sys
from ironlake.pipeline.temporary_folders import spill_folder
folder = spill_folder().path
if not os.fork():
    sys.exit()
os.wait()
print(folder.exists())
"""
    done = subprocess.run([sys.executable, "-c", forks], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert list(spills.iterdir()) == []


def is_interrupted(step: int) -> bool:
    """Whether the interrupt came before a folder was made and removed."""
    try:
        with InterruptAt(step):
            spill_folder().remove()
    except KeyboardInterrupt:
        return True
    except OSError as error:
        # shutil.rmtree, interrupted after it closed the folder, closes it again.
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        return True
    return False


def test_an_interrupt_at_any_step_leaves_no_folder_behind_the_process(spills):
    step, seen = 1, 0
    while is_interrupted(step):
        seen += len(list(spills.iterdir()))
        remove_held()
        assert list(spills.iterdir()) == []
        step += 1
    assert list(spills.iterdir()) == []
    assert seen > 20


def test_a_workbook_that_fails_leaves_no_file(spills):
    long = pa.table({"text": ["x", "x" * 40_000]})
    with pytest.raises(UsageError, match="40,000 characters"):
        write_workbook(io.BytesIO(), long.to_reader())
    assert list(spills.iterdir()) == []


def test_nothing_else_is_removed(lake_path, spills, tmp_path):
    """A folder that another process holds stays, whatever its name says: it may be one of another container."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("")
    held = LockedFolder(spills, "ironlake-spilled-")
    strange = ["ironlake-spilled-", "x-ironlake-spilled-abcdefgh", "ironlake-spilled-abc", "ironlake-spill-1-abcdefgh"]
    for name in strange:
        (spills / name).mkdir()
    (spills / "ironlake-spilled-the_link").symlink_to(kept)
    os.mkfifo(spills / "ironlake-spilled-the_fifo")
    (spills / "ironlake-spilled-the_file").write_text("")
    # A link within a folder of ours goes, what it leads to stays.
    (spills / "ironlake-spilled-leftover").mkdir()
    (spills / "ironlake-spilled-leftover" / "link").symlink_to(kept)
    before = {path.name for path in spills.iterdir()}
    with open_lake(lake_path):
        pass
    assert before - {path.name for path in spills.iterdir()} == {"ironlake-spilled-leftover"}
    assert (kept / "file").exists()
    held.remove()
    assert not held.path.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_what_belongs_to_another_user_stays(lake_path, spills):
    folder = spills / "ironlake-spilled-abcdefgh"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with open_lake(lake_path):
        pass
    assert list(spills.iterdir()) == [folder]


# --- --memory bounds what DuckDB takes; what does not fit is spilled to a private folder ------------------------------


STUDIES = ROOT / "sample_reports" / "studies" / "zos_connect" / "studies.yaml"

# Numbers in an order that must be found: 24 bytes of keys each.
SORTED = "SELECT n FROM (SELECT hash(range) AS n, hash(range + 1) AS m, hash(range + 2) AS o FROM range({})) ORDER BY n, m, o"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    fill(tmp_path / "lake", entry("a"))
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
    answers = [answer_of(lake, asked), duckdb.connect().execute(asked).fetchall()]
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
