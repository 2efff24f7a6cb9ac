"""`ironlake rejects`: rejects by cause, the count of all lines, and an anonymised bug report."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.share.anonymize import _words
from names_on_pages import names_on
from sample_pages import sample
from views_lake import expect

PAGES = ("junk_lines", "overflowed_cell", "not_our_report", "jmh_value_out_of_column", "dd_mm_dates")
JUNK = "IEF404I PAYJOB01"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, one of them there twice with another junk line, and their lake."""
    folder = tmp_path_factory.mktemp("causes")
    (folder / "in").mkdir()
    for name in PAGES:
        shutil.copy(sample(name), folder / "in" / f"{name}.txt")
    # With a date that can be read, too: a file without any is not kept.
    with (folder / "in" / "dd_mm_dates.txt").open("a") as file:
        file.write(sample("velocity_goal").read_text())
    twice = sample("junk_lines").read_text().replace(JUNK, "XYZ999X STKJOB77")
    (folder / "in" / "once_more.txt").write_text(twice)
    from ironlake.pipeline.declaration.reading_options import Options
    from ironlake.pipeline.ingest.ingest import ingest

    ingest([str(folder / "in")], folder / "lake", Options())
    return folder


def test_rejects_are_grouped_by_cause_with_the_first_as_example(run: Command, folder: Path) -> None:
    code, out, err = run("rejects", "--lake", folder / "lake", "--format", "json")
    assert (code, err) == (0, "")
    found = {(row["report"], row["cause"]): row for row in json.loads(out)}
    junk = found["rmf_workload_activity", "rmf_workload_activity: unexpected line"]
    expect(junk, times=4, lines=4, sources=2, page=1, line=11, column=1)
    assert Path(junk["source_file"]).name == "junk_lines.txt"
    assert (junk["text"], junk["caret"]) == ("**** ++++ ****", "^")
    wrong = found["jmh", "jmh: score: '…' cannot be read"]
    expect(wrong, what="jmh: score: 'x.802' cannot be read", caret=" " * 42 + "^")
    assert wrong["text"][42:].startswith("x.802")
    stranger = found[None, "pages of an unknown report: PAGING ACTIVITY"]
    assert (stranger["times"], stranger["lines"], stranger["text"], stranger["caret"]) == (1, 12, None, None)
    assert next(iter(found.values()))["times"] == max(row["times"] for row in found.values())


def test_a_study_does_not_count_as_a_file_of_pages(run: Command, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    shutil.copy(sample("g2_every_cell_differs"), tmp_path / "good.txt")
    assert run("ingest", tmp_path / "good.txt", "--lake", lake)[0] == 0
    _, before, _ = run("rejects", "--lake", lake)
    study = "study: one\nrequests: {service_class: EVERY}\nconfigurations:\n  one: {steps: [{window: 2016-09-20T08:30/08:45}]}\n"
    (tmp_path / "study.yaml").write_text(study)
    assert run("study", "add", tmp_path / "study.yaml", "--lake", lake)[0] == 0
    assert run("rejects", "--lake", lake) == (0, before, "")


def test_rejects_shows_line_caret_hint_and_the_count_of_lines(run: Command, folder: Path) -> None:
    code, out, _ = run("rejects", "--lake", folder / "lake")
    assert code == 0
    assert "rmf_workload_activity: unexpected line (4 times, in 2 files)\n" in out
    assert re.search(r"junk_lines.txt:11:1 \(page 1\): .*\n    \*{4} \+{4} \*{4}\n    \^\n", out)
    assert "  hint: if the site prints day before month, ingest again with --date-order dmy (or mdy)\n" in out
    account = out.splitlines()[-1]
    total, claimed, unread, blank, rejected, unknown = (
        int(re.search(rf"([\d,]+) {word}", account)[1].replace(",", ""))  # type: ignore[index]
        for word in ("lines of 6 files", "claimed", "not read", "blank", "rejected", "on pages of unknown reports")
    )
    assert total == claimed + unread + blank + rejected + unknown
    assert total == sum(p.read_text().count("\n") for p in (folder / "in").iterdir())
    # The log around the table of jmh_value_out_of_column.
    assert (unread, rejected, unknown) == (10, 5, 12)
    assert "jmh: not read: log of the run (10 lines on 1 page, in 1 file)\n" in out


def test_rejects_of_an_empty_lake_and_of_one_without_rejects(run: Command, tmp_path: Path) -> None:
    (tmp_path / "lake" / "_ledger" / "steps").mkdir(parents=True)
    assert run("rejects", "--lake", tmp_path / "lake") == (0, "the lake is empty\n", "")
    shutil.copy(sample("g2_every_cell_differs"), tmp_path / "good.txt")
    assert run("ingest", tmp_path / "good.txt", "--lake", tmp_path / "lake")[0] == 0
    code, out, _ = run("rejects", "--lake", tmp_path / "lake")
    assert code == 0
    assert re.fullmatch(
        r"[\d,]+ lines of 1 file: .* claimed, 0 not read, .* blank, 0 rejected, 0 on pages .*; 0 rejects\n", out
    )


def test_pages_of_a_bug_report_have_no_names_and_fail_as_before(
    run: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of names on pages that the report leaves out, one may be drawn by chance.
    monkeypatch.setattr(secrets, "randbits", lambda bits: bits)
    code, _, err = run("rejects", "--lake", folder / "lake", "--bug-report", tmp_path / "bug.md")
    assert code == 0
    assert err == f"{tmp_path / 'bug.md'}: written; review it before you send it\n"
    report = (tmp_path / "bug.md").read_text()
    names = set().union(*(names_on(read_text(p.read_text())) for p in (folder / "in").iterdir()))
    names |= {"STKJOB77", "XYZ999X"}
    assert len(names) > 10
    assert not names & set(_words(report)), names & set(_words(report))
    assert str(folder) not in report
    page = re.search(r"## rmf_workload_activity: unexpected line\n.*?its page:\n\n```\n(.*?)\n```", report, re.DOTALL)
    assert page
    rejects = read_text(page[1] + "\n")["parse_reject"]
    assert rejects["line"].to_list() == [11, 19]
    assert "12,345" not in report
    # What is there is never written over.
    code, _, err = run("rejects", "--lake", folder / "lake", "--bug-report", tmp_path / "bug.md")
    assert (code, "already exists" in err) == (2, True)


def test_a_bug_report_without_the_source_file_has_only_the_line(run: Command, folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(folder, moved)
    (folder / "in").rename(folder / "elsewhere")
    try:
        assert run("rejects", "--lake", moved / "lake", "--bug-report", tmp_path / "bug.md")[0] == 0
    finally:
        (folder / "elsewhere").rename(folder / "in")
    report = (tmp_path / "bug.md").read_text()
    assert "its page:" not in report
    assert "```\n**** ++++ ****\n^\n```" in report
