"""What a query may be: one statement that reads the lake, with nothing that writes or reads files anywhere inside it.

The database is closed as well (session.py). The statement is checked before it runs, because a SELECT of DuckDB may contain statements
that write: COPY, INSERT, UPDATE and DELETE as common table expressions, or in the text of query('…').
"""

from __future__ import annotations

import json
import re
from typing import Any

import duckdb

from ..errors import UsageError

_READS = {"SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "RECURSIVE_CTE_NODE"}
# Others read files, change settings or the database, or run what they are given.
_TABLE_FUNCTIONS = re.compile(
    r"(duckdb|pragma)_\w+|range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|summary|histogram|histogram_values"
    r"|query|query_table|pg_timezone_names|icu_calendar_names|test_all_types"
)
# A comment within a comment, and texts and comments among the options, end where DuckDB alone knows: no match, and the query is refused.
_EXPLAIN = re.compile(
    r"(?:\s|--[^\r\n]*[\r\n]|/\*(?:(?!/\*|\*/).)*\*/)*EXPLAIN\b\s*(ANALYZE\b|\((?:[\s\w,]|'\w*')*\))?",
    re.IGNORECASE | re.DOTALL,
)
# The tree is searched as text, because expressions nest deeper than Python parses. Quotes in names and texts are escaped in it.
_NODE = re.compile(r'"type":"(\w+_NODE)"')
_TABLE_FUNCTION = re.compile(r'"type":"TABLE_FUNCTION".*?"function":', re.DOTALL)
_PART = re.compile(r'"table_name":"((?:[^"\\]|\\.)*\.parquet(?:[^"\\]|\\.)*)"', re.IGNORECASE)
_READ_HINT = (
    "SELECT, WITH … SELECT, FROM, DESCRIBE, SUMMARIZE, EXPLAIN SELECT; a PIVOT as SELECT * FROM (PIVOT … ON … IN (…) …)"
)
_LAKE_HINT = "queries see the tables and views of the lake only; to write an answer to a file use --format and >"
_DEEPEST = 3
# Of parentheses: what DuckDB takes to say that one is missing grows with the square, to gigabytes for some thousands.
_MOST_OPEN = 300


def what_is_explained(text: str) -> str:
    """The SELECT of a statement that was checked: what an EXPLAIN shows the plan of."""
    prefix = _EXPLAIN.match(text)
    return text[prefix.end() :] if prefix else text


def checked_query(connection: duckdb.DuckDBPyConnection, text: str, depth: int = 0) -> str:
    """The statement to run: one that reads, a SELECT or EXPLAIN of one. What is explained is what was checked.

    Raises UsageError for any other statement, and duckdb.Error for text that is not SQL."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"character {error.start + 1} of the query is not UTF-8", "a query in UTF-8") from None
    if _most_open(text) > _MOST_OPEN:
        raise UsageError(f"more than {_MOST_OPEN} parentheses are open at once", "fewer levels")
    statements = connection.extract_statements(text)
    try:
        kinds = [statement.type for statement in statements]
    except ValueError:
        # UPDATE EXTENSIONS: a kind that has no name in Python.
        kinds = [None]
    if kinds == [duckdb.StatementType.EXPLAIN] and depth == 0 and (prefix := _EXPLAIN.match(text)):
        return f"EXPLAIN {prefix[1] or ''} {checked_query(connection, text[prefix.end() :], depth + 1)}"
    if not kinds:
        raise UsageError("the query is empty", "one SELECT statement", 'for example "FROM cpu_by_class"')
    if kinds != [duckdb.StatementType.SELECT] or depth > _DEEPEST:
        raise UsageError("only one SELECT statement can be answered", "a query that reads", _READ_HINT)
    [(tree,)] = connection.execute("SELECT json_serialize_sql($1)", [text]).fetchall()
    if not tree.startswith('{"error":false'):
        raise UsageError("this form of SELECT cannot be checked", "a query that reads", _READ_HINT)
    if writes := set(_NODE.findall(tree)) - _READS:
        what = f"{min(writes).partition('_')[0]} within a query changes data or files"
        raise UsageError(what, "a query that reads", _READ_HINT)
    if named := _PART.search(tree):
        require_no_part(named[1])
    for function in _TABLE_FUNCTION.finditer(tree):
        for inner in _queries_of(_decoded(tree, function.end())):
            checked_query(connection, inner, depth + 1)
    return text


def _most_open(text: str) -> int:
    """How many parentheses are open at once, wherever they are."""
    deepest = depth = 0
    for found in re.finditer(r"[()]", text):
        depth = depth + 1 if found[0] == "(" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _decoded(tree: str, start: int) -> dict[str, Any]:
    try:
        return json.JSONDecoder().raw_decode(tree, start)[0]
    except RecursionError:
        raise UsageError("the arguments of a table function are nested too deeply", "fewer levels") from None


def _queries_of(function: dict[str, Any]) -> list[str]:
    """The queries that a table function is given as text. Raises UsageError for a function that queries must not call."""
    name = str(function["function_name"]).lower()
    if not _TABLE_FUNCTIONS.fullmatch(name):
        raise UsageError(f"{name} is not allowed in a query", "tables and views of the lake", _LAKE_HINT)
    if name == "query_table":
        for table in _names_of(function["arguments"][0]["expression"]):
            require_no_part(table)
    if name != "query":
        return []
    return [_text_of(argument["expression"]) for argument in function["arguments"]]


def require_no_part(name: str) -> None:
    """Raise UsageError for the path of a part in place of a table: DuckDB would read the file, and nobody has looked whether it is whole."""
    if ".parquet" in name.lower():
        raise UsageError(f"{name} is a file, and no table or view", "tables and views of the lake", _LAKE_HINT)


def _names_of(expression: dict[str, Any]) -> list[str]:
    """The names of tables that are given as a text, or a list of texts; of a parameter none: its value is looked at when it is known."""
    if expression.get("class") == "PARAMETER":
        return []
    if expression.get("function_name") == "list_value":
        return [name for argument in expression["arguments"] for name in _names_of(argument["expression"])]
    return [_text_of(expression)]


def _text_of(expression: dict[str, Any]) -> str:
    """A text, or texts joined by ||. Raises UsageError for anything else: what it gives is known only when the query runs."""
    if (literal := expression.get("literal", {})).get("kind") == "STRING":
        return literal["text"]
    if expression.get("function_name") == "||":
        return "".join(_text_of(argument["expression"]) for argument in expression["arguments"])
    raise UsageError("query() and query_table() take texts only", "query('SELECT …')", _READ_HINT)
