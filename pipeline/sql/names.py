"""Which tables and views a SELECT names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

# Comments and texts name nothing.
_SILENT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_QUOTED_WORD = re.compile(r'"(\w+)"')
# A word behind FROM or JOIN, but for IS DISTINCT FROM; any other word, but for new names behind AS.
_WORD = re.compile(r"\bas\s+\w+|(?:(?<!\bdistinct )\bfrom|\bjoin)\s+(\w+)|(\w+)")
_BEHIND = re.compile(r'(?:(?<!\bdistinct )\bfrom|\bjoin)\s+"?(\w+)')
# Other quoted names and texts may hold anything, and these functions have a FROM of their own.
_NOT_BY_WORDS = re.compile(r'["$]|\b(?:extract|overlay|substring|trim)\s*\(')


def names_in_view(select: str, by_lower: Mapping[str, str]) -> list[str]:
    """Which names, given by their lower case, the SELECT of a view of ours names as tables: these stand behind FROM or JOIN."""
    return sorted({by_lower[name] for name in _BEHIND.findall(_SILENT.sub(" ", select.lower())) if name in by_lower})


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
