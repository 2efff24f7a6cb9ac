"""RMF Coupling Facility Activity: published pages as printed, read from beside the project where they are there, the
numbers of a published study, and what the samples are there to show.

Every value below was read off its page by eye.
"""

from __future__ import annotations

import datetime as dt
from functools import cache

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, Tables, one, sample, sample_tables

REPORT = "rmf_coupling_facility_activity"
SUMMARY, ACTIVITY, REJECT = "rmf_cf_structure_summary", "rmf_cf_structure_activity", "parse_reject"
FOLDER = SHARED / "real_reports"
LOCK, LINKS, USAGE = "lock_structure_excerpt", "zos_v2r2_cf_to_cf", "zos_v2r2_usage_summary_async_duplexing"
HEAD, LIST = "zos_v2r4_usage_summary_head", "zos_v2r5_list_structure_asa"
published = pytest.mark.skipif(
    not (FOLDER / f"{REPORT}__{LOCK}.txt").exists(),
    reason=f"the published pages {REPORT}__* are not in ../{FOLDER.parent.name}/{FOLDER.name} beside the project",
)


@cache
def published_page(name: str) -> Tables:
    return read_text((FOLDER / f"{REPORT}__{name}.txt").read_bytes(), name=name)


def values(row: dict, *columns: str) -> tuple:
    return tuple(row[c] for c in columns)


@published
@pytest.mark.parametrize("name", [LOCK, LINKS, USAGE, HEAD, LIST])
def test_published_page_gives_no_reject(name: str) -> None:
    tables = published_page(name)
    assert tables[REJECT].height == 0
    assert tables["unknown_report"].height == 0


@published
def test_retyped_lock_page_of_a_manual_is_read() -> None:
    """Percent signs, NO SCH a line lower and moved, a label that touches its number."""
    row = one(published_page(LOCK), ACTIVITY, system="STLABC2")
    assert values(row, "structure_name", "structure_type", "requests", "requests_per_s", "requests_resolution") == (
        *("DSNDB0A_LOCK1", "LOCK", 126000, 701.7, 1000.0),
    )
    assert values(row, "sync_requests", "sync_pct", "sync_service_us", "sync_service_stddev_us") == (
        *(126000, 51.0, 61.0, 22.5),
    )
    assert values(row, "async_requests", "changed_requests", "suppressed_requests") == (0, 0, None)
    delayed = ("requests", "pct", "time_us", "stddev_us", "all_us")
    assert values(row, *(f"delayed_no_sch_{d}" for d in delayed)) == (0, 0.0, 0.0, 0.0, 0.0)
    contention = ("requests", "deferred", "total", "false")
    assert values(row, *(f"contention_{c}" for c in contention)) == (162000, 612, 621, 212)


@published
def test_published_list_structure() -> None:
    rows = published_page(LIST)[ACTIVITY]
    assert rows.select("system", "is_total", "line").rows() == [
        *(("SYS1", False, 17), ("SYS2", False, 23), ("SYS3", False, 29), (None, True, 36))
    ]
    row = rows.row(3, named=True)
    assert values(row, "cf_name", "structure_name", "encrypted", "scope") == (
        "CF01",
        "STRUCT01",
        "NO",
        "SYS1,SYS2,SYS3",
    )
    assert row["interval_start"] == dt.datetime(2021, 3, 1, 19, 44, 34)
    assert row["interval_s"] == 900.0
    zero = [c for c in rows.columns if c.startswith(("sync_", "async_", "changed_", "suppressed_", "delayed_"))]
    printed = [c for c in zero if not c.endswith("_resolution")]
    assert len(printed) == 12 + 25
    assert rows.select(printed).unique().row(0) == (0,) * len(printed)


@published
def test_published_structure_summary() -> None:
    rows = published_page(USAGE)[SUMMARY]
    columns = ("structure_name", "duplex_role", "duplex_asynchronous", "requests", "list_directory_entries_total")
    columns += ("list_directory_entries_current", "lock_entries_total", "lock_entries_current", "requests_per_s")
    assert rows.select(columns).rows() == [
        ("ISGLOCK", None, None, 10380000, 0, 0, 4194000, 2048, 5766.7),
        ("THRLCKDB2_ASYNC", "SEC", True, 0, 715000, 835, 2097000, 9088, 0.0),
        ("THRLCKHT_ASYNC", "SEC", True, 0, 803000, 0, 512, 0, 0.0),
        ("THRLCKIMS_ASYNC", "PRIM", True, 0, 588000, 2, 4194000, 0, 0.0),
    ]
    assert set(rows["structure_type"]) == {"LOCK"}
    assert rows["allocated_bytes"].to_list() == [47 << 20, 220 << 20, 220 << 20, 220 << 20]
    duplexing = published_page(USAGE)["rmf_cf_async_duplexing"]
    columns = ("structure_name", "operations", "transmit_us", "transmit_stddev_us", "service_us", "service_stddev_us")
    assert duplexing.select(columns).rows() == [
        ("THRLCKDB2_ASYNC", 1917000, 226.6, 640.0, 278.4, 1154.7),
        ("THRLCKHT_ASYNC", 1132000, 210.4, 539.8, 217.9, 612.5),
    ]


@published
def test_published_links() -> None:
    tables = published_page(LINKS)
    row = one(tables, "rmf_cf_to_cf", peer_cf="CF01")
    assert values(row, "sync_requests", "sync_requests_per_s", "sync_service_us", "sync_service_stddev_us") == (
        *(32997000, 18332.0, 127.7, 346.9),
    )
    delayed = ("delayed_requests", "delayed_pct", "delayed_time_us", "delayed_stddev_us", "delayed_all_us")
    assert values(row, *delayed) == (40000, 0.1, 1657.0, 2513.0, 2.0)
    links = tables["rmf_cf_to_cf_link"].select("peer_cf", "receiver_type", "receiver_used", "sender_type").rows()
    assert links == [("CF01", "CIB", 2, "CIB"), ("CF01", "CS5", 2, "CS5")]
    paths = tables["rmf_cf_channel_path"]
    assert paths.height == 8
    assert set(paths["peer_cf"]) == {"CF01"}
    assert paths["channel_path_id"].to_list() == ["2C", "2C", "2D", "2D", "2E", "2E", "2F", "2F"]


# --- The study ----------------------------------------------------------------------------------------------------------


def test_lock_structure_of_the_study() -> None:
    row = one(sample_tables(sample("cf_structures_mvs_1996")), ACTIVITY, structure_type="LOCK")
    assert values(row, "requests", "requests_per_s", "sync_requests", "sync_requests_resolution") == (
        *(30179, 251.5, 30000, 1000.0),
    )
    assert values(row, "sync_pct", "sync_service_us", "sync_service_stddev_us") == (50.2, 150.4, 29.1)
    contention = ("requests", "deferred", "total", "false")
    assert values(row, *(f"contention_{c}" for c in contention)) == (29000, 517, 515, 199)


def test_group_buffer_pool_of_the_study() -> None:
    tables = sample_tables(sample("cf_structures_mvs_1996"))
    pool = tables[ACTIVITY].filter(structure_name="DSNDB2I1_GBP6")
    assert pool.select("system", "requests", "requests_per_s", "sync_pct").rows() == [
        *(("SYS1", 316, 2.63, 56.4), ("SYS2", 244, 2.03, 43.6), (None, 560, 4.67, 100.0))
    ]


def test_usage_of_the_study() -> None:
    tables = sample_tables(sample("cf_usage_mvs_1996"))
    rows = tables[SUMMARY]
    assert rows.filter(cf_name="T1CF1LP").height == 10
    total = one(tables, SUMMARY, is_total=True)
    assert values(total, "cf_name", "allocated_bytes", "requests", "all_requests_pct", "requests_per_s") == (
        *("T1CF2LP", 24 << 20, 29702, 100.0, 247.52),
    )
    lock = one(tables, SUMMARY, structure_name="DSNDB2U1_LOCK1")
    assert values(lock, "structure_type", "cf_storage_pct", "requests", "all_requests_pct") == (
        "LOCK",
        0.9,
        18514,
        62.3,
    )
    assert lock["interval_start"] == dt.datetime(1996, 5, 29, 14, 4)
    assert lock["interval_s"] == 120.0


# --- The samples --------------------------------------------------------------------------------------------------------


def test_names_carry_over_a_page_break() -> None:
    rows = sample_tables(sample("cf_structure_continued_page_and_links"))[ACTIVITY]
    assert rows.select("cf_name", "structure_name", "system", "page").rows() == [
        *(("CFB2", "IXCPATH3", "SYSC", 1), ("CFB2", "IXCPATH3", "SYSD", 2), ("CFB2", "IXCPATH3", None, 2))
    ]


@pytest.mark.parametrize("line", ["STRUCTURE NAME = DSNQ1_GBP32K", "COUPLING FACILITY NAME"])
def test_a_lost_name_is_not_replaced_by_a_neighbours(line: str) -> None:
    text = sample("cf_structures_asa_carriage_control").read_text()
    text = "".join(x for x in text.splitlines(keepends=True) if line not in x)
    rows = read_text(text, name="page")[ACTIVITY]
    assert set(rows["structure_name"]) <= {"DSNQ1_LOCK1", "DSNQ1_GBP32K"}
    assert rows.filter(structure_name="DSNQ1_LOCK1").height == 3
    if "FACILITY" in line:
        assert rows["cf_name"].null_count() == rows.height


def test_a_structure_that_has_its_total_does_not_go_on() -> None:
    """A page whose STRUCTURE NAME is lost must not be taken for more of the structure before."""
    first = sample("cf_shifted_columns").read_text()
    second = "".join(x for x in first.splitlines(keepends=True) if "STRUCTURE NAME" not in x)
    rows = read_text(first + second, name="page")
    assert rows[ACTIVITY].height == 3
    assert rows[REJECT].height == 1


def test_data_access_of_a_cache_stands_on_its_total() -> None:
    tables = sample_tables(sample("cf_structures_asa_carriage_control"))
    total = one(tables, ACTIVITY, structure_type="CACHE", is_total=True)
    access = ("reads", "writes", "castouts", "cross_invalidations")
    assert values(total, *access) == (1104000, 87655, 61203, 4417)
    assert values(total, "reads_resolution", "writes_resolution") == (1000.0, 1.0)
    assert values(one(tables, ACTIVITY, structure_type="CACHE", is_total=False), *access) == (None,) * 4


def test_a_look_alike_is_named_and_not_read() -> None:
    lines = sample("cf_usage_summary").read_text().splitlines(keepends=True)
    tables = read_text("".join([*lines[:2], "  PRODUCED BY CMF ANALYZER\n", *lines[2:]]), name="page")
    assert SUMMARY not in tables or tables[SUMMARY].height == 0
    row = one(tables, "unknown_report")
    assert row["banner"] == "COUPLING FACILITY ACTIVITY (PRODUCED BY CMF ANALYZER, not RMF)"


def test_structures_below_a_spoilt_row_do_not_take_the_type_above_it() -> None:
    text = sample("cf_usage_summary").read_text().replace(" LOCK   DSNQ1_LOCK1 ", " LO?K   DSNQ1-LOCK1 ")
    tables = read_text(text)
    types = tables["rmf_cf_structure_summary"].filter(is_total=False).select("structure_name", "structure_type").rows()
    assert types == [
        ("IXCPATH1", "LIST"),
        ("MQQLIST7", "LIST"),
        ("IRLMQ_LOCK2", None),
        ("DSNQ1_GBP0", "CACHE"),
        ("DSNQ1_GBP32K", "CACHE"),
    ]
    assert tables["parse_reject"].height >= 1


PATHS = "rmf_cf_channel_path"
PROCESSORS = "cf_processors_and_subchannels"


def test_channel_paths_of_systems() -> None:
    """Below subchannel activity: the system is printed once, what a path does not have is blank."""
    rows = sample_tables(sample(PROCESSORS))[PATHS]
    printed = ["system", "channel_path_id", "channel_path_type", "degraded", "distance", "physical_channel_id"]
    printed += ["adapter_id", "adapter_port", "io_processor_ids"]
    assert rows.select(printed).rows() == [
        ("SYSA", "2C", "CS5", False, "<1", "0141", None, None, "02 05"),
        ("SYSA", "F0", "CIB", True, "4.5", "0702", "000C", "01", "00 01 03"),
        ("SYSA", "F3", "CFP", None, None, "0118", None, None, None),
        ("SYSB", "1A", "ICP", None, None, None, None, None, "04"),
    ]
    assert rows["operation_mode"].to_list() == ["8X  GEN3 PCIE-O SR", "12X IFB3 HCA3-O", None, None]
    assert rows["peer_cf"].null_count() == rows["direction"].null_count() == 4


def test_paths_to_peers_are_of_no_system() -> None:
    rows = sample_tables(sample("cf_structure_continued_page_and_links"))[PATHS]
    assert rows["peer_cf"].to_list() == ["CFB1", "CFB1", "CFB1", "CFB3"]
    assert rows["system"].null_count() == 4


def test_an_unknown_heading_of_storage_class_memory_is_a_reject_and_takes_no_other_lines() -> None:
    """No page shows the titles of that summary: others than those declared are not guessed."""
    text = sample("cf_storage_class_memory").read_text()
    before, tables = sample_tables(sample("cf_storage_class_memory")), read_text(text.replace("SCM SPACE", "SCM LIMIT"))
    assert [row["what"] for row in tables[REJECT].to_dicts()] == [
        f"rmf_coupling_facility_activity: unknown column title {title}" for title in ("MAX, %USED", "MAX, %USED")
    ]
    memory = tables["rmf_cf_storage_class_memory"]
    assert memory["memory_max_bytes"].null_count() == memory.height == 4
    assert memory["list_entries_max"].to_list() == before["rmf_cf_storage_class_memory"]["list_entries_max"].to_list()
    (usage,) = tables["rmf_cf_usage"].to_dicts()
    assert (usage["cf_level"], usage["utilization_pct"]) == (24, 18.3)
