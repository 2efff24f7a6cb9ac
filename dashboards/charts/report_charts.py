"""The declared charts of report views: coupling facility, Db2, threads, goals."""

from typing import Any

from .spec import Measure, Picture, by_time, ratio, total

_MEMBER = "coalesce(member, db2_group, subsystem)"
_APPLICATION = (
    "concat_ws(' ', primauth, origauth, plan, connection, conntype, corrname, corrnmbr, mainpack, end_user, workstation, "
    '"transaction", requesting_location)'
)
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

REPORT_PICTURES = (
    Picture(
        "cf_requests",
        "facility",
        "How many requests do coupling facility structures get?",
        "Requests",
        "Requests per second, one row per structure and system, one mark per configuration.",
        "cf_structure_interval",
        _STRUCTURE,
        [Measure("requests_per_s", "Requests", by_time("requests_per_s"))],
        "marks",
        series="configuration",
        **_OF_STRUCTURES,
    ),
    Picture(
        "cf_modes",
        "facility",
        "How many requests are asynchronous, or were changed to it?",
        "Requests",
        "Requests per second of structures with asynchronous requests, one bar per structure, system and configuration, split by mode.",
        "cf_structure_interval",
        _STRUCTURE,
        [
            Measure("sync_per_s", "Synchronous", by_time(_RATE.format("sync", "sync_per_s"))),
            Measure("async_per_s", "Asynchronous", f"({_ASYNCHRONOUS}) - ({_CHANGED})"),
            Measure("changed_per_s", "Changed to asynchronous", _CHANGED, "1/s"),
            Measure("all_async_per_s", "Asynchronous, changed or not", _ASYNCHRONOUS, "1/s", ("async_per_s", "changed_per_s")),
        ],
        "stack",
        **_OF_STRUCTURES,
        rows="""(
            SELECT * FROM cf_structure_interval
            QUALIFY bool_or(async_requests > 0 OR changed_requests > 0) OVER (PARTITION BY sysplex, structure_name, cf_name, system)
        )""",
    ),
    *(
        Picture(
            name,
            "facility",
            f"How long do {mode} requests to coupling facility structures take?",
            f"Service time of {mode} requests",
            f"Mean service time of {mode} requests, one row per structure and system, one mark per configuration.",
            "cf_structure_interval",
            _STRUCTURE,
            [Measure(f"{kind}_service_us", mode.capitalize(), ratio(_TIME.format(kind), f"{kind}_requests"))],
            "marks",
            series="configuration",
            **_OF_STRUCTURES,
        )
        for name, kind, mode in (("cf_service_time", "sync", "synchronous"), ("cf_async_service_time", "async", "asynchronous"))
    ),
    Picture(
        "lock_contention",
        "facility",
        "How often do lock requests meet contention, and how much of it is false?",
        "Of the lock requests",
        "Real and false contention in percent of lock requests, one bar per lock structure, system and configuration; "
        "beside it false contention in percent of all contention.",
        "lock_contention",
        _STRUCTURE,
        [
            Measure("real_contention_pct", "Real contention", ratio("contention_total - contention_false", "contention_requests", 100), "%"),
            Measure("false_contention_pct", "False contention", ratio("contention_false", "contention_requests", 100)),
        ],
        "stack",
        note=("{} of it false", Measure("false_of_contention_pct", "False of all contention", ratio("contention_false", "contention_total", 100))),
        joined_by="systems",
        where="is_overlapping IS NOT TRUE",
    ),
    Picture(
        "gbp_delay",
        "facility",
        "Group buffer pool and lock delay per transaction (accesses × service time)",
        "Delay per transaction",
        "Accesses per transaction times service time, by group buffer pool and lock structure, one bar per configuration and run.",
        "gbp_delay_per_transaction",
        {"group": "db2_group", "configuration": "configuration", "run": "run", "gbp": "gbp"},
        [Measure("delay_per_transaction_us", "Delay per transaction")],
        "stack",
        series="gbp",
        where="NOT is_total",
    ),
    Picture(
        "gbp_reads",
        "database",
        "Group buffer pool reads by outcome",
        "Reads",
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
        "gbp_accesses",
        "database",
        "Group buffer pool requests by type",
        "Accesses",
        "Accesses per second, one bar per member, group buffer pool and configuration: reads, pages written, castout, other requests.",
        "group_buffer_pool",
        {"member": _MEMBER, "gbp": "gbp", "configuration": "configuration", "kind": "report_kind"},
        [
            Measure(name, title, ratio(name, "interval_elapsed_s"), "1/s")
            for name, title in (
                ("reads_total", "Reads"), ("writes_total", "Pages written"), ("castout_pages", "Pages cast out"), ("other_requests", "Other requests"),
            )
        ],
        "stack",
        **_OF_DB2,
    ),
    *(
        Picture(
            f"{view}_hits",
            "database",
            "Buffer pool hit ratio" + (" by application" if "application" in of else ""),
            "Buffer pool hit ratio",
            "Buffer pool hits in percent of getpages, one mark per pool.",
            view,
            {**of, "pool": "buffer_pool", "configuration": "configuration", "kind": "report_kind"},
            [Measure("hit_pct", "Hits", _HIT)],
            "marks",
            series="configuration",
            rank=(total("getpages"), "the most getpages"),
            **_OF_DB2,
        )
        for view, of in (
            ("buffer_pool", {"member": _MEMBER}),
            ("buffer_pool_accounting", {"member": _MEMBER, "application": _APPLICATION}),
        )
    ),
    Picture(
        "thread_reuse",
        "threads",
        "Db2 thread reuse by DB2ENTRY",
        "Thread reuse",
        "Thread reuses in percent of reuses and creates, one mark per DB2ENTRY.",
        "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [Measure("thread_reuse_pct", "Reuse", ratio("thread_reuses", "thread_reuses + thread_creates", 100))],
        "marks",
        **_OF_ENTRIES,
    ),
    Picture(
        "calls_per_unit",
        "threads",
        "How many calls and commits per unit of work?",
        "Per unit of work",
        "SQL calls and single-phase commits per unit of work, one bar per DB2ENTRY.",
        "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [
            Measure("calls_per_request", "Calls", ratio("calls", "units_of_work"), ""),
            Measure("single_phase_per_request", "Single-phase commits", ratio("single_phase", "units_of_work"), ""),
        ],
        "group",
        **_OF_ENTRIES,
    ),
    Picture(
        "goals",
        "goals",
        "Which goals are missed, in how many of their intervals?",
        "Intervals that missed the goal",
        "Intervals with a performance index above 1, which misses the goal, in percent of those with an index, one bar per service class period and "
        "configuration, the most important first; beside it the worst index. Goals that were always met are left out.",
        "configuration_goal",
        {"period": _PERIOD, "systems": "systems_apart", "configuration": "configuration"},
        [Measure("missed_pct", "Intervals that missed the goal", unit="%")],
        "group",
        note=("worst index {}", Measure("index_worst", "Worst index", unit="")),
        rank=("1000 * (9 - coalesce(importance, 9)) + missed_pct", "the highest importance"),
        # Configurations with different sets of systems are compared; systems that report separately are apart.
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
    *(
        Picture(
            f"goal_{name}",
            "goals",
            f"{question} Most important first",
            axis,
            f"Goal and actual of service class periods with {about} goals, in the interval furthest from the goal.",
            "performance_index",
            {"period": _PERIOD, "systems": "scope", "configuration": "configuration"},
            [Measure(goal, "Goal", f"arg_max({goal}, ({away}, {goal}, {actual}))"), Measure(actual, "Actual", f"arg_max({actual}, ({away}, {goal}, {actual}))")],
            "marks",
            # Those without an index last.
            rank=("coalesce(max(performance_index), 0)", "the highest performance index"),
            joined_by="scope",
            rows=_OF_ALL_SYSTEMS,
            where=f"goal_type = '{kind}' AND {goal} IS NOT NULL AND {actual} IS NOT NULL",
        )
        for name, kind, goal, actual, away, question, axis, about in (
            ("response", "average", "goal_s", "actual_s", "actual_s / greatest(goal_s, 0.000001)", "Response-time goals: goal and actual.", "Response time", "response time"),
            ("percentile", "percentile", "goal_pct", "actual_pct", "goal_pct - actual_pct", "Percentile goals: goal and actual.", "Transactions within the goal", "percentile"),
            ("velocity", "velocity", "goal_pct", "velocity_pct", "goal_pct / greatest(velocity_pct, 0.01)", "Velocity goals: goal and actual.", "Execution velocity", "velocity"),
        )
    ),
    Picture(
        "index_over_time",
        "goals",
        "When are goals missed?",
        "Performance index, 1 = goal met",
        "Printed performance index of service class periods that missed their goal in any selected interval; above 1 misses the goal.",
        "performance_index",
        {"period": _PERIOD, "systems": "scope", "configuration": "configuration"},
        [Measure("performance_index", "Performance index")],
        "lines",
        joined_by="scope",
        rows=_OF_ALL_SYSTEMS,
        where="performance_index IS NOT NULL",
        limit=1.0,
    ),
)  # fmt: skip
