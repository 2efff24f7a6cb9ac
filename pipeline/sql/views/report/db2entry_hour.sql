-- Grain: one row per CICS region, DB2ENTRY and clock hour.
-- Formula: sums over the collections whose interval has its midpoint in the hour, then divided.
-- NULL: a sum with an unknown value; a percentage of nothing; counts of an hour with collections that were printed again with other
-- values, or that overlap by more than a second: then two regions have one name.
-- Source: CICS statistics, "Db2 resource statistics - requests".
-- Worked: 456,425 reuses and 44 creates: 99.990%.
-- Shards: by hour_start.
-- Columns:
--   covered_s [s]: time of the collections; NULL if they overlap
--   calls_per_s [1/s]: by covered_s
WITH collected AS (
    SELECT
        applid, db2entry, date_trunc('hour', collected_at - to_milliseconds(CAST(interval_s * 500 AS BIGINT))) AS hour_start, interval_s,
        coalesce(max(collected_at) OVER earlier > collected_at - to_milliseconds(CAST(interval_s * 1000 AS BIGINT)) + INTERVAL 1 SECOND, FALSE)
            AS is_overlapping,
        calls, thread_creates, thread_reuses, thread_waits_or_overflows, is_conflicting, refs
    FROM db2entry_thread_reuse
    WHERE interval_s > 0
    WINDOW earlier AS (
        PARTITION BY applid, db2entry ORDER BY collected_at, interval_s, collection ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
summed AS (
    SELECT
        applid, db2entry, hour_start, bool_or(is_overlapping) AS overlaps,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum(interval_s) END AS covered_s,
        bool_or(is_overlapping OR is_conflicting) AS is_of_two,
        sum_all(COLUMNS(['calls', 'thread_creates', 'thread_reuses', 'thread_waits_or_overflows'])),
        min(refs[1]) AS ref
    FROM collected
    GROUP BY ALL
),
known AS (
    SELECT
        applid, db2entry, hour_start, covered_s, ref,
        CAST(CASE WHEN NOT is_of_two THEN COLUMNS(['calls', 'thread_creates', 'thread_reuses', 'thread_waits_or_overflows']) END AS BIGINT)
    FROM summed
)
SELECT
    applid, db2entry, hour_start, covered_s, calls, thread_creates, thread_reuses, thread_waits_or_overflows,
    calls / nullif(covered_s, 0) AS calls_per_s,
    100 * thread_reuses / nullif(thread_reuses + thread_creates, 0) AS thread_reuse_pct,
    [ref] AS refs
FROM known
