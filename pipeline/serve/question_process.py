"""Queries of the reader's own in processes of their own: whatever memory one value takes, other questions are answered."""

from __future__ import annotations

import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any

from ..errors import IronlakeError
from ..ingest.workers import end_with_parent
from ..sql.open_lake import OpenLake
from ..temporary_folders import locked_temporary_folder
from .answered import answered
from .newest import NewestLake
from .requests import Answer, Request

Page = Callable[[OpenLake, Request], Answer]
# What libraries, and an answer as values of Python, take beside DuckDB.
_BESIDE_BYTES = 1 << 29
_CAN_FORK = "forkserver" in get_all_start_methods()
# Python's list of the children of a process is for one thread at a time.
_CHILDREN = threading.Lock()


class QuestionProcess:
    """Answers one question at a time, until `end`. Made when it is ready to."""

    def __init__(self, lake: Path, memory: int):
        context: Any = get_context("forkserver" if _CAN_FORK else "spawn")
        if _CAN_FORK:
            # What each process needs is loaded once.
            context.set_forkserver_preload([f"{__package__}.preload"])
        self._folder = locked_temporary_folder()
        self._pipe, end = context.Pipe()
        self._process = context.Process(target=_work, args=(end, lake, memory, self._folder.path), daemon=True)
        with _CHILDREN:
            self._process.start()
        end.close()
        with suppress(EOFError, OSError):
            self._pipe.recv()
        self.idle_since = time.monotonic()
        # Whether it holds so much memory that another question would have less than one may.
        self.is_worn = False

    def ask(self, page: Page, request: Request) -> Answer:
        """Raises IronlakeError where the process ends before it has an answer."""
        try:
            self._pipe.send((page, request.path, request.values))
            answer, self.is_worn = self._pipe.recv()
        except (EOFError, OSError):
            raise IronlakeError("the query takes more memory than one may", hint="ask for less at once") from None
        self.idle_since = time.monotonic()
        return answer

    @property
    def is_alive(self) -> bool:
        with _CHILDREN:
            return self._process.is_alive()

    def interrupt(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self.interrupt()
        with _CHILDREN:
            self._process.join()
        self._pipe.close()
        self._folder.remove()

    @property
    def memory_taken(self) -> int:
        """Bytes, of what processes share a part; 0 where the system does not say it."""
        with suppress(OSError):
            found = re.search(r"\nPss: +(\d+) kB", Path(f"/proc/{self._process.pid}/smaps_rollup").read_text())
            return int(found[1]) << 10 if found else 0
        return 0


def _work(pipe: Any, path: Path, memory: int, folder: Path) -> None:
    # The server ends this process, and removes the folder.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    tempfile.tempdir = str(folder)
    with suppress(IronlakeError):
        # Where there is no lake any more, that is the answer to each question.
        _newest(path, memory)
    begin, most = _memory_held(), memory + _BESIDE_BYTES
    _bound(begin + most)
    pipe.send("ready")
    while True:
        page, of, values = pipe.recv()
        answer = answered(partial(_answer, path, memory, page, Request(of, values)))
        pipe.send((answer, _memory_held() - begin > most // 4))


@cache
def _newest(path: Path, memory: int) -> NewestLake:
    return NewestLake(path, f"{memory >> 20}MiB")


def _answer(path: Path, memory: int, page: Page, request: Request) -> Answer:
    with _newest(path, memory)() as lake:
        return page(lake, request)


def _memory_held() -> int:
    """Bytes that this process has of the system, used or not; 0 where the system does not say it."""
    with suppress(OSError):
        found = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return int(found[1]) << 10 if found else 0
    return 0


def _bound(most: int) -> None:
    """Bound the memory that this process gets from the system: on Linux, where the system says what it has already."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
