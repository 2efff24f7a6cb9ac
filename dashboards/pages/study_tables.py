"""Tables of one study: its subsystems, coupling, and every run."""

from dataclasses import dataclass

from ..columns import COST_WORDS
from ..numbers import DASH, column_writer, number
from ..parts import Body, Cell, Head, Row, Table, facts, left, left_heads, place_title
from ..references import Sources
from ..study_rows import Row as Values
from ..study_rows import StudyMeasures


def subsystem_table(study: StudyMeasures) -> Table | None:
    """Cost per request by subsystem, and the unallocated rest."""
    names = [c.name for c in study.configurations]
    first = study.leads_with

    every = [
        row
        for c in study.configurations
        for row in (*c.by_subsystem.values(), *([c.unallocated] if c.unallocated else []))
    ]
    write, write_all = (column_writer(row.get(name) for row in every) for name in (first, "cpu_ms_per_request"))

    def cell(row: Values | None) -> Cell:
        of = row or {}
        whole = write_all(of.get("cpu_ms_per_request"))
        return Cell(
            write(of.get(first)), [f"{whole} with zIIPs"] if first != "cpu_ms_per_request" and whole != DASH else []
        )

    rows = [(s, [cell(c.by_subsystem.get(s)) for c in study.configurations]) for s in study.subsystems]
    if any((c.unallocated or {}).get("cpu_ms_per_request") is not None for c in study.configurations):
        rows.append(("unallocated", [cell(c.unallocated) for c in study.configurations]))
    if len(rows) < 2:
        return None
    what = COST_WORDS[first]
    return facts(names, rows, f"{what[0].upper()}{what[1:]} per request by subsystem, milliseconds")


def cost_source_table(study: StudyMeasures) -> Table | None:
    """The parts of a request's processor time, each from its source, beside another source that has it too. Runs are
    weighted by their requests."""
    names = [c.name for c in study.configurations]
    parts = list(dict.fromkeys((r["part_number"], r["part"], r["told_by"]) for r in study.cost_sources))
    if not parts:
        return None
    write = column_writer(r["cpu_ms_per_request"] for r in study.cost_sources)

    def mean(rows: list[Values], name: str) -> float | None:
        if not rows or any(r[name] is None or not r["requests_per_s"] for r in rows):
            return None
        return sum(r[name] * r["requests_per_s"] for r in rows) / sum(r["requests_per_s"] for r in rows)

    def cell(number: int, told_by: str, configuration: str) -> Cell:
        of = (number, told_by, configuration)
        rows = [r for r in study.cost_sources if (r["part_number"], r["told_by"], r["configuration"]) == of]
        beside = mean(rows, "beside_ms_per_request")
        notes = [f"{write(beside)} by {rows[0]['beside_told_by']}"] if beside is not None else []
        notes += dict.fromkeys(r["explained_by"] for r in rows if r["explained_by"])
        return Cell(write(mean(rows, "cpu_ms_per_request")), notes)

    shown = [
        (f"{part} ({told_by})", [cell(number, told_by, name) for name in names])
        for number, part, told_by in sorted(parts)
    ]
    return facts(names, shown, "Processor time per request by source, milliseconds")


def coupling_table(study: StudyMeasures) -> Table | None:
    shown = [r for r in study.coupling if r["coupling_efficiency_pct"] is not None]
    if not shown:
        return None
    # Without zIIPs both bases are the same.
    if len({r["busy_ms_per_request_coupled"] for r in shown}) == 1:
        shown = shown[:1]
    of_pairs = {
        "Busy processor time per request uncoupled, coupled (ms)": "busy_ms_per_request_{}",
        "Engines online uncoupled, coupled": "engines_online_{}",
        "ITR uncoupled, coupled (1/s, all online engines)": "itr_{}",
        "Busy uncoupled, coupled (%)": "cpu_busy_{}_pct",
    }
    of_both = {
        "Coupling efficiency: uncoupled over coupled processor time per request (%)": "coupling_efficiency_pct",
        "Capacity delta: 100 − efficiency (%)": "capacity_delta_pct",
        "CPU increase per request (%)": "cpu_increase_pct",
    }
    rows = [("Uncoupled, coupled", [Cell(f"{r['uncoupled']}, {r['coupled']}") for r in shown])]
    for title, name in of_pairs.items():
        pairs = [[number(r[name.format(side)]) for side in ("uncoupled", "coupled")] for r in shown]
        rows.append((title, [Cell(", ".join(pair)) for pair in pairs]))
    rows += [(title, [Cell(f"{r[name]:,.2f}") for r in shown]) for title, name in of_both.items()]
    return facts([r["busy"] for r in shown], rows, "Coupling efficiency, by processors counted as busy")


# Per configuration.
_MOST_RUNS = 200
_RUN_COLUMNS = (
    ("requests_per_s", "Requests", "1/s"),
    ("cpu_pct", "CPU charged", "% of one engine"),
    ("cpu_busy_pct", "Processors busy", "%, with zIIPs"),
    ("response_ms", "Response time", "ms"),
)


@dataclass(frozen=True)
class Runs:
    """The table of runs, folded if there are many."""

    summary: str
    table: Table
    is_open: bool


def runs_table(study: StudyMeasures, sources: Sources) -> Runs:
    """Every run, or the first runs of each configuration if there are thousands: window, selected intervals and figures."""
    runs = [(c.name, run) for c in study.configurations for run in c.runs[:_MOST_RUNS]]
    count = sum(len(c.runs) for c in study.configurations)
    first = f", the first {_MOST_RUNS} of each configuration" if count > len(runs) else ""
    rest = "; all are in the view cost_per_request" if first else ""
    columns = [c for c in _RUN_COLUMNS if any(run[c[0]] is not None for _, run in runs)]
    writers = {
        name: column_writer(run[name] for _, run in runs) for name in ("covered_s", "asked_s", *(c[0] for c in columns))
    }
    rows = []
    for configuration, run in runs:
        cells = [
            left(configuration),
            left(run["run"]),
            left(f"{run['window_start']:%Y-%m-%d %H:%M} to {run['window_end']:%H:%M}"),
            Cell(str(run["intervals"])),
            Cell(f"{writers['covered_s'](run['covered_s'])} of {writers['asked_s'](run['asked_s'])}"),
            *(Cell(writers[name](run[name])) for name, _, _ in columns),
        ]
        rows.append(Row(cells, run["reference"], place_title(run["reference"], sources)))
    heads = [
        *left_heads("Configuration", "Run", "Window"),
        Head("Intervals"),
        Head("Covered", "of window, s"),
        *(Head(title, unit) for _, title, unit in columns),
        Head("Printed at", left=True),
    ]
    summary = f"{count:,} {'run' if count == 1 else 'runs'}{first}{rest}"
    return Runs(summary, Table("Runs", heads, [Body(rows)]), len(rows) <= 12)
