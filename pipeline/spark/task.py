"""What a task does on an executor: it compares versions, and does one piece of work. Nothing here needs Spark.

Answers are pairs of a word and a value, since errors that Spark passes on lose their form:
done (the result, pickled), failed (an IronlakeError, pickled), unlike (host and versions)."""

from __future__ import annotations

import pickle
import platform
import socket
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..declaration.reading_options import READER_VERSION
from ..errors import IronlakeError

_COMPARED = ("ironlake", "polars", "pyarrow", "numpy", "duckdb", "lark", "regex", "obstore")


@cache
def versions() -> dict[str, str]:
    """Of all that decides which bytes a part has."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "reader": READER_VERSION}
    for name in _COMPARED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def unlike(wanted: dict[str, str], found: dict[str, str]) -> str:
    """How versions differ, in words; empty if they do not.

    >>> unlike({"polars": "2.1", "duckdb": "2.0"}, {"polars": "2.0", "duckdb": "2.0"})
    'polars 2.0 instead of 2.1'
    """
    return ", ".join(f"{name} {found.get(name)} instead of {v}" for name, v in wanted.items() if found.get(name) != v)


def do(wanted: dict[str, str], setup: bytes, piece: bytes) -> tuple[str, Any]:
    """Do a piece of work (pickled) with a function (pickled)."""
    if difference := unlike(wanted, versions()):
        return "unlike", (socket.gethostname(), difference)
    try:
        return "done", pickle.dumps(_function(setup)(pickle.loads(piece)))
    except IronlakeError as error:
        return "failed", pickle.dumps(error)


@lru_cache(maxsize=1)
def _function(setup: bytes) -> Callable[[Any], Any]:
    """Kept from task to task: a process does many."""
    return pickle.loads(setup)
