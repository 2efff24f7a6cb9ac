"""Views that were made tables, kept in the lake (lake/kept_files.py): the next question reads them, and what they are made of is not even planned.

The name of kept rows is a digest of all that they rest on: the parts of the tables below, the texts of the views, and the versions that answered. After an
ingest, or with other views, nobody looks for the old name again. What is damaged, or cannot be written, counts as not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import duckdb
import pyarrow as pa

from ..lake.kept_files import KeptFiles, digest_of
from .view_files import View, macros

# Changes when what is kept is made in another way.
_FORMAT = "2"
# What tables are computed by.
_MODULES = ("statistics", "confidence", "paired_differences", "student_t")
# What is read again faster than it is made.
_LEAST_S = 0.02
_TYPES = b"types"


@cache
def made_by() -> tuple[str, ...]:
    """What answers."""
    return _FORMAT, version("ironlake"), duckdb.__version__, macros()


@cache
def computed_by() -> str:
    """The digest of the code that computes tables over studies."""
    return digest_of([Path(__file__).with_name(f"{name}.py").read_text("utf-8") for name in _MODULES])


class KeptViews:
    """Views of a lake. `identity`: what is other for every other content of a table; to ask for it raises IronlakeError where a part of the
    table is damaged."""

    def __init__(self, files: KeptFiles, identity: Callable[[str], object]):
        self._files, self._identity = files, identity
        self._identities: dict[str, object] = {}

    def make(self, connection: duckdb.DuckDBPyConnection, view: str, name: str) -> bool:
        """Make the table of a view from kept rows; whether there are any."""
        rows = self._files.read(name)
        if rows is None:
            return False
        types = json.loads((rows.schema.metadata or {}).get(_TYPES, b"{}"))
        if types.keys() != set(rows.column_names):
            return False
        columns = ", ".join(f'CAST("{column}" AS {kind}) AS "{column}"' for column, kind in types.items())
        connection.register("_kept", rows)
        try:
            connection.execute(f'CREATE TABLE "{view}" AS SELECT {columns} FROM _kept')
        finally:
            connection.unregister("_kept")
        return True

    def keep(self, connection: duckdb.DuckDBPyConnection, view: str, name: str, seconds: float) -> None:
        """Keep the rows of a table that took some seconds to make."""
        if seconds < _LEAST_S:
            return
        rows = connection.sql(f'FROM "{view}"')
        types = {column: str(kind) for column, kind in zip(rows.columns, rows.types, strict=True)}
        found = rows.to_arrow_table().replace_schema_metadata({_TYPES: json.dumps(types).encode()})
        try:
            self._files.write(name, found)
        except pa.ArrowException:
            # Parquet has no such type.
            return
        self._files.remove_others({name})

    def name(self, view: str, below: Iterable[View], tables: Iterable[str]) -> str:
        """The name of its rows, as they are made now of views and tables."""
        for table in tables:
            if table not in self._identities:
                self._identities[table] = digest_of(self._identity(table))
        rests_on = [*made_by(), *(f"{v.name} {v.sql}" for v in below), *((t, self._identities[t]) for t in tables)]
        return f"whole-{view}-{digest_of(rests_on)}"
