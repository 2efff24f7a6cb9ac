"""Which goals were missed, and when? The share of intervals with an index above 1, and the worst; never a mean or median of indexes."""

import datetime as dt
from collections import defaultdict
from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Happened, Section, Select
from .asked import Asked, rows_of, with_label
from .columns import OF_CLASS, by_class
from .found import Found, Rank, Ranked, format_hour

_HOURS = """
SELECT *, service_class || CASE WHEN period = 1 THEN '' ELSE ' period ' || period END AS name,
    100 * missed / nullif(known, 0) AS missed_pct
FROM goal_hour WHERE hour_start >= $from AND hour_start < $to AND known > 0
ORDER BY importance, service_class, period, sysplex, scope, hour_start
"""
_DELAYS = """
SELECT * FROM missed_goal_delay WHERE hour_start >= $from AND hour_start < $to AND delay_1_reason IS NOT NULL
"""
_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("class_period", "Class and period", kind="text"),
    Column("importance", "Importance"),
    Column("worst_index", "Worst performance index", decimals=1),
    Column("missed", "Intervals missed"),
    Column("known", "Intervals with an index"),
    Column("missed_pct", "Missed", "%", 0),
    Column("service_class", "Service class", kind="text"),
    *OF_CLASS,
)
# As printed: above 1 the goal is missed.
STEPS = ((1.05, "missed"), (2.0, "missed by twice the goal or more"))


def goals(asked: Asked) -> Found:
    hours = asked.ask(_HOURS)
    if not len(hours):
        return Found()
    hours = with_label(hours, "name", "class_period")
    periods = defaultdict(list)
    for row in hours.to_pylist():
        periods[row["sysplex"], row["scope"], row["service_class"], row["period"]].append(row)
    missed = {key: rows for key, rows in periods.items() if any(row["missed"] for row in rows)}
    section = Section(
        "goals",
        "Which goals were missed, and when?",
        _finding(periods, missed),
        Chart("heat", "hour_start", "class_period", value="worst_index", steps=STEPS),
        rows_of(asked, hours, _COLUMNS),
        by_class("service_class", "hour_start"),
        "A cell has the worst interval of its hour. Indexes are counted, never averaged.",
    )
    last_start = asked.last_start
    told = [rows for rows in missed.values() if any(r["missed"] and r["hour_start"] >= last_start for r in rows)]
    delays = {_key(row): row for row in asked.ask(_DELAYS).to_pylist()} if told else {}
    return Found((section,), tuple(_happened(asked, rows, delays) for rows in told))


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        row[name] for name in ("sysplex", "scope", "service_class", "period", "hour_start", "utc_offset_minutes")
    )


def _finding(periods: dict[Any, list[Any]], missed: dict[Any, list[Any]]) -> str:
    if not missed:
        return (
            f"All {counted(len(periods), 'goal')} met in every interval."
            if len(periods) > 1
            else "The goal was met in every interval."
        )
    worst = max((row for rows in missed.values() for row in rows if row["missed"]), key=lambda row: row["worst_index"])
    return (
        f"{len(missed)} of {counted(len(periods), 'goal')} missed at times; worst: {worst['class_period']},"
        f" {worst['worst_index']:.1f} on {format_hour(worst['hour_start'])}."
    )


def _happened(asked: Asked, rows: list[dict[str, Any]], delays: dict[Any, dict[str, Any]]) -> Ranked:
    """What a period missed on the last day."""
    last = [row for row in rows if row["hour_start"] >= asked.last_start]
    day_before = asked.last_start - dt.timedelta(days=1)
    was_missed = any(row["missed"] and day_before <= row["hour_start"] < asked.last_start for row in rows)
    worst = max((row for row in last if row["missed"]), key=lambda row: row["worst_index"])
    missed, known = sum(row["missed"] for row in last), sum(row["known"] for row in last)
    hours = [row["hour_start"] for row in last if row["missed"]]
    importance = f", importance {worst['importance']}" if worst["importance"] is not None else ""
    delay = delays.get(_key(worst))
    why = f", delayed most by {delay['delay_1_reason']}, {delay['delay_1_pct']:.1f}% of the samples" if delay else ""
    bound = {"lower": "at least ", "upper": "at most "}.get(worst["worst_bound"] or "", "")
    place = f" on {worst['sysplex']}" if worst["sysplex"] else ""
    happened = Happened(
        f"{worst['name']}{place} missed its goal in {missed} of {counted(known, 'interval')}{importance};"
        f" worst index {bound}{worst['worst_index']:.1f} at {worst['worst_start']:%H:%M}{why}.",
        "performance index",
        Select(
            sysplex=worst["sysplex"],
            workload=worst["workload"],
            class_name=worst["service_class"],
            from_s=asked.second(min(hours)),
            to_s=asked.second(max(hours)) + 3600,
        ),
        "goals",
        asked.place(worst["refs"]),
        new=not was_missed,
    )
    # Importance 1 before 5, then by how often.
    return Ranked(Rank.GOAL, 10 - (worst["importance"] or 6) + missed / max(known, 1), happened)
