-- Grain: one row per CICS server, pool and time that the server printed its accesses to the coupling facility.
-- Rows printed twice count once (the smallest source_id and line).
-- Each server counts its own accesses since its last reset: servers of a pool may be added, two messages of one server may not.
-- Formulas: requests = all requests to index and data, of named counters all to counters. Servers of shared
-- temporary storage print no rewrites. …_pct of requests: asynchronous ones take longer; version_failed_pct is contention between
-- servers, which repeat the request.
-- NULL: sums with an unknown part; percentages of nothing.
-- Source: CICS Transaction Server, message DFHNC0431I and the statistics of the servers.
-- Worked: 2 + 124,610 + 14 = 124,626 requests to named counters, 524 of them with another version: 0.4205%.
-- Shards: by collected_at.
-- Columns:
--   index_requests, data_requests, counter_requests: see above
--   asynchronous_pct, version_failed_pct [%]: see above
--   is_conflicting: the key was printed again, with another value in any column, or without one
WITH added AS (
    SELECT
        *,
        creates + gets + sets + deletes + inquires + browses AS counter_requests,
        index_write_adjuncts + index_inquires + index_reads + index_writes + index_deletes AS index_requests,
        data_creates + data_writes + data_reads + data_rereads + CASE WHEN server = 'shared_ts' THEN 0 ELSE data_rewrites END + data_deletes
            AS data_requests
    FROM once_cics_server_access
),
asked AS (
    SELECT *, CASE WHEN server = 'named_counter' THEN counter_requests ELSE index_requests + data_requests END AS requests
    FROM added
)
SELECT
    system, job_id, server, structure_name, collected_at, printed_at,
    requests, index_requests, data_requests, counter_requests,
    asynchronous, unavailable, version_failed, structure_full, list_full, errors,
    100 * asynchronous / nullif(requests, 0) AS asynchronous_pct,
    100 * version_failed / nullif(requests, 0) AS version_failed_pct,
    is_conflicting, refs
FROM asked
