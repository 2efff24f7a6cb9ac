"""Interrupts that come at a step of our choice."""

from __future__ import annotations

import sys
from types import FrameType


class InterruptAt:
    """Raised at a numbered step that Python takes in this thread: where a signal is heard, among others."""

    def __init__(self, step: int):
        self._left = step

    def __enter__(self) -> None:
        sys.settrace(self._trace)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, what: object):
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        return self._trace
