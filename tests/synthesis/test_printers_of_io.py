"""What the printers of Channel Path Activity, I/O Queuing and Cache Subsystem Activity print, the reader reads; what models print of I/O obeys Little's law."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import Intervals
from ironlake.pipeline.synthesis.contents.caches import CacheActivity, Cached, CachedUnit, CachedVolume
from ironlake.pipeline.synthesis.contents.channels import ChannelActivity, ChannelPath, Use
from ironlake.pipeline.synthesis.contents.io_queuing import IoProcessor, IoQueuing, QueuePath, QueueUnit
from ironlake.pipeline.synthesis.fill_caches import cache_activity
from ironlake.pipeline.synthesis.fill_devices import device_activity
from ironlake.pipeline.synthesis.fill_io import channel_activity, io_queuing
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.caches import print_caches
from ironlake.pipeline.synthesis.printers.channels import print_channels
from ironlake.pipeline.synthesis.printers.devices import print_devices
from ironlake.pipeline.synthesis.printers.io_queuing import print_io_queuing
from printed import SETTINGS, Numbers, assert_printed, last_digit, last_suffixed, read
from property_settings import examples
from random_models import solved

PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([30, 60]))


def at_interval(value: Any, at: int) -> float:
    array = np.asarray(value, float)
    return float(array[at] if array.ndim else array)


# --- Channel Path Activity --------------------------------------------------------------------------------------------


def random_use(n: Numbers) -> Use:
    return Use(n.number(50), n.number(400), n.number(400))


@st.composite
def channels(draw: st.DrawFn) -> ChannelActivity:
    """Channel paths of each kind; a partition uses no more than its machine."""
    n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    paths = []
    for kind in draw(st.sampled_from([["FC_S"], ["OSD"], ["CS5"], ["FC_SM", "OSD", "CL5"], ["FC", "ICP"]])):
        for _ in range(draw(st.integers(1, 20))):
            mine, others = random_use(n), random_use(n)
            machine = Use(*(getattr(mine, name) + getattr(others, name) for name in vars(mine)))
            shared = draw(st.booleans())
            if kind in ("CS5", "ICP") and draw(st.booleans()):
                mine = machine = Use(np.nan)
            path = ChannelPath(f"{0x20 + len(paths):02X}", kind, mine, machine, n.number(100), shared=shared)
            if kind.startswith("FC"):
                operations = (n.number(90_000), n.number(99), n.number(90_000), n.number(99))
                path = ChannelPath(path.number, kind, mine, machine, path.bus_pct, 21, "16G", shared, *operations)
            paths.append(path)
    when = Intervals(n.starts(), 900, duration=draw(st.booleans()))
    return ChannelActivity("SYS#", "V2R4", when, tuple(paths))


@SETTINGS
@given(report=channels(), paper=PAPERS)
def test_channel_paths_are_read_as_they_were_filled(report: ChannelActivity, paper: Paper) -> None:
    found = read(print_channels(report, paper))["rmf_channel_path"]
    rows = {(row["interval_start"], row["channel_path_id"]): row for row in found.rows(named=True)}
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for one in report.paths:
            row = rows.pop((start, one.number))
            named = (row["channel_path_type"], row["generation"], row["speed"] or "", bool(row["shared"]))
            assert named == (one.kind, one.generation, one.speed, one.shared)
            printed: dict[str, tuple[Any, int, int]] = {}
            for name, use in (("partition_", one.partition), ("", one.machine)):
                busy = None if np.isnan(use.busy_pct).any() else use.busy_pct
                printed[f"{name}busy_pct"] = busy, 6, 2
                if one.family != "CF":
                    printed |= {f"{name}read_mb_per_s": (use.read_mb_per_s, 5, 2)}
                    printed |= {f"{name}write_mb_per_s": (use.write_mb_per_s, 5, 2)}
            if one.family == "FC":
                printed |= {"ficon_per_s": (one.ficon_per_s, 8, 1), "ficon_active_avg": (one.ficon_active, 6, 1)}
                printed |= {"zhpf_per_s": (one.zhpf_per_s, 7, 1), "zhpf_active_avg": (one.zhpf_active, 6, 1)}
            for name, (value, width, decimals) in printed.items():
                if value is None:
                    assert row[name] is None
                    continue
                number = at_interval(value, at)
                assert_printed(row, {name: (number, last_digit(number, width, decimals))}, (start, one.number))
    assert not rows


# --- I/O Queuing Activity ---------------------------------------------------------------------------------------------


def random_path(n: Numbers, number: str, taken: Any) -> QueuePath:
    return QueuePath(number, taken, n.number(100), n.number(100), n.number(90), n.number(90))


def random_unit(n: Numbers, name: str, paths: int) -> QueueUnit:
    taken = [n.number(99_000) for _ in range(paths)]
    transfers = n.number(40)
    return QueueUnit(
        name,
        tuple(random_path(n, f"{0x50 + number:02X}", each) for number, each in enumerate(taken)),
        random_path(n, "", sum(taken)),
        f"7{name[-3:]}" if len(name) == 4 else "",
        n.number(999),
        n.number(99),
        n.number(90),
        n.number(9),
        n.count(999),
        transfers + n.number(40),
        transfers,
    )


@st.composite
def queues(draw: st.DrawFn) -> IoQueuing:
    n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    processors = tuple(
        IoProcessor(f"{number:02X}", n.number(99_000), n.number(100), n.number(99), n.number(99_000))
        for number in range(draw(st.integers(0, 12)))
    )
    units = tuple(
        random_unit(n, f"00{0x41 + number:02X}", draw(st.integers(1, 8))) for number in range(draw(st.integers(1, 4)))
    )
    groups = tuple(
        random_unit(n, f"{number:08X}", draw(st.integers(1, 4))) for number in range(draw(st.integers(0, 2)))
    )
    return IoQueuing("SYS#", "V2R4", Intervals(n.starts(), 900), processors, units, groups)


def assert_number(at: int, row: dict[str, Any], **printed: tuple[Any, int, int]) -> None:
    """Numbers of an interval, each with its width and decimals."""
    for name, (value, width, decimals) in printed.items():
        number = at_interval(value, at)
        assert_printed(row, {name: (number, last_digit(number, width, decimals))}, row["interval_start"])


@SETTINGS
@given(report=queues(), paper=PAPERS)
def test_io_queues_are_read_as_they_were_filled(report: IoQueuing, paper: Paper) -> None:
    tables = read(print_io_queuing(report, paper))
    found = tables["rmf_io_processor"].rows(named=True) if report.processors else []
    processors = {(row["interval_start"], row["io_processor"]): row for row in found}
    assert sum(row["is_total"] for row in found) == (len(report.intervals) if report.processors else 0)
    rows = {
        (row["interval_start"], row["alias_group"] or row["lcu"], row["channel_path_id"]): row
        for row in tables["rmf_io_queue"].rows(named=True)
    }
    totals = {(start, unit): row for (start, unit, _), row in rows.items() if row["is_total"]}
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        check = partial(assert_number, at)
        for one in report.processors:
            rate = (one.per_s, 6, 2)
            row = processors[start, one.number]
            check(row, queued_per_s=rate, started_per_s=rate, interrupts_per_s=(one.interrupts_per_s, 6, 2))
            check(row, busy_pct=(one.busy_pct, 6, 2), queue_length_avg=(one.queue_length, 5, 2))
        for unit in (*report.units, *report.groups):
            for path in (*unit.paths, unit.together):
                row = rows.pop((start, unit.unit, path.number or None))
                assert row["is_total"] == (not path.number)
                check(row, taken_per_s=(path.taken_per_s, 7, 3), director_busy_pct=(path.director_busy_pct, 6, 2))
                check(row, control_unit_busy_pct=(path.control_unit_busy_pct, 6, 2))
                check(row, control_unit_busy_delay_ms=(path.busy_delay_ms, 4, 1))
                check(row, command_response_delay_ms=(path.command_response_ms, 4, 1))
            row = totals[start, unit.unit]
            check(row, contention_per_s=(unit.contention_per_s, 5, 3), delay_queue_length_avg=(unit.queue_length, 5, 2))
            check(row, channel_subsystem_delay_ms=(unit.channel_subsystem_ms, 4, 1))
            check(row, alias_wait_per_request=(unit.alias_wait, 5, 3), aliases_max=(unit.aliases_max, 3, 0))
            check(row, open_exchanges_avg=(unit.open_exchanges, 4, 2), transfers_avg=(unit.transfers, 4, 2))
    assert not rows


# --- Cache Subsystem Activity -----------------------------------------------------------------------------------------


def random_cached(n: Numbers) -> Cached:
    reads, writes = n.count(5_000_000), n.count(5_000_000)
    read_misses, write_misses = (np.floor(of * n.rng.random(n.intervals)) for of in (reads, writes))
    return Cached(reads, writes, read_misses, write_misses, n.count(5_000_000))


@st.composite
def caches(draw: st.DrawFn) -> CacheActivity:
    n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    units = []
    for number in range(draw(st.integers(1, 2))):
        volumes = tuple(
            CachedVolume(
                f"VOL{k:03d}",
                f"{0x8A10 + 256 * number + k:04X}",
                random_cached(n),
                random_cached(n),
                n.count(5_000_000),
                n.count(9_000),
            )
            for k in range(draw(st.integers(1, 12)))
        )
        units.append(CachedUnit(f"10{number:02X}", volumes[0].number, volumes))
    release = draw(st.sampled_from(["V2R1", "V2R5"]))
    return CacheActivity("SYS#", release, Intervals(n.starts(), 899.6 + n.rng.random(n.intervals)), tuple(units))


def digit_of(value: Any, at: int) -> float:
    """The last digit of a count of six, or of five and K or M."""
    count = at_interval(value, at)
    return 1.0 if count < 999_999.5 else last_suffixed(count, 5)


def assert_count(row: dict[str, Any], at: int, **counts: Any) -> None:
    """Counts and their rates."""
    for name, value in counts.items():
        count = at_interval(value, at)
        assert_printed(row, {name: (count, digit_of(value, at))}, (row["interval_start"], name))
        assert_number(at, row, **{f"{name}_per_s": (count / row["cache_interval_s"], 6, 1)})


def assert_ratios(row: dict[str, Any], one: Cached, at: int, *names: str) -> None:
    for name in names:
        value = at_interval(getattr(one, name), at)
        assert_printed(row, {name: (None if np.isnan(value) else value, 0.1 if name == "read_pct" else 0.001)}, name)


@SETTINGS
@given(report=caches(), paper=PAPERS)
def test_caches_are_read_as_they_were_filled(report: CacheActivity, paper: Paper) -> None:
    tables = read(print_caches(report, paper))
    units, requests, misses, devices = (
        {
            (row["interval_start"], row["ssid"], *(row[k] for k in key)): row
            for row in tables[f"rmf_cache_{name}"].rows(named=True)
        }
        for name, key in (("subsystem", ()), ("request", ("category",)), ("miss", ("category",)), ("device", ("device_number", "all_of")))
    )  # fmt: skip
    waited = "dfw_bypass" if report.release == "V2R1" else "delayed_storage"
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for unit in report.units:
            row, every = units.pop((start, unit.ssid)), unit.every
            assert row["cache_interval_s"] == np.floor(report.intervals.printed_s + 0.5)[at]
            assert row["control_unit"] == unit.control_unit
            for name in ("requests", "cache_requests"):
                assert_printed(
                    row, {name: (at_interval(every.requests, at), digit_of(every.requests, at))}, (start, name)
                )
            assert_ratios(row, every, at, "hit_ratio")
            assert_count(row, at, async_tracks=unit.written_tracks, **{waited: unit.delayed})
            for category, one in (
                ("NORMAL", unit.normal),
                ("SEQUENTIAL", unit.sequential),
                ("CFW DATA", Cached()),
                (None, every),
            ):
                row = requests.pop((start, unit.ssid, category))
                assert row["is_total"] == (category is None)
                assert_count(
                    row, at, reads=one.reads, read_hits=one.read_hits, writes=one.writes, fast_writes=one.writes
                )
                assert_count(row, at, write_hits=one.write_hits)
                assert_ratios(row, one, at, "read_hit_ratio", "write_hit_ratio", "read_pct")
                if category:
                    row = misses.pop((start, unit.ssid, category))
                    assert_count(row, at, read_misses=one.read_misses, write_misses=one.write_misses)
                    if category == "CFW DATA":
                        assert row["staged_tracks"] is None
                    else:
                        assert_count(row, at, staged_tracks=one.staged_tracks)
            assert devices.pop((start, unit.ssid, None, "CACHE-OFF"))["io_per_s"] == 0
            for key, volume in (
                ((None, "ALL"), unit),
                ((None, "CACHE"), unit),
                *(((v.number, None), v) for v in unit.volumes),
            ):
                row, one = devices.pop((start, unit.ssid, *key)), volume.every
                assert row["volume"] == getattr(volume, "serial", None)
                rates = {
                    "io": one.requests,
                    "read_hits": one.read_hits,
                    "fast_write_hits": one.write_hits,
                    "stage": one.misses,
                    "async_tracks": volume.written_tracks,
                }
                printed = {f"{name}_per_s": (value / report.length_s, 6, 1) for name, value in rates.items()}
                assert_number(at, row, **printed, dfw_bypass_per_s=(volume.delayed / report.length_s, 5, 1))
                assert_ratios(row, one, at, "hit_ratio", "read_hit_ratio", "write_hit_ratio", "read_pct")
    assert not units
    assert not requests
    assert not misses
    assert not devices


# --- Of models --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000))
@examples(3)
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
        printed = read(print_devices(devices))["rmf_device"]
        volumes, units = printed.filter(~printed["is_total"]), printed.filter(printed["is_total"])
        paths = read(print_channels(channel))["rmf_channel_path"]
        queued = read(print_io_queuing(queue))
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
@examples(3)
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
        data = devices.volumes[0]
        rate += at_interval(data.io_per_s, 0)
        disconnected += at_interval(data.io_per_s * data.disconnect_ms, 0) / 1000
    for name in ("subsystem", "request", "miss", "device"):
        first, second = (tables[f"rmf_cache_{name}"].drop("system", "scope", "source_id") for tables in found)
        assert first.equals(second)
    volume = found[0]["rmf_cache_device"].filter(volume="DBP100").row(0, named=True)
    assert volume["io_per_s"] == pytest.approx(rate, rel=0.002, abs=0.06)
    misses = found[0]["rmf_cache_miss"].filter(ssid="1051", category="NORMAL").row(0, named=True)
    assert misses["read_misses"] * 0.006 / misses["cache_interval_s"] == pytest.approx(
        disconnected, rel=0.01, abs=0.001
    )
