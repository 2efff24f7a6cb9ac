"""Pictures of a study: each a pure function of rows and column metadata that returns a plotly figure, as those of figures."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from .columns import PART_OF_COST, Columns
from .figures import (
    PART_COLORS,
    RUN_COLORS,
    RUN_SYMBOLS,
    Row,
    bare_figure,
    faint,
    fill,
    four_digits,
    short,
    signed,
    text,
)

UNKNOWN_COLOR = "#8a8f98"


def cost_by_configuration(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], title: str
) -> go.Figure:
    """Processor time a request of each configuration, split by zIIP eligibility.

    rows: one a configuration, with configuration, cpu_ms_per_request, the parts of it (None where the page does not split),
    lower and upper (ends of its interval, or None) and reference. A configuration without a cost has no bar.
    """
    shown = [r for r in rows if r["cpu_ms_per_request"] is not None]
    split = all(r[part] is not None for r in shown for part in PART_OF_COST)
    parts = list(PART_OF_COST) if split else ["cpu_ms_per_request"]
    figure = bare_figure(
        figure_id,
        title,
        "Bars of processor time a request, one a configuration"
        + (
            ", each split into time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs."
            if split
            else "."
        ),
        "configuration_cost",
        columns["cpu_ms_per_request"].unit,
        ("configuration", "source"),
        "x",
        130 + 40 * max(1, len(configurations)),
    )
    for part in parts:
        figure.add_bar(
            orientation="h",
            x=[short(r[part]) for r in shown],
            y=[configurations.index(r["configuration"]) for r in shown],
            width=0.62,
            name=columns[part].title,
            marker=fill(
                PART_COLORS[PART_OF_COST[part]] if split else RUN_COLORS[1],
                1 if part == "ziip_on_cp_ms_per_request" else 0,
            ),
            customdata=[[r["configuration"], r["reference"]] for r in shown],
            hovertext=[
                f"<b>{text(r['configuration'])}</b><br>{columns[part].title}: {four_digits(r[part])} {columns[part].unit} a request"
                f"<br>in all: {four_digits(r['cpu_ms_per_request'])}{_interval(r)}<br>{text(r['reference'])}"
                for r in shown
            ],
            hoverinfo="text",
            showlegend=split,
            meta={"measure": columns[part].axis, "name": part},
        )
    ends = [max(r["cpu_ms_per_request"], r.get("upper") or 0) for r in shown]
    _totals(figure, shown, ends, configurations)
    largest = max(ends, default=1.0)
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title={"text": columns["cpu_ms_per_request"].axis}, range=[0, (largest or 1.0) * 1.3])
    _configuration_axis(figure, configurations)
    return figure


def _totals(figure: go.Figure, shown: Sequence[Row], ends: Sequence[float], configurations: Sequence[str]) -> None:
    """The whole of each bar as text behind it, with the ends of its interval as a whisker."""
    certain = [r for r in shown if r.get("lower") is not None and r.get("upper") is not None]
    if certain:
        figure.add_scatter(
            mode="markers",
            x=[r["cpu_ms_per_request"] for r in certain],
            y=[configurations.index(r["configuration"]) for r in certain],
            marker={"size": 1, "color": "rgba(0,0,0,0)"},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [r["upper"] - r["cpu_ms_per_request"] for r in certain],
                "arrayminus": [r["cpu_ms_per_request"] - r["lower"] for r in certain],
                "color": "rgba(128,128,128,0.95)",
                "thickness": 1.5,
                "width": 6,
            },
            hoverinfo="skip",
            showlegend=False,
        )
    base = shown[0] if shown and shown[0]["configuration"] == configurations[0] else None
    words = []
    for row in shown:
        change = ""
        if base is not None and row is not base and base["cpu_ms_per_request"]:
            change = f" ({signed((row['cpu_ms_per_request'] / base['cpu_ms_per_request'] - 1) * 100, 1)}%)"
        words.append(f"  {four_digits(row['cpu_ms_per_request'])}{change}")
    figure.add_scatter(
        mode="text",
        x=list(ends),
        y=[configurations.index(r["configuration"]) for r in shown],
        text=words,
        textposition="middle right",
        textfont={"size": 12},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )


def cost_by_subsystem(
    rows: Sequence[Row],
    columns: Columns,
    *,
    figure_id: str,
    configurations: Sequence[str],
    subsystems: Sequence[str],
    title: str,
) -> go.Figure:
    """Processor time a request of each configuration, split by the subsystem that is charged.

    rows: one a configuration and subsystem, with configuration, subsystem, cpu_ms_per_request (None: not known) and reference.
    """
    info = columns["cpu_ms_per_request"]
    figure = bare_figure(
        figure_id,
        title,
        "Bars of processor time a request, one a configuration, each split into the subsystems that it is charged to.",
        "configuration_cost",
        info.unit,
        ("configuration", "subsystem", "source"),
        "x",
        130 + 40 * max(1, len(configurations)),
    )
    for turn, subsystem in enumerate(subsystems):
        mine = [r for r in rows if r["subsystem"] == subsystem and r["cpu_ms_per_request"] is not None]
        figure.add_bar(
            orientation="h",
            x=[short(r["cpu_ms_per_request"]) for r in mine],
            y=[configurations.index(r["configuration"]) for r in mine],
            width=0.62,
            name=text(subsystem),
            marker=fill(RUN_COLORS[(turn + 1) % len(RUN_COLORS)], turn),
            customdata=[[r["configuration"], subsystem, r["reference"]] for r in mine],
            hovertext=[
                f"<b>{text(r['configuration'])}</b> · {text(subsystem)}<br>{four_digits(r['cpu_ms_per_request'])} {info.unit} a request<br>{text(r['reference'])}"
                for r in mine
            ],
            hoverinfo="text",
            meta={"measure": info.axis, "name": "cpu_ms_per_request"},
        )
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title={"text": info.axis}, rangemode="tozero")
    _configuration_axis(figure, configurations)
    return figure


def against_rate(
    rows: Sequence[Row],
    columns: Columns,
    *,
    measure: str,
    figure_id: str,
    configurations: Sequence[str],
    fits: Mapping[str, Row],
    limit_pct: float | None,
    title: str,
) -> go.Figure:
    """CPU or response time of each run against its request rate, a mark a run and a line a configuration.

    rows: one a run, with configuration, run, requests_per_s, the measure (None: not known) and reference. fits: of CPU, by
    configuration, with cpu_ms_per_request (slope), fixed_cpu_pct and the rates that it was made of. limit_pct: engines x 100.
    """
    info = columns[measure]
    figure = bare_figure(
        figure_id,
        title,
        f"{info.title} of each run against its requests a second, one mark a run, one colour a configuration.",
        "cost_per_request",
        info.unit,
        ("configuration", "run", "requests_per_s", "source"),
        "y",
        420,
    )
    for turn, configuration in enumerate(configurations):
        mine = sorted(
            (r for r in rows if r["configuration"] == configuration and None not in (r[measure], r["requests_per_s"])),
            key=lambda r: r["requests_per_s"],
        )
        if not mine:
            continue
        color = RUN_COLORS[turn % len(RUN_COLORS)]
        fit = fits.get(configuration)
        figure.add_scatter(
            mode="markers" if fit or len(mine) == 1 else "lines+markers",
            x=[short(r["requests_per_s"]) for r in mine],
            y=[short(r[measure]) for r in mine],
            name=text(configuration),
            legendgroup=configuration,
            line={"color": color, "width": 1.5},
            marker={
                "color": color,
                "symbol": RUN_SYMBOLS[turn % len(RUN_SYMBOLS)],
                "size": 9,
                "line": {"color": color, "width": 2},
            },
            customdata=[[configuration, r["run"], r["requests_per_s"], r["reference"]] for r in mine],
            hovertext=[
                f"<b>{text(configuration)}</b> · run {text(r['run'])}<br>{four_digits(r['requests_per_s'])} requests/s"
                f"<br>{info.title}: {four_digits(r[measure])} {info.unit}<br>{text(r['reference'])}"
                for r in mine
            ],
            hoverinfo="text",
            meta={"measure": info.axis, "name": measure},
        )
        if fit:
            ends = [fit["requests_per_s_least"], fit["requests_per_s_most"]]
            across, up = _fit_band(fit)
            figure.add_scatter(
                mode="lines", x=across, y=up, line={"width": 0, "color": color}, fill="toself", fillcolor=faint(color),
                legendgroup=configuration, hoverinfo="skip", showlegend=False,
            )  # fmt: skip
            figure.add_scatter(
                mode="lines",
                x=ends,
                y=[fit["fixed_cpu_pct"] + rate * fit["cpu_ms_per_request"] / 10 for rate in ends],
                line={"color": color, "width": 1.5, "dash": "dot"},
                legendgroup=configuration,
                hoverinfo="skip",
                showlegend=False,
            )
    if limit_pct is not None:
        words = f"all engines: {limit_pct:,.0f}%"
        most = max((r[measure] for r in rows if r[measure] is not None), default=0.0)
        if limit_pct <= 3 * most:
            line = {"color": "rgba(128,128,128,0.9)", "width": 1.5, "dash": "dash"}
            figure.add_hline(y=limit_pct, line=line, annotation={"text": words, "font": {"size": 12}})
        else:
            # A line far above would press the marks together at the bottom.
            figure.add_annotation(
                text=f"{words}, far above", x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                font={"size": 12},
            )  # fmt: skip
    figure.update_xaxes(title={"text": columns["requests_per_s"].axis}, rangemode="tozero")
    figure.update_yaxes(title={"text": info.axis}, rangemode="tozero")
    return figure


def _fit_band(fit: Row) -> tuple[list[float], list[float]]:
    """The outline of the 95% band of a fitted line. Its half-width is that of the intercept at no requests, and follows from it
    and from that of the slope at every other rate."""
    slope = (fit["cpu_ms_per_request_upper"] - fit["cpu_ms_per_request_lower"]) / 2 / 10
    intercept = (fit["fixed_cpu_pct_upper"] - fit["fixed_cpu_pct_lower"]) / 2
    least, most, mean = (fit[f"requests_per_s_{name}"] for name in ("least", "most", "mean"))
    rates = [least + (most - least) * n / 20 for n in range(21)]
    middle = [fit["fixed_cpu_pct"] + rate * fit["cpu_ms_per_request"] / 10 for rate in rates]
    half = [max(0.0, intercept**2 + (rate**2 - 2 * rate * mean) * slope**2) ** 0.5 for rate in rates]
    lower = [short(m - h) for m, h in zip(middle, half, strict=True)]
    upper = [short(m + h) for m, h in zip(middle, half, strict=True)]
    across = [short(rate) for rate in rates]
    return across + across[::-1], lower + upper[::-1]


def internal_throughput(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], title: str
) -> go.Figure:
    """Requests a second that the processors would reach if they were always busy, of each run.

    rows: one a configuration and run of one busy basis, with configuration, run, itr_per_s, etr_per_s, cpu_busy_pct, reference.
    """
    info = columns["itr_per_s"]
    figure = bare_figure(
        figure_id,
        title,
        "Bars of the internal throughput rate, one a run: its requests a second over the busy share of its processors.",
        "itr",
        info.unit,
        ("configuration", "run", "source"),
        "x",
        130 + 40 * max(1, len(rows)),
    )
    names = [
        r["configuration"] if len(rows) == len(configurations) else f"{r['configuration']} · {r['run']}" for r in rows
    ]
    figure.add_bar(
        orientation="h",
        x=[short(r["itr_per_s"]) for r in rows],
        y=list(range(len(rows))),
        width=0.62,
        marker={"color": [RUN_COLORS[configurations.index(r["configuration"]) % len(RUN_COLORS)] for r in rows]},
        text=[f"{r['itr_per_s']:,.5g} at {four_digits(r['cpu_busy_pct'])}% busy" for r in rows],
        textposition="outside",
        cliponaxis=False,
        customdata=[[r["configuration"], r["run"], r["reference"]] for r in rows],
        hovertext=[
            f"<b>{text(name)}</b><br>{four_digits(r['itr_per_s'])} requests/s if always busy<br>{four_digits(r['etr_per_s'])} requests/s at "
            f"{four_digits(r['cpu_busy_pct'])}% busy<br>{text(r['reference'])}"
            for name, r in zip(names, rows, strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
        meta={"measure": info.axis, "name": "itr_per_s"},
    )
    figure.update_xaxes(title={"text": info.axis}, range=[0, max((r["itr_per_s"] for r in rows), default=1.0) * 1.35])
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[text(n) for n in names],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _configuration_axis(figure: go.Figure, configurations: Sequence[str]) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(configurations))),
        ticktext=[text(c) for c in configurations],
        range=[len(configurations) - 0.5, -0.5],
        showgrid=False,
    )


def _interval(row: Row) -> str:
    if row.get("lower") is None or row.get("upper") is None:
        return ""
    return f" (95% interval {four_digits(row['lower'])} to {four_digits(row['upper'])})"
