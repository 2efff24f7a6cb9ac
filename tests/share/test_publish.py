"""Delta logs over the parts of a lake: other engines read the rows of the step that was published, and Ironlake's files are as before."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest
from command_line import Command
from deltalake import DeltaTable
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.share import delta_log
from ironlake.pipeline.share.publish import publish
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.study_file import read_studies
from lake_rows import ACTIVITY, GOAL, add, checksum, entry
from sample_pages import SAMPLES


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Two sources, each with a part in two tables."""
    with Lake(tmp_path / "lake") as target:
        for name in "ab":
            add(target, entry(name), tables=(ACTIVITY, GOAL))
    return tmp_path / "lake"


def log_of(lake: Path, table: str = ACTIVITY) -> DeltaTable:
    return DeltaTable(lake / table)


def sources(lake: Path, table: str = ACTIVITY) -> dict[str, int]:
    """Rows by source file, as another engine reads them."""
    found = log_of(lake, table).to_pyarrow_table(columns=["source_file"])["source_file"].value_counts()
    return {row["values"]: row["counts"] for row in found.to_pylist()}


def is_of_the_ledger(lake: Path) -> bool:
    """Whether the logs name the parts that the ledger names, and no others."""
    named = {f"{log.parent.name}/{Path(uri).name}" for log in lake.glob("*/_delta_log") for uri in DeltaTable(log.parent).file_uris()}  # fmt: skip
    return named == {*Ledger(lake).state().parts}


def in_order(rows: pa.Table) -> list[str]:
    return sorted(map(repr, rows.to_pylist()))


def test_other_engines_read_the_rows_of_every_table(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    studied = SAMPLES / "studies" / "zos_connect"
    pages = [studied, *(SAMPLES / name for name in ("cics_servers", "jmh"))]
    ingest([*map(str, pages)], lake, Options())
    add_studies(lake, read_studies(studied / "studies.yaml"))
    found = publish(lake)
    with open_lake(lake) as opened:
        kept = {part.table for part in opened.state.parts.values()}
        assert len(kept) > 10
        assert {"parse_reject", "study_step"} < kept
        assert found.tables == len(kept) == len(found.changes)
        for table in kept:
            log = log_of(lake, table)
            theirs, ours = log.to_pyarrow_table(), opened.sql(f'SELECT * FROM "{table}"').arrow()
            assert theirs.column_names == ours.column_names
            assert in_order(theirs) == in_order(ours), table
            assert log.metadata().description == tables()[table].grain
            assert all(field.nullable and field.metadata["comment"] for field in log.schema().fields), table
    assert {p.parent.name for p in lake.glob("*/_delta_log")} == kept


def test_a_step_is_published_once_and_each_change_of_it_as_one_version(lake: Path, run: Command) -> None:
    code, out, err = run("publish", "--format", "delta", "--lake", lake)
    assert (code, out, err) == (0, f"{lake}: published step 2: 2 logs, 2 logs changed, 4 parts added, 0 removed\n", "")
    before = checksum(lake)
    code, out, _ = run("publish", "--lake", lake)
    assert (code, out) == (0, f"{lake}: step 2 is published in 2 logs already\n")
    assert checksum(lake) == before
    with Lake(lake) as target:
        add(target, entry("c"))
        target.remove(Selection(frozenset([entry("a").source_id])))
    # Other engines read what was published: no file that they need is renamed or removed.
    assert sources(lake) == {"a.txt": 10, "b.txt": 10}
    assert run("publish", "--lake", lake)[1].endswith("step 4: 2 logs, 2 logs changed, 1 part added, 2 removed\n")
    assert sources(lake) == {"b.txt": 10, "c.txt": 10}
    assert sources(lake, GOAL) == {"b.txt": 10}
    assert is_of_the_ledger(lake)
    with Lake(lake) as target:
        assert target.compact(most_small_parts=1) == 2
    assert sources(lake) == {"b.txt": 10, "c.txt": 10}
    assert publish(lake).changes == {ACTIVITY: (1, 2)}
    assert (sources(lake), log_of(lake).version(), log_of(lake, GOAL).version()) == ({"b.txt": 10, "c.txt": 10}, 2, 1)
    assert [each["ironlakeStep"] for each in log_of(lake).history()] == [5, 4, 2]
    with Lake(lake) as target:
        target.remove(Selection(report="rmf_workload_activity"))
    publish(lake)
    assert log_of(lake).to_pyarrow_table().num_rows == log_of(lake, GOAL).to_pyarrow_table().num_rows == 0
    with Lake(lake) as target:
        assert target.damage() is None


def test_what_a_log_may_name_stays_for_a_week_or_until_the_next_publication(lake: Path) -> None:
    publish(lake)
    (first,) = [path for path in Ledger(lake).state().parts if path.startswith(f"{ACTIVITY}/{entry('a').source_id}")]
    gone = Selection(frozenset([entry("a").source_id]))
    with Lake(lake) as target:
        target.remove(gone)
        target.compact(grace_s=0)
    assert (lake / first).exists()
    # What is dropped within the tick of the clock in which a publication begins stays.
    earlier = time.time() - 1
    os.utime(lake / f"{first}.dropped", (earlier, earlier))
    publish(lake)
    with Lake(lake) as target:
        target.compact(grace_s=0)
    assert not (lake / first).exists()
    (second,) = [path for path in Ledger(lake).state().parts if path.startswith(ACTIVITY)]
    with Lake(lake) as target:
        target.remove(Selection(frozenset([entry("b").source_id])))
        old = time.time() - 8 * 24 * 3600
        for path in (*(lake / "_published").iterdir(), lake / second, lake / f"{second}.dropped"):
            os.utime(path, (old, old))
        target.compact(grace_s=0)
    assert not (lake / second).exists()
    with pytest.raises(FileNotFoundError):
        sources(lake)


def test_an_interrupted_publication_is_finished_by_the_next(lake: Path) -> None:
    def interrupt(words: str) -> None:
        if GOAL in words:
            raise KeyboardInterrupt

    publish(lake)
    with Lake(lake) as target:
        add(target, entry("c"), tables=(ACTIVITY, GOAL))
        target.remove(Selection(frozenset([entry("a").source_id])))
    with pytest.raises(KeyboardInterrupt):
        publish(lake, interrupt)
    with Lake(lake) as target:
        target.compact(grace_s=0)
    # One log is of the new step, one of the old: both can be read.
    assert (sources(lake), sources(lake, GOAL)) == ({"b.txt": 10, "c.txt": 10}, {"a.txt": 10, "b.txt": 10})
    assert publish(lake).changes == {GOAL: (1, 1)}
    assert is_of_the_ledger(lake)
    assert len([*(lake / "_published").glob("*.begun")]) == 1


def test_another_publication_meanwhile_loses_nothing(lake: Path) -> None:
    def meanwhile(words: str) -> None:
        # Between the state that the one read and the log that it is about to write.
        if GOAL in words and not done:
            done.append(words)
            with Lake(lake) as target:
                add(target, entry("c"), tables=(ACTIVITY, GOAL))
            publish(lake)

    done: list[str] = []
    publish(lake, meanwhile)
    assert done
    assert sources(lake) == sources(lake, GOAL) == {"a.txt": 10, "b.txt": 10, "c.txt": 10}
    assert is_of_the_ledger(lake)


def test_a_log_of_somebody_else_is_left_alone(lake: Path) -> None:
    publish(lake)
    first = lake / GOAL / "_delta_log" / f"{0:020d}.json"
    lines = first.read_text().splitlines(keepends=True)
    first.write_text("".join(line for line in lines if '"txn"' not in line))
    with pytest.raises(IronlakeError, match=f"{GOAL}/_delta_log has a version 0 that ironlake publish did not write"):
        publish_again(lake)
    shutil.rmtree(first.parent)
    # The other log was written before the publication ended.
    assert publish_again(lake) == {GOAL: (3, 0)}
    # A version on top of ours.
    log_of(lake).delete()
    before = checksum(lake)
    with pytest.raises(IronlakeError, match=f"{ACTIVITY}/_delta_log has a version 2 that"):
        publish(lake)
    assert checksum(lake) == before
    shutil.rmtree(lake / ACTIVITY / "_delta_log")
    publish(lake)
    assert sources(lake) == sources(lake, GOAL) == {"a.txt": 10, "b.txt": 10, "c.txt": 10}


def publish_again(lake: Path) -> dict[str, tuple[int, int]]:
    """Publish a lake that has one source more than before."""
    with Lake(lake) as target:
        add(target, entry("c"), tables=(ACTIVITY, GOAL))
    return publish(lake).changes


def test_a_log_that_cannot_be_read_and_a_link_are_refused(lake: Path, tmp_path: Path, run: Command) -> None:
    (lake / ACTIVITY / "_delta_log").mkdir()
    (lake / ACTIVITY / "_delta_log" / f"{0:020d}.json").write_text("{}")
    code, _, err = run("publish", "--lake", lake)
    assert (code, len(err.splitlines())) == (1, 2)
    assert f"{ACTIVITY}/_delta_log cannot be read: " in err
    assert "remove the folder _delta_log and publish again" in err
    shutil.rmtree(lake / ACTIVITY / "_delta_log")
    (tmp_path / "outside").mkdir()
    (lake / ACTIVITY / "_delta_log").symlink_to(tmp_path / "outside")
    code, _, err = run("publish", "--lake", lake)
    assert (code, "is not a folder: it is not used; expected a folder, not a link" in err) == (1, True)
    assert not [*(tmp_path / "outside").iterdir()]


@pytest.mark.parametrize("said", ["[]", '{"step": 2, "digest": "x", "versions": 5}', "../..", "[" * 100_000])
def test_a_record_that_says_something_else_is_no_record(lake: Path, said: str) -> None:
    publish(lake)
    record = json.loads((lake / "_published" / "delta.json").read_text())
    if said == "../..":
        said = json.dumps(record | {"versions": {"../..": 0}})
    (lake / "_published" / "delta.json").write_text(said)
    assert publish(lake).changes == {}
    assert json.loads((lake / "_published" / "delta.json").read_text()) == record


def test_a_lake_without_rows_and_none(lake: Path, tmp_path: Path, run: Command) -> None:
    with Lake(tmp_path / "empty") as target:
        target.commit([entry("a", status="empty", lines=0)], [])
    before = checksum(tmp_path / "empty")
    assert run("publish", "--lake", tmp_path / "empty")[:2] == (
        0,
        f"{tmp_path / 'empty'}: nothing to publish: no table has rows\n",
    )
    assert checksum(tmp_path / "empty") == before
    code, _, err = run("publish", "--lake", tmp_path / "none")
    assert (code, err.startswith(f"ironlake: no lake in {tmp_path / 'none'}")) == (2, True)
    assert run("publish", "--format", "iceberg", "--lake", lake)[0] == 2
    with patch.dict(sys.modules, {"deltalake": None}):
        code, _, err = run("publish", "--lake", lake)
    assert (code, err) == (
        2,
        "ironlake: ironlake publish needs deltalake, which is not installed; expected the extra delta\n"
        "hint: pip install 'ironlake[delta]'\n",
    )
    assert not [*lake.glob("*/_delta_log"), *lake.glob("_published")]


def test_a_copy_of_the_lake_is_read_where_it_is(lake: Path, tmp_path: Path) -> None:
    publish(lake)
    shutil.move(lake, tmp_path / "moved")
    assert sources(tmp_path / "moved") == {"a.txt": 10, "b.txt": 10}
    assert publish(tmp_path / "moved").changes == {}
    assert str(tmp_path) not in (tmp_path / "moved" / ACTIVITY / "_delta_log" / f"{0:020d}.json").read_text()


def test_a_ledger_that_is_rebuilt_is_published_again(lake: Path) -> None:
    publish(lake)
    with Lake(lake) as target:
        target.remove(Selection(frozenset([entry("a").source_id])))
    shutil.rmtree(lake / "_ledger")
    with Lake(lake) as target:
        assert target.repair() == []
    # The dropped part stayed for readers of the log, and does not come back.
    assert sources(lake) == {"a.txt": 10, "b.txt": 10}
    publish(lake)
    assert sources(lake) == {"b.txt": 10}
    assert is_of_the_ledger(lake)


def test_checkpoints_and_columns_of_a_newer_release(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_log, "_SETTINGS", {"delta.checkpointInterval": "2"})
    table = tables()[ACTIVITY]
    older = tables() | {ACTIVITY: replace(table, columns=table.columns[:-1])}
    with monkeypatch.context() as patched:
        patched.setattr("ironlake.pipeline.share.publish.tables", lambda: older)
        publish(lake)
    assert table.columns[-1].name not in [field.name for field in log_of(lake).schema().fields]
    for name in "cdef":
        with Lake(lake) as target:
            add(target, entry(name))
        publish(lake)
    assert table.columns[-1].name in [field.name for field in log_of(lake).schema().fields]
    files = sorted(p.name for p in (lake / ACTIVITY / "_delta_log").iterdir())
    assert "_last_checkpoint" in files
    assert sum(name.endswith(".checkpoint.parquet") for name in files) >= 2
    assert sources(lake) == {f"{name}.txt": 10 for name in "abcdef"}
    # The columns of an older release are no reason to lose those of this one.
    with monkeypatch.context() as patched:
        patched.setattr("ironlake.pipeline.share.publish.tables", lambda: older)
        with Lake(lake) as target:
            add(target, entry("g"))
        with pytest.raises(IronlakeError, match="has other columns than this Ironlake declares"):
            publish(lake)
