"""What castout of group buffer pools costs a request of a study. Worked by hand."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Rows, examples
from rmf_rows import synchronous_structure
from study_lakes import ONE_STEP, studied
from views_lake import START, Row, heading, span, worked_page

approx = pytest.approx

QUARTER = ONE_STEP.replace("10:00/10:05", "10:00/10:15")

# 120 pages a second in 30 requests.
CASTOUT = {"PAGES CASTOUT": 72_000.0, "READ FOR CASTOUT": 6_000.0, "READ FOR CASTOUT MULT": 12_000.0}
WRITES = {"WRITE AND REGISTER": 430.0, "WRITE AND REGISTER MULT": 0.0, "CASTOUT ENGINE NOT AVAIL.": 3.0}


STRUCTURES = [synchronous_structure("DSNDB2I1_GBP6", 30.0, 40.0)]


OF_GROUP: Row = {"scope": "group_member", "subsystem": None, "location": None, "source_id": "s2"}


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
    assert (row["castout_pages_per_s"], row["castout_requests_per_s"]) == approx((120, 30))
    assert (row["castout_pages_per_request"], row["castout_requests_per_request"]) == approx((2, 0.5))
    assert (row["pages_per_castout_request"], row["castout_engine_not_available"]) == approx((4, 36 + 54 + 12))
    accesses = (2 * 2_090 + 22_500) / 900 + (2_090 + 3_000) / 600
    assert row["castout_of_accesses_pct"] == approx(100 * 30 / accesses)
    assert (row["service_us"], row["castout_us_per_request"], row["null_reason"]) == (40, approx(20), None)


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
    assert [r["service_us"] for r in rows] == approx([40, 100, 70, 80, 90])
    assert [r["castout_us_per_request"] for r in rows[:4]] == approx([20, 50, 35, 80])
    assert (rows[4]["castout_us_per_request"], rows[4]["null_reason"]) == (None, "no requests")


TWO_SYSPLEXES = f"""{RUNS.partition("configurations")[0]}configurations:
  A: {{steps: [{{window: 2021-04-13T10:00/10:15, sysplex: PLEX1}}]}}
  B: {{steps: [{{window: 2021-04-13T10:00/10:15, sysplex: PLEX2}}]}}
"""


def test_a_group_is_of_the_sysplex_whose_systems_use_its_structures():
    """DSNDB2I1 of PLEX1 casts out 120 pages/s of two pools each, OTHER of PLEX2 60, in one window; both sysplexes have a SYS1, with 60 and 30 requests/s:
    2 pages a request of every pool. Both groups in both are 8 rows,
     and 6 and 12 pages instead of 4. Without the structures nobody knows; nor of which
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
            f"interval: last\n{TWO_SYSPLEXES}", rmf_workload_activity=[r | span(5 * n,
             300) | {"line": r["line"] + 10 * n} for r in pages for n in range(3)],
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


OF_REQUESTS = {"castout_requests_per_s", "castout_requests_per_request", "pages_per_castout_request"}
OF_ACCESSES = {"castout_of_accesses_pct"}
OF_TIME = {"castout_us_per_request"}
OF_PAGES = {"castout_pages_per_s", "castout_pages_per_request", "pages_per_castout_request"}
OF_ENGINES = {"castout_engine_not_available"}
EVERY = OF_REQUESTS | OF_ACCESSES | OF_TIME | OF_PAGES


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


def of_run(*some: list[Row], text: str = RUNS, structures: Sequence[Row] = STRUCTURES, **other: list[Row]) -> Rows:
    """A run of 15 minutes with 60 requests a second."""
    rows = {"rmf_workload_activity": classes(54_000), "rmf_cf_structure_activity": [*structures]} | other
    return studied(text, **rows, db2_statistics_counter=[row for rows in some for row in rows])


def unknown(rows: list[Row], label: str, source: str) -> list[Row]:
    return [row | ({"quantity": None} if (row["counter"], row["source_id"]) == (label, source) else {}) for row in rows]


def at(spans: tuple[tuple[int, int], ...]) -> list[Row]:
    """A page of each span."""
    return [r for n, of in enumerate(spans) for r in counted(1.0, 1.0, 1.0, **minutes(*of), source_id=f"s{n}")]


def late(seconds: float) -> list[Row]:
    """Five minutes and ten, 120 pages a second in both: the first ends so much within the second."""
    end: Row = {"end_at": START + dt.timedelta(minutes=5, seconds=seconds)}
    first = counted(36_000.0, 1_500.0, 3_000.0, **minutes(0, 5) | end)
    return first + counted(72_000.0, 6_000.0, 12_000.0, **minutes(5, 15), source_id="s2")


ALL = counter_rows(GBP6 | CASTOUT | WRITES)
HALF = {name: count / 2 for name, count in (CASTOUT | WRITES).items()}
NOTHING = dict.fromkeys(GBP6 | WRITES | CASTOUT, 0.0) | {"PAGES CASTOUT": 600.0}
NAMES = (*sorted(EVERY), "castout_engine_not_available")
NULLS = f"[{', '.join(f'{name} IS NULL' for name in NAMES)}]"
FROM = "FROM gbp_castout_cost"
PAGES = f"members, castout_pages_per_s {FROM}"
OVERLAP = "statistics intervals overlap"
AGAIN = [row | {"quantity": 1.0, "source_id": "s4"} for row in OF_A[:20] if row["counter"] == "DELETE NAME"]


test_castout_of_a_pool = examples(
    # Pages stand for requests where only these are printed.
    ("pages alone", of_run(counter_rows(GBP6 | {"PAGES CASTOUT": 72_000.0}), text=QUARTER),
     f"castout_us_per_request, {', '.join(sorted(OF_REQUESTS))} {FROM}", [(approx(80), None, None, None)]),
    ("unknown castout", of_run(counter_rows(GBP6 | {"PAGES CASTOUT": None}), text=QUARTER), f"castout_pages_per_s, null_reason {FROM}",
     [(None, "pages cast out not printed")]),
    ("no castout", of_run(counter_rows(GBP6 | {"PAGES CASTOUT": 0.0}), text=QUARTER), f"* {FROM}", []),
    # A page without a scope counts if it names a member.
    *((f"page of {member} and {subsystem}", of_run(ALL, [row | {"scope": None, "member": member, "subsystem": subsystem,
     "source_id": "s2"} for row in ALL],
       text=QUARTER), PAGES, [(members, 120 * len(members.split(",")))])
      for member, subsystem, members in ((None, None, "DB2A"), ("DB2B", None, "DB2A,DB2B"), (None, "DB2B", "DB2A,DB2B"))),
    # 60 pages a second of DB2B and 120 of DB2A; what the report prints of the whole group is not added.
    ("report of the group", of_run(
        counter_rows(GBP6 | CASTOUT | WRITES, **OF_GROUP), counter_rows(GBP6 | HALF, **(OF_GROUP | {"member": "DB2B"})),
        counter_rows(GBP6 | CASTOUT | WRITES, **(OF_GROUP | {"scope": "group", "member": None})), text=QUARTER),
     f"castout_requests_per_s, {PAGES}", [(45, "DB2A,DB2B", 180)]),
    # Of one member or of the second interval of another.
    *((f"{label} unknown {where}", of_run(unknown(OF_A, label, source), unknown(OF_B, label, source)), f"null_reason, {NULLS} {FROM}",
       [(reason, [name in lost for name in NAMES])])
      for where, source in (("of a member", "s3"), ("of an interval", "s2")) for label, lost, reason in (
          ("PAGES CASTOUT", OF_PAGES, "pages cast out not printed"), ("UNREGISTER PAGE", OF_ACCESSES, None),
          ("READ FOR CASTOUT", OF_REQUESTS | OF_ACCESSES | OF_TIME, "castout requests not printed"), ("CASTOUT ENGINE NOT AVAIL.", OF_ENGINES,
           None))),
    # In the same ten minutes: two members, not one that is printed twice.
    *((f"by the {name} alone", of_run(*(
        counter_rows(GBP6 | CASTOUT | WRITES, **Row({"member": None, "subsystem": None} | {name: n})) for n in ("DB2A", "DB2B"))), PAGES, [("DB2A,DB2B",
         240)])
      for name in ("member", "subsystem")),
    # No page of Workload Activity is in the lake.
    ("no requests", of_run(OF_B, rmf_workload_activity=[]), f"castout_pages_per_s, castout_pages_per_request, null_reason {FROM}", [(20, None,
     "no requests")]),
    # Whatever another in between.
    *((f"spans {spans}", of_run(at(spans)), f"castout_pages_per_s, null_reason {FROM}", [(None, OVERLAP)])
      for spans in (((0, 14), (1, 2), (3, 4)), ((0, 5), (5, 14), (10, 15)))),
    ("overlap of a member", of_run(OF_A, OF_B, [row | minutes(5, 10) | {"source_id": "s4"} for row in OF_B]),
     f"covered_s, null_reason, {NULLS} {FROM}",
     [(900, OVERLAP, [True] * len(NAMES))]),
    ("unknown length", of_run(OF_A, OF_B, [row | minutes(10, 15) | {"interval_elapsed_s": None, "source_id": "s4"} for row in OF_B]),
     f"covered_s, null_reason, {NULLS} {FROM}", [(None, "length of an interval not printed", [name in EVERY for name in NAMES])]),
    ("no length", of_run(OF_A, [row | {"interval_elapsed_s": 0.0} for row in OF_B]), f"{NULLS} {FROM}", [([name in EVERY for name in NAMES],)]),
    ("conflict", of_run(OF_A, OF_B, AGAIN), f"is_conflicting {FROM}", [(True,)]),
    # Why there is no service time.
    *((reason, of_run(OF_A, OF_B, structures=[synchronous_structure(f"DSNDB2I1_{name}", per_s, 40.0, status=status)]),
       f"service_us, castout_us_per_request, null_reason, list_has_all([r.line for r in refs], {lines}) {FROM}", [(None, None, reason, True)])
      for name, status, per_s, reason, lines in (
          ("GBP6", "ACTIVE", 0.0, "service time not printed", [100, 10, 50]),
          ("GBP6", "ACTIVE SECONDARY", 30.0, "primary copy of DSNDB2I1_GBP6 not in the lake", [100, 10, 50]),
          ("GBP7", "ACTIVE", 30.0, "no structure of this name in RMF", [100]))),
    # Pages that no request cast out: nothing to divide by.
    ("no requests and accesses", of_run(counter_rows(NOTHING), structures=()),
     f"castout_pages_per_s, castout_requests_per_s, pages_per_castout_request, castout_of_accesses_pct {FROM}", [(1, 0, None, None)]),
    # An interval may end one second within the next.
    ("a second late", of_run(late(1.0)), f"castout_pages_per_s, null_reason {FROM}", [(120, None)]),
    ("later", of_run(late(1.001)), f"castout_pages_per_s, null_reason {FROM}", [(None, OVERLAP)]),
)  # fmt: skip
