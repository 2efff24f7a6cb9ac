"""How did channel paths, volumes and the caches of storage control units do?"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

from ..contract import Chart, Column, Section
from .asked import Asked, highest, highest_known, rows_of
from .columns import of_hours
from .conditions import of_rule
from .found import Found, Rank, Ranked, format_day, format_hour
from .named_hours import BY_SYSTEM, known_rows, labelled, most_of, of_hour, told_hours

# A value of the last day is news if it is more than on each of so many earlier days, and so many times their median. Field practice of this project, as
# are the least sizes: requests in progress, and reads per second.
_LEAST_DAYS, _LEAST_RATIO = 4, 1.5
_LEAST_IN_PROGRESS, _LEAST_READS_PER_S = 0.5, 10.0

_CHANNELS = """
SELECT *, concat_ws('.', channel_subsystem, channel_path_id) || ' on ' || system AS name FROM channel_path_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_CHANNEL_COLUMNS = of_hours(
    Column("label", "Channel path and system that prints it", kind="text"),
    Column("busy_pct", "Busy, all partitions", "%", 1),
    Column("busy_max_pct", "Busiest interval", "%", 1),
    Column("partition_busy_pct", "Busy, this system", "%", 1),
    Column("bus_busy_pct", "Bus busy", "%", 1),
    Column("kind", "Kind", kind="text"),
)
_VOLUMES = """
SELECT *, concat_ws(' ', volume, device_number) || ' on ' || system AS name FROM volume_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_VOLUME_COLUMNS = of_hours(
    Column("label", "Volume, device and system", kind="text"),
    Column("io_in_progress", "In progress", "requests", 2),
    Column("io_per_s", "Requests", "1/s", 0),
    Column("response_ms", "Response time", "ms", 3),
    Column("iosq_ms", "IOSQ", "ms", 3),
    Column("pend_ms", "Pending", "ms", 3),
    Column("disconnect_ms", "Disconnected", "ms", 3),
    Column("connect_ms", "Connected", "ms", 3),
)
_CACHES = """
SELECT *, 100 - read_hit_pct AS read_miss_pct, concat(control_unit, ' (SSID ' || ssid || ')') || ' on ' || system AS name FROM cache_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_CACHE_COLUMNS = of_hours(
    Column("label", "Control unit and system that prints it", kind="text"),
    Column("read_miss_pct", "Reads that missed", "%", 2),
    Column("read_misses_per_s", "Read misses", "1/s", 1),
    Column("reads_per_s", "Reads", "1/s", 0),
    Column("write_hit_pct", "Writes that hit", "%", 2),
    Column("writes_per_s", "Writes", "1/s", 0),
    Column("delayed_writes_pct", "Writes that waited for storage", "%", 3),
)


def channels(asked: Asked) -> Found:
    hours = labelled(asked, _CHANNELS, "busy_pct")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "busy_pct", "channel path")
    top = highest_known(known_rows(shown, "busy_pct"), _CHANNEL_COLUMNS, "busy_pct")
    section = Section(
        "channels",
        "How busy were the channel paths?",
        f"Busiest: {top['label']}, {top['busy_pct']:.1f}% on {format_hour(top['hour_start'])}.",
        Chart("lines", "hour_start", ("busy_pct", "partition_busy_pct"), split="label"),
        rows_of(asked, shown, _CHANNEL_COLUMNS),
        BY_SYSTEM,
        f"{note}A path is printed by each system of the machine; its time busy is of all partitions.",
    )
    said, told = "FICON channel path {label} was {value}% busy on {at}", ("channel path utilization", "channels")
    busy = of_rule(asked, "channel_busy_pct", "busy_pct")
    rows = [row for row in hours.to_pylist() if row["kind"] == "ficon"]
    return Found((section,), told_hours(asked, rows, busy, _CHANNEL_COLUMNS, said, told))


def volumes(asked: Asked) -> Found:
    hours = labelled(asked, _VOLUMES, "io_in_progress")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "io_in_progress", "volume")
    top = highest_known(known_rows(shown, "io_in_progress"), _VOLUME_COLUMNS, "io_in_progress")
    slow = f", {top['io_per_s']:,.0f} per second of {top['response_ms']:.3f} ms" if top["io_per_s"] else ""
    section = Section(
        "volumes",
        "Which volumes do requests wait for?",
        f"Most: {top['label']}, {top['io_in_progress']:.2f} requests in progress on {format_hour(top['hour_start'])}{slow}.",
        Chart("lines", "hour_start", "io_in_progress", split="label"),
        rows_of(asked, shown, _VOLUME_COLUMNS),
        BY_SYSTEM,
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
        last = highest(days.pop(asked.last_day, []), _VOLUME_COLUMNS, "io_in_progress")
        if last is None or last["io_in_progress"] < _LEAST_IN_PROGRESS:
            continue
        measured = [[row["io_in_progress"] for row in rows] for rows in days.values()]
        usual = _usual(last["io_in_progress"], [max(values) for values in measured if None not in values])
        if usual is not None:
            sentence = (
                f"{last['label']}: {last['io_in_progress']:.2f} requests in progress on {format_hour(last['hour_start'])},"
                f" usually {usual:.2f} at most; response time {last['response_ms']:.3f} ms."
            )
            happened = of_hour(asked, last, sentence, "volume response × rate", "volumes", new=True)
            yield Ranked(Rank.LIMIT, last["io_in_progress"], happened)


def caches(asked: Asked) -> Found:
    hours = labelled(asked, _CACHES, "read_misses_per_s")
    if not len(hours):
        return Found()
    rows = hours.to_pylist()
    most = highest(rows, _CACHE_COLUMNS, "read_miss_pct")
    shown, note = most_of(hours, "read_misses_per_s", "control unit", named=most)
    section = Section(
        "caches",
        "How many reads missed the cache of the storage?",
        f"Most: {most['label']}, {most['read_miss_pct']:.1f}% of its reads on {format_hour(most['hour_start'])}."
        if most
        else "There were no reads.",
        Chart("lines", "hour_start", "read_miss_pct", split="label"),
        rows_of(asked, shown, _CACHE_COLUMNS),
        BY_SYSTEM,
        f"{note}A control unit counts the requests of all systems, whichever prints it.",
    )
    delayed = of_rule(asked, "cache_delayed_writes_pct", "delayed_writes_pct", "writes_per_s")
    said = "Cache of {label}: {value}% of the writes found no non-volatile storage on {at}"
    told = ("cache delayed writes", "caches")
    without = told_hours(asked, rows, delayed, _CACHE_COLUMNS, said, told, decimals=1)
    return Found((section,), (*_missing(asked, rows), *without))


def _missing(asked: Asked, hours: list[dict[str, Any]]) -> Iterator[Ranked]:
    """Control units of which more reads missed on the last day, of all its reads, than on each earlier day. A day with an unknown hour is not compared."""
    units: dict[str, dict[dt.date, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in hours:
        units[row["label"]][row["hour_start"].date()].append(row)
    for label, every_day in units.items():
        counts = ("reads_per_s", "read_misses_per_s")
        days = {day: rows for day, rows in every_day.items() if all(row[n] is not None for row in rows for n in counts)}
        last = days.get(asked.last_day)
        if last is None or _reads(last) / sum(row["covered_s"] for row in last) < _LEAST_READS_PER_S:
            continue
        before = [_miss_pct(rows) for day, rows in days.items() if day < asked.last_day and _reads(rows)]
        usual = _usual(_miss_pct(last), before)
        if usual is not None:
            worst = highest_known(last, _CACHE_COLUMNS, "read_misses_per_s")
            sentence = (
                f"Cache of {label}: {100 - _miss_pct(last):.1f}% of the reads hit on {format_day(asked.last_day)},"
                f" usually {100 - usual:.1f}%."
            )
            happened = of_hour(asked, worst, sentence, "cache read hits", "caches", new=True)
            yield Ranked(Rank.LIMIT, _miss_pct(last), happened)


def _reads(rows: list[dict[str, Any]]) -> float:
    return sum(row["reads_per_s"] * row["covered_s"] for row in rows)


def _miss_pct(rows: list[dict[str, Any]]) -> float:
    return 100 * sum(row["read_misses_per_s"] * row["covered_s"] for row in rows) / _reads(rows)


def _usual(value: float, before: list[float]) -> float | None:
    """The median of earlier days, if there are enough and the value is news to them."""
    if len(before) < _LEAST_DAYS or value <= max(before):
        return None
    usual = median(before)
    return usual if value >= _LEAST_RATIO * usual else None
