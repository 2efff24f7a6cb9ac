"""RMF Coupling Facility Activity: names and titles that are lost or unknown. Values of pages stand beside them."""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import one, sample, sample_tables

SUMMARY, ACTIVITY, REJECT = "rmf_cf_structure_summary", "rmf_cf_structure_activity", "parse_reject"


@pytest.mark.parametrize("line", ["STRUCTURE NAME = DSNQ1_GBP32K", "COUPLING FACILITY NAME"])
def test_a_lost_name_is_not_replaced_by_a_neighbours(line: str) -> None:
    text = sample("cf_structures_asa_carriage_control").read_text()
    text = "".join(x for x in text.splitlines(keepends=True) if line not in x)
    rows = read_text(text, name="page")[ACTIVITY]
    assert set(rows["structure_name"]) <= {"DSNQ1_LOCK1", "DSNQ1_GBP32K"}
    assert rows.filter(structure_name="DSNQ1_LOCK1").height == 3
    if "FACILITY" in line:
        assert rows["cf_name"].null_count() == rows.height


def test_a_structure_that_has_its_total_does_not_go_on() -> None:
    """A page whose STRUCTURE NAME is lost must not be taken for more of the structure before."""
    first = sample("cf_shifted_columns").read_text()
    second = "".join(x for x in first.splitlines(keepends=True) if "STRUCTURE NAME" not in x)
    rows = read_text(first + second, name="page")
    assert rows[ACTIVITY].height == 3
    assert rows[REJECT].height == 1


def test_a_look_alike_is_named_and_not_read() -> None:
    lines = sample("cf_usage_summary").read_text().splitlines(keepends=True)
    tables = read_text("".join([*lines[:2], "  PRODUCED BY CMF ANALYZER\n", *lines[2:]]), name="page")
    assert SUMMARY not in tables or tables[SUMMARY].height == 0
    row = one(tables, "unknown_report")
    assert row["banner"] == "COUPLING FACILITY ACTIVITY (PRODUCED BY CMF ANALYZER, not RMF)"


def test_structures_below_a_spoilt_row_do_not_take_the_type_above_it() -> None:
    text = sample("cf_usage_summary").read_text().replace(" LOCK   DSNQ1_LOCK1 ", " LO?K   DSNQ1-LOCK1 ")
    tables = read_text(text)
    types = tables["rmf_cf_structure_summary"].filter(is_total=False).select("structure_name", "structure_type").rows()
    assert types == [
        ("IXCPATH1", "LIST"),
        ("MQQLIST7", "LIST"),
        ("IRLMQ_LOCK2", None),
        ("DSNQ1_GBP0", "CACHE"),
        ("DSNQ1_GBP32K", "CACHE"),
    ]
    assert tables["parse_reject"].height >= 1


def test_an_unknown_heading_of_storage_class_memory_is_a_reject_and_takes_no_other_lines() -> None:
    """No page shows the titles of that summary: others than those declared are not guessed."""
    text = sample("cf_storage_class_memory").read_text()
    before, tables = sample_tables(sample("cf_storage_class_memory")), read_text(text.replace("SCM SPACE", "SCM LIMIT"))
    assert [row["what"] for row in tables[REJECT].to_dicts()] == [
        f"rmf_coupling_facility_activity: unknown column title {title}" for title in ("MAX, %USED", "MAX, %USED")
    ]
    memory = tables["rmf_cf_storage_class_memory"]
    assert memory["memory_max_bytes"].null_count() == memory.height == 4
    assert memory["list_entries_max"].to_list() == before["rmf_cf_storage_class_memory"]["list_entries_max"].to_list()
    (usage,) = tables["rmf_cf_usage"].to_dicts()
    assert (usage["cf_level"], usage["utilization_pct"]) == (24, 18.3)
