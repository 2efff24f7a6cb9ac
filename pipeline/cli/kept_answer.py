"""Answers that were given before: what a command printed, and the page that it wrote, kept in the lake (lake/kept_files.py).

The name of an answer is a digest of all that it rests on: the ledger, each file of the lake as it is there, the code and the libraries that
answer, and the question. Whatever of these changes, nobody looks for the old name again. Little is imported here: an answer that is kept
takes as long as the start of the command.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from ..errors import IronlakeError
from ..lake.kept_files import KeptFiles, digest_of
from ..plugins import own
from ..storage.address import is_address
from ..storage.local import LocalStorage
from ..terminal import explained_output, forget_output
from .common import print_text

_BEGIN = "answer-"
_MOST_BYTES, _MOST_FILES, _MOST_IN_ALL = 4 << 20, 100, 64 << 20
# The head of the ledger, and a study.
_MOST_READ = 4 << 20
# The folders of the package that answers are made by.
_CODE = ("pipeline", "dashboards", "parsers", "grammars")
# Folders of a lake that no answer rests on.
_BESIDE = ("_kept", "_tmp")


class KeptAnswer:
    """The answer to a question: what was kept of it, or what is to be kept. Nothing is kept of a lake in object storage, where to look at each part would be
    a request; of what is longer than some megabytes; and of what ends in an error."""

    def __init__(self, lake: Path, *question: object, files: Sequence[Path] = (), is_kept: bool = True):
        """`question`: the command with all that it answers by, as JSON has it; `files` that it reads."""
        self._lake, self._question, self._read = lake, question, files
        # HTML, if a page was written, or what tells another file that was.
        self.pages: list[str] = []
        # The exit code of the command.
        self.code = 0
        # The streams, and what they were told.
        self._said: list[tuple[str, str]] = []
        self._left = _MOST_BYTES
        self._kept = KeptFiles(LocalStorage(lake))
        self._name = self._asked() if is_kept and sys.stdout and sys.stderr and not is_address(lake) else ""
        content = self._kept.own_content(self._name) if self._name else None
        self.is_known = content is not None
        if content:
            self._said, self.pages, self.code = json.loads(bytes(content))

    def _asked(self) -> str:
        """The name of the answer; empty where a lake or a file is not as it should be: whoever answers says so."""
        with suppress(OSError, ValueError, IronlakeError):
            head = LocalStorage(self._lake).read("_ledger/head.json", _MOST_READ).decode()
            lake = sorted(_files(str(self._lake), _BESIDE))
            return _BEGIN + digest_of([_made_by(), _around(), head, lake, [*map(_content, self._read)], self._question])
        return ""

    def give(self) -> None:
        """Print what is known as the command printed it."""
        for stream, text in self._said:
            if stream == "text":
                print_text(text.removesuffix("\n"))
            elif stream == "bytes":
                _print_bytes(text.encode())
            else:
                sys.stderr.write(text)

    def forget(self) -> None:
        """Keep nothing of it."""
        self._name = ""
        self._said.clear()

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Keep what is printed within, `pages` and `code`, once all is printed."""
        if not self._name:
            yield
            return
        # Of an answer that is known, and not asked for.
        self._said.clear()
        self.pages.clear()
        before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = _Told(self, "text", before[0]), _Told(self, "errors", before[1])  # type: ignore[assignment]
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before
        said = [(stream, "".join(text for _, text in some)) for stream, some in groupby(self._said, lambda one: one[0])]
        content = json.dumps([said, self.pages, self.code]).encode()
        # Else somebody changed the lake or the question meanwhile.
        if self._name and len(content) <= _MOST_BYTES and self._asked() == self._name:
            self._kept.keep(self._name, content)
            self._kept.remove_oldest(_BEGIN, _MOST_FILES, _MOST_IN_ALL)

    def note(self, stream: str, content: str | bytes) -> None:
        self._left -= len(content)
        if self._left < 0:
            self.forget()
        elif self._name:
            self._said.append((stream, content if isinstance(content, str) else str(content, "utf-8")))


class _Told:
    """A stream that passes an answer on to be kept. If it can take no more, the answer is not whole."""

    def __init__(self, answer: KeptAnswer, name: str, stream: Any):
        self._answer, self._name, self._stream = answer, name, stream

    def write(self, content: Any) -> int:
        self._answer.note(self._name, content)
        return self._whole(lambda: self._stream.write(content))

    def flush(self) -> None:
        self._whole(self._stream.flush)

    def _whole(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except BaseException:
            self._answer.forget()
            raise

    @property
    def buffer(self) -> _Told:
        return _Told(self._answer, "bytes", self._stream.buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def told_from_others(file: Path) -> str:
    """What is other for every other file of a path, and whenever somebody has written to it; empty without one."""
    with suppress(OSError):
        found = file.stat()
        return f"{found.st_ino} {found.st_size} {found.st_ctime_ns}"
    return ""


def _print_bytes(content: bytes) -> None:
    try:
        with explained_output():
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        forget_output()


@cache
def _made_by() -> list[object]:
    """The code and the libraries that answer."""
    package = Path(__file__).parents[2]
    folders = [*(package / folder for folder in _CODE), *own(".")]
    code = [found for folder in folders for found in _files(str(folder), ("__pycache__",))]
    libraries = [name for path in sys.path if os.path.isdir(path) for name in os.listdir(path)]
    return [sys.version, sorted(code), sorted(name for name in libraries if name.endswith(".dist-info"))]


def _around() -> list[object]:
    """What answers rest on beside the lake: the day, the zone of local times, and how wide a terminal is."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return [str(dt.date.today()), os.environ.get("TZ"), os.path.realpath("/etc/localtime"), width]


def _content(path: Path) -> list[str]:
    """A file by its name and digest. Raises ValueError for what can be read only once."""
    if not path.is_file():
        raise ValueError(f"{path} is not a file")
    with path.open("rb") as file:
        return [str(path), sha256(file.read(_MOST_READ)).hexdigest()]


def _files(folder: str, beside: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """All files below a folder: path, size, and the time of the last change of content or name, which no program can set."""
    with os.scandir(folder) as found:
        for each in found:
            if each.is_dir(follow_symlinks=False):
                if each.name not in beside:
                    yield from _files(each.path, beside)
            else:
                is_there = each.stat(follow_symlinks=False)
                yield each.path, is_there.st_size, is_there.st_ctime_ns
