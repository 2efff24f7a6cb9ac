"""What kept periods from their goals? The largest execution delays in the worst interval of each hour with a missed goal."""

from typing import Any

from ..contract import Chart, Column, Section
from .asked import Asked, highest_known, rows_of, with_label
from .columns import OF_CLASS, by_class
from .found import Found, format_hour, listed

# The periods that missed by most.
_MOST = 12
_DELAYS = f"""
SELECT * FROM (
    SELECT *, service_class || CASE WHEN period = 1 THEN '' ELSE ' period ' || period END AS name,
        dense_rank() OVER (ORDER BY worst DESC, service_class, period, sysplex, scope) AS place
    FROM (
        SELECT *, max(performance_index) OVER (PARTITION BY sysplex, scope, service_class, period) AS worst,
            unnest([1, 2, 3]) AS rank, unnest([delay_1_reason, delay_2_reason, delay_3_reason]) AS reason,
            unnest([delay_1_pct, delay_2_pct, delay_3_pct]) AS pct
        FROM missed_goal_delay WHERE hour_start >= $from AND hour_start < $to
    )
    WHERE reason IS NOT NULL
)
WHERE place <= {_MOST}
ORDER BY place, hour_start, rank
"""
_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("class_period", "Class and period", kind="text"),
    Column("reason", "Delay", kind="text"),
    Column("pct", "Of all samples", "%", 1),
    Column("delays_pct", "All execution delays", "%", 1),
    Column("using_cpu_pct", "Using general processors", "%", 1),
    Column("performance_index", "Performance index", decimals=1),
    Column("service_class", "Service class", kind="text"),
    *OF_CLASS,
)


def goal_delays(asked: Asked) -> Found:
    rows = asked.ask(_DELAYS)
    if not len(rows):
        return Found()
    rows = with_label(rows, "name", "class_period")
    found = rows.to_pylist()
    top = highest_known(found, _COLUMNS, "performance_index")
    worst = [
        row for row in found if (row["class_period"], row["hour_start"]) == (top["class_period"], top["hour_start"])
    ]
    section = Section(
        "goal_delays",
        "What kept goals from being met?",
        f"Worst: {top['class_period']}, index {top['performance_index']:.1f} on {format_hour(top['hour_start'])}: {reasons(worst)}.",
        Chart("bars", "pct", "reason", split="class_period"),
        rows_of(asked, rows, _COLUMNS),
        by_class("service_class", "hour_start"),
        f"Of the periods that missed by most, {_MOST} at most: the three largest execution delays in the worst interval of each hour. RMF takes samples of what"
        " the work waits for.",
    )
    return Found((section,))


def reasons(rows: list[dict[str, Any]]) -> str:
    """The delays of one interval, in words.

    >>> reasons([{"reason": "CPU", "pct": 31.04}, {"reason": "I/O", "pct": 2.0}])
    'delayed by CPU in 31.0% of the samples and I/O 2.0%'
    """
    first, *others = rows
    return listed([
        f"delayed by {first['reason']} in {first['pct']:.1f}% of the samples",
        *(f"{row['reason']} {row['pct']:.1f}%" for row in others),
    ])  # fmt: skip
