"""What other engines read of a lake: which step `ironlake publish` wrote logs of, and which dropped parts these logs may still name.

A log names the parts of its step. A part that is dropped later stays under its name until the next publication, for a week at most: so a reader of
the log meets no missing file. A publication leaves an empty file before it reads the ledger. What was dropped after the oldest of these files stays;
when it is done, a publication removes those of earlier ones.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex

from ..storage.storage import Storage
from .state import part_tables

_FOLDER, _RECORD = "_published", "_published/delta.json"
_BEGUN = ".begun"
_MOST_BYTES = 1 << 20
# As long as Delta's own tools keep what no newer version names.
_STAYS_S = 7 * 24 * 3600.0


@dataclass(frozen=True)
class Record:
    """The last publication that was done: the step, its digest, and the version of the log of each table."""

    step: int
    digest: str
    versions: dict[str, int]


def read_record(files: Storage) -> Record | None:
    """None before the first publication, and for a file that says something else: then all logs are looked at."""
    with suppress(FileNotFoundError, ValueError, TypeError, RecursionError):
        found = Record(**json.loads(files.read(_RECORD, _MOST_BYTES)))
        if isinstance(found.versions, dict) and found.versions.keys() <= part_tables():
            return found
    return None


def begin(files: Storage) -> str:
    """Say that a publication begins; only before it reads the ledger. Returns what `done` takes."""
    name = f"{_FOLDER}/{token_hex(8)}{_BEGUN}"
    files.make_folder(_FOLDER)
    files.create(name)
    return name


def done(files: Storage, begun: str, record: Record) -> None:
    """Say that the logs are those of a step: what was dropped before it began need not stay."""
    files.put(_RECORD, json.dumps(record.__dict__, sort_keys=True).encode())
    others = [name for name in _begun(files) if name != begun]
    # One that began later may be about to name what this one does not.
    for name in others:
        with suppress(FileNotFoundError):
            if files.modified(name) <= files.modified(begun):
                files.remove(name)


def failed(files: Storage, begun: str) -> None:
    """Say that a publication ended early: what an earlier one keeps is enough for the logs of both."""
    if len(_begun(files)) > 1:
        files.remove(begun)


def _begun(files: Storage) -> list[str]:
    return [f"{_FOLDER}/{name}" for name in files.names(_FOLDER) if name.endswith(_BEGUN)]


def kept_since(files: Storage) -> float:
    """Parts dropped from this time on (seconds since 1970) may be named by a log; infinite where nothing is published."""
    times = []
    for name in _begun(files):
        with suppress(FileNotFoundError):
            times.append(files.modified(name))
    return max(min(times), time.time() - _STAYS_S) if times else float("inf")
