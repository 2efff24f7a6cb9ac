"""A lake from a stranger does not act outside itself: what is no regular file or folder of its own is an error that names the place, and
nothing is read, written or removed there."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from lake_rows import ACTIVITY, GOAL, add, checksum, entry, sealed_anew
from sample_pages import sample
from sizes import some

OURS = "1234-0123456789ab"


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A FIFO that is waited for ends the test."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake of three parts of one table, and a folder beside it that is not the lake's."""
    lake = Lake(tmp_path / "lake")
    for name in "abc":
        add(lake, entry(name))
    lake.close()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / OURS).write_text("not the lake's")
    part = lake.path / next(iter(Ledger(lake.path).state().parts))
    (outside / "0123456789abcdef-000000.parquet").write_bytes(part.read_bytes())
    os.utime(outside / "0123456789abcdef-000000.parquet", (0, 0))
    return lake.path


def move_out(lake: Path, name: str) -> None:
    """Put a file or folder of the lake outside, and a link in its place."""
    target = lake.parent / "outside" / Path(name).name
    (lake / name).rename(target)
    (lake / name).symlink_to(target)


def first_part(lake: Path) -> Path:
    return lake / next(iter(Ledger(lake).state().parts))


def as_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_fifo_that_is_named(lake: Path) -> None:
    """As long as the ledger says it is: it would be opened."""
    part = lake / list(Ledger(lake).state().parts)[2]
    forge(lake, bytes=0)
    as_fifo(part)


def forge(lake: Path, **changes: str | int) -> None:
    """Change what the newest step says of its part, with all digests."""
    step, head = lake / "_ledger" / "steps" / "0000000003.json", lake / "_ledger" / "head.json"
    (part,) = json.loads(step.read_bytes())["add_parts"]
    sealed_anew(step, add_parts=[part | changes])
    sealed_anew(head, step_digest=json.loads(step.read_bytes())["digest"])


def as_device(path: Path) -> None:
    path.unlink()
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("a device can be made by root alone")


def outside_of(lake: Path) -> dict[str, str]:
    return checksum(lake.parent / "outside")


def commands(run: Command, lake: Path) -> dict[str, tuple[int, str, str]]:
    """What commands that read and write say of a lake. The sample is new, so that ingest writes."""
    return {
        "sql": run("sql", f"SELECT count(*) FROM {ACTIVITY}", "--lake", lake),
        "check": run("check", "--lake", lake),
        "repair": run("check", "--repair", "--lake", lake),
        "ingest": run("ingest", sample("velocity_goal"), "--lake", lake),
    }


WHOLE_LAKE = [
    pytest.param(lambda lake: move_out(lake, ACTIVITY), ACTIVITY, id="a_linked_table"),
    pytest.param(lambda lake: move_out(lake, "_ledger/steps"), "steps", id="linked_steps"),
    pytest.param(lambda lake: as_fifo(first_part(lake)), "-000000.parquet", id="a_fifo_as_a_part"),
    pytest.param(as_fifo_that_is_named, "-000000.parquet", id="a_fifo_of_its_size"),
    pytest.param(lambda lake: as_device(first_part(lake)), "-000000.parquet", id="a_device_as_a_part"),
    pytest.param(lambda lake: move_out(lake, str(first_part(lake).relative_to(lake))), "-000000.parquet", id="a_linked_part"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "place"), WHOLE_LAKE)
def test_what_is_no_file_of_the_lake_is_an_error(run: Command, lake: Path, change: Callable[[Path], None], place: str):
    change(lake)
    before = outside_of(lake)
    for name, (code, out, err) in commands(run, lake).items():
        assert code == 1, (name, out)
        assert place in err, name
        assert "is not a" in err, name
    assert outside_of(lake) == before


@pytest.mark.parametrize("name", ["commit.lock", "head.json"])
def test_a_file_of_the_ledger_that_is_a_fifo_or_a_link_is_an_error(run: Command, lake: Path, name: str) -> None:
    """commit.lock is opened for writing alone; a link to nowhere would make a file there."""
    path = lake / "_ledger" / name
    path.unlink(missing_ok=True)
    path.symlink_to(lake.parent / "outside" / "made")
    for _ in range(2):
        code, _, err = run("ingest", sample("velocity_goal"), "--lake", lake)
        assert code == 1
        assert name in err
        assert not (lake.parent / "outside" / "made").exists()
        path.unlink()
        os.mkfifo(path)


def test_a_linked_folder_of_temporary_files_is_not_emptied(run: Command, lake: Path) -> None:
    (lake / "_tmp").rmdir()
    (lake / "_tmp").symlink_to(lake.parent / "outside")
    before = outside_of(lake)
    code, _, err = run("ingest", sample("velocity_goal"), "--lake", lake)
    assert code == 1
    assert "_tmp is not a folder" in err
    with pytest.raises(IronlakeError, match="_tmp is not a folder"):
        Lake(lake).compact(grace_s=0)
    assert outside_of(lake) == before


def test_compaction_removes_nothing_behind_a_link(lake: Path) -> None:
    """A folder of a table that the ledger does not name, with old files."""
    (lake / GOAL).symlink_to(lake.parent / "outside")
    before = outside_of(lake)
    with pytest.raises(IronlakeError, match=f"{GOAL} is not a folder"):
        Lake(lake).compact(grace_s=0)
    assert outside_of(lake) == before


def test_only_files_with_names_that_ironlake_makes_are_removed(lake: Path) -> None:
    kept = ["notes.parquet", "-000000.parquet", "0123456789abcdef-000000.parquet.txt"]
    for name in kept:
        (lake / ACTIVITY / name).write_text("mine")
        os.utime(lake / ACTIVITY / name, (0, 0))
    (lake / "own_table").mkdir()
    (lake / "own_table" / f"{'0' * 16}-000000.parquet").write_text("mine")
    (lake / "_tmp" / "notes.txt").write_text("mine")
    gone = lake / ACTIVITY / f"{'0' * 16}-000000.parquet"
    gone.write_text("of a dead process")
    os.utime(gone, (0, 0))
    Lake(lake).compact(grace_s=0)
    assert not gone.exists()
    assert all((lake / ACTIVITY / name).read_text() == "mine" for name in kept)
    assert (lake / "own_table" / f"{'0' * 16}-000000.parquet").read_text() == "mine"
    assert (lake / "_tmp" / "notes.txt").read_text() == "mine"


def test_a_private_folder_of_a_dead_process_goes_with_its_lock_alone(lake: Path) -> None:
    dead, unlocked = lake / "_tmp" / OURS, lake / "_tmp" / "99-0123456789ab"
    for folder in (dead, unlocked):
        folder.mkdir()
        (folder / "linked").symlink_to(lake.parent / "outside")
    (lake / "_tmp" / f"{OURS}.lock").touch()
    before = outside_of(lake)
    Lake(lake).compact(grace_s=0)
    assert list((lake / "_tmp").iterdir()) == [unlocked]
    assert outside_of(lake) == before


@pytest.mark.parametrize(
    "changes",
    some(
        [
            {"table": "../outside"},
            {"table": ACTIVITY, "path": f"{ACTIVITY}/../../outside/0123456789abcdef-000000.parquet"},
            {"table": ACTIVITY, "path": f"{GOAL}/0123456789abcdef-000000.parquet"},
            {"table": ACTIVITY, "path": "/etc/passwd"},
        ],
        2,
    ),
    ids=str,
)
def test_a_part_outside_the_lake_or_of_no_declared_table_is_damage(run: Command, lake: Path, changes: dict) -> None:
    forge(lake, **changes)
    before = outside_of(lake)
    for words in (["sql", f"SELECT count(*) FROM {ACTIVITY}"], ["check"]):
        code, out, err = run(*words, "--lake", lake)
        assert (code, out) == (1, ""), words
        assert "the ledger is damaged" in err, words
        assert changes.get("path", changes["table"]) in err, words
    # Repaired, or refused.
    with suppress(IronlakeError), Lake(lake) as writer:
        writer.repair()
    assert outside_of(lake) == before
    assert sorted(p.name for p in lake.parent.iterdir()) == ["lake", "outside"]


def test_a_lake_may_itself_be_behind_a_link(tmp_path: Path) -> None:
    """The folder is the user's choice; only what is below it is the stranger's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    ingest([str(sample("velocity_goal"))], tmp_path / "linked", Options())
    assert Ledger(tmp_path / "linked").state().step == 1
