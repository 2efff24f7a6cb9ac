"""Print files in object storage: those at an address and below it, and their content."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader

from ..storage.address import Address
from ..storage.storage import Found, Storage, storage_at


def listed(address: Address) -> Iterator[tuple[Address, int]]:
    """The files at an address or below it, in name order, with their sizes. Hidden files are left out unless given themselves, and so are
    the files of lakes. Raises IronlakeError for a place that cannot be listed."""
    bucket = _bucket(address)
    found: dict[str, Found] = bucket.below(address.key)
    lakes = {path[: f"/{path}".index("/_ledger/")] for path in found if "/_ledger/" in f"/{path}"}
    for path, each in sorted(found.items()):
        below = path.removeprefix(address.key).strip("/")
        is_hidden = any(part.startswith(".") for part in below.split("/"))
        if not is_hidden and not any(path.startswith(lake) for lake in lakes):
            yield Address(*address.parts[:2], path), each.size


def opened(address: Address) -> BufferedReader:
    """Raises OSError for a file that is not there, IronlakeError for one that cannot be read."""
    return _bucket(address).open(address.key)


def _bucket(address: Address) -> Storage:
    return storage_at(Address(*address.parts[:2]))
