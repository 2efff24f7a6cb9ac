"""Views over workload activity: what goes in, what must come out, and what must stay NULL."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.sql.describe import columns_of
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.part_rows import PartRows
from ironlake.pipeline.sql.session import Session
from ironlake.pipeline.sql.view_files import views
from one_lake import examples
from sample_pages import sample
from views_lake import START, Row, approx, heading, one_row, worked_page


def _class(name: str, **values: object) -> Row:
    return heading() | {"class_kind": "service_class", "workload": "W", "service_class": name} | values


def _period(name: str, period: int, **values: object) -> Row:
    return _class(name, class_kind="service_class_period", period=period, line=100 + period) | values


def test_cpu_by_class_carries_the_whole_key():
    columns = columns_of("cpu_by_class")["column"].to_pylist()
    assert tuple(columns[:12]) == tables()["rmf_workload_activity"].key


@pytest.mark.parametrize(
    "view",
    [
        *("interval_factor", "interval_multithreading", "interval_scope", "capture_ratio"),
        *(
            pytest.param(view, marks=pytest.mark.slow)
            for view in (*("peak_hour", "peak_msu_by_class", "percentile_interval"), *("reports_disagree", "rolling_four_hour_msu"))
        ),
    ],
)  # fmt: skip
def test_no_row_is_compared_with_every_other(view: str):
    """DuckDB takes every table of a lake for a small one: a join without an equal value, or an ASOF JOIN, becomes a loop over all
    pairs of rows, which takes minutes where millions are printed."""
    large = Session(lambda table: PartRows(table, (), lambda parts: [], lambda part: (None, None), is_few=False))
    plan = large.plan(f"SELECT * FROM {view}")
    large.close()
    assert "HASH_JOIN" in plan
    assert not re.search(r"NESTED_LOOP|NL_JOIN|CROSS_PRODUCT|ASOF|IE_JOIN|PIECEWISE", plan)


def test_printed_rows_are_named_in_an_order():
    """The same question gets the same answer, however many threads it takes: a list over rows says how it is ordered."""
    loose = re.compile(r"(?<!list_distinct\(flatten\()\blist\((?:[\w.]*refs|struct_pack\([^()]*\))\)(?! OVER)")
    assert {name for name, view in views().items() if loose.search(view.sql)} == set()


def cell(reason: str | None, column: str = "appl_iip_pct", line: int = 10, **other: object) -> Row:
    """Why a cell of a row is empty: of the block that begins on line 10, unless its row is not known."""
    why: Row = {"table": "rmf_workload_activity", "column": column, "reason": reason, "page": 1, "line": line}
    return why | {"source_id": "s1", "source_file": "one.txt", "row_line": 10} | other


def activity(*rows: Row, **tables: list[Row]) -> dict[str, list[Row]]:
    return {"rmf_workload_activity": [*rows], **tables}


WITHOUT = {"srb_time_s": 0.0, "rct_time_s": 0.0, "iit_time_s": 0.0, "hst_time_s": 0.0, "appl_iipcp_pct": 0.0}
# CPU + SRB 100 s, CP 50% of 60 s = 30 s, so 70 s normalised zIIP; IIP 28 s: a factor of 2.5, for all classes.
LARGE = _class("LARGE", cpu_time_s=100.0, iip_time_s=28.0, appl_cp_pct=50.0, appl_iip_pct=46.67, **WITHOUT)
SMALL = _class("SMALL", cpu_time_s=0.1, iip_time_s=0.01, appl_cp_pct=0.13, appl_iip_pct=0.02, **WITHOUT, line=50)
AGAIN = worked_page(source_id="s2", source_file="two.txt", page=7, line=70, release="z/OS V2R5")
NULLS = "cpu_ms_per_transaction, cpu_pct, ziip_eligible_pct, non_ziip_pct, non_ziip_eligible_pct"
IS_NULL = f"[n IS NULL for n in [{NULLS}]]"
FACTOR = "normalization_factor, normalization_source FROM cpu_by_class"
OF_TWO = "coalesce(report_class, service_class) AS name, cpu_pct FROM cpu_by_class ORDER BY name"
COPIES = "is_conflicting, [[r.page, r.line] for r in refs] FROM cpu_by_class"
HOUR = dt.timedelta(hours=1)
TWICE = [[1, 10], [7, 70]]


test_cpu_of_a_class = examples(
    # 31.66 + 75.53; 75.53 + 6.76; 31.66 - 6.76 - 75.53; 31.66 - 6.76; 0.6 x 107.19 s of 88,584.
    ("worked page", activity(worked_page()), f"{NULLS}, cpu_source, [r.line for r in refs] FROM cpu_by_class",
     [(approx(0.72602, abs=5e-6), *(approx(value, abs=1e-9) for value in (107.19, 82.29, -50.63, 24.9)), "appl_cp", [10])]),
    *((f"without {name}", activity(worked_page(**{name: value})), f"{IS_NULL} FROM cpu_by_class",
       [([n in null for n in range(5)],)])
      for name, value, null in (
          ("transactions_ended", 0, [0]), ("transactions_ended", None, [0]), ("interval_s", None, [0]),
          ("appl_cp_pct", None, [0, 1, 3, 4]), ("appl_iip_pct", None, [0, 1, 2, 3]), ("appl_iipcp_pct", None, [2, 3, 4]))),
    # MVS/ESA: TCB+SRB% 8.1 and no zIIP on the page.
    ("no specialty engines", activity(_class("TSO", appl_tcb_srb_pct=8.1, total_service=2074349)),
     f"cpu_source, cpu_normalized_pct, {NULLS} FROM cpu_by_class", [("appl_tcb_srb", 8.1, None, 8.1, None, None, None)]),
    ("block cut below its first row", activity(_class("CUT", appl_cp_pct=5.0)), "cpu_pct FROM cpu_by_class", [(None,)]),
    *((f"{name} {reason}", activity(worked_page(**{name: None}), cell_null=[cell(reason, name)]), "cpu_pct FROM cpu_by_class",
     [(cpu and approx(cpu),)])
      for name, reason, cpu in (
          ("appl_iip_pct", "N/A", 31.66), ("appl_iip_pct", "overflow", None),
          ("appl_aap_pct", "N/A", 107.19), ("appl_aap_pct", "unreadable", None))),
    # Of a class that prints no processor time nothing is missed; where it cannot be read, the sum of all classes is not known.
    *((f"CP {reason} beside {ziip}", activity(worked_page(appl_cp_pct=None, appl_iip_pct=ziip, appl_iipcp_pct=0.0),
       cell_null=[cell(reason, "appl_cp_pct")] if reason else []), "cp_pct, cpu_source FROM cpu_by_class", [(None, source)])
      for ziip, reason, source in ((0.0, "overflow", "unreadable"), (0.0, "unreadable", "unreadable"), (75.52, None, "unreadable"), (0.0, None,
       None))),
    # The block begins on line 10; its IIP cell is on line 16, on the page that it continues on.
    ("cell below the first line of its block", activity(worked_page(appl_iip_pct=None), _class("NEXT", line=30, appl_cp_pct=5.0),
     cell_null=[cell("N/A", line=16, page=2)]), OF_TWO, [("CICS2A20", approx(31.66)), ("NEXT", None)]),
    # An older Ironlake did not keep the line of the row: the cell may be of any class of its file.
    ("cell whose row is not known", activity(worked_page(appl_aap_pct=None), worked_page(report_class="OTHER", source_id="s2"),
     cell_null=[cell("overflow", "appl_aap_pct", row_line=None)]), OF_TWO, [("CICS2A20", None), ("OTHER", approx(107.19))]),
    ("factor of the policy page", activity(worked_page(), rmf_service_policy=[heading(page=9, policy=None, norm_factor_iip=2.22)]),
     f"cpu_pct, cpu_normalized_pct, ziip_eligible_normalized_pct, {FACTOR}",
     [(approx(107.19), approx(31.66 + 2.22 * 75.53), approx(2.22 * 75.53 + 6.76), 2.22, "policy_page")]),
    ("policy page of another interval", activity(worked_page(), rmf_service_policy=[heading(START + HOUR, policy=None, norm_factor_iip=2.22)]),
     "normalization_source FROM cpu_by_class", [("recovered",)]),
    ("factor of the times", activity(LARGE, SMALL), FACTOR, [(approx(2.5), "recovered")] * 2),
    ("little zIIP time", activity(worked_page(iip_time_s=0.5, appl_iip_pct=0.83)), FACTOR, [(1, "assumed_1")]),
    # (64.314 - 18.996)/45.32 = 1, and (200.007 - 18.996)/45.32 = 3.99. Without zIIP time no factor is needed.
    ("contradicting rows", activity(worked_page(), worked_page(report_class="OTHER", cpu_time_s=200.0, line=40),
     worked_page(report_class="ZERO", appl_iip_pct=0.0, iip_time_s=0.0, line=50)), f"cpu_normalized_pct, {FACTOR} ORDER BY report_class",
     [(cpu, None, "contradictory") for cpu in (None, None, 31.66)]),
    # (40.007 - 18.996)/45.32 = 0.46.
    ("zIIP slower than a general processor", activity(worked_page(cpu_time_s=40.0)), FACTOR, [(None, "contradictory")]),
    # Report class: workload and service class are NULL in the key, and NULL equals NULL.
    ("same print of two sources", activity(AGAIN, worked_page()), f"cpu_pct, {COPIES}", [(approx(107.19), False, TWICE)]),
    *(("print with another value", activity(AGAIN | {"appl_cp_pct": cp}, worked_page()), f"cpu_pct, {COPIES}", [(approx(107.19), True, TWICE)])
      for cp in (32.0, None)),
    *(("conflict", activity(AGAIN | {"appl_cp_pct": cp}, worked_page()),
       "differing_columns, copies, [[r.page, r.line] for r in refs] FROM conflicting_intervals", [(["appl_cp_pct"], 2, TWICE)])
      for cp in (32.0, None)),
    ("no conflict", activity(AGAIN, worked_page()), "* FROM conflicting_intervals", []),
    ("duration report", activity(worked_page(), worked_page(report_kind="duration", line=99)), "report_kind FROM cpu_by_class ORDER BY ALL",
     [("duration",), ("interval",)]),
    ("class without data", activity(_class("IDLE", all_data_zero=True)),
     "cpu_pct, transactions_ended, cpu_ms_per_transaction, actual_time_s FROM cpu_by_class", [(0.0, 0, None, None)]),
    ("file of two blocks", activity(worked_page(), worked_page(page=4, line=90, interval_s=61.0)),
     "source_file, first_page, last_page, first_line, last_line FROM report_source", [("one.txt", 1, 4, 10, 90)]),
)  # fmt: skip


FIRST = _period("TSO", 1, transactions_ended=300, actual_time_s=0.1, time_stddev_s=0.0, appl_cp_pct=10.0, importance=2)
SECOND = _period("TSO", 2, transactions_ended=100, actual_time_s=0.5, time_stddev_s=0.0, appl_cp_pct=5.0, importance=3)
LEVEL = "transactions_ended, actual_time_s, appl_cp_pct FROM workload_level"


test_level_of_a_class = examples(
    # 300 x 0.1 and 100 x 0.5 s: 0.2, and a deviation of sqrt((300 x 0.01 + 100 x 0.09) / 400).
    ("periods without a class block", activity(FIRST, SECOND),
     f"class_kind, period, level_source, periods, time_stddev_s, [r.line for r in refs], {LEVEL}", [("service_class", None, "periods", 2,
      approx(0.03**0.5), [101, 102], 400, approx(0.2), 15.0)]),
    ("class block", activity(_class("TSO", appl_cp_pct=15.0), FIRST), "level_source, appl_cp_pct FROM workload_level", [("class", 15.0)]),
    ("period without values", activity(FIRST, SECOND | {"actual_time_s": None, "appl_cp_pct": None}), LEVEL, [(400, None, None)]),
    ("period without transactions", activity(FIRST, SECOND | {"transactions_ended": 0, "actual_time_s": None}), LEVEL, [(300, approx(0.1), 15.0)]),
    ("period without data", activity(FIRST, _period("TSO", 2, all_data_zero=True)), "appl_cp_pct FROM workload_level", [(10.0,)]),
)  # fmt: skip


def _goal(**values: object) -> Row:
    return _period("ONLINE", 1) | {"system": "*ALL", "is_total": True} | values


def _buckets(cumulative: list[int], bounds: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0)) -> list[Row]:
    return [
        _period("ONLINE", 1) | {"upper_bound_s": bound, "transactions_cumulative": total, "line": 200 + n}
        for n, (bound, total) in enumerate(zip((*bounds, None), cumulative, strict=True))
    ]


def _percentile(cumulative: list[int], goal_s: float = 1.0, **buckets: tuple[float, ...]) -> dict[str, list[Row]]:
    goal = _goal(goal_type="percentile", goal_s=goal_s, goal_pct=90.0)
    rows = [r | {"occurrence": 1 + (n == 2)} for n, r in enumerate(_buckets(cumulative, **buckets))]
    return {"rmf_workload_goal": [goal], "rmf_response_time_distribution": rows}


VELOCITY = _goal(goal_type="velocity", goal_pct=40.0, velocity_pct=50.0)
GOALS = [
    _goal(goal_type="average", goal_s=0.1, actual_s=0.076, performance_index=0.8),
    VELOCITY | {"system": "SYSA", "is_total": False, "line": 300},
    _goal(goal_type="discretionary", system="SYSB", is_total=None, line=301),
]
INDEX = "performance_index_computed FROM performance_index ORDER BY system"


test_index_of_a_goal = examples(
    ("average, velocity and none", {"rmf_workload_activity": [_period("ONLINE", 1, importance=2)], "rmf_workload_goal": GOALS},
     f"is_total, performance_index, importance, [r.line for r in refs], {INDEX}",
     [(True, 0.8, 2, [101], approx(0.76)), (False, None, 2, [300], approx(0.8)), (False, None, 2, [301], None)]),
    # The index of a percentile goal is a bound of a bucket.
    *((f"percentile {cumulative}", _percentile(cumulative), f"performance_index_bound, {INDEX}", [(bound, index)])
      for cumulative, index, bound in (
          ([95, 96, 97, 98, 100], 0.5, "upper"), ([80, 90, 97, 98, 100], 1.0, None), ([10, 20, 30, 90, 100], 4.0, None),
          ([10, 20, 30, 40, 100], 4.0, "lower"), ([0, 0, 0, 0, 0], None, None))),
    # 90% of 100 is reached in the second bucket to 3 ms; the goal is 3 ms.
    ("second of equal bounds", _percentile([5, 10, 90, 98, 100], 0.003, bounds=(0.002, 0.003, 0.003, 0.004)), INDEX, [(1.0,)]),
    ("printed twice", {"rmf_workload_goal": [VELOCITY | {"source_id": "s2", "velocity_pct": 20.0}, VELOCITY]},
     "velocity_pct, is_conflicting, len(refs) FROM performance_index", [(50.0, True, 2)]),
    ("no velocity", {"rmf_workload_goal": [VELOCITY | {"velocity_pct": 0.0}]}, INDEX, [(None,)]),
)  # fmt: skip


# --- A whole page that is missing from an interval --------------------------------------------------------------------


MISSING = "rmf_workload_activity: pages of this interval are missing before this one: {}"
# CP 45.71 and IIP 3.58 of the sample's page; AAP 0.
OF_B = 49.29


def page(name: str, number: int, minute: int = 30) -> str:
    """The sample's page of another class, number and interval."""
    text = sample("g2_periods_of_a_class").read_text()
    of_class = "\n".join(text.split("\n")[:24]) + "\n"
    for printed, other in (
        ("PAGE   1", f"PAGE {number:3}"),
        ("TIME 08.30.00", f"TIME 08.{minute:02}.00"),
        ("SERVICE CLASS=BATPROD ", f"SERVICE CLASS={name:8}"),
    ):
        assert printed in of_class
        of_class = of_class.replace(printed, other)
    return of_class


def read(*pages: str) -> tuple[dict[str, list[Row]], list[tuple[int, int, str]]]:
    tables = read_text("".join(pages))
    rows = {name: table.to_dicts() for name, table in tables.items()}
    return rows, tables["parse_reject"].select("page", "line", "what").rows()


PAGES = tuple(
    page(name, n, minute) for minute in (0, 15, 30) for n, name in enumerate(("CLASSA", "CLASSB", "CLASSC"), 1)
)
OF_CLASS_B = "WHERE class_name = 'CLASSB'"


def test_a_class_whose_page_is_missing_is_not_known():
    """CLASSB is printed in three quarters of an hour of four; the last prints page 3 behind page 1. Of three known intervals, place 3
    (0.95 x 3, rounded up): 45.71 + 3.58. The mean of the hour is not known, so no hour is its busiest."""
    rows, rejects = read(*PAGES, page("CLASSA", 1, 45), page("CLASSC", 3, 45))
    # The eleventh page of 24 lines.
    assert rejects == [(11, 241, MISSING.format(1))]
    lake = yield rows
    whole = [row["is_whole"] for row in lake.rows("FROM workload_interval ORDER BY interval_start")]
    assert whole == [True, True, True, False]
    row = one_row(lake, f"FROM percentile_interval {OF_CLASS_B}")
    assert (row["cpu_pct"], row["intervals"], row["intervals_unknown"]) == (pytest.approx(OF_B), 4, 1)
    assert lake.rows(f"FROM peak_hour {OF_CLASS_B}") == []
    # What the last quarter prints is known.
    assert one_row(lake, "FROM peak_hour WHERE class_name = 'CLASSC'")["cpu_pct"] == pytest.approx(OF_B)


def test_a_class_that_no_page_is_missing_for_used_nothing():
    """The same with pages 1 and 2 in the last quarter: CLASSB is 0 there. Of 0 and three times 49.29, place 4: 49.29. The mean of the
    hour is 3 x 49.29 / 4 = 36.9675."""
    rows, rejects = read(*PAGES, page("CLASSA", 1, 45), page("CLASSC", 2, 45))
    assert rejects == []
    lake = yield rows
    assert all(row["is_whole"] for row in lake.rows("FROM workload_interval"))
    row = one_row(lake, f"FROM percentile_interval {OF_CLASS_B}")
    assert (row["cpu_pct"], row["intervals"], row["intervals_unknown"]) == (pytest.approx(OF_B), 4, 0)
    assert one_row(lake, f"FROM peak_hour {OF_CLASS_B}")["cpu_pct"] == pytest.approx(36.9675, rel=1e-4)


@pytest.mark.parametrize(
    ("pages", "missing"),
    [
        # Numbers that go on, begin again or are repeated miss none; of another interval nobody knows.
        ((page("CLASSA", 7), page("CLASSB", 8)), []),
        ((page("CLASSA", 9), page("CLASSB", 1)), []),
        ((page("CLASSA", 9), page("CLASSA", 9)), []),
        ((page("CLASSA", 999), page("CLASSB", 0)), []),
        ((page("CLASSA", 1), page("CLASSB", 5, 45)), []),
        ((page("CLASSA", 1), page("CLASSB", 5)), [(2, 3)]),
        ((page("CLASSA", 1), page("CLASSB", 3), page("CLASSC", 6)), [(2, 1), (3, 2)]),
    ],
)
def test_pages_are_missing_where_numbers_of_an_interval_leave_them_out(
    pages: tuple[str, ...], missing: list[tuple[int, int]]
):
    _, rejects = read(*pages)
    assert [(page, what) for page, _, what in rejects] == [(page, MISSING.format(n)) for page, n in missing]


def test_pages_of_other_reports_between_are_no_gap():
    """Numbers may run through all reports of a file."""
    other = sample("cpu_without_multithreading").read_text()
    _, rejects = read(page("CLASSA", 1), other, page("CLASSB", 3))
    assert rejects == []
