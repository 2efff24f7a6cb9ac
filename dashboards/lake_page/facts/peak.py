"""What made the peak? The classes of the hour with the highest four-hour rolling average."""

import pyarrow as pa

from ..asked import Asked, Row, with_label
from ..found import format_hour, listed
from ..question import OF_PLEX, question

_PEAK = """
SELECT * REPLACE (CASE WHEN level = 'pages' THEN coalesce(sysplex, name) ELSE name END AS name), coalesce(machine, scope) AS whose
FROM peak_msu_by_class AS peak
WHERE class_kind = 'service_class' AND peak_start >= $from AND peak_start < $to AND share_pct IS NOT NULL
ORDER BY rolling_msu DESC, peak.name, peak_start, share_pct DESC
"""


def _peaks(asked: Asked) -> pa.Table:
    """There is one peak per owner and reporting month."""
    table = with_label(asked.ask(_PEAK), "name", "owner", "whose")
    owners = zip(table["owner"].to_pylist(), table["peak_start"].to_pylist(), strict=True)
    return table.append_column("peak", pa.array([f"{owner}, {format_hour(at)}" for owner, at in owners], pa.string()))


def _most(rows: list[Row], _: Row | None) -> str:
    first = [row for row in rows if row["peak"] == rows[0]["peak"]]
    most = listed([f"{row['class_name']} {row['share_pct']:.0f}%" for row in first[:3]])
    return f"{first[0]['peak']}: {most} of the processor time of all classes."


peak = question(
    f"""
    peak: What made the peak?
    view: peak_msu_by_class
    columns: class_name "Class", gp_msu "Of the peak" [MSU] .0, share_pct "Share of captured time" .1, peak, level,
        peak_start "Peak hour", rolling_msu "Four-hour average" [MSU] .0, {OF_PLEX}
    chart: bars gp_msu by class_name, split peak
    worst:
    note: The classes of the four hours before, as the average weighs them. Time in no class is not counted.
    if_none: What made the peak: no classes are printed for all systems of a peak hour, or no peak is known.
    """,
    finding=_most,
    rows=_peaks,
)
