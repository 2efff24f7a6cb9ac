"""Checkpoints: the state of the ledger as Parquet files, one row per part, one row per source, and one row per event before it."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa

from ..without_pandas import leave_pandas_alone
from .footers import too_large
from .history import Event
from .state import Part, SourceEntry, is_time, require_part_path

_T = TypeVar("_T")
_TEXT, _COUNT, _TIME = pa.string(), pa.int64(), pa.timestamp("us")
_PARTS = pa.schema(
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
_SOURCES = pa.schema([(f.name, _TYPES[str(f.type)]) for f in fields(SourceEntry)])
_EVENTS = pa.schema([(f.name, _TIME if f.name == "at" else _TYPES[str(f.type)]) for f in fields(Event)])
# Columns that older releases of Ironlake do not write, and their value there.
_LATER: dict[str, Any] = {"removed": "", "other_values": []}

_FEW_ROWS, _LEAST_BYTES_PER_ROW = 100_000, 4


def encode_parts(parts: Iterable[Part]) -> bytes:
    return _encode(parts, _PARTS)


def encode_sources(entries: Iterable[SourceEntry]) -> bytes:
    return _encode(entries, _SOURCES)


def encode_events(events: Iterable[Event]) -> bytes:
    return _encode(events, _EVENTS)


def _encode(made: Iterable[Part] | Iterable[SourceEntry] | Iterable[Event], schema: pa.Schema) -> bytes:
    import pyarrow.parquet as pq

    columns = list(zip(*((*vars(each).values(),) for each in made), strict=True)) or [()] * len(schema)
    arrays = [_array(values, f.type) for f, values in zip(schema, columns, strict=True)]
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), out, compression="zstd")
    return out.getvalue().to_pybytes()


def _array(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    if kind == _TIME:
        return pa.array([datetime.fromisoformat(t) if t else None for t in values], kind)
    if kind == _ROWS:
        return pa.array([[{"table": t, "rows": n} for t, n in rows.items()] for rows in values], kind)
    return pa.array(values, kind)


def decode_parts(content: bytes) -> dict[str, Part]:
    """Parts by path. Raises ValueError for a part that Ironlake does not make."""
    parts = {part.path: part for part in _decode(content, _PARTS, Part)}
    for part in parts.values():
        require_part_path(part.table, part.path)
    return parts


def decode_sources(content: bytes) -> dict[str, SourceEntry]:
    """Sources by SHA-256. Raises ValueError for a time that is none."""
    entries = _decode(content, _SOURCES, SourceEntry)
    all(map(is_time, {entry.committed_at for entry in entries}))
    return {entry.sha256: entry for entry in entries}


def decode_events(content: bytes) -> list[Event]:
    return _decode(content, _EVENTS, Event)


def _decode(content: bytes, schema: pa.Schema, kind: type[_T]) -> list[_T]:
    import pyarrow.parquet as pq

    leave_pandas_alone()
    file = pq.ParquetFile(pa.BufferReader(content))
    # Each row has a name or a digest that no other has, which does not compress.
    if (rows := file.metadata.num_rows) > _FEW_ROWS + len(content) // _LEAST_BYTES_PER_ROW:
        raise ValueError(f"has {rows:,} rows in {len(content):,} bytes")
    if wrong := too_large(file.metadata, len(content)):
        raise ValueError(wrong)
    table = file.read(columns=schema.names, use_threads=False)
    for name in [n for n in schema.names if n in _LATER and n not in table.column_names]:
        column = pa.array([_LATER[name]] * table.num_rows, schema.field(name).type)
        table = table.add_column(schema.get_field_index(name), schema.field(name), column)
    if not table.schema.equals(schema):
        raise ValueError("has other columns than a checkpoint")
    may_be_null = {"unread_lines", "first_time", "last_time", "at"}
    if holes := [n for n in schema.names if table.column(n).null_count and n not in may_be_null]:
        raise ValueError(f"has no value in {holes[0]}")
    found = []
    with _no_collection():
        columns = [_values(table.column(name).combine_chunks()) for name in schema.names]
        for values in zip(*columns, strict=True):
            # The constructor of a frozen dataclass sets each field by a call, which takes longer than all the rest.
            made = object.__new__(kind)
            made.__dict__.update(zip(schema.names, values, strict=True))
            found.append(made)
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
