"""Charts as SVG: complete in the page as written, without a script. Each is drawn twice, for a window or paper and for a phone; the style of the
page shows one of both. Sizes of texts are estimated for a wide font, so that no text leaves its picture."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from .chart import Chart, Lane, Line, Row, Value

WIDE, NARROW = 820, 340
_Place = Callable[[float], float]
_SIZE, _LEADING, _LANE, _BAR = 12, 15, 19, 13
_DOT = 5.0
# So much wider are bold letters.
_BOLD = 1.16
# Paths around 0,0 of the size of a circle of radius 5. The first is hollow: the baseline. Their number differs from that of colours, so that
# combinations repeat late.
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
DASHES = ("", "8 4", "2 3", "8 4 2 4")
# White marks on bars that tell them apart without colour: slanting lines (1 up, -1 down), or a line along the bar of a width and dashes.
_HATCHES: tuple[tuple[int, float, str], ...] = (
    (0, 0, ""), (1, 1.5, ""), (0, 3, "0 7"), (0, 3, ""), (-1, 1.5, ""), (0, 3, "7 5"), (0, _BAR, "1.5 4"),
)  # fmt: skip
_MOST_NAMED = 8


def picture(chart: Chart) -> Markup:
    """The chart for a window and for a phone."""
    return Markup("").join(svg(chart, width) for width in (WIDE, NARROW))


def svg(chart: Chart, width: int, *, is_alone: bool = False) -> Markup:
    """A chart of a width in pixels, as high as it needs. `is_alone`: with its title, on white."""
    canvas = _Canvas(width)
    if is_alone:
        canvas.y += 4
        canvas.lines(0, wrapped(chart.title, width, _SIZE * _BOLD), "heading")
        canvas.y += 8
    if chart.rows:
        (_draw_cells if chart.start else _draw_rows)(chart, canvas)
    else:
        _draw_lines(chart, canvas)
    edge = 16 if is_alone else 0
    wide, high = _n(width + 2 * edge), _n(canvas.y + 2 * edge)
    size = Markup('viewBox="{} {} {wide} {high}" width="{wide}" height="{high}"').format(
        -edge, -edge, wide=wide, high=high
    )
    ground = Markup('<path d="M{0},{0}H9999V9999H{0}Z" fill="#fff"/>').format(-edge) if is_alone else ""
    grid = Markup('<path d="{}" stroke="#808080" stroke-opacity=".3"/>').format("".join(canvas.grid))
    texts = Markup("").join(
        Markup("<g{}>{}</g>").format(Markup(_LOOKS[look]), Markup("").join(of)) for look, of in canvas.texts.items()
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart {}" {} role="img" aria-label="{}" font-family="system-ui,sans-serif" '
        'font-size="12" fill="currentColor">{}{}{}{}</svg>'
    ).format(
        "wide" if canvas.is_wide else "narrow", size, f"{chart.title}. {chart.about}".strip(),
        ground, grid, Markup("").join(canvas.parts), texts,
    )  # fmt: skip


# Texts of one look are together.
_LOOKS = {
    "": "",
    "name": "",
    "name end": ' text-anchor="end"',
    "heading": ' font-weight="600"',
    "tick": ' class="tick" text-anchor="middle"',
    "tick end": ' class="tick" text-anchor="end"',
    "axis": ' class="axis"',
}


# --- Texts -----------------------------------------------------------------------------------------------------------


def text_width(text: str, size: float = _SIZE) -> float:
    """The pixels of a text in a wide font, such as DejaVu Sans."""
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
    """A text in lines that are no wider, broken at spaces where there are any."""
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
    return lines


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def axis_ticks(low: float, high: float, most: int, is_log: bool = False) -> list[tuple[float, str]]:
    """Round values of an axis from low to high, about so many, and how they are written."""
    if is_log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for factors, every in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 4)):
            found = [f * 10.0**p for p in powers if p % every == 0 for f in factors if low <= f * 10.0**p <= high]
            if len(found) <= max(5, most):
                break
        return [(value, f"{value:,.10g}") for value in found]
    rough = (high - low) / max(2, most)
    power = math.floor(math.log10(rough))
    step, decimals = next((f * 10.0**power, d - power) for f, d in _STEPS if f * 10.0**power >= rough * (1 - 1e-9))
    every = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(n * step, f"{n * step:,.{max(0, decimals)}f}".replace("-", "−")) for n in every]


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


def _stroke(path: str) -> Markup:
    return Markup('<path d="{}" stroke="#808080"/>').format(path)


@dataclass
class _Canvas:
    """What is drawn so far; `y` is where the next part begins. Lines of the grid lie under marks, texts above."""

    width: int
    y: float = 4.0
    parts: list[Markup] = field(default_factory=list)
    grid: list[str] = field(default_factory=list)
    texts: dict[str, list[Markup]] = field(default_factory=dict)

    @property
    def is_wide(self) -> bool:
        return self.width >= WIDE

    def add(self, html: str, *values: object) -> None:
        self.parts.append(Markup(html).format(*values))

    def text(self, x: float, y: float, words: str, look: str = "") -> None:
        drawn = Markup('<text x="{}" y="{}">{}</text>').format(_n(x), _n(y), words)
        self.texts.setdefault(look, []).append(drawn)

    def lines(self, x: float, texts: Sequence[str], look: str = "") -> None:
        """Lines of text from `y` on, which moves below them."""
        for words in texts:
            # A letter may reach over its left edge.
            self.text(x or 1, self.y + 11, words, look)
            self.y += _LEADING

    def told(self, value: Value, drawn: Markup) -> None:
        """A mark with what is told on hovering, which nobody does on a phone."""
        said = Markup("<title>{}</title>").format(value.said) if self.is_wide and value.said else ""
        self.parts.append(Markup("<g>{}{}</g>").format(said, drawn) if said else drawn)

    def bar(self, x: float, y: float, width: float, height: float, color: str, turn: int) -> Markup:
        box = f"M{_n(x)},{_n(y)}h{_n(max(width, 0.5))}v{_n(height)}H{_n(x)}Z"
        drawn = Markup('<path d="{}" fill="{}"/>').format(box, color)
        slant, thick, dashes = _HATCHES[turn % len(_HATCHES)]
        middle, lines = y + height / 2, f"M{_n(x)},{_n(y + height / 2)}h{_n(width)}"
        if slant:
            # Each line is cut where the bar ends.
            lines = ""
            for at in range(-int(height), int(width), 6):
                left, right = max(at, 0), min(at + height, width)
                lines += f"M{_n(x + left)},{_n(middle - slant * (left - at - height / 2))}L{_n(x + right)},{_n(middle - slant * (right - at - height / 2))}"
        if not thick or width < 1:
            return drawn
        dash = (
            Markup(' stroke-dasharray="{}" stroke-linecap="{}"').format(
                dashes, "round" if dashes.startswith("0") else "butt"
            )
            if dashes
            else ""
        )
        return drawn + Markup('<path d="{}" stroke="#fff" stroke-opacity=".75" stroke-width="{}"{}/>').format(
            lines, thick, dash
        )

    def dot(self, x: float, y: float, color: str, turn: int) -> Markup:
        turn %= len(SYMBOLS)
        look = Markup('fill="none" stroke="{0}" stroke-width="2"' if not turn else 'fill="{0}"').format(color)
        return Markup('<path transform="translate({} {})" d="{}" {}/>').format(_n(x), _n(y), SYMBOLS[turn], look)

    def whisker(self, x1: float, x2: float, y: float) -> Markup:
        ends = f"M{_n(x1)},{_n(y)}H{_n(x2)}M{_n(x1)},{_n(y - 4)}V{_n(y + 4)}M{_n(x2)},{_n(y - 4)}V{_n(y + 4)}"
        return Markup(
            '<path d="{}" class="whisker" fill="none" stroke="currentColor" stroke-opacity=".7" stroke-width="1.5"/>'
        ).format(ends)

    def legend(self, entries: Sequence[tuple[str, Markup]]) -> None:
        """Names beside samples of their marks, which are drawn around 12,0."""
        x = 0.0
        for name, sample in entries:
            room = self.width - 30
            first, *more = wrapped(name, room)
            if x and x + 30 + text_width(first) > self.width:
                x, self.y = 0.0, self.y + _LEADING + 3
            self.add('<g transform="translate({} {})">{}</g>', _n(x), _n(self.y + 7), sample)
            self.text(x + 28, self.y + 11, first)
            for words in more:
                self.y += _LEADING
                self.text(28, self.y + 11, words)
            x += 28 + text_width(first) + 18
        if entries:
            self.y += _LEADING + 7


# --- Rows ------------------------------------------------------------------------------------------------------------


def _extent(chart: Chart) -> tuple[float, float]:
    """The least and the most place of anything that is drawn; bars begin at 0."""
    places = [place for lane in chart.lanes for place in _reach(lane)]
    places += [chart.origin] if chart.origin is not None else []
    if chart.is_log:
        return min(p for p in places if p > 0), max(places)
    return min(0.0, *places), max(0.0, *places)


def _reach(lane: Lane) -> list[float]:
    bars = [v.value for v in lane.values if v.kind == "bar"]
    found = [sum(b for b in bars if b < 0), sum(b for b in bars if b > 0)] if bars else []
    for value in lane.values:
        if value.kind != "bar":
            found.append(value.x)
        found += [end for end in (value.lower, value.upper) if end is not None]
    return found or [0.0]


def _draw_rows(chart: Chart, canvas: _Canvas) -> None:
    width = float(canvas.width)
    canvas.legend(_samples(chart, canvas))
    low, high = _extent(chart)
    if low == high:
        high = low + 1.0 if not chart.is_log else low * 2
    longest = max((text_width(row.name) for row in chart.rows if row.lanes), default=0.0)
    left = min(longest + 12, 0.3 * width) if canvas.is_wide else 0.0
    # Marks at the ends of the axis are drawn whole.
    edge = _DOT + 3 if any(v.kind == "dot" for v in chart.values) or low < 0 else 1.0

    def fraction(place: float) -> float:
        if chart.is_log:
            return math.log(max(place, low) / low) / math.log(high / low)
        return (place - low) / (high - low)

    # Words stand beside their marks, if these keep half of the room.
    room = width - left - 2
    plot = room
    for lane in chart.lanes:
        if lane.words:
            rest = width - left - edge - 10 - text_width(lane.words)
            most = fraction(max(_reach(lane)))
            plot = min(plot, rest / most + 2 * edge if most > 0 else room if rest > 0 else 0)
    is_beside = plot >= 0.45 * room
    plot = plot if is_beside else room

    def x_of(place: float) -> float:
        return left + edge + fraction(place) * (plot - 2 * edge)

    top = canvas.y
    for row in chart.rows:
        _draw_row(chart, canvas, row, left, x_of, is_beside)
    for tick, said in axis_ticks(low, high, int(plot / 70), chart.is_log):
        canvas.grid.append(f"M{_n(x_of(tick))},{_n(top)}V{_n(canvas.y)}")
        half = text_width(said) / 2
        canvas.text(min(max(x_of(tick), half), width - half), canvas.y + 14, said, "tick")
    origin = 0.0 if low < 0 and chart.origin is None else chart.origin
    if origin is not None:
        canvas.parts.insert(0, _stroke(f"M{_n(x_of(origin))},{_n(top)}V{_n(canvas.y)}"))
    canvas.y += 20
    canvas.lines(left, wrapped(chart.axis, width - left), "axis")
    canvas.y += 2


def _draw_row(chart: Chart, canvas: _Canvas, row: Row, left: float, x_of: _Place, is_beside: bool) -> None:
    width = canvas.width
    if not row.lanes:
        canvas.y += 6
        canvas.lines(0, wrapped(row.name, width, _SIZE * _BOLD), "heading")
        return
    names = wrapped(row.name, left - 12 if canvas.is_wide else width)
    if canvas.is_wide:
        for n, words in enumerate(names):
            canvas.text(left - 10, canvas.y + 14 + n * _LEADING, words, "name end")
    elif any(names):
        canvas.lines(0, names, "name")
    bottom = canvas.y + len(names) * _LEADING + 4 if canvas.is_wide else 0.0
    for lane in row.lanes:
        _draw_lane(canvas, lane, x_of)
        end = x_of(max(_reach(lane))) + 8
        if lane.words and is_beside:
            canvas.text(end, canvas.y + 14, lane.words)
        canvas.y += _LANE
        if lane.words and not is_beside:
            canvas.lines(left + 2, wrapped(lane.words, width - left - 2))
            canvas.y += 2
    canvas.y = max(canvas.y, bottom) + (5 if len(row.lanes) > 1 or not canvas.is_wide else 3)


def _draw_lane(canvas: _Canvas, lane: Lane, x_of: _Place) -> None:
    middle = canvas.y + _LANE / 2
    if lane.joined and len(lane.values) > 1:
        ends = [v.x for v in lane.values]
        canvas.add(
            '<path d="M{},{}H{}" stroke="#808080" stroke-opacity=".6" stroke-width="2"/>',
            _n(x_of(min(ends))),
            _n(middle),
            _n(x_of(max(ends))),
        )
    ends = [0.0, 0.0]
    for value in lane.values:
        if value.kind == "bar":
            start = ends[value.value > 0]
            ends[value.value > 0] += value.value
            x1, x2 = sorted((x_of(start), x_of(start + value.value)))
            drawn = canvas.bar(x1, middle - _BAR / 2, x2 - x1, _BAR, value.color, value.turn)
        elif value.kind == "dot":
            drawn = canvas.dot(x_of(value.x), middle, value.color, value.turn)
        else:
            drawn = Markup('<path d="M{},{}v{}" stroke="currentColor" stroke-width="2.5"/>').format(
                _n(x_of(value.x)), _n(middle - 9), 18
            )
        if value.lower is not None and value.upper is not None:
            drawn = canvas.whisker(x_of(value.lower), x_of(value.upper), middle) + drawn
        canvas.told(value, drawn)


def _samples(chart: Chart, canvas: _Canvas) -> list[tuple[str, Markup]]:
    """The legend: each series, where there are several or a mark needs a word."""
    first: dict[str, Value] = {}
    for value in chart.values:
        if value.series:
            first.setdefault(value.series, value)
    if len(first) < 2:
        return []
    found = []
    for name, value in first.items():
        if value.kind == "bar":
            sample = canvas.bar(0, -6, 22, 12, value.color, value.turn)
        elif value.kind == "dot":
            sample = canvas.dot(12, 0, value.color, value.turn)
        else:
            sample = Markup('<path d="M12,-7v14" stroke="currentColor" stroke-width="2.5"/>')
        found.append((name, sample))
    return found


# --- Lines -----------------------------------------------------------------------------------------------------------


def _draw_lines(chart: Chart, canvas: _Canvas) -> None:
    values = [v for line in chart.lines for v in line.values]
    heights = [v.value for v in values] + [
        h for line in chart.lines for band in line.bands for _, *ends in band for h in ends
    ]
    heights += [y for line in chart.lines for _, y in line.fit]
    most = max(heights)
    heights += [limit for limit, _ in chart.limits if limit <= 3 * most]
    low, high = (
        (min(h for h in heights if h > 0), max(heights)) if chart.is_log else (min(0.0, *heights), max(0.0, *heights))
    )
    high = high if high > low else low + 1.0
    right_end = chart.span or max(v.at + v.minutes for v in values) or 1.0
    many = chart.lines if len(chart.lines) > 1 else ()
    # Names at the ends of lines, in place of a legend.
    named = (
        many
        if canvas.is_wide
        and 0 < len(many) <= _MOST_NAMED
        and max(text_width(n.name) for n in many) < 0.3 * canvas.width
        else ()
    )
    if many and not named:
        canvas.legend([(line.name, _line_sample(line, canvas)) for line in chart.lines])
    canvas.lines(0, wrapped(chart.axis, canvas.width), "axis")
    far = [words for limit, words in chart.limits if limit > 3 * most]
    canvas.lines(0, [line for words in far for line in wrapped(f"{words}, far above", canvas.width)], "axis")
    height = 250 if canvas.is_wide else 180
    top = canvas.y + 8
    foot = top + height
    scale = axis_ticks(low, high, 5, chart.is_log)
    left = max((text_width(w) for _, w in scale), default=0.0) + 8
    right = canvas.width - (max(text_width(line.name) for line in named) + 12 if named else _DOT + 3)

    def x_of(at: float) -> float:
        return left + _DOT + at / right_end * (right - left - _DOT)

    def y_of(value: float) -> float:
        part = math.log(max(value, low) / low) / math.log(high / low) if chart.is_log else (value - low) / (high - low)
        return foot - part * height

    for tick, said in scale:
        canvas.grid.append(f"M{_n(left)},{_n(y_of(tick))}H{_n(right)}")
        canvas.text(left - 6, y_of(tick) + 4, said, "tick end")
    _draw_across(chart, canvas, x_of, (left, right), right_end, foot)
    for line in chart.lines:
        _draw_line(canvas, line, x_of, y_of)
    for limit, said in chart.limits:
        if limit <= 3 * most:
            canvas.add(
                '<path d="M{},{}H{}" stroke="currentColor" stroke-opacity=".7" stroke-width="1.5" stroke-dasharray="6 4"/>',
                _n(left),
                _n(y_of(limit)),
                _n(right),
            )
            canvas.text(left + 6, y_of(limit) - 5, said)
    _name_ends(canvas, named, x_of, y_of, right, foot)
    canvas.y = foot + 24
    canvas.lines(left, wrapped(chart.across, canvas.width - left), "axis")
    canvas.y += 2


def _draw_across(
    chart: Chart, canvas: _Canvas, x_of: _Place, ends: tuple[float, float], most: float, foot: float
) -> None:
    """The axis below, with its texts."""
    left, right = ends
    path = f"M{_n(left)},{_n(foot)}H{_n(right)}"
    for tick, said in _across(chart, most, int((right - left) / 80)):
        path += f"M{_n(x_of(tick))},{_n(foot)}v4"
        half = text_width(said) / 2
        canvas.text(min(max(x_of(tick), half), canvas.width - half), foot + 17, said, "tick")
    canvas.parts.append(_stroke(path))


def _draw_cells(chart: Chart, canvas: _Canvas) -> None:
    """Rows over time: the worse a cell, the higher it is."""
    levels: dict[str, int] = {v.series: v.turn for v in chart.values if v.series}
    canvas.legend(
        [
            (name, _cell(f"M0,6h22v-{_CELLS[level][0]}h-22Z", level))
            for name, level in sorted(levels.items(), key=lambda of: of[1])
        ]
    )
    left = min(max(text_width(row.name) for row in chart.rows) + 12, 0.3 * canvas.width) if canvas.is_wide else 0.0
    right = canvas.width - 2.0

    def x_of(at: float) -> float:
        return left + 1 + at / chart.span * (right - left - 1)

    for row in chart.rows:
        names = wrapped(row.name, left - 12 if canvas.is_wide else canvas.width)
        if canvas.is_wide:
            for n, words in enumerate(names):
                canvas.text(left - 10, canvas.y + 14 + n * _LEADING, words, "name end")
        else:
            canvas.lines(0, names, "name")
        paths = ["", "", ""]
        for value in (value for lane in row.lanes for value in lane.values):
            width = max(0.7, x_of(min(chart.span, value.at + value.minutes)) - x_of(value.at))
            paths[value.turn] += (
                f"M{_n(x_of(value.at))},{_n(canvas.y + 18)}h{_n(width)}v-{_CELLS[value.turn][0]}h-{_n(width)}Z"
            )
        canvas.parts += [_cell(path, level) for level, path in enumerate(paths) if path]
        canvas.y += max(22, len(names) * _LEADING + 4 if canvas.is_wide else 22)
    _draw_across(chart, canvas, x_of, (left, right), chart.span, canvas.y)
    canvas.y += 24


# Height, class and colour of a cell by how bad it is.
_CELLS = ((6, "good", "#6b7683"), (10, "warn", "#c9740a"), (15, "bad", "#a11f17"))


def _cell(path: str, level: int) -> Markup:
    _, name, color = _CELLS[level]
    return Markup('<path class="cell {}" d="{}" fill="{}"/>').format(name, path, color)


def _draw_line(canvas: _Canvas, line: Line, x_of: _Place, y_of: _Place) -> None:
    for band in line.bands:
        edge = [f"{_n(x_of(x))},{_n(y_of(least))}" for x, least, _ in band]
        edge += [f"{_n(x_of(x))},{_n(y_of(most))}" for x, _, most in reversed(band)]
        canvas.add('<path d="M{}Z" fill="{}" fill-opacity=".22"/>', "L".join(edge), line.color)
    dashed = Markup(f' stroke-dasharray="{DASHES[line.dash % len(DASHES)]}"' if line.dash % len(DASHES) else "")
    if line.fit:
        ends = "L".join(f"{_n(x_of(x))},{_n(y_of(y))}" for x, y in line.fit)
        canvas.add(
            '<path d="M{}" fill="none" stroke="{}" stroke-width="1.5" stroke-dasharray="2 3"/>',
            ends,
            line.color,
        )
    if line.joined:
        path, starts = [], True
        for value in line.values:
            x, y = _n(x_of(value.at)), _n(y_of(value.value))
            path.append(f"M{x},{y}" if starts else f"V{y}" if value.minutes else f"L{x},{y}")
            if value.minutes:
                path.append(f"H{_n(x_of(value.at + value.minutes))}")
            starts = value.breaks
        canvas.add('<path d="{}" fill="none" stroke="{}" stroke-width="2"{}/>', "".join(path), line.color, dashed)
    for value in line.values if line.symbol is not None else ():
        canvas.told(value, canvas.dot(x_of(value.at), y_of(value.value), line.color, line.symbol))


def _line_sample(line: Line, canvas: _Canvas) -> Markup:
    dot = canvas.dot(12, 0, line.color, line.symbol) if line.symbol is not None else ""
    dashed = DASHES[line.dash % len(DASHES)]
    stroke = (
        Markup('<path d="M0,0H24" stroke="{}" stroke-width="2" stroke-dasharray="{}"/>').format(
            line.color, dashed or "none"
        )
        if line.joined
        else ""
    )
    return Markup("{}{}").format(stroke, dot)


def _name_ends(canvas: _Canvas, lines: Sequence[Line], x_of: _Place, y_of: _Place, right: float, foot: float) -> None:
    """The names of lines at the right, moved apart where they would overlap, with a thin line from the end of each."""
    ends = sorted(((y_of(line.values[-1].value), line) for line in lines), key=lambda end: end[0])
    at = [y for y, _ in ends]
    for n in range(1, len(at)):
        at[n] = max(at[n], at[n - 1] + 14)
    for n in reversed(range(len(at))):
        at[n] = min(at[n], at[n + 1] - 14 if n + 1 < len(at) else foot)
    for y, (end, line) in zip(at, ends, strict=True):
        last = line.values[-1]
        x = x_of(last.at + last.minutes)
        canvas.add(
            '<path d="M{},{}L{},{}" stroke="{}" stroke-opacity=".5" fill="none"/>',
            _n(x + 4),
            _n(end),
            _n(right + 4),
            _n(y),
            line.color,
        )
        canvas.text(right + 7, y + 4, line.name, "name")
