"""Small sources for tests of the lake: rows of real tables, their entries, and a checksum of a whole folder."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
from ironlake.pipeline.declaration.bookkeeping import stored_tables
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger, Part, SourceEntry, Status
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.lake.removal import Removal
from ironlake.pipeline.sql.known_tables import tables as known_tables
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.storage.address import place_of

# Its functions are made as it is loaded: type checkers know none.
pc: Any = pyarrow.compute

MDY = Options().as_key()
DMY = Options(date_order="dmy").as_key()
ACTIVITY = "rmf_workload_activity"
GOAL = "rmf_workload_goal"


def entry(name: str, options_key: str = MDY, lines: int = 10, status: Status = "ingested") -> SourceEntry:
    """A source whose content is its name."""
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    return SourceEntry(sha256, options_key, f"{name}.txt", status=status, lines=lines, pages=1, rows={ACTIVITY: lines})


def rows(*entries: SourceEntry) -> pa.Table:
    """Rows of ACTIVITY or GOAL: for every line of every source one, named after source and line."""
    names = ("source_id", "source_file", "page", "line", "class_kind", "service_class")
    columns: dict[str, list[object]] = {name: [] for name in names}
    for e in entries:
        for line in range(1, e.lines + 1):
            values = (e.source_id, e.source_file, 1, line, "service_class", f"C{line % 3}" if line % 5 else None)
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return pa.table(columns)


def add(lake: Lake, *entries: SourceEntry, tables: tuple[str, ...] = (ACTIVITY,)) -> None:
    """Commit sources that share one part a table."""
    lake.commit(
        entries, lake.write_batch({table: rows(*entries) for table in tables}, receipts(*entries, tables=tables))
    )


def fill(lake: str | Path, *entries: SourceEntry, tables: tuple[str, ...] = (ACTIVITY,)) -> None:
    """Commit sources as a command does that begins and ends."""
    with Lake(lake) as target:
        add(target, *entries, tables=tables)


def answer_of(lake: str | Path, text: str) -> list[tuple[Any, ...]]:
    with OpenLake(place_of(lake)) as opened:
        return opened.sql(text).fetchall()


def repaired(lake: Path) -> list[str]:
    """The files to ingest again after a repair."""
    with Lake(lake) as target:
        return [e.source_file for e in target.repair()]


def counts(lake: str | Path, table: str = ACTIVITY, few_rows: int = 50_000) -> dict[str, int]:
    """Rows by source file."""
    with OpenLake(place_of(lake), few_rows=few_rows) as opened:
        return dict(opened.sql(f"SELECT source_file, count(*) FROM {table} GROUP BY ALL ORDER BY ALL").fetchall())


def answers(lake: Path) -> dict[str, list[tuple]]:
    """All that the lake says: the rows of every table, and its sources but for the time of their commit."""
    with OpenLake(lake) as opened:
        names = sorted({p.table for p in opened.state.parts.values()})
        found = {t: opened.sql(f"SELECT * FROM {t} ORDER BY ALL").fetchall() for t in names}
        sources = opened.sql("SELECT * EXCLUDE committed_at FROM ingest_file ORDER BY source_id").fetchall()
    return found | {"ingest_file": sources}


def make_checkpoint(lake: Path) -> None:
    ledger = Ledger(lake)
    with ledger.writing():
        ledger.checkpoint()


def write_part(lake: Lake, data: pa.Table, *entries: SourceEntry, table: str = ACTIVITY) -> Part:
    """A part that is not committed yet."""
    (part,) = lake.write_batch({table: data}, receipts(*entries, tables=(table,)))
    return part


def receipts(*entries: SourceEntry, tables: tuple[str, ...] = (ACTIVITY,)) -> list[Receipt]:
    """What one batch holds of sources that are written whole."""
    return [Receipt(replace(e, rows=dict.fromkeys(tables, e.lines)), 0, last=True) for e in entries]


def batch_of(
    files: Mapping[str, Mapping[str, Sequence[Mapping[str, object]]]], **counts: int
) -> tuple[list[SourceEntry], dict[str, pa.Table]]:
    """The entries of files by name, and their rows by table; what a row must have beside what is given is its number or a text of no
    meaning. `counts`: of each file."""
    entries, rows = [], dict[str, list[dict[str, object]]]()
    for name, of_file in files.items():
        e = replace(entry(name), rows={table: len(some) for table, some in of_file.items()})
        entries.append(replace(e, **{"rejects": len(of_file.get("parse_reject", ()))} | counts))
        for table, some in of_file.items():
            needed = {field.name: "x" for field in stored_tables()[table].schema if not field.nullable}
            place = {"source_id": e.source_id, "source_file": e.source_file}
            made = [needed | {"page": n, "line": n} | dict(row) | place for n, row in enumerate(some, 1)]
            rows.setdefault(table, []).extend(made)
    return entries, {table: pa.Table.from_pylist(some) for table, some in rows.items()}


def write_files(
    target: Lake,
    files: Mapping[str, Mapping[str, Sequence[Mapping[str, object]]]],
    replace_prints: bool = False,
    **counts: int,
) -> Removal:
    """Commit files of rows together."""
    entries, tables = batch_of(files, **counts)
    parts = target.write_batch(tables, [Receipt(e, 0, last=True) for e in entries])
    return target.commit(entries, parts, replace_prints)


def checksum(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by path."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def of_other_files(table: pa.Table) -> pa.Table:
    """The same rows, of another file for each: a line is of one place of a file."""
    ids = pa.array([name[::-1] for name in table["source_id"].to_pylist()], pa.string())
    return table.set_column(
        table.column_names.index("source_id"), "source_id", ids.cast(table.schema.field("source_id").type)
    )


def write_lake(path: Path, rows: Mapping[str, pa.Table]) -> None:
    """A lake of such rows, a part of each table and day."""
    entries: dict[str, SourceEntry] = {}
    with Lake(path) as lake:
        parts = []
        for name, table in rows.items():
            old = table["source_id"].to_pylist()
            entries |= {
                one: SourceEntry(hashlib.sha256(one.encode()).hexdigest(), "", one) for one in set(old) - entries.keys()
            }
            ids = pa.array([entries[one].source_id for one in old])
            table = table.set_column(table.column_names.index("source_id"), "source_id", ids)
            time = next((n for n in ("interval_start", "begin_at", "collected_at") if n in table.column_names), None)
            days = table[time].cast(pa.date32()) if time else pa.chunked_array([pa.nulls(len(table), pa.date32())])
            for day in pc.unique(days).to_pylist():
                of_day = table.filter(pc.is_null(days) if day is None else pc.fill_null(pc.equal(days, day), False))
                sources = pc.unique(of_day["source_id"]).to_pylist()
                batch = [Receipt(e, len(parts), last=True) for e in entries.values() if e.source_id in sources]
                parts += lake.write_batch({name: of_day.cast(known_tables()[name].schema)}, batch)
        lake.commit(list(entries.values()), parts)


def sealed_anew(path: Path, **changes: Any) -> None:
    """Change fields of a file of the ledger, and give it the digest of what it then is."""
    record = json.loads(path.read_bytes()) | changes
    record.pop("digest")
    body = json.dumps(record).encode()[:-1]
    path.write_bytes(body + b',"digest":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n')
