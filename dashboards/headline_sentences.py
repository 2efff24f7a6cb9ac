"""The result of a study in sentences: cost per request against the baseline, and how certain the difference is."""

from collections.abc import Callable

from ..pipeline.study.study_file import BOTH_KINDS
from .class_sentences import class_sentences
from .numbers import Write, four_digits, number, signed
from .study_rows import ConfigurationMeasures, Row, StudyMeasures

WARNINGS = {
    "weekday": "different weekdays",
    "hour": "different hours of day",
    "covered": "different durations",
    "sysplex": "different sysplexes",
    "systems": "different systems",
    "report_kind": "different report kinds",
    "release": "different releases",
    "report_version": "different Postprocessor releases",
    "machine": "different machines",
    "capacity": "different machine capacities",
    "boost": "boost in one only",
    "engines_cp": "different CP counts",
    "engines_ziip": "different zIIP counts",
    "threads": "different threads per core",
    "lpar_weight": "different LPAR shares",
    "policy": "different service policies",
    "policy_activation": "different policy activation times",
    "coefficients": "different service coefficients",
    "su_per_s": "different engine speeds",
    "normalization": "different zIIP normalisation factors",
    "service_classes": "service classes in one only",
    "report_classes": "report classes in one only",
    "shared_intervals": "intervals in both",
    "missing_intervals": "intervals that a system lacks",
    "busy_cp": "very different utilisation",
    "busy_unknown": "utilisation not known",
    "busy_cp_and_ziip": "very different utilisation with zIIPs",
}

# Smaller relative differences count as equal.
_SAME = 0.0005
# With more configurations the headline names only the cheapest and the dearest.
_MOST_SENTENCES = 3
# What a sentence calls a cost.
COST_WORDS = {
    "cp_ms_per_request": "general-processor time",
    "cpu_ms_per_request": "CPU time",
    "cpu_normalized_ms_per_request": "CPU time with zIIP time normalised",
}


def headline(study: StudyMeasures) -> str:
    """One sentence per configuration, then the cautions."""
    sentences = _cost_sentences(study)
    sentences += _coupling_sentences(study)
    sentences = sentences or ([] if study.compares_classes else _delay_sentences(study)) or class_sentences(study)
    if not sentences:
        cost = study.baseline.cost[study.leads_with]
        alone = (
            f"{study.baseline.name} needs {four_digits(cost)} ms of {COST_WORDS[study.leads_with]} per request."
            if cost is not None
            else ""
        )
        sentences = [alone or "The reports do not print enough for a cost or a throughput."]
    if study.charges_both_kinds:
        sentences.append(BOTH_KINDS)
    cautions = [
        *data_cautions(study),
        *dict.fromkeys(WARNINGS.get(w["warning"], str(w["warning"])) for w in study.warnings),
    ]
    if cautions:
        sentences.append(f"Caution: {', '.join(cautions)}.")
    return " ".join(s for s in sentences if s)


# What a configuration's notes say of its data, in the headline.
_DATA_CAUTIONS: dict[str, Callable[[Row], str]] = {
    "covered": lambda row: f"reports for {row['found'] / row['expected'] * 100:.0f}% of the time",
    "cut": lambda row: f"{row['found'] / row['expected'] * 100:.0f}% of the time outside of the windows",
    "left_out": lambda _: "overlapping intervals left out",
    "conflicting": lambda _: "conflicting prints",
}


# A class counts as 0 where a whole page does not print it; a page may also be missing. With so much of all CPU that is a caution.
_LARGE = 0.02


def data_cautions(study: StudyMeasures, *only: str) -> list[str]:
    """What makes the data of configurations (all of the study if none is given) doubtful, each with the configurations that share it."""
    names = only or tuple(c.name for c in study.configurations)
    found: dict[str, list[str]] = {}
    for note, words in _DATA_CAUTIONS.items():
        for name in names:
            row = next((r for r in study.notes if (r["configuration"], r["note"]) == (name, note)), None)
            # More than the window is there where long intervals reach out of it, and `cut` says that.
            if row and (note != "covered" or row["found"] < row["expected"]):
                found.setdefault(words(row), []).append(name)
    cautions = [f"{words} in {' and '.join(of)}" for words, of in found.items()]
    return cautions + [caution for name in names for caution in absent_classes(study, name)]


def absent_classes(study: StudyMeasures, configuration: str) -> list[str]:
    whole = study.totals().get(configuration)
    large = [
        row
        for row in study.classes_of()
        if row["configuration"] == configuration
        and row["cp_pct"]
        and row["intervals_printed"] < row["intervals"]
        and whole
        and row["cp_pct"] * row["intervals"] / row["intervals_printed"] >= _LARGE * (whole["cp_pct"] or 0)
    ]
    return [
        f"{row['class_name']} counted as 0 in {row['intervals'] - row['intervals_printed']:,} of {row['intervals']:,} intervals of {configuration}"
        for row in large
    ]


def verdict(difference: Row) -> str:
    """How certain a difference is; gives no interval if the printed values are too coarse for one."""
    lower, upper, base = difference["lower"], difference["upper"], difference["baseline_value"]
    if lower is not None and upper is not None and base:
        step = difference.get("printed_to")
        # Rounding may move each side by half a step.
        if step and upper - lower < 2 * step:
            return _printed_to(base, difference["difference"], step)
        ends = [signed(end, 1) for end in sorted(end / base * 100 for end in (lower, upper))]
        if ends[0] == ends[1]:
            same = "equal" if lower == upper == 0 else "no 95% interval: same difference"
            return f"{same} in all intervals, to the printed digits"
        if difference["verdict"] == "differs" and difference["difference_pct"] is None:
            return f"95% interval {four_digits(lower)} to {four_digits(upper)} ms"
        if difference["verdict"] == "differs":
            return f"95% interval {ends[0]} to {ends[1]}%"
    if difference["verdict"] == "no interval":
        return "too few intervals for a 95% interval"
    if difference["verdict"] == "within noise" and (difference["p_value"] or 1) < 0.05:
        return "within noise after correction for several comparisons"
    if difference["verdict"] == "unlike loads":
        return "different loads: see the chart by request rate"
    return difference["verdict"]


def total_certainty(study: StudyMeasures, configuration: ConfigurationMeasures) -> str | None:
    """How certain the change of all classes is, in what it is told in, by the intervals of both sides."""
    compared = study.by_interval(configuration)
    old = study.class_totals().get(study.baseline.name)
    if compared is None or not old:
        return None
    sure = compared.sureness(study.class_measure)
    if sure.is_of_sign_alone:
        return sure.basis
    if sure.lower is None or sure.upper is None:
        return "too few intervals for a 95% interval"
    if not sure.differs:
        return "within noise"
    if not study.class_base_has_digits:
        return f"95% interval {signed(sure.lower)} to {signed(sure.upper)} {'MSU' if study.class_measure == 'msu' else 'points'}"
    return f"95% interval {signed(sure.lower / old * 100, 1)} to {signed(sure.upper / old * 100, 1)}%"


def _printed_to(base: float, change: float | None, step: float) -> str:
    """The range that rounding alone allows for a difference of values printed in steps of `step` ms."""
    words = f"printed to {step:g} ms, no 95% interval"
    if change is None or base <= step:
        return words
    new, half = base + change, step / 2
    least, most = ((new - half) / (base + half) - 1) * 100, ((new + half) / (base - half) - 1) * 100
    return f"{words}: {signed(least, 1)} to {signed(most, 1)}% by rounding alone"


def spread(sure: Row | None, write: Write = number) -> str:
    """The 95% interval of a value, or why there is none; empty if unknown."""
    if not sure or sure["lower"] is None or sure["upper"] is None:
        return ""
    step = sure.get("printed_to")
    if step and sure["upper"] - sure["lower"] < step:
        return f"printed to {step:g} ms"
    lower, upper = write(sure["lower"]), write(sure["upper"])
    return "" if lower == upper else f"{lower} to {upper}"


def _cost_sentences(study: StudyMeasures) -> list[str]:
    """Each configuration against the baseline; with many, only the cheapest and the dearest."""
    measure = study.leads_with
    known = [c for c in study.configurations if c.cost[measure] is not None]
    if not known:
        return []
    others = study.configurations[1:]
    if len(others) <= _MOST_SENTENCES or study.baseline not in known or len(known) < 3:
        return [_cost_sentence(study, c) for c in others]
    least, most = _ends(known, measure)
    among = f"Of {len(study.configurations)} configurations {least.name} needs the least {COST_WORDS[measure]} per request and {most.name} the most."
    ends = [_cost_sentence(study, c) for c in (least, most) if c is not study.baseline]
    whole = _whole(study)
    if whole != measure:
        other = _ends(known, whole)
        if [c.name for c in other] != [least.name, most.name]:
            extremes = ", ".join(
                f"{word} in {c.name} ({four_digits(c.cost[whole])} ms{_against(study, c, whole)})"
                for c, word in zip(other, ("lowest", "highest"), strict=True)
            )
            ends.append(f"All {COST_WORDS[whole]}, zIIPs included, is {extremes}.")
    unknown = len(study.configurations) - len(known)
    return [among, *ends, *([f"The cost per request of {unknown} is unknown."] if unknown else [])]


def _ends(known: list[ConfigurationMeasures], measure: str) -> tuple[ConfigurationMeasures, ConfigurationMeasures]:
    by_cost = sorted(known, key=lambda c: c.cost[measure])
    return by_cost[0], by_cost[-1]


def _whole(study: StudyMeasures) -> str:
    """The measure for all CPU time."""
    return "cpu_normalized_ms_per_request" if study.is_normalized else "cpu_ms_per_request"


def _against(study: StudyMeasures, configuration: ConfigurationMeasures, measure: str) -> str:
    old, new = study.baseline.cost[measure], configuration.cost[measure]
    return f", {signed((new / old - 1) * 100, 1)}%" if old and configuration is not study.baseline else ""


def _cost_sentence(study: StudyMeasures, configuration: ConfigurationMeasures) -> str:
    """Cost per request against the baseline: general-processor time first, then its parts and all CPU."""
    baseline, measure = study.baseline, study.leads_with
    old, new = baseline.cost[measure], configuration.cost[measure]
    if new is None or old is None:
        which = " and ".join(c.name for c in (baseline, configuration) if c.cost[measure] is None)
        return f"The cost per request of {which} is unknown."
    sentence = _compared(baseline.name, configuration, measure, old, new)
    return f"{sentence} {_rest(study, configuration)}".rstrip() if measure == "cp_ms_per_request" else sentence


def _compared(baseline: str, configuration: ConfigurationMeasures, measure: str, old: float, new: float) -> str:
    what = COST_WORDS[measure]
    difference = configuration.difference.get(measure)
    sure = f" ({verdict(difference)})" if difference else ""
    if not old:
        return f"{configuration.name} needs {four_digits(new)} ms of {what} per request; {baseline} needs none{sure}."
    if abs(new / old - 1) < _SAME:
        return f"{configuration.name} needs {four_digits(new)} ms of {what} per request, the same as {baseline}{sure}."
    if difference and difference["verdict"] == "within noise":
        return f"{configuration.name} and {baseline} need the same {what} per request, within noise: {four_digits(new)} and {four_digits(old)} ms."
    word = "more" if new > old else "less"
    much = f"{abs(new / old - 1) * 100:,.1f}% " if configuration.is_relative(measure) else ""
    return (
        f"{configuration.name} needs {four_digits(new)} ms of {what} per request, {much}{word} than {baseline} "
        f"({four_digits(old)} ms){'; ' + verdict(difference) if difference else ''}."
    )


def _rest(study: StudyMeasures, configuration: ConfigurationMeasures) -> str:
    """Beside general-processor time: its zIIP-eligible part, time on zIIPs, and all CPU."""
    whole = _whole(study)
    parts = []
    for name, words in (
        ("ziip_on_cp_ms_per_request", "zIIP-eligible on CP"),
        ("ziip_ms_per_request", "on zIIPs"),
        (whole, f"all {COST_WORDS[whole]}"),
        *((("cpu_ms_per_request", "as measured"),) if study.is_normalized else ()),
    ):
        old, new = study.baseline.cost[name], configuration.cost[name]
        if old is None or new is None or not (old or new):
            continue
        difference = configuration.difference.get(name) if name == whole else None
        noise = ", within noise" if difference and difference["verdict"] == "within noise" else ""
        change = f" ({signed((new / old - 1) * 100, 1)}%{noise})" if old and name in COST_WORDS else ""
        parts.append(f"{words}: {four_digits(old)} → {four_digits(new)} ms{change}")
    return _sentence(parts)


def _sentence(parts: list[str]) -> str:
    """Parts as one sentence; zIIP keeps its small z."""
    joined = "; ".join(parts)
    return f"{joined if joined.startswith('z') else joined[0].upper() + joined[1:]}." if parts else ""


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


def _delay_sentences(study: StudyMeasures) -> list[str]:
    """Wait per transaction for all group buffer pools, and for locks if printed."""
    waits = delays(study)
    old = waits.get(study.baseline.name)
    has_locks = any(r["gbp"] == "LOCK1" for r in study.pictured["gbp_delay"])
    out = []
    for configuration in study.configurations[1:]:
        new = waits.get(configuration.name)
        if old and new is not None:
            word = "more" if new > old else "less"
            what = "group buffer pools and locks" if has_locks else "group buffer pools"
            out.append(
                f"A transaction of {configuration.name} waits {four_digits(new)} µs for {what}, "
                f"{abs(new / old - 1) * 100:,.1f}% {word} than one of {study.baseline.name} ({four_digits(old)} µs)."
            )
    return out


def _coupling_sentences(study: StudyMeasures) -> list[str]:
    for row in study.coupling:
        if row["busy_basis"] == "cp" and row["coupling_efficiency_pct"] is not None:
            return [
                f"{row['coupled']} does {row['coupling_efficiency_pct']:,.2f}% of the work of {row['uncoupled']} in the same processor "
                f"time: {row['capacity_delta_pct']:,.2f}% less capacity, {row['cpu_increase_pct']:,.2f}% more processor time per request."
            ]
    return []
