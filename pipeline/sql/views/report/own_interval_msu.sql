-- Grain: one row per source of the figure, pages, and interval: the clock of the four hours that end with it.
-- From partition_data: the partition whose system printed the page. peak_msu_by_class needs only this part of interval_msu.
-- Source: as interval_msu.
-- Shards: no: as interval_msu.
SELECT
    msu_source, sysplex, scope, partition, interval_start, interval_end,
    interval_start + (interval_end - interval_start) / 2 AS midpoint,
    interval_s, utc_offset_minutes, is_utc, clock_end, refs
FROM interval_msu
WHERE is_own
