"""Charts as plain data: svg.py draws a chart, `data` packs it for the scripts of the page. All names are unescaped
text."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..numbers import four_digits

Words = Sequence[str | float | None]


@dataclass(frozen=True)
class Value:
    """A value that is drawn, saved and shown on hovering. `words`: its keys in the saved data, the place of print last;
    `measure`: its title with unit there, empty for a value that is only drawn. `turn`: hatching of a bar, symbol of a
    dot, how bad a cell is (0 to 2). `place`: its place on the axis of values, if that is not its value; `at`: its place
    across, `minutes`: how long it lasts from there, `breaks`: its line ends after it."""

    value: float
    words: Words = ()
    measure: str = ""
    series: str = ""
    color: str = "#808080"
    turn: int = 0
    kind: Literal["bar", "dot", "tick", "cell"] = "bar"
    lower: float | None = None
    upper: float | None = None
    place: float | None = None
    at: float = 0.0
    minutes: float = 0.0
    breaks: bool = False

    @property
    def x(self) -> float:
        return self.value if self.place is None else self.place


@dataclass(frozen=True)
class Lane:
    """Values on one line: bars are stacked, `joined` dots have a line between them. `words` are beside or below."""

    values: Sequence[Value]
    words: str = ""
    joined: bool = False


@dataclass(frozen=True)
class Row:
    """A name and its lanes; a heading has none."""

    name: str
    lanes: Sequence[Lane] = ()


@dataclass(frozen=True)
class Line:
    """Values over x. `symbol`: they are drawn; `joined`: with lines between them. `bands`: stretches of (x, least, most); `fit`: the ends of a
    straight line."""

    name: str
    color: str
    values: Sequence[Value]
    dash: int = 0
    symbol: int | None = None
    joined: bool = True
    bands: Sequence[Sequence[tuple[float, float, float]]] = ()
    fit: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Chart:
    """Rows of values by name, or lines over x. `names`: the names of the words of a value; `axis`: title and unit of
    the axis of values, `across`: those of the other axis of lines; `origin`: the value that parts less from more;
    `limits`: values with a word, which lines must not pass. `start`: lines or cells are over time, `at` in seconds from
    here, for `span` seconds. `scale`: the ends of the axis of values; `events`: places across with an upright line;
    `hover`: the text shown between two places across."""

    id: str
    title: str
    about: str
    view: str
    unit: str
    names: Sequence[str]
    axis: str
    rows: Sequence[Row] = ()
    lines: Sequence[Line] = ()
    across: str = ""
    is_log: bool = False
    origin: float | None = None
    limits: Sequence[tuple[float, str]] = ()
    start: dt.datetime | None = None
    span: float = 0.0
    scale: tuple[float, float] | None = None
    events: Sequence[float] = ()
    hover: Sequence[tuple[float, float, str]] = ()

    @property
    def lanes(self) -> list[Lane]:
        return [lane for row in self.rows for lane in row.lanes]

    @property
    def values(self) -> Iterator[Value]:
        for owner in (*self.lanes, *self.lines):
            yield from owner.values


def short(value: float) -> float:
    """A value rounded to the digits that a chart can show."""
    return float(f"{value:.6g}")


def told(chart: Chart, value: Value) -> str:
    """The text that hovering over a value shows: its keys, its measure with the ends of its interval, and its place of print."""
    ends = ""
    if value.lower is not None and value.upper is not None:
        ends = f" ({four_digits(value.lower)} to {four_digits(value.upper)})"
    *keys, source = zip([*chart.names, "source"], value.words, strict=True)
    shown = [*keys, (value.measure, four_digits(value.value) + ends), source]
    return "\n".join(
        f"{name}: {four_digits(word) if isinstance(word, float) else word}"
        for name, word in shown
        if word not in (None, "")
    )


def data(chart: Chart) -> dict[str, Any]:
    """A chart in the form that the scripts of a page read: for its saved data, its table of numbers, and plotly.js."""
    if chart.start:
        return {
            "id": chart.id,
            "start": chart.start.isoformat(),
            "csv": chart.names,
            "unit": chart.unit,
            "series": [*map(_times, chart.lines)],
        }
    series = [_line(line) for line in chart.lines] if chart.lines else _of_rows(chart)
    return {
        "id": chart.id,
        "csv": [*chart.names, "source"],
        "unit": chart.unit,
        "axis": chart.axis,
        "across": chart.across,
        "log": chart.is_log,
        "rows": [row.name for row in chart.rows],
        "headings": [n for n, row in enumerate(chart.rows) if not row.lanes],
        "limits": chart.limits,
        "series": series,
    }


def _of_rows(chart: Chart) -> list[dict[str, Any]]:
    """The values by kind and name; `y` is the place of their lane."""
    found: dict[tuple[str, str], list[tuple[float, int, Value]]] = {}
    for place, row in enumerate(chart.rows):
        for turn, lane in enumerate(row.lanes):
            at = place + (turn - (len(row.lanes) - 1) / 2) * 0.8 / len(row.lanes)
            for value in lane.values:
                found.setdefault((value.kind, value.series), []).append((at, len(row.lanes), value))
    return [
        {
            "name": name,
            "kind": kind,
            "turn": mine[0][2].turn,
            # Bars of a series may each have the colour of their row.
            "color": colors[0] if len({*colors}) == 1 else colors,
            "width": 0.66 / max(lanes for _, lanes, _ in mine),
            "measure": mine[0][2].measure,
            "x": [short(value.x) for _, _, value in mine],
            "y": [round(at, 4) for at, _, _ in mine],
            "values": [short(value.value) for _, _, value in mine],
            "words": [value.words for _, _, value in mine],
            "ends": [[value.lower, value.upper] for _, _, value in mine],
        }
        for (kind, name), mine in found.items()
        if (colors := [value.color for _, _, value in mine])
    ]


def _times(line: Line) -> dict[str, Any]:
    """A line over time: the words of its values are its name and the times."""
    return {
        "name": line.name,
        "measure": line.values[0].measure,
        "x": [short(value.at) for value in line.values],
        "values": [short(value.value) for value in line.values],
    }


def _line(line: Line) -> dict[str, Any]:
    """A line; a step line ends at the end of its last interval, with an extra point that has no words."""
    points: list[tuple[float, float | None, Words]] = []
    for place, value in enumerate(line.values):
        points.append((short(value.at), short(value.value), value.words))
        if value.minutes and (value.breaks or place + 1 == len(line.values)):
            end = short(value.at + value.minutes)
            points += [(end, short(value.value), ()), (end, None, ())]
    x, y, words = (list(of) for of in zip(*points, strict=True)) if points else ([], [], [])
    return {
        "name": line.name,
        "kind": "line",
        "turn": line.symbol,
        "dash": line.dash,
        "color": line.color,
        "steps": any(value.minutes for value in line.values),
        "joined": line.joined,
        "measure": line.values[0].measure if line.values else "",
        "x": x,
        "y": y,
        "values": y,
        "words": words,
        "bands": line.bands,
        "fit": line.fit,
    }
