-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block DYNAMIC SQL STMT. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: short_prepare_pct = prepares_short / (prepares_full + prepares_short): a short prepare found the statement in the cache or
-- (short_of_catalog) in the catalog; a full prepare costs many times as much. local_hit_pct =
-- prepares_avoided / (prepares_avoided + prepares_implicit).
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "Dynamic SQL Statement".
-- Worked: as published, 154,592 short and 42,681 full prepares are 78.36% short.
-- Shards: by begin_at.
-- Columns:
--   prepare_requests, prepares_full, prepares_short: of dynamic statements
--   short_of_cache, short_of_catalog: short prepares by where the statement was
--   prepares_implicit, prepares_avoided: by KEEPDYNAMIC: prepared again without being asked, and not at all
--   cache_limit_exceeded, statements_purged: statements dropped because MAXKEEPD was reached, or because of DDL and the like
--   cache_hit_printed_pct, local_hit_printed_pct [%]: as printed (CACHE or GLOBAL CACHE HIT RATIO, LOCAL CACHE HIT RATIO)
--   short_prepare_pct, local_hit_pct [%]: see above; NULL without prepares
--   full_prepares_per_s [1/s]: by interval_elapsed_s
--   prepares_per_commit, full_prepares_per_commit: NULL without commits
WITH found AS (
    SELECT
        db2_interval_key(s) AS of_interval,
        max(interval_elapsed_s) AS interval_elapsed_s,
        max(quantity) FILTER (label = 'PREPAREREQUESTS') AS prepare_requests,
        max(quantity) FILTER (label = 'FULLPREPARES') AS prepares_full,
        max(quantity) FILTER (label = 'SHORTPREPARES') AS prepares_short,
        max(quantity) FILTER (label = 'BASEDONCACHE') AS short_of_cache,
        max(quantity) FILTER (label = 'BASEDONCATALOG') AS short_of_catalog,
        max(quantity) FILTER (label = 'IMPLICITPREPARES') AS prepares_implicit,
        max(quantity) FILTER (label = 'PREPARESAVOIDED') AS prepares_avoided,
        max(quantity) FILTER (label = 'CACHELIMITEXCEEDED') AS cache_limit_exceeded,
        max(quantity) FILTER (label = 'PREPSTMTPURGED') AS statements_purged,
        max(quantity) FILTER (regexp_matches(label, '^(GLOBAL)?CACHEHITRATIO')) AS cache_hit_printed_pct,
        max(quantity) FILTER (regexp_matches(label, '^LOCALCACHEHITRATIO')) AS local_hit_printed_pct,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter AS s
    WHERE block = 'DYNAMIC SQL STMT' AND occurrence = 1
    GROUP BY of_interval
)
SELECT
    of_interval.*, found.interval_elapsed_s, prepare_requests, prepares_full, prepares_short,
    short_of_cache, short_of_catalog, prepares_implicit, prepares_avoided, cache_limit_exceeded, statements_purged,
    cache_hit_printed_pct, local_hit_printed_pct,
    100 * prepares_short / nullif(prepares_full + prepares_short, 0) AS short_prepare_pct,
    100 * prepares_avoided / nullif(prepares_avoided + prepares_implicit, 0) AS local_hit_pct,
    prepares_full / nullif(found.interval_elapsed_s, 0) AS full_prepares_per_s,
    (prepares_full + prepares_short) / nullif(t.commits, 0) AS prepares_per_commit,
    prepares_full / nullif(t.commits, 0) AS full_prepares_per_commit,
    found.is_conflicting, found.refs
FROM found
JOIN db2_thread_activity AS t ON db2_interval_key(t) = found.of_interval
