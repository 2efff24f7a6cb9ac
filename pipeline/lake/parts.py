"""Parts: the Parquet files of a lake. Each holds rows of one table, from one source or from several."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from io import BufferedReader
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ..declaration.bookkeeping import stored_tables
from ..errors import IronlakeError
from ..storage.os_errors import translate_os_errors
from ..storage.storage import NewFile, Storage
from .footers import MOST_FOOTER_BYTES, contradiction
from .origin import Origin, Receipt, footer_of, read_origin, sign
from .part_files import MARK
from .state import Part, require_part_path

if TYPE_CHECKING:
    import numpy as np

# Small enough for filters to skip most of a large part, and for rewriting in little memory: a table can have more than a
# hundred columns.
ROWS_PER_GROUP = 65_536
# Of one part: a row has some kilobytes at most, before it is compressed.
_MOST_BYTES = 2 << 30
REPAIR_HINT = "ironlake check --repair removes damaged data and lists the files to ingest again"


@dataclass(frozen=True)
class PartStore:
    """The parts of a lake. A part is visible only if the ledger names it. `with_dropped`: also those in the place of their marks."""

    files: Storage
    with_dropped: bool = False

    def write_batch(
        self,
        tables: Mapping[str, pa.Table | tuple[pa.Table, pa.Schema]],
        receipts: Sequence[Receipt],
        is_named: Callable[[str], bool],
    ) -> list[Part]:
        """Write all tables of one batch of sources, with the table's schema if reading does not fill it. The file names are derived
        from sources and batch, so writing again has no effect; a table without rows makes no file. The first part also keeps the
        receipts, for a ledger that must be rebuilt. `is_named`: whether the ledger names a part; it is never replaced.

        Raises ValueError for data that does not match the declaration, IronlakeError if the lake cannot be written.
        """
        ids, batch = tuple(sorted(r.entry.source_id for r in receipts)), receipts[0].batch
        stem = f"{ids[0] if len(ids) == 1 else _digest(ids)}-{batch:06d}"
        kept, parts = sorted(receipts, key=attrgetter("key")), []
        for name, table in sorted(tables.items()):
            data, schema = table if isinstance(table, tuple) else (table, stored_tables()[name].schema)
            data = conform(data, schema)
            counts = _rows_by_source(data)
            _check_sources(counts, ids)
            origin = Origin(sorted((i, batch, n) for i, n in counts.items()), kept)
            parts.append(self.write_named(name, stem, [data], data.schema, ids, origin, is_named))
            kept = [] if parts[-1].rows else kept
        return parts

    def write_named(
        self,
        table: str,
        stem: str,
        data: Iterable[pa.Table],
        schema: pa.Schema,
        source_ids: tuple[str, ...],
        origin: Origin,
        is_named: Callable[[str], bool] = lambda path: False,
    ) -> Part:
        """Write tables of one schema, in bounded memory, as the part `stem`; an identical existing file is kept."""
        path, files = f"{table}/{stem}.parquet", self.files
        require_part_path(table, path)
        with translate_os_errors(files.root):
            files.make_folder(table)
            with files.new_file() as new:
                sink = Sink(new)
                rows, bounds = write_parquet(sink, data, schema, origin)
                if rows and not self._place(new, path, is_named):
                    # Other libraries wrote these rows in other bytes, and the part counts until the next step.
                    path = f"{table}/{_digest([stem, sink.sha256])}-{stem.rpartition('-')[2]}.parquet"
                    self._place(new, path)
        if not rows:
            return Part(table, path, 0, 0, source_ids)
        return Part(table, path, rows, sink.size, source_ids, sink.sha256, sink.footer, **bounds._asdict())

    def _place(self, new: NewFile, path: str, is_named: Callable[[str], bool] = lambda path: False) -> bool:
        """Give a part its name, unless a part of this name is other and counts."""
        if self.files.exists(path):
            if self._is_same(path, new):
                # Restart its grace period: a commit is about to name it.
                self.files.renew(path)
                return True
            if is_named(path):
                return False
        try:
            new.place(path)
        except FileExistsError:
            return False
        return True

    def _is_same(self, path: str, written: NewFile) -> bool:
        """Whether an existing part is identical to the file just written."""
        with self.open(path) as old, written.open() as new:
            if _size(old) != _size(new):
                return False
            while block := old.read(1 << 20):
                if block != new.read(len(block)):
                    return False
        return True

    def open(self, path: str) -> BufferedReader:
        try:
            return self.files.open(path)
        except FileNotFoundError:
            if not self.with_dropped:
                raise
            return self.files.open(path + MARK)

    def content(self, path: str) -> bytes:
        """A whole part; nothing of one that is larger than Ironlake makes them."""
        with self.open(path) as file:
            return file.read() if _size(file) <= _MOST_BYTES else b""

    def read(self, part: Part, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The part's rows, one row group at a time: a large part may not fit into memory."""
        with self.opened(part) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=columns)

    @contextmanager
    def opened(self, part: Part) -> Iterator[pq.ParquetFile]:
        with self.open(part.path) as stream, pq.ParquetFile(stream, page_checksum_verification=True) as file:
            yield file

    def schema(self, part: Part) -> pa.Schema:
        with self.open(part.path) as stream:
            return pq.read_schema(stream)

    def footer(self, part: Part) -> pq.FileMetaData:
        with self.open(part.path) as stream:
            return pq.read_metadata(stream)

    def origin(self, part: Part) -> Origin:
        with self.open(part.path) as stream:
            return read_origin(pq.read_metadata(stream).metadata)

    def without(self, part: Part, source_ids: set[str]) -> Part | None:
        """The part without the rows of some sources; None if no row is left."""
        keep = tuple(s for s in part.source_ids if s not in source_ids)
        if not keep:
            return None
        import pyarrow.compute as pc

        wanted = pc.field("source_id").cast(pa.string()).isin(keep)
        data = (table.filter(wanted) for table in self.read(part))
        without = "\n".join(sorted(source_ids.intersection(part.source_ids)))
        return self._rest(part, without, data, keep, lambda: self.origin(part).of(set(keep)))

    def keeping(self, part: Part, keep: Sequence[np.ndarray], changed: set[str]) -> Part | None:
        """The part with the rows of each row group that `keep` says; None if there is none. `changed`: the sources of which a row
        goes and another may stay."""
        masks = [pa.array(each) for each in keep]
        left: Counter[str] = Counter()
        for mask, table in zip(masks, self.read(part, ["source_id"]), strict=True):
            left.update(_rows_by_source(table.filter(mask)))
        data = (table.filter(mask) for mask, table in zip(masks, self.read(part), strict=True))
        content = sha256(b"".join(each.tobytes() for each in keep)).hexdigest()
        origin = self.origin(part)
        # Which batch a row is of, nobody knows: without a ledger such a source is one to ingest again.
        first = {i: min((batch for s, batch, _ in origin.rows if s == i), default=0) for i in changed & left.keys()}
        said = origin.of(left.keys() - changed)
        said = Origin(sorted([*said.rows, *((i, batch, left[i]) for i, batch in first.items())]), said.receipts)
        return self._rest(part, content, data, tuple(sorted(left)), lambda: said) if left else None

    def _rest(
        self, part: Part, name: str, data: Iterable[pa.Table], keep: tuple[str, ...], origin: Callable[[], Origin]
    ) -> Part | None:
        """What is left of a part: some rows, of the sources `keep`. `name` tells it from all else that may be left of the part."""
        if wrong := self.damage(part):
            # A rewritten part would get a valid checksum, and the damage would be hidden.
            raise IronlakeError(f"{self.files.root / part.path} {wrong}", hint=REPAIR_HINT)
        stem = _digest([Path(part.path).stem, name])
        rest = self.write_named(part.table, f"{stem}-rest", data, self.schema(part), keep, origin())
        return rest if rest.rows else None

    def missing(self, part: Part) -> str:
        """A quick check of a part: missing, wrong size or wrong footer. Parquet has no checksum for the footer, and a wrong
        footer makes good pages read as other values. Returns an empty text if all is well.

        Raises IronlakeError if that cannot be found out: what cannot be read may be whole."""
        with translate_os_errors(self.files.root, "read"):
            try:
                with self.open(part.path) as file:
                    if (size := _size(file)) != part.bytes:
                        return f"has {size:,} bytes instead of {part.bytes:,}"
                    return "is corrupt" if footer_digest(file) != part.footer else ""
            except FileNotFoundError:
                return "is missing"

    def damage(self, part: Part) -> str:
        """A full check of a part: its SHA-256 and what its footer says. Raises as `missing`."""
        if wrong := self.missing(part):
            return wrong
        with translate_os_errors(self.files.root, "read"), self.open(part.path) as file:
            if file_digest(file, "sha256").hexdigest() != part.sha256:
                return "is corrupt"
            try:
                return contradiction(part, pq.read_metadata(file))
            except (OSError, pa.ArrowException) as error:
                if isinstance(error, OSError) and error.errno:
                    raise
                return f"cannot be read: {str(error).splitlines()[0]}"

    def renew(self, paths: Iterable[str]) -> None:
        """Restart the grace period of parts that the next step names."""
        for path in paths:
            self.files.renew(path)

    def touch(self, paths: Iterable[str]) -> None:
        """Start the grace period of parts that the next step of the ledger drops."""
        for path in paths:
            self.files.touch(path)


def _size(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


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


def _rows_by_source(data: pa.Table) -> dict[str, int]:
    counted = data["source_id"].unify_dictionaries().cast(pa.string()).value_counts()
    return {row["values"]: row["counts"] for row in counted.to_pylist()}


def _check_sources(found: Iterable[str], source_ids: Sequence[str]) -> None:
    if not source_ids or len(set(source_ids)) != len(source_ids):
        raise ValueError("a part needs one or more different sources")
    if strangers := set(found) - set(source_ids):
        # Such rows could never be replaced: the ledger would not know their part.
        raise ValueError(f"rows of sources that are not sources of the part: {sorted(map(str, strangers))}")


class Sink:
    """A file that a Parquet writer writes: its size and digests, of the bytes that were given and not of those that a disk kept."""

    def __init__(self, file: NewFile):
        self._file = file
        self._digest = sha256()
        self._held: list[bytes] | None = None
        self.size, self.sha256, self.footer, self.closed = 0, "", "", False

    def write(self, content: bytes) -> int:
        if self._held is not None:
            self._held.append(bytes(content))
        else:
            self._put(content)
        return len(content)

    def _put(self, content: bytes) -> None:
        self._digest.update(content)
        self._file.write(content)
        self.size += len(content)

    def hold(self) -> None:
        """Keep what follows, the footer, until `finish`."""
        self._held = []

    def finish(self) -> None:
        """Write the footer, with the digest of the whole file in it."""
        end = sign(b"".join(self._held or []), self._digest)
        self._held = None
        self._put(end)
        self.sha256, self.footer = self._digest.hexdigest(), short_digest(footer_of(end))

    def tell(self) -> int:
        return self.size + sum(map(len, self._held or []))

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def write_parquet(
    place: Path | Sink, data: Iterable[pa.Table], schema: pa.Schema, origin: Origin | None = None
) -> tuple[int, Bounds]:
    """Write tables to one Parquet file; returns its number of rows, and between which times its intervals lie. Row groups have
    about ROWS_PER_GROUP rows."""
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
    bounds: list[Bounds] = []
    with pq.ParquetWriter(place, schema, **options) as writer:

        def flush() -> None:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries(), row_group_size=ROWS_PER_GROUP)

        for table in data:
            bounds.append(_bounds(table))
            waiting.append(table)
            waiting_rows += table.num_rows
            if waiting_rows >= ROWS_PER_GROUP:
                flush()
                rows, waiting, waiting_rows = rows + waiting_rows, [], 0
        if waiting_rows:
            flush()
        if origin:
            writer.add_key_value_metadata(origin.metadata())
        if isinstance(place, Sink):
            place.hold()
    if isinstance(place, Sink):
        place.finish()
    return rows + waiting_rows, _all_bounds(bounds)


class Bounds(NamedTuple):
    """The earliest and the latest start of intervals, and the same of their ends (ISO), as a Part has them; where a row has one of both, this
    one. None where no row has any."""

    first_time: str | None = None
    last_start: str | None = None
    first_end: str | None = None
    last_time: str | None = None


def bounds_of(tables: Iterable[pa.Table]) -> Bounds:
    """Of tables of one schema."""
    return _all_bounds(map(_bounds, tables))


def _bounds(table: pa.Table) -> Bounds:
    if not {"interval_start", "interval_end"} <= set(table.column_names):
        return Bounds()
    import pyarrow.compute as pc

    # Of a row with one of both, this one tells when it was measured.
    starts, ends = table["interval_start"], table["interval_end"]
    found = [
        pc.call_function("min_max", [times])[which].as_py()
        for times in (pc.call_function("coalesce", [starts, ends]), pc.call_function("coalesce", [ends, starts]))
        for which in ("min", "max")
    ]
    return Bounds(*(time and time.isoformat() for time in found))


def _all_bounds(some: Iterable[Bounds]) -> Bounds:
    # Texts of one form sort as times do, but for fractions of a second, which no report prints.
    columns = [[time for time in column if time] for column in zip(*some, strict=True)] or [[]] * len(Bounds._fields)
    return Bounds(*((min, max)[n % 2](column, default=None) for n, column in enumerate(columns)))


def footer_digest(file: BinaryIO) -> str:
    """Digest of the footer of a Parquet file; empty if it has none that Ironlake could have written."""
    if file.seek(0, os.SEEK_END) < 8:
        return ""
    end = file.seek(-8, os.SEEK_END)
    size = int.from_bytes(file.read(4), "little")
    if size > MOST_FOOTER_BYTES:
        return ""
    file.seek(max(0, end - size))
    return short_digest(file.read(size + 8))


def short_digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:32]
