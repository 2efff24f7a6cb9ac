"""Are the transactions in the system what rate and response time give (Little's law)? Where they are, AVG counts transactions."""

from ....pipeline.words import counted
from ..asked import Row
from ..question import OF_CLASS, question

# The classes that are farthest from the law.
_MOST = 12
_LAW = "in most intervals the transactions in the system that their rate and response time give (Little's law)"


def _holding(rows: list[Row], _: Row | None) -> str:
    every, holding = rows[0]["every"], rows[0]["holding"]
    classes = counted(every, "class", "classes")
    if holding == every:
        return f"All {classes} {'has' if every == 1 else 'have'} {_LAW}."
    return f"Of {classes}, {holding or 'none'} {'has' if holding < 2 else 'have'} {_LAW}; of the others, CPU per transaction rests on ENDED alone."


def _note(rows: list[Row]) -> str:
    every = rows[0]["every"]
    return f"The {_MOST} of {every} classes that hold it least." if every > _MOST else ""


littles_law = question(
    f"""
    littles_law: Does AVG count transactions?
    view: littles_law
    columns: label "Class", counted "By", in_system "In the system, on average" .2,
        holds_pct "The law holds" [% of the intervals] .0, verdict "Most often", intervals, class_name,
        {OF_CLASS}
    chart: bars in_system by counted
    worst:
    """,
    finding=_holding,
    select=f"""
    SELECT * EXCLUDE (means), class_name AS name, unnest(['AVG, as printed', 'Rate × response time']) AS counted, unnest(means) AS in_system
    FROM (
        SELECT sysplex, scope, workload, coalesce(service_class, report_class) AS class_name, count(*) AS intervals,
            100 * count_if(verdict = 'holds') / count(*) AS holds_pct, mode(replace(verdict, '_', ' ') ORDER BY verdict) AS verdict,
            [mean_all(transactions_avg, interval_s), mean_all(concurrent_by_law, interval_s)] AS means,
            count(*) OVER () AS every, count_if(holds_pct > 50) OVER () AS holding
        FROM littles_law
        WHERE report_kind = 'interval' AND class_kind IN ('service_class', 'report_class') AND interval_start >= $from AND interval_start < $to
        GROUP BY sysplex, scope, workload, class_name
        ORDER BY holds_pct, class_name, sysplex, scope, workload LIMIT {_MOST}
    )
    ORDER BY holds_pct, name, sysplex, scope, workload, counted
    """,
    note=_note,
)
