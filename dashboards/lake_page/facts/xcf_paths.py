"""Did messages between systems find their signalling path free?"""

from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, rows_of, with_label
from .conditions import of_rule
from .found import Found, format_hour, listed
from .named_hours import told_hours

_PATHS = """
SELECT *, system || ' ' || direction || ' ' || path AS name
FROM xcf_path_hour WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_PATH_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "System and path", kind="text"),
    Column("signals_per_s", "Signals", "1/s", 1),
    Column("busy_pct", "Found the path busy", "%", 2),
    Column("retries", "Restarts"),
    Column("buffers_unavailable", "Found no buffer"),
    Column("system_label", "System", kind="text"),
    Column("system", "Its name", kind="text"),
    Column("direction", "Direction", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
)
# Worst first.
_TROUBLES = ("busy_pct", "retries", "buffers_unavailable")


def paths(asked: Asked) -> Found:
    hours = asked.ask(_PATHS)
    if not len(hours):
        return Found()
    hours = with_label(with_label(hours, "name", "label"), "system", "system_label")
    rows = hours.to_pylist()
    section = Section(
        "paths",
        "Did signals between systems wait?",
        _worst(rows),
        Chart("lines", "hour_start", "signals_per_s", split="system_label", series="direction"),
        rows_of(asked, hours, _PATH_COLUMNS),
        {"time": "hour_start", "system": "system", "sysplex": "sysplex"},
    )
    busy = of_rule(asked, "xcf_path_busy_pct", "busy_pct", "signals_per_s")
    said, told = "XCF path {label}: {value}% of its signals found it busy on {at}", ("XCF path busy", "paths")
    return Found((section,), told_hours(asked, rows, busy, _PATH_COLUMNS, said, told))


def _worst(rows: list[dict[str, Any]]) -> str:
    """The hour in which most messages waited; a path outbound prints how many found it busy, a path inbound how many found no buffer."""
    known = [row for row in rows if any(row[name] is not None for name in _TROUBLES)]
    if not known:
        return "Whether signals waited is not known."
    worst = max(known, key=lambda row: [row[name] or 0 for name in _TROUBLES])
    if not any(worst[name] for name in _TROUBLES):
        # A path outbound prints busy signals, one inbound those without a buffer.
        unknown = any(
            row["busy_pct"] is None and row["buffers_unavailable"] is None for row in rows if row["signals"] != 0
        )
        sure = ", as far as is known" if unknown else ""
        return f"No signal found a path busy or without a buffer, on {counted(len({row['label'] for row in known}), 'path')}{sure}."
    found = [
        f"{worst['busy_pct']:.2f}% of its signals found it busy" if worst["busy_pct"] else "",
        counted(worst["retries"], "restart") if worst["retries"] else "",
        f"{counted(worst['buffers_unavailable'], 'signal')} found no buffer" if worst["buffers_unavailable"] else "",
    ]
    return (
        f"Most: {worst['label']}, {listed([words for words in found if words])} on {format_hour(worst['hour_start'])}."
    )
