"""Models made at random, and some intervals of each."""

from __future__ import annotations

import datetime as dt
from functools import cache

import numpy as np
from ironlake.models.filling import SolvedStep, StepIntervals
from ironlake.models.model_file import parse_model
from ironlake.pipeline.errors import UsageError

INTERVALS = 3


def model_text(n: np.random.Generator) -> str:
    """A model with all there is: two systems, one of them on a machine of its own, that share data, clients and arrivals, threads, a link."""

    def number(least: float, most: float) -> str:
        return f"{n.uniform(least, most):.4f}"

    speed = number(0.5, 1)
    ziip_speed = n.choice([speed, "1"])
    systems = "\n".join(
        f"  SYS{i}: {{{'machine: M1, ' * (i == 1)}cp: {n.integers(1, 6)}, ziip: {n.integers(0, 4)}, speed: {speed}, ziip_speed: {ziip_speed},"
        f" overflow_pct: {n.integers(0, 101)}, captured_pct: {n.integers(80, 101)}, su_per_s: {n.integers(1000, 90000)}}}"
        for i in (1, 2)
    )
    goal = n.choice(["velocity_pct: 40", "response_ms: 5", "response_ms: 20, within_pct: 90"])
    return f"""
model: Random
start: 2026-01-31T23:00
release: {n.choice(["V1R13", "V2R2", "V2R3", "V3R1"])}
interval_s: {n.choice([60, 900, 1800])}
variation_pct: {number(0, 3)}
machines:
  M1: {{cp: 12, ziip: 8, capacity_msu: 1200, group: GROUP1, group_limit_msu: 800}}
systems:
{systems}
coupling_facilities:
  CF01: {{processors: {n.integers(1, 4)}, link_us: {number(0, 50)}}}
links:
  OSA: {{mb_per_s: 1000, round_trip_ms: {number(0, 2)}}}
buffer_pools:
  BP1: {{hit_pct: {n.integers(0, 101)}, read_ms: {number(0, 5)}}}
data_sharing:
  group: DSNR
  lock: {{facility: CF01, service_us: {number(1, 30)}}}
  group_buffer_pools:
    BP1: {{facility: CF01, service_us: {number(1, 30)}, hit_pct: {n.integers(0, 101)}, invalidated_pct: {n.integers(0, 101)}}}
  queues:
    MQ1: {{facility: CF01, service_us: 5, kept_s: 3, storage_mb: 1, memory_mb: 100}}
    DFHXQLS_TS: {{facility: CF01, service_us: 5, kilobytes: 2, kept_s: 3}}
  contention_pct: {number(0, 5)}
  false_pct: {number(0, 100)}
  contention_wait_ms: {number(0, 10)}
  contention_cp_ms: {number(0, 1)}
service_classes:
  ONLINE: {{workload: CICS, importance: {n.integers(1, 6)}, {goal}}}
  STC: {{workload: SYSTEM, velocity_pct: 60}}
classes:
  APPL: {{service_class: ONLINE, mxt: 250, cics_itself_pct: 5}}
  BATCH: {{service_class: STC}}
  DBM1: {{service_class: STC, address_space: DBM1}}
work:
  order:
    APPL: {{cp_ms: {number(0, 3)}, ziip_ms: {number(0, 3)}, wait_ms: {number(0, 5)}, getpages: {{BP1: {n.integers(0, 20)}}}}}
    DBM1: {{ddf_ms: {number(0, 1)}, locks: {n.integers(0, 20)}, gbp_reads: {{BP1: {n.integers(0, 9)}}}, gbp_writes: {{BP1: {number(0, 3)}}}}}
  remote:
    APPL: {{kilobytes: {{OSA: {number(0, 20)}}}, round_trips: {{OSA: 1}}, messages: {{MQ1: 1, DFHXQLS_TS: 1}}}}
  thread:
    APPL: {{cp_ms: {number(0, 0.5)}}}
  report:
    BATCH: {{cp_ms: {number(0, 20)}, ziip_ms: {number(0, 9)}}}
workloads:
  Orders:
    counted_by: APPL
    request: {{order: {n.integers(1, 4)}, remote: {n.integers(0, 3)}}}
    threads: {{entry: ORDENT, work: thread, threadlimit: 2000, protectnum: {n.integers(0, 50)}, reuselimit: {n.integers(0, 9999)}, calls: 9}}
  Reports: {{counted_by: BATCH, request: {{report: 1}}}}
configurations:
  both:
    data_sharing: {n.choice(["yes", "no"])}
    load:
      Orders: {{clients: {n.integers(2, 300)}, think_s: {number(0.1, 5)}}}
      Reports: {{rate_per_s: {number(0.1, 20)}}}
"""


@cache
def solved(seed: int) -> StepIntervals | None:
    """Some intervals of a random model; None of one that is refused."""
    n = np.random.default_rng(seed)
    try:
        model = parse_model(model_text(n), "random.yaml")
        step = SolvedStep(model, model.configurations["both"], 0)
    except UsageError as refused:
        # Too many reports for the processors.
        if "of an open load" not in str(refused):
            raise
        return None
    return step.intervals(dt.datetime(2026, 1, 31, 23), INTERVALS, np.random.Generator(np.random.PCG64(seed)))
