-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block GLOBAL DDF ACTIVITY. Rows printed twice count once.
-- Take one scope and one report_kind before adding. A DBAT is a thread for remote work.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formula: dbat_reuse_pct = dbats_reused / (dbats_created + dbats_reused).
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "Global DDF Activity"; DB2PM V5 prints other labels, as published.
-- Worked: 10 DBATs created and 790 reused are 98.75%.
-- Shards: by begin_at.
-- Columns:
--   queued_max_active: DBATs or connections that waited because MAXDBAT was reached
--   rejected_max_connected: connections rejected because CONDBAT was reached
--   closed_max_queued, closed_max_wait: connections closed because too many waited, or too long
--   dbats_current, dbats_highest: DBATs with or without work, now and at most
--   pooled_current, pooled_highest: of these, DBATs that wait in the pool
--   inactive_connections_current, inactive_connections_highest: connections without a DBAT
--   connections_highest: remote connections at most
--   queue_s, queue_highest_s [s]: AVG and MAX QUEUE TIME of connections that waited for a DBAT
--   dbats_created, dbats_reused: DBATs made anew, and taken from the pool
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at,
    max(interval_elapsed_s) AS interval_elapsed_s,
    max(quantity) FILTER (regexp_matches(label, '^DBAT(CONN)?QUEUEDMAX(IMUM)?ACTIVE')) AS queued_max_active,
    max(quantity) FILTER (regexp_matches(label, '^(CONNREJECTED|CONVDEALLOC)MAXCONNECTED'))
        AS rejected_max_connected,
    max(quantity) FILTER (label = 'CONNCLOSEDMAXQUEUED') AS closed_max_queued,
    max(quantity) FILTER (label = 'CONNCLOSEDMAXWAIT') AS closed_max_wait,
    max(quantity) FILTER (regexp_matches(label, '^CURACTIVEANDDISCONDBATS')) AS dbats_current,
    max(quantity) FILTER (regexp_matches(label, '^HWMACTIVEANDDISCONDBATS')) AS dbats_highest,
    max(quantity) FILTER (regexp_matches(label, '^CURDISCONDBATSNOTINUSE')) AS pooled_current,
    max(quantity) FILTER (regexp_matches(label, '^HWMDISCONDBATSNOTINUSE')) AS pooled_highest,
    max(quantity) FILTER (regexp_matches(label, '^CURINACTIVECONNS')) AS inactive_connections_current,
    max(quantity) FILTER (regexp_matches(label, '^HWMINACTIVECONNS')) AS inactive_connections_highest,
    max(quantity) FILTER (regexp_matches(label, '^HWMTOTA?LREMOTECONN')) AS connections_highest,
    max(quantity) FILTER (label = 'AVGQUEUETIME') AS queue_s,
    max(quantity) FILTER (label = 'MAXQUEUETIME') AS queue_highest_s,
    max(quantity) FILTER (label = 'DBATSCREATED') AS dbats_created,
    max(quantity) FILTER (regexp_matches(label, 'DBATSREUSED$')) AS dbats_reused,
    100 * dbats_reused / nullif(dbats_created + dbats_reused, 0) AS dbat_reuse_pct,
    bool_or(is_conflicting) AS is_conflicting,
    flatten(list(refs ORDER BY page, line, refs)) AS refs
FROM stg_db2_statistics_counter AS s
WHERE block = 'GLOBAL DDF ACTIVITY' AND occurrence = 1
GROUP BY ALL
