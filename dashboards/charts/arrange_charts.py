"""The charts of one study by question: costs of its configurations, then the declared charts of its runs."""

from collections.abc import Sequence

from ..columns import COLUMNS, PART_OF_COST
from ..headline_sentences import COST_WORDS, spread
from ..study_rows import BUSY_BASES, ConfigurationMeasures, Row, StudyMeasures
from . import study_figures as study_figures
from .chart import Chart
from .comparison_page_charts import GROUPS, PICTURES
from .draw_declared import draw, sentence
from .score_figures import score_pictures


def pictures_by_group(study: StudyMeasures, prefix: str) -> dict[str, list[Chart]]:
    """The charts that have data, by group, in page order."""
    names = [c.name for c in study.configurations]
    found = {group: _of_configurations(study, prefix, group, names) for group in GROUPS}
    for picture in PICTURES:
        if picture.group == "driver":
            found["driver"] += score_pictures(picture, study.pictured[picture.name], names, f"{prefix}_")
            continue
        drawn = draw(picture, study.pictured[picture.name], names, f"{prefix}_")
        found[picture.group] += [drawn] if drawn else []
    return found


def sentences_by_group(study: StudyMeasures) -> dict[str, list[str]]:
    """What is told in place of charts of flat lines and of one bar, by group."""
    names = [c.name for c in study.configurations]
    found: dict[str, list[str]] = {}
    for basis, rows in _throughput_rows(study).items():
        if said := study_figures.throughput_words(rows, names, _throughput_title(basis)):
            found.setdefault("capacity", []).append(said)
    for picture in PICTURES:
        if picture.group != "driver" and (said := sentence(picture, study.pictured[picture.name], names)):
            found.setdefault(picture.group, []).append(said)
    return found


def _of_configurations(study: StudyMeasures, prefix: str, group: str, names: Sequence[str]) -> list[Chart]:
    if group == "cost":
        return _costs(study, prefix, names)
    if group == "load":
        return _loads(study, prefix, names)
    return _throughput(study, prefix, names) if group == "capacity" else []


def _costs(study: StudyMeasures, prefix: str, names: Sequence[str]) -> list[Chart]:
    costs = [_cost_row(c, study.leads_with) for c in study.configurations]
    # One cost is in the table.
    if sum(r["cpu_ms_per_request"] is not None for r in costs) < 2:
        return []
    return [
        study_figures.cost_by_configuration(
            costs,
            COLUMNS,
            figure_id=f"{prefix}_cost",
            configurations=names,
            measure=study.leads_with,
            title=_cost_title(study),
        )
    ]


# Most marks per configuration in a chart.
_MOST_MARKS = 400


def _spread(rows: list[Row], most: int) -> list[Row]:
    """At most `most` rows, evenly spaced."""
    return rows[:: -(-len(rows) // most) or 1]


def _left_out(rows: Sequence[Row], shown: Sequence[Row]) -> str:
    """The note in a title about rows not drawn."""
    return f"; {len(shown):,} of {len(rows):,} runs, spread evenly over the rates" if len(rows) > len(shown) else ""


def _against_rate(study: StudyMeasures) -> tuple[tuple[str, str], ...]:
    cost = study.leads_with
    paid = (("cp_pct", "How does general-processor time grow with the request rate?"),)
    return (
        *(paid if cost == "cp_ms_per_request" else ()),
        (
            "cpu_pct",
            f"How does CPU{', zIIP time included,' if cost == 'cp_ms_per_request' else ''} grow with the request rate?",
        ),
        (cost, f"{COST_WORDS[cost][0].upper()}{COST_WORDS[cost][1:]} per request against request rate"),
        ("response_ms", "How does response time grow with the request rate?"),
    )


# The cost per request that the slope of a percentage against the request rate is.
_SLOPE_OF = {"cp_pct": "cp_ms_per_request", "cpu_pct": "cpu_ms_per_request"}
# The column of engines that limits each percentage.
_LIMITED_BY = {"cp_pct": "engines_cp_online", "cpu_pct": "engines_online"}


def _loads(study: StudyMeasures, prefix: str, names: Sequence[str]) -> list[Chart]:
    runs = [{**r, "reference": r["reference"].short} for c in study.configurations for r in c.runs]
    drawn = []
    for measure, title in _against_rate(study):
        known = [r for r in runs if r[measure] is not None and r["requests_per_s"] is not None]
        if len(known) > len(names):
            known.sort(key=lambda r: r["requests_per_s"])
            shown = [
                r for name in names for r in _spread([k for k in known if k["configuration"] == name], _MOST_MARKS)
            ]
            slope = _SLOPE_OF.get(measure)
            fits = {c.name: c.fits[slope] for c in study.configurations if slope in c.fits}
            drawn.append(
                study_figures.against_rate(
                    shown, COLUMNS, measure=measure, figure_id=f"{prefix}_{measure}", configurations=names,
                    fits=fits,
                    limit_pct=_engines_pct(runs, _LIMITED_BY[measure]) if measure in _LIMITED_BY else None,
                    title=title + _left_out(known, shown),
                )
            )  # fmt: skip
    return drawn


def _throughput(study: StudyMeasures, prefix: str, names: Sequence[str]) -> list[Chart]:
    drawn = [
        study_figures.internal_throughput(
            rows, COLUMNS, figure_id=f"{prefix}_itr_{basis}", configurations=names, title=_throughput_title(basis)
        )
        for basis, rows in _throughput_rows(study).items()
    ]
    return [figure for figure in drawn if figure]


def _throughput_rows(study: StudyMeasures) -> dict[str, list[Row]]:
    """The rows by busy basis; without zIIPs both bases are the same, and there is one."""
    found = {}
    for basis in BUSY_BASES:
        rows = [
            {**r, "reference": r["reference"].short}
            for c in study.configurations for r in c.itr
            if r["busy_basis"] == basis and r["itr_per_s"] is not None
        ]  # fmt: skip
        if rows and (basis == "cp" or any(_differs_from_cp(study, r) for r in rows)):
            found[basis] = rows
    return found


def _throughput_title(basis: str) -> str:
    return f"Throughput if {BUSY_BASES[basis]} were the only limit (extrapolated)"


def _cost_row(configuration: ConfigurationMeasures, measure: str) -> Row:
    sure = configuration.confidence.get(measure)
    has_spread = bool(spread(sure))
    return {
        "configuration": configuration.name,
        "reference": configuration.reference.short,
        **{name: configuration.cost[name] for name in (measure, "cpu_ms_per_request", *PART_OF_COST)},
        "lower": sure["lower"] if sure and has_spread else None,
        "upper": sure["upper"] if sure and has_spread else None,
    }


def _cost_title(study: StudyMeasures) -> str:
    measure = study.leads_with
    what = f"{COST_WORDS[measure][0].upper()}{COST_WORDS[measure][1:]} per request"
    known = [c for c in study.configurations if c.cost[measure]]
    if len(known) < 2:
        return what
    cheapest = min(known, key=lambda c: c.cost[measure])
    dearest = max(known, key=lambda c: c.cost[measure])
    if dearest.cost[measure] / cheapest.cost[measure] < 1.0005:
        return f"{what} is the same in all configurations"
    return f"{what} is lowest in {cheapest.name} and highest in {dearest.name}"


def _engines_pct(runs: Sequence[Row], column: str) -> float | None:
    """The limit of the machine, if all runs had the same engines."""
    engines = {round(r[column], 2) for r in runs if r[column] is not None}
    return engines.pop() * 100 if len(engines) == 1 else None


def _differs_from_cp(study: StudyMeasures, row: Row) -> bool:
    of_cp = next(
        r for c in study.configurations for r in c.itr
        if (c.name, r["run"], r["busy_basis"]) == (row["configuration"], row["run"], "cp")
    )  # fmt: skip
    return of_cp["cpu_busy_pct"] != row["cpu_busy_pct"]
