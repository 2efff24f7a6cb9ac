"""Ingest on Spark beside the processes of one machine: processor time of what grows with the input, and the start apart."""

from __future__ import annotations

from collections.abc import Sequence

from .measure import Result, table

SECTION = "spark"
SPARK = "ironlake, Spark local[2]"
# Of the whole input: what the smaller run reads.
SMALLER = 5


def margins(results: Sequence[Result]) -> dict[str, tuple[float, float]]:
    """By name: megabytes per processor second between the smallest and the largest input, and the processor seconds that no byte explains."""
    found = {}
    good = [r for r in results if r.section == SECTION and r.cpu_s and not r.failure]
    for name in dict.fromkeys(r.name for r in good):
        *_, small = sorted((r for r in good if r.name == name), key=lambda r: -r.bytes)
        large = max((r for r in good if r.name == name), key=lambda r: r.bytes)
        if large.cpu > small.cpu:
            rate = (large.bytes - small.bytes) / 1e6 / (large.cpu - small.cpu)
            found[name] = rate, small.cpu - small.bytes / 1e6 / rate
    return found


def spark_table(results: Sequence[Result], two: str) -> str:
    """What a megabyte more costs, beside `two` processes of one machine; asked: 0.8 of them, and less than 1 GB of memory a process."""
    found = margins(results)
    rows = [["", "MB/s of a core, in the margin", "to two processes", "start, CPU s", "peak MB of a process"]]
    for name, (rate, start) in found.items():
        peak = max(max(r.peak_bytes) for r in results if r.section == SECTION and r.name == name and r.peak_bytes) / 1e6
        ratio = f"{rate / found[two][0]:.2f}" if two in found else ""
        rows.append([name, f"{rate:.1f}", ratio, f"{start:.1f}", f"{peak:.0f}"])
    failed = [f"{r.name}: {r.failure}" for r in results if r.section == SECTION and r.failure]
    return "\n".join([table(rows), *failed])
