"""A folder of a user's own reports, views, queries and limits, read as what comes along is.

It is code of the user: only an environment variable, or `--plugins` of the command line, names it; nothing in a lake or among reports does."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path

from .errors import UsageError

ENVIRONMENT = "IRONLAKE_PLUGINS"
PACKAGE = Path(__file__).parents[1]
# What a folder may hold, one of them at least.
PARTS = ("parsers", "views", "queries", "limits.toml", "charges.toml")
# What decides which rows a page gives.
_READING = ("grammars", "parsers")


@cache
def _folder() -> Path | None:
    named = os.environ.get(ENVIRONMENT)
    if not named or Path(named).resolve() == PACKAGE.resolve():
        return None
    if not os.path.isdir(named):
        raise UsageError(
            f"the folder of plugins {named} is not there", f"a folder, as --plugins or {ENVIRONMENT} names"
        )
    return Path(named).absolute()


def own(name: str) -> list[Path]:
    """What the user has of a name (`parsers`, `limits.toml`): one path, or none."""
    folder = _folder()
    return [folder / name] if folder and (folder / name).exists() else []


def own_files(name: str, pattern: str) -> list[Path]:
    """The user's files of a pattern in a folder, sorted."""
    return sorted(path for folder in own(name) for path in folder.glob(pattern))


@cache
def reading_digest() -> str:
    """What is other for other grammars and declarations of the user; empty without any."""
    files = [path for name in _READING for path in own_files(name, "*.*")]
    texts = [(path.name, sha256(path.read_bytes()).hexdigest()) for path in files]
    return sha256(repr(texts).encode()).hexdigest()[:8] if texts else ""


def line_with(path: Path, word: str) -> str:
    """A file and the first line of it that has a word.

    >>> line_with(PACKAGE / "grammars" / "__init__.py", "One").rpartition("grammars")[2].replace(os.sep, "/")
    '/__init__.py:1'
    """
    lines = path.read_text("utf-8").splitlines()
    return f"{path}:{next((number for number, line in enumerate(lines, 1) if word in line), 1)}"


@contextmanager
def own_errors(path: Path) -> Iterator[None]:
    """What goes wrong in a module of the user, as a UsageError that names its line."""
    try:
        yield
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(
            f"{path}:{line}: {type(error).__name__}: {said}", "a module with REPORT, as adding_a_report has it"
        ) from None
