"""Hostile and damaged archives: bounded memory, an outcome of its own for each, and no other input pays for it."""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from command_line import Command, command_line
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.source import Source, open_sources
from property_settings import examples
from reading_pages import report

from benchmarks import measure

LINES = ("\n".join(report()) + "\n").encode()
MUCH = 350 << 20


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command_line(monkeypatch, capsys)


def zip_by(method: int, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("a.txt", content)
    return out.getvalue()


def directory_of(members: int) -> bytes:
    """An archive of this many members that have no bytes of their own: all of them are the first one again."""
    first = zip_by(zipfile.ZIP_STORED, b"x")
    at = first.index(b"PK\x01\x02")
    entry = first[at : at + 46 + len("a.txt")]
    directory = entry * members
    # The end record counts members in two bytes; the readers go by the bytes of the directory.
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), at, 0)
    return first[:at] + directory + end


def peak_bytes(path: Path, folder: Path) -> int:
    """The most memory that an ingest of this file takes."""
    program = [sys.executable, "-c", "import sys; from ironlake.pipeline.cli.main import main; sys.exit(main())"]
    return measure.run([*program, "ingest", path, "--lake", folder / f"{path.name}.lake"], None, folder).peak_bytes


@pytest.fixture(scope="module")
def honest_peak(tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("honest")
    (folder / "honest.gz").write_bytes(gzip.compress(LINES))
    return peak_bytes(folder / "honest.gz", folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("bzip2", lambda: zip_by(zipfile.ZIP_BZIP2, b" " * MUCH)),
        ("lzma", lambda: zip_by(zipfile.ZIP_LZMA, b" " * MUCH)),
        ("deflate", lambda: zip_by(zipfile.ZIP_DEFLATED, b" " * MUCH)),
        ("gzip", lambda: gzip.compress(b" " * MUCH, 1)),
        ("zstd", lambda: pa.Codec("zstd", 19).compress(b" " * MUCH, asbytes=True)),
        ("directory", lambda: gzip.compress(directory_of(1_500_000), 1)),
    ],
    ids=["bzip2", "lzma", "deflate", "gzip", "zstd", "directory"],
)
def test_what_unpacks_to_much_takes_little_memory(
    tmp_path: Path, name: str, bomb: Callable[[], bytes], honest_peak: int
) -> None:
    """Small files that unpack to 350 MB, and a directory of a million members: at most 250 MB more than a report."""
    hostile = tmp_path / name
    hostile.write_bytes(bomb())
    assert hostile.stat().st_size < 4 << 20
    assert peak_bytes(hostile, tmp_path) - honest_peak < 250_000_000


def damaged_members() -> Iterator[tuple[str, bytes, str]]:
    lzma = bytearray(zip_by(zipfile.ZIP_LZMA, LINES))
    lzma[60] ^= 0xFF
    yield "damaged LZMA", bytes(lzma), "is compressed by LZMA"
    version = bytearray(zip_by(zipfile.ZIP_DEFLATED, LINES))
    version[version.index(b"PK\x01\x02") + 6] = 255
    yield "version 25.5", bytes(version), "cannot be unpacked"
    yield "bzip2", zip_by(zipfile.ZIP_BZIP2, LINES), "is compressed by bzip2"


@pytest.mark.parametrize(("content", "words"), [pytest.param(c, w, id=n) for n, c, w in damaged_members()])
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


@examples(40, deadline=None)
@given(st.data())
def test_no_damage_to_an_archive_ends_in_an_exception(data: st.DataObject) -> None:
    method = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))
    content = bytearray(zip_by(method, LINES[:2000]))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.zip")
        path.write_bytes(content)
        for found in open_sources([str(path)], Options(), Path(folder, "spool")):
            if isinstance(found, Source):
                found.close()


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


@pytest.mark.parametrize("members", [1_000, pytest.param(5_000, marks=pytest.mark.slow)])
def test_members_of_one_name_cost_linear_time(tmp_path: Path, members: int) -> None:
    """Each of 5,000 members gets a number of its own, found at once: numbers tried anew for each were 12 million."""
    path = tmp_path / "many.zip"
    path.write_bytes(directory_of(members))
    names = [found.source_file for found in open_sources([str(path)], Options(), tmp_path / "spool")]
    assert names[0] == f"{path}!a.txt"
    assert names[-1] == f"{path}!a.txt ({members})"
