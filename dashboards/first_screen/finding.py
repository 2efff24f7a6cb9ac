"""The finding of a study in one sentence: the largest effect first, on the cost that is paid for."""

from collections.abc import Callable, Mapping, Sequence

from ..columns import COST_WORDS
from ..numbers import LEAST_BASE_PCT, change_pct, column_writer, pair_writer, signed
from ..study_rows import ConfigurationMeasures, Row, StudyMeasures

# Relative changes below this are no change.
SAME = 0.01
# The change is not in a class that moved by more than this many times the change: other classes offset it.
MOST_OF_IT = 1.5


def finding(study: StudyMeasures) -> str:
    """The sentence, without a full stop."""
    if len(study.configurations) == 1:
        return _alone(study)
    known = [c for c in study.configurations if c.cost[study.leads_with] is not None]
    if study.baseline in known and len(known) > 2:
        costs = {c.name: c.cost[study.leads_with] for c in known}
        told = {
            c.name: change_pct(study.baseline.cost[study.leads_with], costs[c.name])
            for c in known
            if c.is_relative(study.leads_with)
        }
        what = f"{COST_WORDS[study.leads_with]} per request"
        return _ends([*costs], costs, study.baseline.name, what, " ms", lambda name: told.get(name, ""))
    if study.baseline in known and len(known) == 2:
        return _cost(study, known[1])
    if coupled := _coupling(study):
        return coupled
    if study.compares_classes:
        return _classes(study)
    return _delays(study) or "The reports do not print enough for a cost or a throughput"


def leading_values(study: StudyMeasures) -> tuple[str, dict[str, float | None]]:
    """The measure that is compared, and its value by configuration, the baseline first."""
    costs = {c.name: c.cost[study.leads_with] for c in study.configurations}
    if study.cost_is_known:
        return study.leads_with, costs
    for row in study.coupling:
        if row["busy_basis"] == "cp" and row["busy_ms_per_request_coupled"]:
            return "busy_ms_per_request", {
                row[side]: row[f"busy_ms_per_request_{side}"] for side in ("uncoupled", "coupled")
            }
    totals = study.class_totals() if study.compares_classes else delays(study)
    if not totals:
        return study.leads_with, costs
    measure = study.class_measure if study.compares_classes else "wait_us"
    return measure, {c.name: totals.get(c.name) for c in study.configurations}


def leading_change(study: StudyMeasures) -> float | None:
    """The relative change in the sentence; the largest one for several configurations."""
    (_, old), *others = leading_values(study)[1].items()
    return max((new / old - 1 for _, new in others if new is not None), key=abs, default=None) if old else None


def _alone(study: StudyMeasures) -> str:
    only, measure = study.baseline, study.leads_with
    name = quoted(only.name)
    if only.cost[measure] is not None:
        cost = column_writer([only.cost[measure]])(only.cost[measure])
        return (
            f"{name} needs {cost} ms of {COST_WORDS[measure]} per request; nothing to compare yet: add a configuration"
        )
    total = study.totals().get(only.name) if study.class_kind else None
    if total and total["cp_pct"] is not None:
        return f"{name} uses {total['cp_pct']:,.1f}% of one engine in {cpu_words(total)}; nothing to compare yet: add a run"
    return "Nothing to compare yet: add a configuration"


def _ends(
    names: Sequence[str], values: Mapping[str, float], base: str, what: str, unit: str, change: Callable[[str], str]
) -> str:
    """The least and the most of several configurations."""
    write = column_writer(values.values())
    least, most = (pick(names, key=lambda name: values[name]) for pick in (min, max))
    if values[least] and values[most] / values[least] - 1 < SAME:
        return f"All configurations need the same {what} within 1% ({write(values[base])}{unit})"

    def told(name: str) -> str:
        of_base = "the baseline" if name == base else change(name)
        return f"{write(values[name])}{unit}{f', {of_base}' if of_base else ''}"

    against = "" if base in (least, most) else f", against {quoted(base)}"
    return f"{quoted(least)} needs the least {what} ({told(least)}), {quoted(most)} the most ({told(most)}){against}"


def _cost(study: StudyMeasures, other: ConfigurationMeasures) -> str:
    measure, base = study.leads_with, study.baseline
    old, new = base.cost[measure], other.cost[measure]
    write, what = pair_writer(old, new), COST_WORDS[measure]
    names = quoted(other.name), quoted(base.name)
    found = other.difference.get(measure)
    if found and found["verdict"] == "within noise":
        return f"No difference in {what} per request between {names[1]} and {names[0]} beyond noise ({write(old)} and {write(new)} ms)"
    if write(old) == write(new) or (old and abs(new / old - 1) < 0.0005):
        return f"{names[0]} and {names[1]} need the same {what} per request ({write(new)} ms)"
    word = "more" if new > old else "less"
    much = f"{abs(new / old - 1) * 100:,.1f}% " if old and other.is_relative(measure) else ""
    return f"{names[0]} needs {much}{word} {what} per request than {names[1]} ({write(old)} → {write(new)} ms){_opposite(study, other)}"


def _opposite(study: StudyMeasures, other: ConfigurationMeasures) -> str:
    """All CPU time, where it goes the other way: zIIPs do what general processors did, or the reverse."""
    if study.leads_with != "cp_ms_per_request":
        return ""
    whole = "cpu_normalized_ms_per_request" if study.is_normalized else "cpu_ms_per_request"
    paid = [c.cost["cp_ms_per_request"] for c in (study.baseline, other)]
    both = [c.cost[whole] for c in (study.baseline, other)]
    if (
        None in both
        or not both[0]
        or (both[1] - both[0]) * (paid[1] - paid[0]) >= 0
        or abs(both[1] / both[0] - 1) < SAME
    ):
        return ""
    return f"; with zIIP time it is {change_pct(*both)}"


def _coupling(study: StudyMeasures) -> str:
    for row in study.coupling:
        if row["busy_basis"] == "cp" and row["coupling_efficiency_pct"] is not None:
            lost, more = row["capacity_delta_pct"], row["cpu_increase_pct"]
            return (
                f"Per second of CPU, {quoted(row['coupled'])} does {abs(lost):,.1f}% {'less' if lost > 0 else 'more'} work than "
                f"{quoted(row['uncoupled'])} ({abs(more):,.1f}% {'more' if more > 0 else 'less'} CPU per request)"
            )
    return ""


def _classes(study: StudyMeasures) -> str:
    totals = study.totals()
    base = totals[study.baseline.name]
    others = [totals[c.name] for c in study.configurations[1:]]
    pairs = {
        c.name: [r for r in study.classes_of() if r["configuration"] in (study.baseline.name, c.name)]
        for c in study.configurations[1:]
    }
    for total in others:
        if base["cp_pct"] is None or total["cp_pct"] is None:
            return unknown_totals(total["configuration"], base, total, pairs[total["configuration"]]).rstrip(".")
    if len(others) > 1:
        values = {row["configuration"]: row["cp_pct"] for row in (base, *others)}
        told = {name: change_pct(base["cp_pct"], value, LEAST_BASE_PCT) for name, value in values.items()}
        return _ends(
            [*values], values, study.baseline.name, cpu_words(base, *others), "% of one engine", told.__getitem__
        )
    (total,) = others
    return total_sentence(study, base, total) + (
        _where(base, total, pairs[total["configuration"]]) if is_of_one_speed(study, base, total) else ""
    )


def _where(base: Row, total: Row, classes: Sequence[Row]) -> str:
    """The class that the change is in, or two that cancel out."""
    moves = sorted(class_moves(base, total, classes), key=lambda m: -abs(m[1]))
    change = total["cp_pct"] - base["cp_pct"]
    if len(moves) < 2 or not base["cp_pct"]:
        return ""
    (name, points), rest = moves[0], sum(abs(p) for _, p in moves[1:])
    if abs(change) / base["cp_pct"] < SAME:
        ups = [m for m in moves if abs(m[1]) >= 0.05 * base["cp_pct"]]
        return f", though {' and '.join(f'{n} {signed(p, 1)} points' for n, p in ups[:2])}" if ups else ""
    if points * change > 0 and rest <= 0.15 * abs(change) and abs(points) <= 1.15 * abs(change):
        return f", all of it in {name}" if rest <= 0.02 * abs(change) else f", nearly all of it in {name}"
    if points * change > 0 and 0.5 * abs(change) <= abs(points) <= MOST_OF_IT * abs(change):
        return f", most of it in {name} ({signed(points, 1)} points)"
    return f"; the largest change is {name}, {signed(points, 1)} points"


def _delays(study: StudyMeasures) -> str:
    waits = delays(study)
    old = waits.get(study.baseline.name)
    others = {n: w for n, w in waits.items() if n != study.baseline.name and w is not None}
    if not old or not others:
        return ""
    name = max(others, key=lambda n: abs(others[n] - old))
    new = others[name]
    word = "more" if new > old else "less"
    has_locks = any(r["gbp"] == "LOCK1" for r in study.pictured["gbp_delay"])
    return (
        f"Transactions wait {abs(new / old - 1) * 100:,.1f}% {word} for group buffer pools{' and locks' if has_locks else ''} in "
        f"{quoted(name)} than in {quoted(study.baseline.name)} ({old / 1000:,.2f} → {new / 1000:,.2f} ms)"
    )


def unknown_totals(name: str, base: Row, total: Row, pair: Sequence[Row]) -> str:
    """Why two totals cannot be compared: the classes without a known time, by configuration."""
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
    """The name of the cost: without zIIP time, general-processor time is simply CPU time."""
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
    """The change of all classes in its measure, without a full stop."""
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


def delays(study: StudyMeasures) -> dict[str, float | None]:
    """Wait per transaction (µs) by configuration, if each has one run; without those whose structures differ from the baseline's."""
    if any(len(c.runs) != 1 for c in study.configurations):
        return {}
    parts: dict[str, list[float | None]] = {}
    has_locks: dict[str, set[bool]] = {}
    for row in study.pictured["gbp_delay"]:
        parts.setdefault(row["configuration"], []).append(row["delay_per_transaction_us"])
        has_locks.setdefault(row["configuration"], set()).add(row["gbp"] == "LOCK1")
    alike = has_locks.get(study.baseline.name)
    return {
        name: sum(values)  # type: ignore[arg-type]
        for name, values in parts.items()
        if None not in values and has_locks[name] == alike
    }
