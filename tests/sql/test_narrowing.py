"""Views of studies read what lies near the windows of studies, and answer as if they read all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql import session
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.measured_times import INTERVAL, Window, counted_in, inside
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.part_rows import PartRows
from ironlake.pipeline.sql.tables_inside import TablesInside
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.sql.view_schema import read_by
from ironlake.pipeline.study.lake import StudiedLake, add_studies
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import SAMPLES
from views_lake import nine_digits

DAY = dt.datetime(2021, 4, 13)
# One of five hours of two days each, and one of four half hours with CPU Activity.
STUDIES = """\
study: One hour
requests: {report_class: RZCEE}
subsystems: {z/OS Connect: {report_class: RZCEE}}
configurations:
  before: {steps: [{window: 2020-03-17T12:00/12:10}]}
  after: {steps: [{window: 2020-03-18T12:00/12:10}]}
---
study: Half an hour
requests: {report_class: RCICS}
systems: [SYS1, SYS2]
configurations: {A: {steps: [{window: 1996-05-29T11:00/11:30}]}}
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    path = tmp_path_factory.mktemp("narrowing") / "lake"
    pages = [str(p) for p in sorted((SAMPLES / "studies").glob("[sz][yo]s*/*.txt"))]
    assert ingest(pages, path, Options()).exit_code(strict=True) == 0
    add_studies(path, parse_studies(STUDIES, "study.yaml"))
    with open_lake(path) as opened:
        yield opened


def answer(lake: OpenLake, view: str) -> list[dict[str, Any]]:
    return to_rows(lake.sql(f"FROM {view} ORDER BY ALL").arrow())


def to_rows(found: pa.Table) -> list[dict[str, Any]]:
    return [nine_digits(row) for row in found.to_pylist()]


@pytest.fixture(scope="module")
def large(lake: OpenLake) -> Iterator[OpenLake]:
    """The same lake, read as if it were too large for memory."""
    with OpenLake(lake.path, few_rows=0) as opened:
        yield opened


# A view of studies, which is made of many others; all others in the long form.
@pytest.mark.parametrize("names", [("cost_per_request",), pytest.param((*views(),), marks=pytest.mark.slow)])
def test_a_large_lake_answers_as_a_small_one(lake: OpenLake, large: OpenLake, names: tuple[str, ...]):
    """Views of studies are made of what lies near the windows alone, all others are not made at all but read as they are asked."""
    assert [name for name in names if not lake.is_table(name)] == []
    assert [name for name in names if answer(large, name) != answer(lake, name)] == []


def test_of_a_large_lake_only_what_is_of_studies_or_asked_often_is_made(large: OpenLake):
    made = {view for view in views() if large.is_table(view)}
    assert made >= {"run_selection", "cost_per_request", "itr", "cost_change", "print_and_xml"}
    assert made.isdisjoint({"workload_printed_once", "cpu_by_class", "interval_scope", "finding"})


def test_of_a_large_lake_what_lies_near_the_windows_is_read(large: OpenLake):
    """The studies are of three days, and of an hour or two of each. Cells that say why they are NULL are those of these pages."""
    near = TablesInside(large.rows_of, WINDOWS)
    rows, cells = (near.rows_of(tables()[name]) for name in ("rmf_workload_activity", "cell_null"))
    assert isinstance(rows, PartRows)
    assert isinstance(cells, PartRows)
    with large.database() as connection:
        times = connection.sql(f"SELECT DISTINCT interval_start, interval_end FROM ({rows.select()})").fetchall()
        [(count,)] = connection.sql(f"SELECT count(*) FROM ({rows.select()})").fetchall()
        sources = connection.sql(f"SELECT DISTINCT source_id FROM ({rows.select()})").fetchall()
        of_cells = connection.sql(f"SELECT DISTINCT source_id FROM ({cells.select()})").fetchall()
    assert {start.date() for start, _ in times} == {start.date() for start, _ in WINDOWS}
    assert all(any(start < until and end > since for since, until in WINDOWS) for start, end in times)
    assert 0 < count < large.rows("rmf_workload_activity")
    assert {*of_cells} & {*sources}


WINDOWS = [
    (dt.datetime(2020, 3, 17, 10, 20), dt.datetime(2020, 3, 17, 13, 50)),
    (dt.datetime(2020, 3, 18, 10, 20), dt.datetime(2020, 3, 18, 13, 50)),
    (dt.datetime(1996, 5, 29, 9, 20), dt.datetime(1996, 5, 29, 13, 10)),
]


ASKED = (
    "SELECT * FROM class_interval WHERE interval_start BETWEEN '2020-03-17' AND '2020-03-19' ORDER BY ALL",
    "SELECT * FROM cpu_by_class WHERE interval_start BETWEEN '2020-03-17' AND '2020-03-19' ORDER BY ALL",
    "SELECT * EXCLUDE (refs) FROM finding WHERE study IS NOT NULL ORDER BY ALL",
)


@pytest.mark.parametrize("asked", [ASKED[:1], pytest.param(ASKED[1:], marks=pytest.mark.slow)])
def test_what_a_page_asks_of_the_days_of_its_windows_is_as_of_all(
    large: OpenLake, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
):
    """As tables, and read anew by each view."""
    studies = parse_studies(STUDIES.partition("---")[0], "study.yaml")
    with StudiedLake(large, studies) as studied:
        of_all = [to_rows(studied.sql(text).arrow()) for text in asked]
        assert studied.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(14,)]
        for most in (10**9, 0):
            monkeypatch.setattr(session, "_MOST_NEAR", most)
            with studied.near_windows() as near:
                assert [to_rows(near.sql(text).arrow()) for text in asked] == of_all
                # Five pages each of two days, of three.
                assert near.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(10,)]
    assert of_all[0]


def test_a_lake_in_memory_is_not_cut(lake: OpenLake, large: OpenLake):
    studies = parse_studies(STUDIES.partition("---")[0], "study.yaml")
    for one, is_cut in ((lake, False), (large, True)):
        with StudiedLake(one, studies) as studied, studied.near_windows() as near:
            assert (near is not studied) == is_cut
            assert near.sql("SELECT count(*) FROM study_step").fetchall() == [(2,)]


def test_views_of_studies_select_by_windows():
    """A view whose rows are of studies by its header reads intervals only beside those that a study selects."""
    of_studies = {name for name, view in views().items() if view.is_of_studies}
    named = {name: read_by(name) for name in views()}

    def below(name: str) -> set[str]:
        return {name}.union(*(below(needed) for needed in named.get(name, ())))

    assert len(of_studies) >= 20
    printed = {name for name, table in tables().items() if "interval_start" in table.schema.names}
    assert [name for name in of_studies if below(name) & printed and "study_step" not in below(name)] == []
    # Whoever selects by studies says so, but for what is found in the whole lake too.
    assert {name for name in views() if "study_step" in below(name)} - of_studies == {"finding"}


def in_sql(
    columns: tuple[str, str], windows: list[Window], rows: list[tuple[int, dt.datetime | None, dt.datetime | None]]
):
    """The numbers of the rows that lie in a window."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (number INTEGER, {columns[0]} TIMESTAMP, {columns[1]} TIMESTAMP)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    return [n for (n,) in connection.sql(f"SELECT number FROM t WHERE {inside(columns, windows)}").fetchall()]


def test_rows_that_reach_into_a_window_lie_in_it():
    """Of a row with one time this one counts; one without lies in all that was before a time, and nowhere else."""
    at = [DAY + dt.timedelta(hours=h) for h in range(24)]
    rows = [(1, at[0], at[1]), (2, at[9], at[11]), (3, at[10], at[10]), (4, at[11], at[12]), (5, None, at[12]), (6, at[9], None), (7, None, None)]  # fmt: skip
    window = (at[10], at[11])
    assert in_sql(INTERVAL, [window], rows) == [2]
    assert in_sql(INTERVAL, [(None, at[10])], rows) == [1, 2, 6, 7]
    assert in_sql(INTERVAL, [(at[11], None)], rows) == [4, 5]
    assert in_sql(INTERVAL, [window, (at[8], at[9] + dt.timedelta(minutes=1))], rows) == [2, 6]
    assert in_sql(INTERVAL, [], rows) == []


def test_collections_of_hours_are_near_the_window_of_their_midpoint():
    """CICS statistics print their end alone: those of a day, collected at midnight, have noon as midpoint."""
    columns = ("collected_at", "collected_at")
    window = (DAY + dt.timedelta(hours=10), DAY + dt.timedelta(hours=14))
    assert counted_in(columns, [window]) == [(window[0], window[1] + dt.timedelta(days=1))]
    assert counted_in(INTERVAL, [window]) == [window]
