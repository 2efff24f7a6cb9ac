-- Grain: one row per source of the figure, owner, and interval: the use of general processors in the interval and in the four hours
-- that end with it.
-- msu_source partition_data: ACT MSU of the partition whose system printed the page. workload_activity: CP of all service classes / 100
-- x msu_per_cp, of a page whose systems have one rate: it excludes uncaptured time (capture_ratio).
-- The two describe the same work: choose one. For a page of several systems it is their sum.
-- Rule: interval_msu says which intervals are in the four hours, and what a clock change or a gap leaves unknown.
-- The bill rests on hourly_msu, which is lower than the highest rolling_msu; sums over partitions and caps are in hourly_four_hour_msu.
-- Source: RMF Report Analysis, Partition Data Report and Workload Activity; IBM's sub-capacity rules for the four hours.
-- Worked: 16 intervals of 15 minutes, 8 of 100 and 8 of 300 MSU: 200.
-- Shards: no: as hourly_four_hour_msu.
-- Columns:
--   sysplex, scope: whose it is; of partition_data the system
--   rolling_msu [MSU/h]: over the four hours that end with the interval
--   rolling_msu_service [million service units/h]: of workload_activity, in service units, which are not software MSU
--   covered_s [s]: time of the intervals in the four hours
--   hourly_msu [MSU/h]: mean of rolling_msu over the clock hour, as in hourly_four_hour_msu
--   is_peak: the last interval of the hour with the peak, as in hourly_four_hour_msu; NULL if an hour of the stretch and month is unknown
WITH timed AS (
    SELECT *, hour_of(interval_start, interval_end) AS hour_start
    FROM interval_msu
    WHERE is_own
)
SELECT
    timed.msu_source, timed.sysplex, timed.scope, timed.partition, timed.interval_start, timed.interval_end, timed.interval_s, timed.msu,
    timed.rolling_msu, timed.mean_msu, timed.msu_basis, timed.msu_service, timed.rolling_msu_service, timed.covered_s,
    hour.rolling_msu AS hourly_msu,
    CASE WHEN hour.is_peak IS NOT NULL THEN hour.is_peak AND timed.clock_start = max(timed.clock_start) OVER (
        PARTITION BY timed.msu_source, timed.sysplex, timed.scope, timed.partition, timed.hour_start, timed.utc_offset_minutes
    ) END AS is_peak,
    timed.refs
FROM timed
LEFT JOIN hourly_four_hour_msu AS hour
    ON hour.msu_source = timed.msu_source
    AND hour.level = CASE timed.msu_source WHEN 'partition_data' THEN 'partition' ELSE 'pages' END
    AND hour.name IS NOT DISTINCT FROM coalesce(timed.partition, timed.scope)
    AND hour.scope IS NOT DISTINCT FROM timed.scope
    AND hour.sysplex IS NOT DISTINCT FROM timed.sysplex
    AND hour.hour_start = timed.hour_start
    AND hour.utc_offset_minutes IS NOT DISTINCT FROM timed.utc_offset_minutes
