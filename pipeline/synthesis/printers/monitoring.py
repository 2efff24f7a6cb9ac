"""CICS monitoring figures of a run as the CSV file that a study names: means per task."""

import csv
import io

from ..contents.monitoring import MonitoringFigures


def print_monitoring(figures: list[MonitoringFigures]) -> bytes:
    """A line a transaction, times in milliseconds.

    >>> print_monitoring([MonitoringFigures("LINK", 300, 1.25, 0.75, 0.5, 0.625, 60.0)]).decode().splitlines()[1]
    'LINK,300,60.000,1.2500,0.7500,0.5000,0.6250'
    """
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["transaction", "tasks", "span_s", "response_ms", "dispatch_ms", "suspend_ms", "cpu_ms"])
    for one in figures:
        times = (one.response_ms, one.dispatch_ms, one.suspend_ms, one.cpu_ms)
        table.writerow([one.transaction, one.tasks, f"{one.span_s:.3f}", *(f"{time:.4f}" for time in times)])
    return lines.getvalue().encode()
