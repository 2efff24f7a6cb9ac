-- Grain: one row a study, configuration, run and busy basis (cp, cp_and_ziip).
-- Inputs: study_step, run_selection, processor_busy, interval_policy, interval_normalization.
-- Reads: only what lies in the windows of studies.
-- Formula: sum of LPAR BUSY x ONLINE over the processors of all systems in scope and all selected intervals, over the sum of ONLINE.
-- cp_and_ziip adds the zIIPs, weighted by the normalisation factor in both sums; the factor is that of the service policy
-- pages, else the one that the workload pages show, else 1 (as in cpu_by_class); NULL where a run's intervals differ in it.
-- CPU Activity belongs to a selected interval if its midpoint does. NULL: where a system of the scope has none, where its time differs
-- by more than 2 percent from the interval's, or where a processor's busy time is not printed.
-- Source: RMF Report Analysis, CPU Activity.
-- Columns:
--   study, configuration, run, busy_basis: what the figure is of
--   engines_online, engines_busy: mean over the run's time, zIIPs weighted
--   cpu_busy_pct [%]: busy of online, as measured
--   normalization_factor: of zIIP time
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
        selected.study, selected.configuration, selected.run, selected.interval_start,
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
    GROUP BY selected.study, selected.configuration, selected.run, selected.scope, selected.interval_start
),
policy AS (
    SELECT
        sysplex, report_kind, interval_start, interval_end,
        CASE WHEN min(norm_factor_iip) = max(norm_factor_iip) THEN min(norm_factor_iip) END AS norm_factor_iip
    FROM interval_policy
    GROUP BY sysplex, report_kind, interval_start, interval_end
),
factor AS (
    SELECT
        selected.study, selected.configuration, selected.run,
        CASE WHEN min(coalesce(policy.norm_factor_iip, recovered.recovered_factor))
                = max(coalesce(policy.norm_factor_iip, recovered.recovered_factor))
            THEN min(coalesce(policy.norm_factor_iip, recovered.recovered_factor)) END AS normalization_factor
    FROM chosen AS selected
    LEFT JOIN policy
        ON policy.sysplex IS NOT DISTINCT FROM selected.sysplex
        AND policy.report_kind = selected.report_kind
        AND policy.interval_start = selected.interval_start
        AND policy.interval_end = selected.interval_end
    LEFT JOIN interval_normalization AS recovered
        ON recovered.sysplex IS NOT DISTINCT FROM selected.sysplex
        AND recovered.scope IS NOT DISTINCT FROM selected.printed_scope
        AND recovered.report_kind = selected.report_kind
        AND recovered.interval_start = selected.interval_start
        AND recovered.interval_end = selected.interval_end
    WHERE coalesce(policy.norm_factor_iip, recovered.recovered_factor) IS NOT NULL
    GROUP BY selected.study, selected.configuration, selected.run
),
of_run AS (
    SELECT
        study, configuration, run,
        bool_and(is_covered) AS is_covered,
        CASE WHEN count(cp_online_s) = count(*) THEN sum(cp_online_s) END AS cp_online_s,
        CASE WHEN count(cp_busy_s) = count(*) THEN sum(cp_busy_s) END AS cp_busy_s,
        CASE WHEN count(ziip_online_s) = count(*) THEN sum(ziip_online_s) END AS ziip_online_s,
        CASE WHEN count(ziip_busy_s) = count(*) THEN sum(ziip_busy_s) END AS ziip_busy_s,
        list_sort(list_distinct(flatten(list(systems)))) AS systems,
        flatten(list(refs ORDER BY interval_start, systems)) AS refs
    FROM of_interval
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
            ELSE of_run.cp_online_s + weight.factor * of_run.ziip_online_s END AS online_s,
        CASE WHEN NOT of_run.is_covered THEN NULL
            WHEN basis.busy_basis = 'cp' THEN of_run.cp_busy_s
            ELSE of_run.cp_busy_s + weight.factor * of_run.ziip_busy_s END AS busy_s,
        weight.factor AS normalization_factor,
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
    LEFT JOIN (
        SELECT
            run.study, run.configuration, run.run,
            CASE WHEN factor.study IS NULL THEN 1 ELSE factor.normalization_factor END AS factor
        FROM study_step AS run
        LEFT JOIN factor
            ON factor.study = run.study AND factor.configuration = run.configuration AND factor.run = run.run
    ) AS weight
        ON weight.study = step.study AND weight.configuration = step.configuration AND weight.run = step.run
),
final AS (
    SELECT
        study, configuration, run, busy_basis,
        online_s / covered_s AS engines_online,
        busy_s / covered_s AS engines_busy,
        busy_s / nullif(online_s, 0) * 100 AS cpu_busy_pct,
        normalization_factor,
        array_to_string(systems, ',') AS systems,
        coalesce(refs, []) AS refs
    FROM weighted
)
SELECT * FROM final
