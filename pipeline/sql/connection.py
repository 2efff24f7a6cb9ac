"""The one place that connects to DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from .part_rows import listed

_CLOSED = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
    # It takes the widest rows of a view for those of a hash table, as DuckDB cannot know how many a part has. Without it sums of floats are
    # also the same each time.
    "disabled_optimizers": "build_side_probe_side",
}
# Last, and not at the start: DuckDB then allows itself the file of its own name.
_CLOSING = ("SET enable_external_access = false", "SET lock_configuration = true")


def connect(**config: Any) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, with settings that hold from the start.

    DuckDB takes a process without a script (`python -c`, a notebook) for a person at a terminal: after two seconds of a question it would write a
    progress bar into standard output."""
    connection = duckdb.connect(config=config)
    # No setting of a database, so that it is not in `config`; of a cursor it is off as it is made.
    connection.execute("SET enable_progress_bar = false")
    return connection


def connect_closed(files: Iterable[str], **config: Any) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database that may read some files, folders with a slash at their end, and nothing else."""
    connection, allowed = connect(**_CLOSED, **config), [*files]
    for setting, is_folder in (("allowed_paths", False), ("allowed_directories", True)):
        connection.execute(f"SET {setting} = {listed(file for file in allowed if file.endswith('/') == is_folder)}")
    for statement in _CLOSING:
        connection.execute(statement)
    return connection


def plan(connection: duckdb.DuckDBPyConnection, text: str, parameters: Mapping[str, object] | None) -> str:
    """The plan of a query, as JSON."""
    [(_, plan)] = connection.execute(f"EXPLAIN (FORMAT json) {text}", dict(parameters or {})).fetchall()
    return plan
