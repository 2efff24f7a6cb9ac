"""The files of a checkpoint as Parquet: one row per part, one row per source, and one row per event. A checkpoint is made of segments, each of
what some steps changed, so that a commit writes what is new and not the whole state."""

from __future__ import annotations

import gc
import json
import os
import sys
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any, BinaryIO, TypeVar

import pyarrow as pa

from ..without_pandas import leave_pandas_alone
from .footers import too_large
from .history import Event
from .state import Part, SourceEntry, is_time, require_part_path

_T = TypeVar("_T")
_TEXT, _COUNT, _TIME = pa.string(), pa.int64(), pa.timestamp("us")
_TIMES = ("first_time", "last_start", "first_end", "last_time")
# `number` is the place of a row in the order of the commits: the rows are in the order of their keys, by which they are found. `sources`:
# see SourceSets.
PARTS = pa.schema(
    [
        ("path", _TEXT),
        ("number", _COUNT),
        ("is_dropped", pa.bool_()),
        ("table", _TEXT),
        *((name, _COUNT) for name in ("rows", "bytes")),
        ("sources", pa.binary()),
        *((name, _TEXT) for name in ("sha256", "footer")),
        *((name, _TIME) for name in _TIMES),
    ]
)
# As format 2 of the ledger has them.
_OLD_PARTS = pa.schema(
    [
        *((name, _TEXT) for name in ("table", "path")),
        *((name, _COUNT) for name in ("rows", "bytes")),
        ("source_ids", pa.list_(_TEXT)),
        *((name, _TEXT) for name in ("sha256", "footer")),
        *((name, _TIME) for name in ("first_time", "last_time")),
    ]
)
_ROWS = pa.list_(pa.struct([("table", _TEXT), ("rows", _COUNT)]))
_TYPES = {"str": _TEXT, "Status": _TEXT, "int": _COUNT, "int | None": _COUNT, "dict[str, int]": _ROWS}
_OLD_SOURCES = pa.schema([(f.name, _TYPES[str(f.type)]) for f in fields(SourceEntry)])
SOURCES = pa.schema([*_OLD_SOURCES, ("number", _COUNT)])
EVENTS = pa.schema([(f.name, _TIME if f.name == "at" else _TYPES[str(f.type)]) for f in fields(Event)])
# Columns that older releases of Ironlake do not write, and their value there.
_LATER: dict[str, Any] = {"removed": "", "other_values": []}

_FEW_ROWS, _LEAST_BYTES_PER_ROW = 100_000, 4
# One source is looked up in so many. Parts are one group, because its dictionary has each set of sources once.
_SOURCES_PER_GROUP, _PARTS_PER_GROUP = 1024, 1 << 24
_DICTIONARY_BYTES = 1 << 28
_SOURCE_IDS = b"ironlake.source_ids"


def encode_parts(parts: Iterable[Part], dropped: Iterable[str] = ()) -> bytes:
    """Parts in the order of their commits, and the paths of those of earlier segments that were dropped."""
    sets = _SetWriter()
    rows = [(part.path, n, False, part) for n, part in enumerate(parts)]
    rows += [(path, -1, True, Part(path.partition("/")[0], path, 0, 0, ())) for path in dropped]
    rows.sort(key=lambda row: row[0])
    found = [part for *_, part in rows]
    columns: dict[str, list[Any]] = {
        name: [getattr(p, name) for p in found] for name in ("table", "rows", "bytes", "sha256", "footer")
    }
    columns |= {name: [getattr(p, name) for p in found] for name in _TIMES}
    columns |= {"path": [r[0] for r in rows], "number": [r[1] for r in rows], "is_dropped": [r[2] for r in rows]}
    columns["sources"] = [sets.add(part.source_ids) for part in found]
    table = pa.Table.from_arrays([_array(columns[f.name], f.type) for f in PARTS], schema=PARTS)
    return parquet(table, _PARTS_PER_GROUP, {_SOURCE_IDS: sets.ids()})


def encode_sources(entries: Iterable[SourceEntry]) -> bytes:
    """Sources in the order of their commits."""
    return parquet(source_rows(entries))


def source_rows(entries: Iterable[SourceEntry]) -> pa.Table:
    """Sources in the order of their commits, as rows in that of their keys."""
    found = sorted(enumerate(entries), key=lambda each: each[1].sha256)
    columns = {name: [getattr(e, name) for _, e in found] for name in _OLD_SOURCES.names}
    columns["number"] = [n for n, _ in found]
    return pa.Table.from_arrays([_array(columns[f.name], f.type) for f in SOURCES], schema=SOURCES)


def encode_events(events: Iterable[Event]) -> bytes:
    columns = list(zip(*((*vars(each).values(),) for each in events), strict=True)) or [()] * len(EVENTS)
    arrays = [_array(values, f.type) for f, values in zip(EVENTS, columns, strict=True)]
    return parquet(pa.Table.from_arrays(arrays, schema=EVENTS), _PARTS_PER_GROUP)


def merged_events(contents: Sequence[bytes]) -> bytes:
    tables = [as_written(opened(each).read(use_threads=False), EVENTS) for each in contents]
    return parquet(pa.concat_tables(tables), _PARTS_PER_GROUP)


def parquet(
    table: pa.Table, rows_per_group: int = _SOURCES_PER_GROUP, metadata: dict[bytes, bytes] | None = None
) -> bytes:
    import pyarrow.parquet as pq

    # A dictionary of what is other in each row is no use.
    coded = [name for name in _flat_names(table.schema) if name not in ("sha256", "path", "footer", "number")]
    options: dict[str, Any] = {"use_dictionary": coded, "dictionary_pagesize_limit": _DICTIONARY_BYTES}
    out = pa.BufferOutputStream()
    with pq.ParquetWriter(out, table.schema, compression="zstd", write_statistics=False, **options) as writer:
        writer.write_table(table, row_group_size=rows_per_group)
        if metadata:
            writer.add_key_value_metadata(metadata)
    return out.getvalue().to_pybytes()


def _flat_names(schema: pa.Schema) -> list[str]:
    """The columns as Parquet names them."""
    below = [f"{f.name}.list.element.{name}" for f in schema if f.type == _ROWS for name in ("table", "rows")]
    return [*(f.name for f in schema if f.type != _ROWS), *below]


class _SetWriter:
    """Which sources parts have, as small as can be: parts of one batch have the same, and a part that compaction made has those of thousands.
    Each set is the numbers of its ids among all, in their order, as deflated differences."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._sets: dict[tuple[str, ...], bytes] = {}

    def add(self, source_ids: tuple[str, ...]) -> bytes:
        if (found := self._sets.get(source_ids)) is None:
            numbers = array("q", (self._numbers.setdefault(i, len(self._numbers)) for i in source_ids))
            differences = array("q", numbers[:1])
            differences.extend(b - a for a, b in pairwise(numbers))
            found = self._sets[source_ids] = zlib.compress(_little_endian(differences).tobytes(), 1)
        return found

    def ids(self) -> bytes:
        return b64encode(zlib.compress(json.dumps([*self._numbers]).encode(), 1))


class SourceSets:
    """The sets that _SetWriter wrote, each made when it is first needed."""

    def __init__(self, metadata: dict[bytes, bytes] | None):
        self._packed = (metadata or {}).get(_SOURCE_IDS, b"")
        self._ids: list[str] | None = None
        self._sets: dict[bytes, tuple[str, ...]] = {}

    def of(self, value: bytes) -> tuple[str, ...]:
        if self._ids is None:
            found = json.loads(_inflated(b64decode(self._packed), _MOST_UNPACKED))
            if not isinstance(found, list) or not all(isinstance(i, str) for i in found):
                raise ValueError("has no ids of sources")
            self._ids = found
        if value not in self._sets:
            differences = array("q", _inflated(value, 8 * len(self._ids)))
            self._sets[value] = tuple(map(self._ids.__getitem__, accumulate(_little_endian(differences))))
        return self._sets[value]


_MOST_UNPACKED = 1 << 30


def _inflated(content: bytes, most: int) -> bytes:
    found = zlib.decompressobj()
    unpacked = found.decompress(content, most + 1)
    if len(unpacked) > most:
        raise ValueError("unpacks to more than its sources")
    return unpacked


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _array(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    if kind == _TIME:
        return pa.array([datetime.fromisoformat(t) if t else None for t in values], kind)
    if kind == _ROWS:
        return pa.array([[{"table": t, "rows": n} for t, n in rows.items()] for rows in values], kind)
    return pa.array(values, kind)


def decode_events(content: bytes) -> list[Event]:
    return _decode(content, EVENTS, Event)


def decode_old_parts(content: bytes) -> dict[str, Part]:
    """Parts by path. Raises ValueError for a part that Ironlake does not make."""
    parts = {part.path: part for part in _decode(content, _OLD_PARTS, Part)}
    for part in parts.values():
        require_part_path(part.table, part.path)
    return parts


def decode_old_sources(content: bytes) -> dict[str, SourceEntry]:
    """Sources by SHA-256. Raises ValueError for a time that is none."""
    entries = _decode(content, _OLD_SOURCES, SourceEntry)
    all(map(is_time, {entry.committed_at for entry in entries}))
    return {entry.sha256: entry for entry in entries}


def _decode(content: bytes, schema: pa.Schema, kind: type[_T]) -> list[_T]:
    table = opened(content).read(columns=schema.names, use_threads=False)
    return made(as_written(table, schema), kind)


def opened(content: bytes | BinaryIO, dictionaries: Sequence[str] = ()) -> Any:
    """A file of a checkpoint. Raises ValueError for one that unpacks to far more than its size."""
    import pyarrow.parquet as pq

    leave_pandas_alone()
    is_open = not isinstance(content, bytes)
    size = content.seek(0, os.SEEK_END) if is_open else len(content)
    file = pq.ParquetFile(content if is_open else pa.BufferReader(content), read_dictionary=[*dictionaries])
    # Each row has a name or a digest that no other has, which does not compress.
    if (rows := file.metadata.num_rows) > _FEW_ROWS + size // _LEAST_BYTES_PER_ROW:
        raise ValueError(f"has {rows:,} rows in {size:,} bytes")
    if wrong := too_large(file.metadata, size):
        raise ValueError(wrong)
    return file


def as_written(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows of a checkpoint, with the columns that older releases do not write. Raises ValueError for other columns, or where a value is
    missing."""
    for name in [n for n in schema.names if n in _LATER and n not in table.column_names]:
        column = pa.array([_LATER[name]] * table.num_rows, schema.field(name).type)
        table = table.add_column(schema.get_field_index(name), schema.field(name), column)
    if not table.schema.equals(schema):
        raise ValueError("has other columns than a checkpoint")
    may_be_null = {"unread_lines", "at", *_TIMES}
    if holes := [n for n in schema.names if table.column(n).null_count and n not in may_be_null]:
        raise ValueError(f"has no value in {holes[0]}")
    return table


def made(table: pa.Table, kind: type[_T]) -> list[_T]:
    """The entries, parts or events that rows are."""
    found = []
    with _no_collection():
        columns = [_values(table.column(name).combine_chunks()) for name in table.column_names]
        for values in zip(*columns, strict=True):
            # The constructor of a frozen dataclass sets each field by a call, which takes longer than all the rest.
            each = object.__new__(kind)
            each.__dict__.update(zip(table.column_names, values, strict=True))
            found.append(each)
    return found


@contextmanager
def _no_collection() -> Iterator[None]:
    """Many objects are made and none is garbage: looking for it takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _values(column: Any) -> list[Any]:
    """A column as Python values."""
    if column.type == _TIME:
        return [None if t is None else t.isoformat() for t in column.to_pylist()]
    if column.type == _ROWS:
        pairs = list(zip(*map(_values, column.flatten().flatten()), strict=True))
        return [dict(some) for some in _lists(column, pairs)]
    if pa.types.is_list(column.type):
        return [tuple(some) for some in _lists(column, _values(column.flatten()))]
    if pa.types.is_string(column.type) and not column.null_count:
        # Few different texts, in a large column: each is made once.
        coded = column.dictionary_encode()
        known = coded.dictionary.to_pylist()
        return list(map(known.__getitem__, _whole_numbers(coded.indices)))
    if column.null_count:
        return column.to_pylist()
    return _whole_numbers(column)


def _whole_numbers(column: Any) -> list[int]:
    """A column of whole numbers without NULL. Not through numpy, without which some commands begin."""
    wanted = slice(column.offset, column.offset + len(column))
    values = column.buffers()[1] or b""
    if column.type == pa.int64():
        return memoryview(values).cast("B").cast("q")[wanted].tolist()
    if column.type == pa.int32():
        return memoryview(values).cast("B").cast("i")[wanted].tolist()
    return column.to_pylist()


def _lists(column: pa.ListArray, flat: list[Any]) -> Iterator[list[Any]]:
    ends = _whole_numbers(column.offsets)
    return (flat[a - ends[0] : b - ends[0]] for a, b in pairwise(ends))
