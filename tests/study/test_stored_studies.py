"""`ironlake study list | remove`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Command, command_line
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.show_history import history_of
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.study_file import parse_studies
from sample_pages import SAMPLES

STUDY = """\
study: {name}
interval: all
requests: {{service_class: CICSTX}}
subsystems: {{CICS: {{service_class: CICSRGN}}, DB2: {{service_class: DB2SRV}}}}
configurations:
  before: {{steps: [{{window: 2021-04-13T10:00/11:00, sysplex: PLEXD}}]}}
  after: {{steps: [{{window: 2021-04-14T10:00/11:00, sysplex: PLEXD}}]}}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command_line(monkeypatch, capsys)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    lake = tmp_path / "lake"
    ingest([str(SAMPLES / "demo")], lake, Options())
    for name in ("B|content=C", "A"):
        add_studies(lake, parse_studies(STUDY.format(name=json.dumps(name)), f"{name[0]}.yaml"))
    return lake


def listed(run: Command, lake: Path) -> list[tuple[str, int, int, str]]:
    rows = json.loads(run("study", "list", "--lake", lake, "--format", "json")[1])
    assert all(row["added_at"] for row in rows)
    return [(r["study"], r["configurations"], r["runs"], r["source_file"]) for r in rows]


def test_studies_are_listed_and_removed_by_name(run: Command, lake: Path) -> None:
    """A report of the same lake stays as it was."""
    reports = [e for e in Ledger(lake).state().sources.values() if e.form != "study"]
    both = [("A", 2, 2, "A.yaml"), ("B|content=C", 2, 2, "B.yaml")]
    assert listed(run, lake) == both
    code, out, _ = run("study", "remove", "B|content=C", "--lake", lake)
    step = Ledger(lake).state().step
    assert (code, out) == (0, f"removed in step {step} of the ledger: B|content=C\n")
    assert listed(run, lake) == both[:1]
    assert run("study", "show", "B|content=C", "--lake", lake)[0] == 2
    assert history_of(lake, 1).to_pylist()[0]["action"] == "removed"
    assert [e for e in Ledger(lake).state().sources.values() if e.form != "study"] == reports
    run("undo", "--lake", lake)
    assert listed(run, lake) == both
    # A name of no study removes none.
    code, _, err = run("study", "remove", "A", "B", "--lake", lake)
    assert code == 2
    assert "no study in the lake is called B" in err
    assert "near names: B|content=C" in err or "study list" in err
    assert len(listed(run, lake)) == 2
