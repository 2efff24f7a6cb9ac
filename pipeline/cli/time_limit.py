"""A limit on how long a command may take."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..errors import IronlakeError

# Python code that a library calls may swallow an exception: then it comes again, after all that ends a query (session.py) is done.
_AGAIN_S = 5.0


class TimedOut(IronlakeError):
    """An answer took too long. No subclass of TimeoutError: that is an OSError, and would be taken for one of a file."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End the work within after that many seconds, whatever it waits for; None is no limit. Only in the main thread.

    Raises TimedOut."""
    if seconds is None:
        yield
        return

    timed_out = TimedOut(f"no complete answer within {seconds:g} s", hint="give a longer --timeout, or ask for less")
    is_over = False

    def end(signal_number: int, frame: FrameType | None) -> None:
        nonlocal is_over
        is_over = True
        raise timed_out

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    except RuntimeError as error:
        # Where DuckDB works in the main thread, it says no more than that of what a signal raised.
        if is_over and str(error) == "Query interrupted":
            raise timed_out from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
