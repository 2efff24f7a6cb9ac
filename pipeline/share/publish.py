"""A lake for other engines: a Delta log of each table over the parts that are there. No part is written or moved."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..errors import IronlakeError
from ..lake.ledger import Ledger, State, require_lake
from ..lake.published import Record, begin, done, failed, read_record
from ..lake.state import part_tables
from ..sql.known_tables import tables
from ..storage.os_errors import translate_os_errors
from ..temporary_folders import temporary_folder
from .delta_log import BehindError, DeltaLog, log_names, newest_version, require_library

# Another publication writes the same versions.
_MOST_TRIES = 10


@dataclass(frozen=True)
class Published:
    """The logs are those of `step`. `changes`: how many parts each changed log adds and removes."""

    step: int
    tables: int
    changes: dict[str, tuple[int, int]]


def publish(lake: Path, step: Callable[[str], None] = lambda words: None) -> Published:
    """Write a Delta log for each table that has parts, or add what changed since; nothing if all logs are of the newest step. `step` is
    called with what is done now.

    Raises UsageError where there is no lake or the library is not installed, IronlakeError for a log of somebody else."""
    require_library()
    ledger = require_lake(lake)
    with closing(ledger.files.in_use()), translate_os_errors(ledger.root):
        state = ledger.state()
        record = read_record(ledger.files)
        if record and record.digest and record.digest == state.digest and _are_there(ledger, record):
            return Published(state.step, len(record.versions), {})
        if not state.parts and not _tables(ledger):
            return Published(state.step, 0, {})
        begun = begin(ledger.files)
        try:
            found, record = _publish(ledger, step)
            done(ledger.files, begun, record)
        except BaseException:
            failed(ledger.files, begun)
            raise
        return found


def _are_there(ledger: Ledger, record: Record) -> bool:
    """Whether all logs are as the last publication left them."""
    return all(newest_version(log_names(ledger, table)) == version for table, version in record.versions.items())


def _tables(ledger: Ledger) -> list[str]:
    """The tables that have a folder."""
    return sorted(part_tables().intersection(ledger.files.names()))


def _publish(ledger: Ledger, step: Callable[[str], None]) -> tuple[Published, Record]:
    changes: dict[str, tuple[int, int]] = {}
    for tries in range(_MOST_TRIES):
        state = ledger.state()
        try:
            versions = _write_logs(ledger, state, changes, step, may_go_back=tries > 1)
        except (BehindError, FileExistsError):
            # Another publication was faster: what it wrote is looked at.
            continue
        return Published(state.step, len(versions), changes), Record(state.step, state.digest, versions)
    raise IronlakeError(f"{ledger.root} is being published by others", hint="run the same command again")


def _write_logs(
    ledger: Ledger,
    state: State,
    changes: dict[str, tuple[int, int]],
    step: Callable[[str], None],
    may_go_back: bool,
) -> dict[str, int]:
    """Returns the version of each log. `may_go_back`: a log of a later step is that of a ledger that was rebuilt or restored."""
    versions = {}
    for name in _tables(ledger):
        step(f"publishing {name}")
        with temporary_folder() as folder:
            log = DeltaLog(ledger, tables()[name], folder)
            added, removed = log.publish(state, may_go_back)
        if added or removed:
            before = changes.get(name, (0, 0))
            changes[name] = before[0] + added, before[1] + removed
        if log.version is not None:
            versions[name] = log.version
    return versions
