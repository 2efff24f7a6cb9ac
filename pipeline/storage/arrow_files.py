"""The files of a lake as Arrow reads them."""

from __future__ import annotations

from io import BufferedReader

from .storage import Storage


def source_of(files: Storage, path: str) -> str | BufferedReader:
    """A file for a reader of Parquet."""
    return str(files.root / path) if files.is_local else files.open(path)
