"""A lake that is open for reading, and its answers as Arrow, Polars, pandas and HTML."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from ironlake.arguments import checked
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.output.html import html_table
from ironlake.pipeline.output.values import values
from ironlake.pipeline.sql.answer import Result
from ironlake.pipeline.sql.describe import described_answer, overview
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.query_errors import unknown_name
from ironlake.pipeline.storage.address import place_of
from ironlake.pipeline.words import counted

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

# Where a lake is: its folder, None for the default, or an open one.
LakePath = str | os.PathLike[str] | None
_ROWS_SHOWN = 50
_MOST_ROWS_DRAWN = 100_000
_NARROWEST, _WIDEST = 300, 4000
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
    """A lake open for reading. `sql` answers a query, `table` has all rows of a table or view; `tables` and `views` list their names, `rows` counts
    the rows of a table, `schema` has the columns of either with unit and description, `path` is the folder."""

    @checked
    def sql(self, text: str, parameters: Mapping[str, object] | None = None) -> Answer:
        """Answer one SELECT statement; `parameters` are the values of `$name` in it. As with `ironlake sql`, the query reads the tables and
        views of the lake and nothing else, and cannot write.

        Raises UsageError with DuckDB's message where it cannot be answered."""
        return Answer(self, *self.relation(text, parameters), text)

    @checked
    def table(self, name: str) -> Answer:
        """All rows of a table or view, with its columns, as `ironlake describe` has them. Raises UsageError for a name that is neither."""
        if name not in (*self.tables, *self.views):
            raise unknown_name(name)
        return self.sql(f'SELECT * FROM "{name}"')

    def __dir__(self) -> list[str]:
        return ["close", "path", "rows", "schema", "sql", "table", "tables", "views"]

    def __repr__(self) -> str:
        """What is in it: files, rows, and the first and last day of its intervals, local as printed."""
        parts = self.state.parts.values()
        times = [t[:10] for p in parts for t in (p.first_time, p.last_time) if t]
        days = f", {min(times)} to {max(times)}" if times else ""
        rows = counted(sum(p.rows for p in parts), "row")
        return f"<Lake {str(self.path)!r}: {counted(len(self.state.sources), 'file')}, {rows}{days}>"

    def _repr_html_(self) -> str:
        """The same, and its tables that have rows: name, rows and what one row is, for notebooks."""
        there = [row for row in overview(self).to_pylist() if row["rows"]]
        names = ("name", "rows", "grain")
        table = pa.table({name: [row[name] for row in there] for name in names}) if there else None
        listed = html_table(table.to_reader(), len(there)) if table else ""
        return f"<p>{escape(repr(self)[1:-1])}; {counted(len(self.views), 'view')}</p>{listed}"


@dataclass(frozen=True)
class Plot:
    """A chart of an answer. svg: the picture, which a notebook shows; title: what it shows, of which columns."""

    svg: str
    title: str

    def _repr_svg_(self) -> str:
        return self.svg

    @checked
    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the picture as an SVG file, in place of an older one. Raises IronlakeError if it cannot be written."""
        try:
            Path(file).write_text(self.svg, "utf-8")
        except OSError as error:
            what = f"{os.fspath(file)} cannot be written: {error.strerror}"
            raise IronlakeError(what, "a file in a folder that can be written") from None


class Answer(Result):
    """The answer to a query. Each access computes it again; nothing is computed before.

    `arrow()`, `pl()` and `df()` have it as a whole, a row for each row of the answer and its `columns` under their names; `reader()` gives the rows
    some at a time, for more than fits into memory, `fetchall()` as tuples, and `plot()` draws them. `relation` is DuckDB's own object.
    Values have the units that `ironlake describe` says. Each raises UsageError where the query fails, or its lake is closed."""

    _lake: Lake

    @checked
    def reader(self, rows: int = _ROWS_AT_ONCE) -> pa.RecordBatchReader:
        """The rows, about that many at a time, for answers that do not fit into memory."""
        if rows < 1:
            raise UsageError(f"rows is {rows}", "at least 1")
        return super().reader(rows)

    def pl(self) -> pl.DataFrame:
        """A polars data frame. Raises UsageError for a type that Polars does not have."""
        return super().pl()

    @checked
    def plot(self, *, width: int = 900) -> Plot:
        """A chart as on the pages of Ironlake, that many pixels wide: of the first time, with a line for each name or number; without a time, bars by
        the texts of the rows. Numbers of other units than the first are left out.

        Raises UsageError for an answer that cannot be drawn so, and for one of more than 100,000 rows."""
        from ironlake.dashboards.charts.answer_chart import answer_chart
        from ironlake.dashboards.charts.svg import svg

        if not _NARROWEST <= width <= _WIDEST:
            raise UsageError(f"width is {width}", f"{_NARROWEST} to {_WIDEST} pixels")
        answer = described_answer(self._lake, self._text, self.written("json"))
        rows: list[tuple[object, ...]] = []
        for batch in answer:
            rows += zip(*values(batch), strict=True)
            if len(rows) > _MOST_ROWS_DRAWN:
                hint = "sum up in the query (GROUP BY), or choose some (WHERE)"
                raise UsageError(f"more than {_MOST_ROWS_DRAWN:,} rows cannot be drawn", "fewer rows", hint)
        if not (chart := answer_chart(answer.schema, rows)):
            hint = "for example SELECT interval_start, service_class, cpu_pct FROM cpu_by_class"
            raise UsageError(
                "the answer cannot be drawn", "two rows at least, with a number, and a time or a text", hint
            )
        return Plot(str(svg(chart, width, is_alone=True)), chart.title)

    def __dir__(self) -> list[str]:
        return ["arrow", "columns", "df", "fetchall", "pl", "plot", "reader", "relation"]

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
