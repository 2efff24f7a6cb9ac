"""Like intervals: the same place in runs of two configurations, all scopes added."""

import datetime as dt
from typing import Any

from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import studies_of_runs
from ironlake.pipeline.study.windows import Window
from one_lake import Asks
from views_lake import START, Row, heading

DAY, QUARTER = dt.timedelta(days=1), dt.timedelta(minutes=15)


def _class(start: dt.datetime, line: int, cp: float | None, **other: Any) -> Row:
    row = heading(start, 900, line=line, class_kind="service_class", service_class="BATCH", policy_activated_at=None)
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
        ("after", 1, 1, False, 40.0, None),
        ("before", 1, 0, False, 10.0, None),
        ("before", 1, 1, True, 20.0, None),
        ("before", 1, 2, True, 30.0, None),
        ("before", 2, 0, False, 11.0, None),
        ("before", 2, 2, False, 33.0, None),
    ]


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
