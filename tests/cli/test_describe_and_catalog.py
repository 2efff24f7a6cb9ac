"""What describe and catalog tell, and files that commands write."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.sql import duckdb_file
from ironlake.pipeline.sql.describe import columns_of
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from ironlake.pipeline.sql.view_files import views
from lake_rows import ACTIVITY, GOAL, entry


class Catalog(NamedTuple):
    path: Path
    views: set[str]


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, marks=pytest.mark.sampled), pytest.param(True, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def catalog(request, lake_path, tmp_path_factory):
    """A catalog of the small lake, below odd names: with all views, or one and those that it is made of."""
    path = tmp_path_factory.mktemp("catalog") / "odd [name] *" / "it's.duckdb"
    path.parent.mkdir()
    with pytest.MonkeyPatch.context() as patch, open_lake(lake_path) as lake:
        there = {*views()} if request.param else lake.made_of("FROM cpu_by_class") & {*views()} | {"cpu_by_class"}
        in_order = OpenLake.views_in_order
        patch.setattr(OpenLake, "views_in_order", lambda lake: [v for v in in_order(lake) if v in there])
        duckdb_file.write_catalog(lake, path)
    return Catalog(path, there)


# --- Describe and catalog -------------------------------------------------------------------------------------------


def test_describe_counts_rows_of_tables(run):
    overview = json.loads(run("describe", "--format", "json")[1])
    by_name = {row["name"]: row for row in overview}
    assert by_name.keys() == {*tables(), *views()}
    assert by_name[ACTIVITY] == {
        "name": ACTIVITY,
        "kind": "table",
        "report": "rmf_workload_activity",
        "rows": 20,
        "columns": len(tables()[ACTIVITY].all_columns),
        "grain": "one row per class or class period and interval",
    }
    assert by_name["ingest_file"]["rows"] == 3
    assert by_name["cpu_by_class"]["rows"] is None


def test_describe_lists_by_topic_what_has_rows_first(run):
    """The lake has rows of a few tables of RMF; lines have 100 characters, as a terminal has."""
    lines = run("describe")[1].decode().splitlines()
    assert max(map(len, lines)) == 100
    titles = [line.partition(" (")[0] for line in lines if line.endswith(")") and line[0] != " "]
    assert titles == [
        "RMF", "Other reports, and what was read", "Findings", "Views of reports", "Studies and comparisons",
        "What counts once", "CICS", "Db2",
    ]  # fmt: skip
    rows = [line.split()[1] for line in lines[1 : lines.index("")]]
    assert rows[0] != "-"
    assert rows == sorted(rows, key=lambda count: count == "-")
    shown = run("describe", ACTIVITY)[1].decode().splitlines()
    assert shown[0] == f"{ACTIVITY}: one row per class or class period and interval"
    assert max(map(len, shown)) <= 100
    at = next(k for k, line in enumerate(shown) if line.startswith("appl_cp_pct "))
    assert shown[at].split("  ", 1)[1].split("  ")[-2:] == ["DOUBLE", "% of one engine"]
    assert shown[at + 1] == "    Time on general processors, IIPCP and AAPCP included."


def test_describe_finds_words(run):
    """In names, grains and topics; else in columns, which are then named. In any case."""
    found = {
        row["name"]: row["grain"]
        for row in json.loads(run("describe", "--search", "GOAL period", "--format", "json")[1])
    }
    assert found[GOAL] == tables()[GOAL].grain
    of_a_column = json.loads(run("describe", "--search", "IIPCP AAPCP", "--format", "json")[1])
    assert next(row["grain"] for row in of_a_column if row["name"] == ACTIVITY) == "columns: appl_cp_pct"
    code, out, err = run("describe", "--search", "qqq")
    assert (code, out) == (2, b"")
    assert "no table or view has the words 'qqq'\nhint: fewer or shorter words" in err
    assert "a table or view and --search are given" in run("describe", GOAL, "--search", "x")[2]


def test_describe_needs_no_lake(run, tmp_path):
    code, out, err = run("describe", "--lake", str(tmp_path / "none"), "--format", "json")
    assert code == 0
    assert "no lake" in err
    assert {row["rows"] for row in json.loads(out)} == {None}


def test_describe_tells_all_about_a_column(run):
    found = {row["column"]: row for row in json.loads(run("describe", ACTIVITY, "--format", "json")[1])}
    assert found["appl_cp_pct"] == {
        "column": "appl_cp_pct",
        "type": "DOUBLE",
        "unit": "% of one engine",
        "nullable": True,
        "key": False,
        "description": "Time on general processors, IIPCP and AAPCP included.",
        "place": "APPL %: CP; SERVICE RATES: APPL %; SERVICE RATES: APPL%; SERVICE TIMES: APPL% CP; 0 at ALL_DATA_ZERO; "
        "XML Application Time %: CP (name from public code, no page seen); "
        "SMF ((r723ccpu - r723cifa * r723nffi / 256 - r723csup * r723nffs / 256) * r723madj / (16000000.0 * r723mcpu / 10000) + "
        "r723csrb * r723madj / (16000000.0 * r723msrb / 10000) + (r723crct + r723ciit + r723chst) / 1000000) * 100 / "
        "NULLIF(smf72int * r723mcf / 1024, 0)",
    }
    assert found["service_class"]["key"] is True
    assert found["service_class"]["type"] == "VARCHAR"
    assert found["source_id"]["type"] == "VARCHAR"


def test_describe_says_near_names(run):
    code, out, err = run("describe", "rmf_workload_gaol")
    assert (code, out) == (2, b"")
    assert err.startswith(f"ironlake: no table or view is called rmf_workload_gaol\nhint: near names: {GOAL}")


def test_files_of_an_older_reader_are_to_be_ingested_again(run, tmp_path):
    writer = Lake(tmp_path / "lake")
    writer.commit([replace(entry("new"), rows={"cell_null": 3})], [])
    assert run("sql", "SELECT 1 AS one", "--lake", str(writer.path))[2] == ""
    writer.commit([replace(entry("old"), reader_version="2", rows={"cell_null": 3})], [])
    code, _, err = run("sql", "SELECT 1 AS one", "--lake", str(writer.path))
    assert code == 0
    assert err.startswith("note: old.txt was ingested by an older Ironlake")


def test_catalog_says_what_its_tables_and_columns_are(catalog):
    made = "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal UNION ALL SELECT table_name, comment FROM duckdb_tables()"
    columns = (
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal"
    )
    with duckdb.connect(str(catalog.path), read_only=True) as connection:
        of_tables = dict(connection.sql(made).fetchall())
        of_columns = {(table, column): comment for table, column, comment in connection.sql(columns).fetchall()}
    assert of_tables.keys() == {*tables(), *catalog.views}
    assert None not in [*of_tables.values(), *of_columns.values()]
    assert of_tables[ACTIVITY] == "one row per class or class period and interval"
    assert of_columns[ACTIVITY, "cpu_time_s"].endswith(" [s]")
    assert of_columns["cpu_by_class", "cpu_pct"].endswith(" [% of one engine]")


def test_catalog_gives_the_same_rows_to_any_client(catalog, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(str(catalog.path), read_only=True) as connection:
        names = {name for (name,) in connection.sql("SHOW TABLES").fetchall()}
        assert names == {*tables(), *catalog.views}
        query = f"SELECT source_file, count(*), count(tenant) FROM {ACTIVITY} GROUP BY 1 ORDER BY 1"
        assert connection.sql(query).fetchall() == [("a.txt", 10, 0), ("b.txt", 4, 0), ("c.txt", 6, 0)]
        for name in tables():
            connection.sql(f"SELECT * FROM {name}").fetchall()
        answer = connection.sql("FROM cpu_by_class")
        assert answer.columns == columns_of("cpu_by_class")["column"].to_pylist()
        assert len(answer.fetchall()) == 4
        types = connection.sql("SELECT typeof(rows), typeof(committed_at) FROM ingest_file LIMIT 1").fetchall()
        assert types == [('STRUCT("table" VARCHAR, "rows" BIGINT)[]', "TIMESTAMP")]
    assert os.listdir(catalog.path.parent) == [catalog.path.name]


def test_a_catalog_does_not_wait_for_a_pipe(run, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    code, _, err = run("catalog", "--out", str(tmp_path / "fifo"))
    assert (code, "is not a regular file" in err) == (2, True)


def test_a_macro_of_a_client_does_not_change_the_views_of_a_catalog(catalog, tmp_path):
    """A client's `sum_all` in `main` or `temp`, found before any other of the name, is not the one that the views mean."""
    shutil.copy(catalog.path, tmp_path / "c.duckdb")
    with duckdb.connect(str(tmp_path / "c.duckdb")) as connection:
        names = [name for name in sorted(catalog.views) if connection.sql(f"FROM {name}").fetchall()]
        before = {name: sorted(map(repr, connection.sql(f"FROM {name}").fetchall())) for name in names}
        macros = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE schema_name = 'ironlake_macros'"
        for (macro,) in connection.sql(macros).fetchall():
            for of in ("", "TEMP "):
                connection.execute(f"CREATE {of}MACRO {macro}(a) AS 666, (a, b) AS 666, (a, b, c) AS 666")
        assert connection.sql("SELECT sum_all(1)").fetchall() == [(666,)]
        assert {name: sorted(map(repr, connection.sql(f"FROM {name}").fetchall())) for name in names} == before
    assert "cpu_by_class" in names


# --- Files to write -----------------------------------------------------------------------------------------------------

WRITES = [["check"], ["catalog"], ["study", "init"], ["compare", "--run", "a=2026-01-01T00:00/01:00", "--run", "b=2026-01-02T00:00/01:00"]]  # fmt: skip


@pytest.mark.parametrize("command", WRITES, ids=lambda words: words[0])
def test_no_command_writes_among_the_files_of_a_lake(run, command, tmp_path):
    """A page in place of the ledger's head would be the end of the lake; of any lake, not of the one alone that is read."""
    lake = tmp_path / "other"
    (lake / "_ledger").mkdir(parents=True)
    head = lake / "_ledger" / "head.json"
    head.write_text("{}")
    (tmp_path / "link").symlink_to(lake / "_ledger")
    (tmp_path / "new").symlink_to(lake / "_ledger" / "new")
    places = [
        head, lake / "rmf_overview" / "page.html", lake / "_tmp", tmp_path / "link" / "head.json", tmp_path / "new",
    ]  # fmt: skip
    for place in places:
        code, out, err = run(*command, "--out", str(place))
        assert (code, out) == (2, b"")
        assert f"{place} is among the files of the lake {lake}; expected a file outside the lake" in err
    assert [p.name for p in lake.iterdir()] == ["_ledger"]
    assert [(p.name, p.read_text()) for p in (lake / "_ledger").iterdir()] == [("head.json", "{}")]


def test_a_file_directly_in_the_folder_of_a_lake_is_in_nobodys_way(run, tmp_path):
    (tmp_path / "_ledger").mkdir()
    assert run("ingest", tmp_path / "none", "--lake", tmp_path / "new", "--log", tmp_path / "log")[0] == 1
    assert sorted(os.listdir(tmp_path)) == ["_ledger", "log", "new"]


# --- A disk that was full leaves compiled modules cut short; what is to be done is said -------------------------------


@pytest.mark.parametrize("kept", [20, 400])
def test_a_compiled_module_that_is_cut_is_named(run, tmp_path, monkeypatch, kept):
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def export(name: str) -> tuple[int, bytes, str]:
        for module in [m for m in sys.modules if m.partition(".")[0] == "xlsxwriter"]:
            monkeypatch.delitem(sys.modules, module)
        return run("export", "--table", "parse_reject", "--format", "xlsx", "--out", str(tmp_path / name))

    assert export("first")[0] == 0
    (compiled,) = (tmp_path / "compiled").rglob("xlsxwriter/worksheet.*.pyc")
    whole = compiled.read_bytes()
    compiled.write_bytes(whole[:kept])
    code, _, errors = export("second")
    assert code == 1
    assert errors == (
        f"ironlake: {compiled} is cut short, as when Python wrote it to a full disk; remove the folder {compiled.parent} "
        "and run the command again: Python writes it again\n"
    )
    assert not (tmp_path / "second").exists()
    for each in Path(compiled.parent).iterdir():
        each.unlink()
    assert export("third")[0] == 0
    assert compiled.read_bytes() == whole
