-- Grain: one row per study, configuration, run, scope, class kind and printed interval that the study selects.
-- Formula: the sum over all classes of the kind. Rows of different class_kind describe the same work.
-- NULL: if the time of a class that prints processor time is unknown.
-- Source: RMF Report Analysis, Workload Activity.
SELECT
    study, configuration, run, scope, class_kind, interval_start,
    interval_start + to_milliseconds(CAST(interval_s * 1000 AS BIGINT)) AS interval_end,
    interval_s, intervals, covered_s,
    -- Classes of transactions alone print no processor time: they have none of their own.
    CASE WHEN count(COLUMNS('_pct')) = count(*) FILTER (has_cpu) THEN without_noise(sum(COLUMNS('_pct'))) END,
    count(cpu_source) FILTER (is_printed) AS classes,
    flatten(list(refs ORDER BY class_name, refs)) AS refs
FROM (
    SELECT
        *,
        -- A class that prints processor time in another interval of the run has some here too, though it is unknown.
        count(cpu_source) OVER (PARTITION BY study, configuration, run, scope, class_kind, class_name) > 0 AS has_cpu
    FROM run_class_interval
)
GROUP BY study, configuration, run, scope, class_kind, interval_start, interval_s, intervals, covered_s
