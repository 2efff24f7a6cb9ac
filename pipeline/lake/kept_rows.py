"""The sources and parts of a lake: rows of a checkpoint, and what came and went since. To make an object of each of hundreds of thousands takes
seconds and a gigabyte, so one is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

_T = TypeVar("_T")


class Rows(Protocol[_T]):
    """What is asked of the rows of a checkpoint, see checkpoint_rows.py."""

    @property
    def key(self) -> str: ...
    @property
    def keys(self) -> Any: ...
    @property
    def table(self) -> pa.Table: ...
    @property
    def sets(self) -> Any: ...
    def __len__(self) -> int: ...
    def find(self, key: str) -> int | None: ...
    def at(self, place: int) -> _T: ...
    def made(self, rows: pa.Table) -> list[_T]: ...
    def where(self, column: str, text: str, is_equal: bool) -> pa.Table: ...
    def without(self, keys: set[str]) -> Iterator[pa.Table]: ...


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
