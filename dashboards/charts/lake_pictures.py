"""The picture of a section of a lake page as it is in the page without a script. Scripts draw the same rows anew by what a reader selects."""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

from ..lake_page.contract import Section
from ..numbers import column_writer
from .chart import Chart, Lane, Line, Row, Value
from .drawing import series_color
from .shapes import with_unit

_MOST_LINES, _MOST_ROWS, _MOST_PARTS, _MOST_POINTS = 6, 12, 5, 48


def picture_of(section: Section, start: dt.datetime | None, window: tuple[int, int]) -> Chart | None:
    """The chart of a section between two seconds after the start of the axis; None where nothing is known, or a form needs no picture."""
    form, about = section.chart.form, section.finding
    values = (
        section.chart.value if form in ("heat", "strip") else section.chart.x if form == "bars" else section.chart.y
    )
    columns = {column.name: column for column in section.rows.columns}
    measures = [columns[name] for name in _listed(values)]
    if not measures or (form != "bars" and (start is None or columns[_listed(section.chart.x)[0]].kind != "time")):
        return None
    unit = measures[0].unit
    title = measures[0].title if len(measures) == 1 else ""
    chart = Chart(
        f"{section.id}-drawn",
        section.title,
        about,
        "",
        unit,
        (),
        f"{title} ({unit})" if unit and title else title or unit,
    )
    if form == "bars":
        rows, left_out = _bars(section, {m.name: m.title for m in measures})
        found = replace(chart, rows=rows)
    else:
        assert start is not None
        chart = replace(chart, start=start + dt.timedelta(seconds=window[0]), span=float(window[1] - window[0]))
        if form == "lines":
            lines, left_out, hours = _lines(section, {m.name: m.title for m in measures}, window)
            found = replace(
                chart, lines=lines, across=f"A point is the highest of {hours:g} hours." if hours > 1 else ""
            )
        else:
            rows, left_out = _cells(section, window)
            found = replace(chart, rows=rows)
    if not found.rows and not found.lines:
        return None
    return (
        replace(found, about=f"{about} {left_out:,} more are drawn by the scripts of this page.") if left_out else found
    )


def _listed(names: str | tuple[str, ...]) -> list[str]:
    return [names] if isinstance(names, str) and names else list(names)


def _folded(section: Section, keys: Sequence[str], name: str) -> dict[tuple[Any, ...], float | None]:
    """The values of a column by keys: the highest or the sum of the rows of a key. A sum with a part that is not known is not known."""
    found: dict[tuple[Any, ...], float | None] = {}
    is_sum = section.chart.fold == "sum"
    for key, value in zip(zip(*map(section.rows.of, keys), strict=True), section.rows.of(name), strict=True):
        if key not in found:
            found[key] = value
        elif is_sum:
            known = found[key]
            found[key] = None if known is None or value is None else known + value
        elif value is not None and (found[key] is None or found[key] < value):
            found[key] = value
    return found


def _lines(section: Section, titles: dict[str, str], window: tuple[int, int]) -> tuple[list[Line], int, float]:
    """The highest lines over time, each point the highest of its stretch, how many there are more, and
    the hours of a stretch."""
    chart = section.chart
    names = [name for name in dict.fromkeys((chart.split, chart.series)) if name]
    first, last = window
    stretch = _stretch(section, window)
    found: dict[tuple[Any, ...], dict[int, float]] = {}
    for name, title in titles.items():
        for (at, *key), value in _folded(section, [*_listed(chart.x), *names], name).items():
            if value is None or at is None or not first <= at < last:
                continue
            mine = found.setdefault((*key, title if len(titles) > 1 else None), {})
            slot = int((at - first) // stretch)
            if mine.get(slot, -math.inf) < value:
                mine[slot] = value
    points = {" · ".join(str(part) for part in key if part): mine for key, mine in found.items()}
    ranked = sorted(points, key=lambda label: -max(points[label].values()))

    usual = math.ceil(_step(section) / stretch)

    def values(mine: dict[int, float]) -> Iterator[Value]:
        for slot in sorted(mine):
            follows = any(slot + n in mine for n in range(1, usual + 1))
            yield Value(mine[slot], at=(slot + 0.5) * stretch, breaks=not follows)

    shown = ranked[:_MOST_LINES]
    lines = [
        Line(
            label or section.title,
            series_color(turn),
            list(values(points[label])),
            turn,
            1 if len(points[label]) == 1 else None,
        )
        for turn, label in enumerate(shown)
    ]
    return lines, len(ranked) - len(shown), stretch / 3600 if stretch > _step(section) else 1.0


def _step(section: Section) -> float:
    """The usual time from one row to the next."""
    times = sorted({at for at in section.rows.of(_listed(section.chart.x)[0]) if at is not None})
    steps = [after - before for before, after in pairwise(times)]
    return max(set(steps), key=lambda step: (steps.count(step), -step), default=3600)


def _stretch(section: Section, window: tuple[int, int]) -> float:
    """The time of a point: the step of the rows, or so many whole hours or days that there are few."""
    least = max((window[1] - window[0]) / _MOST_POINTS, _step(section))
    return next((hours * 3600.0 for hours in (1, 2, 3, 6, 12, 24, 48, 168) if hours * 3600 >= least), least)


def _bars(section: Section, titles: dict[str, str]) -> tuple[list[Row], int]:
    """Stacked bars, the largest first, below the value that they are split by; and how many there are more."""
    chart = section.chart
    series = chart.series if len(titles) == 1 else ""
    parts: dict[tuple[str, str], dict[str, float]] = {}
    unknown: set[tuple[str, str]] = set()
    keys = [chart.split or _listed(chart.y)[0], *_listed(chart.y), *filter(None, [series])]
    for column, title in titles.items():
        for (split, name, *of), value in _folded(section, keys, column).items():
            bar = (str(split) if chart.split else "", str(name))
            mine = parts.setdefault(bar, defaultdict(float))
            if value is None:
                unknown.add(bar)
            else:
                mine[str(of[0]) if of else title] += value
    sums: dict[str, float] = defaultdict(float)
    for mine in parts.values():
        for part, value in mine.items():
            sums[part] += value
    series_of = sorted(sums, key=lambda part: -sums[part])
    if len(series_of) > _MOST_PARTS:
        series_of = [*series_of[:_MOST_PARTS], "others"]
        for mine in parts.values():
            mine["others"] = sum(value for part, value in mine.items() if part not in series_of)
    size = {bar: sum(mine[name] for name in series_of) for bar, mine in parts.items() if any(mine.values())}
    largest = sorted(size, key=lambda bar: -size[bar])
    order = [split for split, _ in largest]
    shown = sorted(largest[:_MOST_ROWS], key=lambda bar: order.index(bar[0]))
    write = column_writer(size.values())
    rows: list[Row] = []
    for split, bars in groupby(shown, key=lambda bar: bar[0]):
        rows += [Row(split)] if split else []
        for bar in bars:
            values = [
                Value(parts[bar][name], series=name, color=series_color(turn), turn=turn)
                for turn, name in enumerate(series_of)
                if parts[bar][name]
            ]
            rows.append(Row(bar[1], [Lane(values, "a part is unknown" if bar in unknown else write(size[bar]))]))
    return rows, len(largest) - len(shown)


def _cells(section: Section, window: tuple[int, int]) -> tuple[list[Row], int]:
    """A row per name over time, a cell per stretch as high as its worst value is bad; the rows with the most bad ones first, and how many more."""
    chart = section.chart
    first, last = window
    stretch = _stretch(section, window)
    worst: dict[str, dict[int, float]] = {}
    for (at, name), value in _folded(section, [*_listed(chart.x), *_listed(chart.y)], chart.value).items():
        if at is not None and value is not None and first <= at < last:
            mine = worst.setdefault(str(name), {})
            slot = int((at - first) // stretch)
            if mine.get(slot, -math.inf) < value:
                mine[slot] = value

    def level(value: float) -> int:
        beyond = sum(value >= limit for limit, _ in chart.steps)
        return 2 if beyond and len(chart.steps) == 1 else min(beyond, 2)

    def beyond(name: str) -> int:
        return sum(level(value) for value in worst[name].values())

    ranked = sorted(worst, key=lambda name: -beyond(name))
    unit = next(column.unit for column in section.rows.columns if column.name == chart.value)
    limits = [with_unit(limit, unit) for limit, _ in chart.steps]
    words = [f"below {limit}" for limit in limits[:1]]
    words += [f"{word}: {limit} or more" for limit, (_, word) in zip(limits, chart.steps, strict=True)]
    rows = []
    for name in ranked[:_MOST_ROWS]:
        # Stretches that are equally bad and follow each other are one cell.
        cells: list[Value] = []
        for slot, value in sorted(worst[name].items()):
            bad = level(value)
            at = slot * stretch
            if cells and cells[-1].turn == bad and at <= cells[-1].at + cells[-1].minutes + 1:
                cells[-1] = replace(cells[-1], minutes=at + stretch - cells[-1].at)
            else:
                kind = words[min(bad, len(words) - 1)] if chart.steps else ""
                cells.append(Value(value, series=kind, kind="cell", turn=bad, at=at, minutes=stretch))
        rows.append(Row(name, [Lane(cells)]))
    return rows, len(ranked) - len(rows)
