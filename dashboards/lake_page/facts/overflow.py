"""Does zIIP work run on general processors? Eligible time that overflowed, by day and the systems that print together."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

import pyarrow as pa

from ....pipeline.declaration.finding_rules import rules
from ..asked import Asked, Row, table_of
from ..contract import Chart, Happened, Select, Series
from ..found import Rank, Ranked, format_day
from ..question import columns, is_past, question

STEPS = ((1.0, "some overflow"), (10.0, "much overflow"))
_LEAST_HOURS = 0.1
_HOURS = [
    "sysplex", "scope", "hour_start", "ziip_on_cp_time_s", "cp_time_s", "gp_msu", "ziip_eligible_normalized_time_s", "has_cpu", "covered_s",
    "refs",
]  # fmt: skip


def _days(asked: Asked) -> pa.Table:
    """An hour in which a class is unknown makes its day unknown."""
    days: dict[tuple[str | None, str | None, dt.date], list[Row]] = defaultdict(list)
    for row in asked.class_hours("service_class").select(_HOURS).to_pylist():
        if row["has_cpu"]:
            days[row["sysplex"], row["scope"], row["hour_start"].date()].append(row)
    made = [_day(*key, rows) for key, rows in sorted(days.items(), key=lambda item: tuple(map(str, item[0])))]
    made = [row for row in made if row["eligible_hours"] is None or row["eligible_hours"] >= _LEAST_HOURS]
    table = table_of(made, (*overflow.shown, *columns("", "name text, of_engine_pct, msu_hours"))).drop_columns(
        ["place"]
    )
    return table.append_column("refs", pa.array([row["refs"] for row in made]))


def _day(sysplex: str | None, scope: str | None, day: dt.date, rows: list[Row]) -> Row:
    on_cp, eligible = ([row[name] for row in rows] for name in ("ziip_on_cp_time_s", "ziip_eligible_normalized_time_s"))
    known = None not in on_cp and None not in eligible
    over = [row for row in rows if row["ziip_on_cp_time_s"]]
    is_priced = known and all(row["gp_msu"] is not None and row["cp_time_s"] for row in over)
    covered = {row["hour_start"]: row["covered_s"] or 0 for row in sorted(rows, key=lambda row: row["covered_s"] or 0)}
    systems = (scope or "").split(",")
    return {
        "day": dt.datetime.combine(day, dt.time.min),
        "name": sysplex or scope or "" if len(systems) > 3 else ", ".join(systems) or sysplex or "",
        "overflow_pct": 100 * sum(on_cp) / sum(eligible) if known and sum(eligible) else None,
        "overflow_hours": sum(on_cp) / 3600 if known else None,
        "msu_hours": sum(map(_msu_hours, over)) if is_priced else None,
        "eligible_hours": sum(eligible) / 3600 if known else None,
        # What the rule goes by as the size of an overflow.
        "of_engine_pct": 100 * sum(on_cp) / sum(covered.values()) if known and sum(covered.values()) else None,
        "sysplex": sysplex,
        "scope": scope,
        "refs": rows[0]["refs"],
    }


def _msu_hours(row: Row) -> float:
    """Of the time of a class on general processors the part that overflowed: 2 of 8 s that were 40 MSU for an hour are 10 MSU hours."""
    return row["gp_msu"] * row["covered_s"] / 3600 * row["ziip_on_cp_time_s"] / row["cp_time_s"]


def _much(asked: Asked, rows: list[Row], _: list[Row]) -> tuple[str, Iterable[Ranked]]:
    rule = rules()["crossover_pct"]
    eve = asked.last_start - dt.timedelta(days=1)
    known: list[Row] = [
        row | {"is_much": is_past(rule, row["overflow_pct"], row["of_engine_pct"])}
        for row in rows
        if row["overflow_pct"] is not None
    ]
    before = {row["place"]: row["is_much"] for row in known if row["day"] == eve}
    last = [row for row in known if row["is_much"] and row["day"] >= asked.last_start]
    # A day before without a value says nothing.
    return "", (_happened(asked, row, new=before.get(row["place"]) is False) for row in last)


def _happened(asked: Asked, row: Row, *, new: bool) -> Ranked:
    at, msu = asked.second(row["day"]), row["msu_hours"]
    happened = Happened(
        f"{row['place']}: {row['overflow_pct']:.0f}% of the zIIP-eligible time ran on general processors"
        f" on {format_day(row['day'].date())}, {row['overflow_hours']:.1f} hours of one engine"
        f"{'' if msu is None else f', {msu:,.0f} MSU hours'}.",
        "zIIP overflow",
        Select(sysplex=row["sysplex"], from_s=at, to_s=at + 86_400),
        "overflow",
        asked.place(row["refs"]),
        new=new,
        action=asked.findings("crossover_pct"),
        series=Series(row["place"], limit=rules()["crossover_pct"].limit),
    )
    return Ranked(Rank.MONEY, row["overflow_hours"] if msu is None else msu, happened, is_known=msu is not None)


overflow = question(
    """
    overflow: Does zIIP work run on general processors?
    view: class_hour
    label: place
    columns: day time, place "Systems" text, overflow_pct "Eligible time on general processors" .1,
        overflow_hours "The same" [hours of one engine] .2,
        eligible_hours "zIIP-eligible time" [hours of one engine] .2, sysplex text, scope "All systems" text
    worst: overflow_pct
    finding: Most: {overflow_pct:.1f}% of the eligible time of {place} on {on}.
    note: Systems whose classes are printed together cannot be told apart.
    """,
    chart=Chart("heat", "day", "place", value="overflow_pct", steps=STEPS),
    rows=_days,
    beside=_much,
)
