"""What a large ledger costs: a year of a site whose 1,000 systems print a file every night. Opening it, looking up a file, a commit.

    python -m benchmarks.ledger [FOLDER]

The parts are named and not there: nothing here reads rows."""

from __future__ import annotations

import argparse
import datetime as dt
import statistics
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from ironlake.pipeline.declaration.bookkeeping import stored_tables
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.lake.history import from_sources
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger, Part, SourceEntry, State
from ironlake.pipeline.sql.open_lake import OpenLake

SOURCES, PARTS = 365_000, 60_000
_PER_NIGHT, _PER_BATCH, _TABLES_PER_SOURCE = 1000, 250, 8
_COMMITS = 100
# One of those that have parts.
_ASKED = min(stored_tables())
_ASK = """
import sys
from benchmarks import ledger
ledger.{what}(ledger.Path(sys.argv[1]))
"""


def digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()


def made(sources: int, parts: int) -> State:
    """Sources in batches of 250, and of each batch a part of each table, in which all of them are."""
    key = Options().as_key()
    tables = sorted(stored_tables())
    per_batch = max(1, round(parts / (sources / _PER_BATCH)))
    state = State(1)
    for first in range(0, sources, _PER_BATCH):
        night = dt.datetime(2026, 1, 1) + dt.timedelta(days=first // _PER_NIGHT)
        some = tables[:per_batch]
        entries = [
            SourceEntry(
                digest(f"source {n}"), key, f"/print/{night:%Y/%m/%d}/SYS{n % _PER_NIGHT:04}.rmf.txt",
                bytes=4_000_000 + n, encoding="cp1047", form="records of 133 bytes, ASA carriage control", pages=600 + n % 90,
                lines=36_000 + n % 1009, blank_lines=900, claimed_lines=35_000, unread_lines=0,
                rows={some[(n + k) % len(some)]: 96 * (k + 1) for k in range(min(_TABLES_PER_SOURCE, len(some)))},
                committed_at=(night + dt.timedelta(hours=30)).isoformat(),
            )
            for n in range(first, min(first + _PER_BATCH, sources))
        ]  # fmt: skip
        state.sources.update({e.sha256: e for e in entries})
        ids = tuple(sorted(e.source_id for e in entries))
        for table in some:
            path = f"{table}/{digest(ids[0])[:32]}-000000.parquet"
            end = (night + dt.timedelta(days=1)).isoformat()
            state.parts[path] = Part(
                table, path, 24_000, 400_000, ids, digest(path), digest(end)[:32], night.isoformat(), end
            )
    return state


def write(folder: Path, sources: int = SOURCES, parts: int = PARTS) -> None:
    ledger = Ledger(folder)
    ledger.create()
    state = made(sources, parts)
    with ledger.rebuilding():
        ledger.adopt(state, step=1, events=from_sources(state.sources.values()))


def resident() -> int:
    """Bytes of memory that this process had at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def opening(folder: Path) -> None:
    """Prints the seconds, those of the processor and the bytes that opening takes, beside what is loaded for any lake."""
    small = folder.parent / "small"
    with OpenLake(small) as lake:
        lake.state.parts_of(_ASKED)
    before, started = resident(), (time.perf_counter(), time.process_time())
    with OpenLake(folder) as lake:
        parts = lake.state.parts_of(_ASKED)
        _ = lake.outdated_note
        assert len(parts) > 1000
        print(*_since(started), resident() - before)


def finding(folder: Path) -> None:
    """What an ingest of a night asks: 1,000 files, half of them known."""
    with Lake(folder) as lake:
        before, started = resident(), (time.perf_counter(), time.process_time())
        find = lake.finder(Options().as_key())
        assert sum(find(digest(f"source {n}")) is not None for n in range(SOURCES - 500, SOURCES + 500)) == 500
        print(*_since(started), resident() - before)


def committing(folder: Path) -> None:
    """Commits of one source without rows: the first, the median and the slowest, and the processor time of all."""
    with Lake(folder) as lake:
        took, started = [], (time.perf_counter(), time.process_time())
        for n in range(_COMMITS):
            name = digest(f"{time.time_ns()} {n}")
            entry = SourceEntry(name, Options().as_key(), f"new{n}.txt", status="empty")
            before = time.perf_counter()
            lake.commit([entry], [])
            took.append(time.perf_counter() - before)
        print(took[0], statistics.median(took), max(took), _since(started)[1] / _COMMITS)


def _since(started: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - started[0], time.process_time() - started[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--sources", type=int, default=SOURCES)
    parser.add_argument("--parts", type=int, default=PARTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary) / "lake"
        if not folder.exists():
            write(folder, given.sources, given.parts)
            write(folder.parent / "small", 1, 1)
        size = sum(p.stat().st_size for p in (folder / "_ledger").rglob("*") if p.is_file())
        print(f"ledger on disk: {size / 1e6:.1f} MB")
        for what, told, how_often in (
            ("opening", "open", 5),
            ("finding", "look up 1,000 files in a lake that is opened for it", 3),
        ):
            wall, cpu, memory = ask(what, folder, how_often)
            print(f"{told}: {wall:.3f} s, {cpu:.3f} s of the processor, {memory / 1e6:.0f} MB")
        first, median, slowest, cpu = (1000 * seconds for seconds in ask("committing", folder, 1))
        print(f"commit: {median:.1f} ms (median of {_COMMITS}; {cpu:.1f} ms of the processor, opening counted)")
        print(f"the first commit, with opening: {first:.1f} ms; the slowest: {slowest:.1f} ms")


def ask(what: str, folder: Path, how_often: int) -> list[float]:
    """The medians of what one of the functions above prints, each time in a process of its own."""
    program = [sys.executable, "-c", _ASK.format(what=what), folder]
    runs = [
        subprocess.run(program, check=True, capture_output=True, text=True).stdout.split() for _ in range(how_often)
    ]
    return [statistics.median(map(float, values)) for values in zip(*runs, strict=True)]


if __name__ == "__main__":
    main()
