-- Grain: one row per Db2 data sharing location and group (or member without one), buffer pool and clock hour, all members together.
-- Formula: sums over members and the intervals of member reports whose midpoint is in the hour, then hit_pct as in buffer_pool. A report of the
-- group counts for the members that have no report of their own for the interval. Traces, and intervals of a member that overlap an earlier
-- one, are left out.
-- NULL: a sum with a value that is unknown or was printed again with another value; a percentage of nothing.
-- Source: as buffer_pool.
-- Worked: 52,208 getpages, 871 synchronous reads and 12,000 prefetched pages give 75.35%.
-- Shards: by hour_start.
-- Columns:
--   db2_group: data sharing group; the member where none is printed
--   buffer_pool: such as BP4
--   covered_s [s]: time of the intervals, of the member with most
--   members: with a report
--   getpages, sync_io, prefetch_pages: as in buffer_pool
--   getpages_per_s, sync_io_per_s [1/s]: by covered_s
--   hit_pct [%]: buffer pool hit ratio
WITH of_interval AS (
    SELECT
        location, coalesce(db2_group, member, subsystem) AS db2_group, object AS buffer_pool, coalesce(member, subsystem) AS member,
        begin_at, end_at, scope, max(interval_elapsed_s) AS interval_elapsed_s,
        sums_by('pool_measure', 'getpages, sync_io, sequential_pages, list_pages, dynamic_pages, sequential_reads, list_reads, dynamic_reads'),
        min(refs[1]) AS ref
    FROM (SELECT * REPLACE (CASE WHEN NOT is_conflicting THEN quantity END AS quantity) FROM stg_db2_statistics_counter)
    WHERE object LIKE 'BP%' AND pool_measure <> '' AND scope IN ('member', 'group_member') AND report_kind = 'report'
    GROUP BY ALL
),
-- Intervals of a member that overlap print the same counts twice.
placed AS (
    SELECT *
    FROM (FROM of_interval QUALIFY is_own_or_only(scope, (location, db2_group, buffer_pool, member, begin_at, end_at)))
    QUALIFY NOT is_printed_again(row(location, db2_group, buffer_pool, member), begin_at, end_at)
),
added AS (
    SELECT
        location, db2_group, buffer_pool, hour_of(begin_at, end_at) AS hour_start,
        max(covered_s) AS covered_s,
        count(DISTINCT member) AS members,
        sum_all(COLUMNS([
            'getpages', 'sync_io', 'sequential_pages', 'list_pages', 'dynamic_pages', 'sequential_reads', 'list_reads',
            'dynamic_reads'
        ])),
        min(ref) AS ref
    FROM (SELECT *, sum(interval_elapsed_s) OVER (
        PARTITION BY location, db2_group, buffer_pool, member, hour_of(begin_at, end_at)
    ) AS covered_s FROM placed)
    GROUP BY ALL
),
totals AS (
    SELECT
        *,
        -- A kind of prefetch without reads read no pages.
        coalesce(sequential_pages, CASE WHEN sequential_reads = 0 THEN 0 END)
            + coalesce(list_pages, CASE WHEN list_reads = 0 THEN 0 END)
            + coalesce(dynamic_pages, CASE WHEN dynamic_reads = 0 THEN 0 END) AS prefetch_pages
    FROM added
)
SELECT
    location, db2_group, buffer_pool, hour_start, covered_s, members,
    CAST(COLUMNS(['getpages', 'sync_io', 'prefetch_pages']) AS BIGINT),
    getpages / nullif(covered_s, 0) AS getpages_per_s,
    sync_io / nullif(covered_s, 0) AS sync_io_per_s,
    100 * (1 - (sync_io + prefetch_pages) / nullif(getpages, 0)) AS hit_pct,
    [ref] AS refs
FROM totals
