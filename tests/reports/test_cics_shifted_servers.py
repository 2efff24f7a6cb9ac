"""Statistics of CICS servers print every number of their parts: a row of which one is blank may be shifted by a column, and gives none."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from ironlake.pipeline.reading.engine import read_text
from page_variants import difference, read_variants
from sample_pages import Tables, one, options_of, sample

PAGE = sample("servers_of_three_kinds")
ROW = re.compile(r" {11,}[\dK ]+$")
WIDTH = 10
POOL = {"server": "data_table"}


def _read(old: str, new: str) -> Tables:
    text = PAGE.read_text()
    assert text.count(old) == 1
    return read_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("row", "sizes"),
    [
        ("             32768K       N/A       256", (32768 * 1024, None, 256)),
        ("              1,024    65536K       256", (1024, 65536 * 1024, 256)),
    ],
)
def test_a_number_that_is_not_available_is_a_cell_too(row: str, sizes: tuple[int | None, ...]) -> None:
    tables = _read("             32768K    65536K       256\nTables", f"{row}\nTables")
    pool = one(tables, "cics_server_pool", **POOL)
    assert (pool["size_bytes"], pool["size_max_bytes"], pool["element_bytes"]) == sizes
    assert tables["parse_reject"].height == 0


def _variants(line: str) -> Iterator[str]:
    """A number lost, in place and with the others moved over it; the row moved by a column from each number on, whole and cut at the edge,
    or moved by some characters. A number is moved or lost whole."""
    for cell in re.finditer(r"\S+", line):
        yield line[: cell.start()] + " " * len(cell[0]) + line[cell.end() :]
        yield line[: cell.start()] + line[cell.end() :]
        yield " " * len(cell[0]) + line[: cell.start()] + line[cell.end() :]
        yield line[: cell.start()] + " " * WIDTH + line[cell.start() :]
        yield (line[: cell.start()] + " " * WIDTH + line[cell.start() :]).rpartition(" ")[0]
    for by in (1, 2, 3, WIDTH):
        yield " " * by + line
        yield line[by:]


def test_no_value_is_another_or_lost_without_a_reject() -> None:
    text = PAGE.read_text()
    lines = text.split("\n")
    changes = [(k, new) for k, line in enumerate(lines) if ROW.match(line) for new in _variants(line) if new != line]
    assert len(changes) >= 800
    pages = ["\n".join([*lines[:k], new, *lines[k + 1 :]]) for k, new in changes]
    whole, *variants = read_variants([text, *pages], options_of(PAGE))
    wrong = []
    for (k, new), after in zip(changes, variants, strict=True):
        found = difference(whole, after)
        # Titles without a number below them are the reject of a row of one number.
        in_silence = after.rejected_lines.isdisjoint({k, k + 1}) and found.lost
        if found.changed or found.extra or found.missing or in_silence:
            wrong.append((k + 1, lines[k], new, found))
    assert not wrong, f"{len(wrong)} of {len(changes)}, such as {wrong[:5]}"
