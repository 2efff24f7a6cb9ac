"""Pictures of a comparison: each a pure function of rows and column metadata that returns a plotly figure.

Every figure carries in layout.meta a stable id, a description in words, the view behind it, and the names of its CSV
columns; every trace that holds data carries in `meta` what it measures, and per point in `customdata` the words that the
CSV puts before measure, value and unit. Names that come from reports are escaped where plotly would read them as markup;
customdata holds them as they are.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from .columns import PARTS, Columns

Row = Mapping[str, Any]

# Told apart without colour vision, and with contrast on white and on near-black paper; hatching doubles the one that matters.
PART_COLORS = {
    "non_ziip_eligible_pct": "#2f74b5",
    "ziip_on_cp_pct": "#d9820f",
    "ziip_pct": "#5aa99b",
    "other_pct": "#8a8f98",
}
RUN_COLORS = ("#7b828c", "#2f74b5", "#d9820f", "#5aa99b", "#a4629a", "#b5563c", "#3b4a9c", "#97973a")
# Of other number than the colours, so that no two of many are drawn alike; so are the hatchings.
RUN_SYMBOLS = ("circle-open", "circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def text(name: object) -> str:
    """A name as plotly text: its markup characters are data."""
    return escape(str(name), quote=False)


def signed(value: float, decimals: int = 2) -> str:
    """A difference with its sign, the minus as a minus; nothing that rounds to zero has one.

    >>> signed(-0.5), signed(0.001)
    ('−0.50', '0.00')
    """
    shown = f"{abs(value):,.{decimals}f}"
    sign = "" if float(shown.replace(",", "")) == 0 else "+" if value > 0 else "−"
    return sign + shown


def four_digits(value: float) -> str:
    """A value with the digits that are worth reading, never as a power of ten where it is large.

    >>> four_digits(0.72602), four_digits(999.97), four_digits(9999.7), four_digits(123456.7)
    ('0.726', '1,000', '10,000', '123,457')
    """
    return f"{value:,.0f}" if abs(value) >= 999.95 else f"{value:,.4g}"


def short(value: float) -> float:
    """A value with the digits that a picture can show."""
    return float(f"{value:.6g}")


def faint(color: str) -> str:
    """A colour (#rrggbb) that lets through what is below it.

    >>> faint("#2f74b5")
    'rgba(47,116,181,0.22)'
    """
    red, green, blue = (int(color[n : n + 2], 16) for n in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"


_PATTERNS = ("", "/", ".", "-", "\\", "x", "+")


def fill(color: str, turn: int) -> dict[str, Any]:
    """How a bar is filled: its colour, and over it a hatching of its turn, so that neighbours are told apart without colour."""
    pattern = {"shape": _PATTERNS[turn % len(_PATTERNS)], "size": 6, "solidity": 0.25, "fillmode": "overlay"}
    return {
        "color": color,
        "line": {"width": 1, "color": "rgba(128,128,128,0.35)"},
        "pattern": pattern | {"fgcolor": "rgba(255,255,255,0.75)"},
    }


def bare_figure(
    figure_id: str, title: str, description: str, view: str, unit: str, csv: Sequence[str], value_axis: str, height: int
) -> go.Figure:
    """A figure without traces, with all that every figure has."""
    figure = go.Figure()
    figure.update_layout(
        title={"text": title},
        meta={
            "id": figure_id,
            "description": description,
            "view": view,
            "unit": unit,
            "csv": list(csv),
            "value_axis": value_axis,
        },
        height=height,
        font={"family": FONT, "size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 12, "r": 24, "t": 40, "b": 52},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        hoverlabel={"align": "left"},
        template="none",
    )
    axis = {
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "automargin": True,
        "gridcolor": "rgba(128,128,128,0.25)",
    }
    axis |= {"ticklabelstandoff": 6, "separatethousands": True, "title": {"font": {"size": 13}, "standoff": 14}}
    figure.update_xaxes(axis)
    figure.update_yaxes(axis)
    return figure


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
    """CPU of each class, a bar a run, split by zIIP eligibility.

    rows: one a class and run, with name, run, cpu_pct, the parts of it (None where the page does not split) and reference.
    The `most` largest classes stand alone, the others as one bar that says how many they are.
    """
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["cpu_pct"] is not None:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    ranked = sorted(by_class, key=lambda n: (-max(r["cpu_pct"] for r in by_class[n].values()), n))
    shown = ranked if len(ranked) <= most + 1 else ranked[:most]
    others = ranked[len(shown) :]
    if others:
        label = f"{len(others):,} others"
        by_class[label] = {
            run: _sum_rows([by_class[n][run] for n in others if run in by_class[n]], run) for run in runs
        }
        shown = [*shown, label]

    info = columns["cpu_pct"]
    slot = 0.8 / max(1, len(runs))
    height = 130 + len(shown) * (20 * len(runs) + 14)
    figure = bare_figure(
        figure_id,
        _cpu_title(by_class, ranked, runs, what),
        f"Bars of CPU in percent of one engine for the {what} with the most CPU, one bar a run, each split into time that "
        "must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs.",
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
            name=columns[part].title,
            marker=fill(PART_COLORS[part], 1 if part == "ziip_on_cp_pct" else 0),
            customdata=data,
            hovertext=hover,
            hoverinfo="text",
            meta={"measure": columns[part].axis, "name": part},
        )
    ends = [(place, turn, name, run) for place, name in enumerate(shown) for turn, run in enumerate(runs)]
    ends = [e for e in ends if e[3] in by_class[e[2]]]
    figure.add_scatter(
        mode="text",
        x=[by_class[name][run]["cpu_pct"] for _, _, name, run in ends],
        y=[place + (turn - (len(runs) - 1) / 2) * slot for place, turn, _, _ in ends],
        text=[f"  {text(run)} {by_class[name][run]['cpu_pct']:,.2f}" for _, _, name, run in ends],
        textposition="middle right",
        textfont={"size": 11},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
    largest = max((r["cpu_pct"] for n in shown for r in by_class[n].values()), default=1.0)
    room = 1.12 + 0.012 * max((len(run) for run in runs), default=0)
    figure.update_layout(barmode="stack", bargap=0.2)
    figure.update_xaxes(title={"text": info.axis}, range=[0, (largest or 1.0) * room], rangemode="tozero")
    figure.update_yaxes(
        tickvals=list(range(len(shown))),
        ticktext=[text(name) for name in shown],
        range=[len(shown) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _sum_rows(rows: Sequence[Row], run: str) -> dict[str, Any]:
    """One row that stands for several classes of a run; a part is None only where all lack it."""
    out: dict[str, Any] = {"run": run, "reference": f"{len(rows):,} classes, see the table"}
    for name in ("cpu_pct", *PARTS):
        values = [r[name] for r in rows if r[name] is not None]
        out[name] = sum(values) if values or name == "cpu_pct" else None
    return out


def _cpu_title(by_class: Mapping[str, Mapping[str, Row]], ranked: Sequence[str], runs: Sequence[str], what: str) -> str:
    if len(runs) < 2 or not ranked:
        return f"Which {what} use the CPU?"
    first, last = runs[0], runs[-1]
    changes = {
        name: by_class[name][last]["cpu_pct"] - by_class[name][first]["cpu_pct"]
        for name in ranked
        if first in by_class[name] and last in by_class[name]
    }
    if not changes:
        return f"Which {what} use the CPU? None stands in both windows"
    name = max(changes, key=lambda n: abs(changes[n]))
    if abs(changes[name]) < 0.005:
        return f"CPU of the {what} is the same in {text(first)} and {text(last)}"
    return f"{text(name)} changes most: {signed(changes[name])}% of one engine from {text(first)} to {text(last)}"


def cost_per_transaction(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, what: str, runs: Sequence[str], most: int = 15,
    measure: str = "cpu_ms_per_transaction", view: str = "cpu_by_class",
) -> go.Figure:  # fmt: skip
    """CPU per transaction of each class, a mark a run, on a logarithmic axis where the classes differ widely.

    rows: one a class (or what else is compared) and run, with name, run, cpu_pct, the measure (None: no transactions or no CPU),
    transactions, reference. The `most` classes with the most CPU are shown.
    """
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row[measure]:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    ranked = sorted(by_class, key=lambda n: (-max(r["cpu_pct"] or 0 for r in by_class[n].values()), n))
    shown, others = ranked[:most], ranked[most:]
    info = columns[measure]
    changes = {}
    for name in ranked:
        ends = by_class[name].get(runs[0]), by_class[name].get(runs[-1])
        if len(runs) > 1 and ends[0] and ends[1]:
            changes[name] = ends[1][measure] / ends[0][measure] - 1
    figure = bare_figure(
        figure_id,
        _cost_title(info.title, changes, runs, what, len(others)),
        f"{info.title} in {info.unit} of the {what} with the most CPU, one mark a run.",
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
    figure.add_scatter(
        mode="text",
        x=[max(r[measure] for r in by_class[n].values()) for n in labels],
        y=[shown.index(n) for n in labels],
        text=[f"   {signed(changes[n] * 100, 1)}%" for n in labels],
        textposition="middle right",
        textfont={"size": 11},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
    scale = ", logarithmic" if logarithmic else ""
    figure.update_xaxes(title={"text": f"{info.title} ({info.unit}{scale})"}, type="log" if logarithmic else "linear")
    if logarithmic:
        figure.update_xaxes(dtick=1)
    elif values:
        figure.update_xaxes(range=[0, max(values) * 1.15])
    figure.update_yaxes(
        tickvals=list(range(len(shown))),
        ticktext=[text(n) for n in shown],
        range=[max(1, len(shown)) - 0.5, -0.5],
    )
    return figure


def _cost_title(title: str, changes: Mapping[str, float], runs: Sequence[str], what: str, others: int) -> str:
    rest = f"; {others:,} others are in the table" if others else ""
    if len(runs) < 2 or not changes:
        return f"{title}: what does it cost?{rest}"
    if len(changes) == 1:
        ((name, change),) = changes.items()
        return f"{title} of {text(name)}: {signed(change * 100, 1)}% from {text(runs[0])} to {text(runs[-1])}{rest}"
    dearer = sum(c > 0.01 for c in changes.values())
    cheaper = sum(c < -0.01 for c in changes.values())
    same = len(changes) - dearer - cheaper
    return (
        f"{title} from {text(runs[0])} to {text(runs[-1])}: {dearer} of {len(changes)} {what} cost more, "
        f"{cheaper} less, {same} the same within 1%{rest}"
    )


def run_marker(turn: int) -> dict[str, Any]:
    color = RUN_COLORS[turn % len(RUN_COLORS)]
    symbol = RUN_SYMBOLS[turn % len(RUN_SYMBOLS)]
    return {"color": color, "symbol": symbol, "size": 11, "line": {"color": color, "width": 2}}


def cpu_over_time(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, what: str, runs: Sequence[str]
) -> go.Figure:
    """Total CPU interval by interval, a line a run, over the minutes since each window began.

    rows: one an interval and run, with run, start, end (datetime), minutes, minutes_end, cpu_pct (None: a class lacks its
    CPU, the line breaks) and reference. A gap between two intervals breaks the line.
    """
    info = columns["cpu_pct"]
    ranges = []
    for run in runs:
        values = [r["cpu_pct"] for r in rows if r["run"] == run and r["cpu_pct"] is not None]
        if values:
            ranges.append(f"{text(run)} {min(values):,.0f} to {max(values):,.0f}%")
    figure = bare_figure(
        figure_id,
        "How steady is the CPU? " + ", ".join(ranges) + " of one engine",
        f"Total CPU of the {what} in percent of one engine, one line a run, over minutes since the window began.",
        "cpu_by_class",
        info.unit,
        ("start", "end", "run", "source"),
        "y",
        380,
    )
    for turn, run in enumerate(runs):
        x: list[float] = []
        y: list[float | None] = []
        data: list[list[Any]] = []
        hover: list[str] = []
        mine = sorted((r for r in rows if r["run"] == run), key=lambda r: (str(r.get("sysplex")), r["start"]))
        for place, row in enumerate(mine):
            following = mine[place + 1] if place + 1 < len(mine) else None
            x.append(round(row["minutes"], 3))
            y.append(None if row["cpu_pct"] is None else round(row["cpu_pct"], 2))
            data.append([_clock(row["start"]), _clock(row["end"]), run, row["reference"]])
            shown = "CPU not complete" if row["cpu_pct"] is None else f"{row['cpu_pct']:,.2f} {info.unit}"
            hover.append(f"{text(run)} · {row['start']:%Y-%m-%d %H:%M}<br>{shown}<br>{text(row['reference'])}")
            if following is None or abs((following["start"] - row["end"]).total_seconds()) > 2:
                # The step ends where the interval ends; without a point there the last interval has no length.
                x += [round(row["minutes_end"], 3)] * 2
                y += [y[-1], None]
                data += [[], []]
                hover += ["", ""]
        figure.add_scatter(
            mode="lines" if len(mine) > 40 else "lines+markers",
            x=x,
            y=y,
            name=text(run),
            line={
                "color": RUN_COLORS[turn % len(RUN_COLORS)],
                "width": 2,
                "shape": "hv",
                "dash": "dot" if turn == 0 else "solid",
            },
            marker={"size": 5},
            customdata=data,
            hovertext=hover,
            hoverinfo="text",
            connectgaps=False,
            meta={"measure": f"{info.title}, all {what}", "name": "cpu_pct"},
        )
    figure.update_xaxes(title={"text": "Minutes since the window began"})
    figure.update_yaxes(title={"text": info.axis}, rangemode="tozero")
    return figure


def _clock(moment: dt.datetime) -> str:
    return moment.isoformat(sep=" ", timespec="seconds")
