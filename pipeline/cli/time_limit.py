"""A limit on how long a command may take."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..errors import IronlakeError
from .common import forget_output


class _TimedOut(IronlakeError):
    """No subclass of TimeoutError: that is an OSError, and would be taken for one of a file."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End the work within after so many seconds, whatever it waits for; None is no limit. Only in the main thread.

    Raises IronlakeError."""
    if seconds is None:
        yield
        return

    def end(signal_number: int, frame: FrameType | None) -> None:
        raise _TimedOut(f"no complete answer within {seconds:g} s", hint="give a longer --timeout, or ask for less")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _TimedOut:
        # A reader that reads no more would be waited for again.
        forget_output()
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
