"""The files of a lake, by paths below its root such as `_ledger/head.json`.

A lake may come from a stranger: no link is followed below the root, and only regular files and folders are used. Everything that
writes, renames or removes a file of a lake does it here.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from ..errors import IronlakeError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Opening must not wait for the other end of a FIFO.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LakeFolder:
    """Raises IronlakeError for a link, FIFO or device in the place of a file or folder; OSErrors name the whole path."""

    def __init__(self, root: Path):
        self.root = root

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder of a path, and the path's last component."""
        *folders, name = path.split("/")
        descriptor = os.open(self.root, _FOLDER)
        try:
            for number, folder in enumerate(folders):
                self._require(descriptor, folder, "/".join(folders[: number + 1]), stat.S_ISDIR, "a folder")
                below = os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            yield descriptor, name
        except OSError as error:
            error.filename, error.filename2 = str(self.root / path), None
            raise
        finally:
            os.close(descriptor)

    def _require(self, descriptor: int, name: str, path: str, is_kind, kind: str) -> os.stat_result:
        found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        if not is_kind(found.st_mode):
            hint = "remove it, or use a lake that Ironlake made"
            raise IronlakeError(f"{self.root / path} is not {kind}: it is not used", f"{kind}, not a link", hint)
        return found

    def stat(self, path: str) -> os.stat_result:
        """Status of a regular file."""
        with self._parent(path) as (parent, name):
            return self._require(parent, name, path, stat.S_ISREG, "a regular file")

    def exists(self, path: str) -> bool:
        """Whether there is a regular file."""
        with suppress(FileNotFoundError):
            return bool(self.stat(path))
        return False

    def has_folder(self, path: str) -> bool:
        with suppress(FileNotFoundError), self._parent(path) as (parent, name):
            return bool(self._require(parent, name, path, stat.S_ISDIR, "a folder"))
        return False

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder, and nothing else of that name."""
        with suppress(FileNotFoundError), self._parent(path) as (parent, name):
            return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
        return False

    def descriptor(self, path: str, flags: int = os.O_RDONLY) -> int:
        """A descriptor of a regular file."""
        with self._parent(path) as (parent, name):
            # Before it is opened: opening a device may move it.
            with suppress(FileNotFoundError):
                self._require(parent, name, path, stat.S_ISREG, "a regular file")
            return os.open(name, flags | _FILE, 0o666, dir_fd=parent)

    def open(self, path: str) -> BufferedReader:
        return os.fdopen(self.descriptor(path), "rb")

    def create(self, path: str) -> None:
        """Make an empty file, if it is not there."""
        os.close(self.descriptor(path, os.O_CREAT | os.O_WRONLY))

    def read(self, path: str, most: int) -> bytes:
        """A whole file. Raises ValueError for one of more than `most` bytes."""
        with self.open(path) as file:
            if (size := os.fstat(file.fileno()).st_size) > most:
                raise ValueError(f"has {size:,} bytes, more than {most:,}")
            return file.read(most)

    def names(self, folder: str = "") -> list[str]:
        """The names in a folder, sorted; none if it does not exist."""
        with suppress(FileNotFoundError), self._parent(f"{folder}/." if folder else ".") as (parent, _):
            return sorted(os.listdir(parent))
        return []

    def make_folder(self, path: str) -> None:
        with self._parent(path) as (parent, name):
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=parent)
            self._require(parent, name, path, stat.S_ISDIR, "a folder")

    def write(self, descriptor: int, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    def sync(self, descriptor: int) -> None:
        """Make the content of an open file durable."""
        os.fsync(descriptor)

    def sync_folder(self, folder: str) -> None:
        """Make the names in a folder durable."""
        with self._parent(f"{folder}/." if folder else ".") as (parent, _):
            os.fsync(parent)

    def link(self, path: str, target: str) -> None:
        """Give a file a second name; raises FileExistsError if it is taken."""
        with self._parent(path) as (a, name), self._parent(target) as (b, new):
            os.link(name, new, src_dir_fd=a, dst_dir_fd=b, follow_symlinks=False)

    def rename(self, path: str, target: str) -> None:
        """Rename a file, in place of an older one."""
        with self._parent(path) as (a, name), self._parent(target) as (b, new):
            os.replace(name, new, src_dir_fd=a, dst_dir_fd=b)

    def remove(self, path: str) -> None:
        """Remove a regular file, if it is there."""
        with suppress(FileNotFoundError), self._parent(path) as (parent, name):
            self._require(parent, name, path, stat.S_ISREG, "a regular file")
            os.unlink(name, dir_fd=parent)

    def remove_tree(self, path: str) -> None:
        """Remove a folder and all that is in it, if it is there; links in it are removed, not followed."""
        # Ironlake makes no folders that are too deep for Python.
        with suppress(FileNotFoundError, RecursionError), self._parent(path) as (parent, name):
            self._require(parent, name, path, stat.S_ISDIR, "a folder")
            shutil.rmtree(name, ignore_errors=True, dir_fd=parent)

    def touch(self, path: str) -> None:
        """Set the time of a file, if it is there, to now."""
        with suppress(FileNotFoundError), self._parent(path) as (parent, name):
            os.utime(name, dir_fd=parent, follow_symlinks=False)
