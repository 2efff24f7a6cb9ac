"""Undo a step: the sources that it changed have again the rows that they had before it. What other steps did meanwhile stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from ..errors import IronlakeError, UsageError
from ..storage.os_errors import translate_os_errors
from .history import Event, event_of
from .ledger import Ledger
from .parts import PartStore
from .state import Part, SourceEntry, State, removed

_HINT = "ironlake history shows what happened; ingest the files again, or remove them"


@dataclass
class Undoing:
    """How a step is undone. `entries`: the sources as they were before it; `restored`: their parts then that are none now, with the
    sources to take from each; `source_ids`: whose rows go from the parts of now, but from `kept` ones, which are as they were. `rows`: how
    many more rows each source has then; fewer are negative."""

    step: int
    did: list[Event]
    entries: list[SourceEntry]
    source_ids: set[str]
    restored: list[tuple[Part, set[str]]]
    kept: set[str]
    rows: Counter[str]
    events: list[Event]


def plan_undo(ledger: Ledger, store: PartStore, state: State) -> Undoing:
    """How to undo the newest step that is no compaction. Raises UsageError if there is none, IronlakeError if what it changed is not
    there any more."""
    newest = ledger.newest_change(state)
    if newest is None:
        raise UsageError("there is no step to undo", "a step that ironlake history shows with its number", _HINT)
    number, before, sources, did = newest
    store = replace(store, with_dropped=True)
    changed = {e.sha256: e for e in sources}
    earlier = {sha: before.sources[sha] for sha in changed if sha in before.sources}
    there_before = {e.source_id for e in earlier.values() if e.status != "failed"}
    restored = []
    for path, part in before.parts.items():
        if path in state.parts or there_before.isdisjoint(part.source_ids):
            continue
        if wrong := store.damage(part):
            what = f"step {number} cannot be undone: {path} {wrong}"
            raise IronlakeError(what, "the parts of before; an ingest deletes them an hour later", _HINT)
        restored.append((part, there_before.intersection(part.source_ids)))
    entries = [earlier.get(sha) or removed(e) for sha, e in changed.items()]
    ids = there_before | {e.source_id for e in changed.values()}
    # Of some only what they say of other sources changed.
    of_rows = [e for e in entries if replace(e, other_values={}) != replace(state.sources[e.sha256], other_values={})]
    events = [event_of("undone", e, f"step {number}") for e in of_rows]
    rows = Counter[str]()
    for e in entries:
        rows[e.source_id] += sum(e.rows.values())
    for sha in changed:
        now = state.sources[sha]
        rows[now.source_id] -= sum(now.rows.values())
    return Undoing(number, did, entries, ids, restored, set(before.parts).intersection(state.parts), rows, events)


def planned_undo(ledger: Ledger) -> Undoing:
    """How the newest step of a lake that may be one to read only would be undone. Raises as `plan_undo`."""
    in_use = ledger.files.in_use()
    try:
        with translate_os_errors(ledger.root, "read"):
            return plan_undo(ledger, PartStore(ledger.files), ledger.state())
    finally:
        in_use.close()
