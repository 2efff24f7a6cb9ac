"""Views of the counters of Db2 statistics: what is worked by hand from a page, and what must stay NULL."""

from collections.abc import Mapping

import pytest
from db2_rows import counter_rows
from views_lake import MemoryLake, Row, expect, lake_of, one_row, sample_rows


@pytest.fixture(scope="module")
def page() -> MemoryLake:
    """One interval of 900 s: 6,120 + 2,240 + 10,000 = 18,360 commits, which HIGHLIGHTS print as 18.4K."""
    return lake_of("statistics_subsystem_and_log", "db2_statistics_counter")


def test_commits_and_threads_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_thread_activity")
    expect(row, commits=18360, commits_source="subsystem_services", commits_highlights=18400, threads_created=412)
    expect(row, threads_queued=3, rollbacks=40, checkpoints=2, commits_per_s=pytest.approx(20.4))
    expect(row, signons_per_commit=pytest.approx(0.95), rollback_pct=pytest.approx(100 * 40 / 18400))
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
    assert all(row["cp_ms_per_commit_printed"] == pytest.approx(row["cp_ms_per_commit"]) for row in rows.values())
    assert {name: row["null_reason"] for name, row in rows.items() if row["null_reason"]} == {
        "IRLM": "time on zIIPs not printed"
    }
    expect(rows["DDF"], engines=pytest.approx(0.153), tcb_s=1.836, preemptable_srb_s=53.244, nonpreemptable_srb_s=0)


def test_log_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_log_activity")
    expect(row, reads_output_buffer=90, reads_active=24, reads_archive=6, archive_read_pct=pytest.approx(5))
    expect(row, ci_per_write=pytest.approx(1.5), write_requests_per_s=pytest.approx(40.8), records_per_commit=20)
    expect(row, write_requests_per_commit=2, waits_for_buffer=4, buffer_page_ins=0, log_mb_per_s=0.12)


def test_distributed_work_off_the_page(page: MemoryLake):
    """85 DBATs created and 9,095 reused: 9095/9180 = 99.07%."""
    row = one_row(page, "SELECT * FROM db2_ddf_activity")
    expect(row, queued_max_active=36, rejected_max_connected=0, closed_max_wait=None, dbats_current=44.25)
    expect(row, dbats_highest=200, pooled_highest=57, inactive_connections_highest=88, connections_highest=261)
    expect(row, queue_s=0.031, queue_highest_s=0.412, dbat_reuse_pct=pytest.approx(99.0741, abs=5e-5))


def test_pools_and_statement_cache_off_the_page(page: MemoryLake):
    row = one_row(page, "SELECT * FROM db2_edm_pool")
    assert (row["statement_pool_used_pct"], row["statement_pool_full"], row["statements_cached"]) == (40, 2, 2825)
    assert (row["dbd_hit_pct"], row["package_table_hit_pct"]) == (100, pytest.approx(95))
    # No plan was loaded: no share of 0 requests.
    assert (row["cursor_table_requests"], row["cursor_table_hit_pct"]) == (0, None)
    row = one_row(page, "SELECT * FROM db2_statement_cache")
    expect(row, prepares_full=1836, prepares_short=34884, short_of_catalog=1836, short_prepare_pct=pytest.approx(95))
    expect(row, full_prepares_per_commit=pytest.approx(0.1), prepares_per_commit=pytest.approx(2))
    expect(row, local_hit_pct=pytest.approx(row["local_hit_printed_pct"], abs=5e-3), cache_hit_printed_pct=90)


def test_latches_off_the_page(page: MemoryLake):
    """LC06: 12.24 per second in 900 s are 11,016, 0.6 per commit. LC14 is printed as N/A, LC13 as 0."""
    rows = {row["latch_class"]: row for row in page.rows("SELECT * FROM db2_latch")}
    assert len(rows) == 17
    assert (rows["LC06"]["suspensions"], rows["LC06"]["suspensions_per_commit"]) == pytest.approx((11016, 0.6))
    assert (rows["LC14"]["suspensions_per_s"], rows["LC14"]["suspensions"]) == (None, None)
    assert (rows["LC13"]["suspensions_per_s"], rows["LC13"]["suspensions_per_commit"]) == (0, 0)


def test_remote_locations_off_the_page():
    row = one_row(
        (yield sample_rows("statistics_blocks_without_quantity", "db2_statistics_counter")),
        "SELECT * FROM db2_remote_location",
    )
    expect(row, remote_location="::FFFF:10.2.41.7", product="JCC04310", location_number=1, connections_received=6)
    expect(row, bytes_sent=19556, bytes_received=4700, commits_received=None, bytes_sent_per_commit=None)


def test_no_commits_are_printed_beside_the_times():
    """The page has times and no HIGHLIGHTS: the time is there, the time per commit is not."""
    lake = yield sample_rows("statistics_blocks_without_quantity", "db2_statistics_counter")
    rows = {row["address_space"]: row for row in lake.rows("SELECT * FROM db2_address_space_cpu")}
    expect(rows["DDF"], cpu_s=pytest.approx(65.866996), null_reason="commits not printed", cpu_ms_per_commit=None)
    assert (rows["MSTR"]["cp_ms_per_commit_printed"], rows["DDF"]["cp_ms_per_commit_printed"]) == (
        pytest.approx(4.162),
        None,
    )


# As published: 0 + 24 + 263 = 287 commits, 265 threads created, 1 rollback.
SERVICES: dict[str, float | None] = {"CREATE THREAD": 265.0, "ROLLBACK": 1.0, "COMMIT PHASE 1": 0.0}
SERVICES |= {"COMMIT PHASE 2": 0.0, "READ ONLY COMMIT": 24.0, "SYNCHS(SINGLE PHASE)": 263.0, "Q'D CREATE THREAD": 0.0}
SERVICES |= {"SYSTEM EVENT CHKPT": 0.0}


def _services(counters: Mapping[str, float | None], **values: object) -> list[Row]:
    return counter_rows(counters, "SUBSYSTEM SERVICES", object=None, **values)


def test_commits_of_the_published_block():
    row = one_row((yield {"db2_statistics_counter": _services(SERVICES)}), "SELECT * FROM db2_thread_activity")
    expect(row, commits=287, threads_queued=0, checkpoints=0, threads_created_per_commit=pytest.approx(0.92, abs=0.005))
    expect(row, rollback_pct=pytest.approx(100 / 288))


@pytest.mark.parametrize("lost", ["COMMIT PHASE 2", "READ ONLY COMMIT", "SYNCHS(SINGLE PHASE)"])
def test_commits_of_which_a_part_is_unknown_are_those_of_the_highlights(lost: str):
    lake = yield {"db2_statistics_counter": _services(SERVICES | {lost: None}, total_commits=290.0)}
    row = one_row(lake, "SELECT commits, commits_source FROM db2_thread_activity")
    assert row == {"commits": 290, "commits_source": "highlights"}


def test_highlights_that_disagree_are_no_number_of_commits():
    rows = _services({"CREATE THREAD": 5.0}, total_commits=290.0) + _services({"SIGNON": 5.0}, total_commits=291.0)
    row = one_row((yield {"db2_statistics_counter": rows}), "SELECT * FROM db2_thread_activity")
    assert (row["commits"], row["commits_source"], row["is_conflicting"]) == (None, None, True)


# As published: the time of DDF on general processors in 33 commits.
DDF = {"tcb_time_s": 0.005795, "preemptable_srb_time_s": 1.122965, "nonpreemptable_srb_time_s": 0.007127}


def _times(label: str, **values: object) -> list[Row]:
    return counter_rows({label: None}, "CPU TIMES", object=None, **values)


@pytest.mark.parametrize(
    ("change", "cp_ms", "cpu_ms", "reason"),
    [
        ({}, 34.421, 34.421, None),
        # Without its own column the time is that of the three kinds of work.
        ({"cp_cpu_time_s": None}, 34.4208, 34.4208, None),
        ({"cp_cpu_time_s": None, "tcb_time_s": None}, None, None, "time on general processors not printed"),
        ({"preemptable_iip_srb_time_s": None}, 34.421, None, "time on zIIPs not printed"),
        ({"total_commits": None}, None, None, "commits not printed"),
        ({"total_commits": 0.0}, None, None, "no commits"),
        ({"cp_cpu_time_s": 0.0}, 0, 0, None),
    ],
)
def test_time_per_commit_of_the_published_block(
    change: Row, cp_ms: float | None, cpu_ms: float | None, reason: str | None
):
    given = DDF | {"cp_cpu_time_s": 1.135886, "preemptable_iip_srb_time_s": 0.0, "total_commits": 33.0} | change
    rows = _times("DDF ADDRESS SPACE", **given) + _times("TOTAL", **given)
    row = one_row((yield {"db2_statistics_counter": rows}), "SELECT * FROM db2_address_space_cpu")
    expect(row, address_space="DDF", cp_ms_per_commit=cp_ms and pytest.approx(cp_ms, abs=5e-4))
    # Of 1.135886 s 1.122965 are of distributed threads.
    expect(row, own_cpu_s=None if given["tcb_time_s"] is None else pytest.approx(0.012922))
    expect(row, cpu_ms_per_commit=cpu_ms and pytest.approx(cpu_ms, abs=5e-4), null_reason=reason)


@pytest.mark.parametrize(
    ("change", "caution"),
    [
        # 1.135886 s in 33 commits are 0.034421 s, cut or rounded.
        ({"per_commit": 0.034421}, None),
        ({"per_commit": 0.034420}, None),
        ({"per_commit": 0.034425}, "printed per commit: 0.034425 s; the time by the commits: 0.034421 s"),
        ({"per_commit": 0.0}, "printed per commit: 0.000000 s; the time by the commits: 0.034421 s"),
        # Commits of HIGHLIGHTS in thousands may be 50 more or less: 18.4K.
        ({"per_commit": 0.003, "cp_cpu_time_s": 55.08, "total_commits": 18_400.0}, None),
        (
            {"per_commit": 0.0031, "cp_cpu_time_s": 55.08, "total_commits": 18_400.0},
            "printed per commit: 0.003100 s; the time by the commits: 0.002993 s",
        ),
        ({"per_commit": 0.034425, "total_commits": None}, None),
        ({"per_commit": None}, None),
    ],
)
def test_a_printed_time_per_commit_that_is_another_is_told(change: Row, caution: str | None):
    given = DDF | {"cp_cpu_time_s": 1.135886, "preemptable_iip_srb_time_s": 0.0, "total_commits": 33.0} | change
    lake = yield {"db2_statistics_counter": _times("DDF ADDRESS SPACE", **given)}
    row = one_row(lake, "SELECT caution, cp_ms_per_commit_printed AS ms FROM db2_address_space_cpu")
    printed = change["per_commit"]
    assert (row["caution"], row["ms"]) == (caution, printed if printed is None else pytest.approx(1000 * printed))


def test_times_printed_twice_count_once_and_other_values_are_told():
    same = DDF | {"cp_cpu_time_s": 1.135886, "preemptable_iip_srb_time_s": 0.0, "total_commits": 33.0}
    rows = _times("IRLM", **same) + _times("IRLM", **same, source_id="s2")
    rows += _times("DDF ADDRESS SPACE", **same) + _times(
        "DDF ADDRESS SPACE", **same | {"tcb_time_s": 9.0}, source_id="s2"
    )
    asked = "SELECT address_space, is_conflicting, len(refs) AS refs FROM db2_address_space_cpu ORDER BY address_space"
    assert (yield {"db2_statistics_counter": rows}).rows(asked) == [
        {"address_space": "DDF", "is_conflicting": True, "refs": 2},
        {"address_space": "IRLM", "is_conflicting": False, "refs": 2},
    ]


def test_labels_of_older_releases():
    """DB2PM V5 prints the queued DBATs under another label; V4 and V5 name DBM1 in short."""
    rows = counter_rows(
        {"DBAT QUEUED-MAXIMUM ACTIVE": 7.0, "CONV.DEALLOC-MAX.CONNECTED": 2.0}, "GLOBAL DDF ACTIVITY", object=None
    )
    rows += _times("DATABASE SERV. ADDR. SPACE", cp_cpu_time_s=0.631679)
    lake = yield {"db2_statistics_counter": rows}
    row = one_row(lake, "SELECT * FROM db2_ddf_activity")
    assert (row["queued_max_active"], row["rejected_max_connected"], row["dbat_reuse_pct"]) == (7, 2, None)
    assert one_row(lake, "SELECT address_space, cp_s FROM db2_address_space_cpu") == {
        "address_space": "DBM1",
        "cp_s": 0.631679,
    }


def test_a_share_of_log_reads_is_no_number_of_them():
    counters: dict[str, float | None] = {"READS SATISFIED-OUTPUT BUFF": None, "READS SATISFIED-OUTP.BUF(%)": 75.0}
    rows = counter_rows(
        counters | {"LOG WRITE I/O REQ (LOG1&2)": 0.0, "LOG CI WRITTEN (LOG1&2)": 0.0}, "LOG ACTIVITY", object=None
    )
    row = one_row((yield {"db2_statistics_counter": rows}), "SELECT * FROM db2_log_activity")
    assert (row["reads_output_buffer"], row["archive_read_pct"]) == (None, None)
    # No request was written: there is no mean size of one.
    assert (row["write_requests"], row["ci_per_write"]) == (0, None)
