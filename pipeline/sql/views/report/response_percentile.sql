-- Grain: one row per window, class period and system; windows are each interval, hour and day of the reports.
-- Formula: bucket counts are summed over the window; a percentile is the upper bound of the first bucket that reaches it, so the response
-- times lie at or below it. Percentiles are never averaged.
-- NULL: if the intervals of a window do not all have the same bounds (bounds_agree), if a count is unknown, if the counts do not add up
-- to the running total of the last bucket (a line is lost), of an hour if is_conflicting (a clock that was set back), if no transaction
-- ended, and if only the last bucket, which has no bound, reaches it: then it is above last_bound_s.
-- Rule: an interval belongs to the hour and the day that its midpoint lies in; overlapping ones are left out and counted. Rows printed
-- twice count once. Duration reports are left out. Pick one window_kind before adding.
-- DuckDB syntax: lambdas.
-- Source: RMF Report Analysis, Workload Activity, response time distribution.
-- Worked: bounds 0.5, 1 and 2 s and none, 60, 30, 8 and 2 transactions: p50 0.5, p90 1, p95 2 s.
-- Repeated hours: by window_start.
-- Shards: by window_start.
-- Columns:
--   utc_offset_minutes [min]: of a window in an hour that the clock repeats: a row for each of the two; else NULL
--   system: whose distribution; NULL if it is of all systems of the scope
--   intervals, intervals_left_out: intervals added, and intervals left out because they overlap
--   transactions: in all buckets
--   p50_s, p90_s, p95_s [s]: see above
--   p90_bucket: the number of the bucket of p90_s, from 1 for the fastest; of the last one, which has no bound, p90_s is NULL
--   last_bound_s [s]: the largest bound
--   bounds_agree: all intervals have the same bounds
--   refs: the first bucket of each interval
WITH printed_once AS (
    SELECT
        sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
        interval_start, interval_end, policy_activated_at, upper_bound_s,
        -- NULL in parts of older releases.
        coalesce(occurrence, 1) AS occurrence,
        max(interval_s) AS interval_s,
        arg_min(transactions, (source_id, line)) AS transactions,
        -- The last line of a source: if two lines have no bound, one is unreadable and the other is the last bucket.
        arg_min(transactions_cumulative, (source_id, -line)) AS transactions_cumulative,
        -- Counts in thousands are off by up to a thousand; other counts are exact.
        max(CASE WHEN transactions_resolution > 1 THEN transactions_resolution ELSE 0 END) AS count_off,
        max(CASE WHEN transactions_cumulative_resolution > 1 THEN transactions_cumulative_resolution ELSE 0 END) AS total_off,
        count(transactions) = count(*) AS is_known,
        min(transactions) IS DISTINCT FROM max(transactions) AS is_conflicting,
        min(ref(source_id, page, line)) AS first_row
    FROM scoped(rmf_response_time_distribution)
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_end IS NOT NULL
    GROUP BY ALL
),
of_interval AS (
    SELECT
        sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
        interval_start, interval_end, policy_activated_at,
        max(interval_s) AS interval_s,
        interval_start + (interval_end - interval_start) / 2 AS midpoint,
        list(upper_bound_s ORDER BY upper_bound_s NULLS LAST, occurrence) AS bounds,
        CASE
            WHEN bool_and(is_known) AND coalesce(
                abs(sum(transactions) - max(transactions_cumulative) FILTER (upper_bound_s IS NULL))
                <= sum(count_off) + max(total_off) FILTER (upper_bound_s IS NULL),
                bool_or(upper_bound_s IS NULL)
            ) THEN list(transactions ORDER BY upper_bound_s NULLS LAST, occurrence)
        END AS counts,
        bool_or(is_conflicting) AS is_conflicting,
        min(first_row) AS first_row
    FROM printed_once
    GROUP BY ALL
),
placed AS (
    SELECT
        *,
        coalesce(max(interval_end) OVER (
            PARTITION BY sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system
            ORDER BY interval_start, interval_end DESC, policy_activated_at
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) > interval_start + INTERVAL 1 SECOND, FALSE) AS is_overlapping
    FROM of_interval
),
windows AS (
    SELECT 'interval' AS window_kind, interval_start AS window_start, interval_end AS window_end, FALSE AS is_left_out, *
    FROM placed
    UNION ALL
    SELECT 'hour', date_trunc('hour', midpoint), date_trunc('hour', midpoint) + INTERVAL 1 HOUR, is_overlapping, *
    FROM placed
    UNION ALL
    SELECT 'day', date_trunc('day', midpoint), date_trunc('day', midpoint) + INTERVAL 1 DAY, is_overlapping, *
    FROM placed
),
of_window AS (
    SELECT
        window_kind, window_start, window_end,
        sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
        sum(interval_s) FILTER (NOT is_left_out) AS covered_s,
        count_if(NOT is_left_out) AS intervals,
        count_if(is_left_out) AS intervals_left_out,
        min(bounds) FILTER (NOT is_left_out) AS bounds,
        count(DISTINCT bounds) FILTER (NOT is_left_out) = 1 AS bounds_agree,
        -- A conflicting print may be of another hour.
        count(counts) FILTER (NOT is_left_out AND NOT (is_conflicting AND window_kind = 'hour')) = count_if(NOT is_left_out) AS is_known,
        list(counts) FILTER (NOT is_left_out AND counts IS NOT NULL) AS counts,
        bool_or(is_conflicting) FILTER (NOT is_left_out) AS is_conflicting,
        list(first_row ORDER BY interval_start, first_row) FILTER (NOT is_left_out) AS refs
    FROM windows
    GROUP BY ALL
),
added AS (
    SELECT
        *,
        CASE WHEN bounds_agree AND is_known THEN list_transform(
            range(1, len(bounds) + 1), lambda bucket: list_sum(list_transform(counts, lambda each: each[bucket]))
        ) END AS summed
    FROM of_window
    WHERE intervals > 0
),
reached AS (
    SELECT
        *,
        list_sum(summed) AS transactions,
        list_transform(range(1, len(bounds) + 1), lambda bucket: list_sum(summed[:bucket])) AS cumulative
    FROM added
)
SELECT
    window_kind, window_start, window_end, offset_if_repeated() AS utc_offset_minutes,
    sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
    covered_s, intervals, intervals_left_out,
    CAST(transactions AS BIGINT) AS transactions,
    -- The first bucket that reaches the percentile; without transactions none does.
    bounds[list_position(list_transform(cumulative, lambda n: n >= 0.5 * nullif(transactions, 0)), TRUE)] AS p50_s,
    bounds[list_position(list_transform(cumulative, lambda n: n >= 0.9 * nullif(transactions, 0)), TRUE)] AS p90_s,
    bounds[list_position(list_transform(cumulative, lambda n: n >= 0.95 * nullif(transactions, 0)), TRUE)] AS p95_s,
    list_position(list_transform(cumulative, lambda n: n >= 0.9 * nullif(transactions, 0)), TRUE) AS p90_bucket,
    CASE WHEN bounds_agree THEN list_max(bounds) END AS last_bound_s,
    bounds_agree, is_conflicting, refs
FROM reached
