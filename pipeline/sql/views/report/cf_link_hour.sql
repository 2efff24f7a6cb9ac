-- Grain: one row per coupling facility, system and clock hour: its subchannels, and its synchronous requests beside what its links let expect.
-- Formula: means over the intervals whose midpoint is in the hour. Busy and waiting figures are weighted by time, shares of requests by requests,
-- service times and references by synchronous or asynchronous requests. of_reference_pct divides the means. Duration reports, and intervals that
-- overlap an earlier one, are left out.
-- NULL: a mean with an unknown value or weight; service times without requests. Values of one interval that two sources print differently
-- are unknown. Compare covered_s with 3600 s.
-- Source: as cf_link_interval and cf_service_reference.
-- Worked: 300 synchronous requests of 10 us and 100 of 30 us over CS5 (8 us): 15 us, 187.5%.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   link_types: as in cf_link_interval; NULL where they are not the same in all intervals
--   delayed_pct, path_busy_pct, changed_pct [%]: of all requests
--   sync_share_pct [%]: of synchronous and asynchronous requests
--   sync_engines: engines of the system that wait for synchronous requests
--   refs: the printed rows of the interval with the busiest subchannels, the first of several
WITH expecting AS (
    SELECT link.*, expected.reference_us
    FROM cf_link_interval AS link
    LEFT JOIN cf_service_reference AS expected
        ON expected.sysplex IS NOT DISTINCT FROM link.sysplex AND expected.cf_name = link.cf_name
        AND expected.system IS NOT DISTINCT FROM link.system AND expected.report_kind = link.report_kind
        AND expected.interval_start = link.interval_start AND expected.interval_end = link.interval_end
),
of_hour AS (
    SELECT
        sysplex, cf_name, system, hour_start,
        one_value(link_types) AS link_types,
        sum(interval_s) AS covered_s,
        mean_all(COLUMNS(['requests_per_s', 'subchannel_busy_pct', 'sync_engines']), interval_s),
        mean_where_any(COLUMNS(['delayed_pct', 'path_busy_pct', 'changed_pct']), requests),
        100 * sum_all(sync_requests) / nullif(sum_all(sync_requests) + sum_all(async_requests), 0) AS sync_share_pct,
        mean_where_any(COLUMNS(['sync_service_us', 'reference_us']), sync_requests),
        mean_where_any(async_service_us, async_requests) AS async_service_us,
        arg_min(refs, (-coalesce(subchannel_busy_pct, -1), interval_start)) AS refs
    FROM hourly('expecting', 'sysplex, cf_name, system', '')
    GROUP BY sysplex, cf_name, system, hour_start
)
SELECT
    sysplex, cf_name, system, hour_start, offset_if_repeated() AS utc_offset_minutes, link_types, covered_s, requests_per_s, subchannel_busy_pct,
    delayed_pct, path_busy_pct, changed_pct, sync_share_pct, sync_service_us, async_service_us, reference_us,
    100 * sync_service_us / nullif(reference_us, 0) AS of_reference_pct,
    sync_engines, refs
FROM of_hour
