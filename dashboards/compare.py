"""A comparison of runs: windows of time measured class by class, said in a sentence, and written as one page."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..pipeline.errors import IronlakeError
from .columns import CLASS_KINDS, CLASS_KINDS_MANY, PARTS
from .document import Output, publish
from .figures import four_digits, signed
from .likeness import Note, notes_on
from .measures import (
    ClassMeasure,
    GoalMeasure,
    PolicyMeasure,
    Sources,
    TimePoint,
    conflicts_in,
    measure_classes,
    measure_goals,
    measure_over_time,
    measure_policies,
)
from .windows import Lake, Run, choose_runs


@dataclass(frozen=True)
class Comparison:
    """Everything a page says. `runs` has the baseline first; `totals` are sums over the main kind of class by run."""

    runs: list[Run]
    kind: str
    classes: list[ClassMeasure]
    totals: dict[str, dict[str, float | None]]
    goals: list[GoalMeasure]
    over_time: list[TimePoint]
    policies: dict[str, PolicyMeasure]
    sources: Sources
    notes: list[Note]
    headline: str

    def of_kind(self, kind: str) -> list[ClassMeasure]:
        return [c for c in self.classes if c.kind == kind]

    @property
    def names_sysplex(self) -> bool:
        """Whether a class needs its sysplex beside its name: some run has several."""
        return any(len(run.sysplexes(kind)) > 1 for run in self.runs for kind in CLASS_KINDS_MANY)

    def label(self, name: str, sysplex: str | None) -> str:
        return f"{sysplex} · {name}" if self.names_sysplex else name


def compare_runs(lake: Lake, runs: dict[str, tuple[dt.datetime, dt.datetime]], out: Path | Output) -> str:
    """Write the comparison of the runs (name → start and end of its window; the first is the baseline) as one HTML file,
    and return its headline. Raises IronlakeError where a window has no data or a file cannot be written."""
    from .page import render

    comparison = compare(lake, runs)
    publish(render(comparison), out if isinstance(out, Output) else Output(out))
    return comparison.headline


def compare(lake: Lake, runs: dict[str, tuple[dt.datetime, dt.datetime]]) -> Comparison:
    """Choose the intervals, measure them, and say what changed."""
    chosen = choose_runs(lake, runs)
    sources = Sources(lake)
    classes = measure_classes(lake, chosen, sources)
    # One kind for all runs, or totals would compare service classes with report classes.
    kind = "service_class" if all(run.intervals.get("service_class") for run in chosen) else "report_class"
    if kind == "report_class" and not all(run.intervals.get(kind) for run in chosen):
        lacking = ", ".join(run.name for run in chosen if not run.intervals.get(kind))
        raise IronlakeError(
            f"the runs have no kind of class in common: {lacking} prints no report classes, another no service classes",
            "service classes, or report classes, in every window",
        )
    policies = measure_policies(lake, chosen, kind, classes)
    totals = {run.name: _totals([c for c in classes if c.run == run.name and c.kind == kind]) for run in chosen}
    conflicts = conflicts_in(lake, chosen, sources) if any(c.is_conflicting for c in classes) else []
    notes = notes_on(chosen, kind, classes, totals, policies, conflicts)
    return Comparison(
        runs=chosen,
        kind=kind,
        classes=classes,
        totals=totals,
        goals=measure_goals(lake, chosen, sources),
        over_time=measure_over_time(lake, chosen, kind, sources),
        policies=policies,
        sources=sources,
        notes=notes,
        headline=_headline(chosen, kind, classes, totals, notes),
    )


def _totals(classes: Sequence[ClassMeasure]) -> dict[str, float | None]:
    """Sums over the classes that print CPU; None where none does, and for the parts where a class is not split."""
    with_cpu = [c for c in classes if c.values["cpu_pct"] is not None]
    out: dict[str, float | None] = {}
    for name in ("cpu_pct", "cpu_normalized_pct", *PARTS):
        values = [v for c in with_cpu if (v := c.values[name]) is not None]
        out[name] = sum(values) if values else None
    return out


def _headline(
    runs: list[Run],
    kind: str,
    classes: list[ClassMeasure],
    totals: dict[str, dict[str, float | None]],
    notes: list[Note],
) -> str:
    """What changed in CPU and in cost, a sentence each, for every run against the baseline; then what makes it unfair."""
    baseline = runs[0]
    base_total = totals[baseline.name]["cpu_pct"]
    what = CLASS_KINDS_MANY[kind]
    if len(runs) == 1:
        return f"{baseline.name} uses {_percent(base_total)} of one engine over its {what}."
    sentences = []
    for run in runs[1:]:
        total = totals[run.name]["cpu_pct"]
        if total is None or base_total is None:
            sentences.append(f"{run.name} and {baseline.name} cannot be compared: a window prints no CPU by class.")
            continue
        change = total - base_total
        relative = f", {signed(change / base_total * 100, 1)}%" if base_total else ""
        numbers = f"{_percent(base_total)} → {_percent(total)} of one engine{relative}"
        if base_total and abs(change) / base_total < 0.01:
            sentences.append(f"{run.name} uses the same CPU as {baseline.name} within 1% ({numbers}).")
        else:
            word = "more" if change > 0 else "less"
            sentences.append(f"{run.name} uses {word} CPU than {baseline.name}: {numbers}.")
        sentences += _cost_sentence(baseline, run, kind, classes)
    unfair = [note.short for note in notes if note.kind == "differs" and note.short]
    if unfair:
        sentences.append(f"Not like for like: {', '.join(dict.fromkeys(unfair))}.")
    return " ".join(sentences)


def _percent(value: float | None) -> str:
    return "no printed CPU" if value is None else f"{value:,.2f}%"


def _cost_sentence(baseline: Run, run: Run, kind: str, classes: list[ClassMeasure]) -> list[str]:
    """Cost per transaction of the classes that have transactions and CPU in both runs."""
    mine = [c for c in classes if c.kind == kind]
    # Another sysplex on either side: classes meet by name alone.
    plexes = [{c.sysplex for c in mine if c.run == r.name} for r in (baseline, run)]
    before, after = (
        {(c.sysplex if plexes[0] == plexes[1] else None, c.name): c for c in mine if c.run == r.name}
        for r in (baseline, run)
    )
    pairs = []
    for key in before.keys() & after.keys():
        old, new = before[key].values["cpu_ms_per_transaction"], after[key].values["cpu_ms_per_transaction"]
        if old and new is not None:
            pairs.append((after[key].values["cpu_pct"] or 0.0, after[key].name, old, new))
    if not pairs:
        return [f"No {CLASS_KINDS[kind]} has CPU and transactions in both windows."]
    dearer = sum(new / old > 1.01 for _, _, old, new in pairs)
    cheaper = sum(new / old < 0.99 for _, _, old, new in pairs)
    _, name, old, new = max(pairs)
    largest = f"{name}{', the largest of them,' if len(pairs) > 1 else ''} {four_digits(old)} → {four_digits(new)} ms ({signed((new / old - 1) * 100, 1)}%)"
    if len(pairs) == 1:
        return [f"CPU per transaction: {largest}."]
    return [
        f"Of {len(pairs)} {CLASS_KINDS_MANY[kind]} with transactions in both, {dearer} cost more CPU per transaction and "
        f"{cheaper} less; {largest}."
    ]
