"""Tables and views as files for other tools: what counts now, one file each, without the rows that the ledger has replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa

from ..errors import IronlakeError, UsageError
from ..output.write import write
from ..sql.describe import described
from ..sql.known_tables import tables
from ..sql.query_errors import unknown_name
from ..sql.session import OpenLake
from ..sql.temporary_folders import half_written
from ..sql.view_files import views

FileFormat = Literal["parquet", "csv", "xlsx"]
# Names the files of an export, so that the next may replace them and nothing else.
_LIST = "ironlake_export.json"


def export(lake: OpenLake, out: Path, file_format: FileFormat, names: Sequence[str] = ()) -> dict[str, int]:
    """Write the named tables and views into a folder, or all that have rows; returns the rows of each. The folder is written
    completely or not at all, and replaces an older export.

    Raises UsageError for a name that is neither, and for a folder with other files; IronlakeError if it cannot be written."""
    for name in names:
        if name not in tables() and name not in views():
            raise unknown_name(name)
    out = out.absolute()
    try:
        _require_export(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        with half_written(out) as folder:
            folder.mkdir()
            rows = {}
            for name in names or [*lake.tables, *lake.views]:
                file = folder / f"{name}.{file_format}"
                if names or name in views() or lake.rows(name):
                    rows[name] = _write(lake, name, file, file_format)
                if not names and not rows.get(name):
                    rows.pop(name, None)
                    file.unlink(missing_ok=True)
            files = {f"{name}.{file_format}": count for name, count in rows.items()}
            (folder / _LIST).write_text(json.dumps({"step": lake.state.step, "rows": files}, indent=1) + "\n", "utf-8")
            _replace(out, folder)
    except OSError as error:
        where = error.filename or out
        raise IronlakeError(f"{where} cannot be written: {error.strerror}", "a folder that you may write in") from None
    return rows


def _write(lake: OpenLake, name: str, file: Path, file_format: FileFormat) -> int:
    answer = described(lake, [name], lake.sql(f'SELECT * FROM "{name}"').reader())
    count = 0

    def counted():
        nonlocal count
        for batch in answer:
            count += batch.num_rows
            yield batch

    try:
        with file.open("xb") as sink:
            write(pa.RecordBatchReader.from_batches(answer.schema, counted()), file_format, sink)
    except UsageError as error:
        raise UsageError(f"{name}: {error.what}", error.expected, error.hint) from None
    return count


def _replace(out: Path, folder: Path) -> None:
    """Put a folder in the place of an older one, which stays if that fails."""
    before = folder.with_name(f"{out.name}.before")
    if out.exists():
        os.rename(out, before)
    try:
        os.rename(folder, out)
    except OSError:
        if before.exists():
            os.rename(before, out)
        raise


def _require_export(out: Path) -> None:
    """Raise UsageError unless a path is free, an empty folder, or holds an export and nothing else."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is not a folder", "a new folder, or an export to replace", "choose another --out")
    found = {entry.name for entry in os.scandir(out)}
    try:
        ours = {_LIST, *json.loads((out / _LIST).read_bytes())["rows"]} if found else set()
    except (OSError, ValueError, KeyError, TypeError):
        ours = set()
    if others := sorted(found - ours):
        what = f"{out} has files that no export wrote, such as {others[0]}"
        raise UsageError(what, "a new folder, or an export to replace", "choose another --out")
