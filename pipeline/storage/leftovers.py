"""Unfinished files and folders of a lake, and how what killed processes left of them is removed.

They are in `_tmp` of the lake, locked (flock) by the process that writes them. The kernel releases the lock when the process dies, in
any container: a file without a lock is a left-over.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..locks import fcntl
from .folder import LakeFolder

TEMPORARY = "_tmp"
_LOCK_SUFFIX = ".lock"
_OURS = re.compile(r"\d+-[0-9a-f]{12}(\.lock)?")


def _create_locked(files: LakeFolder, path: str) -> int:
    """Create a file that is locked before any cleaner can remove it; returns its descriptor."""
    while True:
        descriptor = files.descriptor(path, os.O_CREAT | os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Between creation and lock a cleaner may have taken the file for a left-over and removed it.
        with suppress(FileNotFoundError):
            if files.stat(path).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)


def _unique_name() -> str:
    return f"{TEMPORARY}/{os.getpid()}-{secrets.token_hex(6)}"


@contextmanager
def temporary_file(files: LakeFolder) -> Iterator[tuple[str, int]]:
    """An empty temporary file, its path and descriptor; removed on exit unless it was moved into place."""
    files.make_folder(TEMPORARY)
    path = _unique_name()
    descriptor = _create_locked(files, path)
    try:
        yield path, descriptor
    finally:
        files.remove(path)
        os.close(descriptor)


class PrivateFolder:
    """A temporary folder that lives as long as this process, or until `close`."""

    def __init__(self, files: LakeFolder):
        self._files = files
        files.make_folder(TEMPORARY)
        self._name = _unique_name()
        self._descriptor = _create_locked(files, self._name + _LOCK_SUFFIX)
        files.make_folder(self._name)
        self.path = files.root / self._name

    def close(self) -> None:
        """Remove the folder and its contents."""
        self._files.remove_tree(self._name)
        self._files.remove(self._name + _LOCK_SUFFIX)
        os.close(self._descriptor)


def remove_leftovers(files: LakeFolder) -> int:
    """Remove the left-overs of dead processes; returns the number of files and folders removed.

    Files of live processes are locked and stay.
    """
    ours = [f"{TEMPORARY}/{name}" for name in files.names(TEMPORARY) if _OURS.fullmatch(name)]
    # A folder goes with its lock.
    return sum(_remove_if_dead(files, path) for path in ours if not files.is_folder(path))


def _remove_if_dead(files: LakeFolder, path: str) -> int:
    try:
        descriptor = files.descriptor(path, os.O_RDWR)
    except OSError:
        return 0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.endswith(_LOCK_SUFFIX):
            files.remove_tree(path.removesuffix(_LOCK_SUFFIX))
        files.remove(path)
        return 1
    except BlockingIOError:
        return 0
    finally:
        os.close(descriptor)
