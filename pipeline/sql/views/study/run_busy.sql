-- Grain: one row per study, configuration, run and busy basis (cp, cp_and_ziip).
-- Formula: sum of LPAR BUSY x ONLINE over the processors of all systems in scope and all selected intervals, over the sum of ONLINE.
-- cp_and_ziip adds the zIIPs of each scope, weighted by its normalisation factor in both sums (interval_factor). An interval that shows no
-- factor has that of the scope's other intervals in the run, which have one machine; otherwise 1. Intervals that have no zIIPs need none.
-- NULL, of cp_and_ziip alone: where an interval's factor is contradictory, or where those of a scope differ by more than 0.02 and another
-- interval shows none.
-- CPU Activity belongs to a selected interval if its midpoint does. NULL: if a system of the scope has none, if its time differs
-- by more than 2 percent from the interval's, or if a processor's busy time is not printed.
-- Source: RMF Report Analysis, CPU Activity.
-- Columns:
--   study, configuration, run, busy_basis: key of the figure
--   engines_online, engines_busy: mean over the run's time, zIIPs weighted
--   cpu_busy_pct [%]: busy / online, as measured
--   ziip_engines_online, ziip_engines_busy: zIIPs included, not weighted; 0 where there are none
--   normalization_factor: of zIIP time; of several scopes and intervals their mean, weighted by the zIIPs online
--   normalization_source: policy_page, recovered, assumed_1, several of them, or contradictory
--   systems: the systems whose processors were added
--   refs: the printed rows behind the row
WITH of_run AS (
    SELECT
        study, configuration, run,
        bool_and(is_covered) AS is_covered,
        sum_all(COLUMNS(['cp_online_s', 'cp_busy_s', 'ziip_online_s', 'ziip_busy_s', 'weighted_online_s', 'weighted_busy_s'])),
        CASE WHEN count(factor) = count(*) THEN avg(factor) END AS mean_factor,
        CASE WHEN bool_or(normalization_source = 'contradictory') THEN 'contradictory'
            ELSE array_to_string(list_sort(list_distinct(list(normalization_source))), ',') END AS normalization_source,
        list_sort(list_distinct(flatten(list(systems)))) AS systems,
        flatten(list(refs ORDER BY interval_start, systems, refs)) AS refs
    FROM (
        SELECT
            *,
            CASE WHEN ziip_online_s = 0 THEN 0 ELSE factor * ziip_online_s END AS weighted_online_s,
            CASE WHEN ziip_online_s = 0 THEN 0 ELSE factor * ziip_busy_s END AS weighted_busy_s
        FROM run_busy_interval
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
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_online_s
            ELSE of_run.cp_online_s + of_run.weighted_online_s END AS online_s,
        CASE WHEN NOT of_run.is_covered THEN NULL
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_busy_s
            ELSE of_run.cp_busy_s + of_run.weighted_busy_s END AS busy_s,
        CASE WHEN NOT of_run.is_covered THEN NULL WHEN basis.busy_basis = 'cp' THEN 0 ELSE of_run.ziip_online_s END AS ziip_online_s,
        CASE WHEN NOT of_run.is_covered THEN NULL WHEN basis.busy_basis = 'cp' THEN 0 ELSE of_run.ziip_busy_s END AS ziip_busy_s,
        CASE WHEN of_run.ziip_online_s > 0 THEN of_run.weighted_online_s / of_run.ziip_online_s ELSE of_run.mean_factor END
            AS normalization_factor,
        of_run.normalization_source,
        time.covered_s, of_run.systems, of_run.refs
    FROM study_step AS step
    CROSS JOIN basis
    LEFT JOIN (
        SELECT study, configuration, run, max(scope_covered_s) AS covered_s
        FROM run_selection
        GROUP BY study, configuration, run
    ) AS time
        ON time.study = step.study AND time.configuration = step.configuration AND time.run = step.run
    LEFT JOIN of_run
        ON of_run.study = step.study AND of_run.configuration = step.configuration AND of_run.run = step.run
)
SELECT
    study, configuration, run, busy_basis,
    online_s / covered_s AS engines_online,
    busy_s / covered_s AS engines_busy,
    busy_s / nullif(online_s, 0) * 100 AS cpu_busy_pct,
    ziip_online_s / covered_s AS ziip_engines_online,
    ziip_busy_s / covered_s AS ziip_engines_busy,
    normalization_factor, normalization_source,
    array_to_string(systems, ',') AS systems,
    coalesce(refs, []) AS refs
FROM weighted
