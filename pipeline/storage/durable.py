"""Writes that survive a kill or a power failure: write a temporary file, sync it, then rename it. And the lake's locks."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import IronlakeError
from ..locks import fcntl
from .folder import LakeFolder
from .leftovers import temporary_file
from .lock_holder import lock_holder

IN_USE = "_ledger/in_use.lock"
_LOOK_AGAIN_S = 0.05
# To remove and rename what is not needed takes less.
_TIDYING_S = 1.0
_BUSY_HINT = "run the same command again when it has ended, or give a longer --wait; committed files are safe"


def write_file(files: LakeFolder, path: str, content: bytes) -> None:
    """Write a file, in place of an older one."""
    with temporary_file(files) as (temporary, descriptor):
        files.write(descriptor, content)
        move_into_place(files, temporary, descriptor, path)


def move_into_place(files: LakeFolder, temporary: str, descriptor: int, path: str) -> None:
    """Rename a finished file to its final name; replaces an existing file."""
    files.sync(descriptor)
    files.rename(temporary, path)
    files.sync_folder(os.path.dirname(path))


def write_new(files: LakeFolder, path: str, content: bytes) -> None:
    """Write a new file. Raises FileExistsError if it exists."""
    with temporary_file(files) as (temporary, descriptor):
        files.write(descriptor, content)
        files.sync(descriptor)
        try:
            files.link(temporary, path)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            # A file system without hard links: the ledger's lock keeps the name free between these two calls.
            if files.exists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(files.root / path)) from None
            files.rename(temporary, path)
    files.sync_folder(os.path.dirname(path))


@contextmanager
def locked(files: LakeFolder, path: str, *, wait: bool = True, wait_s: float | None = None) -> Iterator[bool]:
    """Hold the lock file at `path` exclusively; yields whether the lock was acquired (always true if it may wait).

    Raises IronlakeError if it is not free after `wait_s` seconds; without, waits as long as it takes."""
    descriptor = files.descriptor(path, os.O_CREAT | os.O_RDWR)
    try:
        try:
            if wait and wait_s is not None:
                _lock_within(descriptor, wait_s, files.root)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def _lock_within(descriptor: int, seconds: float, root: Path) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                what = f"the lake {root} is being written by {lock_holder(descriptor)}; waited {seconds:g} s"
                raise IronlakeError(what, hint=_BUSY_HINT) from None
        time.sleep(min(_LOOK_AGAIN_S, max(0.0, until - time.monotonic())))


class InUse:
    """A shared lock on a lake: while any is held, no file of the lake is removed or renamed. It hardly waits and never blocks a commit."""

    def __init__(self, files: LakeFolder):
        self._descriptor: int | None = None
        with suppress(OSError):
            descriptor = files.descriptor(IN_USE)
            until = time.monotonic() + _TIDYING_S
            while self._descriptor is None:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    self._descriptor = descriptor
                except OSError as error:
                    # Left-overs are being removed at this moment: the ledger, read after this, names none of them.
                    if error.errno != errno.EWOULDBLOCK or time.monotonic() > until:
                        os.close(descriptor)
                        return
                    time.sleep(_TIDYING_S / 100)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
