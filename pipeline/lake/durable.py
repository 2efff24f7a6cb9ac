"""Writes that survive a kill or a power failure: write a temporary file, sync it, then rename it.

Unfinished files and folders are in `_tmp` of the lake, locked (flock) by the process that writes them. The kernel releases
the lock when the process dies, in any container: a file without a lock is a left-over.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import IronlakeError

_LOCK_SUFFIX = ".lock"


@contextmanager
def translate_os_errors(folder: Path) -> Iterator[None]:
    """Turn an OSError under `folder` into an IronlakeError with a hint."""
    try:
        yield
    except OSError as error:
        hints = {
            errno.ENOSPC: "free disk space and run the same command again; committed files are safe",
            errno.EDQUOT: "the disk quota is used up; free space and run the same command again",
            errno.EROFS: "the file system is read-only; choose another folder with --lake",
            errno.EACCES: "choose another folder with --lake, or get write permission",
            errno.EPERM: "choose another folder with --lake, or get write permission",
        }
        reason = os.strerror(error.errno) if error.errno else str(error)
        hint = hints.get(error.errno or 0, "run the same command again; committed files are safe")
        raise IronlakeError(f"cannot write to the lake {folder}: {reason}", hint=hint) from error


def sync_folder(folder: Path) -> None:
    """Make the entries of a folder durable (fsync)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move_into_place(temporary_file: Path, target: Path) -> None:
    """Rename a finished file to its final name; replaces an existing file."""
    _sync_file(temporary_file)
    os.replace(temporary_file, target)
    sync_folder(target.parent)


def publish_new(content: bytes, target: Path, temporary: Path) -> None:
    """Write bytes to a new file. Raises FileExistsError if it exists."""
    with temporary_file(temporary) as path:
        path.write_bytes(content)
        _sync_file(path)
        try:
            os.link(path, target)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            # A file system without hard links: the ledger's lock keeps the name free between these two calls.
            if target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
            os.rename(path, target)
    sync_folder(target.parent)


def _create_locked(path: Path) -> int:
    """Create a file that is locked before any cleaner can remove it; returns its descriptor."""
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Between creation and lock a cleaner may have taken the file for a left-over and removed it.
        with suppress(FileNotFoundError):
            if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)


def _unique_name() -> str:
    return f"{os.getpid()}-{secrets.token_hex(6)}"


@contextmanager
def temporary_file(temporary: Path) -> Iterator[Path]:
    """An empty file in `temporary`; removed on exit unless it was moved into place."""
    temporary.mkdir(exist_ok=True)
    path = temporary / _unique_name()
    descriptor = _create_locked(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


class PrivateFolder:
    """A folder in `temporary` that lives as long as this process, or until `close`."""

    def __init__(self, temporary: Path):
        temporary.mkdir(exist_ok=True)
        self.path = temporary / _unique_name()
        self._lock_path = self.path.with_name(self.path.name + _LOCK_SUFFIX)
        self._descriptor = _create_locked(self._lock_path)
        self.path.mkdir()

    def close(self) -> None:
        """Remove the folder and its contents."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock_path.unlink(missing_ok=True)
        os.close(self._descriptor)


def remove_leftovers(temporary: Path) -> int:
    """Remove the left-overs of dead processes in `temporary`; returns the number of files and folders removed.

    Files of live processes are locked and stay.
    """
    removed = 0
    with suppress(FileNotFoundError):
        for path in sorted(temporary.iterdir()):
            if path.is_file():
                removed += _remove_if_dead(path)
    return removed


def _remove_if_dead(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return 0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.name.endswith(_LOCK_SUFFIX):
            shutil.rmtree(path.with_name(path.name.removesuffix(_LOCK_SUFFIX)), ignore_errors=True)
        path.unlink(missing_ok=True)
        return 1
    except BlockingIOError:
        return 0
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock file at `path` exclusively; yields whether the lock was acquired (always true if it may wait)."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


class InUse:
    """A shared lock on a lake: while any is held, no file of the lake is removed. It never waits and never blocks a commit."""

    def __init__(self, path: Path):
        self._descriptor: int | None = None
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
                self._descriptor = descriptor
            except OSError:
                # Left-overs are being removed at this moment: the ledger, read after this, names none of them.
                os.close(descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
