"""RMF Direct Access Device Activity of a system on paper: volumes, and a line per logical control unit.

Source: the titles as printed by V2R4; rows, the lines LCU from field knowledge. Times below a millisecond have no zero
before the point.
"""

from collections.abc import Iterator
from typing import Any

from ..contents.devices import ControlUnit, DeviceActivity, Volume
from ..pages import Paper, Section, placed, print_intervals, same_top
from ._headings import system_heading

_HEAD = """\
                                                 DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG   %
STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT   PEND DISC CONN   DEV    DEV   DEV   NMBR  ANY
 GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY   TIME TIME TIME   CONN   UTIL  RESV  ALLOC ALLOC"""
# The end of a column, the form of its number, and what it is.
_TIMES = (
    *((62, "response_ms"), (67, "iosq_ms"), (72, "command_response_ms"), (77, "device_busy_ms"), (82, "interrupt_ms")),
    *((88, "pend_ms"), (93, "disconnect_ms"), (98, "connect_ms")),
)
_SHARES = ((106, "connect_pct", 2), (113, "utilization_pct", 2), (119, "reserved_pct", 1), (132, "allocated_pct", 1))


def print_devices(report: DeviceActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    title = "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y"
    top, values = system_heading(title, 37, report.release, report.system, report.intervals)
    configuration = (
        "TOTAL SAMPLES =%(samples)7d   IODF = A4   CR-DATE: 02/17/2021   CR-TIME: 09.41.12     ACT: ACTIVATE"
    )
    heading = same_top(f"{top}\n\n{configuration}\n{_HEAD}", values | {"samples": report.intervals.printed_s})
    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _sections(report: DeviceActivity) -> Iterator[Section]:
    for unit in report.units:
        for one in unit.volumes:
            yield _volume(one)
        yield _unit(unit)


def _numbers(times: dict[str, Any], shares: dict[str, Any]) -> tuple[list[tuple[int, str]], dict[str, Any]]:
    cells = [(49, "%(io_per_s)8.3f"), *((end - 4, f"%({name})4.3p") for end, name in _TIMES)]
    cells += [(end - 5, f"%({name})5.{decimals}f") for end, name, decimals in _SHARES]
    return sorted([*cells, (120, "%(allocations)5.1f")]), times | shares


def _volume(one: Volume) -> Section:
    cells, values = _numbers(
        {name: getattr(one, name) for _, name in _TIMES}, {name: getattr(one, name) for _, name, _ in _SHARES}
    )
    # 1.0H with HyperPAV, else a whole number.
    exposures = f"%(exposures)3.1f{one.aliases}" if one.aliases == "H" else f"%(exposures)1d{one.aliases}"
    named = [
        (0, one.storage_group),
        (9, one.number),
        (15, one.device_type),
        (24, f"{one.cylinders:6d}"),
        (32, one.serial),
    ]
    more = {"io_per_s": one.io_per_s, "allocations": one.allocations, "exposures": one.exposures}
    return Section(placed(*named, (39, exposures), (44, one.lcu), *cells), values | more)


def _unit(unit: ControlUnit) -> Section:
    cells, values = _numbers(
        {name: unit.time(name) for _, name in _TIMES}, {name: unit.share(name) for _, name, _ in _SHARES}
    )
    more = {"io_per_s": unit.io_per_s, "allocations": sum(one.allocations for one in unit.volumes)}
    return Section(placed((39, "LCU"), (44, unit.lcu), *cells), values | more)
