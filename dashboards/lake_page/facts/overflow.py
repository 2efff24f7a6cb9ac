"""Does zIIP work run on general processors? Eligible time that overflowed, by day and the systems that print together."""

import datetime as dt
from collections.abc import Iterable

from ....pipeline.declaration.finding_rules import rules
from ..asked import CLASS_HOURS, Asked, Row
from ..contract import Chart, Happened, Select, Series
from ..found import Rank, Ranked, format_day
from ..question import is_past, question

STEPS = ((1.0, "some overflow"), (10.0, "much overflow"))
_LEAST_HOURS = 0.1
# An hour with an unknown class makes its day unknown. The overflow has a share of the class's `gp_msu` by its share of
# the class's time on general processors: 2 of 8 s that were 40 MSU for an hour are 10 MSU hours. The size that the rule
# goes by is the overflow in engines.
_DAYS = f"""
WITH {CLASS_HOURS},
of_hour AS (
    SELECT sysplex, scope, hour_start, max(covered_s) AS covered_s, sum_all(ziip_on_cp_time_s) AS on_cp_s,
        sum_all(ziip_eligible_normalized_time_s) AS eligible_s, arg_min(refs, class_name) AS refs,
        sum_all(CASE WHEN ziip_on_cp_time_s = 0 THEN 0 ELSE gp_msu * covered_s / 3600 * ziip_on_cp_time_s / nullif(cp_time_s, 0) END) AS msu_hours
    FROM class_hours WHERE class_kind = 'service_class' AND has_cpu
    GROUP BY ALL
)
SELECT sysplex, scope, CAST(date_trunc('day', hour_start) AS TIMESTAMP) AS day, sum_all(on_cp_s) / 3600 AS overflow_hours, sum_all(eligible_s) / 3600 AS eligible_hours,
    100 * sum_all(on_cp_s) / nullif(sum_all(eligible_s), 0) AS overflow_pct, 100 * sum_all(on_cp_s) / nullif(sum(covered_s), 0) AS of_engine_pct,
    sum_all(msu_hours) AS msu_hours, arg_min(refs, hour_start) AS refs,
    CASE WHEN len(string_split(scope, ',')) > 3 THEN coalesce(sysplex, scope) ELSE coalesce(replace(scope, ',', ', '), sysplex, '') END AS name
FROM of_hour
GROUP BY ALL
HAVING eligible_hours IS NULL OR eligible_hours >= {_LEAST_HOURS}
ORDER BY ALL
"""


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
    # Without a value on the day before, a card is not new.
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
    select=_DAYS,
    beside=_much,
)
