"""What the printer of CICS servers prints, the reader reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from ironlake.models.generate import Order, generate
from printed import read

MODEL = """
model: Shared queues
start: 2026-01-31T23:00
interval_s: 1800
step_intervals: 4
variation_pct: 2
reports: [cics_servers, cf_activity]
systems: {SYSA: {cp: 4}, SYSB: {cp: 4}}
coupling_facilities: {CF01: {processors: 1, link_us: 10}}
data_sharing:
  group: DSNH
  lock: {facility: CF01, service_us: 5}
  queues:
    DFHXQLS_ORDERS: {facility: CF01, service_us: 8, kilobytes: 2, kept_s: 30}
    OTHER: {facility: CF01, service_us: 8}
service_classes: {STC: {workload: CICS, velocity_pct: 60}}
classes: {TASK: {service_class: STC, subsystem: CICS}}
work: {send: {TASK: {cp_ms: 1, messages: {DFHXQLS_ORDERS: 1.5, OTHER: 1}}}}
workloads: {Send: {counted_by: TASK, request: {send: 1}}}
configurations:
  shared: {data_sharing: yes, load: {Send: {rate_per_s: 200}}}
  alone: {systems: SYSA, load: {Send: {rate_per_s: 200}}}
"""


def test_a_pool_of_a_model_has_the_requests_that_rmf_counts(tmp_path: Path) -> None:
    """150 messages a second on each of two systems, kept for 30 s: 9,000 queues, of 8 elements each."""
    (tmp_path / "model.yaml").write_text(MODEL)
    generate(tmp_path / "model.yaml", tmp_path / "out", Order())
    pages = sorted((tmp_path / "out").glob("*_cics_server.txt"))
    assert [path.name for path in pages] == [f"shared_sys{name}_orders_cics_server.txt" for name in "ab"]
    facility = read((tmp_path / "out" / "shared_cf01_cf_activity.txt").read_bytes())["rmf_cf_structure_activity"]
    for path, system in zip(pages, ("SYSA", "SYSB"), strict=True):
        tables = read(path.read_bytes())
        pools, accesses = tables["cics_server_pool"], tables["cics_server_access"]
        assert pools["collected_at"].dt.strftime("%d %H:%M").to_list() == [
            "31 23:30", "01 00:00", "01 00:30", "01 01:00",
        ]  # fmt: skip
        assert set(pools["system"]) == set(accesses["system"]) == {system}
        rmf = facility.filter(structure_name="DFHXQLS_ORDERS", system=system)
        # RMF prints thousands.
        of_rmf = [pytest.approx(count, abs=500) for count in rmf["requests"].to_list()]
        assert (accesses["index_writes"] + accesses["index_deletes"]).to_list() == of_rmf
        assert accesses["normal"].to_list() == of_rmf
        assert len(of_rmf) == 4
        for row in pools.rows(named=True):
            assert row["objects_current"] == row["entries_in_use"] == pytest.approx(9000, rel=0.1)
            for used in ("in_use", "max_used", "free", "total"):
                assert row[f"elements_{used}"] == 8 * row[f"entries_{used}"]
            assert row["entries_in_use"] < row["entries_max_used"] < row["entries_total"]
    assert pages[0].read_text().count("J E S 2") == 1
