-- Grain: one row per CICS region, span of monitoring data and transaction.
-- Inputs: cics_monitoring_summary, cics_monitoring_task.
-- Where the time of a task goes, by CICS monitoring. Totals are left out; the rows of several programs or users of a transaction are added,
-- their means weighted by tasks. The tasks of lists are added where there is no summary of the region and span. Rows printed twice count
-- once (the smallest source_id and line).
-- Formulas: waiting_for_processor_ms = dispatch - processor time. other_wait_ms = suspend - dispatch wait - first dispatch delay, where
-- both are printed. cpu_s = tasks × mean, cpu_precision_pct = half of the last printed digit of the mean, of the mean: CICS PA prints
-- four decimals of a second, so a mean of 0.3 ms is one of 0.25 to 0.35.
-- Source: CICS monitoring, DFHTASK; CICS PA Report Reference, Performance Summary.
-- Worked: 300 tasks of 2 ms and 100 of 4 ms are 400 of 2.5 ms, 1 s.
-- Shards: by begin_at.
-- Columns:
--   applid, transaction: region and transaction
--   begin_at, end_at: from and to of the data, as printed
--   interval_s [s]: from the first to the last
--   tasks: number of tasks
--   response_ms, dispatch_ms, cpu_ms, suspend_ms [ms]: means per task
--   waiting_for_processor_ms, dispatch_wait_ms, first_dispatch_delay_ms, other_wait_ms [ms]: see above
--   qr_cpu_ms, l8_cpu_ms, t8_cpu_ms, cpu_on_cp_ms, ziip_on_cp_ms [ms]: means per task; NULL where not printed
--   dispatch_pct, suspend_pct [%]: of the response time
--   cpu_s [s]: of all tasks
--   cpu_precision_pct [%]: see above
--   is_conflicting: the key was printed again with other values
--   refs: the printed rows behind the row
WITH printed AS (
    SELECT
        applid, begin_at, end_at, interval_s, transaction, program, userid, tasks, NULL AS task, NULL AS stopped, response_s, dispatch_s,
        cpu_s, cpu_s_resolution, suspend_s, dispatch_wait_s, first_dispatch_delay_s, qr_cpu_s, l8_cpu_s, t8_cpu_s, cpu_on_cp_s, ziip_on_cp_s,
        source_id, page, line, TRUE AS is_summary
    FROM cics_monitoring_summary
    WHERE is_total IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        applid, begin_at, end_at, interval_s, transaction, program, userid, 1 AS tasks, task, stopped_at_printed AS stopped, response_s,
        dispatch_s, cpu_s, cpu_s_resolution, suspend_s, dispatch_wait_s, first_dispatch_delay_s, qr_cpu_s, l8_cpu_s, t8_cpu_s, cpu_on_cp_s,
        ziip_on_cp_s, source_id, page, line, FALSE AS is_summary
    FROM cics_monitoring_task
),
copies AS (
    SELECT
        *,
        row_number() OVER all_copies AS copy,
        min(row(tasks, response_s, cpu_s)) OVER all_copies IS DISTINCT FROM max(row(tasks, response_s, cpu_s)) OVER all_copies AS is_conflicting,
        bool_or(is_summary) OVER (PARTITION BY applid, begin_at, end_at) AS has_summary
    FROM printed
    WINDOW all_copies AS (
            PARTITION BY applid, begin_at, end_at, transaction, program, userid, task, stopped, is_summary
            ORDER BY source_id, line
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
),
summed AS (
    SELECT
        applid, transaction, begin_at, end_at, min(interval_s) AS interval_s, CAST(sum_all(tasks) AS BIGINT) AS tasks,
        1000 * mean_where_any(response_s, tasks) AS response_ms,
        1000 * mean_where_any(dispatch_s, tasks) AS dispatch_ms,
        1000 * mean_where_any(cpu_s, tasks) AS cpu_ms,
        1000 * mean_where_any(suspend_s, tasks) AS suspend_ms,
        1000 * mean_where_any(dispatch_wait_s, tasks) AS dispatch_wait_ms,
        1000 * mean_where_any(first_dispatch_delay_s, tasks) AS first_dispatch_delay_ms,
        1000 * mean_where_any(qr_cpu_s, tasks) AS qr_cpu_ms,
        1000 * mean_where_any(l8_cpu_s, tasks) AS l8_cpu_ms,
        1000 * mean_where_any(t8_cpu_s, tasks) AS t8_cpu_ms,
        1000 * mean_where_any(cpu_on_cp_s, tasks) AS cpu_on_cp_ms,
        1000 * mean_where_any(ziip_on_cp_s, tasks) AS ziip_on_cp_ms,
        sum_all(cpu_s * tasks) AS cpu_s,
        sum_all(cpu_s_resolution / 2 * tasks) AS cpu_precision_s,
        bool_or(is_conflicting) AS is_conflicting,
        all_refs(source_id, page, line) AS refs
    FROM copies
    WHERE copy = 1 AND is_summary = has_summary
    GROUP BY applid, transaction, begin_at, end_at
),
final AS (
    SELECT
        applid, transaction, begin_at, end_at, interval_s, tasks, response_ms, dispatch_ms, cpu_ms, suspend_ms,
        at_least_zero(dispatch_ms - cpu_ms) AS waiting_for_processor_ms,
        dispatch_wait_ms, first_dispatch_delay_ms,
        at_least_zero(suspend_ms - dispatch_wait_ms - first_dispatch_delay_ms) AS other_wait_ms,
        qr_cpu_ms, l8_cpu_ms, t8_cpu_ms, cpu_on_cp_ms, ziip_on_cp_ms,
        100 * dispatch_ms / nullif(response_ms, 0) AS dispatch_pct,
        100 * suspend_ms / nullif(response_ms, 0) AS suspend_pct,
        cpu_s, 100 * cpu_precision_s / nullif(cpu_s, 0) AS cpu_precision_pct,
        is_conflicting, refs
    FROM summed
)
SELECT * FROM final
