"""Questions to a lake that may change meanwhile: each sees the newest state, and ends after a bound of time or when nobody waits for it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import duckdb

from ..errors import IronlakeError
from ..lake.ledger import require_lake
from ..sql.answer import Work, current_work, interruptible
from ..sql.memory import memory_bytes
from ..sql.open_lake import OpenLake, open_lake

AT_ONCE = 20
# What libraries, and answers as values of Python, take beside DuckDB.
_BESIDE_BYTES = 3 << 29
# An interrupt that DuckDB does not see within this time it never will.
_UNSEEN_S = 4.0
_LOOK_S = 0.2
# A question that runs out of time may interrupt what another waits for: a view that both need is made once.
_TRIES = 5
_T = TypeVar("_T")


def is_interrupted(error: Exception) -> bool:
    """Whether a question ended because somebody ended it."""
    return "interrupt" in str(error).lower()


def _memory_taken() -> int:
    """The bytes of this process in memory; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


class _Running:
    """A question at work: when it must end, and why it was ended."""

    def __init__(self, seconds: float, is_gone: Callable[[], bool]):
        self._seconds, self._until, self._is_gone = seconds, time.monotonic() + seconds, is_gone
        self.work: Work | None = None
        self._ended = 0.0
        self.why = ""

    def look(self, is_ending: bool, is_full: bool) -> None:
        """End it if it is time. An interrupt is lost where nothing works at that moment, so that each look repeats it."""
        if is_ending:
            self.why = self.why or "the server ends"
        elif is_full:
            self.why = self.why or "the questions that are asked now take more memory than there is for them"
        elif time.monotonic() > self._until:
            self.why = self.why or f"no complete answer within {self._seconds:g} s"
        elif self._is_gone():
            self.why = self.why or "nobody waits for the answer any more"
        if self.why and self.work:
            self._ended = self._ended or time.monotonic()
            self.work.interrupt()

    @property
    def is_stuck(self) -> bool:
        return bool(self._ended) and time.monotonic() - self._ended > _UNSEEN_S


class _Held:
    """An open lake, and how many questions read it."""

    def __init__(self, lake: OpenLake, step: int):
        self.lake, self.step, self.readers = lake, step, 0


class Questions:
    """Asks a lake. Raises UsageError where there is none."""

    def __init__(self, path: Path, memory: str | None, seconds: float):
        self._path, self._memory, self._seconds = path, memory, seconds
        self._lock, self._running = threading.Lock(), set[_Running]()
        self._is_ending = threading.Event()
        self._held = self._open()
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self._most_bytes = (memory_bytes(self._held.lake.memory) or machine * 6 // 10) + _BESIDE_BYTES
        threading.Thread(target=self._watch, daemon=True, name="questions").start()

    def _open(self) -> _Held:
        # Asked first: a commit while the lake is opened is one more.
        step = require_lake(self._path).newest_known()
        return _Held(open_lake(self._path, self._memory), step)

    def ask(self, work: Callable[[OpenLake], _T], is_gone: Callable[[], bool] = lambda: False) -> _T:
        """What `work` makes of the lake as it is now. Raises IronlakeError where it takes too long; whatever was made is then dropped."""
        running = _Running(self._seconds, is_gone)
        with self._newest() as lake, self._watched(running):

            def begin() -> _T:
                running.work = current_work()
                return work(lake)

            for left in reversed(range(_TRIES)):
                try:
                    return interruptible(begin)
                except (IronlakeError, duckdb.Error, RuntimeError) as error:
                    if running.why:
                        hint = "ask for less, or start the server with a longer --timeout"
                        raise IronlakeError(running.why, hint=hint) from None
                    if not is_interrupted(error) or not left:
                        raise
        raise AssertionError

    @contextmanager
    def _watched(self, running: _Running) -> Iterator[None]:
        with self._lock:
            self._running.add(running)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(running)

    @contextmanager
    def _newest(self) -> Iterator[OpenLake]:
        """The lake, opened again if it has a newer step; the older one is closed after its last question."""
        with self._lock:
            if require_lake(self._path).newest_known() != self._held.step:
                before, self._held = self._held, self._open()
                if not before.readers:
                    before.lake.close()
            held = self._held
            held.readers += 1
        try:
            yield held.lake
        finally:
            with self._lock:
                held.readers -= 1
                if held is not self._held and not held.readers:
                    held.lake.close()

    def _watch(self) -> None:
        idle = 0
        while True:
            is_ending = self._is_ending.wait(_LOOK_S)
            with self._lock:
                running = list(self._running)
            taken = _memory_taken()
            # What is taken while nobody asks no question can give back.
            idle = idle if running else taken
            is_full = taken > max(self._most_bytes, idle + _BESIDE_BYTES)
            if is_full and any(each.is_stuck for each in running):
                print("ironlake: a question took all memory and could not be ended: the server ends", file=sys.stderr)
                os._exit(1)
            for each in running:
                # A connection that is gone cannot be asked.
                with suppress(Exception):
                    each.look(is_ending, is_full)
            if is_ending and not running:
                return
            if is_ending:
                time.sleep(_LOOK_S)

    @property
    def running(self) -> int:
        """How many questions are at work."""
        return len(self._running)

    def end(self) -> None:
        """End all that is under way."""
        self._is_ending.set()

    def close(self) -> None:
        self.end()
        until = time.monotonic() + 3
        while self._running and time.monotonic() < until:
            time.sleep(0.05)
        self._held.lake.close()
