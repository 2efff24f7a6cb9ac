"""Tables and views as files for other tools: what counts now, one file each, without the rows that the ledger has replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from ..errors import IronlakeError, UsageError
from ..output.formats import FileFormat
from ..output.write import write
from ..sql.describe import described
from ..sql.known_tables import tables
from ..sql.open_lake import OpenLake
from ..sql.query_errors import unknown_name
from ..sql.view_files import views
from ..temporary_folders import half_written

# Names the files of an export, so that the next may replace them and nothing else.
_LIST = "ironlake_export.json"


def export(
    lake: OpenLake,
    out: Path,
    file_format: FileFormat,
    names: Sequence[str] = (),
    force: bool = False,
    step: Callable[[str], None] = lambda words: None,
    raw_csv: bool = False,
) -> dict[str, int]:
    """Write the named tables and views into a folder, or all that have rows; returns the rows of each. The folder is written
    completely or not at all, and replaces an older export. With `force` other files in the folder stay, but for those that have the
    name of one that is written. `raw_csv`: as output.write has it.

    Raises UsageError for a name that is neither, and for a folder with other files; IronlakeError if it cannot be written."""
    for name in names:
        if name not in tables() and name not in views():
            raise unknown_name(name)
    others = _others(out, force)
    with half_written(out) as folder:
        folder.mkdir()
        rows = {}
        asked = names or [*lake.tables, *lake.views]
        for number, name in enumerate(asked, 1):
            step(f"writing {name} ({number} of {len(asked)})")
            file = folder / f"{name}.{file_format}"
            if names or name in views() or lake.rows(name):
                rows[name] = _write(lake, name, file, file_format, out, raw_csv)
            if not names and not rows.get(name):
                rows.pop(name, None)
                file.unlink(missing_ok=True)
        files = {f"{name}.{file_format}": count for name, count in rows.items()}
        (folder / _LIST).write_text(json.dumps({"step": lake.state.step, "rows": files}, indent=1) + "\n", "utf-8")
        for other in others:
            if not (folder / other).exists():
                os.link(out / other, folder / other, follow_symlinks=False)
        _replace(out.absolute(), folder)
    return rows


def _write(lake: OpenLake, name: str, file: Path, file_format: FileFormat, out: Path, raw_csv: bool) -> int:
    answer = described(lake, [name], lake.sql(f'SELECT * FROM "{name}"').written(file_format))
    count = 0

    def counted():
        nonlocal count
        for batch in answer:
            count += batch.num_rows
            yield batch

    try:
        with file.open("xb") as sink:
            batches = pa.RecordBatchReader.from_batches(answer.schema, counted())
            write(batches, file_format, sink, str(out / file.name), raw_csv)
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


def _others(out: Path, force: bool) -> list[str]:
    """The files in a folder that no export wrote. Raises UsageError if there are any, unless `force`, and for what is no folder."""
    try:
        if not out.exists():
            return []
        if not out.is_dir():
            raise UsageError(f"{out} is not a folder", "a new folder, or an export to replace", "choose another --out")
        entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in os.scandir(out)}
    except OSError as error:
        raise IronlakeError(f"cannot read {out}: {error.strerror}", "a folder that you may write in") from None
    try:
        ours = {_LIST, *json.loads((out / _LIST).read_bytes())["rows"]} if entries else set()
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        ours = set()
    others = sorted(entries.keys() - ours)
    folders = [name for name in others if entries[name]]
    if folders or (others and not force):
        what = f"{out} has {'folders' if folders else 'files'} that no export wrote, such as {(folders or others)[0]}"
        hint = "choose another --out" + (
            "" if folders else ", or --force to write beside them, and over those of the same names"
        )
        raise UsageError(what, "a new folder, or an export to replace", hint)
    return others
