"""A study said in sentences: what costs how much more or less, and how sure that is."""

from ..pipeline.study.study_file import BOTH_KINDS
from .class_sentences import class_sentences
from .measures import Configuration, Row, StudyMeasures
from .numbers import four_digits, signed

WARNINGS = {
    "weekday": "another weekday",
    "hour": "another hour of the day",
    "covered": "another length of time",
    "sysplex": "another sysplex",
    "systems": "other systems",
    "report_kind": "another kind of report",
    "release": "another release",
    "report_version": "another release of the Postprocessor",
    "machine": "another machine",
    "capacity": "another capacity of the machine",
    "boost": "a boost in one of them",
    "engines_cp": "another number of general processors",
    "engines_ziip": "another number of zIIPs",
    "threads": "another number of threads per core",
    "lpar_weight": "another share of the machine",
    "policy": "another service policy",
    "policy_activation": "a policy activated at another time",
    "coefficients": "other service coefficients",
    "su_per_s": "engines of another speed",
    "normalization": "another normalisation factor of zIIP time",
    "service_classes": "service classes that only one of them has",
    "report_classes": "report classes that only one of them has",
    "shared_intervals": "intervals that are in both",
    "busy_cp": "very different utilisation",
    "busy_cp_and_ziip": "very different utilisation with zIIPs",
}

# Smaller relative differences are not worth a sentence of more or less.
_SAME = 0.0005
# Of more configurations the headline names the one that costs least and the one that costs most.
_MOST_SENTENCES = 3
# What a sentence calls a cost.
COST_WORDS = {
    "cp_ms_per_request": "general-processor time",
    "cpu_ms_per_request": "CPU time",
    "cpu_normalized_ms_per_request": "CPU time with zIIP time normalised",
}


def headline(study: StudyMeasures) -> str:
    """What the study finds, a sentence a configuration, then what stands against it."""
    sentences = _cost_sentences(study)
    sentences += _coupling_sentences(study)
    sentences = sentences or class_sentences(study) or _delay_sentences(study)
    if not sentences:
        cost = study.baseline.cost[study.leads_with]
        alone = (
            f"{study.baseline.name} needs {four_digits(cost)} ms of {COST_WORDS[study.leads_with]} per request."
            if cost is not None
            else ""
        )
        sentences = [alone or "No cost and no throughput can be told from what is printed."]
    if study.charges_both_kinds:
        sentences.append(BOTH_KINDS)
    unlike = list(dict.fromkeys(WARNINGS.get(w["warning"], str(w["warning"])) for w in study.warnings))
    if unlike:
        sentences.append(f"Not like for like: {', '.join(unlike)}.")
    return " ".join(s for s in sentences if s)


def verdict(difference: Row) -> str:
    """How sure a difference is, in words. Without an interval where the printed values are too coarse for one."""
    lower, upper, base = difference["lower"], difference["upper"], difference["baseline_value"]
    if lower is not None and upper is not None and base:
        step = difference.get("printed_to")
        # Each side may be half of a step more or less than printed.
        if step and upper - lower < 2 * step:
            return _printed_to(base, difference["difference"], step)
        ends = [signed(end, 1) for end in sorted(end / base * 100 for end in (lower, upper))]
        if ends[0] == ends[1]:
            same = "the same" if lower == upper == 0 else "no 95% interval: the same difference"
            return f"{same} in all intervals, to the printed digits"
        if difference["verdict"] == "differs":
            return f"95% interval {ends[0]} to {ends[1]}%"
    if difference["verdict"] == "no interval":
        return "too few intervals to say how sure"
    if difference["verdict"] == "within noise" and (difference["p_value"] or 1) < 0.05:
        return "within noise, as one of several comparisons"
    if difference["verdict"] == "unlike loads":
        return "at unlike loads: see the picture over the request rate"
    return difference["verdict"]


def _printed_to(base: float, change: float | None, step: float) -> str:
    """What rounding alone leaves open of a difference between values that are printed to so many milliseconds."""
    said = f"printed to {step:g} ms, no 95% interval"
    if change is None or base <= step:
        return said
    new, half = base + change, step / 2
    least, most = ((new - half) / (base + half) - 1) * 100, ((new + half) / (base - half) - 1) * 100
    return f"{said}: {signed(least, 1)} to {signed(most, 1)}% by rounding alone"


def spread(sure: Row | None) -> str:
    """The ends of the interval of a value, or why the printed values give none; nothing where none can be told."""
    if not sure or sure["lower"] is None or sure["upper"] is None:
        return ""
    step = sure.get("printed_to")
    if step and sure["upper"] - sure["lower"] < step:
        return f"printed to {step:g} ms"
    lower, upper = four_digits(sure["lower"]), four_digits(sure["upper"])
    return "" if lower == upper else f"{lower} to {upper}"


def _cost_sentences(study: StudyMeasures) -> list[str]:
    """Each configuration against the baseline; of many the two ends."""
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
            said = ", ".join(
                f"{word} in {c.name} ({four_digits(c.cost[whole])} ms{_against(study, c, whole)})"
                for c, word in zip(other, ("lowest", "highest"), strict=True)
            )
            ends.append(f"All {COST_WORDS[whole]}, zIIPs included, is {said}.")
    unknown = len(study.configurations) - len(known)
    return [among, *ends, *([f"What a request costs in {unknown} of them cannot be told."] if unknown else [])]


def _ends(known: list[Configuration], measure: str) -> tuple[Configuration, Configuration]:
    by_cost = sorted(known, key=lambda c: c.cost[measure])
    return by_cost[0], by_cost[-1]


def _whole(study: StudyMeasures) -> str:
    """The cost that all CPU is judged by."""
    return "cpu_normalized_ms_per_request" if study.is_normalized else "cpu_ms_per_request"


def _against(study: StudyMeasures, configuration: Configuration, measure: str) -> str:
    old, new = study.baseline.cost[measure], configuration.cost[measure]
    return f", {signed((new / old - 1) * 100, 1)}%" if old and configuration is not study.baseline else ""


def _cost_sentence(study: StudyMeasures, configuration: Configuration) -> str:
    """What a request of a configuration costs against the baseline: what is paid for first, then the parts and all CPU."""
    baseline, measure = study.baseline, study.leads_with
    old, new = baseline.cost[measure], configuration.cost[measure]
    if new is None or old is None:
        which = " and ".join(c.name for c in (baseline, configuration) if c.cost[measure] is None)
        return f"What a request costs in {which} cannot be told."
    said = _compared(baseline.name, configuration, measure, old, new)
    return f"{said} {_rest(study, configuration)}".rstrip() if measure == "cp_ms_per_request" else said


def _compared(baseline: str, configuration: Configuration, measure: str, old: float, new: float) -> str:
    what = COST_WORDS[measure]
    difference = configuration.difference.get(measure)
    sure = f" ({verdict(difference)})" if difference else ""
    if not old:
        return f"{configuration.name} needs {four_digits(new)} ms of {what} per request, {baseline} none{sure}."
    if abs(new / old - 1) < _SAME:
        return f"{configuration.name} needs {four_digits(new)} ms of {what} per request, as {baseline} does{sure}."
    if difference and difference["verdict"] == "within noise":
        return f"{configuration.name} and {baseline} need the same {what} per request within noise: {four_digits(new)} and {four_digits(old)} ms."
    word = "more" if new > old else "less"
    return (
        f"{configuration.name} needs {four_digits(new)} ms of {what} per request, {abs(new / old - 1) * 100:,.1f}% {word} than {baseline} "
        f"({four_digits(old)} ms){'; ' + verdict(difference) if difference else ''}."
    )


def _rest(study: StudyMeasures, configuration: Configuration) -> str:
    """What is not said by the time of general processors: how much of it could have run on zIIPs, what ran there, and the whole."""
    whole = _whole(study)
    parts = []
    for name, words in (
        ("ziip_on_cp_ms_per_request", "zIIP-eligible work in it"),
        ("ziip_ms_per_request", "time on zIIPs"),
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
    said = "; ".join(parts)
    return f"{said[0].upper() if said.startswith(('all', 'time')) else said[0]}{said[1:]}." if said else ""


def _delay_sentences(study: StudyMeasures) -> list[str]:
    """How long a transaction waits for all group buffer pools together, and for locks, where each configuration has one run."""
    delays: dict[str, list[float | None]] = {}
    structures: dict[str, set[bool]] = {}
    for row in study.pictured["gbp_delay"]:
        delays.setdefault(row["configuration"], []).append(row["delay_per_transaction_us"])
        structures.setdefault(row["configuration"], set()).add(row["gbp"] == "LOCK1")
    if any(len(c.runs) != 1 for c in study.configurations):
        return []
    waits = {name: sum(parts) for name, parts in delays.items() if None not in parts}  # type: ignore[arg-type]
    old = waits.get(study.baseline.name)
    out = []
    for configuration in study.configurations[1:]:
        new = waits.get(configuration.name)
        # With the lock structure on one side alone the two are not alike.
        if old and new is not None and structures[configuration.name] == structures[study.baseline.name]:
            word = "more" if new > old else "less"
            what = "group buffer pools and locks" if True in structures[study.baseline.name] else "group buffer pools"
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
                f"time: {row['capacity_delta_pct']:,.2f}% less capacity, {row['cpu_increase_pct']:,.2f}% more processor time a request."
            ]
    return []
