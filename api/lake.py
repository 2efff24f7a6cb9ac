"""A lake that is open for reading, and its answers as Arrow, Polars, pandas and HTML."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ironlake.arguments import checked
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.output.html import html_table
from ironlake.pipeline.sql.answer import Result
from ironlake.pipeline.sql.describe import described_answer
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.query_errors import unknown_name
from ironlake.pipeline.storage.address import place_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

# Where a lake is: its folder, None for the default, or an open one.
LakePath = str | os.PathLike[str] | None
_ROWS_SHOWN = 50
_ROWS_AT_ONCE = 65_536


def lake_path(path: LakePath) -> Path:
    """The folder of a lake; without one that of IRONLAKE_LAKE, or `lake`."""
    return place_of(os.environ.get("IRONLAKE_LAKE") or "lake" if path is None else path)


@checked
def open_lake(path: LakePath = None, *, memory: str | None = None) -> Lake:
    """Open the lake in a folder for reading, as it is now; later commits are seen when it is opened again.

    memory: what DuckDB may take for a query, such as "4GB"; rows beyond it go to a temporary folder.
    `with open_lake(…) as lake:` closes it at the end, `lake.close()` too. Warns if files in it should be ingested again.
    Raises UsageError where there is no lake."""
    lake = Lake(lake_path(path), memory=memory)
    if note := lake.outdated_note:
        warnings.warn(note, stacklevel=2)
    return lake


class Lake(OpenLake):
    """A lake open for reading. `sql` answers a query, `table` has all rows of a table or view; `tables` and `views` list their names."""

    @checked
    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Answer:
        """Answer one SELECT statement; `parameters` are the values of `$name` in it. As with `ironlake sql`, the query reads the tables and
        views of the lake and nothing else, and cannot write.

        Raises UsageError with DuckDB's message where it cannot be answered."""
        return Answer(self, *self.relation(text, parameters), text)

    @checked
    def table(self, name: str) -> Answer:
        """All rows of a table or view. Raises UsageError for a name that is neither."""
        if name not in (*self.tables, *self.views):
            raise unknown_name(name)
        return self.sql(f'SELECT * FROM "{name}"')


class Answer(Result):
    """The answer to a query. Nothing is computed before it is asked for; every access computes it anew.

    `arrow()`, `pl()` and `df()` have it as a whole; `reader()` gives the rows some at a time, for more than fits into memory."""

    _lake: Lake

    @checked
    def reader(self, rows: int = _ROWS_AT_ONCE) -> pa.RecordBatchReader:
        """The rows, about so many at a time, for answers that do not fit into memory."""
        if rows < 1:
            raise UsageError(f"rows is {rows}", "at least 1")
        return super().reader(rows)

    def pl(self) -> pl.DataFrame:
        """A polars data frame."""
        return super().pl()

    def df(self) -> pd.DataFrame:
        """A pandas data frame. Raises UsageError where pandas is not installed."""
        require_pandas()
        return super().df()

    def _repr_html_(self) -> str:
        """The first rows as an HTML table, for notebooks."""
        return html_table(described_answer(self._lake, self._text, self.written("table", _ROWS_SHOWN + 1)), _ROWS_SHOWN)


def require_pandas() -> None:
    """Raise UsageError where pandas is not installed: Ironlake itself does without it."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        hint = "pip install pandas; pl() and arrow() have the same rows without it"
        raise UsageError("df() needs pandas, which is not installed", "the package pandas", hint) from None
