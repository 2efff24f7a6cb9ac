"""What of a lake studies can see: views of studies read the printed intervals near the windows of the lake's studies, not all.

Time is narrowed where the Parquet files are read, so that a study of a few hours costs about the same in a lake of years.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..lake.parts import conform

if TYPE_CHECKING:
    import pyarrow.dataset as pads

Window = tuple[dt.datetime, dt.datetime]

# An interval belongs to a window by its midpoint, and others overlap it: they may lie outside by as much as RMF's longest interval.
MARGIN = dt.timedelta(minutes=100)
# More rows are read anew each time that a query needs them: memory is bounded.
_MOST_IN_MEMORY = 300_000


def study_windows(steps: pa.Table) -> list[Window]:
    """The windows of study_step rows with their margins, those that touch made one.

    >>> day = dt.datetime(2021, 4, 13)
    >>> at = [(day + dt.timedelta(hours=h), day + dt.timedelta(hours=h + 1)) for h in (15, 9, 6)]
    >>> steps = pa.table({"window_start": [a for a, _ in at], "window_end": [b for _, b in at]})
    >>> [(str(a.time()), str(b.time())) for a, b in study_windows(steps)]
    [('04:20:00', '11:40:00'), ('13:20:00', '17:40:00')]
    """
    merged: list[Window] = []
    columns = (steps["window_start"].to_pylist(), steps["window_end"].to_pylist())
    for start, end in sorted((a - MARGIN, b + MARGIN) for a, b in zip(*columns, strict=True)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def has_intervals(schema: pa.Schema) -> bool:
    """Whether a table holds printed intervals."""
    return {"interval_start", "interval_end"} <= set(schema.names)


def prune_to_windows(rows: pads.Dataset, windows: Sequence[Window]) -> pa.Table | pads.Dataset:
    """The rows of printed intervals that reach into one of the windows; all rows of a table that has no intervals."""
    if not has_intervals(rows.schema):
        return rows
    stamp = pa.timestamp("us")
    reaching = [
        (pc.field("interval_start") < pa.scalar(end, stamp)) & (pc.field("interval_end") > pa.scalar(start, stamp))
        for start, end in windows
    ]
    inside = reduce(or_, reaching, pc.scalar(False))
    found = read_inside(rows, inside, _MOST_IN_MEMORY)
    return rows.filter(inside) if found is None else found


def read_inside(rows: pads.Dataset, inside: pc.Expression, most: float = float("inf")) -> pa.Table | None:
    """The rows of a dataset for which a condition holds, in memory; None if they are more than `most`."""
    read: list[int] = []

    def tables_of(file: pads.Fragment) -> list[pa.Table]:
        """The rows of a file; those not yet read are left out once there are too many. To count them all first takes a tenth of the time."""
        found = []
        for part in _inside(file, inside):
            read.append(len(part))
            if sum(read) > most:
                break
            found.append(conform(part, rows.schema))
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [part for parts in pool.map(tables_of, rows.get_fragments(inside)) for part in parts]
    return None if sum(read) > most else pa.concat_tables([rows.schema.empty_table(), *found])


def _inside(file: pads.Fragment, inside: pc.Expression) -> Iterator[pa.Table]:
    """The rows of a file that are inside; row groups whose times are not are left alone."""
    for group in file.split_by_row_group(filter=inside):
        # With its own schema texts stay dictionaries, which are read fast.
        rows = group.to_table(schema=group.physical_schema, filter=inside)
        if len(rows):
            yield rows


def of_the_same_sources(cells: pads.Dataset, others: Iterable[pa.Table | pads.Dataset]) -> pads.Dataset:
    """The rows of a dataset that come from a source of one of the others; row groups that have none are left alone."""
    import pyarrow.dataset as pads

    sources: set[str] = set()
    for rows in others:
        ids = rows.select(["source_id"]) if isinstance(rows, pa.Table) else rows.to_table(columns=["source_id"])
        sources.update(ids["source_id"].unique().to_pylist())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [file for file in pool.map(lambda file: _of_sources(file, sources), cells.get_fragments()) if file]
    if not found:
        return pads.dataset(cells.schema.empty_table())
    wanted = pc.field("source_id").isin(pa.array(sorted(sources), pa.string()))
    return pads.FileSystemDataset(found, cells.schema, found[0].format).filter(wanted)


def _of_sources(file: pads.ParquetFileFragment, sources: set[str]) -> pads.ParquetFileFragment | None:
    """The row groups of a file that have rows of one of the sources."""
    held = [group.row_groups[0].id for group in file.split_by_row_group() if not sources.isdisjoint(_sources(group))]
    return file.subset(row_group_ids=held) if held else None


def _sources(group: pads.ParquetFileFragment) -> list[str]:
    # Dictionaries, as they are in the file, are read fast; they may also hold sources of other row groups.
    return group.to_table(schema=group.physical_schema, columns=["source_id"])["source_id"].unique().to_pylist()
