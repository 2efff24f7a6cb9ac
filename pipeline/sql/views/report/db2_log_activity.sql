-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block LOG ACTIVITY. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: Db2 writes two copies of the log, and counts requests and control intervals (4 KiB) of both.
-- archive_read_pct = reads_archive / (reads_output_buffer + reads_active + reads_archive). ci_per_write = ci_written / write_requests.
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "Log Activity".
-- Worked: as published, 2004 control intervals in 554 requests are 3.62 per request.
-- Shards: by begin_at.
-- Columns:
--   reads_output_buffer, reads_active, reads_archive: log reads by where they found the record
--   waits_for_buffer: UNAVAILABLE OUTPUT LOG BUFF, a write that had to wait
--   buffer_page_ins: OUTPUT LOG BUFFER PAGED IN
--   records_created, ci_created: log records, and control intervals that they filled
--   write_requests, ci_written: to both copies
--   log_mb_per_s [MB/s]: LOG RATE FOR 1 LOG, as printed under /SECOND
--   archive_read_pct [%]: see above; NULL without reads
--   write_requests_per_s [1/s]: by interval_elapsed_s
--   records_per_commit, write_requests_per_commit: NULL without commits
WITH found AS (
    SELECT
        db2_interval_key(s) AS of_interval,
        max(interval_elapsed_s) AS interval_elapsed_s,
        -- The label of the share ends like that of the count, but for its percent sign.
        max(quantity) FILTER (regexp_matches(label, '^READSSATISFIEDOUTP') AND counter NOT LIKE '%\%%' ESCAPE '\')
            AS reads_output_buffer,
        max(quantity) FILTER (regexp_matches(label, '^READSSATISFIEDACT') AND counter NOT LIKE '%\%%' ESCAPE '\') AS reads_active,
        max(quantity) FILTER (regexp_matches(label, '^READSSATISFIEDARCH') AND counter NOT LIKE '%\%%' ESCAPE '\') AS reads_archive,
        max(quantity) FILTER (regexp_matches(label, '^UNAVAIL[A-Z]*OUTPUTLOGBUF')) AS waits_for_buffer,
        max(quantity) FILTER (regexp_matches(label, '^OUTPUTLOGBUFFERPAGEDIN')) AS buffer_page_ins,
        max(quantity) FILTER (label = 'LOGRECORDSCREATED') AS records_created,
        max(quantity) FILTER (label = 'LOGCICREATED') AS ci_created,
        max(quantity) FILTER (regexp_matches(label, '^LOGWRITEIOREQ')) AS write_requests,
        max(quantity) FILTER (regexp_matches(label, '^LOGCIWRITTEN')) AS ci_written,
        max(per_second) FILTER (regexp_matches(label, '^LOGRATEFOR1LOGMB')) AS log_mb_per_s,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter AS s
    WHERE block = 'LOG ACTIVITY' AND occurrence = 1
    GROUP BY of_interval
)
SELECT
    of_interval.*, found.interval_elapsed_s, reads_output_buffer, reads_active, reads_archive, waits_for_buffer,
    buffer_page_ins, records_created, ci_created, write_requests, ci_written, log_mb_per_s, t.commits,
    100 * reads_archive / nullif(reads_output_buffer + reads_active + reads_archive, 0) AS archive_read_pct,
    ci_written / nullif(write_requests, 0) AS ci_per_write,
    write_requests / nullif(found.interval_elapsed_s, 0) AS write_requests_per_s,
    records_created / nullif(t.commits, 0) AS records_per_commit,
    write_requests / nullif(t.commits, 0) AS write_requests_per_commit,
    found.is_conflicting, found.refs
FROM found
JOIN db2_thread_activity AS t ON db2_interval_key(t) = found.of_interval
