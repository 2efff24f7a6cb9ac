-- Grain: one row per Db2 data sharing location and group, group buffer pool and clock hour, all members together.
-- Formula: sums over members and the intervals of member reports whose midpoint is in the hour, then divided: percentages are never averaged. A
-- report of the group counts for the members that have no report of their own for the interval. Traces, and intervals of a member that overlap
-- an earlier one, are left out.
-- NULL: a sum with a value that is unknown or was printed again with another value; a percentage of nothing.
-- Source: as group_buffer_pool.
-- Worked: 57 hits of 429 reads and 43 of 571: 10%.
-- Shards: by hour_start.
-- Columns:
--   db2_group: data sharing group; the member where none is printed
--   covered_s [s]: time of the intervals, of the member with most
--   members: with a report
--   reads_total, read_hit_pct [%]: reads, and those that returned data
--   xi_reads_pct [%]: reads after a cross-invalidation, of all reads
--   xi_hit_pct [%]: of the reads after a cross-invalidation, those that got data
--   writes_total, castout_pages: pages written, and pages cast out
--   failed_no_storage: reads and writes that failed for lack of storage; of the two counters those that are printed
WITH of_interval AS (
    SELECT
        location, coalesce(db2_group, member, subsystem) AS db2_group, object AS gbp, coalesce(member, subsystem) AS member,
        begin_at, end_at, scope, max(interval_elapsed_s) AS interval_elapsed_s,
        sums_by(
            'gbp_measure',
            'reads_xi_returned, reads_xi_not_returned, reads_nf_returned, reads_nf_not_returned, writes_changed_sync, writes_changed_async,
            writes_clean_sync, writes_clean_async, castout_pages, reads_failed_no_storage, writes_failed_no_storage'
        ),
        min(refs[1]) AS ref
    FROM (SELECT * REPLACE (CASE WHEN NOT is_conflicting THEN quantity END AS quantity) FROM stg_db2_statistics_counter)
    WHERE block = 'GROUP BP' AND gbp_measure <> '' AND scope IN ('member', 'group_member') AND report_kind = 'report'
    GROUP BY ALL
),
-- Intervals of a member that overlap print the same counts twice.
placed AS (
    SELECT *
    FROM (FROM of_interval QUALIFY is_own_or_only(scope, (location, db2_group, gbp, member, begin_at, end_at)))
    QUALIFY NOT is_printed_again(row(location, db2_group, gbp, member), begin_at, end_at)
),
added AS (
    SELECT
        location, db2_group, gbp, hour_of(begin_at, end_at) AS hour_start,
        max(covered_s) AS covered_s,
        count(DISTINCT member) AS members,
        sum_all(COLUMNS([
            'reads_xi_returned', 'reads_xi_not_returned', 'reads_nf_returned', 'reads_nf_not_returned',
            'writes_changed_sync', 'writes_changed_async', 'writes_clean_sync', 'writes_clean_async', 'castout_pages',
            'reads_failed_no_storage', 'writes_failed_no_storage'
        ])),
        min(ref) AS ref
    FROM (SELECT *, sum(interval_elapsed_s) OVER (
        PARTITION BY location, db2_group, gbp, member, hour_of(begin_at, end_at)
    ) AS covered_s FROM placed)
    GROUP BY ALL
),
totals AS (
    SELECT
        *,
        reads_xi_returned + reads_xi_not_returned AS xi_reads,
        reads_xi_returned + reads_xi_not_returned + reads_nf_returned + reads_nf_not_returned AS reads_total,
        writes_changed_sync + writes_changed_async + writes_clean_sync + writes_clean_async AS writes_total
    FROM added
)
SELECT
    location, db2_group, gbp, hour_start, covered_s, members,
    CAST(reads_total AS BIGINT) AS reads_total,
    100 * (reads_xi_returned + reads_nf_returned) / nullif(reads_total, 0) AS read_hit_pct,
    100 * xi_reads / nullif(reads_total, 0) AS xi_reads_pct,
    100 * reads_xi_returned / nullif(xi_reads, 0) AS xi_hit_pct,
    CAST(writes_total AS BIGINT) AS writes_total,
    CAST(castout_pages AS BIGINT) AS castout_pages,
    CAST(coalesce(reads_failed_no_storage + writes_failed_no_storage, reads_failed_no_storage, writes_failed_no_storage) AS BIGINT)
        AS failed_no_storage,
    [ref] AS refs
FROM totals
