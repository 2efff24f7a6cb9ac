-- Grain: one row a study, configuration, run and busy basis (cp, cp_and_ziip).
-- Inputs: study_step, run_selection, processor_busy, interval_factor.
-- Formula: sum of LPAR BUSY x ONLINE over the processors of all systems in scope and all selected intervals, over the sum of ONLINE.
-- cp_and_ziip adds the zIIPs of each scope, weighted by its normalisation factor in both sums (interval_factor). An interval that shows no
-- factor has that of the scope's other intervals in the run, which have one machine; else 1. Intervals that have no zIIPs need none.
-- NULL, of cp_and_ziip alone: where an interval's factor is contradictory, or where those of a scope differ by more than 0.02 and another
-- interval shows none.
-- CPU Activity belongs to a selected interval if its midpoint does. NULL: where a system of the scope has none, where its time differs
-- by more than 2 percent from the interval's, or where a processor's busy time is not printed.
-- Source: RMF Report Analysis, CPU Activity.
-- Columns:
--   study, configuration, run, busy_basis: what the figure is of
--   engines_online, engines_busy: mean over the run's time, zIIPs weighted
--   cpu_busy_pct [%]: busy of online, as measured
--   ziip_engines_online, ziip_engines_busy: zIIPs in it as they are, not weighted; 0 where there are none
--   normalization_factor: of zIIP time; of several scopes and intervals their mean, weighted by the zIIPs online
--   normalization_source: policy_page, recovered, assumed_1, several of them, or contradictory
--   systems: the systems whose processors were added
--   refs: the printed rows
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
matched AS (
    SELECT
        selected.study, selected.configuration, selected.run, selected.scope, selected.interval_start AS selected_start,
        selected.interval_s AS selected_s,
        busy.system, busy.processor_type, busy.interval_start, busy.interval_s, busy.engines_online, busy.engines_busy, busy.refs
    FROM chosen AS selected
    JOIN processor_busy AS busy
        ON busy.report_kind = selected.report_kind
        AND busy.interval_start + (busy.interval_end - busy.interval_start) / 2 >= selected.interval_start
        AND busy.interval_start + (busy.interval_end - busy.interval_start) / 2 < selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), busy.system))
        AND busy.processor_type IN ('CP', 'IIP')
),
of_system AS (
    SELECT
        study, configuration, run, scope, selected_start, selected_s, system, processor_type,
        abs(sum(interval_s) / selected_s - 1) <= 0.02 AS is_covered,
        CASE WHEN count(engines_online) = count(*) THEN sum(engines_online * interval_s) END AS online_s,
        CASE WHEN count(engines_busy) = count(*) THEN sum(engines_busy * interval_s) END AS busy_s,
        flatten(list(refs ORDER BY interval_start)) AS refs
    FROM matched
    GROUP BY study, configuration, run, scope, selected_start, selected_s, system, processor_type
),
of_interval AS (
    SELECT
        selected.study, selected.configuration, selected.run, selected.scope, selected.sysplex, selected.printed_scope, selected.report_kind,
        selected.interval_start, selected.interval_end,
        coalesce(bool_and(of_system.is_covered), FALSE)
            AND count(DISTINCT of_system.system) FILTER (of_system.processor_type = 'CP')
                >= coalesce(len(string_split(selected.scope, ',')), 1) AS is_covered,
        CASE WHEN count(of_system.online_s) FILTER (of_system.processor_type = 'CP')
                = count(*) FILTER (of_system.processor_type = 'CP')
            THEN sum(of_system.online_s) FILTER (of_system.processor_type = 'CP') END AS cp_online_s,
        CASE WHEN count(of_system.busy_s) FILTER (of_system.processor_type = 'CP')
                = count(*) FILTER (of_system.processor_type = 'CP')
            THEN sum(of_system.busy_s) FILTER (of_system.processor_type = 'CP') END AS cp_busy_s,
        CASE WHEN count(of_system.online_s) FILTER (of_system.processor_type = 'IIP')
                = count(*) FILTER (of_system.processor_type = 'IIP')
            THEN coalesce(sum(of_system.online_s) FILTER (of_system.processor_type = 'IIP'), 0) END AS ziip_online_s,
        CASE WHEN count(of_system.busy_s) FILTER (of_system.processor_type = 'IIP')
                = count(*) FILTER (of_system.processor_type = 'IIP')
            THEN coalesce(sum(of_system.busy_s) FILTER (of_system.processor_type = 'IIP'), 0) END AS ziip_busy_s,
        list_sort(list_distinct(list(of_system.system))) AS systems,
        flatten(list(of_system.refs ORDER BY of_system.system, of_system.processor_type)
            FILTER (of_system.refs IS NOT NULL)) AS refs
    FROM chosen AS selected
    LEFT JOIN of_system
        ON of_system.study = selected.study AND of_system.configuration = selected.configuration
        AND of_system.run = selected.run AND of_system.scope IS NOT DISTINCT FROM selected.scope
        AND of_system.selected_start = selected.interval_start
    GROUP BY
        selected.study, selected.configuration, selected.run, selected.scope, selected.sysplex, selected.printed_scope, selected.report_kind,
        selected.interval_start, selected.interval_end
),
shown AS (
    SELECT
        each.study, each.configuration, each.run, each.scope, each.interval_start, each.interval_end,
        each.is_covered, each.cp_online_s, each.cp_busy_s, each.ziip_online_s, each.ziip_busy_s, each.systems, each.refs,
        factor.normalization_factor,
        -- A window without workload pages has no row there.
        coalesce(factor.normalization_source, 'assumed_1') AS normalization_source,
        min(CASE WHEN factor.normalization_source <> 'assumed_1' THEN factor.normalization_factor END) OVER of_scope AS least,
        max(CASE WHEN factor.normalization_source <> 'assumed_1' THEN factor.normalization_factor END) OVER of_scope AS most,
        max(CASE WHEN factor.normalization_factor IS NOT NULL AND factor.normalization_source <> 'assumed_1'
            THEN factor.normalization_source END) OVER of_scope AS shown_source
    FROM of_interval AS each
    LEFT JOIN interval_factor AS factor
        ON factor.sysplex IS NOT DISTINCT FROM each.sysplex
        AND factor.scope IS NOT DISTINCT FROM each.printed_scope
        AND factor.report_kind = each.report_kind
        AND factor.interval_start = each.interval_start
        AND factor.interval_end = each.interval_end
    WINDOW of_scope AS (PARTITION BY each.study, each.configuration, each.run, each.scope)
),
factored AS (
    SELECT
        * EXCLUDE (normalization_factor, normalization_source),
        CASE
            WHEN normalization_source <> 'assumed_1' THEN normalization_factor
            WHEN least IS NULL THEN 1
            WHEN most - least <= 0.02 THEN (least + most) / 2
        END AS factor,
        CASE
            WHEN normalization_source <> 'assumed_1' OR least IS NULL THEN normalization_source
            WHEN most - least <= 0.02 THEN shown_source
            ELSE 'contradictory'
        END AS normalization_source
    FROM shown
),
of_run AS (
    SELECT
        study, configuration, run,
        bool_and(is_covered) AS is_covered,
        CASE WHEN count(cp_online_s) = count(*) THEN sum(cp_online_s) END AS cp_online_s,
        CASE WHEN count(cp_busy_s) = count(*) THEN sum(cp_busy_s) END AS cp_busy_s,
        CASE WHEN count(ziip_online_s) = count(*) THEN sum(ziip_online_s) END AS ziip_online_s,
        CASE WHEN count(ziip_busy_s) = count(*) THEN sum(ziip_busy_s) END AS ziip_busy_s,
        CASE WHEN count(weighted_online_s) = count(*) THEN sum(weighted_online_s) END AS weighted_online_s,
        CASE WHEN count(weighted_busy_s) = count(*) THEN sum(weighted_busy_s) END AS weighted_busy_s,
        CASE WHEN count(factor) = count(*) THEN avg(factor) END AS mean_factor,
        CASE WHEN bool_or(normalization_source = 'contradictory') THEN 'contradictory'
            ELSE array_to_string(list_sort(list_distinct(list(normalization_source))), ',') END AS normalization_source,
        list_sort(list_distinct(flatten(list(systems)))) AS systems,
        flatten(list(refs ORDER BY interval_start, systems)) AS refs
    FROM (
        SELECT
            *,
            CASE WHEN ziip_online_s = 0 THEN 0 ELSE factor * ziip_online_s END AS weighted_online_s,
            CASE WHEN ziip_online_s = 0 THEN 0 ELSE factor * ziip_busy_s END AS weighted_busy_s
        FROM factored
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
        FROM chosen
        GROUP BY study, configuration, run
    ) AS time
        ON time.study = step.study AND time.configuration = step.configuration AND time.run = step.run
    LEFT JOIN of_run
        ON of_run.study = step.study AND of_run.configuration = step.configuration AND of_run.run = step.run
),
final AS (
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
)
SELECT * FROM final
