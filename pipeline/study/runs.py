"""Runs of the command line as studies in memory: each window is a configuration, and the classes are compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from ..errors import IronlakeError
from .study_file import Configuration, Requests, Step, Study

Windows = Mapping[str, tuple[dt.datetime, dt.datetime]]

# The source name of such a study in messages and references.
FILE = "--run"
_MOST_LISTED = 20


class _Lake(Protocol):
    def sql(self, text: str, /) -> Any: ...


def name_of(runs: Iterable[str]) -> str:
    """The name of a comparison of runs; the first is the baseline.

    >>> name_of(["before", "after"]), name_of(["only"])
    ('after against before', 'only')
    """
    baseline, *others = runs
    return " against ".join((*others, baseline))


def studies_of_runs(lake: _Lake, runs: Windows) -> list[Study]:
    """The studies that compare the runs (name → start and end of the window, the first is the baseline): one study of all, where each
    window holds one sysplex; else one per sysplex, since sysplexes are never added. Each run is a configuration of one step that takes
    all intervals of its window: interval reports, or duration reports where there are no others.

    Raises IronlakeError that lists the printed intervals where a window has none."""
    if not runs:
        raise IronlakeError("no window to compare", "at least one run", "--run before=2021-04-13T10:00/11:00")
    for name, (start, end) in runs.items():
        if start >= end:
            raise IronlakeError(f"the window of {name} ends before it starts", "START before END")
    there = {name: _report_kinds(lake, *window) for name, window in runs.items()}
    for name, (start, end) in runs.items():
        if not there[name]:
            raise IronlakeError(
                f"the window of {name} ({start:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}) has no data",
                "a window that contains the midpoint of a printed interval",
                _printed(lake),
            )
    if all(len(kinds) == 1 for kinds in there.values()):
        plexes = {name: next(iter(kinds)) for name, kinds in there.items()}
        return [_study(name_of(runs), runs, plexes, there)]
    # Pages without a sysplex are left out, with a note on the page.
    every = sorted({plex for kinds in there.values() for plex in kinds if plex is not None})
    return [_study(plex, runs, {name: plex for name in runs if plex in there[name]}, there) for plex in every]


def _study(
    name: str, runs: Windows, plexes: Mapping[str, str | None], there: Mapping[str, Mapping[str | None, str]]
) -> Study:
    configurations = tuple(
        Configuration(run, line, (Step(run, *runs[run], line, "all", sysplex=plexes[run], report_kind=there[run][plexes[run]]),))
        for line, run in enumerate(runs, 1)
        if run in plexes
    )  # fmt: skip
    return Study(name, FILE, 1, configurations, configurations[0].name, Requests("volume"))


def _report_kinds(lake: _Lake, start: dt.datetime, end: dt.datetime) -> dict[str | None, str]:
    """The sysplexes with classes in a window, each with the kind of report to use."""
    rows = _rows(
        lake,
        f"""SELECT DISTINCT sysplex, report_kind FROM workload_interval
        WHERE midpoint >= TIMESTAMP '{start.isoformat(" ")}' AND midpoint < TIMESTAMP '{end.isoformat(" ")}'
            AND class_kind IN ('service_class', 'report_class') AND report_kind IS NOT NULL
        ORDER BY sysplex, report_kind""",
    )
    kinds: dict[str | None, list[str]] = {}
    for row in rows:
        kinds.setdefault(row["sysplex"], []).append(row["report_kind"])
    return {plex: "interval" if "interval" in mine else mine[0] for plex, mine in kinds.items()}


def _printed(lake: _Lake) -> str:
    """The existing intervals: one line per sysplex, kind of report, length and day."""
    rows = _rows(
        lake,
        """SELECT sysplex, report_kind, min(interval_start) AS first, max(interval_end) AS last,
            count(DISTINCT interval_start) AS intervals, round(interval_s) AS seconds
        FROM workload_interval
        WHERE class_kind IN ('service_class', 'report_class')
        GROUP BY sysplex, report_kind, round(interval_s), CAST(interval_start AS DATE)
        ORDER BY sysplex, report_kind, first""",
    )
    if not rows:
        raise IronlakeError(
            "the lake has no workload activity by class",
            "at least one RMF Workload Activity report",
            "ironlake ingest PATH reads reports into the lake",
        )
    lines = [
        f"  {row['sysplex'] or 'no sysplex'}: {row['first']:%Y-%m-%dT%H:%M:%S} to {row['last']:%Y-%m-%dT%H:%M:%S}, "
        f"{row['intervals']} {row['report_kind'] or 'unknown'} report{'s' if row['intervals'] > 1 else ''} of about {row['seconds']:.0f} s"
        for row in rows[:_MOST_LISTED]
    ]
    more = [f"  and {len(rows) - _MOST_LISTED} more days"] if len(rows) > _MOST_LISTED else []
    return "\n".join(["printed intervals:", *lines, *more])


def _rows(lake: _Lake, text: str) -> Sequence[dict[str, Any]]:
    answer = lake.sql(text).arrow()
    return (answer if isinstance(answer, pa.Table) else answer.read_all()).to_pylist()
