-- Grain: one row per CICS region, span of monitoring data and transaction.
-- Parts of the time of a task, by CICS monitoring. Totals are left out; the rows of several programs or users of a transaction are added,
-- their means weighted by tasks. The tasks of lists are added where there is no summary of the region and span.
-- Rule: several summaries of one span are the same tasks again. Among summaries with the same keys, each value is the first printed (the
-- smallest source_id and line); among summaries with more and fewer keys (by transaction; by program or user too), each value comes from the
-- fewest keys that print it.
-- Formulas: waiting_for_processor_ms = dispatch - processor time. other_wait_ms = suspend - dispatch wait - first dispatch delay, where
-- both are printed. cpu_s = tasks × mean, cpu_precision_s = tasks × half of the last printed digit of the mean: CICS PA prints
-- four decimals of a second, so a mean of 0.3 ms is one of 0.25 to 0.35.
-- Source: CICS monitoring, DFHTASK; CICS PA Report Reference, Performance Summary.
-- Worked: 300 tasks of 2 ms and 100 of 4 ms are 400 of 2.5 ms, 1 s.
-- Shards: by begin_at.
-- Columns:
--   dispatch_ms, cpu_ms, suspend_ms [ms]: means per task
--   dispatch_wait_ms, first_dispatch_delay_ms [ms]: see above
--   qr_cpu_ms, l8_cpu_ms, t8_cpu_ms, cpu_on_cp_ms, ziip_on_cp_ms [ms]: means per task; NULL where not printed
--   dispatch_pct, suspend_pct [%]: of the response time
--   cpu_precision_pct [%]: the same, of cpu_s
--   is_conflicting: the key was printed again with other tasks or times, or the summaries count other tasks
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
listed AS (
    SELECT
        *,
        bool_or(is_summary) OVER (PARTITION BY applid, begin_at, end_at) AS has_summary,
        -- The keys that its page lists: 0 transaction, 1 program, 2 user, 3 both.
        max(CASE WHEN program IS NULL THEN 0 ELSE 1 END) OVER of_page + max(CASE WHEN userid IS NULL THEN 0 ELSE 2 END) OVER of_page AS keys
    FROM printed
    WINDOW of_page AS (PARTITION BY applid, begin_at, end_at, is_summary, source_id, page)
),
once AS (
    SELECT
        applid, transaction, begin_at, end_at, keys, min(interval_s) AS interval_s, first_known(tasks, source_id, line) AS tasks,
        first_known(COLUMNS([
            'cpu_s_resolution', 'response_s', 'dispatch_s', 'cpu_s', 'suspend_s', 'dispatch_wait_s', 'first_dispatch_delay_s', 'qr_cpu_s',
            'l8_cpu_s', 't8_cpu_s', 'cpu_on_cp_s', 'ziip_on_cp_s'
        ]), source_id, line),
        min(tasks) <> max(tasks) OR min(response_s) <> max(response_s) OR min(cpu_s) <> max(cpu_s) AS is_conflicting,
        all_refs(source_id, page, line) AS refs
    FROM listed
    WHERE is_summary = has_summary
    GROUP BY applid, transaction, begin_at, end_at, keys, program, userid, task, stopped
),
of_keys AS (
    SELECT
        applid, transaction, begin_at, end_at, keys, min(interval_s) AS interval_s, sum_all(tasks) AS tasks,
        mean_where_any(COLUMNS([
            'response_s', 'dispatch_s', 'cpu_s', 'suspend_s', 'dispatch_wait_s', 'first_dispatch_delay_s', 'qr_cpu_s',
            'l8_cpu_s', 't8_cpu_s', 'cpu_on_cp_s', 'ziip_on_cp_s'
        ]), tasks),
        sum_all(cpu_s * tasks) AS all_cpu_s,
        sum_all(cpu_s_resolution / 2 * tasks) AS cpu_precision_s,
        coalesce(bool_or(is_conflicting), FALSE) AS is_conflicting,
        flatten(list(refs ORDER BY refs)) AS refs
    FROM once
    GROUP BY applid, transaction, begin_at, end_at, keys
),
summed AS (
    SELECT
        applid, transaction, begin_at, end_at, min(interval_s) AS interval_s, CAST(arg_min(tasks, keys) AS BIGINT) AS tasks,
        1000 * arg_min(COLUMNS('^(response|dispatch|cpu|suspend|dispatch_wait|first_dispatch_delay|qr_cpu|l8_cpu|t8_cpu|cpu_on_cp|ziip_on_cp)_s$'), keys)
            AS '\1_ms',
        arg_min(all_cpu_s, keys) AS cpu_s,
        arg_min(cpu_precision_s, keys) AS cpu_precision_s,
        bool_or(is_conflicting) OR coalesce(min(tasks) <> max(tasks), FALSE) AS is_conflicting,
        flatten(list(refs ORDER BY keys, refs)) AS refs
    FROM of_keys
    GROUP BY applid, transaction, begin_at, end_at
)
SELECT
    applid, transaction, begin_at, end_at, interval_s, tasks, response_ms, dispatch_ms, cpu_ms, suspend_ms,
    at_least_zero(dispatch_ms - cpu_ms) AS waiting_for_processor_ms,
    dispatch_wait_ms, first_dispatch_delay_ms,
    at_least_zero(suspend_ms - dispatch_wait_ms - first_dispatch_delay_ms) AS other_wait_ms,
    qr_cpu_ms, l8_cpu_ms, t8_cpu_ms, cpu_on_cp_ms, ziip_on_cp_ms,
    100 * dispatch_ms / nullif(response_ms, 0) AS dispatch_pct,
    100 * suspend_ms / nullif(response_ms, 0) AS suspend_pct,
    cpu_s, cpu_precision_s, 100 * cpu_precision_s / nullif(cpu_s, 0) AS cpu_precision_pct,
    is_conflicting, refs
FROM summed
