"""Waits that an interrupt ends."""

from concurrent.futures import Future, wait
from typing import TypeVar

_LOOKS_EACH_S = 0.1
_T = TypeVar("_T")


def result_of(future: Future[_T]) -> _T:
    """What a future gives. Python sees a signal at the end of a wait, and where Polars is loaded no signal ends one: it has its own handler
    in front of Python's, after which the system goes on waiting."""
    while not future.done():
        wait([future], _LOOKS_EACH_S)
    return future.result()
