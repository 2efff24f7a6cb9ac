"""The violations that `ironlake check` finds, kept outside of memory, and read in order some at a time.

A broken lake has more violations than rows. They are kept in a DuckDB database of their own, which spills to disk what is more than `_MEMORY`:
per violation a number for the rule and its words, a number for the source, the place and the values.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.bookkeeping import QUALITY_RESULT
from ..sql.answer import interruptible
from ..sql.connection import connect
from ..sql.query_errors import explained_query
from ..sql.schema import plain_schema
from ..temporary_folders import spill_folder
from .check_batch import one_per_page

_MEMORY = "256MB"
_ROWS_AT_ONCE = 65_536
_SAID = ("table", "rule", "column", "severity", "what", "basis")
_SOURCE = ("source_id", "source_file")
_TABLE = """
    CREATE TABLE violation (
        said INTEGER, source INTEGER, page BIGINT, line BIGINT, found DOUBLE, expected DOUBLE, tolerance DOUBLE, rows BIGINT,
        what VARCHAR, number BIGINT, is_of_page BOOLEAN
    )
"""
_IN_ORDER = """
    SELECT violation.*, of_rule, of_file
    FROM violation JOIN said_order USING (said) JOIN source_order USING (source)
    ORDER BY of_rule, of_file, page NULLS LAST, line NULLS LAST, of_column, number
"""
_PAGES = """
    SELECT severity, count(*)
    FROM (SELECT DISTINCT severity, source, page FROM violation JOIN severities USING (said)) GROUP BY severity
"""
_T = TypeVar("_T")
_Names = tuple[str | None, ...]


class Violations:
    """Rows of quality_result by table, rule, file, page, line and column; equal ones in the order in which they were added."""

    def __init__(self, memory: str = _MEMORY) -> None:
        spill = spill_folder()
        self._connection = connect(temp_directory=str(spill.path), memory_limit=memory)
        weakref.finalize(self, _forget, self._connection, spill.remove)
        self._connection.execute(_TABLE)
        self._said: dict[_Names, int] = {}
        self._sources: dict[_Names, int] = {}
        self._waiting: list[pl.DataFrame] = []
        self._number = 0

    def add_rows(self, rows: pl.DataFrame) -> None:
        """Add rows that break a check, as `Check.violations` gives them: those of a page become one."""
        self._add(one_per_page([rows]).with_columns(pl.lit(None, pl.String).alias("own_what")), is_of_page=True)

    def add(self, results: pa.RecordBatch) -> None:
        """Add rows of quality_result that stay as they are. What they say may differ from row to row."""
        frame = pl.from_arrow(results)
        assert isinstance(frame, pl.DataFrame)
        none = pl.lit(None, pl.String).alias("what")
        self._add(frame.with_columns(pl.col("what").alias("own_what"), none), is_of_page=False)

    def _add(self, frame: pl.DataFrame, *, is_of_page: bool) -> None:
        numbers = pl.int_range(self._number, self._number + len(frame), dtype=pl.Int64)
        self._number += len(frame)
        self._waiting.append(
            frame.select(
                _numbered(frame, _SAID, self._said).alias("said"),
                _numbered(frame, _SOURCE, self._sources).alias("source"),
                *("page", "line", "found", "expected", "tolerance", pl.col("rows").cast(pl.Int64)),
                pl.col("own_what").alias("what"),
                numbers.alias("number"),
                pl.lit(is_of_page).alias("is_of_page"),
            )
        )
        if sum(map(len, self._waiting)) >= _ROWS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            rows = pl.concat(self._waiting).to_arrow()
            self._waiting = []
            self._run(lambda: self._connection.execute("INSERT INTO violation SELECT * FROM rows"), rows=rows)

    def _run(self, work: Callable[[], _T], **tables: pa.Table) -> _T:
        for name, rows in tables.items():
            self._connection.register(name, rows)
        with explained_query():
            return interruptible(work, self._connection)

    @property
    def is_empty(self) -> bool:
        return not self._number

    @property
    def has_errors(self) -> bool:
        return any(names[_SAID.index("severity")] == "error" for names in self._said)

    def pages(self, rules: Collection[str]) -> dict[str, int]:
        """How many pages break any of these rules, by severity."""
        self._write()
        of_rules = {said: names for names, said in self._said.items() if names[_SAID.index("rule")] in rules}
        severities = pa.table(
            {
                "said": pa.array(list(of_rules), pa.int32()),
                "severity": pa.array([names[_SAID.index("severity")] for names in of_rules.values()], pa.string()),
            }
        )
        return dict(self._run(lambda: self._connection.sql(_PAGES).fetchall(), severities=severities))

    def to_reader(self) -> pa.RecordBatchReader:
        """The rows in order, some at a time; once they are read, nothing more can be added."""
        schema = plain_schema(QUALITY_RESULT)
        self._write()
        orders = {
            "said_order": pa.table(
                {"said": pa.array(self._said.values(), pa.int32())}
                | {
                    name: _places([tuple(names[_SAID.index(c)] for c in columns) for names in self._said])
                    for name, columns in (("of_rule", ("table", "rule")), ("of_column", ("column",)))
                }
            ),
            "source_order": pa.table(
                {
                    "source": pa.array(self._sources.values(), pa.int32()),
                    "of_file": _places([names[1:] for names in self._sources]),
                }
            ),
        }
        found = self._run(lambda: self._connection.sql(_IN_ORDER).to_arrow_reader(_ROWS_AT_ONCE), **orders)
        said, sources = _columns(_SAID, self._said), _columns(_SOURCE, self._sources)

        def batches() -> Iterator[pa.RecordBatch]:
            for rows in _whole_pages(iter(lambda: self._run(lambda: next(found, None)), None)):
                batch = rows.rechunk().to_arrow().combine_chunks().to_batches()[0]
                columns = {name: batch[name] for name in batch.schema.names}
                columns |= {name: names.take(batch["said"]) for name, names in said.items()}
                columns |= {name: names.take(batch["source"]) for name, names in sources.items()}
                columns["what"] = pc.call_function("coalesce", [batch["what"], columns["what"]])
                arrays = [columns[field.name].cast(field.type) for field in schema]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())


def _forget(connection: duckdb.DuckDBPyConnection, remove: Any) -> None:
    connection.close()
    remove()


def _whole_pages(batches: Iterable[pa.RecordBatch]) -> Iterator[pl.DataFrame]:
    """Sorted rows, with one row where several slices have rows of one page."""
    page, row = ("of_rule", "of_file", "page"), ("said", "source", "page", "of_rule", "of_file")
    # Rows that are none of a page stay apart.
    apart = pl.when("is_of_page").then(-1).otherwise("number").alias("apart")

    def merged(rows: pl.DataFrame) -> pl.DataFrame:
        grouped = rows.group_by(*row, apart, maintain_order=True)
        return grouped.agg(pl.col("rows").sum(), pl.exclude(*row, "rows", "apart").first())

    rows: pl.DataFrame | None = None
    for batch in batches:
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        if rows is not None:
            # This batch may begin within the last page.
            is_last = rows.select(pl.all_horizontal(pl.col(c).eq_missing(pl.col(c).last()) for c in page)).to_series()
            if not is_last.all():
                yield merged(rows.filter(~is_last))
            frame = pl.concat([rows.filter(is_last), frame])
        rows = frame
    if rows is not None:
        yield merged(rows)


def _numbered(frame: pl.DataFrame, columns: Sequence[str], known: dict[_Names, int]) -> pl.Series:
    """Per row the number of the names in some columns; names that are not known yet get the next numbers."""
    names = frame.select(columns)
    distinct = names.unique(maintain_order=True)
    numbers = [known.setdefault(row, len(known)) for row in distinct.iter_rows()]
    distinct = distinct.with_columns(pl.Series("number", numbers, pl.Int32))
    return names.join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")["number"]


def _places(names: Sequence[_Names]) -> pa.Array:
    """The place of each of these names among all in order, a missing name last."""
    order = {name: place for place, name in enumerate(sorted(set(names), key=_missing_last))}
    return pa.array([order[name] for name in names], pa.int32())


def _missing_last(names: _Names) -> list[tuple[bool, bytes]]:
    return [(name is None, (name or "").encode()) for name in names]


def _columns(columns: Sequence[str], known: Mapping[_Names, int]) -> dict[str, pa.Array]:
    return {name: pa.array([names[k] for names in known], pa.string()) for k, name in enumerate(columns)}
