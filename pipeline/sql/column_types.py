"""Types of columns that an output has no values for: DuckDB writes them as its own text, or they are refused.

Named are the types that an output has: whatever else there is, or comes with a later DuckDB, is what CAST(… AS VARCHAR) makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import duckdb
import pyarrow as pa

from ..errors import UsageError

# As DuckDB calls kinds of types. A struct is named where it has no fields.
_AS_PYTHON_HAS_THEM = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint", "hugeint", "float", "double",
    "decimal", "varchar", "uuid", "enum", "date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp with time zone", "null", "struct",
}  # fmt: skip
_AS_FILES_HAVE_THEM = {*_AS_PYTHON_HAS_THEM, "time", "time_ns", "timestamp_ns", "timestamptz_ns", "blob"} - {"struct"}
# Arrow gets the largest numbers of the first as negative ones, bytes of DuckDB's own, and times without their zone.
_WRONG_IN_ARROW = {"uhugeint", "bignum", "bit", "time with time zone"}
# What Arrow makes of the text of a column. An opaque text is no words: a sign at its beginning is that of a number.
_OF_TEXT = {
    "uhugeint": pa.decimal256(39),
    # Arrow's own has digits of a double that the float does not have (0.1 is 0.10000000149011612).
    "float": pa.float64(),
    "interval": pa.opaque(pa.string(), "interval", "DuckDB"),
    "bignum": pa.opaque(pa.string(), "bignum", "DuckDB"),
}
AS_TEXT = "CAST(… AS VARCHAR) gives it as text"
HAS_NONE = " has no value for "
# Values that a type has no place for elsewhere: by the kind of the type, the condition and the words for one.
_MIDNIGHT_AFTER = ("{0} = TIME '24:00:00'", "TIME 24:00:00")
_TIMES = {"time": _MIDNIGHT_AFTER, "time_ns": _MIDNIGHT_AFTER}
_NO_VALUES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Arrow": _TIMES,
    "Polars": _TIMES,
    "Parquet": {**_TIMES, "hugeint": (f"{{0}} NOT BETWEEN -{'9' * 38} AND {'9' * 38}", "a HUGEINT of 39 digits")},
    # It would have 30 days for each of them.
    "pandas": {"interval": ("date_trunc('month', {0}) <> INTERVAL '0 months'", "an INTERVAL of months")},
}


def in_values(relation: duckdb.DuckDBPyRelation) -> tuple[duckdb.DuckDBPyRelation, list[pa.DataType | None]]:
    """An answer whose columns have values in Python, or are text; and for each what type of Arrow its text becomes, None for as it is."""

    def leaf(kind: Any) -> str:
        if kind.id == "union":
            # The first says which of the others a value is of.
            return f"UNION({_fields(kind.children[1:], leaf)})"
        return str(kind) if kind.id in _AS_PYTHON_HAS_THEM else "VARCHAR"

    of_text = [_OF_TEXT.get(kind.id) for kind in relation.types]
    wanted = ["VARCHAR" if then else _of_column(kind, leaf) for kind, then in zip(relation.types, of_text, strict=True)]
    return _projected(relation, wanted), of_text


def typed(
    relation: duckdb.DuckDBPyRelation, of: Literal["Arrow", "Polars", "pandas", "Parquet"]
) -> duckdb.DuckDBPyRelation:
    """An answer whose columns all have a type there. A value that this type has no place for ends it while it is read.

    Raises UsageError for a column that has none."""

    def type_in(name: str) -> Callable[[Any], str]:
        def leaf(kind: Any) -> str:
            if kind.id in _WRONG_IN_ARROW if of in ("Arrow", "pandas") else kind.id not in _AS_FILES_HAVE_THEM:
                seconds = ", epoch(…) as seconds" if kind.id == "interval" else ""
                raise UsageError(
                    f"column {name} has values of type {kind}, which {of} does not have", hint=AS_TEXT + seconds
                )
            return str(kind)

        return leaf

    wanted = [_of_column(kind, type_in(name)) for name, kind in zip(relation.columns, relation.types, strict=True)]
    return _projected(relation, wanted, of)


def _of_column(kind: Any, leaf: Callable[[Any], str]) -> str:
    """The same of the type of a column. Raises UsageError for one that is too deep for Python."""
    try:
        return _with(kind, leaf)
    except RecursionError:
        raise UsageError("a value is nested too deeply", "fewer levels") from None


def _with(kind: Any, leaf: Callable[[Any], str]) -> str:
    """A type, in SQL, with other types in the places of those that hold no others."""

    def of(child: Any) -> str:
        return _with(child, leaf)

    match kind.id:
        case "list":
            return f"{of(kind.children[0][1])}[]"
        case "array":
            return f"{of(kind.children[0][1])}[{kind.children[1][1]}]"
        case "map":
            return f"MAP({of(kind.children[0][1])}, {of(kind.children[1][1])})"
        case "struct" if kind.children:
            return f"STRUCT({_fields(kind.children, leaf)})"
        case "tuple":
            return f"TUPLE({', '.join(of(child) for _, child in kind.children)})"
    return leaf(kind)


def _fields(children: Sequence[tuple[str, Any]], leaf: Callable[[Any], str]) -> str:
    return ", ".join(f"{quoted_name(name)} {_with(child, leaf)}" for name, child in children)


def _projected(relation: duckdb.DuckDBPyRelation, wanted: Sequence[str], of: str = "") -> duckdb.DuckDBPyRelation:
    """An answer with its columns as the wanted types, and of values that there are; itself where nothing changes."""
    changes = False
    columns = []
    for number, (name, kind, text) in enumerate(zip(relation.columns, relation.types, wanted, strict=True), 1):
        # Names may repeat.
        value = f"#{number}"
        if found := _NO_VALUES.get(of, {}).get(kind.id):
            is_one, words = found
            value = f"CASE WHEN {is_one.format(value)} THEN error('{of}{HAS_NONE}{words}') ELSE {value} END"
        if text != _of_column(kind, str):
            value = f"CAST({value} AS {text})"
        changes |= value != f"#{number}"
        columns.append(f"{value} AS {quoted_name(name)}")
    return relation.project(", ".join(columns)) if changes else relation


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
