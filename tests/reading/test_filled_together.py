"""Numbers that rows print together or not at all, and panels that print a name: a row that lost a number, or has one of another column, is not
read, and is a reject."""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

# A sample, what is printed, what a copy made of it, the table, and how many of its rows are lost.
BROKEN = [
    ("xcf_members", r"40,006      39,115", "39,115            ", "rmf_xcf_member", 1),
    ("xcf_members", r"77           0", "77           0" + " " * 39 + "77", "rmf_xcf_member", 0),
    ("xcf_usage_side_by_side", r"8,317   12   88", "8,317        88", "rmf_xcf_system", 1),
    ("xcf_paths_over_pages", r"908       2 ", "908         ", "rmf_xcf_path", 1),
    ("ioq_all_parts", r"0\.018    9", "0.018     ", "rmf_io_queue", 1),
    ("ioq_all_parts", r"   2   4   6 7C", "       4   6 7C", "rmf_io_queue", 1),
    ("summary_delays_and_tcbs", r"\.0310    \.0000", ".0310         ", "cics_monitoring_summary", 1),
]


@pytest.mark.parametrize(("name", "printed", "broken", "table", "lost"), BROKEN)
def test_a_row_is_whole_or_a_reject(name: str, printed: str, broken: str, table: str, lost: int) -> None:
    text = sample(name).read_text()
    assert re.search(printed, text)
    whole, tables = read_text(text), read_text(re.sub(printed, broken, text, count=1))
    rows, left = (t[table].drop("source_id").rows() for t in (whole, tables))
    assert len(rows) - len(left) == lost
    names = [
        k for k, c in enumerate(whole[table].drop("source_id").columns) if c in ("lcu", "alias_group", "peer_system")
    ]
    # A name that is printed once is unknown below the row.
    left, rows = ({tuple(v for k, v in enumerate(row) if k not in names) for row in some} for some in (left, rows))
    assert left <= rows
    assert len(tables["parse_reject"]) > len(whole["parse_reject"])


@pytest.mark.parametrize(
    ("name", "printed", "table", "column"),
    [
        # A title of several words that lost one, a class whose name is lost, and a column of a kind of row that never has it.
        ("accounting_trace", "L-LOCKS", "db2_accounting_counter", "block"),
        ("statistics_member_report", "LOCKING ACTIVITY", "db2_statistics_counter", "block"),
        ("discretionary_and_system_goals", "USING%--", "rmf_workload_delay", "delay_group"),
        ("g2_blank_trailing_cells", "SERVICE CLASS=BATIDLE", "rmf_workload_activity", "class_kind"),
        ("cpu_continued_page", "T01", "rmf_cpu_activity", "hardware_model"),
        ("two_digit_year_mvs", "SP5.2.0", "rmf_workload_activity", "release"),
    ],
)
def test_what_lost_a_word_is_not_another_name(name: str, printed: str, table: str, column: str) -> None:
    text = sample(name).read_text()
    lost = printed.split()[-1] if printed == "LOCKING ACTIVITY" else printed
    whole, tables = read_text(text), read_text(text.replace(printed, printed.replace(lost, " " * len(lost)), 1))
    assert set(tables[table][column].drop_nulls()) <= set(whole[table][column].drop_nulls())
    assert tables[table][column].null_count() + len(tables["parse_reject"]) > len(whole["parse_reject"])


def test_a_second_table_of_a_log_has_no_time_of_the_first_run() -> None:
    table = [
        "Benchmark           Mode  Cnt  Score   Error  Units",
        "a.B.c               avgt   25  0.874 ± 0.012  ms/op",
        "",
    ]
    tables = read_text("\n".join(["# Run complete. Total time: 01:12:09", "", *table, *table]))
    assert tables["jmh_result"]["run_time_s"].to_list() == [4329.0, None]
    assert tables["parse_reject"]["line"].to_list() == [6]
