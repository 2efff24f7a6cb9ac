-- Grain: one row per system, volume and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Formulas: io_in_progress = io_per_s x response_ms / 1000: requests that wait for the volume or are served by it, on average (Little's law).
-- delay_pct = (IOSQ + PEND + DISC) / response: time that moves no data. cache_miss_ms: DISC, mostly cache misses and remote copy.
-- sync_engines = (reads_per_s x read_ms + writes_per_s x write_ms) / 1000: a processor waits for a synchronous request (zHyperLink).
-- sync_pct = synchronous requests / (these + asynchronous requests), all as the section of synchronous I/O prints them. The rate of the volume,
-- io_per_s, is not used: it counts start, resume and halt subchannel instructions, and no page seen shows whether synchronous requests are in it.
-- A volume is printed by each system that uses it: rates and requests in progress add over systems, response times do not.
-- NULL: if a part is not printed, or nothing is to be divided; synchronous I/O where the page prints none for the volume; sync_pct where the
-- asynchronous rate is not printed beside the synchronous one.
-- Source: RMF Report Analysis, Device Activity.
-- Worked: 96.017 requests/s of 0.883 ms: 0.0848 in progress; 0.112 + 0.201 + 0.377 of 0.883 ms are delay: 78.14%.
-- 318.41 reads/s of 0.023 ms and 12.027 writes/s of 0.031 ms: 0.77% of an engine; beside 212.406 asynchronous requests/s they are 60.87%.
-- Shards: by interval_start.
-- Columns:
--   storage_group: as printed
--   sync_reads_per_s, sync_writes_per_s, async_per_s [1/s]: synchronous and asynchronous requests, of the section of synchronous I/O
--   is_conflicting: the row was printed again with other values, or a system of another sysplex has its name: pages name no sysplex
SELECT
    v.sysplex, v.system, v.device_number, v.report_kind, v.interval_start, v.interval_end, v.interval_s,
    v.volume, v.storage_group, v.lcu, v.exposures,
    v.io_per_s, v.response_ms, v.iosq_ms, v.pend_ms, v.disconnect_ms, v.connect_ms,
    v.io_per_s * v.response_ms / 1000 AS io_in_progress,
    100 * (v.iosq_ms + v.pend_ms + v.disconnect_ms) / nullif(v.response_ms, 0) AS delay_pct,
    v.utilization_pct,
    s.reads_per_s AS sync_reads_per_s, s.writes_per_s AS sync_writes_per_s, s.async_per_s,
    100 * (s.reads_per_s + s.writes_per_s) / nullif(s.reads_per_s + s.writes_per_s + s.async_per_s, 0) AS sync_pct,
    (CASE WHEN s.reads_per_s = 0 THEN 0 ELSE s.reads_per_s * s.read_ms END
        + CASE WHEN s.writes_per_s = 0 THEN 0 ELSE s.writes_per_s * s.write_ms END) / 1000 AS sync_engines,
    v.is_conflicting OR coalesce(s.is_conflicting, FALSE) AS is_conflicting,
    list_concat(v.refs, s.refs[1:1]) AS refs
FROM once_rmf_device AS v
LEFT JOIN once_rmf_device_synchronous_io AS s
    ON s.sysplex IS NOT DISTINCT FROM v.sysplex AND s.system IS NOT DISTINCT FROM v.system AND s.report_kind = v.report_kind
    AND s.interval_start = v.interval_start AND s.interval_end = v.interval_end AND s.device_number = v.device_number
