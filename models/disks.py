"""Requests of a system to the disks of Db2, in a solved step: a data volume per buffer pool, and a log volume per member.

A page that is not in its buffer pool is read from a data volume; pages that are cast out of a group buffer pool are written to it, and
each commit writes to the log. Device Activity, Channel Path Activity, I/O Queuing and Cache Subsystem Activity print what is told here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fill_db2 import castout_pages
from .filling import Array, StepIntervals

# Pages of a write of castout, kilobytes of a write to the log and of a track (12 pages of 4 KB on a 3390), and times of a request in milliseconds that do not depend on the load.
_PAGES_PER_WRITE, _LOG_KB, _TRACK_KB = 4, 4, 48
PEND_MS, COMMAND_MS, _CONNECT_MS, _LOG_CONNECT_MS = 0.08, 0.012, 0.11, 0.07


@dataclass(frozen=True)
class Requests:
    """Requests of a system to a volume: its group, number of device and of logical control unit, serial; requests and kilobytes read and
    written per second; milliseconds that a request is disconnected and connected; in the interval, reads, those of them that missed the cache of
    the control unit, writes, and tracks that it wrote to disk."""

    group: str
    device: int
    lcu: str
    serial: str
    io_per_s: Array
    read_kb_per_s: Array
    write_kb_per_s: Array
    disconnect_ms: Array
    connect_ms: float
    reads: Array
    read_misses: Array
    writes: Array
    written_tracks: Array

    @property
    def in_use(self) -> Array:
        """Requests that are connected or disconnected at the same time, on average: their rate times how long they are (Little's law)."""
        return self.io_per_s * (self.disconnect_ms + self.connect_ms) / 1000

    @property
    def open(self) -> Array:
        """The same with the time until the device accepts the first command: exchanges that are open."""
        return self.in_use + self.io_per_s * COMMAND_MS / 1000

    @property
    def aliases(self) -> Array:
        """Aliases in use on average: of requests that come at random, those at the same time but the one on the base device."""
        return np.maximum(self.in_use - 1 + np.exp(-self.in_use), 0.0)


def page_kb(pool: str) -> int:
    """Kilobytes of a page of a buffer pool.

    >>> page_kb("BP7"), page_kb("BP8K0"), page_kb("BP32K")
    (4, 8, 32)
    """
    size = pool.removeprefix("BP").partition("K")
    return int(size[0]) if size[1] else 4


def requests(part: StepIntervals, system: str) -> list[Requests]:
    """The volumes of a system; none if nothing of Db2 is on it."""
    volumes = [_data(part, system, number, pool) for number, pool in enumerate(part.model.buffer_pools)]
    return [*volumes, _log(part, system)] if volumes else []


def _data(part: StepIntervals, system: str, number: int, pool: str) -> Requests:
    reads, pages = part.count("reads", pool, system), castout_pages(part, pool, system)
    writes = np.ceil(pages / _PAGES_PER_WRITE)
    # Writes go to non-volatile storage; what a read takes longer is time that it is disconnected, because it missed the cache.
    longer_ms = max(part.model.buffer_pools[pool].read_ms - PEND_MS - _CONNECT_MS, 0.0)
    missed = reads / np.maximum(reads + writes, 1.0) * longer_ms
    read_misses = np.floor(reads * min(longer_ms / part.model.input_output.miss_ms, 1.0) + 0.5)
    return Requests(
        "SGDB2D",
        0x8A10 + number,
        "0051",
        f"D{pool[:3]}{number:02d}",
        (reads + writes) / part.length_s,
        reads * page_kb(pool) / part.length_s,
        pages * page_kb(pool) / part.length_s,
        missed,
        _CONNECT_MS,
        reads,
        read_misses,
        writes,
        # Pages that are cast out together are on one track.
        writes,
    )


def _log(part: StepIntervals, system: str) -> Requests:
    places = [place for place in part.solved.step.places if place.system == system]
    none = np.zeros(len(part.drawn))
    writes = sum((part.count("rate", p.workload.name, p.system) for p in places), none)
    commits = writes / part.length_s
    return Requests(
        "SGDB2L",
        0x8B10,
        "0052",
        "LOG001",
        commits,
        none,
        commits * _LOG_KB,
        none,
        _LOG_CONNECT_MS,
        none,
        none,
        writes,
        np.ceil(writes * _LOG_KB / _TRACK_KB),
    )
