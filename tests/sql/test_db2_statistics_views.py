"""Views of the counters of Db2 statistics: what is worked by hand from a page, and what must stay NULL."""

from collections.abc import Mapping

import pytest
from db2_rows import counter_rows
from one_lake import Found, Rows, examples, shown
from views_lake import MemoryLake, Row, expect, lake_of, one_row, sample_rows

approx = pytest.approx


@pytest.fixture(scope="module")
def page() -> MemoryLake:
    """One interval of 900 s: 6,120 + 2,240 + 10,000 = 18,360 commits, which HIGHLIGHTS print as 18.4K."""
    return lake_of("statistics_subsystem_and_log", "db2_statistics_counter")


def test_commits_and_threads_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_thread_activity")
    expect(row, commits=18360, commits_source="subsystem_services", commits_highlights=18400, threads_created=412)
    expect(row, threads_queued=3, rollbacks=40, checkpoints=2, commits_per_s=approx(20.4))
    expect(row, signons_per_commit=approx(0.95), rollback_pct=approx(100 * 40 / 18400))
    assert (row["units_of_recovery_indoubt"], len(row["refs"])) == (0, 15)


def test_processor_time_of_the_address_spaces_off_the_page(page: MemoryLake):
    """DBM1: 5.508 s on general processors and 9.18 s on zIIPs in 18,360 commits are 0.3 and 0.5 ms; DDF 55.08 and 82.62 s 3 and 4.5 ms."""
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


def test_log_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_log_activity")
    expect(row, reads_output_buffer=90, reads_active=24, reads_archive=6, archive_read_pct=approx(5))
    expect(row, ci_per_write=approx(1.5), write_requests_per_s=approx(40.8), records_per_commit=20)
    expect(row, write_requests_per_commit=2, waits_for_buffer=4, buffer_page_ins=0, log_mb_per_s=0.12)


def test_distributed_work_off_the_page(page: MemoryLake):
    """85 DBATs created and 9,095 reused: 9095/9180 = 99.07%."""
    row = one_row(page, "SELECT * FROM db2_ddf_activity")
    expect(row, queued_max_active=36, rejected_max_connected=0, closed_max_wait=None, dbats_current=44.25)
    expect(row, dbats_highest=200, pooled_highest=57, inactive_connections_highest=88, connections_highest=261)
    expect(row, queue_s=0.031, queue_highest_s=0.412, dbat_reuse_pct=approx(99.0741, abs=5e-5))


def test_pools_and_statement_cache_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_edm_pool")
    assert (row["statement_pool_used_pct"], row["statement_pool_full"], row["statements_cached"]) == (40, 2, 2825)
    assert (row["dbd_hit_pct"], row["package_table_hit_pct"]) == (100, approx(95))
    # No plan was loaded: no share of 0 requests.
    assert (row["cursor_table_requests"], row["cursor_table_hit_pct"]) == (0, None)
    row = one_row(page, "SELECT * FROM db2_statement_cache")
    expect(row, prepares_full=1836, prepares_short=34884, short_of_catalog=1836, short_prepare_pct=approx(95))
    expect(row, full_prepares_per_commit=approx(0.1), prepares_per_commit=approx(2))
    expect(row, local_hit_pct=approx(row["local_hit_printed_pct"], abs=5e-3), cache_hit_printed_pct=90)


def test_latches_off_the_page(page: MemoryLake):
    """LC06: 12.24 per second in 900 s are 11,016, 0.6 per commit. LC14 is printed as N/A, LC13 as 0."""
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


def counters(*some: list[Row]) -> Rows:
    return {"db2_statistics_counter": [row for rows in some for row in rows]}


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


@examples(
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
def test_counters(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
