"""Groups and their limits: what that of a capacity group let its partitions use, and the finding that it held one back; what resource groups used."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from one_lake import Rows, examples
from rmf_rows import processor
from views_lake import START, MemoryLake, Row, approx, expect, heading, lake_of

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


test_groups = examples(
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


# --- Resource groups --------------------------------------------------------------------------------------------------


USE = "coalesce(system, class_name) AS member, limit_basis, used, use_of_max_pct, use_of_min_pct"


def of_sample(name: str) -> list[tuple[Any, ...]]:
    return (
        lake_of(name, "rmf_resource_group")
        .sql(f"SELECT resource_group, member_kind, {USE} FROM resource_group_use ORDER BY refs[1].line")
        .fetchall()
    )


def test_groups_limited_by_service_units_and_by_msu():
    """25,000 of at least 20 and at most 40,000 SU/s; 21 of 4,711 MSU, where no minimum is printed. Systems and classes are parts of the group."""
    assert of_sample("service_policy_page_tenants") == [
        ("RGBATCH", "group", None, "su_per_s", 25_000.0, 62.5, 125_000.0),
        ("RGBATCH", "system", "SYSA", None, None, None, None),
        ("RGBATCH", "system", "SYSB", None, None, None, None),
        ("RGBATCH", "class", "BATPROD", None, None, None, None),
        ("RGBATCH", "class", "BATTEST", None, None, None, None),
        ("TRGBANK1", "group", None, "msu", 21.0, pytest.approx(100 * 21 / 4711), None),
        ("TRGBANK1", "system", "SYSA", None, None, None, None),
        ("TRGBANK1", "class", "RTENA01", None, None, None, None),
    ]


def test_a_number_of_processors_is_the_limit_of_each_system():
    """20,400 of 50,000 SU/s. 12 processors are those of MVSA and as many of MVSB: 910 SU/s of both are no share of them."""
    assert of_sample("service_policy_page") == [
        ("LIMIT50", "group", None, "su_per_s", 20_400.0, pytest.approx(40.8), 2_040.0),
        ("LIMIT50", "class", "BATPROD", None, None, None, None),
        ("LIMIT50", "class", "BATTEST", None, None, None, None),
        ("RGDDF", "group", None, "of_each_system", None, None, None),
        ("RGDDF", "class", "DDFMOB", None, None, None, None),
    ]


def printed(system: str | None, unit: str | None, *, scope: str | None = "SYSA,SYSB", **other: object) -> Row:
    row = heading(seconds=900, scope=scope) | {"resource_group": "G", "system": system, "cpus": 3.0, "msu": 200.0}
    limits = {} if system else {"capacity_min": 1.0, "capacity_max": 4.0, "capacity_unit": unit}
    return row | {"su_per_s": 50_000.0, "line": 20 if system is None else 21} | limits | other


def groups(*rows: Row) -> Rows:
    return {"rmf_resource_group": [*rows]}


SECOND = {"source_id": "s2"}
OF_SYSTEM, OF_EACH = ("cpus", 3.0, 75.0), ("of_each_system", None, None)


test_limits = examples(
    # A limit is compared only with what it counts.
    *((f"{unit} of {scope}", groups(printed(None, unit, scope=scope), printed("SYSA", unit, scope=scope)),
       "limit_basis, used, use_of_max_pct FROM resource_group_use ORDER BY member_kind", [group, system]) for unit, scope, group, system in (
          ("NUMBER OF CPs", "SYSA,SYSB", OF_EACH, OF_SYSTEM), ("NUMBER OF CPs", "SYSA", OF_SYSTEM, OF_SYSTEM), ("NUMBER OF CPs", None, OF_EACH,
           OF_SYSTEM),
          ("LPAR SHARE %", "SYSA,SYSB", OF_EACH, ("share_of_partition", None, None)),
          ("BUSHELS", "SYSA,SYSB", ("unknown_unit", None, None), (None, None, None)), (None, "SYSA,SYSB", ("unknown_unit", None, None), (None, None,
           None)))),
    # What is printed twice counts once, and two values are none.
    ("printed twice", groups(printed(None, "MSU"), printed(None, "MSU") | SECOND, printed("SYSA", None), printed("SYSA", None, msu=9.0) | SECOND),
     "member_kind, msu, use_of_max_pct, len(refs) FROM resource_group_use ORDER BY ALL", [("group", 200.0, 5000.0, 2), ("system", None, None, 2)]),
)  # fmt: skip


# --- What partitions are entitled to: pages apart and printed twice, caps, changes, dedicated processors --------------


QUARTER = dt.timedelta(minutes=15)
COUNTS = ("physical_processors_cp", "physical_processors_iip", "physical_processors_aap")
COUNTS += ("physical_processors_ifl", "physical_processors_icf")
CAPS = ("capped", "initial_capping", "lpar_hardware_capping", "hardware_group_capping")
FLAGS = ("weight_changed", "logical_processors_changed")
TYPES = ("CP", "IIP", "AAP", "IFL", "ICF")


def page_of(line: int, **other: object) -> Row:
    row = heading(seconds=900.0, line=line)
    for name in ("scope", "release", "report_version"):
        del row[name]
    return row | {"system": "SYSA", "source_form": "print"} | other


def partition(name: str | None, weight: float | None, line: int = 300, **other: object) -> Row:
    """A partition with four logical processors on a machine of four of each type, busy 900 s of 900; without a name the TOTAL."""
    row = page_of(line) | {"partition": name, "processor_type": "CP", "is_total": name is None, "dedicated": False}
    row |= {"mvs_partition": "PRODA", "weight": weight} | dict.fromkeys(COUNTS, 4)
    return row | {"logical_processors": 4.0, "total_dispatch": 900.0} | other


def both(proda: float | None = 300.0, prodb: float | None = 100.0, **other: object) -> list[Row]:
    return [partition("PRODA", proda, 300, **other), partition("PRODB", prodb, 301, **other)]


def data(*some: list[Row], heads: list[Row] | None = None, **tables: list[Row]) -> Rows:
    rows = [row for rows in some for row in rows]
    return {"rmf_partition_data": rows, "rmf_partition_head": heads or [], **tables}


# The weights of a page are not those of another: 300 of 400 of 4 processors are 3, 100 of 400 on the other page 1; a change on that page is
# none on this one.
OTHER_PAGES: list[Row] = [
    {"system": "SYSB"}, {"system": None}, {"report_kind": "duration"}, {"report_kind": None}, {"interval_start": START - QUARTER},
    {"interval_end": START + 2 * QUARTER},
]  # fmt: skip
OWNED = [
    partition("OWN", None, 302, dedicated=True, logical_processors=2.0, total_dispatch=dispatch, source_id=source)
    for source, dispatch in (("s1", 1350.0), ("s2", 1351.0))
]
XML: Row = {"source_form": "xml", "source_id": "s2"}
CHANGE = {"physical_processors_cp_changed": True}


def totals(again: float) -> list[Row]:
    """Totals that are printed again."""
    of = (("s1", 1800.0), ("s2", again))
    return [partition(None, 400.0, 310, total_dispatch=dispatch, source_id=source) for source, dispatch in of]


def changed(name: str) -> list[Row]:
    flags: Row = {"weight_changed": False, "logical_processors_changed": False}
    return [partition("PRODA", 300.0, **flags | {name: True}), partition("PRODB", 100.0, 301, **flags)]


def of_types(of_type: str) -> Rows:
    """The processors of a type changed, which one of two pages of the interval tells."""
    pages = [partition(name, 100.0, 300 + n, processor_type=name) for n, name in enumerate(TYPES)]
    flags = {f"physical_processors_{name.lower()}_changed": name == of_type for name in TYPES}
    return data(pages, heads=[page_of(20, **dict.fromkeys(flags, False)), page_of(21, source_id="s2", **flags)])


ENTITLED_TO = "FROM partition_capacity ORDER BY refs"
IN_INTERVAL = "changed within the interval"
ENTITLED = f"entitled_engines, is_conflicting {ENTITLED_TO}"
REASON = f"entitled_engines, null_reason {ENTITLED_TO}"
USED = "entitled_engines, use_of_entitlement_pct, use_of_logical_pct, beyond_entitlement_engines"


test_entitlement = examples(
    *((f"another page, {other}", data(both(), both(100.0, 300.0, page=2, **other), heads=[page_of(20, page=2, **CHANGE, **other)]),
       "weight, entitled_engines, null_reason, weight_share_pct, is_conflicting FROM partition_capacity WHERE partition = 'PRODA' ORDER BY weight DESC",
       [(300, 3, None, 75, False), (100, None, IN_INTERVAL, 25, False)]) for other in OTHER_PAGES),
    # The file that is read first is not the first of its name.
    ("printed twice", data(both(source_id="s2"), both()), f"len(refs), weight_share_pct, {ENTITLED}", [(2, 75, 3, False), (2, 25, 1, False)]),
    # Of two prints, and of two lines of one file, the first counts and it is told, of PRODA alone.
    ("other values", data([partition("PRODA", 900.0, 299, source_id="s2")], both()), f"partition, weight, {ENTITLED}",
     [("PRODA", 300, 3, True), ("PRODB", 100, 1, False)]),
    ("two lines", data([partition("PRODA", 900.0, 350)], both()), f"weight, {ENTITLED}", [(300, 3, True), (100, 1, False)]),
    ("dedicated processors printed again", data(both(), OWNED), f"partition, shared_engines, {ENTITLED}",
     [("PRODA", 2, 1.5, False), ("PRODB", 2, 0.5, False), ("OWN", 2, 2, True)]),
    # Told of every partition.
    *((f"totals of {again}", data(both(), both(source_id="s2"), totals(again)), ENTITLED, [(3, again != 1800), (1, again != 1800)])
      for again in (1800.0, 1801.0)),
    # XML has other weights, and says that the number of processors changed; CPU Activity of the same interval is there in both forms.
    ("print beside XML", data(both(), both(100.0, 300.0, **XML), heads=[page_of(20, physical_processors_cp_changed=False), page_of(20, **CHANGE, **XML)]),
     f"len(refs), {ENTITLED}", [(1, 3, False), (1, 1, False)]),
    ("XML where another report is printed", data(both(**XML), heads=[page_of(20, **CHANGE, **XML)], rmf_cpu_activity=[page_of(30), page_of(30, **XML)]),
     REASON,
     [(None, IN_INTERVAL)] * 2),
    # What is not printed does not cap.
    *((f"{cap} {value}", data([partition("PRODA", 300.0, **{cap: value}), partition("PRODB", 100.0, 301)]), f"is_capped {ENTITLED_TO}", [(value,), (None,)])
      for cap in CAPS for value in (True, False)),
    # A change of one partition leaves all unknown; not so what is said of the totals, nor of another type.
    *((f"{name} of a partition", data(changed(name)), f"is_conflicting, {REASON}", [(False, None, IN_INTERVAL)] * 2) for name in FLAGS),
    *((f"{name} of others", data(both(), [partition(None, 400.0, 310, **{name: True}), partition("PRODC", 1.0, 311, processor_type="IIP",
     **{name: True})]),
       REASON, [(3, None), (1, None), (None, IN_INTERVAL)]) for name in FLAGS),
    *((f"change of {of_type}", of_types(of_type), f"partition, null_reason {ENTITLED_TO}", [(name,
     IN_INTERVAL if name == of_type else None) for name in TYPES])
      for of_type in TYPES),
    # Two of four are dedicated; of the other two PRODA gets 300 of 400, 1.5. Dedicated ones have no weight.
    ("dedicated", data(both(), OWNED[:1]), f"partition, shared_engines, entitled_engines, used_engines, use_of_entitlement_pct {ENTITLED_TO}",
     [("PRODA", 2, 1.5, 1, approx(200 / 3)), ("PRODB", 2, 0.5, 1, 200), ("OWN", 2, 2, 1.5, 75)]),
    ("dedicated processors not printed", data(both(), [partition("OWN", None, 302, dedicated=True, logical_processors=None)]), REASON,
     [(None, "logical processors not printed")] * 3),
    # Logical processors of a shared partition that are not printed do not hold it.
    ("logical processors not printed", data(both(logical_processors=None, total_dispatch=90.0)), f"entitled_engines, use_of_logical_pct {ENTITLED_TO}",
     [(3, None), (1, None)]),
    *((f"weight {weight}", data([partition("PRODA", weight)]), f"weight_share_pct, {REASON}", [(share, engines, reason)])
      for weight, share, engines, reason in ((0.0, None, None, "no weights"), (None, None, None, "a weight is not printed"), (1.0, 100, 4, None))),
    *((f"{seconds} seconds", data([partition("PRODA", 300.0, interval_s=seconds, total_dispatch=3.0)]),
     f"used_engines, use_of_entitlement_pct {ENTITLED_TO}",
       [(used, used and 75)]) for seconds, used in ((0.0, None), (1.0, 3.0))),
    # One engine each, of 3 and of 1. Then of none: without weight, and with all weight for no logical processor.
    ("used", data(both()), f"{USED} {ENTITLED_TO}", [(3, approx(100 / 3), 25, -2), (1, approx(100), 25, 0)]),
    ("used of none", data([partition("PRODA", 0.0), partition("PRODB", 100.0, 301, logical_processors=0.0)]), f"{USED} {ENTITLED_TO}",
     [(0, None, 25, 1), (0, None, None, 1)]),
    ("lines of no type and of the machine", data(both(), [partition("OFF", 100.0, 302, processor_type=None), partition("*PHYSICAL*", 100.0, 303)]),
     f"partition, entitled_engines {ENTITLED_TO}", [("PRODA", 3), ("PRODB", 1)]),
)  # fmt: skip
