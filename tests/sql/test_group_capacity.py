"""group_capacity: what the limit of a capacity group let its partitions use, and the finding that it held one back."""

from __future__ import annotations

import datetime as dt

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import processor
from views_lake import MemoryLake, Row, expect

approx = pytest.approx

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
    expect(two, group_msu_used=882.0, group_use_of_limit_pct=approx(98.0))
    expect(two, use_of_entitlement_pct=approx(111.42857), weight_share_pct=approx(58.33333))
    assert [rows[name]["is_own"] for name in ("LP1", "LP2", "LP3")] == [True, False, False]
    assert [ref["line"] for ref in two["refs"]] == [10]


def total(**values: object) -> list[Row]:
    """The page with another line of totals."""
    return [*page()[:3], member(None, line=13, **Row({"msu_used": 882.0, "weight": 1200.0} | values))]


def pages(*some: list[Row]) -> Rows:
    return {"rmf_group_capacity": [row for rows in some for row in rows]}


# H has no limit, weight and entitlement: nothing is to be divided by. SYSB, the next minute and the duration have another LP1 of 50 MSU/h alone.
OTHER = member("LP1", "SYSA", msu_used=50.0, weight=10.0, msu_entitled_min=100.0)
LATER = {"interval_start": OTHER["interval_end"], "interval_end": OTHER["interval_end"] + MINUTE}
OF_H = [member(name, name and "SYSX", msu_used=43.0, weight=0.0, msu_entitled_min=0.0, capacity_group="H",
 capacity_group_limit=0.0) for name in ("LP9", None)]  # fmt: skip
APART = pages(page(), OF_H, [OTHER | {"system": "SYSB"}, OTHER | LATER, OTHER | {"report_kind": "duration"}])
AGAIN = [row | {"source_id": "s2"} | ({"capping_actual_pct": 18.0} if n == 0 else {}) for n, row in enumerate(page())]
FROM = "FROM group_capacity"
ALONE = (50.0, approx(100 * 50 / 900), 100.0, 50.0)


@examples(
    ("one partition unknown", pages([page()[0], page()[1] | {"msu_used": None}]),
     f"partition, msu_used, group_msu_used, group_use_of_limit_pct {FROM} ORDER BY partition", [("LP1", 201.0, None, None), ("LP2", None, None,
      None)]),
    # 201 + 585 + 96 are 882: a TOTAL of more has a partition more, but three partitions and their total are each half an MSU off at most, which
    # makes 2. Without a weight or with another a partition is lost.
    *((f"total of {values}", pages(total(**values)), f"DISTINCT group_msu_used {FROM}", [(used,)]) for values, used in (
        ({"weight": None}, 882.0), ({"msu_used": 883.0, "weight": None}, None), ({"msu_used": None, "weight": None}, 882.0), ({"msu_used": 880.0},
         882.0),
        ({"msu_used": 884.0}, 882.0), ({"msu_used": 879.0}, None), ({"msu_used": 885.0}, None), ({"msu_used": 883.0, "weight": 1201.0}, None))),
    # 300 + 700 + 200 are 1200: TOTAL of 1300 has a partition more, of which 300 are not a quarter.
    *((f"weights of {weight}", pages(total(weight=weight)), f"weight_share_pct, group_msu_used {FROM} WHERE partition = 'LP1'", [(share, 882.0)])
      for weight, share in ((1200.0, approx(25)), (1300.0, None), (None, approx(25)))),
    ("one weight unknown", pages([page()[0], page()[1] | {"weight": None}]), f"weight_share_pct {FROM}", [(None,)] * 2),
    ("groups, systems and intervals", APART,
     "partition, group_msu_used, group_use_of_limit_pct, weight_share_pct, use_of_entitlement_pct"
     f" {FROM} ORDER BY capacity_group, system, report_kind DESC, interval_start, partition",
     [*((name, 882.0, approx(98), approx(weight / 12), approx(used)) for name, weight, used in (("LP1", 300, 100 * 201 / 225), ("LP2", 700,
      100 * 585 / 525), ("LP3", 200, 64))),
      *[("LP1", *ALONE)] * 3, ("LP9", 43.0, None, None, None)]),
    # A total that two prints say differently is not the sum.
    *((f"another total, {again}", pages(page(), [page()[3] | {"source_id": "s2"} | again]),
       f"group_msu_used IS NULL, weight_share_pct IS NULL {FROM} WHERE partition = 'LP1'", [("msu_used" in again, "weight" in again)])
      for again in ({"msu_used": 883.0}, {"msu_used": 881.0}, {"weight": 1199.0}, {"weight": 1201.0})),
    ("printed twice", pages(page(), AGAIN),
     f"partition, group_msu_used, capping_actual_pct, capping_wlm_pct, len(refs) {FROM} ORDER BY partition LIMIT 2",
     [("LP1", 882.0, None, 41.0, 2), ("LP2", 882.0, 38.0, 41.0, 2)]),
    ("calendar", pages(page()), "report, system, intervals FROM report_coverage", [("RMF Group Capacity", "SYSA", 1)]),
)  # fmt: skip
def test_groups(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


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
