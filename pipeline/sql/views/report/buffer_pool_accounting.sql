-- Grain: one row per Db2 member (or group), interval, keys of the ORDER (plan, connection, …) and buffer pool, of one report_kind; of a trace one per
-- thread and record_time.
-- Blocks BPnn BPOOL ACTIVITY and #COMMITS of HIGHLIGHTS; totals are left out. Rows printed twice count once.
-- Take one scope and one report_kind before adding. Labels are compared without blanks and signs, which sites may have removed.
-- Formulas: hit_pct = 1 - (sync_io + prefetch_pages) / getpages; below 0 where prefetch read more pages than were requested, which
-- were then read for nothing. prefetch_pages is PAGES READ ASYNCHR.; 0 where every
-- printed kind of prefetch has no requests; NULL, and hit_pct with it, where prefetch ran and its pages are not printed.
-- application_hit_pct = 1 - sync_io / getpages: prefetched pages count as hits, so hit_pct is at most that.
-- NULL: #COMMITS that are printed in K, and what follows from them.
-- Source: OMEGAMON for Db2 PE Report Reference, Accounting, "Buffer Pool Activity".
-- Worked: 1,000 getpages, 40 synchronous reads and 110 prefetched pages in 50 commits give 85%, 25 and 20.
-- Shards: by begin_at.
-- Columns:
--   buffer_pool: such as BP4
--   commits: units of work in the figures
--   getpages, sync_io, prefetch_requests, prefetch_pages: requests for pages, synchronous reads, prefetch and pages that it read
--   getpages_per_sync_io: getpages / sync_io
--   getpages_per_transaction: getpages / commits
WITH counted_once AS (
    SELECT entry, block, object, replace(label, '#', '') AS label, total, value_text, page, line, is_conflicting, refs
    FROM stg_db2_accounting_counter
    WHERE object LIKE 'BP%' OR block = 'HIGHLIGHTS'
),
committed AS (
    SELECT
        entry,
        CASE WHEN count(*) = 1 THEN max(try_cast(value_text AS BIGINT)) END AS commits,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM counted_once
    WHERE block = 'HIGHLIGHTS' AND label = 'COMMITS'
    GROUP BY entry
),
measured AS (
    SELECT
        *,
        CASE
            WHEN regexp_matches(label, '^GETPAGES?(REQUESTS?)?$') THEN 'getpages'
            WHEN regexp_matches(label, '^SYNCHRONOUSREADS?$') THEN 'sync_io'
            WHEN regexp_matches(label, '^(SEQ|LIST|DYN)[A-Z]*PREFETCHREQ') THEN 'prefetch_requests'
            WHEN regexp_matches(label, '^(PAGESREADASYN|ASYN[A-Z]*PAGESREAD)') THEN 'prefetch_pages'
            ELSE ''
        END AS measure
    FROM counted_once
    WHERE block <> 'HIGHLIGHTS'
),
summed AS (
    SELECT
        entry, object AS buffer_pool,
        sum_all(total, measure = 'getpages') AS getpages,
        sum_all(total, measure = 'sync_io') AS sync_io,
        sum_all(total, measure = 'prefetch_requests') AS prefetch_requests,
        sum_all(total, measure = 'prefetch_pages') AS pages_printed,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM measured
    GROUP BY entry, object
),
of_pool AS (
    SELECT
        summed.*,
        coalesce(pages_printed, CASE WHEN prefetch_requests = 0 THEN 0 END) AS prefetch_pages,
        committed.commits,
        summed.is_conflicting OR coalesce(committed.is_conflicting, FALSE) AS any_conflicting,
        list_concat(summed.refs, committed.refs) AS all_refs
    FROM summed
    LEFT JOIN committed ON committed.entry IS NOT DISTINCT FROM summed.entry
)
SELECT
    entry.*,
    buffer_pool, commits, getpages, sync_io, prefetch_requests, prefetch_pages,
    100 * (1 - (sync_io + prefetch_pages) / nullif(getpages, 0)) AS hit_pct,
    100 * (1 - sync_io / nullif(getpages, 0)) AS application_hit_pct,
    getpages / nullif(sync_io, 0) AS getpages_per_sync_io,
    getpages / nullif(commits, 0) AS getpages_per_transaction,
    any_conflicting AS is_conflicting,
    all_refs AS refs
FROM of_pool
