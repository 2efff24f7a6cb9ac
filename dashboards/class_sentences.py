"""Classes in sentences: the change of processor time and cost of each configuration against the baseline."""

from collections.abc import Sequence

from ..pipeline.study.windows import Window
from .columns import CLASS_KINDS, CLASS_KINDS_MANY
from .numbers import LEAST_BASE_PCT, change_pct, four_digits, pair_writer, signed
from .study_rows import Row, StudyMeasures

# Relative changes below this are no change.
SAME = 0.01


def class_sentences(study: StudyMeasures) -> list[str]:
    """Sentences on the classes of the main kind; empty if the study charges classes, or none is printed."""
    if study.class_kind is None:
        return []
    kind, totals = study.class_kind, study.totals()
    base = totals[study.baseline.name]
    sentences = [] if len(study.configurations) > 1 else [_alone(study, base)]
    for configuration in study.configurations[1:]:
        total = totals[configuration.name]
        pair = [c for c in study.classes_of() if c["configuration"] in (base["configuration"], configuration.name)]
        if total["cp_pct"] is None or base["cp_pct"] is None:
            sentences.append(unknown_totals(configuration.name, base, total, pair))
            continue
        mover = _mover_sentence(base, total, pair) if is_of_one_speed(study, base, total) else []
        sentences += [
            *_change_sentences(study, base, total),
            *mover,
            *_cost_sentence(base, total, kind, pair, names_one=not mover),
        ]
    if study.absent:
        sentences.append(f"Not printed in {' and '.join(study.absent)}.")
    return sentences + [_without_data(run, *missing) for run, missing in study.windows_without_data.items()]


def _without_data(run: str, windows: Sequence[Window], of: int) -> str:
    if len(windows) == 1:
        ((start, end),) = windows
        return f"1 of {of:,} windows of {run} has no data: {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}."
    first, last = windows[0].start, windows[-1].end
    return f"{len(windows):,} of {of:,} windows of {run} have no data, from {first:%Y-%m-%d} to {last:%Y-%m-%d}."


def percent(value: float) -> str:
    return f"{value:,.2f}%"


def _alone(study: StudyMeasures, total: Row) -> str:
    name, many = study.baseline.name, CLASS_KINDS_MANY[total["class_kind"]]
    if total["cp_pct"] is None:
        return f"The total CPU of the {many} of {name} is unknown."
    whole = f", and {percent(total['cpu_pct'])} with zIIP time" if _has_ziip_time(total) else ""
    return f"{name} uses {percent(total['cp_pct'])} of one engine in {cpu_words(total)} over its {many}{whole}."


def unknown_totals(name: str, base: Row, total: Row, pair: Sequence[Row]) -> str:
    """Why two cannot be compared: the classes without a known time, by configuration."""
    unknown = [
        f"{', '.join(names[:3])}{' …' if len(names) > 3 else ''} in {row['configuration']}"
        for row in (base, total)
        if (
            names := [
                c["class_name"] or "(no name)"
                for c in pair
                if c["configuration"] == row["configuration"] and c["classes"] and c["cp_pct"] is None
            ]
        )
    ]
    why = f"the CPU of {' and of '.join(unknown)} is unknown" if unknown else "a window prints no CPU by class"
    return f"{name} and {base['configuration']} cannot be compared: {why}."


def cpu_words(*rows: Row) -> str:
    """Without zIIP time, general-processor time is simply CPU time."""
    return "general-processor time" if any(_has_ziip_time(row) for row in rows) else "CPU time"


def _has_ziip_time(row: Row) -> bool:
    of_cp, whole = row["cp_pct"], row["cpu_pct"]
    return of_cp is not None and whole is not None and abs(whole - of_cp) >= 0.005


def is_normalized(*rows: Row) -> bool:
    """Whether normalising zIIP time changes a printed digit."""
    return any(abs((r["cpu_normalized_pct"] or 0.0) - (r["cpu_pct"] or 0.0)) >= 0.005 for r in rows)


def quoted(name: str) -> str:
    """The name of a configuration within a sentence."""
    return f"“{name}”"


def total_sentence(study: StudyMeasures, base: Row, total: Row) -> str:
    """The change of all classes in what it is told in, without a full stop."""
    in_msu, totals = study.class_measure == "msu", study.class_totals()
    old, new = (totals[row["configuration"]] or 0.0 for row in (base, total))
    what = "MSU" if in_msu else cpu_words(base, total)
    names = quoted(total["configuration"]), quoted(base["configuration"])
    within = f"In {', '.join(study.only)}, " if study.only else ""
    write = pair_writer(old, new)
    values = f"{write(old)} → {write(new)}{'' if in_msu else '% of one engine'}"
    if old and abs(new / old - 1) < SAME:
        return f"{within}{names[0]} needs the same {what} as {names[1]} within 1% ({values})"
    word = "more" if new > old else "less"
    percent = change_pct(old, new, LEAST_BASE_PCT).lstrip("+−") if base["cp_pct"] >= LEAST_BASE_PCT else ""
    if in_msu:
        change = f", {change_pct(old, new)}" if percent else ""
        return f"{within}{names[0]} needs {write(abs(new - old))} MSU {word} than {names[1]} ({values}{change})"
    return f"{within}{names[0]} needs {percent}{' ' if percent else ''}{word} {what} than {names[1]} ({values})"


def is_of_one_speed(study: StudyMeasures, base: Row, total: Row) -> bool:
    """Whether points of one engine are the same work on both sides, as far as MSU say."""
    if study.class_measure != "msu":
        return True
    totals = study.class_totals()
    before, after = (
        (totals[row["configuration"]] or 0.0) / row["cp_pct"] if row["cp_pct"] else 0.0 for row in (base, total)
    )
    return abs(after - before) <= SAME * before


def _change_sentences(study: StudyMeasures, base: Row, total: Row) -> list[str]:
    """The change of MSU where they are known, of general-processor time, then of all CPU, normalised if that differs."""
    what = cpu_words(base, total)
    if study.class_measure == "msu":
        numbers = f"{percent(base['cp_pct'])} → {percent(total['cp_pct'])} of one engine{_relative(base['cp_pct'], total['cp_pct'])}"
        sentences = [f"{total_sentence(study, base, total)}.", f"{what[0].upper()}{what[1:]}: {numbers}."]
    else:
        sentences = [_change_sentence(what, base, total)]
    if what == "CPU time":
        return sentences
    parts = []
    for name, words in (
        ("ziip_on_cp_pct", "zIIP-eligible on CP"),
        ("ziip_pct", "on zIIPs"),
        ("cpu_pct", "all CPU time"),
        *((("cpu_normalized_pct", "all CPU time with zIIP time normalised"),) if is_normalized(base, total) else ()),
    ):
        old, new = base[name], total[name]
        if old is not None and new is not None and (name.startswith("cpu") or percent(old) != percent(new)):
            parts.append(f"{words}: {percent(old)} → {percent(new)}{_relative(old, new)}")
    joined = "; ".join(parts)
    return (
        [*sentences, f"{joined[0].upper() if not joined.startswith('z') else 'z'}{joined[1:]}."]
        if joined
        else sentences
    )


def _change_sentence(what: str, base: Row, total: Row) -> str:
    old, new, run, baseline = base["cp_pct"], total["cp_pct"], total["configuration"], base["configuration"]
    numbers = f"{percent(old)} → {percent(new)} of one engine{_relative(old, new)}"
    if old and abs(new - old) / old < SAME:
        return f"{run} uses the same {what} as {baseline} within 1%: {numbers}."
    return f"{run} uses {'more' if new > old else 'less'} {what} than {baseline}: {numbers}."


def _relative(old: float, new: float) -> str:
    change = change_pct(old, new, LEAST_BASE_PCT)
    return f" ({change})" if change else ""


def class_pairs(base: Row, total: Row, classes: Sequence[Row]) -> list[tuple[Row | None, Row | None]]:
    """Each class in both configurations; None if one does not print it."""
    before, after = (
        {c["class_name"]: c for c in classes if c["configuration"] == row["configuration"]} for row in (base, total)
    )
    return [(before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]


def _points(pair: tuple[Row | None, Row | None]) -> float:
    old, new = (c["cp_pct"] or 0.0 if c else 0.0 for c in pair)
    return new - old


def class_moves(base: Row, total: Row, classes: Sequence[Row]) -> list[tuple[str, float]]:
    """The change of each class's general-processor time in points of one engine."""
    return [((p[1] or p[0])["class_name"] or "(no name)", _points(p)) for p in class_pairs(base, total, classes)]  # type: ignore[index]


def _mover_sentence(base: Row, total: Row, classes: Sequence[Row]) -> list[str]:
    """The class with the largest change, and the change of its cost per transaction, or why that is unknown."""
    pairs = class_pairs(base, total, classes)
    if len(pairs) < 2:
        return []
    pair = max(pairs, key=lambda p: (abs(_points(p)), (p[1] or p[0])["class_name"] or ""))  # type: ignore[index]
    points, change = _points(pair), total["cp_pct"] - base["cp_pct"]
    if abs(points) < 0.005 or abs(points) < 0.01 * base["cp_pct"]:
        return []
    old, new = pair
    name = (new or old)["class_name"] or "(no name)"  # type: ignore[index]
    of = f" of the {signed(change)}" if change * points > 0 and abs(points) <= abs(change) else ""
    largest = f"Largest change: {name}, {signed(points)}{of} points of one engine"
    if old is None or new is None:
        return [f"{largest}; only {(base if new is None else total)['configuration']} prints it."]
    before, after = old["cp_ms_per_transaction"], new["cp_ms_per_transaction"]
    if before and after is not None:
        return [f"{largest}; {_cost_change(before, after, old)} per transaction."]
    shared = old["cp_ms_per_workload_transaction"], new["cp_ms_per_workload_transaction"]
    if shared[0] and shared[1] is not None and old["transactions_of"] == new["transactions_of"]:
        counted = " and ".join(old["transactions_of"])
        return [f"{largest}; {_cost_change(*shared, old)} per transaction of {counted}."]
    return [f"{largest}. Its ended transactions do not count its work, so its cost per transaction is unknown."]


def _cost_change(old: float, new: float, base: Row) -> str:
    """The change; not in percent of a class whose processor time in the baseline has one printed digit."""
    change = change_pct(old, new) if (base["cp_pct"] or 0.0) >= LEAST_BASE_PCT else ""
    return f"{four_digits(old)} → {four_digits(new)} ms{f' ({change})' if change else ''}"


def _cost_sentence(base: Row, total: Row, kind: str, classes: Sequence[Row], *, names_one: bool) -> list[str]:
    """Cost per transaction of the classes that count their own transactions in both, and of the largest of them."""
    pairs = []
    for old, new in class_pairs(base, total, classes):
        if old and new:
            costs = old["cp_ms_per_transaction"], new["cp_ms_per_transaction"]
            if costs[0] and costs[1] is not None:
                told = _cost_change(costs[0], costs[1], old)
                pairs.append((new["cp_pct"] or 0.0, new["class_name"] or "(no name)", costs[1] / costs[0], told))
    if not pairs:
        return [f"No {CLASS_KINDS[kind]} has both CPU and its own transactions in both windows."]
    dearer = sum(ratio > 1.01 for _, _, ratio, _ in pairs)
    cheaper = sum(ratio < 0.99 for _, _, ratio, _ in pairs)
    _, name, _, told = max(pairs)
    what = cpu_words(*classes)
    what = f"{what[0].upper()}{what[1:]} per transaction"
    if len(pairs) == 1:
        return [f"{what}: {name} {told}."]
    return [
        f"{what}: of {len(pairs)} {CLASS_KINDS_MANY[kind]} with their own transactions, {dearer} "
        f"{'needs' if dearer == 1 else 'need'} more, {cheaper} less"
        + (f"; {name}, the largest of them, {told}." if names_one else ".")
    ]
