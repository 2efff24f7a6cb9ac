"""Ingest and questions on two executors of Spark: the parts and answers of one machine, whatever is killed."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import waiting_task
from command_line import PATIENCE_S, Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files.source import Source, open_sources
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.spark import ingest as spark_ingest
from ironlake.pipeline.spark import waves
from ironlake.pipeline.spark.answer import SparkShards
from ironlake.pipeline.spark.ingest import SparkReaders
from ironlake.pipeline.sql.shards import ShardedLake
from killing import rows_of
from sample_pages import SAMPLES

pytestmark = pytest.mark.spark

# Of both ingests: some batches are ranges of one file, some are several files.
SMALL_BATCH = 60_000
VIEW = "SELECT * EXCLUDE (refs) FROM cpu_by_class ORDER BY ALL"


def wait_until(what: Callable[[], Any]) -> Any:
    until = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def parts_of(lake: Path) -> dict[str, bytes]:
    return {path: (lake / path).read_bytes() for path in Ledger(lake).state().parts}


def described(lake: Path) -> list[tuple[Any, ...]]:
    """Of every step and file, in order, but for the time."""
    return [(e.step, e.action, e.source_file, e.rows) for e in Ledger(lake).history()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Print files in a folder, some of them compressed, and the lake that one process makes of them."""
    folder = tmp_path_factory.mktemp("spark")
    inputs = folder / "print"
    for name in ("rmf_overview", "rmf_xcf_activity", "rmf_workload_activity", "demo"):
        (inputs / name).mkdir(parents=True)
        for file in sorted((SAMPLES / name).glob("*.txt"))[:9]:
            shutil.copy(file, inputs / name)
    large = inputs / "demo" / "before.txt"
    with gzip.open(inputs / "demo" / "unpacked.txt.gz", "wb") as packed:
        # Other bytes, or it would be the same file.
        packed.write(large.read_bytes().replace(b"SYS", b"ZYS"))
    with pytest.MonkeyPatch.context() as patch:
        small_batches(patch)
        patch.chdir(folder)
        ingest(["print"], Path("whole"), Options(), jobs=1)
    return folder


def small_batches(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(batches, "BATCH_BYTES", SMALL_BATCH)
    patch.setattr(batches, "MOST_BYTES", 2 * SMALL_BATCH)


@pytest.fixture
def lake(place: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A lake to be made, by a path that holds in this process alone."""
    small_batches(monkeypatch)
    monkeypatch.chdir(place)
    return Path(request.node.name)


def ingest_on_spark(lake: Path, *paths: str) -> None:
    ingest([*paths], lake, Options(), elsewhere=SparkReaders(None, False, lake, Options(), False))


def test_parts_are_those_of_one_process_byte_for_byte(spark: Any, lake: Path) -> None:
    ingest_on_spark(lake, "print")
    assert parts_of(lake) == parts_of(Path("whole"))
    assert described(lake) == described(Path("whole"))
    assert len(parts_of(lake)) > 15
    # What is in is not read again.
    ingest_on_spark(lake, "print")
    assert described(lake) == described(Path("whole"))


def test_a_view_made_by_shards_is_the_whole_view(spark: Any, place: Path) -> None:
    with open_lake(place / "whole", memory="500MB") as opened:
        expected = opened.sql(VIEW).fetchall()
        with (
            SparkShards(None, False) as elsewhere,
            ShardedLake(opened, most_rows=50, elsewhere=elsewhere) as sharded,
        ):
            assert sharded.sql(VIEW).fetchall() == expected
            assert len(list(sharded._folder.path.glob("*/*.parquet"))) > 3
    assert expected


def test_a_question_that_does_not_shard_is_refused(installed: None, place: Path, run: Command) -> None:
    for question in ("FROM finding", "FROM rmf_overview", "SELECT * FROM query('FROM find' || 'ing')"):
        code, out, err = run("sql", question, "--lake", place / "whole", "--engine", "spark", "--master", "local[1]")
        assert (code, out) == (2, "")
        assert "the question cannot be shared among machines" in err
        assert "hint: without --engine spark it is answered" in err


def test_what_is_no_question_is_told_as_without_spark(installed: None, place: Path, run: Command) -> None:
    for text in (
        "SELEC 1",
        "SELECT bogus FROM rmf_cf_usage",
        "SELECT * FROM nowhere",
        "DROP TABLE rmf_cf_usage",
        "SELECT $limit",
    ):
        answers = [
            run("sql", text, "--lake", place / "whole", *options)
            for options in ([], ["--engine", "spark", "--master", "local[1]"])
        ]
        assert answers[0] == answers[1]
        assert answers[0][0] == 2


def test_a_batch_read_by_two_processes_at_once_has_the_same_parts(spark: Any, lake: Path) -> None:
    found: list[Any] = []

    class Twice(SparkReaders):
        def run(self, tasks: Any) -> Any:
            doubled = (task for task in tasks for _ in range(2))
            both = super().run(doubled)
            for (batch, first), (_, second) in zip(both, both, strict=True):
                found.append((first.result(), second.result()))
                yield batch, first

    ingest(["print"], lake, Options(), elsewhere=Twice(None, False, lake, Options(), False))
    assert len(found) > 10
    assert [one for one, other in found if one != other] == []
    assert parts_of(lake) == parts_of(Path("whole"))


def executor_of(process: int) -> int:
    """The Java process of an executor that a Python process works for."""
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{process}/cmdline").read_bytes():
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        assert process > 1
    return process


def test_an_executor_killed_while_its_task_waits_changes_nothing(spark: Any, lake: Path, tmp_path: Path) -> None:
    spark.addPyFile(waiting_task.__file__)
    readers = SparkReaders(None, False, lake, Options(), False)
    told = tmp_path / "told"
    readers._read = partial(waiting_task.first_waits, told, readers._read)
    killed: list[int] = []

    def kill() -> None:
        wait_until(told.exists)
        killed.append(executor_of(int(told.read_text())))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    ingest(["print"], lake, Options(), elsewhere=readers)
    killer.join()
    assert len(killed) == 1
    assert parts_of(lake) == parts_of(Path("whole"))
    assert described(lake) == described(Path("whole"))


_INGEST = f"""
from ironlake.pipeline.ingest import batches
batches.BATCH_BYTES, batches.MOST_BYTES = {SMALL_BATCH}, {2 * SMALL_BATCH}
from ironlake.pipeline.cli.main import program
program()
"""


def test_a_driver_killed_after_a_commit_and_run_again_gives_the_same_lake(spark: Any, lake: Path) -> None:
    words = ["ingest", "print", "--lake", str(lake), "--engine", "spark", "--master", "local[1]"]
    driver = subprocess.Popen([sys.executable, "-c", _INGEST, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = lake / "_ledger" / "steps" / "0000000001.json"
    wait_until(lambda: first.exists() or driver.poll() is not None)
    driver.kill()
    driver.communicate()
    assert 0 < len(Ledger(lake).state().sources) < len(Ledger(Path("whole")).state().sources)
    ingest_on_spark(lake, "print")
    assert parts_of(lake) == parts_of(Path("whole"))
    assert described(lake) == described(Path("whole"))
    assert rows_of(lake) == rows_of(Path("whole"))
    assert list((lake / "_tmp").iterdir()) == []


def test_executors_with_other_versions_are_refused_before_anything_is_written(
    spark: Any, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waves, "versions", lambda: {"polars": "0.1"})
    with pytest.raises(
        IronlakeError, match=r"executor \S+ has polars \S+ instead of 0.1; expected the versions"
    ) as told:
        ingest_on_spark(lake, "print")
    assert "hint: give all machines the same environment" in str(told.value)
    assert parts_of(lake) == {}
    assert [path for path in lake.rglob("*") if path.suffix == ".parquet"] == []


def test_a_batch_is_sent_without_the_bytes_of_its_files(tmp_path: Path) -> None:
    sources = open_sources([str(SAMPLES / "demo")], Options(), tmp_path)
    found = [source for source in sources if isinstance(source, Source)]
    (batch,) = batches.plan(iter(found))
    assert all(r.source.held for r in batch.ranges)
    assert [(r.source.held, r.chunk) for r in spark_ingest._packed(batch).ranges] == [(None, None)] * len(found)


def test_what_an_executor_does_not_see_is_named(spark: Any, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = spark_ingest._packed

    def moved(batch: batches.Batch) -> batches.Batch:
        ranges = [
            r._replace(source=r.source._replace(path=Path("/nowhere") / r.source.path.name))
            for r in packed(batch).ranges
        ]
        return batch._replace(ranges=tuple(ranges))

    monkeypatch.setattr(spark_ingest, "_packed", moved)
    with pytest.raises(
        IronlakeError, match=r"executor \S+ does not see /\S+; expected a folder that all machines share"
    ):
        ingest_on_spark(lake, "print/demo/after.txt")
