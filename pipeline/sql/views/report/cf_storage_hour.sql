-- Grain: one row per sysplex, coupling facility and clock hour: its storage, and what its caches reclaimed.
-- Formula: storage at its fullest, reclaims added, over the intervals whose midpoint is in the hour. Duration reports, and intervals that overlap an
-- earlier one, are left out.
-- NULL: a figure that one interval leaves unknown, or that was printed again with another value. Compare the intervals with those of cf_hour.
-- Source: as cf_storage.
-- Worked: 60 and 64% used, 10 and 5 reclaims: 64%, 15.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   used_pct [%], available_bytes [bytes]: the most used, the least available
--   total_bytes [bytes]: the least of the hour
--   largest_structure_pct [%]: as in cf_storage, the most of the hour
--   reclaims, reclaim_invalidations: directory entries that caches reclaimed, and pages of members that became invalid by it
--   gbp_invalidations: of these, of group buffer pools of Db2
--   refs: the printed rows of the interval with most invalidations, the first of several
WITH placed AS (
    SELECT
        sysplex, cf_name, interval_start, interval_end, refs,
        CASE WHEN NOT is_conflicting THEN
            COLUMNS(['used_pct', 'available_bytes', 'total_bytes', 'largest_structure_pct', 'reclaims', 'reclaim_invalidations', 'gbp_invalidations']) END
    FROM cf_storage
    WHERE report_kind = 'interval' AND interval_start IS NOT NULL
    QUALIFY NOT is_printed_again(row(sysplex, cf_name), interval_start, interval_end)
)
SELECT
    sysplex, cf_name, hour_of(interval_start, interval_end) AS hour_start, offset_if_repeated() AS utc_offset_minutes,
    max_all(used_pct) AS used_pct,
    min_all(available_bytes) AS available_bytes,
    min_all(total_bytes) AS total_bytes,
    max_all(largest_structure_pct) AS largest_structure_pct,
    CAST(sum_all(reclaims) AS BIGINT) AS reclaims,
    CAST(sum_all(reclaim_invalidations) AS BIGINT) AS reclaim_invalidations,
    CAST(sum_all(gbp_invalidations) AS BIGINT) AS gbp_invalidations,
    arg_min(refs, (-coalesce(reclaim_invalidations, -1), interval_start)) AS refs
FROM placed
GROUP BY ALL
