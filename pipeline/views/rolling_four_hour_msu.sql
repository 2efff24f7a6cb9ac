-- Grain: one row a source of the figure, whose it is, and interval: what general processors used in the interval and in the four hours
-- that end with it.
-- Inputs: rmf_partition_data, interval_processor_time.
-- msu_source partition_data: ACT MSU of the partition whose system printed the page. workload_activity: CP of all service classes / 100
-- x SU/SEC x 3600 / 1,000,000, of a page whose systems are of one speed: time that is in no class is not in it (capture_ratio).
-- The two are of the same work: pick one. Of a page of several systems it is their sum.
-- Rule: an interval is in the four hours if its midpoint is; the mean is weighted by time. rolling_msu is given where the intervals cover the
-- four hours within 2 percent, mean_msu and covered_s always. Overlapping intervals and duration reports are left out.
-- Source: RMF Report Analysis, Partition Data Report and Workload Activity; IBM's sub-capacity rules for the four hours.
-- Worked: 16 intervals of 15 minutes, 8 of 100 and 8 of 300 MSU: 200.
-- Columns:
--   msu_source: partition_data or workload_activity
--   sysplex, scope: whose it is; of partition_data the system
--   interval_start, interval_end: the interval
--   interval_s [s]: its length
--   msu, rolling_msu, mean_msu [MSU/h]: in the interval; over four hours; over what of them is covered
--   covered_s [s]: time of the intervals in the four hours
--   is_peak: rolling_msu is the largest of this source and scope, the first of equal ones
--   refs: the printed row of the interval
WITH partition AS (
    SELECT
        'partition_data' AS msu_source, sysplex, system AS scope, interval_start, interval_end,
        max(interval_s) AS interval_s,
        CASE WHEN min(msu_used) = max(msu_used) AND count(msu_used) = count(*) THEN min(msu_used) END AS msu,
        list(struct_pack(source_id := source_id, page := page, line := line) ORDER BY source_id, line) AS refs
    FROM rmf_partition_data
    WHERE NOT is_total AND processor_type = 'CP' AND partition = mvs_partition AND report_kind = 'interval'
        AND interval_s > 0
    GROUP BY sysplex, system, interval_start, interval_end
),
measured AS (
    SELECT * FROM partition
    UNION ALL BY NAME
    SELECT
        'workload_activity' AS msu_source, sysplex, scope, interval_start, interval_end, interval_s,
        cp_pct / 100 * su_per_s * 3600 / 1e6 AS msu, refs
    FROM interval_processor_time
    WHERE report_kind = 'interval' AND NOT is_overlapping AND su_per_s IS NOT NULL
),
apart AS (
    SELECT *, interval_start + (interval_end - interval_start) / 2 AS midpoint
    FROM measured
    -- Intervals end a little off the clock: a second is no overlap.
    QUALIFY coalesce(max(interval_end) OVER (
        PARTITION BY msu_source, sysplex, scope
        ORDER BY interval_start, interval_end DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) <= interval_start + INTERVAL 1 SECOND, TRUE)
),
rolled AS (
    SELECT
        *,
        sum(interval_s) OVER four_hours AS covered_s,
        CASE WHEN count(msu) OVER four_hours = count(*) OVER four_hours
            THEN sum(msu * interval_s) OVER four_hours / sum(interval_s) OVER four_hours END AS mean_msu
    FROM apart
    WINDOW four_hours AS (
        PARTITION BY msu_source, sysplex, scope
        ORDER BY midpoint
        RANGE BETWEEN INTERVAL 4 HOUR - (interval_end - midpoint) PRECEDING AND CURRENT ROW
    )
),
whole AS (
    SELECT *, CASE WHEN abs(covered_s / 14400 - 1) <= 0.02 THEN mean_msu END AS rolling_msu FROM rolled
),
final AS (
    SELECT
        msu_source, sysplex, scope, interval_start, interval_end, interval_s, msu, rolling_msu, mean_msu, covered_s,
        rolling_msu IS NOT NULL AND row_number() OVER (
            PARTITION BY msu_source, sysplex, scope ORDER BY rolling_msu DESC NULLS LAST, interval_end
        ) = 1 AS is_peak,
        refs
    FROM whole
)
SELECT * FROM final
