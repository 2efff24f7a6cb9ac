"""Ad-hoc SQL over tables and views: a closed DuckDB session that sees these and nothing else of the machine.

What a query names is made when it is first named: a table of few rows is read whole, of one of many rows each query reads the parts that its
conditions on time leave. DuckDB may open these parts and nothing else: other files, extensions and Python variables are switched off for good before
the first query.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import pyarrow as pa

from ..declaration.report import Table
from ..errors import LEFT_WORKING
from ..temporary_folders import spill_folder
from ..without_pandas import leave_pandas_alone
from .answer import interruptible
from .connection import connect, connect_closed, plan
from .guard import checked_query, require_no_part, what_is_explained
from .known_tables import tables
from .measured_times import Window, study_windows
from .memory import DEFAULT_MEMORY
from .names import names_in, names_in_view
from .once_views import once_columns
from .part_rows import PartRows, parts_needed
from .query_errors import explained_query
from .schema import columns_of, plain_schema
from .tables_inside import TablesInside
from .view_files import View, macros, views

if TYPE_CHECKING:
    from .kept_views import KeptViews
    from .repeated_hours import Repeated, Twice

# What lists tables and views.
_LISTS = re.compile(
    r"\b(information_schema|sqlite_\w+|(duckdb|pragma|pg)_\w+|show)\b|^\s*describe\s*;?\s*$", re.IGNORECASE
)
# Of a table of more parts a plan tells which of them a question needs.
_FEW_PARTS = 8
# More rows near studies are read by each view that needs them: memory is bounded.
_MOST_NEAR = 300_000
# Functions that name tables in ways that DuckDB alone sees.
_NAMES_UNSEEN = re.compile(r"\b(query|query_table)\b", re.IGNORECASE)
_MISSED = re.compile(r'Table with name "?(.+?)"? does not exist')
_T = TypeVar("_T")


class Session:
    """A closed DuckDB session over the declared tables, whose rows `rows_of` gives when a query first needs them, and over
    views (by default those of pipeline/sql/views/). `files`: what it may read, folders with a slash at their end.

    What a query names is made when DuckDB misses it, after all that it is made of, each once a session. A view becomes a table
    if its rows are of studies, if all tables that it is made of have few rows, or if the clock repeats an hour of it. Any other stays a view, so that a
    query of ten rows of a large lake does not compute millions; but those of `kept`, which many queries ask for. Those of which the rows are
    `given`, or a SELECT from `files`, are read as tables are. `kept_views`: where tables of views are kept for the next session."""

    def __init__(
        self,
        rows_of: Callable[[Table], pa.Table | PartRows],
        known_views: Mapping[str, View] | None = None,
        memory: str | None = None,
        kept: Collection[str] = (),
        given: Mapping[str, Callable[[], pa.Table | PartRows | str]] | None = None,
        threads: int | None = None,
        files: Iterable[str] = (),
        kept_views: KeptViews | None = None,
    ):
        leave_pandas_alone()
        self._kept, self._kept_views = frozenset(kept), kept_views
        self._declared_rows = rows_of
        self._all_views = views() if known_views is None else known_views
        self._given = given or {}
        self._views = {name: view for name, view in self._all_views.items() if name not in self._given}
        # DuckDB may write in its temporary folder whatever else is forbidden, so it gets one that holds nothing else.
        spill = spill_folder()
        self._remove_spill = weakref.finalize(self, spill.remove)
        room = shutil.disk_usage(spill.path).free // 2
        spilling = {"temp_directory": str(spill.path), "max_temp_directory_size": f"{room}B"}
        self._spilling: dict[str, Any] = spilling | {"memory_limit": memory or DEFAULT_MEMORY}
        self._config: dict[str, Any] = self._spilling | ({"threads": threads} if threads else {})
        # Stands for parts while a question is planned.
        self.stand_in = str(spill.path / "parts")
        open(self.stand_in, "xb").close()
        self._files = [*files]
        self._rows: dict[str, pa.Table | PartRows | str] = {}
        self._named_by: dict[str, list[str]] = {}
        # Whether views of the whole lake are tables.
        self._are_tables: dict[str, bool] = {}
        self._repeated: dict[str, list[Repeated]] = {}
        self._hours_twice_in: dict[str, list[Twice]] = {}
        self._making = threading.RLock()
        self._open()

    def _open(self) -> None:
        """A database with nothing but macros, closed to all around it."""
        self._connection = connect_closed(self._files, **self._config)
        self._connection.execute(macros())
        # Tables are made here, from the parts that they need: temporary views, which come before others, have their names.
        self._maker = self._connection.cursor()
        # What views of studies read of a large lake has the names of the whole here.
        self._near = self._connection.cursor()
        self._made: set[tuple[str, bool]] = set()
        # Tables that stay in the parts of a lake.
        self._large: dict[str, PartRows] = {}
        # Of these, tables of what lies near studies.
        self._few_near: set[str] = set()

    def relation(
        self, text: str, parameters: Mapping[str, object] | None = None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        """The answer to one statement that reads, not yet run, and the connection that it runs on."""
        connection = self._cursor()
        return connection, interruptible(
            lambda: self._answer(connection, text, parameters or {}), connection, *self._own
        )

    @property
    def _own(self) -> tuple[duckdb.DuckDBPyConnection, ...]:
        return self._connection, self._maker, self._near

    def plan(self, text: str, parameters: Mapping[str, object] | None = None) -> str:
        """The plan of a query (JSON) over what stands for the parts."""
        connection = self._cursor()
        return self._with_all_that_it_names(connection, text, lambda: plan(connection, text, parameters))

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
        if _NAMES_UNSEEN.search(text):
            for value in parameters.values():
                require_no_part(str(value))

        # EXPLAIN ANALYZE runs at once.
        select = what_is_explained(text)

        def ask(text: str = text) -> duckdb.DuckDBPyRelation:
            return connection.sql(text, params=dict(parameters)) if parameters else connection.sql(text)

        answer = self._with_all_that_it_names(connection, text, lambda: ask(select))
        if large := self._large_in(connection, select):
            with explained_query(text):
                self._give_parts(connection, select, large, parameters)
                answer = ask()
        elif select != text:
            answer = ask()
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
                self._make(name)
            missed.clear()

    def _large_in(self, connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
        """The tables that stay in parts of which a query reads."""
        if not self._large or _NAMES_UNSEEN.search(text):
            return [*self._large]
        found: set[str] = set()
        for name in names_in(connection, text, self._known):
            found.update(self._below(name, near=False) if name in self._views and not self.is_table(name) else [name])
        return [name for name in self._large if name in found]

    def _give_parts(
        self,
        connection: duckdb.DuckDBPyConnection,
        text: str,
        large: Collection[str],
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        """Have a connection read, of tables that stay in parts, those that the query `text` needs."""
        rows = {name: self._large[name] for name in large}
        needed = {name: [*rows[name].parts] for name in large}
        if max(map(len, needed.values()), default=0) > _FEW_PARTS:
            # By a connection that has no parts yet: what was left out of one query is not of the next.
            needed = parts_needed(plan(self._connection.cursor(), text, parameters), rows)
        for name, parts in needed.items():
            connection.execute(f'CREATE OR REPLACE TEMP VIEW "{name}" AS {rows[name].select(parts)}')

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
        return connect(**self._spilling)

    def composed(self, name: str) -> str:
        """The SELECT of a view over tables, and over the views that are tables."""
        return self._composed(name, self._views[name].is_of_studies)

    # `near`: what of a table lies near the windows of studies, in place of the whole.

    def _make(self, name: str, near: bool = False) -> None:
        """Make a table or view, and before it what it is made of."""
        if name not in self._views:
            self._make_table(name, near)
            return
        view = self._views[name]
        # What has few rows is not cut, nor are the views over it.
        near = view.is_of_studies or (near and not self._is_table(name, near=False))
        if (name, near) in self._made:
            return
        lasting = "TEMP " if near and not view.is_of_studies else ""
        is_table = self._is_table(name, near)
        printed = tables().get(name.removeprefix("once_"))
        if is_table and not lasting and printed and printed.once and self._is_empty(printed.name):
            self._connection.execute(f'CREATE TABLE "{name}" ({once_columns(printed)})')
            self._made.add((name, near))
            return
        kept = self._name_of_kept(name) if is_table and not lasting else ""
        if kept and self._kept_views and self._kept_views.make(self._connection, name, kept):
            self._made.add((name, near))
            return
        *below, _ = self._below(name, near)
        # Views first: of one that cannot be made no table is read.
        for needed in sorted(below, key=lambda needed: needed not in self._views):
            if needed not in self._views or self._is_table(needed, near):
                self._make(needed, near)
        text, begin = self._composed(name, near), time.perf_counter()
        if is_table:
            connection = self._near if near else self._maker
            if not near:
                self._give_parts(connection, text, [needed for needed in below if needed in self._large])
            connection.execute(f'CREATE {lasting}TABLE "{name}" AS {text}')
        else:
            connection = self._near if near else self._connection
            connection.execute(f'CREATE {lasting}VIEW "{name}" AS {text}')
        for repeated in self._repeated_hours(name):
            self._answer_by_offset(connection, view, repeated)
        self._made.add((name, near))
        if kept and self._kept_views:
            self._kept_views.keep(self._connection, name, kept, time.perf_counter() - begin)

    def _name_of_kept(self, name: str) -> str:
        """The name of kept rows of a view; empty where they are not kept."""
        if not self._kept_views:
            return ""
        found = self._all_below(self._named(name))
        below = [self._all_views[each] for each in sorted(found & self._all_views.keys())]
        return self._kept_views.name(name, [self._views[name], *below], sorted(found - self._all_views.keys()))

    def _make_table(self, name: str, near: bool) -> None:
        """Make a declared table, or one of which the rows are given; near studies only what they see of one that stays in parts."""
        if (name, False) not in self._made:
            rows = self._rows_of(name)
            if isinstance(rows, pa.Table):
                self._connection.register("_rows", rows)
                self._connection.execute(f'CREATE TABLE "{name}" AS FROM _rows')
                self._connection.unregister("_rows")
            elif isinstance(rows, str):
                self._connection.execute(f'CREATE VIEW "{name}" AS {rows}')
            elif rows.is_few and not rows.parts:
                self._connection.execute(f'CREATE TABLE "{name}" ({columns_of(plain_schema(rows.table))})')
            elif rows.is_few:
                self._connection.execute(f'CREATE TABLE "{name}" AS {rows.select()}')
            else:
                self._connection.execute(f'CREATE VIEW "{name}" AS {rows.planned(self.stand_in)}')
                self._large[name] = rows
            self._made.add((name, False))
        if near and name in self._large and (name, True) not in self._made:
            windows, near_studies = self._near_studies
            rows = near_studies.rows_of(tables()[name]) if name in tables() else self._large[name].inside(windows)
            assert isinstance(rows, PartRows)
            select = rows.select()
            [(count,)] = self._near.execute(f"SELECT count(*) FROM ({select})").fetchall()
            kind = "TABLE" if count <= _MOST_NEAR else "VIEW"
            self._near.execute(f'CREATE TEMP {kind} "{name}" AS {select}')
            self._made.add((name, True))
            if kind == "TABLE":
                self._few_near.add(name)

    def _composed(self, name: str, near: bool) -> str:
        """The SELECT of a view, with the views below it that are no tables as common table expressions: as views of their own
        each would be planned and computed wherever it is named."""
        parts = [v for v in self._below(name, near)[:-1] if v in self._views and not self._is_table(v, near)]
        if not parts:
            return self._views[name].sql
        expressions = [f'"{v}" AS ({self._views[v].sql})' for v in [*parts, name]]
        return f'WITH {", ".join(expressions)} SELECT * FROM "{name}"'

    def _repeated_hours(self, name: str) -> list[Repeated]:
        """The hours that the clock repeats of those that a view is asked for one by one."""
        if not self._views[name].repeats_by:
            return []
        if name not in self._repeated:
            from .repeated_hours import repeated_hours

            below = self._all_below(self._named(name))
            self._repeated[name] = repeated_hours({table: self._twice(table) for table in below})
        return self._repeated[name]

    def _twice(self, table: str) -> list[Twice]:
        if table not in self._hours_twice_in:
            from .repeated_hours import OFFSET, hours_twice

            has_hours = table in tables() and OFFSET in tables()[table].schema.names and not self._is_empty(table)
            self._hours_twice_in[table] = (
                hours_twice(lambda text: self._asked(text, table).fetchall(), table) if has_hours else []
            )
        return self._hours_twice_in[table]

    def _asked(self, text: str, table: str) -> duckdb.DuckDBPyRelation:
        """The answer of a query about one table."""
        self._make_table(table, near=False)
        if table in self._large:
            self._give_parts(self._maker, text, [table])
        return self._maker.sql(text)

    def _answer_by_offset(self, connection: duckdb.DuckDBPyConnection, view: View, repeated: Repeated) -> None:
        """Put into the table of a view, for hours that the clock repeats, the rows of each hour by itself."""
        from .repeated_hours import OFFSET

        hours = ", ".join(f"TIMESTAMP '{hour}'" for hour in sorted(repeated.hours))
        is_repeated = f"date_trunc('hour', {view.repeats_by}) IN ({hours})"
        connection.execute(f'DELETE FROM "{view.name}" WHERE {is_repeated}')
        for offset in repeated.each_offset():
            of_offset = Session(
                lambda table, offset=offset: self._asked(repeated.select(offset, table), table.name).to_arrow_table(),
                self._all_views,
                memory=self._spilling["memory_limit"],
            )
            value = OFFSET if offset is None else offset
            try:
                asked = f'SELECT * REPLACE (CAST({value} AS BIGINT) AS {OFFSET}) FROM "{view.name}" WHERE {is_repeated}'
                connection.register("_of_offset", of_offset.relation(asked)[1].to_arrow_table())
                connection.execute(f'INSERT INTO "{view.name}" FROM _of_offset')
                connection.unregister("_of_offset")
            finally:
                of_offset.close()

    def _is_table(self, name: str, near: bool) -> bool:
        if self._views[name].is_of_studies or name in self._kept:
            return True
        if near or name not in self._are_tables:
            found = all(
                self._is_table(needed, near) if needed in self._views else self._is_in_memory(needed, near)
                for needed in self._named(name)
            ) or bool(self._repeated_hours(name))
            if near:
                return found
            self._are_tables[name] = found
        return self._are_tables[name]

    def _is_in_memory(self, table: str, near: bool) -> bool:
        rows = self._rows_of(table)
        if isinstance(rows, pa.Table) or (isinstance(rows, PartRows) and rows.is_few):
            return True
        if near and isinstance(rows, PartRows):
            self._make_table(table, near)
            return table in self._few_near
        return False

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
            self._named_by[view] = names_in_view(self._all_views[view].sql, self._by_lower)
        return self._named_by[view]

    def made_of(self, select: str, but: Collection[str] = ()) -> set[str]:
        """All tables and views that a SELECT is made of, those of which the rows are given as if they were not; `but` what some views are made
        of."""
        return self._all_below(names_in(self._connection, select, self._known), but)

    def _all_below(self, names: Iterable[str], but: Collection[str] = ()) -> set[str]:
        """Tables and views with all that they are made of, `but` what some views are made of."""
        found, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._named(name) if name in self._all_views and name not in but else []
        return found

    def _rows_of(self, table: str) -> pa.Table | PartRows | str:
        if table not in self._rows:
            made = self._given.get(table)
            self._rows[table] = made() if made else self._declared_rows(tables()[table])
        return self._rows[table]

    def _is_empty(self, table: str) -> bool:
        """Whether no part has rows of a table."""
        rows = self._rows_of(table)
        return isinstance(rows, PartRows) and not rows.parts

    @cached_property
    def _near_studies(self) -> tuple[list[Window], TablesInside]:
        asked = self._asked("SELECT window_start, window_end FROM study_step", "study_step")
        windows = study_windows(asked.to_arrow_table())
        return windows, TablesInside(self._declared_rows, windows)

    @cached_property
    def _known(self) -> list[str]:
        return [*tables(), *self._all_views]

    @cached_property
    def _by_lower(self) -> dict[str, str]:
        return {name.lower(): name for name in self._known}

    def close(self) -> None:
        # A connection that still works would be waited for.
        if not any(thread.name == LEFT_WORKING for thread in threading.enumerate()):
            for connection in reversed(self._own):
                connection.close()
        self._remove_spill()


def empty_session() -> Session:
    """A session over empty tables: views have their columns in it, without a lake."""
    return Session(lambda table: plain_schema(table).empty_table())
