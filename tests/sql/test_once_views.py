"""What counts once: of every table that declares a key, printed twice, with another value, and in print and XML."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from ironlake.pipeline.declaration.once import Once
from ironlake.pipeline.declaration.report import PROVENANCE, Table, reports
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.once_views import once_view
from ironlake.pipeline.sql.part_rows import PartRows
from ironlake.pipeline.sql.schema import plain_schema
from ironlake.pipeline.sql.session import Session, empty_session
from ironlake.pipeline.sql.view_files import View, views
from ironlake.pipeline.sql.view_schema import view_unit

Row = dict[str, Any]
KEYED = [table for report in reports().values() for table in report.tables if table.key]
HEADING = {"source_form", "utc_offset_minutes", "release", "report_version", "sysplex", "scope"}
OF_TYPE = {"string": "T", "int64": 1, "double": 1.0, "bool": False, "timestamp[us]": dt.datetime(2026, 3, 2)}


def printed(table: Table, hour: int, source: str, **other: Any) -> Row:
    """A row with a value in every column, of the interval that begins at an hour."""
    row = {field.name: OF_TYPE[str(field.type)] for field in plain_schema(table)}
    row |= {name: value + dt.timedelta(hours=hour) for name, value in row.items() if isinstance(value, dt.datetime)}
    row |= {"source_id": source, "line": 10 + hour} | ({"source_form": None} if "source_form" in row else {})
    return row | other


def compared(table: Table) -> str:
    """A number of which other prints are conflicting."""
    once = table.once or Once()
    named, largest = once.compared.split(), once.most.split()
    for field in plain_schema(table):
        is_heading = field.name in {*table.key, *HEADING, *(column.name for column in PROVENANCE)}
        if (
            not is_heading
            and field.name not in largest
            and field.type in (pa.int64(), pa.float64())
            and (not named or field.name in named)
        ):
            return field.name
    raise AssertionError(table.name)


def prints(table: Table) -> list[Row]:
    """At 0 o'clock printed twice, at 1 once, at 2 with two values; at 3, if there are forms, XML with another value beside print."""
    other, form = {compared(table): 7}, {"source_form": "xml"}
    rows = [printed(table, 0, "s2"), printed(table, 0, "s1"), printed(table, 1, "s1")]
    rows += [printed(table, 2, "s2", **other), printed(table, 2, "s1")]
    if "source_form" in table.schema.names:
        rows += [printed(table, 3, "s1", **other, **form), printed(table, 3, "s2")]
    return rows


@pytest.fixture(scope="module")
def session() -> Session:
    made = {f"once_{t.name}": View(f"once_{t.name}", once_view(t, t.once or Once())) for t in KEYED}
    rows = {table.name: pa.Table.from_pylist(prints(table), schema=_open(table)) for table in KEYED}
    return Session(lambda table: rows.get(table.name, _open(table).empty_table()), {**views(), **made})


def _open(table: Table) -> pa.Schema:
    return pa.schema([field.with_nullable(True) for field in plain_schema(table)])


def test_of_every_key_there_is_one_row_with_all_its_prints(session: Session):
    for table in KEYED:
        once = table.once or Once()
        value, time = (
            compared(table),
            next(name for name in ("interval_start", "collected_at", "begin_at") if name in table.key),
        )
        found = session.relation(f"SELECT * FROM once_{table.name} ORDER BY {time}")[1].to_arrow_table().to_pylist()
        seen = [(row["is_conflicting"], [ref["source_id"] for ref in row["refs"]], row[value]) for row in found]
        expected = [(False, ["s1", "s2"], 1), (False, ["s1"], 1), (True, ["s1", "s2"], None if once.or_null else 1)]
        if "source_form" in table.schema.names:
            expected.append((False, ["s2"], 1))
        assert seen == expected, table.name
        assert [*found[0]] == [*table.schema.names, "is_conflicting", "refs"]


def test_views_have_one_column_for_each_of_the_table_as_it_is_declared():
    for name in (table.name for table in tables().values() if table.once):
        view = views()[f"once_{name}"]
        units = {column.name: column.type.unit for column in tables()[name].all_columns}
        assert {column: view_unit(view, column) for column in units} == units
        assert view.grain
        assert view.shards_by in tables()[name].schema.names


def test_of_a_table_without_parts_the_view_has_the_columns_of_its_select():
    unread = Session(lambda table: PartRows(table, (), lambda parts: [], lambda part: (None, None), is_few=True))
    planned = empty_session()
    for name in (table.name for table in tables().values() if table.once):
        columns, rows = (f"DESCRIBE once_{name}", f"FROM once_{name}")
        assert unread.relation(columns)[1].fetchall() == planned.relation(columns)[1].fetchall(), name
        assert unread.relation(rows)[1].fetchall() == [], name
    unread.close()
    planned.close()


def test_what_cpu_activity_prints_with_two_values_is_unknown(session: Session):
    (row,) = (
        session.relation("SELECT * FROM once_rmf_cpu_activity WHERE is_conflicting")[1].to_arrow_table().to_pylist()
    )
    assert (row["online_pct"], row["lpar_busy_pct"]) == (None, 1.0)
