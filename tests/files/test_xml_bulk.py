"""What is taken from a document in bulk is what the parser would read element by element, whatever is around it."""

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
from ironlake.pipeline.files.xml_bulk import RUN, Run, take_runs
from ironlake.pipeline.files.xml_lines import MOST_ABOVE, XmlLines
from sample_pages import sample

DOCUMENTS = [
    sample(name).read_bytes()
    for name in ("cpu_xml_two_intervals", "cpu_xml_analysis_parts", "partition_xml_unreadable")
]
# Put anywhere into a document: most of them break it, or hide elements of it.
ODD = [
    *(
        "<col>",
        "</col>",
        "<col/>",
        "<row>",
        "</row>",
        "<row type='SUM'>",
        '<row refno="1"><col>1</col></row>',
        "<part>",
    ),
    *("<var><name>a</name><value>1</value></var>", "<column-headers>", "</column-headers>", "<name>", "</value></var>"),
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x",
        "?>",
        '<q a="',
        '">',
        "&amp;",
        "&none;",
        "|",
        "%s",
        "\0",
        "\n",
        "\r\n",
        "\r",
    ),
    *(
        '<row type="A"><col>1</col></row>',
        "&lt;",
        "&#65;",
        "<?x?>",
        "<col> 2 </col>",
        "<!",
        "<column-headers x='1'>",
        "]]>",
        "\1",
    ),
    *(
        "<display-start>",
        "</report-interval>",
        "00.00.00",
        "<row>\n<col>\t</col></row>",
        f"{RUN}:0",
        "\n" * 9,
        ">",
        "<",
    ),
    *("\t", "é", " ", "x" * 5000, "<a>" * 40, "<col>1</col>" * 600, "<message id='a'>", "</segment>", "<segment>"),
    *("<postprocessor>", "</postprocessor>", "<ddsml>", "</ddsml>", f'<{RUN} n="0"/>'),
]
NEXT_DIGIT = bytes.maketrans(b"0123456789", b"1234567890")


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
    return bytes(data) + (with_other_digits(bytes(data)) if draw(st.booleans()) else b"")


def with_other_digits(document: bytes) -> bytes:
    return re.sub(rb"(?<=>)[0-9./:-]+(?=<)", lambda number: number[0].translate(NEXT_DIGIT), document)


INTERVAL = b"""<postprocessor><metric id="CPU"><description>CPU</description></metric><resource><resname>SYSA</resname><restype>SYSTEM</restype>
</resource><time-data><display-start>04/12/2022-00.00.00</display-start><report-interval unit="minutes">15:00:000</report-interval></time-data>
<segment><name>CPU Activity</name><part><name>Part</name><var-list><var><name>Model</name><value>701</value></var></var-list>
<table><column-headers><col>Number</col></column-headers><row><col>1</col></row></table></part></segment>
<message id="ERB1"><description>text</description></message></postprocessor>
"""
# Put between any two tags of every interval of a document.
IN_ALL = (
    *("7", "run-of-<?x?>elements:1", "&#114;un-of-elements:0", "&lt;", "<display-start/>7", "<display-end>7</display-end>", "<part>"),
    *("<var><name>a</name><value>7</value></var>", "<column-headers><col>Long title</col></column-headers>", "</part>"),
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
        patch.setattr(xml_document, "take_runs", lambda pieces: [None] * len(pieces))
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


@pytest.mark.parametrize("odd", IN_ALL)
def test_intervals_of_one_shape_give_their_own_values(odd: str) -> None:
    """What is known of an interval is used for those that differ in numbers alone: three of each shape, at once and in ranges."""
    tags = [found.start() for found in re.finditer(b"<", INTERVAL)][1:]
    shapes = [INTERVAL[:at] + odd.encode() + INTERVAL[at:] for at in tags]
    intervals = b"".join(one + with_other_digits(one) + with_other_digits(with_other_digits(one)) for one in shapes)
    document = b"<ddsml>\n" + intervals + b"</ddsml>"
    found = told(document, is_last=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_document, "take_runs", lambda pieces: [None] * len(pieces))
        assert found == told(document, is_last=True)
    assert found[:3] == in_ranges(document)


def test_values_above_the_segments_are_those_of_each_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are a run too, on each page of its interval. Intervals that are alike are parsed once; one with too many values above is not
    taken for one of them."""
    variable = "<var><name>Model</name><value>{}</value></var>"
    interval = "<postprocessor><var-list>{}</var-list><segment><name>CPU</name></segment><segment><name>B</name></segment></postprocessor>"
    intervals = [interval.format(variable.format(number)) for number in range(1, 10)]
    intervals.insert(3, interval.format(variable.format(0) * (MOST_ABOVE + 1)))
    document = f"<ddsml>{''.join(intervals)}</ddsml>".encode()
    parsed, read = [], XmlLines.read

    def counted(lines: XmlLines, piece: bytes, *given: Any) -> int:
        parsed.append(piece)
        return read(lines, piece, *given)

    monkeypatch.setattr(XmlLines, "read", counted)
    found = told(document, True)
    assert len(parsed) < len(intervals)
    values = [line.split()[-1] for line in found[0].decode().splitlines() if line.startswith("<var>")]
    assert [value for value in values if value != "0"] == list("112233445566778899")
    problem = found[-1][0]
    assert "values above the segments" in problem
    monkeypatch.setattr(xml_document, "take_runs", lambda pieces: [None] * len(pieces))
    assert found == told(document, True)


def test_nearly_all_of_a_document_is_taken_in_bulk() -> None:
    """The parser sees what is around: less than a quarter."""
    document = DOCUMENTS[0]
    (found,) = take_runs([document])
    assert found
    assert len(found.document) < len(document) / 4
    assert found.document.count(b"\n") == document.count(b"\n")
    lines = b"".join(run.text for run in found.runs).decode().splitlines()
    rows, sums = document.count(b"<row "), document.count(b' type="SUM"')
    assert document.count(b"<col>&") == 2
    tags = [line.split("  ")[0] for line in lines]
    assert (tags.count("<row>") + tags.count(""), tags.count("<row SUM>")) == (rows - sums, sums)
    assert tags.count("<var>") == document.count(b"<var>")


def widths_of(run: Run) -> list[int] | None:
    return None if run.widths is None else run.widths.tolist()


def test_a_run_is_read_by_hand() -> None:
    text = (
        b'<a><column-headers><col type="T">CPU</col>\n<col> Busy %\n</col></column-headers>\n<row refno="1"><col>&lt;=0</col><col/></row>\n'
        b'\n<row refno="2" type="SUM">\n<col>ALL</col>\n<col>1.5</col></row><row><col/><col/></row><b/><var><name>N</name>\n'
        b"<value>A\nB &amp;lt; C</value></var></a>"
    )
    (found,) = take_runs([text])
    assert found
    assert (
        found.document
        == (f'<a><{RUN} n="0" begins="2"/>' + "\n" * 7 + f'<b/><{RUN} n="1" begins="2"/>' + "\n\n</a>").encode()
    )
    assert [
        (run.text.decode().splitlines(), run.numbers.tolist(), run.begins, widths_of(run)) for run in found.runs
    ] == [
        (
            [
                "<cols>     CPU            | Busy %",
                "<row>      <=0            |",
                "<row SUM>  ALL            | 1.5",
                "",
            ],
            [0, 3, 5, 7],
            2,
            [14, 8],
        ),
        ([f"<var>      {'N'.ljust(48)} | A B &lt; C"], [7], 9, None),
    ]


def test_pieces_that_are_read_together_are_read_as_each_alone() -> None:
    """A piece in which < and > do not take turns, or that has a comment, leaves the others as they are."""
    good = b"<ddsml><var><name>A</name><value>1</value></var></ddsml>"
    odd = [good.replace(b"<value>1", b"<value>1>0"), good.replace(b"<var>", b"<!-- a --><var>"), good[:-8]]
    together = take_runs([good, odd[0], good, odd[1], odd[2], good])
    assert [bool(one) for one in together] == [True, False, True, False, True, True]
    assert [one and one.document for one in together] == [
        one and one.document for piece in (good, odd[0], good, odd[1], odd[2], good) for one in take_runs([piece])
    ]
