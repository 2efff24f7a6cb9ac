"""Charts of a study: pure functions of rows and column metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..columns import PART_OF_COST, Columns
from ..numbers import column_writer, signed
from .chart import Chart, Lane, Line, Value, short
from .chart import Row as ChartRow
from .drawing import PART_COLORS, Row, run_color, series_color


def cost_by_configuration(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], measure: str, title: str
) -> Chart:
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
    words = _totals(shown, measure, configurations[0])

    def values(row: Row) -> list[Value]:
        bars = [
            Value(
                row[part],
                (row["configuration"], row["reference"]),
                columns[part].axis,
                columns[part].title,
                PART_COLORS[PART_OF_COST[part]] if split else series_color(0),
                int(part == "ziip_on_cp_ms_per_request"),
            )
            for part in parts
        ]
        lower, upper = (row["lower"], row["upper"]) if _is_sure(row) else (None, None)
        if measure != "cpu_ms_per_request":
            return [*bars, Value(row[measure], series=columns[measure].title, kind="tick", lower=lower, upper=upper)]
        return [*bars[:-1], replace(bars[-1], lower=lower, upper=upper)]

    by_name = {r["configuration"]: r for r in shown}
    return Chart(
        figure_id,
        title,
        " ".join(filter(None, sentences)),
        "configuration_cost",
        columns["cpu_ms_per_request"].unit,
        ("configuration",),
        columns["cpu_ms_per_request"].axis,
        [
            ChartRow(
                n + (" (baseline)" if len(configurations) > 1 and n == configurations[0] else ""),
                [Lane(values(by_name[n]), words[n]) if n in by_name else Lane([], "unknown")],
            )
            for n in order
        ],
    )


def _totals(shown: Sequence[Row], measure: str, baseline: str) -> dict[str, str]:
    """General-processor time and all of it, as text after the bar of each configuration, with their change against the baseline."""
    base = next((r for r in shown if r["configuration"] == baseline), None)
    is_part = measure != "cpu_ms_per_request"
    halves = [(r["upper"] - r["lower"]) / 2 for r in shown if _is_sure(r)]
    writers = {
        "cpu_ms_per_request": column_writer([r["cpu_ms_per_request"] for r in shown]),
        measure: column_writer([r[measure] for r in shown], halves),
    }

    def change_of(row: Row, name: str) -> str:
        change = ""
        if base is not None and row is not base and base[name]:
            change = f" ({signed((row[name] / base[name] - 1) * 100, 1)}%)"
        return f"{writers[name](row[name])}{change}"

    return {
        r["configuration"]: f"general processors {change_of(r, measure)}, all {change_of(r, 'cpu_ms_per_request')}"
        if is_part
        else change_of(r, measure)
        for r in shown
    }


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
) -> Chart:
    """CPU or response time of each run against its request rate, one mark per run and one line per configuration.

    rows: one per run, with configuration, run, requests_per_s, the measure (None: unknown) and reference. fits: of the measure, by
    configuration, with ms_per_request (slope), fixed_pct and the range of rates. limit_pct: engines x 100.
    """
    info = columns[measure]
    lines = []
    for turn, configuration in enumerate(configurations):
        # In the order of the runs: past saturation the rate falls again.
        mine = [
            r for r in rows if r["configuration"] == configuration and None not in (r[measure], r["requests_per_s"])
        ]
        if not mine:
            continue
        fit = fits.get(configuration)
        values = [
            Value(
                r[measure],
                (configuration, r["run"], r["requests_per_s"], r["reference"]),
                info.axis,
                configuration,
                run_color(turn),
                turn,
                "dot",
                at=r["requests_per_s"],
            )
            for r in mine
        ]
        lines.append(
            Line(
                configuration,
                run_color(turn),
                values,
                symbol=turn,
                joined=not fit and len(mine) > 1,
                bands=[_fit_band(fit)] if fit else (),
                fit=[(rate, _fitted(fit, rate)) for rate in (fit["requests_per_s_least"], fit["requests_per_s_most"])]
                if fit
                else (),
            )
        )
    values = [r[measure] for r in rows if r[measure] is not None]
    is_log = measure == "response_ms" and bool(values) and 0 < _SPANS * min(values) <= max(values)
    return Chart(
        figure_id,
        title,
        f"{info.title} of each run against its requests per second, one mark per run, one colour per configuration.",
        "cost_per_request",
        info.unit,
        ("configuration", "run", "requests_per_s"),
        f"{info.title} ({info.unit}, logarithmic)" if is_log else info.axis,
        lines=lines,
        across=columns["requests_per_s"].axis,
        is_log=is_log,
        limits=[] if limit_pct is None else [(limit_pct, f"all engines: {limit_pct:,.0f}%")],
    )


# Response times that differ by this factor are drawn on a logarithmic axis: the small ones would lie on the axis.
_SPANS = 20


def _fitted(fit: Row, rate: float) -> float:
    return float(fit["fixed_pct"] + rate * fit["ms_per_request"] / 10)


def _fit_band(fit: Row) -> list[tuple[float, float, float]]:
    """The 95% band of a fitted line, from the half-widths of intercept and slope."""
    slope = (fit["ms_per_request_upper"] - fit["ms_per_request_lower"]) / 2 / 10
    intercept = (fit["fixed_pct_upper"] - fit["fixed_pct_lower"]) / 2
    least, most, mean = (fit[f"requests_per_s_{name}"] for name in ("least", "most", "mean"))
    band = []
    for rate in (least + (most - least) * n / 20 for n in range(21)):
        half = max(0.0, intercept**2 + (rate**2 - 2 * rate * mean) * slope**2) ** 0.5
        band.append((short(rate), short(_fitted(fit, rate) - half), short(_fitted(fit, rate) + half)))
    return band


# Below this utilisation an extrapolation to 100% busy means little.
LEAST_BUSY_PCT = 30.0


def internal_throughput(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, configurations: Sequence[str], title: str
) -> Chart | None:
    """Internal throughput rate, extrapolated from the busiest run of each configuration, beside the highest measured rate. No bar for
    a configuration that was never busy enough; None if there is at most one, of one configuration (see `throughput_words`).

    rows: one per configuration and run of one busy basis, with configuration, run, itr_per_s, etr_per_s, cpu_busy_pct, reference.
    """
    info = columns["itr_per_s"]
    names, busiest, fastest = _busiest_and_fastest(rows, configurations)
    drawn = [name for name in names if busiest[name]["cpu_busy_pct"] >= LEAST_BUSY_PCT]
    if not drawn or len(names) == 1:
        return None
    words = dict(zip(names, _throughput_words(names, busiest, fastest), strict=True))

    def value(name: str, row: Row, label: str, column: str, measure: str) -> Value:
        turn = configurations.index(name)
        is_bar = column == "itr_per_s"
        return Value(
            row[column],
            (name, row["run"], row["reference"]),
            measure,
            label,
            run_color(turn) if is_bar else "#808080",
            0 if is_bar else 2,
            "bar" if is_bar else "dot",
        )

    def values(name: str) -> list[Value]:
        bar = [value(name, busiest[name], "Extrapolated", "itr_per_s", info.axis)] if name in drawn else []
        return [*bar, value(name, fastest[name], "Highest measured", "etr_per_s", "Requests measured (1/s)")]

    return Chart(
        figure_id,
        title,
        "A bar is the internal throughput rate: requests per second of the busiest run divided by the busy share of its processors. A "
        "diamond is the highest measured rate. Other limits, such as memory, locks or disks, keep throughput below the bar. "
        f"There is no bar if processors were never {LEAST_BUSY_PCT:g}% busy.",
        "itr",
        info.unit,
        ("configuration", "run"),
        info.axis,
        [ChartRow(name, [Lane(values(name), words[name])]) for name in names],
    )


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


def _is_sure(row: Row) -> bool:
    return row.get("lower") is not None and row.get("upper") is not None
