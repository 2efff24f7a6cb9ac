"""Exit codes, help, messages in place of tracebacks; runs that are named."""

import datetime as dt
import io
import re
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import typer
from command_line import ended
from ironlake.pipeline.cli.arguments import scope_of
from ironlake.pipeline.cli.commands import commands
from ironlake.pipeline.cli.compare import parse_runs
from ironlake.pipeline.cli.quick import convert_plain_values
from ironlake.pipeline.study.windows import Window
from lake_rows import ACTIVITY, DMY
from sample_pages import SAMPLES

PAGE = SAMPLES / "rmf_cpu_activity" / "cpu_changed_within_duration.txt"
COMMANDS = re.findall(
    r"\w+",
    "generate anonymize explain ingest remove undo history settings status check rejects test sql "
    "describe catalog export publish compare forecast page serve demo docs completion version query study",
)


# --- Exit codes and messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sql", "SELECT * FROM nothing_here"], "nothing_here does not exist"),
        (["sql", "SELECT 1", "--lake", "/nonexistent/lake"], "no lake in /nonexistent/lake"),
        (["sql", "SELECT 1", "--format", "xml"], "xml"),
        (["sql"], "no query is given"),
        (["frobnicate"], "frobnicate"),
        (["describe", "cpu"], "ironlake describe --search cpu finds words"),
        (["compare", str(SAMPLES / "demo" / "before.txt"), "--out", "x.html"], "print reports are ingested first"),
        (["compare", "--out", "x.html", "--run", "a=2021-04-13T10:00/11:00"], "expected --run at least twice"),
        (["compare", "--out", "x.html", "--run", "a=10:00/11:00", "--run", "b=x"], "'10:00/11:00' cannot be read"),
        (["ingest", "x.txt", "--jobs", "0"], "--jobs"),
        (["ingest", "x.txt", "--date-order", "ymd"], "ymd"),
        (["sql", "SELECT 1", "--engine", "spark", "--jobs", "2"], "--jobs is for this machine"),
        (["ingest", "x.txt", "--master", "local[2]"], "--master is given without --engine spark"),
        (["generate"], "one of data_sharing, jdbc_drivers,"),
        (["generate", "jdbc_drivers"], "hint: ironlake generate jdbc_drivers --out reports"),
        (["completion"], "no shell is named; expected bash, zsh or fish"),
        (["sql", "SELECT 1", "--out", "my answer.xlsx"], "hint: ironlake sql … --format xlsx > 'my answer.xlsx'"),
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
        assert re.search(rf"\n  Example:\n    ironlake {name}\s", out.decode())


def test_help_is_a_command_too(run):
    for words, same in ((["help"], ["--help"]), (["help", "sql"], ["sql", "--help"])):
        assert run(*words) == run(*same)


def test_version(run):
    code, out, _ = run("--version")
    assert code == 0
    assert re.fullmatch(r"ironlake \d+\.\d+\.\d+\n", out.decode())


def test_a_query_comes_from_standard_input_too(run, monkeypatch):
    def asked(query: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(query)))
        return run("sql", "-", "--format", "csv")

    assert asked(f"SELECT count(*) AS n FROM {ACTIVITY}".encode()) == (0, b"n\n20\n", "")
    code, _, err = asked(b"SELECT '\xff'")
    assert (code, "not UTF-8 (byte 9)" in err) == (2, True)


@pytest.mark.parametrize("number", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_help_is_quick_and_reading_loads_no_more_than_it_needs(lake_path, tmp_path, number):
    heavy = {"polars", "plotly", "great_expectations", "rich", "lark", "pydantic", "pandas", "scipy", "yaml", "jinja2"}
    # Each takes longer to import than a small lake to read.
    slow = {"numpy", "pyarrow.compute", "pyarrow.dataset"}
    lake = ["--lake", str(lake_path)]
    # One process for each line, those that load least first; the commands of the first do without numpy.
    runs = (
        [
            (["--help"], heavy | slow | {"duckdb", "pyarrow"}),
            (["describe", "--help"], heavy | slow | {"duckdb", "pyarrow"}),
            (["sql", f"SELECT count(*) FROM {ACTIVITY}", *lake, "--timeout", "60"], heavy | slow),
            (["history", *lake], heavy),
        ],
        [
            (["remove", "--before", "2000-01-01", "--dry-run", *lake], heavy),
            (["status", "--days", "3", *lake], heavy),
            (["ingest", "--jobs", "1", "--wait", "5", str(PAGE), "--quiet", "--lake", str(tmp_path / "lake")], {"pydantic", "yaml"}),
        ],
        # Of Great Expectations, no library of charts or of Spark.
        [(["check", *lake], {"altair.vegalite", "scipy.stats._stats_py", "plotly", "pyspark"})],
    )[number]  # fmt: skip
    script = (
        "import sys; from ironlake.pipeline.cli.main import main\n"
        f"for words, unwanted in {runs!r}:\n"
        "    sys.argv = ['ironlake', *words]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "    if found := {*sys.modules} & unwanted: print(words, found, file=sys.stderr)\n"
    )
    done = ended(sys.executable, "-c", script)
    assert (done.stderr, done.returncode) == ("", 0)


def outcome(process, context, value):
    try:
        found = process(context, value)
    except Exception as error:
        return type(error), str(error)
    return type(found), found


def test_plain_values_are_converted_as_typer_does():
    def all_of(command):
        yield command
        for below in getattr(command, "commands", {}).values():
            yield from all_of(below)

    numbers = "5 0 -7 840 841 007 -0 +5 5_0 \u0665 5. .5 1.5 2.0 1e3 nan inf 999999999 9999999999 0.0009"
    values = (
        *re.findall(r"\S+", numbers), " 5", "5 ", "", "a", "table", "mdy", "x" * 300, b"a", Path("a"),
        None, (), 1.5, -1, -1.0, 900, True, 5, False, ("a", "b"), ["a"], ("a", None),
    )  # fmt: skip
    own, quick = typer.main.get_command(commands()), typer.main.get_command(commands())
    convert_plain_values(quick)
    compared = Counter()
    for mine, theirs in zip(all_of(quick), all_of(own), strict=True):
        parameters = (command.get_params(typer.Context(command)) for command in (mine, theirs))
        for a, b in zip(*parameters, strict=True):
            assert isinstance(a.process_value, partial)
            for value in values:
                got = outcome(a.process_value, typer.Context(mine), value)
                assert got == outcome(b.process_value, typer.Context(theirs), value), (mine.name, a.name, value)
                compared[got[0].__name__] += 1
    kinds = ("str", "PosixPath", "list", "BadParameter", "MissingParameter", "int", "float")
    assert min(compared[kind] for kind in kinds) > 5


ENDING = """
import atexit, sys, threading, types
from ironlake.pipeline.cli.main import program
class Part:
    def __del__(self): print("taken apart")
sys.modules["part"] = types.ModuleType("part"); sys.modules["part"].part = Part()
atexit.register(lambda: print("registered"))
"""


@pytest.mark.parametrize(("wanted", "code"), [("SELECT 1 AS one", 0), ("SELECT stranger", 2)])
def test_the_end_takes_nothing_apart(lake_path, wanted, code):
    """Of the libraries of `ironlake check` that takes a second. What is registered for the end runs, and all output is written; a thread
    that works is waited for, and then all is taken apart."""
    # It has work until the command is done, however long that takes.
    thread = "threading.Thread(target=lambda: [threading.main_thread().join(), print('late')]).start()\n"
    arguments = ["sql", wanted, "--lake", str(lake_path), "--format", "csv"]
    script = ENDING + thread * (code == 2) + "program()"
    done = ended(sys.executable, "-c", script, *arguments)
    assert done.returncode == code
    assert done.stdout == ("one\n1\nregistered\n" if code == 0 else "late\nregistered\ntaken apart\n")
    assert ("stranger" in done.stderr) == bool(code)


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
        (["--run", "a=yesterday", "--run", "a=today"], "given twice"),
        (["--run", "yesterday"], "--run at least twice, or one --run and --against"),
        (["--run", "yesterday", "--against", "yesterday"], "is a run and the baseline"),
        (["--run", "yesterday", "--run", "today", "--against", "auto"], "several runs"),
        (["--run", "yesterday", "--against", "someday"], "'someday' in the window 'someday' is no period"),
        (["study.yaml", "--sysplex", "X"], "are for --run"),
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
