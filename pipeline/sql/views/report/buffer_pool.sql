-- Grain: one row per Db2 member, buffer pool and interval, of one report_kind (report, trace) and scope.
-- Blocks of buffer pools BPnn; their totals (TOT4K …) are left out. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed.
-- Formulas: hit_pct = 1 - (sync_io + prefetch_pages) / getpages; below 0 where prefetch read more pages than were requested,
-- which were then wasted. prefetch_pages: sequential, list and dynamic, each
-- as printed, or 0 where its reads are printed as 0; NULL, and hit_pct with it, where the pages of one are unknown.
-- Source: OMEGAMON for Db2 PE Report Reference, "Buffer Pool Activity".
-- Worked: 52,208 getpages, 871 synchronous reads and 12,000 prefetched pages give 75.35%.
-- Shards: by begin_at.
-- Columns:
--   buffer_pool: such as BP4
--   getpages, sync_io, prefetch_pages: requests for pages, synchronous reads, pages read by prefetch
--   getpages_per_sync_io: getpages / sync_io
--   getpages_per_transaction: getpages for each commit, as printed under /COMMIT
--   getpages_per_s [1/s]: getpages / interval_elapsed_s
WITH summed AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object AS buffer_pool,
        max(interval_elapsed_s) AS interval_elapsed_s,
        sums_by('pool_measure', 'getpages, sync_io, sequential_pages, list_pages, dynamic_pages, sequential_reads, list_reads, dynamic_reads'),
        max(per_commit) FILTER (pool_measure = 'getpages') AS getpages_per_transaction,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter
    WHERE object LIKE 'BP%'
    GROUP BY location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object
),
prefetched AS (
    SELECT
        *,
        -- A kind of prefetch without reads read no pages.
        coalesce(sequential_pages, CASE WHEN sequential_reads = 0 THEN 0 END)
            + coalesce(list_pages, CASE WHEN list_reads = 0 THEN 0 END)
            + coalesce(dynamic_pages, CASE WHEN dynamic_reads = 0 THEN 0 END) AS prefetch_pages
    FROM summed
)
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, interval_elapsed_s, buffer_pool,
    getpages, sync_io, prefetch_pages,
    100 * (1 - (sync_io + prefetch_pages) / nullif(getpages, 0)) AS hit_pct,
    getpages / nullif(sync_io, 0) AS getpages_per_sync_io,
    getpages_per_transaction,
    getpages / nullif(interval_elapsed_s, 0) AS getpages_per_s,
    is_conflicting, refs
FROM prefetched
