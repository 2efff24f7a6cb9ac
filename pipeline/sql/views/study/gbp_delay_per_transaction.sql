-- Grain: one row per study, configuration, run, Db2 group and group buffer pool or lock structure, and one for all of the group (is_total).
-- Formula: delay = accesses per transaction x service time. Accesses are the requests of the run's systems to the structures
-- GROUP_GBPn and GROUP_LOCK1 (of a duplexed pair the primary copy), transactions the run's requests, both by time. Synchronous and
-- asynchronous requests are taken with the service time of their kind; service_us is the mean of both. Structures, and groups, add.
-- A lock structure whose group has no group buffer pool in the run need not be Db2's, and is left out. Waits for locks that
-- another member holds are not included: they are time in the lock manager, not in the coupling facility.
-- An asynchronous request does not always make a transaction wait (castout does not): delay_sync_per_transaction_us is the part
-- that always does.
-- Rule: structure intervals whose midpoint lies in a selected interval, overlapping ones left out; duration reports are never in.
-- Rates are weighted by time, service times by requests. covered_s is the time of the structure's intervals beside selected_s.
-- NULL: if a rate is not printed, or requests have no printed service time; if the role of two copies is unknown or
-- the secondary alone is in the lake; and without transactions (null_reason).
-- Source: Friedman, Sysplex/CICSplex/Db2 data sharing, tables 11 to 14; RMF Report Analysis, Coupling Facility Activity.
-- Worked: 10 accesses/s of 200 us and 4 of 300 us for 8 transactions/s: 250 + 150 = 400 us; 80 lock requests/s of 10 us: 100 us more.
-- Columns:
--   db2_group, gbp: the group buffer pool, or LOCK1, the lock structure; NULL on totals
--   has_lock_structure: the group's lock structure is in the run; the total of a group without it is of pools alone
--   selected_s, covered_s [s]: covered time of the run, and of the structure intervals in it (the pool or system with least)
--   accesses_per_s, transactions_per_s [1/s]: rates over the covered time
--   accesses_per_transaction: the one by the other
--   service_us [us]: mean service time of an access
--   delay_sync_per_transaction_us, delay_async_per_transaction_us [us]: split by kind of request
--   delay_per_transaction_us [us]: both
WITH of_interval AS (
    SELECT
        *,
        regexp_extract(structure_name, '^(.+)_(GBP[0-9K]+|LOCK1)$', 1) AS db2_group,
        regexp_extract(structure_name, '^(.+)_(GBP[0-9K]+|LOCK1)$', 2) AS gbp
    FROM run_cf_interval
    WHERE regexp_matches(structure_name, '^(.+)_(GBP[0-9K]+|LOCK1)$')
),
of_system AS (
    SELECT
        study, configuration, run, db2_group, gbp, system,
        sum(interval_s) AS covered_s,
        mean_all(COLUMNS(['per_s', 'sync_us_per_s', 'async_us_per_s']), interval_s),
        max(null_reason) AS null_reason,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM of_interval
    GROUP BY study, configuration, run, db2_group, gbp, system
    QUALIFY bool_or(gbp LIKE 'GBP%') OVER (PARTITION BY study, configuration, run, db2_group)
),
of_pool AS (
    SELECT
        study, configuration, run, db2_group, gbp,
        grouping(gbp) = 1 AS is_total,
        string_agg(DISTINCT system, ',' ORDER BY system) AS systems,
        min(covered_s) AS covered_s,
        sum_all(COLUMNS(['per_s', 'sync_us_per_s', 'async_us_per_s'])),
        bool_or(gbp = 'LOCK1') AS is_with_lock,
        string_agg(DISTINCT null_reason, '; ' ORDER BY null_reason) AS null_reason,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY gbp, system, refs)) AS refs
    FROM of_system
    GROUP BY GROUPING SETS (
        (study, configuration, run, db2_group, gbp),
        (study, configuration, run, db2_group)
    )
)
SELECT
    pool.study, pool.configuration, pool.run, pool.db2_group, pool.gbp, pool.is_total,
    bool_or(pool.is_with_lock) OVER (PARTITION BY pool.study, pool.configuration, pool.run, pool.db2_group) AS has_lock_structure,
    pool.systems,
    of_run.covered_s AS selected_s, pool.covered_s,
    pool.per_s AS accesses_per_s,
    of_run.requests_per_s AS transactions_per_s,
    pool.per_s / nullif(of_run.requests_per_s, 0) AS accesses_per_transaction,
    (pool.sync_us_per_s + pool.async_us_per_s) / nullif(pool.per_s, 0) AS service_us,
    pool.sync_us_per_s / nullif(of_run.requests_per_s, 0) AS delay_sync_per_transaction_us,
    pool.async_us_per_s / nullif(of_run.requests_per_s, 0) AS delay_async_per_transaction_us,
    (pool.sync_us_per_s + pool.async_us_per_s) / nullif(of_run.requests_per_s, 0) AS delay_per_transaction_us,
    CASE
        WHEN pool.null_reason IS NOT NULL THEN pool.null_reason
        WHEN pool.sync_us_per_s + pool.async_us_per_s IS NULL THEN 'rate or service time not printed'
        WHEN coalesce(of_run.requests_per_s, 0) = 0 THEN 'no transactions'
    END AS null_reason,
    pool.is_conflicting,
    list_concat(pool.refs, of_run.refs) AS refs
FROM of_pool AS pool
JOIN run_requests AS of_run USING (study, configuration, run)
