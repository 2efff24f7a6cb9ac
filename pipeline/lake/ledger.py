"""The ledger of a lake: the sources and parts in it. A file that the ledger does not name does not count.

`_ledger/steps/0000000007.json` is one commit: the sources and parts added and dropped, in one file that is created atomically
and never changes. `_ledger/folded/0000000064.json` is the state after step 64, so readers need not read thousands of
steps: they take the newest folded state and the steps after it, without waiting.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from hashlib import sha256 as _sha256
from pathlib import Path
from typing import Any, Literal

from ..declaration.reading_options import READER_VERSION
from ..errors import IronlakeError
from .durable import locked, publish_new, translate_os_errors

FORMAT = 1
Status = Literal["ingested", "empty", "failed"]

# Steps are folded when there are this many, and more for a large state, so that the cost stays linear.
_STEPS_PER_SUM = 64
_SOURCES_PER_STEP = 16


def source_id_of(sha256: str, options_key: str) -> str:
    """The id of a source: 16 hex digits of a digest of its content and of all options that change how it is read."""
    return _sha256((sha256 + options_key).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SourceEntry:
    """One source. `sha256` is that of its uncompressed bytes, `options_key` is Options.as_key(); `rows` counts its rows by
    table. `committed_at` (UTC, ISO) is set by the commit."""

    sha256: str
    options_key: str
    source_file: str
    status: Status = "ingested"
    bytes: int = 0
    encoding: str = ""
    form: str = ""
    pages: int = 0
    lines: int = 0
    blank_lines: int = 0
    claimed_lines: int = 0
    unread_lines: int | None = None
    rejected_lines: int = 0
    unknown_lines: int = 0
    rejects: int = 0
    suspect_pages: int = 0
    wrong_pages: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    reader_version: str = READER_VERSION
    committed_at: str = ""

    @property
    def source_id(self) -> str:
        return source_id_of(self.sha256, self.options_key)


@dataclass(frozen=True)
class Part:
    """One Parquet file. `path` is relative to the lake; `source_ids` are the sources of its rows; `sha256` is the digest of
    the file, `footer` that of its footer (schema and offsets); both are empty if an older Ironlake wrote it."""

    table: str
    path: str
    rows: int
    bytes: int
    source_ids: tuple[str, ...]
    sha256: str = ""
    footer: str = ""


@dataclass
class State:
    """The content of the ledger after `step`: sources by sha256, parts by path, in commit order."""

    step: int = 0
    sources: dict[str, SourceEntry] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)

    def apply(self, step: dict[str, Any]) -> None:
        for path in step["drop_parts"]:
            del self.parts[path]
        for part in step["add_parts"]:
            self.parts[part["path"]] = _part(part)
        for entry in step["add_sources"]:
            self.sources[entry["sha256"]] = _entry(entry)
        self.step = step["step"]

    def parts_of(self, table: str) -> list[Part]:
        return [p for p in self.parts.values() if p.table == table]


_ENTRY_FIELDS = {f.name for f in fields(SourceEntry)}


def _entry(record: dict[str, Any]) -> SourceEntry:
    return SourceEntry(**{k: v for k, v in record.items() if k in _ENTRY_FIELDS})


def _part(record: dict[str, Any]) -> Part:
    ids = tuple(record["source_ids"])
    digests = record.get("sha256", ""), record.get("footer", "")
    return Part(record["table"], record["path"], record["rows"], record["bytes"], ids, *digests)


class Ledger:
    """The ledger in `root`; nothing is read before it is asked for."""

    def __init__(self, root: Path):
        self.root = root
        self.folder = root / "_ledger"
        self.temporary = root / "_tmp"
        self.in_use = self.folder / "in_use.lock"
        self._steps, self._folded = self.folder / "steps", self.folder / "folded"
        self._state = State()

    def exists(self) -> bool:
        return self._steps.is_dir()

    def create(self) -> None:
        """Make the ledger's folders where they are not there; several processes may do so at once."""
        if self.exists() and self.in_use.exists():
            return
        self.root.mkdir(parents=True, exist_ok=True)
        for folder in (self.folder, self.temporary, self._folded):
            folder.mkdir(exist_ok=True)
        self.in_use.touch()
        self._steps.mkdir(exist_ok=True)

    def state(self) -> State:
        """The newest state. It is the ledger's own: read it, do not change it. Raises IronlakeError where the ledger cannot
        be read or was written by a newer Ironlake."""
        missing: object = None
        for _ in range(20):
            try:
                return self._refresh()
            except FileNotFoundError as error:
                # Steps that were summed up meanwhile are gone: begin again with the newer sum.
                missing = error.filename
                self._state = State()
        raise IronlakeError(
            f"the ledger is damaged: {missing} is missing",
            hint="restore the folder _ledger from a backup, or remove the lake and ingest its files again",
        )

    def _refresh(self) -> State:
        newest = max(_numbers(self._folded), default=0)
        if newest > self._state.step:
            self._state = self._sum(newest)
            self._read_steps(sorted(n for n in _numbers(self._steps) if n > newest))
        elif self._state.step == 0:
            self._read_steps(sorted(_numbers(self._steps)))
        else:
            # Known state: the next step is asked for by name, so that a commit does not list thousands of files.
            while (self._steps / _name(self._state.step + 1)).exists():
                self._apply(self._state.step + 1)
        return self._state

    def _read_steps(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            expected = self._state.step + 1
            if number != expected:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._steps / _name(expected)))
            self._apply(number)

    def _apply(self, number: int) -> None:
        path = self._steps / _name(number)
        step = self._read(path)
        try:
            self._state.apply(step)
        except (KeyError, TypeError) as error:
            raise _damaged(path) from error

    def _sum(self, number: int) -> State:
        path = self._folded / _name(number)
        record = self._read(path)
        try:
            sources = {e["sha256"]: _entry(e) for e in record["sources"]}
            return State(number, sources, {p["path"]: _part(p) for p in record["parts"]})
        except (KeyError, TypeError) as error:
            raise _damaged(path) from error

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            record = json.loads(path.read_bytes())
            version = record["format"]
        except FileNotFoundError:
            raise
        except PermissionError as error:
            raise IronlakeError(f"the ledger file {path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise _damaged(path) from error
        if version > FORMAT:
            hint = "upgrade Ironlake"
            raise IronlakeError(f"{path} was written by a newer Ironlake (format {version})", f"format {FORMAT}", hint)
        return record

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The newest state, with the commit lock held."""
        with locked(self.folder / "commit.lock"):
            yield self.state()

    def publish(
        self,
        add_sources: Iterable[SourceEntry] = (),
        add_parts: Iterable[Part] = (),
        drop_parts: Iterable[str] = (),
    ) -> None:
        """Write the next step; only within `writing`. An added source replaces one with the same content."""
        now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
        number = self._state.step + 1
        step = {
            "format": FORMAT,
            "step": number,
            "at": now,
            "drop_parts": list(drop_parts),
            "add_parts": [asdict(p) for p in add_parts],
            "add_sources": [asdict(e) | {"source_id": e.source_id, "committed_at": now} for e in add_sources],
        }
        publish_new(_encode(step), self._steps / _name(number), self.temporary)
        self._state.apply(json.loads(_encode(step)))
        newest = max(_numbers(self._folded), default=0)
        if number - newest >= _STEPS_PER_SUM + len(self._state.sources) // _SOURCES_PER_STEP:
            self.fold()

    def fold(self) -> None:
        """Write the current state to one file; only within `writing`."""
        state = self._state
        record = {
            "format": FORMAT,
            "step": state.step,
            "sources": [asdict(e) | {"source_id": e.source_id} for e in state.sources.values()],
            "parts": [asdict(p) for p in state.parts.values()],
        }
        if state.step and state.step not in _numbers(self._folded):
            publish_new(_encode(record), self._folded / _name(state.step), self.temporary)

    def remove_folded_steps(self) -> None:
        """Remove the steps and older states that the newest folded state replaces; only within `writing`."""
        newest = max(_numbers(self._folded), default=0)
        with translate_os_errors(self.root):
            for folder, last in ((self._steps, newest), (self._folded, newest - 1)):
                for number in _numbers(folder):
                    if number <= last:
                        (folder / _name(number)).unlink(missing_ok=True)


def _damaged(path: Path) -> IronlakeError:
    hint = "restore it from a backup, or remove the lake and ingest its files again"
    return IronlakeError(f"the ledger file {path} is damaged", "valid JSON", hint)


def _name(number: int) -> str:
    return f"{number:010d}.json"


def _numbers(folder: Path) -> set[int]:
    try:
        return {int(p.stem) for p in folder.iterdir() if p.suffix == ".json" and p.stem.isdecimal()}
    except FileNotFoundError:
        return set()


def _encode(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape") + b"\n"
