-- Grain: one row per class or class period and interval with ended transactions and a response time.
-- Do not add classes and their periods.
-- Little's law: transactions in the system = rate × time in it. Where a class holds transactions, END/S × ACTUAL is AVG. Where a class holds
-- address spaces or regions, AVG counts these, and the law does not hold: then AVG is no number of transactions, and CPU per transaction rests
-- on ENDED alone. Transactions that last longer than the interval break the law too.
-- Formulas: concurrent_by_law = END/S × ACTUAL; the least and most that the printed digits allow. law_ratio = concurrent_by_law / AVG.
-- verdict: holds, if the ranges of both meet, or are 10% apart at most; no_average, if AVG is 0 to its last digit while the law gives 0.1 or
-- more: transaction classes of CICS and IMS; average_is_of_regions, if the law gives more than AVG otherwise; longer_than_interval, if ACTUAL is
-- longer than the interval; average_is_more, else: idle or long work, resident and not ended.
-- Source: Little, A Proof for the Queuing Formula L = λW, 1961; RMF Report Analysis, TRANSACTIONS.
-- Worked: 2.63/s of 0.118 s are 0.310, printed as 0.31: holds. 1476.42/s of 0.019 s are 28.05 where AVG is 1.00: of regions.
-- Shards: by interval_start.
-- Columns:
--   concurrent_least, concurrent_most: by the printed digits
--   law_ratio: see above; NULL if AVG is 0
WITH ranged AS (
    SELECT
        *,
        transactions_per_s * actual_time_s AS by_law,
        coalesce(transactions_per_s_resolution, 0.01) / 2 AS half_rate,
        -- ACTUAL is printed in ms up to z/OS V2R2, later in us; the coarser of both.
        0.0005 AS half_time
    FROM workload_printed_once
    WHERE transactions_avg IS NOT NULL AND transactions_per_s > 0 AND actual_time_s > 0
),
bounded AS (
    SELECT
        *,
        (transactions_per_s - half_rate) * at_least_zero(actual_time_s - half_time) AS least_by_law,
        (transactions_per_s + half_rate) * (actual_time_s + half_time) AS most_by_law
    FROM ranged
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, interval_s,
    class_kind, policy, workload, service_class, report_class, period,
    transactions_avg, transactions_per_s, actual_time_s,
    by_law AS concurrent_by_law, least_by_law AS concurrent_least, most_by_law AS concurrent_most,
    by_law / nullif(transactions_avg, 0) AS law_ratio,
    CASE
        WHEN least_by_law <= 1.1 * (transactions_avg + 0.005) AND most_by_law >= 0.9 * (transactions_avg - 0.005) THEN 'holds'
        WHEN actual_time_s > interval_s THEN 'longer_than_interval'
        WHEN transactions_avg < 0.005 AND by_law >= 0.1 THEN 'no_average'
        WHEN by_law > transactions_avg THEN 'average_is_of_regions'
        ELSE 'average_is_more'
    END AS verdict,
    is_conflicting, refs
FROM bounded
