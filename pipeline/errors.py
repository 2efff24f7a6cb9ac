"""Errors that a user meets: every one says the place, what is wrong, what was expected and what to do next."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# The name of a thread whose work was interrupted, but goes on: the process ends without it.
LEFT_WORKING = "left working"


class IronlakeError(Exception):
    """Wrong use or unusable input; the command line prints it without a traceback."""

    def __init__(self, what: str, expected: str = "", hint: str = ""):
        super().__init__(what)
        self.what, self.expected, self.hint = what, expected, hint

    def __str__(self) -> str:
        return format_error(self.what, self.expected, self.hint)


class UsageError(IronlakeError):
    """What was asked for cannot be done as it was asked: a wrong query, name, window or folder. Exit code 2."""


class OtherKind(IronlakeError):
    """A file of a kind that is no print report: an image, a Parquet file. Beside reports in a folder it is passed over."""


@dataclass(frozen=True)
class Problem:
    """A part of a line that cannot be read: `line` is its index among the texts given, `column` counts from 0."""

    line: int
    column: int
    what: str
    expected: str
    hint: str


def without_extra(what: str, package: str, extra: str) -> UsageError:
    """The error where a library is not installed that only an extra of Ironlake brings."""
    return UsageError(
        f"{what} needs {package}, which is not installed", f"the extra {extra}", f"pip install 'ironlake[{extra}]'"
    )


def first_of(lines: Sequence[str], most: int = 50) -> list[str]:
    """As many of some lines as anybody reads."""
    more = [f"and {len(lines) - most:,} more"] if len(lines) > most else []
    return [*lines[:most], *more]


class Unreadable(Exception):
    """Raised by a `LineParser`: what was wrong, and the values that could be read nevertheless."""

    def __init__(self, values: dict[str, Any], problems: list[Problem]):
        super().__init__("; ".join(p.what for p in problems))
        self.values, self.problems = values, problems


@contextmanager
def writing_to(path: object) -> Iterator[None]:
    """Turn an error of writing into one that names the file: of a full disk the system does not say it.

    Raises IronlakeError."""
    try:
        yield
    except OSError as error:
        raise IronlakeError(f"cannot write {path}: {error.strerror or error}", "a file that can be written") from None


def format_error(what: str, expected: str = "", hint: str = "") -> str:
    """One error as text: what; expected …, and the hint on a line of its own.

    >>> format_error("no such lake", "a folder", "ironlake ingest makes one")
    'no such lake; expected a folder\\nhint: ironlake ingest makes one'
    """
    return what + (f"; expected {expected}" if expected else "") + (f"\nhint: {hint}" if hint else "")


def format_reject(file: str, line: int, column: int, page: int, text: str, what: str, expected: str, hint: str) -> str:
    """A reject as people see it: `file:line:column (page n): what; expected …`, the line, a caret, a hint.

    >>> print(format_reject("a.txt", 7, 3, 1, "CP xx", "unreadable number", "digits", ""))
    a.txt:7:3 (page 1): unreadable number; expected digits
      CP xx
        ^
    """
    head = f"{file}:{line}:{column} (page {page}): {what}" + (f"; expected {expected}" if expected else "")
    body = f"  {text}\n  {' ' * (column - 1)}^"
    return f"{head}\n{body}" + (f"\nhint: {hint}" if hint else "")
