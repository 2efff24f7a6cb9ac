"""Writes that are dropped, reordered, torn and flipped at every call: after each step the lake answers as before or after the step, or it
says that it is damaged; then nothing is removed, and a repair leaves whole sources only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from command_line import ended
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from killing import SMALL, halves, killed, rows_of
from lake_rows import MDY
from sample_pages import sample
from simulated_lake import CUT, GIVEN, SimulatedLake, walk
from sizes import some

from benchmarks.corpus import write_corpus

# Each with one of the kinds in the quick form.
_REMOVALS = some([("withdraw", "kill"), ("withdraw", "power"), ("cut", "power"), ("cut", "kill"),
                  ("replace", "kill"), ("replace", "power"), ("undo", "power"), ("undo", "kill")], 5)  # fmt: skip


@pytest.mark.parametrize("every", [60, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("what", "kind"), _REMOVALS)
def test_a_removal_that_ends_at_any_call_is_done_or_not_begun(what, kind, every):
    """At every so many of its calls to the disk, and at more of the last: the step of the ledger is among these."""
    calls = removed_up_to(what, "none", 0)[1]
    assert calls > (6 if what == "undo" else 60)
    outcomes = {
        removed_up_to(what, kind, at)[0]
        for at in sorted({*range(1, calls, every), *range(max(1, calls - 9), calls + 1, min(every, 3))})
    }
    assert outcomes == {"before", "after"}


def removed_up_to(what, kind, at):
    """A removal, or that it is undone, which ends at a call to the disk, then done again: what was there between, and the calls of the
    first."""
    lake = SimulatedLake(seed=at)
    try:
        lake.ingest("abc", MDY, "none", 0)
        whole, cut = dict.fromkeys("abc", MDY), dict.fromkeys("abc", MDY + CUT)
        expected, do = {
            "withdraw": (dict.fromkeys("bc", MDY), partial(lake.withdraw, "a")),
            "cut": (cut, lake.cut),
            "replace": (dict.fromkeys("abc", MDY + GIVEN) | {"d": MDY}, partial(lake.replace, "d")),
            "undo": (whole, lake.undo),
        }[what]
        if what == "undo":
            lake.cut("none", 0)
        before = dict(lake.model)
        do(kind, at)
        outcome, calls = "before" if lake.model == before else "after", lake.disk.calls
        assert lake.counts["crashes"] == (kind != "none")
        assert lake.counts[f"{what}: damaged"] == 0
        if lake.model != expected:
            lake.previous = whole
            do("none", 0)
        assert lake.model == expected
        return outcome, calls
    finally:
        lake.close()


@pytest.mark.parametrize(
    "steps", [80, pytest.param(500, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.soak)]
)
def test_random_steps(steps):
    counts = walk(steps, seed=2)
    assert counts["crashes"] > steps // 10
    if steps > 80:
        assert counts["rot: damaged"] > 3
        assert counts["refused"] > 3
        assert counts["withdraw: whole"] + counts["cut: whole"] > 3


# --- Killed at random moments, a disk that fills up: afterwards the same command gives the rows of an undisturbed run -


@pytest.mark.slow
def test_killed_at_random_moments_the_same_command_gives_the_same_rows(tmp_path: Path) -> None:
    found = killed(tmp_path, [sample(name) for name in SMALL], 4, seed=1, timeout=1200)
    assert found["wrong"] == []
    assert found["kills"] == 4


@pytest.mark.soak
def test_killed_at_two_hundred_random_moments_the_same_command_gives_the_same_rows(tmp_path: Path) -> None:
    files = [tmp_path / f"{seed}.txt" for seed in range(4)]
    for seed, path in enumerate(files):
        write_corpus(path, "mixed" if seed else "dense_rejects", 0.01, seed=seed)
    found = killed(tmp_path, [sample(name) for name in SMALL] + files, 200, seed=2, timeout=7200)
    assert found["wrong"] == []
    assert 20 < found["committed"] < 200


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    if ended("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", place).returncode:
        pytest.skip("a file system can be mounted by root alone")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="a file system can be mounted by root alone")
def test_a_disk_that_fills_up_is_said_and_costs_nothing_that_was_there(tmp_path: Path, small_disk: Path) -> None:
    first, rest = str(sample("velocity_goal")), tmp_path / "rest.txt"
    write_corpus(rest, "mixed", 1, seed=3)
    lake = small_disk / "lake"
    ingest([first], lake, Options())
    before = rows_of(lake)
    with pytest.raises(IronlakeError, match=r"cannot write to the lake .*: No space left on device"):
        ingest([str(rest)], lake, Options(), jobs=1)
    assert rows_of(lake) == before
    assert halves(lake) == []
    assert list((lake / "_tmp").iterdir()) == []

    subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)], check=True)
    ingest([str(rest)], lake, Options(), jobs=1)
    ingest([first, str(rest)], tmp_path / "undisturbed", Options(), jobs=1)
    assert rows_of(lake) == rows_of(tmp_path / "undisturbed")
