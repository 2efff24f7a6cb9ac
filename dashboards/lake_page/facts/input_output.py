"""How did channel paths, volumes and the caches of storage control units do?

A machine has hundreds of paths and a system thousands of volumes: sections show those that were highest in one of their hours.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

import pyarrow as pa

from ....pipeline.words import counted
from ..contract import Chart, Column, Filter, Happened, Section, Select
from .asked import Asked, rows_of, with_label
from .found import Found, Rank, Ranked, format_day, format_hour

_MOST = 20
# A value of the last day is news if it is more than on each of so many earlier days, and so many times their median. Field practice of this project, as
# are the least sizes: requests in progress, and reads per second.
_LEAST_DAYS, _LEAST_RATIO = 4, 1.5
_LEAST_IN_PROGRESS, _LEAST_READS_PER_S = 0.5, 10.0

_CHANNELS = """
SELECT *, concat_ws('.', channel_subsystem, channel_path_id) || ' on ' || system AS name FROM channel_path_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_CHANNEL_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Channel path and system that prints it", kind="text"),
    Column("busy_pct", "Busy, all partitions", "%", 1),
    Column("busy_max_pct", "Busiest interval", "%", 1),
    Column("partition_busy_pct", "Busy, this system", "%", 1),
    Column("bus_busy_pct", "Bus busy", "%", 1),
    Column("kind", "Kind", kind="text"),
    Column("system", "System", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
)
_VOLUMES = """
SELECT *, concat_ws(' ', volume, device_number) || ' on ' || system AS name FROM volume_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_VOLUME_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Volume, device and system", kind="text"),
    Column("io_in_progress", "In progress", "requests", 2),
    Column("io_per_s", "Requests", "1/s", 0),
    Column("response_ms", "Response time", "ms", 3),
    Column("iosq_ms", "IOSQ", "ms", 3),
    Column("pend_ms", "Pending", "ms", 3),
    Column("disconnect_ms", "Disconnected", "ms", 3),
    Column("connect_ms", "Connected", "ms", 3),
    Column("system", "System", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
)
_CACHES = """
SELECT *, 100 - read_hit_pct AS read_miss_pct, concat(control_unit, ' (SSID ' || ssid || ')') || ' on ' || system AS name FROM cache_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_CACHE_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Control unit and system that prints it", kind="text"),
    Column("read_miss_pct", "Reads that missed", "%", 2),
    Column("read_misses_per_s", "Read misses", "1/s", 1),
    Column("reads_per_s", "Reads", "1/s", 0),
    Column("write_hit_pct", "Writes that hit", "%", 2),
    Column("writes_per_s", "Writes", "1/s", 0),
    Column("delayed_writes_pct", "Writes that waited for storage", "%", 3),
    Column("system", "System", kind="text"),
    Column("sysplex", "Sysplex", kind="text"),
)
_RULES = """
SELECT rule, limit_value, least_size FROM finding_rule WHERE rule IN ('channel_busy_pct', 'cache_delayed_writes_pct')
"""
_FILTERS: dict[Filter, str] = {"time": "hour_start", "system": "system", "sysplex": "sysplex"}


def channels(asked: Asked) -> Found:
    hours = _labelled(asked, _CHANNELS, "busy_pct")
    if not len(hours):
        return Found()
    shown, note = _highest(hours, "busy_pct", "channel path")
    limit, _ = _limits(asked)["channel_busy_pct"]
    top = max(_known(shown, "busy_pct"), key=lambda row: row["busy_pct"])
    section = Section(
        "channels",
        "How busy were the channel paths?",
        f"Busiest: {top['label']}, {top['busy_pct']:.1f}% on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", ("busy_pct", "partition_busy_pct"), split="label"),
        rows_of(asked, shown, _CHANNEL_COLUMNS),
        _FILTERS,
        f"{note}A path is printed by each system of the machine; its time busy is of all partitions.",
    )
    busy = defaultdict(list)
    for row in _known(hours, "busy_pct"):
        if row["kind"] == "ficon" and row["hour_start"] >= asked.last_start and row["busy_pct"] >= limit:
            busy[row["label"]].append(row)
    return Found((section,), tuple(_busy(asked, rows, limit) for rows in busy.values()))


def _busy(asked: Asked, rows: list[dict[str, Any]], limit: float) -> Ranked:
    worst = max(rows, key=lambda row: row["busy_pct"])
    sentence = (
        f"Channel path {worst['label']} was {worst['busy_pct']:.0f}% busy on {format_hour(worst['hour_start'])};"
        f" {counted(len(rows), 'hour')} of {limit:.0f}% or more."
    )
    return Ranked(
        Rank.LIMIT, worst["busy_pct"], _of_hour(asked, worst, sentence, "channel path utilization", "channels")
    )


def volumes(asked: Asked) -> Found:
    hours = _labelled(asked, _VOLUMES, "io_in_progress")
    if not len(hours):
        return Found()
    shown, note = _highest(hours, "io_in_progress", "volume")
    known = _known(shown, "io_in_progress")
    top = max(known, key=lambda row: row["io_in_progress"])
    slow = f", {top['io_per_s']:,.0f} per second of {top['response_ms']:.3f} ms" if top["io_per_s"] else ""
    section = Section(
        "volumes",
        "Which volumes do requests wait for?",
        f"Most: {top['label']}, {top['io_in_progress']:.2f} requests in progress on {format_hour(top['hour_start'])}{slow}.",
        Chart("lines", "hour_start", "io_in_progress", split="label"),
        rows_of(asked, shown, _VOLUME_COLUMNS),
        _FILTERS,
        f"{note}Requests in progress are rate × response time.",
    )
    return Found((section,), tuple(_slower(asked, shown.to_pylist())))


def _slower(asked: Asked, hours: Iterable[dict[str, Any]]) -> Iterator[Ranked]:
    """Volumes whose busiest hour of the last day has more requests in progress than that of each earlier day. An earlier day with an unknown hour is not
    compared."""
    volumes: dict[str, dict[dt.date, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in hours:
        volumes[row["label"]][row["hour_start"].date()].append(row)
    for days in volumes.values():
        known = [row for row in days.pop(asked.last_day, []) if row["io_in_progress"] is not None]
        last = max(known, key=lambda row: row["io_in_progress"], default=None)
        if last is None or last["io_in_progress"] < _LEAST_IN_PROGRESS:
            continue
        measured = [[row["io_in_progress"] for row in rows] for rows in days.values()]
        usual = _usual(last["io_in_progress"], [max(values) for values in measured if None not in values])
        if usual is not None:
            sentence = (
                f"{last['label']}: {last['io_in_progress']:.2f} requests in progress on {format_hour(last['hour_start'])},"
                f" usually {usual:.2f} at most; response time {last['response_ms']:.3f} ms."
            )
            yield Ranked(
                Rank.LIMIT,
                last["io_in_progress"],
                _of_hour(asked, last, sentence, "volume response × rate", "volumes", new=True),
            )


def caches(asked: Asked) -> Found:
    hours = _labelled(asked, _CACHES, "read_misses_per_s")
    if not len(hours):
        return Found()
    shown, note = _highest(hours, "read_misses_per_s", "control unit")
    most = max(_known(shown, "read_miss_pct"), key=lambda row: row["read_miss_pct"], default=None)
    section = Section(
        "caches",
        "How many reads missed the cache of the storage?",
        f"Most: {most['label']}, {most['read_miss_pct']:.1f}% of its reads on {format_hour(most['hour_start'])}."
        if most
        else "There were no reads.",
        Chart("lines", "hour_start", "read_miss_pct", split="label"),
        rows_of(asked, shown, _CACHE_COLUMNS),
        _FILTERS,
        f"{note}A control unit counts the requests of all systems, whichever prints it.",
    )
    limit, least_size = _limits(asked)["cache_delayed_writes_pct"]
    rows = hours.to_pylist()
    return Found(
        (section,),
        (*_missing(asked, rows), *_delayed(asked, rows, limit, least_size or 0)),
    )


def _missing(asked: Asked, hours: list[dict[str, Any]]) -> Iterator[Ranked]:
    """Control units of which more reads missed on the last day, of all its reads, than on each earlier day. A day with an unknown hour is not compared."""
    units: dict[str, dict[dt.date, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in hours:
        units[row["label"]][row["hour_start"].date()].append(row)
    for label, every_day in units.items():
        days = {day: rows for day, rows in every_day.items() if all(_is_counted(row) for row in rows)}
        last = days.get(asked.last_day)
        if last is None or _reads(last) / sum(row["covered_s"] for row in last) < _LEAST_READS_PER_S:
            continue
        before = [_miss_pct(rows) for day, rows in days.items() if day < asked.last_day and _reads(rows)]
        usual = _usual(_miss_pct(last), before)
        if usual is not None:
            worst = max(last, key=lambda row: row["read_misses_per_s"])
            sentence = (
                f"Cache of {label}: {100 - _miss_pct(last):.1f}% of the reads hit on {format_day(asked.last_day)},"
                f" usually {100 - usual:.1f}%."
            )
            yield Ranked(
                Rank.LIMIT, _miss_pct(last), _of_hour(asked, worst, sentence, "cache read hits", "caches", new=True)
            )


def _delayed(asked: Asked, hours: list[dict[str, Any]], limit: float, least_size: float) -> Iterator[Ranked]:
    found = defaultdict(list)
    for row in hours:
        is_much = (row["writes_per_s"] or 0) >= least_size and (row["delayed_writes_pct"] or 0) >= limit
        if row["hour_start"] >= asked.last_start and is_much:
            found[row["label"]].append(row)
    for label, rows in found.items():
        worst = max(rows, key=lambda row: row["delayed_writes_pct"])
        sentence = (
            f"Cache of {label}: {worst['delayed_writes_pct']:.1f}% of the writes found no non-volatile storage on"
            f" {format_hour(worst['hour_start'])}; {counted(len(rows), 'hour')} of {limit:g}% or more."
        )
        yield Ranked(
            Rank.LIMIT, worst["delayed_writes_pct"], _of_hour(asked, worst, sentence, "cache delayed writes", "caches")
        )


def _is_counted(row: dict[str, Any]) -> bool:
    return row["reads_per_s"] is not None and row["read_misses_per_s"] is not None


def _reads(rows: list[dict[str, Any]]) -> float:
    return sum(row["reads_per_s"] * row["covered_s"] for row in rows)


def _miss_pct(rows: list[dict[str, Any]]) -> float:
    return 100 * sum(row["read_misses_per_s"] * row["covered_s"] for row in rows) / _reads(rows)


def _limits(asked: Asked) -> dict[str, tuple[float, float | None]]:
    return {row["rule"]: (row["limit_value"], row["least_size"]) for row in asked.ask(_RULES).to_pylist()}


def _labelled(asked: Asked, text: str, measure: str) -> pa.Table:
    """The hours of those of which a measure is known in some hour, with the only sysplex that has a system of their name: pages name none."""
    hours = asked.ask(text)
    systems, printed = hours["system"].to_pylist(), hours["sysplex"].to_pylist()
    sysplexes = [plex or asked.sysplex_of.get(name) for name, plex in zip(systems, printed, strict=True)]
    hours = hours.set_column(hours.column_names.index("sysplex"), "sysplex", pa.array(sysplexes, pa.string()))
    hours = with_label(hours, "name", "label")
    names = {row["label"] for row in _known(hours, measure)}
    return hours.filter(pa.array([label in names for label in hours["label"].to_pylist()], pa.bool_()))


def _known(hours: pa.Table, measure: str) -> list[dict[str, Any]]:
    return [row for row in hours.to_pylist() if row[measure] is not None]


def _highest(hours: pa.Table, measure: str, word: str) -> tuple[pa.Table, str]:
    """The hours of those that are highest in one of them, and words that say so."""
    peaks = hours.select(["label", measure]).group_by("label").aggregate([(measure, "max")]).to_pylist()
    if len(peaks) <= _MOST:
        return hours, ""
    peaks.sort(key=lambda row: (-row[f"{measure}_max"], row["label"]))
    names = {row["label"] for row in peaks[:_MOST]}
    kept = hours.filter(pa.array([label in names for label in hours["label"].to_pylist()], pa.bool_()))
    return kept, f"The {_MOST} highest of {counted(len(peaks), word)}. "


def _usual(value: float, before: list[float]) -> float | None:
    """The median of earlier days, if there are enough and the value is news to them."""
    if len(before) < _LEAST_DAYS or value <= max(before):
        return None
    usual = median(before)
    return usual if value >= _LEAST_RATIO * usual else None


def _of_hour(
    asked: Asked, row: dict[str, Any], sentence: str, measure: str, section: str, *, new: bool = False
) -> Happened:
    at = asked.second(row["hour_start"])
    select = Select(sysplex=row["sysplex"], system=row["system"], from_s=at, to_s=at + 3600)
    return Happened(sentence, measure, select, section, asked.place(row["refs"]), new=new)
