"""Do response times grow with load? Response times at low rates against those at high rates, and the rate from which on
they are longer."""

from collections.abc import Iterable

from ....pipeline.words import counted
from ..asked import Asked, Row, highest_known, with_label
from ..found import Ranked, format_hour
from ..question import OF_CLASS, PERIOD, columns, of_hours, of_last_day, question

# The class periods whose response times grow most.
_MOST = 12
# The least rank score: chance reaches it in 1 of 100 class periods, and a page has many class periods.
_SURE = 2.326
_NAMES = f"coalesce(service_class, report_class) AS class_name, class_name || {PERIOD} AS name"
_KEY = "[sysplex, scope, class_kind, policy, workload, service_class, report_class, CAST(period AS VARCHAR)] AS key"
_ORDER = "is_sure DESC, growth DESC NULLS FIRST, class_name, period, sysplex, scope"
# Intervals at or above the knee, for periods whose third with the highest load is slower.
_BEYOND = f"""
SELECT knee.* EXCLUDE (key), beyond.* EXCLUDE (key)
FROM (
    SELECT {_NAMES}, sysplex, workload, p90_low_s, knee_per_s, {_KEY} FROM response_load
    WHERE system IS NULL AND knee_per_s IS NOT NULL AND rank_score > {_SURE} AND (growth > 1 OR p90_high_s IS NULL)
) AS knee
JOIN (
    SELECT window_start AS hour_start, transactions / covered_s AS per_s, p90_s, last_bound_s, refs, {_KEY}
    FROM response_percentile
    WHERE window_kind = 'interval' AND system IS NULL AND transactions > 0 AND covered_s > 0 AND window_start >= $from AND window_start < $to
) AS beyond USING (key)
WHERE per_s >= knee_per_s
ORDER BY name, sysplex, hour_start
"""


def _most(rows: list[Row], _: Row | None) -> str:
    slower = [row for row in rows if row["load"] == "High load" and (row["growth"] is None or row["growth"] > 1)]
    if sure := [row for row in slower if row["is_sure"]]:
        return f"Most: {sure[0]['class_period']}, {_grown(sure[0])}."
    if slower:
        periods = counted(len(slower), "class period")
        return f"Not surely: {periods} slower at high load, no more than chance may make it."
    return "At high load 90% of the transactions ended as soon as at low load."


def _grown(row: Row) -> str:
    low, high = row["p90_low_s"], row["p90_high_s"]
    until = f"within {1000 * high:,.0f} ms" if high is not None else "later than the largest bound"
    knee = f", from {row['knee_per_s']:,.1f}/s on" if row["knee_per_s"] is not None else ""
    return f"90% ended within {1000 * low:,.0f} ms at low load and {until} at high load{knee}"


def _beyond_knee(asked: Asked, *_: list[Row]) -> tuple[str, Iterable[Ranked]]:
    over = with_label(asked.ask(_BEYOND), "name", "label").to_pylist()
    return "", (_slow(asked, rows) for rows in of_last_day(asked, over, lambda row: True))


def _slow(asked: Asked, rows: list[Row]) -> Ranked:
    worst = highest_known(rows, columns("", "per_s .1"), "per_s")
    took = (
        f"90% ended within {1000 * worst['p90_s']:,.0f} ms"
        if worst["p90_s"] is not None
        else f"less than 90% ended within {1000 * worst['last_bound_s']:,.0f} ms"
    )
    sentence = (
        f"{worst['label']}: {took} at {worst['per_s']:,.1f}/s on {format_hour(worst['hour_start'])}, against {1000 * worst['p90_low_s']:,.0f} ms at low load;"
        f" {counted(len(rows), 'interval')} at {worst['knee_per_s']:,.1f}/s or more, from where on it is slower."
    )
    size = (worst["p90_s"] or worst["last_bound_s"]) / worst["p90_low_s"]
    return of_hours(asked, response_load, rows, worst, sentence, "response time at high load", size=size)


response_load = question(
    f"""
    response_load: Do response times grow with load?
    view: response_load
    label: class_period
    columns: class_period "Class and period", load "Intervals", p90_ms "90% ended within" .0,
        growth "High load to low" [times] .1, knee_per_s "Slower from" .1, least_per_s "Lowest rate" .1,
        most_per_s "Highest rate" .1, intervals "All intervals", class_name "Class", {OF_CLASS}
    chart: bars p90_ms by load
    worst:
    note: Of all days of the page; of the periods that grow most, {_MOST} at most. Low and high load: the third of the
        intervals with the lowest and with the highest rate, the median of their percentiles. A percentile is the
        upper bound of a bucket and moves in steps. Slower from: every interval of this rate or more, at least three,
        is above low load, and most by more than one bucket; only where percentiles rise with the rate by a rank test,
        which chance passes in 1 of 100 class periods.
    """,
    finding=_most,
    select=f"""
    SELECT * EXCLUDE (system), unnest(['Low load', 'High load']) AS load, unnest([1000 * p90_low_s, 1000 * p90_high_s]) AS p90_ms
    FROM (
        SELECT * REPLACE (CASE WHEN is_sure THEN knee_per_s END AS knee_per_s)
        FROM (SELECT *, {_NAMES}, coalesce(rank_score > {_SURE}, FALSE) AS is_sure FROM response_load WHERE system IS NULL AND p90_low_s IS NOT NULL)
        ORDER BY {_ORDER} LIMIT {_MOST}
    )
    ORDER BY {_ORDER}, load DESC
    """,
    beside=_beyond_knee,
)
