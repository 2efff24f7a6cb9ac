"""Processor time of a request by subsystem, and of what no subsystem is charged with: kinds of classes, runs, places and roundings. Worked by hand."""

from typing import Any

import pytest
from one_lake import Asks
from rmf_rows import policy
from study_lakes import ONE_STEP, studied
from views_lake import Row, expect, heading, span, worked_page

TWO = """\
study: S
requests: {report_class: RCICS}
subsystems: {CICS: {report_class: RCICS}, DB2: {report_class: [RDDF, RDB2]}}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05}]}}
"""
NONE = TWO.replace("subsystems: {CICS: {report_class: RCICS}, DB2: {report_class: [RDDF, RDB2]}}\n", "")


def page(
    name: str | None, cp: float, iip: float = 0.0, iipcp: float = 0.0, kind: str = "report_class", **other: Any
) -> Row:
    """A class of a minute with 600 ended transactions."""
    row = worked_page(**heading(scope="SYSA"), transactions_ended=600) | {"report_class": None, "class_kind": kind}
    row |= {"appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": iipcp}
    row |= dict.fromkeys(("cpu_time_s", "srb_time_s", "iip_time_s"))
    return row | {kind: name} | other


def costs(text: str, *pages: Row, **other: list[Row]) -> Asks[dict[str, Row]]:
    lake = yield studied(text, rmf_workload_activity=[*pages], **other)
    return {row["subsystem"]: row for row in lake.rows("FROM cost_per_request ORDER BY configuration, run")}


SHARES = ("cpu_pct", "cpu_normalized_pct", "cp_pct", "ziip_pct", "ziip_on_cp_pct", "non_ziip_eligible_pct")
TIMES = tuple(name.replace("_pct", "_ms_per_request") for name in SHARES)
THREE = (
    page("RCICS", 40.0, 20.0, 10.0, line=13),
    page("RDB2", 10.0, 5.0, 2.0, line=14),
    page("RDDF", 8.0, 6.0, 4.0, line=12),
    page("OTHER", 5.0, 1.0, 0.5, line=11),
)


def test_all_parts_of_all_subsystems_and_of_the_rest():
    """10 requests a second, zIIPs twice as fast, LPAR overhead of 10%: a percent is 0.9 ms. Of CICS 40 + 20 = 60%, 40 + 2 x 20 = 80, 40 - 10 = 30."""
    found = yield from costs(TWO + "normalization: {A: {lpar_overhead_pct: 10}}\n", *THREE, **policy(2.0))
    expected = {"CICS": (60, 80, 40, 20, 10, 30), "DB2": (29, 40, 18, 11, 6, 12), "unallocated": (6, 7, 5, 1, 0.5, 4.5)}
    assert found.keys() == expected.keys()
    for name, shares in expected.items():
        assert [found[name][share] for share in SHARES] == pytest.approx(shares), name
        assert [found[name][time] for time in TIMES] == pytest.approx([0.9 * share for share in shares]), name
    assert [ref["line"] for ref in found["DB2"]["refs"]] == [12, 14]
    assert found["unallocated"]["refs"] == []
    for row in found.values():
        expect(row, busy_factor=pytest.approx(0.9), requests=600, response_ms=pytest.approx(19))


@pytest.mark.parametrize(("ended", "ms"), [(0, None), (60, 10.0)])
def test_a_percent_of_one_request_a_second_and_of_none(ended: int, ms: float | None):
    """10 ms, and unknown."""
    pages = [row | {"transactions_ended": ended} for row in THREE]
    for row in (yield from costs(TWO, *pages, **policy(2.0))).values():
        for share, time in zip(SHARES, TIMES, strict=True):
            assert row[time] == (ms and pytest.approx(ms * row[share])), time


def test_a_subsystem_of_which_one_class_is_not_printed_is_unknown():
    found = yield from costs(TWO, THREE[0], THREE[1])
    assert {name: row["cpu_pct"] for name, row in found.items()} == {
        "CICS": pytest.approx(60),
        "DB2": None,
        "unallocated": None,
    }
    assert [ref["line"] for ref in found["DB2"]["refs"]] == [14]


def test_a_service_class_of_the_same_name_is_another_class():
    found = yield from costs(TWO, *THREE, page("RCICS", 90.0, kind="service_class", line=20))
    assert (found["CICS"]["class_kind"], found["CICS"]["cpu_pct"]) == ("report_class", pytest.approx(60))


def test_a_subsystem_is_where_the_study_says_or_its_systems_are():
    """DB2 is remote, whether its class is printed or not; BATCH is on both systems, of which SYSB is remote, and WEB on SYSB alone.
    Of MIX one class is here and the other there; both of CICS are here."""
    text = TWO.replace(
        "DB2: {report_class: [RDDF, RDB2]}",
        "DB2: {report_class: RDB2, location: remote}, LOST: {report_class: RLOST, location: remote}, "
        "BATCH: {report_class: RBATCH}, WEB: {report_class: RWEB}, MIX: {report_class: [RHERE, RTHERE]}",
    ).replace("CICS: {report_class: RCICS}", "CICS: {report_class: [RCICS, RCICS2]}")
    pages = [page("RCICS", 1.0), page("RDB2", 2.0, line=11), page("RBATCH", 3.0, line=12)]
    pages += [page("RBATCH", 4.0, scope="SYSB", line=13), page("RWEB", 5.0, scope="SYSB", line=14)]
    pages += [page("RCICS2", 1.0, line=15), page("RHERE", 1.0, line=16), page("RTHERE", 1.0, scope="SYSB", line=17)]
    found = yield from costs(text + "remote_systems: SYSB\n", *pages)
    assert {name: row["location"] for name, row in found.items()} == {
        "CICS": "local", "DB2": "remote", "LOST": "remote", "BATCH": "both", "WEB": "remote", "MIX": "both",
        "unallocated": None,
    }  # fmt: skip


def test_without_subsystems_all_time_is_unallocated():
    found = yield from costs(NONE, *THREE, **policy(2.0))
    assert found.keys() == {"unallocated"}
    assert [found["unallocated"][share] for share in SHARES] == pytest.approx([95, 127, 63, 32, 16.5, 46.5])


@pytest.mark.parametrize(
    ("kinds", "kind", "cpu"),
    [
        (("workload", "report_class", "policy", "service_class"), "service_class", 90),
        (("workload", "report_class", "policy"), "policy", 95),
        (("workload", "report_class"), "report_class", 70),
        (("workload",), None, None),
    ],
)
def test_all_work_is_that_of_service_classes_then_of_the_policy_then_of_report_classes(
    kinds: tuple[str, ...], kind: str | None, cpu: float | None
):
    """Never that of workloads alone."""
    times = {"workload": 99.0, "report_class": 70.0, "policy": 95.0, "service_class": 90.0}
    pages = [page("RCICS", times[k], kind=k, line=20 + n) for n, k in enumerate(kinds)]
    row = (yield from costs(NONE, *pages))["unallocated"]
    assert (row["class_kind"], row["cpu_pct"]) == (kind, cpu and pytest.approx(cpu))


def test_classes_that_are_not_printed_in_all_intervals_are_not_the_whole():
    """Service classes in the first of two minutes, the policy in both: 95% of all time, 60 of it charged."""
    both = [row | span(n, 60) for n in (0, 1) for row in (THREE[0], page("ALL", 95.0, kind="policy", line=20))]
    service = page("ONLINE", 90.0, kind="service_class", line=30)
    text = TWO.replace(", DB2: {report_class: [RDDF, RDB2]}", "") + "interval: all\n"
    row = (yield from costs(text, *both, service))["unallocated"]
    assert (row["class_kind"], row["cpu_pct"]) == ("policy", pytest.approx(35))


@pytest.mark.parametrize(("printed", "kind", "cpu"), [(True, "service_class", 30), (False, None, None)])
def test_where_service_classes_are_charged_they_are_the_whole(printed: bool, kind: str | None, cpu: float | None):
    """Requests of a report class, 20% charged of service classes that have 50%; the policy is no whole of them."""
    text = TWO.replace(
        "{CICS: {report_class: RCICS}, DB2: {report_class: [RDDF, RDB2]}}", "{CICS: {service_class: ONLINE}}"
    )
    pages = [page("RCICS", 9.0), page("ALL", 95.0, kind="policy", line=20)]
    if printed:
        pages += [
            page("ONLINE", 20.0, kind="service_class", line=30),
            page("BATCH", 30.0, kind="service_class", line=31),
        ]
    row = (yield from costs(text, *pages))["unallocated"]
    assert (row["class_kind"], row["cpu_pct"]) == (kind, cpu and pytest.approx(cpu))


def test_a_subsystem_of_both_kinds_has_none_and_leaves_no_rest():
    """Service classes have 500%, but nobody knows how much of it the report class counts again."""
    text = TWO.replace("DB2: {report_class: [RDDF, RDB2]}", "DB2: {report_class: RDB2, service_class: ONLINE}")
    service = page("ONLINE", 500.0, kind="service_class", line=30)
    found = yield from costs("allow_both_kinds: true\n" + text, *THREE, service)
    assert (found["DB2"]["class_kind"], found["DB2"]["cpu_pct"]) == (None, pytest.approx(515))
    assert (found["unallocated"]["class_kind"], found["unallocated"]["cpu_pct"]) == (None, None)


@pytest.mark.parametrize(
    ("excess", "iip", "rest"),
    [
        # Binary: 0.1 + 0.1 + 0.1 is not 0.3.
        (0.0, 0.0, 0.0),
        (0.02, 0.0, -0.02),
        (0.04, 0.0, None),
        # Though the classes have more time on general processors.
        (-0.3, 5.0, None),
    ],
)
def test_the_rest_is_known_to_a_hundredth_for_each_class(excess: float, iip: float, rest: float | None):
    """Of three service classes of 0.1% 0.03%: what is charged may be as much more by rounding, and not 0.04%."""
    service = [page(f"S{n}", 0.1, kind="service_class", line=20 + n) for n in range(3)]
    charged = [page("RCICS", 0.3, iip, line=10), page("RDB2", excess, line=11), page("RDDF", 0.0, line=12)]
    row = (yield from costs(TWO, *charged, *service))["unallocated"]
    assert row["cpu_pct"] == (rest if not rest else pytest.approx(rest))


def test_runs_and_configurations_are_apart():
    """CICS 10, 20 and 40%, the rest 1, 2 and 4%; 10 requests a second. B is normalised to 90%: 36 and 3.6 ms."""
    steps = "{A: {steps: [{window: 2021-04-13T10:00/10:05}, {window: 2021-04-13T11:00/11:05}]}, B: {steps: [{window: 2021-04-13T12:00/12:05}]}}"
    text = ONE_STEP.replace("{A: {steps: [{window: 2021-04-13T10:00/10:05}]}}", steps).replace("CICS2A20", "RCICS")
    pages = [
        page(name, cp * 2**n, line=20 * n + line) | span(60 * n, 60)
        for n in range(3)
        for name, cp, line in (("RCICS", 10.0, 10), ("OTHER", 1.0, 11))
    ]
    lake = yield studied(text + "normalization: {B: {lpar_overhead_pct: 10}}\n", rmf_workload_activity=pages)
    rows = lake.rows("FROM cost_per_request ORDER BY configuration, run, subsystem")
    assert [(r["configuration"], r["run"], r["subsystem"]) for r in rows] == [
        (configuration, run, name)
        for configuration, run in (("A", "1"), ("A", "2"), ("B", "1"))
        for name in ("CICS", "unallocated")
    ]
    assert [r["cpu_pct"] for r in rows] == pytest.approx([10, 1, 20, 2, 40, 4])
    assert [r["cpu_ms_per_request"] for r in rows] == pytest.approx([10, 1, 20, 2, 36, 3.6])
