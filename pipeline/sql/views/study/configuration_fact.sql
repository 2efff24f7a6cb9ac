-- Grain: one row per study, configuration and fact of its selected intervals that a fair comparison needs.
-- Rule: all distinct values of the selected intervals are listed. Facts that no page prints have no row.
-- Pages belong to a selected interval by their midpoint and their system.
-- Source: the study file; RMF Workload Activity, CPU Activity and service policy pages.
-- Columns:
--   fact: weekday, hour (of the windows' starts), sysplex, systems, report_kind, release (of the data), report_version (of the
--     Postprocessor), machine (type and model), capacity (of the machine), boost (of CPU
--     Activity; none where it prints none), engines_cp, engines_ziip (online, to a tenth), threads (per core, by processor type),
--     lpar_weight (the partition's share of all weights, by processor type), policy, policy_activation, coefficients, su_per_s (of one
--     engine), normalization (factor of zIIP time), normalization_source (as in interval_factor), busy_cp or busy_cp_and_ziip
--   value: as text, distinct values sorted; of systems all that any page is of: pages of each system are of the same systems as one page of all
--   busy_pct [%]: of busy figures the number
--   refs: the first row that says so
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
policy_page AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, policy, release, report_version,
        min(ref(source_id, page, line)) AS ref
    FROM rmf_workload_activity
    GROUP BY ALL
),
of_policy AS (
    SELECT DISTINCT
        selected.study, selected.configuration, activity.policy, selected.policy_activated_at, activity.release,
        activity.report_version, activity.ref
    FROM chosen AS selected
    JOIN scoped(policy_page) AS activity
        ON policy_interval_key(activity) = printed_interval_key(selected)
),
of_machine AS (
    SELECT
        selected.study, selected.configuration, processors.machine, processors.cpc_capacity, processors.boost, processors.ref
    FROM chosen AS selected
    JOIN (
        SELECT
            system, report_kind, interval_start, interval_end,
            nullif(concat_ws(' ', cpc_type, cpc_model), '') AS machine,
            CAST(cpc_capacity AS VARCHAR) AS cpc_capacity,
            coalesce(nullif(concat_ws(' ', CASE WHEN lower(boost_type) <> 'none' THEN boost_type END,
                CASE WHEN lower(boost_class) <> 'none' THEN boost_class END), ''), 'none') AS boost,
            min(ref(source_id, page, line)) AS ref
        FROM counted('rmf_cpu_activity')
        -- Systems of two sysplexes may have one name.
        GROUP BY system, report_kind, interval_start, interval_end, cpc_type, cpc_model, cpc_capacity, boost_type, boost_class
    ) AS processors ON is_page_within(selected, processors)
),
of_threads AS (
    SELECT
        selected.study, selected.configuration, concat(cores.processor_type, ' ', cores.threads_per_core) AS threads,
        ref(cores.source_id, cores.page, cores.line) AS ref
    FROM chosen AS selected
    JOIN rmf_multithreading AS cores ON is_page_within(selected, cores)
    WHERE cores.threads_per_core IS NOT NULL
),
of_weight AS (
    SELECT
        selected.study, selected.configuration,
        printf('%s %.1f%%', machine.processor_type, machine.weight_pct) AS lpar_weight,
        machine.ref
    FROM chosen AS selected
    JOIN (
        SELECT
            system, report_kind, interval_start, interval_end, processor_type,
            CASE WHEN count(DISTINCT weight) FILTER (partition = mvs_partition) = 1
                THEN 100 * max(weight) FILTER (partition = mvs_partition) END
                / nullif(sum(weight / copies), 0) AS weight_pct,
            min(ref(source_id, page, line)) FILTER (partition = mvs_partition) AS ref
        FROM (
            SELECT
                system, report_kind, interval_start, interval_end, processor_type, partition, mvs_partition, weight,
                source_id, page, line,
                count(*) OVER (PARTITION BY system, report_kind, interval_start, interval_end, processor_type, partition) AS copies
            FROM counted('rmf_partition_data')
            WHERE NOT is_total
        ) AS partitions
        GROUP BY system, report_kind, interval_start, interval_end, processor_type
    ) AS machine ON is_page_within(selected, machine)
    WHERE machine.weight_pct IS NOT NULL
),
of_engines AS (
    SELECT
        study, configuration,
        max(refs[1]) FILTER (busy_basis = 'cp') AS ref,
        any_value(engines) FILTER (busy_basis = 'cp') AS cp,
        any_value(ziips) FILTER (busy_basis = 'cp_and_ziip') AS ziip
    FROM (
        SELECT
            study, configuration, busy_basis, min(refs[1:1]) AS refs,
            CASE WHEN count(engines_online) = count(*) THEN avg(engines_online) END AS engines,
            CASE WHEN count(ziip_engines_online) = count(*) THEN avg(ziip_engines_online) END AS ziips
        FROM run_busy
        GROUP BY study, configuration, busy_basis
    ) AS by_basis
    GROUP BY study, configuration
),
of_service AS (
    SELECT
        selected.study, selected.configuration,
        concat('CPU ', page.coefficient_cpu, ', SRB ', page.coefficient_srb, ', IOC ', page.coefficient_ioc, ', MSO ', page.coefficient_mso)
            AS coefficients,
        ref(page.source_id, page.page, page.line) AS ref
    FROM chosen AS selected
    JOIN rmf_service_policy AS page
        ON page.sysplex = selected.sysplex AND page.report_kind = selected.report_kind
        AND page.interval_start = selected.interval_start AND page.interval_end = selected.interval_end
    WHERE page.coefficient_cpu IS NOT NULL
),
of_speed AS (
    SELECT
        selected.study, selected.configuration, CAST(page.su_per_s AS VARCHAR) AS su_per_s,
        ref(page.source_id, page.page, page.line) AS ref
    FROM chosen AS selected
    JOIN rmf_service_policy_system AS page
        ON page.sysplex = selected.sysplex AND page.report_kind = selected.report_kind
        AND page.interval_start = selected.interval_start AND page.interval_end = selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), page.system))
),
of_factor AS (
    SELECT DISTINCT
        selected.study, selected.configuration, factor.normalization_factor, factor.normalization_source
    FROM chosen AS selected
    JOIN interval_factor AS factor
        ON factor.sysplex IS NOT DISTINCT FROM selected.sysplex
        AND factor.scope IS NOT DISTINCT FROM selected.printed_scope
        AND factor.report_kind = selected.report_kind
        AND factor.interval_start = selected.interval_start AND factor.interval_end = selected.interval_end
),
facts AS (
    SELECT
        study, configuration, unnest(['weekday', 'hour']) AS fact, unnest([dayname(window_start), strftime(window_start, '%H')]) AS value,
        ref(source_id, page, line) AS ref
    FROM study_step
    UNION ALL
    SELECT study, configuration, unnest(['machine', 'capacity', 'boost']), unnest([machine, cpc_capacity, boost]), ref
    FROM of_machine
    UNION ALL
    SELECT study, configuration, unnest(['engines_cp', 'engines_ziip']), unnest([printf('%.1f', cp), printf('%.1f', ziip)]), ref
    FROM of_engines
    UNION ALL
    SELECT study, configuration, 'threads', threads, ref FROM of_threads
    UNION ALL
    SELECT study, configuration, 'lpar_weight', lpar_weight, ref FROM of_weight
    UNION ALL
    SELECT
        study, configuration, unnest(['policy', 'policy_activation', 'release', 'report_version']),
        unnest([policy, CAST(policy_activated_at AS VARCHAR), release, report_version]), ref
    FROM of_policy
    UNION ALL
    SELECT study, configuration, 'coefficients', coefficients, ref FROM of_service
    UNION ALL
    SELECT study, configuration, 'su_per_s', su_per_s, ref FROM of_speed
    UNION ALL
    SELECT study, configuration, 'sysplex', sysplex, CAST(NULL AS STRUCT(source_id VARCHAR, page BIGINT, line BIGINT)) FROM chosen
    UNION ALL
    SELECT study, configuration, 'systems', array_to_string(list_sort(list_distinct(flatten(list(string_split(scope, ','))))), ','), NULL
    FROM chosen
    WHERE scope IS NOT NULL
    GROUP BY study, configuration
    UNION ALL
    SELECT study, configuration, 'report_kind', report_kind, NULL FROM chosen
    UNION ALL
    SELECT
        study, configuration, unnest(['normalization', 'normalization_source']),
        unnest([coalesce(printf('%.4g', normalization_factor), 'not known'), normalization_source]), NULL
    FROM of_factor
)
SELECT
    study, configuration, fact,
    array_to_string(list_sort(list_distinct(list(value))), ', ') AS value,
    CAST(NULL AS DOUBLE) AS busy_pct,
    CASE WHEN min(ref) IS NULL THEN [] ELSE [min(ref)] END AS refs
FROM facts
WHERE value IS NOT NULL
GROUP BY study, configuration, fact
UNION ALL
SELECT
    study, configuration, concat('busy_', busy_basis) AS fact,
    printf('%.2f%%', sum(engines_busy * covered_s) / sum(engines_online * covered_s) * 100) AS value,
    sum(engines_busy * covered_s) / sum(engines_online * covered_s) * 100 AS busy_pct,
    min(refs[1:1]) AS refs
FROM itr
GROUP BY study, configuration, busy_basis
HAVING count(cpu_busy_pct) = count(*)
