"""The lake: what is committed is there, once, whole, and nothing else is."""

import dataclasses
import pickle
import resource
import signal
import sys
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.lake import ledger as ledgers
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger, source_id_of
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.lake.parts import footer_digest
from ironlake.pipeline.sql.known_tables import tables
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, answer_of, checksum, counts, entry, rows, write_part


def part_files(path: Path) -> set[str]:
    return {str(p.relative_to(path)) for p in path.rglob("*.parquet")}


def named_files(path: Path) -> set[str]:
    return set(Ledger(path).state().parts)


# --- Sources --------------------------------------------------------------------------------------------------------


def test_nothing_is_written_before_something_is(tmp_path):
    lake = Lake(tmp_path / "new" / "lake")
    assert lake.find("0" * 64, MDY) is None
    assert lake.compact() == 0
    assert not (tmp_path / "new").exists()


def test_a_committed_source_is_found_and_its_rows_are_there(tmp_path):
    lake = Lake(tmp_path / "lake")
    a = entry("a")
    part = write_part(lake, rows(a), a)
    assert lake.find(a.sha256, MDY) is None
    assert counts(tmp_path / "lake") == {}
    lake.commit([a], [part])
    found = lake.find(a.sha256, MDY)
    assert found is not None
    assert dataclasses.replace(found, committed_at="") == a
    assert found.committed_at > "2020"
    assert lake.find(a.sha256, DMY) is None
    assert counts(tmp_path / "lake") == {"a.txt": 10}


def test_source_id_is_a_digest_of_content_and_options():
    # printf '%s' "$(printf a | sha256sum | cut -c1-64)k" | sha256sum
    assert source_id_of("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", "k") == "a19640bde66b29bb"
    assert entry("a", MDY).source_id != entry("a", DMY).source_id


def test_replacing_one_source_of_a_shared_part_keeps_the_others(tmp_path):
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"), entry("b", lines=4), entry("c", lines=6), tables=(ACTIVITY, GOAL))
    step = Ledger(lake.path).state().step
    add(lake, entry("b", DMY, lines=3))
    assert Ledger(lake.path).state().step == step + 1
    assert counts(lake.path) == {"a.txt": 10, "b.txt": 3, "c.txt": 6}
    assert counts(lake.path, GOAL) == {"a.txt": 10, "c.txt": 6}
    lines = answer_of(lake.path, f"SELECT line FROM {ACTIVITY} WHERE source_file = 'c.txt' ORDER BY 1")
    assert lines == [(n,) for n in range(1, 7)]


def test_a_source_that_is_there_stays_as_it_is(tmp_path):
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    before = checksum(lake.path / "_ledger")
    add(lake, entry("a"))
    assert checksum(lake.path / "_ledger") == before
    # A batch shared with a new source: only the new source's rows are taken.
    add(lake, entry("a"), entry("b", lines=4))
    assert counts(lake.path) == {"a.txt": 10, "b.txt": 4}


def test_a_failed_source_is_read_again(tmp_path):
    lake = Lake(tmp_path / "lake")
    lake.commit([entry("a", status="failed", lines=0)], [])
    assert lake.find(entry("a").sha256, MDY) is None
    add(lake, entry("a"))
    assert counts(lake.path) == {"a.txt": 10}


def test_ingest_file_has_one_row_a_source(tmp_path):
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"), entry("b", lines=4))
    lake.commit([entry("empty", lines=0, status="empty")], [])
    found = answer_of(
        lake.path, "SELECT source_file, status, lines, page, rows[1].table, rows[1].rows, source_id FROM ingest_file"
    )
    assert found == [
        ("a.txt", "ingested", 10, 1, ACTIVITY, 10, entry("a").source_id),
        ("b.txt", "ingested", 4, 1, ACTIVITY, 4, entry("b").source_id),
        ("empty.txt", "empty", 0, None, ACTIVITY, 0, entry("empty").source_id),
    ]


def test_the_same_content_twice_in_a_commit_is_refused(tmp_path):
    with pytest.raises(ValueError, match="twice"):
        Lake(tmp_path / "lake").commit([entry("a"), entry("a", DMY)], [])


# --- Parts ----------------------------------------------------------------------------------------------------------


def test_a_part_keeps_the_declaration_in_its_metadata(tmp_path):
    lake = Lake(tmp_path / "lake")
    (part,) = lake.write_batch({ACTIVITY: rows(entry("a"))}, [Receipt(entry("a"), 3, last=True)])
    assert pickle.loads(pickle.dumps(part)) == part
    assert part.path == f"{ACTIVITY}/{entry('a').source_id}-000003.parquet"
    file = pq.ParquetFile(lake.path / part.path)
    assert file.schema_arrow.equals(tables()[ACTIVITY].schema, check_metadata=True)
    assert file.schema_arrow.field("appl_cp_pct").metadata[b"unit"] == b"% of one engine"
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_writing_a_part_again_leaves_the_file_alone_and_mends_a_broken_one(tmp_path):
    lake = pickle.loads(pickle.dumps(Lake(tmp_path / "lake")))
    both = [entry("b"), entry("a")]
    first = write_part(lake, rows(entry("a"), entry("b")), *both)
    file = lake.path / first.path
    inode, content = file.stat().st_ino, file.read_bytes()
    assert write_part(lake, rows(entry("a"), entry("b")), *both[::-1]) == first
    assert file.stat().st_ino == inode
    file.write_bytes(content[:-100] + bytes(100))
    assert write_part(lake, rows(entry("a"), entry("b")), *both) == first
    assert file.read_bytes() == content


def test_a_batch_without_rows_makes_no_file(tmp_path):
    lake = Lake(tmp_path / "lake")
    part = write_part(lake, rows(entry("a", lines=0)), entry("a"))
    lake.commit([entry("a", lines=0)], [part])
    assert part.rows == 0
    assert part_files(lake.path) == set()
    assert counts(lake.path) == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (rows(entry("b")), "not sources of the part"),
        (rows(entry("a")).append_column("colour", pa.nulls(10)), "not declared: colour"),
        (rows(entry("a")).drop_columns("source_id").append_column("source_id", pa.nulls(10, pa.string())), "None"),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path, data, message):
    with pytest.raises(ValueError, match=message):
        write_part(Lake(tmp_path / "lake"), data, entry("a"))


def test_an_older_part_without_a_column_gives_null_there(tmp_path):
    lake = Lake(tmp_path / "lake")
    both = [entry("a"), entry("b")]
    shared = write_part(lake, rows(*both), *both)
    # As an older version would have written it: without two of today's columns.
    file = lake.path / shared.path
    pq.write_table(pq.read_table(file).drop_columns(["tenant", "service_class"]), file)
    with open(file, "rb") as written:
        size, digest, footer = file.stat().st_size, sha256(file.read_bytes()).hexdigest(), footer_digest(written)
    lake.commit(both, [dataclasses.replace(shared, bytes=size, sha256=digest, footer=footer)])
    add(lake, entry("c"))
    query = f"SELECT source_file, count(service_class), count(*), count(tenant) FROM {ACTIVITY} GROUP BY 1 ORDER BY 1"
    expected = [("a.txt", 0, 10, 0), ("b.txt", 0, 10, 0), ("c.txt", 8, 10, 0)]
    assert answer_of(lake.path, query) == expected
    # Replacing and compacting keep what the older part has, and mix nothing up.
    add(lake, entry("b", DMY, lines=5))
    lake.compact(most_small_parts=1)
    assert answer_of(lake.path, query) == [("a.txt", 0, 10, 0), ("b.txt", 4, 5, 0), ("c.txt", 8, 10, 0)]


def test_a_part_that_vanished_is_not_committed(tmp_path):
    lake = Lake(tmp_path / "lake")
    part = write_part(lake, rows(entry("a")), entry("a"))
    (lake.path / part.path).unlink()
    with pytest.raises(IronlakeError, match="run the same command again"):
        lake.commit([entry("a")], [part])
    assert lake.find(entry("a").sha256, MDY) is None


# --- Compaction -----------------------------------------------------------------------------------------------------


def test_compaction_keeps_the_rows_and_swaps_in_one_step(tmp_path):
    lake = Lake(tmp_path / "lake")
    for n in range(12):
        add(lake, entry(f"s{n}", lines=n + 1), tables=(ACTIVITY, GOAL))
    with open_lake(lake.path) as before:
        everything = before.sql(f"SELECT * FROM {ACTIVITY} ORDER BY source_id, line").arrow()
        step = before.state.step
        # 78 rows a table: two groups of 30 or more and one part alone; one step a group.
        assert lake.compact(most_small_parts=4, rows_per_part=30, grace_s=0) > 12
        # A reader that was there before reads on: nothing that it needs is removed.
        assert before.sql(f"SELECT * FROM {ACTIVITY} ORDER BY source_id, line").arrow() == everything
    with open_lake(lake.path) as after:
        assert after.sql(f"SELECT * FROM {ACTIVITY} ORDER BY source_id, line").arrow() == everything
        merged = {p.path for p in after.state.parts_of(ACTIVITY)}
        assert len(merged) == 3
        assert after.state.step == step + 4
    assert len(part_files(lake.path)) > len(named_files(lake.path))
    lake.compact(grace_s=3600)
    # Out of the way of other tools, and there for an hour.
    assert part_files(lake.path) == named_files(lake.path)
    assert len(list(lake.path.glob("*/*.parquet.dropped"))) > 12
    lake.compact(grace_s=0)
    assert part_files(lake.path) == named_files(lake.path)
    assert list(lake.path.glob("*/*.parquet.dropped")) == []


def test_a_merged_part_is_not_written_again_for_a_few_rows_more(tmp_path):
    with Lake(tmp_path / "lake") as lake:
        add(lake, entry("large", lines=100))
        (large,) = named_files(lake.path)
        for n in range(5):
            add(lake, entry(f"s{n}", lines=10))
        assert lake.compact(most_small_parts=2) == 5
        with open_lake(lake.path) as opened:
            assert [(p.path == large, p.rows) for p in opened.state.parts_of(ACTIVITY)] == [(True, 100), (False, 50)]
        # As many rows again: now all go together.
        add(lake, entry("more", lines=50))
        assert lake.compact(most_small_parts=2) == 3
        with open_lake(lake.path) as opened:
            assert [p.rows for p in opened.state.parts_of(ACTIVITY)] == [200]


def test_tables_that_are_due_at_once_are_merged_one_after_the_other(tmp_path):
    with Lake(tmp_path / "lake") as lake:
        for n in range(4):
            add(lake, entry(f"s{n}"), tables=(ACTIVITY, GOAL))
        add(lake, entry("more"), tables=(GOAL,))
        assert lake.compact(most_small_parts=3, most_merged=0) == 5
        with open_lake(lake.path) as opened:
            assert {t: len(opened.state.parts_of(t)) for t in (ACTIVITY, GOAL)} == {ACTIVITY: 4, GOAL: 1}
        assert lake.compact(most_small_parts=3, most_merged=0) == 4
        assert lake.compact(most_small_parts=3, most_merged=0) == 0
    assert counts(lake.path) == {f"s{n}.txt": 10 for n in range(4)}


def test_another_writer_in_the_lake_keeps_its_uncommitted_parts(tmp_path):
    lake, other = Lake(tmp_path / "lake"), Lake(tmp_path / "lake")
    part = write_part(other, rows(entry("a")), entry("a"))
    add(lake, entry("b"))
    # One part is too few to merge.
    assert lake.compact(grace_s=0) == 0
    other.commit([entry("a")], [part])
    assert counts(lake.path) == {"a.txt": 10, "b.txt": 10}


# --- The ledger -----------------------------------------------------------------------------------------------------


def test_the_ledger_sums_itself_up_and_stays_linear(tmp_path, monkeypatch):
    monkeypatch.setattr(ledgers, "_STEPS_PER_CHECKPOINT", 32)
    lake = Lake(tmp_path / "lake")
    for n in range(70):
        lake.commit([entry(f"s{n}", lines=0, status="empty")], [])
    ledger = Ledger(lake.path)
    assert list(ledger.state().sources) == [entry(f"s{n}").sha256 for n in range(70)]
    folder = lake.path / "_ledger"
    lake.compact()
    assert [p.name for p in sorted((folder / "checkpoints").iterdir())] == [
        f"0000000064.{kind}.parquet" for kind in ("history", "parts", "sources")
    ]
    assert [int(p.stem) for p in sorted((folder / "steps").iterdir())] == list(range(65, 71))
    assert list(Ledger(lake.path).state().sources) == [entry(f"s{n}").sha256 for n in range(70)]
    # A reader that had seen an older state, and a writer that had, go on.
    assert ledger.state().step == 70
    lake.commit([entry("last", lines=0, status="empty")], [])
    assert ledger.state().step == 71
    assert len(Ledger(lake.path).state().sources) == 71


def test_a_step_is_never_overwritten(tmp_path):
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    stranger = lake.path / "_ledger" / "steps" / "0000000002.json"
    ledger = Ledger(lake.path)
    with ledger.writing():
        stranger.write_text("{}")
        with pytest.raises(FileExistsError):
            ledger.publish([entry("b")])
    assert stranger.read_text() == "{}"


# --- Places ---------------------------------------------------------------------------------------------------------


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match="is not a lake and not empty"):
        Lake(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        Lake(tmp_path / "notes.txt")
    assert checksum(tmp_path).keys() == {"notes.txt"}


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(IronlakeError, match=r"cannot write (in|to)"):
        add(Lake("/proc/ironlake-lake"), entry("a"))


def test_the_spool_is_private_and_goes_with_its_owner(tmp_path):
    lake, other = Lake(tmp_path / "lake"), Lake(tmp_path / "lake")
    (lake.spool / "big.txt").write_text("x")
    assert other.spool != lake.spool
    lake.compact(grace_s=0)
    other.compact(grace_s=0)
    assert (lake.spool / "big.txt").read_text() == "x"
    assert lake.spool.is_relative_to(lake.path)
    lake.close()
    other.close()
    assert list((lake.path / "_tmp").iterdir()) == []


# --- Size -----------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_hurts_nothing(tmp_path, monkeypatch):
    # Python would leave its compiled modules cut, for every test that follows.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    lake = Lake(tmp_path / "lake")
    add(lake, entry("a"))
    before = checksum(lake.path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    # A limit on the size of files fails writing in the same way as a disk that is full.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(IronlakeError, match="cannot write to the lake"):
            add(lake, entry("b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert checksum(lake.path) == before
    add(lake, entry("b"))
    assert counts(lake.path) == {"a.txt": 10, "b.txt": 10}


def test_a_large_part_is_rewritten_in_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("ironlake.pipeline.lake.parts.ROWS_PER_GROUP", 100)
    lake = Lake(tmp_path / "lake")
    sources = [entry(f"s{n}", lines=90) for n in range(10)]
    for source in sources:
        add(lake, source)
    lake.compact(most_small_parts=1)
    [merged] = named_files(lake.path)
    groups = pq.ParquetFile(lake.path / merged).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [100, 80] * 5
    add(lake, entry("s4", DMY, lines=1))
    assert counts(lake.path) == {f"s{n}.txt": 90 if n != 4 else 1 for n in range(10)}
