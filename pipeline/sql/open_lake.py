"""A lake open for reading: its tables, views and answers, as it was when it was opened."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
import pyarrow as pa

from ..declaration.bookkeeping import CELL_NULL, INGEST_FILE
from ..declaration.reading_options import READER_VERSION
from ..declaration.report import Table
from ..declaration.study_tables import COMPUTED
from ..errors import IronlakeError
from ..lake.damage import damage_error, find_damage
from ..lake.kept_files import KeptFiles, part_identity
from ..lake.ledger import Part, State, require_lake
from ..lake.parts import PartStore
from ..plugins import reading_digest
from ..storage.address import place_of
from ..storage.os_errors import translate_os_errors
from ..storage.storage import Storage, storage_at
from .answer import Result
from .kept_views import KeptViews, computed_by
from .known_tables import tables
from .measured_times import INTERVAL, times_of
from .memory import memory_limit
from .once_views import ASKED_OFTEN
from .part_rows import PartRows
from .query_errors import closed_lake, unknown_name
from .schema import ingest_file, plain_schema
from .session import Session
from .tables_inside import threads_for
from .view_files import views
from .view_schema import view_schema

if TYPE_CHECKING:
    from .kept_days import AskedDays

# Some tens of megabytes of the widest table.
_FEW_ROWS = 50_000
# Requests to object storage: each waits some hundredths of a second.
_AT_ONCE = 16
# A table of more files is read by what is asked of it: to open them all takes longer.
_FEW_PARTS = 256


def open_lake(path: str | os.PathLike[str], memory: str | None = None) -> OpenLake:
    """Open the lake in a folder for reading, as it is now; later commits are seen when it is opened again. `memory` bounds what DuckDB
    takes for a query, such as "4GB".

    Raises UsageError where there is no lake."""
    return OpenLake(place_of(path), memory=memory)


class OpenLake:
    """A lake open for reading. `sql` answers a query; `tables` and `views` name what there is."""

    def __init__(self, path: Path, few_rows: int = _FEW_ROWS, memory: str | None = None, state: State | None = None):
        """A table of at most `few_rows` is read once, and what views make of it is kept. `state`: as another process has it open."""
        self.path, self._few_rows = place_of(path), few_rows
        # As DuckDB takes it.
        self.memory = memory_limit(memory)
        ledger = require_lake(path)
        self._files = ledger.files
        # Held before the ledger is read: the parts that it names then stay until `close`.
        self._in_use = self._files.in_use()
        self.state: State = ledger.state() if state is None else state
        self._fetched = None if self._files.is_local else self._files.private_folder()
        self._checked: dict[str, str] = {}
        self._times: dict[str, tuple[dt.datetime | None, dt.datetime | None]] = {}
        # Of a state that another process gave, it alone knows the digest.
        self.kept_files = KeptFiles(self._files) if state is None else None
        self._kept_views = KeptViews(self.kept_files, self.identity) if self.kept_files else None
        self._session = self.session()
        self._closed = False

    def session(self, given: Mapping[str, Callable[[], PartRows]] | None = None) -> Session:
        """A session over the lake, with the rows of some views."""
        return Session(
            self.rows_of,
            memory=self.memory,
            kept=ASKED_OFTEN,
            given=given,
            threads=threads_for(self),
            files=self.files(),
            kept_views=self._kept_views,
        )

    @cached_property
    def _asked_days(self) -> AskedDays | None:
        """Days of a lake that has many rows; None of another."""
        if self.kept_files is None or self.is_in_memory:
            return None
        from .kept_days import AskedDays

        return AskedDays(self)

    def require_open(self) -> None:
        """Raise UsageError after `close`: nothing keeps the files of the lake then."""
        if self._closed:
            raise closed_lake()

    @property
    def outdated(self) -> list[str]:
        """Files that an older Ironlake ingested. Of their cells that say why they are empty nobody knows the row, so that views have
        NULL where such a reason decides. With plugins, all that were read with other ones."""
        others = self.state.read_otherwise(READER_VERSION)
        return [e.source_file for e in others if reading_digest() or e.rows.get(CELL_NULL.name)]

    @property
    def outdated_note(self) -> str:
        """Says that files should be ingested again; empty where none should."""
        if not (old := self.outdated):
            return ""
        files = f"{old[0]} was" if len(old) == 1 else f"{len(old)} files, such as {old[0]}, were"
        return f"{files} ingested by an older Ironlake or with other plugins: some values are unknown; ingest again"

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
        return self.of_kept_days(text, parameters) or self._session.relation(text, parameters)

    def of_kept_days(
        self, text: str, parameters: Mapping[str, object] | None = None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation] | None:
        """The same from kept days alone (kept_days.py); None where it needs others."""
        self.require_open()
        return self._asked_days.relation(text, parameters) if self._asked_days else None

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

    def made_of(self, select: str, but: Collection[str] = ()) -> set[str]:
        """All tables and views that a SELECT is made of, `but` what some views are made of."""
        return self._session.made_of(select, but)

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

    def rows_of(self, table: Table) -> pa.Table | PartRows:
        """The rows of a declared table: in memory, or in the parts that the ledger names."""
        made = self.made(table)
        return self.parts(table) if made is None else made

    def parts(self, table: Table) -> PartRows:
        """The rows of a declared table in its parts."""
        parts = self.state.parts_of(table.name)
        return PartRows(table, tuple(parts), self.ready, self._times_in, self._has_few(table.name))

    def identity(self, name: str) -> object:
        """What is other for every other content of a table, as JSON has it. Raises IronlakeError if a part of the table is missing or has another
        size or footer."""
        if tables()[name] in COMPUTED or name == INGEST_FILE.name:
            return self.state.step, self.state.digest, computed_by()
        parts = self.state.parts_of(name)
        self.require_whole(parts)
        return [part_identity(part) for part in parts]

    @property
    def is_in_memory(self) -> bool:
        """Whether each table has so few rows that all are read at once."""
        return all(self._has_few(name) for name in tables())

    def _has_few(self, table: str) -> bool:
        parts = self.state.parts_of(table)
        return sum(part.rows for part in parts) <= self._few_rows and len(parts) <= _FEW_PARTS

    def files(self) -> list[str]:
        """The files that sessions over the lake may read; a folder with a slash at its end."""
        days = self.__dict__.get("_asked_days")
        kept = [f"{days.folder.path}/"] if days else []
        if self._fetched:
            return [f"{self._fetched.path}/", *kept]
        return [*kept, *(str(self._files.root / path) for path in self.state.parts)]

    def ready(self, parts: Collection[Part]) -> list[str]:
        """The files of parts, each checked before it is first read; what is in object storage is brought here. Raises IronlakeError if a part is
        missing, is not as it was written, or not as the ledger and the declarations say."""
        if new := [part for part in parts if part.path not in self._checked]:
            files = self._fetch(new) if self._fetched else self._files
            self._require_undamaged(find_damage(self.path, self.state, new, files=files))
            self._checked |= {part.path: str(files.root / part.path) for part in new}
        return [self._checked[part.path] for part in parts]

    def _fetch(self, parts: Collection[Part]) -> Storage:
        """Bring parts here: DuckDB reads them of a disk, and their digests need all of each."""
        assert self._fetched
        folder, store = self._fetched.path, PartStore(self._files)

        def fetch(part: Part) -> None:
            with suppress(FileNotFoundError), translate_os_errors(self.path, "read"):
                (folder / part.path).write_bytes(store.content(part.path))

        for table in {part.table for part in parts}:
            (folder / table).mkdir(exist_ok=True)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(fetch, parts))
        return storage_at(folder)

    def _times_in(self, part: Part) -> tuple[dt.datetime | None, dt.datetime | None]:
        """The first and last time of the rows of a part, as the ledger or the statistics of its file say; None where nobody knows it."""
        columns = times_of(tables()[part.table].schema)
        if columns == INTERVAL or columns is None:
            first, last = (dt.datetime.fromisoformat(t) if t else None for t in (part.first_time, part.last_time))
            return first, last
        if part.path not in self._times:
            self._times[part.path] = _bounds(PartStore(self._files).footer(part), *columns)
        return self._times[part.path]

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
            if days := self.__dict__.get("_asked_days"):
                days.close()
            if self._fetched:
                self._fetched.close()
            self._in_use.close()

    def __enter__(self) -> Self:
        self.require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bounds(footer: Any, start: str, end: str) -> tuple[dt.datetime | None, dt.datetime | None]:
    """What the statistics of a part say."""
    first, last = [], []
    for group in range(footer.num_row_groups):
        columns = {
            (column := footer.row_group(group).column(n)).path_in_schema: column for n in range(footer.num_columns)
        }
        for name, values, bound in ((start, first, "min"), (end, last, "max")):
            found = columns[name].statistics if name in columns else None
            if found is None or not found.has_min_max:
                # Of NULLs alone there are no statistics, as of what an older writer wrote.
                return None, None
            values.append(getattr(found, bound))
    return min(first, default=None), max(last, default=None)
