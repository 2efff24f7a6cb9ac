"""group_capacity: what the limit of a capacity group let its partitions use, and the finding that it held one back."""

from __future__ import annotations

import datetime as dt

import pytest
from rmf_rows import processor
from views_lake import MemoryLake, Row, expect

MINUTE = dt.timedelta(minutes=1)


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
    expect(two, group_msu_used=882.0, group_use_of_limit_pct=pytest.approx(98.0))
    expect(two, use_of_entitlement_pct=pytest.approx(111.42857), weight_share_pct=pytest.approx(58.33333))
    assert [rows[name]["is_own"] for name in ("LP1", "LP2", "LP3")] == [True, False, False]
    assert [ref["line"] for ref in two["refs"]] == [10]


def test_the_group_is_unknown_where_one_partition_is():
    lake = yield {"rmf_group_capacity": [page()[0], page()[1] | {"msu_used": None}]}
    rows = lake.rows(
        "SELECT partition, msu_used, group_msu_used, group_use_of_limit_pct FROM group_capacity ORDER BY partition"
    )
    assert [tuple(row.values()) for row in rows] == [("LP1", 201.0, None, None), ("LP2", None, None, None)]


@pytest.mark.parametrize(("total", "used"), [(882.0, 882.0), (883.0, None), (None, 882.0)])
def test_the_group_is_unknown_where_a_partition_is_lost(total: float | None, used: float | None):
    """201 + 585 + 96 are 882: TOTAL of 883 has a partition more."""
    lake = yield {"rmf_group_capacity": [*page()[:3], member(None, msu_used=total, line=13)]}
    assert {row["group_msu_used"] for row in lake.rows("FROM group_capacity")} == {used}


@pytest.mark.parametrize(
    ("total", "weight", "used"),
    [
        (880.0, 1200.0, 882.0),
        (884.0, 1200.0, 882.0),
        (879.0, 1200.0, None),
        (885.0, 1200.0, None),
        (883.0, 1201.0, None),
    ],
)
def test_a_total_may_differ_by_the_rounding_of_all_partitions(total: float, weight: float, used: float | None):
    """Three partitions and their total are each half an MSU off at most, which makes 2. Without a weight a partition is lost."""
    lake = yield {"rmf_group_capacity": [*page()[:3], member(None, msu_used=total, weight=weight, line=13)]}
    assert {row["group_msu_used"] for row in lake.rows("FROM group_capacity")} == {used}


@pytest.mark.parametrize(("total", "share"), [(1200.0, 100 * 300 / 1200), (1300.0, None), (None, 25.0)])
def test_the_share_is_unknown_where_a_partition_is_lost(total: float | None, share: float | None):
    """300 + 700 + 200 are 1200: TOTAL of 1300 has a partition more, of which 300 are not a quarter."""
    lake = yield {"rmf_group_capacity": [*page()[:3], member(None, msu_used=882.0, weight=total, line=13)]}
    (row,) = lake.rows("SELECT weight_share_pct, group_msu_used FROM group_capacity WHERE partition = 'LP1'")
    assert tuple(row.values()) == (share and pytest.approx(share), 882.0)


def test_the_share_is_unknown_where_one_weight_is():
    lake = yield {"rmf_group_capacity": [page()[0], page()[1] | {"weight": None}]}
    assert [row["weight_share_pct"] for row in lake.rows("FROM group_capacity")] == [None, None]


def test_groups_systems_and_intervals_are_apart():
    """H has no limit, weight and entitlement: nothing is to be divided by. SYSB, the next minute and the duration have another LP1 of 50 MSU/h alone."""
    other = member("LP1", "SYSA", msu_used=50.0, weight=10.0, msu_entitled_min=100.0)
    next_minute = {"interval_start": other["interval_end"], "interval_end": other["interval_end"] + MINUTE}
    of_h = {"capacity_group": "H", "capacity_group_limit": 0.0}
    lake = yield {
        "rmf_group_capacity": [
            *page(),
            member("LP9", "SYSX", msu_used=43.0, weight=0.0, msu_entitled_min=0.0, **of_h),
            member(None, msu_used=43.0, weight=0.0, **of_h),
            other | {"system": "SYSB"},
            other | next_minute,
            other | {"report_kind": "duration"},
        ]
    }
    rows = lake.rows("FROM group_capacity ORDER BY capacity_group, system, report_kind DESC, interval_start, partition")
    assert [
        (r["partition"], r["group_msu_used"], r["group_use_of_limit_pct"], r["weight_share_pct"]) for r in rows
    ] == [
        ("LP1", 882.0, pytest.approx(98), pytest.approx(25)),
        ("LP2", 882.0, pytest.approx(98), pytest.approx(100 * 700 / 1200)),
        ("LP3", 882.0, pytest.approx(98), pytest.approx(100 * 200 / 1200)),
        *[("LP1", 50.0, pytest.approx(100 * 50 / 900), 100.0)] * 3,
        ("LP9", 43.0, None, None),
    ]
    assert [r["use_of_entitlement_pct"] for r in rows[3:]] == [50.0, 50.0, 50.0, None]


# What is printed of a partition, and what the view calculates from it.
FROM_ONE: Row = {"member_system": ("member_system", "is_own")}
FROM_ONE |= {"capacity_group_limit": ("capacity_group_limit", "group_use_of_limit_pct")}
FROM_ONE |= {"capacity_group_available": ("capacity_group_available",), "msu_defined": ("msu_defined",)}
FROM_ONE |= {"msu_used": ("msu_used", "group_msu_used", "group_use_of_limit_pct", "use_of_entitlement_pct")}
FROM_ONE |= {"weight": ("weight_share_pct",), "msu_entitled_min": ("msu_entitled_min", "use_of_entitlement_pct")}
FROM_ONE |= {"msu_entitled_max": ("msu_entitled_max",), "capping_wlm_pct": ("capping_wlm_pct",)}
ALL = {"msu_defined": 0.0, "msu_entitled_max": 900.0}


@pytest.mark.parametrize("column", FROM_ONE)
def test_what_two_prints_of_a_partition_say_differently_is_unknown(column: str):
    """And nothing else."""
    (row, *_) = page()
    first = row | ALL
    again = first | {"source_id": "s2", column: "SYSZ" if column == "member_system" else 77.0}
    (found,) = (yield {"rmf_group_capacity": [first, again]}).rows("FROM group_capacity")
    assert {name for name, value in found.items() if value is None} == set(FROM_ONE[column])


@pytest.mark.parametrize("again", [{"msu_used": 883.0}, {"msu_used": 881.0}, {"weight": 1199.0}, {"weight": 1201.0}])
def test_a_total_that_two_prints_say_differently_is_not_the_sum(again: Row):
    lake = yield {"rmf_group_capacity": [*page(), page()[3] | {"source_id": "s2"} | again]}
    (row,) = lake.rows(
        "SELECT group_msu_used AS msu_used, weight_share_pct AS weight FROM group_capacity WHERE partition = 'LP1'"
    )
    (column,) = again
    assert {name for name, value in row.items() if value is None} == {column}


def test_what_is_printed_twice_counts_once_and_what_differs_is_unknown():
    again = [row | {"source_id": "s2"} for row in page()]
    again[0] |= {"capping_actual_pct": 18.0}
    rows = {row["partition"]: row for row in (yield {"rmf_group_capacity": page() + again}).rows("FROM group_capacity")}
    assert rows["LP2"]["group_msu_used"] == 882.0
    assert (rows["LP1"]["capping_actual_pct"], rows["LP1"]["capping_wlm_pct"]) == (None, 41.0)
    assert len(rows["LP1"]["refs"]) == 2


def test_the_calendar_has_its_intervals():
    (row,) = (yield {"rmf_group_capacity": page()}).rows("SELECT report, system, intervals FROM report_coverage")
    assert tuple(row.values()) == ("RMF Group Capacity", "SYSA", 1)
