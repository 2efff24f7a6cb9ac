-- Grain: one row per sysplex, scope, service class period and clock hour: in how many intervals it missed its goal, and how far at worst.
-- Formula: a goal is missed in an interval if the performance index is above 1: the printed one, otherwise the computed one. An index is
-- a ratio: it is counted, and never averaged. The index of all systems together is taken where it is printed, otherwise the worst system's.
-- One scope counts for each class and interval (class_of_wider_scope). Overlapping intervals and duration reports are left out; an interval is in
-- the hour that holds its midpoint.
-- Intervals without an index (no work, discretionary, system goals), and those that were printed again with other values, are in `intervals` alone;
-- only known ones are missed or met.
-- Source: RMF Report Analysis, Workload Activity, PERF INDX.
-- Worked: four intervals of 0.8, 1.2, 3.1 and one without work: intervals 4, known 3, missed 2, worst 3.1.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   importance: the highest of the hour
--   goal_type: average, percentile or velocity: of what has the index of an interval, the newest of the hour
--   intervals, known, missed: intervals that print the period; those with an index; those with one above 1
--   worst_index: the highest
--   worst_bound: upper or lower where it is only a bound, as in performance_index
--   worst_start, worst_end [local time]: the interval with the highest
--   transactions_ended: of the period, all systems, whether their total or each is printed; NULL if one is unknown
--   refs: the printed row of the worst
--   told: of the missed, those that `finding` tells: not of a response time goal with few transactions
--   told_index, told_bound, told_start [local time]: of these the highest, as worst_index is of all
--   told_refs: the printed row of the worst of these
WITH judged AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, workload, service_class, period, importance,
        goal_type, is_total, performance_index_bound AS bound, refs,
        CASE WHEN NOT is_conflicting THEN transactions_ended END AS transactions_ended,
        CASE WHEN NOT is_conflicting THEN coalesce(performance_index, performance_index_computed) END AS index
    FROM performance_index
    WHERE report_kind = 'interval' AND class_kind = 'service_class_period' AND goal_type IN ('average', 'percentile', 'velocity')
),
of_interval AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, workload, service_class, period,
        min(importance) AS importance,
        -- The row of each system prints the count of all systems.
        one_value(transactions_ended) AS transactions_ended,
        arg_max(struct_pack(index := index, bound := bound, goal_type := goal_type, refs := refs), (is_total, coalesce(index, -1), refs)) AS worst
    FROM judged
    GROUP BY ALL
),
placed AS (
    SELECT
        of_interval.*, date_trunc('hour', interval.midpoint) AS hour_start,
        CASE WHEN worst.goal_type <> 'velocity' THEN transactions_ended END AS ended_of_response_goal,
        holds('performance_index', worst.index, ended_of_response_goal) AS is_told
    FROM of_interval
    JOIN workload_interval AS interval ON policy_interval_key(interval) = policy_interval_key(of_interval)
    ANTI JOIN class_of_wider_scope AS wider
        ON wider.sysplex IS NOT DISTINCT FROM of_interval.sysplex AND wider.scope IS NOT DISTINCT FROM of_interval.scope
        AND wider.interval_start = of_interval.interval_start AND wider.interval_end = of_interval.interval_end
        AND wider.policy_activated_at IS NOT DISTINCT FROM of_interval.policy_activated_at
        AND wider.class_kind = 'service_class' AND wider.class_name = of_interval.service_class
    WHERE interval.class_kind = 'service_class' AND NOT interval.is_overlapping
)
SELECT
    sysplex, scope, max(workload) AS workload, service_class, period, min(importance) AS importance, hour_start,
    offset_if_repeated() AS utc_offset_minutes,
    arg_max(worst.goal_type, (interval_start, interval_end, policy_activated_at)) AS goal_type,
    count(*) AS intervals,
    count(worst.index) AS known,
    count_if(worst.index > 1) AS missed,
    max(worst.index) AS worst_index,
    arg_max(worst.bound, (worst.index, interval_start)) FILTER (worst.index IS NOT NULL) AS worst_bound,
    arg_max(interval_start, (worst.index, interval_start)) FILTER (worst.index IS NOT NULL) AS worst_start,
    arg_max(interval_end, (worst.index, interval_start)) FILTER (worst.index IS NOT NULL) AS worst_end,
    CAST(sum_all(transactions_ended) AS BIGINT) AS transactions_ended,
    arg_max(worst.refs, (worst.index, interval_start)) FILTER (worst.index IS NOT NULL) AS refs,
    count_if(is_told) AS told,
    max(worst.index) FILTER (is_told) AS told_index,
    arg_max(worst.bound, (worst.index, interval_start)) FILTER (is_told) AS told_bound,
    arg_max(interval_start, (worst.index, interval_start)) FILTER (is_told) AS told_start,
    arg_max(worst.refs, (worst.index, interval_start)) FILTER (is_told) AS told_refs
FROM placed
GROUP BY sysplex, scope, service_class, period, hour_start
