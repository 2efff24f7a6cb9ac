"""Addresses of object storage such as s3://bucket/lake, beside paths of files."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath

from ..errors import UsageError

# As obstore has them.
_SCHEMES = {"s3", "s3a", "gs", "az", "abfs", "abfss"}
_EXPECTED = "an address such as s3://bucket/lake"
# Azure has the account behind the container. All else between @ or : would be a key, which must not get into messages and lakes.
_BUCKET = re.compile(r"[\w.-]+", re.ASCII)
_CONTAINER = re.compile(r"[\w.-]+(@[\w.-]+)?", re.ASCII)
_NO_TEXT = re.compile("[\0-\x1f\x7f\ud800-\udfff]")


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
    """A path, or the address that a text or a path of one is. Raises UsageError for an address without a bucket, or that no file can have."""
    if isinstance(text, Address):
        return text
    parts = PurePath(text).parts
    if not parts or not parts[0].endswith(":") or parts[0][:-1].lower() not in _SCHEMES:
        return Path(text)
    scheme = parts[0].lower()
    if len(parts) < 2 or ".." in parts or _NO_TEXT.search(str(text)):
        raise UsageError(f"{str(text)!r} is not an address of object storage", _EXPECTED)
    if not (_CONTAINER if scheme.startswith("abfs") else _BUCKET).fullmatch(parts[1]):
        raise UsageError(
            f"what follows {scheme}// is no name of a bucket", _EXPECTED, "credentials are taken from the environment"
        )
    return Address(scheme, *parts[1:])


def is_address(place: Path) -> bool:
    return isinstance(place_of(place), Address)
