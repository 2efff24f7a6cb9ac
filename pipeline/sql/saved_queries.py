"""Queries that are kept in a lake, for all who use it: `_queries/NAME.sql`, a line `-- what it answers` and below it the query.

They are texts that anybody may read, compare and edit. A query is checked when it is saved, and again whenever it runs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import IronlakeError, UsageError, first_of
from ..plugins import own_files
from ..storage.os_errors import translate_os_errors
from ..storage.storage import storage_at
from ..terminal import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from .open_lake import OpenLake

_FOLDER, _SUFFIX = "_queries", ".sql"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_NAMES = "lower-case letters, digits, - and _, at most 64, a letter first"
_MOST_BYTES = 1 << 20
_LONGEST_ABOUT = 200


def save_query(lake: OpenLake, name: str, text: str, about: str | None = None, replace: bool = False) -> None:
    """Keep a query in a lake. What it answers is `about`, or the comment in its first line.

    Raises UsageError for a name that is taken or not allowed, and for a query that the lake would not answer."""
    path = _path(name)
    first, _, rest = text.lstrip().partition("\n")
    if about is None and first.startswith("--"):
        about, text = first.removeprefix("--"), rest
    about, text = (about or "").strip(), text.strip()
    if not about:
        hint = "--about TEXT, or a first line -- TEXT in the query"
        raise UsageError("nothing says what the query answers", "a line in words", hint)
    if printable(about) != about or len(about.splitlines()) > 1 or len(about) > _LONGEST_ABOUT:
        raise UsageError("the words about the query are not one line", f"at most {_LONGEST_ABOUT} printable characters")
    lake.check_query(text)
    content = f"-- {about}\n{text}\n".encode()
    if len(content) > _MOST_BYTES:
        raise UsageError(f"the query has {len(content):,} bytes", f"at most {_MOST_BYTES:,}")
    files = storage_at(lake.path)
    with translate_os_errors(lake.path):
        files.make_folder(_FOLDER)
        try:
            (files.put if replace else files.put_new)(path, content)
        except FileExistsError:
            raise UsageError(f"a query is called {name} already", hint="--replace, or another name") from None


def saved_names(folder: Path) -> list[str]:
    """The names of the queries in the lake in a folder, sorted."""
    with translate_os_errors(folder, "read"):
        names = [name.removesuffix(_SUFFIX) for name in storage_at(folder).names(_FOLDER) if name.endswith(_SUFFIX)]
    return sorted(name for name in {*names, *_of_the_user()} if _NAME.fullmatch(name))


def _of_the_user() -> dict[str, Path]:
    """The queries of the folder of plugins, for each of its lakes. One of the same name in a lake comes first."""
    return {path.stem: path for path in own_files("queries", f"*{_SUFFIX}")}


def saved_query(folder: Path, name: str) -> str:
    """The text of a saved query, with its line of words. Raises UsageError where none has the name."""
    path = _path(name)
    with translate_os_errors(folder, "read"):
        try:
            if name in _of_the_user() and not storage_at(folder).exists(path):
                return _of_the_user()[name].read_text("utf-8")
            return storage_at(folder).read(path, _MOST_BYTES).decode()
        except FileNotFoundError:
            raise _unknown(folder, name) from None
        except ValueError as error:
            what = (
                f"{folder / path} {error}" if not isinstance(error, UnicodeError) else f"{folder / path} is not UTF-8"
            )
            raise IronlakeError(what, "a query", f"ironlake query remove {name}") from None


def remove_query(folder: Path, name: str) -> None:
    """Remove a saved query. Raises UsageError where none has the name."""
    path = _path(name)
    files = storage_at(folder)
    with translate_os_errors(folder):
        if not files.exists(path):
            raise _unknown(folder, name)
        files.remove(path)


def listed(lake: OpenLake) -> pa.Table:
    """Every saved query: its name, what it answers, and the parameters that it takes."""
    import pyarrow as pa

    rows = []
    for name in saved_names(lake.path):
        text = saved_query(lake.path, name)
        first = text.partition("\n")[0]
        about = first.removeprefix("--").strip() if first.startswith("--") else None
        try:
            parameters = ", ".join(lake.parameters(text)) or None
        except UsageError:
            about, parameters = f"cannot be run: edited since it was saved? {about or ''}".strip(), None
        rows.append({"name": name, "about": about, "parameters": parameters})
    return pa.Table.from_pylist(
        rows, schema=pa.schema([(column, pa.string()) for column in ("name", "about", "parameters")])
    )


def _path(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of a query", _NAMES)
    return os.path.join(_FOLDER, name + _SUFFIX)


def _unknown(folder: Path, name: str) -> UsageError:
    names = first_of(saved_names(folder))
    hint = f"saved: {', '.join(names)}" if names else "ironlake query save NAME --file FILE saves one"
    return UsageError(f"no query is called {name}", hint=hint)
