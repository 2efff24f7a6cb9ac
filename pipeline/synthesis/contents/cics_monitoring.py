"""Content of a Performance Summary of CICS Performance Analyzer: means per task of each transaction of a region."""

from dataclasses import dataclass

from .common import Intervals, Numbers


@dataclass(frozen=True)
class MonitoredTransaction:
    """Means per task in seconds. response = dispatch + suspend; cpu is part of dispatch; first delay and dispatch wait are part of suspend."""

    name: str
    tasks: Numbers
    response_s: Numbers
    dispatch_s: Numbers
    cpu_s: Numbers
    qr_cpu_s: Numbers = 0.0
    l8_cpu_s: Numbers = 0.0
    dispatch_wait_s: Numbers = 0.0
    first_delay_s: Numbers = 0.0


@dataclass(frozen=True)
class MonitoredRegion:
    """A region: a report for each interval."""

    applid: str
    intervals: Intervals
    transactions: tuple[MonitoredTransaction, ...]
    product: str = "V5R4M0"
