"""JSON files of the ledger, each with a digest of itself as its last field: no flipped bit in one goes unnoticed."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import IronlakeError
from ..storage.storage import Storage

FORMAT = 3
_HINT = "ironlake check --repair rebuilds it from the parts"
# What is parsed takes many times as much memory. A source has less than a kilobyte, a part half of one.
MOST_BYTES = 64 << 20
_SEAL_LENGTH = len(b',"digest":"') + 64 + len(b'"}\n')


class DamagedLedger(IronlakeError):
    """The ledger is not whole: nothing of the lake is answered, written or removed."""


def damaged(path: Path | str, why: str) -> DamagedLedger:
    return DamagedLedger(f"the ledger is damaged: {path} {why}", hint=_HINT)


def seal(record: dict[str, Any]) -> bytes:
    """A record as JSON that ends with the digest of all bytes before it."""
    text = json.dumps({"format": FORMAT, **record}, ensure_ascii=False, separators=(",", ":"))
    body = text[:-1].encode("utf-8", "surrogateescape")
    return body + _seal_of(body)


def _seal_of(body: bytes) -> bytes:
    return b',"digest":"' + sha256(body).hexdigest().encode() + b'"}\n'


def unseal(path: Path, content: bytes) -> dict[str, Any]:
    """The record of a sealed file, `digest` among its fields. Raises DamagedLedger for other bytes than were sealed."""
    body, found = content[:-_SEAL_LENGTH], content[-_SEAL_LENGTH:]
    if found == _seal_of(body):
        try:
            record = json.loads(content.decode("utf-8", "surrogateescape"), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise damaged(path, f"is no JSON that Ironlake writes: {error}") from None
        refuse_newer(path, record)
        return record
    with suppress(ValueError, AttributeError, RecursionError):
        refuse_newer(path, json.loads(content))
    raise damaged(path, "does not have its digest")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def read_bounded(files: Storage, path: str, most: int = MOST_BYTES) -> bytes:
    """A file of the ledger. Raises DamagedLedger for one that is larger than any that Ironlake writes."""
    try:
        return files.read(path, most)
    except ValueError as error:
        raise damaged(files.root / path, str(error)) from None


def refuse_newer(path: Path, record: dict[str, Any]) -> None:
    """Raise IronlakeError for a file of a newer format."""
    version = record.get("format")
    if isinstance(version, int) and version > FORMAT:
        what = f"{path} was written by a newer Ironlake (format {version})"
        raise IronlakeError(what, f"format {FORMAT} or older", "upgrade Ironlake")
