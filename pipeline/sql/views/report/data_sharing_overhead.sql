-- Grain: one row per Db2 data sharing group of a location, report_kind, interval and member, and one for the group as a whole (is_total).
-- Requests of data sharing to coupling facilities and other members, per commit. Filter is_total: a group's row has the work of its members.
-- Rule: a member that is printed both in its own report and in a report of the group counts once: from the report with more of the columns
-- below, else from its own. A group report without a location belongs to the location that other reports print for the group and interval, if
-- there is only one. The group's row is the printed one; otherwise the sum of the members whose pages have the same begin and end
-- (total_source members): too small where members are missing.
-- Formulas: plock_requests = lock + unlock + change requests for P-locks; notify_messages = sent + received; gbp_… = sums over all group
-- buffer pools, NULL if one of them is unknown; …_per_commit by commits; global_contention_pct = suspends_total / xes_requests.
-- Source: Db2 Data Sharing: Planning and Administration; OMEGAMON for Db2, "Group-scope reports" (which blocks are of the group).
-- Worked: 180,000 requests to XES in 18,000 commits are 10 per commit, 36,180 accesses to group buffer pools 2.01; with another member of
-- 54,000 and 11,160 in 9,000, the group has 234,000 / 27,000 = 8.67 and 47,340 / 27,000 = 1.753.
-- Shards: by begin_at.
-- Columns:
--   scope: of the pages: member, group_member (a member in a report of its group) or group; NULL for a sum of members
--   total_source: printed or members; NULL for a member
--   members: how many members have a row
--   interval_elapsed_s [s]: length of the interval; of the members the longest
--   xes_requests, plock_requests, suspends_total, suspends_false, notify_messages: of locking
--   gbp_reads, gbp_writes, gbp_castout_pages, gbp_other_requests, gbp_accesses: of group buffer pools
--   gbp_accesses_basis: requests or pages; NULL if pools or members differ
--   xes_requests_per_s, gbp_accesses_per_s [1/s]: by interval_elapsed_s
--   xes_requests_per_commit, plock_requests_per_commit, suspends_per_commit, notify_messages_per_commit: NULL without commits
--   gbp_accesses_per_commit, gbp_reads_per_commit, gbp_writes_per_commit, gbp_castout_pages_per_commit: likewise
WITH lock_counts AS (
    SELECT
        db2_interval_key(l) AS of_interval, interval_elapsed_s, xes_requests,
        plock_lock_requests + plock_unlock_requests + plock_change_requests AS plock_requests,
        suspends_total, suspends_false, notify_messages_sent + notify_messages_received AS notify_messages, is_conflicting, refs
    FROM data_sharing_locking AS l
),
pools AS (
    SELECT
        db2_interval_key(g) AS of_interval, max(interval_elapsed_s) AS interval_elapsed_s,
        sum_all(reads_total) AS gbp_reads, sum_all(writes_total) AS gbp_writes, sum_all(castout_pages) AS gbp_castout_pages,
        sum_all(other_requests) AS gbp_other_requests, sum_all(accesses_total) AS gbp_accesses,
        known_value(accesses_basis) AS gbp_accesses_basis,
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY gbp, refs)) AS refs
    FROM group_buffer_pool AS g
    GROUP BY of_interval
),
told AS (
    SELECT
        of_interval, coalesce(lock_counts.interval_elapsed_s, pools.interval_elapsed_s) AS interval_elapsed_s,
        lock_counts.* EXCLUDE (of_interval, interval_elapsed_s, is_conflicting, refs),
        pools.* EXCLUDE (of_interval, interval_elapsed_s, is_conflicting, refs),
        coalesce(lock_counts.is_conflicting, FALSE) OR coalesce(pools.is_conflicting, FALSE) AS is_conflicting,
        list_concat(lock_counts.refs, pools.refs) AS refs
    FROM lock_counts
    FULL JOIN pools USING (of_interval)
),
of_pages AS (
    SELECT
        of_interval.*, told.* EXCLUDE (of_interval), threads.commits, threads.commits_source,
        of_interval.scope = 'group' AND of_interval.member IS NULL AS is_total
    FROM told
    LEFT JOIN db2_thread_activity AS threads ON db2_interval_key(threads) = of_interval
    WHERE of_interval.db2_group IS NOT NULL AND (of_interval.member IS NOT NULL OR of_interval.scope = 'group')
),
located AS (
    SELECT * REPLACE (
        coalesce(location, CASE WHEN min(location) OVER of_name = max(location) OVER of_name THEN min(location) OVER of_name END) AS location
    )
    FROM of_pages
    WINDOW of_name AS (PARTITION BY db2_group, begin_at, end_at)
),
-- One row per member: another subsystem does not make another member.
printed AS (
    SELECT * EXCLUDE (subsystem)
    FROM located
    QUALIFY row_number() OVER (
        PARTITION BY location, db2_group, report_kind, begin_at, end_at, is_total, member
        ORDER BY (xes_requests IS NULL)::INTEGER + (gbp_accesses IS NULL)::INTEGER + (commits IS NULL)::INTEGER, scope <> 'member', subsystem
    ) = 1
),
counted AS (
    SELECT
        location, db2_group, report_kind, begin_at, end_at, count(*) AS members, max(interval_elapsed_s) AS interval_elapsed_s,
        sum_all(commits) AS commits, known_value(commits_source) AS commits_source,
        sum_all(xes_requests) AS xes_requests, sum_all(plock_requests) AS plock_requests, sum_all(suspends_total) AS suspends_total,
        sum_all(suspends_false) AS suspends_false, sum_all(notify_messages) AS notify_messages,
        sum_all(gbp_reads) AS gbp_reads, sum_all(gbp_writes) AS gbp_writes, sum_all(gbp_castout_pages) AS gbp_castout_pages,
        sum_all(gbp_other_requests) AS gbp_other_requests, sum_all(gbp_accesses) AS gbp_accesses,
        known_value(gbp_accesses_basis) AS gbp_accesses_basis,
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY member, refs)) AS refs
    FROM printed
    WHERE NOT is_total
    GROUP BY location, db2_group, report_kind, begin_at, end_at
),
everything AS (
    SELECT printed.*, CASE WHEN is_total THEN 'printed' END AS total_source, coalesce(counted.members, 0) AS members
    FROM printed
    LEFT JOIN counted
        ON counted.db2_group = printed.db2_group AND counted.location IS NOT DISTINCT FROM printed.location
        AND counted.report_kind IS NOT DISTINCT FROM printed.report_kind
        AND counted.begin_at IS NOT DISTINCT FROM printed.begin_at AND counted.end_at IS NOT DISTINCT FROM printed.end_at
    UNION ALL BY NAME
    SELECT counted.*, TRUE AS is_total, 'members' AS total_source
    FROM counted
    ANTI JOIN printed
        ON printed.is_total AND counted.db2_group = printed.db2_group AND counted.location IS NOT DISTINCT FROM printed.location
        AND counted.report_kind IS NOT DISTINCT FROM printed.report_kind
        AND counted.begin_at IS NOT DISTINCT FROM printed.begin_at AND counted.end_at IS NOT DISTINCT FROM printed.end_at
)
SELECT
    location, db2_group, member, is_total, report_kind, begin_at, end_at, scope, total_source, members, interval_elapsed_s,
    commits, commits_source, xes_requests, plock_requests, suspends_total, suspends_false, notify_messages,
    gbp_reads, gbp_writes, gbp_castout_pages, gbp_other_requests, gbp_accesses, gbp_accesses_basis,
    xes_requests / nullif(interval_elapsed_s, 0) AS xes_requests_per_s,
    gbp_accesses / nullif(interval_elapsed_s, 0) AS gbp_accesses_per_s,
    xes_requests / nullif(commits, 0) AS xes_requests_per_commit,
    plock_requests / nullif(commits, 0) AS plock_requests_per_commit,
    suspends_total / nullif(commits, 0) AS suspends_per_commit,
    notify_messages / nullif(commits, 0) AS notify_messages_per_commit,
    gbp_accesses / nullif(commits, 0) AS gbp_accesses_per_commit,
    gbp_reads / nullif(commits, 0) AS gbp_reads_per_commit,
    gbp_writes / nullif(commits, 0) AS gbp_writes_per_commit,
    gbp_castout_pages / nullif(commits, 0) AS gbp_castout_pages_per_commit,
    100 * suspends_total / nullif(xes_requests, 0) AS global_contention_pct,
    100 * suspends_false / nullif(xes_requests, 0) AS false_contention_pct,
    is_conflicting, refs
FROM everything
