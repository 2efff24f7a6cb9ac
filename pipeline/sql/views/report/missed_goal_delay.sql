-- Grain: one row per sysplex, scope, service class period and clock hour in which the period missed its goal: its delays in the worst interval.
-- Rule: the interval with the highest index of the hour; in this interval the row of all systems, otherwise the system with the highest index.
-- Delays of one interval are never added to those of another: RMF prints the largest of each only.
-- NULL: delays where the page prints none, or where the goal or a delay was printed again with other values.
-- Source: as goal_delay.
-- Worked: indexes of 1.2 and 3.1 in an hour: the delays of the interval of 3.1.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   performance_index, performance_index_bound: the highest of the hour, and whether it is only a bound, as in performance_index
--   system: of which the delays are; NULL for all
WITH delay AS (
    SELECT
        sysplex, scope, service_class, period, interval_start, interval_end, performance_index, refs, is_total,
        CASE WHEN NOT is_total THEN system END AS system,
        CASE WHEN NOT is_conflicting THEN COLUMNS('^(using_.*_pct|delays_pct|delay_._(reason|pct))$') END
    FROM goal_delay
    WHERE is_missed AND report_kind = 'interval' AND class_kind = 'service_class_period'
)
SELECT
    hours.sysplex, hours.scope, hours.workload, hours.service_class, hours.period, hours.importance, hours.hour_start,
    offset_if_repeated() AS utc_offset_minutes,
    delay.interval_start, delay.interval_end,
    hours.worst_index AS performance_index, hours.worst_bound AS performance_index_bound,
    delay.system, delay.using_cpu_pct, delay.using_ziip_pct, delay.using_io_pct, delay.delays_pct,
    delay.delay_1_reason, delay.delay_2_reason, delay.delay_3_reason,
    delay.delay_1_pct, delay.delay_2_pct, delay.delay_3_pct,
    delay.refs
FROM goal_hour AS hours
JOIN delay
    ON delay.sysplex IS NOT DISTINCT FROM hours.sysplex AND delay.scope IS NOT DISTINCT FROM hours.scope
    AND delay.service_class = hours.service_class AND delay.period = hours.period
    AND delay.interval_start = hours.worst_start AND delay.interval_end = hours.worst_end
    AND delay.performance_index = hours.worst_index
WHERE hours.missed > 0
QUALIFY row_number() OVER (
    PARTITION BY hours.sysplex, hours.scope, hours.service_class, hours.period, hours.hour_start
    ORDER BY delay.is_total DESC, delay.system, delay.refs
) = 1
