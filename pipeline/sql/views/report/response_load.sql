-- Grain: one row per class period and system: its response times at low and at high load, over all interval reports.
-- From the windows of one interval in response_percentile.
-- Rule: among the intervals with a distribution, the third with the lowest rate is compared with the third with the highest rate. Rates that are
-- alike allow no comparison: there must be at least 6 intervals, and a highest rate of at least 1.2 times the lowest; else NULL (null_reason).
-- p90_low_s and p90_high_s: medians of the percentiles (bucket bounds) of these. growth = p90_high_s / p90_low_s.
-- rank_correlation: Spearman's, of rate and percentile, ties at their mean rank. rank_score = rank_correlation x sqrt(n - 1): without a dependence on load
-- above 2.054 in 2 of 100 cases, above 2.326 in 1. n = intervals; of 20 or more, neighbours in time that resemble each other count for fewer:
-- n = intervals (1 - ab) / (1 + ab), a and b the autocorrelations of the ranks of rates and of what the rates leave of the ranks of percentiles,
-- r + (1 + 3r) / intervals each, not below 0. With fewer than 20 intervals the autocorrelation cannot be known.
-- knee_per_s: the lowest rate from which on every interval has a percentile above p90_low_s. NULL, no knee is seen: if the interval with the highest
-- rate has no such percentile, if fewer than three intervals have one, if their median is not more than one bucket above that of low load, or if
-- rank_score is at most 2.054.
-- A percentile above the last bound has no known value and is above all others: p90_high_s is NULL if it is one of these (null_reason).
-- A percentile is a bound of a bucket: it moves in steps, and growth of one step may be less than it seems.
-- Source: response_percentile; the distribution of response times as RMF prints it. Spearman, The proof and measurement of association between two
-- things (1904); the variance 1 / (n - 1) is that of all permutations, with ties too. Bartlett, Some aspects of the time-correlation problem (1935), for n.
-- Worked: p90 0.5 s at 10, 12, 14 and 16/s, 2 s at 18, 19 and 20/s: 0.5 and 2, growth 4; ranks 1 to 7 and 2.5, 6:
-- rank_correlation 0.866, rank_score 0.866 x sqrt(6) = 2.12, knee at 18/s.
-- Shards: no: it compares intervals of all days.
-- Columns:
--   intervals: with a distribution and transactions
--   least_per_s, most_per_s [1/s]: lowest and highest rate of transactions
--   p90_low_s, p90_high_s [s]: see above
--   rank_correlation, rank_score: see above; NULL where all percentiles are of one bucket
--   null_reason: why there is no comparison, or no p90_high_s
--   refs: the intervals with the lowest and the highest rate
WITH rated AS (
    SELECT
        -- In a known distribution only a percentile above the last bound is NULL: it is slower than all others.
        * REPLACE (coalesce(p90_s, 1e9) AS p90_s), p90_s IS NULL AS is_beyond,
        struct_pack(
            sysplex := sysplex, scope := scope, class_kind := class_kind, policy := policy, workload := workload,
            service_class := service_class, report_class := report_class, period := period, system := system
        ) AS of_class,
        transactions / nullif(covered_s, 0) AS per_s
    FROM response_percentile
    WHERE window_kind = 'interval' AND transactions > 0
),
placed AS (
    SELECT
        *,
        ntile(3) OVER (PARTITION BY of_class ORDER BY per_s, window_start) AS third,
        rank() OVER (PARTITION BY of_class ORDER BY per_s) + count(*) OVER (PARTITION BY of_class, per_s) / 2 AS rate_rank,
        rank() OVER (PARTITION BY of_class ORDER BY p90_s) + count(*) OVER (PARTITION BY of_class, p90_s) / 2 AS p90_rank
    FROM rated
),
left_of AS (
    SELECT
        *,
        -- The residual of each interval from the regression line of the ranks.
        p90_rank - coalesce(regr_slope(p90_rank, rate_rank) OVER (PARTITION BY of_class), 0) * rate_rank AS p90_rank_left,
        median(p90_s) FILTER (third = 1) OVER (PARTITION BY of_class) AS lowest_s
    FROM placed
),
ranked AS (
    SELECT
        *,
        lag(rate_rank) OVER (PARTITION BY of_class ORDER BY window_start) AS rate_rank_before,
        lag(p90_rank_left) OVER (PARTITION BY of_class ORDER BY window_start) AS p90_rank_left_before,
        bool_and(p90_s > lowest_s) OVER (PARTITION BY of_class ORDER BY per_s DESC, window_start DESC) AS is_above_from_here
    FROM left_of
),
summed AS (
    SELECT
        of_class,
        count(*) AS intervals, min(per_s) AS least_per_s, max(per_s) AS most_per_s,
        -- Where fewer than half are above the last bound, none of these is the median.
        CASE WHEN 2 * count_if(is_beyond AND third = 1) < count_if(third = 1) THEN median(p90_s) FILTER (third = 1) END AS low_s,
        CASE WHEN 2 * count_if(is_beyond AND third = 3) < count_if(third = 3) THEN median(p90_s) FILTER (third = 3) END AS high_s,
        corr(rate_rank, p90_rank) AS rank_correlation,
        corr(rate_rank, rate_rank_before) AS rates_alike, corr(p90_rank_left, p90_rank_left_before) AS p90_alike,
        CASE
            WHEN count_if(is_above_from_here) >= 3
                AND median(p90_bucket) FILTER (is_above_from_here) > median(p90_bucket) FILTER (third = 1) + 1
            THEN min(per_s) FILTER (is_above_from_here)
        END AS knee_per_s,
        list_concat(arg_min(refs, (per_s, window_start)), arg_max(refs, (per_s, window_start))) AS refs
    FROM ranked
    GROUP BY of_class
),
judged AS (
    SELECT
        *,
        -- A constant series has no correlation.
        CASE WHEN isfinite(rank_correlation) THEN rank_correlation END AS known_correlation,
        CASE WHEN intervals >= 20 THEN list_product([
            least(at_least_zero(CASE WHEN isfinite(r) THEN r + (1 + 3 * r) / intervals ELSE 0 END), 1)
            FOR r IN [rates_alike, p90_alike]
        ]) ELSE 0 END AS alike,
        CASE
            WHEN intervals < 6 THEN 'fewer than 6 intervals'
            WHEN most_per_s < 1.2 * least_per_s THEN 'load hardly differs'
            WHEN low_s IS NULL THEN 'at low load above the last bound'
        END AS no_comparison
    FROM summed
),
tested AS (
    SELECT
        *,
        known_correlation * sqrt(at_least_zero(intervals * (1 - alike) / (1 + alike) - 1)) AS score
    FROM judged
)
SELECT
    of_class.*,
    intervals, least_per_s, most_per_s,
    CASE WHEN no_comparison IS NULL THEN low_s END AS p90_low_s,
    CASE WHEN no_comparison IS NULL THEN high_s END AS p90_high_s,
    CASE WHEN no_comparison IS NULL THEN high_s / nullif(low_s, 0) END AS growth,
    CASE WHEN no_comparison IS NULL THEN known_correlation END AS rank_correlation,
    CASE WHEN no_comparison IS NULL THEN score END AS rank_score,
    CASE WHEN no_comparison IS NULL AND score > 2.054 THEN knee_per_s END AS knee_per_s,
    coalesce(no_comparison, CASE WHEN high_s IS NULL THEN 'at high load above the last bound' END) AS null_reason,
    refs
FROM tested
