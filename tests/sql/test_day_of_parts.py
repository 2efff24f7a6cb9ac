"""A question about a day reads the parts of that day: the files of other days may be gone."""

from __future__ import annotations

import datetime as dt
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.narrowed import NarrowedLake
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.shards import ShardedLake
from lake_rows import ACTIVITY, entry, receipts, rows

DAYS = [dt.datetime(2026, 3, 1) + dt.timedelta(days=n) for n in range(12)]
ASKED = DAYS[4]
COUNT = f"SELECT count(*) FROM {ACTIVITY} WHERE"


def timed(name: str, starts: list[dt.datetime | None]) -> pa.Table:
    found = rows(entry(name, lines=len(starts)))
    ends = [start and start + dt.timedelta(minutes=15) for start in starts]
    found = found.append_column("interval_start", pa.array(starts, pa.timestamp("us")))
    return found.append_column("interval_end", pa.array(ends, pa.timestamp("us")))


def add(lake: Lake, name: str, starts: list[dt.datetime | None]) -> None:
    e = entry(name, lines=len(starts))
    lake.commit([e], lake.write_batch({ACTIVITY: timed(name, starts)}, receipts(e)))


def hours(day: dt.datetime) -> list[dt.datetime | None]:
    return [day + dt.timedelta(hours=hour) for hour in range(24)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with Lake(tmp_path_factory.mktemp("days") / "lake") as lake:
        for day in DAYS:
            add(lake, f"{day:%d}", hours(day))
    return lake.path


@pytest.fixture
def lake(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / "lake")


def lose_other_days(lake: Path, kept: set[str]) -> None:
    state = Ledger(lake).state()
    name = {e.source_id: e.source_file.removesuffix(".txt") for e in state.sources.values()}
    for part in state.parts.values():
        if name[part.source_ids[0]] not in kept:
            (lake / part.path).unlink()


@contextmanager
def opened_parts(lake: Path) -> Iterator[set[str]]:
    """The parts that Python opens meanwhile, to look for damage."""
    found: set[str] = set()
    is_on = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if is_on and event == "open" and str(arguments[0]).endswith(".parquet"):
            found.add(str(arguments[0]))

    sys.addaudithook(hook)
    yield found
    is_on = False


def test_a_question_about_a_day_opens_the_files_of_that_day(lake: Path) -> None:
    lose_other_days(lake, {"05"})
    for condition, count in (
        ("interval_start >= TIMESTAMP '2026-03-05' AND interval_start < TIMESTAMP '2026-03-06'", 24),
        ("CAST(interval_start AS DATE) = DATE '2026-03-05'", 24),
        ("interval_end BETWEEN TIMESTAMP '2026-03-05 10:00' AND TIMESTAMP '2026-03-05 11:00'", 1),
    ):
        with opened_parts(lake) as opened, OpenLake(lake, few_rows=0) as asked:
            assert asked.sql(f"{COUNT} {condition}").fetchall() == [(count,)]
        assert len(opened) == 1
    with OpenLake(lake, few_rows=0) as asked, pytest.raises(IronlakeError, match=r"is damaged:\n.*is missing") as told:
        asked.sql(f"{COUNT} line > 0").fetchall()
    assert told.value.hint.startswith("ironlake check --repair")


def test_a_day_without_parts_has_no_rows(lake: Path) -> None:
    lose_other_days(lake, set())
    with OpenLake(lake, few_rows=0) as asked:
        assert asked.sql(f"{COUNT} interval_start >= TIMESTAMP '2026-06-01'").fetchall() == [(0,)]
        assert asked.sql(f"SELECT * FROM {ACTIVITY} WHERE interval_end < TIMESTAMP '2025-06-01'").fetchall() == []


def test_a_day_of_a_lake_opens_the_files_of_that_day(lake: Path) -> None:
    lose_other_days(lake, {"05"})
    with OpenLake(lake, few_rows=0) as asked:
        with NarrowedLake(asked, ASKED, ASKED + dt.timedelta(days=1)) as narrowed:
            assert narrowed.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(24,)]
        rows = asked.parts(tables()[ACTIVITY]).inside([(ASKED + dt.timedelta(hours=1), ASKED + dt.timedelta(hours=2))])
        with asked.database() as connection:
            assert connection.sql(f"SELECT count(*) FROM ({rows.select()})").fetchall() == [(1,)]


def test_what_one_question_left_out_the_next_reads(written: Path) -> None:
    """Tables of views are made one after the other by one connection."""
    with OpenLake(written, few_rows=0) as asked:
        later = f"{COUNT} interval_start > TIMESTAMP '2027-01-01'"
        found = [asked._session._asked(text, ACTIVITY).fetchall() for text in (later, f"{COUNT} TRUE", later)]
    assert found == [[(0,)], [(12 * 24,)], [(0,)]]


def test_rows_without_a_time_are_found(lake: Path) -> None:
    with Lake(lake) as more:
        add(more, "some", [None, DAYS[0], None])
        add(more, "none", [None, None])
    with OpenLake(lake, few_rows=0) as asked:
        assert asked.sql(f"{COUNT} interval_start IS NULL").fetchall() == [(4,)]
        assert asked.sql(f"{COUNT} interval_start < TIMESTAMP '2026-03-01 00:10'").fetchall() == [(2,)]
        assert asked.sql(f"SELECT count(*), count(interval_start) FROM {ACTIVITY}").fetchall() == [
            (12 * 24 + 5, 12 * 24 + 1)
        ]
        with NarrowedLake(asked, None, DAYS[1]) as narrowed:
            assert narrowed.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(24 + 5,)]


def test_shards_read_their_days(written: Path) -> None:
    with OpenLake(written, few_rows=0) as asked, ShardedLake(asked, most_rows=96) as sharded:
        assert len(sharded.shards([tables()[ACTIVITY]])) == 3
        whole = asked.sql("SELECT count(*) FROM workload_interval").fetchall()
        assert sharded.sql("SELECT count(*) FROM workload_interval").fetchall() == whole


def test_compaction_puts_the_rows_of_a_day_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ironlake.pipeline.lake.by_time.ROWS_PER_GROUP", 24)
    monkeypatch.setattr("ironlake.pipeline.lake.parts.ROWS_PER_GROUP", 24)
    with Lake(tmp_path) as lake:
        # Every day comes in halves, the days in any order, with rows without a time between them.
        for day in (DAYS[n] for n in (3, 0, 5, 1, 4, 2)):
            for half in (1, 0):
                add(lake, f"{day:%d}-{half}", [*hours(day)[half::2], None])
        before = all_rows(tmp_path)
        assert lake.compact(most_small_parts=4, rows_per_part=74, grace_s=0) == 12
    assert all_rows(tmp_path) == before
    parts = sorted(Ledger(tmp_path).state().parts.values(), key=lambda part: part.first_time or "")
    assert [(part.first_time, part.last_start) for part in parts] == [
        (str(DAYS[first]).replace(" ", "T"), str(DAYS[last].replace(hour=23)).replace(" ", "T"))
        for first, last in ((0, 2), (3, 5))
    ]
    for part in parts:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(tmp_path / part.path)
        starts = [file.read_row_group(n)["interval_start"].to_pylist() for n in range(file.num_row_groups)]
        told = [start for group in starts for start in group]
        assert told[:6] == [None] * 6
        assert told[6:] == sorted(told[6:])
        # A day lies in two row groups at most.
        assert max(sum(any(s and s.day == day for s in group) for group in starts) for day in range(1, 7)) <= 2


@pytest.mark.parametrize("rows_per_group", [10, 65_536])
def test_rows_of_one_time_stay_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_group: int):
    """Also where one time has more rows than a row group."""
    monkeypatch.setattr("ironlake.pipeline.lake.by_time.ROWS_PER_GROUP", rows_per_group)
    with Lake(tmp_path) as lake:
        for name in "abc":
            add(lake, name, [DAYS[line % 2] for line in range(1, 61)])
        lake.compact(most_small_parts=1, grace_s=0)
    with OpenLake(tmp_path) as asked:
        found = [(r[0], r[1]) for r in asked.sql(f"SELECT source_file, line FROM {ACTIVITY}").fetchall()]
    assert found == [(f"{n}.txt", line) for first in (2, 1) for n in "abc" for line in range(first, 61, 2)]


def all_rows(lake: Path) -> list[tuple[object, ...]]:
    with OpenLake(lake) as asked:
        return asked.sql(f"SELECT * FROM {ACTIVITY} ORDER BY source_file, line").fetchall()
