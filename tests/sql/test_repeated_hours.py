"""The hour that the clock repeats: of each view by hour, over all reports."""

import datetime as dt
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from ironlake.pipeline.sql.describe import schema_of_view
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import views
from rmf_rows import HOUR
from sample_pages import samples_together
from sizes import some
from views_lake import MemoryLake, Row, nine_digits

BY_HOUR = sorted(name for name, view in views().items() if view.repeats_by)
SUMMER, WINTER = 120, 60
STARTS = {"hour_start", "window_start"}
# Counts of what is known, why a value is not, the time of the intervals (a few milliseconds longer), and where they were printed.
NOT_OF_ONE = {"basis", "refs", "known", "missed", "told", "covered_s", "is_conflicting"}


def _printed(offset: int | None, factor: float, late: int = 0) -> dict[str, list[Row]]:
    """The rows of all sample pages as another pass of the clock prints them: measures times a factor, intervals `late` milliseconds longer."""
    found: dict[str, list[Row]] = {}
    for _, of_tables in samples_together():
        for name, rows in of_tables.items():
            names = {*tables()[name].schema.names}
            if "utc_offset_minutes" not in names:
                continue
            kept = {"page", "line", "period", "occurrence", "interval_s", "cache_interval_s", "thread", *tables()[name].key}  # fmt: skip
            measures = {f.name for f in tables()[name].schema if pa.types.is_floating(f.type)} - kept
            longer = {"interval_end": dt.timedelta(milliseconds=late), "interval_s": late / 1000}
            for row in rows.select([n for n in rows.column_names if n in names]).to_pylist():
                row |= {"source_id": f"{row['source_id']}-{factor}", "utc_offset_minutes": offset}
                row |= {n: row[n] + more for n, more in longer.items() if row.get(n) is not None}
                row |= {n: row[n] * factor for n in measures if row.get(n) is not None}
                found.setdefault(name, []).append(row)
    return found


def _lake(*passes: dict[str, list[Row]]) -> MemoryLake:
    return MemoryLake(**{name: [row for one in passes for row in one.get(name, [])] for name in passes[0]})


@cache
def _lakes() -> tuple[MemoryLake, ...]:
    """Summer's pass alone, winter's alone, both, and both without offsets, of which the intervals end at the same millisecond or not."""
    passes = [_printed(SUMMER, 1.0), _printed(WINTER, 0.75)]
    unknown = [[_printed(None, 1.0), _printed(None, 0.75, late)] for late in (0, 3)]
    return *map(_lake, passes), _lake(*passes), *(_lake(*of_two) for of_two in unknown)


@cache
def _rows(number: int, view: str) -> list[Row]:
    of_hours = "WHERE window_kind = 'hour'" if "window_kind" in schema_of_view(view).names else ""
    return _lakes()[number].rows(f'SELECT * FROM "{view}" {of_hours} ORDER BY ALL')


@pytest.mark.parametrize("view", some(BY_HOUR, 5))
def test_each_of_two_hours_is_what_its_own_pages_say(view: str):
    """Over pages of both the view has the rows that it has over the pages of each alone."""
    alone = [
        row | {"utc_offset_minutes": offset}
        for lake, offset in enumerate((SUMMER, WINTER))
        for row in _rows(lake, view)
    ]
    assert alone, "no sample page has rows of it"
    both, apart = (sorted(str(nine_digits(row)) for row in rows) for rows in (_rows(2, view), alone))
    assert both == apart


@pytest.mark.parametrize("view", some((name for name in BY_HOUR if views()[name].repeats_by in STARTS), 5))
def test_without_offsets_nothing_is_told_that_is_not_true_of_both(view: str):
    """A value is there only where both hours have it, and there is one row of the two. Only hours alone are those of a clock."""
    alone = [{_named(view, row): row for row in _rows(lake, view)} for lake in (0, 1)]
    for late in (0, 1):
        told = _rows(3 + late, view)
        assert told or view == "missed_goal_delay"
        start = str(views()[view].repeats_by)
        hours = {row[start] for row in told} if late else set()
        for row in told:
            if not hours & {row[start] - HOUR, row[start] + HOUR}:
                key = _named(view, row)
                for of_one in alone:
                    expected = of_one.get(key, row)
                    assert not {
                        n: v
                        for n, v in row.items()
                        if n not in NOT_OF_ONE and v is not None and not _same(v, expected[n])
                    }, key


def _named(view: str, row: Row) -> tuple[Any, ...]:
    names = schema_of_view(view).names
    # Of a window its key is told after its times.
    keys = names[: names.index("covered_s") if "window_kind" in names else names.index("hour_start") + 1]
    return tuple(row[name] for name in keys)


def _same(one: Any, other: Any) -> bool:
    return one == (pytest.approx(other, rel=1e-4) if isinstance(other, float) else other)
