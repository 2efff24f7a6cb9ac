"""What people should know of a replacement: why a file may not win, and what they may not expect of one that does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..errors import format_error
from .prints import Print
from .removal import Removal
from .state import SourceEntry

_FILES_SHOWN = 3


def worse(removal: Removal, entries: Iterable[SourceEntry]) -> dict[str, str]:
    """The sources with more rejects than what they would replace, and why they are refused."""
    found = {}
    replacing = {new for _, new in removal.replaced}
    for entry in entries:
        held = removal.gone_rejects[entry.source_id]
        if entry.source_id in replacing and entry.rejects > held:
            what = (
                f"it has {_counted(entry.rejects, 'reject')}, and what it would replace {held:,}: nothing is replaced"
            )
            names = sorted(
                {e.source_file for e in removal.changed if (e.source_id, entry.source_id) in removal.replaced}
            )
            some = ", ".join(names[:_FILES_SHOWN]) + (" …" if len(names) > _FILES_SHOWN else "")
            hint = f"if the new file is right all the same, ironlake remove the old file first: {some}"
            found[entry.source_id] = format_error(what, hint=hint)
    return found


def notes_on(removal: Removal, newer: str) -> list[str]:
    """Which tables have fewer rows than before of what a source replaced, and which of its rows replace nothing."""
    prints = removal.selection.prints
    if prints is None:
        return []
    gone, came = Counter[str](), Counter[str]()
    most: dict[tuple[Print, str], int] = {}
    for (old, table, known), rows in removal.gone.items():
        if newer in prints.sources[known] and (old, newer) in removal.replaced:
            most[known, table] = max(rows, most.get((known, table), 0))
    for (known, table), rows in most.items():
        if rows > (new := prints.rows[newer, table, known]):
            gone[table] += rows
            came[table] += new
    told = [f"{table}: {_counted(rows, 'row')} gave way to {came[table]:,}" for table, rows in sorted(gone.items())]
    if untimed := prints.untimed.get(newer):
        some = ", ".join(f"{table} {_counted(rows, 'row')}" for table, rows in sorted(untimed.items()))
        told.append(f"rows without a time replace nothing: {some}")
    return told


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
