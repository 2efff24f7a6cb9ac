"""Spark does not start, or is ended while it starts or works: one line says why, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import PATIENCE_S, PROGRAM, Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import SAMPLES

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("installed")]

INTERRUPTED = "ironlake: interrupted; committed files are safe\n"
HINT = "hint: --verbose prints what Spark says; ironlake docs spark has what Spark needs. Committed files are safe\n"
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start") / "lake"
    ingest([str(SAMPLES / "rmf_workload_activity")], folder, Options(), jobs=1)
    return folder


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes a java that is found in JAVA_HOME, and does what it is told when it is to be Spark."""
    real = shutil.which("java")

    def make(spark: str) -> None:
        program = tmp_path / "home" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/bash\ncase "$*" in *spark.launcher.Main*) exec {real} "$@" ;; *) {spark} ;; esac\n')
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))

    return make


@pytest.fixture
def start(lake: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts a command on Spark, in a group of its own, with a folder of its own for what is temporary."""
    (tmp_path / "tmp").mkdir()
    words = {
        "ingest": ["ingest", str(SAMPLES / "demo"), "--lake", str(tmp_path / "new")],
        "sql": ["sql", "SELECT * EXCLUDE (refs) FROM cpu_by_class", "--lake", str(lake), "--format", "csv"],
    }
    started: list[subprocess.Popen[str]] = []

    def begin(verb: str, *more: str, master: str = "local[1]") -> subprocess.Popen[str]:
        environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "TOLD": str(tmp_path / "told")}
        command = [*PROGRAM, *words[verb], "--engine", "spark", "--master", master, *more]
        pipe = subprocess.PIPE
        started.append(
            subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, start_new_session=True)
        )
        return started[-1]

    yield begin
    for process in started:
        process.kill()


def wait_until(what: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)


def processes_with(text: str) -> dict[Path, str]:
    """The command lines of processes that have a text in their environment, but for this one, by their folder in /proc."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, PermissionError, ProcessLookupError):
            if int(folder.name) != os.getpid() and text.encode() in (folder / "environ").read_bytes():
                found[folder] = (folder / "cmdline").read_bytes().decode(errors="replace")
    return {folder: command for folder, command in found.items() if command}


def has_spill_folder(program: str, text: str) -> bool:
    """Whether a process of such a program, with a text in its environment, holds a folder for spilled rows."""
    for folder, command in processes_with(text).items():
        with suppress(OSError):
            if program in command and any("ironlake-spilled-" in os.readlink(fd) for fd in (folder / "fd").iterdir()):
                return True
    return False


def require_nothing_left(folder: Path) -> None:
    wait_until(lambda: not processes_with(f"TOLD={folder}"))
    # Interrupted while it waits for Java, PySpark leaves the file in which Java says how it is reached.
    wait_until(lambda: not [*(folder / "tmp").glob("ironlake-*")])


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (
            'echo WARNING: Using incubator modules >&2; echo \'Exception in thread "main" org.apache.spark.SparkException: No such '
            "queue: night.' >&2; printf '\\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)\\n' >&2; exit 1",
            "No such queue: night",
        ),
        (
            "echo Error occurred during initialization of VM; echo Could not reserve enough space for 9KB object heap; exit 1",
            "Could not reserve enough space for 9KB object heap",
        ),
    ],
)
def test_why_java_ends_before_spark_is_there_is_told(
    java: Callable[[str], None], start: Start, tmp_path: Path, does: str, told: str
) -> None:
    java(does)
    process = start("sql")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (1, "", f"ironlake: Spark did not start: {told}\n{HINT}")
    require_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("master", "home", "code", "told"),
    [
        ("local[x]", "", 1, f"ironlake: Spark did not start: Could not parse Master URL: 'local[x]'\n{HINT}"),
        ("k8s://https://127.0.0.1:1", "", 1, f"ironlake: Spark did not start: Connection refused: /127.0.0.1:1\n{HINT}"),
        ("local[1]", "/nowhere", 1, f"ironlake: Spark did not start: /nowhere/bin/java: No such file or directory\n{HINT}"),
    ],
)  # fmt: skip
def test_a_wrong_master_and_a_missing_java_are_told(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, master: str, home: str, code: int, told: str
) -> None:
    if home:
        monkeypatch.setenv("JAVA_HOME", home)
    process = start("ingest", master=master)
    assert (*process.communicate(timeout=PATIENCE_S), process.returncode) == ("", told, code)
    require_nothing_left(tmp_path)


def test_a_missing_master_is_told(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    code, out, err = run("ingest", SAMPLES / "demo", "--lake", tmp_path / "lake", "--engine", "spark")
    told = "ironlake: --engine spark is given without a master; expected --master local[4] or spark://host:7077\n"
    assert (code, out, err) == (2, "", f"{told}hint: spark-submit has one of its own\n")


@pytest.mark.parametrize("is_limit", [False, True])
def test_an_interrupt_or_a_time_limit_while_java_does_not_answer_ends_the_command(
    java: Callable[[str], None], start: Start, tmp_path: Path, is_limit: bool
) -> None:
    # It ends as Java does, when its standard input does.
    java('echo $$ > "$TOLD.new"; mv "$TOLD.new" "$TOLD"; read; exit 1')
    process = start("sql", *(["--timeout", "6"] if is_limit else []))
    wait_until((tmp_path / "told").exists)
    if not is_limit:
        process.send_signal(signal.SIGINT)
    told = "ironlake: no complete answer within 6 s\nhint: give a longer --timeout, or ask for less\n"
    expected = ("", told, 1) if is_limit else ("", INTERRUPTED, 130)
    assert (*process.communicate(timeout=PATIENCE_S), process.returncode) == expected
    require_nothing_left(tmp_path)


@pytest.mark.parametrize(("verb", "after_s", "whole_group"), [("sql", 1, True), ("ingest", 2, False)])
def test_an_interrupt_while_spark_starts_leaves_nothing(
    start: Start, tmp_path: Path, verb: str, after_s: float, whole_group: bool
) -> None:
    process = start(verb)
    wait_until(lambda: any("deploy.SparkSubmit" in each for each in processes_with(f"TOLD={tmp_path}").values()))
    time.sleep(after_s)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    # Where it had begun to read, it has told of files.
    assert (process.returncode, err[-len(INTERRUPTED) :]) == (130, INTERRUPTED)
    assert verb == "ingest" or (out, err) == ("", INTERRUPTED)
    require_nothing_left(tmp_path)


def test_an_interrupt_while_an_executor_works_leaves_nothing(start: Start, tmp_path: Path) -> None:
    process = start("sql")
    wait_until(lambda: has_spill_folder("pyspark.daemon", f"TOLD={tmp_path}"))
    process.send_signal(signal.SIGINT)
    assert (*process.communicate(timeout=PATIENCE_S), process.returncode) == ("", INTERRUPTED, 130)
    require_nothing_left(tmp_path)


def test_a_question_that_is_answered_leaves_nothing(start: Start, tmp_path: Path) -> None:
    process = start("sql")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err, out[:8]) == (0, "", "sysplex,")
    require_nothing_left(tmp_path)


WAITS_FOR_JAVA = """
import os, signal, threading
from ironlake.pipeline.spark.session import spark_context
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with spark_context("local[1]") as context:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        context._jvm.java.lang.Thread.sleep(3_600_000)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_while_java_is_waited_for_is_not_told_by_py4j() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAITS_FOR_JAVA], check=False, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
