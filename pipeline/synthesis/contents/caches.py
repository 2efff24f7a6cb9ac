"""Content of RMF Cache Subsystem Activity of a system.

Source of the names: IBM z/OS RMF Report Analysis, "CACHE - Cache Subsystem Activity report". All are counts in the interval, of all systems
that use the control unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .common import Intervals, Line, Numbers, Row


@dataclass(frozen=True)
class CachedUnit:
    """A storage control unit, by its subsystem identifier and lowest device number: its requests by category and for each volume. The first of
    both is of all: none is sequential, bypasses the cache or is delayed."""

    ssid: str
    control_unit: str
    categories: Mapping[str, Row]
    volumes: Sequence[Line]


@dataclass(frozen=True)
class CacheActivity:
    """The Cache Subsystem Activity report of a system. `length_s`: the cache interval, in whole seconds."""

    system: str
    release: str
    intervals: Intervals
    length_s: Numbers
    units: Sequence[CachedUnit]
