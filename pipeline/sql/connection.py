"""The one place that connects to DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb


def connect(**config: Any) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, with settings that hold from the start.

    DuckDB takes a process without a script (`python -c`, a notebook) for a person at a terminal: after two seconds of a question it would write a
    progress bar into standard output."""
    connection = duckdb.connect(config=config)
    # No setting of a database, so that it is not in `config`; of a cursor it is off as it is made.
    connection.execute("SET enable_progress_bar = false")
    return connection
