"""The file locks that lakes and temporary folders are kept apart by: of the kernel (flock), shared or exclusive, on a file that is open already,
and gone with the process that holds them, however it ends. Windows has none of this kind, nor the calls by which a lake opens its files
(storage/folder.py)."""

from __future__ import annotations

from .errors import IronlakeError

try:
    import fcntl
except ImportError:
    what = "this system has none of the file locks that a lake needs"
    raise IronlakeError(what, "Linux or macOS", "on Windows use Ironlake in WSL or in a container") from None

__all__ = ["fcntl"]
