"""A chart of any answer, chosen by its columns: lines over time, else bars by name. Pure: a schema and rows in, a chart out."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

from ..numbers import four_digits
from .chart import Chart, Lane, Line, Row, Value
from .drawing import series_color

_MOST_LINES, _MOST_BARS, _MOST_MEASURES = 8, 30, 4
# Numbers that are names, and times that end an interval whose start is another column.
_NO_MEASURES = {"page", "line", "row_line", "period", "lines", "id", "utc_offset_minutes"}
_NO_AXES = {"interval_end", "committed_at"}
# The source of a row is not a name for its bar.
_NO_NAMES = {"source_id", "source_file"}


def answer_chart(schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> Chart | None:
    """The chart of an answer: lines over its first time column, one for each name or number; without a time, bars of
    numbers by the names of the rows. All numbers of a chart have the unit of the first. None where fewer than two rows
    have a number, and a time or a name."""
    columns = dict(zip(schema.names, range(len(schema)), strict=True))
    if len(columns) < len(schema) or len(rows) < 2:
        return None
    known = {name: [_plain(row[at]) for row in rows] for name, at in columns.items()}
    numbers = [f for f in schema if _is_number(f.type) and f.name not in _NO_MEASURES and any(_drawn(known[f.name]))]
    if not numbers:
        return None
    alike = [f.name for f in numbers if _unit(f) == _unit(numbers[0])]
    texts = [
        f.name for f in schema if pa.types.is_string(f.type) and f.name not in _NO_NAMES and len({*known[f.name]}) > 1
    ]
    times = [f.name for f in schema if pa.types.is_timestamp(f.type) or pa.types.is_date(f.type)]
    # A time that Python does not have is a text here.
    times = [t for t in times if t not in _NO_AXES and not any(isinstance(value, str) for value in known[t])]
    time = next((t for t in times if len({*known[t]} - {None}) > 1), "")
    unit = _unit(numbers[0])
    if time:
        return _over_time(known, time, alike, texts, unit)
    return _by_name(known, texts, alike, unit) if texts else None


def _over_time(
    known: dict[str, list[Any]], time: str, measures: list[str], texts: list[str], unit: str
) -> Chart | None:
    start = min(t for t in known[time] if t)
    points: dict[str, list[tuple[dt.datetime, float, str]]] = {}
    chosen = measures[:1] if texts else measures[:_MOST_LINES]
    for measure in chosen:
        for at, value in enumerate(known[measure]):
            name = " ".join(str(known[t][at]) for t in texts if known[t][at] is not None) if texts else measure
            if known[time][at] and value is not None:
                points.setdefault(name or measure, []).append((known[time][at], float(value), name))
    # Those with the largest values, in the order of their names.
    largest = sorted(points, key=lambda name: -max(abs(value) for _, value, _ in points[name]))[:_MOST_LINES]
    lines = []
    for place, name in enumerate(sorted(largest)):
        told = f"{chosen[0] if texts else name}{f' ({unit})' if unit else ''}"
        ordered = sorted(points[name], key=lambda point: point[0])
        seconds = [(moment - start).total_seconds() for moment, _, _ in ordered]
        # A line does not go on where intervals are missing.
        usual = sorted(filter(None, (after - before for before, after in pairwise(seconds))))
        gap = 3 * usual[len(usual) // 2] if usual else 0
        values = [
            Value(value, (name, f"{moment:%Y-%m-%d %H:%M}", ""), told, at=at, breaks=after - at > gap)
            for (moment, value, _), at, after in zip(ordered, seconds, [*seconds[1:], seconds[-1]], strict=True)
        ]
        # Several values at one time are no line.
        is_line = len({*seconds}) == len(seconds)
        symbol = None if is_line and len(values) > 40 else place
        lines.append(Line(name, series_color(place), values, dash=place // 6, symbol=symbol, joined=is_line))
    if not lines:
        return None
    left_out = f", the {len(lines)} largest of {len(points)}" if len(points) > len(lines) else ""
    title = f"{', '.join(chosen)} over {time}{left_out}"
    span = max(value.at for line in lines for value in line.values)
    return Chart(
        "answer", title, _extremes(lines), "", unit, ("name", time), _axis(chosen, unit), lines=lines, start=start, span=span
    )  # fmt: skip


def _by_name(known: dict[str, list[Any]], texts: list[str], measures: list[str], unit: str) -> Chart | None:
    chosen = measures[:_MOST_MEASURES]
    rows = []
    for at in range(len(known[chosen[0]])):
        name = " ".join(str(known[t][at]) for t in texts if known[t][at] is not None)
        values = [
            Value(
                float(value),
                (name, ""),
                f"{measure}{f' ({unit})' if unit else ''}",
                measure,
                series_color(place),
                place,
            )
            for place, measure in enumerate(chosen)
            if (value := known[measure][at]) is not None
        ]
        rows += [Row(name or "-", [Lane([value], four_digits(value.value)) for value in values])] if values else []
    if not rows:
        return None
    left_out = f", the first {_MOST_BARS} of {len(rows):,} rows" if len(rows) > _MOST_BARS else ""
    title = f"{', '.join(chosen)} by {', '.join(texts)}{left_out}"
    return Chart("answer", title, "", "", unit, ("name",), _axis(chosen, unit), rows=rows[:_MOST_BARS])


def _axis(measures: Sequence[str], unit: str) -> str:
    return ", ".join(measures) + (f" ({unit})" if unit else "")


def _extremes(lines: Sequence[Line]) -> str:
    values = [value.value for line in lines for value in line.values]
    return f"From {four_digits(min(values))} to {four_digits(max(values))}."


def _unit(field: pa.Field) -> str:
    return (field.metadata or {}).get(b"unit", b"").decode()


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _drawn(values: Sequence[Any]) -> list[bool]:
    return [isinstance(value, int | float) for value in values]


def _plain(value: Any) -> Any:
    """A value that can be drawn: days as times, no time zones, and no number without an end."""
    match value:
        case Decimal():
            value = float(value)
        case dt.datetime():
            return value.replace(tzinfo=None)
        case dt.date():
            return dt.datetime(value.year, value.month, value.day)
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
