-- Grain: one row per study, configuration and run whose window holds CICS monitoring or CICS statistics.
-- The cost of a request by CICS alone, beside that of RMF. Monitoring charges tasks: their own code, and that of Db2 on their TCBs.
-- Statistics have the address space: also the work that CICS does for no task (dispatcher, system tasks, SRBs). RMF has the address space as
-- well, in the classes of the subsystem that the study calls CICS.
-- Rule: monitoring and statistics belong to a window if their midpoint does: none of their pages names a system of RMF, nor a sysplex
-- (run_sysplex_count). Regions add; each counts as its time over its own covered time. Monitoring data without an end has no length and is left
-- out.
-- Formulas: per request = time per second / requests_per_s of the run. Without the study's normalisation; zIIP time of RMF at the speed of a
-- general processor, as CICS monitoring has it. itself = region - task, by statistics, or by RMF where none are in the window; NULL where
-- monitoring and statistics are of other regions. region_of_rmf_pct =
-- region / RMF, both of the address spaces. task_of_rmf_pct = task / RMF.
-- Source: CICS monitoring, DFHTASK; CICS statistics, dispatcher; RMF Report Analysis, APPL %.
-- Worked: 18 s of tasks and 21 s of the address space in 300 s and 20 requests/s are 3 and 3.5 ms; RMF's class uses 7% of an engine, 3.5 ms:
-- task_of_rmf_pct 85.71%, itself 0.5 ms.
-- Columns:
--   regions: of CICS, in order
--   covered_s, monitored_s, statistics_s [s]: covered time of the run's intervals, and of monitoring and statistics of the region with least
--   requests_per_s, tasks_per_s [1/s]: requests of the run, tasks by monitoring
--   tasks_per_request: the one by the other
--   task_cpu_ms_per_request [ms]: processor time of tasks
--   task_cpu_precision_pct [%]: what the printed digits of the means leave open
--   qr_cpu_ms_per_request, l8_cpu_ms_per_request, t8_cpu_ms_per_request [ms]: of tasks; NULL where not printed
--   region_cpu_ms_per_request [ms]: TCBs and SRBs of the address spaces, by statistics; NULL where intervals of a region overlap
--   rmf_cics_cpu_ms_per_request [ms]: of the subsystem CICS; NULL if the study has none
--   itself_ms_per_request [ms]: see above
--   first_dispatch_delay_ms [ms]: means per task
--   explained_by: what can explain a difference: other time covered, regions that may be of another sysplex, several tasks per request, coarse digits
--   null_reason: why CICS' figures are NULL: monitoring spans overlap, their length is not known (the clock was set back), or processor time or tasks not printed
WITH of_span AS (
    SELECT
        step.study, step.configuration, step.run, t.applid, t.begin_at, t.end_at,
        -- Where the clock was set back within the span, its length is not known.
        CASE WHEN min(t.interval_s) > 0 THEN min(t.interval_s) END AS length_s,
        sum_all(t.tasks) AS tasks, sum_all(t.cpu_s) AS cpu_s, sum_all(t.cpu_precision_s) AS open_s,
        sum_all(t.tasks * t.qr_cpu_ms) / 1000 AS qr_s, sum_all(t.tasks * t.l8_cpu_ms) / 1000 AS l8_s,
        sum_all(t.tasks * t.t8_cpu_ms) / 1000 AS t8_s,
        sum_all(t.tasks * t.response_ms) AS response, sum_all(t.tasks * t.dispatch_ms) AS dispatch,
        sum_all(t.tasks * t.suspend_ms) AS suspend, sum_all(t.tasks * t.first_dispatch_delay_ms) AS first_delay,
        bool_or(t.is_conflicting) AS is_conflicting, flatten(list(t.refs ORDER BY t.transaction, t.refs)) AS refs
    FROM study_step AS step
    JOIN cics_transaction_time AS t
        ON is_middle_within(t.begin_at, t.end_at, step.window_start, step.window_end)
    GROUP BY step.study, step.configuration, step.run, t.applid, t.begin_at, t.end_at
),
of_region AS (
    SELECT
        study, configuration, run, applid, sum_all(length_s) AS covered_s,
        -- Data that overlaps prints the same tasks twice.
        bool_or(is_there_twice(begin_at, reached)) AS is_overlapping,
        sum_all(COLUMNS('^(tasks|.*_s|response|dispatch|suspend|first_delay)$')) / nullif(sum_all(length_s), 0),
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY begin_at, refs)) AS refs
    FROM (
        SELECT
            *, max(end_at) OVER (
                PARTITION BY study, configuration, run, applid
                ORDER BY begin_at, end_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS reached
        FROM of_span
    )
    GROUP BY study, configuration, run, applid
),
monitored AS (
    SELECT
        study, configuration, run, string_agg(applid, ',' ORDER BY applid) AS regions,
        min_all(covered_s) AS monitored_s,
        bool_or(is_overlapping) AS is_overlapping,
        sum_all(tasks) AS tasks, sum_all(cpu_s) AS cpu_s, sum_all(open_s) AS open_s, sum_all(qr_s) AS qr_s, sum_all(l8_s) AS l8_s,
        sum_all(t8_s) AS t8_s, sum_all(response) AS response, sum_all(dispatch) AS dispatch, sum_all(suspend) AS suspend,
        sum_all(first_delay) AS first_delay,
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY applid, refs)) AS refs
    FROM of_region
    GROUP BY study, configuration, run
),
collected AS (
    SELECT
        study, configuration, run, string_agg(applid, ',' ORDER BY applid) AS regions,
        min_all(covered_s) AS statistics_s,
        bool_or(is_overlapping) AS is_overlapping, CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(engines) END AS engines,
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY applid, refs)) AS refs
    FROM (
        SELECT
            study, configuration, run, applid, sum_all(CASE WHEN interval_s > 0 THEN interval_s END) AS covered_s,
            -- Overlapping intervals print the same time twice: the region was collected by two programs, or summed.
            bool_or(is_there_twice(begin_at, reached)) AS is_overlapping,
            sum_all(cpu_s + srb_s) / nullif(sum_all(CASE WHEN interval_s > 0 THEN interval_s END), 0) AS engines,
            bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY collected_at, refs)) AS refs
        FROM (
            SELECT
                step.study, step.configuration, step.run, r.*, r.collected_at - to_milliseconds(CAST(r.interval_s * 1000 AS BIGINT)) AS begin_at,
                max(r.collected_at) OVER (
                    PARTITION BY step.study, step.configuration, step.run, r.applid
                    ORDER BY r.collected_at - to_milliseconds(CAST(r.interval_s * 1000 AS BIGINT)), r.collected_at
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS reached
            FROM study_step AS step
            JOIN cics_region_load AS r
                ON r.collected_at - to_milliseconds(CAST(r.interval_s * 500 AS BIGINT)) >= step.window_start
                AND r.collected_at - to_milliseconds(CAST(r.interval_s * 500 AS BIGINT)) < step.window_end
        )
        GROUP BY study, configuration, run, applid
    )
    GROUP BY study, configuration, run
),
charged AS (
    SELECT study, configuration, run, sum_all(cpu_normalized_pct) AS cpu_pct
    FROM cost_per_request
    WHERE upper(subsystem) = 'CICS'
    GROUP BY study, configuration, run
),
cics AS (
    SELECT
        coalesce(m.study, c.study) AS study, coalesce(m.configuration, c.configuration) AS configuration, coalesce(m.run, c.run) AS run,
        coalesce(m.regions, c.regions) AS regions, coalesce(m.regions <> c.regions, FALSE) AS is_of_others, m.monitored_s, c.statistics_s, c.engines, c.is_overlapping AS has_overlapping_statistics,
        CASE WHEN NOT m.is_overlapping THEN m.tasks END AS tasks,
        CASE WHEN NOT m.is_overlapping THEN m.cpu_s END AS cpu_s,
        m.open_s, m.qr_s, m.l8_s, m.t8_s, m.response, m.dispatch, m.suspend, m.first_delay,
        CASE
            WHEN m.study IS NULL THEN 'no monitoring'
            WHEN m.is_overlapping THEN 'monitoring spans overlap'
            WHEN m.monitored_s IS NULL THEN 'length of a monitoring span not known'
            WHEN m.tasks IS NULL THEN 'tasks not printed'
            WHEN m.cpu_s IS NULL THEN 'processor time not printed'
        END AS null_reason,
        coalesce(m.is_conflicting, FALSE) OR coalesce(c.is_conflicting, FALSE) AS is_conflicting,
        list_concat(coalesce(m.refs, []), coalesce(c.refs, [])) AS refs
    FROM monitored AS m
    FULL JOIN collected AS c ON c.study = m.study AND c.configuration = m.configuration AND c.run = m.run
),
per_request AS (
    SELECT
        b.*, around.sysplexes, counted.covered_s, counted.requests_per_s, 1000 / nullif(counted.requests_per_s, 0) AS ms,
        1000 * charged.cpu_pct / 100 / nullif(counted.requests_per_s, 0) AS rmf_cics_cpu_ms_per_request
    FROM cics AS b
    JOIN run_requests AS counted USING (study, configuration, run)
    JOIN run_sysplex_count AS around USING (study, configuration, run)
    LEFT JOIN charged USING (study, configuration, run)
)
SELECT
    study, configuration, run, regions, covered_s, monitored_s, statistics_s, requests_per_s, tasks AS tasks_per_s,
    tasks / nullif(requests_per_s, 0) AS tasks_per_request,
    cpu_s * ms AS task_cpu_ms_per_request,
    100 * open_s / nullif(cpu_s, 0) AS task_cpu_precision_pct,
    CASE WHEN cpu_s IS NOT NULL THEN qr_s * ms END AS qr_cpu_ms_per_request,
    CASE WHEN cpu_s IS NOT NULL THEN l8_s * ms END AS l8_cpu_ms_per_request,
    CASE WHEN cpu_s IS NOT NULL THEN t8_s * ms END AS t8_cpu_ms_per_request,
    engines * ms AS region_cpu_ms_per_request,
    rmf_cics_cpu_ms_per_request,
    CASE WHEN NOT is_of_others THEN coalesce(engines * ms, rmf_cics_cpu_ms_per_request) - cpu_s * ms END AS itself_ms_per_request,
    100 * engines * ms / nullif(rmf_cics_cpu_ms_per_request, 0) AS region_of_rmf_pct,
    100 * cpu_s * ms / nullif(rmf_cics_cpu_ms_per_request, 0) AS task_of_rmf_pct,
    response / nullif(tasks, 0) AS response_ms, dispatch / nullif(tasks, 0) AS dispatch_ms, suspend / nullif(tasks, 0) AS suspend_ms,
    first_delay / nullif(tasks, 0) AS first_dispatch_delay_ms,
    nullif(concat_ws(
        '; ',
        CASE WHEN abs(monitored_s / nullif(covered_s, 0) - 1) > 0.02
            THEN concat('monitoring covers ', CAST(round(monitored_s) AS BIGINT), ' s, RMF ', CAST(round(covered_s) AS BIGINT), ' s') END,
        CASE WHEN abs(statistics_s / nullif(covered_s, 0) - 1) > 0.02
            THEN concat('statistics cover ', CAST(round(statistics_s) AS BIGINT), ' s, RMF ', CAST(round(covered_s) AS BIGINT), ' s') END,
        CASE WHEN has_overlapping_statistics THEN 'statistics overlap' END,
        CASE WHEN is_of_others THEN 'monitoring and statistics are of other regions' END,
        CASE WHEN sysplexes > 1 THEN concat('pages of ', sysplexes, ' sysplexes in the window: regions may be of another') END,
        CASE WHEN rmf_cics_cpu_ms_per_request IS NULL THEN 'the study has no subsystem CICS' END,
        CASE WHEN tasks / nullif(requests_per_s, 0) > 1.05 THEN 'several tasks per request' END,
        CASE WHEN tasks / nullif(requests_per_s, 0) < 0.95 THEN 'requests without a monitored task' END,
        CASE WHEN 100 * open_s / nullif(cpu_s, 0) > 5 THEN 'monitoring prints means in tenths of a millisecond' END
    ), '') AS explained_by,
    null_reason, is_conflicting, refs
FROM per_request
