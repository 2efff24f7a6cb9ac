"""How did Db2's pools and CICS' threads to it do?"""

from dataclasses import dataclass
from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, rows_of, with_label
from .conditions import Condition, of_rule
from .found import Found, Ranked, format_hour
from .named_hours import told_hours

_GROUP_POOLS = """
SELECT *, db2_group || ' ' || gbp AS name, NULL AS system, NULL AS sysplex FROM group_buffer_pool_hour
WHERE hour_start >= $from AND hour_start < $to AND reads_total + writes_total IS DISTINCT FROM 0 ORDER BY name, location, hour_start
"""
_GROUP_POOL_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Group and group buffer pool", kind="text"),
    Column("read_hit_pct", "Reads that returned data", "%", 1),
    Column("xi_reads_pct", "Reads after a cross-invalidation", "%", 1),
    Column("xi_hit_pct", "Of the reads after one, those that returned data", "%", 1),
    Column("reads_total", "Reads"),
    Column("writes_total", "Pages written"),
    Column("castout_pages", "Pages cast out"),
    Column("failed_no_storage", "Failed for lack of storage"),
    Column("members", "Members"),
)
_POOLS = """
SELECT *, db2_group || ' ' || buffer_pool AS name FROM buffer_pool_hour
WHERE hour_start >= $from AND hour_start < $to AND getpages IS DISTINCT FROM 0 ORDER BY name, location, hour_start
"""
_POOL_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Group and buffer pool", kind="text"),
    Column("hit_pct", "Getpages without a read", "%", 2),
    Column("getpages_per_s", "Getpages", "1/s", 0),
    Column("sync_io_per_s", "Synchronous reads", "1/s", 0),
    Column("members", "Members"),
)
# Regions of one name cannot be told apart: nothing of their place is printed.
_THREADS = """
SELECT *, applid || ' ' || db2entry AS name, NULL AS location, NULL AS system, NULL AS sysplex FROM db2entry_hour
WHERE hour_start >= $from AND hour_start < $to AND calls IS DISTINCT FROM 0 ORDER BY name, hour_start
"""
_THREAD_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("label", "Region and DB2ENTRY", kind="text"),
    Column("thread_reuse_pct", "Threads used again", "%", 2),
    Column("thread_waits_or_overflows", "Waited for a thread, or used the pool"),
    Column("calls_per_s", "Calls", "1/s", 0),
    Column("thread_creates", "Threads created"),
)


@dataclass(frozen=True)
class _Hours:
    """The hours of a question, and the one in which a measure is least."""

    asked: Asked
    table: Any
    rows: list[dict[str, Any]]
    least: dict[str, Any] | None

    def failed(self, measure: str) -> str:
        """In how many hours something failed, in words; empty if in none."""
        hours = {row["hour_start"] for row in self.rows if row[measure]}
        return counted(len(hours), "hour") if hours else ""

    def found(
        self, name: str, title: str, said: str, shown: tuple[str, ...], columns: tuple[Column, ...], *, note: str = ""
    ) -> Section:
        chart = Chart("lines", "hour_start", shown, split="label")
        return Section(name, title, said, chart, rows_of(self.asked, self.table, columns), {"time": "hour_start"}, note)

    def told(
        self, failing: Condition, columns: tuple[Column, ...], words: str, told: tuple[str, str]
    ) -> tuple[Ranked, ...]:
        """What failed on the last day, in words about a number of requests."""
        rows = [row | {"said": counted(row[failing.measure] or 0, "request")} for row in self.rows]
        return told_hours(self.asked, rows, failing, columns, f"{{label}}: {{said}} {words} on {{at}}", told)


def _hours(asked: Asked, text: str, measure: str, printed: str) -> _Hours | None:
    """None where no hour has a value of `printed`. An hour without one beside others is unknown, and breaks their line."""
    table = asked.ask(text)
    if table[printed].null_count == len(table):
        return None
    table = with_label(table, "name", "label", "location")
    rows = table.to_pylist()
    known = [row for row in rows if row[measure] is not None]
    return _Hours(asked, table, rows, min(known, key=lambda row: row[measure], default=None))


def group_pools(asked: Asked) -> Found:
    hours = _hours(asked, _GROUP_POOLS, "xi_hit_pct", "reads_total")
    if not hours:
        return Found()
    said = (
        f"Least: {least['label']} returned data for {least['xi_hit_pct']:.0f}% of the reads after a cross-invalidation on {format_hour(least['hour_start'])}."
        if (least := hours.least)
        else "No page was read again after a cross-invalidation, or the counts are not printed."
    )
    if failed := hours.failed("failed_no_storage"):
        said = f"{failed} with requests that failed for lack of storage. {said}"
    title, shown = "Do group buffer pools keep what is read again?", ("xi_hit_pct", "read_hit_pct")
    section = hours.found("group_pools", title, said, shown, _GROUP_POOL_COLUMNS)
    failing = of_rule(asked, "gbp_reads_failed_no_storage", "failed_no_storage")
    told = ("group buffer pool failures", "group_pools")
    return Found((section,), hours.told(failing, _GROUP_POOL_COLUMNS, "failed for lack of storage", told))


def pools(asked: Asked) -> Found:
    hours = _hours(asked, _POOLS, "hit_pct", "getpages")
    if not hours:
        return Found()
    said = (
        f"Least: {least['label']}, {least['hit_pct']:.1f}% of its getpages on {format_hour(least['hour_start'])}."
        if (least := hours.least)
        else "Hit ratios are not known: prefetched pages are not printed."
    )
    return Found((hours.found("pools", "Do buffer pools find their pages?", said, ("hit_pct",), _POOL_COLUMNS),))


def threads(asked: Asked) -> Found:
    hours = _hours(asked, _THREADS, "thread_reuse_pct", "calls")
    if not hours:
        return Found()
    unknown = sum(row["thread_waits_or_overflows"] is None for row in hours.rows)
    said = (
        f"{failed} in which requests waited for a thread or used the pool."
        if (failed := hours.failed("thread_waits_or_overflows"))
        else "No request waited for a thread or used the pool" + (", as far as is known." if unknown else ".")
    )
    if least := hours.least:
        said += f" Least used again: {least['label']}, {least['thread_reuse_pct']:.2f}% on {format_hour(least['hour_start'])}."
    note = (
        f"{counted(unknown, 'hour')} of a region and DB2ENTRY unknown: printed with two values, or regions of one name overlap."
        if unknown
        else ""
    )
    title, shown = "Are threads to Db2 used again?", ("thread_reuse_pct",)
    section = hours.found("threads", title, said, shown, _THREAD_COLUMNS, note=note)
    failing = of_rule(asked, "db2entry_waits", "thread_waits_or_overflows")
    told, words = ("waits for threads", "threads"), "waited for a thread or used the pool"
    return Found((section,), hours.told(failing, _THREAD_COLUMNS, words, told))
