"""Device Activity of a solved step: the volumes of Db2, and a line LCU per logical control unit, which averages them: times by requests."""

from __future__ import annotations

from itertools import groupby

from .contents.common import Line, Row, SystemReport, ratio
from .disks import COMMAND_MS, PEND_MS, Requests, requests
from .filling import StepIntervals

_TIMES = ("response_ms", "command_response_ms", "pend_ms", "disconnect_ms", "connect_ms")
_SHARES = ("connect_pct", "utilization_pct", "any_allocation_pct")


def device_activity(part: StepIntervals, system: str) -> SystemReport | None:
    """The Device Activity report of a system; None if nothing of Db2 is on it."""
    rows: list[Line] = []
    for lcu, of in groupby(requests(part, system), lambda one: one.lcu):
        volumes = [_volume(one) for one in of]
        rows += [("DEVICE_ROW", volume) for volume in volumes]
        rows.append(("LCU_ROW", _unit(lcu, volumes)))
    return part.report("rmf_device_activity", system, rows) if rows else None


def _volume(one: Requests) -> Row:
    exposures = 1 + one.aliases
    return {
        "storage_group": one.group,
        "device_number": f"{one.device:05X}",
        "device_type": "33909",
        "cylinders": 65_520,
        "volume": one.serial,
        "exposures": exposures,
        "hyperpav": "H",
        "lcu": one.lcu,
        "io_per_s": one.io_per_s,
        "response_ms": PEND_MS + one.disconnect_ms + one.connect_ms,
        "command_response_ms": COMMAND_MS,
        "pend_ms": PEND_MS,
        "disconnect_ms": one.disconnect_ms,
        "connect_ms": one.connect_ms,
        "connect_pct": one.io_per_s * one.connect_ms / 10 / exposures,
        "utilization_pct": one.io_per_s * (one.connect_ms + one.disconnect_ms) / 10 / exposures,
        "allocations_avg": 4.0,
        "any_allocation_pct": 100,
    }


def _unit(lcu: str, volumes: list[Row]) -> Row:
    rate, allocations = (sum(one[name] for one in volumes) for name in ("io_per_s", "allocations_avg"))
    times = {name: ratio(sum(one["io_per_s"] * one[name] for one in volumes), rate) for name in _TIMES}
    shares = {name: sum(one[name] for one in volumes) / len(volumes) for name in _SHARES}
    return {"lcu": lcu, "io_per_s": rate, "allocations_avg": allocations} | times | shares
