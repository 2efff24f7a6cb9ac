-- Grain: one row per study, configuration, run and class, and one for all classes of a kind together (is_total).
-- Formula: processor time over all selected intervals, over their time; of several scopes (systems that report separately) the percentages
-- add. Percentages are sums of processor time over covered time, never means; seconds are those that go with the run's requests. Rows of
-- different class_kind describe the same work.
-- NULL: if a class is not printed in an incomplete interval (run_class_interval), and if a cell that is a part of the sum is unknown. For a kind: if
-- the time of one of its classes that print processor time is unknown.
-- Source: RMF Report Analysis, Workload Activity.
-- Columns:
--   location: local, remote, or both, as in run_class_scope; NULL on totals, and where the study says nothing of it
--   classes: how many of them print processor time; of unlike intervals the most
--   is_complete: every selected interval of a scope that prints it prints it or is complete without it; for a kind, every scope
--   covered_s [s]: time of the selected intervals; of several scopes the longest
--   own_cpu_s, own_cp_s [s]: the same of the selected intervals alone, as they go with transactions_ended; NULL on totals
--   transactions_ended: in all intervals; NULL on totals, because several classes may count the same request
--   refs: the printed rows of the class; empty on totals, whose rows are those of their classes
WITH class_run AS (
    SELECT
        study, configuration, run, class_kind, class_name,
        CASE WHEN count(DISTINCT coalesce(location, '')) = 1 THEN max(location) ELSE 'both' END AS location,
        sum_all(COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$')),
        sum_all(cpu_pct * (covered_s / 100)) AS own_cpu_s, sum_all(cp_pct * (covered_s / 100)) AS own_cp_s,
        known_value(workload) AS workload,
        CAST(sum(COLUMNS('^intervals')) AS BIGINT),
        bool_or(is_conflicting) AS is_conflicting,
        CAST(bool_or(has_cpu) AS BIGINT) AS classes,
        bool_and(is_complete) AS is_complete,
        max(covered_s) AS covered_s,
        CAST(sum_all(transactions_ended) AS BIGINT) AS transactions_ended,
        CASE WHEN count(transactions_ended) = count(*) THEN sum(transactions_per_s) END AS transactions_per_s,
        CASE WHEN count(transactions_ended) = count(*)
                AND count(response_total_ms) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(response_total_ms) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS response_ms,
        flatten(list(refs ORDER BY scope, refs)) AS refs
    FROM run_class_scope
    GROUP BY study, configuration, run, class_kind, class_name
),
kind_scope AS (
    SELECT
        study, configuration, run, scope, class_kind, max(classes) AS classes,
        count(*) FILTER (classes > 0) = max(intervals) AS is_complete,
        max(covered_s) AS covered_s,
        CASE WHEN count(COLUMNS('_pct')) = max(intervals) THEN sum(COLUMNS('_pct') * interval_s) / max(covered_s) END
    FROM run_kind_interval
    GROUP BY study, configuration, run, scope, class_kind
),
kind_run AS (
    SELECT
        study, configuration, run, class_kind, CAST(sum(classes) AS BIGINT) AS classes,
        bool_and(is_complete) AND count(*) = max(run_scopes.scopes) AS is_complete,
        max(covered_s) AS covered_s,
        sum_all(COLUMNS('_pct')),
        sum_all(cpu_pct * engine_s) AS cpu_s, sum_all(cpu_normalized_pct * engine_s) AS cpu_normalized_s, sum_all(cp_pct * engine_s) AS cp_s,
        sum_all(ziip_pct * engine_s) AS ziip_s, sum_all(ziip_on_cp_pct * engine_s) AS ziip_on_cp_s,
        sum_all(non_ziip_eligible_pct * engine_s) AS non_ziip_eligible_s
    FROM kind_scope
    JOIN (
        SELECT
            study, configuration, run, scope, covered_s / 100 * request_weight AS engine_s,
            count(*) OVER (PARTITION BY study, configuration, run) AS scopes
        FROM run_scope
    ) AS run_scopes USING (study, configuration, run, scope)
    GROUP BY study, configuration, run, class_kind
)
SELECT
    study, configuration, run, class_kind, class_name, workload, FALSE AS is_total, location, classes, is_complete, covered_s,
    intervals, intervals_printed, intervals_without_cpu, intervals_unknown, is_conflicting,
    cpu_pct, cpu_normalized_pct, cp_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct,
    cpu_s, cpu_normalized_s, cp_s, ziip_s, ziip_on_cp_s, non_ziip_eligible_s, own_cpu_s, own_cp_s,
    transactions_ended, transactions_per_s, response_ms, refs
FROM class_run
UNION ALL BY NAME
SELECT
    study, configuration, run, class_kind, TRUE AS is_total, classes, is_complete, covered_s,
    cpu_pct, cpu_normalized_pct, cp_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct,
    cpu_s, cpu_normalized_s, cp_s, ziip_s, ziip_on_cp_s, non_ziip_eligible_s, [] AS refs
FROM kind_run
