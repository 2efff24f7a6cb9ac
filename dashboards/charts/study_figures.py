"""Charts of a study: pure functions of rows and column metadata that return a plotly figure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from ..columns import PART_OF_COST, Columns
from ..numbers import column_writer, four_digits, signed
from .drawing import (
    PART_COLORS,
    RUN_COLORS,
    RUN_SYMBOLS,
    SERIES_COLORS,
    Row,
    bare_figure,
    faint,
    fill,
    mark_paid,
    name_rows,
    short,
    text,
    write_beside,
)


def cost_by_configuration(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], measure: str, title: str
) -> go.Figure:
    """Processor time per request of each configuration, split by zIIP eligibility, the cheapest by `measure` first.

    rows: one per configuration, with configuration, cpu_ms_per_request, measure (the main cost), the parts (None if not split),
    lower and upper (95% interval of the measure, or None), reference; the first of `configurations` is the baseline. A configuration
    without a cost has no bar.
    """
    shown = [r for r in rows if r["cpu_ms_per_request"] is not None]
    split = all(r[part] is not None for r in shown for part in PART_OF_COST)
    parts = list(PART_OF_COST) if split else ["cpu_ms_per_request"]
    order = [r["configuration"] for r in sorted(shown, key=lambda r: r[measure])]
    order += [name for name in configurations if name not in order]
    sentences = [
        "Processor time per request, one bar per configuration, the lowest first.",
        "Each bar is split into time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs." if split else "",
        "The vertical mark and the label are general-processor time, which is what is paid for." if measure == "cp_ms_per_request" else "",
    ]  # fmt: skip
    figure = bare_figure(
        figure_id,
        title,
        " ".join(filter(None, sentences)),
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
            y=[order.index(r["configuration"]) for r in shown],
            width=0.62,
            name=columns[part].title,
            marker=fill(
                PART_COLORS[PART_OF_COST[part]] if split else SERIES_COLORS[0],
                1 if part == "ziip_on_cp_ms_per_request" else 0,
            ),
            customdata=[[r["configuration"], r["reference"]] for r in shown],
            hovertext=[
                f"<b>{text(r['configuration'])}</b><br>{columns[part].title}: {four_digits(r[part])} {columns[part].unit} per request"
                f"<br>{columns[measure].title}: {four_digits(r[measure])}{_interval(r)}"
                f"<br>in all: {four_digits(r['cpu_ms_per_request'])}<br>{text(r['reference'])}"
                for r in shown
            ],
            hoverinfo="text",
            showlegend=split,
            meta={"measure": columns[part].axis, "name": part},
        )
    ends = [max(r["cpu_ms_per_request"], r.get("upper") or 0) for r in shown]
    _totals(figure, shown, ends, order, measure, configurations[0])
    largest = max(ends, default=1.0)
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title={"text": columns["cpu_ms_per_request"].axis}, range=[0, (largest or 1.0) * 1.6])
    marked = len(configurations) > 1
    name_rows(figure, [n + (" (baseline)" if marked and n == configurations[0] else "") for n in order])
    return figure


def _totals(
    figure: go.Figure, shown: Sequence[Row], ends: Sequence[float], order: Sequence[str], measure: str, baseline: str
) -> None:
    """General-processor time of each bar as a vertical mark with its interval, and as text after the bar."""
    certain = [r for r in shown if r.get("lower") is not None and r.get("upper") is not None]
    if certain:
        figure.add_scatter(
            mode="markers",
            x=[r[measure] for r in certain],
            y=[order.index(r["configuration"]) for r in certain],
            marker={"size": 1, "color": "rgba(0,0,0,0)"},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [r["upper"] - r[measure] for r in certain],
                "arrayminus": [r[measure] - r["lower"] for r in certain],
                "color": "rgba(128,128,128,0.95)",
                "thickness": 1.5,
                "width": 6,
            },
            hoverinfo="skip",
            showlegend=False,
        )
    is_part = measure != "cpu_ms_per_request"
    at = [order.index(r["configuration"]) for r in shown]
    if is_part:
        mark_paid(figure, [r[measure] for r in shown], at, 26, 2.5)
    base = next((r for r in shown if r["configuration"] == baseline), None)

    writers = {
        measure: column_writer([r[measure] for r in shown], [(r["upper"] - r["lower"]) / 2 for r in certain]),
        "cpu_ms_per_request": column_writer([r["cpu_ms_per_request"] for r in shown]),
    }
    if not is_part:
        writers = dict.fromkeys(writers, writers[measure])

    def change_of(row: Row, name: str) -> str:
        change = ""
        if base is not None and row is not base and base[name]:
            change = f" ({signed((row[name] / base[name] - 1) * 100, 1)}%)"
        return f"{writers[name](row[name])}{change}"

    words = [
        f"  general processors {change_of(r, measure)}, all {change_of(r, 'cpu_ms_per_request')}"
        if is_part
        else f"  {change_of(r, measure)}"
        for r in shown
    ]
    write_beside(figure, ends, at, words)


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
    """CPU or response time of each run against its request rate, one mark per run and one line per configuration.

    rows: one per run, with configuration, run, requests_per_s, the measure (None: unknown) and reference. fits: of the measure, by
    configuration, with ms_per_request (slope), fixed_pct and the range of rates. limit_pct: engines x 100.
    """
    info = columns[measure]
    figure = bare_figure(
        figure_id,
        title,
        f"{info.title} of each run against its requests per second, one mark per run, one colour per configuration.",
        "cost_per_request",
        info.unit,
        ("configuration", "run", "requests_per_s", "source"),
        "y",
        420,
    )
    for turn, configuration in enumerate(configurations):
        # In the order of the runs: past saturation the rate falls again.
        mine = [
            r for r in rows if r["configuration"] == configuration and None not in (r[measure], r["requests_per_s"])
        ]
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
                y=[fit["fixed_pct"] + rate * fit["ms_per_request"] / 10 for rate in ends],
                line={"color": color, "width": 1.5, "dash": "dot"},
                legendgroup=configuration,
                hoverinfo="skip",
                showlegend=False,
            )
    values = [r[measure] for r in rows if r[measure] is not None]
    is_logarithmic = measure == "response_ms" and bool(values) and 0 < _SPANS * min(values) <= max(values)
    _name_line_ends(figure, is_logarithmic)
    if limit_pct is not None:
        words = f"all engines: {limit_pct:,.0f}%"
        most = max((r[measure] for r in rows if r[measure] is not None), default=0.0)
        if limit_pct <= 3 * most:
            line = {"color": "rgba(128,128,128,0.9)", "width": 1.5, "dash": "dash"}
            figure.add_hline(y=limit_pct, line=line, annotation={"text": words, "font": {"size": 12}})
        else:
            # A line far above would squeeze the marks together.
            figure.add_annotation(
                text=f"{words}, far above", x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                font={"size": 12},
            )  # fmt: skip
    figure.update_xaxes(title={"text": columns["requests_per_s"].axis}, rangemode="tozero")
    if is_logarithmic:
        figure.update_yaxes(title={"text": f"{info.title} ({info.unit}, logarithmic)"}, type="log", dtick="D2")
    else:
        figure.update_yaxes(title={"text": info.axis}, rangemode="tozero")
    return figure


# Response times that differ by this factor are drawn on a logarithmic axis: the small ones would lie on the axis.
_SPANS = 20


def _name_line_ends(figure: go.Figure, is_logarithmic: bool) -> None:
    """The name of each line of marks right of its last mark, in place of the legend. Lines that end close together keep the legend alone:
    names over one another are not read."""
    # plotly declares no types for its traces.
    traces: Any = figure.data
    lines: list[Any] = [t for t in traces if t.meta]
    ends = [(t.x[-1], math.log10(t.y[-1]) if is_logarithmic else t.y[-1], t) for t in lines if len(t.x)]
    scale = [math.log10(y) if is_logarithmic else y for t in lines for y in t.y]
    height = (max(scale) - (min(scale) if is_logarithmic else min(0.0, *scale))) or 1.0
    width = max((x for t in lines for x in t.x), default=0.0) or 1.0
    for place, (x, y, _) in enumerate(ends):
        for other_x, other_y, _ in ends[:place]:
            if abs(y - other_y) < 0.06 * height and abs(x - other_x) < 0.3 * width:
                return
    longest = max(len(t.name) for t in lines)
    for x, y, trace in ends:
        figure.add_annotation(
            x=x, y=y, text=trace.name, xanchor="left", xshift=9, showarrow=False, font={"size": 12}, name="line end",
        )  # fmt: skip
    figure.update_layout(showlegend=False)
    figure.update_xaxes(range=[0, width * (1.03 + 0.011 * longest)])


def _fit_band(fit: Row) -> tuple[list[float], list[float]]:
    """The outline of the 95% band of a fitted line, from the half-widths of intercept and slope."""
    slope = (fit["ms_per_request_upper"] - fit["ms_per_request_lower"]) / 2 / 10
    intercept = (fit["fixed_pct_upper"] - fit["fixed_pct_lower"]) / 2
    least, most, mean = (fit[f"requests_per_s_{name}"] for name in ("least", "most", "mean"))
    rates = [least + (most - least) * n / 20 for n in range(21)]
    middle = [fit["fixed_pct"] + rate * fit["ms_per_request"] / 10 for rate in rates]
    half = [max(0.0, intercept**2 + (rate**2 - 2 * rate * mean) * slope**2) ** 0.5 for rate in rates]
    lower = [short(m - h) for m, h in zip(middle, half, strict=True)]
    upper = [short(m + h) for m, h in zip(middle, half, strict=True)]
    across = [short(rate) for rate in rates]
    return across + across[::-1], lower + upper[::-1]


# Below this utilisation an extrapolation to 100% busy means little.
LEAST_BUSY_PCT = 30.0


def internal_throughput(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], title: str
) -> go.Figure | None:
    """Internal throughput rate, extrapolated from the busiest run of each configuration, beside the highest measured rate. No bar for
    a configuration that was never busy enough; None if there is at most one, of one configuration (see `throughput_words`).

    rows: one per configuration and run of one busy basis, with configuration, run, itr_per_s, etr_per_s, cpu_busy_pct, reference.
    """
    info = columns["itr_per_s"]
    names, busiest, fastest = _busiest_and_fastest(rows, configurations)
    drawn = [name for name in names if busiest[name]["cpu_busy_pct"] >= LEAST_BUSY_PCT]
    if not drawn or len(names) == 1:
        return None
    figure = bare_figure(
        figure_id,
        title,
        "A bar is the internal throughput rate: requests per second of the busiest run divided by the busy share of its processors. A "
        "diamond is the highest measured rate. Other limits, such as memory, locks or disks, keep throughput below the bar. "
        f"There is no bar if processors were never {LEAST_BUSY_PCT:g}% busy.",
        "itr",
        info.unit,
        ("configuration", "run", "source"),
        "x",
        130 + 40 * max(1, len(names)),
    )
    place = {name: n for n, name in enumerate(names)}
    for label, of, column, measure in (
        ("Extrapolated", {n: busiest[n] for n in drawn}, "itr_per_s", info.axis),
        ("Highest measured", fastest, "etr_per_s", "Requests measured (1/s)"),
    ):
        data: dict[str, Any] = {
            "x": [short(r[column]) for r in of.values()],
            "y": [place[name] for name in of],
            "name": label,
            "customdata": [[name, r["run"], r["reference"]] for name, r in of.items()],
            "hovertext": [
                f"<b>{text(name)}</b> · run {text(r['run'])}<br>{label}: {four_digits(r[column])} requests/s<br>"
                f"{four_digits(r['etr_per_s'])} requests/s at {four_digits(r['cpu_busy_pct'])}% busy<br>{text(r['reference'])}"
                for name, r in of.items()
            ],
            "hoverinfo": "text",
            "meta": {"measure": measure, "name": column},
        }
        if column == "itr_per_s":
            colors = [RUN_COLORS[configurations.index(n) % len(RUN_COLORS)] for n in of]
            figure.add_bar(orientation="h", width=0.62, opacity=0.55, marker={"color": colors}, **data)
        else:
            marker = {
                "symbol": "diamond",
                "size": 11,
                "color": "rgba(128,128,128,1)",
                "line": {"width": 1, "color": "#fff"},
            }
            figure.add_scatter(mode="markers", marker=marker, **data)
    ends = {n: max(busiest[n]["itr_per_s"] if n in drawn else 0.0, fastest[n]["etr_per_s"]) for n in names}
    words = [f"   {said}" for said in _throughput_words(names, busiest, fastest)]
    write_beside(figure, [ends[n] for n in names], [place[n] for n in names], words)
    figure.update_xaxes(title={"text": info.axis}, range=[0, max(ends.values(), default=1.0) * 1.6])
    name_rows(figure, names)
    return figure


def throughput_words(rows: Sequence[Row], configurations: Sequence[str], title: str) -> str:
    """The sentence in place of a chart without bars, or with one."""
    names, busiest, fastest = _busiest_and_fastest(rows, configurations)
    if not names or (len(names) > 1 and any(busiest[n]["cpu_busy_pct"] >= LEAST_BUSY_PCT for n in names)):
        return ""
    told = zip(names, _throughput_words(names, busiest, fastest), strict=True)
    return f"{title}, requests per second: {'; '.join(f'{name}: {words}' for name, words in told)}."


def _busiest_and_fastest(
    rows: Sequence[Row], configurations: Sequence[str]
) -> tuple[list[str], dict[str, Row], dict[str, Row]]:
    """The configurations that have rows; of each the run with the busiest processors, and that with the most requests."""
    mine = {name: [r for r in rows if r["configuration"] == name] for name in configurations}
    names = [name for name in configurations if mine[name]]
    busiest = {name: max(mine[name], key=lambda r: r["cpu_busy_pct"]) for name in names}
    return names, busiest, {name: max(mine[name], key=lambda r: r["etr_per_s"]) for name in names}


def _throughput_words(names: Sequence[str], busiest: dict[str, Row], fastest: dict[str, Row]) -> list[str]:
    """What was measured and extrapolated, with the same decimals for all."""
    busy, measured, extrapolated = (
        column_writer([r[column] for r in of.values()])
        for of, column in ((busiest, "cpu_busy_pct"), (fastest, "etr_per_s"), (busiest, "itr_per_s"))
    )
    return [
        f"{extrapolated(busiest[n]['itr_per_s'])} from {busy(busiest[n]['cpu_busy_pct'])}% busy, measured {measured(fastest[n]['etr_per_s'])}"
        if busiest[n]["cpu_busy_pct"] >= LEAST_BUSY_PCT
        else f"measured {measured(fastest[n]['etr_per_s'])}; at most {busy(busiest[n]['cpu_busy_pct'])}% busy: too little to extrapolate"
        for n in names
    ]


def _interval(row: Row) -> str:
    if row.get("lower") is None or row.get("upper") is None:
        return ""
    return f" (95% interval {four_digits(row['lower'])} to {four_digits(row['upper'])})"
