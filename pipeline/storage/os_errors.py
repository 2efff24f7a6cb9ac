"""Errors of files, in words for whoever uses a lake."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import IronlakeError
from .leftovers import TEMPORARY


@contextmanager
def translate_os_errors(folder: Path, doing: str = "write to") -> Iterator[None]:
    """Turn an OSError under `folder` into an IronlakeError with a hint."""
    try:
        yield
    except OSError as error:
        hints = {
            errno.ENOSPC: "free disk space and run the same command again; committed files are safe",
            errno.EDQUOT: "the disk quota is used up; free space and run the same command again",
            errno.EROFS: "the file system is read-only; choose another folder with --lake",
            errno.EACCES: f"choose another folder with --lake, or get permission to {doing.split()[0]}",
            errno.EPERM: f"choose another folder with --lake, or get permission to {doing.split()[0]}",
        }
        reason = os.strerror(error.errno) if error.errno else str(error)
        # A temporary name of ours says nothing to anybody.
        is_told = error.filename and str(error.filename) != str(folder) and TEMPORARY not in Path(error.filename).parts
        at = f" ({error.filename})" if is_told else ""
        hint = hints.get(error.errno or 0, "run the same command again; committed files are safe")
        raise IronlakeError(f"cannot {doing} the lake {folder}: {reason}{at}", hint=hint) from error
