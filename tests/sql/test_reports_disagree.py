"""What two reports of one interval say must fit together: processor time and engines, accesses to a group buffer pool."""

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks
from rmf_rows import PROCESSORS, captured, processor, structure
from views_lake import Row

ZIIP = processor(3, 50.0, kind="IIP")


def _told(**rows: list[Row]) -> Asks[list[Row]]:
    return (yield rows).rows("FROM reports_disagree")


def test_classes_that_fit_the_engines_are_not_told():
    assert (yield from _told(rmf_workload_activity=captured(), rmf_cpu_activity=PROCESSORS)) == []


@pytest.mark.parametrize(
    ("engines", "told"),
    # 60 + 30 = 90% of general processors, 30 + 50 = 80% of zIIPs, which count twice under multithreading.
    [
        ([processor(0, 50.0, 90.0), ZIIP], []),
        ([processor(0, 50.0, 88.0), ZIIP], [("appl_cp_pct", 90.0, 88.0)]),
        ([processor(0, 50.0)], [("appl_iip_pct", 80.0, 0.0)]),
        ([processor(0, 50.0), processor(3, 50.0, 40.0, kind="IIP")], []),
        ([processor(0, 50.0), processor(3, 30.0, 39.0, kind="IIP")], [("appl_iip_pct", 80.0, 78.0)]),
    ],
)
def test_more_processor_time_than_engines_is_told(engines: list[Row], told: list[tuple[str, float, float]]):
    rows = yield from _told(rmf_workload_activity=captured(), rmf_cpu_activity=engines)
    assert [(r["column"], round(r["found"], 6), round(r["expected"], 6)) for r in rows] == told
    assert all((r["severity"], r["source_id"], r["line"]) == ("warn", "s1", 10) for r in rows)


def test_engines_of_a_name_that_two_sysplexes_have_say_nothing():
    """90% and 80% of an engine in each, beside 0.6 of one: of which SYSA it is nobody knows."""
    rows = [*captured(), *(r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in captured())]
    assert (yield from _told(rmf_workload_activity=rows, rmf_cpu_activity=[processor(0, 50.0, 60.0)])) == []


# Db2 counts 2091 accesses in 600 s: 3.485 a second.
@pytest.mark.parametrize(
    ("rate", "seconds", "told"),
    [(1.75, 600, False), (1.7, 600, True), (6.9, 600, False), (7.0, 600, True), (7.0, 300, False)],
)
def test_accesses_of_db2_and_rmf_are_of_one_size(rate: float, seconds: float, told: bool):
    gbp = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}
    one = structure(0, requests_per_s=rate, interval_s=float(seconds), **gbp)
    rows = yield from _told(db2_statistics_counter=counter_rows(GBP6), rmf_cf_structure_activity=[one])
    assert [(r["found"], round(r["expected"], 3)) for r in rows] == [(rate, 3.485)] * told
