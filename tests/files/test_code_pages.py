"""The code page of a print file: found by its bytes, or given; a wrong one is noticed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources
from report_forms import LINES, encoded_1047


@pytest.mark.parametrize(
    ("encoding", "text", "name", "note"),
    [
        ("ascii", "plain", "ascii", ""),
        ("utf-8", "Müller 5 €", "utf-8", ""),
        ("cp1252", "Müller 5 €", "cp1252", "is not UTF-8: read as cp1252"),
        ("cp037", "[x]", "cp037", "brackets of EBCDIC 037"),
        ("cp037", "x", "cp1047", ""),
        ("cp1140", "5 €", "cp1140", "euro"),
    ],
)
def test_code_pages_are_found(opened: Callable[..., Source], encoding: str, text: str, name: str, note: str) -> None:
    source = opened((LINES + text + "\n").encode(encoding))
    assert source.file_format.encoding == name
    assert note in source.file_format.note
    assert bool(note) == bool(source.file_format.note)
    assert source.read(0, 1 << 30).text.decode() == LINES + text + "\n"


def test_brackets_tell_1047(read: Callable[..., CanonicalText]) -> None:
    assert read(encoded_1047(LINES + "[x]^\n")).text.decode() == LINES + "[x]^\n"


def test_the_note_names_the_first_byte_that_is_not_utf_8(opened: Callable[..., Source]) -> None:
    source = opened(LINES.encode() + b"abc\xfc\n")
    assert f"offset {len(LINES) + 3:,} " in source.file_format.note


@pytest.mark.parametrize("given_name", ["cp037", "037", "IBM-037", "ibm037"])
def test_a_given_code_page_is_taken(read: Callable[..., CanonicalText], given_name: str) -> None:
    text = LINES + "x ^ y\n"
    assert read(text.replace("\n", "\x85").encode("cp037"), encoding=given_name).text.decode() == text


@pytest.mark.parametrize(
    ("content", "encoding", "words"),
    [
        (LINES.encode() + b"abc\xfc\n", "utf-8", f"offset {len(LINES) + 3:,} (0xFC)"),
        (LINES.encode() + b"abc\x81\n", "cp1252", f"offset {len(LINES) + 3:,} (0x81)"),
        (LINES.encode("cp037"), "utf-8", "its bytes look like EBCDIC"),
        (LINES.encode(), "cp1047", "its bytes look like ASCII"),
        (b"\xff\xfe" + LINES.encode("utf-16-le"), "utf-8", "its bytes look like UTF-16"),
        (LINES.encode(), "utf-16", "its bytes look like ASCII"),
    ],
)
def test_a_wrong_code_page_is_noticed(
    skipped: Callable[..., SkippedFile], content: bytes, encoding: str, words: str
) -> None:
    found = skipped(content, encoding=encoding)
    assert words in found.what
    assert found.status == "failed"
    assert "--encoding" in found.hint


@pytest.mark.parametrize("name", ["klingon", "shift_jis", "utf-7", "base64", "big5", ""])
def test_a_code_page_that_cannot_be_read_is_wrong_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(IronlakeError, match="encoding"):
        open_sources([str(tmp_path)], Options(encoding=name), tmp_path)
