"""Which printed intervals a window of time stands for: chosen by midpoint, never two that overlap."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from ..pipeline.errors import IronlakeError


class Lake(Protocol):
    """What a page needs of a lake: SQL over its views, answered in Arrow."""

    def sql(self, text: str, /) -> Any: ...


def ask(lake: Lake, text: str) -> list[dict[str, Any]]:
    """The rows of a query, as dictionaries."""
    answer = lake.sql(text).arrow()
    table = answer if isinstance(answer, pa.Table) else answer.read_all()
    return table.to_pylist()


def literal(value: object) -> str:
    """A value as an SQL literal of its own type; quotes in text are doubled."""
    if value is None:
        return "NULL"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no SQL literal for {type(value).__name__}")


@dataclass(frozen=True)
class Interval:
    """One printed interval of one kind of class, with how many classes of the kind it prints. Intervals of one group follow
    each other; those of different groups may hold the same time."""

    GROUP: ClassVar = ("sysplex", "scope", "report_kind", "policy_activated_at")

    class_kind: str
    sysplex: str | None
    scope: str | None
    report_kind: str | None
    start: dt.datetime
    end: dt.datetime
    seconds: float
    policy_activated_at: dt.datetime | None
    policy: str | None
    release: str | None
    report_version: str | None
    classes: int
    is_whole: bool = True

    @property
    def group(self) -> tuple[str | None, str | None, str | None, dt.datetime | None]:
        return self.sysplex, self.scope, self.report_kind, self.policy_activated_at

    @property
    def midpoint(self) -> dt.datetime:
        return self.start + (self.end - self.start) / 2

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.scope.split(",")) if self.scope else ()


@dataclass
class Run:
    """A named window and the intervals that stand for it, by kind of class. `left_out` overlap chosen ones."""

    name: str
    start: dt.datetime
    end: dt.datetime
    intervals: dict[str, list[Interval]] = field(default_factory=dict)
    left_out: list[Interval] = field(default_factory=list)

    @property
    def asked_s(self) -> float:
        return (self.end - self.start).total_seconds()

    def covered_s(self, class_kind: str, sysplex: str | None) -> float:
        """Seconds of the chosen intervals of a sysplex."""
        return sum(i.seconds for i in self.intervals.get(class_kind, ()) if i.sysplex == sysplex)

    def sysplexes(self, class_kind: str) -> list[str | None]:
        return sorted({i.sysplex for i in self.intervals.get(class_kind, ())}, key=str)

    @property
    def main_kind(self) -> str:
        """The kind of class that totals are made of: service classes, where any is printed."""
        return "service_class" if self.intervals.get("service_class") else "report_class"

    @property
    def main(self) -> list[Interval]:
        return self.intervals.get(self.main_kind, [])


def printed_intervals(lake: Lake) -> list[Interval]:
    """Every interval with a readable start, end and length, by kind of class."""
    rows = ask(
        lake,
        """
        WITH printed AS (
            SELECT class_kind, sysplex, scope, report_kind, interval_start, interval_end, interval_s, policy_activated_at,
                max(policy) AS policy, max(release) AS release, max(report_version) AS report_version, count(*) AS classes
            FROM cpu_by_class
            WHERE class_kind IN ('policy', 'service_class', 'report_class')
                AND interval_start IS NOT NULL AND interval_end IS NOT NULL AND interval_s > 0
            GROUP BY ALL
        )
        SELECT printed.*, coalesce(whole.is_whole, FALSE) AS is_whole
        FROM printed
        LEFT JOIN workload_interval AS whole
            ON whole.class_kind = printed.class_kind AND whole.sysplex IS NOT DISTINCT FROM printed.sysplex
            AND whole.scope IS NOT DISTINCT FROM printed.scope AND whole.report_kind IS NOT DISTINCT FROM printed.report_kind
            AND whole.interval_start = printed.interval_start AND whole.interval_end = printed.interval_end
            AND whole.policy_activated_at IS NOT DISTINCT FROM printed.policy_activated_at
        ORDER BY printed.interval_start, printed.sysplex, printed.scope, printed.policy_activated_at
        """,
    )
    names = {"interval_start": "start", "interval_end": "end", "interval_s": "seconds"}
    return [Interval(**{names.get(k, k): v for k, v in row.items()}) for row in rows]


def choose(intervals: Iterable[Interval], name: str, start: dt.datetime, end: dt.datetime) -> Run:
    """The run of a window: intervals whose midpoint is in [start, end), interval reports before duration reports, and of
    overlapping ones the one with more systems, then with more classes."""
    run = Run(name, start, end)
    groups: dict[tuple[str, str | None], list[Interval]] = {}
    for interval in intervals:
        if start <= interval.midpoint < end:
            groups.setdefault((interval.class_kind, interval.sysplex), []).append(interval)
    for (class_kind, _), members in groups.items():
        if any(i.report_kind == "interval" for i in members):
            members = [i for i in members if i.report_kind == "interval"]
        members.sort(key=lambda i: (-len(i.systems), -i.classes, i.start))
        chosen: list[Interval] = []
        for interval in members:
            place = bisect_left(chosen, interval.start, key=lambda i: i.start)
            if any(_overlap(interval, other) for other in chosen[max(0, place - 1) : place + 1]):
                run.left_out.append(interval)
            else:
                chosen.insert(place, interval)
        run.intervals.setdefault(class_kind, []).extend(chosen)
    return run


def _overlap(a: Interval, b: Interval) -> bool:
    """Whether two intervals hold the same time. Ends are printed to the millisecond and starts to the second, so that
    neighbours touch: a second, or a hundredth of the shorter one, is no overlap."""
    shared = (min(a.end, b.end) - max(a.start, b.start)).total_seconds()
    return shared > max(1.0, 0.01 * min(a.seconds, b.seconds))


def choose_runs(lake: Lake, runs: dict[str, tuple[dt.datetime, dt.datetime]]) -> list[Run]:
    """All runs, the baseline first. Raises IronlakeError that lists the printed intervals where a window has none."""
    if not runs:
        raise IronlakeError("no window to compare", "at least one run", "--run before=2021-04-13T10:00/11:00")
    for name, (start, end) in runs.items():
        if start >= end:
            raise IronlakeError(f"the window of {name} ends before it starts", "START before END")
    intervals = printed_intervals(lake)
    if not any(i.class_kind != "policy" for i in intervals):
        raise IronlakeError(
            "the lake holds no workload activity by class",
            "at least one RMF Workload Activity report",
            "ironlake ingest PATH reads reports into the lake",
        )
    chosen = [choose(intervals, name, start, end) for name, (start, end) in runs.items()]
    for run in chosen:
        if not run.main:
            raise IronlakeError(
                f"the window of {run.name} ({run.start:%Y-%m-%d %H:%M:%S} to {run.end:%Y-%m-%d %H:%M:%S}) has no data",
                "a window that holds the midpoint of a printed interval",
                "printed intervals:\n" + "\n".join(describe_intervals(intervals)),
            )
    return chosen


def describe_intervals(intervals: list[Interval], most: int = 20) -> list[str]:
    """Lines that say which intervals there are: neighbours of equal length make one line."""
    spans: list[tuple[Interval, Interval, int]] = []
    seen = {(i.sysplex, i.report_kind, i.start, i.end): i for i in intervals if i.class_kind != "policy"}
    for interval in sorted(seen.values(), key=lambda i: (str(i.sysplex), str(i.report_kind), i.start)):
        if spans:
            first, last, count = spans[-1]
            same = (first.sysplex, first.report_kind) == (interval.sysplex, interval.report_kind)
            near = abs((interval.start - last.end).total_seconds()) <= max(1.0, 0.01 * last.seconds)
            if same and near and abs(interval.seconds - last.seconds) <= max(1.0, 0.01 * last.seconds):
                spans[-1] = (first, interval, count + 1)
                continue
        spans.append((interval, interval, 1))
    lines = [
        f"  {first.sysplex or 'no sysplex'}: {first.start:%Y-%m-%dT%H:%M:%S} to {last.end:%Y-%m-%dT%H:%M:%S}, "
        f"{count} {first.report_kind or 'unknown'} report{'s' if count > 1 else ''} of about {first.seconds:.0f} s"
        for first, last, count in spans[:most]
    ]
    return lines + ([f"  and {len(spans) - most} more spans"] if len(spans) > most else [])
