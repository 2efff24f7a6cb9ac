-- Grain: one row a study, configuration and class, and one for all classes of a kind together (is_total): over all its runs.
-- Inputs: study_step, run_class, run_requests, busy_factor.
-- Formula: cpu_pct and cp_pct are weighted by the time of the runs; a cost is processor time over requests, or over the class's own ended
-- transactions, of all runs; cpu_share_pct = cpu_pct of that of all classes of the kind. Response time is weighted by transactions.
-- Rows of different class_kind describe the same work. Percentages are as measured; milliseconds are normalised as the study says
-- (busy_factor), as in cost_per_request.
-- Endings of regions, started tasks and servers do not count their work. A class counts its own work where at least 10 transactions
-- ended and their response times together are at least half of its processor time: no transaction keeps more than two engines busy.
-- NULL: cost per transaction where the class does not count its work; all where the class is not known in one of the runs; a cost
-- where a run has no requests.
-- Source: the study file; RMF Report Analysis, Workload Activity.
-- Columns:
--   study, configuration: what the figures are of
--   class_kind, class_name: service_class, report_class, workload or policy, and its name; no name on totals
--   is_total: all classes of the kind
--   classes: how many of them print processor time; of unlike runs the most
--   runs: how many runs print it
--   busy_factor: of the configuration; it is in the milliseconds
--   cpu_pct [% of one engine]: CP + IIP (+ AAP)
--   cp_pct [% of one engine]: CP, the time of general processors, which is what is paid for
--   cpu_share_pct [%]: of all classes of the kind
--   requests, requests_per_s [1/s]: of the study, over all runs
--   transactions_ended, transactions_per_s [1/s]: of the class
--   counts_its_work: whether its endings are a volume of its work
--   cpu_ms_per_request, cpu_ms_per_transaction [ms]: processor time by the one and by the other
--   cp_ms_per_request [ms]: time of general processors by the requests
--   response_ms [ms]: mean response time of the class
--   refs: the printed rows of the class
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
        CASE WHEN count(class.cpu_pct) = count(*)
            THEN sum(class.cpu_pct * requested.covered_s) / max(requested.configuration_s) END AS cpu_pct,
        CASE WHEN count(class.cp_pct) = count(*)
            THEN sum(class.cp_pct * requested.covered_s) / max(requested.configuration_s) END AS cp_pct,
        CASE WHEN count(class.cpu_pct / nullif(requested.requests_per_s, 0)) = count(*)
            THEN sum(class.cpu_pct / 100 / nullif(requested.requests_per_s, 0) * requested.requests) END AS request_cpu_s,
        CASE WHEN count(class.cp_pct / nullif(requested.requests_per_s, 0)) = count(*)
            THEN sum(class.cp_pct / 100 / nullif(requested.requests_per_s, 0) * requested.requests) END AS request_cp_s,
        CASE WHEN count(class.cpu_pct / nullif(class.transactions_per_s, 0)) = count(*)
            THEN sum(class.cpu_pct / 100 / nullif(class.transactions_per_s, 0) * class.transactions_ended)
        END AS transaction_cpu_s,
        CASE WHEN count(requested.requests) = count(*) THEN sum(requested.requests) END AS requests,
        CASE WHEN count(requested.requests_per_s) = count(*)
            THEN sum(requested.requests_per_s * requested.covered_s) / max(requested.configuration_s) END AS requests_per_s,
        CASE WHEN count(class.transactions_ended) = count(*)
            THEN CAST(sum(class.transactions_ended) AS BIGINT) END AS transactions_ended,
        CASE WHEN count(class.transactions_per_s) = count(*)
            THEN sum(class.transactions_per_s * requested.covered_s) / max(requested.configuration_s)
        END AS transactions_per_s,
        CASE WHEN count(class.response_ms) FILTER (class.transactions_ended > 0) = count(*) FILTER (class.transactions_ended > 0)
                AND count(class.transactions_ended) = count(*)
            THEN sum(class.response_ms * class.transactions_ended) FILTER (class.transactions_ended > 0) END AS response_total_ms,
        flatten(list(class.refs ORDER BY class.run)) AS refs
    FROM run_class AS class
    JOIN requested
        ON requested.study = class.study AND requested.configuration = class.configuration AND requested.run = class.run
    GROUP BY class.study, class.configuration, class.class_kind, class.class_name, class.is_total
),
known AS (
    SELECT
        *,
        coalesce(transactions_ended >= 10 AND response_total_ms / 1000 >= transaction_cpu_s / 2, FALSE) AS counts_its_work
    FROM over_runs
),
final AS (
    SELECT
        each.study, each.configuration, each.class_kind, each.class_name, each.is_total, each.classes, each.runs,
        factor.busy_factor,
        CASE WHEN each.is_complete THEN each.cpu_pct END AS cpu_pct,
        CASE WHEN each.is_complete THEN each.cp_pct END AS cp_pct,
        CASE WHEN each.is_complete THEN 100 * each.cpu_pct / nullif(max(
            CASE WHEN each.is_total AND each.is_complete THEN each.cpu_pct END
        ) OVER (PARTITION BY each.study, each.configuration, each.class_kind), 0) END AS cpu_share_pct,
        CASE WHEN each.is_complete THEN each.requests END AS requests,
        CASE WHEN each.is_complete THEN each.requests_per_s END AS requests_per_s,
        CASE WHEN each.is_complete THEN each.transactions_ended END AS transactions_ended,
        CASE WHEN each.is_complete THEN each.transactions_per_s END AS transactions_per_s,
        each.is_complete AND each.counts_its_work AS counts_its_work,
        CASE WHEN each.is_complete THEN 1000 * each.request_cpu_s * factor.busy_factor / nullif(each.requests, 0) END AS cpu_ms_per_request,
        CASE WHEN each.is_complete AND each.counts_its_work
            THEN 1000 * each.transaction_cpu_s * factor.busy_factor / nullif(each.transactions_ended, 0) END AS cpu_ms_per_transaction,
        CASE WHEN each.is_complete THEN 1000 * each.request_cp_s * factor.busy_factor / nullif(each.requests, 0) END AS cp_ms_per_request,
        CASE WHEN each.is_complete THEN each.response_total_ms / nullif(each.transactions_ended, 0) END AS response_ms,
        each.refs
    FROM known AS each
    JOIN busy_factor AS factor ON factor.study = each.study AND factor.configuration = each.configuration
)
SELECT * FROM final
