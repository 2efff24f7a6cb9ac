-- Grain: one row per sysplex, coupling facility and clock hour: how busy the facility was.
-- Formula: mean of AVERAGE CF UTILIZATION by time, over the intervals whose midpoint is in the hour; rows printed twice count once, duration
-- reports and intervals that overlap an earlier one are left out. NULL if the value of an interval is unknown. Compare covered_s with 3600 s: a
-- facility that is down prints no report.
-- Source: RMF Report Analysis, Coupling Facility Activity, Usage Summary.
-- Worked: 900 s of 10 and 900 s of 30 percent: 20.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   utilization_max_pct [%]: of the busiest interval
--   processors_effective: processor capacity, in processors; the least of the hour
--   refs: the printed row of the busiest interval
WITH once AS (
    SELECT
        sysplex, cf_name, interval_start, interval_end, max(interval_s) AS interval_s,
        one_value(COLUMNS(['utilization_pct', 'processors_effective'])),
        min(ref(source_id, page, line)) AS ref
    FROM rmf_cf_usage
    WHERE report_kind = 'interval' AND cf_name IS NOT NULL AND interval_start IS NOT NULL AND interval_s > 0
    GROUP BY sysplex, cf_name, interval_start, interval_end
),
placed AS (
    FROM once QUALIFY NOT is_printed_again(row(sysplex, cf_name), interval_start, interval_end)
)
SELECT
    sysplex, cf_name, hour_of(interval_start, interval_end) AS hour_start, offset_if_repeated() AS utc_offset_minutes,
    sum(interval_s) AS covered_s,
    mean_all(utilization_pct, interval_s) AS utilization_pct,
    max(utilization_pct) AS utilization_max_pct,
    min_all(processors_effective) AS processors_effective,
    [arg_max(ref, (coalesce(utilization_pct, -1), interval_start))] AS refs
FROM placed
GROUP BY ALL
