"""Which workloads use the processors? Sums of service classes by workload; an hour with an unknown class is unknown."""

from collections import defaultdict

import pyarrow as pa

from ....pipeline.words import counted
from ..asked import Asked, Row, table_of
from ..question import question

_KEY = ("sysplex", "scope", "workload", "hour_start", "utc_offset_minutes")


def _sums(asked: Asked) -> pa.Table:
    hours = asked.class_hours("service_class")
    sums: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in hours.select([*_KEY, "cp_time_s", "ziip_time_s", "covered_s", "has_cpu"]).to_pylist():
        if row["has_cpu"]:
            sums[tuple(row[name] for name in _KEY)].append(row)
    made = [
        dict(zip(_KEY, key, strict=True))
        | {f"{kind}_engines": _engines(rows, f"{kind}_time_s") for kind in ("cp", "ziip")}
        for key, rows in sums.items()
    ]
    made.sort(key=lambda row: (row["sysplex"] or "", row["scope"] or "", row["workload"] or "", row["hour_start"]))
    offsets = pa.array([row["utc_offset_minutes"] for row in made], pa.int64())
    return table_of(made, workloads.shown).append_column("utc_offset_minutes", offsets)


def _engines(rows: list[Row], name: str) -> float | None:
    covered_s = max(row["covered_s"] or 0 for row in rows)
    if any(row[name] is None for row in rows) or not covered_s:
        return None
    return sum(row[name] for row in rows) / covered_s


def _most_used(rows: list[Row], _: Row | None) -> str:
    """The workload with most general processor time, of the hours in which all workloads are known: a share of less is of nothing."""
    hours = {_hour_of(row) for row in rows}
    unknown = {_hour_of(row) for row in rows if row["cp_engines"] is None}
    shares: dict[str, float] = defaultdict(float)
    for row in rows:
        if _hour_of(row) not in unknown:
            shares[row["workload"] or "no workload"] += row["cp_engines"]
    total = sum(shares.values())
    if hours == unknown:
        return "In no hour the time of all workloads is known."
    if not total:
        return "No processor time was used."
    top = max(shares, key=lambda name: shares[name])
    known = counted(len(hours) - len(unknown), "hour")
    of = f" in the {known} of {len(hours):,} in which all are known" if unknown else ""
    return f"{top} used {100 * shares[top] / total:.0f}% of the general processor time of all workloads{of}."


def _hour_of(row: Row) -> tuple[object, ...]:
    return row["sysplex"], row["scope"], row["hour_start"], row["utc_offset_minutes"]


workloads = question(
    """
    workloads: Which workloads use the processors?
    view: class_hour
    columns: hour_start time, workload text, cp_engines "General processors" .2, ziip_engines "zIIPs" .2,
        sysplex text, scope "Systems" text
    chart: lines cp_engines ziip_engines, split workload, series sysplex
    worst:
    note: Time that is in no class is not counted. zIIP time is not normalised.
    """,
    finding=_most_used,
    rows=_sums,
)
