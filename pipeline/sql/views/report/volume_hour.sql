-- Grain: one row per system, device number and clock hour.
-- Formula: rates are means by time over the intervals whose midpoint is in the hour, times of a request are weighted by requests; io_in_progress = mean of
-- rate x response time by time (Little's law). Duration reports, and intervals that overlap an earlier one, are left out.
-- NULL: a mean with an unknown value; an interval without requests has 0 in progress. The values of one device and interval are unknown where
-- two sources print other values: pages name no sysplex, and two sysplexes may have systems of one name. Times of a request where there are no
-- requests. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, Device Activity.
-- Worked: 900 s of 100 requests/s of 1 ms and 900 s of 300 of 3 ms: 200/s, 2.5 ms, 0.5 in progress.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   volume: as printed; NULL if it changed within the hour
--   io_in_progress: requests that wait for the volume or are served by it, on average
--   refs: the printed rows of the interval with most requests in progress, the first of several
WITH placed AS (
    SELECT
        sysplex, system, device_number, volume, interval_start, interval_end, interval_s, refs,
        CASE WHEN NOT is_conflicting THEN io_per_s END AS rate,
        CASE WHEN is_conflicting THEN NULL WHEN io_per_s = 0 THEN 0 ELSE io_in_progress END AS in_progress,
        CASE WHEN is_conflicting THEN NULL WHEN io_per_s = 0 THEN 0 ELSE io_per_s * COLUMNS('^(iosq|pend|disconnect|connect)_ms$') END AS '\1'
    FROM volume_interval
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL AND interval_s > 0
    QUALIFY NOT is_printed_again(row(sysplex, system, device_number), interval_start, interval_end)
),
of_hour AS (
    SELECT
        sysplex, system, device_number,
        hour_of(interval_start, interval_end) AS hour_start,
        one_value(volume) AS volume,
        sum(interval_s) AS covered_s,
        mean_all(rate, interval_s) AS io_per_s,
        mean_all(in_progress, interval_s) AS io_in_progress,
        mean_all(COLUMNS(['iosq', 'pend', 'disconnect', 'connect']), interval_s),
        arg_min(refs, (-coalesce(in_progress, -1), interval_start)) AS refs
    FROM placed
    GROUP BY sysplex, system, device_number, hour_start
)
SELECT
    sysplex, system, device_number, hour_start, offset_if_repeated() AS utc_offset_minutes, volume, covered_s, io_per_s,
    1000 * io_in_progress / nullif(io_per_s, 0) AS response_ms,
    COLUMNS('^(iosq|pend|disconnect|connect)$') / nullif(io_per_s, 0) AS '\1_ms',
    io_in_progress, refs
FROM of_hour
