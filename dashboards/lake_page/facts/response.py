"""How fast were transactions? Percentiles of the response time by day, from the printed distributions."""

from typing import Any

from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of, with_label
from .columns import OF_CLASS, by_class
from .found import Found, format_day

_DAYS = """
SELECT *, coalesce(service_class, report_class) || CASE WHEN period = 1 OR period IS NULL THEN '' ELSE ' period ' || period END AS name,
    coalesce(service_class, report_class) AS class_name, 1000 * p50_s AS p50_ms, 1000 * p90_s AS p90_ms, 1000 * p95_s AS p95_ms,
    1000 * last_bound_s AS last_bound_ms
FROM response_percentile
WHERE window_kind = 'day' AND window_start >= $from AND window_start < $to AND transactions > 0 AND system IS NULL
ORDER BY class_name, period, sysplex, scope, window_start
"""
_COLUMNS = (
    Column("window_start", "Day", kind="time"),
    Column("class_period", "Class and period", kind="text"),
    Column("p50_ms", "Half", "ms", 0),
    Column("p90_ms", "90%", "ms", 0),
    Column("p95_ms", "95%", "ms", 0),
    Column("last_bound_ms", "Largest bound", "ms", 0),
    Column("transactions", "Transactions"),
    Column("class_name", "Class", kind="text"),
    *OF_CLASS,
)


def response(asked: Asked) -> Found:
    days = with_label(asked.ask(_DAYS), "name", "class_period")
    rows = days.to_pylist()
    if not any(row["p90_ms"] is not None or row["last_bound_ms"] is not None for row in rows):
        return Found()
    section = Section(
        "response",
        "How fast were transactions?",
        _slowest(rows),
        Chart("lines", "window_start", ("p50_ms", "p90_ms", "p95_ms"), split="class_period"),
        rows_of(asked, days, _COLUMNS),
        by_class("class_name", "window_start"),
        "A percentile is the upper bound of the bucket that reaches it: response times are at or below it. Where none does, it is above the"
        " largest bound.",
    )
    return Found((section,))


def _slowest(rows: list[dict[str, Any]]) -> str:
    """Where no bucket with a bound reaches 90%, the response time is above the largest bound, and not unknown."""
    above = [row for row in rows if row["p90_ms"] is None]
    slow, slowest = highest(above, _COLUMNS, "last_bound_ms"), highest(rows, _COLUMNS, "p90_ms")
    if slow and not (slowest and slowest["p90_ms"] > slow["last_bound_ms"]):
        return f"Slowest: less than 90% of {slow['class_period']} ended within {slow['last_bound_ms']:,.0f} ms on {format_day(slow['window_start'].date())}."
    assert slowest
    return f"Slowest: 90% of {slowest['class_period']} ended within {slowest['p90_ms']:,.0f} ms on {format_day(slowest['window_start'].date())}."
