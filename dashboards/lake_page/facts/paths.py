"""Did messages between systems find their signalling path free?"""

from ....pipeline.words import counted
from ..asked import Row
from ..found import format_hour, listed
from ..question import question

# Worst first.
_TROUBLES = ("busy_pct", "retries", "buffers_unavailable")


def _worst(rows: list[Row], _: Row | None) -> str:
    """The hour in which most messages waited: an outbound path prints how many found it busy, an inbound path how many
    found no buffer."""
    known = [row for row in rows if any(row[name] is not None for name in _TROUBLES)]
    if not known:
        return "Whether signals waited is not known."
    worst = max(known, key=lambda row: [row[name] or 0 for name in _TROUBLES])
    if not any(worst[name] for name in _TROUBLES):
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


paths = question(
    """
    paths: Did signals between systems wait?
    view: xcf_path_hour
    name: system || ' ' || direction || ' ' || path
    apart: system
    columns: hour_start, label "System and path", signals_per_s .1, busy_pct "Found the path busy" .2,
        retries "Restarts", buffers_unavailable "Found no buffer", system_label "System", system "Its name",
        direction, sysplex
    chart: lines signals_per_s, split system_label, series direction
    worst:
    card: xcf_path_busy_pct "XCF path busy": XCF path {label}: {value}% of its signals found it busy on {at}
    """,
    finding=_worst,
)
