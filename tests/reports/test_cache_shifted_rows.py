"""Rows of Cache Subsystem Activity that are shifted by a column to either side, from any column on: no value of them is read as its neighbour's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

SAMPLES = ("cache_bypass_and_offline", "cache_delayed_operations", "cache_lost_title")
TABLES = ("rmf_cache_subsystem", "rmf_cache_request", "rmf_cache_miss", "rmf_cache_device")
ROW = re.compile(r"(NORMAL|SEQUENTIAL|CFW DATA|TOTAL|\*[A-Z-]+|[A-Z0-9]{6} +[0-9A-F]{4}) +\d.* [\d./NA]+$")
# What is further apart is of two tables.
WIDEST = 25
PLACES = {"source_id", "source_file", "page", "line"}
_TOP = "C A C H E   S U B"
Values = dict[tuple[str, int], dict[str, object]]


def pages(name: str) -> list[list[str]]:
    lines = sample(name).read_text().splitlines()
    tops = [k for k, line in enumerate(lines) if _TOP in line]
    return [lines[top:end] for top, end in pairwise([*tops, len(lines)])]


def shifted(line: str) -> Iterator[str]:
    """The cells from each on moved to the right by a column, whole, cut at the page's edge, and without the last cell that is left; and moved
    to the left, over a cell that is lost. A number is moved or lost whole."""
    cells = list(re.finditer(r"\S+(?: \S+)*", line))
    for here, behind in pairwise(cells):
        width = behind.end() - here.end()
        if width > WIDEST:
            continue
        right = line[: here.start()] + " " * width + line[here.start() :]
        cut = right[: len(line)]
        yield from (right, cut.rpartition(" ")[0].rstrip())
        if " " in right[len(line) - 1 : len(line) + 1]:
            yield cut.rstrip()
        without = line[: here.start()] + " " * (here.end() - here.start()) + line[here.end() :]
        start = behind.start() - width
        if start >= 0 and not without[max(start - 1, 0) : behind.start()].strip():
            yield without[:start] + without[behind.start() :]
    yield line[: cells[-1].start()].rstrip()


def read(variants: list[list[str]]) -> tuple[list[Values], set[tuple[int, int]]]:
    """The rows of each variant, by table and line in it, and (variant, line) of the rejects. All variants are as long."""
    tables = read_text("\n".join("\n".join(v) for v in variants) + "\n")
    size = len(variants[0])
    values: list[Values] = [{} for _ in variants]
    for name in TABLES:
        for row in tables[name].to_dicts():
            number, line = divmod(row["line"] - 1, size)
            values[number][name, line] = {k: v for k, v in row.items() if k not in PLACES}
    return values, {divmod(row["line"] - 1, size) for row in tables["parse_reject"].to_dicts()}


def test_the_rows_are_found() -> None:
    found = [ROW.match(line) is not None for name in SAMPLES for page in pages(name) for line in page]
    assert sum(found) >= 20


@pytest.mark.parametrize("name", SAMPLES)
def test_a_row_shifted_by_a_column_gives_no_value_of_a_neighbour(name: str) -> None:
    wrong = []
    for page in pages(name):
        changes = [(k, v) for k, line in enumerate(page) if ROW.match(line) for v in shifted(line) if v != line]
        found, rejected = read([page, *([*page[:k], v, *page[k + 1 :]] for k, v in changes)])
        true = found[0]
        for number, ((at, line), values) in enumerate(zip(changes, found[1:], strict=True), 1):
            other = [(k, c, v) for k, row in values.items() for c, v in row.items() if v not in (None, true[k][c])]
            lost = any(values.get(k) != row for k, row in true.items())
            if other or (lost and (number, at) not in rejected):
                wrong.append((line, other))
        assert len(changes) >= 50
    assert not wrong


def _changed(old: str, new: str) -> tuple[Values, Values, list[dict[str, str]]]:
    text = sample(SAMPLES[0]).read_text()
    assert text.count(old) == 1
    assert len(old) == len(new)
    (before,), _ = read([text.splitlines()])
    (after,), _ = read([text.replace(old, new).splitlines()])
    return before, after, read_text(text.replace(old, new))["parse_reject"].to_dicts()


@pytest.mark.parametrize(
    ("old", "new", "column", "what"),
    [
        ("45310    50.3   0.940", "45310           0.940", "read_hits_per_s", "no value under RATE"),
        ("45310    50.3   0.940", "45310    50.3    0.94", "read_hit_ratio", "a value of another form under H/R"),
        ("17.7    0.0      3.8    0.0   0.0   0.1    0.0    23.4  0.952  0.942  0.995    78.2\n*CACHE-",
         "17.7    0.0             0.0   0.0   0.1    0.0    23.4  0.952  0.942  0.995    78.2\n*CACHE-", "stage_per_s", "no value under STAGE"),
    ],
)  # fmt: skip
def test_a_cell_alone_that_is_wrong_is_a_reject_and_the_others_are_read(
    old: str, new: str, column: str, what: str
) -> None:
    before, after, rejects = _changed(old, new)
    assert before.keys() == after.keys()
    differ = {c for k, row in before.items() for c, v in row.items() if after[k][c] != v}
    assert differ - {f"{column}_resolution"} == {column}
    assert [row["what"] for row in rejects] == [f"rmf_cache_subsystem: {what}"]


def test_a_large_rate_may_be_its_neighbours() -> None:
    # The count, or the rate of a large one: both could print as 48211.
    _, after, rejects = _changed("3020     3.4   DFW", "3020           DFW")
    assert ("rmf_cache_miss", 33) not in after
    assert rejects[0]["what"].endswith("may be those of the columns beside; none is read")
