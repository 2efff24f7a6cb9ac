"""The shapes of declared charts, bars, marks and lines: pure functions of marks that return a chart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from ..numbers import change_pct, column_decimals, column_writer, four_digits, pair_writer, signed
from .chart import Chart, Lane, Line, Row, Value
from .drawing import series_color
from .spec import Picture

_MOST_NAMES = 24
_MOST_LINES = 12
# On longer lines, each point is the mean of several.
_MOST_POINTS = 200


@dataclass(frozen=True)
class Mark:
    """A value of a chart: its keys (`words`; `label` is the part a reader needs) and series. `at`: position in minutes;
    `breaks`: the line ends after it; `weight`: its weight in a mean, default its time; `incomplete`: another part of
    the label is unknown; `group`: labels of a group are drawn together or not at all, below the name of the group;
    `row` is the label without the group. `turn`: index of its configuration in the study. `tick`: place of the upright
    mark of its label."""

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
    tick: float | None = None


def _left_out(picture: Picture, shown: int, left_out: int) -> str:
    """The note in a title about labels that are not drawn."""
    by = picture.rank[1] or "the largest values"
    return f"; shown are the {shown:,} of {shown + left_out:,} with {by}" if left_out else ""


def _value(mark: Mark, unit: str, color: str, turn: int, kind: Literal["bar", "dot"]) -> Value:
    ends = (mark.lower, mark.upper) if kind == "dot" else (None, None)
    return Value(
        mark.value, (*mark.words, mark.reference), mark.measure + (f" ({unit})" if unit else ""), mark.series, color, turn, kind,
        *ends, at=mark.at, minutes=mark.minutes, breaks=mark.breaks,
    )  # fmt: skip


def with_unit(value: float, unit: str, write: Callable[[float], str] = four_digits) -> str:
    """A value with its unit, written as the others of its column.

    >>> with_unit(20.0, "1/s"), with_unit(-2.5, "%"), with_unit(12.0, "ms")
    ('20/s', '−2.5%', '12 ms')
    """
    written = write(value).replace("-", "−")
    if unit.startswith("1/"):
        return f"{written}/{unit[2:]}"
    return written + (unit if unit.startswith("%") else f" {unit}" if unit else "")


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


def along_names(marks: Sequence[Mark], picture: Picture, chart: Chart, *, by_size: bool) -> Chart:
    """The chart with values by name: stacked bars (`stack`), bars of each series (`group`), or `marks`. Rows of a group
    are one below the other, under its name; `by_size`: the largest group or bar is at the top."""
    shape = picture.shape
    labels, left_out = _chosen(marks, picture.most or _MOST_NAMES, are_stacked=shape == "stack")
    shown = [m for m in marks if m.label in labels]
    series = [
        name
        for name in dict.fromkeys(m.series for m in shown)
        # A part that no bar has is not in the legend.
        if shape != "stack" or any(m.value for m in shown if m.series == name) or not any(m.value for m in shown)
    ]
    of_label = {label: [m for m in shown if m.label == label and m.series in series] for label in labels}
    words = _words(of_label, picture)

    ratios = _changes(of_label) if picture.against else {}
    is_ratio = bool(ratios) and max(ratios.values()) > _MOST_LINEAR

    def drawn(mark: Mark) -> Value:
        place = series.index(mark.series)
        turn = (place if mark.hatching is None else mark.hatching) if shape != "marks" else mark.turn
        turn, kind = place + 1 if turn is None else turn, "dot" if shape == "marks" else "bar"
        value = _value(mark, chart.unit, mark.color or series_color(place), turn, kind)
        return replace(value, place=ratios[mark] if is_ratio else (ratios[mark] - 1) * 100) if ratios else value

    def lanes(label: str) -> list[Lane]:
        mine = sorted(of_label[label], key=lambda m: series.index(m.series))
        if shape == "group":
            return [Lane([drawn(m)], "" if n else words[label]) for n, m in enumerate(mine)]
        values, ends = [drawn(m) for m in mine], (mine[0].lower, mine[0].upper)
        if mine[0].tick is not None:
            values.append(
                Value(
                    mine[0].tick,
                    series=picture.tick.title if picture.tick else "",
                    kind="tick",
                    lower=ends[0],
                    upper=ends[1],
                )
            )
        elif shape == "stack":
            values[-1] = replace(values[-1], lower=ends[0], upper=ends[1])
        return [Lane(values, words[label], _is_joined(picture))]

    rows: list[Row] = []
    for group, within in _grouped(of_label, shape, by_size=by_size).items():
        if heads := bool(of_label[within[0]][0].row):
            rows.append(Row(group))
        rows += [Row(of_label[label][0].row if heads else label, lanes(label)) for label in within]
    values = [m.value for m in shown]
    chart = replace(chart, title=chart.title + _left_out(picture, len(labels), left_out), rows=rows)
    if ratios:
        of = picture.against
        axis = f"{picture.axis}, {of} = 1 (ratio, logarithmic)" if is_ratio else f"Change against {of} (%)"
        return replace(chart, axis=axis, is_log=is_ratio, origin=float(is_ratio))
    # Marks that differ too widely would not be told apart.
    if shape != "marks" or min(values) <= 0 or max(values) <= 50 * min(values):
        return chart
    unit = f"{chart.unit}, logarithmic" if chart.unit else "logarithmic"
    return replace(chart, axis=f"{picture.axis} ({unit})", is_log=True)


def _is_joined(picture: Picture) -> bool:
    """Whether the marks of a row are the same thing before and after."""
    return picture.series == "configuration"


# With a larger ratio to the first configuration the other marks would be invisible on a linear axis.
_MOST_LINEAR = 5.0


def _changes(of_label: dict[str, list[Mark]]) -> dict[Mark, float]:
    """The ratio of each mark to the first of its label."""
    return {m: m.value / mine[0].value for mine in of_label.values() for m in mine}


def _grouped(of_label: dict[str, list[Mark]], shape: str, *, by_size: bool) -> dict[str, list[str]]:
    """The labels of each group, in their order or the largest first."""
    groups: dict[str, list[str]] = {}
    size: dict[str, float] = {}
    for label, mine in of_label.items():
        group = label if mine[0].group is None else str(mine[0].group)
        groups.setdefault(group, []).append(label)
        sizes = [abs(float(m.value if m.rank is None else m.rank)) for m in mine]
        size[group] = max(size.get(group, 0.0), sum(sizes) if shape == "stack" else max(sizes))
    return {g: groups[g] for g in sorted(groups, key=lambda g: -size[g])} if by_size else groups


def _words(of_label: dict[str, list[Mark]], picture: Picture) -> dict[str, str]:
    """For stacks the known sum and the note; for two joined marks the values and the change; for other shapes the
    note."""
    sums = {label: sum(m.value for m in mine) for label, mine in of_label.items()}
    unit = "%" if picture.unit == "%" else ""
    write = column_writer(sums.values())
    if picture.unit.startswith("points"):
        # Points are printed to two decimals at most.
        decimals = min(2, column_decimals(sums.values()))
        write = lambda value: signed(value or 0.0, decimals)  # noqa: E731
    found = {}
    for label, mine in of_label.items():
        note = next((m.note for m in mine if m.note), "")
        if picture.shape == "stack":
            whole = "a part is unknown" if mine[0].incomplete else with_unit(sums[label], unit, write)
            note = ", ".join(filter(None, (whole, note)))
        elif _is_joined(picture):
            note = _before_and_after(mine, picture, picture.unit if picture.against else unit)
        found[label] = note
    return found


def _before_and_after(marks: Sequence[Mark], picture: Picture, unit: str) -> str:
    """Two values and their change in percent; for more values that are drawn at their change, the lowest and the
    highest change."""
    if len(marks) > 2 and picture.against:
        ranked = sorted(marks[1:], key=lambda m: m.value)
        return ", ".join(
            f"{m.series} {change_pct(marks[0].value, m.value)}" for m in dict.fromkeys((ranked[0], ranked[-1]))
        )
    if len(marks) != 2:
        return ""
    old, new = (m.value for m in marks)
    write = pair_writer(old, new)
    change = f", {signed((new / old - 1) * 100, 1)}%" if old and unit != "%" else ""
    return f"{write(old)} → {with_unit(new, unit, write)}{change}"


# --- Lines -----------------------------------------------------------------------------------------------------------


def over_time(marks: Sequence[Mark], picture: Picture, chart: Chart) -> Chart:
    """The chart with values over minutes, one line per series (of too many, those with the highest values). A long line
    is reduced to a few hundred points: means of neighbours, with a band from the least to the most."""
    labels, left_out = _chosen(marks, _MOST_LINES)
    shown = [m for m in marks if m.label in labels]
    of_label = {label: [m for m in shown if m.label == label] for label in labels}
    count = {label: -(-len(mine) // _MOST_POINTS) for label, mine in of_label.items()}
    most = max(count.values(), default=1)
    if most > 1:
        joined = f" A point is the mean of up to {most} intervals, the band goes from the least to the most of them."
        if any(map(_is_in_pieces, of_label.values())):
            joined += " Lines with very many runs or gaps are drawn through them."
        chart = replace(chart, about=chart.about + joined)
    lines, weighted_by = [], picture.weight.title.lower() if picture.weight else "time"
    for turn, label in enumerate(labels):
        mine = _joined(of_label[label], count[label], weighted_by)
        color = mine[0].color or series_color(turn)
        values = [_value(replace(m, series=label), chart.unit, color, 0, "dot") for m in mine]
        # Lines of equal values overlap: the gaps of a dashed line show the one below.
        lines.append(Line(label, color, values, dash=turn, bands=_bands(mine)))
    limits = [] if picture.limit is None else [(picture.limit, "")]
    title = chart.title + _left_out(picture, len(labels), left_out)
    return replace(chart, title=title, lines=lines, across="Minutes of selected time", limits=limits)


def _is_in_pieces(marks: Sequence[Mark]) -> bool:
    """Whether a line has more breaks than a line may have points."""
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
            mean = sum(m.value * w for m, w in zip(some, weights, strict=True)) / sum(weights)
            one = replace(some[0], value=mean, lower=min(m.value for m in some), upper=max(m.value for m in some))
            if len(some) > 1:
                by = weighted_by if are_weighted else "time"
                ends = f"{some[0].reference} to {some[-1].reference}, mean of {len(some)} intervals by {by}"
                one = replace(one, reference=ends)
            out.append(replace(one, minutes=time, breaks=some[-1].breaks and not goes_over))
    return out


def _bands(marks: Sequence[Mark]) -> list[list[tuple[float, float, float]]]:
    """The bands from the least to the most, one for each unbroken stretch."""
    found: list[list[tuple[float, float, float]]] = []
    starts = True
    for mark in marks:
        if mark.lower is None or mark.upper is None:
            return []
        if starts:
            found.append([])
        found[-1] += [(at, mark.lower, mark.upper) for at in (mark.at, mark.at + mark.minutes)]
        starts = mark.breaks
    return found
