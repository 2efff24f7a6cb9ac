-- Grain: one row per system, receiving system, transport class and clock hour: whether the messages fit the buffers of their class.
-- Formula: counts of messages are sums over the intervals whose midpoint is in the hour; shares are weighted by messages, over_pct by big messages.
-- buffer_is_too_small: as in xcf_class_interval, from the shares of the hour. Duration reports, and intervals that overlap an earlier one, are left
-- out.
-- NULL: a sum or share with an unknown part; shares without messages. The values of one class and interval are unknown where two sources
-- print other values: pages name no sysplex, and two sysplexes may have systems of one name. Compare covered_s with 3600 s.
-- Source, limits: as xcf_class_interval.
-- Worked: 900 messages with 2% big ones and 100 with 22%: 40 of 1,000, 4%.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   buffer_length_bytes [bytes]: of the class; NULL where it is not the same in all intervals
--   messages, messages_per_s [1/s]: sent
--   refs: the printed rows of the interval with most messages with overhead, the first of several
WITH of_hour AS (
    SELECT
        sysplex, system, peer_system, transport_class, hour_start,
        one_value(buffer_length_bytes) AS buffer_length_bytes,
        sum(interval_s) AS covered_s,
        CAST(sum_all(messages) AS BIGINT) AS messages,
        mean_where_any(COLUMNS(['small_pct', 'fit_pct', 'big_pct', 'path_unavailable_pct']), messages),
        mean_where_any(over_pct, messages * big_pct) AS over_pct,
        sum_all(messages_with_overhead) AS messages_with_overhead,
        CAST(sum_all(rejects) AS BIGINT) AS rejects,
        arg_min(refs, (-coalesce(messages_with_overhead, -1), interval_start)) AS refs
    FROM hourly('xcf_class_interval', 'sysplex, system, peer_system, transport_class', '')
    GROUP BY sysplex, system, peer_system, transport_class, hour_start
)
SELECT
    sysplex, system, peer_system, transport_class, hour_start, offset_if_repeated() AS utc_offset_minutes, buffer_length_bytes, covered_s,
    messages, messages / covered_s AS messages_per_s,
    small_pct, fit_pct, big_pct, over_pct, messages_with_overhead, path_unavailable_pct, rejects,
    has_small_buffers(big_pct, small_pct) AS buffer_is_too_small,
    refs
FROM of_hour
