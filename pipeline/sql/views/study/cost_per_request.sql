-- Grain: one row per study, configuration, run and subsystem, and one for the unallocated rest ('unallocated').
-- Formula: processor seconds of the subsystem's classes over all selected intervals (run_class), over the run's requests, x busy_factor: cpu_pct /
-- 100 / requests_per_s x 1000 x busy_factor where all systems cover the same time. Percentages are sums of processor time over covered time,
-- never means, and as measured; milliseconds per request are as the study compares them: with its normalisation of engine speed and LPAR overhead.
-- cpu = on zIIP + zIIP-eligible on general processors + not eligible (+ zAAP). A page without zIIP cells (before z/OS 1.6) gives only cpu
-- alone.
-- unallocated: time of all service classes (where they are not printed: of the policy, otherwise of all report classes) less the time that
-- the study charges; class_kind is their kind. NULL if the study charges classes of both kinds, which may count the same work,
-- or if it charges more than these classes have. Time that no class captured is not included.
-- NULL: if a class of the subsystem is printed in no interval of the run, or is missing from an incomplete interval (workload_interval); per
-- request also where there were no requests.
-- Source: RMF Report Analysis, APPL %; REDP-5208 and the z/OS Connect performance report for cost per request.
-- Columns:
--   location: of the subsystem: local, remote, or both if split; NULL for the unallocated rest
WITH of_class AS MATERIALIZED (
    SELECT * FROM run_class
),
charged AS MATERIALIZED (
    SELECT
        step.study, step.configuration, step.run, class.subsystem,
        CASE WHEN count(DISTINCT coalesce(class_run.location, class.location)) = 1
            THEN max(coalesce(class_run.location, class.location)) ELSE 'both' END AS location,
        known_value(class.class_kind) AS class_kind,
        sum_all(COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$')),
        flatten(list(class_run.refs ORDER BY class_run.refs) FILTER (class_run.refs IS NOT NULL)) AS refs
    FROM study_step AS step
    JOIN study_class AS class ON class.study = step.study AND class.role = 'cpu'
    LEFT JOIN of_class AS class_run
        ON NOT class_run.is_total AND class_run.study = step.study AND class_run.configuration = step.configuration AND class_run.run = step.run
        AND class_run.class_kind = class.class_kind AND class_run.class_name = class.class_name
    GROUP BY step.study, step.configuration, step.run, class.subsystem
),
named_kind AS (
    SELECT
        study,
        known_value(class_kind) AS class_kind
    FROM study_class
    WHERE role = 'cpu'
    GROUP BY study
),
whole AS (
    SELECT kind_run.*
    FROM of_class AS kind_run
    LEFT JOIN named_kind USING (study)
    WHERE kind_run.is_total AND kind_run.is_complete AND (named_kind.study IS NULL OR named_kind.class_kind IS NOT NULL)
        AND (kind_run.class_kind = 'service_class' OR named_kind.class_kind IS DISTINCT FROM 'service_class')
    QUALIFY row_number() OVER (
        PARTITION BY kind_run.study, kind_run.configuration, kind_run.run
        ORDER BY CASE kind_run.class_kind
            WHEN 'service_class' THEN 1 WHEN 'policy' THEN 2 WHEN 'report_class' THEN 3 ELSE 4 END
    ) = 1 AND kind_run.class_kind IN ('service_class', 'policy', 'report_class')
),
charged_sum AS (
    SELECT
        study, configuration, run,
        sum_all(COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$'))
    FROM charged
    GROUP BY study, configuration, run
),
rest AS (
    SELECT
        study, configuration, run, max(class_kind) AS class_kind,
        sum_all(COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$')),
        -- Each percentage is printed to a hundredth: less than that per class counts as no time.
        0.01 * max(classes) AS tolerance_pct
    FROM (
        SELECT study, configuration, run, class_kind, classes, COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$') FROM whole
        UNION ALL BY NAME
        SELECT study, configuration, run, -COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$')
        FROM charged_sum
        SEMI JOIN whole USING (study, configuration, run)
    )
    GROUP BY study, configuration, run
),
every_row AS (
    SELECT * FROM charged
    UNION ALL BY NAME
    SELECT
        step.study, step.configuration, step.run, 'unallocated' AS subsystem, rest.class_kind,
        -- Rounded: a difference of equal sums in their last binary digits is no time either.
        CASE WHEN rest.cpu_pct >= -rest.tolerance_pct THEN without_noise(COLUMNS('^(cp|ziip|non_ziip).*_(pct|s)$')) END
    FROM study_step AS step
    LEFT JOIN rest USING (study, configuration, run)
)
SELECT
    every_row.study, every_row.configuration, every_row.run, every_row.subsystem, every_row.location, every_row.class_kind,
    of_run.requests, of_run.requests_per_s, factor.busy_factor,
    COLUMNS('_pct'),
    1000 * every_row.cpu_s * factor.busy_factor / nullif(of_run.requests, 0) AS cpu_ms_per_request,
    1000 * every_row.ziip_s * factor.busy_factor / nullif(of_run.requests, 0) AS ziip_ms_per_request,
    1000 * every_row.ziip_on_cp_s * factor.busy_factor / nullif(of_run.requests, 0) AS ziip_on_cp_ms_per_request,
    1000 * every_row.non_ziip_eligible_s * factor.busy_factor / nullif(of_run.requests, 0) AS non_ziip_eligible_ms_per_request,
    1000 * every_row.cpu_normalized_s * factor.busy_factor / nullif(of_run.requests, 0) AS cpu_normalized_ms_per_request,
    1000 * every_row.cp_s * factor.busy_factor / nullif(of_run.requests, 0) AS cp_ms_per_request,
    of_run.response_ms,
    coalesce(every_row.refs, []) AS refs
FROM every_row
JOIN run_requests AS of_run USING (study, configuration, run)
JOIN busy_factor AS factor USING (study, configuration)
