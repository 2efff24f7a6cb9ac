"""Hours of what a system has many of: the hundreds of paths of a machine, thousands of volumes. Sections show those that were highest in one of their hours."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..contract import Column, Filter, Happened, Select
from .asked import Asked, highest_known, with_label
from .found import Rank, Ranked, format_hour

_MOST = 20
_RULES = "SELECT rule, limit_value, least_size FROM finding_rule"
BY_SYSTEM: dict[Filter, str] = {"time": "hour_start", "system": "system", "sysplex": "sysplex"}
BY_PLEX: dict[Filter, str] = {"time": "hour_start", "sysplex": "sysplex"}


def limits(asked: Asked) -> dict[str, tuple[float, float | None]]:
    return {row["rule"]: (row["limit_value"], row["least_size"]) for row in asked.ask(_RULES).to_pylist()}


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


def most_of(hours: pa.Table, measure: str, one: str, many: str = "") -> tuple[pa.Table, str]:
    """The hours of those that are highest in one of them, and words that say so."""
    peaks = hours.select(["label", measure]).group_by("label").aggregate([(measure, "max")]).to_pylist()
    if len(peaks) <= _MOST:
        return hours, ""
    peaks.sort(key=lambda row: (-row[f"{measure}_max"], row["label"]))
    names = {row["label"] for row in peaks[:_MOST]}
    kept = hours.filter(pa.array([label in names for label in hours["label"].to_pylist()], pa.bool_()))
    return kept, f"The {_MOST} highest of {counted(len(peaks), one, many)}. "


def beyond(
    asked: Asked, hours: list[dict[str, Any]], is_beyond: Callable[[dict[str, Any]], bool]
) -> list[list[dict[str, Any]]]:
    """The hours of the last day that are beyond a limit, by label."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in hours:
        if row["hour_start"] >= asked.last_start and is_beyond(row):
            found[row["label"]].append(row)
    return list(found.values())


def at_least(measure: str, limit: float, size: str, least_size: float | None) -> Callable[[dict[str, Any]], bool]:
    """Whether an hour has so much of a measure, and is large enough to tell of. What is unknown is not."""
    return lambda row: (row[measure] or 0) >= limit and (row[size] or 0) >= (least_size or 0)


def worst_hours(
    asked: Asked,
    found: Iterable[list[dict[str, Any]]],
    columns: Sequence[Column],
    measure: str,
    sentence: str,
    told: tuple[str, str],
    *,
    size: str = "",
    **words: object,
) -> tuple[Ranked, ...]:
    """Of each list of hours the worst by a measure, as something to look at. `sentence` is filled in with the values of its row, with `at`, with
    how many hours there are and with the other `words`; `told`: what was measured, and the section that shows it. `size` ranks it, if not the
    measure."""
    ranked = []
    for rows in found:
        worst = highest_known(rows, columns, measure)
        said = sentence.format(
            **worst,
            at=format_hour(worst["hour_start"]),
            hours=counted(len(rows), "hour"),
            such=counted(len(rows), "such hour"),
            **words,
        )
        ranked.append(Ranked(Rank.LIMIT, worst[size or measure], of_hour(asked, worst, said, *told)))
    return tuple(ranked)


def of_hour(
    asked: Asked, row: dict[str, Any], sentence: str, measure: str, section: str, *, new: bool = False
) -> Happened:
    at = asked.second(row["hour_start"])
    select = Select(sysplex=row["sysplex"], system=row["system"], from_s=at, to_s=at + 3600)
    return Happened(sentence, measure, select, section, asked.place(row["refs"]), new=new)
