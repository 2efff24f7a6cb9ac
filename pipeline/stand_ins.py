"""Tables without rows in place of views: a view over them is planned alone, not with all the views below it again.

The columns of all views are known so in an eighth of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import duckdb

from .declaration import tables
from .lake_tables import plain_schema
from .view_files import View
from .without_pandas import leave_pandas_alone


class StandIns:
    """Temporary tables of a connection, called like the declared tables and the views, with their columns and no row."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        views: Mapping[str, View],
        needed: Callable[[str], list[str]],
    ):
        """`needed` tells the tables and views that a text names."""
        leave_pandas_alone()
        self._connection, self._views, self._needed = connection, views, needed
        self._there: set[str] = set()

    def columns(self, name: str) -> list[tuple[str, str]]:
        """Name and SQL type of every column of a table or view, in order."""
        self.add(name)
        table = self._connection.table(name)
        return [(column, str(type_)) for column, type_ in zip(table.columns, table.types, strict=True)]

    def add(self, name: str) -> None:
        """Make the stand-in of a table or view, and those of all that it is made of."""
        if name in self._there:
            return
        self._there.add(name)
        if name not in self._views:
            self._connection.register(name, plain_schema(tables()[name]).empty_table())
            return
        for below in self._needed(self._views[name].sql):
            self.add(below)
        self._connection.execute(f'CREATE TEMP TABLE "{name}" AS {self._views[name].sql} WITH NO DATA')
