"""A lake in object storage, through obstore: S3 and what speaks like it, Google Cloud Storage, Azure.

There are no locks and no renames. A file appears whole or not at all; a new one is put only if its name is free.
"""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from ..temporary_folders import locked_temporary_folder
from .address import Address
from .credentials import options_of
from .local import Found
from .object_errors import explained, refused, require_library

_T = TypeVar("_T")
# What is read one value after the other.
_BUFFER_BYTES = 1 << 20
# A file is opened at its end, where Parquet has its footer: of small parts that is all of them.
_END_BYTES = 1 << 16
# Azure has no ranges that count from the end.
_WITHOUT_ENDS = ("az", "abfs")
# A request that fails by chance, or because the storage is busy, is repeated for so long.
_RETRIES: Any = {"max_retries": 8, "retry_timeout": timedelta(seconds=60)}
# A write that is refused because of another is tried so often, with pauses that grow to so much.
_MOST_TRIES, _FIRST_PAUSE_S, _MOST_PAUSE_S = 20, 0.05, 1.0
_CLIENT: Any = {"connect_timeout": "10s", "timeout": "300s"}


class _NoEnd(Exception):
    """The storage does not give the end of this object alone."""


class End(NamedTuple):
    """The size of an object and its last bytes."""

    size: int
    content: bytes


class _Ranges(RawIOBase):
    """An object, read by ranges but for its end."""

    def __init__(self, read: Callable[[int, int], Any], end: End):
        self._read, self._size, self._end, self._at = read, end.size, end.content, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readall(self) -> bytes:
        # Python's own reads eight kilobytes at a time.
        begin = self._size - len(self._end)
        before = bytes(self._read(self._at, begin - self._at)) if self._at < begin else b""
        found = before + self._end[max(0, self._at - begin) :]
        self._at = max(self._at, self._size)
        return found

    def readinto(self, buffer: Any) -> int:
        length = max(0, min(len(buffer), self._size - self._at))
        if length:
            begin = self._size - len(self._end)
            if self._at >= begin:
                content = memoryview(self._end)[self._at - begin :][:length]
            else:
                content = memoryview(self._read(self._at, min(length, begin - self._at)))
            length = len(content)
            buffer[:length] = content
            self._at += length
        return length


class NewObject:
    """Kept in memory until it has its name."""

    def __init__(self, files: ObjectStorage):
        self._files, self._content = files, BytesIO()

    def write(self, content: bytes) -> None:
        self._content.write(content)

    def open(self) -> BufferedReader:
        return BufferedReader(BytesIO(self._content.getbuffer()))  # type: ignore[arg-type]

    def place(self, path: str) -> None:
        self._files.put_new(path, self._content.getvalue())


class _NotHeld:
    """Nobody knows who reads: what is no longer needed stays for a day."""

    def close(self) -> None:
        pass


class _PrivateFolder:
    def __init__(self) -> None:
        self._folder = locked_temporary_folder()
        self.path = self._folder.path

    def close(self) -> None:
        self._folder.remove()


def _store_at(root: Address) -> Any:
    require_library()
    from obstore.store import from_url

    options = options_of(root)
    client = _CLIENT | {"allow_http": str(options.get("endpoint", "")).startswith("http://")}
    try:
        # It takes an address as one of the web: a # in a key would end it, and be another lake.
        url = f"{root.parts[0]}//{root.bucket}/{quote(root.key)}"
        return from_url(url, client_options=client, retry_config=_RETRIES, **options)
    except Exception as error:
        raise explained(error, root, "") from None


def _found(listed: Any) -> Found:
    return Found(listed["size"], listed["last_modified"].timestamp())


class ObjectStorage:
    """The functions of Storage, over objects. Connections are made when they are first needed."""

    is_local = False
    grace_s = 24 * 3600.0

    def __init__(self, root: Address):
        self.root = root
        self._made: Any = None

    @property
    def _store(self) -> Any:
        if self._made is None:
            self._made = _store_at(self.root)
        return self._made

    def _do(self, path: str, work: Callable[[Any], _T]) -> _T:
        """A call of the library, with its errors in our words."""
        obstore = require_library()
        try:
            return work(obstore)
        except Exception as error:
            raise explained(error, self.root, path) from None

    # --- Reading ------------------------------------------------------------------------------------------------------

    def exists(self, path: str) -> bool:
        with suppress(FileNotFoundError):
            return bool(self._head(path))
        return False

    def _head(self, path: str) -> Any:
        return self._do(path, lambda obstore: obstore.head(self._store, path))

    def has_folder(self, path: str) -> bool:
        return bool(self.names(path))

    def names(self, folder: str = "") -> list[str]:
        listed = self._listed(folder)
        paths = [*listed["common_prefixes"], *(each["path"] for each in listed["objects"])]
        return sorted(path.rpartition("/")[2] for path in paths)

    def _listed(self, folder: str) -> Any:
        listed = self._do(folder, lambda obstore: obstore.list_with_delimiter(self._store, folder or None))
        # Consoles make a folder as an empty object `folder/`.
        return {**listed, "objects": [each for each in listed["objects"] if each["path"] != folder]}

    def found(self, folder: str) -> dict[str, Found]:
        return {each["path"].rpartition("/")[2]: _found(each) for each in self._listed(folder)["objects"]}

    def below(self, path: str) -> dict[str, Found]:
        if path:
            with suppress(FileNotFoundError):
                return {path: _found(self._head(path))}
        objects = self._do(path, lambda obstore: obstore.list(self._store, path or None).collect())
        found = {}
        for each in objects:
            with suppress(FileNotFoundError):
                # What is empty may be a folder of a console, which has no file of this name; or a file beside one.
                found[each["path"]] = _found(each if each["size"] else self._head(each["path"]))
        return found

    def size(self, path: str) -> int:
        return self._head(path)["size"]

    def modified(self, path: str) -> float:
        return self._head(path)["last_modified"].timestamp()

    def read(self, path: str, most: int) -> bytes:
        def work(obstore: Any) -> bytes:
            found = obstore.get(self._store, path)
            if (size := found.meta["size"]) > most:
                raise ValueError(f"has {size:,} bytes, more than {most:,}")
            return bytes(found.bytes())

        return self._do(path, work)

    def open(self, path: str) -> BufferedReader:
        def read(start: int, length: int) -> Any:
            return self._do(path, lambda obstore: obstore.get_range(self._store, path, start=start, length=length))

        return BufferedReader(_Ranges(read, self.end(path)), _BUFFER_BYTES)

    def end(self, path: str) -> End:
        """The size and the end of a file, in one request where that is possible."""
        if not self.root.parts[0].startswith(_WITHOUT_ENDS):
            # An empty file has no end.
            with suppress(_NoEnd):
                return self._do(path, lambda obstore: self._end(obstore, path))
        size = self.size(path)
        length = min(size, _END_BYTES)
        if not length:
            return End(0, b"")
        content = self._do(
            path, lambda obstore: obstore.get_range(self._store, path, start=size - length, length=length)
        )
        return End(size, bytes(content))

    def _end(self, obstore: Any, path: str) -> End:
        try:
            found = obstore.get(self._store, path, options={"range": {"suffix": _END_BYTES}})
        except Exception as error:
            # S3 says that the range is invalid, others give the whole.
            if "range" in str(error).lower():
                raise _NoEnd from None
            raise
        return End(found.meta["size"], bytes(found.bytes()))

    # --- Writing ------------------------------------------------------------------------------------------------------

    def put(self, path: str, content: bytes) -> None:
        self._put(path, content, "overwrite")

    def _put(self, path: str, content: bytes, mode: Any) -> None:
        self._do(path, lambda obstore: obstore.put(self._store, path, content, mode=mode, use_multipart=False))

    def put_new(self, path: str, content: bytes) -> None:
        for _ in self._tries(path):
            try:
                return self._put(path, content, "create")
            except FileExistsError:
                has = self._has(path, content)
                # Of a request whose answer was lost, the second try finds what the first wrote.
                if has:
                    return None
                if has is False:
                    raise
        return None

    def _has(self, path: str, content: bytes) -> bool | None:
        """None where there is no such file."""
        try:
            return self.read(path, len(content)) == content
        except FileNotFoundError:
            return None
        except ValueError:
            # It is longer.
            return False

    def _tries(self, path: str) -> Iterator[None]:
        """S3 may refuse all who write one object at once (409): each tries again after a pause of its own. Raises IronlakeError after the last."""
        for n in range(_MOST_TRIES):
            yield
            time.sleep(random.uniform(0, min(_MOST_PAUSE_S, _FIRST_PAUSE_S * (n + 1))))
        raise refused(self.root, path)

    def put_agreed(self, path: str, content: bytes) -> bool:
        with suppress(FileExistsError):
            self.put_new(path, content)
            return True
        return False

    def put_later(self, path: str, content: bytes, is_later: Callable[[bytes], bool]) -> None:
        for _ in self._tries(path):
            with suppress(FileExistsError):
                try:
                    found = self._do(path, lambda obstore: obstore.get(self._store, path))
                    there = self._do(path, lambda _, found=found: bytes(found.bytes()))
                except FileNotFoundError:
                    return self.put_new(path, content)
                if there == content or is_later(there):
                    return None
                version = {key: found.meta[key] for key in ("e_tag", "version") if found.meta[key]}
                return self._put(path, content, version)
        return None

    def put_aside(self, path: str, content: bytes) -> None:
        self.put(path, content)

    @contextmanager
    def new_file(self) -> Iterator[NewObject]:
        yield NewObject(self)

    def create(self, path: str) -> None:
        # The time of a mark is when it was first made.
        with suppress(FileExistsError):
            self.put_new(path, b"")

    def remove(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._do(path, lambda obstore: obstore.delete(self._store, path))

    def rename(self, path: str, target: str) -> None:
        self._do(path, lambda obstore: obstore.rename(self._store, path, target))

    def link(self, path: str, target: str) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), str(self.root / target))

    def make_folder(self, path: str) -> None:
        pass

    def make_lake(self, folders: Iterable[str]) -> None:
        pass

    def sync_folder(self, folder: str) -> None:
        pass

    def touch(self, path: str) -> None:
        # The mark that a step leaves beside what it drops has its time.
        pass

    def renew(self, path: str) -> None:
        # The same bytes, with the time of now; only where it is old: it may be some megabytes.
        if time.time() - self.modified(path) > self.grace_s / 24:
            self.put(path, self.read(path, self.size(path)))

    # --- Others -------------------------------------------------------------------------------------------------------

    def locked(self, path: str, wait_s: float | None = None) -> Any:
        return nullcontext(True)

    def locked_now(self, path: str) -> Any:
        return nullcontext(True)

    def unused(self) -> Any:
        return nullcontext(False)

    def in_use(self) -> _NotHeld:
        return _NotHeld()

    def private_folder(self) -> _PrivateFolder:
        return _PrivateFolder()

    def remove_leftovers(self) -> None:
        pass
