"""Whether runs compare like with like, and whether each is whole: notes that stand beside the numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from .columns import CLASS_KINDS, CLASS_KINDS_MANY
from .measures import ClassMeasure, PolicyMeasure
from .windows import Run


@dataclass(frozen=True)
class Note:
    """differs: the runs are not like for like; incomplete: numbers are missing or doubtful; method: how it was measured.
    `short` is the note in a few words for the headline."""

    kind: Literal["differs", "incomplete", "method"]
    text: str
    short: str = ""


def notes_on(
    runs: list[Run],
    kind: str,
    classes: list[ClassMeasure],
    totals: dict[tuple[str, str | None], dict[str, float | None]],
    policies: dict[str, PolicyMeasure],
    conflicts: list[str],
) -> list[Note]:
    """Every note on the runs, differences first."""
    notes: list[Note] = []
    for run in runs[1:]:
        notes += _differences(runs[0], run, kind, classes, policies)
    for run in runs:
        notes += _completeness(run, kind, classes, {plex: totals[run.name, plex] for plex in run.sysplexes(kind)})
    if conflicts:
        text = "The same class and interval is printed with different values; the first print is shown: "
        notes.append(Note("incomplete", text + "; ".join(conflicts), "conflicting prints"))
    notes += _method(runs, kind, policies, totals)
    return notes


def _words(values: Iterable[Any]) -> str:
    return ", ".join(sorted(str(v) for v in values if v is not None)) or "not printed"


def _factor(factor: float | None, digits: int = 3) -> str:
    return "not known" if factor is None else f"{factor:.{digits}g}"


def _differences(
    base: Run, run: Run, kind: str, classes: list[ClassMeasure], policies: dict[str, PolicyMeasure]
) -> list[Note]:
    notes = []
    pair = f"{base.name} and {run.name}"

    def compare(what: str, short: str, first: set[Any], second: set[Any], why: str = "") -> None:
        if first != second:
            text = f"{what}: {base.name} has {_words(first)}, {run.name} has {_words(second)}."
            notes.append(Note("differs", f"{text} {why}".strip(), short))

    compare("Weekday", "other weekday", {f"{base.start:%A}"}, {f"{run.start:%A}"}, "Work differs by weekday.")
    compare("Time of day", "other time of day", {f"{base.start:%H:%M}"}, {f"{run.start:%H:%M}"})
    if abs(base.asked_s - run.asked_s) > 0.02 * max(base.asked_s, run.asked_s):
        text = f"Length: {base.name} asks for {base.asked_s:,.0f} s, {run.name} for {run.asked_s:,.0f} s."
        notes.append(Note("differs", text, "other length"))
    a, b = base.intervals[kind], run.intervals[kind]
    compare("Sysplex", "other sysplex", {i.sysplex for i in a}, {i.sysplex for i in b})
    compare("Systems in scope", "other systems", {i.scope for i in a}, {i.scope for i in b})
    compare("Service policy", "other policy", {i.policy for i in a}, {i.policy for i in b})
    compare(
        "Policy activation",
        "other policy activation",
        {i.policy_activated_at for i in a},
        {i.policy_activated_at for i in b},
        "Goals and classification may have changed.",
    )
    compare("Release", "other release", {i.release for i in a}, {i.release for i in b})
    compare(
        "Postprocessor release", "other postprocessor", {i.report_version for i in a}, {i.report_version for i in b}
    )
    compare("Report kind", "other report kind", {i.report_kind for i in a}, {i.report_kind for i in b})
    first, second = policies[base.name], policies[run.name]
    if first.coefficients and second.coefficients and first.coefficients != second.coefficients:
        text = f"Service coefficients differ between {pair}: service units do not compare (CPU time does)."
        notes.append(Note("differs", text, "other service coefficients"))
    compare(
        "Normalisation factor of zIIP time",
        "other zIIP factor",
        {_factor(factor) for factor, _ in first.factors},
        {_factor(factor) for factor, _ in second.factors},
    )
    if first.su_per_s and second.su_per_s and first.su_per_s != second.su_per_s:
        compare(
            "Speed (service units a second)",
            "other engine speed",
            {f"{v:g}" for v in first.su_per_s},
            {f"{v:g}" for v in second.su_per_s},
            "A second of CPU is not the same work.",
        )
    shared = {(i.start, i.end, i.sysplex) for i in a} & {(i.start, i.end, i.sysplex) for i in b}
    if shared:
        notes.append(Note("differs", f"{pair} share {len(shared)} of their intervals.", "shared intervals"))
    for class_kind, word in CLASS_KINDS.items():
        names = [{c.name for c in classes if c.run == r.name and c.kind == class_kind} for r in (base, run)]
        for mine, other, owner in ((names[0], names[1], base), (names[1], names[0], run)):
            alone = sorted(mine - other)
            if alone and other:
                shown = ", ".join(alone[:8]) + (f" and {len(alone) - 8} more" if len(alone) > 8 else "")
                many = CLASS_KINDS_MANY[class_kind] if len(alone) > 1 else word
                notes.append(
                    Note(
                        "differs",
                        f"Only {owner.name} prints the {many} {shown}.",
                        f"unmatched {CLASS_KINDS_MANY[class_kind]}",
                    )
                )
    return notes


def _completeness(
    run: Run, kind: str, classes: list[ClassMeasure], totals: dict[str | None, dict[str, float | None]]
) -> list[Note]:
    notes = []
    for sysplex in run.sysplexes(kind):
        covered = run.covered_s(kind, sysplex)
        if abs(covered - run.asked_s) > 0.02 * run.asked_s:
            of_plex = f" of {sysplex}" if len(run.sysplexes(kind)) > 1 else ""
            text = (
                f"{run.name}: the printed intervals{of_plex} cover {covered:,.0f} of the {run.asked_s:,.0f} s asked for "
                f"({covered / run.asked_s * 100:.1f}%). Percentages are of the covered time."
            )
            notes.append(Note("incomplete", text, "partly covered window"))
    if run.left_out:
        places = {(i.start, i.end, i.scope) for i in run.left_out}
        start, _, scope = min(places, key=str)
        text = (
            f"{run.name}: {len(places)} printed interval{'s overlap others' if len(places) > 1 else ' overlaps another'} of "
            f"the same sysplex and {'are' if len(places) > 1 else 'is'} left out, not added (the first: "
            f"{start:%Y-%m-%d %H:%M:%S}, systems {scope or 'not printed'})."
        )
        notes.append(Note("incomplete", text))
    if any(i.report_kind == "duration" for i in run.intervals[kind]):
        text = f"{run.name} rests on duration reports: there is no interval report in its window."
        notes.append(Note("incomplete", text))
    mine = [c for c in classes if c.run == run.name and c.kind in CLASS_KINDS]
    for c in mine:
        if 0 < c.intervals_without_cpu < c.intervals:
            text = (
                f"{run.name}: {CLASS_KINDS[c.kind]} {c.name} lacks its CPU in {c.intervals_without_cpu} of {c.intervals} "
                "intervals; its CPU is not shown and not in the total."
            )
            notes.append(Note("incomplete", text, "incomplete classes"))
    no_cpu = [c.name for c in mine if c.kind == kind and c.intervals_without_cpu == c.intervals]
    if no_cpu:
        shown = ", ".join(no_cpu[:8]) + (f" and {len(no_cpu) - 8} more" if len(no_cpu) > 8 else "")
        text = f"{run.name}: no CPU is printed for {shown}: classes of transactions, whose CPU stands in their regions' classes."
        notes.append(Note("method", text))
    for c in mine:
        if c.intervals_unknown:
            text = (
                f"{run.name}: {CLASS_KINDS[c.kind]} {c.name} is not printed in {c.intervals_unknown} intervals that have lines which could "
                "not be read; its CPU is not known, not shown and not in the total."
            )
            notes.append(Note("incomplete", text, "incomplete classes"))
    partly = [
        c
        for c in mine
        if not c.intervals_unknown
        and c.intervals < len({(i.start, i.end) for i in run.intervals[c.kind] if i.sysplex == c.sysplex})
    ]
    if partly:
        shown = ", ".join(f"{c.name} ({c.intervals})" for c in partly[:8]) + (
            f" and {len(partly) - 8} more" if len(partly) > 8 else ""
        )
        text = f"{run.name}: not printed in every interval, and counted as no CPU where not printed: {shown}."
        notes.append(Note("incomplete", text, "classes not in every interval"))
    for sysplex, sums in totals.items():
        policy = [c.values["cpu_pct"] for c in classes if (c.run, c.kind, c.sysplex) == (run.name, "policy", sysplex)]
        times = [{(i.start, i.end) for i in run.intervals.get(k, []) if i.sysplex == sysplex} for k in ("policy", kind)]
        total = sums["cpu_pct"]
        if kind == "service_class" and times[0] == times[1] and policy and None not in policy and total is not None:
            whole = sum(v for v in policy if v is not None)
            # Each class is printed to 0.01 and the identity holds to 0.02 on real pages.
            if abs(whole - total) > 0.02 + 0.01 * len([c for c in mine if c.sysplex == sysplex]):
                of_plex = f" of {sysplex}" if len(totals) > 1 else ""
                text = (
                    f"{run.name}: the policy block{of_plex} prints {whole:,.2f}% of one engine, the service classes add up to "
                    f"{total:,.2f}%: classes are missing or a page is wrong."
                )
                notes.append(Note("incomplete", text, "classes missing"))
    if any(c.is_conflicting for c in mine):
        names = sorted({c.name for c in mine if c.is_conflicting})
        notes.append(Note("incomplete", f"{run.name}: conflicting prints for {', '.join(names[:12])}.", ""))
    return notes


def _method(
    runs: list[Run],
    kind: str,
    policies: dict[str, PolicyMeasure],
    totals: dict[tuple[str, str | None], dict[str, float | None]],
) -> list[Note]:
    notes = [
        Note(
            "method",
            "General-processor time is CP of APPL %, what is paid for: zIIP-eligible time that ran there is in it. All CPU adds time on zIIPs "
            f"(and zAAPs) as measured. Both are in percent of one engine, summed over {CLASS_KINDS_MANY[kind]}, never over sysplexes.",
        )
    ]
    for run in runs:
        factors = sorted(policies[run.name].factors, key=str)
        words = {
            "policy_page": "service policy page",
            "recovered": "recovered from the printed times",
            "assumed_1": "assumed",
            "contradictory": "the pages contradict each other",
        }
        shown = ", ".join(f"{_factor(factor, 4)} ({words.get(source, source)})" for factor, source in factors)
        plexes = run.sysplexes(kind)
        normalized = {plex: totals[run.name, plex]["cpu_normalized_pct"] for plex in plexes}
        if any(factor is None for factor, _ in factors):
            text = f"{run.name}: normalisation factor {shown}; zIIP time that has no factor is not normalised."
        elif any(abs(factor - 1) > 1e-9 for factor, _ in factors if factor):
            said = ", ".join(
                ("not known" if v is None else f"{v:,.2f}%") + (f" in {plex}" if len(plexes) > 1 else "")
                for plex, v in normalized.items()
            )
            text = f"{run.name}: normalisation factor {shown}; normalised, its CPU is {said} of one general processor."
        else:
            text = f"{run.name}: normalisation factor {shown}, so that normalised CPU is the same."
        notes.append(Note("method", text))
        if len(policies[run.name].su_per_s) > 1:
            speeds = ", ".join(f"{v:g}" for v in sorted(policies[run.name].su_per_s))
            text = f"{run.name} adds engines of different speed (service units a second: {speeds})."
            notes.append(Note("method", text))
    counts = ", ".join(f"{run.name} {len(run.intervals[kind])}" for run in runs)
    text = f"Intervals: {counts}. A window is one observation of the system: no interval of confidence is given."
    notes.append(Note("method", text))
    return notes
