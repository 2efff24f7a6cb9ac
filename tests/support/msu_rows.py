"""Rows of pages for tests of software MSU."""

from collections.abc import Sequence

from rmf_rows import HOUR, partition
from views_lake import START, Row


def hour_of(row: Row, name: str = "hour_start") -> int:
    """Hours after START."""
    return (row[name] - START) // HOUR


def cpus(*rows: Row) -> dict[str, list[Row]]:
    return {"rmf_cpu_activity": [*rows]}


def clocked(hours: Sequence[int], offsets: Sequence[int | None], *msu: float) -> list[Row]:
    """Intervals of an hour that start at local hours after START, in the order of the page."""
    return [
        partition(
            0, value, interval_start=START + hour * HOUR, interval_end=START + (hour + 1) * HOUR, interval_s=3600.0
        )
        | {"line": 10 + n, "utc_offset_minutes": offset}
        for n, (hour, offset, value) in enumerate(zip(hours, offsets, msu, strict=True))
    ]
