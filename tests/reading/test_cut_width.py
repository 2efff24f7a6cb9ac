"""Files whose lines were all cut at one column: what ends there is unreadable, never shorter, and one reject says so."""

from __future__ import annotations

import pytest
from ironlake.pipeline.declaration import bookkeeping
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

OF_THE_FILE = {table.name for table in bookkeeping.TABLES}
# Of texts, only names are known to be whole where they end; titles that lost words are left out with their column.
CUT = [
    ("cf_structures_mvs_1996", 100),
    ("cf_usage_summary", 100),
    ("chan_all_kinds_of_channels", 91),
    ("cpu_two_threads", 104),
    ("g1_percentile_goal", 100),
    ("g2_periods_of_a_class", 100),
    ("g3_stacked_blocks", 115),
    ("importance_summary", 80),
    ("list_of_tasks", 100),
    ("overview_new_year_over_pages", 80),
    ("partition_three_types", 120),
    ("statistics_member_report", 110),
    ("xcf_usage_side_by_side", 100),
]


@pytest.mark.parametrize(("name", "width"), CUT)
def test_what_ends_at_the_column_is_not_shorter(name: str, width: int) -> None:
    text = sample(name).read_text()
    whole = read_text(text)
    tables = read_text("".join(f"{line[:width].rstrip()}\n" for line in text.splitlines()))
    rejects = tables["parse_reject"]["what"].to_list()
    assert sum(f"all lines of this file were cut at column {width}" in what for what in rejects) == 1, rejects
    for table in tables.keys() - OF_THE_FILE:
        columns = [c for c in whole[table].columns if c not in ("source_id", "source_file")]
        printed = whole[table].rows_by_key("line", named=True, include_key=True)
        for row in tables[table].rows(named=True):
            assert any(
                all(row[c] in (None, one[c]) for c in columns) and row.get("period") == one.get("period")
                for one in printed[row["line"]]
            ), (table, row)


def test_periods_of_a_class_do_not_become_the_class() -> None:
    """Column 100 cuts PERIOD=1 and PERIOD=2 off; the class line of the whole class ends left of them and looks the same."""
    text = sample("g2_periods_of_a_class").read_text()
    tables = read_text("".join(f"{line[:100].rstrip()}\n" for line in text.splitlines()))
    assert tables["rmf_workload_activity"].is_empty()
