-- Grain: one row per Db2 data sharing group, group buffer pool and clock hour, all members together.
-- Inputs: group_buffer_pool.
-- Formula: sums over members and the intervals of member reports whose midpoint is in the hour, then divided: percentages are never averaged. Only
-- statistics reports of one member each (scope member); traces are left out.
-- NULL: a sum of which one value is unknown; a percentage of nothing.
-- Source: as group_buffer_pool.
-- Worked: 57 hits of 429 reads and 43 of 571: 10%.
-- Columns:
--   db2_group, gbp, hour_start [local time]: pool and hour; the member where no group is printed
--   covered_s [s]: time of the intervals, of the member with most
--   members: with a report
--   reads_total, read_hit_pct [%]: reads, and those that returned data
--   xi_reads_pct [%]: reads after a cross-invalidation, of all reads
--   xi_hit_pct [%]: of the reads after a cross-invalidation, those that got data
--   writes_total, castout_pages: pages written, and pages cast out
--   failed_no_storage: reads and writes that failed for lack of storage
--   refs: the first printed row
WITH summed AS (
    SELECT
        coalesce(db2_group, member, subsystem) AS db2_group, gbp, date_trunc('hour', begin_at + (end_at - begin_at) / 2) AS hour_start,
        coalesce(member, subsystem) AS member,
        sum(interval_elapsed_s) AS covered_s,
        sum_all(reads_total) AS reads_total,
        sum_all(reads_xi_returned) AS xi_hits, sum_all(reads_xi_returned + reads_xi_not_returned) AS xi_reads,
        sum_all(reads_xi_returned + reads_nf_returned) AS hits,
        sum_all(writes_total) AS writes_total, sum_all(castout_pages) AS castout_pages,
        sum_all(reads_failed_no_storage + writes_failed_no_storage) AS failed_no_storage,
        min(refs[1]) AS ref
    FROM group_buffer_pool
    WHERE scope = 'member' AND report_kind = 'report'
    GROUP BY ALL
),
final AS (
    SELECT
        db2_group, gbp, hour_start, max(covered_s) AS covered_s, count(DISTINCT member) AS members,
        CAST(sum_all(reads_total) AS BIGINT) AS reads_total,
        100 * sum_all(hits) / nullif(sum_all(reads_total), 0) AS read_hit_pct,
        100 * sum_all(xi_reads) / nullif(sum_all(reads_total), 0) AS xi_reads_pct,
        100 * sum_all(xi_hits) / nullif(sum_all(xi_reads), 0) AS xi_hit_pct,
        CAST(sum_all(writes_total) AS BIGINT) AS writes_total,
        CAST(sum_all(castout_pages) AS BIGINT) AS castout_pages,
        CAST(sum_all(failed_no_storage) AS BIGINT) AS failed_no_storage,
        [min(ref)] AS refs
    FROM summed
    GROUP BY db2_group, gbp, hour_start
)
SELECT * FROM final
