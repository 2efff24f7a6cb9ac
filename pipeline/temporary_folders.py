"""Folders that a command has for a while, and half-written files. What a killed command left of these, the next of the same kind removes.

Each is a folder that the process which made it holds locked (flock). The kernel releases the lock when the process dies, in any container.
Only what is this user's own, is no link and is not locked is removed.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import IronlakeError
from .locks import fcntl

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SPILL, _OTHERS, _HALF_WRITTEN = "ironlake-spilled-", "ironlake-temporary-", ".ironlake-"
# Those of this process.
_HELD: set[LockedFolder] = set()
_EXPECTED = "a folder that you may write in, with room"


class LockedFolder:
    """A new folder that is locked until `remove`; those of the same prefix whose processes are gone are removed first."""

    def __init__(self, parent: Path, prefix: str):
        _remove_left(parent, re.compile(re.escape(prefix) + r"\w{8}"))
        self._process, self._descriptor = os.getpid(), -1
        while True:
            self.path = parent / f"{prefix}{secrets.token_hex(4)}"
            # Before it is there: an interrupt may come at once.
            _HELD.add(self)
            try:
                os.mkdir(self.path, 0o700)
            except FileExistsError:
                _HELD.remove(self)
                continue
            except OSError:
                _HELD.remove(self)
                raise
            # Another command may take it for a left-over before it is locked.
            with suppress(FileNotFoundError):
                self._descriptor = os.open(self.path, _FOLDER)
                # A file system without locks: nobody removes anything there.
                with suppress(OSError):
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX)
                if os.path.exists(self.path):
                    return
                os.close(self._descriptor)

    def remove(self) -> None:
        """To remove it again does nothing, nor does it in a process that was forked."""
        if self._process == os.getpid() and self in _HELD:
            shutil.rmtree(self.path, ignore_errors=True)
            # It is held until it is gone: an interrupt may come before. Another thread may remove it at once.
            with suppress(KeyError):
                _HELD.remove(self)
                if self._descriptor >= 0:
                    os.close(self._descriptor)


# An interrupt may come before anybody else looks after a folder.
@atexit.register
def remove_held() -> None:
    """Remove the folders of a process that ends, whatever still works with them."""
    for folder in list(_HELD):
        # It may be removed meanwhile.
        with suppress(OSError):
            folder.remove()


def spill_folder() -> LockedFolder:
    """Where DuckDB spills rows."""
    return LockedFolder(Path(tempfile.gettempdir()), _SPILL)


def locked_temporary_folder() -> LockedFolder:
    """For what is unpacked, copied or put together: it may be confidential."""
    return LockedFolder(Path(tempfile.gettempdir()), _OTHERS)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A `locked_temporary_folder` for the block."""
    folder = locked_temporary_folder()
    try:
        yield folder.path
    finally:
        folder.remove()


@contextmanager
def half_written(out: Path) -> Iterator[Path]:
    """Where a catalog or an export is written before it takes its place; makes the folder that it is in, and removes what killed
    commands left there, whatever they wrote. Errors name `out`, not this folder.

    Raises IronlakeError if it cannot be written."""
    place = out.absolute()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        folder = LockedFolder(place.parent, _HALF_WRITTEN)
        try:
            yield folder.path / place.name
        finally:
            folder.remove()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else type(error).__name__
        raise IronlakeError(f"cannot write {out}: {why}", _EXPECTED) from None


def _remove_left(parent: Path, name: re.Pattern[str]) -> None:
    """Remove from a folder the folders of such a name that nobody holds locked."""
    with suppress(OSError):
        for entry in list(os.scandir(parent)):
            if name.fullmatch(entry.name):
                with suppress(OSError):
                    _remove(entry.path)


def _remove(path: str) -> None:
    descriptor = os.open(path, _FOLDER)
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)
