"""What killed commands left: folders for spilled rows, and half-written catalogs. The next command of the same kind removes them.

The id of the process that made it is in each name. Only what is this user's own, is no link and whose process is gone is removed.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

_SPILL = re.compile(r"ironlake-spill-(\d+)-\w+")


def spill_folder() -> str:
    """A new folder for what DuckDB spills; folders of processes that are gone are removed first."""
    _remove_left(Path(tempfile.gettempdir()), _SPILL)
    return tempfile.mkdtemp(prefix=f"ironlake-spill-{os.getpid()}-")


def half_written(out: Path) -> Path:
    """Where a catalog is written before it takes its place; those of processes that are gone are removed first."""
    name = re.compile(rf"\.{re.escape(out.name)}\.(\d+)(?:\.wal|\.tmp)?")
    _remove_left(out.parent, name)
    return out.with_name(f".{out.name}.{os.getpid()}")


def _remove_left(folder: Path, name: re.Pattern[str]) -> None:
    """Remove from a folder what has such a name, with the id of a process that is gone."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            found = name.fullmatch(entry.name)
            if found and _is_gone(int(found[1])):
                with suppress(OSError):
                    _remove(entry)


def _remove(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if status.st_uid != os.geteuid():
        return
    if stat.S_ISDIR(status.st_mode):
        shutil.rmtree(entry.path, ignore_errors=True)
    elif stat.S_ISREG(status.st_mode):
        os.unlink(entry.path)


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        # Another user's, or no process id at all.
        return False
    return False
