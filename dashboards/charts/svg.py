"""Charts as SVG: complete in the page as written, without a script. Each is drawn twice, for a window or paper and for
a phone; the style of the page shows one of the two. Sizes of texts are estimated for a wide font, so that no text
leaves its picture."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from .chart import Chart, Lane, Line, Value, told

# Widths for a window, for a phone, for one of several, and in a line of text.
WIDE, NARROW, PANEL, SPARK = 820, 340, 300, 240
_Place = Callable[[float], float]
_SIZE, _LEADING, _LANE, _BAR = 12, 15, 19, 13
_DOT = 5.0
# Bold letters are wider by this factor.
_BOLD = 1.16
# Paths around 0,0 of the size of a circle of radius 5. The first is hollow: the baseline. There are not as many symbols
# as colours, so that combinations repeat late.
SYMBOLS = (
    "M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0Z",
    "M-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0Z",
    "M0,-6L6,0L0,6L-6,0Z",
    "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "M0,-5.5L5.5,4.5H-5.5Z",
    "M-5.5,-1.8H-1.8V-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5Z",
    "M0,5.5L5.5,-4.5H-5.5Z",
    "M0,-6.2L1.6,-2L6,-2L2.5,0.8L3.8,5.2L0,2.6L-3.8,5.2L-2.5,0.8L-6,-2L-1.6,-2Z",
    "M-5.5,0L-2.8,-4.8H2.8L5.5,0L2.8,4.8H-2.8Z",
)
_DASHES = (None, "8 4", "2 3", "8 4 2 4")
_GREY = "#808080"
# White marks on bars that tell them apart without colour: slanting lines (1 up, -1 down), or a line along the bar with
# a width and dashes.
_HATCHES: tuple[tuple[int, float, str | None], ...] = (
    (0, 0, None), (1, 1.5, None), (0, 3, "0 7"), (0, 3, None), (-1, 1.5, None), (0, 3, "7 5"), (0, _BAR, "1.5 4"),
)  # fmt: skip
_MOST_NAMED = 8


def picture(chart: Chart) -> Markup:
    """The chart for a window and for a phone."""
    return Markup("").join(svg(chart, width) for width in (WIDE, NARROW))


def svg(chart: Chart, width: int, *, is_alone: bool = False) -> Markup:
    """A chart of a width in pixels, as high as needed. `is_alone`: with its title, on white."""
    canvas = _Canvas(width)
    if is_alone:
        canvas.y += 4
        canvas.lines(0, wrapped(chart.title, width, _SIZE * _BOLD), "heading")
        canvas.y += 8
    (_draw_lines if chart.lines else _draw_cells if chart.start else _draw_rows)(chart, canvas)
    edge = 16 if is_alone else 0
    of_width = "wide" if canvas.is_wide else "narrow" if width == NARROW else "panel"
    wide, high = width + 2 * edge, _n(canvas.y + 2 * edge)
    inside = [_tag("path", d=f"M{-edge},{-edge}H9999V9999H{-edge}Z", fill="#fff")] if is_alone else []
    inside += [_tag("path", d="".join(canvas.grid), stroke=_GREY, stroke_opacity=0.3), *canvas.parts]
    inside += [_tag("g", *texts, **_LOOKS[look]) for look, texts in canvas.texts.items()]
    return _tag(
        "svg", *inside, xmlns="http://www.w3.org/2000/svg", class_=f"chart {of_width}",
        viewBox=f"{-edge} {-edge} {wide} {high}", width=wide, height=high, role="img", aria_label=f"{chart.title}. {chart.about}".strip(),
        # A spark has no text, and is as wide as its card.
        font_family="system-ui,sans-serif", font_size=_SIZE, fill="currentColor", preserveAspectRatio="none" if width <= SPARK else None,
    )  # fmt: skip


# Texts of one look are grouped.
_LOOKS: dict[str, dict[str, Any]] = {
    "": {},
    "name": {"text_anchor": "end"},
    "heading": {"font_weight": 600},
    "tick": {"class_": "tick", "text_anchor": "middle"},
    "tick end": {"class_": "tick", "text_anchor": "end"},
    "axis": {"class_": "axis"},
}


def _tag(name: str, *inside: str, **attributes: Any) -> Markup:
    """An element; None is no attribute, and numbers are written short."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_n(value) if isinstance(value, float) else value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{''.join(map(escape, inside))}</{name}>" if inside else f"<{name}{written}/>")


# --- Texts -----------------------------------------------------------------------------------------------------------


def text_width(text: str, size: float = _SIZE) -> float:
    """The width of a text in pixels, in a wide font such as DejaVu Sans."""
    return size * sum(map(_em, text))


def _em(character: str) -> float:
    if character in "iIjl.,:;'|!()[] ·-/":
        return 0.37
    if character in "mwMW%@&→−+<>=":
        return 0.92
    if ord(character) > 0x2E7F:
        return 1.05
    return 0.71 if character.isupper() else 0.635


def wrapped(text: str, width: float, size: float = _SIZE) -> list[str]:
    """A text in lines of at most this width in pixels, broken at spaces where there are any; no lines for no text."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and text_width(lines[-1] + character, size) > width:
                lines.append("")
            lines[-1] += character
    return lines if text else []


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if abs(value) >= 1 or not value else f"{value:.2g}"


def _at(x: float, y: float) -> str:
    return f"{_n(x)},{_n(y)}"


def axis_ticks(low: float, high: float, most: int, is_log: bool = False) -> list[tuple[float, str]]:
    """About `most` round values of an axis from low to high, and how they are written."""
    if is_log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for factors, every in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 4)):
            found = [f * 10.0**p for p in powers if p % every == 0 for f in factors if low <= f * 10.0**p <= high]
            if len(found) <= max(5, most):
                break
        return [(value, f"{value:,.0f}" if value >= 1 else f"{value:.10f}".rstrip("0")) for value in found]
    rough = (high - low) / max(1, most)
    power = math.floor(math.log10(rough))
    step, decimals = next((f * 10.0**power, d - power) for f, d in _STEPS if f * 10.0**power >= rough * (1 - 1e-9))
    every = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(n * step, f"{n * step:,.{max(0, decimals)}f}".replace("-", "−")) for n in every]


def _spaced(ticks: Callable[[int], list[tuple[float, str]]], room: float) -> list[tuple[float, str]]:
    """As many ticks as have room beside each other."""
    for most in range(int(room / 70), 0, -1):
        found = ticks(most)
        if len(found) * (max((text_width(words) for _, words in found), default=0) + 12) <= room:
            return found
    return ticks(1)


def _across(chart: Chart, end: float, most: int) -> list[tuple[float, str]]:
    """Round values of the axis below: numbers, or days and hours."""
    if chart.start is None:
        return axis_ticks(0.0, end, most)
    midnight = chart.start.replace(hour=0, minute=0, second=0, microsecond=0)
    before = (chart.start - midnight).total_seconds()
    step = next((s for s in _TIMES if end / s <= most), 364 * 86_400)
    found = [n * step - before for n in range(math.ceil(before / step), math.floor((before + end) / step) + 1)]
    times = [chart.start + dt.timedelta(seconds=at) for at in found]
    return [
        (at, f"{t.day} {t:%b}" if step >= 86_400 or not t.hour else f"{t:%H}:00")
        for at, t in zip(found, times, strict=True)
    ]


_TIMES = (3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600, 2_419_200, 7_862_400)
# Steps of an axis, and how many decimals each needs.
_STEPS = ((1, 0), (2, 0), (2.5, 1), (5, 0), (10, -1), (20, -1))


# --- Parts -----------------------------------------------------------------------------------------------------------


@dataclass
class _Canvas:
    """The parts drawn so far; `y` is where the next part begins. Lines of the grid lie under marks, texts above."""

    width: int
    y: float = 4.0
    parts: list[Markup] = field(default_factory=list)
    grid: list[str] = field(default_factory=list)
    texts: dict[str, list[Markup]] = field(default_factory=dict)

    @property
    def is_wide(self) -> bool:
        return self.width >= WIDE

    def add(self, path: str, **look: Any) -> None:
        self.parts.append(_tag("path", d=path, **look))

    def text(self, x: float, y: float, words: str, look: str = "") -> None:
        self.texts.setdefault(look, []).append(_tag("text", words, x=float(x), y=float(y)))

    def tick(self, x: float, y: float, words: str) -> None:
        """A number of the axis below, wholly in the picture."""
        half = text_width(words) / 2
        self.text(min(max(x, half), self.width - half), y, words, "tick")

    def lines(self, x: float, texts: Sequence[str], look: str = "") -> None:
        """Lines of text from `y` on, which moves below them."""
        for words in texts:
            # A letter may reach over its left edge.
            self.text(x or 1, self.y + 11, words, look)
            self.y += _LEADING

    def name(self, words: str, left: float) -> float:
        """Draw the name of a row left of its marks, or above them on a phone. Returns where the next row may begin."""
        if not left:
            self.lines(0, wrapped(words, self.width))
            return self.y
        names = wrapped(words, left - 12)
        for n, line in enumerate(names):
            self.text(left - 10, self.y + 14 + n * _LEADING, line, "name")
        return self.y + len(names) * _LEADING + 4

    def left(self, chart: Chart) -> float:
        """The room for names left of the marks."""
        longest = max((text_width(row.name) for row in chart.rows if row.lanes), default=0.0)
        return min(longest + 12, 0.3 * self.width) if self.is_wide else 0.0

    def told(self, chart: Chart, value: Value, drawn: Markup) -> None:
        """A mark with the text shown on hovering; without it on a phone."""
        self.parts.append(
            _tag("g", _tag("title", told(chart, value)), drawn) if self.is_wide and value.words else drawn
        )

    def legend(self, entries: Sequence[tuple[str, Markup]]) -> None:
        """Names beside samples of their marks, which are drawn around 12,0."""
        x = 0.0
        for name, sample in entries:
            first, *more = wrapped(name, self.width - 30) or [""]
            if x and x + 30 + text_width(first) > self.width:
                x, self.y = 0.0, self.y + _LEADING + 3
            self.parts.append(_tag("g", sample, transform=f"translate({_at(x, self.y + 7)})"))
            self.text(x + 28, self.y + 11, first)
            for words in more:
                self.y += _LEADING
                self.text(28, self.y + 11, words)
            x += 28 + text_width(first) + 18
        if entries:
            self.y += _LEADING + 7


# --- Marks -----------------------------------------------------------------------------------------------------------


def _bar(x: float, y: float, width: float, color: str, turn: int) -> Markup:
    drawn = _tag("path", d=f"M{_at(x, y)}h{_n(max(width, 0.5))}v{_BAR}H{_n(x)}Z", fill=color)
    slant, thick, dashes = _HATCHES[turn % len(_HATCHES)]
    if not thick or width < 1:
        return drawn
    lines = f"M{_at(x, y + _BAR / 2)}h{_n(width)}"
    if slant:
        # Each line is cut where the bar ends.
        cuts = [(at, max(at, 0), min(at + _BAR, width)) for at in range(-_BAR, int(width), 7)]
        lines = "".join(
            f"M{_at(x + start, y + (_BAR + at - start if slant > 0 else start - at))}l{_at(end - start, slant * (start - end))}"
            for at, start, end in cuts
        )
    cap = "round" if dashes and dashes.startswith("0") else None
    return drawn + _tag(
        "path",
        d=lines,
        stroke="#fff",
        stroke_opacity=0.75,
        stroke_width=thick,
        stroke_dasharray=dashes,
        stroke_linecap=cap,
    )


def _dot(x: float, y: float, color: str, turn: int) -> Markup:
    hollow = not turn % len(SYMBOLS)
    look = {"fill": "none", "stroke": color, "stroke_width": 2} if hollow else {"fill": color}
    return _tag("path", transform=f"translate({_at(x, y)})", d=SYMBOLS[turn % len(SYMBOLS)], **look)


def _mark(value: Value, x: float, y: float) -> Markup:
    """A dot or an upright mark."""
    if value.kind == "dot":
        return _dot(x, y, value.color, value.turn)
    return _tag("path", d=f"M{_at(x, y - 9)}v18", stroke="currentColor", stroke_width=2.5)


# --- Rows ------------------------------------------------------------------------------------------------------------


def _reach(lane: Lane) -> list[float]:
    """The places of a lane from the least to the most; bars begin at 0."""
    bars = [v.value for v in lane.values if v.kind == "bar"]
    found = [sum(b for b in bars if b < 0), sum(b for b in bars if b > 0)] if bars else []
    found += [v.x for v in lane.values if v.kind != "bar"]
    found += [end for v in lane.values for end in (v.lower, v.upper) if end is not None]
    return found or [0.0]


def _scale(
    places: Sequence[float], is_log: bool, ends: tuple[float, float] | None = None
) -> tuple[float, float, _Place]:
    """The least and the most of an axis, and where on it a value is, from 0 to 1. Without ends it has 0 and all places."""
    if ends:
        return *ends, lambda value: (min(max(value, ends[0]), ends[1]) - ends[0]) / (ends[1] - ends[0])
    low, high = (min(p for p in places if p > 0), max(places)) if is_log else (min(0.0, *places), max(0.0, *places))
    high = high if high > low else low + (low or 1.0)
    if is_log:
        return low, high, lambda value: math.log(max(value, low) / low) / math.log(high / low)
    return low, high, lambda value: (value - low) / (high - low)


def _draw_rows(chart: Chart, canvas: _Canvas) -> None:
    canvas.legend([] if canvas.width < NARROW else _samples(chart))
    origin = [] if chart.origin is None else [chart.origin]
    places = [*origin, *(chart.scale or ()), *(place for lane in chart.lanes for place in _reach(lane))]
    low, high, fraction = _scale(places, chart.is_log)
    left = canvas.left(chart)
    room = canvas.width - left - 2
    # Room for marks at the ends of the axis.
    edge = _DOT + 3 if any(v.kind == "dot" for v in chart.values) or low < 0 else 1.0
    # Words are beside their marks, if the marks keep half of the room.
    plot = room
    for lane in (lane for lane in chart.lanes if lane.words):
        rest = room - edge - 8 - text_width(lane.words)
        most = fraction(max(_reach(lane)))
        plot = min(plot, rest / most + 2 * edge if most > 0 else room if rest > 0 else 0)
    is_beside = plot >= 0.45 * room
    plot = plot if is_beside else room

    def x_of(place: float) -> float:
        return left + edge + fraction(place) * (plot - 2 * edge)

    top = canvas.y
    for row in chart.rows:
        if not row.lanes:
            canvas.y += 6
            canvas.lines(0, wrapped(row.name, canvas.width, _SIZE * _BOLD), "heading")
            continue
        bottom = canvas.name(row.name, left)
        for lane in row.lanes:
            _draw_lane(chart, canvas, lane, x_of)
            if is_beside and lane.words:
                canvas.text(x_of(max(_reach(lane))) + 8, canvas.y + 14, lane.words)
            canvas.y += _LANE
            if not is_beside and lane.words:
                canvas.lines(left + 2, wrapped(lane.words, room))
                canvas.y += 2
        canvas.y = max(canvas.y, bottom) + (5 if len(row.lanes) > 1 or not canvas.is_wide else 3)
    for tick, said in _spaced(lambda most: axis_ticks(low, high, most, chart.is_log), plot):
        canvas.grid.append(f"M{_at(x_of(tick), top)}V{_n(canvas.y)}")
        canvas.tick(x_of(tick), canvas.y + 14, said)
    for place in origin or ([0.0] if low < 0 else []):
        canvas.parts.insert(0, _tag("path", d=f"M{_at(x_of(place), top)}V{_n(canvas.y)}", stroke=_GREY))
    canvas.y += 20
    canvas.lines(left, wrapped(chart.axis, canvas.width - left), "axis")
    canvas.y += 2


def _draw_lane(chart: Chart, canvas: _Canvas, lane: Lane, x_of: _Place) -> None:
    middle = canvas.y + _LANE / 2
    if lane.joined and len(lane.values) > 1:
        places = sorted(x_of(v.x) for v in lane.values)
        canvas.add(f"M{_at(places[0], middle)}H{_n(places[-1])}", stroke=_GREY, stroke_opacity=0.6, stroke_width=2)
    ends = [0.0, 0.0]
    for value in lane.values:
        if value.kind == "bar":
            start = ends[value.value > 0]
            ends[value.value > 0] += value.value
            x1, x2 = sorted((x_of(start), x_of(start + value.value)))
            drawn = _bar(x1, middle - _BAR / 2, x2 - x1, value.color, value.turn)
        else:
            drawn = _mark(value, x_of(value.x), middle)
        if value.lower is not None and value.upper is not None:
            low, high = x_of(value.lower), x_of(value.upper)
            ends_of = f"M{_at(low, middle)}H{_n(high)}M{_at(low, middle - 4)}v8M{_at(high, middle - 4)}v8"
            drawn += _tag(
                "path", d=ends_of, class_="whisker", stroke="currentColor", stroke_opacity=0.7, stroke_width=1.5
            )
        canvas.told(chart, value, drawn)


def legend(chart: Chart) -> list[tuple[str, Markup]]:
    """The names of the lines, parts or cells of charts that have them in common, with a sample of each."""
    lines = [(line.name, _sample(line)) for line in chart.lines if line.name]
    cells = {v.series: v for v in chart.values if v.kind == "cell" and v.series}
    found = lines or [
        (name, _cell("M0,6h22v-10h-22Z", v.turn)) for name, v in sorted(cells.items(), key=lambda one: one[1].turn)
    ]
    return [
        (name, _tag("svg", sample, viewBox="0 -7 26 14", width=26, height=14, aria_hidden="true"))
        for name, sample in found or _samples(chart)
    ]


def _samples(chart: Chart) -> list[tuple[str, Markup]]:
    """The legend: each series, where there are several or a mark needs a word. Parts that no bar has are left out."""
    first: dict[str, Value] = {}
    for value in chart.values:
        if value.series and (value.value or value.kind != "bar"):
            first.setdefault(value.series, value)
    if len(first) < 2:
        return []
    return [
        (name, _bar(0, -_BAR / 2, 22, v.color, v.turn) if v.kind == "bar" else _mark(v, 12, 0))
        for name, v in first.items()
    ]


# --- Lines and cells over time ---------------------------------------------------------------------------------------


def _draw_lines(chart: Chart, canvas: _Canvas) -> None:
    values = [v for line in chart.lines for v in line.values]
    heights = [v.value for v in values] + [y for line in chart.lines for _, y in line.fit]
    heights += [end for line in chart.lines for band in line.bands for _, *ends in band for end in ends]
    # A limit far above would squeeze the marks together.
    near = [(limit, words) for limit, words in chart.limits if limit <= 3 * max(heights)]
    low, high, fraction = _scale([*heights, *(limit for limit, _ in near)], chart.is_log, chart.scale)
    end = chart.span or max(v.at + v.minutes for v in values) or 1.0
    # Several charts share one legend; each has a head.
    is_panel, is_spark = canvas.width < NARROW, canvas.width <= SPARK
    lines = [line for line in chart.lines if line.name]
    many = lines if len(lines) > 1 and not is_panel else ()
    # Names are at the ends of lines in place of a legend, if there is room for them.
    longest = max((text_width(line.name) for line in many), default=0.0)
    named = many if canvas.is_wide and len(many) <= _MOST_NAMED and longest < 0.3 * canvas.width else ()
    if not named:
        canvas.legend([(line.name, _sample(line)) for line in many])
    canvas.lines(0, [] if is_panel else wrapped(chart.axis, canvas.width), "axis")
    for limit, words in chart.limits:
        if words and (limit, words) not in near:
            canvas.lines(0, wrapped(f"{words}, far above", canvas.width), "axis")
    scale = [] if is_spark else axis_ticks(low, high, 2 if is_panel else 5, chart.is_log)
    left = max((text_width(words) for _, words in scale), default=0.0) + 8
    right = canvas.width - (longest + 12 if named else _DOT + 3)
    # A spark is as wide as its picture, less the upright marks at its ends.
    left, right = (1 - _DOT, canvas.width - 1.0) if is_spark else (left, right)
    height = 250 if canvas.is_wide else 32 if is_spark else 84 if is_panel else 180
    foot = canvas.y + (0 if is_spark else 8) + height

    def x_of(at: float) -> float:
        return left + _DOT + at / end * (right - left - _DOT)

    def y_of(value: float) -> float:
        return foot - fraction(value) * height

    for tick, words in scale:
        canvas.grid.append(f"M{_at(left, y_of(tick))}H{_n(right)}")
        canvas.text(left - 6, y_of(tick) + 4, words, "tick end")
    for line in chart.lines:
        _draw_line(chart, canvas, line, x_of, y_of)
    if chart.events:
        upright = "".join(f"M{_at(x_of(at), foot)}v-{height}" for at in chart.events)
        canvas.add(upright, class_="event", stroke="#c8372d", stroke_width=1.5, stroke_dasharray="3 2")
    for limit, words in near:
        canvas.add(
            f"M{_at(left, y_of(limit))}H{_n(right)}",
            stroke="currentColor",
            stroke_opacity=0.7,
            stroke_width=1.5,
            stroke_dasharray="6 4",
        )
        canvas.text(left + 6, y_of(limit) - 5, words) if words else None
    _name_ends(canvas, named, x_of, y_of, right, foot)
    told = [
        _tag("path", _tag("title", words), d=f"M{_at(x_of(a), foot - height / 2)}H{_n(x_of(b))}")
        for a, b, words in chart.hover
    ]
    canvas.parts += [_tag("g", *told, stroke="transparent", stroke_width=height)] if told else []
    if is_spark:
        canvas.y = foot + 4
    else:
        _draw_across(chart, canvas, x_of, (left, right, foot), end)


def _draw_across(chart: Chart, canvas: _Canvas, x_of: _Place, place: tuple[float, float, float], end: float) -> None:
    """The axis below, from left to right at the foot, with its texts."""
    left, right, foot = place
    path = f"M{_at(left, foot)}H{_n(right)}"
    for tick, words in _spaced(lambda most: _across(chart, end, most), right - left):
        path += f"M{_at(x_of(tick), foot)}v4"
        canvas.tick(x_of(tick), foot + 17, words)
    canvas.add(path, stroke=_GREY)
    canvas.y = foot + 24
    canvas.lines(left, wrapped(chart.across, canvas.width - left), "axis")
    canvas.y += 2


def _path(points: Sequence[tuple[float, float]]) -> str:
    """A line through points, in few characters where it is level or upright."""
    written = [(_n(x), _n(y)) for x, y in points]
    path = f"M{written[0][0]},{written[0][1]}"
    for (x0, y0), (x, y) in pairwise(written):
        path += f"V{y}" if x == x0 else f"H{x}" if y == y0 else f"L{x},{y}"
    return path


def _draw_line(chart: Chart, canvas: _Canvas, line: Line, x_of: _Place, y_of: _Place) -> None:
    for band in line.bands:
        edge = [(x_of(x), y_of(least)) for x, least, _ in band] + [
            (x_of(x), y_of(most)) for x, _, most in reversed(band)
        ]
        canvas.add(_path(edge) + "Z", fill=line.color, fill_opacity=0.22)
    if line.fit:
        ends = [(x_of(x), y_of(y)) for x, y in line.fit]
        canvas.add(_path(ends), stroke=line.color, stroke_width=1.5, stroke_dasharray="2 3")
    stretches: list[list[tuple[float, float]]] = [[]]
    for value in line.values if line.joined else ():
        ends = {value.at: None, value.at + value.minutes: None}
        stretches[-1] += [(x_of(at), y_of(value.value)) for at in ends]
        stretches += [[]] if value.breaks else []
    if path := "".join(map(_path, filter(None, stretches))):
        dash = _DASHES[line.dash % len(_DASHES)]
        canvas.add(path, fill="none", stroke=line.color, stroke_width=2, stroke_dasharray=dash)
    for value in line.values if line.symbol is not None else ():
        canvas.told(chart, value, _dot(x_of(value.at), y_of(value.value), line.color, line.symbol or 0))


def _sample(line: Line) -> Markup:
    dash = _DASHES[line.dash % len(_DASHES)]
    drawn = (
        _tag("path", d="M0,0H24", stroke=line.color, stroke_width=2, stroke_dasharray=dash) if line.joined else Markup()
    )
    return drawn + (_dot(12, 0, line.color, line.symbol) if line.symbol is not None else "")


def _name_ends(canvas: _Canvas, lines: Sequence[Line], x_of: _Place, y_of: _Place, right: float, foot: float) -> None:
    """The names of lines at the right, moved apart where they would overlap, with a thin line from the end of each."""
    ends = sorted(((y_of(line.values[-1].value), line) for line in lines), key=lambda end: end[0])
    at = [y for y, _ in ends]
    for n in range(1, len(at)):
        at[n] = max(at[n], at[n - 1] + 14)
    for n in reversed(range(len(at))):
        at[n] = min(at[n], at[n + 1] - 14 if n + 1 < len(at) else foot)
    for y, (end, line) in zip(at, ends, strict=True):
        x = x_of(line.values[-1].at + line.values[-1].minutes)
        canvas.add(f"M{_at(x + 4, end)}L{_at(right + 4, y)}", stroke=line.color, stroke_opacity=0.5)
        canvas.text(right + 7, y + 4, line.name)


# Height, class and colour of a cell by how bad it is.
_CELLS = ((6, "good", "#6b7683"), (10, "warn", "#c9740a"), (15, "bad", "#c8372d"))


def _cell(path: str, level: int) -> Markup:
    return _tag("path", d=path, class_=f"cell {_CELLS[level][1]}", fill=_CELLS[level][2])


def _draw_cells(chart: Chart, canvas: _Canvas) -> None:
    """Rows over time: the worse a cell, the higher it is."""
    right = canvas.width - 2.0

    def x_of(at: float) -> float:
        return 1 + min(at, chart.span) / chart.span * (right - 1)

    for row in chart.rows:
        paths = ["", "", ""]
        for value in (value for lane in row.lanes for value in lane.values):
            width = _n(max(0.7, x_of(value.at + value.minutes) - x_of(value.at)))
            paths[value.turn] += f"M{_at(x_of(value.at), canvas.y + 18)}h{width}v-{_CELLS[value.turn][0]}h-{width}Z"
        canvas.parts += [_cell(path, level) for level, path in enumerate(paths) if path]
        canvas.y += 22
    _draw_across(chart, canvas, x_of, (0.0, right, canvas.y), chart.span)
