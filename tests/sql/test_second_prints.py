"""Pages that are printed again with another value: whatever value a view takes from them, it says that the prints differ.

Of each table that a view reads, each column in turn has another value: where that changes the answer of the view, a second print with that
value beside the first must be told, or leave the answer unknown. Each case lies some weeks behind the one before, so that all share a lake.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
from sample_pages import sample, sample_tables
from views_lake import MemoryLake, Row

# Of each view: a sample, and the tables whose second prints the view compares itself.
VIEWS = {
    "cache_interval": ("cache_bypass_and_offline", ("rmf_cache_subsystem", "rmf_cache_request", "rmf_cache_miss")),
    "cache_volume_interval": ("cache_bypass_and_offline", ("rmf_cache_device",)),
    "cf_structure_interval": ("cf_asynchronous_duplexing", ("rmf_cf_structure_activity",)),
    "channel_path_interval": ("chan_all_kinds_of_channels", ("rmf_channel_path",)),
    "cics_server_pool_use": ("servers_of_three_kinds", ("cics_server_pool",)),
    "cics_server_request": ("servers_of_three_kinds", ("cics_server_access",)),
    "cics_tcb_cpu": ("cics_region", ("cics_tcb_time",)),
    "db2entry_thread_reuse": ("cics_table_over_page_break", ("cics_db2entry_request",)),
    "io_queue_interval": ("ioq_all_parts", ("rmf_io_queue",)),
    "partition_capacity": ("partition_three_types", ("rmf_partition_data",)),
    "volume_interval": ("device_synchronous_io", ("rmf_device", "rmf_device_synchronous_io")),
}
_TIMES = ("interval_start", "collected_at")
_WEEKS = dt.timedelta(weeks=4)
_ROWS = 12
_PLACES = {column.name for column in PROVENANCE}


@dataclass(frozen=True)
class Change:
    """Another value in a column of the row `at` of a table."""

    table: str = ""
    at: int = 0
    column: str = ""
    value: Any = None


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + "X" if isinstance(value, str) else value * 1.5 + 1 if isinstance(value, float) else value + 1


@cache
def pages(view: str) -> dict[str, list[Row]]:
    """The rows of the sample of a view."""
    name, _ = VIEWS[view]
    found = sample_tables(sample(name))
    return {table: frame.head(_ROWS).to_dicts() for table, frame in found.items() if table in tables()}


def changes(view: str) -> Iterator[Change]:
    """None, and one for each column that has a value and is no part of the key, on a row of a total and on another."""
    yield Change()
    for table in VIEWS[view][1]:
        rows, declared = pages(view)[table], tables()[table]
        for column in declared.all_columns:
            if column.name in _PLACES | {"is_total", *declared.key} or column.name.endswith("_resolution"):
                continue
            for is_total in (True, False):
                of = [at for at, row in enumerate(rows) if bool(row.get("is_total")) == is_total]
                at = next((at for at in of if rows[at][column.name] is not None), None)
                if at is not None and not isinstance(value := rows[at][column.name], dt.datetime):
                    yield Change(table, at, column.name, other(value))
                    yield Change(table, at, column.name, None)


@cache
def cases() -> list[tuple[str, Change]]:
    """All cases of all views."""
    return [(view, change) for view in VIEWS for change in changes(view)]


def first_time(view: str) -> dt.datetime:
    return min(row[name] for rows in pages(view).values() for row in rows for name in _TIMES if row.get(name))


def lake(*, printed_again: bool) -> MemoryLake:
    """All cases: each with its value in place of that of the first print, or in a second."""
    together: dict[str, list[Row]] = defaultdict(list)
    for number, (view, change) in enumerate(cases()):
        for table, rows in pages(view).items():
            for at, row in enumerate(rows):
                moved = {k: v + number * _WEEKS if isinstance(v, dt.datetime) else v for k, v in row.items()}
                is_changed = (change.table, change.at) == (table, at)
                if printed_again or not is_changed:
                    together[table].append(moved | {"source_id": "first"})
                if is_changed:
                    together[table].append(moved | {change.column: change.value, "source_id": "second"})
    return MemoryLake(**together)


@pytest.fixture(scope="module")
def lakes() -> tuple[MemoryLake, MemoryLake]:
    """Where a value is another, and where it is printed beside the first."""
    return lake(printed_again=False), lake(printed_again=True)


def answers(asked: MemoryLake, view: str) -> dict[int, list[Row]]:
    """The rows of a view by case, without times and places."""
    first, found = first_time(view), defaultdict(list)
    for row in asked.rows(f"SELECT * FROM {view} ORDER BY ALL"):
        case = (next(row[name] for name in _TIMES if row.get(name)) - first + _WEEKS / 2) // _WEEKS
        if 0 <= case < len(cases()) and cases()[case][0] == view:
            found[case].append({k: v for k, v in row.items() if k != "refs" and not isinstance(v, dt.datetime)})
    return found


def is_untold(changed: list[Row], twice: list[Row], whole: list[Row]) -> bool:
    """Whether a view takes a value of which there are two, and nothing says so."""
    is_told = any(row["is_conflicting"] for row in twice) or unknowns(twice) > unknowns(whole)
    return changed != whole and not is_told


def unknowns(rows: list[Row]) -> int:
    return sum(value is None for row in rows for value in row.values())


@pytest.mark.parametrize("view", VIEWS)
def test_a_second_print_with_another_value_is_told(view: str, lakes: tuple[MemoryLake, MemoryLake]) -> None:
    changed, twice = (answers(one, view) for one in lakes)
    first, *others = (case for case, (of, _) in enumerate(cases()) if of == view)
    whole = changed[first]
    assert whole == twice[first] != []
    assert not any(row["is_conflicting"] for row in whole)
    counting = [case for case in others if changed[case] != whole]
    assert len(counting) >= 4
    assert [cases()[case][1] for case in counting if is_untold(changed[case], twice[case], whole)] == []


# --- What counts once: of every table that declares a key, printed twice, with another value, and in print and XML ----


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
        value, time = (compared(table), next(name for name in ("interval_start", "collected_at", "begin_at") if name in table.key))  # fmt: skip
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
