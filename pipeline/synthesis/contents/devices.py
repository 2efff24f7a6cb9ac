"""Content of RMF Direct Access Device Activity of a system: its volumes, by logical control unit.

Source of the names: IBM z/OS RMF Report Analysis, "Device Activity report". Times are milliseconds.
"""

from dataclasses import dataclass
from itertools import groupby

from .common import Intervals, Numbers, ratio


@dataclass(frozen=True)
class Volume:
    """A volume: requests per second, and of an average one the time in the queue of z/OS, pending (of it, until the first command is
    accepted, and while another system had the device), disconnected and connected. `exposures`: base and aliases, with `aliases` H on
    average with HyperPAV."""

    storage_group: str
    number: str
    device_type: str
    cylinders: int
    serial: str
    lcu: str
    exposures: Numbers = 1
    aliases: str = ""
    io_per_s: Numbers = 0
    iosq_ms: Numbers = 0
    command_response_ms: Numbers = 0
    device_busy_ms: Numbers = 0
    interrupt_ms: Numbers = 0
    pend_ms: Numbers = 0
    disconnect_ms: Numbers = 0
    connect_ms: Numbers = 0
    reserved_pct: Numbers = 0
    allocations: Numbers = 0
    allocated_pct: Numbers = 100

    @property
    def response_ms(self) -> Numbers:
        """RESP = IOSQ + PEND + DISC + CONN."""
        return self.iosq_ms + self.pend_ms + self.disconnect_ms + self.connect_ms

    @property
    def connect_pct(self) -> Numbers:
        """% DEV CONN: connected, of one exposure."""
        return self.io_per_s * self.connect_ms / 10 / self.exposures

    @property
    def utilization_pct(self) -> Numbers:
        """% DEV UTIL: connected or disconnected, of one exposure."""
        return self.io_per_s * (self.connect_ms + self.disconnect_ms) / 10 / self.exposures


@dataclass(frozen=True)
class ControlUnit:
    """The line LCU: its volumes together, times weighted by requests, shares averaged."""

    lcu: str
    volumes: tuple[Volume, ...]

    @property
    def io_per_s(self) -> Numbers:
        return sum(one.io_per_s for one in self.volumes)

    def time(self, name: str) -> Numbers:
        """A time of an average request."""
        return ratio(sum(one.io_per_s * getattr(one, name) for one in self.volumes), self.io_per_s)

    def share(self, name: str) -> Numbers:
        """A share of the interval, averaged over the volumes."""
        return sum(getattr(one, name) for one in self.volumes) / len(self.volumes)


@dataclass(frozen=True)
class DeviceActivity:
    """The Device Activity report of a system."""

    system: str
    release: str
    intervals: Intervals
    volumes: tuple[Volume, ...]

    @property
    def units(self) -> list[ControlUnit]:
        """The logical control units, in the order of the volumes."""
        return [ControlUnit(lcu, tuple(of)) for lcu, of in groupby(self.volumes, lambda one: one.lcu)]
