-- Grain: one row per system, I/O processor and clock hour.
-- The line SYS, all processors of a system, is left out.
-- Formula: means by time over the intervals whose midpoint is in the hour; retries_per_request by requests started. Rows printed twice count
-- once. Duration reports, and intervals that overlap an earlier one, are left out.
-- NULL: a mean with an unknown value. The values of one processor and interval are unknown where two sources print other values or lengths: pages
-- name no sysplex, and two sysplexes may have systems of one name. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, I/O Queuing Activity.
-- Worked: 900 s of 10 and 300 s of 30 percent: 15; the busiest interval 30.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   busy_pct, busy_max_pct [%]: samples in which it was busy; of the busiest interval that is known
--   refs: the printed rows of the busiest interval, the first of several
SELECT
    sysplex, system, io_processor, hour_start, offset_if_repeated() AS utc_offset_minutes,
    sum(interval_s) AS covered_s,
    mean_all(busy_pct, interval_s) AS busy_pct,
    max(busy_pct) AS busy_max_pct,
    mean_all(COLUMNS(['queued_per_s', 'queue_length_avg', 'started_per_s', 'interrupts_per_s']), interval_s),
    mean_where_any(retries_per_request, started_per_s * interval_s) AS retries_per_request,
    arg_min(refs, (-coalesce(busy_pct, -1), interval_start)) AS refs
FROM hourly('(FROM once_rmf_io_processor WHERE NOT is_total)', 'sysplex, system, io_processor')
GROUP BY sysplex, system, io_processor, hour_start
