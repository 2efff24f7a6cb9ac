"""What a step dropped does not come back when the ledger is lost and rebuilt from the parts: a removed wrong report that answers again would be
a wrong number in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.part_files import dropped_parts, part_files
from ironlake.pipeline.lake.removal import Selection
from lake_rows import ACTIVITY, DMY, GOAL, MDY, add, entry, receipts, rows
from simulated_lake import CUT, SimulatedLake

TABLES = (ACTIVITY, GOAL)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Two sources that share their parts."""
    with Lake(tmp_path / "lake") as made:
        add(made, entry("wrong"), entry("right"), tables=TABLES)
    return tmp_path / "lake"


def remove(lake: Path, name: str, options: str = MDY) -> None:
    with Lake(lake) as target:
        target.remove(Selection(frozenset([entry(name, options).source_id])))


def compact(lake: Path, grace_s: float) -> None:
    with Lake(lake) as target:
        target.compact(grace_s=grace_s)


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
    with open_lake(lake) as opened:
        found = [
            dict(opened.sql(f"SELECT source_file, count(*) FROM {t} GROUP BY 1 ORDER BY 1").fetchall()) for t in TABLES
        ]
    assert found[0] == found[1]
    return found[0]


def test_what_was_removed_does_not_come_back(lake: Path) -> None:
    remove(lake, "wrong")
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"right.txt": 10})


def test_a_reading_that_was_replaced_does_not_come_back(lake: Path) -> None:
    add(Lake(lake), entry("wrong", DMY, lines=7), tables=TABLES)
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"right.txt": 10, "wrong.txt": 7})


def test_what_was_merged_and_then_removed_does_not_come_back(lake: Path) -> None:
    add(Lake(lake), entry("other"), tables=TABLES)
    Lake(lake).compact(most_small_parts=1)
    remove(lake, "wrong")
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"other.txt": 10, "right.txt": 10})


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
def test_what_a_killed_command_left_of_a_removed_source_does_not_come_back(
    lake: Path, work: Callable[[Path], object]
) -> None:
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


def test_what_is_undone_or_ingested_again_counts_again(lake: Path) -> None:
    remove(lake, "wrong")
    assert dropped_parts(Ledger(lake).files)
    Lake(lake).undo()
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"right.txt": 10, "wrong.txt": 10})
    remove(lake, "wrong")
    remove(lake, "right")
    add(Lake(lake), entry("wrong"), entry("right"), tables=TABLES)
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"right.txt": 10, "wrong.txt": 10})


def test_a_commit_that_was_interrupted_may_be_added(lake: Path) -> None:
    target = Lake(lake)
    target.write_batch({t: rows(entry("new")) for t in TABLES}, receipts(entry("new"), tables=TABLES))
    lose_the_ledger(lake)
    assert repaired(lake) == ([], {"new.txt": 10, "right.txt": 10, "wrong.txt": 10})


def test_a_part_goes_with_its_mark(lake: Path) -> None:
    remove(lake, "wrong")
    compact(lake, grace_s=3600)
    assert len(dropped_parts(Ledger(lake).files)) == len(TABLES)
    compact(lake, grace_s=0)
    assert dropped_parts(Ledger(lake).files) == set()
    assert set(part_files(Ledger(lake).files)) == set(Ledger(lake).state().parts)
