-- Grain: one row per report, place (system, CICS region or Db2 member), report_kind and day with intervals.
-- Rule: an interval is of the day that it starts on. A gap is time between two intervals of one day: more than a second, or a
-- hundredth of the interval after it. Interval reports of RMF also have gaps before their first and after their last interval of a day: from the
-- first or to the last interval that other systems of the sysplex have of this report, or that the system has of another report, if the gap is an
-- interval or more (98% of the place's longest). A page without a sysplex belongs to the sysplex that the day's pages of its system name. Driver
-- results have no clock and are not here. Reports of a moment (DFH0STAT, CICS servers) have no length, and no gap before them.
-- A page of several systems covers each of them. Coupling facility reports are of the sysplex.
-- Source: the intervals as printed.
-- Shards: by day.
-- Columns:
--   report: name of the report
--   sysplex, system: the place; of CICS the region, of Db2 the member; NULL if the page prints none
--   report_kind: as printed; of CICS the kind of collection
--   day: the day, local time
--   first_start, last_end [local time]: first start and last end of the day
--   covered_s [s]: covered time, overlaps counted once
--   gaps, gap_s [s]: number of gaps, and their total length
--   missing_before_s, missing_after_s [s]: of these before the first and after the last interval
WITH every_rmf AS (
    SELECT 'RMF CPU Activity' AS report, * FROM rmf_cpu_activity
    UNION ALL BY NAME SELECT 'RMF CPU Activity' AS report, * FROM rmf_address_space_count
    UNION ALL BY NAME SELECT 'RMF Partition Data' AS report, * FROM rmf_partition_data
    UNION ALL BY NAME SELECT 'RMF Group Capacity' AS report, * FROM rmf_group_capacity
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_usage
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_structure_activity
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_structure_summary
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_async_duplexing
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_subchannel_activity
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_to_cf
    UNION ALL BY NAME SELECT 'RMF Coupling Facility Activity' AS report, * FROM rmf_cf_channel_path
    UNION ALL BY NAME SELECT 'RMF XCF Activity' AS report, * FROM rmf_xcf_system
    UNION ALL BY NAME SELECT 'RMF XCF Activity' AS report, * FROM rmf_xcf_member
    UNION ALL BY NAME SELECT 'RMF XCF Activity' AS report, * FROM rmf_xcf_path
    UNION ALL BY NAME SELECT 'RMF IO Queuing' AS report, * FROM rmf_io_processor
    UNION ALL BY NAME SELECT 'RMF IO Queuing' AS report, * FROM rmf_io_queue
    UNION ALL BY NAME SELECT 'RMF Channel Path Activity' AS report, * FROM rmf_channel_path
    UNION ALL BY NAME SELECT 'RMF Channel Path Activity' AS report, * FROM rmf_channel_path_group
    UNION ALL BY NAME SELECT 'RMF Device Activity' AS report, * FROM rmf_device
    UNION ALL BY NAME SELECT 'RMF Cache Subsystem' AS report, * FROM rmf_cache_subsystem
    UNION ALL BY NAME SELECT 'RMF Cache Subsystem' AS report, * FROM rmf_cache_device
    UNION ALL BY NAME SELECT 'RMF Overview' AS report, * FROM rmf_overview
),
every_cics AS (
    FROM cics_transaction_manager
    UNION ALL BY NAME FROM cics_dispatcher
    UNION ALL BY NAME FROM cics_tcb_mode
    UNION ALL BY NAME FROM cics_tcb_time
    UNION ALL BY NAME FROM cics_transaction
    UNION ALL BY NAME FROM cics_transaction_class
    UNION ALL BY NAME FROM cics_storage
    UNION ALL BY NAME FROM cics_dsa_size
    UNION ALL BY NAME FROM cics_db2_connection
    UNION ALL BY NAME FROM cics_db2entry_request
    UNION ALL BY NAME FROM cics_db2entry_resource
    UNION ALL BY NAME FROM cics_db2entry_performance
),
every_server AS (
    FROM cics_server_pool
    UNION ALL BY NAME FROM cics_server_access
    UNION ALL BY NAME FROM cics_data_table_access
),
workload_page AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        min(ref(source_id, page, line)) AS ref
    FROM rmf_workload_activity
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
),
printed AS (
    SELECT
        'RMF Workload Activity' AS report, sysplex, unnest(string_split(coalesce(scope, ''), ',')) AS system, report_kind,
        interval_start, interval_end, ref
    FROM (
        SELECT sysplex, scope, report_kind, interval_start, interval_end, min(ref) AS ref FROM scoped(workload_page) GROUP BY ALL
    )
    UNION ALL
    -- Coupling facilities belong to the sysplex, whichever system prints them.
    SELECT
        report, sysplex, CASE WHEN report <> 'RMF Coupling Facility Activity' THEN system END, report_kind, interval_start, interval_end,
        ref(source_id, page, line)
    FROM every_rmf
    UNION ALL
    SELECT
        'CICS statistics', NULL, applid, collection,
        collected_at - to_milliseconds(CAST(coalesce(interval_s, 0) * 1000 AS BIGINT)), collected_at, ref(source_id, page, line)
    FROM every_cics
    UNION ALL
    SELECT 'CICS monitoring', NULL, applid, NULL, begin_at, end_at, ref(source_id, page, line)
    FROM (FROM cics_monitoring_summary UNION ALL BY NAME FROM cics_monitoring_task)
    UNION ALL
    SELECT 'CICS servers', NULL, system, NULL, collected_at, collected_at, ref(source_id, page, line)
    FROM every_server
    UNION ALL
    SELECT 'Db2 Statistics', NULL, coalesce(member, subsystem, db2_group), report_kind, begin_at, end_at, ref(source_id, page, line)
    FROM db2_statistics_counter
    UNION ALL
    SELECT 'Db2 Accounting', NULL, coalesce(member, subsystem, db2_group), report_kind, begin_at, end_at, ref(source_id, page, line)
    FROM db2_accounting_counter
),
interval_once AS (
    SELECT report, sysplex, nullif(system, '') AS system, report_kind, interval_start, interval_end, min(ref) AS ref
    FROM printed
    WHERE interval_start IS NOT NULL AND interval_end IS NOT NULL
    GROUP BY report, sysplex, nullif(system, ''), report_kind, interval_start, interval_end
),
placed AS (
    SELECT
        *,
        max(interval_end) OVER (
            PARTITION BY report, sysplex, system, report_kind
            ORDER BY interval_start, interval_end
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached
    FROM interval_once
),
measured AS (
    SELECT
        *,
        greatest(0, date_diff('millisecond', greatest(interval_start, coalesce(reached, interval_start)), interval_end) / 1000)
            AS covered_s,
        CASE WHEN CAST(reached AS DATE) = CAST(interval_start AS DATE) AND interval_end > interval_start
                AND date_diff('millisecond', reached, interval_start)
                    > greatest(1000, date_diff('millisecond', interval_start, interval_end) / 100)
            THEN date_diff('millisecond', reached, interval_start) / 1000 END AS gap_s
    FROM placed
),
by_day AS (
    SELECT
        report, sysplex, system, report_kind, CAST(interval_start AS DATE) AS day,
        report_kind = 'interval' AND system IS NOT NULL AND starts_with(report, 'RMF ') AS has_peers,
        count(*) AS intervals,
        min(interval_start) AS first_start,
        max(interval_end) AS last_end,
        max(date_diff('millisecond', interval_start, interval_end)) AS longest_ms,
        without_noise(sum(covered_s)) AS covered_s,
        count(gap_s) AS gaps,
        coalesce(sum(gap_s), 0) AS gap_s,
        [min_by(ref, (interval_start, ref)) FILTER (interval_start IS NOT NULL)] AS refs
    FROM measured
    GROUP BY report, sysplex, system, report_kind, CAST(interval_start AS DATE)
),
of_sysplex AS (
    SELECT
        *,
        coalesce(sysplex, CASE WHEN min(sysplex) OVER of_system = max(sysplex) OVER of_system THEN min(sysplex) OVER of_system END) AS own_sysplex
    FROM by_day
    WINDOW of_system AS (PARTITION BY has_peers, system, day)
),
beside AS (
    SELECT
        *,
        date_diff('millisecond', least(min(first_start) OVER of_report, min(first_start) OVER of_system), first_start) AS before_ms,
        date_diff('millisecond', last_end, greatest(max(last_end) OVER of_report, max(last_end) OVER of_system)) AS after_ms
    FROM of_sysplex
    WINDOW
        of_report AS (PARTITION BY has_peers, report, own_sysplex, day),
        of_system AS (PARTITION BY has_peers, system, own_sysplex, day)
),
missing AS (
    SELECT
        * EXCLUDE (before_ms, after_ms),
        CASE WHEN has_peers AND longest_ms > 0 AND 100 * before_ms >= 98 * longest_ms THEN before_ms / 1000 ELSE 0 END AS missing_before_s,
        CASE WHEN has_peers AND longest_ms > 0 AND 100 * after_ms >= 98 * longest_ms THEN after_ms / 1000 ELSE 0 END AS missing_after_s
    FROM beside
)
SELECT
    report, sysplex, system, report_kind, day, intervals, first_start, last_end, covered_s,
    gaps + CAST(missing_before_s > 0 AS BIGINT) + CAST(missing_after_s > 0 AS BIGINT) AS gaps,
    gap_s + missing_before_s + missing_after_s AS gap_s,
    missing_before_s, missing_after_s, refs
FROM missing
