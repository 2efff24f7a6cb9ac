"""A query that takes long: interrupts, limits of time, and any bytes of a query."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import duckdb
import pytest
from command_line import PATIENCE_S, PROGRAM, ended
from interrupt_at import InterruptAt
from ironlake.pipeline.cli.time_limit import TimedOut, time_limit
from ironlake.pipeline.sql.answer import interruptible
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.waiting import Outcome
from lake_rows import GOAL

# --- A long query ---------------------------------------------------------------------------------------------------

# One call of one function: minutes in which DuckDB looks at nothing.
ONE_LONG_CALL = "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))"


@pytest.mark.slow
def test_an_interrupt_ends_a_function_that_looks_at_nothing(lake_path):
    command = [*PROGRAM, "sql", "-", "--lake", str(lake_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        process.stdin.write(ONE_LONG_CALL.encode() + b" " * 1_000_000)
        process.stdin.close()
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stdin = None
        try:
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, b"ironlake: interrupted; committed files are safe\n")
    assert time.monotonic() - began < 30


# Half a minute of short steps in threads, and ten million rows in an order that memory is too small for.
BY_SHARDS = "SELECT " + ", ".join(f"(SELECT count(*) FROM {name})" for name, v in views().items() if v.shards_by)
SORTED = "SELECT hash(range) AS n, hash(range + 1) AS m FROM range(100000000) ORDER BY n, m"


def a_shard_is_made(temporary):
    """The folders of the lake, of the question and its answers, and one of a shard."""
    return len([*temporary.iterdir()]) > 3


def rows_are_spilled(temporary):
    return any(file.stat().st_size for file in temporary.glob("*/*.tmp"))


@pytest.mark.parametrize(
    ("query", "options", "is_under_way", "kill"),
    [
        pytest.param(BY_SHARDS, ["--jobs", "2", "--memory", "1GB"], a_shard_is_made, os.kill, id="shards"),
        pytest.param(SORTED, ["--memory", "100MB"], rows_are_spilled, os.killpg, id="spilled"),
    ],
)
def test_an_interrupt_leaves_no_folder_and_is_not_waited_for(lake_path, tmp_path, query, options, is_under_way, kill):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [*PROGRAM, "sql", query, *options, "--format", "csv", "--lake", str(lake_path)]
    pipe, environment = subprocess.PIPE, os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, start_new_session=True) as process:
        try:
            until = time.monotonic() + PATIENCE_S
            while not is_under_way(temporary):
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.01)
            began = time.monotonic()
            kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
            took = time.monotonic() - began
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"ironlake: interrupted; committed files are safe\n")
    assert list(temporary.iterdir()) == []
    # Half a second on a machine that does nothing else.
    assert took < 20
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(ONE_LONG_CALL, marks=pytest.mark.slow, id="one call"),
        pytest.param("SELECT count(*) FROM range(100000000) a, range(100000000) b", id="many steps"),
    ],
)
def test_a_query_ends_at_its_timeout(lake_path, tmp_path, query):
    done = ended(*PROGRAM, "sql", query, "--timeout", "0.3", "--lake", lake_path, TMPDIR=str(tmp_path))
    message = "ironlake: no complete answer within 0.3 s\nhint: give a longer --timeout, or ask for less\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert list(tmp_path.iterdir()) == []


def test_what_duckdb_says_of_a_timeout_is_a_timeout():
    def work(seconds: float) -> None:
        with time_limit(seconds):
            # As DuckDB does with what a signal raises while it works in the main thread.
            with suppress(TimedOut):
                time.sleep(0.1)
            raise RuntimeError("Query interrupted")

    with pytest.raises(TimedOut, match=r"within 0\.01 s"):
        work(0.01)
    with pytest.raises(RuntimeError, match="Query interrupted"):
        work(60)


def test_a_timeout_ends_a_command_whose_reader_reads_nothing(lake_path):
    query = "SELECT range FROM range(100000000)"
    command = [*PROGRAM, "sql", query, "--timeout", "0.5", "--format", "csv", "--lake", str(lake_path)]
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


DEEP = {
    "SELECT " + " + ".join(["1"] * 900): None,
    "SELECT " + "(1+" * 400 + "1" + ")" * 400: None,
    "SELECT " + "[" * 200 + "1" + "]" * 200: None,
    "SELECT " + "(1+" * 5000 + "1" + ")" * 5000: None,
    "EXPLAIN SELECT " + "(1+" * 900 + "1" + ")" * 900: None,
    "SELECT * FROM query(" + "||".join(["'SELECT 1'", *["' '"] * 900]) + ")": None,
    "SELECT * FROM " + "(SELECT * FROM " * 400 + GOAL + ")" * 400: None,
    "SELECT '\0'": None,
    "SELECT '\udcff'": 2,
}


def test_no_depth_or_byte_of_a_query_gives_a_traceback(run):
    asked = [(query, "json", expected) for query, expected in DEEP.items()]
    # A value that is as deep as its query.
    nested = next(query for query in DEEP if "[" in query)
    for query, output_format, expected in (*asked, (nested, "table", None), (nested, "parquet", None)):
        code, _, err = run("sql", query, "--format", output_format)
        assert code in ((0, 2) if expected is None else (expected,)), query[:60]
        assert (bool(err), "Traceback" in err) == (bool(code), False), query[:60]


def test_an_interrupt_while_its_thread_starts_ends_the_work(monkeypatch):
    begun, ended = threading.Event(), threading.Event()
    start = threading.Thread.start

    def interrupted(self):
        start(self)
        assert begun.wait(PATIENCE_S)
        raise KeyboardInterrupt

    def work():
        begun.set()
        try:
            connection.execute("SELECT count(*) FROM range(100000000) a, range(100000000) b")
        finally:
            ended.set()

    connection = duckdb.connect()
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work, connection)
    assert ended.is_set()


def test_an_interrupt_that_another_thread_gets_ends_the_work():
    """The system gives a signal to any thread of a process."""
    begun, answers = threading.Event(), []

    def get_interrupt():
        assert begun.wait(PATIENCE_S)
        # Long after the main thread began to wait.
        time.sleep(0.3)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    def work():
        begun.set()
        answers.append(connection.execute("SELECT sum(hash(range)) FROM range(5000000000)").fetchall())

    connection = duckdb.connect()
    thread = threading.Thread(target=get_interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(work, connection)
    thread.join()
    assert answers == []


IN_THE_MAIN_THREAD = """
import os, signal, sys, threading
import duckdb
from ironlake.pipeline.cli import main

def command():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    # Of several threads, DuckDB looks at signals when the others have ended.
    duckdb.connect(config={"threads": 1}).execute("SELECT sum(hash(range)) FROM range(5000000000)")

main._command = lambda: command
sys.exit(main.main())
"""


def test_an_interrupt_that_duckdb_gets_is_told_as_any():
    done = ended(sys.executable, "-c", IN_THE_MAIN_THREAD)
    told = "ironlake: interrupted; committed files are safe\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", told)


# --- One thread waits for another -------------------------------------------------------------------------------------


def waits_for_another(step: int) -> bool:
    """Whether the interrupt came; the other thread ends either way."""
    outcome: Outcome[int] = Outcome()
    begins = threading.Lock()
    begins.acquire()
    maker = threading.Thread(target=lambda: outcome.make(begins.acquire), daemon=True)
    maker.start()
    threading.Timer(0.005, begins.release).start()
    try:
        with InterruptAt(step):
            outcome.result()
        came = False
    except KeyboardInterrupt:
        came = True
    maker.join(timeout=5)
    assert not maker.is_alive()
    outcome.wait(seconds=1)
    return came


def test_an_interrupt_at_any_step_of_a_wait_leaves_nothing_locked():
    step = 1
    while waits_for_another(step):
        step += 1
    # How many there are depends on how often it looks; once around is more than this.
    assert step > 20


def test_a_wait_ends_at_its_limit_and_takes_what_comes_later():
    outcome: Outcome[int] = Outcome()
    began = time.monotonic()
    outcome.wait(seconds=0.15)
    assert time.monotonic() - began >= 0.15
    assert not outcome.is_there()
    outcome.make(lambda: 7)
    assert outcome.is_there()
    assert (outcome.result(), outcome.result()) == (7, 7)


def test_what_the_work_raises_is_raised_where_the_result_is_taken():
    outcome: Outcome[float] = Outcome()
    outcome.make(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        outcome.result()
