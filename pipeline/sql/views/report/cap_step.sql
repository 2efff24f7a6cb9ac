-- Grain: one row per system and interval: the use of its own partition, and what decides whether a defined capacity would be on.
-- What displaced_by_cap (macros.sql) takes, so that a query may try any capacity.
-- NULL: rolling_before_msu where the four hours before the interval are not all known: then nothing says that a cap is on.
-- Source: interval_msu; IBM z/OS MVS Planning: Workload Management, defined capacity: a partition is capped to it while its four-hour rolling
-- average is at least that.
-- Worked: hours of 100, 100, 100, 100, 300: before the fifth the average is 100, of 4 intervals.
-- Shards: no: as interval_msu.
-- Columns:
--   partition: the partition of the system
--   hour_start: clock hour, in local time, of the interval's midpoint
--   reporting_month: as in hourly_four_hour_msu
--   clock_start: begin of the interval by the clock that orders it: UTC, otherwise local time
--   msu, rolling_msu [MSU/h]: in the interval; over the four hours that end with it
--   rolling_before_msu [MSU/h]: over the four hours that end as the interval begins
--   intervals_before: how many intervals are in these four hours
--   was_capped: WLM capped the partition in a part of the interval, so that demand was at least what it used; NULL if not printed
WITH own AS (
    SELECT *, hour_of(interval_start, interval_end) AS hour_start
    FROM interval_msu
    WHERE msu_source = 'partition_data' AND is_own
),
capped AS (
    SELECT system, interval_start, interval_end, max(capping_wlm_pct) > 0 AS was_capped
    FROM counted('rmf_partition_data')
    WHERE partition = mvs_partition AND processor_type = 'CP' AND report_kind = 'interval'
    GROUP BY ALL
)
SELECT
    own.scope AS system, own.partition, own.interval_start, own.interval_end, own.interval_s, own.hour_start,
    CAST(date_trunc('month', own.hour_start - INTERVAL 1 DAY) AS DATE) AS reporting_month,
    own.clock_start, own.msu, own.rolling_msu,
    CASE WHEN abs(epoch(own.clock_start - lag(own.clock_end) OVER series)) <= 1 THEN lag(own.rolling_msu) OVER series END AS rolling_before_msu,
    count(*) OVER before AS intervals_before,
    capped.was_capped, own.refs
FROM own
LEFT JOIN capped
    ON capped.system = own.scope AND capped.interval_start = own.interval_start AND capped.interval_end = own.interval_end
WINDOW
    series AS (PARTITION BY own.scope, own.partition ORDER BY own.clock_start),
    before AS (
        PARTITION BY own.scope, own.partition ORDER BY own.clock_start + (own.clock_end - own.clock_start) / 2
        RANGE BETWEEN INTERVAL 4 HOUR + (own.clock_end - own.clock_start) / 2 PRECEDING AND INTERVAL 1 MILLISECOND PRECEDING
    )
