"""Views that were made tables, kept in the lake (lake/kept_files.py): the next question reads them, and what they are made of is not even planned.

The name of kept rows is a digest of all that they rest on: the parts of the tables below, the texts of the views, and the versions that answered. After an
ingest, or with other views, nobody looks for the old name again. What is damaged, or cannot be written, counts as not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import duckdb
import pyarrow as pa

from ..lake.kept_files import KeptFiles, digest_of
from .schema import columns_of, type_given
from .view_files import View, macros

# Changes when what is kept is made in another way.
_FORMAT = "3"
# What tables are computed by.
_MODULES = ("statistics", "confidence", "paired_differences", "student_t")
# What is read again faster than it is made.
_LEAST_S = 0.02


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
        self._texts: dict[str, str] = {}

    def make(self, connection: duckdb.DuckDBPyConnection, view: str, name: str) -> bool:
        """Make the table of a view from kept rows; whether there are any."""
        rows = self._files.read(name)
        if rows is None:
            return False
        # Most views of a lake have no row: to scan nothing would take longer than all else here.
        if not rows.num_rows:
            connection.execute(f'CREATE TABLE "{view}" ({columns_of(rows.schema)})')
            return True
        columns = ", ".join(f'CAST("{f.name}" AS {type_given(f.type)}) AS "{f.name}"' for f in rows.schema)
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
        try:
            self._files.write(name, connection.sql(f'FROM "{view}"').to_arrow_table())
        except pa.ArrowException:
            # Parquet has no such type.
            return
        self._files.remove_others({name})

    def name(self, view: str, below: Sequence[View], tables: Iterable[str]) -> str:
        """The name of its rows, as they are made now of views and tables."""
        for table in tables:
            if table not in self._identities:
                self._identities[table] = digest_of(self._identity(table))
        for each in below:
            if each.name not in self._texts:
                self._texts[each.name] = digest_of(each.sql)
        texts = [(each.name, self._texts[each.name]) for each in below]
        rests_on = [*made_by(), texts, [(table, self._identities[table]) for table in tables]]
        return f"whole-{view}-{digest_of(rests_on)}"
