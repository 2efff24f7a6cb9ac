"""How busy are general processors and zIIPs, by system and by workload?"""

from collections import defaultdict
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of, table_of
from .found import Found, format_hour

_SYSTEMS = """
SELECT cp.system, cp.hour_start, cp.engines_busy AS cp_engines, cp.engines_online AS cp_online, cp.busy_pct AS cp_busy_pct,
    ziip.engines_busy AS ziip_engines, ziip.busy_pct AS ziip_busy_pct, cp.covered_s
FROM (SELECT * FROM processor_hour WHERE processor_type = 'CP' AND hour_start >= $from AND hour_start < $to) AS cp
LEFT JOIN (SELECT * FROM processor_hour WHERE processor_type = 'IIP' AND hour_start >= $from AND hour_start < $to) AS ziip
    ON ziip.system = cp.system AND ziip.hour_start = cp.hour_start AND ziip.utc_offset_minutes IS NOT DISTINCT FROM cp.utc_offset_minutes
ORDER BY cp.system, cp.hour_start, cp.utc_offset_minutes DESC
"""
_SYSTEM_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("system", "System", kind="text"),
    Column("cp_engines", "General processors busy", "engines", 2),
    Column("cp_online", "General processors online", "engines", 2),
    Column("cp_busy_pct", "General processors busy", "%", 1),
    Column("ziip_engines", "zIIPs busy", "engines", 2),
    Column("ziip_busy_pct", "zIIPs busy", "%", 1),
    Column("sysplex", "Sysplex", kind="text"),
)
_WORKLOAD_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("workload", "Workload", kind="text"),
    Column("cp_engines", "General processors", "engines", 2),
    Column("ziip_engines", "zIIPs", "engines", 2),
    Column("sysplex", "Sysplex", kind="text"),
    Column("scope", "Systems", kind="text"),
)


def use_by_system(asked: Asked) -> Found:
    hours = asked.ask(_SYSTEMS)
    if not len(hours):
        return Found()
    systems = hours["system"].to_pylist()
    hours = hours.append_column("sysplex", pa.array([asked.sysplex_of.get(name) for name in systems], pa.string()))
    top = highest(hours.to_pylist(), _SYSTEM_COLUMNS, "cp_busy_pct")
    said = (
        f"Busiest: {top['system']}, {top['cp_busy_pct']:.0f}% of {top['cp_online']:.1f} general processors on {format_hour(top['hour_start'])}."
        if top
        else "How busy the processors were is not printed."
    )
    uncovered = sum(seconds < 0.98 * 3600 for seconds in hours["covered_s"].to_pylist())
    section = Section(
        "systems",
        "How busy was each system?",
        said,
        Chart("lines", "hour_start", ("cp_engines", "ziip_engines"), split="system", limit="cp_online"),
        rows_of(asked, hours, _SYSTEM_COLUMNS),
        {"time": "hour_start", "system": "system", "sysplex": "sysplex"},
        f"{counted(uncovered, 'hour of a system is the mean', 'hours of systems are means')} of a part of the hour: intervals are missing."
        if uncovered
        else "",
    )
    return Found((section,))


def use_by_workload(asked: Asked) -> Found:
    """Sums of service classes by workload; an hour with an unknown class is unknown."""
    hours = asked.class_hours("service_class")
    sums: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    names = ("sysplex", "scope", "workload", "hour_start", "utc_offset_minutes")
    for row in hours.select([*names, "cp_time_s", "ziip_time_s", "covered_s", "has_cpu"]).to_pylist():
        if row["has_cpu"]:
            sums[tuple(row[name] for name in names)].append(row)
    if not sums:
        return Found()
    made = [
        {
            **dict(zip(names, key, strict=True)),
            "cp_engines": _engines(rows, "cp_time_s"),
            "ziip_engines": _engines(rows, "ziip_time_s"),
        }
        for key, rows in sums.items()
    ]
    made.sort(key=lambda row: (row["sysplex"] or "", row["scope"] or "", row["workload"] or "", row["hour_start"]))
    section = Section(
        "workloads",
        "Which workloads use the processors?",
        _most_used(made),
        Chart("lines", "hour_start", ("cp_engines", "ziip_engines"), split="workload", series="sysplex"),
        rows_of(asked, table_of(made, _WORKLOAD_COLUMNS), _WORKLOAD_COLUMNS),
        {"time": "hour_start", "workload": "workload", "sysplex": "sysplex", "system": "scope"},
        "Time that is in no class is not counted. zIIP time is not normalised.",
    )
    return Found((section,))


def _most_used(made: list[dict[str, Any]]) -> str:
    """The workload with most general processor time, of the hours in which all workloads are known: a share of less is of nothing."""
    hours = {_hour_of(row) for row in made}
    unknown = {_hour_of(row) for row in made if row["cp_engines"] is None}
    shares: dict[str, float] = defaultdict(float)
    for row in made:
        if _hour_of(row) not in unknown:
            shares[row["workload"] or "no workload"] += row["cp_engines"]
    total = sum(shares.values())
    if hours == unknown:
        return "In no hour the time of all workloads is known."
    if not total:
        return "No processor time was used."
    top = max(shares, key=lambda name: shares[name])
    of = (
        f" in the {counted(len(hours) - len(unknown), 'hour')} of {len(hours):,} in which all are known"
        if unknown
        else ""
    )
    return f"{top} used {100 * shares[top] / total:.0f}% of the general processor time of all workloads{of}."


def _hour_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["sysplex"], row["scope"], row["hour_start"], row["utc_offset_minutes"]


def _engines(rows: list[dict[str, Any]], name: str) -> float | None:
    covered_s = max(row["covered_s"] or 0 for row in rows)
    if any(row[name] is None for row in rows) or not covered_s:
        return None
    return sum(row[name] for row in rows) / covered_s
