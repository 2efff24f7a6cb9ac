"""Standard output and error of a command in this process, as a terminal or a pipe."""

from __future__ import annotations

import contextlib
import io
import os
import termios
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def stream(terminal: bool) -> Iterator[Any]:
    ours, theirs = os.openpty() if terminal else os.pipe()
    if terminal:
        changed = termios.tcgetattr(theirs)
        changed[1] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, changed)
    found: list[bytes] = []

    def read() -> None:
        # A terminal whose other end is closed is an error, not the end.
        with contextlib.suppress(OSError):
            while block := os.read(ours, 65_536):
                found.append(block)
        os.close(ours)

    reader = threading.Thread(target=read)
    reader.start()

    def everything() -> bytes:
        reader.join()
        return b"".join(found)

    yield io.TextIOWrapper(io.FileIO(theirs, "w"), encoding="utf-8", write_through=True), everything
