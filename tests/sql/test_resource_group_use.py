"""resource_group_use: what resource groups used beside the limits of the service policy, as the pages print both."""

from typing import Any

import pytest
from one_lake import Found, Rows, examples, shown
from views_lake import Row, heading, lake_of

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


AGAIN = {"source_id": "s2"}
OF_SYSTEM, OF_EACH = ("cpus", 3.0, 75.0), ("of_each_system", None, None)


@examples(
    # A limit is compared only with what it counts.
    *((f"{unit} of {scope}", groups(printed(None, unit, scope=scope), printed("SYSA", unit, scope=scope)),
       "limit_basis, used, use_of_max_pct FROM resource_group_use ORDER BY member_kind", [group, system]) for unit, scope, group, system in (
          ("NUMBER OF CPs", "SYSA,SYSB", OF_EACH, OF_SYSTEM), ("NUMBER OF CPs", "SYSA", OF_SYSTEM, OF_SYSTEM), ("NUMBER OF CPs", None, OF_EACH,
           OF_SYSTEM),
          ("LPAR SHARE %", "SYSA,SYSB", OF_EACH, ("share_of_partition", None, None)),
          ("BUSHELS", "SYSA,SYSB", ("unknown_unit", None, None), (None, None, None)), (None, "SYSA,SYSB", ("unknown_unit", None, None), (None, None,
           None)))),
    # What is printed twice counts once, and two values are none.
    ("printed twice", groups(printed(None, "MSU"), printed(None, "MSU") | AGAIN, printed("SYSA", None), printed("SYSA", None, msu=9.0) | AGAIN),
     "member_kind, msu, use_of_max_pct, len(refs) FROM resource_group_use ORDER BY ALL", [("group", 200.0, 5000.0, 2), ("system", None, None, 2)]),
)  # fmt: skip
def test_limits(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
