-- Grain: one row per system whose page it is, storage control unit, volume and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Rule: a volume's row of Direct Access Device Activity is that of the same system and interval with the same serial and the same last four
-- digits of the device number, in subchannel set 0.
-- Formulas: staged_pct = STAGE / I/O rate: requests that the cache did not serve. disconnect_per_miss_ms = disconnect time of a request / staged_pct:
-- the longest wait of a staged request on average; remote copy disconnects as well.
-- requests_per_s is of all systems and counts commands; device_io_per_s is of one system and counts channel programs: compare shares, not rates.
-- NULL: if a part is not printed, or nothing is to be divided; values of the device report where the report has no such volume.
-- Source: RMF Report Analysis, Cache Subsystem Activity and Device Activity; Storage Management with DB2 for OS/390, SG24-5462-00, page 125:
-- compare percentages of the two reports.
-- Worked: 2.2 of 50.0 requests/s are staged: 4.4%; 0.18 ms disconnected per request are 4.09 ms per staged one. 20.1% of 50.0/s are writes: 10.05/s.
-- Shards: by interval_start.
-- Columns:
--   requests_per_s, writes_per_s [1/s]: of all systems; writes by READ %
--   read_hit_pct, write_hit_pct [%]: as printed, in percent
--   device_io_per_s [1/s], response_ms, disconnect_ms [ms]: of the system, from volume_interval
--   is_conflicting: the row was printed again with other values, or that of the device report was
SELECT
    c.sysplex, c.system, c.ssid, c.control_unit, c.device_number, c.report_kind, c.interval_start, c.interval_end, c.interval_s,
    c.volume,
    c.io_per_s AS requests_per_s,
    c.io_per_s * (1 - c.read_pct / 100) AS writes_per_s,
    100 * c.read_hit_ratio AS read_hit_pct,
    100 * c.write_hit_ratio AS write_hit_pct,
    100 * c.stage_per_s / nullif(c.io_per_s, 0) AS staged_pct,
    c.async_tracks_per_s,
    v.io_per_s AS device_io_per_s, v.response_ms, v.disconnect_ms,
    v.disconnect_ms * c.io_per_s / nullif(c.stage_per_s, 0) AS disconnect_per_miss_ms,
    c.is_conflicting OR coalesce(v.is_conflicting, FALSE) AS is_conflicting,
    list_concat(c.refs, coalesce(v.refs, [])) AS refs
FROM once_rmf_cache_device AS c
LEFT JOIN volume_interval AS v
    ON system_interval_key(v) = system_interval_key(c) AND v.sysplex IS NOT DISTINCT FROM c.sysplex AND v.volume = c.volume
    AND right(v.device_number, 4) = right(c.device_number, 4)
    AND (length(v.device_number) = 4 OR v.device_number LIKE '0%')
WHERE NOT c.is_total
