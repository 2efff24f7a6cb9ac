"""CICS monitoring figures from a CSV file that a study names."""

from __future__ import annotations

from pathlib import Path

import pytest
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.study.monitoring import read_monitoring
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.study_file import parse_studies
from views_lake import MemoryLake, expect, worked_page

STUDY = """\
study: S
requests: {report_class: CICS2A20}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05, monitoring: link.csv}]}}
"""
FIGURES = """\
transaction,tasks,response_ms,dispatch_us,suspend_ms,span_s
LNKC,100,2.0,500,1.5,300
LNKL,300,4.0,1700,,300
"""


def test_response_time_is_split_and_weighted_by_tasks(tmp_path: Path):
    """100 tasks of 2 ms and 300 of 4 ms are 3.5 ms; dispatch (0.5 x 100 + 1.7 x 300) / 400 = 1.4 ms, 40% of it. One suspend time is
    not known, so none of all; the figures are of 300 s and the interval of 60."""
    (tmp_path / "link.csv").write_text(FIGURES)
    tables = study_rows(parse_studies(STUDY, str(tmp_path / "study.yaml")), "study")
    lake = MemoryLake(
        rmf_workload_activity=[worked_page()], **{name: table.to_pylist() for name, table in tables.items()}
    )
    first, second, both = lake.rows("FROM response_split ORDER BY is_total, transaction")
    assert (first["transaction"], first["dispatch_pct"], first["suspend_pct"], first["other_ms"]) == ("LNKC", 25, 75, 0)
    assert (second["dispatch_ms"], second["suspend_pct"], second["other_ms"]) == (pytest.approx(1.7), None, None)
    expect(both, is_total=True, tasks=400, response_ms=pytest.approx(3.5), dispatch_ms=pytest.approx(1.4))
    expect(both, dispatch_pct=pytest.approx(40), suspend_ms=None, cpu_ms=None, is_other_span=True)
    assert [ref["line"] for ref in both["refs"]] == [2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks,response\n1,2\n", "link.csv:1: unknown column 'response'; expected transaction, tasks, span_s, and"),
        ("tasks,cpu_ms\n1,2\n", "link.csv:1: no column for response"),
        ("tasks,response_ms,response_s\n1,2,3\n", "link.csv:1: duplicate column"),
        ("tasks,response_ms\n1,2\n3\n", "link.csv:3: 1 cells; expected 2, as the first line has"),
        (
            "tasks,response_ms\n1,2\n1,2\n",
            "link.csv:3: no transaction is duplicated; expected one line per transaction",
        ),
        ("tasks,response_ms\n1,12K\n", "link.csv:2: response_ms: '12K'; expected a number"),
        ("", "link.csv:1: no column for tasks"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, text: str, message: str):
    (tmp_path / "link.csv").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_monitoring(tmp_path / "link.csv")
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(UsageError, match=r"link\.csv: No such file"):
        study_rows(parse_studies(STUDY, str(tmp_path / "study.yaml")), "study")
