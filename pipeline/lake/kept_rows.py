"""The sources and parts of a lake: rows of a checkpoint, and what came and went since. To make an object of each of hundreds of thousands takes
seconds and a gigabyte, so one is made when it is asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .sealed import checked

if TYPE_CHECKING:
    import pyarrow as pa

_T = TypeVar("_T")
_MOST_GROUPS = 32


class Kept(MutableMapping[str, _T]):
    """By SHA-256 or path, in the order of the commits; what comes again is the last. Raises DamagedLedger where a row is not as Ironlake
    writes it: that is found when it is read."""

    def __init__(self, later: dict[str, _T] | None = None, rows: Rows[_T] | None = None):
        self._later = {} if later is None else later
        # The rows with these keys do not count any more.
        self._gone: set[str] = set()
        # None: all are in `_later`.
        self._rows = rows
        # Of parts in a checkpoint: their sources.
        self.sets = rows.sets if rows else None

    def _place(self, key: str) -> int | None:
        return self._rows.find(key) if self._rows and key not in self._gone else None

    def __getitem__(self, key: str) -> _T:
        if key in self._later:
            return self._later[key]
        if self._rows is None or (place := self._place(key)) is None:
            raise KeyError(key)
        return self._rows.at(place)

    def __contains__(self, key: object) -> bool:
        return key in self._later or (isinstance(key, str) and self._place(key) is not None)

    def __setitem__(self, key: str, value: _T) -> None:
        self._gone.add(key)
        self._later.pop(key, None)
        self._later[key] = value

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._gone.add(key)
        self._later.pop(key, None)

    def __iter__(self) -> Iterator[str]:
        before = self._rows.keys.to_pylist() if self._rows else []
        return iter([*(key for key in before if key not in self._gone), *self._later])

    def __len__(self) -> int:
        if self._rows is None:
            return len(self._later)
        return len(self._rows) - sum(self._rows.find(key) is not None for key in self._gone) + len(self._later)

    def values(self) -> ValuesView[_T]:
        return self._whole().values()

    def items(self) -> ItemsView[str, _T]:
        return self._whole().items()

    def _whole(self) -> dict[str, _T]:
        if self._rows:
            made = zip(self._rows.keys.to_pylist(), self._rows.made(self._rows.table), strict=True)
            self._later = {key: each for key, each in made if key not in self._gone} | self._later
            self._rows = None
        return self._later

    def where(self, column: str, text: str, *, is_equal: bool = True) -> list[_T]:
        """Those with a text in a column, or without it; no object is made of the others."""
        found = []
        if self._rows:
            rows = self._rows.where(column, text, is_equal)
            made = zip(rows[self._rows.key].to_pylist(), self._rows.made(rows), strict=True)
            found = [each for key, each in made if key not in self._gone]
        return found + [each for each in self._later.values() if (getattr(each, column) == text) == is_equal]

    def tables(self, rows_of: Callable[[ValuesView[_T]], pa.Table]) -> Iterator[pa.Table]:
        """The rows that count, and those of what came since; no object is made of the first."""
        if self._rows:
            yield from self._rows.without(self._gone)
        yield rows_of(self._later.values())


class Rows(Generic[_T]):
    """The rows of the file of a checkpoint at `path`, of sources or of parts."""

    def __init__(self, path: Path, content: bytes, key: str):
        from .checkpoints import PARTS, SOURCES, SourceSets, opened

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
        from .checkpoints import combined, read

        if name not in self._columns:
            self._columns[name] = combined(self._checked(lambda: read(self._file, name)).column(0))
        return self._columns[name]

    @property
    def keys(self) -> Any:
        return self.column(self.key)

    @cached_property
    def table(self) -> pa.Table:
        from .checkpoints import read

        return self._checked(lambda: read(self._file))

    @cached_property
    def _order(self) -> Any:
        import pyarrow.compute as pc

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
        from .checkpoints import read

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
        from .checkpoints import made, parts_of
        from .state import SourceEntry

        return self._checked(lambda: made(rows, SourceEntry) if self.sets is None else parts_of(rows, self.sets))

    def where(self, column: str, text: str, is_equal: bool) -> pa.Table:
        import pyarrow.compute as pc

        wanted = pc.call_function("equal" if is_equal else "not_equal", [self.column(column), text])
        # None, as a rule, of sources: the whole is large.
        return self.table.filter(wanted) if wanted.true_count else self._none

    @cached_property
    def _none(self) -> pa.Table:
        return self._file.schema_arrow.empty_table()

    def without(self, keys: set[str]) -> Iterator[pa.Table]:
        import pyarrow as pa
        import pyarrow.compute as pc

        from .checkpoints import in_batches

        gone = pc.SetLookupOptions(pa.array([*keys], pa.string()))
        batches = in_batches(self._file)
        while (rows := self._checked(lambda: next(batches, None))) is not None:
            yield rows.filter(pc.call_function("invert", [pc.call_function("is_in", [rows[self.key]], gone)]))
