"""The process of Java that Spark runs in: started with all that it starts in a group of its own, so that all of it can be ended."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from ..errors import IronlakeError, UsageError
from .failures import explained_end

_LEAST_JAVA = 17
# How long Java may take to say its version and its port, and to end.
_VERSION_IN_S = 30
_PORT_IN_S = 120
_ENDS_IN_S = 10
# How long it may take to remove its folders when it is told to end, and after it what it has started.
_TIDIES_IN_S = 5
_OTHERS_TIDY_IN_S = 0.3
_LOOKS_EACH_S = 0.05
# Of what Java says.
_MOST_BYTES = 1 << 20
# Where Spark says how it is reached: a port and a secret, each behind its length.
_SAYS_PORT_IN = "_PYSPARK_DRIVER_CONN_INFO_PATH"


class Gateway(NamedTuple):
    port: int
    secret: str


class Java:
    """Processes that this one starts for Spark. `interrupt` ends them all, from whatever thread, and what would be started after it."""

    def __init__(self, folder: Path, output: IO[bytes] | None):
        """`folder` is for what they write; `output`: where all that they print goes, in place of standard error."""
        self._folder, self._output = folder, output
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_ended = False

    def require(self) -> None:
        """Raise UsageError where Java is missing or too old."""
        home = os.environ.get("JAVA_HOME")
        java = shutil.which(os.path.join(home, "bin", "java") if home else "java")
        expected = f"Java {_LEAST_JAVA} or later"
        if java is None:
            where = "in JAVA_HOME" if home else "in PATH"
            raise UsageError(
                f"--engine spark needs Java: there is none {where}", expected, "install a JRE, or set JAVA_HOME"
            )
        with tempfile.TemporaryFile(prefix="ironlake-") as said:
            self._start([java, "-version"], dict(os.environ), said)
            if self._ended_within(_VERSION_IN_S) is None:
                self._end_group()
                raise IronlakeError(f"{java} -version does not end within {_VERSION_IN_S} s", expected, "set JAVA_HOME")
            said.seek(0)
            version = re.search(r'version "(?:1\.)?(\d+)', said.read().decode(errors="replace"))
        if version and int(version[1]) < _LEAST_JAVA:
            raise UsageError(
                f"--engine spark needs a newer Java: {java} is Java {version[1]}", expected, "set JAVA_HOME"
            )

    def gateway(self, settings: Mapping[str, str]) -> Gateway:
        """Start Spark with some settings. Returns how it is reached; raises IronlakeError with the reason if Java ends before it says so."""
        home = Path(_spark_home()).absolute()
        submit = home / "bin" / "spark-submit"
        if not os.access(submit, os.X_OK):
            raise UsageError(
                f"{submit} is not a program",
                "the folder of Spark in SPARK_HOME",
                "without SPARK_HOME it is that of PySpark",
            )
        words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        more = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
        says_port = self._folder / "port"
        # Ended while it starts, it may leave a folder.
        folder = f'-Djava.io.tmpdir="{self._folder}" {os.environ.get("SPARK_SUBMIT_OPTS", "")}'
        environment = {
            # Workers of local-cluster write where Spark is installed, if they are not told a folder.
            "SPARK_WORKER_DIR": str(self._folder),
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_CONNECT_MODE": "0",
            "SPARK_SUBMIT_OPTS": folder,
            _SAYS_PORT_IN: str(says_port),
        }
        # Not to standard output: answers are written there.
        self._start([str(submit), *words, *more], environment, self._output or sys.stderr.fileno())
        code = self._ended_within(_PORT_IN_S, says_port)
        # It is written under another name, and renamed.
        if says_port.is_file():
            return _read_gateway(says_port.read_bytes())
        self._end_group()
        raise explained_end(code, _text_of(self._output), _PORT_IN_S)

    def _start(self, command: list[str], environment: Mapping[str, str], output: IO[bytes] | int) -> None:
        with self._lock:
            if self._is_ended:
                raise KeyboardInterrupt
            # Ends by itself when its standard input does: with this process, whatever ends it.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment, start_new_session=True
            )

    def _ended_within(self, seconds: float, or_written: Path | None = None) -> int | None:
        """The exit code; None if a file is written before, or it goes on."""
        process, until = self._process, time.monotonic() + seconds
        while process is not None and process.poll() is None and time.monotonic() < until:
            if or_written and or_written.is_file():
                return None
            time.sleep(_LOOKS_EACH_S)
        return process.poll() if process else None

    def interrupt(self) -> None:
        with self._lock:
            self._is_ended = True
        self._end_group()

    def close(self) -> None:
        """End Java after its work: at the end of its standard input."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
            if self._ended_within(_ENDS_IN_S) is None:
                self._end_group()

    def _end_group(self) -> None:
        """End what was started, with all that it has started. Told so, Java removes its folders."""
        if (process := self._process) is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
            self._ended_within(_TIDIES_IN_S)
            until = time.monotonic() + _OTHERS_TIDY_IN_S
            # Until there is nobody. The dead that nobody has asked for yet count, too.
            while time.monotonic() < until:
                os.killpg(process.pid, 0)
                time.sleep(_LOOKS_EACH_S)
            os.killpg(process.pid, signal.SIGKILL)
            self._ended_within(_TIDIES_IN_S)


def _spark_home() -> str:
    if home := os.environ.get("SPARK_HOME"):
        return home
    from pyspark.find_spark_home import _find_spark_home

    return _find_spark_home()


def _read_gateway(said: bytes) -> Gateway:
    port, length = struct.unpack_from(">ii", said)
    return Gateway(port, said[8 : 8 + length].decode())


def _text_of(output: IO[bytes] | None) -> str:
    if output is None:
        return ""
    output.seek(0)
    return output.read(_MOST_BYTES).decode(errors="replace")
