"""resource_group_use: what resource groups used beside the limits of the service policy, as the pages print both."""

from typing import Any

import pytest
from one_lake import Asks
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


@pytest.mark.parametrize(
    ("unit", "scope", "group", "system"),
    [
        ("NUMBER OF CPs", "SYSA,SYSB", ("of_each_system", None, None), ("cpus", 3.0, 75.0)),
        ("NUMBER OF CPs", "SYSA", ("cpus", 3.0, 75.0), ("cpus", 3.0, 75.0)),
        ("NUMBER OF CPs", None, ("of_each_system", None, None), ("cpus", 3.0, 75.0)),
        ("LPAR SHARE %", "SYSA,SYSB", ("of_each_system", None, None), ("share_of_partition", None, None)),
        ("BUSHELS", "SYSA,SYSB", ("unknown_unit", None, None), (None, None, None)),
        (None, "SYSA,SYSB", ("unknown_unit", None, None), (None, None, None)),
    ],
)
def test_a_limit_is_compared_only_with_what_it_counts(
    unit: str | None, scope: str | None, group: tuple[Any, ...], system: tuple[Any, ...]
) -> Asks[None]:
    lake = yield {"rmf_resource_group": [printed(None, unit, scope=scope), printed("SYSA", unit, scope=scope)]}
    rows = lake.rows("SELECT limit_basis, used, use_of_max_pct FROM resource_group_use ORDER BY member_kind")
    assert [tuple(row.values()) for row in rows] == [group, system]


def test_what_is_printed_twice_counts_once_and_two_values_are_none() -> Asks[None]:
    again = {"source_id": "s2"}
    rows = [
        printed(None, "MSU"),
        printed(None, "MSU") | again,
        printed("SYSA", None),
        printed("SYSA", None, msu=9.0) | again,
    ]
    lake = yield {"rmf_resource_group": rows}
    found = lake.rows(
        "SELECT member_kind, msu, use_of_max_pct, len(refs) AS prints FROM resource_group_use ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [("group", 200.0, 5000.0, 2), ("system", None, None, 2)]
