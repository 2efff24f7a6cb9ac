-- Grain: one row per study, configuration, run, class and scope (systems that report together).
-- Formula: processor time over all selected intervals of the scope, over their time.
-- Location: remote where the study says so for the class's subsystem or for all these systems; both where these systems cannot be
-- separated; otherwise the location that the study gives the subsystem.
-- NULL: if an interval without the class is incomplete (run_class_interval), and if a cell that is a part of the sum is unknown.
-- Source: RMF Report Analysis, Workload Activity.
-- Columns:
--   scope: systems that report together; '' if unknown
--   location: local, remote or both; NULL if the study does not say
--   is_complete: every selected interval of the scope prints it, or is complete without it
--   intervals, intervals_printed: selected intervals, and those that print the class
--   intervals_without_cpu: intervals that print the class without its processor time
--   intervals_unknown: incomplete intervals that do not print the class
--   cpu_s, cpu_normalized_s, cp_s, ziip_s, ziip_on_cp_s, non_ziip_eligible_s [s]: the same as seconds of one engine, as they go with the requests
--     of the run (run_scope, request_weight)
WITH summed AS (
    SELECT
        study, configuration, run, scope, max(system_location) AS system_location, class_kind, class_name,
        CASE WHEN count(COLUMNS('_pct')) = max(intervals) AND count(*) = max(intervals)
            THEN sum(COLUMNS('_pct') * interval_s) / max(covered_s) END,
        known_value(workload) AS workload, max(intervals) AS intervals,
        count(*) FILTER (is_printed) AS intervals_printed,
        count(*) FILTER (is_printed AND cpu_pct IS NULL) AS intervals_without_cpu,
        count(*) FILTER (NOT is_printed AND transactions_ended IS NULL) AS intervals_unknown,
        bool_or(is_conflicting) AS is_conflicting,
        count(cpu_source) > 0 AS has_cpu,
        count(*) FILTER (is_printed OR transactions_ended = 0) = max(intervals) AS is_complete,
        max(covered_s) AS covered_s,
        CASE WHEN count(transactions_ended) = max(intervals) AND count(*) = max(intervals)
            THEN sum(transactions_ended) END AS transactions_ended,
        CASE WHEN count(transactions_ended) = max(intervals) AND count(*) = max(intervals)
            THEN sum(transactions_ended) / max(covered_s) END AS transactions_per_s,
        sum_all(response_total_ms, transactions_ended > 0) AS response_total_ms,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM run_class_interval
    GROUP BY study, configuration, run, class_kind, class_name, scope
)
SELECT
    summed.study, summed.configuration, summed.run, summed.scope, summed.class_kind, summed.class_name, summed.workload,
    CASE WHEN charged.location = 'remote' THEN 'remote' ELSE coalesce(summed.system_location, charged.location) END AS location,
    summed.has_cpu, summed.is_complete, summed.covered_s,
    summed.intervals, summed.intervals_printed, summed.intervals_without_cpu, summed.intervals_unknown, summed.is_conflicting,
    summed.cpu_pct, summed.cpu_normalized_pct, summed.cp_pct, summed.ziip_pct, summed.ziip_on_cp_pct, summed.non_ziip_eligible_pct,
    summed.cpu_pct * weight.engine_s AS cpu_s, summed.cpu_normalized_pct * weight.engine_s AS cpu_normalized_s,
    summed.cp_pct * weight.engine_s AS cp_s, summed.ziip_pct * weight.engine_s AS ziip_s,
    summed.ziip_on_cp_pct * weight.engine_s AS ziip_on_cp_s, summed.non_ziip_eligible_pct * weight.engine_s AS non_ziip_eligible_s,
    summed.transactions_ended, summed.transactions_per_s, summed.response_total_ms, summed.refs
FROM summed
JOIN (SELECT *, covered_s / 100 * request_weight AS engine_s FROM run_scope) AS weight USING (study, configuration, run, scope)
LEFT JOIN study_class AS charged
    ON charged.role = 'cpu' AND charged.study = summed.study
    AND charged.class_kind = summed.class_kind AND charged.class_name = summed.class_name
