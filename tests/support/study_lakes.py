"""Lakes in memory that hold a study, and pages for it: the worked page, minute by minute."""

import datetime as dt

from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.study_file import parse_studies
from rmf_rows import processor
from views_lake import START, MemoryLake, Row, heading, span, worked_page


def study_lake(text: str, **rows: list[Row]) -> MemoryLake:
    """A lake in memory that holds the studies of a text."""
    return MemoryLake(**studied(text, **rows))


def studied(text: str, **rows: list[Row]) -> dict[str, list[Row]]:
    """Rows, and those of the studies of a text beside them."""
    tables = study_rows(parse_studies(text, "study.yaml"), "study")
    return rows | {name: table.to_pylist() for name, table in tables.items()}


ONE_STEP = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:05}]}}
"""


def minutes(count: int, **other: object) -> list[Row]:
    """The worked page for a number of minutes on end, the first transactions 1000, then 2000, …"""
    return [
        worked_page(**heading(START + dt.timedelta(minutes=n), line=10 + n), transactions_ended=1000 * (n + 1)) | other
        for n in range(count)
    ]


# Two runs of a configuration, whose normalisation is not in what was measured, and one of another.
RUNS = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}, DDF: {report_class: DDFWORK}}
normalization: {A: {lpar_overhead_pct: 10}}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:15}, {window: 2021-04-13T11:00/11:15}]}
  B: {steps: [{window: 2021-04-13T12:00/12:15}]}
"""


def charged_classes(*runs: tuple[int, float, float, float]) -> list[Row]:
    """Requests and CP of CICS, CP of DDF, CP of another class, each run an hour after the one before."""
    rows = []
    for n, (ended, cics, ddf, other) in enumerate(runs):
        for line, (name, cp) in enumerate({"CICS2A20": cics, "DDFWORK": ddf, "OTHER": other}.items()):
            page = worked_page(**heading(START, 900, scope="SYSA", line=10 * n + line), report_class=name)
            rows.append(
                page | span(60 * n, 900) | {"transactions_ended": ended, "appl_cp_pct": cp, "appl_iip_pct": 0.0}
            )
    return rows


HOURS = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}}
configurations:
  alone: {steps: [{window: 2021-04-13T10:00/11:00, interval: all}]}
  both: {steps: [{window: 2021-04-13T12:00/13:00, interval: all}]}
coupling: {uncoupled: alone, coupled: both}
"""
# For each of two systems: requests/s, engines busy of four, and processor time of the class in percent of an engine.
SYSTEMS = {"SYSA": (300, 0.7, 60.0), "SYSB": (600, 1.3, 180.0)}
QUARTERS = [(0, 900), (15, 900), (30, 900), (45, 900)]


def hour_of(
    system: str, first_minute: int, spans: list[tuple[int, int]], requests: bool = True
) -> tuple[list[Row], list[Row]]:
    """Pages and processors of a system: `spans` are minutes and seconds."""
    per_s, busy, pct = SYSTEMS[system]
    pages, processors = [], []
    for minute, seconds in spans:
        line = 1000 * (first_minute + minute) + 100 * (system == "SYSB")
        at = span(first_minute + minute, seconds)
        page = worked_page(**heading(scope=system, source_id=system, line=line)) | {"appl_cp_pct": pct}
        page |= {"appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "iip_time_s": 0.0}
        name = {} if requests else {"report_class": "SERVERS"}
        pages.append(page | at | {"transactions_ended": round(per_s * seconds)} | name)
        processors += [
            processor(n, 25 * busy, system=system, source_id=system, **at)
            | {"line": line + n + 1, "processor_id": str(n)}
            for n in range(4)
        ]
    return pages, processors


def two_systems(
    of_a: list[tuple[int, int]], of_b: list[tuple[int, int]], b_counts: bool = True, rule: str = "all"
) -> dict[str, list[Row]]:
    """Alone with all quarters, both with those given."""
    parts = [
        hour_of(system, first, spans, b_counts or system == "SYSA")
        for first, a, b in ((0, QUARTERS, QUARTERS), (120, of_a, of_b))
        for system, spans in (("SYSA", a), ("SYSB", b))
    ]
    rows = {"rmf_workload_activity": [r for p, _ in parts for r in p], "rmf_cpu_activity": [r for _, p in parts for r in p]}  # fmt: skip
    return studied(HOURS.replace("interval: all", f"interval: {rule}"), **rows)
