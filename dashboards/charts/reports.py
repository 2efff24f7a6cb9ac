"""The declared pictures of what reports print beside processor time: coupling facility, Db2, threads, goals."""

from .spec import Measure, Picture, by_time, ratio, total

_MEMBER = "coalesce(member, db2_group, subsystem)"
_APPLICATION = (
    "concat_ws(' ', primauth, origauth, plan, connection, conntype, corrname, corrnmbr, mainpack, end_user, workstation, "
    '"transaction", requesting_location)'
)
_CLASS = "concat(service_class, ' period ' || period)"
_PERIOD = f"concat('importance ' || importance || ' ', {_CLASS})"
# The row of all systems, or that of the only one. Periods of report classes are of the same work.
_OF_ALL_SYSTEMS = """(
    SELECT * FROM performance_index
    WHERE class_kind = 'service_class_period'
    QUALIFY is_total OR count(*) OVER (
        PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, policy, workload, service_class, period
    ) = 1
)"""
_ONE_KIND = "report_kind, scope DESC"
# Of no requests no time is printed.
_TIME = "CASE WHEN {0}_requests = 0 THEN 0 ELSE {0}_requests * {0}_service_us END"
# Of no requests no rate by kind is known, and it is none.
_RATE = "CASE WHEN requests_per_s = 0 OR {0}_requests = 0 THEN 0 ELSE {1} END"
_ASYNCHRONOUS = by_time(_RATE.format("async", "async_per_s"))
_CHANGED = by_time(_RATE.format("async", "async_per_s * changed_requests / async_requests"))
_MISSED = ratio("sync_io + prefetch_pages", "getpages")
# Below 0 where prefetch read more pages than were asked for.
_HIT = f"(1 - {_MISSED}) * 100"

REPORT_PICTURES = (
    Picture(
        "cf_requests",
        "facility",
        "How many requests do coupling facility structures get?",
        "Requests",
        "Bars of requests a second, one a structure, system and configuration, by how they were done.",
        "cf_structure_interval",
        {"structure": "structure_name", "cf": "cf_name", "system": "system", "configuration": "configuration"},
        [
            Measure("sync_per_s", "Synchronous", by_time(_RATE.format("sync", "sync_per_s"))),
            Measure("async_per_s", "Asynchronous", f"({_ASYNCHRONOUS}) - ({_CHANGED})"),
            Measure("changed_per_s", "Changed to asynchronous", _CHANGED, "1/s"),
            Measure("all_async_per_s", "Asynchronous, changed or not", _ASYNCHRONOUS, "1/s", ("async_per_s", "changed_per_s")),
        ],
        "stack",
        rank=(total("requests"), "the most requests"),
        near="systems",
        where="is_overlapping IS NOT TRUE",
    ),
    Picture(
        "cf_service_time",
        "facility",
        "How long do requests to coupling facility structures take?",
        "Service time",
        "Mean service time of requests, one row a structure, system and configuration, synchronous and asynchronous.",
        "cf_structure_interval",
        {"structure": "structure_name", "cf": "cf_name", "system": "system", "configuration": "configuration"},
        [
            Measure("sync_service_us", "Synchronous", ratio(_TIME.format("sync"), "sync_requests")),
            Measure("async_service_us", "Asynchronous", ratio(_TIME.format("async"), "async_requests")),
        ],
        "marks",
        rank=(total("requests"), "the most requests"),
        near="systems",
        where="is_overlapping IS NOT TRUE",
    ),
    Picture(
        "lock_contention",
        "facility",
        "How often do lock requests meet contention, and how much of it is false?",
        "Of the lock requests",
        "Bars of contention in percent of the lock requests, one a lock structure, system and configuration, real and false; "
        "beside them false contention in percent of all contention.",
        "lock_contention",
        {"structure": "structure_name", "cf": "cf_name", "system": "system", "configuration": "configuration"},
        [
            Measure("real_contention_pct", "Real contention", ratio("contention_total - contention_false", "contention_requests", 100), "%"),
            Measure("false_contention_pct", "False contention", ratio("contention_false", "contention_requests", 100)),
        ],
        "stack",
        note=("{} of it false", Measure("false_of_contention_pct", "False of all contention", ratio("contention_false", "contention_total", 100))),
        near="systems",
        where="is_overlapping IS NOT TRUE",
    ),
    Picture(
        "gbp_delay",
        "facility",
        "How long does a transaction wait for group buffer pools and the lock structure?",
        "Delay per transaction",
        "Accesses a transaction times their service time, by group buffer pool and lock structure, one bar a configuration and run.",
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
        "What do reads from group buffer pools find?",
        "Reads",
        "Bars of reads a second, one a member, group buffer pool and configuration, by why the page was asked for and whether it came.",
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
        near="window",
        time=("begin_at", "end_at"),
        one_of=_ONE_KIND,
    ),
    Picture(
        "gbp_accesses",
        "database",
        "What are group buffer pools asked for?",
        "Accesses",
        "Bars of accesses a second, one a member, group buffer pool and configuration: reads, pages written and cast out, other requests.",
        "group_buffer_pool",
        {"member": _MEMBER, "gbp": "gbp", "configuration": "configuration", "kind": "report_kind"},
        [
            Measure(name, title, ratio(name, "interval_elapsed_s"), "1/s")
            for name, title in (
                ("reads_total", "Reads"), ("writes_total", "Pages written"), ("castout_pages", "Pages cast out"), ("other_requests", "Other requests"),
            )
        ],
        "stack",
        near="window",
        time=("begin_at", "end_at"),
        one_of=_ONE_KIND,
    ),
    *(
        picture
        for view, of in (
            ("buffer_pool", {"member": _MEMBER}),
            ("buffer_pool_accounting", {"member": _MEMBER, "application": _APPLICATION}),
        )
        for picture in (
            Picture(
                f"{view}_hits",
                "database",
                "How many getpages find their page in the buffer pool?"
                + (" By application" if "application" in of else ""),
                "Getpages that did no input",
                "Buffer pool hits in percent of the getpages, one mark a pool.",
                view,
                {**of, "pool": "buffer_pool", "configuration": "configuration", "kind": "report_kind"},
                [Measure("hit_pct", "Hits", _HIT)],
                "marks",
                rank=(total("getpages"), "the most getpages"),
                near="window",
                time=("begin_at", "end_at"),
                one_of=_ONE_KIND,
            ),
            Picture(
                f"{view}_getpages",
                "database",
                "How many getpages go to one synchronous read?" + (" By application" if "application" in of else ""),
                "Getpages per synchronous read",
                "Getpages over synchronous reads, one mark a pool.",
                view,
                {**of, "pool": "buffer_pool", "configuration": "configuration", "kind": "report_kind"},
                [Measure("getpages_per_sync_io", "Getpages per synchronous read", ratio("getpages", "sync_io"))],
                "marks",
                rank=(total("getpages"), "the most getpages"),
                near="window",
                time=("begin_at", "end_at"),
                one_of=_ONE_KIND,
            ),
        )
    ),
    Picture(
        "thread_reuse",
        "threads",
        "How often is a thread to Db2 there already?",
        "Thread reuse",
        "Reuses in percent of reuses and creates, one mark a DB2ENTRY.",
        "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [Measure("thread_reuse_pct", "Reuse", ratio("thread_reuses", "thread_reuses + thread_creates", 100))],
        "marks",
        rank=(total("calls"), "the most calls"),
        near="window",
        time=("collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT))", "collected_at"),
    ),
    Picture(
        "calls_per_unit",
        "threads",
        "How many calls and commits does a unit of work make?",
        "Per unit of work",
        "SQL calls and single-phase commits over units of work, one bar each a DB2ENTRY.",
        "db2entry_thread_reuse",
        {"region": "applid", "db2entry": "db2entry", "configuration": "configuration"},
        [
            Measure("calls_per_request", "Calls", ratio("calls", "units_of_work"), ""),
            Measure("single_phase_per_request", "Single-phase commits", ratio("single_phase", "units_of_work"), ""),
        ],
        "group",
        rank=(total("calls"), "the most calls"),
        near="window",
        time=("collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT))", "collected_at"),
    ),
    Picture(
        "goals",
        "goals",
        "Which goals are missed?",
        "Performance index",
        "",
        "configuration_goal",
        {"period": _CLASS, "systems": "systems", "configuration": "configuration"},
        [
            Measure("missed", "Missed"),
            Measure("intervals", "Intervals"),
            Measure("index_worst", "Worst"),
            Measure("index_worst_bound", "Bound"),
            Measure("importance", "Importance"),
            Measure("goal", "Goal"),
        ],
        "index",
    ),
    *(
        Picture(
            f"goal_{name}",
            "goals",
            f"{question} Most important first",
            axis,
            f"Goal and actual of service class periods with {about} goals, in the interval that was furthest from the goal.",
            "performance_index",
            {"period": _PERIOD, "systems": "scope", "configuration": "configuration"},
            [Measure(goal, "Goal", f"arg_max({goal}, ({away}, {goal}, {actual}))"), Measure(actual, "Actual", f"arg_max({actual}, ({away}, {goal}, {actual}))")],
            "marks",
            # Those without an index last.
            rank=("coalesce(max(performance_index), 0)", "the highest performance index"),
            near="scope",
            rows=_OF_ALL_SYSTEMS,
            where=f"goal_type = '{kind}' AND {goal} IS NOT NULL AND {actual} IS NOT NULL",
        )
        for name, kind, goal, actual, away, question, axis, about in (
            ("response", "average", "goal_s", "actual_s", "actual_s / greatest(goal_s, 0.000001)", "Which response times keep their goal?", "Response time", "response time"),
            ("percentile", "percentile", "goal_pct", "actual_pct", "goal_pct - actual_pct", "How many transactions keep within their time?", "Transactions within the goal", "percentile"),
            ("velocity", "velocity", "goal_pct", "velocity_pct", "goal_pct / greatest(velocity_pct, 0.01)", "Which velocities keep their goal?", "Execution velocity", "velocity"),
        )
    ),
    Picture(
        "index_over_time",
        "goals",
        "When are goals missed?",
        "Performance index, 1 = goal met",
        "Printed performance index of service class periods in each selected interval; above 1 the goal is missed.",
        "performance_index",
        {"period": _PERIOD, "systems": "scope", "configuration": "configuration"},
        [Measure("performance_index", "Performance index")],
        "lines",
        near="scope",
        rows=_OF_ALL_SYSTEMS,
        where="performance_index IS NOT NULL",
    ),
)  # fmt: skip
