"""The totals of classes interval by interval: like intervals of two configurations, the 95% interval of the change, and MSU.

A load that rises and falls every day spreads the intervals of each side far more than the differences of like
intervals. So the 95% interval is that of the mean of these differences; in a long series, that of the part of the
differences that the load of each interval does not explain (paired_differences.py). Two means are compared only where
too little of the time has like intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal

from ...pipeline.sql.ask import Queryable, ask, literal
from ...pipeline.sql.confidence import FEWEST_STRETCHES, Estimate, difference, ratio_of_sums
from ...pipeline.sql.paired_differences import MeanDifference, mean_difference

Row = Mapping[str, Any]

MEASURES = ("cp_pct", "ziip_on_cp_pct", "ziip_pct", "cpu_pct", "cpu_normalized_pct", "msu")
# These measures may follow the rest of all processor time as a load: their own noise is not in it.
_PARTS = {"cp_pct": "cp_pct", "msu": "cp_pct", "ziip_pct": "ziip_pct", "ziip_on_cp_pct": "ziip_on_cp_pct"}
# Half of the last printed digit of APPL %.
_HALF_DIGIT = 0.005
_DAY_S = 86_400
# A smaller part of the time of a side does not represent the side.
_LEAST_PAIRED = 0.95
# RMF intervals end a little off the clock; a half hour is not like a quarter.
_LIKE_LENGTH = 0.1
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


Unit = Literal["interval", "day", "window", "side"]


@dataclass(frozen=True)
class Sureness:
    """The certainty of a difference: the ends of its 95% interval (None if there are too few intervals), and its basis:
    `count` like intervals, days or windows, or two sides that are not alike. `of_one_sign`: by a sign test the sides
    differ, whatever the interval holds."""

    lower: float | None
    upper: float | None
    unit: Unit = "side"
    count: int = 2
    by_load: bool = False
    of_one_sign: bool = False

    @property
    def is_known(self) -> bool:
        return self.lower is not None and self.upper is not None

    @property
    def leaves_out_0(self) -> bool:
        return self.lower is not None and self.upper is not None and (self.lower > 0 or self.upper < 0)

    @property
    def differs(self) -> bool:
        return self.leaves_out_0 or self.of_one_sign

    @property
    def is_of_sign_alone(self) -> bool:
        """Whether only the sign test says something, because the interval is too wide."""
        return self.of_one_sign and not self.leaves_out_0

    @property
    def basis(self) -> str:
        if self.unit == "side":
            return "of two means, not of like intervals"
        if self.is_of_sign_alone:
            return f"all {self.count:,} like {self.unit}s have the same sign (sign test)"
        return f"of {self.count:,} like {self.unit}s{', at the load of each' if self.by_load else ''}"


@dataclass(frozen=True)
class _Pair:
    """After − before of like intervals, or of the like intervals of a day, the mean of both as their load, and other
    processor time before and after (0 where it is not known); all times seconds. `at`: the number of the place, or of
    the day, in the run; `at_s`: seconds from the start of the run."""

    run_number: int
    at: int
    at_s: float
    seconds: float
    area: float
    load: float
    work_before: float
    work_after: float


@dataclass(frozen=True)
class Compared:
    """Two configurations by interval."""

    before: Intervals
    after: Intervals

    def pairs(self, measure: str) -> list[float]:
        """After − before of like intervals, in order of time; none if there are too many to draw."""
        found = [pair.area / pair.seconds for pair in self._pairs(measure)]
        return found if len(found) <= _MOST_DOTS else []

    def paired(self, measure: str) -> float:
        """The share of a side's time that has like intervals on the other side: the smaller share of the two sides."""
        seconds = sum(pair.seconds for pair in self._pairs(measure))
        whole = max(sum(r["interval_s"] for r in side.rows) for side in (self.before, self.after))
        return seconds / whole if whole else 0.0

    @property
    def are_as_long(self) -> bool:
        """Whether both sides cover as much time: places that are not alike have intervals of unlike lengths."""
        times = [sum(r["interval_s"] for r in side.rows) for side in (self.before, self.after)]
        return min(times) >= _LEAST_PAIRED * max(times)

    def sureness(self, measure: str) -> Sureness:
        if self.paired(measure) >= _LEAST_PAIRED:
            # Both values of a difference are rounded.
            return _of_pairs(self._pairs(measure), 2 * _HALF_DIGIT if measure != "msu" else 0.0)
        one, other = self.before.estimate(measure), self.after.estimate(measure)
        if one is None or other is None:
            return Sureness(None, None)
        found = difference(one, other)
        return Sureness(found.lower, found.upper)

    def _pairs(self, measure: str) -> list[_Pair]:
        old = {(r["run_number"], r["place"]): r for r in self.before.rows}
        found = []
        for new in self.after.rows:
            one = old.get((new["run_number"], new["place"]))
            if one is None or one[measure] is None or new[measure] is None:
                continue
            lengths = one["interval_s"], new["interval_s"]
            if max(lengths) - min(lengths) <= _LIKE_LENGTH * max(lengths):
                seconds = sum(lengths) / 2
                change, load = new[measure] - one[measure], (new[measure] + one[measure]) / 2
                work = [_rest(row, measure) * seconds for row in (one, new)]
                at = new["place"], new["place"] * new["place_s"]
                found.append(_Pair(new["run_number"], *at, seconds, change * seconds, load * seconds, *work))
        return found


def _rest(row: Row, measure: str) -> float:
    whole, part = row["cpu_pct"], row[_PARTS[measure]] if measure in _PARTS else None
    return whole - part if whole is not None and part is not None else 0.0


def _of_pairs(pairs: Sequence[_Pair], hidden: float) -> Sureness:
    """The certainty of a mean of differences. Days are the units where there are three, because the intervals of a day
    share what is special to the day. For three consecutive days or more, but too few to know their correlation, the
    interval is the wider of two: by intervals, and by days taken as independent."""
    by_interval = _sureness(_estimate(pairs, hidden), "interval")
    days = _days(pairs)
    if sum(d.seconds for d in days) ** 2 < FEWEST_STRETCHES * sum(d.seconds**2 for d in days):
        return by_interval
    unit: Unit = "window" if len({d.run_number for d in days}) == len(days) else "day"
    by_day = _sureness(_estimate(days, hidden), unit)
    if by_day.is_known or not by_interval.is_known:
        return by_day if by_day.is_known else by_interval
    apart = _sureness(_estimate(days, hidden, are_apart=True), unit)
    return max(by_interval, apart, key=lambda s: (s.upper or 0.0) - (s.lower or 0.0))


def _days(pairs: Sequence[_Pair]) -> list[_Pair]:
    """By days since the start of each run."""

    def day_of(pair: _Pair) -> tuple[int, int]:
        return pair.run_number, int(pair.at_s // _DAY_S)

    found = []
    for (run_number, day), of_day in groupby(pairs, day_of):
        mine = list(of_day)
        found.append(
            _Pair(
                run_number,
                day,
                day * _DAY_S,
                *map(sum, zip(*((p.seconds, p.area, p.load, p.work_before, p.work_after) for p in mine), strict=True)),
            )
        )
    return found


def _estimate(pairs: Sequence[_Pair], hidden: float, *, are_apart: bool = False) -> MeanDifference | None:
    follows = [False] + [(b.run_number, b.at) == (a.run_number, a.at + 1) for a, b in pairwise(pairs)]
    changes, loads = [p.area / p.seconds for p in pairs], [p.load / p.seconds for p in pairs]
    work = [p.work_before / p.seconds for p in pairs], [p.work_after / p.seconds for p in pairs]
    return mean_difference(changes, loads, [p.seconds for p in pairs], [] if are_apart else follows, hidden, work)


def _sureness(found: MeanDifference | None, unit: Unit) -> Sureness:
    if found is None:
        return Sureness(None, None, unit, 0)
    estimate, by_load, of_one_sign = found
    return Sureness(estimate.lower, estimate.upper, unit, estimate.units, by_load, of_one_sign)


def read_intervals(
    lake: Queryable, kinds: Mapping[str, str], only: Iterable[str] | None = None
) -> dict[str, dict[str, Intervals]]:
    """By study and configuration. `kinds`: the kind of class that each study compares; `only`: of these classes."""
    if not kinds:
        return {}
    of = " OR ".join(f"(study = {literal(s)} AND class_kind = {literal(kind)})" for s, kind in kinds.items())
    named = f" AND class_name IN ({', '.join(map(literal, only))})" if only is not None else ""
    sums = ", ".join(f"sum_all({name}) AS {name}" for name in MEASURES)
    rows = ask(
        lake,
        f"""SELECT study, configuration, run_number, place, any_value(place_s) AS place_s, min(interval_s) AS interval_s, bool_or(follows) AS follows, {sums}
        FROM like_interval WHERE has_cpu AND ({of}){named} GROUP BY study, configuration, run_number, place ORDER BY ALL""",
    )
    found: dict[str, dict[str, Intervals]] = {}
    for (study, configuration), mine in groupby(rows, lambda r: (r["study"], r["configuration"])):
        found.setdefault(study, {})[configuration] = Intervals(list(mine))
    return found
