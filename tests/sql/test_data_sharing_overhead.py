"""Locks and group buffer pools of a data sharing group per commit: members and their group, each once."""

from collections.abc import Mapping

import pytest
from db2_rows import counter_rows
from one_lake import Found, Rows, examples, shown
from views_lake import MemoryLake, Row, lake_of

approx = pytest.approx


@pytest.fixture(scope="module")
def page() -> MemoryLake:
    """A group of two members: 18,000 and 9,000 commits."""
    return lake_of("statistics_short_of_a_group", "db2_statistics_counter")


def test_members_and_their_group_off_the_page(page: MemoryLake):
    """180,000 / 18,000 and 54,000 / 9,000 requests to XES; 8,280 + 18,000 + 7,200 + 2,700 and 3,060 + 5,400 + 1,800 + 900 accesses."""
    rows = page.rows("SELECT * FROM data_sharing_overhead ORDER BY is_total, member")
    columns = "member is_total total_source commits xes_requests gbp_accesses gbp_reads gbp_writes"
    assert [tuple(row[c] for c in columns.split()) for row in rows] == [
        ("DBT1", False, None, 18000, 180000, 36180, 8280, 18000),
        ("DBT2", False, None, 9000, 54000, 11160, 3060, 5400),
        (None, True, "printed", 27000, 234000, 47340, 11340, 23400),
    ]
    per_commit = [f"{what}_per_commit" for what in ("xes_requests", "plock_requests", "suspends", "gbp_accesses")]
    assert [[row[c] for c in per_commit] for row in rows] == [
        approx([10, 71100 / 18000, 0.03, 2.01]),
        approx([6, 17100 / 9000, 0.03, 1.24]),
        approx([26 / 3, 88200 / 27000, 0.03, 47340 / 27000]),
    ]
    assert [row["global_contention_pct"] for row in rows] == approx([0.3, 0.5, 100 * 810 / 234000])
    assert [row["members"] for row in rows] == [2, 2, 2]


LOCKS = {
    "SYNCH.XES - LOCK REQUESTS": 100.0,
    "SYNCH.XES - CHANGE REQUESTS": 10.0,
    "SYNCH.XES - UNLOCK REQUESTS": 90.0,
    "BACKGROUND.XES -CHILD LOCKS": 0.0,
    "ASYNCH.XES -CONVERTED LOCKS": 0.0,
}


def _locks(member: str | None, scope: str, locks: Mapping[str, float | None] = LOCKS, **more: object) -> list[Row]:
    values = {"member": member, "scope": scope, "object": None, "total_commits": 50.0}
    block = "DATA SHARING LOCKS" if scope != "member" else "DATA SHARING LOCKING"
    subsystem = member if scope == "member" else None
    return counter_rows(locks, block, **(values | {"subsystem": subsystem} | more))


def counters(*some: list[Row]) -> Rows:
    return {"db2_statistics_counter": [row for rows in some for row in rows]}


# 200 requests of DB2A at L, 300 of DB2A and 400 of DB2B at M. A report of the group without a location is of neither.
L = _locks("DB2A", "member")
M = [_locks(name, "member", LOCKS | {"SYNCH.XES - LOCK REQUESTS": n}, location="M") for name, n in (("DB2A", 200.0), ("DB2B", 300.0))]  # fmt: skip
KNOWN = [("L", "DB2A", 1, 200), ("L", None, 1, 200), ("M", "DB2A", 2, 300), ("M", "DB2B", 2, 400), ("M", None, 2, 700)]
ASKED = "location, member, members, xes_requests FROM data_sharing_overhead ORDER BY location, is_total, member"


@examples(
    # And members add up to a group that is not printed.
    ("a member of two reports counts once", counters(L, _locks("DB2A", "group_member"), _locks("DB2B", "group_member")),
     "member, scope, total_source, members, xes_requests, xes_requests_per_commit FROM data_sharing_overhead ORDER BY ALL",
     [("DB2A", "member", None, 2, 200, 4), ("DB2B", "group_member", None, 2, 200, 4), (None, None, "members", 2, 400, 4)]),
    ("two locations", counters(L, *M), ASKED, KNOWN),
    ("no location", counters(L, *M, _locks("DB2A", "group_member", location=None)), ASKED, [*KNOWN, (None, "DB2A", 1, 200), (None, None, 1, 200)]),
    ("a member without a location", counters(*M, _locks("DB2C", "group_member", location=None)), f"{ASKED} OFFSET 3", [("M", None, 3, 900)]),
    ("an unknown member", counters(L, _locks("DB2B", "member", LOCKS | {"SYNCH.XES - LOCK REQUESTS": None})),
     "xes_requests, xes_requests_per_commit, commits FROM data_sharing_overhead WHERE is_total", [(None, None, 100)]),
    ("work of no group and of nobody", counters(_locks("DB2A", "member", db2_group=None), _locks(None, "member")), "* FROM data_sharing_overhead",
     []),
)  # fmt: skip
def test_groups_and_members(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
