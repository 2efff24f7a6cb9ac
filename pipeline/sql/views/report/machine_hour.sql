-- Grain: one row per system whose page it is, processor type of its machine and clock hour.
-- Every system of a machine prints the same: take the pages of one system of each `machine`.
-- Formula: means by time over the intervals whose midpoint is in the hour; physical_busy_pct divides the means. Duration reports, and intervals that
-- overlap an earlier one, are left out.
-- NULL: a mean with an unknown value; values of one interval that two sources print differently. Compare covered_s with 3600 s.
-- Source: as machine_capacity.
-- Worked: of 10 engines 900 s with 4 and 900 s with 8 busy: 6, 60%.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   machine: sequence code of the machine as CPU Activity prints it; NULL where it prints none, or several, in the hour
--   partitions: active ones of the type, at most
--   physical_busy_max_pct [%]: of the busiest interval; NULL if one is unknown
--   refs: the first printed row of the busiest interval, the first of several
WITH of_hour AS (
    SELECT
        system, processor_type, hour_start,
        sum(interval_s) AS covered_s,
        max(partitions) AS partitions,
        mean_all(COLUMNS(['physical_engines', 'shared_engines', 'busy_engines', 'management_engines', 'logical_per_physical']), interval_s),
        max_all(physical_busy_pct) AS physical_busy_max_pct,
        arg_min(refs[1:1], (-coalesce(physical_busy_pct, -1), interval_start)) AS refs
    FROM hourly('machine_capacity', 'system, processor_type', 'partitions')
    GROUP BY system, processor_type, hour_start
),
coded AS (
    SELECT
        system, hour_of(interval_start, interval_end) AS hour_start,
        CASE WHEN min(sequence_code) = max(sequence_code) THEN min(sequence_code) END AS machine
    FROM counted('rmf_cpu_activity')
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL
    GROUP BY ALL
)
SELECT
    of_hour.system, of_hour.processor_type, of_hour.hour_start, offset_if_repeated() AS utc_offset_minutes,
    coded.machine, of_hour.covered_s, of_hour.partitions,
    of_hour.physical_engines, of_hour.shared_engines, of_hour.busy_engines, of_hour.management_engines,
    100 * of_hour.busy_engines / nullif(of_hour.physical_engines, 0) AS physical_busy_pct,
    of_hour.physical_busy_max_pct, of_hour.logical_per_physical, of_hour.refs
FROM of_hour
LEFT JOIN coded ON coded.system IS NOT DISTINCT FROM of_hour.system AND coded.hour_start = of_hour.hour_start
