"""How sure the figures of studies are: the tables study_confidence, study_difference and study_fit, computed over views.

The unit of replication is the interval where requests are counted by a class, and the step where they are counted once a step
(workload simulator, volume). What each unit has the views study_unit… say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ..declaration.report import Table
from ..declaration.study_tables import COMPUTED, CONFIDENCE, CONFIGURATION, DIFFERENCE, FIT, UNALLOCATED
from .ask import Queryable, ask
from .confidence import Estimate, Line, difference, fitted_line, holm, ratio_of_sums
from .schema import plain_schema

Row = dict[str, Any]

# Response times grow with the load: those of units further apart are no repetitions of one thing.
_UNLIKE_LOADS = 2.0
UNLIKE_LOADS = "unlike loads"
# A line through units of nearly one load shows noise: the greatest rate is to be that many times the least.
_LEAST_SPREAD = 1.2

# Costs that are compared, and the percentage of an engine that each is of.
_COSTS = {
    "cpu_ms_per_request": "cpu_pct",
    "cpu_normalized_ms_per_request": "cpu_normalized_pct",
    "cp_ms_per_request": "cp_pct",
}
# An ITR is of all online engines together: of other numbers of engines it says nothing of the work.
UNLIKE_ENGINES = "unlike engines"
_SAME_ENGINES = 0.005

# Half of the last digit that is printed: APPL % and LPAR BUSY have hundredths of a percent of an engine, times have milliseconds or, in
# later releases, microseconds.
_HALF_PCT = 0.005
_HALF_MS, _HALF_US = 0.5, 0.0005
PRINTED_DIGITS = "printed digits"
_CERTAIN = 0.05


def study_statistics(lake: Queryable) -> dict[str, pa.Table]:
    """The computed tables of all studies of a lake, by name."""
    rows: dict[str, list[Row]] = {table.name: [] for table in COMPUTED}
    configurations = {(r["study"], r["configuration"]): r for r in ask(lake, f"FROM {CONFIGURATION.name}")}
    if configurations:
        series = _measured(lake)
        estimates = {key: _estimate(s) for key, s in series.items()}
        for key, s in series.items():
            study, configuration, measure, subject = key
            of = _origin(configurations[study, configuration]) | {"measure": measure, "subject": subject}
            rows[CONFIDENCE.name].append(of | _confidence(s, estimates[key]))
            if measure in _COSTS:
                rows[FIT.name].append(of | _fit(s))
        unlike = {key for key, s in series.items() if key[2] == "response_ms" and s.is_of_unlike_loads}
        rows[CONFIDENCE.name] = [_at_unlike_loads(r) if _key(r) in unlike else r for r in rows[CONFIDENCE.name]]
        engines = {key: s.engines_online for key, s in series.items() if key[2] == "itr_per_s"}
        of_one_digit = {key for key, s in series.items() if key[2] in _COSTS and _is_of_one_digit(s, estimates[key])}
        for row in _differences(configurations, estimates):
            mine, theirs = _key(row), _key(row | {"configuration": row["baseline"]})
            if {mine, theirs} & unlike:
                row = _at_unlike_loads(row)
            elif mine in engines and _are_unlike(engines[mine], engines[theirs]):
                row = row | dict.fromkeys(_COMPARED) | {"verdict": UNLIKE_ENGINES}
            if theirs in of_one_digit:
                row = row | {"difference_pct": None}
            rows[DIFFERENCE.name].append(row)
        _adjust(rows[DIFFERENCE.name])
    return {t.name: _table(t, rows[t.name]) for t in COMPUTED}


def _table(table: Table, rows: Iterable[Row]) -> pa.Table:
    names = [c.name for c in table.all_columns]
    return pa.Table.from_pylist([{n: row.get(n) for n in names} for row in rows], schema=plain_schema(table))


def _origin(configuration: Row) -> Row:
    names = ("study", "configuration", "source_id", "source_file", "page", "line")
    return {name: configuration[name] for name in names}


@dataclass(frozen=True)
class _Unit:
    """One unit of replication; `follows`: it begins where the unit before it ended, in the same step."""

    kind: str
    follows: bool
    requests_per_s: float | None


@dataclass
class _Series:
    """One measure of one configuration, unit by unit: a ratio of `above` to `below`; `half_digits` are what half a last printed digit
    makes of `above`. `engine_pct` goes with costs, `engines_online` (their mean) with an ITR."""

    units: list[_Unit] = field(default_factory=list)
    above: list[float | None] = field(default_factory=list)
    below: list[float | None] = field(default_factory=list)
    engine_pct: list[float | None] = field(default_factory=list)
    engines_online: float | None = None
    half_digits: list[float | None] = field(default_factory=list)

    def add(
        self,
        unit: _Unit,
        above: float | None,
        below: float | None,
        half_digit: float | None,
        engine_pct: float | None = None,
    ) -> None:
        self.units.append(unit)
        self.above.append(above)
        self.below.append(below)
        self.half_digits.append(half_digit)
        self.engine_pct.append(engine_pct)

    @property
    def rates(self) -> list[float | None]:
        return [unit.requests_per_s for unit in self.units]

    @property
    def follows(self) -> list[bool]:
        return [unit.follows for unit in self.units]

    @property
    def is_of_unlike_loads(self) -> bool:
        known = [rate for rate in self.rates if rate is not None]
        return bool(known) and max(known) > _UNLIKE_LOADS * min(known)

    @property
    def described(self) -> Row:
        """What every row of the series says of its units."""
        kinds = sorted({unit.kind for unit in self.units})
        known = [rate for rate in self.rates if rate is not None]
        rates = {"requests_per_s_least": min(known, default=None), "requests_per_s_most": max(known, default=None)}
        return {"unit_kind": kinds[0] if len(kinds) == 1 else None, "units": len(self.units), **rates}


def _known(values: list[float | None]) -> list[float] | None:
    """The values, if none lacks."""
    found = [v for v in values if v is not None]
    return found if len(found) == len(values) else None


# --- Units -----------------------------------------------------------------------------------------------------------


def _measured(lake: Queryable) -> dict[tuple[str, str, str, str | None], _Series]:
    """Every measure by (study, configuration, measure, subject)."""
    units = ask(lake, "SELECT * EXCLUDE (refs) FROM study_unit_requests ORDER BY study, configuration, unit_start, run")
    costs = ask(lake, "SELECT * EXCLUDE (refs) FROM study_unit_cost ORDER BY ALL")
    processors = ask(lake, "SELECT * EXCLUDE (refs) FROM study_unit_busy ORDER BY ALL")
    cpu: dict[tuple[Any, ...], dict[str | None, float | None]] = defaultdict(dict)
    for row in costs:
        for measure, column in _COSTS.items():
            cpu[*_unit_key(row), measure][row["subsystem"]] = row[column]
    for by_subsystem in cpu.values():
        charged = [v for name, v in by_subsystem.items() if name != UNALLOCATED]
        if len(charged) > 1:
            by_subsystem[None] = sum(v for v in charged if v is not None) if None not in charged else None
    busy: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in processors:
        busy[_unit_key(row)].append(row)
    series: dict[tuple[str, str, str, str | None], _Series] = defaultdict(_Series)
    for row in units:
        place = row["study"], row["configuration"]
        key = _unit_key(row)
        unit = _Unit(row["unit_kind"], row["follows"], row["requests_per_s"])
        seconds = row["covered_s"]
        requests = _times(row["requests_per_s"], seconds)
        for measure in _COSTS:
            for subject, pct in cpu[*key, measure].items():
                half = _times(_HALF_PCT, seconds, 10)
                series[*place, measure, subject].add(unit, _times(pct, seconds, 10), requests, half, pct)
        # Response time is that of requests: where there were none, nothing responded.
        response = 0.0 if requests == 0 else _times(row["response_ms"], requests)
        half = _times(requests, _half_digit_ms(row["response_ms"]))
        series[*place, "response_ms", None].add(unit, response, requests, half)
        for found in busy[key]:
            subject, engines_busy = found["busy_basis"], found["engines_busy"]
            busy_s = _times(engines_busy, seconds)
            half = _times(_HALF_PCT, seconds, 10)
            series[*place, "busy_ms_per_request", subject].add(unit, _times(busy_s, 1000), requests, half)
            # Requests over busy time: of both the digits hide the same share.
            half = _times(requests, _HALF_PCT / 100 / engines_busy) if engines_busy else None
            series[*place, "itr_per_s", subject].add(unit, requests, busy_s, half)
    online = """
        SELECT study, configuration, busy_basis, mean_all(engines_online, covered_s) AS engines FROM itr GROUP BY ALL"""
    engines_online = {(r["study"], r["configuration"], r["busy_basis"]): r["engines"] for r in ask(lake, online)}
    for key, found in series.items():
        if key[2] == "itr_per_s":
            # Busy engine-seconds as seconds in which all engines online are busy.
            engines = found.engines_online = engines_online[key[0], key[1], str(key[3])]
            found.below = [b / engines if b is not None and engines else None for b in found.below]
    return series


def _half_digit_ms(response_ms: float | None) -> float:
    """Half of the last digit of a response time: of a millisecond where it is in whole ones."""
    is_whole = response_ms is not None and abs(response_ms - round(response_ms)) < 1e-6
    return _HALF_MS if is_whole else _HALF_US


def _times(*factors: float | None) -> float | None:
    product = 1.0
    for factor in factors:
        if factor is None:
            return None
        product *= factor
    return product


def _unit_key(row: Row) -> tuple[Any, ...]:
    return row["study"], row["configuration"], row["run"], row["unit_start"]


# --- Rows -----------------------------------------------------------------------------------------------------------


def _estimate(s: _Series) -> Estimate | None:
    above, below = _known(s.above), _known(s.below)
    if not above or not below:
        return None
    return ratio_of_sums(above, below, s.follows, _hidden(s))


def _hidden(s: _Series) -> float:
    """What half a last printed digit is worth in the ratio."""
    half_digits, below = _known(s.half_digits), _known(s.below)
    return sum(half_digits) / sum(below) if half_digits and below and sum(below) > 0 else 0.0


def _is_of_one_digit(s: _Series, found: Estimate | None) -> bool:
    """Whether a cost is printed with one digit at most: a percentage of it is rounding."""
    return found is not None and found.value < 20 * _hidden(s)


def _confidence(s: _Series, found: Estimate | None) -> Row:
    if found is None:
        return s.described | {"verdict": "not known"}
    row = s.described | {"effective_units": found.effective_units, "value": found.value, "stddev": found.stddev}
    verdict = "no interval" if found.error is None else PRINTED_DIGITS if found.is_of_digits else "interval"
    return row | {"lower": found.lower, "upper": found.upper, "verdict": verdict}


def _key(row: Row) -> tuple[str, str, str, str | None]:
    return row["study"], row["configuration"], row["measure"], row["subject"]


_COMPARED = ("difference", "difference_pct", "lower", "upper", "degrees_of_freedom", "p_value", "p_value_adjusted")


def _are_unlike(mine: float | None, theirs: float | None) -> bool:
    """Whether two numbers of engines differ by more than what a few seconds of one engine offline make."""
    return mine is not None and theirs is not None and abs(mine - theirs) > _SAME_ENGINES * max(mine, theirs)


def _at_unlike_loads(row: Row) -> Row:
    """The row without its interval, where it has one."""
    if row.get("lower") is None:
        return row
    return row | dict.fromkeys(("lower", "upper", "p_value")) | {"verdict": UNLIKE_LOADS}


def _adjust(rows: list[Row]) -> None:
    """Judge the differences of one study in one measure and subject together: the more are looked at, the more differ by chance."""
    families: dict[tuple[str, str, str | None], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("p_value") is not None:
            families[row["study"], row["measure"], row["subject"]].append(row)
    for family in families.values():
        for row, p_value in zip(family, holm([row["p_value"] for row in family]), strict=True):
            row["p_value_adjusted"] = p_value
            row["verdict"] = "differs" if p_value < _CERTAIN else "within noise"


def _fit(s: _Series) -> Row:
    rates, cpu = _known(s.rates), _known(s.engine_pct)
    if rates is None or cpu is None:
        return s.described | {"verdict": "not known"}
    line = fitted_line(rates, cpu, s.follows, _HALF_PCT)
    if line is None:
        return s.described | {"verdict": "no fit"}
    # 1% of an engine per request/s is 0.01 s a request.
    return s.described | {
        "effective_units": line.effective_units,
        "ms_per_request": 10 * line.slope,
        "ms_per_request_lower": _times(10, line.slope_lower),
        "ms_per_request_upper": _times(10, line.slope_upper),
        "fixed_pct": line.intercept,
        "fixed_pct_lower": line.intercept_lower,
        "fixed_pct_upper": line.intercept_upper,
        "r_squared": line.r_squared,
        "requests_per_s_mean": sum(rates) / len(rates),
        "verdict": _fit_verdict(rates, line),
    }


def _fit_verdict(rates: list[float], line: Line) -> str:
    """Whether a line says what a request costs, or why not."""
    if max(rates) < _LEAST_SPREAD * min(rates):
        return "loads too alike"
    if line.slope_lower is None or line.slope_upper is None:
        return "no interval"
    return "fitted" if line.slope_lower > 0 or line.slope_upper < 0 else "slope may be 0"


def _differences(
    configurations: Mapping[tuple[str, str], Row], estimates: Mapping[tuple[str, str, str, str | None], Estimate | None]
) -> Iterable[Row]:
    baselines: dict[str, list[str]] = defaultdict(list)
    for (study, name), row in configurations.items():
        if row["is_baseline"] or row["coupling_role"] == "uncoupled":
            baselines[study].append(name)
    for (study, name, measure, subject), mine in estimates.items():
        role = configurations[study, name]["coupling_role"]
        for baseline in baselines[study]:
            wanted = configurations[study, baseline]["is_baseline"] or role == "coupled"
            key = (study, baseline, measure, subject)
            if name == baseline or not wanted or key not in estimates:
                continue
            theirs = estimates[key]
            row = _origin(configurations[study, name]) | {"baseline": baseline, "measure": measure, "subject": subject}
            row |= {"baseline_value": theirs and theirs.value, "value": mine and mine.value, "verdict": "not known"}
            if mine and theirs:
                found = difference(theirs, mine)
                row |= {
                    "difference": found.value,
                    "difference_pct": found.value / theirs.value * 100 if theirs.value else None,
                    "lower": found.lower,
                    "upper": found.upper,
                    "degrees_of_freedom": found.degrees_of_freedom,
                    "p_value": found.p_value,
                    "verdict": found.verdict,
                }
            yield row
