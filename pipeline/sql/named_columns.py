"""Which columns of a view a question needs, as its text tells: what it may not need is left out where nothing can depend on it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .connection import connect

# Their columns are not named in the text.
_UNNAMED = re.compile(r"\b(natural|describe|summarize|pivot|unpivot|query|query_table|columns)\b")


def named_columns(text: str, view: str, columns: Sequence[str]) -> list[str]:
    """The columns of a view that a question names, or may mean; at least one, so that rows can be counted.

    >>> named_columns("SELECT a, count(*) FROM v GROUP BY 1", "v", ["a", "b"])
    ['a']
    >>> named_columns("SELECT * EXCLUDE (b) FROM v", "v", ["a", "b", "c"])
    ['a', 'c']
    >>> named_columns("SELECT v FROM v", "v", ["a", "b"])
    ['a', 'b']
    """
    words = Counter(re.findall(r"\w+", text.lower()))
    tree = _tree(text)
    if tree is None or _UNNAMED.search(text.lower()):
        return list(columns)
    named, tables, excluded, stars, by_place = _seen(tree)
    if by_place or named & (tables | {view.lower()}):
        # By their places, or a whole row.
        return list(columns)
    if stars:
        left_out = {name for name, times in Counter(excluded).items() if times == stars and words[name] == times}
        return [name for name in columns if name.lower() not in left_out] or list(columns[:1])
    return [name for name in columns if name.lower() in words] or list(columns[:1])


def _tree(text: str) -> str | None:
    """A SELECT as DuckDB parses it."""
    with connect() as connection:
        [(tree,)] = connection.execute("SELECT json_serialize_sql($1)", [text]).fetchall()
    return tree if tree.startswith('{"error":false') else None


def _seen(tree: str) -> tuple[set[str], set[str], list[str], int, bool]:
    """The last words of what is named as columns, the names of tables, what stars leave out, the number of stars, and whether columns are
    meant by their places: `#2`, and `v AS t(a, b)`."""
    named: set[str] = set()
    tables: set[str] = set()
    excluded: list[str] = []
    stars: list[dict[str, Any]] = []
    by_place: list[None] = []

    def see(node: dict[str, Any]) -> dict[str, Any]:
        if node.get("class") == "COLUMN_REF":
            named.add(node["column_names"][-1].lower())
        elif node.get("class") == "STAR":
            stars.append(node)
            excluded.extend(str(name).lower() for name in node.get("exclude_list", []))
        elif "table_name" in node or "sample" in node:
            tables.update(str(node.get(key) or "").lower() for key in ("alias", "table_name"))
        if isinstance(node.get("modifiers"), list):
            # ORDER BY ALL of a SELECT means the columns of its answer; that of a function those of the view.
            said = [order["expression"] for each in node["modifiers"] for order in each.get("orders", [])]
            stars[:] = [star for star in stars if star["exclude_list"] or not any(star is each for each in said)]
        if node.get("class") == "POSITIONAL_REFERENCE" or node.get("column_name_alias"):
            by_place.append(None)
        return node

    json.loads(tree, object_hook=see)
    return named, tables - {""}, excluded, len(stars), bool(by_place)
