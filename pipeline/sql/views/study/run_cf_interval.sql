-- Grain: one row per study, configuration, run, structure of a coupling facility, system of the run and interval of the structure.
-- Requests of the run's systems to structures: cf_wait_per_request and gbp_delay_per_transaction start here.
-- Rule: structure intervals whose midpoint lies in a selected interval, without overlapping ones and duration reports. The primary copy of a
-- duplexed pair counts. A structure that moves to another facility has two rows in an interval: its rates add, its time does not.
-- Formula: sync_us_per_s = sync_per_s x sync_service_us, likewise for asynchronous requests; 0 without requests, whatever time is printed.
-- NULL: if a rate is not printed, or requests have no printed service time; if the primary copy is not known, or the secondary alone is in the
-- lake; and if the study names no sysplex and its systems' names are in several (null_reason).
-- Source: RMF Report Analysis, Coupling Facility Activity.
-- Worked: 10 synchronous requests/s of 200 us in one facility and 4 of 300 us in another: 14/s, 3200 us/s.
-- Columns:
--   per_s, sync_per_s [1/s]: all requests, synchronous ones
--   async_us_per_s [us]: see above
WITH chosen AS (
    SELECT
        study, configuration, run, sysplex, interval_start, interval_end,
        -- Scopes that report separately are one run; a page that names no system belongs to all scopes.
        list(DISTINCT coalesce(scope, '*')) AS scopes
    FROM run_selection
    GROUP BY study, configuration, run, sysplex, interval_start, interval_end
),
structure AS (
    SELECT
        *, interval_start + (interval_end - interval_start) / 2 AS midpoint,
        requests_per_s = 0 OR sync_requests = 0 AS is_without_sync, requests_per_s = 0 OR async_requests = 0 AS is_without_async
    FROM cf_structure_interval
    WHERE is_counted IS NOT FALSE AND NOT is_overlapping
),
asked AS (
    SELECT
        chosen.study, chosen.configuration, chosen.run, s.cf_name, s.structure_name, s.structure_type, s.system, s.interval_start, s.interval_s,
        s.is_counted AND count(DISTINCT s.sysplex) OVER (PARTITION BY chosen.study, chosen.configuration, chosen.run) <= 1 AS is_known,
        s.requests_per_s,
        CASE WHEN s.is_without_sync THEN 0 ELSE s.sync_per_s END AS sync_per_s,
        CASE WHEN s.is_without_sync THEN 0 ELSE s.sync_per_s * s.sync_service_us END AS sync_us_per_s,
        CASE WHEN s.is_without_async THEN 0 ELSE s.async_per_s * s.async_service_us END AS async_us_per_s,
        s.null_reason, s.is_conflicting, s.refs
    FROM chosen
    JOIN structure AS s
        ON (s.sysplex = chosen.sysplex OR chosen.sysplex IS NULL)
        AND s.midpoint >= chosen.interval_start AND s.midpoint < chosen.interval_end
        AND (list_contains(chosen.scopes, '*')
            OR list_contains(string_split(array_to_string(chosen.scopes, ','), ','), s.system))
)
SELECT
    study, configuration, run, structure_name, max(structure_type) AS structure_type, system, interval_start,
    max(interval_s) AS interval_s,
    sum_all(CASE WHEN is_known THEN requests_per_s END) AS per_s,
    sum_all(CASE WHEN is_known THEN sync_per_s END) AS sync_per_s,
    sum_all(CASE WHEN is_known THEN sync_us_per_s END) AS sync_us_per_s,
    sum_all(CASE WHEN is_known THEN async_us_per_s END) AS async_us_per_s,
    coalesce(max(null_reason), CASE WHEN NOT bool_and(is_known) THEN 'structures of several sysplexes' END) AS null_reason,
    bool_or(is_conflicting) AS is_conflicting,
    flatten(list(refs ORDER BY cf_name, refs)) AS refs
FROM asked
GROUP BY study, configuration, run, structure_name, system, interval_start
