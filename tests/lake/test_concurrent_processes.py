"""The lake under several processes: written by two at once, read while written, and left over by the dead."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import PATIENCE_S
from ironlake.pipeline import open_lake
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, GOAL, add, answer_of, entry


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "support")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


WRITE_PAIRS = """
import sys, time
from ironlake.pipeline.lake.lake import Lake
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, entry

lake = Lake(sys.argv[1])
for n in range(int(sys.argv[2])):
    add(lake, entry(f"{n}-left"), entry(f"{n}-right"), tables=(ACTIVITY, GOAL))
    if n % 4 == 3:
        add(lake, entry(f"{n}-left", DMY), tables=(ACTIVITY, GOAL))
        lake.compact(most_small_parts=3, grace_s=0)
lake.close()
"""


@pytest.mark.slow
def test_a_reader_sees_every_commit_whole_or_not_at_all(tmp_path):
    path = tmp_path / "lake"
    add(Lake(path), entry("first"), tables=(ACTIVITY, GOAL))
    writer = start(WRITE_PAIRS, path, 10)
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
    writers = [start(WRITE_PAIRS, path, 4) for _ in range(2)]
    for writer in writers:
        _, err = writer.communicate(timeout=PATIENCE_S)
        assert writer.returncode == 0, err
    with open_lake(path) as lake:
        for table in (ACTIVITY, GOAL):
            query = f"SELECT count(*), count(DISTINCT source_id), count(DISTINCT (source_id, line)) FROM {table}"
            assert lake.sql(query).fetchall() == [(80, 8, 80)]
        replaced = lake.sql("SELECT count(*) FROM ingest_file WHERE options LIKE '%dmy%'").fetchall()
    assert replaced == [(1,)]


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
    both = [start(WRITE_PAIRS, path, 10), start(REMOVE_RIGHTS, path)]
    said = [process.communicate(timeout=PATIENCE_S) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert int(said[1][0]) > 0
    with open_lake(path) as lake:
        for table in (ACTIVITY, GOAL):
            sources = lake.sql("SELECT source_file FROM ingest_file ORDER BY 1").fetchall()
            whole = f"SELECT source_file FROM {table} GROUP BY 1 HAVING count(*) = 10 ORDER BY 1"
            assert lake.sql(whole).fetchall() == sources
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
    assert answer_of(path, "SELECT count(*) FROM ingest_file") == [(0,)]
    holder.kill()
    holder.wait()
    _, err = waiting.communicate(timeout=PATIENCE_S)
    assert waiting.returncode == 0, err
    assert answer_of(path, "SELECT count(*) FROM ingest_file") == [(1,)]
