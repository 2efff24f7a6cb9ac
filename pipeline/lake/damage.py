"""Find damaged parts of a lake, and the sources of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import IronlakeError
from .folder import LakeFolder
from .parts import REPAIR_HINT, PartStore
from .state import Part, State

_MOST_NAMED = 10


def find_damage(
    root: Path, state: State, parts: Iterable[Part] | None = None, *, quick: bool = False
) -> dict[Part, str]:
    """The damaged ones among `parts` (default: all), each with what is wrong. `quick`: check only existence, size and footer,
    without reading the data. Raises IronlakeError for a part that cannot be opened or read: it may be whole."""
    store = PartStore(LakeFolder(root))
    look = store.missing if quick else store.damage
    found = {part: look(part) for part in (state.parts.values() if parts is None else parts)}
    return {part: wrong for part, wrong in found.items() if wrong}


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
