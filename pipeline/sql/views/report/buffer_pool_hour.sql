-- Grain: one row per Db2 data sharing group (or member without one), buffer pool and clock hour, all members together.
-- Inputs: buffer_pool.
-- Formula: sums over members and the intervals of member reports whose midpoint is in the hour, then hit_pct as in buffer_pool. Traces are left
-- out.
-- NULL: a sum of which one value is unknown; a percentage of nothing.
-- Source: as buffer_pool.
-- Worked: 52,208 getpages, 871 synchronous reads and 12,000 prefetched pages give 75.35%.
-- Columns:
--   db2_group, buffer_pool, hour_start [local time]: pool and hour; the member where no group is printed
--   covered_s [s]: time of the intervals, of the member with most
--   members: with a report
--   getpages, sync_io, prefetch_pages: as in buffer_pool
--   getpages_per_s, sync_io_per_s [1/s]: by covered_s
--   hit_pct [%]: buffer pool hit ratio
--   refs: the first printed row
WITH summed AS (
    SELECT
        coalesce(db2_group, member, subsystem) AS db2_group, buffer_pool, date_trunc('hour', begin_at + (end_at - begin_at) / 2) AS hour_start,
        coalesce(member, subsystem) AS member,
        sum(interval_elapsed_s) AS covered_s,
        sum_all(getpages) AS getpages, sum_all(sync_io) AS sync_io, sum_all(prefetch_pages) AS prefetch_pages, min(refs[1]) AS ref
    FROM buffer_pool
    WHERE scope = 'member' AND report_kind = 'report'
    GROUP BY ALL
),
final AS (
    SELECT
        db2_group, buffer_pool, hour_start, max(covered_s) AS covered_s, count(DISTINCT member) AS members,
        CAST(sum_all(getpages) AS BIGINT) AS getpages,
        CAST(sum_all(sync_io) AS BIGINT) AS sync_io,
        CAST(sum_all(prefetch_pages) AS BIGINT) AS prefetch_pages,
        sum_all(getpages) / nullif(max(covered_s), 0) AS getpages_per_s,
        sum_all(sync_io) / nullif(max(covered_s), 0) AS sync_io_per_s,
        100 * (1 - (sum_all(sync_io) + sum_all(prefetch_pages)) / nullif(sum_all(getpages), 0)) AS hit_pct,
        [min(ref)] AS refs
    FROM summed
    GROUP BY db2_group, buffer_pool, hour_start
)
SELECT * FROM final
