"""Cache Subsystem Activity of a solved step: what the caches of the storage behind Db2's volumes are asked for.

A read takes longer than from the cache if it misses it; that time of all reads says how many do. Writes go to non-volatile storage, and
from there to disk on their own. A control unit counts the requests of all systems, and each prints the same.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from .contents.common import Numbers, Row, SystemReport, ratio
from .disks import Requests, requests
from .filling import StepIntervals

# Subsystem identifiers: the number of a logical control unit above this.
_SSID = 0x1000


def cache_activity(part: StepIntervals, system: str) -> SystemReport | None:
    """The report of a system; None if it has no disks."""
    mine = requests(part, system)
    if not mine:
        return None
    length = np.floor(part.intervals.printed_s + 0.5)
    of_each = zip(*(requests(part, name) for name in part.configuration.systems), strict=True)
    volumes = [(one, _counts(list(every))) for one, every in zip(mine, of_each, strict=True)]
    units = []
    for lcu, of_unit in groupby(volumes, lambda pair: pair[0].lcu):
        units.append(_unit(f"{_SSID + int(lcu, 16):04X}", list(of_unit), length))
    return part.report("rmf_cache_subsystem", system, units, cache_interval_s=length)


def _counts(every: list[Requests]) -> Row:
    """What a volume counts: requests of all systems, none of them sequential, and tracks that the control unit wrote to disk on its own."""
    names = ("reads", "writes", "read_misses", "written_tracks")
    return {name: np.sum([getattr(one, name) for one in every], axis=0) for name in names}


def _unit(ssid: str, volumes: list[tuple[Requests, Row]], length: Numbers) -> Row:
    """A control unit: its requests by category (the first: all), and for each volume."""
    counts = {name: sum(one[name] for _, one in volumes) for name in volumes[0][1]}
    none, every = dict.fromkeys(counts, 0), _printed(counts, counts, length)
    # A miss stages a track; a write misses nothing.
    categories = {"NORMAL": every, **dict.fromkeys(("SEQUENTIAL", "CFW DATA"), _printed(none, counts, length))}
    unit = [("ALL_ROW", every), ("UNCACHED_ROW", _printed(none, counts, length)), ("CACHED_ROW", every)]
    devices = [
        ("DEVICE_ROW", {"volume": one.serial, "device_number": f"{one.device:04X}"} | _printed(its, counts, length))
        for one, its in volumes
    ]
    names = {"ssid": ssid, "control_unit": f"{volumes[0][0].device:04X}"}
    return names | {"categories": categories, "volumes": [*unit, *devices]}


def _printed(counts: Row, of_unit: Row, length: Numbers) -> Row:
    """What is printed of counts, by column: also hits, rates per second and ratios, which nothing has without requests."""
    reads, writes, misses = counts["reads"], counts["writes"], counts["read_misses"]
    every = {"reads": reads, "read_hits": reads - misses, "requests": reads + writes, "write_misses": 0}
    every |= dict.fromkeys(("writes", "fast_writes", "write_hits"), writes)
    every |= dict.fromkeys(("read_misses", "misses", "staged_tracks"), misses) | {
        "async_tracks": counts["written_tracks"]
    }
    rates = {f"{name}_per_s": value / length for name, value in every.items()}
    hits = {"hit_ratio": (every["read_hits"] + writes, reads + writes), "read_hit_ratio": (every["read_hits"], reads)}
    ratios = {name: ratio(*of, np.nan) for name, of in (hits | {"write_hit_ratio": (writes, writes)}).items()}
    shares = {
        "read_pct": 100 * ratio(reads, reads + writes, np.nan),
        "io_pct": 100 * ratio(reads + writes, of_unit["reads"] + of_unit["writes"]),
        "io_per_s": rates["requests_per_s"],
        "fast_write_hits_per_s": rates["write_hits_per_s"],
        "stage_per_s": rates["misses_per_s"],
    }
    return every | rates | ratios | shares
