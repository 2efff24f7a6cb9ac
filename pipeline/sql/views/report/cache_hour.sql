-- Grain: one row per system whose page it is, storage control unit and clock hour.
-- Formula: rates are counts / cache_interval_s, averaged by cache_interval_s over the intervals whose midpoint is in the hour; percentages come
-- from these rates. The printed rates are not used: rounded to a tenth, they can be lower than the misses where reads are few. Duration reports,
-- and intervals that overlap an earlier one, are left out.
-- The counts are of all systems that use the control unit: do not add pages of several systems.
-- NULL: a mean with an unknown value; a division by 0; values that two sources print differently. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, Cache Subsystem Activity.
-- Worked: 900 s of 100 reads/s with 10 misses/s and 900 s of 300 with 10: 200 reads/s, 10 misses/s, 95% hits.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   covered_s [s]: time of the counts
--   reads_per_s, writes_per_s [1/s]: those that use the cache
--   read_misses_per_s, write_misses_per_s [1/s]: those that missed it
--   read_hit_pct, write_hit_pct [%]: of reads, of writes
--   delayed_writes_pct [%]: writes without non-volatile storage, of writes
--   refs: the printed rows of the interval with most read misses, the first of several
WITH placed AS (
    SELECT
        sysplex, system, ssid, control_unit, interval_start, interval_end, cache_interval_s, refs,
        CASE WHEN NOT is_conflicting THEN reads / cache_interval_s END AS reads,
        CASE WHEN NOT is_conflicting THEN writes / cache_interval_s END AS writes,
        CASE WHEN NOT is_conflicting THEN read_misses_per_s END AS read_misses,
        CASE WHEN NOT is_conflicting THEN write_misses_per_s END AS write_misses,
        CASE WHEN is_conflicting THEN NULL WHEN writes = 0 THEN 0 ELSE delayed_writes_pct * writes / cache_interval_s END AS delayed
    FROM cache_interval
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND cache_interval_s > 0
    QUALIFY NOT is_printed_again(row(sysplex, system, ssid, control_unit), interval_start, interval_end)
)
SELECT
    sysplex, system, ssid, control_unit,
    hour_of(interval_start, interval_end) AS hour_start, offset_if_repeated() AS utc_offset_minutes,
    sum(cache_interval_s) AS covered_s,
    mean_all(reads, cache_interval_s) AS reads_per_s,
    mean_all(writes, cache_interval_s) AS writes_per_s,
    mean_all(read_misses, cache_interval_s) AS read_misses_per_s,
    mean_all(write_misses, cache_interval_s) AS write_misses_per_s,
    100 * (1 - read_misses_per_s / nullif(reads_per_s, 0)) AS read_hit_pct,
    100 * (1 - write_misses_per_s / nullif(writes_per_s, 0)) AS write_hit_pct,
    mean_all(delayed, cache_interval_s) / nullif(writes_per_s, 0) AS delayed_writes_pct,
    arg_min(refs, (-coalesce(read_misses, -1), interval_start)) AS refs
FROM placed
GROUP BY sysplex, system, ssid, control_unit, hour_start
