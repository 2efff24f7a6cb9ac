-- Grain: one row per source of the figure, owner, and interval: the software MSU of the interval and of the four hours that end with it.
-- msu_source partition_data: ACT MSU of every partition with general processors that the pages of a system list; a partition that is
-- printed as deactivated used 0. workload_activity: CP of all classes / 100 x msu_per_cp, and the same in service units: time that is
-- in no class is not in it (capture_ratio).
-- Rule: an interval is in the four hours if its midpoint is; the mean is weighted by time. rolling_msu is given where the intervals cover the
-- four hours within 2 percent, mean_msu and covered_s always. Overlapping intervals and duration reports are left out.
-- Clock changes: intervals are ordered by UTC where the offset of all pages of a scope is known (ironlake ingest --utc-offset), otherwise by local
-- time. Then an hour that the clock repeats is unknown, as is one that it skips: rolling_msu is NULL in the four hours after them. A
-- repeated hour is seen by two values of one interval, by two that begin at once and end within a second, or by a source that goes back by one
-- hour in the printed order. Where two local times are one by UTC (an interval that was read with two offsets), both are unknown.
-- A stretch: intervals without a gap of four hours; no four hours reach from one to the next.
-- A partition that print and XML give counts once, as printed.
-- NULL: msu where it is not printed, printed with two values, or has no rate (msu_basis); rolling_msu where an msu in the four hours is NULL.
-- Source: RMF Report Analysis, Partition Data Report and Workload Activity; IBM's sub-capacity rules for the four hours.
-- Worked: 16 intervals of 15 minutes, 8 of 100 and 8 of 300 MSU: 200.
-- Shards: no: it asks all days whether a partition is used, and whether all pages say how far their clock is from UTC.
-- Columns:
--   sysplex, scope: whose pages; of partition_data the system
--   partition: of partition_data the partition
--   is_utc: the four hours are by UTC
--   clock_start, clock_end: the interval by the clock that orders it: UTC, otherwise local time
--   msu, rolling_msu, mean_msu [MSU/h]: in the interval; over four hours; over what of them is covered
--   msu_service, rolling_msu_service [million service units/h]: of workload_activity, in service units, which are not software MSU
--   covered_s [s]: time of the intervals in the four hours
--   capacity_group, capacity_group_limit [MSU/h]: that its own page names
--   stretch_start, stretch_end: of the stretch, by the same clock
WITH partition_row AS (
    SELECT
        sysplex, system, partition, partition = mvs_partition AS is_own, interval_start, interval_end, interval_s,
        utc_offset_minutes, capacity_group, capacity_group_limit, msu_defined_changed, source_id, page, line,
        CASE WHEN processor_type IS NULL THEN 0 ELSE msu_used END AS msu,
        CASE WHEN processor_type IS NULL THEN 0 ELSE msu_defined END AS msu_defined,
        count(utc_offset_minutes) OVER (PARTITION BY system) = count(*) OVER (PARTITION BY system) AS is_utc,
        count(processor_type) OVER (PARTITION BY system, partition) > 0 AS is_used,
        -- An interval that starts one hour before the end of the interval before it was printed after the clock was set back.
        coalesce(abs(epoch(lag(interval_end) OVER (PARTITION BY source_id, system, partition ORDER BY line) - interval_start) - 3600) <= 2, FALSE)
            AS is_set_back
    FROM counted('rmf_partition_data')
    WHERE NOT is_total AND report_kind = 'interval' AND interval_s > 0 AND interval_start IS NOT NULL AND partition <> '*PHYSICAL*'
        AND (processor_type = 'CP' OR (processor_type IS NULL AND status = 'D'))
),
-- The asterisks of the group are printed above the partitions.
head AS (
    SELECT
        system, interval_start, interval_end,
        coalesce(bool_or(capacity_group_changed), FALSE) AS capacity_group_changed,
        coalesce(bool_or(capacity_group_limit_changed), FALSE) AS capacity_group_limit_changed
    FROM counted('rmf_partition_head')
    WHERE report_kind = 'interval'
    GROUP BY system, interval_start, interval_end
),
partition_interval AS (
    SELECT
        'partition_data' AS msu_source, sysplex, system AS scope, partition, coalesce(bool_or(is_own), FALSE) AS is_own,
        interval_start, interval_end, max(interval_s) AS interval_s,
        CASE WHEN is_utc THEN utc_offset_minutes END AS utc_offset_minutes, is_utc,
        bool_or(is_set_back) AND NOT is_utc AS is_set_back,
        one_value(msu) AS msu,
        'act_msu' AS msu_basis,
        CAST(NULL AS DOUBLE) AS msu_service,
        one_value(msu_defined) AS msu_defined,
        CASE WHEN min(capacity_group) = max(capacity_group) THEN min(capacity_group) FILTER (is_own) END AS capacity_group,
        CASE WHEN min(capacity_group_limit) = max(capacity_group_limit) THEN min(capacity_group_limit) FILTER (is_own) END
            AS capacity_group_limit,
        coalesce(bool_or(msu_defined_changed), FALSE) AS msu_defined_changed,
        coalesce(bool_or(head.capacity_group_changed) FILTER (is_own), FALSE) AS capacity_group_changed,
        coalesce(bool_or(head.capacity_group_limit_changed) FILTER (is_own), FALSE) AS capacity_group_limit_changed,
        all_refs(source_id, page, line) AS refs
    FROM partition_row
    LEFT JOIN head USING (system, interval_start, interval_end)
    WHERE is_used
    GROUP BY
        sysplex, system, partition, interval_start, interval_end, is_utc, CASE WHEN is_utc THEN utc_offset_minutes END
),
workload AS (
    SELECT *, count(utc_offset_minutes) OVER pages = count(*) OVER pages AS is_utc
    FROM workload_time
    WHERE is_of_all
    WINDOW pages AS (PARTITION BY sysplex, scope)
),
measured AS (
    SELECT * FROM partition_interval
    UNION ALL BY NAME
    SELECT
        'workload_activity' AS msu_source, sysplex, scope, CAST(NULL AS VARCHAR) AS partition, TRUE AS is_own,
        interval_start, interval_end, interval_s, CASE WHEN is_utc THEN utc_offset_minutes END AS utc_offset_minutes, is_utc,
        FALSE AS is_set_back,
        CASE WHEN NOT is_ambiguous THEN cp_pct / 100 * msu_per_cp END AS msu,
        msu_basis,
        CASE WHEN NOT is_ambiguous THEN cp_pct / 100 * su_per_s * 3600 / 1e6 END AS msu_service,
        refs
    FROM workload
),
clocked AS (
    SELECT
        *,
        interval_start - to_minutes(CAST(coalesce(utc_offset_minutes, 0) AS BIGINT)) AS clock_start,
        interval_end - to_minutes(CAST(coalesce(utc_offset_minutes, 0) AS BIGINT)) AS clock_end
    FROM measured
),
not_overlapping AS (
    SELECT
        *, clock_start + (clock_end - clock_start) / 2 AS midpoint,
        min(interval_start) OVER same_clock <> max(interval_start) OVER same_clock
            -- These are not prints of one interval: they end at different milliseconds.
            OR min(clock_end) OVER same_second <> max(clock_end) OVER same_second AS is_disputed,
        -- The whole hour that was printed twice.
        coalesce(max(CASE WHEN is_set_back THEN clock_start END) OVER (
            PARTITION BY msu_source, sysplex, scope, partition
            ORDER BY clock_start, clock_end DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) + INTERVAL 1 HOUR > clock_start + (clock_end - clock_start) / 2, FALSE) AS is_repeated
    FROM clocked
    WINDOW
        same_clock AS (PARTITION BY msu_source, sysplex, scope, partition, clock_start),
        same_second AS (
            PARTITION BY msu_source, sysplex, scope, partition, clock_start, date_trunc('second', clock_end + INTERVAL 500 MILLISECOND)
        )
    -- Intervals end a little off the clock: one second does not count as an overlap.
    QUALIFY coalesce(max(clock_end) OVER (
        PARTITION BY msu_source, sysplex, scope, partition
        ORDER BY clock_start, clock_end DESC, interval_start
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) <= clock_start + INTERVAL 1 SECOND, TRUE)
),
known AS (
    SELECT
        * EXCLUDE (msu, msu_service),
        CASE WHEN NOT (is_repeated OR is_disputed) THEN msu END AS msu,
        CASE WHEN NOT (is_repeated OR is_disputed) THEN msu_service END AS msu_service,
        coalesce(clock_start - lag(clock_end) OVER whose >= INTERVAL 4 HOUR, TRUE) AS begins_stretch
    FROM not_overlapping
    WINDOW whose AS (PARTITION BY msu_source, sysplex, scope, partition ORDER BY clock_start)
),
rolled AS (
    SELECT
        *,
        sum(interval_s) OVER four_hours AS covered_s,
        CASE WHEN count(msu) OVER four_hours = count(*) OVER four_hours
            THEN sum(msu * interval_s) OVER four_hours / sum(interval_s) OVER four_hours END AS mean_msu,
        CASE WHEN count(msu_service) OVER four_hours = count(*) OVER four_hours
            THEN sum(msu_service * interval_s) OVER four_hours / sum(interval_s) OVER four_hours END AS mean_msu_service,
        sum(CASE WHEN begins_stretch THEN 1 ELSE 0 END) OVER (
            PARTITION BY msu_source, sysplex, scope, partition
            ORDER BY clock_start
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS stretch
    FROM known
    WINDOW four_hours AS (
        PARTITION BY msu_source, sysplex, scope, partition
        ORDER BY midpoint
        RANGE BETWEEN greatest(INTERVAL 4 HOUR - (clock_end - midpoint), INTERVAL 0 HOUR) PRECEDING AND CURRENT ROW
    )
)
SELECT
    msu_source, sysplex, scope, partition, is_own, interval_start, interval_end, interval_s, utc_offset_minutes, is_utc,
    clock_start, clock_end, msu,
    CASE WHEN abs(covered_s / 14400 - 1) <= 0.02 THEN mean_msu END AS rolling_msu,
    mean_msu, msu_basis, msu_service,
    CASE WHEN abs(covered_s / 14400 - 1) <= 0.02 THEN mean_msu_service END AS rolling_msu_service,
    covered_s, msu_defined, capacity_group, capacity_group_limit,
    msu_defined_changed, capacity_group_changed, capacity_group_limit_changed,
    min(clock_start) OVER one_stretch AS stretch_start,
    max(clock_end) OVER one_stretch AS stretch_end,
    refs
FROM rolled
WINDOW one_stretch AS (PARTITION BY msu_source, sysplex, scope, partition, stretch)
