"""Views of the counters of Db2 statistics: what is worked by hand from a page, and what must stay NULL."""

from collections.abc import Mapping

from db2_rows import GBP6, counter_rows, counters
from one_lake import Rows, examples
from views_lake import START, Row, approx, expect, one_row, place, sample_rows


def test_a_subsystem_off_the_page():
    """One interval of 900 s: 6,120 + 2,240 + 10,000 = 18,360 commits, which HIGHLIGHTS print as 18.4K."""
    page = yield sample_rows("statistics_subsystem_and_log", "db2_statistics_counter")
    row = one_row(page, "SELECT * FROM db2_thread_activity")
    expect(row, commits=18360, commits_source="subsystem_services", commits_highlights=18400, threads_created=412)
    expect(row, threads_queued=3, rollbacks=40, checkpoints=2, commits_per_s=approx(20.4))
    expect(row, signons_per_commit=approx(0.95), rollback_pct=approx(100 * 40 / 18400))
    assert (row["units_of_recovery_indoubt"], len(row["refs"])) == (0, 15)
    # DBM1: 5.508 s on general processors and 9.18 s on zIIPs in 18,360 commits are 0.3 and 0.5 ms; DDF 55.08 and 82.62 s 3 and 4.5 ms.
    rows = {row["address_space"]: row for row in page.rows("SELECT * FROM db2_address_space_cpu")}
    per_commit = ("cp_ms_per_commit", "ziip_ms_per_commit", "cpu_ms_per_commit", "ziip_share_pct")
    assert {name: [row[c] and round(row[c], 9) for c in per_commit] for name, row in rows.items()} == {
        "MSTR": [0.15, 0, 0.15, 0],
        "DBM1": [0.3, 0.5, 0.8, 62.5],
        "IRLM": [0.2, None, None, None],
        "DDF": [3, 4.5, 7.5, 60],
    }
    assert all(row["cp_ms_per_commit_printed"] == approx(row["cp_ms_per_commit"]) for row in rows.values())
    assert {name: row["null_reason"] for name, row in rows.items() if row["null_reason"]} == {
        "IRLM": "time on zIIPs not printed"
    }
    expect(rows["DDF"], engines=approx(0.153), tcb_s=1.836, preemptable_srb_s=53.244, nonpreemptable_srb_s=0)
    row = one_row(page, "SELECT * FROM db2_log_activity")
    expect(row, reads_output_buffer=90, reads_active=24, reads_archive=6, archive_read_pct=approx(5))
    expect(row, ci_per_write=approx(1.5), write_requests_per_s=approx(40.8), records_per_commit=20)
    expect(row, write_requests_per_commit=2, waits_for_buffer=4, buffer_page_ins=0, log_mb_per_s=0.12)
    # 85 DBATs created and 9,095 reused: 9095/9180 = 99.07%.
    row = one_row(page, "SELECT * FROM db2_ddf_activity")
    expect(row, queued_max_active=36, rejected_max_connected=0, closed_max_wait=None, dbats_current=44.25)
    expect(row, dbats_highest=200, pooled_highest=57, inactive_connections_highest=88, connections_highest=261)
    expect(row, queue_s=0.031, queue_highest_s=0.412, dbat_reuse_pct=approx(99.0741, abs=5e-5))
    row = one_row(page, "SELECT * FROM db2_edm_pool")
    assert (row["statement_pool_used_pct"], row["statement_pool_full"], row["statements_cached"]) == (40, 2, 2825)
    assert (row["dbd_hit_pct"], row["package_table_hit_pct"]) == (100, approx(95))
    # No plan was loaded: no share of 0 requests.
    assert (row["cursor_table_requests"], row["cursor_table_hit_pct"]) == (0, None)
    row = one_row(page, "SELECT * FROM db2_statement_cache")
    expect(row, prepares_full=1836, prepares_short=34884, short_of_catalog=1836, short_prepare_pct=approx(95))
    expect(row, full_prepares_per_commit=approx(0.1), prepares_per_commit=approx(2))
    expect(row, local_hit_pct=approx(row["local_hit_printed_pct"], abs=5e-3), cache_hit_printed_pct=90)
    # LC06: 12.24 per second in 900 s are 11,016, 0.6 per commit. LC14 is printed as N/A, LC13 as 0.
    rows = {row["latch_class"]: row for row in page.rows("SELECT * FROM db2_latch")}
    assert len(rows) == 17
    assert (rows["LC06"]["suspensions"], rows["LC06"]["suspensions_per_commit"]) == approx((11016, 0.6))
    assert (rows["LC14"]["suspensions_per_s"], rows["LC14"]["suspensions"]) == (None, None)
    assert (rows["LC13"]["suspensions_per_s"], rows["LC13"]["suspensions_per_commit"]) == (0, 0)


def test_remote_locations_and_times_without_commits_off_the_page():
    """The page has times and no HIGHLIGHTS: the time is there, the time per commit is not."""
    lake = yield sample_rows("statistics_blocks_without_quantity", "db2_statistics_counter")
    row = one_row(lake, "SELECT * FROM db2_remote_location")
    expect(row, remote_location="::FFFF:10.2.41.7", product="JCC04310", location_number=1, connections_received=6)
    expect(row, bytes_sent=19556, bytes_received=4700, commits_received=None, bytes_sent_per_commit=None)
    rows = {row["address_space"]: row for row in lake.rows("SELECT * FROM db2_address_space_cpu")}
    expect(rows["DDF"], cpu_s=approx(65.866996), null_reason="commits not printed", cpu_ms_per_commit=None)
    expect(rows["DDF"], cp_ms_per_commit_printed=None)
    expect(rows["MSTR"], cp_ms_per_commit_printed=approx(4.162))


# As published: 0 + 24 + 263 = 287 commits, 265 threads created, 1 rollback.
SERVICES: dict[str, float | None] = {"CREATE THREAD": 265.0, "ROLLBACK": 1.0, "COMMIT PHASE 1": 0.0}
SERVICES |= {"COMMIT PHASE 2": 0.0, "READ ONLY COMMIT": 24.0, "SYNCHS(SINGLE PHASE)": 263.0, "Q'D CREATE THREAD": 0.0}
SERVICES |= {"SYSTEM EVENT CHKPT": 0.0}
# As published: the time of DDF on general processors in 33 commits.
DDF: Row = {"tcb_time_s": 0.005795, "preemptable_srb_time_s": 1.122965, "nonpreemptable_srb_time_s": 0.007127}
DDF |= {"cp_cpu_time_s": 1.135886, "preemptable_iip_srb_time_s": 0.0, "total_commits": 33.0}


def services(of: Mapping[str, float | None], **values: object) -> list[Row]:
    return counter_rows(of, "SUBSYSTEM SERVICES", object=None, **values)


def times(label: str, **values: object) -> list[Row]:
    return counter_rows({label: None}, "CPU TIMES", object=None, **values)


QUEUED: dict[str, float | None] = {"DBAT QUEUED-MAXIMUM ACTIVE": 7.0, "CONV.DEALLOC-MAX.CONNECTED": 2.0}
OLD = counters(
    counter_rows(QUEUED, "GLOBAL DDF ACTIVITY", object=None),
    times("DATABASE SERV. ADDR. SPACE", cp_cpu_time_s=0.631679),
)
SHARE: dict[str, float | None] = {"READS SATISFIED-OUTPUT BUFF": None, "READS SATISFIED-OUTP.BUF(%)": 75.0}
SHARE |= {"LOG WRITE I/O REQ (LOG1&2)": 0.0, "LOG CI WRITTEN (LOG1&2)": 0.0}
LARGE = {"cp_cpu_time_s": 55.08, "total_commits": 18_400.0}
THREADS = "FROM db2_thread_activity"
SPACES = "FROM db2_address_space_cpu"


test_counters = examples(
    ("published commits", counters(services(SERVICES)), f"commits, threads_queued, checkpoints, threads_created_per_commit, rollback_pct {THREADS}",
     [(287, 0, 0, approx(0.92, abs=0.005), approx(100 / 288))]),
    # Commits of which a part is unknown are those of the highlights.
    *((f"without {lost}", counters(services(SERVICES | {lost: None}, total_commits=290.0)), f"commits, commits_source {THREADS}", [(290,
     "highlights")])
      for lost in ("COMMIT PHASE 2", "READ ONLY COMMIT", "SYNCHS(SINGLE PHASE)")),
    ("highlights that disagree", counters(services({"CREATE THREAD": 5.0}, total_commits=290.0), services({"SIGNON": 5.0}, total_commits=291.0)),
     f"commits, commits_source, is_conflicting {THREADS}", [(None, None, True)]),
    # Of 1.135886 s 1.122965 are of distributed threads.
    *((f"time with {change}", counters(times("DDF ADDRESS SPACE", **DDF | change), times("TOTAL", **DDF | change)),
       f"address_space, own_cpu_s, cp_ms_per_commit, cpu_ms_per_commit, null_reason {SPACES}",
       [("DDF", None if "tcb_time_s" in change else approx(0.012922), cp_ms and approx(cp_ms, abs=5e-4), cpu_ms and approx(cpu_ms, abs=5e-4),
        reason)])
      for change, cp_ms, cpu_ms, reason in (
          # Without its own column the time is that of the three kinds of work.
          ({}, 34.421, 34.421, None), ({"cp_cpu_time_s": None}, 34.4208, 34.4208, None),
          ({"cp_cpu_time_s": None, "tcb_time_s": None}, None, None, "time on general processors not printed"),
          ({"preemptable_iip_srb_time_s": None}, 34.421, None, "time on zIIPs not printed"), ({"total_commits": None}, None, None,
           "commits not printed"),
          ({"total_commits": 0.0}, None, None, "no commits"), ({"cp_cpu_time_s": 0.0}, 0, 0, None))),
    # A printed time per commit that is another is told. 1.135886 s in 33 commits are 0.034421 s, cut or rounded. Commits of HIGHLIGHTS in
    # thousands may be 50 more or less: 18.4K.
    *((f"printed {printed} with {change}", counters(times("DDF ADDRESS SPACE", **DDF | change, per_commit=printed)),
       f"caution, cp_ms_per_commit_printed {SPACES}",
       [(computed and f"printed per commit: {printed:.6f} s; the time by the commits: {computed} s", printed and approx(1000 * printed))])
      for printed, change, computed in (
          (0.034421, {}, None), (0.034420, {}, None), (0.034425, {}, "0.034421"), (0.0, {}, "0.034421"), (0.003, LARGE, None),
          (0.0031, LARGE, "0.002993"), (0.034425, {"total_commits": None}, None), (None, {}, None))),
    ("printed twice", counters(
        times("IRLM", **DDF), times("IRLM", **DDF, source_id="s2"), times("DDF ADDRESS SPACE", **DDF),
        times("DDF ADDRESS SPACE", **DDF | {"tcb_time_s": 9.0}, source_id="s2")),
         f"address_space, is_conflicting, len(refs) {SPACES} ORDER BY address_space",
     [("DDF", True, 2), ("IRLM", False, 2)]),
    # DB2PM V5 prints the queued DBATs under another label; V4 and V5 name DBM1 in short.
    ("queued DBATs of older releases", OLD, "queued_max_active, rejected_max_connected, dbat_reuse_pct FROM db2_ddf_activity", [(7, 2, None)]),
    ("DBM1 of older releases", OLD, f"address_space, cp_s {SPACES}", [("DBM1", 0.631679)]),
    # A share of log reads is no number of them. No request was written: there is no mean size of one.
    ("log", counters(counter_rows(SHARE, "LOG ACTIVITY", object=None)),
     "reads_output_buffer, archive_read_pct, write_requests, ci_per_write FROM db2_log_activity", [(None, None, 0, None)]),
)  # fmt: skip


# --- Threads of CICS, and pools ---------------------------------------------------------------------------------------


def entries(*of: Row) -> Rows:
    """REDP-5208: 4,256,254 calls, 456,419 single-phase commits, 44 threads made and 456,425 times one used again."""
    row: Row = {"applid": "CICS2A20", "collection": "interval", "collected_at": START, "interval_s": 300.0}
    row |= {"is_total": False, "db2entry": "TRADENT", "calls": 4256254, "commits": 0, "aborts": 0}
    row |= {"single_phase": 456419, "thread_creates": 44, "thread_reuses": 456425, "thread_waits_or_overflows": 0}
    return {"cics_db2entry_request": [row | place() | other for other in of]}


KINDS = [{"collection": kind, "line": n} for n, kind in enumerate(("requested", "summary", "requested_reset"), 20)]
NO_THREAD = {"db2entry": "A", "thread_creates": 0, "thread_reuses": 0, "single_phase": 0}
REUSE = "FROM db2entry_thread_reuse"


test_thread_reuse = examples(
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


test_pools = examples(
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


# --- Db2's locks ------------------------------------------------------------------------------------------------------


# As published: 3236 + 334 + 863 suspends of 2,334,358 requests; the page prints 0.19 and 0.04.
PUBLISHED = {
    "GLOBAL CONTENTION RATE (%)": 0.19,
    "FALSE CONTENTION RATE (%)": 0.04,
    "LOCK REQUESTS (P-LOCKS)": 107400.0,
    "SYNCH.XES - LOCK REQUESTS": 1478800.0,
    "SYNCH.XES - CHANGE REQUESTS": 45450.0,
    "SYNCH.XES - UNLOCK REQUESTS": 810000.0,
    "BACKGROUND.XES -CHILD LOCKS": 0.0,
    "ASYNCH.XES -CONVERTED LOCKS": 108.0,
    "SUSPENDS - IRLM GLOBAL CONT": 3236.0,
    "SUSPENDS - XES GLOBAL CONT.": 334.0,
    "SUSPENDS - FALSE CONT. MBR": 863.0,
    "SUSPENDS - FALSE CONT. LPAR": None,
}


def locks(counters: Mapping[str, float | None], block: str = "DATA SHARING LOCKING") -> Rows:
    return {"db2_statistics_counter": counter_rows(counters, block=block, object=None)}


LOCKING = "FROM data_sharing_locking"
DRAINS = {"DRAIN REQUESTS": 20.0, "DRAIN REQUESTS FAILED": 2.0, "CLAIM REQUESTS": 9000.0, "CLAIM REQUESTS FAILED": 3.0}
LABELS = {
    "REJECTED - XES": "locks_rejected_xes", "NO DELAY LOCK REQ REJECTS": "locks_rejected_no_delay",
    "INCOMPATIBLE RETAINED LOCK": "incompatible_retained_locks", "INCOMPAT RETAINED LOCK": "incompatible_retained_locks",
    "P-LCK/NFY EX.ENGINE UNAVAIL": "plock_notify_engines_unavailable", "PSET/PART P-LCK NEGOTIATION": "plock_negotiations_page_set",
    "PAGE P-LOCK NEGOTIATION": "plock_negotiations_page", "OTHER P-LOCK NEGOTIATION": "plock_negotiations_other",
}  # fmt: skip
REJECTED = [*dict.fromkeys(LABELS.values())]


test_locks = examples(
    ("published page", locks(PUBLISHED),
     "suspends_total, xes_requests, global_contention_pct, false_contention_pct, global_contention_printed_pct, plock_lock_requests, len(refs)"
     f" {LOCKING}", [(4433, 2334358, approx(0.1899, abs=5e-5), approx(0.03697, abs=5e-6), 0.19, 107400, 12)]),
    *((f"without {missing}", locks({k: v for k, v in PUBLISHED.items() if k != missing}), f"global_contention_pct {LOCKING}", [(None,)])
      for missing in ("SYNCH.XES - CHANGE REQUESTS", "SUSPENDS - XES GLOBAL CONT.")),
    # False contention of the system where the member has none.
    ("of the system", locks(PUBLISHED | {"SUSPENDS - FALSE CONT. MBR": None, "SUSPENDS - FALSE CONT. LPAR": 900.0}), f"suspends_false {LOCKING}",
     [(900,)]),
    ("no request", locks(dict.fromkeys(PUBLISHED, 0.0)), f"global_contention_pct, false_contention_pct {LOCKING}", [(None, None)]),
    *((label, locks(PUBLISHED | {label: 31897.0}), f"xes_requests, {', '.join(REJECTED)} {LOCKING}",
       [(2334358, *(31897 if name == column else None for name in REJECTED))]) for label, column in LABELS.items()),
    # What is printed as not known is not 0.
    *((f"unknown {label}", locks(PUBLISHED | {label: None}), f"{column} {LOCKING}", [(None,)]) for label, column in LABELS.items()),
    ("drains and claims", locks(DRAINS, "LOCKING ACTIVITY"),
     "drain_requests, drain_requests_failed, claim_requests, claim_requests_failed FROM locking",
     [(20, 2, 9000, 3)]),
)  # fmt: skip


def test_locks_off_the_sample_page():
    row = one_row((yield sample_rows("statistics_member_report", "db2_statistics_counter")), "SELECT * FROM locking")
    expect(row, suspensions_lock=411, suspensions_latch=1509, suspensions_other=187, timeouts=3, deadlocks=1)
    expect(row, lock_requests=664900, unlock_requests=118200, lock_requests_per_s=approx(738.57, abs=5e-3))
    expect(row, suspensions_per_lock_pct=approx(0.0618, abs=5e-5), query_requests=None)


# --- Locks and group buffer pools of a data sharing group per commit: members and their group, each once --------------


def test_members_and_their_group_off_the_page():
    """180,000 / 18,000 and 54,000 / 9,000 requests to XES; 8,280 + 18,000 + 7,200 + 2,700 and 3,060 + 5,400 + 1,800 + 900 accesses."""
    rows = (yield sample_rows("statistics_short_of_a_group", "db2_statistics_counter")).rows(
        "SELECT * FROM data_sharing_overhead ORDER BY is_total, member"
    )
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


# 200 requests of DB2A at L, 300 of DB2A and 400 of DB2B at M. A report of the group without a location is of neither.
L = _locks("DB2A", "member")
M = [_locks(name, "member", LOCKS | {"SYNCH.XES - LOCK REQUESTS": n}, location="M") for name, n in (("DB2A", 200.0), ("DB2B", 300.0))]  # fmt: skip
KNOWN = [("L", "DB2A", 1, 200), ("L", None, 1, 200), ("M", "DB2A", 2, 300), ("M", "DB2B", 2, 400), ("M", None, 2, 700)]
ASKED = "location, member, members, xes_requests FROM data_sharing_overhead ORDER BY location, is_total, member"


test_groups_and_members = examples(
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
