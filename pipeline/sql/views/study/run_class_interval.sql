-- Grain: one row per study, configuration, run, class and printed interval that the study selects.
-- Rows of different class_kind describe the same work.
-- A class that one interval of the run's scope prints has a row in every interval. In an interval without it the class used nothing if the
-- interval prints classes of its kind and is complete, otherwise it is unknown (workload_interval).
-- Source: RMF Report Analysis, Workload Activity.
-- Columns:
--   scope: systems of the page; '' if unknown
--   is_printed: the interval prints the class
--   cpu_source: as in cpu_by_class, not_printed where only other intervals print it; NULL if the class prints no processor time
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
scope_time AS (
    SELECT
        study, configuration, run, coalesce(scope, '') AS scope, count(*) AS intervals, sum(interval_s) AS covered_s
    FROM chosen
    GROUP BY study, configuration, run, coalesce(scope, '')
),
printed AS MATERIALIZED (
    SELECT
        selected.study, selected.configuration, selected.run, coalesce(selected.scope, '') AS scope,
        selected.system_location, selected.interval_start, selected.interval_end, selected.interval_s,
        scope_time.intervals, scope_time.covered_s,
        class.class_kind,
        CASE class.class_kind
            WHEN 'service_class' THEN class.service_class WHEN 'report_class' THEN class.report_class
            WHEN 'workload' THEN class.workload WHEN 'policy' THEN class.policy
        END AS class_name,
        class.workload, class.is_conflicting,
        class.cpu_pct, class.cpu_normalized_pct, class.cp_pct,
        -- A page prints N/A where there is no zIIP; a page without zIIP cells leaves the split unknown.
        CASE WHEN class.ziip_eligible_pct IS NOT NULL THEN without_noise(class.ziip_eligible_pct - coalesce(class.ziip_on_cp_pct, 0)) END
            AS ziip_pct,
        CASE WHEN class.ziip_eligible_pct IS NOT NULL THEN coalesce(class.ziip_on_cp_pct, 0) END AS ziip_on_cp_pct,
        class.non_ziip_eligible_pct, class.cpu_source,
        class.transactions_ended, class.actual_time_s * 1000 * class.transactions_ended AS response_total_ms, class.refs
    FROM chosen AS selected
    JOIN scope_time
        ON scope_time.study = selected.study AND scope_time.configuration = selected.configuration
        AND scope_time.run = selected.run AND scope_time.scope = coalesce(selected.scope, '')
    JOIN cpu_by_class AS class
        ON policy_interval_key(class) = printed_interval_key(selected)
    WHERE selected.interval_source = 'workload_activity'
),
-- Classes printed in other intervals of the scope, but not in this one.
not_printed AS (
    SELECT
        selected.study, selected.configuration, selected.run, class.scope, selected.system_location,
        selected.interval_start, selected.interval_end, selected.interval_s, scope_time.intervals, scope_time.covered_s,
        class.class_kind, class.class_name, class.workload,
        CASE WHEN class.has_cpu THEN 'not_printed' END AS cpu_source,
        CASE WHEN whole.is_whole THEN 0 END AS zero_if_whole
    FROM (
        SELECT
            study, configuration, run, scope, class_kind, class_name, known_value(workload) AS workload,
            count(cpu_source) > 0 AS has_cpu
        FROM printed
        GROUP BY study, configuration, run, scope, intervals, class_kind, class_name
        HAVING count(DISTINCT interval_start) < intervals
    ) AS class
    JOIN chosen AS selected
        ON selected.study = class.study AND selected.configuration = class.configuration AND selected.run = class.run
        AND coalesce(selected.scope, '') = class.scope
    JOIN scope_time
        ON scope_time.study = selected.study AND scope_time.configuration = selected.configuration
        AND scope_time.run = selected.run AND scope_time.scope = class.scope
    ANTI JOIN printed
        ON printed.study = class.study AND printed.configuration = class.configuration AND printed.run = selected.run
        AND printed.scope = class.scope AND printed.class_kind = class.class_kind
        AND printed.class_name IS NOT DISTINCT FROM class.class_name
        AND printed.interval_start = selected.interval_start AND printed.interval_end = selected.interval_end
    LEFT JOIN workload_interval AS whole
        ON policy_interval_key(whole) = printed_interval_key(selected)
        AND whole.class_kind = class.class_kind
),
final AS (
    SELECT * EXCLUDE (interval_end), TRUE AS is_printed FROM printed
    UNION ALL BY NAME
    SELECT
        study, configuration, run, scope, system_location, interval_start, interval_s, intervals, covered_s, class_kind, class_name,
        workload, FALSE AS is_conflicting,
        zero_if_whole AS cpu_pct, zero_if_whole AS cpu_normalized_pct, zero_if_whole AS cp_pct, zero_if_whole AS ziip_pct, zero_if_whole AS ziip_on_cp_pct,
        zero_if_whole AS non_ziip_eligible_pct, FALSE AS is_printed, cpu_source, zero_if_whole AS transactions_ended, [] AS refs
    FROM not_printed
)
SELECT
    study, configuration, run, scope, system_location, interval_start, interval_s, intervals, covered_s, class_kind, class_name, workload,
    cpu_pct, cpu_normalized_pct, cp_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct, is_printed, is_conflicting, cpu_source, transactions_ended,
    response_total_ms, refs
FROM final
