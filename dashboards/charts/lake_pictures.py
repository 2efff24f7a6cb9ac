"""The picture of a section of a lake page: a panel per name, those that move most drawn, the rest in a sentence; and the spark of a finding."""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ...pipeline.words import counted
from ..lake_page.contract import Column, Happened, Section
from ..lake_page.found import format_change, format_day, format_hour, listed
from ..numbers import signed
from .chart import Chart, Lane, Line, Row, Value
from .drawing import PART_COLORS, RUN_COLORS, series_color
from .shapes import with_unit
from .svg import WIDE

_HOUR, _DAY = 3600, 86_400
_MOST_PANELS, _MOST_LINES, _MOST_BARS, _MOST_CELLS = 12, 6, 12, 48
# Points of a line: of a longer line, the lowest and the highest point of each stretch are drawn.
_MOST_POINTS = 200
_LIKE_SCALES = 5
# A line whose values all lie this close together becomes a sentence; of more courses than a few, only those that change
# are drawn.
_STEADY, _FEW_LEVELS = 0.02, 6
# Days of one kind that it takes to say what is usual at an hour.
_FEWEST_DAYS = 6
_INK, _GREY, _LIMIT = "currentColor", "#808080", "#c8372d"

# Values over seconds; None where one is not known.
Points = dict[int, float | None]


@dataclass(frozen=True)
class Panel:
    """`rows`: numbers of the section's rows behind the chart; `words`: the text beside the panel's name."""

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


def picture_of(section: Section, start: dt.datetime | None, span: int, named: Container[str] = ()) -> Picture | None:
    """The picture of a section over `span` seconds from the start of the axis; None where its form has none. `named`:
    panels that are drawn in any case."""
    draw = {"lines": _lines, "bars": _bars, "heat": _cells, "strip": _cells}.get(section.chart.form)
    of = _Of(section, start or dt.datetime(1970, 1, 1), span)
    return draw(of, named) if draw and len(section.rows) else None


def spark_of(section: Section, told: Happened, start: dt.datetime, span: int) -> Chart | None:
    """The line of a finding, with its limit and an upright line at its hour; None for fewer than two points."""
    of, series = _Of(section, start, span), told.series
    column = (series.column if series else "") or section.chart.value or of.y[0]
    if not series or column not in of.columns or section.chart.form == "bars":
        return None
    rows = of.rows
    for name, value in ((section.chart.split or of.y[0], series.panel), (section.chart.series, series.name)):
        rows = of.groups(name, rows).get(value, []) if name and value else rows
    values = thinned(of.values(of.points(rows, column)), span)
    if len(values) < 2:
        return None
    limits = of.limit(rows) if series.limit is None else []
    unit = of.columns[column].unit
    fixed = [(series.limit, f"limit {with_unit(series.limit, unit)}")] if series.limit is not None else []
    words = [line.name.lower() for line in limits] + [word for _, word in fixed]
    days = dict.fromkeys((of.day(0), of.day(span - 1)))
    about = f"{of.columns[column].title}, {' to '.join(days)}"
    highest = max(v.value for v in [*values, *(v for line in limits for v in line.values)])
    top = round_up(max(highest, *(at for at, _ in fixed if at < 3 * highest), 0))
    # Costs are compared by their ratio.
    is_level, start_s, end_s = bool(section.chart.level), told.select.from_s, told.select.to_s
    events = []
    if not is_level and start_s is not None and end_s is not None:
        # The worst point of a series with a limit; else the middle of the time, as for a gap. A point is at the start
        # of its time.
        there = {at: v for at, v in of.known(rows, column).items() if words and start_s <= at < end_s}
        worst = min if section.chart.is_lowest else max
        events = [worst(there, key=lambda at: there[at]) if there else (start_s + end_s - of.step) / 2]
    return replace(
        of.chart(series.panel, "; dashes: ".join([about, *words])),
        span=float(max(span - of.step, of.step)),
        lines=[Line("", of.color(of.columns[column]), values), *limits],
        limits=[(at, "") for at, _ in fixed],
        scale=(0.8 * min(v.value for v in values) if is_level else 0.0, top),
        events=events,
    )


@dataclass(frozen=True)
class _Of:
    """A section, and where its rows lie on the axis of time."""

    section: Section
    start: dt.datetime
    span: int

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.section.rows.columns}

    @property
    def rows(self) -> Sequence[int]:
        return range(len(self.section.rows))

    @property
    def x(self) -> str:
        return self.section.chart.x if isinstance(self.section.chart.x, str) else self.section.chart.x[0]

    @property
    def y(self) -> list[str]:
        return [self.section.chart.y] if isinstance(self.section.chart.y, str) else list(self.section.chart.y)

    @cached_property
    def step(self) -> int:
        """The usual time from one row to the next, in seconds; at most an hour, unless rows are of days."""
        times = sorted({at for at in self.section.rows.of(self.x) if at is not None})
        steps = [after - before for before, after in pairwise(times)]
        usual = max(set(steps), key=lambda step: (steps.count(step), -step), default=_DAY if self.is_daily else _HOUR)
        return usual if self.is_daily else min(usual, _HOUR)

    @cached_property
    def is_daily(self) -> bool:
        return all(at % _DAY == 0 for at in self.section.rows.of(self.x) if at is not None)

    def groups(self, name: str, rows: Iterable[int]) -> dict[str, list[int]]:
        """The rows by the value of a column, in the order of their first row; all rows as one group without a
        column."""
        texts = self.section.rows.of(name) if name else [""] * len(self.section.rows)
        found: dict[str, list[int]] = defaultdict(list)
        for i in rows:
            found["–" if texts[i] is None else str(texts[i])].append(i)
        return dict(found)

    def points(self, rows: Iterable[int], name: str) -> Points:
        """The values of a column in order of time: the highest of the rows of a time. Empty without a column."""
        found: Points = {}
        times, values = (self.section.rows.of(self.x), self.section.rows.of(name)) if name else ([], [])
        for i in rows if name else ():
            at, value = times[i], values[i]
            if at is not None and 0 <= at < self.span:
                old = found.get(at)
                found[at] = old if value is None or (old is not None and old > value) else value
        return dict(sorted(found.items()))

    def known(self, rows: Iterable[int], name: str) -> dict[int, float]:
        return {at: value for at, value in self.points(rows, name).items() if value is not None}

    def values(self, points: Points, measure: str = "") -> list[Value]:
        """The points that are drawn: a line breaks where a value is unknown, or a time is missing."""
        known = [(at, value) for at, value in points.items() if value is not None]
        return [
            Value(value, measure=measure, at=at, breaks=after is None or after[0] - at > 1.5 * self.step)
            for (at, value), after in zip(known, [*known, None][1:], strict=True)
        ]

    def limit(self, rows: Iterable[int]) -> list[Line]:
        """The limit, or the column to compare values with, as a line that holds until the next value."""
        name = self.section.chart.limit or self.section.chart.reference
        points = self.known(rows, name)
        values: list[Value] = []
        for (at, value), end in zip(
            points.items(), [*points, min(self.span, max(points, default=0) + self.step)][1:], strict=False
        ):
            if values and values[-1].value == value:
                values[-1] = replace(values[-1], minutes=end - values[-1].at)
            else:
                values.append(Value(value, measure=self.columns[name].title, at=at, minutes=end - at))
        color = _LIMIT if self.section.chart.limit else _GREY
        return [Line(self.columns[name].title, color, values, dash=1)] if values else []

    def chart(self, title: str = "", about: str = "") -> Chart:
        id, title = f"{self.section.id}-picture", title or self.section.title
        return Chart(id, title, about, "", "", ("name", "time"), "", start=self.start, span=float(self.span))

    def moment(self, at: float) -> str:
        return self.day(at) if self.is_daily else format_hour(self.start + dt.timedelta(seconds=at))

    def day(self, at: float) -> str:
        return format_day((self.start + dt.timedelta(seconds=at)).date())

    def is_weekend(self, at: float) -> bool:
        return (self.start + dt.timedelta(seconds=at)).weekday() > 4

    def write(self, value: float, name: str) -> str:
        column = self.columns[name]
        return with_unit(value, column.unit, lambda v: signed(v, column.decimals or 0).removeprefix("+"))

    def title(self, name: str) -> str:
        column = self.columns[name]
        return f"{column.title} ({column.unit})" if column.unit else column.title

    def color(self, column: Column, turn: int = 0) -> str:
        """The colour of a measure: the colour of its kind of processor, if it has one."""
        words = f"{column.name} {column.title}".lower()
        if "ziip_on_cp" in words or "eligible" in words:
            return PART_COLORS["ziip_on_cp_pct"]
        if "ziip" in words:
            return PART_COLORS["ziip_pct"]
        return PART_COLORS["non_ziip_eligible_pct"] if column.name.startswith("cp_") else series_color(turn)


def thinned(values: list[Value], span: int) -> list[Value]:
    """The lowest and the highest value of each stretch, so that no peak and no break is lost."""
    if len(values) <= _MOST_POINTS:
        return values
    stretches: dict[int, list[int]] = defaultdict(list)
    for n, value in enumerate(values):
        stretches[int(value.at / span * _MOST_POINTS / 2)].append(n)
    kept = sorted({find(of, key=lambda n: values[n].value) for of in stretches.values() for find in (min, max)})
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


def _joined(words: Iterable[str], between: str = " ") -> str:
    return between.join(filter(None, words))


# --- Lines -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Course:
    """The contents of a panel of lines: points by the name of the line and of its column."""

    of: _Of
    name: str
    rows: list[int]
    points: dict[tuple[str, str], Points]

    @cached_property
    def known(self) -> list[float]:
        return [value for points in self.points.values() for value in points.values() if value is not None]

    @cached_property
    def most(self) -> tuple[float, int, str]:
        """The value to look at, its time and its column."""
        every = ((v, at, key[1]) for key, of in self.points.items() for at, v in of.items() if v is not None)
        return (min if self.of.section.chart.is_lowest else max)(every, key=lambda one: one[0])

    @cached_property
    def limit(self) -> list[Line]:
        return self.of.limit(self.rows)

    @property
    def top(self) -> float:
        """The top of the scale: at the limit, if that is not far above the values."""
        highest, bound = max(self.known), max((v.value for line in self.limit for v in line.values), default=0.0)
        return round_up(max(highest, bound if bound < 3 * highest else 0.0))

    @property
    def middle(self) -> float:
        return (max(self.known) + min(self.known)) / 2

    @cached_property
    def steps(self) -> dict[int, float]:
        return self.of.known(self.rows, self.of.section.chart.change)

    @cached_property
    def changes(self) -> str:
        """The drift and the steps of a course with a level, in words."""
        of, chart = self.of, self.of.section.chart
        level = list(of.known(self.rows, chart.level).values())
        said = [f"{format_change(1 + step / 100)} on {of.moment(at)}" for at, step in self.steps.items()]
        for drift in list(of.known(self.rows, chart.drift).values())[:1]:
            rate = f"{'−' if drift < 0 else '+'}{abs(drift):.2g}% a day"
            said.insert(0, f"{rate}: {of.write(level[0], of.y[0])} → {of.write(level[-1], of.y[0])}")
        return "; ".join(said)

    def is_steady(self, longest: int) -> bool:
        """Whether the course has no limit, and none of its lines moves, breaks or begins late."""
        return not self.limit and all(
            2 < len(of) >= 0.9 * longest and None not in of.values() and max(b - a for a, b in pairwise(of)) <= 1.5 * self.of.step
            and max(of.values()) - min(of.values()) <= _STEADY * abs(max(of.values()))  # type: ignore[type-var, operator]
            for of in self.points.values()
        )  # fmt: skip


def _lines(of: _Of, named: Container[str]) -> Picture:
    chart = of.section.chart
    split, series = chart.split, chart.series
    if series and not split and len(of.groups(series, of.rows)) > _MOST_LINES:
        split, series = series, ""
    has_names, has_titles = len(of.groups(series, of.rows)) > 1, len(of.y) > 1
    courses, most = [], 0
    for name, rows in of.groups(split, of.rows).items():
        points = {
            (_joined((of.columns[y].title if has_titles else "", key if has_names else ""), " · "), y): of.points(some, y)
            for key, some in of.groups(series, rows).items() for y in of.y
        }  # fmt: skip
        most = max(most, len(points))
        tops = {
            key: max((v for v in of_key.values() if v is not None), default=-math.inf) for key, of_key in points.items()
        }
        kept = sorted(points, key=lambda key: -tops[key])[:_MOST_LINES]
        courses.append(_Course(of, name, rows, {key: points[key] for key in points if key in kept}))
    told = [course for course in courses if course.known]
    picture = Picture(f"In {of.columns[of.y[0]].unit}" if has_titles else of.title(of.y[0]))
    if not told:
        return replace(picture, sentence="No value is known.")
    if not any(value for course in told for value in course.known):
        is_known = all(None not in points.values() for course in courses for points in course.points.values())
        return replace(picture, sentence=f"All {'' if is_known else 'known '}values are 0.")
    longest = max(len(points) for course in told for points in course.points.values())
    if longest == 1:
        return replace(picture, sentence=f"One time only: {_steady_words(told)}.")
    steady = [c for c in told if not chart.level and c.is_steady(longest)]
    level = [c for c in told if chart.level and len(told) > _FEW_LEVELS and not c.changes]
    words = [
        f"Steady within {_STEADY:.0%}: {_steady_words(steady)}." if steady else "",
        f"No change in {len(level):,} more." if level else "",
        f"No value is known of {len(courses) - len(told):,} more." if len(courses) > len(told) else "",
        f"Of up to {most} lines in a panel the {_MOST_LINES} highest are drawn." if most > _MOST_LINES else "",
    ]
    moving = [course for course in told if course not in steady and course not in level]
    return _panels(picture, moving, words, named) if moving else replace(picture, sentence=_joined(words))


def _steady_words(courses: list[_Course]) -> str:
    """The names and values of courses that do not move. Unknown values are left out: they are not 0."""
    by: dict[str, list[str]] = defaultdict(list)
    for course in courses:
        known = {key: [v for v in points.values() if v is not None] for key, points in course.points.items()}
        each = [_joined((title, course.of.write(max(v), y))) for (title, y), v in known.items() if v]
        by[", ".join(each)].append(course.name)
    return "; ".join(_joined((said, listed(names, 6)), ": ") for said, names in by.items())


def _panels(picture: Picture, moving: list[_Course], words: list[str], named: Container[str]) -> Picture:
    of, chart = moving[0].of, moving[0].of.section.chart
    by_range = sorted(moving, key=lambda c: (c.name not in named, min(c.known) - max(c.known)))
    sign = -1 if chart.is_lowest else 1
    shown, rest = (
        sorted(some, key=lambda c: -sign * c.most[0]) for some in (by_range[:_MOST_PANELS], by_range[_MOST_PANELS:])
    )
    if rest:
        names = listed([course.name for course in rest], 6)
        words = [*words, f"Drawn are the {len(shown)} that move most of {len(moving):,}; not: {names}."]
    tops = [course.top for course in shown]
    is_shared = max(tops) <= _LIKE_SCALES * min(tops)
    # Costs are compared by their ratio: each panel spans the same percentage around its middle.
    reach = 1.25 * max(0.08, *(max(c.known) / c.middle - 1 for c in shown)) if chart.level else 0.0
    panels, saved = [], []
    for course in shown:
        value, at, column = course.most
        said = course.changes or f"{of.write(value, column)} · {of.moment(at)}"
        near = [line for line in course.limit if min(v.value for v in line.values) < 3 * course.top]
        for far in course.limit if not near else ():
            said += f" · {far.name.lower()} {of.write(far.values[-1].value, column)}, far above"
        lines = _drawn(course, len(shown))
        few = [replace(line, values=thinned(list(line.values), of.span)) for line in lines]
        peak = [] if chart.level else [Line("", _INK, [Value(value, at=at)], symbol=1, joined=False)]
        ends = ((1 - reach) * course.middle, (1 + reach) * course.middle)
        one = replace(
            of.chart(course.name, f"{picture.title}: {said}"),
            lines=[*few, *near, *peak],
            scale=ends if reach else (0.0, max(tops) if is_shared else course.top),
            events=[at - of.step / 2 for at in course.steps],
            hover=list(_hover(course, 16 if len(shown) > 4 else 32)),
        )
        panels.append(Panel(one, said, course.rows))
        saved += [
            replace(line, name=_joined((course.name, line.name), " · "))
            for line in (*lines, *near)
            if line.values[0].measure
        ]
    caption = _joined([*_caption(of, panels, reach, is_shared=is_shared), *words])
    data = replace(of.chart(), unit=of.columns[of.y[0]].unit, lines=saved)
    return replace(picture, panels=panels, words=caption, data=data)


def _drawn(course: _Course, count: int) -> list[Line]:
    """The lines of a panel, in the colours of their measure. Days of a level are dots, hollow at the weekend, around it."""
    of, lines = course.of, []
    is_one = len(course.points) == 1
    for turn, ((title, y), points) in enumerate(course.points.items()):
        is_measure = len(of.y) > 1 or is_one
        color = of.color(of.columns[y], turn) if is_measure else RUN_COLORS[(turn + 1) % len(RUN_COLORS)]
        values = of.values(points, of.columns[y].title)
        bands = _usual(of, points) if is_one and len(points) <= (WIDE if count == 1 else _MOST_POINTS) else []
        if values and not of.section.chart.level:
            lines.append(Line(title, color, values, dash=turn % 4, bands=bands, symbol=1 if len(values) < 3 else None))
        elif values:
            for is_end in (False, True):
                if some := [v for v in values if of.is_weekend(v.at) == is_end]:
                    lines.append(Line("", color, some, symbol=int(not is_end), joined=False))
            level = [Value(v, at=at) for at, v in of.known(course.rows, of.section.chart.level).items()]
            ends = [after.at in course.steps for after in [*level, Value(0.0, at=-1)][1:]]
            lines.append(Line("", _INK, [replace(v, breaks=end) for v, end in zip(level, ends, strict=True)]))
    return lines


def _usual(of: _Of, points: Points) -> list[list[tuple[float, float, float]]]:
    """The usual range: the middle 80% of the same hour on all days, separately for weekdays and weekends. Empty for too
    few days, and for rows of days."""
    by: dict[tuple[bool, int], list[float]] = defaultdict(list)
    for at, value in points.items() if not of.is_daily else ():
        if value is not None:
            by[of.is_weekend(at), at % _DAY].append(value)
    ends = {
        key: (values[int(0.1 * len(values))], values[math.ceil(0.9 * len(values)) - 1])
        for key, found in by.items() if len(values := sorted(found)) >= _FEWEST_DAYS
    }  # fmt: skip
    bands: list[list[tuple[float, float, float]]] = [[]]
    for at in points:
        if bands[-1] and at - bands[-1][-1][0] > 1.5 * of.step:
            bands.append([])
        if (key := (of.is_weekend(at), at % _DAY)) in ends:
            bands[-1].append((at, *ends[key]))
    return [band for band in bands if len(band) > 1]


def _hover(course: _Course, most: int) -> Iterator[tuple[float, float, str]]:
    """The value to look at of each day, or of at most `most` stretches, and its time."""
    of = course.of
    stretch = next(s for s in (_HOUR, 3 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, of.span) if s * most >= of.span)
    by: dict[int, list[tuple[float, int, str]]] = defaultdict(list)
    for (_, y), points in course.points.items():
        for at, value in points.items():
            if value is not None:
                by[at // stretch].append((value, at, y))
    for slot, found in by.items():
        value, at, y = (min if of.section.chart.is_lowest else max)(found)
        yield slot * stretch, min((slot + 1) * stretch, of.span), f"{of.moment(at)}: {of.write(value, y)}"


def _caption(of: _Of, panels: list[Panel], reach: float, *, is_shared: bool) -> Iterator[str]:
    chart = of.section.chart
    lines = [line for panel in panels for line in panel.chart.lines]
    if reach:
        yield f"Scales span {reach:.0%} to both sides of their middle. Dots: days, hollow on weekends; line: what they lie around; red dashes: a step."
    else:
        if len(panels) > 1:
            yield "All panels have one scale." if is_shared else "Each panel has its own scale, from 0."
        yield f"● {'lowest' if chart.is_lowest else 'highest'} value. A line is broken where a value is not known."
    if any(line.bands for line in lines):
        yield "Shaded: what is usual, 80% of the same hours, weekdays and weekends apart."
    for color, word in ((_LIMIT, "Red"), (_GREY, "Grey")):
        if names := {line.name.lower() for line in lines if line.color == color}:
            yield f"{word} dashes: {listed(sorted(names))}."
    if any(len(of.points(panel.rows, of.y[0])) > _MOST_POINTS for panel in panels):
        yield "Of many intervals the lowest and the highest of each stretch are drawn."


# --- Bars ------------------------------------------------------------------------------------------------------------


def _bars(of: _Of, named: Container[str]) -> Picture:
    """Bars, the largest first, a panel for each value of the column that splits them."""
    column, values = of.columns[of.x], of.section.rows.of(of.x)
    found = []
    for name, rows in of.groups(of.section.chart.split, of.rows).items():
        sizes = {bar: max(values[i] or 0 for i in mine) for bar, mine in of.groups(of.y[0], rows).items()}
        if bars := sorted((bar for bar in sizes if sizes[bar]), key=lambda bar: -sizes[bar]):
            found.append((name, rows, [(bar, sizes[bar]) for bar in bars]))
    picture = Picture(of.title(of.x))
    if not found:
        return replace(picture, sentence="No value is known." if None in values else "All values are 0.")
    found.sort(key=lambda one: (one[0] not in named, -one[2][0][1]))
    most = max(bars[0][1] for _, _, bars in found)
    panels = []
    for name, rows, bars in found[:_MOST_PANELS]:
        lanes = [(bar, Value(size, color=of.color(column)), of.write(size, of.x)) for bar, size in bars[:_MOST_BARS]]
        drawn = [Row(bar, [Lane([value], said)]) for bar, value, said in lanes]
        words = f"{len(bars) - len(drawn):,} smaller ones are not drawn" if len(bars) > len(drawn) else ""
        one = of.chart(name, f"Largest: {bars[0][0]}, {lanes[0][2]}.")
        panels.append(Panel(replace(one, start=None, rows=drawn, scale=(0.0, most)), words, rows))
    return replace(picture, panels=panels, words=_not_drawn(name for name, *_ in found[_MOST_PANELS:]))


def _not_drawn(names: Iterable[str]) -> str:
    return f"Not drawn: {said}." if (said := listed(list(names), 6)) else ""


# --- Cells -----------------------------------------------------------------------------------------------------------


def _cells(of: _Of, named: Container[str]) -> Picture:
    """A panel per name, a cell per stretch of time: the worse its worst value, the higher the cell. A sentence lists
    the names without a bad value."""
    chart, column = of.section.chart, of.columns[of.section.chart.value]
    least = max(of.span / _MOST_CELLS, of.step)
    stretch = next((h * _HOUR for h in (1, 2, 3, 6, 12, 24, 48, 168) if h * _HOUR >= least), math.ceil(least))
    limits = [with_unit(limit, column.unit) for limit, _ in chart.steps]
    kinds = [
        f"below {limits[0]}",
        *(f"{word}: {limit} or more" for limit, (_, word) in zip(limits, chart.steps, strict=True)),
    ]
    courses = [
        _Course(of, name, rows, {("", chart.value): of.points(rows, chart.value)})
        for name, rows in of.groups(of.y[0], of.rows).items()
    ]

    def level(value: float) -> int:
        beyond = sum(value >= limit for limit, _ in chart.steps)
        return 2 if beyond and len(chart.steps) == 1 else min(beyond, 2)

    bad = {course.name: sum(map(bool, map(level, course.known))) for course in courses}
    found = sorted((c for c in courses if bad[c.name]), key=lambda c: (c.name not in named, -bad[c.name], c.name))
    unknown = sum(len(c.known) < len(c.points["", chart.value]) for c in courses)
    of_unknown = f"Some values of {unknown:,} of {len(courses):,} are not known." if unknown else ""
    picture = Picture(of.title(chart.value))
    if not found:
        none = f"None is “{chart.steps[0][1]}” ({limits[0]} or more)."
        return replace(picture, sentence=_joined((none, of_unknown)))
    panels, saved = [], []
    for course in found[:_MOST_PANELS]:
        points = course.points["", chart.value]
        value, at, _ = course.most
        said = f"{bad[course.name]:,} of {counted(len(points), 'day' if of.is_daily else 'hour')}"
        said += f" · worst {of.write(value, chart.value)}, {of.moment(at)}"
        slots: dict[int, float] = {}
        for at, v in of.known(course.rows, chart.value).items():
            slots[at // stretch] = max(v, slots.get(at // stretch, v))
        cells: list[Value] = []
        # Consecutive stretches that are equally bad are one cell.
        for slot, v in slots.items():
            at, bad_by = slot * stretch, level(v)
            if cells and cells[-1].turn == bad_by and at <= cells[-1].at + cells[-1].minutes:
                cells[-1] = replace(cells[-1], minutes=at + stretch - cells[-1].at)
            else:
                kind = kinds[min(bad_by, len(kinds) - 1)]
                cells.append(Value(v, series=kind, kind="cell", turn=bad_by, at=at, minutes=stretch))
        one = replace(of.chart(course.name, f"{picture.title}: {said}"), rows=[Row("", [Lane(cells)])])
        panels.append(Panel(one, said, course.rows))
        saved.append(Line(course.name, _INK, of.values(points, column.title)))
    calm = len(courses) - len(found)
    words = (
        f"The colour is the worst value of {counted(stretch // _HOUR, 'hour')}." if stretch > of.step else "",
        "A hole is time without rows." if chart.form == "strip" else "",
        f"{counted(calm, 'more has', 'more have')} none that is “{chart.steps[0][1]}”." if calm else "",
        _not_drawn(course.name for course in found[_MOST_PANELS:]),
        of_unknown,
    )
    data = replace(of.chart(), unit=column.unit, lines=saved)
    return replace(picture, panels=panels, words=_joined(words), data=data)
