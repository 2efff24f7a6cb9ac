"""Like is compared with like: what differs between the configurations of a study, and what does not."""

from __future__ import annotations

import datetime as dt
from typing import Any

from study_lakes import QUARTERS, studied, two_systems
from views_lake import MemoryLake, Row, expect, heading, worked_page

STUDY = """\
study: S
baseline: base
requests: {report_class: CICS2A20}
configurations:
  base:  {steps: [{window: 2021-04-13T10:00/10:01}]}
  other: {steps: [{window: 2021-04-14T11:00/11:01}]}
  alike: {steps: [{window: 2021-04-20T10:05/10:06}]}
coupling: {uncoupled: alike, coupled: other}
"""


def page(start: dt.datetime, line: int, busy: float, **other: Any) -> dict[str, list[Row]]:
    """One minute of one system: classes, processors, and the service policy page."""
    own = heading(start, scope="SYSA", line=line)
    processor = {"system": "SYSA", "is_total": False, "thread": 0, "processor_type": "CP", "processor_id": "0"}
    machine = {
        "cpc_type": "3906", "cpc_model": "M04", "cpc_capacity": 1200, "boost_type": "None", "boost_class": "None",
    } | other.get("machine", {})  # fmt: skip
    service = {"coefficient_cpu": 1.0, "coefficient_srb": 1.0, "coefficient_ioc": 0.5, "coefficient_mso": 0.0}
    of_policy = {"policy_activated_at": other.get("activated", own["policy_activated_at"])}
    return {
        "rmf_workload_activity": [worked_page(**own) | of_policy | {"policy": other.get("policy", "DAY")}],
        "rmf_cpu_activity": [
            own | processor | machine | {"scope": None, "online_pct": 100.0, "lpar_busy_pct": busy, "line": line + 1}
        ],
        "rmf_service_policy": [own | of_policy | service | other.get("service", {}) | {"line": line + 2}],
        "rmf_service_policy_system": [
            own | of_policy | {"system": "SYSA", "su_per_s": other.get("su_per_s", 50000.0), "line": line + 3}
        ],
    }


def between(warnings: list[Row], baseline: str = "base", configuration: str = "other") -> dict[str, tuple[str, str]]:
    of = [r for r in warnings if (r["baseline"], r["configuration"]) == (baseline, configuration)]
    return {r["warning"]: (r["baseline_value"], r["value"]) for r in of}


def tables(*pages: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {name: [row for page in pages for row in page[name]] for name in pages[0]}


TWO = "".join(line for line in STUDY.splitlines(keepends=True) if "alike" not in line)


def test_everything_that_differs_is_told_with_both_values_and_places():
    other: dict[str, Any] = {
        "machine": {
            "cpc_type": "8561", "cpc_model": "T01", "cpc_capacity": 1500, "boost_type": "ZIIP", "boost_class": "IPL",
        },
        "policy": "NIGHT",
        "activated": dt.datetime(2021, 4, 14, 7, 0),
        "service": {"coefficient_mso": 0.1},
        "su_per_s": 62000.0,
    }  # fmt: skip
    pages = tables(
        page(dt.datetime(2021, 4, 13, 10, 0), 10, 40.0),
        page(dt.datetime(2021, 4, 14, 11, 0), 20, 61.0, **other),
        page(dt.datetime(2021, 4, 20, 10, 5), 30, 59.0),
    )
    warnings = (yield studied(STUDY, **pages)).rows("FROM comparison_warning")
    told = between(warnings)
    assert told == {
        "weekday": ("Tuesday", "Wednesday"),
        "hour": ("10", "11"),
        "machine": ("3906 M04", "8561 T01"),
        "capacity": ("1200.0", "1500.0"),
        "boost": ("none", "ZIIP IPL"),
        "policy": ("DAY", "NIGHT"),
        "policy_activation": ("2021-01-01 00:00:00", "2021-04-14 07:00:00"),
        "coefficients": ("CPU 1.0, SRB 1.0, IOC 0.5, MSO 0.0", "CPU 1.0, SRB 1.0, IOC 0.5, MSO 0.1"),
        "su_per_s": ("50000.0", "62000.0"),
        "busy_cp": ("40.00%", "61.00%"),
        "busy_cp_and_ziip": ("40.00%", "61.00%"),
    }
    # A week later, in the same hour, 59% busy against 40, less than one and a half times, is alike. Coupled and uncoupled are
    # compared too, and no pair else.
    assert {(r["baseline"], r["configuration"]) for r in warnings} == {("base", "other"), ("alike", "other")}
    assert between(warnings, "alike", "other").keys() == told.keys() - {"busy_cp", "busy_cp_and_ziip"}
    refs = {r["warning"]: [ref["line"] for ref in r["refs"]] for r in warnings if r["baseline"] == "base"}
    expect(refs, weekday=[5, 6], policy=[10, 20], machine=[11, 21], coefficients=[12, 22], su_per_s=[13, 23])


BEFORE, AFTER = dt.datetime(2021, 4, 13, 10, 0), dt.datetime(2021, 4, 14, 11, 0)


def of_scopes(*after: str) -> dict[str, list[Row]]:
    """Before, the page of the sysplex; after, a page of each of some systems."""
    pages = [page(BEFORE, 10, 40.0), *(page(AFTER, 20 + 10 * n, 40.0) for n, _ in enumerate(after))]
    rows = tables(*pages)["rmf_workload_activity"]
    scoped = [row | {"scope": scope} for row, scope in zip(rows, ("SYSA,SYSB", *after), strict=True)]
    return studied(TWO, rmf_workload_activity=scoped)


def test_what_is_alike_and_what_one_of_them_does_not_print_is_not_told():
    """Pages of each system are of the systems of one page of all. Busy shares may differ by half: 60% is one and a half times 40%, not more.
    Of two prints of a processor that differ busy is not known."""
    one, name = page(BEFORE, 10, 40.0), "rmf_workload_activity"
    other = page(AFTER, 20, 80.0, policy="NIGHT")
    again = {"rmf_cpu_activity": [one["rmf_cpu_activity"][0] | {"source_id": "s2", "lpar_busy_pct": 41.0, "line": 12}]}
    twice = tables(one, page(AFTER, 20, 40.0))
    twice["rmf_cpu_activity"] += again["rmf_cpu_activity"]
    lakes = yield [
        of_scopes("SYSB", "SYSA"),
        of_scopes("SYSA"),
        studied(TWO, **one | {name: [*one[name], *other[name]]}),
        *(studied(TWO, **tables(one, page(AFTER, 20, busy))) for busy in (60.0, 60.5)),
        studied(TWO, **twice),
    ]
    each, fewer, unprinted, half, more, two = (between(lake.rows("FROM comparison_warning")) for lake in lakes)
    assert "systems" not in each
    assert fewer["systems"] == ("SYSA,SYSB", "SYSA")
    assert unprinted.keys() == {"weekday", "hour", "policy"}
    assert ("busy_cp" in half, "busy_cp" in more) == (False, True)
    assert two["busy_unknown"] == ("CPU Activity of SYSA is printed with two values", "known")


def test_of_two_sysplexes_with_a_system_of_one_name_busy_is_not_known():
    """SYSA of PLEX1 40% busy, SYSA of PLEX2 80%, in one minute; the same a day later with PLEX1's alone, which may be either's, and with PLEX1 alone."""
    text = """\
study: S
baseline: one
requests: {report_class: CICS2A20}
configurations:
  one:   {steps: [{window: 2021-04-13T10:00/10:01, sysplex: PLEX1}]}
  other: {steps: [{window: 2021-04-13T10:00/10:01, sysplex: PLEX2}]}
  next:  {steps: [{window: 2021-04-14T10:00/10:01, sysplex: PLEX1}]}
  alone: {steps: [{window: 2021-04-15T10:00/10:01, sysplex: PLEX1}]}
"""
    days = [dt.datetime(2021, 4, 13 + n, 10, 0) for n in range(3)]
    of_plex2 = [
        {
            name: [r | {"sysplex": "PLEX2", "source_id": f"p{n}"} for r in rows]
            for name, rows in page(days[n], line, 80.0).items()
        }
        for n, line in ((0, 20), (1, 40))
    ]
    of_plex2[1]["rmf_cpu_activity"] = []
    pages = tables(page(days[0], 10, 40.0), of_plex2[0], page(days[1], 30, 40.0), of_plex2[1], page(days[2], 50, 40.0))
    pages["rmf_cpu_activity"] = [r | {"sysplex": None} for r in pages["rmf_cpu_activity"]]
    lake = yield studied(text, **pages)
    busy = "SELECT cpu_busy_pct FROM run_busy WHERE busy_basis = 'cp' AND configuration = 'one'"
    assert lake.rows(busy) == [{"cpu_busy_pct": None}]
    why = "SYSA is in PLEX1 and PLEX2, and CPU Activity names no sysplex"
    both = f"CPU Activity of SYSA is printed with two values; {why}"
    warnings = lake.rows("FROM comparison_warning")
    told = [between(warnings, "one", c)["busy_unknown"] for c in ("other", "next", "alone")]
    assert told == [(both, both), (both, why), (both, "known")]
    assert {len(r["refs"]) for r in warnings if r["warning"] == "busy_unknown" and r["configuration"] == "alone"} == {1}


def test_a_system_that_misses_intervals_is_named_with_their_times():
    """SYSB lost its last quarter, and SYSA 600 s of its second: 8 engines are online all the same, and no number of engines differs. Where
    CPU Activity alone lacks, it is told too."""
    lake = MemoryLake(**two_systems([QUARTERS[0], (23, 300), *QUARTERS[2:]], QUARTERS[:3]))
    told = between(lake.rows("FROM comparison_warning"), "alone", "both")
    assert told == {
        "hour": ("10", "12"),
        "missing_intervals": ("none", "SYSA 2021-04-13 12:15 to 12:30 (600 s of it), SYSB 2021-04-13 12:45 to 13:00"),
    }
    rows = two_systems(QUARTERS, QUARTERS)
    processors = rows["rmf_cpu_activity"]
    lost = [r for r in processors if r["system"] == "SYSA" and r["interval_start"].time() < dt.time(10, 30)]
    lake = MemoryLake(**rows | {"rmf_cpu_activity": [r for r in processors if r not in lost]})
    told = between(lake.rows("FROM comparison_warning"), "alone", "both")
    assert told["missing_intervals"] == ("SYSA CPU Activity 2021-04-13 10:00 to 10:30", "none")
    assert {r["busy_ms_per_request"] is None for r in lake.rows("FROM itr WHERE configuration = 'alone'")} == {True}


def test_of_systems_whose_last_intervals_differ_the_earlier_lacks_one():
    """The last of SYSA is 12:45; that of SYSB, which lost it, 12:30: SYSA has one of 12:30, too, but it is not asked for."""
    lake = yield two_systems(QUARTERS, QUARTERS[:3], rule="last")
    rows = lake.rows("SELECT configuration, systems, missing_s FROM run_gap")
    assert rows == [{"configuration": "both", "systems": "SYSB", "missing_s": 900}]
