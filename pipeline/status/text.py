"""The status of a lake as text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from ..terminal import printable
from ..words import counted
from .calendar import Day, Gap
from .coverage import Place
from .gather import Status

_MOST_FILES = 5
_MOST_EMPTY_DAYS = 7
_LEAST_TOLD_TOGETHER = 2


def as_text(status: Status, now: dt.datetime) -> str:
    """`now`: the time, UTC."""
    if not len(status.files) and not status.not_read:
        return f"{status.lake}: the lake is empty; ironlake ingest FILE… reads reports into it"
    return "\n".join(line.rstrip() for line in _lines(status, now))


def _lines(status: Status, now: dt.datetime) -> Iterator[str]:
    parts = len(status.state.parts)
    yield (
        f"{status.lake}: {counted(len(status.files), 'file')}, {counted(status.rows, 'row')},"
        f" {size(status.disk.parts)} in {counted(parts, 'part')}"
    )
    beside = [f"{size(status.disk.ledger)} of ledger"]
    if status.disk.superseded:
        beside.append(f"{size(status.disk.superseded)} of parts that no longer count, which a later ingest removes")
    yield f"also on disk: {', '.join(beside)}"
    if last := status.files.last_ingest:
        at, files = last
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        yield f"last ingest: {at:%Y-%m-%d %H:%M:%S} UTC ({_age(now - at)}): {printable(files[0])}{more}"
    yield from _day_lines(status)
    yield from _gap_lines(status)
    yield from _scope_lines(status)
    yield from _suspect_lines(status)
    yield ""
    if not status.attention:
        yield "nothing needs attention"
        return
    yield "needs attention"
    for one in status.attention:
        yield f"  {one.what}"
        yield f"      {one.command}"


def _day_lines(status: Status) -> Iterator[str]:
    """A line for each day and system, a column for each report: how many intervals; with a + where some are missing between them."""
    rows = status.days
    if not rows:
        return
    reports = status.calendar.reports
    found: dict[tuple[dt.date, str, str], dict[str, list[Day]]] = {}
    for row in rows:
        key = row.day, row.place.sysplex or "", row.place.system or ""
        found.setdefault(key, {}).setdefault(row.place.report, []).append(row)
    for day, place in _absent(status):
        found.setdefault((day, place.sysplex or "", place.system or ""), {})
    spans = {(at.report, at.sysplex or "", at.system or ""): span for at, span in status.spans.items()}
    rows_of: dict[dt.date, list[list[str]]] = {}
    for (day, sysplex, system), by_report in sorted(found.items()):
        cells = [_cell(day, by_report.get(report, []), spans.get((report, sysplex, system))) for report in reports]
        rows_of.setdefault(day, []).append([f"{day}", printable(sysplex), printable(system), *cells])
    cells = [row for _, of_day in sorted(rows_of.items(), reverse=True) for row in _of_whole_day(of_day)]
    shown, there = len({row.day for row in rows}), len(status.calendar.days)
    yield ""
    yield "intervals by day, system and report (-: none, though there are earlier and later ones; +: some are missing in between; all: nothing is missing)"
    yield from _table([["day"], ["sysplex"], ["system"], *(_title(report) for report in reports)], cells)
    if shown < there:
        yield f"{shown} of {there:,} days; --days {there} shows all"


def _of_whole_day(rows: list[list[str]]) -> list[list[str]]:
    """The rows of a day; one row in their place where nothing is missing, and all systems have the same reports: of how many intervals each,
    from the fewest to the most."""
    of_systems, of_all = [row for row in rows if row[2]], [row for row in rows if not row[2]]
    cells: list[str] = []
    for column in zip(*(row[3:] for row in (*of_systems, *of_all)), strict=True):
        by_system, by_all = column[: len(of_systems)], column[len(of_systems) :]
        is_of_some = any(by_system) and (not all(by_system) or any(by_all))
        if is_of_some or any(cell.endswith(("+", "-")) for cell in column):
            return rows
        there = sorted({cell for cell in column if cell}, key=lambda cell: int(cell.replace(",", "")))
        cells.append("-".join(dict.fromkeys([*there[:1], *there[-1:]])))
    if len(of_systems) < _LEAST_TOLD_TOGETHER:
        return rows
    plexes = sorted({row[1] for row in rows if row[1]})
    return [
        [
            rows[0][0],
            plexes[0] if len(plexes) == 1 else f"all {len(plexes) or ''}".rstrip(),
            f"all {len(of_systems)}",
            *cells,
        ]
    ]


def _absent(status: Status) -> Iterator[tuple[dt.date, Place]]:
    """Places that have days before and after a day: it is shown if there is nothing of it. Of a time without any reports, a few days."""
    days = sorted({row.day for row in status.days})
    for before, day in zip([days[0], *days], days, strict=False):
        between = range(before.toordinal() + 1, day.toordinal())
        for ordinal in (*(between if len(between) <= _MOST_EMPTY_DAYS else ()), day.toordinal()):
            one = dt.date.fromordinal(ordinal)
            yield from ((one, place) for place, (first, last) in status.spans.items() if first < one < last)


def _cell(day: dt.date, rows: Sequence[Day], span: tuple[dt.date, dt.date] | None) -> str:
    if rows:
        return f"{sum(row.intervals for row in rows):,}{'+' if any(row.gaps for row in rows) else ''}"
    return "-" if span and span[0] < day < span[1] else ""


def _title(report: str) -> list[str]:
    """The name of a report, a word on each line."""
    return report.removeprefix("rmf_").split("_")


def _table(titles: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    height = max(map(len, titles))
    heads = [[*[""] * (height - len(title)), *title] for title in titles]
    widths = [max(map(len, column)) for column in zip(*zip(*heads, strict=True), *rows, strict=True)]
    for line in [*zip(*heads, strict=True), ["-" * width for width in widths], *rows]:
        cells = (
            cell.ljust(width) if number < 3 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(cells)


def _gap_lines(status: Status) -> Iterator[str]:
    gaps = status.gaps
    if not gaps.count:
        return
    yield ""
    yield "gaps, newest first"
    yield from (f"  {_place(gap)}: {_time(gap)}" for gap in gaps.newest)
    if gaps.count > len(gaps.newest):
        yield f"  and {gaps.count - len(gaps.newest):,} older"


def _scope_lines(status: Status) -> Iterator[str]:
    if not status.calendar.scopes:
        return
    yield ""
    yield "pages of some systems beside pages of more, of which the classes count"
    for one in status.calendar.scopes:
        place = printable(" ".join(filter(None, [one.sysplex, one.scope])))
        yield f"  {place}: {counted(one.intervals, 'interval')} beside {printable(one.counted_scope)}, which counts"


def _place(gap: Gap) -> str:
    return printable(" ".join(filter(None, [gap.report, gap.sysplex, gap.system])))


def _time(gap: Gap) -> str:
    if not gap.days:
        # Ends are printed to the millisecond, a little off the clock.
        near = dt.timedelta(milliseconds=500)
        return f"{gap.start + near:%Y-%m-%d %H:%M} to {gap.end + near:%H:%M}"
    last = gap.end.date() - dt.timedelta(days=1)
    return f"{gap.start:%Y-%m-%d}" + ("" if gap.days == 1 else f" to {last} ({gap.days:,} days)")


def _suspect_lines(status: Status) -> Iterator[str]:
    if not status.files.suspect_count:
        return
    yield ""
    yield "files with rejects or suspect pages, newest first"
    for entry in status.files.suspects(_MOST_FILES):
        told = [(entry.rejects, "reject"), (entry.suspect_pages, "suspect page")]
        yield f"  {printable(entry.source_file)}: {', '.join(counted(n, word) for n, word in told if n)}"
    if status.files.suspect_count > _MOST_FILES:
        yield f"  and {status.files.suspect_count - _MOST_FILES:,} more"


def size(count: int) -> str:
    """Bytes for people.

    >>> size(999), size(2_340_000), size(51_000_000_000)
    ('999 bytes', '2.3 MB', '51 GB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.{int(count < 10 * factor)}f} {unit}"
    return counted(count, "byte")


def _age(passed: dt.timedelta) -> str:
    """How long ago.

    >>> _age(dt.timedelta(minutes=5)), _age(dt.timedelta(hours=30)), _age(dt.timedelta(days=3))
    ('5 minutes ago', '30 hours ago', '3 days ago')
    """
    seconds = max(0, int(passed.total_seconds()))
    for unit, length, least in (("day", 86400, 2), ("hour", 3600, 2), ("minute", 60, 1)):
        if seconds >= least * length:
            return f"{counted(seconds // length, unit)} ago"
    return "just now"
