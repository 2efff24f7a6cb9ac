"""Page breaks within label and value pairs of CICS statistics, and a simulator log whose run time cannot be read: nothing
that is printed gets lost.
"""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.reading.engine import read_text
from page_variants import every, turns
from sample_pages import NOT_PRINTED, Tables, read_each, sample, sample_tables

TABLES = ("cics_db2_connection", "cics_db2entry_request", "cics_db2entry_resource", "cics_db2entry_performance")


def _values(tables: Tables) -> list[tuple[str, dict[str, object]]]:
    left_out = (*NOT_PRINTED, "page", "line")
    return [
        (name, {k: v for k, v in row.items() if k not in left_out})
        for name in TABLES
        for row in tables[name].iter_rows(named=True)
    ]


@every(6)
@pytest.mark.parametrize("name", ["cics_connection", "cics_dfh0stat_connection", "cics_dfh0stat_entries"])
def test_a_page_break_may_stand_in_front_of_any_pair(name: str, nth: int) -> None:
    lines = sample(name).read_text("utf-8").splitlines()
    first = max(k for k, line in enumerate(lines) if "applid" in line.lower())
    named = next(k for k, line in enumerate(lines) if k > first and "Name. ." in line)
    whole = _values(sample_tables(sample(name)))
    pairs = [at for at in range(named + 1, len(lines)) if lines[at].strip() and "Entry Name" not in lines[at]]
    assert len(pairs) > 12
    places, title = turns(pairs, nth, name), re.sub(r"PAGE +\d+", "PAGE    99", lines[first])
    pages = read_each("\n".join([*lines[:at], title, "", *lines[at:]]) + "\n" for at in places)
    for at, tables in zip(places, pages, strict=True):
        assert (_values(tables), tables["parse_reject"].height) == (whole, 0), lines[at]


def test_a_run_time_that_cannot_be_read_leaves_the_run() -> None:
    log = sample("simulator_run").read_text("utf-8")
    tables = read_text(log.replace("Run time = 00:03:02", "Run time = 1:00:03:02"))
    row = tables["workload_simulator_run"].row(0, named=True)
    assert (row["run_time_s"], row["page_elements"], row["page_element_response_s"]) == (None, 253144, 0.014)
    assert tables["parse_reject"]["what"].to_list() == ["run_time_s: '1:00:03:02' cannot be read"]
