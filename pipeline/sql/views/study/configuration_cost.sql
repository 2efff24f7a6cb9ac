-- Grain: one row per study, configuration and subsystem, and one for the unallocated rest ('unallocated').
-- Formula: cost of a configuration of several runs is its processor time over its requests, response time is weighted by requests.
-- Milliseconds per request are normalised as the study says (busy_factor), as in cost_per_request.
-- NULL: if it is NULL in a run of the configuration; per request also if there were no requests.
-- Source: as cost_per_request.
-- Columns:
--   location: of the subsystem: local or remote
--   runs: how many runs the configuration has
SELECT
    study, configuration, subsystem,
    max(location) AS location,
    count(*) AS runs,
    sum(requests) AS requests,
    max(busy_factor) AS busy_factor,
    mean_all(COLUMNS('_ms'), requests),
    flatten(list(refs ORDER BY run, refs)) AS refs
FROM cost_per_request
GROUP BY study, configuration, subsystem
