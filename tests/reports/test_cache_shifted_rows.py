"""Rows of requests and misses of Cache Subsystem Activity whose values stand in other columns than the titles say: none of them is read as its neighbour's."""

import re
from itertools import pairwise

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

TEXT = sample("cache_bypass_and_offline").read_text()
# A row of each table, the table, and the first of its cells that can move.
ROWS = {
    "requests": (r"^NORMAL +48211 .*$", "rmf_cache_request", 1),
    "misses": (r"^NORMAL +2901 .*$", "rmf_cache_miss", 1),
}


def shifted(line: str, first: int) -> list[str]:
    """The line with all cells from one on moved to the right by a column of the table."""
    cells = list(re.finditer(r"\S+", line))[first:]
    widths = [behind.end() - here.end() for here, behind in pairwise(cells)]
    starts = [cell.start() for cell in cells]
    return [line[:at] + " " * width + line[at:] for at, width in zip(starts, widths, strict=False)]


@pytest.mark.parametrize("name", ROWS)
def test_a_row_shifted_by_a_column_gives_no_value_of_a_neighbour(name: str) -> None:
    pattern, table, first = ROWS[name]
    (line,) = re.findall(pattern, TEXT, re.MULTILINE)
    number = TEXT.split("\n").index(line) + 1

    def row(text: str) -> dict[str, object]:
        rows = [row for row in read_text(text)[table].to_dicts() if row["line"] == number]
        return rows[0] if rows else {}

    whole = row(TEXT)
    assert whole
    wrong = {}
    for other in shifted(line, first):
        found = row(TEXT.replace(line, other))
        if changed := {c: (whole[c], v) for c, v in found.items() if v is not None and v != whole[c]}:
            wrong[other] = changed
    assert not wrong
