-- Grain: one row per key of db2_statistics_counter, however often it was printed; totals (is_total) are left out.
-- Rule: of counters with equal keys the first in order of source_id and line is kept.
-- Shards: by begin_at.
-- Columns:
--   label: the counter in capitals without blanks, points and hyphens, where releases differ
--   path: label_path, otherwise counter, in the same way; > separates its steps
--   gbp_measure, pool_measure: what it counts of a group buffer pool, and of a buffer pool; '' for none of what these views have
WITH
-- Labels are few.
spelled AS MATERIALIZED (
    SELECT
        counter, label_path,
        regexp_replace(upper(counter), '[^A-Z0-9]', '', 'g') AS label,
        regexp_replace(upper(coalesce(label_path, counter)), '[^A-Z0-9>]', '', 'g') AS path
    FROM (SELECT DISTINCT counter, label_path FROM db2_statistics_counter)
),
meant AS MATERIALIZED (
    SELECT
        *,
        CASE
            WHEN regexp_matches(path, '^SYNREADS?XIDATARETURN|CROSSINVALIDATION.*>DATARETURNED') THEN 'reads_xi_returned'
            WHEN regexp_matches(path, '^SYNREADS?XINODATARETURN|CROSSINVALIDATION.*>DATANOTRETURNED') THEN 'reads_xi_not_returned'
            WHEN regexp_matches(path, '^SYNREADS?NFDATARETURN|NOTFOUND.*>DATARETURNED') THEN 'reads_nf_returned'
            WHEN regexp_matches(path, '^SYNREADS?NFNODATARETURN|NOTFOUND.*>DATANOTRETURNED') THEN 'reads_nf_not_returned'
            WHEN regexp_matches(path, '^NUMBEROFPAGESRETRFROMGBP|PREFETCH.*>DATARETURNED') THEN 'reads_prefetch_returned'
            WHEN regexp_matches(path, 'PREFETCH.*>DATANOTRETURNED') THEN 'reads_prefetch_not_returned'
            WHEN regexp_matches(path, '^CHANGEDPA?GE?SSYNC') THEN 'writes_changed_sync'
            WHEN regexp_matches(path, '^CHANGEDPA?GE?SASYNC') THEN 'writes_changed_async'
            WHEN regexp_matches(path, '^CLEANPA?GE?SSYNC') THEN 'writes_clean_sync'
            WHEN regexp_matches(path, '^CLEANPA?GE?SASYNC') THEN 'writes_clean_async'
            WHEN regexp_matches(path, '^PAGESCASTOUT[^>]*$') THEN 'castout_pages'
            WHEN regexp_matches(path, '^WRITE(AND)?REG(ISTER)?MULT') THEN 'write_multiple_requests'
            WHEN regexp_matches(path, '^WRITE(AND)?REGISTER$') THEN 'write_single_requests'
            WHEN regexp_matches(path, '^PAGESWRITE(AND)?REG(ISTER)?MULT') THEN 'write_multiple_pages'
            WHEN regexp_matches(path, '^READFORCASTOUTMULT') THEN 'castout_multiple_requests'
            WHEN regexp_matches(path, '^READFORCASTOUT$') THEN 'castout_single_requests'
            WHEN regexp_matches(path, '^WRITES?TOSEC(ONDARY)?GBPFAILED') THEN 'secondary_writes_failed'
            -- Requests to the secondary count nowhere.
            WHEN contains(path, 'SECGBP') THEN ''
            WHEN regexp_matches(path, '^(OTHERREQUESTS|REGPAGELIST|UNREGISTERPAGE|REGISTERPAGE|UNLOCKCASTOUT|DELETENAME)')
                OR regexp_matches(path, '^(READCASTOUTCLASS|READDIRECTORYINFO|READSTORAGESTAT)')
            THEN 'other_requests'
            WHEN regexp_matches(path, '^CASTOUTENGINENOTAV') THEN 'castout_engine_not_available'
            WHEN regexp_matches(path, '^WRITEENGINENOTAV') THEN 'write_engine_not_available'
            WHEN regexp_matches(path, '^READS?FAILED.*STORAGE') THEN 'reads_failed_no_storage'
            WHEN regexp_matches(path, '^WRITES?(ENGINE)?FAILED.*STORAGE') THEN 'writes_failed_no_storage'
            ELSE ''
        END AS gbp_measure,
        CASE
            WHEN regexp_matches(path, '^GETPAGES?(REQUESTS?)?$') THEN 'getpages'
            WHEN regexp_matches(path, '^SYNCHRONOUSREADS?[^>]*$') THEN 'sync_io'
            WHEN regexp_matches(path, '(^|>)PAGESREADVIASEQ[A-Z]*PRE?FE?TCH') THEN 'sequential_pages'
            WHEN regexp_matches(path, '(^|>)PAGESREADVIALIST[A-Z]*PRE?FE?TCH') THEN 'list_pages'
            WHEN regexp_matches(path, '(^|>)PAGESREADVIADYN[A-Z]*PRE?FE?TCH') THEN 'dynamic_pages'
            WHEN regexp_matches(path, '(^|>)SEQ[A-Z]*PREFETCHREADS') THEN 'sequential_reads'
            WHEN regexp_matches(path, '(^|>)LISTPREFETCHREADS') THEN 'list_reads'
            WHEN regexp_matches(path, '(^|>)DYN[A-Z]*PREFETCHREADS') THEN 'dynamic_reads'
            ELSE ''
        END AS pool_measure
    FROM spelled
)
SELECT
    once.location, once.db2_group, once.member, once.subsystem, once.report_kind, once.scope, once.begin_at, once.end_at,
    once.interval_elapsed_s, once.block, once.object, once.counter, once.label_path, once.occurrence,
    meant.label, meant.path, meant.gbp_measure, meant.pool_measure,
    once.quantity, once.per_second, once.per_commit, once.sent, once.received, once.value_text,
    once.tcb_time_s, once.preemptable_srb_time_s, once.nonpreemptable_srb_time_s, once.cp_cpu_time_s,
    once.preemptable_iip_srb_time_s, once.total_threads, once.total_commits, once.null_reason, once.page, once.line, once.is_conflicting, once.refs
FROM once_db2_statistics_counter AS once
JOIN meant
    ON meant.counter IS NOT DISTINCT FROM once.counter AND meant.label_path IS NOT DISTINCT FROM once.label_path
