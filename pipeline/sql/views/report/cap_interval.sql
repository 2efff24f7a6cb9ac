-- Grain: one row per system, tried defined capacity and interval in which it would have held work back.
-- The capacities are those of tried_cap. displaced_by_cap (macros.sql) says how the intervals are replayed, in the order of time: what was
-- displaced before lowers the average, and so ends the cap earlier than the measured average does.
-- Rule: where the average is not known the cap is not on, and the replay goes on as if nothing had been displaced there.
-- Source: as cap_step.
-- Worked: cap 200; hours of 100, 100, 100, 100, 300, 300, 300, 300, 100, 100: the averages before hours 5 to 8 are 100, 150, 200 and 250 as
-- measured. It is on in hours 7 and 8, which then use 200 each: 200 MSU x h are displaced. Hour 9 begins with 250, but its 100 fit.
-- Shards: no: as interval_msu.
-- Columns:
--   system, partition: as in tried_cap
--   cap_pct [%], cap_msu [MSU/h]: the capacity, as in tried_cap
--   reporting_month: as in hourly_four_hour_msu
--   msu [MSU/h]: used in the interval
--   displaced_msu [MSU/h]: what the interval used above the cap
-- The measured average is at least that of the replay: below the cap nothing is displaced, so these intervals are enough.
WITH near AS (
    SELECT
        step.*, cap.cap_pct, cap.cap_msu, count(*) OVER before AS near_before
    FROM cap_step AS step
    JOIN tried_cap AS cap ON cap.system = step.system AND cap.partition = step.partition AND step.rolling_before_msu >= cap.cap_msu
    WINDOW before AS (
        PARTITION BY step.system, step.partition, cap.cap_pct ORDER BY step.clock_start + to_seconds(step.interval_s) / 2
        RANGE BETWEEN INTERVAL 4 HOUR + to_seconds(step.interval_s) / 2 PRECEDING AND INTERVAL 1 MILLISECOND PRECEDING
    )
),
-- What is more than four hours ago does not matter.
apart AS (
    SELECT
        *, count_if(near_before = 0) OVER (
            PARTITION BY system, partition, cap_pct ORDER BY clock_start ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS part
    FROM near
),
replayed AS (
    SELECT
        system, partition, cap_pct, cap_msu,
        unnest(displaced_by_cap(list([msu, rolling_before_msu, interval_s, near_before] ORDER BY clock_start), cap_msu)) AS displaced_msu_s,
        unnest(list(struct_pack(
            interval_start := interval_start, interval_end := interval_end, interval_s := interval_s, reporting_month := reporting_month,
            msu := msu, refs := refs
        ) ORDER BY clock_start), max_depth := 2)
    FROM apart
    GROUP BY system, partition, cap_pct, cap_msu, part
)
SELECT
    system, partition, cap_pct, cap_msu, interval_start, interval_end, interval_s, reporting_month, msu,
    displaced_msu_s / interval_s AS displaced_msu, refs
FROM replayed
WHERE displaced_msu_s > 0
