"""The benchmark's baseline reads published pages right."""

from pathlib import Path
from typing import Any

import pytest
from sample_pages import SHARED
from script_tables import read_tables

REAL = SHARED / "real_reports"


# Page, table, the row's place, and what is printed there.
PRINTED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("zos_v2r2_sysstc_system", "rmf_workload_activity", {"service_class": "SYSSTC"},
     {"appl_cp_pct": 672.77, "actual_time_s": 1.311, "execution_time_s": 0.143, "cpu_service": 356_803_000,
      "storage_total_frames": 13_425_085.0, "appl_iip_pct": 20.02, "conversion_time_s": 0.224}),
    ("zos_v2r3_microseconds_importance_distributions", "rmf_workload_activity", {"service_class": "STCLOW"},
     {"queued_time_s": 0.679822, "appl_cp_pct": 1.06, "promoted_lck_s": 708_670.7, "aap_time_s": None}),
    ("mvsesa_5.1_tso_two_periods", "rmf_workload_activity", {"period": 1},
     {"actual_time_s": 0.076, "transactions_ended": 2498, "importance": 2, "page_in_single_per_s": 0.6}),
    ("zos_v2r2_honor_priority_transaction_appl", "rmf_workload_activity", {"service_class": "DB2P"},
     {"absorption_rate": 39_000.0, "appl_aap_pct": None, "transaction_appl_total_cp_pct": 4.7}),
    ("zos_v2r3_microseconds_importance_distributions", "rmf_workload_goal", {"system": "CB88"},
     {"actual_s": 15.108366, "velocity_pct": 25.0, "performance_index": 3.0, "address_spaces_avg": 1.5}),
    ("zos_v2r3_microseconds_importance_distributions", "rmf_response_time_distribution", {"system": "CB88", "transactions": 24},
     {"upper_bound_s": 0.247, "transactions_cumulative": 24, "pct": 53.3}),
    ("zos_v2r5_service_policy_page_asa", "rmf_service_policy_system", {"system": "SYS6"},
     {"su_per_s": 95_808.4, "system_interval_s": 3599.0, "boost": "Recovery"}),
    ("zos_v2r2_service_policy_page", "rmf_service_policy", {"policy": "STANDARD"}, {"norm_factor_iip": 1.0}),
]  # fmt: skip


@pytest.mark.skipif(not REAL.is_dir(), reason="no folder shared/real_reports beside the project")
@pytest.mark.parametrize(("page", "table_name", "where", "expected"), PRINTED)
def test_regex_script_reads_real_pages(
    page: str, table_name: str, where: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    found = read_tables(tmp_path, REAL / f"rmf_workload_activity__{page}.txt")[table_name]
    (row,) = [r for r in found.rows(named=True) if all(r[name] == value for name, value in where.items())]
    assert {name: row[name] for name in expected} == expected
