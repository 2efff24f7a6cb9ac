"""What is taken from a document in bulk is what the parser would read element by element, whatever is around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.files import xml_document
from ironlake.pipeline.files.xml_bulk import RUN, Runs, elements, last_line, take_runs
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
    *("<var><name>a</name><value>b</value></var>", "<column-headers>", "</column-headers>", "<name>", "</value></var>"),
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
    *("\t", "é", " ", "x" * 5000, "<a>" * 40, "<col>1</col>" * 600, "<message id='a'>", "</segment>", "<segment>"),
    *("<postprocessor>", "</postprocessor>", "<ddsml>", "</ddsml>", f'<{RUN} n="0"/>'),
]


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
    return bytes(data)


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
        patch.setattr(xml_document, "take_runs", lambda document: Runs(document, []))
        assert found == told(data, is_last)


def test_nearly_all_of_a_document_is_taken_in_bulk() -> None:
    """The parser sees what is around, and the two rows with an entity: less than a quarter."""
    document = DOCUMENTS[0].decode()
    shorter, runs = take_runs(document)
    assert len(shorter) < len(document) / 4
    assert shorter.count("\n") == document.count("\n")
    tags = [element.kind for run in runs for element in elements(run)]
    rows, sums, entities = (document.count(some) for some in ("<row ", ' type="SUM"', "<col>&"))
    assert entities == 2
    assert (tags.count("row"), tags.count("row SUM")) == (rows - sums - entities, sums)
    assert tags.count("var") == document.count("<var>")


def test_a_run_is_read_by_hand() -> None:
    text = (
        '<a><column-headers><col type="T">CPU</col>\n<col> Busy %\n</col></column-headers>\n<row refno="1"><col>0</col><col/></row>\n'
        '\n<row refno="2" type="SUM">\n<col>ALL</col>\n<col>1.5</col></row><b/><var><name>N</name>\n<value>A B</value></var></a>'
    )
    shorter, runs = take_runs(text)
    assert shorter == f'<a><{RUN} n="0"/>' + "\n" * 7 + f'<b/><{RUN} n="1"/>\n</a>'
    assert [[(e.kind, e.cells, e.line, e.line + last_line(e.match)) for e in elements(run)] for run in runs] == [
        [("cols", ["CPU", "Busy %"], 0, 2), ("row", ["0", ""], 3, 3), ("row SUM", ["ALL", "1.5"], 5, 7)],
        [("var", ["N", "A B"], 0, 1)],
    ]
