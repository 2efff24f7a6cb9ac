"""A disk that fails, under a lake in a real folder: it takes the place of the calls by which a LakeFolder changes files.

What was not synced may be lost when the power fails, in any combination, and a file may then be torn. A disk that lies drops, tears or
flips one call, and says that all went well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal
from unittest.mock import patch

from ironlake.pipeline.storage.folder import LakeFolder

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
