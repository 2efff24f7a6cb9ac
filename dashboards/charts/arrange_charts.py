"""The charts of one study by question: the declared ones, runs against their request rate, and scores of drivers."""

import json
from collections.abc import Sequence
from dataclasses import replace

from ..columns import COLUMNS, COST_WORDS
from ..study_rows import Row, StudyMeasures
from .chart import Chart, Line, Value, short
from .comparison_page_charts import GROUPS, PICTURES
from .draw_declared import draw
from .drawing import run_color
from .spec import Picture


def charts_by_group(study: StudyMeasures, prefix: str) -> dict[str, tuple[list[Chart], list[str]]]:
    """The charts that have data, by group in page order, and the sentences in place of charts of flat lines or one
    bar."""
    names = [c.name for c in study.configurations]
    found: dict[str, tuple[list[Chart], list[str]]] = {group: ([], []) for group in GROUPS}
    found["load"][0].extend(_against_rate(study, prefix, names))
    for picture in PICTURES:
        rows = study.pictured[picture.name]
        if picture.group == "class":
            continue
        charts, sentences = found[picture.group]
        if picture.group == "driver":
            charts += score_pictures(picture, rows, names, f"{prefix}_")
            continue
        # The least cost first.
        order = [row["configuration"] for row in rows] if picture.name == "cost" else names
        if drawn := draw(picture, rows, order, f"{prefix}_"):
            charts.append(drawn) if isinstance(drawn, Chart) else sentences.append(drawn)
    return found


# --- Runs against their request rate -----------------------------------------------------------------------------------

# Most marks per configuration in a chart.
_MOST_MARKS = 400
# Response times that differ by this factor are drawn on a logarithmic axis: the small ones would lie on the axis.
_SPANS = 20
# By percentage: the cost per request that is its slope against the request rate, and the column of engines that limits it.
_SLOPES = {"cp_pct": ("cp_ms_per_request", "engines_cp_online"), "cpu_pct": ("cpu_ms_per_request", "engines_online")}


def _against_rate(study: StudyMeasures, prefix: str, names: Sequence[str]) -> list[Chart]:
    """CPU, cost and response time of each run against its request rate."""
    lead = study.leads_with
    paid = lead == "cp_ms_per_request"
    cost = COST_WORDS[lead]
    titles = {
        **({"cp_pct": "How does general-processor time grow with the request rate?"} if paid else {}),
        "cpu_pct": f"How does CPU{', zIIP time included,' if paid else ''} grow with the request rate?",
        lead: f"{cost[0].upper()}{cost[1:]} per request against request rate",
        "response_ms": "How does response time grow with the request rate?",
    }
    drawn = []
    for measure, title in titles.items():
        runs = [r for c in study.configurations for r in c.runs if None not in (r[measure], r["requests_per_s"])]
        if len(runs) <= len(names):
            continue
        mine = {name: _spread([r for r in runs if r["configuration"] == name]) for name in names}
        count = sum(map(len, mine.values()))
        left_out = f"; {count:,} of {len(runs):,} runs, spread evenly over the rates" if count < len(runs) else ""
        drawn.append(_rate_chart(study, f"{prefix}_{measure}", measure, title + left_out, mine))
    return drawn


def _spread(rows: list[Row]) -> list[Row]:
    """Rows in the order of the runs, as the rate falls again past saturation; too many are thinned evenly over the
    rates."""
    if len(rows) <= _MOST_MARKS:
        return rows
    return sorted(rows, key=lambda r: r["requests_per_s"])[:: -(-len(rows) // _MOST_MARKS)]


def _rate_chart(study: StudyMeasures, chart_id: str, measure: str, title: str, rows: dict[str, list[Row]]) -> Chart:
    """A mark per run and a line per configuration, or its fitted line; with the limit of the machine, if all runs had the same engines."""
    info, (slope, engines) = COLUMNS[measure], _SLOPES.get(measure, ("", ""))
    lines = []
    for turn, configuration in enumerate(study.configurations):
        name, color, fit = configuration.name, run_color(turn), configuration.fits.get(slope)
        values = [
            Value(
                r[measure], (name, r["run"], r["requests_per_s"], r["reference"].short), info.axis, name, color, turn, "dot", at=r["requests_per_s"],
            )
            for r in rows[name]
        ]  # fmt: skip
        ends = [fit[f"requests_per_s_{end}"] for end in ("least", "most")] if fit else []
        line = Line(name, color, values, symbol=turn, joined=not fit and len(values) > 1)
        if fit:
            line = replace(line, bands=[_fit_band(fit)], fit=[(rate, _fitted(fit, rate)) for rate in ends])
        lines += [line] if values else []
    values = [v.value for line in lines for v in line.values]
    is_log = measure == "response_ms" and 0 < _SPANS * min(values) <= max(values)
    every = {round(r[engines], 2) for c in study.configurations for r in c.runs if engines and r[engines] is not None}
    limit = [every.pop() * 100] if len(every) == 1 else []
    return Chart(
        chart_id,
        title,
        f"{info.title} of each run against its requests per second, one mark per run, one colour per configuration.",
        "cost_per_request",
        info.unit,
        ("configuration", "run", "requests_per_s"),
        f"{info.title} ({info.unit}, logarithmic)" if is_log else info.axis,
        lines=lines,
        across=COLUMNS["requests_per_s"].axis,
        is_log=is_log,
        limits=[(most, f"all engines: {most:,.0f}%") for most in limit],
    )


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


# --- Driver results without a time of day ------------------------------------------------------------------------------


def score_pictures(
    picture: Picture, rows: Sequence[Row], configurations: Sequence[str] = (), prefix: str = ""
) -> list[Chart]:
    """One chart per mode and unit, which cannot share an axis. Colour shows the configuration if several have results, else the
    parameter with the fewest values."""
    kinds = sorted({(row["unit"] or "", row["mode"] or "") for row in rows})
    out = []
    for number, (unit, mode) in enumerate(kinds, 1):
        mine = [r for r in rows if (r["unit"] or "", r["mode"] or "") == (unit, mode)]
        compared = [c for c in configurations if any(r["configuration"] == c for r in mine)]
        mine = by_parameter(mine, "configuration" if len(compared) > 1 else "")
        of_kind = replace(
            picture,
            name=picture.name + (f"_{number}" if len(kinds) > 1 else ""),
            axis=f"Score, {mode}" if mode else "Score",
            measures=[replace(picture.measures[0], unit=unit)],
            of={n: n for n in picture.of if n not in ("mode", "unit", "configuration")} | {"variant": "variant"},
            series="variant",
        )
        drawn = draw(of_kind, mine, compared, prefix)
        out += [drawn] if isinstance(drawn, Chart) else []
    return out


def by_parameter(rows: Sequence[Row], by: str = "") -> list[Row]:
    """Rows with the meaning of colour as `variant`: the column `by`, else the parameter with the fewest values, at least two.
    `parameters` holds the other parameters that differ."""
    given = [json.loads(row["parameters"] or "{}") for row in rows]
    values: dict[str, set[str]] = {}
    for one in given:
        for name, value in one.items():
            values.setdefault(name, set()).add(str(value))
    telling = [name for name, found in values.items() if len(found) > 1]
    variant = "" if by else min(telling, key=lambda n: (len(values[n]), n), default="")
    return [
        row
        | {
            "variant": row[by] if by else f"{variant} {one.get(variant, '')}".strip(),
            "parameters": ", ".join(f"{name} {one[name]}" for name in telling if name in one and name != variant),
        }
        for row, one in zip(rows, given, strict=True)
    ]
