"""How did Db2's pools and CICS' threads to it do?"""

from ....pipeline.words import counted
from ..contract import Chart, Column, Happened, Section, Select
from .asked import Asked, rows_of
from .found import Found, Rank, Ranked, format_hour

_GROUP_POOLS = """
SELECT *, db2_group || ' ' || gbp AS pool FROM group_buffer_pool_hour
WHERE hour_start >= $from AND hour_start < $to AND reads_total + writes_total > 0 ORDER BY pool, hour_start
"""
_GROUP_POOL_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("pool", "Group and group buffer pool", kind="text"),
    Column("read_hit_pct", "Reads that returned data", "%", 1),
    Column("xi_reads_pct", "Reads after a cross-invalidation", "%", 1),
    Column("xi_hit_pct", "Of these, returned data", "%", 1),
    Column("reads_total", "Reads"),
    Column("writes_total", "Pages written"),
    Column("castout_pages", "Pages cast out"),
    Column("failed_no_storage", "Failed for lack of storage"),
    Column("members", "Members"),
)
_POOLS = """
SELECT *, db2_group || ' ' || buffer_pool AS pool FROM buffer_pool_hour
WHERE hour_start >= $from AND hour_start < $to AND getpages > 0 ORDER BY pool, hour_start
"""
_POOL_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("pool", "Group and buffer pool", kind="text"),
    Column("hit_pct", "Getpages without a read", "%", 2),
    Column("getpages_per_s", "Getpages", "1/s", 0),
    Column("sync_io_per_s", "Synchronous reads", "1/s", 0),
    Column("members", "Members"),
)
_THREADS = """
SELECT *, applid || ' ' || db2entry AS entry FROM db2entry_hour
WHERE hour_start >= $from AND hour_start < $to AND calls > 0 ORDER BY entry, hour_start
"""
_THREAD_COLUMNS = (
    Column("hour_start", "Hour", kind="time"),
    Column("entry", "Region and DB2ENTRY", kind="text"),
    Column("thread_reuse_pct", "Threads used again", "%", 2),
    Column("thread_waits_or_overflows", "Waited for a thread, or used the pool"),
    Column("calls_per_s", "Calls", "1/s", 0),
    Column("thread_creates", "Threads created"),
)


def group_pools(asked: Asked) -> Found:
    hours = asked.ask(_GROUP_POOLS)
    if not len(hours):
        return Found()
    rows = hours.to_pylist()
    failed = [row for row in rows if row["failed_no_storage"]]
    known = [row for row in rows if row["xi_hit_pct"] is not None]
    least = min(known, key=lambda row: row["xi_hit_pct"], default=None)
    said = (
        f"Least: {least['pool']} returned data for {least['xi_hit_pct']:.0f}% of the reads after a cross-invalidation on {format_hour(least['hour_start'])}."
        if least
        else "No page was read again after a cross-invalidation, or the counts are not printed."
    )
    if failed:
        said = f"{counted(len(failed), 'hour')} with requests that failed for lack of storage. {said}"
    section = Section(
        "group_pools",
        "Do group buffer pools keep what is read again?",
        said,
        Chart("lines", "hour_start", ("xi_hit_pct", "read_hit_pct"), split="pool"),
        rows_of(asked, hours, _GROUP_POOL_COLUMNS),
        {"time": "hour_start"},
    )
    last = [row for row in failed if row["hour_start"] >= asked.last_start]
    happened = []
    if last:
        worst = max(last, key=lambda row: row["failed_no_storage"])
        at = asked.second(worst["hour_start"])
        one = Happened(
            f"{worst['pool']}: {worst['failed_no_storage']:,} requests failed for lack of storage on {format_hour(worst['hour_start'])}.",
            "group buffer pool failures",
            Select(from_s=at, to_s=at + 3600),
            "group_pools",
            asked.place(worst["refs"]),
        )
        happened.append(Ranked(Rank.LIMIT, worst["failed_no_storage"], one))
    return Found((section,), tuple(happened))


def pools(asked: Asked) -> Found:
    hours = asked.ask(_POOLS)
    if not len(hours):
        return Found()
    known = [row for row in hours.to_pylist() if row["hit_pct"] is not None]
    least = min(known, key=lambda row: row["hit_pct"], default=None)
    section = Section(
        "pools",
        "Do buffer pools find their pages?",
        f"Least: {least['pool']}, {least['hit_pct']:.1f}% of its getpages on {format_hour(least['hour_start'])}."
        if least
        else "Hit ratios are not known: prefetched pages are not printed.",
        Chart("lines", "hour_start", "hit_pct", split="pool"),
        rows_of(asked, hours, _POOL_COLUMNS),
        {"time": "hour_start"},
    )
    return Found((section,))


def threads(asked: Asked) -> Found:
    hours = asked.ask(_THREADS)
    if not len(hours):
        return Found()
    rows = hours.to_pylist()
    known = [row for row in rows if row["thread_reuse_pct"] is not None]
    least = min(known, key=lambda row: row["thread_reuse_pct"], default=None)
    waited = [row for row in rows if row["thread_waits_or_overflows"]]
    said = f"{counted(len(waited), 'hour')} with waits for a thread." if waited else "No request waited for a thread."
    if least:
        said += f" Least used again: {least['entry']}, {least['thread_reuse_pct']:.2f}% on {format_hour(least['hour_start'])}."
    section = Section(
        "threads",
        "Are threads to Db2 used again?",
        said,
        Chart("lines", "hour_start", "thread_reuse_pct", split="entry"),
        rows_of(asked, hours, _THREAD_COLUMNS),
        {"time": "hour_start"},
    )
    last = [row for row in waited if row["hour_start"] >= asked.last_start]
    happened = []
    if last:
        worst = max(last, key=lambda row: row["thread_waits_or_overflows"])
        at = asked.second(worst["hour_start"])
        one = Happened(
            f"{worst['entry']}: {worst['thread_waits_or_overflows']:,} requests waited for a thread on {format_hour(worst['hour_start'])}.",
            "waits for threads",
            Select(from_s=at, to_s=at + 3600),
            "threads",
            asked.place(worst["refs"]),
        )
        happened.append(Ranked(Rank.LIMIT, worst["thread_waits_or_overflows"], one))
    return Found((section,), tuple(happened))
