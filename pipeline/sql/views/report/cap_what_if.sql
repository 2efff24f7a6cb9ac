-- Grain: one row per system, reporting month and tried defined capacity: what the capacity would have held back, and the peak that is billed.
-- Formulas: bound_h is the time of the intervals of cap_interval, displaced_msu_h what they used above the cap. peak_under_cap_msu = the lesser of
-- the month's peak (hourly_four_hour_msu) and the cap: what a sub-capacity report counts of a partition at most.
-- Not a forecast: the same work under another cap. What is displaced is not made up for later, as if it were given up; where it is made up
-- for, the cap holds back longer. A group limit or cap of the machine is not replayed.
-- NULL: peaks where an hour of the month is not known, and shares of nothing used.
-- Where WLM capped the partition already (was_capped_h), it would have used more: there what is displaced is a least value.
-- Source: as cap_step; Sub-Capacity Reporting Tool: the lesser of the four-hour rolling average and the defined capacity.
-- Worked: the hours of cap_interval: 200 MSU x h in 2 h of 1,800 MSU x h used, 11.1%.
-- Shards: no: as interval_msu.
-- Columns:
--   system, partition: as in tried_cap
--   reporting_month: as in hourly_four_hour_msu
--   cap_pct [%], cap_msu [MSU/h]: the capacity, as in cap_interval
--   covered_h, unknown_h, was_capped_h [h]: time of the intervals; of these without a known use or average, where nothing is displaced; capped
--   bound_h [h]: held back
--   used_msu_h, displaced_msu_h [MSU x h]: used as measured; of that above the cap
--   displaced_pct [%]: of what was used
--   peak_msu [MSU/h]: the highest rolling_msu of hourly_four_hour_msu in the month
--   peak_under_cap_msu [MSU/h]: billed at most
--   saved_cost [currency]: the difference of these peaks at the site's price; NULL without one
--   cost_assumption: the price that the money rests on, in words
WITH measured AS (
    SELECT
        system, partition, reporting_month, sum(interval_s) / 3600 AS covered_h,
        coalesce(sum(interval_s) FILTER (msu IS NULL OR rolling_before_msu IS NULL), 0) / 3600 AS unknown_h,
        coalesce(sum(interval_s) FILTER (was_capped), 0) / 3600 AS was_capped_h,
        sum(msu * interval_s) / 3600 AS used_msu_h
    FROM cap_step
    GROUP BY ALL
),
peak AS (
    SELECT
        scope AS system, name AS partition, reporting_month,
        CASE WHEN count(is_peak) = count(*) THEN max(rolling_msu) END AS peak_msu
    FROM hourly_four_hour_msu
    WHERE level = 'partition' AND scope IS NOT NULL
    GROUP BY ALL
),
held AS (
    SELECT
        system, partition, reporting_month, cap_pct, sum(interval_s) / 3600 AS bound_h, sum(displaced_msu * interval_s) / 3600 AS displaced_msu_h
    FROM cap_interval
    GROUP BY ALL
)
SELECT
    system, partition, reporting_month, cap.cap_pct, cap.cap_msu, measured.covered_h, measured.unknown_h, measured.was_capped_h,
    coalesce(held.bound_h, 0) AS bound_h, measured.used_msu_h, coalesce(held.displaced_msu_h, 0) AS displaced_msu_h,
    100 * coalesce(held.displaced_msu_h, 0) / nullif(measured.used_msu_h, 0) AS displaced_pct,
    peak.peak_msu, CASE WHEN peak.peak_msu > cap.cap_msu THEN cap.cap_msu ELSE peak.peak_msu END AS peak_under_cap_msu,
    price.price_per_msu * at_least_zero(peak.peak_msu - cap.cap_msu) AS saved_cost,
    cost_assumption(price.price_per_msu, price.currency, price.price_note) AS cost_assumption
FROM measured
JOIN tried_cap AS cap USING (system, partition)
CROSS JOIN site_price() AS price
LEFT JOIN peak USING (system, partition, reporting_month)
LEFT JOIN held USING (system, partition, reporting_month, cap_pct)
