"""Published pages of the real report, read from beside the project where they are there: values as printed.

The pages are not part of the project. Every value below was read off its page by eye; a page's name begins its tests.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import cache
from pathlib import Path

import pytest
from ironlake.pipeline.reading.engine import read_text
from margins import values_of, with_margin, without_control, without_margin
from sample_pages import SHARED, Tables, one, plain, row_lines
from sizes import some

FOLDER = SHARED / "real_reports"
PREFIX = "rmf_workload_activity__"
PATHS = sorted(FOLDER.glob(f"{PREFIX}*.txt"))

pytestmark = pytest.mark.skipif(
    not PATHS,
    reason=f"the published pages {PREFIX}* are not in ../{FOLDER.parent.name}/{FOLDER.name} beside the project",
)
EVERY = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem.removeprefix(PREFIX))

ACTIVITY, GOAL, DELAY = "rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay"
BUCKET, IMPORTANCE = "rmf_response_time_distribution", "rmf_workload_importance"
BREAKDOWN, POLICY, SYSTEM = "rmf_workload_response_breakdown", "rmf_service_policy", "rmf_service_policy_system"
GROUP, NULLS = "rmf_resource_group", "cell_null"

TSO, CICS = "mvsesa_5.1_tso_two_periods", "mvsesa_5.1_cics_response_breakdown"
PRIORITY, HONOR = "zos_v2r1_io_priority_group", "zos_v2r2_honor_priority_transaction_appl"
SYSSTC, MICRO = "zos_v2r2_sysstc_system", "zos_v2r3_microseconds_importance_distributions"
POLICY_2, POLICY_3 = "zos_v2r2_service_policy_page", "zos_v2r3_service_policy_page_tenants"
POLICY_5 = "zos_v2r5_service_policy_page_asa"

# Rows that each page must give, counted on it.
ROWS = {
    TSO: {ACTIVITY: 2, GOAL: 2, DELAY: 30, BUCKET: 8},
    CICS: {ACTIVITY: 2, GOAL: 1, BUCKET: 4, BREAKDOWN: 68},
    PRIORITY: {ACTIVITY: 2},
    HONOR: {ACTIVITY: 1},
    SYSSTC: {ACTIVITY: 2, "unread_section": 1},
    MICRO: {ACTIVITY: 1, GOAL: 3, DELAY: 39, BUCKET: 42, IMPORTANCE: 3},
    POLICY_2: {POLICY: 1, SYSTEM: 2, GROUP: 7},
    POLICY_3: {POLICY: 1, GROUP: 24},
    POLICY_5: {POLICY: 1, SYSTEM: 6},
}
_T1, _T2 = {"period": 1}, {"period": 2}
_FAST, _HOTEL = {"service_class": "CICUSRTX"}, {"service_class": "CICSHR"}
_STC, _SYS = {"service_class": "SYSSTC"}, {"service_class": "SYSTEM"}
_BATCH, _HIGH = {"service_class": "BATCH"}, {"service_class": "BATCHHI"}
_ZERO_TIMES = {f"{name}_time_s": 0.0 for name in ("actual", "execution", "queued", "rs_affinity", "ineligible")}
_NO_PROMOTION = {f"promoted_{name}_s": 0.0 for name in ("blk", "enq", "crm", "lck", "sup")}

AS_PRINTED: dict[str, list[tuple[str, dict, dict]]] = {
    TSO: [
        (ACTIVITY, _T1, {"sysplex": "PLEX1", "report_kind": "interval", "interval_s": 300.319, "system": None}),
        (ACTIVITY, _T1, {"interval_start": dt.datetime(1995, 6, 17, 14, 54, 58), "report_version": "5.1.0"}),
        (ACTIVITY, _T1, {"interval_end": dt.datetime(1995, 6, 17, 14, 59, 58, 319000), "release": "MVS/ESA SP5.1.0"}),
        (ACTIVITY, _T1, {"policy_activated_at": dt.datetime(1995, 6, 17, 14, 46, 4), "policy": "ALLCENT"}),
        (ACTIVITY, _T1, {"workload": "TSO", "service_class": "TSO", "resource_group": None, "importance": 2}),
        (ACTIVITY, _T1, {"importance_printed": "HIGH", "class_kind": "service_class_period", "report_class": None}),
        (
            ACTIVITY,
            _T1,
            {"transactions_avg": 0.96, "transactions_mpl": 0.77, "transactions_ended": 2498, "swaps": 2494},
        ),
        (ACTIVITY, _T1, {"transactions_per_s": 8.32, "transactions_executed": 0, "actual_time_s": 0.076}),
        (ACTIVITY, _T1, {"queued_time_s": 0.0, "execution_time_s": 0.076, "time_stddev_s": 0.136}),
        (ACTIVITY, _T1, {"ioc_service": 52735, "cpu_service": 660727, "mso_service": 1321473, "srb_service": 39414}),
        (ACTIVITY, _T1, {"total_service": 2074349, "service_per_s": 6907, "absorption_rate": 9001}),
        (
            ACTIVITY,
            _T1,
            {"transaction_service_rate": 7209, "cpu_time_s": 23.0, "srb_time_s": 1.4, "appl_tcb_srb_pct": 8.1},
        ),
        (ACTIVITY, _T1, {"page_in_single_per_s": 0.6, "page_in_block_per_s": 0.0, "page_in_hsp_per_s": 0.0}),
        (ACTIVITY, _T1, {"page_in_hsp_miss_per_s": 0.0, "page_in_expanded_single_per_s": 0.0}),
        (
            ACTIVITY,
            _T1,
            {"storage_avg_frames": 302.92, "storage_total_frames": 232.46, "storage_central_frames": 232.46},
        ),
        (ACTIVITY, _T1, {"storage_expanded_frames": 0.0, "storage_shared_frames": None, "appl_cp_pct": None}),
        (ACTIVITY, _T2, {"transactions_ended": 187, "actual_time_s": 0.419, "time_stddev_s": 0.361, "swaps": 187}),
        (ACTIVITY, _T2, {"total_service": 766386, "page_in_single_per_s": 10.92, "page_in_block_per_s": 0.4}),
        (ACTIVITY, _T2, {"absorption_rate": 10501, "storage_total_frames": 79.34, "appl_tcb_srb_pct": 2.7}),
        (GOAL, _T1, {"goal_type": "average", "goal_s": 0.1, "goal_pct": None, "actual_s": 0.076, "velocity_pct": 11.2}),
        (GOAL, _T1, {"performance_index": 0.8, "address_spaces_avg": 145.9, "system": "*ALL", "is_total": True}),
        (GOAL, _T2, {"goal_s": 0.5, "actual_s": 0.419, "velocity_pct": 20.7, "address_spaces_avg": 0.2}),
        (DELAY, _T1 | {"reason": "SWIN"}, {"pct": 0.1}),
        (DELAY, _T1 | {"reason": "IDLE"}, {"pct": 99.3}),
        (DELAY, _T1 | {"reason": "OTHR"}, {"pct": 0.2}),
        (DELAY, _T2 | {"reason": "TOTAL"}, {"pct": 42.9}),
        (DELAY, _T2 | {"reason": "CPU"}, {"pct": 29.4}),
        (DELAY, _T2 | {"reason": "PRIV"}, {"pct": 11.9}),
        (DELAY, _T2 | {"reason": "XMEM"}, {"pct": 1.3}),
        (DELAY, _T2 | {"reason": "VIO"}, {"pct": 0.3}),
        (DELAY, _T2 | {"reason": "OTHR"}, {"pct": 45.9}),
        (BUCKET, _T1 | {"upper_bound_s": 0.05}, {"transactions": 1766, "transactions_cumulative": 1766, "pct": 70.7}),
        (
            BUCKET,
            _T1 | {"upper_bound_s": 0.2},
            {"transactions": 253, "transactions_cumulative": 2251, "cumulative_pct": 90.1},
        ),
        (BUCKET, _T1 | {"upper_bound_s": None}, {"transactions": 247, "cumulative_pct": 100.0, "pct": 9.9}),
        (BUCKET, _T2 | {"upper_bound_s": 0.5}, {"transactions": 61, "transactions_cumulative": 151, "pct": 32.6}),
        (BUCKET, _T2 | {"upper_bound_s": None}, {"transactions": 10, "transactions_cumulative": 187, "system": None}),
    ],
    CICS: [
        (ACTIVITY, _FAST, {"interval_s": 299.595, "interval_start": dt.datetime(1995, 6, 21, 13, 2, 1), "page": 1}),
        (ACTIVITY, _FAST, {"policy": "EQUALHRD", "period": 1, "importance": 2, "transactions_ended": 14326}),
        (ACTIVITY, _FAST, {"transactions_per_s": 47.82, "transactions_executed": 13069, "actual_time_s": 0.086}),
        (
            ACTIVITY,
            _FAST,
            {"queued_time_s": 0.015, "execution_time_s": 0.077, "time_stddev_s": 0.063, "cpu_time_s": None},
        ),
        (ACTIVITY, _HOTEL, {"interval_s": 299.0, "interval_start": dt.datetime(1995, 6, 25, 9, 0, 25), "page": 2}),
        (ACTIVITY, _HOTEL, {"description": "Hotel Reservations", "class_kind": "service_class", "period": None}),
        (ACTIVITY, _HOTEL, {"policy": "HPTSPOL1", "workload": "PRODWKLD", "transactions_per_s": 0.24, "swaps": 0}),
        (
            ACTIVITY,
            _HOTEL,
            {"transactions_ended": 216, "time_stddev_s": 0.27, "queued_time_s": 0.036, "importance": None},
        ),
        (GOAL, _FAST, {"goal_type": "average", "goal_s": 0.09, "actual_s": 0.086, "performance_index": 1.0}),
        (GOAL, _FAST, {"velocity_pct": None, "address_spaces_avg": None}),
        (NULLS, {"column": "velocity_pct"}, {"table": GOAL, "reason": "N/A"}),
        (BREAKDOWN, _FAST | {"phase": "BTE", "state": "TOTAL"}, {"pct": 96.0, "subsystem": "CICS"}),
        (BREAKDOWN, _FAST | {"phase": "BTE", "state": "CONV"}, {"pct": 89.5}),
        (BREAKDOWN, _FAST | {"phase": "EXE", "state": "I/O"}, {"pct": 62.3}),
        (BREAKDOWN, _FAST | {"phase": "EXE", "state": "READY"}, {"pct": 7.7}),
        (BREAKDOWN, _HOTEL | {"phase": "BTE", "state": "ACTIVE"}, {"pct": 10.2}),
        (BREAKDOWN, _HOTEL | {"phase": "EXE", "state": "PROD"}, {"pct": 46.7}),
        (BREAKDOWN, _HOTEL | {"phase": "EXE", "state": "MISC"}, {"pct": 0.0}),
        (BUCKET, {"upper_bound_s": 0.045}, {"transactions": 5597, "pct": 39.1, "service_class": "CICUSRTX"}),
        (
            BUCKET,
            {"upper_bound_s": 0.18},
            {"transactions": 3633, "transactions_cumulative": 13096, "cumulative_pct": 91.4},
        ),
        (BUCKET, {"upper_bound_s": None}, {"transactions": 1230, "pct": 8.6, "cumulative_pct": 100.0}),
    ],
    PRIORITY: [
        (ACTIVITY, _BATCH, {"interval_start": None, "interval_s": None, "sysplex": None, "policy": "WLMPOL"}),
        (ACTIVITY, _BATCH, {"critical": "CPU+STORAGE", "io_priority_group": "HIGH", "description": "Batch Workload"}),
        (ACTIVITY, _BATCH, {"transactions_avg": 0.74, "transactions_mpl": 0.74, "swaps": 15, **_ZERO_TIMES}),
        (ACTIVITY, _BATCH, {"ioc_service": 0, "cpu_service": 287332, "mso_service": 537297, "srb_service": 11}),
        (ACTIVITY, _BATCH, {"total_service": 824640, "service_per_s": 916, "absorption_rate": 1232}),
        (ACTIVITY, _BATCH, {"cpu_time_s": 6.429, "srb_time_s": 0.0, "rct_time_s": 0.002, "iip_time_s": 0.502}),
        (ACTIVITY, _BATCH, {"appl_cp_pct": 0.66, "appl_iip_pct": 0.06, "appl_aap_pct": 0.0, **_NO_PROMOTION}),
        (ACTIVITY, _BATCH, {"storage_avg_frames": 7663.01, "storage_total_frames": 5698.61, "page_in_hsp_per_s": 0.0}),
        (ACTIVITY, _HIGH, {"period": 2, "importance": 4, "critical": "NONE", "io_priority_group": "HIGH"}),
        (ACTIVITY, _HIGH, {"description": None, "page_in_single_per_s": 0.0, "page_in_block_per_s": None}),
        (ACTIVITY, _HIGH, {"page_in_shared_per_s": None, "page_in_hsp_per_s": None, "storage_shared_frames": 0.0}),
    ],
    HONOR: [
        (
            ACTIVITY,
            {},
            {"service_class": "DB2P", "honor_priority": "NO", "resource_group": "RGPIX1", "critical": "NONE"},
        ),
        (ACTIVITY, {}, {"description": "DB2 subsystem", "interval_start": None, "workload": "STC"}),
        (ACTIVITY, {}, {"cpu_time_s": 42.328, "srb_time_s": 0.005, "aap_time_s": None, "iip_time_s": 0.0, "swaps": 3}),
        (ACTIVITY, {}, {"appl_cp_pct": 4.7, "appl_aapcp_pct": 0.0, "appl_aap_pct": None, "appl_iip_pct": 0.0}),
        (
            ACTIVITY,
            {},
            {"cpu_service": 33694000, "mso_service": 1233000, "srb_service": 4204, "total_service": 34931000},
        ),
        (ACTIVITY, {}, {"service_per_s": 38812, "absorption_rate": 39000, "transaction_service_rate": 39000}),
        (ACTIVITY, {}, {"absorption_rate_resolution": 1000.0, "srb_service_resolution": 1.0, "promoted_lck_s": 0.002}),
        (ACTIVITY, {}, {"storage_avg_frames": 1498.0, "storage_total_frames": 1492.94, "storage_shared_frames": 1.0}),
        (ACTIVITY, {}, {"page_in_single_per_s": 0.0, "page_in_shared_per_s": 0.0, "page_in_hsp_per_s": 0.0}),
        (ACTIVITY, {}, {"transaction_appl_total_cp_pct": 4.7, "transaction_appl_total_ziip_pct": 0.0}),
        (ACTIVITY, {}, {"transaction_appl_mobile_cp_pct": 0.0, "transaction_appl_category_a_cp_pct": None}),
        (NULLS, {"column": "appl_aap_pct"}, {"reason": "N/A", "table": ACTIVITY}),
        (NULLS, {"column": "aap_time_s"}, {"reason": "N/A", "table": ACTIVITY}),
    ],
    SYSSTC: [
        (
            ACTIVITY,
            _STC,
            {"sysplex": "UTCPLXCB", "release": "z/OS V2R2", "report_version": "V2R2", "interval_s": 900.013},
        ),
        (ACTIVITY, _STC, {"interval_start": dt.datetime(2015, 4, 21, 1, 15), "description": "STARTED TASK DEFAULT"}),
        (ACTIVITY, _STC, {"interval_end": dt.datetime(2015, 4, 21, 1, 30, 0, 13000), "class_kind": "service_class"}),
        (
            ACTIVITY,
            _STC,
            {"policy_activated_at": dt.datetime(2015, 4, 3, 0, 8, 43), "policy": "BASEPOL", "period": None},
        ),
        (
            ACTIVITY,
            _STC,
            {"transactions_avg": 253.29, "transactions_mpl": 253.29, "transactions_ended": 28, "swaps": 2828},
        ),
        (ACTIVITY, _STC, {"transactions_per_s": 0.03, "enclaves_avg": 0.0, "actual_time_s": 1.311}),
        (ACTIVITY, _STC, {"execution_time_s": 0.143, "queued_time_s": 1.167, "rs_affinity_time_s": 0.0}),
        (ACTIVITY, _STC, {"conversion_time_s": 0.224, "time_stddev_s": 0.465, "ineligible_time_s": 0.0}),
        (
            ACTIVITY,
            _STC,
            {"ssch_per_s": 474.2, "dasd_response_ms": 3.3, "dasd_connect_ms": 2.5, "dasd_disconnect_ms": 0.6},
        ),
        (ACTIVITY, _STC, {"dasd_qpend_ms": 0.1, "dasd_iosq_ms": 0.0, "ioc_service": 2237000, "cpu_service": 356803000}),
        (
            ACTIVITY,
            _STC,
            {"mso_service": 0, "srb_service": 4123000, "total_service": 363163000, "service_per_s": 403512},
        ),
        (ACTIVITY, _STC, {"absorption_rate": 1593, "transaction_service_rate": 1593, "cpu_time_s": 6153.266}),
        (ACTIVITY, _STC, {"srb_time_s": 70.355, "rct_time_s": 0.325, "iit_time_s": 11.223, "hst_time_s": 0.0}),
        (ACTIVITY, _STC, {"aap_time_s": 0.0, "iip_time_s": 180.186, "appl_cp_pct": 672.77, "appl_aapcp_pct": 0.0}),
        (ACTIVITY, _STC, {"appl_iipcp_pct": 0.01, "appl_aap_pct": 0.0, "appl_iip_pct": 20.02, "promoted_enq_s": 0.002}),
        (ACTIVITY, _STC, {"promoted_lck_s": 8.443, "promoted_blk_s": 0.0, "storage_avg_frames": 53003.11}),
        (
            ACTIVITY,
            _STC,
            {"storage_total_frames": 13425085, "storage_shared_frames": 95538.02, "page_in_hsp_per_s": 0.0},
        ),
        (ACTIVITY, _SYS, {"description": "HIGH PRIORITY SYSTEM WORK", "transactions_avg": 224.0, "ssch_per_s": 6809}),
        (ACTIVITY, _SYS, {"ioc_service": 769142, "cpu_service": 92376000, "srb_service": 136665000}),
        (ACTIVITY, _SYS, {"ioc_service_resolution": 1.0, "cpu_service_resolution": 1000.0, "srb_time_s": 2367.668}),
        (ACTIVITY, _SYS, {"appl_cp_pct": 448.4, "iit_time_s": 22.044, "storage_total_frames": 13455308, "line": 32}),
    ],
    MICRO: [
        (
            ACTIVITY,
            {},
            {"interval_start": dt.datetime(2016, 12, 19, 2, 45), "interval_s": 900.003, "scope": "CB88,CB8A"},
        ),
        (
            ACTIVITY,
            {},
            {"policy": "BASEPOL", "workload": "STC_WLD", "service_class": "STCLOW", "period": 1, "importance": 3},
        ),
        (ACTIVITY, {}, {"critical": "NONE", "description": None, "transactions_avg": 46.51, "transactions_mpl": 46.49}),
        (ACTIVITY, {}, {"transactions_ended": 11, "transactions_per_s": 0.01, "swaps": 971, "actual_time_s": 5.637787}),
        (ACTIVITY, {}, {"execution_time_s": 4.957964, "queued_time_s": 0.679822, "conversion_time_s": 0.19065}),
        (
            ACTIVITY,
            {},
            {"time_stddev_s": 2.506325, "transaction_appl_total_cp_pct": 1.04, "enclaves_multisystem_avg": 0.0},
        ),
        (ACTIVITY, {}, {"transaction_appl_mobile_on_cp_pct": 0.0, "transaction_appl_category_b_ziip_pct": 0.0}),
        (ACTIVITY, {}, {"ioc_service": 23349, "cpu_service": 566054, "srb_service": 24025, "total_service": 613428}),
        (
            ACTIVITY,
            {},
            {"service_per_s": 682, "absorption_rate": 15, "transaction_service_rate": 15, "cpu_time_s": 9.021},
        ),
        (
            ACTIVITY,
            {},
            {"srb_time_s": 0.383, "rct_time_s": 0.107, "iit_time_s": 0.012, "hst_time_s": 0.0, "iip_time_s": 0.0},
        ),
        (ACTIVITY, {}, {"aap_time_s": None, "appl_cp_pct": 1.06, "appl_iipcp_pct": 0.0, "appl_iip_pct": 0.0}),
        (
            ACTIVITY,
            {},
            {"appl_aapcp_pct": 0.0, "appl_aap_pct": None, "promoted_lck_s": 708670.7, "promoted_sup_s": 0.0},
        ),
        (
            ACTIVITY,
            {},
            {"ssch_per_s": 2.8, "dasd_response_ms": 0.1, "dasd_iosq_ms": 0.0, "storage_avg_frames": 4118.93},
        ),
        (ACTIVITY, {}, {"storage_total_frames": 191482.5, "page_in_block_per_s": 0.3, "page_in_hsp_per_s": 0.0}),
        (GOAL, {"system": "*ALL"}, {"goal_type": "average", "goal_s": 5.0, "actual_s": 15.590291, "is_total": True}),
        (
            GOAL,
            {"system": "CB8A"},
            {"actual_s": 15.858951, "velocity_pct": 40.0, "performance_index": 3.2, "is_total": False},
        ),
        (GOAL, {"system": "CB88"}, {"actual_s": 15.108366, "velocity_pct": 25.0, "address_spaces_avg": 1.5}),
        (DELAY, {"system": "CB8A", "reason": "UNK"}, {"pct": 0.1}),
        (DELAY, {"system": "CB88", "reason": "TOT"}, {"pct": 0.1}),
        (DELAY, {"system": "*ALL", "reason": "IDL"}, {"pct": 100.0}),
        (DELAY, {"system": "*ALL", "reason": "AAP"}, {"pct": None}),
        (IMPORTANCE, {"summary_period": 1}, {"summary_importance": 1, "performance_index": 0.8, "transactions": 468}),
        (
            IMPORTANCE,
            {"summary_period": 1},
            {"transactions_pct": 96.0, "goal_s": 0.4, "goal_pct": 90.0, "actual_pct": 90.8},
        ),
        (IMPORTANCE, {"summary_period": 1}, {"total_pct": 87.3, "velocity_pct": 84.6, "velocity_goal_pct": None}),
        (IMPORTANCE, {"summary_period": 1}, {"total_using_pct": 0.1, "execution_delay_pct": 0.0, "is_total": False}),
        (
            IMPORTANCE,
            {"summary_period": 2},
            {"goal_s": 3.0, "goal_pct": None, "actual_s": 1.174936, "velocity_pct": 100.0},
        ),
        (IMPORTANCE, {"summary_period": 2}, {"total_using_pct": 40.3, "transactions": 19, "transactions_pct": 4.0}),
        (IMPORTANCE, {"is_total": True}, {"transactions": 487, "transactions_pct": 100.0, "performance_index": None}),
        (
            BUCKET,
            {"system": "CB8A", "upper_bound_s": 0.1925},
            {"transactions": 12, "cumulative_pct": 52.2, "pct": 52.2},
        ),
        (
            BUCKET,
            {"system": "CB8A", "upper_bound_s": 0.308},
            {"transactions": 1, "transactions_cumulative": 22, "pct": 4.3},
        ),
        (BUCKET, {"system": "CB8A", "upper_bound_s": None}, {"transactions": 1, "transactions_cumulative": 23}),
        (BUCKET, {"system": "CB88", "upper_bound_s": 0.247}, {"transactions": 24, "cumulative_pct": 53.3}),
        (
            BUCKET,
            {"system": "CB88", "upper_bound_s": 0.4446},
            {"transactions": 5, "transactions_cumulative": 36, "pct": 11.1},
        ),
        (BUCKET, {"system": "CB88", "upper_bound_s": 1.976}, {"transactions": 2, "cumulative_pct": 88.9, "pct": 4.4}),
        (BUCKET, {"system": "CB88", "upper_bound_s": None}, {"transactions": 5, "cumulative_pct": 100.0, "pct": 11.1}),
        (BUCKET, {"system": None, "upper_bound_s": 0.25}, {"transactions": 171, "cumulative_pct": 19.1, "pct": 19.1}),
        (
            BUCKET,
            {"system": None, "upper_bound_s": 0.7},
            {"transactions": 14, "transactions_cumulative": 220, "pct": 1.6},
        ),
        (
            BUCKET,
            {"system": None, "upper_bound_s": None},
            {"transactions": 612, "transactions_cumulative": 897, "pct": 68.2},
        ),
    ],
    POLICY_2: [
        (POLICY, {}, {"sysplex": "SYSDPLEX", "report_kind": "duration", "interval_s": 900.0, "scope": "SYSD,SYSE"}),
        (POLICY, {}, {"interval_start": dt.datetime(2017, 2, 10, 13, 59, 34), "report_version": "V2R2"}),
        (POLICY, {}, {"interval_end": dt.datetime(2017, 2, 10, 14, 14, 34), "service_definition": "SYSTES2"}),
        (POLICY, {}, {"policy_activated_at": dt.datetime(2017, 1, 13, 12, 4, 33), "installed_by": "BMAI"}),
        (POLICY, {}, {"policy": "STANDARD", "norm_factor_aap": 1.0, "norm_factor_iip": 1.0, "coefficient_ioc": 5.0}),
        (POLICY, {}, {"coefficient_cpu": 10.0, "coefficient_srb": 10.0, "coefficient_mso": 0.0001}),
        (
            SYSTEM,
            {"system": "SYSD"},
            {"opt": "00", "su_per_s": 79602.0, "capacity_pct": 100.0, "system_interval_s": 900.0},
        ),
        (SYSTEM, {"system": "SYSE"}, {"system_time": "13.59.34", "system_interval_s": 899.0, "boost": None}),
        (GROUP, {"resource_group": "HIGHPRTY", "class_name": None}, {"su_per_s": 3330, "capacity_min": 5000}),
        (GROUP, {"resource_group": "HIGHPRTY", "class_name": None}, {"capacity_max": 999999, "memory_limit": "1000"}),
        (GROUP, {"resource_group": "RGROUP1", "class_name": None}, {"capacity_max": 11.25, "capacity_min": 0.75}),
        (GROUP, {"resource_group": "RGROUP1", "class_name": None}, {"capacity_unit": "NUMBER OF CPs", "su_per_s": 830}),
        (GROUP, {"class_name": "RMFGAT"}, {"resource_group": "RGROUP1", "su_per_s": 190}),
        (GROUP, {"class_name": "SOAKER"}, {"resource_group": "RGROUP1", "su_per_s": 0}),
        (GROUP, {"class_name": "STCSYS"}, {"resource_group": "HIGHPRTY", "su_per_s": 3330}),
    ],
    POLICY_3: [
        (POLICY, {}, {"interval_s": 899.999, "interval_start": dt.datetime(2017, 9, 28, 10, 45), "scope": None}),
        (
            POLICY,
            {},
            {"installed_by": "BLUCIUS", "coefficient_srb": 10.0, "norm_factor_iip": 1.0, "report_kind": "interval"},
        ),
        (GROUP, {"page": 1, "resource_group": "RGROUP1", "system": "SYSE"}, {"memory_usage_bytes": 240 * 2**20}),
        (GROUP, {"page": 1, "resource_group": "RGROUP1", "system": "SYSE"}, {"su_per_s": 234, "cpus": 0.0, "msu": 0}),
        (GROUP, {"page": 1, "class_name": "RMFGAT"}, {"su_per_s": 1000, "cpus": 0.01, "resource_group": "RGROUP1"}),
        (GROUP, {"page": 1, "class_name": "GPMSERVE"}, {"su_per_s": 31, "su_per_s_resolution": 1.0}),
        (GROUP, {"page": 1, "class_name": "RMFTRC2"}, {"resource_group": "TRGRMFN1", "msu": 20, "su_per_s": 14000}),
        (GROUP, {"page": 2, "resource_group": "TRGRMFN1", "system": "SYSD"}, {"memory_usage_bytes": 0, "su_per_s": 0}),
        (GROUP, {"page": 2, "resource_group": "TRGRMFN1", "system": "SYSF"}, {"memory_usage_bytes": 1200 * 2**10}),
    ],
    POLICY_5: [
        (
            POLICY,
            {},
            {"report_kind": "duration", "interval_s": 3600.0, "report_version": "V2R5", "release": "z/OS V2R5"},
        ),
        (POLICY, {}, {"interval_start": dt.datetime(2021, 3, 2, 21, 59, 33), "service_definition": "Policy01"}),
        (POLICY, {}, {"coefficient_ioc": 0.0, "coefficient_cpu": 1.0, "coefficient_mso": 0.0, "norm_factor_iip": 1.0}),
        (POLICY, {}, {"scope": "SYS1,SYS2,SYS3,SYS5,SYS6,SYS7", "installed_by": "TS5367", "policy": "POLICY01"}),
        (
            SYSTEM,
            {"system": "SYS1"},
            {"opt": "RS", "su_per_s": 91954.0, "system_interval_s": 3599.0, "boost": "Recovery"},
        ),
        (SYSTEM, {"system": "SYS2"}, {"system_time": "22.44.33", "system_interval_s": 899.0, "capacity_pct": 100.0}),
        (SYSTEM, {"system": "SYS6"}, {"su_per_s": 95808.4, "boost": "Recovery"}),
        (SYSTEM, {"system": "SYS7"}, {"system_interval_s": 3600.0, "system_time": "21.59.33"}),
    ],
}
SEEN = [(name, *row) for name, rows in AS_PRINTED.items() for row in rows]


def page(name: str) -> str:
    return (FOLDER / f"{PREFIX}{name}.txt").read_text()


@cache
def tables_of(name: str) -> Tables:
    return read_text(page(name), name=name)


def test_every_published_page_is_known_here() -> None:
    assert {p.stem.removeprefix(PREFIX) for p in PATHS} == set(AS_PRINTED) == set(ROWS)
    assert len(SEEN) >= 150


@EVERY
def test_no_line_of_a_published_page_is_rejected(path: Path) -> None:
    tables = read_text(path.read_bytes(), name=path.name)
    assert tables["parse_reject"].rows(named=True) == []
    assert tables["unknown_report"].height == 0


@pytest.mark.parametrize("name", ROWS)
def test_rows_as_counted_on_the_page(name: str) -> None:
    kept = {table: frame.height for table, frame in tables_of(name).items() if frame.height and table != NULLS}
    assert kept == ROWS[name]


@pytest.mark.parametrize(("name", "table", "selector", "values"), SEEN)
def test_values_as_printed(name: str, table: str, selector: dict, values: dict) -> None:
    row = one(tables_of(name), table, **selector)
    assert {column: plain(row[column]) for column in values} == {column: plain(v) for column, v in values.items()}


# --- The same pages as sites deliver them ---------------------------------------------------------------------------

_TITLE = re.compile(r"W O R K L O A D")


def with_carriage_control(text: str) -> str:
    """1 on titles, 0 or - on every fifth and seventh line, blank elsewhere."""
    out = []
    for k, line in enumerate(without_control(text).splitlines()):
        spacing = "-" if k % 7 == 3 else "0" if k % 5 == 2 else " "
        out.append(("1" if _TITLE.search(line) else spacing) + line)
    return "\n".join(out) + "\n"


@EVERY
@pytest.mark.parametrize("columns", some([1, 2, 3, 4], 4))
def test_left_margin_changes_nothing(path: Path, columns: int) -> None:
    assert values_of(with_margin(path.read_text(), columns)) == values_of(without_control(path.read_text()))


@EVERY
def test_lost_margin_changes_nothing(path: Path) -> None:
    assert values_of(without_margin(path.read_text())) == values_of(without_control(path.read_text()))


@EVERY
def test_carriage_control_changes_nothing(path: Path) -> None:
    text = path.read_text()
    if not _TITLE.search(text):
        pytest.skip("an excerpt without its page heading: no line of it could carry a 1")
    assert values_of(with_carriage_control(text)) == values_of(without_control(text))


@EVERY
@pytest.mark.parametrize("end", [b"\r\n", b"\n\n"], ids=["crlf", "blank_lines_between"])
def test_line_ends_change_no_value(path: Path, end: bytes) -> None:
    got = read_text(path.read_bytes().replace(b"\n", end))
    assert _without_lines(row_lines(got)) == _without_lines(values_of(path.read_bytes()))


def _without_lines(rows: list[str]) -> list[str]:
    """Rows without the numbers of their lines, which blank lines move."""
    return sorted(re.sub(r'"(row_)?line": \d+', "", row) for row in rows)


@EVERY
def test_junk_between_lines_changes_no_value(path: Path) -> None:
    """A junk line after every section rule, title and block: rejects, and not one value else."""
    lines = without_control(path.read_text()).splitlines()
    out: list[str] = []
    junk = 0
    for line in lines:
        out.append(line)
        if re.search(r"^ *-{20,} ?[A-Z]|MODE = GOAL|^ *(EXCTD|EXECUTD|TRX SERV|/SEC|\*ALL|ACTUALS|SYSTEMS)", line):
            out.append("  ?!? NOT A LINE OF THIS REPORT ?!?")
            junk += 1
    got = read_text("\n".join(out) + "\n")
    assert got["parse_reject"]["lines"].sum() == junk
    assert junk >= 1 or not _TITLE.search(path.read_text())
    rows = [row for row in row_lines(got) if '"parse_reject"' not in row]
    assert _without_lines(rows) == _without_lines(values_of(without_control(path.read_text())))
