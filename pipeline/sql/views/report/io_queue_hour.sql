-- Grain: one row per system, logical control unit or alias management group, and clock hour.
-- Formula: rates and lengths of queues are means by time over the intervals whose midpoint is in the hour; delays of a request and shares of requests
-- are means by requests. contention_pct = contention_per_s / io_per_s: requests put on the queue because all paths were busy, of requests that paths
-- took.
-- channel_subsystem_requests = mean of io_per_s x channel_subsystem_delay_ms by time (Little's law). Duration reports, and intervals that overlap an
-- earlier one, are left out.
-- Logical control units of an alias management group are listed as well as the group: take one `kind` before adding.
-- NULL: a mean with an unknown value; delays of an interval without requests; values of one unit and interval that two sources print
-- differently: pages name no sysplex, and two sysplexes may have systems of one name. Compare covered_s with 3600 s.
-- Source: RMF Report Analysis, I/O Queuing Activity.
-- Worked: 900 s of 100 requests/s, 2/s queued, and 900 s of 300 and 10: 200/s and 6/s, 3%; CSS delays of 0.1 and 0.3 ms are 0.25 ms,
-- 0.05 requests.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   channel_subsystem_requests: requests that wait in the channel subsystem until they are started, on average
--   refs: the printed rows of the interval with most requests in the channel subsystem, the first of several
WITH of_hour AS (
    SELECT
        sysplex, system, kind, unit, hour_start,
        sum(interval_s) AS covered_s,
        mean_all(COLUMNS(['io_per_s', 'contention_per_s', 'delay_queue_length_avg']), interval_s),
        mean_all(CASE WHEN io_per_s = 0 THEN 0 ELSE io_per_s * channel_subsystem_delay_ms / 1000 END, interval_s) AS channel_subsystem_requests,
        mean_where_any(COLUMNS('^(.*_busy_pct|.*_delay_ms|alias_wait_per_request)$'), io_per_s * interval_s),
        max_all(aliases_max) AS aliases_max,
        arg_min(refs, (-coalesce(io_per_s * channel_subsystem_delay_ms, -1), interval_start)) AS refs
    FROM hourly('io_queue_interval', 'sysplex, system, kind, unit', '')
    GROUP BY sysplex, system, kind, unit, hour_start
)
SELECT
    sysplex, system, kind, unit, hour_start, offset_if_repeated() AS utc_offset_minutes, covered_s, io_per_s, contention_per_s,
    100 * contention_per_s / nullif(io_per_s, 0) AS contention_pct,
    delay_queue_length_avg, channel_subsystem_requests, director_busy_pct, control_unit_busy_pct,
    channel_subsystem_delay_ms, command_response_delay_ms, control_unit_busy_delay_ms, alias_wait_per_request, aliases_max, refs
FROM of_hour
