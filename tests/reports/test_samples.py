"""Every sample page gives the rows beside it, and values read off the page by eye.

`pytest tests/reports/test_samples.py --write-expected` writes the files that are missing and prints how others differ; with
--force it overwrites them. Read the difference: a golden file is worth what its reader saw.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from ironlake.pipeline.declaration.options import Options
from ironlake.pipeline.reading.engine import read_text
from sample_pages import ROOT, Tables, one, plain, row_lines, sample, sample_files, sample_tables

PAGES = sample_files()
EVERY = pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)

# What the layout of a sample was taken from, by the first words of its name; the longest that fits counts.
LAYOUTS = {
    "": "z/OS V2R2",
    "g1_": "MVS/ESA SP5.1",
    "two_digit_year_mvs": "MVS/ESA SP5.1",
    "os390_": "OS/390, as described by its manual",
    "os390_service_times": "z/OS V1R7 from field knowledge, no published page",
    "os390_without_dashes": "z/OS V1R5, titles of published excerpts; DASD I/O, PAGE-IN RATES and STORAGE from field knowledge",
    "g2_state_samples": "z/OS V1R13; the states of a published excerpt, their line of titles in its place from field knowledge",
    "g2_velocity_page_top_lost": "z/OS V1R13",
    "excerpt_without_class_line": "z/OS V1R5, as manuals print excerpts",
    "g3_": "z/OS V2R3",
    "importance_summary": "z/OS V2R3",
    "all_data_zero": "z/OS V2R3",
    "page_continues": "z/OS V2R3",
    "asa_carriage_control": "z/OS V2R3",
    "margin_lost": "z/OS V2R3",
    "k_suffixes": "z/OS V2R2 and V2R3",
    "service_policy_page_tenants": "z/OS V2R3",
    "service_policy_page_boost": "z/OS V2R5",
    "service_policy_page_option": "z/OS V2R4, with an option that no page has",
    "duration_report": "z/OS V2R5",
    "cpu_": "z/OS V2R5",
    "partition_": "z/OS V2R5 from field knowledge, no published page",
    "partition_boost": "z/OS V2R4",
    "partition_old_head": "z/OS V1R8; below the head from field knowledge, no published page",
    "cpu_v2r1_": "z/OS V2R1",
    "cpu_analysis": "excerpts that name no release, pages of z/OS V2R2 around them",
    "overview_": "z/OS V2R2",
    "xcf_": "z/OS V2R4; inbound, local and members from field knowledge, no published page",
    "cpu_shifted_columns": "z/OS V2R5, columns moved",
    "cics_": "DFHSTUP from field knowledge, no published page",
    "cics_published_requests": "DFHSTUP from field knowledge; numbers of the tables published in IBM REDP-5208",
    "cics_dfh0stat_": "DFH0STAT of CICS TS 3.1, as described by its manual",
    "simulator_": "the messages in IBM REDP-5208 and in IBM's tests of Linux on Z",
    "jmh_": "JMH 1.x, as its TextResultFormat prints it",
    "accounting_": "OMEGAMON for Db2 V5R4, blocks side by side and the trace from field knowledge",
    "accounting_shifted": "DB2PM titles from field knowledge, columns moved",
    "statistics_": "OMEGAMON for Db2 V5R4, blocks side by side from field knowledge",
    "statistics_equations": "numbers published for DB2PM V4, places from field knowledge",
    "statistics_minutes": "DB2PM V5, titles of a published block; the page heading from field knowledge",
    "accounting_one_pool": "DB2PM V5, a published block",
    "statistics_shifted": "OMEGAMON for Db2 V5R4, columns moved",
    "cf_": "z/OS V2R5, the summaries of storage and processors and the subchannels from field knowledge",
    "cf_usage_mvs_1996": "MVS/ESA SP5.2.2, numbers of figures 1a and 1b of Friedman's study of Db2 data sharing",
    "cf_structures_mvs_1996": "MVS/ESA SP5.2.2, numbers of figures 2 and 3 of Friedman's study of Db2 data sharing",
    "cf_asynchronous_duplexing": "z/OS V2R2",
    "cf_structure_continued_page": "z/OS V2R2",
    "cf_shifted_columns": "z/OS V2R4, columns moved",
    "cpu_without_multithreading": "z/OS V1R13 from field knowledge, no published page",
}
# Pages with a line that must not be read, and how many rejects they give.
MUST_REJECT = {
    "overflowed_cell": 1,
    "unknown_label": 1,
    "junk_lines": 2,
    "unreadable_date": 1,
    "cpu_junk_and_overflow": 2,
    "cpu_total_without_its_rows": 1,
    "partition_total_without_its_rows": 1,
    "overview_overflow_and_lost_heading": 2,
    "overview_two_readings": 1,
    "cics_unknown_label": 1,
    "simulator_unknown_label": 3,
    "jmh_value_out_of_column": 4,
    "statistics_suspect_values": 5,
    "xcf_shifted_unseen_title_and_overflow": 4,
    "cf_missing_heading": 2,
    "cf_unknown_labels": 2,
}


def provenance(name: str) -> str:
    """First line of an expected file: where its page is from."""
    if name == "cics_liberty_report_class":
        source = (
            "numbers of IBM REDP-5208 (a report class of its CICS region), misprints corrected, layout of z/OS V2R2"
        )
        return json.dumps({"provenance": source})
    layout = LAYOUTS[max((k for k in LAYOUTS if name.startswith(k)), key=len)]
    return json.dumps({"provenance": f"synthetic, layout of {layout}"})


def expected_texts(path: Path) -> dict[Path, list[str]]:
    """The files beside a sample as they should be: lines by path."""
    tables = sample_tables(path)
    first = provenance(path.stem)
    rows = row_lines(tables, *(sorted(n for n in tables if n != "parse_reject")))
    files = {path.with_suffix(".expected.jsonl"): [first, *rows]}
    if tables["parse_reject"].height:
        files[path.with_suffix(".rejects.jsonl")] = [first, *row_lines(tables, "parse_reject")]
    return files


@EVERY
def test_page_gives_the_rows_beside_it(path: Path, request: pytest.FixtureRequest) -> None:
    write, force = request.config.getoption("--write-expected"), request.config.getoption("--force")
    expected = expected_texts(path)
    for suffix in (".expected.jsonl", ".rejects.jsonl"):
        file = path.with_suffix(suffix)
        got = expected.get(file, [])
        known = file.read_text().splitlines() if file.exists() else []
        difference = list(difflib.unified_diff(known, got, "expected", "got", lineterm="", n=0))
        if difference and write:
            print(file.relative_to(ROOT), *difference, sep="\n")
        if difference and write and (force or not known):
            file.write_text("\n".join(got) + "\n") if got else file.unlink()
            continue
        what = f"{file.relative_to(ROOT)} differs (--write-expected shows and, with --force, overwrites):\n"
        assert not difference, what + "\n".join(line[:300] for line in difference[:20])


@EVERY
def test_rejects_only_where_the_page_is_bad(path: Path) -> None:
    rejects = sample_tables(path)["parse_reject"]
    assert rejects.height == MUST_REJECT.get(path.stem, 0), rejects["what"].to_list()
    assert path.with_suffix(".rejects.jsonl").exists() == (path.stem in MUST_REJECT)


def test_there_are_samples_to_test() -> None:
    assert len(PAGES) >= 35
    assert {p.stem for p in PAGES} >= set(MUST_REJECT) | set(BY_EYE)
    assert len(SEEN) >= 120


def test_no_expected_file_without_its_page() -> None:
    pages = {p.with_suffix("") for p in PAGES}
    kept = {p.with_suffix("").with_suffix("") for p in (ROOT / "sample_reports").glob("*/*.jsonl")}
    assert kept == pages


# Read off the pages by eye: sample and row → columns and values. A row is its table and what selects it there.
ACTIVITY, GOAL, DELAY = "rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay"
BUCKET, IMPORTANCE = "rmf_response_time_distribution", "rmf_workload_importance"
BREAKDOWN, POLICY, SYSTEM = "rmf_workload_response_breakdown", "rmf_service_policy", "rmf_service_policy_system"
GROUP, NULLS, REJECT, UNKNOWN = "rmf_resource_group", "cell_null", "parse_reject", "unknown_report"

STATISTICS, ACCOUNTING = "db2_statistics_counter", "db2_accounting_counter"
_WEB, _NIGHT = {"report_class": "RWEBSRV"}, {"service_class": "NIGHTBAT"}
_FAST, _TSO = {"service_class": "CICSFAST"}, {"service_class": "TSOFAST"}
_BEGIN, _EXECUTION = {"subsystem": "CB", "phase": "BTE"}, {"subsystem": "CB", "phase": "EXE"}

BY_EYE: dict[str, list[tuple[str, dict, dict]]] = {
    "os390_without_dashes": [
        (ACTIVITY, _WEB, {"class_kind": "report_class", "transactions_avg": 12.07, "transactions_mpl": 11.96}),
        (ACTIVITY, _WEB, {"transactions_per_s": 50.01, "swaps": 204, "transactions_executed": 3}),
        (ACTIVITY, _WEB, {"actual_time_s": 1.273, "queued_time_s": 0.171, "ineligible_time_s": 0.005}),
        (ACTIVITY, _WEB, {"conversion_time_s": 0.012, "rs_affinity_time_s": 0.0, "time_stddev_s": 2.044}),
        (ACTIVITY, _WEB, {"ssch_per_s": 88.4, "dasd_response_ms": 3.1, "dasd_qpend_ms": 0.4, "dasd_iosq_ms": 0.2}),
        (ACTIVITY, _WEB, {"mso_service": 11873000, "srb_service": 449210, "service_per_s": 37298.0}),
        (ACTIVITY, _WEB, {"absorption_rate": 3120.0, "cpu_time_s": 584.6, "srb_time_s": 12.5, "rct_time_s": 0.7}),
        (ACTIVITY, _WEB, {"iit_time_s": 9.8, "hst_time_s": 0.3, "appl_cp_pct": 67.5, "page_in_shared_per_s": 0.6}),
        (ACTIVITY, _WEB, {"storage_shared_frames": 21.25, "storage_expanded_frames": 167.75}),
        (ACTIVITY, {"report_class": "RBATCH"}, {"actual_time_s": 0.042, "execution_time_s": 1.901}),
        (ACTIVITY, {"report_class": "RBATCH"}, {"rs_affinity_time_s": 0.004, "cpu_time_s": 25.1}),
        (ACTIVITY, {"report_class": "RBATCH"}, {"mso_service": 33745000, "transaction_service_rate": 12059.0}),
        # 1.02.11.940 is 1 h 2 min 11.94 s, 58.07.512 58 min 7.512 s, 12.40.001 12 min 40.001 s
        (ACTIVITY, _NIGHT, {"actual_time_s": 3731.94, "execution_time_s": 3487.512, "time_stddev_s": 760.001}),
        (ACTIVITY, _NIGHT, {"rs_affinity_time_s": 0.204, "conversion_time_s": 0.077, "ineligible_time_s": 1.03}),
        (ACTIVITY, _NIGHT, {"transactions_executed": 1, "cpu_time_s": None, "class_kind": "service_class"}),
    ],
    "os390_service_times": [
        (ACTIVITY, {}, {"cpu_time_s": 301.3, "srb_time_s": 6.4, "aap_time_s": 27.0, "hst_time_s": 0.1}),
        (ACTIVITY, {}, {"appl_cp_pct": 31.8, "appl_aapcp_pct": 1.4, "appl_aap_pct": 3.0, "srb_service": 230400}),
        (ACTIVITY, {}, {"absorption_rate": 2290.0, "transaction_service_rate": 2288.0, "storage_shared_frames": 8.75}),
    ],
    "g1_percentile_goal": [
        (GOAL, _FAST, {"goal_type": "percentile", "goal_s": 0.5, "goal_pct": 90.0, "actual_s": 0.214}),
        (GOAL, _FAST, {"actual_pct": 97.3, "velocity_pct": None, "performance_index": 0.6}),
        (GOAL, _TSO, {"goal_pct": 80.0, "actual_s": 0.118, "actual_pct": 100.0, "velocity_pct": 31.4}),
        (GOAL, _TSO, {"performance_index": 0.5, "address_spaces_avg": 80.6}),
        (DELAY, _TSO | {"reason": "TOTAL"}, {"pct": 0.7}),
        (DELAY, _TSO | {"reason": "QUIE"}, {"pct": 0.4}),
    ],
    "g2_transaction_appl_all_categories": [
        (ACTIVITY, {}, {"transaction_appl_total_cp_pct": 115.71, "transaction_appl_total_on_cp_pct": 1.12}),
        (ACTIVITY, {}, {"transaction_appl_total_ziip_pct": 29.83, "transaction_appl_mobile_cp_pct": 83.06}),
        (ACTIVITY, {}, {"transaction_appl_mobile_on_cp_pct": 0.84, "transaction_appl_mobile_ziip_pct": 17.15}),
        (ACTIVITY, {}, {"transaction_appl_category_a_cp_pct": 9.42, "transaction_appl_category_a_on_cp_pct": 0.21}),
        (ACTIVITY, {}, {"transaction_appl_category_a_ziip_pct": 6.07, "transaction_appl_category_b_cp_pct": 4.36}),
        (ACTIVITY, {}, {"transaction_appl_category_b_on_cp_pct": 0.07, "transaction_appl_category_b_ziip_pct": 3.08}),
        (GOAL, {"system": "MVS1"}, {"actual_pct": 96.4, "performance_index": 0.8, "goal_pct": None}),
    ],
    "g2_state_samples": [
        (BREAKDOWN, _BEGIN | {"state": "TIME (%)"}, {"pct": 97.2, "state_group": "", "service_class": "WASHIGH"}),
        (BREAKDOWN, _BEGIN | {"state": "SUB"}, {"pct": 3.1, "state_group": "ACTIVE"}),
        (BREAKDOWN, _BEGIN | {"state": "TYP2"}, {"pct": 70.7, "state_group": "WAITING FOR"}),
        (BREAKDOWN, _BEGIN | {"state": "TYP11"}, {"pct": 8.8}),
        (BREAKDOWN, _BEGIN | {"state": "REMOT"}, {"pct": 7.3, "state_group": "SWITCHED SAMPL(%)"}),
        (BREAKDOWN, _EXECUTION | {"state": "APPL"}, {"pct": 60.6}),
        (BREAKDOWN, _EXECUTION | {"state": "READY"}, {"pct": 2.4}),
        (BREAKDOWN, _EXECUTION | {"state": "PROD"}, {"pct": 13.7}),
        (BREAKDOWN, {"subsystem": "DB2", "state": "SUB"}, {"pct": 100.0, "phase": "EXE"}),
    ],
    "g2_velocity_page_top_lost": [
        (ACTIVITY, {}, {"interval_start": None, "service_class": "BATLOW", "period": 2, "actual_time_s": 760.115}),
        (ACTIVITY, {}, {"cpu_service": 3841000, "total_service": 4385000, "service_per_s": 4872.0}),
        (ACTIVITY, {}, {"iip_time_s": 15.57, "appl_iip_pct": 1.73, "storage_shared_frames": 19.77}),
        (ACTIVITY, {}, {"page_in_single_per_s": 0.1, "page_in_shared_per_s": 0.3, "page_in_hsp_per_s": 0.4}),
        (GOAL, {"system": "PRD2"}, {"goal_type": "velocity", "goal_pct": 15.0, "velocity_pct": 61.7}),
        (DELAY, {"system": "PRD2", "delay_group": "DELAY %", "reason": "CNT"}, {"pct": 0.4}),
        (DELAY, {"system": "PRD1", "delay_group": "EXEC DELAYS %", "reason": "CPU"}, {"pct": 20.0}),
        (BUCKET, {"system": "PRD1", "upper_bound_s": 26.4}, {"transactions": 2, "transactions_cumulative": 5}),
        # 00.22.00.000 is 1320 s
        (BUCKET, {"system": "PRD2", "upper_bound_s": 1320.0}, {"transactions": 2, "cumulative_pct": 88.9}),
    ],
    "excerpt_without_class_line": [
        (ACTIVITY, {}, {"class_kind": None, "policy": None, "transactions_ended": 512, "actual_time_s": 0.318}),
        (ACTIVITY, {}, {"mso_service": 87345000, "cpu_time_s": 62.8, "absorption_rate": 44117.0}),
        (BREAKDOWN, {"state": "TYP5"}, {"pct": 24.3, "class_kind": None}),
        (BREAKDOWN, {"state": "IDLE"}, {"pct": 0.1}),
    ],
    "statistics_minutes_of_db2pm": [
        (
            STATISTICS,
            {"counter": "CONV.DEALLOC-MAX.CONNECTED"},
            {"quantity": 2.0, "per_minute": 0.1, "per_second": None},
        ),
        (STATISTICS, {"counter": "INACTIVE DBATS - HWM"}, {"quantity": 17.0, "per_minute": None, "per_thread": None}),
        (STATISTICS, {"counter": "WARM START CONNECTIONS"}, {"quantity": 31200.0, "per_minute": 1560.0}),
        (STATISTICS, {"counter": "SELECT"}, {"per_second": 20.0, "per_minute": 1200.0, "per_commit": 4.0}),
    ],
    "accounting_one_pool_excerpt": [
        (ACCOUNTING, {"counter": "GETPAGES"}, {"block": "BP8K0", "total": 20417.0, "average": None}),
        (ACCOUNTING, {"counter": "BPOOL HIT RATIO (%)"}, {"total": 91.0}),
    ],
    "g1_tso_two_periods": [
        (ACTIVITY, {"period": 1}, {"actual_time_s": 0.091, "execution_time_s": 0.088, "time_stddev_s": 0.142}),
        (ACTIVITY, {"period": 1}, {"transactions_ended": 3603, "transactions_per_s": 12.0, "total_service": 1717650}),
        (
            ACTIVITY,
            {"period": 1},
            {"cpu_time_s": 21.4, "srb_time_s": 2.1, "appl_tcb_srb_pct": 7.8, "service_per_s": 5721},
        ),
        (ACTIVITY, {"period": 1}, {"importance": 2, "importance_printed": "HIGH", "appl_cp_pct": None}),
        (ACTIVITY, {"period": 2}, {"page_in_hsp_miss_per_s": 0.11, "page_in_expanded_single_per_s": 0.25}),
        (ACTIVITY, {"period": 2}, {"page_in_expanded_block_per_s": 0.05, "storage_expanded_frames": 11.69}),
        (ACTIVITY, {"period": 2}, {"storage_central_frames": 100.0, "absorption_rate": 6577, "importance": 3}),
        (GOAL, {"period": 1}, {"goal_type": "average", "goal_s": 0.12, "actual_s": 0.091, "velocity_pct": 14.6}),
        (GOAL, {"period": 2}, {"performance_index": 1.1, "address_spaces_avg": 0.4, "is_total": True}),
        (DELAY, {"period": 2, "reason": "PRIV"}, {"pct": 8.4}),
        (DELAY, {"period": 2, "reason": "XMEM"}, {"pct": 1.6}),
        (DELAY, {"period": 2, "reason": "OTHR"}, {"pct": 44.7}),
        (DELAY, {"period": 1, "reason": "IDLE"}, {"pct": 98.3}),
        (BUCKET, {"period": 1, "upper_bound_s": 0.24}, {"transactions": 288, "cumulative_pct": 95.0}),
        (
            BUCKET,
            {"period": 2, "upper_bound_s": None},
            {"transactions": 16, "transactions_cumulative": 241, "pct": 6.6},
        ),
    ],
    "g1_cics_response_breakdown": [
        (
            ACTIVITY,
            {"service_class": "CICSFAST"},
            {"transactions_executed": 14820, "total_service": None, "importance": 1},
        ),
        (ACTIVITY, {"service_class": "CICSBOOK"}, {"description": "Booking transactions", "resource_group": None}),
        (BREAKDOWN, {"service_class": "CICSFAST", "phase": "EXE", "state": "I/O"}, {"pct": 67.9, "subsystem": "CICS"}),
        (BREAKDOWN, {"service_class": "CICSFAST", "phase": "BTE", "state": "CONV"}, {"pct": 90.5}),
        (BREAKDOWN, {"service_class": "CICSBOOK", "phase": "EXE", "state": "PROD"}, {"pct": 48.1}),
        (GOAL, {}, {"performance_index": 0.9, "velocity_pct": None, "actual_s": 0.072}),
    ],
    "two_digit_year_mvs": [
        (
            ACTIVITY,
            {},
            {"interval_start": dt.datetime(1995, 6, 5, 14, 0, 1), "importance": 4, "release": "MVS/ESA SP5.2.0"},
        ),
        (ACTIVITY, {}, {"policy_activated_at": dt.datetime(1995, 5, 29, 6, 30), "interval_s": 300.25}),
    ],
    "os390_service_rates": [
        (
            ACTIVITY,
            {},
            {"actual_time_s": 66.204, "time_stddev_s": 94.511, "queued_time_s": 4.274, "conversion_time_s": 0.118},
        ),
        (
            ACTIVITY,
            {},
            {"cpu_time_s": 210.4, "srb_time_s": 18.7, "rct_time_s": 0.3, "iit_time_s": 4.2, "hst_time_s": 0.1},
        ),
        (
            ACTIVITY,
            {},
            {"appl_cp_pct": 26.0, "cpu_service": 7574400, "total_service": 10394000, "absorption_rate": 2347},
        ),
        (ACTIVITY, {}, {"ssch_per_s": 144.2, "storage_shared_frames": 14.5, "rs_affinity_time_s": 0.0}),
        (ACTIVITY, {}, {"release": "OS/390 REL. 02.06.00", "report_version": "2.6.0", "description": "Normal batch"}),
    ],
    "g2_every_cell_differs": [
        (
            ACTIVITY,
            {},
            {"transactions_avg": 14.91, "transactions_mpl": 13.37, "transactions_ended": 12355, "swaps": 271},
        ),
        (ACTIVITY, {}, {"transactions_per_s": 13.73, "transactions_executed": 83, "enclaves_avg": 2.25}),
        (ACTIVITY, {}, {"enclaves_remote_avg": 0.36, "enclaves_multisystem_avg": 0.14, "actual_time_s": 1.234}),
        (ACTIVITY, {}, {"execution_time_s": 0.987, "queued_time_s": 0.118, "rs_affinity_time_s": 0.029}),
        (ACTIVITY, {}, {"ineligible_time_s": 0.055, "conversion_time_s": 0.045, "time_stddev_s": 65.432}),
        (
            ACTIVITY,
            {},
            {"ssch_per_s": 345.6, "dasd_response_ms": 4.6, "dasd_connect_ms": 2.3, "dasd_disconnect_ms": 1.2},
        ),
        (ACTIVITY, {}, {"dasd_qpend_ms": 0.7, "dasd_iosq_ms": 0.4, "ioc_service": 234567, "cpu_service": 42242000}),
        (
            ACTIVITY,
            {},
            {"mso_service": 345678, "srb_service": 2375000, "total_service": 45197000, "service_per_s": 50219},
        ),
        (ACTIVITY, {}, {"absorption_rate": 3756, "transaction_service_rate": 3368, "cpu_time_s": 812.345}),
        (ACTIVITY, {}, {"srb_time_s": 45.678, "rct_time_s": 1.234, "iit_time_s": 5.432, "hst_time_s": 0.567}),
        (ACTIVITY, {}, {"aap_time_s": 98.765, "iip_time_s": 123.456, "appl_cp_pct": 71.45, "appl_aapcp_pct": 1.11}),
        (ACTIVITY, {}, {"appl_iipcp_pct": 2.22, "appl_aap_pct": 10.97, "appl_iip_pct": 13.72, "promoted_blk_s": 0.111}),
        (
            ACTIVITY,
            {},
            {"promoted_enq_s": 0.222, "promoted_crm_s": 0.333, "promoted_lck_s": 0.444, "promoted_sup_s": 0.555},
        ),
        (
            ACTIVITY,
            {},
            {"storage_avg_frames": 4567.89, "storage_total_frames": 61072.69, "storage_shared_frames": 76.54},
        ),
        (ACTIVITY, {}, {"page_in_single_per_s": 1.1, "page_in_block_per_s": 2.2, "page_in_shared_per_s": 3.3}),
        (ACTIVITY, {}, {"page_in_hsp_per_s": 4.4, "transaction_appl_total_ziip_pct": 24.69}),
        (ACTIVITY, {}, {"transaction_appl_category_a_on_cp_pct": 0.05, "transaction_appl_category_b_cp_pct": 2.07}),
        (ACTIVITY, {}, {"cpu_service_resolution": 1000.0, "ioc_service_resolution": 1.0}),
    ],
    "g3_every_cell_differs": [
        (ACTIVITY, {}, {"time_stddev_s": 65.432, "actual_time_s": 1.234, "rs_affinity_time_s": 0.029}),
        (ACTIVITY, {}, {"transaction_appl_total_cp_pct": 71.45, "transaction_appl_total_on_cp_pct": 3.33}),
        (ACTIVITY, {}, {"transaction_appl_total_ziip_pct": 24.69, "transaction_appl_mobile_cp_pct": 10.01}),
        (ACTIVITY, {}, {"transaction_appl_mobile_on_cp_pct": 0.21, "transaction_appl_mobile_ziip_pct": 3.03}),
        (ACTIVITY, {}, {"transaction_appl_category_a_cp_pct": 4.04, "transaction_appl_category_b_ziip_pct": 0.09}),
        (ACTIVITY, {}, {"appl_cp_pct": 71.45, "appl_iipcp_pct": 2.22, "appl_iip_pct": 13.72, "appl_aapcp_pct": 1.11}),
        (ACTIVITY, {}, {"appl_aap_pct": 10.97, "iip_time_s": 123.456, "aap_time_s": 98.765, "hst_time_s": 0.567}),
        (ACTIVITY, {}, {"dasd_response_ms": 4.6, "dasd_iosq_ms": 0.4, "storage_total_frames": 61072.69}),
        (ACTIVITY, {}, {"page_in_single_per_s": 1.1, "page_in_hsp_per_s": 4.4, "transaction_service_rate": 3368}),
        (ACTIVITY, {}, {"enclaves_avg": 2.25, "enclaves_remote_avg": 0.36, "enclaves_multisystem_avg": 0.14}),
    ],
    "g2_service_classes_being_served": [
        (
            ACTIVITY,
            {"service_class": "SYSSTC"},
            {"appl_cp_pct": 252.0, "storage_total_frames": 7763045.3, "swaps": 1204},
        ),
        (
            ACTIVITY,
            {"service_class": "SYSTEM"},
            {"ssch_per_s": 5512, "storage_total_frames": 10427317, "iip_time_s": 0.0},
        ),
    ],
    "g2_service_and_report_classes": [
        (ACTIVITY, {"class_kind": "service_class"}, {"service_class": "BATPROD", "cpu_service": 21971000, "page": 1}),
        (
            ACTIVITY,
            {"class_kind": "report_class"},
            {"report_class": "RBATPAY", "workload": None, "service_class": None},
        ),
        (ACTIVITY, {"class_kind": "report_class"}, {"description": "Payroll jobs", "critical": None, "page": 2}),
    ],
    "g2_periods_of_a_class": [
        (ACTIVITY, {"class_kind": "service_class"}, {"transactions_ended": 1940, "resource_group": "LIMIT50"}),
        (ACTIVITY, {"period": 1}, {"transactions_ended": 1844, "critical": "CPU", "importance": 2}),
        (
            ACTIVITY,
            {"period": 2},
            {"transactions_ended": 96, "critical": "NONE", "actual_time_s": 18.004, "description": None},
        ),
    ],
    "g2_blank_trailing_cells": [
        (
            ACTIVITY,
            {},
            {"transactions_avg": None, "transactions_mpl": 3.08, "ssch_per_s": None, "dasd_response_ms": 1.6},
        ),
        (ACTIVITY, {}, {"absorption_rate": None, "enclaves_multisystem_avg": None, "page_in_block_per_s": None}),
        (ACTIVITY, {}, {"iip_time_s": None, "appl_iip_pct": 1.31, "description": None, "appl_aap_pct": None}),
        (NULLS, {}, {"table": ACTIVITY, "column": "appl_aap_pct", "reason": "N/A"}),
    ],
    "g2_transaction_appl": [
        (ACTIVITY, {"service_class": "DDFMOB"}, {"transaction_appl_mobile_cp_pct": 12.5, "honor_priority": "NO"}),
        (ACTIVITY, {"service_class": "DDFMOB"}, {"transaction_appl_category_b_on_cp_pct": 0.01, "critical": "NONE"}),
        (ACTIVITY, {"service_class": "DDFHI"}, {"transaction_appl_total_cp_pct": None, "io_priority_group": "HIGH"}),
        (ACTIVITY, {"service_class": "DDFHI"}, {"critical": "CPU+STORAGE", "honor_priority": None}),
    ],
    "percentile_goal": [
        (GOAL, {"system": "*ALL"}, {"goal_type": "percentile", "goal_s": 0.15, "goal_pct": 90.0, "actual_pct": 92.4}),
        (GOAL, {"system": "MVSB"}, {"actual_pct": 91.6, "actual_s": None, "velocity_pct": 68.2, "is_total": False}),
        (DELAY, {"system": "MVSA", "reason": "TOT"}, {"pct": 9.2}),
        (BUCKET, {"upper_bound_s": 0.075}, {"transactions": 30979, "cumulative_pct": 70.2}),
        (BUCKET, {"upper_bound_s": 0.09}, {"transactions": 2691, "transactions_cumulative": 33670, "pct": 6.1}),
        (BUCKET, {"upper_bound_s": None}, {"transactions": 132, "transactions_cumulative": 44120}),
    ],
    "velocity_goal": [
        (GOAL, {"system": "*ALL"}, {"goal_type": "velocity", "goal_pct": 50.0, "velocity_pct": 61.5, "actual_s": None}),
        (GOAL, {"system": "MVSB"}, {"performance_index": 0.9, "address_spaces_avg": 1.9}),
        (DELAY, {"system": "MVSA", "reason": "CAP"}, {"pct": 0.7}),
        (DELAY, {"system": "MVSB", "reason": "UNK"}, {"pct": 44.0}),
        (DELAY, {"system": "MVSB", "reason": "QUI"}, {"pct": 0.0}),
    ],
    "discretionary_and_system_goals": [
        (GOAL, {"system": "*ALL", "service_class": "BATLOW"}, {"goal_type": "discretionary", "goal_pct": None}),
        (GOAL, {"system": "*ALL", "service_class": "BATLOW"}, {"performance_index": None, "velocity_pct": 37.3}),
        (GOAL, {"system": "MVSA", "service_class": "SYSSTC"}, {"goal_type": "system", "address_spaces_avg": 188.4}),
        (ACTIVITY, {"service_class": "BATLOW"}, {"actual_time_s": 61.25, "importance": None, "period": 1}),
    ],
    "g3_stacked_blocks": [
        (
            ACTIVITY,
            {},
            {"queued_time_s": 0.221874, "actual_time_s": 4.203118, "promoted_sup_s": 0.012, "appl_aap_pct": None},
        ),
        (
            GOAL,
            {"system": "SYSA"},
            {"actual_s": 4.91102, "goal_s": 5.0, "performance_index": 1.0, "scope": "SYSA,SYSB"},
        ),
        (DELAY, {"system": "SYSB", "reason": "IDL"}, {"pct": 99.0}),
    ],
    "g3_two_systems_side_by_side_distributions": [
        (BUCKET, {"system": "SYSA", "upper_bound_s": 0.1925}, {"transactions": 15, "pct": 65.2}),
        (BUCKET, {"system": "SYSB", "upper_bound_s": 0.25}, {"transactions": 36, "pct": 59.0}),
        (BUCKET, {"system": "SYSB", "upper_bound_s": 2.0}, {"transactions": 1, "cumulative_pct": 96.7}),
        (BUCKET, {"system": "SYSA", "upper_bound_s": None}, {"transactions": 0, "transactions_cumulative": 23}),
    ],
    "g3_three_systems_distributions": [
        (BUCKET, {"system": "SYSC", "upper_bound_s": None}, {"transactions_cumulative": 47}),
        (BUCKET, {"system": "SYSA", "upper_bound_s": None}, {"transactions_cumulative": 23}),
        (GOAL, {"system": "SYSC"}, {"scope": "SYSA,SYSB,SYSC"}),
    ],
    "g3_tenant_report_class_first_block_only": [
        (ACTIVITY, {"report_class": "RTENA01"}, {"tenant": "BANKONE", "transactions_ended": 5120, "appl_cp_pct": None}),
        (ACTIVITY, {"report_class": "RTENA01"}, {"transaction_appl_total_cp_pct": 6.68, "cpu_time_s": None}),
        (ACTIVITY, {"report_class": "RDDFALL"}, {"tenant": None, "appl_cp_pct": 6.68, "transactions_ended": 8100}),
    ],
    "g3_homogeneous_report_class_period": [
        (
            ACTIVITY,
            {},
            {"class_kind": "report_class_period", "goal_derived_from": "DDFHI", "period": 1, "description": None},
        ),
        (GOAL, {"system": "SYSA"}, {"class_kind": "report_class_period", "actual_s": 0.402117}),
    ],
    "g3_sub_capacity_norm_factor": [
        (
            POLICY,
            {},
            {"norm_factor_iip": 1.25, "norm_factor_aap": 1.25, "coefficient_mso": 0.0, "service_definition": "CAPDEF"},
        ),
        (ACTIVITY, {}, {"appl_cp_pct": 59.66, "appl_iip_pct": 33.39, "scope": "SYSA,SYSB"}),
    ],
    "importance_summary": [
        (
            IMPORTANCE,
            {"summary_period": 1},
            {"summary_importance": 2, "transactions": 7520, "goal_s": 0.5, "goal_pct": 90.0},
        ),
        (
            IMPORTANCE,
            {"summary_period": 1},
            {"actual_pct": 91.2, "total_pct": 88.4, "velocity_pct": 81.7, "actual_s": None},
        ),
        (IMPORTANCE, {"summary_period": 2}, {"actual_s": 2.511904, "goal_pct": None, "total_using_pct": 30.6}),
        (
            IMPORTANCE,
            {"summary_period": 3},
            {"velocity_goal_pct": 20.0, "velocity_pct": 18.2, "execution_delay_pct": 41.2},
        ),
        (IMPORTANCE, {"is_total": True}, {"transactions": 8000, "transactions_pct": 100.0, "summary_period": None}),
    ],
    "service_policy_page": [
        (
            POLICY,
            {},
            {"coefficient_ioc": 5.0, "coefficient_mso": 0.0001, "installed_by": "PLANNER", "policy": "STANDARD"},
        ),
        (
            SYSTEM,
            {"system": "MVSB"},
            {"opt": "0B", "su_per_s": 52000.0, "capacity_pct": 90.0, "system_interval_s": 899.0},
        ),
        (GROUP, {"resource_group": "LIMIT50", "class_name": None}, {"su_per_s": 20400, "capacity_max": 50000}),
        (GROUP, {"class_name": "BATTEST"}, {"su_per_s": 2300, "resource_group": "LIMIT50"}),
        (
            GROUP,
            {"resource_group": "RGDDF", "class_name": None},
            {"capacity_min": 0.5, "capacity_unit": "NUMBER OF CPs"},
        ),
    ],
    "service_policy_page_tenants": [
        (
            GROUP,
            {"resource_group": "RGBATCH", "system": "SYSA"},
            {"memory_usage_bytes": 138 * 2**20, "su_per_s": 18000},
        ),
        (GROUP, {"class_name": "RTENA01"}, {"resource_group": "TRGBANK1", "cpus": 0.52, "msu": 21}),
        (GROUP, {"resource_group": "RGBATCH", "system": "SYSB"}, {"su_per_s": 7014, "su_per_s_resolution": 1.0}),
    ],
    "service_policy_page_boost_five_systems": [
        (SYSTEM, {"system": "PRD4"}, {"boost": "IPL", "su_per_s": 91230.4, "system_interval_s": 3600.0}),
        (SYSTEM, {"system": "PRD3"}, {"boost": None, "capacity_pct": 95.0}),
        (SYSTEM, {"system": "PRD5"}, {"boost": None, "opt": "R1", "scope": "PRD1,PRD2,PRD3,PRD4,PRD5"}),
    ],
    "duration_report": [
        (
            ACTIVITY,
            {},
            {"report_kind": "duration", "interval_s": 3600.0, "interval_end": dt.datetime(2023, 3, 6, 22, 59, 30)},
        ),
        (ACTIVITY, {}, {"scope": "PRD1,PRD2", "report_version": "V2R5", "actual_time_s": 0.031, "appl_iip_pct": 41.69}),
    ],
    "all_data_zero": [
        (
            ACTIVITY,
            {"service_class": "BATIDLE"},
            {"all_data_zero": True, "appl_cp_pct": 0.0, "description": "Nothing ran"},
        ),
        (ACTIVITY, {"service_class": "STCLO"}, {"all_data_zero": None, "appl_cp_pct": 0.92, "description": None}),
    ],
    "page_continues_without_class_line": [
        (GOAL, {"system": "SYSB"}, {"service_class": "STCLO", "actual_s": 3.258122, "page": 2, "goal_s": 5.0}),
        (BUCKET, {"upper_bound_s": 20.0}, {"service_class": "STCLO", "period": 1, "transactions_cumulative": 14}),
    ],
    "page_continues_with_class_line_repeated": [
        (ACTIVITY, {}, {"service_class": "STCLO", "page": 1}),
        (GOAL, {"system": "SYSB"}, {"service_class": "STCLO", "actual_s": 3.258122, "page": 2}),
    ],
    "asa_carriage_control": [
        (ACTIVITY, {"service_class": "STCLO"}, {"actual_time_s": 4.203118, "page": 1, "line": 10}),
        (ACTIVITY, {"service_class": "TSOPROD"}, {"actual_time_s": 0.36217, "page": 2, "importance": None}),
        (GOAL, {"system": "*ALL"}, {"velocity_pct": 40.0, "service_class": "STCLO"}),
    ],
    "margin_lost": [
        (ACTIVITY, {}, {"interval_start": dt.datetime(2019, 5, 14, 13, 15), "sysplex": "PLEXB", "interval_s": 899.998}),
        (ACTIVITY, {}, {"policy_activated_at": dt.datetime(2019, 5, 2, 18, 40, 9), "appl_cp_pct": 0.92}),
    ],
    "k_suffixes": [
        (
            ACTIVITY,
            {"sysplex": "PLEXA"},
            {"ioc_service": 12346000, "ioc_service_resolution": 1000.0, "ssch_per_s": 9120},
        ),
        (
            ACTIVITY,
            {"sysplex": "PLEXB"},
            {"total_service": 358970000, "service_per_s": 398857, "service_per_s_resolution": 1},
        ),
        (ACTIVITY, {"sysplex": "PLEXA"}, {"transactions_ended": 1250000, "actual_time_s": 0.02}),
    ],
    "overflowed_cell": [
        (
            ACTIVITY,
            {},
            {"srb_time_s": None, "cpu_time_s": 422.52, "appl_aapcp_pct": 0.0, "storage_total_frames": 15518.88},
        ),
        (NULLS, {}, {"column": "srb_time_s", "reason": "overflow", "line": 16}),
        (REJECT, {}, {"line": 16, "column": 77}),
    ],
    "unknown_label": [
        (ACTIVITY, {}, {"transactions_executed": None, "conversion_time_s": 0.043, "service_per_s": 25574}),
        (REJECT, {}, {"line": 20, "column": 1}),
    ],
    "junk_lines": [
        (ACTIVITY, {}, {"transactions_per_s": 2.16, "transactions_ended": 1940}),
        (REJECT, {"line": 11}, {"text": "**** ++++ ****"}),
        (REJECT, {"line": 19}, {"text": "IEF404I PAYJOB01 - ENDED - TIME=08.41.07"}),
    ],
    "truncated_page": [
        (ACTIVITY, {"service_class": "BATPROD"}, {"transactions_per_s": 2.16, "cpu_time_s": 422.52}),
        (
            ACTIVITY,
            {"service_class": "BATTEST"},
            {"transactions_ended": 96, "rs_affinity_time_s": 0.0, "total_service": None},
        ),
    ],
    "unreadable_date": [
        (
            ACTIVITY,
            {},
            {"interval_start": None, "interval_end": None, "interval_s": 900.013, "transactions_ended": 1940},
        ),
        (REJECT, {}, {"line": 3, "column": 62}),
    ],
    "dd_mm_dates": [
        (ACTIVITY, {}, {"interval_start": dt.datetime(2016, 9, 20, 8, 30)}),
        (ACTIVITY, {}, {"policy_activated_at": dt.datetime(2016, 9, 1, 22, 5, 17)}),
    ],
    "names_with_national_characters": [
        (ACTIVITY, {"class_kind": "service_class_period"}, {"service_class": "#BAT$@1", "workload": "BAT$WL"}),
        (
            ACTIVITY,
            {"class_kind": "service_class_period"},
            {"policy": "POL@2016", "resource_group": "RG#1", "sysplex": "PLEX#1"},
        ),
        (
            ACTIVITY,
            {"class_kind": "report_class"},
            {"report_class": "$R@#1", "description": 'Cafe jobs, 100% "cheap" <&>'},
        ),
        (GOAL, {"system": "@SY1"}, {"velocity_pct": 64.8, "scope": "#SY2,@SY1"}),
    ],
    "not_our_report": [
        (UNKNOWN, {}, {"banner": "CHANNEL PATH ACTIVITY", "pages": 1, "page": 2}),
        (ACTIVITY, {"class_kind": "service_class"}, {"page": 1, "transactions_ended": 1940}),
        (ACTIVITY, {"class_kind": "report_class"}, {"page": 3, "transactions_ended": 1702}),
    ],
}
SEEN = [(name, *row) for name, rows in BY_EYE.items() for row in rows]


@pytest.mark.parametrize(("name", "table", "selector", "values"), SEEN)
def test_values_as_seen_on_the_page(name: str, table: str, selector: dict, values: dict) -> None:
    row = one(sample_tables(sample(name)), table, **selector)
    assert {column: plain(row[column]) for column in values} == {column: plain(v) for column, v in values.items()}


def test_wrong_date_order_leaves_the_interval_empty_and_says_so() -> None:
    tables = read_text(sample("dd_mm_dates").read_text(), options=Options(date_order="mdy"))
    assert one(tables, ACTIVITY)["interval_start"] is None
    assert one(tables, ACTIVITY)["transactions_ended"] == 1940
    assert "20/09/2016" in one(tables, REJECT)["what"]
    assert "--date-order dmy" in one(tables, REJECT)["hint"]


def _sum_of(tables: Tables, column: str, **selector: object) -> float:
    frame = tables[ACTIVITY]
    for name, value in selector.items():
        frame = frame.filter(frame[name] == value)
    return float(frame[column].sum())


@pytest.mark.parametrize(
    "column", ["transactions_ended", "cpu_time_s", "srb_time_s", "iip_time_s", "swaps", "ioc_service"]
)
def test_periods_add_up_to_their_class(column: str) -> None:
    tables = sample_tables(sample("g2_periods_of_a_class"))
    of_class = _sum_of(tables, column, class_kind="service_class")
    assert _sum_of(tables, column, class_kind="service_class_period") == pytest.approx(of_class)
    assert of_class > 0


@EVERY
def test_numbers_of_a_page_agree_with_each_other(path: Path) -> None:
    """TOT = IOC + CPU + MSO + SRB, END/S = ENDED / interval, and bucket counts add up: a sample that breaks one would
    show a reader numbers that no system prints, a reader that mixes up columns breaks them too."""
    tables = sample_tables(path)
    for row in tables[ACTIVITY].iter_rows(named=True) if ACTIVITY in tables else ():
        parts = [row[f"{part}_service"] for part in ("ioc", "cpu", "mso", "srb")]
        if row["total_service"] is not None and None not in parts:
            suffixed = max(row[f"{part}_service_resolution"] or 1 for part in ("ioc", "cpu", "mso", "srb", "total"))
            assert sum(parts) == pytest.approx(row["total_service"], abs=2.5 * suffixed)
        if row["transactions_per_s"] is not None and row["transactions_ended"] and row["interval_s"]:
            per_s = row["transactions_ended"] / row["interval_s"]
            assert row["transactions_per_s"] == pytest.approx(per_s, abs=0.021, rel=1e-4)
    for _, bucket in _distributions(tables):
        # Counts in full are exact; 418K stands for 417.5 to 418.5 thousand.
        half = {
            name: pl.when(pl.col(f"{name}_resolution") > 1).then(pl.col(f"{name}_resolution") / 2).otherwise(0)
            for name in ("transactions", "transactions_cumulative")
        }
        off = bucket.select(half["transactions"].cum_sum() + half["transactions_cumulative"]).to_series()
        apart = bucket["transactions"].cum_sum() - bucket["transactions_cumulative"]
        assert (apart.abs() <= off).all()


def _distributions(tables: Tables) -> Iterable[tuple[object, pl.DataFrame]]:
    if BUCKET not in tables:
        return ()
    return tables[BUCKET].sort("line").group_by("period", "system", maintain_order=True)


# --- The files that the demo ingests --------------------------------------------------------------------------------

DEMO = {path.stem: path for path in sorted((ROOT / "sample_reports" / "demo").glob("*.txt"))}


def _demo(name: str) -> Tables:
    return read_text(DEMO[name].read_bytes(), name=f"{name}.txt")


@pytest.mark.parametrize("name", ["before", "after", "test_sysplex_v2r2"])
def test_demo_pages_are_read_whole(name: str) -> None:
    tables = _demo(name)
    assert tables[REJECT].height == 0
    assert DEMO[name].stat().st_size < 160_000
    assert tables[POLICY]["norm_factor_iip"].to_list() == [1.0] * tables[POLICY].height
    assert set(tables[ACTIVITY]["scope"]) == {"TST1,TST2" if name == "test_sysplex_v2r2" else "PRD1,PRD2"}


@pytest.mark.parametrize(("name", "day"), [("before", 13), ("after", 14)])
def test_demo_has_four_intervals_of_one_hour(name: str, day: int) -> None:
    activity = _demo(name)[ACTIVITY]
    starts = [dt.datetime(2021, 4, day, 10, minute) for minute in (0, 15, 30, 45)]
    assert sorted(set(activity["interval_start"])) == starts
    assert len(set(activity["service_class"].drop_nulls())) == 6
    assert len(set(activity["report_class"].drop_nulls())) == 3


@pytest.mark.parametrize("name", ["before", "after"])
def test_demo_numbers_agree_with_each_other(name: str) -> None:
    """Periods add up to their class in every interval, and APPL % follows from the times."""
    activity = _demo(name)[ACTIVITY]
    for column in ("transactions_ended", "cpu_time_s", "iip_time_s"):
        of_class = activity.filter(activity["class_kind"] == "service_class")
        periods = activity.filter(
            (activity["class_kind"] == "service_class_period")
            & activity["service_class"].is_in(of_class["service_class"].unique().to_list())
        )
        sums = [
            frame.group_by("interval_start", "service_class").agg(pl.col(column).sum()) for frame in (of_class, periods)
        ]
        both = sums[0].join(sums[1], on=["interval_start", "service_class"])
        assert both.height == 8
        assert both[column].to_list() == pytest.approx(both[f"{column}_right"].to_list(), abs=0.01)
    times = (
        pl.col("cpu_time_s") + pl.col("srb_time_s") + pl.col("rct_time_s") + pl.col("iit_time_s") + pl.col("hst_time_s")
    )
    general = (times - pl.col("iip_time_s")) / pl.col("interval_s") * 100
    assert activity.select((general - pl.col("appl_cp_pct")).abs().max()).item() < 0.02
    assert activity.select((pl.col("appl_iipcp_pct") <= pl.col("appl_cp_pct")).all()).item()


def test_demo_shows_a_change() -> None:
    """After the change the DDF work costs less a transaction, and more of it runs on zIIPs."""
    cost, share = [], []
    for name in ("before", "after"):
        activity = _demo(name)[ACTIVITY]
        ddf = activity.filter((activity["service_class"] == "DDFHI") & (activity["class_kind"] == "service_class"))
        cpu, ziip, ended = (float(ddf[c].sum()) for c in ("cpu_time_s", "iip_time_s", "transactions_ended"))
        cost.append(cpu / ended)
        share.append(ziip / cpu)
    assert cost[1] < cost[0] * 0.9
    assert share[1] > share[0] * 1.4
