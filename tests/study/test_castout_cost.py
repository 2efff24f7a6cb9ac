"""What castout of group buffer pools costs a request of a study. Worked by hand."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks, each
from rmf_rows import synchronous_structure
from study_lakes import ONE_STEP, studied
from views_lake import START, Row, expect, heading, span, worked_page

QUARTER = ONE_STEP.replace("10:00/10:05", "10:00/10:15")

# 120 pages a second in 30 requests.
CASTOUT = {"PAGES CASTOUT": 72_000.0, "READ FOR CASTOUT": 6_000.0, "READ FOR CASTOUT MULT": 12_000.0}
WRITES = {"WRITE AND REGISTER": 430.0, "WRITE AND REGISTER MULT": 0.0, "CASTOUT ENGINE NOT AVAIL.": 3.0}


STRUCTURES = [synchronous_structure("DSNDB2I1_GBP6", 30.0, 40.0)]


def of_run(rows: list[Row], text: str = "", **other: list[Row]) -> Asks[Row]:
    """The one row of a run of 15 minutes with 60 requests a second."""
    lake = yield studied(
        text or RUNS, **{"rmf_workload_activity": classes(54_000)} | other, db2_statistics_counter=rows
    )
    (row,) = lake.rows("FROM gbp_castout_cost")
    return row


def castouts(counters: Mapping[str, float | None], structures: list[Row]) -> Asks[Row]:
    return (yield from of_run(counter_rows(counters), QUARTER, rmf_cf_structure_activity=structures))


def test_pages_stand_for_requests_where_only_these_are_printed():
    row = yield from castouts(GBP6 | {"PAGES CASTOUT": 72_000.0}, STRUCTURES)
    assert (row["castout_us_per_request"], {row[name] for name in OF_REQUESTS}) == (pytest.approx(80), {None})


def test_a_pool_whose_castout_is_not_known_is_listed():
    row = yield from castouts(GBP6 | {"PAGES CASTOUT": None}, STRUCTURES)
    assert (row["castout_pages_per_s"], row["null_reason"]) == (None, "pages cast out not printed")


@pytest.mark.parametrize(
    ("member", "subsystem", "members"), [(None, None, "DB2A"), ("DB2B", None, "DB2A,DB2B"), (None, "DB2B", "DB2A,DB2B")]
)
def test_castout_of_a_page_without_a_scope_counts_if_it_names_a_member(
    member: str | None, subsystem: str | None, members: str
):
    rows = counter_rows(GBP6 | CASTOUT | WRITES)
    of_whom = {"scope": None, "member": member, "subsystem": subsystem, "source_id": "s2"}
    rows += [row | of_whom for row in rows]
    row = yield from of_run(rows, QUARTER)
    assert (row["castout_pages_per_s"], row["members"]) == (120 * len(members.split(",")), members)


OF_GROUP: Row = {"scope": "group_member", "subsystem": None, "location": None, "source_id": "s2"}


def test_castout_of_a_report_of_the_group_is_of_its_members():
    """60 pages a second of DB2B and 120 of DB2A; what the report prints of the whole group is not added."""
    half = {name: count / 2 for name, count in (CASTOUT | WRITES).items()}
    rows = counter_rows(GBP6 | CASTOUT | WRITES, **OF_GROUP)
    rows += counter_rows(GBP6 | half, **(OF_GROUP | {"member": "DB2B"}))
    rows += counter_rows(GBP6 | CASTOUT | WRITES, **(OF_GROUP | {"scope": "group", "member": None}))
    row = yield from of_run(rows, QUARTER)
    assert (row["members"], row["castout_pages_per_s"], row["castout_requests_per_s"]) == ("DB2A,DB2B", 180, 45)


def test_a_pool_without_castout_is_not_listed():
    rows = counter_rows(GBP6 | {"PAGES CASTOUT": 0.0})
    lake = yield studied(QUARTER, rmf_workload_activity=classes(54_000), db2_statistics_counter=rows)
    assert lake.rows("FROM gbp_castout_cost") == []


RUNS = """\
study: S
requests: {report_class: CICS2A20}
subsystems: {CICS: {report_class: CICS2A20}}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:15}, {window: 2021-04-13T11:00/11:15}]}
  B: {steps: [{window: 2021-04-13T12:00/12:15}]}
"""


def minutes(begin: float, end: float) -> Row:
    at = [START + dt.timedelta(minutes=n) for n in (begin, end)]
    return {"begin_at": at[0], "end_at": at[1], "interval_elapsed_s": 60.0 * (end - begin)}


def counted(pages: float | None, single: float | None, multiple: float | None, **other: Any) -> list[Row]:
    """429 reads, 430 writes and 1,231 others beside the castouts; the times no engine was there are the thousands of pages."""
    numbers = {"PAGES CASTOUT": pages, "READ FOR CASTOUT": single, "READ FOR CASTOUT MULT": multiple}
    engines = None if pages is None else pages / 1000
    return counter_rows(GBP6 | WRITES | numbers | {"CASTOUT ENGINE NOT AVAIL.": engines}, "GROUP BP", **other)


OF_A = [
    *counted(36_000.0, 1_500.0, 3_000.0, **minutes(0, 5)),
    *counted(54_000.0, 6_000.0, 12_000.0, **minutes(5, 15), source_id="s2"),
]
B: Row = {"member": "DB2B", "subsystem": "DB2B", "source_id": "s3"}
OF_B = counted(12_000.0, 1_000.0, 2_000.0, **B)


def classes(*ended: int) -> list[Row]:
    """Transactions of the runs."""
    return [
        worked_page(**heading(START, 900, scope="SYS1", line=10 + n), transactions_ended=count) | span(60 * n, 900)
        for n, count in enumerate(ended)
    ]


def test_castouts_are_rates_of_each_member_that_add():
    """DB2A: 90,000 pages in 22,500 requests in 900 s, 100/s in 25/s. DB2B: 12,000 in 3,000 in 600 s, 20/s in 5/s. Accesses besides: 2 x 2,090 and 2,090."""
    lake = yield studied(
        RUNS,
        rmf_workload_activity=classes(54_000),
        rmf_cf_structure_activity=STRUCTURES,
        db2_statistics_counter=[
            *OF_A,
            *OF_B,
            *counted(1.0, 1.0, 1.0, report_kind="trace", source_id="s4"),
            *counted(1.0, 1.0, 1.0, scope="group", member=None, subsystem=None, source_id="s5"),
            *counted(1.0, 1.0, 1.0, scope="group", member="DB2C", subsystem="DB2C", source_id="s6"),
        ],
    )
    (row,) = lake.rows("FROM gbp_castout_cost")
    assert (row["members"], row["covered_s"], row["is_conflicting"]) == ("DB2A,DB2B", 600, False)
    assert (row["castout_pages_per_s"], row["castout_requests_per_s"]) == pytest.approx((120, 30))
    assert (row["castout_pages_per_request"], row["castout_requests_per_request"]) == pytest.approx((2, 0.5))
    assert (row["pages_per_castout_request"], row["castout_engine_not_available"]) == pytest.approx((4, 36 + 54 + 12))
    accesses = (2 * 2_090 + 22_500) / 900 + (2_090 + 3_000) / 600
    assert row["castout_of_accesses_pct"] == pytest.approx(100 * 30 / accesses)
    assert (row["service_us"], row["castout_us_per_request"], row["null_reason"]) == (40, pytest.approx(20), None)


def test_pools_groups_runs_and_configurations_are_apart():
    """120 pages/s in 30 requests/s of each, by 60 and 30 requests/s of the runs; there were none in B."""
    pools = {"object": "GBP7"}, {"db2_group": "OTHER", "location": "M"}, minutes(60, 70), minutes(120, 130)
    structures = [
        synchronous_structure("DSNDB2I1_GBP6", 30.0, 40.0),
        synchronous_structure("DSNDB2I1_GBP7", 30.0, 100.0, line=51),
        synchronous_structure("OTHER_GBP6", 30.0, 70.0, line=52),
        synchronous_structure("DSNDB2I1_GBP6", 30.0, 80.0, line=53) | span(60, 900),
        synchronous_structure("DSNDB2I1_GBP6", 30.0, 90.0, line=54) | span(120, 900),
    ]
    rows = counter_rows(GBP6 | CASTOUT | WRITES)
    lake = yield studied(
        RUNS,
        rmf_workload_activity=classes(54_000, 27_000, 0),
        rmf_cf_structure_activity=structures,
        db2_statistics_counter=rows + [row | other for other in pools for row in rows],
    )
    rows = lake.rows("FROM gbp_castout_cost ORDER BY configuration, run, db2_group, gbp")
    assert [(r["configuration"], r["run"], r["db2_group"], r["gbp"]) for r in rows] == [
        ("A", "1", "DSNDB2I1", "GBP6"), ("A", "1", "DSNDB2I1", "GBP7"), ("A", "1", "OTHER", "GBP6"),
        ("A", "2", "DSNDB2I1", "GBP6"), ("B", "1", "DSNDB2I1", "GBP6"),
    ]  # fmt: skip
    assert {(r["castout_pages_per_s"], r["castout_requests_per_s"]) for r in rows} == {(120, 30)}
    assert [r["castout_pages_per_request"] for r in rows] == [2, 2, 2, 4, None]
    assert [r["castout_requests_per_request"] for r in rows] == [0.5, 0.5, 0.5, 1, None]
    assert [r["service_us"] for r in rows] == pytest.approx([40, 100, 70, 80, 90])
    assert [r["castout_us_per_request"] for r in rows[:4]] == pytest.approx([20, 50, 35, 80])
    assert (rows[4]["castout_us_per_request"], rows[4]["null_reason"]) == (None, "no requests")


TWO_SYSPLEXES = f"""{RUNS.partition("configurations")[0]}configurations:
  A: {{steps: [{{window: 2021-04-13T10:00/10:15, sysplex: PLEX1}}]}}
  B: {{steps: [{{window: 2021-04-13T10:00/10:15, sysplex: PLEX2}}]}}
"""


def test_a_group_is_of_the_sysplex_whose_systems_use_its_structures():
    """DSNDB2I1 of PLEX1 casts out 120 pages/s of two pools each, OTHER of PLEX2 60, in one window; both sysplexes have a SYS1, with 60 and 30 requests/s:
    2 pages a request of every pool. Both groups in both are 8 rows, and 6 and 12 pages instead of 4. Without the structures nobody knows; nor of which
    location a group is that two have."""
    half = {name: count / 2 for name, count in CASTOUT.items()}
    of_other = {"db2_group": "OTHER", "location": "M", "source_id": "s2"}
    castout = [r | {"object": pool} for pool in ("GBP6", "GBP7") for r in counter_rows(GBP6 | CASTOUT | WRITES)]
    castout += [
        r | {"object": pool} for pool in ("GBP6", "GBP7") for r in counter_rows(GBP6 | half | WRITES, **of_other)
    ]
    pages = [*classes(54_000), *(r | {"sysplex": "PLEX2", "transactions_ended": 27_000} for r in classes(54_000))]
    asked = [("PLEX1", "DSNDB2I1", 30.0), ("PLEX2", "OTHER", 15.0), ("PLEX1", "OTHER", 0.0)]
    structures = [
        synchronous_structure(f"{group}_{pool}", per_s, 40.0, sysplex=sysplex, line=50 + n) | {"cf_name": pool}
        for n, (sysplex, group, per_s) in enumerate(asked)
        for pool in ("GBP6", "GBP7")
    ]
    known, unknown, of_one_sysplex, elsewhere, last = yield [
        studied(TWO_SYSPLEXES, rmf_workload_activity=pages, db2_statistics_counter=castout, rmf_cf_structure_activity=structures),
        studied(TWO_SYSPLEXES, rmf_workload_activity=pages, db2_statistics_counter=castout),
        studied(TWO_SYSPLEXES, rmf_workload_activity=pages[:1], db2_statistics_counter=castout),
        studied(
            TWO_SYSPLEXES, rmf_workload_activity=pages, rmf_cf_structure_activity=structures,
            db2_statistics_counter=[*castout, *(r | {"location": "N", "source_id": "s3"} for r in castout if r["db2_group"] == "OTHER")],
        ),
        studied(
            f"interval: last\n{TWO_SYSPLEXES}", rmf_workload_activity=[r | span(5 * n, 300) | {"line": r["line"] + 10 * n} for r in pages for n in range(3)],
            db2_statistics_counter=castout, rmf_cf_structure_activity=structures,
        ),
    ]  # fmt: skip
    # The middle of the quarter of the coupling facilities is not in the last five minutes that the study takes.
    assert last.rows("SELECT DISTINCT configuration, db2_group FROM gbp_castout_cost ORDER BY ALL") == [
        {"configuration": "A", "db2_group": "DSNDB2I1"}, {"configuration": "B", "db2_group": "OTHER"},
    ]  # fmt: skip
    text = "SELECT configuration, db2_group, gbp, castout_pages_per_request AS pages FROM gbp_castout_cost ORDER BY ALL"
    assert [tuple(r.values()) for r in known.rows(text)] == [
        ("A", "DSNDB2I1", "GBP6", 2), ("A", "DSNDB2I1", "GBP7", 2), ("B", "OTHER", "GBP6", 2), ("B", "OTHER", "GBP7", 2),
    ]  # fmt: skip
    rows = unknown.rows("FROM gbp_castout_cost")
    assert len(rows) == 8
    assert {(r["castout_pages_per_request"], r["null_reason"]) for r in rows} == {
        (None, "which sysplex the group is of is not known")
    }
    # One sysplex may have two groups.
    assert {
        r["castout_pages_per_request"] for r in of_one_sysplex.rows("FROM gbp_castout_cost WHERE configuration = 'A'")
    } == {1, 2}
    text = "SELECT location, castout_pages_per_s AS pages FROM gbp_castout_cost WHERE configuration = 'B' AND gbp = 'GBP6' ORDER BY ALL"
    assert [tuple(r.values()) for r in elsewhere.rows(text)] == [("M", 60), ("N", 60)]


def both(of_b: list[Row], structures: list[Row] = STRUCTURES) -> Asks[Row]:
    return (yield from of_run(OF_A + of_b, rmf_cf_structure_activity=structures))


OF_REQUESTS = {"castout_requests_per_s", "castout_requests_per_request", "pages_per_castout_request"}
OF_ACCESSES = {"castout_of_accesses_pct"}
OF_TIME = {"castout_us_per_request"}
OF_PAGES = {"castout_pages_per_s", "castout_pages_per_request", "pages_per_castout_request"}
OF_ENGINES = {"castout_engine_not_available"}
EVERY = OF_REQUESTS | OF_ACCESSES | OF_TIME | OF_PAGES


@pytest.mark.parametrize(
    ("label", "unknown", "reason"),
    [
        ("PAGES CASTOUT", OF_PAGES, "pages cast out not printed"),
        ("READ FOR CASTOUT", OF_REQUESTS | OF_ACCESSES | OF_TIME, "castout requests not printed"),
        ("UNREGISTER PAGE", OF_ACCESSES, None),
        ("CASTOUT ENGINE NOT AVAIL.", OF_ENGINES, None),
    ],
)
def test_what_is_not_known_of_one_member_or_interval_is_not_known_of_the_pool(
    label: str, unknown: set[str], reason: str | None
):
    of_b = [row | {"quantity": None} if row["counter"] == label else row for row in OF_B]
    # Nor is what is not known of the second interval of one member.
    is_lost = [row["counter"] == label and row["source_id"] == "s2" for row in OF_A]
    lost = [row | {"quantity": None} if lost else row for row, lost in zip(OF_A, is_lost, strict=True)]
    rows = yield from each(both(of_b), of_run(lost, rmf_cf_structure_activity=STRUCTURES))
    assert [{name for name in EVERY | OF_ENGINES if row[name] is None} for row in rows] == [unknown] * 2
    assert rows[0]["null_reason"] == reason


def test_runs_of_one_window_have_its_castouts_all():
    """Of other systems: pages of Db2 name none. Each page is there once in each run, of two studies too."""
    window = "window: 2021-04-13T10:00/10:15"
    text = f"""{RUNS.partition("configurations")[0]}configurations:
  A: {{steps: [{{{window}, systems: [SYS1]}}, {{{window}, systems: [SYS2]}}]}}
  B: {{steps: [{{{window}, systems: [SYS1, SYS2]}}]}}
"""
    text += f"---\n{text.replace('study: S', 'study: T')}"
    lake = yield studied(text, rmf_workload_activity=classes(54_000), db2_statistics_counter=OF_A)
    found = lake.rows("SELECT study, configuration, run, castout_pages_per_s FROM gbp_castout_cost ORDER BY ALL")
    runs = (("A", "1"), ("A", "2"), ("B", "1"))
    assert [tuple(row.values()) for row in found] == [(study, *run, 100.0) for study in "ST" for run in runs]


@pytest.mark.parametrize("name", ["member", "subsystem"])
def test_members_that_pages_name_by_one_name_alone_add(name: str):
    """In the same ten minutes: two members, not one that is printed twice."""
    none: Row = {"member": None, "subsystem": None}
    rows = [row for n in ("DB2A", "DB2B") for row in counter_rows(GBP6 | CASTOUT | WRITES, **none | {name: n})]
    row = yield from of_run(rows)
    assert (row["members"], row["castout_pages_per_s"]) == ("DB2A,DB2B", 240)


def test_without_requests_of_the_study_castouts_are_known():
    """No page of Workload Activity is in the lake."""
    (row,) = (yield studied(RUNS, db2_statistics_counter=OF_B)).rows("FROM gbp_castout_cost")
    expect(row, castout_pages_per_s=20, castout_pages_per_request=None, null_reason="no requests")


@pytest.mark.parametrize("spans", [((0, 14), (1, 2), (3, 4)), ((0, 5), (5, 14), (10, 15))])
def test_intervals_that_reach_into_later_ones_are_there_twice(spans: tuple[tuple[int, int], ...]):
    """Whatever another in between."""
    parts = [minutes(begin, end) for begin, end in spans]
    rows = [row for n, part in enumerate(parts) for row in counted(1.0, 1.0, 1.0, **part, source_id=f"s{n}")]
    row = yield from of_run(rows)
    assert (row["castout_pages_per_s"], row["null_reason"]) == (None, "statistics intervals overlap")


@pytest.mark.parametrize(
    ("again", "reason"),
    [
        (minutes(5, 10), "statistics intervals overlap"),
        (minutes(10, 15) | {"interval_elapsed_s": None}, "length of an interval not printed"),
    ],
)
def test_an_interval_of_one_member_leaves_the_pool_unknown(again: Row, reason: str):
    row = yield from both([*OF_B, *(row | again | {"source_id": "s4"} for row in OF_B)])
    assert {name for name in EVERY if row[name] is None} == EVERY
    assert (row["castout_engine_not_available"] is None, row["null_reason"]) == ("overlap" in reason, reason)
    assert row["covered_s"] == (900 if "overlap" in reason else None)


def test_an_interval_of_no_length_has_no_rate():
    row = yield from both([row | {"interval_elapsed_s": 0.0} for row in OF_B])
    assert {name for name in EVERY if row[name] is None} == EVERY


def test_a_conflict_of_one_member_is_told():
    again = [row | {"quantity": 1.0, "source_id": "s4"} for row in OF_A[:20] if row["counter"] == "DELETE NAME"]
    assert (yield from both([*OF_B, *again]))["is_conflicting"]


@pytest.mark.parametrize(
    ("name", "status", "per_s", "reason"),
    [
        ("GBP6", "ACTIVE", 0.0, "service time not printed"),
        ("GBP6", "ACTIVE SECONDARY", 30.0, "primary copy of DSNDB2I1_GBP6 not in the lake"),
        ("GBP7", "ACTIVE", 30.0, "no structure of this name in RMF"),
    ],
)
def test_why_there_is_no_service_time(name: str, status: str, per_s: float, reason: str):
    row = yield from both(OF_B, [synchronous_structure(f"DSNDB2I1_{name}", per_s, 40.0, status=status)])
    assert (row["service_us"], row["castout_us_per_request"], row["null_reason"]) == (None, None, reason)
    assert {ref["line"] for ref in row["refs"]} >= {100, *([10, 50] if name == "GBP6" else [])}


def test_of_no_requests_and_accesses_there_is_no_share():
    """Pages that no request cast out: nothing to divide by."""
    none = dict.fromkeys(GBP6 | WRITES | CASTOUT, 0.0)
    lake = yield studied(
        RUNS,
        rmf_workload_activity=classes(54_000),
        db2_statistics_counter=counter_rows(none | {"PAGES CASTOUT": 600.0}),
    )
    (row,) = lake.rows("FROM gbp_castout_cost")
    assert (row["castout_pages_per_s"], row["castout_requests_per_s"]) == (1, 0)
    assert (row["pages_per_castout_request"], row["castout_of_accesses_pct"]) == (None, None)


@pytest.mark.parametrize(("overlap_s", "pages_per_s"), [(1.0, 120), (1.001, None)])
def test_intervals_that_end_a_second_late_are_not_there_twice(overlap_s: float, pages_per_s: float | None):
    """Five minutes and ten, 120 pages a second in both: the first may end one second within the second."""
    late: Row = {"end_at": START + dt.timedelta(minutes=5, seconds=overlap_s)}
    rows = counted(36_000.0, 1_500.0, 3_000.0, **minutes(0, 5) | late)
    rows += counted(72_000.0, 6_000.0, 12_000.0, **minutes(5, 15), source_id="s2")
    row = yield from of_run(rows)
    assert row["castout_pages_per_s"] == pages_per_s
    assert (row["null_reason"] == "statistics intervals overlap") == (pages_per_s is None)
