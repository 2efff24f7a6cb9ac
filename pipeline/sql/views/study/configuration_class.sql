-- Grain: one row per study, configuration and class, and one for all classes of a kind together (is_total): over all its runs.
-- Formula: cpu_pct and cp_pct are weighted by the time of the runs; a cost is processor time over requests, or over the class's own ended
-- transactions, of all runs; cpu_share_pct = cpu_pct of that of all classes of the kind. Response time is weighted by transactions.
-- Rows of different class_kind describe the same work. Percentages are as measured; milliseconds are normalised as the study says
-- (busy_factor), as in cost_per_request.
-- Ended transactions of regions, started tasks and servers do not count their work. A class counts its own work where at least 10 transactions
-- ended and their response times together are at least half of its processor time: no transaction keeps more than two engines busy.
-- A class without processor time does not: CICS and IMS count transactions in one class and charge their time to the class of the region.
-- time_is_in, transactions_of: within a workload, classes of transactions without time, and classes with time that do not count their
-- work, belong together: each class gets the names of the others. With several kinds of regions, the owner of the time is unknown.
-- NULL: cost per transaction where the class does not count its work; all where the class is unknown in one of the runs; a cost
-- where a run has no requests.
-- Source: the study file; RMF Report Analysis, Workload Activity.
-- Columns:
--   runs: runs that print the class
--   covered_s [s]: covered time of its runs; the longest if there are several scopes
--   other_pct [% of one engine]: the rest of cpu_pct: zAAP time, and all CPU of pages without specialty engines
--   non_ziip_pct [% of one engine]: the published CP - (IIP + IIPCP); too small wherever zIIPs run
--   counts_its_work: whether its transactions count its own work
--   cpu_ms_per_transaction, cp_ms_per_transaction [ms]: processor time, and that of general processors, per own transaction
--   time_is_in: names of classes with the time of its transactions; NULL if it has its own time
--   transactions_of: names of classes whose transactions use its time; NULL if it counts its own work
--   cp_ms_per_workload_transaction, cpu_ms_per_workload_transaction [ms]: its time per transaction of these
WITH requested AS (
    SELECT
        study, configuration, run, covered_s, requests, requests_per_s,
        sum(covered_s) OVER of_configuration AS configuration_s,
        count(*) OVER of_configuration AS configuration_runs
    FROM run_requests
    WINDOW of_configuration AS (PARTITION BY study, configuration)
),
over_runs AS (
    SELECT
        class.study, class.configuration, class.class_kind, class.class_name, class.is_total,
        max(class.classes) AS classes,
        count(*) AS runs,
        count(*) = max(requested.configuration_runs) AS is_complete,
        known_value(class.workload) AS workload, sum(requested.covered_s) AS covered_s,
        CAST(sum(COLUMNS('^intervals')) AS BIGINT),
        bool_or(class.is_conflicting) AS is_conflicting,
        sum_all(COLUMNS('_pct') * requested.covered_s) / max(requested.configuration_s),
        sum_all(CASE WHEN requested.requests > 0 THEN class.cpu_s END) AS request_cpu_s,
        sum_all(CASE WHEN requested.requests > 0 THEN class.cp_s END) AS request_cp_s,
        sum_all(class.own_cpu_s) AS transaction_cpu_s, sum_all(class.own_cp_s) AS transaction_cp_s,
        sum_all(requested.requests) AS requests,
        sum_all(requested.requests_per_s * requested.covered_s) / max(requested.configuration_s) AS requests_per_s,
        CAST(sum_all(class.transactions_ended) AS BIGINT) AS transactions_ended,
        sum_all(class.transactions_per_s * requested.covered_s) / max(requested.configuration_s) AS transactions_per_s,
        CASE WHEN count(class.response_ms) FILTER (class.transactions_ended > 0) = count(*) FILTER (class.transactions_ended > 0)
                AND count(class.transactions_ended) = count(*)
            THEN sum(class.response_ms * class.transactions_ended) FILTER (class.transactions_ended > 0) END AS response_total_ms,
        flatten(list(class.refs ORDER BY class.run, class.refs)) AS refs
    FROM run_class AS class
    JOIN requested USING (study, configuration, run)
    GROUP BY class.study, class.configuration, class.class_kind, class.class_name, class.is_total
),
known AS (
    SELECT
        *,
        coalesce(transactions_ended >= 10 AND transaction_cpu_s > 0 AND response_total_ms / 1000 >= transaction_cpu_s / 2, FALSE)
            AS counts_its_work
    FROM over_runs
),
-- Classes of transactions and classes with their time.
partners AS (
    SELECT
        study, configuration, class_kind, workload,
        list(class_name ORDER BY class_name) FILTER (is_counted) AS counted,
        sum(transactions_ended) FILTER (is_counted) AS ended,
        list(class_name ORDER BY class_name) FILTER (is_burning) AS burning
    FROM (
        SELECT
            *, is_complete AND transactions_ended >= 10 AND (classes = 0 OR cpu_pct = 0) AS is_counted,
            is_complete AND cpu_pct > 0 AND NOT counts_its_work AS is_burning
        FROM known
        WHERE NOT is_total AND workload IS NOT NULL AND class_kind IN ('service_class', 'report_class')
    ) AS judged
    GROUP BY study, configuration, class_kind, workload
    HAVING bool_or(is_counted) AND bool_or(is_burning)
)
SELECT
    known.study, known.configuration, known.class_kind, known.class_name, known.workload, known.is_total, known.classes,
    known.runs, known.covered_s, known.intervals, known.intervals_printed, known.intervals_without_cpu, known.intervals_unknown,
    known.is_conflicting, factor.busy_factor,
    CASE WHEN known.is_complete THEN COLUMNS('_pct') END,
    -- Rounded: equal sums may differ in their last binary digits.
    CASE WHEN known.is_complete THEN coalesce(
        without_noise(known.cpu_pct - known.non_ziip_eligible_pct - known.ziip_on_cp_pct - known.ziip_pct), known.cpu_pct
    ) END AS other_pct,
    CASE WHEN known.is_complete THEN known.cp_pct - known.ziip_pct - known.ziip_on_cp_pct END AS non_ziip_pct,
    CASE WHEN known.is_complete THEN 100 * known.cpu_pct / nullif(max(
        CASE WHEN known.is_total AND known.is_complete THEN known.cpu_pct END
    ) OVER (PARTITION BY known.study, known.configuration, known.class_kind), 0) END AS cpu_share_pct,
    CASE WHEN known.is_complete THEN COLUMNS(['requests', 'requests_per_s', 'transactions_ended', 'transactions_per_s']) END,
    known.is_complete AND known.counts_its_work AS counts_its_work,
    CASE WHEN known.is_complete THEN 1000 * known.request_cpu_s * factor.busy_factor / nullif(known.requests, 0) END AS cpu_ms_per_request,
    CASE WHEN known.is_complete AND known.counts_its_work
        THEN 1000 * known.transaction_cpu_s * factor.busy_factor / nullif(known.transactions_ended, 0) END AS cpu_ms_per_transaction,
    CASE WHEN known.is_complete THEN 1000 * known.request_cp_s * factor.busy_factor / nullif(known.requests, 0) END AS cp_ms_per_request,
    CASE WHEN known.is_complete AND known.counts_its_work
        THEN 1000 * known.transaction_cp_s * factor.busy_factor / nullif(known.transactions_ended, 0) END AS cp_ms_per_transaction,
    CASE WHEN list_contains(partners.counted, known.class_name) THEN partners.burning END AS time_is_in,
    CASE WHEN list_contains(partners.burning, known.class_name) THEN partners.counted END AS transactions_of,
    CASE WHEN list_contains(partners.burning, known.class_name)
        THEN 1000 * known.transaction_cp_s * factor.busy_factor / partners.ended END AS cp_ms_per_workload_transaction,
    CASE WHEN list_contains(partners.burning, known.class_name)
        THEN 1000 * known.transaction_cpu_s * factor.busy_factor / partners.ended END AS cpu_ms_per_workload_transaction,
    CASE WHEN known.is_complete THEN known.response_total_ms / nullif(known.transactions_ended, 0) END AS response_ms,
    known.refs
FROM known
JOIN busy_factor AS factor USING (study, configuration)
LEFT JOIN partners
    ON partners.study = known.study AND partners.configuration = known.configuration
    AND partners.class_kind = known.class_kind AND partners.workload = known.workload
