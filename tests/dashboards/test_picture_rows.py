"""What pictures read of lakes that pictured_lake does not have: duration reports, four hours of MSU, scopes apart."""

import datetime as dt
from typing import Any

import pytest
from drawn import told
from ironlake.dashboards.charts.comparison_page_charts import PICTURES
from ironlake.dashboards.charts.draw_declared import draw
from ironlake.dashboards.charts.spec import Reader
from ironlake.dashboards.references import Reference, Sources
from rmf_rows import both, machine, partition, service_class
from study_lakes import ONE_STEP, minutes, study_lake
from views_lake import START, MemoryLake, Row, heading


def _read(lake: MemoryLake, name: str) -> list[Row]:
    (picture,) = (p for p in PICTURES if p.name == name)
    return Reader(lake, ["S"], [picture], Sources(lake)).rows(picture, "S")


def test_processor_time_of_duration_reports_is_drawn_over_time():
    pages = minutes(3, report_kind="duration")
    lake = study_lake(ONE_STEP + "interval: all\nreport_kind: duration\n", rmf_workload_activity=pages)
    assert [(r["line_start"].minute, r["line_end"].minute, r["cpu_pct"]) for r in _read(lake, "cpu_over_time")] == [
        (0, 1, pytest.approx(107.19)), (1, 2, pytest.approx(107.19)), (2, 3, pytest.approx(107.19)),
    ]  # fmt: skip


FOUR_HOURS = """\
study: S
interval: all
requests: {service_class: CICS}
configurations:
  T2: {steps: [{window: 2021-04-13T14:00/16:00}]}
  T4: {steps: [{window: 2021-04-14T14:00/16:00}]}
"""


def test_each_configuration_has_its_own_source_of_msu_and_says_which():
    """T2 has both sources: its partition, 100 until 14:00, then 200: hours of 100 + 6.25 x (1 + 2 + 3 + 4) / 4 = 115.625 and 140.625. T4 has
    its classes alone, at 3060 / 17 = 180 MSU an engine: CICS 10% for two hours and 60% for four, BATCH 80% for one: 18, 18, 108, 252,
    108, 108; the four hours to 15:00 and to 16:00 have 121.5 and 144."""
    classes = []
    for day in (0, 24):
        hours = [(n, 10.0 if n < 2 else 60.0) for n in range(6)]
        classes += [service_class("CICS", cp, 60 * (day + n), 3600, line=n + 10) for n, cp in hours]
        classes += [service_class("BATCH", 80.0, 60 * (day + 3), 3600, line=30)]
    quarters = [partition(n, 100.0 if n < 16 else 200.0) for n in range(24)]
    of_another = [partition(n, 9999.0, system="SYSZ") for n in range(24)]
    of_another += [partition(n, 9999.0, system="SYSZ", partition="LPARZ", line=99) for n in range(24)]
    cpus = [row | {"cpc_capacity": 3060.0} for row in machine(30)]
    lake = study_lake(
        FOUR_HOURS, rmf_workload_activity=classes, rmf_partition_data=quarters + of_another, rmf_cpu_activity=cpus
    )
    (picture,) = (p for p in PICTURES if p.name == "rolling_msu")
    figure: Any = draw(picture, _read(lake, "rolling_msu"), ["T2", "T4"])
    found = {line.name: [v.value for v in line.values] for line in figure.lines}
    assert found == {
        "T2 · partition data": pytest.approx([115.625, 140.625]),
        "T4 · workload activity": pytest.approx([121.5, 144]),
    }


def test_a_machine_is_drawn_as_the_sum_of_its_partitions_with_their_caps():
    """LPARA and LPARB use 750 each, and LPARA counts 600, its defined capacity: one line of 600 + 750."""
    capped = [
        row | {"msu_defined": 600.0 if row["partition"] == "LPARA" else 0.0} for row in both([750.0] * 6, [750.0] * 6)
    ]
    pages = [service_class("CICS", 10.0, 60 * n, 3600, line=n + 10) for n in range(6)]
    text = FOUR_HOURS[: FOUR_HOURS.index("  T4:")]
    lake = study_lake(text, rmf_workload_activity=pages, rmf_partition_data=capped)
    rows = _read(lake, "rolling_msu")
    assert [(r["systems"], r["of"], r["caps"], r["four_hour_msu"]) for r in rows] == [
        ("SYSA,SYSB", "whole machine", "with caps", 1350)
    ] * 2
    # The peak of a month takes all its days: they are not among what lies near the windows.
    near = study_lake(text, rmf_workload_activity=pages)
    (picture,) = (p for p in PICTURES if p.name == "rolling_msu")
    of_all_days = Reader(near, ["S"], [picture], Sources(near), lake).rows(picture, "S")
    assert [r["four_hour_msu"] for r in of_all_days] == [1350, 1350]


def test_goals_of_systems_that_report_apart_are_not_one():
    """SYSA misses its goal in both minutes, SYSB in none; where each configuration has one set of systems, they are compared."""
    pages = [row for s, line in (("SYSA", 10), ("SYSB", 70)) for row in minutes(2, scope=s, source_id=s, line=line)]
    of_period = {"class_kind": "service_class_period", "workload": "ONLINE", "service_class": "SCICS", "period": 1}
    goals = [
        heading(page["interval_start"], scope=page["scope"], source_id=page["source_id"], line=n + 90)
        | of_period
        | {"system": page["scope"], "is_total": False, "goal_type": "average", "goal_s": 1.0}
        | {"performance_index": 2.0 if page["scope"] == "SYSA" else 0.5}
        for n, page in enumerate(pages)
    ]
    lake = study_lake(ONE_STEP + "interval: all\n", rmf_workload_activity=pages, rmf_workload_goal=goals)
    assert [(r["systems"], r["index_worst"], r["missed_pct"]) for r in _read(lake, "goals")] == [
        ("SYSA", 2.0, 100.0), ("SYSB", 0.5, 0.0),
    ]  # fmt: skip
    together = study_lake(ONE_STEP + "interval: all\n", rmf_workload_activity=pages[:2], rmf_workload_goal=goals[:2])
    assert [(r["systems"], r["missed_pct"]) for r in _read(together, "goals")] == [("", 100.0)]
    assert [(r["systems"], r["line_start"].minute) for r in _read(lake, "index_over_time")] == [
        ("SYSA", 0), ("SYSA", 1), ("SYSB", 0), ("SYSB", 1),
    ]  # fmt: skip


def _drawn(name: str, rows: list[Row]) -> Any:
    (picture,) = (p for p in PICTURES if p.name == name)
    row: Row = {"period": "SCICS period 1", "line_run": "1", "reference": Reference()}
    return draw(picture, [row | r for r in rows], ["T2", "T4"])


def test_systems_that_report_apart_have_marks_and_lines_of_their_own():
    indexes = (("SYSA", 2.0), ("SYSB", 0.5))
    rows: list[Row] = [{"systems": s, "configuration": "T2", "performance_index": index} for s, index in indexes]
    minute = dt.timedelta(minutes=1)
    times = [{"line_start": START + n * minute, "line_end": START + (n + 1) * minute} for n in range(2)]
    uneven = [
        row | time | {"performance_index": row["performance_index"] + n} for row in rows for n, time in enumerate(times)
    ]
    lines = _drawn("index_over_time", uneven)
    assert told(lines) == {"SYSA": [2, 3, 3, None], "SYSB": [0.5, 1.5, 1.5, None]}
