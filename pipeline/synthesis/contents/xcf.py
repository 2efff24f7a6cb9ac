"""Content of RMF XCF Activity for a system: traffic by remote system and transport class, and paths.

Source of the names: IBM z/OS RMF Report Analysis, "XCF Activity report".
"""

from dataclasses import dataclass

from .common import Intervals, Numbers


@dataclass(frozen=True)
class ClassOut:
    """Messages to a system in a transport class: of those sent, percent that were small, fitted, too big for the buffer
    (together 100), and of the big ones those with overhead; times that all paths were unavailable; rejects."""

    system: str
    transport_class: str
    buffer_length: int
    requests: Numbers
    small_pct: Numbers = 0
    fit_pct: Numbers = 100
    big_pct: Numbers = 0
    overhead_pct: Numbers = 0
    paths_unavailable: Numbers = 0
    rejects: Numbers = 0


@dataclass(frozen=True)
class SystemIn:
    """Messages from a system."""

    system: str
    requests: Numbers
    rejects: Numbers = 0


@dataclass(frozen=True)
class PathOut:
    """A path to a system: kind S (structure) or C (channel), its name or devices (C5B0 TO C5A4), and what went over it;
    requests found it available or busy."""

    system: str
    kind: str
    device: str
    transport_class: str
    requests: Numbers
    queue_length: Numbers = 0
    busy: Numbers = 0
    retries: Numbers = 0

    @property
    def available(self) -> Numbers:
        """AVAIL = REQ OUT - BUSY."""
        return self.requests - self.busy


@dataclass(frozen=True)
class PathIn:
    """A path from a system."""

    system: str
    kind: str
    device: str
    requests: Numbers
    buffers_unavailable: Numbers = 0


@dataclass(frozen=True)
class XcfActivity:
    """The XCF Activity report of a system."""

    system: str
    release: str
    intervals: Intervals
    outbound: tuple[ClassOut, ...] = ()
    inbound: tuple[SystemIn, ...] = ()
    paths_out: tuple[PathOut, ...] = ()
    paths_in: tuple[PathIn, ...] = ()
