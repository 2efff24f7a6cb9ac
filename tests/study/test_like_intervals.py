"""Like intervals: the same place in runs of two configurations, all scopes added."""

import datetime as dt
from typing import Any

import pytest
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import studies_of_runs
from ironlake.pipeline.study.windows import Window
from one_lake import Asks
from views_lake import START, Row, heading

DAY, QUARTER = dt.timedelta(days=1), dt.timedelta(minutes=15)


def _class(start: dt.datetime, line: int, cp: float | None, seconds: float = 900, **other: Any) -> Row:
    row = heading(
        start, seconds, line=line, class_kind="service_class", service_class="BATCH", policy_activated_at=None
    )
    row |= {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "appl_aapcp_pct": 0.0}
    return row | {"transactions_ended": 1, "actual_time_s": 0.1} | other


def _like(tables: dict[str, list[Row]], runs: dict[str, Any]) -> Asks[list[tuple[Any, ...]]]:
    studies = study_rows(studies_of_runs((yield tables), runs), "not in the lake")
    studied = yield tables | {name: rows.to_pylist() for name, rows in studies.items()}
    rows = studied.rows(
        "SELECT * FROM like_interval WHERE class_kind = 'service_class' ORDER BY configuration, run_number, place, class_name"
    )
    return [(r["configuration"], r["run_number"], r["place"], r["follows"], r["cp_pct"], r["msu"]) for r in rows]


def test_places_are_counted_from_the_start_of_each_window_and_runs_by_time():
    """RMF starts an interval a second late; the second quarter of day 2 is missing, so that the third follows none."""
    late = dt.timedelta(seconds=1)
    rows = [
        _class(START, 1, 10.0), _class(START + QUARTER + late, 2, 20.0), _class(START + 2 * QUARTER, 3, 30.0),
        _class(START + DAY, 4, 11.0), _class(START + DAY + 2 * QUARTER, 5, 33.0),
        _class(START + 2 * DAY + QUARTER, 6, 40.0),
    ]  # fmt: skip
    hour = dt.timedelta(hours=1)
    runs = {
        "before": [Window(START, START + hour), Window(START + DAY, START + DAY + hour)],
        "after": [Window(START + 2 * DAY, START + 2 * DAY + hour)],
    }
    assert (yield from _like({"rmf_workload_activity": rows}, runs)) == [
        ("after", 1, 1, False, 40.0, None), ("before", 1, 0, False, 10.0, None), ("before", 1, 1, True, 20.0, None),
        ("before", 1, 2, True, 30.0, None), ("before", 2, 0, False, 11.0, None), ("before", 2, 2, False, 33.0, None),
    ]  # fmt: skip


def test_pages_of_two_systems_are_added_and_a_place_that_one_has_not_is_unknown():
    rows = [
        _class(START, 1, 10.0, scope="SYSA"), _class(START, 2, 5.0, scope="SYSB"), _class(START + QUARTER, 3, 20.0, scope="SYSA"),
        _class(START + DAY, 4, 12.0, scope="SYSA"), _class(START + DAY, 5, 6.0, scope="SYSB"),
    ]  # fmt: skip
    hour = dt.timedelta(hours=1)
    runs = {"before": [Window(START, START + hour)], "after": [Window(START + DAY, START + DAY + hour)]}
    assert (yield from _like({"rmf_workload_activity": rows}, runs)) == [
        ("after", 1, 0, False, 18.0, None),
        ("before", 1, 0, False, 15.0, None),
        ("before", 1, 1, True, None, None),
    ]


def test_software_msu_are_those_of_the_machine():
    """8561-717 with 3084 MSU: 181.41 per CP; 50% of one engine is 90.7."""
    cpu = [
        heading(start, 900, system="SYSA", scope=None, cpc_model="717", cpc_capacity=3084, processor_type="CP", processor_id="0", thread=0, line=line, is_total=False, online_pct=100.0)
        for start, line in ((START, 50), (START + DAY, 51))
    ]  # fmt: skip
    rows = [_class(START, 1, 50.0, scope="SYSA"), _class(START + DAY, 2, 25.0, scope="SYSA")]
    hour = dt.timedelta(hours=1)
    runs = {"before": [Window(START, START + hour)], "after": [Window(START + DAY, START + DAY + hour)]}
    found = yield from _like({"rmf_workload_activity": rows, "rmf_cpu_activity": cpu}, runs)
    assert [(row[0], round(row[5], 2)) for row in found] == [("after", 45.35), ("before", 90.71)]


def _minutes(start: dt.datetime, *intervals: tuple[int, int, float]) -> list[Row]:
    """Intervals by the minutes after `start` at which they begin and end, with their CP."""
    day = (start - START).days
    return [
        _class(start + dt.timedelta(minutes=at), 100 * day + n, cp, 60 * (to - at))
        for n, (at, to, cp) in enumerate(intervals)
    ]


QUARTERS = [(at, at + 15, 140.0) for at in range(0, 120, 15)]


def test_intervals_of_one_place_are_weighted_by_time_and_never_added():
    """Day 2: an IPL until 10:07, then eight minutes alone in the first quarter. Day 3: a policy activated at 10:20 parts the second quarter: 150% for
    five minutes and 135% for ten are (150 x 5 + 135 x 10) / 15 = 140%."""
    policy = [QUARTERS[0], (15, 20, 150.0), (20, 30, 135.0), *QUARTERS[2:]]
    rows = [
        *_minutes(START, *QUARTERS), *_minutes(START + DAY, (7, 15, 130.0), *QUARTERS[1:]), *_minutes(START + 2 * DAY, *policy)
    ]  # fmt: skip
    hours = dt.timedelta(hours=2)
    runs = {
        name: [Window(start, start + hours)]
        for name, start in (("a", START), ("b", START + DAY), ("c", START + 2 * DAY))
    }
    found = yield from _like({"rmf_workload_activity": rows}, runs)
    assert [row[4] for row in found] == pytest.approx([140.0] * 8 + [130.0] + [140.0] * 7 + [140.0] * 8)
    assert [row[2] for row in found] == [*range(8)] * 3


def test_half_hours_beside_quarter_hours_make_places_of_half_an_hour():
    """140 and 160% of a quarter-hour each are 150% of half an hour."""
    quarters = [(at, at + 15, 140.0 + at % 30 / 15 * 20) for at in range(0, 120, 15)]
    halves = [(at, at + 30, 120.0) for at in range(0, 120, 30)]
    rows = [*_minutes(START, *quarters), *_minutes(START + DAY, *halves)]
    hours = dt.timedelta(hours=2)
    runs = {"a": [Window(START, START + hours)], "b": [Window(START + DAY, START + DAY + hours)]}
    found = yield from _like({"rmf_workload_activity": rows}, runs)
    assert [row[:5] for row in found] == [
        *(("a", 1, n, n > 0, 150.0) for n in range(4)), *(("b", 1, n, n > 0, 120.0) for n in range(4)),
    ]  # fmt: skip


def test_a_system_that_starts_late_leaves_the_place_unknown():
    """SYSB has eight of the fifteen minutes: its 10% are not those of SYSA's quarter-hour."""
    rows = [
        _class(START, 1, 50.0, scope="SYSA"), _class(START + dt.timedelta(minutes=7), 2, 10.0, 480, scope="SYSB"),
        _class(START + QUARTER, 3, 50.0, scope="SYSA"), _class(START + QUARTER, 4, 10.0, scope="SYSB"),
    ]  # fmt: skip
    runs = {"a": [Window(START, START + 2 * QUARTER)]}
    found = yield from _like({"rmf_workload_activity": rows}, runs)
    assert [(row[2], row[4]) for row in found] == [(0, None), (1, 60.0)]
