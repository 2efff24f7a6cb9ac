"""Wait for other threads so that Ctrl-C is heard, and leaves nothing locked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

# How often the main thread looks for a signal.
_LOOK_S = 0.1
_T = TypeVar("_T")


class Outcome(Generic[_T]):
    """What one thread makes and another waits for.

    Not a future that both threads use: Python takes its lock and notes that it has it in two steps. An interrupt between them leaves the lock taken,
    and the thread that makes the result waits for it forever. The queue takes its lock in one step."""

    def __init__(self) -> None:
        self._arrives: SimpleQueue[Future[_T]] = SimpleQueue()
        self._arrived: Future[_T] | None = None

    def make(self, work: Callable[[], _T]) -> None:
        """Do the work in this thread. What it raises is raised where the result is taken."""
        try:
            done = made(work())
        except BaseException as error:
            done = failed(error)
        self.take(done)

    def take(self, done: Future[_T]) -> None:
        """`done`, which nobody changes any more, is the outcome."""
        self._arrives.put(done)

    def is_there(self) -> bool:
        return self._arrived is not None or not self._arrives.empty()

    def wait(self, seconds: float = math.inf) -> None:
        """Until it is there, or for that many seconds.

        Not in one piece: another thread may get the signal, and where polars is loaded, no signal ends a wait: its handler is in front of
        Python's, and the system goes on waiting behind it."""
        until = time.monotonic() + seconds
        while self._arrived is None and (left := until - time.monotonic()) > 0:
            with suppress(Empty):
                self._arrived = self._arrives.get(timeout=min(left, _LOOK_S))

    def future(self) -> Future[_T]:
        """The finished future, once it is there."""
        self.wait()
        assert self._arrived is not None
        return self._arrived

    def result(self) -> _T:
        """What was made, once it is there. Raises what making it raised."""
        return self.future().result()


def failed(error: BaseException) -> Future[Any]:
    """A future that is finished with an error."""
    done: Future[Any] = Future()
    done.set_exception(error)
    return done


def made(value: _T) -> Future[_T]:
    """A future that is finished."""
    done: Future[_T] = Future()
    done.set_result(value)
    return done
