-- Grain: one row per sysplex, coupling facility, structure and clock hour, all systems together.
-- Formula: counts are sums over systems and the intervals whose midpoint is in the hour, rates divide by covered_s; service times are weighted by
-- requests, percentages come from sums. Secondary copies of duplexed structures and overlapping intervals are left out.
-- NULL: a sum with a part that is not printed or was printed again with another value; service times without requests.
-- Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, Coupling Facility Activity.
-- Worked: 100 requests of 10 us and 300 of 30 us give 25 us.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   covered_s [s]: time of the intervals, of the system with most
--   changed_pct [%]: changed to asynchronous, of all requests
--   contention_pct, false_contention_pct [%]: of contention_requests
WITH placed AS (
    SELECT
        sysplex, cf_name, structure_name, structure_type, system, interval_start, interval_end, interval_s, refs,
        CASE WHEN NOT is_conflicting THEN
            COLUMNS(['requests', 'requests_per_s', 'sync_requests', 'sync_service_us', 'async_requests', 'async_service_us', 'changed_requests']) END,
        CASE WHEN NOT is_conflicting THEN COLUMNS(['contention_requests', 'contention_total', 'contention_false']) END
    FROM cf_structure_interval
    WHERE is_counted IS NOT FALSE AND NOT is_overlapping
),
summed AS (
    SELECT
        sysplex, cf_name, structure_name, max(structure_type) AS structure_type,
        hour_of(interval_start, interval_end) AS hour_start, system,
        sum(interval_s) AS covered_s,
        sum_all(requests) AS requests,
        sum_all(requests_per_s * interval_s) AS request_count,
        sum_all(sync_requests) AS sync_requests,
        sum_all(CASE WHEN sync_requests = 0 THEN 0 ELSE sync_requests * sync_service_us END) AS sync_us,
        sum_all(async_requests) AS async_requests,
        sum_all(CASE WHEN async_requests = 0 THEN 0 ELSE async_requests * async_service_us END) AS async_us,
        sum_all(COLUMNS(['changed_requests', 'contention_requests', 'contention_total', 'contention_false'])),
        min(refs[1]) AS ref
    FROM placed
    GROUP BY ALL
),
added AS (
    SELECT
        sysplex, cf_name, structure_name, max(structure_type) AS structure_type, hour_start,
        max(covered_s) AS covered_s,
        CASE WHEN count(requests) = count(*) THEN count(DISTINCT system) FILTER (requests > 0) END AS systems,
        CAST(sum_all(requests) AS BIGINT) AS requests,
        sum_all(COLUMNS(['request_count', 'sync_requests', 'sync_us', 'async_requests', 'async_us', 'changed_requests'])),
        CAST(sum(COLUMNS('^contention_')) AS BIGINT),
        min(ref) AS ref
    FROM summed
    GROUP BY sysplex, cf_name, structure_name, hour_start
)
SELECT
    sysplex, cf_name, structure_name, structure_type, hour_start, offset_if_repeated() AS utc_offset_minutes, covered_s, systems, requests,
    request_count / nullif(covered_s, 0) AS requests_per_s,
    sync_requests / nullif(covered_s, 0) AS sync_per_s,
    sync_us / nullif(sync_requests, 0) AS sync_service_us,
    async_requests / nullif(covered_s, 0) AS async_per_s,
    async_us / nullif(async_requests, 0) AS async_service_us,
    100 * changed_requests / nullif(requests, 0) AS changed_pct,
    contention_requests, contention_total, contention_false,
    100 * contention_total / nullif(contention_requests, 0) AS contention_pct,
    100 * contention_false / nullif(contention_requests, 0) AS false_contention_pct,
    [ref] AS refs
FROM added
