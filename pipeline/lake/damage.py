"""Find damaged parts of a lake, and the sources of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..errors import IronlakeError
from ..storage.storage import Storage, storage_at
from .parts import REPAIR_HINT, PartStore
from .state import Part, State

_MOST_NAMED = 10
# Requests to object storage: each waits some hundredths of a second.
_AT_ONCE = 16


def find_damage(
    root: Path, state: State, parts: Iterable[Part] | None = None, *, quick: bool = False, files: Storage | None = None
) -> dict[Part, str]:
    """The damaged ones among `parts` (default: all), each with what is wrong. `quick`: check only existence, size and footer,
    without reading the data. `files`: those of the lake, if they are open. Raises IronlakeError for a part that cannot be opened or read: it
    may be whole."""
    files = files or storage_at(root)
    store = PartStore(files)
    look = store.missing if quick else store.damage
    some = list(state.parts.values() if parts is None else parts)
    if files.is_local:
        found = map(look, some)
    else:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = list(pool.map(look, some))
    return {part: wrong for part, wrong in zip(some, found, strict=True) if wrong}


def find_missing(root: Path, state: State) -> dict[Part, str]:
    """The parts that are missing or have another size. In a folder their footers are looked at too; in object storage that would be
    a request for each."""
    files = storage_at(root)
    if files.is_local:
        return find_damage(root, state, quick=True)
    there = {
        f"{table}/{name}": each.size
        for table in {part.table for part in state.parts.values()}
        for name, each in files.found(table).items()
    }
    wrong = {p: "is missing" for path, p in state.parts.items() if path not in there}
    size = "has {:,} bytes instead of {:,}"
    return wrong | {
        p: size.format(there[path], p.bytes) for path, p in state.parts.items() if there.get(path, p.bytes) != p.bytes
    }


def damage_error(root: Path, state: State, damaged: Mapping[Part, str]) -> IronlakeError:
    """The error for damaged parts, with the sources of their rows."""
    name = {e.source_id: e.source_file for e in state.sources.values()}
    lines = []
    for part, wrong in list(damaged.items())[:_MOST_NAMED]:
        files = [name[i] for i in part.source_ids if i in name]
        more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
        lines.append(f"{part.path} {wrong} ({part.rows:,} rows of {', '.join(files[:_MOST_NAMED])}{more})")
    if len(damaged) > _MOST_NAMED:
        lines.append(f"and {len(damaged) - _MOST_NAMED} more parts")
    return IronlakeError("\n".join([f"the lake {root} is damaged:", *lines]), hint=REPAIR_HINT)
