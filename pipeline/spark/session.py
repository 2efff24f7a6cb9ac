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
from typing import IO, TYPE_CHECKING

from ..errors import IronlakeError, UsageError, without_extra
from ..sql.answer import interruptible
from ..temporary_folders import spill_folder
from .failures import explained, text_of

if TYPE_CHECKING:
    from pyspark import SparkContext

# Of what Java says.
_MOST_BYTES = 1 << 20
# Said of whatever is asked after Spark has ended by itself.
_GIVEN_UP = "stopped SparkContext"
# How long Java may take to end.
_ENDS_IN_S = 10


@contextmanager
def spark_context(master: str | None, verbose: bool = False) -> Iterator[SparkContext]:
    """Spark at `master`, until the end of the block; under spark-submit, and where this process has a session already, that one.

    Without `verbose` nothing of what Java and its processes say is printed.
    Raises UsageError for a master that is missing, and where PySpark is; IronlakeError with Spark's reason if it does not start."""
    try:
        from pyspark import SparkContext
    except ImportError:
        raise without_extra("--engine spark", "PySpark", "spark") from None

    if (there := SparkContext._active_spark_context) is not None:
        _refuse_master(master, "this process has a Spark session")
        yield there
        return
    with ExitStack() as end:
        if not verbose:
            end.enter_context(_silent_connection())
        said, settings = None, {}
        if "PYSPARK_GATEWAY_PORT" in os.environ:
            _refuse_master(master, "spark-submit has chosen the master")
        else:
            if master is None:
                hint = "spark-submit has one of its own"
                raise UsageError(
                    "--engine spark is given without a master", "--master local[4] or spark://host:7077", hint
                )
            said = None if verbose else end.enter_context(tempfile.TemporaryFile("a+b", prefix="ironlake-"))
            spills = spill_folder()
            end.callback(spills.remove)
            settings = _settings(master, str(spills.path))
        end.callback(_forget_java)
        # In a thread: an interrupt is seen at once here, whatever PySpark waits for. Java ends with its standard input, and so with this process.
        context = interruptible(lambda: _started(settings, said, verbose))
        end.callback(_stop, context)
        try:
            yield context
        except IronlakeError as error:
            # Spark gave up meanwhile, as it does a minute after no master answered: what it printed then says why.
            if said is not None and _GIVEN_UP in error.what:
                raise explained(_printed(said), error.what.partition(":")[0]) from None
            raise


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


def _refuse_master(master: str | None, why: str) -> None:
    if master is not None:
        raise UsageError(f"--master is given, but {why}", "no --master")


def _settings(master: str, folder: str) -> dict[str, str]:
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
        settings["spark.executorEnv.TMPDIR"] = folder
    return settings


def _started(settings: dict[str, str], said: IO[bytes] | None, verbose: bool) -> SparkContext:
    """No `settings` under spark-submit, where Java runs already. `said`: where all that Java prints goes, in place of standard error."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")
    conf = SparkConf(loadDefaults=not settings)
    for name, value in settings.items():
        conf.set(name, value)
    try:
        # Not to standard output: answers are written there.
        output = said or sys.stderr.fileno()
        gateway = launch_gateway(conf, {"stdout": output, "stderr": output}) if settings else None
    except Exception as error:
        raise explained(_printed(said) or text_of(error), "Spark did not start") from None
    try:
        context = SparkContext(gateway=gateway, conf=conf)
        # Fails where Spark has given up meanwhile.
        _ = context.defaultParallelism
    except Exception as error:
        text = text_of(error)
        raise explained(
            _printed(said) if _GIVEN_UP in text else text or _printed(said), "Spark did not start"
        ) from None
    if not verbose:
        context.setLogLevel("ERROR")
        # It prints a traceback for each connection that ends before the server does.
        context._accumulatorServer.handle_error = _told_elsewhere  # type: ignore[union-attr]
    return context


def _printed(said: IO[bytes] | None) -> str:
    if said is None:
        return ""
    said.seek(0)
    return said.read(_MOST_BYTES).decode(errors="replace").strip()


def _stop(context: SparkContext) -> None:
    gateway = context._gateway
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        context.stop()
    if gateway is not None:
        with contextlib.suppress(Exception):
            gateway.shutdown()
        if java := getattr(gateway, "proc", None):
            with contextlib.suppress(Exception):
                java.communicate(timeout=_ENDS_IN_S)
            java.kill()


def _forget_java() -> None:
    """PySpark would look for it again in the same place, and take a context that was not stopped for one that works."""
    from pyspark import SparkContext

    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
