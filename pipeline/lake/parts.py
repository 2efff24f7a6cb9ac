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

# Small enough for filters to skip most of a large part, and for rewriting in little memory: a table can have more than a
# hundred columns.
ROWS_PER_GROUP = 65_536
REPAIR_HINT = "ironlake check --repair removes damaged data and lists the files to ingest again"


@dataclass(frozen=True)
class PartStore:
    """The parts under `root`. A part is visible only if the ledger names it."""

    root: Path

    def write(
        self,
        table_name: str,
        data: pa.Table,
        source_ids: Sequence[str],
        batch: int,
        schema: pa.Schema | None = None,
    ) -> Part:
        """Write one batch of rows of a table. The file name is derived from sources and batch, so writing again has no effect.
        A batch without rows makes no file. `schema`: the declared schema of a table that reading does not fill.

        Raises ValueError for data that does not match the declaration, IronlakeError if the lake cannot be written.
        """
        data = conform(data, stored_tables()[table_name].schema if schema is None else schema)
        _check_sources(data, source_ids)
        ids = tuple(sorted(source_ids))
        stem = ids[0] if len(ids) == 1 else _digest(ids)
        return self.write_named(table_name, f"{stem}-{batch:06d}", [data], data.schema, ids)

    def write_named(
        self, table: str, stem: str, data: Iterable[pa.Table], schema: pa.Schema, source_ids: tuple[str, ...]
    ) -> Part:
        """Write tables of one schema, in bounded memory, as the part `stem`; an identical existing file is kept."""
        relative = f"{table}/{stem}.parquet"
        target = self.root / relative
        with translate_os_errors(self.root):
            (self.root / table).mkdir(exist_ok=True)
            with temporary_file(self.root / "_tmp") as path:
                rows = write_parquet(path, data, schema)
                digests = (sha256_of(path), footer_digest(path)) if rows else ()
                if rows and _is_same(target, path):
                    # Restart its grace period: a commit is about to name it.
                    os.utime(target)
                elif rows:
                    move_into_place(path, target)
                size = target.stat().st_size if rows else 0
        return Part(table, relative, rows, size, source_ids, *digests)

    def read(self, part: Part) -> Iterator[pa.Table]:
        """The part's rows, one row group at a time: a large part may not fit into memory."""
        with pq.ParquetFile(self.root / part.path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)

    def schema(self, part: Part) -> pa.Schema:
        return pq.read_schema(self.root / part.path)

    def without(self, part: Part, source_ids: set[str]) -> Part | None:
        """The part without the rows of some sources; None if no row is left."""
        keep = tuple(s for s in part.source_ids if s not in source_ids)
        if not keep:
            return None
        if wrong := self.damage(part):
            # A rewritten part would get a valid checksum, and the damage would be hidden.
            raise IronlakeError(f"{self.root / part.path} {wrong}", hint=REPAIR_HINT)
        wanted = pc.field("source_id").cast(pa.string()).isin(keep)
        data = (table.filter(wanted) for table in self.read(part))
        stem = _digest([Path(part.path).stem, *sorted(source_ids.intersection(part.source_ids))])
        rest = self.write_named(part.table, f"{stem}-rest", data, self.schema(part), keep)
        return rest if rest.rows else None

    def is_there(self, part: Part) -> bool:
        return not self.missing(part)

    def missing(self, part: Part) -> str:
        """A quick check of a part: missing, wrong size or wrong footer. Parquet has no checksum for the footer, and a wrong
        footer makes good pages read as other values. Returns an empty text if all is well."""
        path = self.root / part.path
        try:
            size = path.stat().st_size
            if size != part.bytes:
                return f"has {size:,} bytes instead of {part.bytes:,}"
            return "is corrupt" if part.footer and footer_digest(path) != part.footer else ""
        except FileNotFoundError:
            return "is missing"

    def damage(self, part: Part) -> str:
        """A full check of a part: its SHA-256; without one, page checksums and the number of rows."""
        try:
            if wrong := self.missing(part):
                return wrong
            if part.sha256:
                return "" if sha256_of(self.root / part.path) == part.sha256 else "is corrupt"
            rows = sum(table.num_rows for table in self.read(part))
        except (OSError, pa.ArrowException) as error:
            return f"cannot be read: {str(error).splitlines()[0]}"
        return "" if rows == part.rows else f"has {rows:,} rows instead of {part.rows:,}"

    def touch(self, paths: Iterable[str]) -> None:
        """Start the grace period of parts that the next step of the ledger drops."""
        for path in paths:
            with suppress(FileNotFoundError):
                os.utime(self.root / path)


def merged_stem(parts: Sequence[Part]) -> str:
    """Name of the part that replaces `parts`: the same inputs give the same name."""
    return f"{_digest(sorted(p.path for p in parts))}-merged"


def _digest(names: Iterable[str]) -> str:
    return sha256("\n".join(names).encode()).hexdigest()[:32]


def conform(data: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with the declared columns, order, types and metadata; a missing column is NULL. Raises ValueError for an
    undeclared column, a type that cannot be cast or a NULL in a required column."""
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
            raise ValueError(f"column {target.name} has {column.null_count} NULLs but is not nullable")
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _check_sources(data: pa.Table, source_ids: Sequence[str]) -> None:
    if not source_ids or len(set(source_ids)) != len(source_ids):
        raise ValueError("a part needs one or more different sources")
    found = set(data["source_id"].unify_dictionaries().unique().cast(pa.string()).to_pylist())
    if not found <= set(source_ids):
        # Such rows could never be replaced: the ledger would not know their part.
        raise ValueError(
            f"rows of sources that are not sources of the part: {sorted(map(str, found - set(source_ids)))}"
        )


def write_parquet(path: Path, data: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write tables to one Parquet file; returns its number of rows. Row groups have about ROWS_PER_GROUP rows."""
    rows, waiting, waiting_rows = 0, [], 0
    texts = [f.name for f in schema if pa.types.is_dictionary(f.type)]
    times = [f.name for f in schema if pa.types.is_timestamp(f.type)]
    # Integers follow the order of the pages: their deltas are smaller and faster to write.
    whole = {f.name: "DELTA_BINARY_PACKED" for f in schema if pa.types.is_integer(f.type)}
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": [*texts, *times], "column_encoding": whole}
    # Queries skip row groups by time; statistics of other columns cost more than they save.
    options["write_statistics"] = times
    # A bit flipped on disk makes the query fail instead of returning a wrong number.
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
    """Digest of the footer of a Parquet file: the schema and the offsets of the columns."""
    with path.open("rb") as file:
        end = file.seek(-8, os.SEEK_END)
        size = int.from_bytes(file.read(4), "little")
        file.seek(max(0, end - size))
        return sha256(file.read()).hexdigest()[:32]


def _is_same(target: Path, written: Path) -> bool:
    """Whether an existing part is identical to the file just written."""
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
