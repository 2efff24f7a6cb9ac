-- Grain: one row per study, configuration and run.
-- Rates of several scopes (systems that report separately) add; each is its requests over its own covered time. Response time is weighted
-- by requests. Where a class is missing from some intervals of a scope, a complete interval without it counts 0; an incomplete one gives NULL
-- (run_interval). Zero requests is 0.
-- Source: the study file; sums over the intervals that it selects.
-- Columns:
--   asked_s [s]: length of the window
--   covered_s [s]: covered time of the scope with most
--   scopes: number of scopes
--   request_span_s [s]: run time of the simulator, which differs from the time of the intervals
--   is_other_span: the simulator ran more than 2 percent longer or shorter than the covered time, so its rate covers another time
WITH by_run AS (
    SELECT
        study, configuration, run,
        max(covered_s) AS covered_s,
        CAST(sum(intervals) AS BIGINT) AS intervals,
        count(*) AS scopes,
        sum_all(requests, counts_requests) AS requests,
        sum_all(requests_per_s, counts_requests) AS requests_per_s,
        sum_all(response_total_ms, requests > 0) / nullif(sum(requests), 0) AS response_ms,
        flatten(list(refs ORDER BY scope, refs)) AS refs
    FROM run_scope
    GROUP BY study, configuration, run
),
span AS (
    SELECT step.study, step.configuration, step.run, max(driver.run_time_s) AS request_span_s
    FROM study_step AS step
    JOIN workload_simulator_run AS driver
        ON driver.source_file = step.simulator_file OR ends_with(driver.source_file, concat('/', step.simulator_file))
    GROUP BY step.study, step.configuration, step.run
    HAVING count(*) = 1
)
SELECT
    step.study, step.configuration, step.run, step.window_start, step.window_end,
    date_diff('millisecond', step.window_start, step.window_end) / 1000 AS asked_s,
    by_run.covered_s,
    coalesce(by_run.intervals, 0) AS intervals,
    coalesce(by_run.scopes, 0) AS scopes,
    step.request_source, span.request_span_s,
    abs(span.request_span_s / nullif(by_run.covered_s, 0) - 1) > 0.02 AS is_other_span,
    by_run.requests, by_run.requests_per_s, by_run.response_ms,
    coalesce(by_run.refs, []) AS refs
FROM study_step AS step
LEFT JOIN by_run USING (study, configuration, run)
LEFT JOIN span USING (study, configuration, run)
