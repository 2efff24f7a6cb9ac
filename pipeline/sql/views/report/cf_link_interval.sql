-- Grain: one row per coupling facility, system and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Formulas: sync_share_pct = SYNC / (SYNC + ASYNC); changed_pct and path_busy_pct of all requests (# REQ TOTAL), delayed as printed. sync_engines
-- = SYNC/s × service time / 10^6: processors of the system that wait for a synchronous request.
-- subchannel_busy_pct = (SYNC x service time + ASYNC x service time) / (subchannels in use x interval): a request occupies a subchannel until
-- it is answered; a request that waits for a subchannel is delayed.
-- A request that finds the path busy is sent again and counts in PTH BUSY. A request that finds no subchannel is delayed or, where that is
-- allowed, changed to asynchronous.
-- Counts in K are as precise as their last printed digit.
-- NULL: if a part is not printed, or nothing is to be divided.
-- Source: RMF Report Analysis, Coupling Facility Activity, "Subchannel Activity".
-- Worked: 9,011,000 x 5.6 us and 92,714 x 88.4 us in 1,800 s on 40 subchannels: 0.0815% busy. 9,011,000 synchronous and 92,714 asynchronous requests: 98.98% synchronous; 5.6 us each in 1,800 s: 2.80% of an engine.
-- Shards: by interval_start.
-- Columns:
--   links_used, links_generated: USE and GEN of all types
--   link_types: such as CS5, in the order of the page
--   subchannels_used, subchannels_generated: USE and GEN of SUBCH
--   changed_pct, path_busy_pct [%]: see above
--   delayed_pct [%]: as printed, for want of a subchannel
WITH lined AS (
    SELECT
        *,
        [
            struct_pack(type := link_1_type, generated := link_1_generated, used := link_1_used),
            struct_pack(type := link_2_type, generated := link_2_generated, used := link_2_used),
            struct_pack(type := link_3_type, generated := link_3_generated, used := link_3_used),
            struct_pack(type := link_4_type, generated := link_4_generated, used := link_4_used)
        ] AS link_table,
        list_filter(link_table, lambda l: l.type <> 'SUBCH') AS link_lines,
        list_filter(link_table, lambda l: l.type = 'SUBCH') AS subchannel_lines
    FROM once_rmf_cf_subchannel_activity
    WHERE cf_name IS NOT NULL
)
SELECT
    sysplex, cf_name, system, report_kind, interval_start, interval_end, interval_s,
    CASE WHEN NOT list_contains(list_transform(link_lines, lambda l: l.used IS NULL), TRUE)
        THEN list_sum(list_transform(link_lines, lambda l: l.used)) END AS links_used,
    CASE WHEN NOT list_contains(list_transform(link_lines, lambda l: l.generated IS NULL), TRUE)
        THEN list_sum(list_transform(link_lines, lambda l: l.generated)) END AS links_generated,
    nullif(array_to_string(list_transform(link_lines, lambda l: l.type), ','), '') AS link_types,
    subchannel_lines[1].used AS subchannels_used, subchannel_lines[1].generated AS subchannels_generated,
    requests, sync_requests, async_requests, changed_requests, unsuccessful_requests,
    requests_per_s, sync_service_us, async_service_us,
    100 * sync_requests / nullif(sync_requests + async_requests, 0) AS sync_share_pct,
    100 * changed_requests / nullif(requests, 0) AS changed_pct,
    100 * path_busy / nullif(requests, 0) AS path_busy_pct,
    delayed_total_pct AS delayed_pct, delayed_list_cache_pct, delayed_lock_pct,
    sync_requests * sync_service_us / 1000000 / nullif(interval_s, 0) AS sync_engines,
    100 * (
        CASE WHEN sync_requests = 0 THEN 0 ELSE sync_requests * sync_service_us END
        + CASE WHEN async_requests = 0 THEN 0 ELSE async_requests * async_service_us END
    ) / 1000000 / nullif(interval_s * subchannel_lines[1].used, 0) AS subchannel_busy_pct,
    is_conflicting, refs
FROM lined
