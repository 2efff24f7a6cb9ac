-- Grain: one row per sysplex, scope, class kind and class: the clock hour in which it used most processor time.
-- Formula: the time of class_hour over that of its intervals. Hours that are covered to less than 98 percent are not candidates, nor are
-- hours with an unknown figure. In an hour without a row the class used nothing, if all intervals of the hour are complete; otherwise the
-- class is unknown there (workload_interval).
-- The first of equal hours is taken. Report classes are another view of the work of service classes.
-- Source: RMF Report Analysis, Workload Activity, APPL %.
-- Worked: hours of 40, 100 and 70% of an engine: the second, 100 against a mean of 70, 1.43 times.
-- Shards: no: the peak is that of all days.
-- Columns:
--   peak_start, peak_end [local time]: the hour
--   utc_offset_minutes [min]: of an hour that the clock repeats, as in class_hour
--   cpu_pct [% of one engine]: mean over the hour
--   transactions_per_s [1/s]: ended in the hour; NULL if they are unknown
--   hours, hours_unknown: covered hours, and those in which the class is unknown
--   mean_cpu_pct [% of one engine]: mean over all these hours; NULL if one is unknown
--   peak_to_mean: cpu_pct / mean_cpu_pct
WITH hours AS MATERIALIZED (
    SELECT *, 100 * cpu_time_s / covered_s AS cpu_pct
    FROM class_hour
    WHERE abs(covered_s / 3600 - 1) <= 0.02
),
of_kind AS (
    SELECT
        sysplex, scope, class_kind, count(DISTINCT row(hour_start, utc_offset_minutes)) AS hours,
        count(DISTINCT row(hour_start, utc_offset_minutes)) FILTER (NOT is_whole) AS damaged_hours
    FROM hours
    GROUP BY ALL
),
peak AS (
    SELECT
        hours.*, of_kind.hours,
        -- Hours without a row of the class: those in which it used nothing, and those that are not whole.
        CAST(count(*) OVER of_class - count(cpu_pct) OVER of_class + damaged_hours - count_if(NOT is_whole) OVER of_class AS BIGINT)
            AS hours_unknown,
        sum(cpu_pct) OVER of_class / of_kind.hours AS mean_cpu_pct
    FROM hours
    JOIN of_kind
        ON of_kind.sysplex IS NOT DISTINCT FROM hours.sysplex AND of_kind.scope IS NOT DISTINCT FROM hours.scope
        AND of_kind.class_kind = hours.class_kind
    WHERE hours.has_cpu
    WINDOW of_class AS (PARTITION BY hours.sysplex, hours.scope, hours.class_kind, hours.class_name)
    QUALIFY row_number() OVER (
        PARTITION BY hours.sysplex, hours.scope, hours.class_kind, hours.class_name
        ORDER BY cpu_pct DESC NULLS LAST, hour_start, utc_offset_minutes DESC
    ) = 1
),
-- Rows are looked up for the peak alone: the rows of all hours would not fit into memory.
printed AS (
    SELECT
        peak.sysplex, peak.scope, peak.class_kind, peak.class_name, flatten(list(class.refs ORDER BY class.interval_start, class.refs)) AS refs
    FROM peak
    JOIN class_interval AS class
        ON class.sysplex IS NOT DISTINCT FROM peak.sysplex AND class.scope IS NOT DISTINCT FROM peak.scope
        AND class.class_kind = peak.class_kind AND class.class_name IS NOT DISTINCT FROM peak.class_name
        AND date_trunc('hour', class.midpoint) = peak.hour_start
        AND coalesce(class.utc_offset_minutes = peak.utc_offset_minutes, TRUE)
    GROUP BY ALL
)
SELECT
    peak.sysplex, peak.scope, peak.class_kind, peak.class_name, hour_start AS peak_start, hour_start + INTERVAL 1 HOUR AS peak_end,
    utc_offset_minutes, covered_s, cpu_pct, transactions_ended / covered_s AS transactions_per_s, hours, hours_unknown,
    CASE WHEN hours_unknown = 0 THEN mean_cpu_pct END AS mean_cpu_pct,
    CASE WHEN hours_unknown = 0 THEN cpu_pct / nullif(mean_cpu_pct, 0) END AS peak_to_mean,
    printed.refs
FROM peak
JOIN printed
    ON printed.sysplex IS NOT DISTINCT FROM peak.sysplex AND printed.scope IS NOT DISTINCT FROM peak.scope
    AND printed.class_kind = peak.class_kind AND printed.class_name IS NOT DISTINCT FROM peak.class_name
WHERE cpu_pct IS NOT NULL
