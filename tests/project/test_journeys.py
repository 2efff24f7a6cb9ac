"""The program as its users meet it: real processes, real files, what is on the screen and in the lake afterwards."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from command_line import MAIN, PATIENCE_S, Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.lake.ledger import Ledger
from lake_rows import answer_of
from reading_pages import report, with_asa
from report_forms import packed

from benchmarks.corpus import write_corpus

LINES = "\n".join(report()) + "\n"
NO_OTHERS = {"intervals_with_other_values": 0, "replaced": []}
EMPTY_ACCOUNT = {"pages": 0, "lines": 0, "rows": {}, "unread_lines": 0, "rejects": 0, "suspect_pages": 0}


class Run:
    """A finished command."""

    def __init__(self, code: int, out: str, err: str):
        self.code, self.out, self.err = code, out, err
        assert "Traceback" not in self.out + self.err, self.err

    @property
    def files(self) -> list[dict]:
        return json.loads(self.out)["files"]


@pytest.fixture
def ironlake(tmp_path, monkeypatch, run: Command) -> Callable[..., Run]:
    """Runs a command in an empty folder, in this process; the lake is `lake` there."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object, stdin: bytes = b"") -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return Run(*run(*arguments))

    return command


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A file of many batches."""
    path = tmp_path_factory.mktemp("large") / "large.txt"
    write_corpus(path, "one_layout", 2, seed=1)
    path.write_bytes(path.read_bytes() * 12)
    return path


def checksums(lake: Path) -> dict[str, int]:
    """Sum of the rows' hashes, a table: equal where the rows are, in whatever order and files."""
    with open_lake(lake) as opened:
        tables = sorted({p.table for p in Ledger(lake).state().parts.values()})
        return {
            t: opened.sql(f"SELECT sum(hash(x)) FROM (SELECT COLUMNS(*) FROM {t}) x").fetchall()[0][0] for t in tables
        }


def account(lake: Path) -> list[dict]:
    with open_lake(lake) as opened:
        return opened.sql("FROM ingest_file ORDER BY source_file").pl().to_dicts()


# --- What is read once is read once -----------------------------------------------------------------------------------


def test_the_same_pages_by_any_name_and_packing_are_there_once(tmp_path, ironlake):
    data = LINES.encode()
    (tmp_path / "a.txt").write_bytes(data)
    (tmp_path / "copy.txt").write_bytes(data)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.txt.zst").write_bytes(packed("zst", data))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("folder/inside.txt", data)
    once = ironlake("ingest", "a.txt", "a.txt", "copy.txt", "--format", "json").files
    assert [(f["path"], f["status"], f["error"]) for f in once] == [
        ("copy.txt", "already_ingested", "same content as a.txt"),
        ("a.txt", "ingested", None),
    ]
    before = checksums(tmp_path / "lake")
    again = ironlake(
        "ingest", "a.txt", "a.txt.gz", "a.txt.zst", "all.zip", "-", "--format", "json", "--jobs", 1, stdin=data
    )
    assert again.code == 0
    assert [(f["path"], f["status"], f["pages"], f["error"]) for f in again.files] == [
        ("a.txt", "already_ingested", 3, None),
        ("a.txt.gz", "already_ingested", 3, "same content as a.txt"),
        ("a.txt.zst", "already_ingested", 3, "same content as a.txt"),
        ("all.zip!folder/inside.txt", "already_ingested", 3, "same content as a.txt"),
        ("-", "already_ingested", 3, "same content as a.txt"),
    ]
    assert {f["source_id"] for f in again.files} == {once[1]["source_id"]}
    assert checksums(tmp_path / "lake") == before
    assert len(account(tmp_path / "lake")) == 1


def test_a_date_order_that_the_file_does_not_have_leaves_its_rows(tmp_path, ironlake):
    (tmp_path / "a.txt").write_text(LINES.replace("03/01/2024", "03/31/2024"))
    (tmp_path / "b.txt").write_text(LINES)
    assert ironlake("ingest", "a.txt", "b.txt", "--strict").code == 0
    done = ironlake("ingest", "a.txt", "b.txt", "--date-order", "dmy")
    assert done.code == 1
    assert done.out.startswith("a.txt: failed\n  already ingested with other options (0 rejects); these options give 1")
    assert "existing rows kept" in done.out
    query = "SELECT source_file, CAST(interval_start AS DATE)::VARCHAR, count(*) FROM rmf_workload_activity GROUP BY ALL ORDER BY 1"
    assert answer_of(tmp_path / "lake", query) == [("a.txt", "2024-03-31", 3), ("b.txt", "2024-01-03", 3)]


# --- Names and places -------------------------------------------------------------------------------------------------


def test_an_output_without_umlauts_still_names_the_file(tmp_path, ironlake, monkeypatch):
    (tmp_path / "ü.txt").write_text(LINES)
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert ironlake("ingest", "ü.txt").code == 0
    out.flush()
    assert out.buffer.getvalue().startswith(b"\\xfc.txt: ingested")


def test_a_lake_is_no_input(tmp_path, ironlake):
    (tmp_path / "a.txt").write_text(LINES)
    ironlake("ingest", "a.txt")
    (tmp_path / "b.txt").write_text(LINES + "\n")
    walked = ironlake("ingest", ".", "--format", "json")
    assert walked.code == 0
    assert sorted((f["path"], f["status"]) for f in walked.files) == [("./a.txt", "already_ingested"), ("./b.txt", "ingested")]  # fmt: skip
    named = ironlake("ingest", "lake")
    assert (named.code, named.out.splitlines()[:2]) == (0, ["lake: empty", "  is a lake; expected print files"])


@pytest.mark.parametrize("place", ["a.txt", "a.txt/lake", "here"])
def test_a_place_that_can_be_no_lake_is_said_before_anything_is_read(tmp_path, ironlake, place):
    (tmp_path / "a.txt").write_text(LINES)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "notes.txt").write_text("kept")
    done = ironlake("ingest", "a.txt", "--lake", place)
    assert done.code in (1, 2)
    assert done.err.startswith("ironlake: ")
    assert "--lake" in done.err
    assert done.out == ""
    assert (tmp_path / "here" / "notes.txt").read_text() == "kept"


# --- Bad input --------------------------------------------------------------------------------------------------------


def test_a_folder_of_everything_gives_one_word_a_file_and_keeps_the_good_ones(tmp_path, ironlake):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1_noise.bin").write_bytes(Random(1).randbytes(4000))
    (folder / "2_program").write_bytes(b"\x7fELF" + bytes(500))
    (folder / "3_nothing.txt").touch()
    (folder / "4_notes.txt").write_text("to do:\n")
    (folder / "5_cut.gz").write_bytes(gzip.compress(LINES.encode())[:200])
    title = "P A G I N G   A C T I V I T Y".rjust(80)
    (folder / "6_paging.txt").write_text(f"{title}\n{'PAGE 1':>120}\n")
    (folder / "7_good.txt").write_text(LINES + f"{title}\n  one line\n")
    done = ironlake("ingest", "in", "--format", "json")
    assert done.code == 1
    found = {f["path"].removeprefix("in/"): f for f in done.files}
    assert {name: f["status"] for name, f in found.items()} == {
        "1_noise.bin": "failed", "2_program": "skipped", "3_nothing.txt": "empty", "4_notes.txt": "empty",
        "5_cut.gz": "failed", "6_paging.txt": "empty", "7_good.txt": "ingested",
    }  # fmt: skip
    assert "pages begin with PAGING ACTIVITY" in found["6_paging.txt"]["error"]
    assert found["4_notes.txt"]["error"].startswith("in/4_notes.txt: ")
    assert all(
        words in found["4_notes.txt"]["error"] for words in ("pages begin with to do:", "; expected ", "\nhint: ")
    )
    text = ironlake("ingest", "in", "--lake", "other").out
    assert "in/7_good.txt: ingested (4 pages, 3 rows, 0 rejects)\n" in text
    assert "  note: pages of unknown reports: PAGING ACTIVITY\n" in text
    assert "\n7 files: 1 ingested, 3 empty, 1 skipped, 2 failed" in text


def test_what_does_not_exist_and_a_closed_standard_input(tmp_path, ironlake):
    done = ironlake("ingest", "none.txt", "--format", "json")
    error = "none.txt: does not exist; expected a file, a folder or -\nhint: check the spelling and the current folder"
    assert done.code == 1
    assert done.files == [
        {"path": "none.txt", "source_id": None, "status": "failed", **EMPTY_ACCOUNT, "error": error, **NO_OTHERS}
    ]
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *MAIN, "ingest", "-"], cwd=tmp_path, capture_output=True, check=False
    )
    assert closed.returncode == 1
    assert closed.stdout.startswith(b"-: failed\n  standard input is closed; expected a print report\n")
    assert closed.stderr == b""


def test_rejects_are_shown_and_strict_makes_them_count(tmp_path, ironlake):
    lines = report()
    lines[20] = "@@@ what is this"
    lines[12 + 16] = lines[12 + 16].replace("31.66", "*****")
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    done = ironlake("ingest", "a.txt", "--lake", "my lake")
    assert done.code == 0
    assert "a.txt: ingested (3 pages, 3 rows, 2 rejects)" in done.out
    assert "\n\na.txt:21:1 (page 2): rmf_workload_activity: " in done.out
    assert "\n  @@@ what is this\n  ^\n" in done.out
    assert done.out.endswith("2 rejects: see ironlake rejects --lake 'my lake'\n")
    shown = ironlake("sql", "SELECT line, text FROM parse_reject ORDER BY line", "--lake", "my lake", "--format", "csv")
    assert len(shown.out.splitlines()) == 3
    assert ironlake("ingest", "a.txt", "--lake", "my lake", "--strict").code == 1
    assert ironlake("ingest", "a.txt", "--lake", "other", "--strict").code == 1
    assert account(tmp_path / "my lake")[0]["rejects"] == 2


def test_what_the_reader_decided_about_a_strange_file_is_told_and_kept(tmp_path, ironlake):
    text = LINES.replace("POLICY=BASEPOL ", "POLICY=BASEPOL\xdc")
    (tmp_path / "a.txt").write_bytes(text.encode("cp1252"))
    place = text.encode("cp1252").index(b"\xdc")
    note = f"the byte at offset {place:,} is not UTF-8: read as latin-1"
    assert f"\n  note: {note}\n" in ironlake("ingest", "a.txt").out
    (tmp_path / "b.txt").write_text("\n".join(with_asa(report())) + "\n")
    ironlake("ingest", "b.txt")
    forms = [a["form"] for a in account(tmp_path / "lake")]
    assert forms == [f"line ends LF or CRLF, no carriage control; {note}", "line ends LF or CRLF, ASA carriage control"]


def test_a_page_that_is_cut_keeps_what_is_whole_and_says_so(tmp_path, ironlake):
    cut = LINES[: LINES.rindex(" CP  ")]
    (tmp_path / "a.txt").write_text(cut)
    done = ironlake("ingest", "a.txt")
    said = "a.txt: ingested (3 pages, 3 rows, 0 rejects, 1 suspect page)\n  note: the last line has no line end"
    assert said in done.out
    query = "SELECT cpu_time_s, appl_cp_pct, transactions_ended FROM rmf_workload_activity ORDER BY line"
    rows = answer_of(tmp_path / "lake", query)
    assert rows == [(64.307, 31.66, 88585), (64.307, 31.66, 88586), (64.307, None, None)]


def test_the_account_of_every_file_is_exact(tmp_path, ironlake):
    write_corpus(tmp_path / "in", "many_small_files", 0.3, seed=3)
    for number in range(3):
        write_corpus(tmp_path / "in" / f"bad{number}.txt", "dense_rejects", 0.02, seed=number)
    names = sorted(p.name for p in (tmp_path / "in").iterdir())
    done = ironlake("ingest", "in", "--format", "json")
    assert done.code == 0
    assert [f["status"] for f in done.files] == ["ingested"] * len(names)
    found = account(tmp_path / "lake")
    assert [a["source_file"] for a in found] == [f"in/{name}" for name in names]
    assert len(found) > 10
    by_path = {f["path"]: f for f in done.files}
    for a in found:
        parts = a["blank_lines"] + a["claimed_lines"] + a["unread_lines"] + a["rejected_lines"] + a["unknown_lines"]
        text = (tmp_path / a["source_file"]).read_text()
        assert a["lines"] == parts == text.count("\n"), a["source_file"]
        assert a["pages"] == text.count("W O R K L O A D"), a["source_file"]
        assert a["bytes"] == len(text)
        assert by_path[a["source_file"]]["rows"] == {r["table"]: r["rows"] for r in a["rows"]}
    with open_lake(tmp_path / "lake") as lake:
        query = "SELECT source_id, sum(lines) AS n, count(*) AS rejects FROM parse_reject GROUP BY 1"
        rejects = {row["source_id"]: row for row in lake.sql(query).pl().to_dicts()}
    for a in found:
        assert a["rejects"] == (rejects[a["source_id"]]["rejects"] if a["source_id"] in rejects else 0)


# --- Output that goes elsewhere ---------------------------------------------------------------------------------------


def through_shell(script: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", script, "sh", *MAIN], cwd=folder, capture_output=True, check=False, timeout=PATIENCE_S
    )


def test_output_that_nobody_reads_or_that_does_not_fit(tmp_path):
    (tmp_path / "a.txt").write_text(LINES)
    gone = through_shell('("$@" ingest a.txt; echo $? > code) | true', tmp_path)
    assert (gone.stderr, (tmp_path / "code").read_text()) == (b"", "0\n")
    full = through_shell("\"$@\" sql 'SELECT 1' > /dev/full", tmp_path)
    assert full.returncode == 1
    assert full.stderr == b"ironlake: cannot write to standard output: No space left on device\n"
    closed = through_shell('"$@" ingest a.txt >&- 2>&-', tmp_path)
    assert closed.returncode == 0


# --- Killed, interrupted, side by side --------------------------------------------------------------------------------


def start(arguments: Sequence[object]) -> subprocess.Popen[bytes]:
    """The program as the first of its own process group, as a shell starts it."""
    return subprocess.Popen(
        [*MAIN, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def alive(group: int) -> list[str]:
    """Processes of the group that are no zombies."""
    listed = subprocess.run(["ps", "-e", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [args for pgid, state, args in rows if int(pgid) == group and "Z" not in state]


def assert_gone(group: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while alive(group):
        assert time.monotonic() < deadline, alive(group)
        time.sleep(0.1)


def wait_for_a_part(group: int, lake: Path) -> None:
    """Until workers write parts."""
    deadline = time.monotonic() + PATIENCE_S
    while not list(lake.glob("rmf_workload_delay/*.parquet")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(alive(group)) >= 4  # this process, two workers, and the tracker of their resources


@pytest.mark.slow
def test_an_interrupt_ends_with_130_one_line_and_no_process_left(tmp_path, ironlake, large):
    (tmp_path / "first.txt").write_text(LINES)
    assert ironlake("ingest", "first.txt").code == 0
    lake = tmp_path / "lake"
    before = checksums(lake)
    process = start(["ingest", large, "--jobs", 3, "--lake", lake])
    wait_for_a_part(process.pid, lake)
    # As Ctrl-C does.
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err == b"ironlake: interrupted; committed files are safe\n"
    assert_gone(process.pid)
    assert checksums(lake) == before
    assert list((lake / "_tmp").iterdir()) == []


@pytest.mark.slow
def test_workers_do_not_outlive_a_parent_that_was_killed(tmp_path, large):
    process = start(["ingest", large, "--jobs", 3, "--lake", tmp_path / "lake"])
    wait_for_a_part(process.pid, tmp_path / "lake")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    assert_gone(process.pid)


# --- Sources that change ----------------------------------------------------------------------------------------------


def test_sources_that_change_or_go_away_while_others_are_read_fail_alone(tmp_path, ironlake):
    """A named pipe keeps the ingest waiting between two looks at the other files."""
    names = ("changed.txt", "gone.txt", "good.txt", "pipe")
    for number, name in enumerate(names[:-1]):
        (tmp_path / name).write_text(LINES + "\n" * number)
    os.mkfifo(tmp_path / "pipe")

    def meanwhile() -> None:
        with (tmp_path / "pipe").open("w") as pipe:
            (tmp_path / "changed.txt").write_text(LINES + "one more line\n")
            (tmp_path / "gone.txt").unlink()
            pipe.write(LINES + "\n" * 9)

    writer = threading.Thread(target=meanwhile)
    writer.start()
    done = ironlake("ingest", *names, "--format", "json", "--jobs", 1)
    writer.join()
    assert (done.code, done.err) == (1, "")
    found = {f["path"]: f for f in done.files}
    assert {name: f["status"] for name, f in found.items()} == {
        "changed.txt": "failed", "gone.txt": "failed", "good.txt": "ingested", "pipe": "ingested",
    }  # fmt: skip
    assert "changed while it was being read" in found["changed.txt"]["error"]
    assert "gone.txt can no longer be read" in found["gone.txt"]["error"]
    assert answer_of(tmp_path / "lake", "SELECT count(*) FROM rmf_workload_activity") == [(6,)]


def test_a_system_without_file_locks_is_told_what_to_do():
    """As Windows is: the module of the locks cannot be imported."""
    code = (
        "import sys; sys.modules['fcntl'] = None; sys.argv = ['ironlake', 'status']\n"
        "from ironlake.pipeline.cli.main import program; program()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = "ironlake: this system has none of the file locks that a lake needs; expected Linux or macOS\nhint: on Windows use Ironlake in WSL"
    assert (done.returncode, done.stderr.startswith(said)) == (1, True), done.stderr
