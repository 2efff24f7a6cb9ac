"""What tables and views there are, what a row of each is, and what their columns mean: from the declarations alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import duckdb
import pyarrow as pa

from ..declaration.places import describe_place
from ..declaration.report import reports
from ..declaration.study_tables import COMPUTED
from .connection import connect
from .known_tables import tables
from .open_lake import OpenLake
from .query_errors import unknown_name
from .schema import plain_schema, sql_type
from .topics import has_words, topic
from .view_files import macros, views
from .view_schema import meaning, read_by, view_unit

_OVERVIEW = pa.schema(
    [
        ("name", pa.string()),
        ("kind", pa.string()),
        ("report", pa.string()),
        ("rows", pa.int64()),
        ("columns", pa.int64()),
        ("grain", pa.string()),
    ]
)
_COLUMNS = pa.schema(
    [
        ("column", pa.string()),
        ("type", pa.string()),
        ("unit", pa.string()),
        ("nullable", pa.bool_()),
        ("key", pa.bool_()),
        ("description", pa.string()),
        ("place", pa.string()),
    ]
)


def overview(lake: OpenLake | None) -> pa.Table:
    """Every table and view: name, kind, report, rows (NULL without a lake, for views, and for what is computed like them:
    counting those is running them), number of columns (NULL for views: to count these is to plan them), and what one row is."""
    report_of = {t.name: r.name for r in reports().values() for t in r.tables}
    rows = []
    for name, table in sorted(tables().items()):
        count = lake.rows(name) if lake and table not in COMPUTED else None
        columns = len(table.all_columns)
        report = report_of.get(name)
        rows.append(dict(zip(_OVERVIEW.names, (name, "table", report, count, columns, table.grain), strict=True)))
    for name, view in sorted(views().items()):
        rows.append(dict(zip(_OVERVIEW.names, (name, "view", None, None, None, view.grain), strict=True)))
    return pa.Table.from_pylist(rows, schema=_OVERVIEW)


def searched(found: pa.Table, words: str) -> pa.Table:
    """Of an overview what has all of some words in its name, topic or grain; or else in the name and description of one of its columns, which
    then stand in place of the grain."""
    rows = []
    for row in found.to_pylist():
        if not has_words(words, f"{row['name']} {topic(row['name'])} {row['grain']}"):
            columns = [name for name, said in _said_of_columns(row["name"]) if has_words(words, f"{name} {said}")]
            if not columns:
                continue
            row["grain"] = f"columns: {', '.join(columns)}"
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=_OVERVIEW)


def _said_of_columns(name: str) -> Iterator[tuple[str, str]]:
    """The columns of a table, or those that the header of a view says, with their descriptions. No view is planned for it."""
    if name in tables():
        yield from ((c.name, c.description) for c in tables()[name].all_columns)
    else:
        yield from ((column, said.doc) for column, said in views()[name].columns.items())


def columns_of(name: str) -> pa.Table:
    """The columns of a table or view: type, unit, whether it may be NULL and is part of the key, description, and where it
    stands on the page. Raises UsageError for a name that is neither."""
    if name in tables():
        table = tables()[name]
        rows = [
            {
                "column": c.name,
                "type": sql_type(c.type.arrow),
                "unit": c.type.unit or None,
                "nullable": c.nullable,
                "key": c.name in table.key,
                "description": c.description or None,
                "place": "; ".join(describe_place(p) for p in c.places) or None,
            }
            for c in table.all_columns
        ]
        return pa.Table.from_pylist(rows, schema=_COLUMNS)
    if name not in views():
        raise unknown_name(name)
    view = views()[name]
    rows = [
        {
            "column": field.name,
            "type": sql_type(field.type),
            "unit": view_unit(view, field.name) or None,
            "nullable": True,
            "key": None,
            "description": meaning(view, field.name).doc or None,
            "place": None,
        }
        for field in schema_of_view(name)
    ]
    return pa.Table.from_pylist(rows, schema=_COLUMNS)


def comment(name: str, column: str) -> str:
    """What is said of a column of a table or view: its description and its unit in brackets. No view is planned for it."""
    if name in tables():
        of_table = tables()[name].column(column)
        doc, unit = of_table.description, of_table.type.unit
    else:
        doc, unit = meaning(views()[name], column).doc, view_unit(views()[name], column)
    return " ".join(filter(None, [doc, f"[{unit}]" if unit else ""]))


def described(lake: OpenLake, names: Iterable[str], answer: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """An answer whose columns have unit and description, as metadata, where these tables and views agree on a column of their name."""
    said: dict[str, dict[bytes, bytes] | None] = {}
    for name in dict.fromkeys(names):
        for field in lake.schema(name):
            found = field.metadata
            said[field.name] = found if said.get(field.name, found) == found else None
    schema = pa.schema([field.with_metadata(said.get(field.name)) for field in answer.schema])
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in answer))


def described_answer(lake: OpenLake, query: str, answer: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The answer to a query, described by the tables and views that it names. A name that the query itself gives to anything
    (AS cpu_pct) may be of another unit: it stays as it is."""
    [(tree,)] = lake.sql("SELECT json_serialize_sql($query)", {"query": query}).fetchall()
    # Whatever is not a column that is read is a table, or a name that is given.
    given = set(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'"column_names":\[[^\]]*\]', "", tree).lower()))
    named = [name for name in (*tables(), *views()) if name in given]
    kept = described(lake, named, answer)
    schema = pa.schema([f.with_metadata(None) if f.name.lower() in given else f for f in kept.schema])
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in kept))


@cache
def schema_of_view(name: str) -> pa.Schema:
    """The columns of a view. It is planned over empty tables in place of the views that it reads: over these themselves it takes ten times as
    long."""
    for below in read_by(name):
        if below in views():
            schema_of_view(below)
    connection = _empty_tables()
    connection.execute(f'CREATE TABLE "{name}" AS {views()[name].sql} WITH NO DATA')
    return connection.table(name).to_arrow_table().schema


@cache
def _empty_tables() -> duckdb.DuckDBPyConnection:
    connection = connect()
    connection.execute(macros())
    for name, table in tables().items():
        connection.register(name, plain_schema(table).empty_table())
    return connection
