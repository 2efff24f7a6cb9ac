"""Compaction: merge many small parts of a table into few large ones, and remove unneeded files.

The rows stay the same, in the order of their times: parts of one day come into one part, or into few. Merging runs in parallel with commits; it holds the ledger's lock only to swap the parts in one step.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import inf

from ..storage.os_errors import translate_os_errors
from .by_time import in_order
from .history import Event, compacted
from .ledger import Ledger, Part, State
from .origin import joined
from .part_files import hide_dropped, remove_unneeded
from .parts import PartStore, merged_stem

_LOCK = "_ledger/compaction.lock"

MOST_SMALL_PARTS = 64
ROWS_PER_PART = 1_000_000


def compact(
    ledger: Ledger,
    store: PartStore,
    most_small_parts: int,
    rows_per_part: int,
    grace_s: float | None,
    most_merged: int | None = None,
) -> int:
    """Merge the small parts of every table that has more than `most_small_parts` of them, those with the most first; returns the number
    of parts replaced. Then remove left-overs. `most_merged`: end with the table that brings the merged parts to this number; the next ingest goes on, so
    that none of many takes much longer because all tables are due at once. Does nothing if another process is compacting."""
    if not ledger.exists():
        return 0
    ledger.create()
    with ledger.files.locked_now(_LOCK) as alone:
        if not alone:
            return 0
        replaced = 0
        for of_table in _due(ledger, most_small_parts, rows_per_part):
            if most_merged is not None and replaced > most_merged:
                break
            for parts in _mergeable(store, of_table, rows_per_part):
                replaced += _merge(ledger, store, parts)
        _remove_unneeded(ledger, time.time() - (ledger.files.grace_s if grace_s is None else grace_s))
    return replaced


def _due(ledger: Ledger, most_small_parts: int, rows_per_part: int) -> list[list[Part]]:
    """The small parts of each table that has too many of them, the table with the most first."""
    by_table: dict[str, list[Part]] = {}
    for part in ledger.state().parts.values():
        if part.rows < rows_per_part // 2:
            by_table.setdefault(part.table, []).append(part)
    due = (_without_larger(parts) for parts in by_table.values() if len(parts) > most_small_parts)
    return sorted(due, key=len, reverse=True)


def _without_larger(parts: list[Part]) -> list[Part]:
    """The parts without those at the begin that have more rows than all behind them: what was merged is not written again for a few rows
    more."""
    rows = sum(part.rows for part in parts)
    for number, part in enumerate(parts):
        rows -= part.rows
        if part.rows <= rows:
            return parts[number:]
    return parts


def _mergeable(store: PartStore, parts: Sequence[Part], rows_per_part: int) -> Iterator[list[Part]]:
    """Groups of small parts of one table, each of one schema and of about `rows_per_part` rows at most."""
    # Do not merge a damaged part: that would hide the damage from `ironlake check`.
    by_schema: dict[object, list[Part]] = {}
    for part in parts:
        if not store.damage(part):
            schema = store.schema(part)
            by_schema.setdefault(tuple((f.name, str(f.type), f.nullable) for f in schema), []).append(part)
    for same in by_schema.values():
        yield from _groups(same, rows_per_part)


def _groups(parts: Sequence[Part], rows_per_part: int) -> Iterator[list[Part]]:
    group: list[Part] = []
    rows = 0
    # By the day of their first interval, those of one day in the order of their commits.
    for part in sorted(parts, key=lambda part: (part.first_time or "")[:10]):
        group.append(part)
        rows += part.rows
        if rows >= rows_per_part:
            yield group
            group, rows = [], 0
    if len(group) > 1:
        yield group


def _merge(ledger: Ledger, store: PartStore, parts: list[Part]) -> int:
    """Replace parts by one with the same rows; returns 0 if one of them was replaced meanwhile."""
    schema = store.schema(parts[-1])
    source_ids = tuple(sorted({s for p in parts for s in p.source_ids}))
    data = in_order(store, parts, schema)
    origin = joined(store.origin(part) for part in parts)
    merged = store.write_named(parts[0].table, merged_stem(parts), data, schema, source_ids, origin)
    expected = sum(p.rows for p in parts)
    if merged.rows != expected:
        raise AssertionError(f"{merged.path} has {merged.rows} rows instead of {expected}")
    paths = [p.path for p in parts]

    def swap(state: State) -> int:
        if not all(path in state.parts for path in paths):
            return 0
        store.touch(paths)
        done = Event("compacted", rows=merged.rows, what=compacted(merged.table, len(parts)))
        ledger.publish(add_parts=[merged], drop_parts=paths, events=[done])
        return len(parts)

    with translate_os_errors(ledger.root):
        return ledger.change(swap)


def _remove_unneeded(ledger: Ledger, newest_to_go: float) -> None:
    """Remove steps and checkpoints that are no longer needed, parts that the ledger does not name and that are as old as that,
    and left-overs of dead processes; hide what steps dropped. Parts and steps only while no process uses the lake; where nobody
    knows, what is old enough."""
    files = ledger.files
    files.remove_leftovers()
    with translate_os_errors(ledger.root), ledger.writing() as state, files.unused() as unused:
        if files.is_local and not unused:
            return
        ledger.remove_unneeded(inf if unused else newest_to_go)
        remove_unneeded(files, state.parts.keys(), newest_to_go)
        if unused:
            hide_dropped(files, state.parts.keys())
