"""Device Activity of a solved step: the volumes of Db2."""

from __future__ import annotations

from .contents.devices import DeviceActivity, Volume
from .disks import COMMAND_MS, PEND_MS, Requests, requests
from .filling import StepIntervals


def device_activity(part: StepIntervals, system: str) -> DeviceActivity | None:
    """The Device Activity report of a system; None if nothing of Db2 is on it."""
    volumes = tuple(_volume(one) for one in requests(part, system))
    return DeviceActivity(system, part.release, part.intervals, volumes) if volumes else None


def _volume(one: Requests) -> Volume:
    return Volume(
        one.group,
        f"{one.device:05X}",
        "33909",
        65_520,
        one.serial,
        one.lcu,
        1 + one.aliases,
        "H",
        one.io_per_s,
        command_response_ms=COMMAND_MS,
        pend_ms=PEND_MS,
        disconnect_ms=one.disconnect_ms,
        connect_ms=one.connect_ms,
        allocations=4.0,
    )
