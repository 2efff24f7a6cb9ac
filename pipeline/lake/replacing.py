"""What people should know of a replacement: why a file may not win, and what they may not expect of one that does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from ..declaration.bookkeeping import PARSE_REJECT
from ..errors import format_error
from ..words import counted
from .parts import PartStore
from .prints import Print, frame_of
from .removal import Removal
from .state import Part, SourceEntry

_FILES_SHOWN = 3


def worse(store: PartStore, parts: Iterable[Part], removal: Removal, entries: Iterable[SourceEntry]) -> dict[str, str]:
    """The sources whose pages that replace others have more rejects than what they would replace, and why they are refused. `parts`: those
    of the sources."""
    replacing = {new for _, new in removal.replaced}
    doubtful = {e.source_id: e for e in entries if e.source_id in replacing}
    doubtful = {i: e for i, e in doubtful.items() if e.rejects > removal.gone_rejects[i]}
    found = {}
    for source_id, rejects in _rejects_beside(store, parts, removal, doubtful.keys()).items():
        held = removal.gone_rejects[source_id]
        if rejects > held:
            what = (
                f"its pages that replace others have {counted(rejects, 'reject')}, and what they would replace {held:,}"
            )
            names = sorted({e.source_file for e in removal.changed if (e.source_id, source_id) in removal.replaced})
            some = ", ".join(names[:_FILES_SHOWN]) + (" …" if len(names) > _FILES_SHOWN else "")
            hint = f"if the new file is right all the same, ironlake remove the old file first: {some}"
            found[source_id] = format_error(f"{what}: nothing is replaced", hint=hint)
    return found


def _rejects_beside(
    store: PartStore, parts: Iterable[Part], removal: Removal, source_ids: Collection[str]
) -> Counter[str]:
    """How many rejects sources have on pages with prints that replace others, and on pages of which nobody knows the prints, because nothing
    else could be read of them."""
    prints = removal.selection.prints
    found = Counter[str]()
    if prints is None or not source_ids:
        return found
    replaced: dict[str, set[Print]] = {}
    for (_, new), some in removal.replaced.items():
        replaced.setdefault(new, set()).update(some)
    for part in parts:
        if part.table != PARSE_REJECT.name or set(source_ids).isdisjoint(part.source_ids):
            continue
        for group in store.read(part, ["source_id", "page"]):
            for source_id, page in frame_of(group, ["source_id", "page"]).iter_rows():
                there = prints.pages.get((source_id, page))
                if source_id in source_ids and (there is None or there & replaced[source_id]):
                    found[source_id] += 1
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
    told = [f"{table}: {counted(rows, 'row')} gave way to {came[table]:,}" for table, rows in sorted(gone.items())]
    if untimed := prints.untimed.get(newer):
        some = ", ".join(f"{table} {counted(rows, 'row')}" for table, rows in sorted(untimed.items()))
        told.append(f"rows without a time replace nothing: {some}")
    return told
