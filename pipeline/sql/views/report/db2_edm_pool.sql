-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block EDM POOL. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: statement_pool_used_pct = (statement_pool_pages - statement_pool_free) / statement_pool_pages. dbd_hit_pct =
-- 1 - dbd_not_found / dbd_requests, and so of cursor tables and package tables.
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "EDM Pool Activity".
-- Worked: as published, 1 of 17 package tables not found is 94.12%; 1,246.46 of 1,250 pages free are 0.28% used.
-- Shards: by begin_at.
-- Columns:
--   dbd_pages_held, dbd_pool_full: pages of database descriptors; requests that failed because their pool was full
--   statement_pool_pages, statement_pool_held, statement_pool_free: pages of the pool for dynamic statements
--   statement_pool_full: requests that failed because it was full
--   skeleton_cursor_pages, skeleton_package_pages, skeleton_pool_full: pages of skeletons of plans and packages; failures
--   dbd_requests, dbd_not_found, cursor_table_requests, cursor_table_not_found: loads of database descriptors and plans
--   package_table_requests, package_table_not_found: loads of packages
--   statements_cached: STATEMENTS IN GLOBAL CACHE
--   statement_pool_used_pct, dbd_hit_pct, cursor_table_hit_pct, package_table_hit_pct [%]: see above; NULL without requests
--   package_table_requests_per_commit: NULL without commits
WITH found AS (
    SELECT
        db2_interval_key(s) AS of_interval,
        max(interval_elapsed_s) AS interval_elapsed_s,
        max(quantity) FILTER (label = 'HELDBYDBD') AS dbd_pages_held,
        max(quantity) FILTER (regexp_matches(label, '^FAILSDUETODBDPOOLFULL')) AS dbd_pool_full,
        max(quantity) FILTER (regexp_matches(label, '^PAGESINSTMTPOOL')) AS statement_pool_pages,
        max(quantity) FILTER (label = 'HELDBYSTATEMENTS') AS statement_pool_held,
        max(quantity) FILTER (regexp_matches(path, '^PAGESINSTMTPOOL[^>]*>FREEPAGES')) AS statement_pool_free,
        max(quantity) FILTER (regexp_matches(label, '^FAILSDUETOSTMTPOOLFULL')) AS statement_pool_full,
        max(quantity) FILTER (label = 'HELDBYSKCT') AS skeleton_cursor_pages,
        max(quantity) FILTER (label = 'HELDBYSKPT') AS skeleton_package_pages,
        max(quantity) FILTER (regexp_matches(label, '^FAILSDUETOSKELPOOLFULL')) AS skeleton_pool_full,
        max(quantity) FILTER (label = 'DBDREQUESTS') AS dbd_requests,
        max(quantity) FILTER (label = 'DBDNOTFOUND') AS dbd_not_found,
        max(quantity) FILTER (label = 'CTREQUESTS') AS cursor_table_requests,
        max(quantity) FILTER (label = 'CTNOTFOUND') AS cursor_table_not_found,
        max(quantity) FILTER (label = 'PTREQUESTS') AS package_table_requests,
        max(quantity) FILTER (label = 'PTNOTFOUND') AS package_table_not_found,
        max(quantity) FILTER (label = 'STATEMENTSINGLOBALCACHE') AS statements_cached,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter AS s
    WHERE block = 'EDM POOL' AND occurrence = 1
    GROUP BY of_interval
)
SELECT
    of_interval.*, found.interval_elapsed_s, dbd_pages_held, dbd_pool_full,
    statement_pool_pages, statement_pool_held, statement_pool_free, statement_pool_full,
    skeleton_cursor_pages, skeleton_package_pages, skeleton_pool_full,
    dbd_requests, dbd_not_found, cursor_table_requests, cursor_table_not_found,
    package_table_requests, package_table_not_found, statements_cached,
    100 * (statement_pool_pages - statement_pool_free) / nullif(statement_pool_pages, 0) AS statement_pool_used_pct,
    100 * (1 - dbd_not_found / nullif(dbd_requests, 0)) AS dbd_hit_pct,
    100 * (1 - cursor_table_not_found / nullif(cursor_table_requests, 0)) AS cursor_table_hit_pct,
    100 * (1 - package_table_not_found / nullif(package_table_requests, 0)) AS package_table_hit_pct,
    package_table_requests / nullif(t.commits, 0) AS package_table_requests_per_commit,
    found.is_conflicting, found.refs
FROM found
JOIN db2_thread_activity AS t ON db2_interval_key(t) = found.of_interval
