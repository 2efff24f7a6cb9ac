"""How fast were transactions? Percentiles of the response time by day, from the printed distributions."""

from ..asked import Row, highest
from ..found import format_day
from ..question import OF_CLASS, PERIOD, question


def _slowest(rows: list[Row], slowest: Row | None) -> str:
    """Where no bucket with a bound reaches 90%, the response time is above the largest bound, and not unknown."""
    slow = highest([row for row in rows if row["p90_ms"] is None], response.shown, "last_bound_ms")
    if slow and not (slowest and slowest["p90_ms"] > slow["last_bound_ms"]):
        return f"Slowest: less than 90% of {slow['class_period']} ended within {slow['last_bound_ms']:,.0f} ms on {format_day(slow['window_start'].date())}."
    if not slowest:
        return ""
    return f"Slowest: 90% of {slowest['class_period']} ended within {slowest['p90_ms']:,.0f} ms on {format_day(slowest['window_start'].date())}."


response = question(
    f"""
    response: How fast were transactions?
    view: response_percentile
    label: class_period
    columns: window_start "Day", class_period "Class and period", p50_ms "Half" .0, p90_ms "90%" .0, p95_ms "95%" .0,
        last_bound_ms "Largest bound" .0, transactions, class_name "Class", {OF_CLASS}
    chart: lines p50_ms p90_ms p95_ms, x window_start
    worst: p90_ms
    note: A percentile is the upper bound of the bucket that reaches it: response times are at or below it. Where none
        does, it is above the largest bound.
    """,
    finding=_slowest,
    select=f"""
    SELECT *, coalesce(service_class, report_class) AS class_name, class_name || {PERIOD} AS name, 1000 * p50_s AS p50_ms, 1000 * p90_s AS p90_ms,
        1000 * p95_s AS p95_ms, 1000 * last_bound_s AS last_bound_ms
    FROM response_percentile
    WHERE window_kind = 'day' AND window_start >= $from AND window_start < $to AND transactions > 0 AND system IS NULL
    ORDER BY class_name, period, sysplex, scope, window_start
    """,
)
