"""The hour that the clock repeats, at the end of daylight saving: pages name local times, so two hours have one name. Where pages were read with
the offset of their clock (`ingest --utc-offset`), each hour is answered for by itself: the same view, over the rows of one offset alone. Else what
differs between the two is unknown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..declaration.report import Table
from .measured_times import inside, times_of

OFFSET, _END = "utc_offset_minutes", "interval_end"
_DAY = dt.timedelta(days=1)
# Whose clock it is.
_CLOCK = ("scope", "system", "sysplex")
# Of intervals that begin at the same second and end within one, but not at the same millisecond, neither is a print of the other. Where many hours
# have such, as of two systems of one name, it is not the clock.
_REPEATED = """
WITH of_page AS (
    SELECT DISTINCT interval_start, interval_end, {clock}, {offset} AS utc_offset
    FROM {table}
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_end IS NOT NULL
),
interval AS (
    SELECT *, date_trunc('hour', interval_start + (interval_end - interval_start) / 2) AS hour, coalesce({clock}, '') AS clock
    FROM of_page
),
known AS (
    SELECT hour, clock, max(utc_offset) AS summer, min(utc_offset) AS winter FROM interval GROUP BY ALL HAVING min(utc_offset) < max(utc_offset)
),
unlike AS (
    SELECT DISTINCT hour, clock
    FROM interval
    GROUP BY hour, clock, interval_start, date_trunc('second', interval_end + INTERVAL 500 MILLISECOND)
    HAVING count(DISTINCT interval_end) > 1
)
FROM known
UNION ALL
SELECT hour, clock, NULL, NULL
FROM unlike
ANTI JOIN known USING (hour, clock)
ANTI JOIN unlike AS beside ON beside.clock = unlike.clock AND beside.hour IN (unlike.hour - INTERVAL 1 HOUR, unlike.hour + INTERVAL 1 HOUR)
"""


@dataclass(frozen=True)
class Repeated:
    """Hours that the clocks of some systems have twice, with the two offsets, that of summer first, or with none that tells them apart. `tables`:
    those of which rows say so."""

    offsets: tuple[int, int] | None
    hours: frozenset[dt.datetime]
    clocks: frozenset[str]
    tables: frozenset[str]

    def each_offset(self) -> list[int | None]:
        """The offsets; None: of the other clocks, or of all rows if no offset tells the hours apart."""
        return [*(self.offsets or ()), None]

    def select(self, offset: int | None, table: Table) -> str:
        """The rows of a table around the hours that were read with an offset, as a SELECT."""
        if not (columns := times_of(table.schema)):
            return f'FROM "{table.name}"'
        # What counts of an hour rests on the days beside it, too.
        wanted = f"({inside(columns, [(hour - _DAY, hour + 2 * _DAY) for hour in sorted(self.hours)])})"
        if self.offsets and OFFSET in table.schema.names:
            wanted += f" AND {self._is_of(offset, table, self.offsets)}"
        # Rows of which the ends are rounded to the second: what is printed of both hours then has one key, and views know none of two values of it.
        is_rounded = not self.offsets and _END in table.schema.names
        ends = f" REPLACE (date_trunc('second', {_END} + INTERVAL 500 MILLISECOND) AS {_END})" if is_rounded else ""
        return f'SELECT *{ends} FROM "{table.name}" WHERE {wanted}'

    def _is_of(self, offset: int | None, table: Table, offsets: tuple[int, int]) -> str:
        """Whether a row counts with an offset. Rows of which no offset is known count with each, but for those of tables in which it tells hours
        apart."""
        if offset is None:
            others = f"({OFFSET} IS NULL OR {OFFSET} NOT IN ({', '.join(map(str, offsets))}))"
            clocks = ", ".join("'" + clock.replace("'", "''") + "'" for clock in sorted(self.clocks))
            is_other = f" AND coalesce({', '.join(_CLOCK)}, '') NOT IN ({clocks})"
            return others + (is_other if table.name in self.tables else "")
        return f"{OFFSET} = {offset}" if table.name in self.tables else f"coalesce({OFFSET}, {offset}) = {offset}"


# An hour, whose clock it is, and its offsets, or None where no offset tells its two apart.
Twice = tuple[dt.datetime, str, int | None, int | None]


def hours_twice(ask: Callable[[str], list[Twice]], table: str) -> list[Twice]:
    """The hours that the rows of a table have twice."""
    return ask(_REPEATED.format(table=table, clock=", ".join(_CLOCK), offset=OFFSET))


def repeated_hours(found: Mapping[str, Iterable[Twice]]) -> list[Repeated]:
    """The same of several tables, by name."""
    together: dict[tuple[int, int] | None, tuple[set[dt.datetime], set[str], set[str]]] = {}
    known = {(hour, clock) for hours in found.values() for hour, clock, summer, _ in hours if summer is not None}
    for table, hours in found.items():
        for hour, clock, summer, winter in hours:
            offsets = None if summer is None or winter is None else (summer, winter)
            if offsets or (hour, clock) not in known:
                of_two = together.setdefault(offsets, (set(), set(), set()))
                of_two[0].add(hour)
                of_two[1].add(clock)
                of_two[2].add(table)
    # Those without offsets first: rows of another clock may know them.
    return [
        Repeated(offsets, frozenset(hours), frozenset(clocks), frozenset(names))
        for offsets, (hours, clocks, names) in sorted(together.items(), key=lambda item: item[0] or ())
    ]
