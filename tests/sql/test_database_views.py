"""Views over CICS and Db2 tables: what goes in, what must come out, worked by hand."""

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks, each
from views_lake import START, Row, expect, one_row, place, sample_rows


def _entry(**values: object) -> Row:
    """REDP-5208: 4,256,254 calls, 456,419 single-phase commits, 44 threads made and 456,425 times one used again."""
    row: Row = {"applid": "CICS2A20", "collection": "interval", "collected_at": START, "interval_s": 300.0}
    row |= {"is_total": False, "db2entry": "TRADENT", "calls": 4256254, "commits": 0, "aborts": 0}
    row |= {"single_phase": 456419, "thread_creates": 44, "thread_reuses": 456425, "thread_waits_or_overflows": 0}
    return row | place() | values


def test_thread_reuse_of_the_published_entry():
    row = one_row((yield {"cics_db2entry_request": [_entry()]}), "SELECT * FROM db2entry_thread_reuse")
    expect(row, thread_reuse_pct=pytest.approx(99.990, abs=5e-4), calls_per_request=pytest.approx(9.33, abs=5e-3))
    expect(row, single_phase_per_request=1.0, calls_per_s=pytest.approx(14187.513, abs=1e-3), is_conflicting=False)


def test_only_collections_that_reset_count_and_no_totals():
    rows = [_entry(collection=kind, line=n) for n, kind in enumerate(("requested", "summary", "requested_reset"), 20)]
    lake = yield {"cics_db2entry_request": [*rows, _entry(is_total=True, db2entry=None, line=40)]}
    assert lake.rows("SELECT collection AS c FROM db2entry_thread_reuse") == [{"c": "requested_reset"}]


def test_no_thread_no_reuse_and_a_part_that_is_not_printed():
    lake = yield {
        "cics_db2entry_request": [
            _entry(db2entry="A", thread_creates=0, thread_reuses=0, single_phase=0),
            _entry(db2entry="B", thread_creates=None, aborts=None),
        ]
    }
    rows = lake.rows(
        "SELECT thread_reuse_pct AS t, calls_per_request AS c FROM db2entry_thread_reuse ORDER BY db2entry"
    )
    assert rows == [{"t": None, "c": None}] * 2


@pytest.mark.parametrize(("calls", "conflicting"), [(4256254, False), (4256255, True)])
def test_an_entry_printed_twice_counts_once(calls: int, conflicting: bool):
    lake = yield {"cics_db2entry_request": [_entry(calls=calls, **place(7, "s2")), _entry()]}
    row = one_row(lake, "SELECT calls, is_conflicting, len(refs) AS n FROM db2entry_thread_reuse")
    assert row == {"calls": 4256254, "is_conflicting": conflicting, "n": 2}


def test_group_buffer_pool_of_the_published_page():
    row = one_row((yield {"db2_statistics_counter": counter_rows(GBP6)}), "SELECT * FROM group_buffer_pool")
    expect(row, gbp="GBP6", reads_total=429, writes_total=430, castout_pages=1)
    expect(row, read_hit_pct=pytest.approx(13.29, abs=0.005), xi_read_pct=pytest.approx(12.35, abs=0.005))
    expect(row, other_requests=1231, accesses_total=2091, accesses_per_s=pytest.approx(3.485))
    assert len(row["refs"]) == 12
    # Of releases that move one page a request pages are accesses.
    assert (row["accesses_basis"], row["write_requests"], row["castout_requests"]) == ("pages", None, None)
    # 53 of 53 reads after a cross-invalidation, 4 of 376 of pages not found.
    assert (row["xi_hit_pct"], row["nf_hit_pct"]) == (100, pytest.approx(100 * 4 / 376))


# GBP30 as a manual prints it, in thousands; below it a page's part of the block was cut off: its own values.
GBP30: Row = {"SYN.READ(XI)-DATA RETURNED": 1091600.0, "SYN.READ(XI)-NO DATA RETURN": 133000.0}
GBP30 |= {"SYN.READ(NF)-DATA RETURNED": 1062100.0, "SYN.READ(NF)-NO DATA RETURN": 14515100.0}
GBP30 |= {"UNREGISTER PAGE": 4323700.0, "CLEAN PAGES SYNC.WRTN": 0.0, "CLEAN PAGES ASYNC.WRTN": 0.0}
GBP30 |= {"CHANGED PGS SYNC.WRTN": 60000.0, "CHANGED PGS ASYNC.WRTN": 1400000.0, "WRITE AND REGISTER": 50000.0}
GBP30 |= {"WRITE AND REGISTER MULT": 70000.0, "PAGES WRITE & REG MULT": 1410000.0, "PAGES CASTOUT": 980000.0}
GBP30 |= {"READ FOR CASTOUT": 4000.0, "READ FOR CASTOUT MULT": 61000.0, "DELETE NAME LIST SEC-GBP": 999.0}
GBP30 |= {"DELETE NAME FROM SEC-GBP": 998.0, "UNLOCK CASTOUT STATS SEC-GBP": 997.0, "WRITE TO SEC-GBP FAILED": 3.0}


def _gbp30(**other: float | None) -> Asks[Row]:
    counters = {name: value for name, value in (GBP30 | other).items() if value is not None}
    return one_row((yield {"db2_statistics_counter": counter_rows(counters)}), "SELECT * FROM group_buffer_pool")


def test_hits_after_a_cross_invalidation_and_of_pages_not_found():
    """1091.6 of 1091.6 + 133.0 = 89.14%, where (1091.6 + 1062.1) of 16801.8 = 12.82%; 1062.1 of 15577.2 = 6.82%."""
    no_reads = {"SYN.READ(XI)-DATA RETURNED": 0.0, "SYN.READ(XI)-NO DATA RETURN": 0.0}
    row, none = yield from each(_gbp30(), _gbp30(**no_reads))
    expect(row, xi_hit_pct=pytest.approx(89.14, abs=0.005), read_hit_pct=pytest.approx(12.82, abs=0.005))
    expect(row, nf_hit_pct=pytest.approx(6.82, abs=0.005))
    assert (none["xi_hit_pct"], none["xi_read_pct"]) == (None, 0)


def test_accesses_are_requests_where_these_are_printed():
    """16,801,800 reads, 50,000 + 70,000 writes of 1,460,000 pages, 4,000 + 61,000 castouts of 980,000 pages and 4,323,700 others
    are 21,310,500 requests; pages would be 23,565,500. What goes to the secondary pool is not among the others."""
    row, without = yield from each(_gbp30(), _gbp30(**{"WRITE AND REGISTER": None}))
    expect(row, writes_total=1460000, write_requests=120000, castout_requests=65000, other_requests=4323700)
    expect(row, accesses_total=21310500, accesses_basis="requests", accesses_per_s=pytest.approx(35517.5))
    expect(row, secondary_writes_failed=3, null_reason=None)
    # 1,460,000 pages, of which 1,410,000 in 70,000 requests: 120,000.
    assert without["write_requests"] == 120000


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        ("READ FOR CASTOUT", "castout requests not printed"),
        ("WRITE AND REGISTER MULT", "write requests not printed"),
        ("SYN.READ(XI)-DATA RETURNED", "reads not printed"),
    ],
)
def test_pages_do_not_stand_in_for_requests(lost: str, reason: str):
    row = yield from _gbp30(**{lost: None})
    assert (row["accesses_total"], row["accesses_per_s"], row["null_reason"]) == (None, None, reason)


@pytest.mark.parametrize("reason", ["N/A", "N/C", "N/P", None])
def test_a_counter_that_is_not_known_leaves_no_sum(reason: str | None):
    counters = counter_rows(GBP6)
    if reason:
        counters[1] |= {"quantity": None, "null_reason": reason}
    else:
        del counters[1]
    row = one_row((yield {"db2_statistics_counter": counters}), "SELECT * FROM group_buffer_pool")
    expect(row, reads_total=None, read_hit_pct=None, accesses_total=None, writes_total=430)


def test_a_page_read_twice_counts_once_and_totals_over_pools_are_left_out():
    counters = counter_rows(GBP6)
    counters += counter_rows(GBP6, object="TOT4K", is_total=True)
    counters += counter_rows(GBP6, source_id="s2")
    row = one_row(
        (yield {"db2_statistics_counter": counters}), "SELECT reads_total, len(refs) AS n FROM group_buffer_pool"
    )
    assert row == {"reads_total": 429, "n": 24}


def _pool(**values: float | None) -> Asks[Row]:
    counters: dict[str, float | None] = {"GETPAGE REQUEST": 52208.0, "SYNCHRONOUS READS": 871.0}
    counters |= {"SYNCHRONOUS READS > SYNC.READS-RANDOM": 831.0, "SEQUENTIAL PREFETCH READS": 500.0}
    counters |= {"PAGES READ VIA SEQ.PREFETCH": 11000.0, "LIST PREFETCH READS": 0.0, "PAGES READ VIA LIST PREFTCH": 0.0}
    counters |= {"DYNAMIC PREFETCH READS": 40.0, "PAGES READ VIA DYN.PREFETCH": 1000.0}
    counters = {k: v for k, v in (counters | values).items() if v is not None}
    rows = counter_rows(counters, "READ OPERATIONS", object="BP4", per_commit=62.5)
    return one_row((yield {"db2_statistics_counter": rows}), "SELECT * FROM buffer_pool")


def test_hits_of_a_buffer_pool():
    """1 - (871 + 12000) / 52208 = 75.35%."""
    row = yield from _pool()
    expect(row, buffer_pool="BP4", getpages=52208, sync_io=871, prefetch_pages=12000)
    expect(row, hit_pct=pytest.approx(75.35, abs=0.005), getpages_per_sync_io=pytest.approx(59.94, abs=0.005))
    expect(row, getpages_per_transaction=62.5, getpages_per_s=pytest.approx(87.0133, abs=1e-4))


def test_hits_with_other_pages_of_prefetch():
    """Without those of one kind, which ran or not; and 871 + 90,000 + 1,000 pages read for 52,208 getpages: 1 - 91871 / 52208 = -75.97%."""
    none, ran = {"PAGES READ VIA DYN.PREFETCH": None}, "DYNAMIC PREFETCH READS"
    lost, still, unknown, more = yield from each(
        _pool(**none), _pool(**none, **{ran: 0.0}), _pool(**none, **{ran: None}),
        _pool(**{"PAGES READ VIA SEQ.PREFETCH": 90000.0}),
    )  # fmt: skip
    assert (lost["hit_pct"], unknown["hit_pct"]) == (None, None)
    assert (still["prefetch_pages"], still["hit_pct"]) == (11000, pytest.approx(100 * (1 - 11871 / 52208)))
    assert more["hit_pct"] == pytest.approx(-75.97, abs=0.005)


def test_thread_reuse_off_the_sample_page():
    lake = yield sample_rows("cics_published_requests", "cics_db2entry_request")
    rows = lake.rows("SELECT * FROM db2entry_thread_reuse ORDER BY collected_at")
    assert [row["thread_reuse_pct"] for row in rows] == [
        pytest.approx(100 * 456425 / 456469),
        pytest.approx(100 * 262982 / 263008),
    ]
    assert rows[1]["calls_per_request"] == pytest.approx(2455733 / 262984)


def test_group_buffer_pool_off_the_sample_page():
    lake = yield sample_rows("statistics_group_block_over_page_break", "db2_statistics_counter")
    row = one_row(lake, "SELECT * FROM group_buffer_pool")
    expect(row, gbp="GBP3", scope="group", reads_total=31418 + 2209 + 88100 + 640300)
    expect(row, read_hit_pct=pytest.approx(100 * 119518 / 762027), castout_pages=977400, writes_failed_no_storage=12)
    expect(row, writes_changed_sync=60204, writes_total=None, accesses_total=None)


def test_group_buffer_pool_off_the_page_of_db2pm():
    lake = yield sample_rows("statistics_equations_of_db2pm", "db2_statistics_counter")
    row = one_row(lake, "SELECT * FROM group_buffer_pool")
    expect(row, gbp="GBP6", reads_xi_returned=53, reads_nf_not_returned=372, reads_total=429, writes_total=430)
    expect(row, other_requests=1231, accesses_total=2091, accesses_per_s=pytest.approx(3.485))
    expect(row, castout_engine_not_available=None, writes_failed_no_storage=0, reads_prefetch_returned=0)
    expect(row, castout_pages=1)


def test_buffer_pool_off_the_sample_page():
    lake = yield sample_rows("statistics_trace_buffer_pools", "db2_statistics_counter")
    row = one_row(lake, "SELECT * FROM buffer_pool WHERE getpages IS NOT NULL")
    assert (row["getpages"], row["sync_io"], row["prefetch_pages"], row["hit_pct"]) == (52208, 871, None, None)
