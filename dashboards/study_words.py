"""A study said in sentences: what costs how much more or less, and how sure that is."""

from ..pipeline.study import BOTH_KINDS
from .figures import four_digits, signed
from .study_measures import Configuration, Row, StudyMeasures

WARNINGS = {
    "weekday": "another weekday",
    "hour": "another hour of the day",
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
    "busy_cp": "very different utilisation",
    "busy_cp_and_ziip": "very different utilisation with zIIPs",
}

# Smaller relative differences are not worth a sentence of more or less.
_SAME = 0.0005
# Of more configurations the headline names the one that costs least and the one that costs most.
_MOST_SENTENCES = 3


def headline(study: StudyMeasures) -> str:
    """What the study finds, a sentence a configuration, then what stands against it."""
    sentences = _cost_sentences(study)
    sentences += _coupling_sentences(study)
    if not sentences:
        sentences = _delay_sentences(study)
    if not sentences:
        cost = study.baseline.cost["cpu_ms_per_request"]
        alone = f"{study.baseline.name} costs {four_digits(cost)} ms of CPU a request." if cost is not None else ""
        sentences = [alone or "No cost and no throughput can be told from what is printed."]
    if study.charges_both_kinds:
        sentences.append(BOTH_KINDS)
    unlike = list(dict.fromkeys(WARNINGS.get(w["warning"], str(w["warning"])) for w in study.warnings))
    if unlike:
        sentences.append(f"Not like for like: {', '.join(unlike)}.")
    return " ".join(s for s in sentences if s)


def verdict(difference: Row) -> str:
    """How sure a difference is, in words."""
    if difference["verdict"] == "differs" and difference["lower"] is not None and difference["baseline_value"]:
        ends = sorted(end / difference["baseline_value"] * 100 for end in (difference["lower"], difference["upper"]))
        return f"95% interval {signed(ends[0], 1)} to {signed(ends[1], 1)}%"
    if difference["verdict"] == "no interval":
        return "too few intervals to say how sure"
    if difference["verdict"] == "within noise" and (difference["p_value"] or 1) < 0.05:
        return "within noise, as one of several comparisons"
    if difference["verdict"] == "unlike loads":
        return "at unlike loads: see the picture over the request rate"
    return difference["verdict"]


def _cost_sentences(study: StudyMeasures) -> list[str]:
    """Each configuration against the baseline; of many the two ends."""
    known = [c for c in study.configurations if c.cost["cpu_ms_per_request"] is not None]
    if not known:
        return []
    others = study.configurations[1:]
    if len(others) <= _MOST_SENTENCES or study.baseline not in known or len(known) < 3:
        return [_cost_sentence(study.baseline, c) for c in others]
    by_cost = sorted(known, key=lambda c: c.cost["cpu_ms_per_request"])
    among = f"Of {len(study.configurations)} configurations {by_cost[0].name} costs least and {by_cost[-1].name} most."
    ends = [_cost_sentence(study.baseline, c) for c in (by_cost[0], by_cost[-1]) if c is not study.baseline]
    unknown = len(study.configurations) - len(known)
    return [among, *ends, *([f"What a request costs in {unknown} of them cannot be told."] if unknown else [])]


def _cost_sentence(baseline: Configuration, configuration: Configuration) -> str:
    old, new = baseline.cost["cpu_ms_per_request"], configuration.cost["cpu_ms_per_request"]
    if new is None or old is None:
        which = " and ".join(c.name for c in (baseline, configuration) if c.cost["cpu_ms_per_request"] is None)
        return f"What a request costs in {which} cannot be told."
    difference = configuration.difference.get("cpu_ms_per_request")
    sure = f" ({verdict(difference)})" if difference else ""
    if not old:
        return f"{configuration.name} costs {four_digits(new)} ms of CPU a request, {baseline.name} none{sure}."
    if abs(new / old - 1) < _SAME:
        return f"{configuration.name} costs {four_digits(new)} ms of CPU a request, as {baseline.name} does{sure}."
    if difference and difference["verdict"] == "within noise":
        return f"{configuration.name} and {baseline.name} cost the same within noise: {four_digits(new)} and {four_digits(old)} ms of CPU a request."
    word = "more" if new > old else "less"
    return (
        f"{configuration.name} costs {four_digits(new)} ms of CPU a request, {abs(new / old - 1) * 100:,.1f}% {word} than {baseline.name} "
        f"({four_digits(old)} ms){'; ' + verdict(difference) if difference else ''}."
    )


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
