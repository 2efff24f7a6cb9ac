"""The connection to Spark: the one of spark-submit, or one of our own, without what Java says."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import IronlakeError, UsageError, without_extra
from ..sql.answer import interruptible
from ..temporary_folders import spill_folder
from .failures import explained
from .java import Gateway, Java
from .masters import checked_master

if TYPE_CHECKING:
    from pyspark import SparkContext

# What spark-submit gives the program that it starts.
_SUBMITTED = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")


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
        if not verbose:
            end.enter_context(_silent_connection())
        if _SUBMITTED[0] in os.environ:
            _refuse_master(master, "spark-submit has chosen the master")
            java, settings = None, {}
        else:
            said = None if verbose else end.enter_context(tempfile.TemporaryFile("a+b", prefix="ironlake-"))
            checked, folder = checked_master(master), spill_folder()
            end.callback(folder.remove)
            java, settings = Java(folder.path, said), _settings(checked, folder.path)
            end.callback(java.close)
        end.callback(_forget_java)
        # In a thread: an interrupt is seen at once here, whatever PySpark waits for, and ends Java.
        context = interruptible(lambda: _started(settings, java, verbose), *([java] if java else []))
        end.callback(_stop, context)
        yield context


@contextmanager
def _silent_connection() -> Iterator[None]:
    """Keep Py4J from printing that the connection to Java broke, as it does when Java is ended, or when Ctrl-C comes while it waits for an answer.

    It writes this to the root logger, and to a logger of its own."""
    whole, own = logging.getLogger(), logging.getLogger("py4j")
    before = own.propagate
    whole.addFilter(_is_of_others)
    own.propagate = False
    try:
        yield
    finally:
        own.propagate = before
        whole.removeFilter(_is_of_others)


def _told_elsewhere(*_: object) -> None:
    """What Java's end means for the work is told by the work."""


def _is_of_others(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise without_extra("--engine spark", "PySpark", "spark") from None


def _refuse_master(master: str | None, why: str) -> None:
    if master is not None:
        raise UsageError(f"--master is given, but {why}", "no --master")


def _settings(master: str, folder: Path) -> dict[str, str]:
    """`folder` is removed after Spark has ended."""
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
        # Its Python processes may be ended in the middle of a task.
        settings["spark.executorEnv.TMPDIR"] = str(folder)
    return settings


def _started(settings: dict[str, str], java: Java | None, verbose: bool) -> SparkContext:
    """`java` is None under spark-submit, where it runs already."""
    from pyspark import SparkConf, SparkContext

    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")
    conf = SparkConf(loadDefaults=False) if settings else SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    try:
        if java is not None:
            java.require()
            with _submitted(java.gateway(settings)):
                SparkContext._ensure_initialized(conf=conf)
        context = SparkContext(conf=conf)
        if not verbose:
            context.setLogLevel("ERROR")
            # It prints a traceback for each connection that ends before the server does.
            context._accumulatorServer.handle_error = _told_elsewhere  # type: ignore[union-attr]
        return context
    except IronlakeError:
        raise
    except Exception as error:
        raise explained(error, "Spark did not start") from None


@contextmanager
def _submitted(gateway: Gateway) -> Iterator[None]:
    """Have PySpark find a process of Java as it does under spark-submit. One that it starts itself cannot be ended before it is reached, and
    is waited for without an end if it ends without an error."""
    os.environ |= dict(zip(_SUBMITTED, (str(gateway.port), gateway.secret), strict=True))
    try:
        yield
    finally:
        for name in _SUBMITTED:
            del os.environ[name]


def _stop(context: SparkContext) -> None:
    gateway = context._gateway
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        context.stop()
    if gateway is not None:
        with contextlib.suppress(Exception):
            gateway.shutdown()


def _forget_java() -> None:
    """PySpark would look for it again in the same place, and take a context that was not stopped for one that works."""
    from pyspark import SparkContext

    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
