"""The cost of a request by Db2 beside that of RMF: members, intervals, runs and what is unknown of one of them. Worked by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

import pytest
from db2_rows import SPACE, entry
from one_lake import Rows, examples
from rmf_rows import synchronous_structure
from study_lakes import RUNS, charged_classes, studied
from views_lake import START, Row, expect, one_row, place

approx = pytest.approx

B: Row = {"member": "DB1B", "subsystem": "DB1B"}
CICS: Row = {"conntype": "CICS"}


def minutes(begin: float, end: float) -> Row:
    return {"begin_at": START + dt.timedelta(minutes=begin), "end_at": START + dt.timedelta(minutes=end)}


def accounted(count: float, cp_ms: float, line: int, commits: float | None = None, **other: object) -> list[Row]:
    """`count` threads of so many ms on general processors and half of it on zIIPs, half of both in Db2; 2 ms of waits, one for other members."""
    commits = count if commits is None else commits
    rows = entry(cp=cp_ms / 1000, ziip=cp_ms / 2000, occurrences=count, commits=commits, line=line, **other)
    waits = {"TOTAL CLASS 3": 0.002, "GLOBAL CONTENTION": 0.001, "NOTIFY MSGS": 0.0}
    for n, (wait, time_s) in enumerate(waits.items()):
        named = {"block": "CLASS 3 SUSPENSIONS", "counter": wait, "label_path": wait, "average_time_s": time_s}
        rows.append(rows[0] | named | {"appl_class_1": None, "db2_class_2": None} | place(line + 10 + n) | other)
    return rows


def spaces(cp_s: float | None, line: int, seconds: float = 300.0, **other: object) -> list[Row]:
    """DBM1 of a member; a third as much on zIIPs."""
    ziip = None if cp_s is None else cp_s / 3
    row = (
        SPACE | place(line) | {"cp_cpu_time_s": cp_s, "preemptable_iip_srb_time_s": ziip, "interval_elapsed_s": seconds}
    )
    return [row | other]


# 20 requests/s. CICS 30% and DDF 10% of an engine, 20 ms per request.
ONE_RUN = (18_000, 30.0, 10.0, 7.0)
# 300 and 600 s of DB1A: (1,800 x 3 + 7,200 x 6) ms are 48.6 s, 54 ms/s. 300 s of DB1B: 900 x 6 ms are 18 ms/s.
OF_A = [
    *accounted(1_200, 2.0, 100, **minutes(0, 5), **CICS),
    *accounted(600, 2.0, 140, **minutes(0, 5)),
    *accounted(7_200, 4.0, 180, **minutes(5, 15), **CICS, source_id="s2"),
]
OF_B = accounted(900, 4.0, 220, **minutes(0, 5), **B)
# DBM1 of DB1A: 4 x 6 s and 4 x 3 s in 900 s, 40 ms/s; of DB1B 4 x 3 s in 300 s, 40 ms/s.
SPACES = [
    *spaces(18.0, 300, 300.0, **minutes(0, 5)),
    *spaces(9.0, 301, 600.0, **minutes(5, 15)),
    *spaces(9.0, 302, 300.0, **minutes(0, 5), **B),
]


def charged(
    accounting: Iterable[Row] = (*OF_A, *OF_B),
    statistics: Iterable[Row] = SPACES,
    run: tuple[int, float, float, float] = ONE_RUN,
    text: str = RUNS,
    classes: int = 3,
) -> Rows:
    rows = {"rmf_workload_activity": charged_classes(run)[:classes], "db2_accounting_counter": [*accounting]}
    return studied(text, **rows, db2_statistics_counter=[*statistics])


def test_members_are_rates_of_their_own_time_that_add():
    """72 ms of class 1 per second by 20 requests: 3.6 ms; two thirds on general processors; half in Db2. Of class 2 600 x 1.5 ms in 900 s and 900 x 3 ms in
    300 s are not of CICS, 1 + 9 ms/s. Waits: 9,000 x 2 ms in 900 s and 900 x 2 ms in 300 s. 10 + 3 commits/s. The other class is not charged."""
    row = one_row((yield charged()), "FROM run_db2_cost")
    expect(row, members="DB1A,DB1B", covered_s=900, db2_covered_s=300, requests_per_s=20)
    expect(row, commits_per_s=approx(13), commits_per_request=approx(0.65))
    class_1 = [row[f"class1_{name}_ms_per_request"] for name in ("cpu", "cp", "ziip")]
    assert class_1 == approx([3.6, 2.4, 1.2])
    class_2 = [row[f"class2_{name}_ms_per_request"] for name in ("cpu", "others_cpu")]
    assert class_2 == approx([1.8, 0.5])
    expect(row, class3_ms_per_request=approx(1.3), data_sharing_wait_ms_per_request=approx(0.65))
    expect(row, address_spaces_cpu_ms_per_request=approx(4), rmf_cpu_ms_per_request=approx(20))
    expect(row, other_ms_per_request=approx(12.4), class1_of_rmf_pct=approx(38))
    expect(row, explained_by="accounting covers 300 s, RMF 900 s; requests without commits in Db2", null_reason=None)
    expect(row, is_conflicting=False, ddf_enclaves_cpu_ms_per_request=0)


def test_runs_and_configurations_are_apart():
    """The second has half of the requests, and no statistics; no processor is used in B, nor a request made."""
    lake = yield studied(
        f"{RUNS}---\n{RUNS.replace('study: S', 'study: T')}",
        rmf_workload_activity=charged_classes(ONE_RUN, (9_000, 15.0, 5.0, 1.0), (0, 0.0, 0.0, 0.0)),
        db2_accounting_counter=[
            *accounted(18_000, 4.0, 100, **minutes(0, 15)),
            *accounted(9_000, 2.0, 140, **minutes(60, 75)),
            *accounted(9_000, 2.0, 180, **minutes(120, 135)),
        ],
        db2_statistics_counter=spaces(13.5, 300, 900.0, **minutes(0, 15))
        + spaces(13.5, 301, 900.0, **minutes(120, 135)),
    )
    rows, others = (lake.rows(f"FROM run_db2_cost WHERE study = '{s}' ORDER BY configuration, run") for s in "ST")
    assert others == [row | {"study": "T"} for row in rows]
    assert [(r["configuration"], r["run"]) for r in rows] == [("A", "1"), ("A", "2"), ("B", "1")]
    assert [r["class1_cpu_ms_per_request"] for r in rows] == [approx(6), approx(3), None]
    assert [r["address_spaces_cpu_ms_per_request"] for r in rows] == [approx(1), None, None]
    assert [r["rmf_cpu_ms_per_request"] for r in rows] == [approx(20), approx(20), None]
    assert [r["class1_of_rmf_pct"] for r in rows] == [approx(35), approx(15), None]
    assert [r["commits_per_request"] for r in rows] == [1, 1, None]
    assert [r["explained_by"] for r in rows[:2]] == [None, "no statistics of the address spaces"]


CLASS_1 = {"class1_cpu_ms_per_request", "class1_of_rmf_pct", "other_ms_per_request"}
OF_GENERAL = {"class1_cp_ms_per_request", "class2_cpu_ms_per_request"}


LOSSES = {
    "#COMMITS": {"commits_per_s", "commits_per_request"},
    "TOTAL CLASS 3": {"class3_ms_per_request"},
    "GLOBAL CONTENTION": {"data_sharing_wait_ms_per_request"},
    "CP CPU TIME": CLASS_1 | OF_GENERAL,
}


@pytest.mark.parametrize(
    ("first", "counter"), [(100 + 40 * (n % 4), counter) for n, counter in enumerate([*LOSSES, "CP CPU TIME"])]
)
def test_what_is_not_known_of_a_part_is_not_known_of_all(first: int, counter: str):
    """Of one connection type, of an interval, of a member; times of class 2 of others are those of lines 140 and 220."""
    lost = dict.fromkeys(("value", "average_time_s", "appl_class_1", "db2_class_2"))
    accounting = [
        row | lost if row["counter"] == counter and first <= row["line"] < first + 20 else row for row in (*OF_A, *OF_B)
    ]
    row = one_row((yield charged(accounting)), "FROM run_db2_cost")
    unknown = {name for name, value in row.items() if value is None and name != "null_reason"}
    others = {"class2_others_cpu_ms_per_request"} if counter == "CP CPU TIME" and first in (140, 220) else set()
    assert unknown == LOSSES[counter] | others
    reasons = {"#COMMITS": "commits not printed", "CP CPU TIME": "class 1 CPU or occurrences not printed"}
    assert row["null_reason"] == reasons.get(counter)


def test_groups_of_two_sysplexes_in_one_window_do_not_add():
    """Group G of PLEX1 and group H of PLEX2: 900 and 1,800 threads of 4 ms and 4 s of DBM1 each, by 18,000 requests of each: 0.3 and 0.6 ms of class 1,
    0.2222 ms of the address spaces. Without their structures nobody knows which sysplex is whose."""
    of_h: Row = {"db2_group": "H", "member": "DB9A", "subsystem": "DB9A"}
    first = charged_classes(ONE_RUN)
    tables = {
        "rmf_workload_activity": [*first, *(r | {"sysplex": "PLEX2", "line": r["line"] + 100} for r in first)],
        "db2_accounting_counter": [
            *accounted(900, 4.0, 100, **minutes(0, 15)),
            *accounted(1_800, 4.0, 140, **minutes(0, 15), **of_h),
        ],
        "db2_statistics_counter": [
            *spaces(3.0, 300, 900.0, **minutes(0, 15)),
            *spaces(3.0, 301, 900.0, **minutes(0, 15), **of_h),
        ],
    }
    structures = [
        synchronous_structure(f"{group}_GBP0", 30.0, 40.0, sysplex=sysplex, system="SYSA", line=400 + n)
        for n, (group, sysplex) in enumerate((("G", "PLEX1"), ("H", "PLEX2")))
    ]
    window = "window: 2021-04-13T10:00/10:15, sysplex"
    text = (
        RUNS.partition("normalization")[0]
        + f"configurations:\n  A: {{steps: [{{{window}: PLEX1}}]}}\n  B: {{steps: [{{{window}: PLEX2}}]}}\n"
    )
    alone = [r | {"db2_group": None} for r in tables["db2_accounting_counter"] if r["db2_group"] == "G"]
    known, unknown, without = yield [
        studied(text, **tables, rmf_cf_structure_activity=structures),
        studied(text, **tables),
        studied(text, **tables | {"db2_accounting_counter": alone, "db2_statistics_counter": []}),
    ]
    may_be = "pages of 2 sysplexes in the window: members without a group may be of another"
    assert {may_be in r["explained_by"] for r in without.rows("FROM run_db2_cost")} == {True}
    rows = known.rows("FROM run_db2_cost ORDER BY configuration")
    assert [r["members"] for r in rows] == ["DB1A", "DB9A"]
    assert [r["class1_cpu_ms_per_request"] for r in rows] == approx([0.3, 0.6])
    assert [r["address_spaces_cpu_ms_per_request"] for r in rows] == approx([4 / 18] * 2)
    rows = unknown.rows("FROM run_db2_cost")
    figures = ("class1_cpu_ms_per_request", "address_spaces_cpu_ms_per_request", "class1_of_rmf_pct", "commits_per_s")
    assert {r[name] for r in rows for name in figures} == {None}
    assert {r["null_reason"] for r in rows} == {"which sysplex a Db2 group is of is not known"}


DDF = dict.fromkeys(("counter", "label_path"), "DDF ADDRESS SPACE")


def ddf(
    tcb: float | None, enclaves: float | None, nonpreemptable: float | None, ziip: float | None, **other: object
) -> list[Row]:
    """DDF of a member in 15 minutes, beside 9 s of its DBM1 on general processors and 3 on zIIPs."""
    own = {"tcb_time_s": tcb, "preemptable_srb_time_s": enclaves, "nonpreemptable_srb_time_s": nonpreemptable}
    (row,) = spaces(None, 310, 900.0, **minutes(0, 15), **DDF)
    return [row | own | {"preemptable_iip_srb_time_s": ziip} | other, *spaces(9.0, 311, 900.0, **minutes(0, 15))]


# TCB, enclaves, non-preemptable, zIIP; own time and that of the enclaves.
DDF_PRINTS = [
    ((0.1, 180.0, 0.1, None), 0.2, None), ((None, 180.0, 0.1, 90.0), None, 270), ((0.1, None, 0.1, 90.0), 0.2, None), ((0.0, 0.0, 0.0, 0.0), 0, 0),
]  # fmt: skip
COST = "class1_cpu_ms_per_request, address_spaces_cpu_ms_per_request"
FROM = "FROM run_db2_cost"
THREADS = accounted(18_000, 10.0, 100, **minutes(0, 15))
TIMES = (0.1, 180.0, 0.1, 90.0)
NO_CLASS = RUNS.replace("subsystems: {CICS: {report_class: CICS2A20}, DDF: {report_class: DDFWORK}}\n", "")
LATER = "accounting covers 300 s, RMF 900 s; requests without commits in Db2"
# Without a scope, or naming the subsystem alone, a page prints the same threads and address spaces again.
AGAIN = [{"scope": None, "source_id": "s9"}, {"member": None, "source_id": "s9"}]
NO_SCOPE = {"scope": None, "member": None}
OF_GROUP = {"scope": "group_member", "subsystem": None, "source_id": "s9"}
OF_OTHERS = (
    {"report_kind": "trace", "source_id": "s8"},
    {"scope": "group", "member": None, "subsystem": None, "source_id": "s9"},
)


def with_others(rows: list[Row]) -> list[Row]:
    """The rows, and those that a trace and a report of the group print of the same."""
    return [*rows, *(row | other for other in OF_OTHERS for row in rows)]


# By plan 600 + 600 commits, by connection type 1,000 in one entry: those by plan are more.
BY_PLAN = [row for n in (1, 2) for row in accounted(600, 2.0, 40 * n, conntype=None, plan=f"P{n}", **minutes(0, 5))]
WORDS = [
    f"contains(coalesce(explained_by, ''), '{words}')"
    for words in ("several commits per request", "requests without commits in Db2")
]


def where(line: int, **change: object) -> list[Row]:
    """The address spaces with another value in a line."""
    return [row | (change if row["line"] == line else {}) for row in SPACES]


test_costs = examples(
    ("nothing used", charged(run=(18_000, 0.0, 0.0, 7.0)), f"rmf_cpu_ms_per_request, class1_of_rmf_pct {FROM}", [(0, None)]),
    # Of DDF nothing is printed: RMF's time is not that of CICS alone.
    ("class that is not known", charged(OF_A, SPACES[:2], classes=1),
     f"rmf_cpu_ms_per_request, other_ms_per_request, class1_of_rmf_pct, class1_cpu_ms_per_request {FROM}", [(None, None, None, approx(2.7))]),
    ("no class charged", charged(OF_A, [], text=NO_CLASS), f"class1_cpu_ms_per_request, rmf_cpu_ms_per_request {FROM}", [(approx(2.7), None)]),
    # Without it class 1 alone is compared.
    *((f"unknown address space {line}", charged(statistics=where(line, cp_cpu_time_s=None)),
       "address_spaces_cpu_ms_per_request, other_ms_per_request, class1_of_rmf_pct,"
       f" ends_with(explained_by, 'time of an address space not printed; requests without commits in Db2') {FROM}", [(None, None, approx(18), True)])
      for line in (300, 301, 302)),
    ("no time", charged(statistics=[row | {"interval_elapsed_s": 0.0} for row in SPACES]), f"address_spaces_cpu_ms_per_request {FROM}", [(None,)]),
    *((f"another page with {again}", charged([*OF_B, *(row | again for row in OF_B)]), f"members, class1_cpu_ms_per_request, null_reason {FROM}",
       [("DB1B", None, "accounting intervals overlap")]) for again in AGAIN),
    *((f"other statistics with {again}", charged(statistics=[*SPACES, *(row | again for row in SPACES)]),
       f"address_spaces_cpu_ms_per_request, contains(explained_by, 'statistics of the address spaces overlap') {FROM}", [(None, True)])
      for again in AGAIN),
    ("the subsystem alone", charged([*OF_A, *(row | NO_SCOPE for row in OF_B)], where(302, **NO_SCOPE)), f"members, {COST} {FROM}",
     [("DB1A,DB1B", approx(3.6), approx(4))]),
    # Of DB1B, and of DB1A again.
    ("report of the group", charged(statistics=[*(r | OF_GROUP | {"cp_cpu_time_s": 99.0} for r in SPACES[:2]), *where(302, **OF_GROUP)]),
     f"address_spaces_cpu_ms_per_request, explained_by {FROM}", [(approx(4), LATER)]),
    ("traces and groups", charged(with_others([*OF_A, *OF_B]), with_others(SPACES)),
     f"{COST} {FROM}", [(approx(3.6), approx(4))]),
    *((f"conflict of {n}", charged([*OF_A, *OF_B, row | {"value": 1.0, "source_id": "s9"}]), f"is_conflicting {FROM}", [(True,)])
      for n, row in enumerate((OF_A[3], next(r for r in OF_A if r["source_id"] == "s2" and r["counter"] == "#COMMITS"), OF_B[3]))),
    ("orders", charged([*BY_PLAN, *accounted(1_000, 9.0, 200, **minutes(0, 5), source_id="s2")]),
     f"order_keys, commits_per_s, class1_cpu_ms_per_request {FROM}", [("plan", 4, approx(0.6))]),
    # 18,000 requests, 20/s. Class 1 of 18,000 distributed threads of 15 ms: 15 ms. DBM1 12 s; DDF 0.1 + 0.1 s, and enclaves of 180 s and 90 s
    # on zIIPs: 12.2 s / 18,000 are 0.6778 ms, where all of the address spaces would be 15.68. Of RMF's 20 ms 15.6778: 78.39%.
    ("enclaves count once", charged(THREADS, ddf(*TIMES)),
     f"ddf_enclaves_cpu_ms_per_request, other_ms_per_request, class1_of_rmf_pct, explained_by, {COST} {FROM}",
     [(approx(15), approx(5 - 12.2 / 18), approx(5 * (15 + 12.2 / 18)), None, approx(15), approx(12.2 / 18))]),
    ("enclaves of two", charged([*THREADS, *(r | B | {"line": r["line"] + 100} for r in THREADS)], [*ddf(*TIMES), *(r | B for r in ddf(0.1, 90.0,
     0.1, 45.0))]),
     f"ddf_enclaves_cpu_ms_per_request, address_spaces_cpu_ms_per_request {FROM}", [(approx(22.5), approx(24.4 / 18))]),
    # None of the threads is distributed.
    ("enclaves of more threads", charged(accounted(18_000, 8.0, 100, **minutes(0, 15), **CICS), ddf(*TIMES)), f"explained_by {FROM}",
     [("accounting lacks threads: the enclaves of DDF used more than those that can be distributed",)]),
    # Its own time needs no zIIPs nor enclaves, beside 2/3 + 2 ms of the others. CP CPU TIME alone, 180.2 s, is not its own; less what it
    # prints of the enclaves it is.
    *((f"DDF prints {printed}", charged(statistics=[*ddf(*printed), *SPACES[2:]]),
       f"address_spaces_cpu_ms_per_request, ddf_enclaves_cpu_ms_per_request {FROM}",
       [(own if own is None else approx(own / 18 + 8 / 3), enclaves if enclaves is None else approx(enclaves / 18))])
      for printed, own, enclaves in DDF_PRINTS),
    *((f"DDF prints {printed} and a total", charged(statistics=[*ddf(*printed, cp_cpu_time_s=180.2), *SPACES[2:]]),
       f"address_spaces_cpu_ms_per_request {FROM}", [(own if own is None else approx(own / 18 + 8 / 3),)])
      for printed, own in (((None, 180.0, 0.1, None), 0.2), ((None, None, 0.1, 90.0), None), ((None, 0.0, 0.0, 0.0), 180.2))),
    # 18,000 requests in 900 s, 20 a second: 21 and 19 commits a second are a twentieth more and less.
    *((f"{commits} commits", charged(accounted(18_000, 2.0, 100, commits, **minutes(0, 15)), []), f"commits_per_s, {WORDS[0]} OR {WORDS[1]} {FROM}",
       [(commits / 900, said)]) for commits, said in ((18_900, False), (18_909, True), (17_100, False), (17_091, True))),
)  # fmt: skip
