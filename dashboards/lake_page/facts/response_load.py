"""Do response times grow with load? Those of the intervals of low rate against those of high rate, and the rate from which on they are longer."""

from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, highest_known, rows_of, with_label
from .columns import OF_CLASS, by_class
from .found import Found, Rank, Ranked, format_hour
from .named_hours import beyond, of_hour

# The class periods whose response times grow most.
_MOST = 12
# Of the rank score: chance reaches it in 1 of 100 class periods. A page has many of these.
_SURE = 2.326
_NAMES = """coalesce(service_class, report_class) AS class_name,
    coalesce(service_class, report_class) || CASE WHEN period = 1 OR period IS NULL THEN '' ELSE ' period ' || period END AS name"""
_KEY = "[sysplex, scope, class_kind, policy, workload, service_class, report_class, CAST(period AS VARCHAR)] AS key"
_GROWTH = f"""
SELECT *, unnest(['Low load', 'High load']) AS load, unnest([1000 * p90_low_s, 1000 * p90_high_s]) AS p90_ms
FROM (
    SELECT * REPLACE (CASE WHEN is_sure THEN knee_per_s END AS knee_per_s)
    FROM (SELECT *, {_NAMES}, coalesce(rank_score > {_SURE}, FALSE) AS is_sure FROM response_load WHERE system IS NULL AND p90_low_s IS NOT NULL)
    ORDER BY is_sure DESC, growth DESC NULLS FIRST, class_name, period, sysplex, scope LIMIT {_MOST}
)
ORDER BY is_sure DESC, growth DESC NULLS FIRST, class_name, period, sysplex, scope, load DESC
"""
_GROWTH_COLUMNS = (
    Column("class_period", "Class and period", kind="text"),
    Column("load", "Intervals", kind="text"),
    Column("p90_ms", "90% ended within", "ms", 0),
    Column("growth", "High load to low", "times", 1),
    Column("knee_per_s", "Slower from", "1/s", 1),
    Column("least_per_s", "Lowest rate", "1/s", 1),
    Column("most_per_s", "Highest rate", "1/s", 1),
    Column("intervals", "All intervals"),
    Column("class_name", "Class", kind="text"),
    *OF_CLASS,
)
# What was at the knee or above it, of periods whose third of highest load is slower.
_BEYOND = f"""
SELECT knee.* EXCLUDE (key), beyond.* EXCLUDE (key)
FROM (
    SELECT {_NAMES}, sysplex, workload, p90_low_s, knee_per_s, {_KEY} FROM response_load
    WHERE system IS NULL AND knee_per_s IS NOT NULL AND rank_score > {_SURE} AND (growth > 1 OR p90_high_s IS NULL)
) AS knee
JOIN (
    SELECT window_start AS hour_start, transactions / covered_s AS per_s, p90_s, last_bound_s, refs, CAST(NULL AS VARCHAR) AS system, {_KEY}
    FROM response_percentile
    WHERE window_kind = 'interval' AND system IS NULL AND transactions > 0 AND covered_s > 0 AND window_start >= $from AND window_start < $to
) AS beyond USING (key)
WHERE per_s >= knee_per_s
ORDER BY name, sysplex, hour_start
"""
_BEYOND_COLUMNS = (Column("per_s", "Rate", "1/s", 1),)


def response_load(asked: Asked) -> Found:
    growth = asked.ask(_GROWTH)
    if not len(growth):
        return Found()
    growth = with_label(growth, "name", "class_period")
    rows = growth.to_pylist()
    section = Section(
        "response_load",
        "Do response times grow with load?",
        _finding(rows),
        Chart("bars", "p90_ms", "load", split="class_period"),
        rows_of(asked, growth, _GROWTH_COLUMNS),
        by_class("class_name"),
        f"Of all days of the page; of the periods that grow most, {_MOST} at most. Low and high load: the third of the intervals with the lowest and with the highest"
        " rate, the median of their percentiles. A percentile is the upper bound of a bucket and moves in steps. Slower from: every interval of this rate or more,"
        " at least three, is above low load, and most by more than one bucket; only where percentiles rise with the rate by a rank test, which chance passes"
        " in 1 of 100 class periods.",
    )
    over = with_label(asked.ask(_BEYOND), "name", "label").to_pylist()
    return Found((section,), tuple(_slow(asked, rows) for rows in beyond(asked, over, lambda row: True)))


def _finding(rows: list[dict[str, Any]]) -> str:
    slower = [row for row in rows if row["load"] == "High load" and (row["growth"] is None or row["growth"] > 1)]
    if sure := [row for row in slower if row["is_sure"]]:
        return f"Most: {sure[0]['class_period']}, {_grown(sure[0])}."
    if slower:
        return (
            f"Not surely: {counted(len(slower), 'class period')} slower at high load, no more than chance may make it."
        )
    return "At high load 90% of the transactions ended as soon as at low load."


def _grown(row: dict[str, Any]) -> str:
    low, high = row["p90_low_s"], row["p90_high_s"]
    until = f"within {1000 * high:,.0f} ms" if high is not None else "later than the largest bound"
    knee = f", from {row['knee_per_s']:,.1f}/s on" if row["knee_per_s"] is not None else ""
    return f"90% ended within {1000 * low:,.0f} ms at low load and {until} at high load{knee}"


def _slow(asked: Asked, rows: list[dict[str, Any]]) -> Ranked:
    worst = highest_known(rows, _BEYOND_COLUMNS, "per_s")
    took = (
        f"90% ended within {1000 * worst['p90_s']:,.0f} ms"
        if worst["p90_s"] is not None
        else f"less than 90% ended within {1000 * worst['last_bound_s']:,.0f} ms"
    )
    sentence = (
        f"{worst['label']}: {took} at {worst['per_s']:,.1f}/s on {format_hour(worst['hour_start'])}, against {1000 * worst['p90_low_s']:,.0f} ms at low load;"
        f" {counted(len(rows), 'interval')} at {worst['knee_per_s']:,.1f}/s or more, from where on it is slower."
    )
    happened = of_hour(asked, worst, sentence, "response time at high load", "response_load")
    return Ranked(Rank.LIMIT, (worst["p90_s"] or worst["last_bound_s"]) / worst["p90_low_s"], happened)
