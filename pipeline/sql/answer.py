"""The answer to a query, and work on DuckDB that Ctrl-C ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

import duckdb
import pyarrow as pa

from ..errors import LEFT_WORKING, IronlakeError
from ..waiting import Outcome
from .query_errors import explained_query

# How long an interrupted query may take to stop.
_STOPPING_S = 1.5
_T = TypeVar("_T")


class Result:
    """The answer to a query; every access runs it. What is not here is found on `relation`, DuckDB's own object."""

    def __init__(
        self, lake: object, connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation, text: str
    ):
        self._lake = lake  # an open lake that nobody else holds must outlive its answer
        self._connection, self._text = connection, text
        self.relation = relation

    @property
    def columns(self) -> list[str]:
        return self._run(lambda: list(self.relation.columns))

    def _run(self, work: Callable[[], _T]) -> _T:
        with explained_query(self._text):
            return interruptible(work, self._connection)

    def arrow(self) -> pa.Table:
        return self._run(self.relation.to_arrow_table)

    def reader(self, rows: int = 65_536) -> pa.RecordBatchReader:
        """The rows some at a time, for answers that do not fit into memory."""
        found = self._run(lambda: self.relation.to_arrow_reader(rows))

        def batches() -> Iterator[pa.RecordBatch]:
            while (batch := self._run(lambda: next(found, None))) is not None:
                yield batch

        return pa.RecordBatchReader.from_batches(found.schema, batches())

    def pl(self) -> Any:
        """A polars data frame."""
        return self._run(self.relation.pl)

    def df(self) -> Any:
        """A pandas data frame."""
        return self._run(self.relation.df)

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._run(self.relation.fetchall)

    def __getattr__(self, name: str) -> Any:
        with explained_query(self._text):
            return getattr(self.relation, name)

    def __repr__(self) -> str:
        try:
            return self._run(lambda: repr(self.relation))
        except IronlakeError as error:
            return f"<Answer: {error.what}>"


class Interruptible(Protocol):
    """A connection, or whatever else works for a question."""

    def interrupt(self) -> None: ...


class Work:
    """What one question asks of connections, in whatever threads: an interrupt ends it all."""

    def __init__(self) -> None:
        self._connections: list[Interruptible] = []
        self._is_ended = False

    def interrupt(self) -> None:
        """End what is under way. What would begin after it raises duckdb.InterruptException."""
        self._is_ended = True
        for connection in list(self._connections):
            connection.interrupt()

    @contextmanager
    def includes(self, *connections: Interruptible) -> Iterator[None]:
        self._connections += connections
        try:
            # Only now: an interrupt sees what was added before it.
            if self._is_ended:
                raise duckdb.InterruptException("interrupted")
            yield
        finally:
            for connection in connections:
                self._connections.remove(connection)


_WORK: ContextVar[Work] = ContextVar("work")


def current_work() -> Work:
    """What this thread works for; `contextvars.copy_context` takes it along to other threads."""
    return _WORK.get()


def interruptible(work: Callable[[], _T], *connections: Interruptible) -> _T:
    """Do some work on connections so that Ctrl-C, or whatever a signal raises, ends it: DuckDB does not look at signals while it works.

    What it does in other threads ends with it. A function of DuckDB on one large value does not see an interrupt either. After `_STOPPING_S` it
    is left working."""
    whole = _WORK.get(None) or Work()

    def run() -> _T:
        before = _WORK.set(whole)
        try:
            with whole.includes(*connections):
                return work()
        finally:
            _WORK.reset(before)

    if threading.current_thread() is not threading.main_thread():
        return run()
    outcome: Outcome[_T] = Outcome()
    thread = threading.Thread(target=outcome.make, args=(run,), daemon=True)
    try:
        # Here already: an interrupt may come while the thread starts.
        thread.start()
        return outcome.result()
    except BaseException:
        until = time.monotonic() + _STOPPING_S
        while not outcome.is_there() and time.monotonic() < until:
            whole.interrupt()
            outcome.wait(seconds=0.1)
        if not outcome.is_there():
            thread.name = LEFT_WORKING
        raise
