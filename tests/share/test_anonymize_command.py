"""`ironlake anonymize` on files of any encoding and container."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import command_line
from ironlake.models.contents.common import Intervals, SystemReport
from ironlake.models.contents.workload import (
    PolicySystem,
    ReportClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
)
from ironlake.models.fill_processors import processor, processors
from ironlake.models.printers.machine import print_cpu
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.printing.pages import Paper
from ironlake.pipeline.reading.engine import read_text

_INTERVALS = Intervals(np.array(["2024-03-01T10:00:00", "2024-03-01T10:15:00"], "datetime64[s]"), 900)
_POLICY = ServicePolicy("PAYPOL", np.datetime64("2024-02-01T08:00:00"), (PolicySystem("PAYS1", 91954.0),))


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A sysplex's workload report in records of EBCDIC, and a CPU report of its system in ASCII."""
    folder = tmp_path / "PAYPLEX"
    folder.mkdir()
    work = Work(mpl=2, ended=np.array([88584, 90000]), cpu_s=64.307, cpu=5_000_000)
    workload = WorkloadActivity("PAYPLEX", "V2R2", _INTERVALS, _POLICY, (), (ReportClass("PAYCICS", work),))
    (folder / "PAYPLEX.wlm").write_bytes(print_workload(workload, Paper(asa=True, ebcdic=True)))
    rows = processors([processor(0, "CP", 0.7124)])
    of_system = SystemReport("rmf_cpu_activity", "PAYS1", "V2R5", _INTERVALS, rows)
    (folder / "PAYS1.cpu").write_bytes(print_cpu(of_system))
    return folder


def numbers(tables: dict[str, pl.DataFrame]) -> dict[str, list[dict[str, object]]]:
    """The numbers, dates and places of all tables."""
    return {name: frame.select(pl.exclude(pl.String)).to_dicts() for name, frame in tables.items()}


def test_anonymized_files_have_other_names_and_the_same_numbers(
    reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "to_share"
    code, told, warned = command_line(monkeypatch, capsys)("anonymize", reports, "--out", out)
    assert code == 0
    assert "PAYPLEX.wlm: " in told
    assert "before you send them" in warned
    first, second = sorted(out.iterdir())
    assert [p.name for p in (first, second)] == ["report_001.txt", "report_002.txt"]
    for path, original in ((first, "PAYPLEX.wlm"), (second, "PAYS1.cpu")):
        assert "PAY" not in path.read_text()
        assert numbers(read_text(path.read_bytes())) == numbers(read_text((reports / original).read_bytes()))
    assert first.read_text().startswith("1")
    system = read_text(second.read_bytes())["rmf_cpu_activity"]["system"][0]
    assert read_text(first.read_bytes())["rmf_service_policy_system"]["system"].to_list() == [system] * 2


def test_anonymize_does_not_write_to_a_folder_with_files(
    reports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, told = command_line(monkeypatch, capsys)("anonymize", reports, "--out", reports)
    assert code == 2
    assert "is not empty; expected a new or an empty folder" in told


def test_a_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)) * 4000)
    code, _, told = command_line(monkeypatch, capsys)("anonymize", tmp_path / "a.bin", "--out", tmp_path / "out")
    assert code == 1
    assert "a.bin: " in told
