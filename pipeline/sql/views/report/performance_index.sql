-- Grain: one row per class period, interval and system, with the row of all systems together (is_total) beside them.
-- Do not add the rows of one period: take the total (is_total), or the systems. Equal keys count once; where their
-- values differ the row of the smallest source_id and line is kept and is_conflicting says so.
-- Formula of performance_index_computed: average goal: actual / goal. Velocity goal: goal / actual. Percentile goal: the
-- bucket bound that reaches the percentile, over the goal; in the first bucket the index is at most that
-- (performance_index_bound 'upper'), above the last bound it is at least that ('lower'). Discretionary and system goals have no index.
-- Distributions without a system belong to the total. The velocity index means little where using and delay samples are few; RMF prints
-- no count of samples here.
-- Source: RMF Report Analysis, Workload Activity, PERF INDX.
-- Shards: by interval_start.
-- Columns:
--   transactions_ended: of the period, all systems
--   performance_index_computed: by the formula above
--   performance_index_bound: 'upper' or 'lower' where the index is only a bound, otherwise NULL
WITH goal_once AS (
    SELECT * REPLACE (coalesce(is_total, FALSE) AS is_total) FROM once_rmf_workload_goal
),
distribution AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period, system,
        min(upper_bound_s) AS first_bound_s,
        max(upper_bound_s) AS last_bound_s,
        max_all(transactions_cumulative) AS transactions,
        list(struct_pack(bound_s := upper_bound_s, reached := transactions_cumulative) ORDER BY upper_bound_s, transactions_cumulative)
            FILTER (upper_bound_s IS NOT NULL) AS buckets
    FROM once_rmf_response_time_distribution
    GROUP BY
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period, system
),
goal_with_distribution AS (
    SELECT
        goal_once.*,
        distribution.first_bound_s,
        distribution.last_bound_s,
        distribution.transactions,
        (
            SELECT min(bucket.bound_s)
            FROM (SELECT unnest(distribution.buckets) AS bucket)
            WHERE bucket.reached >= goal_once.goal_pct / 100 * distribution.transactions
        ) AS percentile_bound_s
    FROM goal_once
    LEFT JOIN distribution
        ON period_key(distribution) = period_key(goal_once)
        AND distribution.system IS NOT DISTINCT FROM (CASE WHEN goal_once.is_total THEN NULL ELSE goal_once.system END)
        AND goal_once.goal_type = 'percentile'
),
computed AS (
    SELECT
        *,
        CASE goal_type
            WHEN 'average' THEN actual_s / nullif(goal_s, 0)
            WHEN 'velocity' THEN goal_pct / nullif(velocity_pct, 0)
            WHEN 'percentile' THEN
                CASE WHEN transactions > 0 THEN coalesce(percentile_bound_s, last_bound_s) / nullif(goal_s, 0) END
        END AS performance_index_computed,
        CASE
            WHEN goal_type <> 'percentile' THEN NULL
            WHEN transactions > 0 AND percentile_bound_s = first_bound_s THEN 'upper'
            WHEN transactions > 0 AND percentile_bound_s IS NULL THEN 'lower'
            WHEN transactions IS NULL AND performance_index <= 0.5 THEN 'upper'
            WHEN transactions IS NULL AND performance_index >= 4.0 THEN 'lower'
        END AS performance_index_bound
    FROM goal_with_distribution
)
SELECT
    computed.sysplex, computed.scope, computed.report_kind, computed.interval_start, computed.interval_end,
    computed.policy_activated_at, computed.class_kind, computed.policy, computed.workload,
    computed.service_class, computed.report_class, computed.period,
    computed.system, computed.is_total,
    activity.importance, computed.interval_s, activity.transactions_ended,
    computed.goal_type, computed.goal_s, computed.goal_pct,
    computed.actual_s, computed.actual_pct, computed.velocity_pct,
    computed.performance_index, computed.performance_index_computed, computed.performance_index_bound,
    computed.is_conflicting OR coalesce(activity.is_conflicting, FALSE) AS is_conflicting, computed.refs
FROM computed
LEFT JOIN workload_printed_once AS activity
    ON period_key(activity) = period_key(computed)
