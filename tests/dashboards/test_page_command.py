"""`ironlake page`: the facts as JSON, wrong options, and the lake that is watched."""

import json
import os
import re
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from ironlake.pipeline.cli import page as page_command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.status_line import StatusLine
from sample_pages import ROOT
from views_lake import expect

DEMO = ROOT / "sample_reports/demo"


def test_facts_are_printed_as_json(run, demo: Path):
    code, out, err = run("page", "--lake", demo, "--format", "json", "--days", "1", "--day", "2021-04-13")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["first_day"], told["last_day"], told["lake"]) == ("2021-04-13", "2021-04-13", "lake")
    assert told["command"] == f"ironlake page --lake {demo.name} --format json --days 1 --day 2021-04-13"
    goals = next(one for one in told["sections"] if one["id"] == "goals")
    assert goals["finding"] == "2 of 13 goals missed at times; worst: DDFHI on PLEXD, 1.1 on Tue 13 Apr, 10:00."


def test_a_day_without_reports_has_a_page_that_says_so(run, demo: Path):
    assert run("page", "--lake", demo, "--format", "json", "--day", "yesterday")[0] == 0
    code, _, err = run("page", "--lake", demo, "--format", "json", "--day", "monday")
    assert (code, "'monday' is not a day; expected a day such as 2026-11-02" in err) == (2, True)
    code, out, _ = run("page", "--lake", demo, "--format", "json", "--day", "2020-01-01")
    told = json.loads(out)
    assert code == 0
    expect(told, sections=[], unknown=["No report of the lake is of these days: it has 2021-04-13 to 2021-04-14."])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no file to write; expected --out FILE"),
        (("--format", "json", "--out", "x.html"), "--out is for a page; expected --format json alone"),
        (("--format", "json", "--watch"), "--watch is for a page; expected --out FILE and --watch"),
        (("--format", "json", "--lake", "nothing"), "nothing"),
    ],
)
def test_options_that_do_not_go_together_and_no_lake(run, demo: Path, options: tuple[str, ...], said: str):
    code, out, err = run("page", *(() if "--lake" in options else ("--lake", demo)), *options)
    assert (code, out) == (2, "")
    assert said in err


def test_a_folder_of_reports_becomes_a_lake_and_a_page_beside_it(run, tmp_path: Path):
    folder = tmp_path / "my reports"
    folder.mkdir()
    for report in sorted(DEMO.iterdir())[:2]:
        shutil.copy(report, folder)
    code, out, err = run("page", folder)
    page = tmp_path / "my reports.html"
    assert (code, out.startswith(f"{page}: Wed 14 Apr 2021: ")) == (0, True), out
    assert err.endswith("2 files: 2 ingested\n")
    title = re.findall("<h1[^>]*>(.+?)</h1>", page.read_text("utf-8"))
    assert title == [out.splitlines()[0].partition(": ")[2]]
    # Again, and of a lake of one's own.
    assert run("page", folder)[:2] == (0, out)
    assert run("page", folder, "--lake", tmp_path / "own")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "my reports",
        "my reports.html",
        "my reports.lake",
        "own",
    ]
    code, _, err = run("page", folder, folder, "--out", page)
    assert (code, "no place for *.lake; expected --lake FOLDER" in err) == (2, True)
    (folder / "broken.gz").write_bytes(b"\x1f\x8b\x08 no archive")
    assert run("page", folder)[0] == 1


def test_a_watched_lake_is_shown_after_each_commit_whatever_comes_between(tmp_path, monkeypatch, capsys):
    """The lake is away for a while, and the disk is full for a while: each is told once and tried again, until Ctrl-C."""
    first, second, third = sorted(DEMO.iterdir())[:3]
    lake, away = tmp_path / "lake", tmp_path / "away"
    full, written = [], []
    with pytest.raises(UsageError, match="no lake in"):
        page_command.watch_lake(lake, lambda: None, StatusLine())
    ingest([str(first)], lake, Options(), jobs=1)

    def write() -> None:
        if full:
            raise OSError(28, os.strerror(28))
        written.append(len(times))

    times = [
        lambda: None,
        lambda: ingest([str(second)], lake, Options(), jobs=1),
        lambda: lake.rename(away),
        lambda: None,
        lambda: away.rename(lake),
        lambda: (full.append(1), ingest([str(third)], lake, Options(), jobs=1)),
        lambda: None,
        full.clear,
        lambda: signal.raise_signal(signal.SIGINT),
    ]
    last = len(times)
    monkeypatch.setattr(page_command, "time", SimpleNamespace(sleep=lambda _: times.pop(0)()))
    with pytest.raises(KeyboardInterrupt):
        page_command.watch_lake(lake, write, StatusLine())
    assert written == [last, last - 2, last - 8]
    told = capsys.readouterr().err.splitlines()
    assert ["no lake in" in told[0], "No space left on device" in told[1], len(told)] == [True, True, 2]
