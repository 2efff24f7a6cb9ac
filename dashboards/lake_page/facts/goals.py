"""Which goals were missed, and when? The share of intervals with an index above 1, and the worst; never a mean or median of indexes."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

from ....pipeline.words import counted
from ..asked import Asked, Row
from ..contract import Chart, Happened, Select, Series
from ..found import Rank, Ranked, format_hour
from ..question import OF_CLASS, PERIOD, question

_DELAYS = """
SELECT * FROM missed_goal_delay WHERE hour_start >= $from AND hour_start < $to AND delay_1_reason IS NOT NULL
"""
# The index as printed: above 1 the goal is missed.
STEPS = ((1.05, "missed"), (2.0, "missed by twice the goal or more"))
_PERIOD = ("sysplex", "scope", "service_class", "period")


def _key(row: Row, *more: str) -> tuple[object, ...]:
    return tuple(row[name] for name in (*_PERIOD, *more))


def _missed(rows: list[Row], _: Row | None) -> str:
    every = {_key(row) for row in rows}
    missed = {_key(row) for row in rows if row["missed"]}
    goals = counted(len(every), "goal")
    if not missed:
        return f"All {goals} met in every interval." if len(every) > 1 else "The goal was met in every interval."
    worst = max((row for row in rows if row["missed"]), key=lambda row: row["worst_index"])
    return (
        f"{len(missed)} of {goals} missed at times; worst: {worst['class_period']},"
        f" {worst['worst_index']:.1f} on {format_hour(worst['hour_start'])}."
    )


def _of_last_day(asked: Asked, rows: list[Row], _: list[Row]) -> tuple[str, Iterable[Ranked]]:
    periods = defaultdict(list)
    for row in rows:
        periods[_key(row)].append(row)
    told = [of for of in periods.values() if any(row["told"] and row["hour_start"] >= asked.last_start for row in of)]
    printed = asked.ask(_DELAYS).to_pylist() if told else []
    delays = {_key(row, "hour_start", "utc_offset_minutes"): row for row in printed}
    return "", (_happened(asked, of, delays) for of in told)


def _happened(asked: Asked, rows: list[Row], delays: dict[tuple[object, ...], Row]) -> Ranked:
    """The goals that a period missed on the last day, by the rule of `finding`: a few transactions do not miss a
    response time goal."""
    last = [row for row in rows if row["hour_start"] >= asked.last_start]
    day_before = asked.last_start - dt.timedelta(days=1)
    was_missed = any(row["told"] and day_before <= row["hour_start"] < asked.last_start for row in rows)
    worst = max((row for row in last if row["told"]), key=lambda row: row["told_index"])
    missed, told, known = (sum(row[name] for row in last) for name in ("missed", "told", "known"))
    few = f", and in {missed - told:,} of few transactions" if missed > told else ""
    hours = [row["hour_start"] for row in last if row["told"]]
    importance = f", importance {worst['importance']}" if worst["importance"] is not None else ""
    delay = delays.get(_key(worst, "hour_start", "utc_offset_minutes"))
    delay = delay if worst["told_start"] == worst["worst_start"] else None
    why = f", delayed most by {delay['delay_1_reason']}, {delay['delay_1_pct']:.1f}% of the samples" if delay else ""
    bound = {"lower": "at least ", "upper": "at most "}.get(worst["told_bound"] or "", "")
    place = f" on {worst['sysplex']}" if worst["sysplex"] else ""
    happened = Happened(
        f"{worst['name']}{place} missed its goal in {told} of {counted(known, 'interval')}{few}{importance};"
        f" worst index {bound}{worst['told_index']:.1f} at {worst['told_start']:%H:%M}{why}.",
        "performance index",
        Select(
            sysplex=worst["sysplex"],
            workload=worst["workload"],
            class_name=worst["service_class"],
            from_s=asked.second(min(hours)),
            to_s=asked.second(max(hours)) + 3600,
        ),
        "goals",
        asked.place(worst["told_refs"]),
        new=not was_missed,
        action=asked.findings("performance_index"),
        severity="serious" if (worst["importance"] or 6) <= 2 else "watch",
        series=Series(worst["class_period"], limit=1),
    )
    # Importance 1 before 5, then by how often.
    size = 10 - (worst["importance"] or 6) + told / max(known, 1)
    return Ranked(Rank.GOAL, size, happened, frozenset(hours), _key(worst)[:3], is_little=known < 2)


goals = question(
    f"""
    goals: Which goals were missed, and when?
    view: goal_hour
    label: class_period
    columns: hour_start, class_period "Class and period", importance, worst_index "Worst performance index" .1,
        missed "Intervals missed", known "Intervals with an index", missed_pct .0, service_class, {OF_CLASS}
    worst:
    note: A cell has the worst interval of its hour. Indexes are counted, never averaged.
    """,
    chart=Chart("heat", "hour_start", "class_period", value="worst_index", steps=STEPS),
    finding=_missed,
    select=f"""
    SELECT *, service_class || {PERIOD} AS name, 100 * missed / nullif(known, 0) AS missed_pct
    FROM goal_hour WHERE hour_start >= $from AND hour_start < $to AND known > 0
    ORDER BY importance, service_class, period, sysplex, scope, hour_start
    """,
    beside=_of_last_day,
)
