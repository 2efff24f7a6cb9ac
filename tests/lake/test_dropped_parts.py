"""What a step dropped does not come back when the ledger is lost and rebuilt from the parts: a removed wrong report that answers again would be
a wrong number in silence."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

import lake_rows
import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.part_files import dropped_parts, part_files, unneeded_bytes
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.lake.undo import planned_undo
from ironlake.pipeline.storage import durable
from ironlake.pipeline.storage.durable import IN_USE, InUse, locked
from ironlake.pipeline.storage.local import LocalStorage
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, answer_of, entry, fill, receipts, rows
from simulated_lake import CUT, SimulatedLake

TABLES = (ACTIVITY, GOAL)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Two sources that share their parts."""
    fill(tmp_path / "lake", entry("wrong"), entry("right"), tables=TABLES)
    return tmp_path / "lake"


def remove(lake: Path, name: str, options: str = MDY) -> None:
    with Lake(lake) as target:
        target.remove(Selection(frozenset([entry(name, options).source_id])))


def compact(lake: Path, grace_s: float, most_small_parts: int = 64) -> None:
    with Lake(lake) as target:
        target.compact(grace_s=grace_s, most_small_parts=most_small_parts)


def undo(lake: Path) -> None:
    with Lake(lake) as target:
        target.undo()


def ingested(lake: Path, *names: str) -> None:
    fill(lake, *map(entry, names), tables=TABLES)


def lose_the_ledger(lake: Path) -> None:
    shutil.rmtree(lake / "_ledger")


def lose_steps_from(lake: Path, first: int) -> None:
    for path in (lake / "_ledger" / "steps").iterdir():
        if int(path.stem) >= first:
            path.unlink()


def repaired(lake: Path) -> tuple[list[str], dict[str, int]]:
    """The sources to ingest again, and the rows that the lake has of each."""
    with Lake(lake) as target:
        lost = sorted(e.source_file for e in target.repair())
    return lost, counts(lake)


def counts(lake: Path) -> dict[str, int]:
    found, same = (lake_rows.counts(lake, table) for table in TABLES)
    assert found == same
    return found


def test_what_was_rebuilt_without_a_source_stays_without_it(lake: Path) -> None:
    """A part is lost, its sources are told lost; the other part of them must not count at the next repair."""
    part = next(p for p in Ledger(lake).state().parts if p.startswith(GOAL))
    (lake / part).rename(lake.parent / "kept")
    assert repaired(lake) == (["right.txt", "wrong.txt"], {})
    (lake.parent / "kept").rename(lake / part)
    add(Lake(lake), entry("right"), tables=TABLES)
    lose_the_ledger(lake)
    assert repaired(lake)[1] == {"right.txt": 10}


class Killed(BaseException):
    pass


def killed_before_its_step(work: Callable[[], object]) -> None:
    with patch.object(Ledger, "publish", side_effect=Killed), pytest.raises(Killed):
        work()


def killed_after_its_step(work: Callable[[], object]) -> None:
    with patch.object(Ledger, "_mark_dropped", side_effect=[None, Killed]), pytest.raises(Killed):
        work()


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda lake: Lake(lake).compact(most_small_parts=1), id="compaction"),
        pytest.param(lambda lake: remove(lake, "right"), id="removal"),
        pytest.param(lambda lake: add(Lake(lake), entry("wrong", DMY, lines=7), tables=TABLES), id="other_reading"),
    ],
)
def test_what_a_killed_command_left_of_a_removed_source_does_not_come_back(lake: Path, work: Callable[[Path], object]):
    """It left the rows of the source in other parts, which no step ever named."""
    add(Lake(lake), entry("other"), tables=TABLES)
    before = set(part_files(Ledger(lake).files))
    killed_before_its_step(lambda: work(lake))
    assert set(part_files(Ledger(lake).files)) > before
    remove(lake, "wrong")
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"other.txt": 10, "right.txt": 10})


def test_the_next_writer_marks_what_a_killed_one_dropped(lake: Path) -> None:
    killed_after_its_step(lambda: remove(lake, "wrong"))
    assert counts(lake) == {"right.txt": 10}
    assert not dropped_parts(Ledger(lake).files)
    add(Lake(lake), entry("other"), tables=TABLES)
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"other.txt": 10, "right.txt": 10})


def test_of_a_lost_removal_the_removed_source_is_told_and_the_others_stay(lake: Path) -> None:
    """The newest steps are lost and the older ledger names the dropped parts; they do not count."""
    add(Lake(lake), entry("other"), tables=TABLES)
    remove(lake, "wrong")
    lose_steps_from(lake, 3)
    assert repaired(lake) == (["wrong.txt"], {"other.txt": 10, "right.txt": 10})


def test_of_a_lost_compaction_nothing_is_lost() -> None:
    """Not even a source that has no receipt, because rows of it were removed."""
    simulated = SimulatedLake(seed=0)
    try:
        simulated.ingest("a", MDY, "none", 0)
        simulated.cut("none", 0)
        simulated.ingest("b", MDY, "none", 0)
        expected = Ledger(simulated.path).state().sources
        assert Lake(simulated.path).compact(most_small_parts=1) > 0
        lose_steps_from(simulated.path, Ledger(simulated.path).state().step)
        assert Lake(simulated.path).repair() == []
        assert simulated.observed() == {"a": MDY + CUT, "b": MDY}
        assert Ledger(simulated.path).state().sources == expected
    finally:
        simulated.close()


def test_a_commit_that_was_interrupted_may_be_added(lake: Path) -> None:
    target = Lake(lake)
    target.write_batch({t: rows(entry("new")) for t in TABLES}, receipts(entry("new"), tables=TABLES))
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"new.txt": 10, "right.txt": 10, "wrong.txt": 10})


def seen(lake: Path) -> set[str]:
    """What another tool takes for the parts."""
    return {str(path.relative_to(lake)) for path in lake.glob("**/*.parquet")}


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda lake: remove(lake, "wrong"), id="removal"),
        pytest.param(undo, id="undo"),
        pytest.param(lambda lake: compact(lake, 3600, most_small_parts=1), id="compaction"),
    ],
)
def test_what_was_dropped_is_no_parquet_file(lake: Path, work: Callable[[Path], object]) -> None:
    """The obvious glob has the rows that count, and no others."""
    ingested(lake, "other")
    before = seen(lake)
    work(lake)
    assert seen(lake) == set(Ledger(lake).state().parts) != before
    dropped = dropped_parts(Ledger(lake).files)
    assert dropped == before - set(Ledger(lake).state().parts)
    assert unneeded_bytes(Ledger(lake).files, Ledger(lake).state().parts) > 0
    was = counts(lake)
    lose_the_ledger(lake)
    assert repaired(lake) == ([], was)


def test_a_reader_keeps_its_parts_and_the_next_writer_hides_them(lake: Path) -> None:
    with open_lake(lake) as reader:
        remove(lake, "wrong")
        assert len(seen(lake)) == 2 * len(TABLES)
        # Planned before, and opened only now.
        assert reader.rows(ACTIVITY) == len(reader.sql(f"FROM {ACTIVITY}").fetchall()) == 20
    compact(lake, grace_s=3600)
    assert seen(lake) == set(Ledger(lake).state().parts)


def test_a_reader_whose_lock_is_not_seen_is_told_to_ask_again(lake: Path) -> None:
    """As on a network file system without locks: never other rows, and no word of damage."""
    with open_lake(lake) as reader:
        reader._in_use.close()
        remove(lake, "wrong")
        with pytest.raises(IronlakeError, match="changed while it was read\nhint: ask again"):
            reader.sql(f"FROM {ACTIVITY}").fetchall()
    assert counts(lake) == {"right.txt": 10}


def test_a_reader_waits_a_moment_while_parts_are_hidden(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "_TIDYING_S", 0.1)
    files = LocalStorage(lake)
    with locked(files, IN_USE):
        began = time.monotonic()
        InUse(files).close()
        assert 0.05 < time.monotonic() - began < 5
    in_use = InUse(files)
    with locked(files, IN_USE, wait=False) as alone:
        assert not alone
    in_use.close()


@pytest.mark.parametrize("links", [True, False], ids=["links", "no_links"])
def test_undo_brings_back_what_was_hidden(lake: Path, links: bool) -> None:
    remove(lake, "wrong")
    assert planned_undo(Ledger(lake)).restored
    no_link = nullcontext() if links else patch("os.link", side_effect=PermissionError(errno.EPERM, "no links here"))
    with no_link:
        undo(lake)
    assert counts(lake) == {"right.txt": 10, "wrong.txt": 10}
    assert seen(lake) == set(Ledger(lake).state().parts)
    undo(lake)
    assert counts(lake) == {"right.txt": 10}
    assert seen(lake) == set(Ledger(lake).state().parts)


def test_what_a_killed_undo_brought_back_is_marked_and_hidden_again(lake: Path) -> None:
    before = seen(lake)
    remove(lake, "wrong")
    killed_before_its_step(lambda: undo(lake))
    assert before < seen(lake)
    assert dropped_parts(Ledger(lake).files) == before
    compact(lake, grace_s=3600)
    assert before.isdisjoint(seen(lake))
    undo(lake)
    assert counts(lake) == {"right.txt": 10, "wrong.txt": 10}


def test_what_was_hidden_and_is_ingested_again_counts(lake: Path) -> None:
    remove(lake, "wrong")
    remove(lake, "right")
    assert seen(lake) == set()
    ingested(lake, "wrong", "right")
    assert seen(lake) == set(Ledger(lake).state().parts)
    assert dropped_parts(Ledger(lake).files).isdisjoint(Ledger(lake).state().parts)
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"right.txt": 10, "wrong.txt": 10})


def test_a_lake_of_which_all_was_removed_is_one_still(lake: Path) -> None:
    remove(lake, "wrong")
    remove(lake, "right")
    lose_the_ledger(lake)
    with pytest.raises(IronlakeError, match="damaged"):
        Ledger(lake).state()
    assert repaired(lake) == ([], {})


def test_a_step_whose_marks_cannot_be_written_is_told_to_be_committed(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lake = tmp_path / "lake"
    with Lake(lake) as target:
        add(target, entry("a"))
        add(target, entry("b"))
    real = LocalStorage.create

    def full(files: LocalStorage, path: str) -> None:
        if path.endswith(".dropped"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(files, path)

    for step, words in ((3, ["remove", "a.txt"]), (5, ["undo"])):
        with monkeypatch.context() as patched:
            patched.setattr(LocalStorage, "create", full)
            code, _, err = run(*words, "--lake", lake)
        what = f"step {step} of the ledger is committed, but not all is done that follows it: cannot write to the lake"
        assert (code, what in err, "No space left on device" in err) == (1, True, True), err
        assert err.endswith("hint: the next command that writes to the lake does it\n")
        assert answer_of(lake, f"SELECT source_file FROM {ACTIVITY} GROUP BY 1") == [("b.txt",)]
        if words != ["undo"]:
            undo(lake)
    fill(lake, entry("c"))
    assert len(list((lake / ACTIVITY).glob("*.dropped"))) == 1
