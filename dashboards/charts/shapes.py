"""The shapes of declared charts, bars, marks and lines: pure functions of marks that return a plotly figure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import plotly.graph_objects as go

from ..numbers import column_decimals, column_writer, four_digits, pair_writer, signed
from .drawing import RUN_SYMBOLS, SERIES_COLORS, bare_figure, faint, fill, name_rows, short, text, write_beside

_MOST_NAMES = 24
_MOST_LINES = 12
# On longer lines, each point is the mean of several.
_MOST_POINTS = 400
_GREY = "rgba(128,128,128,0.95)"


@dataclass(frozen=True)
class Mark:
    """A value of a chart: its keys (`words`; `label` is the part a reader needs) and series. `at`: position in minutes; `breaks`: the
    line ends after it; `weight`: its weight in a mean, default its time; `incomplete`: another part of the label is unknown; `group`:
    labels of a group are drawn together or not at all, below its name; `row` is the label without it. `turn`: place of its
    configuration in the study."""

    words: tuple[str | float | None, ...]
    label: str
    series: str
    measure: str
    value: float
    reference: str
    color: str | None = None
    hatching: int | None = None
    lower: float | None = None
    upper: float | None = None
    note: str = ""
    rank: float | None = None
    at: float = 0.0
    minutes: float = 0.0
    breaks: bool = False
    weight: float | None = None
    incomplete: bool = False
    group: str | None = None
    row: str = ""
    turn: int | None = None


@dataclass(frozen=True)
class Frame:
    """The texts of a figure: `axis` names the values without unit, `names` the keys in the CSV, `weighted_by` the weight of a mark,
    `chosen_by` the ranking if there are too many marks. `by_size`: the largest group or bar is at the top. `is_change`: values are
    differences, and have a sign. `joined`: the marks of a row are one thing before and after."""

    id: str
    title: str
    about: str
    view: str
    unit: str
    axis: str
    names: Sequence[str]
    weighted_by: str = "time"
    chosen_by: str = ""
    by_size: bool = False
    is_change: bool = False
    joined: bool = False
    most: int = 0

    def left_out(self, shown: int, left_out: int) -> str:
        """The note in a title about labels not drawn."""
        return (
            f"; shown are the {shown:,} of {shown + left_out:,} with {self.chosen_by or 'the largest values'}"
            if left_out
            else ""
        )

    @property
    def value_title(self) -> str:
        return f"{self.axis} ({self.unit})" if self.unit else self.axis

    def figure(self, marks: Sequence[Mark], hidden: str, value_axis: str, height: int) -> go.Figure:
        return bare_figure(
            self.id, self.title + hidden, f"{self.about} {in_words(marks, self.unit)}", self.view, self.unit,
            (*self.names, "source"), value_axis, height,
        )  # fmt: skip


def in_words(marks: Sequence[Mark], unit: str) -> str:
    """The largest and smallest value, for screen readers."""
    if not marks:
        return ""
    most, least = max(marks, key=lambda m: m.value), min(marks, key=lambda m: m.value)

    def describe(mark: Mark) -> str:
        return f"{', '.join(dict.fromkeys(filter(None, (mark.label, mark.series))))} {with_unit(mark.value, unit)}"

    if len(marks) == 1:
        return f"The only value: {describe(most)}."
    return f"Largest: {describe(most)}" + (f"; smallest: {describe(least)}." if least.value else ".")


def with_unit(value: float, unit: str, write: Callable[[float], str] = four_digits) -> str:
    """A value with its unit, written as the others of its column.

    >>> with_unit(20.0, "1/s"), with_unit(-2.5, "%"), with_unit(12.0, "ms")
    ('20/s', '−2.5%', '12 ms')
    """
    written = write(value).replace("-", "−")
    if unit.startswith("1/"):
        return f"{written}/{unit[2:]}"
    return written + (unit if unit.startswith("%") else f" {unit}" if unit else "")


def _hover(mark: Mark, frame: Frame) -> str:
    ends = (
        f" ({four_digits(mark.lower)} to {four_digits(mark.upper)})"
        if mark.lower is not None and mark.upper is not None
        else ""
    )
    note = f"<br>{text(mark.note)}" if mark.note else ""
    return (
        f"<b>{text(' · '.join(dict.fromkeys(filter(None, (mark.label, mark.series)))))}</b>"
        f"<br>{text(mark.measure)}: {with_unit(mark.value, frame.unit)}{ends}{note}<br>{text(mark.reference)}"
    )


def _chosen(marks: Sequence[Mark], most: int, *, are_stacked: bool = False) -> tuple[list[str], int]:
    """Labels in their order, and how many are left out. If there are too many, the groups of the highest rank (default: the largest
    value, or sum of a stack). A group is drawn completely or not at all; a single group is always drawn."""
    ranks: dict[str, float] = {}
    groups: dict[str, list[str]] = {}
    for mark in marks:
        if mark.label not in ranks:
            groups.setdefault(mark.label if mark.group is None else mark.group, []).append(mark.label)
        so_far, here = ranks.get(mark.label, 0.0), abs(mark.value if mark.rank is None else mark.rank)
        ranks[mark.label] = so_far + here if are_stacked and mark.rank is None else max(so_far, here)
    if len(ranks) <= most:
        return list(ranks), 0
    shown: set[str] = set()
    for group in sorted(groups, key=lambda g: -max(ranks[label] for label in groups[g])):
        if shown and len(shown) + len(groups[group]) > most:
            break
        shown |= {*groups[group]}
    return [n for n in ranks if n in shown], len(ranks) - len(shown)


def along_names(marks: Sequence[Mark], frame: Frame, *, shape: str) -> go.Figure:
    """Values by name, one trace per series: stacked bars (`stack`), bars side by side (`group`), or `marks`. Rows of a group are one below
    the other, under its name."""
    labels, left_out = _chosen(marks, frame.most or _MOST_NAMES, are_stacked=shape == "stack")
    names, place = _rows(marks, labels, frame, shape)
    shown = [m for m in marks if m.label in place]
    series = [
        name
        for name in dict.fromkeys(m.series for m in shown)
        # A part that no bar has is not in the legend.
        if shape != "stack" or any(m.value for m in shown if m.series == name) or not any(m.value for m in shown)
    ]
    rows = len(names) + (len(labels) * (len(series) - 1) if shape == "group" else 0)
    hidden = frame.left_out(len(labels), left_out)
    figure = frame.figure(shown, hidden, "x", 130 + 26 * max(1, rows))
    if frame.joined:
        _join(figure, shown, place)
    for turn, name in enumerate(series):
        mine = [m for m in shown if m.series == name]
        drawn: dict[str, Any] = {
            "x": [short(m.value) for m in mine],
            "y": [place[m.label] for m in mine],
            "name": text(name),
            "customdata": [[*m.words, m.reference] for m in mine],
            "hovertext": [_hover(m, frame) for m in mine],
            "hoverinfo": "text",
            "showlegend": len(series) > 1,
            "meta": {"measure": mine[0].measure + (f" ({frame.unit})" if frame.unit else ""), "name": name},
        }
        color = mine[0].color or SERIES_COLORS[turn % len(SERIES_COLORS)]
        if shape == "marks":
            whiskers = [(m.lower, m.upper) for m in mine]
            if any(None not in ends for ends in whiskers):
                drawn["error_x"] = {
                    "type": "data", "symmetric": False, "color": _GREY, "thickness": 1.5, "width": 6,
                    # For null plotly.js draws a whisker of length 0, for NaN none.
                    "array": ["unknown" if m.upper is None else m.upper - m.value for m in mine],
                    "arrayminus": ["unknown" if m.lower is None else m.value - m.lower for m in mine],
                }  # fmt: skip
            symbol = (mine[0].turn if mine[0].turn is not None else turn + 1) % len(RUN_SYMBOLS)
            marker = {"color": color, "symbol": RUN_SYMBOLS[symbol], "size": 10}
            figure.add_scatter(mode="markers", marker=marker | {"line": {"color": color, "width": 2}}, **drawn)
        else:
            width = 0.62 if shape == "stack" else 0.8 / len(series)
            if shape == "group":
                drawn["offset"] = -0.4 + width * turn
            hatching = turn if mine[0].hatching is None else mine[0].hatching
            figure.add_bar(orientation="h", width=width, marker=fill(color, hatching), **drawn)
    figure.update_layout(barmode="relative" if shape == "stack" else "overlay")
    words = _write_ends(figure, shown, place, shape, frame)
    _value_range(figure, shown, shape, frame, words)
    name_rows(figure, names, has_grid=shape == "marks", are_written=True)
    return figure


def _rows(marks: Sequence[Mark], labels: Sequence[str], frame: Frame, shape: str) -> tuple[list[str], dict[str, int]]:
    """The names along the axis, those of groups in bold above their rows, and the place of each label."""
    first = {}
    size: dict[str, float] = {}
    for mark in marks:
        first.setdefault(mark.label, mark)
        value = abs(float(mark.value if mark.rank is None else mark.rank))
        size[mark.label] = (
            size.get(mark.label, 0.0) + value if shape == "stack" else max(size.get(mark.label, 0.0), value)
        )
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(label if first[label].group is None else str(first[label].group), []).append(label)
    order = sorted(groups, key=lambda g: -max(size[label] for label in groups[g])) if frame.by_size else list(groups)
    names: list[str] = []
    place: dict[str, int] = {}
    for group in order:
        is_grouped = bool(first[groups[group][0]].row)
        if is_grouped:
            names.append(f"<b>{text(group)}</b>")
        for label in groups[group]:
            place[label] = len(names)
            names.append(text(first[label].row if is_grouped else label))
    return names, place


def _join(figure: go.Figure, marks: Sequence[Mark], place: dict[str, int]) -> None:
    """A line between the marks of each row."""
    x: list[float | None] = []
    y: list[float | None] = []
    for label, at in place.items():
        values = [m.value for m in marks if m.label == label]
        x += [short(min(values)), short(max(values)), None]
        y += [at, at, None]
    line = {"color": "rgba(128,128,128,0.6)", "width": 2}
    figure.add_scatter(mode="lines", x=x, y=y, line=line, hoverinfo="skip", showlegend=False)


def _write_ends(
    figure: go.Figure, marks: Sequence[Mark], place: dict[str, int], shape: str, frame: Frame
) -> tuple[int, int]:
    """The known sum of each stack and its note as text after the bar, before it if the sum is negative; the values and the change of two
    joined marks; for other shapes the note only. Returns the most characters left and right."""
    of_label = {label: [m for m in marks if m.label == label] for label in place}
    sums = {label: sum(m.value for m in mine) for label, mine in of_label.items()}
    unit = "%" if frame.unit == "%" else ""
    write = column_writer(sums.values())
    if frame.is_change:
        # Points are printed to two decimals at most.
        decimals = min(2, column_decimals(sums.values()))
        write = lambda value: signed(value or 0.0, decimals)  # noqa: E731
    right: list[tuple[float, int, str]] = []
    left: list[tuple[float, int, str]] = []
    for label, mine in of_label.items():
        note = next((m.note for m in mine if m.note), "")
        words = note
        if shape == "stack":
            whole = "a part is unknown" if mine[0].incomplete else with_unit(sums[label], unit, write)
            words = ", ".join(filter(None, (whole, note)))
        elif frame.joined:
            words = _before_and_after(mine, unit)
        if not words:
            continue
        if shape == "stack" and sums[label] < 0 and not mine[0].incomplete:
            left.append((sum(m.value for m in mine if m.value < 0), place[label], words + "  "))
        else:
            ends = [m.value for m in mine if m.value > 0]
            right.append((sum(ends) if shape == "stack" else max(m.value for m in mine), place[label], "  " + words))
    for found, side in ((left, "left"), (right, "right")):
        if found:
            write_beside(
                figure, [x for x, _, _ in found], [y for _, y, _ in found], [text(w) for _, _, w in found], side=side
            )
    return tuple(max((len(w) for _, _, w in found), default=0) for found in (left, right))  # type: ignore[return-value]


def _before_and_after(marks: Sequence[Mark], unit: str) -> str:
    """Two values and their change in percent; for more or fewer nothing."""
    if len(marks) != 2:
        return ""
    old, new = (m.value for m in marks)
    write = pair_writer(old, new)
    change = f", {signed((new / old - 1) * 100, 1)}%" if old and unit != "%" else ""
    return f"{write(old)} → {with_unit(new, unit, write)}{change}"


def _value_range(figure: go.Figure, marks: Sequence[Mark], shape: str, frame: Frame, words: tuple[int, int]) -> None:
    """Bars start at zero; the axis is logarithmic if marks differ too widely. `words`: characters left and right of the bars."""
    ends: dict[str, list[float]] = {}
    for mark in marks:
        known = ends.setdefault(mark.label, [0.0, 0.0])
        if shape == "stack":
            known[mark.value > 0] += mark.value
        else:
            known[:] = [min(known[0], mark.value), max(known[1], mark.value, mark.upper or mark.value)]
    least = min((low for low, _ in ends.values()), default=0.0)
    most = max((high for _, high in ends.values()), default=1.0)
    span = most - least or 1.0
    # A part of the width for texts: of a wide window they need less.
    # Left of the bars are names, which a text must not cover on a narrow screen.
    left, right = (
        min(0.45, 0.03 + part * count) if count else 0.03 for part, count in zip((0.022, 0.0105), words, strict=True)
    )
    positive = [m.value for m in marks if m.value > 0]
    if shape == "marks" and len(positive) == len(marks) and positive and max(positive) > 50 * min(positive):
        unit = f"{frame.unit}, logarithmic" if frame.unit else "logarithmic"
        figure.update_xaxes(title={"text": f"{frame.axis} ({unit})"}, type="log", dtick=1)
        if words[1]:
            low, high = math.log10(min(positive)), math.log10(max(positive))
            figure.update_xaxes(range=[low - 0.05 * (high - low), high + right / (1 - right) * (high - low)])
        return
    # A mark at zero is drawn whole.
    before = left if words[0] else 0.02 if least < 0 or shape == "marks" else 0.0
    scale = span / (1 - before - right)
    figure.update_xaxes(title={"text": frame.value_title}, range=[least - before * scale, most + right * scale])


# --- Lines -----------------------------------------------------------------------------------------------------------


def over_time(marks: Sequence[Mark], frame: Frame, *, time_axis: str) -> go.Figure:
    """Values over minutes, one line per series (if too many, those with the highest values). A long line is reduced to a few hundred
    points, means of neighbours with a band from the least to the most."""
    labels, left_out = _chosen(marks, _MOST_LINES)
    shown = [m for m in marks if m.label in labels]
    of_label = {label: [m for m in shown if m.label == label] for label in labels}
    count = {label: -(-len(mine) // _MOST_POINTS) for label, mine in of_label.items()}
    hidden = frame.left_out(len(labels), left_out)
    most = max(count.values(), default=1)
    if most > 1:
        joined = f" A point is the mean of up to {most} intervals, the band goes from the least to the most of them."
        if any(map(_is_in_pieces, of_label.values())):
            joined += " Lines with very many runs or gaps are drawn through them."
        frame = replace(frame, about=frame.about + joined)
    figure = frame.figure(shown, hidden, "y", 400)
    for turn, label in enumerate(labels):
        color = of_label[label][0].color or SERIES_COLORS[turn % len(SERIES_COLORS)]
        # Lines of equal values overlap: the gaps of a dashed line show the one below.
        dash = ("solid", "dash", "dot", "dashdot")[turn % 4]
        _line(figure, _joined(of_label[label], count[label], frame.weighted_by), label, color, dash, frame)
    figure.update_xaxes(title={"text": time_axis})
    figure.update_yaxes(title={"text": frame.value_title}, rangemode="tozero")
    return figure


def _is_in_pieces(marks: Sequence[Mark]) -> bool:
    """Whether a line has more breaks than points are allowed."""
    return sum(m.breaks for m in marks) > _MOST_POINTS


def _joined(marks: Sequence[Mark], count: int, weighted_by: str) -> list[Mark]:
    """Marks of one line, `count` neighbours as one: their mean by weight or time, from the least to the most. No mean spans a break,
    unless there are too many breaks."""
    if count == 1:
        return list(marks)
    out: list[Mark] = []
    broken = 0
    goes_over = _is_in_pieces(marks)
    pieces: list[tuple[int, Mark]] = []
    for mark in marks:
        pieces.append((broken, mark))
        broken += mark.breaks and not goes_over
    for _, piece in groupby(pieces, key=lambda p: p[0]):
        whole = [mark for _, mark in piece]
        for first in range(0, len(whole), count):
            some = whole[first : first + count]
            time = sum(m.minutes for m in some)
            given = [m.weight for m in some if m.weight is not None]
            are_weighted = len(given) == len(some) and sum(given) > 0
            weights = given if are_weighted else [m.minutes if time else 1.0 for m in some]
            out.append(
                Mark(
                    words=some[0].words,
                    label=some[0].label,
                    series=some[0].series,
                    measure=some[0].measure,
                    value=sum(m.value * w for m, w in zip(some, weights, strict=True)) / sum(weights),
                    reference=some[0].reference + (f" to {some[-1].reference}" if len(some) > 1 else ""),
                    color=some[0].color,
                    lower=min(m.value for m in some),
                    upper=max(m.value for m in some),
                    note=f"mean of {len(some)} intervals by {weighted_by if are_weighted else 'time'}"
                    if len(some) > 1
                    else some[0].note,
                    at=some[0].at,
                    minutes=time,
                    breaks=some[-1].breaks and not goes_over,
                )
            )
    return out


def _line(figure: go.Figure, marks: Sequence[Mark], label: str, color: str, dash: str, frame: Frame) -> None:
    x: list[float] = []
    y: list[float | None] = []
    data: list[list[Any]] = []
    hover: list[str] = []
    for place, mark in enumerate(marks):
        x.append(short(mark.at))
        y.append(short(mark.value))
        data.append([*mark.words, mark.reference])
        hover.append(_hover(mark, frame))
        if mark.breaks or place + 1 == len(marks):
            # The step ends at the end of the interval; the last interval needs a point there.
            x += [short(mark.at + mark.minutes)] * 2
            y += [short(mark.value), None]
            data += [[], []]
            hover += ["", ""]
    if any(mark.lower is not None for mark in marks):
        across, up = _band(marks)
        figure.add_scatter(
            mode="lines", x=across, y=up, line={"width": 0, "color": color}, fill="toself", fillcolor=faint(color),
            hoverinfo="skip", showlegend=False, legendgroup=label,
        )  # fmt: skip
    figure.add_scatter(
        mode="lines+markers" if len(marks) <= 40 else "lines",
        x=x,
        y=y,
        name=text(label),
        legendgroup=label,
        connectgaps=False,
        line={"color": color, "width": 2, "shape": "hv", "dash": dash},
        marker={"size": 5},
        customdata=data,
        hovertext=hover,
        hoverinfo="text",
        meta={"measure": marks[0].measure + (f" ({frame.unit})" if frame.unit else ""), "name": label},
    )


def _band(marks: Sequence[Mark]) -> tuple[list[float | None], list[float | None]]:
    """The outline of the band from the least to the most, closed for each unbroken piece."""
    across: list[float | None] = []
    up: list[float | None] = []
    piece: list[Mark] = []
    for mark in marks:
        piece.append(mark)
        if mark.breaks or mark is marks[-1]:
            there = [(at, m.lower) for m in piece for at in (m.at, m.at + m.minutes)]
            back = [(at, m.upper) for m in reversed(piece) for at in (m.at + m.minutes, m.at)]
            for at, value in (*there, *back):
                across.append(short(at))
                up.append(None if value is None else short(value))
            across.append(None)
            up.append(None)
            piece = []
    return across, up
