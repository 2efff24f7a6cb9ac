-- Grain: one row per system whose page it is, storage control unit and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Formulas: read_hit_pct = read hits / reads, write_hit_pct = write hits / writes; misses per second = (requests - hits) / cache interval.
-- delayed_writes_pct = (DFW BYPASS, or of later releases DELAYED NVS) / writes: there was no non-volatile storage for them.
-- The counts are of all systems that use the control unit: do not add pages of several systems, nor compare with the rates of one.
-- NULL: if a part is not printed, or nothing is to be divided.
-- Source: RMF Report Analysis, Cache Subsystem Activity.
-- Worked: 54,110 of 57,425 reads and 15,909 of 15,982 writes are hits: 94.23% and 99.54%; 3,315 reads missed in 900 s: 3.683/s; 3 writes
-- without non-volatile storage are 0.0188%.
-- Shards: by interval_start.
-- Columns:
--   reads, writes: requests that use the cache, as printed
--   reads_per_s, writes_per_s [1/s]: the same per second, as printed: to a tenth
--   read_misses_per_s, write_misses_per_s [1/s]: see above
--   staged_tracks_per_s, async_tracks_per_s [1/s]: tracks read from disk into the cache, and written from it to disk
WITH miss AS (
    SELECT
        sysplex, system, report_kind, interval_start, interval_end, ssid, control_unit,
        -- Cache fast writes stage no tracks: their cell is blank. Without one of the other two the sum is incomplete.
        CASE WHEN count(*) FILTER (category IN ('NORMAL', 'SEQUENTIAL')) = 2 THEN sum_all(staged_tracks, category <> 'CFW DATA') END AS staged_tracks,
        bool_or(is_conflicting) AS is_conflicting, all_refs(source_id, page, line) AS refs
    FROM once_rmf_cache_miss
    GROUP BY sysplex, system, report_kind, interval_start, interval_end, ssid, control_unit
)
SELECT
    u.sysplex, u.system, u.ssid, u.control_unit, u.report_kind, u.interval_start, u.interval_end,
    u.interval_s, u.cache_interval_s, u.model,
    u.requests / u.cache_interval_s AS requests_per_s,
    r.reads, r.writes, r.reads_per_s, r.writes_per_s,
    100 * r.reads / nullif(r.reads + r.writes, 0) AS read_pct,
    100 * r.read_hits / nullif(r.reads, 0) AS read_hit_pct,
    100 * r.write_hits / nullif(r.writes, 0) AS write_hit_pct,
    (r.reads - r.read_hits) / u.cache_interval_s AS read_misses_per_s,
    (r.writes - r.write_hits) / u.cache_interval_s AS write_misses_per_s,
    m.staged_tracks / u.cache_interval_s AS staged_tracks_per_s,
    u.async_tracks_per_s,
    100 * coalesce(u.dfw_bypass, u.delayed_storage) / nullif(r.writes, 0) AS delayed_writes_pct,
    u.is_conflicting OR coalesce(r.is_conflicting, FALSE) OR coalesce(m.is_conflicting, FALSE) AS is_conflicting,
    list_concat(
        u.refs[1:1], coalesce(r.refs[1:1], []),
        coalesce(m.refs, [])
    ) AS refs
FROM once_rmf_cache_subsystem AS u
LEFT JOIN once_rmf_cache_request AS r ON r.is_total AND control_unit_key(r) = control_unit_key(u)
LEFT JOIN miss AS m ON control_unit_key(m) = control_unit_key(u)
