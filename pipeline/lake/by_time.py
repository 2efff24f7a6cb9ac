"""The rows of parts in the order of their times, some at a time: what compaction writes so, a question about a day finds in a few row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from .parts import ROWS_PER_GROUP, PartStore
from .state import Part

# By the first of these that a table has.
_TIMES = ("interval_start", "begin_at", "collected_at")
_NO_TIME = np.iinfo(np.int64).min


class _Group(NamedTuple):
    """A row group of a part, and the time of each of its rows."""

    part: Part
    number: int
    times: np.ndarray


def in_order(store: PartStore, parts: Sequence[Part], schema: pa.Schema) -> Iterator[pa.Table]:
    """All rows of the parts, those without a time first; rows of one time in the order of the parts. A table without times is as it is."""
    column = next((name for name in _TIMES if name in schema.names), None)
    if column is None:
        for part in parts:
            yield from (rows.cast(schema) for rows in store.read(part))
        return
    groups = [
        _Group(part, number, _as_numbers(rows[column]))
        for part in parts
        for number, rows in enumerate(store.read(part, [column]))
    ]
    for first, last in _runs(np.concatenate([group.times for group in groups])):
        if first == last:
            # They may be many, as where no row has a time.
            yield from _rows(store, groups, first, last, schema)
            continue
        rows = pa.concat_tables(_rows(store, groups, first, last, schema))
        times = _as_numbers(rows[column])
        # Parts of one night each are in order already: to copy wide rows takes time and memory.
        if (times[1:] < times[:-1]).any():
            order = pa.array(np.argsort(times, kind="stable"))
            rows = rows.unify_dictionaries().combine_chunks().take(order)
        yield rows


def _as_numbers(times: pa.ChunkedArray) -> np.ndarray:
    numbers = times.combine_chunks().cast(pa.timestamp("us")).cast(pa.int64())
    return numbers.fill_null(_NO_TIME).to_numpy(zero_copy_only=False)


def _runs(times: np.ndarray) -> Iterator[tuple[int, int]]:
    """From which time to which (the latter included) the rows of a row group lie; a time that has more is one run."""
    times = np.sort(times)
    at = 0
    while at < len(times):
        # Before the time that would be cut in two.
        end = at + ROWS_PER_GROUP
        if end < len(times):
            end = int(np.searchsorted(times, times[end], "left"))
        end = end if end > at else int(np.searchsorted(times, times[at], "right"))
        end = min(end, len(times))
        yield int(times[at]), int(times[end - 1])
        at = end


def _rows(store: PartStore, groups: Sequence[_Group], first: int, last: int, schema: pa.Schema) -> Iterator[pa.Table]:
    for group in groups:
        wanted = (group.times >= first) & (group.times <= last)
        if wanted.any():
            with store.opened(group.part) as file:
                rows = file.read_row_group(group.number).cast(schema)
            yield rows if wanted.all() else rows.filter(pa.array(wanted))
