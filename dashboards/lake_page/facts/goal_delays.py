"""What kept periods from their goals? The largest execution delays in the worst interval of each hour with a missed goal."""

from ..asked import Row
from ..found import listed
from ..question import OF_CLASS, PERIOD, question, say

# The periods that missed by most.
_MOST = 12


def _worst(rows: list[Row], worst: Row | None) -> str:
    if worst is None:
        return ""
    of_worst = [
        row for row in rows if (row["class_period"], row["hour_start"]) == (worst["class_period"], worst["hour_start"])
    ]
    return say(f"Worst: {{class_period}}, index {{performance_index:.1f}} on {{at}}: {reasons(of_worst)}.", worst)


def reasons(rows: list[Row]) -> str:
    """The delays of one interval, in words.

    >>> reasons([{"reason": "CPU", "pct": 31.04}, {"reason": "I/O", "pct": 2.0}])
    'delayed by CPU in 31.0% of the samples and I/O 2.0%'
    """
    first, *others = rows
    return listed([
        f"delayed by {first['reason']} in {first['pct']:.1f}% of the samples",
        *(f"{row['reason']} {row['pct']:.1f}%" for row in others),
    ])  # fmt: skip


goal_delays = question(
    f"""
    goal_delays: What kept goals from being met?
    view: missed_goal_delay
    label: class_period
    columns: hour_start, class_period "Class and period", reason "Delay", pct "Of all samples" [%] .1,
        delays_pct "All execution delays" .1, using_cpu_pct "Using general processors" .1, performance_index .1,
        service_class, {OF_CLASS}
    chart: bars pct by reason
    worst: performance_index
    note: Of the periods that missed by most, {_MOST} at most: the three largest execution delays in the worst
        interval of each hour. RMF takes samples of what the work waits for.
    """,
    finding=_worst,
    select=f"""
    SELECT * FROM (
        SELECT *, service_class || {PERIOD} AS name, dense_rank() OVER (ORDER BY worst DESC, service_class, period, sysplex, scope) AS place
        FROM (
            SELECT * EXCLUDE (system), max(performance_index) OVER (PARTITION BY sysplex, scope, service_class, period) AS worst,
                unnest([1, 2, 3]) AS rank, unnest([delay_1_reason, delay_2_reason, delay_3_reason]) AS reason,
                unnest([delay_1_pct, delay_2_pct, delay_3_pct]) AS pct
            FROM missed_goal_delay WHERE hour_start >= $from AND hour_start < $to
        )
        WHERE reason IS NOT NULL
    )
    WHERE place <= {_MOST}
    ORDER BY place, hour_start, rank
    """,
)
