-- Grain: one row per Db2 member (or group), interval, ORDER, connection type and connection, of one report_kind.
-- The entries of one ORDER are added; those of another ORDER are the same work again (order_keys).
-- Take one scope, one report_kind and one ORDER before adding.
-- Formulas: times are sums of mean × occurrences over the entries; per commit by the sum of their commits. NULL if one is unknown.
-- Source: OMEGAMON for Db2 PE Report Reference, Accounting; ORDER with CONNTYPE or CONNECT.
-- Worked: 100 occurrences of 4 ms and 300 of 2 ms in 500 commits are 1,000 ms, 2 ms per commit.
-- Shards: by begin_at.
-- Columns:
--   conntype: CICS, DRDA, …; NULL if the ORDER does not have it
--   connection: the CICS region, SERVER, …; likewise
--   entries: how many are added
--   class1_cpu_s, class1_cp_s, class1_ziip_s, class2_cpu_s, class2_elapsed_s, class3_s, data_sharing_wait_s [s]: of all occurrences
--   class1_cpu_ms_per_commit, class1_cp_ms_per_commit, class1_ziip_ms_per_commit [ms]: application and Db2; NULL without commits
--   class2_cpu_ms_per_commit, class2_elapsed_ms_per_commit, class3_ms_per_commit, data_sharing_wait_ms_per_commit [ms]: in Db2; likewise
--   ziip_share_pct [%]: class1_ziip_s / class1_cpu_s
WITH summed AS (
    SELECT
        db2_interval_key(c) AS of_interval, order_keys, conntype, connection,
        count(*) AS entries,
        sum_all(occurrences) AS occurrences,
        sum_all(commits) AS commits,
        sum_all(COLUMNS([
            'class1_cpu_s', 'class1_cp_s', 'class1_ziip_s', 'class2_cpu_s', 'class2_elapsed_s', 'class3_s', 'data_sharing_wait_s'
        ]) * occurrences),
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY refs)) AS refs
    FROM db2_accounting_cost AS c
    GROUP BY of_interval, order_keys, conntype, connection
)
SELECT
    of_interval.*, order_keys, conntype, connection, entries, occurrences, commits,
    class1_cpu_s, class1_cp_s, class1_ziip_s, class2_cpu_s, class2_elapsed_s, class3_s, data_sharing_wait_s,
    1000 * class1_cpu_s / nullif(commits, 0) AS class1_cpu_ms_per_commit,
    1000 * class1_cp_s / nullif(commits, 0) AS class1_cp_ms_per_commit,
    1000 * class1_ziip_s / nullif(commits, 0) AS class1_ziip_ms_per_commit,
    1000 * class2_cpu_s / nullif(commits, 0) AS class2_cpu_ms_per_commit,
    1000 * class2_elapsed_s / nullif(commits, 0) AS class2_elapsed_ms_per_commit,
    1000 * class3_s / nullif(commits, 0) AS class3_ms_per_commit,
    1000 * data_sharing_wait_s / nullif(commits, 0) AS data_sharing_wait_ms_per_commit,
    100 * class1_ziip_s / nullif(class1_cpu_s, 0) AS ziip_share_pct,
    is_conflicting, refs
FROM summed
