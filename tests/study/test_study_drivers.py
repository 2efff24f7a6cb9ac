"""Studies: what is local and what remote by system, and JMH results that a step names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.study.lake import read_and_check
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import SAMPLES
from study_lakes import ONE_STEP, minutes, studied
from views_lake import Row, one_row

REMOTE = ONE_STEP + "remote_systems: SYSB\ninterval: all\n"
PLACES = "FROM cost_by_location ORDER BY is_total, location"


def _apart(**other: object) -> list[Row]:
    """SYSA and SYSB report apart: CICS runs on both, at SYSB with 10% of one engine and 600 transactions a minute."""
    at_b = {"appl_cp_pct": 10.0, "appl_iip_pct": 2.0, "appl_iipcp_pct": 1.0, "transactions_ended": 600}
    here = minutes(1, scope="SYSA")
    return [*here, *(row | at_b | {"scope": "SYSB", "line": row["line"] + 50} | other for row in minutes(1))]


def test_pages_of_remote_systems_are_the_remote_part():
    """CICS: 31.66 + 75.53 = 107.19% at SYSA, 10 + 2 = 12% at SYSB; (1000 + 600) requests in 60 s."""
    lake = yield studied(REMOTE, rmf_workload_activity=_apart())
    rows = lake.rows(PLACES)
    assert [(row["location"], row["is_total"]) for row in rows] == [("local", False), ("remote", False), (None, True)]
    assert [round(row["cpu_pct"], 2) for row in rows] == [107.19, 12.0, 119.19]
    assert rows[1]["cpu_ms_per_request"] == pytest.approx(120 / (1600 / 60))
    assert one_row(lake, "SELECT location FROM cost_per_request WHERE subsystem = 'CICS'") == {"location": "both"}


@pytest.mark.parametrize("scope", ["SYSA,SYSB", None])
def test_pages_of_local_and_remote_systems_together_cannot_be_told_apart(scope: str | None):
    rows = (yield studied(REMOTE, rmf_workload_activity=minutes(1, scope=scope))).rows(PLACES)
    assert [(row["location"], round(row["cpu_pct"], 2)) for row in rows] == [("both", 107.19), (None, 107.19)]


@pytest.mark.parametrize("systems", ["[SYSA, SYSC]", "SYSB"])
def test_remote_systems_are_some_of_the_systems(systems: str):
    expected = r"s\.yaml:\d+: remote_systems: SYSB; expected some of the systems .*, not all"
    with pytest.raises(UsageError, match=expected):
        parse_studies(REMOTE + f"systems: {systems}\n", "s.yaml")


TWO_DRIVERS = """\
study: J
requests: {report_class: CICS2A20}
configurations:
  T2: {steps: [{window: 2021-04-13T10:00/10:01, jmh: t2.txt}]}
  T4: {steps: [{window: 2021-04-13T10:01/10:02, jmh: t4.txt}]}
"""


def result(source: str, score: float | None, error: float, line: int = 5, **other: object) -> Row:
    named = {"benchmark": "Order.select", "parameters": json.dumps({"rows": "10"}), "mode": "avgt", "unit": "ms/op"}
    place = {"source_id": source, "source_file": f"logs/{source}.txt", "page": 1, "line": line}
    return named | place | {"count": 25, "score": score, "error": error, "run_time_s": 60.0} | other


def test_results_stand_beside_the_step_that_names_their_file():
    rows = [result("t2", 0.8, 0.02, run_time_s=61.0), result("t4", 1.0, 0.02, run_time_s=141.0), result("t9", 5.0, 1.0)]
    lake = yield studied(TWO_DRIVERS, jmh_result=rows, rmf_workload_activity=minutes(2))
    shown = lake.rows("SELECT configuration, score, run_time_s, is_other_span FROM run_jmh ORDER BY 1")
    assert [tuple(row.values()) for row in shown] == [("T2", 0.8, 61.0, False), ("T4", 1.0, 141.0, True)]


@pytest.mark.parametrize("other", [{"source_id": "t2b", "source_file": "other/t2.txt"}, {"page": 2, "line": 30}])
def test_a_file_name_that_means_two_runs_means_none(other: Row):
    rows = [result("t2", 0.8, 0.02), result("t2", 0.9, 0.02) | other, result("t4", 1.0, 0.02)]
    lake = yield studied(TWO_DRIVERS, jmh_result=rows, rmf_workload_activity=minutes(2))
    assert [row["configuration"] for row in lake.rows("FROM run_jmh")] == ["T4"]


def test_a_study_whose_results_are_not_in_the_lake_is_told(tmp_path: Path):
    lake = tmp_path / "lake"
    pages = SAMPLES / "studies" / "sysplex_and_data_sharing"
    jmh = SAMPLES / "studies" / "jmh_type2_type4" / "jmh.txt"
    ingest([*map(str, pages.glob("*.txt")), str(jmh)], lake, Options(), jobs=1)
    text = next(pages.glob("*.yaml")).read_text().split("\n---")[0]
    for named, told in (("jmh.txt", None), ("none.txt", "jmh none.txt is not in the lake; expected one of")):
        step = text.replace("window:", f"jmh: {named}, window:")
        assert step != text
        (checked,) = read_and_check(lake, parse_studies(step, "s.yaml"))
        errors = [error for error in checked.errors if "jmh" in error]
        assert bool(errors) == bool(told)
        assert all(told in error for error in errors if told)
        if not told:
            assert any("JMH ran 1652 s, but processor time covers" in note for note in checked.notes)


def test_remote_systems_on_pages_of_all_are_refused(tmp_path: Path):
    pages = SAMPLES / "studies" / "sysplex_and_data_sharing"
    ingest([str(p) for p in pages.glob("*.txt")], tmp_path / "lake", Options(), jobs=1)
    text = next(pages.glob("*.yaml")).read_text().split("\n---")[1]
    (checked,) = read_and_check(
        tmp_path / "lake", parse_studies(text.replace("systems:", "remote_systems: SYS2\nsystems:"), "s.yaml")
    )
    told = [error for error in checked.errors if "cannot be told apart" in error]
    assert len(told) == 2
    assert "the pages are of systems SYS1,SYS2 together; remote SYS2 cannot be told apart" in told[0]
