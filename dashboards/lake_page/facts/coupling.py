"""How did the coupling facilities and their structures do?"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Happened, Section, Select
from .asked import Asked, highest, rows_of, with_label
from .conditions import of_rule
from .found import Found, Rank, Ranked, format_hour
from .named_hours import BY_PLEX, told_hours

_FACILITIES = """
SELECT *, processors_effective * utilization_pct / 100 AS processors_used, CAST(NULL AS VARCHAR) AS system
FROM cf_hour WHERE hour_start >= $from AND hour_start < $to ORDER BY sysplex, cf_name, hour_start
"""
_REPORTS = """
SELECT sysplex, cf_name, interval_start, interval_end, min(ref(source_id, page, line)) AS ref FROM rmf_cf_usage
WHERE report_kind = 'interval' AND cf_name IS NOT NULL AND interval_s > 0 AND interval_start >= $from AND interval_start < $to
GROUP BY ALL ORDER BY sysplex, cf_name, interval_start, interval_end
"""
_FACILITY_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("cf_name", "Coupling facility", kind="text"),
    Column("utilization_pct", "Busy", "%", 1),
    Column("utilization_max_pct", "Busiest interval", "%", 1),
    Column("processors_effective", "Processors", decimals=1),
    Column("sysplex", "Sysplex", kind="text"),
)
_STRUCTURES = """
SELECT *, cf_name || ' ' || structure_name AS name, contention_requests / covered_s AS lock_requests_per_s, CAST(NULL AS VARCHAR) AS system
FROM cf_structure_hour WHERE hour_start >= $from AND hour_start < $to AND requests > 0 ORDER BY sysplex, cf_name, structure_name, hour_start
"""
_STRUCTURE_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("structure", "Facility and structure", kind="text"),
    Column("requests_per_s", "Requests", "1/s", 0),
    Column("sync_service_us", "Synchronous service time", "µs", 1),
    Column("async_service_us", "Asynchronous service time", "µs", 1),
    Column("changed_pct", "Changed to asynchronous", "%", 1),
    Column("structure_type", "Type", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
)
_CONTENTION_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("structure", "Facility and structure", kind="text"),
    Column("contention_pct", "Contention", "%", 2),
    Column("false_contention_pct", "False contention", "%", 2),
    Column("contention_requests", "Lock requests"),
    Column("sysplex", "Sysplex", kind="text"),
)
# A report begins so soon after the one before: times are printed to the second.
_BESIDE = dt.timedelta(seconds=2)


def facilities(asked: Asked) -> Found:
    hours = asked.ask(_FACILITIES)
    if not len(hours):
        return Found()
    hours = with_label(hours, "cf_name", "label")
    rows = hours.to_pylist()
    outages = list(_outages(asked.ask(_REPORTS).to_pylist()))
    busiest = highest(rows, _FACILITY_COLUMNS, "utilization_pct")
    said = (
        f"Busiest: {busiest['label']}, {busiest['utilization_pct']:.1f}% on {format_hour(busiest['hour_start'])}."
        if busiest
        else "How busy they were is not printed."
    )
    if outages:
        said = f"{_silence(max(outages, key=lambda one: one['from']))}, while others have. {said}"
    section = Section(
        "facilities",
        "How busy were the coupling facilities?",
        said,
        Chart("lines", "hour_start", "utilization_pct", split="sysplex", series="cf_name"),
        rows_of(asked, hours, _FACILITY_COLUMNS),
        BY_PLEX,
        "A facility that is down prints no report: its line has a gap.",
    )
    busy = of_rule(asked, "cf_utilization_pct", "utilization_pct", "processors_used")
    said, told = "Coupling facility {label} was {value}% busy on {at}", ("coupling facility utilization", "facilities")
    most = told_hours(asked, rows, busy, _FACILITY_COLUMNS, said, told)
    return Found((section,), (*(_outage(asked, one) for one in outages), *most))


def _outages(reports: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Times without a report of a facility while others of its sysplex have one, after the first of its own."""
    printed: dict[Any, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in reports:
        printed[row["sysplex"]][row["cf_name"]].append(row)
    for sysplex, by_name in printed.items():
        for name, own in by_name.items():
            others = [row for other, rows in by_name.items() if other != name for row in rows]
            for last, until in _ends(own):
                if missed := _missed(others, last["interval_end"], until):
                    end = missed[-1][1]
                    yield {
                        "sysplex": sysplex,
                        "cf_name": name,
                        "from": missed[0][0],
                        # Ends are printed to the second, a little before the next start.
                        "to": until if until is not None and until - end <= _BESIDE else end,
                        "is_over": until is not None,
                        "lost_s": sum((b - a).total_seconds() for a, b in missed),
                        "refs": [last["ref"]],
                    }


def _ends(own: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dt.datetime | None]]:
    """The reports of a facility, in the order of their start, that no other follows at once, with the start of the next; None after the last."""
    last = own[0]
    for row in own[1:]:
        if row["interval_start"] - last["interval_end"] > _BESIDE:
            yield last, row["interval_start"]
        last = max(last, row, key=lambda one: one["interval_end"])
    yield last, None


def _missed(
    others: list[dict[str, Any]], start: dt.datetime, until: dt.datetime | None
) -> list[tuple[dt.datetime, dt.datetime]]:
    """What others printed between two times, in parts that do not overlap."""
    found: list[tuple[dt.datetime, dt.datetime]] = []
    for row in sorted(others, key=lambda one: one["interval_start"]):
        a, b = max(row["interval_start"], start), min(row["interval_end"], until or row["interval_end"])
        if found:
            a = max(a, found[-1][1])
        # A little off the clock is no outage.
        if b - a > max(_BESIDE, 0.02 * (row["interval_end"] - row["interval_start"])):
            found.append((a, b))
    return found


def _silence(one: dict[str, Any]) -> str:
    start, end = one["from"], one["to"]
    if not one["is_over"]:
        return f"{one['cf_name']} has no report since {format_hour(start)}"
    until = f"{end:%H:%M}" if end.date() == start.date() else format_hour(end)
    return f"{one['cf_name']} has no report from {format_hour(start)} to {until}"


def _outage(asked: Asked, one: dict[str, Any]) -> Ranked:
    of = f" of {one['sysplex']}" if one["sysplex"] else ""
    since = (
        f"printed nothing for {counted(round(one['lost_s'] / 60), 'minute')} from {format_hour(one['from'])}, while the others did: it was"
        if one["is_over"]
        else f"has printed nothing since {format_hour(one['from'])}, while the others did: it is"
    )
    happened = Happened(
        f"Coupling facility {one['cf_name']}{of} {since} down, or its pages are missing.",
        "coupling facility reports",
        Select(sysplex=one["sysplex"], from_s=asked.second(one["from"]) - 3600, to_s=asked.second(one["to"]) + 3600),
        "facilities",
        asked.place(one["refs"]),
        new=one["from"] >= asked.last_start,
    )
    # The newest first; an outage of weeks ago is no news.
    return Ranked(Rank.OUTAGE, asked.second(one["from"]), happened)


def structures(asked: Asked) -> Found:
    hours = asked.ask(_STRUCTURES)
    if not len(hours):
        return Found()
    hours = with_label(hours, "name", "structure")
    rows = hours.to_pylist()
    most = highest(rows, _STRUCTURE_COLUMNS, "requests_per_s")
    said = (
        f"Most requests: {most['structure']}, {most['requests_per_s']:,.0f} per second on {format_hour(most['hour_start'])}."
        if most
        else "How many requests there were is not printed."
    )
    section = Section(
        "structures",
        "How fast did structures answer?",
        said,
        Chart("lines", "hour_start", ("sync_service_us", "async_service_us"), split="structure"),
        rows_of(asked, hours, _STRUCTURE_COLUMNS),
        BY_PLEX,
        "All systems together, service times weighted by requests. Secondary copies are left out.",
    )
    locks = hours.filter([bool(row["contention_requests"]) for row in rows])
    if not len(locks):
        return Found((section,))
    locked = locks.append_column("label", locks["structure"]).to_pylist()
    worst = highest(locked, _CONTENTION_COLUMNS, "contention_pct")
    contention = Section(
        "contention",
        "How often did locks wait?",
        f"Most: {worst['structure']}, {worst['contention_pct']:.2f}% of its lock requests on {format_hour(worst['hour_start'])}."
        if worst
        else "Contention is not printed.",
        Chart("lines", "hour_start", ("contention_pct", "false_contention_pct"), split="structure"),
        rows_of(asked, locks, _CONTENTION_COLUMNS),
        BY_PLEX,
    )
    waiting = of_rule(asked, "contention_pct", "contention_pct", "lock_requests_per_s")
    said, told = "{label}: {value}% of the lock requests waited on {at}", ("lock contention", "contention")
    return Found((section, contention), told_hours(asked, locked, waiting, _CONTENTION_COLUMNS, said, told, decimals=1))
