"""Who holds a lock (flock): the kernel's list of locks knows it, so that nobody need write it down."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_LOCKS, _PROCESSES = Path("/proc/locks"), Path("/proc")
_LOCK = re.compile(r"\d+: FLOCK +\w+ +WRITE +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) ")
_MOST_CHARACTERS = 120


def lock_holder(descriptor: int) -> str:
    """The process that holds the lock of a file exclusively, in words: its command and number where they are known."""
    with suppress(OSError):
        inode = os.fstat(descriptor).st_ino
        for line in _LOCKS.read_text().splitlines():
            if (found := _LOCK.match(line)) and int(found[2]) == inode:
                return _in_words(int(found[1]))
    return "another process, perhaps of another machine"


def _in_words(process: int) -> str:
    command = ""
    with suppress(OSError):
        raw = (_PROCESSES / str(process) / "cmdline").read_bytes()
        words = [word.decode("utf-8", "replace") for word in raw.split(b"\0") if word]
        # The interpreter says nothing.
        if len(words) > 1 and "python" in os.path.basename(words[0]):
            words = words[1:]
        command = " ".join([os.path.basename(words[0]), *words[1:]]) if words else ""
    short = command if len(command) <= _MOST_CHARACTERS else f"{command[:_MOST_CHARACTERS]}…"
    return f"process {process}" + (f" ({short})" if short else "")
