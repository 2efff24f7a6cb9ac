"""What was computed from a lake and may be computed again, rows and answers: files in `_kept` of the lake.

They are no part of the lake: the ledger names none, `ironlake` works without them, and everybody may remove them. Each begins with the digest of its
name and content; rows are a Parquet file with the digest in its footer: what is damaged, cut or under another name counts as not there.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING

from ..errors import IronlakeError

if TYPE_CHECKING:
    import pyarrow as pa

    from ..storage.storage import Storage
    from .state import Part

FOLDER = "_kept"
# Tools that take every *.parquet for rows of the lake must not find them.
_SUFFIX = ".kept"
_DIGEST_BYTES = 32
_MOST_BYTES = 1 << 28
# Behind it stands the digest of a Parquet file, made as if zeros stood there.
_SEAL, _NO_DIGEST = b"digest of name and file:", b"0" * 64
# Those that were written last stay.
_MOST_FILES = 20_000


class KeptFiles:
    """What cannot be read is not there, and what cannot be written is not kept: nothing here raises errors of files."""

    def __init__(self, files: Storage):
        self._files = files

    @cached_property
    def _names(self) -> set[str]:
        with suppress(OSError, IronlakeError):
            return set(self._files.names(FOLDER))
        return set()

    def read(self, name: str) -> pa.Table | None:
        if (content := self.file(name)) is None:
            return None
        import pyarrow as pa
        import pyarrow.parquet as pq

        from .footers import too_large

        # Whatever a damaged file makes Parquet say.
        with suppress(OSError, ValueError, pa.ArrowException), pq.ParquetFile(pa.py_buffer(content)) as file:
            if not too_large(file.metadata, len(content)):
                return file.read(use_threads=False)
        return None

    def has(self, name: str) -> bool:
        """Whether there is a file of this name, damaged or not."""
        return name + _SUFFIX in self._names

    def file(self, name: str) -> bytes | None:
        """The Parquet file of the rows that were kept under a name."""
        if self.has(name):
            with suppress(OSError, ValueError, IronlakeError):
                content = self._files.read(f"{FOLDER}/{name}{_SUFFIX}", _MOST_BYTES)
                return content if content == _sealed(name, content) else None
        return None

    def content(self, name: str) -> memoryview | None:
        """What was kept under a name."""
        with suppress(OSError, ValueError, IronlakeError):
            return self._checked(name, self._files.read(f"{FOLDER}/{name}{_SUFFIX}", _MOST_BYTES))
        return None

    def own_content(self, name: str) -> memoryview | None:
        """What this user kept under a name, in a folder of this machine."""
        with suppress(OSError, IronlakeError), self._files.open(f"{FOLDER}/{name}{_SUFFIX}") as file:
            if os.fstat(file.fileno()).st_uid == os.geteuid():
                return self._checked(name, file.read(_MOST_BYTES))
        return None

    def _checked(self, name: str, found: bytes) -> memoryview | None:
        content = memoryview(found)[_DIGEST_BYTES:]
        return content if _digest(name, content) == found[:_DIGEST_BYTES] else None

    def write(self, name: str, rows: pa.Table) -> None:
        """Keep rows in the place of those of the same begin of a name, up to the last hyphen."""
        import pyarrow.parquet as pq

        sink = BytesIO()
        rows = rows.replace_schema_metadata({**(rows.schema.metadata or {}), b"seal": _SEAL + _NO_DIGEST})
        pq.write_table(rows, sink, compression="zstd", write_statistics=False)
        self._put(name, _sealed(name, sink.getvalue()))

    def keep(self, name: str, content: bytes) -> None:
        self._put(name, _digest(name, memoryview(content)) + content)

    def _put(self, name: str, content: bytes) -> None:
        with suppress(OSError, IronlakeError):
            self._files.make_folder(FOLDER)
            self._files.put_aside(f"{FOLDER}/{name}{_SUFFIX}", content)
            self._names.add(name + _SUFFIX)

    def remove_oldest(self, begin: str, most_files: int, most_bytes: int) -> None:
        """Of the files whose names begin so, leave the newest, up to a number and a sum of bytes."""
        with suppress(OSError, IronlakeError):
            paths = [f"{FOLDER}/{n}" for n in self._files.names(FOLDER) if n.startswith(begin) and n.endswith(_SUFFIX)]
            for number, path in enumerate(sorted(paths, key=self._files.modified, reverse=True)):
                most_bytes -= self._files.size(path)
                if number >= most_files or most_bytes < 0:
                    self._files.remove(path)

    def remove_others(self, names: set[str]) -> None:
        """Remove those that `names` took the place of, and the oldest of too many."""
        begins = {name.rpartition("-")[0] for name in names}
        with suppress(OSError, IronlakeError):
            there = [name for name in self._files.names(FOLDER) if name.endswith(_SUFFIX)]
            old = [n for n in there if n.rpartition("-")[0] in begins and n.removesuffix(_SUFFIX) not in names]
            rest = [*set(there).difference(old)]
            if len(rest) > _MOST_FILES:
                rest.sort(key=lambda n: self._files.modified(f"{FOLDER}/{n}"))
            for name in [*old, *rest[:-_MOST_FILES]]:
                self._files.remove(f"{FOLDER}/{name}")


def part_identity(part: Part) -> tuple[str | int, ...]:
    """What is other for every other content of a part."""
    return part.path, part.sha256, part.footer, part.bytes, part.rows


def digest_of(rests_on: object) -> str:
    """The last part of a name: of all that the rows rest on, as JSON."""
    return sha256(json.dumps(rests_on).encode()).hexdigest()[:32]


def _digest(name: str, content: memoryview) -> bytes:
    return sha256(name.encode() + b"\n" + content).digest()


def _sealed(name: str, content: bytes) -> bytes:
    """A Parquet file with its digest. Raises ValueError for one that has no place for it."""
    begin = content.rindex(_SEAL) + len(_SEAL)
    end = begin + len(_NO_DIGEST)
    digest = _digest(name, memoryview(content[:begin] + _NO_DIGEST + content[end:])).hex().encode()
    return content[:begin] + digest + content[end:]
