"""What holds print files: compressed files, archives, standard input, pipes and folders; and what is no print file."""

import bz2
import gzip
import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.archives import Limits
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources
from report_forms import LINES, LINES_ASA, REPORT, TEXT, packed, tar_of, zip_of


@pytest.mark.parametrize("kind", ["gz", "gz_twice_appended", "zst", "zst_twice_appended", "gz_in_gz"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".txt"])
def test_compressed_files_are_found_by_their_bytes(
    opened: Callable[..., Source], tmp_path: Path, kind: str, suffix: str
):
    source = opened(packed(kind, LINES.encode()), name=f"report{suffix}")
    assert source.source_file == str(tmp_path / f"report{suffix}")
    assert source.spooled
    assert source.path.parent == tmp_path / "spool"
    assert (source.size, source.sha256) == (len(LINES), hashlib.sha256(LINES.encode()).hexdigest())
    assert source.read(0, 1 << 30).text == TEXT
    assert list((tmp_path / "spool").iterdir()) == [source.path]


def test_plain_text_named_gz_is_read(read: Callable[..., CanonicalText]) -> None:
    assert read(LINES.encode(), name="report.gz").text == TEXT


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_compressed_file_cut_short_is_refused(skipped: Callable[..., SkippedFile], kind: str) -> None:
    found = skipped(packed(kind, os.urandom(3000) + LINES.encode())[:-20])
    assert found.status == "failed"
    assert "cannot be unpacked" in found.what
    assert "binary mode" in found.hint


def texts_or_refusals(path: Path, spool: Path) -> dict[str, bytes | str]:
    """Of what a file holds, by name: the text, or the status of what is refused."""
    got: dict[str, bytes | str] = {}
    for found in open_sources([str(path)], Options(), spool):
        if isinstance(found, Source):
            got[found.source_file] = found.read(0, 1 << 30).text
            found.close()
        else:
            got[found.source_file] = found.status
    return got


def test_each_zip_member_is_a_source_and_its_name_is_only_shown(tmp_path: Path) -> None:
    path = tmp_path / "in" / "all.zip"
    path.parent.mkdir()
    members = {
        "a.txt": LINES.encode(),
        "deep/b.txt.gz": gzip.compress(LINES.encode()),
        "../../escaped.txt": LINES_ASA.encode(),
        "/absolute.txt": LINES.encode(),
        "empty.txt": b"",
        "__MACOSX/._a.txt": b"\0\1",
        ".hidden": b"x",
        "image.png": b"\x89PNG\r\n\x1a\n" + os.urandom(500),
    }
    path.write_bytes(zip_of(members))
    before = {p for p in tmp_path.parent.rglob("*") if "spool" not in p.parts}
    assert texts_or_refusals(path, tmp_path / "spool") == {
        f"{path}!a.txt": TEXT, f"{path}!deep/b.txt.gz": TEXT, f"{path}!../../escaped.txt": TEXT,
        f"{path}!/absolute.txt": TEXT, f"{path}!empty.txt": "empty", f"{path}!image.png": "skipped",
    }  # fmt: skip
    assert {p for p in tmp_path.parent.rglob("*") if "spool" not in p.parts} == before
    assert not list((tmp_path / "spool").iterdir())


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (zip_of({}), "empty", "contains no files"),
        (zip_of({"[Content_Types].xml": b"<x/>"}), "failed", "Office document"),
        (zip_of({"a.txt": LINES.encode()})[:-30], "failed", "cannot be unpacked"),
        (zip_of({"a.txt": LINES.encode() * 20}).replace(b"\0" * 4, b"\1\1\1\1"), "failed", "cannot be unpacked"),
    ],
)  # fmt: skip
def test_zip_archives_that_cannot_be_read(skipped: Callable[..., SkippedFile], content: bytes, status: str, words: str):
    found = skipped(content)
    assert found.status == status
    assert words in found.what


def test_an_encrypted_member_is_refused(skipped: Callable[..., SkippedFile]) -> None:
    content = bytearray(zip_of({"a.txt": LINES.encode()}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    found = skipped(bytes(content))
    assert "encrypted" in found.what


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["tar", "tgz"])
def test_each_file_of_a_tar_archive_is_a_source(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """Nothing is written by a member's name; what leads out of the archive, and devices, are refused."""
    path = tmp_path / "in" / "all"
    path.parent.mkdir()
    members = {"a.txt": LINES.encode(), "deep/b.txt.gz": gzip.compress(LINES.encode()), ".hidden": b"x", "e.txt": b""}
    kinds = {"link": tarfile.SYMTYPE, "device": tarfile.CHRTYPE}
    path.write_bytes(pack(tar_of(members | {"../out.txt": LINES.encode()}, **kinds)))
    assert texts_or_refusals(path, tmp_path / "spool") == {
        f"{path}!a.txt": TEXT, f"{path}!deep/b.txt.gz": TEXT, f"{path}!e.txt": "empty", f"{path}!link": "skipped",
        f"{path}!../out.txt": "failed", f"{path}!device": "failed",
    }  # fmt: skip
    assert not list((tmp_path / "spool").iterdir())


def test_a_damaged_tar_archive_is_told(tmp_path: Path) -> None:
    """Cut within a member, or with a head in its middle that cannot be read: tarfile alone would end there without a word."""
    whole = tar_of({"a.txt": LINES.encode(), "b.txt": LINES.encode()})
    second = tarfile.BLOCKSIZE * (1 + -(-len(LINES) // tarfile.BLOCKSIZE))
    for content in (whole[: second + 600], whole[:second] + b"\1" * 512 + whole[second + 512 :]):
        (tmp_path / "a.tar").write_bytes(content)
        first, *_, last = open_sources([str(tmp_path / "a.tar")], Options(), tmp_path / "spool")
        assert isinstance(first, Source)
        assert isinstance(last, SkippedFile)
        assert (last.status, "cannot be unpacked" in last.what) == ("failed", True)
        first.close()


def test_a_broken_office_document_of_a_folder_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    whole = zip_of({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<y/>" * 100})
    for name, content in (("whole.docx", whole), ("broken.docx", whole[:-40])):
        (folder / name).write_bytes(content)
    found = [*open_sources([str(folder)], Options(), tmp_path / "spool")]
    assert {(f.status, f.what) for f in found if isinstance(f, SkippedFile)} == {("skipped", "is an Office document")}
    assert len(found) == 2


@pytest.mark.parametrize("kind", ["gz", "zst", "zip", "tar"])
def test_a_decompression_bomb_is_stopped(tmp_path: Path, kind: str) -> None:
    blanks = (b" " * 4095 + b"\n") * 2048 + LINES.encode()
    path = tmp_path / "bomb"
    makers = {"zip": zip_of, "tar": lambda members: gzip.compress(tar_of(members))}
    path.write_bytes(makers[kind]({"bomb": blanks}) if kind in makers else packed(kind, blanks))
    for limits, words in (
        (Limits(uncompressed_bytes=4 << 20), "more than 4,194,304 bytes"),
        (Limits(ratio=100, ratio_from_bytes=1 << 20), "more than 100 times its size"),
    ):
        (found,) = open_sources([str(path)], Options(), tmp_path / "spool", limits=limits)
        assert isinstance(found, SkippedFile)
        assert words in found.what
        assert not list((tmp_path / "spool").iterdir())
    # A member of a compressed tar archive is unpacked twice.
    patient = Limits(ratio=100, ratio_from_bytes=20 << 20)
    (found,) = open_sources([str(path)], Options(), tmp_path / "spool", limits=patient)
    assert isinstance(found, Source)
    found.close()


# Equal bytes in every process, or workers would collect different tests.
@pytest.mark.parametrize("content", [LINES.encode(), gzip.compress(LINES.encode(), mtime=0)])
def test_standard_input_is_spooled_and_read_once(tmp_path: Path, content: bytes) -> None:
    (source,) = open_sources(["-", "-"], Options(), tmp_path / "spool", stdin=io.BytesIO(content))
    assert isinstance(source, Source)
    assert (source.source_file, source.spooled) == ("-", True)
    assert source.read(0, 1 << 30).text == TEXT
    source.close()
    assert not source.path.exists()


def test_standard_input_has_the_bound_of_what_is_unpacked(tmp_path: Path) -> None:
    limits = Limits(uncompressed_bytes=1000, ratio=1, ratio_from_bytes=1)
    (found,) = open_sources(["-"], Options(), tmp_path / "spool", stdin=io.BytesIO(b"x\n" * 501), limits=limits)
    assert isinstance(found, SkippedFile)
    assert "more than 1,000 bytes" in found.what
    stdin = io.BytesIO(LINES.encode()[:999])
    (found,) = open_sources(["-"], Options(), tmp_path / "spool", stdin=stdin, limits=limits)
    assert isinstance(found, Source)
    found.close()


def test_folders_are_walked_in_order_each_file_once(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "b" / "deep").mkdir(parents=True)
    (top / ".hidden").mkdir()
    for name in ("z.txt", "a.txt", "b/deep/m.txt", "b/c.txt", ".dot", ".hidden/x.txt"):
        (top / name).write_text(LINES)
    (top / "b" / "loop").symlink_to(top)
    (top / "again.txt").symlink_to(top / "a.txt")
    found = list(open_sources([str(top), str(top / "z.txt"), str(top / ".dot")], Options(), tmp_path / "spool"))
    names = [os.path.relpath(f.source_file, top) for f in found]
    assert names == ["a.txt", "b/c.txt", "b/deep/m.txt", "z.txt", ".dot"]


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"", "empty", "is empty"),
        (b"\n\n  \r\n\f\n", "empty", "is empty"),
        (b"\0" * 5000, "empty", "is empty"),
        (gzip.compress(b"", mtime=0), "empty", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "failed", "an image"),
        (b"\x7fELF" + bytes(range(256)) * 20, "failed", "a program"),
        (bz2.compress(LINES.encode()), "failed", "a bzip2 archive"),
        (packed("gz_in_gz", packed("gz_in_gz", gzip.compress(LINES.encode(), mtime=0))), "failed", "more than 4 times"),
        (bytes(range(256)) * 50, "failed", "is not text"),
        (b"\x1e\x00" + "INMR01".encode("cp037") + b"\0" * 80, "failed", "TSO TRANSMIT"),
        (b"".join((len(line) + 4).to_bytes(2, "big") + b"\0\0" + line.encode("cp037") for line in REPORT), "failed", "descriptor words"),
        (b"x" * 3_000_000, "failed", "no line ends, and no fixed record length fits"),
        (LINES.encode() * 400 + b"y" * 9_000_000, "failed", f"begins at byte {400 * len(LINES):,} is longer"),
    ],
)  # fmt: skip
def test_what_is_no_print_file_is_refused(skipped: Callable[..., SkippedFile], content: bytes, status: str, words: str):
    found = skipped(content)
    assert (found.status, words in found.what) == (status, True), found
    assert found.expected


def test_missing_and_unreadable_paths_do_not_end_the_run(tmp_path: Path) -> None:
    good, empty, loop = tmp_path / "good.txt", tmp_path / "empty", tmp_path / "loop"
    good.write_text(LINES)
    empty.mkdir()
    loop.symlink_to(loop)
    socket = tmp_path / "device"
    socket.symlink_to("/dev/null")
    paths = [str(tmp_path / "missing"), str(empty), str(loop), str(socket), "nul\0byte", str(good)]
    *refused, source = open_sources(paths, Options(), tmp_path / "spool")
    assert isinstance(source, Source)
    assert [(r.status, r.what.split(":")[0]) for r in refused if isinstance(r, SkippedFile)] == [
        ("failed", "does not exist"),
        ("empty", "contains no files"),
        ("failed", "cannot be read"),
        ("failed", "is neither a file nor a folder"),
        ("failed", "cannot be read"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text(LINES)
    path.chmod(stat.S_IWUSR)
    (found,) = open_sources([str(path)], Options(), tmp_path / "spool")
    assert isinstance(found, SkippedFile)
    assert found.what == "permission denied"


def test_a_spool_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file, not a folder")
    (found,) = open_sources(["-"], Options(), tmp_path / "spool", stdin=io.BytesIO(b"x"))
    assert isinstance(found, SkippedFile)
    assert "cannot be unpacked into" in found.what


def test_names_are_safe_to_print_and_unique(tmp_path: Path) -> None:
    names = [b"a\nb", b"a\\nb", b"\x1b[31mred", b"caf\xe9", "\u202etxt.exe".encode(), "plain é".encode()]
    for name in names:
        with open(os.path.join(os.fsencode(tmp_path), name), "w") as out:
            out.write(LINES)
    found = [f.source_file for f in open_sources([str(tmp_path)], Options(), tmp_path / "spool")]
    shown = {os.path.relpath(name, tmp_path) for name in found}
    assert shown == {"a\\nb", "a\\nb (2)", "\\x1b[31mred", "caf\\xe9", "\\u202etxt.exe", "plain é"}
