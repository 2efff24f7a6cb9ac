"""The picture of a section of a lake page: a panel per name, those that move most drawn, the rest in a sentence; and the spark of a finding."""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...pipeline.words import counted
from ..lake_page.contract import Column, Happened, Section
from ..lake_page.found import format_change, format_day, format_hour, listed
from ..lake_page.values import write_number
from .chart import Chart, Lane, Line, Row, Value
from .drawing import PART_COLORS, RUN_COLORS, series_color
from .shapes import with_unit
from .svg import WIDE

_HOUR, _DAY = 3600, 86_400
_MOST_PANELS, _MOST_LINES, _MOST_BARS, _MOST_CELLS = 12, 6, 12, 48
# Points of a line: of more, the lowest and the highest of each stretch are drawn.
_MOST_POINTS = 200
_LIKE_SCALES = 5
# A line whose values all lie so near to each other is told, not drawn.
_STEADY = 0.02
# Of more courses only those that change are drawn.
_FEW_LEVELS = 6
# Of a kind of day, to say what is usual at an hour.
_FEWEST_DAYS = 6
_INK, _LIMIT = "currentColor", "#c0392f"

# Values over seconds; None where one is not known.
Points = dict[int, float | None]


@dataclass(frozen=True)
class Panel:
    """`rows`: those of the section that it is drawn of; `words`: what stands beside its name."""

    chart: Chart
    words: str
    rows: Sequence[int]


@dataclass(frozen=True)
class Picture:
    """Panels, or a sentence in their place. `words` are below them, `data` is saved."""

    title: str
    panels: Sequence[Panel] = ()
    sentence: str = ""
    words: str = ""
    data: Chart | None = None


def picture_of(
    section: Section, start: dt.datetime | None, window: tuple[int, int], named: Container[str] = ()
) -> Picture | None:
    """The picture of a section between two seconds after the start of the axis; None where its form has none. `named`: panels that are drawn in
    any case."""
    draw = {"lines": _lines, "bars": _bars, "heat": _cells, "strip": _cells}.get(section.chart.form)
    if not draw or not len(section.rows):
        return None
    of = _Of(section, start or dt.datetime(1970, 1, 1), window)
    return draw(of, named) if section.chart.form == "bars" or of.columns[of.x].kind == "time" else None


def spark_of(section: Section, told: Happened, start: dt.datetime, window: tuple[int, int]) -> Chart | None:
    """The line of a finding, with its limit and an upright line at its hour; None where it has fewer than two points."""
    series = told.series
    if series is None:
        return None
    of = _Of(section, start, window)
    panel = section.chart.split or of.y[0]
    rows = range(len(section.rows))
    for name, value in ((panel, series.panel), (section.chart.series, series.name)):
        texts = section.rows.of(name) if name and value else []
        rows = [i for i in rows if texts[i] == value] if texts else rows
    column = series.column or section.chart.value or of.y[0]
    if (
        section.chart.form == "bars"
        or column not in of.columns
        or sum(v is not None for v in of.points(rows, column).values()) < 2
    ):
        return None
    values = thinned(of.values(of.points(rows, column)), window)
    limits = of.limit(rows) if series.limit is None else []
    highest = max(v.value for v in [*values, *(v for line in limits for v in line.values)])
    limit = [(series.limit, "")] if series.limit is not None else []
    near = [at for at, _ in limit if at < 3 * highest]
    dashes = f"; dashes: {limits[0].name.lower() if limits else f'limit {series.limit:g}'}" if near or limits else ""
    about = f"{of.columns[column].title}, {of.day(window[0])} to {of.day(window[1] - 1)}{dashes}"
    lines = [Line("", of.color(of.columns[column]), values, symbol=1 if len(values) < 3 else None), *limits]
    # A cost is compared by its ratio.
    foot = 0.8 * min(v.value for v in values) if section.chart.level else 0.0
    at = (
        []
        if told.select.from_s is None or told.select.to_s is None
        else [(told.select.from_s + told.select.to_s) / 2 - window[0]]
    )
    chart = of.chart(series.panel, about)
    events = [] if section.chart.level else at
    return replace(chart, lines=lines, limits=limit, scale=(foot, round_up(max(highest, *near, 0))), events=events)


@dataclass(frozen=True)
class _Of:
    """A section, and where its rows lie on the axis of time."""

    section: Section
    start: dt.datetime
    window: tuple[int, int]

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.section.rows.columns}

    @property
    def x(self) -> str:
        return self.section.chart.x if isinstance(self.section.chart.x, str) else self.section.chart.x[0]

    @property
    def y(self) -> list[str]:
        return _listed(self.section.chart.y)

    @cached_property
    def step(self) -> int:
        """The usual time from one row to the next, an hour at most if they are not of days."""
        times = sorted({at for at in self.section.rows.of(self.x) if at is not None})
        steps = [after - before for before, after in pairwise(times)]
        usual = max(set(steps), key=lambda step: (steps.count(step), -step), default=_DAY if self.is_daily else _HOUR)
        return usual if self.is_daily else min(usual, _HOUR)

    @cached_property
    def is_daily(self) -> bool:
        midnight = self.start.hour * _HOUR + self.start.minute * 60
        return all((at + midnight) % _DAY == 0 for at in self.section.rows.of(self.x) if at is not None)

    def groups(self, name: str, rows: Iterable[int]) -> dict[str, list[int]]:
        """The rows by the value of a column, in the order of their first row; all of no column."""
        if not name:
            return {"": list(rows)}
        texts = self.section.rows.of(name)
        found: dict[str, list[int]] = defaultdict(list)
        for i in rows:
            found["–" if texts[i] is None else str(texts[i])].append(i)
        return dict(found)

    def points(self, rows: Iterable[int], name: str) -> Points:
        """The values of a column over time, in its order: the highest of the rows of a time."""
        if not name:
            return {}
        first, last = self.window
        times, values = self.section.rows.of(self.x), self.section.rows.of(name)
        found: Points = {}
        for i in rows:
            at, value = times[i], values[i]
            if at is None or not first <= at < last:
                continue
            old = found.get(at)
            found[at] = old if value is None or (old is not None and old > value) else value
        return dict(sorted(found.items()))

    def values(self, points: Points, measure: str = "") -> list[Value]:
        """Points that are drawn: a line ends where a value is not known, or a time is not there."""
        known = [(at, value) for at, value in points.items() if value is not None]
        return [
            Value(value, measure=measure, at=at - self.window[0], breaks=after is None or after[0] - at > 1.5 * self.step)
            for (at, value), after in zip(known, [*known, None][1:], strict=True)
        ]  # fmt: skip

    def limit(self, rows: Iterable[int]) -> list[Line]:
        """The column that is not to be crossed, or that values are compared with, as a line that holds until the next one."""
        name = self.section.chart.limit or self.section.chart.reference
        points = {at: v for at, v in self.points(rows, name).items() if v is not None} if name else {}
        if not points:
            return []
        ends = [*list(points)[1:], min(self.window[1], max(points) + self.step)]
        values: list[Value] = []
        for (at, value), end in zip(points.items(), ends, strict=True):
            if values and values[-1].value == value:
                values[-1] = replace(values[-1], minutes=end - self.window[0] - values[-1].at)
            else:
                values.append(Value(value, measure=self.columns[name].title, at=at - self.window[0], minutes=end - at))
        return [Line(self.columns[name].title, _LIMIT if self.section.chart.limit else "#808080", values, dash=1)]

    def chart(self, title: str, about: str = "") -> Chart:
        first, last = self.window
        begin = self.start + dt.timedelta(seconds=first)
        return Chart(
            f"{self.section.id}-picture",
            title or self.section.title,
            about,
            "",
            "",
            (),
            "",
            start=begin,
            span=float(last - first),
        )

    def moment(self, at: float) -> str:
        return self.day(at) if self.is_daily else format_hour(self.start + dt.timedelta(seconds=at))

    def day(self, at: float) -> str:
        return format_day((self.start + dt.timedelta(seconds=at)).date())

    def write(self, value: float, name: str) -> str:
        column = self.columns[name]
        return with_unit(value, column.unit, lambda v: write_number(v, column.decimals or 0))

    def color(self, column: Column, turn: int = 0) -> str:
        """The colour of a measure: that of its kind of processor, if it has one."""
        words = f"{column.name} {column.title}".lower()
        if "ziip_on_cp" in words or "eligible" in words:
            return PART_COLORS["ziip_on_cp_pct"]
        if "ziip" in words:
            return PART_COLORS["ziip_pct"]
        return PART_COLORS["non_ziip_eligible_pct"] if column.name.startswith("cp_") else series_color(turn)


def _listed(names: str | tuple[str, ...]) -> list[str]:
    return [names] if isinstance(names, str) and names else list(names)


def thinned(values: list[Value], window: tuple[int, int]) -> list[Value]:
    """Of the values of a stretch the lowest and the highest: no peak is lost, and no break."""
    if len(values) <= _MOST_POINTS:
        return values
    stretches: dict[int, list[int]] = defaultdict(list)
    for n, value in enumerate(values):
        stretches[int(value.at / (window[1] - window[0]) * _MOST_POINTS / 2)].append(n)
    ends = (find(of, key=lambda n: values[n].value) for of in stretches.values() for find in (min, max))
    kept = sorted(set(ends))
    return [
        replace(values[n], breaks=any(v.breaks for v in values[n:after]))
        for n, after in zip(kept, [*kept[1:], len(values)], strict=True)
    ]


def round_up(value: float) -> float:
    """A round number at or above a value, for the top of a scale.

    >>> round_up(849), round_up(0.21), round_up(0)
    (1000.0, 0.25, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(n * power for n in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if n * power >= value * (1 - 1e-9))


# --- Lines -----------------------------------------------------------------------------------------------------------


@dataclass
class _Course:
    """What is drawn in a panel of lines."""

    name: str
    rows: list[int]
    # By name of the line and of its column.
    points: dict[tuple[str, str], Points]

    @cached_property
    def known(self) -> list[float]:
        return [value for points in self.points.values() for value in points.values() if value is not None]

    def most(self, *, is_lowest: bool) -> tuple[float, int, str]:
        """The value to look at, its time and its column."""
        every = ((v, at, key[1]) for key, of in self.points.items() for at, v in of.items() if v is not None)
        return (min if is_lowest else max)(every, key=lambda one: one[0])

    def is_steady(self, longest: int, step: int) -> bool:
        """Whether none of its lines moves, breaks or begins late."""
        return all(
            2 < len(of) >= 0.9 * longest and None not in of.values()
            and max(b - a for a, b in pairwise(of)) <= 1.5 * step
            and max(of.values()) - min(of.values()) <= _STEADY * abs(max(of.values()))  # type: ignore[type-var, operator]
            for of in self.points.values()
        )  # fmt: skip


def _lines(of: _Of, named: Container[str]) -> Picture:
    chart = of.section.chart
    split, series = chart.split, chart.series
    every = range(len(of.section.rows))
    if series and not split and len(of.groups(series, every)) > _MOST_LINES:
        split, series = series, ""
    names = len(of.groups(series, every)) > 1
    courses = []
    for name, rows in of.groups(split, every).items():
        points = {
            (" · ".join(filter(None, (of.columns[y].title if len(of.y) > 1 else "", key if names else ""))), y): of.points(some, y)
            for key, some in of.groups(series, rows).items() for y in of.y
        }  # fmt: skip
        courses.append(_Course(name, rows, points))
    told = [course for course in courses if course.known]
    title = f"In {of.columns[of.y[0]].unit}" if len(of.y) > 1 else _title(of.columns[of.y[0]])
    picture = Picture(title)
    if not told:
        return replace(picture, sentence="No value is known.")
    if not any(value for course in told for value in course.known):
        is_known = all(None not in of.values() for course in courses for of in course.points.values())
        return replace(picture, sentence=f"All {'' if is_known else 'known '}values are 0.")
    longest = max(len(of) for course in told for of in course.points.values())
    if longest == 1:
        return replace(picture, sentence=f"One time only: {_steady_words(of, told)}.")
    steady = [c for c in told if not of.limit(c.rows) and not chart.level and c.is_steady(longest, of.step)]
    level = [c for c in told if chart.level and len(told) > _FEW_LEVELS and not _changes(of, c)]
    words = [f"Steady within {_STEADY:.0%}: {_steady_words(of, steady)}."] if steady else []
    words += [f"No change in {len(level):,} more."] if level else []
    moving = [course for course in told if course not in steady and course not in level]
    if not moving:
        return replace(picture, sentence=" ".join(words))
    return _panels(of, picture, moving, words, named, len(courses) - len(told))


def _title(column: Column) -> str:
    return f"{column.title} ({column.unit})" if column.unit else column.title


def _steady_words(of: _Of, courses: list[_Course]) -> str:
    """The values of courses that do not move, and whose they are. What is not known is left out: it is not 0."""
    by: dict[str, list[str]] = defaultdict(list)
    for course in courses:
        known = {key: [v for v in points.values() if v is not None] for key, points in course.points.items()}
        each = [(title, of.write(max(values), y)) for (title, y), values in known.items() if values]
        by[", ".join(" ".join(filter(None, one)) for one in each)].append(course.name)
    return "; ".join(": ".join(filter(None, (said, listed(names, 6)))) for said, names in by.items())


def _changes(of: _Of, course: _Course) -> str:
    """What a course of a level does, in words: how it drifts, and its steps."""
    level = [v for v in of.points(course.rows, of.section.chart.level).values() if v is not None]
    drift = next((v for v in of.points(course.rows, of.section.chart.drift).values() if v is not None), None)
    said = []
    if drift is not None and level:
        rate = f"{'−' if drift < 0 else '+'}{abs(drift):.2g}% a day"
        said.append(f"{rate}: {of.write(level[0], of.y[0])} → {of.write(level[-1], of.y[0])}")
    return "; ".join([
        *said, *(f"{format_change(1 + step / 100)} on {of.moment(at)}" for at, step in _steps(of, course).items()),
    ])  # fmt: skip


def _steps(of: _Of, course: _Course) -> dict[int, float]:
    return {at: v for at, v in of.points(course.rows, of.section.chart.change).items() if v is not None}


def _panels(
    of: _Of, picture: Picture, moving: list[_Course], words: list[str], named: Container[str], unknown: int
) -> Picture:
    chart = of.section.chart
    sign = -1 if chart.is_lowest else 1
    shown = moving
    if len(moving) > _MOST_PANELS:
        by_range = sorted(moving, key=lambda c: (c.name not in named, min(c.known) - max(c.known)))
        shown = by_range[:_MOST_PANELS]
        rest = by_range[_MOST_PANELS:]
        names = listed([c.name for c in sorted(rest, key=lambda c: -sign * c.most(is_lowest=chart.is_lowest)[0])], 6)
        words.append(f"Drawn are the {len(shown)} that move most of {len(moving):,}; not: {names}.")
    shown = sorted(shown, key=lambda c: -sign * c.most(is_lowest=chart.is_lowest)[0])
    limits = [of.limit(c.rows) for c in shown]
    tops = [_top(c, limit) for c, limit in zip(shown, limits, strict=True)]
    is_shared = max(tops) <= _LIKE_SCALES * min(tops)
    # Costs are compared by their ratio: each panel spans the same percent around its middle.
    reach = 1.25 * max(0.08, *(_spread(c)[1] for c in shown)) if chart.level else 0.0
    panels, drawn = [], []
    for course, limit, top in zip(shown, limits, tops, strict=True):
        middle = _spread(course)[0]
        scale = (middle * (1 - reach), middle * (1 + reach)) if reach else (0.0, max(tops) if is_shared else top)
        lines = _drawn(of, course, len(shown))
        value, at, column = course.most(is_lowest=chart.is_lowest)
        said = _changes(of, course) or f"{of.write(value, column)} · {of.moment(at)}"
        near = [line for line in limit if min(v.value for v in line.values) < 3 * top]
        said += (
            ""
            if near or not limit
            else f" · {limit[0].name.lower()} {of.write(limit[0].values[-1].value, column)}, far above"
        )
        peak = [] if chart.level else [Line("", _INK, [Value(value, at=at - of.window[0])], symbol=1, joined=False)]
        one = of.chart(course.name, f"{picture.title}: {said}")
        few = [replace(line, values=thinned(list(line.values), of.window)) for line in lines]
        one = replace(one, lines=[*few, *near, *peak], scale=scale, events=_events(of, course))
        panels.append(Panel(replace(one, hover=[*_hover(of, course, 16 if len(shown) > 4 else 32)]), said, course.rows))
        drawn += [
            replace(line, name=" · ".join(filter(None, (course.name, line.name))))
            for line in (*lines, *near)
            if line.joined or not chart.level
        ]
        drawn += [replace(line, name=course.name) for line in lines if chart.level and not line.joined]
    return replace(
        picture,
        panels=panels,
        words=" ".join(
            _caption(
                of,
                panels,
                reach,
                [*words, *([f"No value is known of {unknown} more."] if unknown else [])],
                is_shared=is_shared,
            )
        ),
        data=replace(of.chart(""), names=("name", "time"), unit=of.columns[of.y[0]].unit, lines=drawn),
    )


def _top(course: _Course, limit: list[Line]) -> float:
    highest = max(course.known)
    bound = max((v.value for line in limit for v in line.values), default=0.0)
    return round_up(max(highest, bound if bound < 3 * highest else 0.0))


def _spread(course: _Course) -> tuple[float, float]:
    """The middle between the lowest and the highest value, and how far they are from it, as a share."""
    middle = (max(course.known) + min(course.known)) / 2
    return middle, max(course.known) / middle - 1 if middle > 0 else 0.0


def _drawn(of: _Of, course: _Course, count: int) -> list[Line]:
    """The lines of a panel, the highest first in the colours of their measure. Days of a level are dots, hollow at the weekend, around it."""
    chart, lines = of.section.chart, []
    for turn, ((title, y), points) in enumerate(course.points.items()):
        color = (
            of.color(of.columns[y], turn)
            if len(of.y) > 1 or len(course.points) == 1
            else RUN_COLORS[(turn + 1) % len(RUN_COLORS)]
        )
        values = of.values(points, of.columns[y].title)
        if not values:
            continue
        if not chart.level:
            bands = (
                _usual(of, points)
                if len(course.points) == 1 and len(points) <= (WIDE if count == 1 else _MOST_POINTS)
                else []
            )
            lines.append(Line(title, color, values, dash=turn % 4, bands=bands, symbol=1 if len(values) < 3 else None))
            continue
        ends = [(of.start + dt.timedelta(seconds=of.window[0] + v.at)).weekday() > 4 for v in values]
        for is_end, symbol in ((False, 1), (True, 0)):
            if some := [v for v, end in zip(values, ends, strict=True) if end == is_end]:
                lines.append(Line("", color, some, symbol=symbol, joined=False))
        steps = _steps(of, course)
        level = [
            Value(v, at=at - of.window[0]) for at, v in of.points(course.rows, chart.level).items() if v is not None
        ]
        level = [replace(v, breaks=after.at + of.window[0] in steps) for v, after in pairwise([*level, Value(0.0)])]
        lines.append(Line("", _INK, level))
    return lines


def _events(of: _Of, course: _Course) -> list[float]:
    return [at - of.window[0] - of.step / 2 for at in _steps(of, course)] if of.section.chart.change else []


def _usual(of: _Of, points: Points) -> list[list[tuple[float, float, float]]]:
    """What is usual: of the same hours of all days, weekdays and weekends apart, the middle 80%. Nothing of too few days."""
    by: dict[Any, list[float]] = defaultdict(list)

    def kind(at: int) -> tuple[bool, dt.time]:
        time = of.start + dt.timedelta(seconds=at)
        return time.weekday() > 4, time.time()

    for at, value in points.items():
        if value is not None:
            by[kind(at)].append(value)
    ends = {
        key: (values[int(0.1 * len(values))], values[math.ceil(0.9 * len(values)) - 1])
        for key, found in by.items() if len(values := sorted(found)) >= _FEWEST_DAYS
    }  # fmt: skip
    bands: list[list[tuple[float, float, float]]] = [[]]
    last = None
    for at in points:
        if last is not None and at - last > 1.5 * of.step:
            bands.append([])
        if (key := kind(at)) in ends:
            bands[-1].append((at - of.window[0], *ends[key]))
            last = at
    return [band for band in bands if len(band) > 1] if not of.is_daily else []


def _hover(of: _Of, course: _Course, most: int) -> Iterator[tuple[float, float, str]]:
    """What is told of each day, or of so many stretches at most: the value to look at, and when it was."""
    first, last = of.window
    stretch = next(s for s in (_HOUR, 3 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, last - first) if s * most >= last - first)
    by: dict[int, list[tuple[float, int, str, str]]] = defaultdict(list)
    for (title, y), points in course.points.items():
        for at, value in points.items():
            if value is not None:
                by[int((at - first) // stretch)].append((value, at, title, y))
    pick = min if of.section.chart.is_lowest else max
    for slot, found in by.items():
        value, at, _, y = pick(found)
        yield slot * stretch, min((slot + 1) * stretch, last - first), f"{of.moment(at)}: {of.write(value, y)}"


def _caption(of: _Of, panels: list[Panel], reach: float, more: list[str], *, is_shared: bool) -> Iterator[str]:
    chart = of.section.chart
    if reach:
        yield f"Scales span {reach:.0%} to both sides of their middle. Dots: days, hollow on weekends; line: what they lie around; red dashes: a step."
    else:
        if len(panels) > 1:
            yield "All panels have one scale." if is_shared else "Each panel has its own scale, from 0."
        yield f"● {'lowest' if chart.is_lowest else 'highest'} value. A line is broken where a value is not known."
    lines = [line for panel in panels for line in panel.chart.lines]
    if any(line.bands for line in lines):
        yield "Shaded: what is usual, 80% of the same hours, weekdays and weekends apart."
    if any(line.dash == 1 and line.color == _LIMIT for line in lines):
        yield f"Red dashes: {of.columns[chart.limit].title.lower()}."
    elif chart.reference:
        yield f"Grey dashes: {of.columns[chart.reference].title.lower()}."
    if any(len(points) > _MOST_POINTS for panel in panels for points in [of.points(panel.rows, of.y[0])]):
        yield "Of many intervals the lowest and the highest of each stretch are drawn."
    yield from more


# --- Bars ------------------------------------------------------------------------------------------------------------


def _bars(of: _Of, named: Container[str]) -> Picture:
    """Bars, the largest first, a panel for each value that they are split by."""
    column, values = of.columns[of.x], of.section.rows.of(of.x)
    found = []
    for name, rows in of.groups(of.section.chart.split, range(len(values))).items():
        sizes = {bar: max(values[i] or 0 for i in mine) for bar, mine in of.groups(of.y[0], rows).items()}
        if bars := sorted((bar for bar in sizes if sizes[bar]), key=lambda bar: -sizes[bar]):
            found.append((name, rows, [(bar, sizes[bar]) for bar in bars]))
    picture = Picture(_title(column))
    if not found:
        return replace(picture, sentence="No value is known." if None in values else "All values are 0.")
    found.sort(key=lambda one: (one[0] not in named, -one[2][0][1]))
    panels = []
    for name, rows, bars in found[:_MOST_PANELS]:
        lanes = [(bar, Value(size, color=of.color(column)), of.write(size, of.x)) for bar, size in bars[:_MOST_BARS]]
        drawn = [Row(bar, [Lane([value], said)]) for bar, value, said in lanes]
        words = f"{len(bars) - len(drawn):,} smaller ones are not drawn" if len(bars) > len(drawn) else ""
        one = replace(of.chart(name, f"Largest: {bars[0][0]}, {lanes[0][2]}."), start=None, rows=drawn)
        panels.append(Panel(replace(one, scale=(0.0, max(bars[0][1] for _, _, bars in found))), words, rows))
    return replace(picture, panels=panels, words=_not_drawn(name for name, *_ in found[_MOST_PANELS:]))


def _not_drawn(names: Iterable[str]) -> str:
    return f"Not drawn: {said}." if (said := listed(list(names), 6)) else ""


# --- Cells -----------------------------------------------------------------------------------------------------------


def _cells(of: _Of, named: Container[str]) -> Picture:
    """A row per name over time, a cell per stretch as high as its worst value is bad. Those with none that is bad are told."""
    chart, column = of.section.chart, of.columns[of.section.chart.value]
    first, last = of.window
    least = max((last - first) / _MOST_CELLS, of.step)
    stretch = next((h * _HOUR for h in (1, 2, 3, 6, 12, 24, 48, 168) if h * _HOUR >= least), least)
    limits = [with_unit(limit, column.unit) for limit, _ in chart.steps]
    kinds = [f"below {limit}" for limit in limits[:1]]
    kinds += [f"{word}: {limit} or more" for limit, (_, word) in zip(limits, chart.steps, strict=True)]

    def level(value: float) -> int:
        beyond = sum(value >= limit for limit, _ in chart.steps)
        return 2 if beyond and len(chart.steps) == 1 else min(beyond, 2)

    found, calm, unknown = [], 0, 0
    for name, rows in of.groups(of.y[0], range(len(of.section.rows))).items():
        points = of.points(rows, chart.value)
        known = {at: v for at, v in points.items() if v is not None}
        bad = [at for at, v in known.items() if level(v)]
        unknown += len(known) < len(points)
        if bad or not chart.steps:
            found.append((name, rows, points, bad))
        else:
            calm += 1
    picture = Picture(_title(column))
    of_unknown = f" Some values of {unknown:,} of {len(found) + calm:,} are not known." if unknown else ""
    if not found:
        return replace(picture, sentence=f"None is “{chart.steps[0][1]}” ({limits[0]} or more).{of_unknown}")
    # Who has what is bad at the end first, then who has most of it.
    found.sort(key=lambda one: (one[0] not in named, -len(one[3]), one[0]))
    panels = []
    for name, rows, points, bad in found[:_MOST_PANELS]:
        slots: dict[int, float] = {}
        for at, value in points.items():
            if value is not None:
                slot = int((at - first) // stretch)
                slots[slot] = max(value, slots.get(slot, value))
        cells = [
            Value(v, series=kinds[min(level(v), len(kinds) - 1)] if kinds else "", kind="cell", turn=level(v), at=slot * stretch, minutes=stretch)
            for slot, v in slots.items()
        ]  # fmt: skip
        worst = max(points, key=lambda at: -math.inf if points[at] is None else points[at])  # type: ignore[arg-type, return-value]
        unit = "day" if of.is_daily else "hour"
        said = f"{len(bad):,} of {counted(len(points), unit)} · worst {of.write(points[worst] or 0, chart.value)}, {of.moment(worst)}"
        lane = Lane(_joined(cells))
        panels.append(Panel(replace(of.chart(name, f"{picture.title}: {said}"), rows=[Row("", [lane])]), said, rows))
    hole = " A hole is time without rows." if chart.form == "strip" else ""
    words = [
        f"The colour is the worst value of {counted(stretch // _HOUR, 'hour')}." if stretch > of.step else "", hole.strip(),
        f"{counted(calm, 'more has', 'more have')} none that is “{chart.steps[0][1]}”." if calm else "",
        _not_drawn(name for name, *_ in found[_MOST_PANELS:]), of_unknown.strip(),
    ]  # fmt: skip
    lines = [Line(name, _INK, of.values(points, column.title)) for name, _, points, _ in found[:_MOST_PANELS]]
    data = replace(
        of.chart(""), names=("name", "time"), unit=column.unit, lines=[line for line in lines if line.values]
    )
    return replace(picture, panels=panels, words=" ".join(filter(None, words)), data=data)


def _joined(cells: list[Value]) -> list[Value]:
    """Stretches that are equally bad and follow each other are one cell."""
    out: list[Value] = []
    for cell in sorted(cells, key=lambda cell: cell.at):
        if out and out[-1].turn == cell.turn and cell.at <= out[-1].at + out[-1].minutes:
            out[-1] = replace(out[-1], minutes=cell.at + cell.minutes - out[-1].at)
        else:
            out.append(cell)
    return out
