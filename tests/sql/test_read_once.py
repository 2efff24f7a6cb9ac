"""Rows of a shard are read by what is asked of them, each column of a piece once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline.sql.prune import pieces_inside
from ironlake.pipeline.sql.read_once import Piece, ReadOnce
from ironlake.pipeline.sql.session import Session
from ironlake.pipeline.sql.view_files import View

PIECES = (pa.table({"a": [1, 2], "b": ["x", "y"], "c": [5.0, None]}), pa.table({"a": [3], "b": ["x"], "c": [7.0]}))


@pytest.fixture
def asked() -> list[tuple[int, list[str]]]:
    """Which columns of which piece were read, in order."""
    return []


@pytest.fixture
def rows(asked: list[tuple[int, list[str]]]) -> ReadOnce:
    def piece(number: int) -> Piece:
        def read(names: Sequence[str]) -> pa.Table:
            asked.append((number, list(names)))
            return PIECES[number].select(list(names))

        return read

    return ReadOnce.of(PIECES[0].schema, lambda: [piece(0), piece(1)])


def test_columns_are_read_once_and_only_those_that_are_asked_for(rows, asked):
    connection = duckdb.connect()
    connection.register("printed", rows)
    # The column of a condition is none that is asked for.
    assert connection.sql("SELECT sum(a) FROM printed WHERE b = 'x'").fetchall() == [(4,)]
    assert connection.sql("SELECT count(*) FROM printed").fetchall() == [(3,)]
    assert connection.sql("SELECT max(a) FROM printed").fetchall() == [(3,)]
    assert asked == [(0, ["a", "b"]), (1, ["a", "b"])]
    assert rows.to_table() == pa.concat_tables(PIECES)
    assert asked[2:] == [(0, ["c"]), (1, ["c"])]


def test_a_join_with_nothing_does_not_read_all_pieces(asked):
    def read(names: Sequence[str]) -> pa.Table:
        asked.append((0, list(names)))
        return PIECES[0].select(list(names))

    connection = duckdb.connect(config={"threads": 1})
    connection.register("printed", ReadOnce.of(PIECES[0].schema, lambda: [read] * 100))
    none = "SELECT DISTINCT a FROM range(9) AS numbers(a) WHERE random() > 2"
    text = f"WITH none AS MATERIALIZED ({none}) SELECT sum(c) FROM printed SEMI JOIN none USING (a)"
    assert connection.sql(text).fetchall() == [(None,)]
    assert len(asked) < 5


def test_a_column_that_an_older_part_lacks_is_empty(tmp_path: Path):
    schema = pa.schema([("a", pa.int64()), ("new", pa.string())])
    pq.write_table(pa.table({"a": [1, 2, 3, 4]}), tmp_path / "old.parquet", row_group_size=2)
    pieces = pieces_inside(pads.dataset(tmp_path, schema=schema), pc.field("a") > 2, schema)
    assert [piece(["new"]).to_pydict() for piece in pieces] == [{"new": [None, None]}]
    assert [piece(["a", "new"]).to_pydict() for piece in pieces] == [{"a": [3, 4], "new": [None, None]}]


def test_a_view_is_planned_once_for_all_tables_that_it_is_made_of(monkeypatch):
    asked: list[str] = []
    views = {"v": View("v", "SELECT count(*) AS n FROM rmf_cpu_activity, rmf_overview, rmf_xcf_path")}
    session = Session(lambda table: pads.dataset(table.schema.empty_table()), views)
    with_all = session._with_all_that_it_names

    def counted(connection, text, ask):
        def once():
            asked.append(text)
            return ask()

        return with_all(connection, text, once)

    monkeypatch.setattr(session, "_with_all_that_it_names", counted)
    assert session.relation("SELECT n FROM v")[1].fetchall() == [(0,)]
    # Without the view, and with all.
    assert len(asked) == 2
    session.close()
