-- Grain: one row per study, configuration, systems and service class period that has a goal.
-- Uses the total row of each interval, or the only row. Intervals without work in the period have no index.
-- Source: RMF Report Analysis, Workload Activity, PERF INDX and goals.
-- Columns:
--   sysplex, systems: of the pages; separate rows for systems that report separately
--   goal: all goals of the period, in words
--   goal_type: average, percentile, velocity, discretionary or system; NULL if it had several
--   actual_s [s], actual_pct [%], velocity_pct [%]: actual values in the interval furthest from the goal
--   intervals: intervals with an index
--   missed: intervals with an index above 1
--   index_median, index_median_bound: printed index of the median interval (the lower of two), and whether it is only an upper or lower bound
--   index_worst, index_worst_bound: the highest index, as printed
--   index_computed: median of performance_index_computed
WITH picked AS (
    SELECT
        selected.study, selected.configuration, selected.run, selected.scope AS systems,
        goal.*
    FROM run_selection AS selected
    JOIN performance_index AS goal
        ON policy_interval_key(goal) = printed_interval_key(selected)
    -- Periods of report classes describe the same work.
    WHERE goal.class_kind = 'service_class_period'
    QUALIFY goal.is_total OR count(*) OVER (
        PARTITION BY selected.study, selected.configuration, selected.run, goal.sysplex, goal.scope, goal.interval_start,
            goal.policy_activated_at, goal.service_class, goal.period
    ) = 1
),
ranked AS (
    SELECT
        *,
        CASE goal_type
            WHEN 'average' THEN printf('%g s on average', goal_s)
            WHEN 'percentile' THEN printf('%g%% within %g s', goal_pct, goal_s)
            ELSE concat_ws(' ', goal_type, printf('%g%%', goal_pct)) END AS goal_words,
        row_number() OVER (
            PARTITION BY study, configuration, sysplex, systems, service_class, period, performance_index IS NULL
            ORDER BY performance_index, performance_index_bound NULLS FIRST, interval_start, run, refs
        ) AS place,
        count(performance_index) OVER (PARTITION BY study, configuration, sysplex, systems, service_class, period) AS known
    FROM picked
)
SELECT
    study, configuration, sysplex, systems, service_class, period,
    min(importance) AS importance,
    string_agg(DISTINCT coalesce(goal_words, 'not read'), ' or ' ORDER BY coalesce(goal_words, 'not read')) AS goal,
    CASE WHEN count(DISTINCT coalesce(goal_type, '')) = 1 THEN min(goal_type) END AS goal_type,
    max(actual_s) AS actual_s, min(actual_pct) AS actual_pct, min(velocity_pct) AS velocity_pct,
    count(performance_index) AS intervals,
    count(*) FILTER (performance_index > 1) AS missed,
    max(performance_index) FILTER (place = (known + 1) // 2) AS index_median,
    max(performance_index_bound) FILTER (performance_index IS NOT NULL AND place = (known + 1) // 2) AS index_median_bound,
    max(performance_index) AS index_worst,
    max(performance_index_bound) FILTER (performance_index IS NOT NULL AND place = known) AS index_worst_bound,
    quantile_disc(performance_index_computed, 0.5) AS index_computed,
    bool_or(is_conflicting) AS is_conflicting,
    list_distinct(flatten(list(refs ORDER BY interval_start, run, refs))) AS refs
FROM ranked
GROUP BY study, configuration, sysplex, systems, service_class, period
