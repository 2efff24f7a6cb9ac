"""The catalog file: moved with its lake or without it, large tables as views or as copies, for older releases of DuckDB too.

`.ci/catalog` opens catalogs with the oldest DuckDB that must read them."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from command_line import Command
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql import duckdb_file
from ironlake.pipeline.sql.duckdb_file import write_catalog
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.view_files import views
from lake_rows import ACTIVITY, add, entry, fill
from sample_pages import sample
from views_lake import nine_digits

COUNT = f"SELECT count(*) FROM {ACTIVITY}"


def catalog(lake: Path, out: Path, *, copy: bool = False, few_rows: int = 50_000) -> Path:
    with OpenLake(lake, few_rows) as opened:
        write_catalog(opened, out, copy)
    return out


def count(file: Path | str) -> int:
    with duckdb.connect(str(file), read_only=True) as connection:
        ((rows,),) = connection.sql(COUNT).fetchall()
    return rows


@pytest.fixture
def few_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what is asked is where the rows are, one view does for all."""
    monkeypatch.setattr(OpenLake, "views_in_order", lambda lake: ["finding_rule"])
    monkeypatch.setattr(duckdb_file, "_comment", lambda connection: None)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    with Lake(tmp_path / "here" / "lake [1] * 'x'") as writer:
        add(writer, entry("a"), entry("b"))
        add(writer, entry("c"))
    return writer.path


def test_an_interrupt_ends_the_writing(lake: Path, tmp_path: Path, few_views: None, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "catalog.duckdb"

    def takes_hours(connection: duckdb.DuckDBPyConnection) -> None:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        connection.execute("SELECT count(*) FROM range(100000000) a, range(100000000) b")

    monkeypatch.setattr(duckdb_file, "_comment", takes_hours)
    with pytest.raises(KeyboardInterrupt):
        catalog(lake, out)
    assert not out.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"here"}


def moved(path: Path) -> Path:
    (path.parent / "there [2]").mkdir()
    return path.rename(path.parent / "there [2]" / "it's")


def test_a_catalog_beside_its_lake_can_be_moved_with_it(
    lake: Path, tmp_path: Path, few_views: None, monkeypatch: pytest.MonkeyPatch
):
    catalog(lake, lake.parent / "my [x].duckdb")
    assert count(lake.parent / "my [x].duckdb") == 30
    there = moved(lake.parent)
    assert count(there / "my [x].duckdb") == 30
    # By a relative path as well, and while a lake lies where its own has been.
    monkeypatch.chdir(there)
    (tmp_path / "here").mkdir()
    fill(lake, entry("d"))
    assert count("my [x].duckdb") == 30
    # Attached, it cannot know its place: the absolute path holds, unless the client says another.
    with duckdb.connect() as connection:
        connection.execute("ATTACH $$" + str(there / "my [x].duckdb") + "$$ AS of_lake (READ_ONLY)")
        with pytest.raises(duckdb.IOException, match="here/lake"):
            connection.sql("SELECT count(*) FROM of_lake." + ACTIVITY)
        connection.execute("SET VARIABLE ironlake_lake = $$" + str(there).replace("[", "[[]") + "/lake [[]1] [*] 'x'$$")
        assert connection.sql("SELECT count(*) FROM of_lake." + ACTIVITY).fetchall() == [(30,)]


def test_a_catalog_in_its_lake_can_be_moved_with_it(lake: Path, tmp_path: Path, few_views: None) -> None:
    catalog(lake, lake / "lake.duckdb")
    # Attached to another file, beside which there is a lake as well.
    (tmp_path / "other").mkdir()
    fill(tmp_path / "other", entry("d"))
    with duckdb.connect(str(tmp_path / "other" / "mine.duckdb")) as connection:
        connection.execute("ATTACH $$" + str(lake / "lake.duckdb") + "$$ AS of_lake (READ_ONLY)")
        assert connection.sql("SELECT count(*) FROM of_lake." + ACTIVITY).fetchall() == [(30,)]
    assert count(moved(lake) / "lake.duckdb") == 30


def test_a_catalog_elsewhere_can_be_moved_alone(lake: Path, tmp_path: Path, few_views: None) -> None:
    (tmp_path / "else").mkdir()
    catalog(lake, tmp_path / "else" / "lake.duckdb").rename(tmp_path / "moved.duckdb")
    assert count(tmp_path / "moved.duckdb") == 30


def test_a_copy_needs_no_lake(run: Command, lake: Path, tmp_path: Path, few_views: None) -> None:
    copy = tmp_path / "copy.duckdb"
    assert run("catalog", "--copy", "--memory", "500MB", "--out", copy, "--lake", lake)[0] == 0
    shutil.rmtree(lake)
    assert count(copy) == 30
    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.sql("SELECT DISTINCT table_type FROM information_schema.tables").fetchall() == [
            ("BASE TABLE",)
        ]


@pytest.mark.slow
def test_views_and_copies_of_large_tables_answer_as_the_lake(run: Command, tmp_path: Path) -> None:
    pages = [sample("velocity_goal"), *Path(sample("velocity_goal")).parents[1].glob("rmf_cpu_activity/*.txt")]
    assert run("ingest", *pages, "--lake", tmp_path / "lake")[0] in (0, 1)
    # With few_rows=0 every table counts as large.
    files = [catalog(tmp_path / "lake", tmp_path / f"{c}.duckdb", copy=c, few_rows=0) for c in (False, True)]
    # What a copy makes tables of is the same SQL: some of it, made of many others.
    asked = {files[0]: (*tables(), *views()), files[1]: (*tables(), "finding", "capture_ratio", "rolling_four_hour_msu")}  # fmt: skip
    # All in memory: views are tables of the session.
    with OpenLake(tmp_path / "lake") as opened:
        expected = {name: _rows(opened, name) for name in (*tables(), *views())}
    assert sum(map(bool, expected.values())) > 15
    for file in files:
        with duckdb.connect(str(file), read_only=True) as connection:
            assert {name: _rows(connection, name) for name in asked[file]} == {
                name: expected[name] for name in asked[file]
            }
    with duckdb.connect(str(files[0]), read_only=True) as connection:
        texts = dict(connection.sql("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall())
    # What an older DuckDB would have to read as this one has parsed it, it cannot even list.
    assert "query(" in texts["cpu_by_class"]


def _rows(lake: OpenLake | duckdb.DuckDBPyConnection, name: str) -> list[str]:
    found = lake.sql(f'SELECT * FROM "{name}"')
    rows: Mapping[str, list[object]] = found.to_arrow_table().to_pydict()
    return sorted(repr(nine_digits(row)) for row in zip(*rows.values(), strict=True))
