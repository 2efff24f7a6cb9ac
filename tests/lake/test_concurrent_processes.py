"""The lake under several processes: killed anywhere, written by two at once, read while written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import PATIENCE_S
from ironlake.pipeline import open_lake
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, entry

# Ingests six sources in three commits (one part is shared), reads one anew with another option, compacts. With a number
# n, the process kills itself at the n-th time that it opens for writing, renames, links, removes, locks … in the lake.
INGEST = """
import os, signal, sys
from pathlib import Path
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, DMY, GOAL, MDY, entry, rows, write_part

WRITES = ("open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.utime", "fcntl.flock")
lake_path, kill_at = sys.argv[1], int(sys.argv[2])
touched = 0

def watch(event, arguments):
    global touched
    if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
        return
    # Files of the lake are named relative to an open folder.
    if event in WRITES and not str(arguments[0]).startswith("/") or any(lake_path in str(a) for a in arguments):
        touched += 1
        if touched == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

lake = Lake(lake_path)
sys.addaudithook(watch)
(lake.spool / "input").write_text("x")
batches = [[entry("a"), entry("b"), entry("c")], [entry("d")], [entry("e"), entry("f")], [entry("b", DMY, lines=3)]]
done = {name: DMY if name == "b" else MDY for name in "abcdef"}
for batch in batches:
    # As ingest does: what is there with the options wanted in the end is not read again.
    missing = [e for e in batch if not lake.find(e.sha256, e.options_key) and not lake.find(e.sha256, done[e.source_file[0]])]
    if missing:
        lake.commit(missing, [write_part(lake, rows(*missing), *missing, table=table) for table in (ACTIVITY, GOAL)])
lake.compact(most_small_parts=2, grace_s=0)
lake.close()
print(touched)
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "support")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def all_rows(path: Path) -> list[tuple[object, ...]]:
    query = f"SELECT 'a', * FROM {ACTIVITY} UNION ALL BY NAME SELECT 'g', * FROM {GOAL} ORDER BY ALL"
    with open_lake(path) as lake:
        return lake.sql(query).fetchall()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> tuple[list[tuple[object, ...]], int]:
    """Rows of a run that nobody kills, and how often it touches the lake."""
    path = tmp_path_factory.mktemp("undisturbed") / "lake"
    process = start(INGEST, path, 0)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    return all_rows(path), int(out)


WHOLE = {MDY: {"a": 10, "b": 10, "c": 10, "d": 10, "e": 10, "f": 10}, DMY: {"b": 3}}


def assert_only_whole_sources(path: Path) -> None:
    """Every source that the ledger names is there with all its rows in both tables, and no other row is."""
    with open_lake(path) as lake:
        named = lake.sql("SELECT source_file[1], options FROM ingest_file ORDER BY 1").fetchall()
        expected = [(name, WHOLE[options][name]) for name, options in named]
        for table in (ACTIVITY, GOAL):
            query = f"SELECT source_file[1], count(*) FROM {table} GROUP BY 1 ORDER BY 1"
            assert lake.sql(query).fetchall() == expected


# Moments as shares of all that a run does to the lake: one in the quick form, and three in that of CI.
_IN_CI = (2, 11)
MOMENTS = [
    pytest.param(
        n / 12, marks=() if n == 7 else pytest.mark.slow if n in _IN_CI else pytest.mark.soak, id=f"{n / 12:.0%}"
    )
    for n in range(1, 13)
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_anywhere_the_same_command_heals(tmp_path, undisturbed, moment):
    expected, touched = undisturbed
    path = tmp_path / "lake"
    killed = start(INGEST, path, max(1, round(moment * touched)))
    _, err = killed.communicate(timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL, err
    if Ledger(path).exists():
        assert_only_whole_sources(path)

    again = start(INGEST, path, 0)
    _, err = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, err
    assert all_rows(path) == expected
    assert list((path / "_tmp").iterdir()) == []
    files = {p.relative_to(path).as_posix() for p in path.rglob("*.parquet")}
    assert files == set(Ledger(path).state().parts)


WRITE_PAIRS = """
import sys, time
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, entry

lake = Lake(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline() if sys.argv[2] == "wait" else None
for n in range(10):
    add(lake, entry(f"{n}-left"), entry(f"{n}-right"), tables=(ACTIVITY, GOAL))
    if n % 5 == 4:
        add(lake, entry(f"{n}-left", DMY), tables=(ACTIVITY, GOAL))
        lake.compact(most_small_parts=3, grace_s=0)
lake.close()
"""


@pytest.mark.slow
def test_a_reader_sees_every_commit_whole_or_not_at_all(tmp_path):
    path = tmp_path / "lake"
    add(Lake(path), entry("first"), tables=(ACTIVITY, GOAL))
    writer = start(WRITE_PAIRS, path, "go")
    seen: list[int] = []
    query = "SELECT split_part(source_file, '-', 1) AS pair, count(*) FROM {} GROUP BY 1 ORDER BY 1"
    while writer.poll() is None:
        with open_lake(path) as lake:
            activity = lake.sql(query.format(ACTIVITY)).fetchall()
            assert lake.sql(query.format(GOAL)).fetchall() == activity
            assert all(rows == (10 if pair == "first.txt" else 20) for pair, rows in activity)
            assert lake.sql("SELECT count(*) FROM ingest_file").fetchall() == [(2 * len(activity) - 1,)]
            seen.append(len(activity))
    assert writer.returncode == 0, writer.communicate()[1]
    assert seen == sorted(seen)
    assert len(set(seen)) > 3


def test_two_writers_at_once_both_succeed_and_every_source_is_there_once(tmp_path):
    path = tmp_path / "lake"
    writers = [start(WRITE_PAIRS, path, "go") for _ in range(2)]
    for writer in writers:
        _, err = writer.communicate(timeout=PATIENCE_S)
        assert writer.returncode == 0, err
    with open_lake(path) as lake:
        for table in (ACTIVITY, GOAL):
            query = f"SELECT count(*), count(DISTINCT source_id), count(DISTINCT (source_id, line)) FROM {table}"
            assert lake.sql(query).fetchall() == [(200, 20, 200)]
        replaced = lake.sql("SELECT count(*) FROM ingest_file WHERE options LIKE '%dmy%'").fetchall()
    assert replaced == [(2,)]


REMOVE_RIGHTS = """
import sys
from pathlib import Path
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection

steps = lefts = 0
while lefts < 10:
    sources = Ledger(Path(sys.argv[1])).state().sources.values()
    lefts = len([e for e in sources if "left" in e.source_file])
    rights = frozenset(e.source_id for e in sources if e.status != "failed" and "right" in e.source_file)
    with Lake(sys.argv[1]) as lake:
        steps += bool(rights and lake.remove(Selection(rights)))
print(steps)
"""


@pytest.mark.slow
def test_a_writer_and_one_that_removes_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "lake"
    add(Lake(path), entry("x-right"), tables=(ACTIVITY, GOAL))
    both = [start(WRITE_PAIRS, path, "go"), start(REMOVE_RIGHTS, path)]
    said = [process.communicate(timeout=PATIENCE_S) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert int(said[1][0]) > 0
    with open_lake(path) as lake:
        for table in (ACTIVITY, GOAL):
            sources = lake.sql("SELECT source_file FROM ingest_file ORDER BY 1").fetchall()
            assert (
                lake.sql(f"SELECT source_file FROM {table} GROUP BY 1 HAVING count(*) = 10 ORDER BY 1").fetchall()
                == sources
            )
            assert lake.sql(f"SELECT count(*) FROM {table}").fetchall() == [(10 * len(sources),)]
        assert len([name for (name,) in sources if "left" in name]) == 10


def test_left_overs_of_the_dead_go_and_those_of_the_living_stay(tmp_path):
    path = tmp_path / "lake"
    script = "import sys, time; from ironlake.pipeline.lake.lake import Lake; print(Lake(sys.argv[1]).spool, flush=True); time.sleep(600)"
    living, dead = start(script, path), start(script, path)
    try:
        assert living.stdout
        assert dead.stdout
        living_folder, dead_folder = Path(living.stdout.readline().strip()), Path(dead.stdout.readline().strip())
        dead.kill()
        dead.wait()
        assert living_folder.is_dir()
        assert dead_folder.is_dir()
        assert Lake(path).spool.is_dir()
        assert living_folder.is_dir()
        assert not dead_folder.exists()
    finally:
        living.kill()
        living.wait()


def test_a_killed_writer_blocks_nobody(tmp_path):
    path = tmp_path / "lake"
    script = """
import sys, time
from pathlib import Path
from ironlake.pipeline.lake.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
ledger.create()
with ledger.writing():
    print("holds the lock", flush=True)
    time.sleep(600)
"""
    holder = start(script, path)
    assert holder.stdout
    holder.stdout.readline()
    waiting = start("import sys; from lake_rows import *; add(Lake(sys.argv[1]), entry('a'))", path)
    time.sleep(1)
    assert waiting.poll() is None
    with open_lake(path) as lake:
        assert lake.sql("SELECT count(*) FROM ingest_file").fetchall() == [(0,)]
    holder.kill()
    holder.wait()
    _, err = waiting.communicate(timeout=PATIENCE_S)
    assert waiting.returncode == 0, err
    with open_lake(path) as lake:
        assert lake.sql("SELECT count(*) FROM ingest_file").fetchall() == [(1,)]
