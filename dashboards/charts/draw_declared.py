"""Draw declared charts: rows of views become marks, marks become charts."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..numbers import column_decimals, column_writer, signed
from ..references import Reference
from .chart import Chart
from .drawing import PART_COLORS, lower_first, run_color
from .shapes import Mark, along_names, over_time, with_unit
from .spec import Measure, Picture

Row = dict[str, Any]

# The parts of CPU have the same colour in all charts; hatching marks the one that matters.
_PARTS_OF_CPU = {
    f"{part.removesuffix('_pct')}{unit}": {"color": color, "hatching": int(part == "ziip_on_cp_pct")}
    for part, color in PART_COLORS.items()
    for unit in ("_pct", "_ms_per_request")
}


# A line that stays so near to its mean is a sentence, not a chart.
_STEADY = 0.01


def _worth_drawing(picture: Picture, marks: list[Mark]) -> list[Mark]:
    """The marks without those that the chart leaves out: lines that stay below the limit, bars of 0, and, in a chart of
    changes, marks without a change."""
    if picture.against:
        based = {mark.label for mark in marks if mark.turn == 0 and mark.value}
        both = {mark.label for mark in marks if mark.turn}
        return [mark for mark in marks if mark.label in based & both]
    if picture.limit is not None:
        high = {mark.label for mark in marks if mark.value > picture.limit}
        return [mark for mark in marks if mark.label in high]
    if picture.drops_zeros:
        part = (lambda mark: mark.label) if picture.drops_zeros == "bars" else (lambda mark: mark.group or mark.label)
        seen = {part(mark) for mark in marks if mark.value or mark.incomplete}
        return [mark for mark in marks if part(mark) in seen]
    return marks


def _is_shown(picture: Picture, rows: Sequence[Row]) -> bool:
    """Whether the rows have something that other charts do not show."""
    if any(len({row[name] for row in rows}) < least for name, least in picture.at_least.items()):
        return False
    return not (picture.beside and _is_same(picture, rows))


def _words(picture: Picture, rows: Sequence[Row], marks: Sequence[Mark]) -> str:
    """The sentence in place of bars or marks, where there is one row, or all rows have the same note. Scores are always
    drawn."""
    if picture.group == "driver":
        return ""
    if picture.against:
        most, of = max(map(abs, _changes(marks))), lower_first(picture.axis)
        names = len({m.label for m in marks})
        return (
            f"{of[0].upper()}{of[1:]} is the same in all {names:,} that print it, within {most * 100:.1f}%."
            if most <= _SAME
            else ""
        )
    if picture.flat_within is None or not picture.note:
        return _single_words(picture, rows, marks) if len({mark.label for mark in marks}) == 1 else ""
    shares = [row[picture.note[1].name] for row in rows]
    is_alike = None not in shares and max(shares) - min(shares) <= picture.flat_within
    return _alike_words(picture, rows) if is_alike else ""


# A smaller change counts as none.
_SAME = 0.01


def _changes(marks: Sequence[Mark]) -> list[float]:
    base = {mark.label: mark.value for mark in marks if mark.turn == 0}
    return [mark.value / base[mark.label] - 1 for mark in marks if mark.turn]


def _dearer(marks: Sequence[Mark]) -> str:
    """How many marks cost more, less and the same, for two configurations."""
    changes = _changes(marks)
    if len({mark.turn for mark in marks}) != 2:
        return ""
    more, less = sum(c > _SAME for c in changes), sum(c < -_SAME for c in changes)
    return f" {more} of {len(changes)} more, {less} less, {len(changes) - more - less} the same within 1%"


def _alike_words(picture: Picture, rows: Sequence[Row]) -> str:
    """The notes of all rows with the keys that differ."""
    assert picture.note
    measure = picture.note[1]
    write = column_writer([float(row[measure.name]) for row in rows])
    unit = measure.unit_in(picture.view)
    telling = _telling(picture, rows)
    listed = ", ".join(
        f"{' · '.join(str(row[n]) for n in telling if row[n])} {with_unit(row[measure.name], unit, write)}"
        for row in rows
    )
    return f"{measure.title}: {listed}."


def _single_words(picture: Picture, rows: Sequence[Row], marks: Sequence[Mark]) -> str:
    """The values of one bar, or of the marks in one row; those that are zero only if all are."""
    unit = picture.unit
    told = [m for m in marks if m.value] or [max(marks, key=lambda m: m.value)]
    write = column_writer([m.value for m in told])

    def words(mark: Mark) -> str:
        ends = f" ({write(mark.lower)} to {write(mark.upper)})" if None not in (mark.lower, mark.upper) else ""
        name = mark.series if picture.series else lower_first(mark.series)
        return f"{name} {with_unit(mark.value, unit, write)}{ends}".strip()

    note = next((m.note for m in marks if m.note), "")
    shared = _common(picture, rows).removeprefix(" All: ").rstrip(".")
    where = ", ".join(filter(None, dict.fromkeys((marks[0].label, shared))))
    unknown = " A part is unknown." if marks[0].incomplete else ""
    return f"{picture.axis} ({where}): {', '.join(map(words, told))}{f'; {note}' if note else ''}.{unknown}"


def _steady_words(picture: Picture, marks: Sequence[Mark]) -> str:
    spread = _steadiness(marks)
    if spread is None:
        return ""
    means = {label: [m for m in marks if m.label == label] for label in dict.fromkeys(m.label for m in marks)}
    write = column_writer([_mean(mine) for mine in means.values()])
    unit = picture.unit
    listed = ", ".join(f"{label} {with_unit(_mean(mine), unit, write)}" for label, mine in means.items())
    return f"{picture.axis}: steady, within {spread * 100:.1f}% of its mean in every interval: {listed}."


def _mean(marks: Sequence[Mark]) -> float:
    time = sum(m.minutes for m in marks)
    return sum(m.value * m.minutes for m in marks) / time if time else marks[0].value


def _steadiness(marks: Sequence[Mark]) -> float | None:
    """The largest distance of a value from the mean of its line, as a share of the mean; None if one is too far, or
    there are too many lines to list."""
    lines: dict[str, list[Mark]] = {}
    for mark in marks:
        lines.setdefault(mark.label, []).append(mark)
    if not lines or len(lines) > _MOST_STEADY or all(len(mine) < 2 for mine in lines.values()):
        return None
    found = 0.0
    for mine in lines.values():
        mean = _mean(mine)
        away = max(abs(m.value - mean) for m in mine)
        found = max(found, away / abs(mean) if mean else away and 1.0)
    return found if found <= _STEADY else None


_MOST_STEADY = 12


def draw(picture: Picture, rows: Sequence[Row], configurations: Sequence[str], prefix: str = "") -> Chart | str:
    """The chart of rows with references, or a sentence in place of flat lines, one bar or mark, or shares that are all
    alike; empty if there is nothing to show."""
    if picture.mean_by:
        # Runs of a configuration are one row.
        rows = _over_runs(picture, rows)
        picture = replace(picture, of={name: sql for name, sql in picture.of.items() if name != "run"})
    if not rows or not _is_shown(picture, rows):
        return ""
    marks = _worth_drawing(picture, marks_of(picture, rows, configurations))
    if not marks:
        return ""
    if said := _steady_words(picture, marks) if picture.shape == "lines" else _words(picture, rows, marks):
        return said
    chart = Chart(
        prefix + picture.name,
        picture.question + (_dearer(marks) if picture.against else ""),
        picture.about
        + (picture.split if len({m.series for m in marks if m.value}) > 1 else "")
        + _common(picture, rows)
        + _shared(picture, rows, configurations),
        picture.view,
        picture.unit,
        (
            *picture.of,
            *(("start", "end") if picture.shape == "lines" else ()),
            *([picture.note[1].axis_in(picture.view)] if picture.note else []),
        ),
        f"{picture.axis} ({picture.unit})" if picture.unit else picture.axis,
    )
    if picture.shape == "lines":
        return "" if len({m.label for m in marks}) == len(marks) else over_time(marks, picture, chart)
    # Runs, parameters and importance have an order of their own.
    is_sized = bool(picture.against) or picture.shape in ("stack", "group")
    by_size = is_sized and set(_telling(picture, rows)) - {"configuration", "run"} != set()
    return along_names(marks, picture, chart, by_size=by_size)


def _is_same(picture: Picture, rows: Sequence[Row]) -> bool:
    """Whether every known value equals its value in the chart of all CPU."""
    pairs = [
        (row[one.name], row[other.name])
        for row in rows
        for one, other in zip(picture.measures, picture.beside, strict=True)
        if row[one.name] is not None
    ]
    return all(other is not None and abs(one - other) <= 1e-9 * max(abs(one), abs(other)) for one, other in pairs)


def _over_runs(picture: Picture, rows: Sequence[Row]) -> list[Row]:
    """One row per configuration (and other keys) over all runs: the weighted mean of each measure, None if a run has no value. A run
    without a row for a part, such as a location, counts as 0: the weight is that of all runs."""
    names = [name for name in picture.of if name != "run"]
    runs: dict[str, dict[str, float | None]] = {}
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        weight = row[picture.mean_by]
        runs.setdefault(row["configuration"], {})[row["run"]] = None if weight is None else float(weight)
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    out = []
    for key, mine in groups.items():
        merged: Row = dict(zip(names, key, strict=True)) | {"reference": Reference.joined(r["reference"] for r in mine)}
        weights = runs[merged["configuration"]]
        known = [w for w in weights.values() if w is not None]
        whole = sum(known) if len(known) == len(weights) else 0.0
        for measure in picture.columns:
            values = [(row[measure.name], weights[row["run"]] or 0.0) for row in mine]
            if len(mine) == 1 and len(weights) == 1:
                merged[measure.name] = mine[0][measure.name]
            elif not whole or any(value is None for value, _ in values):
                merged[measure.name] = None
            else:
                merged[measure.name] = sum(float(value) * weight for value, weight in values) / whole
        out.append(merged)
    return out


def marks_of(picture: Picture, rows: Sequence[Row], configurations: Sequence[str]) -> list[Mark]:
    """One mark per row and known measure, in the order of the keys; configurations in the order of the study. Labels
    omit the words that all rows share."""
    if not rows:
        return []
    turn = {name: n for n, name in enumerate(configurations)}
    telling = _telling(picture, rows)

    places = (
        {name: n for n, name in enumerate(dict.fromkeys(row[picture.series] for row in rows))}
        if picture.in_order
        else {}
    )

    def place(name: str, value: Any) -> Any:
        if name == "configuration":
            return turn.get(value, 0)
        return places[value] if name == picture.series and picture.in_order else _natural(str(value or ""))

    def order(row: Row) -> list[Any]:
        parts = [place(n, row[n]) for n in picture.of]
        return [*parts, row["line_start"]] if picture.shape == "lines" else parts

    measures = list(picture.measures)
    if picture.whole and any(row[m.name] is None for row in rows for m in measures):
        measures = [picture.whole]
    rows = sorted(rows, key=order)
    times = _times(picture, rows) if picture.shape == "lines" else [{}] * len(rows)
    out: list[Mark] = []
    incomplete: set[str] = set()
    decimals = column_decimals([row[picture.note[1].name] for row in rows]) if picture.note else 0
    for row, time in zip(rows, times, strict=True):
        words = [str(row[n]) if row[n] is not None else "" for n in picture.of]
        if picture.shape == "lines":
            words += [_clock(row["line_start"]), _clock(row["line_end"])]
        label = " · ".join(dict.fromkeys(str(row[n]) for n in telling if row[n] not in (None, "")))
        others = [str(row[n]) for n in telling if n != "configuration" and row[n] not in (None, "")]
        # Where the configuration is a key, all configurations are drawn, or none.
        group = " · ".join(others) if "configuration" in telling and others else None
        note, noted = _note(picture, row, decimals)
        for measure in _drawn(measures, row):
            if row[measure.name] is None:
                if not any(m.completes and row[m.name] for m in measures):
                    incomplete.add(label)
                continue
            series = str(row[picture.series]) if picture.series else measure.title if len(measures) > 1 else ""
            look: dict[str, Any] = _PARTS_OF_CPU.get(measure.name, {})
            if picture.series == "configuration" or (picture.shape == "lines" and telling == ["configuration"]):
                look = {"color": run_color(turn.get(row["configuration"], 0))}
            out.append(
                Mark(
                    words=(*words, *noted),
                    label=label,
                    series=series,
                    measure=measure.title,
                    # Floating-point noise counts as 0.
                    value=round(float(row[measure.name]), 9) + 0.0,
                    reference=row["reference"].short,
                    note=note or (f"{words[-2]} to {words[-1]}" if picture.shape == "lines" else ""),
                    rank=row.get("rank"),
                    group=group,
                    row=row["configuration"] if group else "",
                    turn=turn.get(row["configuration"], 0) if picture.series == "configuration" else None,
                    tick=row[picture.tick.name] if picture.tick else None,
                    weight=row[picture.weight.name] if picture.weight else None,
                    **look,
                    **({} if picture.ends is None else _ends(picture.ends, row)),
                    **time,
                )
            )
    return [replace(mark, incomplete=mark.label in incomplete) for mark in out] if incomplete else out


def _drawn(measures: Sequence[Measure], row: Row) -> list[Measure]:
    """The measures of a row; if some are unknown, without those that another measure replaces."""
    needed = [m for m in measures if any(row[name] is None for name in m.stands_for)]
    replaced = {name for m in needed for name in m.stands_for}
    return [m for m in measures if (m in needed if m.stands_for else m.name not in replaced)]


def _telling(picture: Picture, rows: Sequence[Row]) -> list[str]:
    """The keys that differ between rows; for a single row the configuration, or the innermost key."""
    names = [n for n in picture.of if n != picture.series]
    differing = [n for n in names if len({r[n] for r in rows}) > 1]
    return differing or (["configuration"] if "configuration" in names else names[-1:])


def _common(picture: Picture, rows: Sequence[Row]) -> str:
    """The words that all rows share; labels omit them."""
    left_out = [n for n in picture.of if n not in (*_telling(picture, rows), picture.series, "run")]
    shared = ", ".join(f"{n} {rows[0][n]}" for n in left_out if rows[0][n] not in (None, ""))
    return f" All: {shared}." if shared else ""


def _shared(picture: Picture, rows: Sequence[Row], configurations: Sequence[str]) -> str:
    """A note for configurations that share a window, so time alone cannot separate their pages."""
    together = (
        sorted({row["configuration"] for row in rows} - {*configurations}) if picture.joined_by == "window" else []
    )
    return f" Same window, so the same pages: {'; '.join(together)}." if together else ""


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that compares numbers in names as numbers.

    >>> sorted(["BP10", "BP2"], key=_natural)
    ['BP2', 'BP10']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _ends(ends: tuple[Measure, Measure], row: Row) -> dict[str, float | None]:
    return {"lower": row[ends[0].name], "upper": row[ends[1].name]}


def _note(picture: Picture, row: Row, decimals: int) -> tuple[str, list[float | None]]:
    """The note beside the values of a row, and its value as text; empty without a note."""
    if picture.note is None:
        return "", []
    note, measure = picture.note
    value = row[measure.name]
    if value is None:
        return "", [None]
    unit = measure.unit_in(picture.view)
    words = with_unit(value, unit, lambda number: f"{number:,.{decimals}f}")
    change = with_unit(value, unit, lambda number: signed(number, decimals))
    return note.replace("{+}", change).replace("{}", words), [value]


def _times(picture: Picture, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The positions of line rows: the selected intervals of a line follow each other without the time between them. A line breaks
    before another run, a gap or an unknown value."""
    out = []
    elapsed = 0.0
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        minutes = (row["line_end"] - row["line_start"]).total_seconds() / 60
        ends = following is None or any(following[n] != row[n] for n in picture.of)
        breaks = (
            ends
            or following["line_run"] != row["line_run"]  # type: ignore[index]
            or abs((following["line_start"] - row["line_end"]).total_seconds()) > 2  # type: ignore[index]
            or any(following[m.name] is None for m in picture.measures)  # type: ignore[index]
        )
        out.append({"at": elapsed, "minutes": minutes, "breaks": breaks})
        elapsed = 0.0 if ends else elapsed + minutes
    return out


def _clock(moment: dt.datetime) -> str:
    return moment.isoformat(sep=" ", timespec="seconds")
