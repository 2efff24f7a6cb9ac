"""The state after a checkpoint, read as it is needed: to make an object of each source and part of a large lake takes seconds and a gigabyte.

A segment has what some steps changed: sources and parts that came, and parts that went. Its rows are in the order of their keys, so that one
is found without a look at the others. Later segments count before earlier ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterator, MutableMapping, Sequence, ValuesView
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import pyarrow as pa

from .checkpoints import PARTS, SOURCES, SourceSets, as_written, encode_parts, made, opened, parquet, source_rows
from .sealed import damaged
from .state import Part, SourceEntry, State, is_time, require_part_path

_T = TypeVar("_T", SourceEntry, Part)


# Of what is looked up so much is kept.
_MOST_GROUPS, _MOST_MADE = 32, 4096


def _drop_some(held: dict[int, Any], most: int) -> None:
    if len(held) >= most:
        # The oldest.
        del held[next(iter(held))]


class _Rows(ABC, Generic[_T]):
    """The rows of one file of a segment. What is wrong with them is found when they are read; that they are as Ironlake wrote them, their
    digest says."""

    key = ""
    schema = SOURCES
    # Whether what comes again is the last; else it stays at its place.
    moves = False
    dropped: frozenset[int] = frozenset()

    def __init__(self, path: Path, content: bytes | BinaryIO):
        """`content`: the file, if it is large open: it may be removed meanwhile."""
        self._path = path
        with self._reading():
            self._file = opened(content, self._dictionaries())
        self._keys: Any = None
        self._numbers: Any = None
        # By group: its rows as they are in the file, and those that were looked up.
        self._tables: dict[int, pa.Table] = {}
        self._made: dict[int, _T] = {}

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, pa.ArrowException) as error:
            told = isinstance(error, ValueError)
            raise damaged(self._path, str(error) if told else f"is not as expected: {error!r}") from error

    @staticmethod
    def _dictionaries() -> Sequence[str]:
        return ()

    def __len__(self) -> int:
        return self._file.metadata.num_rows

    @property
    def keys(self) -> pa.StringArray:
        if self._keys is None:
            with self._reading():
                self._keys = self._column(self.key)
        return self._keys

    def _column(self, name: str) -> Any:
        column = self._file.read(columns=[name], use_threads=False).column(name).combine_chunks()
        if column.type != self.schema.field(name).type or column.null_count:
            raise ValueError("has other columns than a checkpoint")
        return column

    def place_of(self, key: str) -> int:
        """Where the first row is whose key is this one or a later one."""
        keys = self.keys
        # Arrow keeps texts in the order of their bytes as UTF-8, which is that of their characters.
        return bisect_left(range(len(keys)), key, key=lambda n: keys[n].as_py())

    def find(self, key: str) -> int | None:
        place = self.place_of(key)
        return place if place < len(self) and self.keys[place].as_py() == key else None

    def at(self, place: int) -> _T:
        if place not in self._made:
            group = place // self.rows_per_group
            with self._reading():
                if group not in self._tables:
                    _drop_some(self._tables, _MOST_GROUPS)
                    self._tables[group] = self._group(group)
                _drop_some(self._made, _MOST_MADE)
                (self._made[place],) = self._make(self._tables[group].slice(place % self.rows_per_group, 1))
        return self._made[place]

    def run(self, first: int, last: int) -> list[_T]:
        """All rows from one place up to another."""
        found: list[_T] = []
        with self._reading():
            for group in range(first // self.rows_per_group, -(-last // self.rows_per_group)):
                start = group * self.rows_per_group
                rows = self._group(group)
                found += self._make(
                    rows.slice(max(0, first - start), min(len(rows), last - start) - max(0, first - start))
                )
        return found

    def in_order(self, first: int, last: int) -> list[int]:
        """The places from one up to another in the order of the commits."""
        if self._numbers is None:
            with self._reading():
                self._numbers = self._column("number").to_pylist()
        return sorted(range(first, last), key=self._numbers.__getitem__)

    @cached_property
    def rows_per_group(self) -> int:
        return self._file.metadata.row_group(0).num_rows if len(self) else 1

    @abstractmethod
    def _group(self, group: int) -> pa.Table: ...

    @abstractmethod
    def _make(self, rows: pa.Table) -> list[_T]: ...


class SourceRows(_Rows[SourceEntry]):
    key, schema = "sha256", SOURCES

    def _group(self, group: int) -> pa.Table:
        names = [n for n in SOURCES.names if n in self._file.schema_arrow.names]
        rows = as_written(self._file.read_row_group(group, columns=names, use_threads=False), SOURCES)
        return rows.drop_columns(["number"])

    def _make(self, rows: pa.Table) -> list[SourceEntry]:
        entries = made(rows, SourceEntry)
        all(map(is_time, {entry.committed_at for entry in entries}))
        return entries

    def places_where(self, column: str, differs_from: str) -> list[int]:
        """The places of the rows with another text in a column."""
        import pyarrow.compute as pc

        with self._reading():
            return pc.call_function(
                "indices_nonzero", [pc.call_function("not_equal", [self._column(column), differs_from])]
            ).to_pylist()

    def table(self) -> pa.Table:
        with self._reading():
            found = as_written(self._file.read(use_threads=False), SOURCES)
            all(map(is_time, found["committed_at"].unique().to_pylist()))
        return found


class PartRows(_Rows[Part]):
    key, schema, moves = "path", PARTS, True

    def __init__(self, path: Path, content: bytes | BinaryIO):
        super().__init__(path, content)
        self._sets = SourceSets(self._file.metadata.metadata)
        self._table: pa.Table | None = None

    @staticmethod
    def _dictionaries() -> Sequence[str]:
        return ("sources",)

    def table(self) -> pa.Table:
        if self._table is None:
            table = self._file.read(use_threads=False)
            coded = table.column("sources").combine_chunks()
            plain = table.set_column(
                PARTS.get_field_index("sources"), "sources", pa.nulls(len(table), pa.binary()).fill_null(b"")
            )
            as_written(plain, PARTS)
            if not pa.types.is_dictionary(coded.type) or coded.type.value_type != pa.binary() or coded.null_count:
                raise ValueError("has other columns than a checkpoint")
            self._table = table.set_column(PARTS.get_field_index("sources"), "sources", coded)
        return self._table

    @cached_property
    def dropped(self) -> frozenset[int]:  # type: ignore[override]
        """The places of rows that say that a part went."""
        with self._reading():
            flags = self.table().column("is_dropped").to_pylist()
        return frozenset(n for n, is_dropped in enumerate(flags) if is_dropped)

    def _group(self, group: int) -> pa.Table:
        return self.table()

    def _make(self, rows: pa.Table) -> list[Part]:
        coded = rows.column("sources").combine_chunks()
        sets, codes = coded.dictionary, coded.indices.to_pylist()
        parts = made(rows.drop_columns(["number", "is_dropped", "sources"]), Part)
        for part, code in zip(parts, codes, strict=True):
            require_part_path(part.table, part.path)
            part.__dict__["_sources_of"] = lambda code=code: self._set(sets[code].as_py())
        return parts

    def _set(self, value: bytes) -> tuple[str, ...]:
        with self._reading():
            return self._sets.of(value)


class Kept(MutableMapping[str, _T]):
    """The sources or the parts of a state: those of segments, and what came after. Whoever asks for all of them gets a dict."""

    def __init__(self, segments: Sequence[_Rows[_T]]):
        self._segments = [*segments]
        # What came since, and what went since (None).
        self._later: dict[str, _T | None] = {}
        self._all: dict[str, _T] | None = None

    def _gathered(self, begin: str, of_rows: Callable[[_Rows[_T], int, int], Sequence[Any]]) -> dict[str, Any]:
        """What `of_rows` gives of each whose key begins so, in the order in which so many commits would have made a dict of them."""
        found: dict[str, Any] = {}
        for rows in self._segments:
            # No key has this character.
            first, last = (rows.place_of(begin), rows.place_of(begin + "\U0010ffff")) if begin else (0, len(rows))
            keys, each = rows.keys.slice(first, last - first).to_pylist(), of_rows(rows, first, last)
            for place in rows.in_order(first, last):
                if rows.moves:
                    found.pop(keys[place - first], None)
                if place not in rows.dropped:
                    found[keys[place - first]] = each[place - first]
        for key, later in self._later.items():
            if key.startswith(begin):
                if later is None or isinstance(later, Part):
                    found.pop(key, None)
                if later is not None:
                    found[key] = later
        return found

    def _keys_alone(self) -> dict[str, Any]:
        return self._gathered("", lambda rows, first, last: range(first, last)) if self._all is None else self._all

    def _whole(self) -> dict[str, _T]:
        if self._all is None:
            self._all = self._gathered("", lambda rows, first, last: rows.run(first, last))
            self._segments, self._later = [], {}
        return self._all

    def of(self, begin: str) -> list[_T]:
        """Those whose key begins so; the others are not made."""
        if self._all is not None:
            return [each for key, each in self._all.items() if key.startswith(begin)]
        return list(self._gathered(begin, lambda rows, first, last: rows.run(first, last)).values())

    def _find(self, key: str) -> _T | None:
        if self._all is not None:
            return self._all.get(key)
        if key in self._later:
            return self._later[key]
        for rows in reversed(self._segments):
            if (place := rows.find(key)) is not None:
                return None if place in rows.dropped else rows.at(place)
        return None

    def __getitem__(self, key: str) -> _T:
        if (found := self._find(key)) is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def __setitem__(self, key: str, value: _T) -> None:
        if self._all is not None:
            self._all[key] = value
            return
        if key in self._later and self._later[key] is None:
            # What went and comes back is the last.
            del self._later[key]
        self._later[key] = value

    def __delitem__(self, key: str) -> None:
        if self._find(key) is None:
            raise KeyError(key)
        if self._all is not None:
            del self._all[key]
        else:
            self._later.pop(key, None)
            self._later[key] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys_alone())

    def __len__(self) -> int:
        return len(self._keys_alone())

    def values(self) -> ValuesView[_T]:
        return self._whole().values()

    def items(self) -> ItemsView[str, _T]:
        return self._whole().items()

    def __eq__(self, other: object) -> bool:
        return self._whole() == (other._whole() if isinstance(other, Kept) else other)

    __hash__ = None  # type: ignore[assignment]


class KeptSources(Kept[SourceEntry]):
    def other_than(self, column: str, text: str) -> list[SourceEntry]:
        """The sources with another text in a column; the others are not made."""
        if self._all is not None:
            return [e for e in self._all.values() if getattr(e, column) != text]
        found = {}
        for rows in self._segments:
            assert isinstance(rows, SourceRows)
            found |= {rows.keys[place].as_py(): None for place in rows.places_where(column, text)}
        found |= dict.fromkeys(self._later)
        now = (self[key] for key in found if key in self)
        return [e for e in now if getattr(e, column) != text]

    def table(self) -> pa.Table:
        """All sources as a checkpoint has them, in the order of their commits; no object is made of each."""
        if self._all is not None or None in self._later.values():
            found = source_rows(self._whole().values())
        else:
            later = [e for e in self._later.values() if e is not None]
            found = _joined([*(rows.table() for rows in self._segments), source_rows(later)])  # type: ignore[attr-defined]
        return found.sort_by("number").drop_columns(["number"])


def source_table(state: State) -> pa.Table:
    """The sources of a state: a column for each field of an entry, `rows` and `other_values` as lists of names and numbers, in the order of their
    commits. To make an object of each source of a large lake takes seconds."""
    if isinstance(state.sources, KeptSources):
        return state.sources.table()
    return source_rows(state.sources.values()).sort_by("number").drop_columns(["number"])


def merged_parts(files: Sequence[PartRows], is_first: bool) -> bytes:
    """Segments that follow each other as one. `is_first`: none comes before them, of which a part could have gone."""
    found: dict[str, Part] = {}
    dropped: dict[str, None] = {}
    for rows in files:
        parts = rows.run(0, len(rows))
        for place in rows.in_order(0, len(rows)):
            part = parts[place]
            found.pop(part.path, None)
            if place in rows.dropped:
                dropped[part.path] = None
            else:
                found[part.path] = part
    return encode_parts(found.values(), () if is_first else (path for path in dropped if path not in found))


def merged_sources(files: Sequence[SourceRows]) -> bytes:
    """As Arrow alone: to make objects of the sources of a large lake takes a gigabyte."""
    return parquet(_joined([rows.table() for rows in files]).combine_chunks().sort_by("sha256"))


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    """The sources of tables that follow each other, each once."""
    import pyarrow.compute as pc

    whole = tables[0]
    for later in tables[1:]:
        both = pc.call_function("is_in", [whole["sha256"]], pc.SetLookupOptions(later["sha256"]))
        # A source that comes again stays at its place.
        old = whole.filter(both)
        places = dict(zip(old["sha256"].to_pylist(), old["number"].to_pylist(), strict=True))
        next_number = (pc.call_function("max", [whole["number"]]).as_py() or 0) + 1 if len(whole) else 0
        numbers = [
            places.get(sha, next_number + number)
            for sha, number in zip(later["sha256"].to_pylist(), later["number"].to_pylist(), strict=True)
        ]
        at = SOURCES.get_field_index("number")
        later = later.set_column(at, SOURCES.field(at), pa.array(numbers, pa.int64()))
        if len(old):
            whole = whole.filter(pc.call_function("invert", [both]))
        whole = pa.concat_tables([whole, later])
    return whole
