"""The history of a lake: what each step did, also after the steps are gone, and after the ledger was damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.show_history import history_of
from lake_rows import ACTIVITY, DMY, MDY, add, entry, fill, make_checkpoint, repaired
from sizes import some

Told = tuple[int | None, str, int, str | None, str | None]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Three steps: two sources, one of them read anew, and a compaction."""
    with Lake(tmp_path / "lake") as made:
        add(made, entry("a", MDY, lines=10), entry("b", lines=5))
        add(made, entry("a", DMY, lines=7))
        made.compact(most_small_parts=1, grace_s=0)
    return tmp_path / "lake"


TOLD: list[Told] = [
    (1, "ingested", 10, "a.txt", None),
    (1, "ingested", 5, "b.txt", None),
    (2, "replaced", 10, "a.txt", "by the same bytes, read with other options or by another reader"),
    (2, "ingested", 7, "a.txt", None),
    (3, "compacted", 12, None, f"{ACTIVITY}: 2 parts into 1"),
]


def told(lake: Path, last: int | None = None) -> list[Told]:
    rows = history_of(lake, last).to_pylist()
    return [(r["step"], r["action"], r["rows"], r["source_file"], r["what"]) for r in rows]


def history_files(lake: Path) -> list[Path]:
    return sorted((lake / "_ledger" / "checkpoints").glob("*.history.parquet"))


def test_every_step_says_what_it_did_and_when(lake: Path) -> None:
    assert told(lake) == TOLD
    assert told(lake, last=2) == TOLD[-2:]
    rows = history_of(lake).to_pylist()
    assert rows[0]["source_id"] == entry("a", MDY).source_id
    assert [r["source_id"] for r in rows[2:4]] == [entry("a", MDY).source_id, entry("a", DMY).source_id]
    now = datetime.now(UTC).replace(tzinfo=None)
    assert all(now - timedelta(minutes=10) < r["at"] <= now for r in rows)


def test_the_history_stays_when_its_steps_go(lake: Path) -> None:
    make_checkpoint(lake)
    with Lake(lake) as grown:
        add(grown, entry("c", lines=3))
        grown.compact(grace_s=0)
    assert [p.name for p in (lake / "_ledger" / "steps").iterdir()] == ["0000000004.json"]
    assert told(lake) == [*TOLD, (4, "ingested", 3, "c.txt", None)]
    make_checkpoint(lake)
    with Lake(lake) as grown:
        add(grown, entry("d", lines=2))
        grown.compact(grace_s=0)
    assert len(history_files(lake)) <= 2
    assert told(lake) == [*TOLD, (4, "ingested", 3, "c.txt", None), (5, "ingested", 2, "d.txt", None)]


def test_the_command_prints_it_and_a_missing_lake_is_an_error(run: Command, lake: Path, tmp_path: Path) -> None:
    code, out, err = run("history", "--lake", lake, "--format", "json", "--last", 1)
    (row,) = json.loads(out)
    assert (code, err, row["action"], row["rows"], row["source_file"]) == (0, "", "compacted", 12, None)
    code, out, _ = run("history", "--lake", lake)
    assert code == 0
    assert out.splitlines()[0].split() == ["step", "at", "action", "rows", "source_file", "source_id", "what"]
    assert len([line for line in out.splitlines() if ".txt" in line]) == 4
    code, out, err = run("history", "--lake", tmp_path / "none")
    assert (code, out) == (2, "")
    assert "no lake in" in err
    assert "ironlake ingest FILE" in err


@pytest.mark.parametrize("lost", some([True, False], 2))
def test_a_damaged_history_is_said_and_repaired_and_stops_no_commit(run: Command, lake: Path, lost: bool) -> None:
    make_checkpoint(lake)
    (path,) = history_files(lake)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink() if lost else path.write_bytes(content)
    for words in (["history"], ["check"]):
        code, out, err = run(*words, "--lake", lake)
        assert (code, out) == (1, "")
        assert f"{path} {'is missing' if lost else 'does not have its digest'}" in err
        assert "check --repair" in err
    fill(lake, entry("c", lines=3))
    # What is left of it: the sources, and what came after.
    code, _, err = run("check", "--repair", "--lake", lake)
    assert (code, "repaired; nothing to ingest again" in err) == (1, True)
    found = told(lake)
    assert [each[1:4] for each in found] == [
        ("ingested", 5, "b.txt"),
        ("ingested", 7, "a.txt"),
        ("ingested", 3, "c.txt"),
        ("lost", 0, None),
    ]
    assert "history was damaged" in str(found[-1][4])
    assert run("check", "--lake", lake)[0] == 0


def test_a_rebuilt_ledger_keeps_the_history_that_can_be_read(lake: Path) -> None:
    (lake / "_ledger" / "head.json").write_text("{")
    assert repaired(lake) == []
    found = told(lake)
    assert found[:-1] == TOLD
    assert (found[-1][0], found[-1][1]) == (4, "rebuilt")
