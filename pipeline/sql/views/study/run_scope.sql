-- Grain: one row per study, configuration, run and scope (systems that report together).
-- Each scope counts by its own covered time: a scope that lost an interval lowers neither the engines of the run nor the cost of a request.
-- Processor time per request, everywhere: the sum of processor seconds x request_weight over the run's requests. A scope without requests works
-- for the requests of the others, so its seconds are scaled to the time in which these are counted.
-- NULL: requests where those of one interval are unknown (run_interval), or where the scope counts no requests.
-- Source: the study file; the intervals as printed.
-- Worked: 3,600 s of SYSA with the run's requests and 2,700 s of SYSB without any: the seconds of SYSB count 3,600 / 2,700 = 1.333 times.
-- Columns:
--   scope: systems of the page; '' if unknown
--   counts_requests: some of its intervals count requests
--   is_beside_requests: some scope of the run does
--   request_weight: 1; of a scope without requests beside others with them, the longest time of these over its own
WITH by_scope AS (
    SELECT
        study, configuration, run, coalesce(scope, '') AS scope,
        count(*) AS intervals,
        sum(interval_s) AS covered_s,
        count(requests) > 0 AS counts_requests,
        sum_all(requests) AS requests,
        sum_all(response_ms * requests, requests > 0) AS response_total_ms,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM run_interval
    GROUP BY study, configuration, run, coalesce(scope, '')
)
SELECT
    study, configuration, run, scope, intervals, covered_s, counts_requests,
    coalesce(bool_or(counts_requests) OVER of_run, FALSE) AS is_beside_requests,
    CASE WHEN counts_requests THEN 1 ELSE coalesce(max(covered_s) FILTER (counts_requests) OVER of_run / covered_s, 1) END AS request_weight,
    requests, requests / covered_s AS requests_per_s, response_total_ms, refs
FROM by_scope
WINDOW of_run AS (PARTITION BY study, configuration, run)
