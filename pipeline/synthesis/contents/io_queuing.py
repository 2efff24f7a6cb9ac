"""Content of RMF I/O Queuing Activity of a system: I/O processors and logical control units.

Source of the names: IBM z/OS RMF Report Analysis, "I/O Queuing Activity report". Times are milliseconds.
"""

from dataclasses import dataclass

from .common import Intervals, Numbers


@dataclass(frozen=True)
class IoProcessor:
    """An I/O processor: requests queued and started per second, interrupts, share of time that it is busy, length of its queue."""

    number: str
    per_s: Numbers = 0
    busy_pct: Numbers = 0
    queue_length: Numbers = 0
    interrupts_per_s: Numbers = 0


@dataclass(frozen=True)
class QueuePath:
    """A channel path of a unit: the requests that it took per second, percent that found the director port or control unit busy, delays."""

    number: str
    taken_per_s: Numbers = 0
    director_busy_pct: Numbers = 0
    control_unit_busy_pct: Numbers = 0
    busy_delay_ms: Numbers = 0
    command_response_ms: Numbers = 0


@dataclass(frozen=True)
class QueueUnit:
    """A logical control unit. Its last row adds up the paths and has what is
    measured once for all: requests queued per second because all paths were busy and the length of that queue, the delay in the channel
    subsystem, requests that waited for an alias per request, most aliases in use, exchanges open and data transfers at the same time."""

    unit: str
    paths: tuple[QueuePath, ...]
    together: QueuePath
    control_unit: str = ""
    contention_per_s: Numbers = 0
    queue_length: Numbers = 0
    channel_subsystem_ms: Numbers = 0
    alias_wait: Numbers = 0
    aliases_max: Numbers = 0
    open_exchanges: Numbers = 0
    transfers: Numbers = 0


@dataclass(frozen=True)
class IoQueuing:
    """The I/O Queuing Activity report of a system."""

    system: str
    release: str
    intervals: Intervals
    processors: tuple[IoProcessor, ...]
    units: tuple[QueueUnit, ...]
