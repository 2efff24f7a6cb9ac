"""Pages of these days that could not be read completely, or whose values do not fit: their number, systems and days."""

import datetime as dt
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from ...pipeline.declaration.report import Table, reports
from ...pipeline.words import counted
from .asked import Asked
from .found import format_day, listed

_DAMAGED = """
SELECT source_id, page, count(*) AS times, 'lost' AS kind, min(line) AS line FROM parse_reject GROUP BY ALL
UNION ALL
SELECT source_id, page, 1, CASE WHEN bool_or(severity = 'error') THEN 'wrong' ELSE 'suspect' END, min(line) FROM quality_result GROUP BY source_id, page
ORDER BY ALL
"""
_STARTS = ("interval_start", "begin_at", "collected_at")
_NAMES = ("system", "applid", "member", "subsystem", "scope", "sysplex")


class Where(NamedTuple):
    day: dt.date
    name: str | None


@dataclass
class Damage:
    """Damage of one kind: how often, on which pages, where, and the first printed line."""

    times: int = 0
    pages: set[tuple[str, int]] = field(default_factory=set)
    where: set[Where] = field(default_factory=set)
    ref: dict[str, Any] | None = None

    @property
    def places(self) -> str:
        """
        >>> Damage(where={Where(dt.date(2026, 11, 2), "SYSA"), Where(dt.date(2026, 11, 3), "SYSA")}).places
        'SYSA on Mon 2 Nov and Tue 3 Nov'
        """
        days: dict[str, list[str]] = defaultdict(list)
        for day, name in sorted(self.where, key=lambda one: (one.day, one.name or "")):
            days[name or "unnamed"].append(format_day(day))
        return "; ".join(f"{name} on {listed(of_name)}" for name, of_name in list(days.items())[:4]) + (
            f"; and {len(days) - 4:,} more" if len(days) > 4 else ""
        )


def damage(asked: Asked) -> dict[str, Damage]:
    """The damage by kind: lost (lines or values that could not be read), wrong (impossible values), suspect (values
    that do not fit)."""
    found: dict[str, Damage] = defaultdict(Damage)
    damaged = asked.ask(_DAMAGED).to_pylist()
    if not damaged:
        return found
    pages: dict[str, dict[int, set[Where]]] = defaultdict(lambda: defaultdict(set))
    for row in asked.ask(
        _pages_of("(SELECT source_id FROM parse_reject UNION SELECT source_id FROM quality_result)")
    ).to_pylist():
        pages[row["source_id"]][row["page"]].add(Where(row["day"], row["name"]))
    for row in damaged:
        where = [w for w in _at(pages[row["source_id"]], row["page"]) if asked.first_day <= w.day <= asked.last_day]
        if where:
            one = found[row["kind"]]
            one.times += row["times"]
            one.pages.add((row["source_id"], row["page"]))
            one.where.update(where)
            one.ref = one.ref or row
    return found


def _at(pages: dict[int, set[Where]], page: int | None) -> set[Where]:
    """The places of a page; a page without rows has those of the page before, if pages of these days are on both
    sides."""
    if page in pages:
        return pages[page]
    there = sorted(pages)
    at = bisect_right(there, page or 0)
    return pages[there[at - 1]] if 0 < at < len(there) else set()


def names_of(asked: Asked, source_id: str, days: tuple[dt.date, dt.date]) -> list[str]:
    """The systems, regions or members with pages in a source, on some days."""
    rows = asked.ask(_pages_of(f"('{source_id}')")).to_pylist()
    return sorted({row["name"] for row in rows if row["name"] and days[0] <= row["day"] <= days[1]})


def _pages_of(sources: str) -> str:
    """SQL for the day and name of each page of some sources."""
    return " UNION ".join(
        f'SELECT source_id, page, CAST({start} AS DATE) AS day, {name} AS name FROM "{table}"'
        f" WHERE source_id IN {sources} AND {start} IS NOT NULL AND page IS NOT NULL"
        for table, start, name in _tables()
    )


@cache
def _tables() -> tuple[tuple[str, str, str], ...]:
    """Tables of reports that have times: name, the column of the start, and the expression that names their system."""

    def of(table: Table) -> Iterator[tuple[str, str, str]]:
        columns = {column.name for column in table.columns}
        start = next((name for name in _STARTS if name in columns), None)
        names = [name for name in _NAMES if name in columns]
        if table.covers and start and names:
            yield table.name, start, f"coalesce({', '.join(names)})" if len(names) > 1 else names[0]

    return tuple(one for report in reports().values() for table in report.tables for one in of(table))


def told(found: dict[str, Damage]) -> Iterator[str]:
    """Sentences on the damage, which weakens the page."""
    if lost := found.get("lost"):
        yield (
            f"{counted(lost.times, 'line or value', 'lines or values')} could not be read, on {counted(len(lost.pages), 'page')}"
            f" of {lost.places}."
        )
    if suspect := found.get("suspect"):
        yield f"{counted(len(suspect.pages), 'page')} with values that do not fit, of {suspect.places}."
