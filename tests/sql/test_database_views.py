"""Views over CICS and Db2 tables: what goes in, what must come out, worked by hand."""

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Found, Rows, examples, shown
from views_lake import START, Row, expect, one_row, place, sample_rows

approx = pytest.approx


def entries(*of: Row) -> Rows:
    """REDP-5208: 4,256,254 calls, 456,419 single-phase commits, 44 threads made and 456,425 times one used again."""
    row: Row = {"applid": "CICS2A20", "collection": "interval", "collected_at": START, "interval_s": 300.0}
    row |= {"is_total": False, "db2entry": "TRADENT", "calls": 4256254, "commits": 0, "aborts": 0}
    row |= {"single_phase": 456419, "thread_creates": 44, "thread_reuses": 456425, "thread_waits_or_overflows": 0}
    return {"cics_db2entry_request": [row | place() | other for other in of]}


KINDS = [{"collection": kind, "line": n} for n, kind in enumerate(("requested", "summary", "requested_reset"), 20)]
NO_THREAD = {"db2entry": "A", "thread_creates": 0, "thread_reuses": 0, "single_phase": 0}
REUSE = "FROM db2entry_thread_reuse"


@examples(
    ("published entry", entries({}), f"thread_reuse_pct, calls_per_request, single_phase_per_request, calls_per_s, is_conflicting {REUSE}",
     [(approx(99.990, abs=5e-4), approx(9.33, abs=5e-3), 1.0, approx(14187.513, abs=1e-3), False)]),
    # Only collections that reset, and no totals.
    ("collections", entries(*KINDS, {"is_total": True, "db2entry": None, "line": 40}), f"collection {REUSE}", [("requested_reset",)]),
    ("no thread, and a part that is not printed", entries(NO_THREAD, {"db2entry": "B", "thread_creates": None, "aborts": None}),
     f"thread_reuse_pct, calls_per_request {REUSE}", [(None, None)] * 2),
    *((f"printed twice, {calls}", entries({"calls": calls} | place(7, "s2"), {}), f"calls, is_conflicting, len(refs) {REUSE}", [(4256254, is_other,
     2)])
      for calls, is_other in ((4256254, False), (4256255, True))),
)  # fmt: skip
def test_thread_reuse(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


# GBP30 as a manual prints it, in thousands; below it a page's part of the block was cut off: its own values.
GBP30: Row = {"SYN.READ(XI)-DATA RETURNED": 1091600.0, "SYN.READ(XI)-NO DATA RETURN": 133000.0}
GBP30 |= {"SYN.READ(NF)-DATA RETURNED": 1062100.0, "SYN.READ(NF)-NO DATA RETURN": 14515100.0}
GBP30 |= {"UNREGISTER PAGE": 4323700.0, "CLEAN PAGES SYNC.WRTN": 0.0, "CLEAN PAGES ASYNC.WRTN": 0.0}
GBP30 |= {"CHANGED PGS SYNC.WRTN": 60000.0, "CHANGED PGS ASYNC.WRTN": 1400000.0, "WRITE AND REGISTER": 50000.0}
GBP30 |= {"WRITE AND REGISTER MULT": 70000.0, "PAGES WRITE & REG MULT": 1410000.0, "PAGES CASTOUT": 980000.0}
GBP30 |= {"READ FOR CASTOUT": 4000.0, "READ FOR CASTOUT MULT": 61000.0, "DELETE NAME LIST SEC-GBP": 999.0}
GBP30 |= {"DELETE NAME FROM SEC-GBP": 998.0, "UNLOCK CASTOUT STATS SEC-GBP": 997.0, "WRITE TO SEC-GBP FAILED": 3.0}
NO_READS: Row = {"SYN.READ(XI)-DATA RETURNED": 0.0, "SYN.READ(XI)-NO DATA RETURN": 0.0}
POOL: Row = {"GETPAGE REQUEST": 52208.0, "SYNCHRONOUS READS": 871.0, "SYNCHRONOUS READS > SYNC.READS-RANDOM": 831.0}
POOL |= {"SEQUENTIAL PREFETCH READS": 500.0, "PAGES READ VIA SEQ.PREFETCH": 11000.0, "LIST PREFETCH READS": 0.0}
POOL |= {"PAGES READ VIA LIST PREFTCH": 0.0, "DYNAMIC PREFETCH READS": 40.0, "PAGES READ VIA DYN.PREFETCH": 1000.0}
RAN, PAGES = "DYNAMIC PREFETCH READS", "PAGES READ VIA DYN.PREFETCH"


def group(counters: Row = GBP30, **other: float | None) -> Rows:
    printed = {name: value for name, value in (counters | other).items() if value is not None}
    return {"db2_statistics_counter": counter_rows(printed)}


def pool(**other: float | None) -> Rows:
    printed = {name: value for name, value in (POOL | other).items() if value is not None}
    return {"db2_statistics_counter": counter_rows(printed, "READ OPERATIONS", object="BP4", per_commit=62.5)}


def without_second(reason: str | None) -> Rows:
    """GBP6 with its second counter unknown for a reason, or not there."""
    rows = counter_rows(GBP6)
    second = [rows[1] | {"quantity": None, "null_reason": reason}] if reason else []
    return {"db2_statistics_counter": [rows[0], *second, *rows[2:]]}


AGAIN = {"db2_statistics_counter": [*counter_rows(GBP6), *counter_rows(GBP6, object="TOT4K", is_total=True), *counter_rows(GBP6,
 source_id="s2")]}  # fmt: skip
GROUP = "FROM group_buffer_pool"


@examples(
    # 53 of 53 reads after a cross-invalidation, 4 of 376 of pages not found.
    ("published page", group(GBP6),
     f"gbp, reads_total, writes_total, castout_pages, read_hit_pct, xi_read_pct, xi_hit_pct, nf_hit_pct, len(refs) {GROUP}",
     [("GBP6", 429, 430, 1, approx(13.29, abs=0.005), approx(12.35, abs=0.005), 100, approx(100 * 4 / 376), 12)]),
    # Of releases that move one page a request pages are accesses.
    ("pages as accesses", group(GBP6), f"other_requests, accesses_total, accesses_per_s, accesses_basis, write_requests, castout_requests {GROUP}",
     [(1231, 2091, approx(3.485), "pages", None, None)]),
    # 1091.6 of 1091.6 + 133.0 = 89.14%, where (1091.6 + 1062.1) of 16801.8 = 12.82%; 1062.1 of 15577.2 = 6.82%.
    ("hits", group(), f"xi_hit_pct, read_hit_pct, nf_hit_pct {GROUP}", [tuple(approx(pct, abs=0.005) for pct in (89.14, 12.82, 6.82))]),
    ("no reads after a cross-invalidation", group(**NO_READS), f"xi_hit_pct, xi_read_pct {GROUP}", [(None, 0)]),
    # 16,801,800 reads, 50,000 + 70,000 writes of 1,460,000 pages, 4,000 + 61,000 castouts of 980,000 pages and 4,323,700 others
    # are 21,310,500 requests; pages would be 23,565,500. What goes to the secondary pool is not among the others.
    ("requests as accesses", group(),
     f"writes_total, write_requests, castout_requests, other_requests, accesses_total, accesses_basis, accesses_per_s, secondary_writes_failed, null_reason {GROUP}",
     [(1460000, 120000, 65000, 4323700, 21310500, "requests", approx(35517.5), 3, None)]),
    # 1,460,000 pages, of which 1,410,000 in 70,000 requests: 120,000.
    ("requests of single pages", group(**Row({"WRITE AND REGISTER": None})), f"write_requests {GROUP}", [(120000,)]),
    # Pages do not stand in for requests.
    *((f"without {lost}", group(**Row({lost: None})), f"accesses_total, accesses_per_s, null_reason {GROUP}", [(None, None, reason)]) for lost, reason in (
        ("READ FOR CASTOUT", "castout requests not printed"), ("WRITE AND REGISTER MULT", "write requests not printed"),
        ("SYN.READ(XI)-DATA RETURNED", "reads not printed"))),
    *((f"unknown counter, {reason}", without_second(reason), f"reads_total, read_hit_pct, accesses_total, writes_total {GROUP}", [(None, None, None,
     430)])
      for reason in ("N/A", "N/C", "N/P", None)),
    ("page read twice, and totals over pools", AGAIN, f"reads_total, len(refs) {GROUP}", [(429, 24)]),
    # 1 - (871 + 12000) / 52208 = 75.35%.
    ("pool", pool(), "buffer_pool, getpages, sync_io, prefetch_pages, hit_pct, getpages_per_sync_io, getpages_per_transaction, getpages_per_s FROM buffer_pool",
     [("BP4", 52208, 871, 12000, approx(75.35, abs=0.005), approx(59.94, abs=0.005), 62.5, approx(87.0133, abs=1e-4))]),
    # Without the pages of one kind of prefetch, which ran or not; and 871 + 90,000 + 1,000 pages read: 1 - 91871 / 52208 = -75.97%.
    *((f"prefetch {other}", pool(**other), "prefetch_pages, hit_pct FROM buffer_pool", [(prefetch, hit)]) for other, prefetch, hit in (
        ({PAGES: None}, None, None), ({PAGES: None, RAN: None}, None, None), ({PAGES: None, RAN: 0.0}, 11000, approx(100 * (1 - 11871 / 52208))),
        ({"PAGES READ VIA SEQ.PREFETCH": 90000.0}, 91000, approx(-75.97, abs=0.005)))),
)  # fmt: skip
def test_pools(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


def test_threads_and_pools_off_the_sample_pages():
    table = "db2_statistics_counter"
    names = ("statistics_group_block_over_page_break", "statistics_equations_of_db2pm", "statistics_trace_buffer_pools")
    entry, broken, db2pm, trace = yield [
        sample_rows("cics_published_requests", "cics_db2entry_request"),
        *(sample_rows(name, table) for name in names),
    ]
    rows = entry.rows(f"SELECT * {REUSE} ORDER BY collected_at")
    reused = [row["thread_reuse_pct"] for row in rows]
    assert reused == approx([100 * 456425 / 456469, 100 * 262982 / 263008])
    assert rows[1]["calls_per_request"] == approx(2455733 / 262984)
    row = one_row(broken, f"SELECT * {GROUP}")
    expect(row, gbp="GBP3", scope="group", reads_total=31418 + 2209 + 88100 + 640300)
    expect(row, read_hit_pct=approx(100 * 119518 / 762027), castout_pages=977400, writes_failed_no_storage=12)
    expect(row, writes_changed_sync=60204, writes_total=None, accesses_total=None)
    row = one_row(db2pm, f"SELECT * {GROUP}")
    expect(row, gbp="GBP6", reads_xi_returned=53, reads_nf_not_returned=372, reads_total=429, writes_total=430)
    expect(row, other_requests=1231, accesses_total=2091, accesses_per_s=approx(3.485), castout_pages=1)
    expect(row, castout_engine_not_available=None, writes_failed_no_storage=0, reads_prefetch_returned=0)
    row = one_row(trace, "SELECT * FROM buffer_pool WHERE getpages IS NOT NULL")
    expect(row, getpages=52208, sync_io=871, prefetch_pages=None, hit_pct=None)
