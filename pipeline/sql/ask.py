"""SQL queries answered as dictionaries."""

import datetime as dt
from typing import Any, Protocol

import pyarrow as pa


class Queryable(Protocol):
    """SQL over tables and views, answered in Arrow."""

    def sql(self, text: str, /) -> Any: ...


def ask(lake: Queryable, text: str) -> list[dict[str, Any]]:
    answer = lake.sql(text).arrow()
    table = answer if isinstance(answer, pa.Table) else answer.read_all()
    return table.to_pylist()


def literal(value: object) -> str:
    """A value as an SQL literal of its type; quotes in text are doubled."""
    if value is None:
        return "NULL"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no SQL literal for {type(value).__name__}")
