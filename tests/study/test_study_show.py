"""`study list` and `study remove`, and what `study show` prints, over the reports of the demonstration: an hour of four intervals before, one after."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from command_line import Command, command_line
from ironlake.dashboards.first_screen.weaknesses import weaknesses
from ironlake.dashboards.references import Sources
from ironlake.dashboards.study_rows import measure_studies
from ironlake.pipeline import open_lake
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.show_history import history_of
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.sql.tables_inside import NearWindows
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.show import as_json, as_text, gather
from ironlake.pipeline.study.study_file import BOTH_KINDS, parse_studies
from lake_rows import add, entry

STUDY = """\
study: Before and after
interval: all
requests: {service_class: CICSTX}
subsystems: {CICS: {service_class: CICSRGN}, DB2: {service_class: DB2SRV}}
configurations:
  before: {steps: [{window: 2021-04-13T10:00/11:00, sysplex: PLEXD}]}
  after: {steps: [{window: 2021-04-14T10:00/11:00, sysplex: PLEXD}]}
"""


@pytest.fixture(scope="module")
def lake(demo_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(demo_lake, tmp_path_factory.mktemp("shown") / "lake")


@pytest.fixture
def run(lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("IRONLAKE_LAKE", str(lake))
    return command_line(monkeypatch, capsys)


@pytest.fixture(scope="module")
def found(lake: Path) -> dict[str, dict[str, pa.Table]]:
    add_studies(lake, parse_studies(STUDY, "study.yaml"))
    with open_lake(lake) as opened:
        (report_class,) = opened.sql(
            "SELECT min(report_class) FROM rmf_workload_activity WHERE NOT starts_with(class_kind, 'service')"
        ).fetchall()[0]
    both = STUDY.replace("Before and after", "Both").replace("service_class: DB2SRV", f"report_class: {report_class}")
    with pytest.raises(UsageError, match="are both charged"):
        parse_studies(both, "both.yaml")
    add_studies(lake, parse_studies(f"allow_both_kinds: true\n{both}", "both.yaml"))
    with open_lake(lake) as opened:
        return gather(opened, [])


def test_a_study_is_shown_with_all_that_is_known_of_it(found: dict[str, dict[str, pa.Table]]):
    study, _ = json.loads(as_json(found))
    assert [(r["warning"], r["baseline_value"], r["value"]) for r in study["comparison_warning"]] == [
        ("weekday", "Tuesday", "Wednesday")
    ]
    cost = {
        r["configuration"]: r
        for r in study["study_confidence"]
        if (r["measure"], r["subject"]) == ("cpu_ms_per_request", "CICS")
    }
    assert {name: (r["unit_kind"], r["units"], r["verdict"]) for name, r in cost.items()} == {
        "before": ("interval", 4, "no interval"),
        "after": ("interval", 4, "no interval"),
    }
    # Four intervals on end are too few to know how much they resemble each other.
    assert (cost["before"]["lower"], cost["before"]["upper"]) == (None, None)
    assert 0 < cost["before"]["stddev"] < cost["before"]["value"]
    assert {r["verdict"] for r in study["study_difference"] if r["measure"] == "itr_per_s"} == {"not known"}
    # The four intervals of an hour ended nearly as many: a line through them would show noise.
    assert {r["verdict"] for r in study["study_fit"]} == {"loads too alike"}
    # Period 1 of DDFHI has PERF INDX 1.1 in each of the four intervals before.
    (index,) = [r for r in study["finding"] if r["rule"] == "performance_index"]
    wanted = ("configuration", "subject", "times", "value", "page", "line")
    assert [index[name] for name in wanted] == ["before", "DDFHI period 1", 4, 1.1, 2, 69]


@pytest.mark.slow
def test_of_a_large_lake_findings_are_made_near_the_windows_of_studies(
    lake: Path, found: dict[str, dict[str, pa.Table]], monkeypatch: pytest.MonkeyPatch
):
    """Not of all its years, of which a machine may not hold the findings. Of classes of both kinds the page says what `show` says."""
    read = []
    rows_of = NearWindows.rows_of
    monkeypatch.setattr(NearWindows, "rows_of", lambda self, table: read.append(table.name) or rows_of(self, table))
    with OpenLake(lake, few_rows=0) as opened:
        assert gather(opened, []) == found
        (measured,) = measure_studies(opened, ["Both"], Sources(opened)).studies
        assert BOTH_KINDS in [w.text for w in weaknesses(measured)]
    assert {"rmf_workload_goal", "rmf_workload_activity"} <= set(read)


def test_the_parts_stand_under_their_titles(found: dict[str, dict[str, pa.Table]]):
    text = as_text({"Before and after": found["Before and after"]})
    assert re.findall(r"^.* \((\w+)\)$", text, re.MULTILINE) == [
        "study_class", "comparison_warning", "study_confidence", "study_difference", "study_fit", "finding",
    ]  # fmt: skip
    assert "before    after          weekday  Tuesday         Wednesday" in text
    assert max(len(number) for number in re.findall(r"\d+\.\d+", text)) <= 10


def test_charged_classes_of_both_kinds_are_said_below_the_name(found: dict[str, dict[str, pa.Table]]):
    shown = [as_text({name: parts}).splitlines() for name, parts in found.items()]
    assert [BOTH_KINDS in lines for lines in shown] == [False, True]
    assert (shown[1][0], shown[1][2]) == ("Both", BOTH_KINDS)


def test_a_study_that_is_not_there_is_told(run: Command, lake: Path, tmp_path: Path):
    add_studies(lake, parse_studies(STUDY, "study.yaml"))
    code, out, err = run("study", "show", "After and before")
    assert (code, out) == (2, "")
    assert "no study in the lake is called 'After and before'; expected Before and after, Both" in err
    with Lake(tmp_path) as empty:
        add(empty, entry("a"))
    assert run("study", "show", "--lake", tmp_path)[:2] == (0, "no studies in the lake\n")


def test_studies_are_listed_and_removed_by_name(run: Command, demo_lake: Path, tmp_path: Path) -> None:
    """A report of the same lake stays as it was."""
    lake = shutil.copytree(demo_lake, tmp_path / "lake")
    named = {name: STUDY.replace("Before and after", json.dumps(name)) for name in ("B|content=C", "A")}
    add_studies(lake, [one for name, text in named.items() for one in parse_studies(text, f"{name[0]}.yaml")])

    def listed() -> list[tuple[str, int, int, str]]:
        rows = json.loads(run("study", "list", "--lake", lake, "--format", "json")[1])
        assert all(row["added_at"] for row in rows)
        return [(r["study"], r["configurations"], r["runs"], r["source_file"]) for r in rows]

    reports = [e for e in Ledger(lake).state().sources.values() if e.form != "study"]
    both = [("A", 2, 2, "A.yaml"), ("B|content=C", 2, 2, "B.yaml")]
    assert listed() == both
    code, out, _ = run("study", "remove", "B|content=C", "--lake", lake)
    step = Ledger(lake).state().step
    assert (code, out) == (0, f"removed in step {step} of the ledger: B|content=C\n")
    assert listed() == both[:1]
    assert run("study", "show", "B|content=C", "--lake", lake)[0] == 2
    assert history_of(lake, 1).to_pylist()[0]["action"] == "removed"
    assert [e for e in Ledger(lake).state().sources.values() if e.form != "study"] == reports
    run("undo", "--lake", lake)
    assert listed() == both
    # A name of no study removes none.
    code, _, err = run("study", "remove", "A", "B", "--lake", lake)
    assert code == 2
    assert "no study in the lake is called B" in err
    assert "near names: B|content=C" in err or "study list" in err
    assert len(listed()) == 2
