-- Grain: one row per study, configuration and unit of replication (study_unit).
-- Formula: as run_requests, over the intervals of the unit.
-- NULL: if the requests of one of its intervals are unknown; response time also where there were no requests.
-- Source: as run_requests.
-- Columns:
--   study, configuration, run, unit_start: the unit
--   unit_kind: interval or step
--   follows: begins at the end of the previous unit
--   covered_s [s]: covered time; the longest if there are several scopes
--   requests: over its intervals
--   requests_per_s [1/s]: requests divided by covered time
--   response_ms [ms]: mean response time
--   refs: the printed rows of the requests
WITH by_scope AS (
    SELECT
        place.study, place.configuration, place.run, place.unit_start, place.scope,
        sum(counted.interval_s) AS covered_s,
        count(*) AS intervals,
        count(counted.requests) AS counted,
        sum(counted.requests) AS requests,
        sum_all(counted.requests) / sum(counted.interval_s) AS requests_per_s,
        sum_all(counted.response_ms * counted.requests, counted.requests > 0) AS weighted_response,
        flatten(list(counted.refs ORDER BY counted.interval_start, counted.refs)) AS refs
    FROM study_unit_interval AS place
    JOIN run_interval AS counted
        ON counted.study = place.study AND counted.configuration = place.configuration AND counted.run = place.run
        AND coalesce(counted.scope, '') = place.scope
        AND counted.interval_start = place.interval_start AND counted.interval_end = place.interval_end
    GROUP BY place.study, place.configuration, place.run, place.unit_start, place.scope
),
by_unit AS (
    SELECT
        study, configuration, run, unit_start,
        max(covered_s) AS covered_s,
        CASE WHEN count(*) FILTER (counted > 0 AND counted < intervals) = 0 THEN sum(requests) END AS requests,
        CASE WHEN count(*) FILTER (counted > 0 AND counted < intervals) = 0 THEN sum(requests_per_s) END AS requests_per_s,
        sum_all(weighted_response, requests > 0) / nullif(sum(requests), 0) AS response_ms,
        flatten(list(refs ORDER BY scope, refs)) AS refs
    FROM by_scope
    GROUP BY study, configuration, run, unit_start
)
SELECT
    study, configuration, run, unit_start, unit.unit_kind, unit.follows, by_unit.covered_s, by_unit.requests, by_unit.requests_per_s,
    by_unit.response_ms, coalesce(by_unit.refs, []) AS refs
FROM study_unit AS unit
LEFT JOIN by_unit USING (study, configuration, run, unit_start)
