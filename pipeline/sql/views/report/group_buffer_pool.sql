-- Grain: one row per Db2 member, group buffer pool and interval, of one report_kind (report, trace) and scope.
-- Blocks GROUP BPnn; their totals (TOT4K …) are left out. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, as OMEGAMON for Db2 and as DB2PM print them; a user may have tailored them away.
-- Formulas: reads_total = the four kinds of synchronous reads. read_hit_pct = data returned / reads_total. xi_read_pct = reads after a
-- cross-invalidation / reads_total. xi_hit_pct = the share of the reads after a cross-invalidation that got data: use it to tune the size of
-- a group buffer pool. nf_hit_pct = the same of pages not found in the member's buffer pool; with GBPCACHE CHANGED these are not expected to
-- be there. writes_total = the four kinds of written pages.
-- Accesses: requests, as the coupling facility counts them. One request may write or cast out many pages:
-- write_requests = WRITE AND REGISTER + WRITE AND REGISTER MULT (without the former pages written - PAGES WRITE & REG
-- MULT + WRITE AND REGISTER MULT), castout_requests = READ FOR CASTOUT + READ FOR CASTOUT MULT; 0 where no pages moved.
-- accesses_total = reads_total + write_requests + castout_requests + other_requests where any of these is printed
-- (accesses_basis 'requests'); reads_total + writes_total + castout_pages + other_requests where none is, as in
-- releases that moved one page per request ('pages'). Reads by prefetch are not in it. NULL if a part is not printed
-- or is N/A, N/C or N/P.
-- Duplexing: all counts are of the primary; requests to the secondary (SEC-GBP) are not in other_requests.
-- other_requests: OTHER REQUESTS where it is printed; otherwise the sum of the printed ones of REG.PAGE LIST, UNREGISTER PAGE, REGISTER PAGE,
-- UNLOCK CASTOUT, READ CASTOUT CLASS, READ DIRECTORY INFO, READ STORAGE STATISTICS, DELETE NAME.
-- Source: OMEGAMON for Db2 PE Report Reference, "Group Buffer Pools Activity"; DB2PM V4 Report Reference; Db2 13 for
-- z/OS, Data Sharing: Planning and Administration, "What to look for in a OMEGAMON statistics report".
-- Worked: 53 + 0 + 4 + 372 reads = 429, hits 57 of 429 = 13%; with 430 writes, 1 castout, 1231 others 2091, in 600 s
-- 3.485/s. 1091.6K of 1224.6K reads after a cross-invalidation got data: xi_hit_pct 89.14, where read_hit_pct is
-- 12.82 of all 16,801.8K reads.
-- Shards: by begin_at.
-- Columns:
--   reads_xi_returned, reads_xi_not_returned: reads after a cross-invalidation, with and without data
--   reads_nf_returned, reads_nf_not_returned: reads of pages not found in the member's buffer pool, likewise
--   xi_hit_pct, nf_hit_pct [%]: see above; NULL without reads of that kind
--   reads_prefetch_returned, reads_prefetch_not_returned: pages asked for by prefetch, not within reads_total
--   writes_changed_sync, writes_changed_async, writes_clean_sync, writes_clean_async: pages written
--   castout_pages: see above
--   write_requests, castout_requests: see above; NULL if not printed
--   accesses_per_s [1/s]: see above
--   accesses_basis: requests or pages
--   null_reason: why accesses_total is NULL: the parts that are not printed
--   castout_engine_not_available, write_engine_not_available: as printed
--   reads_failed_no_storage, writes_failed_no_storage: as printed
--   secondary_writes_failed: writes to the secondary of a duplexed pool that failed, as printed
WITH summed AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object AS gbp,
        max(interval_elapsed_s) AS interval_elapsed_s,
        sums_by(
            'gbp_measure',
            'reads_xi_returned, reads_xi_not_returned, reads_nf_returned, reads_nf_not_returned, reads_prefetch_returned,
            reads_prefetch_not_returned, writes_changed_sync, writes_changed_async, writes_clean_sync, writes_clean_async, castout_pages,
            other_requests, write_single_requests, write_multiple_requests, write_multiple_pages, castout_single_requests,
            castout_multiple_requests, castout_engine_not_available, write_engine_not_available, reads_failed_no_storage,
            writes_failed_no_storage, secondary_writes_failed'
        ),
        count(quantity) FILTER (
            gbp_measure IN (
                'write_single_requests', 'write_multiple_requests', 'castout_single_requests', 'castout_multiple_requests'
            )
        ) > 0 AS has_requests,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter
    WHERE block = 'GROUP BP'
    GROUP BY location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object
),
totals AS (
    SELECT
        *,
        reads_xi_returned + reads_xi_not_returned + reads_nf_returned + reads_nf_not_returned AS reads_total,
        writes_changed_sync + writes_changed_async + writes_clean_sync + writes_clean_async AS writes_total
    FROM summed
),
requested AS (
    SELECT
        *,
        coalesce(
            write_single_requests + write_multiple_requests,
            writes_total - write_multiple_pages + write_multiple_requests,
            CASE WHEN writes_total = 0 THEN 0 END
        ) AS write_requests,
        coalesce(castout_single_requests + castout_multiple_requests, CASE WHEN castout_pages = 0 THEN 0 END) AS castout_requests
    FROM totals
),
accessed AS (
    SELECT
        *,
        CASE WHEN has_requests THEN write_requests ELSE writes_total END AS writes_accessed,
        CASE WHEN has_requests THEN castout_requests ELSE castout_pages END AS castouts_accessed
    FROM requested
)
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, interval_elapsed_s, gbp,
    reads_xi_returned, reads_xi_not_returned, reads_nf_returned, reads_nf_not_returned, reads_total,
    100 * (reads_xi_returned + reads_nf_returned) / nullif(reads_total, 0) AS read_hit_pct,
    100 * (reads_xi_returned + reads_xi_not_returned) / nullif(reads_total, 0) AS xi_read_pct,
    100 * reads_xi_returned / nullif(reads_xi_returned + reads_xi_not_returned, 0) AS xi_hit_pct,
    100 * reads_nf_returned / nullif(reads_nf_returned + reads_nf_not_returned, 0) AS nf_hit_pct,
    reads_prefetch_returned, reads_prefetch_not_returned,
    writes_changed_sync, writes_changed_async, writes_clean_sync, writes_clean_async, writes_total,
    castout_pages, other_requests,
    CASE WHEN has_requests THEN write_requests END AS write_requests,
    CASE WHEN has_requests THEN castout_requests END AS castout_requests,
    reads_total + writes_accessed + castouts_accessed + other_requests AS accesses_total,
    (reads_total + writes_accessed + castouts_accessed + other_requests) / nullif(interval_elapsed_s, 0) AS accesses_per_s,
    CASE WHEN has_requests THEN 'requests' ELSE 'pages' END AS accesses_basis,
    nullif(
        concat_ws(
            ', ',
            CASE WHEN reads_total IS NULL THEN 'reads not printed' END,
            CASE WHEN writes_accessed IS NULL THEN CASE WHEN has_requests THEN 'write requests' ELSE 'writes' END || ' not printed' END,
            CASE WHEN castouts_accessed IS NULL
                THEN CASE WHEN has_requests THEN 'castout requests' ELSE 'castouts' END || ' not printed' END,
            CASE WHEN other_requests IS NULL THEN 'other requests not printed' END
        ),
        ''
    ) AS null_reason,
    castout_engine_not_available, write_engine_not_available, reads_failed_no_storage, writes_failed_no_storage,
    secondary_writes_failed,
    is_conflicting, refs
FROM accessed
