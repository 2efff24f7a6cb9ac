"""A lake on a disk that fails, and what it must answer: after every step its rows are those before or after the step, or it says that
it is damaged. tests/lake/test_faulty_disk.py and soak.py walk through it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Literal
from unittest.mock import patch

import pyarrow as pa
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger, SourceEntry
from ironlake.pipeline.lake.origin import Receipt
from ironlake.pipeline.lake.parts import PartStore
from ironlake.pipeline.lake.removal import Selection
from ironlake.pipeline.lake.sealed import DamagedLedger
from ironlake.pipeline.storage.folder import LakeFolder
from lake_rows import ACTIVITY, DMY, MDY, entry

# --- A disk that fails: it takes the place of the calls by which a LakeFolder changes files. What was not synced may be lost when the power
# fails, in any combination, and a file may then be torn. A disk that lies drops, tears or flips one call, and says that all went well.

Kind = Literal["none", "kill", "power", "drop", "tear", "flip"]
KINDS: tuple[Kind, ...] = ("none", "kill", "power", "drop", "tear", "flip")


class Crash(BaseException):
    """The process has died."""


@dataclass
class FaultyDisk:
    """Fails at its `at`-th call from `arm` on, in the way of `kind`."""

    root: Path
    backup: Path
    random: Random
    kind: Kind = "none"
    at: int = 0
    calls: int = 0
    dead: bool = False
    # Names not yet durable, by folder: the file that has the name on the disk, kept in `backup`; None for no file.
    names: dict[str, dict[str, Path | None]] = field(default_factory=dict)
    # Contents not yet durable, by inode: what the disk has of them.
    contents: dict[int, bytes] = field(default_factory=dict)

    def arm(self, kind: Kind, at: int) -> None:
        self.kind, self.at, self.calls, self.dead = kind, at, 0, False

    def _fails(self, *kinds: Kind) -> bool:
        """Count a call; whether it fails in one of these ways."""
        if self.dead:
            raise Crash
        self.calls += 1
        if self.calls != self.at or self.kind == "none":
            return False
        if self.kind in ("kill", "power"):
            self.dead = True
            raise Crash
        return self.kind in kinds

    # --- The calls of a LakeFolder ------------------------------------------------------------------------------------

    def write(self, _: LakeFolder, descriptor: int, content: bytes) -> None:
        self.contents.setdefault(os.fstat(descriptor).st_ino, b"")
        if self._fails("drop", "tear", "flip"):
            if self.kind == "drop":
                return
            at = self.random.randrange(len(content))
            if self.kind == "tear":
                content = content[:at]
            else:
                content = content[:at] + bytes([content[at] ^ 1 << self.random.randrange(8)]) + content[at + 1 :]
        while content:
            content = content[os.write(descriptor, content) :]

    def sync(self, _: LakeFolder, descriptor: int) -> None:
        if not self._fails("drop"):
            self.contents.pop(os.fstat(descriptor).st_ino, None)

    def sync_folder(self, _: LakeFolder, folder: str) -> None:
        if not self._fails("drop"):
            self.names.pop(folder, None)

    def create(self, _: LakeFolder, path: str) -> None:
        if not self._fails("drop"):
            self._remember(path)
            (self.root / path).touch()

    def link(self, _: LakeFolder, path: str, target: str) -> None:
        if (self.root / target).exists():
            raise FileExistsError(17, "File exists", str(self.root / target))
        if not self._fails("drop"):
            self._remember(target)
            os.link(self.root / path, self.root / target)

    def rename(self, _: LakeFolder, path: str, target: str) -> None:
        if not self._fails("drop"):
            self._remember(target)
            os.replace(self.root / path, self.root / target)

    def remove(self, _: LakeFolder, path: str) -> None:
        # Clean-up after the process has died does not happen.
        if self.dead or (not path.startswith("_tmp/") and self._fails("drop")):
            return
        self._remember(path)
        (self.root / path).unlink(missing_ok=True)

    def _remember(self, path: str) -> None:
        folder, name = os.path.split(path)
        if folder == "_tmp" or name in self.names.setdefault(folder, {}):
            return
        there: Path | None = None
        with suppress(FileNotFoundError):
            kept = self.backup / str(self.random.getrandbits(64))
            os.link(self.root / path, kept)
            there = kept
        self.names[folder][name] = there

    @contextmanager
    def mounted(self) -> Iterator[FaultyDisk]:
        names = ("write", "sync", "sync_folder", "create", "link", "rename", "remove")
        patches = [patch.object(LakeFolder, name, _method(self, name)) for name in names]
        for each in patches:
            each.start()
        try:
            yield self
        finally:
            for each in patches:
                each.stop()

    def after_a_crash(self) -> None:
        """What the disk has when the machine runs again. A killed process loses nothing that it gave to the system."""
        if self.kind == "power":
            for folder, names in self.names.items():
                for name, there in names.items():
                    path = self.root / folder / name
                    if self.random.random() < 0.5:
                        path.unlink(missing_ok=True)
                        if there:
                            os.link(there, path)
            for path in [p for p in self.root.rglob("*") if p.is_file()]:
                self._tear(path)
            self.names.clear()
            self.contents.clear()
        self.dead = False

    def _tear(self, path: Path) -> None:
        if (kept := self.contents.get(path.stat().st_ino)) is None:
            return
        content = path.read_bytes()
        cut = self.random.randrange(len(content) + 1)
        path.write_bytes(self.random.choice([content, kept, content[:cut], content[:cut] + bytes(len(content) - cut)]))


def _method(disk: FaultyDisk, name: str):
    return lambda folder, *arguments: getattr(disk, name)(folder, *arguments)


# --- The lake on it ----------------------------------------------------------------------------------------------------

TABLES = ("unread_section", ACTIVITY)
CONTENTS = "abcdefgh"
# What the lake holds: by content the options that it was read with, and whether its old rows were removed.
Model = dict[str, str]
CUT = " without old rows"
# All rows of it gave way to newer prints.
GIVEN = " replaced"
_LINES = {MDY: 4, DMY: 3}
# The first lines of a source are of an old interval, on a page of its own.
_OLD_LINES, _OLD, _NEW = 2, datetime(2026, 1, 1), datetime(2026, 1, 2)
_SHORT = {MDY: "mdy", DMY: "dmy", MDY + CUT: "mdy cut", DMY + CUT: "dmy cut", MDY + GIVEN: "mdy given"}


class SimulatedLake:
    """A lake, the disk below it, and the model that it must agree with."""

    def __init__(self, seed: int):
        self.folder = Path(tempfile.mkdtemp(prefix="simulated-"))
        (self.folder / "backup").mkdir()
        self.path = self.folder / "lake"
        self.disk = FaultyDisk(self.path, self.folder / "backup", Random(seed))
        self.model: Model = {}
        self.previous: Model | None = None
        self.counts: Counter[str] = Counter()
        # By content the options of readings whose commit was interrupted: a repair may add them.
        self.interrupted: dict[str, set[str]] = {c: set() for c in CONTENTS}
        # What a step dropped that was interrupted after it: its marks may not be there before the next step.
        self.unmarked: Model = {}

    def close(self) -> None:
        shutil.rmtree(self.folder)

    # --- Steps --------------------------------------------------------------------------------------------------------

    def ingest(self, contents: Sequence[str], options: str, kind: Kind, at: int) -> None:
        """Read contents that are not there; those that are there with other options are replaced."""
        after = self.model | dict.fromkeys(contents, options)

        def work(lake: Lake) -> None:
            entries = [e for c in contents if not lake.find((e := _entry(c, options)).sha256, options)]
            if entries:
                receipts = [Receipt(e, 0, last=True) for e in entries]
                lake.commit(entries, lake.write_batch({t: _rows(entries, t) for t in TABLES}, receipts))

        self._step("ingest", work, after, kind, at)
        for content in contents:
            if self.model.get(content) != options:
                self.interrupted[content].add(options)

    def withdraw(self, contents: Sequence[str], kind: Kind, at: int) -> None:
        """Remove contents on request."""
        ids = frozenset(_entry(c, self.model[c]).source_id for c in contents if c in self.model)
        after = {c: o for c, o in self.model.items() if c not in contents}
        if ids:
            self._step("withdraw", lambda lake: lake.remove(Selection(ids)), after, kind, at)

    def cut(self, kind: Kind, at: int) -> None:
        """Remove the rows of old intervals."""
        if self.model:
            after = {c: o.removesuffix(CUT) + CUT for c, o in self.model.items()}
            self._step("cut", lambda lake: lake.remove(Selection(before=_NEW)), after, kind, at)

    def replace(self, content: str, kind: Kind, at: int) -> None:
        """Read a content whose prints win: each has the same intervals of the same system."""
        after = {c: o + GIVEN for c, o in self.model.items()} | {content: MDY}

        def work(lake: Lake) -> None:
            e = _entry(content, MDY)
            if not lake.find(e.sha256, MDY):
                parts = lake.write_batch({t: _rows([e], t) for t in TABLES}, [Receipt(e, 0, last=True)])
                lake.commit([e], parts, replace_prints=True)

        self._step("replace", work, after, kind, at)

    def undo(self, kind: Kind, at: int) -> None:
        """Undo the newest change, where it is known and its parts are there."""
        if self.previous is not None:
            self._step("undo", lambda lake: lake.undo(), self.previous, kind, at)

    def compact(self, kind: Kind, at: int) -> None:
        self._step("compact", lambda lake: lake.compact(most_small_parts=1, grace_s=0), self.model, kind, at)

    def checkpoint(self, kind: Kind, at: int) -> None:
        def work(lake: Lake) -> None:
            ledger = Ledger(lake.path)
            if ledger.exists():
                ledger.create()
                with ledger.writing() as state:
                    if state.step:
                        ledger.checkpoint()

        self._step("checkpoint", work, self.model, kind, at)

    def remove(self, number: int, kind: Kind, at: int) -> None:
        """A part is lost, and taken out."""
        parts = sorted(Ledger(self.path).state().parts) if self.path.exists() else []
        if not parts:
            return
        lost = parts[number % len(parts)]
        ids = Ledger(self.path).state().parts[lost].source_ids
        (self.path / lost).unlink()
        after = {c: o for c, o in self.model.items() if _entry(c, o).source_id not in ids}
        self._step("remove", lambda lake: lake.repair(), after, kind, at, before_is_damaged=True)

    def rot(self, number: int, bit: int | None) -> None:
        """A bit of a file of the ledger flips, or the file is lost (no bit)."""
        files = [p for p in sorted((self.path / "_ledger").rglob("*.*")) if p.is_file() and p.suffix != ".lock"]
        if not files:
            return
        path = files[number % len(files)]
        content = bytearray(path.read_bytes())
        if bit is None or not content:
            path.unlink()
        else:
            content[bit // 8 % len(content)] ^= 1 << bit % 8
            path.write_bytes(content)
        self.previous = None
        self._judge("rot", [self.model], self.model)

    def _step(
        self,
        name: str,
        work: Callable[[Lake], object],
        after: Model,
        kind: Kind,
        at: int,
        before_is_damaged: bool = False,
    ) -> None:
        self.disk.arm(kind, at)
        ended = False
        with self.disk.mounted():
            lake = Lake(self.path)
            try:
                work(lake)
                ended = True
            except Crash:
                self.counts["crashes"] += 1
            except IronlakeError:
                self.counts["errors"] += 1
            finally:
                lake._release()
        if self.disk.dead:
            self.disk.after_a_crash()
        # What a disk that fails said was written may not be there.
        sure = (ended and kind == "none") or before_is_damaged
        before, self.previous = self.model, None
        if sure:
            for content in CONTENTS:
                if before.get(content) != after.get(content):
                    self.interrupted[content].clear()
        if sure and (before != after or name == "checkpoint"):
            self.unmarked = {}
        self._judge(f"{name} ({kind} at {at})", [after] if sure else [self.model, after], after)
        if not sure and self.model == after:
            self.unmarked |= {c: o for c, o in before.items() if after.get(c) != o}
        if sure and before != self.model == after and not before_is_damaged:
            self.previous = before

    def _judge(self, what: str, allowed: list[Model], after: Model) -> None:
        found = self.observed()
        self.counts[f"{what.split()[0]}: {'damaged' if found is None else 'whole'}"] += 1
        if found is None:
            self._repair(after)
            return
        short = [{c: _SHORT[o] for c, o in model.items()} for model in (found, *allowed)]
        assert found in allowed, f"{what}: {short[0]} is none of {short[1:]}"
        self.model = found

    def _repair(self, after: Model) -> None:
        """Nothing is removed from a damaged lake; a repaired lake has whole sources only, and says which are lost."""
        before, was = self.model, self._parts()
        with self.disk.mounted():
            self.disk.arm("none", 0)
            try:
                with Lake(self.path) as lake:
                    lake.verify_parts()
                    lake.commit([entry("z", status="empty", lines=0)], [])
                    lake.compact(most_small_parts=1, grace_s=0)
                assert not self._is_ledger_damaged(), "written over a damaged ledger"
            except IronlakeError:
                self.counts["refused"] += 1
                assert was <= self._parts(), "a part was removed from a damaged lake"
            with Lake(self.path) as lake:
                lost = {e.source_file[0] for e in lake.repair()}
        found = self.observed()
        assert found is not None, "damaged after it was repaired"
        for content in CONTENTS:
            versions = [before.get(content), after.get(content)]
            if found.get(content) in versions:
                continue
            if content in found:
                may_be = self.interrupted[content] | {self.unmarked.get(content)}
                assert found[content] in may_be, f"{content} is back, which a step dropped: {_SHORT[found[content]]}"
            else:
                assert content in lost, f"{content} was lost without a word"
        self.model = found

    def _is_ledger_damaged(self) -> bool:
        try:
            return not Ledger(self.path).state()
        except DamagedLedger:
            return True

    def _parts(self) -> set[str]:
        return {p.relative_to(self.path).as_posix() for p in self.path.rglob("*.parquet") if "_ledger" not in p.parts}

    # --- Answers ------------------------------------------------------------------------------------------------------

    def observed(self) -> Model | None:
        """What the lake answers, read whole; None if it says that it is damaged. A source is there with all rows or none."""
        try:
            state = Ledger(self.path).state()
            if find_damage(self.path, state):
                return None
        except IronlakeError:
            return None
        store = PartStore(Ledger(self.path).files)
        found: Counter[tuple[str, str]] = Counter()
        for part in state.parts.values():
            for table in store.read(part):
                found.update((part.table, i) for i in table["source_id"].cast(pa.string()).to_pylist())
        model = {
            e.source_file[0]: e.options_key + ((CUT if e.rows else GIVEN) if e.removed else "")
            for e in state.sources.values()
            if e.status == "ingested"
        }
        expected = Counter({(t, _entry(c, o).source_id): _lines(o) for c, o in model.items() for t in TABLES})
        assert found == +expected, "the rows are not those of the sources"
        return model


def _lines(options: str) -> int:
    """How many rows a table has of a source."""
    if options.endswith(GIVEN):
        return 0
    return _LINES[options.removesuffix(CUT)] - _OLD_LINES * options.endswith(CUT)


def _entry(content: str, options: str) -> SourceEntry:
    options = options.removesuffix(CUT).removesuffix(GIVEN)
    lines = _LINES[options]
    return replace(entry(content, options, lines=lines), rows=dict.fromkeys(TABLES, lines))


def _rows(entries: Sequence[SourceEntry], table: str) -> pa.Table:
    each = [(e, line) for e in entries for line in range(1, e.lines + 1)]
    is_old = [line <= _OLD_LINES for _, line in each]
    of_table: dict[str, list[object]] = {"report": [ACTIVITY] * len(each)}
    if table == ACTIVITY:
        of_table = {
            "interval_start": [_OLD if old else _NEW for old in is_old],
            "interval_end": [_NEW if old else _NEW + timedelta(days=1) for old in is_old],
        }
    return pa.table(
        {
            "source_id": [e.source_id for e, _ in each],
            "source_file": [e.source_file for e, _ in each],
            "page": [1 if old else 2 for old in is_old],
            "line": [line for _, line in each],
            **of_table,
        }
    )


def walk(steps: int, seed: int) -> Counter[str]:
    """So many random steps, on lakes of up to thirty steps each; returns what happened. Raises AssertionError with the seed."""
    random = Random(seed)
    counts: Counter[str] = Counter()
    while counts["steps"] < steps:
        lake_seed = random.getrandbits(32)
        lake, choose = SimulatedLake(lake_seed), Random(lake_seed)
        try:
            for _ in range(min(30, steps - counts["steps"])):
                counts["steps"] += 1
                one_step(lake, choose)
        except AssertionError as error:
            raise AssertionError(f"seed {lake_seed}: {error}") from error
        finally:
            counts.update(lake.counts)
            lake.close()
    return counts


def one_step(lake: SimulatedLake, choose: Random) -> None:
    kind, at = choose.choice(KINDS), choose.randrange(1, 30)
    match choose.randrange(15):
        case 0 | 1:
            lake.compact(kind, at)
        case 2:
            lake.remove(choose.randrange(100), kind, at)
        case 3:
            lake.checkpoint(kind, at)
        case 4:
            lake.rot(choose.randrange(100), choose.choice((None, choose.randrange(1 << 20))))
        case 5 | 6:
            lake.withdraw([*choose.sample(CONTENTS, 2), *sorted(lake.model)[:1]], kind, at)
        case 7:
            lake.cut(kind, at)
        case 8 | 9:
            lake.undo(kind, at)
        case _:
            contents = choose.sample(CONTENTS, choose.randrange(1, 4))
            lake.ingest(contents, choose.choice((MDY, DMY)), kind, at)
