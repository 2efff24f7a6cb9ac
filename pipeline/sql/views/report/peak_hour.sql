-- Grain: one row per sysplex, scope, class kind and class: the clock hour in which it used most processor time.
-- Formula: processor time over the intervals whose midpoint is in the hour, over their time. Hours that are covered to less than 98
-- percent are not candidates, nor are hours with a figure that is unknown. In an interval without the class it used nothing if
-- the interval is complete; otherwise its hour is unknown (workload_interval).
-- Of equal hours the first is taken. Report classes are another view of the work of service classes.
-- Source: RMF Report Analysis, Workload Activity, APPL %.
-- Worked: hours of 40, 100 and 70% of an engine: the second, 100 against a mean of 70, 1.43 times.
-- Shards: no: the peak is that of all days.
-- Columns:
--   sysplex, scope: as on the page
--   class_kind, class_name: service_class, report_class, workload or policy, and its name
--   peak_start, peak_end [local time]: the hour
--   covered_s [s]: time of its intervals
--   cpu_pct [% of one engine]: mean over the hour
--   transactions_per_s [1/s]: ended in the hour; NULL if they are unknown
--   hours, hours_unknown: covered hours, and those in which the class is unknown
--   mean_cpu_pct [% of one engine]: mean over all these hours; NULL if one is unknown
--   peak_to_mean: cpu_pct / mean_cpu_pct
--   is_conflicting: a row of the hour was also printed with other values
--   refs: the printed rows of the hour
WITH hours AS MATERIALIZED (
    SELECT
        sysplex, scope, class_kind, date_trunc('hour', midpoint) AS hour_start,
        sum(interval_s) AS covered_s,
        count_if(NOT is_whole) AS damaged,
        count(*) OVER (PARTITION BY sysplex, scope, class_kind) AS hours,
        count_if(count_if(NOT is_whole) > 0) OVER (PARTITION BY sysplex, scope, class_kind) AS damaged_hours
    FROM workload_interval
    WHERE report_kind = 'interval' AND NOT is_overlapping
    GROUP BY sysplex, scope, class_kind, date_trunc('hour', midpoint)
    HAVING abs(sum(interval_s) / 3600 - 1) <= 0.02
),
hour_of_class AS (
    SELECT
        hours.sysplex, hours.scope, hours.class_kind, hours.hour_start, class.class_name,
        max(hours.covered_s) AS covered_s,
        max(hours.hours) AS hours,
        max(hours.damaged) > 0 AS is_damaged, max(hours.damaged_hours) AS damaged_hours,
        CASE WHEN count(class.cpu_pct) = count(*) AND count_if(NOT class.is_whole) >= max(hours.damaged)
            THEN sum(class.cpu_pct * class.interval_s) / max(hours.covered_s) END AS cpu_pct,
        CASE WHEN count(class.transactions_ended) = count(*) AND count_if(NOT class.is_whole) >= max(hours.damaged)
            THEN sum(class.transactions_ended) / max(hours.covered_s) END AS transactions_per_s
    FROM hours
    JOIN class_interval AS class
        ON class.sysplex IS NOT DISTINCT FROM hours.sysplex
        AND class.scope IS NOT DISTINCT FROM hours.scope
        AND class.class_kind = hours.class_kind
        AND date_trunc('hour', class.midpoint) = hours.hour_start
    GROUP BY hours.sysplex, hours.scope, hours.class_kind, hours.hour_start, class.class_name
),
peak AS MATERIALIZED (
    SELECT
        *,
        -- Hours of which it has no row: those in which it used nothing, and those that are not whole.
        CAST(count(*) OVER of_class - count(cpu_pct) OVER of_class + damaged_hours - count_if(is_damaged) OVER of_class AS BIGINT)
            AS hours_unknown,
        sum(cpu_pct) OVER of_class / hours AS mean_cpu_pct
    FROM hour_of_class
    WINDOW of_class AS (PARTITION BY sysplex, scope, class_kind, class_name)
    QUALIFY row_number() OVER (
        PARTITION BY sysplex, scope, class_kind, class_name ORDER BY cpu_pct DESC NULLS LAST, hour_start
    ) = 1
),
-- Rows are looked up only for the peak: those of all hours would not fit into memory.
printed AS (
    SELECT
        peak.sysplex, peak.scope, peak.class_kind, peak.class_name,
        bool_or(class.is_conflicting) AS is_conflicting,
        flatten(list(class.refs ORDER BY class.interval_start, class.refs)) AS refs
    FROM peak
    JOIN class_interval AS class
        ON class.sysplex IS NOT DISTINCT FROM peak.sysplex
        AND class.scope IS NOT DISTINCT FROM peak.scope
        AND class.class_kind = peak.class_kind
        AND class.class_name IS NOT DISTINCT FROM peak.class_name
        AND date_trunc('hour', class.midpoint) = peak.hour_start
    GROUP BY peak.sysplex, peak.scope, peak.class_kind, peak.class_name
)
SELECT
    peak.sysplex, peak.scope, peak.class_kind, peak.class_name,
    peak.hour_start AS peak_start, peak.hour_start + INTERVAL 1 HOUR AS peak_end, peak.covered_s,
    peak.cpu_pct, peak.transactions_per_s, peak.hours, peak.hours_unknown,
    CASE WHEN peak.hours_unknown = 0 THEN peak.mean_cpu_pct END AS mean_cpu_pct,
    CASE WHEN peak.hours_unknown = 0 THEN peak.cpu_pct / nullif(peak.mean_cpu_pct, 0) END AS peak_to_mean,
    printed.is_conflicting, printed.refs
FROM peak
JOIN printed
    ON printed.sysplex IS NOT DISTINCT FROM peak.sysplex
    AND printed.scope IS NOT DISTINCT FROM peak.scope
    AND printed.class_kind = peak.class_kind
    AND printed.class_name IS NOT DISTINCT FROM peak.class_name
WHERE peak.cpu_pct IS NOT NULL
