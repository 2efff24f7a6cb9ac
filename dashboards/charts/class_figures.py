"""CPU and cost of service classes, compared: each chart is a function of rows and column metadata that returns a plotly figure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from ..columns import PARTS, Columns
from ..numbers import four_digits, signed
from .drawing import (
    PART_COLORS,
    SERIES_COLORS,
    Row,
    bare_figure,
    fill,
    mark_paid,
    name_rows,
    run_marker,
    text,
    write_beside,
)


def cpu_by_class(
    rows: Sequence[Row],
    columns: Columns,
    *,
    figure_id: str,
    what: str,
    runs: Sequence[str],
    most: int = 12,
    view: str = "cpu_by_class",
) -> go.Figure:
    """CPU of each class, one bar per run, split by zIIP eligibility.

    rows: one per class and run, with name, run, cpu_pct, cp_pct (general-processor time; None: all of it), its parts (None if not
    split) and reference. The `most` classes with the most general-processor time have their own bars; one bar sums the others.
    """
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["cpu_pct"] is not None:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    ranked = sorted(by_class, key=lambda n: (-max(map(_paid, by_class[n].values())), n))
    shown = ranked if len(ranked) <= most + 1 else ranked[:most]
    others = ranked[len(shown) :]
    if others:
        label = f"{len(others):,} others"
        by_class[label] = {
            run: _sum_rows([by_class[n][run] for n in others if run in by_class[n]], run) for run in runs
        }
        shown = [*shown, label]

    info = columns["cpu_pct"]
    is_split = any(row.get(p) for row in rows for p in PARTS if p != "other_pct")
    slot = 0.8 / max(1, len(runs))
    height = 130 + len(shown) * (20 * len(runs) + 14)
    figure = bare_figure(
        figure_id,
        _cpu_title(by_class, ranked, runs, what),
        f"CPU of the {what} with the most {_paid_words(rows)}, in percent of one engine, one bar per run"
        + (
            ", split into time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs."
            if is_split
            else ". The pages print no zIIP columns."
        )
        + (
            " The vertical mark and the first number are general-processor time, which is what is paid for."
            if _has_other_time(rows)
            else ""
        ),
        view,
        info.unit,
        ("class", "run", "source"),
        "x",
        height,
    )
    present = [p for p in PARTS if any((by_class[n].get(r) or {}).get(p) for n in shown for r in runs)]
    for part in present or PARTS[:1]:
        x, y, data, hover = [], [], [], []
        for place, name in enumerate(shown):
            for turn, run in enumerate(runs):
                row = by_class[name].get(run)
                value = row[part] if row else None
                if row is None or value is None:
                    continue
                x.append(round(value, 4))
                y.append(place + (turn - (len(runs) - 1) / 2) * slot)
                data.append([name, run, row["reference"]])
                hover.append(
                    f"<b>{text(name)}</b> · {text(run)}<br>{columns[part].title}: {value:,.2f} {columns[part].unit}"
                    f"<br>CPU in all: {row['cpu_pct']:,.2f}<br>{text(row['reference'])}"
                )
        figure.add_bar(
            orientation="h",
            x=x,
            y=y,
            width=slot * 0.86,
            name=columns[part].title if is_split else info.title,
            showlegend=is_split,
            marker=fill(PART_COLORS[part] if is_split else SERIES_COLORS[0], 1 if part == "ziip_on_cp_pct" else 0),
            customdata=data,
            hovertext=hover,
            hoverinfo="text",
            meta={"measure": columns[part].axis, "name": part},
        )
    ends = [(place, turn, name, run) for place, name in enumerate(shown) for turn, run in enumerate(runs)]
    ends = [e for e in ends if e[3] in by_class[e[2]]]
    at = [place + (turn - (len(runs) - 1) / 2) * slot for place, turn, _, _ in ends]
    if _has_other_time(rows):
        mark_paid(figure, [_paid(by_class[name][run]) for _, _, name, run in ends], at, 15, 2)
    words = [f"  {text(run)} {_paid_of_all(by_class[name][run])}" for _, _, name, run in ends]
    write_beside(figure, [by_class[name][run]["cpu_pct"] for _, _, name, run in ends], at, words, 11)
    largest = max((r["cpu_pct"] for n in shown for r in by_class[n].values()), default=1.0)
    room = (1.32 if _has_other_time(rows) else 1.12) + 0.012 * max((len(run) for run in runs), default=0)
    figure.update_layout(barmode="stack", bargap=0.2)
    figure.update_xaxes(title={"text": info.axis}, range=[0, (largest or 1.0) * room], rangemode="tozero")
    name_rows(figure, shown)
    return figure


def _sum_rows(rows: Sequence[Row], run: str) -> dict[str, Any]:
    """One row for several classes of a run; a part is None only if no class has it."""
    out: dict[str, Any] = {"run": run, "reference": f"{len(rows):,} classes, see the table"}
    for name in ("cpu_pct", *PARTS):
        values = [r[name] for r in rows if r[name] is not None]
        out[name] = sum(values) if values or name == "cpu_pct" else None
    return out | {"cp_pct": sum(map(_paid, rows))}


def _paid(row: Row) -> float:
    """The general-processor time of a row; all its CPU if not printed separately."""
    of_cp = row.get("cp_pct")
    return row["cpu_pct"] if of_cp is None else of_cp


def _has_other_time(rows: Iterable[Row]) -> bool:
    """Whether any CPU time is not general-processor time."""
    return any(r["cpu_pct"] is not None and abs(r["cpu_pct"] - _paid(r)) > 1e-9 for r in rows)


def _paid_words(rows: Iterable[Row]) -> str:
    return "general-processor time" if _has_other_time(rows) else "CPU"


def _paid_of_all(row: Row) -> str:
    all_of_it = f", all CPU {row['cpu_pct']:,.2f}" if _has_other_time([row]) else ""
    return f"{_paid(row):,.2f}{all_of_it}"


def _cpu_title(by_class: Mapping[str, Mapping[str, Row]], ranked: Sequence[str], runs: Sequence[str], what: str) -> str:
    """The largest change against the first run, in points and in percent, which may be of different classes."""
    rows = [row for name in ranked for row in by_class[name].values()]
    words = _paid_words(rows)
    words = words[0].upper() + words[1:]
    if len(runs) < 2 or not ranked:
        return f"Which {what} use the CPU?" if words == "CPU" else f"{words}: which {what} use it?"
    first = runs[0]
    changes = {
        (name, run): (_paid(by_class[name][run]) - _paid(by_class[name][first]), _paid(by_class[name][first]))
        for name in ranked
        for run in runs[1:]
        if first in by_class[name] and run in by_class[name]
    }
    if not changes:
        return f"Which {what} use the CPU? None is in two windows"
    name, run = max(changes, key=lambda key: abs(changes[key][0]))
    points, base = changes[name, run]
    if abs(points) < 0.005:
        return f"{words} of the {what} is the same in {' and '.join(map(text, runs))}"

    def relative(key: tuple[str, str]) -> float:
        return changes[key][0] / changes[key][1] * 100 if changes[key][1] else 0.0

    change = f"{signed(points)} points of one engine" + (f" ({signed(relative((name, run)), 1)}%)" if base else "")
    title = f"{words}: {text(name)} changes most, {change} from {text(first)} to {text(run)}"
    # A change of almost nothing is a large percentage; ignore it.
    weighty = [key for key in changes if changes[key][1] >= 0.05 * base]
    steepest = max(weighty, key=lambda key: abs(relative(key)), default=(name, run))
    if steepest[0] != name and abs(relative(steepest)) > abs(relative((name, run))) + 0.05:
        title += f"; in percent {text(steepest[0])}, {signed(relative(steepest), 1)}%"
    return title


def cost_per_transaction(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, what: str, runs: Sequence[str], most: int = 15,
    measure: str = "cp_ms_per_transaction", view: str = "cpu_by_class",
) -> go.Figure:  # fmt: skip
    """Cost per transaction of each class, one mark per run, on a logarithmic axis if the classes differ widely.

    rows: one per class (or other subject) and run, with name, run, cp_pct, the measure (None: no transactions or no CPU),
    transactions, reference. Shown are the `most` classes with the most general-processor time.
    """
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row[measure]:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    ranked = sorted(by_class, key=lambda n: (-max(r["cp_pct"] or 0 for r in by_class[n].values()), n))
    shown, others = ranked[:most], ranked[most:]
    info = columns[measure]
    changes: dict[str, dict[str, float]] = {}
    for name in ranked:
        base = by_class[name].get(runs[0])
        mine = {
            run: by_class[name][run][measure] / base[measure] - 1
            for run in runs[1:] if base and run in by_class[name]
        }  # fmt: skip
        if mine:
            changes[name] = mine
    figure = bare_figure(
        figure_id,
        _cost_title(info.title, changes, runs, what, len(others)),
        f"{info.title} in {info.unit}, one mark per run"
        + (f"; labels are changes against {runs[0]}." if len(runs) > 1 else ".")
        + (
            f" Shown are the {len(shown):,} of {len(ranked):,} {what} with the most general-processor time."
            if others
            else ""
        ),
        view,
        info.unit,
        ("class", "run", "transactions", "source"),
        "x",
        130 + 30 * max(1, len(shown)),
    )
    lines_x: list[float | None] = []
    lines_y: list[float | None] = []
    for place, name in enumerate(shown):
        values = [r[measure] for r in by_class[name].values()]
        lines_x += [min(values), max(values), None]
        lines_y += [place, place, None]
    figure.add_scatter(
        mode="lines",
        x=lines_x,
        y=lines_y,
        line={"color": "rgba(128,128,128,0.6)", "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    for turn, run in enumerate(runs):
        marks = [(place, by_class[name][run]) for place, name in enumerate(shown) if run in by_class[name]]
        figure.add_scatter(
            mode="markers",
            x=[float(f"{r[measure]:.6g}") for _, r in marks],
            y=[place for place, _ in marks],
            name=text(run),
            marker=run_marker(turn),
            customdata=[[r["name"], run, r["transactions"], r["reference"]] for _, r in marks],
            hovertext=[
                f"<b>{text(r['name'])}</b> · {text(run)}<br>{four_digits(r[measure])} {info.unit}: {info.title}"
                f"<br>{r['transactions']:,} transactions ended<br>{text(r['reference'])}"
                for _, r in marks
            ],
            hoverinfo="text",
            meta={"measure": info.axis, "name": measure},
        )
    values = [r[measure] for n in shown for r in by_class[n].values()]
    logarithmic = bool(values) and max(values) > 50 * min(values)
    labels = [n for n in shown if n in changes]
    highest = [max(r[measure] for r in by_class[n].values()) for n in labels]
    words = [f"   {_change_words(changes[n], runs)}" for n in labels]
    write_beside(figure, highest, [shown.index(n) for n in labels], words, 11)
    scale = ", logarithmic" if logarithmic else ""
    figure.update_xaxes(title={"text": f"{info.title} ({info.unit}{scale})"}, type="log" if logarithmic else "linear")
    if logarithmic:
        figure.update_xaxes(dtick=1)
    elif values:
        figure.update_xaxes(range=[0, max(values) * (1.15 if len(runs) <= 2 else 1.6)])
    name_rows(figure, shown, has_grid=True)
    return figure


def _change_words(changes: Mapping[str, float], runs: Sequence[str]) -> str:
    """The change of one other run; for several, the lowest and highest with their names."""
    if len(runs) <= 2:
        return f"{signed(next(iter(changes.values())) * 100, 1)}%"
    ends = dict.fromkeys((min(changes, key=changes.__getitem__), max(changes, key=changes.__getitem__)))
    return ", ".join(f"{text(run)} {signed(changes[run] * 100, 1)}%" for run in ends)


# Up to so many other runs, the title gives each change.
_MOST_IN_TITLE = 3


def _cost_title(
    title: str, changes: Mapping[str, Mapping[str, float]], runs: Sequence[str], what: str, others: int
) -> str:
    rest = f"; {others:,} others are in the table" if others else ""
    if len(runs) < 2 or not changes:
        return f"{title}{rest}"
    against = f"against {text(runs[0])}"
    if len(changes) == 1:
        ((name, mine),) = changes.items()
        words = (
            ", ".join(f"{text(run)} {signed(change * 100, 1)}%" for run, change in mine.items())
            if len(mine) <= _MOST_IN_TITLE
            else _change_words(mine, runs)
        )
        return f"{title} of {text(name)} {against}: {words}{rest}"
    if len(runs) - 1 > _MOST_IN_TITLE:
        ends = [{pick(mine, key=mine.__getitem__) for mine in changes.values()} for pick in (min, max)]
        least, most = (text(next(iter(e))) if len(e) == 1 else "" for e in ends)
        words = (
            f"lowest in {least}, highest in {most}, in all {len(changes)} {what}"
            if least and most
            else f"{what} differ in which of {len(runs)} is lowest or highest"
        )
        return f"{title}, {len(runs) - 1} others {against}: {words}{rest}"
    return (
        f"{title} {against}: "
        + "; ".join(
            f"{f'{text(run)} ' if len(runs) > 2 else ''}{_counted([mine[run] for mine in changes.values() if run in mine], what)}"
            for run in runs[1:]
        )
        + rest
    )


def _counted(changes: Sequence[float], what: str) -> str:
    dearer, cheaper = sum(c > 0.01 for c in changes), sum(c < -0.01 for c in changes)
    return f"{dearer} of {len(changes)} {what} cost more, {cheaper} less, {len(changes) - dearer - cheaper} the same within 1%"
