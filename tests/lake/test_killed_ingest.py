"""Faults while the lake is written: killed at random moments, a disk that fills up. Afterwards the same command gives the rows
of an undisturbed run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from killing import SMALL, halves, killed, rows_of
from sample_pages import sample

from benchmarks.corpus import write_corpus


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
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
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
