-- Grain: one row per system and defined capacity that cap_interval tries.
-- 95, 90, 85, 80, 75 and 70% of the highest hour of the four-hour rolling average of its partition (rolling_msu of hourly_four_hour_msu), in
-- whole MSU. No rows where no hour is known, or none reaches 1 MSU.
-- Source: as hourly_four_hour_msu.
-- Worked: a highest hour of 250 gives 238, 225, 213, 200, 188 and 175.
-- Shards: no: the highest hour is that of all days.
-- Columns:
--   system, partition: the system and its partition
--   cap_pct [%]: of the highest hour
--   cap_msu [MSU/h]: the tried defined capacity
SELECT scope AS system, name AS partition, unnest([95, 90, 85, 80, 75, 70]) AS cap_pct, round(cap_pct / 100 * max(rolling_msu)) AS cap_msu
FROM hourly_four_hour_msu
WHERE level = 'partition' AND scope IS NOT NULL
GROUP BY scope, name
HAVING max(rolling_msu) >= 1
