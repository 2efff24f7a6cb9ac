"""Ad-hoc SQL over a lake: a DuckDB session that sees the lake's tables and views and nothing else of the machine.

Tables are the parts that the ledger names, in memory or, where they are large, as Arrow datasets. What a query names is made when
it is first named. File access, extensions and Python variables are switched off for good before the first query.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import duckdb
import pyarrow as pa

from ..declaration.bookkeeping import CELL_NULL, INGEST_FILE, ROW_LINE
from ..declaration.reading_options import READER_VERSION
from ..declaration.report import Table
from ..declaration.study_tables import COMPUTED
from ..errors import LEFT_WORKING, IronlakeError
from ..lake.damage import damage_error, find_damage
from ..lake.footers import contradiction
from ..lake.ledger import Part, State, require_lake
from ..lake.parts import PartStore
from ..storage.address import place_of
from ..without_pandas import leave_pandas_alone
from .guard import checked_query
from .known_tables import tables
from .memory import memory_limit
from .query_errors import closed_lake, explained_query, unknown_name
from .schema import ingest_file, plain_schema
from .temporary_folders import spill_folder
from .view_files import View, macros, views

if TYPE_CHECKING:
    import pyarrow.dataset as pads

    from .part_dataset import PartDataset
    from .prune import Window

_CLOSED = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
}
# Last, and not at the start: DuckDB then allows the file of its own name, ":memory:" in the current folder.
_CLOSING = ("SET enable_external_access = false", "SET lock_configuration = true")
# What lists tables and views.
_LISTS = re.compile(
    r"\b(information_schema|sqlite_\w+|(duckdb|pragma|pg)_\w+|show)\b|^\s*describe\s*;?\s*$", re.IGNORECASE
)
_MISSED = re.compile(r'Table with name "?(.+?)"? does not exist')
# What views name, by their text and the names that there are: the same for every session of a process.
_NAMED_BY_VIEWS: dict[tuple[str, tuple[str, ...]], list[str]] = {}
# Some tens of megabytes of the widest table.
_FEW_ROWS = 50_000
# A table of more files is read by what is asked of it: to open them all takes longer.
_FEW_PARTS = 256
# How long an interrupted query may take to stop.
_STOPPING_S = 2.0
_T = TypeVar("_T")


def open_lake(path: str | os.PathLike[str], memory: str | None = None) -> OpenLake:
    """Open the lake in a folder for reading, as it is now; later commits are seen when it is opened again. `memory` bounds what DuckDB
    takes for a query, such as "4GB".

    Raises UsageError where there is no lake."""
    return OpenLake(place_of(path), memory=memory)


class OpenLake:
    """A lake open for reading. `sql` answers a query; `tables` and `views` name what there is."""

    def __init__(self, path: Path, few_rows: int = _FEW_ROWS, memory: str | None = None):
        """A table of at most `few_rows` is read once, and what views make of it is kept."""
        self.path, self._few_rows = place_of(path), few_rows
        # As DuckDB takes it.
        self.memory = memory_limit(memory)
        ledger = require_lake(path)
        self._files = ledger.files
        # Held before the ledger is read: the parts that it names then stay until `close`.
        self._in_use = self._files.in_use()
        self.state: State = ledger.state()
        self._session = Session(self.dataset, memory=self.memory)
        self._closed = False

    def require_open(self) -> None:
        """Raise UsageError after `close`: nothing keeps the files of the lake then."""
        if self._closed:
            raise closed_lake()

    @property
    def outdated(self) -> list[str]:
        """Files that an older Ironlake ingested. Of their cells that say why they are empty nobody knows the row, so that views have
        NULL where such a reason decides."""
        return [e.source_file for e in self.state.read_otherwise(READER_VERSION) if e.rows.get(CELL_NULL.name)]

    @property
    def outdated_note(self) -> str:
        """Says that files should be ingested again; empty where none should."""
        if not (old := self.outdated):
            return ""
        files = f"{old[0]} was" if len(old) == 1 else f"{len(old)} files, such as {old[0]}, were"
        return f"{files} ingested by an older Ironlake: some values are unknown; ingest again"

    @property
    def tables(self) -> list[str]:
        return sorted(tables())

    @property
    def views(self) -> list[str]:
        return sorted(views())

    def rows(self, table: str) -> int:
        """How many rows a table has. Raises UsageError for a name that is no table."""
        if table not in tables():
            raise unknown_name(table)
        made = self.made(tables()[table])
        return sum(p.rows for p in self.state.parts_of(table)) if made is None else made.num_rows

    def schema(self, name: str) -> pa.Schema:
        """Arrow schema of a table or view, with unit and description of every column. Raises UsageError for a name that is
        neither."""
        if name in tables():
            return plain_schema(tables()[name])
        if name not in views():
            raise unknown_name(name)
        self.require_open()
        return view_schema(views()[name], self._session.schema(name))

    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Answer one SELECT statement; `parameters` are the values of `$name` in it.

        Raises UsageError with DuckDB's message where it cannot be answered."""
        return Result(self, *self.relation(text, parameters), text)

    def relation(
        self, text: str, parameters: Mapping[str, object] | None = None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        """The answer to one statement that reads, not yet run, and the connection that it runs on."""
        self.require_open()
        return self._session.relation(text, parameters)

    def check_query(self, text: str) -> None:
        """Raise UsageError for a query that would not be answered, as far as can be known without the values of its parameters."""
        if not self.parameters(text):
            self.sql(text)

    def parameters(self, text: str) -> list[str]:
        """The names of the parameters of a query. Raises UsageError for a text that is no query that reads."""
        return self._session.parameters(text)

    def is_table(self, view: str) -> bool:
        """Whether the session makes a table of a view."""
        return self._session.is_table(view)

    def views_in_order(self) -> list[str]:
        """The views, each after those that it names."""
        return self._session.views_in_order()

    def made_of(self, select: str) -> set[str]:
        """All tables and views that a SELECT is made of."""
        return self._session.made_of(select)

    @contextmanager
    def database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """An open and empty database in memory, with the bounds of the lake's session."""
        connection = self._session.database()
        try:
            yield connection
        finally:
            connection.close()

    def composed(self, view: str) -> str:
        """The SELECT of a view that is no table, over tables and over views that are tables."""
        return self._session.composed(view)

    def dataset(self, table: Table) -> pa.Table | pads.Dataset:
        """The rows of a declared table; few are read at once, many when they are needed."""
        if (made := self.made(table)) is not None:
            return made
        if self.rows(table.name) <= self._few_rows and len(self.state.parts_of(table.name)) <= _FEW_PARTS:
            return self._read(table)
        return self.files(table) or plain_schema(table).empty_table()

    def _read(self, table: Table) -> pa.Table:
        """The rows of a declared table. Not through a dataset: to import that takes longer than to read a small lake."""
        parts = self.state.parts_of(table.name)
        self.require_whole(parts)
        store = PartStore(self._files)
        try:
            return pa.concat_tables([table.schema.empty_table(), *(store.rows(part, table.schema) for part in parts)])
        except (pa.ArrowException, OSError):
            self._require_undamaged(find_damage(self.path, self.state, parts))
            raise

    def files(self, table: Table) -> PartDataset | None:
        """The parts of a declared table, None where it has none. To read one that is damaged, or is not as the ledger and the
        declarations say, raises IronlakeError."""
        from ..storage.arrow_files import path_in
        from .part_dataset import PartDataset

        parts = self.state.parts_of(table.name)
        if not parts:
            return None
        by_path = {path_in(self._files, part.path): part for part in parts}

        def look(fragments: Sequence[pads.ParquetFileFragment]) -> None:
            some = [by_path[fragment.path] for fragment in fragments]
            self.require_whole(some)
            self._require_as_declared(some, fragments)

        return PartDataset.of(self._files, parts, plain_schema(table), look)

    def require_whole(self, parts: list[Part]) -> None:
        """Raise IronlakeError if a part is missing, has another size or footer, or is not a regular file of the lake."""
        self._require_undamaged(find_damage(self.path, self.state, parts, quick=True))

    def _require_undamaged(self, damaged: Mapping[Part, str]) -> None:
        if damaged:
            if require_lake(self.path).state().parts.keys().isdisjoint(part.path for part in damaged):
                # No lock of this process was seen, for example on a network file system.
                raise IronlakeError(
                    f"{self.path} changed while it was read", hint="ask again: its new rows are read then"
                )
            raise damage_error(self.path, self.state, damaged)

    def _require_as_declared(self, parts: list[Part], fragments: Sequence[pads.ParquetFileFragment]) -> None:
        """Raise IronlakeError for parts whose footers say other than the ledger and the declarations."""
        from ..storage.arrow_files import path_in
        from .part_dataset import footers_of

        store = PartStore(self._files)
        try:
            footers = footers_of(fragments, plain_schema(tables()[parts[0].table]))
            wrong = {p: contradiction(p, footers[path_in(self._files, p.path)]) for p in parts}
        except (pa.ArrowException, OSError):
            wrong = {p: store.damage(p) for p in parts}
        self._require_undamaged({part: what for part, what in wrong.items() if what})

    def made(self, table: Table) -> pa.Table | None:
        """The rows of a table that no part holds: of the ledger, and what is computed over studies; None of another."""
        if table.name == INGEST_FILE.name:
            return ingest_file(self.state)
        return self._statistics[table.name] if table in COMPUTED else None

    @cached_property
    def _statistics(self) -> dict[str, pa.Table]:
        from .statistics import study_statistics

        return study_statistics(self)

    def close(self) -> None:
        """Let the files of the lake go: it answers nothing any more. To close it again does nothing."""
        if not self._closed:
            self._closed = True
            self._session.close()
            self._in_use.close()

    def __enter__(self) -> Self:
        self.require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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


class Session:
    """A closed DuckDB session over the declared tables, whose contents `dataset` gives when a query first needs them, and over
    views (by default those of pipeline/sql/views/).

    What a query names is made when DuckDB misses it, after all that it is made of, each once a session. A view becomes a table
    if its rows are of studies, or if all rows that it is made of are in memory. Any other stays a view, so that a query of ten
    rows of a large lake does not compute millions; but those of `kept`, which many queries ask for. Those of which the rows are `given`
    are read as tables are."""

    def __init__(
        self,
        dataset: Callable[[Table], pa.Table | pads.Dataset],
        known_views: Mapping[str, View] | None = None,
        memory: str | None = None,
        kept: Collection[str] = (),
        given: Mapping[str, Callable[[], pa.Table | pads.Dataset]] | None = None,
    ):
        leave_pandas_alone()
        self._kept = frozenset(kept)
        self._dataset = dataset
        self._all_views = views() if known_views is None else known_views
        self._given = given or {}
        self._views = {name: view for name, view in self._all_views.items() if name not in self._given}
        # DuckDB may write in its temporary folder whatever else is forbidden, so it gets one that holds nothing else.
        spill = spill_folder()
        self._remove_spill = weakref.finalize(self, spill.remove)
        room = shutil.disk_usage(spill.path).free // 2
        spilling = {"temp_directory": str(spill.path), "max_temp_directory_size": f"{room}B"}
        self._spilling: dict[str, Any] = spilling | ({"memory_limit": memory} if memory else {})
        self._config: dict[str, Any] = {**_CLOSED, **self._spilling}
        self._rows: dict[tuple[str, bool], pa.Table | pads.Dataset] = {}
        self._named_by: dict[str, list[str]] = {}
        self._making = threading.RLock()
        self._open()

    def _open(self) -> None:
        """A database with nothing but macros, closed to all around it."""
        self._connection = duckdb.connect(config=self._config)
        for statement in _CLOSING:
            self._connection.execute(statement)
        self._connection.execute(macros())
        # What views of studies read of a large lake has the names of the whole here: temporary tables come before others.
        self._near = self._connection.cursor()
        self._made: set[tuple[str, bool]] = set()
        self._registered: dict[tuple[str, bool], pa.Table | pads.Dataset] = {}

    def relation(
        self, text: str, parameters: Mapping[str, object] | None = None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        """The answer to one statement that reads, not yet run, and the connection that it runs on."""
        connection = self._cursor()
        return connection, interruptible(
            lambda: self._answer(connection, text, parameters or {}), connection, self._connection, self._near
        )

    def parameters(self, text: str) -> list[str]:
        """The names of the parameters of one statement that reads."""
        connection = self._cursor()
        with explained_query(text):
            (statement,) = connection.extract_statements(checked_query(connection, text))
        return sorted(statement.named_parameters)

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own, so that an answer that is still being read does not stand in the way of the next. After an error within
        DuckDB, as where memory ends in some functions, the database answers nothing more: then to a new one."""
        database = self._connection
        connection = database.cursor()
        with explained_query():
            try:
                connection.begin().rollback()
            except duckdb.FatalException:
                with self._making:
                    if self._connection is database:
                        self._open()
                connection = self._connection.cursor()
        return connection

    def _answer(
        self, connection: duckdb.DuckDBPyConnection, text: str, parameters: Mapping[str, object]
    ) -> duckdb.DuckDBPyRelation:
        with explained_query(text):
            text = checked_query(connection, text)

        def ask() -> duckdb.DuckDBPyRelation:
            return connection.sql(text, params=dict(parameters)) if parameters else connection.sql(text)

        answer = self._with_all_that_it_names(connection, text, ask)
        if _LISTS.search(text):
            self._list_all(connection)
            answer = ask()
        return answer

    def _with_all_that_it_names(self, connection: duckdb.DuckDBPyConnection, text: str, ask: Callable[[], _T]) -> _T:
        """What `ask` gives, once everything is there that DuckDB misses for the query `text`. DuckDB alone knows what a query names:
        names may be put together in it."""
        known = {name.lower(): name for name in self._known}
        missed: list[str] = []
        while True:
            with explained_query(text, missed):
                try:
                    return ask()
                except duckdb.CatalogException as error:
                    missed[:] = _MISSED.findall(str(error))[:1]
                    if not missed or (name := known.pop(missed[0].lower(), None)) is None:
                        raise
            with self._making, explained_query():
                if name in self._views:
                    self._make(name)
                else:
                    connection.register(name, self._rows_of(name))
            missed.clear()

    def _list_all(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Have a connection list what is not made yet: empty, under its name. A query that lists reads none of it, for all that
        it names is there already."""
        there = {name for (name,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
        for name in self._known:
            if name not in there:
                connection.register(name, self.schema(name).empty_table())

    def schema(self, name: str) -> pa.Schema:
        """The columns of a table or view; no row is read for it."""
        if name in tables():
            return plain_schema(tables()[name])
        return self._over_nothing.relation(f'SELECT * FROM "{name}" LIMIT 0')[1].to_arrow_table().schema

    @cached_property
    def _over_nothing(self) -> Session:
        return Session(lambda table: plain_schema(table).empty_table(), self._all_views)

    def is_table(self, name: str) -> bool:
        """Whether a view is made a table."""
        return self._is_table(name, self._views[name].is_of_studies)

    def views_in_order(self) -> list[str]:
        found: dict[str, None] = {}

        def add(name: str) -> None:
            if name in self._views and name not in found:
                for needed in self._named(name):
                    add(needed)
                found[name] = None

        for name in sorted(self._views):
            add(name)
        return list(found)

    def database(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(config=self._spilling)

    def composed(self, name: str) -> str:
        """The SELECT of a view over tables, and over the views that are tables."""
        return self._composed(name, self._views[name].is_of_studies)

    # `near`: what of a table lies near the windows of studies, in place of the whole.

    def _make(self, name: str, near: bool = False) -> None:
        """Make a view, and before it what it is made of."""
        view = self._views[name]
        # What is in memory is not cut, nor are the views over it.
        near = view.is_of_studies or (near and not self._is_table(name, near=False))
        if (name, near) in self._made:
            return
        connection = self._near if near else self._connection
        *below, _ = self._below(name, near)
        for needed in below:
            if needed in self._views and self._is_table(needed, near):
                self._make(needed, near)
        # Only now: a view below may have registered other rows under the same names.
        for needed in below:
            if needed not in self._views:
                rows = self._rows_of(needed, near, below)
                if self._registered.get((needed, near)) is not rows:
                    connection.register(needed, rows)
                    self._registered[needed, near] = rows
        lasting = "TEMP " if near and not view.is_of_studies else ""
        kind = "TABLE" if self._is_table(name, near) else "VIEW"
        connection.execute(f'CREATE {lasting}{kind} "{name}" AS {self._composed(name, near)}')
        self._made.add((name, near))

    def _composed(self, name: str, near: bool) -> str:
        """The SELECT of a view, with the views below it that are no tables as common table expressions: as views of their own
        each would be planned anew wherever it is named, and computed as often."""
        parts = [v for v in self._below(name, near)[:-1] if v in self._views and not self._is_table(v, near)]
        if not parts:
            return self._views[name].sql
        expressions = [f'"{v}" AS ({self._views[v].sql})' for v in [*parts, name]]
        return f'WITH {", ".join(expressions)} SELECT * FROM "{name}"'

    def _is_table(self, name: str, near: bool) -> bool:
        if self._views[name].is_of_studies or name in self._kept:
            return True
        return all(
            self._is_table(needed, near) if needed in self._views else self._is_in_memory(needed, near)
            for needed in self._named(name)
        )

    def _is_in_memory(self, table: str, near: bool) -> bool:
        return (near and ROW_LINE in tables()[table].schema.names) or isinstance(self._rows_of(table, near), pa.Table)

    def _below(self, name: str, near: bool, found: dict[str, None] | None = None) -> list[str]:
        """The tables and views that a view is made of, itself the last, each after what it needs; of views that are tables not
        what these are made of."""
        found = {} if found is None else found
        for needed in self._named(name):
            if needed in found:
                continue
            if needed in self._views and not self._is_table(needed, near):
                self._below(needed, near, found)
            found[needed] = None
        found[name] = None
        return list(found)

    def _named(self, view: str) -> list[str]:
        """The tables and views that the text of a view names."""
        if view not in self._named_by:
            asked = self._all_views[view].sql, tuple(self._known)
            if asked not in _NAMED_BY_VIEWS:
                _NAMED_BY_VIEWS[asked] = names_in(self._connection, *asked)
            self._named_by[view] = _NAMED_BY_VIEWS[asked]
        return self._named_by[view]

    def made_of(self, select: str) -> set[str]:
        """All tables and views that a SELECT is made of, those of which the rows are given as if they were not."""
        found: set[str] = set()
        waiting = names_in(self._connection, select, self._known)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._named(name) if name in self._all_views else []
        return found

    def _rows_of(self, table: str, near: bool = False, beside: Collection[str] = ()) -> pa.Table | pads.Dataset:
        """The rows of a table; of one that tells of rows of others (cell_null) near studies those of the tables `beside` it."""
        if near and isinstance(whole := self._rows_of(table), pa.Table):
            return whole
        if near and ROW_LINE in tables()[table].schema.names:
            return self._cells_beside(table, beside)
        if (table, near) not in self._rows:
            made = self._given.get(table)
            self._rows[table, near] = (
                made() if made else self._near_studies(table) if near else self._dataset(tables()[table])
            )
        return self._rows[table, near]

    def _near_studies(self, table: str) -> pa.Table | pads.Dataset:
        from .prune import prune_to_windows

        return prune_to_windows(cast("pads.Dataset", self._rows_of(table)), self._windows)

    def _cells_beside(self, table: str, beside: Collection[str]) -> pa.Table | pads.Dataset:
        from .measured_times import times_of
        from .prune import of_the_same_sources

        whole = cast("pads.Dataset", self._rows_of(table))
        others = [self._rows_of(name, near=True) for name in beside if name in tables() and name != table]
        return of_the_same_sources(whole, [rows for rows in others if times_of(rows.schema)])

    @cached_property
    def _windows(self) -> list[Window]:
        from .prune import study_windows

        steps = self._rows_of("study_step")
        return study_windows(steps if isinstance(steps, pa.Table) else steps.to_table())

    @property
    def _known(self) -> list[str]:
        return [*tables(), *self._all_views]

    def close(self) -> None:
        # A connection that still works would be waited for.
        if not any(thread.name == LEFT_WORKING for thread in threading.enumerate()):
            self._near.close()
            self._connection.close()
        self._remove_spill()


# Comments and texts name nothing.
_SILENT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_QUOTED_WORD = re.compile(r'"(\w+)"')
# A word behind FROM or JOIN, but for IS DISTINCT FROM; any other word, but for new names behind AS.
_WORD = re.compile(r"\bas\s+\w+|(?:(?<!\bdistinct )\bfrom|\bjoin)\s+(\w+)|(\w+)")
# Other quoted names and texts may hold anything, and these functions have a FROM of their own.
_NOT_BY_WORDS = re.compile(r'["$]|\b(?:extract|overlay|substring|trim)\s*\(')


def names_in(connection: duckdb.DuckDBPyConnection, select: str, known: Iterable[str]) -> list[str]:
    """Which of the known names a SELECT names as tables. Its words tell, where each known name in it stands behind FROM or JOIN;
    for any other DuckDB parses it, which takes as long as to plan a small query."""
    by_lower = {name.lower(): name for name in known}
    text = _QUOTED_WORD.sub(r"\1", _SILENT.sub(" ", select.lower()))
    found = _WORD.findall(text)
    behind = by_lower.keys() & {table for table, _ in found}
    if not _NOT_BY_WORDS.search(text) and by_lower.keys() & {word for _, word in found} <= behind:
        return sorted(by_lower[name] for name in behind)
    return names_parsed(connection, select, known)


def names_parsed(connection: duckdb.DuckDBPyConnection, select: str, known: Iterable[str]) -> list[str]:
    """Which of the known names a SELECT names as tables, as DuckDB parses it."""
    [(answer,)] = connection.execute("SELECT json_serialize_sql($1)", [select]).fetchall()
    named: set[str] = set()

    # Every object of the tree is seen as it is read: to walk the tree afterwards takes longer.
    def see(node: dict[str, Any]) -> None:
        if node.get("type") == "BASE_TABLE":
            named.add(node["table_name"].lower())

    json.loads(answer, object_hook=see)
    return sorted(name for name in known if name.lower() in named)


def interruptible(work: Callable[[], _T], *connections: duckdb.DuckDBPyConnection) -> _T:
    """Do some work on connections so that Ctrl-C, or whatever a signal raises, ends it: DuckDB does not look at signals while it works.

    A function of DuckDB on one large value does not see an interrupt either. After `_STOPPING_S` it is left working."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome: Future[_T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        return outcome.result()
    except BaseException:
        until = time.monotonic() + _STOPPING_S
        while not outcome.done() and time.monotonic() < until:
            for connection in connections:
                connection.interrupt()
            thread.join(0.1)
        if not outcome.done():
            thread.name = LEFT_WORKING
        raise


def empty_session() -> Session:
    """A session over empty tables: views have their columns in it, without a lake."""
    return Session(lambda table: plain_schema(table).empty_table())


def view_schema(view: View, found: pa.Schema) -> pa.Schema:
    """The schema of a view with unit and description of every column."""
    fields = []
    for field in found:
        said = view.columns.get(field.name)
        meta = {"unit": view_unit(view, field.name), "description": said.doc if said else ""}
        fields.append(field.with_metadata({k: v for k, v in meta.items() if v}))
    return pa.schema(fields)


def view_unit(view: View, column: str) -> str:
    """The unit of a view's column from its header; one that the header gives no unit has that of the declared columns of
    its name, where these agree."""
    if (said := view.columns.get(column)) and said.unit:
        return said.unit
    return _declared_units().get(column, "")


@cache
def _declared_units() -> dict[str, str]:
    units: dict[str, set[str]] = {}
    for table in tables().values():
        for column in table.all_columns:
            units.setdefault(column.name, set()).add(column.type.unit)
    return {name: some.pop() for name, some in units.items() if len(some) == 1}
