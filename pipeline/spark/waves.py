"""Work in waves: jobs of a bounded number of tasks. While the results of one are used, the next is under way."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import IronlakeError
from ..waiting import Outcome
from .failures import explained, text_of
from .task import versions

if TYPE_CHECKING:
    from pyspark import SparkContext

MOST_TASKS = 2_000
# Of what is sent along with the tasks of a wave.
_MOST_BYTES = 256 << 20
_WAVES = 2
# How long those under way may take to end where one has failed.
_STOPPING_S = 5

Task = TypeVar("Task")
# A word for each task, and its result: see task.py.
_Answers = list[tuple[str, Any]]


class Waves(Generic[Task]):
    """Do tasks on Spark by one function; `what` says that it failed. `pack` gives the task as it is sent, `keep` as it waits here for its
    result: a wave may be larger than memory. Function, packed tasks and results are pickled."""

    def __init__(
        self,
        context: SparkContext,
        function: Callable[[Any], Any],
        what: str,
        pack: Callable[[Task], Any] = lambda task: task,
        keep: Callable[[Task], Task] = lambda task: task,
    ):
        self._context, self._what, self._pack, self._keep = context, what, pack, keep
        self._run = _run_on_executor(versions(), pickle.dumps(function))
        # The first is small, so that work begins while this process still plans.
        self._tasks = 2 * context.defaultParallelism
        self._given: SimpleQueue[tuple[list[bytes], Outcome[_Answers]] | None] = SimpleQueue()
        self._under_way: deque[tuple[list[Task], Outcome[_Answers]]] = deque()
        for _ in range(_WAVES):
            threading.Thread(target=self._collect_waves, daemon=True, name="wave").start()

    def run(self, tasks: Iterator[Task]) -> Iterator[tuple[Task, Any]]:
        """The tasks with their results, in order. Takes no more tasks than two waves have.

        Raises what a task raised (IronlakeError), or IronlakeError where Spark or an executor failed."""
        more = True
        while more or self._under_way:
            while more and len(self._under_way) < _WAVES:
                wave, packed = self._next_wave(tasks)
                more = bool(wave)
                if wave:
                    outcome: Outcome[_Answers] = Outcome()
                    self._under_way.append((wave, outcome))
                    self._given.put((packed, outcome))
            if self._under_way:
                # Until it is there it is under way, for `close`.
                self._under_way[0][1].wait()
                wave, outcome = self._under_way.popleft()
                yield from zip(wave, self._results(outcome), strict=True)

    def _next_wave(self, tasks: Iterator[Task]) -> tuple[list[Task], list[bytes]]:
        wave: list[Task] = []
        packed: list[bytes] = []
        size = 0
        while len(wave) < self._tasks and size < _MOST_BYTES and (task := next(tasks, None)) is not None:
            wave.append(self._keep(task))
            packed.append(pickle.dumps(self._pack(task)))
            size += len(packed[-1])
        self._tasks = min(2 * self._tasks, MOST_TASKS)
        return wave, packed

    def _collect_waves(self) -> None:
        while (given := self._given.get()) is not None:
            packed, outcome = given
            outcome.make(partial(self._collect, packed))
            # While the thread waits for the next wave, it keeps nothing of this one.
            del given, packed, outcome

    def _collect(self, packed: list[bytes]) -> _Answers:
        return self._context.parallelize(packed, len(packed)).map(self._run).collect()

    def _results(self, outcome: Outcome[_Answers]) -> list[Any]:
        """The results of a wave: of all its tasks, or none."""
        try:
            answers = outcome.result()
        except Exception as error:
            raise explained(text_of(error), self._what) from None
        for word, value in answers:
            if word != "done":
                raise _error(word, value)
        return [pickle.loads(value) for _, value in answers]

    def close(self, is_failed: bool) -> None:
        if is_failed:
            # Spark may have been stopped already.
            with suppress(Exception):
                self._context.cancelAllJobs()
        for _ in range(_WAVES):
            self._given.put(None)
        for _, outcome in self._under_way:
            outcome.wait(_STOPPING_S)


def _run_on_executor(wanted: dict[str, str], setup: bytes) -> Callable[[bytes], tuple[str, Any]]:
    def run(piece: bytes) -> tuple[str, Any]:
        # Sent by its text, so that an executor without Ironlake can say so.
        try:
            from ironlake.pipeline.spark.task import do
        except ImportError as error:
            import socket

            return "missing", (socket.gethostname(), str(error))
        return do(wanted, setup, piece)

    return run


def _error(word: str, value: Any) -> IronlakeError:
    if word == "failed":
        return pickle.loads(value)
    host, what = value
    hint = "give all machines the same environment (ironlake docs spark)"
    if word == "missing":
        return IronlakeError(f"executor {host} cannot load Ironlake: {what}", hint=hint)
    return IronlakeError(f"executor {host} has {what}", "the versions of this process", hint)
