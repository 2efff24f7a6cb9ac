-- Grain: one row per rule, place and interval whose value breaks the rule's limit; of the whole lake (study NULL), and of each run
-- of a study whose window holds it.
-- Rule: an interval belongs to a window if its midpoint does, if it is of the study's report_kind, and if the sysplex and a system that
-- it prints are among those that the study names; pages of CICS and Db2 print none of these and belong by time alone. Equal rows that are
-- printed twice are found once.
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
            interval_start, interval_end, [ref(source_id, page, line)] AS refs,
            delayed_no_sch_pct AS "NO SCH", delayed_pr_wt_pct AS "PR WT", delayed_pr_cmp_pct AS "PR CMP",
            delayed_dump_pct AS "DUMP", delayed_monop_pct AS "MONOP"
        FROM rmf_cf_structure_activity
        WHERE is_total IS NOT TRUE
    )
    ON "NO SCH", "PR WT", "PR CMP", "DUMP", "MONOP" INTO NAME reason VALUE delayed_pct
),
of_partition AS (
    -- Every system of a machine prints all its partitions: the page of a partition gives its cap, every page how busy the machine is.
    SELECT
        partition, processor_type, sysplex, system, report_kind, interval_start, interval_end, [ref(source_id, page, line)] AS refs,
        CASE WHEN is_total IS NOT TRUE THEN capping_wlm_pct END AS capping_wlm_pct,
        CASE WHEN is_total THEN physical_total_pct END AS machine_busy_pct
    FROM counted('rmf_partition_data')
    -- Dedicated processors are dispatched all the time, whatever their partition does.
    QUALIFY partition = mvs_partition OR is_total AND NOT coalesce(
        bool_and(coalesce(dedicated, FALSE)) FILTER (NOT is_total AND partition IS DISTINCT FROM '*PHYSICAL*') OVER (
            PARTITION BY source_id, system, report_kind, interval_start, interval_end, processor_type
        ), FALSE
    )
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
period_goal AS (
    SELECT *
    FROM scoped(rmf_workload_goal)
    QUALIFY is_total OR NOT coalesce(bool_or(is_total) OVER (
        PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload,
            service_class, report_class, period
    ), FALSE)
),
goal AS (
    SELECT
        period_goal.sysplex, CASE WHEN is_total THEN NULL ELSE system END AS system, period_goal.scope, period_goal.report_kind,
        period_goal.interval_start, period_goal.interval_end, [ref(source_id, page, line)] AS refs, performance_index,
        period_goal.service_class, period_goal.report_class, period_goal.period,
        CASE WHEN goal_type IN ('average', 'percentile') THEN period_ended.transactions_ended END AS ended_of_response_goal
    FROM period_goal
    LEFT JOIN period_ended ON period_key(period_ended) = period_key(period_goal)
),
of_group_buffer_pool AS (
    SELECT
        reads_failed_no_storage, writes_failed_no_storage, concat_ws(' ', coalesce(member, db2_group, subsystem), gbp) AS subject,
        begin_at AS interval_start, end_at AS interval_end, refs
    FROM group_buffer_pool
),
of_region AS (
    SELECT
        applid, db2entry, thread_waits_or_overflows, qr_busy_pct, times_at_mxt, times_short_on_storage,
        collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT)) AS interval_start, collected_at AS interval_end, refs
    FROM (
        SELECT applid, db2entry, thread_waits_or_overflows, collected_at, interval_s, refs FROM db2entry_thread_reuse
        UNION ALL BY NAME
        SELECT applid, busy_pct AS qr_busy_pct, collected_at, interval_s, refs FROM cics_tcb_cpu WHERE tcb_mode = 'QR'
        UNION ALL BY NAME
        SELECT applid, times_at_mxt, times_short_on_storage, collected_at, interval_s, refs FROM cics_region_load
    )
),
printed_again AS (
    SELECT
        subject, max(count_of_sources(refs)) AS sources, sysplex, system, scope, report_kind, interval_start, interval_end,
        [min(refs[1]), max(refs[-1])] AS refs
    FROM (
        SELECT 'Workload Activity' AS subject, sysplex, scope, report_kind, interval_start, interval_end, refs FROM workload_printed_once
        UNION ALL BY NAME
        SELECT 'CPU Activity' AS subject, system, report_kind, interval_start, interval_end, refs FROM once_rmf_cpu_activity
    )
    WHERE interval_start IS NOT NULL AND count_of_sources(refs) > 1
    GROUP BY ALL
),
printed AS (FROM measured_by_rules()),
limits AS MATERIALIZED (
    SELECT *, CAST(NULL AS VARCHAR) AS study FROM finding_rule
    UNION ALL BY NAME
    -- A study's own limit holds for every kind that has no limit of its own in the study.
    SELECT
        listed.* REPLACE (
            coalesce(own.limit_value, listed.limit_value) AS limit_value,
            coalesce(own.lock_limit_value, own.limit_value, listed.lock_limit_value) AS lock_limit_value,
            coalesce(own.list_limit_value, own.limit_value, listed.list_limit_value) AS list_limit_value,
            coalesce(own.cache_limit_value, own.limit_value, listed.cache_limit_value) AS cache_limit_value,
            coalesce(own.least_size, listed.least_size) AS least_size
        ),
        every_study.study
    FROM finding_rule AS listed
    CROSS JOIN (SELECT DISTINCT study FROM study_step) AS every_study
    LEFT JOIN study_limit AS own ON own.study = every_study.study AND own.rule = listed.rule
),
measured AS MATERIALIZED (
    -- Most values break no limit: drop them before anything else is done.
    SELECT
        printed.* EXCLUDE (scope, refs), coalesce(system, scope) AS systems, list_sort(list_distinct(flatten(list(printed.refs)))) AS refs
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
of_run_value AS (
    SELECT
        study, configuration, run, unnest(['no_requests', 'covered_off_pct']) AS rule, '' AS whose, refs, step.report_kind,
        unnest([
            counted.requests,
            CASE WHEN step.rule IS NULL OR step.rule = 'all' THEN abs(counted.covered_s / counted.asked_s - 1) * 100 END
        ]) AS value
    FROM run_requests AS counted
    JOIN study_step AS step USING (study, configuration, run)
    WHERE counted.intervals > 0
    UNION ALL BY NAME
    SELECT study, configuration, run, 'db2_above_rmf_pct' AS rule, class1_of_rmf_pct AS value, concat(', ', members) AS whose, refs
    FROM run_db2_cost
    UNION ALL BY NAME
    SELECT
        study, configuration, run, unnest(['cics_above_rmf_pct', 'cics_apart_from_rmf_pct']) AS rule,
        unnest([task_of_rmf_pct, abs(region_of_rmf_pct - 100)]) AS value, concat(', ', regions) AS whose, refs
    FROM run_cics_cost
),
every_value AS (
    SELECT * EXCLUDE (systems) FROM measured
    UNION ALL BY NAME
    SELECT * EXCLUDE (systems) FROM in_window
    UNION ALL BY NAME
    SELECT
        study, configuration, run, one.rule, one.value, concat(configuration, ', run ', run, one.whose) AS subject,
        step.window_start AS interval_start, step.window_end AS interval_end, one.report_kind,
        list_prepend(ref(step.source_id, step.page, step.line), one.refs) AS refs
    FROM study_step AS step
    JOIN of_run_value AS one USING (study, configuration, run)
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
)
SELECT
    study, configuration, run, rule, title, value, least_value, comparison, limit_value, unit, structure_kind, size, least_size, size_unit,
    least_value IS NULL OR is_beyond(least_value, comparison, limit_value, NULL, NULL) AS is_certain,
    subject, sysplex, system, report_kind, interval_start, interval_end,
    source.source_file, refs[1].page AS page, refs[1].line AS line, rule_source, refs
FROM held
LEFT JOIN ingest_file AS source ON source.source_id = held.refs[1].source_id
WHERE is_beyond(value, comparison, limit_value, size, least_size)
