"""Did the cost of a transaction change? General processor time per transaction by day and class, with the days of its
steps, and its drift."""

import datetime as dt
import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import chain, groupby
from statistics import median
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..asked import CLASS_HOURS, Asked, rows_of, table_of
from ..change_points import LEAST_DAYS, LEAST_OF_SERIES, ChangePoint, Course, Day, Drift, compared, course, has_weekends
from ..contract import Chart, Happened, Section, Select, Series
from ..found import Found, Rank, Ranked, format_change, format_day, listed
from ..labels import told_apart
from ..question import OF_CLASS, columns, filters
from ..settings import Settings

_COLUMNS = columns(
    "",
    'day time, label "Class" text, cp_ms "General processor time per transaction, median of the hours" .3, '
    'segment_ms "Median between steps, or line of a drift" .3, step_pct "Step on this day" .1, '
    f'drift_pct "Drift per day" .2, transactions, class_name "Name" text, {OF_CLASS}',
)
# Fewer transactions in an hour say little of the cost of one.
_DAYS = f"""
WITH {CLASS_HOURS}
SELECT class_kind AS kind, sysplex, scope, class_name AS name, CAST(hour_start AS DATE) AS day, max(workload) AS workload,
    median(1000 * cp_time_s / transactions_ended) AS cost_ms, CAST(sum(transactions_ended) AS BIGINT) AS transactions,
    sum_all(gp_msu * covered_s / 3600) AS msu_hours, arg_min(refs, hour_start) AS ref,
    {{'release': arg_max(release, hour_start), 'policy_activated_at': arg_max(policy_activated_at, hour_start),
      'su_per_s': arg_max(su_per_s, hour_start)}} AS setting
FROM class_hours
WHERE class_kind IN ('service_class', 'report_class') AND cp_time_s > 0 AND transactions_ended >= 100
GROUP BY ALL ORDER BY class_kind DESC, sysplex, scope, name, day
"""
# Report classes regroup the work of service classes: equal steps of both are one card.
_ALIKE = 0.02


@dataclass(frozen=True)
class _ClassDay:
    """A class on one day: its cost in milliseconds, transactions, and MSU hours; NULL where the lake knows none."""

    day: dt.date
    cost_ms: float
    transactions: int
    msu_hours: float | None
    setting: Mapping[str, Any]
    ref: Any


@dataclass(frozen=True)
class _Class:
    sysplex: str | None
    scope: str | None
    kind: str
    name: str
    workload: str | None
    days: list[_ClassDay]
    course: Course
    # How many days were looked at for changes, and whether days of the weekend are among them.
    compared: int
    has_weekends: bool
    label: str = ""

    @property
    def changes(self) -> list[ChangePoint | Drift]:
        return [*self.course.steps, *([self.course.drift] if self.course.drift else [])]


def cost(asked: Asked) -> Found:
    classes = list(_classes(asked))
    if not classes:
        return Found()
    classes = [replace(one, label=label) for one, label in zip(classes, _labels(classes), strict=True)]
    section = Section(
        "cost",
        "Did the cost of a transaction step or drift?",
        _finding(classes),
        Chart("lines", "day", "cp_ms", split="label", level="segment_ms", change="step_pct", drift="drift_pct"),
        rows_of(asked, _table(classes), _COLUMNS),
        filters(_COLUMNS),
        "A step or a drift: more than 3% and more than twice the usual change from day to day, and more than days that resemble the day before make;"
        f" a step has at least four days on each side. Not with a volume that changes by more than 20%, or that explains it if half of the cost is fixed. {_weekend_note(classes)}",
        "class_hour",
    )
    return Found((section,), tuple(_happened(asked, classes)))


def _finding(classes: list[_Class]) -> str:
    tested = [one for one in classes if one.compared >= LEAST_OF_SERIES]
    if not tested:
        most = max(one.compared for one in classes)
        return (
            f"Steps could not be looked for: {LEAST_DAYS} days on each side are needed, and no class has more than"
            f" {counted(most, 'day')} to compare."
        )
    of_volume = [one for one in tested if one.course.is_of_volume]
    usual = [one for one in tested if not one.changes and one not in of_volume]
    parts = []
    if changed := [one for one in tested if one.changes]:
        first = max(changed, key=lambda one: max(map(_size, one.changes)))
        said = _said(first, max(first.changes, key=_size))
        parts.append(f"{counted(len(changed), 'class', 'classes')} changed; most: {first.label}, {said}.")
    elif usual:
        its = "its" if len(usual) == 1 else "their"
        parts.append(f"No step: {counted(len(usual), 'class', 'classes')} within {its} usual range.")
    if of_volume:
        its = "its" if len(of_volume) == 1 else "their"
        parts.append(f"{counted(len(of_volume), 'class', 'classes')} changed with {its} volume, which may be why.")
    if untested := len(classes) - len(tested):
        parts.append(f"{counted(untested, 'class', 'classes')} with too few days to look for steps.")
    return " ".join(parts)


def _size(change: ChangePoint | Drift) -> float:
    return abs(math.log(change.ratio))


def _said(one: _Class, change: ChangePoint | Drift) -> str:
    """A change in words, with its days."""
    if isinstance(change, ChangePoint):
        return f"{format_change(change.ratio)} {_span(one, change)}"
    verb = "rises" if change.ratio > 1 else "falls"
    per_day = f"{100 * abs(change.ratio_per_day - 1):.2g}"
    return f"{verb} by {per_day}% a day from {format_day(one.days[0].day)} to {format_day(one.days[-1].day)}"


def _weekend_note(classes: list[_Class]) -> str:
    """How days of the weekend are treated, in words; not all classes have them."""
    if all(one.has_weekends for one in classes):
        return "Days of the weekend are compared with each other."
    left_out = "Days of the weekend are left out where a class has fewer than three weekends"
    return (
        f"{left_out}, and else compared with each other."
        if any(one.has_weekends for one in classes)
        else f"{left_out}."
    )


def _classes(asked: Asked) -> Iterator[_Class]:
    for (kind, sysplex, scope, name), found in groupby(
        asked.ask(_DAYS).to_pylist(), key=operator.itemgetter("kind", "sysplex", "scope", "name")
    ):
        rows = list(found)
        days = [_ClassDay(**{field.name: row[field.name] for field in fields(_ClassDay)}) for row in rows]
        series = [Day(one.day, one.cost_ms, one.transactions) for one in days]
        told = course(series), len(compared(series)), has_weekends(series)
        yield _Class(sysplex, scope, kind, name, rows[0]["workload"], days, *told)


def _table(classes: list[_Class]) -> pa.Table:
    rows = []
    for one in classes:
        steps = {step.day: step for step in one.course.steps}
        drift, middle = one.course.drift, median(day.cost_ms for day in one.days)
        for day in one.days:
            step = steps.get(day.day)
            rows.append({
                "day": dt.datetime.combine(day.day, dt.time.min),
                "label": one.label,
                "class_name": one.name,
                "cp_ms": day.cost_ms,
                "segment_ms": one.course.level(day.day) or middle,
                "step_pct": 100 * (step.ratio - 1) if step else None,
                "drift_pct": 100 * (drift.ratio_per_day - 1) if drift else None,
                "transactions": day.transactions,
                "workload": one.workload,
                "sysplex": one.sysplex,
                "scope": one.scope,
            })  # fmt: skip
    return table_of(rows, _COLUMNS, transactions=pa.int64())


def _labels(classes: list[_Class]) -> list[str]:
    """The labels of classes: classes of one kind and name are followed by their sysplex, those of one sysplex by their
    systems."""
    whose = told_apart([f"{one.kind} {one.name}" for one in classes], [one.sysplex for one in classes])
    whose = told_apart(whose, [one.scope for one in classes])
    kinds = {"service_class": "", "report_class": " (report class)"}
    return [f"{label.removeprefix(f'{one.kind} ')}{kinds[one.kind]}" for one, label in zip(classes, whose, strict=True)]


def _happened(asked: Asked, classes: list[_Class]) -> Iterator[Ranked]:
    told: list[tuple[Any, ...]] = []
    settings = Settings(asked)
    for one in classes:
        for change in one.changes:
            place = one.sysplex, one.scope, change.day if isinstance(change, ChangePoint) else None
            if any(place == other[:3] and abs(change.ratio / other[3] - 1) < _ALIKE for other in told):
                continue
            told.append((*place, change.ratio))
            yield _step(asked, one, change, settings) if isinstance(change, ChangePoint) else _drift(asked, one, change)


def _step(asked: Asked, one: _Class, step: ChangePoint, settings: Settings) -> Ranked:
    said = f"{_said(one, step)} ({step.before:,.3f} → {step.after:,.3f} ms)"
    after = [(day, step.ratio) for day in _days_after(one, step)]
    beside = _changed(one, step.day, settings)
    day = dt.timedelta(days=1)
    before = max([other.day for other in one.course.steps if other.day < step.day], default=asked.first_day)
    until = _days_after(one, step)[-1].day + day
    # At most a week before, and a week after.
    runs = {"before": (max(before, step.day - 7 * day), step.day), "after": (step.day, min(until, step.day + 7 * day))}
    is_new = step.day >= asked.last_day
    told = _ranked(asked, one, said, after, _start(asked, one, step), runs, beside, is_new=is_new)
    # A step that was undone costs nothing any more.
    later = [other.ratio for other in one.course.steps if other.day > step.day][:1]
    return replace(told, is_little=any((ratio < 1) != (step.ratio < 1) for ratio in later))


def _compare(asked: Asked, one: _Class, runs: Mapping[str, tuple[dt.date, dt.date]]) -> str:
    """The command that compares the days before a change with those after it."""
    windows = [("--run", f"{name}={start}T00:00/{end}T00:00") for name, (start, end) in runs.items()]
    place = ("--sysplex", one.sysplex) if one.sysplex else ()
    return asked.command("compare", *chain(*windows), *place, "--class", one.name, "--out", "compare.html")


def _drift(asked: Asked, one: _Class, drift: Drift) -> Ranked:
    """The cost of each of the last seven days, against the first day."""
    days = [day.day for day in one.days]
    ends = [one.course.level(day) or 0.0 for day in (days[0], days[-1])]
    # Where the cost also steps, the two ends of its line show more than the drift.
    levels = "" if one.course.steps else f"{ends[0]:,.3f} → {ends[1]:,.3f} ms, "
    said = f"{_said(one, drift)} ({levels}{format_change(drift.ratio)})"
    after = [
        (day, drift.ratio_per_day ** (day.day - days[0]).days) for day in one.days if (days[-1] - day.day).days < 7
    ]
    week = dt.timedelta(days=min(7, (days[-1] - days[0]).days // 2))
    end = days[-1] + dt.timedelta(days=1)
    runs = {"before": (days[0], days[0] + week), "after": (end - week, end)}
    return _ranked(asked, one, said, after, asked.second(dt.datetime.combine(days[0], dt.time.min)), runs)


def _ranked(
    asked: Asked,
    one: _Class,
    said: str,
    after: list[tuple[_ClassDay, float]],
    start: int,
    runs: Mapping[str, tuple[dt.date, dt.date]],
    beside: str = "",
    *,
    is_new: bool = False,
) -> Ranked:
    """`after`: days, and the cost of a transaction on each as a multiple of the cost before; `start`: the second from
    which the page shows the change."""
    msu = [day.msu_hours * (1 - 1 / ratio) for day, ratio in after if day.msu_hours is not None]
    effect = f"{median(msu):+,.0f} MSU hours a day".replace("-", "−") if msu else "MSU not known"
    happened = Happened(
        f"{one.name}{f' on {one.sysplex}' if one.sysplex else ''}: general processor time per transaction {said}, {effect}{beside}.",
        "general processor time per transaction",
        Select(
            sysplex=one.sysplex,
            workload=one.workload,
            class_name=one.name,
            from_s=start,
            to_s=asked.second(asked.axis_end),
        ),
        "cost",
        asked.place(after[0][0].ref),
        new=is_new,
        action=_compare(asked, one, runs),
        series=Series(one.label),
    )
    spent = [abs(math.log(ratio)) * day.transactions * day.cost_ms for day, ratio in after]
    rank = Rank.MONEY if after[0][1] > 1 else Rank.BETTER
    return Ranked(rank, abs(median(msu)) if msu else median(spent) / 3.6e6, happened, is_known=bool(msu))


def _days_after(one: _Class, step: ChangePoint) -> list[_ClassDay]:
    """The days from a step until the next step."""
    until = min((other.day for other in one.course.steps if other.day > step.day), default=None)
    return [day for day in one.days if step.day <= day.day and (until is None or day.day < until)]


def _span(one: _Class, step: ChangePoint) -> str:
    last = _days_after(one, step)[-1].day
    is_last = last == one.days[-1].day
    return f"since {format_day(step.day)}" if is_last else f"from {format_day(step.day)} to {format_day(last)}"


def _start(asked: Asked, one: _Class, step: ChangePoint) -> int:
    """Some days before the step, so that both sides are seen."""
    first = max(asked.first_day, step.day - dt.timedelta(days=7))
    return asked.second(dt.datetime.combine(first, dt.time.min))


def _changed(one: _Class, day: dt.date, settings: Settings) -> str:
    """Other changes on the pages between the day before and the day of the step, in words."""
    before = [there for there in one.days if there.day < day][-1:]
    at = [there for there in one.days if there.day >= day][:1]
    if not (before and at):
        return ""
    words = {
        "release": "release {0} → {1}",
        "policy_activated_at": "another service policy, activated {1:%d %b %H:%M}",
        "su_per_s": "SU/s {0:,.0f} → {1:,.0f}",
    }
    found = [
        text.format(old, new)
        for name, text in words.items()
        if (old := before[0].setting[name]) != (new := at[0].setting[name]) and old is not None and new is not None
    ]
    found += settings.changed((one.scope or "").split(","), before[0].day, at[0].day)
    return f"; changed with it: {listed(found, most=6)}" if found else ""
