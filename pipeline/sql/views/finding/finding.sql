-- Grain: one row per rule, place and interval whose value breaks the rule's limit; of the whole lake (study NULL), and of each run
-- of a study whose window holds it.
-- Rule: an interval belongs to a window if its midpoint does, if it is of the study's report_kind, and if the sysplex and a system that
-- it prints are among those that the study names; pages of CICS and Db2 print none of these and belong by time alone. What is printed
-- twice alike is found once.
-- Least size: a value with a printed size below least_size is not a finding: structures with few requests, classes with
-- little time. Limits depend on the kind of structure. Contention of a duplexed pair is reported once, for the primary.
-- cf_delayed_pct is per reason, because a request may be delayed for several; for subchannels it refers to all requests, with locks
-- separate. covered_off_pct excludes steps that pick from a
-- longer window (rule 'last' or 'list'). A performance index is that of all systems if printed. crossover_pct is of classes.
-- Limits: those of finding_rule, or those of the study.
-- Source: RMF, CICS and Db2 reports as the rules' own views and tables have them; rule_source gives the source of the limit.
-- Shards: no: it is made of views of studies.
-- Columns:
--   study, configuration, run: NULL in the rows of the whole lake
--   rule: as in finding_rule
--   value, least_value: printed or computed value, and the least that the printed digits allow, where that is known
--   limit_value, unit: the limit, and the unit of value and limit
--   structure_kind: lock, list or cache, where the limit goes by that
--   size, least_size, size_unit: size of the base of the value, and its minimum; size is NULL if not printed
--   is_certain: the limit is broken whatever the rounded digits
--   subject: structure, class, region, …
--   sysplex, system: NULL if the page prints none or several
--   report_kind: interval or duration, which cover the same time; NULL for CICS and Db2
--   source_file, page, line: the first of the printed rows
--   refs: the printed rows; of a run, the study definition of the run
WITH delayed AS (
    UNPIVOT (
        SELECT
            cf_name, structure_name, structure_type, requests, requests_per_s, interval_s, sysplex, system, report_kind,
            interval_start, interval_end, source_id, page, line,
            delayed_no_sch_pct AS "NO SCH", delayed_pr_wt_pct AS "PR WT", delayed_pr_cmp_pct AS "PR CMP",
            delayed_dump_pct AS "DUMP", delayed_monop_pct AS "MONOP"
        FROM rmf_cf_structure_activity
        WHERE is_total IS NOT TRUE
    )
    ON "NO SCH", "PR WT", "PR CMP", "DUMP", "MONOP" INTO NAME reason VALUE delayed_pct
),
of_partition AS (
    SELECT
        *,
        -- Dedicated processors are dispatched all the time, whatever their partition does.
        coalesce(
            bool_and(coalesce(dedicated, FALSE)) FILTER (NOT is_total AND partition IS DISTINCT FROM '*PHYSICAL*') OVER (
                PARTITION BY source_id, system, report_kind, interval_start, interval_end, processor_type
            ), FALSE
        ) AS all_dedicated
    FROM counted('rmf_partition_data')
),
goal AS (
    SELECT *
    FROM scoped(rmf_workload_goal)
    QUALIFY is_total OR NOT coalesce(bool_or(is_total) OVER (
        PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload,
            service_class, report_class, period
    ), FALSE)
),
period_row AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload, service_class,
        report_class, period, transactions_ended
    FROM counted('rmf_workload_activity')
    WHERE period IS NOT NULL AND interval_start IS NOT NULL
),
period_ended AS (
    SELECT * EXCLUDE (transactions_ended), max(transactions_ended) AS transactions_ended FROM scoped(period_row) GROUP BY ALL
),
printed AS (
    SELECT
        'cf_changed_pct' AS rule, changed_pct AS value, concat(cf_name, ' ', structure_name) AS subject,
        sysplex, system, CAST(NULL AS VARCHAR) AS scope, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs, CAST(NULL AS DOUBLE) AS least_value,
        lower(structure_type) AS structure_kind, coalesce(requests_per_s, requests / nullif(interval_s, 0)) AS size
    FROM rmf_cf_structure_activity
    WHERE is_total IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        'cf_delayed_pct' AS rule, delayed_pct AS value, concat(cf_name, ' ', structure_name, ' (', reason, ')') AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs,
        lower(structure_type) AS structure_kind, coalesce(requests_per_s, requests / nullif(interval_s, 0)) AS size
    FROM delayed
    UNION ALL BY NAME
    SELECT
        'cf_delayed_pct' AS rule, unnest([delayed_total_pct, delayed_lock_pct]) AS value,
        concat(cf_name, unnest([' (subchannels)', ' (subchannels, locks)'])) AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs,
        unnest([NULL, 'lock']) AS structure_kind, coalesce(requests_per_s, requests / nullif(interval_s, 0)) AS size
    FROM rmf_cf_subchannel_activity
    UNION ALL BY NAME
    SELECT
        'cf_subchannel_busy_pct' AS rule, subchannel_busy_pct AS value, cf_name AS subject,
        sysplex, system, report_kind, interval_start, interval_end, refs, requests_per_s AS size
    FROM cf_link_interval
    UNION ALL BY NAME
    SELECT
        'cf_of_reference_pct' AS rule, of_reference_pct AS value, cf_name AS subject,
        sysplex, system, report_kind, interval_start, interval_end, refs, sync_engines AS size
    FROM cf_service_reference
    UNION ALL BY NAME
    SELECT
        'cf_memory_reads' AS rule, reads AS value, concat(cf_name, ' ', structure_name) AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs
    FROM rmf_cf_storage_class_memory
    UNION ALL BY NAME
    SELECT
        'channel_busy_pct' AS rule, busy_pct AS value, concat('channel path ', concat_ws('.', channel_subsystem, channel_path_id)) AS subject,
        sysplex, system, report_kind, interval_start, interval_end, refs
    FROM channel_path_interval
    WHERE kind = 'ficon'
    UNION ALL BY NAME
    SELECT
        'alias_waits' AS rule, alias_wait_per_request AS value, concat(replace(kind, '_', ' '), ' ', unit) AS subject,
        sysplex, system, report_kind, interval_start, interval_end, refs, io_per_s AS size
    FROM io_queue_interval
    UNION ALL BY NAME
    SELECT
        'cache_delayed_writes_pct' AS rule, delayed_writes_pct AS value, concat('control unit ', control_unit, ' (', ssid, ')') AS subject,
        sysplex, system, report_kind, interval_start, interval_end, refs, writes_per_s AS size
    FROM cache_interval
    UNION ALL BY NAME
    SELECT
        'cf_utilization_pct' AS rule, utilization_pct AS value, cf_name AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs,
        -- Of shared processors: a facility that is seldom dispatched is busy while it is, and has next to nothing to do.
        processors_effective * utilization_pct / 100 AS size
    FROM rmf_cf_usage
    UNION ALL BY NAME
    SELECT
        unnest(['contention_pct', 'false_contention_pct']) AS rule, unnest([contention_pct, false_contention_pct]) AS value,
        unnest([contention_lower_pct, false_contention_lower_pct]) AS least_value,
        concat(cf_name, ' ', structure_name) AS subject, sysplex, system, 'interval' AS report_kind, interval_start, interval_end, refs,
        contention_requests / nullif(interval_s, 0) AS size
    FROM lock_contention
    WHERE is_secondary IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        unnest(['gbp_reads_failed_no_storage', 'gbp_writes_failed_no_storage']) AS rule,
        unnest([reads_failed_no_storage, writes_failed_no_storage]) AS value,
        concat_ws(' ', coalesce(member, db2_group, subsystem), gbp) AS subject,
        begin_at AS interval_start, end_at AS interval_end, refs
    FROM group_buffer_pool
    UNION ALL BY NAME
    SELECT
        'gbp_directory_reclaim_xi' AS rule, directory_reclaim_cross_invalidations AS value,
        concat(cf_name, ' ', structure_name) AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs
    FROM rmf_cf_structure_summary
    WHERE is_total IS NOT TRUE AND structure_name LIKE '%\_GBP%' ESCAPE '\'
    UNION ALL BY NAME
    SELECT
        'xcf_rejects' AS rule, rejects AS value, concat_ws(' ', direction, peer_system, transport_class) AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs
    FROM rmf_xcf_system
    WHERE is_total IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        'xcf_path_busy_pct' AS rule, 100 * busy / nullif(busy + available, 0) AS value,
        concat_ws(' ', direction, coalesce(structure, concat_ws(' ', from_device, to_device)), peer_system, transport_class) AS subject,
        sysplex, system, report_kind, interval_start, interval_end, [ref(source_id, page, line)] AS refs,
        (busy + available) / nullif(interval_s, 0) AS size
    FROM rmf_xcf_path
    UNION ALL BY NAME
    SELECT
        rule, value, subject,
        collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT)) AS interval_start, collected_at AS interval_end, refs
    FROM (
        SELECT
            'db2entry_waits' AS rule, CAST(thread_waits_or_overflows AS DOUBLE) AS value, concat(applid, ' ', db2entry) AS subject,
            collected_at, interval_s, refs
        FROM db2entry_thread_reuse
        UNION ALL
        SELECT 'cics_qr_busy_pct', busy_pct, concat(applid, ' QR'), collected_at, interval_s, refs
        FROM cics_tcb_cpu
        WHERE tcb_mode = 'QR'
        UNION ALL
        SELECT
            unnest(['cics_times_at_mxt', 'cics_short_on_storage']), unnest([times_at_mxt, times_short_on_storage]), applid, collected_at,
            interval_s, refs
        FROM cics_region_load
    )
    UNION ALL BY NAME
    SELECT
        'crossover_pct' AS rule, crossover_pct AS value, ziip_on_cp_pct AS size,
        -- Both are printed to a hundredth.
        (ziip_on_cp_pct - 0.005) / nullif(ziip_eligible_normalized_pct + 0.005 * normalization_factor - 0.005, 0) * 100 AS least_value,
        concat(replace(class_kind, '_', ' '), ' ', coalesce(report_class, service_class)) AS subject,
        sysplex, scope, report_kind, interval_start, interval_end, refs
    FROM cpu_by_class
    WHERE class_kind IN ('service_class', 'report_class')
    UNION ALL BY NAME
    -- Every system of a machine prints all its partitions: the cap of one is told by its own page, and that the machine is busy by each.
    SELECT
        CASE WHEN is_total THEN 'machine_busy_pct' ELSE 'lpar_capped_pct' END AS rule,
        CASE WHEN is_total THEN physical_total_pct ELSE capping_wlm_pct END AS value,
        CASE WHEN is_total THEN concat(processor_type, ' of the machine') ELSE concat(partition, ' ', processor_type) END AS subject,
        sysplex, system, report_kind, interval_start, interval_end,
        [ref(source_id, page, line)] AS refs
    FROM of_partition
    WHERE partition = mvs_partition OR is_total AND NOT all_dedicated
    UNION ALL BY NAME
    SELECT
        'beyond_entitlement_pct' AS rule, use_of_entitlement_pct AS value, concat(partition, ' ', processor_type) AS subject,
        system, report_kind, interval_start, interval_end, refs, beyond_entitlement_engines AS size
    FROM partition_capacity
    WHERE is_own AND dedicated IS NOT TRUE
    UNION ALL BY NAME
    SELECT
        'waiting_pct' AS rule, waiting_pct AS value, concat(processor_type, ' of ', system) AS subject,
        system, report_kind, interval_start, interval_end, refs, waiting_engines AS size
    FROM dispatch_interval
    UNION ALL BY NAME
    SELECT
        'group_capped_pct' AS rule, capping_actual_pct AS value, concat(capacity_group, ' ', partition) AS subject,
        system, report_kind, interval_start, interval_end, refs
    FROM group_capacity
    WHERE is_own
    UNION ALL BY NAME
    SELECT
        'resource_group_pct' AS rule, use_of_max_pct AS value, concat_ws(' ', 'resource group', resource_group, 'of ' || system) AS subject,
        -- What is printed in thousands may be up to half of one less.
        CASE WHEN limit_basis = 'su_per_s' THEN use_of_max_pct * (1 - su_per_s_resolution / 2 / used) END AS least_value,
        sysplex, system, scope, report_kind, interval_start, interval_end, refs
    FROM resource_group_use
    UNION ALL BY NAME
    SELECT
        'performance_index' AS rule, goal.performance_index AS value,
        concat(coalesce(goal.report_class, goal.service_class), ' period ', goal.period) AS subject,
        goal.sysplex, CASE WHEN goal.is_total THEN NULL ELSE goal.system END AS system, goal.scope, goal.report_kind,
        goal.interval_start, goal.interval_end,
        [ref(goal.source_id, goal.page, goal.line)] AS refs,
        -- Work with a velocity goal need not end.
        CASE WHEN goal.goal_type IN ('average', 'percentile') THEN period_ended.transactions_ended END AS size
    FROM goal
    LEFT JOIN period_ended
        ON period_key(period_ended) = period_key(goal)
    UNION ALL BY NAME
    SELECT
        'printed_twice' AS rule, max(count_of_sources(refs)) AS value, 'Workload Activity' AS subject,
        sysplex, scope, report_kind, interval_start, interval_end, [min(refs[1]), max(refs[-1])] AS refs
    FROM workload_printed_once
    WHERE interval_start IS NOT NULL AND count_of_sources(refs) > 1
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
    UNION ALL BY NAME
    SELECT
        'printed_twice' AS rule, max(count_of_sources(refs)) AS value, 'CPU Activity' AS subject,
        system, report_kind, interval_start, interval_end, [min(refs[1]), max(refs[-1])] AS refs
    FROM once_rmf_cpu_activity
    WHERE interval_start IS NOT NULL AND count_of_sources(refs) > 1
    GROUP BY system, report_kind, interval_start, interval_end
    UNION ALL BY NAME
    SELECT
        'printed_differently' AS rule, copies AS value, subject, sysplex, system, scope, report_kind, interval_start, interval_end, refs
    FROM conflicting_intervals
),
limits AS MATERIALIZED (
    SELECT
        CAST(NULL AS VARCHAR) AS study, rule, title, comparison, limit_value, lock_limit_value, list_limit_value, cache_limit_value,
        unit, least_size, size_unit, rule_source
    FROM finding_rule
    UNION ALL
    -- A study's own limit is that of every kind, unless it says another for one.
    SELECT
        every_study.study, listed.rule, listed.title, listed.comparison, coalesce(own.limit_value, listed.limit_value) AS limit_value,
        coalesce(own.lock_limit_value, own.limit_value, listed.lock_limit_value) AS lock_limit_value,
        coalesce(own.list_limit_value, own.limit_value, listed.list_limit_value) AS list_limit_value,
        coalesce(own.cache_limit_value, own.limit_value, listed.cache_limit_value) AS cache_limit_value,
        listed.unit, coalesce(own.least_size, listed.least_size) AS least_size, listed.size_unit, listed.rule_source
    FROM finding_rule AS listed
    CROSS JOIN (SELECT DISTINCT study FROM study_step) AS every_study
    LEFT JOIN study_limit AS own ON own.study = every_study.study AND own.rule = listed.rule
),
measured AS MATERIALIZED (
    -- Values that no limit is below are the most: they go before anything else is done.
    SELECT
        printed.rule, CAST(printed.value AS DOUBLE) AS value, printed.least_value, printed.subject, printed.sysplex, printed.system,
        coalesce(printed.system, printed.scope) AS systems, printed.report_kind, printed.interval_start, printed.interval_end,
        printed.structure_kind, CAST(printed.size AS DOUBLE) AS size,
        list_sort(list_distinct(flatten(list(printed.refs)))) AS refs
    FROM printed
    JOIN (
        SELECT rule, min(least(limit_value, lock_limit_value, list_limit_value, cache_limit_value)) AS least_limit
        FROM limits GROUP BY rule
    ) AS any_limit
        ON any_limit.rule = printed.rule AND printed.value >= any_limit.least_limit
    GROUP BY ALL
),
in_window AS (
    SELECT step.study, step.configuration, step.run, measured.*
    FROM study_step AS step
    JOIN measured
        ON is_middle_within(measured.interval_start, measured.interval_end, step.window_start, step.window_end)
        AND (measured.report_kind IS NULL OR measured.report_kind = step.report_kind)
        AND (step.sysplex IS NULL OR measured.sysplex IS NULL OR measured.sysplex = step.sysplex)
        AND (step.systems IS NULL OR measured.systems IS NULL
            OR list_has_any(string_split(step.systems, ','), string_split(measured.systems, ',')))
),
of_run AS (
    SELECT
        step.study, step.configuration, step.run, step.window_start AS interval_start, step.window_end AS interval_end,
        step.report_kind, counted.requests,
        CASE WHEN step.rule IS NULL OR step.rule = 'all' THEN abs(counted.covered_s / counted.asked_s - 1) * 100 END AS covered_off_pct,
        concat(step.configuration, ', run ', step.run) AS subject,
        list_prepend(ref(step.source_id, step.page, step.line), counted.refs) AS refs
    FROM study_step AS step
    JOIN run_requests AS counted USING (study, configuration, run)
    WHERE counted.intervals > 0
),
every_value AS (
    SELECT * EXCLUDE (systems) FROM measured
    UNION ALL BY NAME
    SELECT * EXCLUDE (systems) FROM in_window
    UNION ALL BY NAME
    SELECT
        study, configuration, run, unnest(['no_requests', 'covered_off_pct']) AS rule, unnest([requests, covered_off_pct]) AS value,
        subject, report_kind, interval_start, interval_end, refs
    FROM of_run
    UNION ALL BY NAME
    SELECT
        step.study, step.configuration, step.run, 'db2_above_rmf_pct' AS rule, db2.class1_of_rmf_pct AS value,
        concat(step.configuration, ', run ', step.run, ', ', db2.members) AS subject,
        step.window_start AS interval_start, step.window_end AS interval_end,
        list_prepend(ref(step.source_id, step.page, step.line), db2.refs) AS refs
    FROM study_step AS step
    JOIN run_db2_cost AS db2 USING (study, configuration, run)
    UNION ALL BY NAME
    SELECT
        step.study, step.configuration, step.run, one.rule, one.value,
        concat(step.configuration, ', run ', step.run, ', ', one.regions) AS subject,
        step.window_start AS interval_start, step.window_end AS interval_end,
        list_prepend(ref(step.source_id, step.page, step.line), one.refs) AS refs
    FROM study_step AS step
    JOIN (
        SELECT
            study, configuration, run, regions, refs, unnest(['cics_above_rmf_pct', 'cics_apart_from_rmf_pct']) AS rule,
            unnest([task_of_rmf_pct, abs(region_of_rmf_pct - 100)]) AS value
        FROM run_cics_cost
    ) AS one USING (study, configuration, run)
),
held AS (
    SELECT
        found.*,
        limits.title, limits.comparison, limits.unit, limits.least_size, limits.size_unit, limits.rule_source,
        coalesce(
            CASE found.structure_kind
                WHEN 'lock' THEN limits.lock_limit_value
                WHEN 'list' THEN limits.list_limit_value
                WHEN 'cache' THEN limits.cache_limit_value
            END,
            limits.limit_value
        ) AS limit_value
    FROM every_value AS found
    JOIN limits ON limits.rule = found.rule AND limits.study IS NOT DISTINCT FROM found.study
    WHERE found.size IS NULL OR limits.least_size IS NULL OR found.size >= limits.least_size
)
SELECT
    held.study, held.configuration, held.run, held.rule, held.title,
    held.value, held.least_value, held.comparison, held.limit_value, held.unit,
    held.structure_kind, held.size, held.least_size, held.size_unit,
    CASE WHEN held.least_value IS NULL THEN TRUE
        WHEN held.comparison = '>=' THEN held.least_value >= held.limit_value
        ELSE held.least_value > held.limit_value END AS is_certain,
    held.subject, held.sysplex, held.system, held.report_kind, held.interval_start, held.interval_end,
    source.source_file, held.refs[1].page AS page, held.refs[1].line AS line, held.rule_source, held.refs
FROM held
LEFT JOIN ingest_file AS source ON source.source_id = held.refs[1].source_id
WHERE CASE held.comparison
    WHEN '>' THEN held.value > held.limit_value
    WHEN '>=' THEN held.value >= held.limit_value
    WHEN '<=' THEN held.value <= held.limit_value END
