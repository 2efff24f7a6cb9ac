-- Grain: one row per system whose page it is, partition of the machine, processor type and clock hour.
-- Every system of a machine prints all its partitions: take is_own, or the pages of one system.
-- Formula: means by time over the intervals whose midpoint is in the hour; use_of_entitlement_pct divides the means. Duration reports, and intervals
-- that overlap an earlier one, are left out.
-- NULL: a mean with an unknown value; values of one interval that two sources print differently. Compare covered_s with 3600 s.
-- Source: as partition_capacity.
-- Worked: entitled to 2 engines, 900 s with 1 and 900 s with 4 in use: 2.5, 125%.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   dedicated: its processors are its own; NULL where that changed within the hour
--   use_of_entitlement_pct [%]: used by entitled
--   refs: the printed rows of the interval with most in use, the first of several
WITH of_hour AS (
    SELECT
        system, partition, processor_type, bool_or(is_own) AS is_own, hour_start,
        one_value(dedicated) AS dedicated,
        sum(interval_s) AS covered_s,
        mean_all(COLUMNS(['weight_share_pct', 'logical_processors', 'entitled_engines', 'used_engines', 'capping_wlm_pct']), interval_s),
        arg_min(refs, (-coalesce(used_engines, -1), interval_start)) AS refs
    FROM hourly('partition_capacity', 'system, partition, processor_type', 'is_own')
    GROUP BY system, partition, processor_type, hour_start
)
SELECT
    system, partition, processor_type, hour_start, offset_if_repeated() AS utc_offset_minutes, is_own, dedicated, covered_s,
    weight_share_pct, logical_processors, entitled_engines, used_engines,
    100 * used_engines / nullif(entitled_engines, 0) AS use_of_entitlement_pct,
    used_engines - entitled_engines AS beyond_entitlement_engines,
    capping_wlm_pct, refs
FROM of_hour
