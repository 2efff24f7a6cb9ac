"""What of a lake studies can see: views of studies read the printed intervals near the windows of the lake's studies, not all.

Time is narrowed where the Parquet files are read, so that a study of a few hours costs about the same in a lake of years.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.compute as pc

from ..lake.parts import conform
from .measured_times import inside, times_of

if TYPE_CHECKING:
    import pyarrow.dataset as pads

    from .read_once import Piece

Window = tuple[dt.datetime, dt.datetime]

# An interval belongs to a window by its midpoint, and others overlap it: they may lie outside by as much as RMF's longest interval.
MARGIN = dt.timedelta(minutes=100)
# A collection of CICS statistics tells its end alone. It counts what was since the last reset, of a day at most, and lies where its midpoint does.
_COUNTED = dt.timedelta(days=1)
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
    columns = (steps["window_start"].to_pylist(), steps["window_end"].to_pylist())
    return merged((a - MARGIN, b + MARGIN) for a, b in zip(*columns, strict=True))


def merged(windows: Iterable[Window]) -> list[Window]:
    """Windows in order, those that touch made one."""
    found: list[Window] = []
    for start, end in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def prune_to_windows(rows: pads.Dataset, windows: Sequence[Window]) -> pa.Table | pads.Dataset:
    """The rows that were measured within one of the windows, or reach into it; all rows of a table that says no times."""
    near = _within(rows.schema, windows)
    if near is None:
        return rows
    found = read_inside(rows, near, _MOST_IN_MEMORY)
    return rows.filter(near) if found is None else found


def row_groups_near(rows: pads.Dataset, windows: Sequence[Window]) -> pa.Table | pads.Dataset:
    """As prune_to_windows, but of more rows than fit in memory the row groups that may have some, which can be pruned again."""
    import pyarrow.dataset as pads

    near = _within(rows.schema, windows)
    if near is None:
        return rows
    found = read_inside(rows, near, _MOST_IN_MEMORY)
    if found is not None:
        return found
    files = cast("pads.FileSystemDataset", rows)
    held = [file.subset(filter=near) for file in files.get_fragments(near) if file.split_by_row_group(filter=near)]
    return pads.FileSystemDataset(held, files.schema, files.format, files.filesystem)


def _within(schema: pa.Schema, windows: Sequence[Window]) -> pc.Expression | None:
    """Whether a row was measured within one of the windows, or reaches into it; None of a table that says no times."""
    columns = times_of(schema)
    if columns is None:
        return None
    after = _COUNTED if columns[0] == columns[1] else dt.timedelta()
    return reduce(or_, (inside(columns, start, end + after) for start, end in windows), pc.scalar(False))


def read_inside(rows: pads.Dataset, condition: pc.Expression, most: float = float("inf")) -> pa.Table | None:
    """The rows of a dataset for which a condition holds, in memory; None if they are more than `most`."""
    read: list[int] = []

    def tables_of(file: pads.Fragment) -> list[pa.Table]:
        """The rows of a file; those not yet read are left out once there are too many. To count them all first takes a tenth of the time."""
        found = []
        for part in _inside(file, condition):
            read.append(len(part))
            if sum(read) > most:
                break
            found.append(conform(part, rows.schema))
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [part for parts in pool.map(tables_of, rows.get_fragments(condition)) for part in parts]
    return None if sum(read) > most else pa.concat_tables([rows.schema.empty_table(), *found])


def _inside(file: pads.Fragment, condition: pc.Expression) -> Iterator[pa.Table]:
    """The rows of a file for which a condition holds; row groups of which none can are left alone."""
    for group in file.split_by_row_group(filter=condition):
        # With its own schema texts stay dictionaries, which are read fast.
        rows = group.to_table(schema=group.physical_schema, filter=condition)
        if len(rows):
            yield rows


def pieces_inside(rows: pads.Dataset, condition: pc.Expression, schema: pa.Schema) -> list[Piece]:
    """The row groups of a dataset that may have rows for which a condition holds, with these alone. `schema`: what they are given."""

    def piece(group: pads.ParquetFileFragment, names: Sequence[str]) -> pa.Table:
        # With its own schema texts stay dictionaries, which are read fast. An older part may not have all columns.
        own = group.physical_schema
        there = [name for name in own.names if name in names]
        read = group.to_table(schema=own, columns=there, filter=condition)
        return conform(read, pa.schema([schema.field(name) for name in names]))

    files = rows.get_fragments(condition)
    return [partial(piece, group) for file in files for group in file.split_by_row_group(filter=condition)]


def of_the_same_sources(
    cells: pads.Dataset, others: Iterable[pa.Table | pads.Dataset], schema: pa.Schema | None = None
) -> pads.Dataset:
    """The rows of a dataset that come from a source of one of the others. `schema`: what they are given, if not that of the dataset."""
    sources: set[str] = set()
    for rows in others:
        ids = rows.select(["source_id"]) if isinstance(rows, pa.Table) else rows.to_table(columns=["source_id"])
        sources.update(ids["source_id"].unique().to_pylist())
    wanted = pc.field("source_id").isin(pa.array(sorted(sources), pa.string()))
    return row_groups_of(cells, sources, schema).filter(wanted)


def row_groups_of(cells: pads.Dataset, sources: Collection[str], schema: pa.Schema | None = None) -> pads.Dataset:
    """The row groups of a dataset that have rows of some sources."""
    import pyarrow.dataset as pads

    from .part_dataset import PartDataset

    sources = frozenset(sources)
    if isinstance(cells, PartDataset):
        cells = cells.of_sources(sources)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [file for file in pool.map(lambda file: _of_sources(file, sources), cells.get_fragments()) if file]
    files = cast("pads.FileSystemDataset", cells)
    return pads.FileSystemDataset(found, schema or files.schema, files.format, files.filesystem)


def _of_sources(file: pads.ParquetFileFragment, sources: frozenset[str]) -> pads.ParquetFileFragment | None:
    """The row groups of a file that have rows of one of the sources."""
    held = [group.row_groups[0].id for group in file.split_by_row_group() if not sources.isdisjoint(_sources(group))]
    return file.subset(row_group_ids=held) if held else None


def _sources(group: pads.ParquetFileFragment) -> list[str]:
    # Dictionaries, as they are in the file, are read fast; they may also hold sources of other row groups.
    return group.to_table(schema=group.physical_schema, columns=["source_id"])["source_id"].unique().to_pylist()
