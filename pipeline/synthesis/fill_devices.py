"""Device Activity of a solved step: the volumes of Db2, a data volume per buffer pool and a log volume per member.

A page that is not in its buffer pool is read from a data volume; pages that are cast out of a group buffer pool are written to it, and
each commit writes to the log.
"""

from __future__ import annotations

import numpy as np

from .contents import DeviceActivity, Volume
from .fill_db2 import castout_pages
from .filling import Array, StepIntervals

# Pages of a write of castout, and times of a request in milliseconds that do not depend on the load.
_PAGES_PER_WRITE = 4
_PEND_MS, _COMMAND_MS, _CONNECT_MS, _LOG_CONNECT_MS = 0.08, 0.012, 0.11, 0.07


def device_activity(part: StepIntervals, system: str) -> DeviceActivity | None:
    """The Device Activity report of a system; None if nothing of Db2 is on it."""
    volumes = [_data_volume(part, system, number, pool) for number, pool in enumerate(part.model.buffer_pools)]
    if not volumes:
        return None
    return DeviceActivity(system, part.release, part.intervals, (*volumes, _log_volume(part, system)))


def _data_volume(part: StepIntervals, system: str, number: int, pool: str) -> Volume:
    reads = part.count("reads", pool, system)
    writes = np.ceil(castout_pages(part, pool, system) / _PAGES_PER_WRITE)
    read_ms = part.model.buffer_pools[pool].read_ms
    # Writes go to non-volatile storage; what a read takes longer is time that it is disconnected.
    missed = reads / np.maximum(reads + writes, 1.0) * max(read_ms - _PEND_MS - _CONNECT_MS, 0.0)
    return _volume(part, "SGDB2D", number, f"D{pool[:3]}{number:02d}", "0051", reads + writes, missed, _CONNECT_MS)


def _log_volume(part: StepIntervals, system: str) -> Volume:
    places = [place for place in part.solved.step.places if place.system == system]
    commits = sum((part.count("rate", p.workload.name, p.system) for p in places), np.zeros(len(part.drawn)))
    return _volume(part, "SGDB2L", 0, "LOG001", "0052", commits, np.zeros(len(part.drawn)), _LOG_CONNECT_MS)


def _volume(
    part: StepIntervals,
    group: str,
    number: int,
    serial: str,
    lcu: str,
    requests: Array,
    disconnect_ms: Array,
    connect_ms: float,
) -> Volume:
    device = f"{0x8A10 + number + (0x100 if lcu == '0052' else 0):05X}"
    return Volume(
        group,
        device,
        "33909",
        65_520,
        serial,
        "1.0H",
        lcu,
        requests / part.length_s,
        command_response_ms=_COMMAND_MS,
        pend_ms=_PEND_MS,
        disconnect_ms=disconnect_ms,
        connect_ms=connect_ms,
        allocations=4.0,
    )
