-- Grain: one row per class period and system: its response times at low and at high load, over all interval reports.
-- Of response_percentile its windows of one interval.
-- Rule: of the intervals with a distribution, the third with the lowest and the third with the highest rate; between rates
-- that are alike nothing is told apart. At least 6 intervals, and a highest rate of at least 1.2 times the lowest; else NULL (null_reason).
-- p90_low_s and p90_high_s: medians of the percentiles (bucket bounds) of these. growth = p90_high_s / p90_low_s.
-- knee_per_s: the lowest rate from which on every interval has a percentile above p90_low_s; NULL if the highest has none: no knee is seen.
-- A percentile above the last bound, whose value nobody knows, is above all others: p90_high_s is NULL if it is one of these (null_reason).
-- A percentile is a bound of a bucket: it moves in steps, and growth of one step may be less than it seems.
-- Source: response_percentile; the distribution of response times as RMF prints it.
-- Worked: p90 0.5 s at 10, 12, 14 and 16/s, 1 s at 18 and 20/s: 0.5 and 1, growth 2, knee at 18/s.
-- Shards: no: it compares intervals of all days.
-- Columns:
--   sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system: the class period
--   intervals: with a distribution and transactions
--   least_per_s, most_per_s [1/s]: lowest and highest rate of transactions
--   p90_low_s, p90_high_s [s]: see above
--   growth: see above
--   knee_per_s [1/s]: see above
--   null_reason: why there is no comparison, or no p90_high_s
--   refs: the intervals with the lowest and the highest rate
WITH rated AS (
    SELECT
        -- Above the last bound: of a known distribution that alone gives no percentile. Slower than all others.
        * REPLACE (coalesce(p90_s, 1e9) AS p90_s), p90_s IS NULL AS is_beyond,
        transactions / nullif(covered_s, 0) AS per_s
    FROM response_percentile
    WHERE window_kind = 'interval' AND transactions > 0
),
ranked AS (
    SELECT
        *,
        bool_and(p90_s > lowest_s) OVER (
            PARTITION BY sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system
            ORDER BY per_s DESC, window_start DESC
        ) AS is_above_from_here
    FROM (
        SELECT
            *,
            median(p90_s) FILTER (third = 1) OVER (
                PARTITION BY sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system
            ) AS lowest_s
        FROM (
            SELECT
                *,
                ntile(3) OVER (
                    PARTITION BY sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system
                    ORDER BY per_s, window_start
                ) AS third
            FROM rated
        )
    )
),
summed AS (
    SELECT
        sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
        count(*) AS intervals, min(per_s) AS least_per_s, max(per_s) AS most_per_s,
        -- Where fewer than half are above the last bound, none of these is the median.
        CASE WHEN 2 * count_if(is_beyond AND third = 1) < count_if(third = 1) THEN median(p90_s) FILTER (third = 1) END AS low_s,
        CASE WHEN 2 * count_if(is_beyond AND third = 3) < count_if(third = 3) THEN median(p90_s) FILTER (third = 3) END AS high_s,
        min(per_s) FILTER (is_above_from_here) AS knee_per_s,
        list_concat(arg_min(refs, (per_s, window_start)), arg_max(refs, (per_s, window_start))) AS refs
    FROM ranked
    GROUP BY sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system
),
judged AS (
    SELECT
        *,
        CASE
            WHEN intervals < 6 THEN 'fewer than 6 intervals'
            WHEN most_per_s < 1.2 * least_per_s THEN 'load hardly differs'
            WHEN low_s IS NULL THEN 'at low load above the last bound'
        END AS no_comparison
    FROM summed
)
SELECT
    sysplex, scope, class_kind, policy, workload, service_class, report_class, period, system,
    intervals, least_per_s, most_per_s,
    CASE WHEN no_comparison IS NULL THEN low_s END AS p90_low_s,
    CASE WHEN no_comparison IS NULL THEN high_s END AS p90_high_s,
    CASE WHEN no_comparison IS NULL THEN high_s / nullif(low_s, 0) END AS growth,
    CASE WHEN no_comparison IS NULL THEN knee_per_s END AS knee_per_s,
    coalesce(no_comparison, CASE WHEN high_s IS NULL THEN 'at high load above the last bound' END) AS null_reason,
    refs
FROM judged
