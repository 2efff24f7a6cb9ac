"""What a long command is doing, on one line of standard error that the next step overwrites. Only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from .terminal import own_stream, printable

_CLEARED = "\r\x1b[K"


class StatusLine:
    """The only writer to standard error between `with` and its end."""

    def __init__(self) -> None:
        self._is_shown = bool(sys.stderr and sys.stderr.isatty())

    def step(self, words: str) -> None:
        if self._is_shown:
            print(f"{_CLEARED}{printable(words)} …", end="", file=own_stream(sys.stderr), flush=True)

    def clear(self) -> None:
        """Leave the line to others."""
        if self._is_shown:
            print(_CLEARED, end="", file=own_stream(sys.stderr), flush=True)

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()
