"""Studies: what is wrong with a file, what a study selects, what follows from it, and the published results."""

from __future__ import annotations

import datetime as dt

import pytest
from one_lake import Rows, examples
from rmf_rows import overlapping, processor
from study_lakes import ONE_STEP, minutes, studied
from views_lake import START, Row, expect, heading, one_row, span, worked_page

approx = pytest.approx
ALL = ONE_STEP + "interval: all\n"


def named(name: str) -> str:
    return ONE_STEP.replace("study: S", f"study: '{name}'")


def pages(*some: list[Row], text: str = ONE_STEP, **tables: list[Row]) -> Rows:
    return studied(text, rmf_workload_activity=[row for rows in some for row in rows], **tables)


def rejected(line: int, page: int = 1, source: str = "s1", report: str = "rmf_workload_activity") -> Row:
    return {"report": report, "source_id": source, "source_file": f"{source}.txt", "page": page, "line": line}


RULES = {"last": [5000], "all": [1000, 2000, 3000, 4000, 5000], "[10:01, 10:03]": [2000, 4000]}
OF_RULES = "---\n".join([*(named(rule) + f"interval: {rule}\n" for rule in RULES), ONE_STEP])
LATE = [row | span(n + 1 / 3, 60) for n, row in enumerate(minutes(6))]
WHOLE = worked_page(**heading(START, 300, line=90), transactions_ended=15000)
OF_SYSTEMS = "---\n".join(named(name) + f"systems: {of}\n" for name, of in (("one", "SYSA"), ("both", "[SYSB, SYSA]"), ("three",
 "[SYSA, SYSB, SYSC]")))  # fmt: skip
APART = [*minutes(1, scope="SYSA"), *minutes(1, scope="SYSB", line=70, transactions_ended=500, source_id="s2")]
# Pages of more systems are taken, 1000 to 5000 requests. A note on what is left out is for prints of the same systems that overlap.
OWN = minutes(5, scope="SYSA", source_id="s2", transactions_ended=7)
LONG = minutes(1, source_id="s3", interval_end=START + dt.timedelta(minutes=3), interval_s=180.0)
OTHER: Row = {"report_class": "DB2", "transactions_ended": 0, "appl_cp_pct": 10.0, "appl_iip_pct": 2.0, "appl_iipcp_pct": 1.0}  # fmt: skip
TWO = [*minutes(2), *(row | OTHER | {"line": row["line"] + 50} for row in minutes(2))]
OF_BOTH = ALL.replace("CICS: {", "DB2: {report_class: DB2, location: remote}, CICS: {")
LOCATIONS = "cpu_pct, cpu_ms_per_request, non_ziip_eligible_pct FROM cost_by_location ORDER BY is_total, location"
# Lines of other pages, sources and reports do not count.
ELSEWHERE = [rejected(33, page=2), rejected(33, source="s2"), rejected(33, report="rmf_cpu_activity")]
COSTS = "subsystem, cpu_pct FROM cost_per_request ORDER BY subsystem"
FIRST = minutes(1)[0]
SECOND = worked_page(**heading(START + dt.timedelta(minutes=1), line=30), report_class="OTHER")
OF_SERVICE = SECOND | {"class_kind": "service_class", "report_class": None, "service_class": "S"}
REQUESTS = "requests, requests_per_s FROM run_requests"
# 1303.760 page elements a second over 304 s, processor time of one minute of it.
SIMULATED = ONE_STEP.replace("{report_class: CICS2A20}\nsub", "{source: workload_simulator, count: page_elements}\nsub")
SIMULATED = SIMULATED.replace("10:05}", "10:05, simulator: t4.log}")
LOG: Row = {"source_id": "s9", "source_file": "logs/t4.log", "page": 1, "line": 2, "run_time_s": 304.0}
LOG |= {"page_elements": 397189, "page_elements_per_s": 1303.76, "transactions_per_s": 1079.83}
RUN = pages([worked_page()], text=SIMULATED, workload_simulator_run=[LOG])
KINDS = "allow_both_kinds: true\n" + ONE_STEP.replace("CICS: {", "DB2: {service_class: DB2}, CICS: {")
OF_KIND = {"class_kind": "service_class", "report_class": None, "service_class": "DB2", "appl_cp_pct": 60.0, "line": 99}
CICS = "FROM cost_per_request WHERE subsystem = 'CICS'"


test_what_a_study_selects_and_costs = examples(
    ("rules pick intervals", pages(minutes(7), text=OF_RULES),
     "study, list(requests ORDER BY requests) FROM run_interval GROUP BY study ORDER BY study",
     sorted(RULES.items())),
    # By its midpoint.
    ("window of an interval", pages(LATE, text=ONE_STEP + "interval: last\n"), "interval_start, requests FROM run_interval",
     [(START + dt.timedelta(minutes=4, seconds=20), 5000)]),
    ("without a rule", pages(minutes(1)), "interval_s, requests, scope, system, requests_per_s, response_ms FROM run_interval",
     [(60, 1000, "SYSA,SYSB", None, approx(1000 / 60), approx(19))]),
    ("the same time", pages(minutes(5), [WHOLE], text=ALL), "sum(requests), sum(interval_s) FROM run_interval", [(15000, 300)]),
    ("the same page", pages(minutes(1), [row | {"source_id": "s2"} for row in minutes(1)]), f"requests, cpu_pct {CICS}", [(1000, approx(107.19))]),
    *((f"duration report, {count}", pages([worked_page(report_kind="duration")], text=text), "count(*) FROM run_interval", [(count,)])
      for text, count in ((ONE_STEP, 0), (ONE_STEP + "report_kind: duration\n", 1))),
    ("one system of a page of two", pages(minutes(1), text=OF_SYSTEMS), "study FROM run_interval ORDER BY study", [("both",), ("three",)]),
    *((f"two sysplexes, {found}", pages(minutes(1), minutes(1, sysplex="PLEX2", line=80), text=text), "sysplex FROM run_interval", found)
      for text, found in ((ONE_STEP, []), (ONE_STEP + "sysplex: PLEX2\n", [("PLEX2",)]))),
    ("systems that report apart", pages(APART), f"requests_per_s, cpu_pct, cpu_ms_per_request {CICS}",
     [(approx(25), approx(2 * 107.19), approx(2 * 1071.9 / 25))]),
    *((f"pages beside, {notes}", pages(minutes(5), of, text=ALL), "sum(requests), max(scope) FROM run_interval", [(15000, "SYSA,SYSB")])
      for of, notes in ((OWN, "own"), (LONG, "long"))),
    *((f"notes on pages beside, {notes}", pages(minutes(5), of, text=ALL), "found FROM configuration_note WHERE note = 'left_out'", notes)
      for of, notes in ((OWN, []), (LONG, [(1.0,)]))),
    # CICS 107.19% here, DB2 12% there, 25 requests a second; of a location that holds an unprinted class nothing is known.
    ("locations", pages(TWO, text=OF_BOTH), f"location, subsystems, {LOCATIONS}",
     [("local", "CICS", approx(107.19), approx(42.876), approx(24.9)), ("remote", "DB2", approx(12.0), approx(4.8), approx(9.0)),
      (None, "CICS,DB2", approx(119.19), approx(47.676), approx(33.9))]),
    ("location of an unprinted class", pages(minutes(2), text=OF_BOTH), f"cpu_pct IS NULL, location, {LOCATIONS}",
     [(False, "local", approx(107.19), approx(42.876), approx(24.9)), (True, "remote", None, None, None), (True, None, None, None, None)]),
    *((f"{ended} requests", pages([worked_page(transactions_ended=ended)]), f"requests, cpu_ms_per_request, cpu_pct {CICS}", [(ended, None,
     approx(107.19))])
      for ended in (0, None)),
    # RMF leaves out what did nothing: DB2 at 12% in one of two minutes is 6% of both. A line that could not be read may have been it;
    # CICS, which both minutes print, is known all the same, and what is charged to none is not.
    *((f"a class that one interval lacks, {len(lost)} lost", pages(TWO[:-1], text=OF_BOTH, parse_reject=lost), COSTS,
       [("CICS", approx(107.19)), ("DB2", db2), ("unallocated", rest)])
      for lost, db2, rest in (([], approx(6), approx(0)), (ELSEWHERE, approx(6), approx(0)), ([rejected(33)], None, None))),
    # 1000 in the first of two minutes, which the second does not print: 1000 / 120 s where it is whole. If it prints no class of the kind,
    # nothing is known of it.
    ("requests that one interval lacks", pages([FIRST, SECOND], text=ALL), f"response_ms, {REQUESTS}", [(approx(19), 1000, approx(1000 / 120))]),
    ("requests that may be lost", pages([FIRST, SECOND], text=ALL, parse_reject=[rejected(33)]), REQUESTS, [(None, None)]),
    ("requests of another kind", pages([FIRST, OF_SERVICE], text=ALL), REQUESTS, [(None, None)]),
    ("both kinds leave no rest", pages(minutes(1), [row | OF_KIND for row in minutes(1)], text=KINDS),
     "cpu_pct IS NULL FROM cost_per_request ORDER BY subsystem",
     [(False,), (False,), (True,)]),
    ("requests of the simulator", RUN, f"requests_per_s, cpu_ms_per_request {CICS}", [(approx(1303.76), approx(1071.9 / 1303.76))]),
    ("time of the simulator", RUN, "request_span_s, covered_s, is_other_span FROM run_requests", [(304, 60, True)]),
    ("another file", pages([worked_page()], text=SIMULATED, workload_simulator_run=[LOG | {"source_file": "t4xlog"}]), "requests FROM run_requests",
     [(None,)]),
)  # fmt: skip


def busy(*processors: Row, text: str = ONE_STEP, **page: object) -> Rows:
    """One page of 6,000 transactions in a minute, 100/s, of SYSA."""
    row = worked_page(**{"scope": "SYSA", "transactions_ended": 6000} | page)
    return pages([row], text=text, rmf_cpu_activity=[*processors])


A, B = processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)
# The factor 2.5 is recovered from the page's own times; 1 CP 50% busy, 1 zIIP 20%: (50 + 50)/(100 + 250).
TIMES: Row = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_cp_pct": 50.0, "appl_iip_pct": 46.67, "srb_time_s": 0.0}
VOLUME = "study: S\nconfigurations: {A: {steps: [{window: 2021-04-13T10:00/10:05, volume: 6000}]}}\n"
CP = "FROM itr WHERE busy_basis = 'cp'"


test_internal_throughput = examples(
    # 80 of 100 and 40 of 50 online: (80 + 20)/150, not the mean of the rows; a total and a second thread are left out.
    ("by the time online", busy(processor(0, 80.0), processor(1, 40.0, 50.0), processor(2, 99.0, 0.0), processor(9, 60.0, is_total=True,
     processor_id=None),
     processor(0, None, thread=1)), f"cpu_busy_pct, itr_per_s, itr_per_interval {CP}", [(approx(200 / 3), approx(150), approx(9000))]),
    ("zIIPs in both sums", busy(A, processor(1, 20.0, kind="IIP"), **TIMES), "busy_basis, cpu_busy_pct FROM itr ORDER BY ALL",
     [("cp", approx(50)), ("cp_and_ziip", approx(100 / 3.5))]),
    *((f"unknown {n}", busy(*processors), "DISTINCT itr_per_s, etr_per_s FROM itr", [(None, 100)]) for n, processors in enumerate((
        [], [processor(0, None)], [A, processor(1, None)], [processor(0, 50.0, interval_end=START + dt.timedelta(seconds=90), interval_s=90.0)],
        [A, processor(0, 51.0, source_id="s2")], [processor(0, 50.0, system="SYSB")], overlapping()))),
    ("two systems", busy(A, B, scope="SYSA,SYSB"), f"cpu_busy_pct {CP}", [(approx(40),)]),
    ("a system without CPU Activity", busy(A, scope="SYSA,SYSB"), f"itr_per_s {CP}", [(None,)]),
    # The study names the systems of a page that names none.
    ("systems of the study", busy(A, B, text=ONE_STEP + "systems: SYSA\n", scope=None), f"cpu_busy_pct {CP}", [(approx(50),)]),
    ("a volume needs no page", pages(text=VOLUME, rmf_cpu_activity=[A, B]), f"etr_per_s, itr_per_interval {CP}", [(approx(100), approx(15000))]),
)  # fmt: skip


NORMALIZED = """\
study: S
requests: {report_class: CICS2A20}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:01}]}
  B: {steps: [{window: 2021-04-13T10:01/10:02}]}
normalization: {A: {engine_mips: [16.5, 19.4]}, B: {lpar_overhead_pct: 10}}
coupling: {uncoupled: A, coupled: B}
"""


def test_busy_is_normalized_as_the_study_says():
    """40% on engines of 16.5 MIPS is 34.02% on 19.4: 14.9% less busy. 50% with 10% LPAR management is 45%."""
    later = {k: v for k, v in span(1, 60).items() if k != "interval_s"}
    processors = [processor(0, 40.0), processor(0, 50.0, **later)]
    classes = minutes(2, scope="SYSA", transactions_ended=6000)
    lake = yield pages(classes, text=NORMALIZED, rmf_cpu_activity=processors)
    of = dict(lake.sql(f"SELECT configuration, cpu_busy_pct {CP}").fetchall())
    assert of == {"A": approx(40 * 16.5 / 19.4), "B": approx(45)}
    assert 1 - of["A"] / 40 == approx(0.149, abs=0.0005)
    row = one_row(lake, "FROM coupling_efficiency WHERE busy_basis = 'cp'")
    expect(row, coupling_efficiency_pct=approx(of["A"] / 45 * 100))
    expect(row, cpu_increase_pct=approx((45 / of["A"] - 1) * 100), is_comparable=True)
