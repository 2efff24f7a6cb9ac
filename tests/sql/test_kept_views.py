"""Tables of views are kept in the lake: the next question reads them, as long as all that they are made of is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.sql.kept_days import _TIMES
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import SAMPLES

# HUGEINT, lists of structs, times, and rows that are computed over studies.
FEW = ("cpu_by_class", "class_hour", "finding", "cost_change", "db2_accounting_cost")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("kept") / "lake"
    ingest([str(SAMPLES / "demo")], lake, Options())
    return lake


@pytest.fixture
def lake(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("ironlake.pipeline.sql.kept_views._LEAST_S", 0)
    return shutil.copytree(demo, tmp_path / "lake")


def answers(lake: Path, names: tuple[str, ...] = FEW) -> dict[str, tuple[object, ...]]:
    with OpenLake(lake) as opened:
        found = {name: opened.sql(f"FROM {name} ORDER BY ALL") for name in names}
        return {n: (f.relation.columns, [*map(str, f.relation.types)], f.fetchall()) for n, f in found.items()}


def kept(lake: Path) -> list[Path]:
    return sorted((lake / "_kept").glob("whole-*"))


@pytest.mark.parametrize("names", [FEW, pytest.param(tuple(views()), marks=pytest.mark.slow)])
def test_what_was_kept_is_what_was_made(lake: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    made = answers(lake, names)
    assert {path.name.split("-")[1] for path in kept(lake)} >= {*names}
    composed = []
    monkeypatch.setattr("ironlake.pipeline.sql.session.Session._composed", lambda *asked: composed.append(asked))
    assert answers(lake, names) == made
    assert composed == []


def test_other_rows_damage_and_other_studies_are_made_anew(lake: Path) -> None:
    names = ("cpu_by_class", "class_hour")
    before = answers(lake, names)
    for number, path in enumerate(kept(lake)):
        content = bytearray(path.read_bytes())
        content[-20 if number % 2 else 3] ^= 1
        path.write_bytes(content)
    assert answers(lake, names) == before
    study = (SAMPLES / "studies" / "zos_connect" / "studies.yaml").read_text("utf-8")
    ingest([str(SAMPLES / "studies" / "zos_connect")], lake, Options())
    with OpenLake(lake) as opened:
        selected = []
        for text in (study, study.replace("3.0.36", "3.0.99")):
            with StudiedLake(opened, parse_studies(text, "study.yaml")) as studied:
                selected.append(studied.sql("FROM run_selection ORDER BY ALL").fetchall())
    assert answers(lake, names)["cpu_by_class"] != before["cpu_by_class"]
    assert selected[0] != selected[1]
    # What was replaced is gone.
    left = [path.name.split("-")[1] for path in kept(lake)]
    assert len(left) == len({*left})


def test_a_part_that_is_damaged_is_named_all_the_same(lake: Path) -> None:
    answers(lake, ("cpu_by_class",))
    (part,) = Ledger(lake).state().parts_of("rmf_workload_activity")
    (lake / part.path).write_bytes((lake / part.path).read_bytes()[:-100])
    with OpenLake(lake) as opened, pytest.raises(IronlakeError, match="bytes instead of"):
        opened.sql("FROM cpu_by_class").fetchall()


def test_a_lake_that_cannot_be_written_is_answered(lake: Path) -> None:
    (lake / "_kept").write_text("no folder")
    assert answers(lake, ("class_hour",))["class_hour"][2]


@pytest.mark.slow
def test_views_over_kept_days_of_a_large_lake_are_those_of_what_was_printed(lake: Path) -> None:
    printed = answers(lake, tuple(views()))
    with OpenLake(lake, few_rows=0) as large:
        for name in [*_TIMES] * 2:
            large.sql(f"FROM {name}").fetchall()
        assert large._asked_days
        assert {"class_hour", "goal_hour", "cpu_by_class"} <= large._asked_days._rows.keys()
        found = {name: large.sql(f"FROM {name} ORDER BY ALL") for name in views()}
        assert {
            n: (f.relation.columns, [*map(str, f.relation.types)], f.fetchall()) for n, f in found.items()
        } == printed
