"""How busy was each system?"""

from ....pipeline.words import counted
from ..asked import Row
from ..question import question


def _note(rows: list[Row]) -> str:
    uncovered = sum(row["covered_s"] < 0.98 * 3600 for row in rows)
    hours = counted(uncovered, "hour of a system is the mean", "hours of systems are means")
    return f"{hours} of a part of the hour: intervals are missing." if uncovered else ""


systems = question(
    """
    systems: How busy was each system?
    view: processor_hour
    columns: hour_start, system, cp_engines "General processors busy" .2,
        cp_online "General processors online" [engines] .2, cp_busy_pct "General processors busy" .1,
        ziip_engines "zIIPs busy" .2, ziip_busy_pct "zIIPs busy" .1, sysplex
    chart: lines cp_engines ziip_engines, split system, limit cp_online
    worst: cp_busy_pct
    finding: Busiest: {system}, {cp_busy_pct:.0f}% of {cp_online:.1f} general processors on {at}.
    unknown: How busy the processors were is not printed.
    """,
    select="""
    SELECT cp.system, cp.hour_start, cp.engines_busy AS cp_engines, cp.engines_online AS cp_online, cp.busy_pct AS cp_busy_pct,
        ziip.engines_busy AS ziip_engines, ziip.busy_pct AS ziip_busy_pct, cp.covered_s
    FROM (SELECT * FROM processor_hour WHERE processor_type = 'CP' AND hour_start >= $from AND hour_start < $to) AS cp
    LEFT JOIN (SELECT * FROM processor_hour WHERE processor_type = 'IIP' AND hour_start >= $from AND hour_start < $to) AS ziip
        ON ziip.system = cp.system AND ziip.hour_start = cp.hour_start AND ziip.utc_offset_minutes IS NOT DISTINCT FROM cp.utc_offset_minutes
    ORDER BY cp.system, cp.hour_start, cp.utc_offset_minutes DESC
    """,
    note=_note,
)
