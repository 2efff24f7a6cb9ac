"""A lake in a folder of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader
from typing import NamedTuple

from . import durable
from .folder import LakeFolder
from .leftovers import TEMPORARY, PrivateFolder, remove_leftovers, temporary_file


class Found(NamedTuple):
    """A file in a folder; `modified` in seconds since 1970."""

    size: int
    modified: float


class NewLocalFile:
    """A temporary file until it has its name."""

    def __init__(self, files: LakeFolder, path: str, descriptor: int):
        self._files, self._path, self._descriptor = files, path, descriptor

    def write(self, content: bytes) -> None:
        self._files.write(self._descriptor, content)

    def open(self) -> BufferedReader:
        return self._files.open(self._path)

    def place(self, path: str) -> None:
        durable.move_into_place(self._files, self._path, self._descriptor, path)


class LocalStorage(LakeFolder):
    """The functions of Storage, over the file system and its locks (flock)."""

    is_local = True
    grace_s = 3600.0

    def size(self, path: str) -> int:
        return self.stat(path).st_size

    def found(self, folder: str) -> dict[str, Found]:
        stats = {name: self.stat(f"{folder}/{name}") for name in self.names(folder)}
        return {name: Found(each.st_size, each.st_mtime) for name, each in stats.items()}

    def below(self, path: str) -> dict[str, Found]:
        if not self.is_folder(path):
            found = self.stat(path)
            return {path: Found(found.st_size, found.st_mtime)}
        within = (self.below(f"{path}/{name}") for name in self.names(path))
        return {name: found for some in within for name, found in some.items()}

    def modified(self, path: str) -> float:
        return self.stat(path).st_mtime

    def put(self, path: str, content: bytes) -> None:
        durable.write_file(self, path, content)

    def put_new(self, path: str, content: bytes) -> None:
        durable.write_new(self, path, content)

    # The ledger's lock keeps others from the same file.
    def put_agreed(self, path: str, content: bytes) -> bool:
        self.put(path, content)
        return True

    def put_later(self, path: str, content: bytes, is_later: Callable[[bytes], bool]) -> None:
        self.put(path, content)

    def put_aside(self, path: str, content: bytes) -> None:
        with temporary_file(self) as (temporary, descriptor):
            self.write(descriptor, content)
            self.rename(temporary, path)

    @contextmanager
    def new_file(self) -> Iterator[NewLocalFile]:
        with temporary_file(self) as (path, descriptor):
            yield NewLocalFile(self, path, descriptor)

    def renew(self, path: str) -> None:
        self.touch(path)

    def make_lake(self, folders: Iterable[str]) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        for folder in (os.path.dirname(durable.IN_USE), TEMPORARY, *folders):
            self.make_folder(folder)
        os.close(self.descriptor(durable.IN_USE, os.O_CREAT | os.O_RDWR))

    def locked(self, path: str, wait_s: float | None = None) -> AbstractContextManager[bool]:
        return durable.locked(self, path, wait_s=wait_s)

    def locked_now(self, path: str) -> AbstractContextManager[bool]:
        return durable.locked(self, path, wait=False)

    def unused(self) -> AbstractContextManager[bool]:
        return durable.locked(self, durable.IN_USE, wait=False)

    def in_use(self) -> durable.InUse:
        return durable.InUse(self)

    def private_folder(self) -> PrivateFolder:
        remove_leftovers(self)
        return PrivateFolder(self)

    def remove_leftovers(self) -> None:
        remove_leftovers(self)
