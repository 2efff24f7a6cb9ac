"""Reports of random models, read back, have the model's numbers, and agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from ironlake.models.fill_caches import cache_activity
from ironlake.models.fill_db2 import cics_statistics, coupling_facilities, db2_statistics
from ironlake.models.fill_devices import device_activity
from ironlake.models.fill_io import channel_activity, io_queuing
from ironlake.models.fill_processors import cpu_activity
from ironlake.models.fill_workload import workload_activity
from ironlake.models.fill_xcf import xcf_activity
from ironlake.models.printers.caches import print_caches
from ironlake.models.printers.cics import print_cics
from ironlake.models.printers.coupling_facility import print_coupling_facility
from ironlake.models.printers.db2 import print_db2_statistics
from ironlake.models.printers.machine import print_cpu
from ironlake.models.printers.system_reports import print_system
from ironlake.models.printers.workload import print_workload
from printed import read
from property_settings import examples
from random_models import INTERVALS, solved

FEWER = examples(1)


def test_most_random_models_have_a_steady_state() -> None:
    assert sum(solved(seed) is not None for seed in range(6)) >= 5


def at_interval(numbers: Any, at: int) -> float:
    return float(np.broadcast_to(np.asarray(numbers, float), INTERVALS)[at])


def column(frame: pl.DataFrame, name: str) -> list[Any]:
    return frame.sort("interval_start")[name].to_list()


# A goal below 10 ms: buckets with equal bounds.
@example(52)
@given(st.integers(0, 10_000))
@FEWER
def test_pages_carry_the_numbers_of_the_model(seed: int) -> None:
    part = solved(seed)
    assume(part is not None)
    assert part
    length_s, systems = part.length_s, part.configuration.systems
    blocks = read(print_workload(workload_activity(part)))["rmf_workload_activity"]
    busy = {"CP": np.zeros(INTERVALS), "IIP": np.zeros(INTERVALS)}
    for name in ("APPL", "BATCH", "DBM1"):
        block = blocks.filter(pl.col("report_class") == name)
        ended = np.sum([part.count("ended", name, system) for system in systems], axis=0)
        assert column(block, "transactions_ended") == list(ended)
        for what, printed in (("cp_s", "appl_cp_pct"), ("iip_s", "appl_iip_pct"), ("iipcp_s", "appl_iipcp_pct")):
            share = np.sum([part.seconds(what, name, system) for system in systems], axis=0) / length_s * 100
            assert column(block, printed) == pytest.approx(list(share), abs=0.051 if max(share) > 999 else 0.0051), name
            if what == "cp_s":
                captured = [part.model.systems[system].captured for system in systems]
                parts = [part.seconds(what, name, system) for system in systems]
                busy["CP"] += np.sum([s / c for s, c in zip(parts, captured, strict=True)], axis=0) / length_s * 100
            elif what == "iip_s":
                busy["IIP"] += share
    # What the processors were busy is what the classes used, and of general processors what is captured by none.
    engines = {"CP": np.zeros(INTERVALS), "IIP": np.zeros(INTERVALS)}
    for system in systems:
        rows = read(print_cpu(cpu_activity(part, system)))["rmf_cpu_activity"].filter(~pl.col("is_total"))
        for kind, total in engines.items():
            of_kind = (
                rows.filter(pl.col("processor_type") == kind)
                .group_by("interval_start")
                .agg(pl.col("lpar_busy_pct").sum())
            )
            if len(of_kind):
                total += column(of_kind, "lpar_busy_pct")
    for kind, total in engines.items():
        assert list(total) == pytest.approx(list(busy[kind]), rel=0.03, abs=0.1)
    # The response time law, of clients on both systems.
    block, load = blocks.filter(pl.col("report_class") == "APPL"), part.configuration.loads[0]
    for ended, actual_s, seconds in zip(
        column(block, "transactions_ended"), column(block, "actual_time_s"), length_s, strict=True
    ):
        if ended > 1000:
            assert ended / seconds * (actual_s + load.think_s) == pytest.approx(load.clients[0], rel=0.15)


@given(st.integers(0, 10_000))
@FEWER
def test_db2_cics_and_coupling_facilities_count_alike(seed: int) -> None:
    part = solved(seed)
    assume(part is not None)
    assert part
    for region, system in zip(cics_statistics(part), part.configuration.systems, strict=True):
        (entry,) = (
            read(print_cics(region))["cics_db2entry_request"].filter(~pl.col("is_total")).partition_by("db2entry")
        )
        uses = part.count("thread_uses", "Orders", system)
        assert (
            entry.sort("collected_at")["thread_creates"] + entry.sort("collected_at")["thread_reuses"]
        ).to_list() == list(uses)
    for facility in coupling_facilities(part):
        tables = read(print_coupling_facility(facility))
        printed = tables["rmf_cf_structure_activity"].filter(
            ~pl.col("is_total") & (pl.col("structure_name") == "DSNR_LOCK1")
        )
        for system in part.configuration.systems:
            found = column(printed.filter(pl.col("system") == system), "requests")
            # Counts above 99,999 are printed in thousands or millions.
            assert found == pytest.approx(list(part.count("locks", system)), rel=0.006)
        messages = np.sum([part.count("messages", "MQ1", system) for system in part.configuration.systems], axis=0)
        memory = tables["rmf_cf_storage_class_memory"]
        # 1 MB holds 230.4 of 4 KB; each is kept for three seconds.
        beyond = np.maximum(messages / part.length_s * 3 - 230.4, 0)
        assert column(memory, "list_entries_current") == pytest.approx(list(beyond), rel=0.006, abs=0.51)
        assert column(memory, "writes") == pytest.approx(list(np.where(beyond > 0.5, messages, 0)), rel=0.006)
    for member in db2_statistics(part):
        read(print_db2_statistics(member))
    for system in part.configuration.systems:
        read(print_system(xcf_activity(part, system)))


@given(st.integers(0, 10_000))
@FEWER
def test_reports_of_io_of_a_model_agree(seed: int) -> None:
    """Requests are those of the volumes; exchanges that are open are their rate times how long they are; pages of 4 KB are what channels read."""
    part = solved(seed)
    assume(part is not None)
    assert part
    for system in part.configuration.systems:
        devices, channel, queue = (
            device_activity(part, system),
            channel_activity(part, system),
            io_queuing(part, system),
        )
        assert devices
        assert channel
        assert queue
        printed = read(print_system(devices))["rmf_device"]
        volumes, units = printed.filter(~printed["is_total"]), printed.filter(printed["is_total"])
        paths = read(print_system(channel))["rmf_channel_path"]
        queued = read(print_system(queue))
        processors, lcus = queued["rmf_io_processor"], queued["rmf_io_queue"].filter(queued["rmf_io_queue"]["is_total"])
        for at, start in enumerate(part.intervals.start.astype("datetime64[us]").tolist()):
            here = {"interval_start": start}
            rate = float(volumes.filter(**here)["io_per_s"].sum())
            assert processors.filter(is_total=True, **here)["started_per_s"].sum() == pytest.approx(
                rate, rel=0.002, abs=0.01
            )
            ficon = paths.filter(channel_path_type="FC_S", **here)
            assert ficon["zhpf_per_s"].sum() == pytest.approx(rate, rel=0.002, abs=0.21)
            # 20 microseconds of a path's processor for each, on four paths.
            assert ficon["busy_pct"].to_list() == pytest.approx([rate / 4 * 20e-4] * 4, rel=0.002, abs=0.006)
            reads = at_interval(part.count("reads", "BP1", system), at) / part.length_s[at]
            assert ficon["read_mb_per_s"].sum() == pytest.approx(reads * 4 / 1000, rel=0.002, abs=0.021)
            for lcu in lcus.filter(**here).rows(named=True):
                unit = units.filter(lcu=lcu["lcu"], **here).row(0, named=True)
                assert lcu["taken_per_s"] == pytest.approx(unit["io_per_s"], rel=0.002, abs=0.002)
                open_ms = unit["command_response_ms"] + unit["disconnect_ms"] + unit["connect_ms"]
                assert lcu["open_exchanges_avg"] == pytest.approx(
                    unit["io_per_s"] * open_ms / 1000, rel=0.03, abs=0.006
                )
                assert lcu["transfers_avg"] == pytest.approx(
                    unit["io_per_s"] * unit["connect_ms"] / 1000, rel=0.02, abs=0.006
                )
            # However busy a volume is, its base and aliases are not used more than there are.
            assert max(volumes.filter(**here)["utilization_pct"].to_list()) <= 100


@given(st.integers(0, 10_000))
@FEWER
def test_caches_of_a_model_count_the_requests_of_all_systems(seed: int) -> None:
    """Each system prints the same; a volume's rate is that of the systems together; reads that miss take the 6 ms longer that are disconnected."""
    part = solved(seed)
    assume(part is not None)
    assert part
    found, disconnected = [], 0.0
    rate = 0.0
    for system in part.configuration.systems:
        devices, caches = device_activity(part, system), cache_activity(part, system)
        assert devices
        assert caches
        found.append(read(print_caches(caches)))
        data = devices.lines[0][1]
        rate += at_interval(data["io_per_s"], 0)
        disconnected += at_interval(data["io_per_s"] * data["disconnect_ms"], 0) / 1000
    for name in ("subsystem", "request", "miss", "device"):
        first, second = (tables[f"rmf_cache_{name}"].drop("system", "scope", "source_id") for tables in found)
        assert first.equals(second)
    volume = found[0]["rmf_cache_device"].filter(volume="DBP100").row(0, named=True)
    assert volume["io_per_s"] == pytest.approx(rate, rel=0.002, abs=0.06)
    misses = found[0]["rmf_cache_miss"].filter(ssid="1051", category="NORMAL").row(0, named=True)
    assert misses["read_misses"] * 0.006 / misses["cache_interval_s"] == pytest.approx(
        disconnected, rel=0.01, abs=0.001
    )
