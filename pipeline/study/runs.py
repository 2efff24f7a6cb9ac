"""Runs of the command line as studies in memory: each run is a configuration, and the classes are compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import IronlakeError, UsageError
from ..sql.ask import Queryable, ask, literal
from .study_file import Configuration, Requests, Step, Study
from .windows import Days, Window, parse_windows, resolved

Windows = Mapping[str, Sequence[Window]]

# The source name of such a study in messages and references.
FILE = "--run"
_MOST_LISTED = 20
_WEEK = dt.timedelta(days=7)
# How often windows are moved back to find data.
_MOST_TURNS = 8
# Earlier windows are like a run if they have at least this part of its data, window by window.
_ALIKE = 0.9


def name_of(runs: Iterable[str]) -> str:
    """The name of a comparison of runs; the first is the baseline.

    >>> name_of(["before", "after"]), name_of(["only"])
    ('after against before', 'only')
    """
    baseline, *others = runs
    return " against ".join((*others, baseline))


@dataclass(frozen=True)
class ComparedSystems:
    """Where runs are compared: a sysplex, and systems, if any are asked for."""

    sysplex: str | None = None
    systems: tuple[str, ...] = ()

    @property
    def condition(self) -> str:
        """Which rows of workload_interval are of it. Pages of several systems cannot be separated; one without systems may be of any."""
        parts = ["TRUE"]
        if self.sysplex:
            parts.append(f"printed.sysplex = {literal(self.sysplex)}")
        if self.systems:
            named = ", ".join(map(literal, self.systems))
            parts.append(f"(printed.scope IS NULL OR list_has_all([{named}], string_split(printed.scope, ',')))")
        return " AND ".join(parts)

    def __str__(self) -> str:
        words = [f"sysplex {self.sysplex}"] if self.sysplex else []
        words += [f"system{'s' if len(self.systems) > 1 else ''} {', '.join(self.systems)}"] if self.systems else []
        return " and ".join(words)


ANYWHERE = ComparedSystems()


def days_of(lake: Queryable, place: ComparedSystems = ANYWHERE) -> tuple[dt.date, dt.date]:
    """The first and the last day with printed intervals. Raises IronlakeError if there is none."""
    (row,) = ask(
        lake,
        f"SELECT min(interval_start) AS first, max(interval_start) AS last FROM workload_interval AS printed WHERE {place.condition}",
    )
    if row["first"] is None:
        raise _no_classes(lake, place)
    return row["first"].date(), row["last"].date()


def with_baseline(
    runs: Mapping[str, Sequence[Window | Days]], against: str | None, today: dt.date
) -> Mapping[str, Sequence[Window | Days]]:
    """The runs to compare, the baseline first: `against` are its windows; `auto` leaves them to be found. Raises UsageError if too few runs
    are given, or too many."""
    if against == "auto":
        if len(runs) > 1:
            raise UsageError("auto is given as the baseline of several runs", "one run, or the windows of the baseline")
        return runs
    if against:
        if against in runs:
            raise UsageError(f"{against} is a run and the baseline", "two different windows")
        return {against: parse_windows(against, today), **runs}
    if len(runs) < 2:
        raise UsageError("only one run is given", "at least two, or a baseline")
    return runs


def windows_of(
    lake: Queryable,
    asked: Mapping[str, Sequence[Window | Days]],
    place: ComparedSystems = ANYWHERE,
    *,
    finds_baseline: bool = False,
) -> Windows:
    """The windows of runs in words; `finds_baseline`: of a single run, after the windows that are like it before. Raises UsageError for
    windows that overlap or are none, IronlakeError if the lake has no data."""
    needs_days = any(isinstance(part, Days) and part.first is None for parts in asked.values() for part in parts)
    first, last = days_of(lake, place) if needs_days else (dt.date.min, dt.date.min)
    runs = {name: resolved(parts, first, last) for name, parts in asked.items()}
    if finds_baseline:
        ((_, windows),) = runs.items()
        name, before = like_before(lake, windows, place)
        return {name: before, **runs}
    return runs


def studies_of_runs(lake: Queryable, runs: Windows, place: ComparedSystems = ANYWHERE) -> list[Study]:
    """The studies that compare the runs (name → windows, the first is the baseline): one study of all, where each run holds one sysplex;
    else one per sysplex, since sysplexes are never added. Each run is a configuration with a step for each window that has data. A step takes
    all intervals of its window: interval reports, or duration reports where there are no others.

    Raises IronlakeError that lists the printed intervals where a run has none."""
    if not runs:
        raise IronlakeError("no window to compare", "at least one run", "--run before=2021-04-13T10:00/11:00")
    for name, windows in runs.items():
        if any(start >= end for start, end in windows):
            raise IronlakeError(f"a window of {name} ends before it starts", "START before END")
    there = _report_kinds(lake, runs, place)
    for name, windows in runs.items():
        if not there[name]:
            raise _no_data(f" of {name}", windows, place, lake)
    if all(len(plexes) == 1 for plexes in there.values()):
        return [_study(name_of(runs), {name: next(iter(plexes.values())) for name, plexes in there.items()}, place)]
    # Pages without a sysplex are left out, with a note on the page.
    every = sorted({plex for plexes in there.values() for plex in plexes if plex is not None})
    return [_study(plex, {name: there[name][plex] for name in runs if plex in there[name]}, place) for plex in every]


def like_before(
    lake: Queryable, windows: Sequence[Window], place: ComparedSystems = ANYWHERE
) -> tuple[str, list[Window]]:
    """The windows of the same weekdays and hours before, the nearest that have nine tenths of the data that the run has, for each sysplex and window,
    and their name.

    Raises IronlakeError if there are none in the weeks before, or if the windows themselves have no data."""
    asked = _covered(_report_kinds(lake, {"": windows}, place)[""])
    if not asked:
        raise _no_data("", windows, place, lake)
    span = windows[-1].end - windows[0].start
    # Windows of more than a week are compared with as many weeks before.
    weeks = -(-span // _WEEK)
    for turn in range(1, _MOST_TURNS + 1):
        back = turn * weeks * _WEEK
        earlier = [Window(start - back, end - back) for start, end in windows]
        found = _covered(_report_kinds(lake, {"": earlier}, place)[""])
        if all(found.get((plex, start - back), 0) >= _ALIKE * covered for (plex, start), covered in asked.items()):
            many = turn * weeks
            return f"{many} week{'s' if many > 1 else ''} before", earlier
    what = f"no data of the same weekdays and hours in the {_MOST_TURNS * weeks} weeks before {windows[0].start:%Y-%m-%d %H:%M}"
    first, _ = days_of(lake, place)
    # Such as weekdays without a period, which are all of the lake.
    whole = (
        "the run begins with the lake; name a later period, such as last-week"
        if windows[0].start.date() - first < _WEEK
        else ""
    )
    raise IronlakeError(what, whole or "--against WINDOWS", _printed(lake, place))


def _covered(found: Mapping[str | None, Sequence[_Found]]) -> dict[tuple[str | None, dt.datetime], float]:
    """The seconds with data, by sysplex and start of the window."""
    return {(plex, f.window.start): f.covered_s for plex, of in found.items() for f in of}


def windows_without_data(study: Study, runs: Windows) -> dict[str, list[Window]]:
    """The windows of its runs that a study has no step for."""
    found = {}
    for configuration in study.configurations:
        there = {(step.start, step.end) for step in configuration.steps}
        found[configuration.name] = [window for window in runs[configuration.name] if window not in there]
    return {name: windows for name, windows in found.items() if windows}


@dataclass(frozen=True)
class _Found:
    """A window with data of a sysplex, and the kind of report to use."""

    window: Window
    sysplex: str | None
    report_kind: str
    covered_s: float


def _study(name: str, runs: Mapping[str, Sequence[_Found]], place: ComparedSystems) -> Study:
    configurations = tuple(
        Configuration(run, line, tuple(_step(found, run, line, len(windows), place) for found in windows))
        for line, (run, windows) in enumerate(runs.items(), 1)
    )
    return Study(name, FILE, 1, configurations, configurations[0].name, Requests("volume"))


def _step(found: _Found, run: str, line: int, of: int, place: ComparedSystems) -> Step:
    start, end = found.window
    return Step(
        run if of == 1 else start.isoformat(" ", "minutes"), start, end, line, "all",
        sysplex=found.sysplex, systems=place.systems, report_kind=found.report_kind,
    )  # fmt: skip


def _report_kinds(lake: Queryable, runs: Windows, place: ComparedSystems) -> dict[str, dict[str | None, list[_Found]]]:
    """By run and sysplex: the windows that have classes."""
    windows = [(run, Window(*window)) for run, of in runs.items() for window in of]
    listed = ", ".join(f"({n}, TIMESTAMP '{w.start}', TIMESTAMP '{w.end}')" for n, (_, w) in enumerate(windows))
    rows = ask(
        lake,
        f"""SELECT number, sysplex, report_kind, sum(interval_s) AS covered_s
        FROM (
            SELECT DISTINCT asked.number, printed.sysplex, printed.report_kind, printed.interval_start, printed.interval_s
            FROM (VALUES {listed}) AS asked(number, window_start, window_end)
            JOIN workload_interval AS printed
                ON printed.midpoint >= asked.window_start AND printed.midpoint < asked.window_end
            WHERE printed.class_kind IN ('service_class', 'report_class') AND printed.report_kind IS NOT NULL
                AND {place.condition}
        )
        GROUP BY ALL ORDER BY ALL""",
    )
    kinds: dict[tuple[int, str | None], dict[str, float]] = {}
    for row in rows:
        kinds.setdefault((row["number"], row["sysplex"]), {})[row["report_kind"]] = row["covered_s"]
    found: dict[str, dict[str | None, list[_Found]]] = {run: {} for run in runs}
    for (number, plex), mine in kinds.items():
        run, window = windows[number]
        kind = "interval" if "interval" in mine else min(mine)
        found[run].setdefault(plex, []).append(_Found(window, plex, kind, mine[kind]))
    return found


def _no_data(of: str, windows: Sequence[Window], place: ComparedSystems, lake: Queryable) -> IronlakeError:
    start, end = windows[0].start, windows[-1].end
    which = "the window" if len(windows) == 1 else f"each of the {len(windows):,} windows"
    where = f" for {place}" if str(place) else ""
    return IronlakeError(
        f"{which}{of} ({start:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}) has no data{where}",
        "a window that contains the midpoint of a printed interval",
        _printed(lake, place),
    )


def _printed(lake: Queryable, place: ComparedSystems) -> str:
    """The existing intervals: one line per sysplex, kind of report, length, and days that follow each other and are printed alike."""
    rows = ask(
        lake,
        f"""WITH day AS (
            SELECT sysplex, report_kind, round(interval_s) AS seconds, CAST(interval_start AS DATE) AS date,
                min(interval_start) AS first, max(interval_end) AS last, count(DISTINCT interval_start) AS intervals
            FROM workload_interval AS printed
            WHERE class_kind IN ('service_class', 'report_class') AND {place.condition}
            GROUP BY ALL
        ),
        numbered AS (
            SELECT *, date - CAST(row_number() OVER (PARTITION BY sysplex, report_kind, seconds, intervals ORDER BY date) AS INTEGER) AS stretch
            FROM day
        )
        SELECT sysplex, report_kind, seconds, min(first) AS first, max(last) AS last, count(*) AS days, sum(intervals) AS intervals
        FROM numbered
        GROUP BY sysplex, report_kind, seconds, intervals, stretch
        ORDER BY sysplex, report_kind, first, seconds""",
    )
    if not rows:
        raise _no_classes(lake, place)
    lines = [
        f"  {row['sysplex'] or 'no sysplex'}: {row['first']:%Y-%m-%dT%H:%M:%S} to {row['last']:%Y-%m-%dT%H:%M:%S}, "
        f"{row['intervals']:,} {row['report_kind'] or 'unknown'} report{'s' if row['intervals'] > 1 else ''} of about {row['seconds']:.0f} s"
        + (f" on {row['days']} days" if row["days"] > 1 else "")
        for row in rows[:_MOST_LISTED]
    ]
    more = [f"  and {len(rows) - _MOST_LISTED} more stretches"] if len(rows) > _MOST_LISTED else []
    return "\n".join(["printed intervals:", *lines, *more])


def _no_classes(lake: Queryable, place: ComparedSystems) -> IronlakeError:
    there = ask(
        lake,
        "SELECT DISTINCT sysplex, scope FROM workload_interval WHERE class_kind IN ('service_class', 'report_class') ORDER BY ALL",
    )
    if not there:
        return IronlakeError(
            "the lake has no workload activity by class",
            "at least one RMF Workload Activity report",
            "ironlake ingest PATH reads reports into the lake",
        )
    named = [f"sysplex {row['sysplex'] or '-'}, systems {row['scope'] or '-'}" for row in there[:_MOST_LISTED]]
    hint = "a page of several systems cannot be split: name all of its systems"
    return IronlakeError(f"the lake has no workload activity of {place}", f"one of: {'; '.join(named)}", hint)
