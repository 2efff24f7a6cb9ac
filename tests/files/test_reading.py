"""Print files as bytes: what comes out is the same text, whatever form it came in."""

import gzip
import hashlib
import io
import os
import pickle
import stat
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files.archives import Limits
from ironlake.pipeline.files.encodings import one_byte_table
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources
from property_settings import examples
from reading_pages import control_of, page, records, report, text_of, with_asa

REPORT = report()
TEXT = text_of(REPORT)
CONTROL = control_of(REPORT).encode()
LINES = "\n".join(REPORT) + "\n"
LINES_ASA = "\n".join(with_asa(REPORT)) + "\n"


def encoded_1047(text: str) -> bytes:
    table = one_byte_table("cp1047")
    return bytes(0x15 if c == "\n" else table.index(c) for c in text)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Source | SkippedFile]]:
    """Opens bytes as one file and gives its source or refusal."""
    sources: list[Source] = []
    names = iter(range(1000))

    def open_one(content: bytes, name: str = "", encoding: str = "auto") -> Source | SkippedFile:
        path = tmp_path / (name or f"report{next(names)}.txt")
        path.write_bytes(content)
        (found,) = open_sources([str(path)], Options(encoding=encoding), tmp_path / "spool")
        if isinstance(found, Source):
            sources.append(found)
        return found

    yield open_one
    for source in sources:
        source.close()
    assert not list((tmp_path / "spool").glob("*"))


@pytest.fixture
def read(opened: Callable[..., Source | SkippedFile]) -> Callable[..., CanonicalText]:
    """Opens bytes as one file and reads it whole; line count and end are as promised."""

    def read_one(content: bytes, **how: str) -> CanonicalText:
        source = opened(content, **how)
        assert isinstance(source, Source), source
        chunk = source.read(0, 1 << 30)
        assert chunk.end == source.size
        assert chunk.text.count(b"\n") == source.lines
        assert len(chunk.control) in (0, source.lines)
        return chunk

    return read_one


# --- Record forms ---------------------------------------------------------------------------------------------------

FORMS_WITHOUT_CONTROL = {
    "lf": LINES.encode(),
    "crlf": LINES.replace("\n", "\r\n").encode(),
    "cr_cr_lf": LINES.replace("\n", "\r\r\n").encode(),
    "cr": LINES.replace("\n", "\r").encode(),
    "crlf_and_lf_mixed": LINES.replace("\n", "\r\n", 20).encode(),
    "next_line_latin_1": LINES.replace("\n", "\x85").encode("latin-1"),
    "next_line_utf_8": LINES.replace("\n", "\x85").encode(),
    "no_final_line_end": LINES.rstrip("\n").encode() + b"\n " * (REPORT[-1] == ""),
    "trailing_blanks": "".join(line.ljust(132) + "\n" for line in REPORT).encode(),
    "trailing_nuls": "".join(line.ljust(132, "\0") + "\n" for line in REPORT).encode(),
    "nuls_for_blanks": LINES.replace(" ", "\0").replace("\0", " ", 3000).encode(),
    "substitute_at_the_end": LINES.encode() + b"\x1a",
    "nuls_and_substitutes_at_the_end": LINES.encode() + b"\x1a" * 5 + b"\0" * 1000,
    "byte_order_mark": LINES.encode("utf-8-sig"),
    "utf_16_le": b"\xff\xfe" + LINES.encode("utf-16-le"),
    "utf_16_be": b"\xfe\xff" + LINES.encode("utf-16-be"),
    "utf_16_le_without_mark": LINES.encode("utf-16-le"),
    "utf_16_be_without_mark": LINES.encode("utf-16-be"),
    "utf_16_crlf": b"\xff\xfe" + LINES.replace("\n", "\r\n").encode("utf-16-le"),
    "ebcdic_037_nl": LINES.replace("\n", "\x85").encode("cp037"),
    "ebcdic_037_lf": LINES.encode("cp037"),
    "ebcdic_037_crlf": LINES.replace("\n", "\r\n").encode("cp037"),
    "ebcdic_1047_nl": encoded_1047(LINES),
    "ebcdic_1140_nl": LINES.replace("\n", "\x85").encode("cp1140"),
    "fixed_133": records(REPORT, 133).encode(),
    "fixed_132": records(REPORT, 132).encode(),
    "fixed_137_ebcdic": records(REPORT, 137).encode("cp037"),
    "fixed_144_ebcdic": records(REPORT, 144).encode("cp037"),
    "fixed_133_nuls": records(REPORT, 133).replace(" " * 40, "\0" * 40).encode(),
    "tabs": "".join(line.replace(" " * 40, "\t" * 5, 1) + "\n" for line in REPORT).encode(),
    "no_break_spaces": LINES.replace("   ", "\xa0\xa0\xa0").encode(),
}


@pytest.mark.parametrize("form", FORMS_WITHOUT_CONTROL)
def test_every_record_form_gives_the_same_text(read: Callable[..., CanonicalText], form: str) -> None:
    chunk = read(FORMS_WITHOUT_CONTROL[form])
    assert chunk.text == TEXT
    assert chunk.control == b""


FORMS_WITH_ASA = {
    "lf": LINES_ASA.encode(),
    "lf_blanks_stripped": "".join(line.rstrip() + "\n" for line in with_asa(REPORT)).encode(),
    "crlf": LINES_ASA.replace("\n", "\r\n").encode(),
    "padded": "".join(line.ljust(133) + "\n" for line in with_asa(REPORT)).encode(),
    "byte_order_mark": LINES_ASA.encode("utf-8-sig"),
    "utf_16_le": b"\xff\xfe" + LINES_ASA.encode("utf-16-le"),
    "ebcdic_nl": LINES_ASA.replace("\n", "\x85").encode("cp037"),
    "fixed_133": records(with_asa(REPORT), 133).encode(),
    "fixed_133_ebcdic": records(with_asa(REPORT), 133).encode("cp037"),
    "fixed_121_ebcdic": records(with_asa([line[:120] for line in REPORT]), 121).encode("cp037"),
    "fixed_133_cut": records(with_asa(REPORT), 133).encode("cp037")[:-100],
}


@pytest.mark.parametrize("form", FORMS_WITH_ASA)
def test_asa_control_leaves_the_text_and_stands_beside_it(read: Callable[..., CanonicalText], form: str) -> None:
    chunk = read(FORMS_WITH_ASA[form])
    expected = [line[:120] for line in REPORT] if "121" in form else REPORT
    assert chunk.text == text_of(expected)
    assert chunk.control == CONTROL


def test_form_feeds_begin_pages_wherever_they_stand(read: Callable[..., CanonicalText]) -> None:
    title = page(1)[0]
    parts = ["\f" + title, "at the end\f", title, "\f", title, "   \f" + title, "between\f" + title, "\f\f" + title]
    chunk = read("\n".join([*parts, "\f"]).encode())
    assert chunk.text.decode().split("\n") == [
        *(title, "at the end", title, "", title, title, "between", title, title, "")
    ]
    assert chunk.control == b"1 11 1 11"


@pytest.mark.parametrize("encoding", ["ascii", "cp037", "utf-16-le", "utf-8"])
def test_a_form_feed_between_two_texts_ends_the_line(read: Callable[..., CanonicalText], encoding: str) -> None:
    word = "é" if encoding == "utf-8" else "e"
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    text = f"first {word} line\n" * 30 + f"last {word} line\f  TITLE\f\nnext\n"
    chunk = read(mark + text.encode(encoding))
    assert chunk.text.decode().split("\n")[30:] == [f"last {word} line", "  TITLE", "next", ""]
    assert chunk.control == b" " * 31 + b"11"
    assert chunk.raw_offset(31) == len(mark + text.split("\f")[0].encode(encoding))


def test_form_feed_before_asa_control(read: Callable[..., CanonicalText]) -> None:
    chunk = read(("\f" + "\n\f1".join(LINES_ASA.split("\n1"))).encode())
    assert (chunk.text, chunk.control) == (TEXT, CONTROL)


def test_a_carriage_return_within_a_line_prints_over_it(read: Callable[..., CanonicalText]) -> None:
    lines = [*REPORT, "TOTAL     12\rTOTAL\r      __", "BOLD\rBOLD"]
    assert read("\n".join(lines).encode()).text == text_of([*REPORT, "TOTAL     12", "BOLD"])


def test_record_with_line_end_bytes_inside_stays_one_line(read: Callable[..., CanonicalText]) -> None:
    lines = [*REPORT[:-1], "A\nB\rC"]
    assert read(records(lines, 133).encode()).text == text_of([*REPORT[:-1], "A B C"])


@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
def test_records_whose_lines_fill_them_are_found(opened: Callable[..., Source | SkippedFile], encoding: str) -> None:
    """Rules that end in the last column stand above lines that begin with a control of 0."""
    rule = " " + "-" * 108 + " SERVICE CLASS PERIODS".ljust(24, "X")
    lines = [line for one in with_asa(REPORT) for line in (one.replace(" ", "0", 1) if one[0] == " " else one, rule)]
    source = opened(records(lines, 133).encode(encoding))
    assert isinstance(source, Source)
    assert (source.file_format.record_length, source.file_format.control) == (133, "asa")


@pytest.mark.parametrize("length", [72, 90, 100, 121, 125, 132, 133, 134, 137, 141, 144, 160, 255])
@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
def test_record_lengths_are_found(opened: Callable[..., Source | SkippedFile], length: int, encoding: str) -> None:
    lines = [line[:length] for line in with_asa(report(40))]
    source = opened(records(lines, length).encode(encoding))
    assert isinstance(source, Source)
    assert (source.file_format.record_length, source.file_format.control) == (length, "asa")


# --- Carriage control -----------------------------------------------------------------------------------------------


def test_a_blank_margin_is_no_control(read: Callable[..., CanonicalText]) -> None:
    indented = report(margin=" ")
    chunk = read(text_of(indented))
    assert (chunk.text, chunk.control) == (text_of(indented), b"")


@pytest.mark.parametrize(
    "rows",
    [
        [" NUM TYPE   ONLINE", "0     CP   100.00", "1     CP   100.00"],
        ["1 100.00     2.00"],
        ["1     CP   100.00", "2     CP   100.00", "TOTAL/AVERAGE"],
    ],
)
def test_digits_in_the_margin_of_a_table_are_no_control(read: Callable[..., CanonicalText], rows: list[str]) -> None:
    table = [*report(margin=" "), *rows]
    chunk = read(text_of(table))
    assert (chunk.text, chunk.control) == (text_of(table), b"")


def test_data_rows_may_carry_control(read: Callable[..., CanonicalText]) -> None:
    lines = ["1          C P U  A C T I V I T Y", " NUM  TYPE    ONLINE", "0 5    IIP    100.00", "-6    IIP     99.00"]
    chunk = read("\n".join(lines).encode())
    assert chunk.text == text_of([line[1:] for line in lines])
    assert chunk.control == b"1 0-"


def test_control_on_some_pages_only_is_refused(opened: Callable[..., Source | SkippedFile]) -> None:
    found = opened((LINES_ASA + LINES).encode())
    assert isinstance(found, SkippedFile)
    assert found.status == "failed"
    assert "ASA carriage control on some lines but not on others" in found.what
    assert "split the file" in found.hint


def test_a_stray_line_keeps_its_first_character_and_is_told(opened: Callable[..., Source | SkippedFile]) -> None:
    lines = with_asa(report(100))
    source = opened("\n".join([*lines[:40], "Transfer completed", *lines[40:]]).encode())
    assert isinstance(source, Source)
    chunk = source.read(0, 1 << 30)
    assert source.file_format.control == "asa"
    assert source.file_format.note == f"lines without carriage control: 1 of {len(lines) + 1:,}"
    assert chunk.text.split(b"\n")[40] == b"Transfer completed"
    assert chunk.text.split(b"\n")[41] == text_of(report(100)).split(b"\n")[40]


OVERPRINTED = [
    *with_asa(page(1)),
    "+" + " " * 49 + " W O R K L O A D",
    " ENDED",
    "+             4711",
    "+______",
    *with_asa(page(2)),
]


def test_overprint_is_merged_and_its_line_stays_empty(read: Callable[..., CanonicalText]) -> None:
    chunk = read("\n".join(OVERPRINTED).encode())
    lines = chunk.text.decode().split("\n")
    below = len(page(1))
    assert lines[below : below + 4] == ["", "ENDED        4711", "", ""]
    assert chunk.control[below : below + 4] == b"+ ++"
    assert lines[:below] == [*page(1)[:-1], " " * 50 + "W O R K L O A D"]
    assert lines[below + 4 : -1] == page(2)


def test_the_same_text_twice_is_bold(read: Callable[..., CanonicalText]) -> None:
    title, *rest = with_asa(page(1))
    chunk = read("\n".join([title, "+" + title[1:], *rest]).encode())
    assert chunk.text == text_of([page(1)[0], "", *page(1)[1:]])


def test_overprint_of_letters_beyond_ascii_keeps_columns(read: Callable[..., CanonicalText]) -> None:
    lines = [*with_asa(page(1)), " é à        7", "+      ü  8"]
    assert read("\n".join(lines).encode()).text.decode().split("\n")[-3:] == ["é à   ü  8 7", "", ""]


def test_overprint_at_the_top_of_the_file_is_kept(read: Callable[..., CanonicalText]) -> None:
    assert read(("+ORPHAN\n" + LINES_ASA).encode()).text == b"ORPHAN\n" + TEXT


MACHINE_LINES = [
    (0x8B, "ignored"),
    (0x09, "TITLE"),
    (0x11, "two down follows"),
    (0x19, "after two"),
    (0x01, "after three"),
    (0x09, "            over"),
    (0x0B, ""),
    (0x13, ""),
    (0x89, "last of page"),
    (0x09, "first of page"),
]
MACHINE_TEXT = [
    "",
    "TITLE",
    "two down follows",
    "after two",
    "after three over",
    "",
    "",
    "",
    "last of page",
    "first of page",
]


@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
@pytest.mark.parametrize("fixed", [True, False])
def test_machine_control_is_translated(read: Callable[..., CanonicalText], encoding: str, fixed: bool) -> None:
    end = b"" if fixed else "\n".encode(encoding)
    width = 132 if fixed else 0
    content = b"".join(bytes([code]) + text.ljust(width).encode(encoding) + end for code, text in MACHINE_LINES * 5)
    chunk = read(content)
    assert chunk.text == text_of(
        [line if line != "after three over" else "after three over" for line in MACHINE_TEXT * 5]
    )
    assert chunk.control == b"11 0-+  01" + b" 1 0-+  01" * 4


def test_tabs_that_indent_are_not_machine_control(read: Callable[..., CanonicalText]) -> None:
    assert read(b"".join(b"\t" + line.encode() + b"\n" for line in REPORT)).control == b""


# --- Code pages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "text", "name", "note"),
    [
        ("ascii", "plain", "ascii", ""),
        ("utf-8", "Müller 5 €", "utf-8", ""),
        ("latin-1", "Müller", "latin-1", "is not UTF-8: read as latin-1"),
        ("cp1252", "Müller 5 €", "cp1252", "is not UTF-8: read as cp1252"),
        ("cp037", "[x]", "cp037", "brackets of EBCDIC 037"),
        ("cp037", "x", "cp1047", ""),
        ("cp1140", "5 €", "cp1140", "euro"),
    ],
)
def test_code_pages_are_found(
    opened: Callable[..., Source | SkippedFile], encoding: str, text: str, name: str, note: str
) -> None:
    source = opened((LINES + text + "\n").encode(encoding))
    assert isinstance(source, Source)
    assert source.file_format.encoding == name
    assert note in source.file_format.note
    assert bool(note) == bool(source.file_format.note)
    assert source.read(0, 1 << 30).text.decode() == LINES + text + "\n"


def test_brackets_tell_1047(read: Callable[..., CanonicalText]) -> None:
    assert read(encoded_1047(LINES + "[x]^\n")).text.decode() == LINES + "[x]^\n"


def test_the_note_names_the_first_byte_that_is_not_utf_8(opened: Callable[..., Source | SkippedFile]) -> None:
    source = opened(LINES.encode() + b"abc\xfc\n")
    assert isinstance(source, Source)
    assert f"offset {len(LINES) + 3:,} " in source.file_format.note


@pytest.mark.parametrize("given_name", ["cp037", "037", "IBM-037", "ibm037"])
def test_a_given_code_page_is_taken(read: Callable[..., CanonicalText], given_name: str) -> None:
    text = LINES + "x ^ y\n"
    assert read(text.replace("\n", "\x85").encode("cp037"), encoding=given_name).text.decode() == text


@pytest.mark.parametrize(
    ("content", "encoding", "words"),
    [
        (LINES.encode() + b"abc\xfc\n", "utf-8", f"offset {len(LINES) + 3:,} (0xFC)"),
        (LINES.encode() + b"abc\xfc\n", "ascii", f"offset {len(LINES) + 3:,} (0xFC)"),
        (LINES.encode() + b"abc\x81\n", "cp1252", f"offset {len(LINES) + 3:,} (0x81)"),
        (LINES.encode("cp037"), "utf-8", "its bytes look like EBCDIC"),
        (LINES.encode(), "cp1047", "its bytes look like ASCII"),
        (b"\xff\xfe" + LINES.encode("utf-16-le"), "utf-8", "its bytes look like UTF-16"),
        (LINES.encode(), "utf-16", "its bytes look like ASCII"),
    ],
)
def test_a_wrong_code_page_is_noticed(
    opened: Callable[..., Source | SkippedFile], content: bytes, encoding: str, words: str
) -> None:
    found = opened(content, encoding=encoding)
    assert isinstance(found, SkippedFile)
    assert words in found.what
    assert found.status == "failed"
    assert "--encoding" in found.hint


@pytest.mark.parametrize("name", ["klingon", "shift_jis", "utf-7", "base64", "big5", ""])
def test_a_code_page_that_cannot_be_read_is_wrong_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(IronlakeError, match="encoding"):
        open_sources([str(tmp_path)], Options(encoding=name), tmp_path)


# --- Containers -----------------------------------------------------------------------------------------------------


def packed(kind: str, content: bytes) -> bytes:
    if kind == "gz":
        return gzip.compress(content)
    if kind == "gz_twice_appended":
        return gzip.compress(content[:1000]) + gzip.compress(content[1000:])
    if kind == "zst":
        return pa.Codec("zstd").compress(content, asbytes=True)
    if kind == "zst_twice_appended":
        return packed("zst", content[:1000]) + packed("zst", content[1000:])
    if kind == "gz_in_gz":
        return gzip.compress(gzip.compress(content))
    raise ValueError(kind)


@pytest.mark.parametrize("kind", ["gz", "gz_twice_appended", "zst", "zst_twice_appended", "gz_in_gz"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".txt"])
def test_compressed_files_are_found_by_their_bytes(
    opened: Callable[..., Source | SkippedFile], tmp_path: Path, kind: str, suffix: str
) -> None:
    source = opened(packed(kind, LINES.encode()), name=f"report{suffix}")
    assert isinstance(source, Source)
    assert source.source_file == str(tmp_path / f"report{suffix}")
    assert source.spooled
    assert source.path.parent == tmp_path / "spool"
    assert (source.size, source.sha256) == (len(LINES), hashlib.sha256(LINES.encode()).hexdigest())
    assert source.read(0, 1 << 30).text == TEXT
    assert list((tmp_path / "spool").iterdir()) == [source.path]


def test_plain_text_named_gz_is_read(read: Callable[..., CanonicalText]) -> None:
    assert read(LINES.encode(), name="report.gz").text == TEXT


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_compressed_file_cut_short_is_refused(opened: Callable[..., Source | SkippedFile], kind: str) -> None:
    found = opened(packed(kind, os.urandom(3000) + LINES.encode())[:-20])
    assert isinstance(found, SkippedFile)
    assert found.status == "failed"
    assert "cannot be unpacked" in found.what
    assert "binary mode" in found.hint


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


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
    got = {}
    for found in open_sources([str(path)], Options(), tmp_path / "spool"):
        if isinstance(found, Source):
            got[found.source_file] = found.read(0, 1 << 30).text
            found.close()
        else:
            got[found.source_file] = found.status
    assert got == {
        f"{path}!a.txt": TEXT,
        f"{path}!deep/b.txt.gz": TEXT,
        f"{path}!../../escaped.txt": TEXT,
        f"{path}!/absolute.txt": TEXT,
        f"{path}!empty.txt": "empty",
        f"{path}!image.png": "skipped",
    }
    assert {p for p in tmp_path.parent.rglob("*") if "spool" not in p.parts} == before
    assert not list((tmp_path / "spool").iterdir())


def test_zip_members_of_one_name_get_two_names(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", LINES)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.txt", LINES_ASA)
    path = tmp_path / "all.zip"
    path.write_bytes(out.getvalue())
    names = []
    for found in open_sources([str(path)], Options(), tmp_path / "spool"):
        names.append(found.source_file)
        assert isinstance(found, Source)
        found.close()
    assert names == [f"{path}!a.txt", f"{path}!a.txt (2)"]


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (zip_of({}), "empty", "contains no files"),
        (zip_of({"[Content_Types].xml": b"<x/>"}), "failed", "Office document"),
        (zip_of({"a.txt": LINES.encode()})[:-30], "failed", "cannot be unpacked"),
        (zip_of({"a.txt": LINES.encode() * 20}).replace(b"\0" * 4, b"\1\1\1\1"), "failed", "cannot be unpacked"),
    ],
)
def test_zip_archives_that_cannot_be_read(
    opened: Callable[..., Source | SkippedFile], content: bytes, status: str, words: str
) -> None:
    found = opened(content)
    assert isinstance(found, SkippedFile)
    assert found.status == status
    assert words in found.what


def test_an_encrypted_member_is_refused(opened: Callable[..., Source | SkippedFile]) -> None:
    content = bytearray(zip_of({"a.txt": LINES.encode()}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    found = opened(bytes(content))
    assert isinstance(found, SkippedFile)
    assert "encrypted" in found.what


@pytest.mark.parametrize("kind", ["gz", "zst", "zip"])
def test_a_decompression_bomb_is_stopped(tmp_path: Path, kind: str) -> None:
    blanks = (b" " * 4095 + b"\n") * 2048 + LINES.encode()
    path = tmp_path / "bomb"
    path.write_bytes(zip_of({"bomb": blanks}) if kind == "zip" else packed(kind, blanks))
    for limits, words in (
        (Limits(uncompressed_bytes=4 << 20), "more than 4,194,304 bytes"),
        (Limits(ratio=100, ratio_from_bytes=1 << 20), "more than 100 times its size"),
    ):
        (found,) = open_sources([str(path)], Options(), tmp_path / "spool", limits=limits)
        assert isinstance(found, SkippedFile)
        assert words in found.what
        assert not list((tmp_path / "spool").iterdir())
    patient = Limits(ratio=100, ratio_from_bytes=16 << 20)
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


def test_a_named_pipe_is_spooled(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write({LINES!r})"])
    (source,) = open_sources([str(pipe)], Options(), tmp_path / "spool")
    assert isinstance(source, Source)
    assert source.read(0, 1 << 30).text == TEXT
    source.close()
    assert writer.wait() == 0


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
        (bytes(range(256)) * 50, "failed", "is not text"),
        (os.urandom(100_000), "failed", "is not text"),
        (b"\x1e\x00" + "INMR01".encode("cp037") + b"\0" * 80, "failed", "TSO TRANSMIT"),
        (
            b"".join((len(line) + 4).to_bytes(2, "big") + b"\0\0" + line.encode("cp037") for line in REPORT),
            "failed",
            "descriptor words",
        ),
        (b"x" * 3_000_000, "failed", "no line ends, and no fixed record length fits"),
        (LINES.encode() * 400 + b"y" * 9_000_000, "failed", f"begins at byte {400 * len(LINES):,} is longer"),
    ],
)
def test_what_is_no_print_file_is_refused(
    opened: Callable[..., Source | SkippedFile], content: bytes, status: str, words: str
) -> None:
    found = opened(content)
    assert isinstance(found, SkippedFile)
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


# --- Sources --------------------------------------------------------------------------------------------------------


def test_a_source_goes_to_another_process_and_notices_change(opened: Callable[..., Source | SkippedFile]) -> None:
    source = opened(LINES_ASA.encode())
    assert isinstance(source, Source)
    other = pickle.loads(pickle.dumps(source))
    assert other == source
    assert pickle.loads(pickle.dumps(other.read(0, 1000))) == source.read(0, 1000)
    assert source.unchanged()
    with open(source.path, "ab") as out:
        out.write(b"more")
    assert not source.unchanged()
    source.path.write_bytes(LINES_ASA.encode()[:100])
    assert not source.unchanged()
    with pytest.raises(IronlakeError, match="changed while it was being read"):
        source.read(0, 1 << 30)
    source.path.unlink()
    assert not source.unchanged()
    with pytest.raises(IronlakeError, match="can no longer be read"):
        source.read(0, 1 << 30)


ALL_FORMS = {f"plain_{name}": content for name, content in FORMS_WITHOUT_CONTROL.items()}
ALL_FORMS |= {f"asa_{name}": content for name, content in FORMS_WITH_ASA.items()}
ALL_FORMS |= {
    "overprinted": "\n".join(OVERPRINTED).encode(),
    "overprinted_records": records(OVERPRINTED, 133).encode("cp037"),
    "overprinted_utf_16": b"\xff\xfe" + "\n".join(OVERPRINTED).encode("utf-16-le"),
    "machine": b"".join(bytes([code]) + text.encode() + b"\n" for code, text in MACHINE_LINES * 5),
    "machine_records": b"".join(bytes([c]) + t.ljust(132).encode("cp037") for c, t in MACHINE_LINES * 5),
    "form_feeds": ("\f" + LINES.replace("MODE = GOAL\n", "MODE = GOAL\f\n") + "text\ftext\n\f\nend\n").encode(),
    "form_feeds_utf_16": b"\xff\xfe" + ("\f" + LINES + "text\f\ntext\ftext\n\f\nend\n").encode("utf-16-le"),
}


@pytest.mark.parametrize("form", ALL_FORMS)
def test_pieces_of_any_size_join_to_the_whole(opened: Callable[..., Source | SkippedFile], form: str) -> None:
    source = opened(ALL_FORMS[form])
    assert isinstance(source, Source)
    whole = source.read(0, 1 << 30)
    for size in (1, 7, 64, 133, 500, 1024, 3000, source.size - 1, source.size):
        chunks, start = [], 0
        while start < source.size:
            chunk = source.read(start, size)
            assert chunk.end > start
            assert source.read_range(start, chunk.end) == chunk
            chunks.append(chunk)
            start = chunk.end
        assert b"".join(p.text for p in chunks) == whole.text
        assert b"".join(p.control for p in chunks) == whole.control


@pytest.mark.parametrize("form", ALL_FORMS)
def test_a_range_may_begin_at_any_line(opened: Callable[..., Source | SkippedFile], form: str) -> None:
    source = opened(ALL_FORMS[form])
    assert isinstance(source, Source)
    whole = source.read(0, 1 << 30)
    lines = whole.text.split(b"\n")[:-1]
    assert whole.raw_offset(0) == 0
    assert whole.raw_offset(len(lines)) == source.size
    for line in range(1, len(lines)):
        if whole.control[line : line + 1] == b"+":
            continue
        start = whole.raw_offset(line)
        rest = source.read_range(start, source.size)
        assert rest.text.split(b"\n")[:-1] == lines[line:]
        assert rest.control == whole.control[line:]
        assert rest.raw_offset(0) == start


def test_reading_in_blocks_is_reading_at_once(opened: Callable[..., Source | SkippedFile]) -> None:
    pages = 2500
    lines = with_asa(report(pages))
    lines[1000:1000] = ["+BOLD" + " " * 70 + "X"] * 3
    source = opened("\n".join(lines).encode())
    assert isinstance(source, Source)
    assert source.size > 2 << 20
    chunk = source.read(0, 1 << 30)
    expected = report(pages)
    expected[1000:1000] = [""] * 3
    expected[999] = (expected[999].ljust(75) + "X") if not expected[999] else expected[999]
    got = chunk.text.decode().split("\n")[:-1]
    assert len(got) == len(expected)
    assert got[1003:] == expected[1003:]
    assert got[:999] == expected[:999]
    assert chunk.control.count(b"1") == pages


# Printed lines as they may come: no trailing blanks, no control characters, a first line that is no digit.
printed_line = st.text(alphabet="ABCDEFGH 0123456789.-/*%$#@=(),", max_size=120).map(str.rstrip)
printed_page = st.lists(printed_line, min_size=1, max_size=40).map(lambda body: [*page(1), *body, "END OF PAGE"])


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(printed_page, min_size=1, max_size=3).map(lambda pages: [x for p in pages for x in p]))
def test_one_report_in_every_form_is_one_text(read: Callable[..., CanonicalText], lines: list[str]) -> None:
    asa = with_asa(lines)
    forms = {
        "lf": "\n".join(asa).encode(),
        "crlf": "\r\n".join(asa).encode(),
        "nl": "\x85".join(asa).encode("cp037"),
        "records": records(asa, 133).encode(),
        "records_037": records(asa, 133).encode("cp037"),
        "gz": gzip.compress("\n".join(asa).encode()),
        "zst": packed("zst", "\n".join(asa).encode()),
        "utf-16": b"\xff\xfe" + "\n".join(asa).encode("utf-16-le"),
    }
    expected = text_of([line.ljust(132)[:132] for line in lines]), control_of(lines).encode()
    for form, content in forms.items():
        chunk = read(content, name="one")
        assert (chunk.text, chunk.control) == expected, form


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=3000), size=st.integers(1, 4000))
def test_no_bytes_end_in_an_exception(opened: Callable[..., Source | SkippedFile], content: bytes, size: int) -> None:
    found = opened(content, name="any")
    if isinstance(found, Source):
        start, texts = 0, []
        while start < found.size:
            chunk = found.read(start, size)
            texts.append(chunk.text)
            start = chunk.end
        found.close()
        text = b"".join(texts)
        assert text.count(b"\n") == found.lines
        assert text.decode()


ODD = ["\n", "\r", "\r\n", "\f", "\t", " ", "_", "1", "+", "0", "A", "é", "\0", "\x1a", "\x85", "\ufeff"]
# Not in each code page.
ONLY_IN = {"\ufeff": ("utf-8", "utf-16"), "\x1a": ("utf-8", "latin-1", "utf-16")}


# Overprints behind what canonical text does not have, and a + that is not in the first column.
@example(parts=["\n"] * 7 + ["\r", "+", "1"], encoding="utf-8", size=5)
@example(parts=["\n"] * 7 + [" ", "\r", "+", "1"], encoding="utf-8", size=5)
@example(parts=["\n", " ", "A"] * 6 + ["\n"] * 7 + ["\r", "\r", "+", "1"], encoding="utf-16", size=5)
@example(parts=["\n", " ", "A"] * 6 + ["\n"] * 7 + ["\ufeff", "+", "1"], encoding="utf-16", size=5)
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.sampled_from(ODD), max_size=60),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16", "cp037"]),
    size=st.integers(1, 300),
)
def test_odd_separators_keep_line_numbers(
    opened: Callable[..., Source | SkippedFile], parts: list[str], encoding: str, size: int
) -> None:
    text = "1" + " " * 20 + "T I T L E S\n A\n" + "".join(p for p in parts if encoding in ONLY_IN.get(p, (encoding,)))
    found = opened(text.encode(encoding), name="odd")
    if isinstance(found, SkippedFile):
        return
    whole = found.read(0, 1 << 20)
    assert whole.text.count(b"\n") == found.lines
    assert not set(b"\r\f\t\0") & set(whole.text)
    assert len(whole.control) in (0, found.lines)
    start, chunks = 0, []
    while start < found.size:
        chunks.append(found.read(start, size))
        start = chunks[-1].end
    assert b"".join(p.text for p in chunks) == whole.text
    assert b"".join(p.control for p in chunks) == whole.control


def test_memory_is_bounded_by_the_piece(tmp_path: Path) -> None:
    block = LINES_ASA.encode() * 100
    path = tmp_path / "big.txt"
    with open(path, "wb") as out:
        while out.tell() < 64 << 20:
            out.write(block)
    tracemalloc.start()
    try:
        (source,) = open_sources([str(path)], Options(), tmp_path / "spool")
        assert isinstance(source, Source)
        _, peak_open = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        start = lines = 0
        while start < source.size:
            chunk = source.read(start, 8 << 20)
            lines += chunk.text.count(b"\n")
            start = chunk.end
        _, peak_read = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == source.lines
    assert peak_open < 16 << 20
    assert peak_read < 40 << 20
