"""Views of CICS servers: what is worked by hand off a page, and what must stay NULL."""

import pytest
from ironlake.pipeline.sql.known_tables import tables
from one_lake import Found, Rows, examples, shown
from views_lake import START, MemoryLake, Row, expect, lake_of, one_row, place

approx = pytest.approx
POOL: Row = {"system": "SYSA", "server": "data_table", "structure_name": "DFHCFLS_A", "collected_at": START}
POOL |= {"printed_at": "10.00.00"}


@pytest.fixture(scope="module")
def page() -> MemoryLake:
    return lake_of("servers_of_three_kinds", "cics_server_pool", "cics_server_access")


def test_pools_off_the_page(page: MemoryLake):
    """21,052 and 25,263 of 84,210 entries, 140 of 1,024 lists, 28,800 of 96,000 elements; 32 of 64 MiB."""
    row = one_row(page, "SELECT * FROM cics_server_pool_use WHERE server = 'data_table'")
    expect(row, entries_in_use_pct=approx(24.9994, abs=5e-5))
    expect(row, lists_max_used_pct=approx(13.6719, abs=5e-5), elements_max_used_pct=30, size_pct=50)
    expect(row, objects_current=3, fullest_pct=approx(30))
    counter = one_row(page, "SELECT * FROM cics_server_pool_use WHERE server = 'named_counter'")
    assert (counter["lists_in_use_pct"], counter["elements_in_use_pct"], counter["fullest_pct"]) == (None, None, 1.5)


def test_requests_off_the_page(page: MemoryLake):
    """Data tables: 45,346 to the index and 243,817 to data."""
    rows = {row["server"]: row for row in page.rows("SELECT * FROM cics_server_request")}
    expect(rows["data_table"], index_requests=45346, data_requests=243817, requests=289163, counter_requests=None)
    expect(rows["named_counter"], requests=124626, version_failed_pct=approx(0.42046, abs=5e-6))
    assert rows["shared_ts"]["asynchronous_pct"] == approx(100 * 900 / 159000)


_PRINTED = {"cics_server_pool": "cics_server_pool_use", "cics_server_access": "cics_server_request"}
_KEYS = {*POOL, "job_id", "source_id", "source_file", "page", "line"}


@pytest.mark.parametrize("table", _PRINTED)
@pytest.mark.parametrize("other", [1, None], ids=["another value", "no value"])
def test_prints_that_differ_in_any_column_are_conflicting(table: str, other: int | None):
    """Each column in a pool of its own, and a pool that is the same twice."""
    names = {column.name for column in tables()[table].schema} - _KEYS
    assert len(names) > 15
    rows: list[Row] = []
    for pool in (*sorted(names), "SAME"):
        one = POOL | dict.fromkeys(names, 2) | {"structure_name": pool}
        again = one | ({pool: other} if pool in names else {})
        rows += [one | place(1), again | place(1, "s2")]
    found = MemoryLake(**{table: rows}).rows(f"SELECT structure_name, is_conflicting FROM {_PRINTED[table]}")
    assert {row["structure_name"] for row in found if row["is_conflicting"]} == names
    assert len(found) == len(names) + 1


INDEX = tuple(f"index_{what}" for what in ("write_adjuncts", "inquires", "reads", "writes", "deletes"))
DATA = tuple(f"data_{what}" for what in ("creates", "writes", "reads", "rereads", "rewrites", "deletes"))
COUNTERS = ("creates", "gets", "sets", "deletes", "inquires", "browses")
LISTS = {f"{what}_{of}": n for what in ("lists", "entries", "elements") for of, n in (("total", 10), ("max_used", 3))}
EMPTY = POOL | {"entries_total": 0, "entries_in_use": 0, "size_bytes": 4096}
REQUESTS = "requests, asynchronous_pct, is_conflicting FROM cics_server_request"


@examples(
    ("an empty structure printed twice", {"cics_server_pool": [EMPTY | place(1), EMPTY | place(1, "s2") | {"size_bytes": 8192}]},
     "size_bytes, is_conflicting, len(refs), entries_in_use_pct, fullest_pct FROM cics_server_pool_use", [(4096, True, 2, None, None)]),
    # What is not known may be the fullest.
    *((f"unknown {lost}", {"cics_server_pool": [POOL | place(1) | LISTS | {lost: None}]}, "fullest_pct FROM cics_server_pool_use", [(None,)])
      for lost in ("lists_max_used", "entries_max_used", "elements_max_used")),
    # Requests of which some are unknown are no sum.
    *((f"unknown {lost}", {"cics_server_access": [
        POOL | place(1) | dict.fromkeys(names, 100) | {"server": server, "asynchronous": 5, lost: None}]}, REQUESTS, [(None, None, False)])
      for server, lost, names in (
          ("data_table", "data_rewrites", (*INDEX, *DATA)), ("shared_ts", "index_reads", (*INDEX, *DATA)), ("named_counter", "gets", COUNTERS))),
    ("no numbers", {"cics_server_access": [POOL | place(1)]}, REQUESTS, [(None, None, False)]),
)  # fmt: skip
def test_servers(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
