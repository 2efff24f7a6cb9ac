"""What SQL sees of a table: its columns with plain text in place of dictionaries, and the table made from the ledger."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import pyarrow as pa

from ..declaration.bookkeeping import INGEST_FILE
from ..lake.ledger import State

_SQL_TYPES = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[us]": "TIMESTAMP",
    "date32[day]": "DATE",
}


class Rows(Protocol):
    """A table, or what is kept of a view."""

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> pa.Schema: ...


def plain_schema(table: Rows) -> pa.Schema:
    """The declared schema with plain text columns; metadata as declared."""
    fields = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in table.schema]
    return pa.schema(fields, metadata=table.schema.metadata)


def columns_of(schema: pa.Schema) -> str:
    """The columns of an empty table, for a statement."""
    return ", ".join(f'"{f.name}" {type_given(f.type)}' for f in schema)


def ingest_file(state: State) -> pa.Table:
    """Table ingest_file: one row a source of the ledger, in the order of their commits. `page` and `line` are those where
    the source begins, NULL where it has no line. What was removed whole is not in it."""
    rows = []
    for entry in state.sources.values():
        if entry.removed == "all":
            continue
        begin = 1 if entry.lines else None
        row = {name: getattr(entry, name, None) for name in INGEST_FILE.schema.names}
        row |= {"options": entry.options_key, "page": begin, "line": begin}
        row["rows"] = [{"table": t, "rows": n} for t, n in sorted(entry.rows.items())]
        if entry.removed and not entry.rows:
            # Rows of it may have been removed on request before the last of them expired.
            row["status"] = "replaced" if entry.removed == "replaced" else "expired"
        row["committed_at"] = datetime.fromisoformat(entry.committed_at)
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=plain_schema(INGEST_FILE))


def type_given(arrow_type: pa.DataType) -> str:
    """The type that DuckDB gives to Arrow as this one, for a statement."""
    return "HUGEINT" if arrow_type == pa.decimal128(38) else sql_type(arrow_type, quoted=True)


def sql_type(arrow_type: pa.DataType, quoted: bool = False) -> str:
    """An Arrow type as DuckDB names it, with quotes around names of fields for a statement.

    >>> sql_type(pa.list_(pa.struct([("page", pa.int64())])))
    'STRUCT(page BIGINT)[]'
    """
    if pa.types.is_dictionary(arrow_type):
        return sql_type(arrow_type.value_type, quoted)
    if pa.types.is_list(arrow_type):
        return f"{sql_type(arrow_type.value_type, quoted)}[]"
    if pa.types.is_struct(arrow_type):
        return f"STRUCT({', '.join(f'{_field(f.name, quoted)} {sql_type(f.type, quoted)}' for f in arrow_type)})"
    if pa.types.is_decimal(arrow_type):
        return f"DECIMAL({arrow_type.precision},{arrow_type.scale})"
    return _SQL_TYPES.get(str(arrow_type)) or _field(str(arrow_type).upper(), quoted and pa.types.is_null(arrow_type))


def _field(name: str, quoted: bool) -> str:
    return f'"{name}"' if quoted else name
