"""Print files as bytes: what comes out is the same text and carriage control, whatever form it came in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources
from reading_pages import page, records, report, text_of, with_asa
from report_forms import (
    CONTROL,
    FORMS_WITH_ASA,
    FORMS_WITHOUT_CONTROL,
    LINES,
    LINES_ASA,
    MACHINE_LINES,
    OVERPRINTED,
    REPORT,
    TEXT,
    encoded_1047,
)

# --- Record forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS_WITHOUT_CONTROL)
def test_every_record_form_gives_the_same_text(read: Callable[..., CanonicalText], form: str) -> None:
    chunk = read(FORMS_WITHOUT_CONTROL[form])
    assert chunk.text == TEXT
    assert chunk.control == b""


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


@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
def test_records_whose_lines_fill_them_are_found(opened: Callable[..., Source], encoding: str) -> None:
    """Rules that end in the last column stand above lines that begin with a control of 0."""
    rule = " " + "-" * 108 + " SERVICE CLASS PERIODS".ljust(24, "X")
    lines = [line for one in with_asa(REPORT) for line in (one.replace(" ", "0", 1) if one[0] == " " else one, rule)]
    source = opened(records(lines, 133).encode(encoding))
    assert (source.file_format.record_length, source.file_format.control) == (133, "asa")


@pytest.mark.parametrize("length", [72, 121, 132, 133, 134, 137, 160, 255])
@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
def test_record_lengths_are_found(opened: Callable[..., Source], length: int, encoding: str) -> None:
    lines = [line[:length] for line in with_asa(report(40))]
    source = opened(records(lines, length).encode(encoding))
    assert (source.file_format.record_length, source.file_format.control) == (length, "asa")


# --- Carriage control -----------------------------------------------------------------------------------------------


def test_a_stray_line_keeps_its_first_character_and_is_told(opened: Callable[..., Source]) -> None:
    lines = with_asa(report(100))
    source = opened("\n".join([*lines[:40], "Transfer completed", *lines[40:]]).encode())
    chunk = source.read(0, 1 << 30)
    assert source.file_format.control == "asa"
    assert source.file_format.note == f"lines without carriage control: 1 of {len(lines) + 1:,}"
    assert chunk.text.split(b"\n")[40] == b"Transfer completed"
    assert chunk.text.split(b"\n")[41] == text_of(report(100)).split(b"\n")[40]


def test_overprint_is_merged_and_its_line_stays_empty(read: Callable[..., CanonicalText]) -> None:
    chunk = read("\n".join(OVERPRINTED).encode())
    lines = chunk.text.decode().split("\n")
    below = len(page(1))
    assert lines[below : below + 4] == ["", "ENDED        4711", "", ""]
    assert chunk.control[below : below + 4] == b"+ ++"
    assert lines[:below] == [*page(1)[:-1], " " * 50 + "W O R K L O A D"]
    assert lines[below + 4 : -1] == page(2)


ONE, OVER = page(1), with_asa(page(1))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([*REPORT, "TOTAL     12\rTOTAL\r      __", "BOLD\rBOLD"], text_of([*REPORT, "TOTAL     12", "BOLD"])),
        # The same text twice is bold.
        ([OVER[0], "+" + OVER[0][1:], *OVER[1:]], text_of([ONE[0], "", *ONE[1:]])),
        ([*OVER, " é à        7", "+      ü  8"], text_of([*ONE, "é à   ü  8 7", ""])),
        (["+ORPHAN", LINES_ASA], b"ORPHAN\n" + TEXT),
    ],
    ids=["carriage return", "bold", "letters beyond ASCII", "at the top"],
)
def test_what_prints_over_a_line(read: Callable[..., CanonicalText], lines: list[str], text: bytes) -> None:
    assert read("\n".join(lines).encode()).text == text


def test_record_with_line_end_bytes_inside_stays_one_line(read: Callable[..., CanonicalText]) -> None:
    assert read(records([*REPORT[:-1], "A\nB\rC"], 133).encode()).text == text_of([*REPORT[:-1], "A B C"])


MACHINE_TEXT = [
    "", "TITLE", "two down follows", "after two", "after three over", "", "", "", "last of page", "first of page",
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
@pytest.mark.parametrize("fixed", [True, False])
def test_machine_control_is_translated(read: Callable[..., CanonicalText], encoding: str, fixed: bool) -> None:
    end = b"" if fixed else "\n".encode(encoding)
    width = 132 if fixed else 0
    content = b"".join(bytes([code]) + text.ljust(width).encode(encoding) + end for code, text in MACHINE_LINES * 5)
    chunk = read(content)
    assert chunk.text == text_of(MACHINE_TEXT * 5)
    assert chunk.control == b"11 0-+  01" + b" 1 0-+  01" * 4


def test_tabs_that_indent_are_not_machine_control(read: Callable[..., CanonicalText]) -> None:
    assert read(b"".join(b"\t" + line.encode() + b"\n" for line in REPORT)).control == b""


# --- The code page: found by its bytes, or given; a wrong one is noticed ----------------------------------------------


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
def test_a_wrong_code_page_is_noticed(skipped: Callable[..., SkippedFile], content: bytes, encoding: str, words: str):
    found = skipped(content, encoding=encoding)
    assert words in found.what
    assert found.status == "failed"
    assert "--encoding" in found.hint


@pytest.mark.parametrize("name", ["klingon", "shift_jis", "utf-7", "base64", "big5", ""])
def test_a_code_page_that_cannot_be_read_is_wrong_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(IronlakeError, match="encoding"):
        open_sources([str(tmp_path)], Options(encoding=name), tmp_path)
