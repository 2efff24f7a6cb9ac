"""The files of a checkpoint, the state after a step, as Parquet: a row per part, per source and per event, in the order of the commits."""

from __future__ import annotations

import gc
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

import pyarrow as pa

from ..without_pandas import leave_pandas_alone
from .footers import too_large
from .history import Event
from .kept_rows import Kept
from .sealed import checked
from .state import Part, SourceEntry, State, is_time, require_part_path

_T = TypeVar("_T")
_TEXT, _COUNT = pa.string(), pa.int64()
_ROWS = pa.list_(pa.struct([("table", _TEXT), ("rows", _COUNT)]))
_TYPES = {"int": _COUNT, "int | None": _COUNT, "dict[str, int]": _ROWS, "tuple[str, ...]": pa.binary()}


def _schema(kind: type[Any]) -> pa.Schema:
    return pa.schema([(f.name, _TYPES.get(str(f.type), _TEXT)) for f in fields(kind)])


PARTS, SOURCES, EVENTS = map(_schema, (Part, SourceEntry, Event))
_MAY_BE_NULL = {f.name for kind in (Part, SourceEntry) for f in fields(kind) if "None" in str(f.type)}
_TIMES = ("at", "committed_at", *(f.name for f in fields(Part) if "None" in str(f.type)))
# Other in each row: a dictionary is of no use.
_DISTINCT = ("sha256", "path", "footer")

# One source is looked up among that many.
_ROWS_PER_GROUP, _ROWS_PER_BATCH = 1024, 65_536
_FEW_ROWS, _LEAST_BYTES_PER_ROW = 100_000, 4
_DICTIONARY_BYTES, _MOST_UNPACKED = 1 << 28, 1 << 30
# A number with its sign, a comma and a blank.
_BYTES_PER_ID = 12
_SOURCE_IDS = b"ironlake.source_ids"


def encode_parts(parts: Kept[Part]) -> bytes:
    # Those of the checkpoint before stay as they are.
    sets = parts.sets or SourceSets()

    def rows_of(later: Iterable[Part]) -> pa.Table:
        some = list(later)
        columns = {name: [getattr(p, name) for p in some] for name in PARTS.names if name != "source_ids"}
        return _table(columns | {"source_ids": [sets.packed(part) for part in some]}, PARTS)

    return _parquet(parts.tables(rows_of), PARTS, lambda: {_SOURCE_IDS: sets.ids()})


def encode_sources(sources: Kept[SourceEntry]) -> bytes:
    return _parquet(sources.tables(_source_rows), SOURCES)


def source_table(state: State) -> pa.Table:
    """The sources: a column for each field of an entry, `rows` and `other_values` as lists of names and numbers."""
    return pa.concat_tables(cast(Kept[SourceEntry], state.sources).tables(_source_rows))


def _source_rows(entries: Iterable[SourceEntry]) -> pa.Table:
    return _rows(entries, SOURCES)


def _rows(each: Iterable[Any], schema: pa.Schema) -> pa.Table:
    some = list(each)
    return _table({name: [getattr(e, name) for e in some] for name in schema.names}, schema)


def encode_events(before: bytes | None, events: Iterable[Event]) -> bytes:
    """`before`: the file of the checkpoint before."""
    old = [] if before is None else [read(opened(before, EVENTS))]
    return _parquet([*old, _rows(events, EVENTS)], EVENTS)


def _table(columns: dict[str, list[Any]], schema: pa.Schema) -> pa.Table:
    arrays = []
    for field in schema:
        values = columns[field.name]
        if field.type == _ROWS:
            values = [[{"table": t, "rows": n} for t, n in rows.items()] for rows in values]
        arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def _parquet(tables: Iterable[pa.Table], schema: pa.Schema, metadata: Callable[[], dict[bytes, bytes]] = dict) -> bytes:
    """`metadata`: asked for after the last table."""
    import pyarrow.parquet as pq

    flat = [f.name for f in schema if f.type != _ROWS and f.name not in _DISTINCT]
    below = [f"{f.name}.list.element.{n}" for f in schema if f.type == _ROWS for n in ("table", "rows")]
    options: dict[str, Any] = {"use_dictionary": [*flat, *below], "dictionary_pagesize_limit": _DICTIONARY_BYTES}
    out = pa.BufferOutputStream()
    with pq.ParquetWriter(out, schema, compression="zstd", write_statistics=False, **options) as writer:
        for table in tables:
            writer.write_table(table, _ROWS_PER_GROUP)
        writer.add_key_value_metadata(metadata())
    return out.getvalue().to_pybytes()


class SourceSets:
    """Which sources parts have, as small as can be: parts of one batch have the same, and a part that compaction made has those of thousands.
    Each set is the numbers of its ids among all, in their order, as deflated differences; each is read when it is first needed."""

    def __init__(self, path: Path | None = None, file: Any = None):
        """`path`: that of the file that they are in, if any."""
        self._path, self._file = path, file
        self._ids: list[str] | None = None if path else []
        self._numbers: dict[str, int] = {}
        self._sets: dict[bytes, tuple[str, ...]] = {}
        self._codes: dict[tuple[str, ...], bytes] = {}

    def _known(self) -> list[str]:
        if self._ids is None:
            packed = (self._file.metadata.metadata or {}).get(_SOURCE_IDS, b"")
            found = json.loads(_inflated(b64decode(packed), _MOST_UNPACKED))
            if not isinstance(found, list) or not all(isinstance(i, str) for i in found):
                raise ValueError("has no ids of sources")
            self._ids = found
        return self._ids

    def of(self, value: bytes) -> tuple[str, ...]:
        """Raises DamagedLedger."""
        if value not in self._sets:
            self._sets[value] = checked(self._path or Path(), lambda: self._unpacked(value))
        return self._sets[value]

    def _unpacked(self, value: bytes) -> tuple[str, ...]:
        ids = self._known()
        return tuple(map(ids.__getitem__, accumulate(json.loads(_inflated(value, _BYTES_PER_ID * len(ids) + 2)))))

    def packed(self, part: Part) -> bytes:
        sets, value = part.__dict__.get("_packed", (None, b""))
        return value if sets is self else self._add(part.source_ids)

    def _add(self, source_ids: tuple[str, ...]) -> bytes:
        if (found := self._codes.get(source_ids)) is None:
            ids = self._known()
            if not self._numbers:
                self._numbers.update(zip(ids, range(len(ids)), strict=True))
            for new in (i for i in source_ids if i not in self._numbers):
                self._numbers[new] = len(ids)
                ids.append(new)
            numbers = [self._numbers[i] for i in source_ids]
            differences = [*numbers[:1], *(b - a for a, b in pairwise(numbers))]
            found = self._codes[source_ids] = zlib.compress(json.dumps(differences).encode(), 1)
        return found

    def ids(self) -> bytes:
        return b64encode(zlib.compress(json.dumps(self._known()).encode(), 1))


def _inflated(content: bytes, most: int) -> bytes:
    try:
        unpacked = zlib.decompressobj().decompress(content, most + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(unpacked) > most:
        raise ValueError("unpacks to more than its sources")
    return unpacked


def parts_of(rows: pa.Table, sets: SourceSets) -> list[Part]:
    """Their sources are read when they are first needed. Raises ValueError for a part that Ironlake does not make."""
    parts = made(rows.drop_columns(["source_ids"]), Part)
    for part, value in zip(parts, _values(rows["source_ids"]), strict=True):
        require_part_path(part.table, part.path)
        part.__dict__["_packed"] = sets, value
    return parts


def decode_events(content: bytes) -> list[Event]:
    return made(read(opened(content, EVENTS)), Event)


def opened(content: bytes, schema: pa.Schema) -> Any:
    """A file of a checkpoint. Raises ValueError for one that unpacks to far more than its size, or with other columns."""
    import pyarrow.parquet as pq

    leave_pandas_alone()
    with _as_values():
        file = pq.ParquetFile(pa.BufferReader(content))
    # Each row has a name or a digest that no other has, which does not compress.
    if (rows := file.metadata.num_rows) > _FEW_ROWS + len(content) // _LEAST_BYTES_PER_ROW:
        raise ValueError(f"has {rows:,} rows in {len(content):,} bytes")
    if wrong := too_large(file.metadata, len(content)):
        raise ValueError(wrong)
    if not file.schema_arrow.equals(schema):
        raise ValueError("has other columns than a checkpoint")
    return file


@contextmanager
def _as_values() -> Iterator[None]:
    """Of bytes in memory that it cannot read Arrow raises an OSError too."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise ValueError(str(error)) from None


def combined(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def read(file: Any, column: str = "", group: int | None = None) -> pa.Table:
    """Rows of a checkpoint: of the whole or of a row group, all columns or one. Raises ValueError where a value is missing, or for a time
    that is none."""
    wanted: dict[str, Any] = {"columns": [column] if column else None, "use_threads": False}
    with _as_values():
        return as_written(file.read(**wanted) if group is None else file.read_row_group(group, **wanted))


def in_batches(file: Any) -> Iterator[pa.Table]:
    """All rows, in little memory. Raises as `read`."""
    with _as_values():
        for batch in file.iter_batches(_ROWS_PER_BATCH, use_threads=False):
            yield as_written(pa.Table.from_batches([batch]))


def as_written(table: pa.Table) -> pa.Table:
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count and name not in _MAY_BE_NULL:
            raise ValueError(f"has no value in {name}")
        if name in _TIMES:
            # When an event happened may not be known.
            known = (time for time in column.unique().to_pylist() if time is not None and (time or name != "at"))
            all(map(is_time, known))
    return table


def made(table: pa.Table, kind: type[_T]) -> list[_T]:
    """The entries, parts or events that rows are."""
    found = []
    with _no_collection():
        columns = [_values(column) for column in table.columns]
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


def _values(column: Any) -> Sequence[Any]:
    """A column as Python values."""
    column = combined(column) if isinstance(column, pa.ChunkedArray) else column
    if column.type == _ROWS:
        names, counts = map(_values, column.flatten().flatten())
        ends = column.offsets.to_pylist()
        pairs = [*zip(names, counts, strict=True)]
        return [dict(pairs[a - ends[0] : b - ends[0]]) for a, b in pairwise(ends)]
    if column.type == _COUNT:
        return column.to_pylist()
    # Few different texts, in a large column: each is made once.
    coded = column.dictionary_encode()
    known = [*coded.dictionary.to_pylist(), None]
    return [known[i] for i in coded.indices.fill_null(len(known) - 1).to_pylist()]
