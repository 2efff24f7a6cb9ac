"""The page of a lake, from its facts: every question is asked of the same days."""

import datetime as dt
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version

from ...pipeline.sql.days import DaysLake
from ...pipeline.sql.open_lake import OpenLake
from ...pipeline.status.calendar import Calendar
from ...pipeline.status.conflicts import Conflict, find_conflict
from ...pipeline.status.kept_intervals import kept_calendar
from ...pipeline.words import counted
from ..references import distinct_tails
from .asked import Asked
from .contract import Filter, LakePage, Names, Section
from .found import Found, format_hour
from .stories import stories

# The files of facts/ by group, in the order of the page, with their names in the contents.
GROUPS = {
    "Bill": {"msu": "Four-hour average", "peak": "What made the peak", "cost": "Cost of a transaction", "overflow": "zIIP overflow"},
    "Goals": {
        "goals": "Missed goals", "goal_delays": "Delays", "response": "Response times", "response_load": "Response and load",
        "littles_law": "Little's law",
    },
    "Processors": {
        "systems": "Systems", "workloads": "Workloads", "machines": "Machines", "partitions": "Partitions", "dispatch": "Dispatching",
    },
    "Coupling": {
        "facilities": "Facilities", "structures": "Structures", "contention": "Locks", "links": "Subchannels",
        "link_service": "Synchronous requests", "storage": "Storage", "paths": "XCF paths", "messages": "XCF messages",
    },
    "Db2 and CICS": {"group_pools": "Group buffer pools", "pools": "Buffer pools", "threads": "Threads"},
    "I/O": {
        "channels": "Channel paths", "queues": "Paths and aliases", "io_processors": "I/O processors", "volumes": "Volumes",
        "caches": "Storage caches",
    },
    "Data": {"coverage": "What is missing"},
}  # fmt: skip
QUESTIONS = tuple(name for names in GROUPS.values() for name in names)
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}
# Cards are of hours, and one hour alone says little. Two hours, less the little that intervals end early.
_LEAST_TIME = dt.timedelta(hours=1.98)
# Tables of lines and values that were not read.
_BESIDE = {"parse_reject", "cell_null", "quality_result"}


def question_of(name: str) -> Callable[[Asked], Found]:
    """The function that answers the question of a file of facts/: the one with the name of the file."""
    question: Callable[[Asked], Found] = getattr(import_module(f".facts.{name}", __package__), name)
    return question


@dataclass(frozen=True)
class Wanted:
    """The days of a page: `days` of them up to `last_day`, or up to the newest of the lake. `command` makes the page
    again."""

    days: int = 30
    last_day: dt.date | None = None
    command: str = ""


def lake_page(
    lake: OpenLake, wanted: Wanted, timed: Callable[[str, float], None] = lambda name, seconds: None
) -> LakePage:
    """The facts of some days of a lake. `timed` is called with the seconds that each question took."""
    made_at = dt.datetime.now().replace(microsecond=0)
    calendar = kept_calendar(lake.path, lake.state)
    days = days_of(calendar, wanted)
    span = f"it has {calendar.days[-1]} to {calendar.days[0]}" if calendar.days else ""
    empty = LakePage(lake.path.name, made_at, wanted.command, version("ironlake"))
    if days is None:
        why = f"No report of the lake is of these days: {span}." if span else "The lake has no printed intervals."
        return replace(empty, unknown=(why,), has_other_days=bool(span))
    sources = lake.state.sources.values()
    files = {entry.source_id: entry.source_file.rpartition("/")[2] for entry in sources}
    found: list[Found] = []
    with DaysLake(lake, *days) as narrowed:
        name = lake.path.name if lake.path.is_absolute() else str(lake.path)
        asked = Asked(narrowed, *days, calendar, files, name, tuple(_quality(lake)))
        asked = replace(asked, conflict=_conflict(lake, asked))
        for name in QUESTIONS:
            start = time.perf_counter()
            found.append(question_of(name)(asked))
            timed(name, time.perf_counter() - start)
    whole = _too_little(calendar, *days, least=2)
    sections = tuple(
        replace(
            section,
            note=" ".join(filter(None, (section.note, whole and f"{whole}."))),
            group=(group := GROUP_OF[section.id]),
            short=GROUPS[group][section.id],
        )
        for one in found
        for section in one.sections
    )
    told = [r for one in found for r in one.happened]
    if days[0] == days[1]:
        # On a page of one day nothing is compared with the day before.
        told = [replace(r, happened=replace(r.happened, new=False)) for r in told]
    return LakePage(
        *(empty.lake, made_at, empty.command, empty.version),
        first_day=days[0],
        last_day=days[1],
        axis_start=asked.axis_start,
        names=_names(sections),
        happened=stories(told, GROUP_OF),
        sections=sections,
        unknown=tuple(dict.fromkeys(words for one in found for words in one.unknown)),
        too_little=_with_other_days(calendar, days[1], whole or _too_little(calendar, days[1], days[1], least=1)),
    )


def _too_little(calendar: Calendar, first: dt.date, last: dt.date, least: int) -> str:
    """The intervals of the days without duration reports, in words, if they are fewer than `least`, or cover less than
    the least time; otherwise empty."""
    times = calendar.times(first, last)
    covered, reached = dt.timedelta(), dt.datetime.min
    for start, end in times:
        covered += max(end - max(start, reached), dt.timedelta())
        reached = max(reached, end)
    if covered >= _LEAST_TIME and len(times) >= least:
        return ""
    ends = f", {format_hour(times[0][0])} to {reached + dt.timedelta(seconds=30):%H:%M}" if times else ""
    minutes = round(covered.total_seconds() / 60)
    what = (
        f"intervals of {counted(minutes, 'minute')} in all"
        if len(times) > 1
        else "1 interval"
        if times
        else "no interval"
    )
    return f"Too little to judge: {what}{ends}"


def _with_other_days(calendar: Calendar, last: dt.date, little: str) -> str:
    if not little:
        return ""
    # The day before, or else the one after.
    other = max(
        (day for day in calendar.days if day < last), default=min((d for d in calendar.days if d > last), default=None)
    )
    return f"{little}; {f'--day {other} shows another day' if other else 'the lake has no other day'}"


def _conflict(lake: OpenLake, asked: Asked) -> Conflict | None:
    """Intervals of the days that two files print with different values."""
    found = find_conflict(lake.state.sources.values(), asked.axis_start, asked.axis_end)
    if not found:
        return None
    # File names as given, but without folders of this machine, because users pass pages on.
    pair = {name: name for name in (found.older, found.newer)}
    pair |= distinct_tails({name: name for name in pair if name.startswith("/")})
    return replace(found, older=pair[found.older], newer=pair[found.newer])


def _quality(lake: OpenLake) -> Iterable[str]:
    """Files without a single readable row: their days are unknown."""
    found = [e.rejects for e in lake.state.sources.values() if e.rejects and not e.rows.keys() - _BESIDE]
    if found:
        lines = counted(sum(found), "line or value", "lines or values")
        yield f"Of {counted(len(found), 'file')} of the lake no row could be read ({lines}): their days are unknown."


def days_of(calendar: Calendar, wanted: Wanted) -> tuple[dt.date, dt.date] | None:
    """The first and last day of the page; None where there are no intervals. The page begins no earlier than the first
    day with intervals."""
    if not calendar.days:
        return None
    last = wanted.last_day or calendar.days[0]
    earliest = last - dt.timedelta(days=wanted.days - 1)
    first = min((day for day in calendar.days if earliest <= day <= last), default=None)
    return (first, last) if first else None


def _names(sections: Iterable[Section]) -> Names:
    """The names that can be selected: those in the columns that the sections filter by."""
    found: dict[Filter, dict[str, None]] = {"sysplex": {}, "system": {}, "workload": {}, "class": {}}
    for section in sections:
        for what, column in section.filters.items():
            if what in found:
                found[what].update(dict.fromkeys(n for n in section.rows.of(column) if n))
    systems = {name for names in found["system"] for name in names.split(",")}
    return Names(
        tuple(sorted(found["sysplex"])),
        tuple(sorted(systems)),
        tuple(sorted(found["workload"])),
        tuple(sorted(found["class"])),
    )
