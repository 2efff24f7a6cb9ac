"""Hours of what a system has many of: the hundreds of paths of a machine, thousands of volumes. Sections show those that were highest in one of their hours."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..contract import Column, Filter, Happened, Select
from .asked import Asked, highest_known, with_label
from .conditions import Condition
from .found import Rank, Ranked, format_hour

_MOST = 20
BY_SYSTEM: dict[Filter, str] = {"time": "hour_start", "system": "system", "sysplex": "sysplex"}
BY_PLEX: dict[Filter, str] = {"time": "hour_start", "sysplex": "sysplex"}


def labelled(asked: Asked, text: str, measure: str) -> pa.Table:
    """The hours of those of which a measure is known in some hour, with the only sysplex that has a system of their name: pages name none."""
    hours = asked.ask(text)
    systems, printed = hours["system"].to_pylist(), hours["sysplex"].to_pylist()
    sysplexes = [plex or asked.sysplex_of.get(name) for name, plex in zip(systems, printed, strict=True)]
    hours = hours.set_column(hours.column_names.index("sysplex"), "sysplex", pa.array(sysplexes, pa.string()))
    hours = with_label(hours, "name", "label")
    names = {row["label"] for row in known_rows(hours, measure)}
    return hours.filter(pa.array([label in names for label in hours["label"].to_pylist()], pa.bool_()))


def known_rows(hours: pa.Table, measure: str) -> list[dict[str, Any]]:
    return [row for row in hours.to_pylist() if row[measure] is not None]


def most_of(
    hours: pa.Table, measure: str, one: str, many: str = "", named: dict[str, Any] | None = None
) -> tuple[pa.Table, str]:
    """The hours of those that are highest in one of them, and of the one that the section names, and words that say so."""
    peaks = hours.select(["label", measure]).group_by("label").aggregate([(measure, "max")]).to_pylist()
    if len(peaks) <= _MOST:
        return hours, ""
    peaks.sort(key=lambda row: (-row[f"{measure}_max"], row["label"]))
    names = {row["label"] for row in peaks[:_MOST]}
    beside = f", and {named['label']}" if named and named["label"] not in names else ""
    names |= {named["label"]} if named else set()
    kept = hours.filter(pa.array([label in names for label in hours["label"].to_pylist()], pa.bool_()))
    return kept, f"The {_MOST} highest of {counted(len(peaks), one, many)}{beside}. "


def beyond(
    asked: Asked, hours: list[dict[str, Any]], is_beyond: Callable[[dict[str, Any]], bool]
) -> list[list[dict[str, Any]]]:
    """The hours of the last day that are beyond a limit, by label."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in hours:
        if row["hour_start"] >= asked.last_start and is_beyond(row):
            found[row["label"]].append(row)
    return list(found.values())


def told_hours(
    asked: Asked,
    hours: list[dict[str, Any]],
    condition: Condition,
    columns: Sequence[Column],
    sentence: str,
    told: tuple[str, str],
    *,
    decimals: int = 0,
    size: str = "",
) -> tuple[Ranked, ...]:
    """Of each label that the condition holds for on the last day the worst hour, as something to look at. `sentence` is filled in with the values of its
    row, with `at` and with `value`, what the condition is about; the condition itself adds which hours it counts. `told`: what was measured, and the
    section that shows it. `size` ranks it, if not the measure."""
    eve = asked.last_start - dt.timedelta(days=1)
    before: dict[str, bool] = {}
    for row in hours:
        if eve <= row["hour_start"] < asked.last_start and row[condition.measure] is not None:
            before[row["label"]] = before.get(row["label"], False) or condition(row)
    ranked = []
    for rows in beyond(asked, hours, condition):
        worst = highest_known(rows, columns, condition.measure)
        value, at = condition.write(worst[condition.measure], decimals), format_hour(worst["hour_start"])
        said = f"{sentence.format(**worst, value=value, at=at)}; {condition.count(rows)}."
        # A day before without a value says nothing.
        happened = of_hour(asked, worst, said, *told, new=before.get(worst["label"]) is False)
        ranked.append(Ranked(Rank.LIMIT, worst[size or condition.measure] or 0, happened))
    return tuple(ranked)


def of_hour(
    asked: Asked, row: dict[str, Any], sentence: str, measure: str, section: str, *, new: bool = False
) -> Happened:
    at = asked.second(row["hour_start"])
    select = Select(sysplex=row["sysplex"], system=row["system"], from_s=at, to_s=at + 3600)
    return Happened(sentence, measure, select, section, asked.place(row["refs"]), new=new)
