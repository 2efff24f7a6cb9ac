"""The ledger of a lake: the sources and parts in it. A file that the ledger does not name does not count.

`_ledger/steps/0000000007.json` is one commit, created atomically and never changed; it has the digest of the step before.
`_ledger/head.json` has the number and digest of the newest step, so that a lost end is noticed, and names the newest checkpoint: the
state after a step, so that readers need not read thousands of steps. docs/lake.md has all fields.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from ..errors import IronlakeError, UsageError
from .durable import IN_USE, locked, translate_os_errors, write_file, write_new
from .folder import LakeFolder
from .leftovers import TEMPORARY
from .old_ledger import read_old
from .sealed import MOST_BYTES, DamagedLedger, damaged, read_bounded, seal, unseal
from .state import Part, SourceEntry, State, Status, is_part_name, part_tables, record_of, source_id_of

__all__ = ["Ledger", "Part", "SourceEntry", "State", "Status", "source_id_of"]

_FOLDER, _STEPS, _CHECKPOINTS, _FOLDED = "_ledger", "_ledger/steps", "_ledger/checkpoints", "_ledger/folded"
_HEAD, _COMMIT = "_ledger/head.json", "_ledger/commit.lock"
# A checkpoint comes after this many steps, and later in a large state, so that the cost stays linear.
_STEPS_PER_CHECKPOINT = 64
_SOURCES_PER_STEP = 256
# Millions of sources.
_MOST_CHECKPOINT_BYTES = 1 << 30

_T = TypeVar("_T")


class Ledger:
    """The ledger in `root`; nothing is read before it is asked for."""

    def __init__(self, root: Path, wait_s: float | None = None):
        self.root, self.wait_s = root, wait_s
        self.files = LakeFolder(root)
        self._state = State()
        self._checkpoint: dict[str, Any] | None = None

    def exists(self) -> bool:
        """Whether there is a ledger, or should be one beside parts."""
        with translate_os_errors(self.root, "read"), suppress(NotADirectoryError):
            return self.files.has_folder(_FOLDER) or next(part_files(self.files), None) is not None
        return False

    def create(self) -> None:
        """Make the ledger where it is not there, and upgrade an older one; several processes may do so at once."""
        if self.files.exists(_HEAD):
            return
        if self.exists():
            self.state()  # of a damaged lake nothing is changed
        self.root.mkdir(parents=True, exist_ok=True)
        self._make_folders()
        with self.writing() as state:
            if self.files.exists(_HEAD):
                return
            if state.step:
                self.adopt(state, state.step)
            else:
                self._write_head()

    def _make_folders(self) -> None:
        for folder in (_FOLDER, TEMPORARY, _STEPS, _CHECKPOINTS):
            self.files.make_folder(folder)
        os.close(self.files.open(IN_USE, os.O_CREAT | os.O_RDWR))

    # --- Reading ------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """The newest state. It is the ledger's own: read it, do not change it. Raises DamagedLedger, or IronlakeError for a ledger
        that cannot be read or was written by a newer Ironlake."""
        with translate_os_errors(self.root, "read the ledger of"):
            return self._state_of(self._read_head)

    def _state_of(self, read_head: Callable[[], dict[str, Any] | None]) -> State:
        before: object = ()
        while True:
            head = read_head()
            try:
                follow = self._without_head if head is None else partial(self._follow, head)
                return _checked(self.root / _HEAD, follow)
            except BaseException as error:
                self._state = State()
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
        """The state of an older lake, or of one that is being made."""
        steps, folded = self._numbers(_STEPS), self._numbers(_FOLDED)
        if folded or 1 in steps:
            return read_old(self.files, steps, folded)
        if steps or self._numbers(_CHECKPOINTS) or next(part_files(self.files), None):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.root / _HEAD))
        return State()

    def _follow(self, head: dict[str, Any]) -> State:
        """The state after the newest step, from the known state or the checkpoint that the head names."""
        self._checkpoint = head["checkpoint"]
        if self._checkpoint and self._state.step < self._checkpoint["step"]:
            self._state = self._read_checkpoint(self._checkpoint)
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

    def _apply(self, state: State, step: dict[str, Any]) -> None:
        path = self._step_path(state.step + 1)
        if step.get("step") != state.step + 1 or step.get("previous") != state.digest:
            raise damaged(path, "does not follow the step before")
        _checked(path, partial(state.apply, step))

    def _read_checkpoint(self, named: dict[str, Any]) -> State:
        from .checkpoints import decode_parts, decode_sources

        found = {}
        for kind, decode in (("parts", decode_parts), ("sources", decode_sources)):
            path = _checkpoint_path(named["step"], kind)
            content = read_bounded(self.files, path, _MOST_CHECKPOINT_BYTES)
            if sha256(content).hexdigest() != named[kind]:
                raise damaged(self.root / path, "does not have its digest")
            found[kind] = _checked(self.root / path, partial(decode, content))
        return State(named["step"], found["sources"], found["parts"], named["step_digest"])

    def _unseal(self, path: str) -> dict[str, Any]:
        return unseal(self.root / path, read_bounded(self.files, path))

    def _numbers(self, folder: str) -> list[int]:
        names = (name.partition(".") for name in self.files.names(folder))
        return sorted({int(stem) for stem, _, _ in names if len(stem) == 10 and stem.isdecimal()})

    def _step_path(self, number: int) -> Path:
        return self.root / _STEPS / _name(number)

    def salvage(self) -> State:
        """The newest state that can be read whole, whatever of the ledger is damaged; an empty one if there is none."""
        number = max(self._numbers(_STEPS), default=0)
        while number:
            ledger = Ledger(self.root)
            try:
                # Every step names the checkpoint that was the newest before it.
                step = ledger._unseal(f"{_STEPS}/{_name(number)}")
                head = step | {"step_digest": step["digest"]}
                return ledger._state_of(lambda head=head: head)
            except (DamagedLedger, FileNotFoundError):
                number -= 1
        return State()

    def newest_known(self) -> int:
        """The number of the newest step that any file tells of."""
        known = self._numbers(_STEPS)
        with suppress(DamagedLedger):
            known.append(int((self._read_head() or {"step": 0})["step"]))
        return max(known, default=0)

    # --- Writing ------------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The newest state, with the commit lock held. Raises IronlakeError if another process has it for too long."""
        with locked(self.files, _COMMIT, wait_s=self.wait_s):
            yield self.state()

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """The commit lock, whatever the ledger says."""
        self._make_folders()
        with locked(self.files, _COMMIT, wait_s=self.wait_s):
            yield

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
            "step": number,
            "previous": self._state.digest,
            "at": now,
            "checkpoint": self._checkpoint,
            "drop_parts": list(drop_parts),
            "add_parts": [record_of(p) for p in add_parts],
            "add_sources": [record_of(e) | {"source_id": e.source_id, "committed_at": now} for e in add_sources],
        }
        content = seal(step)
        if len(content) > MOST_BYTES:
            raise IronlakeError(f"a step of the ledger would have {len(content):,} bytes", f"at most {MOST_BYTES:,}")
        write_new(self.files, f"{_STEPS}/{_name(number)}", content)
        self._apply(self._state, unseal(self._step_path(number), content))
        self._write_head()
        since = number - (self._checkpoint["step"] if self._checkpoint else 0)
        if since >= _STEPS_PER_CHECKPOINT + len(self._state.sources) // _SOURCES_PER_STEP:
            self.checkpoint()

    def _write_head(self) -> None:
        head = {"step": self._state.step, "step_digest": self._state.digest, "checkpoint": self._checkpoint}
        write_file(self.files, _HEAD, seal(head))

    def checkpoint(self) -> None:
        """Write the current state to a checkpoint; only within `writing`."""
        from .checkpoints import encode_parts, encode_sources

        state = self._state
        named: dict[str, Any] = {"step": state.step}
        for kind, content in (
            ("parts", encode_parts(state.parts.values())),
            ("sources", encode_sources(state.sources.values())),
        ):
            write_file(self.files, _checkpoint_path(state.step, kind), content)
            named[kind] = sha256(content).hexdigest()
        # A state that no step of this format made: an older ledger, or a rebuilt one.
        state.digest = state.digest or sha256(seal(named)).hexdigest()
        self._checkpoint = named | {"step_digest": state.digest}
        self._write_head()

    def adopt(self, state: State, step: int | None = None) -> None:
        """Begin anew with a state that has no step of this format (an older ledger, or a rebuilt one), after all steps that there
        are; only with the commit lock held."""
        there = (*self._numbers(_STEPS), *self._numbers(_CHECKPOINTS), *self._numbers(_FOLDED))
        number = max((state.step, *there)) + 1 if step is None else step
        self._state = State(number, state.sources, state.parts)
        self.checkpoint()

    def remove_unneeded(self) -> None:
        """Remove the steps and checkpoints before the checkpoint that the newest step names; only within `writing`. The newest
        step stays: with it the ledger can be read without its head."""
        newest = self._step_path(self._state.step)
        content = read_bounded(self.files, path) if self.files.exists(path := f"{_STEPS}/{newest.name}") else b""
        # None after an upgrade, or a rebuilding.
        is_of_this_state = bool(content) and self._state.digest.encode() in content
        if not is_of_this_state or not (named := unseal(newest, content)["checkpoint"]):
            return
        for folder, last, kinds in (
            (_STEPS, named["step"], ("json",)),
            (_CHECKPOINTS, named["step"] - 1, ("parts.parquet", "sources.parquet")),
            (_FOLDED, named["step"], ("json",)),
        ):
            for number in self._numbers(folder):
                if number <= last:
                    for kind in kinds:
                        self.files.remove(f"{folder}/{number:010d}.{kind}")


def existing_ledger(root: Path) -> Ledger:
    """The ledger of a lake that is to be read. Raises UsageError where there is no lake."""
    ledger = Ledger(root)
    if not ledger.exists():
        hint = "ironlake ingest FILE… makes a lake; --lake or IRONLAKE_LAKE says where it is"
        raise UsageError(f"no lake in {root}", "a folder that ironlake ingest made", hint)
    return ledger


def _checked(path: Path, work: Callable[[], _T]) -> _T:
    """Do work on what a file of the ledger says."""
    try:
        return work()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(
            path, str(error) if isinstance(error, ValueError) else f"is not as expected: {error!r}"
        ) from error


def _name(number: int) -> str:
    return f"{number:010d}.json"


def _checkpoint_path(number: int, kind: str) -> str:
    return f"{_CHECKPOINTS}/{number:010d}.{kind}.parquet"


def part_files(files: LakeFolder) -> Iterator[str]:
    """Paths of all files that may be parts, named by the ledger or not."""
    there = [name for name in files.names() if not name.startswith("_")]
    for table in sorted(part_tables().intersection(there)) if there else ():
        for name in files.names(table):
            if is_part_name(name):
                yield f"{table}/{name}"
