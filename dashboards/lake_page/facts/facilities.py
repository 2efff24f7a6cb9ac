"""How busy were the coupling facilities, and was one down?"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ....pipeline.words import counted
from ..asked import Asked, Row
from ..contract import Happened, Select, Series
from ..found import Rank, Ranked, format_hour, hours_between, listed
from ..question import question

_REPORTS = """
SELECT sysplex, cf_name, interval_start, interval_end, min(ref(source_id, page, line)) AS ref FROM rmf_cf_usage
WHERE report_kind = 'interval' AND cf_name IS NOT NULL AND interval_s > 0 AND interval_start >= $from AND interval_start < $to
GROUP BY ALL ORDER BY sysplex, cf_name, interval_start, interval_end
"""
_STRUCTURES = """
SELECT sysplex, structure_name, cf_name, hour_start FROM cf_structure_hour
WHERE requests > 0 AND hour_start >= $from AND hour_start < $to ORDER BY ALL
"""
# A report begins so soon after the one before: times are printed to the second.
_BESIDE = dt.timedelta(seconds=2)


def _down(asked: Asked, *_: list[Row]) -> tuple[str, Iterable[Ranked]]:
    outages = list(_outages(asked.ask(_REPORTS).to_pylist()))
    structures = asked.ask(_STRUCTURES).to_pylist() if outages else []
    said = f"{_silence(max(outages, key=lambda one: one['from']))}, while others have. " if outages else ""
    return said, (_outage(asked, one, _moved(one, structures)) for one in outages)


def _outages(reports: list[Row]) -> Iterator[Row]:
    """Times without a report of a facility while others of its sysplex have one, after the first of its own."""
    printed: dict[str | None, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
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


def _ends(own: list[Row]) -> Iterator[tuple[Row, dt.datetime | None]]:
    """The reports of a facility, in the order of their start, that no other follows at once, with the start of the next; None after the last."""
    last = own[0]
    for row in own[1:]:
        if row["interval_start"] - last["interval_end"] > _BESIDE:
            yield last, row["interval_start"]
        last = max(last, row, key=lambda one: one["interval_end"])
    yield last, None


def _missed(others: list[Row], start: dt.datetime, until: dt.datetime | None) -> list[tuple[dt.datetime, dt.datetime]]:
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


def _moved(one: Row, structures: list[Row]) -> str:
    """The structures of a facility that others have while it has no report, and did not have in the hour before, in words."""
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
        asked.place(one["refs"]),
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
