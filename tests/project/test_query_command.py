"""`ironlake sql`: where the query comes from, its parameters, hints, large answers, and the shell."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pytest
from command_line import PROGRAM, Command, ended
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.output.lines import table_lines
from lake_rows import ACTIVITY, add, answer_of, entry, fill, make_checkpoint

# Of a machine with much else to do.
_PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query") / "lake"
    fill(path, entry("a"))
    return path


@pytest.fixture
def sql(run: Command, lake: Path) -> Command:
    return lambda *arguments: run("sql", *arguments, "--lake", lake)


# --- The query ----------------------------------------------------------------------------------------------------------


def test_a_query_comes_from_a_file(sql: Command, tmp_path: Path) -> None:
    (tmp_path / "one query.sql").write_text("\ufeffSELECT 5 AS five;\n", "utf-8")
    assert sql("--file", tmp_path / "one query.sql", "--format", "csv") == (0, "five\n5\n", "")
    code, _, err = sql("SELECT 1", "-f", tmp_path / "one query.sql")
    assert (code, err) == (2, "ironlake: a query and --file are given; expected one of the two\n")
    code, _, err = sql("-f", tmp_path / "none.sql")
    assert (code, "none.sql cannot be read: No such file or directory; expected a file" in err) == (2, True)
    (tmp_path / "latin.sql").write_bytes(b"SELECT 'caf\xe9'")
    code, _, err = sql("-f", tmp_path / "latin.sql")
    assert (code, "latin.sql is not UTF-8 (byte 12)" in err) == (2, True)


def test_a_lake_with_a_checkpoint_answers(tmp_path: Path) -> None:
    """As after 64 ingests. In a process of its own: the command begins without numpy."""
    with Lake(tmp_path / "lake") as writer:
        add(writer, entry("a"))
        add(writer, entry("b"))
    make_checkpoint(tmp_path / "lake")
    done = ended(*PROGRAM, "describe", "--format", "csv", "--lake", tmp_path / "lake")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n{ACTIVITY}," in done.stdout
    assert answer_of(tmp_path / "lake", "SELECT count(*) FROM ingest_file") == [(2,)]


def test_parameters_are_values_and_no_sql(sql: Command) -> None:
    query = (
        "SELECT $name AS name, $day::DATE + 1 AS next, count(*) AS rows FROM rmf_workload_activity WHERE line > $least"
    )
    given = ["--param", "name=it's 'x' = $day; --", "--param", "day=2021-04-13", "--param", "least=3"]
    code, out, _ = sql(query, *given, "--format", "csv")
    assert code == 0
    assert out.splitlines()[1].startswith("it's 'x' = $day; --,2021-04-14,")
    ten, fewer = (sql(query, *given[:-1], f"least={n}", "--format", "csv")[1].splitlines()[1] for n in (-1, 3))
    assert int(ten.split(",")[-1]) == 10
    assert int(fewer.split(",")[-1]) < 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["SELECT $a", "--param", "a"], "--param a cannot be read; expected NAME=VALUE"),
        (["SELECT $a", "--param", "a=1", "--param", "a=2"], "--param a is given twice"),
        (["SELECT $a"], "following parameters: a\nhint: each $NAME of the query has one value"),
        (["SELECT 1", "--param", "a=1"], "hint: each $NAME of the query has one value, and no other is given"),
        (["FROM query($a)", "--param", "a=SELECT 1"], "query() and query_table() take texts only"),
        (["FROM query_table($a)", "--param", "a=/etc/passwd"], "does not exist"),
        (["FROM query_table($a)", "--param", "a=x.parquet"], "x.parquet is a file, and no table or view"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_said(sql: Command, arguments: list[str], said: str) -> None:
    code, out, err = sql(*arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('SELECT 1 FROM cpu_by_class WHERE service_class = "ONLHI"', "text is in single quotes, 'ONLHI'; double quotes"),
        ("SELECT servce_class FROM cpu_by_class", "ironlake describe cpu_by_class lists its columns"),
        ("SELECT 1 FROM cpu_by_class WHERE interval_start >= 2021-04-13", "a date is in quotes: '2021-04-13'"),
        ("SELECT servce_class FROM cpu_by_clas", "near names: cpu_by_class"),
        ("SELECT 1 FROM", "ironlake describe lists tables, views and columns"),
    ],
)  # fmt: skip
def test_a_hint_names_what_was_probably_meant(sql: Command, query: str, hint: str) -> None:
    code, _, err = sql(query)
    assert (code, err.splitlines()[-1].startswith(f"hint: {hint}")) == (2, True), err


# --- The answer -------------------------------------------------------------------------------------------------------


def test_people_see_twelve_digits_and_programs_all(sql: Command) -> None:
    query = "SELECT 0.1::DOUBLE + 0.2::DOUBLE AS sum, 123456789012345::DOUBLE AS whole, 'nan'::DOUBLE AS odd"
    assert sql(query)[1].splitlines()[2].split() == ["0.3", "123456789012345.0", "nan"]
    assert sql(query, "--format", "markdown")[1].splitlines()[2] == "| 0.3 | 123456789012345.0 | nan |"
    assert sql(query, "--format", "csv")[1].splitlines()[1] == "0.30000000000000004,123456789012345.0,nan"
    assert '"sum": 0.30000000000000004' in sql(query, "--format", "json")[1]


def _answer(rows: int) -> pa.RecordBatchReader:
    batch = pa.record_batch({"n": pa.array(range(1_000)), "name": pa.array(["x"] * 1_000)})
    wide = pa.record_batch({"n": pa.array([10**9]), "name": pa.array(["wide"])})
    batches = (batch for _ in range(rows // 1_000))
    return pa.RecordBatchReader.from_batches(batch.schema, (b for many in (batches, [wide]) for b in many))


def test_a_long_table_is_not_held_and_grows_only_wider() -> None:
    lines = list(table_lines(_answer(30_000), None))
    assert lines[:3] == ["  n  name", "---  ----", "  0  x"]
    assert lines[-1] == "1000000000  wide"
    assert [lines[20_001], lines[-2]] == ["999  x", "999  x"]
    assert len(lines) == 30_003


def test_a_long_list_does_not_wait_for_its_number_of_rows() -> None:
    lines = table_lines(_answer(30_000), 3)
    assert [next(lines), next(lines)] == ["--- row 1 ---", "n     0"]
    assert next(iter(table_lines(_answer(9_000), 3))) == "--- row 1 of 9001 ---"


@pytest.mark.slow
def test_a_table_without_end_takes_little_memory(lake: Path) -> None:
    """What is waited for is the line, and what is asked is the memory, not the time."""
    query = "SELECT range AS n, range * 2 AS m FROM range(100000000000)"
    process = subprocess.Popen([*PROGRAM, "sql", query, "--lake", lake], stdout=subprocess.PIPE)
    assert process.stdout
    try:
        while not process.stdout.readline().startswith(b"100000 "):
            pass
        status = Path(f"/proc/{process.pid}/status").read_text()
    finally:
        process.kill()
        process.wait()
    (peak,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    assert int(peak) < 250_000


# --- The shell --------------------------------------------------------------------------------------------------------


class _Terminal:
    """A shell on a terminal of its own. What is typed must fit on a line of 80 characters: a longer one is shown in part."""

    def __init__(self, lake: Path, folder: Path, *options: str):
        self.screen, theirs = pty.openpty()
        self._shown = ""
        environment = os.environ | {"XDG_STATE_HOME": str(folder / "state"), "TERM": "dumb"}
        command = [*PROGRAM, "sql", "--lake", lake, *options]
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)

    def until(self, text: str, again: str = "") -> str:
        """What is shown up to the end of a text; `again` is typed every second until then."""
        end, typed = time.monotonic() + _PATIENCE_S, time.monotonic()
        while text not in self._shown:
            assert time.monotonic() < end, self._shown
            if again and time.monotonic() > typed + 1:
                self.type(again)
                typed = time.monotonic()
            if select.select([self.screen], [], [], 0.1)[0]:
                self._shown += os.read(self.screen, 65_536).decode()
        found, _, self._shown = self._shown.partition(text)
        return (found + text).replace("\r\n", "\n")

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def says(self, typed: str) -> str:
        """What is shown between a line that is typed and the next prompt."""
        self.type(typed + "\n")
        self.until(typed.splitlines()[-1] + "\r\n")
        return self.until("ironlake> ").removesuffix("ironlake> ")

    def end(self) -> int:
        self.type("\x04")
        code = self.process.wait(_PATIENCE_S)
        os.close(self.screen)
        return code


def test_a_terminal_gets_the_first_rows_and_a_pipe_all(lake: Path, tmp_path: Path, run: Command) -> None:
    """Of 2,304 rows a terminal shows 40, above a line with their number; of 40 rows it shows all, without one."""
    terminal = _Terminal(lake, tmp_path)
    terminal.until("ironlake> ")
    for rows, shown in ((40, 40), (2304, 40), (1_000_001, 40)):
        *_, last = lines = terminal.says(f"SELECT range AS n FROM range({rows});").splitlines()
        told = f"{'more than 1,000,000' if rows > 1_000_000 else f'{rows:,}'} rows; .all shows all"
        assert (lines[2 : shown + 2], last) == ([f"{n:>2}" for n in range(40)], told if rows > 40 else "39")
    terminal.says("SELECT range AS n FROM range(41);")
    assert terminal.says(".all").splitlines()[-1] == "40"
    terminal.end()
    assert len(run("sql", "FROM range(2304)", "--lake", lake)[1].splitlines()) == 2306


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("", 'for example "FROM cpu_by_class"'),
        ("  -- nothing", 'for example "FROM cpu_by_class"'),
        (".tables", ".tables is for the shell, which begins with ironlake sql without a query"),
        ("peak.sql", "the query in a file: ironlake sql --file peak.sql"),
        ("cpu_by_class;", 'all its rows: ironlake sql "FROM cpu_by_class"'),
        ("selct 1", "SELECT in place of selct?"),
        ("SELECT * FORM cpu_by_class", "FROM in place of FORM?"),
        ("FROM cpu_by_class WHERE interval_start > '14/04/2021'", "a date is year, month and day, '2026-01-31'"),
        ("FROM cpu_by_class WHERE interval_start > DATE '14.04.2021'", "a date is year, month and day, '2026-01-31'"),
    ],
)
def test_what_is_no_query_gets_a_hint_at_what_was_meant(lake: Path, run: Command, query: str, hint: str) -> None:
    code, _, error = run("sql", query, "--lake", lake)
    assert (code, hint in error) == (2, True), error


def test_a_lake_may_be_named_before_the_command(lake: Path, run: Command) -> None:
    for before in (["--lake", lake], [f"--lake={lake}"]):
        assert run(*before, "sql", "SELECT 1 AS one", "--format", "csv") == (0, "one\n1\n", "")
    assert run("-V") == run("version") == run("--version")


def test_a_shell_answers_until_its_input_ends(lake: Path, tmp_path: Path, run: Command) -> None:
    (tmp_path / "five.sql").write_text("SELECT 5 AS five")
    terminal = _Terminal(lake, tmp_path)
    assert f"{lake}: 1 file." in terminal.until("ironlake> ")
    assert "one  two\n---  ---\n  1    2\n" in terminal.says("SELECT 1 AS one,\n2 AS two;")
    assert "text is in single quotes, 'X'" in terminal.says('SELECT "X" FROM cpu_by_class;')
    assert "no command is called .nope; expected .tables, .describe" in terminal.says(".nope")
    assert "cpu_by_class " in terminal.says(".tables")
    assert "non_ziip_eligible_pct" in terminal.says(".describe cpu_by_class")
    assert "no table or view is called cpu" in terminal.says(".describe cpu")
    assert "is not allowed" in terminal.says("SELECT * FROM read_csv('/etc/passwd');")
    terminal.type("SELECT 1\n")
    terminal.until("...> ")
    # Python misses a signal that comes between the prompt and its waiting for a key.
    terminal.type("\x03")
    terminal.until("ironlake> ", again="\x03")
    terminal.type("SELECT count(*) FROM range(1000000000000) a, range(100000) b;\n")
    terminal.until("b;\r\n")
    assert "interrupted" in terminal.until("interrupted", again="\x03")
    terminal.until("ironlake> ")
    assert terminal.says(".format csv") == ""
    assert terminal.says(".read five.sql") == "five\n5\n"
    assert terminal.says("SELECT INTERVAL '-90 s' AS took;") == "took\n-00:01:30\n"
    assert terminal.says(".saved") == "name,about,parameters\n"
    saved = ("shown", "SELECT $a AS a, TIME '24:00' AS t", "--about", "a value")
    assert run("query", "save", *saved, "--lake", lake)[0] == 0
    assert terminal.says(".saved") == "name,about,parameters\nshown,a value,a\n"
    assert terminal.says(".saved shown a='x y'") == "a,t\nx y,24:00:00\n"
    assert "no query is called none" in terminal.says(".saved none")
    assert terminal.end() == 0
    history = tmp_path / "state" / "ironlake" / "history"
    assert history.read_text().splitlines()[:2] == ["SELECT 1 AS one,", "2 AS two;"]
    assert history.stat().st_mode & 0o077 == 0


def test_a_shell_completes_names_and_keeps_its_time_limit(lake: Path, tmp_path: Path) -> None:
    terminal = _Terminal(lake, tmp_path, "--timeout", "0.3", "--format", "csv")
    terminal.until("ironlake> ")
    terminal.type("SELECT count(*) AS n FROM cf_host_c\t;\n")
    assert "cf_host_cost" in terminal.until("ironlake> ")
    slow = "SELECT count(*) FROM range(1000000000000) a, range(100000) b;"
    assert "no complete answer within 0.3 s" in terminal.says(slow)
    assert terminal.says("SELECT 2 AS two;") == "two\n2\n"
    assert terminal.end() == 0
