-- Grain: one row per system, channel subsystem, channel path and clock hour.
-- Formula: means by time over the intervals whose midpoint is in the hour. Duration reports, and intervals that overlap an earlier one, are left out.
-- NULL: a mean with an unknown value. The values of one path and interval are unknown where two sources print other values: pages name no
-- sysplex, and two sysplexes may have systems of one name. Compare covered_s with 3600 s.
-- A channel path is printed by each system of the machine: busy_pct is of the machine, and does not add over systems.
-- Source: RMF Report Analysis, Channel Path Activity.
-- Worked: 900 s of 10 and 300 s of 30 percent: 15; the busiest interval 30.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   busy_pct, busy_max_pct [%]: of the machine; of the busiest interval that is known
--   refs: the printed rows of the busiest interval, the first of several
SELECT
    sysplex, system, channel_subsystem, channel_path_id, hour_start, offset_if_repeated() AS utc_offset_minutes,
    known_value(kind) AS kind,
    sum(interval_s) AS covered_s,
    mean_all(busy_pct, interval_s) AS busy_pct,
    max(busy_pct) AS busy_max_pct,
    mean_all(COLUMNS(['partition_busy_pct', 'bus_busy_pct', 'read_mb_per_s', 'write_mb_per_s']), interval_s),
    arg_min(refs, (-coalesce(busy_pct, -1), interval_start)) AS refs
FROM hourly('channel_path_interval', 'sysplex, system, channel_subsystem, channel_path_id', 'kind')
GROUP BY sysplex, system, channel_subsystem, channel_path_id, hour_start
