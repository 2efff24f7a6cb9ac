"""Studies added to a lake, what does not fit it, and published results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Command, command_line
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.study.lake import StudiedLake, add_studies, check_studied, check_studies
from ironlake.pipeline.study.study_file import BOTH_KINDS, parse_studies, read_studies
from rmf_rows import processor
from sample_pages import SAMPLES
from study_lakes import HOURS, ONE_STEP, QUARTERS, minutes, two_systems
from views_lake import MemoryLake, Row, expect, span

STUDIES = SAMPLES / "studies"
COUPLING = STUDIES / "sysplex_and_data_sharing"


@pytest.fixture(scope="module")
def coupling_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("studies") / "lake"
    report = ingest([str(p) for p in sorted(COUPLING.glob("*.txt"))], lake, Options())
    assert report.exit_code(strict=True) == 0
    assert len(report.files) == 4
    return lake


@pytest.fixture
def run(coupling_lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("IRONLAKE_LAKE", str(coupling_lake))
    return command_line(monkeypatch, capsys)


def rows_of(lake: Path, text: str) -> list[Row]:
    with open_lake(lake) as opened:
        return opened.sql(text).arrow().to_pylist()


def test_a_study_of_the_same_name_replaces_the_former(coupling_lake: Path, run, tmp_path: Path):
    file = tmp_path / "study.yaml"
    text = (
        "study: S\nrequests: {report_class: RCICS}\nconfigurations: {A: {steps: [{window: 1996-05-29T10:00/10:30}]}}\n"
    )
    file.write_text(text)
    assert run("study", "add", file)[:2] == (0, "S: added (1 configurations, 1 runs)\n")
    assert run("study", "add", file)[:2] == (0, "S: already there\n")
    file.write_text(text.replace("10:00/10:30", "11:00/11:30"))
    assert run("study", "add", file)[0] == 0
    (source,) = rows_of(coupling_lake, "FROM ingest_file WHERE form = 'study'")
    assert source["source_file"] == str(file)
    # The file of a study among the reports is no report, and does not take the study out.
    code, out, _ = run("ingest", file)
    assert (code, "is a YAML file; expected a print report" in out) == (1, True)
    assert [r["requests"] for r in rows_of(coupling_lake, "FROM run_interval WHERE study = 'S'")] == [31615]


def test_a_study_is_checked_without_being_added(coupling_lake: Path, run):
    code, out, err = run("study", "check", COUPLING / "studies.yaml", "--format", "json")
    assert (code, err) == (0, "")
    found = {r["configuration"]: r for r in json.loads(out)}
    assert list(found) == ["B4", "B3", "B2", "B1"]
    assert [found["B3"][k] for k in ("intervals", "scope", "requests", "engines_cp", "busy_systems")] == [
        1, "SYS1,SYS2", 15234, 10, "SYS1,SYS2",
    ]  # fmt: skip
    names = {r["study"] for r in rows_of(coupling_lake, "FROM study_step")}
    assert "Sysplex overhead (table 5)" not in names


ONE_RUN = """\
study: S
requests: {report_class: RCICS}
configurations:
  A: {steps: [{window: 1996-05-29T10:00/10:30}]}
"""
# What in place of what in that file, and what is said of it.
UNFIT = [
    ("10:00/10:30", "08:00/08:30", [":4: A: the window 1996-05-29T08:00:00/1996-05-29T08:30:00 has no data; expected",
        "CPU Activity SYS1: 1996-05-29T10:00:00 to 1996-05-29T14:30:00, 4 interval report(s) of up to 1800 s",
        "Workload Activity PLEXTEST: 1996-05-29T10:00:00 to 1996-05-29T13:30:00, 3 interval report(s)"]),
    ("10:00/10:30", "10:00/11:30", [":4: A: the window has 2 intervals, and no rule selects some; expected interval: "
        "last, all or a list of starts", "  1996-05-29T11:00:00 (1800 s)"]),
    ("10:00/10:30", "10:00/14:30", [":4: A: the window has sysplexes MONOTEST, PLEXTEST; expected sysplex: one of them"]),
    ("RCICS}\n", "RCISC}\n", [":2: report_class RCISC is in none of the selected intervals; expected RCICS"]),
    ("study: S", "study: S\nreport_kind: duration", [":5: A: the window has only interval reports; expected report_kind: interval"]),
    ("study: S", "study: S\nsystems: [SYS1, SYS2]\nengines: {cp: 12}",
        [":6: A: engines.cp is 12, but CPU Activity has 10.00 online; expected the printed number, or none"]),
    # CPU Activity names no sysplex, and would match whatever is asked for.
    ("study: S", "study: S\nsysplex: PLEX9", [":5: A: no page of the window names sysplex PLEX9; expected PLEXTEST"]),
    ("10:00/10:30}", "08:00/08:30, sysplex: PLEX9}", [":4: A: no page of the lake names sysplex PLEX9; expected MONOTEST, PLEXTEST"]),
    ("study: S", "study: S\nsysplex: MONOTEST", [":5: A: no page of the window names sysplex MONOTEST; expected PLEXTEST"]),
    ("study: S", "study: S\nsystems: [SYS8, SYS9]", [":5: A: no page of the window names system SYS8, SYS9; expected SYS1, SYS2"]),
    ("study: S", "study: S\nremote_systems: SYS7", [":5: A: no page of the window names system SYS7; expected SYS1, SYS2"]),
]  # fmt: skip


def test_what_does_not_fit_the_lake_is_told(coupling_lake: Path):
    texts = [ONE_RUN.replace(old, new, 1).replace("study: S", f"study: S{n}") for n, (old, new, _) in enumerate(UNFIT)]
    studies = [study for n, text in enumerate(texts) for study in parse_studies(text, f"s{n}.yaml")]
    with open_lake(coupling_lake) as lake:
        checked = check_studies(lake, studies)
    for n, ((*_, messages), one_of_them) in enumerate(zip(UNFIT, checked, strict=True)):
        told = "\n".join(one_of_them.errors)
        assert told.startswith(f"s{n}.yaml{messages[0]}")
        assert [m for m in messages if m not in told] == [], told


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("RCICS}\n", "RCISC}\n", 1, "study.yaml:2: report_class RCISC is in none of the selected intervals"),
        ("{report_class: RCICS}", "{source: workload_simulator, count: transactions}", 2, ": simulator is missing"),
    ],
)
def test_a_study_that_is_wrong_is_neither_checked_nor_added(
    run: Command, tmp_path: Path, old: str, new: str, code: int, message: str
):
    (tmp_path / "study.yaml").write_text(ONE_RUN.replace(old, new))
    for command in ("check", "add"):
        found, _, err = run("study", command, tmp_path / "study.yaml")
        assert found == code
        assert message in err


def _checked(text: str, **rows: list[Row]) -> list[tuple[list[str], list[str]]]:
    """Errors and notes of each study."""
    studies = parse_studies(text, "study.yaml")
    checked = check_studied(StudiedLake(MemoryLake(**rows), studies), studies)
    return [(one.errors, one.notes) for one in checked]


def test_busy_time_that_a_policy_change_leaves_unknown_says_so():
    """A minute under each policy, and CPU Activity of both minutes in one."""
    one, other = minutes(2, scope="SYSA")
    pages = [one, other | {"policy_activated_at": other["interval_start"]}]
    both = processor(0, 50.0, **span(0, 120))
    text = ONE_STEP.replace("requests:", "interval: all\nrequests:", 1)
    ((errors, notes),) = _checked(text, rmf_workload_activity=pages, rmf_cpu_activity=[both])
    assert errors == []
    assert [note for note in notes if "ITR" in note] == [
        "study.yaml:5: A: the service policy changed at 2021-04-13 10:01:00, within an interval of CPU Activity: no ITR"
    ]
    ((_, notes),) = _checked(text, rmf_workload_activity=pages)
    assert [note for note in notes if "ITR" in note] == [
        "study.yaml:5: A: no CPU Activity of SYSA for these intervals: no ITR"
    ]


def test_systems_of_a_page_that_names_none_are_those_of_the_study_if_one_of_them_is_known():
    pages = {"rmf_workload_activity": minutes(1, scope=None), "rmf_cpu_activity": [processor(0, 50.0)]}
    texts = f"systems: [SYS8, SYS9]\n{ONE_STEP}---\nsystems: [SYSA, SYSB]\n{ONE_STEP.replace('study: S', 'study: T')}"
    (errors, _), (none, _) = _checked(texts, **pages)
    assert none == []
    assert errors == ["study.yaml:5: A: no page of the window names system SYS8, SYS9; expected SYSA"]


def test_time_is_shown_and_gaps_are_noted_by_system():
    """SYSB lost its last quarter."""
    rows = {name: found for name, found in two_systems(QUARTERS, QUARTERS[:3]).items() if name.startswith("rmf_")}
    studies = parse_studies(HOURS, "study.yaml")
    (checked,) = check_studied(StudiedLake(MemoryLake(**rows), studies), studies)
    assert checked.selection["covered_by_system"].to_pylist() == [
        "SYSA 3600 s, SYSB 3600 s",
        "SYSA 3600 s, SYSB 2700 s",
    ]
    gap = "SYSB 2021-04-13 12:45 to 13:00"
    assert (checked.errors, checked.notes) == ([], [f"study.yaml:6: both: missing, though others have it: {gap}"])


def test_a_class_is_an_error_where_the_selected_pages_print_no_class():
    ((errors, _),) = _checked(ONE_STEP, rmf_cpu_activity=[processor(0, 50.0)])
    what = "report_class CICS2A20 is in none of the selected intervals"
    expected = "windows whose Workload Activity prints a report_class"
    assert f"study.yaml:2: {what}; expected {expected}" in errors
    assert f"study.yaml:3: {what}; expected {expected}" in errors


def test_classes_of_both_kinds_that_are_allowed_are_told():
    text = "allow_both_kinds: true\n" + ONE_STEP.replace("CICS: {", "DB2: {service_class: DB2}, CICS: {")
    service = [
        row | {"class_kind": "service_class", "report_class": None, "service_class": "DB2", "line": 99}
        for row in minutes(1)
    ]
    ((errors, notes),) = _checked(text, rmf_workload_activity=minutes(1) + service)
    assert errors == []
    assert any(BOTH_KINDS in note for note in notes)


def test_without_a_lake_the_file_is_checked(run, tmp_path: Path):
    code, out, err = run("study", "check", COUPLING / "studies.yaml", "--lake", tmp_path / "none")
    assert (code, out) == (0, "")
    assert "no lake" in err


def test_coupling_efficiency_and_itr_of_tables_5_and_6(coupling_lake: Path):
    add_studies(coupling_lake, read_studies(COUPLING / "studies.yaml"))
    with open_lake(coupling_lake) as lake:
        efficiency, itr = (
            lake.sql(f"FROM {view} WHERE busy_basis = 'cp' AND study <> 'S'").arrow().to_pylist()
            for view in ("coupling_efficiency", "itr")
        )
    printed = ("coupling_efficiency_pct", "capacity_delta_pct", "cpu_increase_pct")
    found = {row["coupled"]: [round(row[name], 2) for name in printed] for row in efficiency}
    assert (found["B3"], found["B1"]) == ([90.29, 9.71, 10.76], [89.61, 10.39, 11.60])
    assert {len(row["refs"]) for row in efficiency} == {2 + 20}
    of = {row["configuration"]: row for row in itr}
    assert (round(of["B1"]["itr_per_interval"], 2), round(of["B2"]["itr_per_interval"], 2)) == (192457.48, 214775.82)
    assert round(of["B3"]["itr_per_interval"], 3) == 74859.951
    # Of B4 82914.713 is printed beside a busy figure of 17.43; it follows from the ten processors, which sum to 174.35.
    expect(of["B4"], cpu_busy_pct=pytest.approx(17.435), itr_per_interval=pytest.approx(82913.68, abs=0.005))
    assert of["B4"]["requests"] / 0.1743 == pytest.approx(82937.46, abs=0.01)


@pytest.fixture(scope="module")
def connect_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("connect") / "lake"
    folder = STUDIES / "zos_connect"
    assert ingest([str(p) for p in sorted(folder.glob("*.txt"))], lake, Options()).exit_code(strict=True) == 0
    add_studies(lake, read_studies(folder / "studies.yaml"))
    return lake


def test_costs_and_improvements_of_zos_connect(connect_lake: Path):
    """CPU cost per transaction in ms of 3.0.36 and 3.0.37, and the improvement printed, which is a share of the new cost."""
    with open_lake(connect_lake) as lake:
        rows = lake.sql("FROM cost_change WHERE subsystem <> 'unallocated'").arrow().to_pylist()
        split = lake.sql(
            "SELECT DISTINCT ziip_pct, non_ziip_eligible_pct, response_ms FROM cost_per_request"
        ).fetchall()
    # A page that prints no zIIP gives no split.
    assert split == [(None, None, None)]
    found = {
        row["study"].split()[2]: (
            round(row["baseline_cpu_ms_per_request"], 2),
            round(row["cpu_ms_per_request"], 2),
            round(row["improvement_pct_of_new"]),
        )
        for row in rows
    }
    assert found == {
        "1K": (0.51, 0.25, 104), "5K": (0.75, 0.49, 53), "10K": (1.03, 0.73, 41), "30K": (2.08, 1.90, 9),
        "50K": (3.02, 3.02, 0),
    }  # fmt: skip
    (small,) = [row for row in rows if "1K" in row["study"]]
    assert round(small["reduction_pct_of_baseline"]) == 51
    assert len(small["refs"]) == 2


PUBLISHED_RESULTS = (
    *("90.29", "89.61", "9.71", "10.39", "10.76", "11.60", "74859", "82914", "192457", "214775"),
    *("515.4", "11.11", "20.36", "8.93", "137.45", "108.5", "65.398", "99.99", "9.33", "78226"),
)


def test_no_published_result_stands_in_a_sample():
    for path in STUDIES.rglob("*.*"):
        text = path.read_text()
        assert [n for n in PUBLISHED_RESULTS if n in text] == [], path
