"""Where the rows of a part come from, in its Parquet metadata: with it the ledger can be rebuilt from the parts.

The last entry is a digest of the whole file, because Parquet has none of its footer: in its own place it counts as zeros.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from .state import SourceEntry, entry_of, record_of

_ROWS, _SOURCES, _DIGEST = b"ironlake.rows", b"ironlake.sources", b"ironlake.digest"
_NO_DIGEST = b"0" * 64
# Of the JSON of a part; some hundred bytes a source.
_MOST_BYTES = 256 << 20


class Receipt(NamedTuple):
    """What one batch holds of a source: the counts of `entry` are those of the batch. `last`: no batch follows."""

    entry: SourceEntry
    batch: int
    last: bool

    @property
    def key(self) -> tuple[str, int]:
        return self.entry.source_id, self.batch


@dataclass(frozen=True)
class Origin:
    """The source, the batch and the number of the rows of a part, and what is known of the sources of some."""

    rows: list[tuple[str, int, int]] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)

    def of(self, source_ids: set[str]) -> Origin:
        """Only what is said of some sources."""
        rows = [row for row in self.rows if row[0] in source_ids]
        return Origin(rows, [r for r in self.receipts if r.entry.source_id in source_ids])

    def metadata(self) -> dict[str, str]:
        receipts = [{"batch": r.batch, "last": r.last} | record_of(r.entry) for r in self.receipts]
        values = {_ROWS: _packed(self.rows), _SOURCES: _packed(receipts), _DIGEST: _NO_DIGEST.decode()}
        return {key.decode(): value for key, value in values.items()}


def joined(origins: Iterable[Origin]) -> Origin:
    """The origin of a part that is made of others."""
    rows: dict[tuple[str, int], int] = {}
    receipts: dict[tuple[str, int], Receipt] = {}
    for origin in origins:
        for source_id, batch, count in origin.rows:
            rows[source_id, batch] = rows.get((source_id, batch), 0) + count
        receipts |= {r.key: r for r in origin.receipts}
    return Origin([(*key, count) for key, count in sorted(rows.items())], [r for _, r in sorted(receipts.items())])


def read_origin(metadata: Mapping[bytes, bytes] | None) -> Origin:
    """What the metadata of a part says; nothing for a part of somebody who wrote something else there."""
    if not metadata or _ROWS not in metadata:
        return Origin()
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error):
        rows = [(str(source_id), int(batch), int(count)) for source_id, batch, count in _unpacked(metadata[_ROWS])]
        receipts = [Receipt(entry_of(r), int(r["batch"]), bool(r["last"])) for r in _unpacked(metadata[_SOURCES])]
        return Origin(rows, receipts)
    return Origin()


def _packed(value: list[Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode())).decode()


def _unpacked(value: bytes) -> list[Any]:
    return json.loads(zlib.decompressobj().decompress(base64.b64decode(value), _MOST_BYTES))


def sign(footer: bytes, before: Any) -> bytes:
    """The end of a Parquet file with the digest of the file in it; `before`: the hash of all bytes before."""
    at = footer.index(_NO_DIGEST, footer.index(_DIGEST))
    whole = before.copy()
    whole.update(footer)
    return footer[:at] + whole.hexdigest().encode() + footer[at + len(_NO_DIGEST) :]


def is_signed(content: bytes) -> bool:
    """Whether the file of a part has the digest that its metadata say."""
    footer = footer_of(content)
    at = footer.find(_DIGEST)
    if at < 0:
        return False
    # Between key and value are their field and length, a byte each.
    start = at + len(_DIGEST) + 2
    unsigned = footer[:start] + _NO_DIGEST + footer[start + len(_NO_DIGEST) :]
    return sign(unsigned, sha256(memoryview(content)[: len(content) - len(footer)])) == footer


def footer_of(content: bytes) -> bytes:
    """The end of a Parquet file: the schema and the offsets of the columns."""
    size = int.from_bytes(content[-8:-4], "little")
    return content[max(0, len(content) - 8 - size) :]
