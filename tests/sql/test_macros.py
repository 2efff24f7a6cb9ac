"""The macros of the views: what is NULL, by hand, and that a client's macro of the same name does not reach the views of a catalog."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from ironlake.pipeline.sql.view_files import View, macros, views


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connected:
        connected.execute(macros())
        yield connected


def of(connection: duckdb.DuckDBPyConnection, call: str, *rows: tuple[Any, ...]) -> Any:
    """A macro over rows of x, w and the condition c."""
    values = ", ".join(
        f"({', '.join('NULL' if v is None else repr(v) if not isinstance(v, bool) else str(v) for v in row)})"
        for row in rows
    )
    typed = "SELECT CAST(x AS DOUBLE) AS x, CAST(w AS DOUBLE) AS w, CAST(c AS BOOLEAN) AS c"
    (found,) = connection.sql(f"SELECT {call} FROM ({typed} FROM (VALUES {values}) AS r(x, w, c))").fetchall()
    return found[0]


YES, NO = True, False


@pytest.mark.parametrize(
    ("call", "rows", "expected"),
    [
        ("sum_all(x)", [(1, 0, YES), (2, 0, YES)], 3),
        ("has_small_buffers(x, w)", [(5, 4, YES)], True),
        ("has_small_buffers(x, w)", [(5, 5, YES)], False),
        ("has_small_buffers(x, w)", [(4.9, 0, YES)], False),
        ("has_small_buffers(x, w)", [(None, 0, YES)], None),
        ("sum_all(x)", [(1, 0, YES), (None, 0, YES)], None),
        ("sum_all(x, c)", [(1, 0, YES), (None, 0, NO)], 1),
        ("sum_all(x, c)", [(1, 0, YES), (None, 0, YES)], None),
        ("sum_all(x, c)", [(1, 0, NO)], None),
        ("sum_or_zero(x, c)", [(1, 0, NO)], 0),
        ("sum_or_zero(x, c)", [(1, 0, YES), (4, 0, NO)], 1),
        ("sum_or_zero(x, c)", [(1, 0, YES), (None, 0, YES)], None),
        # (10 × 1 + 40 × 2) / 3
        ("mean_all(x, w)", [(10, 1, YES), (40, 2, YES)], 30),
        ("mean_all(x, w)", [(10, 1, YES), (None, 2, YES)], None),
        ("mean_all(x, w)", [(10, 0, YES)], None),
        # A value that counts for nothing may be unknown; a weight may not.
        ("mean_where_any(x, w)", [(10, 1, YES), (None, 0, YES)], 10),
        ("mean_where_any(x, w)", [(10, 1, YES), (20, None, YES)], None),
        ("mean_where_any(x, w)", [(10, 1, YES), (None, 2, YES)], None),
        ("one_value(x)", [(5, 0, YES), (5, 0, YES)], 5),
        ("one_value(x)", [(5, 0, YES), (None, 0, YES)], None),
        ("one_value(x)", [(5, 0, YES), (6, 0, YES)], None),
        ("known_value(x)", [(5, 0, YES), (None, 0, YES)], 5),
        ("known_value(x)", [(5, 0, YES), (6, 0, YES)], None),
        ("any_value(at_least_zero(x))", [(-0.5, 0, YES)], 0),
        ("max(at_least_zero(x))", [(None, 0, YES)], None),
    ],
)
def test_what_is_not_known_is_never_added_up(
    connection: duckdb.DuckDBPyConnection, call: str, rows: list[tuple[Any, ...]], expected: float | None
) -> None:
    assert of(connection, call, *rows) == expected


def test_keys_are_equal_where_both_sides_are_null(connection: duckdb.DuckDBPyConnection) -> None:
    """One interval printed without a sysplex name on two pages is one interval; a page that names one is another."""
    rows = """
        WITH pages(sysplex, scope, report_kind, interval_start, interval_end, page) AS (
            VALUES (NULL, NULL, 'interval', 1, 2, 7), (NULL, NULL, 'interval', 1, 2, 8), ('P1', NULL, 'interval', 1, 2, 9)
        )
    """
    pairs = connection.sql(
        rows
        + "SELECT a.page, b.page FROM pages AS a JOIN pages AS b ON interval_key(a) = interval_key(b) AND a.page < b.page"
    ).fetchall()
    assert pairs == [(7, 8)]


def test_macros_over_rows_are_written_out_in_views(connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB binds all columns of a row for each one that such a macro names: most of the time of a view over a hundred columns."""
    page = "(SELECT 'P1' AS sysplex, NULL AS scope, 'interval' AS report_kind, 1 AS interval_start, 2 AS interval_end) AS page"
    asked = f"SELECT interval_key(page) AS key FROM {page}"
    written = View("v", asked).sql
    assert "interval_key" not in written
    assert connection.sql(written).fetchall() == connection.sql(asked).fetchall() != []
    names = [
        name
        for name in ("interval_key", "is_scope_of", "class_key")
        for view in views().values()
        if f"{name}(" in view.sql
    ]
    assert names == []


def test_parameters_of_a_macro_take_their_places_at_once() -> None:
    """Rows that are called as the parameters of the macro, the other way round."""
    written = View("v", "SELECT * FROM page JOIN wider ON is_scope_of(page, wider)").sql
    assert "scope := page.printed_scope" in written
    assert "scope := wider.scope" in written


def test_refs_come_in_the_order_of_the_page(connection: duckdb.DuckDBPyConnection) -> None:
    (found,) = connection.sql(
        "SELECT all_refs(s, p, l) FROM (VALUES ('b', 1, 5), ('a', 2, 90), ('a', 1, 7)) AS r(s, p, l)"
    ).fetchall()
    assert [(r["source_id"], r["page"], r["line"]) for r in found[0]] == [("a", 1, 7), ("a", 2, 90), ("b", 1, 5)]
