"""JSON files of the ledger, each with a digest of itself as its last field: no flipped bit in one goes unnoticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from ..declaration.reading_options import SCHEMA_VERSION
from ..errors import IronlakeError
from ..storage.storage import Storage

# Of all files of a lake. Whatever a later format changes, `_ledger/head.json` stays a JSON object with `format`: so this code knows a newer
# lake, and takes it for no damaged one.
FORMAT = 1
_T = TypeVar("_T")
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
        refuse_newer(record)
        return record
    with suppress(ValueError, AttributeError, RecursionError):
        refuse_newer(json.loads(content))
    raise damaged(path, "does not have its digest")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def read_bounded(files: Storage, path: str, most: int = MOST_BYTES) -> bytes:
    """A file of the ledger. Raises DamagedLedger for one that is larger than any that Ironlake writes."""
    try:
        return files.read(path, most)
    except ValueError as error:
        raise damaged(files.root / path, str(error)) from None


def refuse_newer(record: dict[str, Any]) -> None:
    """Raise IronlakeError for a file of a newer format, or of newer tables."""
    for name, ours in (("format", FORMAT), ("schema", SCHEMA_VERSION)):
        version = record.get(name)
        if isinstance(version, int) and version > ours:
            what = f"this lake was written by a newer Ironlake ({name} {version}; this one reads {ours})"
            raise IronlakeError(what, hint="upgrade Ironlake")


def checked(path: Path, work: Callable[[], _T]) -> _T:
    """Do work on what a file of the ledger says. Raises DamagedLedger where it is not as Ironlake writes it."""
    try:
        return work()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, NotImplementedError, RecursionError) as error:
        raise damaged(
            path, str(error) if isinstance(error, ValueError) else f"is not as expected: {error!r}"
        ) from error
