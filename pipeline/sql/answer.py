"""The answer to a query, and work on DuckDB that Ctrl-C ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

import duckdb
import pyarrow as pa

from ..errors import LEFT_WORKING, IronlakeError
from ..waiting import Outcome
from .column_types import in_values, typed
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
        """Raises UsageError for a type that Arrow does not have."""
        return self._run(lambda: typed(self.relation, "Arrow").to_arrow_table().rename_columns(self.relation.columns))

    def reader(self, rows: int = 65_536) -> pa.RecordBatchReader:
        """The rows some at a time, for answers that do not fit into memory. Raises UsageError for a type that Arrow does not have."""
        return self._batches(self._run(lambda: typed(self.relation, "Arrow")), rows)

    def written(self, output_format: str, rows: int = 65_536) -> pa.RecordBatchReader:
        """The rows some at a time, for what writes a format: columns of types that it has no values for are text, as DuckDB writes them.

        Raises UsageError for a type that a Parquet file does not have."""
        if output_format == "parquet":
            return self._batches(self._run(lambda: typed(self.relation, "Parquet")), rows)
        relation, of_text = self._run(lambda: in_values(self.relation))
        return self._batches(relation, rows, of_text)

    def _batches(
        self, relation: duckdb.DuckDBPyRelation, rows: int, of_text: Sequence[pa.DataType | None] = ()
    ) -> pa.RecordBatchReader:
        """The rows of what was made of the relation, under its names, with other types of Arrow for columns of text."""
        found = self._run(lambda: relation.to_arrow_reader(rows))
        types = [then or as_it_is for then, as_it_is in zip_longest(of_text, found.schema.types)]
        fields = zip(self.relation.columns, types, found.schema, strict=True)
        schema = pa.schema([field.with_name(name).with_type(then) for name, then, field in fields])

        def batches() -> Iterator[pa.RecordBatch]:
            while (batch := self._run(lambda: next(found, None))) is not None:
                columns = zip(batch.columns, types, strict=True)
                made = [column if column.type == then else column.cast(then) for column, then in columns]
                yield pa.RecordBatch.from_arrays(made, schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def pl(self) -> Any:
        """A polars data frame. Raises UsageError for a type that Polars does not have."""
        return self._run(lambda: typed(self.relation, "Polars").pl())

    def df(self) -> Any:
        """A pandas data frame. Raises UsageError for a type that pandas does not have, and for an INTERVAL of months."""
        return self._run(lambda: typed(self.relation, "pandas").df())

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
