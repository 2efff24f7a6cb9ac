"""Parts: the Parquet files of a lake. Each holds rows of one table, from one source or from several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..declaration.bookkeeping import stored_tables
from ..errors import IronlakeError
from .durable import move_into_place, temporary_file, translate_os_errors
from .ledger import Part

# Small enough that a filter skips most of a large part and that rewriting one takes little memory: a table can have more
# than a hundred columns.
ROWS_PER_GROUP = 65_536
REPAIR_HINT = "ironlake check --repair takes what is damaged out of the lake and names the files to ingest again"


@dataclass(frozen=True)
class PartStore:
    """The parts below `root`. Parts become visible by the ledger alone."""

    root: Path

    def write(
        self,
        table_name: str,
        data: pa.Table,
        source_ids: Sequence[str],
        batch: int,
        schema: pa.Schema | None = None,
    ) -> Part:
        """Write one batch of rows of a table; its name follows from sources and batch, so that doing it again is doing
        nothing. A batch without rows makes no file. `schema`: the declared one of a table that reading does not fill.

        Raises ValueError for data that does not fit the declaration, IronlakeError where the lake cannot be written.
        """
        data = conform(data, stored_tables()[table_name].schema if schema is None else schema)
        _check_sources(data, source_ids)
        ids = tuple(sorted(source_ids))
        stem = ids[0] if len(ids) == 1 else _digest(ids)
        return self.write_named(table_name, f"{stem}-{batch:06d}", [data], data.schema, ids)

    def write_named(
        self, table: str, stem: str, data: Iterable[pa.Table], schema: pa.Schema, source_ids: tuple[str, ...]
    ) -> Part:
        """Write tables of one schema, in bounded memory, as the part `stem`; keep the file if it is there whole."""
        relative = f"{table}/{stem}.parquet"
        target = self.root / relative
        with translate_os_errors(self.root):
            (self.root / table).mkdir(exist_ok=True)
            with temporary_file(self.root / "_tmp") as path:
                rows = write_parquet(path, data, schema)
                digests = (sha256_of(path), footer_digest(path)) if rows else ()
                if rows and _is_same(target, path):
                    # Its grace period begins anew: a commit is about to name it.
                    os.utime(target)
                elif rows:
                    move_into_place(path, target)
                size = target.stat().st_size if rows else 0
        return Part(table, relative, rows, size, source_ids, *digests)

    def read(self, part: Part) -> Iterator[pa.Table]:
        """The part's rows, some at a time: a large part does not fit into the memory that a process may take."""
        with pq.ParquetFile(self.root / part.path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)

    def schema(self, part: Part) -> pa.Schema:
        return pq.read_schema(self.root / part.path)

    def without(self, part: Part, source_ids: set[str]) -> Part | None:
        """The part without the rows of some sources; None where no row is left."""
        keep = tuple(s for s in part.source_ids if s not in source_ids)
        if not keep:
            return None
        if wrong := self.damage(part):
            # What is written anew would have a checksum of its own, and nobody could tell any more.
            raise IronlakeError(f"{self.root / part.path} {wrong}", "the part as it was written", REPAIR_HINT)
        wanted = pc.field("source_id").cast(pa.string()).isin(keep)
        data = (table.filter(wanted) for table in self.read(part))
        stem = _digest([Path(part.path).stem, *sorted(source_ids.intersection(part.source_ids))])
        rest = self.write_named(part.table, f"{stem}-rest", data, self.schema(part), keep)
        return rest if rest.rows else None

    def is_there(self, part: Part) -> bool:
        return not self.missing(part)

    def missing(self, part: Part) -> str:
        """What is wrong with a part at a glance: it is gone, has another size, or another footer, which has no checksum of
        Parquet's own and without which good pages are read as other values. Empty where nothing is."""
        path = self.root / part.path
        try:
            size = path.stat().st_size
            if size != part.bytes:
                return f"has {size:,} bytes in place of {part.bytes:,}"
            return "is not what was written" if part.footer and footer_digest(path) != part.footer else ""
        except FileNotFoundError:
            return "is gone"

    def damage(self, part: Part) -> str:
        """What is wrong with a part, looking at every byte; of one without a checksum at every page and the number of rows."""
        try:
            if wrong := self.missing(part):
                return wrong
            if part.sha256:
                return "" if sha256_of(self.root / part.path) == part.sha256 else "is not what was written"
            rows = sum(table.num_rows for table in self.read(part))
        except (OSError, pa.ArrowException) as error:
            return f"cannot be read: {str(error).splitlines()[0]}"
        return "" if rows == part.rows else f"has {rows:,} rows in place of {part.rows:,}"

    def touch(self, paths: Iterable[str]) -> None:
        """Begin the grace period of parts that the next step of the ledger drops."""
        for path in paths:
            with suppress(FileNotFoundError):
                os.utime(self.root / path)


def merged_stem(parts: Sequence[Part]) -> str:
    """Name of the part that replaces `parts`: the same inputs give the same name."""
    return f"{_digest(sorted(p.path for p in parts))}-merged"


def _digest(names: Iterable[str]) -> str:
    return sha256("\n".join(names).encode()).hexdigest()[:32]


def conform(data: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows in the declared columns, order and types, with the declaration's metadata; a column that is not there is
    NULL. Raises ValueError for a column that is not declared, a type that does not fit or a NULL that is not allowed."""
    there = dict(zip(data.column_names, data.columns, strict=True))
    if unknown := sorted(there.keys() - set(schema.names)):
        raise ValueError(f"columns not declared: {', '.join(unknown)}")
    columns = []
    for target in schema:
        if target.name in there:
            column = there[target.name]
            if column.type != target.type:
                column = column.cast(target.type)
        else:
            column = pa.chunked_array([pa.nulls(data.num_rows, target.type)])
        if not target.nullable and column.null_count:
            raise ValueError(f"column {target.name} has {column.null_count} NULLs and allows none")
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _check_sources(data: pa.Table, source_ids: Sequence[str]) -> None:
    if not source_ids or len(set(source_ids)) != len(source_ids):
        raise ValueError("a part belongs to one or more different sources")
    found = set(data["source_id"].unify_dictionaries().unique().cast(pa.string()).to_pylist())
    if not found <= set(source_ids):
        # Such rows could never be replaced: the ledger would not know where they are.
        raise ValueError(
            f"rows of sources that the part does not belong to: {sorted(map(str, found - set(source_ids)))}"
        )


def write_parquet(path: Path, data: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write tables to one Parquet file; returns its rows. Tables are joined to row groups of about ROWS_PER_GROUP."""
    rows, waiting, waiting_rows = 0, [], 0
    texts = [f.name for f in schema if pa.types.is_dictionary(f.type)]
    times = [f.name for f in schema if pa.types.is_timestamp(f.type)]
    # Whole numbers stand in the order of the pages: the steps between them take less room, and less time, than they do.
    whole = {f.name: "DELTA_BINARY_PACKED" for f in schema if pa.types.is_integer(f.type)}
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": [*texts, *times], "column_encoding": whole}
    # Queries skip row groups by time; the bounds of every other column cost more to write than they save.
    options["write_statistics"] = times
    # A bit that flips on the disk is an error of the query that reads it, not another number.
    options["write_page_checksum"] = True
    with pq.ParquetWriter(path, schema, **options) as writer:

        def flush() -> None:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries(), row_group_size=ROWS_PER_GROUP)

        for table in data:
            waiting.append(table)
            waiting_rows += table.num_rows
            if waiting_rows >= ROWS_PER_GROUP:
                flush()
                rows, waiting, waiting_rows = rows + waiting_rows, [], 0
        if waiting_rows:
            flush()
    return rows + waiting_rows


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def footer_digest(path: Path) -> str:
    """Digest of the last bytes of a Parquet file: the schema, and where the values of each column are."""
    with path.open("rb") as file:
        end = file.seek(-8, os.SEEK_END)
        size = int.from_bytes(file.read(4), "little")
        file.seek(max(0, end - size))
        return sha256(file.read()).hexdigest()[:32]


def _is_same(target: Path, written: Path) -> bool:
    """Whether a finished part has the very bytes that were just written."""
    try:
        if target.stat().st_size != written.stat().st_size:
            return False
    except FileNotFoundError:
        return False
    with target.open("rb") as old, written.open("rb") as new:
        while block := old.read(1 << 20):
            if block != new.read(len(block)):
                return False
    return True
