"""Ingest as it runs every night: exit codes, other files beside reports, dates, the log, quiet, waiting for the lake."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from command_line import PROGRAM, Command
from ironlake.pipeline.lake.ledger import Ledger
from lake_rows import answer_of
from sample_pages import sample

GOOD, REJECTED, OTHER = sample("velocity_goal"), sample("junk_lines"), sample("xcf_members")
DATE = re.compile(rb"\b09/20/2016\b")

STUDY = (
    b"study: Drivers\nbaseline: A\nsubsystems:\n  CICS: {report_class: [CICSA]}\nconfigurations:\n  A: {steps: []}\n"
)
PAGE = b"<!DOCTYPE html>\n<html><head><title>x</title></head><body><p>CPU 12.5</p></body></html>\n"
FIGURES = b"transaction,tasks,response_ms\nA,1,2.5\nB,2,3.5\n"
OTHERS = {
    "study.yaml": (STUDY, "a YAML file"),
    "page.html": (PAGE, "an HTML file"),
    "answer.json": (b'[\n  {"n": 1}\n]\n', "a JSON file"),
    "log.jsonl": (b'{"n": 1}\n{"n": 2}\n', "a JSON file"),
    "picture.svg": (b'<?xml version="1.0"?>\n<svg/>\n', "an XML file"),
    "figures.csv": (FIGURES, "a CSV file"),
    "notes.md": (b"# Notes\n\nNothing yet.\n", "a Markdown file"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(100), "an image"),
    "part.parquet": (b"PAR1" + bytes(100) + b"PAR1", "a Parquet file"),
    "lake.duckdb": (bytes(8) + b"DUCK" + bytes(100), "a DuckDB file"),
}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture
def ingest(run: Command, lake: Path) -> Command:
    return lambda *arguments: run("ingest", *arguments, "--lake", lake)


def status_of(out: str) -> dict[str, str]:
    return {Path(f["path"]).name: f["status"] for f in json.loads(out)["files"]}


def sources(lake: Path) -> list[str]:
    return sorted(Path(e.source_file).name for e in Ledger(lake).state().sources.values())


# --- Exit codes -------------------------------------------------------------------------------------------------------


def test_a_batch_without_a_new_file_is_told_by_its_exit_code(ingest: Command, tmp_path: Path):
    (tmp_path / "night").mkdir()
    assert ingest(tmp_path / "night")[0] == 0
    assert ingest(tmp_path / "night", "--fail-on-empty")[0] == 3
    assert ingest(GOOD, "--fail-on-empty")[0] == 0
    # Nothing new came.
    assert ingest(GOOD, "--fail-on-empty")[0] == 3
    (tmp_path / "night" / "note.txt").write_text("no report came tonight\n")
    assert ingest(tmp_path / "night", "--fail-on-empty")[0] == 3
    (tmp_path / "night" / "report.txt").write_bytes(OTHER.read_bytes())
    assert ingest(tmp_path / "night", "--fail-on-empty")[0] == 0


def test_rejects_are_told_by_the_exit_code_once(ingest: Command):
    assert ingest(REJECTED, "--fail-on-reject")[0] == 4
    # They are in the lake: the next night is not to fail for them. --strict asks of every file that is named.
    assert ingest(REJECTED, "--fail-on-reject")[0] == 0
    assert ingest(REJECTED, "--strict")[0] == 1


def test_the_gravest_decides(ingest: Command, tmp_path: Path):
    assert ingest(REJECTED, "--fail-on-reject", "--strict")[0] == 1
    assert ingest(tmp_path / "none.txt", "--fail-on-empty")[0] == 1
    assert ingest(GOOD, REJECTED, "--fail-on-reject", "--fail-on-empty")[0] == 0
    assert ingest(sample("cf_missing_heading"), tmp_path / "none.txt", "--fail-on-reject")[0] == 1


# --- Dates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at_once", "date"), [(True, "20/09/2016"), (False, "31/10/2016")], ids=["alone", "beside a good file"]
)
def test_a_file_whose_dates_cannot_be_read_is_a_failure_and_not_kept(
    ingest: Command, tmp_path: Path, lake: Path, at_once: bool, date: str
):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(DATE.sub(date.encode(), GOOD.read_bytes()))
    code, out, _ = ingest(bad, *([] if at_once else [OTHER]))
    assert code == 1
    assert f"{bad}: failed\n  no date in it can be read (--date-order mdy): not ingested\n  {bad}:3:" in out
    assert f"date {date} 08.30.00 cannot be read" in out
    assert "--date-order dmy" in out
    assert sources(lake) == [] if at_once else ["xcf_members.txt"]
    # Nothing stands in the way of reading it as it is printed.
    assert ingest(bad, "--date-order", "dmy")[0] == 0
    asked = "SELECT DISTINCT CAST(interval_start AS DATE)::VARCHAR FROM rmf_workload_activity"
    assert answer_of(lake, asked) == [("-".join(date.split("/")[::-1]),)]


def test_a_file_of_damaged_dates_is_kept_and_a_failure(ingest: Command, tmp_path: Path, lake: Path):
    """No order of month and day reads them: what else the page prints is not lost."""
    dates = [b"0?/20/2016", b"09/31/2016", b"13/32/2016", b"09/20/2?16"]
    for number, date in enumerate(dates):
        (tmp_path / f"bad{number}.txt").write_bytes(DATE.sub(date, GOOD.read_bytes()))
    code, out, _ = ingest(*(tmp_path / f"bad{number}.txt" for number in range(len(dates))))
    assert (code, out.count("note: no date in it can be read: its rows have no time")) == (1, len(dates))
    rows = answer_of(lake, "SELECT transactions_ended, interval_start FROM rmf_workload_activity")
    assert rows == [(1844, None)] * len(dates)


def test_a_file_with_one_readable_date_is_kept(ingest: Command, tmp_path: Path, lake: Path):
    both = tmp_path / "both.txt"
    both.write_bytes(DATE.sub(b"20/09/2016", GOOD.read_bytes()) + GOOD.read_bytes())
    assert ingest(both)[0] == 0
    assert sources(lake) == ["both.txt"]


# --- Other files beside reports ---------------------------------------------------------------------------------------


def test_other_files_in_a_folder_are_passed_over_with_a_word_and_not_kept(ingest: Command, tmp_path: Path, lake: Path):
    night = tmp_path / "night"
    night.mkdir()
    (night / "report.txt").write_bytes(GOOD.read_bytes())
    for name, (content, _) in OTHERS.items():
        (night / name).write_bytes(content)
    code, out, err = ingest(night, "--format", "json")
    assert (code, err) == (0, "")
    assert status_of(out) == dict.fromkeys(OTHERS, "skipped") | {"report.txt": "ingested"}
    assert sources(lake) == ["report.txt"]
    code, out, _ = ingest(night)
    assert code == 0
    for name, (_, kind) in OTHERS.items():
        assert f"{night / name}: skipped\n  is {kind}, no print report: passed over\n" in out
    assert out.endswith(f"{len(OTHERS) + 1} files: 1 already ingested, {len(OTHERS)} skipped\n")


def test_another_file_that_is_named_is_an_error(ingest: Command, tmp_path: Path, lake: Path):
    for name, (content, _) in OTHERS.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "study.yaml.gz").write_bytes(gzip.compress(STUDY))
    code, out, _ = ingest(*(tmp_path / name for name in OTHERS), tmp_path / "study.yaml.gz")
    assert (code, out.count(": failed\n")) == (1, len(OTHERS) + 1)
    for name, (_, kind) in OTHERS.items():
        assert f"{tmp_path / name}: failed\n  is {kind}; expected a print report" in out
    assert not Ledger(lake).exists() or sources(lake) == []


def test_pages_quoted_in_markdown_are_read_of_no_folder_and_those_of_a_bug_report_never(
    ingest: Command, run: Command, tmp_path: Path, lake: Path
):
    page = REJECTED.read_bytes()
    assert ingest(REJECTED)[0] == 0
    night = tmp_path / "night"
    night.mkdir()
    assert run("rejects", "--bug-report", night / "bug.txt", "--lake", lake)[0] == 0
    table = b"| page | what |\r\n|---|:---:|\r\n| 1 | junk |\r\n\r\n"
    for name, text in {
        "fenced.txt": b"~~~ text\n" + page + b"~~~\n",
        "below.md": b"Seen on Monday\n\n## The page\n\n" + page,
        "table.md": table + page,
    }.items():
        (night / name).write_bytes(text)
    code, out, _ = ingest(night, "--format", "json")
    assert (code, status_of(out)) == (0, dict.fromkeys(("bug.txt", "fenced.txt", "below.md", "table.md"), "skipped"))
    assert sources(lake) == [REJECTED.name]
    code, out, _ = ingest(night / "bug.txt")
    assert (code, f"{night / 'bug.txt'}: failed\n  is a bug report of Ironlake; expected a print report" in out) == (1, True)  # fmt: skip
    # A person who names a file means the page in it.
    assert ingest(night / "below.md")[0] == 0
    assert sources(lake) == sorted(["below.md", REJECTED.name])


def test_members_of_an_archive_are_beside_reports_too(ingest: Command, tmp_path: Path, lake: Path):
    with zipfile.ZipFile(tmp_path / "night.zip", "w") as archive:
        archive.writestr("study.yaml", STUDY)
        archive.writestr("report.txt", GOOD.read_bytes())
        archive.writestr("p.png", OTHERS["picture.png"][0])
    code, out, _ = ingest(tmp_path / "night.zip", "--format", "json")
    assert code == 0
    assert [f["status"] for f in json.loads(out)["files"]] == ["skipped", "skipped", "ingested"]
    assert sources(lake) == ["night.zip!report.txt"]


def test_a_report_of_any_name_or_within_another_kind_of_file_is_read(ingest: Command, tmp_path: Path):
    names = ["x.html", "x.json", "x.yaml", "x.csv", "x.png", "x.parquet"]
    heads = [b"<html><body><pre>\n", b"---\njob: RMFPP\n", b'{"job": "RMFPP"}\n']
    for number, name in enumerate([*names, "sent_1.txt", "sent_2.txt", "sent_3.txt"]):
        before = heads[number - len(names)] if number >= len(names) else b"\n" * number
        (tmp_path / name).write_bytes(before + GOOD.read_bytes())
    code, out, _ = ingest(tmp_path, "--format", "json")
    assert (code, {*status_of(out).values()}, len(status_of(out))) == (0, {"ingested"}, 9)


# --- Log and quiet ----------------------------------------------------------------------------------------------------


def test_the_log_has_a_line_for_each_file(ingest: Command, tmp_path: Path, lake: Path):
    log = tmp_path / "ingest.jsonl"
    ingest(GOOD, tmp_path / "none.txt", "--log", log)
    ingest(REJECTED, GOOD, "--log", log, "--quiet")
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [(line["path"], line["status"]) for line in lines] == [
        (str(tmp_path / "none.txt"), "failed"),
        (str(GOOD), "ingested"),
        (str(GOOD), "already_ingested"),
        (str(REJECTED), "ingested"),
    ]
    for line in lines:
        assert list(line) == [
            "at", "lake", "path", "source_id", "status", "pages", "lines", "rows", "unread_lines", "rejects", "suspect_pages", "error",
            "intervals_with_other_values", "replaced",
        ]  # fmt: skip
        assert line["lake"] == str(lake)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["at"])
    assert lines[1]["rows"]["rmf_workload_activity"] == 1
    assert lines[3]["rejects"] > 0
    assert "does not exist" in lines[0]["error"]


def test_a_log_line_is_one_write_behind_what_is_there(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ironlake.pipeline.ingest.log import IngestLog
    from ironlake.pipeline.ingest.summary import FileResult

    log = tmp_path / "ingest.jsonl"
    log.write_text('{"from": "another ingest"}\n')
    written: list[bytes] = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda at, content: written.append(bytes(content)) or write(at, content))
    with IngestLog(log, lake) as first, IngestLog(log, lake) as second:
        for number in range(20):
            (first if number % 2 else second).add(FileResult(f"{number}\n\udcff.txt", None, "failed", error="x" * 5000))
    assert len(written) == 20
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert len(lines) == 21
    assert [line["path"].partition("\n")[0] for line in lines[1:]] == [str(n) for n in range(20)]


def test_a_log_that_cannot_be_written_is_named_before_anything_is_read(ingest: Command, tmp_path: Path, lake: Path):
    code, _, err = ingest(GOOD, "--log", tmp_path / "none" / "ingest.jsonl")
    assert code == 1
    assert err.startswith(f"ironlake: cannot write {tmp_path / 'none' / 'ingest.jsonl'}: No such file or directory")
    assert not lake.exists()


def test_quiet_prints_only_what_failed(ingest: Command, tmp_path: Path):
    assert ingest(GOOD, REJECTED, "--quiet") == (0, "", "")
    code, out, err = ingest(OTHER, tmp_path / "none.txt", "--quiet", "--format", "json")
    assert (code, out) == (1, "")
    assert err.startswith(f"{tmp_path / 'none.txt'}: failed\n  does not exist")


# --- Waiting ----------------------------------------------------------------------------------------------------------

HOLDER = (
    "import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
)


def test_waiting_ends_and_names_who_holds_the_lake(ingest: Command, lake: Path):
    Ledger(lake).create()
    lock = lake / "_ledger" / "commit.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "\n"
        code, _, err = ingest(GOOD, "--wait", "0.2")
        holder.communicate("")
    assert code == 1
    assert err.startswith(f"ironlake: the lake {lake} is being written by process {holder.pid} (-c import fcntl, ")
    assert "; waited 0.2 s\nhint: run the same command again" in err
    assert ingest(GOOD, "--wait", "0")[0] == 0
    assert sources(lake) == ["velocity_goal.txt"]


def test_waiting_ends_as_soon_as_the_lake_is_free(lake: Path):
    Ledger(lake).create()
    with (lake / "_ledger" / "commit.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [*PROGRAM, "ingest", str(GOOD), "--lake", str(lake), "--wait", "600"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as waiting:
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(1)
            fcntl.flock(lock, fcntl.LOCK_UN)
            out, _ = waiting.communicate()
    assert waiting.returncode == 0
    assert "velocity_goal.txt: ingested" in out
