"""The one writer for a terminal: whatever is not our own text is escaped, so that it cannot steer the terminal or hide what it says.

Control characters (C0, DEL, C1), invisible format characters (bidirectional overrides among them), line separators and undecodable
bytes are escaped. While a command runs, standard output and standard error do this with everything that is printed, so that no
command can forget it. Our own control sequences (progress) go to `own_stream`; data for other programs goes to the binary stream.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from .errors import IronlakeError

_UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Soft hyphen and the joiners: some scripts and emoji are not spelt without them, and they move nothing.
_JOINERS = "\u00ad\u200c\u200d"
_NOT_ASCII = re.compile(r"[^ -~]")


def printable(text: str) -> str:
    """Text of others on one line, safe to print.

    >>> printable("a\\n\\x1b[31m\\udcff\\u202e.txt")
    'a\\\\n\\\\x1b[31m\\\\xff\\\\u202e.txt'
    """
    return text if text.isprintable() else _NOT_ASCII.sub(lambda m: _escaped(m[0]), text)


def printable_lines(text: str) -> str:
    """Text safe to print that may have several lines."""
    return _NOT_ASCII.sub(lambda m: m[0] if m[0] == "\n" else _escaped(m[0]), text)


def json_text(value: Any, **options: Any) -> str:
    """A value as JSON that is safe to print and loses nothing: JSON has escapes of its own.

    >>> json_text({"name": "\\x9b31m \\u202eé\\U000e0001"})
    '{"name": "\\\\u009b31m \\\\u202eé\\\\udb40\\\\udc01"}'
    """
    text = json.dumps(value, ensure_ascii=False, **options)
    return _NOT_ASCII.sub(lambda m: m[0] if m[0] == "\n" or _is_safe(m[0]) else json.dumps(m[0])[1:-1], text)


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) not in _UNSAFE_CATEGORIES or character in _JOINERS


def _escaped(character: str) -> str:
    if _is_safe(character):
        return character
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


class _EscapingStream:
    """A text stream that escapes what is written to it. Everything else is the stream's own."""

    def __init__(self, stream: TextIO, name: str):
        self.own, self._name = stream, name

    def write(self, text: str) -> int:
        with explained_output(self._name):
            self.own.write(printable_lines(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with explained_output(self._name):
            self.own.flush()

    def __getattr__(self, name: str) -> Any:
        # Nobody has data for standard error; Typer would find a way around the escapes there.
        if name == "buffer" and self._name == "standard error":
            raise AttributeError(name)
        return getattr(self.own, name)


@contextmanager
def explained_output(name: str = "standard output") -> Iterator[None]:
    """Turn an error of writing into one that names where to. A reader that went away (BrokenPipeError) stays one.

    Raises IronlakeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IronlakeError(f"cannot write to {name}: {error.strerror or error}") from None


def own_stream(stream: TextIO) -> TextIO:
    """The stream itself, for text of our own that steers the terminal."""
    return getattr(stream, "own", stream)


def escape_output() -> None:
    """From here on standard output and standard error escape what is printed."""
    sys.stdout, sys.stderr = _escaping(sys.stdout, "standard output"), _escaping(sys.stderr, "standard error")


@contextmanager
def escaped_output() -> Iterator[None]:
    """Standard output and standard error escape what is printed, until the end."""
    before = sys.stdout, sys.stderr
    escape_output()
    ours = sys.stdout, sys.stderr
    try:
        yield
    finally:
        # Typer replaces them where nobody reads any more.
        sys.stdout = before[0] if sys.stdout is ours[0] else sys.stdout
        sys.stderr = before[1] if sys.stderr is ours[1] else sys.stderr


def _escaping(stream: TextIO | None, name: str) -> TextIO:
    # Python has no streams where they were closed before it began.
    if stream is None or isinstance(stream, _EscapingStream):
        return cast(TextIO, stream)
    if isinstance(stream, io.TextIOWrapper):
        # Characters missing from the terminal's code page are escaped.
        stream.reconfigure(errors="backslashreplace")
    return cast(TextIO, _EscapingStream(stream, name))


def forget_output() -> None:
    """Avoid an error at exit for text that Python has not written yet."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
