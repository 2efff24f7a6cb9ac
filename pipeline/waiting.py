"""Wait for other threads so that Ctrl-C is heard."""

from concurrent.futures import Future, wait
from typing import Any

# How often the main thread looks for a signal.
_LOOK_S = 0.1


def wait_for(future: Future[Any]) -> None:
    """Wait until a future is done, with a result or an error.

    Not without a limit: another thread may have got the signal, and the main thread would not wake for it."""
    while not future.done():
        wait([future], _LOOK_S)
