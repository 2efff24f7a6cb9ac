"""Addresses of object storage such as s3://bucket/lake, beside paths of files."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from ..errors import UsageError

# As obstore has them.
_SCHEMES = {"s3", "s3a", "gs", "az", "abfs", "abfss"}
_EXPECTED = "an address such as s3://bucket/lake"


class Address(type(Path())):
    """A place in object storage, where commands expect a path. It is no path of a file: nothing on this machine has its name."""

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)

    def __fspath__(self) -> str:
        return str(self)

    @property
    def bucket(self) -> str:
        return self.parts[1]

    @property
    def key(self) -> str:
        """What is below the bucket."""
        return "/".join(self.parts[2:])


def place_of(text: str | os.PathLike[str]) -> Path:
    """A path, or the address that a text or a path of one is. Raises UsageError for an address without a bucket."""
    if isinstance(text, Address):
        return text
    parts = PurePath(text).parts
    if not parts or not parts[0].endswith(":") or parts[0][:-1].lower() not in _SCHEMES:
        return Path(text)
    if len(parts) < 2 or ".." in parts:
        raise UsageError(f"{text} is not an address of object storage", _EXPECTED)
    return Address(parts[0].lower(), *parts[1:])


def is_address(place: Path) -> bool:
    return isinstance(place_of(place), Address)
