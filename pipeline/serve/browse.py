"""Tables and views by topic, and the rows of one: filtered, sorted, counted by the values of a column, page by page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...dashboards.templating import render
from ..declaration.study_tables import COMPUTED
from ..errors import UsageError
from ..sql.column_types import quoted_name
from ..sql.describe import columns_of
from ..sql.known_tables import tables
from ..sql.open_lake import OpenLake
from ..sql.topics import by_topic, has_words, topic
from ..sql.view_files import views
from .requests import Answer, Request
from .shown_rows import first_rows, shown_rows

ROWS_SHOWN = 50
_FACETS_SHOWN = 30
_MOST_FILTERS = 20
# To plan a view over empty tables is the work of one connection.
_PLANNING = threading.Lock()
_OPERATORS: dict[str, str] = {
    **{op: f"{{column}} {op} CAST({{value}} AS {{type}})" for op in ("=", "<>", "<", "<=", ">", ">=")},
    "contains": "contains(lower(CAST({column} AS VARCHAR)), lower({value}))",
    "is empty": "{column} IS NULL",
    "is not empty": "{column} IS NOT NULL",
}


@dataclass(frozen=True)
class Named:
    """A table or view in the list; `rows` is None where to count them is to compute them."""

    name: str
    grain: str
    rows: int | None


def html(template: str, **content: Any) -> Answer:
    return Answer(render(template, **content).encode("utf-8", "backslashreplace"))


@cache
def _columns(name: str) -> list[dict[str, Any]]:
    return columns_of(name).to_pylist()


def columns(name: str) -> list[dict[str, Any]]:
    """What `ironlake describe` says of the columns. Raises UsageError for a name that is neither a table nor a view."""
    with _PLANNING:
        return _columns(name)


def overview_page(lake: OpenLake, request: Request) -> Answer:
    search = request.one("search")
    found: list[tuple[str, int | None, Named]] = []
    grains: dict[str, Callable[[], str]] = {name: lambda t=table: t.grain for name, table in tables().items()}
    grains |= {name: lambda v=view: v.grain for name, view in views().items()}
    for name in sorted(grains):
        grain = grains[name]()
        if not has_words(search, f"{name} {grain} {topic(name)}"):
            continue
        rows = lake.rows(name) if name in tables() and tables()[name] not in COMPUTED else None
        found.append((name, rows, Named(name, grain, rows)))
    note = lake.outdated_note
    files = len(lake.state.sources)
    return html(
        "serve_list.html", title=lake.path.name or "lake", here="", topics=by_topic(found), search=search, files=files, note=note
    )  # fmt: skip


@dataclass(frozen=True)
class Filter:
    column: str
    operator: str
    value: str


def rows_page(lake: OpenLake, request: Request) -> Answer:
    name = request.one("of")
    known = columns(name)
    types = {each["column"]: each["type"] for each in known}
    filters = _filters(request, types)
    where, parameters = _where(filters, types)
    sort, _, way = request.one("sort").partition(" ")
    if sort and (sort not in types or way not in ("", "down")):
        raise UsageError(f"{name} has no column {sort}", "a column to sort by")
    page = request.number("page", 1, 10**7) or 1
    # All columns break ties: the order of equal rows does not show.
    is_stored = name in tables() and not sort
    keys = ([f"{quoted_name(sort)} {'DESC' if way else 'ASC'} NULLS LAST"] if sort else []) + [*map(quoted_name, types)]
    order = "" if is_stored else f" ORDER BY {', '.join(keys)}"
    asked = f"FROM {quoted_name(name)}{where}{order}"
    limited = f"{asked} LIMIT {ROWS_SHOWN + 1} OFFSET {(page - 1) * ROWS_SHOWN}"
    answer = lake.sql(f"SELECT * {limited}", parameters).written("json", ROWS_SHOWN + 1)
    found, more = first_rows(answer, ROWS_SHOWN)
    total = lake.rows(name) if name in tables() and tables()[name] not in COMPUTED and not filters else None
    facet = request.one("facet")
    if facet and facet not in types:
        raise UsageError(f"{name} has no column {facet}", "a column to count by")
    grain = tables()[name].grain if name in tables() else views()[name].grain
    return html(
        "serve_rows.html", title=name, here="", name=name, grain=grain, doc=_doc(name), request=request, known=known,
        rows=shown_rows(answer.schema, found, name), operators=_OPERATORS, filters=filters, sort=sort, way=way,
        first=(page - 1) * ROWS_SHOWN + 1, last=(page - 1) * ROWS_SHOWN + len(found), page=page, more=more, total=total,
        facet=facet, values=_facet(lake, name, facet, where, parameters, request) if facet else [],
        query=f"SELECT *\n{_with_values(asked, parameters)}",
    )  # fmt: skip


def _doc(name: str) -> str:
    return tables()[name].doc if name in tables() else views()[name].doc


def _filters(request: Request, types: dict[str, str]) -> list[Filter]:
    given = list(zip(*(request.all(name) for name in ("column", "is", "value")), strict=False))
    found = [Filter(*each) for each in given if each[0]]
    if len(found) > _MOST_FILTERS:
        raise UsageError(f"{len(found)} filters are given", f"{_MOST_FILTERS} at most")
    for each in found:
        if each.column not in types or each.operator not in _OPERATORS:
            raise UsageError(
                f"{each.column} {each.operator} is not a filter of this table", "a column and a comparison"
            )
    return found


def _where(filters: list[Filter], types: dict[str, str]) -> tuple[str, dict[str, object]]:
    """The condition, empty without one, and the values of its parameters."""
    parts, values = [], {}
    for number, each in enumerate(filters):
        text = _OPERATORS[each.operator]
        parts.append(text.format(column=quoted_name(each.column), value=f"$v{number}", type=types[each.column]))
        if "{value}" in text:
            values[f"v{number}"] = each.value
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _with_values(text: str, parameters: dict[str, object]) -> str:
    """A query with its values written into it, to go on with in the box for SQL."""
    for name, value in sorted(parameters.items(), reverse=True):
        literal = "'" + str(value).replace("'", "''") + "'"
        text = text.replace(f"${name}", literal)
    return text


def _facet(
    lake: OpenLake, name: str, facet: str, where: str, parameters: dict[str, object], request: Request
) -> list[tuple[str, int, str]]:
    """The most frequent values of a column in the rows, how many rows have each, and the link to these."""
    text = (
        f"SELECT CAST({quoted_name(facet)} AS VARCHAR) AS value, count(*) AS rows FROM {quoted_name(name)}{where}"
        f" GROUP BY ALL ORDER BY rows DESC, value LIMIT {_FACETS_SHOWN}"
    )
    out = []
    for value, rows in lake.sql(text, parameters).fetchall():
        operator = "is empty" if value is None else "="
        given = {n: [*request.all(n), v] for n, v in (("column", facet), ("is", operator), ("value", value or ""))}
        out.append(("(empty)" if value is None else value, rows, request.link(**given, facet=None, page=None)))
    return out
