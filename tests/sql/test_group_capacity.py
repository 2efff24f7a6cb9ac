"""group_capacity: what the limit of a capacity group let its partitions use, and the finding that it held one back."""

from __future__ import annotations

import pytest
from one_lake import share_lake
from rmf_rows import processor
from views_lake import MemoryLake, Row


def member(partition: str | None, system: str | None = None, **other: object) -> Row:
    """A row of a page of SYSA: group G of 900 MSU/h."""
    row = processor(0, 0.0)
    for name in ("is_total", "thread", "processor_type", "processor_id", "online_pct", "lpar_busy_pct"):
        del row[name]
    group = {"system": "SYSA", "capacity_group": "G", "capacity_group_limit": 900.0, "capacity_group_available": -14.0}
    return row | group | {"partition": partition, "member_system": system, "is_total": partition is None} | other


def page() -> list[Row]:
    """As on sample_reports/rmf_group_capacity/group_capacity_two_groups.txt."""
    return [
        member("LP1", "SYSA", msu_used=201.0, weight=300.0, msu_entitled_min=225.0, capping_wlm_pct=41.0, capping_actual_pct=17.0, line=9),
        member("LP2", "SYSB", msu_used=585.0, weight=700.0, msu_entitled_min=525.0, capping_wlm_pct=41.0, capping_actual_pct=38.0, line=10),
        member("LP3", "SYSC", msu_used=96.0, weight=200.0, msu_entitled_min=150.0, capping_wlm_pct=0.0, capping_actual_pct=0.0, line=11),
        member(None, msu_used=882.0, weight=1200.0, line=13),
    ]  # fmt: skip


def test_a_partition_beside_its_group():
    """201 + 585 + 96 = 882 of 900 are 98%; 585 of 525 are 111.4%; 700 of 1200 are 58.3%. The total is no partition."""
    # A lake of its own: systems that share one are renamed, those in partitions are not.
    lake = MemoryLake(rmf_group_capacity=page())
    rows = {row["partition"]: row for row in lake.rows("FROM group_capacity")}
    assert set(rows) == {"LP1", "LP2", "LP3"}
    two = rows["LP2"]
    assert (two["group_msu_used"], two["group_use_of_limit_pct"]) == (882.0, pytest.approx(98.0))
    assert (two["use_of_entitlement_pct"], two["weight_share_pct"]) == (
        pytest.approx(111.42857),
        pytest.approx(58.33333),
    )
    assert [rows[name]["is_own"] for name in ("LP1", "LP2", "LP3")] == [True, False, False]
    assert [ref["line"] for ref in two["refs"]] == [10]


@share_lake
def test_the_group_is_unknown_where_one_partition_is():
    lake = yield {"rmf_group_capacity": [page()[0], page()[1] | {"msu_used": None}]}
    rows = lake.rows(
        "SELECT partition, msu_used, group_msu_used, group_use_of_limit_pct FROM group_capacity ORDER BY partition"
    )
    assert [tuple(row.values()) for row in rows] == [("LP1", 201.0, None, None), ("LP2", None, None, None)]


@share_lake
@pytest.mark.parametrize(("total", "used"), [(882.0, 882.0), (883.0, None), (None, 882.0)])
def test_the_group_is_unknown_where_a_partition_is_lost(total: float | None, used: float | None):
    """201 + 585 + 96 are 882: TOTAL of 883 has a partition more."""
    lake = yield {"rmf_group_capacity": [*page()[:3], member(None, msu_used=total, line=13)]}
    assert {row["group_msu_used"] for row in lake.rows("FROM group_capacity")} == {used}


@share_lake
def test_what_is_printed_twice_counts_once_and_what_differs_is_unknown():
    again = [row | {"source_id": "s2"} for row in page()]
    again[0] |= {"capping_actual_pct": 18.0}
    lake = yield {"rmf_group_capacity": page() + again}
    rows = {row["partition"]: row for row in lake.rows("FROM group_capacity")}
    assert rows["LP2"]["group_msu_used"] == 882.0
    assert (rows["LP1"]["capping_actual_pct"], rows["LP1"]["capping_wlm_pct"]) == (None, 41.0)
    assert len(rows["LP1"]["refs"]) == 2


def test_a_system_finds_the_cap_of_its_own_partition():
    """LP2 is told by the page of SYSB; LP3 is not held back."""
    lake = MemoryLake(rmf_group_capacity=[*page(), *(row | {"system": "SYSC", "source_id": "s2"} for row in page())])
    found = lake.rows("SELECT subject, system, value, unit FROM finding WHERE rule = 'group_capped_pct'")
    assert [tuple(row.values()) for row in found] == [("G LP1", "SYSA", 17.0, "% of the interval")]


@share_lake
def test_the_calendar_has_its_intervals():
    lake = yield {"rmf_group_capacity": page()}
    (row,) = lake.rows("SELECT report, system, intervals FROM report_coverage")
    assert tuple(row.values()) == ("RMF Group Capacity", "SYSA", 1)
