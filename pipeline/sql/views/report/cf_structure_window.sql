-- Grain: one row per window, coupling facility, structure and system; windows are each interval, hour and day of the reports.
-- Pick one window_kind before adding. Any other window comes from rows of window_kind 'interval', by the totals beside them:
-- SELECT structure_name, sum(sync_service_total_us) / sum(sync_requests) FROM cf_structure_window WHERE window_kind =
-- 'interval' AND window_start >= … AND window_end <= … GROUP BY ALL.
-- Rule: an interval belongs to the hour and the day that its midpoint lies in. Compare covered_s with window_s.
-- Formulas: rates are weighted by time, service times by their requests; standard deviations are pooled (second moments are added); percentages
-- come from sums. NULL if a part of a sum is not printed, and in an hour if it was printed again with another value (a clock that was set back).
-- Overlapping intervals are left out of hours and days and counted; totals and duration reports are never in.
-- Duplexing: both copies of a structure count its requests. To add structures take the rows where is_secondary is FALSE. is_secondary is NULL
-- where the role is unknown or changed within the window (duplex_basis): take intervals then.
-- Source: as cf_structure_interval.
-- Worked: 251.5/s at 150.4 us in one interval stay that; 100 requests of 10 us and 300 of 30 us give 25 us.
-- Repeated hours: by window_start.
-- Shards: by window_start.
-- Columns:
--   utc_offset_minutes [min]: of a window in an hour that the clock repeats: a row for each of the two; else NULL
--   window_s [s]: its length
--   intervals, intervals_left_out: intervals added, and intervals left out because they overlap
--   sync_pct, async_pct [%]: of both kinds
--   changed_pct [%]: changed to asynchronous, of all requests
--   sync_service_total_us, async_service_total_us [us]: requests x service time, to be added
--   sync_service_square_us2, async_service_square_us2 [us2]: requests x (deviation squared + time squared), to be added
--   duplex_role, is_secondary: of the copy in all intervals of the window
--   duplex_basis: as in cf_structure_interval, the roles' bases where there are several; changed where the role is not the same in all
WITH moments AS (
    SELECT
        *,
        interval_start + (interval_end - interval_start) / 2 AS midpoint,
        CASE WHEN sync_requests = 0 THEN 0 ELSE sync_requests * sync_service_us END AS sync_total,
        CASE
            WHEN sync_requests = 0 THEN 0
            ELSE sync_requests * (sync_service_us * sync_service_us + sync_service_stddev_us * sync_service_stddev_us)
        END AS sync_square,
        CASE WHEN async_requests = 0 THEN 0 ELSE async_requests * async_service_us END AS async_total,
        CASE
            WHEN async_requests = 0 THEN 0
            ELSE async_requests
                * (async_service_us * async_service_us + async_service_stddev_us * async_service_stddev_us)
        END AS async_square
    FROM cf_structure_interval
),
placed AS (
    SELECT 'interval' AS window_kind, interval_start AS window_start, interval_end AS window_end, * FROM moments
    UNION ALL
    SELECT 'hour', date_trunc('hour', midpoint), date_trunc('hour', midpoint) + INTERVAL 1 HOUR, * FROM moments
    UNION ALL
    SELECT 'day', date_trunc('day', midpoint), date_trunc('day', midpoint) + INTERVAL 1 DAY, * FROM moments
),
chosen AS (
    SELECT
        * EXCLUDE (requests, requests_per_s, sync_requests, async_requests, changed_requests, sync_total, sync_square, async_total, async_square),
        is_overlapping AND window_kind <> 'interval' AS is_left_out,
        CASE WHEN NOT (is_conflicting AND window_kind = 'hour') THEN
            COLUMNS('^((a?sync_|changed_)?requests|requests_per_s|a?sync_(total|square))$') END
    FROM placed
),
summed AS (
    SELECT
        window_kind, window_start, window_end, sysplex, system, cf_name, structure_name,
        first(structure_type ORDER BY interval_start, structure_type) AS structure_type,
        CAST(count_if(is_left_out) AS BIGINT) AS intervals_left_out,
        CAST(count_if(NOT is_left_out) AS BIGINT) AS intervals,
        sum(interval_s) FILTER (NOT is_left_out) AS covered_s,
        CAST(sum_all(COLUMNS(['requests', 'sync_requests', 'async_requests', 'changed_requests']), NOT is_left_out) AS BIGINT),
        sum_all(requests_per_s * interval_s, NOT is_left_out) / nullif(sum(interval_s) FILTER (NOT is_left_out), 0) AS requests_per_s,
        sum_all(COLUMNS('sync_(total|square)'), NOT is_left_out),
        CASE WHEN count(is_secondary) = count(*) AND bool_and(is_secondary) = bool_or(is_secondary) THEN bool_or(is_secondary) END
            AS is_secondary,
        one_value(duplex_role) AS duplex_role,
        CASE WHEN count(is_secondary) = count(*) AND bool_and(is_secondary) <> bool_or(is_secondary) THEN 'changed'
            ELSE string_agg(DISTINCT duplex_basis, ', ' ORDER BY duplex_basis) END AS duplex_basis,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY interval_start, refs) FILTER (NOT is_left_out)) AS refs
    FROM chosen
    GROUP BY window_kind, window_start, window_end, sysplex, system, cf_name, structure_name
),
divided AS (
    SELECT
        *,
        nullif(sync_requests + async_requests, 0) AS both_kinds,
        sync_total / nullif(sync_requests, 0) AS sync_service_us,
        async_total / nullif(async_requests, 0) AS async_service_us
    FROM summed
)
SELECT
    window_kind, window_start, window_end, offset_if_repeated() AS utc_offset_minutes,
    CAST(epoch(window_end - window_start) AS DOUBLE) AS window_s,
    sysplex, system, cf_name, structure_name, structure_type,
    covered_s, intervals, intervals_left_out,
    requests, requests_per_s,
    sync_requests,
    100.0 * sync_requests / both_kinds AS sync_pct,
    requests_per_s * sync_requests / both_kinds AS sync_per_s,
    sync_service_us,
    -- Rounding may leave a little less than nothing.
    sqrt(at_least_zero(sync_square / nullif(sync_requests, 0) - sync_service_us * sync_service_us))
        AS sync_service_stddev_us,
    async_requests,
    100.0 * async_requests / both_kinds AS async_pct,
    requests_per_s * async_requests / both_kinds AS async_per_s,
    async_service_us,
    sqrt(at_least_zero(async_square / nullif(async_requests, 0) - async_service_us * async_service_us))
        AS async_service_stddev_us,
    changed_requests,
    100.0 * changed_requests / nullif(requests, 0) AS changed_pct,
    sync_total AS sync_service_total_us,
    async_total AS async_service_total_us,
    sync_square AS sync_service_square_us2,
    async_square AS async_service_square_us2,
    duplex_role, is_secondary, duplex_basis,
    is_conflicting, refs
FROM divided
