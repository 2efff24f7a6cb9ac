"""`ironlake page`: the facts as JSON, wrong options, and the lake that is watched."""

import json
import threading
from pathlib import Path

import pytest
from command_line import command_line
from ironlake.pipeline.cli import page as page_command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.status_line import StatusLine
from sample_pages import ROOT

DEMO = ROOT / "sample_reports/demo"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    return command_line(monkeypatch, capsys)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    ingest([str(DEMO)], tmp_path / "lake", Options())
    return tmp_path / "lake"


def test_facts_are_printed_as_json(run, lake: Path):
    code, out, err = run("page", "--lake", lake, "--format", "json", "--days", "1", "--day", "2021-04-13")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["first_day"], told["last_day"], told["lake"]) == ("2021-04-13", "2021-04-13", "lake")
    assert told["command"] == f"ironlake page --lake {lake.name} --format json --days 1 --day 2021-04-13"
    goals = next(one for one in told["sections"] if one["id"] == "goals")
    assert goals["finding"] == "2 of 13 goals missed at times; worst: DDFHI on PLEXD, 1.1 on Tue 13 Apr, 10:00."


def test_a_day_without_reports_has_a_page_that_says_so(run, lake: Path):
    code, out, _ = run("page", "--lake", lake, "--format", "json", "--day", "2020-01-01")
    told = json.loads(out)
    assert code == 0
    assert told["sections"] == []
    assert told["unknown"] == ["No report of the lake is of these days: it has 2021-04-13 to 2021-04-14."]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no file to write; expected --out FILE"),
        (("--format", "json", "--out", "x.html"), "--out is for a page; expected --format json alone"),
        (("--format", "json", "--watch"), "--watch is for a page; expected --out FILE and --watch"),
    ],
)
def test_options_that_do_not_go_together(run, lake: Path, options: tuple[str, ...], said: str):
    code, out, err = run("page", "--lake", lake, *options)
    assert (code, out) == (2, "")
    assert said in err


def test_no_lake(run, tmp_path: Path):
    code, _, err = run("page", "--lake", tmp_path / "none", "--format", "json")
    assert code == 2
    assert "none" in err


class _Enough(Exception):
    pass


def test_a_watched_lake_is_shown_after_each_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_command, "_POLL_S", 0.01)
    first, second = sorted(DEMO.iterdir())[:2]
    lake = tmp_path / "lake"
    ingest([str(first)], lake, Options())
    written: list[int] = []
    later = threading.Thread(target=lambda: ingest([str(second)], lake, Options()))

    def write() -> None:
        written.append(len(list((lake / "_ledger").rglob("*"))))
        if len(written) == 1:
            later.start()
        else:
            raise _Enough

    with pytest.raises(_Enough):
        page_command.watch_lake(lake, write, StatusLine())
    later.join()
    assert len(written) == 2
