-- Grain: one row per study, configuration and unit of replication (study_unit).
-- Formula: requests of all intervals of the unit over its covered time, also where systems cover unlike times of it, like processor time in
-- study_unit_cost and study_unit_busy.
-- NULL: if the requests of one of its intervals are unknown; response time also where there were no requests.
-- Source: as run_requests.
-- Columns:
--   covered_s [s]: covered time; the longest if there are several scopes
WITH by_unit AS (
    SELECT
        place.study, place.configuration, place.run, place.unit_start,
        max(place.unit_s) AS covered_s,
        -- A scope without requests, beside scopes with requests, adds 0.
        sum_all(CASE WHEN of_scope.counts_requests OR NOT of_scope.is_beside_requests THEN counted.requests ELSE 0 END) AS requests,
        sum_all(counted.response_ms * counted.requests, counted.requests > 0) / nullif(sum(counted.requests), 0) AS response_ms,
        flatten(list(counted.refs ORDER BY place.scope, counted.interval_start, counted.refs)) AS refs
    FROM study_unit_interval AS place
    JOIN run_interval AS counted
        ON counted.study = place.study AND counted.configuration = place.configuration AND counted.run = place.run
        AND coalesce(counted.scope, '') = place.scope
        AND counted.interval_start = place.interval_start AND counted.interval_end = place.interval_end
    JOIN run_scope AS of_scope
        ON of_scope.study = place.study AND of_scope.configuration = place.configuration AND of_scope.run = place.run
        AND of_scope.scope = place.scope
    GROUP BY place.study, place.configuration, place.run, place.unit_start
)
SELECT
    study, configuration, run, unit_start, unit.unit_kind, unit.follows, by_unit.covered_s, by_unit.requests,
    by_unit.requests / by_unit.covered_s AS requests_per_s,
    by_unit.response_ms, coalesce(by_unit.refs, []) AS refs
FROM study_unit AS unit
LEFT JOIN by_unit USING (study, configuration, run, unit_start)
