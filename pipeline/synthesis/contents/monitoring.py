"""CICS monitoring figures of a transaction."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MonitoringFigures:
    """Means a task in milliseconds: response = dispatch (with processor time, and waiting for a processor) + suspend. `span_s`:
    the time that they are of."""

    transaction: str
    tasks: int
    response_ms: float
    dispatch_ms: float
    suspend_ms: float
    cpu_ms: float
    span_s: float
