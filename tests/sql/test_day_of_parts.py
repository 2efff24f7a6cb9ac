"""A question about a day reads the parts of that day: the files of other days may be gone."""

from __future__ import annotations

import datetime as dt
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
from ironlake.pipeline.sql.prune import prune_to_windows
from ironlake.pipeline.sql.session import OpenLake
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


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    with Lake(tmp_path / "lake") as lake:
        for day in DAYS:
            add(lake, f"{day:%d}", hours(day))
    return tmp_path / "lake"


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


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        pytest.param(
            "interval_start >= TIMESTAMP '2026-03-05' AND interval_start < TIMESTAMP '2026-03-06'", 24, id="range"
        ),
        pytest.param("CAST(interval_start AS DATE) = DATE '2026-03-05'", 24, id="date"),
        pytest.param(
            "interval_end BETWEEN TIMESTAMP '2026-03-05 10:00' AND TIMESTAMP '2026-03-05 11:00'", 4 // 4, id="ends"
        ),
    ],
)
def test_a_question_about_a_day_opens_the_files_of_that_day(lake: Path, condition: str, count: int) -> None:
    lose_other_days(lake, {"05"})
    with opened_parts(lake) as opened, OpenLake(lake, few_rows=0) as asked:
        assert asked.sql(f"{COUNT} {condition}").fetchall() == [(count,)]
    assert len(opened) == 1
    with OpenLake(lake, few_rows=0) as asked, pytest.raises(IronlakeError, match=r"is damaged:\n.*is missing") as told:
        asked.sql(f"{COUNT} line > 0").fetchall()
    assert told.value.hint.startswith("ironlake check --repair")


def test_a_day_of_a_lake_opens_the_files_of_that_day(lake: Path) -> None:
    lose_other_days(lake, {"05"})
    with OpenLake(lake, few_rows=0) as asked:
        with NarrowedLake(asked, ASKED, ASKED + dt.timedelta(days=1)) as narrowed:
            assert narrowed.sql(f"SELECT count(*) FROM {ACTIVITY}").fetchall() == [(24,)]
        window = (ASKED + dt.timedelta(hours=1), ASKED + dt.timedelta(hours=2))
        near = prune_to_windows(asked.files(tables()[ACTIVITY]), [window])  # type: ignore[arg-type]
        assert isinstance(near, pa.Table)
        assert near.num_rows == 1


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


def test_a_dataset_filtered_twice_has_the_rows_of_both_conditions(lake: Path) -> None:
    import pyarrow.compute as pc

    with OpenLake(lake, few_rows=0) as asked:
        files = asked.files(tables()[ACTIVITY])
        assert files is not None
        later, even = pc.field("interval_start") >= pa.scalar(DAYS[-1]), pc.field("line") <= 6
        assert files.filter(later).filter(even).count_rows() == 6
        assert files.filter(later).to_table(filter=even).num_rows == 6
        assert files.filter(later).head(3).num_rows == 3


def test_parts_of_older_releases_are_read_whatever_is_asked(lake: Path) -> None:
    """They do not say when their last interval starts and their first ends."""
    from old_lakes import make_old, make_second

    for number, old in enumerate((make_second, make_old)):
        old(lake)
        with OpenLake(lake, few_rows=0) as asked:
            condition = "interval_start >= TIMESTAMP '2026-03-05' AND interval_start < TIMESTAMP '2026-03-06'"
            assert asked.sql(f"{COUNT} {condition}").fetchall() == [(24,)], number
    with opened_parts(lake) as opened, OpenLake(lake, few_rows=0) as asked:
        asked.sql(f"{COUNT} {condition}").fetchall()
    assert len(opened) == len(DAYS)


def test_shards_read_their_days(lake: Path) -> None:
    with OpenLake(lake, few_rows=0) as asked, ShardedLake(asked, most_rows=24) as sharded:
        whole = asked.sql("SELECT count(*) FROM workload_interval").fetchall()
        assert sharded.sql("SELECT count(*) FROM workload_interval").fetchall() == whole
