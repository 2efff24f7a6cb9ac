-- Grain: one row per Db2 member (or group), interval and keys of the ORDER (of a trace: per thread), of one report_kind.
-- Times, CLASS 3 SUSPENSIONS and HIGHLIGHTS of long reports, the lines of short ones. Totals are left out.
-- Take one scope, one report_kind and one ORDER (order_keys) before adding: each ORDER prints the same work again.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- A report prints means of an occurrence (a thread, or a part of one that ends at a commit); a trace prints one thread.
-- Formulas: cpu = cp + ziip (CP CPU TIME + SE CPU TIME, which Db2 prints at the speed of a general processor); short reports print the sum
-- alone. Per commit: mean × occurrences / commits. class3 = TOTAL CLASS 3, otherwise SUSPEND TIME of class 2.
-- class2_not_accounted = class 2 elapsed - cpu - class 3: waits for a processor, and time that no class counts. data_sharing_wait: GLOBAL
-- CONTENTION, otherwise L-LOCKS and P-LOCKS, plus NOTIFY MSGS and ASYNCH CF REQUESTS: waits that data sharing adds. Synchronous requests
-- to a coupling facility are CPU, not waits.
-- commits are NULL where half of the last printed digit is more than 1% of them (1.3K).
-- Source: OMEGAMON for Db2 PE Report Reference, Accounting, "Times", "Class 3 Suspensions", "Highlights".
-- Worked: 0.009655 s on general processors and 0.00309 s on zIIPs per occurrence, 1,250 occurrences in 1,248 commits: 12.765 ms per commit.
-- Shards: by begin_at.
-- Columns:
--   order_keys: the keys that the entry has, such as conntype,plan
--   thread_type: of HIGHLIGHTS: DBAT, ALLIED, …
--   occurrences, commits, rollbacks: in the figures
--   class1_elapsed_s, class1_cp_s, class1_ziip_s, class1_cpu_s [s]: of an occurrence, application and Db2
--   class2_elapsed_s, class2_cp_s, class2_ziip_s, class2_cpu_s, class3_s, class2_not_accounted_s [s]: of an occurrence, in Db2
--   data_sharing_wait_s [s]: of an occurrence
--   class1_cpu_ms_per_commit, class1_cp_ms_per_commit, class1_ziip_ms_per_commit [ms]: see above; NULL without commits
--   class2_cpu_ms_per_commit, class2_elapsed_ms_per_commit, class3_ms_per_commit, data_sharing_wait_ms_per_commit [ms]: likewise
--   null_reason: why nothing is told per commit: occurrences not printed, commits not printed to 1%, no commits
WITH counters AS (
    SELECT
        *,
        block IN ('AVERAGE', 'TIMES/EVENTS') AND occurrence = 1 AS is_time,
        block = 'GENERAL' AND object IS NULL AS is_short,
        coalesce(average_time_s, elapsed_time_s) AS wait_s
    FROM stg_db2_accounting_counter
    WHERE block IN ('AVERAGE', 'TIMES/EVENTS', 'CLASS 3 SUSPENSIONS', 'HIGHLIGHTS') OR block = 'GENERAL' AND object IS NULL
        OR block LIKE 'GLOBAL CONTENTION%'
),
found AS (
    SELECT
        entry,
        CASE WHEN entry.report_kind = 'trace' THEN 1 END AS one_thread,
        max(value) FILTER (label = '#OCCURRENCES' AND block = 'HIGHLIGHTS') AS occurrences_long,
        max(total) FILTER (is_short AND label IN ('#OCCURS', '#OCCURRENCES')) AS occurrences_short,
        max(value) FILTER (
            block = 'HIGHLIGHTS' AND label IN ('#COMMITS', 'COMMITS') AND value_resolution / 2 <= greatest(0.01 * value, 0.5)
        ) AS commits_long,
        max(total) FILTER (is_short AND label IN ('#COMMIT', '#COMMITS') AND total_resolution / 2 <= greatest(0.01 * total, 0.5))
            AS commits_short,
        max(value) FILTER (block = 'HIGHLIGHTS' AND label IN ('#ROLLBACKS', 'ROLLBACKS')) AS rollbacks_long,
        max(total) FILTER (is_short AND label IN ('#ROLLBK', '#ROLLBACKS')) AS rollbacks_short,
        max(value_text) FILTER (block = 'HIGHLIGHTS' AND label = 'THREADTYPE') AS thread_type,
        max(appl_class_1) FILTER (is_time AND label = 'ELAPSEDTIME') AS elapsed_1,
        max(db2_class_2) FILTER (is_time AND label = 'ELAPSEDTIME') AS elapsed_2,
        max(appl_class_1) FILTER (is_time AND regexp_matches(label, '^(CP)?CPUTIME$')) AS class1_cp_s,
        max(db2_class_2) FILTER (is_time AND regexp_matches(label, '^(CP)?CPUTIME$')) AS class2_cp_s,
        max(appl_class_1) FILTER (is_time AND label = 'SECPUTIME') AS class1_ziip_s,
        max(db2_class_2) FILTER (is_time AND label = 'SECPUTIME') AS class2_ziip_s,
        max(average) FILTER (is_short AND label = 'CLASS1ELTIME') AS short_elapsed_1,
        max(average) FILTER (is_short AND label = 'CLASS2ELTIME') AS short_elapsed_2,
        max(average) FILTER (is_short AND label = 'CLASS1CPUTIME') AS short_cpu_1,
        max(average) FILTER (is_short AND label = 'CLASS2CPUTIME') AS short_cpu_2,
        max(wait_s) FILTER (block = 'CLASS 3 SUSPENSIONS' AND label = 'TOTALCLASS3') AS total_class_3,
        max(db2_class_2) FILTER (is_time AND label = 'SUSPENDTIME') AS suspend_2,
        max(wait_s) FILTER (block = 'CLASS 3 SUSPENSIONS' AND label = 'GLOBALCONTENTION') AS contention_s,
        -- The first line of each block, where it is printed, is the total of its kind.
        sum(wait_s) FILTER (block LIKE 'GLOBAL CONTENTION%' AND regexp_matches(label, '^[LP]LOCKS$')) AS of_locks_s,
        count(*) FILTER (block LIKE 'GLOBAL CONTENTION%' AND regexp_matches(label, '^[LP]LOCKS$') AND wait_s IS NOT NULL) AS kinds_of_locks,
        sum_or_zero(
            wait_s, block = 'CLASS 3 SUSPENSIONS' AND regexp_matches(label, '^(NOTIFYMSGS?|NOTIFYMESSAGES|ASYNCHCFREQUESTS)$')
        ) AS messages_s,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM counters
    GROUP BY entry
),
named AS (
    SELECT
        *,
        coalesce(occurrences_long, occurrences_short, one_thread) AS occurrences,
        coalesce(commits_long, commits_short) AS commits,
        coalesce(rollbacks_long, rollbacks_short) AS rollbacks,
        coalesce(elapsed_1, short_elapsed_1) AS class1_elapsed_s,
        coalesce(elapsed_2, short_elapsed_2) AS class2_elapsed_s,
        coalesce(class1_cp_s + class1_ziip_s, short_cpu_1) AS class1_cpu_s,
        coalesce(class2_cp_s + class2_ziip_s, short_cpu_2) AS class2_cpu_s,
        coalesce(total_class_3, suspend_2) AS class3_s,
        coalesce(contention_s, CASE WHEN kinds_of_locks = 2 THEN of_locks_s END) + messages_s AS data_sharing_wait_s
    FROM found
),
scaled AS (
    SELECT *, 1000 * occurrences / nullif(commits, 0) AS ms_per_commit FROM named
)
SELECT
    entry.*,
    concat_ws(
        ',',
        CASE WHEN entry.primauth IS NOT NULL THEN 'primauth' END, CASE WHEN entry.origauth IS NOT NULL THEN 'origauth' END,
        CASE WHEN entry.plan IS NOT NULL THEN 'plan' END, CASE WHEN entry.connection IS NOT NULL THEN 'connection' END,
        CASE WHEN entry.conntype IS NOT NULL THEN 'conntype' END, CASE WHEN entry.corrname IS NOT NULL THEN 'corrname' END,
        CASE WHEN entry.corrnmbr IS NOT NULL THEN 'corrnmbr' END, CASE WHEN entry.mainpack IS NOT NULL THEN 'mainpack' END,
        CASE WHEN entry.end_user IS NOT NULL THEN 'end_user' END, CASE WHEN entry.workstation IS NOT NULL THEN 'workstation' END,
        CASE WHEN entry.transaction IS NOT NULL THEN 'transaction' END, CASE WHEN entry.activity IS NOT NULL THEN 'activity' END,
        CASE WHEN entry.requesting_location IS NOT NULL THEN 'requesting_location' END
    ) AS order_keys,
    thread_type, occurrences, commits, rollbacks,
    class1_elapsed_s, class1_cp_s, class1_ziip_s, class1_cpu_s,
    class2_elapsed_s, class2_cp_s, class2_ziip_s, class2_cpu_s, class3_s,
    class2_elapsed_s - class2_cpu_s - class3_s AS class2_not_accounted_s,
    data_sharing_wait_s,
    class1_cpu_s * ms_per_commit AS class1_cpu_ms_per_commit,
    class1_cp_s * ms_per_commit AS class1_cp_ms_per_commit,
    class1_ziip_s * ms_per_commit AS class1_ziip_ms_per_commit,
    class2_cpu_s * ms_per_commit AS class2_cpu_ms_per_commit,
    class2_elapsed_s * ms_per_commit AS class2_elapsed_ms_per_commit,
    class3_s * ms_per_commit AS class3_ms_per_commit,
    data_sharing_wait_s * ms_per_commit AS data_sharing_wait_ms_per_commit,
    CASE
        WHEN occurrences IS NULL THEN 'occurrences not printed'
        WHEN commits IS NULL THEN 'commits not printed to 1%'
        WHEN commits = 0 THEN 'no commits'
    END AS null_reason,
    is_conflicting, refs
FROM scaled
