"""Cache Subsystem Activity of a solved step: what the caches of the storage behind Db2's volumes are asked for.

A read takes longer than from the cache if it misses it; that time of all reads says how many do. Writes go to non-volatile storage, and
from there to disk on their own. A control unit counts the requests of all systems, and each prints the same.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from .contents.caches import CacheActivity, Cached, CachedUnit, CachedVolume
from .disks import Requests, requests
from .filling import StepIntervals

# Subsystem identifiers: the number of a logical control unit above this.
_SSID = 0x1000


def cache_activity(part: StepIntervals, system: str) -> CacheActivity | None:
    """The report of a system; None if it has no disks."""
    mine = requests(part, system)
    if not mine:
        return None
    of_each = zip(*(requests(part, name) for name in part.configuration.systems), strict=True)
    volumes = [(one, _volume(list(every))) for one, every in zip(mine, of_each, strict=True)]
    units = []
    for lcu, of_unit in groupby(volumes, lambda pair: pair[0].lcu):
        those = tuple(volume for _, volume in of_unit)
        units.append(CachedUnit(f"{_SSID + int(lcu, 16):04X}", those[0].number, those))
    return CacheActivity(system, part.release, part.intervals, tuple(units))


def _volume(every: list[Requests]) -> CachedVolume:
    """A volume, with the requests of each system."""
    reads, writes, misses, tracks = (
        np.sum([getattr(one, name) for one in every], axis=0)
        for name in ("reads", "writes", "read_misses", "written_tracks")
    )
    # A miss stages a track.
    return CachedVolume(
        every[0].serial,
        f"{every[0].device:04X}",
        Cached(reads, writes, misses, staged_tracks=misses),
        written_tracks=tracks,
    )
