"""Spark does not start, or is ended while it starts: one line says why, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import PATIENCE_S, Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.spark import masters
from sample_pages import SAMPLES

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("installed")]

INTERRUPTED = "ironlake: interrupted; committed files are safe\n"
# A java that does `version`, `launcher` and `spark` when it is asked for its version, for the words that start Spark, and to be Spark.
JAVA = """#!/bin/bash
case "$*" in
*-version*) {version} ;;
*spark.launcher.Main*) {launcher} ;;
*) {spark} ;;
esac
"""
SLEEPS = 'echo $$ > "$TOLD.new"; mv "$TOLD.new" "$TOLD"; sleep 7777; exit 1'


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start") / "lake"
    ingest([str(SAMPLES / "rmf_workload_activity")], folder, Options(), jobs=1)
    return folder


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes a java that is found in JAVA_HOME."""
    real = shutil.which("java")

    def make(version: str = f'exec {real} "$@"', launcher: str = f'exec {real} "$@"', spark: str = "exit 1") -> None:
        program = tmp_path / "home" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(JAVA.format(version=version, launcher=launcher, spark=spark))
        program.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))

    return make


@pytest.fixture
def start(lake: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a command on Spark, in a group of its own, with a folder of its own for what is temporary."""
    (tmp_path / "tmp").mkdir()
    words = {
        "ingest": ["ingest", str(SAMPLES / "demo"), "--lake", str(tmp_path / "new")],
        "sql": ["sql", "SELECT * EXCLUDE (refs) FROM cpu_by_class", "--lake", str(lake), "--format", "csv"],
    }
    started: list[subprocess.Popen[str]] = []

    def begin(verb: str, *more: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "TOLD": str(tmp_path / "told")}
        program = "from ironlake.pipeline.cli.main import program; program()"
        command = [sys.executable, "-c", program, *words[verb], "--engine", "spark", "--master", "local[1]", *more]
        started.append(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
                start_new_session=True,
            )
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
        try:
            if int(folder.name) != os.getpid() and text.encode() in (folder / "environ").read_bytes():
                found[folder] = (folder / "cmdline").read_bytes().decode(errors="replace")
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
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
    assert [path.name for path in (folder / "tmp").iterdir()] == []


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
        (
            "echo 'Exception in thread \"main\" java.lang.ExceptionInInitializerError' >&2; "
            "echo 'Caused by: java.net.UnknownHostException: vm: Name or service not known' >&2; exit 1",
            "vm: Name or service not known",
        ),
        ("echo out of order; exit 3", "out of order"),
        ("exit 0", "Java ended with exit code 0 before Spark was there"),
        ("kill -9 $$", "Java ended by SIGKILL before Spark was there"),
    ],
)
def test_why_java_ends_before_spark_is_there_is_told(
    java: Callable[..., None], start: Callable[..., subprocess.Popen[str]], tmp_path: Path, does: str, told: str
) -> None:
    java(spark=does)
    process = start("sql")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, "")
    assert err == f"ironlake: Spark did not start: {told}\nhint: --verbose prints what Spark says\n"
    require_nothing_left(tmp_path)


def test_what_java_itself_refuses_is_told(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Xss1k")
    process = start("ingest")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, "")
    assert err.startswith("ironlake: Spark did not start: The Java thread stack size specified is too small")
    require_nothing_left(tmp_path)


def test_spark_that_is_not_in_its_folder_is_told(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", "/nowhere")
    process = start("ingest")
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert err.startswith("ironlake: /nowhere/bin/spark-submit is not a program; expected the folder of Spark")


@pytest.mark.parametrize("at", ["version", "launcher", "spark"])
@pytest.mark.parametrize("verb", ["sql", "ingest"])
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupt_while_java_does_not_answer_ends_it(
    java: Callable[..., None],
    start: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    at: str,
    verb: str,
    whole_group: bool,
) -> None:
    java(**{at: SLEEPS})
    process = start(verb)
    wait_until((tmp_path / "told").exists)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    # The sleep is of two hours.
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (130, "", INTERRUPTED)
    require_nothing_left(tmp_path)


def test_a_time_limit_while_java_does_not_answer_ends_it(
    java: Callable[..., None], start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    java(spark=SLEEPS)
    process = start("sql", "--timeout", "6")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, "")
    assert err == "ironlake: no complete answer within 6 s\nhint: give a longer --timeout, or ask for less\n"
    assert (tmp_path / "told").exists()
    require_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("verb", "after_s", "whole_group"), [("sql", 0, False), ("ingest", 1, True), ("sql", 2, True), ("ingest", 3, False)]
)
def test_an_interrupt_while_spark_starts_leaves_nothing(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, verb: str, after_s: float, whole_group: bool
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


def test_an_interrupt_while_an_executor_works_leaves_nothing(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    process = start("sql")
    wait_until(lambda: has_spill_folder("pyspark.daemon", f"TOLD={tmp_path}"))
    process.send_signal(signal.SIGINT)
    assert (*process.communicate(timeout=PATIENCE_S), process.returncode) == ("", INTERRUPTED, 130)
    require_nothing_left(tmp_path)


def test_a_question_that_is_answered_leaves_nothing(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
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


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def ask(
    run: Command, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], tuple[int, str, str]]:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(masters, "_ANSWERS_IN_S", 1)
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def ask(master: str) -> tuple[int, str, str]:
        new = tmp_path / "new"
        found = run("ingest", SAMPLES / "demo", "--lake", new, "--engine", "spark", "--master", master)
        assert Ledger(new).state().parts == {}
        return found

    return ask


def yarn(folder: Path, **properties: object) -> None:
    said = (
        f"<property><name>yarn.resourcemanager.{name.replace('_', '.').replace('rm.ids', 'rm-ids')}</name><value>{value}</value></property>"
        for name, value in properties.items()
    )
    (folder / "yarn-site.xml").write_text(f"<configuration>{''.join(said)}</configuration>")


def test_a_kubernetes_that_does_not_answer_is_told(ask: Callable[[str], tuple[int, str, str]], silent: int) -> None:
    for at, why in (
        (f"https://127.0.0.1:{silent}", "no answer within 1 s"),
        (f"http://127.0.0.1:{silent}", "no answer within 1 s"),
        ("https://127.0.0.1:1", "Connection refused"),
    ):
        told = f"ironlake: no Kubernetes API answers at {at}: {why}\nhint: kubectl cluster-info prints its address\n"
        assert ask(f"k8s://{at}") == (1, "", told)
    for wrong in ("k8s://https://", "k8s://ftp://host", "k8s://host:port", "k8s://https://host:99999", "k8s://[::1"):
        told = f"ironlake: '{wrong}' is not a Spark master; expected k8s://https://host:port\n"
        assert ask(wrong) == (2, "", told)


def test_a_yarn_that_does_not_answer_is_told(
    ask: Callable[[str], tuple[int, str, str]], tmp_path: Path, silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = ask("yarn")
    assert (code, err) == (
        2,
        "ironlake: --master yarn needs the configuration of Hadoop: neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set; "
        "expected one of them, with the folder that yarn-site.xml is in\n",
    )
    monkeypatch.setenv("YARN_CONF_DIR", str(tmp_path / "none"))
    assert ask("yarn")[2].endswith(
        "none, the configuration of Hadoop, is not a folder; expected the folder of yarn-site.xml\n"
    )
    monkeypatch.setenv("YARN_CONF_DIR", str(tmp_path))
    (tmp_path / "yarn-site.xml").write_text("<configuration>")
    assert "yarn-site.xml cannot be read: no element found" in ask("yarn")[2]
    for properties, where in (
        ({"hostname": "127.0.0.1", "address": f"${{yarn.resourcemanager.hostname}}:{silent}"}, f"127.0.0.1:{silent}"),
        ({"ha_rm_ids": "a, b", "address_a": "127.0.0.1:1", "hostname_b": "127.0.0.2"}, "127.0.0.1:1 or 127.0.0.2:8032"),
    ):
        yarn(tmp_path, **properties)
        code, _, err = ask("yarn")
        assert (code, err.splitlines()[0]) == (1, f"ironlake: no ResourceManager of YARN answers at {where}")
