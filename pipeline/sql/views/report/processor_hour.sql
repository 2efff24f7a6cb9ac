-- Grain: one row per system, processor type and clock hour: engines online and busy, means weighted by time.
-- Formula: sum of engines x interval / sum of intervals, over the intervals whose midpoint is in the hour; duration reports and intervals
-- that overlap an earlier one are left out. NULL if one of them is unknown. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, CPU Activity.
-- Worked: intervals of 1800 s with 2 and 4 engines busy: 3.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
SELECT
    system, processor_type, hour_start, offset_if_repeated() AS utc_offset_minutes,
    without_noise(sum(interval_s)) AS covered_s,
    without_noise(mean_all(engines_online, interval_s)) AS engines_online,
    without_noise(mean_all(engines_busy, interval_s)) AS engines_busy,
    without_noise(100 * mean_all(engines_busy, interval_s) / nullif(mean_all(engines_online, interval_s), 0)) AS busy_pct,
    [min(refs[1])] AS refs
FROM hourly('processor_busy', 'system, processor_type')
GROUP BY system, processor_type, hour_start
