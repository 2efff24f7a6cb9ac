"""Questions to a lake: each sees its newest state, and ends after a bound of time or memory, or when nobody waits for it."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import duckdb

from ..errors import IronlakeError
from ..sql.answer import Work, current_work, interruptible
from ..sql.connection import connect
from ..sql.memory import DEFAULT_MEMORY, memory_bytes, memory_limit
from ..sql.open_lake import OpenLake
from .newest import NewestLake
from .question_process import Page, QuestionProcess
from .requests import Answer, Request

AT_ONCE = 20
# A process with its libraries, and a page of an answer, for each question.
_EACH_BYTES = 128 << 20
_LEAST_BYTES = 96 << 20
_LOOK_S = 0.2
# A process that waits for a question so long ends; one waits always.
_IDLE_S = 60.0
# A question that runs out of time may interrupt what another waits for: a view that both need is made once.
_TRIES = 5
_T = TypeVar("_T")


def _is_interrupted(error: Exception) -> bool:
    """Whether a question ended because somebody ended it."""
    return "interrupt" in str(error).lower()


def _memory_for_all(memory: str | None) -> int:
    """Bytes that DuckDB may take, as it understands a part of the machine or of a container."""
    with connect(memory_limit=memory_limit(memory) or DEFAULT_MEMORY) as connection:
        (text,) = connection.sql("SELECT current_setting('memory_limit')").fetchall()[0]
    return memory_bytes(memory_limit(text)) or _LEAST_BYTES


class _Running:
    """A question at work: when it must end, and why it was ended."""

    def __init__(self, seconds: float, is_gone: Callable[[], bool]):
        self._seconds, self._until, self._is_gone = seconds, math.inf, is_gone
        self._lock = threading.Lock()
        self._work: Work | QuestionProcess | None = None
        self._why = ""

    def works(self, work: Work | QuestionProcess | None) -> None:
        """What is interrupted from now on; the time of the question begins with the first."""
        with self._lock:
            self._work = work
            self._until = min(self._until, time.monotonic() + self._seconds)

    @property
    def memory_taken(self) -> int:
        """Bytes of a process of its own."""
        work = self._work
        return work.memory_taken if isinstance(work, QuestionProcess) else 0

    def look(self, is_ending: bool, is_too_large: bool) -> None:
        """End it if it is time. An interrupt is lost where nothing works at that moment, so that each look repeats it."""
        if is_ending:
            self._why = self._why or "the server ends"
        elif is_too_large:
            self._why = self._why or "the questions that are asked now take more memory than there is for them"
        elif time.monotonic() > self._until:
            self._why = self._why or f"no complete answer within {self._seconds:g} s"
        elif self._is_gone():
            self._why = self._why or "nobody waits for the answer any more"
        with self._lock:
            if self._why and self._work:
                self._work.interrupt()

    @property
    def was_ended(self) -> bool:
        return bool(self._why)

    def require_going_on(self) -> None:
        """Raise IronlakeError if it was ended."""
        if self.was_ended:
            raise IronlakeError(self._why, hint="ask for less, or start the server with a longer --timeout") from None


class Questions:
    """Asks a lake. Raises UsageError where there is none."""

    def __init__(self, path: Path, memory: str | None, seconds: float):
        self._path, self._seconds = path, seconds
        whole = _memory_for_all(memory)
        # Of a query of the reader's own, of all of these together, and of the pages of the lake.
        self._own_bytes, self._all_own_bytes = max(whole // 4, _LEAST_BYTES), whole // 2 + AT_ONCE * _EACH_BYTES
        self._newest = NewestLake(path, f"{max(whole // 2, _LEAST_BYTES) >> 20}MiB")
        self._lock, self._running = threading.Condition(), set[_Running]()
        self._idle: list[QuestionProcess] = []
        self._starting = 0
        self._is_ending = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="questions").start()

    def ask(self, work: Callable[[OpenLake], _T], is_gone: Callable[[], bool] = lambda: False) -> _T:
        """What `work` makes of the lake as it is now. Raises IronlakeError where it takes too long; whatever was made is then dropped."""
        with self._newest() as lake, self._watched(is_gone) as running:

            def begin() -> _T:
                running.works(current_work())
                return work(lake)

            for left in reversed(range(_TRIES)):
                try:
                    return interruptible(begin)
                except (IronlakeError, duckdb.Error, RuntimeError) as error:
                    running.require_going_on()
                    if not _is_interrupted(error) or not left:
                        raise
        raise AssertionError

    def ask_apart(self, page: Page, request: Request) -> Answer:
        """A page of a query of the reader's own, made by another process. Raises IronlakeError where that takes too long, or more memory than
        one question may; the process ends then."""
        with self._watched(request.is_gone) as running:
            process = self._process()
            running.works(process)
            try:
                answer = process.ask(page, request)
                if isinstance(answer.body, Path):
                    file = answer.body
                    answer = replace(answer, body=file.open("rb"))
                    file.unlink()
            except BaseException:
                process.end()
                running.require_going_on()
                raise
            finally:
                running.works(None)
            with self._lock:
                if is_kept := not (process.is_worn or running.was_ended or self._is_ending.is_set()):
                    self._idle.append(process)
                    self._lock.notify()
            if not is_kept:
                process.end()
            return answer

    def _process(self) -> QuestionProcess:
        """A process that waits for a question, or a new one. No more start at once than there are processors: meanwhile others come back."""
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._idle or self._starting < (os.cpu_count() or 1))
                process = self._idle.pop() if self._idle else None
                self._starting += process is None
            if process is None:
                try:
                    return QuestionProcess(self._path, self._own_bytes)
                finally:
                    with self._lock:
                        self._starting -= 1
                        self._lock.notify()
            if process.is_alive:
                return process
            process.end()

    @contextmanager
    def _watched(self, is_gone: Callable[[], bool]) -> Iterator[_Running]:
        running = _Running(self._seconds, is_gone)
        with self._lock:
            self._running.add(running)
        try:
            yield running
        finally:
            with self._lock:
                self._running.remove(running)

    def _watch(self) -> None:
        while True:
            is_ending = self._is_ending.wait(_LOOK_S)
            with self._lock:
                running = list(self._running)
                # The first of the list waits longest.
                old = self._idle[:1] if is_ending or len(self._idle) > 1 else []
                old = [each for each in old if is_ending or time.monotonic() - each.idle_since > _IDLE_S]
                self._idle = self._idle[len(old) :]
            for process in old:
                process.end()
            taken = {each: each.memory_taken for each in running}
            # The largest makes room for the others.
            too_large = max(running, key=lambda r: taken[r]) if sum(taken.values()) > self._all_own_bytes else None
            for each in running:
                # A connection that is gone cannot be asked.
                with suppress(Exception):
                    each.look(is_ending, each is too_large)
            if is_ending and not running and not old:
                return
            if is_ending:
                time.sleep(_LOOK_S / 10)

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
        while (self._running or self._idle) and time.monotonic() < until:
            time.sleep(0.05)
        self._newest.close()
