"""XML documents of RMF with comments and CDATA sections: what stands in them is no interval."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.reading.engine import parse, read_text
from test_xml import CPU, DOCUMENT, PARTITIONS, REJECT, WHOLE, read, sources, values, xml_segment

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
def test_an_interval_in_a_comment_is_none(
    hidden: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
