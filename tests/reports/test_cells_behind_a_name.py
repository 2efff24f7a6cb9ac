"""XML: rows of a name with several cells, of which each is a column."""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

PAGE = sample("cpu_xml_analysis_parts").read_text()
TABLE = "rmf_address_space_count"


def rows_of(name: str) -> list[str]:
    (row,) = (part for part in PAGE.split("<row") if f">{name}<" in part)
    return [f"<col{cell}" for cell in row.partition("</row>")[0].split("<col")[1:]]


@pytest.mark.parametrize("cells", [2, 4])
def test_a_row_with_another_number_of_cells_is_rejected_and_no_other(cells: int) -> None:
    name = "OUT WAIT Queue"
    row = rows_of(name)
    assert len(row) == 4
    changed = "".join((row + row[-1:])[: cells + 1])
    document = PAGE.replace("".join(row), changed)
    assert document != PAGE
    true, found = read_text(PAGE.encode()), read_text(document.encode())
    (before, *_), (after, *_) = true[TABLE].to_dicts(), found[TABLE].to_dicts()
    lost = {column for column in before if before[column] != after[column]} - {"source_id"}
    assert lost == {"out_wait_min", "out_wait_max", "out_wait_avg"}
    assert {after[column] for column in lost} == {None}
    nulls = {row["column"] for row in found["cell_null"].to_dicts() if row["reason"] == "unreadable"}
    assert nulls == lost
    (reject,) = found["parse_reject"].to_dicts()
    assert reject["what"] == f"rmf_cpu_activity: {cells} cells behind 'OUT WAIT Queue'"
    assert reject["expected"] == "3 cells"
    assert "OUT WAIT Queue" in reject["text"]
