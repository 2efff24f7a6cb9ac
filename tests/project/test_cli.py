"""The command line: formats, exit codes, help, messages in place of tracebacks."""

import datetime as dt
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from command_line import PATIENCE_S
from ironlake.pipeline.cli import common as cli_common
from ironlake.pipeline.cli import main as cli
from ironlake.pipeline.cli.arguments import scope_of
from ironlake.pipeline.cli.commands import app
from ironlake.pipeline.cli.compare import parse_runs
from ironlake.pipeline.cli.quick import convert_plain_values, only_asked_for
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.output.lines import table_lines
from ironlake.pipeline.output.write import Format
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.study.windows import Window
from lake_rows import ACTIVITY, DMY, GOAL, add, entry
from sample_pages import SAMPLES

PAGE = SAMPLES / "rmf_cpu_activity" / "cpu_changed_within_duration.txt"
COMMANDS = [
    "generate",
    "anonymize",
    "explain",
    "ingest",
    "remove",
    "undo",
    "history",
    "settings",
    "status",
    "check",
    "rejects",
    "sql",
    "describe",
    "catalog",
    "export",
    "compare",
    "page",
    "demo",
    "docs",
    "completion",
    "query",
    "study",
]
PROGRAM = [sys.executable, "-c", "import sys; from ironlake.pipeline.cli.main import main; sys.exit(main())"]


@pytest.fixture(scope="module")
def lake_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "lake"
    writer = Lake(path)
    add(writer, entry("a"), entry("b", lines=4))
    add(writer, entry("c", lines=6), tables=(ACTIVITY, GOAL))
    return path


@pytest.fixture
def run(lake_path, monkeypatch, capsysbinary):
    """Run a command in this process over the small lake; gives exit code, output and errors."""
    monkeypatch.setenv("IRONLAKE_LAKE", str(lake_path))

    def run_command(*arguments: str) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["ironlake", *arguments])
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run_command


@pytest.fixture(scope="module")
def catalog(lake_path, tmp_path_factory):
    """A catalog of the small lake, below odd names."""
    path = tmp_path_factory.mktemp("catalog") / "odd [name] *" / "it's.duckdb"
    path.parent.mkdir()
    subprocess.run([*PROGRAM, "catalog", "--lake", lake_path, "--out", path], check=True)
    return path


# --- Formats --------------------------------------------------------------------------------------------------------

ODD = """SELECT * FROM (VALUES
    (1, 1.5, NULL, '', TIMESTAMP '2021-04-13 10:00:00', [{'source_id': 'ab', 'page': 3, 'line': 40}], true),
    (0, NULL, 'a|b', 'x, "y"', NULL, CAST([] AS STRUCT(source_id VARCHAR, page INT, line INT)[]), false),
    (NULL, -0.1, chr(27) || '[31m' || chr(10), '-', TIMESTAMP '1999-12-31 23:59:59.5', NULL, NULL)
) AS t(n, ratio, name, note, moment, refs, flag)"""


def test_table(run):
    code, out, _ = run("sql", ODD)
    assert code == 0
    assert out.decode().splitlines() == [
        "n  ratio  name        note    moment                      refs                         flag",
        "-  -----  ----------  ------  --------------------------  ---------------------------  -----",
        "1    1.5  -                   2021-04-13T10:00:00         source_id=ab page=3 line=40  true",
        '0      -  a|b         x, "y"  -                                                        false',
        "-   -0.1  \\x1b[31m\\n  -       1999-12-31T23:59:59.500000  -                            -",
    ]


def test_csv(run):
    code, out, _ = run("sql", ODD, "--format", "csv")
    assert code == 0
    assert out.decode().splitlines() == [
        "n,ratio,name,note,moment,refs,flag",
        '1,1.5,,"",2021-04-13T10:00:00,"[{""source_id"": ""ab"", ""page"": 3, ""line"": 40}]",true',
        '0,,a|b,"x, ""y""",,[],false',
        ',-0.1,"\x1b[31m',
        '",-,1999-12-31T23:59:59.500000,,',
    ]


def test_json(run):
    code, out, _ = run("sql", ODD, "--format", "json")
    assert code == 0
    first, second, third = json.loads(out)
    refs = [{"source_id": "ab", "page": 3, "line": 40}]
    assert first == {
        "n": 1, "ratio": 1.5, "name": None, "note": "", "moment": "2021-04-13T10:00:00", "refs": refs, "flag": True
    }  # fmt: skip
    assert (second["n"], second["ratio"], second["refs"], second["flag"]) == (0, None, [], False)
    assert third["name"] == "\x1b[31m\n"
    assert json.loads(run("sql", "SELECT 1 AS x WHERE false", "--format", "json")[1]) == []


def test_json_has_no_number_that_json_lacks_and_no_name_twice(run):
    query = "SELECT 'nan'::DOUBLE AS x, 1 AS x, 12345678901234567890123::HUGEINT AS big, DATE '2021-01-02' AS day, INTERVAL 1 DAY AS d"
    [row] = json.loads(run("sql", query, "--format", "json")[1])
    assert row["x"] is None
    assert row["x_2"] == 1
    assert row["big"] == 12345678901234567890123
    assert row["day"] == "2021-01-02"


def test_markdown(run):
    code, out, _ = run("sql", ODD, "--format", "markdown")
    assert code == 0
    lines = out.decode().splitlines()
    assert lines[0] == "| n | ratio | name | note | moment | refs | flag |"
    assert lines[1] == "|---:|---:|---|---|---|---|---|"
    assert lines[3] == '| 0 | - | a\\|b | x, "y" | - |  | false |'
    assert lines[4].startswith("| - | -0.1 | \\\\x1b[31m\\\\n | - |")


def test_parquet(run):
    code, out, _ = run("sql", f"SELECT source_file, line FROM {ACTIVITY} ORDER BY ALL", "--format", "parquet")
    assert code == 0
    found = pq.read_table(pa.BufferReader(out))
    assert found.schema.names == ["source_file", "line"]
    assert found.num_rows == 20
    assert found.slice(0, 1).to_pylist() == [{"source_file": "a.txt", "line": 1}]


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "markdown"])
@pytest.mark.parametrize(
    "value",
    [
        "DATE 'infinity'",
        "DATE '10000-01-01'",
        "TIMESTAMP '0044-03-15 (BC) 10:00:00'",
        "[{'day': DATE '10000-01-01'}]",
    ],
)
def test_a_time_that_python_has_no_value_for_is_an_error_in_words(run, output_format, value):
    code, _, err = run("sql", f"SELECT 1 AS one, {value} AS moment", "--format", output_format)
    assert code == 2
    assert "a time in column moment cannot be shown; expected the years 1 to 9999, to the microsecond" in err
    assert run("sql", f"SELECT CAST({value} AS VARCHAR) AS moment", "--format", output_format)[0] == 0


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "markdown", "parquet", "xlsx"])
@pytest.mark.parametrize("command", [["sql", "SELECT 1 AS one"], ["history"], ["describe"], ["describe", GOAL]])
def test_every_reading_command_has_every_format(run, command, output_format):
    code, out, err = run(*command, "--format", output_format)
    assert (code, err) == (0, "")
    assert len(out) > 4
    assert output_format in get_args(cli_common.Format) == get_args(Format)


def test_a_long_list_is_shortened_in_a_table_only(run):
    query = "SELECT range(5) AS refs"
    assert b"0; 1; 2; \xe2\x80\xa6 2 more" in run("sql", query)[1]
    assert b"[0, 1, 2, 3, 4]" in run("sql", query, "--format", "csv")[1]


def test_a_wide_table_is_not_cut_in_a_pipe_and_listed_on_a_terminal():
    wide = pa.table({f"column_{n}": [n, None] for n in range(40)})
    in_a_pipe = list(table_lines(wide.to_reader(), None))
    assert len(in_a_pipe) == 4
    assert in_a_pipe[0].endswith("column_39")
    on_a_terminal = list(table_lines(wide.to_reader(), 80))
    assert on_a_terminal[0] == "--- row 1 of 2 ---"
    assert on_a_terminal[40] == "column_39  39"
    assert on_a_terminal[81] == "column_39  -"
    narrow = pa.table({"name": ["Ä", "日本"], "n": [1, 22]})
    assert list(table_lines(narrow.to_reader(), 80)) == ["name   n", "----  --", "Ä      1", "日本  22"]


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
        "XML Application Time %: CP (name from public code, no page seen)",
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
    with duckdb.connect(str(catalog), read_only=True) as connection:
        of_tables = dict(connection.sql(made).fetchall())
        of_columns = {(table, column): comment for table, column, comment in connection.sql(columns).fetchall()}
    assert of_tables.keys() == {*tables(), *views()}
    assert None not in [*of_tables.values(), *of_columns.values()]
    assert of_tables[ACTIVITY] == "one row per class or class period and interval"
    assert of_columns[ACTIVITY, "cpu_time_s"].endswith(" [s]")
    assert of_columns["cpu_by_class", "cpu_pct"].endswith(" [% of one engine]")


def test_catalog_gives_the_same_rows_to_any_client(catalog, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(str(catalog), read_only=True) as connection:
        names = {name for (name,) in connection.sql("SHOW TABLES").fetchall()}
        assert names == {*tables(), *views()}
        query = f"SELECT source_file, count(*), count(tenant) FROM {ACTIVITY} GROUP BY 1 ORDER BY 1"
        assert connection.sql(query).fetchall() == [("a.txt", 10, 0), ("b.txt", 4, 0), ("c.txt", 6, 0)]
        for name in tables():
            connection.sql(f"SELECT * FROM {name}").fetchall()
        answer = connection.sql("FROM cpu_by_class")
        assert answer.columns == list(views()["cpu_by_class"].columns)
        assert len(answer.fetchall()) == 4
        types = connection.sql("SELECT typeof(rows), typeof(committed_at) FROM ingest_file LIMIT 1").fetchall()
        assert types == [('STRUCT("table" VARCHAR, "rows" BIGINT)[]', "TIMESTAMP")]
    assert os.listdir(catalog.parent) == [catalog.name]


def test_a_catalog_replaces_no_other_file(run, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("kept")
    code, _, err = run("catalog", "--out", str(notes))
    assert code == 2
    assert "is not a catalog that Ironlake wrote" in err
    os.mkfifo(tmp_path / "fifo")
    code, _, err = run("catalog", "--out", str(tmp_path / "fifo"))
    assert (code, "is not a" in err) == (2, True)
    assert notes.read_text() == "kept"


def test_a_macro_of_a_client_does_not_change_the_views_of_a_catalog(catalog, tmp_path):
    """A client's `sum_all` in `main` or `temp`, found before any other of the name, is not the one that the views mean."""
    shutil.copy(catalog, tmp_path / "c.duckdb")
    with duckdb.connect(str(tmp_path / "c.duckdb")) as connection:
        names = [name for name in sorted(views()) if connection.sql(f"FROM {name}").fetchall()]
        before = {name: sorted(map(repr, connection.sql(f"FROM {name}").fetchall())) for name in names}
        macros = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE schema_name = 'ironlake_macros'"
        for (macro,) in connection.sql(macros).fetchall():
            for of in ("", "TEMP "):
                connection.execute(f"CREATE {of}MACRO {macro}(a) AS 666, (a, b) AS 666, (a, b, c) AS 666")
        assert connection.sql("SELECT sum_all(1)").fetchall() == [(666,)]
        assert {name: sorted(map(repr, connection.sql(f"FROM {name}").fetchall())) for name in names} == before
    assert "cpu_by_class" in names


def test_a_lake_with_pattern_characters_in_its_path(run, tmp_path):
    path = tmp_path / "lake [1] * 'x'"
    add(Lake(path), entry("a"))
    assert run("sql", f"SELECT count(*) FROM {ACTIVITY}", "--lake", str(path), "--format", "csv")[1].endswith(b"\n10\n")


# --- Files to write -----------------------------------------------------------------------------------------------------

WRITES = [
    ["check"],
    ["catalog"],
    ["study", "init"],
    ["compare", "--run", "a=2026-01-01T00:00/01:00", "--run", "b=2026-01-02T00:00/01:00"],
]


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
        head,
        lake / "rmf_overview" / "page.html",
        lake / "_tmp",
        tmp_path / "link" / "head.json",
        tmp_path / "new",
    ]
    for place in places:
        code, out, err = run(*command, "--out", str(place))
        assert (code, out) == (2, b"")
        assert f"{place} is among the files of the lake {lake}; expected a file outside the lake" in err
    assert [p.name for p in lake.iterdir()] == ["_ledger"]
    assert [(p.name, p.read_text()) for p in (lake / "_ledger").iterdir()] == [("head.json", "{}")]


def test_a_file_directly_in_the_folder_of_a_lake_is_in_nobodys_way(run, tmp_path):
    (tmp_path / "_ledger").mkdir()
    assert run("catalog", "--out", str(tmp_path / "lake.duckdb"))[0] == 0
    assert sorted(os.listdir(tmp_path)) == ["_ledger", "lake.duckdb"]


# --- Exit codes and messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sql", "SELECT * FROM nothing_here"], "nothing_here does not exist"),
        (["sql", "SELECT 1", "--lake", "/nonexistent/lake"], "no lake in /nonexistent/lake"),
        (["sql", "SELECT 1", "--format", "xml"], "xml"),
        (["sql"], "no query is given"),
        (["frobnicate"], "frobnicate"),
        (["compare", "--out", "x.html", "--run", "a=2021-04-13T10:00/11:00"], "expected --run at least twice"),
        (["compare", "--out", "x.html", "--run", "a=10:00/11:00", "--run", "b=x"], "'10:00/11:00' cannot be read"),
        (["ingest", "x.txt", "--jobs", "0"], "--jobs"),
        (["ingest", "x.txt", "--date-order", "ymd"], "ymd"),
    ],
)
def test_wrong_use_ends_with_2_and_a_message(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, b"")
    assert message in err
    assert "Traceback" not in err


def test_every_command_explains_itself_with_an_example(run):
    code, out, _ = run("--help")
    assert code == 0
    listed = re.findall(r"^  ([a-z]+)  +(\S.*)$", out.decode().split("Commands:")[1], re.MULTILINE)
    assert [name for name, _ in listed] == COMMANDS
    for name, sentence in listed:
        assert sentence.endswith("."), name
        assert not sentence.endswith("..."), name
        code, out, _ = run(name, "--help")
        assert code == 0
        assert f"\n  Example:\n    ironlake {name} " in out.decode()


def test_version(run):
    code, out, _ = run("--version")
    assert code == 0
    assert re.fullmatch(r"ironlake \d+\.\d+\.\d+\n", out.decode())


def test_a_query_comes_from_standard_input_too(lake_path):
    query = f"SELECT count(*) AS n FROM {ACTIVITY}".encode()
    command = [*PROGRAM, "sql", "-", "--lake", str(lake_path), "--format", "csv"]
    assert subprocess.run(command, input=query, capture_output=True, check=True).stdout == b"n\n20\n"
    wrong = subprocess.run(command, input=b"SELECT '\xff'", capture_output=True, check=False)
    assert wrong.returncode == 2
    assert b"not UTF-8 (byte 9)" in wrong.stderr


def test_a_reader_that_goes_away_ends_it_quietly(lake_path):
    command = [*PROGRAM, "sql", "SELECT * FROM range(3000000)", "--lake", str(lake_path), "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"range\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE_S) == 0


def test_an_interrupt_ends_with_130_and_one_line(lake_path):
    query = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE hash(a.range, b.range) = 1"
    command = [*PROGRAM, "sql", "-", "--lake", str(lake_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        # More than a pipe holds: once it is written, the program reads its query, or runs it a moment later.
        process.stdin.write(query.encode() + b" " * 1_000_000)
        process.stdin.close()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.stdin = None
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.decode() == "ironlake: interrupted; committed files are safe\n"


def test_help_is_quick_and_reading_loads_no_more_than_it_needs(lake_path, tmp_path):
    heavy = (
        "{'polars', 'plotly', 'great_expectations', 'rich', 'lark', 'pydantic', 'pandas', 'scipy', 'yaml', 'jinja2'}"
    )
    # Each takes longer to import than a small lake to read.
    slow = " | {'numpy', 'pyarrow.compute', 'pyarrow.dataset'}"
    script = "import sys; from ironlake.pipeline.cli.main import main\ntry: main()\nexcept SystemExit: pass\n"
    for arguments, unwanted in (
        (["--help"], heavy + " | {'duckdb', 'pyarrow'}"),
        (["describe", "--help"], heavy + " | {'duckdb', 'pyarrow'}"),
        (["sql", f"SELECT count(*) FROM {ACTIVITY}", "--lake", str(lake_path), "--timeout", "60"], heavy + slow),
        (["status", "--days", "3", "--lake", str(lake_path)], heavy),
        (["history", "--lake", str(lake_path)], heavy),
        (["remove", "--before", "2000-01-01", "--dry-run", "--lake", str(lake_path)], heavy),
        (
            ["ingest", "--jobs", "1", "--wait", "5", str(PAGE), "--quiet", "--lake", str(tmp_path / "lake")],
            "{'pydantic'}",
        ),
    ):
        check = f"print(sorted(set(sys.modules) & ({unwanted})), file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", script + check, *arguments], capture_output=True, check=True)
        assert done.stderr == b"[]\n"


def outcome(process, context, value):
    try:
        found = process(context, value)
    except Exception as error:
        return type(error), str(error)
    return type(found), found


def test_plain_values_are_converted_as_typer_does():
    def commands(command):
        yield command
        for below in getattr(command, "commands", {}).values():
            yield from commands(below)

    values = (
        None,
        (),
        "",
        "a",
        "table",
        "mdy",
        *(
            "5",
            "0",
            "-7",
            "840",
            "841",
            "007",
            "-0",
            "+5",
            " 5",
            "5 ",
            "5_0",
            "\u0665",
            "5.",
            ".5",
            "1.5",
            "2.0",
            "1e3",
            "nan",
            "inf",
        ),
        *("9" * 9, "9" * 10, "0.0009", 1.5, -1, -1.0, 900, True),
        "x" * 300,
        ("a", "b"),
        ["a"],
        ("a", None),
        5,
        False,
        b"a",
        Path("a"),
    )
    own, quick = typer.main.get_command(app), typer.main.get_command(app)
    convert_plain_values(quick)
    compared = Counter()
    for mine, theirs in zip(commands(quick), commands(own), strict=True):
        parameters = (command.get_params(typer.Context(command)) for command in (mine, theirs))
        for a, b in zip(*parameters, strict=True):
            assert isinstance(a.process_value, partial)
            for value in values:
                got = outcome(a.process_value, typer.Context(mine), value)
                assert got == outcome(b.process_value, typer.Context(theirs), value), (mine.name, a.name, value)
                compared[got[0].__name__] += 1
    assert (
        min(compared[kind] for kind in ("str", "PosixPath", "list", "BadParameter", "MissingParameter", "int", "float"))
        > 5
    )


def test_a_command_is_the_same_without_the_others():
    def commands(of):
        return vars(typer.main.get_command(of))["commands"]

    whole = commands(app)
    assert len(whole) > 10
    for name, command in whole.items():
        alone = commands(only_asked_for(app, [name, "-h"]))
        assert alone.keys() == (whole.keys() if name in ("query", "study") else {name})
        assert alone[name].get_help(typer.Context(alone[name])) == command.get_help(typer.Context(command))
    for arguments in ([], ["-h"], ["--version"], ["inges"], ["bogus", "ingest"], ["--", "ingest"]):
        assert only_asked_for(app, arguments) is app


ENDING = """
import atexit, sys, threading, types
from ironlake.pipeline.cli.main import program
class Part:
    def __del__(self): print("taken apart")
sys.modules["part"] = types.ModuleType("part"); sys.modules["part"].part = Part()
atexit.register(lambda: print("registered"))
"""


@pytest.mark.parametrize(("wanted", "code"), [("SELECT 1 AS one", 0), ("SELECT stranger", 2), (None, 2)])
def test_the_end_takes_nothing_apart(lake_path, wanted, code):
    """Of the libraries of `ironlake check` that takes a second. What is registered for the end runs, and all output is written."""
    arguments = ["sql", wanted or "--stranger", "--lake", str(lake_path), "--format", "csv"]
    done = subprocess.run([sys.executable, "-c", ENDING + "program()", *arguments], capture_output=True, text=True)
    assert done.returncode == code
    assert done.stdout == ("one\n1\n" if code == 0 else "") + "registered\n"
    assert ("stranger" in done.stderr) == bool(code)


def test_a_thread_that_works_is_waited_for(lake_path):
    thread = "threading.Timer(1, lambda: print('late', flush=True)).start()\n"
    arguments = ["sql", "SELECT 1", "--lake", str(lake_path), "--format", "csv"]
    done = subprocess.run([sys.executable, "-c", ENDING + thread + "program()", *arguments], capture_output=True)
    assert b"late" in done.stdout


# --- Runs to compare -------------------------------------------------------------------------------------------------

TODAY = dt.date(2026, 3, 3)


def test_runs_have_names():
    runs = parse_runs(["b=2021-04-13T10:00/11:00", " yesterday "], TODAY)
    assert list(runs) == ["b", "yesterday"]
    assert runs["b"] == [Window(dt.datetime(2021, 4, 13, 10), dt.datetime(2021, 4, 13, 11))]
    assert parse_runs(["a=b=2021-04-13T10:00/11:00"], TODAY).keys() == {"a=b"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--run", "=yesterday"], "expected NAME=WINDOWS"),
        (["--run", "a="], "the window '' cannot be read"),
        (["--run", "a=yesterday", "--run", "a=today"], "given twice"),
        (["--run", "yesterday"], "--run at least twice, or one --run and --against"),
        (["--run", "yesterday", "--against", "yesterday"], "is a run and the baseline"),
        (["--run", "yesterday", "--run", "today", "--against", "auto"], "several runs"),
        (["--run", "yesterday", "--against", "someday"], "'someday' in the window 'someday' is no period"),
        (["study.yaml", "--sysplex", "X"], "are for --run"),
        (["study.yaml", "--class", "X"], "are for --run"),
        (["study.yaml", "--workload", "X"], "are for --run"),
    ],
)
def test_a_run_that_cannot_be_read_is_said(run, lake_path, tmp_path, options, message):
    code, _, err = run("compare", *options, "--lake", lake_path, "--out", tmp_path / "page.html")
    assert code == 2
    assert message in err
    assert not (tmp_path / "page.html").exists()


def test_systems_of_a_scope_are_sorted_and_named_once():
    assert scope_of("SYSB, sysa,SYSB,") == "SYSA,SYSB"
    assert scope_of(None) is None
    assert DMY.startswith("date_order=dmy|")


# --- A long query ---------------------------------------------------------------------------------------------------

ENDED = [sys.executable, "-c", "from ironlake.pipeline.cli.main import program; program()"]
# One call of one function: minutes in which DuckDB looks at nothing.
ONE_LONG_CALL = "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))"


def test_an_interrupt_ends_a_function_that_looks_at_nothing(lake_path):
    command = [*ENDED, "sql", "-", "--lake", str(lake_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        process.stdin.write(ONE_LONG_CALL.encode() + b" " * 1_000_000)
        process.stdin.close()
        time.sleep(2)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stdin = None
        try:
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, b"ironlake: interrupted; committed files are safe\n")
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("query", [ONE_LONG_CALL, "SELECT count(*) FROM range(100000000) a, range(100000000) b"])
def test_a_query_ends_at_its_timeout(lake_path, tmp_path, query):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [*ENDED, "sql", query, "--timeout", "0.7", "--lake", str(lake_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30, env=environment)
    message = "ironlake: no complete answer within 0.7 s\nhint: give a longer --timeout, or ask for less\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert list(tmp_path.iterdir()) == []


def test_a_timeout_ends_a_command_whose_reader_reads_nothing(lake_path):
    query = "SELECT range FROM range(100000000)"
    command = [*ENDED, "sql", query, "--timeout", "1", "--format", "csv", "--lake", str(lake_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.wait(timeout=30) == 1
        finally:
            process.kill()


def test_a_quick_query_has_its_answer_within_the_timeout(run):
    assert run("sql", "SELECT 1 AS one", "--timeout", "60", "--format", "csv") == (0, b"one\n1\n", "")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    code, _, err = run("sql", "SELECT 1", "--timeout", "0")
    assert code == 2
    assert "--timeout" in err


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + " + ".join(["1"] * 900),
        "SELECT " + "(1+" * 400 + "1" + ")" * 400,
        "SELECT " + "abs(" * 900 + "1" + ")" * 900,
        "SELECT " + "[" * 200 + "1" + "]" * 200,
        pytest.param("SELECT " + "[" * 900 + "1" + "]" * 900, marks=pytest.mark.slow),
        "SELECT " + "(1+" * 5000 + "1" + ")" * 5000,
        "EXPLAIN SELECT " + "(1+" * 900 + "1" + ")" * 900,
        "SELECT * FROM range(" + "+".join(["1"] * 900) + ")",
        "SELECT * FROM query(" + "||".join(["'SELECT 1'", *["' '"] * 900]) + ")",
        "SELECT * FROM " + "(SELECT * FROM " * 400 + GOAL + ")" * 400,
        "SELECT '\0'",
        "SELECT '\udcff'",
    ],
)
@pytest.mark.parametrize("output_format", ["table", "json", "parquet"])
def test_no_depth_or_byte_of_a_query_gives_a_traceback(run, query, output_format):
    code, _, err = run("sql", query, "--format", output_format)
    assert code in (0, 2)
    assert bool(err) == bool(code)
    assert "Traceback" not in err
