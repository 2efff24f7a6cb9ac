"""The ledger of older releases (format 1), for reading it once more: JSON without digests, `folded/` in place of checkpoints."""

from __future__ import annotations

import errno
import json
import os
from typing import Any

from ..storage.storage import Storage
from .sealed import damaged, read_bounded, refuse_newer
from .state import State, entry_of, part_of

# A folded state has all sources and parts of a lake.
_MOST_BYTES = 256 << 20


def read_old(files: Storage, steps: list[int], folded: list[int]) -> State:
    """The newest state. Raises DamagedLedger, or FileNotFoundError if a step is missing."""
    state = State()
    if folded:
        record = _read(files, path := f"_ledger/folded/{folded[-1]:010d}.json")
        try:
            state.sources = {e["sha256"]: entry_of(e) for e in record["sources"]}
            state.parts = {p["path"]: part_of(p) for p in record["parts"]}
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(files.root / path, f"is not a state: {error}") from error
        state.step = folded[-1]
    for number in (n for n in steps if n > state.step):
        path = f"_ledger/steps/{number:010d}.json"
        if number != state.step + 1:
            raise _missing(files, f"_ledger/steps/{state.step + 1:010d}.json")
        try:
            state.apply(_read(files, path))
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(files.root / path, f"is not a step: {error}") from error
    return state


def _read(files: Storage, path: str) -> dict[str, Any]:
    content = read_bounded(files, path, _MOST_BYTES)
    try:
        record = json.loads(content)
        refuse_newer(files.root / path, record)
        is_old = record["format"] == 1
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(files.root / path, "is not valid JSON") from error
    if not is_old:
        raise _missing(files, "_ledger/head.json")
    return record


def _missing(files: Storage, path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(files.root / path))
