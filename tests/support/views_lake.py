"""A lake in memory for tests of views and pages: printed rows as dictionaries, the declared schemas, the views as they are."""

import datetime as dt
from collections.abc import Iterable
from functools import cache
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pytest
from ironlake.pipeline.declaration.report import Table
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.session import Session
from sample_pages import sample, sample_tables

Row = dict[str, Any]
START = dt.datetime(2021, 4, 13, 10, 0)
approx = pytest.approx


class Answers(Protocol):
    """What answers questions of SQL: a lake, or what a test has of a lake that it shares (one_lake.py)."""

    def sql(self, text: str) -> duckdb.DuckDBPyRelation: ...

    def rows(self, text: str) -> list[Row]: ...


class MemoryLake:
    """Answers `sql` over the declared tables, empty unless rows are given, and all views."""

    memory: str | None = None
    is_in_memory = True
    kept_files = None

    def __init__(self, **rows: Iterable[Row]):
        self._tables: dict[str, pa.Table] = {}
        for name, table in tables().items():
            given = list(rows.get(name, ()))
            if not given:
                self._tables[name] = _empty(name)
                continue
            for row in given:
                unknown = {*row} - {*table.schema.names} - {*heading()}
                assert not unknown, f"{name} has no {unknown}"
            columns = {f.name: [row.get(f.name) for row in given] for f in table.schema}
            self._tables[name] = pa.table(columns, schema=_empty(name).schema)
        self._session = Session(self.rows_of)

    def files(self) -> list[str]:
        return []

    def identity(self, name: str) -> object:
        raise AssertionError(f"nothing is kept of {name}")

    def rows_of(self, table: Table) -> pa.Table:
        return self._tables[table.name]

    def sql(self, text: str) -> duckdb.DuckDBPyRelation:
        return self._session.relation(text)[1]

    def rows(self, text: str) -> list[Row]:
        """The answer as dictionaries."""
        return self.sql(text).to_arrow_table().to_pylist()


@cache
def _empty(table: str) -> pa.Table:
    return pa.schema([f.with_nullable(True) for f in tables()[table].schema]).empty_table()


def weeks_apart(*lakes: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """One lake of the rows of several, each a week after the one before: views are made once."""
    together: dict[str, list[Row]] = {}
    for n, tables_of_one in enumerate(lakes):
        for table, rows in tables_of_one.items():
            times = ("interval_start", "interval_end")
            later = [row | {name: row[name] + n * dt.timedelta(weeks=1) for name in times} for row in rows]
            together.setdefault(table, []).extend(later)
    return together


def heading(start: dt.datetime = START, seconds: float = 60, **other: Any) -> Row:
    """What the heading of a page gives every row of an interval; a table leaves out what it has no column for."""
    row: Row = {"sysplex": "PLEX1", "scope": "SYSA,SYSB", "release": "z/OS V2R2", "report_version": "V2R2"}
    row |= {"report_kind": "interval", "interval_start": start, "interval_end": start + dt.timedelta(seconds=seconds)}
    row |= {"interval_s": seconds, "policy_activated_at": dt.datetime(2021, 1, 1), "policy": "POLICY"}
    row |= {"source_id": "s1", "source_file": "one.txt", "page": 1, "line": 10}
    return row | other


def span(minute: float, seconds: float) -> Row:
    """The times of an interval that begins some minutes after START."""
    start = START + dt.timedelta(minutes=minute)
    return {"interval_start": start, "interval_end": start + dt.timedelta(seconds=seconds), "interval_s": seconds}


def worked_page(**other: Any) -> Row:
    """The report class whose figures are worked by hand: CP 31.66, IIP 75.53, IIPCP 6.76, AAPCP 0, AAP N/A."""
    row = heading() | {"class_kind": "report_class", "report_class": "CICS2A20", "transactions_ended": 88584}
    row |= {"transactions_per_s": 1476.42, "actual_time_s": 0.019, "total_service": 4943000, "cpu_time_s": 64.307}
    row |= {"srb_time_s": 0.007, "rct_time_s": 0.0, "iit_time_s": 0.0, "hst_time_s": 0.0, "iip_time_s": 45.320}
    row |= {"appl_cp_pct": 31.66, "appl_aapcp_pct": 0.0, "appl_iipcp_pct": 6.76, "appl_iip_pct": 75.53}
    return row | other


def sample_rows(name: str, *names: str) -> dict[str, list[Row]]:
    """The rows of the tables called `names` of the sample `name`."""
    found = sample_tables(sample(name))
    return {table: found[table].to_dicts() for table in names}


def lake_of(name: str, *names: str) -> MemoryLake:
    return MemoryLake(**sample_rows(name, *names))


def one_row(lake: Answers, text: str) -> Row:
    """The one row of an answer."""
    (row,) = lake.rows(text)
    return row


def expect(row: Row, **columns: object) -> None:
    """A row has these values in these columns."""
    __tracebackhide__ = True
    assert {name: row[name] for name in columns} == columns


def nine_digits(value: Any) -> Any:
    """A value without the digits of sums that hang on the order in which threads add them up."""
    if isinstance(value, dict):
        return {name: nine_digits(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [nine_digits(item) for item in value]
    return f"{value:.9g}" if isinstance(value, float) else value


def place(line: int = 10, source: str = "s1") -> Row:
    """Provenance of a row."""
    return {"source_id": source, "source_file": f"{source}.txt", "page": 1, "line": line}
