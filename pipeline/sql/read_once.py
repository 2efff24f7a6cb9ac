"""Rows of which each column is read once, when a question first asks for it, a piece at a time: of a wide table most columns are never asked
for, and a join with what has no rows asks for the first piece alone."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads

# Gives some columns of a piece: always of the same rows in the same order.
Piece = Callable[[Sequence[str]], pa.Table]


class ReadOnce(pads.InMemoryDataset):
    """`pieces` is asked for once, when the first rows are."""

    _pieces: Pieces

    @classmethod
    def of(cls, schema: pa.Schema, pieces: Callable[[], Iterable[Piece]]) -> ReadOnce:
        made = cls(schema.empty_table())
        made._pieces = Pieces(schema, pieces)
        return made

    def scanner(self, **options: Any) -> Any:
        return _Scanner(self._pieces, options)

    def to_table(self, **options: Any) -> pa.Table:
        return self.scanner(**options).to_reader().read_all()


class Pieces:
    """What was read of the pieces so far."""

    def __init__(self, schema: pa.Schema, pieces: Callable[[], Iterable[Piece]]):
        self.schema, self._make = schema, pieces
        self._reading = threading.RLock()

    @cached_property
    def _all(self) -> list[tuple[Piece, dict[str, pa.ChunkedArray]]]:
        return [(piece, {}) for piece in self._make()]

    def batches(
        self, columns: Sequence[str] | None = None, filter: pc.Expression | None = None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        # A condition does not say which columns it is about, but for its text; a word too many is only one column more.
        words = set() if filter is None else set(re.findall(r"\w+", str(filter)))
        names = self.schema.names
        named = [name for name in names if columns is None or name in columns or name in words] or names[:1]
        with self._reading:
            pieces = self._all
        for piece, there in pieces:
            with self._reading:
                if missing := [name for name in named if name not in there]:
                    there |= dict(zip(missing, piece(missing).columns, strict=True))
                rows = pa.table({name: there[name] for name in named})
            yield from pads.dataset(rows).scanner(columns=columns, filter=filter, **options).to_reader()


class _Scanner:
    """What of a scanner DuckDB asks for. One of Arrow reads ahead as soon as it is there."""

    def __init__(self, pieces: Pieces, options: Mapping[str, Any]):
        self._pieces, self._options = pieces, options
        schema, columns = pieces.schema, options.get("columns")
        self.projected_schema = schema if columns is None else pa.schema([schema.field(name) for name in columns])

    def to_reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self.projected_schema, self._pieces.batches(**self._options))
