"""Rows that have lost blanks: a text that moves out of its column is a reject, never the value of the column beside it.

From every gap of two blanks or more, in every row of these pages, one to three blanks are taken, all but the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import read_each, sample, sample_tables

TEXTS = {
    "cf_usage_summary": {
        "rmf_cf_structure_summary": ("structure_type", "structure_name", "status", "status_change", "encrypted")
    },
    "cf_processors_and_subchannels": {
        "rmf_cf_subchannel_activity": ("system", "link_1_type"),
        "rmf_cf_channel_path": ("system", "channel_path_id", "channel_path_type", "adapter_port", "io_processor_ids"),
    },
    "cf_structure_continued_page_and_links": {
        "rmf_cf_to_cf_link": ("peer_cf", "receiver_type", "sender_type"),
        "rmf_cf_channel_path": ("peer_cf", "channel_path_id", "channel_path_type", "direction"),
    },
}


def rows_of(page: str) -> list[int]:
    """Indexes of the lines that are rows of its tables."""
    found = sample_tables(sample(page))
    return sorted({line - 1 for table in TEXTS[page] for line in found[table]["line"]})


def shortened(line: str) -> Iterator[str]:
    """The line with fewer blanks in one of its gaps."""
    for gap in re.finditer(r"(?<=\S) {2,}(?=\S)", line):
        for lost in range(1, min(3, len(gap[0]) - 1) + 1):
            yield line[: gap.start()] + line[gap.start() + lost :]


@pytest.mark.parametrize("page", TEXTS)
def test_a_row_that_lost_blanks_has_no_other_texts(page: str) -> None:
    lines = sample(page).read_text().splitlines()
    damaged = [(row, line) for row in rows_of(page) for line in shortened(lines[row])]
    assert len(damaged) > 50
    pages = [[*lines[:row], line, *lines[row + 1 :]] for row, line in damaged]
    tables = read_text("\n".join(line for each in pages for line in each) + "\n")
    rejected = set(tables["parse_reject"]["line"])
    for table, columns in TEXTS[page].items():
        whole = {row["line"]: row for row in sample_tables(sample(page))[table].iter_rows(named=True)}
        for row in tables[table].iter_rows(named=True):
            on_page, printed = (row["line"] - 1) // len(lines), whole[(row["line"] - 1) % len(lines) + 1]
            for column in columns:
                if row[column] != printed[column]:
                    assert row[column] is None, (damaged[on_page][1], column, row[column])
                    first = on_page * len(lines)
                    assert rejected & set(range(first + 1, first + len(lines) + 1)), (damaged[on_page][1], column)


# MODE, MAX CF, CF and AVG TD of IIP, as printed.
OF_IIP = {
    "threads_per_core": 2,
    "capacity_factor_max": 1.391,
    "capacity_factor": 1.204,
    "thread_density_avg": 1.473,
}


def test_titles_that_moved_over_other_numbers_give_none_of_them() -> None:
    """`CPU TYPE MODE` for `CPU TYPE    MODE`: MODE's 2 then stands below MAX CF, and two numbers across borders belong to CF alone."""
    heading = " CPU TYPE    MODE     MAX CF           CF      AVG TD"
    page = sample("cpu_v2r1_two_threads").read_text()
    assert heading in page
    cut = []
    for title in ("MODE", "MAX CF", "CF ", "AVG TD"):
        at = heading.rindex(title)
        blanks = at - len(heading[:at].rstrip())
        cut += [heading[: at - lost] + heading[at:] for lost in range(1, min(9, blanks))]
    for other, tables in zip(cut, read_each(page.replace(heading, other) for other in cut), strict=True):
        (row,) = tables["rmf_multithreading"].filter(processor_type="IIP").to_dicts()
        found = {name: row[name] for name in OF_IIP}
        assert {name: v for name, v in found.items() if v not in (None, OF_IIP[name])} == {}, other
        assert None not in found.values() or len(tables["parse_reject"]), other
