"""The connection to Spark: the one of spark-submit, or one of our own, without what Java says."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import IronlakeError, UsageError, without_extra
from ..ingest.workers import interrupts_put_off
from .failures import explained

if TYPE_CHECKING:
    from pyspark import SparkContext

_MASTER = re.compile(
    r"local(\[([1-9]\d{0,4}|\*)(, ?[1-9]\d{0,4})?\])?|local-cluster\[[1-9]\d{0,4}, ?[1-9]\d{0,4}, ?[1-9]\d{0,8}\]"
    r"|spark://[^\s:,]+:\d+(,[^\s:,]+:\d+)*|yarn|k8s://\S+"
)
_ADDRESS = re.compile(r"[/,]([^\s:/,]+):(\d+)")
_MASTERS = "local[4], spark://host:7077, yarn or k8s://…"
_LEAST_JAVA = 17
# In whole seconds.
_ANSWERS_IN_S = 10
# What spark-submit gives the program that it starts.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"


@contextmanager
def spark_context(master: str | None, verbose: bool = False) -> Iterator[SparkContext]:
    """Spark at `master`, until the end of the block; under spark-submit, and where this process has a session already, that one.

    Without `verbose` nothing of what Java and its processes say is printed.
    Raises UsageError for a master that is none or is missing, and where Java or PySpark is missing; IronlakeError if Spark does not start."""
    _require_pyspark()
    from pyspark import SparkContext

    if (there := SparkContext._active_spark_context) is not None:
        _refuse_master(master, "this process has a Spark session")
        yield there
        return
    with ExitStack() as end:
        if _SUBMITTED in os.environ:
            _refuse_master(master, "spark-submit has chosen the master")
            settings: dict[str, str] = {}
        else:
            checked = _checked_master(master)
            _require_java()
            settings = _settings(checked, end)
        said = None if verbose else end.enter_context(_stderr_aside())
        context = _started(settings, said)
        end.callback(_stop, context)
        yield context


def _require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise without_extra("--engine spark", "PySpark", "spark") from None


def _refuse_master(master: str | None, why: str) -> None:
    if master is not None:
        raise UsageError(f"--master is given, but {why}", "no --master")


def _checked_master(master: str | None) -> str:
    if master is None:
        raise UsageError(
            "--engine spark is given without a master", f"--master {_MASTERS}", "spark-submit has one of its own"
        )
    if not _MASTER.fullmatch(master):
        raise UsageError(f"{master!r} is not a Spark master", _MASTERS)
    if master.startswith("spark://"):
        _require_answer(master)
    return master


def _require_answer(master: str) -> None:
    """Raise IronlakeError if nobody listens at an address of a master: Spark itself would try for a minute."""
    for host, port in _ADDRESS.findall(master):
        with contextlib.suppress(OSError, OverflowError), socket.create_connection((host, int(port)), _ANSWERS_IN_S):
            return
    raise IronlakeError(f"no Spark master answers at {master}", hint="start-master.sh prints its address")


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(os.path.join(home, "bin", "java") if home else "java")
    expected = f"Java {_LEAST_JAVA} or later"
    if java is None:
        where = "in JAVA_HOME" if home else "in PATH"
        raise UsageError(
            f"--engine spark needs Java: there is none {where}", expected, "install a JRE, or set JAVA_HOME"
        )
    said = subprocess.run([java, "-version"], capture_output=True, text=True, errors="replace", check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version and int(version[1]) < _LEAST_JAVA:
        raise UsageError(f"--engine spark needs a newer Java: {java} is Java {version[1]}", expected, "set JAVA_HOME")


def _settings(master: str, end: ExitStack) -> dict[str, str]:
    import pyspark

    # Of one machine: the same Python. Of a cluster it is expected at the same path, or named by the environment.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.master": master,
        "spark.app.name": "ironlake",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        # A name of this machine may be one that it cannot reach itself by.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if master.startswith("local-cluster"):
        # Its workers write where Spark is installed.
        os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        os.environ.setdefault("SPARK_WORKER_DIR", end.enter_context(tempfile.TemporaryDirectory(prefix="ironlake-")))
    return settings


@contextmanager
def _stderr_aside() -> Iterator[BinaryIO]:
    """A file that processes which are started within have as their standard error, for as long as they live. `print` and tracebacks of
    this process go where they went: see `_started`."""
    with tempfile.TemporaryFile(prefix="ironlake-") as file:
        yield file


@contextmanager
def _written_to(file: BinaryIO | None) -> Iterator[None]:
    """Have standard error written to a file."""
    if file is None:
        yield
        return
    kept = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _started(settings: dict[str, str], said: BinaryIO | None) -> SparkContext:
    from pyspark import SparkConf, SparkContext

    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")
    conf = SparkConf(loadDefaults=False) if settings else SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    try:
        # Java has the file as its standard error to its end.
        with _written_to(said):
            with interrupts_put_off():
                # Interrupted here, PySpark removes the folder that Java is about to write to, and Java never ends.
                SparkContext._ensure_initialized(conf=conf)
            context = SparkContext(conf=conf)
    except Exception as error:
        raise explained(error, "Spark did not start") from None
    if said is not None:
        context.setLogLevel("ERROR")
    return context


def _stop(context: SparkContext) -> None:
    gateway = context._gateway
    with contextlib.suppress(Exception):
        context.stop()
    # The process of Java ends with its standard input. Under spark-submit it is the parent, and ends after this one.
    if gateway is not None and (process := getattr(gateway, "proc", None)) is not None:
        with contextlib.suppress(Exception):
            gateway.shutdown()
            process.stdin.close()
            process.wait(_ANSWERS_IN_S)
