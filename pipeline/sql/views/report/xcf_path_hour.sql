-- Grain: one row per system, direction, signalling path and clock hour, all peers together.
-- Formula: sums over the intervals whose midpoint is in the hour; rows printed twice count once. Duration reports, and intervals that
-- overlap an earlier one, are left out. busy_pct divides the messages that found the path busy by those that found it busy or available.
-- NULL: a sum with an unknown value. The values of one path and interval are unknown where two sources print other values: pages name no
-- sysplex, and two sysplexes may have systems of one name. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, XCF Activity, "XCF Path Statistics".
-- Worked: 990 available and 10 busy: 1%.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   path: the structure, or the devices at both ends
--   signals: messages sent or received
--   signals_per_s [1/s]: the same by covered_s
--   busy, busy_pct [%]: messages that found the path busy; outbound paths
--   retries: restarts of the path; outbound paths
--   buffers_unavailable: messages that found no buffer; inbound paths
WITH once AS (
    SELECT
        sysplex, system, direction, path_type, coalesce(structure, concat_ws(' ', from_device, to_device)) AS path,
        interval_start, interval_end, source_id, peer_system, transport_class, max(interval_s) AS interval_s,
        one_value(coalesce(requests_out, requests_in)) AS signals, one_value(available) AS available, one_value(busy) AS busy,
        one_value(retries) AS retries, one_value(buffers_unavailable) AS buffers_unavailable, min(ref(source_id, page, line)) AS ref
    FROM rmf_xcf_path
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_s > 0
    GROUP BY ALL
),
of_source AS (
    SELECT
        sysplex, system, direction, path_type, path, interval_start, interval_end, source_id, max(interval_s) AS interval_s,
        sum_all(signals) AS signals, sum_all(available) AS available, sum_all(busy) AS busy, sum_all(retries) AS retries,
        sum_all(buffers_unavailable) AS buffers_unavailable, min(ref) AS ref
    FROM once
    GROUP BY ALL
),
of_interval AS (
    SELECT
        sysplex, system, direction, path_type, path, interval_start, interval_end, max(interval_s) AS interval_s,
        one_value(signals) AS signals, one_value(available) AS available, one_value(busy) AS busy, one_value(retries) AS retries,
        one_value(buffers_unavailable) AS buffers_unavailable, min(ref) AS ref
    FROM of_source
    GROUP BY ALL
),
placed AS (
    SELECT *
    FROM of_interval
    QUALIFY NOT is_printed_again(row(sysplex, system, direction, path_type, path), interval_start, interval_end)
)
SELECT
    sysplex, system, direction, path, path_type,
    hour_of(interval_start, interval_end) AS hour_start, offset_if_repeated() AS utc_offset_minutes,
    sum(interval_s) AS covered_s,
    CAST(sum_all(signals) AS BIGINT) AS signals,
    sum_all(signals) / nullif(sum(interval_s), 0) AS signals_per_s,
    CAST(sum_all(busy) AS BIGINT) AS busy,
    100 * sum_all(busy) / nullif(sum_all(busy) + sum_all(available), 0) AS busy_pct,
    CAST(sum_all(retries) AS BIGINT) AS retries,
    CAST(sum_all(buffers_unavailable) AS BIGINT) AS buffers_unavailable,
    [min(ref)] AS refs
FROM placed
GROUP BY ALL
