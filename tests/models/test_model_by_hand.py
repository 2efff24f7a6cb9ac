"""A model small enough to solve by hand: its reports print what queueing theory says."""

from __future__ import annotations

import csv
import datetime as dt
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from ironlake.models.fill_db2 import cics_statistics, coupling_facilities
from ironlake.models.fill_processors import cpu_activity
from ironlake.models.fill_runs import jmh, monitoring
from ironlake.models.fill_workload import workload_activity
from ironlake.models.filling import SolvedStep, StepIntervals
from ironlake.models.model_file import parse_model
from ironlake.models.printers.cics import print_cics
from ironlake.models.printers.coupling_facility import print_coupling_facility
from ironlake.models.printers.machine import print_cpu
from ironlake.models.printers.runs import print_jmh, print_monitoring
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.errors import UsageError
from printed import read
from views_lake import expect

TEXT = """
model: By hand
start: 2026-01-31T10:00
interval_s: 1800
variation_pct: 0
systems:
  TWO: {cp: 2}
  LOST: {cp: 16, captured_pct: 80}
  FAR: {cp: 16}
coupling_facilities:
  CF01: {processors: 1, link_us: 50}
buffer_pools:
  BP1: {hit_pct: 25, read_ms: 2}
data_sharing:
  group: DSNH
  lock: {facility: CF01, service_us: 100}
  queues:
    MQ1: {facility: CF01, service_us: 10, kilobytes: 8, kept_s: 100, storage_mb: 64, memory_mb: 1024}
service_classes:
  ONLINE: {workload: CICS, response_ms: 2000, within_pct: 80}
  STC: {workload: SYSTEM, velocity_pct: 60}
classes:
  THERE: {service_class: STC, subsystem: DB2, system: FAR}
  TASK: {service_class: STC, subsystem: Task}
  DBM1: {service_class: STC, subsystem: DB2}
  WAITER: {service_class: ONLINE, subsystem: CICS}
work:
  compute: {TASK: {cp_ms: 1000}}
  send: {TASK: {messages: {MQ1: 2}}}
  wait: {WAITER: {wait_ms: 1000}}
  share: {TASK: {locks: 50}}
  read: {TASK: {getpages: {BP1: 8}}}
  order: {TASK: {cp_ms: 0.1, ziip_ms: 0.1}, DBM1: {cp_ms: 0.3}}
  nothing: {WAITER: {cp_ms: 0}}
workloads:
  Compute: {counted_by: TASK, request: {compute: 1}}
  Send: {counted_by: TASK, request: {send: 1}}
  Wait: {counted_by: WAITER, request: {wait: 2}}
  Threads:
    counted_by: WAITER
    request: {wait: 1}
    threads: {entry: WAITENT, work: nothing, threadlimit: 2, calls: 3}
  Share: {counted_by: TASK, request: {share: 1}}
  Read: {counted_by: TASK, request: {read: 1}}
  "Order, read": {counted_by: TASK, request: {order: 1}}
configurations:
  compute: {systems: TWO, load: {Compute: {rate_per_s: 1}}}
  wait: {systems: TWO, load: {Wait: {rate_per_s: 100}}}
  threads: {systems: TWO, load: {Threads: {rate_per_s: 1}}}
  two regions: {systems: [LOST, FAR], load: {Threads: {rate_per_s: 1}}}
  share: {systems: LOST, data_sharing: yes, load: {Share: {rate_per_s: 100}}}
  send: {systems: LOST, data_sharing: yes, load: {Send: {rate_per_s: 50}}}
  read: {systems: LOST, load: {Read: {rate_per_s: 100}}}
  order: {systems: LOST, load: {"Order, read": {rate_per_s: 400}}}
  one client: {systems: TWO, load: {Wait: {clients: 1, think_s: 0}}, parameters: {size: 10}}
"""
SECONDS = 1800


def part(configuration: str, text: str = TEXT) -> StepIntervals:
    """An interval of a configuration."""
    model = parse_model(text, "hand.yaml")
    step = SolvedStep(model, model.configurations[configuration], 0)
    return step.intervals(dt.datetime(2026, 1, 31, 10), 1, np.random.Generator(np.random.PCG64(1)))


def tables(configuration: str) -> dict[str, pl.DataFrame]:
    return read(print_workload(workload_activity(part(configuration))))


def one(frame: pl.DataFrame, **where: str | bool) -> dict[str, Any]:
    """The one row of these values."""
    (found,) = frame.filter(**where).rows(named=True)
    return found


def test_a_queue_for_processors_is_response_time_and_delay() -> None:
    """Two processors, one of them busy on average: a third of the tasks wait (Erlang's C), for a second: 1 + 1/3 seconds of which 3 quarters are use."""
    printed = tables("compute")
    block = one(printed["rmf_workload_activity"], report_class="TASK")
    expect(block, transactions_ended=SECONDS, actual_time_s=pytest.approx(4 / 3, abs=0.001))
    expect(block, appl_cp_pct=pytest.approx(100, abs=0.01))
    goal = one(printed["rmf_workload_goal"], service_class="STC", system="TWO")
    assert goal["velocity_pct"] == pytest.approx(75, abs=0.1)
    processors = read(print_cpu(cpu_activity(part("compute"), "TWO")))["rmf_cpu_activity"]
    assert processors.filter(~pl.col("is_total"))["lpar_busy_pct"].sum() == pytest.approx(100, abs=0.02)


def test_work_units_at_two_processors() -> None:
    """With one of two processors busy, 1 + 1/3 work units are there; a sixth of the samples find more than two, half as many more than three."""
    tables = read(print_cpu(cpu_activity(part("compute"), "TWO")))
    units = one(tables["rmf_work_unit"], processor_type="CP")
    assert (units["work_units_min"], units["work_units_avg"], units["processors_unparked_avg"]) == (0, 1.3, 2)
    # The greatest is above the last with half a sample of the 1,800: 3 ** -1 * 2 ** (1 - n) of them.
    assert units["work_units_max"] == 2 + math.floor(math.log2(2 * SECONDS / 3))
    shares = tables["rmf_work_unit_queue"]["samples_pct"].to_list()
    assert shares[:5] == [pytest.approx(100 * share, abs=0.06) for share in (5 / 6, 1 / 12, 1 / 24, 1 / 48, 1 / 64)]
    assert sum(shares) == pytest.approx(100, abs=0.3)
    (spaces,) = tables["rmf_address_space_count"].rows(named=True)
    # The class of the work alone is ready or not.
    assert (spaces["in_ready_min"], spaces["in_ready_max"], spaces["in_ready_avg"]) == (0, 1, 0.7)
    assert spaces["in_avg"] == spaces["stc_avg"] > 1


def test_every_class_of_a_system_is_an_address_space() -> None:
    """FAR has THERE, which runs only there, beside TASK, DBM1 and the region of WAITER; the difference is not of z/OS."""
    counts = [
        one(read(print_cpu(cpu_activity(part("two regions"), system)))["rmf_address_space_count"])["stc_avg"]
        for system in ("LOST", "FAR")
    ]
    assert counts[1] - counts[0] == 1


def test_response_times_are_log_logistic() -> None:
    """Of shape 3, with the mean that the model says and a goal of the same."""
    printed, mean, angle = tables("wait"), 2.0, math.pi / 3
    block = one(printed["rmf_workload_activity"], report_class="WAITER")
    spread = math.sqrt(2 * angle / math.sin(2 * angle) / (angle / math.sin(angle)) ** 2 - 1)
    expect(block, actual_time_s=mean, time_stddev_s=pytest.approx(mean * spread, abs=0.001))
    median = mean * math.sin(angle) / angle
    buckets = printed["rmf_response_time_distribution"].filter(pl.col("upper_bound_s").is_not_null())
    found = dict(zip(buckets["upper_bound_s"], buckets["transactions_cumulative"], strict=True))
    assert {1.0, 2.0, 4.0, 8.0} <= set(found)
    for bound, transactions in found.items():
        assert transactions == pytest.approx(100 * SECONDS / (1 + (median / bound) ** 3), rel=0.006), bound


def test_a_wait_for_a_thread_is_response_time() -> None:
    """Two threads, one in use on average: as with the processors."""
    block = one(tables("threads")["rmf_workload_activity"], report_class="WAITER")
    assert block["actual_time_s"] == pytest.approx(4 / 3, abs=0.001)
    (region,) = cics_statistics(part("threads"))
    entry = one(read(print_cics(region))["cics_db2entry_request"], is_total=False)
    assert (entry["applid"], entry["db2entry"], entry["calls"]) == ("WAITER", "WAITENT", 3 * SECONDS)
    assert entry["thread_creates"] + entry["thread_reuses"] == SECONDS
    assert entry["thread_waits_or_overflows"] == SECONDS / 3


def test_threads_on_two_systems_are_two_regions() -> None:
    """Each has half of the calls and a name of its own."""
    regions = cics_statistics(part("two regions"))
    entries = [one(read(print_cics(region))["cics_db2entry_request"], is_total=False) for region in regions]
    assert [(e["applid"], e["jobname"]) for e in entries] == [("WAITE001", "WAITE001"), ("WAITE002", "WAITE002")]
    assert [entry["calls"] for entry in entries] == [3 * SECONDS / 2] * 2


def test_a_coupling_facility_queues() -> None:
    """5,000 locks of 100 us keep its processor half busy: a request waits for 100 us, is served for 100, and travels for 50."""
    (facility,) = coupling_facilities(part("share"))
    printed = read(print_coupling_facility(facility))
    assert one(printed["rmf_cf_usage"])["utilization_pct"] == pytest.approx(50, abs=0.1)
    lock = one(printed["rmf_cf_structure_activity"], structure_name="DSNH_LOCK1", is_total=False)
    expect(lock, sync_service_us=pytest.approx(250, abs=0.1), requests_per_s=pytest.approx(5000, rel=0.001))


def test_messages_that_do_not_fit_are_in_storage_class_memory() -> None:
    """100 a second, each kept 100 s, are 10,000 of 8 KB. 90% of 64 MB hold 7,373; 1 GB would hold 131,072 more."""
    (facility,) = coupling_facilities(part("send"))
    printed = read(print_coupling_facility(facility))
    memory = one(printed["rmf_cf_storage_class_memory"], structure_name="MQ1")
    expect(memory, list_entries_current=2627, list_elements_current=2627 * 32, list_entries_max=131_000)
    expect(memory, memory_max_bytes=2**30, memory_used_pct=2.0)
    # 180,000 messages go out and come back.
    assert (memory["reads"], memory["writes"]) == (180_000, 180_000)
    assert memory["read_bytes"] == memory["write_bytes"] == round(180_000 * 8 / 1024) * 2**20
    structure = one(printed["rmf_cf_structure_summary"], structure_name="MQ1")
    expect(structure, requests_per_s=pytest.approx(200, abs=0.1), list_directory_entries_current=7373)


def test_more_messages_than_fit_are_refused() -> None:
    with pytest.raises(UsageError, match=r"MQ1: 200000 messages would be kept, and there is room for 138445"):
        part("send", TEXT.replace("kept_s: 100", "kept_s: 2000"))


def test_a_read_from_disk_is_connected_disconnected_and_pending() -> None:
    """Three of four getpages read."""
    block = one(tables("read")["rmf_workload_activity"], report_class="TASK")
    expect(block, ssch_per_s=pytest.approx(600, abs=0.1), actual_time_s=pytest.approx(6 * 0.002, abs=0.001))
    parts = [block[f"dasd_{part}_ms"] for part in ("connect", "disconnect", "qpend")]
    assert min(parts) > 0
    assert sum(parts) == pytest.approx(2, abs=0.15)
    assert block["dasd_response_ms"] == pytest.approx(2, abs=0.05)


def test_processor_time_of_tasks_is_what_is_captured() -> None:
    """Of monitoring as of RMF: 0.2 ms and 0.3 ms a task, for 400 tasks a second."""
    found = part("order")
    (figures,) = monitoring(found)
    assert figures["cpu_ms"] == pytest.approx(0.5)
    block = one(tables("order")["rmf_workload_activity"], report_class="TASK")
    expect(block, appl_cp_pct=pytest.approx(8, abs=0.01), appl_iipcp_pct=pytest.approx(4, abs=0.01))
    # What the processors are busy beside it is charged to nobody.
    processors = read(print_cpu(cpu_activity(found, "LOST")))["rmf_cpu_activity"]
    assert processors.filter(~pl.col("is_total"))["lpar_busy_pct"].sum() == pytest.approx(20 / 0.8, abs=0.1)


def test_a_class_that_is_not_there_hides_no_transactions() -> None:
    """THERE is the first class of STC, on a system that is not used; DBM1 ends no transactions."""
    blocks = tables("order")["rmf_workload_activity"]
    for where in ({"report_class": "TASK"}, {"class_kind": "service_class_period", "service_class": "STC"}):
        assert one(blocks, **where)["transaction_appl_total_cp_pct"] == pytest.approx(8, abs=0.01), where


def test_a_comma_in_a_name_is_quoted() -> None:
    head, line = csv.reader(print_monitoring(monitoring(part("order"))).decode().splitlines())
    assert dict(zip(head, line, strict=True))["transaction"] == "Order, read on LOST"


def test_jmh_prints_the_half_width_of_its_interval() -> None:
    """A hundred iterations that spread by 8%, eight times what minutes do; Student's t of 99.9% and 99 degrees is 3.392."""
    results = jmh(part("one client", TEXT.replace("variation_pct: 0", "variation_pct: 1")))
    row = one(read(print_jmh(results, SECONDS))["jmh_result"])
    expect(row, score=2000, count=100, error=pytest.approx(2000 * 0.08 / math.sqrt(100) * 3.392, rel=0.001))
