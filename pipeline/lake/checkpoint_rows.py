"""The rows of a file of a checkpoint, each read when it is asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from . import checkpoints
from .checkpoints import PARTS, SOURCES, SourceSets, combined, in_batches, opened, parts_of, read
from .sealed import checked
from .state import SourceEntry

_T = TypeVar("_T")
_MOST_GROUPS = 32


class CheckpointRows(Generic[_T]):
    """The rows of the file of a checkpoint at `path`, of sources or of parts."""

    def __init__(self, path: Path, content: bytes, key: str):
        is_parts = key == "path"
        self.key, self._path = key, path
        self._file = self._checked(lambda: opened(content, PARTS if is_parts else SOURCES))
        self.sets = SourceSets(path, self._file) if is_parts else None
        self._columns: dict[str, Any] = {}

    def _checked(self, work: Callable[[], Any]) -> Any:
        return checked(self._path, work)

    def __len__(self) -> int:
        return self._file.metadata.num_rows

    def column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = combined(self._checked(lambda: read(self._file, name)).column(0))
        return self._columns[name]

    @property
    def keys(self) -> Any:
        return self.column(self.key)

    @cached_property
    def table(self) -> pa.Table:
        return self._checked(lambda: read(self._file))

    @cached_property
    def _order(self) -> Any:
        return pc.call_function("array_sort_indices", [self.keys])

    def find(self, key: str) -> int | None:
        """The place of a row."""
        keys, order = self.keys, self._order
        # Arrow keeps texts in the order of their bytes as UTF-8, which is that of their characters.
        at = bisect_left(range(len(keys)), key, key=lambda n: keys[order[n].as_py()].as_py())
        place = order[at].as_py() if at < len(keys) else None
        return place if place is not None and keys[place].as_py() == key else None

    @cached_property
    def _group(self) -> Callable[[int], pa.Table]:
        # All at once take as much memory as the whole table.
        return lru_cache(_MOST_GROUPS)(lambda n: self._checked(lambda: read(self._file, group=n)))

    @cached_property
    def _starts(self) -> list[int]:
        sizes = (self._file.metadata.row_group(n).num_rows for n in range(self._file.num_row_groups))
        return [*accumulate(sizes, initial=0)]

    def at(self, place: int) -> _T:
        group = bisect_right(self._starts, place) - 1
        return self.made(self._group(group).slice(place - self._starts[group], 1))[0]

    def made(self, rows: pa.Table) -> list[_T]:
        return self._checked(
            lambda: checkpoints.made(rows, SourceEntry) if self.sets is None else parts_of(rows, self.sets)
        )

    def where(self, column: str, text: str, is_equal: bool) -> pa.Table:
        wanted = pc.call_function("equal" if is_equal else "not_equal", [self.column(column), text])
        # None, as a rule, of sources: the whole is large.
        return self.table.filter(wanted) if wanted.true_count else self._none

    @cached_property
    def _none(self) -> pa.Table:
        return self._file.schema_arrow.empty_table()

    def without(self, keys: set[str]) -> Iterator[pa.Table]:
        gone = pc.SetLookupOptions(pa.array([*keys], pa.string()))
        batches = in_batches(self._file)
        while (rows := self._checked(lambda: next(batches, None))) is not None:
            yield rows.filter(pc.call_function("invert", [pc.call_function("is_in", [rows[self.key]], gone)]))
