"""What is known of the shape of an interval gives the lines that the parser would read element by element, whatever the document has."""

from __future__ import annotations

import io
import re
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files import xml_document
from ironlake.pipeline.files.xml_lines import MOST_ABOVE, XmlLines
from sample_pages import sample
from sizes import some

DOCUMENTS = [
    sample(name).read_bytes()
    for name in ("cpu_xml_two_intervals", "cpu_xml_analysis_parts", "partition_xml_unreadable")
]
# Put anywhere into a document: most of them break it, or hide elements of it.
ODD = [
    "<col>", "</col>", "<col/>", "<row>", "</row>", "<part>", "<column-headers>", "</column-headers>", "<name>", "</value></var>",
    "<postprocessor>", "</postprocessor>", "<ddsml>", "</ddsml>", "<segment>", "</segment>", "<display-start>", "</report-interval>",
    "<!--", "-->", "<![CDATA[", "]]>", "<?x", "?>", "<?x?>", "<!", '">', ">", "<", ".", "|", "%s", "&amp;", "&none;", "&lt;", "&#65;",
    "A1", "00.00.00", "<var><name>a</name><value>1</value></var>",
]  # fmt: skip
ODD += ["<row type='SUM'>", '<row refno="1"><col>1</col></row>', '<row type="A"><col>1</col></row>', '<row type="A1">']
ODD += ['<q a="', "<column-headers x='1'>", "<message id='a'>", "<row>\n<col>\t</col></row>", "<col> 2 </col>"]
ODD += ["\0", "\1", "\n", "\r\n", "\r", "\t", " ", "é", "\U000f0000", "\n" * 9, "9" * 40, "x" * 5000]
ODD += ["<a>" * 40, "<col>1</col>" * 600]


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        if draw(st.booleans()):
            at = max(data.find(b"<", at), 0)
        if draw(st.booleans()):
            del data[at : at + draw(st.sampled_from([1, 3, 10, 100, 3000]))]
        else:
            data[at:at] = draw(st.sampled_from(ODD)).encode()
    # The same with other values: what is known of a piece must not be taken for what differs.
    return bytes(data) + (with_other_numbers(bytes(data), draw(st.integers(1, 4))) if draw(st.booleans()) else b"")


def with_other_numbers(document: bytes, turn: int) -> bytes:
    """With other digits in its texts, and more or fewer of them."""

    def other(number: re.Match[bytes]) -> bytes:
        digits = number[0].translate(bytes.maketrans(b"0123456789", b"1234567890"))
        return (digits + b"0.5")[: max(len(digits) + turn % 5 - 2, 1)]

    return re.sub(rb"(?<=>)[^<]+", lambda text: re.sub(rb"[0-9.]+", other, text[0]), document)


INTERVAL = b"""<postprocessor><metric id="CPU"><description>CPU</description></metric><resource><resname>SYSA</resname><restype>SYSTEM</restype>
</resource><time-data><display-start>04/12/2022-00.00.00</display-start><report-interval unit="minutes">15:00:000</report-interval></time-data>
<segment><name>CPU Activity</name><part><name>Part</name><var-list><var><name>Model</name><value>701</value></var></var-list>
<table><column-headers><col>Number</col></column-headers><row><col>1</col></row></table></part></segment>
<message id="ERB1"><description>text</description></message></postprocessor>
"""
# Put between any two tags of every interval of a document.
IN_ALL = (
    *("7", "1<?x?>2", "&#49;", "é", "|", "A\U000f0001", "&lt;", "<display-start/>7", "<display-end>7</display-end>", "<part>"),
    *("<var><name>a</name><value>7</value></var>", "<column-headers><col>Long title</col></column-headers>", "</part>"),
    *("<column-headers><col>Period 7 of 7</col><col>Other</col></column-headers><row><col>7</col><col>7</col></row>",),
    *('<row type="A7"><col>7</col><col>A</col></row>', "<resource><resname>A</resname><restype>SYSTEM7</restype></resource>"),
    *("<resource><resname>7</resname><restype>S1</restype></resource><resource><resname>A</resname><restype>S2</restype></resource>",),
    *("<row type='A&gt;7'><col>7</col><col>A</col></row>", "<row><col>1 of 7</col><col>7</col></row>", "<q a='7'>7</q>", "<q7>1</q7>"),
    *("<row><col>7</col></row>", "<segment><name>Two</name></segment>", "<message id='a'>", "<col>7</col></x>", "<a>"),
)  # fmt: skip


def told(data: bytes, is_last: bool) -> tuple:
    try:
        read = xml_document.canonical_xml(data, "utf-8", is_last)
    except IronlakeError as error:
        return (str(error),)
    return read.text, read.control, read.numbers.tolist(), read.file_lines, read.problems


@given(data=documents(), is_last=st.booleans())
def test_a_document_gives_the_lines_that_the_parser_alone_gives(data: bytes, is_last: bool) -> None:
    found = told(data, is_last)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_document, "read_alike", lambda pieces, *_: [None] * len(pieces))
        assert found == told(data, is_last)


def in_ranges(document: bytes) -> tuple:
    """A few pieces at a time, put together."""
    stream, read = io.BytesIO(document), []
    at = 0
    while at < len(document):
        piece = xml_document.take_pieces(stream, at, 4096, len(document), "utf-8")
        at += len(piece)
        read.append(xml_document.canonical_xml(piece, "utf-8", at == len(document)))
    above = accumulate((one.file_lines for one in read), initial=0)
    numbers = [number + lines for one, lines in zip(read, above, strict=False) for number in one.numbers.tolist()]
    return b"".join(one.text for one in read), b"".join(one.control for one in read), numbers


@pytest.mark.parametrize("odd", some(IN_ALL, 5))
def test_intervals_of_one_shape_give_their_own_values(odd: str) -> None:
    """What is known of an interval is used for those that differ in numbers alone: four of each shape, at once and in ranges."""
    tags = [found.start() for found in re.finditer(b"<", INTERVAL)][1:]
    shapes = [INTERVAL[:at] + odd.encode() + INTERVAL[at:] for at in tags]
    intervals = b"".join(one + b"".join(with_other_numbers(one, turn) for turn in (2, 3, 4)) for one in shapes)
    document = b"<ddsml>\n" + intervals + b"</ddsml>"
    found = told(document, is_last=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_document, "read_alike", lambda pieces, *_: [None] * len(pieces))
        assert found == told(document, is_last=True)
    assert found[:3] == in_ranges(document)


def read_by_parser(document: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple, int]:
    """What is told of a document, and how many times the parser was asked."""
    parsed, read = [], XmlLines.read

    def counted(lines: XmlLines, piece: bytes, *given: Any) -> int:
        parsed.append(piece)
        return read(lines, piece, *given)

    with monkeypatch.context() as patch:
        patch.setattr(XmlLines, "read", counted)
        return told(document, True), len(parsed)


def test_values_above_the_segments_are_those_of_each_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are on each page of its interval. Intervals that are alike are parsed once; one with too many values above is not taken for one
    of them."""
    variable = "<var><name>Model</name><value>{}</value></var>"
    interval = "<postprocessor><var-list>{}</var-list><segment><name>CPU</name></segment><segment><name>B</name></segment></postprocessor>"
    intervals = [interval.format(variable.format(number)) for number in range(1, 10)]
    intervals.insert(3, interval.format(variable.format(0) * (MOST_ABOVE + 1)))
    document = f"<ddsml>{''.join(intervals)}</ddsml>".encode()
    found, times = read_by_parser(document, monkeypatch)
    assert times < len(intervals)
    values = [line.split()[-1] for line in found[0].decode().splitlines() if line.startswith("<var>")]
    assert [value for value in values if value != "0"] == list("112233445566778899")
    assert "values above the segments" in found[-1][0]


def test_documents_of_one_interval_share_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site may write one for each interval: from the third on, the parser is not asked. The second it reads again with the number of its
    message, which is of the shape."""
    head = b'<?xml version="1.0"?><ddsml a="of this test">'
    asked = []
    for number in range(1, 5):
        document = head + INTERVAL.replace(b"701", b"7" * number) + b"</ddsml>"
        found, times = read_by_parser(document, monkeypatch)
        asked.append(times)
        assert f"| {'7' * number}\n" in found[0].decode()
    assert asked == [1, 2, 0, 0]


def test_cells_keep_their_columns_by_hand() -> None:
    """A number of another length moves no bar, unless it is wider than its column."""
    document = "".join(
        f'<?xml version="1.0"?><ddsml><segment><name>S</name><column-headers><col>Of {title}</col><col>Busy</col><col>Wait</col>'
        f"</column-headers><row><col>{first}</col><col>{second}</col><col>9</col></row></segment></ddsml>"
        for title, first, second in [(1, 1, 1.5), (1, 12345, 1000.25), (1, 2, "1234567890.5"), (234567890123, 1, 1.5)]
    )
    lines = told(document.encode(), True)[0].decode().splitlines()
    assert [line for line in lines if line.startswith("<row>")] == [
        "<row>      1              | 1.5      | 9",
        "<row>      12345          | 1000.25  | 9",
        "<row>      2              | 1234567890.5 | 9",
        "<row>      1               | 1.5      | 9",
    ]
    assert [line for line in lines if line.startswith("<cols>")][-1] == "<cols>     Of 234567890123 | Busy     | Wait"
