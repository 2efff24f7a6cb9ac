"""Printers of one system's reports against their parsers: CPU activity, XCF activity, the workload simulator's log."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import (
    ClassOut,
    CpuActivity,
    DeviceActivity,
    Intervals,
    LocalClass,
    Member,
    Multithreading,
    PathIn,
    PathOut,
    Processor,
    SimulatorRun,
    Synchronous,
    SystemIn,
    Volume,
    XcfActivity,
)
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.cpu import print_cpu
from ironlake.pipeline.synthesis.printers.devices import print_devices
from ironlake.pipeline.synthesis.printers.simulator import print_run
from ironlake.pipeline.synthesis.printers.xcf import print_xcf
from printed import SETTINGS, Numbers, assert_printed, last_digit, read

PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([30, 60]))

# --- CPU activity -----------------------------------------------------------------------------------------------------


@st.composite
def processors(draw: st.DrawFn) -> CpuActivity:
    """Systems of several processor types, with and without multithreading; some processors parked some of the time."""
    numbers = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 4)))
    release = draw(st.sampled_from(["V2R1", "V2R4", "V2R5"]))
    threads = draw(st.sampled_from([0, 1, 2]))
    rows, number = [], 0
    for kind in draw(st.sampled_from([["CP"], ["CP", "IIP"], ["CP", "AAP", "IIP"]])):
        for _ in range(draw(st.integers(1, 20))):
            here = threads if kind == "IIP" and threads else 1
            away = numbers.rng.random(numbers.intervals) < 0.2
            busy = np.where(away, 0, numbers.number(100))
            rows.append(
                Processor(
                    number,
                    kind,
                    lpar_busy_pct=busy,
                    mvs_busy_pct=tuple(numbers.number(100) for _ in range(here)),
                    parked_pct=tuple(np.where(away, 100, numbers.number(99, 0.5)) for _ in range(here)),
                    online_pct=100 if draw(st.booleans()) else numbers.number(99) + 0.5,
                    productivity_pct=100 if here < 2 else 80 + numbers.number(19),
                    share_pct=numbers.number(100),
                    polarization=draw(st.sampled_from(["HIGH", "MED", "LOW"])),
                    interrupts_per_s=numbers.number(20_000) if kind == "CP" else 0,
                    tpi_pct=numbers.number(100),
                )
            )
            number += draw(st.sampled_from([1, 1, 7]))
    kinds = dict.fromkeys(one.kind for one in rows)
    analysis = tuple(Multithreading(kind, threads, 1.485, 1 + numbers.number(0.4), 1.5) for kind in kinds)
    length = 900 if draw(st.booleans()) else 899.95 + numbers.rng.random(numbers.intervals) / 10
    intervals = Intervals(numbers.starts(), length, duration=draw(st.booleans()))
    return CpuActivity("SYS#", release, intervals, tuple(rows), analysis if threads else (), boost_type="Speed")


@SETTINGS
@given(report=processors(), paper=PAPERS)
def test_cpu_activity_is_read_as_it_was_filled(report: CpuActivity, paper: Paper) -> None:
    tables = read(print_cpu(report, paper))
    rows = tables["rmf_cpu_activity"].rows(named=True)
    found = {(r["interval_start"], r["processor_type"], r["processor_id"], r["thread"]): r for r in rows}
    assert len(found) == len(rows)
    count = len(report.intervals)

    def of(value: Any, at: int, width: int, decimals: int = 2) -> tuple[float, float]:
        number = float(np.broadcast_to(np.asarray(value, float), count)[at])
        return number, last_digit(number, width, decimals)

    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for one in report.processors:
            for thread, busy in enumerate(one.mvs_busy_pct):
                row = found.pop((start, one.kind, f"{one.number:X}", thread))
                parked = of(one.parked_pct[thread], at, 6)
                expected = {"parked_pct": parked}
                if parked[0] < 100:
                    expected["mvs_busy_pct"] = of(busy, at, 6)
                else:
                    assert row["mvs_busy_pct"] is None
                if not thread:
                    expected |= {
                        "online_pct": of(one.online_pct, at, 6),
                        "lpar_busy_pct": of(one.lpar_busy_pct, at, 6),
                        "logical_share_pct": of(one.share_pct, at, 6, 1),
                    }
                    assert row["polarization"] == one.polarization
                    if report.multithreading:
                        expected["mt_productivity_pct"] = of(one.productivity_pct, at, 6)
                    if one.kind == "CP":
                        expected["io_interrupts_per_s"] = of(one.interrupts_per_s, at, 5)
                        expected["io_interrupts_tpi_pct"] = of(one.tpi_pct, at, 6)
                assert_printed(row, expected, (start, one.number, thread))
        for kind in report.kinds:
            total = found.pop((start, kind, None, None))
            assert total["is_total"]
            assert_printed(total, {"lpar_busy_pct": of(report.total(kind).lpar_busy_pct, at, 6)}, (start, kind))
    assert not found
    assert (rows[0]["cpc_type"], rows[0]["cpc_model"], rows[0]["cpc_capacity"]) == ("8561", "710", 2000)
    assert rows[0]["boost_type"] == (None if report.release == "V2R1" else "Speed")
    if report.multithreading:
        assert tables["rmf_multithreading"].height == len(report.kinds) * count


# --- XCF activity -----------------------------------------------------------------------------------------------------


@st.composite
def couplings(draw: st.DrawFn) -> XcfActivity:
    """Systems that talk to any number of others in any transport classes, over paths of both kinds."""
    numbers = n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    others = draw(st.lists(st.sampled_from(["SYSB", "SYSC", "CB8#", "P1"]), max_size=4, unique=True))
    classes = draw(
        st.lists(st.sampled_from(["DEFAULT", "BIG", "_XCFMGD", "DEF8K"]), min_size=1, max_size=4, unique=True)
    )
    outbound, paths_out, paths_in, members = [], [], [], []
    for other in others:
        for number, one in enumerate(classes):
            small = n.rng.integers(0, 50, n.intervals)
            big = n.rng.integers(0, 50, n.intervals)
            shares = {"small_pct": small, "big_pct": big, "fit_pct": 100 - small - big, "overhead_pct": 100 - big}
            outbound.append(
                ClassOut(
                    other, one, 40_892, n.count(9_999_999), **shares, paths_unavailable=n.count(99), rejects=n.count(9)
                )
            )
            requests = n.count(9_999_999)
            device = f"C5B{number} TO C5A{number}"
            paths_out.append(PathOut(other, "C", device, one, requests, n.number(9), requests // 9, n.count(9)))
            paths_in.append(PathIn(other, "S", f"IXCPATH_{number}", n.count(9_999_999), n.count(99)))
    for group in draw(st.lists(st.sampled_from(["DSNDB0A", "SYSGRS"]), max_size=2, unique=True)):
        for system in ("SYSA", *others):
            members.append(Member(group, f"M${system}", system, n.count(9_999_999), n.count(9_999_999)))
    return XcfActivity(
        "SYSA",
        "V2R4",
        Intervals(numbers.starts(), 900, duration=draw(st.booleans())),
        tuple(outbound),
        tuple(SystemIn(other, n.count(9_999_999), n.count(9)) for other in others),
        tuple(LocalClass(one, n.count(9)) for one in classes),
        tuple(paths_out),
        tuple(paths_in),
        tuple(members),
    )


def _device(path: dict[str, Any]) -> str:
    return path["structure"] or f"{path['from_device']} TO {path['to_device']}"


@SETTINGS
@given(report=couplings(), paper=PAPERS)
def test_xcf_activity_is_read_as_it_was_filled(report: XcfActivity, paper: Paper) -> None:
    tables = read(print_xcf(report, paper))
    starts = report.intervals.start.astype("datetime64[us]").tolist()
    names = {"rmf_xcf_system": [], "rmf_xcf_path": [], "rmf_xcf_member": []}
    for at, start in enumerate(starts):
        rows = names["rmf_xcf_system"]
        for one in report.outbound:
            counts = np.asarray(one.requests)[at], np.asarray(one.rejects)[at]
            rows.append((start, "outbound", one.system, one.transport_class, *counts))
        for one in report.inbound:
            rows.append((start, "inbound", one.system, "", np.asarray(one.requests)[at], np.asarray(one.rejects)[at]))
        rows += [(start, "local", "", one.transport_class, None, np.asarray(one.rejects)[at]) for one in report.local]
        for one in (*report.paths_out, *report.paths_in):
            way = "outbound" if isinstance(one, PathOut) else "inbound"
            names["rmf_xcf_path"].append((start, way, one.system, one.device, np.asarray(one.requests)[at]))
        for one in report.members:
            row = (start, one.group, one.name, one.system, np.asarray(one.out)[at], np.asarray(one.into)[at])
            names["rmf_xcf_member"].append(row)
    found: dict[str, list[Any]] = {name: [] for name in names}
    for row in tables["rmf_xcf_system"].filter(~tables["rmf_xcf_system"]["is_total"]).rows(named=True):
        requests = row["requests_out"] if row["direction"] == "outbound" else row["requests_in"]
        key = (row["interval_start"], row["direction"], row["peer_system"] or "", row["transport_class"] or "")
        found["rmf_xcf_system"].append((*key, requests, row["rejects"]))
    for row in tables["rmf_xcf_path"].rows(named=True):
        requests = row["requests_out"] if row["direction"] == "outbound" else row["requests_in"]
        found["rmf_xcf_path"].append(
            (row["interval_start"], row["direction"], row["peer_system"], _device(row), requests)
        )
    for row in tables["rmf_xcf_member"].rows(named=True):
        counts = row["requests_out"], row["requests_in"]
        found["rmf_xcf_member"].append(
            (row["interval_start"], row["xcf_group"], row["member"], row["member_system"], *counts)
        )
    for name, rows in names.items():
        assert sorted(map(str, found[name])) == sorted(
            str(tuple(v.item() if hasattr(v, "item") else v for v in r)) for r in rows
        )


def test_a_short_page_in_records_is_read() -> None:
    """So few lines that their columns say little; each begins with carriage control, one of them with a new page."""
    when = Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900)
    report = XcfActivity("SYSA", "V2R4", when, local=(LocalClass("DEFAULT", 7),))
    row = read(print_xcf(report, Paper(asa=True, ebcdic=True)))["rmf_xcf_system"].row(0, named=True)
    assert (row["transport_class"], row["rejects"], row["direction"]) == ("DEFAULT", 7, "local")


# --- Device activity --------------------------------------------------------------------------------------------------


@st.composite
def volumes(draw: st.DrawFn) -> DeviceActivity:
    """Systems with some control units, some of their volumes without a storage group, idle, or with synchronous I/O."""
    numbers = n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    found, synchronous = [], []
    for unit in range(draw(st.integers(1, 3))):
        for device in range(draw(st.integers(1, 5))):
            pend, rate = n.number(9), n.number(999)
            one = Volume(
                draw(st.sampled_from(["SGDB2LOG", "SGX", ""])),
                f"{0x8A00 + 256 * unit + device:05X}",
                "33909",
                65_520,
                f"V${unit:02d}{device:02d}",
                f"00{0x51 + unit:02X}",
                *draw(st.sampled_from([(1, ""), (1.4, "H"), (9.8, "H"), (2, "*")])),
                rate,
                iosq_ms=n.number(90, 0.5),
                command_response_ms=pend / 3,
                device_busy_ms=pend / 4,
                interrupt_ms=n.number(2),
                pend_ms=pend,
                # A volume is not in use for longer than there is.
                disconnect_ms=np.minimum(n.number(9, 0.5), 99 / np.maximum(rate, 1)),
                connect_ms=n.number(0.9),
                reserved_pct=n.number(99, 0.5),
                allocations=n.number(400),
                allocated_pct=n.number(100),
            )
            found.append(one)
            if draw(st.booleans()):
                synchronous.append(
                    Synchronous(one, n.number(900), n.number(900), n.number(0.9), n.number(0.9), n.number(9))
                )
    when = Intervals(numbers.starts(), 900, duration=draw(st.booleans()))
    return DeviceActivity("SYS#", "V2R4", when, tuple(found), tuple(synchronous))


@SETTINGS
@given(report=volumes(), paper=PAPERS)
def test_device_activity_is_read_as_it_was_filled(report: DeviceActivity, paper: Paper) -> None:
    tables = read(print_devices(report, paper))
    rows = {(r["interval_start"], r["device_number"] or r["lcu"]): r for r in tables["rmf_device"].rows(named=True)}
    waits = {}
    if report.synchronous:
        waits = {
            (r["interval_start"], r["device_number"]): r for r in tables["rmf_device_synchronous_io"].rows(named=True)
        }
    times = ("response_ms", "iosq_ms", "command_response_ms", "pend_ms", "disconnect_ms", "connect_ms")

    def of(value: Any, at: int, width: int, decimals: int) -> tuple[float, float]:
        number = float(np.broadcast_to(np.asarray(value, float), len(report.intervals))[at])
        return number, last_digit(number, width, decimals)

    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for one in report.volumes:
            row = rows.pop((start, one.number))
            expected = {name: of(getattr(one, name), at, 4, 3) for name in times}
            # Without the zero before the point a digit more fits.
            expected = {name: (v, 0.001 if v < 0.9995 else d) for name, (v, d) in expected.items()}
            expected |= {"io_per_s": of(one.io_per_s, at, 8, 3), "allocations_avg": of(one.allocations, at, 5, 1)}
            expected |= {
                "utilization_pct": of(one.utilization_pct, at, 5, 2),
                "reserved_pct": of(one.reserved_pct, at, 5, 1),
            }
            assert_printed(row, expected, (start, one.number))
            named = (row["storage_group"] or "", row["volume"], row["lcu"], row["cylinders"], row["exposures"])
            assert named == (one.storage_group, one.serial, one.lcu, 65_520, one.exposures)
            assert row["hyperpav"] is {"H": True, "*": False}.get(one.aliases)
        for unit in report.units:
            row = rows.pop((start, unit.lcu))
            assert row["is_total"]
            assert_printed(row, {"io_per_s": of(unit.io_per_s, at, 8, 3)}, (start, unit.lcu))
        for one in report.synchronous:
            row = waits.pop((start, one.volume.number))
            expected = {"reads_per_s": of(one.reads_per_s, at, 7, 3), "writes_per_s": of(one.writes_per_s, at, 7, 3)}
            expected |= {"read_ms": of(one.read_ms, at, 5, 3), "async_per_s": of(one.volume.io_per_s, at, 7, 3)}
            assert_printed(row, expected, (start, one.volume.number))
    assert not rows
    assert not waits


# --- Workload simulator -----------------------------------------------------------------------------------------------


@SETTINGS
@given(
    counts=st.lists(st.integers(0, 10**9), min_size=3, max_size=3),
    seconds=st.integers(1, 90_000),
    clients=st.integers(1, 9999),
    amounts=st.lists(st.integers(0, 10**13), min_size=2, max_size=2),
    response=st.integers(0, 99_999),
)
def test_a_simulator_run_is_read_as_it_was_filled(
    counts: list[int], seconds: int, clients: int, amounts: list[int], response: int
) -> None:
    run = SimulatorRun(seconds, clients, *counts, *amounts, response_s=response / 1000, server_errors=3)
    (row,) = read(print_run(run))["workload_simulator_run"].rows(named=True)
    for name in ("run_time_s", "clients_total", "page_elements", "transactions", "pages", "server_errors"):
        assert row[name] == getattr(run, name), name
    for name in ("page_elements", "transactions", "pages"):
        assert abs(row[f"{name}_per_s"] - getattr(run, name) / seconds) <= 0.000_501
    assert abs(row["http_read_bytes"] - run.read_bytes) <= 501
    assert abs(row["http_written_bytes"] - run.written_bytes) <= 501
    assert row["page_element_response_s"] == run.response_s
