-- Grain: one row per CICS region and collection that ended a statistics interval.
-- The load of a whole region: tasks against MXT, processor time of the address space, storage. Left out: requested collections and
-- summaries, which repeat figures of other collections. Rows printed twice count once (the smallest source_id and line).
-- Formulas: per task = 1000 × seconds / transactions_total. peak_of_mxt_pct = 100 × active_peak / mxt. edsa_peak_pct = 100 × peak /
-- limit. times_short_on_storage: over all storage areas; NULL where none is printed, or one is not known.
-- Processor time is that of the address space: it includes the work that CICS does for itself, and code of Db2 that runs on its TCBs.
-- Source: CICS statistics, transaction manager, dispatcher and storage manager.
-- Worked: 30 s of TCBs and 3 s of SRBs for 11,000 tasks in 300 s are 3 ms per task, 0.11 engines.
-- Shards: by collected_at.
-- Columns:
--   transactions: tasks of users and of CICS itself
--   user_transactions: tasks of users
--   cpu_s, srb_s [s]: processor time of TCBs and of SRBs
--   engines: both / interval_s
--   cpu_ms_per_transaction [ms]: both per task
WITH printed AS (
    SELECT
        applid, collection, collected_at, interval_s, source_id, page, line, transactions_total AS transactions,
        active_total AS user_transactions, mxt, active_peak, times_at_mxt, delayed_by_mxt, mxt_queue_time_s
    FROM cics_transaction_manager
    UNION ALL BY NAME
    SELECT
        applid, collection, collected_at, interval_s, source_id, page, line, address_space_cpu_s AS cpu_s, address_space_srb_s AS srb_s
    FROM cics_dispatcher
    UNION ALL BY NAME
    SELECT applid, collection, collected_at, interval_s, source_id, page, line, 100 * edsa_peak_bytes / nullif(edsa_limit_bytes, 0) AS edsa_peak_pct
    FROM cics_storage
),
short AS (
    SELECT applid, collection, collected_at, sum_all(times) AS times_short_on_storage
    FROM (
        SELECT applid, collection, collected_at, dsa, max(value) AS times
        FROM cics_dsa_count
        WHERE upper(measure) = 'TIMES WENT SHORT ON STORAGE' AND upper(dsa) <> 'TOTALS'
        GROUP BY applid, collection, collected_at, dsa
    )
    GROUP BY applid, collection, collected_at
),
region AS (
    SELECT
        applid, collection, collected_at, min(interval_s) AS interval_s,
        first_known(COLUMNS('transactions|mxt|active|delayed|cpu_s|srb_s|edsa'), source_id, line),
        count(DISTINCT row(transactions, user_transactions, mxt, active_peak, times_at_mxt, delayed_by_mxt, mxt_queue_time_s))
            FILTER (transactions IS NOT NULL) > 1
            OR count(DISTINCT row(cpu_s, srb_s)) FILTER (cpu_s IS NOT NULL) > 1
            OR count(DISTINCT edsa_peak_pct) > 1 AS is_conflicting,
        all_refs(source_id, page, line) AS refs
    FROM printed
    WHERE collection IN ('interval', 'requested_reset', 'unsolicited', 'end_of_day')
    GROUP BY applid, collection, collected_at
)
SELECT
    region.applid, region.collection, region.collected_at, interval_s, transactions,
    transactions / nullif(interval_s, 0) AS transactions_per_s,
    user_transactions, mxt, active_peak,
    100.0 * active_peak / nullif(mxt, 0) AS peak_of_mxt_pct,
    times_at_mxt, delayed_by_mxt, mxt_queue_time_s, cpu_s, srb_s,
    (cpu_s + srb_s) / nullif(interval_s, 0) AS engines,
    1000 * (cpu_s + srb_s) / nullif(transactions, 0) AS cpu_ms_per_transaction,
    edsa_peak_pct, CAST(short.times_short_on_storage AS BIGINT) AS times_short_on_storage,
    is_conflicting, refs
FROM region
LEFT JOIN short
    ON short.applid = region.applid AND short.collection IS NOT DISTINCT FROM region.collection
    AND short.collected_at IS NOT DISTINCT FROM region.collected_at
