-- Grain: one row per study, configuration, run and busy basis (cp, cp_and_ziip).
-- Formula: LPAR BUSY x ONLINE x time over the processors and selected intervals of each scope (systems that report together), over its covered
-- time; several scopes add up. The busy share is busy engines over online engines. A scope that lost an interval keeps its engines.
-- cp_and_ziip adds the zIIPs of each scope, weighted by its normalisation factor in both sums (interval_factor). An interval that shows no
-- factor has that of the scope's other intervals in the run, which have one machine; otherwise 1. Intervals without zIIPs need no factor.
-- NULL, for cp_and_ziip alone: where an interval's factor is contradictory, or where the factors of a scope differ by more than 0.02 and another
-- interval shows none.
-- CPU Activity belongs to a selected interval if its midpoint does. NULL: if a system of the scope has no CPU Activity, if its time differs
-- by more than 2 percent from the interval's, or if a processor's busy time is not printed.
-- Source: RMF Report Analysis, CPU Activity.
-- Columns:
--   engines_online, engines_busy: mean over the covered time, zIIPs weighted
--   busy_s [s]: busy engine-seconds, as they go with the requests of the run (run_scope, request_weight)
--   cpu_busy_pct [%]: busy / online, as measured
--   ziip_engines_online, ziip_engines_busy: zIIPs included, not weighted; 0 where there are none
--   normalization_factor: of zIIP time; of several scopes and intervals their mean, weighted by the zIIPs online
--   normalization_source: policy_page, recovered, assumed_1, several of them, or contradictory
WITH of_run AS (
    SELECT
        study, configuration, run,
        bool_and(is_covered) AS is_covered,
        sum_all(COLUMNS('^(cp|ziip|weighted)_(online|busy)$')),
        sum_all(cp_busy * time_s) AS cp_busy_s,
        sum_all(weighted_busy * time_s) AS weighted_busy_s,
        CASE WHEN count(factor) = count(*) THEN avg(factor) END AS mean_factor,
        CASE WHEN bool_or(normalization_source = 'contradictory') THEN 'contradictory'
            ELSE array_to_string(list_sort(list_distinct(list(normalization_source))), ',') END AS normalization_source,
        list_sort(list_distinct(flatten(list(systems)))) AS systems,
        flatten(list(refs ORDER BY interval_start, systems, refs)) AS refs
    FROM (
        SELECT
            interval.study, interval.configuration, interval.run, interval.interval_start, interval.is_covered, interval.factor,
            interval.normalization_source, interval.systems, interval.refs,
            scope.covered_s * scope.request_weight AS time_s,
            interval.cp_online_s / scope.covered_s AS cp_online,
            interval.cp_busy_s / scope.covered_s AS cp_busy,
            interval.ziip_online_s / scope.covered_s AS ziip_online,
            interval.ziip_busy_s / scope.covered_s AS ziip_busy,
            CASE WHEN interval.ziip_online_s = 0 THEN 0 ELSE interval.factor * interval.ziip_online_s / scope.covered_s END AS weighted_online,
            CASE WHEN interval.ziip_online_s = 0 THEN 0 ELSE interval.factor * interval.ziip_busy_s / scope.covered_s END AS weighted_busy
        FROM run_busy_interval AS interval
        JOIN run_scope AS scope
            ON scope.study = interval.study AND scope.configuration = interval.configuration AND scope.run = interval.run
            AND scope.scope = coalesce(interval.scope, '')
    ) AS weighed
    GROUP BY study, configuration, run
),
basis AS (
    SELECT 'cp' AS busy_basis
    UNION ALL
    SELECT 'cp_and_ziip'
),
weighted AS (
    SELECT
        step.study, step.configuration, step.run, basis.busy_basis,
        CASE WHEN NOT of_run.is_covered THEN NULL
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_online
            ELSE of_run.cp_online + of_run.weighted_online END AS engines_online,
        CASE WHEN NOT of_run.is_covered THEN NULL
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_busy
            ELSE of_run.cp_busy + of_run.weighted_busy END AS engines_busy,
        CASE WHEN NOT of_run.is_covered THEN NULL
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_busy_s
            ELSE of_run.cp_busy_s + of_run.weighted_busy_s END AS busy_s,
        CASE WHEN NOT of_run.is_covered THEN NULL WHEN basis.busy_basis = 'cp' THEN 0 ELSE of_run.ziip_online END AS ziip_engines_online,
        CASE WHEN NOT of_run.is_covered THEN NULL WHEN basis.busy_basis = 'cp' THEN 0 ELSE of_run.ziip_busy END AS ziip_engines_busy,
        CASE WHEN of_run.ziip_online > 0 THEN of_run.weighted_online / of_run.ziip_online ELSE of_run.mean_factor END AS normalization_factor,
        of_run.normalization_source, of_run.systems, of_run.refs
    FROM study_step AS step
    CROSS JOIN basis
    LEFT JOIN of_run
        ON of_run.study = step.study AND of_run.configuration = step.configuration AND of_run.run = step.run
)
SELECT
    study, configuration, run, busy_basis, engines_online, engines_busy, busy_s,
    engines_busy / nullif(engines_online, 0) * 100 AS cpu_busy_pct,
    ziip_engines_online, ziip_engines_busy, normalization_factor, normalization_source,
    array_to_string(systems, ',') AS systems,
    coalesce(refs, []) AS refs
FROM weighted
