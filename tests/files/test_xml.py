"""XML documents of RMF: what must not depend on how a document is written, cut or packed, and what is told of a bad one."""

from __future__ import annotations

import datetime as dt
import gzip
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files import xml_document, xml_lines
from ironlake.pipeline.files.segment import Segment
from ironlake.pipeline.files.source import Source, open_sources, segment_of
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.reading.engine import canonical_segment, parse, read_text
from ironlake.pipeline.sql.open_lake import open_lake
from sample_pages import read_each, sample

TWO = sample("cpu_xml_two_intervals")
DOCUMENT = TWO.read_text()
# Characters whose bytes in UTF-16 have a tag in them that begins in the middle of a character.
BETWEEN_TWO = (b"x" + "<report>".encode("utf-16-le") + b"x").decode("utf-16-le")
CPU, PARTITIONS, REJECT = "rmf_cpu_activity", "rmf_partition_data", "parse_reject"
WHERE = ("source_id", "source_file", "page", "line")


def values(tables: dict[str, pl.DataFrame]) -> dict[str, list]:
    """The rows of both reports, without what says where they are."""
    return {name: tables[name].drop(*WHERE).rows() if name in tables else [] for name in (CPU, PARTITIONS)}


def read(document: str | bytes, options: Options | None = None) -> dict[str, pl.DataFrame]:
    """Its tables; every line of it is accounted for."""
    (tables,) = read_each([document], options)
    return tables


INTACT = read(DOCUMENT)
WHOLE = values(INTACT)
WRITTEN = {
    "one line": DOCUMENT.replace("\n", ""),
    "CRLF": DOCUMENT.replace("\n", "\r\n"),
    "a line per element": DOCUMENT.replace("><", ">\n\n<"),
    "byte order mark": b"\xef\xbb\xbf" + DOCUMENT.encode(),
    "UTF-16": DOCUMENT.encode("utf-16"),
    "UTF-16 without a mark": DOCUMENT.encode("utf-16-be"),
    "UTF-16, a tag between two": DOCUMENT.replace(' refno="1"', f' refno="{BETWEEN_TWO}"').encode("utf-16"),
    "EBCDIC": DOCUMENT.replace("\n", "\x85").encode("cp037"),
    "padded": DOCUMENT.encode() + b"\0" * 77,
    "empty cells": DOCUMENT.replace("<col/>", "<col></col>"),
    "CDATA": DOCUMENT.replace("<col>CP</col>", "<col><![CDATA[CP]]></col>"),
    "indented cells": DOCUMENT.replace("<col>CP<", "<col>\n   CP\n<"),
    "other attributes": DOCUMENT.replace(' refno="1"', " refno = '1' "),
    "attribute of a page": DOCUMENT.replace("<postprocessor>", '<postprocessor x="1">'),
    "totals that do not say so": DOCUMENT.replace(' type="SUM"', ""),
}


def test_rows_do_not_depend_on_how_the_document_is_written() -> None:
    assert (len(WHOLE[CPU]), len(WHOLE[PARTITIONS])) == (10, 14)
    for name, tables in zip(WRITTEN, read_each(WRITTEN.values()), strict=True):
        assert tables[REJECT].is_empty(), name
        assert values(tables) == WHOLE, name


def test_documents_behind_each_other_are_one_file() -> None:
    tables = read_text((DOCUMENT + DOCUMENT).encode())
    assert tables[REJECT].is_empty()
    assert values(tables) == {name: rows * 2 for name, rows in WHOLE.items()}


def sources(path: Path, spool: Path) -> list[Source]:
    found = list(open_sources([str(path)], Options(), spool))
    assert all(isinstance(source, Source) for source in found)
    return [source for source in found if isinstance(source, Source)]


@pytest.mark.parametrize("size", [1, 40_000])
def test_batches_are_cut_between_intervals(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = tmp_path / "many.xml"
    many.write_text(DOCUMENT.replace("</ddsml>\n", DOCUMENT.partition("</server>")[2] + "<!-- end -->\n") * 3)
    monkeypatch.setattr(batches, "BATCH_BYTES", size)
    (source,) = sources(many, tmp_path)
    whole = read_text(many.read_bytes())
    ranges = [batch.ranges[0] for batch in batches.plan([source])]
    assert len(ranges) > 1
    assert [r.start for r in ranges[1:]] == [r.end for r in ranges[:-1]]
    assert ranges[-1].end == source.size
    at = [(row["page"], row["line"]) for row in whole[CPU].iter_rows(named=True)]
    segments = [xml_segment(part) for part in ranges]
    table = parse(segments, Options()).tables[CPU]
    assert list(zip(table["page"].to_pylist(), table["line"].to_pylist(), strict=True)) == at
    assert source.lines is None
    lines = sum(segment.text.count(b"\n") for segment in segments)
    assert lines == canonical_segment(many.read_bytes(), "many.xml", Options()).text.count(b"\n")


def xml_segment(part: batches.SourceRange) -> Segment:
    return segment_of(part.read(), ("", "many.xml"), (part.first_line, part.first_page))


def test_documents_are_ingested_from_archives_and_known_again(tmp_path: Path) -> None:
    packed = tmp_path / "d.xml.gz"
    packed.write_bytes(gzip.compress(DOCUMENT.encode()))
    report = ingest([str(packed), str(TWO)], tmp_path / "lake", Options())
    assert sorted(f.status for f in report.files) == ["already_ingested", "ingested"]
    with open_lake(tmp_path / "lake") as lake:
        form, lines, blank, claimed, unread, rejected, unknown = (
            lake.sql(
                "SELECT form, lines, blank_lines, claimed_lines, unread_lines, rejected_lines, unknown_lines FROM ingest_file"
            )
            .limit(1)
            .fetchall()[0]
        )
    assert form == "XML"
    assert lines == blank + claimed + unread + rejected + unknown > 100
    assert rejected == unknown == 0


def test_a_document_of_messages_says_so(tmp_path: Path) -> None:
    text = "<ddsml><postprocessor><message id='GPM0739E'><description>Invalid parameter 'DATE'</description></message>"
    (tmp_path / "m.xml").write_text(f"{text}</postprocessor></ddsml>")
    (told,) = ingest([str(tmp_path / "m.xml")], tmp_path / "lake", Options()).files
    assert told.status == "empty"
    assert told.error is not None
    assert "has 1 message and no report: message GPM0739E Invalid parameter 'DATE'" in told.error


ODD = ["\u2028", "\x85", "&#133;", "&#10;", "&#13;", "&#9;", "|", "<!-- x -->", "\ud7ff", "\U0001f600"]


def test_no_character_of_a_value_ends_a_line() -> None:
    """In a value, in an attribute that is kept, and in one that says what a row is: the rows beside it are read."""
    cases = [
        (old, new, odd)
        for odd in ODD
        for old, new in (
            ("PPS: OPTIONS", f"PPS:{odd}OPTIONS"),
            ('id="ERB103I"', f'id="ERB{odd}103I"'),
            ('locale="en-us"', f'locale="en{odd}us"'),
        )
        if old.startswith("P") or not odd.startswith("<")
    ]
    for case, tables in zip(cases, read_each(DOCUMENT.replace(old, new) for old, new, _ in cases), strict=True):
        assert len(tables[CPU]) == 10, case
        assert "locale" in case[0] or values(tables) == WHOLE, case


@pytest.mark.parametrize(
    ("locale", "order", "start"),
    [
        ("en-us", "mdy", dt.datetime(2022, 4, 12, 10)),
        ("en-us", "dmy", dt.datetime(2022, 4, 12, 10)),
        ("en-gb", "dmy", dt.datetime(2022, 12, 4, 10)),
        ("en-gb", "mdy", None),
    ],
)
def test_a_date_of_another_locale_is_read_only_if_the_ingest_says_its_order(
    locale: str, order: Literal["mdy", "dmy"], start: dt.datetime | None
):
    text = DOCUMENT.replace("05/14/2024", "04/12/2022").replace("en-us", locale)
    tables = read(text, Options(date_order=order))
    if start:
        assert tables[REJECT].is_empty()
        assert tables[CPU]["interval_start"][0] == start
    else:
        assert f"{CPU}: date '04/12/2022-10.00.00' of locale {locale}" in tables[REJECT]["what"].to_list()
        assert tables[CPU]["interval_start"].null_count() == len(tables[CPU])


def test_rows_without_their_name_are_left_out_and_told() -> None:
    cases = [
        (CPU, "processor_id", ">CPU Number<", ">Processor Number<"),
        (PARTITIONS, "partition", ">Partition Name<", ">LPAR Name<"),
        (CPU, "processor_id", "<col>[01A]</col>(?=\\s*<col>(CP|IIP)<)", "<col/>"),
    ]
    found = read_each(re.sub(old, new, DOCUMENT) for *_, old, new in cases)
    for (table, name, *_), tables in zip(cases, found, strict=True):
        assert tables[table]["is_total"].to_list() == [True] * 4
        # Three processors in each of two intervals; five rows of partitions.
        many = 3 if table == CPU else 5
        left_out = [what for what in tables[REJECT]["what"] if "left out" in what]
        assert left_out == [f"{table}: {many} rows without {name} are left out"] * 2


def test_a_type_of_processor_that_print_does_not_have_is_a_reject() -> None:
    words = ("zIIP", "ZIIP", "IFL")
    found = read_each(re.sub(r"(<col>A</col>\s*<col>)IIP<", rf"\1{word}<", DOCUMENT) for word in words)
    for word, tables in zip(words, found, strict=True):
        # Processors 0 and 1, and two totals, of each of two intervals.
        assert tables[CPU]["processor_id"].to_list() == ["0", "1", None, None] * 2
        told = [what for what in tables[REJECT]["what"] if "cannot be read" in what]
        assert told == [f"processor_type: {word!r} cannot be read"] * 2


RESOURCE = "<resource><resname>SYSA</resname><restype>SYSTEM</restype></resource>"
SYSPLEX = "<resource><restype>SYSPLEX</restype><resname>PLEX</resname></resource>"


def test_an_interval_names_its_system_and_its_sysplex_in_any_order() -> None:
    for tables in read_each(DOCUMENT.replace(RESOURCE, both) for both in (SYSPLEX + RESOURCE, RESOURCE + SYSPLEX)):
        assert tables[REJECT].is_empty()
        for table in (CPU, PARTITIONS):
            assert set(tables[table].select("sysplex", "system", "scope").rows()) == {("PLEX", "SYSA", "SYSA")}


def test_a_resource_without_name_or_kind_and_a_second_one_are_rejects() -> None:
    cases = [
        (RESOURCE + RESOURCE.replace("SYSA", "SYSB"), "SYSA", ["<resource again SYSTEM> SYSB"]),
        (RESOURCE.replace("SYSA", ""), None, ["<resource SYSTEM>"]),
        (RESOURCE.replace("<resname>SYSA</resname>", ""), None, ["<resource SYSTEM>"]),
        (RESOURCE.replace("SYSTEM", "LPAR"), None, ["<metric type> Interval", "<resource LPAR> SYSA"]),
        (RESOURCE.replace("<restype>SYSTEM</restype>", ""), None, ["<metric type> Interval", "<resource> SYSA"]),
        ("", None, ["<metric type> Interval"]),
    ]
    found = read_each(DOCUMENT.replace(RESOURCE, written) for written, *_ in cases)
    for (written, system, told), tables in zip(cases, found, strict=True):
        assert set(tables[CPU]["system"]) == set(tables[PARTITIONS]["system"]) == {system}, written
        # Two pages of each of two intervals.
        assert sorted(tables[REJECT]["text"]) == sorted(told * 4), written


def test_a_printed_end_that_is_not_the_start_plus_the_length_is_a_reject() -> None:
    """Of 10.00.00 and 15:00:000. Within a second it is; and an hour away, the clock was changed."""
    good, bad = ("10.15.00", "10.15.01", "11.15.00", "09.15.00"), ("10.14.58", "10.30.00", "12.15.00")
    ends = [*good, *bad]
    printed = r'(<display-end locale="en-us">05/14/2024-)10.15.00'
    for end, tables in zip(ends, read_each(re.sub(printed, rf"\g<1>{e}", DOCUMENT) for e in ends), strict=True):
        what = [f"{name}: the end 05/14/2024-{end} is not the start plus 15:00:000" for name in (CPU, PARTITIONS)]
        assert tables[REJECT]["what"].to_list() == (what if end in bad else [])
        assert tables[CPU]["interval_end"][0] == dt.datetime(2024, 5, 14, 10, 15)


NO_BUSY = ["no column 'Time% MVS Busy'"]


def test_a_heading_that_does_not_name_every_column_once_is_a_reject() -> None:
    cases = [
        ("Time% MVS Busy", "Time% Busy", ["unknown column title Time% Busy", *NO_BUSY], ["mvs_busy_pct"]),
        (
            "Time% Parked", "Time% MVS Busy", ["column 'Time% MVS Busy' comes again"], ["mvs_busy_pct", "parked_pct"],
        ),
        ("Time% Parked</col>", "</col>", ["unknown column title (none)"], ["parked_pct"]),
    ]  # fmt: skip
    found = read_each(DOCUMENT.replace(old, new) for old, new, *_ in cases)
    for (_, _, told, lost), tables in zip(cases, found, strict=True):
        assert tables[REJECT]["what"].to_list() == [f"{CPU}: {what}" for what in told] * 2
        empty = [name for name in tables[CPU].columns if tables[CPU][name].null_count() == 10]
        assert [name for name in empty if INTACT[CPU][name].null_count() < 10] == lost


def test_a_release_without_its_newer_columns_is_read() -> None:
    """Without HiperDispatch and boosts: the headings and the cells below them are gone."""
    document = ET.fromstring(DOCUMENT)
    for table in document.iter("table"):
        titles = [col.text for col in table.find("column-headers") or ()]
        for title in ("Time% Parked", "HiperDispatch Priority", "Boost Type"):
            for row in (*table.findall("column-headers"), *table.findall("row")) if title in titles else ():
                row.remove(row[titles.index(title)])
            titles = [t for t in titles if t != title]
    tables = read_text(ET.tostring(document))
    assert tables[REJECT].is_empty()
    gone = ("parked_pct", "polarization")
    assert tables[CPU].select(gone).null_count().row(0) == (10, 10)
    assert tables[CPU].drop(*WHERE, *gone).rows() == INTACT[CPU].drop(*WHERE, *gone).rows()
    assert tables[PARTITIONS]["boost_type"].null_count() == len(tables[PARTITIONS]) == 14


# --- bad documents ------------------------------------------------------------------------------------------------


def test_a_declared_document_type_is_refused() -> None:
    laughs = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    with pytest.raises(IronlakeError, match="declares a document type"):
        read_text(DOCUMENT.replace("<ddsml", f"{laughs}<ddsml", 1).encode())


def test_a_malformed_row_is_told_and_the_next_segment_is_read() -> None:
    """The row of processor 1 of the first interval is bad: the row above it, the partitions below and the next interval are read."""
    cases = [
        ("<col>&unknown;</col>", "undefined entity"),
        ("<col>1</row>", "mismatched tag"),
        ("<" * 20, "not well-formed"),
        ("<a>" * (xml_lines.DEEPEST + 1), "elements within each other"),
        ("<col>1</col>" * (xml_lines.MOST_CELLS + 1), "cells in a row"),
        ("\x01", "not well-formed"),
    ]
    row = re.search(r"<col>1</col>\s*<col>CP</col>", DOCUMENT)
    assert row
    found = read_each(DOCUMENT[: row.start()] + bad + DOCUMENT[row.start() :] for bad, _ in cases)
    for (_, told), tables in zip(cases, found, strict=True):
        assert any(told in text for text in tables[REJECT]["text"]), told
        assert tables[CPU].filter(interval_s=900.0)["processor_id"].to_list() == ["0"], told
        assert len(tables[CPU].filter(interval_s=899.998)) == 5
        assert len(tables[PARTITIONS]) == 14


def test_a_value_of_any_length_is_told_and_its_row_kept() -> None:
    tables = read(DOCUMENT.replace("<col>80.25</col>", f"<col>{'8' * (xml_lines.LONGEST_VALUE + 1)}</col>", 1))
    assert any("a value of 4,097 characters" in text for text in tables[REJECT]["text"])
    row = tables[CPU].filter(processor_id="1", interval_s=900.0).to_dicts()[0]
    assert (row["io_interrupts_per_s"], row["lpar_busy_pct"]) == (None, 21.1)


def test_a_truncated_document_gives_its_first_rows_and_says_so() -> None:
    documents = [DOCUMENT.encode()[: int(len(DOCUMENT) * k / 23)] for k in range(2, 23)]
    for data, tables in zip(documents, read_each(documents), strict=True):
        for name, rows in values(tables).items():
            assert rows == WHOLE[name][: len(rows)]
        assert xml_document.canonical_xml(data, "utf-8", is_last=True).problems
        assert not tables[REJECT].is_empty()


OTHER = (
    "<postprocessor><resource><resname>SYSA</resname><restype>SYSTEM</restype></resource><segment id='1'><name>Paging Activity</name>"
    "<part><var-list><var><name>A</name><value>1</value></var></var-list></part></segment></postprocessor></ddsml>"
)


@pytest.mark.parametrize(
    ("begin", "end", "within"),
    [
        pytest.param(0, "<restype>", "resource", id="first interval"),
        pytest.param(1, "rmf-report>z", "version", id="within a tag"),
        pytest.param(2, "</var>", "var", id="segment that is not read"),
    ],
)
def test_a_document_that_ends_anywhere_says_where(
    begin: int, end: str, within: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Within the head of an interval too, and where no line of a known report is beside it."""
    whole = DOCUMENT.partition("<rmf-mfpmsg>")[0] + OTHER
    at = [m.start() for m in re.finditer("<postprocessor>", whole)][begin]
    text = whole[: whole.index(end, at)]
    cut = tmp_path / "cut.xml"
    cut.write_text(text)
    (source,) = sources(cut, tmp_path)
    for size in (1 << 20, 1):
        monkeypatch.setattr(batches, "BATCH_BYTES", size)
        ranges = [batch.ranges[0] for batch in batches.plan([source])]
        assert len(ranges) == (begin + 1 if size == 1 else 1)
        parsed = parse([xml_segment(part) for part in ranges], Options())
        assert all(counts.closes for counts in parsed.counts)
        assert parsed.tables[REJECT].select(["text", "line"]).to_pylist() == [
            {"text": f"<malformed> the document ends within <{within}>", "line": text.count("\n") + 1}
        ]
    (told,) = ingest([str(cut)], tmp_path / "lake", Options()).files
    assert (told.status, told.rejects) == ("ingested", 1)


def test_bytes_of_another_code_page_are_read_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "latin.xml"
    path.write_bytes(DOCUMENT.replace("PPS: OPTIONS", "PPS: Überblick").encode("latin-1"))
    (told,) = ingest([str(path)], tmp_path / "lake", Options()).files
    assert told.status == "ingested"
    assert told.rejects == 0
    assert "is not UTF-8: read as" in told.note
    (failed,) = ingest([str(path)], tmp_path / "lake2", Options(encoding="utf-8")).files
    assert failed.status == "failed"


def test_an_element_without_end_is_an_error_and_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xml_document, "LONGEST_PIECE", 3 << 20)
    path = tmp_path / "long.xml"
    with path.open("w") as out:
        out.write(DOCUMENT[:5000])
        for _ in range(100):
            out.write("8" * (1 << 17))
    (told,) = ingest([str(path)], tmp_path / "lake", Options()).files
    assert told.status == "failed"
    assert told.error is not None
    assert "is longer than 3,145,728 bytes" in told.error


def test_hostile_documents_end_soon_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of a piece, values above its segments, which every segment repeats, and restarts of the parser are bounded."""
    monkeypatch.setattr(xml_lines, "MOST_LINES", 1000)
    part, segment, page = (DOCUMENT.index(tag) for tag in ("</part>", "<segment ", "</postprocessor>"))
    for at, more, told, most in (
        (part, "<q>1</q>" * 3000, "more than 1,000 lines", 1100),
        (segment, "<q>1</q>" * 3000, "more than 256 values above", 700),
        (page, "<segment><name>CPU Activity</name></segment>" * 3000, "more than 1,000 lines", 1300),
        (page, "<segment <" * 3000, "100 times; the rest of the interval is not read", 400),
    ):
        read = xml_document.canonical_xml((DOCUMENT[:at] + more + DOCUMENT[at:]).encode(), "utf-8", is_last=True)
        assert any(told in problem for problem in read.problems)
        assert len(read.numbers) < most
        # The second interval is read.
        assert "2024-10.15.00" in read.text.decode()
        assert read.text.count(b"\n") == len(read.numbers) == len(read.control)


# --- the same thing twice -------------------------------------------------------------------------------------------


def row_of(first_cell: str) -> str:
    """The first row of the document that begins with a cell."""
    found = re.search(rf"<row [^>]*>\s*<col>{re.escape(first_cell)}</col>.*?</row>", DOCUMENT, re.DOTALL)
    assert found
    return found[0]


def test_a_row_that_comes_again_is_told_and_both_are_kept() -> None:
    """Its key says that it is the same fact: nobody knows which is right, and views have no value where the two differ."""
    cases = [
        (table, row, other, told)
        for table, row, old, new, told in (
            (CPU, row_of("0"), "41.20", "41.30", "key CP, 0"),
            ("rmf_work_unit_queue", row_of("&lt;=N"), "<col>91.4<", "<col>91.5<", "key <=, 0"),
        )
        for other in (row, row.replace(old, new))
    ]
    assert len({other for _, _, other, _ in cases}) == 4
    found = read_each(DOCUMENT.replace(row, row + other, 1) for _, row, other, _ in cases)
    for (table, _, _, told), tables in zip(cases, found, strict=True):
        assert tables[REJECT]["what"].to_list() == [f"{table}: the {told} comes again on the page"]
        assert len(tables[table]) == len(INTACT[table]) + 1


DEACTIVATED = sample("partition_xml_deactivated").read_text()


def test_a_deactivated_partition_may_come_again_if_nothing_differs() -> None:
    """It has no type, so its key is not whole."""
    row = re.search(r"<row [^>]*>\s*<col>[^<]*</col>\s*<col>Deactivated</col>.*?</row>", DEACTIVATED, re.DOTALL)
    assert row
    again = read_text(DEACTIVATED.replace(row[0], row[0] * 2, 1))
    assert again[REJECT].height == read_text(DEACTIVATED)[REJECT].height
    other = read_text(DEACTIVATED.replace(row[0], row[0] + row[0].replace("Deactivated", "Active"), 1))
    assert [what for what in other[REJECT]["what"] if "comes again" in what]


def test_a_value_that_goes_on_in_the_next_line_is_left_out() -> None:
    """Whether the line end is a blank, nothing, or the end of one of two values, nobody knows."""
    text = sample("cpu_xml_two_intervals").read_text()
    assert "000000000001B2C3" in text
    tables = read_text(text.replace("000000000001B2C3", "0000000000\n01B2C3", 1))
    whole = read_text(text)["rmf_cpu_activity"]
    assert tables["parse_reject"]["text"].to_list() == [
        "<malformed> a line end within a value, left out: 0000000000 ⏎ 01B2C3"
    ]
    assert tables["rmf_cpu_activity"]["sequence_code"].null_count() == whole.height // 2
    assert tables["rmf_cpu_activity"].drop("sequence_code", "line").equals(whole.drop("sequence_code", "line"))


def test_a_document_that_is_cut_at_one_column_is_refused_once(tmp_path: Path) -> None:
    lines = sample("cpu_xml_two_intervals").read_text().splitlines()
    (tmp_path / "cut.xml").write_text("".join(line[:100] + "\n" for line in lines))
    (file,) = ingest([str(tmp_path / "cut.xml")], tmp_path / "lake", Options(), jobs=1).files
    assert file.status == "failed"
    assert "cut.xml: is cut at column 100: its longest lines end there" in str(file.error)


# --- Comments and CDATA sections: what stands in them is no interval --------------------------------------------------


INTERVAL = re.search("<postprocessor>.*?</postprocessor>", DOCUMENT, re.DOTALL)[0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("hidden", "encoding"),
    [
        *(pytest.param(f"<!-- {INTERVAL * 2} -->", name, id=f"comment in {name}") for name in ("utf-16-be", "cp037")),
        pytest.param(f"<!-- <![CDATA[ {INTERVAL} -->", "utf-8", id="comment with a section"),
        pytest.param(
            f"<!-- {INTERVAL * 300} -->", "utf-16-le", id="longer than what is read at once", marks=pytest.mark.slow
        ),
    ],
)
def test_an_interval_in_a_comment_is_none(hidden: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written = DOCUMENT.replace("</postprocessor>", f"</postprocessor>{hidden}", 1).encode(encoding)
    tables = read(written)
    assert tables[REJECT].is_empty()
    assert values(tables) == WHOLE
    path = tmp_path / "d.xml"
    path.write_bytes(written)
    monkeypatch.setattr(batches, "BATCH_BYTES", 1)
    (source,) = sources(path, tmp_path)
    ranges = [batch.ranges[0] for batch in batches.plan([source])]
    parsed = parse([xml_segment(part) for part in ranges], Options()).tables
    assert parsed[CPU].num_rows == len(WHOLE[CPU])
    assert REJECT not in parsed


def test_an_interval_in_a_character_section_is_no_row() -> None:
    """It is text, and more than any value of RMF has."""
    written = DOCUMENT.replace("</postprocessor>", f"</postprocessor><note><![CDATA[{INTERVAL}]]></note>", 1)
    tables = read_text(written.encode())
    assert values(tables) == WHOLE
    assert not tables[REJECT].is_empty()


def test_behind_a_comment_without_end_the_next_interval_is_read() -> None:
    tables = read_text(DOCUMENT.replace("</postprocessor>", "</postprocessor><!-- ", 1).encode())
    assert values(tables) == WHOLE
    assert not tables[REJECT].is_empty()


def test_reading_does_not_go_on_within_a_comment() -> None:
    """After a malformed row, with the next segment that is one."""
    segment = re.search("<segment .*?</segment>", INTERVAL, re.DOTALL)[0]  # type: ignore[index]
    bad = DOCUMENT.replace("<row", f"<col></row><!-- {segment} --><row", 1)
    rows = values(read_text(bad.encode()))
    assert rows[PARTITIONS] == WHOLE[PARTITIONS]
    assert len(rows[CPU]) == len(WHOLE[CPU]) // 2
