-- Grain: one row per study, configuration, run and printed interval that the study selects.
-- Requests: ended transactions of the study's class; with a simulator its rate times the interval, with a given volume its share by
-- time. The last two belong to the run: where it has several scopes, they belong to the first, and are NULL with the others.
-- Where another interval of the run's scope prints the class, an interval without it has 0 if it prints classes of the kind and is complete,
-- otherwise NULL (workload_interval).
-- Source: the study file; the intervals as printed. run_selection says how they are picked.
-- Columns:
--   sysplex, system, scope: of the page; system is NULL if it is of several, scope is from the study if none is printed
WITH picked AS MATERIALIZED (
    SELECT * FROM run_selection
),
simulated AS (
    SELECT
        step.study, step.configuration, step.run,
        CASE WHEN count(*) = 1 THEN max(CASE step.request_count
            WHEN 'page_elements' THEN driver.page_elements_per_s
            WHEN 'transactions' THEN driver.transactions_per_s END) END AS requests_per_s,
        CASE WHEN count(*) = 1 THEN max(driver.page_element_response_s) * 1000 END AS response_ms,
        all_refs(driver.source_id, driver.page, driver.line) AS refs
    FROM (
        SELECT DISTINCT study, configuration, run, request_count, simulator_file
        FROM picked
        WHERE request_source = 'workload_simulator'
    ) AS step
    JOIN workload_simulator_run AS driver
        ON driver.source_file = step.simulator_file OR ends_with(driver.source_file, concat('/', step.simulator_file))
    GROUP BY step.study, step.configuration, step.run
),
ended AS (
    SELECT
        wanted.study, level.sysplex, level.scope, level.report_kind, level.interval_start, level.interval_end,
        level.policy_activated_at,
        CASE WHEN count(*) = 1 THEN max(level.transactions_ended) END AS requests,
        CASE WHEN count(*) = 1 THEN max(level.actual_time_s) * 1000 END AS response_ms,
        bool_or(level.is_conflicting) AS is_conflicting,
        flatten(list(level.refs ORDER BY wanted.class_number, level.refs)) AS refs
    FROM study_class AS wanted
    JOIN workload_level AS level
        ON level.class_kind = wanted.class_kind
        AND CASE level.class_kind WHEN 'service_class' THEN level.service_class ELSE level.report_class END
            = wanted.class_name
    WHERE wanted.role = 'requests'
    GROUP BY wanted.study, level.sysplex, level.scope, level.report_kind, level.interval_start, level.interval_end,
        level.policy_activated_at
),
counted AS (
    SELECT
        picked.*,
        CASE picked.request_source
            WHEN 'class' THEN
                CASE WHEN ended.study IS NULL AND whole.is_whole AND count(ended.study) OVER (
                    PARTITION BY picked.study, picked.configuration, picked.run, picked.scope
                ) > 0 THEN 0 ELSE ended.requests END
            WHEN 'workload_simulator' THEN
                CASE WHEN picked.scope_number = 1 THEN simulated.requests_per_s * picked.interval_s END
            WHEN 'volume' THEN
                CASE WHEN picked.scope_number = 1 THEN picked.volume * picked.interval_s / picked.scope_covered_s END
        END AS requests,
        CASE picked.request_source
            WHEN 'class' THEN ended.response_ms
            WHEN 'workload_simulator' THEN simulated.response_ms
        END AS response_ms,
        coalesce(ended.is_conflicting, FALSE) AS is_conflicting,
        coalesce(ended.refs, simulated.refs, []) AS refs
    FROM picked
    LEFT JOIN simulated USING (study, configuration, run)
    LEFT JOIN ended
        ON ended.study = picked.study
        AND policy_interval_key(ended) = printed_interval_key(picked)
    LEFT JOIN (SELECT DISTINCT study, class_kind FROM study_class WHERE role = 'requests') AS wanted ON wanted.study = picked.study
    LEFT JOIN workload_interval AS whole
        ON policy_interval_key(whole) = printed_interval_key(picked)
        AND whole.class_kind = wanted.class_kind
)
SELECT
    study, configuration, run, sysplex,
    CASE WHEN NOT contains(scope, ',') THEN scope END AS system,
    scope, printed_scope, report_kind, interval_start, interval_end, policy_activated_at,
    window_start, window_end, interval_s,
    CAST(requests AS DOUBLE) AS requests,
    requests / interval_s AS requests_per_s,
    response_ms, interval_source, is_conflicting, refs
FROM counted
