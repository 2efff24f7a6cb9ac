-- Grain: one row a Db2 member, group buffer pool and interval, of one report_kind (report, trace) and scope.
-- Inputs: db2_statistics_counter, blocks GROUP BPnn; their totals (TOT4K …) are left out. What is printed twice
-- counts once.
-- Take one scope (member; a group report has no member) and one report_kind before adding.
-- Labels are compared without blanks and signs, as OMEGAMON for Db2 and as DB2PM print them; a user may have tailored
-- them away.
-- Formulas: reads_total = the four kinds of synchronous reads. read_hit_pct = data returned / reads_total.
-- xi_read_pct =
-- reads after a cross-invalidation / reads_total. writes_total = the four kinds of written pages. accesses_total =
-- reads_total + writes_total + castout_pages + other_requests. NULL where a part is not printed or is N/A, N/C or
-- N/P.
-- other_requests: OTHER REQUESTS where it is printed; else the sum of those of these that are: REG.PAGE LIST,
-- UNREGISTER PAGE,
-- REGISTER PAGE, UNLOCK CASTOUT, READ CASTOUT CLASS, READ DIRECTORY INFO, READ STORAGE STATISTICS, DELETE NAME.
-- Source: OMEGAMON for Db2 PE Report Reference, "Group Buffer Pools Activity"; DB2PM V4 Report Reference.
-- Worked: 53 + 0 + 4 + 372 reads = 429, hits 57 of 429 = 13%; with 430 writes, 1 castout, 1231 others 2091, in 600 s
-- 3.485/s.
-- Columns:
--   location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at: whose, and the interval
--   interval_elapsed_s [s]: length of the interval
--   gbp: the group buffer pool, as GBP6
--   reads_xi_returned, reads_xi_not_returned: reads after a cross-invalidation, with and without data
--   reads_nf_returned, reads_nf_not_returned: reads of pages not found in the member's buffer pool, likewise
--   reads_total: the sum of these four
--   read_hit_pct, xi_read_pct [%]: see above
--   reads_prefetch_returned, reads_prefetch_not_returned: pages asked for by prefetch, not within reads_total
--   writes_changed_sync, writes_changed_async, writes_clean_sync, writes_clean_async: pages written
--   writes_total: the sum of these four
--   castout_pages, other_requests: see above
--   accesses_total, accesses_per_s [1/s]: see above
--   castout_engine_not_available, write_engine_not_available: as printed
--   reads_failed_no_storage, writes_failed_no_storage: as printed
--   is_conflicting: a counter was also printed with another value
--   refs: the printed rows
WITH copies AS (
    SELECT
        *,
        row_number() OVER first_to_last AS copy,
        list(struct_pack(source_id := source_id, page := page, line := line)) OVER all_copies AS refs,
        min(row(quantity, null_reason)) OVER all_copies
            IS DISTINCT FROM max(row(quantity, null_reason)) OVER all_copies AS is_conflicting
    FROM db2_statistics_counter
    WHERE block = 'GROUP BP' AND is_total IS NOT TRUE
    WINDOW
        first_to_last AS (
            PARTITION BY
                location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, block, object,
                counter, label_path, occurrence
            ORDER BY source_id, line
        ),
        all_copies AS (
            PARTITION BY
                location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, block, object,
                counter, label_path, occurrence
            ORDER BY source_id, line
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
),
labels AS (
    SELECT
        *,
        -- Releases differ in blanks, points and hyphens; a path keeps its steps.
        regexp_replace(upper(coalesce(label_path, counter)), '[^A-Z0-9>]', '', 'g') AS path,
        quantity AS value
    FROM copies
    WHERE copy = 1
),
measured AS (
    SELECT
        *,
        CASE
            WHEN regexp_matches(path, '^SYNREADXIDATARETURN|CROSSINVALIDATION.*>DATARETURNED') THEN 'reads_xi_returned'
            WHEN regexp_matches(path, '^SYNREADXINODATARETURN|CROSSINVALIDATION.*>DATANOTRETURNED') THEN 'reads_xi_not_returned'
            WHEN regexp_matches(path, '^SYNREADNFDATARETURN|NOTFOUND.*>DATARETURNED') THEN 'reads_nf_returned'
            WHEN regexp_matches(path, '^SYNREADNFNODATARETURN|NOTFOUND.*>DATANOTRETURNED') THEN 'reads_nf_not_returned'
            WHEN regexp_matches(path, '^NUMBEROFPAGESRETRFROMGBP|PREFETCH.*>DATARETURNED') THEN 'reads_prefetch_returned'
            WHEN regexp_matches(path, 'PREFETCH.*>DATANOTRETURNED') THEN 'reads_prefetch_not_returned'
            WHEN regexp_matches(path, '^CHANGEDPA?GE?SSYNC') THEN 'writes_changed_sync'
            WHEN regexp_matches(path, '^CHANGEDPA?GE?SASYNC') THEN 'writes_changed_async'
            WHEN regexp_matches(path, '^CLEANPA?GE?SSYNC') THEN 'writes_clean_sync'
            WHEN regexp_matches(path, '^CLEANPA?GE?SASYNC') THEN 'writes_clean_async'
            WHEN regexp_matches(path, '^PAGESCASTOUT[^>]*$') THEN 'castout_pages'
            WHEN regexp_matches(path, '^(OTHERREQUESTS|REGPAGELIST|UNREGISTERPAGE|REGISTERPAGE|UNLOCKCASTOUT|DELETENAME)')
                OR regexp_matches(path, '^(READCASTOUTCLASS|READDIRECTORYINFO|READSTORAGESTAT)')
            THEN 'other_requests'
            WHEN regexp_matches(path, '^CASTOUTENGINENOTAV') THEN 'castout_engine_not_available'
            WHEN regexp_matches(path, '^WRITEENGINENOTAV') THEN 'write_engine_not_available'
            WHEN regexp_matches(path, '^READS?FAILED.*STORAGE') THEN 'reads_failed_no_storage'
            WHEN regexp_matches(path, '^WRITES?(ENGINE)?FAILED.*STORAGE') THEN 'writes_failed_no_storage'
            ELSE ''
        END AS measure
    FROM labels
),
summed AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object AS gbp,
        max(interval_elapsed_s) AS interval_elapsed_s,
        CASE
            WHEN bool_and(measure <> 'reads_xi_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_xi_returned')
        END AS reads_xi_returned,
        CASE
            WHEN bool_and(measure <> 'reads_xi_not_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_xi_not_returned')
        END AS reads_xi_not_returned,
        CASE
            WHEN bool_and(measure <> 'reads_nf_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_nf_returned')
        END AS reads_nf_returned,
        CASE
            WHEN bool_and(measure <> 'reads_nf_not_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_nf_not_returned')
        END AS reads_nf_not_returned,
        CASE
            WHEN bool_and(measure <> 'reads_prefetch_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_prefetch_returned')
        END AS reads_prefetch_returned,
        CASE
            WHEN bool_and(measure <> 'reads_prefetch_not_returned' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_prefetch_not_returned')
        END AS reads_prefetch_not_returned,
        CASE
            WHEN bool_and(measure <> 'writes_changed_sync' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'writes_changed_sync')
        END AS writes_changed_sync,
        CASE
            WHEN bool_and(measure <> 'writes_changed_async' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'writes_changed_async')
        END AS writes_changed_async,
        CASE
            WHEN bool_and(measure <> 'writes_clean_sync' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'writes_clean_sync')
        END AS writes_clean_sync,
        CASE
            WHEN bool_and(measure <> 'writes_clean_async' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'writes_clean_async')
        END AS writes_clean_async,
        CASE
            WHEN bool_and(measure <> 'castout_pages' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'castout_pages')
        END AS castout_pages,
        CASE
            WHEN bool_and(measure <> 'other_requests' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'other_requests')
        END AS other_requests,
        CASE
            WHEN bool_and(measure <> 'castout_engine_not_available' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'castout_engine_not_available')
        END AS castout_engine_not_available,
        CASE
            WHEN bool_and(measure <> 'write_engine_not_available' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'write_engine_not_available')
        END AS write_engine_not_available,
        CASE
            WHEN bool_and(measure <> 'reads_failed_no_storage' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'reads_failed_no_storage')
        END AS reads_failed_no_storage,
        CASE
            WHEN bool_and(measure <> 'writes_failed_no_storage' OR value IS NOT NULL)
            THEN sum(value) FILTER (measure = 'writes_failed_no_storage')
        END AS writes_failed_no_storage,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line)) AS refs
    FROM measured
    GROUP BY location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, object
),
totals AS (
    SELECT
        *,
        reads_xi_returned + reads_xi_not_returned + reads_nf_returned + reads_nf_not_returned AS reads_total,
        writes_changed_sync + writes_changed_async + writes_clean_sync + writes_clean_async AS writes_total
    FROM summed
),
final AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, interval_elapsed_s, gbp,
        reads_xi_returned, reads_xi_not_returned, reads_nf_returned, reads_nf_not_returned, reads_total,
        100 * (reads_xi_returned + reads_nf_returned) / nullif(reads_total, 0) AS read_hit_pct,
        100 * (reads_xi_returned + reads_xi_not_returned) / nullif(reads_total, 0) AS xi_read_pct,
        reads_prefetch_returned, reads_prefetch_not_returned,
        writes_changed_sync, writes_changed_async, writes_clean_sync, writes_clean_async, writes_total,
        castout_pages, other_requests,
        reads_total + writes_total + castout_pages + other_requests AS accesses_total,
        (reads_total + writes_total + castout_pages + other_requests) / nullif(interval_elapsed_s, 0) AS accesses_per_s,
        castout_engine_not_available, write_engine_not_available, reads_failed_no_storage, writes_failed_no_storage,
        is_conflicting, refs
    FROM totals
)
SELECT * FROM final
