"""Which workloads use the processors? Sums of service classes by workload; an hour with an unknown class is unknown."""

from collections import defaultdict

from ....pipeline.words import counted
from ..asked import CLASS_HOURS, Row
from ..question import question


def _most_used(rows: list[Row], _: Row | None) -> str:
    """The workload with most general processor time, over the hours in which all workloads are known: otherwise its
    share would be wrong."""
    hours = {_hour_of(row) for row in rows}
    unknown = {_hour_of(row) for row in rows if row["cp_engines"] is None}
    shares: dict[str, float] = defaultdict(float)
    for row in rows:
        if _hour_of(row) not in unknown:
            shares[row["workload"] or "no workload"] += row["cp_engines"]
    total = sum(shares.values())
    if hours == unknown:
        return "In no hour the time of all workloads is known."
    if not total:
        return "No processor time was used."
    top = max(shares, key=lambda name: shares[name])
    known = counted(len(hours) - len(unknown), "hour")
    of = f" in the {known} of {len(hours):,} in which all are known" if unknown else ""
    return f"{top} used {100 * shares[top] / total:.0f}% of the general processor time of all workloads{of}."


def _hour_of(row: Row) -> tuple[object, ...]:
    return row["sysplex"], row["scope"], row["hour_start"], row["utc_offset_minutes"]


workloads = question(
    """
    workloads: Which workloads use the processors?
    view: class_hour
    columns: hour_start time, workload text, cp_engines "General processors" .2, ziip_engines "zIIPs" .2,
        sysplex text, scope "Systems" text
    chart: lines cp_engines ziip_engines, split workload, series sysplex
    worst:
    note: Time that is in no class is not counted. zIIP time is not normalised.
    """,
    finding=_most_used,
    select=f"""
    WITH {CLASS_HOURS}
    SELECT sysplex, scope, workload, hour_start, utc_offset_minutes, sum_all(cp_time_s) / nullif(max(covered_s), 0) AS cp_engines,
        sum_all(ziip_time_s) / nullif(max(covered_s), 0) AS ziip_engines
    FROM class_hours WHERE class_kind = 'service_class' AND has_cpu
    GROUP BY ALL ORDER BY sysplex, scope, workload, hour_start, utc_offset_minutes
    """,
)
