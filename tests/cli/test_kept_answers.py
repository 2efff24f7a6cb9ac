"""Answers that were given before: printed again as they were, as long as the lake, the code and the question are the same."""

import datetime as dt
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest
from command_line import PATIENCE_S, PROGRAM, Command, command_line
from ironlake.pipeline.cli import kept_answer
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.kept_files import KeptFiles
from ironlake.pipeline.sql.sameness import may_differ
from ironlake.pipeline.sql.view_files import macros, views
from ironlake.pipeline.storage.local import LocalStorage
from lake_rows import ACTIVITY, entry, fill
from sample_pages import SAMPLES

COUNT = f"SELECT count(*) AS n FROM {ACTIVITY}"
PLANTED = "what was kept\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command_line(monkeypatch, capsys)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    fill(tmp_path / "lake", entry("a"), entry("b", lines=4))
    return tmp_path / "lake"


def answers(lake: Path) -> list[Path]:
    return sorted((lake / "_kept").glob("answer-*"))


def plant(lake: Path, text: str = PLANTED) -> None:
    """Other words in all answers that are kept, under their names and with right digests: who prints them has not asked the lake."""
    files = KeptFiles(LocalStorage(lake))
    for path in answers(lake):
        content = files.own_content(path.stem)
        assert content is not None
        said, pages, code = json.loads(bytes(content))
        planted = json.dumps([[(stream, text) for stream, _ in said], [text for _ in pages], code])
        files.keep(path.stem, planted.encode())


def csv(run: Command, lake: Path, query: str = COUNT, *options: str) -> tuple[int, str, str]:
    return run("sql", query, "--format", "csv", "--lake", lake, *options)


@pytest.mark.parametrize("output_format", ["csv", "table"])
def test_a_second_answer_is_the_first(lake: Path, run: Command, output_format: str):
    query = "SELECT 'é' || chr(27) || $word AS text, * FROM " + ACTIVITY
    command = ("sql", query, "--param", "word=one", "--lake", lake, "--format", output_format)
    first = run(*command)
    assert first[0] == 0
    assert len(answers(lake)) == 1
    assert run(*command) == first
    # How much memory there is does not change an answer; but it must be a size.
    plant(lake)
    assert run(*command, "--memory", "1GB", "--timeout", "60") == (0, PLANTED, "")
    assert run(*command, "--memory", "much")[0] == 2
    # Another question.
    command = ("sql", query, "--param", "word=two", "--lake", lake, "--format", output_format)
    assert "two" in run(*command)[1]
    assert PLANTED not in csv(run, lake, query + " ", "--param", "word=one")[1]
    assert len(answers(lake)) == 3


def test_a_lake_that_changed_is_asked_anew(lake: Path, run: Command):
    assert csv(run, lake) == (0, "n\n14\n", "")
    fill(lake, entry("c", lines=6))
    assert csv(run, lake) == (0, "n\n20\n", "")
    plant(lake)
    assert run("remove", "c.txt", "--lake", lake)[0] == 0
    assert csv(run, lake) == (0, "n\n14\n", "")
    plant(lake)
    assert run("undo", "--lake", lake)[0] == 0
    assert csv(run, lake) == (0, "n\n20\n", "")


def test_a_damaged_lake_is_named_however_often_it_answered_before(lake: Path, run: Command):
    (part,) = (lake / ACTIVITY).glob("*.parquet")
    for path in (part, lake / "_ledger/head.json", lake / "_ledger/steps/0000000001.json"):
        assert csv(run, lake) == (0, "n\n14\n", "")
        plant(lake)
        before, content = path.stat(), path.read_bytes()
        # The last byte but one, of a part within the mark of its end; with the size and the times of before.
        path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        for _ in range(2):
            code, out, err = csv(run, lake)
            assert (code, out, "damaged" in err) == (1, "", True)
        path.write_bytes(content)
        for name in answers(lake):
            name.unlink()


def test_what_is_not_as_it_was_kept_is_made_anew(lake: Path, run: Command, tmp_path: Path, monkeypatch):
    first = csv(run, lake)
    (path,) = answers(lake)
    whole = path.read_bytes()
    plant(lake)
    planted = path.read_bytes()
    assert csv(run, lake)[1] == PLANTED
    for content in (b"", planted[:-1], planted[:40] + bytes([planted[40] ^ 1]) + planted[41:], planted[:20]):
        path.write_bytes(content)
        assert csv(run, lake) == first
        assert path.read_bytes() == whole
    csv(run, lake, COUNT + " WHERE line > 2")
    (other,) = set(answers(lake)) - {path}
    other.replace(path)
    assert csv(run, lake) == first
    (tmp_path / "elsewhere").write_bytes(planted)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert csv(run, lake) == first
    # Of another user: who may write to a lake shall not write pages in the name of others.
    path.unlink()
    path.write_bytes(planted)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert csv(run, lake) == first


def test_where_nothing_can_be_kept_the_answer_is_the_same(lake: Path, run: Command):
    (lake / "_kept").write_text("")
    assert [csv(run, lake) for _ in range(2)] == [(0, "n\n14\n", "")] * 2
    (lake / "_kept").unlink()
    # What is no text is not kept, nor an error, nor more than some megabytes.
    command = [*PROGRAM, "sql", COUNT, "--lake", str(lake), "--format", "parquet"]
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout[:4] == b"PAR1"
    assert csv(run, lake, "SELECT error('no') FROM " + ACTIVITY)[0] == 2
    code, out, _ = csv(run, lake, "SELECT repeat('x', 1000000) AS x FROM range(5)")
    assert (code, len(out)) == (0, 5_000_007)
    assert answers(lake) == []


def test_the_newest_answers_stay_and_what_others_keep(lake: Path, run: Command, monkeypatch):
    monkeypatch.setattr(kept_answer, "_MOST_FILES", 3)
    KeptFiles(LocalStorage(lake)).keep("2026-11-02-goal_hour-0", b"a day")
    for n in range(5):
        csv(run, lake, f"SELECT {n} AS n")
        for age, path in enumerate(sorted(answers(lake), key=lambda path: -path.stat().st_mtime_ns)):
            os.utime(path, (0, 10**9 - age))
    plant(lake)
    assert [csv(run, lake, f"SELECT {n} AS n")[1] for n in (4, 3, 2, 1)] == [PLANTED] * 3 + ["n\n1\n"]
    assert (lake / "_kept/2026-11-02-goal_hour-0.kept").exists()
    monkeypatch.setattr(kept_answer, "_MOST_IN_ALL", 1)
    csv(run, lake, "SELECT 9 AS n")
    assert answers(lake) == []


def test_what_differs_while_the_lake_does_not_is_never_kept(lake: Path, run: Command):
    for query in (
        *("SELECT now()", 'SELECT "today"()', "SELECT current_date", "SELECT LOCALTIME", "SELECT random()", "SELECT uuid()"),
        *("SELECT age(TIMESTAMP '2020-01-01')", "SELECT ago(INTERVAL 1 DAY)", "FROM range(99) USING SAMPLE 1", "SHOW TABLES"),
        *("SELECT current_setting('threads')", "FROM duckdb_settings()", "FROM query('SELECT ran' || 'dom()')"),
        *(f"EXPLAIN ANALYZE {COUNT}", "FROM range(99) TABLESAMPLE 10%", "SELECT (1).random()"),
    ):  # fmt: skip
        assert may_differ(query), query
    assert [csv(run, lake, query)[0] for query in ("SELECT now() AS n", "SELECT LOCALTIME AS n")] == [0, 0]
    assert answers(lake) == []


def _of_no_arguments() -> Iterator[tuple[str, str]]:
    asked = """
        SELECT function_name, function_type FROM duckdb_functions()
        WHERE len(parameters) = 0 AND function_type IN ('scalar', 'macro') AND regexp_full_match(function_name, '\\w+')
    """
    return iter(duckdb.connect().execute(asked).fetchall())


def test_of_all_functions_those_that_answer_otherwise_are_known():
    """Each function without arguments, and those of a time that count from today, asked of two databases with other settings, moments apart."""
    calls = [f"{name}()" for name, _ in _of_no_arguments()]
    calls += [f"{name}({value})" for name in ("age", "ago") for value in ("TIMESTAMP '2020-01-01'", "INTERVAL 1 DAY")]
    calls += ["current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_schema"]
    found: dict[str, set[str]] = {}
    for threads in (1, 2):
        connection = duckdb.connect(config={"threads": threads})
        connection.execute(f"CREATE SCHEMA s{threads}; SET schema = 's{threads}'")
        for call in calls:
            try:
                found.setdefault(call, set()).add(str(connection.execute(f"SELECT CAST({call} AS VARCHAR)").fetchall()))
            except duckdb.Error:
                continue
    differing = {call for call, said in found.items() if len(said) > 1}
    assert {"now()", "random()", "current_schema()", "localtime"} <= differing
    assert [call for call in sorted(differing) if not may_differ(f"SELECT {call}")] == []


def test_no_view_differs_while_the_lake_does_not():
    code = re.sub(r"--.*", "", "\n".join([macros(), *(view.sql for view in views().values())]))
    called = re.findall(r"\w+(?=\()|\b(?:current_|localtime)\w*", code)
    assert len(called) > 1000
    assert not may_differ(" ".join([*called, "()"]))


def test_a_reader_that_went_away_leaves_no_part_of_an_answer(lake: Path, run: Command):
    query = "SELECT range AS n, repeat('x', 100) AS x FROM range(20000)"
    command = [*PROGRAM, "sql", query, "--lake", str(lake), "--format", "csv"]
    for kept in (0, 1):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stderr
            assert process.stdout.readline() == b"n,x\n"
            process.stdout.close()
            assert (process.stderr.read(), process.wait(timeout=PATIENCE_S)) == (b"", 0)
        assert len(answers(lake)) == kept
        assert len(csv(run, lake, query)[1].splitlines()) == 20_001
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"cannot write to standard output: No space left" in done.stderr) == (1, True)


def test_a_kept_answer_loads_no_library(lake: Path):
    script = (
        "import atexit, sys; from ironlake.pipeline.cli.main import main\n"
        "atexit.register(lambda: print(sorted({*sys.modules} & {'duckdb', 'pyarrow', 'numpy', 'polars'})))\n"
        f"sys.argv = ['ironlake', 'sql', {COUNT!r}, '--format', 'csv', '--lake', {str(lake)!r}]; main()"
    )
    command = [sys.executable, "-c", script]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in "12")
    assert (first, second) == ("n\n14\n['duckdb', 'pyarrow']\n", "n\n14\n[]\n")


@pytest.mark.slow
def test_a_catalog_is_written_where_it_is_not_as_it_was(lake: Path, run: Command, tmp_path: Path):
    out = tmp_path / "lake.duckdb"

    def written() -> bool:
        before = out.stat().st_ino if out.exists() else None
        code, said, _ = run("catalog", "--lake", lake, "--out", out)
        assert (code, said.startswith(f"{out}: ")) == (0, True)
        return out.stat().st_ino != before

    assert [written() for _ in range(2)] == [True, False]
    with duckdb.connect(str(out)) as client:
        client.execute("CREATE TABLE of_a_client (a INTEGER)")
    assert [written() for _ in range(2)] == [True, False]
    fill(lake, entry("c"))
    assert written()


@pytest.mark.slow
def test_a_check_compares_files_each_time_and_judges_values_once(lake: Path, run: Command):
    first = run("check", "--lake", lake)
    assert run("check", "--lake", lake) == first
    plant(lake)
    assert PLANTED in run("check", "--lake", lake)[1]
    part = next(lake.glob(f"{ACTIVITY}/**/*.parquet"))
    content = part.read_bytes()
    part.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert run("check", "--lake", lake)[0] == 1


@pytest.mark.slow
def test_pages_and_studies_are_answered_again(tmp_path: Path, run: Command, monkeypatch):
    lake, out, study = tmp_path / "lake", tmp_path / "page.html", tmp_path / "study.yaml"
    reports = SAMPLES / "studies/zos_connect"
    ingest([str(reports / "v3_0_36.txt"), str(reports / "v3_0_37.txt")], lake, Options(), jobs=1)
    study.write_text((reports / "studies.yaml").read_text("utf-8").partition("\n---\n")[0], "utf-8")
    assert run("study", "add", study, "--lake", lake)[0] == 0
    runs = ("--run", "a=2020-03-17T10:00/10:10", "--run", "b=2020-03-18T10:00/10:10")
    commands = [
        ("page", "--lake", lake, "--out", out),
        ("compare", study, "--lake", lake, "--out", out, "--fail-if", "cpu_ms_per_request > +500%"),
        ("compare", *runs, "--lake", lake, "--out", out),
        ("study", "show", "z/OS Connect 1K response", "--lake", lake, "--format", "json"),
    ]

    def said(command: tuple[object, ...]) -> tuple[int, str, str, str]:
        out.unlink(missing_ok=True)
        found = run(*command)
        return *found, out.read_text("utf-8") if out.exists() else ""

    for number, command in enumerate(commands, 1):
        first = said(command)
        assert (first[0], len(answers(lake))) == (0, number), command
        assert said(command) == first
    plant(lake)
    for command in commands:
        assert PLANTED in said(command), command
    # A page of another is not overwritten, and one of ours is.
    out.write_text("not ours", "utf-8")
    assert run(*commands[0])[0] == 2
    assert run(*commands[0], "--force")[0] == 0
    # Another study in the same file; and what has broken a limit has another exit code each time.
    study.write_text(study.read_text("utf-8").replace("1K response", "one"), "utf-8")
    assert "one" in said(commands[1])[1]
    broken = ("compare", *runs, "--lake", lake, "--out", out, "--fail-if", "cpu_pct < +500%")
    assert [run(*broken)[0] for _ in range(2)] == [1, 1]
    # The foot of a page has the date; no answer is older than today.
    tomorrow = dt.date.today() + dt.timedelta(days=1)
    monkeypatch.setattr(kept_answer, "dt", SimpleNamespace(date=SimpleNamespace(today=lambda: tomorrow)))
    assert PLANTED not in said(commands[0])
