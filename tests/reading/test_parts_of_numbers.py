"""Digits behind a blank, and letters that no report prints behind a number: neither the digits in front nor a larger number is stored."""

from __future__ import annotations

import re

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample

# A sample, what is printed, what a copy made of it, and the column that is unknown then.
BROKEN = [
    ("cpu_two_threads", r"100\.0  HIGH", "100 .0 HIGH", "rmf_cpu_activity", "logical_share_pct"),
    ("cpu_two_threads", r" 64\.3  MED", " 64 3  MED", "rmf_cpu_activity", "logical_share_pct"),
    ("cpu_two_threads", r"12\.41 ", "12 41 ", "rmf_cpu_activity", "io_interrupts_per_s"),
    ("cpu_two_threads", r"RPT VERSION V2R5", "RPT VERSION 5 2.0", "rmf_cpu_activity", "report_version"),
    ("cics_dfh0stat_storage", r"CICS 6\.4\.0", "CICS 6 4.0", "cics_dsa_size", "cics_release"),
    ("cpu_two_threads", r"CAPACITY  2101 ", "CAPACITY  2 101", "rmf_cpu_activity", "cpc_capacity"),
    # A letter for thousands of millions that CICS alone prints, and letters behind a time and a share.
    ("cf_usage_summary", r" 41875 ", "41875B ", "rmf_cf_structure_summary", "requests"),
    ("g2_periods_of_a_class", r"0\.032  IIPCP", "0.032K IIPCP", "rmf_workload_activity", "rct_time_s"),
    ("cpu_two_threads", r"71\.24        72", "71.24K       72", "rmf_cpu_activity", "lpar_busy_pct"),
    # A number that lost its last digit, and names that are lost: what follows a label far off is none.
    ("g2_periods_of_a_class", r"IIPCP   0\.46 ", "IIPCP   0.4  ", "rmf_workload_activity", "appl_iipcp_pct"),
    ("cpu_two_threads", r"58\.90        59\.43", "58.9         59.43", "rmf_cpu_activity", "lpar_busy_pct"),
    ("g2_periods_of_a_class", r"(CPU +\d+\.\d\d)\d(?= )", r"\1 ", "rmf_workload_activity", "cpu_time_s"),
    # No decimals are declared of this one: it has fewer than the others of its page.
    ("chan_all_kinds_of_channels", r"1\.20   9\.84", "1.2    9.84", "rmf_channel_path", "partition_read_mb_per_s"),
    ("jmh_wide_columns_and_two_runs", r"210\.400", "210.40 ", "jmh_result", "error"),
    ("summary_default_columns", r" \.0023 ", "  0023 ", "cics_monitoring_summary", "file_wait_s"),
    # A comma for a point, and a point for a comma.
    ("cpu_changed_within_duration", r"1\.473", "1,473", "rmf_multithreading", "thread_density_avg"),
    ("cics_dfh0stat_titled_pages", r" 1,792K", " 1.792K", "cics_storage", "dsa_total_bytes"),
    # Letters of sizes and counts behind numbers of other columns.
    ("service_policy_page_tenants", r" 12      18K", "12K      18K", "rmf_resource_group", "msu"),
    ("cics_dfh0stat_connection", r"\.43120", ".4    ", "cics_db2_connection", "connect_time"),
    ("cpu_two_threads", r"SYSTEM ID MVSA", "SYSTEM ID     ", "rmf_cpu_activity", "system"),
]


@pytest.mark.parametrize(("name", "printed", "broken", "table", "column"), BROKEN)
def test_a_part_of_a_number_is_not_the_number(name: str, printed: str, broken: str, table: str, column: str) -> None:
    text = sample(name).read_text()
    whole, tables = read_text(text), read_text(re.sub(printed, broken, text, count=1))
    stored = tables[table].select("line", column).rows()
    assert any(value is None for _, value in stored)
    assert set(stored) - {(line, None) for line, _ in stored} <= set(whole[table].select("line", column).rows())
    assert len(tables["parse_reject"]) > len(whole["parse_reject"]) or column in ("report_version", "cics_release")


def test_cics_prints_thousands_of_millions_as_b() -> None:
    requests = read_text(sample("cics_summary").read_text())["cics_db2entry_request"]
    assert 3_000_000_000 in requests["signons"].to_list()
