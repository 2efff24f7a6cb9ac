"""Where is the bill made? The four-hour rolling average by hour, with the limit of the partition, group or machine."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..asked import Asked, pc, rows_of, with_label
from ..contract import Chart, Happened, Section, Select, Series
from ..found import Found, Rank, Ranked, format_hour, hours_between, listed
from ..question import columns, filters

_HOURS = """
SELECT msu_source, level, sysplex, scope, coalesce(machine, sysplex) AS machine, name AS owner, hour_start, rolling_msu, cap_msu, cap_basis, msu_basis, hours_unknown, refs
FROM hourly_four_hour_msu WHERE hour_start >= $from AND hour_start < $to AND (scope IS NOT NULL OR level <> 'partition')
ORDER BY level, owner, machine, hour_start
"""
_COLUMNS = columns(
    "hourly_four_hour_msu",
    'hour_start, rolling_msu "Rolling four-hour average" [MSU] .0, cap_msu "Limit" [MSU] .0, '
    'name "Partition, group or machine", level, sysplex, scope "System"',
)
_LEVELS = {"machine": "Machine", "capacity_group": "Group", "pages": "Systems", "partition": "Partition"}
# "Near" is from this share of the limit on.
_NEAR_LIMIT = 0.95
# A peak over fewer days says little.
_LEAST_DAYS = 7
_MOST = 3


def msu(asked: Asked) -> Found:
    hours = asked.ask(_HOURS)
    source = "partition_data" if "partition_data" in pc.unique(hours["msu_source"]).to_pylist() else "workload_activity"
    hours = _named(hours.filter(pc.equal(hours["msu_source"], source)))
    known = hours.filter(pc.is_valid(hours["rolling_msu"]))
    if not len(known):
        return Found(unknown=(_why_none(hours),) if len(hours) else ())
    hours = hours.filter(pc.is_in(hours["name"], value_set=pc.unique(known["name"])))
    peaks = _peaks(known)
    top = peaks[0]
    for peak in peaks:
        of_owner = [t.filter(pc.equal(t["name"], peak["name"])) for t in (hours, known)]
        # Hours that only other reports have are in no row.
        peak["is_sure"] = not (_unknown_later(*of_owner) or pc.max(of_owner[0]["hours_unknown"]).as_py())
    limit = f" of a limit of {top['cap_msu']:,.0f}" if top["cap_msu"] is not None else ""
    section = Section(
        "msu",
        "Where is the bill made?",
        f"{'Highest' if top['is_sure'] else 'Highest known'}: {top['name']}, {top['rolling_msu']:,.0f} MSU{limit} on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", "rolling_msu", split="name", limit="cap_msu"),
        rows_of(asked, hours, _COLUMNS),
        filters(_COLUMNS),
        _note(source, hours),
        "hourly_four_hour_msu",
    )
    return Found((section,), tuple(_happened(asked, peaks)))


def _named(hours: pa.Table) -> pa.Table:
    """The hours with a column `name` that is unique by owner: a machine without a sequence code has the name of a
    system, and so may partitions."""
    hours = with_label(hours, "owner", "of_level", "machine", "hour_start")
    levels = [_LEVELS[level] for level in hours["level"].to_pylist()]
    names = hours["of_level"].to_pylist()
    of_name: dict[str, set[str]] = defaultdict(set)
    for level, name in zip(levels, names, strict=True):
        of_name[name].add(level)
    labels = [f"{level} {name}" if len(of_name[name]) > 1 else name for level, name in zip(levels, names, strict=True)]
    return hours.append_column("name", pa.array(labels, pa.string()))


def _unknown_later(hours: pa.Table, known: pa.Table) -> int:
    """The number of unknown hours after the first known one; before it there may be no reports."""
    unknown = hours.filter(pc.is_null(hours["rolling_msu"]))
    return pc.sum(pc.greater(unknown["hour_start"], pc.min(known["hour_start"]))).as_py() or 0


def _peaks(known: pa.Table) -> list[dict[str, Any]]:
    """The highest hour of each owner, the highest of all first."""
    best: dict[str, tuple[float, int]] = {}
    for place, (name, value) in enumerate(
        zip(known["name"].to_pylist(), known["rolling_msu"].to_pylist(), strict=True)
    ):
        if name not in best or value > best[name][0]:
            best[name] = value, place
    # The references take long to read: read only those of the peaks.
    rows = known.take([place for _, place in best.values()]).to_pylist()
    return sorted(rows, key=lambda row: -row["rolling_msu"])


def _happened(asked: Asked, peaks: Sequence[dict[str, Any]]) -> Iterator[Ranked]:
    """Owners that came near their limit; the peak that is paid for; and systems with a peak of their own on the last
    day."""
    near = list(filter(_is_near, peaks))
    yield from (_one(asked, peak) for peak in near)
    if (asked.last_day - asked.first_day).days < _LEAST_DAYS - 1:
        return
    # Peaks of partitions do not add up: the bill rests on the machine, or else on the pages of a sysplex.
    widest = next(level for level in _LEVELS if any(peak["level"] == level for peak in peaks))
    main = [peak for peak in peaks if peak["level"] == widest and peak not in near]
    if widest != "partition":
        yield from (_one(asked, peak) for peak in main[:_MOST])
    told = {peak["hour_start"] for peak in (*near, *main)} if widest != "partition" else set()
    own = [
        peak
        for peak in peaks
        if peak["level"] == "partition" and peak not in near and peak["hour_start"] >= asked.last_start
        and all(abs(peak["hour_start"] - hour) > dt.timedelta(hours=1) for hour in told)
    ]  # fmt: skip
    day = hours_between(asked.last_start, asked.axis_end)
    yield from (replace(_one(asked, peak), hours=day, place=("peaks of the last day",)) for peak in own)


def _is_near(peak: dict[str, Any]) -> bool:
    return peak["cap_msu"] is not None and peak["rolling_msu"] >= _NEAR_LIMIT * peak["cap_msu"]


def _one(asked: Asked, peak: dict[str, Any]) -> Ranked:
    cap, value, days = peak["cap_msu"], peak["rolling_msu"], (asked.last_day - asked.first_day).days + 1
    is_near = _is_near(peak)
    of_limit = f", {value / cap:.0%} of its limit of {cap:,.0f}" if cap is not None else ""
    systems = listed(str(peak["scope"] or "").split(",")) if peak["scope"] and peak["scope"] != peak["owner"] else ""
    name = (
        f"{_LEVELS[peak['level']]} {peak['of_level']}{f' ({systems})' if systems else ''}"
        if peak["level"] != "pages"
        else listed(peak["of_level"].split(","))
    )
    at = asked.second(peak["hour_start"])
    happened = Happened(
        f"{name}: {'peak' if peak['is_sure'] else 'highest known value'} of {counted(days, 'day')} on {format_hour(peak['hour_start'])}, {value:,.0f} MSU{of_limit}.",
        "rolling four-hour average",
        Select(
            sysplex=peak["sysplex"] if peak["level"] != "partition" else None,
            system=peak["scope"] if peak["level"] == "partition" else None,
            from_s=at - 3 * 3600,
            to_s=at + 3600,
        ),
        "msu",
        asked.place(peak["refs"]),
        new=peak["hour_start"] >= asked.last_start,
        action=asked.command("sql", f"FROM peak_msu_by_class WHERE peak_start = '{peak['hour_start']}'"),
        severity="note" if not is_near else "watch" if value < cap else "serious",
        series=Series(peak["name"]),
    )
    place = tuple(sorted(str(peak["scope"] or peak["owner"]).split(",")))
    return Ranked(Rank.PEAK, value / cap if is_near else value * 1e-9, happened, frozenset([peak["hour_start"]]), place)


def _why_none(hours: pa.Table) -> str:
    basis = ", ".join(sorted(str(b) for b in pc.unique(hours["msu_basis"]).to_pylist()))
    reasons = {
        "not_in_lake": "the lake has neither Partition Data nor a CPC capacity (CPU Activity)",
        "act_msu": "no four hours are covered without a gap",
        "cpc_capacity": "no four hours are covered without a gap",
    }
    return f"Rolling four-hour MSU: {reasons.get(basis, f'no software MSU ({basis})')}."


def _note(source: str, hours: pa.Table) -> str:
    missing = len(pc.unique(hours.filter(pc.is_null(hours["rolling_msu"]))["hour_start"]))
    words = [
        "Hourly means of the four-hour average, as sub-capacity reports have them."
        if source == "partition_data"
        else "From processor time of service classes: what is in no class is not counted."
    ]
    if missing:
        words.append(
            f"{counted(missing, 'hour')} unknown, of all or of some: intervals of the four hours are missing or cannot be read."
        )
    if (most := pc.max(hours["hours_unknown"]).as_py() or 0) > missing:
        words.append(
            f"{counted(most, 'hour')} of a reporting month unknown, with those in no row, of which the systems have other reports."
        )
    twice = Counter(zip(hours["name"].to_pylist(), hours["hour_start"].to_pylist(), strict=True))
    if again := {hour for (_, hour), count in twice.items() if count > 1}:
        words.append(
            f"{listed([format_hour(hour) for hour in sorted(again)])} was twice, as the clock was set back: the higher is drawn."
        )
    if "no_partition" in pc.unique(hours["cap_basis"]).to_pylist():
        words.append("Limits are printed in Partition Data, which the lake does not have.")
    return " ".join(words)
