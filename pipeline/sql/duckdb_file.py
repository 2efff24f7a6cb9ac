"""The lake as a DuckDB file, for clients that open such files: a snapshot.

Tables of reports are views over the parts as they are now; views are tables where a session makes them tables. Later ingests are
seen by a new catalog, and compaction may in time remove parts that an old one names. A copy holds all rows itself.

DuckDB reads relative paths from the folder that a client happens to run in. So a catalog in a folder that holds its lake finds the lake from
its own place, which DuckDB tells by the default of a setting only (temp_directory); where that says nothing, the lake's absolute path holds.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa

from ..declaration.report import Table
from ..errors import IronlakeError, UsageError
from ..storage.address import is_address
from ..temporary_folders import half_written
from .answer import interruptible
from .describe import comment
from .known_tables import tables
from .open_lake import OpenLake
from .part_rows import quoted
from .schema import plain_schema, sql_type
from .view_files import in_schema, macros, views

# Not main: there a macro of the same name that a client creates comes first.
_MACROS = "ironlake_macros"
# A client that has the lake in another place says so: SET VARIABLE ironlake_lake = '/there/lake'.
_PLACE = "ironlake_lake"
# In no path that Ironlake makes.
_BETWEEN = "chr(31)"
# What a catalog has, and its columns.
_MADE = """
    SELECT table_name, if(table_type = 'VIEW', 'VIEW', 'TABLE'), list(column_name)
    FROM information_schema.tables JOIN information_schema.columns USING (table_catalog, table_schema, table_name)
    WHERE table_catalog = 'catalog' AND table_schema = 'main'
    GROUP BY ALL
"""
# The oldest format of files that has all that is in a catalog; a newer DuckDB would write its own.
_STORAGE = "v1.0.0"


def write_catalog(
    lake: OpenLake, out: Path, copy: bool = False, force: bool = False, step: Callable[[str], None] = lambda words: None
) -> None:
    """Write the catalog file, in place of an older one; a copy needs no lake beside it. Raises UsageError where another file stands there,
    unless `force`."""
    try:
        # DuckDB says "bad_cast" of any other.
        os.fspath(out.absolute()).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{out} is not UTF-8", "a file name in UTF-8", "choose another --out") from None
    # A FIFO would be waited for.
    if out.exists() and not out.is_file():
        raise UsageError(f"{out} is not a regular file", "a new file, or a catalog to replace", "choose another --out")
    if out.exists() and not (force or _is_catalog(out)):
        what = f"{out} is not a catalog that Ironlake wrote"
        raise UsageError(
            what, "a new file, or a catalog to replace", "choose another --out, or --force to overwrite it"
        )
    if is_address(lake.path) and not copy:
        what = f"a catalog of {lake.path} would have to find its parts in object storage"
        raise UsageError(what, "--copy, for a file that holds all rows")
    with half_written(out) as temporary:
        try:
            with lake.database() as connection:
                interruptible(lambda: _write(lake, connection, temporary, _place(lake, out), copy, step), connection)
        except duckdb.IOException as error:
            why = str(error).replace(str(temporary), str(out))
            raise IronlakeError(f"cannot write {out}: {why}", "a folder that you may write in, with room") from None
        os.replace(temporary, out)


def _write(
    lake: OpenLake,
    connection: duckdb.DuckDBPyConnection,
    file: Path,
    place: str,
    copy: bool,
    step: Callable[[str], None],
) -> None:
    connection.execute(f"ATTACH {quoted(str(file.absolute()))} AS catalog (STORAGE_VERSION '{_STORAGE}')")
    connection.execute("USE catalog")
    # Once: each of the thousands of comments would be on the disk before the next.
    connection.execute("BEGIN")
    connection.execute(f"CREATE SCHEMA {_MACROS}")
    connection.execute(macros(_MACROS))
    for table in tables().values():
        _add_table(connection, lake, table, place, copy)
    ordered = lake.views_in_order()
    for number, name in enumerate(ordered, 1):
        step(f"writing {name} ({number} of {len(ordered)})")
        if lake.is_table(name):
            _copy(connection, name, lake.sql(f'SELECT * FROM "{name}"').arrow())
        elif copy:
            connection.execute(f'CREATE TABLE "{name}" AS {in_schema(views()[name].sql, _MACROS)}')
        else:
            # As a text, which older releases of DuckDB parse for themselves: some cannot even list views that this one has parsed.
            text = quoted(in_schema(lake.composed(name), _MACROS))
            connection.execute(f'CREATE VIEW "{name}" AS FROM query({text})')
    step("writing comments")
    _comment(connection)
    connection.execute("COMMIT")


def _place(lake: OpenLake, out: Path) -> str:
    """The folder of the lake as an expression of SQL, for a file in its place."""
    root = lake.path.absolute()
    below = os.path.relpath(root, out.absolute().parent)
    places = [f"getvariable('{_PLACE}') || '/'"]
    if not below.startswith(".."):
        # The file's path and ".tmp", unless the client says other, or has opened another file and attached this one.
        setting, name = "current_setting('temp_directory')", f"/{out.name}.tmp"
        beside = f"{_literal_prefix(f'left({setting}, -{len(name)})')} || {_literal(f'/{below}/')}"
        places.append(f"CASE WHEN ends_with({setting}, {quoted(name)}) THEN {beside} END")
    return f"coalesce({', '.join([*places, _literal(f'{root}/')])})"


def _is_catalog(path: Path) -> bool:
    """Whether a file is a DuckDB file with the schema of our macros: its name is in it as it is. DuckDB itself would wait for whoever
    has the file open, and reads whatever is in it."""
    with path.open("rb") as file:
        if file.read(12)[8:] != b"DUCK":
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(_MACROS.encode()) >= 0


def _add_table(connection: duckdb.DuckDBPyConnection, lake: OpenLake, table: Table, place: str, copy: bool) -> None:
    if (made := lake.made(table)) is not None:
        _copy(connection, table.name, made)
        return
    # A part that a query refuses is not for other tools either.
    rows = lake.parts(table).select()
    if is_address(lake.path):
        connection.execute(f'CREATE TABLE "{table.name}" AS {rows}')
        return
    parts = [part.path for part in lake.state.parts_of(table.name)]
    found: set[str] = set()
    source = ""
    if parts:
        listed = " || ".join([place, f"replace({quoted(chr(31).join(parts))}, {_BETWEEN}, {_BETWEEN} || {place})"])
        source = f" FROM read_parquet(string_split({listed}, {_BETWEEN}), union_by_name = true)"
        found = set(connection.sql(f"SELECT *{source}").columns)
    columns = []
    for field in plain_schema(table):
        # A column that no part has yet, or that has no part at all, is NULL of its type.
        value = f'"{field.name}"' if field.name in found else "NULL"
        columns.append(f'CAST({value} AS {sql_type(field.type, quoted=True)}) AS "{field.name}"')
    condition = source or " WHERE FALSE"
    kind = "TABLE" if copy else "VIEW"
    connection.execute(f'CREATE {kind} "{table.name}" AS SELECT {", ".join(columns)}{condition}')


def _copy(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    connection.register("_made", rows)
    connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM _made')
    connection.unregister("_made")


def _comment(connection: duckdb.DuckDBPyConnection) -> None:
    """Say of every table, view and column what `ironlake describe` says."""
    said = []
    for name, kind, columns in connection.execute(_MADE).fetchall():
        grain = tables()[name].grain if name in tables() else views()[name].grain
        said.append(f'COMMENT ON {kind} "{name}" IS {quoted(grain)}')
        said += [f'COMMENT ON COLUMN "{name}"."{c}" IS {quoted(words)}' for c in columns if (words := comment(name, c))]
    connection.execute(";".join(said))


def _literal(path: str) -> str:
    """A path as an SQL text that stands for this file alone: DuckDB takes *, ? and [ for patterns."""
    return quoted(re.sub(r"[*?\[]", r"[\g<0>]", path))


def _literal_prefix(expression: str) -> str:
    """The same of a path that SQL puts together."""
    return rf"regexp_replace({expression}, '[*?\[]', '[\0]', 'g')"
