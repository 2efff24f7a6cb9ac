"""How certain a difference is, in words."""

from .numbers import Write, four_digits, number, signed
from .study_rows import ConfigurationMeasures, Row, StudyMeasures


def verdict(difference: Row) -> str:
    """The certainty of a difference in words; without an interval where the printed values are too coarse for one."""
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
    """The certainty of the change of all classes, in its measure, by the intervals of both sides."""
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
