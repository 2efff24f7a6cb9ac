"""Tables of one study: its configurations against the baseline, their subsystems, coupling, and every run."""

from html import escape

from ..charts.figures import four_digits
from ..columns import COLUMNS, PART_OF_COST
from ..document import DASH, change_cell, facts
from ..measures import Configuration, Row, StudyMeasures
from ..references import Sources, reference_cell, row_title
from ..sentences import COST_WORDS, spread, verdict


def number(value: float | None) -> str:
    return DASH if value is None else four_digits(value)


def _cost_columns(study: StudyMeasures) -> list[str]:
    """What is paid for first, then its parts, then all CPU, which is no column of its own where it is the same."""
    first = study.leads_with
    names = [first, *PART_OF_COST]
    names += ["cpu_ms_per_request"] if first != "cpu_ms_per_request" else []
    return [*names, *(["cpu_normalized_ms_per_request"] if study.is_normalized else []), "response_ms"]


def configuration_table(study: StudyMeasures, prefix: str, sources: Sources) -> str:
    """Each configuration, its change against the baseline below it, and whether that is more than noise. Nothing, where no
    configuration has a cost or a response time."""
    every = _cost_columns(study)
    columns = [name for name in every if study.has(name)]
    if not columns:
        return ""
    bodies = []
    for configuration in study.configurations:
        cost = configuration.cost
        is_base = configuration is study.baseline
        cells = "".join(f"<td>{number(cost[name])}{_spread(configuration, name)}</td>" for name in columns)
        head = (
            f'<th scope="rowgroup" rowspan="{1 if is_base else 2}">{escape(configuration.name)}'
            f"<small>{'baseline' if is_base else ''}</small></th>"
        )
        row = f"<tr{row_title(configuration.reference, sources)}>{head}<td>{number(cost['requests'])}</td>{cells}{reference_cell(configuration.reference)}</tr>"
        if not is_base:
            changes = "".join(_changed(study.baseline, configuration, name) for name in columns)
            row += f'<tr class="change"><td class="run">change</td>{changes}<td></td></tr>'
        bodies.append(f"<tbody>{row}</tbody>")
    heads = "".join(
        f'<th scope="col" title="{escape(COLUMNS[n].doc)}">{COLUMNS[n].title}<small>{COLUMNS[n].unit}</small></th>'
        for n in columns
    )
    lacking = ", ".join(COLUMNS[n].title for n in every if n not in columns)
    sentences = [
        "Processor time of the charged classes over the requests."
        + (" General-processor time is what is paid for; zIIP-eligible time that ran there is in it." if study.leads_with == "cp_ms_per_request" else ""),
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
    said = spread(configuration.confidence.get(name))
    return f"<small>{said}</small>" if said else ""


def _changed(baseline: Configuration, configuration: Configuration, name: str) -> str:
    """The change against the baseline, and whether it is certain."""
    difference = configuration.difference.get(name)
    sure = f"<small>{escape(verdict(difference))}</small>" if difference else ""
    return change_cell(baseline.cost[name], configuration.cost[name], four_digits, sure)


def subsystem_table(study: StudyMeasures) -> str:
    """Cost a request by subsystem, and what is charged to none."""
    names = [c.name for c in study.configurations]
    first = study.leads_with

    def cell(row: Row | None) -> str:
        of = row or {}
        whole = number(of.get("cpu_ms_per_request"))
        return number(of.get(first)) + (
            f"<small>{whole} with zIIPs</small>" if first != "cpu_ms_per_request" and whole != DASH else ""
        )

    rows = [(s, [cell(c.by_subsystem.get(s)) for c in study.configurations]) for s in study.subsystems]
    if any((c.unallocated or {}).get("cpu_ms_per_request") is not None for c in study.configurations):
        rows.append(("charged to no subsystem", [cell(c.unallocated) for c in study.configurations]))
    if len(rows) < 2:
        return ""
    what = COST_WORDS[first]
    return facts(names, rows, f"{what[0].upper()}{what[1:]} per request by subsystem, milliseconds")


def coupling_table(study: StudyMeasures) -> str:
    shown = [r for r in study.coupling if r["coupling_efficiency_pct"] is not None]
    if not shown:
        return ""
    rows: list[tuple[str, list[str]]] = []
    for title, write_one in (
        ("Uncoupled, coupled", lambda r: f"{escape(r['uncoupled'])}, {escape(r['coupled'])}"),
        ("Busy processor time per request uncoupled, coupled (ms)", lambda r: f"{number(r['busy_ms_per_request_uncoupled'])}, {number(r['busy_ms_per_request_coupled'])}"),
        ("Engines online uncoupled, coupled", lambda r: f"{number(r['engines_online_uncoupled'])}, {number(r['engines_online_coupled'])}"),
        ("ITR uncoupled, coupled (1/s, all online engines)", lambda r: f"{number(r['itr_uncoupled'])}, {number(r['itr_coupled'])}"),
        ("Busy uncoupled, coupled (%)", lambda r: f"{r['cpu_busy_uncoupled_pct']:,.2f}, {r['cpu_busy_coupled_pct']:,.2f}"),
        ("Coupling efficiency: uncoupled over coupled processor time per request (%)", lambda r: f"{r['coupling_efficiency_pct']:,.2f}"),
        ("Capacity delta: the rest to 100 (%)", lambda r: f"{r['capacity_delta_pct']:,.2f}"),
        ("CPU increase: more processor time a request (%)", lambda r: f"{r['cpu_increase_pct']:,.2f}"),
    ):  # fmt: skip
        rows.append((title, [write_one(r) for r in shown]))
    return facts([r["busy"] for r in shown], rows, "Coupling efficiency, by what is counted as busy")


# Of a configuration.
_MOST_RUNS = 200
_RUN_COLUMNS = (
    ("requests_per_s", "Requests", "1/s"),
    ("cpu_pct", "CPU charged", "% of one engine"),
    ("cpu_busy_pct", "Processors busy", "%, with zIIPs"),
    ("response_ms", "Response time", "ms"),
)


def runs_table(study: StudyMeasures, sources: Sources) -> str:
    """Every run, of thousands the first of each configuration: its window, what was selected, and its figures; folded away where
    there are many."""
    runs = [(c.name, run) for c in study.configurations for run in c.runs[:_MOST_RUNS]]
    count = sum(len(c.runs) for c in study.configurations)
    first = f", the first {_MOST_RUNS} of a configuration" if count > len(runs) else ""
    rest = "; all are in the view cost_per_request" if first else ""
    columns = [c for c in _RUN_COLUMNS if any(run[c[0]] is not None for _, run in runs)]
    rows = []
    for configuration, run in runs:
        cells = (
            f'<td class="l">{escape(configuration)}</td><td class="l">{escape(run["run"])}</td>'
            f'<td class="l">{run["window_start"]:%Y-%m-%d %H:%M} to {run["window_end"]:%H:%M}</td><td>{run["intervals"]}</td>'
            f"<td>{number(run['covered_s'])} of {number(run['asked_s'])}</td>"
            + "".join(f"<td>{number(run[name])}</td>" for name, _, _ in columns)
        )
        rows.append(f"<tr{row_title(run['reference'], sources)}>{cells}{reference_cell(run['reference'])}</tr>")
    heads = (
        '<th scope="col" class="l">Configuration</th><th scope="col" class="l">Run</th><th scope="col" class="l">Window</th>'
        '<th scope="col">Intervals</th><th scope="col">Covered<small>s of asked</small></th>'
        + "".join(f'<th scope="col">{title}<small>{unit}</small></th>' for _, title, unit in columns)
        + '<th scope="col" class="l">Printed at</th>'
    )
    return (
        f'<details class="block"{"" if len(rows) > 12 else " open"}><summary>{count:,} {"run" if count == 1 else "runs"}{first}, one by one{rest}</summary>'
        '<div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )
