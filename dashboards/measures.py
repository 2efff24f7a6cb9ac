"""What a comparison measures: per run and class over the run's intervals, recomputed from sums, with references to print."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from .columns import PARTS
from .references import Reference, Sources
from .windows import Interval, Lake, Run, ask, literal


@dataclass
class ClassMeasure:
    """One class in one run. Percentages are of one engine over the covered seconds; None where a printed row lacks it.
    `intervals_without_cpu` of its printed `intervals` have no CPU: all of them for classes of transactions alone.
    `intervals_unknown` do not print it, and have lines that could not be read: then no value is known.
    `counts_its_work`: its ended transactions are a volume of its work, as in configuration_class. `time_is_in`: classes of its workload
    that hold the time of its transactions; `transactions_of`: classes of its workload whose transactions its time is of, with
    `workload_transactions`, their number."""

    run: str
    kind: str
    sysplex: str | None
    name: str
    workload: str | None
    intervals: int
    intervals_without_cpu: int
    covered_s: float
    values: dict[str, float | None]
    factors: frozenset[tuple[float | None, str]]
    is_conflicting: bool
    reference: Reference
    intervals_unknown: int = 0
    counts_its_work: bool = False
    time_is_in: tuple[str, ...] = ()
    transactions_of: tuple[str, ...] = ()
    workload_transactions: int = 0


def _chosen(runs: list[Run], kinds: tuple[str, ...]) -> tuple[str, str]:
    """What follows JOIN to keep the rows of `measured` whose interval stands for a run, as chosen.run and chosen.kind; and
    the condition that belongs behind WHERE.

    Intervals are named by their group and the window, not one by one: a list of thousands takes longer to read than the
    rows do. Those that were left out of a group are listed. The bounds on interval_start let the views read few rows.
    """
    groups, left_out, starts = [], [], []
    for run in runs:
        for kind in kinds:
            intervals = run.intervals.get(kind, ())
            starts += [i.start for i in intervals]
            for group in sorted({i.group for i in intervals}, key=str):
                number = len(groups)
                sysplex, scope, report_kind, activated = group
                groups.append(
                    f"({number}, {literal(run.name)}, {literal(kind)}, {literal(sysplex)}::VARCHAR, "
                    f"{literal(scope)}::VARCHAR, {literal(report_kind)}::VARCHAR, {literal(activated)}::TIMESTAMP, "
                    f"{literal(run.start)}, {literal(run.end)})"
                )
                left_out += [
                    f"({number}, {literal(i.start)}, {literal(i.end)})"
                    for i in run.left_out
                    if i.class_kind == kind and i.group == group
                ]
    if not groups:
        return (
            "(SELECT '' AS run, '' AS kind, NULL::TIMESTAMP AS interval_start WHERE FALSE) AS chosen ON TRUE",
            "FALSE",
        )
    names = "number, run, kind, sysplex, scope, report_kind, policy_activated_at, window_start, window_end"
    midpoint = "epoch_us(measured.interval_start) + epoch_us(measured.interval_end)"
    join = (
        f"(VALUES {', '.join(groups)}) AS chosen({names}) ON "
        + " AND ".join(f"chosen.{n} IS NOT DISTINCT FROM measured.{n}" for n in Interval.GROUP)
        + f" AND {midpoint} >= 2 * epoch_us(chosen.window_start) AND {midpoint} < 2 * epoch_us(chosen.window_end)"
    )
    where = f"measured.interval_start BETWEEN {literal(min(starts))} AND {literal(max(starts))}"
    if left_out:
        where += f" AND (chosen.number, measured.interval_start, measured.interval_end) NOT IN ({', '.join(left_out)})"
    return join, where


_KINDS = ("policy", "service_class", "report_class")
_CLASS_NAME = "coalesce(service_class, report_class, policy)"


def _strict_sum(expression: str, name: str) -> str:
    """A sum that is NULL where any row lacks its value."""
    return f"CASE WHEN count({expression}) = count(*) THEN sum({expression}) END AS {name}"


def measure_classes(lake: Lake, runs: list[Run], sources: Sources) -> list[ClassMeasure]:
    """Every class of every run. CPU is CPU time over the covered seconds of the run: an interval that does not print the
    class counts as none where it is whole (workload_interval), and `intervals` says in how many it is printed."""
    chosen, bounds = _chosen(runs, _KINDS)
    engine_seconds = {name: f"{name} / 100 * interval_s" for name in PARTS[:3]}
    engine_seconds["other_pct"] = (
        "CASE WHEN ziip_eligible_pct IS NULL OR non_ziip_eligible_pct IS NULL THEN cpu_pct "
        "ELSE coalesce(zaap_pct, 0) + coalesce(zaap_on_cp_pct, 0) END / 100 * interval_s"
    )
    # A page without specialty engines has no split, and no part of it is missing.
    unsplit = "cpu_pct IS NOT NULL AND ziip_eligible_pct IS NULL"
    parts = [
        _strict_sum(f"CASE WHEN {unsplit} THEN 0 ELSE {text} END" if name != "other_pct" else text, name)
        for name, text in engine_seconds.items()
    ]
    damaged = {
        (run.name, kind): [i for i in run.intervals.get(kind, ()) if not i.is_whole] for run in runs for kind in _KINDS
    }
    starts = ", ".join(sorted({literal(i.start) for some in damaged.values() for i in some}))
    printed = "struct_pack(scope := measured.scope, interval_start := measured.interval_start, interval_end := measured.interval_end)"
    rows = ask(
        lake,
        f"""
        SELECT chosen.run, chosen.kind, measured.sysplex, {_CLASS_NAME} AS name, max(workload) AS workload,
            list(DISTINCT measured.scope) AS scopes, bool_or(measured.scope IS NULL) AS is_scopeless,
            list(DISTINCT {printed}) FILTER ({f"measured.interval_start IN ({starts})" if starts else "FALSE"}) AS printed_in,
            count(*) AS intervals, count(*) - count(cpu_pct) AS intervals_without_cpu,
            {_strict_sum("cpu_pct / 100 * interval_s", "cpu_pct")},
            {_strict_sum("cp_pct / 100 * interval_s", "cp_pct")},
            {_strict_sum("cpu_normalized_pct / 100 * interval_s", "cpu_normalized_pct")},
            {_strict_sum("non_ziip_pct / 100 * interval_s", "non_ziip_pct")},
            {", ".join(parts)},
            bool_or({unsplit}) AS is_unsplit,
            CASE WHEN count(transactions_ended) = count(*) THEN sum(transactions_ended)::BIGINT END AS transactions,
            CASE WHEN count(transactions_ended) = count(*)
                    AND count(actual_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
                THEN sum(actual_time_s * transactions_ended) FILTER (transactions_ended > 0) END AS response_s_total,
            list(DISTINCT struct_pack(factor := normalization_factor, source := normalization_source)) AS factors,
            bool_or(is_conflicting) AS is_conflicting
        FROM cpu_by_class AS measured
        JOIN {chosen} AND chosen.kind = measured.class_kind AND measured.interval_s > 0
        WHERE {bounds}
        GROUP BY ALL
        ORDER BY ALL
        """,
    )
    references = _references(
        lake,
        f"""
        SELECT chosen.run, chosen.kind, measured.sysplex, {_CLASS_NAME} AS name, unnest(measured.refs) AS ref
        FROM cpu_by_class AS measured
        JOIN {chosen} AND chosen.kind = measured.class_kind AND measured.interval_s > 0
        WHERE {bounds}
        """,
        runs,
        sources,
    )
    covered = {
        (run.name, kind, plex): run.covered_s(kind, plex)
        for run in runs
        for kind in _KINDS
        for plex in run.sysplexes(kind)
    }
    out = []
    for row in rows:
        key = (row["run"], row["kind"], row["sysplex"], row["name"])
        scopes = {*(row["scopes"] or ()), *([None] if row["is_scopeless"] else ())}
        there = {(r["scope"], r["interval_start"], r["interval_end"]) for r in row["printed_in"] or ()}
        unknown = [
            i
            for i in damaged[key[:2]]
            if i.sysplex == row["sysplex"] and i.scope in scopes and (i.scope, i.start, i.end) not in there
        ]
        out.append(_class_measure(row, covered[key[:3]], references.get(key, Reference()), len(unknown)))
    _join_workloads(out)
    return out


# As in configuration_class: so many endings at least, and half a second of response time for a second of CPU.
_FEWEST_ENDED = 10
_RESPONSE_OF_CPU = 0.5


def _join_workloads(classes: list[ClassMeasure]) -> None:
    """Say of transactions without time which classes of their workload hold it, and of these whose transactions they run: CICS and IMS
    count transactions in one class and charge their time to the class of the region."""
    of_workload: dict[tuple[str, str, str | None, str], list[ClassMeasure]] = defaultdict(list)
    for c in classes:
        if c.workload is not None:
            of_workload[c.run, c.kind, c.sysplex, c.workload].append(c)
    for members in of_workload.values():
        counted = [c for c in members if (c.values["transactions"] or 0) >= _FEWEST_ENDED and not c.values["cpu_pct"]]
        # What a class lacks is not known; of several kinds of regions, whose time it is is not known either.
        burning = [c for c in members if c.values["cpu_pct"] and not c.counts_its_work]
        if counted and burning:
            for c in counted:
                c.time_is_in = tuple(b.name for b in burning)
            for b in burning:
                b.transactions_of = tuple(c.name for c in counted)
                b.workload_transactions = sum(int(c.values["transactions"] or 0) for c in counted)


def _class_measure(row: dict[str, Any], covered_s: float, reference: Reference, unknown: int) -> ClassMeasure:
    values: dict[str, float | None] = {}
    for name in ("cp_pct", "cpu_pct", "cpu_normalized_pct", "non_ziip_pct", *PARTS):
        values[name] = None if row[name] is None else row[name] / covered_s * 100
    if row["is_unsplit"]:
        values |= dict.fromkeys(PARTS[:3])
        values["other_pct"] = values["cpu_pct"]
    ended = row["transactions"]
    values["transactions"] = ended
    total = row["response_s_total"]
    counts = bool(
        ended and ended >= _FEWEST_ENDED and row["cpu_pct"] and total is not None and total >= _RESPONSE_OF_CPU * row["cpu_pct"]
    )  # fmt: skip
    for name, of in (("cp_ms_per_transaction", "cp_pct"), ("cpu_ms_per_transaction", "cpu_pct")):
        values[name] = row[of] / ended * 1000 if counts and row[of] is not None else None
    values["response_s"] = total / ended if ended and total is not None else None
    if unknown:
        values = dict.fromkeys(values)
    return ClassMeasure(
        row["run"], row["kind"], row["sysplex"], row["name"] or "(no name)", row["workload"], row["intervals"],
        row["intervals_without_cpu"], covered_s, values, frozenset((f["factor"], f["source"]) for f in row["factors"]), row["is_conflicting"], reference, unknown,
        counts,
    )  # fmt: skip


def _references(
    lake: Lake, text: str, runs: list[Run], sources: Sources, kept: int = 4
) -> dict[tuple[Any, ...], Reference]:
    """References by the columns of `text` (run first) that stand before its column ref."""
    rows = ask(
        lake,
        f"""
        WITH ref_rows AS ({text})
        SELECT * EXCLUDE (ref), ref.source_id AS source_id, count(*) AS count,
            min(ref.page) AS first_page, max(ref.page) AS last_page, min(ref.line) AS first_line, max(ref.line) AS last_line,
            list(struct_pack(page := ref.page, line := ref.line) ORDER BY ref.page, ref.line)[1:{kept}] AS places
        FROM ref_rows
        GROUP BY ALL
        ORDER BY ALL
        """,
    )
    order = {run.name: place for place, run in enumerate(runs)}
    out: dict[tuple[Any, ...], Reference] = defaultdict(Reference)
    for row in sorted(rows, key=lambda r: (order[r["run"]], r["source_id"])):
        source_id, count, places = row.pop("source_id"), row.pop("count"), row.pop("places")
        extent = (row.pop("first_page"), row.pop("last_page"), row.pop("first_line"), row.pop("last_line"))
        reference = out[tuple(row.values())]
        reference.count += count
        number = sources[source_id].number
        reference.file = reference.file or sources[source_id].name
        reference.extents[number] = extent
        reference.places += [(number, p["page"], p["line"]) for p in places][: kept - len(reference.places)]
    return out


@dataclass(frozen=True)
class TimePoint:
    """General-processor time of all classes of a kind in one interval; None where a class lacks its CPU, and where one that other
    intervals print is not printed and may be on a line that could not be read."""

    run: str
    sysplex: str | None
    start: dt.datetime
    end: dt.datetime
    cp_pct: float | None
    reference: str


def measure_over_time(lake: Lake, runs: list[Run], kind: str, sources: Sources) -> list[TimePoint]:
    """General-processor time of the classes that print any, interval by interval, over one kind of class."""
    chosen, bounds = _chosen(runs, (kind,))
    unknown = _intervals_unknown(lake, runs, kind)
    rows = ask(
        lake,
        f"""
        WITH printed AS (
            SELECT chosen.run, measured.sysplex, measured.interval_start, measured.interval_end, cp_pct,
                measured.refs[1] AS ref,
                count(cp_pct) OVER (PARTITION BY chosen.run, measured.sysplex, {_CLASS_NAME}) > 0 AS has_cpu
            FROM cpu_by_class AS measured
            JOIN {chosen} AND chosen.kind = measured.class_kind AND measured.interval_s > 0
            WHERE {bounds}
        )
        SELECT run, sysplex, interval_start, interval_end, {_strict_sum("cp_pct", "cp_pct")},
            min(ref.source_id) AS source_id, min(ref.line) AS first_line, max(ref.line) AS last_line,
            min(ref.page) AS first_page, max(ref.page) AS last_page
        FROM printed
        WHERE has_cpu
        GROUP BY run, sysplex, interval_start, interval_end
        ORDER BY run, sysplex, interval_start
        """,
    )
    return [
        TimePoint(
            r["run"], r["sysplex"], r["interval_start"], r["interval_end"],
            None if (r["run"], r["sysplex"], r["interval_start"], r["interval_end"]) in unknown else r["cp_pct"],
            f"[{sources[r['source_id']].number}] {sources[r['source_id']].name} {_span('page', r['first_page'], r['last_page'])}, "
            + _span("line", r["first_line"], r["last_line"]),
        )
        for r in rows
    ]  # fmt: skip


def _intervals_unknown(lake: Lake, runs: list[Run], kind: str) -> set[tuple[str, str | None, dt.datetime, dt.datetime]]:
    """Intervals that are not whole and lack a class with CPU which others of the run and scope print."""
    damaged = {
        (run.name, i.sysplex, i.scope, i.start, i.end)
        for run in runs
        for i in run.intervals.get(kind, ())
        if not i.is_whole
    }
    if not damaged:
        return set()
    chosen, bounds = _chosen(runs, (kind,))
    starts = ", ".join(sorted({literal(start) for *_, start, _ in damaged}))
    classes = ask(
        lake,
        f"""
        SELECT chosen.run, measured.sysplex, measured.scope, {_CLASS_NAME} AS name,
            list(DISTINCT struct_pack(interval_start := measured.interval_start, interval_end := measured.interval_end))
                FILTER (measured.interval_start IN ({starts})) AS printed_in
        FROM cpu_by_class AS measured
        JOIN {chosen} AND chosen.kind = measured.class_kind AND measured.interval_s > 0
        WHERE {bounds}
        GROUP BY ALL
        HAVING count(cp_pct) > 0
        """,
    )
    return {
        (run, sysplex, start, end)
        for run, sysplex, scope, start, end in damaged
        for c in classes
        if (c["run"], c["sysplex"], c["scope"]) == (run, sysplex, scope)
        and (start, end) not in {(at["interval_start"], at["interval_end"]) for at in c["printed_in"] or ()}
    }


def _span(what: str, first: int, last: int) -> str:
    return f"{what} {first}" if first == last else f"{what}s {first} to {last}"


@dataclass(frozen=True)
class GoalMeasure:
    """A class period's goal over a run. `index` is the printed index of the median interval, `worst` of the worst one;
    `missed` counts those above 1 of the `intervals` that have an index."""

    run: str
    sysplex: str | None
    name: str
    period: int | None
    importance: int | None
    goals: tuple[str, ...]
    actual: str
    intervals: int
    index: float | None
    index_computed: float | None
    bound: str | None
    worst: float | None
    worst_bound: str | None
    missed: int
    is_conflicting: bool
    reference: Reference

    @property
    def label(self) -> str:
        return f"{self.name}.{self.period}" if self.period is not None else self.name


def measure_goals(lake: Lake, runs: list[Run], sources: Sources) -> list[GoalMeasure]:
    """Goals of service class periods: the row of all systems, or the only system's."""
    chosen, bounds = _chosen(runs, ("service_class",))
    picked = f"""
        SELECT chosen.run, measured.*
        FROM performance_index AS measured
        JOIN {chosen}
        WHERE {bounds} AND measured.class_kind = 'service_class_period'
        QUALIFY is_total OR count(*) OVER (
            PARTITION BY chosen.run, measured.sysplex, measured.service_class, measured.period, measured.interval_start
        ) = 1
    """
    rows = ask(
        lake,
        f"""
        WITH picked AS ({picked})
        SELECT run, sysplex, service_class AS name, period,
            max(importance) AS importance,
            list(DISTINCT struct_pack(goal_type := goal_type, goal_s := goal_s, goal_pct := goal_pct)) AS goals,
            count(performance_index) AS intervals,
            arg_max(coalesce(performance_index_bound, ''), (performance_index, coalesce(performance_index_bound, ''))) FILTER (performance_index IS NOT NULL) AS worst_bound,
            (list(struct_pack(index := performance_index, bound := performance_index_bound) ORDER BY performance_index)
                FILTER (performance_index IS NOT NULL))[(count(performance_index) + 1) // 2] AS median_row,
            quantile_disc(performance_index_computed, 0.5) AS index_computed,
            max(performance_index) AS worst,
            count(*) FILTER (performance_index > 1) AS missed,
            max(actual_s) AS actual_s, min(actual_pct) AS actual_pct, min(velocity_pct) AS velocity_pct,
            bool_or(is_conflicting) AS is_conflicting
        FROM picked
        GROUP BY ALL
        ORDER BY importance NULLS LAST, name, period, run
        """,
    )
    references = _references(
        lake,
        f"WITH picked AS ({picked}) SELECT run, sysplex, service_class AS name, period, unnest(refs) AS ref FROM picked",
        runs,
        sources,
    )
    out = []
    for r in rows:
        median = r["median_row"] or {"index": None, "bound": None}
        goals = tuple(sorted(_goal_text(g) for g in r["goals"]))
        out.append(
            GoalMeasure(
                r["run"], r["sysplex"], r["name"] or "(no name)", r["period"], r["importance"], goals, _actual_text(r),
                r["intervals"], median["index"], r["index_computed"], median["bound"], r["worst"], r["worst_bound"] or None, r["missed"],
                r["is_conflicting"], references.get((r["run"], r["sysplex"], r["name"], r["period"]), Reference()),
            )
        )  # fmt: skip
    return out


def _goal_text(goal: dict[str, Any]) -> str:
    seconds, pct = goal["goal_s"], goal["goal_pct"]
    match goal["goal_type"]:
        case "average" if seconds is not None:
            return f"average {seconds:g} s"
        case "percentile" if seconds is not None and pct is not None:
            return f"{pct:g}% within {seconds:g} s"
        case "velocity" if pct is not None:
            return f"velocity {pct:g}%"
        case None:
            return "not read"
        case other:
            return other


def _actual_text(row: dict[str, Any]) -> str:
    """What was reached in the worst interval, in the terms of the goal."""
    kind = row["goals"][0]["goal_type"] if len(row["goals"]) == 1 else None
    if kind == "average" and row["actual_s"] is not None:
        return f"{row['actual_s']:.3g} s"
    if kind == "percentile" and row["actual_pct"] is not None:
        return f"{row['actual_pct']:g}%"
    if kind == "velocity" and row["velocity_pct"] is not None:
        return f"velocity {row['velocity_pct']:g}%"
    return ""


@dataclass(frozen=True)
class PolicyMeasure:
    """What a run's intervals say about factors and coefficients; each a set, so that a change inside a run shows."""

    factors: frozenset[tuple[float | None, str]]
    coefficients: frozenset[tuple[float | None, ...]]
    su_per_s: frozenset[float]


def measure_policies(lake: Lake, runs: list[Run], kind: str, classes: list[ClassMeasure]) -> dict[str, PolicyMeasure]:
    """Normalisation factors (with their source), service coefficients and speeds of each run's intervals."""
    windows = ", ".join(
        f"({literal(run.name)}, {literal(sysplex)}::VARCHAR, {literal(run.start)}, {literal(run.end)})"
        for run in runs
        for sysplex in run.sysplexes(kind)
    )
    # A policy page may name its systems where the classes do not: its scope is not asked for.
    pages = ask(
        lake,
        f"""
        SELECT DISTINCT run, coefficient_cpu, coefficient_srb, coefficient_ioc, coefficient_mso, su_per_s_min, su_per_s_max
        FROM interval_policy AS policy
        JOIN (VALUES {windows}) AS asked(run, sysplex, window_start, window_end)
            ON asked.sysplex IS NOT DISTINCT FROM policy.sysplex
            AND epoch_us(interval_start) + epoch_us(interval_end) >= 2 * epoch_us(window_start)
            AND epoch_us(interval_start) + epoch_us(interval_end) < 2 * epoch_us(window_end)
        """,
    )
    names = ("coefficient_cpu", "coefficient_srb", "coefficient_ioc", "coefficient_mso")
    out = {}
    for run in runs:
        mine = [p for p in pages if p["run"] == run.name]
        speeds = {p[n] for p in mine for n in ("su_per_s_min", "su_per_s_max") if p[n] is not None}
        factors = frozenset[tuple[float | None, str]]().union(
            *(c.factors for c in classes if c.run == run.name and c.kind == kind)
        )
        out[run.name] = PolicyMeasure(factors, frozenset(tuple(p[n] for n in names) for p in mine), frozenset(speeds))
    return out


def conflicts_in(lake: Lake, runs: list[Run], sources: Sources) -> list[str]:
    """A sentence for every class and interval of the runs that was printed twice with different values."""
    chosen, bounds = _chosen(runs, _KINDS)
    rows = ask(
        lake,
        f"""
        SELECT DISTINCT {_CLASS_NAME} AS name, period, measured.interval_start, differing_columns, refs
        FROM conflicting_intervals AS measured
        JOIN {chosen}
        WHERE {bounds}
        ORDER BY ALL
        LIMIT 50
        """,
    )
    return [
        f"{r['name']}{'' if r['period'] is None else '.' + str(r['period'])} at {r['interval_start']}: "
        f"{', '.join(r['differing_columns'][:4])}{' …' if len(r['differing_columns']) > 4 else ''} differ between "
        + " and ".join(f"[{sources[x['source_id']].number}] page {x['page']}, line {x['line']}" for x in r["refs"][:3])
        for r in rows
    ]
