"""The first study file: what it is made of, that it selects what it names, and the coverage that it begins with."""

from __future__ import annotations

import datetime as dt
import doctest
from pathlib import Path

import pytest
from command_line import Command, command_line
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.study import init as study_init
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import sample
from views_lake import MemoryLake, Row, heading, place, worked_page


@pytest.fixture
def run(demo_lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("IRONLAKE_LAKE", str(demo_lake))
    return command_line(monkeypatch, capsys)


def test_the_first_study_is_good_and_selects_what_it_names(run: Command, tmp_path: Path):
    file = tmp_path / "first.yaml"
    code, out, err = run("study", "init", "--out", file)
    assert (code, err) == (0, "")
    text = file.read_text()
    (study,) = parse_studies(text, "first.yaml")
    assert [(c.name, [(s.start, s.end) for s in c.steps]) for c in study.configurations] == [
        (f"2021-04-{day}", [(dt.datetime(2021, 4, day, 10), dt.datetime(2021, 4, day, 11))]) for day in (13, 14)
    ]
    step = study.configurations[0].steps[0]
    assert (step.rule, step.sysplex, step.systems) == ("all", "PLEXD", ("PRD1", "PRD2"))
    # CICSTX ended most; region classes carry the processor time, the largest first.
    assert study.requests.of_class
    assert study.requests.of_class.name == "CICSTX"
    assert [s.name for s in study.subsystems] == ["CICSRGN", "DDFHI", "BATCH", "DB2SRV", "TSOUSER"]
    assert "# Not in it: interval reports of PLEXT, systems TST1,TST2, 2 intervals\n" in text
    # The coverage is shown, and stands in the file.
    assert "RMF Workload Activity  PLEXD    PRD1    interval  2021-04-13          4  10:00:00  11:00:00  -\n" in out
    assert "# RMF Workload Activity  PLEXD    PRD1    interval  2021-04-13          4  10:00:00  11:00:00  -\n" in text
    code, _, err = run("study", "check", file)
    assert (code, err.count("note:"), err.count("no CPU Activity")) == (0, 2, 2)
    before = file.read_text()
    assert run("study", "init", "--out", file)[0] == 2
    assert file.read_text() == before


def test_without_workload_pages_what_there_is_is_told(run: Command, tmp_path: Path):
    ingest([str(sample("cpu_without_multithreading"))], tmp_path / "lake", Options())
    code, out, err = run("study", "init", "--lake", tmp_path / "lake")
    assert (code, out) == (1, "")
    assert "the lake has no workload pages by class" in err
    assert "RMF CPU Activity" in err


def _minute(day: int, hour: int, minute: int, **other: object) -> Row:
    return {"interval_start": dt.datetime(2021, 4, day, hour, minute), "interval_s": 60.0} | other


def test_stretches_end_at_gaps_and_at_midnight():
    rows = [
        _minute(13, 23, 57), _minute(13, 23, 58), _minute(13, 23, 59), _minute(14, 0, 0), _minute(14, 0, 1),
        _minute(14, 0, 3),
    ]  # fmt: skip
    # An interval of two minutes over the first two is the same time again.
    rows.insert(1, _minute(13, 23, 57, interval_s=120.0))
    assert [(s.window, len(s.starts)) for s in study_init._stretches(rows)] == [
        ("2021-04-13T23:57/2021-04-14T00:00", 3),
        ("2021-04-14T00:00/00:02", 2),
        ("2021-04-14T00:03/00:04", 1),
    ]


def test_configurations_are_named_as_short_as_tells_them_apart():
    """Two stretches of the 13th, one of the 14th; of more than there is room for the rest stands in comments."""
    stretches = study_init._stretches([_minute(13, 10, 0), _minute(13, 10, 1), _minute(13, 11, 0), _minute(14, 10, 0)])
    lines = list(study_init._configuration_lines(stretches, stretches[:2]))[1:]
    assert lines == [
        "  2021-04-13 10:00: {steps: [{window: 2021-04-13T10:00/10:02}]}   # 2 intervals",
        "  2021-04-13 11:00: {steps: [{window: 2021-04-13T11:00/11:01}]}   # 1 interval",
        "  # 2021-04-14T10:00/10:01, 1 interval",
    ]
    assert list(study_init._configuration_lines(stretches, stretches[1:]))[1].startswith("  2021-04-13: {steps")


def test_the_examples_in_the_code_hold():
    found = doctest.testmod(study_init)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_coverage_marks_gaps():
    """Ten o'clock, then 10:01, nothing till 10:05, then 10:05 of two minutes that holds 10:06 too; on another day 10:00 alone."""

    def at(day: int, minute: int, seconds: float = 60, line: int = 1, **other: object) -> Row:
        return worked_page(**heading(dt.datetime(2021, 4, day, 10, minute), seconds, line=line), **other)

    pages = [
        at(13, 0), at(13, 0, line=40, report_class="OTHER"), at(13, 1, 59.998), at(13, 5, 120), at(13, 6), at(14, 0),
    ]  # fmt: skip
    collection = place(5, "cics") | {"applid": "CICSA", "collection": "interval", "interval_s": 60}
    collection |= {"collected_at": dt.datetime(2021, 4, 13, 10, 1)}
    lake = MemoryLake(rmf_workload_activity=pages, cics_db2_connection=[collection])
    rows = lake.rows("FROM report_coverage ORDER BY report, system, day")
    assert [
        (r["report"], r["system"], r["day"].day, r["intervals"], r["gaps"], r["gap_s"], r["covered_s"]) for r in rows
    ] == [
        ("CICS statistics", "CICSA", 13, 1, 0, 0, 60),
        *(
            row
            for system in ("SYSA", "SYSB")
            for row in (
                ("RMF Workload Activity", system, 13, 4, 1, pytest.approx(180.002), pytest.approx(239.998)),
                ("RMF Workload Activity", system, 14, 1, 0, 0, 60),
            )
        ),
    ]
    assert rows[1]["refs"] == [{"source_id": "s1", "page": 1, "line": 1}]
