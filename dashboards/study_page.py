"""The page of one or several studies: findings in sentences, tables and pictures against the baseline, and how sure they are."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import plotly.graph_objects as go

from ..pipeline.errors import IronlakeError
from . import figures, study_figures
from .columns import COLUMNS, PART_OF_COST
from .document import DASH, change_cell, document, facts, picture, write
from .figures import four_digits, signed
from .references import Sources, reference_cell, row_title, sources_section
from .study_measures import Configuration, Row, StudyMeasures, measure_studies
from .study_words import WARNINGS, headline, verdict
from .windows import Lake

_UNIT = {"cpu_ms_per_request": "ms", "response_ms": "ms"}


def compare_studies(lake: Lake, studies: Sequence[str], out: Path) -> str:
    """Write the page of studies that a lake holds, and return its headline. Raises IronlakeError where the file cannot be
    written."""
    sources = Sources(lake)
    page, said = render(measure_studies(lake, studies, sources), sources)
    write(page, out)
    return said


def render(studies: Sequence[StudyMeasures], sources: Sources) -> tuple[str, str]:
    """The page as text, and its headline."""
    if not studies:
        raise IronlakeError("no study to compare", "a study file with at least one study")
    drawn: dict[str, go.Figure] = {}
    sections = [_overview(studies, drawn)] if len(studies) > 1 else []
    for number, study in enumerate(studies, 1):
        sections.append(_study_section(study, f"study_{number}", len(studies) > 1, sources, drawn))
    sections += [_findings_section(studies), _method_section(studies)]
    sections.append(sources_section((r for s in studies for r in s.references), sources))
    said = " ".join(f"{s.name}: {headline(s)}" if len(studies) > 1 else headline(s) for s in studies)
    name = studies[0].name if len(studies) == 1 else f"{len(studies)} studies"
    page = document(
        title=f"Ironlake: {name}",
        heading=name,
        headline=said if len(studies) == 1 else _counted(studies),
        cards=_cards(studies[0]) if len(studies) == 1 else "",
        sections=sections,
        pictures=drawn,
    )
    return page, said


def _counted(studies: Sequence[StudyMeasures]) -> str:
    warned = sum(bool(s.warnings) for s in studies)
    found = sum(len(s.findings) for s in studies)
    unlike = f" {warned} of them compare unlike with unlike." if warned else ""
    beyond = f" {found} {'value is' if found == 1 else 'values are'} beyond a limit." if found else ""
    return f"{len(studies)} studies, each against its own baseline.{unlike}{beyond}"


def _cards(study: StudyMeasures) -> str:
    """Cost a request of each configuration at a glance."""
    cards = []
    for configuration in study.configurations[:6]:
        cost = configuration.cost["cpu_ms_per_request"]
        if cost is None:
            continue
        base = study.baseline.cost["cpu_ms_per_request"]
        change = "baseline"
        if configuration is not study.baseline:
            change = f"{signed((cost / base - 1) * 100, 1)}% against {escape(study.baseline.name)}" if base else ""
        cards.append(
            f'<li><a href="#study_1_table" title="{escape(COLUMNS["cpu_ms_per_request"].doc)}"><span class="what">CPU per request, '
            f'{escape(configuration.name)}</span><span class="value">{_number(cost)} ms</span><span class="change">{change}</span></a></li>'
        )
    return f'<ul class="cards">{"".join(cards)}</ul>' if cards else ""


# --- One study -------------------------------------------------------------------------------------------------------


def _study_section(
    study: StudyMeasures, prefix: str, is_one_of_many: bool, sources: Sources, drawn: dict[str, go.Figure]
) -> str:
    mine = {f.layout.meta["id"]: f for f in _pictures(study, prefix)}
    drawn |= mine
    title = study.name if is_one_of_many else "Configurations"
    lede = f"<p>{escape(headline(study))}</p>" if is_one_of_many else ""
    return (
        f'<section aria-labelledby="{prefix}"><h2 id="{prefix}">{escape(title)}</h2>{lede}{_warnings(study)}'
        f"{_configuration_table(study, prefix, sources)}{''.join(picture(mine, i) for i in mine)}"
        f"{_subsystem_table(study)}{_coupling_table(study)}{_runs_table(study, sources)}</section>"
    )


def _warnings(study: StudyMeasures) -> str:
    items = [
        f"<li>{escape(row['configuration'])} against {escape(row['baseline'])}: {escape(WARNINGS.get(row['warning'], str(row['warning'])))}: "
        f"{escape(str(row['value']))} against {escape(str(row['baseline_value']))}</li>"
        for row in study.warnings
    ]
    return f'<h3>Not like for like</h3><ul class="notes">{"".join(items)}</ul>' if items else ""


def _pictures(study: StudyMeasures, prefix: str) -> list[go.Figure]:
    """The pictures that the study has numbers for, by question."""
    names = [c.name for c in study.configurations]
    drawn: list[go.Figure] = []
    costs = [_cost_row(c) for c in study.configurations]
    known = [r for r in costs if r["cpu_ms_per_request"] is not None]
    if known:
        drawn.append(
            study_figures.cost_by_configuration(
                costs, COLUMNS, figure_id=f"{prefix}_cost", configurations=names, title=_cost_title(study)
            )
        )
    if known and len(study.subsystems) > 1:
        rows = [
            {**row, "reference": row["reference"].short}
            for c in study.configurations
            for row in c.by_subsystem.values()
        ]
        drawn.append(
            study_figures.cost_by_subsystem(
                rows, COLUMNS, figure_id=f"{prefix}_subsystems", configurations=names,
                subsystems=study.subsystems, title="Which subsystem is the processor time of a request charged to?",
            )
        )  # fmt: skip
    runs = [{**r, "reference": r["reference"].short} for c in study.configurations for r in c.runs]
    for measure, title in (
        ("cpu_pct", "How does CPU grow with the request rate?"),
        ("response_ms", "How does response time grow with the request rate?"),
    ):
        if sum(r[measure] is not None and r["requests_per_s"] is not None for r in runs) > len(names):
            fits = {c.name: c.fit for c in study.configurations if c.fit}
            drawn.append(
                study_figures.against_rate(
                    runs, COLUMNS, measure=measure, figure_id=f"{prefix}_{measure}", configurations=names,
                    fits=fits if measure == "cpu_pct" else {},
                    limit_pct=_engines_pct(runs) if measure == "cpu_pct" else None, title=title,
                )
            )  # fmt: skip
    bases = {"cp": "general processors", "cp_and_ziip": "general processors and zIIPs"}
    for basis, of in bases.items():
        rows = [
            {**r, "reference": r["reference"].short}
            for c in study.configurations for r in c.itr
            if r["busy_basis"] == basis and r["itr_per_s"] is not None
        ]  # fmt: skip
        # Without zIIPs both bases are the same.
        if rows and (basis == "cp" or any(_differs_from_cp(study, r) for r in rows)):
            drawn.append(
                study_figures.internal_throughput(
                    rows,
                    COLUMNS,
                    figure_id=f"{prefix}_itr_{basis}",
                    configurations=names,
                    title=f"What would always busy {of} do?",
                )
            )
    return drawn


def _cost_row(configuration: Configuration) -> Row:
    sure = configuration.confidence.get("cpu_ms_per_request") or {}
    return {
        "configuration": configuration.name,
        "reference": configuration.reference.short,
        **{name: configuration.cost[name] for name in ("cpu_ms_per_request", *PART_OF_COST)},
        "lower": sure.get("lower"),
        "upper": sure.get("upper"),
    }


def _cost_title(study: StudyMeasures) -> str:
    known = [c for c in study.configurations if c.cost["cpu_ms_per_request"]]
    if len(known) < 2:
        return "What does a request cost?"
    cheapest = min(known, key=lambda c: c.cost["cpu_ms_per_request"])
    dearest = max(known, key=lambda c: c.cost["cpu_ms_per_request"])
    if dearest.cost["cpu_ms_per_request"] / cheapest.cost["cpu_ms_per_request"] < 1.0005:
        return "A request costs the same in all configurations"
    return f"A request costs least in {figures.text(cheapest.name)} and most in {figures.text(dearest.name)}"


def _engines_pct(runs: Sequence[Row]) -> float | None:
    """The limit of the machine, where all runs had the same engines."""
    engines = {round(r["engines_online"], 2) for r in runs if r["engines_online"] is not None}
    return engines.pop() * 100 if len(engines) == 1 else None


def _differs_from_cp(study: StudyMeasures, row: Row) -> bool:
    of_cp = next(
        r for c in study.configurations for r in c.itr
        if (c.name, r["run"], r["busy_basis"]) == (row["configuration"], row["run"], "cp")
    )  # fmt: skip
    return of_cp["cpu_busy_pct"] != row["cpu_busy_pct"]


# --- Tables ----------------------------------------------------------------------------------------------------------


def _number(value: float | None) -> str:
    return DASH if value is None else four_digits(value)


_COST_COLUMNS = ("cpu_ms_per_request", *PART_OF_COST, "response_ms")


def _configuration_table(study: StudyMeasures, prefix: str, sources: Sources) -> str:
    """Each configuration, its change against the baseline below it, and whether that is more than noise. Nothing, where no
    configuration has a cost or a response time."""
    columns = [name for name in _COST_COLUMNS if study.has(name)]
    if not columns:
        return ""
    bodies = []
    for configuration in study.configurations:
        cost = configuration.cost
        is_base = configuration is study.baseline
        cells = "".join(f"<td>{_number(cost[name])}{_spread(configuration, name)}</td>" for name in columns)
        head = (
            f'<th scope="rowgroup" rowspan="{1 if is_base else 2}">{escape(configuration.name)}'
            f"<small>{'baseline' if is_base else ''}</small></th>"
        )
        row = f"<tr{row_title(configuration.reference, sources)}>{head}<td>{_number(cost['requests'])}</td>{cells}{reference_cell(configuration.reference)}</tr>"
        if not is_base:
            changes = "".join(_changed(study.baseline, configuration, name) for name in columns)
            row += f'<tr class="change"><td class="run">change</td>{changes}<td></td></tr>'
        bodies.append(f"<tbody>{row}</tbody>")
    heads = "".join(
        f'<th scope="col" title="{escape(COLUMNS[n].doc)}">{COLUMNS[n].title}<small>{COLUMNS[n].unit}</small></th>'
        for n in columns
    )
    lacking = ", ".join(COLUMNS[n].title for n in _COST_COLUMNS if n not in columns)
    sentences = [
        "Processor time of the charged classes over the requests.",
        "Below a value stand the ends of its 95% interval." if any(_spread(c, n) for c in study.configurations for n in columns) else "",
        f"Not printed: {lacking}." if lacking else "",
        f"{DASH} stands for no value: not printed, or nothing to divide by.",
    ]  # fmt: skip
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Configurations" id="{prefix}_table"><table>'
        f"<caption>{' '.join(filter(None, sentences))}</caption>"
        f'<thead><tr><th scope="col" class="l">Configuration</th><th scope="col">Requests</th>{heads}'
        f'<th scope="col" class="l">Printed at</th></tr></thead>{"".join(bodies)}</table></div>'
    )


def _spread(configuration: Configuration, name: str) -> str:
    sure = configuration.confidence.get(name)
    if not sure or sure["lower"] is None or sure["upper"] is None:
        return ""
    return f"<small>{_number(sure['lower'])} to {_number(sure['upper'])}</small>"


def _changed(baseline: Configuration, configuration: Configuration, name: str) -> str:
    """The change against the baseline, and whether it is certain."""
    difference = configuration.difference.get(name)
    sure = f"<small>{escape(verdict(difference))}</small>" if difference else ""
    return change_cell(baseline.cost[name], configuration.cost[name], four_digits, sure)


def _subsystem_table(study: StudyMeasures) -> str:
    """Cost a request by subsystem, and what is charged to none."""
    names = [c.name for c in study.configurations]
    rows = [
        (
            subsystem,
            [_number((c.by_subsystem.get(subsystem) or {}).get("cpu_ms_per_request")) for c in study.configurations],
        )
        for subsystem in study.subsystems
    ]
    rest = [_number((c.unallocated or {}).get("cpu_ms_per_request")) for c in study.configurations]
    if any(value != DASH for value in rest):
        rows.append(("charged to no subsystem", rest))
    if len(rows) < 2:
        return ""
    return facts(names, rows, "CPU per request by subsystem, milliseconds")


def _coupling_table(study: StudyMeasures) -> str:
    shown = [r for r in study.coupling if r["coupling_efficiency_pct"] is not None]
    if not shown:
        return ""
    bases = {"cp": "general processors", "cp_and_ziip": "with zIIPs"}
    rows: list[tuple[str, list[str]]] = []
    for title, write_one in (
        ("Uncoupled, coupled", lambda r: f"{escape(r['uncoupled'])}, {escape(r['coupled'])}"),
        ("ITR uncoupled, coupled (1/s)", lambda r: f"{_number(r['itr_uncoupled'])}, {_number(r['itr_coupled'])}"),
        ("Busy uncoupled, coupled (%)", lambda r: f"{r['cpu_busy_uncoupled_pct']:,.2f}, {r['cpu_busy_coupled_pct']:,.2f}"),
        ("Coupling efficiency: coupled of uncoupled ITR (%)", lambda r: f"{r['coupling_efficiency_pct']:,.2f}"),
        ("Capacity delta: the rest to 100 (%)", lambda r: f"{r['capacity_delta_pct']:,.2f}"),
        ("CPU increase: more processor time a request (%)", lambda r: f"{r['cpu_increase_pct']:,.2f}"),
    ):  # fmt: skip
        rows.append((title, [write_one(r) for r in shown]))
    return facts([bases[r["busy_basis"]] for r in shown], rows, "Coupling efficiency, by what is counted as busy")


_RUN_COLUMNS = (
    ("requests_per_s", "Requests", "1/s"),
    ("cpu_pct", "CPU charged", "% of one engine"),
    ("cpu_busy_pct", "Processors busy", "%, with zIIPs"),
    ("response_ms", "Response time", "ms"),
)


def _runs_table(study: StudyMeasures, sources: Sources) -> str:
    """Every run: its window, what was selected, and its figures; folded away where there are many."""
    runs = [(c.name, run) for c in study.configurations for run in c.runs]
    columns = [c for c in _RUN_COLUMNS if any(run[c[0]] is not None for _, run in runs)]
    rows = []
    for configuration, run in runs:
        cells = (
            f'<td class="l">{escape(configuration)}</td><td class="l">{escape(run["run"])}</td>'
            f'<td class="l">{run["window_start"]:%Y-%m-%d %H:%M} to {run["window_end"]:%H:%M}</td><td>{run["intervals"]}</td>'
            f"<td>{_number(run['covered_s'])} of {_number(run['asked_s'])}</td>"
            + "".join(f"<td>{_number(run[name])}</td>" for name, _, _ in columns)
        )
        rows.append(f"<tr{row_title(run['reference'], sources)}>{cells}{reference_cell(run['reference'])}</tr>")
    heads = (
        '<th scope="col" class="l">Configuration</th><th scope="col" class="l">Run</th><th scope="col" class="l">Window</th>'
        '<th scope="col">Intervals</th><th scope="col">Covered<small>s of asked</small></th>'
        + "".join(f'<th scope="col">{title}<small>{unit}</small></th>' for _, title, unit in columns)
        + '<th scope="col" class="l">Printed at</th>'
    )
    return (
        f'<details class="block"{"" if len(rows) > 12 else " open"}><summary>{len(rows):,} {"run" if len(rows) == 1 else "runs"}, one by one</summary>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )


# --- All studies -------------------------------------------------------------------------------------------------------


def _overview(studies: Sequence[StudyMeasures], drawn: dict[str, go.Figure]) -> str:
    """Several studies side by side: a sentence each, and one picture where they have the same configurations."""
    items = "".join(
        f'<li><a href="#study_{n}">{escape(s.name)}</a>: {escape(headline(s))}</li>' for n, s in enumerate(studies, 1)
    )
    names = [c.name for c in studies[0].configurations]
    shown = ""
    if all([c.name for c in s.configurations] == names for s in studies):
        rows = [
            {
                "name": s.name,
                "run": c.name,
                "reference": c.reference.short,
                "cpu_pct": -place,  # the order of the file, not of size
                "cpu_ms_per_request": c.cost["cpu_ms_per_request"],
                "transactions": c.cost["requests"],
            }
            for place, s in enumerate(studies) for c in s.configurations
        ]  # fmt: skip
        if any(r["cpu_ms_per_request"] for r in rows):
            figure = figures.cost_per_transaction(
                rows, COLUMNS, figure_id="studies", what="studies", runs=names,
                measure="cpu_ms_per_request", view="configuration_cost",
            )  # fmt: skip
            drawn["studies"] = figure
            shown = picture(drawn, "studies")
    return f'<section aria-labelledby="overview"><h2 id="overview">Studies</h2><ul class="method">{items}</ul>{shown}</section>'


_MOST_FINDINGS = 100


def _findings_section(studies: Sequence[StudyMeasures]) -> str:
    """What is beyond a limit: a row a rule, configuration and subject, with the worst of its values and how often."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for study in studies:
        for row in study.findings:
            key = (study.name, row["configuration"] or "", row["rule"], row["subject"] or "")
            groups.setdefault(key, []).append(row)
    if not groups:
        return (
            '<section aria-labelledby="findings"><h2 id="findings">Findings</h2><p class="quiet">No value that these studies select is '
            "beyond a limit of the rules (view finding_rule).</p></section>"
        )
    body = "".join(_finding(key, rows) for key, rows in list(groups.items())[:_MOST_FINDINGS])
    more = len(groups) - _MOST_FINDINGS
    hidden = f" {more:,} more are in the view finding." if more > 0 else ""
    return (
        '<section aria-labelledby="findings"><h2 id="findings">Findings</h2><p class="quiet">Values that are beyond a limit, the worst of '
        f"several. A study file may set other limits.{hidden}</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Findings"><table><thead><tr>'
        '<th scope="col" class="l">Rule</th><th scope="col" class="l">Of</th><th scope="col">Value</th><th scope="col">Limit</th>'
        '<th scope="col">Found<small>times</small></th><th scope="col" class="l">Whose limit</th><th scope="col" class="l">Printed at</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _finding(key: tuple[str, str, str, str], rows: Sequence[Row]) -> str:
    study, configuration, _, subject = key
    known = [r for r in rows if r["value"] is not None] or list(rows)
    worst = (min if known[0]["comparison"].startswith("<") else max)(known, key=lambda r: r["value"] or 0)
    unsure = "" if any(r["is_certain"] for r in rows) else "<small>within the printed digits</small>"
    return (
        f'<tr><th scope="row">{escape(worst["title"])}<small>{escape(study)}: {escape(configuration)}</small></th>'
        f'<td class="l">{escape(subject)}</td><td>{_number(worst["value"])}{unsure}</td>'
        f"<td>{escape(worst['comparison'])} {_number(worst['limit_value'])} {escape(worst['unit'] or '')}</td><td>{len(rows):,}</td>"
        f'<td class="l">{escape(worst["rule_source"] or "")}</td>{reference_cell(worst["reference"])}</tr>'
    )


def _method_section(studies: Sequence[StudyMeasures]) -> str:
    picks = {s["rule"] for study in studies for s in study.steps}
    rules = {
        "last": "Of each window the last printed interval counts.",
        "all": "All printed intervals of a window count.",
        "list": "The intervals that the study lists count.",
        None: "Each window holds one printed interval.",
    }
    items = [
        *(rules[p] for p in sorted(picks, key=str)),
        "CPU per request is the processor time of the charged classes over all selected intervals, over their requests: recomputed "
        "from sums, never a mean of percentages. zIIP time is counted as it is, not normalised.",
        "Time that must run on a general processor is CP − IIPCP − AAPCP of APPL %. The published CP − (IIP + IIPCP) takes away zIIP "
        "time that CP never held, and is not used here.",
        "A 95% interval rests on the intervals or steps of a configuration as units, three at least; a difference whose interval "
        "holds 0 is within noise.",
    ]  # fmt: skip
    factors = [
        f"Busy time of {r['configuration']} in {s.name} is multiplied by {r['busy_factor']:.4g}, as the study says."
        for s in studies for c in s.configurations for r in c.itr
        if r["busy_basis"] == "cp" and r["busy_factor"] not in (None, 1)
    ]  # fmt: skip
    listed = "".join(f"<li>{escape(i)}</li>" for i in (*items, *dict.fromkeys(factors)))
    return f'<section aria-labelledby="method"><h2 id="method">How it is measured</h2><ul class="method">{listed}</ul></section>'
