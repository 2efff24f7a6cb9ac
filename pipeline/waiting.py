"""Wait for other threads so that Ctrl-C is heard."""

from concurrent.futures import Future, wait
from typing import Any, TypeVar

# How often the main thread looks for a signal.
_LOOK_S = 0.1
_T = TypeVar("_T")


def wait_for(future: Future[Any]) -> None:
    """Wait until a future is done, with a result or an error.

    Not without a limit: another thread may get the signal, and where polars is loaded, no signal ends a wait: its handler is in front of
    Python's, and the system goes on waiting behind it."""
    while not future.done():
        wait([future], _LOOK_S)


def result_of(future: Future[_T]) -> _T:
    """What a future gives, or raises."""
    wait_for(future)
    return future.result()
