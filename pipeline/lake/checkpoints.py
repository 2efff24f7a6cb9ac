"""Checkpoints: the state of the ledger as two Parquet files, one row per part and one row per source."""

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

_FEW_ROWS, _LEAST_BYTES_PER_ROW = 100_000, 4


def encode_parts(parts: Iterable[Part]) -> bytes:
    columns = list(zip(*((*vars(p).values(),) for p in parts), strict=True)) or [()] * len(_PARTS)
    arrays = [
        pa.array([t and datetime.fromisoformat(t) for t in values] if f.type == _TIME else values, f.type)
        for f, values in zip(_PARTS, columns, strict=True)
    ]
    return _encode(pa.Table.from_arrays(arrays, schema=_PARTS))


def encode_sources(entries: Iterable[SourceEntry]) -> bytes:
    columns = list(zip(*((*vars(e).values(),) for e in entries), strict=True)) or [()] * len(_SOURCES)
    arrays = [
        _rows(values) if f.type == _ROWS else pa.array(values, f.type)
        for f, values in zip(_SOURCES, columns, strict=True)
    ]
    return _encode(pa.Table.from_arrays(arrays, schema=_SOURCES))


def _rows(values: Iterable[dict[str, int]]) -> pa.Array:
    return pa.array([[{"table": t, "rows": n} for t, n in rows.items()] for rows in values], _ROWS)


def _encode(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue().to_pybytes()


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
    if not table.schema.equals(schema):
        raise ValueError("has other columns than a checkpoint")
    may_be_null = {"unread_lines", "first_time", "last_time"}
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
