"""Hostile and damaged archives: bounded memory, an outcome of its own for each, and no other input pays for it."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from command_line import Command
from hostile_inputs import mutated
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files import archives
from ironlake.pipeline.files.archives import ANY_SIZE, Limits
from ironlake.pipeline.files.source import SkippedFile, Source, open_sources
from ironlake.pipeline.reading import engine
from property_settings import examples
from reading_pages import report
from report_forms import tar_of, zip_of
from sample_pages import read_each, sample, sample_files
from sizes import some

LINES = ("\n".join(report()) + "\n").encode()
MUCH = 200 << 20


def zip_by(method: int, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("a.txt", content)
    return out.getvalue()


# Opens what the file holds and prints the most memory of the process.
OPEN = """
import resource, sys
from pathlib import Path
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.source import open_sources
for path in sys.argv[2:]:
    for found in open_sources([path], Options(), Path(sys.argv[1])):
        assert "unpack" not in getattr(found, "what", ""), found
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
def test_what_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    """A report, and then small files that unpack to 200 MB: at most 60 MB more."""
    packed = {"report": gzip.compress(LINES), "deflate": zip_by(zipfile.ZIP_DEFLATED, b" " * MUCH)}
    packed |= {"gzip": gzip.compress(b" " * MUCH, 1), "zstd": pa.Codec("zstd").compress(b" " * MUCH, asbytes=True)}
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        assert len(content) < 2 << 20
    command = [sys.executable, "-c", OPEN, tmp_path / "spool", *(tmp_path / name for name in packed)]
    report, *peaks = map(int, subprocess.check_output(command).split())
    assert max(peaks) - report < 60_000_000


def test_a_directory_of_more_than_a_bound_is_not_read(run: Command, tmp_path: Path) -> None:
    """The last of a hundred long names is as long as it takes."""
    entry, most = 46, archives._LARGEST_DIRECTORY
    names = [f"{k:02}".ljust(most // 100 - entry, "x") for k in range(100)]
    names[-1] += "x" * (most + 1 - sum(len(name) + entry for name in names))
    (tmp_path / "many.zip").write_bytes(zip_of((name, b"x\n") for name in names))
    code, out, _ = run("ingest", tmp_path / "many.zip", "--lake", tmp_path / "lake")
    assert code == 1
    assert "its directory, or a head in it, has 6,291,457 bytes, more than 6,291,456" in out


def bad_members() -> Iterator[tuple[str, bytes, str]]:
    yield "LZMA", zip_by(zipfile.ZIP_LZMA, LINES), "is compressed by LZMA"
    yield "bzip2", zip_by(zipfile.ZIP_BZIP2, LINES), "is compressed by bzip2"
    version = bytearray(zip_by(zipfile.ZIP_DEFLATED, LINES))
    version[version.index(b"PK\x01\x02") + 6] = 255
    yield "version 25.5", bytes(version), "cannot be unpacked"


@pytest.mark.parametrize(("content", "words"), [pytest.param(c, w, id=n) for n, c, w in bad_members()])
def test_one_bad_archive_costs_no_other_file(run: Command, tmp_path: Path, content: bytes, words: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.zip").write_bytes(content)
    (folder / "b.txt").write_bytes(LINES)
    code, out, err = run("ingest", folder, "--lake", tmp_path / "lake")
    assert code == 1
    assert words in out
    assert "b.txt: ingested" in out
    assert "Traceback" not in out + err


def test_a_member_without_a_name_costs_no_other_member(run: Command, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"neither is this\n")
        archive.writestr(zipfile.ZipInfo("a/"), b"")
        archive.writestr("notes.txt", b"no report\n")
    code, out, _ = run("ingest", tmp_path / "some.zip", "--lake", tmp_path / "lake", "--format", "json")
    names = [Path(file["path"]).name for file in json.loads(out)["files"]]
    assert (code, names) == (0, ["some.zip!", "some.zip!notes.txt"])


WRAPPED: dict[str, Callable[[bytes], bytes]] = {
    **{f"zip {method}": partial(zip_by, method) for method in (0, 8, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)},
    "gzip": partial(gzip.compress, mtime=0),
    "zstd": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "tar": lambda content: tar_of({"../gone": content}),
}


@examples(60, deadline=None)
@given(st.lists(st.sampled_from(sorted(WRAPPED)), max_size=6), st.none() | st.integers(0, 1 << 30))
def test_no_container_and_no_damage_to_one_ends_in_an_exception(wraps: list[str], seed: int | None) -> None:
    """Each has an outcome, leaves nothing in the spool, and costs no other file."""
    content = LINES[:2000]
    for wrap in wraps:
        content = WRAPPED[wrap](content)
    if seed is not None:
        content = mutated(content, Random(seed), [LINES, content])
    with tempfile.TemporaryDirectory() as folder:
        given, spool = Path(folder, "in"), Path(folder, "spool")
        given.mkdir()
        (given / "a").write_bytes(content)
        (given / "b").write_bytes(LINES)
        names = []
        for found in open_sources([str(given)], Options(), spool):
            names.append(found.source_file)
            if isinstance(found, Source):
                found.close()
        assert len(names) > 1
        assert names[-1] == str(given / "b")
        assert not list(spool.glob("*"))
        assert sorted(os.listdir(folder)) in (["in"], ["in", "spool"])


def test_folders_of_any_depth_are_walked(run: Command, tmp_path: Path) -> None:
    """1,200 folders deep, deeper than Python may call itself."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "z.txt").write_bytes(LINES)
    at = tmp_path / "in"
    for _ in range(1200):
        at = at / "d"
        at.mkdir()
    (at / "a.txt").write_bytes(LINES + b"\n")
    code, out, _ = run("ingest", tmp_path / "in", "--lake", tmp_path / "lake")
    (at / "a.txt").unlink()
    while at != tmp_path / "in":  # what clears up after tests goes no deeper than Python may call itself
        at.rmdir()
        at = at.parent
    assert code == 0
    assert "z.txt: ingested" in out
    assert "a.txt: ingested" in out


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("members", [500, pytest.param(3_000, marks=pytest.mark.slow)])
def test_members_of_one_name_cost_linear_time(tmp_path: Path, members: int) -> None:
    """Each of 3,000 members gets a number of its own, found at once: numbers tried anew for each were 4.5 million."""
    path = tmp_path / "many.zip"
    path.write_bytes(zip_of([("a.txt", b"x\n")] * members))
    names = [found.source_file for found in open_sources([str(path)], Options(), tmp_path / "spool")]
    assert names[0] == f"{path}!a.txt"
    assert names[-1] == f"{path}!a.txt ({members})"


# --- What fills the disk, or keeps the program busy -------------------------------------------------------------------


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


def test_the_limits_are_told_and_can_be_switched_off(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(BLANKS * 4 + LINES))
    monkeypatch.setattr(archives.Limits.__init__, "__defaults__", (64 << 30, 100, 1 << 20))
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
