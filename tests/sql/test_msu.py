"""Software MSU and service units, worked by hand."""

import datetime as dt

import pytest
from msu_rows import cpus
from one_lake import Asks, Found, Rows, each, examples, shown
from rmf_rows import MACHINE, partition, policy, processor, service_class
from views_lake import START, Row, weeks_apart

approx = pytest.approx


def rated(*cases: dict[str, list[Row]], scope: str | None = "SYSA") -> Asks[list[tuple[float | None, str]]]:
    """MSU of a general processor, and its basis, of each case."""
    page = service_class("CICS", 50.0, seconds=900, scope=scope)
    lake = yield weeks_apart(*(case | {"rmf_workload_activity": [page]} for case in cases))
    found = lake.rows("FROM cpu_by_class ORDER BY interval_start")
    for row in found:
        assert row["gp_msu"] == (None if row["msu_per_cp"] is None else approx(row["msu_per_cp"] / 2))
    assert len(found) == len(cases)
    return [(row["msu_per_cp"], row["msu_basis"]) for row in found]


def partitions(*rows: Row) -> dict[str, list[Row]]:
    return {"rmf_partition_data": [*rows]}


QUARTER = {"interval_s": 900.0, "interval_end": START + dt.timedelta(minutes=15)}


def test_the_partition_page_gives_the_msu_of_a_processor():
    """363 MSU in 1,800 s of 900: 2 engines, 181.5. Effective time is the one that ACT counts; total where there is no other. Two
    partitions: (363 + 91) / (2 + 0.5) = 181.6. A dedicated one is dispatched while it waits, *PHYSICAL* and TOTAL are none."""
    page = partition(0, 363.0, effective_dispatch=1800.0, total_dispatch=1900.0)
    total_alone = page | {"effective_dispatch": None, "total_dispatch": 1800.0}
    others = [
        page | {"partition": "LPARB", "msu_used": 91.0, "effective_dispatch": 450.0},
        page | {"partition": "LPARC", "msu_used": 10.0, "effective_dispatch": 900.0, "dedicated": True},
        page | {"partition": "*PHYSICAL*", "msu_used": 5.0},
        page | {"partition": None, "is_total": True},
        page | {"source_id": "s2"},
    ]
    assert (yield from rated(partitions(page), partitions(total_alone), partitions(page, *others))) == [
        (approx(msu), "partition_data") for msu in (181.5, 181.5, 181.6)
    ]


def test_a_model_names_its_general_processors():
    models: list[tuple[str | None, str, int | None]] = [
        ("8561", "717", 17), ("8561", "401", 1), ("8562", "Z06", 6), ("3932", "A02", 2), ("3906", "7A0", 100), ("8561", "7J0", 190),
        ("3931", "7K0", 200), (None, "717", 17), ("2086", "470", None), ("9672", "R36", None), ("8561", "400", None), ("8561", "E26X", None),
    ]  # fmt: skip
    pages = [
        processor(0, 50.0, cpc_type=cpc_type, cpc_model=model, cpc_capacity=1900.0, **QUARTER)
        for cpc_type, model, _ in models
    ]
    assert (yield from rated(*map(cpus, pages))) == [
        (None, "not_in_lake") if n is None else (approx(1900 / n), "cpc_capacity") for *_, n in models
    ]


def test_without_a_capacity_there_are_no_software_msu_and_a_word_says_why():
    cpu = processor(0, 50.0, **QUARTER) | MACHINE
    page = partition(0, 363.0, effective_dispatch=1800.0)
    cases: list[tuple[dict[str, list[Row]], str]] = [
        ({}, "not_in_lake"),
        (cpus(cpu | {"cpc_capacity": None}), "not_in_lake"),
        (cpus(cpu | {"system": "SYSB"}), "not_in_lake"),
        # An hour later it may be another machine.
        (partitions(partition(4, 363.0, effective_dispatch=1800.0)), "not_in_lake"),
        # ACT 9 is 8.5 to 9.5.
        (partitions(page | {"msu_used": 9.0, "effective_dispatch": 45.0}), "too_small"),
        # 250 MSU a processor by the one page, 181.4 by the other.
        (cpus(cpu) | partitions(page | {"msu_used": 500.0}), "contradicting"),
        (cpus(cpu, cpu | {"line": 99, "cpc_capacity": 2800.0}), "differing"),
    ]
    found, of_no_system = yield from each(rated(*(case for case, _ in cases)), rated(cpus(cpu), scope=None))
    assert found == [(None, basis) for _, basis in cases]
    assert of_no_system == [(None, "no_system")]


def test_systems_of_one_page_must_have_one_rate():
    """Two systems on machines alike, then one of them on a machine with a model of its own: 3084 / 17 and 2800 / 14."""
    a, b = (processor(0, 50.0, system=s, **QUARTER) | MACHINE for s in ("SYSA", "SYSB"))
    other = b | {"cpc_model": "714", "cpc_capacity": 2800.0}
    assert (yield from rated(cpus(a, b), cpus(a, other), cpus(a), scope="SYSA,SYSB")) == [
        (approx(3084 / 17), "cpc_capacity"), (None, "differing"), (None, "not_in_lake"),
    ]  # fmt: skip


# CP 200% on an 8561-717 of 3084 MSU with 91,954 SU/s: 2 x 3084 / 17 = 362.8 software MSU, and 2 x 91954 x 3600 / 1,000,000 = 662.1 million
# service units an hour, beside 363 that Partition Data prints for the same work.
SOFTWARE = dict(
    rmf_workload_activity=[service_class("CICS", 200.0, seconds=900)],
    rmf_cpu_activity=[processor(0, 100.0, **QUARTER) | MACHINE],
    rmf_partition_data=[partition(0, 363.0, effective_dispatch=1800.0, total_dispatch=1830.0)],
    **policy(1.0, 0, 900, su_per_s=91954.0),
)
# SU/SEC is of a system: SYSA has its own whatever SYSB has, and pages of both have none. CP 50% of an engine of 50,000 SU/s: 0.5 x 50000 x 3600 /
# 1,000,000 = 90 million service units an hour.
UNLIKE = policy()
UNLIKE["rmf_service_policy_system"] += [UNLIKE["rmf_service_policy_system"][0] | {"system": "SYSB", "su_per_s": 6e4}]
OF_BOTH = [service_class("CICS", 50.0), service_class("CICS", 70.0, scope="SYSA,SYSB", line=11)]
OWN = dict(rmf_workload_activity=[service_class("CICS", 50.0, appl_iip_pct=80.0)], **policy())


@examples(
    ("software MSU are no service units", SOFTWARE, "gp_msu, msu_basis, gp_msu_service FROM cpu_by_class",
     [(approx(362.82, abs=0.01), "cpc_capacity", approx(662.07, abs=0.01))]),
    ("of four hours", SOFTWARE, "msu_source, msu, msu_service FROM rolling_four_hour_msu ORDER BY ALL",
     [("partition_data", 363.0, None), ("workload_activity", approx(362.82, abs=0.01), approx(662.07, abs=0.01))]),
    ("service units", OWN, "gp_msu_service, gp_msu FROM cpu_by_class", [(approx(90), None)]),
    ("systems of unlike speed", {"rmf_workload_activity": OF_BOTH, **UNLIKE}, "gp_msu_service FROM cpu_by_class ORDER BY scope", [(approx(90),),
     (None,)]),
)  # fmt: skip
def test_service_units(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
