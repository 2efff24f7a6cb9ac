"""Hostile input: what is made to fill the disk, to keep the program busy, to write elsewhere or to steer a terminal."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files import archives as containers
from ironlake.pipeline.files.archives import ANY_SIZE, Limits
from ironlake.pipeline.files.source import SkippedFile, Source, open_sources
from ironlake.pipeline.reading import engine
from reading_pages import report
from report_forms import zip_of
from sample_pages import read_each, sample, sample_files
from sizes import some

LINES = ("\n".join(report()) + "\n").encode()
BLANKS = (b" " * 4095 + b"\n") * 512


# --- Bombs ----------------------------------------------------------------------------------------------------------


def opened(path: Path, spool: Path, limits: Limits) -> list[Source | SkippedFile]:
    found = list(open_sources([str(path)], Options(), spool, limits=limits))
    for one in found:
        if isinstance(one, Source):
            one.close()
    assert list(spool.iterdir()) == []
    return found


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_many_members_are_counted_together(tmp_path: Path, nested: bool, part: int) -> None:
    """Each is small enough; what comes out of the archive is not, however it is packed."""
    content = BLANKS[: len(BLANKS) // part] + LINES
    member = gzip.compress(content, mtime=0) if nested else content
    path = tmp_path / "many.zip"
    path.write_bytes(zip_of({f"{k}.txt": member for k in range(40)}))
    ratio = 200 if part == 1 else 50
    limits = Limits(ratio=ratio, ratio_from_bytes=(8 << 20) // part)
    found = opened(path, tmp_path / "spool", limits)
    assert 2 <= sum(isinstance(one, Source) for one in found) < 20
    assert isinstance(found[-1], SkippedFile)
    assert sum(isinstance(one, SkippedFile) for one in found) == 1
    assert found[-1].what == f"unpacks to more than {ratio} times its size"
    assert "--unpack-any-size" in found[-1].hint
    assert len(opened(path, tmp_path / "spool", ANY_SIZE)) == 40


def test_the_limits_are_told_and_can_be_switched_off(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(BLANKS * 4 + LINES))
    monkeypatch.setattr(containers.Limits.__init__, "__defaults__", (64 << 30, 100, 1 << 20))
    command = ("ingest", tmp_path / "bomb.gz", "--lake", tmp_path / "lake")
    code, out, _ = run(*command)
    assert code == 1
    assert "bomb.gz: failed\n  unpacks to more than 100 times its size\n" in out
    assert "hint: if you trust the file, ingest it with --unpack-any-size" in out
    code, out, _ = run(*command, "--unpack-any-size")
    assert code == 0
    assert "bomb.gz: ingested" in out


# --- Bytes that are no lines ------------------------------------------------------------------------------------------


def test_nuls_among_lines_are_blanks_and_cost_nothing(tmp_path: Path) -> None:
    path = sample("g2_every_cell_differs")
    clean = engine.read_text(path.read_bytes())["rmf_workload_activity"]
    strewn = path.read_bytes().replace(b"    ", b"  \0 ").replace(b"\n", b"\0\n")
    found = engine.read_text(strewn)
    assert found["rmf_workload_activity"].equals(clean)
    assert found["parse_reject"].is_empty()


# --- Lines that take long ---------------------------------------------------------------------------------------------

FILLERS = (" ", "A", "1", "- ", ". ", "A1 ", "A-", "(", "0.", ": ", "'", "=")


@pytest.mark.parametrize("path", some(sample_files()[::9], 4), ids=lambda p: p.stem)
def test_a_long_line_takes_time_by_its_length(path: Path) -> None:
    """A line that goes on and on. A tenfold line may take tenfold time; where patterns look back, or phrases are tried at every word, it
    takes a hundredfold. The bound is generous: such a line took minutes."""
    pages = []
    for number, filler in enumerate(FILLERS):
        lines = path.read_text().splitlines()
        at = (7 * number + 3) % len(lines)
        lines[at] = lines[at][:30] + filler * (12_000 // len(filler)) + "x"
        pages.append("\n".join(lines) + "\n")
    began = time.process_time()
    read_each(pages)
    assert time.process_time() - began < 20


def test_a_text_behind_a_label_beyond_any_print_line_is_read() -> None:
    """The fuzzer found it: lines that ran together."""
    page = sample("cics_dfh0stat_entries").read_text()
    label = "DB2Entry Disabled Action"
    far = page.replace(label, " " * 150 + label, 1)
    actions = [engine.read_text(text)["cics_db2entry_resource"]["disabled_action"].to_list() for text in (page, far)]
    assert actions[0] == actions[1]
    assert actions[0][0] == "POOL"


@pytest.mark.parametrize("sign", ["\x01", "\x02"])
def test_control_characters_divide_no_pairs(sign: str) -> None:
    """The fuzzer found it: what the reader marks pairs with itself stood on a line, and reading ended with an exception."""
    page = sample("cics_dfh0stat_connection").read_text()
    for whole, at in (("Command Thread Authid. . . . . . . . . . : OPERSID", 36), (": USERID", 4)):
        assert whole in page
        found = engine.read_text(page.replace(whole, whole[:at] + sign + whole[at:], 1))
        assert found["cics_db2_connection"]["command_authid"].to_list() == [None if at > 9 else "OPERSID"]
        assert bool(len(found["parse_reject"])) == (at > 9)
