"""Does zIIP work run on general processors? Eligible time that overflowed, by day and the systems that print together."""

import datetime as dt
from collections import defaultdict
from typing import Any

from ..contract import Chart, Column, Happened, Section, Select
from .asked import Asked, highest, rows_of, table_of
from .conditions import of_rule
from .found import Found, Rank, Ranked, format_day
from .labels import told_apart

_COLUMNS = (
    Column("day", "Day", kind="time"),
    Column("place", "Systems", kind="text"),
    Column("overflow_pct", "Eligible time on general processors", "%", 1),
    Column("overflow_hours", "The same", "hours of one engine", 2),
    Column("eligible_hours", "zIIP-eligible time", "hours of one engine", 2),
    Column("sysplex", "Sysplex", kind="text"),
    Column("scope", "All systems", kind="text"),
)
STEPS = ((1.0, "some overflow"), (10.0, "much overflow"))
_LEAST_HOURS = 0.1


def overflow(asked: Asked) -> Found:
    """An hour in which a class is unknown makes its day unknown."""
    days: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    names = [
        "sysplex",
        "scope",
        "hour_start",
        "ziip_on_cp_time_s",
        "ziip_eligible_normalized_time_s",
        "has_cpu",
        "refs",
    ]
    for row in asked.class_hours("service_class").select(names).to_pylist():
        if row["has_cpu"]:
            days[row["sysplex"], row["scope"], row["hour_start"].date()].append(row)
    made = [
        _day(sysplex, scope, day, rows)
        for (sysplex, scope, day), rows in sorted(days.items(), key=lambda item: tuple(map(str, item[0])))
    ]
    made = [row for row in made if row["eligible_hours"] is None or row["eligible_hours"] >= _LEAST_HOURS]
    names, plexes = ([row[name] for row in made] for name in ("place", "sysplex"))
    for row, label in zip(made, told_apart(names, plexes), strict=True):
        row["place"] = label
    known = [row for row in made if row["overflow_pct"] is not None]
    worst = highest(known, _COLUMNS, "overflow_pct")
    if not worst:
        return Found()
    section = Section(
        "overflow",
        "Does zIIP work run on general processors?",
        f"Most: {worst['overflow_pct']:.1f}% of the eligible time of {worst['place']} on {format_day(worst['day'].date())}.",
        Chart("heat", "day", "place", value="overflow_pct", steps=STEPS),
        rows_of(asked, table_of(made, _COLUMNS), _COLUMNS),
        {"time": "day", "sysplex": "sysplex", "system": "scope"},
        "Systems whose classes are printed together cannot be told apart.",
    )
    much = of_rule(asked, "crossover_pct", "overflow_pct")
    eve = asked.last_start - dt.timedelta(days=1)
    before = {row["place"]: much(row) for row in known if row["day"] == eve}
    last = [row for row in known if much(row) and row["day"] >= asked.last_start]
    # A day before without a value says nothing.
    return Found((section,), tuple(_happened(asked, row, new=before.get(row["place"]) is False) for row in last))


def _day(sysplex: str | None, scope: str | None, day: dt.date, rows: list[dict[str, Any]]) -> dict[str, Any]:
    on_cp, eligible = ([row[name] for row in rows] for name in ("ziip_on_cp_time_s", "ziip_eligible_normalized_time_s"))
    known = None not in on_cp and None not in eligible
    systems = (scope or "").split(",")
    return {
        "day": dt.datetime.combine(day, dt.time.min),
        "place": sysplex or scope or "" if len(systems) > 3 else ", ".join(systems) or sysplex or "",
        "overflow_pct": 100 * sum(on_cp) / sum(eligible) if known and sum(eligible) else None,
        "overflow_hours": sum(on_cp) / 3600 if known else None,
        "eligible_hours": sum(eligible) / 3600 if known else None,
        "sysplex": sysplex,
        "scope": scope,
        "refs": rows[0]["refs"],
    }


def _happened(asked: Asked, row: dict[str, Any], *, new: bool) -> Ranked:
    at = asked.second(row["day"])
    happened = Happened(
        f"{row['place']}: {row['overflow_pct']:.0f}% of the zIIP-eligible time ran on general processors"
        f" on {format_day(row['day'].date())}, {row['overflow_hours']:.1f} hours of one engine.",
        "zIIP overflow",
        Select(sysplex=row["sysplex"], from_s=at, to_s=at + 86_400),
        "overflow",
        asked.place(row["refs"]),
        new=new,
    )
    return Ranked(Rank.MONEY, row["overflow_hours"], happened)
