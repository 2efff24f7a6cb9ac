-- Grain: one row per study, pair of configurations that are compared, and thing in which they are not like for like.
-- Inputs: study_configuration, study_step, run_selection, rmf_workload_activity, interval_scope, rmf_cpu_activity, rmf_multithreading,
-- rmf_partition_data, rmf_service_policy, rmf_service_policy_system, itr, run_busy.
-- Rule: compared are the baseline and every other configuration, and the coupled with the uncoupled. Of each, all distinct values of
-- the selected intervals are listed; what is printed for one of the two only is not compared. Busy figures (normalised) are unlike
-- when the one is more than 1.5 times the other: an ITR at one utilisation says little of one at another.
-- Pages belong to a selected interval by their midpoint and their system.
-- Only DuckDB knows functions of lists.
-- Source: the study file; RMF Workload Activity, CPU Activity and service policy pages.
-- Columns:
--   study, baseline, configuration: what is compared
--   warning: weekday, hour (of the windows' starts), machine (type and model), capacity (of the machine), boost (of CPU
--     Activity; none where it prints none), engines_cp, engines_ziip (online, to a tenth), threads (per core, by processor type),
--     lpar_weight (the partition's share of all weights, by processor type), policy, policy_activation, coefficients, su_per_s (of one
--     engine), busy_cp or busy_cp_and_ziip
--   baseline_value, value: what differs
--   refs: the first row of each that says so
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
of_policy AS (
    SELECT DISTINCT
        selected.study, selected.configuration, activity.policy, selected.policy_activated_at,
        activity.ref
    FROM chosen AS selected
    JOIN (
        SELECT each.* REPLACE (coalesce(read_as.scope, each.scope) AS scope)
        FROM (
            SELECT
                sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, policy,
                min(struct_pack(source_id := source_id, page := page, line := line)) AS ref
            FROM rmf_workload_activity
            GROUP BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, policy
        ) AS each
        LEFT JOIN interval_scope AS read_as
            ON read_as.sysplex = each.sysplex AND read_as.report_kind = each.report_kind
            AND read_as.interval_start = each.interval_start AND read_as.interval_end = each.interval_end
            AND read_as.policy_activated_at IS NOT DISTINCT FROM each.policy_activated_at
            AND read_as.printed_scope IS NOT DISTINCT FROM each.scope
    ) AS activity
        ON activity.sysplex IS NOT DISTINCT FROM selected.sysplex
        AND activity.scope IS NOT DISTINCT FROM selected.printed_scope
        AND activity.report_kind = selected.report_kind
        AND activity.interval_start = selected.interval_start AND activity.interval_end = selected.interval_end
        AND activity.policy_activated_at IS NOT DISTINCT FROM selected.policy_activated_at
),
of_machine AS (
    SELECT
        selected.study, selected.configuration, processors.machine, processors.cpc_capacity, processors.boost, processors.ref
    FROM chosen AS selected
    JOIN (
        SELECT
            system, report_kind, interval_start, interval_end,
            nullif(concat_ws(' ', max(cpc_type), max(cpc_model)), '') AS machine,
            CAST(max(cpc_capacity) AS VARCHAR) AS cpc_capacity,
            coalesce(nullif(concat_ws(' ', max(CASE WHEN lower(boost_type) <> 'none' THEN boost_type END),
                max(CASE WHEN lower(boost_class) <> 'none' THEN boost_class END)), ''), 'none') AS boost,
            min(struct_pack(source_id := source_id, page := page, line := line)) AS ref
        FROM rmf_cpu_activity
        GROUP BY system, report_kind, interval_start, interval_end
    ) AS processors
        ON processors.report_kind = selected.report_kind
        AND processors.interval_start + (processors.interval_end - processors.interval_start) / 2 >= selected.interval_start
        AND processors.interval_start + (processors.interval_end - processors.interval_start) / 2 < selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), processors.system))
),
of_threads AS (
    SELECT
        selected.study, selected.configuration, concat(cores.processor_type, ' ', cores.threads_per_core) AS threads,
        struct_pack(source_id := cores.source_id, page := cores.page, line := cores.line) AS ref
    FROM chosen AS selected
    JOIN rmf_multithreading AS cores
        ON cores.report_kind = selected.report_kind
        AND cores.interval_start + (cores.interval_end - cores.interval_start) / 2 >= selected.interval_start
        AND cores.interval_start + (cores.interval_end - cores.interval_start) / 2 < selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), cores.system))
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
            min(struct_pack(source_id := source_id, page := page, line := line)) FILTER (partition = mvs_partition) AS ref
        FROM (
            SELECT
                system, report_kind, interval_start, interval_end, processor_type, partition, mvs_partition, weight,
                source_id, page, line,
                count(*) OVER (PARTITION BY system, report_kind, interval_start, interval_end, processor_type, partition) AS copies
            FROM rmf_partition_data
            WHERE NOT is_total
        ) AS partitions
        GROUP BY system, report_kind, interval_start, interval_end, processor_type
    ) AS machine
        ON machine.report_kind = selected.report_kind
        AND machine.interval_start + (machine.interval_end - machine.interval_start) / 2 >= selected.interval_start
        AND machine.interval_start + (machine.interval_end - machine.interval_start) / 2 < selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), machine.system))
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
        struct_pack(source_id := page.source_id, page := page.page, line := page.line) AS ref
    FROM chosen AS selected
    JOIN rmf_service_policy AS page
        ON page.sysplex = selected.sysplex AND page.report_kind = selected.report_kind
        AND page.interval_start = selected.interval_start AND page.interval_end = selected.interval_end
    WHERE page.coefficient_cpu IS NOT NULL
),
of_speed AS (
    SELECT
        selected.study, selected.configuration, CAST(page.su_per_s AS VARCHAR) AS su_per_s,
        struct_pack(source_id := page.source_id, page := page.page, line := page.line) AS ref
    FROM chosen AS selected
    JOIN rmf_service_policy_system AS page
        ON page.sysplex = selected.sysplex AND page.report_kind = selected.report_kind
        AND page.interval_start = selected.interval_start AND page.interval_end = selected.interval_end
        AND (selected.scope IS NULL OR list_contains(string_split(selected.scope, ','), page.system))
),
said AS (
    SELECT
        study, configuration, 'weekday' AS warning, dayname(window_start) AS value,
        struct_pack(source_id := source_id, page := page, line := line) AS ref
    FROM study_step
    UNION ALL
    SELECT study, configuration, 'hour', strftime(window_start, '%H'), struct_pack(source_id := source_id, page := page, line := line)
    FROM study_step
    UNION ALL
    SELECT study, configuration, 'machine', machine, ref FROM of_machine
    UNION ALL
    SELECT study, configuration, 'capacity', cpc_capacity, ref FROM of_machine
    UNION ALL
    SELECT study, configuration, 'boost', boost, ref FROM of_machine
    UNION ALL
    SELECT study, configuration, 'engines_cp', printf('%.1f', cp), ref FROM of_engines
    UNION ALL
    SELECT study, configuration, 'engines_ziip', printf('%.1f', ziip), ref FROM of_engines
    UNION ALL
    SELECT study, configuration, 'threads', threads, ref FROM of_threads
    UNION ALL
    SELECT study, configuration, 'lpar_weight', lpar_weight, ref FROM of_weight
    UNION ALL
    SELECT study, configuration, 'policy', policy, ref FROM of_policy
    UNION ALL
    SELECT study, configuration, 'policy_activation', CAST(policy_activated_at AS VARCHAR), ref FROM of_policy
    UNION ALL
    SELECT study, configuration, 'coefficients', coefficients, ref FROM of_service
    UNION ALL
    SELECT study, configuration, 'su_per_s', su_per_s, ref FROM of_speed
),
listed AS MATERIALIZED (
    SELECT
        study, configuration, warning,
        array_to_string(list_sort(list_distinct(list(value))), ', ') AS value,
        CAST(NULL AS DOUBLE) AS busy_pct,
        min(ref) AS ref
    FROM said
    WHERE value IS NOT NULL
    GROUP BY study, configuration, warning
    UNION ALL
    SELECT
        study, configuration, concat('busy_', busy_basis) AS warning,
        printf('%.2f%%', sum(engines_busy * covered_s) / sum(engines_online * covered_s) * 100) AS value,
        sum(engines_busy * covered_s) / sum(engines_online * covered_s) * 100 AS busy_pct,
        min(refs[1]) AS ref
    FROM itr
    GROUP BY study, configuration, busy_basis
    HAVING count(cpu_busy_pct) = count(*)
),
pairs AS (
    SELECT one.study, one.configuration AS baseline, other.configuration
    FROM study_configuration AS one
    JOIN study_configuration AS other
        ON other.study = one.study AND other.configuration <> one.configuration
        AND (one.is_baseline OR (one.coupling_role = 'uncoupled' AND other.coupling_role = 'coupled'))
),
final AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, mine.warning,
        theirs.value AS baseline_value, mine.value,
        list_filter([theirs.ref, mine.ref], lambda ref: ref IS NOT NULL) AS refs
    FROM pairs
    JOIN listed AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    JOIN listed AS mine
        ON mine.study = pairs.study AND mine.configuration = pairs.configuration AND mine.warning = theirs.warning
    WHERE CASE WHEN mine.busy_pct IS NULL THEN mine.value <> theirs.value
        ELSE greatest(mine.busy_pct, theirs.busy_pct) > 1.5 * least(mine.busy_pct, theirs.busy_pct) END
)
SELECT * FROM final
