"""Facts of two configurations that are compared: their names, words for a difference, how likely it turns the sign (the
lower, the likelier), and what settles it."""

from typing import NamedTuple


class Fact(NamedTuple):
    """`title`: the name in the table of facts (empty: not in the table); `caution`: the words where the facts
    differ."""

    title: str
    caution: str
    rank: int = 10
    settle: str = "Check whether it changes what is measured."


_MACHINE = (5, "Compare runs on the same machine, or state normalization in a study file.")
_LOAD = (6, "CPU time per request depends on utilisation: compare at the same load.")
_MOVED = "Check whether work moved to another class, or a page is missing."
# In the order of the table.
FACTS = {
    "weekday": Fact("Weekday", "different weekdays", 9, "Compare the same weekday, for example with --against auto."),
    "hour": Fact("", "different hours of day", 8, "Compare the same hours of the day."),
    "covered": Fact("", "different durations", 6, "Compare windows of the same length, for example with --against auto."),
    "sysplex": Fact("Sysplex", "different sysplexes", *_MACHINE),
    "systems": Fact("Systems", "different systems", *_MACHINE),
    "report_kind": Fact("Kind of report", "different report kinds"),
    "release": Fact("Release of the data", "different releases"),
    "report_version": Fact("Release of the Postprocessor", "different Postprocessor releases"),
    "policy": Fact("Service policy", "different service policies"),
    "policy_activation": Fact("Policy activated", "different policy activation times"),
    "coefficients": Fact("Service coefficients", "different service coefficients"),
    "su_per_s": Fact("Speed (service units per second)", "different engine speeds", *_MACHINE),
    "normalization": Fact("Normalisation factor of zIIP time", "different zIIP normalisation factors", *_MACHINE),
    "normalization_source": Fact("Factor from", ""),
    "machine": Fact("Machine", "different machines", *_MACHINE),
    "capacity": Fact("Capacity of the machine (MSU)", "different machine capacities", *_MACHINE),
    "engines_cp": Fact("General processors online", "different CP counts", *_MACHINE),
    "engines_ziip": Fact("zIIPs online", "different zIIP counts", *_MACHINE),
    "threads": Fact("Threads per core", "different threads per core", *_MACHINE),
    "lpar_weight": Fact("LPAR share of the machine", "different LPAR shares", *_MACHINE),
    "boost": Fact(
        "Boost", "boost in one only", 5, "Boost gives slower engines full speed, or zIIPs all kinds of work: compare intervals without it."
    ),
    "busy_cp": Fact("General processors busy", "very different utilisation", *_LOAD),
    "busy_cp_and_ziip": Fact("Processors busy, with zIIPs", "very different utilisation with zIIPs", *_LOAD),
    "busy_unknown": Fact("", "utilisation not known"),
    "shared_intervals": Fact("", "intervals in both", 2, "Choose windows that share no interval."),
    "missing_intervals": Fact("", "intervals that a system lacks", 3, "Ingest what is missing, or choose windows that all systems cover."),
    "service_classes": Fact("", "service classes in one only", 7, _MOVED),
    "report_classes": Fact("", "report classes in one only", 10, _MOVED),
}  # fmt: skip


def fact(name: object) -> Fact:
    return FACTS.get(str(name)) or Fact("", str(name))
