"""What of a lake studies can see: views of studies read the printed intervals near the windows of the lake's studies, not all.

Time is narrowed where the Parquet files are read, so that a study of a few hours costs about the same in a lake of years.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .parts import conform

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


def near(
    tables: Mapping[str, pads.Dataset], cells: pads.Dataset | None, windows: Sequence[Window]
) -> dict[str, pa.Table | pads.Dataset]:
    """The rows of tables of printed intervals that reach into one of the windows, and of `cells`, the rows of cell_null, those
    that belong to them, by table."""
    stamp = pa.timestamp("us")
    reaching = [
        (pc.field("interval_start") < pa.scalar(end, stamp)) & (pc.field("interval_end") > pa.scalar(start, stamp))
        for start, end in windows
    ]
    inside = reduce(or_, reaching, pc.scalar(False))
    found: dict[str, pa.Table | pads.Dataset] = {}
    for name, rows in tables.items():
        few = rows.count_rows(filter=inside) <= _MOST_IN_MEMORY
        found[name] = _gathered(rows, lambda file: _inside(file, inside), rows.schema) if few else rows.filter(inside)
    if cells is not None:
        found["cell_null"] = _cells_of(tables, found, cells)
    return found


def _inside(file: pads.Fragment, inside: pc.Expression) -> Iterator[pa.Table]:
    """The rows of a file that are inside; row groups whose times are not are left alone."""
    for group in file.split_by_row_group(filter=inside):
        # With its own schema texts stay dictionaries, which are read fast.
        yield group.to_table(schema=group.physical_schema, filter=inside)


def _cells_of(
    tables: Mapping[str, pads.Dataset], found: Mapping[str, pa.Table | pads.Dataset], cells: pads.Dataset
) -> pa.Table:
    """The rows of cell_null that belong to the rows `found` in tables. A cell has the line that it stands on; its row is the one of
    the same table and source that begins nearest above."""
    place = ["source_id", "line"]
    keys = {n: t.select(place) if isinstance(t, pa.Table) else t.to_table(columns=place) for n, t in found.items()}
    sources = {
        source: n for n, source in enumerate({s for t in keys.values() for s in t["source_id"].unique().to_pylist()})
    }
    begins: dict[str, np.ndarray] = {}
    is_found: dict[str, np.ndarray] = {}
    for name, rows in tables.items():
        lines = pa.schema([rows.schema.field(name) for name in place])
        every = _gathered(rows, lambda file: _of_sources(file, sources, place), lines)
        begins[name] = np.sort(_places(every, sources))
        is_found[name] = np.isin(begins[name], _places(keys[name], sources))
    some = _gathered(cells, lambda file: _of_sources(file, sources, cells.schema.names), cells.schema)
    at, table = _places(some, sources), np.array(some["table"].to_pylist(), dtype=object)
    belongs = np.zeros(len(at), dtype=bool)
    for name, rows_begin in begins.items():
        mine = np.flatnonzero(table == name)
        above = np.searchsorted(rows_begin, at[mine], side="right") - 1
        mine, above = mine[above >= 0], above[above >= 0]
        belongs[mine] = is_found[name][above] & (rows_begin[above] // _LINES == at[mine] // _LINES)
    return some.filter(pa.array(belongs))


# More lines than a source has.
_LINES = 2**40


def _places(rows: pa.Table, sources: Mapping[str, int]) -> np.ndarray:
    """Place of each row: a number that grows with the line, and apart for each source."""
    ids = rows["source_id"].combine_chunks().dictionary_encode()
    assert isinstance(ids, pa.DictionaryArray)
    number = np.array([sources[word] for word in ids.dictionary.to_pylist()], dtype=np.int64)
    return number[ids.indices.to_numpy()] * _LINES + rows["line"].to_numpy()


def _of_sources(file: pads.Fragment, sources: Mapping[str, int], columns: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of some sources. Which row groups hold one is seen in a column that costs little to read."""
    with pq.ParquetFile(file.path, read_dictionary=["source_id"]) as parquet:
        for group in range(parquet.num_row_groups):
            ids = parquet.read_row_group(group, columns=["source_id"])["source_id"].combine_chunks()
            assert isinstance(ids, pa.DictionaryArray)
            wanted = np.array([word in sources for word in ids.dictionary.to_pylist()], dtype=bool)[
                ids.indices.to_numpy()
            ]
            if wanted.any():
                yield parquet.read_row_group(group, columns=list(columns)).filter(pa.array(wanted))


def _gathered(
    rows: pads.Dataset, of_file: Callable[[pads.Fragment], Iterable[pa.Table]], schema: pa.Schema
) -> pa.Table:
    """What `of_file` gives of each file of a dataset."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(
            lambda file: [conform(part, schema) for part in of_file(file) if len(part)], rows.get_fragments()
        )
        return pa.concat_tables([schema.empty_table(), *(part for parts in found for part in parts)])
