"""Rows that were computed from a lake and may be computed again: files in `_kept` of the lake.

They are no part of the lake: the ledger names none, `ironlake` works without them, and everybody may remove them. Each is a Parquet file behind
the digest of its name and content: what is damaged, cut or under another name counts as not there.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import IronlakeError
from ..storage.storage import Storage
from .footers import too_large
from .state import Part

FOLDER = "_kept"
# Tools that take every *.parquet for rows of the lake must not find them.
_SUFFIX = ".kept"
_DIGEST_BYTES = 32
_MOST_BYTES = 1 << 28
# Those that were written last stay.
_MOST_FILES = 8_000


class KeptFiles:
    """What cannot be read is not there, and what cannot be written is not kept: nothing here raises errors of files."""

    def __init__(self, files: Storage):
        self._files = files
        self._names: set[str] = set()
        with suppress(OSError, IronlakeError):
            self._names.update(files.names(FOLDER))

    def read(self, name: str) -> pa.Table | None:
        if name + _SUFFIX not in self._names:
            return None
        # Whatever a damaged file makes Parquet say.
        with suppress(OSError, ValueError, pa.ArrowException, IronlakeError):
            content = self._files.read(f"{FOLDER}/{name}{_SUFFIX}", _MOST_BYTES)
            rest = memoryview(content)[_DIGEST_BYTES:]
            if _digest(name, rest) == content[:_DIGEST_BYTES]:
                with pq.ParquetFile(pa.py_buffer(rest)) as file:
                    if not too_large(file.metadata, len(rest)):
                        return file.read(use_threads=False)
        return None

    def write(self, name: str, rows: pa.Table) -> None:
        """Keep rows in the place of those of the same begin of a name, up to the last hyphen."""
        sink = BytesIO()
        pq.write_table(rows, sink, compression="zstd", write_statistics=False)
        content = sink.getvalue()
        with suppress(OSError, IronlakeError):
            self._files.make_folder(FOLDER)
            self._files.put_aside(f"{FOLDER}/{name}{_SUFFIX}", _digest(name, memoryview(content)) + content)

    def remove_others(self, names: set[str]) -> None:
        """Remove those that `names` took the place of, and the oldest of too many."""
        begins = {name.rpartition("-")[0] for name in names}
        with suppress(OSError, IronlakeError):
            there = [name for name in self._files.names(FOLDER) if name.endswith(_SUFFIX)]
            old = [n for n in there if n.rpartition("-")[0] in begins and n.removesuffix(_SUFFIX) not in names]
            rest = sorted(set(there).difference(old), key=lambda n: self._files.modified(f"{FOLDER}/{n}"))
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
