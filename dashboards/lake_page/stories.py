"""Things to look at, the costliest first: things that happened at one place in the same hours are one story."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .contract import Happened, Severity
from .found import Rank, Ranked

_SEVERITIES: dict[Rank, Severity] = {Rank.MONEY: "serious", Rank.CAPPED: "serious", Rank.BETTER: "better"}


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """The costliest first. Within a rank, findings that say little, and findings without a known price, are last."""
    return sorted(ranked, key=lambda r: (r.rank, r.is_little, not r.is_known, -r.size, r.happened.sentence))


def severity(one: Ranked) -> Severity:
    """The severity by rank or finding; one step lower where the finding says little, or has no known price."""
    said = _SEVERITIES.get(one.rank, one.happened.severity)
    less: dict[Severity, Severity] = {"serious": "watch", "watch": "note"}
    return less.get(said, said) if one.is_little or not one.is_known else said


def stories(ranked: Iterable[Ranked], groups: Mapping[str, str]) -> tuple[Happened, ...]:
    """Each finding with the others of its place and group of sections that share one of its hours. `groups`: the group
    of each section."""
    told: list[tuple[Ranked, list[Ranked]]] = []
    for one in in_order(ranked):
        for lead, beside in told:
            is_here = groups.get(lead.happened.section) == groups.get(one.happened.section) and lead.place == one.place
            if is_here and lead.hours & one.hours:
                beside.append(one)
                break
        else:
            told.append((one, []))
    return tuple(_story(lead, beside) for lead, beside in told)


def _story(lead: Ranked, beside: list[Ranked]) -> Happened:
    said = [replace(one.happened, severity=severity(one)) for one in (lead, *beside)]
    # An outage is serious where something suffers from it: otherwise it may be planned, or pages are missing.
    worst: Severity = "serious" if lead.rank == Rank.OUTAGE and beside else said[0].severity
    action = next((one.action for one in said if one.action), "")
    return replace(said[0], severity=worst, action=action, beside=tuple(said[1:]))
