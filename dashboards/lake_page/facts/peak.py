"""What made the peak? The classes of the hour with the highest four-hour rolling average."""

import pyarrow as pa

from ..contract import Chart, Column, Section
from .asked import Asked, rows_of
from .found import Found, format_hour, listed
from .labels import told_apart

_PEAK = """
SELECT * FROM peak_msu_by_class
WHERE class_kind = 'service_class' AND peak_start >= $from AND peak_start < $to AND share_pct IS NOT NULL
ORDER BY rolling_msu DESC, name, peak_start, share_pct DESC
"""
_COLUMNS = (
    Column("class_name", "Class", kind="text"),
    Column("gp_msu", "Of the peak", "MSU", 0),
    Column("share_pct", "Share of captured time", "%", 1),
    Column("peak", "Peak", kind="text"),
    Column("level", "Level", kind="text"),
    Column("peak_start", "Peak hour", kind="time"),
    Column("rolling_msu", "Four-hour average", "MSU", 0),
    Column("sysplex", "Sysplex", kind="text"),
    Column("scope", "Systems", kind="text"),
)


def peak(asked: Asked) -> Found:
    rows = asked.ask(_PEAK)
    if not len(rows):
        return Found(
            unknown=("What made the peak: no classes are printed for all systems of a peak hour, or no peak is known.",)
        )
    names = [row["sysplex"] or row["name"] if row["level"] == "pages" else row["name"] for row in rows.to_pylist()]
    # There is one peak per owner and reporting month.
    whose = told_apart(names, [row["machine"] or row["scope"] for row in rows.to_pylist()])
    found = [
        {**row, "peak": f"{name}, {format_hour(row['peak_start'])}"}
        for row, name in zip(rows.to_pylist(), whose, strict=True)
    ]
    rows = rows.append_column("peak", pa.array([row["peak"] for row in found], pa.string()))
    first = [row for row in found if row["peak"] == found[0]["peak"]]
    most = listed([f"{row['class_name']} {row['share_pct']:.0f}%" for row in first[:3]])
    section = Section(
        "peak",
        "What made the peak?",
        f"{first[0]['peak']}: {most} of the processor time of all classes.",
        Chart("bars", "gp_msu", "class_name", split="peak"),
        rows_of(asked, rows, _COLUMNS),
        {"class": "class_name", "sysplex": "sysplex", "system": "scope"},
        "The classes of the four hours before, as the average weighs them. Time in no class is not counted.",
    )
    return Found((section,))
