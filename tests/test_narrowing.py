"""Views of studies read what lies near the windows of studies, and answer as if they read all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.ingest import ingest
from ironlake.pipeline.narrowing import near
from ironlake.pipeline.options import Options
from ironlake.pipeline.query import OpenLake, Session
from ironlake.pipeline.study import parse_studies
from ironlake.pipeline.study_lake import add_studies
from ironlake.pipeline.view_files import views
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


def to_twelve_digits(answer: pa.Table) -> list[dict]:
    """Rows, without the digits of sums that hang on the order in which threads add them up."""
    return [{k: f"{v:.12g}" if isinstance(v, float) else v for k, v in row.items()} for row in answer.to_pylist()]


@pytest.mark.parametrize("view", ["cost_per_request", "run_busy"])
def test_a_view_of_studies_answers_as_if_it_read_all(lake: OpenLake, view: str):
    """The pages print N/A for the zIIP, which says that there is none: cells are found again beside fewer rows."""
    reading_all = Session(lake.dataset, {name: replace(v, of_studies=False) for name, v in views().items()})
    query = f"FROM {view} ORDER BY ALL"
    try:
        everything = reading_all.relation(query)[1].to_arrow_table()
    finally:
        reading_all.close()
    found = lake.sql(query).arrow()
    assert found.num_rows == {"cost_per_request": 5, "run_busy": 6}[view]
    assert to_twelve_digits(found) == to_twelve_digits(everything)


def test_views_of_studies_select_by_windows(lake: OpenLake):
    """A view that says so in its header reads intervals only beside those that a study selects."""
    marked = [name for name, view in views().items() if view.of_studies]
    assert len(marked) >= 10
    session = Session(lake.dataset)
    try:
        connection = session.relation("SELECT 1")[0]
        lacking = [name for name in marked if "study_step" not in session._below(connection, name, {})]
    finally:
        session.close()
    assert lacking == []


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


def test_cells_stay_with_the_rows_that_they_belong_to(tmp_path: Path):
    """Rows begin on lines 10, 20, 30 of a source, the second in the window: its cells are those from line 20 to 29."""
    starts = [DAY + dt.timedelta(hours=h) for h in (0, 10, 20, 0, 10)]
    rows = _dataset(
        tmp_path / "rows",
        source_id=["a", "a", "a", "b", "c"],
        line=[10, 20, 30, 5, 15],
        interval_start=starts,
        interval_end=[start + dt.timedelta(minutes=15) for start in starts],
    )
    cells = _dataset(
        tmp_path / "cells",
        table=["t", "t", "t", "t", "u", "t", "t", "t"],
        source_id=["a", "a", "a", "a", "a", "b", "c", "c"],
        line=[12, 20, 29, 30, 22, 22, 14, 16],
    )
    window = (DAY + dt.timedelta(hours=10), DAY + dt.timedelta(hours=11))
    found = {name: part for name, part in near({"t": rows}, cells, [window]).items() if isinstance(part, pa.Table)}
    assert [(row["source_id"], row["line"]) for row in found["t"].to_pylist()] == [("a", 20), ("c", 15)]
    kept = [(row["source_id"], row["line"]) for row in found["cell_null"].to_pylist()]
    assert kept == [("a", 20), ("a", 29), ("c", 16)]


def test_without_windows_nothing_is_near(tmp_path: Path):
    rows = _dataset(tmp_path / "rows", source_id=["a"], line=[1], interval_start=[DAY], interval_end=[DAY])
    assert {name: len(part) for name, part in near({"t": rows}, None, []).items() if isinstance(part, pa.Table)} == {
        "t": 0
    }
