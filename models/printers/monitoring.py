"""CICS monitoring figures of a run as the CSV file that a study names: means per task."""

import csv
import io
from collections.abc import Sequence

from ..contents.common import Row

_TIMES = ("response_ms", "dispatch_ms", "suspend_ms", "cpu_ms")


def print_monitoring(figures: Sequence[Row]) -> bytes:
    """A line a transaction, times in milliseconds, of which response = dispatch (with processor time, and waiting for a processor) + suspend."""
    lines = io.StringIO()
    table = csv.DictWriter(lines, ["transaction", "tasks", "span_s", *_TIMES], lineterminator="\n")
    table.writeheader()
    for one in figures:
        table.writerow(one | {"span_s": f"{one['span_s']:.3f}"} | {name: f"{one[name]:.4f}" for name in _TIMES})
    return lines.getvalue().encode()
