"""Ad-hoc SQL over a lake: a DuckDB session that sees the lake's tables and views and nothing else of the machine.

Tables are Arrow datasets of the parts that the ledger names, and only those that a query needs are set up, with the views
that it needs. File access, extensions and Python variables are switched off for good before the first query.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import pyarrow as pa

from .bookkeeping import INGEST_FILE
from .damage import damage_in_words, find_damage
from .declaration import Table, tables
from .durable import InUse
from .errors import IronlakeError, UsageError
from .lake_tables import ingest_file, plain_schema
from .ledger import Ledger, State
from .parts import REPAIR_HINT
from .stand_ins import StandIns
from .study_tables import COMPUTED
from .view_files import View, views
from .without_pandas import leave_pandas_alone

if TYPE_CHECKING:
    import pyarrow.dataset as pads

_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
# Table functions that are given the name of a table as text, and those that tell of all.
_GIVEN_NAMES = re.compile(r"query|query_table|histogram|histogram_values", re.IGNORECASE)
_TELL_OF_ALL = re.compile(r"(duckdb|pragma)_\w+|information_schema", re.IGNORECASE)
_MISSED = re.compile(r'Table with name "?(.+?)"? does not exist')
# Tables are streams of Parquet files: one that is not as it was written fails in the middle of an answer.
_OF_A_PART = re.compile(r"reading the stream registered as|page header|CRC checksum|Parquet|thrift|No such file")
# What views need, by their text and the names that there are: the same for every session of a process.
_NEEDED_BY_VIEWS: dict[tuple[str, tuple[str, ...]], list[str]] = {}
_T = TypeVar("_T")


def open_lake(path: str | os.PathLike[str]) -> OpenLake:
    """Open the lake in a folder for reading, as it is now; later commits are seen when it is opened again.

    Raises UsageError where there is no lake."""
    return OpenLake(Path(path))


class OpenLake:
    """A lake open for reading. `sql` answers a query; `tables` and `views` name what there is."""

    def __init__(self, path: Path):
        self.path = path
        ledger = Ledger(path)
        if not ledger.exists():
            hint = "ironlake ingest FILE… makes a lake; --lake or IRONLAKE_LAKE says where it is"
            raise UsageError(f"no lake in {path}", "a folder that ironlake ingest made", hint)
        # Held before the ledger is read: the parts that it names then stay until `close`.
        self._in_use = InUse(ledger.in_use)
        self.state: State = ledger.state()
        self._session = Session(self.dataset)

    @property
    def tables(self) -> list[str]:
        return sorted(tables())

    @property
    def views(self) -> list[str]:
        return sorted(views())

    def rows(self, table: str) -> int:
        """How many rows a table has."""
        made = self.made(tables()[table])
        return sum(p.rows for p in self.state.parts_of(table)) if made is None else made.num_rows

    def schema(self, name: str) -> pa.Schema:
        """Arrow schema of a table or view, with unit and description of every column. Raises UsageError for a name that is
        neither."""
        if name in tables():
            return plain_schema(tables()[name])
        if name not in views():
            raise unknown_name(name)
        return view_schema(views()[name], self.sql(f'SELECT * FROM "{name}" LIMIT 0').arrow().schema)

    def sql(self, text: str) -> Result:
        """Answer one SELECT statement. Raises UsageError with DuckDB's message where it cannot be answered."""
        connection, relation = self._session.relation(text)
        return Result(self, connection, relation)

    def dataset(self, table: Table) -> pa.Table | pads.Dataset:
        """The rows of a declared table."""
        if (made := self.made(table)) is not None:
            return made
        import pyarrow.dataset as pads
        from pyarrow.fs import LocalFileSystem

        parts = self.state.parts_of(table.name)
        schema = plain_schema(table)
        if not parts:
            return schema.empty_table()
        if damaged := find_damage(self.path, self.state, parts, at_a_glance=True):
            raise damage_in_words(self.path, self.state, damaged)
        # The declared schema is given, so no file is opened before it is read; columns that an older part lacks are NULL.
        return pads.FileSystemDataset.from_paths(
            [str(self.path / part.path) for part in parts],
            schema=schema,
            format=pads.ParquetFileFormat(
                default_fragment_scan_options=pads.ParquetFragmentScanOptions(page_checksum_verification=True)
            ),
            filesystem=LocalFileSystem(),
        )

    def made(self, table: Table) -> pa.Table | None:
        """The rows of a table that no part holds: of the ledger, and what is computed over studies; None of another."""
        if table.name == INGEST_FILE.name:
            return ingest_file(self.state)
        return self._statistics[table.name] if table in COMPUTED else None

    @cached_property
    def _statistics(self) -> dict[str, pa.Table]:
        from .study_statistics import study_statistics

        return study_statistics(self)

    def close(self) -> None:
        self._session.close()
        self._in_use.close()

    def __enter__(self) -> OpenLake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Result:
    """The answer to a query; every access runs it. What is not here is found on `relation`, DuckDB's own object."""

    def __init__(self, lake: object, connection: duckdb.DuckDBPyConnection, relation: duckdb.DuckDBPyRelation):
        self._lake = lake  # an open lake that nobody else holds must outlive its answer
        self._connection = connection
        self.relation = relation

    @property
    def columns(self) -> list[str]:
        return list(self.relation.columns)

    def _run(self, work: Callable[[], _T]) -> _T:
        with explained_query():
            return interruptible(self._connection, work)

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
        return getattr(self.relation, name)

    def __repr__(self) -> str:
        return repr(self.relation)


class Session:
    """A closed DuckDB session over the declared tables, whose contents `dataset` gives when a query first needs them, and
    over views (by default those of pipeline/views/)."""

    def __init__(
        self, dataset: Callable[[Table], pa.Table | pads.Dataset], known_views: Mapping[str, View] | None = None
    ):
        leave_pandas_alone()
        self._dataset = dataset
        self._views = views() if known_views is None else known_views
        # DuckDB may write in its temporary folder whatever else is forbidden, so it gets one that holds nothing else.
        spill = tempfile.mkdtemp(prefix="ironlake-")
        self._remove_spill = weakref.finalize(self, shutil.rmtree, spill, ignore_errors=True)
        self._connection = duckdb.connect(config={**_CLOSED, "temp_directory": spill})
        self._datasets: dict[str, pa.Table | pads.Dataset] = {}
        self._near: tuple[tuple[str, ...], dict[str, pa.Table | pads.Dataset]] = ((), {})
        self._made: set[str] = set()
        self._making = threading.Lock()

    def relation(self, text: str) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        """The answer to one statement that reads, not yet run, and the connection that it runs on."""
        # A connection of its own, so that an answer that is still being read does not stand in the way of the next.
        connection = self._connection.cursor()
        return connection, interruptible(connection, lambda: self._planned(connection, text))

    def _planned(self, connection: duckdb.DuckDBPyConnection, text: str) -> duckdb.DuckDBPyRelation:
        with explained_query():
            statements = connection.extract_statements(text)
        if len(statements) != 1 or statements[0].type not in (
            duckdb.StatementType.SELECT,
            duckdb.StatementType.EXPLAIN,
        ):
            what = "only one SELECT statement can be answered"
            hint = "SELECT, WITH … SELECT, FROM, DESCRIBE, SUMMARIZE, EXPLAIN; a PIVOT as SELECT * FROM (PIVOT … ON … IN (…) …)"
            raise UsageError(what, "a query that reads", hint)
        wanted, strangers = needed_names(connection, text, self._known)
        # What takes long to compute is there for a query that spells its name; one that may name anything sees that there is such.
        unspelt = {table.name for table in COMPUTED if table.name not in text.lower()}
        words = set(re.findall(r"\w+", text.lower()))
        if not any(map(_GIVEN_NAMES.fullmatch, words)):
            # Such a query is told of views that it does not spell, and reads none of them.
            unspelt |= {name for name in self._views if name.lower() not in words}
        elif len(wanted) == len(self._known) and not any(map(_TELL_OF_ALL.fullmatch, words)):
            return self._planned_as_missed(connection, text, unspelt)
        for name in wanted:
            self._set_up(connection, name, unspelt)
        with explained_query(strangers):
            answer = connection.sql(text)
            if strangers:
                # DuckDB itself has what is called so, information_schema.tables for instance, and that tells of all.
                for name in set(self._known) - set(wanted):
                    self._set_up(connection, name, unspelt)
                answer = connection.sql(text)
        return answer

    def _planned_as_missed(
        self, connection: duckdb.DuckDBPyConnection, text: str, unspelt: Collection[str]
    ) -> duckdb.DuckDBPyRelation:
        """A query that puts a name together: what it names is set up when DuckDB misses it."""
        known = {name.lower(): name for name in self._known}
        missed: list[str] = []
        while True:
            with explained_query(missed):
                try:
                    return connection.sql(text)
                except duckdb.CatalogException as error:
                    missed[:] = _MISSED.findall(str(error))[:1]
                    if not missed or (name := known.pop(missed[0].lower(), None)) is None:
                        raise
            self._set_up(connection, name, unspelt)

    def _set_up(self, connection: duckdb.DuckDBPyConnection, name: str, unspelt: Collection[str]) -> None:
        """Make a table or view known to a connection; one that the query does not spell cannot be read.

        A view becomes one SELECT with the views below it as common table expressions: as views of their own each would be
        planned anew wherever it is named, and computed as often. It is made once a session, of tables by their names: which
        these are is each connection's own."""
        if name in unspelt and name not in self._made:
            refusal = f"error('{name} is read only by its name')"
            listed = self._stand_ins.columns(name)
            given = ", ".join(f'CAST({refusal} AS {type_}) AS "{column}"' for column, type_ in listed)
            connection.execute(f'CREATE TEMP VIEW "{name}" AS SELECT {given}')
            return
        below = self._below(connection, name, {})
        for table in below:
            if table in tables():
                connection.register(table, self._rows_of(table))
        expressions = [f'"{v}" AS ({self._views[v].sql})' for v in below if v in self._views]
        if expressions:
            if self._views[name].of_studies:
                for table, rows in self._near_studies([t for t in below if t in tables()]).items():
                    connection.register(f"{table} near studies", rows)
                    expressions.insert(0, f'"{table}" AS NOT MATERIALIZED (SELECT * FROM "{table} near studies")')
            with self._making:
                if name not in self._made:
                    text = f'WITH {", ".join(expressions)} SELECT * FROM "{name}"'
                    connection.execute(f'CREATE OR REPLACE VIEW main."{name}" AS {text}')
                    self._made.add(name)

    def _near_studies(self, names: Sequence[str]) -> dict[str, pa.Table | pads.Dataset]:
        """Of the named tables those that hold printed intervals, with what lies near the windows of the lake's studies, and
        the cells that belong to it. Kept until other tables are asked for."""
        if self._near[0] == (wanted := tuple(names)):
            return self._near[1]
        import pyarrow.dataset as pads

        from .narrowing import near, study_windows

        steps = self._rows_of("study_step")
        windows = study_windows(steps if isinstance(steps, pa.Table) else steps.to_table())
        known = {name: rows for name in names if isinstance(rows := self._rows_of(name), pads.Dataset)}
        timed = {n: rows for n, rows in known.items() if {"interval_start", "interval_end"} <= set(rows.schema.names)}
        self._near = wanted, near(timed, known.get("cell_null"), windows)
        return self._near[1]

    def _rows_of(self, table: str) -> pa.Table | pads.Dataset:
        if table not in self._datasets:
            self._datasets[table] = self._dataset(tables()[table])
        return self._datasets[table]

    def _below(self, connection: duckdb.DuckDBPyConnection, name: str, found: dict[str, None]) -> dict[str, None]:
        """The tables and views that a view is made of, itself the last, each after what it needs."""
        if name not in found:
            if name in self._views:
                for needed in self._needed(connection, self._views[name].sql):
                    self._below(connection, needed, found)
            found[name] = None
        return found

    def _needed(self, connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
        if (asked := (text, tuple(self._known))) not in _NEEDED_BY_VIEWS:
            _NEEDED_BY_VIEWS[asked] = needed_names(connection, *asked)[0]
        return _NEEDED_BY_VIEWS[asked]

    @cached_property
    def _stand_ins(self) -> StandIns:
        return StandIns(connection := duckdb.connect(), self._views, lambda text: self._needed(connection, text))

    @property
    def _known(self) -> list[str]:
        return [*tables(), *self._views]

    def close(self) -> None:
        self._connection.close()
        self._remove_spill()


def needed_names(
    connection: duckdb.DuckDBPyConnection, text: str, tables_and_views: Iterable[str]
) -> tuple[list[str], list[str]]:
    """The tables and views that a query needs, and names in it that are neither. Where its tree does not say (some table functions
    are given names in a text, EXPLAIN has no tree) all that it spells; all that there are where it tells of all, as SHOW TABLES does."""
    known = {name.lower(): name for name in tables_and_views}
    [(answer,)] = connection.execute("SELECT json_serialize_sql($1)", [text]).fetchall()
    # Every object of the tree, kept as it is read: to walk the tree afterwards takes longer.
    nodes: list[dict[str, Any]] = []
    tree = json.loads(answer, object_hook=lambda node: nodes.append(node) or node)
    words = set(re.findall(r"\w+", text.lower()))
    spelt = {known[word] for word in words if word in known}
    if tree["error"]:
        return sorted(known.values() if any(map(_TELL_OF_ALL.fullmatch, words)) else spelt), []
    named = [n["table_name"] for n in nodes if n.get("type") == "BASE_TABLE"]
    local = {entry["key"].lower() for n in nodes for entry in n.get("cte_map", {}).get("map", ())}
    strangers = [n for n in named if n.lower() not in known and n.lower() not in local]
    functions = [n["function"]["function_name"] for n in nodes if n.get("type") == "TABLE_FUNCTION"]
    if any(map(_TELL_OF_ALL.fullmatch, functions)) or any(
        n.get("type") == "SHOW_REF" and not n["query"] for n in nodes
    ):
        wanted = set(known.values())
    elif any(map(_GIVEN_NAMES.fullmatch, functions)):
        # A name put together within the text is not spelt.
        wanted = spelt or set(known.values())
    else:
        wanted = {known[n.lower()] for n in named if n.lower() in known}
    return sorted(wanted), strangers


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], _T]) -> _T:
    """Do some work on a connection so that Ctrl-C ends it: DuckDB itself does not look at signals while it works."""
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
    except KeyboardInterrupt:
        while thread.is_alive():
            connection.interrupt()
            thread.join(0.1)
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


def unknown_name(name: str) -> UsageError:
    """The error for a name that is no table and no view."""
    return UsageError(f"no table or view is called {name}", hint=_hint([name]))


def _hint(strangers: Iterable[str]) -> str:
    known = [*tables(), *views()]
    near = [n for s in strangers for n in difflib.get_close_matches(s.lower(), known, n=3, cutoff=0.5)]
    return (f"near names: {', '.join(near)}; " if near else "") + "ironlake describe lists tables, views and columns"


@contextmanager
def explained_query(strangers: Iterable[str] = ()) -> Iterator[None]:
    """Turn DuckDB's error into a UsageError with its message; `strangers` are names that are no table and no view."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        of_a_part = isinstance(error, (duckdb.InvalidInputException, duckdb.IOException, pa.ArrowException, OSError))
        if of_a_part and _OF_A_PART.search(str(error)):
            what = "a file of the lake cannot be read: " + " ".join(str(error).split())
            raise IronlakeError(what, hint=REPAIR_HINT) from None
        strangers = list(strangers)
        lines = str(error).rstrip().splitlines()
        if strangers:
            # DuckDB proposes names of its own catalog, which nobody means.
            lines = [line for line in lines if not line.startswith("Did you mean")]
        hint = _hint(strangers)
        if isinstance(error, duckdb.PermissionException):
            hint = "queries see the tables and views of the lake only; to write an answer to a file use --format and >"
        raise UsageError("\n".join(lines), hint=hint) from None
