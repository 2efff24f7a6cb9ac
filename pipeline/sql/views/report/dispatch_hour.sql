-- Grain: one row per system, processor type and clock hour: the ready work beside the dispatched work.
-- Formula: means by time over the intervals whose midpoint is in the hour; waiting_pct divides the means. Duration reports, and intervals that
-- overlap an earlier one, are left out.
-- NULL: a mean with an unknown value. Compare covered_s with 3600 s.
-- Source: as processor_polarization.
-- Worked: 900 s of 1.0 and 900 s of 3.0 ready engines, 1.0 and 2.0 busy: 2.0 ready, 1.5 busy, 25% waiting.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   waiting_pct [%]: waiting of ready
--   refs: the first printed row of the interval with most waiting, the first of several
WITH of_hour AS (
    SELECT
        system, processor_type, hour_start,
        sum(interval_s) AS covered_s,
        mean_all(COLUMNS(['engines_online', 'engines_parked', 'busy_engines', 'ready_engines', 'waiting_engines', 'low_busy_engines']), interval_s),
        arg_min(refs[1:1], (-coalesce(waiting_engines, -1e9), interval_start)) AS refs
    FROM hourly('dispatch_interval', 'system, processor_type')
    GROUP BY system, processor_type, hour_start
)
SELECT
    system, processor_type, hour_start, offset_if_repeated() AS utc_offset_minutes, covered_s,
    engines_online, engines_parked, busy_engines, ready_engines, waiting_engines, low_busy_engines,
    100 * waiting_engines / nullif(ready_engines, 0) AS waiting_pct,
    refs
FROM of_hour
