"""Parallel work: this process and spawned ones, each with one thread, read batches; results come in order."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

import pyarrow as pa

from ..waiting import Outcome, failed, made
from ..without_pandas import leave_pandas_alone

# mallopt(3): parameters of glibc. 32 MiB is the most that it takes for the first.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_BLOCK = 32 << 20

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol[Task, Result]):
    """Where tasks run: in processes of this machine (Workers), or on others. Within `with` it is ready."""

    def run(self, tasks: Iterator[Task]) -> Iterator[tuple[Task, Future[Result]]]:
        """Yield the tasks with their finished futures, in order, however they are run. Tasks are made when they are taken: no more are
        taken than are needed soon."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


@dataclass(eq=False)
class _Job(Generic[Task, Result]):
    task: Task
    outcome: Outcome[Result] = field(default_factory=Outcome)


class Workers(Generic[Task, Result]):
    """Run tasks in `jobs` processes: this one and spawned ones. Each process takes a new task when it finishes one, so all
    end at about the same time. If the block is left by an exception, running tasks are terminated.

    do: runs one task, in any process. give_away: returns the task as another process receives it, or as it waits.
    This process takes the newest task, the only one whose data are still in memory."""

    def __init__(self, jobs: int, do: Callable[[Task], Result], give_away: Callable[[Task], Task]):
        self._do, self._give_away = do, give_away
        self._idle = jobs - 1
        # While this process does one task, every other one may finish two.
        self._most_ready = 2 * jobs - 1
        self._most_pending = 4 * jobs
        self._ready: deque[_Job[Task, Result]] = deque()
        self._lock = threading.RLock()
        self._pool = None
        if jobs > 1:
            # One process needs none of this.
            from concurrent.futures import ProcessPoolExecutor
            from multiprocessing import active_children, get_context

            self._others = set(active_children())
            self._pool = ProcessPoolExecutor(jobs - 1, mp_context=get_context("spawn"), initializer=end_with_parent)
            with _interrupts_held():
                for _ in range(jobs - 1):
                    # Workers load their libraries while this process still looks at the files.
                    self._pool.submit(_get_ready, do)

    def run(self, tasks: Iterator[Task]) -> Iterator[tuple[Task, Future[Result]]]:
        """Yield the tasks (as `give_away` returns them) with their finished futures, in order. Takes no more tasks from
        `tasks` than the processes need."""
        pending: deque[_Job[Task, Result]] = deque()
        more = True
        while more or pending:
            while more and len(self._ready) < self._most_ready and len(pending) <= self._most_pending:
                task = next(tasks, None)
                if task is None:
                    more = False
                else:
                    pending.append(self._add(task))
            job = self._newest()
            if job:
                self._settle(job)
            elif pending:
                # The other processes have all remaining tasks.
                pending[0].outcome.wait()
            while pending and pending[0].outcome.is_there():
                done = pending.popleft()
                yield done.task, done.outcome.future()

    def _add(self, task: Task) -> _Job[Task, Result]:
        job: _Job[Task, Result] = _Job(task)
        with self._lock:
            if self._ready:
                self._ready[-1].task = self._give_away(self._ready[-1].task)
            self._ready.append(job)
        self._feed()
        return job

    def _newest(self) -> _Job[Task, Result] | None:
        with self._lock:
            return self._ready.pop() if self._ready else None

    def _settle(self, job: _Job[Task, Result]) -> None:
        """Run a job in this process."""
        try:
            job.outcome.take(made(self._do(job.task)))
        except Exception as error:
            job.outcome.take(failed(error))
        job.task = self._give_away(job.task)

    def _feed(self) -> None:
        """Give the oldest jobs to idle processes."""
        with self._lock:
            while self._pool and self._idle and self._ready:
                job = self._ready.popleft()
                job.task = self._give_away(job.task)
                self._idle -= 1
                try:
                    with _interrupts_held():
                        given = self._pool.submit(self._do, job.task)
                        given.add_done_callback(partial(self._arrived, job))
                except Exception as error:  # the pool is broken: pass the error to whoever waits for the job
                    job.outcome.take(failed(error))

    def _arrived(self, job: _Job[Task, Result], done: Future[Result]) -> None:
        """Take the result of another process. Runs in the thread of the pool."""
        with self._lock:
            self._idle += 1
        self._feed()
        if not done.cancelled():
            job.outcome.take(done)

    def __enter__(self) -> Workers[Task, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            self._ready.clear()
        if self._pool:
            if kind:
                from multiprocessing import active_children

                for worker in set(active_children()) - self._others:
                    worker.terminate()
            self._pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal. A worker that is started here never receives it, not even while it loads
    its libraries: it ends with its parent's pool. This process receives it afterwards: in between the pool may have something locked."""
    with interrupts_put_off():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _get_ready(do: Callable) -> None:
    """Receiving `do` has imported its module."""
    set_up_process()


def end_with_parent() -> None:
    """End a worker when its parent is killed (it would wait forever), and skip the slow clean-up at exit."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    atexit.register(os._exit, 0)
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def interrupts_put_off() -> Iterator[None]:
    """Raise an interrupt afterwards: one that Python raises within a destructor is lost. Other threads may take the signal, so that
    to block it in this one is not enough."""
    # Python cannot put back a handler that is not its own.
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep Python's cyclic garbage collector from running, and look once at what was made in between. Reading makes many objects
    and few cycles: going through them again and again takes up to a sixth of the time. What was there before, such as all that was
    imported, is not looked at but counts as old: that would take as long as a small batch."""
    was_on = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            with interrupts_put_off():
                gc.collect(1)
                gc.enable()


@cache
def set_up_process() -> None:
    """One thread per process: parallel work is done by processes, which must not compete for cores."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    pa.set_memory_pool(pa.system_memory_pool())
    leave_pandas_alone()
    _keep_freed_memory()


def _keep_freed_memory() -> None:
    """Keep freed blocks: batches allocate the same large blocks again and again (numpy and Arrow). Returning each to the
    system and faulting its pages in again takes a tenth of the time. Does nothing with another C library than glibc."""
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGEST_BLOCK)
        libc.mallopt(_M_TRIM_THRESHOLD, 8 * _LARGEST_BLOCK)
