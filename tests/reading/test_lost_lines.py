"""Pages and logs that have lost the line which says whose they are: what stands below is told and never given to another.

Pages are those of the samples without some of their lines. Every value was read off its page by eye.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl
import pytest
from ironlake.pipeline.declaration import bookkeeping
from ironlake.pipeline.reading.engine import read_text
from sample_pages import one, parse_each, read_each, sample, sample_tables

REQUEST, CONNECTION, REJECT = "cics_db2entry_request", "cics_db2_connection", "parse_reject"
OUT_OF_TURN = "cics_statistics: a page begins here without its heading, or part of it; what it names is unknown"


def without(text: str, lost: Iterable[int]) -> str:
    gone = set(lost)
    return "".join(line for k, line in enumerate(text.splitlines(keepends=True)) if k not in gone)


def places(text: str, pattern: str) -> list[int]:
    """Indexes of the lines that have it."""
    return [k for k, line in enumerate(text.splitlines()) if re.search(pattern, line)]


# --- A page that lost its top behind another page ----------------------------------------------------------------------------

OF_THE_FILE = {table.name for table in bookkeeping.TABLES}
# Two pages of a report whose headings differ, and how many lines the second loses at most; one more, and nothing of its heading is left.
PAIRS = {
    ("cics_liberty_report_class", "importance_summary"): 5,
    ("cf_usage_summary", "cf_usage_mvs_1996"): 5,
    ("chan_all_kinds_of_channels", "chan_managed_groups_older"): 5,
    ("cpu_two_threads", "cpu_v2r4_work_unit_queue"): 8,
    ("partition_three_types", "partition_continued_page"): 8,
    ("device_synchronous_io", "device_without_storage_groups"): 6,
    ("xcf_usage_side_by_side", "xcf_usage_halves_below_each_other"): 6,
    ("cache_bypass_and_offline", "cache_delayed_operations"): 5,
    ("statistics_member_report", "statistics_shifted_three_blocks"): 4,
    ("accounting_long_report", "accounting_times_of_all_parts"): 4,
}


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_page_that_lost_its_top_is_not_read_as_the_page_before(first: str, second: str) -> None:
    """Each value is the one that the whole page gives, or missing, and what is missing has a reject."""
    above, page = sample(first).read_text(), sample(second).read_text()
    whole, begins = read_text(page), above.count("\n")
    for lost in range(1, PAIRS[first, second] + 1):
        tables, rows = read_text(above + without(page, range(lost))), 0
        for name in whole.keys() & tables.keys() - OF_THE_FILE:
            columns = [c for c in whole[name].columns if c not in ("source_id", "source_file", "page", "line")]
            of_line = whole[name].rows_by_key("line", named=True)
            for row in tables[name].filter(pl.col("line") > begins).rows(named=True):
                rows += 1
                printed = of_line[row["line"] - begins + lost]
                assert any(all(row[c] in (None, one[c]) for c in columns) for one in printed), (lost, name, row)
        assert rows
        assert lost < 3 or len(tables[REJECT]), lost


def test_a_name_that_contradicts_the_heading_is_of_another_page() -> None:
    """The page of SYSA from its line OUTBOUND FROM SYSA on, below a page of SYSB; and a class of another policy."""
    above, page = (sample(name).read_text() for name in ("xcf_usage_halves_below_each_other", "xcf_usage_side_by_side"))
    tables = read_text(above + without(page, range(places(page, "OUTBOUND FROM")[0])))
    below = tables["rmf_xcf_system"].filter(pl.col("line") > above.count("\n"))
    assert below.select("system", "interval_start").row(0) == ("SYSA", None)
    policies = sample("importance_summary").read_text()
    other = policies[policies.index("POLICY=STANDARD") :].replace("STANDARD", "NIGHTPOL")
    tables = read_text(policies + other)
    assert tables["rmf_workload_activity"].select("policy", "sysplex").rows() == [
        ("STANDARD", "PLEXB"),
        ("NIGHTPOL", None),
    ]
    assert tables[REJECT]["what"].str.contains("without its heading").all()


# --- CICS statistics without carriage control ------------------------------------------------------------------------------


def test_a_table_that_comes_again_is_of_no_region() -> None:
    text = sample("cics_uppercase_two_regions").read_text()
    tables = read_text(without(text, places(text, "^UNSOLICITED")))
    assert tables[REQUEST].select("applid", "db2entry", "calls").rows() == [
        ("CICSORD1", "ORDERENT", 91827),
        ("CICSORD1", None, 91827),
    ]
    assert tables[REJECT].select("line", "what", "expected").rows() == [(20, OUT_OF_TURN, "PAGE_LINE above")]


def test_a_connection_below_the_entries_is_of_no_region() -> None:
    """The first page of the second region has lost its line: its connection stands below the entries of the first."""
    text = sample("cics_table_over_page_break").read_text()
    other = text.replace("CICSORD1", "CICSPAY9")
    tables = read_text(text + without(other, [0]))
    assert tables[CONNECTION]["applid"].to_list() == ["CICSORD1"]
    assert tables[REQUEST].group_by("applid").len().sort("applid").rows() == [("CICSORD1", 9), ("CICSPAY9", 9)]
    assert OUT_OF_TURN in tables[REJECT]["what"].to_list()


def test_a_page_line_names_what_stands_below_it_again() -> None:
    text = sample("cics_uppercase_two_regions").read_text()
    third = text.replace("CICSORD1", "CICSNEW3")
    tables = read_text(without(text, places(text, "^UNSOLICITED")) + third)
    assert tables[REQUEST]["applid"].unique(maintain_order=True).to_list() == ["CICSORD1", "CICSNEW3", "CICSPAY#"]


# --- RMF Overview ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [0, 1])
def test_an_overview_that_lost_its_title_is_read(page: int) -> None:
    name = "overview_new_year_over_pages"
    text = sample(name).read_text()
    tables = read_text(without(text, [places(text, "R M F")[page]]))
    columns = ("system", "interval_start", "overview_column", "value", "range_end")
    assert tables["rmf_overview"].select(columns).equals(sample_tables(sample(name))["rmf_overview"].select(columns))
    assert tables[REJECT].is_empty()


@pytest.mark.parametrize("lines", [3, 4])
def test_an_overview_that_lost_its_heading_is_of_no_system(lines: int) -> None:
    """Title, page number and SYSTEM ID are gone, and the line of END as well."""
    text = sample("overview_new_year_over_pages").read_text()
    tables = read_text(text + without(text.replace("PRD1", "PRD7"), range(lines)))
    systems = tables["rmf_overview"].group_by("system", "interval_start", maintain_order=True).len()
    assert systems["system"].to_list() == [*["PRD1"] * 5, None, *["PRD7"] * 2]
    assert systems["interval_start"][5] is None
    expected = tables[REJECT].select("line", "expected").rows()
    assert expected[0] == (
        22 if lines == 3 else 23,
        "SYSTEM_LINE above" if lines == 3 else "SYSTEM_LINE, VERSION_LINE above",
    )
    assert len(expected) == (2 if lines == 3 else 1), "VERSION_LINE without its partner has no interval"


# --- Partition Data ----------------------------------------------------------------------------------------------------------


def test_a_partition_cut_before_its_type_is_a_reject() -> None:
    text = sample("partition_three_types").read_text()
    line = text.splitlines()[places(text, r"^PRDB .* IIP ")[0]]
    whole = sample_tables(sample("partition_three_types"))["rmf_partition_data"]
    columns = ("partition", "processor_type", "weight", "total_dispatch", "status")
    left = whole.filter((whole["partition"] != "PRDB") | (whole["processor_type"] != "IIP") | whole["is_total"])
    for tables in read_each(text.replace(line, line[:width].rstrip()) for width in (11, 14, 20, 30, 48, 51)):
        assert tables["rmf_partition_data"].select(columns).rows() == left.select(columns).rows()
        assert tables[REJECT]["line"].to_list() == [28]


def test_what_follows_a_partition_that_is_cut_is_not_of_the_type_above() -> None:
    """CF1 is the only one of its type: *PHYSICAL* and TOTAL below it are not those of the CPs."""
    text = sample("partition_three_types").read_text()
    (line,) = places(text, r"^CF1 ")
    lines = text.splitlines()
    lines[line] = lines[line][:48]
    tables = read_text("\n".join(lines) + "\n")
    assert tables["rmf_partition_data"]["line"].to_list() == [15, 16, 17, 18, 20, 27, 28, 29, 31, 32]
    assert tables[REJECT].select("line", "lines").rows() == [(22, 1), (23, 3)]


def test_a_partition_out_of_its_columns_has_no_other_name_or_type() -> None:
    """The row of CF1 moved against its heading: *PHYSICAL* and TOTAL, which take their type from it, have none either."""
    text = sample("partition_three_types").read_text()
    line = text.splitlines()[places(text, r"^CF1 ")[0]]
    for tables in read_each(text.replace(line, "CF1" + " " * (7 + blanks) + line[10:]) for blanks in (-5, 5, 6)):
        rows = tables["rmf_partition_data"].filter(tables["rmf_partition_data"]["line"].is_in([22, 23, 25]))
        assert set(rows["partition"]) <= {"CF1", "*PHYSICAL*", None}
        assert set(rows["processor_type"]) <= {"ICF", None}
        assert 22 in tables[REJECT]["line"].to_list()


# --- Page lines of RMF --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["z/OS V2R2", "RPT VERSION", "POLICY ACTIVATION"])
def test_a_page_that_lost_a_page_line_takes_it_from_no_earlier_page(lost: str) -> None:
    first = sample("g2_blank_trailing_cells").read_text()
    second = first
    changes = {"PLEXA": "PLEXB", "V2R2 ": "V2R3 ", "TIME 0": "TIME 1", "DATE/TIME 0": "DATE/TIME 1"}
    for printed, other in changes.items():
        assert printed in first
        second = second.replace(printed, other)
    text = first + without(second, places(second, lost.replace("V2R2", "V2R3")))
    rows = read_text(text)["rmf_workload_activity"].to_dicts()
    assert len(rows) % 2 == 0
    of_first, of_second = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    names = ("sysplex", "release", "report_version", "interval_start", "interval_end", "policy_activated_at")
    for name in names:
        assert {row[name] for row in of_first}.isdisjoint({row[name] for row in of_second}), name
    assert any(row[name] is None for row in of_second for name in names)


# --- Resource groups of the service policy page --------------------------------------------------------------------------------

RGBATCH, TRGBANK1 = [("RGBATCH", "Night batch")], [("TRGBANK1", "Tenant bank one")]
NO_GROUP = [(None, None)]
LOST_GROUP = "system: the row that names its group is missing"


@pytest.mark.parametrize(
    ("lost", "groups", "reject"),
    [
        # The systems of a group are printed before its classes: SYSA below BATTEST is of another group.
        ("^  TRGBANK1 ", RGBATCH * 5 + NO_GROUP * 2, [26]),
        ("^  RGBATCH ", NO_GROUP * 4 + TRGBANK1 * 3, [20]),
        ("^  RGBATCH |^  TRGBANK1 ", NO_GROUP * 6, [20, 25]),
        # Other rows of a group may be lost: those that are left are still its own.
        ("BATPROD", RGBATCH * 4 + TRGBANK1 * 3, []),
        ("SYSB ", RGBATCH * 4 + TRGBANK1 * 3, []),
    ],
)
def test_rows_of_a_resource_group_that_lost_its_first_are_of_none(
    lost: str, groups: list[tuple[str | None, str | None]], reject: list[int]
) -> None:
    lines = sample("service_policy_page_tenants").read_text().splitlines(keepends=True)
    begin = next(k for k, line in enumerate(lines) if line.startswith("RESOURCE GROUPS"))
    tables = read_text("".join(line for k, line in enumerate(lines) if k < begin or not re.search(lost, line)))
    assert tables["rmf_resource_group"].select("resource_group", "description").rows() == groups
    assert tables[REJECT].select("line", "what").rows() == [(line, LOST_GROUP) for line in reject]


def test_rows_below_a_resource_group_that_cannot_be_read_are_of_none() -> None:
    text = sample("service_policy_page").read_text()
    tables = read_text(text.replace("  LIMIT50  ", "  L?MIT50  "))
    found = tables["rmf_resource_group"].select("resource_group", "class_name").rows()
    assert [row for row in found if row[1] in ("BATPROD", "BATTEST")] == [(None, "BATPROD"), (None, "BATTEST")]
    assert tables[REJECT].height == 2


# --- Logs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lost", "line"), [("Run time", 9), ("Run time|Clients completed", 9)])
def test_a_simulator_log_without_a_run_time_says_so(lost: str, line: int) -> None:
    text = sample("simulator_run").read_text()
    tables = read_text(without(text, places(text, lost)))
    assert tables["workload_simulator_run"].is_empty()
    assert tables["unknown_report"].is_empty()
    reject = one(tables, REJECT)
    assert (reject["line"], reject["expected"]) == (line, "RUN_TIME")
    assert "without its heading" in reject["what"]


def test_a_jmh_log_without_titles_says_so() -> None:
    text = sample("jmh_run_with_profiler").read_text()
    tables = read_text(without(text, places(text, "^Benchmark  ")))
    assert tables["jmh_result"].is_empty()
    assert tables["unknown_report"].is_empty()
    assert tables[REJECT].select("line", "lines").rows() == [(36, 7)]


# --- Several sources read at once ----------------------------------------------------------------------------------------------


def test_a_heading_that_cannot_be_read_is_told_for_every_source() -> None:
    """Two systems' files with the same damage are read in one batch."""
    path = sample("overview_new_year_over_pages")
    damaged = without(path.read_text(), places(path.read_text(), "SYSTEM ID"))
    rejects = parse_each([damaged, damaged]).tables[REJECT].to_pylist()
    assert [(r["source_id"], r["line"]) for r in rejects] == [("0", 3), ("1", 3)]
