"""Content of RMF Cache Subsystem Activity of a system: storage control units and their volumes.

Source of the names: IBM z/OS RMF Report Analysis, "CACHE - Cache Subsystem Activity report". All are counts in the interval, of all systems
that use the control unit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from .common import Intervals, Numbers, ratio


@dataclass(frozen=True)
class Cached:
    """Requests that use the cache: reads and writes, those of each that missed it, and tracks read from disk into it."""

    reads: Numbers = 0
    writes: Numbers = 0
    read_misses: Numbers = 0
    write_misses: Numbers = 0
    staged_tracks: Numbers = 0

    @property
    def requests(self) -> Numbers:
        return self.reads + self.writes

    @property
    def read_hits(self) -> Numbers:
        return self.reads - self.read_misses

    @property
    def write_hits(self) -> Numbers:
        return self.writes - self.write_misses

    @property
    def misses(self) -> Numbers:
        return self.read_misses + self.write_misses

    @property
    def hit_ratio(self) -> Numbers:
        return ratio(self.read_hits + self.write_hits, self.requests, np.nan)

    @property
    def read_hit_ratio(self) -> Numbers:
        return ratio(self.read_hits, self.reads, np.nan)

    @property
    def write_hit_ratio(self) -> Numbers:
        return ratio(self.write_hits, self.writes, np.nan)

    @property
    def read_pct(self) -> Numbers:
        return 100 * ratio(self.reads, self.requests, np.nan)


def together(parts: Iterable[Cached]) -> Cached:
    """Requests added up."""
    every = list(parts)
    return Cached(**{field.name: sum(getattr(one, field.name) for one in every) for field in fields(Cached)})


@dataclass(frozen=True)
class CachedVolume:
    """A volume: its requests, none of them sequential, and tracks that the control unit wrote to disk on its own."""

    serial: str
    number: str
    every: Cached
    written_tracks: Numbers = 0


@dataclass(frozen=True)
class CachedUnit:
    """A storage control unit, by its subsystem identifier and lowest device number."""

    ssid: str
    control_unit: str
    volumes: tuple[CachedVolume, ...]

    @property
    def every(self) -> Cached:
        return together(one.every for one in self.volumes)

    @property
    def written_tracks(self) -> Numbers:
        return sum(one.written_tracks for one in self.volumes)


@dataclass(frozen=True)
class CacheActivity:
    """The Cache Subsystem Activity report of a system."""

    system: str
    release: str
    intervals: Intervals
    units: tuple[CachedUnit, ...]

    @property
    def length_s(self) -> Numbers:
        """The cache interval, printed in whole seconds: rates are per second of it."""
        return np.floor(self.intervals.printed_s + 0.5)
