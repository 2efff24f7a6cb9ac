"""The declared charts of report views: coupling facility, Db2, threads, goals, channels, storage and capacity groups."""

from typing import Any

from .spec import Measure, Picture, by_time, ratio, total

_MEMBER = "coalesce(member, db2_group, subsystem)"
_APPLICATION = (
    "concat_ws(' ', primauth, origauth, plan, connection, conntype, corrname, corrnmbr, mainpack, end_user, workstation, "
    '"transaction", requesting_location)'
)
# A duration report repeats the time of its intervals.
_OF_IO: dict[str, Any] = {"joined_by": "systems", "one_of": "report_kind DESC"}
_CLASS = "concat(service_class, ' period ' || period)"
_PERIOD = f"concat('importance ' || importance || ' ', {_CLASS})"
# The total row, or the only row. Report class periods repeat the same work.
_OF_ALL_SYSTEMS = """(
    SELECT * FROM performance_index
    WHERE class_kind = 'service_class_period'
    QUALIFY is_total OR count(*) OVER (
        PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, policy, workload, service_class, period
    ) = 1
)"""
_STRUCTURE = {"structure": "structure_name", "cf": "cf_name", "system": "system", "configuration": "configuration"}
_OF_STRUCTURES: dict[str, Any] = {
    "rank": (total("requests"), "the most requests"),
    "joined_by": "systems",
    "where": "is_overlapping IS NOT TRUE",
}
_OF_DB2: dict[str, Any] = {"joined_by": "window", "time": ("begin_at", "end_at"), "one_of": "report_kind, scope DESC"}
_OF_ENTRIES: dict[str, Any] = {
    "rank": (total("calls"), "the most calls"),
    "joined_by": "window",
    "time": ("collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT))", "collected_at"),
}
# No time is printed for 0 requests.
_TIME = "CASE WHEN {0}_requests = 0 THEN 0 ELSE {0}_requests * {0}_service_us END"
# With 0 requests the rate by kind is not printed, but it is 0.
_RATE = "CASE WHEN requests_per_s = 0 OR {0}_requests = 0 THEN 0 ELSE {1} END"
_ASYNCHRONOUS = by_time(_RATE.format("async", "async_per_s"))
_CHANGED = by_time(_RATE.format("async", "async_per_s * changed_requests / async_requests"))
_MISSED = ratio("sync_io + prefetch_pages", "getpages")
# Negative if prefetch read more pages than were requested.
_HIT = f"(1 - {_MISSED}) * 100"
_UNIT = "concat(control_unit, ' (SSID ' || ssid || ')')"


def _by_requests(time: str, requests: str = "io_per_s * interval_s") -> str:
    """The mean over requests. Without requests no time is printed."""
    return ratio(f"CASE WHEN {requests} = 0 THEN 0 ELSE {requests} * {time} END", requests)


REPORT_PICTURES = (
    Picture(
        "cf_requests", "facility", "How many requests do coupling facility structures get?", "Requests",
        "Requests per second, one row per structure and system, one mark per configuration.", "cf_structure_interval",
        _STRUCTURE, [Measure("requests_per_s", "Requests", by_time("requests_per_s"))], "marks",
        series="configuration", **_OF_STRUCTURES,
    ),
    Picture(
        "cf_modes", "facility", "How many requests are asynchronous, or were changed to it?", "Requests",
        "Requests per second of structures with asynchronous requests, one bar per structure, system and configuration, split by mode.",
        "cf_structure_interval", _STRUCTURE,
        [
            Measure("sync_per_s", "Synchronous", by_time(_RATE.format("sync", "sync_per_s"))),
            Measure("async_per_s", "Asynchronous", f"({_ASYNCHRONOUS}) - ({_CHANGED})"),
            Measure("changed_per_s", "Changed to asynchronous", _CHANGED, "1/s"),
            Measure("all_async_per_s", "Asynchronous, changed or not", _ASYNCHRONOUS, "1/s", ("async_per_s", "changed_per_s")),
        ],
        "stack", **_OF_STRUCTURES,
        rows="""(
            SELECT * FROM cf_structure_interval
            QUALIFY bool_or(async_requests > 0 OR changed_requests > 0) OVER (PARTITION BY sysplex, structure_name, cf_name, system)
        )""",
    ),
    *(
        Picture(
            name, "facility", f"How long do {mode} requests to coupling facility structures take?",
            f"Service time of {mode} requests",
            f"Mean service time of {mode} requests, one row per structure and system, one mark per configuration.",
            "cf_structure_interval", _STRUCTURE,
            [Measure(f"{kind}_service_us", mode.capitalize(), ratio(_TIME.format(kind), f"{kind}_requests"))],
            "marks", series="configuration", **_OF_STRUCTURES,
        )
        for name, kind, mode in (("cf_service_time", "sync", "synchronous"), ("cf_async_service_time", "async", "asynchronous"))
    ),
    Picture(
        "lock_contention", "facility", "How often do lock requests meet contention, and how much of it is false?",
        "Of the lock requests",
        "Real and false contention in percent of lock requests, one bar per lock structure, system and configuration; "
        "beside it false contention in percent of all contention.",
        "lock_contention", _STRUCTURE,
        [
            Measure("real_contention_pct", "Real contention", ratio("contention_total - contention_false", "contention_requests", 100), "%"),
            Measure("false_contention_pct", "False contention", ratio("contention_false", "contention_requests", 100)),
        ],
        "stack",
        note=("{} of it false", Measure("false_of_contention_pct", "False of all contention", ratio("contention_false", "contention_total", 100))),
        joined_by="systems", where="is_overlapping IS NOT TRUE",
    ),
    Picture(
        "gbp_delay", "facility", "Group buffer pool and lock delay per transaction (accesses × service time)",
        "Delay per transaction",
        "Accesses per transaction times service time, by group buffer pool and lock structure, one bar per configuration and run.",
        "gbp_delay_per_transaction",
        {"group": "db2_group", "configuration": "configuration", "run": "run", "gbp": "gbp"},
        [Measure("delay_per_transaction_us", "Delay per transaction")], "stack", series="gbp", where="NOT is_total",
    ),
    Picture(
        "gbp_reads", "database", "Group buffer pool reads by outcome", "Reads",
        "Reads per second, one bar per member, group buffer pool and configuration, by reason and by whether data was returned.",
        "group_buffer_pool",
        {"member": _MEMBER, "gbp": "gbp", "configuration": "configuration", "kind": "report_kind"},
        [
            Measure(name, title, ratio(name, "interval_elapsed_s"), "1/s")
            for name, title in (
                ("reads_xi_returned", "Invalidated, returned"),
                ("reads_xi_not_returned", "Invalidated, not returned"),
                ("reads_nf_returned", "Not in the pool, returned"),
                ("reads_nf_not_returned", "Not in the pool, not returned"),
            )
        ],
        "stack",
        note=("{} hits", Measure("read_hit_pct", "Hits", ratio("reads_xi_returned + reads_nf_returned", "reads_total", 100))),
        **_OF_DB2,
    ),
    Picture(
        "gbp_accesses", "database", "Group buffer pool requests by type", "Accesses",
        "Accesses per second, one bar per member, group buffer pool and configuration: reads, pages written, castout, other requests.",
        "group_buffer_pool",
        {"member": _MEMBER, "gbp": "gbp", "configuration": "configuration", "kind": "report_kind"},
        [
            Measure(name, title, ratio(name, "interval_elapsed_s"), "1/s")
            for name, title in (
                ("reads_total", "Reads"), ("writes_total", "Pages written"), ("castout_pages", "Pages cast out"), ("other_requests", "Other requests"),
            )
        ],
        "stack", **_OF_DB2,
    ),
    *(
        Picture(
            f"{view}_hits", "database", "Buffer pool hit ratio" + (" by application" if "application" in of else ""),
            "Buffer pool hit ratio", "Buffer pool hits in percent of getpages, one mark per pool.", view,
            {**of, "pool": "buffer_pool", "configuration": "configuration", "kind": "report_kind"},
            [Measure("hit_pct", "Hits", _HIT)], "marks", series="configuration",
            rank=(total("getpages"), "the most getpages"), **_OF_DB2,
        )
        for view, of in (
            ("buffer_pool", {"member": _MEMBER}),
            ("buffer_pool_accounting", {"member": _MEMBER, "application": _APPLICATION}),
        )
    ),
    Picture(
        "thread_reuse", "threads", "Db2 thread reuse by DB2ENTRY", "Thread reuse",
        "Thread reuses in percent of reuses and creates, one mark per DB2ENTRY.", "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [Measure("thread_reuse_pct", "Reuse", ratio("thread_reuses", "thread_reuses + thread_creates", 100))],
        "marks", **_OF_ENTRIES,
    ),
    Picture(
        "calls_per_unit", "threads", "How many calls and commits per unit of work?", "Per unit of work",
        "SQL calls and single-phase commits per unit of work, one bar per DB2ENTRY.", "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [
            Measure("calls_per_request", "Calls", ratio("calls", "units_of_work"), ""),
            Measure("single_phase_per_request", "Single-phase commits", ratio("single_phase", "units_of_work"), ""),
        ],
        "group", **_OF_ENTRIES,
    ),
    Picture(
        "goals", "goals", "Which goals are missed, in how many of their intervals?", "Intervals that missed the goal",
        "Intervals with a performance index above 1, which misses the goal, in percent of those with an index, one bar per service class period and "
        "configuration, the most important first; beside it the worst index. Goals that were always met are left out.",
        "configuration_goal", {"period": _PERIOD, "systems": "systems_apart", "configuration": "configuration"},
        [Measure("missed_pct", "Intervals that missed the goal", unit="%")], "group",
        note=("worst index {}", Measure("index_worst", "Worst index", unit="")),
        rank=("1000 * (9 - coalesce(importance, 9)) + missed_pct", "the highest importance"),
        # Configurations with different sets of systems are compared; systems that report separately have a row each.
        rows="""(
            SELECT *, CASE WHEN max(number) OVER (PARTITION BY study) > 1 THEN systems ELSE '' END AS systems_apart
            FROM (
                SELECT *, 100.0 * missed / nullif(intervals, 0) AS missed_pct,
                    count(*) OVER (PARTITION BY study, configuration, service_class, period) AS number
                FROM configuration_goal
            )
        )""",
        drops_zeros="groups",
    ),
    Picture(
        "index_over_time", "goals", "When are goals missed?", "Performance index, 1 = goal met",
        "Printed performance index of service class periods that missed their goal in any selected interval; above 1 misses the goal.",
        "performance_index", {"period": _PERIOD, "systems": "scope", "configuration": "configuration"},
        [Measure("performance_index", "Performance index")], "lines", joined_by="scope", rows=_OF_ALL_SYSTEMS,
        where="performance_index IS NOT NULL", limit=1.0,
    ),
    Picture(
        "channel_busy", "io", "How busy are the channel paths of the machine?", "Time busy",
        "Mean utilization of FICON channel paths by all partitions of the machine, one row per channel path and system that prints it, "
        "one mark per configuration.",
        "channel_path_interval",
        {"channel": "concat_ws('.', channel_subsystem, channel_path_id)", "system": "system", "configuration": "configuration"},
        [Measure("busy_pct", "Busy", by_time("busy_pct"))], "marks", series="configuration",
        **_OF_IO, where="kind = 'ficon'",
    ),
    Picture(
        "io_queue_delay", "io", "How long do I/O requests wait in the channel subsystem until they are started?",
        "Delay in the channel subsystem",
        "Mean delay of a request (CSS DLY), one row per alias management group, or per logical control unit where none are printed, and "
        "system; one mark per configuration.",
        "io_queue_interval", {"unit": "unit", "system": "system", "configuration": "configuration"},
        [Measure("channel_subsystem_delay_ms", "Delay", _by_requests("channel_subsystem_delay_ms"))], "marks",
        series="configuration", rank=(ratio("io_per_s * interval_s", "interval_s"), "the most requests"),
        joined_by="systems", one_of="report_kind DESC, kind",
    ),
    Picture(
        "volume_response", "io", "Where does the response time of volumes go?", "Response time of a request",
        "Mean response time of I/O requests, one bar per volume, system and configuration: queue of the device (IOSQ), channel subsystem "
        "(PEND), disconnected (mostly cache misses and remote copy), connected.",
        "volume_interval",
        {"volume": "coalesce(volume, device_number)", "system": "system", "configuration": "configuration"},
        [
            Measure(f"{name}_ms", title, _by_requests(f"{name}_ms"))
            for name, title in (("iosq", "IOSQ"), ("pend", "Pending"), ("disconnect", "Disconnected"), ("connect", "Connected"))
        ],
        "stack", rank=(by_time("io_in_progress"), "the most requests in progress"),
        **_OF_IO, where="io_per_s > 0",
    ),
    Picture(
        "cache_misses", "io", "How many requests miss the cache of a storage control unit?", "Misses",
        "Read and write misses per second of all systems, one bar per control unit, system that prints it and configuration; beside it the "
        "share of reads that hit.",
        "cache_interval", {"unit": _UNIT, "system": "system", "configuration": "configuration"},
        [
            Measure(f"{kind}_misses_per_s", f"{kind.capitalize()} misses", by_time(f"{kind}_misses_per_s", "cache_interval_s"))
            for kind in ("read", "write")
        ],
        "stack",
        note=("{} of reads hit", Measure("read_hit_pct", "Read hits", ratio("reads_per_s * cache_interval_s * read_hit_pct", "reads_per_s * cache_interval_s"))),
        **_OF_IO,
    ),
    Picture(
        "group_capacity", "capacity", "Do the partitions of a capacity group get their MSU?", "Capacity",
        "MSU used and least entitlement of a partition, as its own system prints them, one bar per partition and configuration; beside it how "
        "long a cap held it back.",
        "group_capacity", {"group": "capacity_group", "partition": "partition", "configuration": "configuration"},
        [
            Measure("msu_used", "Used", by_time("msu_used")),
            Measure("msu_entitled_min", "Entitled at least", by_time("msu_entitled_min")),
        ],
        "group",
        note=("capped {} of the time", Measure("capping_actual_pct", "Capped", by_time("capping_actual_pct"))),
        rows="(SELECT CAST(NULL AS VARCHAR) AS sysplex, * FROM group_capacity)",
        **_OF_IO, where="is_own",
    ),
)  # fmt: skip
