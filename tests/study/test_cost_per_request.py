"""Processor time of a request by subsystem, and of what no subsystem is charged with. Worked by hand."""

from collections.abc import Sequence
from typing import Any

import pytest
from one_lake import Rows, examples
from rmf_rows import policy
from study_lakes import ONE_STEP, studied
from views_lake import Row, heading, span, worked_page

approx = pytest.approx

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


def costs(text: str, *pages: Row, **other: list[Row]) -> Rows:
    return studied(text, rmf_workload_activity=[*pages], **other)


SHARES = ("cpu_pct", "cpu_normalized_pct", "cp_pct", "ziip_pct", "ziip_on_cp_pct", "non_ziip_eligible_pct")
TIMES = tuple(name.replace("_pct", "_ms_per_request") for name in SHARES)
THREE = (
    page("RCICS", 40.0, 20.0, 10.0, line=13),
    page("RDB2", 10.0, 5.0, 2.0, line=14),
    page("RDDF", 8.0, 6.0, 4.0, line=12),
    page("OTHER", 5.0, 1.0, 0.5, line=11),
)


def listed(names: Sequence[str]) -> str:
    return f"[{', '.join(names)}]"


def near(*values: float) -> list[Any]:
    return [approx(value) for value in values]


OVERHEAD = TWO + "normalization: {A: {lpar_overhead_pct: 10}}\n"
# Of CICS 40 + 20 = 60%, with zIIPs twice as fast 40 + 2 x 20 = 80, 40 - 10 = 30.
PARTS = {"CICS": (60, 80, 40, 20, 10, 30), "DB2": (29, 40, 18, 11, 6, 12), "unallocated": (6, 7, 5, 1, 0.5, 4.5)}
# DB2 is remote, whether its class is printed or not; BATCH is on both systems, of which SYSB is remote, and WEB on SYSB alone. Of MIX one class
# is here and the other there; both of CICS are here.
PLACES = TWO.replace(
    "DB2: {report_class: [RDDF, RDB2]}",
    "DB2: {report_class: RDB2, location: remote}, LOST: {report_class: RLOST, location: remote}, "
    "BATCH: {report_class: RBATCH}, WEB: {report_class: RWEB}, MIX: {report_class: [RHERE, RTHERE]}",
).replace("CICS: {report_class: RCICS}", "CICS: {report_class: [RCICS, RCICS2]}")
OF_PLACES = [
    page(name, 1.0, scope=scope, line=10 + n) for n, (name, scope) in enumerate((
        ("RCICS", "SYSA"), ("RDB2", "SYSA"), ("RBATCH", "SYSA"), ("RBATCH", "SYSB"), ("RWEB", "SYSB"), ("RCICS2", "SYSA"), ("RHERE", "SYSA"),
        ("RTHERE", "SYSB")))
]  # fmt: skip
# Requests of a report class, 20% charged of service classes that have 50%; the policy is no whole of them.
CHARGED = TWO.replace(
    "{CICS: {report_class: RCICS}, DB2: {report_class: [RDDF, RDB2]}}", "{CICS: {service_class: ONLINE}}"
)
OF_POLICY = [page("RCICS", 9.0), page("ALL", 95.0, kind="policy", line=20)]
OF_SERVICE = [
    page(name, cp, kind="service_class", line=30 + n)
    for n, (name, cp) in enumerate((("ONLINE", 20.0), ("BATCH", 30.0)))
]
# Service classes in the first of two minutes, the policy in both: 95% of all time, 60 of it charged.
CICS_ALONE = TWO.replace(", DB2: {report_class: [RDDF, RDB2]}", "") + "interval: all\n"
TWO_MINUTES = [row | span(n, 60) for n in (0, 1) for row in (THREE[0], OF_POLICY[1])]
BOTH_KINDS = "allow_both_kinds: true\n" + TWO.replace(
    "DB2: {report_class: [RDDF, RDB2]}", "DB2: {report_class: RDB2, service_class: ONLINE}"
)
KINDS = {"workload": 99.0, "report_class": 70.0, "policy": 95.0, "service_class": 90.0}
SERVICE = [page(f"S{n}", 0.1, kind="service_class", line=20 + n) for n in range(3)]
FROM = "FROM cost_per_request"
REST = f"class_kind, cpu_pct {FROM} WHERE subsystem = 'unallocated'"


test_costs = examples(
    # 10 requests a second, LPAR overhead of 10%: a percent is 0.9 ms.
    ("all parts", costs(OVERHEAD, *THREE, **policy(2.0)),
     f"subsystem, busy_factor, requests, response_ms, {listed(SHARES)}, {listed(TIMES)} {FROM} ORDER BY subsystem",
     [(name, approx(0.9), 600, approx(19), near(*shares), near(*(0.9 * share for share in shares))) for name, shares in PARTS.items()]),
    ("printed rows", costs(OVERHEAD, *THREE), f"[r.line for r in refs] {FROM} WHERE subsystem <> 'CICS' ORDER BY subsystem", [([12, 14],), ([],)]),
    # A percent of one request a second is 10 ms, and of none unknown.
    *((f"{ended} ended", costs(TWO, *(row | {"transactions_ended": ended} for row in THREE), **policy(2.0)),
       f"{listed(TIMES)} {FROM} ORDER BY subsystem", [([ms and approx(ms * share) for share in shares],) for shares in PARTS.values()])
      for ended, ms in ((0, None), (60, 10.0))),
    ("a class that is not printed", costs(TWO, *THREE[:2]), f"cpu_pct, [r.line for r in refs] {FROM} ORDER BY subsystem",
     [(approx(60), [13]), (None, [14]), (None, [])]),
    # A service class of the same name is another class.
    ("service class", costs(TWO, *THREE, page("RCICS", 90.0, kind="service_class", line=20)), f"class_kind, cpu_pct {FROM} WHERE subsystem = 'CICS'",
     [("report_class", approx(60))]),
    ("places", costs(PLACES + "remote_systems: SYSB\n", *OF_PLACES), f"subsystem, location {FROM} ORDER BY subsystem",
     [("BATCH", "both"), ("CICS", "local"), ("DB2", "remote"), ("LOST", "remote"), ("MIX", "both"), ("WEB", "remote"), ("unallocated", None)]),
    ("no subsystems", costs(NONE, *THREE, **policy(2.0)), f"subsystem, {listed(SHARES)} {FROM}", [("unallocated", near(95, 127, 63, 32, 16.5,
     46.5))]),
    # All work is that of service classes, then of the policy, then of report classes; never that of workloads alone.
    *((f"work of {kind}", costs(NONE, *(page("RCICS", KINDS[k], kind=k, line=20 + n) for n, k in enumerate(kinds))), REST, [(kind,
     cpu and approx(cpu))])
      for kinds, kind, cpu in (
          (("workload", "report_class", "policy", "service_class"), "service_class", 90), (("workload", "report_class", "policy"), "policy", 95),
          (("workload", "report_class"), "report_class", 70), (("workload",), None, None))),
    ("classes of one minute", costs(CICS_ALONE, *TWO_MINUTES, page("ONLINE", 90.0, kind="service_class", line=30)), REST, [("policy", approx(35))]),
    # Where service classes are charged, they are the whole.
    ("service classes charged", costs(CHARGED, *OF_POLICY, *OF_SERVICE), REST, [("service_class", approx(30))]),
    ("service classes not printed", costs(CHARGED, *OF_POLICY), REST, [(None, None)]),
    # Service classes have 500%, but nobody knows how much of it the report class counts again.
    ("both kinds", costs(BOTH_KINDS, *THREE, page("ONLINE", 500.0, kind="service_class", line=30)),
     f"subsystem, class_kind, cpu_pct {FROM} WHERE subsystem <> 'CICS' ORDER BY subsystem", [("DB2", None, approx(515)), ("unallocated", None,
      None)]),
    # The rest is known to a hundredth for each class: of three service classes of 0.1% 0.03%; what is charged may be as much more by rounding, and
    # not 0.04%. Binary: 0.1 + 0.1 + 0.1 is not 0.3. In the last the classes have more time on general processors.
    *((f"rest of {excess}", costs(TWO, page("RCICS", 0.3, iip, line=10), page("RDB2", excess, line=11), page("RDDF", 0.0, line=12), *SERVICE),
       f"cpu_pct {FROM} WHERE subsystem = 'unallocated'", [(rest if not rest else approx(rest),)])
      for excess, iip, rest in ((0.0, 0.0, 0.0), (0.02, 0.0, -0.02), (0.04, 0.0, None), (-0.3, 5.0, None))),
)  # fmt: skip


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
    assert [r["cpu_pct"] for r in rows] == approx([10, 1, 20, 2, 40, 4])
    assert [r["cpu_ms_per_request"] for r in rows] == approx([10, 1, 20, 2, 36, 3.6])
