"""Files that ingests did not read: those that failed, had nothing in them, or were passed over. They stay in a list in the lake until they are read,
or somebody dismisses them; what the ledger has of files that are read stands there alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from ..errors import IronlakeError, UsageError
from ..storage.os_errors import translate_os_errors
from ..storage.storage import Storage
from .ledger import Ledger

_FILE = "_ledger/not_read.json"
_MOST_BYTES = 64 << 20
# The newest stay.
_MOST_FILES = 20_000


@dataclass(frozen=True)
class NotRead:
    """A file as given; `status`: failed, empty or skipped (passed over); `at`: when it was last met, UTC. `dismissed`: no more to be shown for this
    reason."""

    path: str
    status: str
    reason: str
    at: str
    dismissed: bool = False


def not_read(files: Storage) -> list[NotRead]:
    """The files that are to be shown, the newest last. Raises IronlakeError where the list is damaged."""
    return [each for each in _all(files).values() if not each.dismissed]


def note_not_read(ledger: Ledger, met: Mapping[str, tuple[str, str]], read: Collection[str]) -> None:
    """Take files into the list, each with its status and reason, and out of it those that were `read`."""
    if not met and not ledger.files.exists(_FILE):
        return
    with translate_os_errors(ledger.root), ledger.writing():
        known = _all(ledger.files)
        kept = {path: each for path, each in known.items() if path not in read}
        now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
        for path, (status, reason) in met.items():
            before = kept.pop(path, None)
            is_dismissed = before is not None and before.dismissed and before.reason == reason
            kept[path] = NotRead(path, status, reason, now, is_dismissed)
        if kept != known:
            _write(ledger.files, [*kept.values()][-_MOST_FILES:])


def dismiss(ledger: Ledger, what: Collection[str]) -> int:
    """Show files no more: those of these paths or statuses, or `all`. Returns how many. Raises UsageError for what is none of them."""
    with translate_os_errors(ledger.root), ledger.writing():
        known = _all(ledger.files)
        shown = [each for each in known.values() if not each.dismissed]
        for name in what:
            if name != "all" and not any(name in (each.path, each.status) for each in shown):
                raise UsageError(
                    f"{name} is not among the files that were not read", "a path, failed, empty, skipped or all"
                )
        chosen = [each for each in shown if "all" in what or each.path in what or each.status in what]
        known |= {each.path: replace(each, dismissed=True) for each in chosen}
        if chosen:
            _write(ledger.files, known.values())
    return len(chosen)


def _all(files: Storage) -> dict[str, NotRead]:
    if not files.exists(_FILE):
        return {}
    try:
        rows = json.loads(files.read(_FILE, _MOST_BYTES))
        return {row["path"]: NotRead(**row) for row in rows}
    except (ValueError, TypeError, KeyError):
        raise IronlakeError(
            f"{files.root / _FILE} is damaged", hint="delete it: it only lists files that were not read"
        ) from None


def _write(files: Storage, rows: Iterable[NotRead]) -> None:
    files.put(_FILE, json.dumps([asdict(row) for row in rows]).encode())
