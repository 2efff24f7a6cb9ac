"""What is missing? Intervals of each report and system by day, missing ones, and files that could not be read
completely."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ....pipeline.status.calendar import Calendar, Day
from ....pipeline.status.conflicts import Conflict
from ....pipeline.status.coverage import Place
from ....pipeline.words import counted
from ..asked import Asked, rows_of, table_of
from ..contract import Chart, Happened, Section, Select
from ..damage import Damage, damage, names_of, told
from ..found import Found, Rank, Ranked, format_day, format_hour, hours_between, listed
from ..labels import told_apart
from ..question import columns, filters

_COLUMNS = columns(
    "",
    'day time, label "System, region or member, and report" text, missing_pct .0, intervals, '
    'usual "Usual number", gap_minutes "Gaps between intervals" [min] .0, system text, report text, '
    "sysplex text",
)
STEPS = ((1.0, "some intervals missing"), (100.0, "no report"))
# A place that ends this much before the last of all is silent: at least two intervals of the usual length.
_SILENT = dt.timedelta(hours=1)


def coverage(asked: Asked) -> Found:
    """`asked.calendar` has the days of all reports."""
    calendar = asked.calendar
    days = calendar.between(asked.first_day, asked.last_day)
    if not days:
        return Found()
    rows = list(_rows(asked, calendar, days))
    labels = told_apart([row["label"] for row in rows], [row["place"].sysplex for row in rows])
    rows = [row | {"label": label} for row, label in zip(rows, labels, strict=True)]
    rows.sort(key=lambda row: (row["label"], row["day"]))
    missing = [row for row in rows if row["missing_pct"]]
    silent = list(_silent(asked, calendar, days))
    damaged = damage(asked)
    table = table_of(rows, _COLUMNS, intervals=pa.int64(), usual=pa.int64())
    said = (
        f"{counted(len(missing), 'day')} of a report incomplete, of {len(rows):,}."
        if missing
        else f"No gaps in {counted(len(rows), 'day')} of reports."
    )
    if elsewhere := calendar.days_missing_outside(asked.first_day, asked.last_day):
        said = f"{said} Outside of the days shown, {counted(elsewhere, 'day')} of reports are missing; ironlake status names them."
    if ended := {(place.report, place.system) for place, _, by in silent if by == "system"}:
        said = f"{counted(len(ended), 'report')} of a system ended before its other reports. {said}"
    if systems := {(place.sysplex, place.system) for place, _, by in silent if by == "report"}:
        said = f"{counted(len(systems), 'system')} silent at the end. {said}"
    section = Section(
        "coverage",
        "What is missing?",
        said,
        Chart("strip", "day", "label", value="missing_pct", steps=STEPS),
        rows_of(asked, table, _COLUMNS),
        filters(_COLUMNS),
        " ".join(
            [
                "Missing: of the number of intervals that the report usually has on a day: the most common, of equals the largest.",
                *told(damaged),
                *asked.quality,
            ]
        ),
        "report_coverage",
    )
    return Found(
        (section,),
        (*_silences(asked, silent), *_durations(asked, days), *_bad(asked, damaged)),
        (*_shared_names(asked), *_repeated_hours(asked)),
    )


def _repeated_hours(asked: Asked) -> Iterator[str]:
    """Hours of RMF that are printed twice, as in the night when clocks are set back."""
    for hour, places in asked.calendar.set_back.items():
        of_rmf = [place for place in places if place.report.startswith("rmf_")]
        if of_rmf and asked.axis_start <= hour < asked.axis_end:
            names = sorted({place.system or place.sysplex or "unnamed" for place in of_rmf})
            yield (
                f"The hour from {format_hour(hour)} of {listed(names)}: it is printed twice, as where the clock is set back. It is not counted double;"
                " what differs is unknown, and the four-hour average after it. Ingest the pages before and after the change from files of their own, each with"
                " --utc-offset."
            )


def _shared_names(asked: Asked) -> Iterator[str]:
    """Systems of one name in several sysplexes, on pages that name no sysplex."""
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for system, names in sorted(asked.sysplexes_of.items()):
        if len(names) > 1:
            shared[tuple(sorted(names))].append(system)
    for names, systems in shared.items():
        yield (
            f"Whose {listed(systems)} it is: {listed(list(names))} each have a system of this name, and pages that name no sysplex"
            " (CPU Activity, Partition Data, XCF Activity) may be of either. What they print differently for one interval is unknown."
        )


def _rows(asked: Asked, calendar: Calendar, days: list[Day]) -> Iterator[dict[str, Any]]:
    by_place: dict[Place, dict[dt.date, Day]] = defaultdict(dict)
    of_intervals = {day.place for day in days if day.place.kind == "interval"}
    for day in days:
        # Beside interval reports, a report of another kind, such as a duration report, covers the same time.
        if day.place in of_intervals or day.place._replace(kind="interval") not in of_intervals:
            by_place[day.place][day.day] = day
    spans = calendar.spans()
    for place, found in by_place.items():
        counts = Counter(day.intervals for day in found.values())
        usual = max(counts, key=lambda count: (counts[count], count))
        first, last = spans[place._replace(kind=None)]
        until = min(asked.last_day, last)
        day = max(asked.first_day, first)
        while day <= until:
            here = found.get(day)
            yield {
                "day": dt.datetime.combine(day, dt.time.min),
                "place": place,
                "label": " ".join(filter(None, [place.system or place.sysplex, format_report(place.report)])),
                "missing_pct": _missing(here, usual, whole=day not in (first, last)),
                "intervals": here.intervals if here else 0,
                "usual": usual,
                "gap_minutes": here.gap_s / 60 if here else None,
                "system": place.system if place.report.startswith("rmf_") else None,
                "report": format_report(place.report),
                "sysplex": place.sysplex or asked.sysplex_of.get(place.system or ""),
            }
            day += dt.timedelta(days=1)


def _missing(day: Day | None, usual: int, whole: bool) -> float:
    """The missing percentage of the usual intervals. The first and the last day of a report may be parts: then only
    gaps count."""
    if day is None:
        return 100.0
    if not whole and not day.gaps:
        return 0.0
    # A gap is missing however many intervals there are; a share above 99% is not "no report".
    gap = max(1.0, 100 * day.gap_s / (day.gap_s + day.length_s)) if day.gaps else 0.0
    return min(99.0, max(100 * (1 - day.intervals / usual), gap))


# A place that ended, its end, and the comparison that shows it: with others of its report, or its system's other
# reports.
_Silent = tuple[Place, dt.datetime, str]


def _silent(asked: Asked, calendar: Calendar, days: list[Day]) -> Iterator[_Silent]:
    """Places of the last days that ended before the others of their report; for interval reports of RMF, also before
    the other reports of their system."""
    ends = {
        place: end for place, end in calendar.last_ends(asked.last_day).items() if place in {day.place for day in days}
    }
    latest: dict[tuple[str, ...], dt.datetime] = {}
    keys: dict[Place, list[tuple[str, ...]]] = {}
    for place, end in ends.items():
        keys[place] = [("report", place.report, place.kind or "")]
        if place.system and place.kind == "interval" and place.report.startswith("rmf_"):
            keys[place].append(("system", place.system, place.sysplex or asked.sysplex_of.get(place.system) or ""))
        for key in keys[place]:
            latest[key] = max(end, latest.get(key, end))
    for place, end in ends.items():
        for key in keys[place]:
            # A report of a system without any print on the last day may not be wanted every day.
            since = asked.axis_start if key[0] == "report" else asked.last_start
            if latest[key] - end >= _SILENT and end >= since and latest[key] >= asked.last_start:
                yield place, end, key[0]
                break


def _silences(asked: Asked, silent: list[_Silent]) -> Iterator[Ranked]:
    """One sentence for the systems of a report that ended at the same time."""
    together: dict[tuple[str, dt.datetime, str], list[Place]] = defaultdict(list)
    for place, end, by in silent:
        together[place.report, end.replace(second=0, microsecond=0), by].append(place)
    for (report, end, by), places in together.items():
        names = sorted({place.system or place.sysplex or "unnamed" for place in places})
        its = "its" if len(names) == 1 else "their"
        others = "others have it" if by == "report" else f"{its} other reports go on"
        sentence = f"No {format_report(report)} of {listed(names)} since {format_hour(end)}, while {others}."
        select = Select(system=places[0].system if len(names) == 1 else None, from_s=asked.second(end))
        told = _told(len(names), sentence, "intervals in the lake", select, asked.command("status"))
        happened = replace(told.happened, new=end >= asked.last_start, severity="note")
        yield replace(told, happened=happened, hours=hours_between(end, end), place=tuple(names))


def _told(size: float, sentence: str, measure: str, select: Select, action: str, source: str = "") -> Ranked:
    return Ranked(Rank.DATA, size, Happened(sentence, measure, select, "coverage", source, action=action))


def _durations(asked: Asked, days: list[Day]) -> Iterator[Ranked]:
    """Where RMF printed durations alone, nothing can be found within them: that does not mean that nothing is unusual.
    Where no other report has intervals either, the page says so for everything on it (gather.py)."""
    rmf = [day.place for day in days if day.place.report.startswith("rmf_")]
    if not rmf or len(rmf) == len(days) or any(place.kind == "interval" for place in rmf):
        return
    sentence = "RMF printed durations alone, no intervals: hours, peaks and goals of these days cannot be judged."
    yield _told(len(rmf), sentence, "intervals in the lake", Select(), asked.command("status"))


def _bad(asked: Asked, damaged: Mapping[str, Damage]) -> Iterator[Ranked]:
    if conflict := asked.conflict:
        sentence = f"{conflict.sentence}{_of_conflict(asked, conflict)}: remove the wrong file."
        look = asked.command("remove", conflict.older, "--dry-run")
        yield _told(conflict.intervals, sentence, "files that disagree", _select(asked, conflict.days), look)
    if wrong := damaged.get("wrong"):
        pages, days = counted(len(wrong.pages), "page"), sorted(where.day for where in wrong.where)
        sentence = f"{pages} with impossible values, of {wrong.places}: do not trust what rests on them."
        select, place = _select(asked, (days[0], days[-1])), asked.place([wrong.ref] if wrong.ref else None)
        yield _told(len(wrong.pages), sentence, "quality of the pages", select, asked.command("check"), place)


def _of_conflict(asked: Asked, conflict: Conflict) -> str:
    """The reports, systems and days of a conflict, as far as they are known."""
    if not conflict.days:
        return ""
    names = listed(names_of(asked, conflict.newer_id, conflict.days))
    first, last = map(format_day, conflict.days)
    when = f"on {first}" if first == last else f"from {first} to {last}"
    return f" ({' '.join(filter(None, [listed([format_report(name) for name in conflict.reports]), names and f'of {names}', when]))})"


def _select(asked: Asked, days: tuple[dt.date, dt.date] | None) -> Select:
    if not days:
        return Select()
    start, end = (asked.second(dt.datetime.combine(day, dt.time.min)) for day in days)
    return Select(from_s=start, to_s=end + 86_400)


def format_report(name: str) -> str:
    """A report's name for people.

    >>> format_report("rmf_cpu_activity"), format_report("db2_statistics")
    ('CPU Activity', 'Db2 Statistics')
    """
    words = name.removeprefix("rmf_").split("_")
    special = {"cpu": "CPU", "xcf": "XCF", "db2": "Db2", "cics": "CICS", "io": "I/O", "jmh": "JMH"}
    return " ".join(special.get(word, word.capitalize()) for word in words)
