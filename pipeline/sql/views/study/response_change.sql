-- Grain: one row per study and configuration other than the baseline: the study's requests (class_name NULL), and every class that
-- ends transactions in both.
-- Formula: mean response time of a configuration, its runs weighted by ended transactions, against the baseline's. A change is stated
-- both ways, as in cost_change.
-- NULL: if a run's response time is unknown (requests of a given volume have none); shares of 0.
-- Source: RMF Report Analysis, Workload Activity, TRANS-TIME ACTUAL; the workload simulator's log.
-- Columns:
--   class_kind, class_name: the class; NULL for the study's requests
--   baseline_per_s, transactions_per_s [1/s]: ended transactions per second
--   baseline_response_ms, response_ms [ms]: mean response time of each
--   difference_ms [ms]: this - baseline
--   reduction_pct_of_baseline [%]: (baseline - this) / baseline
--   improvement_pct_of_new [%]: (baseline - this) / this
WITH ended AS (
    SELECT
        study, configuration, run, NULL AS class_kind, NULL AS class_name,
        covered_s, requests AS transactions, requests_per_s AS per_s, response_ms, refs
    FROM run_requests
    UNION ALL
    SELECT
        study, configuration, run, class_kind, class_name,
        covered_s, transactions_ended, transactions_per_s, response_ms, refs
    FROM run_class
    WHERE NOT is_total
),
steps AS (
    SELECT study, configuration, count(*) AS runs FROM study_step GROUP BY study, configuration
),
answered AS MATERIALIZED (
    SELECT
        ended.study, ended.configuration, ended.class_kind, ended.class_name,
        CASE WHEN count(ended.per_s) = max(steps.runs)
            THEN sum(ended.per_s * ended.covered_s) / sum(ended.covered_s) END AS per_s,
        CASE WHEN count(ended.transactions) = max(steps.runs)
                AND count(ended.response_ms) FILTER (ended.transactions > 0) = count(*) FILTER (ended.transactions > 0)
            THEN sum(ended.response_ms * ended.transactions) FILTER (ended.transactions > 0)
                / nullif(sum(ended.transactions), 0) END AS response_ms,
        flatten(list(ended.refs ORDER BY ended.run, ended.refs)) AS refs
    FROM ended
    JOIN steps USING (study, configuration)
    GROUP BY ended.study, ended.configuration, ended.class_kind, ended.class_name
    HAVING ended.class_kind IS NULL OR sum(ended.transactions) > 0
)
SELECT
    now.study, baseline.configuration AS baseline, now.configuration, now.class_kind, now.class_name,
    before.per_s AS baseline_per_s, now.per_s AS transactions_per_s,
    before.response_ms AS baseline_response_ms, now.response_ms,
    now.response_ms - before.response_ms AS difference_ms,
    100 * (before.response_ms - now.response_ms) / nullif(before.response_ms, 0) AS reduction_pct_of_baseline,
    100 * (before.response_ms - now.response_ms) / nullif(now.response_ms, 0) AS improvement_pct_of_new,
    list_concat(before.refs, now.refs) AS refs
FROM answered AS now
JOIN study_configuration AS baseline
    ON baseline.study = now.study AND baseline.is_baseline AND baseline.configuration <> now.configuration
JOIN answered AS before
    ON before.study = now.study AND before.configuration = baseline.configuration
    AND before.class_kind IS NOT DISTINCT FROM now.class_kind
    AND before.class_name IS NOT DISTINCT FROM now.class_name
