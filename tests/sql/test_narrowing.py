"""Views of studies read what lies near the windows of studies, and answer as if they read all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql import prune
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.names import names_in
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.prune import of_the_same_sources, prune_to_windows
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.study.lake import StudiedLake, add_studies
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import SAMPLES

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


def to_nine_digits(value: Any) -> Any:
    """A value without the digits of sums that hang on the order in which threads add them up."""
    if isinstance(value, dict):
        return {name: to_nine_digits(held) for name, held in value.items()}
    return f"{value:.9g}" if isinstance(value, float) else value


def answer(lake: OpenLake, view: str) -> list[dict[str, Any]]:
    return to_rows(lake.sql(f"FROM {view} ORDER BY ALL").arrow())


def to_rows(found: pa.Table) -> list[dict[str, Any]]:
    return [to_nine_digits(row) for row in found.to_pylist()]


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
    """The studies are of three days, and of an hour or two of each."""
    whole = as_dataset(large, "rmf_workload_activity")
    near = prune_to_windows(whole, WINDOWS)
    assert isinstance(near, pa.Table)
    times = set(zip(near["interval_start"].to_pylist(), near["interval_end"].to_pylist(), strict=True))
    assert {start.date() for start, _ in times} == {start.date() for start, _ in WINDOWS}
    assert all(any(start < until and end > since for since, until in WINDOWS) for start, end in times)
    assert len(near) < whole.count_rows()


WINDOWS = [
    (dt.datetime(2020, 3, 17, 10, 20), dt.datetime(2020, 3, 17, 13, 50)),
    (dt.datetime(2020, 3, 18, 10, 20), dt.datetime(2020, 3, 18, 13, 50)),
    (dt.datetime(1996, 5, 29, 9, 20), dt.datetime(1996, 5, 29, 13, 10)),
]


def as_dataset(lake: OpenLake, table: str) -> pads.Dataset:
    rows = lake.dataset(tables()[table])
    assert isinstance(rows, pads.Dataset)
    return rows


ASKED = (
    "SELECT * FROM class_interval WHERE interval_start BETWEEN '2020-03-17' AND '2020-03-19' ORDER BY ALL",
    "SELECT * FROM cpu_by_class WHERE interval_start BETWEEN '2020-03-17' AND '2020-03-19' ORDER BY ALL",
    "SELECT * EXCLUDE (refs) FROM finding WHERE study IS NOT NULL ORDER BY ALL",
)


@pytest.mark.parametrize("asked", [ASKED[:1], pytest.param(ASKED[1:], marks=pytest.mark.slow)])
def test_what_a_page_asks_of_the_days_of_its_windows_is_as_of_all(
    large: OpenLake, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
):
    """In memory, and by row groups."""
    studies = parse_studies(STUDIES.partition("---")[0], "study.yaml")
    with StudiedLake(large, studies) as studied:
        of_all = [to_rows(studied.sql(text).arrow()) for text in asked]
        assert studied.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(14,)]
        # Five pages each of two days; those of 1996 are in other row groups only in a lake that is compacted by day.
        for most, rows in ((10**9, 10), (0, 14)):
            monkeypatch.setattr(prune, "_MOST_IN_MEMORY", most)
            with studied.near_windows() as near:
                assert [to_rows(near.sql(text).arrow()) for text in asked] == of_all
                assert near.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(rows,)]
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
    connection = duckdb.connect()
    named = {name: names_in(connection, view.sql, (*tables(), *views())) for name, view in views().items()}

    def below(name: str) -> set[str]:
        return {name}.union(*(below(needed) for needed in named.get(name, ())))

    assert len(of_studies) >= 20
    printed = {name for name, table in tables().items() if "interval_start" in table.schema.names}
    assert [name for name in of_studies if below(name) & printed and "study_step" not in below(name)] == []
    # Whoever selects by studies says so, but for what is found in the whole lake too.
    assert {name for name in views() if "study_step" in below(name)} - of_studies == {"finding"}


def _dataset(path: Path, **columns: list[Any]) -> pads.Dataset:
    """A table whose parts hold two rows each, source_id as the lake has it."""
    table = pa.table(columns)
    ids = table["source_id"].combine_chunks().dictionary_encode()
    table = table.set_column(table.schema.get_field_index("source_id"), "source_id", ids)
    path.mkdir()
    for number in range(0, len(table), 2):
        pq.write_table(table.slice(number, 2), path / f"{number}.parquet")
    plain = pa.schema([f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in table.schema])
    return pads.dataset(path, schema=plain)


@pytest.mark.parametrize(("most", "kind"), [(2, pa.Table), (1, pads.Dataset)])
def test_rows_that_reach_into_a_window_are_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, kind: type):
    """In memory, or, if they are too many, read anew by each query."""
    monkeypatch.setattr("ironlake.pipeline.sql.prune._MOST_IN_MEMORY", most)
    starts = [DAY + dt.timedelta(hours=h) for h in (0, 9.9, 10, 20, 11)]
    rows = _dataset(
        tmp_path / "rows",
        source_id=["a", "a", "b", "b", "c"],
        line=[1, 2, 3, 4, 5],
        interval_start=starts,
        interval_end=[start + dt.timedelta(minutes=15) for start in starts],
    )
    near = prune_to_windows(rows, [(DAY + dt.timedelta(hours=10), DAY + dt.timedelta(hours=11))])
    assert isinstance(near, kind)
    found = near if isinstance(near, pa.Table) else near.to_table()
    assert found["line"].to_pylist() == [2, 3]


def test_collections_of_hours_are_near_the_window_of_their_midpoint(tmp_path: Path):
    """CICS statistics print their end alone: those of a day, collected at midnight, have noon as midpoint."""
    rows = _dataset(
        tmp_path / "rows",
        source_id=["a", "a", "b", "b"],
        line=[1, 2, 3, 4],
        collected_at=[DAY + dt.timedelta(hours=h) for h in (9, 13, 24, 48)],
    )
    near = prune_to_windows(rows, [(DAY + dt.timedelta(hours=10), DAY + dt.timedelta(hours=14))])
    assert isinstance(near, pa.Table)
    assert near["line"].to_pylist() == [2, 3]


def test_cells_of_the_sources_of_rows(tmp_path: Path):
    cells = _dataset(tmp_path / "cells", source_id=["a", "b", "a", "c"], row_line=[1, 2, 3, 4])
    rows = pa.table({"source_id": ["a", "c"]})
    assert of_the_same_sources(cells, [rows]).to_table()["row_line"].to_pylist() == [1, 3, 4]
    assert of_the_same_sources(cells, []).to_table().num_rows == 0


def test_row_groups_without_a_source_of_the_rows_are_not_read(tmp_path: Path):
    # A part's dictionary, which each of its row groups repeats, names sources of them all.
    sources = pa.array(["a", "a", "b", "b", "c", "a"]).dictionary_encode()
    path = tmp_path / "cells.parquet"
    pq.write_table(pa.table({"source_id": sources, "row_line": [1, 2, 3, 4, 5, 6]}), path, row_group_size=2)
    lines = pq.ParquetFile(path).metadata.row_group(1).column(1)
    with path.open("r+b") as file:
        file.seek(lines.data_page_offset)
        file.write(b"\xff" * 8)
    cells = pads.dataset(path, schema=pa.schema({"source_id": pa.string(), "row_line": pa.int64()}))
    with pytest.raises(OSError, match=r"thrift|page"):
        cells.to_table()
    found = of_the_same_sources(cells, [pa.table({"source_id": ["a"]})])
    assert found.to_table()["row_line"].to_pylist() == [1, 2, 6]


def test_without_windows_nothing_is_near(tmp_path: Path):
    rows = _dataset(tmp_path / "rows", source_id=["a"], line=[1], interval_start=[DAY], interval_end=[DAY])
    near = prune_to_windows(rows, [])
    assert isinstance(near, pa.Table)
    assert near.num_rows == 0
