"""Limits of a comparison: what breaks them, what cannot be judged, and how a pipeline is told."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Command
from compared_runs import MINUTE, NEXT_WEEK, Comparison, class_row, comparison
from ironlake.dashboards.gates import broken, parse_gate
from ironlake.dashboards.study_rows import StudyMeasures
from ironlake.dashboards.told_classes import ClassFilter
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.study.windows import Window
from sample_pages import SAMPLES
from views_lake import START, expect

_NO_ZIIP = {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
_HOURS = {"before": [Window(START, START + MINUTE)], "after": [Window(NEXT_WEEK, NEXT_WEEK + MINUTE)]}
_CLASSES = [class_row(at, 10, cp, 1000, **_NO_ZIIP) for at, cp in ((START, 50.0), (NEXT_WEEK, 30.0))]
_BATCH = [
    class_row(at, 20, cp, 100, service_class="BATCH", **_NO_ZIIP) for at, cp in ((START, 10.0), (NEXT_WEEK, 11.0))
]
BOTH = comparison(_HOURS, rmf_workload_activity=_CLASSES + _BATCH)
APART = comparison(_HOURS, rmf_workload_activity=[*_CLASSES, *(row | {"workload": "NIGHT"} for row in _BATCH)])


@pytest.fixture(scope="module")
def studies(compared: list[Comparison]) -> Sequence[StudyMeasures]:
    """A minute of 1,000 transactions of CICS, 50 and then 30% of an engine: 30 and 18 ms each, -40%; and 100 of BATCH, 10 and 11%: 60 and 66 ms,
    +10%. All work: 60 and 41%, -31.7%."""
    return compared[BOTH].studies


@pytest.mark.parametrize(
    ("gate", "breaks"),
    [
        ("cp_ms_per_transaction > +5%", ["BATCH, after: 60 → 66 (+10.0%)"]),
        ("cp_ms_per_transaction > 10%", []),
        ("cp_ms_per_transaction >= 9.99%", ["BATCH, after: 60 → 66 (+10.0%)"]),
        ("cp_ms_per_transaction[CICS] > +5%", []),
        ("cp_ms_per_transaction[CICS] < -30%", ["CICS, after: 30 → 18 (−40.0%)"]),
        ("cp_ms_per_transaction > 20", ["BATCH, after: 60 → 66 (+10.0%)"]),
        ("cp_pct < -30%", ["all work, after: 60 → 41 (−31.7%)"]),
        ("cp_pct > 41", []),
        ("cp_pct >= 41", ["all work, after: 60 → 41 (−31.7%)"]),
        ("cp_pct[BATCH] > 0%", ["BATCH, after: 10 → 11 (+10.0%)"]),
        # Nothing before and nothing after.
        ("ziip_pct > 0%", []),
    ],
)
def test_a_limit_is_broken_where_it_holds(studies: Sequence[StudyMeasures], gate: str, breaks: list[str]) -> None:
    assert [str(b).removeprefix(f"{gate}: ") for b in broken(parse_gate(gate), studies)] == breaks


@pytest.mark.parametrize("gate", ["cp_ms_per_request > 5%", "cp_pct[NONE] > 5%", "cp_ms_per_request[CICS] > 5%"])
def test_what_is_not_known_cannot_hold(studies: Sequence[StudyMeasures], gate: str) -> None:
    with pytest.raises((IronlakeError, UsageError)) as caught:
        broken(parse_gate(gate), studies)
    assert "not known" in str(caught.value) or "no class" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cp_pct", "cannot be read"),
        ("cp_pct > ", "cannot be read"),
        ("cp_pct = 5", "cannot be read"),
        ("cp_pct > 5 and cp_pct < 7", "cannot be read"),
        ("cp_pct > nan", "cannot be read"),
        ("cost > 5%", "unknown measure cost"),
    ],
)
def test_a_limit_that_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_gate(text)


def test_of_some_classes_a_gate_names_them(compared: list[Comparison]) -> None:
    """BATCH and the workload ONLINE, which both are in: 60 and 41 once more, but not as all work. BATCH alone: 10 and 11%."""
    for asked, judged in (
        (ClassFilter(classes=("BATCH",)), "BATCH, after: 10 → 11 (+10.0%)"),
        (ClassFilter(("BATCH",), ("ONLINE",)), "BATCH, workload ONLINE, after: 60 → 41 (−31.7%)"),
    ):
        found = compared[APART].of_classes(asked).studies
        assert [str(b) for b in broken(parse_gate("cp_pct > 1"), found)] == [f"cp_pct > 1: {judged}"]


def test_a_pipeline_is_told_by_exit_code_and_json(tmp_path: Path, run: Command, demo: Path) -> None:
    """DDFHI of PLEXD uses 61.85 and 34.35% of an engine, as the sketch of the page had by hand. Named in small letters."""
    page = tmp_path / "page.html"
    hours = ("--run", "before=2021-04-13T10:00/11:00", "--run", "after=2021-04-14T10:00/11:00", "--sysplex", "plexd")
    options = ("--lake", demo, "--out", page, "--format", "json", "--class", "ddfhi", "--fail-if", "cp_pct > 300")
    code, out, err = run("compare", *hours, *options, "--fail-if", "cp_pct < -10%")
    assert code == 1
    fails = "cp_pct < -10%: DDFHI, after: 61.85 → 34.35 (−44.5%)"
    assert err == f"ironlake: {fails}\n"
    (row,) = json.loads(out)
    expect(row, compared="before → after", before=61.85, after=34.35, fails=fails)
    # The words of the page.
    text = page.read_text("utf-8")
    assert f"<h1>{row['finding']}</h1>" in text
    assert f'<p class="verdict {row["verdict"]}">Weak evidence: {row["reason"]}</p>' in text
    shown = re.findall(r'<li>(.*?) <span class="settle">(.*?)</span></li>', text)
    assert row["weaknesses"] == [" ".join(words) for words in shown]
    assert len(shown) == 3
    assert "only DDFHI" in text
    # No folder of this machine.
    assert str(tmp_path) not in text
    assert str(SAMPLES) not in text
