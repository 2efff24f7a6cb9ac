"""Sources: read in pieces of any size, by other processes, from any line, whatever bytes they hold."""

import gzip
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources
from property_settings import examples
from reading_pages import control_of, page, records, report, text_of, with_asa
from report_forms import ALL_FORMS, LINES_ASA, packed


def test_a_source_goes_to_another_process_and_notices_change(opened: Callable[..., Source]) -> None:
    source = opened(LINES_ASA.encode())
    assert pickle.loads(pickle.dumps(source)) == source
    other = pickle.loads(pickle.dumps(source.without_text()))
    assert pickle.loads(pickle.dumps(other.read(0, 1000))) == source.read(0, 1000)
    assert source.unchanged()
    with open(source.path, "ab") as out:
        out.write(b"more")
    assert not source.unchanged()
    source.path.write_bytes(LINES_ASA.encode()[:100])
    assert not source.unchanged()
    with pytest.raises(IronlakeError, match="changed while it was being read"):
        other.read(0, 1 << 30)
    source.path.unlink()
    assert not source.unchanged()
    with pytest.raises(IronlakeError, match="can no longer be read"):
        other.read(0, 1 << 30)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_pieces_of_any_size_join_to_the_whole(opened: Callable[..., Source], form: str) -> None:
    source = opened(ALL_FORMS[form])
    whole = source.read(0, 1 << 30)
    for size in (7, 133, 1024, source.size - 1):
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
def test_a_range_may_begin_at_any_line(opened: Callable[..., Source], form: str) -> None:
    source = opened(ALL_FORMS[form])
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


def test_reading_in_blocks_is_reading_at_once(opened: Callable[..., Source]) -> None:
    pages = 2500
    lines = with_asa(report(pages))
    lines[1000:1000] = ["+BOLD" + " " * 70 + "X"] * 3
    source = opened("\n".join(lines).encode())
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
def test_no_bytes_end_in_an_exception(
    opened_or_skipped: Callable[..., Source | SkippedFile], content: bytes, size: int
) -> None:
    found = opened_or_skipped(content, name="any")
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
@given(parts=st.lists(st.sampled_from(ODD), max_size=60), encoding=st.sampled_from(["utf-8", "latin-1", "utf-16", "cp037"]), size=st.integers(1, 300))  # fmt: skip
def test_odd_separators_keep_line_numbers(
    opened_or_skipped: Callable[..., Source | SkippedFile], parts: list[str], encoding: str, size: int
) -> None:
    text = "1" + " " * 20 + "T I T L E S\n A\n" + "".join(p for p in parts if encoding in ONLY_IN.get(p, (encoding,)))
    found = opened_or_skipped(text.encode(encoding), name="odd")
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
