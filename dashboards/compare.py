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

Totals = dict[tuple[str, str | None], dict[str, float | None]]


@dataclass(frozen=True)
class Part:
    """What is summed and compared on its own: all of it, or each sysplex where a run has several; sysplexes are never added. `sysplex`
    is that of each run that prints it, `label` what it is called beside others."""

    label: str
    sysplex: dict[str, str | None]


@dataclass(frozen=True)
class Comparison:
    """Everything a page says. `runs` has the baseline first; `totals` are sums over the main kind of class by run and sysplex."""

    runs: list[Run]
    kind: str
    classes: list[ClassMeasure]
    parts: list[Part]
    totals: Totals
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
    totals = {
        (run.name, plex): _totals([c for c in classes if (c.run, c.kind, c.sysplex) == (run.name, kind, plex)])
        for run in chosen for plex in run.sysplexes(kind)
    }  # fmt: skip
    parts = _parts(chosen, kind)
    conflicts = conflicts_in(lake, chosen, sources) if any(c.is_conflicting for c in classes) else []
    notes = notes_on(chosen, kind, classes, totals, policies, conflicts)
    return Comparison(
        runs=chosen,
        kind=kind,
        classes=classes,
        parts=parts,
        totals=totals,
        goals=measure_goals(lake, chosen, sources),
        over_time=measure_over_time(lake, chosen, kind, sources),
        policies=policies,
        sources=sources,
        notes=notes,
        headline=_headline(chosen, kind, parts, classes, totals, notes),
    )


def _parts(runs: list[Run], kind: str) -> list[Part]:
    plexes = {run.name: run.sysplexes(kind) for run in runs}
    if all(len(mine) == 1 for mine in plexes.values()):
        return [Part("", {name: mine[0] for name, mine in plexes.items()})]
    every = sorted({plex for mine in plexes.values() for plex in mine}, key=str)
    return [
        Part(plex or "(no sysplex)", {name: plex for name, mine in plexes.items() if plex in mine}) for plex in every
    ]


def _totals(classes: Sequence[ClassMeasure]) -> dict[str, float | None]:
    """Sums over the classes that print CPU; None where none does, and for the parts where a class is not split."""
    with_cpu = [c for c in classes if c.values["cpu_pct"] is not None]
    out: dict[str, float | None] = {}
    for name in ("cp_pct", "cpu_pct", "cpu_normalized_pct", *PARTS):
        values = [v for c in with_cpu if (v := c.values[name]) is not None]
        out[name] = sum(values) if values else None
    return out


def _headline(
    runs: list[Run], kind: str, parts: list[Part], classes: list[ClassMeasure], totals: Totals, notes: list[Note]
) -> str:
    """What changed in processor time and in cost, for every run against the baseline and every sysplex on its own; then what makes it
    unfair."""
    sentences = []
    for part in parts:
        mine = [c for c in classes if c.kind == kind and c.run in part.sysplex and c.sysplex == part.sysplex[c.run]]
        of_part = {name: totals[name, plex] for name, plex in part.sysplex.items()}
        said = _said_of(runs, kind, mine, of_part)
        sentences.append(f"{part.label}: {said}" if part.label else said)
    unfair = [note.short for note in notes if note.kind == "differs" and note.short]
    if unfair:
        sentences.append(f"Not like for like: {', '.join(dict.fromkeys(unfair))}.")
    return " ".join(sentences)


def _said_of(
    runs: list[Run], kind: str, classes: list[ClassMeasure], totals: dict[str, dict[str, float | None]]
) -> str:
    baseline = runs[0]
    printed = [run for run in runs if run.name in totals]
    if baseline.name not in totals:
        return f"not printed in {baseline.name}, so {' and '.join(r.name for r in printed)} cannot be compared."
    base = totals[baseline.name]
    if len(runs) == 1:
        whole = _ziip_words(base)
        return f"{baseline.name} uses {_percent(base['cp_pct'])} of one engine in {_words(base)} over its {CLASS_KINDS_MANY[kind]}{whole}."
    sentences = []
    for run in runs[1:]:
        total = totals.get(run.name)
        if total is None:
            sentences.append(f"Not printed in {run.name}.")
        elif total["cp_pct"] is None or base["cp_pct"] is None:
            sentences.append(f"{run.name} and {baseline.name} cannot be compared: a window prints no CPU by class.")
        else:
            sentences += _change_sentences(baseline, run, base, total)
            pair = [c for c in classes if c.run in (baseline.name, run.name)]
            mover = _mover_sentence(baseline, run, base, total, pair)
            sentences += [*mover, *_cost_sentence(baseline, run, kind, pair, names_one=not mover)]
    return " ".join(sentences)


def _words(*totals: dict[str, float | None]) -> str:
    """What is compared: where nothing ran on zIIPs all CPU is general-processor time."""
    return "general-processor time" if any(_has_ziip_time(t) for t in totals) else "CPU time"


def _has_ziip_time(total: dict[str, float | None]) -> bool:
    of_cp, whole = total["cp_pct"], total["cpu_pct"]
    return of_cp is not None and whole is not None and abs(whole - of_cp) >= 0.005


def _is_normalized(*totals: dict[str, float | None]) -> bool:
    """Whether a second on a zIIP counts for more or less than a second, so that it shows in the printed digits."""
    return any(abs((t["cpu_normalized_pct"] or 0.0) - (t["cpu_pct"] or 0.0)) >= 0.005 for t in totals)


def _ziip_words(total: dict[str, float | None]) -> str:
    return f", and {_percent(total['cpu_pct'])} with zIIP time" if _has_ziip_time(total) else ""


def _change_sentences(
    baseline: Run, run: Run, base: dict[str, float | None], total: dict[str, float | None]
) -> list[str]:
    """The change of what is paid for, then of all CPU: normalised, where a second on a zIIP counts for another time."""
    what = _words(base, total)
    sentences = [_change_sentence(baseline.name, run.name, what, base["cp_pct"] or 0.0, total["cp_pct"] or 0.0)]
    if what == "CPU time":
        return sentences
    parts = []
    for name, words in (
        ("ziip_on_cp_pct", "zIIP-eligible work in it"),
        ("ziip_pct", "time on zIIPs"),
        ("cpu_pct", "all CPU time"),
    ):
        old, new = base[name], total[name]
        if old is not None and new is not None and (name == "cpu_pct" or _percent(old) != _percent(new)):
            parts.append(f"{words}: {_percent(old)} → {_percent(new)}{_relative(old, new)}")
    old, new = base["cpu_normalized_pct"], total["cpu_normalized_pct"]
    if old is not None and new is not None and _is_normalized(base, total):
        parts.append(f"all CPU time with zIIP time normalised: {_percent(old)} → {_percent(new)}{_relative(old, new)}")
    said = "; ".join(parts)
    return [*sentences, f"{said[0].upper() if not said.startswith('z') else 'z'}{said[1:]}."] if said else sentences


def _change_sentence(baseline: str, run: str, what: str, old: float, new: float) -> str:
    numbers = f"{_percent(old)} → {_percent(new)} of one engine{_relative(old, new)}"
    if old and abs(new - old) / old < 0.01:
        return f"{run} uses the same {what} as {baseline} within 1%: {numbers}."
    return f"{run} uses {'more' if new > old else 'less'} {what} than {baseline}: {numbers}."


def _relative(old: float, new: float) -> str:
    return f" ({signed((new / old - 1) * 100, 1)}%)" if old else ""


def _percent(value: float | None) -> str:
    return "no printed CPU" if value is None else f"{value:,.2f}%"


def _pairs(
    baseline: Run, run: Run, classes: list[ClassMeasure]
) -> list[tuple[ClassMeasure | None, ClassMeasure | None]]:
    """Each class in both runs; None where a run does not print it. Both are of one sysplex each, which need not be the same."""
    before, after = ({c.name: c for c in classes if c.run == r.name} for r in (baseline, run))
    return [(before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]


def _points(pair: tuple[ClassMeasure | None, ClassMeasure | None]) -> float:
    old, new = (c.values["cp_pct"] or 0.0 if c else 0.0 for c in pair)
    return new - old


def _mover_sentence(
    baseline: Run, run: Run, base: dict[str, float | None], total: dict[str, float | None], classes: list[ClassMeasure]
) -> list[str]:
    """The class that changed most: how much of the change it is, and what became of the cost of its transactions, or why that cannot
    be told."""
    pairs = _pairs(baseline, run, classes)
    if len(pairs) < 2:
        return []
    pair = max(pairs, key=lambda p: (abs(_points(p)), (p[1] or p[0]).name))  # type: ignore[union-attr]
    points, change = _points(pair), (total["cp_pct"] or 0.0) - (base["cp_pct"] or 0.0)
    if abs(points) < 0.005 or abs(points) < 0.01 * (base["cp_pct"] or 0.0):
        return []
    old, new = pair
    name = (new or old).name  # type: ignore[union-attr]
    of = f" of the {signed(change)}" if change * points > 0 and abs(points) <= abs(change) else ""
    said = f"{signed(points)}{of} points of one engine are in {name}"
    if old is None or new is None:
        return [f"{said}, which only {(baseline if new is None else run).name} prints."]
    before, after = old.values["cp_ms_per_transaction"], new.values["cp_ms_per_transaction"]
    if before and after is not None:
        return [f"{said}: {_cost_change(before, after)} per transaction."]
    if old.transactions_of and old.transactions_of == new.transactions_of:
        shared = [_region_cost(c) for c in pair if c]
        return [
            f"{said}, whose transactions are counted in {' and '.join(old.transactions_of)}: {_cost_change(*shared)} per transaction."
        ]
    return [f"{said}, whose ended transactions do not count its work: no cost per transaction can be told."]


def _region_cost(region: ClassMeasure) -> float:
    """Milliseconds of general-processor time of a region per transaction of its workload."""
    return (region.values["cp_pct"] or 0.0) / 100 * region.covered_s / region.workload_transactions * 1000


def _cost_change(old: float, new: float) -> str:
    return f"{four_digits(old)} → {four_digits(new)} ms ({signed((new / old - 1) * 100, 1)}%)"


def _cost_sentence(baseline: Run, run: Run, kind: str, classes: list[ClassMeasure], *, names_one: bool) -> list[str]:
    """Cost per transaction of the classes whose transactions count their work in both runs, and of the largest of them."""
    pairs = []
    for old, new in _pairs(baseline, run, classes):
        if old and new:
            costs = old.values["cp_ms_per_transaction"], new.values["cp_ms_per_transaction"]
            if costs[0] and costs[1] is not None:
                pairs.append((new.values["cp_pct"] or 0.0, new.name, costs[0], costs[1]))
    if not pairs:
        return [f"No {CLASS_KINDS[kind]} has CPU and transactions of its own in both windows."]
    dearer = sum(new / old > 1.01 for _, _, old, new in pairs)
    cheaper = sum(new / old < 0.99 for _, _, old, new in pairs)
    _, name, old, new = max(pairs)
    if len(pairs) == 1:
        return [f"{_cost_words(classes)} per transaction: {name} {_cost_change(old, new)}."]
    return [
        f"{_cost_words(classes)} per transaction: of {len(pairs)} {CLASS_KINDS_MANY[kind]} with transactions of their own, {dearer} "
        f"{'needs' if dearer == 1 else 'need'} more and {cheaper} less"
        + (f"; {name}, the largest of them, {_cost_change(old, new)}." if names_one else ".")
    ]


def _cost_words(classes: list[ClassMeasure]) -> str:
    words = _words(*(c.values for c in classes))
    return words[0].upper() + words[1:]
