-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block SUBSYSTEM SERVICES, and the HIGHLIGHTS of its pages. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: commits = commits_phase_2 + commits_read_only + commits_single_phase, what /COMMIT of the pages divides by; where one
-- of these is unknown, TOTAL COMMITS of HIGHLIGHTS, which may be in K; commits_source says which. rollback_pct =
-- rollbacks / (commits + rollbacks).
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "Subsystem Services" and "Highlights".
-- Worked: 0 + 24 + 263 = 287 commits; 265 threads created are 0.92 per commit and 1 rollback is 0.35%, as published.
-- Shards: by begin_at.
-- Columns:
--   threads_highlights, commits_highlights: TOTAL THREADS and TOTAL COMMITS, as printed
--   identifies, threads_created, signons, threads_terminated, threads_queued: connections and threads; threads that waited at creation
--   commits_phase_1, commits_phase_2, commits_read_only, commits_single_phase, rollbacks: of units of work
--   units_of_recovery_indoubt, checkpoints: as printed
--   commits_source: subsystem_services or highlights
--   commits_per_s, threads_created_per_s [1/s]: by interval_elapsed_s
--   threads_created_per_commit, signons_per_commit: by commits; NULL without commits
--   refs: the printed rows behind the row; without a block SUBSYSTEM SERVICES the first counter of the pages
WITH found AS (
    SELECT
        db2_interval_key(s) AS of_interval,
        max(interval_elapsed_s) AS interval_elapsed_s,
        known_value(total_threads) AS threads_highlights,
        known_value(total_commits) AS commits_highlights,
        max(quantity) FILTER (is_service AND label = 'IDENTIFY') AS identifies,
        max(quantity) FILTER (is_service AND label = 'CREATETHREAD') AS threads_created,
        max(quantity) FILTER (is_service AND label = 'SIGNON') AS signons,
        max(quantity) FILTER (is_service AND label = 'TERMINATE') AS threads_terminated,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^(QUEUED|QD)(AT)?CREATETHREAD')) AS threads_queued,
        max(quantity) FILTER (is_service AND label = 'COMMITPHASE1') AS commits_phase_1,
        max(quantity) FILTER (is_service AND label = 'COMMITPHASE2') AS commits_phase_2,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^READONLYCOMMITS?$')) AS commits_read_only,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^SYNCHSSINGLEPHASE')) AS commits_single_phase,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^ROLLBACKS?$')) AS rollbacks,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^UNITS?(OF)?REC(OVERY)?INDOUBT$')) AS units_of_recovery_indoubt,
        max(quantity) FILTER (is_service AND regexp_matches(label, '^SYSTEMEVENTCH(EC)?KP(OIN)?T')) AS checkpoints,
        coalesce(bool_or(is_conflicting) FILTER (is_service), FALSE)
            OR coalesce(min(total_commits) <> max(total_commits), FALSE)
            OR coalesce(min(total_threads) <> max(total_threads), FALSE) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs) FILTER (is_service)) AS of_services,
        arg_min(refs, struct_pack(page := page, line := line, refs := refs)) AS of_page
    FROM (SELECT *, block = 'SUBSYSTEM SERVICES' AND occurrence = 1 AS is_service FROM stg_db2_statistics_counter) AS s
    GROUP BY of_interval
),
committed AS (
    SELECT *, commits_phase_2 + commits_read_only + commits_single_phase AS counted FROM found
),
told AS (
    SELECT
        *,
        coalesce(counted, commits_highlights) AS commits,
        CASE WHEN counted IS NOT NULL THEN 'subsystem_services' WHEN commits_highlights IS NOT NULL THEN 'highlights' END
            AS commits_source
    FROM committed
)
SELECT
    of_interval.*, interval_elapsed_s, threads_highlights, commits_highlights,
    identifies, threads_created, signons, threads_terminated, threads_queued,
    commits_phase_1, commits_phase_2, commits_read_only, commits_single_phase, rollbacks,
    units_of_recovery_indoubt, checkpoints, commits, commits_source,
    commits / nullif(interval_elapsed_s, 0) AS commits_per_s,
    threads_created / nullif(interval_elapsed_s, 0) AS threads_created_per_s,
    threads_created / nullif(commits, 0) AS threads_created_per_commit,
    signons / nullif(commits, 0) AS signons_per_commit,
    100 * rollbacks / nullif(commits + rollbacks, 0) AS rollback_pct,
    is_conflicting,
    coalesce(of_services, of_page) AS refs
FROM told
