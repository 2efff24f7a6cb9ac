"""How busy were the coupling facilities, and was one down?"""

import datetime as dt
from collections.abc import Iterable

from ....pipeline.words import counted
from ..asked import Asked, Row
from ..contract import Happened, Select, Series
from ..found import Rank, Ranked, format_hour, hours_between, listed
from ..question import question

# Times without a report of a facility while others of its sysplex have one, after the facility's first report. A report
# may begin up to two seconds after the end of the one before: times are printed to the second, and a clock a little off
# is no outage.
_OUTAGES = """
WITH reports AS (
    SELECT sysplex, cf_name, interval_start, interval_end, min(ref(source_id, page, line)) AS ref FROM rmf_cf_usage
    WHERE report_kind = 'interval' AND cf_name IS NOT NULL AND interval_s > 0 AND interval_start >= $from AND interval_start < $to
    GROUP BY ALL
),
gaps AS (
    SELECT sysplex, cf_name, ref, max(interval_end) OVER (in_order ROWS UNBOUNDED PRECEDING) AS ended, lead(interval_start) OVER in_order AS until
    FROM reports
    WINDOW in_order AS (PARTITION BY sysplex, cf_name ORDER BY interval_start, interval_end)
    QUALIFY until IS NULL OR until - ended > INTERVAL 2 SECONDS
),
missed AS (
    SELECT gaps.*, greatest(interval_start, ended) AS since, least(interval_end, coalesce(until, interval_end)) AS ending,
        greatest(INTERVAL 2 SECONDS, (interval_end - interval_start) / 50) AS off_the_clock
    FROM gaps
    JOIN reports AS other ON other.sysplex IS NOT DISTINCT FROM gaps.sysplex AND other.cf_name <> gaps.cf_name
    WHERE ending - since > off_the_clock
),
apart AS (
    SELECT * REPLACE (greatest(since, max(ending) OVER (PARTITION BY sysplex, cf_name, ended ORDER BY since, ending
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS since)
    FROM missed
)
SELECT sysplex, cf_name, min(since) AS "from", until IS NOT NULL AS is_over, sum(epoch(ending) - epoch(since)) AS lost_s, min(ref) AS ref,
    CASE WHEN until - max(ending) <= INTERVAL 2 SECONDS THEN until ELSE max(ending) END AS "to"
FROM apart WHERE ending - since > off_the_clock
GROUP BY sysplex, cf_name, ended, until
ORDER BY sysplex, cf_name, "from"
"""
_STRUCTURES = """
SELECT sysplex, structure_name, cf_name, hour_start FROM cf_structure_hour
WHERE requests > 0 AND hour_start >= $from AND hour_start < $to ORDER BY ALL
"""


def _down(asked: Asked, *_: list[Row]) -> tuple[str, Iterable[Ranked]]:
    outages = asked.ask(_OUTAGES).to_pylist()
    structures = asked.ask(_STRUCTURES).to_pylist() if outages else []
    said = f"{_silence(max(outages, key=lambda one: one['from']))}, while others have. " if outages else ""
    return said, (_outage(asked, one, _moved(one, structures)) for one in outages)


def _moved(one: Row, structures: list[Row]) -> str:
    """The structures of a facility that other facilities have while it has no report, and did not have in the hour
    before, in words."""
    hours = hours_between(one["from"], one["to"])
    eve = min(hours) - dt.timedelta(hours=1)
    mine = [row for row in structures if row["sysplex"] == one["sysplex"]]
    before = {(row["structure_name"], row["cf_name"]) for row in mine if row["hour_start"] == eve}
    moved = {
        row["structure_name"]: row["cf_name"]
        for row in mine
        if row["hour_start"] in hours and (name := row["structure_name"], row["cf_name"]) not in before
        and (name, one["cf_name"]) in before and row["cf_name"] != one["cf_name"]
    }  # fmt: skip
    return f"; {listed([f'{name} moved to {cf}' for name, cf in moved.items()])}" if moved else ""


def _silence(one: Row) -> str:
    start, end = one["from"], one["to"]
    if not one["is_over"]:
        return f"{one['cf_name']} has no report since {format_hour(start)}"
    until = f"{end:%H:%M}" if end.date() == start.date() else format_hour(end)
    return f"{one['cf_name']} has no report from {format_hour(start)} to {until}"


def _outage(asked: Asked, one: Row, moved: str) -> Ranked:
    of = f" of {one['sysplex']}" if one["sysplex"] else ""
    hours = hours_between(one["from"], one["to"])
    since = (
        f"printed nothing for {counted(round(one['lost_s'] / 60), 'minute')} from {format_hour(one['from'])}, while the others did: it was"
        if one["is_over"]
        else f"has printed nothing since {format_hour(one['from'])}, while the others did: it is"
    )
    happened = Happened(
        f"Coupling facility {one['cf_name']}{of} {since} down, planned or not, or its pages are missing{moved}.",
        "coupling facility reports",
        Select(sysplex=one["sysplex"], from_s=asked.second(one["from"]) - 3600, to_s=asked.second(one["to"]) + 3600),
        "facilities",
        asked.place([one["ref"]]),
        new=one["from"] >= asked.last_start,
        action=asked.command("sql", f"FROM cf_structure_hour WHERE hour_start = '{min(hours)}'"),
        severity="watch" if one["from"] >= asked.last_start else "note",
        series=Series(one["sysplex"] or "", one["cf_name"]),
    )
    # The newest first; an outage of weeks ago is no news.
    return Ranked(Rank.OUTAGE, asked.second(one["from"]), happened, hours, (one["sysplex"], None, None, None))


facilities = question(
    """
    facilities: How busy were the coupling facilities?
    view: cf_hour
    name: cf_name
    columns: hour_start, cf_name "Coupling facility", utilization_pct "Busy" .1,
        utilization_max_pct "Busiest interval" .1, processors_effective "Processors" .1, sysplex
    chart: lines utilization_pct, split sysplex, series cf_name
    finding: Busiest: {label}, {utilization_pct:.1f}% on {at}.
    unknown: How busy they were is not printed.
    note: A facility that is down prints no report: its line has a gap.
    card: cf_utilization_pct "coupling facility utilization": Coupling facility {label} was {value}% busy on {at}
    """,
    beside=_down,
)
