"""What a lake asks of the place where its files are. Paths are below the lake's root, such as `_ledger/head.json`.

A folder has locks: one process writes at a time, and what nobody has open may be removed or renamed. Object storage has none: a new file is put
only if its name is free, and what is no longer needed is removed when it is old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from typing import Protocol

from .address import Address, place_of
from .local import Found, LocalStorage


class NewFile(Protocol):
    """A file that has no name yet."""

    def write(self, content: bytes) -> None: ...

    def open(self) -> BufferedReader: ...

    def place(self, path: str) -> None:
        """Give it its name, in place of an older file. Without locks it raises FileExistsError for one that is other: another process may
        count on it."""


class Held(Protocol):
    def close(self) -> None: ...


class OwnFolder(Protocol):
    path: Path

    def close(self) -> None: ...


class Storage(Protocol):
    """Raises FileNotFoundError for a file that is not there, IronlakeError for what is not to be used or reached."""

    @property
    def root(self) -> Path: ...

    @property
    def is_local(self) -> bool:
        """Whether files have paths of this machine."""
        ...

    @property
    def grace_s(self) -> float:
        """How long what is no longer needed stays for those who do not say that they read it."""
        ...

    # --- Reading ------------------------------------------------------------------------------------------------------

    def exists(self, path: str) -> bool: ...

    def has_folder(self, path: str) -> bool: ...

    def names(self, folder: str = "") -> list[str]:
        """The names in a folder, sorted; none if it does not exist."""
        ...

    def below(self, path: str) -> dict[str, Found]:
        """The file of this path, or all files at any depth below it, by path."""
        ...

    def size(self, path: str) -> int: ...

    def found(self, folder: str) -> dict[str, Found]:
        """The files in a folder, by name."""
        ...

    def modified(self, path: str) -> float:
        """When a file was written or touched, in seconds since 1970."""
        ...

    def read(self, path: str, most: int) -> bytes:
        """A whole file. Raises ValueError for one of more than `most` bytes."""
        ...

    def open(self, path: str) -> BufferedReader:
        """A file, of which parts are read."""
        ...

    # --- Writing: what was written is durable -------------------------------------------------------------------------

    def put(self, path: str, content: bytes) -> None:
        """Write a file, in place of an older one."""
        ...

    def put_new(self, path: str, content: bytes) -> None:
        """Write a file. Raises FileExistsError if there is another."""
        ...

    def put_agreed(self, path: str, content: bytes) -> bool:
        """Write a file whose content others may have named by its digest; False if there is another, on which they count."""
        ...

    def put_later(self, path: str, content: bytes, is_later: Callable[[bytes], bool]) -> None:
        """Write a file in place of an older one, but not of one that `is_later`: another process was faster."""
        ...

    def put_aside(self, path: str, content: bytes) -> None:
        """Write a file that may be lost."""
        ...

    def new_file(self) -> AbstractContextManager[NewFile]: ...

    def create(self, path: str) -> None:
        """Make an empty file, if it is not there."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        ...

    def rename(self, path: str, target: str) -> None: ...

    def link(self, path: str, target: str) -> None: ...

    def make_folder(self, path: str) -> None: ...

    def make_lake(self, folders: Iterable[str]) -> None:
        """Make what a lake needs before its first file."""
        ...

    def sync_folder(self, folder: str) -> None: ...

    def touch(self, path: str) -> None:
        """Begin the grace period of a file that a step is about to drop."""
        ...

    def renew(self, path: str) -> None:
        """Restart the grace period of a file that a step is about to name."""
        ...

    # --- Others -------------------------------------------------------------------------------------------------------

    def locked(self, path: str, wait_s: float | None = None) -> AbstractContextManager[bool]:
        """Let one process after the other write, where that is possible. Raises IronlakeError if another does for longer than `wait_s`."""
        ...

    def locked_now(self, path: str) -> AbstractContextManager[bool]:
        """The same without waiting: false if another process has the lock."""
        ...

    def unused(self) -> AbstractContextManager[bool]:
        """Whether files may be renamed and removed because no process has the lake open, which stays so within; false where nobody knows."""
        ...

    def in_use(self) -> Held:
        """Say that this process has the lake open, until `close`."""
        ...

    def private_folder(self) -> OwnFolder:
        """A folder of this machine, for this process alone, until `close`."""
        ...

    def remove_leftovers(self) -> None:
        """Remove what killed processes did not finish."""
        ...


def storage_at(place: Path) -> Storage:
    """The storage of the lake at a path or address."""
    place = place_of(place)
    return _objects_at(place) if isinstance(place, Address) else LocalStorage(place)


@lru_cache(maxsize=16)
def _objects_at(address: Address) -> Storage:
    # Connections are used again.
    from .objects import ObjectStorage

    return ObjectStorage(address)
