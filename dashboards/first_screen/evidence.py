"""The totals of classes interval by interval: like intervals of two configurations, the interval of their difference, and MSU."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...pipeline.sql.confidence import Estimate, difference, ratio_of_sums
from ..queries import Lake, ask, literal

Row = Mapping[str, Any]

MEASURES = ("cp_pct", "ziip_on_cp_pct", "ziip_pct", "cpu_pct", "msu")
# Half of the last printed digit of APPL %.
_HALF_DIGIT = 0.005
# More dots than this hide each other.
_MOST_DOTS = 200


@dataclass(frozen=True)
class Intervals:
    """The places of one configuration in order of time, with the total of every measure."""

    rows: Sequence[Row]

    def mean(self, measure: str) -> float | None:
        """The mean over time, or None if one interval is unknown."""
        known = [(r[measure], r["interval_s"]) for r in self.rows if r[measure] is not None]
        if not known or len(known) < len(self.rows):
            return None
        return sum(value * seconds for value, seconds in known) / sum(seconds for _, seconds in known)

    def estimate(self, measure: str) -> Estimate | None:
        known = [r for r in self.rows if r[measure] is not None]
        if len(known) < len(self.rows):
            return None
        above, below = [r[measure] * r["interval_s"] for r in known], [r["interval_s"] for r in known]
        hidden = _HALF_DIGIT if measure != "msu" else 0.0
        return ratio_of_sums(above, below, [r["follows"] for r in known], hidden)


@dataclass(frozen=True)
class Sureness:
    """How sure a difference is: the ends of its 95% interval (None if there are too few intervals), and whether they leave out 0."""

    lower: float | None
    upper: float | None

    @property
    def is_known(self) -> bool:
        return self.lower is not None and self.upper is not None

    @property
    def differs(self) -> bool:
        return self.lower is not None and self.upper is not None and (self.lower > 0 or self.upper < 0)


@dataclass(frozen=True)
class Compared:
    """Two configurations by interval."""

    before: Intervals
    after: Intervals

    def pairs(self, measure: str) -> list[float]:
        """After − before of like intervals, in order of time; none if there are too many to draw."""
        old = {(r["run_number"], r["place"]): r[measure] for r in self.before.rows}
        found = []
        for row in self.after.rows:
            one, other = old.get((row["run_number"], row["place"])), row[measure]
            if one is not None and other is not None:
                found.append(other - one)
        return found if len(found) <= _MOST_DOTS else []

    def sureness(self, measure: str) -> Sureness:
        one, other = self.before.estimate(measure), self.after.estimate(measure)
        if one is None or other is None:
            return Sureness(None, None)
        found = difference(one, other)
        return Sureness(found.lower, found.upper)


def read_intervals(
    lake: Lake, kinds: Mapping[str, str], only: Iterable[str] | None = None
) -> dict[str, dict[str, Intervals]]:
    """By study and configuration. `kinds`: the kind of class that each study compares; `only`: of these classes."""
    if not kinds:
        return {}
    of = " OR ".join(f"(study = {literal(s)} AND class_kind = {literal(kind)})" for s, kind in kinds.items())
    named = f" AND class_name IN ({', '.join(map(literal, only))})" if only is not None else ""
    sums = ", ".join(f"sum_all({name}) AS {name}" for name in MEASURES)
    rows = ask(
        lake,
        f"""SELECT study, configuration, run_number, place, min(interval_s) AS interval_s, bool_or(follows) AS follows, {sums}
        FROM like_interval WHERE has_cpu AND ({of}){named} GROUP BY study, configuration, run_number, place ORDER BY ALL""",
    )
    found: dict[str, dict[str, Intervals]] = {}
    for (study, configuration), mine in groupby(rows, lambda r: (r["study"], r["configuration"])):
        found.setdefault(study, {})[configuration] = Intervals(list(mine))
    return found
