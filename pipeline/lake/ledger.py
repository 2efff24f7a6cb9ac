"""The ledger of a lake: the sources and parts in it. A file that the ledger does not name does not count.

`_ledger/steps/0000000007.json` is one commit, created atomically and never changed; it has the digest of the step before.
`_ledger/head.json` has the number and digest of the newest step, so that a lost end is noticed, and names the newest checkpoint: the
state after a step, so that readers need not read thousands of steps. docs/lake.md has all fields.
"""

from __future__ import annotations

import errno
import os
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any, TypeVar, cast

from ..declaration.reading_options import SCHEMA_VERSION
from ..errors import IronlakeError, UsageError
from ..storage.os_errors import translate_os_errors
from ..storage.storage import storage_at
from .history import Event, came, events_of, from_sources, records
from .kept_rows import Kept
from .part_files import has_files, mark_step, mark_unnamed, unmark
from .sealed import MOST_BYTES, DamagedLedger, checked, damaged, read_bounded, seal, unseal
from .state import Part, SourceEntry, State, Status, entry_of, record_of, source_id_of

__all__ = ["Ledger", "Part", "SourceEntry", "State", "Status", "source_id_of"]

_FOLDER, _STEPS, _CHECKPOINTS = "_ledger", "_ledger/steps", "_ledger/checkpoints"
_HEAD, _COMMIT = "_ledger/head.json", "_ledger/commit.lock"
# A checkpoint comes after this many steps, or when they have this many sources and parts, which a reader parses.
_STEPS_PER_CHECKPOINT = 64
_RECORDS_PER_CHECKPOINT = 4096
# Millions of sources.
_MOST_CHECKPOINT_BYTES = 1 << 30

_FIRST_PAUSE_S, _MOST_PAUSE_S = 0.05, 1.0

_LOST = "what happened before is known from the sources alone: the file of the history was damaged"
_REBUILT = "the ledger was damaged: it was rebuilt from its newest whole step and the parts"

_CHECKPOINT_FILE = re.compile(r"\d{10}\.(parts|sources|history)\.parquet")

_T = TypeVar("_T")


class Ledger:
    """The ledger in `root`; nothing is read before it is asked for."""

    def __init__(self, root: Path, wait_s: float | None = None):
        self.files = storage_at(root)
        self.root, self.wait_s = self.files.root, wait_s
        self._state = State()
        self._checkpoint: dict[str, Any] | None = None
        # The newest step, where it was read and what it dropped may not be marked yet.
        self._unmarked: dict[str, Any] | None = None
        # The steps after the checkpoint.
        self._since: list[dict[str, Any]] = []
        # What was once found true of object storage, where each look is a request: that there is a ledger, and its head; and up to which step
        # all that steps dropped is marked.
        self._is_there = self._has_head = False
        self._marked = 0

    def exists(self) -> bool:
        """Whether there is a ledger, or should be one beside parts."""
        with translate_os_errors(self.root, "read"), suppress(NotADirectoryError):
            found = self._is_there or self.files.has_folder(_FOLDER) or has_files(self.files)
            self._is_there = found and not self.files.is_local
            return found
        return False

    def create(self) -> None:
        """Make the ledger where it is not there; several processes may do so at once."""
        if self._has_head or self.files.exists(_HEAD):
            self._has_head = not self.files.is_local
            return
        if self.exists():
            self.state()  # of a damaged lake nothing is changed
        self.files.make_lake((_STEPS, _CHECKPOINTS))
        with self.writing():
            if not self.files.exists(_HEAD):
                self._write_head()

    # --- Reading ------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """The newest state. It is the ledger's own: read it, do not change it. Raises DamagedLedger, or IronlakeError for a ledger
        that cannot be read or was written by a newer Ironlake."""
        with translate_os_errors(self.root, "read the ledger of"):
            return self._state_of(self._read_head)

    @property
    def known(self) -> State:
        """The state that was read last, without a look at newer steps."""
        return self._state

    def _state_of(self, read_head: Callable[[], dict[str, Any] | None]) -> State:
        before: object = ()
        while True:
            head = read_head()
            try:
                follow = self._without_head if head is None else partial(self._follow, head)
                return checked(self.root / _HEAD, follow)
            except BaseException as error:
                self._state, self._checkpoint, self._unmarked, self._since = State(), None, None, []
                # Files that were replaced by a checkpoint meanwhile are gone: begin again with the newer head.
                if isinstance(error, FileNotFoundError) and head == before:
                    raise damaged(error.filename, "is missing") from error
                if not isinstance(error, FileNotFoundError):
                    raise
            before = head

    def _read_head(self) -> dict[str, Any] | None:
        try:
            head = self._unseal(_HEAD)
        except FileNotFoundError:
            return None
        if type(head.get("step")) is not int:
            raise damaged(self.root / _HEAD, f"has {head.get('step')!r} as step")
        return head

    def _without_head(self) -> State:
        """The state of a lake that is being made."""
        if self._numbers(_STEPS) or self._numbers(_CHECKPOINTS) or has_files(self.files):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.root / _HEAD))
        return State()

    def _follow(self, head: dict[str, Any]) -> State:
        """The state after the newest step, from the known state or the checkpoint that the head names."""
        if _step_of(head["checkpoint"]) >= _step_of(self._checkpoint):
            # Else the head of another process came between a checkpoint of this one and the head that names it.
            self._checkpoint = head["checkpoint"]
        if self._checkpoint and self._state.step < self._checkpoint["step"]:
            self._state, self._unmarked = self._read_checkpoint(self._checkpoint), None
        if self._checkpoint:
            self._since = [each for each in self._since if each["step"] > self._checkpoint["step"]]
        state = self._state
        while True:
            if state.step == head["step"] and state.digest != head["step_digest"]:
                raise damaged(self._step_path(state.step), "is not the step that head.json names")
            try:
                step = self._unseal(f"{_STEPS}/{_name(state.step + 1)}")
            except FileNotFoundError:
                if state.step < head["step"]:
                    raise
                return state
            self._apply(state, step)
            self._since.append(step)
            self._unmarked = step

    def _apply(self, state: State, step: dict[str, Any]) -> None:
        path = self._step_path(state.step + 1)
        if step.get("step") != state.step + 1 or step.get("previous") != state.digest:
            raise damaged(path, "does not follow the step before")
        checked(path, partial(state.apply, step))

    def _read_checkpoint(self, named: dict[str, Any]) -> State:
        from .checkpoint_rows import CheckpointRows

        sources = Kept(rows=CheckpointRows(*self._content(named, "sources"), key="sha256"))
        parts = Kept(rows=CheckpointRows(*self._content(named, "parts"), key="path"))
        return State(named["step"], sources, parts, named["step_digest"])

    def _content(self, named: dict[str, Any], kind: str) -> tuple[Path, bytes]:
        """One of the files of a checkpoint."""
        path = _checkpoint_path(named["step"], kind)
        content = read_bounded(self.files, path, _MOST_CHECKPOINT_BYTES)
        if sha256(content).hexdigest() != named[kind]:
            raise damaged(self.root / path, "does not have its digest")
        return self.root / path, content

    def history(self) -> list[Event]:
        """What the steps did, in their order. Raises as `state`; hold the lake in use, so that no step is removed meanwhile."""
        state = self.state()
        with translate_os_errors(self.root, "read the ledger of"):
            return self._history_of(state)

    def _history_of(self, state: State) -> list[Event]:
        if not state.digest:
            return from_sources(state.sources.values())
        return self._history_before() + self._events_since()

    def _events_since(self) -> list[Event]:
        return [event for each in self._since for event in self._events_in(each)]

    def _events_in(self, step: dict[str, Any]) -> list[Event]:
        return checked(self._step_path(step["step"]), partial(events_of, step))

    def _history_before(self) -> list[Event]:
        """What happened up to the checkpoint."""
        from .checkpoints import decode_events

        if self._checkpoint is None:
            return []
        path, content = self._history_file(self._checkpoint)
        return checked(path, partial(decode_events, content))

    def _history_file(self, named: dict[str, Any]) -> tuple[Path, bytes]:
        try:
            return self._content(named, "history")
        except FileNotFoundError as error:
            raise damaged(error.filename, "is missing") from None

    def is_history_damaged(self) -> bool:
        """Whether the history of the known state cannot be read."""
        try:
            self._history_of(self._state)
        except DamagedLedger:
            return True
        return False

    def _known_history(self) -> list[Event]:
        """The history, or what can be known of it: damage must not stop a checkpoint, which follows a commit that is done."""
        try:
            return self._history_of(self._state)
        except DamagedLedger:
            return [
                *from_sources(self._state.sources.values()),
                Event("lost", what=_LOST, step=self._state.step, at=_now()),
            ]

    def _unseal(self, path: str) -> dict[str, Any]:
        return unseal(self.root / path, read_bounded(self.files, path))

    def _numbers(self, folder: str) -> list[int]:
        names = (name.partition(".") for name in self.files.names(folder))
        return sorted({int(stem) for stem, _, _ in names if len(stem) == 10 and stem.isdecimal()})

    def _step_path(self, number: int) -> Path:
        return self.root / _STEPS / _name(number)

    def newest_change(self, state: State) -> tuple[int, State, list[SourceEntry], list[Event]] | None:
        """The newest step that changed sources: its number, the state before it, its sources and what it did. None if it is not known any
        more; only within `writing`."""
        for number in range(state.step, 0, -1):
            try:
                step = self._unseal(f"{_STEPS}/{_name(number)}")
                if step["add_sources"]:
                    before = self._state_before(step)
                    sources = [entry_of(record) for record in step["add_sources"]]
                    return number, before, sources, self._events_in(step)
            except FileNotFoundError:
                return None
        return None

    def _state_before(self, step: dict[str, Any]) -> State:
        named = step["checkpoint"]
        state = self._read_checkpoint(named) if named else State()
        while state.step < step["step"] - 1:
            self._apply(state, self._unseal(f"{_STEPS}/{_name(state.step + 1)}"))
        return state

    def salvage(self) -> tuple[State, list[Event]]:
        """The newest state that can be read whole, whatever of the ledger is damaged, and its history; an empty one if there is none."""
        number = max(self._numbers(_STEPS), default=0)
        while number:
            ledger = Ledger(self.root)
            try:
                # Every step names the checkpoint that was the newest before it.
                step = ledger._unseal(f"{_STEPS}/{_name(number)}")
                head = step | {"step_digest": step["digest"]}
                state = ledger._state_of(lambda head=head: head)
                return state, ledger._known_history()
            except (DamagedLedger, FileNotFoundError):
                number -= 1
        return State(), []

    def newest_known(self) -> int:
        """The number of the newest step that any file tells of."""
        known = self._numbers(_STEPS)
        with suppress(DamagedLedger):
            known.append(int((self._read_head() or {"step": 0})["step"]))
        return max(known, default=0)

    # --- Writing ------------------------------------------------------------------------------------------------------

    def change(self, work: Callable[[State], _T]) -> _T:
        """Do work that may write a step, on the newest state and with the commit lock held. Where there are no locks another process may
        write that step first: the work then starts again, on the state after that step."""
        tries = 0
        while True:
            try:
                with self.writing() as state:
                    return work(state)
            except _StepTaken:
                tries += 1
                # So that writers that began together do not meet each time.
                time.sleep(random.uniform(0, min(_MOST_PAUSE_S, _FIRST_PAUSE_S * tries)))

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The newest state, with the commit lock held. Raises IronlakeError if another process has it for too long."""
        with self.files.locked(_COMMIT, self.wait_s):
            state = self.state()
            self._mark_dropped()
            yield state

    def _mark_dropped(self) -> None:
        """Mark the parts that the newest step dropped: its writer may have been killed before. Those of older steps are marked, because
        each was followed by this."""
        state = self._state
        if self._unmarked:
            mark_step(self.files, state, self._unmarked)
        elif state.step > self._marked and not self.files.exists(f"{_STEPS}/{_name(state.step)}"):
            # A ledger that was rebuilt: there is no step.
            mark_unnamed(self.files, state.parts.keys())
        self._unmarked, self._marked = None, 0 if self.files.is_local else state.step

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """The commit lock, whatever the ledger says."""
        self.files.make_lake((_STEPS, _CHECKPOINTS))
        with self.files.locked(_COMMIT, self.wait_s):
            yield

    def publish(
        self,
        add_sources: Iterable[SourceEntry] = (),
        add_parts: Iterable[Part] = (),
        drop_parts: Iterable[str] = (),
        events: Sequence[Event] | None = None,
    ) -> int:
        """Write the next step and return its number; only within `change`. An added source replaces one with the same content. `events`: what the step does,
        unless it is just that its sources come."""
        add_sources = list(add_sources)
        now = _now()
        number = self._state.step + 1
        step = {
            "step": number,
            "previous": self._state.digest,
            "at": now,
            "checkpoint": self._checkpoint,
            "drop_parts": list(drop_parts),
            "add_parts": [record_of(p) for p in add_parts],
            # A source that only loses rows, or gets them back, was ingested when it was.
            "add_sources": [
                record_of(e) | {"source_id": e.source_id, "committed_at": e.committed_at or now} for e in add_sources
            ],
            "events": records(map(came, add_sources) if events is None else events),
        }
        content = seal(step)
        if len(content) > MOST_BYTES:
            raise IronlakeError(f"a step of the ledger would have {len(content):,} bytes", f"at most {MOST_BYTES:,}")
        unmark(self.files, [part["path"] for part in step["add_parts"]])
        try:
            self.files.put_new(f"{_STEPS}/{_name(number)}", content)
        except FileExistsError:
            if self.files.is_local:
                raise
            raise _StepTaken from None
        step = unseal(self._step_path(number), content)
        self._apply(self._state, step)
        self._since.append(step)
        self._unmarked = step
        count = sum(len(each["add_sources"]) + len(each["add_parts"]) for each in self._since)
        with self.after(number):
            self._write_head()
            self._mark_dropped()
            if len(self._since) >= _STEPS_PER_CHECKPOINT or count >= _RECORDS_PER_CHECKPOINT:
                self.checkpoint()
        return number

    @contextmanager
    def after(self, number: int) -> Iterator[None]:
        """What follows a step, if it is one: an error says that the step is committed."""
        try:
            with translate_os_errors(self.root):
                yield
        except IronlakeError as error:
            if not number:
                raise
            what = f"step {number} of the ledger is committed, but not all is done that follows it: {error.what}"
            raise IronlakeError(what, error.expected, "the next command that writes to the lake does it") from error

    def _write_head(self) -> None:
        head = {
            "schema": SCHEMA_VERSION,
            "step": self._state.step,
            "step_digest": self._state.digest,
            "checkpoint": self._checkpoint,
        }
        self.files.put_later(_HEAD, seal(head), self._is_later)

    def _is_later(self, head: bytes) -> bool:
        """Whether a head is of a later step than the known state."""
        return unseal(self.root / _HEAD, head)["step"] > self._state.step

    def checkpoint(self, events: Iterable[Event] | None = None) -> None:
        """Write the known state; only within `writing`. `events`: all of its history, if not that of the checkpoint before and of the steps
        since."""
        from .checkpoints import encode_events, encode_parts, encode_sources

        state = self._state
        contents = {
            "parts": encode_parts(cast(Kept[Part], state.parts)),
            "sources": encode_sources(cast(Kept[SourceEntry], state.sources)),
            "history": self._encoded_history() if events is None else encode_events(None, events),
        }
        named: dict[str, Any] = {"step": state.step}
        for kind, content in contents.items():
            if not self.files.put_agreed(_checkpoint_path(state.step, kind), content):
                # Another process makes this checkpoint; what it does not finish, a later one does.
                return
            named[kind] = sha256(content).hexdigest()
        # A rebuilt ledger has a state that no step made.
        state.digest = state.digest or sha256(seal(named)).hexdigest()
        self._checkpoint = named | {"step_digest": state.digest}
        self._since = []
        self._write_head()

    def _encoded_history(self) -> bytes:
        from .checkpoints import encode_events

        try:
            before = self._history_file(self._checkpoint) if self._checkpoint else (self.root, None)
            return checked(before[0], lambda: encode_events(before[1], self._events_since()))
        except DamagedLedger:
            return encode_events(None, self._known_history())

    def adopt(self, state: State, step: int | None = None, events: Iterable[Event] = ()) -> None:
        """Start again from a state that no step made, after all existing steps; only with the commit lock held. `events`: what came
        before."""
        number = max((state.step, *self._numbers(_STEPS), *self._numbers(_CHECKPOINTS))) + 1 if step is None else step
        self._state, self._since = State(number, state.sources, state.parts), []
        self.checkpoint([*events, Event("rebuilt", what=_REBUILT, step=number, at=_now())])

    def remove_unneeded(self, newest_to_go: float = inf) -> None:
        """Remove the steps and checkpoints before the checkpoint that the newest step names, if they are as old as that; only within
        `writing`. The newest step stays: with it the ledger can be read without its head."""
        newest = self._step_path(self._state.step)
        content = b""
        # None after a rebuilding.
        with suppress(FileNotFoundError):
            content = read_bounded(self.files, f"{_STEPS}/{newest.name}")
        is_of_this_state = bool(content) and self._state.digest.encode() in content
        if not is_of_this_state or not (named := unseal(newest, content)["checkpoint"]):
            return
        of_head = (self._read_head() or {"checkpoint": None})["checkpoint"]
        if _step_of(of_head) < named["step"]:
            # Whoever begins with the head needs the steps after its checkpoint.
            return
        for number in self._numbers(_STEPS):
            if number <= named["step"] and self._may_go(path := f"{_STEPS}/{_name(number)}", newest_to_go):
                self.files.remove(path)
        needed = {_step_of(each) for each in (named, self._checkpoint, of_head)}
        for name in self.files.names(_CHECKPOINTS):
            is_unneeded = _CHECKPOINT_FILE.fullmatch(name) and int(name[:10]) not in needed
            if is_unneeded and self._may_go(path := f"{_CHECKPOINTS}/{name}", newest_to_go):
                self.files.remove(path)

    def _may_go(self, path: str, newest_to_go: float) -> bool:
        return newest_to_go == inf or self.files.modified(path) <= newest_to_go


class _StepTaken(Exception):
    """Another process wrote the step."""


def _step_of(checkpoint: dict[str, Any] | None) -> int:
    return checkpoint["step"] if checkpoint else 0


def _now() -> str:
    return datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")


def _name(number: int) -> str:
    return f"{number:010d}.json"


def _checkpoint_path(number: int, kind: str) -> str:
    return f"{_CHECKPOINTS}/{number:010d}.{kind}.parquet"


def require_lake(path: Path) -> Ledger:
    """The ledger of a lake. Raises UsageError where there is no lake."""
    ledger = Ledger(path)
    if not ledger.exists():
        hint = "ironlake ingest FILE… makes a lake; --lake or IRONLAKE_LAKE says where it is"
        raise UsageError(f"no lake in {path}", "a folder that ironlake ingest made", hint)
    return ledger
